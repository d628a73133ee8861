"""A table of Ogive's own: checked as it was written, and with some of its facts said anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError, UnreadableSource
from ogive.files import is_text
from ogive.importers._assemble import cut_by_limit, define, limited_column, refuse_unknown
from ogive.importers._choices import Choices, Facts, refuse_strangers
from ogive.importers._columns import as_numbers, is_number
from ogive.importers._units import CONFIGURATION, EACH_ROW, refuse_gaps
from ogive.importers._where import kept_rows
from ogive.notes import Note, NoteKind, narrowed
from ogive.schema import LEADING, RESERVED, TRAILING
from ogive.trials import Trials, compact
from ogive.words import spreadsheet_decoded

TEXT = ("algorithm", "task", "status")
PERHAPS_TEXT = ("item", "group", "message", "params")
GOAL_NOTES = (NoteKind.GOAL_GUESSED, NoteKind.GOAL_ASSUMED, NoteKind.GOAL_UNKNOWN)
# What was noted about the unit, and is settled when it is said.
UNIT_NOTES = (NoteKind.ASSUMES_INDEPENDENCE, NoteKind.SHARED_UNIT, NoteKind.UNIT_SAID)


def from_written(table: pa.Table, source: str) -> Trials:
    """What `Trials.write` wrote to Parquet; refused where another program changed its columns."""
    trials = Trials.from_parquet_table(table, source)
    missing = [c for c in (*RESERVED, *trials.definitions) if c not in table.column_names]
    if missing:
        raise UnreadableSource(f"{source} says that Ogive wrote it, but has no column {missing[0]!r}; write it again.")
    if not trials.definitions:
        raise UnreadableSource(f"{source} says that Ogive wrote it, but names no score; write it again.")
    for name in (*TEXT, *PERHAPS_TEXT):
        kind = table.schema.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        empty = name in PERHAPS_TEXT and pa.types.is_null(kind)
        _require(is_text(kind) or empty, f"{name!r} holds {kind}, not text", source)
    _require(pa.types.is_integer(table.schema.field("trial").type), "'trial' does not hold whole numbers", source)
    for name in (*trials.metrics, *TRAILING):
        kind = table.schema.field(name).type
        _require(is_number(kind) or pa.types.is_null(kind), f"{name!r} holds {kind}, not numbers", source)
    for name in (*TEXT, "trial"):
        empty = sum(v is None for v in table[name].to_pylist()) if table[name].null_count else 0
        _require(not empty, f"{name!r} is empty in {empty} of {len(trials)} rows", source)
    return trials


def is_written_csv(columns: Sequence[str]) -> bool:
    """Whether a header is that of a CSV that `Trials.write` wrote."""
    n, m = len(LEADING), len(TRAILING)
    return len(columns) > n + m and tuple(columns[:n]) == LEADING and tuple(columns[-m:]) == TRAILING


def decoded(table: pa.Table) -> pa.Table:
    """The table of such a CSV with its names as they were before they were made safe for spreadsheets."""
    columns = []
    for column in table.columns:
        if is_text(column.type) and pc.any(pc.starts_with(column, "'")).as_py():
            values = [None if text is None else spreadsheet_decoded(text) for text in column.to_pylist()]
            column = pa.chunked_array([pa.array(values, column.type)])
        columns.append(column)
    return pa.table(columns, names=[spreadsheet_decoded(name) for name in table.column_names])


def _require(fine: bool, seen: str, source: str) -> None:
    if not fine:
        raise UnreadableSource(
            f"{source} says that Ogive wrote it, but its column {seen}; write it again, or export it to CSV to read it as a plain table."
        )


def restate(trials: Trials, facts: Facts, choices: Choices) -> Trials:
    """The rows that are asked for, with the unit, what varied, goals, bounds or scope replaced where they are given."""
    trials = _chosen(trials, choices)
    refuse_unknown(facts, trials.metrics)
    trials = _without_notes(trials, facts)
    known = Facts(goal=_by_metric(trials.goals, facts.goal), bounds=_by_metric(trials.bounds, facts.bounds))
    definitions = {name: define(name, trials.values(name), known, []) for name in trials.metrics}
    changed = replace(
        trials,
        definitions=definitions,
        varied=trials.varied if facts.varied is None else facts.varied,
        independent=trials.independent if facts.independent is None else facts.independent,
        scope=trials.scope if facts.scope is None else facts.scope,
    )
    changed = _limited(changed, facts.time_limit)
    return changed if facts.unit is None else _with_unit(changed, facts.unit)


def _chosen(trials: Trials, choices: Choices) -> Trials:
    """The rows that meet every condition, without the methods that are left out."""
    table, notes = kept_rows(trials.table, choices.where)
    if notes:
        trials = _on_rows(trials, table).with_notes(*notes)
    if choices.without:
        refuse_strangers(choices.without, trials.algorithms)
        gone = [trials.algorithms.index(name) for name in choices.without]
        trials = _on_rows(trials, trials.table.filter(pa.array(~np.isin(trials.codes("algorithm"), gone))))
        trials = trials.with_notes(Note(NoteKind.METHODS_LEFT_OUT, "without", {"methods": choices.without}))
    return trials


def _on_rows(trials: Trials, table: pa.Table) -> Trials:
    """Some rows of a table; what is missing of methods and tasks that have none of them left is nothing to it.

    Methods and tasks that had no row before have not begun, and are still asked for.
    """
    left = replace(trials, table=compact(table))
    asked = [cell for note in trials.notes if note.kind is NoteKind.UNFINISHED for cell in note.values["cells"]]
    methods = {cell[0] for cell in asked} - (set(trials.algorithms) - set(left.algorithms))
    tasks = {cell[1] for cell in asked} - (set(trials.tasks) - set(left.tasks))
    return replace(left, notes=narrowed(left.notes, methods, tasks))


def _limited(trials: Trials, limit: float | None) -> Trials:
    """Runs that reached the time limit as timeouts."""
    known = (note.values["limit"] for note in trials.notes if note.kind is NoteKind.AT_TIME_LIMIT)
    if limit is None or limit in known:
        return trials
    notes: list[Note] = []
    guessed = [note.values["metric"] for note in trials.notes if note.kind in GOAL_NOTES]
    said = [name for name in trials.metrics if trials.goals[name] == "minimize" and name not in guessed]
    others = [name for name in TRAILING if trials.table[name].null_count < len(trials)]
    column = limited_column(trials.metrics, said, others)
    times = as_numbers(trials.table[column], column)
    beside = column not in trials.metrics
    status = cut_by_limit(column, times, trials.table["status"].chunk(0), limit, notes, beside=beside)
    place = trials.table.column_names.index("status")
    return replace(trials, table=compact(trials.table.set_column(place, "status", status))).with_notes(*notes)


def _without_notes(trials: Trials, facts: Facts) -> Trials:
    """The table without what was noted about the facts that are said now."""
    named = trials.metrics if not isinstance(facts.goal, Mapping) else tuple(facts.goal)

    def is_settled(note: Note) -> bool:
        if note.kind in GOAL_NOTES:
            return facts.goal is not None and note.values["metric"] in named
        if note.kind in UNIT_NOTES:
            return facts.unit is not None
        return note.kind is NoteKind.VARIED_GUESSED and facts.varied is not None

    return replace(trials, notes=tuple(note for note in trials.notes if not is_settled(note)))


def _by_metric(known: Mapping[str, Any], said: Any) -> Any:
    """What is known of each metric, replaced where something is said: of all at once, or by name."""
    return {**known, **(said or {})} if said is None or isinstance(said, Mapping) else said


def _with_unit(trials: Trials, unit: str) -> Trials:
    said = replace(trials, unit=unit, question=None).with_notes(Note(NoteKind.UNIT_SAID, "unit", {"unit": unit}))
    if unit == "fold" and trials.n_folds is not None:
        return replace(said, clustered=False)
    if trials.n_folds is not None:
        said = said.with_notes(Note(NoteKind.FOLDS_OVERRULED, "unit"))
    said = replace(said, n_folds=None)
    if unit in EACH_ROW:
        return replace(said, clustered=False)
    column = "params" if unit in CONFIGURATION else unit
    if column not in ("trial", "item", "group", "params") or trials.table[column].null_count == len(trials):
        raise InputError(
            f"`unit` of a table written by Ogive must be 'row', or 'configuration', 'trial', 'item' or 'group' where it has them; got {unit!r}."
        )
    group = trials.table[column].cast(pa.string())
    refuse_gaps(group, column)
    place = trials.table.column_names.index("group")
    return replace(said, table=trials.table.set_column(place, "group", group), clustered=True)
