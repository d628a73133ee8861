"""The content of a column as one number, the same however the column is cut into pieces.

Page checksums cover the pages of a Parquet file, but not page headers and not the footer. The
digest of what was meant covers the way from the file to the array.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.canonical import canonical, digest
from ogive.store._schemas import map_parts


class ColumnDigest:
    """SHA-256 over null positions, lengths and values of a column, each in a stream of its own.

    Streams of their own make the digest independent of the cuts between chunks. Values under a
    null count as zero or empty, numbers are little-endian, floats keep their bits.
    """

    def __init__(self) -> None:
        self._streams: dict[str, Any] = {}
        self._rows: dict[str, int] = {}

    def update(self, column: pa.ChunkedArray) -> None:
        """Add the next rows."""
        for chunk in column.chunks:
            self._feed(chunk, "")

    def hexdigest(self) -> str:
        """The digest of all rows so far, its first 128 bits: against accidents, and short in every footer."""
        return digest(canonical([[name, self._streams[name].hexdigest()] for name in sorted(self._streams)]))[:32]

    def _feed(self, array: pa.Array, path: str) -> None:
        start = self._rows.get(path, 0)
        self._rows[path] = start + len(array)
        nulls = array.null_count
        self._add(f"{path}.nulls", _null_positions(array, start) if nulls else np.empty(0, dtype="<i8"))
        if pa.types.is_map(array.type):
            keys, values, lengths = map_parts(array)
            self._add(f"{path}.lengths", lengths.astype("<i4", copy=False))
            self._feed(keys, f"{path}.key")
            self._feed(values, f"{path}.value")
        elif pa.types.is_list(array.type):
            self._add(f"{path}.lengths", pc.list_value_length(array).fill_null(0).to_numpy().astype("<i4", copy=False))
            self._feed(array.flatten(), f"{path}.value")
        elif pa.types.is_string(array.type):
            lengths, text = _text(array.fill_null("") if nulls else array)
            self._add(f"{path}.lengths", lengths)
            self._add(f"{path}.text", text)
        else:
            values = (array.fill_null(0) if nulls else array).to_numpy(zero_copy_only=False)
            self._add(f"{path}.values", values.astype(values.dtype.newbyteorder("<"), copy=False))

    def _add(self, stream: str, values: np.ndarray) -> None:
        self._streams.setdefault(stream, hashlib.sha256()).update(np.ascontiguousarray(values))


def _null_positions(array: pa.Array, start: int) -> np.ndarray:
    return (np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False)) + start).astype("<i8", copy=False)


def _text(array: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and bytes of strings without nulls."""
    _, offsets, data = array.buffers()
    if offsets is None or not len(array):
        return np.empty(0, dtype="<i4"), np.empty(0, dtype=np.uint8)
    ends = np.frombuffer(offsets, dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    text = np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]
    return np.diff(ends).astype("<i4", copy=False), text


def column_digests(table: pa.Table) -> dict[str, str]:
    """The digest of each column."""
    out = {}
    for name in table.column_names:
        column = ColumnDigest()
        column.update(table[name])
        out[name] = column.hexdigest()
    return out
