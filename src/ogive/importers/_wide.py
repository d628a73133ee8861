"""A wide table, whose columns of numbers are methods, becomes a long one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.importers._columns import holds_text, numbers_and_note, seems_numbers
from ogive.importers._roles import ALIASES, NUMBERS_OR_STEPS, STEPS, is_row_number, plain
from ogive.notes import Note, NoteKind
from ogive.words import quoted

# Columns of these roles say something about a whole row, and are no methods.
OF_ROWS = ("task", "repeat", "fold", "item", "group", "status")


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
