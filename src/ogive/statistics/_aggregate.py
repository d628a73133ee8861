"""One number for many tasks, and the score profile behind it, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, as_confidence
from ogive.errors import InputError, InvalidScores
from ogive.results import Guarantee
from ogive.seeding import stream
from ogive.statistics._band import band_margin
from ogive.statistics._bootstrap import bca_levels
from ogive.statistics._families import Over
from ogive.statistics._interval import FEW_IN_TAIL, Assumption, Interval
from ogive.statistics._resampling import (
    Resamples,
    Runs,
    as_resamples,
    as_tasks,
    has_spread,
    pool,
    resample,
    satterthwaite,
    says_too_little,
    spread_correction,
    widened_at_the_edge,
)
from ogive.statistics._statistic import OVER_TASKS, Statistic

Method: TypeAlias = Literal["t", "percentile", "bca"]

# Below it 1 - share has too few digits.
LEAST_SHARE = 1e-9
AGGREGATES = ("iqm", "mean", "median", "optimality_gap")
FEWEST_RANDOM_TASKS = 10
FEWEST_RUNS = 10
# Rare collapses: with fewer runs on all tasks together, or fewer tasks behind a median, 5 to 10 % of
# collapsed runs bring 95 % down to 0.6 to 0.9 (docs/reference/profiles.md); fixed before looking at scores.
FEWEST_IN_ALL = 100
FEWEST_FOR_MEDIAN = 10
STUDENT_BOOTSTRAP = "t with a bootstrap standard error"
# The power of two of the largest gamma, in the scores' unit: times the number of runs it must stay a number.
_LARGEST_GAMMA = 950

# Resamples held at once: some megabytes.
_HELD = 4_000_000
_NAMES = {"t": STUDENT_BOOTSTRAP, "percentile": "percentile bootstrap", "bca": "BCa bootstrap"}


def aggregate(
    scores: ArrayLike | Sequence[ArrayLike],
    *,
    statistics: Sequence[str] = AGGREGATES,
    over: Over = "fixed",
    confidence: float = 0.95,
    method: Method = "t",
    seed: int = 0,
    n_resamples: int = 2000,
    threads: int = 1,
    gamma: float = 1.0,
) -> dict[str, Interval]:
    """Aggregates of the scores on many tasks, each with a bootstrap interval.

    Parameters
    ----------
    scores : array or sequence of arrays
        A 2-D array runs × tasks, or a list with the runs of each task, which may differ in
        number. Every task weighs the same: a run of task t has weight 1 / (T R_t).
    statistics : sequence of str
        `iqm`, the mean of the middle half of all runs; `mean`; `median`, over tasks, of each
        task's mean; `optimality_gap`, gamma - mean(min(score, gamma)). Also, over all runs,
        `q0.9` (a quantile), `lower_0.1` and `upper_0.1` (the mean of a share at one end).
    over : {"fixed", "sample"}
        Whether the statement is about these tasks, with other runs, or about other tasks too.
    method : {"t", "percentile", "bca"}
        The last two need ten runs on every task.
    gamma : float
        The score from which on nothing is missing.

    Notes
    -----
    Approximate. Runs are resampled within each task; with a sample of tasks, tasks are resampled
    first. `t`: estimate ± t · se* · sqrt(R / (R - 1)), se* the standard deviation of the
    resamples, with sum (R_t - 1) degrees of freedom. Where tasks have different numbers of
    runs, R and the degrees of freedom are those of a mean over tasks with equal spread
    (`spread_correction`). The median rests on the runs of one or two tasks, and its degrees of
    freedom are theirs. With a sample of tasks the unit is the task: T - 1 degrees of freedom and
    sqrt(T / (T - 1)); since runs are resampled as well, somewhat too wide.

    Simulated at 95 % on normal scores of equal spread, runs × tasks: the IQM covers 0.94 at
    3 × 5, 0.945 at 5 × 5, 3 × 26 and 20 × 5 (percentile: 0.86, 0.90, 0.88, 0.94). Spreads that
    differ forty-fold between tasks bring 3 × 5 down to 0.90, 5 × 5 to 0.92.

    A collapse that no run happened to show is unknown to any resample. Where 10 % of runs
    collapse, the mean covers 0.79 at 3 × 5, the IQM 0.70 where tasks lie far apart (0.92 near
    each other), both 0.92 or more from 100 runs in all on, and 0.91 at 5 %. So with fixed tasks
    intervals are called heuristic below 100 runs on all tasks together, and those of the median
    also below 10 tasks, of which it uses one or two. Rarer collapses need more runs: at 2 % IQM,
    mean and median still cover as little as 0.84 with 100 runs, 0.94 (median 0.87) with 500
    (docs/reference/profiles.md).

    The limits do not depend on the order of runs or of tasks; they move with the scores under
    a positive affine map, and negating all scores negates them (quantiles and the gap aside).
    An odd number of resamples is rounded up.

    A single run on a task is refused where tasks are fixed. Where no resample differs from
    the sample the interval is infinite, never of zero width.

    References
    ----------
    Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical precipice.
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 8 and 14.

    Examples
    --------
    >>> found = aggregate([[0.2, 0.3, 0.4], [0.5, 0.9, 0.7, 0.6], [0.8, 0.9, 1.0]])
    >>> round(found["mean"].estimate, 3), round(found["optimality_gap"].estimate, 3)
    (0.625, 0.375)
    """
    found = _resampled(scores, (), statistics, over, method, seed, n_resamples, threads, gamma)
    confidence = as_confidence(confidence)
    return {name: found.interval(name, method, confidence) for name in statistics}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreProfile:
    """The share of runs above each threshold, with pointwise intervals; every task weighs the same."""

    thresholds: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    method: str
    guarantee: Guarantee
    n: int
    assumptions: tuple[str, ...]
    aggregates: dict[str, Interval]


def profile_counts(
    scores: ArrayLike | Sequence[ArrayLike],
    thresholds: ArrayLike,
    *,
    statistics: Sequence[str] = (),
    over: Over = "fixed",
    confidence: float = 0.95,
    method: Method = "t",
    seed: int = 0,
    n_resamples: int = 2000,
    threads: int = 1,
    gamma: float = 1.0,
) -> ScoreProfile:
    """The share of runs above each threshold, and any aggregates out of the same resamples.

    Parameters
    ----------
    thresholds : array-like
        In any order; the result keeps it.
    statistics, method
        What `aggregates` holds, by which interval; the same numbers as from `aggregate`.

    Notes
    -----
    Pointwise percentile intervals of the resamples: approximate with at least ten runs on
    every task, otherwise heuristic (too short). Where at most five runs of all lie on the
    rarer side of their own task, they are widened as in `improvement_over_tasks`, so none has
    zero width; simulated with 5 to 26 tasks of 10 to 50 runs, shares of 0.9 and more on some
    and 0.1 and less on the others, they cover 0.94 or more. They hold at each threshold alone:
    a band for the whole profile must be wider.

    Examples
    --------
    >>> profile = profile_counts([[0.2, 0.3, 0.4], [0.5, 0.9, 0.7, 0.6]], [0.25, 0.65])
    >>> profile.share.round(3).tolist()
    [0.833, 0.25]
    """
    asked = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    if asked.ndim != 1 or asked.size == 0 or not np.isfinite(asked).all():
        raise InputError("`thresholds` must be a one-dimensional array of finite numbers.")
    found = _resampled(scores, asked, statistics, over, method, seed, n_resamples, threads, gamma)
    confidence, runs, resamples = as_confidence(confidence), found.runs, found.resamples
    at = _in_units(asked, found.exponent)
    above = resamples.above[:, np.searchsorted(resamples.thresholds, at)]
    share = above[-1].copy()
    sides = np.quantile(above[:-1], [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=0)
    if over == "sample":  # each task is one draw
        draws, sizes = share[:, None], np.array([len(runs.tasks)])
    else:
        upto = [np.searchsorted(task, at, side="right") / task.size for task in runs.tasks]
        draws, sizes = 1.0 - np.stack(upto, axis=1), runs.sizes
    low, high = np.clip(sides, 0.0, 1.0)
    for i in np.flatnonzero(says_too_little(draws, sizes, low, high)):
        low[i], high[i] = widened_at_the_edge(draws[i], sizes, float(low[i]), float(high[i]), confidence)
    few = over == "fixed" and int(runs.sizes.min()) < FEWEST_RUNS
    return ScoreProfile(
        thresholds=asked, share=share, low=low, high=high,
        confidence=confidence, method="pointwise percentile bootstrap", guarantee="heuristic" if few else "approximate",
        n=found.n, assumptions=(*found.assumptions, Assumption.POINTWISE, *((Assumption.FEW_RUNS,) if few else ())),
        aggregates={name: found.interval(name, method, confidence) for name in statistics},
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Resampled runs. Scores and gamma are held in units of 2**exponent: no sum or square leaves the floats."""

    resamples: Resamples
    runs: Runs
    random_tasks: bool
    gamma: float
    exponent: int

    @property
    def n(self) -> int:
        """Tasks where they are random, else runs."""
        return len(self.runs.tasks) if self.random_tasks else self.runs.ordered.size

    @property
    def assumptions(self) -> tuple[str, ...]:
        return Assumption.INDEPENDENT_RUNS, Assumption.RANDOM_TASKS if self.random_tasks else Assumption.FIXED_TASKS

    def interval(self, name: str, method: Method, confidence: float) -> Interval:
        """What the resamples say about one statistic, in the scores' own units."""
        statistic, runs = run_statistic(name), self.runs
        values = statistic.draws(self.resamples, self.gamma)
        draws, estimate = values[:-1], float(values[-1])
        reasons: tuple[str, ...] = ()
        scale = float(np.abs(runs.ordered[[0, -1]]).max()) + (abs(self.gamma) if statistic.kind == "gap" else 0.0)
        if not has_spread(draws, scale, runs.ordered.size):
            low, high, reasons = -math.inf, math.inf, (Assumption.NO_SPREAD,)
        elif method == "t":
            half = self._critical(statistic, confidence) * float(draws.std(ddof=1))
            low, high = estimate - half, estimate + half
        else:
            levels = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
            if method == "bca":
                influence = statistic.influence(runs, self.resamples, self.gamma, random_tasks=self.random_tasks)
                levels = bca_levels(levels, draws, estimate, -np.concatenate(influence))
            low, high = (float(v) for v in np.quantile(draws, levels))
        doubts: tuple[str, ...] = ()
        if runs.ordered.size * statistic.tail_share < FEW_IN_TAIL - 1e-9 and statistic.tail_share < 1.0:
            doubts = (Assumption.SHORT_TAIL,)
        if not self.random_tasks and not math.isinf(high):
            doubts += collapse_doubts(statistic.kind, runs.ordered.size, len(runs.tasks))
        if statistic.kind == "gap":
            low = max(low, 0.0)  # by its definition
        with np.errstate(over="ignore"):  # a bound beyond the largest number is infinite
            estimate, low, high = (float(np.ldexp(v, self.exponent)) for v in (estimate, low, high))
        return Interval(
            estimate=estimate, low=low, high=high, confidence=confidence, n=self.n,
            method=f"{_NAMES[method]}, {'tasks and runs' if self.random_tasks else 'runs within tasks'}",
            guarantee="heuristic" if doubts else "approximate", assumptions=(*self.assumptions, *reasons, *doubts),
        )  # fmt: skip

    def _critical(self, statistic: RunStatistic, confidence: float) -> float:
        """How many standard deviations of the resamples the interval reaches to each side."""
        from scipy.special import stdtrit

        sizes = np.array([len(self.runs.tasks)]) if self.random_tasks else self.runs.sizes
        factor, df = spread_correction(sizes)
        if statistic.kind == "median" and not self.random_tasks:
            influence = statistic.influence(self.runs, self.resamples, math.nan, random_tasks=False)
            squares = np.array([float(np.sum(part**2)) for part in influence])
            freedom = (sizes - 1).astype(np.float64)
            if squares.any():  # otherwise the tasks in the middle show no spread, and others took their place
                df = satterthwaite(squares * sizes / freedom, freedom)
        return float(stdtrit(df, 0.5 + confidence / 2.0)) * factor


