"""The distribution of every method on every task, with its band: what pictures are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ogive import statistics
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.reading import Source, as_trials
from ogive.stages import counting
from ogive.statistics import Band, Distribution
from ogive.trials import Cell, Trials


@dataclass(frozen=True, slots=True, kw_only=True)
class CellBand:
    """One method on one task: its distribution, its band (None where nothing can be guaranteed), its failures.

    Failed runs count as worse than every score.
    """

    algorithm: str
    task: str
    estimate: Distribution
    band: Band | None
    n_failed: int
    n_rows: int


def bands(
    trials: Source,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    method: str = "exact",
    cells: Sequence[Cell] | None = None,
) -> tuple[CellBand, ...]:
    """A band for each cell (of these, where given), in which failed runs count as worse than every score."""
    trials = as_trials(trials)
    refuse_unjudgeable(trials, metric)
    confidence = as_confidence(confidence)
    if method not in ("exact", "ks", "dkw"):
        raise InputError(f"`method` of the band must be 'exact', 'ks' or 'dkw'; got {method!r}.")
    worst = trials.definitions[metric or trials.metrics[0]].worst_tail
    found = []
    for cell in counting(trials.cells if cells is None else cells, "making bands, by method and task"):
        scores, rows = trials.resolve_failures(cell, metric, "exclude")
        if not scores.size:
            continue
        clusters, n_failed = trials.clusters(rows), cell.rows.size - scores.size
        band = None
        if trials.judged and trials.n_folds is None and (clusters is None or not n_failed):
            band = statistics.band(
                scores, confidence=confidence, method=method, clusters=clusters, n_failed=n_failed, failed=worst
            )
        counted = n_failed if clusters is None else 0
        found.append(
            CellBand(
                algorithm=cell.algorithm,
                task=cell.task,
                estimate=statistics.ecdf(scores, clusters=clusters, n_failed=counted, failed=worst),
                band=band,
                n_failed=n_failed,
                n_rows=cell.rows.size,
            )
        )
    return tuple(found)


def has_spread(trials: Trials, metric: str) -> bool:
    """Whether a metric holds a distribution: two usable scores that differ."""
    usable = trials.values(metric)[~trials.failed(metric)]
    return usable.size > 0 and bool(usable.min() < usable.max())


def refuse_unjudgeable(trials: Trials, metric: str | None) -> None:
    """Refuse a table that holds no distribution at all, or whose runs a column splits: they are runs of several things."""
    if trials.is_split:
        raise InputError(trials.question)
    name = trials.metrics[0] if metric is None else metric
    usable = trials.values(name)[~trials.failed(name)]
    if not usable.size:
        raise InputError(f"none of the {len(trials)} trials has a usable {name!r}; there is nothing to describe.")
    if np.ptp(usable) == 0.0:
        raise InputError(
            f"all {usable.size} scores in {name!r} equal {usable[0]:g}; there is no distribution to describe. Is it the right column?"
        )
