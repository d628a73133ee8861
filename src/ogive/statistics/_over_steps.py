"""One number at every step of training, with intervals at each step or for the whole curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.arguments import FloatArray, IntArray, as_answer, as_confidence
from ogive.errors import InputError, InvalidScores
from ogive.results import Guarantee, Strength, strength_of
from ogive.statistics._aggregate import (
    FEWEST_IN_ALL,
    FEWEST_RUNS,
    STUDENT_BOOTSTRAP,
    RunStatistic,
    collapse_doubts,
    middle_shares,
    run_statistic,
)
from ogive.statistics._interval import FEW_IN_TAIL, Assumption, order_statistic_ranks
from ogive.statistics._resampling import as_resamples, by_content, in_blocks, resample_key, satterthwaite

Missing: TypeAlias = Literal["refuse", "gap", "present"]
StepMethod: TypeAlias = Literal["t", "percentile"]

# Resamples that stand side by side in the kernel: the mass of a thousand runs in so many lanes fits a core's cache.
LANES = 32
# Numbers of one block of steps, steps × resamples: some megabytes.
_HELD = 1_000_000
# Runs on all tasks together below which some population of docs/reference/over-steps.md is held in less than 0.93.
FEWEST_FOR_IQM, FEWEST_FOR_OTHERS = 250, 1000
# An IQM whose cut lies at the edge of a heap of equal scores (30 % of runs never learn) was held in 0.92 by 260 runs.
SHARED = 0.2
# Two equal scores among a handful of runs are a matter of rounding, and no heap.
FEWEST_SHARED = 3
# Deviations are counted in bins of this width, up to as many standard deviations.
_BIN, _FARTHEST = 0.01, 50.0
_KINDS = {"part": 0, "quantile": 1, "median": 2}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverSteps:
    """A statistic at every step, with what can be said about it at a confidence.

    Attributes
    ----------
    estimate, low, high : array
        A number for each step; NaN, -inf and inf where a step has no answer.
    simultaneous : bool
        Whether the limits hold at all steps together or at each step alone.
    n_runs : int
        Runs, over all tasks.
    runs_at : array
        Runs with a score at each step.
    shared : array
        The places of the steps at which so many runs have the same score that the limits may be too short there.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    statistic: str
    confidence: float
    simultaneous: bool
    method: str
    guarantee: Guarantee
    n_runs: int
    n_tasks: int
    runs_at: IntArray
    assumptions: tuple[str, ...] = ()
    shared: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    def negated(self) -> OverSteps:
        """The curve of minus the statistic."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return OverSteps(**(fields | {"estimate": -self.estimate, "low": -self.high, "high": -self.low}))


def over_steps(
    values: ArrayLike | Sequence[ArrayLike],
    *,
    statistic: str = "iqm",
    confidence: float = 0.95,
    simultaneous: bool = False,
    method: StepMethod = "t",
    missing: Missing = "refuse",
    n_resamples: int = 2000,
    seed: int = 0,
    threads: int = 1,
    gamma: float = 1.0,
) -> OverSteps:
    """A statistic of the runs at every step of training, with limits at each step or for the whole curve.

    Parameters
    ----------
    values : array or sequence of arrays
        runs × tasks × steps, or runs × steps of one task, or a list with an array runs × steps
        for each task, which may differ in their number of runs. Every task weighs the same.
    statistic : str
        As in `aggregate`: `iqm`, the mean of the middle half of all runs; `mean`; `median`, over
        tasks, of each task's mean (of one task: the median of its runs); `q0.9`, a quantile of
        all runs; `lower_0.1` and `upper_0.1`, the mean of a share of all runs at one end;
        `optimality_gap`.
    simultaneous : bool
        Limits that hold the whole curve, instead of the curve at each step alone.
    method : {"t", "percentile"}
        `percentile` is rliable's interval: for ten runs on every task or more, and not simultaneous.
    missing : {"refuse", "gap", "present"}
        What NaN means. `gap`: a step at which some run has no score has no answer. `present`: it
        is answered from the runs that have one, and has no answer where a task has none.
        Infinite values are refused.
    gamma : float
        The score from which on nothing is missing, for the optimality gap.

    Notes
    -----
    Whole runs are drawn, within each task: a resample draws the same runs at every step. The
    limits at a step are those that `aggregate` gives for the scores there: estimate ± t · se* ·
    sqrt(R / (R - 1)), se* the standard deviation of the resamples.

    Simultaneous: the same with a larger t. With z_s the studentized deviation of a resample at
    step s, the `confidence` quantile c of max |z_s| over the steps is as far out in a normal
    distribution as the larger t is in its own: 1 - confidence is replaced by 2 (1 - Phi(c)), or by
    the share of all |z_s| beyond c where that is less (sums over few runs have short tails), but
    not by less than (1 - confidence) / S for S steps. Steps that say the same cost nothing. The degrees
    of freedom are then Satterthwaite's for the spreads that the tasks show, where those are fewer.

    Quantiles of one task are bounded by order statistics instead: conservative for every
    distribution, at each step or, with the error divided by the number of steps, for all
    together; a limit that so few runs cannot set is infinite.

    Where no resample differs from the sample (all runs equal) the limits are infinite, never of
    zero width, and the step is left out of the maximum.

    References
    ----------
    Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical precipice.
    Montiel Olea and Plagborg-Møller (2019), Simultaneous confidence bands.

    Examples
    --------
    >>> values = np.cumsum(np.random.default_rng(0).random((10, 5, 4)), axis=2)
    >>> found = over_steps(values, statistic="mean")
    >>> found.estimate.round(2).tolist()
    [0.49, 1.01, 1.61, 2.16]
    """
    tasks = _as_curves(values)
    confidence, simultaneous = as_confidence(confidence), as_answer(simultaneous, "simultaneous")
    if missing not in get_args(Missing):
        raise InputError(f"`missing` must be 'refuse', 'gap' or 'present'; got {missing!r}.")
    if not math.isfinite(gamma):
        raise InputError(f"`gamma` must be a finite score; got {gamma}.")
    n_resamples, key = as_resamples(n_resamples, threads), resample_key(seed)
    part = _asked(statistic, len(tasks))
    _check_design(tasks, method, missing, simultaneous)
    if part.kind == "gap":
        found = over_steps(
            [np.minimum(task, gamma) for task in tasks], statistic="mean", confidence=confidence,
            simultaneous=simultaneous, method=method, missing=missing, n_resamples=n_resamples, seed=seed, threads=threads,
        )  # fmt: skip
        return _shortfall(found, statistic, gamma)
    curves = _Curves.of(tasks, missing)
    if part.kind == "quantile" and len(tasks) == 1:
        return _by_order_statistics(curves, part, statistic, confidence, simultaneous)
    return _by_resamples(curves, part, statistic, confidence, simultaneous, method, key, n_resamples, threads)


def _asked(statistic: str, n_tasks: int) -> RunStatistic:
    part = run_statistic(statistic)
    # The middle of one task's mean is that mean; the word asks for the middle of the runs.
    return RunStatistic("quantile", 0.5) if part.kind == "median" and n_tasks == 1 else part


def _as_curves(values: ArrayLike | Sequence[ArrayLike]) -> list[FloatArray]:
    """An array runs × steps for each task; refuses other shapes, text and infinite values."""
    wanted = "`values` must be an array runs × tasks × steps, an array runs × steps, or a list with an array runs × steps for each task"
    if hasattr(values, "ndim"):
        table = np.asarray(values)
        if table.ndim not in (2, 3):
            raise InvalidScores(f"{wanted}; got shape {table.shape}.")
        columns: list[Any] = [table] if table.ndim == 2 else list(np.moveaxis(table, 1, 0))
    else:
        columns = list(cast(Sequence[ArrayLike], values))
    if not columns:
        raise InvalidScores("`values` must hold at least one task; got none.")
    tasks = []
    for t, column in enumerate(columns):
        try:
            task = np.array(column)
            if task.dtype.kind not in "biufO" or any(isinstance(v, str) for v in task.flat if task.dtype.kind == "O"):
                raise TypeError
            task = task.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidScores(
                f"`values` of task {t} must be numbers, runs × steps, all runs of equal length."
            ) from error
        if task.ndim != 2:
            raise InvalidScores(f"{wanted}; got shape {task.shape} for task {t}.")
        if 0 in task.shape:
            raise InvalidScores(
                f"`values` of task {t} must hold at least one run and one step; got shape {task.shape}."
            )
        if np.isinf(task).any():
            raise InvalidScores(
                f"`values` of task {t} must not be infinite; {int(np.isinf(task).sum())} of {task.size} are. "
                "Give failed runs the worst score, or NaN with a rule in `missing`."
            )
        tasks.append(task)
    lengths = sorted({task.shape[1] for task in tasks})
    if len(lengths) > 1:
        raise InvalidScores(
            f"`values` must have the same steps on every task; got between {lengths[0]} and {lengths[-1]}. "
            "Bring all runs onto one grid of steps first."
        )
    return tasks


def _check_design(tasks: Sequence[FloatArray], method: str, missing: str, simultaneous: bool) -> None:
    if method not in get_args(StepMethod):
        raise InputError(f"`method` must be 't' or 'percentile'; got {method!r}.")
    n_bad = sum(int(np.isnan(task).sum()) for task in tasks)
    if n_bad and missing == "refuse":
        raise InvalidScores(
            f"`values` must be numbers; {n_bad} of {sum(task.size for task in tasks)} are NaN. Say missing='gap' to leave out "
            "the steps at which a run has no score, or missing='present' to use the runs that have one."
        )
    least = min(len(task) for task in tasks)
    if least < 2:
        raise InvalidScores(
            "one run on a task says nothing about spread; every method needs at least 2 runs of every task."
        )
    if method == "percentile" and simultaneous:
        raise InputError(
            "`method='percentile'` gives limits at each step alone; say method='t' with simultaneous=True."
        )
    if method == "percentile" and least < FEWEST_RUNS:
        raise InvalidScores(
            f"`method='percentile'` is too short below {FEWEST_RUNS} runs on every task; the fewest here are {least}. "
            "Use method='t'."
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Curves:
    """The runs of all tasks in an order of their own, runs × steps, in units of 2**exponent.

    Runs stand in the order of their places among all runs, step after step, and tasks in the order of their
    runs: which resamples are drawn depends neither on the order in which they came nor on the unit of scores.
    `mirrored` is the order in which negated curves stand. `present` tells which runs have a score.
    """

    scores: FloatArray
    present: NDArray[np.bool_]
    task_of: IntArray
    starts: NDArray[np.int64]
    mirrored: NDArray[np.uint32]
    mirrored_starts: NDArray[np.int64]
    exponent: int

    @classmethod
    def of(cls, tasks: Sequence[FloatArray], missing: Missing) -> _Curves:
        scores = np.concatenate(tasks)
        finite = np.abs(scores[~np.isnan(scores)])
        exponent = math.frexp(float(finite.max(initial=0.0)))[1]
        scores = np.ldexp(scores, -exponent)
        sizes = np.array([len(task) for task in tasks])
        code = np.repeat(np.arange(len(tasks)), sizes)
        # Missing scores stand in the middle: they are that for negated curves too.
        places = np.stack([_dense_places(column) for column in scores.T], axis=1)
        order, starts = _canonical(places, code)
        back = _canonical(places.max(axis=0, initial=0) + places.min(axis=0, initial=0) - places, code)
        inverse = np.empty(order.size, dtype=np.uint32)
        inverse[order] = np.arange(order.size, dtype=np.uint32)
        scores = scores[order]
        present = ~np.isnan(scores)
        if missing == "gap":
            present &= present.all(axis=0)
        return cls(
            scores,
            present,
            np.repeat(np.arange(len(tasks)), np.diff(starts)),
            starts,
            inverse[back[0]],
            back[1],
            exponent,
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Runs of each task."""
        return np.diff(self.starts)

    def in_their_unit(self, found: FloatArray) -> FloatArray:
        """What was found of the curves, in the unit in which they came."""
        with np.errstate(over="ignore"):  # a limit beyond the largest number is infinite
            return np.asarray(np.ldexp(found, self.exponent))

    def sizes_at(self) -> NDArray[np.int64]:
        """Runs with a score, steps × tasks."""
        return np.add.reduceat(self.present, self.starts[:-1], axis=0, dtype=np.int64).T


