"""`ogive compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Looks,
    MetricName,
    Quiet,
    Sources,
    note_looks,
    read_sources,
    reading_options,
    refuse_unknown_task,
)
from ogive.cli._output import show, tell
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, capitalized, sentences

A = Annotated[
    str | None, typer.Option("--a", metavar="METHOD", help="The method in question; the first where there are two.")
]
B = Annotated[str | None, typer.Option("--b", metavar="METHOD", help="What it is compared with.")]
OnTask = Annotated[
    str | None, typer.Option("--on", metavar="TASK", help="Only this task; all shared ones where not given.")
]
Margin = Annotated[
    float | None,
    typer.Option(
        "--margin",
        help="The smallest difference that matters, in units of what decides; allows 'not worse' and 'equivalent'.",
    ),
]
Criterion = Annotated[str | None, typer.Option("--criterion", "-s", metavar="NAME", help="What decides, fixed before looking: improvement (how often a run beats a run), mean, median, q0.1, worst_0.1, iqm or best_of_8. By default the mean where both bounds are declared, all scores are 0 or 1, or a margin is given; else improvement.")]  # fmt: skip
Over = Annotated[str | None, typer.Option("--over", metavar="fixed|sample", help="Of what an answer over several tasks speaks. fixed: of these tasks; sample: of tasks like these, which is the default for folds and where a method has a single run on a task.")]  # fmt: skip
Guaranteed = Annotated[bool, typer.Option("--guaranteed", help="Only intervals that hold for every distribution; means need --bounds.")]  # fmt: skip
Unpaired = Annotated[bool, typer.Option("--unpaired", help="Compare fresh runs of both, although rows share draws.")]


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
