"""Bootstrap resamples of runs within tasks: drawn once, read off for everything asked of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.arguments import FloatArray, IntArray, as_scores
from ogive.errors import InputError, InvalidScores
from ogive.seeding import stream
from ogive.statistics._interval import binomial_limits

# Resamples of one call of a kernel: some milliseconds, so that Ctrl-C and threads find gaps.
_BLOCK = 64
_FEWEST_RESAMPLES = 100
_FEW_AT_THE_EDGE = 5.0 + 1e-9
# The average of a few shares is known but for rounding.
_NO_WIDTH = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The runs of several tasks, pooled and sorted once; every task weighs the same.

    `ordered` and `weights`: the pooled scores and the mass of each, a run of task t having
    N / (T R_t), so that all have mass 1 where the tasks have equally many runs. `ranks`: the
    place in `ordered` of each run, task by task; `starts`: where each task begins there.
    `mirrored` and `mirrored_starts`: the same runs in the order in which negated scores stand.
    """

    tasks: tuple[FloatArray, ...]
    ordered: FloatArray
    weights: FloatArray
    ranks: NDArray[np.uint32]
    starts: NDArray[np.int64]
    mirrored: NDArray[np.uint32]
    mirrored_starts: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """R_t, the number of runs of each task."""
        return np.diff(self.starts)


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """What was read off each resample, a row for each; the last row is the sample itself.

    `levels` (increasing, 0 and 1 left out) cut the outcomes into parts: `quantiles[:, j]` is
    the quantile at level j, `pieces[:, j]` the integral of the quantile function up to it from
    the level before. `above[:, i]` is the mass above thresholds[i], `shortfall[:, i]` the mean
    of (threshold - score)+. `task_means` has no rows where it was not asked for.
    """

    levels: FloatArray
    thresholds: FloatArray
    quantiles: FloatArray
    pieces: FloatArray
    above: FloatArray
    shortfall: FloatArray
    task_means: FloatArray

    def quantile(self, p: float) -> FloatArray:
        """The quantile at one of the levels."""
        return self.quantiles[:, self._place(p)]

    def part_mean(self, low: float, high: float) -> FloatArray:
        """The mean of the outcomes between two levels (or 0, or 1)."""
        first = 0 if low == 0.0 else self._place(low) + 1
        last = self.levels.size if high == 1.0 else self._place(high)
        summed: FloatArray = self.pieces[:, first : last + 1].sum(axis=1) / (high - low)
        return summed

    def _place(self, level: float) -> int:
        return int(np.searchsorted(self.levels, level))


def as_tasks(scores: ArrayLike | Sequence[ArrayLike], name: str = "scores") -> tuple[FloatArray, ...]:
    """An array for each task: out of a 2-D array runs × tasks, or a sequence with one entry for each task."""
    if hasattr(scores, "ndim"):
        table = np.asarray(scores)
        if table.ndim != 2:
            raise InvalidScores(
                f"`{name}` must be a 2-D array runs × tasks, or a list with the runs of each task; got shape {table.shape}."
            )
        columns: list[Any] = list(table.T)
    else:
        columns = list(cast(Sequence[ArrayLike], scores))
    if not columns:
        raise InvalidScores(f"`{name}` must hold at least one task; got none.")
    return tuple(_as_runs(column, f"{name} of task {t}") for t, column in enumerate(columns))


def _as_runs(column: ArrayLike, name: str) -> FloatArray:
    try:
        n_bad = int(np.count_nonzero(~np.isfinite(np.asarray(column, dtype=np.float64))))
    except (TypeError, ValueError):  # text and the like: as_scores says it
        n_bad = 0
    if n_bad:
        raise InvalidScores(
            f"`{name}` must be finite; {n_bad} of {np.size(column)} are NaN or infinite. "
            "Give failed runs the worst score, or leave them out: tasks may have different numbers of runs."
        )
    return np.ascontiguousarray(as_scores(column, name=name))


