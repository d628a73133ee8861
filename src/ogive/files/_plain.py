"""Arrow's rare types become common ones, so that nobody behind the door meets a type without a compute function."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import UnreadableSource

# Whole numbers of more than 64 bits, as seeds may be; as floats, neighbors among them would be one.
EXACT = pa.decimal128(38, 0)
FIRST_INEXACT = 2.0**53


def is_beyond_floats(column: pa.ChunkedArray) -> bool:
    """Whether a column of floats holds whole numbers only, some of them too large for a float to be sure of."""
    if not pa.types.is_float64(column.type) or column.null_count == len(column):
        return False
    largest = pc.max(pc.abs(column)).as_py()
    return bool(FIRST_INEXACT <= largest < 1e38 and pc.all(pc.equal(column, pc.round(column))).as_py())


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def canonical_text(value: object) -> str:
    """JSON of a value, keys sorted, so that equal values are equal text."""
    # Arrow fills a struct's missing fields with null: a parameter that a configuration does not have.
    kept = {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
    return json.dumps(kept, sort_keys=True, separators=(",", ":"), default=str)


def plain_table(table: pa.Table) -> pa.Table:
    """The same values as text, numbers, truth values, times, lists and objects; the metadata stay.

    Dictionaries are decoded (those of text in a table that Ogive wrote stay), extensions show what they are stored as. Bytes that are UTF-8 are text.
    """
    names = table.column_names
    own = b"ogive" in (table.schema.metadata or {})  # what Ogive wrote comes back as it was written
    for place, field in enumerate(table.schema):
        column = table.column(place)
        if _is_plain(field.type) and not _is_beyond_calendar(column):
            continue
        if own and pa.types.is_dictionary(field.type) and pa.types.is_string(field.type.value_type):
            continue
        try:
            plain = pa.chunked_array([_plain_array(chunk) for chunk in column.chunks] or [pa.nulls(0)])
            table = table.set_column(place, names[place], plain)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            raise UnreadableSource(
                f"column {names[place]!r} holds {str(field.type)[:80]}, which cannot be read; leave it out, or write it as text."
            ) from error
    return table


def _is_beyond_calendar(column: pa.ChunkedArray) -> bool:
    """Whether a column holds times that Python has no name for, such as the year 144,683."""
    if not pa.types.is_temporal(column.type) or pa.types.is_interval(column.type) or column.null_count == len(column):
        return False
    spans = pa.types.is_duration(column.type)  # which Arrow does not compare
    ends = pc.min_max(column.cast(pa.int64()) if spans else column)
    try:
        for end in (ends["min"], ends["max"]):
            (pa.scalar(end.as_py(), column.type) if spans else end).as_py()
    except (OverflowError, ValueError):
        return True
    return False


def _is_plain(kind: pa.DataType) -> bool:
    t = pa.types
    if t.is_list(kind):
        return _is_plain(kind.value_type)
    if t.is_struct(kind):
        return len({field.name for field in kind}) == kind.num_fields and all(_is_plain(field.type) for field in kind)
    scalar = (
        t.is_string, t.is_null, t.is_boolean, t.is_integer, t.is_float32, t.is_float64, t.is_decimal128, t.is_temporal,
    )  # fmt: skip
    return any(is_one(kind) for is_one in scalar)


def _plain_array(values: pa.Array) -> pa.Array:
    """One array of a plain type; a type nobody knows becomes text."""
    kind = values.type
    t = pa.types
    if t.is_duration(kind):
        values, kind = values.cast(pa.int64()), pa.int64()
    if t.is_temporal(kind):  # beyond the calendar: Arrow writes such times, Python does not
        return values.cast(pa.string())
    if _is_plain(kind):
        return values
    if isinstance(values, pa.ExtensionArray):
        return _plain_array(values.storage)
    if t.is_dictionary(kind):
        return _plain_array(values.dictionary_decode())
    if t.is_run_end_encoded(kind):
        return _plain_array(pc.run_end_decode(values))
    if is_text(kind):
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:  # text of more than 2 GiB stays large
            return values.cast(pa.large_string())
    if t.is_binary(kind) or t.is_large_binary(kind) or t.is_binary_view(kind) or t.is_fixed_size_binary(kind):
        values = values if t.is_binary(kind) else values.cast(pa.binary())
        try:
            return values.cast(pa.string())
        except pa.ArrowInvalid:
            return values
    if t.is_float16(kind):
        return values.cast(pa.float32())
    if t.is_decimal(kind):
        try:
            return values.cast(pa.decimal128(min(kind.precision, 38), kind.scale))
        except pa.ArrowInvalid:  # more than 38 digits
            return values.cast(pa.float64())
    if t.is_struct(kind):
        names = [field.name for field in kind]
        if len(set(names)) < len(names):
            raise ValueError("fields of the same name")
        # `flatten` gives a null field where the object itself is null.
        mask = values.is_null() if values.null_count else None
        return pa.StructArray.from_arrays([_plain_array(field) for field in values.flatten()], names, mask=mask)
    return _rebuilt(values)


def _rebuilt(values: pa.Array) -> pa.Array:
    """Views of lists, maps, unions and what else there is: by their Python values, as text where they have no type."""
    held: list[Any] = values.to_pylist()
    try:
        found = pa.array(held)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        found = None
    if found is not None and _is_plain(found.type):
        return found
    return pa.array([None if v is None else canonical_text(v) for v in held], type=pa.string())
