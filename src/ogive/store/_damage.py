"""A file that cannot be trusted, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ogive.words import printable


class Unsound(Exception):
    """Raised where a file is found damaged; caught by whoever lists files. What a file says may be in the reason."""

    def __init__(self, reason: str, *, rows: int | None = None, movable: bool = True) -> None:
        super().__init__(printable(reason))
        self.reason, self.rows, self.movable = printable(reason), rows, movable


class Stranger(Unsound):
    """A part that names a record which is not in the store, or not yet."""

    def __init__(self, study: str, rows: int) -> None:
        super().__init__(f"belongs to another study (record {study[:12]}… is not in this store)", rows=rows)
        self.study = study


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
        return f"{printable(self.path)} {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"path": self.path, "reason": self.reason, "rows": self.rows, "movable": self.movable}
