"""`ogive plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from ogive.cli._options import (
    Algorithm,
    BoundsText,
    Confidence,
    Fold,
    Goal,
    Group,
    Independent,
    Item,
    MetricName,
    Pair,
    Params,
    Quiet,
    Repeat,
    Score,
    Sources,
    Status,
    Task,
    Unit,
    Varied,
    Wide,
    beside,
    read_sources,
)  # fmt: skip
from ogive.cli._output import tell

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The picture: .png, .pdf or .svg.")]
Kind = Annotated[
    str,
    typer.Option("--kind", metavar="quantile|cdf", help="Share of runs across and score up, or the other way round."),
]
BandName = Annotated[
    str, typer.Option("--band", metavar="exact|ks|dkw", help="exact is tightest in the tails, ks in the middle.")
]


def plot(
    source: Sources, out: Out = None, kind: Kind = "quantile", band: BandName = "exact", confidence: Confidence = 0.95,
    metric: MetricName = None, quiet: Quiet = False,
    score: Score = None, algorithm: Algorithm = None, task: Task = None, repeat: Repeat = None, item: Item = None,
    group: Group = None, fold: Fold = None, pair: Pair = None, status: Status = None, param: Params = None, wide: Wide = False,
    unit: Unit = None, varied: Varied = None, goal: Goal = None, bounds: BoundsText = None, independent: Independent = None,
) -> None:  # fmt: skip
    """Draw all runs of every method from worst to best, with bands; one panel for each task."""
    from ogive.plots import as_picture, distribution

    target = as_picture(out or beside(source, "-distribution.png"))
    trials = read_sources(
        source, score=score, algorithm=algorithm, task=task, repeat=repeat, item=item, group=group, fold=fold, pair=pair,
        status=status, params=param, wide=wide, unit=unit, varied=varied, goal=goal, bounds=bounds, independent=independent,
    )  # fmt: skip
    display = distribution(
        trials, kind=cast(Literal["quantile", "cdf"], kind), metric=metric, confidence=confidence, method=band
    )
    if not quiet:
        tell(trials.notes)
    target.parent.mkdir(parents=True, exist_ok=True)
    print(display.save(target))
