"""The step function and its functionals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import (
    FloatArray,
    IntArray,
    Tail,
    as_clusters,
    as_count,
    as_failures,
    as_goal,
    as_mass,
    as_probability,
    as_scores,
    as_tail,
    as_threshold,
    as_thresholds,
)
from ogive.errors import InputError

# F is a sum of floats: 0.1 + 0.2 must still find the level 0.3.
_ROUNDING = 1e-12
_LEAST, _MOST = float(np.nextafter(0.0, 1.0)), float(np.nextafter(1.0, 0.0))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Distribution:
    """A distribution with finitely many outcomes: a score for each step of its CDF.

    Attributes
    ----------
    points : array
        Outcomes, strictly increasing. A side of a band may have mass at an infinite outcome.
    cumulative : array
        F at each point; the last is 1.
    n : int
        Independent draws behind it.
    extrapolated : bool
        True for the best or worst of more draws than were made.
    """

    points: FloatArray
    cumulative: FloatArray
    n: int
    extrapolated: bool = False

    def __repr__(self) -> str:
        return f"Distribution(n={self.n}, {self.points[0]:.3g} to {self.points[-1]:.3g}, median {self.median():.3g})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: F at each point; an infinite point is null."""
        points = [p if math.isfinite(p) else None for p in self.points.tolist()]
        return {
            "points": points,
            "cumulative": self.cumulative.tolist(),
            "n": self.n,
            "extrapolated": self.extrapolated,
        }

    @property
    def weights(self) -> FloatArray:
        """Probability of each point."""
        return np.diff(self.cumulative, prepend=0.0)

    @overload
    def cdf(self, z: float, *, left: bool = ...) -> float: ...
    @overload
    def cdf(self, z: ArrayLike, *, left: bool = ...) -> float | FloatArray: ...
    def cdf(self, z: ArrayLike, *, left: bool = False) -> float | FloatArray:
        """P(Z <= z); with `left`, P(Z < z)."""
        found = np.searchsorted(self.points, as_thresholds(z), side="left" if left else "right")
        return _unwrap(np.concatenate(([0.0], self.cumulative))[found])

    @overload
    def quantile(self, p: float) -> float: ...
    @overload
    def quantile(self, p: ArrayLike) -> float | FloatArray: ...
    def quantile(self, p: ArrayLike) -> float | FloatArray:
        """The smallest outcome z with F(z) >= p; for p = 0 the smallest outcome."""
        levels = as_probability(p)
        found = np.searchsorted(self.cumulative, levels - slack(levels), side="left")
        return _unwrap(self.points[np.minimum(found, self.points.size - 1)])

    @overload
    def middle(self, p: float) -> float: ...
    @overload
    def middle(self, p: ArrayLike) -> float | FloatArray: ...
    def middle(self, p: ArrayLike) -> float | FloatArray:
        """The p-quantile; where every value between two outcomes is one, their mean.

        Tables, sentences and pictures name this one: it is the same from both ends, so that losses have the
        quantiles of gains with their sign changed. `quantile` is the left inverse of `cdf`.
        """
        levels, below = as_probability(p), np.asarray(self.quantile(p))
        found = np.searchsorted(self.cumulative, levels + slack(levels), side="right")
        above = self.points[np.minimum(found, self.points.size - 1)]
        return _unwrap(np.where(below == above, below, below / 2.0 + above / 2.0))

    def median(self) -> float:
        """The middle outcome; of an even number of runs the mean of the two in the middle."""
        return self.middle(0.5)

    def mean(self) -> float:
        """E[Z]."""
        return _expectation(self.points, self.weights)

    def iqm(self) -> float:
        """Mean of the middle half: (1/0.5) times the integral of the quantile function from 1/4 to 3/4."""
        return _expectation(self.points, np.diff(np.clip(self.cumulative, 0.25, 0.75), prepend=0.25)) / 0.5

    def cvar(self, *, mass: float, tail: str, definition: Literal["integral", "conditional"] = "integral") -> float:
        """Mean of the share `mass` of outcomes at one end.

        Parameters
        ----------
        mass : float
            The share, in (0, 1]. A paper's CVaR at level alpha of large outcomes is `mass=1 - alpha`.
        tail : {"lower", "upper"}
            Small or large scores.
        definition : {"integral", "conditional"}
            The integral of the quantile function over the share, or E[Z | Z >= F^-1(1 - mass)]
            (for the lower tail E[Z | Z <= F^-1(mass)]). They agree for continuous distributions.

        References
        ----------
        Rockafellar and Uryasev (2000), Optimization of conditional value-at-risk.
        """
        mass, tail = as_mass(mass), as_tail(tail)
        if definition == "conditional":
            kept = self.points >= self.quantile(1.0 - mass) if tail == "upper" else self.points <= self.quantile(mass)
            return _expectation(self.points[kept], self.weights[kept]) / float(self.weights[kept].sum())
        if definition != "integral":
            raise InputError(f"`definition` must be 'integral' or 'conditional'; got {definition!r}.")
        return -self._reflected()._lower_mean(mass) if tail == "upper" else self._lower_mean(mass)

    def _reflected(self) -> Distribution:
        """The distribution of -Z."""
        above = np.append(1.0 - self.cumulative[-2::-1], 1.0)
        return Distribution(-self.points[::-1], above, self.n, self.extrapolated)

    def _lower_mean(self, mass: float) -> float:
        """The mean of the share `mass` of the smallest outcomes."""
        share = np.diff(np.minimum(self.cumulative, mass), prepend=0.0)
        # What is left to the last outcome where F reaches `mass` before it, but for rounding.
        if self.points[-1] == math.inf and share[-1] <= slack(np.asarray(mass)):
            share[-1] = 0.0
        return _expectation(self.points, share / mass)

    def threshold_area(self, t: float) -> float:
        """E[Z 1{Z >= t}]: the part of the mean that comes from outcomes of at least t."""
        kept = self.points >= as_threshold(t, "t")
        return _expectation(self.points[kept], self.weights[kept])

    def exceedance(self, t: float) -> float:
        """P(Z >= t)."""
        return 1.0 - self.cdf(as_threshold(t, "t"), left=True)

    def best_of(self, k: float, *, goal: str = "maximize") -> Distribution:
        """The distribution of the best of k independent draws; k need not be whole."""
        k = as_count(k)
        levels = self.cumulative
        if as_goal(goal) == "maximize":
            cumulative = levels**k
        else:
            with np.errstate(divide="ignore"):
                cumulative = -np.expm1(k * np.log1p(-levels))
        # A possible outcome stays possible, however rare: with mass at infinity no mean is bounded.
        cumulative = np.where((levels > 0.0) & (levels < 1.0), np.clip(cumulative, _LEAST, _MOST), levels)
        return Distribution(self.points, cumulative, self.n, self.extrapolated or k > self.n)

    def worst_of(self, k: float, *, goal: str = "maximize") -> Distribution:
        """The distribution of the worst of k independent draws; k need not be whole."""
        return self.best_of(k, goal="minimize" if as_goal(goal) == "maximize" else "maximize")

    def excess(self, t: float) -> float:
        """E[(Z - t)+], the integral of 1 - F above t."""
        above = self.points > as_threshold(t, "t")
        return _expectation(self.points[above] - t, self.weights[above])


