"""`ogive report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._options import (
    READING,
    Confidence,
    Looks,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    beside,
    note_looks,
    only,
    read_sources,
    reading_options,
)
from ogive.cli._output import say, tell
from ogive.cli._target import as_page
from ogive.cli._verdicts import Criterion, Guaranteed, Margin, Over
from ogive.errors import InputError
from ogive.words import plural
from ogive.writing import make_folder_of

# fmt: off
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where the page goes; NAME-report.html in this folder where not given.")]
ReportFailures = Annotated[str | None, typer.Option("--failures", metavar="RULE", help="How failed runs count: exclude (and say whether it matters), worst, like:NAME or a number.")]
# fmt: on


@reading_options
def report(
    source: Sources, out: Out = None, criterion: Criterion = None, margin: Margin = None, over: Over = None,
    guaranteed: Guaranteed = False, failures: ReportFailures = None, confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, method: Methods = None, on: Tasks = None, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Write one page with verdicts, pictures, tables and caveats; it needs no network.

    Two methods get the verdict of `ogive compare`, more get that of `ogive rank`, by the same question. Learning curves
    get a page of their own.
    """
    target = as_page(out or beside(source, "-report.html"), source)
    if _holds_curves(source):
        given = {
            "criterion": criterion is not None, "margin": margin is not None, "over": over is not None, "guaranteed": guaranteed,
            "looks": looks != 1, "method": bool(method), "on": bool(on),
            **{name: value not in (READING[name][1], []) for name, value in roles.items()},
        }  # fmt: skip
        name = next((name for name, said in given.items() if said), None)
        if name is not None:
            option = {"params": "param", "independent": "independent/--adaptive"}.get(name, name.replace("_", "-"))
            raise InputError(
                f"`--{option}` is about tables of runs, and this source holds learning curves; leave it out."
            )
        _report_curves(source[0], target, failures, confidence, metric, quiet)
        return
    trials = read_sources(source, roles)
    from ogive.report import write

    if not quiet:
        tell(trials.notes)
    make_folder_of(target)
    shown = only(trials, method, on)
    page = write(
        shown, target, confidence=confidence, failures=failures, criterion=criterion, margin=margin, over=over,
        guaranteed=guaranteed, metric=metric, looks=looks,
    )  # fmt: skip
    n_failed = int(shown.failed(metric or shown.metrics[0]).sum())
    if n_failed and not quiet:
        say(f"note: {n_failed} of {plural(len(shown), 'run')} failed; the page says how they count.")
    print(page)
    note_looks(source, trials)


def _holds_curves(source: list[str]) -> bool:
    """Whether the source is a store, or a file, of learning curves."""
    if len(source) != 1 or not (Path(source[0]).is_dir() or source[0].endswith(".parquet")):
        return False
    from ogive.curves import holds_curves

    return holds_curves(source[0])


def _report_curves(
    source: str, target: Path, failures: str | None, confidence: float, metric: str | None, quiet: bool
) -> None:
    from ogive.curves import read
    from ogive.report import write_curves

    curves = read(source)
    for note in () if quiet else curves.notes:
        say(f"note: {note.words('cli')}")
    make_folder_of(target)
    print(write_curves(curves, target, metric=metric, confidence=confidence, failures=failures))
