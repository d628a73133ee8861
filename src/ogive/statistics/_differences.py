"""Many differences at once: estimates, and limits at any error.

A verdict asks for one difference, a ranking for thousands of them, and a family of verdicts asks for
limits again and again while its members are decided. So a difference is not an interval here but what
gives one: `limits(error)`. One formula serves two methods and five hundred, which is why the two can
never contradict each other.

  StudentDifferences      means, worst shares, interquartile means: t, the widest of several
  ShareDifferences        0/1 scores of independent runs: Newcombe's hybrid of two Wilson intervals
  DiscordantDifferences   0/1 scores or wins of pairs: what the pairs that differ say
  PlacementDifferences    wins of independent runs: score intervals with the placements' variance
  ClusteredShares         wins within clusters, or on tasks that are a sample
  QuantileDifferences     order statistics, put together by the method of variance recovery
  WidestDifferences       the hull of several
  ListedDifferences       anything made one by one
  MixedDifferences        pairs of several kinds, in the order asked for

Scores are turned so that larger is better before they come here.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray
from ogive.results import Guarantee
from ogive.statistics._interval import Assumption, Interval, middle_quantile, order_statistic_ranks

Errors = float | FloatArray

# Plain Wilson limits let equal methods pass for different ones in 0.13 of tables at 3 against 1000 runs; with
# a continuity correction it is at most 0.041 everywhere that was tried, at a price that is small from 50 on.
FEW_FOR_WILSON = 50
# How many pairs of unknown spread are added to what was seen, by simulation: fewer cover too rarely
# close to separation, more cost power with five runs a side.
PAIRS_ADDED = 0.2
# Where at most so many units go against the majority, what the others show says little about them.
FEW_DISSENTING = 5.0
BLOCK = 2_000_000
HALVINGS = 50
TANGO = "Tango's score, direction by Clopper-Pearson"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences(ABC):
    """Differences of k pairs of methods.

    Attributes
    ----------
    estimate : array of k
    even : float
        The value for equal methods: 0, or 1/2 for a probability of improvement.
    n : array of k
        Units behind each: pairs, or runs of both.
    guarantee : tuple of k str
    """

    estimate: FloatArray
    even: float
    n: IntArray
    method: str
    guarantees: tuple[Guarantee, ...]
    assumptions: tuple[str, ...] = ()
    joint: Callable[[np.random.Generator, int], FloatArray] | None = None
    # What a kind holds of each pair beside these: arrays whose last axis are pairs, and parts made of the same pairs.
    by_pair: ClassVar[tuple[str, ...]] = ()

    def __len__(self) -> int:
        return self.estimate.size

    @abstractmethod
    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limits, each pair missed with probability `error` at most, or about that."""

    def take(self, index: IntArray) -> Self:
        """Some of the pairs; how their errors go together is not known apart from the others."""
        return replace(
            self, **self.taken(index), **{name: _picked(getattr(self, name), index) for name in self.by_pair}
        )

    def standardized(self, rng: np.random.Generator, n_draws: int) -> FloatArray | None:
        """Draws [n_draws, k] of all estimates' errors in units of their standard errors, if none differs.

        None where the joint distribution is not known, or its limits are exact without it.
        """
        return None if self.joint is None else self.joint(rng, n_draws)

    @property
    def methods(self) -> tuple[str, ...]:
        """How the intervals are made: in one way, or in several."""
        return (self.method,)

    def interval(self, i: int, error: float) -> Interval:
        """One of them."""
        low, high = self.take(np.array([i])).limits(error)
        return self.with_limits(i, float(low[0]), float(high[0]), error)

    def with_limits(self, i: int, low: float, high: float, error: float) -> Interval:
        """One of them, with limits that were made at this error; without a limit where there is none."""
        low, high = -math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high
        return Interval(
            estimate=float(self.estimate[i]), low=low, high=high, confidence=1.0 - error, method=self.method,
            guarantee=self.guarantees[i], n=int(self.n[i]), assumptions=self.assumptions,
        )  # fmt: skip

    def taken(self, index: IntArray) -> dict[str, Any]:
        """What all kinds have in common, of some of the pairs."""
        return {
            "estimate": self.estimate[index], "even": self.even, "n": self.n[index], "method": self.method,
            "guarantees": tuple(self.guarantees[i] for i in index.tolist()), "assumptions": self.assumptions, "joint": None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudentDifferences(Differences):
    """estimate ± t · standard error, the widest of several ways to estimate it.

    `deviations` (standard errors, not their squares, which vanish below 1e-162) and `degrees` have one row
    for each way. A standard error of zero says that nothing was seen of the spread: the limits are infinite,
    for the reason `flat`; NaN, that one unit was seen, or one in a tail.
    """

    by_pair: ClassVar[tuple[str, ...]] = ("deviations", "degrees")
    deviations: FloatArray
    degrees: FloatArray
    flat: str

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        from scipy.special import stdtrit

        usable = (self.deviations > 0.0) & (self.degrees > 0.0)
        quantile = stdtrit(np.where(usable, self.degrees, 1.0), 1.0 - np.asarray(error) / 2.0)
        halves = np.where(usable, quantile * np.where(usable, self.deviations, 1.0), np.inf)
        # The first way decides whether anything was seen; the others may only widen.
        half = np.where(usable[0], np.max(np.where(usable, halves, 0.0), axis=0), np.inf)
        return self.estimate - half, self.estimate + half

    def with_limits(self, i: int, low: float, high: float, error: float) -> Interval:
        found = Differences.with_limits(self, i, low, high, error)
        if math.isfinite(low) or math.isfinite(high):
            return found
        reason = self.flat if self.deviations[0, i] == 0.0 and self.degrees[0, i] >= 0.0 else Assumption.ONE_SCORE
        return replace(found, assumptions=(*found.assumptions, reason))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShareDifferences(Differences):
    """Shares of ones of independent runs, p₁ − p₂ (Newcombe 1998, method 10, with or without continuity correction).

    `unit` is 2 for the difference of shares and 1 for a probability of improvement, as for pairs. Over several
    tasks `shares` are means of the tasks' shares, and `sizes` the runs of a binomial that varies no less.
    """

    by_pair: ClassVar[tuple[str, ...]] = ("shares", "sizes")
    shares: tuple[FloatArray, FloatArray]
    sizes: tuple[FloatArray, FloatArray]
    unit: float

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        (p, q), (m, n) = self.shares, self.sizes
        few = np.minimum(m, n) < FEW_FOR_WILSON
        (l1, u1), (l2, u2) = (wilson(s, size, error, few) for s, size in ((p, m), (q, n)))
        low, high = (
            np.maximum(p - q - np.hypot(p - l1, u2 - q), -1.0),
            np.minimum(p - q + np.hypot(u1 - p, q - l2), 1.0),
        )
        return self.even + self.unit / 2.0 * low, self.even + self.unit / 2.0 * high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscordantDifferences(Differences):
    """What pairs say: θ − ½ = D (π − ½), with D the share of pairs that differ and π the share of those that A wins.

    The direction is read off Clopper and Pearson's interval of π alone, which is McNemar's exact test. Guaranteed limits
    stand at the corners of the two intervals of D and π; where no pair is tied, D is not in question, and the interval is
    that of the wins. Else the limits are Tango's (1998): the differences that a score test does not reject, with D as likely
    as it can be under each. They hold 0 where the exact test does not reject, and reach at least as far as those of the wins
    alone where nobody loses. `unit` is 1 for a probability of improvement and 2 for a difference of shares.

    Coverage at 95 %, computed over all tables of 20 to 400 pairs of which 0.05 to 0.5 differ, at odds from even to certain:
    0.941 to 1, 0.955 to 0.976 in the mean; the corners alone cover 0.956 to 1 and are 1.2 to 1.5 times as wide.
    """

    by_pair: ClassVar[tuple[str, ...]] = ("wins", "losses", "sizes")
    wins: FloatArray
    losses: FloatArray
    sizes: FloatArray
    unit: float
    guaranteed: bool

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        differ = self.wins + self.losses
        each = np.asarray(error) / 2.0 if self.guaranteed else np.asarray(error)
        pi_low, pi_high = binomial_limits_of(self.wins, differ, each)
        if self.guaranteed:
            d_low, d_high = binomial_limits_of(differ, self.sizes, each)
            low = np.where(pi_low > 0.5, d_low, d_high) * (pi_low - 0.5)
            high = np.where(pi_high < 0.5, d_low, d_high) * (pi_high - 0.5)
            return self.even + self.unit * low, self.even + self.unit * high
        low, high = tango_limits(self.wins, self.losses, self.sizes, error)
        for one, other, sign in ((self.wins, self.losses, 1.0), (self.losses, self.wins, -1.0)):
            ends = sorted_ends(sign, *binomial_limits_of(one, self.sizes, each))
            low, high = (
                np.where(other == 0.0, widest(mine, end), mine)
                for mine, end, widest in zip((low, high), ends, (np.minimum, np.maximum), strict=True)
            )
        told = (pi_low > 0.5) | (pi_high < 0.5)
        low, high = np.where(told, low, np.minimum(low, 0.0)), np.where(told, high, np.maximum(high, 0.0))
        # At an error of one in thousands the exact test may see a side that the score does not: 14 wins, none lost, 6 ties.
        d_low, _ = binomial_limits_of(differ, self.sizes, each)
        low = np.where((pi_low > 0.5) & (low <= 0.0), d_low * (2.0 * pi_low - 1.0), low)
        high = np.where((pi_high < 0.5) & (high >= 0.0), d_low * (2.0 * pi_high - 1.0), high)
        low, high = np.where(self.tied, low, 2.0 * pi_low - 1.0), np.where(self.tied, high, 2.0 * pi_high - 1.0)
        return self.even + self.unit * low / 2.0, self.even + self.unit * high / 2.0

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Whether some pairs do not differ."""
        return self.wins + self.losses < self.sizes

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._method(i) for i in range(len(self))))

    def with_limits(self, i: int, low: float, high: float, error: float) -> Interval:
        return replace(Differences.with_limits(self, i, low, high, error), method=self._method(i))

    def _method(self, i: int) -> str:
        return self.method if self.guaranteed or not self.tied[i] else TANGO


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacementDifferences(Differences):
    """How often a run of A beats a run of B, from independent runs.

    `variances` [2, k] are those of the placements' means, of A's runs and of B's; `degrees` likewise;
    `fewer` is the number of runs of the rarer method, times the number of tasks; `added` [2, k] what one pair on each
    task adds to the variance and to θ(1 − θ). On one task the limits reach at least as far as Newcombe's (2006, method 5) for `sizes`. They hold 1/2 where even full
    separation of equal methods, whose probability has the logarithm `separation`, is more likely than the error.
    Where a method is `alone`, with one run on some of several tasks, nothing is seen of its spread: the limits
    are Clopper and Pearson's for `fewer` pairs, which vary no less.
    """

    by_pair: ClassVar[tuple[str, ...]] = ("variances", "degrees", "fewer", "added", "separation", "alone", "sizes")
    variances: FloatArray
    degrees: FloatArray
    fewer: FloatArray
    added: FloatArray
    separation: FloatArray
    alone: NDArray[np.bool_]
    sizes: tuple[FloatArray, FloatArray] | None

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        from scipy.special import ndtri, stdtrit

        level = np.broadcast_to(1.0 - np.asarray(error) / 2.0, self.estimate.shape)
        seen = self.variances > 0.0
        parts = np.where(seen, self.variances**2 / np.maximum(self.degrees, 1.0), 0.0).sum(axis=0)
        total = self.variances.sum(axis=0)
        df = np.where(parts > 0.0, total**2 / np.where(parts > 0.0, parts, 1.0), 1.0)
        quantile = np.where(parts > 0.0, stdtrit(df, level), ndtri(level))
        # The variance is rho theta (1 - theta) with rho at most 1 / fewer (van Dantzig 1951). Close to separation
        # little is seen of it, and a fifth of a pair with the largest rho is added on each task: three runs of equal
        # methods separate in a tenth of samples, and other tasks cannot tell that this was chance.
        share = self.estimate
        rho = (total + PAIRS_ADDED * self.added[0]) / (share * (1.0 - share) + PAIRS_ADDED * self.added[1])
        low, high = score_limits(share, quantile**2 * rho)
        if self.sizes is not None:
            other_low, other_high = newcombe_limits(share, *self.sizes, level)
            low, high = np.minimum(low, other_low), np.maximum(high, other_high)
        elif self.alone.any():
            other_low, other_high = outer_binomial_limits(share, self.fewer, error)
            low, high = np.where(self.alone, other_low, low), np.where(self.alone, other_high, high)
        possible = 2.0 * np.exp(self.separation) > np.asarray(error)
        return np.where(possible, np.minimum(low, 0.5), low), np.where(possible, np.maximum(high, 0.5), high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClusteredShares(Differences):
    """The mean of shares in [0, 1], one for each cluster of pairs, or for each task of a sample of tasks.

    The wider of Student's interval and the score interval with Student's quantile: the variance is ρ θ (1 − θ), ρ
    taken from the units and θ (1 − θ) at the limit. t alone misses 50 unanimous clusters at even odds in 0.07 of
    samples, the score alone 100 at odds of 1 to 9. Where at most five units go against the majority, the limits
    reach at least as far as Clopper and Pearson's for as many wins among as many units: a share in [0, 1] varies
    no more than a toss with its mean (Hoeffding 1956). t alone misses near-unanimous shares in 0.10 to 0.17.
    """

    by_pair: ClassVar[tuple[str, ...]] = ("deviations", "degrees", "units")
    deviations: FloatArray
    degrees: FloatArray
    units: FloatArray

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        from scipy.special import stdtrit

        share, n = self.estimate, self.units
        usable = (self.degrees > 0.0) & (self.deviations > 0.0)
        quantile = stdtrit(np.where(usable, self.degrees, 1.0), 1.0 - np.asarray(error) / 2.0)
        rho = np.where(usable, self.deviations**2 / np.where(usable, share * (1.0 - share), 1.0), 0.0)
        low, high = score_limits(share, quantile**2 * rho)
        half = np.where(usable, quantile * self.deviations, 0.0)
        low, high = np.minimum(low, share - half), np.maximum(high, share + half)
        edge = ~usable | (np.minimum(share, 1.0 - share) * n <= FEW_DISSENTING + 1e-9)
        below, above = outer_binomial_limits(share, n, error)
        low, high = np.where(edge, np.minimum(low, below), low), np.where(edge, np.maximum(high, above), high)
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuantileDifferences(Differences):
    """Quantiles of A minus those of B, averaged over tasks, from order statistics.

    The distances of each quantile from its limits are put together as standard errors are (method of
    variance estimates recovery, Zou and Donner 2008). `guaranteed` takes the limits themselves, each at half the
    error. An infinite quantile whose limit is the same infinity lies at no distance from it.
    `ordered[t][m]` are the sorted scores of method m on task t, `first` and `second` the methods of a
    pair. `correlation` [task, k] of the two
    estimates is used where it is negative.
    """

    by_pair: ClassVar[tuple[str, ...]] = ("first", "second", "correlation")
    ordered: Sequence[Sequence[FloatArray]]
    first: IntArray
    second: IntArray
    level: float
    correlation: FloatArray | None
    guaranteed: bool

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        errors = np.asarray(error)
        if errors.ndim:
            low, high = np.empty(len(self)), np.empty(len(self))
            for one in np.unique(errors):
                at = np.flatnonzero(errors == one)
                low[at], high[at] = self.take(at).limits(float(one))
            return low, high
        each = float(errors) / 2.0 if self.guaranteed else float(errors)
        below, above, low_sum, high_sum = (np.zeros(len(self)) for _ in range(4))
        with np.errstate(invalid="ignore"):  # the difference of one infinity and itself is not known
            for t in range(len(self.ordered)):
                value, low, high = np.zeros((3, len(self.ordered[t])))
                for m in np.unique((self.first, self.second)).tolist():
                    value[m], low[m], high[m] = quantile_limits(self.ordered[t][m], self.level, each)
                low_sum += low[self.first] - high[self.second]
                high_sum += high[self.first] - low[self.second]
                down, up = (np.where(value == end, 0.0, np.abs(value - end)) for end in (low, high))
                r = 0.0 if self.correlation is None else np.minimum(self.correlation[t], 0.0)
                below = np.hypot(below, _together(down[self.first], up[self.second], r))
                above = np.hypot(above, _together(up[self.first], down[self.second], r))
            # Failed runs may put a quantile at minus infinity: then only the limits can be subtracted, and where both
            # quantiles are there nothing is known of their difference.
            recovered = np.isfinite(self.estimate) & (not self.guaranteed)
            n = len(self.ordered)
            found_low = np.where(recovered, self.estimate - below / n, low_sum / n)
            found_high = np.where(recovered, self.estimate + above / n, high_sum / n)
        return np.where(np.isnan(found_low), -np.inf, found_low), np.where(np.isnan(found_high), np.inf, found_high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WidestDifferences(Differences):
    """The hull of the limits of several families of the same pairs."""

    by_pair: ClassVar[tuple[str, ...]] = ("parts",)
    parts: tuple[Differences, ...]

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        found = [part.limits(error) for part in self.parts]
        return np.min([low for low, _ in found], axis=0), np.max([high for _, high in found], axis=0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListedDifferences(Differences):
    """Differences that are made one by one: `make(i, confidence)` gives the interval of the i-th."""

    by_pair: ClassVar[tuple[str, ...]] = ("index",)
    make: Callable[[int, float], Interval]
    index: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        errors = np.broadcast_to(np.asarray(error, dtype=np.float64), self.estimate.shape)
        found = [self.make(int(i), 1.0 - float(e)) for i, e in zip(self.index, errors, strict=True)]
        return np.array([i.low for i in found]), np.array([i.high for i in found])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MixedDifferences(Differences):
    """Pairs of several kinds: `part[i]` says in which of `parts` the i-th stands, `place[i]` where."""

    by_pair: ClassVar[tuple[str, ...]] = ("part", "place")
    parts: tuple[Differences, ...]
    part: IntArray
    place: IntArray

    @classmethod
    def of(cls, parts: Sequence[tuple[IntArray, Differences]]) -> Differences:
        """The pairs of all parts, each given with the places that its pairs have in the whole."""
        filled = [(at, d) for at, d in parts if at.size]
        if len(filled) == 1:
            at, whole = filled[0]
            return whole.take(np.argsort(at)) if np.any(np.diff(at) < 0) else whole
        k = sum(at.size for at, _ in filled)
        part, place, n = (np.empty(k, dtype=np.intp) for _ in range(3))
        estimate = np.empty(k)
        guarantees: list[Guarantee] = ["approximate"] * k
        for number, (at, d) in enumerate(filled):
            part[at], place[at], estimate[at], n[at] = number, np.arange(at.size), d.estimate, d.n
            for i, g in zip(at.tolist(), d.guarantees, strict=True):
                guarantees[i] = g
        first = filled[0][1]
        return cls(
            estimate=estimate, even=first.even, n=n, method=" or ".join(dict.fromkeys(d.method for _, d in filled)),
            guarantees=tuple(guarantees), assumptions=first.assumptions, parts=tuple(d for _, d in filled), part=part, place=place,
        )  # fmt: skip

    def limits(self, error: Errors) -> tuple[FloatArray, FloatArray]:
        errors = np.broadcast_to(np.asarray(error, dtype=np.float64), self.estimate.shape)
        low, high = np.empty(len(self)), np.empty(len(self))
        for number, d in enumerate(self.parts):
            at = np.flatnonzero(self.part == number)
            if at.size:
                each = errors[at]
                low[at], high[at] = d.take(self.place[at]).limits(float(each[0]) if np.ptp(each) == 0.0 else each)
        return low, high

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(way for part in self.parts for way in part.methods))

    def with_limits(self, i: int, low: float, high: float, error: float) -> Interval:
        return self.parts[int(self.part[i])].with_limits(int(self.place[i]), low, high, error)


def _picked(held: Any, index: IntArray) -> Any:
    """What is held of some of the pairs."""
    if isinstance(held, tuple):
        return tuple(_picked(part, index) for part in held)
    if isinstance(held, Differences):
        return held.take(index)
    return None if held is None else held[..., index]


def wilson(
    share: FloatArray, n: FloatArray, error: Errors, corrected: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval of a binomial share (1927), with a continuity correction where `corrected`."""
    from scipy.special import ndtri

    z = ndtri(1.0 - np.asarray(error) / 2.0)
    low, high = score_limits(share, z**2 / n)
    below = z * np.sqrt(np.maximum(z**2 - 2.0 - 1.0 / n + 4.0 * share * (n * (1.0 - share) + 1.0), 0.0))
    above = z * np.sqrt(np.maximum(z**2 + 2.0 - 1.0 / n + 4.0 * share * (n * (1.0 - share) - 1.0), 0.0))
    twice = 2.0 * (n + z**2)
    wide_low = np.where(share <= 0.0, 0.0, (2.0 * n * share + z**2 - 1.0 - below) / twice)
    wide_high = np.where(share >= 1.0, 1.0, (2.0 * n * share + z**2 + 1.0 + above) / twice)
    low = np.where(corrected, np.minimum(np.maximum(wide_low, 0.0), low), low)
    return low, np.where(corrected, np.maximum(np.minimum(wide_high, 1.0), high), high)


def score_limits(share: FloatArray, scale: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Both theta with (theta - share)² = scale theta (1 - theta); Wilson's interval for scale = z² / n."""
    center = (share + scale / 2.0) / (1.0 + scale)
    half = np.sqrt(share * (1.0 - share) * scale + scale**2 / 4.0) / (1.0 + scale)
    return np.maximum(0.0, center - half), np.minimum(1.0, center + half)


def binomial_limits_of(k: FloatArray, n: FloatArray, error: Errors) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's limits for many counts; (0, 1) where nothing was counted."""
    from scipy.special import betaincinv

    half = np.asarray(error) / 2.0
    none, every = k <= 0.0, k >= n
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, k), np.maximum(n - k, 0.0) + 1.0, half))
    high = np.where(every, 1.0, 1.0 - betaincinv(np.where(every, 1.0, n - k), k + 1.0, half))
    return low, high


