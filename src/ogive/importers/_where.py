"""Which rows of a table are read: conditions on its columns, as `settings=default` or {"settings": "default"}."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError, InvalidScores
from ogive.importers._columns import (
    as_numbers,
    as_text,
    as_truths,
    holds_text,
    is_number,
    numbers_and_note,
    written_number,
)
from ogive.notes import Note, NoteKind
from ogive.words import quoted

SIGNS = re.compile(r"!=|<=|>=|==|=|<|>")
ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FORM = "`where` must be conditions such as 'settings=default' or {'settings': 'default'}"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a column must hold. `text` is as the caller wrote it; a column's name may itself hold a sign."""

    text: str
    column: str | None = None
    values: tuple[str, ...] = ()

    def split(self, columns: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
        """Column, sign and values, for a table with these columns."""
        if self.column is not None:
            if self.column not in columns:
                raise InputError(f"`where`: there is no column {self.column!r}; the columns are {quoted(columns)}.")
            return self.column, "=", self.values
        for found in SIGNS.finditer(self.text):
            column = self.text[: found.start()].strip()
            if column in columns:
                return column, "=" if found[0] == "==" else found[0], (self.text[found.end() :].strip(),)
        first = SIGNS.search(self.text)
        column = self.text[: first.start()].strip() if first else self.text
        raise InputError(f"`where`: there is no column {column!r}; the columns are {quoted(columns)}.")


def as_conditions(where: Any) -> tuple[Condition, ...]:
    """The conditions of `where`: text, several texts, or column -> value or values."""
    if where is None:
        return ()
    if isinstance(where, str):
        where = [where]
    if isinstance(where, Mapping):
        out = []
        for column, value in where.items():
            several = isinstance(value, (list, tuple, set, frozenset, np.ndarray))
            values = tuple(_written(v) for v in (value if several else [value]))
            if not values:
                raise InputError(f"{FORM}; got no value for {str(column)!r}.")
            out.append(Condition(f"{column}={' or '.join(values)}", str(column), values))
        return tuple(out)
    if not isinstance(where, Sequence) or not all(isinstance(one, str) for one in where):
        raise InputError(f"{FORM}; got {type(where).__name__}.")
    for one in where:
        if SIGNS.search(one) is None:
            raise InputError(f"{FORM}; got {one!r}.")
    return tuple(Condition(one) for one in where)


def kept_rows(table: pa.Table, conditions: Sequence[Condition]) -> tuple[pa.Table, list[Note]]:
    """The rows for which every condition holds; values of one column that are asked for with = are alternatives."""
    if not conditions:
        return table, []
    columns = list(table.column_names)
    equal: dict[str, list[str]] = {}
    kept = np.ones(table.num_rows, dtype=bool)
    for condition in conditions:
        column, sign, values = condition.split(columns)
        if sign == "=":
            equal.setdefault(column, []).extend(values)
        else:
            kept &= _holds(table[column], column, sign, values[0])
    for column, allowed in equal.items():
        kept &= np.any([_holds(table[column], column, "=", value) for value in allowed], axis=0)
    said = tuple(condition.text for condition in conditions)
    if not kept.any():
        raise InputError(f"`where` {', '.join(said)} leaves no row of {table.num_rows}; ask for less.")
    chosen = {"conditions": said, "n": int(kept.sum()), "of_rows": table.num_rows}
    return table.filter(pa.array(kept)), [Note(NoteKind.ROWS_CHOSEN, "where", chosen)]


def _holds(column: pa.ChunkedArray, name: str, sign: str, value: str) -> np.ndarray:
    """For every row, whether a condition holds; a value that no row has is refused, since it is a slip."""
    if sign in ORDER and value.endswith("%") and _is_in_percent(column, name):
        value = value.removesuffix("%").rstrip()
    if sign in ORDER:
        numbers = _numbers(column, name)
        bound = _number(value)
        if numbers is None or bound is None:
            raise InputError(f"`where` {name}{sign}{value} compares numbers, and {_held(column, name)}; use = or !=.")
        with np.errstate(invalid="ignore"):
            return np.asarray(ORDER[sign](numbers, bound))
    same = _equals(column, value)
    if not same.any():
        raise InputError(f"`where` {name}{sign}{value}: {_held(column, name)}.")
    return same if sign == "=" else ~same


def _equals(column: pa.ChunkedArray, value: str) -> np.ndarray:
    number = _number(value)
    if is_number(column.type) and not pa.types.is_boolean(column.type) and number is not None:
        return np.asarray(as_numbers(column, "where") == number)
    truths = as_truths(column) if pa.types.is_boolean(column.type) else None
    if truths is not None:
        asked = as_truths(pa.chunked_array([[value]]))
        return np.array([truth is not None and asked is not None and truth == asked[0] for truth in truths])
    words = [("" if text is None else text.strip()) for text in as_text(column).to_pylist()]
    return np.array([word == value for word in words], dtype=bool)


def _held(column: pa.ChunkedArray, name: str) -> str:
    values = column.unique().to_pylist()
    if holds_text(column) or pa.types.is_boolean(column.type) or len(values) <= 8:
        return f"{name!r} holds {quoted([_written(v) for v in values if v is not None])}"
    numbers = as_numbers(column, name) if is_number(column.type) else np.empty(0)
    numbers = numbers[np.isfinite(numbers)]
    return f"{name!r} holds " + (
        f"{len(values)} numbers from {numbers.min():g} to {numbers.max():g}" if numbers.size else str(column.type)
    )


def _numbers(column: pa.ChunkedArray, name: str) -> np.ndarray | None:
    """The numbers of a column as they are written: 15% is 15, since whoever writes pct<15 has read 15 there."""
    if _is_in_percent(column, name):
        column = pa.chunked_array([pc.replace_substring(as_text(column, name), "%", "")])
    try:
        return as_numbers(column, name)
    except InvalidScores:
        return None


def _is_in_percent(column: pa.ChunkedArray, name: str) -> bool:
    try:
        note = numbers_and_note(column, name)[1]
    except InvalidScores:
        return False
    return note is not None and "percent" in note.values["ways"]


def _number(value: str) -> float | None:
    try:
        return written_number(value)
    except ValueError:
        return None


def _written(value: Any) -> str:
    """A value as a condition writes it."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return f"{float(value):.0f}"
    return str(value).strip()
