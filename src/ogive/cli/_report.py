"""`ogive report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ogive.cli._compare import Margin
from ogive.cli._options import (
    Algorithm,
    BoundsText,
    Confidence,
    Fold,
    Goal,
    Group,
    Independent,
    Item,
    Looks,
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
    note_looks,
    read_sources,
)  # fmt: skip
from ogive.cli._output import tell

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page: .html.")]
ReportFailures = Annotated[
    str | None,
    typer.Option(
        "--failures",
        metavar="RULE",
        help="How failed runs count: exclude (and say whether it matters), worst, like:NAME or a number.",
    ),
]


def report(
    source: Sources, out: Out = None, margin: Margin = None, failures: ReportFailures = None, confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, quiet: Quiet = False,
    score: Score = None, algorithm: Algorithm = None, task: Task = None, repeat: Repeat = None, item: Item = None,
    group: Group = None, fold: Fold = None, pair: Pair = None, status: Status = None, param: Params = None, wide: Wide = False,
    unit: Unit = None, varied: Varied = None, goal: Goal = None, bounds: BoundsText = None, independent: Independent = None,
) -> None:  # fmt: skip
    """Write one page with verdicts, pictures, tables and caveats; it needs no network."""
    target = out or beside(source, "-report.html")
    trials = read_sources(
        source, score=score, algorithm=algorithm, task=task, repeat=repeat, item=item, group=group, fold=fold, pair=pair,
        status=status, params=param, wide=wide, unit=unit, varied=varied, goal=goal, bounds=bounds, independent=independent,
    )  # fmt: skip
    from ogive.report import write

    if not quiet:
        tell(trials.notes)
    target.parent.mkdir(parents=True, exist_ok=True)
    print(write(trials, target, confidence=confidence, failures=failures, margin=margin, metric=metric, looks=looks))
    note_looks(source, trials)
