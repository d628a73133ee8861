"""Who cannot be told apart from the best on each task: what a results table prints bold."""

from __future__ import annotations

from ogive.answers._comparison import refuse_undecidable
from ogive.answers._ranking import rank
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.trials import Trials


def leaders(
    trials: Trials, *, metric: str | None = None, confidence: float = 0.95, failures: str | float = "refuse"
) -> dict[str, tuple[str, ...]]:
    """For each task the methods whose mean is not certainly worse than the best mean.

    Notes
    -----
    The first tier of `rank` on each task. The best is known only after looking, so all pairs of a task
    are paid for, and the error is divided by their number on all tasks together.

    Examples
    --------
    >>> import ogive
    >>> leaders(ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row"))
    {'all': ('a', 'b')}
    """
    refuse_undecidable(trials, "leaders")
    on = {task: [c.algorithm for c in trials.cells if c.task == task] for task in trials.tasks}
    n_pairs = {task: len(methods) * (len(methods) - 1) // 2 for task, methods in on.items()}
    if not any(n_pairs.values()):
        raise InputError("a best method needs at least one other on the same task.")
    error = (1.0 - as_confidence(confidence)) / sum(n_pairs.values())
    found = {}
    for task, methods in on.items():
        if n_pairs[task] == 0:
            found[task] = tuple(methods)
            continue
        ranking = rank(trials, task=task, metric=metric, confidence=1.0 - error * n_pairs[task], failures=failures)
        first = {r.algorithm for r in ranking.rows if r.tier == 1}
        found[task] = tuple(m for m in methods if m in first)
    return found
