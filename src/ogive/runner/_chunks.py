"""How many trials to hand out at once."""

from __future__ import annotations

MOST = 10_000
GROWTH = 4


class ChunkSizer:
    """The size of the next chunk of one cell, by the compute time that the worker measured.

    Round-trip times never settle (they hold the waiting of chunks in flight); compute times do.
    Starts at 1 and grows at most fourfold, so a slow cell is never handed a long chunk.
    """

    def __init__(self, seconds: float, fixed: int | None = None) -> None:
        self._aim, self._fixed = seconds, fixed
        self._size = 1
        self._cost: float | None = None

    @property
    def size(self) -> int:
        """How many trials the next chunk should hold."""
        return self._fixed or self._size

    @property
    def cost(self) -> float | None:
        """Seconds of one trial, as far as known."""
        return self._cost

    def learn(self, n: int, seconds: float) -> None:
        """Hear that n trials took so many seconds of compute."""
        if n < 1 or seconds < 0:
            return
        cost = seconds / n
        self._cost = cost if self._cost is None else 0.5 * (self._cost + cost)
        wanted = int(self._aim / max(self._cost, 1e-9))
        self._size = max(1, min(wanted, GROWTH * max(n, self._size) if n >= self._size else self._size, MOST))