def pool(tasks: Sequence[FloatArray]) -> Runs:
    """Sort the runs of all tasks once, and of each, and the tasks among themselves.

    Which resamples are drawn then depends neither on the order in which runs or tasks came nor
    on the unit of the scores: tasks stand in the order of their runs' places among all runs.
    """
    tasks = [np.sort(task) for task in tasks]
    places = np.unique(np.concatenate(tasks), return_inverse=True)[1]
    by_task = np.split(places, np.cumsum([task.size for task in tasks])[:-1])
    tasks = [tasks[t] for t in by_content([(own,) for own in by_task])]
    sizes = np.array([task.size for task in tasks])
    pooled = np.concatenate(tasks)
    order = np.argsort(pooled, kind="stable")
    ranks = np.empty(pooled.size, dtype=np.uint32)
    ranks[order] = np.arange(pooled.size, dtype=np.uint32)
    weights = np.repeat(pooled.size / (sizes.size * sizes), sizes)
    starts = _starts(sizes)
    turned = [ranks[a:b][::-1] for a, b in itertools.pairwise(starts.tolist())]
    # Equal scores share a place, as in the order of the tasks themselves.
    dense = np.unique(pooled, return_inverse=True)[1]
    mirror = by_content([(dense.max() - dense[a:b][::-1],) for a, b in itertools.pairwise(starts.tolist())])
    return Runs(
        tuple(tasks), pooled[order], weights[order], ranks, starts, np.concatenate([turned[t] for t in mirror]),
        _starts(sizes[mirror]),
    )  # fmt: skip


def by_content(places: Sequence[tuple[IntArray, ...]]) -> list[int]:
    """The order of units by what they hold: places of their scores, sorted; equal ones are interchangeable."""
    # Big-endian bytes compare as the numbers do.
    keys = [tuple(part.astype(">u4").tobytes() for part in unit) for unit in places]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def resample(
    runs: Runs, *, levels: Iterable[float], thresholds: Iterable[float], task_means: bool, random_tasks: bool,
    seed: int, n_resamples: int, threads: int,
) -> Resamples:  # fmt: skip
    """Draw the resamples and read them off; the same numbers for any number of threads.

    The second half is drawn as the first half of the negated scores would be (an odd number is
    rounded up), so that negating all scores negates all that is said about them.
    """
    from ogive.kernels._resampling import resample_runs, summarize

    cut, at = (np.unique(np.array(list(asked), dtype=np.float64)) for asked in (levels, thresholds))
    n, total = runs.ordered.size, float(runs.ordered.size)
    half = (n_resamples + 1) // 2
    rows = 2 * half + 1
    out = Resamples(
        cut, at, np.empty((rows, cut.size)), np.empty((rows, cut.size + 1)), np.empty((rows, at.size)),
        np.empty((rows, at.size)), np.empty((rows if task_means else 0, len(runs.tasks))),
    )  # fmt: skip
    ends = np.searchsorted(runs.ordered, at, side="right").astype(np.int64)
    sample, cuts, key = (runs.ordered, runs.weights, total), cut * total, resample_key(seed)

    def drawn(ranks: NDArray[np.uint32], starts: NDArray[np.int64], rows: slice) -> None:
        written = [part[rows] for part in (out.quantiles, out.pieces, out.above, out.shortfall, out.task_means)]

        def block(first: int, last: int) -> None:
            resample_runs(  # type: ignore[no-untyped-call]
                first, last, key, random_tasks, *sample, ranks, starts, cuts, ends, at, *written
            )

        in_blocks(block, half, threads)

    drawn(runs.ranks, runs.starts, slice(0, half))
    drawn(runs.mirrored, runs.mirrored_starts, slice(half, 2 * half))
    summarize(2 * half, np.ones(n), *sample, cuts, ends, at, out.quantiles, out.pieces, out.above, out.shortfall)  # type: ignore[no-untyped-call]
    if task_means:
        out.task_means[-1] = [task.mean() for task in runs.tasks]
    return out


def in_blocks(compute: Callable[[int, int], None], n: int, threads: int, block: int = _BLOCK) -> None:
    """Call `compute(first, last)` for ranges that together are all resamples, or rows."""
    starts = range(0, n, block)

    def work(first: int) -> None:
        with np.errstate(over="ignore"):  # the generator wraps around; heard only with the compiler off
            compute(first, min(first + block, n))

    if threads == 1 or len(starts) == 1:
        for first in starts:
            work(first)
    else:
        with ThreadPoolExecutor(threads) as workers:
            list(workers.map(work, starts))


