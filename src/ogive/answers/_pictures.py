"""What pictures and pages are made of: the distribution of every method on every task with its band, and of a table that is
too large for them the best methods and the tasks where they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ogive import statistics
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.reading import Source, as_trials
from ogive.stages import counting
from ogive.statistics import Band, Distribution
from ogive.trials import Cell, FloatArray, Trials
from ogive.words import plural


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
            if trials.folds_overruled:
                band = replace(band, guarantee="heuristic")
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


# There are 28 looks of curves, seven colors in four styles of line; 60 panels fill a page.
MOST_METHODS, MOST_TASKS = 28, 60
# What is shown where there are more: as many as a reader can tell apart.
SHOWN_METHODS, SHOWN_TASKS = 12, 24


@dataclass(frozen=True, slots=True)
class Foremost:
    """Methods and tasks that are shown, and why these.

    Attributes
    ----------
    methods, tasks : tuple of str
        All of a table that is small enough, in its own order; else the best first, and the tasks where they differ most.
    sentence : str
        What is left out; empty where nothing is.
    """

    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    sentence: str

    def cells(self, trials: Trials) -> tuple[Cell, ...]:
        """The rows of each method on each task that are shown; empty ones are left out."""
        if not self.sentence:
            return trials.cells
        found = (trials.cell(m, t) for m in self.methods for t in self.tasks)
        return tuple(cell for cell in found if cell.rows.size)


def foremost(trials: Trials, metric: str, *, order: Sequence[str] | None = None) -> Foremost:
    """What is shown of a table.

    Parameters
    ----------
    order : list of str, optional
        Methods, best first, where somebody has judged them; by the average rank of their medians where not given.
    """
    methods, tasks, said = trials.algorithms, trials.tasks, []
    if len(methods) <= MOST_METHODS and len(tasks) <= MOST_TASKS:
        return Foremost(methods, tasks, "")
    middle = medians(trials, metric)
    if len(methods) > MOST_METHODS:
        chosen = tuple(_by_average_rank(trials, middle) if order is None else order)[:SHOWN_METHODS]
        how = "best by their average rank on all tasks" if len(tasks) > 1 else "with the best medians"
        how = how if order is None else "that lead the ranking"
        said.append(f"the {len(chosen)} of {plural(len(methods), 'method')} {how}")
        methods = chosen
    if len(tasks) > MOST_TASKS:
        tasks = _most_different(trials, metric, middle, methods)[:SHOWN_TASKS]
        who = "they" if said else "the methods"
        said.append(f"the {len(tasks)} of {len(trials.tasks)} tasks where {who} differ most")
    return Foremost(methods, tasks, f"Shown: {', on '.join(said)}.")


def medians(trials: Trials, metric: str) -> FloatArray:
    """The median run of each method on each task, larger is better; NaN where there is none, minus infinity where it failed."""
    n_methods, n_tasks = len(trials.algorithms), len(trials.tasks)
    failed = trials.failed(metric)
    turned = np.where(failed, -np.inf, trials.definitions[metric].sign * np.where(failed, 0.0, trials.values(metric)))
    cell = trials.codes("algorithm") * n_tasks + trials.codes("task")
    turned = turned[np.lexsort((turned, cell))]
    sizes = np.bincount(cell, minlength=n_methods * n_tasks)
    starts, there = np.cumsum(sizes) - sizes, sizes > 0
    found = np.full(n_methods * n_tasks, np.nan)
    first, size = starts[there], sizes[there]
    found[there] = turned[first + (size - 1) // 2] / 2.0 + turned[first + size // 2] / 2.0
    return found.reshape(n_methods, n_tasks)


def _by_average_rank(trials: Trials, middle: FloatArray) -> list[str]:
    """Methods, the best average rank over tasks first; equal ones as they stand in the table."""
    scores = np.where(np.isnan(middle), -np.inf, middle)
    ranks = np.zeros(len(scores))
    for column in scores.T:
        ordered = np.sort(column)
        ranks -= np.searchsorted(ordered, column, "left") + np.searchsorted(ordered, column, "right")
    return [trials.algorithms[i] for i in np.argsort(ranks, kind="stable")]


def _most_different(trials: Trials, metric: str, middle: FloatArray, methods: Sequence[str]) -> tuple[str, ...]:
    """Tasks, first those on which medians of these methods are far apart for how much runs vary there."""
    places = [trials.algorithms.index(m) for m in methods]
    shares = []
    for t, task in enumerate(trials.tasks):
        between = middle[places, t]
        runs = np.concatenate([trials.resolve_failures(trials.cell(m, task), metric, "exclude")[0] for m in methods])
        between = between[np.isfinite(between)]
        whole = float(np.ptp(runs)) if runs.size else 0.0
        shares.append(float(np.ptp(between)) / whole if whole > 0.0 and between.size else 0.0)
    return tuple(trials.tasks[i] for i in np.argsort(-np.array(shares), kind="stable"))
