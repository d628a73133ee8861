"""Which rows of a table are read: conditions on its columns, as `settings=default` or {"settings": "default"}."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
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
COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
MOST_EXPONENT = 400
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


def condition_columns(columns: Sequence[str], conditions: Sequence[Condition]) -> list[str]:
    """The columns that conditions speak of."""
    return list(dict.fromkeys(condition.split(columns)[0] for condition in conditions))


def _holds(column: pa.ChunkedArray, name: str, sign: str, value: str) -> np.ndarray:
    """For every row, whether a condition holds; a value that no row has is refused, since it is a slip."""
    if sign not in ("=", "!="):
        if value.endswith("%") and _is_in_percent(column, name):
            value = value.removesuffix("%").rstrip()
        found = _compared(column, name, sign, value)
        if found is None:
            raise InputError(f"`where` {name}{sign}{value} compares numbers, and {_held(column, name)}; use = or !=.")
        return found
    same = _equals(column, name, value)
    if not same.any():
        raise InputError(f"`where` {name}{sign}{value}: {_held(column, name)}.")
    return same if sign == "=" else ~same


def _compared(column: pa.ChunkedArray, name: str, sign: str, value: str) -> np.ndarray | None:
    """For every row, whether its number compares so; None where it is none.

    Numbers are compared in the column's own type: as floats the seeds 2**53 and 2**53 + 1 are one, and 0.1 is in no
    column of 32 bits.
    """
    number, compare = written_number(value), COMPARED[sign]
    if number is None:
        return None
    if (pa.types.is_integer(column.type) or pa.types.is_decimal(column.type)) and math.isfinite(number):
        exact = _exactly(value, number)
        if not column.num_chunks:
            return np.zeros(0, dtype=bool)
        encoded = pa.concat_arrays(column.chunks).dictionary_encode()
        truths = np.array([*(compare(held, exact) for held in encoded.dictionary.to_pylist()), False], dtype=bool)
        return np.asarray(truths[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)])
    numbers = _numbers(column, name)
    if numbers is None:
        return None
    narrow = pa.types.is_floating(column.type) and column.type.bit_width < 64
    kind = column.type.to_pandas_dtype() if narrow else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(compare(numbers.astype(kind), kind(number)))


def _equals(column: pa.ChunkedArray, name: str, value: str) -> np.ndarray:
    if is_number(column.type) and not pa.types.is_boolean(column.type):
        found = _compared(column, name, "=", value)
        if found is not None:
            return found
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
    # The words right and wrong are numbers too, and written in none of these ways.
    return note is not None and "percent" in note.values.get("ways", ())


def _exactly(value: str, number: float) -> int | Fraction:
    """A number as it is written; one with an exponent that no column holds, such as 0e999999999, as its float."""
    exponent = Decimal(value).as_tuple().exponent
    near = isinstance(exponent, int) and abs(exponent) <= MOST_EXPONENT
    exact = Fraction(Decimal(value)) if near else Fraction(number)
    return exact.numerator if exact.denominator == 1 else exact


def _written(value: Any) -> str:
    """A value as a condition writes it."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return f"{float(value):.0f}"
    return str(value).strip()
