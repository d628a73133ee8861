"""From the runs of many methods on many tasks to the differences of pairs of them, and to tiers.

One pass over the tasks; on each, arrays over pairs. Nothing is resampled: variances are those of the
terms whose mean a statistic is (scores, tail terms, placements), so that a ranking of five hundred
methods costs what its table costs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray
from ogive.results import Guarantee
from ogive.stages import counting
from ogive.statistics._bootstrap import interquartile_mean
from ogive.statistics._differences import (
    BLOCK,
    ClusteredShares,
    Differences,
    DiscordantDifferences,
    MixedDifferences,
    PlacementDifferences,
    QuantileDifferences,
    ShareDifferences,
    StudentDifferences,
    WidestDifferences,
    quantile_limits,
)
from ogive.statistics._distribution import step_function
from ogive.statistics._interval import LARGE, ROUNDING, Assumption, tail_count, tail_influence

Kind: TypeAlias = Literal["improvement", "mean", "worst", "iqm", "q"]
Over: TypeAlias = Literal["fixed", "sample"]

# Twenty runs a side with a collapse in one of twenty claimed a worse tail in 0.19 of equal methods.
FEW_FOR_TAIL = 50
# Ten in a tail are too few where its quantile lies in a gap: 8 % of collapses told equal methods apart in 0.11 at 100 runs.
FEW_IN_BOTH_TAILS = 20
FEW_FOR_IQM = 10
# Two or three scores that happen to be alike show no spread: of two modes, 2 against 2 runs told equal methods apart in
# 0.12 of samples and eight methods of three runs in 0.40 of tables.
FEW_FOR_MEANS, FEW_PAIRS, FEW_TASKS, FEW_DEGREES = 5, 6, 6, 20
# Fewer clusters cannot show how rare a dissenting one is.
FEW_CLUSTERS = 20
# Joint draws need a root of one matrix for each method; beyond, Holm's rule does without them.
MOST_JOINT = 100
FEWEST_FOR_JOINT = 30


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Scores [method, draw] of methods that share draws, NaN where a method lacks one; the cluster of each draw."""

    scores: FloatArray
    clusters: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TaskRuns:
    """The runs of all methods on one task, turned so that larger is better.

    `scores` holds one sorted array for each method, with one score for each unit; `draws` the ways in
    which runs of several methods can be joined.
    """

    scores: tuple[FloatArray, ...]
    draws: tuple[Draws, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """Which difference is asked for.

    Attributes
    ----------
    kind, amount : str, float
        improvement, mean, iqm, worst (with its share), q (with its level on the scores as turned).
    over : {"fixed", "sample"}
        Whether the tasks are these, or a sample of tasks like these.
    binary : bool
        Every score of the metric is 0 or 1.
    test_share : float or None
        n_test / n_train where runs are splits of the same rows.
    """

    kind: Kind
    amount: float = math.nan
    over: Over = "fixed"
    guaranteed: bool = False
    binary: bool = False
    test_share: float | None = None


def differences_between(
    tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, joined: IntArray, asked: Asked
) -> Differences:
    """The differences first − second of pairs of methods, averaged over tasks.

    `joined` says for each pair which of the tasks' `draws` joins it, -1 where its runs are independent.
    """
    parts = []
    for way in np.unique(joined).tolist():
        at = np.flatnonzero(joined == way)
        parts.append((at, _of_one_kind(tasks, first[at], second[at], int(way), asked)))
    return MixedDifferences.of(parts)


def _of_one_kind(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int, asked: Asked) -> Differences:
    clustered = way >= 0 and any(t.draws[way].clusters is not None for t in tasks)
    fixed = asked.over == "fixed"
    if asked.kind == "q" and fixed:
        return _quantiles(tasks, first, second, way, asked)
    if asked.kind == "improvement":
        if not fixed:
            return _sampled_improvements(tasks, first, second, way)
        if clustered:
            return _clustered_improvements(tasks, first, second, way)
        if way >= 0:
            return _discordant(tasks, first, second, way, asked, unit=1.0, even=0.5)
        if asked.binary:  # a run that is right beats one that is wrong: half the difference of shares, beyond a half
            return _shares(tasks, first, second, unit=1.0, even=0.5)
        return _placements(tasks, first, second)
    if asked.kind == "mean" and asked.binary and fixed and asked.test_share is None and not clustered:
        if way >= 0:
            return _discordant(tasks, first, second, way, asked, unit=2.0, even=0.0)
        return _shares(tasks, first, second, unit=2.0, even=0.0)
    return _averages(tasks, first, second, way, asked)


# ---------------------------------------------------------------- means, worst shares, interquartile means


class _Sum:
    """Averages over tasks of k estimates, with their standard errors and degrees of freedom, one row for each way.

    Squares and fourth powers are never formed of what has a unit: scores of 1e-90 have a variance of 1e-180,
    and its square is nothing.
    """

    def __init__(self, n_ways: int, k: int) -> None:
        self.k, self.estimates, self.size = k, list[FloatArray](), np.zeros(k)
        self.deviation, self.fourth = (np.zeros((n_ways, k)) for _ in range(2))

    def add(self, estimate: FloatArray, ways: Sequence[tuple[FloatArray, FloatArray]], size: FloatArray) -> None:
        """One task's estimates, (standard error, degrees of freedom) in each way, and the size of each pair's scores."""
        self.estimates.append(estimate)
        self.size = np.maximum(self.size, size)
        for row, (deviation, df) in enumerate(ways):
            self.deviation[row] = np.hypot(self.deviation[row], deviation)
            self.fourth[row] = _fourth_root(self.fourth[row], deviation, df)

    def of_tasks(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean, its standard error and degrees of freedom (Satterthwaite 1946), with these tasks fixed."""
        with np.errstate(invalid="ignore", divide="ignore"):
            df = np.where(self.fourth > 0.0, (self.deviation / self.fourth) ** 4, 0.0)
        t, mean = len(self.estimates), np.empty(self.k)
        for at in _blocks(self.k, len(self.estimates)):
            mean[at] = np.sum(self._columns(at) / t, axis=0)
        return mean, self.deviation / t, df

    def of_sample(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same, with the tasks a sample."""
        t, mean, deviation = len(self.estimates), np.empty(self.k), np.empty(self.k)
        for at in _blocks(self.k, len(self.estimates)):
            found = self._columns(at)
            mean[at] = np.sum(found / t, axis=0)
            span = found.max(axis=0) - found.min(axis=0)
            spread = span > ROUNDING * self.size[at]
            unit = np.where(spread, span, 1.0)
            wide = unit * np.sqrt(np.sum(((found - mean[at]) / unit) ** 2, axis=0) / (max(t - 1, 1) * t))
            deviation[at] = np.where(spread, wide, 0.0)
        return mean, deviation[None], np.full((1, self.k), t - 1.0)

    def _columns(self, at: slice) -> FloatArray:
        """[task, pair]"""
        return np.array([estimate[at] for estimate in self.estimates])


def _fourth_root(fourth: FloatArray, deviation: FloatArray, df: FloatArray) -> FloatArray:
    """(fourth⁴ + deviation⁴ / df)^¼."""
    largest = np.fmax(fourth, deviation)
    unit = np.where(largest > 0.0, largest, 1.0)
    return np.asarray(unit * ((fourth / unit) ** 4 + (deviation / unit) ** 4 / df) ** 0.25)


def _averages(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int, asked: Asked) -> Differences:
    tasks, unit = _summable(tasks, way)
    total, runs = _Sum(1 if way >= 0 else 2, first.size), np.zeros(first.size, dtype=np.intp)
    few = np.full(first.size, np.iinfo(np.intp).max)
    unequal = np.zeros(first.size, dtype=bool)
    for task in counting(tasks, "comparing methods, by task"):
        part = _paired_part if way >= 0 else _independent_part
        sizes = np.array([s.size for s in task.scores])
        unequal |= sizes[first] != sizes[second]
        estimate, ways, n, smallest = part(task, first, second, way, asked)
        total.add(estimate, ways, _of_both(np.array([np.abs(s).max(initial=0.0) for s in task.scores]), first, second))
        runs += n
        few = np.minimum(few, smallest)
    sample = asked.over == "sample"
    estimate, deviations, degrees = total.of_sample() if sample else total.of_tasks()
    if sample and way < 0:
        # Few runs of one method and many of the other differ on every task to the same side where scores are skewed, and
        # t over tasks takes that for agreement: false in up to 0.59 of tables. The pooled spread within tasks knows better.
        _, within, df = total.of_tasks()
        deviations = np.vstack([deviations, np.where(unequal, within[1], 0.0)])
        degrees = np.vstack([degrees, df[1]])
    name = {"mean": "t", "worst": "tail t", "iqm": "trimmed t", "q": "t"}[asked.kind]
    if asked.test_share is not None:
        method = "corrected resampled t"
    elif way >= 0:
        method = f"paired {name}"
    else:
        method = name if sample else f"wider of Welch's and the pooled {name}"
    guarantees, assumptions = _labels(asked, few, sample, len(tasks), way, runs)
    return StudentDifferences(
        estimate=estimate * unit, even=0.0, n=np.full(first.size, len(tasks)) if sample else runs,
        method=method + (" of tasks" if sample else ""), guarantees=guarantees, assumptions=assumptions,
        deviations=deviations * unit, degrees=degrees, flat=_flat(asked, way, sample),
        joint=None if sample else _joint_averages(tasks, first, second, way, asked, few),
    )  # fmt: skip


def _summable(tasks: Sequence[TaskRuns], way: int) -> tuple[Sequence[TaskRuns], float]:
    """Tasks with scores over a power of two, and that power: 1 unless a sum of them could overflow."""
    held = [s for t in tasks for s in (*t.scores, *(d.scores for d in t.draws if way >= 0))]
    if max((float(np.nanmax(np.abs(s), initial=0.0)) for s in held), default=0.0) < LARGE:
        return tasks, 1.0
    unit = 2.0**100
    return [
        TaskRuns(tuple(s / unit for s in t.scores), tuple(Draws(d.scores / unit, d.clusters) for d in t.draws))
        for t in tasks
    ], unit


def _of_both(size: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """The larger of two methods' sizes: what a third one scores decides nothing about them."""
    return np.asarray(np.maximum(size[first], size[second]))


def _labels(
    asked: Asked, few: IntArray, sample: bool, n_tasks: int, way: int, runs: IntArray
) -> tuple[tuple[Guarantee, ...], tuple[str, ...]]:
    """How sure the limits are, by numbers alone: what so few runs show of their spread may be nothing."""
    if asked.test_share is not None:
        return _all("heuristic", few.size), (Assumption.FOLDS,)
    if sample:
        return _all("approximate" if n_tasks >= FEW_TASKS else "heuristic", few.size), (Assumption.RANDOM_TASKS,)
    assumptions = _drawn(Assumption.PAIRS if way >= 0 else Assumption.INDEPENDENT, n_tasks)
    scanty = few < (FEW_PAIRS if way >= 0 else FEW_FOR_MEANS)
    if n_tasks > 1:
        scanty &= runs - (1 if way >= 0 else 2) * n_tasks < FEW_DEGREES
    if scanty.any():
        assumptions = (*assumptions, Assumption.FEW_RUNS)
    if asked.kind == "worst":
        scarce, empty = few < FEW_FOR_TAIL, np.ceil(few * asked.amount - 1e-9) < FEW_IN_BOTH_TAILS
        short = scarce | empty
        if short.any():
            assumptions = (*assumptions, Assumption.SHORT_TAIL if empty.any() else Assumption.SCARCE_TAIL)
    else:
        short = few < (FEW_FOR_IQM if asked.kind == "iqm" else 0)
    return tuple("heuristic" if s else "approximate" for s in (short | scanty).tolist()), assumptions


def _flat(asked: Asked, way: int, sample: bool) -> str:
    """Why limits are infinite where nothing was seen of a spread."""
    if sample:
        return Assumption.EQUAL_TASKS
    if asked.kind == "worst":
        return Assumption.EQUAL_TAIL
    if asked.kind == "iqm":
        return Assumption.EQUAL_MIDDLE
    return Assumption.EQUAL_PAIRS if way >= 0 else Assumption.EQUAL_SCORES


def _drawn(unit: Assumption, n_tasks: int) -> tuple[str, ...]:
    """What is drawn: units of one task, or of several that are these and no others."""
    return (unit,) if n_tasks == 1 else (unit, Assumption.FIXED_TASKS)


def _all(kind: Guarantee, k: int) -> tuple[Guarantee, ...]:
    return (kind,) * k


def _terms(scores: FloatArray, asked: Asked) -> tuple[float, FloatArray, float]:
    """The statistic, terms whose mean it is to first order, and their degrees of freedom."""
    n = scores.size
    if asked.kind == "mean":
        return float(scores.mean()), scores, n - 1.0
    if asked.kind == "iqm":
        # As far from one end as from the other, so that turned scores have the same spread.
        ordered, quarter = np.sort(scores), math.ceil(n / 4.0)
        inner = np.clip(scores, ordered[quarter - 1], ordered[n - quarter])
        return interquartile_mean(scores), inner / 0.5, max(math.ceil(n / 2.0) - 1.0, 0.0)
    if asked.kind == "q":
        return quantile_limits(np.sort(scores), asked.amount, 0.5)[0], scores, n - 1.0
    estimate = step_function(scores).cvar(mass=asked.amount, tail="lower")
    return estimate, tail_influence(scores, asked.amount, "lower"), tail_count(n, asked.amount) - 1.0


def _spread(terms: FloatArray, magnified: float) -> float:
    """The standard deviation of terms; 0 where they differ by rounding only, NaN where one says nothing."""
    if terms.size < 2:
        return math.nan
    span = float(np.ptp(terms))
    if span <= magnified * ROUNDING * float(np.abs(terms).max()):
        return 0.0
    return span * float((terms / span).std(ddof=1))


def _magnified(asked: Asked) -> float:
    """By how much terms are larger than the scores that they are made of."""
    return 1.0 / asked.amount if asked.kind == "worst" else 2.0


Part: TypeAlias = tuple[FloatArray, list[tuple[FloatArray, FloatArray]], IntArray, IntArray]


def _independent_part(task: TaskRuns, first: IntArray, second: IntArray, way: int, asked: Asked) -> Part:
    """One task: Welch's way and the pooled one."""
    found = [_terms(s, asked) for s in task.scores]
    estimate = np.array([e for e, _, _ in found])
    spread = np.array([_spread(terms, _magnified(asked)) for _, terms, _ in found])
    n, df = np.array([float(s.size) for s in task.scores]), np.array([d for _, _, d in found])
    (ea, eb), (sa, sb), (na, nb), (da, db) = ((v[first], v[second]) for v in (estimate, spread, n, df))
    unit = np.fmax(sa, sb)
    with np.errstate(invalid="ignore", divide="ignore"):
        ra, rb = sa / unit, sb / unit
        u, v = ra**2 / na, rb**2 / nb
        welch_df = (u + v) ** 2 / (u**2 / da + v**2 / db)
        # One run has no spread of its own, but that of the other method.
        squares = np.where(na > 1.0, (na - 1.0) * ra**2, 0.0) + np.where(nb > 1.0, (nb - 1.0) * rb**2, 0.0)
        pooled = squares / (na + nb - 2.0) * (1.0 / na + 1.0 / nb)
    unknown = np.isnan(sa + sb) | (da < 1.0) | (db < 1.0)
    nothing = np.isnan(unit) | (np.maximum(da, db) < 1.0)

    def error_of(square: FloatArray, missing: NDArray[np.bool_]) -> FloatArray:
        return np.where(missing, np.nan, np.where(unit > 0.0, unit * np.sqrt(np.maximum(square, 0.0)), 0.0))

    ways = [
        (error_of(u + v, unknown), np.where(unknown | ~(welch_df > 0.0), 1.0, welch_df)),
        (error_of(pooled, nothing), np.maximum(np.maximum(da, 0.0) + np.maximum(db, 0.0), 1.0)),
    ]
    sizes = n.astype(np.intp)
    return ea - eb, ways, sizes[first] + sizes[second], np.minimum(sizes[first], sizes[second])


def _paired_part(task: TaskRuns, first: IntArray, second: IntArray, way: int, asked: Asked) -> Part:
    """One task: the variance of the pairs' differences."""
    draws = task.draws[way]
    x, clusters = draws.scores, draws.clusters
    if asked.kind in ("worst", "iqm", "q"):
        return _paired_terms(x, clusters, first, second, asked)
    if clusters is not None and not np.isnan(x).any():
        x, clusters = _cluster_means(x, clusters), None
    n, estimate, deviation = (np.empty(first.size) for _ in range(3))
    size = _of_both(np.nanmax(np.abs(x), axis=1, initial=0.0), first, second)
    for at in _blocks(first.size, x.shape[1]):
        gaps = x[first[at]] - x[second[at]]
        if clusters is not None:
            gaps = _cluster_means(gaps, clusters)
        n[at], estimate[at], deviation[at] = _moments(gaps, size[at])
    scale = np.sqrt(1.0 / np.maximum(n, 1.0) + (asked.test_share or 0.0))
    counts = n.astype(np.intp)
    return estimate, [(deviation * scale, np.maximum(n - 1.0, 1.0))], counts, counts


def _paired_terms(x: FloatArray, clusters: IntArray | None, first: IntArray, second: IntArray, asked: Asked) -> Part:
    """Tails of pairs: terms of each method's own runs, subtracted where both have them."""
    if clusters is not None:
        x = _cluster_means(x, clusters)
    terms, estimates, degrees = np.full_like(x, np.nan), np.empty(x.shape[0]), np.empty(x.shape[0])
    for m, row in enumerate(x):
        there = ~np.isnan(row)
        found = _terms(row[there], asked) if there.any() else (math.nan, row[there], 0.0)
        estimates[m], terms[m, there], degrees[m] = found
    n, deviation = np.empty(first.size), np.empty(first.size)
    size = _of_both(np.nanmax(np.abs(terms), axis=1, initial=0.0), first, second) * _magnified(asked)
    for at in _blocks(first.size, x.shape[1]):
        with np.errstate(invalid="ignore"):  # failed runs of both, at minus infinity, differ by nothing that is known
            n[at], _, deviation[at] = _moments(terms[first[at]] - terms[second[at]], size[at])
    df = np.minimum(degrees[first], degrees[second])
    deviation = np.where(df < 1.0, np.nan, deviation) * np.sqrt(1.0 / np.maximum(n, 1.0) + (asked.test_share or 0.0))
    counts = n.astype(np.intp)
    return estimates[first] - estimates[second], [(deviation, np.maximum(df, 1.0))], counts, counts


def _moments(gaps: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Number, mean and standard deviation of each row without its NaN.

    The deviation is 0 where it is no more than rounding of scores of this size, NaN where one value is left.
    """
    there = ~np.isnan(gaps)
    n = there.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, gaps, 0.0).sum(axis=1) / n
        span = np.where(there, gaps, -np.inf).max(axis=1) - np.where(there, gaps, np.inf).min(axis=1)
        spread = span > ROUNDING * size
        unit = np.where(spread, span, 1.0)
        centered = np.where(there, (gaps - mean[:, None]) / unit[:, None], 0.0)
        deviation = unit * np.sqrt((centered**2).sum(axis=1) / (n - 1.0))
    return n, mean, np.where(n < 2.0, np.nan, np.where(spread, deviation, 0.0))


def _blocks(k: int, width: int) -> list[slice]:
    """Pairs that are worked on at once; all 124,750 of 500 methods on 200 tasks would take 200 MB in each step.

    No block holds a single pair, unless there is one: numpy sums a single column in another order.
    """
    starts = list(range(0, k, max(2, BLOCK // max(width, 1))))
    starts = starts[:-1] if len(starts) > 1 and k - starts[-1] == 1 else starts
    return [slice(a, b) for a, b in itertools.pairwise([*starts, k])]


def _cluster_means(x: FloatArray, clusters: IntArray) -> FloatArray:
    """[row, cluster] means of what is there; NaN where nothing is."""
    there = ~np.isnan(x)
    _, codes = np.unique(clusters, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes))[:-1]))
    total = np.add.reduceat(np.where(there, x, 0.0)[:, order], starts, axis=1)
    count = np.add.reduceat(there[:, order].astype(np.float64), starts, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count > 0.0, total / count, np.nan))


def _joint_averages(
    tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int, asked: Asked, few: IntArray
) -> Callable[[np.random.Generator, int], FloatArray] | None:
    """Normal draws of all methods' averages with the covariance seen; None for few runs, gaps or clusters."""
    if first.size < 2 or few.min() < FEWEST_FOR_JOINT or asked.test_share is not None:
        return None
    if way >= 0 and any(t.draws[way].clusters is not None or np.isnan(t.draws[way].scores).any() for t in tasks):
        return None

    def draw(rng: np.random.Generator, n_draws: int) -> FloatArray:
        unit, together = _covariance(tasks, way, asked)
        normal = rng.standard_normal((n_draws, unit.size))
        errors = (normal if way < 0 else normal @ root(together)) * unit
        a, b = unit[first], unit[second]
        larger = np.where(np.maximum(a, b) > 0.0, np.maximum(a, b), 1.0)
        a, b = a / larger, b / larger
        both = together[first, first] * a**2 + together[second, second] * b**2
        square = both - 2.0 * together[first, second] * a * b
        known = square > 1e-14 * both  # of methods that move as one only rounding is left
        return np.asarray(
            (errors[:, first] - errors[:, second]) / np.where(known, larger * np.sqrt(np.maximum(square, 0.0)), np.inf)
        )

    return draw


def _covariance(tasks: Sequence[TaskRuns], way: int, asked: Asked) -> tuple[FloatArray, FloatArray]:
    """A unit for each method, and the covariance of the methods' averages in these units.

    Without units of their own the others drown in the rounding of a method that diverged to 1e30.
    """
    if way < 0:
        deviation = np.zeros(len(tasks[0].scores))
        for task in counting(tasks, "comparing methods, by task"):
            found = [_spread(_terms(s, asked)[1], _magnified(asked)) / math.sqrt(s.size) for s in task.scores]
            deviation = np.hypot(deviation, found)
        return deviation, np.eye(deviation.size)
    terms = [np.array([_terms(row, asked)[1] for row in t.draws[way].scores]) for t in tasks]
    unit = np.max([np.ptp(rows, axis=1) for rows in terms], axis=0)
    scaled = [rows / np.where(unit > 0.0, unit, 1.0)[:, None] for rows in terms]
    return unit, np.sum([np.cov(rows) / rows.shape[1] for rows in scaled], axis=0)


def root(covariance: FloatArray) -> FloatArray:
    """The symmetric root of a covariance: the one root that does not depend on signs or order."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


# ---------------------------------------------------------------- shares, wins


def _effective(sizes: FloatArray) -> FloatArray:
    """Draws of one binomial that varies no less than the mean of the tasks' shares, from sizes [task, …].

    The number of tasks times their fewest draws (Hoeffding 1956). Draws with the harmonic mean of the sizes
    vary less than the shares do where the one hard task is the one with few draws: they missed 0.11 to 0.49 of
    samples with 5 against 50, 10 against 100 or 3 against 1000 runs on one of ten tasks.
    """
    return np.asarray(sizes.shape[0] * np.min(sizes, axis=0))


def _shares(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, *, unit: float, even: float) -> Differences:
    p = np.mean([[float(s.mean()) for s in t.scores] for t in tasks], axis=0)
    if any(s[0] < 0.0 for t in tasks for s in t.scores):  # losses of 0 and 1, turned round: the share without one
        p = p + 1.0
    sizes = np.array([[float(s.size) for s in t.scores] for t in tasks])
    n, whole = _effective(sizes), sizes.sum(axis=0).astype(np.intp)
    return ShareDifferences(
        estimate=even + unit / 2.0 * (p[first] - p[second]), even=even, n=whole[first] + whole[second], method="Newcombe's hybrid score",
        guarantees=_all("approximate", first.size), assumptions=_drawn(Assumption.INDEPENDENT, len(tasks)),
        shares=(p[first], p[second]), sizes=(n[first], n[second]), unit=unit,
    )  # fmt: skip


def _counts(draws: Draws, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Wins, losses and pairs of each pair of methods on one task."""
    x, k = draws.scores, first.size
    wins, losses, n = np.empty(k), np.empty(k), np.empty(k)
    for at in _blocks(k, x.shape[1]):
        a, b = x[first[at]], x[second[at]]
        wins[at], losses[at] = (a > b).sum(axis=1), (a < b).sum(axis=1)
        n[at] = (~np.isnan(a) & ~np.isnan(b)).sum(axis=1)
    return wins, losses, n


def _discordant(
    tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int, asked: Asked, *, unit: float, even: float
) -> Differences:
    counted = [_counts(t.draws[way], first, second) for t in tasks]
    return _from_counts(counted, unit, even, asked, _drawn(Assumption.PAIRS, len(tasks)))


def _from_counts(
    counted: Sequence[tuple[FloatArray, FloatArray, FloatArray]], unit: float, even: float, asked: Asked,
    assumptions: tuple[str, ...],
) -> Differences:  # fmt: skip
    wins, losses, sizes = (np.array(values) for values in zip(*counted, strict=True))
    n = _effective(sizes)
    won, lost = np.mean(wins / sizes, axis=0), np.mean(losses / sizes, axis=0)
    # Whole counts stay whole: thirds of tasks' shares do not.
    w, d = (np.where(np.abs(v - np.rint(v)) < 1e-9 * n, np.rint(v), v) for v in (won * n, (won + lost) * n))
    d = np.minimum(d, n)
    tied = d < n
    guarantees: tuple[Guarantee, ...] = tuple(
        "conservative" if len(counted) == 1 and (asked.guaranteed or not t) else "approximate" for t in tied.tolist()
    )
    return DiscordantDifferences(
        estimate=even + unit * (won - lost) / 2.0, even=even, n=sizes.sum(axis=0).astype(np.intp),
        method="Clopper-Pearson on discordant pairs", guarantees=guarantees, assumptions=assumptions, wins=w,
        losses=d - w, sizes=n, unit=unit, guaranteed=asked.guaranteed,
    )  # fmt: skip


def _sampled_improvements(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int) -> Differences:
    """Tasks are what is counted: the share of wins on each, or who wins where each method ran once."""
    single = way < 0 and all(s.size == 1 for t in tasks for s in t.scores)
    if single:
        column = Draws(np.array([[float(s[0]) for s in t.scores] for t in tasks]).T)
        counted = [_counts(column, first, second)]
        return _from_counts(counted, 1.0, 0.5, Asked(kind="improvement"), (Assumption.RANDOM_TASKS,))
    total = _Sum(1, first.size)
    for task in counting(tasks, "comparing methods, by task"):
        if way >= 0:
            wins, losses, n = _counts(task.draws[way], first, second)
            share = 0.5 + (wins - losses) / (2.0 * n)
        else:
            share = win_shares(task.scores)[first, second]
        total.add(share, [], np.ones(first.size))
    estimate, deviations, degrees = total.of_sample()
    units = np.full(first.size, float(len(tasks)))
    kind: Guarantee = "approximate" if len(tasks) >= FEW_TASKS else "heuristic"
    shares = ClusteredShares(
        estimate=estimate, even=0.5, n=units.astype(np.intp), method="wider of t and score t of tasks' shares", guarantees=_all(kind, first.size),
        assumptions=(Assumption.RANDOM_TASKS,), deviations=deviations[0], degrees=degrees[0], units=units,
    )  # fmt: skip
    sizes = np.array([[s.size for s in task.scores] for task in tasks])
    unequal = (sizes[:, first] != sizes[:, second]).any(axis=0) & (way < 0)
    if not unequal.any():
        return shares
    # As for means: with few runs of one method, what varies within tasks may pass for agreement between them.
    at, rest = np.flatnonzero(unequal), np.flatnonzero(~unequal)
    within = _placements(tasks, first[at], second[at])
    wider = WidestDifferences(**shares.taken(at), parts=(shares.take(at), within))
    return MixedDifferences.of([(rest, shares.take(rest)), (at, wider)])


def _clustered_improvements(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int) -> Differences:
    total, sizes = _Sum(1, first.size), []
    for task in counting(tasks, "comparing methods, by task"):
        draws = task.draws[way]
        clusters = np.arange(draws.scores.shape[1]) if draws.clusters is None else draws.clusters
        n, mean, deviation = (np.empty(first.size) for _ in range(3))
        for at in _blocks(first.size, draws.scores.shape[1]):
            a, b = draws.scores[first[at]], draws.scores[second[at]]
            won = np.where(np.isnan(a) | np.isnan(b), np.nan, (a > b) + 0.5 * (a == b))
            won = _cluster_means(won, clusters)
            n[at], mean[at], deviation[at] = _moments(won, np.ones(len(won)))
        deviation /= np.sqrt(np.maximum(n, 1.0))
        total.add(mean, [(deviation, np.maximum(n - 1.0, 1.0))], np.ones(first.size))
        sizes.append(n)
    estimate, deviations, degrees = total.of_tasks()
    units = _effective(np.array(sizes))
    few = np.min(sizes, axis=0) < FEW_CLUSTERS
    return ClusteredShares(
        estimate=estimate, even=0.5, n=np.sum(sizes, axis=0).astype(np.intp), method="wider of t and score t of clusters' shares",
        guarantees=tuple("heuristic" if f else "approximate" for f in few.tolist()), assumptions=(Assumption.CLUSTERED,),
        deviations=np.where(np.isnan(deviations[0]), 0.0, deviations[0]), degrees=degrees[0], units=units,
    )  # fmt: skip


def _placements(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray) -> Differences:
    from scipy.special import gammaln

    methods, several = len(tasks[0].scores), len(tasks) > 1
    few = min(s.size for t in tasks for s in t.scores)
    joint = first.size > 1 and few >= FEWEST_FOR_JOINT and methods <= MOST_JOINT
    share = np.zeros(first.size)
    variance, parts = np.zeros((2, first.size)), np.zeros((2, first.size))
    added, separation, fewest = np.zeros((2, first.size)), np.zeros(first.size), np.full(first.size, np.inf)
    together = np.zeros((methods, methods, methods)) if joint else None
    for task in counting(tasks, "comparing methods, by task"):
        n = np.array([float(s.size) for s in task.scores])
        wins, spread = _placement_moments(task.scores, ddof=1 if several else 0, together=together)
        share += wins[first, second]
        for row, (a, b) in enumerate(((first, second), (second, first))):
            part = spread[a, b] / n[a]
            variance[row] += part
            parts[row] += part**2 / np.maximum(n[a] - 1.0, 1.0)
        fewer = np.minimum(n[first], n[second])
        added += np.array([fewer**-2.0 / len(tasks) ** 2, 1.0 / fewer / len(tasks)])
        # log 1 / (m + n over m): of all of one method's runs above all of the other's, if nothing differs.
        m, o = n[first] + 1.0, n[second] + 1.0
        separation += gammaln(m) + gammaln(o) - gammaln(m + o - 1.0)
        fewest = np.minimum(fewest, fewer)
    t = len(tasks)
    degrees = np.where(parts > 0.0, variance**2 / np.where(parts > 0.0, parts, 1.0), 1.0)
    sizes = np.array([[s.size for s in task.scores] for task in tasks])
    whole = sizes.sum(axis=0)
    return PlacementDifferences(
        estimate=share / t, even=0.5, n=(whole[first] + whole[second]).astype(np.intp), method="Newcombe with placements" if not several else "placements",
        guarantees=_all("approximate", first.size), assumptions=_drawn(Assumption.INDEPENDENT, len(tasks)),
        variances=variance / t**2, degrees=degrees, fewer=t * fewest, added=added, separation=separation, alone=fewest < 2.0,
        sizes=None if several else (sizes[0][first].astype(np.float64), sizes[0][second].astype(np.float64)),
        joint=None if together is None else _joint_placements(together, first, second),
    )  # fmt: skip


def win_shares(samples: Sequence[FloatArray]) -> FloatArray:
    """W[i, j]: how often a run of sample i beats one of sample j, ties half; 1/2 on the diagonal."""
    return _placement_moments(samples, ddof=0, together=None)[0]


def _placement_moments(
    samples: Sequence[FloatArray], *, ddof: int, together: NDArray[np.float64] | None
) -> tuple[FloatArray, FloatArray]:
    """Mean and variance [i, j] over the runs of i of the share of j's runs below them, ties half.

    One sort serves all pairs: counts of each sample below and up to every run are running sums. To
    `together`, where given, the covariances of the placements of each sample's runs are added,
    already those of their means.
    """
    sizes = np.array([s.size for s in samples])
    values, owner = np.concatenate(samples), np.repeat(np.arange(sizes.size), sizes)
    order = np.argsort(values, kind="stable")
    ordered, whose = values[order], owner[order]
    left, right = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    mean, spread = np.empty((sizes.size, sizes.size)), np.empty((sizes.size, sizes.size))
    width = sizes.size if together is not None else max(1, min(sizes.size, BLOCK // values.size))
    for i in range(0, sizes.size, width):
        block = np.arange(i, min(i + width, sizes.size))
        counts = np.vstack([np.zeros(block.size), np.cumsum(whose[:, None] == block, axis=0)])
        places = counts[left] + counts[right]
        # Whole numbers are summed before they are divided: equal samples beat each other in exactly half of all duels.
        mean[:, block] = np.add.reduceat(places, starts, axis=0) / (2.0 * np.outer(sizes, sizes[block]))
        places /= 2.0 * sizes[block]
        places -= np.repeat(mean[:, block], sizes, axis=0)
        spread[:, block] = np.add.reduceat(places**2, starts, axis=0) / np.maximum(sizes - ddof, 1)[:, None]
        if together is not None:
            for m, (start, n) in enumerate(zip(starts.tolist(), sizes.tolist(), strict=True)):
                rows = places[start : start + n]
                together[m] += rows.T @ rows / ((n - 1.0) * n)
    return mean, np.where(spread < 1e-24, 0.0, spread)


def _joint_placements(
    together: FloatArray, first: IntArray, second: IntArray
) -> Callable[[np.random.Generator, int], FloatArray]:
    """Normal draws of how often each method beats each other: the runs of each move all its duels at once."""

    def draw(rng: np.random.Generator, n_draws: int) -> FloatArray:
        errors = np.stack([rng.standard_normal((n_draws, len(together))) @ root(one) for one in together], axis=1)
        gaps = errors[:, first, second] - errors[:, second, first]
        square = together[first, second, second] + together[second, first, first]
        return np.asarray(gaps / np.sqrt(np.where(square > 0.0, square, np.inf)))

    return draw


# ---------------------------------------------------------------- quantiles


def _quantiles(tasks: Sequence[TaskRuns], first: IntArray, second: IntArray, way: int, asked: Asked) -> Differences:
    ordered = [t.scores for t in tasks]
    values = np.array([[quantile_limits(s, asked.amount, 0.5)[0] for s in row] for row in ordered])
    with np.errstate(invalid="ignore"):
        estimate = np.mean(values[:, first] - values[:, second], axis=0)
    correlation = None
    if way >= 0:
        correlation = np.array(
            [_level_correlation(t.draws[way].scores, v, first, second) for t, v in zip(tasks, values, strict=True)]
        )
    sizes = np.array([[s.size for s in row] for row in ordered]).sum(axis=0)
    kind: Guarantee = "conservative" if asked.guaranteed and len(tasks) == 1 else "approximate"
    return QuantileDifferences(
        estimate=estimate, even=0.0, n=(sizes[first] + sizes[second]).astype(np.intp),
        method="order statistics" if asked.guaranteed else "order statistics, variance recovery", guarantees=_all(kind, first.size),
        assumptions=_drawn(Assumption.PAIRS if way >= 0 else Assumption.INDEPENDENT, len(tasks)), ordered=ordered, first=first, second=second,
        level=asked.amount, correlation=correlation, guaranteed=asked.guaranteed,
    )  # fmt: skip


def _level_correlation(x: FloatArray, at: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """Correlation over draws of lying above one's quantile, on it half; 0 where it cannot be told."""
    above = np.where(np.isnan(x), np.nan, (x > at[:, None]) + 0.5 * (x == at[:, None]))
    centered = above - np.nanmean(above, axis=1, keepdims=True)
    filled = np.where(np.isnan(centered), 0.0, centered)
    scale = np.sqrt((filled**2).sum(axis=1))
    found = (filled @ filled.T)[first, second]
    size = scale[first] * scale[second]
    return np.asarray(np.where(size > 0.0, found / np.where(size > 0.0, size, 1.0), 0.0))


def criterion_value(scores: FloatArray, asked: Asked) -> float:
    """The statistic of one method's sorted scores that a difference is of; not for improvement, which takes two."""
    return _terms(scores, asked)[0]


def tiers(better: NDArray[np.bool_]) -> tuple[IntArray, list[list[int]]]:
    """Tier of each method, and the circles of methods that are certainly better than each other in turn.

    `better[i, j]` says that i is certainly better than j. A method's tier is one below the lowest tier
    of all that are certainly better than it, so that a better method always stands in a higher tier;
    methods of a circle, which only a criterion that is not transitive makes, share one.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n_groups, group = connected_components(csr_matrix(better.astype(np.int8)), directed=True, connection="strong")
    above = np.zeros((n_groups, n_groups), dtype=bool)
    i, j = np.nonzero(better)
    above[group[i], group[j]] = True
    np.fill_diagonal(above, False)
    tier = np.ones(n_groups, dtype=np.intp)
    while True:
        lower = np.maximum(tier, np.where(above, tier[:, None] + 1, 0).max(axis=0, initial=1))
        if np.array_equal(lower, tier):
            break
        tier = lower
    circles = [np.flatnonzero(group == g).tolist() for g in np.flatnonzero(np.bincount(group) > 1)]
    return tier[group], circles


def rank_limits(better: NDArray[np.bool_]) -> tuple[IntArray, IntArray]:
    """Lowest and highest rank of each method; `better[i, j]` says that i is certainly better than j."""
    n = better.shape[0]
    return 1 + better.sum(axis=0), n - better.sum(axis=1)
