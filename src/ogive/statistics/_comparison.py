"""Two samples: how often one beats the other, and by how much.

Paired and independent samples answer different questions. Paired: on the same draw, how often does
A beat B? Independent: how often does a fresh run of A beat a fresh run of B? The first can be near
1 while the second is near 1/2, so no function here guesses which is meant.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, as_clusters, as_confidence, as_mass, as_scores, as_tail
from ogive.errors import InputError
from ogive.results import Guarantee
from ogive.statistics._distribution import step_function
from ogive.statistics._interval import (
    EQUAL_SCORES,
    EQUAL_TAIL,
    FEW_IN_TAIL,
    INDEPENDENT,
    ONE_SCORE,
    ROUNDING,
    SHORT_TAIL,
    Interval,
    binomial_limits,
    mean_interval,
    quantile_interval,
    spread,
    student_interval,
    tail_count,
    tail_influence,
)
from ogive.statistics._placements import placement_interval, score_interval

PAIRS = "independent pairs"
CLUSTERS = "independent clusters of pairs"
EQUAL_CLUSTERS = "all clusters have the same share of wins: each counts as one pair"
UNDEFINED = "infinite scores at both quantiles: nothing can be said about their difference"
# With more runs a side full separation is rarer than any confidence in use.
FEW_RUNS = 20


def paired_improvement(
    a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95, clusters: ArrayLike | None = None
) -> Interval:
    """Probability that A's score is larger than B's on the same draw; ties count half.

    Notes
    -----
    Conservative for every distribution and every n: with T = wins + ties / 2 the interval runs from
    Clopper and Pearson's lower limit for floor(T) to their upper limit for ceil(T). With
    clusters it is Student's interval of the clusters' shares of wins, approximate; where all
    clusters have the same share, each counts as one pair, which is approximate too.

    Examples
    --------
    >>> print(paired_improvement([3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6]))
    1 [0.541, 1]
    """
    x, y = _pairs(a, b)
    confidence = as_confidence(confidence)
    won = (x > y) + 0.5 * (x == y)
    codes = as_clusters(clusters, x.size)
    guarantee: Guarantee = "conservative"
    assumptions: tuple[str, ...] = (PAIRS,)
    if codes is not None:
        shares = np.bincount(codes, weights=won) / np.bincount(codes)
        if np.ptp(shares) > 0.0:
            return _clipped(mean_interval(won, confidence=confidence, clusters=codes), 0.0, 1.0)
        won, guarantee, assumptions = shares, "approximate", (CLUSTERS, EQUAL_CLUSTERS)
    # Sums of equal shares miss whole numbers by rounding.
    total, n = round(float(won.sum()), 9), won.size
    return Interval(
        estimate=total / n,
        low=binomial_limits(math.floor(total), n, confidence)[0],
        high=binomial_limits(math.ceil(total), n, confidence)[1],
        confidence=confidence, n=n, method="Clopper-Pearson", guarantee=guarantee, assumptions=assumptions,
    )  # fmt: skip


def independent_improvement(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    method: str = "newcombe",
    rng: np.random.Generator | None = None,
) -> Interval:
    """Probability that a fresh score of A is larger than a fresh one of B; ties count half.

    Parameters
    ----------
    method : {"newcombe", "conservative"}
        Newcombe's method 5, widened where the spreads differ, or pairs formed at random once (with
        `rng`) and Clopper and Pearson's interval for them, which holds for every distribution and
        is wider.

    Notes
    -----
    Approximate. Newcombe's method 5 is a score-type interval with Hanley and McNeil's variance at
    the hypothesised value and (m + n) / 2 in place of both sample sizes. It keeps a positive
    width when the samples do not overlap, where Brunner and Munzel's and the bootstrap's shrink
    to a point. Its variance is that of two distributions of the same shape; a method whose runs
    spread more than the other's needs more, the more so where it has fewer runs. The interval
    therefore reaches at least as far as the score interval with the variance of the placements
    (`placement_interval`), which takes the spreads from the samples. Where even full separation of
    equal samples is more likely than 1 - confidence, it holds 1/2. Simulated coverage, for equal and
    for unequal spreads and sizes: docs/reference/verdicts.md.

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25, 559-573.
    Brunner and Munzel (2000), Biometrical Journal 42, 17-25.

    Examples
    --------
    >>> print(independent_improvement([3, 4, 5, 6], [1, 2, 3, 4]))
    0.875 [0.406, 0.986]
    """
    x, y = as_scores(a, name="a"), as_scores(b, name="b")
    confidence = as_confidence(confidence)
    if method == "conservative":
        if rng is None:
            raise InputError("`rng` is needed for method='conservative', which forms pairs at random.")
        n = min(x.size, y.size)
        return paired_improvement(rng.permutation(x)[:n], rng.permutation(y)[:n], confidence=confidence)
    if method != "newcombe":
        raise InputError(f"`method` must be 'newcombe' or 'conservative'; got {method!r}.")
    estimate = win_share(x, y)
    sides = newcombe_interval(estimate, x.size, y.size, confidence), placement_interval(x, y, estimate, confidence)
    low, high = min(low for low, _ in sides), max(high for _, high in sides)
    if min(x.size, y.size) <= FEW_RUNS and 2.0 / math.comb(x.size + y.size, x.size) > 1.0 - confidence:
        low, high = min(low, 0.5), max(high, 0.5)  # even full separation comes by chance more often than that
    return Interval(
        estimate=estimate, low=low, high=high, confidence=confidence, n=x.size + y.size,
        method="Newcombe with placements", guarantee="approximate", assumptions=(INDEPENDENT,),
    )  # fmt: skip


def win_share(x: FloatArray, y: FloatArray) -> float:
    """The share of pairs (x, y) with x > y, ties half; O((m + n) log n)."""
    ordered = np.sort(y)
    below = np.searchsorted(ordered, x, side="left")
    upto = np.searchsorted(ordered, x, side="right")
    return float((below + upto).sum()) / (2.0 * x.size * y.size)


def newcombe_interval(estimate: float, m: int, n: int, confidence: float) -> tuple[float, float]:
    """Both values at which the estimate is z standard errors away, standard errors taken there."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    z, middle = float(ndtri(0.5 + confidence / 2.0)), (m + n) / 2.0

    def gap(theta: float) -> float:
        variance = (
            theta * (1 - theta) * (1 + (middle - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))) / (m * n)
        )
        return abs(theta - estimate) - z * math.sqrt(max(variance, 0.0))

    # At 0 and 1 the variance vanishes, so that the estimate itself is a root there: step beside it.
    beside = 1e-9 * min(1.0, z * z) if estimate in (0.0, 1.0) else 0.0
    low = 0.0 if estimate == 0.0 else brentq(gap, 0.0, estimate - beside)
    high = 1.0 if estimate == 1.0 else brentq(gap, estimate + beside, 1.0)
    return float(low), float(high)


def mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    paired: bool,
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    test_share: float | None = None,
) -> Interval:
    """Mean of A minus mean of B: Student's interval of the pairs' differences, or Welch's.

    Parameters
    ----------
    clusters, test_share
        For pairs only; as in `mean_interval`.

    Notes
    -----
    Approximate; heuristic with `test_share`.

    Examples
    --------
    >>> print(mean_difference([3, 4, 6, 6], [1, 2, 3, 4], paired=True))
    2.25 [1.45, 3.05]
    """
    if paired:
        x, y = _pairs(a, b)
        return mean_interval(_gaps(x, y), confidence=confidence, clusters=clusters, test_share=test_share)
    if clusters is not None or test_share is not None:
        raise InputError("`clusters` and `test_share` go with paired=True; average the clusters of each sample first.")
    x, y = as_scores(a, name="a"), as_scores(b, name="b")
    return welch_interval(float(x.mean() - y.mean()), x, y, as_confidence(confidence), "Welch's t", "approximate")


def tail_mean_difference(
    a: ArrayLike, b: ArrayLike, *, mass: float, tail: str, paired: bool, confidence: float = 0.95
) -> Interval:
    """Difference of the means of the share `mass` at one end.

    Notes
    -----
    Approximate, as `tail_mean_interval`: the scores are replaced by the terms whose mean the tail's
    mean is to first order, and their difference is treated as one of means, with as many degrees of
    freedom for each sample as it has scores in the tail, less one (Welch and Satterthwaite put them
    together for independent samples). With fewer than ten scores in a tail it is called heuristic,
    with fewer than two it is infinite. Equal methods are told apart in at most 0.075 of the samples
    instead of 0.05 (docs/reference/verdicts.md).

    Examples
    --------
    >>> i = tail_mean_difference(range(50), range(10, 60), mass=0.2, tail="lower", paired=False)
    >>> print(i, i.guarantee)
    -10 [-14.7, -5.31] approximate
    """
    confidence, mass, tail = as_confidence(confidence), as_mass(mass), as_tail(tail)
    x, y = _pairs(a, b) if paired else (as_scores(a, name="a"), as_scores(b, name="b"))
    estimate = step_function(x).cvar(mass=mass, tail=tail) - step_function(y).cvar(mass=mass, tail=tail)
    method, n = ("paired tail t", x.size) if paired else ("Welch tail t", x.size + y.size)
    in_tail = tail_count(x.size, mass), tail_count(y.size, mass)
    long = min(in_tail) >= FEW_IN_TAIL
    guarantee: Guarantee = "approximate" if long else "heuristic"
    assumptions = (INDEPENDENT,) if long else (INDEPENDENT, SHORT_TAIL)
    if min(in_tail) < 2:
        return _around(estimate, math.inf, confidence, n, method, guarantee, (*assumptions, ONE_SCORE))
    u, v = tail_influence(x, mass, tail), tail_influence(y, mass, tail)
    degrees = in_tail[0] - 1, in_tail[1] - 1
    if paired:
        return student_interval(
            estimate, _gaps(u, v, 1.0 / mass), math.sqrt(1.0 / n), df=min(degrees), confidence=confidence, method=method,
            guarantee=guarantee, assumptions=assumptions, n=n, flat=EQUAL_TAIL,
        )  # fmt: skip
    return welch_interval(estimate, u, v, confidence, method, guarantee, assumptions, df=degrees, flat=EQUAL_TAIL)


