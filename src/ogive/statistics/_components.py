"""Where the variance of scores comes from: clusters, and several sources of randomness, crossed or nested."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, IntArray, as_clusters, as_confidence, as_count, as_scores, label_codes
from ogive.errors import InputError
from ogive.statistics._interval import ROUNDING, Assumption, Interval

# So many draws miss a kind that makes up 5 % of them with a probability below 5 %. Of fewer, the intervals of shares fail
# just where nothing shows it: in 400 tables of 20 configurations, 5 % of which collapse, they hold the share in .87 of
# those whose kurtosis shows a collapse and in .01 of the others, so no test of the data can warn.
MANY_DRAWS = 59
# At this error the spread within draws is called unequal.
_UNEQUAL_ERROR = 0.05
# Beyond 2 to this power squares leave the range of floating-point numbers.
_LARGEST_SQUARED = 500
N_PIVOTS = 20_000
REPETITION = "repetition"


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
    from scipy.special import chdtri

    unit, error = as_square(exponent), (1.0 - confidence) / 2.0
    doubts = sampling_doubts(int(codes.max()) + 1, spread_differs(centered, codes))
    within = squares.within
    spread = [squares.df_within * within / float(chdtri(squares.df_within, tail)) for tail in (error, 1.0 - error)]
    between = max(0.0, (squares.between - within) / squares.size)
    ends, ratios = _ends(squares, error)
    known: dict[str, Any] = {
        "confidence": confidence, "n": squares.df_between + 1, "guarantee": "heuristic" if doubts else "approximate"
    }  # fmt: skip
    less = (Assumption.LESS_THAN_CHANCE,) if squares.between < within else ()
    assumed = (Assumption.NORMAL, *less, *doubts)
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
        n=values.size,
    )  # fmt: skip


def sampling_doubts(n_draws: int, is_unequal: bool) -> tuple[str, ...]:
    """What intervals of variances assume although the data speak against it, or cannot tell."""
    few, unequal = (Assumption.FEW_DRAWS, n_draws < MANY_DRAWS), (Assumption.EQUAL_WITHIN, is_unequal)
    return tuple(doubt for doubt, holds in (few, unequal) if holds)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """The variance that one source, or several that no row separates, brings.

    `sources` are the sources it stands for; two or more where every row that changes one changes the
    others too, none for an interaction alone, whose sources are then `interaction`. `contains` are interactions
    that cannot be told from it.
    `variance` is never negative; `raw` is the unbiased estimate, which may be.
    """

    name: str
    sources: tuple[str, ...]
    interaction: tuple[str, ...]
    contains: tuple[tuple[str, ...], ...]
    share: Interval
    variance: float
    raw: float
    n_levels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShares:
    """Where the variance of a score comes from; the shares add to one."""

    components: tuple[Component, ...]
    fixed: tuple[str, ...]
    variance: float
    n: int
    balanced: bool

    def of(self, source: str) -> Component | None:
        """The component that stands for one source, alone or with others; None where the source was fixed."""
        return next((c for c in self.components if source in c.sources), None)


@dataclass(frozen=True, slots=True, eq=False)
class _Term:
    """Rows that share a draw of certain sources: a partition, and all sets of sources that induce it."""

    codes: IntArray
    sizes: IntArray
    sets: tuple[tuple[str, ...], ...]

    @property
    def n_levels(self) -> int:
        return self.sizes.size


def variance_shares(
    scores: ArrayLike,
    draws: Mapping[str, ArrayLike],
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    n_pivots: int = N_PIVOTS,
) -> VarianceShares:
    """Shares of the variance that each source of randomness brings.

    Parameters
    ----------
    scores : array-like
        One for each run.
    draws : mapping
        For each source (configuration, data, seed …) which draw of it each run used: runs with the same
        label share it. A source drawn anew for each run has a label for each; one that was held has one.
    rng : numpy.random.Generator
        The stream behind the intervals.
    n_pivots : int
        How many draws of the mean squares the intervals are read off.

    Notes
    -----
    Every set of sources groups the runs. Sets that group them alike cannot be told apart and are one
    component: runs that draw data and seed anew each time show "data and seed" together. The variance
    of a component solves E[SS] = SS for the sums of squares of the groupings, whose expectations follow
    from how many runs two groups share (Henderson's method 1, the usual analysis of variance where
    groups have equal size): unbiased for every distribution. With two components the mean squares are
    those of unweighted means (`variance_components`). Negative estimates are given as 0, and shares are
    of the sum of what is left.

    Intervals are approximate or heuristic. They are quantiles of shares in which each mean square is divided by an
    independent chi-square variable over its degrees of freedom (generalized confidence intervals). For
    normal effects and one grouping of equal sizes that is the exact F interval. Other distributions
    make mean squares vary more: the degrees of freedom are lowered to those that the spread of each
    mean square over the draws suggests, and never raised. Where a mean square is smaller than that of
    the runs themselves, the interval is widened to hold what equal ones would give.

    They are called heuristic below 59 draws of some source, and where Bartlett's test at 5 % finds that the
    spread within draws differs between them. Few draws know nothing of a rare kind: where 5 % of the
    configurations collapse, 95 % intervals hold the share of the configuration in .45, .59 and .84 of
    tables with 10, 20 and 50 configurations, and the tables that miss it look perfectly normal. Where the
    spread of the runs differs by configuration (log-normal, by a factor of 2.7), they hold it in .76 to .85.
    Simulated coverage: docs/reference/sources.md.

    References
    ----------
    Henderson (1953), Estimation of variance and covariance components. Weerahandi (1995), Exact
    Statistical Methods for Data Analysis, chapter 6. Tjur (1984), Analysis of variance models in orthogonal designs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = variance_shares([1, 2, 5, 6, 9, 10], {"configuration": [0, 0, 1, 1, 2, 2], "seed": range(6)}, rng=rng)
    >>> [(c.name, round(c.share.estimate, 3)) for c in found.components]
    [('configuration', 0.969), ('seed', 0.031)]
    """
    values = as_scores(scores, at_least=3)
    confidence = as_confidence(confidence)
    codes = {name: _codes(labels, values.size, name) for name, labels in draws.items()}
    varied = {name: c for name, c in codes.items() if c.max() > 0}
    terms = _terms(varied, values.size)
    if len(terms) < 2:
        raise InputError(
            "`draws` must let two sources be told apart: some runs share a draw of one while another is drawn anew."
        )
    centered, exponent = as_unit(values)
    if not centered.any():
        raise InputError("all scores are equal; there is no variance to divide.")
    squares, unit, balanced = _analyze(centered, terms), as_square(exponent), all(np.ptp(t.sizes) == 0 for t in terms)
    raw = np.asarray(np.linalg.solve(squares.expected, squares.sums), dtype=np.float64)
    shares = _as_shares(raw[:, None])[:, 0]
    limits = _limits(squares, confidence, rng, n_pivots)
    fewest = min(t.n_levels for t in terms)
    doubts = sampling_doubts(fewest, squares.unequal)
    known: dict[str, Any] = {
        "confidence": confidence, "method": "generalized", "n": fewest,
        "guarantee": "heuristic" if doubts else "approximate",
        "assumptions": (Assumption.NORMAL, *(() if balanced else (Assumption.EQUAL_GROUPS,)), *doubts),
    }  # fmt: skip
    components = tuple(
        Component(
            name=_name(term), sources=tuple(s[0] for s in term.sets if len(s) == 1), interaction=_interaction(term),
            contains=tuple(s for s in term.sets if len(s) > 1 and len(term.sets) > 1),
            share=Interval(estimate=share, low=min(low, share), high=max(high, share), **known),
            variance=max(0.0, value) * unit, raw=value * unit, n_levels=term.n_levels,
        )
        for term, value, share, low, high in zip(terms, raw.tolist(), shares.tolist(), *(end.tolist() for end in limits), strict=True)
    )  # fmt: skip
    return VarianceShares(
        components=components, fixed=tuple(name for name in codes if name not in varied),
        variance=float(centered.var(ddof=1)) * unit, n=values.size, balanced=balanced,
    )  # fmt: skip


def _codes(labels: ArrayLike, n: int, name: str) -> IntArray:
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InputError(f"`draws` of {name!r} must name a draw for each of the {n} scores; got shape {array.shape}.")
    return label_codes(array, "draws")


def _terms(codes: Mapping[str, IntArray], n: int) -> list[_Term]:
    """All different groupings by sets of sources, coarse to fine; the last one separates all rows."""
    found: dict[bytes, tuple[IntArray, list[tuple[str, ...]]]] = {}
    for size in range(1, len(codes) + 1):
        for chosen in itertools.combinations(codes, size):
            joint = _joint([codes[name] for name in chosen])
            found.setdefault(joint.tobytes(), (joint, []))[1].append(chosen)
    rows = np.arange(n, dtype=np.intp)
    if n > 1:
        found.setdefault(rows.tobytes(), (rows, [(REPETITION,)]))
    terms = [_Term(joint, np.bincount(joint), tuple(sets)) for joint, sets in found.values()]
    return sorted(terms, key=lambda term: term.n_levels)


def _joint(codes: list[IntArray]) -> IntArray:
    """The grouping by several sources, groups numbered in order of appearance: equal groupings, equal numbers."""
    joint = codes[0]
    for other in codes[1:]:
        joint = np.unique(joint * (int(other.max()) + 1) + other, return_inverse=True)[1]
    _, first, inverse = np.unique(joint, return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.intp)
    place[np.argsort(first)] = np.arange(first.size)
    return place[inverse]


@dataclass(frozen=True, slots=True, eq=False)
class _Squares:
    """Sums of squares, their expectations in the components (a row for each sum), degrees of freedom.

    `effective` are degrees of freedom that give each sum the variance seen over the draws. `unequal` says
    that the spread of the runs differs from draw to draw of some source.
    """

    sums: FloatArray
    expected: FloatArray
    df: FloatArray
    effective: FloatArray
    unequal: bool


def _analyze(y: FloatArray, terms: list[_Term]) -> _Squares:
    n, m = y.size, len(terms)
    levels = np.array([t.n_levels for t in terms], dtype=np.float64)
    sums, expected, df = np.empty(m), np.empty((m, m)), np.empty(m)
    effects: list[FloatArray] = []
    for i, term in enumerate(terms):
        means = np.bincount(term.codes, weights=y) / term.sizes
        sums[i] = float(np.sum(term.sizes * means**2))
        expected[i] = [_shared(term, other) - float(np.sum(other.sizes.astype(float) ** 2)) / n for other in terms]
        df[i] = levels[i] - 1.0
        effect = means[term.codes]
        for j in range(i):
            if _refines(term, terms[j]):
                sums[i], expected[i], df[i] = sums[i] - sums[j], expected[i] - expected[j], df[i] - df[j]
                effect = effect - effects[j]
        effects.append(effect)
    if np.any(df < 0.5) or np.linalg.cond(expected) > 1e12:
        raise InputError("these draws overlap in too few runs for their variances to be told apart.")
    if m == 2:
        squares = _mean_squares(y, terms[0].codes)
        sums = np.array([squares.between, squares.within]) * df
        expected = df[:, None] * np.array([[squares.size, 1.0], [0.0, 1.0]])
    floor = 1e-14 * float(np.sum(y**2))
    sums = np.where(sums > floor, sums, 0.0)
    # Draws that no coarser ones hold: what is left of the runs may spread unequally over them.
    tops = [t for t in terms if not any(_refines(t, c) for c in terms if c is not t and c.n_levels < t.n_levels)]
    unequal = (
        spread_differs(y, terms[0].codes) if m == 2
        else any(spread_differs(effects[-1], top.codes, float(df[-1])) for top in tops)
    )  # fmt: skip
    return _Squares(sums, expected, df, _effective(effects, terms, tops, df), unequal)


def _shared(one: _Term, other: _Term) -> float:
    """The sum over pairs of groups of n_ab² / n_a, n_ab the rows that they share."""
    joint = one.codes * other.n_levels + other.codes
    _, first, counts = np.unique(joint, return_index=True, return_counts=True)
    return float(np.sum(counts.astype(float) ** 2 / one.sizes[one.codes[first]]))


def _refines(fine: _Term, coarse: _Term) -> bool:
    """Whether every group of `fine` lies within one of `coarse`."""
    first = np.empty(fine.n_levels, dtype=np.intp)
    first[fine.codes] = coarse.codes
    return bool(np.all(first[fine.codes] == coarse.codes))


def _effective(effects: list[FloatArray], terms: list[_Term], tops: list[_Term], df: FloatArray) -> FloatArray:
    """Degrees of freedom lowered to those of a chi-square with the variance that each sum shows.

    A sum of squares adds contributions of independent draws. Their squared coefficient of variation
    over their number is that of the sum; a chi-square variable has 2 / df.
    """
    out = df.copy()
    for i, effect in enumerate(effects):
        for top in tops:
            parts = np.bincount(top.codes, weights=effect**2)
            mean = float(parts.mean())
            if mean > 0.0 and parts.size > 2:
                variation = float(parts.var(ddof=0)) / mean**2
                n = parts.size
                if top is terms[i] and n > 3:
                    # Of n squared deviations it is 2 plus their excess kurtosis, whose bias in small samples is removed.
                    variation = 2.0 + (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * (variation - 2.0) + 6.0)
                out[i] = min(out[i], 2.0 * parts.size / variation if variation > 0.0 else np.inf)
    return np.maximum(out, np.minimum(df, 1.0))


def _limits(
    squares: _Squares, confidence: float, rng: np.random.Generator, n_pivots: int
) -> tuple[FloatArray, FloatArray]:
    chi = rng.chisquare(squares.effective, size=(n_pivots, squares.df.size)).T
    error = (1.0 - confidence) / 2.0

    def ends(sums: FloatArray) -> FloatArray:
        pivots = sums[:, None] * squares.effective[:, None] / np.maximum(chi, 1e-300)
        shares = _as_shares(np.asarray(np.linalg.solve(squares.expected, pivots), dtype=np.float64))
        return np.asarray(np.quantile(shares, [error, 1.0 - error], axis=1))

    low, high = ends(squares.sums)
    # Means that differ less than chance makes them shrink a share to nothing: it may be what chance would have left.
    by_chance = np.maximum(squares.sums, squares.df * squares.sums[-1] / squares.df[-1])
    if np.any(by_chance > squares.sums):
        lower, higher = ends(by_chance)
        return np.minimum(low, lower), np.maximum(high, higher)
    return low, high


def _as_shares(raw: FloatArray) -> FloatArray:
    kept = np.maximum(raw, 0.0)
    shares: FloatArray = kept / kept.sum(axis=0)
    return shares


def _name(term: _Term) -> str:
    mains = [s[0] for s in term.sets if len(s) == 1]
    if mains:
        return mains[0] if len(mains) == 1 else f"{', '.join(mains[:-1])} and {mains[-1]}"
    return " × ".join(_interaction(term))


def _interaction(term: _Term) -> tuple[str, ...]:
    """The sources that act together, where the term stands for that alone."""
    return () if any(len(s) == 1 for s in term.sets) else tuple(sorted(term.sets, key=len)[0])
