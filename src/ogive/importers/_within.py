"""What varies, and what repeats, within a cell: the rows of one method on one task."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from ogive.files import is_text
from ogive.importers._columns import as_text


def codes(values: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Integer codes of a column; equal values, equal code; nothing is a value too."""
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode(null_encoding="encode")
    # Wide first: the codes of 128 categories leave no room for another in a byte.
    indices = encoded.indices.cast(pa.int64()).fill_null(len(encoded.dictionary))
    return np.array(indices.to_numpy(zero_copy_only=False), dtype=np.int64)


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


def label_counts(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """How many labels each cell holds."""
    found, _ = _counts(cell, codes(as_text(column)))
    return np.unique(found[0], return_counts=True)[1]


def is_identifier(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether a column of text or whole numbers has another label in every row of a cell."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or is_text(kind)):
        return False
    return bool((_counts(cell, codes(column))[1] == 1).all())


def balance_by_chance(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> float:
    """How often labels drawn at random would all stand equally often in every cell; 1 where they do not, or do not repeat."""
    found, count = _counts(cell, codes(column))
    n_labels = np.bincount(found[0])[np.unique(found[0])]
    size = np.bincount(cell)[np.unique(cell)]
    # Labels come ordered by cell: where counts are equal, each is the mean of its cell.
    if np.any(n_labels < 2) or np.any(size < 2 * n_labels) or np.any(count != np.repeat(size / n_labels, n_labels)):
        return 1.0
    each = size // n_labels
    lgamma = np.vectorize(math.lgamma, otypes=[float])
    logs = lgamma(size + 1.0) - n_labels * lgamma(each + 1.0) - size * np.log(n_labels)
    return float(np.exp(logs.sum()))


def in_blocks(column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether rows with the same label stand together, as where tables were put under each other."""
    labels = codes(column)
    return bool(np.count_nonzero(np.diff(labels)) + 1 == np.unique(labels).size)


def _counts(cell: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each label of each cell, and how often it occurs there."""
    span = int(labels.max(initial=0)) + 1
    key, count = np.unique(cell.astype(np.int64) * span + labels, return_counts=True)
    return np.stack([key // span, key % span]), count
