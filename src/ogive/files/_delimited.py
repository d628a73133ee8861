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
HEXADECIMAL = r"^\s*[-+]?0[xX]"
DECIMAL = re.compile(r"-?\d+\.\d+([eE][-+]?\d+)?")
QUOTED = re.compile(rb'"(?:[^"]|"")*"')
LINE_ENDS = re.compile(rb"[\r\n]+")
LINE_END, LINE_END_BYTES = re.compile(r"\r\n|\r|\n"), re.compile(rb"\r\n|\r|\n")
# A quoted cell, from where a cell begins, with the mark that closes it, where one does.
CELL = {
    d: re.compile(rb"(?:(?<=[\r\n" + d.encode() + rb'])|\A(?:\xef\xbb\xbf)?)"[^"]*(?:""[^"]*)*("?)') for d in "\t;,"
}


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
        table = _hexadecimal_as_text(table, source, delimiter, again, missing_text)
        table = _exact(table, source, delimiter, missing_text)
        # A column that is not UTF-8 is taken for bytes.
        strange = [n for n, f in zip(table.column_names, table.schema, strict=True) if pa.types.is_binary(f.type)]
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8; its header is not. Save it as CSV UTF-8.") from error
    except (pa.ArrowException, OSError, EOFError) as error:
        raise UnreadableSource(f"{path} cannot be read as CSV: {sentence(error)}") from error
    if strange:
        raise UnreadableSource(f"{path} must be UTF-8; its column {strange[0]!r} is not. Save it as CSV UTF-8.")
    _refuse_open_quote(table, source, delimiter)
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
        if source.size <= BEGINNING_BYTES:
            raise
        return parse(min(source.size + 1, MOST_BLOCK))


def _hexadecimal_as_text(
    table: pa.Table, source: Source, delimiter: str, names: Sequence[str], missing_text: bool
) -> pa.Table:
    """The same table with columns that hold cells such as 0x1F as text: Arrow takes them for whole numbers, and says nothing."""
    whole = [n for n, field in zip(table.column_names, table.schema, strict=True) if pa.types.is_integer(field.type)]
    if not whole or not _once(table):
        return table
    found, last = False, b""
    with source.stream() as stream:
        while not found and (chunk := stream.read(BEGINNING_BYTES)):
            found = b"0x" in (text := last + chunk) or b"0X" in text
            last = chunk[-1:]
    if not found:
        return table
    types = dict.fromkeys([*names, *whole], pa.binary())
    written = _decoded(_parsed(source, delimiter, types, missing_text), whole)
    for name in whole:
        if pc.any(pc.match_substring_regex(written[name], HEXADECIMAL)).as_py():
            table = table.set_column(table.column_names.index(name), name, written[name])
    return table


def _exact(table: pa.Table, source: Source, delimiter: str, missing_text: bool) -> pa.Table:
    """The same table with whole numbers of more than 64 bits as they are written, where Arrow took them for floats."""
    large = [n for n, column in zip(table.column_names, table.columns, strict=True) if is_beyond_floats(column)]
    if not large or not _once(table):
        return table
    try:
        found = _parsed(source, delimiter, dict.fromkeys(large, EXACT), missing_text)
        for name in large:
            table = table.set_column(table.column_names.index(name), name, found[name])
        return table
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


def _refuse_open_quote(table: pa.Table, source: Source, delimiter: str) -> None:
    """A quotation mark that is not closed takes the rows behind it into one cell, and Arrow says nothing.

    Only a quoted cell holds line ends, so that cells without one need no second look. Of the others, one that holds
    what swallowed rows leave behind, quotation marks or the delimiters of a row, is looked up in the file itself.
    """
    width = table.num_columns
    suspects = [(k, name) for k, name in enumerate(table.column_names) if LINE_END.search(name)]
    for k, column in enumerate(table.columns):
        if is_text(column.type):
            broken = pc.or_(pc.match_substring(column, "\n"), pc.match_substring(column, "\r"))
            if pc.any(broken).as_py():
                suspects += [(k, text) for text in column.filter(broken).to_pylist()]
    last = table.column(width - 1)[table.num_rows - 1].as_py() if width and table.num_rows else None
    suspects = [(k, text) for k, text in suspects if '"' in text or text.count(delimiter) >= width - 1 or text == last]
    if not suspects:
        return
    with source.stream() as stream:
        written = stream.read()
    ends = (delimiter.encode(), b"\r", b"\n", b"")
    for found in CELL[delimiter].finditer(written):
        if LINE_END_BYTES.search(found[0]):
            behind = written[found.end() : found.end() + 64].lstrip(b" ")[:1]
            if not found[1] or behind not in ends:
                raise _open_quote(source.path, written, found.start())
    t = pa.types
    numbers = [k for k, f in enumerate(table.schema) if t.is_integer(f.type) or t.is_floating(f.type) or t.is_decimal(f.type)]  # fmt: skip
    for k, text in suspects:
        if _holds_rows(text, k, width, delimiter, numbers):
            place = written.find(b'"' + text.replace('"', '""').encode())
            raise _open_quote(source.path, written, max(place, 0))


def _open_quote(path: Path, written: bytes, place: int) -> UnreadableSource:
    line = len(LINE_END_BYTES.findall(written, 0, place)) + 1
    return UnreadableSource(
        f"{path} opens a quotation mark in line {line} that is not closed there, so that the rows behind it would be lost in one "
        "cell; close it."
    )


def _holds_rows(text: str, place: int, width: int, delimiter: str, numbers: Sequence[int]) -> bool:
    """Whether a cell of this column reads as the end of a row, whole rows, and the beginning of one.

    Two marks that are no quotation marks, as in 5", enclose rows without breaking a rule of the format. Text of several
    lines seldom has the right delimiters in each, and numbers where the table has them.
    """
    first, *middle, end = LINE_END.split(text)
    rows = [first, *(line for line in middle if line), end]
    wanted = [width - 1 - place, *([width - 1] * (len(rows) - 2)), place]
    if width < 2 or len(rows) < 2 or [row.count(delimiter) for row in rows] != wanted:
        return False
    cells = [row.split(delimiter) for row in rows]
    cells[0] = [""] * place + cells[0]  # each begins with the table's first column now
    held = [row[k].strip().lower() for row in cells for k in numbers if k < len(row)]
    try:
        return all(cell in ("", "na", "n/a", "null") or float(cell) is not None for cell in held)
    except ValueError:
        return False


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
