"""All parts of a store, while others write and compact; which of their rows count, and in which order.

Those are the rows of the highest attempt of each trial, one of each duplicate.
"""

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
from ogive.store._parts import ENDING, Part, open_part
from ogive.store._publish import Damage, Stranger, Unsound, refuse_link, saying
from ogive.store._records import read_ledger
from ogive.store._schemas import CONTENT, COUNTS, SCHEMAS, STANDING, WITHIN, map_parts, project
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
    """The different values of a column, and the place of each row's among them; -1 where missing."""
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    if not encoded.num_chunks:
        return [], np.empty(0, dtype=np.int32)
    names: list[str] = encoded.chunk(0).dictionary.to_pylist()
    return names, np.concatenate([c.indices.fill_null(-1).to_numpy(zero_copy_only=False) for c in encoded.chunks])


IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
Order: TypeAlias = tuple[Sequence[str], Sequence[str]]  # names of algorithms and of tasks

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Differing:
    """Trials that were run more than once with different results.

    Attributes
    ----------
    same_versions, other_versions : int
        How many, by whether the library versions of the runs were the same.
    examples : tuple of str
        A few of them.
    """

    same_versions: int = 0
    other_versions: int = 0
    examples: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.same_versions + self.other_versions)

    def notes(self) -> list[Note]:
        """What it means."""
        return [
            Note(NoteKind.RUN_TWICE, values={"n": n, "examples": self.examples, "versions_changed": changed})
            for n, changed in ((self.same_versions, False), (self.other_versions, True))
            if n
        ]


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """What tells rows apart, as numbers: cell, trial, what is within a trial, attempt."""

    cell: IntArray
    trial: IntArray
    within: IntArray
    attempt: NDArray[np.int16]
    n_tasks: int

    @classmethod
    def of(cls, table: pa.Table, kind: str, order: Order) -> Keys:
        """The keys of a table; cells are numbered in the order of names."""
        algorithm, _ = ranks(table["algorithm"], order[0])
        task, n_tasks = ranks(table["task"], order[1])
        column = table[WITHIN[kind]]
        if pa.types.is_integer(column.type):
            within = column.to_numpy().astype(np.int64)
        elif column.null_count == len(column):
            within = np.full(len(column), -1, dtype=np.int64)
        else:
            within, _ = ranks(column, ())
        trial = np.asarray(table["trial"].to_numpy(), dtype=np.int64)
        return cls(algorithm * n_tasks + task, trial, within, table["attempt"].to_numpy(), n_tasks)

    def same_as_previous(self, rows: IntArray, *, attempt: bool = False) -> BoolArray:
        """For each of these rows, whether the row before it has the same key."""
        parts: list[NDArray[Any]] = [self.cell, self.trial, self.within, *([self.attempt] if attempt else [])]
        same = np.ones(rows.size, dtype=np.bool_)
        same[:1] = False
        for part in parts:
            values = part[rows]
            same[1:] &= values[1:] == values[:-1]
        return same


def ranks(column: pa.ChunkedArray, names: Sequence[str]) -> tuple[IntArray, int]:
    """The place of each value among `names`; others come after them, sorted; -1 where missing."""
    found, codes = _codes(column)
    place = {name: i for i, name in enumerate([*names, *sorted(set(found) - set(names))])}
    lookup = np.array([*(place[name] for name in found), -1], dtype=np.int64)
    return lookup[codes], max(1, len(place))


def settle(table: pa.Table, kind: str, keys: Keys) -> tuple[IntArray | None, Differing]:
    """Row numbers in order, one for each key at its trial's highest attempt; None where all are in place."""
    simple = _one_number(keys)
    if simple is not None:
        if np.all(simple[1:] > simple[:-1]):
            return None, Differing()
        rows = np.argsort(simple, kind="stable").astype(np.int64)
        if np.all(np.diff(simple[rows]) > 0):
            return rows, Differing()
    rows = arranged(table, keys)
    cell, trial, attempt = keys.cell[rows], keys.trial[rows], keys.attempt[rows]
    start = np.ones(rows.size, dtype=np.bool_)
    start[1:] = (cell[1:] != cell[:-1]) | (trial[1:] != trial[:-1])
    rows = rows[attempt == attempt[start][np.cumsum(start) - 1]]  # of each trial the highest attempt, which comes first
    again = keys.same_as_previous(rows)
    if not again.any():
        return rows, Differing()
    return _without_duplicates(table, kind, keys, rows, again)


