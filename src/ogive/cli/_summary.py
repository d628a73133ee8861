"""Commands that describe a table: `ogive inspect` and `ogive summary`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    named_statistics,
    only,
    read_sources,
    reading_options,
    refuse_format,
)
from ogive.cli._output import as_options, say, show, show_text, tell
from ogive.errors import InputError, InvalidScores, OgiveError, UnreadableSource
from ogive.words import clipped, plural, printable

if TYPE_CHECKING:
    from ogive.answers import Leaders, Summary
    from ogive.trials import Trials


@reading_options
def inspect(
    source: Sources, method: Methods = None, on: Tasks = None, as_json: Json = False, quiet: Quiet = False, *, roles: dict[str, Any]
) -> None:  # fmt: skip
    """What a table holds, how its columns are read, and which answers it can give."""
    try:
        trials = only(read_sources(source, roles), method, on)
    except (UnreadableSource, InvalidScores):
        if not as_json:
            _show_columns(source)
        raise
    from ogive.answers import inspect as ask

    show(ask(trials), as_json=as_json)


def _show_columns(source: list[str]) -> None:
    """The columns of a table that is not read before something is said about them."""
    from ogive.importers import plain_frame
    from ogive.tables import Table

    try:
        frame = plain_frame(source[0]) if len(source) == 1 else None
    except OgiveError:  # there is no table: the refusal says so
        return
    if frame is None:
        return
    rows = []
    for name in frame.columns:
        known = frame[name].dropna()
        kind = "text" if known.dtype.kind not in "iufb" else "yes or no" if known.dtype.kind == "b" else "numbers"
        examples = ", ".join(clipped(str(value), LONGEST) for value in known.unique()[:EXAMPLES])
        rows.append((str(name), kind, str(known.nunique()), str(len(frame) - len(known)), examples))
    head = ("column", "holds", "different", "empty", "for example")
    show_text(
        Table(head=head, rows=tuple(rows), title=f"{Path(source[0]).name}: {plural(len(frame), 'row')}").to_text()
    )


EXAMPLES, LONGEST = 3, 24  # values of a column, and signs of one
MANY_TASKS = 6
# fmt: off
Statistics = Annotated[list[str] | None, typer.Option("--statistic", "-s", metavar="NAME", help="mean, median, std, iqm, worst_0.1, best_0.5, q0.95, best_of_8, exceedance_0.9; several times, or with commas.")]
Guaranteed = Annotated[bool, typer.Option("--guaranteed", help="Only intervals that hold for every distribution; mean and worst share need --bounds.")]
Format = Annotated[str, typer.Option("--format", metavar="text|markdown|latex|csv", help="How the table is printed; latex writes one table for each metric, and on several tasks one for each statistic; bold in one of them, which says so, are methods that no other is certainly better than. In csv, names that a spreadsheet would run as formulas begin with an apostrophe.")]
Raw = Annotated[bool, typer.Option("--raw", help="With --format csv: names as they are, formulas and control characters included.")]
# fmt: on


@reading_options
def summary(
    source: Sources, statistic: Statistics = None, failures: Failures = "refuse", confidence: Confidence = 0.95,
    guaranteed: Guaranteed = False, metric: MetricName = None, method: Methods = None, on: Tasks = None, output: Format = "text", raw: Raw = False, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Mean, median, worst 10 %, quantiles and best of k of every method on every task, each with an interval."""
    if raw and output in ("text", "markdown", "latex"):
        raise InputError(f"`--raw` is about --format csv; got {'--json' if as_json else f'--format {output}'}.")
    refuse_format(output, as_json=as_json)
    trials = only(read_sources(source, roles), method, on)
    from ogive.answers import summarize

    result = summarize(
        trials, metric=metric, confidence=confidence, failures=failures, guaranteed=guaranteed, **named_statistics(statistic)
    )  # fmt: skip
    if not quiet:
        tell(trials.notes)
        if len(trials.tasks) >= MANY_TASKS:
            say("over all tasks together: ogive rank, ogive profile, ogive report.")
    if as_json:
        show(result, as_json=True)
    elif output == "text":
        show_text(result.to_text(shutil.get_terminal_size().columns if sys.stdout.isatty() else None))
    elif output == "latex":
        print(_latex(result, trials, failures), end="")
    else:
        print(result.to_csv(raw=raw) if output == "csv" else result.to_markdown(), end="")


def _latex(result: Summary, trials: Trials, failures: str) -> str:
    """A table for each metric; for each statistic of it, where there are several tasks."""
    shown = dict.fromkeys((r.metric, r.statistic) for r in result.rows)
    metrics = dict.fromkeys(m for m, _ in shown)
    if len({r.task for r in result.rows}) > 1:
        bold = {m: _leading(trials, m, failures, result.confidence) for m in metrics}
        tables = [result.to_latex(metric=m, statistic=s, bold=bold[m]) for m, s in shown]
        for m, found in bold.items():
            ran = {t: {r.algorithm for r in result.rows if (r.metric, r.task) == (m, t) and r.n} for t in found or ()}
            if (
                found is not None
                and not found.told(ran)
                and found.criterion.statistic is None
                and None in trials.bounds[m]
            ):
                way = "declare its bounds with --bounds LOW,HIGH to have means compared, which tells more from few runs"
                say(f"nothing is bold: runs of {printable(m)} are compared by their order alone; {way}.")
    else:
        tables = [result.to_latex("methods-by-statistics", metric=m) for m in metrics]
    return "\n".join(tables)


def _leading(trials: Trials, metric: str, failures: str, confidence: float) -> Leaders | None:
    """Whom a table prints bold; nobody, and why, where a best method cannot be looked for."""
    from ogive.answers import leaders

    try:
        return leaders(trials, metric=metric, failures=failures, confidence=confidence)
    except InputError as error:
        say(f"nothing is bold: {as_options(str(error))}")
        return None
