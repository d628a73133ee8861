"""The IQM over tasks at every step of training against rliable.

    python benchmarks/steps.py     about a minute, nearly all of it the opponent's

rliable is called as its documentation shows for sample-efficiency curves: a statistic that takes the
IQM of one frame after another. It gets few resamples, and the time of one of them is multiplied.
"""

from __future__ import annotations

import sys

import numpy as np
from _measure import Claim, circumstances, in_turns, number, report
from resampling import SAMPLING_NOISE, library, metrics

from ogive.statistics import over_steps

RUNS, TASKS, STEPS, RESAMPLES, FEW = 100, 10, 1000, 2000, 20
ROUNDS = 3
# The statistic of the sample is asked for as well: how many times FEW resamples call it.
CALLS = FEW + 2
ATARI = (10, 26, 20)

NOTES = f"""\
CPU seconds of all threads, best of {ROUNDS} in turns, new curves in each call; compiling the kernel (once for each
installation) and imports are not counted. {RUNS} runs × {TASKS} tasks × {STEPS:,} steps, IQM with {RESAMPLES:,} resamples at every step:
`over_steps` against rliable's `get_interval_estimates` with a statistic that calls `aggregate_iqm` for each
frame, as its notebook does. rliable was given {FEW} resamples, and its time multiplied by {RESAMPLES + 2:,} / {CALLS}, the calls of
the statistic. The rows of differences: the same percentile bootstrap on {ATARI[0]} runs × {ATARI[1]} tasks × {ATARI[2]} frames, the shape of Atari 100k."""


def curves(seed: int, shape: tuple[int, int, int] = (RUNS, TASKS, STEPS)) -> np.ndarray:
    """Runs × tasks × steps that rise."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.gamma(2.0, 0.5, size=shape), axis=2) / np.arange(1, shape[2] + 1)


def iqm_by_frame(scores: np.ndarray) -> np.ndarray:
    """The statistic that rliable's users write."""
    return np.array([metrics.aggregate_iqm(scores[..., frame]) for frame in range(scores.shape[-1])])


def alone(values: np.ndarray) -> object:
    return over_steps(values, n_resamples=RESAMPLES)


def together(values: np.ndarray) -> object:
    return over_steps(values, n_resamples=RESAMPLES, simultaneous=True)


def rliable_curve(values: np.ndarray) -> object:
    return library.get_interval_estimates({"m": values}, iqm_by_frame, reps=FEW)


def differences() -> list[Claim]:
    """Largest difference of estimates, and of limits as a share of their distance."""
    values = curves(1, ATARI)
    points, limits = library.get_interval_estimates({"m": values}, iqm_by_frame, reps=RESAMPLES)
    ours = over_steps(values, method="percentile", n_resamples=RESAMPLES)
    gap = np.abs(limits["m"] - np.array([ours.low, ours.high])) / (ours.high - ours.low)
    return [
        Claim(text="IQM at every frame, largest relative difference of estimates, in units of 1e-15",
              measured=float(np.max(np.abs(points["m"] / ours.estimate - 1.0))) * 1e15, limit=5.0, unit=""),
        Claim(text="its limits, largest difference as a share of the width", measured=float(gap.max()), limit=SAMPLING_NOISE, unit=""),
    ]  # fmt: skip


def main() -> int:
    header = circumstances("numpy", "numba", "rliable", "arch")
    together(curves(99, (10, 3, 4)))  # compiles
    ours, whole, theirs = in_turns(map(curves, range(ROUNDS)), alone, together, rliable_curve)
    theirs *= (RESAMPLES + 2) / CALLS
    shape = f"{RUNS} runs × {TASKS} tasks × {STEPS:,} steps"
    claims = [
        Claim(text=f"IQM curve {what}, {shape}: times faster than rliable", measured=theirs / time, limit=50.0, unit="×",
              at_least=True, detail=f"{number(time)} s against {number(theirs)} s")
        for what, time in (("with limits at each step", ours), ("with limits for all steps", whole))
    ]  # fmt: skip
    return report("Steps of training (`benchmarks/steps.py`)", header, NOTES, [*claims, *differences()])


if __name__ == "__main__":
    sys.exit(main())
