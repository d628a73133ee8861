"""Two samples: how often one beats the other, and by how much.

Paired and independent samples answer different questions. Paired: on the same draw, how often does
A beat B? Independent: how often does a fresh run of A beat a fresh run of B? The first can be near
1 while the second is near 1/2, so no function here guesses which is meant.

The limits are those of `_families`, which makes them for many pairs of methods at once.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import (
    FloatArray,
    IntArray,
    as_clusters,
    as_confidence,
    as_mass,
    as_probability,
    as_scores,
    as_tail,
)
from ogive.errors import InputError
from ogive.statistics._families import Asked, Draws, TaskRuns, differences_between
from ogive.statistics._interval import Assumption, Interval


def paired_improvement(
    a: ArrayLike,
    b: ArrayLike,
    *,
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    guaranteed: bool = False,
) -> Interval:
    """Probability that A's score is larger than B's on the same draw; ties count half.

    Notes
    -----
    With D the share of pairs that differ and p the share of these that A wins, it is
    1/2 + D (p - 1/2). Which side of 1/2 it lies on is read off Clopper and Pearson's interval of p
    alone, McNemar's exact test. With ties the limits are those of Tango's score, approximate (coverage computed: 0.941 to 1 at
    0.95); without ties those of p, conservative. With `guaranteed` they stand at the corners of the exact intervals of D and
    p, each at half the error: conservative for every distribution and every n.
    With clusters it is the wider of Student's interval of the clusters' shares of wins and the score
    interval with their variance, and at least Clopper and Pearson's for clusters where few of them
    dissent; heuristic below 20 clusters.

    References
    ----------
    McNemar (1947), Psychometrika 12, 153-157. Clopper and Pearson (1934), Biometrika 26, 404-413. Tango
    (1998), Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> print(paired_improvement([3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6]))
    1 [0.541, 1]
    """
    x, y = as_samples(a, b, paired=True)
    codes = as_clusters(clusters, x.size)
    if guaranteed and codes is not None:
        raise InputError(
            "`guaranteed` goes with independent pairs; clusters of pairs have no interval that always holds."
        )
    asked = Asked(kind="improvement", guaranteed=guaranteed)
    return _difference(x, y, asked, confidence, paired=True, clusters=codes)


def independent_improvement(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Probability that a fresh score of A is larger than a fresh one of B; ties count half.

    Notes
    -----
    Approximate. Newcombe's method 5 is a score-type interval with Hanley and McNeil's variance at
    the hypothesised value and (m + n) / 2 in place of both sample sizes. It keeps a positive
    width when the samples do not overlap, where Brunner and Munzel's and the bootstrap's shrink
    to a point. Its variance is that of two distributions of the same shape; a method whose runs
    spread more than the other's needs more, the more so where it has fewer runs. The interval
    therefore reaches at least as far as the score interval with the variance of the placements,
    which takes the spreads from the samples. Where even full separation of equal samples is more
    likely than 1 - confidence, it holds 1/2. Simulated coverage, for equal and for unequal spreads
    and sizes: docs/reference/verdicts.md. `guaranteed_improvement` holds for every distribution.

    References
    ----------
    Newcombe (2006), Statistics in Medicine 25, 559-573.
    Brunner and Munzel (2000), Biometrical Journal 42, 17-25.

    Examples
    --------
    >>> print(independent_improvement([3, 4, 5, 6], [1, 2, 3, 4]))
    0.875 [0.406, 0.986]
    """
    x, y = as_samples(a, b, paired=False)
    return _difference(x, y, Asked(kind="improvement"), confidence, paired=False)


def mean_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    paired: bool,
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    test_share: float | None = None,
) -> Interval:
    """Mean of A minus mean of B: Student's interval of the pairs' differences, or the wider of Welch's and the pooled one.

    Parameters
    ----------
    clusters, test_share
        For pairs only; as in `mean_interval`.

    Notes
    -----
    Approximate; heuristic with `test_share`. Welch's interval trusts a small sample that happens to be
    constant: ten equal scores against a thousand that differ gave a false claim in 0.65 to 0.83 of
    samples with rare collapses. The pooled variance knows better, and the wider of both is used: at most
    0.051 for equal distributions, normal, exponential, on a lattice or with 1 to 10 % of collapses, from 3
    against 3 to 10 against 1000 scores. Nothing approximate survives equal means of unequal shapes;
    `bounded_mean_difference` does.

    Examples
    --------
    >>> print(mean_difference([3, 4, 6, 6], [1, 2, 3, 4], paired=True))
    2.25 [1.45, 3.05]
    """
    if test_share is not None and not 0.0 < test_share < math.inf:
        raise InputError(f"`test_share` is n_test / n_train and must be positive; got {test_share:g}.")
    if not paired and (clusters is not None or test_share is not None):
        raise InputError("`clusters` and `test_share` go with paired=True; average the clusters of each sample first.")
    x, y = as_samples(a, b, paired=paired)
    asked, codes = Asked(kind="mean", test_share=test_share), as_clusters(clusters, x.size)
    return _difference(x, y, asked, confidence, paired=paired, clusters=codes)


