"""Several tables of Ogive's own as one, where what is known of them allows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.trials import Trials, compact, joined_series

# What must be the same for rows to stand in one table, in words.
SAME = {
    "definitions": "metrics", "unit": "the independent unit", "clustered": "whether rows share a unit",
    "varied": "what varied", "n_folds": "the folds",
}  # fmt: skip
NOT_PAIRED = Note(NoteKind.NOT_PAIRED_TABLES)


def joined(parts: Sequence[Trials]) -> Trials:
    """The rows of all parts; each method on each task may come from one part only."""
    first = parts[0]
    for other in parts[1:]:
        for name, words in SAME.items():
            if getattr(first, name) != getattr(other, name):
                raise InputError(f"{first.source} and {other.source} differ in {words}; judge them one by one.")
    shared = _shared_tasks(parts)
    if shared and first.clustered:
        raise InputError(f"several tables with runs that share a unit cannot be joined on one task, {shared[0]!r}.")
    pairs = {part.pair for part in parts}
    keeps_pairs = not shared and len(pairs) == 1
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    if not keeps_pairs and pairs != {None}:
        notes[NOT_PAIRED] = None
    holds = first.holds if all(part.holds == first.holds for part in parts) else None
    tables = [_plain(part.table) for part in parts]
    return replace(
        first, table=compact(pa.concat_tables(tables, promote_options="permissive")),
        pair=first.pair if keeps_pairs else None, independent=all(part.independent for part in parts),
        question=next((part.question for part in parts if part.question is not None), None), scope=_scopes(parts),
        looks=max(part.looks for part in parts), holds=holds, notes=tuple(notes), series_source=joined_series(parts),
        source=", ".join(part.source for part in parts),
    )  # fmt: skip


def _shared_tasks(parts: Sequence[Trials]) -> list[str]:
    """Tasks of several parts; refuses a method on a task that is in two of them."""
    found: dict[tuple[str, str], str] = {}
    tasks: dict[str, int] = {}
    for part in parts:
        for cell in part.cells:
            place = (cell.algorithm, cell.task)
            if place in found:
                raise InputError(
                    f"{cell.algorithm!r} on {cell.task!r} is in {found[place]} and in {part.source}; rows of two tables "
                    "are not one sample. Rename one of them, or read it alone."
                )
            found[place] = part.source
        for task in part.tasks:
            tasks[task] = tasks.get(task, 0) + 1
    return [task for task, n in tasks.items() if n > 1]


def _scopes(parts: Sequence[Trials]) -> str | Mapping[str, str] | None:
    found: dict[str, Any] = {}
    for part in parts:
        for task in part.tasks:
            if found.setdefault(task, part.scope_of(task)) != part.scope_of(task):
                raise InputError(f"the tables differ in what the rows of {task!r} stand for; judge them one by one.")
    different = set(found.values())
    return different.pop() if len(different) == 1 else {task: scope for task, scope in found.items() if scope}


def _plain(table: pa.Table) -> pa.Table:
    """Dictionaries as text: those of two tables have codes of their own."""
    return pa.table(
        {
            name: table[name].cast(pa.string()) if pa.types.is_dictionary(table[name].type) else table[name]
            for name in table.column_names
        }
    )
