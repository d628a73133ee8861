"""`ogive check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ogive.cli._options import (
    Algorithm,
    BoundsText,
    Confidence,
    Failures,
    Goal,
    Item,
    Json,
    MetricName,
    Quiet,
    Repeat,
    Score,
    Task,
    Unit,
    read_sources,
)  # fmt: skip
from ogive.cli._output import show, tell

New = Annotated[str, typer.Argument(metavar="NEW", help="The table of the new version.")]
Old = Annotated[str, typer.Option("--baseline", "-b", metavar="OLD", help="The table to hold it against.")]
GateMargin = Annotated[float, typer.Option("--margin", help="How much worse is acceptable, in the units of the score.")]
GateStatistic = Annotated[
    str, typer.Option("--statistic", "-s", metavar="NAME", help="mean, median, q0.1 or worst_0.1.")
]
Drop = Annotated[
    float | None, typer.Option("--drop", help="The drop for which the gate states its power; twice the margin.")
]
Method = Annotated[
    str | None, typer.Option("--method", metavar="NAME", help="Which method, where the tables hold several.")
]
Comment = Annotated[
    Path | None, typer.Option("--comment", metavar="FILE", help="Write a Markdown comment for a pull request.")
]


def check(
    new: New, baseline: Old, margin: GateMargin, statistic: GateStatistic = "mean", drop: Drop = None, method: Method = None,
    failures: Failures = "refuse", confidence: Confidence = 0.95, metric: MetricName = None, comment: Comment = None,
    as_json: Json = False, quiet: Quiet = False,
    score: Score = None, algorithm: Algorithm = None, task: Task = None, repeat: Repeat = None, item: Item = None,
    unit: Unit = None, goal: Goal = None, bounds: BoundsText = None,
) -> None:  # fmt: skip
    """A gate: exit code 0 when NEW is not worse than OLD by more than the margin, 5 when it is worse, 4 when that cannot be told."""
    both = [
        read_sources([source], score=score, algorithm=algorithm, task=task, repeat=repeat, item=item, unit=unit, goal=goal,
                     bounds=bounds, varied=None)
        for source in (new, baseline)
    ]  # fmt: skip
    from ogive.answers import check as ask

    result = ask(
        both[0], both[1], margin=margin, statistic=statistic, algorithm=method, drop=drop, failures=failures,
        confidence=confidence, metric=metric,
    )  # fmt: skip
    if not quiet:
        tell(both[0].notes)
    show(result, as_json=as_json)
    if comment is not None:
        comment.write_text(result.to_markdown(), encoding="utf-8")
    raise typer.Exit(result.exit_code)
