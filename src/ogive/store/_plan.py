"""Notes for readers, which are no state: how many trials were asked for, and how often the table was judged.

`plan.json` lets `status`, `verify` and every table say how many trials are still to come, or were there
once. A run never looks at it. Of two runs at the same moment one may overwrite what the other noted.

`looks/<trials>` is one empty file for each number of trials. A verdict on 200 trials and another on 500
of the same study are two looks, and the error of both together is not that of one. Judging the same
rows again is no further look.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ogive.canonical import canonical, digest
from ogive.notes import Note, NoteKind
from ogive.store._publish import replace, saying
from ogive.words import printable

LOOKS = "looks"


def earlier_looks(path: Path, n_trials: int) -> int:
    """How often fewer trials than these were judged."""
    folder = path / LOOKS
    if not folder.is_dir():
        return 0
    with saying(folder, "read"):
        names = [entry.name for entry in folder.iterdir()]
    return sum(1 for name in names if name.isdecimal() and int(name) < n_trials)


Asked: TypeAlias = dict[tuple[str, str], int]

PLAN = "plan.json"
_MOST_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A method on a task with fewer trials than were asked for."""

    algorithm: str
    task: str
    done: int
    asked: int

    def __str__(self) -> str:
        return printable(f"{self.algorithm!r} on {self.task!r} has {self.done} of the {self.asked} trials asked for")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"algorithm": self.algorithm, "task": self.task, "done": self.done, "asked": self.asked}


def note_plan(path: Path, cells: Iterable[tuple[str, str]], n_trials: int) -> None:
    """Note how many trials these cells are to have, at least; what was asked before is not taken back."""
    before = asked(path)
    now = {**before, **{cell: max(n_trials, before.get(cell, 0)) for cell in cells}}
    if now != before:
        said = {"schema": 1, "cells": [[a, t, n] for (a, t), n in now.items()]}
        replace(path, PLAN, json.dumps({**said, "seal": digest(canonical(said))}, ensure_ascii=False).encode())


def asked(path: Path) -> Asked:
    """How many trials each cell is to have; nothing where the note is absent or damaged."""
    file = path / PLAN
    try:
        if file.is_symlink() or file.stat().st_size > _MOST_BYTES:
            return {}
        said = json.loads(file.read_bytes())
        seal = said.pop("seal")
        if digest(canonical(said)) != seal:
            return {}
        return {(str(a), str(t)): int(n) for a, t, n in said["cells"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def unfinished_note(path: Path, done: Mapping[tuple[str, str], int]) -> list[Note]:
    """That trials are missing, where some are: of every method on every task how many there are of how many."""
    wanted = asked(path)
    if not unfinished(wanted, done):
        return []
    cells = [(a, t, min(done.get((a, t), 0), n), n) for (a, t), n in wanted.items()]
    return [Note(NoteKind.UNFINISHED, values={"cells": cells})]


def unfinished(wanted: Asked, done: Mapping[tuple[str, str], int]) -> tuple[Unfinished, ...]:
    """What was asked for and is not there."""
    return tuple(Unfinished(a, t, done.get((a, t), 0), n) for (a, t), n in wanted.items() if done.get((a, t), 0) < n)
