"""Intervals: the noun, what it takes for granted, order statistics, Clopper-Pearson, Student; of many samples at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
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
from ogive.statistics._distribution import slack, step_function


class Assumption(StrEnum):
    """A fact about an interval. Programs compare members; people read the value.

    Examples
    --------
    >>> print(Assumption.ONE_SCORE)
    one score says nothing about spread
    """

    # What is drawn
    INDEPENDENT = "independent scores"
    INDEPENDENT_RUNS = "independent runs"
    PAIRS = "independent pairs"
    CLUSTERED = "independent clusters, each weighing the same"
    FIXED_TASKS = "these tasks, held fixed"
    RANDOM_TASKS = "tasks drawn at random from a larger set"
    RANDOM_PROBLEMS = "problems are a random sample"
    FOLDS = "folds share training data"

    # What scores are like
    BOUNDED = "scores lie within the bounds"
    RIGHT_OR_WRONG = "every score is 0 or 1"
    NORMAL = "normal effects"
    EQUAL_WITHIN = "equal spread within draws, which these do not have"
    FEW_DRAWS = "no rare draws unlike the ones that were seen"
    EQUAL_SPREADS = "the two methods spread alike (a spread of 5:1 takes about a quarter more trials)"
    EQUAL_GROUPS = "groups of about equal size"
    NO_TIES = "no ties"
    CONTINUOUS = "continuous scores: each tie counts as a step of its own, which the uniform null does not have"
    FAILED_ANYWHERE = "failed runs could have had any score"
    FAILED_BELOW = "failed runs lie below every score"
    FAILED_ABOVE = "failed runs lie above every score"

    # Why an interval may be too short, or means less than it seems
    SHORT_TAIL = "few scores in the tail: the interval may be too short"
    SCARCE_TAIL = "few scores: a rare collapse need not have shown"
    FEW_RUNS = "few runs on a task: the interval is too short"
    FEW_IN_ALL = "fewer than 100 runs on all tasks together: too short where some runs collapse"
    FEW_OVER_STEPS = "fewer than 250 runs for the IQM, 1,000 for others, on all tasks together: too short at steps where some runs collapse"
    UNTRIED = "how often limits of this statistic hold over many steps was not simulated"
    SHARED_SCORE = "a fifth of the runs or more, three at least, have the same score at a step: too short there"
    FEW_FOR_MEDIAN = "the median of fewer than 10 tasks rests on one or two of them: too short where some runs collapse"
    FEW_UNITS = "few units to draw from: the interval is too short"
    FEW_RESAMPLES = "a handful of resamples at most lie beyond each end: another stream gives other ends"
    POINTWISE = "at each threshold alone, not for all at once"
    LONG_SHAPIRO = "the p-value's formula was fitted to smaller samples"
    EXTRAPOLATES = "more draws than were made: the estimate extrapolates"
    LESS_THAN_CHANCE = (
        "cluster means differ less than chance alone would make them: the upper end is that of equal mean squares"
    )

    # Why there is no limit
    ONE_SCORE = "one score says nothing about spread"
    EQUAL_SCORES = "all scores are equal: without bounds nothing can be said about rare other values"
    EQUAL_TAIL = "the tail holds one value only: nothing can be said about its spread"
    EQUAL_PAIRS = "all pairs differ by the same amount: nothing can be said about rare other differences"
    EQUAL_MIDDLE = "the middle half holds one value only: nothing can be said about its spread"
    EQUAL_TASKS = "the tasks' differences show no spread: nothing can be said about other tasks"
    FLAT_RESAMPLES = "no resample shows another value: nothing can be said about its spread"
    NO_SPREAD = "no resample differs from the sample: nothing can be said about rare other values"
    NO_VIOLATION_SEEN = "no resample differs from the sample: the bound says nothing about rare scores"
    NO_LIMITS = "the runs set no limits to it"
    UNDEFINED = "infinite scores at both quantiles: nothing can be said about their difference"
    MEAN_OF_FOLDS = "folds share training data: there is a correction for the mean alone"
    NEEDS_BOUNDS = "no limit holds for every distribution without bounds"

    def __repr__(self) -> str:
        return repr(self.value)

    @property
    def says_why(self) -> bool:
        """Whether it says why runs that are there set no limits."""
        return self.is_silent or self is Assumption.MEAN_OF_FOLDS

    @property
    def is_silent(self) -> bool:
        """Whether scores are equal in one way or another, and the sample tells nothing of their spread."""
        return self in (
            Assumption.EQUAL_SCORES, Assumption.EQUAL_TAIL, Assumption.EQUAL_PAIRS, Assumption.EQUAL_MIDDLE, Assumption.EQUAL_TASKS, Assumption.FLAT_RESAMPLES, Assumption.NO_SPREAD,
        )  # fmt: skip


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
    return quantile_intervals(values[None, :], p, confidence)[0]


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

    def largest(p: float) -> int:
        """The largest l with P(Bin(n, p) < l) <= error."""
        low, high = 0, n + 1  # it holds for low, for high it does not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if bdtr(middle - 1, n, p) <= error else (low, middle)
        return low

    # P(Bin(n, p) >= u) = P(Bin(n, 1-p) <= n - u): no cancellation in the upper tail
    return largest(p), n + 1 - largest(1.0 - p)


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
    found = student_interval(
        float(values.mean()), values, math.sqrt(1.0 / n + (test_share or 0.0)), df=n - 1, confidence=confidence, n=n,
        method="Student's t" if test_share is None else "corrected resampled t",
        guarantee="approximate" if test_share is None else "heuristic",
        assumptions=(Assumption.INDEPENDENT,) if test_share is None else (Assumption.FOLDS,),
    )  # fmt: skip
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
    if codes is None:
        return _times(tail_mean_intervals(values[None, :], mass, end, confidence)[0], unit)
    return _times(student_tail_interval(values, mass, end, confidence, codes), unit)


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
    few = in_tail < FEW_IN_TAIL
    return student_interval(
        step_function(values, codes).cvar(mass=mass, tail="lower"), reduced, math.sqrt(1.0 / n),
        df=min(n - 1, in_tail - 1), confidence=confidence, method="tail t", n=n,
        guarantee="heuristic" if few else "approximate",
        assumptions=(Assumption.INDEPENDENT, Assumption.SHORT_TAIL) if few else (Assumption.INDEPENDENT,),
        flat=Assumption.EQUAL_SCORES if np.ptp(values) == 0.0 else Assumption.EQUAL_TAIL,
    )  # fmt: skip


def tail_count(n: int, mass: float) -> int:
    """How many of n scores the share `mass` at one end holds, a part of one counting as one."""
    return math.ceil(n * mass - 1e-9)


def tail_influence(values: FloatArray, mass: float, tail: Tail, codes: IntArray | None = None) -> FloatArray:
    """Terms whose mean is the tail's mean to first order: q - (q - z)+ / mass for the lower tail."""
    if tail == "upper":
        return -tail_influence(-values, mass, "lower", codes)
    return _tail_terms(values, step_function(values, codes).quantile(mass), mass)


