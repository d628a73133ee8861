"""Which rows count: the highest attempt of each trial, one of each duplicate, in one order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.notes import Note, NoteKind
from ogive.schema import STATUSES
from ogive.store._metrics import project
from ogive.store._schemas import CONTENT, STANDING, WITHIN, map_parts

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
    encoded = pc.dictionary_encode(column).unify_dictionaries()
    if not encoded.num_chunks:
        return np.empty(0, dtype=np.int64), max(1, len(names))
    found = encoded.chunk(0).dictionary.to_pylist()
    known = set(names)
    place = {name: i for i, name in enumerate([*names, *sorted(set(found) - known)])}
    lookup = np.array([*(place[name] for name in found), -1], dtype=np.int64)
    codes = np.concatenate([c.indices.fill_null(-1).to_numpy(zero_copy_only=False) for c in encoded.chunks])
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
    rows = rows[_highest(keys, rows)]
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


def _highest(keys: Keys, rows: IntArray) -> BoolArray:
    """Whether each of these rows, highest attempts first, is of the highest attempt of its trial."""
    cell, trial, attempt = keys.cell[rows], keys.trial[rows], keys.attempt[rows]
    start = np.ones(rows.size, dtype=np.bool_)
    start[1:] = (cell[1:] != cell[:-1]) | (trial[1:] != trial[:-1])
    return np.asarray(attempt == attempt[start][np.cumsum(start) - 1])


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
