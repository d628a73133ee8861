"""A plain table and its roles become Trials; what was guessed becomes a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.arguments import as_goal
from ogive.errors import AmbiguousColumns, InputError, InvalidScores, NoTime, UnreadableSource
from ogive.files import is_text
from ogive.importers._choices import Facts
from ogive.importers._columns import (
    FALSE,
    NO_NUMBER,
    TRUE,
    as_numbers,
    as_objects,
    as_text,
    as_truths,
    holds_text,
    inexact_integers,
    is_number,
    numbers_and_note,
    refuse_reserved,
    with_timeouts,
)
from ogive.importers._roles import ALIASES, BAD_IF_TRUE, Roles, is_outcome, outcome_name, plain, status_word
from ogive.importers._steps import ROW, Curves, gathered, scored_note
from ogive.importers._totals import settle_totals
from ogive.importers._units import Units, find_units
from ogive.importers._within import few_valued
from ogive.metric import Metric, goal_in_name, is_share, is_time
from ogive.notes import Note, NoteKind
from ogive.schema import NO_SCORE, OK, ONE_TASK, STATUSES
from ogive.trials import Trials, compact
from ogive.words import quoted

STATUS_WORDS = {
    "ok": OK, "complete": OK, "completed": OK, "success": OK, "succeeded": OK, "done": OK, "finished": OK, "true": OK,
    "solved": OK, "found": OK, "optimal": OK, "converged": OK, "yes": OK, "pass": OK, "passed": OK, "successful": OK,
    "error": "error", "diverged": "error", "aborted": "error", "interrupted": "error", "cancelled": "error", "canceled": "error", "fail": "error", "failed": "error", "failure": "error", "false": "error", "pruned": "error",
    "unsolved": "error", "notfound": "error", "notsolved": "error", "unsuccessful": "error", "no": "error",
    "timeout": "timeout", "timelimit": "timeout", "timedout": "timeout", "time limit": "timeout", "time out": "timeout", "memory": "memory", "oom": "memory", "memout": "memory", "memlimit": "memory", "memorylimit": "memory", "memory limit": "memory", "outofmemory": "memory", "out of memory": "memory",
    "numericalerror": "error", "numerical error": "error", "numerical issues": "error", "segfault": "crashed",
    "crashed": "crashed", "crash": "crashed", "killed": "crashed", "preempted": "crashed",
    "invalid": "invalid", "nan": "invalid",
}  # fmt: skip
# What a solver proved is an answer as good as an optimum: it has finished, and its time is what it took.
PROVEN = (
    "infeasible",
    "unbounded",
    "infeasible or unbounded",
    "inforunbd",
    "unsat",
    "unsatisfiable",
    "sat",
    "satisfiable",
)
MARKS = {"✓": OK, "✔": OK, "✅": OK, "✗": "error", "✘": "error", "❌": "error"}
UNFINISHED = ("running", "queued", "waiting", "pending")
# What rows are pooled into where a column of this role is empty.
POOLED = {"algorithm": "method", "task": "task"}
MOST_APART = 3.0  # factor between the medians of one method in percent and another in fractions
LARGEST = 1e150  # its square still fits into a float


def assemble(
    table: pa.Table, roles: Roles, facts: Facts, *, source: str, default_algorithm: str, unnamed: bool = False
) -> Trials:
    """Trials from a long table; `unnamed` says that nobody called the score anything, so that its name says nothing."""
    refuse_reserved(roles.score)
    unused = roles.unused
    table, roles, curves, gathering, unfinished = _runs_that_ended(table, roles, facts.unit)
    unused = tuple(c for c in dict.fromkeys((*unused, *roles.unused)) if curves is None or c != curves.step)
    table, summed, total = settle_totals(table, roles)
    n = table.num_rows
    if n < (2 if curves is None else 1):
        raise InvalidScores(
            f"{source} holds {'one row' if n else 'no rows'} of scores; a distribution needs at least two."
        )
    notes = [*unfinished, *gathering, *summed]
    refuse_unknown(facts, table.column_names)
    metrics = {name: _scores(table, name, notes, facts.time_limit) for name in roles.score}
    definitions = {name: define(name, values, facts, notes, unnamed=unnamed) for name, values in metrics.items()}
    algorithm = _labels(table, roles.algorithm, default_algorithm)
    task = _labels(table, roles.task, ONE_TASK)
    params = None  # canonical JSON of each row's configuration
    if roles.params == ("params",) and not is_number(table.schema.field("params").type):
        params = as_text(table["params"])
    elif roles.params:
        params = as_objects({name: table[name] for name in sorted(roles.params)})
    status, message, unsolved = _status(
        table, roles, notes, ~np.any([np.isfinite(v) for v in metrics.values()], axis=0)
    )
    if facts.time_limit is not None:
        others = [c for c in (roles.wall_s, roles.cpu_s, *roles.unused) if c is not None]
        said = facts.goal if isinstance(facts.goal, Mapping) else () if facts.goal is None else metrics
        small = [name for name in metrics if definitions[name].goal == "minimize" and name in said]
        column = limited_column(tuple(metrics), small, others)
        times = metrics[column] if column in metrics else as_numbers(table[column], column)
        status = cut_by_limit(
            column, times, status, facts.time_limit, notes, unsolved=unsolved, beside=column not in metrics
        )
        unused = tuple(c for c in unused if c != column)
    notes = [*_role_notes(roles, unused), *notes]
    units = find_units(
        table, roles, facts.unit, algorithm, task, params, scores=metrics[roles.score[0]], varied=facts.varied or ()
    )
    if any(note.kind is NoteKind.SEED_OF_FOLD for note in units.notes):
        notes = [note for note in notes if not (note.kind is NoteKind.ROLE and note.argument == "repeat")]
    notes += units.notes
    if len(algorithm.dictionary) == 1:  # other columns could name methods too
        could = [c for c in few_valued(table, roles.unused) if holds_text(table[c])]
        found = {"method": algorithm.dictionary[0].as_py(), "column": roles.algorithm, "columns": could[:4]}
        notes += [Note(NoteKind.ONE_METHOD, "algorithm", found)] if could else []
    scales = [_mixed_scales(name, values, algorithm, definitions[name]) for name, values in metrics.items()]
    percent = next((note for note in scales if note is not None and note.is_question), None)
    notes += [note for note in scales if note is not None and not note.is_question]
    notes += [] if facts.independent is not False else [Note(NoteKind.NOT_INDEPENDENT, "independent")]
    columns = {
        "algorithm": algorithm,
        "task": task,
        "trial": pa.array(units.trial, type=pa.int64()),
        "item": pa.nulls(n, pa.string()) if roles.item is None else as_text(table[roles.item], roles.item),
        "group": pa.nulls(n, pa.string()) if units.group is None else units.group,
        "status": status,
        "message": message,
        "params": pa.nulls(n, pa.string()) if params is None else params,
        **{name: pa.array(values) for name, values in metrics.items()},
    }
    for name, cost in (("wall_s", roles.wall_s), ("cpu_s", roles.cpu_s)):
        columns[name] = pa.nulls(n, pa.float64()) if cost is None else pa.array(as_numbers(table[cost], cost))
    varied = units.varied if facts.varied is None else facts.varied
    notes += _doubts(algorithm, varied, facts, units)
    series = None
    if curves is not None:
        trial = _one_number_each(algorithm, task, units)
        columns["trial"] = pa.array(trial)
        row = np.asarray(table[ROW].to_numpy())
        series = curves.table(algorithm, task, trial, row)
        ends = np.array([curves.steps[r][-1] for r in row.tolist()])
        notes.append(scored_note(curves.step, ends, None, "last"))
    return Trials(
        table=compact(pa.table(columns)), definitions=definitions, varied=varied,
        unit=units.unit, clustered=units.clustered, question=units.question or total or percent, pair=units.pair, n_folds=units.n_folds,
        independent=facts.independent is not False, scope=facts.scope, notes=tuple(notes), source=source,
        series_source=series, step=None if curves is None else curves.step,
    )  # fmt: skip


def _one_number_each(algorithm: pa.Array, task: pa.Array, units: Units) -> np.ndarray:
    """A trial number for every run of a cell, by which its curve is found: those of the units, or where they repeat the place."""
    cell = np.asarray(algorithm.indices) * len(task.dictionary) + np.asarray(task.indices)
    if np.unique(np.stack([cell, units.trial]), axis=1).shape[1] == cell.size:
        return units.trial
    if units.pair is not None:
        raise InputError(
            f"column {units.pair!r} joins runs of two methods and stands at several runs of one; a curve needs a number of its own for each "
            "run. Name a column that is another for every run with repeat=."
        )
    order = np.argsort(cell, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(cell[order]) != 0))
    out = np.empty(cell.size, dtype=np.int64)
    out[order] = np.arange(cell.size) - np.repeat(starts, np.diff(np.append(starts, cell.size)))
    return out


def _scores(table: pa.Table, name: str, notes: list[Note], limit: float | None) -> np.ndarray:
    column, cut = with_timeouts(table[name], name, limit)
    values, written = numbers_and_note(column, name)
    notes += [] if cut is None else [cut]
    notes += [] if written is None else [written]
    notes += inexact_integers(table[name], name, values)
    negative = int(np.count_nonzero(values < 0.0)) if is_time(name) and not is_time(name, cost=True) else 0
    if negative:
        notes.append(Note(NoteKind.NEGATIVE_TIMES, values={"column": name, "n": negative}))
    return values


def define(name: str, values: np.ndarray, facts: Facts, notes: list[Note], *, unnamed: bool = False) -> Metric:
    """Direction and bounds of a score, said or guessed from its name; bounds that it leaves are refused."""
    goal = facts.goal.get(name) if isinstance(facts.goal, Mapping) else facts.goal
    if goal is None:
        told = None if unnamed else goal_in_name(name)
        goal = told or "maximize"
        known: dict[str, Any] = {"metric": name, "goal": goal}
        # Words for right and wrong say which is good, whatever their column is called.
        judged = any(note.kind is NoteKind.WORDS_READ and note.values["column"] == name for note in notes)
        if told is not None or judged:
            notes.append(Note(NoteKind.GOAL_GUESSED, "goal", known | {"by_name": told is not None}))
        else:
            notes.append(Note(NoteKind.GOAL_UNKNOWN, "goal", known | ({"unnamed": True} if unnamed else {})))
    bounds = facts.bounds.get(name) if isinstance(facts.bounds, Mapping) else facts.bounds
    metric = Metric(as_goal(goal), (None, None) if bounds is None else bounds)
    finite = values[np.isfinite(values)]
    if finite.size and np.abs(finite).max() > LARGEST:
        raise InvalidScores(
            f"column {name!r} holds {finite[np.abs(finite).argmax()]:g}; scores beyond {LARGEST:g} have no variance in floating point. "
            "Leave the cells of runs that diverged empty, so that they count as failed."
        )
    low, high = metric.bounds
    outside = np.zeros(finite.size, dtype=bool)
    outside |= finite < (-np.inf if low is None else low)
    outside |= finite > (np.inf if high is None else high)
    if outside.any():
        raise InputError(
            f"`bounds` ({low}, {high}) must contain every score; {outside.sum()} of {finite.size} in column {name!r} lie outside "
            f"({finite.min():g} to {finite.max():g}). Correct the bounds or the scores."
        )
    return metric


def _mixed_scales(name: str, values: np.ndarray, algorithm: pa.Array, metric: Metric) -> Note | None:
    """The question whether one method is written in percent and another as fractions of 1; a warning where its name names no share.

    Large values beside small ones are usual of times and losses: these are noted only where one is about a hundred times the other.
    """
    if metric.bounds != (None, None):  # whoever says them knows the scale
        return None
    known = np.isfinite(values)
    method, own = np.asarray(algorithm.indices)[known], values[known]
    names = algorithm.dictionary.to_pylist()
    low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    np.minimum.at(low, method, own)
    np.maximum.at(high, method, own)
    fractions = np.flatnonzero((low >= 0.0) & (high <= 1.0) & (high > 0.0))
    percents = np.flatnonzero((low > 1.0) & (low <= high) & (high <= 100.0))  # a method without a score has neither
    if not fractions.size or not percents.size:
        return None
    small, large = (float(np.median(own[np.isin(method, found)])) for found in (fractions, percents))
    alike = small > 0.0 and 1.0 / MOST_APART <= large / (100.0 * small) <= MOST_APART
    said = goal_in_name(name)
    sides = {"fractions": [names[i] for i in fractions[:4]], "percents": [names[i] for i in percents[:4]]}
    found = {"column": name, **sides}
    if is_share(name) and (alike or said != "minimize"):
        return Note(NoteKind.ASKS_PERCENT, "bounds", found)
    return Note(NoteKind.MIXED_SCALES, "bounds", found) if alike and said != "minimize" else None


def refuse_unknown(facts: Facts, columns: Sequence[str]) -> None:
    """Refuse a goal or bounds for a column that is not there."""
    for what, said in (("goal", facts.goal), ("bounds", facts.bounds)):
        unknown = [name for name in said if name not in columns] if isinstance(said, Mapping) else []
        if unknown:
            raise InputError(
                f"`{what}`: there is no column {unknown[0]!r}; the columns are {', '.join(map(repr, columns))}."
            )


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
    column: str,
    times: np.ndarray,
    status: pa.Array,
    limit: float,
    notes: list[Note],
    *,
    beside: bool,
    unsolved: np.ndarray | None = None,
) -> pa.Array:
    """The status of each row, a timeout where a run that counts reached the time limit.

    `beside` says that the column of times is not the score, and was found by its name; `unsolved` marks the runs of which
    nothing more is known than that they found no solution: those that reached the limit ran out of time.
    """
    words = status.cast(pa.string())
    with np.errstate(invalid="ignore"):
        reached = pa.array(times >= limit)
    cut = pc.and_(pc.is_in(words, value_set=pa.array([OK, "invalid"])), reached)
    late = pc.and_(pa.array(np.zeros(len(times), dtype=bool) if unsolved is None else unsolved), reached)
    unknown = int(np.count_nonzero(np.isnan(times) & np.asarray(words.to_numpy(zero_copy_only=False) == OK)))
    n = int(pc.sum(reached).as_py() or 0)
    failed = n - int(pc.sum(cut).as_py() or 0)
    known = {"n": n, "limit": limit, "n_failed": failed, "column": column, "n_unknown": unknown, "guessed": beside}
    notes.append(Note(NoteKind.AT_TIME_LIMIT, "time_limit", known))
    return pc.if_else(pc.or_(cut, late), pa.scalar("timeout"), words).dictionary_encode()


def _labels(table: pa.Table, column: str | None, default: str) -> pa.Array:
    if column is None:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(table.num_rows, dtype=np.int32)), pa.array([default]))
    values = as_text(table[column], column)
    empty = int(pc.sum(pc.equal(pc.utf8_trim_whitespace(pc.fill_null(values, "")), "")).as_py())
    if empty:
        raise UnreadableSource(
            f"column {column!r} names no method or task in {empty} of {len(values)} rows; fill or drop them."
        )
    return values.dictionary_encode()


def _status(table: pa.Table, roles: Roles, notes: list[Note], bad: np.ndarray) -> tuple[pa.Array, pa.Array, np.ndarray]:
    """Status and message of each row, and which failed by a yes or no alone; `bad` marks rows without any usable score."""
    n = table.num_rows
    given = np.full(n, OK, dtype=object)
    plain_no = [c for c in (roles.status, *roles.outcomes) if c is not None and as_truths(table[c]) is not None]
    if roles.status is not None:
        given = _said_status(table[roles.status], roles, notes)
    unsolved = (given == "error") & (roles.status in plain_no)
    for column in roles.outcomes:
        # Of several judgments every one must be good.
        judged = _judged(table[column], column, True, notes)
        unsolved |= (given == OK) & (judged == "error") & (column in plain_no)
        given = np.where(given == OK, judged, given)
    given[(given == OK) & bad] = "invalid"
    message = table["message"] if "message" in table.column_names else None
    texts = pa.nulls(n, pa.string()) if message is None else as_text(message)
    for name in (roles.status, *roles.outcomes):
        if name is not None and is_text(table[name].type):
            # What somebody wrote says more than the status that it stands for: "diverged" is an error of one kind.
            encoded = as_text(table[name]).dictionary_encode()
            own = pa.array([_own_word(value) for value in encoded.dictionary.to_pylist()], pa.string())
            own = own.take(encoded.indices)
            texts = pc.coalesce(texts, pc.if_else(pa.array(given != OK), own, pa.scalar(None, pa.string())))
    if message is None and bad.any():
        texts = pc.if_else(pc.and_(pa.array(bad), pc.is_null(texts)), pa.scalar(NO_SCORE), texts)
    return pa.array(given, type=pa.string()).dictionary_encode(), texts, unsolved


def _runs_that_ended(
    table: pa.Table, roles: Roles, unit: str | None
) -> tuple[pa.Table, Roles, Curves | None, list[Note], list[Note]]:
    """One row for each run that has ended, its curve, and the notes on both.

    A log says on all rows but the last of a run that it is running: with a column of steps, the last row tells.
    """
    if roles.step is not None and roles.status is not None:
        one, known, curves, gathering = gathered(table, roles, unit)
        if curves is not None:
            ended, unfinished = _finished(one, known, what="run")
            if not ended.num_rows:
                raise InvalidScores(
                    f"column {roles.status!r} says of the last step of every run that it is still running or waiting; none has ended. Say "
                    "status='none' to take them as they are."
                )
            return ended, known, curves, gathering, unfinished
    table, unfinished = _finished(table, roles)
    return *gathered(table, roles, unit), unfinished


def _finished(table: pa.Table, roles: Roles, what: str = "row") -> tuple[pa.Table, list[Note]]:
    """The rows that are not still running or waiting, and how many are: they have no score yet, and did not fail."""
    if roles.status is None:
        return table, []
    open_words = [w for w in table[roles.status].unique().to_pylist() if status_word(w) in UNFINISHED]
    if not open_words:
        return table, []
    kept = table.filter(
        pc.invert(pc.is_in(table[roles.status], value_set=pa.array(open_words, table[roles.status].type)))
    )
    gone: set[str] = set()
    if roles.algorithm is not None:
        before, after = (map(str, t[roles.algorithm].unique().to_pylist()) for t in (table, kept))
        gone = set(before) - set(after)
    n = table.num_rows
    left = {"n": n - kept.num_rows, "of_rows": n, "what": what, "column": roles.status, "gone": sorted(gone)}
    return kept, [Note(NoteKind.LEFT_OUT, "status", left)]


def _own_word(value: str | None) -> str | None:
    """A word of a status column that says more than the status that it stands for, and than yes and no."""
    said = (value or "").strip()
    says_no_more = said.lower() in (*STATUSES, *TRUE, *FALSE, *NO_NUMBER) or STATUS_WORDS.get(status_word(said)) == OK
    return None if says_no_more else said


def _said_status(column: pa.ChunkedArray, roles: Roles, notes: list[Note]) -> np.ndarray:
    """A status for each word; an empty cell says nothing. A guessed column without a known word is none."""
    guessed = "status" in roles.guessed
    name = str(roles.status)
    if as_truths(column) is not None or is_outcome(name):
        return _judged(column, name, guessed, notes)
    values: Sequence[Any] = column.to_pylist()
    word_of = {value: status_word(value) for value in set(values)}
    words = [word_of[value] for value in values]
    known = {"": OK, "none": OK, **STATUS_WORDS, **dict.fromkeys(PROVEN, OK)}
    unknown = sorted({w for w in words if w not in known})
    if unknown and (not guessed or any(w in STATUS_WORDS for w in words)):
        raise AmbiguousColumns(
            f"column {name!r} holds {unknown[0]!r}, which is no status; known are {_known_words()}. "
            "Write one of these, or say status='none' if the column is about something else."
        )
    # As the cells spell them: a condition on the column finds no other spelling.
    proven = list(dict.fromkeys(str(value).strip() for value in values if word_of[value] in PROVEN))
    if proven and not unknown:
        n = sum(word in PROVEN for word in words)
        notes.append(Note(NoteKind.PROVEN, "status", {"column": name, "words": proven, "n": n}))
    if unknown:
        notes.append(Note(NoteKind.STATUS_NOT_USED, "status", {"column": name, "word": unknown[0]}))
    return np.array([OK if unknown else known[w] for w in words], dtype=object)


def _known_words() -> str:
    """Every status, and other words for the first of them."""
    return (
        f"{', '.join(STATUSES)}, and words such as solved, optimal, infeasible, unbounded, failed, time_limit and oom"
    )


def _judged(column: pa.ChunkedArray, name: str, guessed: bool, notes: list[Note]) -> np.ndarray:
    """A status for each yes and no, or for words such as pass and fail. Of a name that nobody knows, yes is good.

    A run that nobody judged has failed: a solver that crashed writes nothing. Only where a column marks failed runs and no
    others, empty is no mark.
    """
    bad = BAD_IF_TRUE.get(outcome_name(name))
    truths = as_truths(column)
    if truths is None:
        given = _judging_words(column, name, bad)
    else:
        given = [None if truth is None else OK if truth == (bad is None) else bad or "error" for truth in truths]
    marked_only = bad is not None and OK not in given
    out = np.array([(OK if marked_only else "error") if one is None else one for one in given], dtype=object)
    known = {
        "column": name, "guessed": guessed, "n_failed": int(np.count_nonzero(out != OK)), "of_rows": len(out),
        "n_empty": given.count(None), "empty_failed": not marked_only,
    }  # fmt: skip
    notes.append(Note(NoteKind.OUTCOME, "status", known))
    return out


def _judging_words(column: pa.ChunkedArray, name: str, bad: str | None) -> list[str | None]:
    """A status for each word of a column that judges runs, None where it holds none; a word that nobody knows is asked about."""
    yes, no = (OK, "error") if bad is None else (bad, OK)
    said = {"true": yes, "yes": yes, "on": yes, "false": no, "no": no, "off": no}
    known = {**STATUS_WORDS, **(MARKS if bad is None else {}), **said}
    encoded = as_text(column, name).dictionary_encode()
    meanings: list[str | None] = []
    for value in encoded.dictionary.to_pylist():
        word = status_word(value)
        if value.strip().lower() not in NO_NUMBER and word not in known:
            raise AmbiguousColumns(
                f"column {name!r} says which runs count, and holds {value[:40]!r}, of which nobody can tell whether it is good or "
                "bad; write yes or no, or words such as solved, failed and timeout, or say status='none' if the column is "
                "about something else."
            )
        meanings.append(None if value.strip().lower() in NO_NUMBER else known[word])
    return [None if i is None else meanings[i] for i in encoded.indices.to_pylist()]


def _doubts(algorithm: pa.Array, varied: tuple[str, ...], facts: Facts, units: Units) -> list[Note]:
    """What was guessed beyond the columns, and names that may be one."""
    notes = []
    if varied and facts.varied is None:
        notes.append(Note(NoteKind.VARIED_GUESSED, "varied", {"varied": varied}))
    if units.unit is None and units.question is None and facts.independent is not False:
        notes.append(Note(NoteKind.ASSUMES_INDEPENDENCE, "unit"))
    alike: dict[str, list[str]] = {}
    for name in algorithm.dictionary.to_pylist():
        alike.setdefault(name.strip().casefold(), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            notes.append(Note(NoteKind.ALIKE_NAMES, "algorithm", {"names": names}))
    return notes


def _role_notes(roles: Roles, unused: tuple[str, ...]) -> list[Note]:
    said = ("score", "algorithm", "task", "repeat", "item", "group", "fold", "status", "params")
    columns: dict[str, Any] = {role: getattr(roles, role) for role in said}
    columns |= {role: name for role, name in (("wall_s", roles.wall_s), ("cpu_s", roles.cpu_s)) if name != role}
    guessed = {*roles.guessed, "wall_s", "cpu_s"}
    notes = []
    for role, found in columns.items():
        if found:
            names = found if isinstance(found, tuple) else (found,)
            known = {"role": role, "columns": names, "guessed": role in guessed}
            over = {"rather_than": roles.passed_over} if role == "score" and roles.passed_over else {}
            notes.append(Note(NoteKind.ROLE, role, known | over))
    if unused:
        notes.append(Note(NoteKind.NOT_USED, values={"columns": unused}))
    # Rows of an empty column `model` may be of many methods, which nobody can tell apart.
    lost = {role: [c for c in roles.blank if plain(c) in ALIASES[role]] for role in POOLED if not getattr(roles, role)}
    if any(lost.values()):
        pooled = [POOLED[role] for role, columns in lost.items() if columns]
        empty = [column for columns in lost.values() for column in columns]
        notes.append(Note(NoteKind.EMPTY_COLUMNS, values={"columns": empty, "pooled": pooled}))
    return notes
