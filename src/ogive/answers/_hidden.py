"""What could still be hidden: collapses too rare for so few runs to show.

n runs without a collapse leave room for a rate of 1 − error^(1/n), about 3/n at 95 %. An approximate
interval knows nothing of it. So a claim that nothing is lost – pass, not worse, equivalent – is withheld
where bounds say that such collapses could cost more than the margin, and else given with the condition.
Intervals that hold for every distribution, and those of 0/1 scores, have paid for it already.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ogive.answers._samples import Samples
from ogive.answers._verdict import Conclusion
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
    withheld : bool
        Whether the claim was withheld for it.
    other_rate : float or None
        Where both are claimed to be equivalent: the rate at which the other method may collapse unseen.
    """

    rate: float
    n: int
    critical: float | None = None
    cost: float | None = None
    needed: int | None = None
    withheld: bool = False
    other_rate: float | None = None


def hidden_collapse(
    samples: Samples, a: int, b: int, conclusion: Conclusion, interval: Interval, margin: float | None
) -> tuple[Conclusion, Hidden | None]:
    """What is left of a claim of no loss, and what it cannot rule out; None where it is no such claim, or has paid for it.

    Of two methods that are equivalent neither may be worse: where only the collapses of `b` could cost more than the
    margin, `a` is still not worse.
    """
    kind = samples.asked.kind
    paid = interval.guarantee in ("exact", "conservative") or samples.asked.binary or kind not in ("mean", "worst")
    if conclusion not in SAFE or margin is None or paid or samples.question.sampled:
        return conclusion, None
    found = _of(samples, a, b, margin)
    if found.withheld:
        return "cannot tell", found
    if conclusion == "equivalent":
        other = _of(samples, b, a, margin)
        return ("not worse", found) if other.withheld else (conclusion, replace(found, other_rate=other.rate))
    return conclusion, found


def _of(samples: Samples, a: int, b: int, margin: float) -> Hidden:
    """Collapses of `a`, held against the mean of `b`."""
    error = 1.0 - samples.question.confidence
    n = int(samples.n_runs[a].sum())
    rate = -math.expm1(math.log(error) / n)
    worst = samples.bounds[0] if samples.sign > 0 else None if samples.bounds[1] is None else -samples.bounds[1]
    if worst is None:
        return Hidden(rate=rate, n=n)
    share = samples.asked.amount if samples.asked.kind == "worst" else 1.0
    distance = float(np.mean([_level(samples, place, b) for place in range(len(samples.runs))])) - worst
    if distance <= 0.0:
        return Hidden(rate=rate, n=n)
    cost, critical = min(rate / share, 1.0) * distance, margin * share / distance
    if cost <= margin:
        return Hidden(rate=rate, n=n, critical=critical, cost=cost)
    needed = math.ceil(math.log(error) / math.log1p(-critical)) if critical < 1.0 else n
    return Hidden(rate=rate, n=n, critical=critical, cost=cost, needed=needed, withheld=True)


def _level(samples: Samples, place: int, method: int) -> float:
    """The mean, or the mean of the worst share, of a method on a task."""
    scores = samples.runs[place].scores[method]
    if samples.asked.kind == "mean":
        return float(scores.mean())
    from ogive.statistics import ecdf

    return ecdf(scores).cvar(mass=samples.asked.amount, tail="lower")
