"""All parts of a store, one after the other, while others write and compact."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.errors import StoreDamaged, StoreError
from ogive.notes import Note, NoteKind
from ogive.schema import OK, STATUSES
from ogive.store._damage import Damage, Stranger, Unsound
from ogive.store._parts import ENDING, Part, open_part
from ogive.store._publish import refuse_link, saying
from ogive.store._records import read_ledger
from ogive.store._rows import Keys
from ogive.store._schemas import COUNTS, SCHEMAS, STANDING, WITHIN, map_parts
from ogive.words import printable

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
        The status of that attempt, as a place in `ogive.schema.STATUSES`.
    unusable : mapping
        By metric, whether each trial that is ok lacks it: it is NaN or infinite, though other metrics are not.
    again : Finished or None
        Trials that are not finished, although they have a row: other rows that belong to them are
        gone. They are to be run again, at the same attempt.
    """

    trials: NDArray[np.int64]
    attempts: NDArray[np.int16]
    statuses: NDArray[np.int8]
    unusable: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    again: Finished | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Rows of the trials of one cell: number, attempt, status, and how many rows of each other kind belong to it."""

    trials: NDArray[np.int64]
    attempts: NDArray[np.int16]
    statuses: NDArray[np.int8]
    counts: NDArray[np.int32]  # [row, kind of COUNTS]
    unusable: Mapping[str, NDArray[np.bool_]]

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Rows:
        """Some of them."""
        unusable = {metric: lacks[rows] for metric, lacks in self.unusable.items()}
        return Rows(self.trials[rows], self.attempts[rows], self.statuses[rows], self.counts[rows], unusable)

    def finished(self) -> Finished:
        """Without the counts."""
        return Finished(self.trials, self.attempts, self.statuses, self.unusable)


@dataclass(frozen=True, slots=True)
class Lacking:
    """Trials of a cell whose row is there, and not all rows of another kind that belong to them."""

    algorithm: str
    task: str
    kind: str
    trials: tuple[int, ...]

    def __str__(self) -> str:
        n, shown = len(self.trials), ", ".join(map(str, self.trials[:_SHOWN]))
        which = f"trial {shown}" if n == 1 else f"{n} trials ({shown}{', …' if n > _SHOWN else ''})"
        verb = "lacks" if n == 1 else "lack"
        return printable(f"{which} of {self.algorithm!r} on {self.task!r} {verb} rows of {self.kind}/")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"algorithm": self.algorithm, "task": self.task, "kind": self.kind, "trials": list(self.trials)}


@dataclass(frozen=True, slots=True)
class Scan:
    """What is there of every cell, each trial once at its highest attempt; what is lacking; what is damaged."""

    cells: Mapping[tuple[str, str], Rows]
    lacking: tuple[Lacking, ...]
    damaged: tuple[Damage, ...]
    copies: bool

    def finished(self) -> Cells:
        """The finished trials, and those to be run again."""
        out: Cells = {}
        for name, rows in self.cells.items():
            mine = [lack.trials for lack in self.lacking if (lack.algorithm, lack.task) == name]
            if not mine:
                out[name] = rows.finished()
                continue
            gone = np.isin(rows.trials, np.concatenate(mine))
            out[name] = replace(rows.take(~gone).finished(), again=rows.take(gone).finished())
        return out


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

    It is listed again in any case: a long listing that is made while a compaction ends may show
    neither the small parts, which were removed before it came to them, nor the large one, which
    appeared behind it.

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
        for listing in range(_MOST_LISTINGS):
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
            if listing and all(n in done or n in damaged for n in names):
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
    raise StoreDamaged(
        f"{store}: {_first(damaged)}. `ogive repair` sets damaged parts aside and a further run makes their trials again; "
        "in Python, allow_missing=True reads the rest."
    )


def _first(found: Sequence[Damage | Lacking]) -> str:
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return "; ".join(map(str, found[:_SHOWN])) + more


def damage_note(damaged: tuple[Damage, ...], n_parts: int) -> Note:
    """How much is missing."""
    rows = sum(d.rows for d in damaged if d.rows is not None)
    unknown = sum(d.rows is None for d in damaged)
    return Note(NoteKind.DAMAGED, values={"n": len(damaged), "n_parts": n_parts, "rows": rows, "unknown": unknown})


def refuse_lacking(store: Path, lacking: Sequence[Lacking]) -> None:
    """Say which trials are not whole, and the way out."""
    if not lacking:
        return
    raise StoreDamaged(
        f"{store}: {_first(lacking)}, which were damaged or deleted. A further run makes exactly these trials again; "
        "in Python, allow_missing=True reads the rest."
    )


def scan(store: Path, known: frozenset[str], kinds: Sequence[str] = tuple(COUNTS)) -> Scan:
    """What there is of every cell, without scores; that trials are whole is checked for these kinds."""
    found, damaged = over_parts(store, "trials", known, _keys_of)
    gathered: dict[tuple[str, str], list[Rows]] = {}
    for _, of_part in found:
        for name, some in of_part.items():
            gathered.setdefault(name, []).extend(some)
    del found
    joined = {name: _joined(gathered.pop(name)) for name in list(gathered)}
    copies = any(_has_copies(rows) for rows in joined.values())
    cells = {name: _highest(joined.pop(name)) for name in list(joined)}
    lacking: list[Lacking] = []
    for kind in kinds:
        place = list(COUNTS).index(kind)
        if any(rows.counts[:, place].any() for rows in cells.values()):
            lacks, odd = _lacking(store, kind, known, cells, place)
            lacking += lacks
            damaged += odd
    return Scan(cells, tuple(lacking), damaged, copies)


def _lacking(
    store: Path, kind: str, known: frozenset[str], cells: Mapping[tuple[str, str], Rows], place: int
) -> tuple[list[Lacking], tuple[Damage, ...]]:
    """Trials with fewer different rows of a kind than belong to them."""
    columns = ["algorithm", "task", "trial", "attempt", WITHIN[kind]]
    found, damaged = over_parts(store, kind, known, lambda part: pa.concat_tables(part.stream(columns)))
    table = pa.concat_tables([t for _, t in found]) if found else SCHEMAS[kind].empty_table().select(columns)
    del found
    names = [list(dict.fromkeys(cell[i] for cell in cells)) for i in (0, 1)]
    keys = Keys.of(table, kind, (names[0], names[1]))
    order = np.lexsort((keys.within, keys.attempt, keys.trial, keys.cell)).astype(np.int64)
    order = order[~keys.same_as_previous(order, attempt=True)]
    cell, trial, attempt = keys.cell[order], keys.trial[order], keys.attempt[order]
    # One entry for each attempt of a trial, with the number of its rows.
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = (cell[1:] != cell[:-1]) | (trial[1:] != trial[:-1]) | (attempt[1:] != attempt[:-1])
    starts = np.flatnonzero(first)
    numbers = np.diff(np.append(starts, order.size))
    cell, trial, attempt = cell[starts], trial[starts], attempt[starts]
    out = []
    for (algorithm, task), rows in cells.items():
        wanted = rows.counts[:, place]
        if not wanted.any():
            continue
        number = names[0].index(algorithm) * keys.n_tasks + names[1].index(task)
        low, high = np.searchsorted(cell, [number, number + 1])
        there = np.zeros(wanted.size, dtype=np.int64)
        at = np.minimum(np.searchsorted(rows.trials, trial[low:high]), rows.trials.size - 1)
        same = (rows.trials[at] == trial[low:high]) & (rows.attempts[at] == attempt[low:high])
        there[at[same]] = numbers[low:high][same]
        gone = rows.trials[there < wanted]
        if gone.size:
            out.append(Lacking(algorithm, task, kind, tuple(gone.tolist())))
    return out, damaged


def _highest(rows: Rows) -> Rows:
    """Each trial once, at its highest attempt; of copies of one attempt that with the best status."""
    if _increasing(rows.trials):
        return rows
    order = np.lexsort((-STANDING[rows.statuses], rows.attempts, rows.trials))
    trials = rows.trials[order]
    return rows.take(order[np.append(trials[1:] != trials[:-1], True)])


def _has_copies(rows: Rows) -> bool:
    """Whether an attempt of a trial is there twice."""
    if _increasing(rows.trials):
        return False
    order = np.lexsort((rows.attempts, rows.trials))
    trials, attempts = rows.trials[order], rows.attempts[order]
    return bool(np.any((trials[1:] == trials[:-1]) & (attempts[1:] == attempts[:-1])))


def _increasing(trials: NDArray[np.int64]) -> bool:
    return bool(np.all(trials[1:] > trials[:-1]))


def _joined(rows: list[Rows]) -> Rows:
    return Rows(
        np.concatenate([r.trials for r in rows]),
        np.concatenate([r.attempts for r in rows]),
        np.concatenate([r.statuses for r in rows]),
        np.concatenate([r.counts for r in rows]),
        {
            metric: np.concatenate([r.unusable.get(metric, np.zeros(r.trials.size, dtype=np.bool_)) for r in rows])
            for metric in dict.fromkeys(metric for r in rows for metric in r.unusable)
        },
    )


def _keys_of(part: Part) -> dict[tuple[str, str], list[Rows]]:
    """The rows of a part by cell, without scores."""
    cells: dict[tuple[str, str], list[Rows]] = {}
    for table in part.stream(["algorithm", "task", "trial", "attempt", "status", "metrics", *COUNTS.values()]):
        algorithms, a = _codes(table["algorithm"])
        tasks, t = _codes(table["task"])
        statuses, s = _codes(table["status"])
        status = np.array([STATUSES.index(name) for name in statuses], dtype=np.int8)[s]
        trial, attempt = table["trial"].to_numpy(), table["attempt"].to_numpy()
        counts = np.stack([table[name].fill_null(0).to_numpy() for name in COUNTS.values()], axis=1)
        unusable = _unusable(table["metrics"], status)
        cell = a * len(tasks) + t
        order = np.argsort(cell, kind="stable")
        numbers, starts = np.unique(cell[order], return_index=True)
        for number, rows in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
            name = algorithms[number // len(tasks)], tasks[number % len(tasks)]
            lacks = {metric: which[rows] for metric, which in unusable.items() if which[rows].any()}
            cells.setdefault(name, []).append(Rows(trial[rows], attempt[rows], status[rows], counts[rows], lacks))
    return cells


def _unusable(metrics: pa.ChunkedArray, status: NDArray[np.int8]) -> dict[str, NDArray[np.bool_]]:
    """For each metric that is no finite number in a row that is ok, which rows these are."""
    out: dict[str, NDArray[np.bool_]] = {}
    start = 0
    for chunk in metrics.chunks:
        keys, values, lengths = map_parts(chunk)
        empty = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False)) if values.null_count else ()
        if len(empty):
            row = start + np.repeat(np.arange(len(chunk)), lengths)[empty]
            names = np.array(keys.take(pa.array(empty)).to_pylist(), dtype=object)
            fine = status[row] == STATUSES.index(OK)
            for metric in dict.fromkeys(names[fine]):
                out.setdefault(metric, np.zeros(status.size, dtype=np.bool_))[row[fine & (names == metric)]] = True
        start += len(chunk)
    return out


def _codes(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int32]]:
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    names: list[str] = encoded.chunk(0).dictionary.to_pylist()
    return names, np.concatenate([c.indices.to_numpy(zero_copy_only=False) for c in encoded.chunks])
