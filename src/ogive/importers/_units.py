"""What one independent draw is: declared, seen in the columns, or asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError
from ogive.importers._columns import as_text, holds_text
from ogive.importers._curves import refuse_curves
from ogive.importers._roles import Roles
from ogive.importers._splits import few_valued, find_split
from ogive.importers._within import (
    balance_by_chance,
    codes,
    holds_folds,
    in_blocks,
    is_identifier,
    label_counts,
    repeats,
    shared,
    usual,
    varies,
)
from ogive.notes import Note, NoteKind

EACH_ROW = ("row", "rows")
CONFIGURATION = ("configuration", "config", "params")
RARE = 1e-3


@dataclass(frozen=True, slots=True)
class Units:
    """How rows are counted, numbered and joined."""

    unit: str | None
    clustered: bool
    group: pa.Array | None
    question: Note | None
    trial: np.ndarray
    pair: str | None
    n_folds: int | None
    varied: tuple[str, ...]
    notes: tuple[Note, ...]


def find_units(
    table: pa.Table,
    roles: Roles,
    declared: str | None,
    algorithm: pa.Array,
    task: pa.Array,
    params: pa.Array | None,
    *,
    scores: np.ndarray,
    varied: tuple[str, ...] = (),
) -> Units:
    """The unit of each row, its trial number, and the key that joins methods; `varied` is what the caller said of it."""
    cell = codes(algorithm) * (int(codes(task).max()) + 1) + codes(task)
    by_fold = declared is not None and roles.fold is not None and declared in ("fold", roles.fold)
    unit: str | None
    question: Note | None = None
    notes: list[Note] = []
    roles = _without_seeds_of_folds(table, roles, cell, notes)
    if by_fold and roles.repeat is None and roles.group is not None and "group" in roles.guessed:
        roles = replace(roles, repeat=roles.group, group=None)  # it names repeats of one cross-validation
    refuse_curves(table, roles, cell, scores, declared)
    if declared is not None and not by_fold:
        unit, group, n_folds = declared, _declared_group(declared, table, roles, params, cell), None
    else:
        unit, group, n_folds = _seen_unit(table, roles, cell)
        question = _question(table, roles, cell, params, varied, by_fold=by_fold)
    clustered = group is not None and n_folds is None and repeats(cell, group)
    if clustered:
        refuse_gaps(group, unit)
        notes.append(Note(NoteKind.SHARED_UNIT, "unit", {"unit": unit}))
    if roles.fold is not None and n_folds is None:
        notes.append(_overruled_fold(roles, unit, clustered))
    pair, matched = _pairing(table, roles, cell, task)
    if pair is None and roles.pair is not None:
        notes.append(Note(NoteKind.NOT_PAIRED, "pair", {"column": roles.pair}))
    if pair is not None:
        found = {"column": pair, "guessed": roles.pair is None, "matched": matched, "of_rows": table.num_rows}
        notes.append(Note(NoteKind.PAIRED, "pair", found))
    differed = _varied(table, roles, unit, cell, params)
    if clustered and unit == roles.item and roles.repeat is not None and varies(cell, table[roles.repeat]):
        differed = tuple(word for word in differed if word != "seed")
        notes.append(Note(NoteKind.HELD, "unit", {"unit": unit, "repeat": roles.repeat}))
    numbers = _trial_numbers(table, roles, cell)
    return Units(unit, clustered, group, question, numbers, pair, n_folds, differed, tuple(notes))


def _without_seeds_of_folds(table: pa.Table, roles: Roles, cell: np.ndarray, notes: list[Note]) -> Roles:
    """A seed of its own for every fold numbers no repeat: as one it made two folds of ten, and joined nothing."""
    if roles.fold is None or roles.repeat is None or holds_folds(cell, table[roles.repeat], table[roles.fold]):
        return roles
    if not is_identifier(cell, table[roles.fold]):
        return roles  # folds stand several times, and this column may be what tells them apart
    notes.append(Note(NoteKind.SEED_OF_FOLD, "repeat", {"column": roles.repeat}))
    return replace(roles, repeat=None)


def _seen_unit(table: pa.Table, roles: Roles, cell: np.ndarray) -> tuple[str | None, pa.Array | None, int | None]:
    """Unit, group and folds by the columns; what was guessed is a unit only where rows share it."""
    group = None if roles.group is None else as_text(table[roles.group], roles.group)
    n_folds = None if roles.fold is None else _count_folds(table, roles, cell)
    if group is not None and ("group" not in roles.guessed or repeats(cell, group)):
        return roles.group, group, n_folds
    if n_folds is not None:
        return "fold", (group if roles.repeat is None else as_text(table[roles.repeat], roles.repeat)), n_folds
    if roles.item is not None:
        item = as_text(table[roles.item], roles.item)
        again = repeats(cell, item)
        if again or "item" not in roles.guessed:
            return roles.item, item if again else group, None
    return None, group, None


def _count_folds(table: pa.Table, roles: Roles, cell: np.ndarray) -> int:
    """Folds of one cross-validation: of the usual cell, since a short one lost some; of several usual the fewest,
    which share more rows.

    Repeated cross-validations may number their folds on, so folds count within a repeat.
    """
    if roles.repeat is None:
        return max(2, usual(label_counts(cell, table[roles.fold])))
    number = codes(table[roles.repeat])
    span = int(number.max()) + 1
    whole = np.unique(cell * span + number, return_inverse=True)
    held = label_counts(whole[1], table[roles.fold])
    most = np.zeros(int(cell.max()) + 1, dtype=np.int64)
    np.maximum.at(most, whole[0] // span, held)
    k = usual(most[np.unique(cell)])
    # A label that holds one fold numbers no repeat, though it may join the methods.
    return k if k > 1 else max(2, usual(label_counts(cell, table[roles.fold])))


def _varied(
    table: pa.Table, roles: Roles, unit: str | None, cell: np.ndarray, params: pa.Array | None
) -> tuple[str, ...]:
    """What differs between the runs of a method on a task, as far as the columns say so."""
    found = ["configuration"] if varies(cell, params) else []
    if roles.fold is not None:
        found.append("fold")
    if any(
        name is not None and name.lower() == "seed" and varies(cell, table[name]) for name in (roles.repeat, roles.pair)
    ):
        found.append("seed")
    if unit not in found and roles.item is not None:
        found.append(roles.item)
    return tuple(found)


def _overruled_fold(roles: Roles, unit: str | None, clustered: bool) -> Note:
    """That a declared unit is taken instead of folds; refused where both were declared and folds would count as runs."""
    if "fold" not in roles.guessed and not clustered:
        raise InputError(
            f"`unit` {unit!r} takes every row for independent, but the rows are folds (`fold` {roles.fold!r}), which share "
            "training data; leave out one of the two."
        )
    return Note(NoteKind.FOLDS_OVERRULED, "unit", {"column": roles.fold})


def _declared_group(
    declared: str, table: pa.Table, roles: Roles, params: pa.Array | None, cell: np.ndarray
) -> pa.Array | None:
    if declared in EACH_ROW or (declared == roles.repeat and not repeats(cell, table[declared])):
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


def _question(
    table: pa.Table,
    roles: Roles,
    cell: np.ndarray,
    params: pa.Array | None,
    varied: tuple[str, ...],
    *,
    by_fold: bool,
) -> Note | None:
    """Why rows may not be counted as independent, to be answered."""
    known = roles.group is not None and ("group" not in roles.guessed or repeats(cell, table[roles.group]))
    split = None if known and roles.group in varied else find_split(table, roles, cell, varied)
    if split is not None or by_fold:
        return split
    if known and roles.fold is not None and "group" in roles.guessed:
        return Note(NoteKind.ASKS_GROUP, "unit", {"column": roles.group, "fold": roles.fold})
    if known:
        return None
    if params is not None and shared(cell, params):
        counts = {"n": table.num_rows, "n_configurations": len(params.unique()), "fold": roles.fold}
        return Note(NoteKind.ASKS_CONFIGURATION, "unit", counts)
    if roles.fold is not None or roles.item is not None:
        return None
    if roles.repeat is not None:
        return _question_of_repeat(table, roles, cell)
    return None if roles.params else _question_of_unused(table, roles, cell)


def _question_of_repeat(table: pa.Table, roles: Roles, cell: np.ndarray) -> Note | None:
    if roles.repeat is None or not repeats(cell, table[roles.repeat]):
        return None
    apart = [
        name for name in few_valued(table, roles.unused) if repeats(cell, table[name]) and varies(cell, table[name])
    ]
    return Note(NoteKind.ASKS_REPEAT, "unit", {"column": roles.repeat, "apart": apart[0] if apart else None})


def _question_of_unused(table: pa.Table, roles: Roles, cell: np.ndarray) -> Note | None:
    """Columns that nobody gave a role, and by which rows belong to several methods, or together.

    Only what chance would hardly make is asked about, and nothing where a column tells the rows apart.
    """
    if any(is_identifier(cell, table[name]) for name in roles.unused if not pa.types.is_nested(table[name].type)):
        return None
    names = few_valued(table, roles.unused)
    for name in names:
        planned = balance_by_chance(cell, table[name]) < RARE / len(names)
        if roles.algorithm is None and holds_text(table[name]) and (planned or in_blocks(table[name])):
            return Note(NoteKind.ASKS_METHOD, "algorithm", {"column": name})
        if planned:
            return Note(NoteKind.ASKS_PLANNED, "unit", {"column": name, "joins": _joins(table, roles, name)})
    return None


def _joins(table: pa.Table, roles: Roles, name: str) -> bool:
    """Whether every label of a column stands under several methods, so that all may have been given the same thing."""
    if roles.algorithm is None:
        return False
    found = np.unique(np.stack([codes(table[name]), codes(table[roles.algorithm])]), axis=1)
    return bool((np.unique(found[0], return_counts=True)[1] > 1).all())


def _pairing(table: pa.Table, roles: Roles, cell: np.ndarray, task: pa.Array) -> tuple[str | None, int]:
    """The joining column and how many rows have a partner in another method.

    Items and folds are the same thing for every method. Equal seeds of two methods rarely mean equal draws:
    they join only where they are asked to.
    """
    column = roles.pair or roles.item or roles.fold
    if column is None or np.unique(cell).size < 2:
        return None, 0
    labels = as_text(table[column])
    draw = _splits(table, roles) if column == roles.fold else codes(labels)
    if column == roles.fold and roles.pair is None and not _once(cell, draw):
        return None, 0  # rows would be joined by their places in the file
    key = draw * (int(codes(task).max()) + 1) + codes(task)
    pairs = np.unique(np.stack([key, cell]), axis=1)
    in_several = np.bincount(pairs[0], minlength=int(key.max()) + 1) > 1
    said = np.asarray(pc.not_equal(pc.fill_null(labels, ""), "").to_numpy(zero_copy_only=False), dtype=bool)
    matched = int(np.count_nonzero(in_several[key] & said))
    return (column, matched) if matched else (None, 0)


def _splits(table: pa.Table, roles: Roles) -> np.ndarray:
    """A number for each fold of each repeat, by their names: the same in another table of the same splits."""
    names = [
        as_text(table[name]).to_numpy(zero_copy_only=False).astype(str)
        for name in (roles.fold, roles.repeat)
        if name is not None
    ]
    fold, *repeat = (np.unique(labels, return_inverse=True)[1] for labels in names)
    return np.asarray(fold if not repeat else repeat[0] * (int(fold.max()) + 1) + fold)


def _once(cell: np.ndarray, draw: np.ndarray) -> bool:
    """Whether no draw stands twice in a cell."""
    return int(np.unique(np.stack([cell, draw]), axis=1).shape[1]) == cell.size


def _trial_numbers(table: pa.Table, roles: Roles, cell: np.ndarray) -> np.ndarray:
    if roles.pair in (None, roles.fold) and roles.fold is not None and roles.item is None:
        splits = _splits(table, roles)
        # A number that stands several times in a cell joins nothing: rows are numbered through instead. Where repeats
        # are numbered, rows of one fold of one repeat share their data, and their number says so.
        if roles.repeat is not None or _once(cell, splits):
            return splits
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
    labels = as_text(values)
    numbers = codes(labels)
    # Rows that name no draw share none: each gets a number of its own.
    unnamed = np.asarray(pc.equal(pc.fill_null(labels, ""), "").to_numpy(zero_copy_only=False), dtype=bool)
    numbers[unnamed] = numbers.max() + 1 + np.arange(np.count_nonzero(unnamed))
    return numbers


def refuse_gaps(group: pa.Array | pa.ChunkedArray, unit: str | None) -> None:
    """Rows that belong to no unit cannot be counted."""
    gaps = int(pc.sum(pc.equal(pc.fill_null(group, ""), "")).as_py())
    if gaps:
        raise InputError(
            f"`unit`: {unit!r} is empty in {gaps} of {len(group)} rows, which then belong to no unit; fill it, or say unit='row'."
        )
