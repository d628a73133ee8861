"""`ogive plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from ogive.cli._options import (
    Confidence,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    beside,
    only,
    read_sources,
    reading_options,
)
from ogive.cli._output import say, tell
from ogive.cli._target import as_picture, picture_options, save_picture
from ogive.errors import InputError

# fmt: off
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The picture: .png, .pdf, .svg or .eps.")]
Kind = Annotated[str, typer.Option("--kind", metavar="quantile|cdf", help="Share of runs across and score up, or the other way round.")]
BandName = Annotated[str, typer.Option("--band", metavar="exact|ks|dkw", help="exact is tightest in the tails, ks in the middle.")]
Of = Annotated[Path | None, typer.Option("--of", metavar="SOURCE", help="Draw three panels: where the configurations that SOURCE… ran at percentiles lie among these trials, their curves, and how they did.")]
SeriesName = Annotated[str | None, typer.Option("--series", metavar="NAME", help="With --of: the curve to draw; the one called as the metric where not given.")]
PlotFailures = Annotated[str | None, typer.Option("--failures", metavar="RULE", help="How failed runs count: refuse, exclude, worst, like:NAME or a number; crosses below every score where not given.")]
# fmt: on


@reading_options
@picture_options
def plot(
    source: Sources, out: Out = None, kind: Kind = "quantile", band: BandName = "exact", confidence: Confidence = 0.95,
    failures: PlotFailures = None, metric: MetricName = None, method: Methods = None, on: Tasks = None, of: Of = None, series: SeriesName = None,
    quiet: Quiet = False,
    *, roles: dict[str, Any], drawing: dict[str, Any],
) -> None:  # fmt: skip
    """Draw all runs of every method from worst to best, with bands; one panel for each task."""
    from ogive.plots import distribution, percentiles

    if series is not None and of is None:
        raise InputError("`--series` names a curve of the picture that `--of` draws; give both, or leave it out.")
    alone = {"--kind": kind != "quantile", "--band": band != "exact", "--metric": metric is not None}
    if of is not None and any(alone.values()):
        raise InputError(
            f"`{next(name for name, given in alone.items() if given)}` does not go with `--of`, whose picture shows the metric by which "
            "configurations were chosen from worst to best, with exact bands; leave it out."
        )
    target = as_picture(out or beside(source, "-distribution.png"), source)
    trials = only(read_sources(source, roles), method, on)
    if len(trials.cells) > 1 and all(cell.rows.size == 1 for cell in trials.cells):
        raise InputError(
            "every method has one run on each task, which is no distribution; `ogive profile` compares them over tasks."
        )
    if of is not None:
        # What is said of the columns and scores holds for both tables, a choice of rows for the new runs only.
        whole = read_sources([str(of)], {**roles, "where": None, "without": None})
        picture = percentiles(whole, trials, series=series, confidence=confidence, failures=failures)
        print(save_picture(picture, target, drawing))
        return
    asked = cast(Literal["quantile", "cdf"], kind)
    display = distribution(trials, kind=asked, metric=metric, confidence=confidence, method=band, failures=failures)
    if not quiet:
        tell(trials.notes)
        if metric is None and len(trials.metrics) > 1:
            say(f"drawn: {display.metric!r}; --metric draws another of {', '.join(map(repr, trials.metrics))}.")
    print(save_picture(display, target, drawing))