def arranged(table: pa.Table, keys: Keys) -> IntArray:
    """Row numbers by cell, trial, highest attempt first, place within the trial, best status, then duration."""
    costs = [pc.fill_null(table[c], -1.0).to_numpy() for c in ("cpu_s", "wall_s") if c in table.column_names]
    return np.lexsort(
        (*costs, _standing(table), keys.within, -keys.attempt.astype(np.int64), keys.trial, keys.cell)
    ).astype(np.int64)


def _standing(table: pa.Table) -> NDArray[np.int8]:
    """Of each row, whether it succeeded (0), failed by itself (1), or was cut by circumstances (2)."""
    if "status" not in table.column_names:
        return np.zeros(table.num_rows, dtype=np.int8)
    return np.asarray(STANDING[pc.index_in(table["status"], pa.array(STATUSES)).to_numpy()])


def exact_copies(table: pa.Table, keys: Keys, rows: IntArray) -> BoolArray:
    """For each of these rows, whether it equals the row before it in every column."""
    again = keys.same_as_previous(rows, attempt=True)
    if again.any():
        members = again | np.append(again[1:], False)
        chosen = table.take(pa.array(rows[members]))
        again[members] &= _all(
            {name: _equal_to_previous(chosen[name]) for name in table.column_names}, table.column_names
        )
    return again


def _one_number(keys: Keys) -> IntArray | None:
    """Cell and trial as one number; None where it would not fit or more tells rows apart."""
    if not keys.cell.size or keys.within.max() >= 0:
        return None
    span = int(keys.trial.max()) + 1
    if span > 2**62 // (int(keys.cell.max()) + 1):
        return None
    return keys.cell * span + keys.trial


def _without_duplicates(
    table: pa.Table, kind: str, keys: Keys, rows: IntArray, again: BoolArray
) -> tuple[IntArray, Differing]:
    """The first of each group of rows with one key, and what the others said otherwise.

    A copy that was cut by circumstances contradicts nobody: another load, another machine.
    """
    members = again | np.append(again[1:], False)
    chosen = table.take(pa.array(rows[members]))
    follows = again[members]
    group = np.cumsum(~follows) - 1
    same = {name: _equal_to_previous(chosen[name]) for name in table.column_names}
    other = follows & ~_all(same, CONTENT[kind]) & (_standing(chosen) < STANDING.max())
    versions = follows & ~_all(same, [c for c in ("versions",) if c in same])
    tied = follows & _all(same, [c for c in ("wall_s", "cpu_s") if c in same]) & ~_all(same, list(same))
    firsts = np.flatnonzero(~follows)
    if tied.any():  # durations do not decide: the other columns do
        open_groups = np.unique(group[tied])
        firsts[open_groups] = _smallest(chosen, np.flatnonzero(np.isin(group, open_groups)), group)
    kept = rows[~again]
    kept[members[~again]] = rows[members][firsts]
    return kept, _differing(chosen, np.unique(group[other]), np.unique(group[versions]), ~follows)


def _smallest(table: pa.Table, rows: IntArray, group: IntArray) -> IntArray:
    """Of each group the row that comes first by the content of all columns, whoever wrote it."""
    some = table.take(pa.array(rows))
    columns: dict[str, Any] = {"group": pa.array(group[rows]), "standing": pa.array(_standing(some))}
    for i, name in enumerate(table.column_names):
        if pa.types.is_map(some[name].type):
            columns |= {f"{i} {key}": values for key, values in sorted(project(some[name]).items())}
        elif pa.types.is_list(some[name].type):
            columns[f"{i}"] = [repr(v) for v in some[name].to_pylist()]
        else:
            columns[f"{i}"] = some[name]
    order = pc.sort_indices(pa.table(columns), [(name, "ascending") for name in columns]).to_numpy()
    ordered = group[rows][order]
    return np.asarray(rows[order[np.append(True, ordered[1:] != ordered[:-1])]], dtype=np.int64)


