"""How far the mean of several tasks' distributions may lie from the truth, anywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ogive.arguments import FloatArray
from ogive.seeding import stream
from ogive.statistics._band import band_margin
from ogive.statistics.over_tasks._resampling import pool

# Resamples held at once: some megabytes.
_HELD = 4_000_000


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
