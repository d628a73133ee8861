"""What a grouping of the runs explains, what leaving some of them out would gain, and whether the best of many gains is chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.arguments import FloatArray, IntArray, Tail, as_clusters, as_confidence, as_scores, as_tail, label_codes
from ogive.errors import InputError
from ogive.statistics._components import as_unit
from ogive.statistics._distribution import step_function
from ogive.statistics._interval import (
    Assumption,
    Interval,
    quantile_interval,
    spread,
    student_tail_interval,
    tail_influence,
    tail_mean_interval,
)

# Beyond this the noncentral F distribution costs digits and adds nothing to the delta method.
_LARGEST_NONCENTRALITY = 2000.0
N_PERMUTATIONS = 999
# Numbers that one block of permutations may hold: 999 of 50,000 units at once would take 400 MB.
_BLOCK = 2_000_000
# Two sums of the same terms in another order differ by rounding; they are ties.
_TIE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A statistic of all runs, of those that are kept, and the difference; positive is better."""

    before: Interval
    after: Interval
    gain: Interval


def explained_share(
    scores: ArrayLike, groups: ArrayLike, *, confidence: float = 0.95, clusters: ArrayLike | None = None
) -> Interval:
    """The share of the variance that lies between groups of runs.

    Parameters
    ----------
    groups : array-like
        The group of each score: the value of a categorical parameter, or the bin of a numeric one.
    clusters : array-like, optional
        Which scores belong together and count once (several seeds of one configuration).

    Notes
    -----
    Approximate. The estimate is 1 - MS_within / MS_total, the share less what chance alone would
    explain, and 0 where that is negative. The interval is the hull of two: that of the noncentral F
    distribution, exact for normal scores of equal variance in groups of given size, which is right
    near 0; and Student's interval of the delta method, for any distribution, which is right away from
    0. Clusters that lie within groups enter by their means. Simulated coverage:
    docs/reference/sources.md.

    References
    ----------
    Steiger (2004), Beyond the F test: effect size confidence intervals.

    Examples
    --------
    >>> print(explained_share([1, 2, 3, 4, 11, 12, 13, 14], list("aaaabbbb")))
    0.944 [0.726, 0.98]
    """
    values = as_scores(scores, at_least=4)
    confidence = as_confidence(confidence)
    labels = np.asarray(groups)
    if labels.shape != values.shape:
        raise InputError(f"`groups` must name a group for each of the {values.size} scores; got shape {labels.shape}.")
    codes = label_codes(labels, "groups")
    units = as_clusters(clusters, values.size)
    if codes.max() == 0:
        raise InputError("`groups` must name at least two groups.")
    if spread(values) == 0.0:
        raise InputError("all scores are equal; there is no variance to explain.")
    y, _ = as_unit(values)
    total = float(y.var(ddof=1))
    reduced, of = y, codes
    if units is not None:
        group = np.empty(int(units.max()) + 1, dtype=np.intp)
        group[units] = codes
        if np.all(group[units] == codes):
            reduced, of = np.bincount(units, weights=y) / np.bincount(units), group
    if np.unique(of).size == reduced.size:
        raise InputError("`groups` must hold two independent runs or more in some group.")
    estimate, low, high = _between(reduced, of, confidence)
    ratio = min(1.0, float(reduced.var(ddof=1)) / total)
    estimate, low, high = estimate * ratio, low * ratio, high * ratio
    ends = _delta(y, codes, units, estimate, confidence)
    return Interval(
        estimate=estimate, low=max(0.0, min(low, ends[0])), high=min(1.0, max(high, ends[1])), confidence=confidence,
        method="noncentral F and delta", guarantee="approximate", n=reduced.size, assumptions=(Assumption.INDEPENDENT,),
    )  # fmt: skip


