"""Differences with intervals that hold for every distribution within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ogive.errors import InputError
from ogive.seeding import stream
from ogive.statistics import (
    Differences,
    Interval,
    ListedDifferences,
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_difference,
    differences_between,
    guaranteed_improvement,
    win_shares,
)
from ogive.trials import FloatArray, IntArray

if TYPE_CHECKING:
    from ogive.answers._samples import Samples


def guaranteed_differences(samples: Samples, first: IntArray, second: IntArray) -> Differences:
    """The differences of these pairs: betting, or order statistics."""
    kind, joined = samples.asked.kind, samples.joined[first, second]
    several = len(samples.runs) > 1
    if kind == "q" or (kind == "improvement" and not several and bool((joined >= 0).all())):
        return differences_between(samples.runs, first, second, joined, samples.asked)

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
        raise InputError("`guaranteed` needs both bounds of the score; declare bounds=(low, high) when reading.")
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
    """The mean over tasks of outcomes in [0, 1].

    Tasks that are a sample give one outcome each. Fixed ones are put together round by round: one run from
    every task makes one round, and the means of rounds are independent, with the mean over tasks as theirs.
    """
    improvement = samples.asked.kind == "improvement"
    span = 1.0 if improvement else _bounds(samples)[1] - _bounds(samples)[0]
    outcomes = [_outcomes(samples, place, a, b, span) for place in range(len(samples.runs))]
    if samples.question.sampled:
        rounds = np.array([float(o.mean()) for o in outcomes])
    else:
        n = min(o.size for o in outcomes)
        rounds = np.mean([o[:n] for o in outcomes], axis=0)
    found = bounded_mean_interval(rounds, (0.0, 1.0), confidence=confidence)
    estimate = float(np.mean([o.mean() for o in outcomes]))
    if improvement:
        return _moved(found, estimate, 0.0, 1.0)
    return _moved(found, (2.0 * estimate - 1.0) * span, -span, 2.0 * span)


def _moved(found: Interval, estimate: float, start: float, unit: float) -> Interval:
    low, high = start + unit * found.low, start + unit * found.high
    return Interval(
        estimate=min(max(estimate, low), high), low=low, high=high, confidence=found.confidence, method=f"{found.method}, round by round",
        guarantee=found.guarantee, n=found.n, assumptions=found.assumptions,
    )  # fmt: skip


def _outcomes(samples: Samples, place: int, a: int, b: int, span: float) -> FloatArray:
    """For each pair on a task who won (0, 1/2, 1), or the difference brought to [0, 1]; in an order fixed by the task."""
    task, improvement = samples.question.tasks[place], samples.asked.kind == "improvement"
    rng = stream(0, "resample", task, "rounds")
    if samples.joined[a, b] >= 0:
        x, y = _pairs(samples, place, a, b)
        gaps = np.sort((x > y) + 0.5 * (x == y) if improvement else x - y)
        gaps = gaps[rng.permutation(gaps.size)]
    else:
        x, y = samples.runs[place].scores[a], samples.runs[place].scores[b]
        if samples.question.sampled:
            gaps = np.array([win_shares((x, y))[0, 1] if improvement else float(x.mean() - y.mean())])
        else:
            n = min(x.size, y.size)
            x, y = x[rng.permutation(x.size)[:n]], y[rng.permutation(y.size)[:n]]
            gaps = (x > y) + 0.5 * (x == y) if improvement else x - y
    return np.asarray(gaps if improvement else (gaps / span + 1.0) / 2.0)
