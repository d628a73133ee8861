"""The verdict rule: one interval, one margin, one of five conclusions.

The interval is that of the primary statistic, turned so that positive means A is better, and
already widened for the size of the family. Nothing else is read: no p-value, no overlap of
intervals, no crossing of curves. Equality is never inferred from a difference that was not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Conclusion: TypeAlias = Literal["better", "not worse", "equivalent", "worse", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A conclusion, and what can be said beyond it."""

    conclusion: Conclusion
    nuance: str = ""


def rule(low: float, high: float, margin: float | None = None) -> Ruling:
    """The conclusion for a difference in [low, high], positive where A is better.

    Examples
    --------
    >>> rule(0.01, 0.03).conclusion, rule(-0.01, 0.03).conclusion
    ('better', 'cannot tell')
    >>> rule(0.001, 0.004, margin=0.005)
    Ruling(conclusion='equivalent', nuance='better, but by less than the margin')
    """
    m = 0.0 if margin is None else margin
    if low > m:
        return Ruling("better")
    if high < -m:
        return Ruling("worse")
    if margin is None:
        return Ruling("cannot tell")
    if -m < low and high < m:
        return Ruling("equivalent", _sign(low, high, ", but by less than the margin"))
    if low > -m:
        return Ruling("not worse", _sign(low, high, "; whether by more than the margin cannot be told"))
    if high < 0.0:
        return Ruling("worse", "worse; whether by more than the margin cannot be told")
    return Ruling("cannot tell")


def _sign(low: float, high: float, rest: str) -> str:
    return f"better{rest}" if low > 0.0 else f"worse{rest}" if high < 0.0 else ""
