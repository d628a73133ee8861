"""Delimited text: Arrow reads it; which separator, which columns are names, and whether a quote was closed is seen here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import UnreadableSource
from ogive.files._opening import MARK, Naming, Source, sentence
from ogive.files._plain import EXACT, is_beyond_floats, is_text

if TYPE_CHECKING:
    from pathlib import Path

# A header of ten thousand columns is 100 kB; Arrow's own blocks hold a megabyte.
BEGINNING_BYTES = 2**20
MOST_BLOCK = 2**31 - 2**16
DECIMAL = re.compile(r"-?\d+\.\d+([eE][-+]?\d+)?")
QUOTED = re.compile(rb'"(?:[^"]|"")*"')
LINE_ENDS = re.compile(rb"[\r\n]+")


def read(source: Source, naming: Naming, *, wide: bool, missing_text: bool) -> pa.Table:
    """The table in delimited text."""
    path = source.path
    try:
        with source.stream() as stream:
            delimiter = _delimiter(stream.read(BEGINNING_BYTES))
        table = _parsed(source, delimiter, {}, missing_text)
        # A name is what is written ("01" is not "1"); only where a column seemed something else it is read again.
        again = (
            [n for n in naming(table.column_names) if not is_text(table.schema.field(n).type)] if _once(table) else []
        )
        if again:
            table = _decoded(_parsed(source, delimiter, dict.fromkeys(again, pa.binary()), missing_text), again)
        table = _exact(table, source, delimiter, again, missing_text)
        # A column that is not UTF-8 is taken for bytes.
        strange = [n for n, f in zip(table.column_names, table.schema, strict=True) if pa.types.is_binary(f.type)]
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8; its header is not. Save it as CSV UTF-8.") from error
    except (pa.ArrowException, OSError, EOFError) as error:
        raise UnreadableSource(f"{path} cannot be read as CSV: {sentence(error)}") from error
    if strange:
        raise UnreadableSource(f"{path} must be UTF-8; its column {strange[0]!r} is not. Save it as CSV UTF-8.")
    _refuse_open_quote(table, source)
    if not wide and _once(table):
        _refuse_missing_header(table, path)
    return table


def _once(table: pa.Table) -> bool:
    """Whether every name stands once; where not, the table is refused further on."""
    names = table.column_names
    return len(set(names)) == len(names)


def _parsed(source: Source, delimiter: str, types: Mapping[str, pa.DataType], missing_text: bool) -> pa.Table:
    """The table; these columns of these types.

    Arrow refuses a row that is longer than its blocks of a megabyte; what it refuses is read once more, as one block.
    """
    from pyarrow import csv

    parsing = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    converting = csv.ConvertOptions(strings_can_be_null=missing_text, column_types=types)

    def parse(block: int) -> pa.Table:
        with source.stream() as stream:
            return csv.read_csv(stream, csv.ReadOptions(block_size=block), parsing, converting)

    try:
        return parse(BEGINNING_BYTES)
    except pa.ArrowInvalid:
        if source.packed is None and source.size <= BEGINNING_BYTES:
            raise
        return parse(MOST_BLOCK if source.packed else min(source.size + 1, MOST_BLOCK))


def _exact(table: pa.Table, source: Source, delimiter: str, names: Sequence[str], missing_text: bool) -> pa.Table:
    """The same table with whole numbers of more than 64 bits as they are written, where Arrow took them for floats."""
    large = [n for n, column in zip(table.column_names, table.columns, strict=True) if is_beyond_floats(column)]
    if not large or not _once(table):
        return table
    types = {**dict.fromkeys(names, pa.binary()), **dict.fromkeys(large, EXACT)}
    try:
        return _decoded(_parsed(source, delimiter, types, missing_text), names)
    except pa.ArrowInvalid:  # numbers such as 1e20, which are floats after all
        return table


def _delimiter(beginning: bytes) -> str:
    """What separates the names of a header: most often outside quotes, and as often in the row below."""
    text = beginning.removeprefix(MARK)
    bare = QUOTED.sub(b"", text) if text.count(b'"') % 2 == 0 else text
    header, row = (*(line for line in LINE_ENDS.split(bare, 3) if line.strip(b" ")), b"", b"")[:2]
    if not row.strip():
        row = header
    # A comma in plain text is common, a semicolon rare and a tab rarer.
    found = [d for d in (b"\t", b";", b",") if d in header]
    return max(found, key=lambda d: (header.count(d) == row.count(d), header.count(d)), default=b",").decode()


def _decoded(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Text where these columns hold bytes that are UTF-8."""
    for i, field in enumerate(table.schema):
        if field.name in names:
            try:
                table = table.set_column(i, field.name, table.column(i).cast(pa.string()))
            except pa.ArrowInvalid:
                continue
    return table


def _refuse_open_quote(table: pa.Table, source: Source) -> None:
    """A quotation mark that is never closed takes all rows behind it into one cell, and Arrow says nothing."""
    last = table.column(table.num_columns - 1) if table.num_columns and table.num_rows else None
    if last is None or not is_text(last.type):
        return
    text = last[len(last) - 1].as_py()
    if text is None or not LINE_ENDS.search(text.encode()):
        return
    with source.stream() as stream:
        end = b""
        while block := stream.read(BEGINNING_BYTES):
            end = (end + block).rstrip()[-1:] or end
    if end != b'"':
        raise UnreadableSource(
            f"{source.path} opens a quotation mark in its last column, {table.column_names[-1]!r}, that is never closed, so that "
            f"row {table.num_rows} would hold all that follows; close it."
        )


def _refuse_missing_header(table: pa.Table, path: Path) -> None:
    """Where the first line holds scores, it is a row like the others, and would be lost as names."""
    names = table.column_names
    scores = [name for name in names if DECIMAL.fullmatch(name.strip())]
    if not scores:
        return
    repeated = (n for n in names if is_text(table[n].type) and pc.any(pc.equal(table[n], n)).as_py())
    if len(scores) == len(names) or next(repeated, None) is not None:
        raise UnreadableSource(
            f"{path} begins with {', '.join(map(repr, names[:4]))}, which is a row and no header; add a first line that names "
            "the columns, for example method,score."
        )
