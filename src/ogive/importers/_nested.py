"""Columns that hold objects or lists become plain ones."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from ogive.importers._columns import as_text, is_number
from ogive.importers._roles import ALIASES, COST_NAMES, PARAM_PREFIXES, SCORE_NAMES, is_row_number, plain

ROLE_NAMES = {name for names in (*ALIASES.values(), *COST_NAMES.values()) for name in names}


def unnested(table: pa.Table, named: Collection[str], kept: Collection[str]) -> pa.Table:
    """A table whose objects of scores are columns such as `metrics.acc`; other objects and lists are text.

    Objects become columns where one of theirs is `named`, or where no plain column could be the score. What is
    `kept` stays as it is: configurations; and what is called a score, which is refused by its type.
    """
    said = (*named, *kept)
    objects = [f.name for f in table.schema if pa.types.is_struct(f.type) and _is_free(f.name, said)]
    asked = any(name.startswith(f"{c}.") for name in said for c in objects if name not in table.column_names)
    if asked or not any(is_number(f.type) and _is_free(f.name, said) for f in table.schema):
        for name in objects:
            table = _flattened(table, name)
    for i, field in enumerate(table.schema):
        stays = field.name in kept or plain(field.name) in SCORE_NAMES or _is_param(field.name)
        if pa.types.is_nested(field.type) and not stays:
            table = table.set_column(i, field.name, as_text(table.column(i), field.name))
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
    inner = [f"{name}.{field.name}" for field in column.type]
    if set(inner) & set(table.column_names) or len(set(inner)) < len(inner):
        return table
    table = table.remove_column(place)
    for offset, (field, values) in enumerate(zip(inner, column.flatten(), strict=True)):
        table = table.add_column(place + offset, field, values)
    for field in inner:
        if pa.types.is_struct(table.schema.field(field).type):
            table = _flattened(table, field)
    return table