def _differing(chosen: pa.Table, groups: IntArray, versions: IntArray, first: BoolArray) -> Differing:
    if not groups.size:
        return Differing()
    changed = int(np.isin(groups, versions).sum())
    starts = np.flatnonzero(first)[groups[:_EXAMPLES]]
    rows = chosen.select(["algorithm", "task", "trial"]).take(pa.array(starts)).to_pylist()
    examples = tuple(f"trial {r['trial']} of {r['algorithm']!r} on {r['task']!r}" for r in rows)
    return Differing(groups.size - changed, changed, examples)


def _all(same: Mapping[str, BoolArray], names: Sequence[str]) -> BoolArray:
    """For each row, whether all of these columns equal the row before."""
    first = next(iter(same.values()))
    return np.logical_and.reduce([same[name] for name in names]) if names else np.ones_like(first)


def _equal_to_previous(column: pa.ChunkedArray) -> BoolArray:
    """For each row, whether a column holds what it holds in the row before."""
    array = column.combine_chunks()
    array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_map(array.type):
        keys, values, lengths = map_parts(array)
        return _runs_equal(lengths, [_comparable(keys), _comparable(values)])
    if pa.types.is_list(array.type):
        lengths = pc.list_value_length(array).fill_null(0).to_numpy()
        return _runs_equal(lengths, [_comparable(array.flatten())])
    same = np.zeros(len(array), dtype=np.bool_)
    if pa.types.is_string(array.type):
        after, before = array.slice(1), array.slice(0, max(0, len(array) - 1))
        both = pc.or_kleene(pc.equal(after, before), pc.and_(after.is_null(), before.is_null()))
        same[1:] = both.fill_null(False).to_numpy(zero_copy_only=False)
    else:
        values = _comparable(array)
        same[1:] = values[1:] == values[:-1]
    return same


def _comparable(array: pa.Array) -> IntArray:
    """Numbers that are equal where the values are; NaN equals NaN, a missing value only itself."""
    if pa.types.is_string(array.type):
        codes = array.dictionary_encode().indices.fill_null(-1)
        return np.asarray(codes.to_numpy(zero_copy_only=False), dtype=np.int64)
    if pa.types.is_floating(array.type):
        bits = np.array(array.fill_null(np.nan).to_numpy(zero_copy_only=False), dtype=np.float64).view(np.int64)
        bits[np.asarray(array.is_null().to_numpy(zero_copy_only=False))] = np.int64(
            -1
        )  # a NaN that no arithmetic makes
        return bits
    # No column holds numbers below 0.
    return np.asarray((array.fill_null(-1) if array.null_count else array).to_numpy(zero_copy_only=False), np.int64)


def _runs_equal(lengths: np.ndarray, values: list[IntArray]) -> BoolArray:
    """For each row of a ragged column, whether its entries equal those of the row before."""
    same = np.zeros(lengths.size, dtype=np.bool_)
    same[1:] = lengths[1:] == lengths[:-1]
    row = np.repeat(np.arange(lengths.size), lengths)
    place = np.flatnonzero(same[row])  # entries that have a partner
    for entries in values:
        wrong = entries[place] != entries[place - lengths[row[place]]]
        same[row[place[wrong]]] = False
    return same


def of_highest_attempt(keys: Keys, top: Mapping[int, tuple[IntArray, NDArray[np.int16]]]) -> BoolArray:
    """Whether each row belongs to the highest attempt of a finished trial; `top` maps cells to trials and attempts."""
    keep = np.zeros(keys.cell.size, dtype=np.bool_)
    for cell, (trials, attempts) in top.items():
        mine = np.flatnonzero(keys.cell == cell)
        place = np.minimum(np.searchsorted(trials, keys.trial[mine]), trials.size - 1)
        keep[mine] = (trials[place] == keys.trial[mine]) & (attempts[place] == keys.attempt[mine])
    return keep
