"""A table that Ogive wrote, its columns checked before anything trusts them."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import UnreadableSource
from ogive.files import is_text
from ogive.importers._columns import is_number
from ogive.schema import LEADING, RESERVED, TRAILING
from ogive.trials import Trials
from ogive.words import spreadsheet_decoded

TEXT = ("algorithm", "task", "status")
PERHAPS_TEXT = ("item", "group", "message", "params")
NUMBERS = ("wall_s", "cpu_s")


def from_written(table: pa.Table, source: str) -> Trials:
    """What `Trials.write` wrote to Parquet; refused where another program changed its columns."""
    trials = Trials.from_parquet_table(table, source)
    missing = [c for c in (*RESERVED, *trials.definitions) if c not in table.column_names]
    if missing:
        raise UnreadableSource(f"{source} says that Ogive wrote it, but has no column {missing[0]!r}; write it again.")
    if not trials.definitions:
        raise UnreadableSource(f"{source} says that Ogive wrote it, but names no score; write it again.")
    for name in (*TEXT, *PERHAPS_TEXT):
        kind = table.schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        empty = name in PERHAPS_TEXT and pa.types.is_null(kind)
        _require(is_text(kind) or empty, f"{name!r} holds {kind}, not text", source)
    _require(pa.types.is_integer(table.schema.field("trial").type), "'trial' does not hold whole numbers", source)
    for name in (*trials.metrics, *NUMBERS):
        kind = table.schema.field(name).type
        _require(is_number(kind) or pa.types.is_null(kind), f"{name!r} holds {kind}, not numbers", source)
    for name in (*TEXT, "trial"):
        empty = sum(v is None for v in table[name].to_pylist()) if table[name].null_count else 0
        _require(not empty, f"{name!r} is empty in {empty} of {len(trials)} rows", source)
    return trials


def is_written_csv(columns: Sequence[str]) -> bool:
    """Whether a header is that of a CSV that `Trials.write` wrote."""
    n, m = len(LEADING), len(TRAILING)
    return len(columns) > n + m and tuple(columns[:n]) == LEADING and tuple(columns[-m:]) == TRAILING


def decoded(table: pa.Table) -> pa.Table:
    """The table of such a CSV with its names as they were before they were made safe for spreadsheets."""
    columns = []
    for column in table.columns:
        if is_text(column.type) and pc.any(pc.starts_with(column, "'")).as_py():
            values = [None if text is None else spreadsheet_decoded(text) for text in column.to_pylist()]
            column = pa.chunked_array([pa.array(values, column.type)])
        columns.append(column)
    return pa.table(columns, names=[spreadsheet_decoded(name) for name in table.column_names])


def _require(fine: bool, seen: str, source: str) -> None:
    if not fine:
        raise UnreadableSource(
            f"{source} says that Ogive wrote it, but its column {seen}; write it again, or export it to CSV to read it as a plain table."
        )