def _resampled(
    scores: ArrayLike | Sequence[ArrayLike], thresholds: Sequence[float] | FloatArray, statistics: Sequence[str],
    over: str, method: str, seed: int, n_resamples: int, threads: int, gamma: float,
) -> _Found:  # fmt: skip
    """The door of both functions, and the resamples behind it."""
    columns = as_tasks(scores)
    parts = [run_statistic(name) for name in statistics]
    _check_design(columns, over, method)
    if not math.isfinite(gamma):
        raise InputError(f"`gamma` must be a finite score; got {gamma}.")
    gaps = [gamma for part in parts if part.kind == "gap"]
    exponent = _exponent(columns, gaps)
    runs = pool([np.ldexp(column, -exponent) for column in columns])
    resamples = resample(
        runs,
        levels=[level for part in parts for level in part.levels],
        thresholds=[*_in_units(np.asarray(thresholds), exponent), *(math.ldexp(gap, -exponent) for gap in gaps)],
        task_means=any(part.kind == "median" for part in parts),
        random_tasks=over == "sample",
        seed=seed,
        n_resamples=as_resamples(n_resamples, threads),
        threads=threads,
    )
    gamma = math.ldexp(gamma, -exponent) if gaps else 0.0
    return _Found(resamples, runs, over == "sample", gamma, exponent)


