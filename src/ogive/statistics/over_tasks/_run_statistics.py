"""Statistics of the runs of several tasks, by name, read off their resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ogive.arguments import FloatArray
from ogive.errors import InputError
from ogive.statistics._statistic import OVER_TASKS, Statistic
from ogive.statistics.over_tasks._resampling import Resamples, Runs

# Below it 1 - share has too few digits.
LEAST_SHARE = 1e-9
AGGREGATES = ("iqm", "mean", "median", "optimality_gap")


@dataclass(frozen=True, slots=True)
class RunStatistic:
    """A statistic by name: the mean of the outcomes from level `low` to level `high`, or another kind."""

    kind: Literal["part", "quantile", "median", "gap"]
    low: float = 0.0
    high: float = 1.0

    @property
    def levels(self) -> tuple[float, ...]:
        asked = (self.low,) if self.kind == "quantile" else (self.low, self.high)
        return tuple(level for level in asked if 0.0 < level < 1.0 and self.kind in ("part", "quantile"))

    @property
    def tail_share(self) -> float:
        """The share of outcomes that it rests on, where that is a tail; otherwise 1."""
        if self.kind == "quantile":
            return min(self.low, 1.0 - self.low)
        one_ended = (self.low == 0.0) != (self.high == 1.0)
        return self.high - self.low if one_ended else 1.0

    def draws(self, found: Resamples, gamma: float) -> FloatArray:
        """Its value in each resample; the last is the estimate."""
        if self.kind == "part":
            return found.part_mean(self.low, self.high)
        if self.kind == "quantile":
            return found.quantile(self.low)
        if self.kind == "median":
            return np.asarray(np.median(found.task_means, axis=1))
        return found.shortfall[:, int(np.searchsorted(found.thresholds, gamma))]

    def influence(self, runs: Runs, found: Resamples, gamma: float, *, random_tasks: bool) -> list[FloatArray]:
        """How much each unit (a run, or a task) moves the statistic, centered within its stratum, over its size."""
        if self.kind == "median" and random_tasks:
            means = found.task_means[-1]
            gaps = means - np.median(means)
            return [_centered(np.where(np.abs(gaps) <= _rounding(means), 0.0, np.sign(gaps)))]
        if self.kind == "median":
            shares = _middle_shares(found.task_means[-1])
            return [share * _centered(task) for share, task in zip(shares, runs.tasks, strict=True)]
        if self.kind == "quantile":
            moved = [-(task <= found.quantile(self.low)[-1]).astype(np.float64) for task in runs.tasks]
        elif self.kind == "gap":
            moved = [-np.minimum(task, gamma) for task in runs.tasks]
        else:
            floor = _middle_quantile(runs, self.low) if self.low > 0.0 else -math.inf
            ceiling = _middle_quantile(runs, self.high) if self.high < 1.0 else math.inf
            moved = [np.clip(task, floor, ceiling) / (self.high - self.low) for task in runs.tasks]
        if random_tasks:
            return [_centered(np.array([task.mean() for task in moved]))]
        return [_centered(task) / len(moved) for task in moved]


def run_statistic(name: str) -> RunStatistic:
    """The statistic of this name; refuses unknown names."""
    found = Statistic.parse(name, kinds=OVER_TASKS)
    if found.kind == "iqm":
        return RunStatistic("part", 0.25, 0.75)
    if found.kind == "mean":
        return RunStatistic("part")
    if found.kind == "optimality_gap":
        return RunStatistic("gap")
    if found.kind == "q":  # the median is that of the tasks' means, q0.5 that of the runs
        return RunStatistic("median") if name == "median" else RunStatistic("quantile", found.amount)
    if found.amount < LEAST_SHARE:
        raise InputError(f"`statistics` may name tails from a share of {LEAST_SHARE:g} on; got {name!r}.")
    return (
        RunStatistic("part", 0.0, found.amount)
        if found.kind == "lower"
        else RunStatistic("part", 1.0 - found.amount, 1.0)
    )


def aggregate_label(name: str) -> str:
    """The name of a statistic over tasks in words."""
    return Statistic.parse(name, kinds=OVER_TASKS).label


def _middle_shares(means: FloatArray) -> FloatArray:
    """The weight of each task in the median of their means; tasks with equal means share it."""
    ordered, n = np.sort(means), means.size
    shares = np.zeros(n)
    for middle in (ordered[(n - 1) // 2], ordered[n // 2]):
        equal = np.abs(means - middle) <= _rounding(means)
        shares[equal] += 0.5 / np.count_nonzero(equal)
    return shares


def _middle_quantile(runs: Runs, level: float) -> float:
    """The middle of all quantiles at a level, which negated scores share; there are several where F is flat at it."""
    mass = np.cumsum(runs.weights) / runs.ordered.size
    first, last = np.searchsorted(mass, [level - 1e-9, level + 1e-9])
    return float(runs.ordered[first] + runs.ordered[min(last, mass.size - 1)]) / 2.0


def _rounding(values: FloatArray) -> float:
    """By how much numbers differ that are equal but for the order in which they were summed."""
    return 64.0 * float(np.finfo(np.float64).eps) * float(np.abs(values).max())


def _centered(values: FloatArray) -> FloatArray:
    centered: FloatArray = (values - values.mean()) / values.size
    return centered
