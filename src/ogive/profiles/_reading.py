"""The door for tables: dictionaries, wide and long frames, files, Trials and tables of means become cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.arguments import FloatArray, Goal, as_goal, as_names
from ogive.errors import InputError, NoTime
from ogive.importers import ALIASES, METHOD_NAMES, column_called, is_larger_better, plain_frame, rows_where
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.profiles import _moments
from ogive.profiles._cells import Cells, Moments, Table, from_matrix
from ogive.trials import Trials
from ogive.words import plural

if TYPE_CHECKING:
    import pandas as pd

FAILED = ("error", "timeout", "memory", "crashed")

GOAL_NOTES = (NoteKind.GOAL_GUESSED, NoteKind.GOAL_ASSUMED)
UNIT_NOTES = (NoteKind.ASSUMES_INDEPENDENCE, NoteKind.SHARED_UNIT, NoteKind.UNIT_SAID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What the caller says about a table's columns."""

    algorithm: str | Sequence[str] | None = None
    task: str | Sequence[str] | None = None
    score: str | None = None
    repeat: str | None = None
    status: str | None = None
    metric: str | None = None
    wide: bool | None = None
    n: int | Mapping[str, int] | None = None
    where: Mapping[str, Any] | str | Sequence[str] | None = None
    without: str | Sequence[str] | None = None
    time_limit: float | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """Methods that are left out."""
        return () if self.without is None else as_names(self.without, "without")


def default_goal(kind: str) -> Goal:
    """Which values are good where neither caller nor table says: small times and costs, else large scores."""
    return "minimize" if kind == "ratio" else "maximize"


def profile_table(source: Any, kind: str = "ratio", *, goal: str | None = None, **said: Any) -> Table:
    """A table with what is said about its columns, as `ogive profile` reads it: wide, long, or of means with spreads.

    `performance_profile` takes what comes back. In Python a table is read by `ogive.read`, which knows no means.
    """
    return as_table(source, Roles(**said), goal, default_goal(kind))


def as_table(source: Any, roles: Roles, goal: str | None, default: Goal) -> Table:
    """Any table as cells or moments; `default` is the direction where neither caller nor table names one."""
    said = None if goal is None else as_goal(goal)
    if isinstance(source, (Cells, Moments)):
        return source
    if isinstance(source, Trials):
        if roles.where is not None or roles.without is not None or roles.time_limit is not None:
            source = _read(source, said, default, roles.time_limit, where=roles.where, without=roles.without)
        return from_trials(source, roles.metric, said, default)
    if isinstance(source, Mapping):
        if roles.where is not None:
            raise InputError("`where` chooses rows by their columns, and a dictionary has none; leave it out.")
        return _without(_from_dictionary(source, said, default), roles)
    if isinstance(source, (str, Path)):
        return _without(_from_path(source, roles, said, default), roles)
    frame = _as_pandas(source)
    if frame is None:  # several sources, a study, a search
        return _without(_from_read(source, roles, said, default), roles)
    return _without(_from_frame(frame, roles, said, default, "data frame"), roles)


def _without(table: Table, roles: Roles) -> Table:
    """The table without the methods that are left out, where reading has not left them out already."""
    names = [name for name in roles.left_out if name in table.methods]
    unknown = [name for name in roles.left_out if name not in table.methods]
    if unknown and not any(note.kind is NoteKind.METHODS_LEFT_OUT for note in table.reading):
        raise InputError(
            f"`without` must name a method of the table; got {unknown[0]!r}. It has {', '.join(map(repr, table.methods))}."
        )
    if not names:
        return table
    note = Note(NoteKind.METHODS_LEFT_OUT, "without", {"methods": roles.left_out})
    left = table.only([name for name in table.methods if name not in names])
    return replace(left, reading=(*left.reading, note))


def _as_pandas(source: Any) -> pd.DataFrame | None:
    """A pandas frame, or what can turn itself into one; pandas is never imported here."""
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        frame: pd.DataFrame = source
        return frame
    if hasattr(source, "to_pandas"):
        turned: pd.DataFrame = source.to_pandas()
        return turned if hasattr(turned, "columns") else None
    if hasattr(source, "__arrow_c_stream__"):
        import pyarrow as pa

        streamed: pd.DataFrame = pa.table(source).to_pandas()
        return streamed
    return None


