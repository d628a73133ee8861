"""Scores of different tasks on one scale: between two baselines, between least and largest, or by a reference method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from ogive.arguments import FloatArray, Goal
from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.profiles._cells import Cells, place_of


@dataclass(frozen=True, slots=True)
class Baselines:
    """0 at `low` and 1 at `high` on every task, such as a random and a human player's score.

    Attributes
    ----------
    low, high : mapping
        Task -> score. `high` is the better one, also where small scores are good.

    Examples
    --------
    >>> from ogive.profiles import performance_profile
    >>> scores = {"a": {"x": 5.0, "y": 30.0}, "b": {"x": 9.0, "y": 10.0}}
    >>> scale = Baselines(low={"x": 1.0, "y": 10.0}, high={"x": 9.0, "y": 50.0})
    >>> performance_profile(scores, "score", normalize=scale).at(0.5).tolist()
    [0.0, 0.5]
    """

    low: Mapping[str, float]
    high: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class MinMax:
    """0 at the worst and 1 at the best run of any method on the task; the runs themselves set the scale."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A score becomes the share of a method's runs that it beats on the task, ties half: free of any scale."""

    method: str


Scale: TypeAlias = Baselines | MinMax | Reference


def normalized(cells: Cells, scale: Scale | None) -> Cells:
    """The same runs on the scale; large values are then good. Failed runs stay failures."""
    if scale is None:
        return cells
    if isinstance(scale, Reference):
        return _by_reference(cells, place_of(scale.method, cells.methods))
    if isinstance(scale, MinMax):
        low, high = _ends(cells)
        by = "ends"
    elif isinstance(scale, Baselines):
        low, high = _baselines(cells, scale)
        by = "baselines"
    else:
        raise InputError(f"`normalize` must be Baselines, MinMax or Reference; got {type(scale).__name__}.")
    each = np.tile(np.arange(len(cells.problems)), len(cells.methods)).repeat(cells.sizes.ravel())
    # 2 - 2 is 0 also where a constant task has no width.
    values = (cells.values - low[each]) / (high - low)[each]
    values[np.isinf(cells.values)] = -np.inf
    note = Note(NoteKind.NORMALIZED, values={"by": by})
    return replace(cells, values=values, goal="maximize", notes=(*cells.notes, note))


def on_one_scale(
    values: Mapping[tuple[str, str], FloatArray], goal: Goal, scale: Baselines | MinMax
) -> dict[tuple[str, str], FloatArray]:
    """Finite scores of any shape by method and task, on the scale; large values are then good.

    Examples
    --------
    >>> runs = {("a", "x"): np.array([[1.0, 2.0], [1.0, 5.0]])}
    >>> on_one_scale(runs, "maximize", MinMax())["a", "x"].tolist()
    [[0.0, 0.25], [0.0, 1.0]]
    """
    methods, tasks = (tuple(dict.fromkeys(key[i] for key in values)) for i in (0, 1))
    parts = [values[method, task] for method in methods for task in tasks]
    starts = np.concatenate(([0], np.cumsum([part.size for part in parts]))).astype(np.intp)
    cells = Cells(
        methods=methods,
        problems=tasks,
        values=np.concatenate([part.ravel() for part in parts]),
        starts=starts,
        goal=goal,
    )
    found = np.split(normalized(cells, scale).values, starts[1:-1])
    keys = [(method, task) for method in methods for task in tasks]
    return {key: own.reshape(values[key].shape) for key, own in zip(keys, found, strict=True)}


def _baselines(cells: Cells, scale: Baselines) -> tuple[FloatArray, FloatArray]:
    for name, held in (("low", scale.low), ("high", scale.high)):
        absent = next((p for p in cells.problems if p not in held), None)
        if absent is not None:
            raise InputError(f"`{name}` must give a baseline for every task; {absent!r} is missing.")
    low, high = (np.array([float(held[p]) for p in cells.problems]) for held in (scale.low, scale.high))
    same = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high)) | (low == high))
    if same.size:
        raise InputError(f"the baselines of {cells.problems[same[0]]!r} must be two different finite numbers.")
    return low, high


def _ends(cells: Cells) -> tuple[FloatArray, FloatArray]:
    worst, best = np.empty(len(cells.problems)), np.empty(len(cells.problems))
    for p, problem in enumerate(cells.problems):
        runs = np.concatenate([cells.cell(m, p) for m in range(len(cells.methods))])
        runs = np.sort(cells.sign * runs[np.isfinite(runs)])
        if runs.size == 0 or runs[0] == runs[-1]:
            raise InputError(f"all runs on {problem!r} are equal or failed; there is no least and largest to scale by.")
        worst[p], best[p] = cells.sign * runs[0], cells.sign * runs[-1]
    return worst, best


def _by_reference(cells: Cells, reference: int) -> Cells:
    values = np.empty_like(cells.values)
    width = len(cells.problems)
    for p in range(width):
        ordered = np.sort(cells.sign * cells.cell(reference, p))
        for m in range(len(cells.methods)):
            own = cells.sign * cells.cell(m, p)
            places = np.searchsorted(ordered, own, side="left") + np.searchsorted(ordered, own, side="right")
            at = m * width + p
            values[cells.starts[at] : cells.starts[at + 1]] = places / (2.0 * ordered.size)
    note = Note(NoteKind.NORMALIZED, values={"by": "reference", "method": cells.methods[reference]})
    return replace(cells, values=values, goal="maximize", notes=(*cells.notes, note))
