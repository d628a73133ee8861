"""Variance between and within clusters, and how a budget is best divided between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, IntArray, as_clusters, as_confidence, as_count, as_scores
from ogive.errors import InputError
from ogive.statistics._assumptions import Assumption
from ogive.statistics._interval import ROUNDING, Interval

# So many draws miss a kind that makes up 5 % of them with a probability below 5 %. Of fewer, the intervals of shares fail
# just where nothing shows it: in 400 tables of 20 configurations, 5 % of which collapse, they hold the share in .87 of
# those whose kurtosis shows a collapse and in .01 of the others, so no test of the data can warn.
MANY_DRAWS = 59
# At this error the spread within draws is called unequal.
_UNEQUAL_ERROR = 0.05
# Beyond 2 to this power squares leave the range of floating-point numbers.
_LARGEST_SQUARED = 500


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
    rarely normal, so all are called approximate, and heuristic below 59 clusters (a rare kind of
    cluster may be missing) or where Bartlett's test finds the variances within clusters unequal at 5 %. A negative estimate between clusters is given
    as 0, and its upper ends are those of equal mean squares, which are larger: the usual ones shrink to
    nothing the less the clusters' means differ.

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
    centered, exponent = as_unit(values)
    squares = _mean_squares(centered, codes)
    largest = float(np.abs(np.ldexp(values, -exponent)).max())
    if squares.within <= (ROUNDING * largest) ** 2:
        raise InputError("scores within clusters never differ; there is no variance to divide. Drop the repeated rows.")
    doubts = sampling_doubts(int(codes.max()) + 1, spread_differs(centered, codes))
    return _components(squares, values.size, (1.0 - confidence) / 2.0, confidence, as_square(exponent), doubts)


def sampling_doubts(n_draws: int, is_unequal: bool) -> tuple[str, ...]:
    """What intervals of variances assume although the data speak against it, or cannot tell."""
    return ((Assumption.FEW_DRAWS,) if n_draws < MANY_DRAWS else ()) + (
        (Assumption.EQUAL_WITHIN,) if is_unequal else ()
    )


def spread_differs(residuals: FloatArray, codes: IntArray, df: float | None = None) -> bool:
    """Whether the variance within groups differs from group to group, by Bartlett's test at 5 %.

    With `df` the residuals have means of 0 already and so many degrees of freedom in all, which groups
    share by their size (crossed designs, where that is approximate).
    """
    from scipy.special import chdtrc

    sizes = np.bincount(codes)
    if df is None:
        means = np.bincount(codes, weights=residuals) / sizes
        residuals = residuals - means[codes]
        freedom = sizes - 1.0
    else:
        freedom = sizes * (df / residuals.size)
    sums = np.bincount(codes, weights=residuals**2)
    many = (sizes > 1) & (freedom > 0.0)
    freedom, sums = freedom[many], sums[many]
    k, total = freedom.size, float(freedom.sum())
    if k < 2 or float(sums.sum()) <= 0.0:
        return False
    if float(sums.min()) <= 0.0:  # scores that never differ within one group and do within another
        return True
    excess = total * math.log(float(sums.sum()) / total) - float(np.sum(freedom * np.log(sums / freedom)))
    scale = 1.0 + (float(np.sum(1.0 / freedom)) - 1.0 / total) / (3.0 * (k - 1.0))
    return bool(chdtrc(k - 1.0, excess / scale) < _UNEQUAL_ERROR)


def as_unit(values: FloatArray) -> tuple[FloatArray, int]:
    """Scores less their mean over a power of two, of size 1 or less, and the power: squares neither vanish nor overflow."""
    size = _exponent(values)
    centered = np.ldexp(values, -size)
    centered = centered - centered.mean()
    spread = _exponent(centered)
    return np.ldexp(centered, -spread), size + spread


def as_square(exponent: int) -> float:
    """2 to the power of twice `exponent`, the unit of a variance; refused where squares have no floating-point number."""
    if abs(exponent) > _LARGEST_SQUARED:
        raise InputError(
            f"`scores` that differ by about 1e{round(exponent * math.log10(2.0)):+d} have no variance in "
            "floating-point numbers; multiply them by a constant."
        )
    return 4.0**exponent


def _exponent(values: FloatArray) -> int:
    return math.frexp(float(np.abs(values).max()))[1]


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


def _components(
    squares: _MeanSquares, n: int, error: float, confidence: float, unit: float, doubts: tuple[str, ...]
) -> VarianceComponents:
    """The two variances, mean squares being multiples of `unit`, with their intervals."""
    from scipy.special import chdtri

    within = squares.within
    spread = [squares.df_within * within / float(chdtri(squares.df_within, tail)) for tail in (error, 1.0 - error)]
    between = max(0.0, (squares.between - within) / squares.size)
    ends, ratios = _ends(squares, error)
    known: dict[str, Any] = {
        "confidence": confidence, "n": squares.df_between + 1, "guarantee": "heuristic" if doubts else "approximate"
    }  # fmt: skip
    assumed = (
        (Assumption.NORMAL, Assumption.LESS_THAN_CHANCE) if squares.between < within else (Assumption.NORMAL,)
    ) + doubts
    return VarianceComponents(
        between=Interval(
            estimate=between * unit, low=ends[0] * unit, high=ends[1] * unit, method="Williams-Tukey",
            assumptions=assumed, **known,
        ),
        within=Interval(
            estimate=within * unit, low=spread[0] * unit, high=spread[1] * unit, method="chi-square",
            assumptions=(Assumption.NORMAL, *doubts), **known,
        ),
        correlation=Interval(
            estimate=between / (between + within), low=ratios[0] / (1.0 + ratios[0]),
            high=ratios[1] / (1.0 + ratios[1]) if math.isfinite(ratios[1]) else 1.0, method="Searle",
            assumptions=assumed, **known,
        ),
        n_clusters=squares.df_between + 1,
        n=n,
    )  # fmt: skip


def _ends(squares: _MeanSquares, error: float) -> tuple[list[float], list[float]]:
    """Ends of the variance between clusters, and of its ratio to that within."""
    from scipy.special import chdtri, fdtri

    ends, ratios = [], []
    # Where means differ less than chance makes them, the usual upper end falls to 0 and excludes what is likely.
    for square, level in ((squares.between, 1.0 - error), (max(squares.between, squares.within), error)):
        point = float(fdtri(squares.df_between, squares.df_within, level))
        divisor = float(chdtri(squares.df_between, 1.0 - level))
        excess = max(0.0, square - squares.within * point)
        ends.append(squares.df_between * excess / (squares.size * divisor))
        ratios.append(excess / (squares.within * point * squares.size))
    if ends[1] == 0.0:  # at confidences so low that chance exceeds its own quantile
        return [ends[0], math.inf], [ratios[0], math.inf]
    return ends, ratios
