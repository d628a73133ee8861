"""What the caller of `read` says about columns, and a table that is prepared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ogive.importers._nested import unnested
from ogive.importers._roles import ALIASES, method_column, naming_columns, plain
from ogive.importers._wide import unpivot

OF_RUNS = ("repeat", "fold", "item", "group")


@dataclass(frozen=True, slots=True)
class Choices:
    """What the caller of `read` said about columns."""

    declared: Mapping[str, str | None]
    score: tuple[str, ...] | None
    params: tuple[str, ...] | None
    wide: bool
    unit: str | None

    def naming(self, header: Sequence[str]) -> tuple[str, ...]:
        """The columns of a file that hold names."""
        others = (*(self.score or ()), *(self.params or ()))
        return naming_columns(header, self.declared, others, self.unit, self.wide)

    def names_runs(self, header: Sequence[str]) -> bool:
        """Whether something says what a row is: its unit, or a column of seeds, folds, items or groups."""
        words = {word for role in OF_RUNS for word in ALIASES[role]}
        said = self.unit is not None or any(self.declared.get(role) is not None for role in (*OF_RUNS, "pair"))
        return said or any(plain(column) in words for column in header)

    def any(self) -> bool:
        """Whether anything was said."""
        return any(self.declared.values()) or self.score is not None or self.params is not None or self.wide

    def method_of(self, table: pa.Table) -> str | None:
        """The column of a table that names the method."""
        return method_column(table, self.declared, (*(self.score or ()), *(self.params or ())))

    def long(self, table: pa.Table) -> tuple[pa.Table, list[str]]:
        """A long, flat table; and the columns that fell away."""
        named = [column for column in (*self.declared.values(), self.unit) if column is not None]
        table = unnested(table, named, (*(self.score or ()), *(self.params or ())))
        return unpivot(table, self.declared, self.score) if self.wide else (table, [])

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
