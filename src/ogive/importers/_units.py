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
    by_fold = declared is not None and roles.fold is not None and declared in ("fold", roles.fold)
    unit: str | None
    question, notes = None, []
    if declared is not None and not by_fold:
        unit, group, n_folds = declared, _declared_group(declared, table, roles, params, cell), None
    else:
        unit, group, n_folds = _seen_unit(table, roles, cell)
        question = None if by_fold else _question(table, roles, cell, params)
    clustered = group is not None and n_folds is None and _repeats(cell, group)
    if clustered:
        refuse_gaps(group, unit)
        notes.append(f"unit: {unit!r}; rows that share it count once")
    if roles.fold is not None and n_folds is None:
        notes.append(_overruled_fold(roles, unit, clustered))
    pair, matched = _pairing(table, roles, cell, task)
    if pair is None and roles.pair is not None:
        notes.append(f"not paired: no value of {roles.pair!r} occurs in two methods of a task")
    if pair is not None:
        notes.append(f"paired by {pair!r}: {matched} of {table.num_rows} rows have a partner")
    return Units(unit, clustered, group, question, _trial_numbers(table, roles, cell), pair, n_folds, tuple(notes))


def _seen_unit(table: pa.Table, roles: Roles, cell: np.ndarray) -> tuple[str | None, pa.Array | None, int | None]:
    """Unit, group and folds by the columns; what was guessed is a unit only where rows share it."""
    group = None if roles.group is None else as_text(table[roles.group], roles.group)
    n_folds = None if roles.fold is None else len(table[roles.fold].unique())
    if group is not None and ("group" not in roles.guessed or _repeats(cell, group)):
        return roles.group, group, n_folds
    if n_folds is not None:
        return "fold", (group if roles.repeat is None else as_text(table[roles.repeat], roles.repeat)), n_folds
    if roles.item is not None:
        item = as_text(table[roles.item], roles.item)
        repeats = _repeats(cell, item)
        if repeats or "item" not in roles.guessed:
            return roles.item, item if repeats else group, None
    return None, group, None


def _overruled_fold(roles: Roles, unit: str | None, clustered: bool) -> str:
    """That a declared unit is taken instead of folds; refused where both were declared and folds would count as runs."""
    if "fold" not in roles.guessed and not clustered:
        raise InputError(
            f"`unit` {unit!r} takes every row for independent, but the rows are folds (`fold` {roles.fold!r}), which share "
            "training data; leave out one of the two."
        )
    return f"folds of {roles.fold!r} are not corrected for: unit= says what is independent"


def _declared_group(
    declared: str, table: pa.Table, roles: Roles, params: pa.Array | None, cell: np.ndarray
) -> pa.Array | None:
    if declared in EACH_ROW or (declared == roles.repeat and not _repeats(cell, table[declared])):
        return None
    column = (
        declared
        if declared in table.column_names
        else getattr(roles, declared, None)
        if declared in ("item", "group", "repeat")
        else None
    )
    if column is not None:
        return as_text(table[column], column)
    if declared in CONFIGURATION and params is not None:
        return params
    if declared in CONFIGURATION:
        raise InputError(f"`unit` {declared!r} needs the columns of the configuration; name them with params=.")
    raise InputError(
        f"`unit` must be 'row' or name a column; got {declared!r}. The columns are {', '.join(map(repr, table.column_names))}."
    )


def _question(table: pa.Table, roles: Roles, cell: np.ndarray, params: pa.Array | None) -> str | None:
    """Why rows may not be counted as independent, as a sentence with its ways out."""
    known = roles.group is not None and ("group" not in roles.guessed or _repeats(cell, table[roles.group]))
    if known and roles.fold is not None and "group" in roles.guessed:
        return (
            f"column {roles.group!r} repeats across the folds of {roles.fold!r}, so rows may belong together; "
            f"say unit='{roles.group}' to count each once, or unit='fold' if it names repeats of one cross-validation."
        )
    if known:
        return None
    # One configuration for all folds or items of a method is no search: there the folds or items vary.
    fixed = (roles.fold is not None or roles.item is not None) and not _varies(cell, params)
    if params is not None and not fixed and _repeats(cell, params):
        distinct = len(params.unique())
        return (
            f"{table.num_rows} rows share {distinct} configurations, so they are not independent; "
            "say unit='configuration' to count each once, or unit='row' if every row drew its own."
        )
    if roles.fold is not None or roles.item is not None:
        return None
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


def _varies(cell: np.ndarray, column: pa.Array | None) -> bool:
    """Whether a cell holds two different labels."""
    if column is None:
        return False
    found = np.unique(np.stack([cell, _codes(as_text(column))]), axis=1)
    return bool(np.unique(found[0]).size < found.shape[1])


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
