"""From intervals to conclusions: at which error each of many is decided, the rule, and what could still be hidden.

Many verdicts read together share the error, step by step: at first all of them; those that are decided leave, and the
rest share it among fewer. A verdict keeps the limits at which it was decided. Below 30 runs, and where limits are exact
by themselves, the share is the error divided by the number left (Holm 1979). From 30 runs on verdicts
that move together pay less: the share comes from normal draws of all of them at once (Romano and Wolf
2005).
With a margin a verdict leaves when it is certain beyond the margin, better or worse. One that is
equivalent, or not worse, stays: it could still have said something false at this step, and would be
counted out before it paid for that.

The rule: one interval, one margin, one of five conclusions. The interval is that of the criterion, turned so that
positive means A is better, and already widened for the size of the family. Nothing else is read: no p-value, no overlap
of intervals, no crossing of curves. Equality is never inferred from a difference that was not found.

What could still be hidden are collapses too rare for so few runs to show: n runs without a collapse leave room for a
rate of 1 − error^(1/n), about 3/n at 95 %. An approximate interval knows nothing of it. So a claim that nothing is
lost – pass, not worse, equivalent – is withheld where bounds say that such collapses could cost more than the margin,
and else given with the condition. Intervals that hold for every distribution, and those of 0/1 scores, have paid for
it already.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ogive.answers.verdicts import _wording
from ogive.answers.verdicts._samples import Samples
from ogive.results import json_ready
from ogive.seeding import stream
from ogive.statistics import Differences, Interval, clopper_pearson, ecdf
from ogive.tables import Tabular
from ogive.trials import FloatArray, IntArray

if TYPE_CHECKING:
    from ogive.answers.verdicts._comparison import Comparison
    from ogive.answers.verdicts._ranking import Ranking

Conclusion: TypeAlias = Literal["better", "not worse", "equivalent", "worse", "cannot tell"]
SAFE: tuple[Conclusion, ...] = ("not worse", "equivalent")
N_DRAWS = 2000
# Draws of all verdicts at once are held in memory; beyond so many numbers fewer draws are made.
MOST_DRAWN = 200_000_000


class Told(Tabular):
    """A result that says its verdict in sentences; they are made last, in `_wording`."""

    @property
    @abstractmethod
    def parts(self) -> tuple[str, str, str]:
        """The verdict in three parts: the claim, what else must be known of it, and of what. A page sets the later ones smaller."""

    @cached_property
    def verdict(self) -> str:
        """Sentences to paste: who, by how much, how sure; on bad days; of what."""
        return " ".join(part for part in self.parts if part)

    @property
    def how_sure(self: Comparison | Ranking) -> str:  # type: ignore[misc]
        """How sure the verdict is, and how sure the other answers are, in a sentence."""
        return _wording.how_sure(self)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A conclusion, and which way the difference certainly points: 1 for A, -1 for B, 0 where the interval holds zero."""

    conclusion: Conclusion
    direction: int = 0


def rule(low: float, high: float, margin: float | None = None) -> Ruling:
    """The conclusion for a difference in [low, high], positive where A is better.

    Examples
    --------
    >>> rule(0.01, 0.03).conclusion, rule(-0.01, 0.03).conclusion
    ('better', 'cannot tell')
    >>> rule(0.001, 0.004, margin=0.005)
    Ruling(conclusion='equivalent', direction=1)
    """
    m, direction = 0.0 if margin is None else margin, 1 if low > 0.0 else -1 if high < 0.0 else 0
    if low > m:
        return Ruling("better", direction)
    if high < -m:
        return Ruling("worse", direction)
    if margin is None:
        return Ruling("cannot tell", direction)
    if -m < low and high < m:
        return Ruling("equivalent", direction)
    if low > -m:
        return Ruling("not worse", direction)
    if high < 0.0:
        return Ruling("worse", direction)
    return Ruling("cannot tell", direction)


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Limits of each verdict, and the error at which they were made."""

    low: FloatArray
    high: FloatArray
    error: FloatArray
    by_draws: bool

    def interval(self, differences: Differences, k: int, place: int) -> Interval:
        """The k-th of these differences, with the limits at `place`."""
        return differences.with_limits(k, float(self.low[place]), float(self.high[place]), float(self.error[place]))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A collapse that was not seen.

    Attributes
    ----------
    rate : float
        Runs that may collapse without so many runs showing it.
    n : int
        Those runs.
    critical : float or None
        The rate from which on the claim would be wrong, with collapses to the worst bound; None without bounds.
    cost : float or None
        What collapses at `rate` would cost; None without bounds.
    needed : int or None
        Runs that would show collapses at the critical rate.
    seen : int
        Collapses that were seen: `rate` is what may come on top of them.
    withheld : bool
        Whether the claim was withheld for it.
    other : Hidden or None
        Where both lie within the margin: the same of the other method. Where that is withheld they are not called equivalent.
    """

    rate: float
    n: int
    critical: float | None = None
    cost: float | None = None
    needed: int | None = None
    withheld: bool = False
    seen: int = 0
    other: Hidden | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        plain = json_ready({name: getattr(self, name) for name in self.__slots__ if name != "other"})
        return {**plain, "other": None if self.other is None else self.other.to_dict()}