def _exponent(columns: Sequence[FloatArray], gaps: Sequence[float]) -> int:
    """The power of two that makes the largest score about 1, or, for a far larger gamma, leaves that a number."""
    largest = max(float(np.abs(column).max()) for column in columns)
    return max([math.frexp(largest)[1], *(math.frexp(gap)[1] - _LARGEST_GAMMA for gap in gaps)])


def _in_units(thresholds: FloatArray, exponent: int) -> FloatArray:
    """Thresholds in units of 2**exponent; those beyond all scores, which are 1 at most, as ±2."""
    with np.errstate(over="ignore"):
        return np.asarray(np.clip(np.ldexp(thresholds, -exponent), -2.0, 2.0))


def _check_design(columns: Sequence[FloatArray], over: str, method: str) -> None:
    if over not in get_args(Over):
        raise InputError(f"`over` must be 'fixed' (these tasks) or 'sample' (tasks like these); got {over!r}.")
    if method not in get_args(Method):
        raise InputError(f"`method` must be 't', 'percentile' or 'bca'; got {method!r}.")
    if over == "sample":
        if len(columns) < FEWEST_RANDOM_TASKS:
            raise InvalidScores(
                f"`over='sample'` needs at least {FEWEST_RANDOM_TASKS} tasks; got {len(columns)}. "
                "Say over='fixed' to speak of these tasks only."
            )
        return
    least = min(column.size for column in columns)
    if least < 2:
        raise InvalidScores(
            "one run on a task says nothing about spread; every method needs at least 2 runs of every task."
        )
    if method != "t" and least < FEWEST_RUNS:
        raise InvalidScores(
            f"`method={method!r}` is too short below {FEWEST_RUNS} runs on every task; the fewest here are {least}. "
            "Use method='t'."
        )


