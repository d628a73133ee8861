"""`ogive check`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._compare import Guaranteed, Unpaired
from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Looks,
    MetricName,
    Quiet,
    note_looks,
    read_sources,
    reading_options,
)
from ogive.cli._output import complain, show, tell
from ogive.cli._target import as_text
from ogive.errors import InputError
from ogive.words import listed
from ogive.writing import make_folder_of, write

New = Annotated[str, typer.Argument(metavar="NEW", help="The table of the new version.")]
Old = Annotated[str, typer.Option("--baseline", "-b", metavar="OLD", help="The table to hold it against.")]
GateMargin = Annotated[float, typer.Option("--margin", help="How much worse is acceptable, in the units of the score.")]
GateCriterion = Annotated[
    str, typer.Option("--criterion", "-s", metavar="NAME", help="What decides: mean, median, q0.1, worst_0.1 or iqm.")
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


@reading_options
def check(
    new: New, baseline: Old, margin: GateMargin, criterion: GateCriterion = "mean", guaranteed: Guaranteed = False, drop: Drop = None, method: Method = None,
    failures: Failures = "refuse", confidence: Confidence = 0.95, looks: Looks = 1, unpaired: Unpaired = False,
    metric: MetricName = None, comment: Comment = None,
    as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Hold NEW against a baseline: exit code 0 pass, 5 worse, 4 cannot tell.

    PASS: not worse by more than the margin, on every task. WORSE: worse on a task, even where nobody can say
    whether by more than the margin. CANNOT TELL: neither is certain; more runs would decide. A task that is
    certainly worse by less than the margin passes.
    """
    target = None if comment is None else as_text(comment, [new, baseline], option="--comment")
    # One table by itself has no pairs that `read` could find: what joins the rows of both is an item.
    roles = {**roles, "item": _joining(roles["item"], roles["pair"]), "pair": None}
    both = [read_sources([source], roles) for source in (new, baseline)]
    from ogive.answers import check as ask

    result = ask(
        both[0], both[1], margin=margin, criterion=criterion, guaranteed=guaranteed, algorithm=method, drop=drop, failures=failures,
        confidence=confidence, looks=looks, paired=False if unpaired else None, metric=metric,
    )  # fmt: skip
    if not quiet:
        tell(result.notes)
    show(result, as_json=as_json)
    if target is not None:
        make_folder_of(target)
        write(target, result.to_markdown().encode(errors="backslashreplace"))
    for source, trials in zip((new, baseline), both, strict=True):
        note_looks([source], trials)
    if result.exit_code:  # also where nobody sees the answer: in a file, in a closed pipe, as JSON
        on = "" if len(result.comparisons) == 1 else f" on {_some(result.deciding)}"
        worse = result.outcome == "worse"
        why = "the new version is worse" if worse else f"whether it is worse by more than {margin:g} cannot be told"
        complain(f"{result.source}: {why}{on} (exit code {result.exit_code}).", result.exit_code, is_result=True)
    raise typer.Exit(result.exit_code)


def _some(tasks: Sequence[str], most: int = 4) -> str:
    return listed([*tasks[:most], f"{len(tasks) - most} more"] if len(tasks) > most + 1 else list(tasks))


def _joining(item: str | None, pair: str | None) -> str | None:
    """The column whose values rows of two tables have in common."""
    if item is not None and pair is not None and item != pair:
        raise InputError("`--item` already joins the rows of both tables; leave out `--pair`.")
    return item or pair
