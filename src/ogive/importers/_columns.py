"""A foreign column as text or as numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError, InvalidScores, UnreadableSource
from ogive.files import canonical_text, is_text
from ogive.schema import RESERVED

CODE = re.compile(r"0\d")
NUMBER = re.compile(r"[-+]?(\d{1,3}(,\d{3})+(\.\d+)?|\d*[.,]?\d+)([eE][-+]?\d{1,3})?\s*%?")
FEWEST_OF_SCORES = 4
MOST_LOOKED_AT = 1000
_JSON = json.JSONEncoder(separators=(",", ":"), default=str)


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type can hold scores."""
    return bool(
        pa.types.is_floating(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    )


def holds_text(column: pa.ChunkedArray) -> bool:
    """Whether a column holds text, or categories that are text."""
    kind = column.type
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def as_text(values: pa.Array | pa.ChunkedArray, name: str | None = None) -> pa.Array:
    """Text of every value; what is nested becomes canonical JSON, so that equal values are equal text."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], type=values.type)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_nested(values.type):
        return pa.array([None if v is None else canonical_text(v) for v in values.to_pylist()], type=pa.string())
    try:
        return values.cast(pa.string())
    except pa.ArrowNotImplementedError:  # spans of time, which Arrow does not write
        return pa.array([None if v is None else str(v) for v in values.to_pylist()], type=pa.string())
    except pa.ArrowException as error:
        which = "a column of names" if name is None else f"column {name!r}"
        raise UnreadableSource(
            f"{which} must hold text in UTF-8; it holds {values.type} that is none. Convert it to text first."
        ) from error


def as_objects(columns: Mapping[str, pa.ChunkedArray]) -> pa.Array:
    """Canonical JSON of each row: the values of these columns by name, in this order."""
    pieces: list[Any] = []
    for name, column in columns.items():
        pieces += ["," if pieces else "{", f"{_JSON.encode(name)}:", _as_json(column)]
    return pc.binary_join_element_wise(*pieces, "}", "")


def _as_json(column: pa.ChunkedArray) -> pa.Array:
    """JSON of every value; a value that occurs a million times is written once."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values = pa.concat_arrays(column.chunks)
    try:
        encoded = values.dictionary_encode()
    except pa.ArrowNotImplementedError:  # lists and objects
        return pa.array([_JSON.encode(v) for v in values.to_pylist()], type=pa.string())
    distinct = encoded.dictionary.to_pylist()
    # Numbers hold no comma; together they are written without a call for each.
    together = is_number(values.type) and distinct
    written = _JSON.encode(distinct)[1:-1].split(",") if together else [_JSON.encode(v) for v in distinct]
    texts = pa.array(written, type=pa.string())
    return texts.take(encoded.indices).fill_null("null")


def as_numbers(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """Floats, NaN where a cell is empty; text that is no number is refused with its row."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if is_number(column.type):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64).copy()
    if not is_text(column.type):
        raise InvalidScores(f"column {name!r} must hold numbers; it holds {column.type}.")
    out = np.full(len(column), np.nan)
    for i, text in enumerate(column.to_pylist()):
        if text is None or not text.strip():
            continue
        try:
            out[i] = _written_number(text)
        except ValueError:
            raise InvalidScores(
                f"column {name!r} must hold numbers; row {i + 1} holds {_short(text)!r}. {_way_out(text)}"
            ) from None
    return out


def seems_numbers(column: pa.ChunkedArray) -> bool:
    """Whether text is mostly numbers: with decimal or thousands' commas, percent signs, or words between.

    Scores hardly repeat; lists such as "64,64" and the numbers of devices do.
    """
    if not holds_text(column):
        return False
    values = [str(text).strip() for text in column.slice(0, MOST_LOOKED_AT).to_pylist() if text is not None]
    said = [text for text in values if text]
    numbers = [text for text in said if NUMBER.fullmatch(text.replace("\u2212", "-")) and not CODE.match(text)]
    return 2 * len(numbers) > len(said) and FEWEST_OF_SCORES * len(set(numbers)) >= len(numbers)


def _written_number(text: str) -> float:
    """The number that a text is; Python would also take 1_000 and digits of other scripts, which no other program does."""
    if "_" in text or not text.isascii():
        raise ValueError
    return float(text)


def _is_float(text: str) -> bool:
    try:
        _written_number(text)
    except ValueError:
        return False
    return True


def odd_one(column: pa.ChunkedArray) -> str:
    """A value of a column that is no plain number, if there is one."""
    values: list[str] = [text[:40] for text in as_text(column).unique().to_pylist()[:1000] if text is not None]
    return next((text for text in values if not _is_float(text)), values[0])


def refuse_reserved(names: Sequence[str]) -> None:
    """Refuse a score that is called like another column of the trial table."""
    for name in names:
        if name in RESERVED:
            raise InputError(
                f"a score column may not be called {name!r}, which is a column of the trial table; rename it."
            )


def _way_out(text: str) -> str:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return "Leave the cell empty for a trial that failed."
    return "Write decimals with a point."


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"
