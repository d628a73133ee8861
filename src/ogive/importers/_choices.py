"""What the caller of `read` says about columns, and a table that is prepared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ogive.importers._nested import unnested
from ogive.importers._roles import names_method, naming_columns
from ogive.importers._wide import unpivot


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

    def any(self) -> bool:
        """Whether anything was said."""
        return any(self.declared.values()) or self.score is not None or self.params is not None or self.wide

    def prepared(self, table: pa.Table, name: str, *, alone: bool) -> tuple[pa.Table, list[str]]:
        """A long table that names its method, where it is not the only one; and the columns that fell away."""
        others = (*(self.score or ()), *(self.params or ()))
        named = [column for column in (*self.declared.values(), self.unit) if column is not None]
        table = unnested(table, named, others)
        table, dropped = unpivot(table, self.declared, self.score) if self.wide else (table, [])
        known = alone or "algorithm" in table.column_names
        if known or names_method(table, self.declared, others):
            return table, dropped
        return table.append_column("algorithm", pa.array([name] * table.num_rows)), dropped