def resample_key(seed: int) -> NDArray[np.uint64]:
    """The two words from which the stream of every resample follows."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise InputError(f"`seed` must be a whole number; got {seed!r}.")
    return stream(int(seed), "resample").integers(0, 2**64, size=2, dtype=np.uint64)


def as_resamples(n_resamples: int, threads: int = 1) -> int:
    """A number of resamples that a standard error can rest on; refuses impossible numbers of threads too."""
    if n_resamples != int(n_resamples) or n_resamples < _FEWEST_RESAMPLES:
        raise InputError(f"`n_resamples` must be a whole number of at least {_FEWEST_RESAMPLES}; got {n_resamples}.")
    if threads != int(threads) or threads < 1:
        raise InputError(f"`threads` must be a whole number of at least 1; got {threads}.")
    return int(n_resamples)


def spread_correction(sizes: NDArray[np.int64]) -> tuple[float, float]:
    """What a bootstrap standard error must be multiplied by, and its degrees of freedom.

    A resample of R runs has the variance of the sample's own distribution, too small by
    (R - 1) / R. With R_t runs on task t a mean over tasks has variance proportional to
    sum 1 / R_t where every task has the same spread, and the resamples show
    sum (R_t - 1) / R_t^2: the root of the ratio is the factor, sqrt(R / (R - 1)) for equal R.
    The degrees of freedom are Satterthwaite's for the same sum, which are sum (R_t - 1) for
    equal R and fewer otherwise: a task of two runs among tasks of twenty brings most of the
    variance and knows least about it.
    """
    r = sizes.astype(np.float64)
    factor = math.sqrt(float(np.sum(1.0 / r) / np.sum((r - 1.0) / r**2)))
    return factor, satterthwaite(1.0 / r, r - 1.0)


def satterthwaite(variances: FloatArray, df: FloatArray) -> float:
    """The degrees of freedom of a sum of independent variance estimates (Satterthwaite 1946)."""
    return float(np.sum(variances) ** 2 / np.sum(variances**2 / df))


def has_spread(draws: FloatArray, scale: float, n: int) -> bool:
    """Whether resamples differ by more than the rounding of sums of n numbers of this scale."""
    return bool(np.ptp(draws) > 4.0 * np.finfo(np.float64).eps * math.sqrt(n) * scale)


def says_too_little(
    shares: FloatArray, sizes: NDArray[np.int64], low: FloatArray | float, high: FloatArray | float
) -> NDArray[np.bool_]:
    """Whether resamples say too little about the average of the tasks' shares, for each row of `shares`.

    shares[…, t] is the share of yes among sizes[t] independent yes-or-no draws on task t. They
    do where, over all tasks, at most five draws came out against their own task's majority, or
    where the interval has no width: what has hardly been seen is hardly drawn again.
    """
    rare = np.minimum(shares, 1.0 - shares) @ sizes
    return np.asarray((rare <= _FEW_AT_THE_EDGE) | (np.asarray(high) - low <= _NO_WIDTH))


def widened_at_the_edge(
    shares: FloatArray, sizes: NDArray[np.int64], low: float, high: float, confidence: float
) -> tuple[float, float]:
    """An interval of the average of the tasks' shares, widened where resamples say too little.

    With the fewest draws of a task on each, their number of yes is less spread than a binomial
    with the average probability (Hoeffding 1956): Clopper and Pearson's interval for so many
    draws errs on the safe side, and is used where the average leaves at most five of them to
    one side. Half the tasks near 0 and half near 1 have an average of a half, for which it
    would be far too wide: there the interval is normal, with the variance of every task taken
    after adding a yes and a no to its draws (Agresti and Caffo 2000).
    """
    low, high = max(low, 0.0), min(high, 1.0)
    if not says_too_little(shares, sizes, low, high):
        return low, high
    share, n = float(np.mean(shares)), shares.size * int(sizes.min())
    least, most = math.floor(n * share + 1e-9), math.ceil(n * share - 1e-9)
    below, above = binomial_limits(least, n, confidence)[0], binomial_limits(most, n, confidence)[1]
    if n * min(share, 1.0 - share) > _FEW_AT_THE_EDGE and shares.size > 1:
        from scipy.special import ndtri

        added = (shares * sizes + 1.0) / (sizes + 2.0)
        error = math.sqrt(float(np.sum(added * (1.0 - added) / sizes))) / shares.size
        half = float(ndtri(0.5 + confidence / 2.0)) * error
        below, above = max(below, share - half), min(above, share + half)
    return min(low, below), max(high, above)
