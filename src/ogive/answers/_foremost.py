"""What a picture or a page shows of a table that is too large for it: the best methods, the tasks where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ogive.trials import Cell, FloatArray, Trials
from ogive.words import plural

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
