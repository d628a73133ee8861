"""Commands that end in a verdict: `ogive compare`, `ogive rank` and `ogive check`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Looks,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    note_looks,
    only,
    read_sources,
    reading_options,
    refuse_unknown_task,
)
from ogive.cli._output import complain, show, tell
from ogive.cli._target import as_text
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, capitalized, sentences
from ogive.words import listed
from ogive.writing import make_folder_of, write

# fmt: off
A = Annotated[str | None, typer.Option("--a", metavar="METHOD", help="The method in question; the first where there are two.")]
B = Annotated[str | None, typer.Option("--b", metavar="METHOD", help="What it is compared with.")]
OnTask = Annotated[str | None, typer.Option("--on", metavar="TASK", help="Only this task; all shared ones where not given.")]
Margin = Annotated[float | None, typer.Option("--margin", help="The smallest difference that matters, in units of what decides; allows 'not worse' and 'equivalent'.")]
Criterion = Annotated[str | None, typer.Option("--criterion", "-s", metavar="NAME", help="What decides, fixed before looking: improvement (how often a run beats a run), mean, median, q0.1, worst_0.1, iqm or best_of_8. By default the mean where both bounds are declared, all scores are 0 or 1, or a margin is given; else improvement.")]
Over = Annotated[str | None, typer.Option("--over", metavar="fixed|sample", help="Of what an answer over several tasks speaks. fixed: of these tasks; sample: of tasks like these, which is the default for folds on five tasks or more and where a method has a single run on a task.")]
Guaranteed = Annotated[bool, typer.Option("--guaranteed", help="Only intervals that hold for every distribution; means need --bounds.")]
Unpaired = Annotated[bool, typer.Option("--unpaired", help="Compare fresh runs of both, although rows share draws.")]
# fmt: on


@reading_options
def compare(
    source: Sources, a: A = None, b: B = None, on: OnTask = None, margin: Margin = None, criterion: Criterion = None,
    over: Over = None, guaranteed: Guaranteed = False,
    failures: Failures = "refuse", confidence: Confidence = 0.95, looks: Looks = 1, unpaired: Unpaired = False, metric: MetricName = None,
    as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Is A better than B? One of five conclusions, the answers to four questions, and sentences to paste.

    The conclusion (better, worse, equivalent, not worse, cannot tell) is about what decides. Beside it stands who is
    ahead in a typical run, on average, on a bad day and after 8 tries.
    """
    trials = read_sources(source, roles)
    from ogive.answers import compare as ask

    refuse_unknown_task(trials, on)
    names = trials.algorithms
    if len(names) < 2:
        other = next((f" {capitalized(note, 'cli')}" for note in trials.notes if note.kind is NoteKind.ONE_METHOD), "")
        raise InputError(f"a comparison needs two methods; there is one, {names[0]!r}.{other or _beside(trials.notes)}")
    if (a is None or b is None) and len(names) != 2:
        raise InputError(
            f"name two of the {len(names)} methods with --a and --b; there are {', '.join(map(repr, names[:8]))}."
        )
    first = a or next(n for n in names if n != b)
    second = b or next(n for n in names if n != first)
    result = ask(
        trials, first, second, task=on, margin=margin, criterion=criterion, over=over, guaranteed=guaranteed, failures=failures, confidence=confidence,
        looks=looks, metric=metric, paired=False if unpaired else None,
    )  # fmt: skip
    if not quiet:
        tell(trials.notes)
    unit = trials.unit if trials.clustered and trials.unit else "run"
    about = {"source": trials.source, "unit": unit, "notes": sentences(trials.notes), "verdict": result.verdict}
    show(result, as_json=as_json, about=about)
    note_looks(source, trials)


def _beside(notes: Sequence[Note]) -> str:
    """What to say of a wide table of which one column was taken for the scores."""
    if any(note.kind is NoteKind.ROLE and note.argument == "algorithm" for note in notes):
        return ""
    columns = [c for note in notes if note.kind is NoteKind.NOT_USED for c in note.values["columns"]]
    if not columns:
        return ""
    return f" If columns such as {columns[0]!r} are methods, pass --wide and leave --score out."


@reading_options
def rank(
    source: Sources, method: Methods = None, on: Tasks = None, margin: Margin = None,
    criterion: Criterion = None, over: Over = None, guaranteed: Guaranteed = False, failures: Failures = "refuse", confidence: Confidence = 0.95,
    looks: Looks = 1, unpaired: Unpaired = False, metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Methods in tiers, with the ranks that the data allow, not 1 … N.

    Every pair is compared as `ogive compare` does it, all of them together. The first tier holds the methods that no other is
    certainly better than. Below stands who leads in a typical run, on average, on a bad day and after 8 tries.
    """
    trials = read_sources(source, roles)
    from ogive.answers import rank as ask

    result = ask(
        only(trials, method, on), margin=margin, criterion=criterion, over=over, guaranteed=guaranteed, failures=failures,
        confidence=confidence, looks=looks, metric=metric, paired=False if unpaired else None,
    )  # fmt: skip
    if not quiet:
        tell(trials.notes)
    show(result, as_json=as_json)
    note_looks(source, trials)


# fmt: off
New = Annotated[str, typer.Argument(metavar="NEW", help="The table of the new version.")]
Old = Annotated[str, typer.Option("--baseline", "-b", metavar="OLD", help="The table to hold it against.")]
GateMargin = Annotated[float, typer.Option("--margin", help="How much worse is acceptable, in the units of the score.")]
GateCriterion = Annotated[str, typer.Option("--criterion", "-s", metavar="NAME", help="What decides: mean, median, q0.1, worst_0.1 or iqm.")]
GateOver = Annotated[str | None, typer.Option("--over", metavar="fixed|sample", help="Of what a gate over several tasks speaks. fixed: of each of these tasks, and all must pass; sample: of the average over tasks like these, which is the default where a table has a single run on a task.")]
Drop = Annotated[float | None, typer.Option("--drop", help="How much worse the truth must be in the power that is stated; twice the margin.")]
Method = Annotated[str | None, typer.Option("--method", metavar="NAME", help="Which method, where the tables hold several.")]
Comment = Annotated[Path | None, typer.Option("--comment", metavar="FILE", help="Write a Markdown comment for a pull request.")]
# fmt: on


@reading_options
def check(
    new: New, baseline: Old, margin: GateMargin, criterion: GateCriterion = "mean", over: GateOver = None, guaranteed: Guaranteed = False, drop: Drop = None, method: Method = None,
    failures: Failures = "refuse", confidence: Confidence = 0.95, looks: Looks = 1, unpaired: Unpaired = False,
    metric: MetricName = None, comment: Comment = None,
    as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Hold NEW against a baseline: exit code 0 pass, 5 worse, 4 cannot tell.

    PASS: not worse by more than the margin, on every task, or over tasks like these (--over). WORSE: worse on a task, even where nobody can say
    whether by more than the margin. CANNOT TELL: neither is certain; more runs would decide. A task that is
    certainly worse by less than the margin passes.
    """
    target = None if comment is None else as_text(comment, [new, baseline], option="--comment")
    # One table by itself has no pairs that `read` could find: what joins the rows of both is an item.
    roles = {**roles, "item": _joining(roles["item"], roles["pair"]), "pair": None}
    both = [read_sources([source], roles) for source in (new, baseline)]
    from ogive.answers import check as ask

    result = ask(
        both[0], both[1], margin=margin, criterion=criterion, over=over, guaranteed=guaranteed, algorithm=method, drop=drop, failures=failures,
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