def collapse_doubts(kind: str, n_runs: int, n_tasks: int) -> tuple[Assumption, ...]:
    """Why rare collapses would make an interval over fixed tasks too short; by numbers known beforehand."""
    if n_runs < FEWEST_IN_ALL:
        return (Assumption.FEW_IN_ALL,)
    return (Assumption.FEW_FOR_MEDIAN,) if kind == "median" and n_tasks < FEWEST_FOR_MEDIAN else ()


@dataclass(frozen=True, slots=True)
class RunStatistic:
    """A statistic by name: the mean of the outcomes from level `low` to level `high`, or another kind."""

    kind: Literal["part", "quantile", "median", "gap"]
    low: float = 0.0
    high: float = 1.0

    @property
    def levels(self) -> tuple[float, ...]:
        asked = (self.low,) if self.kind == "quantile" else (self.low, self.high)
        return tuple(level for level in asked if 0.0 < level < 1.0 and self.kind in ("part", "quantile"))

    @property
    def tail_share(self) -> float:
        """The share of outcomes that it rests on, where that is a tail; otherwise 1."""
        if self.kind == "quantile":
            return min(self.low, 1.0 - self.low)
        one_ended = (self.low == 0.0) != (self.high == 1.0)
        return self.high - self.low if one_ended else 1.0

    def draws(self, found: Resamples, gamma: float) -> FloatArray:
        """Its value in each resample; the last is the estimate."""
        if self.kind == "part":
            return found.part_mean(self.low, self.high)
        if self.kind == "quantile":
            return found.quantile(self.low)
        if self.kind == "median":
            return np.asarray(np.median(found.task_means, axis=1))
        return found.shortfall[:, int(np.searchsorted(found.thresholds, gamma))]

    def influence(self, runs: Runs, found: Resamples, gamma: float, *, random_tasks: bool) -> list[FloatArray]:
        """How much each unit (a run, or a task) moves the statistic, centered within its stratum, over its size."""
        if self.kind == "median" and random_tasks:
            means = found.task_means[-1]
            gaps = means - np.median(means)
            return [_centered(np.where(np.abs(gaps) <= _rounding(means), 0.0, np.sign(gaps)))]
        if self.kind == "median":
            shares = middle_shares(found.task_means[-1])
            return [share * _centered(task) for share, task in zip(shares, runs.tasks, strict=True)]
        if self.kind == "quantile":
            moved = [-(task <= found.quantile(self.low)[-1]).astype(np.float64) for task in runs.tasks]
        elif self.kind == "gap":
            moved = [-np.minimum(task, gamma) for task in runs.tasks]
        else:
            floor = _middle_quantile(runs, self.low) if self.low > 0.0 else -math.inf
            ceiling = _middle_quantile(runs, self.high) if self.high < 1.0 else math.inf
            moved = [np.clip(task, floor, ceiling) / (self.high - self.low) for task in runs.tasks]
        if random_tasks:
            return [_centered(np.array([task.mean() for task in moved]))]
        return [_centered(task) / len(moved) for task in moved]


