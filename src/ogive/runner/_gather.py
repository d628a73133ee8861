"""Rows of any chunk in any order → Arrow → parts of the store.

A part is written every two seconds or 50,000 rows. What a tuning run tried and the curves of a
trial are written before the trial itself, which says how many they are: a trial that is there with
all of them counts as done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sized
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from ogive.canonical import canonical
from ogive.runner._wire import Batch, Origin
from ogive.store import INNER, SERIES, TRIALS, Store

Waiting: TypeAlias = list[tuple[tuple[str, str], Batch]]
SECONDS, ROWS = 2.0, 50_000
COMPACT_ABOVE = 500  # parts of this run


class Gatherer:
    """Keeps rows until a part is due, and counts them."""

    def __init__(self, store: Store, limits: dict[str, float] | None, group: Callable[[int], str | None]) -> None:
        self._store, self._limits = store, limits
        self._group = group if group(0) is not None else None
        self._waiting: Waiting = []
        self._rows = self._parts = 0
        self._since = time.monotonic()

    def add(self, names: tuple[str, str], batch: Batch) -> None:
        """Take rows of one cell."""
        self._waiting.append((names, batch))
        self._rows += len(batch)

    def due(self) -> Waiting:
        """Write a part if there are many rows, or the last one is long enough ago; what is now kept."""
        late = self._waiting and time.monotonic() - self._since >= SECONDS
        return self.write() if late or self._rows >= ROWS else []

    def write(self) -> Waiting:
        """Write what is waiting and return it: rows count as done only then."""
        waiting, self._waiting, self._rows = self._waiting, [], 0
        self._since = time.monotonic()
        for origin, rows in _by_origin(waiting):
            self._write(rows, origin)
        if self._parts >= COMPACT_ABOVE:
            self._store.compact()
            self._parts = 0
        return waiting

    def _write(self, rows: Waiting, origin: Origin | None) -> None:
        limits = self._limits if origin is None else origin.limits
        versions = None if origin is None else {origin.name: origin.libraries}
        for kind, table in (("inner", inner_table(rows)), ("series", series_table(rows))):
            if table.num_rows:
                self._store.write(kind, table, limits=limits, versions=versions)
        self._store.write("trials", trials_table(rows, self._group), limits=limits, versions=versions)
        self._parts += 1


def _by_origin(waiting: Waiting) -> Iterable[tuple[Origin | None, Waiting]]:
    """Rows that were made under the same limits with the same libraries, together."""
    groups: dict[str, Waiting] = {}
    for names, batch in waiting:
        origin = batch.origin
        key = "" if origin is None else canonical([origin.limits, origin.name])
        groups.setdefault(key, []).append((names, batch))
    return [(rows[0][1].origin, rows) for rows in groups.values()]


def trials_table(waiting: Waiting, group: Callable[[int], str | None] | None = None) -> pa.Table:
    """Rows in the columns of `TRIALS`; `group` says what a trial shares with others."""
    parts = [_trials(names, batch, group) for names, batch in waiting]
    return pa.concat_tables(parts).combine_chunks()


def _trials(names: tuple[str, str], batch: Batch, group: Callable[[int], str | None] | None) -> pa.Table:
    n = len(batch)
    columns = {
        **_cell(names, batch),
        "item": pa.nulls(n, pa.string()),
        "group": pa.nulls(n, pa.string()) if group is None else texts([group(trial) for trial in batch.trials]),
        "status": texts(batch.statuses),
        "message": texts(batch.messages),
        "params": texts(batch.params),
        "metrics": _metrics(batch, n),
        "wall_s": pa.array(batch.wall, pa.float64()),
        "cpu_s": pa.array(batch.cpu, pa.float64()),
        "versions": pa.repeat(pa.scalar(None if batch.origin is None else batch.origin.name, pa.string()), n),
        "n_inner": _lengths(batch.inner, n),
        "n_series": _lengths(batch.series, n),
    }
    return pa.table(columns, schema=TRIALS)


def _lengths(parts: Mapping[int, Sized], n: int) -> pa.Array:
    """How many of something each row has."""
    lengths = np.zeros(n, dtype=np.int32)
    for i, part in parts.items():
        lengths[i] = len(part)
    return pa.array(lengths)


def _cell(names: tuple[str, str], batch: Batch) -> dict[str, pa.Array]:
    n = len(batch)
    attempts = np.zeros(n, dtype=np.int16) if batch.attempts is None else np.asarray(batch.attempts, dtype=np.int16)
    return {
        "algorithm": pa.repeat(pa.scalar(names[0], pa.string()), n),
        "task": pa.repeat(pa.scalar(names[1], pa.string()), n),
        "trial": pa.array(batch.trials, pa.int64()),
        "attempt": pa.array(attempts),
    }


def _metrics(batch: Batch, n: int) -> pa.MapArray:
    """A map for each row, with the metrics it has; empty where one is no finite number."""
    names = list(batch.metrics)
    values = np.array([batch.metrics[name] for name in names], dtype=np.float64).reshape(len(names), n).T
    there = ~np.isnan(values)
    for i, unusable in batch.unusable.items():
        there[i, [names.index(name) for name in unusable]] = True
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
    keys = pa.array(names, pa.string()).take(pa.array(np.nonzero(there)[1]))
    return pa.MapArray.from_arrays(pa.array(offsets), keys, pa.array(values[there], from_pandas=True))


def inner_table(waiting: Waiting) -> pa.Table:
    """Candidates of tuning runs in the columns of `INNER`."""
    rows = [
        {**_of(names, batch, i), "candidate": j, **candidate}
        for names, batch in waiting
        for i, candidates in batch.inner.items()
        for j, candidate in enumerate(candidates)
    ]
    return pa.Table.from_pylist(rows, schema=INNER)


def series_table(waiting: Waiting) -> pa.Table:
    """Curves of trials in the columns of `SERIES`."""
    rows, curves = [], []
    for names, batch in waiting:
        for i, named in batch.series.items():
            for name, values in named.items():
                rows.append({**_of(names, batch, i), "name": name})
                curves.append(values)
    ends = np.cumsum([0, *map(len, curves)])
    flat = pa.array(np.concatenate(curves) if curves else np.empty(0), pa.float64(), from_pandas=True)  # NaN is missing
    table = pa.Table.from_pylist(rows, schema=pa.schema([f for f in SERIES if f.name != "values"]))
    lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), flat)
    return table.append_column("values", lists).select(SERIES.names).cast(SERIES)


def _of(names: tuple[str, str], batch: Batch, i: int) -> dict[str, Any]:
    attempt = 0 if batch.attempts is None else int(batch.attempts[i])
    return {"algorithm": names[0], "task": names[1], "trial": batch.trials[i], "attempt": attempt}


def texts(values: list[str | None] | list[str]) -> pa.Array:
    """A column of text; half characters, which Arrow cannot hold, are replaced."""
    try:
        return pa.array(values, pa.string())
    except UnicodeError:
        return pa.array([None if v is None else v.encode("utf-8", "replace").decode() for v in values], pa.string())
