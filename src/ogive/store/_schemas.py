"""The columns of each kind of part, the door that rows pass before they are written, and maps as columns."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.errors import StoreError
from ogive.schema import OK, RESERVED, STATUSES

_CELL = [("algorithm", pa.string()), ("task", pa.string()), ("trial", pa.int64()), ("attempt", pa.int16())]

TRIALS = pa.schema(
    [
        *_CELL,
        ("item", pa.string()),
        ("group", pa.string()),
        ("status", pa.string()),
        ("message", pa.string()),
        ("params", pa.string()),  # canonical JSON
        ("metrics", pa.map_(pa.string(), pa.float64())),
        ("wall_s", pa.float64()),
        ("cpu_s", pa.float64()),
        ("versions", pa.string()),  # a key of `versions` in the part's description
        # How many rows of these kinds belong to the trial; missing where its writer did not say.
        ("n_inner", pa.int32()),
        ("n_series", pa.int32()),
    ]
)
INNER = pa.schema(
    [
        *_CELL,
        ("candidate", pa.int32()),
        ("params", pa.string()),
        ("scores", pa.list_(pa.float64())),  # one for each fold
        ("mean", pa.float64()),
        ("status", pa.string()),
        ("message", pa.string()),
    ]
)
SERIES = pa.schema([*_CELL, ("name", pa.string()), ("values", pa.list_(pa.float64()))])

SCHEMAS: dict[str, pa.Schema] = {"trials": TRIALS, "inner": INNER, "series": SERIES}
# The column of a trial that says how many rows of a kind belong to it.
COUNTS = {"inner": "n_inner", "series": "n_series"}
# What tells rows of one attempt apart, and what two runs of it must agree on.
WITHIN = {"trials": "item", "inner": "candidate", "series": "name"}
CONTENT = {"trials": ("status", "params", "metrics"), "inner": ("params", "scores", "mean", "status"), "series": ("values",)}  # fmt: skip
_REQUIRED = ("algorithm", "task", "trial", "attempt", "status", "candidate", "name")
# What circumstances did to a trial says nothing of its algorithm, and of two copies the better is kept.
CUT = ("timeout", "memory", "crashed")
STANDING = np.array([0 if s == OK else 2 if s in CUT else 1 for s in STATUSES], dtype=np.int8)
_NUL_OR_SURROGATE = re.compile("[\x00\ud800-\udfff]")


def as_kind(kind: str) -> str:
    """The kind, checked."""
    if kind not in SCHEMAS:
        raise StoreError(f"`kind` must be one of {', '.join(map(repr, SCHEMAS))}; got {kind!r}.")
    return kind


def as_name(name: Any, what: str) -> str:
    """A name that every reader of Parquet gives back whole; it never becomes a file name."""
    if not isinstance(name, str) or not name.strip():
        raise StoreError(f"the name of {what} must be text that is not empty; got {name!r}.")
    if _NUL_OR_SURROGATE.search(name):
        raise StoreError(f"the name of {what} must not hold the character NUL or half a character; got {name!r}.")
    return name


def as_rows(kind: str, table: pa.Table, algorithms: Collection[str], tasks: Collection[str]) -> pa.Table:
    """The table in the columns and types of its kind; refused where a rule is broken."""
    schema = SCHEMAS[kind]
    if not isinstance(table, pa.Table):
        raise StoreError(f"`table` must be a pyarrow.Table; got {type(table).__name__}.")
    if kind == "trials":
        for name in [name for name in COUNTS.values() if name not in table.column_names]:
            table = table.append_column(name, pa.nulls(table.num_rows, pa.int32()))
    odd = sorted(set(table.column_names) ^ set(schema.names))
    if odd or len(table.column_names) != len(schema.names):
        raise StoreError(
            f"a part of {kind!r} must have the columns {', '.join(schema.names)}; got {', '.join(table.column_names)}."
        )
    if not table.num_rows:
        raise StoreError(f"a part of {kind!r} must hold at least one row; got none.")
    try:
        table = table.select(schema.names).replace_schema_metadata(None).cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise StoreError(f"a part of {kind!r} must have the types {_types(schema)}; {_first_line(error)}.") from error
    check_rows(table)
    _check_names(table, "algorithm", algorithms)
    _check_names(table, "task", tasks)
    return table


def check_rows(table: pa.Table) -> None:
    """Refuse rows that break a rule; columns that were not read are not looked at."""
    for name in _REQUIRED:
        if name in table.column_names and table[name].null_count:
            raise StoreError(
                f"column {name!r} must not be empty; {table[name].null_count} of {table.num_rows} rows are."
            )
    if table.num_rows:
        _check_values(table)


def _check_names(table: pa.Table, column: str, known: Collection[str]) -> None:
    unknown = [name for name in pc.unique(table[column]).to_pylist() if name not in known]
    if unknown:
        raise StoreError(
            f"{column} {unknown[0]!r} is not in the study record of this store; add it with create() first."
        )


def _check_values(table: pa.Table) -> None:
    for column in ("trial", "attempt", "candidate", *COUNTS.values()):
        least = pc.min(table[column]).as_py() if column in table.column_names else None
        if least is not None and least < 0:
            raise StoreError(f"column {column!r} must hold numbers from 0; got {least}.")
    for column in ("algorithm", "task"):
        for name in pc.unique(table[column]).to_pylist() if column in table.column_names else ():
            as_name(name, f"an {column}" if column == "algorithm" else f"a {column}")
    if "status" in table.column_names:
        odd = [s for s in pc.unique(table["status"]).to_pylist() if s not in STATUSES]
        if odd:
            raise StoreError(f"column 'status' must hold one of {', '.join(STATUSES)}; got {odd[0]!r}.")
    if "metrics" in table.column_names:
        for name in metric_names(table["metrics"]):
            check_metric_name(name)


def check_metric_name(name: str) -> None:
    """Refuse a metric that would hide a column of the trial table."""
    if name in RESERVED:
        raise StoreError(f"a metric must not be called {name!r}, which is a column of the trial table; rename it.")
    as_name(name, "a metric")


def metric_names(metrics: pa.ChunkedArray) -> list[str]:
    """The keys of a column of maps, in order of appearance."""
    seen: dict[str, None] = {}
    for chunk in metrics.chunks:
        keys, _, _ = map_parts(chunk)
        seen.update(dict.fromkeys(keys.unique().to_pylist()))
    return list(seen)


def map_parts(maps: pa.MapArray) -> tuple[pa.Array, pa.Array, np.ndarray]:
    """Keys, values and the number of entries of each row; rows without a map have none."""
    if maps.null_count:
        maps = maps.take(pa.array(np.arange(len(maps))))  # a missing map may otherwise stand on entries
    offsets = np.asarray(maps.offsets.to_numpy())
    first, count = int(offsets[0]), int(offsets[-1] - offsets[0])
    return maps.keys.slice(first, count), maps.items.slice(first, count), np.diff(offsets)


def _types(schema: pa.Schema) -> str:
    return ", ".join(f"{f.name} {f.type}" for f in schema)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__


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