def run_statistic(name: str) -> RunStatistic:
    """The statistic of this name; refuses unknown names."""
    found = Statistic.parse(name, kinds=OVER_TASKS)
    if found.kind == "iqm":
        return RunStatistic("part", 0.25, 0.75)
    if found.kind == "mean":
        return RunStatistic("part")
    if found.kind == "optimality_gap":
        return RunStatistic("gap")
    if found.kind == "q":  # the median is that of the tasks' means, q0.5 that of the runs
        return RunStatistic("median") if name == "median" else RunStatistic("quantile", found.amount)
    if found.amount < LEAST_SHARE:
        raise InputError(f"`statistics` may name tails from a share of {LEAST_SHARE:g} on; got {name!r}.")
    return (
        RunStatistic("part", 0.0, found.amount)
        if found.kind == "lower"
        else RunStatistic("part", 1.0 - found.amount, 1.0)
    )


def aggregate_label(name: str) -> str:
    """The name of a statistic over tasks in words."""
    return Statistic.parse(name, kinds=OVER_TASKS).label


def middle_shares(means: FloatArray) -> FloatArray:
    """The weight of each task in the median of their means; tasks with equal means share it."""
    ordered, n = np.sort(means), means.size
    shares = np.zeros(n)
    for middle in (ordered[(n - 1) // 2], ordered[n // 2]):
        equal = np.abs(means - middle) <= _rounding(means)
        shares[equal] += 0.5 / np.count_nonzero(equal)
    return shares


def _middle_quantile(runs: Runs, level: float) -> float:
    """The middle of all quantiles at a level, which negated scores share; there are several where F is flat at it."""
    mass = np.cumsum(runs.weights) / runs.ordered.size
    first, last = np.searchsorted(mass, [level - 1e-9, level + 1e-9])
    return float(runs.ordered[first] + runs.ordered[min(last, mass.size - 1)]) / 2.0


def _rounding(values: FloatArray) -> float:
    """By how much numbers differ that are equal but for the order in which they were summed."""
    return 64.0 * float(np.finfo(np.float64).eps) * float(np.abs(values).max())


def _centered(values: FloatArray) -> FloatArray:
    centered: FloatArray = (values - values.mean()) / values.size
    return centered


def largest_deviation(tasks: Sequence[FloatArray], confidence: float, seed: int, n_resamples: int = 2000) -> float:
    """The `confidence` quantile of sup |F* - F| over resamples of the runs within each task.

    The deviation of task t is multiplied by sqrt(R_t / (R_t - 1)), since a resample of R runs
    spreads too little by that factor. A resample moves only at the runs, while the true CDF also
    moves between them: half of the largest step is added for that. Where no resample differs from
    the sample, the Kolmogorov-Smirnov margin of as many runs as the smallest task gives to all
    stands in.
    """
    sizes = np.array([task.size for task in tasks])
    half = (n_resamples + 1) // 2
    # Half of the resamples are those of the negated runs: which side is good makes no difference.
    found = [_deviations([sign * task for task in tasks], half, seed) for sign in (1.0, -1.0)]
    width = float(np.quantile(np.concatenate(found), confidence))
    if width < 1e-12:
        return band_margin(int(sizes.size * sizes.min()), confidence, "ks", two_sided=True)
    return width + 0.5 / float(sizes.size * sizes.min())


def _deviations(tasks: Sequence[FloatArray], n_resamples: int, seed: int) -> FloatArray:
    """sup |F* - F| of resamples; neither the order of runs nor that of tasks draws others."""
    runs = pool(tasks)
    sizes, ranks, starts = runs.sizes, runs.ranks.astype(np.intp), runs.starts
    last = np.append(runs.ordered[1:] != runs.ordered[:-1], True)
    rng = stream(seed, "resample", None, "profile")
    block = max(1, _HELD // runs.ordered.size)
    found = []
    for first in range(0, n_resamples, block):
        n = min(block, n_resamples - first)
        moved = np.empty((n, runs.ordered.size))
        for t, size in enumerate(sizes):
            counts = rng.multinomial(size, np.full(size, 1.0 / size), size=n)
            factor = np.sqrt(size / (size - 1.0)) / (sizes.size * size)
            moved[:, ranks[starts[t] : starts[t + 1]]] = factor * (counts - 1.0)
        found.append(np.abs(np.cumsum(moved, axis=1)[:, last]).max(axis=1))
    return np.concatenate(found)
