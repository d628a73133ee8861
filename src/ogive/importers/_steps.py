"""Rows that are steps of runs become runs that have a curve; and which score a run with a curve has.

The rules, each of which a note says where it was used:

* A run is a method on a task, under one seed and fold and with one configuration. A parameter that changes while the steps of
  a run go on, none of them twice, is a schedule and no configuration.
* Rows of a run are put in the order of their steps, whatever their order in the file.
* A row without a step and without a score is left out; one with a score is refused.
* Where a few steps stand twice in a run, as where it went on from a checkpoint, the later row counts. Where most do, several
  runs stand in one, and the column that tells them apart is asked for.
* Steps that are no whole numbers are rounded to 14 digits, so that 3 * 0.1 is 0.3.
* A step without a value is one at which nothing was evaluated (`Staircase` has the rules for values that stop before the run,
  and for infinite ones).
* Everything else that is known of a run is taken from its last step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray, as_goal
from ogive.errors import InputError, InvalidScores
from ogive.importers._columns import as_numbers, as_text, holds_text, inexact_integers, numbers_and_note
from ogive.importers._roles import COUNTS_OR_STEPS, EPISODES, NUMBERS_OR_STEPS, STEPS, Roles, plain
from ogive.importers._within import codes, few_valued, is_identifier, label_counts, varies
from ogive.metric import Bounds, Metric, goal_in_name
from ogive.notes import Note, NoteKind
from ogive.schema import OK
from ogive.trials import SERIES, Staircase, Trials, compact, just_above, the_one
from ogive.words import plural, quoted

FEWEST_IN_ORDER = 8
SMOOTH = 5.0  # standard errors; independent runs come out so smooth in 3 of 10 million tables
MOST_TWICE = 0.5  # the share of steps that may stand twice in a run that was gone on with
UNEVEN = 0.1  # of the longest run: what another may lack before it is said
ROW = "\0run"


@dataclass(frozen=True, slots=True)
class Curves:
    """Runs over their steps, by the number that stands in the column `ROW` of their table."""

    step: str
    steps: tuple[FloatArray, ...]
    values: Mapping[str, tuple[FloatArray, ...]]

    def table(self, algorithm: pa.Array, task: pa.Array, trial: IntArray, row: IntArray) -> pa.Table:
        """The series of these runs, named by the methods, tasks and trial numbers that they were given."""
        names = {self.step: self.steps, **self.values}
        parts = []
        for name, held in names.items():
            chosen = [held[r] for r in row.tolist()]
            ends = np.concatenate([[0], np.cumsum([len(one) for one in chosen])]).astype(np.int32)
            values = pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate(chosen)))
            columns = [as_text(algorithm), as_text(task), pa.array(trial), pa.array([name] * len(chosen)), values]
            parts.append(pa.table(dict(zip(SERIES.names, columns, strict=True))).cast(SERIES))
        return pa.concat_tables(parts)


def gathered(table: pa.Table, roles: Roles, unit: str | None) -> tuple[pa.Table, Roles, Curves | None, list[Note]]:
    """One row for each run of a table over steps, and the curves; any other table as it is."""
    declared, roles = roles, _without_counter(table, roles)
    run = _runs(table, roles, unit)
    roles = _with_episodes(table, roles, run, unit)
    name = _step_column(table, roles, run, unit)
    if name is None:
        return table, replace(declared, step=None), None, []
    run, roles = _apart(table, roles, run, name)
    if roles.item is not None:
        raise InputError(
            f"`item` {roles.item!r} has rows at several steps ({name!r}), and a curve is of whole runs; choose one step with where=, or "
            f"leave the column out for the scores of runs."
        )
    notes: list[Note] = []
    step = _numbers_of_steps(table, name)
    values: dict[str, FloatArray] = {}
    for score in roles.score:
        values[score], written = numbers_and_note(table[score], score)
        notes += [] if written is None else [written]
        notes += inexact_integers(table[score], score, values[score])
    n_rows = table.num_rows
    table, run, step, values, left = _placed(table, name, run, step, values)
    kept, order = _in_order(table, roles, name, run, step, values)
    n_twice = order.size - kept.size
    step, run = step[kept], run[kept]
    starts = np.flatnonzero(np.append(True, np.diff(run) != 0))
    steps = tuple(np.split(step, starts[1:]))
    paths = {score: tuple(np.split(seen[kept], starts[1:])) for score, seen in values.items()}
    last = kept[np.append(starts[1:], kept.size) - 1]
    firsts = np.minimum.reduceat(kept, starts)
    turn = np.argsort(firsts, kind="stable")  # runs in their order of appearance
    one = table.take(pa.array(last[turn]))
    doubts: list[Note] = []
    for score, runs in paths.items():
        read = [Staircase.of(steps[r], runs[r]) for r in turn.tolist()]
        final = [run.last() for run in read]
        one = one.set_column(one.column_names.index(score), score, pa.array(np.array(final)))
        doubts += _doubts_of(score, read, [runs[r] for r in turn.tolist()])
    changing = [c for c in roles.unused if c != name and varies(run, table[c].take(pa.array(kept)))]
    one = one.drop_columns([name, *changing]).append_column(ROW, pa.array(turn))
    ends = np.array([at[-1] for at in steps])
    sizes = np.diff(np.append(starts, kept.size))
    said = {
        "column": name, "guessed": "step" in roles.guessed, "n_rows": n_rows, "n_runs": int(starts.size),
        "least": int(sizes.min()), "most": int(sizes.max()), "first_end": float(ends.min()), "last_end": float(ends.max()),
    }  # fmt: skip
    notes += [Note(NoteKind.CURVES_READ, "step", said), *doubts]
    notes += [Note(NoteKind.STEPS_EMPTY, values={"column": name, "n": left})] if left else []
    notes += [Note(NoteKind.STEPS_TWICE, values={"column": name, "n": n_twice})] if n_twice else []
    roles = replace(
        roles, step=None, blank=tuple(c for c in roles.blank if c in one.column_names),
        unused=tuple(c for c in roles.unused if c in one.column_names),
    )  # fmt: skip
    return one, roles, Curves(name, steps, paths), notes


def _without_counter(table: pa.Table, roles: Roles) -> Roles:
    """An item that counts on with the steps is the number of an episode, and no question of its own."""
    if roles.step is None or roles.item is None or "item" not in roles.guessed or plain(roles.step) == "epoch":
        return roles
    run = labeled(np.zeros(table.num_rows, dtype=np.int64), table, *_naming(roles))
    alone = is_identifier(run, table[roles.item])
    return replace(roles, item=None, unused=(*roles.unused, roles.item)) if alone else roles


def _with_episodes(table: pa.Table, roles: Roles, run: IntArray, unit: str | None) -> Roles:
    """The number of an episode is a step where scores of a run follow each other; where they do not, rows may be tests of it."""
    if roles.step is not None or roles.item is not None or roles.fold is not None or unit is not None:
        return roles
    name = next((c for c in roles.unused if counts_within(table, c, run)), None)
    if name is None or not _is_smooth(table, name, run, roles.score[0]):
        return roles
    if roles.repeat is None or plain(name) != EPISODES[0]:
        raise InputError(_asked(table, name, run))
    unused = tuple(c for c in roles.unused if c != name)
    return replace(roles, step=name, unused=unused, guessed=roles.guessed | {"step"})


def counts_within(table: pa.Table, name: str, run: IntArray) -> bool:
    """Whether a column is called as episodes are, and holds several whole numbers in each run, none twice."""
    column = table[name]
    if plain(name) not in EPISODES or not pa.types.is_integer(column.type) or column.null_count:
        return False
    return is_identifier(run, column) and 2 * int(run.max(initial=0)) + 2 <= table.num_rows


def _apart(table: pa.Table, roles: Roles, run: IntArray, name: str) -> tuple[IntArray, Roles]:
    """Runs told apart by a group where they share their seeds, as configurations do; environments that one run has side by side
    do not, and are no group."""
    if roles.group is None:
        return run, roles
    found = np.unique(np.stack([run, codes(table[name])]), axis=1)[0]
    steps, rows = np.bincount(found), np.bincount(run)
    if "group" not in roles.guessed or (rows > (1.0 + MOST_TWICE) * steps).any():
        return labeled(run, table, roles.group), roles
    return run, replace(roles, group=None, unused=(*roles.unused, roles.group))


def _naming(roles: Roles) -> tuple[str | None, ...]:
    return (roles.algorithm, roles.task, roles.repeat, roles.fold)


def _runs(table: pa.Table, roles: Roles, unit: str | None) -> IntArray:
    """A number for each run: what has one method, task, seed, fold and configuration."""
    own = {roles.pair, unit} & set(table.column_names) - {roles.step}
    names = [*_naming(roles), *sorted(c for c in own if c is not None)]
    run = labeled(np.zeros(table.num_rows, dtype=np.int64), table, *names)
    configured = labeled(run, table, *roles.params)
    if roles.step is None or not roles.params or not table.num_rows:
        return configured
    # A rate that falls with every step is a schedule, and no configuration of its own.
    if configured.max(initial=0) + 1 > 0.5 * table.num_rows and run.max(initial=0) + 1 <= 0.5 * table.num_rows:
        return run
    # Settings that were each run to one number of steps, and asked for several items there, are no schedule.
    if "step" in roles.guessed and np.median(label_counts(configured, table[roles.step])) < 2:
        return configured
    return _without_schedules(table, run, roles.params, codes(table[roles.step]))


def _without_schedules(table: pa.Table, run: IntArray, params: tuple[str, ...], step: IntArray) -> IntArray:
    """Runs and their configurations, without the parameters that change while the steps of a run go on.

    Joined over the values of such a schedule, a run has no step more than once that it had once before.
    """
    own = list(params)
    configured = labeled(run, table, *own)
    places = _places(configured, step)
    for name in params:
        rest = [other for other in own if other != name]
        joined = labeled(run, table, *rest)
        if joined.max() == configured.max() or _places(joined, step) == places:
            own, configured = rest, joined
    return configured


def _places(run: IntArray, step: IntArray) -> int:
    """How many steps all runs have together."""
    return int(np.unique(run * (int(step.max()) + 1) + step).size)


def _doubts_of(score: str, read: list[Staircase], values: list[FloatArray]) -> list[Note]:
    """How many runs have infinite values, and how many rows after their last value, which they keep."""
    infinite = [bool(np.isinf(seen).any()) for seen in values]
    notes = []
    lost = [run.lost < np.inf and found for run, found in zip(read, infinite, strict=True)]
    if any(lost):
        # A value after the last that counts was not seen by the staircase.
        again = [
            on and bool(np.isfinite(seen[np.argmax(np.isfinite(seen)) :][run.steps.size :]).any())
            for on, run, seen in zip(lost, read, values, strict=True)
        ]
        said = {"column": score, "n": sum(lost), "of_runs": len(read), "n_again": sum(again)}
        notes.append(Note(NoteKind.CURVES_INFINITE, values=said))
    kept = sum(run.lost == np.inf and run.steps.size > 0 and bool(run.steps[-1] < run.end) for run in read)
    if kept:
        notes.append(Note(NoteKind.VALUE_KEPT, values={"column": score, "n": kept, "of_runs": len(read)}))
    return notes


def _without_rounding(step: FloatArray) -> FloatArray:
    """Steps that are no whole numbers to 14 digits: of 3 * 0.1 and 0.3 one is the other."""
    out = step.copy()
    broken = np.isfinite(step) & (step != np.round(step)) & (np.abs(step) > 1e-8)
    scale = 10.0 ** (13 - np.floor(np.log10(np.abs(step[broken]))))
    out[broken] = np.round(step[broken] * scale) / scale
    return out


def _numbers_of_steps(table: pa.Table, name: str) -> FloatArray:
    try:
        return _without_rounding(as_numbers(table[name], name))
    except InvalidScores:
        first = next((value for value in table[name].to_pylist() if value is not None), None)
        raise InputError(
            f"`step`: column {name!r} must hold numbers, how far a run had come; it holds values such as {str(first)[:40]!r}."
        ) from None


def labeled(cell: IntArray, table: pa.Table, *columns: str | None) -> IntArray:
    """A number for each cell and label of these columns, as far as there are such columns."""
    key = cell
    for name in columns:
        if name is not None:
            label = codes(as_text(table[name], name))
            key = np.unique(key * (int(label.max(initial=0)) + 1) + label, return_inverse=True)[1].reshape(-1)
    return key


def _step_column(table: pa.Table, roles: Roles, run: IntArray, unit: str | None) -> str | None:
    """The column of steps: declared, or beyond doubt by its name and what it holds; doubts are asked about."""
    name = roles.step
    if name is not None and "step" not in roles.guessed:
        return name
    cell = labeled(np.zeros(table.num_rows, dtype=np.int64), table, roles.algorithm, roles.task)
    numbers = roles.repeat if name is None and "repeat" in roles.guessed and not roles.params else None
    may_step = numbers is not None and numbers != unit and plain(numbers) in NUMBERS_OR_STEPS
    if numbers is not None and may_step and _is_smooth(table, numbers, cell, roles.score[0]):
        raise InputError(_asked(table, numbers, cell))
    if name is None or name == unit or (plain(name) == "epoch" and roles.item is not None):
        return None  # an item under several epochs was asked several times
    n_steps = label_counts(run, table[name])
    if np.count_nonzero(n_steps > 1) <= 0.5 * n_steps.size:
        return None
    alike = roles.repeat is not None or _is_alike(table, name, cell)
    again = roles.repeat is None and _begins_again(table, roles, name, cell)
    if plain(name) not in STEPS and (again or not alike):
        return None  # a number of runs, or of steps that each took
    # Without a seed, rows that differ in their steps may be runs that took so many.
    if plain(name) in COUNTS_OR_STEPS or not alike:
        raise InputError(_asked(table, name, run))
    return name


def _begins_again(table: pa.Table, roles: Roles, name: str, cell: IntArray) -> bool:
    """Whether a column counts from the beginning again under each query or machine, and is asked about with that."""
    words = [c for c in few_valued(table, roles.unused) if holds_text(table[c])]
    return any(is_identifier(labeled(cell, table, c), table[name]) for c in words)


def _is_alike(table: pa.Table, name: str, cell: IntArray) -> bool:
    """Whether a column holds the same steps in every cell, at least three."""
    label = codes(table[name])
    held = {tuple(np.unique(label[cell == c]).tolist()) for c in np.unique(cell)[:200]}
    return len(held) == 1 and len(next(iter(held))) > 2


def _is_smooth(table: pa.Table, name: str, cell: IntArray, score: str) -> bool:
    """Whether scores follow each other as those of one run do: by the correlation of neighbors, over all cells."""
    try:
        step, scores = as_numbers(table[name], name), as_numbers(table[score], score)
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


def _asked(table: pa.Table, name: str, run: IntArray) -> Note:
    """The question whether a column holds steps of runs."""
    try:
        reached = as_numbers(table[name], name)
        low, high = f"{np.nanmin(reached):.15g}", f"{np.nanmax(reached):.15g}"
    except InvalidScores:
        found = as_text(table[name], name).unique().to_pylist()
        low, high = str(found[0]), str(found[-1])
    steps = int(np.median(label_counts(run, table[name])))
    values = {"column": name, "n": steps, "low": low, "high": high, "numbers_runs": plain(name) in NUMBERS_OR_STEPS}
    return Note(NoteKind.ASKS_CURVES, "step", values)


def _placed(
    table: pa.Table, name: str, run: IntArray, step: FloatArray, values: dict[str, FloatArray]
) -> tuple[pa.Table, IntArray, FloatArray, dict[str, FloatArray], int]:
    """The rows that have a step, and how many have none; refused where such a row has a score."""
    lacking = ~np.isfinite(step)
    if not lacking.any():
        return table, run, step, values, 0
    scored = lacking & np.any([~np.isnan(seen) for seen in values.values()], axis=0)
    if scored.any():
        n, first = int(np.count_nonzero(scored)), int(np.flatnonzero(scored)[0]) + 1
        raise InputError(
            f"column {name!r} holds no number in {plural(n, 'row')} with a score (the first is row {first}), which then belongs to no step; fill it, or "
            f"leave such rows out with where={f'{name}!='!r}."
        )
    kept = ~lacking
    if not kept.any():
        raise InputError(f"`step`: column {name!r} is empty in every row; name the column of steps.")
    held = {score: seen[kept] for score, seen in values.items()}
    return table.filter(pa.array(kept)), run[kept], step[kept], held, int(np.count_nonzero(lacking))


def _in_order(
    table: pa.Table, roles: Roles, name: str, run: IntArray, step: FloatArray, values: dict[str, FloatArray]
) -> tuple[IntArray, IntArray]:
    """Rows by run and step, of rows of one step the last; and all of them in this order."""
    order = np.lexsort((np.arange(step.size), step, run))
    same = (np.diff(run[order]) == 0) & (np.diff(step[order]) == 0.0)
    if not same.any():
        return order, order
    twice = np.bincount(run[order][1:][same], minlength=int(run.max()) + 1)
    steps = np.bincount(run[order][np.append(True, ~same)], minlength=twice.size)
    several = np.flatnonzero(twice > MOST_TWICE * steps)
    if several.size:
        column = next((c for c in roles.unused if c != name and _tells_apart(table, c, run, step)), None)
        first = order[np.flatnonzero(run[order] == several[0])[0]]
        what = ", ".join(str(table[c][int(first)].as_py()) for c in _naming(roles) if c is not None) or "the table"
        way = (
            f"column {column!r} tells them apart: choose one of its values with where=, say repeat={column!r} if it numbers runs, or make it a "
            "part of the method or task"
            if column is not None
            else "name the column that numbers runs with repeat=, or add one"
        )
        raise InputError(
            f"column {name!r} holds the same steps several times in {plural(int(several.size), 'run')} of {np.unique(run).size} ({what}), as where "
            f"several runs stand in one; {way}."
        )
    # Of rows that log different scores at one step each gives its own.
    for seen in values.values():
        for place in np.flatnonzero(same):
            before, after = order[place], order[place + 1]
            if np.isnan(seen[after]):
                seen[after] = seen[before]
    return order[np.append(~same, True)], order


def _tells_apart(table: pa.Table, column: str, run: IntArray, step: FloatArray) -> bool:
    """Whether no step of a run stands twice under one label of a column, and labels are few."""
    label = codes(as_text(table[column], column))
    key = np.stack([run.astype(np.float64), label.astype(np.float64), step])
    return 2 * (int(label.max()) + 1) <= label.size and np.unique(key, axis=1).shape[1] == step.size


def scored(trials: Trials, *, budget: float | None = None, area: bool = False, metric: str | None = None) -> Trials:
    """The same runs, each with a score of its curve: its value, or its mean, at a budget of steps; at its end where there is none.

    A run that ended before the budget keeps its last value to it. One that was lost before it, or began later, has no score. One
    that failed after it, so that its rows reach the budget, is good there.
    `metric` names one score or series; where not given, all scores that were read over steps have theirs.
    """
    pairs = curves_of(trials) if metric is None else {(name := curve_named(trials, metric)[0]): name}
    status = trials.table["status"].chunk(0).cast(pa.string()).to_numpy(zero_copy_only=False)
    open_rows = np.isin(status, (OK, "invalid"))
    numbers, table = trials.table["trial"].chunk(0).to_numpy(), trials.table
    end = np.full(len(trials), -np.inf)
    lost = np.zeros(len(trials), dtype=bool)
    usable = np.zeros(len(trials), dtype=bool)
    for metric, name in pairs.items():
        found = np.full(len(trials), np.nan)
        for cell in trials.cells:
            runs = trials.curves(cell.algorithm, cell.task, name)
            for row in cell.rows.tolist():
                run = runs.get(int(numbers[row]))
                if run is not None:
                    found[row] = run.mean(budget) if area else run.last() if budget is None else run.at([budget])[0]
                    end[row] = max(end[row], run.end)
                    lost[row] |= run.lost < np.inf
        usable |= np.isfinite(found)
        place = table.column_names.index(metric) if metric in table.column_names else None
        column = pa.array(found)
        table = table.append_column(metric, column) if place is None else table.set_column(place, metric, column)
    ends = end[np.isfinite(end)]
    if budget is not None and ends.size and budget > just_above(ends.max()):
        raise InputError(
            f"`budget` {budget:,.15g} lies beyond the last step of every run, which is {ends.max():,.15g} at most."
        )
    dropped = [name for name in trials.metrics if name not in pairs]
    # A run that failed after the budget was good there, as on any grid that ends before.
    later = usable & (budget <= just_above(end)) if budget is not None else np.zeros(len(trials), dtype=bool)
    said = np.where(open_rows | later, np.where(usable, OK, "invalid"), status)
    revived = later & ~open_rows
    table = table.set_column(table.column_names.index("status"), "status", pa.array(said)).drop_columns(dropped)
    note = scored_note(
        trials.step_of(next(iter(pairs.values()))),
        ends,
        budget,
        "area" if area else "last",
        int((later & (revived | lost)).sum()),
    )
    notes = tuple(n for n in trials.notes if n.kind is not NoteKind.CURVE_SCORE)
    definitions = {metric: _definition(trials, metric) for metric in pairs}
    out = replace(trials, table=compact(table), definitions=definitions, notes=(*notes, note))
    return replace(out, series_source=_lost_at_the_end(trials, revived)) if revived.any() else out


def _lost_at_the_end(trials: Trials, rows: NDArray[np.bool_]) -> pa.Table:
    """The series, of which those of some rows say that the run was lost after its last step, as its status no longer does."""
    chosen = trials.table.filter(pa.array(rows))
    keys = set(zip(*(chosen[name].cast(SERIES.field(name).type).to_pylist() for name in SERIES.names[:3]), strict=True))
    held = trials.series_table
    columns = held.select(SERIES.names[:4]).to_pydict()
    values = held["values"].to_pylist()
    for i, (*key, name) in enumerate(zip(*columns.values(), strict=True)):
        if tuple(key) in keys and values[i]:
            values[i].append(float(np.nextafter(values[i][-1], np.inf)) if name == trials.step else np.inf)
    return pa.table({**columns, "values": values}, schema=SERIES)


def curve_named(trials: Trials, name: str | None) -> tuple[str, Metric]:
    """The score over steps that is asked for, the first where None, and which of its values are good."""
    if name is None:
        name = next(iter(curves_of(trials)))
    elif name not in trials.series_names:
        raise InputError(
            f"`metric` {name!r} has no values over steps; there are {quoted(trials.series_names) or 'none'}."
        )
    return name, _definition(trials, name)


def curves_of(trials: Trials, said: str = "metric") -> dict[str, str]:
    """The series of each metric; of a study whose series are no metrics, the one called alike, or its only one.

    `said` is the argument that names one where several could be meant.
    """
    names = trials.series_names
    if not names:
        raise InputError(
            "this is about runs with a curve, and the table has none: name its column of steps with step=, or let trials return a Series."
        )
    own = {metric: metric for metric in trials.metrics if metric in names}
    if own:
        return own
    alike = [name for name in names for metric in trials.metrics if _alike(name, metric)]
    name = alike[0] if len(alike) == 1 else the_one(said, None, names)
    return {name: name}


def series_called(trials: Trials, metric: str) -> str | None:
    """The series that is called as a score, or as many of it; None where there is none, or several are."""
    found = [name for name in trials.series_names if _alike(name, metric)]
    return metric if metric in found else found[0] if len(found) == 1 else None


def _alike(name: str, other: str) -> bool:
    """Whether one is the other in the plural: `returns` are the values of a `return`."""
    one, many = sorted((plain(name), plain(other)), key=len)
    return many in (one, f"{one}s", f"{one}es")


def _definition(trials: Trials, metric: str) -> Metric:
    """What is good of a metric; a series called `returns` has the direction of `return`, and its bounds where it keeps them."""
    if metric in trials.definitions:
        return trials.definitions[metric]
    alike = next((m for m in trials.metrics if _alike(m, metric)), None)
    goal = trials.goals[alike] if alike is not None else goal_in_name(metric)
    if goal is None:
        raise InputError(
            f"nothing says whether large or small values of the series {metric!r} are good; call it as one of {quoted(trials.metrics)}, or "
            "so that its name tells."
        )
    bounds: Bounds = (None, None) if alike is None else trials.bounds[alike]
    return Metric(as_goal(goal), bounds if _keeps(trials, metric, bounds) else (None, None))


def _keeps(trials: Trials, series: str, bounds: Bounds) -> bool:
    """Whether every value of a series lies within the bounds: the sum of it, called alike, would not."""
    table = trials.series_table
    held = (
        table["values"]
        .filter(pc.equal(table["name"], series))
        .combine_chunks()
        .flatten()
        .to_numpy(zero_copy_only=False)
    )
    known = held[np.isfinite(held)]
    low, high = bounds
    return bool((low is None or (known >= low).all()) and (high is None or (known <= high).all()))


def scored_note(step: str, ends: FloatArray, budget: float | None, how: str, n_later: int = 0) -> Note:
    """Which score of its curve a run has: its last, or its mean, up to its end or to a budget."""
    early = just_above(ends) < (ends.max() * (1.0 - UNEVEN) if budget is None else budget)
    said: dict[str, Any] = {
        "step": step, "how": how, "budget": budget, "n": int(ends.size), "n_early": int(np.count_nonzero(early)),
        "first_end": float(ends.min()), "last_end": float(ends.max()), "n_later": n_later,
    }  # fmt: skip
    return Note(NoteKind.CURVE_SCORE, "budget", said)
