"""Statistics of a sample, and of the sample without each of its scores in turn: the jackknife in one pass.

Leaving out one score after the other and asking again takes time quadratic in their number; sums that
are kept from both ends give the same values in the time of one sort.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ogive.arguments import FloatArray


def interquartile_mean(values: FloatArray) -> float:
    """Mean of the middle half; `ecdf(values).iqm()` without its door."""
    ordered, weights = np.sort(values), _middle_half(values.size)
    used = np.flatnonzero(weights)
    # Equal scores have their own value as a mean, whatever the weights' rounding.
    return float(np.clip(np.dot(weights, ordered), ordered[used[0]], ordered[used[-1]]))


def interquartile_means(values: FloatArray) -> FloatArray:
    """The interquartile mean without each score, in the order of the scores.

    Notes
    -----
    Let w_k be the weight of the k-th smallest of n - 1 scores. Without the i-th smallest of n, scores
    before it keep their place and scores behind it move up by one: the mean is the sum of w_k x_k for
    k < i and of w_k x_{k+1} for k >= i.
    """
    order, weights = np.argsort(values, kind="stable"), _middle_half(values.size - 1)
    ordered = values[order]
    before = np.append(0.0, np.cumsum(weights * ordered[:-1]))
    behind = np.append(np.cumsum((weights * ordered[1:])[::-1])[::-1], 0.0)
    out = np.empty(values.size)
    out[order] = before + behind
    return out


def standard_deviation(values: FloatArray) -> float:
    """Root of the sum of squares over n - 1; 0 for equal scores."""
    return float(values.std(ddof=1)) if np.ptp(values) else 0.0


def standard_deviations(values: FloatArray) -> FloatArray:
    """The standard deviation without each score.

    Notes
    -----
    Without a score that lies d from the mean of n, the sum of squares about the mean is smaller by
    d² n / (n - 1).
    """
    n, squares = values.size, (values - values.mean()) ** 2
    if n < 3:
        return np.zeros(n)
    left = squares.sum() - squares * (n / (n - 1))
    return np.asarray(np.sqrt(np.maximum(left, 0.0) / (n - 2)))


def quick_of(statistic: object) -> Callable[[FloatArray], FloatArray] | None:
    """What leaves out every score of a statistic at once, where it is known."""
    # By identity: a statistic of the caller's may be an object that has no hash.
    known = ((interquartile_mean, interquartile_means), (standard_deviation, standard_deviations))
    return next((quick for one, quick in known if one is statistic), None)


@lru_cache(maxsize=8)
def _middle_half(n: int) -> FloatArray:
    """Weights of n sorted scores in the mean of their middle half."""
    weights = np.diff(np.clip(np.arange(n + 1) / n, 0.25, 0.75)) / 0.5
    weights.setflags(write=False)
    return weights
