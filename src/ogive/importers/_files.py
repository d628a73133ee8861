"""Files become plain Arrow tables. What a file is, is read from its first bytes, not its name."""

from __future__ import annotations

import csv as text_csv
import json
import re
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import UnreadableSource
from ogive.importers._columns import is_text

PICKLE_ENDINGS = (".pkl", ".pickle", ".joblib", ".pt", ".npy", ".npz")
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
# A footer may claim any number of rows: refuse before allocating for it.
MOST_BYTES = 64 * 2**30
HEADER_BYTES = 2**16
DECIMAL = re.compile(r"-?\d+\.\d+([eE][-+]?\d+)?")
QUOTED = re.compile(rb'"(?:[^"]|"")*"')
# From the names of the columns to those that hold names, which are text even where they look like numbers.
Naming: TypeAlias = Callable[[Sequence[str]], Sequence[str]]


def read_file(path: Path, naming: Naming = lambda header: (), *, wide: bool = False) -> pa.Table:
    """The table in a CSV, Parquet or JSON file; in CSV, `naming` says which columns are text, `wide` that names may be numbers."""
    try:
        with path.open("rb") as handle:
            head = handle.read(4096)
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be opened: {error.strerror}.") from error
    if not head.strip():
        raise UnreadableSource(f"{path} is empty; a table needs a header and at least two rows.")
    if path.suffix.lower() in PICKLE_ENDINGS or head[:1] == b"\x80":
        raise UnreadableSource(
            f"{path} looks like a pickle or array file, which can run code when opened and is never read; save the table as CSV or Parquet."
        )
    if head[:4] == b"PAR1":
        return _parquet(path)
    packed = next((kind for mark, kind in PACKED.items() if head.startswith(mark)), None)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableSource(f"{path} is text in UTF-16; save it as CSV UTF-8.")
    if b"\x00" in head and packed is None:
        raise UnreadableSource(
            f"{path} is a binary file, not a table of text; Ogive reads CSV, Parquet, JSON lines and Optuna's files."
        )
    name = path.name.lower()
    if ".json" in name and head.lstrip()[:1] == b"[":
        return _json_array(path)
    if ".json" in name or ".ndjson" in name or head.lstrip()[:1] == b"{":
        return _json_lines(path, packed)
    table = _csv(path, packed, naming)
    if not wide:
        _refuse_missing_header(table, path)
    return table


def _csv(path: Path, packed: str | None, naming: Naming) -> pa.Table:
    from pyarrow import csv

    try:
        with _stream(path, packed) as stream:
            lines = stream.read(HEADER_BYTES).split(b"\n", 2)
        first, delimiter = lines[0], _delimiter(lines[:2])
        # Bytes first: a name is what is written ("01" is not "1"), and one that is not UTF-8 is found below.
        types = dict.fromkeys(naming(_header(first, delimiter)), pa.binary())
        with _stream(path, packed) as stream:
            table = csv.read_csv(
                stream,
                parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                convert_options=csv.ConvertOptions(strings_can_be_null=False, column_types=types),
            )
        table = _decoded(table, types)
        # A column that is not UTF-8 is taken for bytes, a name for an error.
        strange = [n for n, f in zip(table.column_names, table.schema, strict=True) if pa.types.is_binary(f.type)]
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8; its header is not. Save it as CSV UTF-8.") from error
    except (pa.ArrowException, OSError, EOFError) as error:
        raise UnreadableSource(f"{path} cannot be read as CSV: {_sentence(error)}") from error
    if strange:
        raise UnreadableSource(f"{path} must be UTF-8; its column {strange[0]!r} is not. Save it as CSV UTF-8.")
    return _checked(table, path)


def _refuse_missing_header(table: pa.Table, path: Path) -> None:
    """Where the first line holds scores, it is a row like the others, and would be lost as names."""
    names = table.column_names
    scores = [name for name in names if DECIMAL.fullmatch(name.strip())]
    repeated = (n for n in names if is_text(table[n].type) and pc.any(pc.equal(table[n], n)).as_py())
    if scores and (len(scores) == len(names) or next(repeated, None) is not None):
        raise UnreadableSource(
            f"{path} begins with {', '.join(map(repr, names[:4]))}, which is a row and no header; add a first line that names "
            "the columns, for example method,score."
        )


def _delimiter(lines: Sequence[bytes]) -> str:
    """What separates the names of a header: most often outside quotes, and as often in the row below."""
    header, row = (QUOTED.sub(b"", line) for line in (*lines, b"")[:2])
    if not row.strip():
        row = header
    # A comma in plain text is common, a semicolon rare and a tab rarer.
    found = [d for d in (b"\t", b";", b",") if d in header]
    return max(found, key=lambda d: (header.count(d) == row.count(d), header.count(d)), default=b",").decode()


def _header(line: bytes, delimiter: str) -> list[str]:
    """The names in a header line; none where it is no line of text, which Arrow then says."""
    try:
        return next(text_csv.reader([line.decode("utf-8-sig").rstrip("\r")], delimiter=delimiter), [])
    except (UnicodeDecodeError, text_csv.Error):
        return []


def _decoded(table: pa.Table, names: Container[str]) -> pa.Table:
    """Text where these columns hold bytes that are UTF-8."""
    for i, field in enumerate(table.schema):
        if field.name in names:
            try:
                table = table.set_column(i, field.name, table.column(i).cast(pa.string()))
            except pa.ArrowInvalid:
                continue
    return table


def _stream(path: Path, packed: str | None) -> pa.NativeFile:
    return pa.input_stream(str(path), compression=packed)


def _parquet(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
        size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        if size > MOST_BYTES:
            raise UnreadableSource(
                f"{path} claims {size / 2**30:.0f} GiB of data; split it, or write only the columns that are needed."
            )
        table = file.read()
        table.validate(full=True)  # text that claims to be UTF-8, among others
        _ = table.column_names
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8; the name of a column is not. Rename it.") from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(f"{path} is a damaged Parquet file: {_sentence(error)}") from error
    return _checked(table, path)


def _json_lines(path: Path, packed: str | None) -> pa.Table:
    from pyarrow.json import read_json

    try:
        with _stream(path, packed) as stream:
            table = read_json(stream)
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(
            f"{path} cannot be read as JSON lines (one object a line): {_sentence(error)}"
        ) from error
    return _checked(table, path)


def _json_array(path: Path) -> pa.Table:
    """A table from an array of objects."""
    try:
        rows = json.loads(path.read_bytes())
        if not all(isinstance(row, dict) for row in rows):
            raise UnreadableSource(
                f"{path} is a JSON array of something else than objects; write one object for each run."
            )
        table = pa.Table.from_pylist(rows)
    except (ValueError, OSError, RecursionError, pa.ArrowException) as error:
        raise UnreadableSource(f"{path} cannot be read as a JSON array of objects: {_sentence(error)}") from error
    return _checked(table, path)


def _checked(table: pa.Table, path: Path) -> pa.Table:
    if table.num_rows == 0:
        raise UnreadableSource(f"{path} has a header ({', '.join(table.column_names[:6])}) and no rows.")
    repeated = sorted({c for c in table.column_names if table.column_names.count(c) > 1})
    if repeated:
        raise UnreadableSource(f"{path} has several columns named {repeated[0]!r}; rename them.")
    return table


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return (text if len(text) <= 200 else text[:197] + "…").rstrip(".") + "."
