"""All parts of a store, one after the other, while others write and compact."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.errors import StoreDamaged, StoreError
from ogive.notes import Note, NoteKind
from ogive.schema import STATUSES
from ogive.store._damage import Damage, Stranger, Unsound
from ogive.store._parts import ENDING, Part, open_part
from ogive.store._publish import refuse_link, saying
from ogive.store._records import read_ledger
from ogive.store._schemas import SCHEMAS, STANDING

T = TypeVar("T")
Cells: TypeAlias = dict[tuple[str, str], "Finished"]

_THREADS = 4
_MOST_LISTINGS = 100
_SHOWN = 3


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """The finished trials of one algorithm on one task.

    Attributes
    ----------
    trials : array of int64
        Trial numbers, sorted, each once.
    attempts : array of int16
        The highest attempt of each.
    statuses : array of int8
        The status of that attempt, as a place in `ogive.trials.STATUSES`.
    """

    trials: NDArray[np.int64]
    attempts: NDArray[np.int16]
    statuses: NDArray[np.int8]

    def with_status(self, *names: str) -> NDArray[np.int64]:
        """The trials whose last attempt ended in one of these statuses."""
        unknown = [name for name in names if name not in STATUSES]
        if unknown:
            raise StoreError(f"a status must be one of {', '.join(STATUSES)}; got {unknown[0]!r}.")
        return self.trials[np.isin(self.statuses, [STATUSES.index(name) for name in names])]


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """The rows of all sound parts of a kind, which part each came from, and the parts that are not sound."""

    table: pa.Table
    part: NDArray[np.int32]
    parts: tuple[Part, ...]
    damaged: tuple[Damage, ...]


class Grown(Exception):
    """Parts belong to a record that was published after the ledger was read: what is under way starts again."""


def over_parts(
    store: Path, kind: str, known: frozenset[str], work: Callable[[Part], T]
) -> tuple[list[tuple[Part, T]], tuple[Damage, ...]]:
    """What `work` makes of every part. A part that vanishes was compacted: the folder is listed again.

    A part may name a record that is younger than `known`; then this raises `Grown`, and damages nothing.
    """
    done: dict[str, tuple[Part, T]] = {}
    damaged: dict[str, Damage] = {}

    def one(name: str) -> tuple[Part, T] | Unsound | None:
        try:
            part = open_part(store / kind / name, kind, known)
            return part, work(part)
        except FileNotFoundError:
            return None
        except Unsound as found:
            return found

    with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as pool:
        for _ in range(_MOST_LISTINGS):
            names = [n for n in part_names(store, kind) if n not in done and n not in damaged]
            strangers = set()
            for name, found in zip(names, pool.map(one, names), strict=True):
                if isinstance(found, Unsound):
                    damaged[name] = Damage(f"{kind}/{name}", found.reason, found.rows, found.movable)
                    strangers |= {found.study} if isinstance(found, Stranger) else set()
                elif found is not None:
                    done[name] = found
            if strangers and strangers & read_ledger(store).known:
                raise Grown
            if all(n in done or n in damaged for n in names):
                return [done[n] for n in sorted(done)], tuple(damaged[n] for n in sorted(damaged))
    raise StoreError(f"{store} changes faster than it can be read; try again when it is no longer compacted.")


def part_names(store: Path, kind: str) -> list[str]:
    """File names of the parts of a kind; other files are none of ours."""
    folder = store / kind
    with saying(folder, "read"):
        refuse_link(folder)
        if not folder.is_dir():
            return []
        return sorted(n for n in os.listdir(folder) if n.endswith(ENDING) and not n.startswith("."))


def load(store: Path, kind: str, known: frozenset[str]) -> Loaded:
    """Every row of a kind."""
    found, damaged = over_parts(store, kind, known, Part.read)
    tables = [table for _, table in found]
    table = pa.concat_tables(tables) if tables else SCHEMAS[kind].empty_table()
    part = np.repeat(np.arange(len(tables), dtype=np.int32), [t.num_rows for t in tables])
    return Loaded(table, part, tuple(p for p, _ in found), damaged)


def refuse_damage(store: Path, damaged: tuple[Damage, ...]) -> None:
    """Say what cannot be read, and the ways out."""
    if not damaged:
        return
    shown = "; ".join(map(str, damaged[:_SHOWN])) + (
        f"; and {len(damaged) - _SHOWN} more" if len(damaged) > _SHOWN else ""
    )
    raise StoreDamaged(
        f"{store}: {shown}. `ogive repair` sets damaged parts aside and a further run makes their trials again; "
        "in Python, allow_missing=True reads the rest."
    )


def damage_note(damaged: tuple[Damage, ...], n_parts: int) -> Note:
    """How much is missing."""
    rows = sum(d.rows for d in damaged if d.rows is not None)
    unknown = sum(d.rows is None for d in damaged)
    return Note(NoteKind.DAMAGED, values={"n": len(damaged), "n_parts": n_parts, "rows": rows, "unknown": unknown})


def scan(store: Path, known: frozenset[str]) -> tuple[Cells, int, tuple[Damage, ...]]:
    """Every row of the trials by cell, attempts and copies included; how many parts; what is damaged."""
    found, damaged = over_parts(store, "trials", known, _keys_of)
    gathered: dict[tuple[str, str], list[Finished]] = {}
    for _, cells in found:
        for name, rows in cells.items():
            gathered.setdefault(name, []).extend(rows)
    n_parts = len(found) + len(damaged)
    del found
    return {name: _joined(gathered.pop(name)) for name in list(gathered)}, n_parts, damaged


def highest(rows: Finished) -> Finished:
    """Each trial once, at its highest attempt; of copies of one attempt that with the best status."""
    better = -STANDING[rows.statuses]
    order = np.lexsort((better, rows.attempts, rows.trials)) if not _increasing(rows.trials) else None
    if order is None:
        return rows
    trials = rows.trials[order]
    last = np.append(trials[1:] != trials[:-1], True)
    chosen = order[last]
    return Finished(trials[last], rows.attempts[chosen], rows.statuses[chosen])


def has_copies(rows: Finished) -> bool:
    """Whether an attempt of a trial is there twice."""
    if _increasing(rows.trials):
        return False
    order = np.lexsort((rows.attempts, rows.trials))
    trials, attempts = rows.trials[order], rows.attempts[order]
    return bool(np.any((trials[1:] == trials[:-1]) & (attempts[1:] == attempts[:-1])))


def _increasing(trials: NDArray[np.int64]) -> bool:
    return bool(np.all(trials[1:] > trials[:-1]))


def _joined(rows: list[Finished]) -> Finished:
    return Finished(
        np.concatenate([r.trials for r in rows]),
        np.concatenate([r.attempts for r in rows]),
        np.concatenate([r.statuses for r in rows]),
    )


def _keys_of(part: Part) -> dict[tuple[str, str], list[Finished]]:
    """The rows of a part by cell, without scores."""
    cells: dict[tuple[str, str], list[Finished]] = {}
    for table in part.stream(["algorithm", "task", "trial", "attempt", "status"]):
        algorithms, a = _codes(table["algorithm"])
        tasks, t = _codes(table["task"])
        statuses, s = _codes(table["status"])
        status = np.array([STATUSES.index(name) for name in statuses], dtype=np.int8)[s]
        trial, attempt = table["trial"].to_numpy(), table["attempt"].to_numpy()
        cell = a * len(tasks) + t
        order = np.argsort(cell, kind="stable")
        numbers, starts = np.unique(cell[order], return_index=True)
        for number, rows in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
            name = algorithms[number // len(tasks)], tasks[number % len(tasks)]
            cells.setdefault(name, []).append(Finished(trial[rows], attempt[rows], status[rows]))
    return cells


def _codes(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int32]]:
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    names: list[str] = encoded.chunk(0).dictionary.to_pylist()
    return names, np.concatenate([c.indices.to_numpy(zero_copy_only=False) for c in encoded.chunks])
