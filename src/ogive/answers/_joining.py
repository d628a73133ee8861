"""Two methods on one task as two arrays: joined row by row where they share draws, else side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ogive.errors import InputError
from ogive.trials import Cell, FloatArray, IntArray, Trials


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """The scores of two methods on one task, turned so that larger is better.

    `clusters` names the unit of each pair; None where every pair, or every score, stands alone.
    `n_unmatched` counts rows that found no partner.
    """

    a: FloatArray
    b: FloatArray
    paired: bool
    clusters: IntArray | None
    n_unmatched: int
    sign: float

    def by_unit(self) -> tuple[FloatArray, FloatArray]:
        """Both samples with one score for each unit: the means of clusters."""
        if self.clusters is None:
            return self.a, self.b
        _, codes = np.unique(self.clusters, return_inverse=True)
        sizes = np.bincount(codes)
        return np.bincount(codes, weights=self.a) / sizes, np.bincount(codes, weights=self.b) / sizes

    @property
    def n_units(self) -> int:
        """Independent pairs, or scores of both."""
        if self.clusters is not None:
            return int(np.unique(self.clusters).size)
        return self.a.size if self.paired else self.a.size + self.b.size


def join(
    trials: Trials, a: str, b: str, task: str, metric: str, failures: str | float, paired: bool | None = None
) -> Duel:
    """The duel of two methods on a task; paired where the table says that rows share draws."""
    sign = 1.0 if trials.goals[metric] == "maximize" else -1.0
    first, second = trials.cell(a, task), trials.cell(b, task)
    (x, rows_x), (y, rows_y) = (trials.resolve_failures(cell, metric, failures) for cell in (first, second))
    for name, scores in ((a, x), (b, y)):
        if not scores.size:
            raise InputError(f"{name!r} has no usable score on {task!r}; there is nothing to compare.")
        if not np.all(np.isfinite(scores)):
            raise InputError("a comparison needs finite scores; declare bounds=, or count failures by a number.")
    wanted = trials.pair is not None if paired is None else paired
    if not wanted:
        return _side_by_side(trials, sign * x, sign * y, rows_x, rows_y, sign)
    keys_x, keys_y = _keys(trials, first, rows_x), _keys(trials, second, rows_y)
    shared, i, j = np.intersect1d(keys_x, keys_y, return_indices=True)
    if not shared.size:
        if paired:
            raise InputError(
                f"{a!r} and {b!r} share no draw on {task!r}; name the joining column with pair= when reading."
            )
        return _side_by_side(trials, sign * x, sign * y, rows_x, rows_y, sign)
    unmatched = keys_x.size + keys_y.size - 2 * shared.size
    return Duel(sign * x[i], sign * y[j], True, trials.clusters(rows_x[i]), unmatched, sign)


def _side_by_side(
    trials: Trials, x: FloatArray, y: FloatArray, rows_x: IntArray, rows_y: IntArray, sign: float
) -> Duel:
    """Independent samples; rows of a cluster are replaced by their mean, so that clusters count once."""
    if trials.clustered:
        x, y = (_cluster_means(trials, scores, rows) for scores, rows in ((x, rows_x), (y, rows_y)))
    return Duel(x, y, False, None, 0, sign)


def _cluster_means(trials: Trials, scores: FloatArray, rows: IntArray) -> FloatArray:
    _, codes = np.unique(trials.codes("group")[rows], return_inverse=True)
    return np.asarray(np.bincount(codes, weights=scores) / np.bincount(codes))


def _keys(trials: Trials, cell: Cell, rows: IntArray) -> IntArray:
    """What joins rows: the item where there is one, and the trial."""
    trial = trials.table["trial"].chunk(0).to_numpy()[rows]
    item = trials.codes("item")[rows]
    keys = (item.astype(np.int64) + 1) * (int(trials.table["trial"].chunk(0).to_numpy().max()) + 1) + trial
    if trials.pair is not None and np.all(item >= 0) and np.unique(item).size == item.size:
        keys = item  # every item once: the trial is only a running number
    if np.unique(keys).size < keys.size:
        raise InputError(
            f"{cell.algorithm!r} has several rows for one draw on {cell.task!r}; name what tells them apart with item=."
        )
    return np.asarray(keys)
