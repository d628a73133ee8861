"""Who cannot be told apart from the best on each task: what a results table prints bold."""

from __future__ import annotations

from ogive.answers._comparison import refuse_undecidable
from ogive.answers._joining import join, require_values
from ogive.errors import InputError
from ogive.statistics import mean_difference
from ogive.statistics._arguments import as_confidence
from ogive.trials import Trials


def leaders(
    trials: Trials, *, metric: str | None = None, confidence: float = 0.95, failures: str | float = "refuse"
) -> dict[str, tuple[str, ...]]:
    """For each task the methods whose mean is not certainly worse than the best mean.

    Notes
    -----
    The best mean of a task is compared with every other one by the difference of means, paired where
    the table is; the error is divided by the number of these comparisons on all tasks together.

    Examples
    --------
    >>> import ogive
    >>> leaders(ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row"))
    {'all': ('a', 'b')}
    """
    refuse_undecidable(trials, "leaders")
    name = trials.metric_name(metric)
    on = {task: [c.algorithm for c in trials.cells if c.task == task] for task in trials.tasks}
    family = sum(len(methods) - 1 for methods in on.values())
    if family < 1:
        raise InputError("a best method needs at least one other on the same task.")
    level = 1.0 - (1.0 - as_confidence(confidence)) / family
    sign = 1.0 if trials.goals[name] == "maximize" else -1.0
    found = {}
    for task, methods in on.items():
        means = {m: sign * float(trials.scores(m, task, name, failures).mean()) for m in methods}
        best = max(methods, key=lambda m: means[m])
        found[task] = tuple(m for m in methods if m == best or not _worse(trials, best, m, task, name, failures, level))
    return found


def _worse(trials: Trials, best: str, other: str, task: str, metric: str, failures: str | float, level: float) -> bool:
    duel = join(trials, best, other, task, metric, failures)
    require_values(duel, "mean")
    clusters = duel.clusters if duel.paired else None
    return mean_difference(duel.a, duel.b, paired=duel.paired, confidence=level, clusters=clusters).low > 0.0
