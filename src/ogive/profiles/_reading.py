"""The door: Trials, and whatever `ogive.read` takes, become cells; a table of means with spreads becomes moments."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.arguments import FloatArray, Goal, as_goal, as_names
from ogive.errors import AmbiguousColumns, InputError, NoTime
from ogive.importers import (
    ALIASES,
    METHOD_NAMES,
    PARAM_PREFIXES,
    column_called,
    is_cv_results,
    is_larger_better,
    plain_frame,
    rows_where,
    search_scores,
)  # fmt: skip
from ogive.metric import Metric
from ogive.notes import Note, NoteKind, argument
from ogive.profiles._cells import Cells, Moments, Table, from_moments, limited, place_of, settle_missing
from ogive.trials import Trials
from ogive.words import listed, plural

if TYPE_CHECKING:
    import pandas as pd

FAILED = ("error", "timeout", "memory", "crashed")
GOAL_NOTES = (NoteKind.GOAL_GUESSED, NoteKind.GOAL_ASSUMED, NoteKind.GOAL_UNKNOWN)
UNIT_NOTES = (NoteKind.ASSUMES_INDEPENDENCE, NoteKind.SHARED_UNIT, NoteKind.UNIT_SAID)
# What columns of means are called.
MEANS, SPREADS = ("mean", "average", "avg"), ("std", "sd", "stdev", "stddev", "standarddeviation")
COUNTS = ("n", "nruns", "runs", "count", "nseeds", "seeds", "nrepeats")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PLUS_MINUS = re.compile(rf"^\s*({_NUMBER})\s*(?:±|\+/-|\+-|\\pm)\s*({_NUMBER})\s*$")
Counts = int | Mapping[str, int] | None


def profile_table(
    source: Any, kind: str = "ratio", *, metric: str | None = None, goal: str | None = None, n: Counts = None,
    time_limit: float | None = None, floor: float | None = None, **said: Any,
) -> Table:  # fmt: skip
    """A table for `performance_profile`, read with what is said to `ogive.read`.

    What `read` does not know: a table that names no method is wide, its rows are problems, and it may hold means
    with spreads, with `n` runs behind each where no column says so (a number, or one for each method). For ratios a
    time limit or a clock's floor says that a score is a time, where its name does not say otherwise.
    """
    direction = None if goal is None else as_goal(goal)
    if isinstance(source, (Cells, Moments)):
        return source if direction is None else source.toward(direction)
    costs = kind == "ratio"
    single = kind in ("ratio", "difference")
    timed = costs and (time_limit is not None or floor is not None)
    if isinstance(source, Trials) and time_limit is None and not any(said.values()):
        return from_trials(source, metric, direction, timed=timed, single=single)
    wide, name = said.pop("wide", None), ""
    frame = _as_frame(source, said)
    if frame is not None:
        name = Path(source).name if isinstance(source, (str, os.PathLike)) else "data frame"
        if has_moments(frame):
            toward: Goal = direction or ("minimize" if timed else "maximize")
            found = from_frame(frame, n, toward, wide=_is_wide(frame, wide, said), **said)
            return replace(found, source=name, unsaid="mean" if direction is None and not timed else "")
        wide = _is_wide(frame, wide, said)
        named = said.get("task") or column_called(list(frame.columns), ALIASES["task"]) is not None
        if wide and not named and all(dtype.kind in "fiub" for dtype in (*frame.dtypes, frame.index.dtype)):
            source = frame.rename_axis("problem").reset_index()  # nothing else says which problem a row is
    elif isinstance(source, Mapping) and not is_cv_results(source):
        source = _by_problem(source)
    trials = _read(source, direction, costs, time_limit, wide=bool(wide), **said)
    cells = from_trials(trials, metric, direction, timed=timed, single=single)
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
    if any(c.lower().startswith(PARAM_PREFIXES) for c in columns):
        return False  # a row for each configuration of a search
    first = frame.iloc[:, 0]
    named = said.get("task") or column_called(columns[:1], (*ALIASES["task"], *ALIASES["item"]))
    if named or first.dtype.kind in "fiub" or first.is_unique:
        return True
    return any(parse_plus_minus(text) is not None for text in first)


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
        try:
            return read(source, goal=goal, **said)
        except AmbiguousColumns:  # a column with words for the limit is one of times, whatever it is called
            trials = read(source, goal="minimize", time_limit=time_limit, **said)
        if any(is_larger_better(name) for name in trials.metrics):
            raise
        settled = [{"metric": name, "goal": "minimize", "by_name": False} for name in trials.metrics]
        return trials.with_notes(*(Note(NoteKind.GOAL_GUESSED, "goal", values) for values in settled))


def _item(trials: Trials) -> str | None:
    """The column of items that are problems: each once in a method, where nothing else names problems or numbers runs."""
    if len(trials.tasks) > 1 or trials.clustered or trials.table["item"].null_count:
        return None
    roles = {note.argument: note.values["columns"] for note in trials.notes if note.kind is NoteKind.ROLE}
    if "item" not in roles or {"task", "repeat", "fold"} & roles.keys():
        return None
    column: str = roles["item"][0]
    return column


def from_trials(trials: Trials, metric: str | None, goal: Goal | None, *, timed: bool, single: bool = False) -> Cells:
    """The runs of Trials; units that hold several rows become one run, their mean. `single` says that a problem has one value."""
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
    item = _item(trials) if single else None
    varied = tuple(word for word in trials.varied if word != item)
    problems, on = trials.tasks, trials.codes("task")
    if item is not None:  # an instance of a solver, a question of a test
        names, on = np.unique(trials.table["item"].cast("string").to_numpy(zero_copy_only=False), return_inverse=True)
        problems = tuple(str(name) for name in names)
        known = {"role": "task", "columns": (item,), "guessed": True}
        said = [Note(NoteKind.ROLE, "task", known) if n.argument == "item" else n for n in reading]
        unsaid = (NoteKind.PAIRED, *(() if varied else (NoteKind.VARIED_GUESSED,)))
        reading = [n for n in said if n.kind not in unsaid]
    if guesses and goal is None:
        unknown = any(n.kind is NoteKind.GOAL_UNKNOWN for n in guesses)
        by_name = (
            direction == trials.goals[name] and not unknown and all(n.values.get("by_name", True) for n in guesses)
        )
        settled = {"metric": name, "goal": direction, "by_name": by_name}
        kept = [n for n in guesses if unknown and direction == trials.goals[name]]
        reading += kept or [Note(NoteKind.GOAL_GUESSED, "goal", settled)]
    differed = (Note(NoteKind.VARIED, values={"varied": varied}),) if varied else ()
    failure = Metric(direction).worst
    values = trials.values(name).copy()
    status = np.array(trials.table["status"].to_pylist(), dtype=object)
    cell = trials.codes("algorithm") * len(problems) + on
    failed = np.isin(status, FAILED)
    recorded = {} if trials.clustered else _recorded(trials, problems, cell, values, failed & np.isfinite(values))
    values[failed | np.isinf(values)] = failure
    if trials.clustered:
        group = trials.codes("group")
        key = cell * (int(group.max(initial=0)) + 2) + group + 1
        _, first, code = np.unique(key, return_index=True, return_inverse=True)
        cell, values = cell[first], np.bincount(code, weights=values) / np.bincount(code)
    order = np.argsort(cell, kind="stable")
    counts = np.bincount(cell, minlength=len(trials.algorithms) * len(problems))
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.intp)
    return Cells(
        trials.algorithms, problems, values[order], starts, direction, independent=trials.independent,
        folds=trials.n_folds is not None, source=trials.source, reading=tuple(reading), notes=(*differed, *unfinished),
        recorded=recorded, unsaid=name if guesses and goal is None and direction == "maximize" else "",
        bounds=trials.bounds[name],
    )  # fmt: skip


def _recorded(
    trials: Trials, problems: tuple[str, ...], cell: Any, values: FloatArray, rows: Any
) -> dict[tuple[str, str], FloatArray]:
    """The values of these rows by method and problem."""
    places = np.flatnonzero(rows)
    places = places[np.argsort(cell[places], kind="stable")]
    found, begins = np.unique(cell[places], return_index=True)
    parts = np.split(values[places], begins[1:])
    width = len(problems)
    # Without any such row, one empty part is left over.
    return {(trials.algorithms[c // width], problems[c % width]): p for c, p in zip(found, parts, strict=False)}


def refuse_duplicates(cells: Cells, how: str | None) -> None:
    """Refuse several rows in a cell where nothing says that they are runs."""
    sizes = cells.sizes
    if how is not None or not (sizes > 1).any():
        return
    m, p = np.argwhere(sizes > 1)[0]
    rows = plural(int(sizes[m, p]), "row")
    if not cells.repeated:
        raise InputError(
            f"{cells.methods[m]!r} on {cells.problems[p]!r} has {rows} and no column numbers the runs; "
            "if they are runs say runs='mean', 'median' or 'best', or name the column with repeat= when the table is read."
        )


def joinable(
    table: Any, *, goal: str | None, time_limit: float | None, runs: str | None, missing: str, metric: str | None
) -> Cells:
    """The cells of a table of times or scores, of which each can become one number."""
    found = profile_table(table, "ratio", metric=metric, goal=goal, time_limit=time_limit)
    cells = from_moments(found) if isinstance(found, Moments) else found
    refuse_duplicates(cells, runs)
    return limited(settle_missing(cells, missing), time_limit, None)


def refuse_gains(table: Table) -> None:
    """Refuse ratios of what is to be large, or of what nobody calls a time or cost: the worst method would be named best."""
    if not table.unsaid:
        return
    what = f"{table.unsaid!r} is to be large" if is_larger_better(table.unsaid) else f"nothing says that {table.unsaid!r} is one"  # fmt: skip
    raise InputError(
        f"kind='ratio' is for times and costs, and {what}. Are large values good? Say kind='difference', or where a method has several "
        "runs on a problem kind='improvement'. Are small values good? Say goal='minimize'."
    )


def parse_plus_minus(text: Any) -> tuple[float, float] | None:
    """`0.85 ± 0.02` (also +/- and \\pm) as mean and standard deviation; None where it is none.

    Examples
    --------
    >>> parse_plus_minus("0.85 ± 0.02"), parse_plus_minus("0.85")
    ((0.85, 0.02), None)
    """
    found = _PLUS_MINUS.match(text) if isinstance(text, str) else None
    return None if found is None else (float(found[1]), float(found[2]))


def has_moments(frame: pd.DataFrame) -> bool:
    """Whether a frame holds means with standard deviations, in columns or as text."""
    columns = [str(c) for c in frame.columns]
    if column_called(columns, MEANS) and column_called(columns, SPREADS):
        return True
    return any(
        frame[c].dtype.kind not in "fiub" and len(frame) > 0 and _all_plus_minus(frame[c].tolist())
        for c in frame.columns
        if not isinstance(frame[c], type(frame))
    )


def _all_plus_minus(texts: list[Any]) -> bool:
    return any(parse_plus_minus(t) is not None for t in texts[:50])


def from_frame(
    frame: pd.DataFrame, n: Counts, goal: Goal, *, wide: bool, algorithm: Any = None, task: Any = None, where: Any = None,
    without: Any = None, **unused: Any,
) -> Moments:  # fmt: skip
    """A table of means, wide or long, its rows and methods chosen as `read` chooses those of a table of runs."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InputError(f"the table has several columns named {repeated[0]!r}; every method has one column.")
    others = [name for name, value in unused.items() if value is not None and name != "score"]
    if others:
        raise InputError(f"`{others[0]}` speaks of runs, and this table holds means; leave it out.")
    method, problem = _one(algorithm), _one(task)
    notes: list[Note] = []
    if where is not None:
        import pyarrow as pa

        columns = pa.table({name: pa.array(frame[name], from_pandas=True) for name in frame.columns})
        rows, left, notes = rows_where(columns, where, task=problem if wide else None, wide=wide)
        frame = frame.iloc[rows][left]
    found = _from_wide(_indexed(frame, problem), n, goal) if wide else _from_long(frame, n, goal, method, problem)
    left_out = () if without is None else as_names(without, "without")
    if left_out:
        places = {place_of(name, found.methods) for name in left_out}
        found = found.only([m for i, m in enumerate(found.methods) if i not in places])
        notes = [*notes, Note(NoteKind.METHODS_LEFT_OUT, "without", {"methods": left_out})]
    return replace(found, reading=tuple(notes))