def _tail_terms(values: FloatArray, q: float | FloatArray, mass: float) -> FloatArray:
    below = np.maximum(q - values, 0.0)
    rounded = below <= ROUNDING * np.maximum(np.abs(q), np.abs(values))
    below[rounded] = 0.0  # else divided by the mass it would pass for spread
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


# ---------------------------------------------------------------- many samples of one size at once
#
# A table of 500 methods on 200 tasks asks for 600,000 intervals, most of them of three runs. One by one
# they took 50 s, nearly all of it in calls of numpy on three numbers. Rows are summed along their own,
# contiguous axis, in the order in which numpy sums a single one, so that nothing changes by rounding
# (`tests/statistics/test_interval.py` compares them with `==`).


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
        level = np.asarray(mass)
        place = int(np.searchsorted(np.arange(1.0, n + 1.0) / n, level - slack(level), side="left"))
        q = ordered[:, min(place, n - 1)][:, None]  # ties change the place, not the score that stands there
        terms = _tail_terms(values, q, mass)
        half = _half_widths(terms, math.sqrt(1.0 / n), min(n - 1, in_tail - 1), confidence)
    _, above = order_statistic_ranks(n, mass, confidence)
    limit = ordered[:, above - 1] if above <= n else np.full(len(values), math.inf)
    # Rounding puts the mean of equal scores beyond them, hence the estimate.
    low, high = estimate - half, np.minimum(estimate + half, np.maximum(estimate, limit))
    few = in_tail < FEW_IN_TAIL
    assumed = (Assumption.INDEPENDENT, Assumption.SHORT_TAIL) if few else (Assumption.INDEPENDENT,)
    equal = (ordered[:, -1] - ordered[:, 0] == 0.0).tolist()
    assumptions = [
        assumed if not unlimited
        else (*assumed, Assumption.ONE_SCORE if in_tail < 2 else Assumption.EQUAL_SCORES if flat else Assumption.EQUAL_TAIL)
        for unlimited, flat in zip(np.isinf(half).tolist(), equal, strict=True)
    ]  # fmt: skip
    sides = (low, high) if tail == "lower" else (-high, -low)
    guarantee: Guarantee = "heuristic" if few else "approximate"
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
