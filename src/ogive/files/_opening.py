"""What a file is, is read from its first bytes, not its name; what is no table is refused by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from ogive.errors import UnreadableSource
from ogive.files._plain import plain_table

PICKLE_ENDINGS = (".pkl", ".pickle", ".joblib", ".pt", ".npy", ".npz")
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
PICKLE = "looks like a pickle or array file, which can run code when opened and is never read; save the table as CSV or Parquet"
# What a file begins with -> what it is and what to do; none of these is a table that is read.
FOREIGN = {
    b"\x80": PICKLE,
    b"\x93NUMPY": PICKLE,
    b"ARROW1": "is a Feather or Arrow file, whose bytes nothing checks; save the table as Parquet or CSV",
    b"FEA1": "is a Feather file of the first version; save the table as Parquet or CSV",
    b"ORC": "is an ORC file; save the table as Parquet or CSV",
    b"PARE": "is an encrypted Parquet file; save the table without a key",
    b"PK\x03\x04": "is a zip archive or a spreadsheet; unpack it, or save the table as CSV",
    b"PK\x05\x06": "is an empty zip archive; save the table as CSV",
    b"\xfd7zXZ\x00": "is packed with xz; unpack it, or pack it with gzip, bz2 or zstd",
    b"\x04\x22\x4d\x18": "is packed with lz4; unpack it, or pack it with gzip, bz2 or zstd",
    b"\xff\x06\x00\x00sNaPpY": "is packed with snappy; unpack it, or pack it with gzip, bz2 or zstd",
    b"7z\xbc\xaf\x27\x1c": "is a 7z archive; unpack it",
    b"\x89HDF": "is an HDF5 file; save the table as CSV or Parquet",
    b"\xd0\xcf\x11\xe0": "is an old spreadsheet; save the table as CSV",
    b"%PDF": "is a PDF; save the table as CSV",
    # The longer mark first: UTF-32 begins like UTF-16.
    b"\xff\xfe\x00\x00": "is text in UTF-32; save it as CSV UTF-8",
    b"\x00\x00\xfe\xff": "is text in UTF-32; save it as CSV UTF-8",
    b"\xff\xfe": "is text in UTF-16; save it as CSV UTF-8",
    b"\xfe\xff": "is text in UTF-16; save it as CSV UTF-8",
}
# A footer may claim any number of rows: refuse before allocating for it.
MOST_BYTES = 64 * 2**30
BYTES_OF_VALUE = 4  # of the smallest type that scores and names have
# Of a packed file the same is found out by unpacking: a table packs tenfold, ten gigabytes of zeros a thousandfold, and
# would fill the memory as text. Up to a gigabyte any ratio is read.
MOST_UNPACKED, MOST_RATIO, CHUNK_BYTES = 2**30, 100, 2**22
HEAD_BYTES = 4096
MARK = b"\xef\xbb\xbf"
JSON_ARRAY, JSON_OBJECT = re.compile(rb"\[\s*(?:[{\]]|$)"), re.compile(rb'\{\s*(?:["}]|$)')
JSON_ENDING = re.compile(r"\.(json|jsonl|ndjson)(\.(gz|bz2|zst))?$")
# From the names of the columns to those that hold names, which are text even where they look like numbers.
Naming: TypeAlias = Callable[[Sequence[str]], Sequence[str]]


def read_table(
    path: Path, naming: Naming = lambda header: (), *, wide: bool = False, missing_text: bool = False
) -> pa.Table:
    """The table in a CSV, Parquet or JSON file, packed or not.

    Parameters
    ----------
    path : Path
    naming : callable
        Which columns hold names: in CSV and JSON they are text as it is written.
    wide : bool
        Whether the names of columns may all be numbers; else such a first line is refused as a row.
    missing_text : bool
        Whether an empty cell of text, or one that says NA, is missing; else it is the text that it is.
    """
    table = plain_table(_opened(path, naming, wide, missing_text))
    if table.num_columns == 0:
        raise UnreadableSource(f"{path} has no columns; a table needs a header and at least two rows.")
    names = table.column_names
    if table.num_rows == 0:
        raise UnreadableSource(f"{path} has a header ({', '.join(names[:6])}) and no rows.")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise UnreadableSource(f"{path} has several columns named {twice!r}; rename them.")
    return table


def _opened(path: Path, naming: Naming, wide: bool, missing_text: bool) -> pa.Table:
    from ogive.files import _delimited, _json

    if path.suffix.lower() in PICKLE_ENDINGS:
        raise UnreadableSource(f"{path} {PICKLE}.")
    packed, head = _head(path)
    if not head.removeprefix(MARK).strip():
        raise UnreadableSource(f"{path} is empty; a table needs a header and at least two rows.")
    if head[:4] == b"PAR1":
        if packed is not None:
            raise UnreadableSource(f"{path} is a Parquet file that was packed with {packed}; unpack it.")
        return _parquet(path)
    _refuse_foreign(path, head, packed)
    source = Source(path, packed)
    source.refuse_bomb()
    begin = head.removeprefix(MARK).lstrip()
    if JSON_ARRAY.match(begin) or JSON_OBJECT.match(begin) or JSON_ENDING.search(path.name.lower()):
        return _json.read(source, naming)
    return _delimited.read(source, naming, wide=wide, missing_text=missing_text)


def _parquet(path: Path) -> pa.Table:
    """The table in a Parquet file; what its footer claims is checked before anything is read, then every page's checksum."""
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as handle:
            file = pq.ParquetFile(handle, page_checksum_verification=True)
            claims = file.metadata
            held = sum(claims.row_group(i).total_byte_size for i in range(claims.num_row_groups))
            size = max(held, BYTES_OF_VALUE * claims.num_rows * claims.num_columns)
            if size > MOST_BYTES:
                raise UnreadableSource(
                    f"{path} claims {size / 2**30:.0f} GiB of data; split it, or write only the columns that are needed."
                )
            table = file.read()
        table.validate(full=True)  # text that claims to be UTF-8, among others
        _ = table.column_names
    except UnicodeDecodeError as error:
        raise UnreadableSource(f"{path} must be UTF-8; the name of a column is not. Rename it.") from error
    except pa.ArrowNotImplementedError as error:
        raise UnreadableSource(
            f"{path} holds what Ogive cannot read ({sentence(error).rstrip('.')}); write the table without it, or as CSV."
        ) from error
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(f"{path} is a damaged Parquet file: {sentence(error)}") from error
    return table


