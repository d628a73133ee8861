"""Tables of curves: several steps of each run, whose rows are no runs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ogive.errors import InputError, InvalidScores
from ogive.importers._columns import as_numbers
from ogive.importers._roles import NUMBERS_OR_STEPS, STEPS, Roles, plain
from ogive.importers._within import codes
from ogive.notes import Note, NoteKind

FEWEST_IN_ORDER = 8
SMOOTH = 5.0  # standard errors; independent runs come out so smooth in 3 of 10 million tables


def refuse_curves(table: pa.Table, roles: Roles, cell: np.ndarray, scores: np.ndarray, unit: str | None) -> None:
    """Refuse rows that are steps of runs, by the name of the column and with what to do."""
    name = roles.step
    numbering = roles.repeat if roles.repeat is not None and plain(roles.repeat) in NUMBERS_OR_STEPS else None
    if name is None and numbering is not None and "repeat" in roles.guessed and numbering != unit:
        name = numbering if not roles.params and _is_smooth(table[numbering], numbering, cell, scores) else None
        if name is not None:
            raise InputError(_curves(table, name, cell))
    if name is None or name == unit or (plain(name) == "epoch" and roles.item is not None):
        return  # an item under several epochs was asked several times
    run = _runs(table, roles, cell)
    n_steps = _steps_of(run, table[name])
    several = np.count_nonzero(n_steps > 1) > 0.5 * n_steps.size
    if several and (roles.repeat is not None or _is_curve(table, name, cell)):
        raise InputError(_curves(table, name, run))


def _runs(table: pa.Table, roles: Roles, cell: np.ndarray) -> np.ndarray:
    """A number for each run, by what names it."""
    run = cell
    for name in (roles.repeat, roles.fold):
        if name is not None:
            label = codes(table[name])
            run = np.unique(run * (int(label.max(initial=0)) + 1) + label, return_inverse=True)[1]
    return run


def _steps_of(run: np.ndarray, column: pa.ChunkedArray) -> np.ndarray:
    """How many steps each run holds."""
    label = codes(column)
    pairs = np.unique(np.stack([run, label]), axis=1)
    return np.unique(pairs[0], return_counts=True)[1]


def _is_curve(table: pa.Table, name: str, cell: np.ndarray) -> bool:
    """Where nothing names the runs: whether a column is called a step, or holds the same steps in every cell."""
    if plain(name) in STEPS:
        return True
    label = codes(table[name])
    held = {tuple(np.unique(label[cell == c]).tolist()) for c in np.unique(cell)[:200]}
    return len(held) == 1 and np.unique(cell).size > 1 and len(next(iter(held))) > 2


def _is_smooth(column: pa.ChunkedArray, name: str, cell: np.ndarray, scores: np.ndarray) -> bool:
    """Whether scores follow each other as those of one run do: by the correlation of neighbors, over all cells."""
    try:
        step = as_numbers(column, name)
    except InvalidScores:
        return False
    known = np.flatnonzero(np.isfinite(scores) & np.isfinite(step))
    known = known[np.lexsort((step[known], cell[known]))]
    together, n = 0.0, 0
    for rows in np.split(known, np.flatnonzero(np.diff(cell[known])) + 1):
        if rows.size < FEWEST_IN_ORDER:
            continue
        # Ranks: one wild score must not hide a curve, nor make one. Equal scores share theirs: by their places
        # in the table, ties would be smooth.
        _, place, times = np.unique(scores[rows], return_inverse=True, return_counts=True)
        ranks = (np.cumsum(times) - (times + 1) / 2.0)[place] - (rows.size - 1) / 2.0
        if times.size == 1:
            continue
        together += rows.size * float(ranks[:-1] @ ranks[1:]) / float(ranks @ ranks)
        n += rows.size
    return n > 0 and together / np.sqrt(n) > SMOOTH


def _curves(table: pa.Table, name: str, run: np.ndarray) -> Note:
    column = table[name]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    label = codes(column)
    found = column.combine_chunks().unique().to_pylist()
    try:
        reached = as_numbers(column, name)
        low, high = f"{np.nanmin(reached):.15g}", f"{np.nanmax(reached):.15g}"
        order = np.argsort([np.nan_to_num(v, nan=-np.inf) for v in as_numbers(pa.chunked_array([found]), name)])
    except (InvalidScores, pa.ArrowException):
        low, high, order = str(found[0]), str(found[-1]), np.arange(len(found))
    pairs = np.unique(np.stack([run, label]), axis=1)
    held = np.bincount(pairs[1], minlength=len(found))
    n_runs = np.unique(run).size
    # `codes` counts labels in order of appearance, as `unique` lists them.
    order_of = {int(one): place for place, one in enumerate(order)}
    everywhere = [i for i in order if found[i] is not None and held[i] == n_runs]
    last = f"{found[everywhere[-1]]:.15g}" if everywhere and isinstance(found[everywhere[-1]], (int, float)) else None
    # Whether runs end there: a step that all have may lie far before the end of most.
    furthest = {r: max(order_of[p] for p in pairs[1][pairs[0] == r]) for r in np.unique(run)[:1000]}
    ends = bool(everywhere) and np.mean([place == order_of[everywhere[-1]] for place in furthest.values()]) >= 0.5
    steps = int(np.median(np.unique(pairs[0], return_counts=True)[1]))
    values = {
        "column": name,
        "n": steps,
        "ends": bool(ends),
        "low": low,
        "high": high,
        "last": last,
        "numbers_runs": plain(name) in NUMBERS_OR_STEPS,
    }
    return Note(NoteKind.ASKS_CURVES, "where", values)
