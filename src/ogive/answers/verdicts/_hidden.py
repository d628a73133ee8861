"""What could still be hidden: collapses too rare for so few runs to show.

n runs without a collapse leave room for a rate of 1 − error^(1/n), about 3/n at 95 %. An approximate
interval knows nothing of it. So a claim that nothing is lost – pass, not worse, equivalent – is withheld
where bounds say that such collapses could cost more than the margin, and else given with the condition.
Intervals that hold for every distribution, and those of 0/1 scores, have paid for it already.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ogive.answers.verdicts._samples import Samples
from ogive.answers.verdicts._verdict import Conclusion
from ogive.results import json_ready
from ogive.statistics import Interval

SAFE: tuple[Conclusion, ...] = ("not worse", "equivalent")


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
        from ogive.statistics import clopper_pearson

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
    from ogive.statistics import ecdf

    return ecdf(scores).cvar(mass=samples.asked.amount, tail="lower")
