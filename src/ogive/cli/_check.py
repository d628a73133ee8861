"""`ogive check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._options import (
    COLUMNS,
    Algorithm,
    BoundsText,
    Confidence,
    Failures,
    Fold,
    Goal,
    Group,
    Independent,
    Item,
    Json,
    MetricName,
    Params,
    Quiet,
    Repeat,
    Score,
    Status,
    Task,
    Unit,
    Varied,
    Wide,
    read_sources,
)  # fmt: skip
from ogive.cli._output import show, tell
from ogive.errors import InputError

New = Annotated[str, typer.Argument(metavar="NEW", help="The table of the new version.")]
Old = Annotated[str, typer.Option("--baseline", "-b", metavar="OLD", help="The table to hold it against.")]
GateMargin = Annotated[float, typer.Option("--margin", help="How much worse is acceptable, in the units of the score.")]
GateStatistic = Annotated[
    str, typer.Option("--statistic", "-s", metavar="NAME", help="mean, median, q0.1 or worst_0.1.")
]
Drop = Annotated[
    float | None,
    typer.Option("--drop", help="How much worse the truth must be in the power that is stated; twice the margin."),
]
Method = Annotated[
    str | None, typer.Option("--method", metavar="NAME", help="Which method, where the tables hold several.")
]
Comment = Annotated[
    Path | None, typer.Option("--comment", metavar="FILE", help="Write a Markdown comment for a pull request.")
]
Pair = Annotated[
    str | None,
    typer.Option("--pair", metavar="COLUMN", help="The key that joins rows of both tables.", rich_help_panel=COLUMNS),
]


def check(
    new: New, baseline: Old, margin: GateMargin, statistic: GateStatistic = "mean", drop: Drop = None, method: Method = None,
    failures: Failures = "refuse", confidence: Confidence = 0.95, metric: MetricName = None, comment: Comment = None,
    as_json: Json = False, quiet: Quiet = False,
    score: Score = None, algorithm: Algorithm = None, task: Task = None, repeat: Repeat = None, item: Item = None,
    group: Group = None, fold: Fold = None, pair: Pair = None, status: Status = None, param: Params = None, wide: Wide = False,
    unit: Unit = None, varied: Varied = None, goal: Goal = None, bounds: BoundsText = None, independent: Independent = None,
) -> None:  # fmt: skip
    """Hold NEW against a baseline: exit code 0 pass, 5 worse, 4 cannot tell.

    PASS: not worse by more than the margin, on every task. WORSE: worse on a task, even where nobody can say
    whether by more than the margin. CANNOT TELL: neither is certain; more runs would decide. A task that is
    certainly worse by less than the margin passes.
    """
    roles: dict[str, Any] = {
        "score": score, "algorithm": algorithm, "task": task, "repeat": repeat, "item": _joining(item, pair), "group": group,
        "fold": fold, "status": status, "params": param, "wide": wide, "unit": unit, "varied": varied, "goal": goal,
        "bounds": bounds, "independent": independent,
    }  # fmt: skip
    both = [read_sources([source], **roles) for source in (new, baseline)]
    from ogive.answers import check as ask

    result = ask(
        both[0], both[1], margin=margin, statistic=statistic, algorithm=method, drop=drop, failures=failures,
        confidence=confidence, metric=metric,
    )  # fmt: skip
    if not quiet:
        tell(result.notes)
    show(result, as_json=as_json)
    if comment is not None:
        comment.parent.mkdir(parents=True, exist_ok=True)
        comment.write_text(result.to_markdown(), encoding="utf-8")
    raise typer.Exit(result.exit_code)


def _joining(item: str | None, pair: str | None) -> str | None:
    """What rows of two tables have in common: the item. A table by itself has no pairs that `read` could find."""
    if item is not None and pair is not None and item != pair:
        raise InputError("`--item` already joins the rows of both tables; leave out `--pair`.")
    return item or pair