def group_rank_test(scores: ArrayLike, groups: ArrayLike, *, clusters: ArrayLike | None = None) -> float:
    """How often groups of the same distribution would differ as much by their ranks.

    Notes
    -----
    Kruskal and Wallis's test, corrected for ties; for two groups that of Wilcoxon, Mann and Whitney, two-sided. Approximate:
    the chi-square distribution, which for groups of five and more errs on the safe side. Clusters that lie within groups
    enter by their means; where they do not, nothing is known of the ranks' spread and the value is NaN.

    References
    ----------
    Kruskal and Wallis (1952), Use of ranks in one-criterion variance analysis, JASA 47.

    Examples
    --------
    >>> round(group_rank_test([1, 2, 3, 4, 11, 12, 13, 14], list("aaaabbbb")), 3)
    0.021
    """
    from scipy.special import chdtrc

    y, codes, units = (
        as_scores(scores, at_least=3),
        label_codes(np.asarray(groups), "groups"),
        as_clusters(clusters, np.size(scores)),
    )
    if units is not None:
        group = np.empty(int(units.max()) + 1, dtype=np.intp)
        group[units] = codes
        if not np.all(group[units] == codes):
            return math.nan
        y, codes = np.bincount(units, weights=y) / np.bincount(units), group
    _, place, counts = np.unique(y, return_inverse=True, return_counts=True)
    ranks, n = (np.cumsum(counts) - (counts - 1) / 2.0)[place], y.size
    sizes = np.bincount(codes)
    held = sizes > 0
    tied = 1.0 - float(np.sum(counts.astype(float) ** 3 - counts)) / (float(n) ** 3 - n)
    if tied <= 0.0 or np.count_nonzero(held) < 2:
        return 1.0
    off = np.bincount(codes, weights=ranks - (n + 1) / 2.0)[held]
    found = 12.0 / (n * (n + 1)) * float(np.sum(off**2 / sizes[held])) / tied
    return float(chdtrc(np.count_nonzero(held) - 1, found))


def _between(y: FloatArray, codes: IntArray, confidence: float) -> tuple[float, float, float]:
    """The adjusted share between groups with the noncentral F interval."""
    n, sizes = y.size, np.bincount(codes)
    k = int(np.count_nonzero(sizes))
    means = np.bincount(codes, weights=y) / np.maximum(sizes, 1)
    between, around = float(np.sum(sizes * (means - y.mean()) ** 2)), float(np.sum((y - y.mean()) ** 2))
    within = max(around - between, 0.0) / (n - k)
    if around <= 0.0:
        return 0.0, 0.0, 1.0
    estimate = max(0.0, 1.0 - within * (n - 1) / around)
    if within <= 1e-14 * around:
        return estimate, estimate, 1.0
    ratio = between / (k - 1) / within
    if ratio * (k - 1) > _LARGEST_NONCENTRALITY:
        return estimate, estimate, estimate
    low, high = (_noncentrality(ratio, k - 1, n - k, p) for p in (0.5 + confidence / 2.0, 0.5 - confidence / 2.0))
    return estimate, min(estimate, low / (low + n)), max(estimate, high / (high + n))


def _noncentrality(ratio: float, df: int, df_within: int, p: float) -> float:
    """The noncentrality at which an F variable stays below `ratio` with probability p; 0 where none does."""
    from scipy.optimize import brentq
    from scipy.special import fdtr, ncfdtr

    if float(fdtr(df, df_within, ratio)) <= p:
        return 0.0
    high = 10.0 + 2.0 * ratio * df
    while float(ncfdtr(df, df_within, high, ratio)) > p and high < 1e6:
        high *= 2.0
    return float(brentq(lambda nc: float(ncfdtr(df, df_within, nc, ratio)) - p, 1e-9, high, xtol=1e-6))


def _delta(
    y: FloatArray, codes: IntArray, units: IntArray | None, estimate: float, confidence: float
) -> tuple[float, float]:
    """Student's interval around the share, from the spread of each run's part in it."""
    from scipy.special import stdtrit

    sizes = np.bincount(codes)
    means = np.bincount(codes, weights=y) / sizes
    inside, around = (y - means[codes]) ** 2, (y - y.mean()) ** 2
    parts = (inside - inside.mean() / around.mean() * around) / around.mean()
    parts = parts if units is None else np.bincount(units, weights=parts)
    half = float(stdtrit(max(1, parts.size - sizes.size), 0.5 + confidence / 2.0)) * math.sqrt(float(np.sum(parts**2)))
    return estimate - half / y.size, estimate + half / y.size


