"""What a score means: its direction, and the bounds it cannot leave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError

Bounds: TypeAlias = tuple[float | None, float | None]
Tail: TypeAlias = Literal["lower", "upper"]
Thing = TypeVar("Thing")
Values = TypeVar("Values", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Metric:
    """The direction of a score, and the bounds it cannot leave (None where unknown)."""

    goal: Literal["maximize", "minimize"] = "maximize"
    bounds: Bounds = (None, None)

    def __post_init__(self) -> None:
        if self.goal not in ("maximize", "minimize"):
            raise InputError(f"`goal` must be 'maximize' or 'minimize'; got {self.goal!r}.")
        try:
            low, high = (None if b is None or math.isinf(b) else float(b) for b in self.bounds)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"`bounds` must be a pair (low, high), None where unknown; got {self.bounds!r}.") from None
        if any(b is not None and math.isnan(b) for b in (low, high)) or (
            low is not None and high is not None and not low < high
        ):
            raise InputError(f"`bounds` must be (low, high) with low < high, None where unknown; got ({low}, {high}).")
        object.__setattr__(self, "bounds", (low, high))

    @classmethod
    def toward(cls, goal: str) -> Metric:
        """The metric of a direction alone; refuses what is none."""
        return cls(cast(Literal["maximize", "minimize"], goal))

    @property
    def sign(self) -> float:
        """1 where large scores are good, else -1."""
        return 1.0 if self.goal == "maximize" else -1.0

    @property
    def good_side(self) -> Literal["higher", "lower"]:
        """Which scores are better, in a word."""
        return "higher" if self.goal == "maximize" else "lower"

    @property
    def worst_tail(self) -> Tail:
        """The end of the distribution where the bad scores are."""
        return "lower" if self.goal == "maximize" else "upper"

    @property
    def best_tail(self) -> Tail:
        """The end of the distribution where the good scores are."""
        return "upper" if self.goal == "maximize" else "lower"

    def turned(self, values: Values) -> Values:
        """Scores, or differences of scores, of which larger ones are better."""
        return values if self.goal == "maximize" else -values

    def better(self, x: float, y: float) -> bool:
        """Whether the score x is better than the score y.

        Examples
        --------
        >>> Metric("minimize").better(0.1, 0.2)
        True
        """
        return self.turned(x) > self.turned(y)

    def level(self, share: Values) -> Values:
        """The level of the distribution function that leaves the share of runs on the bad side.

        Examples
        --------
        >>> Metric("maximize").level(0.25), Metric("minimize").level(0.25)
        (0.25, 0.75)
        """
        return share if self.goal == "maximize" else 1.0 - share

    def worst_first(self, low: Thing, high: Thing) -> tuple[Thing, Thing]:
        """What belongs to the small and to the large scores, the bad side first.

        Examples
        --------
        >>> Metric("minimize").worst_first("small", "large")
        ('large', 'small')
        """
        return (low, high) if self.goal == "maximize" else (high, low)

    @property
    def worst(self) -> float:
        """The bound on the bad side, infinite where there is none."""
        low, high = self.bounds
        if self.goal == "maximize":
            return -math.inf if low is None else low
        return math.inf if high is None else high
