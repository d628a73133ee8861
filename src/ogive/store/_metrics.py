"""A column of maps becomes one column of numbers for each key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ogive.store._schemas import map_parts


def project(metrics: pa.ChunkedArray) -> dict[str, NDArray[np.float64]]:
    """For each key in order of appearance its value in every row, NaN where a row has none."""
    columns: dict[str, NDArray[np.float64]] = {}
    start, n = 0, len(metrics)
    for chunk in metrics.chunks:
        keys, values, lengths = map_parts(chunk)
        numbers = np.asarray(values.fill_null(np.nan).to_numpy(zero_copy_only=False))
        encoded = keys.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        for name in names:
            if name not in columns:
                columns[name] = np.full(n, np.nan)
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        targets = [columns[name][start : start + len(chunk)] for name in names]
        if not _by_position(codes, numbers, lengths, targets):
            rows = np.repeat(np.arange(len(chunk)), lengths)
            for code, target in enumerate(targets):
                mine = codes == code
                target[rows[mine]] = numbers[mine]
        start += len(chunk)
    return columns


def _by_position(
    codes: NDArray[np.int32], numbers: NDArray[np.float64], lengths: np.ndarray, targets: list[NDArray[np.float64]]
) -> bool:
    """Fill the targets where every row has the same keys in the same order; False where not."""
    width = len(targets)
    if not width or not np.all(lengths == width) or not np.all(codes.reshape(-1, width) == np.arange(width)):
        return False
    table = numbers.reshape(-1, width)
    for code, target in enumerate(targets):
        target[:] = table[:, code]
    return True
