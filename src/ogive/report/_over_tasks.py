"""All tasks together: the performance profile, aggregates where tasks share a scale, average ranks as a description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ogive.notes import NoteKind
from ogive.plots import ProfileDisplay, profile
from ogive.profiles import (
    MANY_TASKS,
    Aggregates,
    AverageRanks,
    Kind,
    PairOfCurves,
    aggregates,
    average_ranks,
    performance_profile,
)
from ogive.report._judgment import Judgment, attempt
from ogive.trials import Trials
from ogive.words import plural

# Fewer tasks are better read one by one.
FEWEST_TASKS = 5
STATISTICS = ("iqm", "mean", "median")
# Enough for two digits of an interval's ends.
RESAMPLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTasks:
    """What is said about all tasks together; what the table does not allow is None.

    Attributes
    ----------
    display : ProfileDisplay or None
        The profile, of the kind that the scores allow.
    pair : PairOfCurves or None
        Its leader against the next.
    notes : tuple of str
        Why this kind, what the profile speaks of, and what a reader must know.
    """

    display: ProfileDisplay | None
    pair: PairOfCurves | None
    aggregates: Aggregates | None
    ranks: AverageRanks | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """What the answers over tasks share with the verdict."""

    metric: str
    confidence: float
    failures: str | float
    looks: int


def over_tasks(
    judged: Judgment, metric: str, confidence: float, failures: str | float, looks: int, n_runs: int
) -> OverTasks | None:
    """The answers over all tasks of what can be compared; None for few tasks, or where nothing can be judged.

    `n_runs` is the largest number of runs of a method on a task.
    """
    part, terms = judged.part, _Terms(metric=metric, confidence=confidence, failures=failures, looks=looks)
    if part is None or len(part.tasks) < FEWEST_TASKS:
        return None
    counted, _ = attempt(lambda: part.counted(metric, failures))
    display = None if counted is None else _drawn(counted, terms, n_runs)
    known: dict[str, Any] = {"metric": terms.metric, "goal": part.goals[terms.metric], "confidence": terms.confidence}
    found = None
    # Folds share training data: what is resampled as if they were independent would be too sure.
    if _share_a_scale(part, terms.metric) and part.n_folds is None:
        found, _ = attempt(
            lambda: aggregates(_runs(part, terms), statistics=STATISTICS, n_resamples=RESAMPLES, **known)
        )
    ranks, _ = attempt(lambda: average_ranks(_runs(part, terms), **known))
    if display is None and ranks is None:
        return None
    first = None if display is None else display.profile.compare(*display.order[:2])
    return OverTasks(
        display=display, pair=first, aggregates=found, ranks=ranks, notes=tuple(_notes(part, terms, judged, display))
    )


def _share_a_scale(part: Trials, metric: str) -> bool:
    """Whether both bounds of the score are declared: then it means the same on every task."""
    return None not in part.bounds[metric]


def _drawn(part: Trials, terms: _Terms, n_runs: int) -> ProfileDisplay | None:
    """The first kind of profile that the table allows: by scores, by duels of runs, by ratios of costs."""
    kinds: list[Kind] = ["score"] if _share_a_scale(part, terms.metric) else []
    if n_runs > 1:
        kinds.append("improvement")
    elif part.goals[terms.metric] == "minimize":
        kinds.append("ratio")
    level = 1.0 - (1.0 - terms.confidence) / terms.looks
    for kind in kinds:
        ask = _asking(part, kind, terms.metric, level)
        display, _ = attempt(ask)
        if display is not None:
            return display
    return None


def _asking(part: Trials, kind: Kind, metric: str, confidence: float) -> Callable[[], ProfileDisplay]:
    return lambda: profile(performance_profile(part, kind, metric=metric, confidence=confidence, missing="fail"))


def _runs(part: Trials, terms: _Terms) -> Any:
    """The runs by method and task, failures counted by the rule; where rows share a unit, the table."""
    if part.clustered:
        return part.counted(terms.metric, terms.failures)
    return {m: {t: part.scores(m, t, terms.metric, terms.failures) for t in part.tasks} for m in part.algorithms}


def _notes(part: Trials, terms: _Terms, judged: Judgment, display: ProfileDisplay | None) -> list[str]:
    if display is None:
        return ["No profile: one run of each method on a task, and no bounds that declare one scale for all tasks (say bounds=)."]  # fmt: skip
    found, n = display.profile, len(display.profile.problems)
    notes = ["" if found.kind == "score" else "Problems are the tasks of this table.", _why(part, terms, found.kind)]
    if part.counted(terms.metric, terms.failures).failed(terms.metric).any():
        notes.append("In the profile a failed run counts as worse than every other.")
    if found.random == "problems" and _speaks_of_runs(judged):
        notes.append(
            "The verdict at the top speaks of other runs on these tasks, the profile of other tasks like these: the two questions "
            "may have different answers, and the second is the harder one."
        )
    if n < MANY_TASKS and found.random == "problems":
        notes.append(f"Few tasks: with {n} of them only large differences can be seen.")
    elif n < MANY_TASKS:
        notes.append(f"Few tasks: the profile speaks of these {n} alone; {MANY_TASKS} are wanted to speak of others.")
    return [note for note in notes if note]


def _why(part: Trials, terms: _Terms, kind: str) -> str:
    low, high = part.bounds[terms.metric]
    if kind == "score":
        return f"Scores of all tasks are taken as they are, since the bounds {low:g} and {high:g} declare one scale for them."
    if kind == "ratio":
        limits = [note.values["limit"] for note in part.notes if note.kind is NoteKind.AT_TIME_LIMIT]
        return "Every value is divided by the best one on its task, which takes 0 for no cost at all. " + (
            f"A run that reached the time limit of {min(limits):g} counts as failed."
            if limits
            else "No time limit is known here: a run that reached one counts with its time (--time-limit counts it as a failure)."
        )
    scale = "" if _share_a_scale(part, terms.metric) else " No bounds declare one scale for the scores of all tasks (say bounds=), so that there is no mean over tasks."  # fmt: skip
    return f"Only the order of runs within a task counts here, so that tasks need no common scale.{scale}"


def _speaks_of_runs(judged: Judgment) -> bool:
    """Whether the verdict holds the tasks fixed."""
    return judged.decided is not None and judged.question is not None and not judged.question.sampled


def profile_words(found: OverTasks) -> str:
    """A sentence for the methods section of a paper."""
    if found.display is None:
        return ""
    kind, tasks = found.display.profile.kind, plural(len(found.display.profile.problems), "task")
    if kind == "score":
        return f"Score profiles show the share of runs better than a score τ, averaged over {tasks}."
    what = {
        "ratio": "the cost of a method is at most τ times the least one",
        "improvement": "a run of the best method beats one of another method with probability of at most 1/2 + τ",
    }[kind]
    return f"Performance profiles show on which share of {tasks} {what}{found.display.profile.estimated}."
