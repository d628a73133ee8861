"""Which column a time limit judges, and the runs that reach it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import AmbiguousColumns, NoTime
from ogive.metric import is_time
from ogive.notes import Note, NoteKind
from ogive.schema import OK
from ogive.words import quoted


def limited_column(scores: Sequence[str], minimized: Sequence[str], others: Sequence[str]) -> str:
    """The column that a time limit is of: the score where it is a time, else a column that is one.

    `minimized` are the scores that somebody said are to be small, `others` the columns beside the scores, that of the
    wall time first. A limit says nothing about a score that is no time: compared with accuracies, of which it made
    costs, it turned verdicts round.
    """
    times = [name for name in scores if is_time(name)]
    beside = [name for name in others if is_time(name)]
    found = times or _clock(beside) or list(minimized)
    if len(found) == 1:
        return found[0]
    if found:
        way = "choose one with score=" if found != _clock(beside) else "leave all but one out of the table"
        raise AmbiguousColumns(f"`time_limit` is of one time, and {quoted(found)} could be it; {way}.")
    raise NoTime(
        f"`time_limit` judges a column of times, and none is called so beside {quoted(list(scores))}; "
        "say goal='minimize' if that is the time or cost itself, or call the column of times 'time'."
    )


def _clock(columns: Sequence[str]) -> list[str]:
    """Of columns beside the score those that a limit is of: rather times than costs, rather wall than CPU time."""
    times = [c for c in columns if not is_time(c, cost=True)] or list(columns)
    without_cpu = [c for c in times if "cpu" not in c.lower()]
    return without_cpu or times


def cut_by_limit(
    column: str, times: np.ndarray, status: pa.Array, limit: float, notes: list[Note], *, beside: bool
) -> pa.Array:
    """The status of each row, a timeout where a run that counts reached the time limit.

    `beside` says that the column of times is not the score, and was found by its name.
    """
    words = status.cast(pa.string())
    with np.errstate(invalid="ignore"):
        reached = pa.array(times >= limit)
    cut = pc.and_(pc.is_in(words, value_set=pa.array([OK, "invalid"])), reached)
    unknown = int(np.count_nonzero(np.isnan(times) & np.asarray(words.to_numpy(zero_copy_only=False) == OK)))
    n = int(pc.sum(reached).as_py() or 0)
    known = {
        "n": n,
        "limit": limit,
        "n_failed": n - int(pc.sum(cut).as_py() or 0),
        "column": column,
        "n_unknown": unknown,
        "guessed": beside,
    }  # fmt: skip
    notes.append(Note(NoteKind.AT_TIME_LIMIT, "time_limit", known))
    return pc.if_else(cut, pa.scalar("timeout"), words).dictionary_encode()
