"""The verdict rule: one interval, one margin, one of five conclusions.

The interval is that of the criterion, turned so that positive means A is better, and already widened for
the size of the family. Nothing else is read: no p-value, no overlap of intervals, no crossing of curves.
Equality is never inferred from a difference that was not found.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from ogive.tables import Tabular

if TYPE_CHECKING:
    from ogive.answers.verdicts._comparison import Comparison
    from ogive.answers.verdicts._ranking import Ranking

Conclusion: TypeAlias = Literal["better", "not worse", "equivalent", "worse", "cannot tell"]


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
        from ogive.answers.verdicts._wording import how_sure

        return how_sure(self)


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