def _from_path(source: str | Path, roles: Roles, goal: Goal | None, default: Goal) -> Table:
    frame = plain_frame(source, task=roles.task, algorithm=roles.algorithm)
    if frame is not None and (_moments.has_moments(frame) or not _is_long(frame, roles)):
        return _from_frame(frame, roles, goal, default, Path(source).name)
    return _from_read(source, roles, goal, default)


def _from_frame(frame: pd.DataFrame, roles: Roles, goal: Goal | None, default: Goal, source: str) -> Table:
    if any(name is not None for name in frame.index.names) and _is_long(frame.reset_index(), roles):
        frame = frame.reset_index()
    frame = frame.rename(columns=str)
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"the table has several columns named {repeated[0]!r}; every method has one column.")
    if len(frame) == 0:
        raise InputError("the table has no rows.")
    long, means = _is_long(frame, roles), _moments.has_moments(frame)
    # The runs of a long table are chosen by `read`.
    frame, notes = (frame, ()) if long and not means else _kept(frame, roles, long)
    found: Table
    if means:
        found = (
            _moments.from_long(frame, roles.n, goal or default, _one(roles.algorithm), _one(roles.task))
            if long
            else _moments.from_wide(_indexed(frame, roles), roles.n, goal or default)
        )
        return replace(found, source=source, reading=(*found.reading, *notes))
    if long:
        return _from_read(frame, roles, goal, default)
    found = _from_wide(_indexed(frame, roles), goal or default, source)
    return replace(found, reading=(*found.reading, *notes))


def _kept(frame: pd.DataFrame, roles: Roles, long: bool) -> tuple[pd.DataFrame, Sequence[Note]]:
    """The rows of a frame that are asked for, a wide one without the columns that chose them; and what should be said."""
    if roles.where is None:
        return frame, ()
    import pyarrow as pa

    columns = pa.table({name: _as_arrow(frame[name]) for name in frame.columns})
    rows, left, notes = rows_where(columns, roles.where, task=None if long else _one(roles.task), wide=not long)
    return frame.iloc[rows][left], notes


def _as_arrow(column: Any) -> Any:
    """A column as Arrow; one that holds numbers and words as text."""
    import pyarrow as pa

    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.array([None if missing else str(v) for v, missing in zip(column, column.isna(), strict=True)])


def _is_long(frame: pd.DataFrame, roles: Roles) -> bool:
    if roles.wide is not None:
        return not roles.wide
    if roles.algorithm is not None or roles.score is not None:
        return True
    return column_called([str(c) for c in frame.columns], METHOD_NAMES) is not None


def _indexed(frame: pd.DataFrame, roles: Roles) -> pd.DataFrame:
    """A wide frame whose index names the problems: a column called so, or the first column of names."""
    columns = [str(c) for c in frame.columns]
    names = _one(roles.task) or column_called(columns, ALIASES["task"])
    if names is None:
        plus_minus = _moments.has_moments(frame)
        text = [c for c in columns if frame[c].dtype.kind not in "fiub" and not (plus_minus and _is_value(frame[c]))]
        names = text[0] if text and text[0] == columns[0] else None
    if names is not None and names not in columns:
        raise InputError(f"`task`: there is no column {names!r}; the columns are {', '.join(columns)}.")
    frame = frame if names is None else frame.set_index(names)
    twice = frame.index[frame.index.duplicated()]
    if len(twice):
        raise InputError(
            f"problem {str(twice[0])!r} has several rows; a wide table has one for each problem. For several runs use a long table."
        )
    return frame


def _one(columns: str | Sequence[str] | None) -> str | None:
    """The one column of a role, where a table takes no more."""
    if columns is None or isinstance(columns, str):
        return columns
    if len(columns) > 1:
        raise InputError(
            f"several columns make one name in long tables of runs only; got {', '.join(map(repr, columns))}."
        )
    return columns[0]


def _is_value(column: Any) -> bool:
    return any(_moments.parse_plus_minus(v) is not None for v in column.tolist())


def _from_wide(frame: pd.DataFrame, goal: Goal, source: str) -> Cells:
    columns = [_numbers(frame[c].tolist(), str(c)) for c in frame.columns]
    if not columns:
        raise InputError("the table has no column of numbers; every method has one column.")
    methods, problems = [str(c) for c in frame.columns], [str(p) for p in frame.index]
    return from_matrix(methods, problems, np.stack(columns), goal, source).infinite_is_failed()


