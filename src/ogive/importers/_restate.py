"""A table of Ogive's own, with some of its facts said anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.errors import InputError
from ogive.importers._assemble import define, refuse_unknown
from ogive.importers._choices import Choices, Facts, refuse_strangers
from ogive.importers._columns import as_numbers
from ogive.importers._limits import cut_by_limit, limited_column
from ogive.importers._units import CONFIGURATION, EACH_ROW, refuse_gaps
from ogive.importers._where import kept_rows
from ogive.notes import Note, NoteKind, narrowed
from ogive.schema import TRAILING
from ogive.trials import Trials, compact

GOAL_NOTES = (NoteKind.GOAL_GUESSED, NoteKind.GOAL_ASSUMED)
# What was noted about the unit, and is settled when it is said.
UNIT_NOTES = (NoteKind.ASSUMES_INDEPENDENCE, NoteKind.SHARED_UNIT, NoteKind.UNIT_SAID)


def restate(trials: Trials, facts: Facts, choices: Choices) -> Trials:
    """The rows that are asked for, with the unit, what varied, goals, bounds or scope replaced where they are given."""
    trials = _chosen(trials, choices)
    refuse_unknown(facts, trials.metrics)
    trials = _without_notes(trials, facts)
    notes: list[Note] = []
    known = Facts(
        goal=_by_metric(trials.goals, facts.goal),
        bounds=_by_metric(trials.bounds, facts.bounds),
    )
    definitions = {name: define(name, trials.values(name), known, notes) for name in trials.metrics}
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
    status = cut_by_limit(
        column, times, trials.table["status"].chunk(0), limit, notes, beside=column not in trials.metrics
    )
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
