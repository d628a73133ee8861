"""Step curves with bands: what is known of a share at every τ at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray
from ogive.errors import InputError
from ogive.results import Guarantee
from ogive.statistics import Assumption, band_margin, largest_deviation
from ogive.statistics import band as band_of

Side: TypeAlias = Literal["left", "right"]

BANDS = ("exact", "ks", "dkw", "none")
FEWEST_UNEQUAL = 5

# What a band takes for granted, by what it takes as drawn.
DRAWN = {
    "problems": Assumption.RANDOM_PROBLEMS, "runs": Assumption.INDEPENDENT_RUNS, "tasks and runs": Assumption.RANDOM_TASKS,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A share as a step function of τ, with its band.

    `estimate[i]`, `low[i]` and `high[i]` hold once i of the points are passed, a point being passed
    at τ itself (`side` "right") or just after it ("left"). Points increase and are finite.
    """

    points: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    side: Side

    def passed(self, tau: ArrayLike) -> np.ndarray:
        """How many points are passed at τ."""
        return np.asarray(np.searchsorted(self.points, np.asarray(tau, dtype=np.float64), side=self.side))


@dataclass(frozen=True, slots=True, eq=False)
class Corridor:
    """What holds a CDF of which k of n draws have been passed: low[k] and high[k], k = 0 … n."""

    low: FloatArray
    high: FloatArray
    n: int
    method: str


@lru_cache(maxsize=64)
def corridor(n: int, confidence: float, method: str, solve: bool = False) -> Corridor:
    """The corridor of n draws; NaN everywhere for the method "none"."""
    if method == "none":
        return Corridor(np.full(n + 1, np.nan), np.full(n + 1, np.nan), n, "none")
    # A band depends on the draws only through how many have been passed.
    found = band_of(np.arange(1.0, n + 1.0), confidence=confidence, method=method, solve=solve)
    passed = np.arange(n + 1) + 0.5
    return Corridor(np.asarray(found.low.cdf(passed)), np.asarray(found.high.cdf(passed)), n, found.method)


def as_band(method: str) -> str:
    """The name of a band, checked."""
    if method not in BANDS:
        raise InputError(f"`band` must be one of {', '.join(map(repr, BANDS))}; got {method!r}.")
    return method


def distance_curve(distances: FloatArray, held: Corridor, *, strict: bool) -> Curve:
    """The share of problems within τ; an infinite distance is never reached."""
    ordered = np.sort(distances[np.isfinite(distances)])
    last = np.append(ordered[1:] != ordered[:-1], True) if ordered.size else np.zeros(0, dtype=bool)
    k = np.append(0, np.flatnonzero(last) + 1)
    return Curve(ordered[last], k / held.n, held.low[k], held.high[k], "left" if strict else "right")


@dataclass(frozen=True, slots=True)
class ScoreBand:
    """How the band of a score profile was made."""

    method: str
    guarantee: Guarantee
    n: int
    unequal: bool = False


def score_curve(
    tasks: list[FloatArray], *, maximize: bool, strict: bool, random_tasks: bool, confidence: float, method: str,
    solve: bool, seed: int,
) -> tuple[Curve, ScoreBand]:  # fmt: skip
    """The share of runs better than τ, every task weighing the same; -inf or inf for failed runs.

    Notes
    -----
    Fixed tasks with R runs each: the corridor of R·T draws. Stratified draws deviate less than
    independent ones, so that it errs on the safe side (simulated). Random tasks: the mean of the
    tasks' CDFs within the Kolmogorov-Smirnov margin of T draws. Unequal numbers of runs: the mean of
    the CDFs within a bootstrapped largest deviation.
    """
    values, weights, sizes = _pooled(tasks)
    finite = np.isfinite(values)
    last = np.append(values[1:] != values[:-1], True) & finite
    k = np.append(np.count_nonzero(values == -np.inf), np.flatnonzero(last) + 1)
    cdf = np.append(0.0, np.cumsum(weights))[k]
    cdf[k == values.size] = 1.0
    equal = bool((sizes == sizes[0]).all())
    if method == "none":
        low = high = np.full(cdf.size, np.nan)
        about = ScoreBand("none", "approximate", int(sizes.sum()))
    elif random_tasks:
        width = band_margin(sizes.size, confidence, "dkw" if method == "dkw" else "ks", two_sided=True)
        low, high = np.maximum(cdf - width, 0.0), np.minimum(cdf + width, 1.0)
        about = ScoreBand(f"{'dkw' if method == 'dkw' else 'ks'} by task", "approximate", sizes.size)
    elif equal:
        held = corridor(values.size, confidence, method, solve)
        low, high = held.low[k], held.high[k]
        about = ScoreBand(held.method, "approximate", values.size)
    else:
        _refuse_few(sizes)
        width = largest_deviation(tasks, confidence, seed)
        low, high = np.maximum(cdf - width, 0.0), np.minimum(cdf + width, 1.0)
        about = ScoreBand("bootstrap of the largest deviation", "approximate", int(sizes.sum()), unequal=True)
    points = values[last]
    if maximize:
        return Curve(points, 1.0 - cdf, 1.0 - high, 1.0 - low, "right" if strict else "left"), about
    return Curve(points, cdf, low, high, "left" if strict else "right"), about


def _pooled(tasks: list[FloatArray]) -> tuple[FloatArray, FloatArray, np.ndarray]:
    """All runs in order, the weight of each, and the number of runs of each task."""
    sizes = np.array([task.size for task in tasks])
    values = np.concatenate(tasks)
    order = np.argsort(values, kind="stable")
    weights = np.repeat(1.0 / (sizes.size * sizes), sizes)
    return values[order], weights[order], sizes


def _refuse_few(sizes: np.ndarray) -> None:
    if int(sizes.min()) < FEWEST_UNEQUAL:
        raise InputError(
            f"the problems have {sizes.min()} to {sizes.max()} runs, and a band for unequal numbers needs {FEWEST_UNEQUAL} of each; "
            "say equalize='min-n' to use equally many of each, or band='none'."
        )
