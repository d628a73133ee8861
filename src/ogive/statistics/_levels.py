"""Local levels of the exact band: the shipped table, and the solver behind it.

The exact band gives every order statistic the same local level g: U(i) lies below
`BetaInv(g/2; i, n+1-i)` or above `BetaInv(1-g/2; i, n+1-i)` with probability g, and g is chosen
so that all n of them stay inside with probability 1 - d (Learned-Miller and DeStefano 2008;
Berk and Jones 1979). The table holds g for every n up to 200 and then for nodes up to 20,000.
Between nodes log g is interpolated in log n and reduced by the largest error found half-way
between nodes, so a band from the table errs on the safe side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
TABLE = Path(__file__).with_name("levels.csv")


@dataclass(frozen=True, slots=True)
class LocalLevel:
    """A local level, the confidence it was made for, and whether it came from the solver."""

    value: float
    confidence: float
    solved: bool


def local_level(n: int, confidence: float, *, two_sided: bool, solve: bool) -> LocalLevel | None:
    """The local level for n scores, or None where neither table nor solver reaches."""
    largest = int(_table()[0][-1])
    if n > largest:
        return None
    if solve:
        return LocalLevel(solve_local_level(n, confidence, two_sided=two_sided), confidence, True)
    index = int(np.searchsorted(np.array(CONFIDENCES), confidence - 1e-12))
    if index == len(CONFIDENCES):
        return None
    nodes, log_levels, error = _table()
    column = index + (0 if two_sided else len(CONFIDENCES))
    value = math.exp(float(np.interp(math.log(n), np.log(nodes), log_levels[:, column])))
    return LocalLevel(value * (1.0 - error), CONFIDENCES[index], False)


def boundaries(n: int, level: float, *, two_sided: bool) -> tuple[FloatArray, FloatArray]:
    """lo_i and hi_i for i = 1 … n; a one-sided pair bounds from below only."""
    from scipy.special import betaincinv

    i = np.arange(1.0, n + 1.0)
    low = np.asarray(betaincinv(i, n + 1.0 - i, level / 2 if two_sided else level), dtype=np.float64)
    # BetaInv(1 - g/2; i, n+1-i) = 1 - BetaInv(g/2; n+1-i, i): one side is the other, reversed.
    return low, (1.0 - low[::-1] if two_sided else np.ones(n))


@lru_cache(maxsize=256)
def solve_local_level(n: int, confidence: float, *, two_sided: bool) -> float:
    """The level at which the band covers a continuous distribution with exactly `confidence`."""
    from scipy.optimize import brentq

    from ogive.kernels._corridor import stay_probability

    def excess(log_level: float) -> float:
        low, high = boundaries(n, math.exp(log_level), two_sided=two_sided)
        return float(stay_probability(low, high)) - confidence  # type: ignore[no-untyped-call]

    d = 1.0 - confidence
    if n == 1:
        return d  # one order statistic: its local level is the whole error
    # Bonferroni from below, a single order statistic from above.
    floor, ceiling = math.log(d / (2 * n)), math.log(d) + 1e-9
    return math.exp(brentq(excess, floor, ceiling, xtol=1e-10, rtol=1e-12))


@cache
def _table() -> tuple[FloatArray, FloatArray, float]:
    """Nodes, log levels (two-sided columns, then one-sided), and the certified relative error."""
    with TABLE.open(encoding="ascii") as lines:
        error = float(next(lines).rsplit(":", 1)[1])
    rows = np.loadtxt(TABLE, delimiter=",", skiprows=2)
    return rows[:, 0], np.log(rows[:, 1:]), error
