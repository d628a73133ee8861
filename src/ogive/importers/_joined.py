"""Several parts as one table: plain ones assembled, those of Ogive's own where what is known of them allows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ogive.errors import AmbiguousColumns, InputError, UnreadableSource
from ogive.files import is_text
from ogive.importers._assemble import assemble
from ogive.importers._choices import Choices, Facts
from ogive.importers._columns import as_text
from ogive.importers._own import restate
from ogive.importers._parts import Part
from ogive.importers._roles import find_roles
from ogive.importers._steps import scored
from ogive.notes import Note, NoteKind
from ogive.trials import Trials, compact, joined_series
from ogive.words import quoted

# What must be the same for rows to stand in one table, in words.
SAME = {
    "definitions": "metrics", "unit": "the independent unit", "clustered": "whether rows share a unit",
    "varied": "what varied", "n_folds": "the folds", "step": "the column of steps",
}  # fmt: skip
NOT_PAIRED = Note(NoteKind.NOT_PAIRED_TABLES)


def joined(parts: Sequence[Part], choices: Choices, facts: Facts) -> Trials:
    """All parts as one table, by what the caller says and what their sources know."""
    trials = _joined(parts, choices, facts)
    return trials if facts.budget is None and not facts.area else scored(trials, budget=facts.budget, area=facts.area)


def _joined(parts: Sequence[Part], choices: Choices, facts: Facts) -> Trials:
    own = [part.trials for part in parts if part.trials is not None]
    if own and len(own) < len(parts):
        plain = next(part.source for part in parts if part.trials is None)
        raise InputError(f"{own[0].source} is a table of Ogive's own and {plain} a plain one; read them one by one.")
    if own and choices.any():
        raise InputError(
            f"{own[0].source} is a table of Ogive's own, whose columns have their roles; "
            "only unit, varied, goal, bounds, independent, scope, where, without, time_limit, budget and area can be said anew."
        )
    if own:
        # What the caller says is put into each table before they are joined: it may settle in what they differ.
        own = [restate(one, facts, choices) for one in own]
        if len(own) == 1:
            return own[0]
        _refuse_namesakes(parts)
        return _under_each_other(own)
    facts = replace(
        facts,
        varied=parts[0].varied if facts.varied is None else facts.varied,
        goal=_goals(parts, facts.goal),
        independent=all(part.independent for part in parts) if facts.independent is None else facts.independent,
    )
    return _assembled(_named_apart(parts), choices, facts)


def _refuse_namesakes(parts: Sequence[Part]) -> None:
    """Two stores may give the same name to different tasks; their rows must not stand beside each other."""
    known: dict[str, tuple[Any, str]] = {}
    for part in parts:
        for name, drawn in part.tasks.items():
            other, source = known.setdefault(name, (drawn, part.source))
            if other != drawn:
                raise InputError(
                    f"{name!r} is one task in {source} and another in {part.source} (data, size or noise differ); "
                    "give one of them another name, or judge them one by one."
                )


def _goals(parts: Sequence[Part], goal: str | Mapping[str, str] | None) -> str | Mapping[str, str] | None:
    """What the caller says, and where they say nothing, what the sources know."""
    if isinstance(goal, str):
        return goal
    said = dict(goal or {})
    known: dict[str, str] = {}
    for part in parts:
        for name, direction in part.goals.items():
            if known.setdefault(name, direction) != direction and name not in said:
                raise AmbiguousColumns(f"the sources disagree whether {name!r} is to be large or small; say goal=.")
    return {**known, **said} or None


def _named_apart(parts: Sequence[Part]) -> list[Part]:
    """Parts with different names, so that two sources never become one method in silence."""
    names = [part.name for part in parts]
    longer = [(part.longer or part.name) if names.count(part.name) > 1 else part.name for part in parts]
    numbered = [
        f"{name} ({longer[:i].count(name) + 1})" if longer.count(name) > 1 else name for i, name in enumerate(longer)
    ]
    return [replace(part, name=name) for part, name in zip(parts, numbered, strict=True)]


def _assembled(parts: Sequence[Part], choices: Choices, facts: Facts) -> Trials:
    first = parts[0]
    try:
        prepared = [choices.long(part.table, facts.time_limit) for part in parts]
        tables = [table for table, _ in prepared]
        if len(parts) > 1:
            tables = choices.with_methods(tables, [part.name for part in parts])
            # Names are text in all tables where they are text in one.
            text = {c for t in tables for c in choices.naming(t.column_names) if is_text(t.schema.field(c).type)}
            for place, one in enumerate(tables):
                for name in [c for c in one.column_names if c in text]:
                    one = one.set_column(one.column_names.index(name), name, as_text(one[name], name))
                tables[place] = one
        table = pa.concat_tables([t.replace_schema_metadata(None) for t in tables], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UnreadableSource(
            f"the sources do not fit under each other: {' '.join(str(error).split())[:160]}"
        ) from error
    declared = {**choices.declared, "algorithm": "algorithm"} if choices.wide else choices.declared
    score = ("score",) if choices.wide else choices.score or first.score
    roles = find_roles(table, declared, score, choices.params or first.params, facts.unit)
    _refuse_lacking(parts, tables, roles.score)
    table, left_out = choices.remaining(table, roles.algorithm)
    trials = assemble(
        table,
        roles,
        facts,
        source=", ".join(p.source for p in parts),
        default_algorithm=first.name,
        unnamed=choices.wide,
    )
    said = dict.fromkeys(note for _, notes in prepared for note in notes)
    return trials.with_notes(*(note for part in parts for note in part.notes), *said, *left_out)


def _refuse_lacking(parts: Sequence[Part], tables: Sequence[pa.Table], scores: Sequence[str]) -> None:
    """A source without the score would be read as one whose every run failed."""
    for part, table in zip(parts, tables, strict=True):
        for name in (s for s in scores if s not in table.column_names):
            own = f"score is {', '.join(map(repr, part.score))}" if part.score else None
            its = f"its {own or f'columns are {quoted(part.table.column_names)}'}"
            raise AmbiguousColumns(
                f"{part.source} has no score {name!r}; {its}. Call the score the same in all sources, "
                "or choose one that all have with score=."
            )


def _under_each_other(parts: Sequence[Trials]) -> Trials:
    """The rows of all parts; each method on each task may come from one part only."""
    first = parts[0]
    for other in parts[1:]:
        for name, words in SAME.items():
            if getattr(first, name) != getattr(other, name):
                raise InputError(f"{first.source} and {other.source} differ in {words}; judge them one by one.")
    shared = _shared_tasks(parts)
    if shared and first.clustered:
        raise InputError(f"several tables with runs that share a unit cannot be joined on one task, {shared[0]!r}.")
    pairs = {part.pair for part in parts}
    keeps_pairs = not shared and len(pairs) == 1
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    if not keeps_pairs and pairs != {None}:
        notes[NOT_PAIRED] = None
    holds = first.holds if all(part.holds == first.holds for part in parts) else None
    tables = []
    for part in parts:  # dictionaries as text: those of two tables have codes of their own
        kinds = [f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in part.table.schema]
        tables.append(part.table.cast(pa.schema(kinds)))
    return replace(
        first, table=compact(pa.concat_tables(tables, promote_options="permissive")),
        pair=first.pair if keeps_pairs else None, independent=all(part.independent for part in parts),
        question=next((part.question for part in parts if part.question is not None), None), scope=_scopes(parts),
        looks=max(part.looks for part in parts), holds=holds, notes=tuple(notes), series_source=joined_series(parts),
        source=", ".join(part.source for part in parts), counted_by=_counted_by(parts),
    )  # fmt: skip


def _counted_by(parts: Sequence[Trials]) -> dict[str, str]:
    """What series are counted by, where all tables that have one say the same."""
    having = [part for part in parts if part.series_source is not None]
    said = having[0].counted_by if having else {}
    return {name: word for name, word in said.items() if all(part.counted_by.get(name) == word for part in having)}


def _shared_tasks(parts: Sequence[Trials]) -> list[str]:
    """Tasks of several parts; refuses a method on a task that is in two of them."""
    found: dict[tuple[str, str], str] = {}
    tasks: dict[str, int] = {}
    for part in parts:
        for cell in part.cells:
            place = (cell.algorithm, cell.task)
            if place in found:
                raise InputError(
                    f"{cell.algorithm!r} on {cell.task!r} is in {found[place]} and in {part.source}; rows of two tables "
                    "are not one sample. Rename one of them, or read it alone."
                )
            found[place] = part.source
        for task in part.tasks:
            tasks[task] = tasks.get(task, 0) + 1
    return [task for task, n in tasks.items() if n > 1]


def _scopes(parts: Sequence[Trials]) -> str | Mapping[str, str] | None:
    found: dict[str, Any] = {}
    for part in parts:
        for task in part.tasks:
            if found.setdefault(task, part.scope_of(task)) != part.scope_of(task):
                raise InputError(f"the tables differ in what the rows of {task!r} stand for; judge them one by one.")
    different = set(found.values())
    return different.pop() if len(different) == 1 else {task: scope for task, scope in found.items() if scope}
