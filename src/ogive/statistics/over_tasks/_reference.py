"""Aggregates on the scale of a reference method, whose runs are resampled together with the method's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ogive.arguments import FloatArray, as_confidence
from ogive.errors import InputError
from ogive.seeding import stream
from ogive.statistics._assumptions import Assumption
from ogive.statistics._interval import Interval
from ogive.statistics.over_tasks._aggregate import STUDENT_BOOTSTRAP, collapse_doubts
from ogive.statistics.over_tasks._improvement import sorted_places
from ogive.statistics.over_tasks._resampling import as_resamples, by_content, spread_correction, widened_at_the_edge
from ogive.statistics.over_tasks._run_statistics import AGGREGATES

_HELD = 8_000_000


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