def tango_limits(
    wins: FloatArray, losses: FloatArray, sizes: FloatArray, error: Errors
) -> tuple[FloatArray, FloatArray]:
    """Both differences of shares of pairs that are z standard errors away, standard errors taken there (Tango 1998).

    Found by halving: the score falls as the difference rises.
    """
    from scipy.special import ndtri

    z, found = ndtri(1.0 - np.asarray(error) / 2.0), (wins - losses) / sizes

    def score(difference: FloatArray) -> FloatArray:
        # The likeliest share of losses, if the difference is this one: a root of A x² + B x + C.
        a, b = 2.0 * sizes, -wins - losses + (2.0 * sizes - wins + losses) * difference
        c = -losses * difference * (1.0 - difference)
        share = (np.sqrt(np.maximum(b**2 - 4.0 * a * c, 0.0)) - b) / (2.0 * a)
        variance = sizes * np.maximum(2.0 * share + difference * (1.0 - difference), 0.0)
        off = wins - losses - sizes * difference
        known = variance > 0.0
        return np.where(
            known, off / np.sqrt(np.where(known, variance, 1.0)), np.where(off == 0.0, 0.0, np.copysign(np.inf, off))
        )

    ends = []
    for side in (1.0, -1.0):
        inside, outside = found, np.full(found.shape, -side)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2.0
            held = side * score(middle) <= z
            inside, outside = np.where(held, middle, inside), np.where(held, outside, middle)
        ends.append(outside)
    return ends[0], ends[1]