def _from_read(source: Any, roles: Roles, goal: Goal | None, default: Goal) -> Cells:
    trials = _read(
        source, goal, default, roles.time_limit, score=roles.score, algorithm=roles.algorithm, task=roles.task,
        repeat=roles.repeat, status=roles.status, wide=bool(roles.wide), where=roles.where, without=roles.without,
    )  # fmt: skip
    cells = from_trials(trials, roles.metric, goal, default)
    known = roles.repeat is not None or any(
        note.kind is NoteKind.ROLE and note.argument in ("repeat", "fold") for note in trials.notes
    )
    # What one independent draw is matters to no distance; where runs are counted the profile says it.
    return replace(cells, repeated=known, reading=tuple(n for n in cells.reading if n.kind not in UNIT_NOTES))


def _read(source: Any, goal: Goal | None, default: Goal, time_limit: float | None, **said: Any) -> Trials:
    """Trials with the runs that reach the time limit as timeouts, where a column of times is found.

    Where none is and the profile takes the score itself for a time or cost, it judges the score later.
    """
    from ogive.reading import read

    try:
        return read(source, goal=goal, time_limit=time_limit, **said)
    except NoTime:
        if goal is not None or default != "minimize":
            raise
        return read(source, goal=goal, **said)


def from_trials(trials: Trials, metric: str | None, goal: Goal | None, default: Goal) -> Cells:
    """The runs of Trials; units that hold several rows become one run, their mean."""
    if trials.question is not None:
        raise InputError(trials.question)
    name = trials.metric_name(metric)
    guesses = [n for n in trials.notes if n.kind in GOAL_NOTES and n.values["metric"] == name]
    # A limit that judged another column, and a name such as accuracy, speak against a score that is a time or cost.
    beside = any(n.kind is NoteKind.AT_TIME_LIMIT and n.values.get("column", name) != name for n in trials.notes)
    assumed = bool(guesses) and default == "minimize" and not beside and not is_larger_better(name)
    direction = goal or (default if assumed else as_goal(trials.goals[name]))
    unfinished = tuple(n for n in trials.notes if n.kind is NoteKind.UNFINISHED)  # said beside the curves
    reading = [n for n in trials.notes if n not in guesses and n not in unfinished]
    if guesses:
        settled = {"metric": name, "goal": direction, "by_name": False}
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
        recorded=recorded,
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


def _from_dictionary(table: Mapping[Any, Any], goal: Goal | None, default: Goal) -> Cells:
    """A dictionary as `read` reads it; but a profile is of several problems, so that a flat list holds one run on each."""
    flat = {m: v for m, v in table.items() if _is_flat(v)}
    lengths = {str(m): len(v) for m, v in flat.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{m!r}: {n}" for m, n in lengths.items())
        raise InputError(f"every method needs a value for the same problems; got {found}.")
    by_problem = {m: {f"task {i + 1}": x for i, x in enumerate(v)} if m in flat else v for m, v in table.items()}
    return replace(_from_read(by_problem, Roles(), goal, default), reading=())


def _is_flat(values: Any) -> bool:
    """Whether values are a list of numbers and neither name their problems nor hold lists."""
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
        return False
    if hasattr(values, "iloc") and values.index.dtype.kind not in "iu":
        return False  # a series with labels
    return not any(hasattr(value, "__len__") and not isinstance(value, (str, bytes)) for value in values)


def _numbers(values: list[Any], name: str) -> FloatArray:
    try:
        if any(isinstance(v, (str, bytes)) for v in values):
            raise ValueError
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except (TypeError, ValueError):
        text = next((v for v in values if isinstance(v, (str, bytes))), values[0] if values else None)
        raise InputError(f"the values of {name!r} must be numbers; got {text!r:.40}.") from None


def refuse_duplicates(cells: Cells, how: str | None) -> None:
    """Refuse several rows in a cell where nothing says that they are runs."""
    if cells.repeated or how is not None:
        return
    sizes = cells.sizes
    if (sizes > 1).any():
        m, p = np.argwhere(sizes > 1)[0]
        raise InputError(
            f"{cells.methods[m]!r} on {cells.problems[p]!r} has {plural(int(sizes[m, p]), 'row')} and no column numbers the runs; "
            "if they are runs say runs='mean', 'median' or 'best', or name the column with repeat= when the table is read."
        )
