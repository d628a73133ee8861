"""Variance between and within clusters, and how a budget is best divided between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, IntArray, as_clusters, as_confidence, as_count, as_scores
from ogive.errors import InputError
from ogive.statistics._interval import Interval

NORMAL = "normal effects"


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponents:
    """Where the variance of a two-level sample comes from."""

    between: Interval
    within: Interval
    correlation: Interval
    n_clusters: int
    n: int

    def repeats(self, cost_ratio: float = 1.0) -> float:
        """Scores per cluster that make the mean most precise for a fixed budget.

        `cost_ratio` is the cost of a new cluster, without its scores, over that of one more score.
        """
        cost_ratio = as_count(cost_ratio, "cost_ratio")
        if self.between.estimate <= 0.0:
            return math.inf
        return math.sqrt(cost_ratio * self.within.estimate / self.between.estimate)


def variance_components(scores: ArrayLike, clusters: ArrayLike, *, confidence: float = 0.95) -> VarianceComponents:
    """Variance between clusters (configurations, splits, …) and within them (seeds, …).

    Notes
    -----
    One-way random effects by the analysis of variance of the clusters' unweighted means. The intervals assume normal effects:
    within exact; the intra-class correlation exact for clusters of equal size (Searle 1971) and
    approximate, with the harmonic mean size, otherwise (Thomas and Hultquist 1978); between by
    Williams and Tukey, whose coverage is at least the confidence up to rounding. Real scores are
    rarely normal, so all are called approximate. A negative estimate between clusters is given
    as 0.

    Examples
    --------
    >>> c = variance_components([1, 2, 5, 6, 9, 10], ["a", "a", "b", "b", "c", "c"])
    >>> round(c.correlation.estimate, 3), c.within.estimate
    (0.969, 0.5)
    """
    values = as_scores(scores, at_least=3)
    confidence = as_confidence(confidence)
    codes = as_clusters(clusters, values.size)
    if codes is None or codes.max() == 0:
        raise InputError("`clusters` must name at least two clusters, one of them with two scores or more.")
    squares = _mean_squares(values, codes)
    if squares.within == 0.0:
        raise InputError("scores within clusters never differ; there is no variance to divide. Drop the repeated rows.")
    return _components(squares, values.size, (1.0 - confidence) / 2.0, confidence)


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    """The analysis of variance of unweighted means; the usual one for clusters of equal size."""

    within: float
    between: float
    size: float
    df_between: int
    df_within: int


def _mean_squares(values: FloatArray, codes: IntArray) -> _MeanSquares:
    sizes = np.bincount(codes)
    n, k = values.size, sizes.size
    means = np.bincount(codes, weights=values) / sizes
    within = float(np.sum((values - means[codes]) ** 2)) / (n - k)
    # Thomas and Hultquist: unweighted means behave like equal clusters of the harmonic size.
    harmonic = k / float(np.sum(1.0 / sizes))
    return _MeanSquares(within, harmonic * float(means.var(ddof=1)), harmonic, k - 1, n - k)


def _components(squares: _MeanSquares, n: int, error: float, confidence: float) -> VarianceComponents:
    from scipy.special import chdtri, fdtri

    within, size = squares.within, squares.size
    f = [float(fdtri(squares.df_between, squares.df_within, level)) for level in (1.0 - error, error)]
    chi = [float(chdtri(squares.df_between, tail)) for tail in (error, 1.0 - error)]
    ratios = [max(0.0, (squares.between / within / point - 1.0) / size) for point in f]
    ends = [
        max(0.0, squares.df_between * (squares.between - within * point) / (size * divisor))
        for point, divisor in zip(f, chi, strict=True)
    ]
    spread = [squares.df_within * within / float(chdtri(squares.df_within, tail)) for tail in (error, 1.0 - error)]
    between = max(0.0, (squares.between - within) / squares.size)
    known: dict[str, Any] = {
        "confidence": confidence, "n": squares.df_between + 1, "guarantee": "approximate", "assumptions": (NORMAL,),
    }  # fmt: skip
    return VarianceComponents(
        between=Interval(estimate=between, low=ends[0], high=ends[1], method="Williams-Tukey", **known),
        within=Interval(estimate=within, low=spread[0], high=spread[1], method="chi-square", **known),
        correlation=Interval(
            estimate=between / (between + within), low=ratios[0] / (1.0 + ratios[0]), high=ratios[1] / (1.0 + ratios[1]),
            method="Searle", **known,
        ),
        n_clusters=squares.df_between + 1,
        n=n,
    )  # fmt: skip
