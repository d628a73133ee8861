"""Where one distribution lies certainly above another: levels, scores, crossings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.results import Guarantee
from ogive.statistics._band import Band, band

Who: TypeAlias = Literal["a", "b"]
Decision: TypeAlias = Literal["a dominates", "b dominates", "cross", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominance:
    """Levels at which one sample's quantile is certainly larger, and what follows on a range of levels.

    Attributes
    ----------
    ranges : tuple of (p_low, p_high, who)
        Ranges of levels, worst to best, at which the quantile of `who` is certainly the larger one.
    crossings : tuple of (z_low, z_high)
        Ranges of scores within which the two CDFs certainly cross.
    decision : str
        On `levels`: who dominates, "cross" (proved), or "cannot tell".
    """

    ranges: tuple[tuple[float, float, Who], ...]
    crossings: tuple[tuple[float, float], ...]
    decision: Decision
    levels: tuple[float, float]
    confidence: float
    method: str
    guarantee: Guarantee


def dominance(
    a: ArrayLike,
    b: ArrayLike,
    *,
    levels: tuple[float, float] = (0.1, 0.9),
    confidence: float = 0.95,
    method: str = "exact",
) -> Dominance:
    """Compare two distributions level by level; everything holds at once.

    Parameters
    ----------
    levels : (float, float)
        The range of levels on which a decision is wanted, fixed before looking. Over the whole line
        dominance can never be certified, whatever the number of scores.

    Notes
    -----
    Conservative: each sample gets a band at half the error. A dominates on a level where the lower
    end of its quantile exceeds the upper end of B's.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dominance(rng.normal(1, 1, 300), rng.normal(0, 1, 300)).decision
    'a dominates'
    """
    confidence = as_confidence(confidence)
    try:
        low, high = (float(level) for level in levels)
    except (TypeError, ValueError) as error:
        raise InputError(f"`levels` must be (low, high) within [0, 1]; got {levels!r}.") from error
    if not 0.0 <= low < high <= 1.0:
        raise InputError(f"`levels` must be (low, high) within [0, 1]; got ({low:g}, {high:g}).")
    half = 1.0 - (1.0 - confidence) / 2.0
    x, y = (band(sample, confidence=half, method=method) for sample in (a, b))
    ranges = _certain_levels(x, y)
    return Dominance(
        ranges=ranges,
        crossings=_crossings(x, y),
        decision=_decide(ranges, low, high),
        levels=(low, high),
        confidence=confidence,
        method=f"{x.method} band" if x.method == y.method else f"{x.method} and {y.method} bands",
        guarantee="conservative",
    )


def _certain_levels(x: Band, y: Band) -> tuple[tuple[float, float, Who], ...]:
    steps = np.concatenate([side.cumulative for b in (x, y) for side in (b.low, b.high)])
    edges = np.unique(np.concatenate(([0.0], steps, [1.0])))
    edges = edges[np.append(True, np.diff(edges) > 1e-12)]
    middles = (edges[1:] + edges[:-1]) / 2.0  # between two steps all four quantiles are constant
    a_wins = np.asarray(x.high.quantile(middles)) > np.asarray(y.low.quantile(middles))
    b_wins = np.asarray(y.high.quantile(middles)) > np.asarray(x.low.quantile(middles))
    found: list[tuple[float, float, Who]] = []
    winners: tuple[tuple[Who, np.ndarray], ...] = (("a", a_wins), ("b", b_wins))
    for who, wins in winners:
        found += [(edges[i], edges[j], who) for i, j in _runs(wins)]
    return tuple(sorted((float(i), float(j), who) for i, j, who in found))


def _crossings(x: Band, y: Band) -> tuple[tuple[float, float], ...]:
    """Between a score where A's CDF is certainly lower and one where B's is, the CDFs cross."""
    points = np.unique(np.concatenate([x.estimate.points, y.estimate.points]))
    a_above = np.asarray(x.high.cdf(points)) < np.asarray(y.low.cdf(points))
    b_above = np.asarray(y.high.cdf(points)) < np.asarray(x.low.cdf(points))
    certain = np.flatnonzero(a_above | b_above)
    switches = certain[:-1][a_above[certain[:-1]] != a_above[certain[1:]]]
    following = dict(zip(certain[:-1].tolist(), certain[1:].tolist(), strict=True))
    return tuple((float(points[i]), float(points[following[int(i)]])) for i in switches)


def _decide(ranges: tuple[tuple[float, float, Who], ...], low: float, high: float) -> Decision:
    inside = [(max(i, low), min(j, high), who) for i, j, who in ranges if min(j, high) > max(i, low)]
    if len({who for _, _, who in inside}) == 2:
        return "cross"
    covered = sum(j - i for i, j, _ in inside)
    if math.isclose(covered, high - low, abs_tol=1e-9):
        return "a dominates" if inside[0][2] == "a" else "b dominates"
    return "cannot tell"


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """[start, end) of every run of True."""
    padded = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return list(zip(np.flatnonzero(padded == 1).tolist(), np.flatnonzero(padded == -1).tolist(), strict=True))