def tail_mean_difference(
    a: ArrayLike, b: ArrayLike, *, mass: float, tail: str, paired: bool, confidence: float = 0.95
) -> Interval:
    """Difference of the means of the share `mass` at one end.

    Notes
    -----
    Approximate, as `tail_mean_interval`: the scores are replaced by the terms whose mean the tail's
    mean is to first order, and their difference is treated as one of means, with as many degrees of
    freedom for each sample as it has scores in the tail, less one; of independent samples the wider of
    Welch's interval and the pooled one. With fewer than 50 scores, or twenty in a tail, it is called heuristic,
    with fewer than two in a tail it is infinite. How often equal methods are told apart:
    docs/reference/verdicts.md. `bounded_tail_mean_difference` holds for every bounded distribution.

    Examples
    --------
    >>> i = tail_mean_difference(range(100), range(20, 120), mass=0.2, tail="lower", paired=False)
    >>> print(i, i.guarantee)
    -20 [-26.6, -13.4] approximate
    """
    mass, tail = as_mass(mass), as_tail(tail)
    x, y = as_samples(a, b, paired=paired)
    if tail == "upper":  # the lower tail of what is turned round
        return tail_mean_difference(-x, -y, mass=mass, tail="lower", paired=paired, confidence=confidence).negated()
    return _difference(x, y, Asked(kind="worst", amount=mass), confidence, paired=paired)


def quantile_difference(
    a: ArrayLike, b: ArrayLike, p: float, *, confidence: float = 0.95, guaranteed: bool = False
) -> Interval:
    """The p-quantile of A minus that of B, from order statistics of both.

    Notes
    -----
    Approximate: the distances of both quantiles from their order-statistic limits are put together as
    standard errors are (method of variance estimates recovery), for independent samples; equal methods are
    told apart in 0.017 to 0.038 of samples at 0.95. With `guaranteed` conservative for every distribution,
    paired or not: both intervals at half the error. Scores may be infinite, for failed runs: a side where
    both quantiles may be the same infinity is infinite, and an estimate where both are is NaN, with the
    reason among the assumptions.

    References
    ----------
    Zou and Donner (2008), Statistics in Medicine 27, 1693-1702.

    Examples
    --------
    >>> print(quantile_difference(range(50), range(100, 150), 0.5))
    -100 [-111, -89.4]
    """
    x, y = as_scores(a, name="a", ordered_only=True), as_scores(b, name="b", ordered_only=True)
    if np.ndim(p) != 0:
        raise InputError(f"`p` must be one number; got {p!r}. Call it for each level.")
    asked = Asked(kind="q", amount=float(as_probability(p)), guaranteed=guaranteed)
    found = _difference(x, y, asked, confidence, paired=False)
    if not math.isnan(found.estimate):
        return found
    return replace(found, assumptions=(*found.assumptions, Assumption.UNDEFINED))


def proportion_difference(a: ArrayLike, b: ArrayLike, *, paired: bool = True, confidence: float = 0.95) -> Interval:
    """Share of ones of A minus that of B, for 0/1 scores.

    Notes
    -----
    Approximate. Paired by item: twice the distance of `paired_improvement` from 1/2, whose direction is
    McNemar's exact test. Independent: Newcombe's hybrid of two Wilson intervals (1998, method 10), with a
    continuity correction where the smaller sample has fewer than 50 scores (plain ones tell equal methods
    apart in 0.13 of samples at 3 against 1000).

    References
    ----------
    Newcombe (1998), Statistics in Medicine 17, 873-890.

    Examples
    --------
    >>> print(proportion_difference([1, 1, 1, 1, 0, 0], [1, 0, 0, 1, 0, 0]))
    0.333 [-0.187, 0.777]
    """
    x, y = _as_binary(a, b, paired=paired)
    return _difference(x, y, Asked(kind="mean", binary=True), confidence, paired=paired)


def mcnemar(a: ArrayLike, b: ArrayLike) -> float:
    """Exact two-sided p-value of McNemar's test for 0/1 scores paired by item."""
    from scipy.stats import binomtest

    x, y = _as_binary(a, b, paired=True)
    only_a, only_b = int(np.sum((x == 1) & (y == 0))), int(np.sum((x == 0) & (y == 1)))
    return 1.0 if only_a + only_b == 0 else float(binomtest(only_a, only_a + only_b).pvalue)


def _difference(
    x: FloatArray, y: FloatArray, asked: Asked, confidence: float, *, paired: bool, clusters: IntArray | None = None
) -> Interval:
    """What is asked of two methods, each pair of scores being one draw or every score a draw of its own."""
    confidence = as_confidence(confidence)
    task = TaskRuns((np.sort(x), np.sort(y)), (Draws(np.stack([x, y]), clusters),) if paired else ())
    first, second, way = np.array([0]), np.array([1]), np.array([0 if paired else -1])
    return differences_between([task], first, second, way, asked).interval(0, 1.0 - confidence)


def as_samples(a: ArrayLike, b: ArrayLike, *, paired: bool) -> tuple[FloatArray, FloatArray]:
    """Two samples; refuses pairs of samples of different size."""
    x, y = as_scores(a, name="a"), as_scores(b, name="b")
    if paired and x.size != y.size:
        raise InputError(
            f"pairs need as many scores of A as of B; got {x.size} and {y.size}. Join them, or use independent samples."
        )
    return x, y


def _as_binary(a: ArrayLike, b: ArrayLike, *, paired: bool) -> tuple[FloatArray, FloatArray]:
    x, y = as_samples(a, b, paired=paired)
    if not (np.isin(x, (0.0, 1.0)).all() and np.isin(y, (0.0, 1.0)).all()):
        raise InputError("items must be scored 0 or 1; use `mean_difference` for other scores.")
    return x, y
