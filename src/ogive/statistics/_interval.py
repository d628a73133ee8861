"""Intervals: the noun, order statistics, Clopper-Pearson, Student."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import (
    FloatArray,
    IntArray,
    Tail,
    as_clusters,
    as_confidence,
    as_mass,
    as_probability,
    as_scores,
    as_tail,
    as_threshold,
    as_whole,
)
from ogive.errors import InputError
from ogive.results import Guarantee, Strength, json_ready, strength_of
from ogive.statistics._assumptions import Assumption
from ogive.statistics._distribution import step_function

# The names under which comparisons know these.
INDEPENDENT, ONE_SCORE, SHORT_TAIL = Assumption.INDEPENDENT, Assumption.ONE_SCORE, Assumption.SHORT_TAIL
EQUAL_SCORES, EQUAL_TAIL = Assumption.EQUAL_SCORES, Assumption.EQUAL_TAIL
FEW_IN_TAIL = 10
# Scores that differ by less than this share of their size differ by how they were rounded.
ROUNDING = 8.0 * float(np.finfo(float).eps)
LARGE = 2.0**990


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A statistic with what can be said about it at a confidence."""

    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    guarantee: Guarantee
    n: int
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.estimate:.3g} [{self.low:.3g}, {self.high:.3g}]"

    def _repr_html_(self) -> str:
        return f"<code>{self}</code> {self.guarantee}, {self.method}, n = {self.n}"

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    def excludes(self, value: float) -> bool:
        """Whether `value` lies outside."""
        return not self.low <= value <= self.high

    def negated(self) -> Interval:
        """The interval of minus the statistic."""
        return Interval(**(asdict(self) | {"estimate": -self.estimate, "low": -self.high, "high": -self.low}))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; what is not finite becomes null, with the reason under `reasons`."""
        return json_ready(asdict(self))


def quantile_interval(
    scores: ArrayLike, p: float, *, confidence: float = 0.95, clusters: ArrayLike | None = None
) -> Interval:
    """The p-quantile, bounded by two order statistics.

    Notes
    -----
    Scores may be infinite, for failed runs that count as worse than all others. Conservative for
    every distribution and every n: the number of scores up to the quantile is
    binomial with probability at least p, the number below it with probability at most p. Each
    side errs with probability at most (1 - confidence) / 2; a side that no order statistic
    can guarantee is infinite. With clusters the Kolmogorov-Smirnov band of the clusters is read
    off at p, which is approximate.

    References
    ----------
    David and Nagaraja (2003), Order Statistics, section 7.1.

    Examples
    --------
    >>> print(quantile_interval(range(1, 101), 0.5))
    50.5 [40, 61]
    """
    values = as_scores(scores, ordered_only=True)
    confidence = as_confidence(confidence)
    if np.ndim(p) != 0:
        raise InputError(f"`p` must be one number; got {p!r}. Call it for each level, or take a band for all at once.")
    p = float(as_probability(p))
    codes = as_clusters(clusters, values.size)
    if codes is not None:
        from ogive.statistics._band import cluster_band

        return cluster_band(values, codes, confidence, "both").quantile(p)
    ordered, n = np.sort(values), values.size
    below, above = order_statistic_ranks(n, p, confidence)
    return Interval(
        estimate=middle_quantile(ordered, p),
        low=float(ordered[below - 1]) if below >= 1 else -math.inf,
        high=float(ordered[above - 1]) if above <= n else math.inf,
        confidence=confidence,
        method="order statistics",
        guarantee="conservative",
        n=n,
        assumptions=(Assumption.INDEPENDENT,),
    )


def middle_quantile(ordered: FloatArray, p: float) -> float:
    """The p-quantile of sorted scores; the mean of two neighbors where every value between them is one.

    So the median of an even number of scores is the one that everybody knows, and the quantile of losses
    is that of the gains with its sign changed.
    """
    n = ordered.size
    place = p * n
    whole = round(place)
    if abs(place - whole) <= 1e-9 * max(1.0, place) and 0 < whole < n:
        below, above = float(ordered[whole - 1]), float(ordered[whole])
        return below if below == above else below / 2.0 + above / 2.0
    return float(ordered[min(n - 1, max(0, math.ceil(place) - 1))])


@lru_cache(maxsize=4096)
def order_statistic_ranks(n: int, p: float, confidence: float) -> tuple[int, int]:
    """The largest l with P(Bin(n, p) < l) <= d/2 and the smallest u with P(Bin(n, p) >= u) <= d/2.

    l = 0 and u = n + 1 mean that the side does not exist.
    """
    from scipy.special import bdtr

    error = (1.0 - confidence) / 2.0
    low, high = 0, n + 1  # P(Bin < low) <= error holds, for high it does not
    while high - low > 1:
        middle = (low + high) // 2
        if bdtr(middle - 1, n, p) <= error:
            low = middle
        else:
            high = middle
    below = low
    low, high = 0, n + 1  # P(Bin >= high) <= error holds, for low it does not
    while high - low > 1:
        middle = (low + high) // 2
        # P(Bin(n, p) >= u) = P(Bin(n, 1-p) <= n - u): no cancellation in the upper tail
        if bdtr(n - middle, n, 1.0 - p) <= error:
            high = middle
        else:
            low = middle
    return below, high


def clopper_pearson(k: int, n: int, confidence: float) -> tuple[float, float]:
    """The exact equal-tailed interval of a binomial probability (Clopper and Pearson 1934).

    Examples
    --------
    >>> low, high = clopper_pearson(3, 4, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.194, 0.994)
    """
    confidence = as_confidence(confidence)
    n = as_whole(n, "n", at_least=1)
    k = as_whole(k, "k")
    if k > n:
        raise InputError(f"`k` counts successes among `n` draws and must lie in [0, {n}]; got {k}.")
    return binomial_limits(k, n, confidence)


def binomial_limits(k: int, n: int, confidence: float) -> tuple[float, float]:
    """`clopper_pearson` behind the door."""
    from scipy.special import betaincinv

    error = (1.0 - confidence) / 2.0
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, error))
    high = 1.0 if k == n else 1.0 - float(betaincinv(n - k, k + 1, error))
    return low, high


def exceedance(scores: ArrayLike, threshold: float, *, confidence: float = 0.95) -> Interval:
    """Probability that a score reaches `threshold`.

    Notes
    -----
    Conservative for every distribution and every n: the number of scores at or above the
    threshold is binomial, and the interval is Clopper and Pearson's (1934).

    Examples
    --------
    >>> print(exceedance([0.71, 0.80, 0.83, 0.91], threshold=0.8))
    0.75 [0.194, 0.994]
    """
    values = as_scores(scores)
    confidence, threshold = as_confidence(confidence), as_threshold(threshold)
    n, k = values.size, int(np.count_nonzero(values >= threshold))
    low, high = binomial_limits(k, n, confidence)
    return Interval(
        estimate=k / n, low=low, high=high, confidence=confidence, n=n,
        method="Clopper-Pearson", guarantee="conservative", assumptions=(Assumption.INDEPENDENT,),
    )  # fmt: skip


def mean_interval(
    scores: ArrayLike,
    *,
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    test_share: float | None = None,
) -> Interval:
    """The mean, with Student's interval.

    Parameters
    ----------
    clusters : array-like, optional
        Which scores belong together: the interval is that of the clusters' means.
    test_share : float, optional
        n_test / n_train of a cross-validation whose folds the scores are. The variance is then
        (1/J + n_test/n_train) s², since folds share training data.

    Notes
    -----
    Approximate: exact for normal scores, and close for n above 30 unless the scores are very
    skewed (simulated coverage: docs/reference/coverage.md). For bounded scores
    `band(...).mean(bounds)` holds for every distribution. With `test_share` heuristic.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error.

    Examples
    --------
    >>> print(mean_interval([0.71, 0.80, 0.83, 0.91]))
    0.812 [0.681, 0.944]
    """
    values, unit = _summable(as_scores(scores))
    confidence = as_confidence(confidence)
    codes = as_clusters(clusters, values.size)
    if codes is not None:
        values = np.bincount(codes, weights=values) / np.bincount(codes)
    n = values.size
    if test_share is not None and not 0.0 < test_share < math.inf:
        raise InputError(f"`test_share` is n_test / n_train and must be positive; got {test_share:g}.")
    correction = 1.0 / n + (test_share or 0.0)
    found = student_interval(
        float(values.mean()),
        values,
        math.sqrt(correction),
        df=n - 1,
        confidence=confidence,
        method="Student's t" if test_share is None else "corrected resampled t",
        guarantee="approximate" if test_share is None else "heuristic",
        assumptions=(Assumption.INDEPENDENT,) if test_share is None else (Assumption.FOLDS,),
        n=n,
    )
    return _times(found, unit)


def tail_mean_interval(
    scores: ArrayLike, *, mass: float, tail: str, confidence: float = 0.95, clusters: ArrayLike | None = None
) -> Interval:
    """The mean of the share `mass` of outcomes at one end, with a Student-type interval.

    Notes
    -----
    Approximate. For the lower tail the mean is q - E[(q - Z)+] / mass at the quantile q, and
    q's own error does not matter to first order (Rockafellar and Uryasev 2000): the interval is
    that of the mean of q - (q - z)+ / mass, with as many degrees of freedom as scores lie in
    the tail, less one. The mean of the lowest share is never above the quantile at `mass`, so the
    upper end stops at the order statistic that bounds this quantile with the same error, for every
    distribution; the upper tail is the mirror image. Rows in clusters have no such order statistic.
    Its simulated coverage is in docs/reference/coverage.md. With fewer than ten scores in the tail
    it covers about 0.88 instead of 0.95 and is called heuristic. `band(...).cvar(...)` holds for
    every bounded distribution.

    Examples
    --------
    >>> print(tail_mean_interval(range(1, 101), mass=0.1, tail="lower"))
    5.5 [1.8, 9.2]
    """
    values, unit = _summable(as_scores(scores))
    confidence, mass, end = as_confidence(confidence), as_mass(mass), as_tail(tail)
    codes = as_clusters(clusters, values.size)
    found = student_tail_interval(values, mass, end, confidence, codes)
    # Rounding puts the mean of equal scores beyond them, hence the estimate.
    if codes is None and end == "upper":
        low = min(found.estimate, -_quantile_limit(-values, mass, confidence))
        found = replace(found, low=max(found.low, low))
    elif codes is None:
        high = max(found.estimate, _quantile_limit(values, mass, confidence))
        found = replace(found, high=min(found.high, high))
    return _times(found, unit)


def _summable(values: FloatArray) -> tuple[FloatArray, float]:
    """Scores over a power of two, and that power: 1 unless their sum could overflow."""
    unit = 1.0 if float(np.abs(values).max()) < LARGE else 2.0**100
    return values / unit, unit


def _times(found: Interval, unit: float) -> Interval:
    """The interval of the statistic in the scores' own unit."""
    if unit == 1.0:
        return found
    return replace(found, estimate=found.estimate * unit, low=found.low * unit, high=found.high * unit)


