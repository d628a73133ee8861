"""Differences with intervals that hold for every distribution: betting, Hoeffding, exact tests, order statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ogive.errors import InputError
from ogive.notes import argument
from ogive.statistics import (
    Assumption,
    Differences,
    Interval,
    ListedDifferences,
    MixedDifferences,
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_difference,
    differences_between,
    guaranteed_improvement,
    win_shares,
)
from ogive.trials import FloatArray, IntArray

if TYPE_CHECKING:
    from ogive.answers.verdicts._samples import Samples


def guaranteed_differences(samples: Samples, first: IntArray, second: IntArray) -> Differences:
    """The differences of these pairs: betting, or order statistics."""
    kind, joined = samples.asked.kind, samples.joined[first, second]
    several = len(samples.runs) > 1
    exact = (joined >= 0) & (kind == "improvement") & (not several) | (kind == "q")
    parts = []
    if exact.any():
        at = np.flatnonzero(exact)
        parts.append((at, differences_between(samples.runs, first[at], second[at], joined[at], samples.asked)))
    if not exact.all():
        at = np.flatnonzero(~exact)
        parts.append((at, _one_by_one(samples, first[at], second[at])))
    return MixedDifferences.of(parts)


def _one_by_one(samples: Samples, first: IntArray, second: IntArray) -> Differences:
    kind, several = samples.asked.kind, len(samples.runs) > 1

    def make(i: int, confidence: float) -> Interval:
        a, b = int(first[i]), int(second[i])
        if not several:
            return _on_one_task(samples, a, b, confidence)
        return _over_tasks(samples, a, b, confidence)

    found = [make(i, 0.5) for i in range(first.size)]
    return ListedDifferences(
        estimate=np.array([f.estimate for f in found]), even=0.5 if kind == "improvement" else 0.0,
        n=np.array([f.n for f in found], dtype=np.intp), method=found[0].method, guarantees=tuple(f.guarantee for f in found),
        assumptions=found[0].assumptions, make=make, index=np.arange(first.size),
    )  # fmt: skip


def _bounds(samples: Samples) -> tuple[float, float]:
    """The bounds of the scores as they are held: turned, where smaller is better."""
    low, high = samples.bounds
    if low is None or high is None:
        way = argument("bounds", ("low", "high"))
        raise InputError(f"`guaranteed` needs both bounds of the score; declare {way} when reading.")
    return (low, high) if samples.sign > 0 else (-high, -low)


def _on_one_task(samples: Samples, a: int, b: int, confidence: float) -> Interval:
    runs, asked = samples.runs[0], samples.asked
    joined = samples.joined[a, b] >= 0
    x, y = runs.scores[a], runs.scores[b]
    if asked.kind == "improvement":
        return guaranteed_improvement(x, y, confidence=confidence)
    bounds = _bounds(samples)
    if asked.kind == "worst":
        return bounded_tail_mean_difference(x, y, mass=asked.amount, tail="lower", bounds=bounds, confidence=confidence)
    if joined:
        x, y = _pairs(samples, 0, a, b)
    return bounded_mean_difference(x, y, bounds, paired=bool(joined), confidence=confidence)


def _pairs(samples: Samples, place: int, a: int, b: int) -> tuple[FloatArray, FloatArray]:
    table = samples.runs[place].draws[0].scores
    both = ~np.isnan(table[a]) & ~np.isnan(table[b])
    return table[a, both], table[b, both]


def _over_tasks(samples: Samples, a: int, b: int, confidence: float) -> Interval:
    """The mean over tasks, of who won or of the difference.

    Tasks that are a sample give one bounded outcome each, and betting tells their mean. Of fixed tasks the runs
    are independent without being alike: Hoeffding's inequality (1963) bounds the sum of all of them, and that of
    the shares of wins, which average over ways to form as many pairs as the rarer method has runs.
    """
    improvement = samples.asked.kind == "improvement"
    span = 1.0 if improvement else _bounds(samples)[1] - _bounds(samples)[0]
    values, scales = zip(*(_on_task(samples, place, a, b, span) for place in range(len(samples.runs))), strict=True)
    n, estimate = len(values), float(np.mean(values))
    if samples.question.sampled:
        outcomes = np.array(values) if improvement else (np.array(values) / span + 1.0) / 2.0
        found = bounded_mean_interval(outcomes, (0.0, 1.0), confidence=confidence)
        low, high = (
            (found.low, found.high)
            if improvement
            else ((2.0 * found.low - 1.0) * span, (2.0 * found.high - 1.0) * span)
        )
        method, count = f"{found.method} on tasks", n
    else:
        half = math.sqrt(math.log(2.0 / (1.0 - confidence)) / 2.0 * sum(scales)) / n
        limit = (0.0, 1.0) if improvement else (-span, span)
        low, high = max(estimate - half, limit[0]), min(estimate + half, limit[1])
        method, count = "Hoeffding", int(samples.n_runs[a].sum() + samples.n_runs[b].sum())
    return Interval(
        estimate=min(max(estimate, low), high), low=low, high=high, confidence=confidence, method=method,
        guarantee="conservative", n=count, assumptions=(Assumption.BOUNDED,),
    )  # fmt: skip


def _on_task(samples: Samples, place: int, a: int, b: int, span: float) -> tuple[float, float]:
    """The estimate on one task, and the sum of the squared ranges of the terms that it is made of."""
    improvement = samples.asked.kind == "improvement"
    if samples.joined[a, b] >= 0:
        x, y = _pairs(samples, place, a, b)
        if improvement:
            return float(np.mean((x > y) + 0.5 * (x == y))), 1.0 / x.size
        return float(np.mean(x - y)), (2.0 * span) ** 2 / x.size
    x, y = samples.runs[place].scores[a], samples.runs[place].scores[b]
    if improvement:
        return float(win_shares((x, y))[0, 1]), 1.0 / min(x.size, y.size)
    return float(x.mean() - y.mean()), span**2 * (1.0 / x.size + 1.0 / y.size)
