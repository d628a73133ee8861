"""What a score means: its direction, and the bounds it cannot leave."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ogive.errors import InputError

Bounds: TypeAlias = tuple[float | None, float | None]


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

    @property
    def sign(self) -> float:
        """1 where larger is better, -1 where smaller is: a score times its sign is larger where it is better."""
        return 1.0 if self.goal == "maximize" else -1.0

    @property
    def worst(self) -> float:
        """The bound on the bad side, infinite where there is none."""
        low, high = self.bounds
        if self.goal == "maximize":
            return -math.inf if low is None else low
        return math.inf if high is None else high
