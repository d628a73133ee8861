"""A file that cannot be trusted, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Unsound(Exception):
    """Raised where a file is found damaged; caught by whoever lists files."""

    def __init__(self, reason: str, *, rows: int | None = None, movable: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.rows, self.movable = reason, rows, movable


@dataclass(frozen=True, slots=True)
class Damage:
    """A part or record that is refused.

    Attributes
    ----------
    path : str
        Relative to the store.
    reason : str
        What is wrong with it, after its name.
    rows : int or None
        How many rows it held; None where that cannot be known.
    movable : bool
        Whether `repair` may set it aside: not where another version of Ogive, or a change of
        permissions, could read it.
    """

    path: str
    reason: str
    rows: int | None = None
    movable: bool = True

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"path": self.path, "reason": self.reason, "rows": self.rows, "movable": self.movable}