def restriction_gain(
    scores: ArrayLike, kept: ArrayLike, *, statistic: Literal["median", "tail"], tail: str = "lower", mass: float = 0.1,
    confidence: float = 0.95, clusters: ArrayLike | None = None,
) -> Gain:  # fmt: skip
    """What a statistic gains when only the runs in `kept` are made.

    Parameters
    ----------
    kept : array-like of bool
        Which runs would still be made. It must not depend on these scores.
    statistic : {"median", "tail"}
        The median, or the mean of the share `mass` of runs at the bad end.
    tail : {"lower", "upper"}
        Which end is bad; the gain is positive where the statistic moves away from it.

    Notes
    -----
    Approximate: limits of the two statistics, which share runs, are combined with the correlation of
    their first-order terms (MOVER; none is counted where scores are so few that medians jump). The mean
    of the worst runs is too good in small samples, so the interval of its gain is moved down by what
    that makes out. Simulated coverage: docs/reference/sources.md.

    References
    ----------
    Zou (2008), On the estimation of additive interaction by use of the four-by-two table and beyond.

    Examples
    --------
    >>> g = restriction_gain(range(200), [i >= 100 for i in range(200)], statistic="median")
    >>> g.before.estimate, g.after.estimate, g.gain.low > 0
    (99.5, 149.5, True)
    """
    values, end = as_scores(scores, at_least=2), as_tail(tail)
    if statistic not in ("median", "tail"):
        raise InputError(f"`statistic` must be 'median' or 'tail'; got {statistic!r}.")
    mask = np.asarray(kept, dtype=np.bool_)
    if mask.shape != values.shape or not mask.any():
        raise InputError("`kept` must say for each score whether it is kept, and keep at least one.")
    units = as_clusters(clusters, values.size)
    all_runs, kept_runs = (values, units), (values[mask], None if units is None else units[mask])

    def limits(y: FloatArray, of: IntArray | None) -> Interval:
        if statistic == "median":
            return (
                quantile_interval(y, 0.5, confidence=confidence) if of is None else _clustered_median(y, of, confidence)
            )
        return tail_mean_interval(y, mass=mass, tail=end, confidence=confidence, clusters=of)

    before, after = limits(*all_runs), limits(*kept_runs)
    together = _correlation(values, mask, units, (before.estimate, after.estimate), statistic, end, mass)
    if statistic == "median":
        found = _mover(after, before, together, 0.0)
    else:
        optimism = _tail_bias(values[mask], after.n, end, mass) - _tail_bias(values, before.n, end, mass)
        # Combined with limits that stop at a quantile the gain of exponential scores is covered 0.91 instead of 0.98.
        b, a = (
            student_tail_interval(y, mass, end, confidence, as_clusters(of, y.size)) for y, of in (all_runs, kept_runs)
        )
        found = _mover(a, b, together, optimism)
    return Gain(before=before, after=after, gain=found if end == "lower" else found.negated())


def _clustered_median(y: FloatArray, units: IntArray, confidence: float) -> Interval:
    """The median of runs in clusters: the share of runs up to it varies over clusters as a mean does (Woodruff 1952)."""
    from scipy.special import stdtrit

    distribution = step_function(y, np.unique(units, return_inverse=True)[1].astype(np.intp))
    middle = distribution.quantile(0.5)
    sizes = np.bincount(units)
    shares = (np.bincount(units, weights=y <= middle) / np.maximum(sizes, 1))[sizes > 0]
    k = shares.size
    # Clusters that all lie on one side of the median vary like coin tosses, whatever few of them show.
    deviation = max(float(shares.std(ddof=1)), 0.25) if k > 1 else math.inf
    half = float(stdtrit(k - 1, 0.5 + confidence / 2.0)) * deviation / math.sqrt(k) if k > 1 else math.inf
    low = distribution.quantile(0.5 - half) if half < 0.5 else -math.inf
    high = distribution.quantile(0.5 + half) if half < 0.5 else math.inf
    return Interval(
        estimate=distribution.median(), low=low, high=high, confidence=confidence, method="Woodruff", guarantee="approximate", n=k,
        assumptions=(Assumption.INDEPENDENT,),
    )  # fmt: skip