def student_tail_interval(
    values: FloatArray, mass: float, tail: Tail, confidence: float, codes: IntArray | None
) -> Interval:
    """`tail_mean_interval` behind the door, with both ends as far as Student's t puts them."""
    if tail == "upper":
        return student_tail_interval(-values, mass, "lower", confidence, codes).negated()
    reduced = tail_influence(values, mass, "lower", codes)
    if codes is not None:
        reduced = np.bincount(codes, weights=reduced) / np.bincount(codes)
    n = reduced.size
    in_tail = tail_count(n, mass)
    if in_tail < 2:
        reduced = reduced[:1]  # one score says nothing about the tail's spread
    return student_interval(
        step_function(values, codes).cvar(mass=mass, tail="lower"),
        reduced,
        math.sqrt(1.0 / n),
        df=min(n - 1, in_tail - 1),
        confidence=confidence,
        method="tail t",
        guarantee="approximate" if in_tail >= FEW_IN_TAIL else "heuristic",
        assumptions=(Assumption.INDEPENDENT,)
        if in_tail >= FEW_IN_TAIL
        else (Assumption.INDEPENDENT, Assumption.SHORT_TAIL),
        n=n,
        flat=Assumption.EQUAL_SCORES if np.ptp(values) == 0.0 else Assumption.EQUAL_TAIL,
    )


