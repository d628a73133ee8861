"""Rows of `series` whose values stay in their parts and are read when asked for.

Opening reads every part once, a row group at a time, and checks it as any reader does; kept are the keys of the
rows, where each is, and three facts of its values. What is read later is covered by the checksums of pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ogive.errors import StoreDamaged, StoreError
from ogive.store._parts import Part
from ogive.store._schemas import SCHEMAS

KEYS = ("algorithm", "task", "trial", "attempt", "name")
_SAID = [*((name, pa.int64()) for name in ("group", "row", "length", "known")), ("largest", pa.float64())]
SCHEMA = pa.schema([*(SCHEMAS["series"].field(name) for name in KEYS), *_SAID])


def look_through(part: Part) -> pa.Table:
    """Keys, places and facts of the rows of a part, all of which is verified on the way."""
    found = [_facts(table, group) for group, table in enumerate(part.stream())]
    return pa.concat_tables(found) if found else SCHEMA.empty_table()


def _facts(table: pa.Table, group: int) -> pa.Table:
    lengths = np.asarray(pc.list_value_length(table["values"]).fill_null(0).to_numpy(), dtype=np.int64)
    known, largest = np.zeros(table.num_rows, dtype=np.int64), np.full(table.num_rows, np.nan)
    held = np.flatnonzero(lengths)
    if held.size:
        flat = _flat(table["values"])
        starts = np.concatenate([[0], np.cumsum(lengths[held])[:-1]])
        known[held] = np.add.reduceat(~np.isnan(flat), starts, dtype=np.int64)
        largest[held] = np.fmax.reduceat(flat, starts)
    said = {
        "group": np.full(table.num_rows, group),
        "row": np.arange(table.num_rows),
        "length": lengths,
        "known": known,
        "largest": largest,
    }
    return pa.table({**{name: table[name] for name in KEYS}, **said}, schema=SCHEMA)  # fmt: skip


def _flat(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """All values one after the other; NaN where missing."""
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    return np.asarray(np.concatenate(parts) if parts else np.empty(0), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class StoredSeries:
    """Rows of `series` that count, in the order of `Store.table("series")`, without their values.

    Attributes
    ----------
    table : pyarrow.Table
        Columns algorithm, task, trial, attempt, name; group and row, where the values are within their part; and
        of the values how many there are, how many are known (not missing), and the largest.
    part : array
        In which part each row is.
    paths : tuple of Path
    """

    table: pa.Table
    part: NDArray[np.int32]
    paths: tuple[Path, ...]

    def values(self, rows: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of these rows, [row, place]: all must have as many; NaN where missing."""
        rows = np.asarray(rows, dtype=np.int64)
        part, group, row, lengths = (
            self.part[rows], *(np.asarray(self.table[name].to_numpy())[rows] for name in ("group", "row", "length"))
        )  # fmt: skip
        if rows.size and lengths.min() != lengths.max():
            raise StoreError(f"series of one length were asked for; got from {lengths.min()} to {lengths.max()}.")
        out = np.empty((rows.size, int(lengths[0]) if rows.size else 0))
        for number in np.unique(part).tolist():
            mine = np.flatnonzero(part == number)
            path = self.paths[number]
            try:
                with pq.ParquetFile(path, page_checksum_verification=True, pre_buffer=False) as file:
                    for each in np.unique(group[mine]).tolist():
                        some = mine[group[mine] == each]
                        column = file.read_row_group(each, columns=["values"])["values"].combine_chunks()
                        chosen = column.take(pa.array(row[some]))
                        out[some] = _flat(pa.chunked_array([chosen])).reshape(some.size, -1)
            except FileNotFoundError:
                raise
            except (OSError, pa.ArrowException, ValueError) as error:
                raise StoreDamaged(
                    f"{path} changed after it was opened ({' '.join(str(error).split())[:120]})."
                ) from None
        return out