def _correlation(
    y: FloatArray, mask: np.ndarray, units: IntArray | None, at: tuple[float, float], statistic: str, end: Tail, mass: float
) -> float:  # fmt: skip
    """Of the two estimates, by the first-order part that each run, or unit of runs, has in them."""
    parts = []
    for chosen, value in ((np.ones(y.size, dtype=np.bool_), at[0]), (mask, at[1])):
        terms = (y[chosen] > value).astype(float) if statistic == "median" else tail_influence(y[chosen], mass, end)
        part = np.zeros(y.size)
        part[chosen] = (terms - terms.mean()) / terms.size
        parts.append(part if units is None else np.bincount(units, weights=part))
    # Where many scores equal a median, it stays or jumps instead of moving.
    tied = max(float(np.mean(y == value)) for value in at)
    if statistic == "median" and tied * math.sqrt(y.size) > 0.2:
        return 0.0
    size = math.sqrt(float(np.sum(parts[0] ** 2)) * float(np.sum(parts[1] ** 2)))
    return min(max(float(np.sum(parts[0] * parts[1])) / size, 0.0), 0.99) if size > 0.0 else 0.0


def _tail_bias(y: FloatArray, n: int, end: Tail, mass: float) -> float:
    """By how much the mean of the worst share is too large, for the lower tail: (1 - mass) / (2 n f) at its quantile.

    The empirical tail mean is the maximum over c of c - E(c - Z)+ / mass; a maximum of noisy values
    exceeds that of their means by half the gradient's variance over the curvature. The density f is
    that between half and one and a half times the share.
    """
    low, high = (mass / 2.0, 1.5 * mass) if end == "lower" else (1.0 - 1.5 * mass, 1.0 - mass / 2.0)
    width = float(np.quantile(y, min(high, 1.0)) - np.quantile(y, max(low, 0.0)))
    size = (1.0 - mass) / (2.0 * n) * width / mass
    return size if end == "lower" else -size