def _quantile_limit(values: FloatArray, p: float, confidence: float) -> float:
    """The upper end of `quantile_interval`."""
    _, above = order_statistic_ranks(values.size, p, confidence)
    return float(np.partition(values, above - 1)[above - 1]) if above <= values.size else math.inf


def tail_count(n: int, mass: float) -> int:
    """How many of n scores the share `mass` at one end holds, a part of one counting as one."""
    return math.ceil(n * mass - 1e-9)


def tail_influence(values: FloatArray, mass: float, tail: Tail, codes: IntArray | None = None) -> FloatArray:
    """Terms whose mean is the tail's mean to first order: q - (q - z)+ / mass for the lower tail."""
    if tail == "upper":
        return -tail_influence(-values, mass, "lower", codes)
    q = step_function(values, codes).quantile(mass)
    below = np.maximum(q - values, 0.0)
    below[below <= ROUNDING * np.maximum(abs(q), np.abs(values))] = (
        0.0  # else divided by the mass it would pass for spread
    )
    return np.asarray(q - below / mass)


def spread(values: FloatArray) -> float:
    """The standard deviation; 0 where values differ by no more than rounding."""
    largest = float(np.abs(values).max())
    if values.size < 2 or largest == 0.0:
        return 0.0
    relative = values / largest  # squares of tiny scores would vanish, those of huge ones overflow
    return largest * float(relative.std(ddof=1)) if np.ptp(relative) > ROUNDING else 0.0


def student_interval(
    estimate: float, values: FloatArray, scale: float, *,
    df: int, confidence: float, method: str, guarantee: Guarantee, assumptions: tuple[str, ...], n: int, flat: str = Assumption.EQUAL_SCORES,
) -> Interval:  # fmt: skip
    """estimate ± t · sd · scale; infinite where the values show no spread to go by."""
    deviation = spread(values)
    if deviation == 0.0:
        half = math.inf
        assumptions = (*assumptions, Assumption.ONE_SCORE if values.size == 1 else flat)
    else:
        from scipy.special import stdtrit

        half = float(stdtrit(df, 0.5 + confidence / 2.0)) * deviation * scale
    return Interval(
        estimate=estimate, low=estimate - half, high=estimate + half, confidence=confidence, n=n,
        method=method, guarantee=guarantee, assumptions=assumptions,
    )  # fmt: skip
