"""Intervals of many samples of one size at once: the same numbers as one by one, bit for bit.

A table of 500 methods on 200 tasks asks for 600,000 intervals, most of them of three runs. One by one
they took 50 s, nearly all of it in calls of numpy on three numbers. Rows are summed along their own,
contiguous axis, in the order in which numpy sums a single one, so that nothing changes by rounding
(`tests/statistics/test_many.py` compares them with `==`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ogive.arguments import FloatArray, Tail
from ogive.results import Guarantee
from ogive.statistics._assumptions import Assumption
from ogive.statistics._distribution import slack, step_function
from ogive.statistics._interval import (
    FEW_IN_TAIL,
    LARGE,
    ROUNDING,
    Interval,
    order_statistic_ranks,
    tail_count,
)


def can_sum(samples: FloatArray) -> np.ndarray:
    """For each sample whether its mean and tails may be taken here: finite scores whose sum cannot overflow."""
    return np.asarray(np.all(np.abs(samples) < LARGE, axis=1))


def quantile_intervals(samples: FloatArray, p: float, confidence: float) -> list[Interval]:
    """`quantile_interval` of each row."""
    ordered, n = np.sort(samples, axis=1), samples.shape[1]
    below, above = order_statistic_ranks(n, p, confidence)
    unlimited = np.full(len(samples), math.inf)
    return _intervals(
        _middle_quantiles(ordered, p),
        ordered[:, below - 1] if below >= 1 else -unlimited,
        ordered[:, above - 1] if above <= n else unlimited,
        confidence, n, "order statistics", "conservative", [(Assumption.INDEPENDENT,)] * len(samples),
    )  # fmt: skip


def _middle_quantiles(ordered: FloatArray, p: float) -> FloatArray:
    """`middle_quantile` of each row."""
    n = ordered.shape[1]
    place = p * n
    whole = round(place)
    if abs(place - whole) <= 1e-9 * max(1.0, place) and 0 < whole < n:
        below, above = ordered[:, whole - 1], ordered[:, whole]
        with np.errstate(invalid="ignore"):  # an infinite pair is equal, and its middle is not looked at
            return np.where(below == above, below, below / 2.0 + above / 2.0)
    return ordered[:, min(n - 1, max(0, math.ceil(place) - 1))]


def mean_intervals(samples: FloatArray, confidence: float) -> list[Interval]:
    """`mean_interval` of each row."""
    n = samples.shape[1]
    estimate = samples.mean(axis=1)
    half = _half_widths(samples, math.sqrt(1.0 / n), n - 1, confidence)
    flat = Assumption.ONE_SCORE if n == 1 else Assumption.EQUAL_SCORES
    certain = (Assumption.INDEPENDENT,)
    assumptions = [(*certain, flat) if unlimited else certain for unlimited in np.isinf(half).tolist()]
    return _intervals(
        estimate, estimate - half, estimate + half, confidence, n, "Student's t", "approximate", assumptions
    )


def tail_mean_intervals(samples: FloatArray, mass: float, tail: Tail, confidence: float) -> list[Interval]:
    """`tail_mean_interval` of each row."""
    sign = -1.0 if tail == "upper" else 1.0
    values = -samples if tail == "upper" else samples
    ordered, n = np.sort(values, axis=1), values.shape[1]
    in_tail = tail_count(n, mass)
    estimate = _lower_means(ordered, mass)
    if in_tail < 2:  # one score says nothing about the tail's spread
        half = np.full(len(values), math.inf)
    else:
        half = _half_widths(_influences(values, ordered, mass), math.sqrt(1.0 / n), min(n - 1, in_tail - 1), confidence)
    _, above = order_statistic_ranks(n, mass, confidence)
    limit = ordered[:, above - 1] if above <= n else np.full(len(values), math.inf)
    low, high = estimate - half, np.minimum(estimate + half, np.maximum(estimate, limit))
    assumed: tuple[str, ...] = (Assumption.INDEPENDENT,)
    assumed += () if in_tail >= FEW_IN_TAIL else (Assumption.SHORT_TAIL,)
    equal = (ordered[:, -1] - ordered[:, 0] == 0.0).tolist()
    assumptions = [
        assumed if not unlimited
        else (*assumed, Assumption.ONE_SCORE if in_tail < 2 else Assumption.EQUAL_SCORES if flat else Assumption.EQUAL_TAIL)
        for unlimited, flat in zip(np.isinf(half).tolist(), equal, strict=True)
    ]  # fmt: skip
    sides = (low, high) if tail == "lower" else (-high, -low)
    guarantee: Guarantee = "approximate" if in_tail >= FEW_IN_TAIL else "heuristic"
    return _intervals(sign * estimate, *sides, confidence, n, "tail t", guarantee, assumptions)


def _lower_means(ordered: FloatArray, mass: float) -> FloatArray:
    """The mean of the share `mass` of the smallest scores of each sorted row."""
    n = ordered.shape[1]
    shares = np.diff(np.minimum(np.arange(1.0, n + 1.0) / n, mass), prepend=0.0)
    used = int(np.count_nonzero(shares > 0.0))
    weights = shares[:used] / mass
    # Equal scores are one outcome with a larger weight, and the sum is rounded in another way.
    tied = np.any(ordered[:, 1 : used + 1] == ordered[:, :used][:, : n - 1], axis=1)
    return np.array(
        [
            step_function(row).cvar(mass=mass, tail="lower") if has_ties else float(np.dot(row[:used], weights))
            for row, has_ties in zip(ordered, tied.tolist(), strict=True)
        ]
    )


def _influences(values: FloatArray, ordered: FloatArray, mass: float) -> FloatArray:
    """`tail_influence` of each row, for the lower tail."""
    n = ordered.shape[1]
    level = np.asarray(mass)
    place = int(np.searchsorted(np.arange(1.0, n + 1.0) / n, level - slack(level), side="left"))
    q = ordered[:, min(place, n - 1)][:, None]  # ties change the place, not the score that stands there
    below = np.maximum(q - values, 0.0)
    below[below <= ROUNDING * np.maximum(np.abs(q), np.abs(values))] = 0.0
    return np.asarray(q - below / mass)


def _half_widths(values: FloatArray, scale: float, df: int, confidence: float) -> FloatArray:
    """t · sd · scale of each row; infinite where its values show no spread to go by."""
    from scipy.special import stdtrit

    if values.shape[1] < 2:
        return np.full(len(values), math.inf)
    largest = np.abs(values).max(axis=1)
    relative = values / np.where(largest == 0.0, 1.0, largest)[:, None]
    spread = np.where(np.ptp(relative, axis=1) > ROUNDING, largest * relative.std(axis=1, ddof=1), 0.0)
    half = float(stdtrit(df, 0.5 + confidence / 2.0)) * spread * scale
    return np.where(spread == 0.0, math.inf, half)


def _intervals(
    estimate: FloatArray, low: FloatArray, high: FloatArray, confidence: float, n: int, method: str, guarantee: Guarantee,
    assumptions: Sequence[tuple[str, ...]],
) -> list[Interval]:  # fmt: skip
    return [
        Interval(
            estimate=e, low=a, high=b, confidence=confidence, method=method, guarantee=guarantee, n=n, assumptions=said
        )
        for e, a, b, said in zip(estimate.tolist(), low.tolist(), high.tolist(), assumptions, strict=True)
    ]
