"""Tables of means: mean, standard deviation and number of runs, or text such as "0.85 ± 0.02"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.arguments import FloatArray, Goal, as_names
from ogive.errors import InputError
from ogive.importers import ALIASES, METHOD_NAMES, column_called, rows_where
from ogive.notes import Note, NoteKind, argument
from ogive.profiles._cells import Moments, place_of
from ogive.words import listed

if TYPE_CHECKING:
    import pandas as pd

MEANS, SPREADS = ("mean", "average", "avg"), ("std", "sd", "stdev", "stddev", "standarddeviation")
COUNTS = ("n", "nruns", "runs", "count", "nseeds", "seeds", "nrepeats")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PLUS_MINUS = re.compile(rf"^\s*({_NUMBER})\s*(?:±|\+/-|\+-|\\pm)\s*({_NUMBER})\s*$")
Counts = int | Mapping[str, int] | None


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
    frame, notes = _kept(frame, where, problem, wide)
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


def _kept(frame: pd.DataFrame, where: Any, task: str | None, wide: bool) -> tuple[pd.DataFrame, Sequence[Note]]:
    """The rows that are asked for, of a wide table without the columns that chose them; and what should be said."""
    if where is None:
        return frame, ()
    import pyarrow as pa

    columns = pa.table({name: pa.array(frame[name], from_pandas=True) for name in frame.columns})
    rows, left, notes = rows_where(columns, where, task=task if wide else None, wide=wide)
    return frame.iloc[rows][left], notes


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
    counts = _counts(frame, column_called(columns, COUNTS), frame[method].astype(str).tolist(), n)
    return _pivoted(
        frame[method].astype(str).tolist(), frame[problem].astype(str).tolist(), np.column_stack([values, counts]), goal
    )


def _from_wide(frame: pd.DataFrame, n: Counts, goal: Goal) -> Moments:
    """A wide table whose cells are text such as "0.85 ± 0.02"."""
    methods = [str(c) for c in frame.columns]
    found = np.stack([_parsed(frame[c].tolist(), str(c)) for c in frame.columns])
    counts = _counts(frame, None, methods, n)
    size = np.repeat(counts[:, None], len(frame), axis=1)
    return _checked(methods, [str(p) for p in frame.index], found[..., 0], found[..., 1], size, goal)


def _parsed(texts: list[Any], column: str) -> FloatArray:
    """Means and standard deviations; both NaN where a cell is empty, which is settled later."""
    pairs = [(np.nan, np.nan) if _is_absent(t) else parse_plus_minus(t) for t in texts]
    if None in pairs:
        bad = texts[pairs.index(None)]
        raise InputError(f"column {column!r} must hold text such as '0.85 ± 0.02' everywhere; got {bad!r}.")
    return np.array(pairs, dtype=np.float64)


def _is_absent(text: Any) -> bool:
    return text is None or text != text or (isinstance(text, str) and not text.strip())


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


def _pivoted(methods: list[str], problems: list[str], values: FloatArray, goal: Goal) -> Moments:
    rows, columns = list(dict.fromkeys(methods)), list(dict.fromkeys(problems))
    out = np.full((len(rows), len(columns), 3), np.nan)
    place = {m: i for i, m in enumerate(rows)}, {p: i for i, p in enumerate(columns)}
    seen: set[tuple[int, int]] = set()
    for method, problem, value in zip(methods, problems, values, strict=True):
        at = place[0][method], place[1][problem]
        if at in seen:
            raise InputError(
                f"{method!r} on {problem!r} has several rows; a table of means has one for each method and problem. Filter the rows first."
            )
        seen.add(at)
        out[at] = value
    return _checked(rows, columns, out[..., 0], out[..., 1], out[..., 2], goal)


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


def settle_missing_moments(moments: Moments, rule: str) -> Moments:
    """Means without holes: refused, or their problems dropped; a failure has no mean."""
    if rule not in ("refuse", "fail", "drop-problem"):
        raise InputError(f"`missing` must be 'refuse', 'fail' or 'drop-problem'; got {rule!r}.")
    absent = ~np.isfinite(moments.mean)
    if not absent.any():
        return moments
    m, p = np.argwhere(absent)[0]
    if rule != "drop-problem":
        raise InputError(
            f"the mean of {moments.methods[m]!r} on {moments.problems[p]!r} is missing; a failure has no mean, so say missing='drop-problem'."
        )
    kept = np.flatnonzero(~absent.any(axis=0))
    if kept.size == 0:
        raise InputError("every problem misses the mean of some method; leave methods out.")
    note = Note(NoteKind.PROBLEMS_DROPPED, "missing", {"n": int(absent.any(axis=0).sum()), "what": "means"})
    return replace(
        moments, problems=tuple(moments.problems[i] for i in kept), mean=moments.mean[:, kept], std=moments.std[:, kept],
        n=moments.n[:, kept], notes=(*moments.notes, note),
    )  # fmt: skip