def _mover(a: Interval, b: Interval, correlation: float, optimism: float) -> Interval:
    """The difference a - b from the limits of both (method of variance estimates recovery)."""

    def reach(one: float, other: float) -> float:
        if not (math.isfinite(one) and math.isfinite(other)):
            return math.inf
        return math.sqrt(max(one**2 + other**2 - 2.0 * correlation * one * other, 0.0))

    difference = a.estimate - b.estimate
    center = difference - optimism
    heuristic = "heuristic" in (a.guarantee, b.guarantee)
    return Interval(
        estimate=difference, low=center - reach(a.estimate - a.low, b.high - b.estimate),
        high=center + reach(a.high - a.estimate, b.estimate - b.low), confidence=a.confidence, method="MOVER",
        guarantee="heuristic" if heuristic else "approximate", n=a.n, assumptions=(Assumption.INDEPENDENT,),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Units in groups, and the sets of groups that could be kept for each target.

    `codes` is the group of each unit. `sets[t]` holds for target t a row of flags for each set: which
    groups it keeps.
    """

    codes: IntArray
    sets: tuple[NDArray[np.bool_], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Permutable:
    """Units with what each gives to the targets, and all groupings of them.

    `parts[t, u]` is the first-order part of unit u in the gain of target t.
    """

    parts: FloatArray
    groupings: tuple[Grouping, ...]


def first_order_parts(
    better: FloatArray, units: IntArray | None, *, statistic: Literal["median", "tail"], mass: float = 0.1
) -> FloatArray:
    """What each unit gives to the gain of a statistic when it is kept, to first order; they add to zero.

    `better` are scores of which large ones are good. The median gains by runs above it and loses by runs
    below; the mean of the worst share loses by what a run falls short of that share's quantile.
    """
    if statistic == "median":
        terms = np.sign(better - np.sort(better)[(better.size - 1) // 2])
    else:
        terms = np.minimum(better - np.sort(better)[max(0, math.ceil(mass * better.size - 1e-9) - 1)], 0.0)
    terms = terms - terms.mean()
    return np.asarray(terms if units is None else np.bincount(units, weights=terms), dtype=np.float64)


def largest_gain_test(
    fields: Sequence[Permutable], *, rng: np.random.Generator, n_permutations: int = N_PERMUTATIONS
) -> list[list[list[FloatArray]]]:
    """How often chance alone brings a gain as large as each candidate's, among all candidates together.

    Parameters
    ----------
    fields : sequence of Permutable
        Units with groupings. Several where groupings exist for different units only; they are permuted
        one by one.

    Returns
    -------
    list
        For each field, grouping and target a p-value for each candidate set.

    Notes
    -----
    Exact for every distribution, whatever the scores of different units share, if the groups of the units
    were drawn independently of each other and have nothing to do with the scores: the parts of the units
    are permuted among them, all candidates of all groupings at once. A candidate's statistic is the sum of
    its units' parts over the standard deviation that permutation gives it. Its p-value is the share of
    permutations, the one seen among them, in which the largest statistic of any candidate is as large
    (Westfall and Young's single step), so the p-values of all candidates hold together: where some
    groupings matter, the others keep the error. Candidates must not depend on these scores. Sums of
    groups give the sums of all sets, so a permutation costs no more for many sets than for one. Neither
    the order of the units nor that of their groups' names matters.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, section 2.3. Pitman (1937), Significance
    tests which may be applied to samples from any populations.
    """
    # The seen statistics of every field, grouping, target and set, and the largest of each permutation.
    seen = [
        [
            [_statistics(part[None, :], g.codes, w)[0] for part, w in zip(field.parts, _weights(field, g), strict=True)]
            for g in field.groupings
        ]
        for field in fields
    ]
    largest = np.full(n_permutations, -math.inf)
    for field in fields:
        n = field.parts.shape[1]
        parts = field.parts[:, np.lexsort(field.parts[::-1])]
        codes = np.array([g.codes for g in field.groupings])
        order = np.lexsort(codes[::-1])
        step = max(1, _BLOCK // max(1, n))
        groupings = [(g.codes[order], _weights(field, g)) for g in field.groupings]
        for start in range(0, n_permutations, step):
            stop = min(n_permutations, start + step)
            places = rng.permuted(np.tile(np.arange(n), (stop - start, 1)), axis=1)
            for t, part in enumerate(parts):
                shuffled = part[places]
                for groups, weights in groupings:
                    found = _statistics(shuffled, groups, weights[t])
                    if found.shape[1]:
                        np.maximum(largest[start:stop], found.max(axis=1), out=largest[start:stop])
    ordered = np.sort(largest)

    def p_values(statistics: FloatArray) -> FloatArray:
        at_least = n_permutations - np.searchsorted(ordered, statistics - _TIE * np.abs(statistics))
        return np.asarray((1.0 + at_least) / (1.0 + n_permutations), dtype=np.float64)

    return [[[p_values(statistics) for statistics in by_target] for by_target in by_grouping] for by_grouping in seen]


def _weights(field: Permutable, grouping: Grouping) -> list[FloatArray]:
    """For each target what the sum of each group counts in each set's statistic."""
    n = grouping.codes.size
    sizes = np.bincount(grouping.codes, minlength=grouping.sets[0].shape[1])
    out: list[FloatArray] = []
    for part, sets in zip(field.parts, grouping.sets, strict=True):
        kept = sets @ sizes
        # The variance of a sum of `kept` of n values drawn without replacement, whose mean is 0.
        variance = kept * (n - kept) / max(n * (n - 1.0), 1.0) * float(np.sum(part**2))
        scale = np.where(variance > 0.0, 1.0 / np.sqrt(np.where(variance > 0.0, variance, 1.0)), 0.0)
        out.append(np.asarray((sets * scale[:, None]).T, dtype=np.float64))
    return out


def _statistics(parts: FloatArray, codes: IntArray, weights: FloatArray) -> FloatArray:
    """The statistic of every set (columns) for every row of parts.

    Sums of neighbors after sorting by group: a matrix product would start threads, which took five times
    the processor time of this.
    """
    order = np.argsort(codes, kind="stable")
    present, starts = np.unique(codes[order], return_index=True)
    sums = np.add.reduceat(parts[:, order], starts, axis=1)
    return np.asarray(np.einsum("bg,gs->bs", sums, weights[present]), dtype=np.float64)