def _dense_places(column: FloatArray) -> IntArray:
    """The place of each score among the different ones, counted from the middle of them; 0 where it is missing."""
    known = ~np.isnan(column)
    out = np.zeros(column.size, dtype=np.intp)
    if known.any():
        place = np.unique(column[known], return_inverse=True)[1]
        out[known] = 2 * place - place.max()
    return out


def _canonical(places: IntArray, code: IntArray) -> tuple[IntArray, NDArray[np.int64]]:
    """The rows in the order of their content, within tasks in the order of theirs; where each task begins."""
    # by_content compares unsigned numbers.
    shifted = places - places.min()
    rows = np.array(by_content([(row,) for row in shifted]), dtype=np.intp)
    groups = [rows[code[rows] == t] for t in range(int(code.max()) + 1)]
    tasks = by_content([tuple(shifted[row] for row in group) for group in groups])
    starts = np.concatenate(([0], np.cumsum([groups[t].size for t in tasks]))).astype(np.int64)
    return np.concatenate([groups[t] for t in tasks]), starts


def _by_resamples(
    curves: _Curves, part: RunStatistic, statistic: str, confidence: float, simultaneous: bool, method: str,
    key: NDArray[np.uint64], n_resamples: int, threads: int,
) -> OverSteps:  # fmt: skip
    """Limits out of resamples of whole runs."""
    n, n_steps = curves.scores.shape
    half = (n_resamples + 1) // 2
    estimate, low, high = np.full(n_steps, math.nan), np.full(n_steps, -math.inf), np.full(n_steps, math.inf)
    sizes = curves.sizes_at()
    answered = np.flatnonzero((sizes > 0).all(axis=1))
    error, lumped = np.zeros(n_steps), np.zeros(n_steps, dtype=bool)
    farthest, tail = np.zeros(2 * half), np.zeros(int(_FARTHEST / _BIN) + 1)
    block = max(1, _HELD // (2 * half))
    counts = _counts(curves, key, half)
    for first in range(0, answered.size, block):
        steps = answered[first : first + block]
        drawn, shared = _drawn(curves, part, steps, counts, threads)
        draws, estimate[steps] = drawn[:, :-1], drawn[:, -1]
        scale = np.abs(np.where(curves.present[:, steps], curves.scores[:, steps], 0.0)).max(axis=0)
        known = np.ptp(draws, axis=1) > 4.0 * np.finfo(np.float64).eps * math.sqrt(n) * scale
        known &= (sizes[steps] > 1).all(axis=1)
        if not known.any():
            continue
        lumped[steps] = shared & known
        if method == "percentile":
            sides = np.quantile(draws[known], [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0], axis=1)
            low[steps[known]], high[steps[known]] = sides
            continue
        spread = draws[known].std(axis=1, ddof=1)
        error[steps[known]] = spread
        if simultaneous:
            away = np.abs(draws[known] - estimate[steps[known], None]) / spread[:, None]
            np.maximum(farthest, away.max(axis=0), out=farthest)
            tail += np.bincount((np.minimum(away, _FARTHEST) / _BIN).astype(np.intp).ravel(), minlength=tail.size)
    if method == "t":
        known = error > 0.0
        level = 1.0 - confidence
        if simultaneous and known.any():
            level = _level_of_all(farthest, tail, confidence, int(known.sum()))
        half_width = error[known] * _critical(
            curves, part, np.flatnonzero(known), sizes[known], level, simultaneous=simultaneous
        )
        low[known], high[known] = estimate[known] - half_width, estimate[known] + half_width
    doubts = (*_doubts(part, n, curves.sizes.size), *((Assumption.SHARED_SCORE,) if lumped.any() else ()))
    silent = bool((np.isinf(high) & ~np.isnan(estimate)).any())
    how = STUDENT_BOOTSTRAP if method == "t" else "percentile bootstrap"
    return OverSteps(
        estimate=curves.in_their_unit(estimate), low=curves.in_their_unit(low), high=curves.in_their_unit(high),
        statistic=statistic, confidence=confidence, simultaneous=simultaneous,
        method=f"{how}, whole runs within tasks" + (", largest studentized deviation over the steps" if simultaneous else ""),
        guarantee="heuristic" if doubts else "approximate", n_runs=n, n_tasks=curves.sizes.size, runs_at=sizes.sum(axis=1),
        shared=np.flatnonzero(lumped),
        assumptions=(Assumption.INDEPENDENT_RUNS, Assumption.FIXED_TASKS, *((Assumption.NO_SPREAD,) if silent else ()), *doubts),
    )  # fmt: skip


def _doubts(part: RunStatistic, n_runs: int, n_tasks: int) -> tuple[str, ...]:
    """Why the limits may be too short; by numbers known before the scores."""
    short = part.tail_share < 1.0 and n_runs * part.tail_share < FEW_IN_TAIL - 1e-9
    central = part.kind == "part" and part.low > 0.0 and part.high < 1.0
    few = n_runs < (FEWEST_FOR_IQM if central else FEWEST_FOR_OTHERS)
    return (
        *((Assumption.SHORT_TAIL,) if short else ()),
        *((Assumption.UNTRIED,) if part.tail_share < 1.0 else ()),
        *(collapse_doubts(part.kind, n_runs, n_tasks)),
        *((Assumption.FEW_OVER_STEPS,) if few and n_runs >= FEWEST_IN_ALL else ()),
    )


def _counts(curves: _Curves, key: NDArray[np.uint64], half: int) -> list[FloatArray]:
    """How often each run is drawn, runs × lanes, block after block; the last lane is the sample itself.

    The second half is drawn as the first half of the negated curves would be.
    """
    from ogive.kernels._steps import draw_lanes

    n = len(curves.scores)
    forward = np.arange(n, dtype=np.uint32)
    out = np.empty((n, 2 * half + 1))
    drawn = np.empty(n)
    with np.errstate(over="ignore"):  # the generator wraps around; heard only with the compiler off
        draw_lanes(0, half, key, forward, curves.starts, drawn, out[:, :half])  # type: ignore[no-untyped-call]
        draw_lanes(0, half, key, curves.mirrored, curves.mirrored_starts, drawn, out[:, half:])  # type: ignore[no-untyped-call]
    out[:, -1] = 1.0
    return [np.ascontiguousarray(out[:, first : first + LANES]) for first in range(0, 2 * half + 1, LANES)]


def _drawn(
    curves: _Curves, part: RunStatistic, steps: IntArray, counts: Sequence[FloatArray], threads: int
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The statistic of every resample, and last of the sample itself, at these steps: steps × (resamples + 1).

    And whether a fifth of the runs or more, three at least, have the same score at a step.
    """
    from ogive.kernels._steps import over_steps as walk

    scores, n = np.ascontiguousarray(curves.scores[:, steps].T), len(curves.scores)
    here = np.ascontiguousarray(curves.present[:, steps].T)
    scores[~here] = math.nan  # which sorts last
    order = np.argsort(scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    n_tasks = curves.sizes.size
    out = np.empty((len(counts), steps.size, LANES))
    # Of one task the middle of all quantiles, as elsewhere for one sample; of many the smallest, as in `aggregate`.
    high = part.high if part.kind != "quantile" else part.low if n_tasks == 1 else part.low - 1e-11

    def block(first: int, last: int) -> None:
        for i in range(first, last):
            width = counts[i].shape[1]
            own = np.empty((steps.size, width))
            walk(  # type: ignore[no-untyped-call]
                _KINDS[part.kind], part.low, high, counts[i], curves.task_of, curves.sizes, order, ordered, here.sum(axis=1),
                float(n), np.empty((n, width)), np.empty((n, width)), np.empty((n_tasks, width + 1)), np.empty((n_tasks, width)),
                own,
            )  # fmt: skip
            out[i, :, :width] = own

    in_blocks(block, len(counts), threads, 1)
    total = sum(one.shape[1] for one in counts)
    apart = min(max(FEWEST_SHARED, math.ceil(SHARED * n)) - 1, n)
    shared = (ordered[:, apart:] == ordered[:, : n - apart]).any(axis=1)
    return np.moveaxis(out, 0, 1).reshape(steps.size, -1)[:, :total], shared


def _level_of_all(farthest: FloatArray, tail: FloatArray, confidence: float, n_steps: int) -> float:
    """The error at each step that makes 1 - confidence for all together.

    How often a deviation at one step passes what the largest of a resample passes in 1 - confidence of them: in a
    normal distribution, or among all resamples and steps where that is less, since sums over few runs have short tails.
    """
    from scipy.special import ndtr

    largest = float(np.quantile(farthest, confidence))
    beyond = float(tail[int(min(largest, _FARTHEST) / _BIN) + 1 :].sum() / tail.sum())
    own = min(2.0 * float(ndtr(-largest)), beyond)
    return min(1.0 - confidence, max(own, (1.0 - confidence) / n_steps))


def _critical(
    curves: _Curves, part: RunStatistic, steps: IntArray, sizes: NDArray[np.int64], level: float, *, simultaneous: bool
) -> FloatArray:
    """How many standard deviations of the resamples the limits reach to each side, at each of the steps."""
    from scipy.special import stdtrit

    r = sizes.astype(np.float64)
    factor = np.sqrt(np.sum(1.0 / r, axis=1) / np.sum((r - 1.0) / r**2, axis=1))
    df = np.sum(1.0 / r, axis=1) ** 2 / np.sum(1.0 / (r**2 * (r - 1.0)), axis=1)
    if part.kind == "median":
        for i, step in enumerate(steps):
            df[i] = _median_freedom(curves, int(step), r[i], float(df[i]))
    elif simultaneous:
        # Far out Student's t depends on them most: spreads of tasks that differ forty-fold brought 95 % down to
        # 0.77 at 3 × 5 with those of equal spreads.
        df = np.minimum(df, _freedom(curves, part, steps, r))
    return np.asarray(stdtrit(df, 1.0 - level / 2.0) * factor)


def _freedom(curves: _Curves, part: RunStatistic, steps: IntArray, sizes: FloatArray) -> FloatArray:
    """Satterthwaite's degrees of freedom of the spreads that the tasks show in what moves the statistic, at each step.

    The square of an estimated variance with f degrees of freedom is too large by (f + 2) / f: the sum over tasks
    has f + 2 below it, and 2 is taken off in the end. So both equal spreads and one that outweighs all others
    give what they would give if they were known.
    """
    here = curves.present[:, steps]
    scores = np.where(here, curves.scores[:, steps], np.inf)
    order = np.argsort(scores, axis=0, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=0)
    weights = np.where(here, 1.0 / (sizes.shape[1] * sizes.T[curves.task_of]), 0.0)
    mass = np.cumsum(np.take_along_axis(weights, order, axis=0), axis=0)

    def at(level: float) -> FloatArray:
        """The middle of all quantiles at a level, which negated scores share."""
        first, last = (np.argmax(mass >= reached, axis=0) for reached in (level - 1e-9, level + 1e-9))
        every = np.arange(steps.size)
        return np.asarray((ordered[first, every] + ordered[last, every]) / 2.0)

    if part.kind == "quantile":
        moved = (scores <= at(part.low)).astype(np.float64)
    else:
        floor = at(part.low) if part.low > 0.0 else np.full(steps.size, -np.inf)
        ceiling = at(part.high) if part.high < 1.0 else np.full(steps.size, np.inf)
        moved = np.clip(np.where(here, scores, 0.0), floor, ceiling)
    moved = np.where(here, moved, 0.0)
    starts = curves.starts[:-1]
    means = np.add.reduceat(moved, starts, axis=0) / sizes.T
    gaps = np.where(here, moved - means[curves.task_of], 0.0)
    variances = np.add.reduceat(gaps**2, starts, axis=0) / (sizes.T - 1.0) / sizes.T
    squares = np.sum(variances**2 / (sizes.T + 1.0), axis=0)
    shown = squares > 0.0
    found = np.full(steps.size, np.inf)
    found[shown] = np.sum(variances, axis=0)[shown] ** 2 / squares[shown] - 2.0
    return np.asarray(np.maximum(found, sizes.min(axis=1) - 1.0))


def _median_freedom(curves: _Curves, step: int, sizes: FloatArray, otherwise: float) -> float:
    """The median rests on the runs of one or two tasks, and its degrees of freedom are theirs."""
    scores, here = curves.scores[:, step], curves.present[:, step]
    own = [scores[curves.task_of == t][here[curves.task_of == t]] for t in range(sizes.size)]
    shares = middle_shares(np.array([task.mean() for task in own]))
    squares = np.array(
        [(share / task.size) ** 2 * np.sum((task - task.mean()) ** 2) for share, task in zip(shares, own, strict=True)]
    )
    freedom = sizes - 1.0
    return satterthwaite(squares * sizes / freedom, freedom) if squares.any() else otherwise


def _by_order_statistics(
    curves: _Curves, part: RunStatistic, statistic: str, confidence: float, simultaneous: bool
) -> OverSteps:
    """A quantile of the runs of one task, between two of them."""
    from ogive.statistics._interval import middle_quantile

    n, n_steps = curves.scores.shape
    runs_at = curves.present.sum(axis=0)
    estimate, low, high = np.full(n_steps, math.nan), np.full(n_steps, -math.inf), np.full(n_steps, math.inf)
    answered = np.flatnonzero(runs_at)
    own = 1.0 - (1.0 - confidence) / answered.size if simultaneous and answered.size else confidence
    for s in answered:
        ordered = np.sort(curves.scores[curves.present[:, s], s])
        estimate[s] = middle_quantile(ordered, part.low)
        below, above = order_statistic_ranks(ordered.size, part.low, own)
        low[s] = ordered[below - 1] if below > 0 else -math.inf
        high[s] = ordered[above - 1] if above <= ordered.size else math.inf
    endless = bool((np.isinf(low) | np.isinf(high))[answered].any())
    return OverSteps(
        estimate=curves.in_their_unit(estimate), low=curves.in_their_unit(low), high=curves.in_their_unit(high),
        statistic=statistic, confidence=confidence, simultaneous=simultaneous,
        method="order statistics" + (", error divided by the number of steps" if simultaneous else ""),
        guarantee="conservative", n_runs=n, n_tasks=1, runs_at=runs_at,
        assumptions=(Assumption.INDEPENDENT_RUNS, Assumption.FIXED_TASKS, *((Assumption.NO_LIMITS,) if endless else ())),
    )  # fmt: skip


def _shortfall(found: OverSteps, statistic: str, gamma: float) -> OverSteps:
    """gamma minus the mean of what is cut at gamma."""
    turned = found.negated()
    fields = {name: getattr(turned, name) for name in turned.__slots__}
    shifted = {name: getattr(turned, name) + gamma for name in ("estimate", "low", "high")}
    known = np.isfinite(shifted["estimate"])
    shifted["low"][known] = np.maximum(shifted["low"][known], 0.0)  # by its definition
    return OverSteps(**(fields | shifted | {"statistic": statistic}))