def _said_beside(*names: str) -> str:
    """What is said of a table of means, which `read` does not know: to the command, or to `profile_table`."""
    options = [argument(name) for name in names]
    # Arguments and options differ by how they are written alone: `n=`, `--n`.
    in_python = options[0].endswith("=")
    return (
        f"profiles.profile_table(table, kind, {', '.join(f'{o}…' for o in options)})" if in_python else listed(options)
    )


def _one(columns: str | Sequence[str] | None) -> str | None:
    """The one column of a role, where a table takes no more."""
    if columns is None or isinstance(columns, str):
        return columns
    if len(columns) > 1:
        raise InputError(f"several columns make one name in tables of runs only; got {', '.join(map(repr, columns))}.")
    return columns[0]


def _indexed(frame: pd.DataFrame, task: str | None) -> pd.DataFrame:
    """A wide frame whose index names the problems: a column called so, or the first where it holds no means."""
    columns = [str(c) for c in frame.columns]
    first = columns[0] if not _all_plus_minus(frame[columns[0]].tolist()) else None
    names = task or column_called(columns, ALIASES["task"]) or first
    if names is not None and names not in columns:
        raise InputError(f"`task`: there is no column {names!r}; the columns are {', '.join(columns)}.")
    frame = frame if names is None else frame.set_index(names)
    twice = frame.index[frame.index.duplicated()]
    if len(twice):
        raise InputError(f"problem {str(twice[0])!r} has several rows; a wide table of means has one for each problem.")
    return frame