def quantile_difference(a: ArrayLike, b: ArrayLike, p: float, *, confidence: float = 0.95) -> Interval:
    """The p-quantile of A minus that of B, each from order statistics at half the error.

    Notes
    -----
    Conservative for every distribution, paired or not: both intervals hold at once with at least the
    confidence. Scores may be infinite, for failed runs: a side where both quantiles may be the same
    infinity is infinite, and an estimate where both are is NaN, with the reason among the assumptions.

    Examples
    --------
    >>> print(quantile_difference(range(50), range(100, 150), 0.5))
    -100 [-117, -83]
    """
    confidence = as_confidence(confidence)
    half = 1.0 - (1.0 - confidence) / 2.0
    i, j = quantile_interval(a, p, confidence=half), quantile_interval(b, p, confidence=half)
    estimate, low, high = (_gap(*ends) for ends in ((i.estimate, j.estimate), (i.low, j.high), (i.high, j.low)))
    reasons = (UNDEFINED,) if math.isnan(estimate) or math.isnan(low) or math.isnan(high) else ()
    return Interval(
        estimate=estimate, low=-math.inf if math.isnan(low) else low, high=math.inf if math.isnan(high) else high,
        confidence=confidence, n=min(i.n, j.n), method="order statistics", guarantee="conservative",
        assumptions=(INDEPENDENT, *reasons),
    )  # fmt: skip


def _gap(a: float, b: float) -> float:
    """a - b; NaN for the same infinity twice."""
    return math.nan if math.isinf(a) and a == b else a - b


