"""Two methods on many tasks: how often one beats the other, and aggregates on the scale of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.arguments import FloatArray, IntArray, as_confidence
from ogive.errors import InputError, InvalidScores
from ogive.seeding import stream
from ogive.statistics._aggregate import AGGREGATES, FEWEST_RUNS, STUDENT_BOOTSTRAP, collapse_doubts
from ogive.statistics._interval import Assumption, Interval
from ogive.statistics._resampling import (
    as_resamples,
    as_tasks,
    by_content,
    in_blocks,
    resample_key,
    spread_correction,
    widened_at_the_edge,
)

# Shares held at once: some tens of megabytes.
_HELD = 8_000_000


def improvement_over_tasks(
    x: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike | Sequence[ArrayLike],
    *,
    confidence: float = 0.95,
    method: Literal["t", "percentile"] = "t",
    seed: int = 0,
    n_resamples: int = 2000,
    threads: int = 1,
) -> Interval:
    """How often a run of x scores above a run of y on the same task, averaged over tasks.

    Parameters
    ----------
    x, y : array or sequence of arrays
        Each a 2-D array runs × tasks, or a list with the runs of each task; the same tasks in
        the same order. Runs are not paired, and may differ in number.
    method : {"t", "percentile"}
        The second needs ten runs on every task.

    Notes
    -----
    The average over tasks of P(X > Y) + P(X = Y) / 2. Approximate: runs of x and of y are
    resampled within each task, and the interval is estimate ± t · se* · sqrt(R / (R - 1)), as
    for `aggregate`, with x's and y's runs of a task as two groups.

    A bootstrap knows nothing of pairs it has not seen: where x always wins on one task and
    always loses on another, all resamples agree. On a task with R runs of the rarer method R
    pairs of runs can be made that share no run. Where at most five of all these pairs go
    against their own task's majority, the interval is widened: to Clopper and Pearson's for as
    many pairs on every task as the poorest task has, which errs on the safe side, or, where
    tasks lie near 0 and near 1, to the normal one after adding a win and a loss to each task.
    It never has zero width.

    Simulated at 95 % on normal scores, 1 to 26 tasks with 3 to 20 runs and probabilities from
    0.5 to 0.98, or alternating between 0.98 and 0.02: covers 0.945 or more.

    References
    ----------
    Agresti and Caffo (2000), Simple and effective confidence intervals for proportions.
    Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical precipice.
    Hoeffding (1956), On the distribution of the number of successes in independent trials.

    Examples
    --------
    >>> print(improvement_over_tasks([[3, 4, 5], [7, 8, 9]], [[1, 2, 3], [1, 2, 3]]))
    0.972 [0.359, 1]
    """
    xs, ys = as_tasks(x, "x"), as_tasks(y, "y")
    confidence, n_resamples = as_confidence(confidence), as_resamples(n_resamples, threads)
    if method not in ("t", "percentile"):
        raise InputError(f"`method` must be 't' or 'percentile'; got {method!r}.")
    if len(xs) != len(ys):
        raise InvalidScores(
            f"`x` and `y` must hold the same tasks in the same order; got {len(xs)} and {len(ys)} tasks."
        )
    sizes = np.array([task.size for task in (*xs, *ys)])
    least = int(sizes.min())
    if least < 2:
        raise InvalidScores(
            "one run on a task says nothing about spread; both methods need at least 2 runs of every task."
        )
    if method == "percentile" and least < FEWEST_RUNS:
        raise InvalidScores(
            f"`method='percentile'` is too short below {FEWEST_RUNS} runs on every task; the fewest here are {least}. "
            "Use method='t'."
        )
    shares, draws = _resampled_improvement(xs, ys, seed, n_resamples, threads)
    estimate = float(shares.mean())
    if method == "t":
        from scipy.special import stdtrit

        factor, df = spread_correction(sizes)
        half = float(stdtrit(df, 0.5 + confidence / 2.0)) * float(draws.std(ddof=1)) * factor
        low, high = estimate - half, estimate + half
    else:
        low, high = (float(v) for v in np.quantile(draws, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0]))
    pairs = np.minimum(sizes[: len(xs)], sizes[len(xs) :])
    low, high = widened_at_the_edge(shares, pairs, low, high, confidence)
    return Interval(
        estimate=estimate, low=low, high=high, confidence=confidence, n=int(sizes.sum()),
        method=f"{STUDENT_BOOTSTRAP if method == 't' else 'percentile bootstrap'}, runs within tasks",
        guarantee="approximate", assumptions=(Assumption.INDEPENDENT_RUNS, Assumption.FIXED_TASKS),
    )  # fmt: skip


def _resampled_improvement(
    xs: Sequence[FloatArray], ys: Sequence[FloatArray], seed: int, n_resamples: int, threads: int
) -> tuple[FloatArray, FloatArray]:
    """The share of wins on each task, and their average in each resample.

    A quarter of the resamples each is drawn from the runs, from the negated runs, and from both with
    x and y exchanged, and turned back: whoever negates the scores or exchanges x and y gets one minus
    the same numbers. Tasks are drawn in the order of what they hold, not of how they came.
    """
    places = [sorted_places(x, y) for x, y in zip(xs, ys, strict=True)]
    turned = [(_mirrored(x, y), _mirrored(y, x)) for x, y in places]
    wins = [float(np.mean(lo + hi)) / (2.0 * y.size) for (lo, hi), y in ((_passed(x, y), y) for x, y in places)]
    quarter = -(-n_resamples // 4)
    key, draws = resample_key(seed), np.empty((4, quarter))
    views = (places, turned, [(y, x) for x, y in places], [(y, x) for x, y in turned])
    for view, row in zip(views, draws, strict=True):
        _draw(view, key, row, threads)
    draws[1:3] = 1.0 - draws[1:3]
    return np.array(wins), draws.ravel()


def _draw(view: Sequence[tuple[IntArray, IntArray]], key: NDArray[np.uint64], out: FloatArray, threads: int) -> None:
    """Resamples of the average over tasks, into `out`."""
    from ogive.kernels._resampling import resample_improvement

    tasks = [view[t] for t in by_content(view)]
    below, upto = (np.concatenate(side) for side in zip(*(_passed(x, y) for x, y in tasks), strict=True))
    x_starts, y_starts = (np.concatenate(([0], np.cumsum([task[k].size for task in tasks]))) for k in (0, 1))

    def block(first: int, last: int) -> None:
        resample_improvement(first, last, key, x_starts, y_starts, below, upto, out)  # type: ignore[no-untyped-call]

    in_blocks(block, out.size, threads)


def sorted_places(x: FloatArray, y: FloatArray) -> tuple[IntArray, IntArray]:
    """Where the runs of both stand among all runs of the task, sorted; equal runs share a place."""
    place = np.unique(np.concatenate([x, y]), return_inverse=True)[1]
    return np.sort(place[: x.size]), np.sort(place[x.size :])


def _mirrored(own: IntArray, other: IntArray) -> IntArray:
    """The places of negated runs."""
    last = max(int(own[-1]), int(other[-1]))
    return last - own[::-1]


def _passed(x: IntArray, y: IntArray) -> tuple[IntArray, IntArray]:
    """How many runs of y lie below each run of x, and up to it."""
    return np.searchsorted(y, x, side="left"), np.searchsorted(y, x, side="right")


def aggregate_against(
    runs: Sequence[FloatArray], reference: Sequence[FloatArray], *, statistics: Sequence[str], confidence: float,
    gamma: float, seed: int, n_resamples: int,
) -> dict[str, Interval]:  # fmt: skip
    """IQM, mean, median or optimality gap of the share of reference runs that each run beats.

    Notes
    -----
    Approximate: runs of both methods are resampled within each task, the share is formed anew in every
    resample, and the interval is estimate ± t · se* · sqrt(R / (R - 1)) as in `aggregate`,
    with both methods' runs of a task as two groups; cut to [0, 1], where every such statistic lies. Called
    heuristic where `aggregate` calls its intervals so.
    """
    if not 0.0 < gamma <= 1.0:
        raise InputError(f"`gamma` must lie in (0, 1] with a reference method, where scores are shares; got {gamma}.")
    unknown = [s for s in statistics if s not in AGGREGATES]
    if unknown:
        raise InputError(f"a reference method goes with {', '.join(AGGREGATES)}; got {unknown[0]!r}.")
    confidence, n_resamples = as_confidence(confidence), as_resamples(n_resamples)
    # Tasks by what they hold: neither does the order in which they are listed draw other resamples.
    order = by_content([sorted_places(own, ref) for own, ref in zip(runs, reference, strict=True)])
    runs, reference = [runs[t] for t in order], [reference[t] for t in order]
    sizes = np.array([task.size for task in (*runs, *reference)])
    if int(sizes.min()) < 2:
        raise InputError("one run on a task says nothing about spread; both methods need at least 2 of every task.")
    from scipy.special import stdtrit

    own, means = _resampled(runs, reference, seed, n_resamples)
    weights = np.repeat(1.0 / (len(runs) * np.array([task.size for task in runs])), [task.size for task in runs])
    factor, df = spread_correction(sizes)
    # The runs of the method itself: those of the reference make its scale.
    doubts = {name: collapse_doubts(name, int(sizes[: len(runs)].sum()), len(runs)) for name in statistics}
    out = {}
    for name in statistics:
        draws = _statistic(name, own, weights, means, gamma)
        estimate, spread = float(draws[-1]), float(draws[:-1].std(ddof=1))
        half = float(stdtrit(df, 0.5 + confidence / 2.0)) * spread * factor
        whole = np.array([min(max(estimate, 0.0), 1.0)]), np.array([len(runs) * int(sizes.min())])
        shares, pairs = (means[-1], np.minimum(*sizes.reshape(2, -1))) if name == "mean" else whole
        low, high = widened_at_the_edge(shares, pairs, estimate - half, estimate + half, confidence)
        out[name] = Interval(
            estimate=estimate, low=low, high=high, confidence=confidence, n=int(sizes.sum()),
            method=f"{STUDENT_BOOTSTRAP}, both methods' runs within tasks", guarantee="heuristic" if doubts[name] else "approximate",
            assumptions=(Assumption.INDEPENDENT_RUNS, Assumption.FIXED_TASKS, *doubts[name]),
        )  # fmt: skip
    return out


def _resampled(
    runs: Sequence[FloatArray], reference: Sequence[FloatArray], seed: int, n_resamples: int
) -> tuple[FloatArray, FloatArray]:
    """The share of every run in every resample, and the tasks' means; the last row is the sample."""
    rng = stream(seed, "resample", None, "reference")
    parts, means = [], []
    for own, ref in zip(runs, reference, strict=True):
        # Sorted, so that the numbers do not depend on the order in which runs are listed.
        ordered, own = np.sort(ref), np.sort(own)
        counts = rng.multinomial(ref.size, np.full(ref.size, 1.0 / ref.size), size=n_resamples)
        counts = np.vstack([counts, np.ones(ref.size, dtype=counts.dtype)])
        passed = np.hstack([np.zeros((counts.shape[0], 1)), np.cumsum(counts, axis=1)]) / ref.size
        drawn = np.vstack([rng.integers(0, own.size, (n_resamples, own.size)), np.arange(own.size)])
        places = np.searchsorted(ordered, own, side="left"), np.searchsorted(ordered, own, side="right")
        share = (passed[:, places[0]] + passed[:, places[1]]) / 2.0
        beaten = np.take_along_axis(share, drawn, axis=1)
        parts.append(beaten)
        means.append(beaten.mean(axis=1))
    return np.hstack(parts), np.stack(means, axis=1)


def _statistic(name: str, values: FloatArray, weights: FloatArray, means: FloatArray, gamma: float) -> FloatArray:
    if name == "mean":
        return np.asarray(means.mean(axis=1))
    if name == "median":
        return np.asarray(np.median(means, axis=1))
    if name == "optimality_gap":
        return np.asarray(gamma - np.minimum(values, gamma) @ weights)
    out = np.empty(values.shape[0])
    for first in range(0, values.shape[0], max(1, _HELD // values.shape[1])):
        part = values[first : first + max(1, _HELD // values.shape[1])]
        if np.ptp(weights) < 1e-15:  # equal weights need no places, only the order
            inner = np.clip(np.arange(weights.size + 1.0) / weights.size, 0.25, 0.75)
            out[first : first + part.shape[0]] = np.sort(part, axis=1) @ np.diff(inner) / 0.5
            continue
        order = np.argsort(part, axis=1)
        inner = np.clip(np.cumsum(weights[order], axis=1), 0.25, 0.75)
        shares = np.diff(inner, axis=1, prepend=0.25)
        out[first : first + part.shape[0]] = (np.take_along_axis(part, order, axis=1) * shares).sum(axis=1) / 0.5
    return out