def hidden_collapse(
    samples: Samples,
    a: int,
    b: int,
    conclusion: Conclusion,
    interval: Interval,
    margin: float | None,
    *,
    gate: bool = False,
) -> tuple[Conclusion, Hidden | None]:
    """What is left of a claim of no loss, and what it cannot rule out; None where it is no such claim, or has paid for it.

    Of two methods that are equivalent neither may be worse: where only the collapses of `b` could cost more than the
    margin, `a` is still not worse. A `gate` lets "better" pass as well, so that there a collapse may cost no more
    than the margin and what the interval has to spare.
    """
    kind = samples.asked.kind
    paid = interval.guarantee in ("exact", "conservative") or samples.asked.binary or kind not in ("mean", "worst")
    if margin is None or paid or not (conclusion in SAFE or (gate and conclusion == "better")):
        return conclusion, None
    spare = max(interval.low, 0.0) if conclusion == "better" else 0.0
    found = _of(samples, a, b, margin + spare, interval.estimate)
    if found.withheld:
        return "cannot tell", found
    if conclusion == "equivalent":
        other = _of(samples, b, a, margin, -interval.estimate)
        return (
            ("not worse", replace(found, other=other)) if other.withheld else (conclusion, replace(found, other=other))
        )
    return conclusion, found


def _of(samples: Samples, a: int, b: int, margin: float, estimate: float) -> Hidden:
    """Collapses of `a`, held against the mean of `b`: on all tasks alike, or on the one where few runs would hide them best."""
    whole = slice(0, len(samples.runs))
    if samples.bounds[0 if samples.sign > 0 else 1] is None:  # no worst score, and so no cost that a task could hide
        return _on(samples, a, b, margin, whole, estimate)
    found = [
        _on(samples, a, b, margin, place, estimate)
        for place in (whole, *(slice(i, i + 1) for i in range(len(samples.runs))))
    ]
    return max(found, key=lambda hidden: (hidden.cost or 0.0, hidden.n))


def _on(samples: Samples, a: int, b: int, margin: float, place: slice, estimate: float) -> Hidden:
    """Collapses on some of the tasks, whose cost is averaged over all of them."""
    error = samples.question.error  # at one look as in the rule of thumb that n runs without an event leave 3 / n
    n = int(samples.n_runs[a, place].sum())
    rate = -math.expm1(math.log(error) / n)
    places = range(*place.indices(len(samples.runs)))
    worst = samples.bounds[0] if samples.sign > 0 else None if samples.bounds[1] is None else -samples.bounds[1]
    if worst is None:
        return Hidden(rate=rate, n=n)
    share = samples.asked.amount if samples.asked.kind == "worst" else 1.0
    levels = [_level(samples, t, b) for t in places]
    distance = float(np.sum([level - worst for level in levels])) / len(samples.runs)
    if distance <= 0.0:
        return Hidden(rate=rate, n=n, cost=0.0)
    # Collapses that were seen are in the estimate, but their rate is as little known: what may come on top of them.
    seen = sum(
        int(np.count_nonzero(samples.runs[t].scores[a] < (level + worst) / 2.0))
        for t, level in zip(places, levels, strict=True)
    )
    if seen:
        rate = clopper_pearson(seen, n, 1.0 - 2.0 * error)[1] - seen / n
        margin = max(margin + min(estimate, 0.0), 0.0)
    cost, critical = min(rate / share, 1.0) * distance, margin * share / distance
    if cost <= margin:
        return Hidden(rate=rate, n=n, critical=critical, cost=cost)
    # A critical rate that is nothing beside 1 asks for more runs than can be counted; after a collapse none can be promised.
    countable = not seen and 1e-9 < critical < 1.0
    needed = math.ceil(math.log(error) / math.log1p(-critical)) if countable else None
    return Hidden(rate=rate, n=n, critical=critical, cost=cost, needed=needed, withheld=True, seen=seen)


def _level(samples: Samples, place: int, method: int) -> float:
    """The mean, or the mean of the worst share, of a method on a task."""
    scores = samples.runs[place].scores[method]
    if samples.asked.kind == "mean":
        return float(scores.mean())
    return ecdf(scores).cvar(mass=samples.asked.amount, tail="lower")