def ecdf(
    scores: ArrayLike, *, clusters: ArrayLike | None = None, n_failed: int = 0, failed: Tail = "lower"
) -> Distribution:
    """The empirical distribution of a sample.

    Parameters
    ----------
    scores : array-like
        Finite numbers.
    clusters : array-like, optional
        Which scores belong together. Every cluster then weighs the same, however many scores it
        holds, and `n` counts clusters.
    n_failed, failed : int, {"lower", "upper"}
        Draws without a score, and whether they lie below or above every score.

    Examples
    --------
    >>> d = ecdf([0.71, 0.80, 0.83, 0.91])
    >>> d.quantile(0.5), d.cdf(0.8), round(d.cvar(mass=0.25, tail="lower"), 2)
    (0.8, 0.5, 0.71)
    """
    values = as_scores(scores)
    codes = as_clusters(clusters, values.size)
    n_failed = as_failures(n_failed, codes)
    worst = -np.inf if as_tail(failed) == "lower" else np.inf
    return step_function(np.append(values, np.full(n_failed, worst)), codes)


def step_function(values: FloatArray, codes: IntArray | None = None) -> Distribution:
    """`ecdf` behind the door: values may be infinite (failures counted as worst)."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    last_of_tie = np.append(ordered[1:] != ordered[:-1], True)
    if codes is None:
        n = values.size
        cumulative = np.flatnonzero(last_of_tie) + 1.0
        return Distribution(ordered[last_of_tie], cumulative / n, n)
    sizes = np.bincount(codes)
    weights = 1.0 / (sizes.size * sizes[codes[order]])
    cumulative = np.cumsum(weights)[last_of_tie]
    cumulative[-1] = 1.0
    return Distribution(ordered[last_of_tie], cumulative, sizes.size)


def slack(levels: FloatArray) -> FloatArray:
    """By how much a level may be off; nothing at 0 and 1, which are met exactly."""
    return np.minimum(_ROUNDING, 1e-3 * np.minimum(levels, 1.0 - levels))


def _expectation(points: FloatArray, weights: FloatArray) -> float:
    used = weights > 0.0  # an infinite outcome without mass must not enter the sum
    return float(np.dot(points[used], weights[used]))


def _unwrap(values: FloatArray) -> float | FloatArray:
    return float(values) if values.ndim == 0 else values