def _from_long(frame: pd.DataFrame, n: Counts, goal: Goal, algorithm: str | None, task: str | None) -> Moments:
    """A long table: problem, method, mean, std, n; or one column of text such as "0.85 ± 0.02"."""
    columns = [str(c) for c in frame.columns]
    method = algorithm or column_called(columns, METHOD_NAMES)
    problem = task or column_called(columns, ALIASES["task"])
    across = [c for c in columns if c != method and _all_plus_minus(frame[c].tolist())]
    if method in columns and problem is None and len(across) > 1:  # a row for each method, a column for each problem
        frame = frame.melt(id_vars=[method], value_vars=across, var_name="problem", value_name="mean ± sd")
        columns, problem = [str(c) for c in frame.columns], "problem"
    if method is None or problem is None or method not in columns or problem not in columns:
        raise InputError(
            f"a table of means needs a column for the method and one for the problem among {', '.join(columns)}; "
            f"call them method and problem, or say {_said_beside('algorithm', 'task')}."
        )
    mean, spread = column_called(columns, MEANS), column_called(columns, SPREADS)
    if mean is not None and spread is not None:
        values = np.column_stack([_numbers(frame[mean], mean), _numbers(frame[spread], spread)])
    else:
        text = next(c for c in columns if c not in (method, problem) and _all_plus_minus(frame[c].tolist()))
        values = _parsed(frame[text].tolist(), text)
    names = frame[method].astype(str).tolist()
    counts = _counts(frame, column_called(columns, COUNTS), names, n)
    cells: dict[tuple[str, str], FloatArray] = {}
    for m, p, value in zip(names, frame[problem].astype(str), np.column_stack([values, counts]), strict=True):
        if (m, p) in cells:
            raise InputError(
                f"{m!r} on {p!r} has several rows; a table of means has one for each method and problem. Filter the rows first."
            )
        cells[m, p] = value
    methods, problems = (list(dict.fromkeys(key[k] for key in cells)) for k in (0, 1))
    absent = np.full(3, np.nan)
    out = np.array([cells.get((m, p), absent) for m in methods for p in problems]).reshape(
        len(methods), len(problems), 3
    )
    return _checked(methods, problems, out[..., 0], out[..., 1], out[..., 2], goal)


