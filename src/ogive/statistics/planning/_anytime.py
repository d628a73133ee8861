"""Looking more than once: a margin that holds at every sample size, and error spent over a few looks."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, as_confidence, as_count
from ogive.errors import InputError

# The factor before the square root, which Howard and Ramdas choose and the constant C belongs to.
_FACTOR = 0.85


def anytime_margin(t: ArrayLike, m0: int, confidence: float = 0.95) -> float | FloatArray:
    """Half the height of a band around the empirical CDF that holds for all sample sizes t >= m0 at once.

    Parameters
    ----------
    t : int or array-like of int
        Sample sizes; each at least `m0`.
    m0 : int
        The smallest sample that will be looked at, fixed beforehand.

    Notes
    -----
    Conservative for every distribution: one may look after every trial and stop when one likes.
    It costs about twice the width of the DKW band at t = 1000; for a few looks at sizes fixed
    beforehand `spend` costs less. The constant C solves
    d = inf over eta of 4 exp(-g C) (1 + 1 / ((g - 1) ln eta)), g = (2 / eta) (0.85 - sqrt(2 (eta - 1) / C))^2.

    References
    ----------
    Howard and Ramdas (2022), Sequential estimation of quantiles with applications to A/B testing and
    best-arm identification, Bernoulli 28(3).

    Examples
    --------
    >>> round(anytime_margin(1000, m0=100), 4)
    0.082
    """
    confidence = as_confidence(confidence)
    first = as_count(m0, "m0")
    sizes = np.asarray(t, dtype=np.float64)
    if first != int(first) or not np.all(sizes >= first):
        raise InputError(
            f"`m0` must be a whole number and `t` at least `m0`; got m0 = {m0:g} and t from {sizes.min():g}."
        )
    loglog = np.log1p(np.log(sizes / first))
    margins = np.minimum(1.0, _FACTOR * np.sqrt((loglog + anytime_constant(confidence)) / sizes))
    return float(margins) if margins.ndim == 0 else margins


def spend(confidence: float, looks: int) -> float:
    """The confidence of each of several looks that keeps the confidence of all of them together.

    Notes
    -----
    Bonferroni: each look errs with probability (1 - confidence) / looks. The sizes at which one
    looks are fixed beforehand.

    Examples
    --------
    >>> spend(0.95, looks=5)
    0.99
    """
    confidence, number = as_confidence(confidence), as_count(looks, "looks")
    if number != int(number):
        raise InputError(f"`looks` must be a whole number; got {looks:g}.")
    return 1.0 - (1.0 - confidence) / number


@lru_cache(maxsize=256)
def anytime_constant(confidence: float) -> float:
    """C of `anytime_margin`; 8.1227 at 95 %."""
    from scipy.optimize import brentq

    goal = math.log(1.0 - confidence)
    return float(brentq(lambda c: _log_error(c) - goal, 1.0, 1000.0, xtol=1e-10))


def _log_error(constant: float) -> float:
    """The logarithm of the error probability, smallest over eta."""
    from scipy.optimize import brentq, minimize_scalar

    def rate(eta: float) -> float:
        return 2.0 / eta * max(0.0, _FACTOR - math.sqrt(2.0 * (eta - 1.0) / constant)) ** 2

    # The bound needs rate > 1: eta from 1 up to where the rate has fallen to 1.
    most = float(brentq(lambda eta: rate(eta) - 1.0, 1.0, 4.0, xtol=1e-14))

    def log_bound(log_excess: float) -> float:
        eta = 1.0 + math.exp(log_excess)
        g = rate(eta)
        if g <= 1.0:
            return math.inf
        return math.log(4.0) - g * constant + math.log1p(1.0 / ((g - 1.0) * math.log(eta)))

    end = math.log(most - 1.0)
    found = minimize_scalar(log_bound, bounds=(end - 20.0, end - 1e-9), method="bounded", options={"xatol": 1e-10})
    return float(found.fun)
