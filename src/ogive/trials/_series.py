"""Curves that trials returned beside their scores, `ogive.algorithms.Series`: which belong to the rows of a table, and how a file keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.arguments import FloatArray, IntArray

if TYPE_CHECKING:
    from ogive.trials._trials import Trials

# Rows (algorithm, task, trial, name, values), or what reads them when somebody asks: those of learning curves may be large.
SeriesSource: TypeAlias = pa.Table | Callable[[], pa.Table]

SERIES = pa.schema([
    ("algorithm", pa.string()), ("task", pa.string()), ("trial", pa.int64()), ("name", pa.string()),
    ("values", pa.list_(pa.float64())),
])  # fmt: skip
_NAMED = pa.list_(pa.struct([SERIES.field("name"), SERIES.field("values")]))


def series_of(trials: Trials, source: SeriesSource | None) -> pa.Table:
    """The series of those trials that are in the table; a store may hold more by now, and another part of a table others."""
    if source is None:
        return SERIES.empty_table()
    table = (source() if callable(source) else source).select(SERIES.names)
    known = np.unique(trials.table["trial"].chunk(0).to_numpy())
    own = _keys(
        trials, trials.codes("algorithm"), trials.codes("task"), trials.table["trial"].chunk(0).to_numpy(), known
    )
    places = [
        pc.fill_null(pc.index_in(table[what], pa.array(names, pa.string())), -1).to_numpy().astype(np.intp)
        for what, names in (("algorithm", trials.algorithms), ("task", trials.tasks))
    ]
    theirs = _keys(trials, places[0], places[1], table["trial"].to_numpy(), known)
    return table.filter(pa.array((theirs >= 0) & np.isin(theirs, own))).combine_chunks()


def _keys(trials: Trials, algorithm: IntArray, task: IntArray, trial: IntArray, known: IntArray) -> IntArray:
    """One number for each method, task and trial; -1 for what the table does not hold."""
    place = np.minimum(np.searchsorted(known, trial), known.size - 1)
    keys = (algorithm * len(trials.tasks) + task) * known.size + place
    return np.where((algorithm >= 0) & (task >= 0) & (known[place] == trial), keys, -1)


def arrays(column: pa.ChunkedArray) -> list[FloatArray]:
    """The values of each series; NaN where one was no finite number."""
    out: list[FloatArray] = []
    for chunk in column.chunks:
        flat = np.array(chunk.flatten().fill_null(np.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
        ends = np.cumsum(pc.list_value_length(chunk).fill_null(0).to_numpy())
        out += np.split(flat, ends[:-1]) if len(chunk) else []
    return out


def joined_series(parts: Sequence[Trials]) -> SeriesSource | None:
    """The series of several tables, read when somebody asks."""
    having = [part for part in parts if part.series_source is not None]
    return partial(_concatenated, having) if having else None


def _concatenated(parts: Sequence[Trials]) -> pa.Table:
    # Each gives those of its own rows: two selections of one table share their source.
    return pa.concat_tables([part.series_table for part in parts])


def as_column(trials: Trials) -> pa.Array | None:
    """For each row of a table its series by name, for a file of one table; None where there are none."""
    table = trials.series_table
    if not table.num_rows:
        return None
    named: dict[tuple[str, str, int], list[dict[str, object]]] = {}
    for row in table.to_pylist():
        held = {"name": row["name"], "values": row["values"]}
        named.setdefault((row["algorithm"], row["task"], row["trial"]), []).append(held)
    keys = trials.table.select(["algorithm", "task", "trial"]).to_pylist()
    # Of several rows of a trial, as for items, the first keeps them.
    return pa.array([named.pop((key["algorithm"], key["task"], key["trial"]), None) for key in keys], _NAMED)


def from_column(table: pa.Table, column: str) -> pa.Table:
    """What `as_column` made of the series, from the table that it stood in."""
    rows = [
        {"algorithm": a, "task": t, "trial": i, "name": one["name"], "values": one["values"]}
        for a, t, i, named in zip(
            *(table[c].to_pylist() for c in SERIES.names[:3]), table[column].to_pylist(), strict=True
        )
        for one in named or ()
    ]
    return pa.Table.from_pylist(rows, SERIES)
