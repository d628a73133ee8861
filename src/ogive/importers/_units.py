"""What one independent draw is: declared, seen in the columns, or asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError
from ogive.importers._columns import as_text
from ogive.importers._roles import Roles

EACH_ROW = ("row", "rows")
CONFIGURATION = ("configuration", "config", "params")


@dataclass(frozen=True, slots=True)
class Units:
    """How rows are counted, numbered and joined."""

    unit: str | None
    clustered: bool
    group: pa.Array | None
    question: str | None
    trial: np.ndarray
    pair: str | None
    n_folds: int | None
    notes: tuple[str, ...]


def find_units(
    table: pa.Table, roles: Roles, declared: str | None, algorithm: pa.Array, task: pa.Array, params: pa.Array | None
) -> Units:
    """The unit of each row, its trial number, and the key that joins methods."""
    cell = _codes(algorithm) * (int(_codes(task).max()) + 1) + _codes(task)
    n_folds = None if roles.fold is None else len(table[roles.fold].unique())
    group, unit, question, notes = None, declared, None, []
    if declared in EACH_ROW or (
        declared is not None and declared == roles.repeat and not _repeats(cell, table[declared])
    ):
        pass
    elif declared is not None:
        group = _declared_group(declared, table, roles, params)
    elif roles.group is not None:
        group, unit = as_text(table[roles.group]), roles.group
    elif roles.fold is not None:
        group, unit = (None if roles.repeat is None else as_text(table[roles.repeat])), "fold"
    elif roles.item is not None:
        unit = roles.item
        group = as_text(table[roles.item]) if _repeats(cell, table[roles.item]) else None
    else:
        question = _question(table, roles, cell, params)
        if question is None:
            notes.append(
                "unit: every row is taken for one independent run (nobody said so; declare it with unit='row')"
            )
    clustered = group is not None and n_folds is None and _repeats(cell, group)
    if clustered:
        refuse_gaps(group, unit)
        notes.append(f"unit: {unit!r}; rows that share it count once")
    pair, matched = _pairing(table, roles, cell, task)
    if pair is None and roles.pair is not None:
        notes.append(f"not paired: no value of {roles.pair!r} occurs in two methods of a task")
    if pair is not None:
        notes.append(f"paired by {pair!r}: {matched} of {table.num_rows} rows have a partner")
    return Units(unit, clustered, group, question, _trial_numbers(table, roles, cell), pair, n_folds, tuple(notes))


def _declared_group(declared: str, table: pa.Table, roles: Roles, params: pa.Array | None) -> pa.Array:
    column = (
        declared
        if declared in table.column_names
        else getattr(roles, declared, None)
        if declared in ("item", "group", "repeat")
        else None
    )
    if column is not None:
        return as_text(table[column])
    if declared in CONFIGURATION and params is not None:
        return params
    if declared in CONFIGURATION:
        raise InputError(f"`unit` {declared!r} needs the columns of the configuration; name them with params=.")
    raise InputError(
        f"`unit` must be 'row' or name a column; got {declared!r}. The columns are {', '.join(map(repr, table.column_names))}."
    )


def _question(table: pa.Table, roles: Roles, cell: np.ndarray, params: pa.Array | None) -> str | None:
    """Why rows may not be counted as independent, as a sentence with its ways out."""
    if params is not None and _repeats(cell, params):
        distinct = len(params.unique())
        return (
            f"{table.num_rows} rows share {distinct} configurations, so they are not independent; "
            "say unit='configuration' to count each once, or unit='row' if every row drew its own."
        )
    if roles.repeat is not None and _repeats(cell, table[roles.repeat]):
        return (
            f"column {roles.repeat!r} repeats within a method and task, so rows may belong together; "
            f"say unit='{roles.repeat}' to count each once, unit='row' if every row is an independent run, "
            "or name what tells them apart with item= or group=."
        )
    return None


def _pairing(table: pa.Table, roles: Roles, cell: np.ndarray, task: pa.Array) -> tuple[str | None, int]:
    """The joining column and how many rows have a partner in another method."""
    column = (
        roles.pair
        or roles.item
        or (roles.repeat if roles.repeat is not None and roles.repeat.lower() == "seed" else None)
    )
    if column is None or np.unique(cell).size < 2:
        return None, 0
    key = _codes(as_text(table[column])) * (int(_codes(task).max()) + 1) + _codes(task)
    pairs = np.unique(np.stack([key, cell]), axis=1)
    shared = np.bincount(pairs[0], minlength=int(key.max()) + 1) > 1
    matched = int(np.count_nonzero(shared[key]))
    return (column, matched) if matched else (None, 0)


def _trial_numbers(table: pa.Table, roles: Roles, cell: np.ndarray) -> np.ndarray:
    column = roles.pair or roles.repeat
    if column is None:
        order = np.argsort(cell, kind="stable")
        starts = np.flatnonzero(np.append(True, np.diff(cell[order]) != 0))
        within = np.arange(cell.size) - np.repeat(starts, np.diff(np.append(starts, cell.size)))
        out = np.empty(cell.size, dtype=np.int64)
        out[order] = within
        return out
    values = table[column].combine_chunks()
    if pa.types.is_integer(values.type) and values.null_count == 0:
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.int64)
    return _codes(as_text(values)).astype(np.int64)


def _repeats(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether a label occurs twice within a cell."""
    codes = _codes(as_text(column))
    key = cell.astype(np.int64) * (int(codes.max()) + 1) + codes
    return bool(np.unique(key).size < key.size)


def _codes(values: pa.Array) -> np.ndarray:
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def refuse_gaps(group: pa.Array | pa.ChunkedArray, unit: str | None) -> None:
    """Rows that belong to no unit cannot be counted."""
    gaps = int(pc.sum(pc.equal(pc.fill_null(group, ""), "")).as_py())
    if gaps:
        raise InputError(
            f"`unit`: {unit!r} is empty in {gaps} of {len(group)} rows, which then belong to no unit; fill it, or say unit='row'."
        )
