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
    `n_unmatched` counts rows that found no partner, `n_failed` the failed runs of a and of b.
    `order_only` says that failures count as worse than every score, by a number that stands for
    nothing but that.
    """

    a: FloatArray
    b: FloatArray
    paired: bool
    clusters: IntArray | None
    n_unmatched: int
    sign: float
    n_failed: tuple[int, int] = (0, 0)
    order_only: bool = False

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
    cells = trials.cell(a, task), trials.cell(b, task)
    n_failed = _count_failed(trials, metric, cells[0]), _count_failed(trials, metric, cells[1])
    (x, rows_x), (y, rows_y) = (trials.resolve_failures(cell, metric, failures) for cell in cells)
    for name, scores in ((a, x), (b, y)):
        if not scores.size:
            raise InputError(f"{name!r} has no usable score on {task!r}; there is nothing to compare.")
    x, y, order_only = _finite(sign * x, sign * y)
    known = sign, n_failed, order_only
    wanted = trials.pair is not None if paired is None else paired
    shared = np.empty(0)
    if wanted:
        keys_x, keys_y = _keys(trials, cells[0], rows_x), _keys(trials, cells[1], rows_y)
        shared, i, j = np.intersect1d(keys_x, keys_y, return_indices=True)
    if shared.size:
        unmatched = keys_x.size + keys_y.size - 2 * shared.size
        return Duel(x[i], y[j], True, trials.clusters(rows_x[i]), unmatched, *known)
    if paired:
        raise InputError(f"{a!r} and {b!r} share no draw on {task!r}; name the joining column with pair= when reading.")
    if trials.clustered:  # rows of a cluster are replaced by their mean, so that clusters count once
        x, y = (_cluster_means(trials, scores, rows) for scores, rows in ((x, rows_x), (y, rows_y)))
    return Duel(x, y, False, None, 0, *known)


def _count_failed(trials: Trials, metric: str, cell: Cell) -> int:
    return int(np.count_nonzero(trials.failed(metric)[cell.rows]))


def require_values(duel: Duel, statistic: str) -> None:
    """Refuse a statistic that needs values where failures only have a place in the order."""
    if duel.order_only:
        raise InputError(
            f"failures that count as worse than every score leave the {statistic} without a value; declare bounds=, "
            "count failures by a number, or compare by improvement."
        )


def _finite(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, bool]:
    """Scores with a number below every one of them in the place of minus infinity; whether there was any."""
    both = np.append(x, y)
    failed = np.isneginf(both)
    if not failed.any():
        return x, y, False
    usable = both[~failed]
    below = float(usable.min() - max(1.0, float(np.ptp(usable)))) if usable.size else 0.0
    return np.where(np.isneginf(x), below, x), np.where(np.isneginf(y), below, y), True


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
