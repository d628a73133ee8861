"""Many verdicts read together: at which error each is decided.

Step by step: at first all verdicts share the error; those that are decided leave, and the rest share it
among fewer. A verdict keeps the limits at which it was decided. Below 30 runs, and where limits are exact
by themselves, the share is the error divided by the number left (Holm 1979). From 30 runs on verdicts
that move together pay less: the share comes from normal draws of all of them at once (Romano and Wolf
2005).

With a margin a verdict leaves when it is certain beyond the margin, better or worse. One that is
equivalent, or not worse, stays: it could still have said something false at this step, and would be
counted out before it paid for that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ogive.seeding import stream
from ogive.statistics import Differences
from ogive.trials import FloatArray, IntArray

N_DRAWS = 2000
# Draws of all verdicts at once are held in memory; beyond so many numbers fewer draws are made.
MOST_DRAWN = 200_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Limits of each verdict, and the error at which they were made."""

    low: FloatArray
    high: FloatArray
    error: FloatArray
    by_draws: bool


def decide(differences: Differences, error: float, margin: float | None = None) -> Decided:
    """Limits for all verdicts, wrong about any of them with probability `error` at most, or about that."""
    k, beyond = len(differences), margin or 0.0
    drawn = _draws(differences, k)
    low, high, used = np.empty(k), np.empty(k), np.empty(k)
    left: IntArray = np.arange(k)
    while True:
        share = error / left.size if drawn is None else _joint_share(drawn[:, left], error)
        some = differences if left.size == k else differences.take(left)
        low[left], high[left] = some.limits(share)
        used[left] = share
        decided = (low[left] > differences.even + beyond) | (high[left] < differences.even - beyond)
        if decided.all() or not decided.any():
            return Decided(low, high, used, drawn is not None)
        left = left[~decided]


def _draws(differences: Differences, k: int) -> FloatArray | None:
    """The sizes of all errors at once, in many draws; None where verdicts are few or nothing is known of them together."""
    if k < 2:
        return None
    n_draws = max(200, min(N_DRAWS, MOST_DRAWN // k))
    # The stream does not depend on anything: the same table, the same numbers.
    found = differences.standardized(stream(0, "resample", None, "all pairs"), n_draws)
    return None if found is None else np.abs(found)


def _joint_share(sizes: FloatArray, error: float) -> float:
    """The error of each at which the largest of all exceeds its limit with probability `error`."""
    from scipy.special import ndtr

    largest = np.sort(sizes.max(axis=1))
    n = largest.size
    # One draw more than were made stands for what they did not show.
    rank = min(n - 1, int(np.ceil((1.0 - error) * (n + 1))) - 1)
    limit = largest[rank]
    # Two thousand draws are off by a tenth in the share; no verdict gets less than Holm's share, or more than all there is.
    return float(min(error, max(error / sizes.shape[1], 2.0 * ndtr(-limit))))
