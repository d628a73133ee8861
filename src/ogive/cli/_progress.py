"""`ogive progress`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ogive.cli._options import (
    Confidence,
    Json,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    only,
    read_sources,
    reading_options,
    refuse_format,
)
from ogive.cli._output import say, show, show_text, tell
from ogive.cli._over_tasks import BaselineFile, read_baselines
from ogive.cli._target import as_page, as_picture, picture_options, save_picture
from ogive.errors import InputError
from ogive.notes import NoteKind
from ogive.writing import make_folder_of, refuse_same

if TYPE_CHECKING:
    from ogive.profiles import Baselines, MinMax

STEPS = "Which steps"

# fmt: off
StatisticName = Annotated[str, typer.Option("--statistic", "-s", metavar="NAME", help="Of the runs at each step: iqm (the mean of the middle half), mean, median, q0.1, worst_0.1, best_0.1.")]
Simultaneous = Annotated[bool, typer.Option("--simultaneous", help="Intervals that hold for the whole curve of a method, instead of at each step alone.")]
Target = Annotated[float | None, typer.Option("--target", metavar="SCORE", help="Also after how many steps runs reach this score (on the scale of --baselines or --min-max), and how many never do.")]
FailureRule = Annotated[str, typer.Option("--failures", metavar="RULE", help="How a run counts from where it failed on: refuse, worst, exclude (the whole run) or a number.")]
MinMaxScale = Annotated[bool, typer.Option("--min-max", help="One scale for all tasks: 0 is the worst and 1 the best value on each.")]
GridText = Annotated[str | None, typer.Option("--grid", metavar="N|STEP,…", help="How many steps, or which; where left out, those of the runs, or 100.", rich_help_panel=STEPS)]
Cut = Annotated[bool, typer.Option("--cut", help="End where the first run does; otherwise runs that end early keep their last value, and are counted.", rich_help_panel=STEPS)]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A picture of the curves with their intervals: .png, .pdf, .svg or .eps.")]
FanOut = Annotated[Path | None, typer.Option("--fan", metavar="FILE", help="A picture of how runs spread: their quantiles over the steps.")]
ReportFile = Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Also one page with everything, the verdict on the last values too: .html.")]
Format = Annotated[str, typer.Option("--format", metavar="text|markdown|latex|csv", help="How the tables are printed.")]
# fmt: on


@picture_options
@reading_options
def progress(
    source: Sources, statistic: StatisticName = "iqm", simultaneous: Simultaneous = False, target: Target = None,
    baselines: BaselineFile = None, min_max: MinMaxScale = False, failures: FailureRule = "refuse", confidence: Confidence = 0.95,
    out: Out = None, fan: FanOut = None, report: ReportFile = None, grid: GridText = None, cut: Cut = False, metric: MetricName = None,
    method: Methods = None, on: Tasks = None, output: Format = "text", as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any], drawing: dict[str, Any],
) -> None:  # fmt: skip
    """Scores over training: where each method stands at every step, how sure that is, and when it reaches a target.

    For logs with a row for each method, task, seed and step: ogive progress runs.csv --step frame --out curves.png. Steps may
    differ from run to run: at each step a run has its last value at or before it. A study's store is read with the series
    that its trials returned.

    For a verdict at one step say ogive compare runs.csv --step frame --budget 100000, and with --area for the area under
    the curves.
    """
    refuse_format(output, as_json=as_json)
    asked = next((name for name in ("budget", "area") if roles[name]), None)
    if asked is not None:
        raise InputError(
            f"`--{asked}` makes one score of a run's curve, for answers such as ogive compare; here the curves themselves are shown. Leave it "
            "out, or choose steps with --grid."
        )
    if baselines is not None and min_max:
        raise InputError("--baselines and --min-max are two scales; choose one.")
    read: list[str | Path] = [*source, *([baselines] if baselines is not None else [])]
    picture = None if out is None else as_picture(out, read)
    spread = None if fan is None else as_picture(fan, read, option="--fan")
    page = None if report is None else as_page(report, read, option="--report")
    if picture is not None and spread is not None:
        refuse_same(spread, "--fan", {str(picture): "what --out names"})
    steps = _grid(grid)
    trials = only(read_sources(source, roles), method, on)
    if not quiet:
        tell(note for note in trials.notes if note.kind is not NoteKind.CURVE_SCORE)
    from ogive.profiles import MinMax
    from ogive.progress import fan as spread_of
    from ogive.progress import on_grid, over_training, steps_to_reach

    scale: Baselines | MinMax | None = MinMax() if min_max else None if baselines is None else read_baselines(baselines)
    runs = on_grid(
        trials, metric, grid=steps, ended="cut" if cut else "last", failures=failures, normalize=scale
    )  # fmt: skip
    found = over_training(runs, statistic, simultaneous=simultaneous, confidence=confidence)
    reached = None if target is None else steps_to_reach(
        trials, target, metric=metric, normalize=scale, failures=failures, confidence=confidence
    )  # fmt: skip
    if as_json:
        held = found.to_dict()
        show({**held, "reached": None if reached is None else reached.to_dict()["rows"]}, as_json=True)
    elif output == "text":
        show_text("\n\n".join([found.text("cli"), *([str(reached)] if reached is not None else [])]))
    else:
        tables = [*found.as_tables(), *(reached.as_tables() if reached is not None else ())]
        written = [{"markdown": t.to_markdown, "latex": t.to_latex, "csv": t.to_csv}[output]() for t in tables]
        show_text("\n\n".join(written).rstrip("\n"))
    from ogive import plots

    where = sys.stderr if as_json else sys.stdout
    if picture is not None:
        print(save_picture(plots.progress(found), picture, drawing), file=where)
    if spread is not None:
        print(save_picture(plots.progress_fan(spread_of(runs)), spread, drawing), file=where)
    if page is not None:
        from ogive.report import write

        if trials.step is None:
            say(f"the page is about the scores of whole runs; their {runs.metric!r} over steps is not on it.")
        make_folder_of(page)
        print(
            write(
                trials,
                page,
                confidence=confidence,
                failures=None if failures == "refuse" else failures,
                metric=None if trials.step is None else metric,
            ),
            file=where,
        )


def _grid(text: str | None) -> int | list[float] | None:
    """`50` or `1000,2000,5000`."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",") if part.strip()] if "," in text else int(text)
    except ValueError:
        raise InputError(
            f"`--grid` must be a number of steps, or steps with commas between, such as 1000,2000,5000; got {text!r}."
        ) from None
