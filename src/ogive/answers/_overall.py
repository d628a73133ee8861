"""Evidence across tasks: what many tasks with few runs each can say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ogive.answers._verdict import Conclusion, rule
from ogive.errors import InputError
from ogive.statistics import Interval, clopper_pearson, improvement_over_tasks
from ogive.statistics._comparison import win_share
from ogive.trials import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """Two methods over several tasks.

    Attributes
    ----------
    wins, ties, losses : int
        Tasks on which the mean of A is better, equal or worse (the share of duels that it wins, where
        failures have no value).
    sign : Interval
        The share of tasks like these on which A has the better mean (tasks random).
    improvement : Interval or None
        The probability that a fresh run of A beats one of B, averaged over these tasks (tasks
        fixed); None where some method has a single run on a task.
    n_runs : (int, int)
        The fewest and the most runs of a method on a task.
    """

    n_tasks: int
    wins: int
    ties: int
    losses: int
    sign: Interval
    improvement: Interval | None
    average_improvement: float
    n_runs: tuple[int, int]

    @property
    def primary(self) -> Interval:
        """What the conclusion reads: `improvement`, or `sign` where single runs leave nothing else."""
        return self.sign if self.improvement is None else self.improvement

    @property
    def conclusion(self) -> Conclusion:
        """Of A, over all tasks together."""
        return rule(self.primary.low - 0.5, self.primary.high - 0.5).conclusion

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "n_tasks": self.n_tasks, "wins": self.wins, "ties": self.ties, "losses": self.losses,
            "sign": self.sign.to_dict(), "improvement": None if self.improvement is None else self.improvement.to_dict(),
            "average_improvement": self.average_improvement,
        }  # fmt: skip


def across_tasks(
    duels: Sequence[tuple[FloatArray, FloatArray]], tasks: Sequence[str], confidence: float, *, by_task: bool = False,
    order_only: bool = False,
) -> Overall:  # fmt: skip
    """Wins over tasks with an interval for tasks like these, and the average improvement on these tasks.

    `by_task` leaves the improvement out: folds are no independent runs, and one ranking has one
    statistic. `order_only` counts a task as won by duels instead of means.
    """
    if len(duels) != len(tasks):
        raise InputError("one duel for each task is needed.")
    gaps = np.array([win_share(a, b) - 0.5 if order_only else float(a.mean() - b.mean()) for a, b in duels])
    wins, ties, losses = int(np.sum(gaps > 0)), int(np.sum(gaps == 0)), int(np.sum(gaps < 0))
    total, n = wins + ties / 2.0, len(duels)
    low, high = (
        clopper_pearson(int(np.floor(total)), n, confidence)[0],
        clopper_pearson(int(np.ceil(total)), n, confidence)[1],
    )
    sign = Interval(
        estimate=total / n, low=low, high=high, confidence=confidence, n=n, method="Clopper-Pearson",
        guarantee="conservative", assumptions=("tasks are a random sample",),
    )  # fmt: skip
    sizes = [scores.size for duel in duels for scores in duel]
    improvement = None
    if min(sizes) > 1 and not by_task:
        improvement = improvement_over_tasks([a for a, _ in duels], [b for _, b in duels], confidence=confidence)
    return Overall(
        n_tasks=n, wins=wins, ties=ties, losses=losses, sign=sign, improvement=improvement,
        average_improvement=float(np.mean([win_share(a, b) for a, b in duels])),
        n_runs=(min(sizes), max(sizes)),
    )  # fmt: skip
