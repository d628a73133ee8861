"""What the caller of `read` says, checked; and a table that is brought to a long, flat shape by it."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ogive.arguments import as_answer, as_name, as_names
from ogive.errors import InputError, UnreadableSource
from ogive.importers._columns import (
    as_text,
    holds_text,
    is_number,
    numbers_and_note,
    refuse_means,
    seems_numbers,
    with_timeouts,
)
from ogive.importers._roles import (
    ALIASES,
    CONFIGURATIONS,
    COST_NAMES,
    METHOD_NAMES,
    NAMING,
    NUMBERS_OR_STEPS,
    OF_UNITS,
    PARAM_PREFIXES,
    SCORE_NAMES,
    STEPS,
    column_by_name,
    is_blank,
    is_row_number,
    plain,
)
from ogive.importers._where import Condition, as_conditions, condition_columns, kept_rows
from ogive.metric import Bounds
from ogive.notes import Note, NoteKind
from ogive.words import plural, quoted

# Columns of these roles say something about a whole row, and are no methods.
OF_ROWS = ("task", "repeat", "fold", "item", "group", "status")
ROW_NAMES = {*STEPS, *NUMBERS_OR_STEPS, *(word for role in OF_ROWS for word in ALIASES[role])}
OF_RUNS = ("repeat", "fold", "item", "group")
SCOPE = re.compile(r"generator|these (\d+ )?rows")
JOINED = " / "  # between the parts of a name that several columns give
ROLE_NAMES = {name for names in (*ALIASES.values(), *COST_NAMES.values()) for name in names}


@dataclass(frozen=True, slots=True)
class Choices:
    """What the caller of `read` said about columns."""

    declared: Mapping[str, str | None]
    score: tuple[str, ...] | None
    params: tuple[str, ...] | None
    wide: bool
    unit: str | None
    several: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    where: tuple[Condition, ...] = ()
    without: tuple[str, ...] = ()

    @classmethod
    def checked(
        cls, roles: Mapping[str, Any], *, score: Any = None, params: Any = None, wide: Any = False, unit: Any = None,
        where: Any = None, without: Any = None,
    ) -> Choices:  # fmt: skip
        """Choices from what a user gave; several columns under `algorithm` or `task` make one name together."""
        declared, several = {}, {}
        for role, said in roles.items():
            names = as_names(said, role) if role in ("algorithm", "task") and said is not None else ()
            if len(names) > 1:
                several[role] = names
            declared[role] = JOINED.join(names) if names else as_name(said, role)
        wide = as_answer(wide, "wide")
        if wide and roles.get("algorithm") is not None:
            raise InputError(
                f"`wide` makes a method of each column of numbers, and `algorithm` {roles['algorithm']!r} names one; leave out one of the two."
            )
        return cls(
            declared, _names(score, "score"), _names(params, "params"), wide, as_name(unit, "unit"), several,
            as_conditions(where), _names(without, "without") or (),
        )  # fmt: skip

    def naming(self, header: Sequence[str]) -> tuple[str, ...]:
        """The columns of a file that hold names: declared as such, or called so where nobody declared the role."""
        guessed = [role for role in (NAMING[1:] if self.wide else NAMING) if self.declared.get(role) is None]
        words = {word for role in guessed for word in (METHOD_NAMES if role == "algorithm" else ALIASES[role])}
        names = {self.declared.get(role) for role in NAMING}
        names |= {c for c in header if plain(c) in words or (c == self.unit and plain(c) not in OF_UNITS)}
        numbers = {*self._measured, *(self.declared.get(role) for role in ("repeat", "fold", "pair", "status", "step"))}
        found = tuple(c for c in header if c in names and c not in numbers)
        parts = {column for columns in self.several.values() for column in columns}
        return (*found, *(c for c in header if c in parts and c not in found))

    @property
    def _measured(self) -> tuple[str, ...]:
        """The scores and parameters that were named."""
        return (*(self.score or ()), *(self.params or ()))

    def names_runs(self, header: Sequence[str]) -> bool:
        """Whether something says what a row is: its unit, or a column of seeds, folds, items or groups."""
        words = {word for role in OF_RUNS for word in ALIASES[role]}
        said = self.unit is not None or any(self.declared.get(role) is not None for role in (*OF_RUNS, "pair"))
        return said or any(plain(column) in words for column in header)

    def any(self) -> bool:
        """Whether anything was said."""
        said = any(self.declared.values()) or bool(self.several)
        return said or self.score is not None or self.params is not None or self.wide

    def method_of(self, table: pa.Table) -> str | None:
        """The column of a table that names the method."""
        if self.declared.get("algorithm") is not None:
            return self.declared["algorithm"]
        taken = {*self._measured, *self.declared.values()}
        free = [c for c in table.column_names if c not in taken and not is_blank(table[c])]
        return column_by_name("algorithm", ALIASES["algorithm"], free)

    def long(self, table: pa.Table, limit: float | None = None) -> tuple[pa.Table, list[Note]]:
        """A long, flat table of the rows that are asked for; and what should be said of it."""
        self._refuse_shared()
        named = [column for column in (*self.declared.values(), self.unit) if column is not None]
        named += [column for columns in self.several.values() for column in columns]
        table = unnested(table, named, self._measured)
        chosen = condition_columns(table.column_names, self.where)
        table, notes = kept_rows(table, self.where)
        for role, columns in self.several.items():
            table = _combined(table, role, columns)
        if not self.wide:
            return table, notes
        joined = {column for columns in self.several.values() for column in columns}
        chosen = [c for c in chosen if c not in joined]
        table, unused = without_conditions(table, chosen, self.declared, self.score)
        table, found = unpivot(table, self.declared, self.score, limit)
        return table, [*notes, *unused, *found]

    def _refuse_shared(self) -> None:
        """Refuse a column that is a part of a name and something else besides: the name takes its place."""
        one = {role: (column,) for role, column in self.declared.items() if column is not None}
        said = {**one, "unit": (self.unit,), "score": self.score or (), "params": self.params or (), **self.several}
        names = {"algorithm": one["algorithm"]} if one.get("algorithm", 0) == one.get("task", 1) else {}
        for role, parts in {**names, **self.several}.items():
            for column in parts:
                others = [other for other, columns in said.items() if other != role and column in columns]
                if others:
                    raise InputError(
                        f"column {column!r} is named under `{role}` and under `{others[0]}`, and can be one of the two; "
                        f"leave it out of `{role}` or of `{others[0]}`."
                    )

    def remaining(self, table: pa.Table, column: str | None) -> tuple[pa.Table, list[Note]]:
        """The rows of the methods that are not left out."""
        if not self.without:
            return table, []
        if column is None:
            raise InputError(
                "`without` leaves methods out, and this table names none; name their column with algorithm=."
            )
        names = as_text(table[column], column)
        refuse_strangers(self.without, names.unique().to_pylist())
        kept = table.filter(pc.invert(pc.is_in(names, value_set=pa.array(self.without, pa.string()))))
        return kept, [Note(NoteKind.METHODS_LEFT_OUT, "without", {"methods": self.without})]

    def with_methods(self, tables: Sequence[pa.Table], names: Sequence[str]) -> list[pa.Table]:
        """Tables whose methods stand in columns of one name; one that names none becomes a method itself."""
        found = [self.method_of(table) for table in tables]
        said = {column for column in found if column is not None}
        shared = said.pop() if len(said) == 1 else "algorithm"
        out = []
        for table, column, name in zip(tables, found, names, strict=True):
            if column is None:  # a column of that name may be there, and be blank
                kept = table.drop_columns([shared]) if shared in table.column_names else table
                table = kept.append_column(shared, pa.array([name] * table.num_rows))
            out.append(table.rename_columns([shared if c == column else c for c in table.column_names]))
        return out


@dataclass(frozen=True, slots=True)
class Facts:
    """What the caller of `read` said about a table beyond its columns; None where nothing was said."""

    unit: str | None = None
    varied: tuple[str, ...] | None = None
    goal: str | Mapping[str, str] | None = None
    bounds: Bounds | Mapping[str, Bounds] | None = None
    independent: bool | None = None
    scope: str | None = None
    time_limit: float | None = None
    budget: float | None = None
    area: bool = False

    @classmethod
    def checked(
        cls, *, unit: Any, varied: Any, independent: Any, scope: Any, time_limit: Any, budget: Any = None, area: Any = False,
        **rest: Any,
    ) -> Facts:  # fmt: skip
        """Facts from what a user gave; goals and bounds are checked where the metrics are known."""
        if scope is not None and not (isinstance(scope, str) and SCOPE.fullmatch(scope)):
            raise InputError(
                f"`scope` must be 'generator' (fresh data each time) or 'these rows' (fresh splits of one data set); got {scope!r}."
            )
        for name, given in (("time_limit", time_limit), ("budget", budget)):
            number = isinstance(given, (int, float)) and not isinstance(given, bool)
            if given is not None and (not number or not 0.0 < float(given) < math.inf):
                raise InputError(f"`{name}` must be a positive number; got {given!r}.")
        return cls(
            unit=as_name(unit, "unit"), varied=_names(varied, "varied"), scope=scope,
            time_limit=None if time_limit is None else float(time_limit),
            budget=None if budget is None else float(budget), area=as_answer(area, "area"),
            independent=None if independent is None else as_answer(independent, "independent"), **rest,
        )  # fmt: skip


def _names(names: object, name: str) -> tuple[str, ...] | None:
    return None if names is None else as_names(names, name)


def refuse_strangers(without: Sequence[str], methods: Sequence[str]) -> None:
    """Refuse to leave out what is not there, or everything that is."""
    for name in without:
        if name not in methods:
            raise InputError(f"`without` must name a method of the table; got {name!r}. It has {quoted(methods)}.")
    if not set(methods) - set(without):
        raise InputError("`without` names every method of the table, and leaves none; name fewer.")


def _combined(table: pa.Table, role: str, columns: Sequence[str]) -> pa.Table:
    """The table with these columns as one, their values with a stroke between: `moons / 100`."""
    for name in columns:
        if name not in table.column_names:
            raise InputError(f"`{role}`: there is no column {name!r}; the columns are {quoted(table.column_names)}.")
    texts = [pc.utf8_trim_whitespace(pc.fill_null(as_text(table[name], name), "")) for name in columns]
    for name, text in zip(columns, texts, strict=True):
        empty = pc.sum(pc.equal(text, "")).as_py()
        if empty:
            raise InputError(
                f"`{role}`: column {name!r} is empty in {empty} of {plural(len(text), 'row')}, so that a part of the name is missing; "
                f"fill it, or leave these rows out with where={f'{name}!='!r}."
            )
    joined = pc.binary_join_element_wise(*texts, JOINED)
    # A column may hold the stroke itself, so that different parts make one name.
    numbers = [str(k) for k in range(len(texts))]
    distinct = pa.table(dict(zip([*numbers, "joined"], [*texts, joined], strict=True))).group_by([*numbers, "joined"])
    parts: dict[str, list[str]] = {}
    for row in distinct.aggregate([]).to_pylist():
        own = [row[number] for number in numbers]
        other = parts.setdefault(row["joined"], own)
        if other != own:
            first, second = (" and ".join(map(repr, one)) for one in (other, own))
            raise InputError(
                f"`{role}`: {first} make the same name as {second}, {row['joined']!r}; rename one of them in the table."
            )
    kept = table.drop_columns([c for c in columns if c != columns[0]])
    place = kept.column_names.index(columns[0])
    return kept.set_column(place, JOINED.join(columns), joined)


def unnested(table: pa.Table, named: Collection[str], kept: Collection[str]) -> pa.Table:
    """A table whose objects of scores are columns such as `metrics.acc`, and configurations such as `config.lr`; other
    objects and lists are text.

    A configuration that nobody named may hold which method ran. Other objects become columns where one of theirs is `named`, or where no plain column could be the score. What is
    `kept` stays as it is: configurations; and what is called a score, which is refused by its type.
    """
    said = (*named, *kept)
    for held in table.schema:
        if pa.types.is_struct(held.type) and plain(held.name) in CONFIGURATIONS and held.name not in said:
            table = _flattened(table, held.name)
    objects = [f.name for f in table.schema if pa.types.is_struct(f.type) and _is_free(f.name, said)]
    asked = any(name.startswith(f"{c}.") for name in said for c in objects if name not in table.column_names)
    if asked or not any(is_number(f.type) and _is_free(f.name, said) for f in table.schema):
        for name in objects:
            table = _flattened(table, name)
    for i, held in enumerate(table.schema):
        stays = held.name in kept or plain(held.name) in SCORE_NAMES or _is_param(held.name)
        if pa.types.is_nested(held.type) and not stays:
            table = table.set_column(i, held.name, as_text(table.column(i), held.name))
    return table


def _is_free(name: str, said: Collection[str]) -> bool:
    """Whether nobody has named a column, neither the caller nor the words for roles."""
    taken = name in said or plain(name) in ROLE_NAMES
    return not taken and not _is_param(name) and not is_row_number(name)


def _is_param(name: str) -> bool:
    return name == "params" or name.lower().startswith(PARAM_PREFIXES)


def _flattened(table: pa.Table, name: str) -> pa.Table:
    """The fields of an object as columns in its place, those of inner objects too."""
    place = table.column_names.index(name)
    column = table[name]
    inner = [f"{name}.{one.name}" for one in column.type]
    if set(inner) & set(table.column_names) or len(set(inner)) < len(inner):
        return table
    table = table.remove_column(place)
    for offset, (one, values) in enumerate(zip(inner, column.flatten(), strict=True)):
        table = table.add_column(place + offset, one, values)
    for one in inner:
        if pa.types.is_struct(table.schema.field(one).type):
            table = _flattened(table, one)
    return table


def without_conditions(
    table: pa.Table, columns: Sequence[str], declared: Mapping[str, str | None], methods: Sequence[str] | None
) -> tuple[pa.Table, list[Note]]:
    """A wide table without the columns by which its rows were chosen, which are no methods; and which still vary.

    A column that has a role keeps it, and so does text that names the rows where nothing else does.
    """
    kept = {c for c in table.column_names if c in declared.values() or c in (methods or ()) or plain(c) in ROW_NAMES}
    chosen = [c for c in columns if c not in kept]
    named = declared.get("task") is not None or any(
        plain(c) in ALIASES["task"] or (holds_text(table[c]) and c not in kept and not seems_numbers(table[c]))
        for c in table.column_names
        if c not in chosen
    )
    varied = [c for c in chosen if len(table[c].unique()) > 1]
    naming = [] if named else [c for c in varied if holds_text(table[c]) and not seems_numbers(table[c])][:1]
    dropped = [c for c in chosen if c not in naming]
    unused = [c for c in varied if c in dropped]
    return table.drop_columns(dropped), [Note(NoteKind.NOT_USED, values={"columns": unused})] if unused else []


def rows_where(table: pa.Table, where: Any, *, task: str | None, wide: bool) -> tuple[list[int], list[str], list[Note]]:
    """The numbers of the rows that are asked for, the columns that a wide table keeps, and what should be said."""
    conditions = as_conditions(where)
    chosen = condition_columns(table.column_names, conditions)
    kept, notes = kept_rows(table.append_column("\0row", pa.array(range(table.num_rows))), conditions)
    rows, kept = kept["\0row"].to_pylist(), kept.drop_columns(["\0row"])
    if not wide:
        return rows, table.column_names, notes
    left, unused = without_conditions(kept, chosen, {"task": task}, None)
    return rows, left.column_names, [*notes, *unused]


def unpivot(
    table: pa.Table, declared: Mapping[str, str | None], columns: Sequence[str] | None, limit: float | None = None
) -> tuple[pa.Table, list[Note]]:
    """A long table from a wide one; and which columns are not used, and how numbers are written."""
    kept = [c for c in declared.values() if c is not None]
    for name in [*kept, *(columns or ())]:
        if name not in table.column_names:
            raise InputError(f"there is no column {name!r}; the columns are {quoted(table.column_names)}.")
    free = [c for c in table.column_names if c not in kept and c not in (columns or ())]
    kept += [c for c in free if plain(c) in ROW_NAMES]
    text = [c for c in free if holds_text(table[c]) and c not in kept]
    naming = next((c for c in text if not seems_numbers(table[c])), None)
    if declared.get("task") is None and naming is not None and not any(plain(c) in ALIASES["task"] for c in kept):
        # Text that nobody declared names the task: problems down, methods across.
        table = table.rename_columns(["task" if c == naming else c for c in table.column_names])
        kept.append("task")
        text.remove(naming)
    rest = [c for c in table.column_names if c not in kept]
    methods = list(columns) if columns else [c for c in rest if c in text or not is_row_number(c)]
    if not [m for m in methods if m not in text or seems_numbers(table[m])]:
        refuse_means({c: table[c] for c in rest})
        raise UnreadableSource("a wide table needs at least one column of numbers; each is a method.")
    index = [c for c in kept if c not in methods]
    parts, notes = [], []
    for method in methods:
        column, cut = with_timeouts(table[method], method, limit)
        scores, written = numbers_and_note(column, method)
        notes += [] if cut is None else [cut]
        names = {"algorithm": pa.array([method] * table.num_rows), "score": pa.array(scores)}
        parts.append(pa.table({**{c: table[c] for c in index}, **names}))
        notes += [] if written is None else [written]
    dropped = [c for c in rest if c not in methods]
    notes += [Note(NoteKind.NOT_USED, values={"columns": dropped})] if dropped else []
    return pa.concat_tables(parts), notes
