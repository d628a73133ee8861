"""What the caller of `read` says about columns, and a table that is prepared by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from ogive.importers._nested import unnested
from ogive.importers._roles import ALIASES, names_method, naming_columns, plain
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
