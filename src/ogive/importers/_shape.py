"""The shape of a table: objects become columns, and columns that are methods go under each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.importers._columns import as_text, holds_text, is_number, numbers_and_note, seems_numbers
from ogive.importers._roles import (
    ALIASES,
    COST_NAMES,
    NUMBERS_OR_STEPS,
    PARAM_PREFIXES,
    SCORE_NAMES,
    STEPS,
    is_row_number,
    plain,
)
from ogive.importers._where import as_conditions, condition_columns, kept_rows
from ogive.notes import Note, NoteKind
from ogive.words import quoted

# Columns of these roles say something about a whole row, and are no methods.
OF_ROWS = ("task", "repeat", "fold", "item", "group", "status")
ROLE_NAMES = {name for names in (*ALIASES.values(), *COST_NAMES.values()) for name in names}


def unnested(table: pa.Table, named: Collection[str], kept: Collection[str]) -> pa.Table:
    """A table whose objects of scores are columns such as `metrics.acc`; other objects and lists are text.

    Objects become columns where one of theirs is `named`, or where no plain column could be the score. What is
    `kept` stays as it is: configurations; and what is called a score, which is refused by its type.
    """
    said = (*named, *kept)
    objects = [f.name for f in table.schema if pa.types.is_struct(f.type) and _is_free(f.name, said)]
    asked = any(name.startswith(f"{c}.") for name in said for c in objects if name not in table.column_names)
    if asked or not any(is_number(f.type) and _is_free(f.name, said) for f in table.schema):
        for name in objects:
            table = _flattened(table, name)
    for i, field in enumerate(table.schema):
        stays = field.name in kept or plain(field.name) in SCORE_NAMES or _is_param(field.name)
        if pa.types.is_nested(field.type) and not stays:
            table = table.set_column(i, field.name, as_text(table.column(i), field.name))
    return table


def _is_free(name: str, said: Collection[str]) -> bool:
    """Whether nobody has named a column, neither the caller nor the words for roles."""
    taken = name in said or plain(name) in ROLE_NAMES
    return not taken and not _is_param(name) and not is_row_number(name)


def _is_param(name: str) -> bool:
    return name == "params" or name.lower().startswith(PARAM_PREFIXES)


def _flattened(table: pa.Table, name: str) -> pa.Table:
    """The fields of an object as columns in its place, those of inner objects too."""
    place = table.column_names.index(name)
    column = table[name]
    inner = [f"{name}.{field.name}" for field in column.type]
    if set(inner) & set(table.column_names) or len(set(inner)) < len(inner):
        return table
    table = table.remove_column(place)
    for offset, (field, values) in enumerate(zip(inner, column.flatten(), strict=True)):
        table = table.add_column(place + offset, field, values)
    for field in inner:
        if pa.types.is_struct(table.schema.field(field).type):
            table = _flattened(table, field)
    return table


def without_conditions(
    table: pa.Table, columns: Sequence[str], declared: Mapping[str, str | None], methods: Sequence[str] | None
) -> tuple[pa.Table, list[Note]]:
    """A wide table without the columns by which its rows were chosen, which are no methods; and which still vary.

    A column that has a role keeps it, and so does text that names the rows where nothing else does.
    """
    words = {*STEPS, *NUMBERS_OR_STEPS, *(word for role in OF_ROWS for word in ALIASES[role])}
    kept = {c for c in table.column_names if c in declared.values() or c in (methods or ()) or plain(c) in words}
    chosen = [c for c in columns if c not in kept]
    named = declared.get("task") is not None or any(
        plain(c) in ALIASES["task"] or (holds_text(table[c]) and c not in kept and not seems_numbers(table[c]))
        for c in table.column_names
        if c not in chosen
    )
    varied = [c for c in chosen if len(table[c].unique()) > 1]
    naming = [] if named else [c for c in varied if holds_text(table[c]) and not seems_numbers(table[c])][:1]
    dropped = [c for c in chosen if c not in naming]
    unused = [c for c in varied if c in dropped]
    return table.drop_columns(dropped), [Note(NoteKind.NOT_USED, values={"columns": unused})] if unused else []


def rows_where(table: pa.Table, where: Any, *, task: str | None, wide: bool) -> tuple[list[int], list[str], list[Note]]:
    """The numbers of the rows that are asked for, the columns that a wide table keeps, and what should be said."""
    conditions = as_conditions(where)
    chosen = condition_columns(table.column_names, conditions)
    kept, notes = kept_rows(table.append_column("\0row", pa.array(range(table.num_rows))), conditions)
    rows, kept = kept["\0row"].to_pylist(), kept.drop_columns(["\0row"])
    if not wide:
        return rows, table.column_names, notes
    left, unused = without_conditions(kept, chosen, {"task": task}, None)
    return rows, left.column_names, [*notes, *unused]


def unpivot(
    table: pa.Table, declared: Mapping[str, str | None], columns: Sequence[str] | None
) -> tuple[pa.Table, list[Note]]:
    """A long table from a wide one; and which columns are not used, and how numbers are written."""
    kept = [c for c in declared.values() if c is not None]
    for name in [*kept, *(columns or ())]:
        if name not in table.column_names:
            raise InputError(f"there is no column {name!r}; the columns are {quoted(table.column_names)}.")
    free = [c for c in table.column_names if c not in kept and c not in (columns or ())]
    words = {*STEPS, *NUMBERS_OR_STEPS, *(word for role in OF_ROWS for word in ALIASES[role])}
    kept += [c for c in free if plain(c) in words]
    text = [c for c in free if holds_text(table[c]) and c not in kept]
    naming = next((c for c in text if not seems_numbers(table[c])), None)
    if declared.get("task") is None and naming is not None and not any(plain(c) in ALIASES["task"] for c in kept):
        # Text that nobody declared names the task: problems down, methods across.
        table = table.rename_columns(["task" if c == naming else c for c in table.column_names])
        kept.append("task")
        text.remove(naming)
    rest = [c for c in table.column_names if c not in kept]
    methods = list(columns) if columns else [c for c in rest if c in text or not is_row_number(c)]
    if not [m for m in methods if m not in text]:
        raise UnreadableSource("a wide table needs at least one column of numbers; each is a method.")
    index = [c for c in kept if c not in methods]
    parts, notes = [], []
    for method in methods:
        scores, written = numbers_and_note(table[method], method)
        names = {"algorithm": pa.array([method] * table.num_rows), "score": pa.array(scores)}
        parts.append(pa.table({**{c: table[c] for c in index}, **names}))
        notes += [] if written is None else [written]
    dropped = [c for c in rest if c not in methods]
    notes += [Note(NoteKind.NOT_USED, values={"columns": dropped})] if dropped else []
    return pa.concat_tables(parts), notes