def _from_wide(frame: pd.DataFrame, n: Counts, goal: Goal) -> Moments:
    """A wide table whose cells are text such as "0.85 ± 0.02"."""
    methods = [str(c) for c in frame.columns]
    found = np.stack([_parsed(frame[c].tolist(), str(c)) for c in frame.columns])
    counts = _counts(frame, None, methods, n)
    size = np.repeat(counts[:, None], len(frame), axis=1)
    return _checked(methods, [str(p) for p in frame.index], found[..., 0], found[..., 1], size, goal)


def _parsed(texts: list[Any], column: str) -> FloatArray:
    """Means and standard deviations; both NaN where a cell is empty, which is settled later."""
    empty = [t is None or t != t or (isinstance(t, str) and not t.strip()) for t in texts]
    pairs = [(np.nan, np.nan) if gone else parse_plus_minus(t) for t, gone in zip(texts, empty, strict=True)]
    if None in pairs:
        bad = texts[pairs.index(None)]
        raise InputError(f"column {column!r} must hold text such as '0.85 ± 0.02' everywhere; got {bad!r}.")
    return np.array(pairs, dtype=np.float64)


def _numbers(column: Any, name: str) -> FloatArray:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name!r} must hold numbers; it holds something else.") from None


def _counts(frame: pd.DataFrame, column: str | None, methods: list[str], n: Counts) -> FloatArray:
    """The number of runs: of each row, or of each method where `n` says it."""
    if column is not None and n is None:
        return _numbers(frame[column], column)
    if isinstance(n, Mapping):
        absent = next((m for m in methods if m not in n), None)
        if absent is not None:
            raise InputError(f"`n` must give the number of runs of every method; {absent!r} is missing.")
        return _numbers([n[m] for m in methods], "n")
    if n is None:
        raise InputError(
            f"the table does not say how many runs stand behind each mean; add a column n, or say {_said_beside('n')}."
        )
    return _numbers([n] * len(methods), "n")


def _checked(
    methods: Sequence[str], problems: Sequence[str], mean: FloatArray, std: FloatArray, n: FloatArray, goal: Goal
) -> Moments:
    """Refuse holes in std and n, negative spreads, and single runs; a missing mean is settled later."""
    there = np.isfinite(mean)
    for what, array in (("standard deviation", std), ("number of runs", n)):
        if not np.isfinite(array[there]).all():
            m, p = np.argwhere(there & ~np.isfinite(array))[0]
            raise InputError(f"the {what} of {methods[m]!r} on {problems[p]!r} is missing; every mean needs one.")
    if (std[there] < 0).any():
        raise InputError("a standard deviation must not be negative.")
    if (n[there] != np.rint(n[there])).any() or (n[there] < 2).any():
        low = n[there].min()
        raise InputError(
            f"the number of runs behind a mean must be a whole number of at least 2; got {low:g}. One run says nothing about spread."
        )
    whole = np.where(there, n, 0).astype(np.intp)
    return Moments(tuple(methods), tuple(problems), mean, std, whole, goal)
