"""Scores that stay in their store: those of one model and metric are read when they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.curves._metrics import CHOSEN
from ogive.store import Store, StoredSeries
from ogive.trials import FloatArray

MOST_IN_MEMORY = 2**26  # bytes of scores that are read at once; beyond them, as they are asked for
MOST_KEPT = 2**29  # bytes of what was read last, which is not read again: a metric of ten models at 5,000 sizes


class Shelves:
    """The series of a store with the tables that were read last."""

    def __init__(self, store: Store, series: StoredSeries) -> None:
        self._store, self._series = store, series
        self._kept: OrderedDict[tuple[str, str], FloatArray] = OrderedDict()
        self._rows = _by_key(series)

    def rows(self, model: str, name: str, n_repetitions: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of a curve, and which repetitions they are."""
        rows = self._rows.get((model, name), np.empty(0, dtype=np.int64))
        trial = np.asarray(self._series.table["trial"].to_numpy())[rows]
        return rows[trial < n_repetitions], trial[trial < n_repetitions]

    def facts(self, model: str, name: str, n_repetitions: int) -> dict[str, NDArray[Any]]:
        """What is known of each repetition without its values."""
        rows, trial = self.rows(model, name, n_repetitions)
        return {"trial": trial, **{k: np.asarray(self._series.table[k].to_numpy())[rows] for k in ("known", "largest")}}

    def scores(self, model: str, name: str, n_sizes: int, n_repetitions: int) -> FloatArray:
        """[size, repetition], read-only."""
        if (model, name) in self._kept:
            self._kept.move_to_end((model, name))
            return self._kept[model, name]
        try:
            found = self._read(model, name, n_sizes, n_repetitions)
        except FileNotFoundError:  # the store was compacted since
            again = self._store.series()
            if again is None:
                raise
            self._series, self._rows = again, _by_key(again)
            found = self._read(model, name, n_sizes, n_repetitions)
        found.flags.writeable = False
        self._kept[model, name] = found
        while sum(one.nbytes for one in self._kept.values()) > MOST_KEPT and len(self._kept) > 1:
            self._kept.popitem(last=False)
        return found

    def _read(self, model: str, name: str, n_sizes: int, n_repetitions: int) -> FloatArray:
        found = np.full((n_sizes, n_repetitions), np.nan)
        rows, trial = self.rows(model, name, n_repetitions)
        if not rows.size:  # the values chosen of a model that was not tuned
            return found
        for some in np.array_split(np.arange(rows.size), max(1, rows.size // 256)):
            found[:, trial[some]] = self._series.values(rows[some]).T
        return found


def _by_key(series: StoredSeries) -> dict[tuple[str, str], NDArray[np.int64]]:
    """The rows of each model and name."""
    model, name = (series.table[key].combine_chunks().dictionary_encode() for key in ("algorithm", "name"))
    names = name.dictionary.to_pylist()
    codes = np.asarray(model.indices.to_numpy()).astype(np.int64) * len(names) + name.indices.to_numpy()
    if not codes.size:
        return {}
    order = np.argsort(codes, kind="stable")
    different, starts = np.unique(codes[order], return_index=True)
    models = model.dictionary.to_pylist()
    return {
        (models[code // len(names)], names[code % len(names)]): rows
        for code, rows in zip(different.tolist(), np.split(order, starts[1:]), strict=True)
    }


@dataclass(frozen=True, slots=True, eq=False)
class StoredScores:
    """Scores [model, metric, size, repetition] in a store. `scores[i, j]` reads one table; numpy.asarray reads them all."""

    shelves: Shelves
    models: tuple[str, ...]
    metrics: tuple[str, ...]
    n_sizes: int
    n_repetitions: int
    ndim: int = field(default=4, init=False)

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """As of an array."""
        return len(self.models), len(self.metrics), self.n_sizes, self.n_repetitions

    @property
    def size(self) -> int:
        """How many scores there are."""
        return len(self.models) * len(self.metrics) * self.n_sizes * self.n_repetitions

    def __repr__(self) -> str:
        return f"StoredScores{self.shape}"

    def of_metric(self, place: int) -> StoredScores:
        """Those of one metric, from the same store."""
        return StoredScores(self.shelves, self.models, (self.metrics[place],), self.n_sizes, self.n_repetitions)

    def __getitem__(self, where: Any) -> Any:
        first, *rest = where if isinstance(where, tuple) else (where,)
        if rest and all(isinstance(i, (int, np.integer)) for i in (first, rest[0])):
            table = self.shelves.scores(self.models[first], self.metrics[rest[0]], self.n_sizes, self.n_repetitions)
            return table[tuple(rest[1:])]
        return np.asarray(self)[where]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = np.empty(self.shape, dtype=np.float64 if dtype is None else dtype)
        for i, j in np.ndindex(self.shape[:2]):
            whole[i, j] = self[i, j]
        return whole


@dataclass(frozen=True, slots=True, eq=False)
class StoredChoices:
    """The values [model, size, repetition] that tuned models chose, in a store; `choices[i]` reads those of one model."""

    shelves: Shelves
    models: tuple[str, ...]
    n_sizes: int
    n_repetitions: int

    def __getitem__(self, model: int) -> FloatArray:
        return self.shelves.scores(self.models[model], CHOSEN, self.n_sizes, self.n_repetitions)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = np.empty(
            (len(self.models), self.n_sizes, self.n_repetitions), dtype=np.float64 if dtype is None else dtype
        )
        for i in range(len(self.models)):
            whole[i] = self[i]
        return whole
