"""Who cannot be told apart from the best on each task: what a results table prints bold."""

from __future__ import annotations

import numpy as np

from ogive.answers.verdicts._comparison import decide_all
from ogive.answers.verdicts._question import Question, refuse_undecidable
from ogive.answers.verdicts._samples import all_pairs, gather
from ogive.errors import InputError
from ogive.reading import Source, as_trials
from ogive.statistics import tiers
from ogive.trials import Trials


def leaders(
    trials: Source, *, metric: str | None = None, criterion: str | None = None, over: str | None = None,
    guaranteed: bool = False, confidence: float = 0.95, failures: str | float = "refuse", paired: bool | None = None,
) -> dict[str, tuple[str, ...]]:  # fmt: skip
    """For each task the methods that no other is certainly better than, by the question's criterion.

    Notes
    -----
    The best is known only after looking, so all pairs on all tasks are decided together, as `compare` decides
    tasks and `rank` pairs. Methods that beat each other in a circle lead together, as in the first tier of
    `rank`. With failures="exclude" a method whose every run on a task failed does not lead there. `over` is
    accepted for the sake of one question and changes nothing here.

    Examples
    --------
    >>> import ogive
    >>> table = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> leaders(table, criterion="mean")
    {'all': ('a', 'b')}
    """
    trials = as_trials(trials)
    refuse_undecidable(trials)
    question = Question.of(
        trials, metric=metric, criterion=criterion, failures=failures, confidence=confidence, over=over, paired=paired,
        guaranteed=guaranteed, one_by_one=True,
    )  # fmt: skip
    on = {task: _usable(trials, question, task) for task in trials.tasks}
    several = [task for task, methods in on.items() if len(methods) > 1]
    if not several:
        raise InputError("a best method needs at least one other on the same task.")
    samples = {task: gather(trials, on[task], question.on(task)) for task in several}
    parts = [s.differences(*all_pairs(len(s.methods))) for s in samples.values()]
    decided, start, even = decide_all(parts, question), 0, question.criterion.even
    for task, s in samples.items():
        first, second = all_pairs(len(s.methods))
        low, high, _ = np.array(decided[start : start + first.size]).T
        start += first.size
        better = np.zeros((len(s.methods), len(s.methods)), dtype=bool)
        better[first, second], better[second, first] = low > even, high < even
        leading = {s.methods[m] for m in np.flatnonzero(tiers(better)[0] == 1)}
        on[task] = [m for m in on[task] if m in leading]
    return {task: tuple(methods) for task, methods in on.items()}


def _usable(trials: Trials, question: Question, task: str) -> list[str]:
    """The methods that ran on a task, and did not fail throughout where failures are left out."""
    failed = trials.failed(question.metric)
    rows = {m: trials.cell(m, task).rows for m in trials.algorithms}
    return [m for m, r in rows.items() if r.size and not (question.failures == "exclude" and failed[r].all())]