def proportion_difference(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Share of ones of A minus that of B, for 0/1 scores paired by item.

    Notes
    -----
    Approximate: Newcombe's hybrid of two Wilson intervals with the pairs' correlation (1998, method
    10), which keeps a positive width when all items agree. `mcnemar` gives the exact test.

    Examples
    --------
    >>> print(proportion_difference([1, 1, 1, 1, 0, 0], [1, 0, 0, 1, 0, 0]))
    0.333 [-0.152, 0.646]
    """
    x, y = _binary_pairs(a, b)
    confidence = as_confidence(confidence)
    n = x.size
    both, only_a = int(np.sum(x * y)), int(np.sum(x * (1 - y)))
    only_b = int(np.sum((1 - x) * y))
    neither = n - both - only_a - only_b
    p, q = (both + only_a) / n, (both + only_b) / n
    (l1, u1), (l2, u2) = _wilson(p, n, confidence), _wilson(q, n, confidence)
    scale = math.sqrt(float(both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither))
    product = float(both * neither - only_a * only_b)
    product = max(product - n / 2.0, 0.0) if product > 0 else product
    phi = product / scale if scale > 0 else 0.0
    below = (p - l1) ** 2 - 2 * phi * (p - l1) * (u2 - q) + (u2 - q) ** 2
    above = (u1 - p) ** 2 - 2 * phi * (u1 - p) * (q - l2) + (q - l2) ** 2
    return Interval(
        estimate=p - q, low=p - q - math.sqrt(max(below, 0.0)), high=p - q + math.sqrt(max(above, 0.0)),
        confidence=confidence, n=n, method="Newcombe paired", guarantee="approximate", assumptions=(PAIRS,),
    )  # fmt: skip


def mcnemar(a: ArrayLike, b: ArrayLike) -> float:
    """Exact two-sided p-value of McNemar's test for 0/1 scores paired by item."""
    from scipy.stats import binomtest

    x, y = _binary_pairs(a, b)
    only_a, only_b = int(np.sum((x == 1) & (y == 0))), int(np.sum((x == 0) & (y == 1)))
    return 1.0 if only_a + only_b == 0 else float(binomtest(only_a, only_a + only_b).pvalue)


def welch_interval(
    estimate: float, x: FloatArray, y: FloatArray, confidence: float, method: str, guarantee: Guarantee,
    assumptions: tuple[str, ...] = (INDEPENDENT,), *, df: tuple[int, int] | None = None, flat: str = EQUAL_SCORES,
) -> Interval:  # fmt: skip
    """estimate ± Welch's t; infinite where neither sample shows spread. `df` of each sample: its size less one."""
    from scipy.special import stdtrit

    n, deviations = min(x.size, y.size), (spread(x), spread(y))
    larger = max(deviations)
    if n < 2 or larger == 0.0:
        reason = ONE_SCORE if n < 2 else flat
        return _around(estimate, math.inf, confidence, x.size + y.size, method, guarantee, (*assumptions, reason))
    # In units of the larger deviation, since squares of tiny ones would vanish.
    u, v = ((s / larger) ** 2 / z.size for s, z in zip(deviations, (x, y), strict=True))
    first, second = df or (x.size - 1, y.size - 1)
    degrees = (u + v) ** 2 / (u**2 / first + v**2 / second)
    half = float(stdtrit(degrees, 0.5 + confidence / 2.0)) * larger * math.sqrt(u + v)
    return _around(estimate, half, confidence, x.size + y.size, method, guarantee, assumptions)


def _around(
    estimate: float,
    half: float,
    confidence: float,
    n: int,
    method: str,
    guarantee: Guarantee,
    assumptions: tuple[str, ...],
) -> Interval:
    return Interval(
        estimate=estimate, low=estimate - half, high=estimate + half, confidence=confidence, n=n,
        method=method, guarantee=guarantee, assumptions=assumptions,
    )  # fmt: skip


def _clipped(interval: Interval, low: float, high: float) -> Interval:
    fields = {name: getattr(interval, name) for name in interval.__slots__}
    return Interval(**{**fields, "low": max(low, interval.low), "high": min(high, interval.high)})


def _pairs(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, y = as_scores(a, name="a"), as_scores(b, name="b")
    if x.size != y.size:
        raise InputError(
            f"pairs need as many scores of A as of B; got {x.size} and {y.size}. Join them, or use independent samples."
        )
    return x, y


def _gaps(x: FloatArray, y: FloatArray, magnified: float = 1.0) -> FloatArray:
    """Differences of pairs; all the same where they differ by no more than the rounding of their terms."""
    gaps = x - y
    if np.ptp(gaps) <= magnified * ROUNDING * max(float(np.abs(x).max()), float(np.abs(y).max())):
        return np.full(gaps.size, gaps.mean())
    return gaps


def _binary_pairs(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, y = _pairs(a, b)
    if not (np.isin(x, (0.0, 1.0)).all() and np.isin(y, (0.0, 1.0)).all()):
        raise InputError("items must be scored 0 or 1; use `mean_difference` for other scores.")
    return x, y


def _wilson(p: float, n: int, confidence: float) -> tuple[float, float]:
    from scipy.special import ndtri

    return score_interval(p, float(ndtri(0.5 + confidence / 2.0)) ** 2 / n)
