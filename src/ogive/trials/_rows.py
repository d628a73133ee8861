"""Rows and names of a table: what stands together, and which is meant."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from ogive.arguments import IntArray
from ogive.errors import InputError
from ogive.words import quoted


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The rows of one algorithm on one task."""

    algorithm: str
    task: str
    rows: IntArray


def compact(table: pa.Table) -> pa.Table:
    """One chunk for each column; names and statuses, which are few, dictionary-encoded in order of appearance."""
    columns: dict[str, pa.Array] = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], type=column.type)
        if name in ("algorithm", "task", "status"):
            column = (column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column).dictionary_encode()
        columns[name] = column
    return pa.table(columns)


def the_one(what: str, name: str | None, names: tuple[str, ...]) -> str:
    """That name, where it is one of these; the only one where None."""
    if name is None:
        if len(names) == 1:
            return names[0]
        raise InputError(f"`{what}` must be named, since there are {len(names)}: {quoted(names)}.")
    if name not in names:
        raise InputError(f"`{what}` {name!r} is not in the table; there are {quoted(names)}.")
    return name
