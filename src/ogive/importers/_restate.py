"""A table of Ogive's own, with some of its facts said anew."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from ogive.errors import InputError
from ogive.importers._assemble import Facts, define, refuse_unknown
from ogive.importers._units import CONFIGURATION, EACH_ROW, refuse_gaps
from ogive.trials import Trials


def restate(trials: Trials, facts: Facts, independent: bool | None) -> Trials:
    """The same rows, with the unit, what varied, goals, bounds or scope replaced where they are given."""
    refuse_unknown(facts, trials.metrics)
    notes: list[str] = []
    known = Facts(
        goal=facts.goal if isinstance(facts.goal, str) else {**trials.goals, **(facts.goal or {})},
        bounds=facts.bounds if isinstance(facts.bounds, tuple) else {**trials.bounds, **(facts.bounds or {})},
    )
    definitions = {name: define(name, trials.values(name), known, notes) for name in trials.metrics}
    changed = replace(
        trials,
        definitions=definitions,
        varied=trials.varied if facts.varied is None else facts.varied,
        independent=trials.independent if independent is None else independent,
        scope=trials.scope if facts.scope is None else facts.scope,
    )
    return changed if facts.unit is None else _with_unit(changed, facts.unit)


def _with_unit(trials: Trials, unit: str) -> Trials:
    said = replace(trials, unit=unit, question=None).with_notes(f"unit: {unit!r} (said when the table was read again)")
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
