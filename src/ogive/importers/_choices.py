"""What the caller of `read` says, checked; and a table whose columns are prepared by it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from ogive.arguments import as_answer, as_name, as_names
from ogive.errors import InputError
from ogive.importers._columns import as_text
from ogive.importers._roles import ALIASES, method_column, naming_columns, plain
from ogive.importers._shape import unnested, unpivot, without_conditions
from ogive.importers._where import Condition, as_conditions, condition_columns, kept_rows
from ogive.metric import Bounds
from ogive.notes import Note, NoteKind
from ogive.words import plural, quoted

OF_RUNS = ("repeat", "fold", "item", "group")
SCOPE = re.compile(r"generator|these (\d+ )?rows")
JOINED = " / "  # between the parts of a name that several columns give


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
        """The columns of a file that hold names."""
        others = (*(self.score or ()), *(self.params or ()))
        found = naming_columns(header, self.declared, others, self.unit, self.wide)
        parts = {column for columns in self.several.values() for column in columns}
        return (*found, *(c for c in header if c in parts and c not in found))

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
        return method_column(table, self.declared, (*(self.score or ()), *(self.params or ())))

    def long(self, table: pa.Table) -> tuple[pa.Table, list[Note]]:
        """A long, flat table of the rows that are asked for; and what should be said of it."""
        self._refuse_shared()
        named = [column for column in (*self.declared.values(), self.unit) if column is not None]
        named += [column for columns in self.several.values() for column in columns]
        table = unnested(table, named, (*(self.score or ()), *(self.params or ())))
        chosen = condition_columns(table.column_names, self.where)
        table, notes = kept_rows(table, self.where)
        for role, columns in self.several.items():
            table = _combined(table, role, columns)
        if not self.wide:
            return table, notes
        joined = {column for columns in self.several.values() for column in columns}
        chosen = [c for c in chosen if c not in joined]
        table, unused = without_conditions(table, chosen, self.declared, self.score)
        table, found = unpivot(table, self.declared, self.score)
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

    @classmethod
    def checked(cls, *, unit: Any, varied: Any, independent: Any, scope: Any, time_limit: Any, **rest: Any) -> Facts:
        """Facts from what a user gave; goals and bounds are checked where the metrics are known."""
        return cls(
            unit=as_name(unit, "unit"), varied=_names(varied, "varied"), scope=_scope(scope), time_limit=_limit(time_limit),
            independent=None if independent is None else as_answer(independent, "independent"), **rest,
        )  # fmt: skip


def _names(names: object, name: str) -> tuple[str, ...] | None:
    return None if names is None else as_names(names, name)


def _limit(limit: object) -> float | None:
    if limit is None:
        return None
    number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    if not number or not 0.0 < float(cast(float, limit)) < math.inf:
        raise InputError(f"`time_limit` must be a positive number; got {limit!r}.")
    return float(cast(float, limit))


def _scope(scope: str | None) -> str | None:
    if scope is None or (isinstance(scope, str) and SCOPE.fullmatch(scope)):
        return scope
    raise InputError(
        f"`scope` must be 'generator' (fresh data each time) or 'these rows' (fresh splits of one data set); got {scope!r}."
    )


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
    _refuse_coinciding(role, texts, joined)
    kept = table.drop_columns([c for c in columns if c != columns[0]])
    place = kept.column_names.index(columns[0])
    return kept.set_column(place, JOINED.join(columns), joined)


def _refuse_coinciding(role: str, texts: Sequence[pa.Array], joined: pa.Array) -> None:
    """Refuse different parts that make one name: a column may hold the stroke itself."""
    columns = [str(k) for k in range(len(texts))]
    distinct = pa.table(dict(zip([*columns, "joined"], [*texts, joined], strict=True))).group_by([*columns, "joined"])
    parts: dict[str, list[str]] = {}
    for row in distinct.aggregate([]).to_pylist():
        own = [row[c] for c in columns]
        other = parts.setdefault(row["joined"], own)
        if other != own:
            first, second = (" and ".join(map(repr, one)) for one in (other, own))
            raise InputError(
                f"`{role}`: {first} make the same name as {second}, {row['joined']!r}; rename one of them in the table."
            )
