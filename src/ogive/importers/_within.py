"""What varies, and what repeats, within a cell: the rows of one method on one task."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ogive.importers._columns import as_text


def codes(values: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Integer codes of a column; equal values, equal code; nothing is a value too."""
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def repeats(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether a label occurs twice within a cell."""
    return bool((_counts(cell, codes(as_text(column)))[1] > 1).any())


def varies(cell: np.ndarray, column: pa.Array | pa.ChunkedArray | None) -> bool:
    """Whether a cell holds two different labels."""
    if column is None:
        return False
    found, _ = _counts(cell, codes(as_text(column)))
    return bool(np.unique(found[0]).size < found.shape[1])


def shared(cell: np.ndarray, column: pa.Array) -> bool:
    """Whether a label occurs twice within a cell that holds several; a label that never changes is held fixed."""
    found, count = _counts(cell, codes(as_text(column)))
    several = np.bincount(found[0]) > 1
    return bool((count[several[found[0]]] > 1).any())


def most_labels(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """How many labels each cell holds."""
    found, _ = _counts(cell, codes(as_text(column)))
    return np.unique(found[0], return_counts=True)[1]


def is_planned(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether every label of every cell occurs equally often, and twice or more: draws at random hardly ever do."""
    if pa.types.is_nested(column.type):
        return False
    found, count = _counts(cell, codes(column))
    n_labels = np.bincount(found[0])
    least, most = np.full(n_labels.size, np.iinfo(np.int64).max), np.zeros(n_labels.size, dtype=np.int64)
    np.minimum.at(least, found[0], count)
    np.maximum.at(most, found[0], count)
    held = n_labels > 0
    return bool(np.all((n_labels[held] > 1) & (least[held] == most[held]) & (least[held] > 1)))


def _counts(cell: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each label of each cell, and how often it occurs there."""
    span = int(labels.max(initial=0)) + 1
    key, count = np.unique(cell.astype(np.int64) * span + labels, return_counts=True)
    return np.stack([key // span, key % span]), count
