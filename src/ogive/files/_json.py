"""JSON: an array of objects, or one object after another; every key that any of them has is a column.

Arrow reads lines ten times as fast as Python, and reads some of them as something else: text that looks like a time
as a time, whole numbers beyond 64 bits as floats, a line `null` as a row; `null` alone, and objects thousands deep,
end the process. So Arrow gets files of plain lines only, and where it finds one of these Python reads them again.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ogive.errors import UnreadableSource
from ogive.files._opening import MARK, Naming, Source, sentence
from ogive.files._plain import EXACT, canonical_text, is_beyond_floats

DEEPEST = 100
SPACE = " \t\r\n"
# What a kind of JSON value is called.
CALLED = {str: "text", bool: "true or false", int: "numbers", float: "numbers", dict: "objects", list: "lists"}


def read(source: Source, naming: Naming) -> pa.Table:
    """The table in a JSON file."""
    path = source.path
    try:
        fast = _by_arrow(source, naming) if _is_plain_lines(source) else None
        if fast is not None:
            return fast
        with source.stream() as stream:
            text = stream.read().decode("utf-8-sig")
        rows = list(_objects(text, source))
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8, and is not. Save it as JSON in UTF-8.") from error
    except RecursionError:
        raise UnreadableSource(_too_deep(source)) from None
    except UnreadableSource:
        raise
    except (ValueError, pa.ArrowException, OSError, EOFError) as error:
        raise UnreadableSource(f"{path} cannot be read as JSON: {sentence(error)}") from error
    return _table(rows, source, naming)


def _is_plain_lines(source: Source) -> bool:
    """Whether every line holds whole objects, none of them deep: as many closings as openings, and few."""
    with source.stream() as stream:
        first = True
        for line in io.BufferedReader(stream):
            if first:
                line, first = line.removeprefix(MARK), False
            opened = line.count(b"{") + line.count(b"[")
            said = line.strip()
            if said and not said.startswith(b"{"):
                return False
            if opened > DEEPEST or opened != line.count(b"}") + line.count(b"]"):
                return False
    return not first


def _by_arrow(source: Source, naming: Naming) -> pa.Table | None:
    """The table that Arrow reads; None where it cannot, or may have read something else than what is written."""
    from pyarrow.json import read_json

    try:
        with source.stream() as stream:
            table = read_json(stream)
        table.validate(full=True)
        names = table.column_names
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    if not names or len(set(names)) < len(names) or any(map(_holds_time, table.schema.types)):
        return None
    if all(column.null_count for column in table.columns):  # perhaps a line that is no object
        return None
    if any(is_beyond_floats(column) for column in table.columns):
        return None
    return None if any(pa.types.is_floating(table.schema.field(n).type) for n in naming(names)) else table


def _holds_time(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) or any(_holds_time(kind.field(i).type) for i in range(kind.num_fields)))


def _objects(text: str, source: Source) -> Iterator[dict[str, Any]]:
    """The objects of an array, or of lines; anything else is refused."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        if len(held) < len(pairs):
            twice = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
            raise UnreadableSource(f"{source.path} has an object that names {twice!r} twice; rename one of them.")
        return held

    decoder = json.JSONDecoder(object_pairs_hook=once)
    place, number = _behind_space(text, 0), 0
    while place < len(text):
        value, place = decoder.raw_decode(text, place)
        place = _behind_space(text, place)
        number += 1
        if isinstance(value, list) and number == 1 and place == len(text):
            wrong = next((i for i, one in enumerate(value) if not isinstance(one, dict)), None)
            if not value:
                raise UnreadableSource(f"{source.path} is an empty JSON array; write one object for each run.")
            if wrong is not None:
                raise UnreadableSource(
                    f"{source.path} is a JSON array of something else than objects: its {_ordinal(wrong + 1)} value is "
                    f"{_called(value[wrong])}; write one object for each run."
                )
            yield from value
            return
        if not isinstance(value, dict):
            raise UnreadableSource(
                f"{source.path} must hold JSON objects, one for each run; the {_ordinal(number)} value is {_called(value)}."
            )
        yield value


def _table(rows: Sequence[dict[str, Any]], source: Source, naming: Naming) -> pa.Table:
    """A column for each key that any object has; a missing key is a missing value."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise UnreadableSource(f"{source.path} holds JSON objects without any key; write one object for each run.")
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise UnreadableSource(_half_sign(source, "the name of a key")) from None
    as_written = set(naming(names))
    columns = [_column(name, [row.get(name) for row in rows], source, as_written) for name in names]
    return pa.Table.from_arrays(columns, names)


def _column(name: str, values: list[Any], source: Source, as_written: Collection[str]) -> pa.Array:
    kinds = {type(value) for value in values if value is not None}
    try:
        if kinds and kinds <= {int, float}:
            return _numbers(values, kinds, as_text=name in as_written)
        if bool in kinds and kinds <= {bool, int, float}:  # as text: Arrow would make a score of 1.0 of true
            return pa.array([None if value is None else json.dumps(value) for value in values], type=pa.string())
        if kinds & {dict, list}:
            return _nested(values, source)
        return pa.array(values)
    except UnreadableSource:
        raise
    except UnicodeEncodeError:
        raise UnreadableSource(_half_sign(source, f"column {name!a}")) from None
    except OverflowError:
        raise UnreadableSource(
            f"{source.path} holds a whole number in column {name!r} that no float can hold; write it as text, or smaller."
        ) from None
    except (pa.ArrowException, TypeError, ValueError):
        found = sorted({CALLED[kind] for kind in kinds})
        raise UnreadableSource(
            f"{source.path} holds {' and '.join(found)} in column {name!r}; write one kind of value, and null where there is none."
        ) from None


def _numbers(values: list[Any], kinds: set[type], *, as_text: bool) -> pa.Array:
    """Whole numbers or floats; of more than 64 bits as decimals, or where they are names as they are written."""
    try:
        return pa.array(values)
    except (OverflowError, pa.ArrowInvalid):
        if as_text:
            return pa.array([None if value is None else str(value) for value in values])
    if kinds == {int} and max(abs(value) for value in values if value is not None) < 10**EXACT.precision:
        return pa.array([None if value is None else Decimal(value) for value in values], type=EXACT)
    return pa.array([None if value is None else float(value) for value in values], type=pa.float64())


def _nested(values: list[Any], source: Source) -> pa.Array:
    """Objects or lists; as JSON text where their values are of several kinds, as configurations are."""
    if any(_is_deep(value, DEEPEST) for value in values):
        raise UnreadableSource(_too_deep(source))
    try:
        return pa.array(values)
    except UnicodeEncodeError:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        if not all(value is None or isinstance(value, (dict, list)) for value in values):
            raise
        return pa.array([None if value is None else canonical_text(value) for value in values], type=pa.string())


def _is_deep(value: Any, left: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_is_deep(one, left - 1) for one in inner)


def _half_sign(source: Source, what: str) -> str:
    return f"{source.path} holds half of a sign (a lone surrogate) in {what}, which is no text; write the whole sign."


def _too_deep(source: Source) -> str:
    return f"{source.path} holds objects or lists more than {DEEPEST} deep; write one flat object for each run."


def _behind_space(text: str, place: int) -> int:
    while place < len(text) and text[place] in SPACE:
        place += 1
    return place


def _called(value: Any) -> str:
    if value is None:
        return "null"
    return "a list" if isinstance(value, list) else "text" if isinstance(value, str) else repr(value)[:40]


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
