"""Two methods on one task as two arrays: joined row by row where they share draws, else side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

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
    if trials.pair is not None if paired is None else paired:
        joined = _paired(trials, cells, (x, y), (rows_x, rows_y))
        if joined is not None:
            return Duel(*joined, *known)
    if paired:
        raise InputError(f"{a!r} and {b!r} share no draw on {task!r}; name the joining column with pair= when reading.")
    if trials.clustered:  # rows of a cluster are replaced by their mean, so that clusters count once
        x, y = (_cluster_means(trials, scores, rows) for scores, rows in ((x, rows_x), (y, rows_y)))
    return Duel(x, y, False, None, 0, *known)


def shared_draws(
    trials: Trials, methods: Sequence[str], tasks: Sequence[str], metric: str, failures: str | float
) -> IntArray | None:
    """The rows whose item and trial every one of these methods has on that task; None where a draw has several rows."""
    kept: list[IntArray] = []
    for task in tasks:
        rows = [trials.resolve_failures(trials.cell(m, task), metric, failures)[1] for m in methods]
        items = [trials.codes("item")[r].astype(np.int64) for r in rows]
        by_item = all(np.all(i >= 0) and np.unique(i).size == i.size for i in items)
        keys = [i if by_item else trials.draws[r] for i, r in zip(items, rows, strict=True)]
        if any(np.unique(k).size < k.size for k in keys):
            return None
        common = reduce(np.intersect1d, keys)
        kept += [r[np.isin(k, common)] for r, k in zip(rows, keys, strict=True)]
    return np.sort(np.concatenate(kept)) if kept else None


def _count_failed(trials: Trials, metric: str, cell: Cell) -> int:
    return int(np.count_nonzero(trials.failed(metric)[cell.rows]))


def require_values(duel: Duel, statistic: str) -> None:
    """Refuse a statistic that needs values where failures only have a place in the order."""
    if duel.order_only:
        raise InputError(
            f"failures that count as worse than every score leave the {statistic} without a value; declare bounds=, count "
            "failures by a number, or compare by improvement."
        )


def _paired(
    trials: Trials, cells: tuple[Cell, Cell], scores: tuple[FloatArray, FloatArray], rows: tuple[IntArray, IntArray]
) -> tuple[FloatArray, FloatArray, bool, IntArray | None, int] | None:
    """Scores joined by what their rows share, with clusters and rows without partner; None where nothing is shared.

    Rows are joined by item and trial. Where every item stands once, the trial is only a running
    number and items alone join. Where one method repeats items and the other does not, repeats are
    averaged first.
    """
    items = [trials.codes("item")[r] for r in rows]
    once = [bool(np.all(i >= 0)) and np.unique(i).size == i.size for i in items]
    if all(once):
        keys = items
    elif any(once) and all(bool(np.all(i >= 0)) for i in items):
        means = [_means_by(i, s, r) for i, s, r in zip(items, scores, rows, strict=True)]
        keys, scores, rows = [m[0] for m in means], (means[0][1], means[1][1]), (means[0][2], means[1][2])
    else:
        keys = [_item_and_trial(trials, cell, r) for cell, r in zip(cells, rows, strict=True)]
    shared, i, j = np.intersect1d(keys[0], keys[1], return_indices=True)
    if not shared.size:
        return None
    unmatched = keys[0].size + keys[1].size - 2 * shared.size
    return scores[0][i], scores[1][j], True, trials.clusters(rows[0][i]), unmatched


def _means_by(codes: IntArray, scores: FloatArray, rows: IntArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Each code once, the mean of its scores, and its first row."""
    found, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return found, np.bincount(place, weights=scores) / np.bincount(place), rows[first]


def _item_and_trial(trials: Trials, cell: Cell, rows: IntArray) -> IntArray:
    keys = trials.draws[rows]
    if np.unique(keys).size < keys.size:
        raise InputError(
            f"{cell.algorithm!r} has several rows for one draw on {cell.task!r}; name what tells them apart with item=, or compare fresh runs of both with paired=False."
        )
    return keys


def _finite(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, bool]:
    """Scores with a number below every one of them in the place of minus infinity; whether there was any."""
    both = np.append(x, y)
    failed = np.isneginf(both)
    if not failed.any():
        return x, y, False
    usable = both[~failed]
    below = float(np.nextafter(usable.min(), -np.inf)) if usable.size else 0.0
    return np.where(np.isneginf(x), below, x), np.where(np.isneginf(y), below, y), True


def _cluster_means(trials: Trials, scores: FloatArray, rows: IntArray) -> FloatArray:
    return _means_by(trials.codes("group")[rows], scores, rows)[1]
