"""The door: Trials, and whatever `ogive.read` takes, become cells; a table of means becomes moments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.arguments import FloatArray, Goal, as_goal
from ogive.errors import InputError, NoTime
from ogive.importers import (
    ALIASES,
    METHOD_NAMES,
    column_called,
    is_cv_results,
    is_larger_better,
    plain_frame,
    search_scores,
)  # fmt: skip
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.profiles import _moments
from ogive.profiles._cells import Cells, Moments, Table
from ogive.trials import Trials
from ogive.words import plural

if TYPE_CHECKING:
    import pandas as pd

FAILED = ("error", "timeout", "memory", "crashed")

GOAL_NOTES = (NoteKind.GOAL_GUESSED, NoteKind.GOAL_ASSUMED)
UNIT_NOTES = (NoteKind.ASSUMES_INDEPENDENCE, NoteKind.SHARED_UNIT, NoteKind.UNIT_SAID)


def profile_table(source: Any, kind: str = "ratio", **said: Any) -> Table:
    """A table for `performance_profile`, read with what is said to `ogive.read`.

    What `read` does not know: a table that names no method is wide, its rows are problems, and it may hold means
    with spreads, with `n` runs behind each where no column says so (a number, or one for each method).
    """
    return as_table(source, costs=kind == "ratio", **said)


def as_table(
    source: Any, *, costs: bool = False, metric: str | None = None, goal: str | None = None, n: _moments.Counts = None,
    time_limit: float | None = None, floor: float | None = None, **said: Any,
) -> Table:  # fmt: skip
    """Any table as cells or moments, its direction that of `ogive.read`.

    With `costs` a time limit or a clock's floor says that a score is a time, where its name does not say otherwise.
    """
    direction = None if goal is None else as_goal(goal)
    if isinstance(source, (Cells, Moments)):
        return source if direction is None else source.toward(direction)
    timed = costs and (time_limit is not None or floor is not None)
    if isinstance(source, Trials) and time_limit is None and not any(said.values()):
        return from_trials(source, metric, direction, timed=timed)
    wide, name = said.pop("wide", None), ""
    frame = _as_frame(source, said)
    if frame is not None:
        name = Path(source).name if isinstance(source, (str, os.PathLike)) else "data frame"
        if _moments.has_moments(frame):
            toward: Goal = direction or ("minimize" if timed else "maximize")
            found = _moments.from_frame(frame, n, toward, wide=_is_wide(frame, wide, said), **said)
            return replace(found, source=name, unsaid="mean" if direction is None and not timed else "")
        wide = _is_wide(frame, wide, said)
        source = _with_problems(frame) if wide and not said.get("task") and _is_nameless(frame) else source
    elif isinstance(source, Mapping) and not is_cv_results(source):
        source = _by_problem(source)
    trials = _read(source, direction, costs, time_limit, wide=bool(wide), **said)
    cells = from_trials(trials, metric, direction, timed=timed)
    known = any(note.kind is NoteKind.ROLE and note.argument in ("repeat", "fold") for note in trials.notes)
    # What one independent draw is matters to no distance; where runs are counted the profile says it. Nor has a
    # dictionary columns whose roles could be wrong.
    unsaid = (*UNIT_NOTES, NoteKind.ROLE, *GOAL_NOTES) if isinstance(source, Mapping) else UNIT_NOTES
    reading = (note for note in cells.reading if note.kind not in unsaid)
    return replace(cells, repeated=known, reading=tuple(reading), source=name or cells.source)


def _as_frame(source: Any, said: Mapping[str, Any]) -> pd.DataFrame | None:
    """A plain table as a pandas frame: a file, a frame, or what can turn itself into one; None for other sources."""
    if isinstance(source, (str, os.PathLike)):
        return plain_frame(os.fspath(source), task=said.get("task"), algorithm=said.get("algorithm"))
    if isinstance(source, Trials):
        return None
    frame: Any = None
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        frame = source
    elif hasattr(source, "to_pandas"):
        frame = source.to_pandas()
    elif hasattr(source, "__arrow_c_stream__"):
        import pyarrow as pa

        frame = pa.table(source).to_pandas()
    if not hasattr(frame, "columns"):
        return None
    named: pd.DataFrame = frame.reset_index() if any(name is not None for name in frame.index.names) else frame
    return named.rename(columns=str)


def _is_wide(frame: pd.DataFrame, wide: bool | None, said: Mapping[str, Any]) -> bool:
    """What the caller says, else whether no column names the methods, nor may: the first, where its text comes again."""
    if wide is not None or said.get("algorithm") or said.get("score"):
        return bool(wide)
    columns = list(frame.columns)
    if column_called(columns, METHOD_NAMES) is not None or search_scores(columns):
        return False
    first = frame.iloc[:, 0]
    named = said.get("task") or column_called(columns[:1], (*ALIASES["task"], *ALIASES["item"]))
    if named or first.dtype.kind in "fiub" or first.is_unique:
        return True
    return any(_moments.parse_plus_minus(text) is not None for text in first)


def _is_nameless(frame: pd.DataFrame) -> bool:
    """Whether neither a column nor the index says which problem a row of a wide table is."""
    called = column_called(list(frame.columns), ALIASES["task"]) is not None
    return not called and all(dtype.kind in "fiub" for dtype in (*frame.dtypes, frame.index.dtype))


def _with_problems(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename_axis("problem").reset_index()


def _by_problem(table: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A dictionary whose flat lists hold one value for each problem; `read` takes them for runs of one."""
    flat = {m: v for m, v in table.items() if _is_flat(v)}
    lengths = {str(m): len(v) for m, v in flat.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{m!r}: {n}" for m, n in lengths.items())
        raise InputError(f"every method needs a value for the same problems; got {found}.")
    return {m: {f"task {i + 1}": x for i, x in enumerate(v)} if m in flat else v for m, v in table.items()}


def _is_flat(values: Any) -> bool:
    """Whether values are a list of numbers and neither name their problems nor hold lists."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
        return False
    if hasattr(values, "iloc") and values.index.dtype.kind not in "iu":
        return False  # a series with labels
    return not any(hasattr(value, "__len__") and not isinstance(value, (str, bytes)) for value in values)


def _read(source: Any, goal: Goal | None, costs: bool, time_limit: float | None, **said: Any) -> Trials:
    """Trials with the runs that reach the time limit as timeouts, where a column of times is found.

    Where none is and the profile takes the score itself for a time or cost, it judges the score later.
    """
    from ogive.reading import read

    try:
        return read(source, goal=goal, time_limit=time_limit, **said)
    except NoTime:
        if goal is not None or not costs:
            raise
        return read(source, goal=goal, **said)


def from_trials(trials: Trials, metric: str | None, goal: Goal | None, *, timed: bool) -> Cells:
    """The runs of Trials; units that hold several rows become one run, their mean."""
    if trials.question is not None:
        raise InputError(trials.question)
    name = trials.metric_name(metric)
    guesses = [n for n in trials.notes if n.kind in GOAL_NOTES and n.values["metric"] == name]
    # A limit that judged another column, and a name such as accuracy, speak against a score that is a time or cost.
    beside = any(n.kind is NoteKind.AT_TIME_LIMIT and n.values.get("column", name) != name for n in trials.notes)
    assumed = bool(guesses) and timed and not beside and not is_larger_better(name)
    direction = goal or ("minimize" if assumed else as_goal(trials.goals[name]))
    unfinished = tuple(n for n in trials.notes if n.kind is NoteKind.UNFINISHED)  # said beside the curves
    reading = [n for n in trials.notes if n not in guesses and n not in unfinished]
    if guesses and goal is None:
        settled = {"metric": name, "goal": direction, "by_name": direction == trials.goals[name]}
        reading.append(Note(NoteKind.GOAL_GUESSED, "goal", settled))
    varied = (Note(NoteKind.VARIED, values={"varied": trials.varied}),) if trials.varied else ()
    failure = Metric(direction).worst
    values = trials.values(name).copy()
    status = np.array(trials.table["status"].to_pylist(), dtype=object)
    cell = trials.codes("algorithm") * len(trials.tasks) + trials.codes("task")
    failed = np.isin(status, FAILED)
    recorded = {} if trials.clustered else _recorded(trials, cell, values, failed & np.isfinite(values))
    values[failed | np.isinf(values)] = failure
    if trials.clustered:
        cell, values = _by_unit(cell, trials.codes("group"), values)
    order = np.argsort(cell, kind="stable")
    counts = np.bincount(cell, minlength=len(trials.algorithms) * len(trials.tasks))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.intp)
    return Cells(
        trials.algorithms, trials.tasks, values[order], starts, direction, independent=trials.independent,
        folds=trials.n_folds is not None, source=trials.source, reading=tuple(reading), notes=(*varied, *unfinished),
        recorded=recorded, unsaid=name if guesses and goal is None and direction == "maximize" else "",
        bounds=trials.bounds[name],
    )  # fmt: skip


def _recorded(trials: Trials, cell: Any, values: FloatArray, rows: Any) -> dict[tuple[str, str], FloatArray]:
    """The values of these rows by method and problem."""
    places = np.flatnonzero(rows)
    places = places[np.argsort(cell[places], kind="stable")]
    found, begins = np.unique(cell[places], return_index=True)
    parts = np.split(values[places], begins[1:])
    width = len(trials.tasks)
    return {
        (trials.algorithms[c // width], trials.tasks[c % width]): part for c, part in zip(found, parts, strict=False)
    }


def _by_unit(cell: Any, group: Any, values: FloatArray) -> tuple[Any, FloatArray]:
    key = cell * (int(group.max(initial=0)) + 2) + group + 1
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    return cell[first], np.asarray(np.bincount(code, weights=values) / np.bincount(code))


def refuse_duplicates(cells: Cells, how: str | None) -> None:
    """Refuse several rows in a cell where nothing says that they are runs, or where an item is what problems are."""
    sizes = cells.sizes
    if how is not None or not (sizes > 1).any():
        return
    m, p = np.argwhere(sizes > 1)[0]
    rows = plural(int(sizes[m, p]), "row")
    roles = {n.argument: n.values["columns"] for n in cells.reading if n.kind is NoteKind.ROLE}
    if "item" in roles and len(cells.problems) == 1 and not {"repeat", "fold"} & roles.keys():
        item = roles["item"][0]
        raise InputError(
            f"{cells.methods[m]!r} has {rows} and no column names the problems; if {item!r} does, say task={item!r} when "
            "the table is read."
        )
    if not cells.repeated:
        raise InputError(
            f"{cells.methods[m]!r} on {cells.problems[p]!r} has {rows} and no column numbers the runs; "
            "if they are runs say runs='mean', 'median' or 'best', or name the column with repeat= when the table is read."
        )


def refuse_gains(table: Table) -> None:
    """Refuse ratios of what is to be large, or of what nobody calls a time or cost: the worst method would be named best."""
    if not table.unsaid:
        return
    what = f"{table.unsaid!r} is to be large" if is_larger_better(table.unsaid) else f"nothing says that {table.unsaid!r} is one"  # fmt: skip
    raise InputError(
        f"kind='ratio' is for times and costs, and {what}; say kind='difference', or kind='improvement' where cells have "
        "several runs, if large values are good, and goal='minimize' if small ones are."
    )