def sorted_ends(sign: float, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Limits of a share as those of its difference from nothing, of the other one's loss where `sign` is -1."""
    return (low, high) if sign > 0 else (-high, -low)


def outer_binomial_limits(share: FloatArray, n: FloatArray, error: Errors) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's limits for a share of n that need not be whole: of the whole wins on either side."""
    whole = np.floor(n + 1e-9)
    low, _ = binomial_limits_of(np.floor(share * whole + 1e-9), whole, error)
    _, high = binomial_limits_of(np.ceil(share * whole - 1e-9), whole, error)
    return low, high


def newcombe_limits(
    share: FloatArray, m: FloatArray, n: FloatArray, level: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Both values at which the share is z standard errors away, standard errors taken there (Newcombe 2006, method 5)."""
    from scipy.special import ndtri

    z, middle = ndtri(level), (m + n) / 2.0

    def reach(theta: FloatArray) -> FloatArray:
        ratio = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta)
        variance = theta * (1.0 - theta) * (1.0 + (middle - 1.0) * ratio) / (m * n)
        return np.asarray(z * np.sqrt(np.maximum(variance, 0.0)))

    def solved(side: float) -> FloatArray:
        # From the share outwards the distance grows and the reach beyond 0 and 1 is zero: one root, by bisection.
        near, far = share.copy(), np.where(side < 0.0, 0.0, 1.0) * np.ones_like(share)
        # At 0 and 1 the reach vanishes, so that the share itself is a root there: step beside it.
        at_end = (share <= 0.0) | (share >= 1.0)
        near = np.where(at_end, np.abs(near - 1e-9 * np.minimum(1.0, z * z)), near)
        for _ in range(52):
            center = (near + far) / 2.0
            inside = np.abs(center - share) < reach(center)
            near, far = np.where(inside, center, near), np.where(inside, far, center)
        return (near + far) / 2.0

    low = np.where(share <= 0.0, 0.0, solved(-1.0))
    return low, np.where(share >= 1.0, 1.0, solved(1.0))


def quantile_limits(ordered: FloatArray, level: float, error: float) -> tuple[float, float, float]:
    """The quantile of sorted scores with its order-statistic limits; those of losses are the mirror image."""
    n = ordered.size
    below, above = order_statistic_ranks(n, level, 1.0 - error)
    return (
        middle_quantile(ordered, level),
        float(ordered[below - 1]) if below >= 1 else -math.inf,
        float(ordered[above - 1]) if above <= n else math.inf,
    )


def _together(a: FloatArray, b: FloatArray, r: Errors) -> FloatArray:
    """√(a² + b² − 2 r a b) for r <= 0, whatever the size of a and b."""
    larger = np.maximum(a, b)
    usable = (larger > 0.0) & np.isfinite(larger)
    unit = np.where(usable, larger, 1.0)
    x, y = np.where(usable, a, 0.0) / unit, np.where(usable, b, 0.0) / unit
    return np.asarray(np.where(usable, unit * np.sqrt(x * x + y * y - 2.0 * r * x * y), larger))
