"""Trials that run far longer than the others, named while they run.

A limit on time would have ended such a trial; where there is none, a run of hours can wait for one that
never ends, and shows nothing but a bar that stands still.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ogive.notes import Note, NoteKind

FEWEST = 5  # finished trials of a cell, or of all, before one can be called long
FAR, SOON = 5.0, 10.0  # times the longest of the others, and seconds
log = logging.getLogger("ogive")


@dataclass(frozen=True, slots=True)
class Running:
    """A trial that runs, and for how many seconds."""

    names: tuple[str, str]
    trial: int
    seconds: float


class Pace:
    """How long trials take, and which of those that run are far beyond it.

    A trial is compared with the longest of its cell, and with the longest of all where its cell has few.
    """

    def __init__(self) -> None:
        self._finished: dict[tuple[str, str], tuple[int, float]] = {}
        self._told: set[tuple[tuple[str, str], int]] = set()

    def learn(self, names: tuple[str, str], seconds: Iterable[float | None]) -> None:
        """Hear how long finished trials of a cell took."""
        took = [one for one in seconds if one is not None]
        if took:
            n, longest = self._finished.get(names, (0, 0.0))
            self._finished[names] = n + len(took), max(longest, *took)

    def far(self, running: Sequence[Running]) -> tuple[Note, ...]:
        """The trials that run far beyond the others; each is said in the log once."""
        found = []
        for one in running:
            n, longest = self._others(one.names)
            if n < FEWEST or one.seconds < max(SOON, FAR * longest):
                continue
            values = {
                "algorithm": one.names[0], "task": one.names[1], "trial": one.trial, "seconds": one.seconds, "n": n,
                "longest": longest, "limit": _round(max(SOON, FAR * longest)),
            }  # fmt: skip
            note = Note(NoteKind.RUNS_LONG, "wall_limit", values)
            found.append(note)
            if (one.names, one.trial) not in self._told:
                self._told.add((one.names, one.trial))
                log.warning("%s", note.sentence())
        return tuple(found)

    def _others(self, names: tuple[str, str]) -> tuple[int, float]:
        n, longest = self._finished.get(names, (0, 0.0))
        if n >= FEWEST:
            return n, longest
        every = self._finished.values()
        return sum(n for n, _ in every), max((longest for _, longest in every), default=0.0)


def _round(seconds: float) -> int:
    """Up to one digit that counts."""
    place: int = 10 ** math.floor(math.log10(seconds))
    return math.ceil(seconds / place) * place