class Source:
    """A file of text, packed or not, that can be opened several times."""

    def __init__(self, path: Path, packed: str | None) -> None:
        self.path = path
        self.packed = packed

    def stream(self) -> pa.NativeFile:
        """The unpacked bytes."""
        # Arrow takes text for a path in UTF-8; a name with other bytes is opened by Python.
        return pa.input_stream(self.path.open("rb"), compression=self.packed)

    @cached_property
    def size(self) -> int:
        """Bytes of text, unpacked; counted no further than a file of this size may have."""
        if self.packed is None:
            return self.path.stat().st_size
        found = 0
        with self.stream() as stream:
            while found <= self._most and (chunk := stream.read_buffer(CHUNK_BYTES)).size:
                found += chunk.size
        return found

    def refuse_bomb(self) -> None:
        """Refuse a packed file that holds far more than tables do, before anything holds its text."""
        try:
            too_large = self.packed is not None and self.size > self._most
        except (pa.ArrowException, OSError, EOFError) as error:
            raise UnreadableSource(f"{self.path} is a damaged {self.packed} file: {sentence(error)}") from error
        if too_large:
            raise UnreadableSource(
                f"{self.path} unpacks to more than {MOST_RATIO} times its size ({self._most / 2**30:.0f} GB and more), which no table "
                "does; unpack it yourself if it is one."
            )

    @property
    def _most(self) -> int:
        return max(MOST_UNPACKED, MOST_RATIO * self.path.stat().st_size)


def _head(path: Path) -> tuple[str | None, bytes]:
    """How a file is packed, and the first unpacked bytes."""
    try:
        there, regular = path.exists(), path.is_file()
        head = b""
        if regular:
            with path.open("rb") as handle:
                head = handle.read(HEAD_BYTES)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableSource(f"{str(path)[:200]} cannot be opened: {reason}.") from error
    if not regular:
        raise UnreadableSource(
            f"{path} is not a regular file; save the table to a file first." if there else f"{path} does not exist."
        )
    packed = next((kind for mark, kind in PACKED.items() if head.startswith(mark)), None)
    if packed is None:
        return None, head
    try:
        with Source(path, packed).stream() as stream:
            return packed, stream.read(HEAD_BYTES)
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(f"{path} is a damaged {packed} file: {sentence(error)}") from error


def _refuse_foreign(path: Path, head: bytes, packed: str | None) -> None:
    what = next((words for mark, words in FOREIGN.items() if head.startswith(mark)), None)
    # Marks of letters may begin a header of text, which holds no NUL.
    if what is not None and not (head[:3].isalpha() and b"\x00" not in head):
        inside = f" (packed with {packed})" if packed else ""
        raise UnreadableSource(f"{path}{inside} {what}.")
    if packed is not None and any(head.startswith(mark) for mark in PACKED):
        raise UnreadableSource(f"{path} is packed twice; unpack it once.")
    if b"\x00" not in head:
        return
    if not (head[0::2].strip(b"\x00") and head[1::2].strip(b"\x00")):
        raise UnreadableSource(f"{path} is text in UTF-16 without a byte order mark; save it as CSV UTF-8.")
    raise UnreadableSource(
        f"{path} is a binary file, not a table of text; Ogive reads CSV, Parquet, JSON lines and Optuna's files."
    )


def sentence(error: Exception) -> str:
    """What a library says about a file, as the end of a sentence."""
    text = " ".join(str(error).split())
    return (text if len(text) <= 200 else text[:197] + "…").rstrip(".") + "."
