"""One part: a Parquet file that says what it is, and that is believed only when it holds what it says.

The footer's key `ogive` holds a JSON description: format and version, study record, kind, number
of rows, the digest of each column and of all together, versions, limits, and a seal over all of
these. Page checksums are written, and verified on every read; they cover the pages of a file, but not
page headers and not the footer. The digest of a column covers the way from the file to the array.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ogive import __version__
from ogive.canonical import canonical, digest, plain
from ogive.errors import StoreError
from ogive.store._publish import Stranger, Unsound, make_folder, publish
from ogive.store._schemas import SCHEMAS, check_rows, map_parts


class ColumnDigest:
    """SHA-256 over null positions, lengths and values of a column, each in a stream of its own.

    Streams of their own make the digest independent of the cuts between chunks. Values under a
    null count as zero or empty, numbers are little-endian, floats keep their bits.
    """

    def __init__(self) -> None:
        self._streams: dict[str, Any] = {}
        self._rows: dict[str, int] = {}

    def update(self, column: pa.ChunkedArray) -> None:
        """Add the next rows."""
        for chunk in column.chunks:
            self._feed(chunk, "")

    def hexdigest(self) -> str:
        """The digest of all rows so far, its first 128 bits: against accidents, and short in every footer."""
        return digest(canonical([[name, self._streams[name].hexdigest()] for name in sorted(self._streams)]))[:32]

    def _feed(self, array: pa.Array, path: str) -> None:
        start = self._rows.get(path, 0)
        self._rows[path] = start + len(array)
        nulls = array.null_count
        self._add(f"{path}.nulls", _null_positions(array, start) if nulls else np.empty(0, dtype="<i8"))
        if pa.types.is_map(array.type):
            keys, values, lengths = map_parts(array)
            self._add(f"{path}.lengths", lengths.astype("<i4", copy=False))
            self._feed(keys, f"{path}.key")
            self._feed(values, f"{path}.value")
        elif pa.types.is_list(array.type):
            self._add(f"{path}.lengths", pc.list_value_length(array).fill_null(0).to_numpy().astype("<i4", copy=False))
            self._feed(array.flatten(), f"{path}.value")
        elif pa.types.is_string(array.type):
            lengths, text = _text(array.fill_null("") if nulls else array)
            self._add(f"{path}.lengths", lengths)
            self._add(f"{path}.text", text)
        else:
            values = (array.fill_null(0) if nulls else array).to_numpy(zero_copy_only=False)
            self._add(f"{path}.values", values.astype(values.dtype.newbyteorder("<"), copy=False))

    def _add(self, stream: str, values: np.ndarray) -> None:
        self._streams.setdefault(stream, hashlib.sha256()).update(np.ascontiguousarray(values))


def _null_positions(array: pa.Array, start: int) -> np.ndarray:
    return (np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False)) + start).astype("<i8", copy=False)


def _text(array: pa.StringArray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and bytes of strings without nulls."""
    _, offsets, data = array.buffers()
    if offsets is None or not len(array):
        return np.empty(0, dtype="<i4"), np.empty(0, dtype=np.uint8)
    ends = np.frombuffer(offsets, dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    text = np.empty(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]]
    return np.diff(ends).astype("<i4", copy=False), text


def column_digests(table: pa.Table) -> dict[str, str]:
    """The digest of each column."""
    out = {}
    for name in table.column_names:
        column = ColumnDigest()
        column.update(table[name])
        out[name] = column.hexdigest()
    return out


@cache
def versions_here() -> tuple[str, dict[str, str]]:
    """A short name for the versions of this process, and the versions.

    Rows carry the name (the column `versions`), the description of their part says what it means.
    """
    found = {
        "python": platform.python_version(),
        "ogive": __version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for name in ("numpy", "scikit-learn"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return versions_name(found), found


def versions_name(versions: Mapping[str, str]) -> str:
    """The short name of some versions."""
    return digest(canonical(versions))[:12]


FORMAT, VERSION, KEY = "ogive-store", 1, b"ogive"
ENDING = ".parquet"
# Beyond these a footer lies, or was made to fill the memory: a row takes some bits even when packed.
MOST_ROWS, MOST_FOOTER = 2**31, 2**26
MOST_ROWS_PER_BYTE, MOST_EXPANSION = 100, 1000
_ROWS_IN_GROUP, _BYTES_IN_GROUP = 2**18, 2**25  # readers hold a group at a time; a row of a long curve has 30 kB
_PACKED = ["algorithm", "task", "item", "group", "status", "message", "versions", "metrics.key_value.key", "name", "attempt", "n_inner", "n_series"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part whose footer was read and found sound."""

    path: Path
    kind: str
    rows: int
    study: str
    limits: Mapping[str, Any]
    versions: Mapping[str, Any]
    columns: Mapping[str, str]
    unfolded: int  # bytes of its pages

    def stream(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Row groups one after the other; what was read is to be believed only after the last."""
        names = list(SCHEMAS[self.kind].names if columns is None else columns)
        digests = {name: ColumnDigest() for name in names}
        count = 0
        try:
            with _open(self.path) as file:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group, columns=names).select(names).replace_schema_metadata(None)
                    table.validate(full=True)
                    check_rows(table)
                    for name in names:
                        digests[name].update(table[name])
                    count += table.num_rows
                    yield table
        except FileNotFoundError:
            raise
        except StoreError as error:
            raise Unsound(f"breaks a rule: {str(error).rstrip('.')}", rows=self.rows) from error
        except (OSError, pa.ArrowException, ValueError, MemoryError) as error:
            raise _found(error, "has a damaged page", self.rows) from error
        odd = [name for name in names if digests[name].hexdigest() != self.columns.get(name)]
        if odd or count != self.rows:
            raise Unsound(
                f"does not hold what was written: the content of {odd[0] if odd else 'rows'!r} differs", rows=self.rows
            )

    def read(self) -> pa.Table:
        """All rows, verified."""
        return pa.concat_tables(self.stream())


def write_part(
    folder: Path, kind: str, table: pa.Table, *, study: str, limits: Mapping[str, Any], versions: Mapping[str, Any]
) -> str:
    """Publish a table as one part and return its file name."""
    columns = column_digests(table)
    said = {
        "format": FORMAT, "version": VERSION, "study": study, "kind": kind, "rows": table.num_rows, "columns": columns,
        "content": digest(canonical(columns)), "versions": plain(versions), "limits": plain(limits),
    }  # fmt: skip
    text = canonical({**said, "seal": digest(canonical(said))})
    content = _encoded(table.replace_schema_metadata({KEY: text.encode()}))
    make_folder(folder)
    name = f"{secrets.token_hex(16)}{ENDING}"
    publish(folder, name, memoryview(content))
    return name


def _encoded(table: pa.Table) -> pa.Buffer:
    """A table in the bytes of a file that `open_part` takes.

    Ten curves of a million zeros fit into seven kilobytes, and were then refused as a file that was
    made to fill the memory. Such a table is packed by its different values, or not at all.
    """
    rows = min(_ROWS_IN_GROUP, max(1, _BYTES_IN_GROUP * table.num_rows // max(1, table.nbytes)))
    packed = [c for c in _PACKED if c.split(".")[0] in table.column_names]
    for dictionary, compression in ((packed, "zstd"), (True, "zstd"), (packed, "none")):
        sink = pa.BufferOutputStream()
        pq.write_table(
            table, sink, compression=compression, write_page_checksum=True, use_dictionary=dictionary,
            row_group_size=rows, write_statistics=["trial"],
        )  # fmt: skip
        content = sink.getvalue()
        if _unfolded(pq.read_metadata(pa.BufferReader(content))) <= MOST_EXPANSION * content.size:
            break
    return content


def _unfolded(footer: Any) -> int:
    """How many bytes the pages of a file say to hold."""
    return sum(footer.row_group(i).total_byte_size for i in range(footer.num_row_groups))


def open_part(path: Path, kind: str, known: frozenset[str]) -> Part:
    """A part by its footer alone; raises `Unsound` with the reason where it cannot be believed."""
    size = _check_file(path)
    try:
        with _open(path) as file:
            footer, schema = file.metadata, file.schema_arrow
    except FileNotFoundError:
        raise
    except (OSError, pa.ArrowException, ValueError, MemoryError) as error:
        raise _found(error, "has a damaged footer", None) from error
    said = _description(footer.metadata or {})
    rows = said["rows"]
    if footer.num_rows != rows:
        raise Unsound(f"has {footer.num_rows} rows where {rows} were written", rows=rows)
    _check_sizes(footer, size)
    if said["kind"] != kind:
        raise Unsound(f"holds {said['kind']!r} and stands among {kind!r}", rows=rows)
    if not schema.remove_metadata().equals(SCHEMAS[kind]):
        raise Unsound(f"has other columns or types than a part of {kind!r}", rows=rows)
    if said["study"] not in known:
        raise Stranger(said["study"], rows)
    return Part(path, kind, rows, said["study"], said["limits"], said["versions"], said["columns"], _unfolded(footer))


@contextmanager
def _open(path: Path) -> Iterator[pq.ParquetFile]:
    """A part; by a handle where its name is not UTF-8, which pyarrow refuses and which says nothing about the part."""
    with contextlib.ExitStack() as stack:
        source: Any = path
        try:
            os.fspath(path).encode()
        except UnicodeEncodeError:
            source = pa.PythonFile(stack.enter_context(path.open("rb")), mode="r")
        yield stack.enter_context(pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False))


def _check_file(path: Path) -> int:
    """The size of a regular file that begins and ends as Parquet does."""
    try:
        facts = path.lstat()
        if stat.S_ISLNK(facts.st_mode):
            raise Unsound("is a symbolic link, which is not followed")
        if not stat.S_ISREG(facts.st_mode):
            raise Unsound("is no regular file")
        size = facts.st_size
        if not size:
            raise Unsound("is empty")
        with path.open("rb") as handle:
            begin = handle.read(4)
            handle.seek(max(0, size - 8))
            end = handle.read(8)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _found(error, "cannot be read", None) from error
    if begin != b"PAR1"[: len(begin)]:
        raise Unsound("is no Parquet file")
    length = int.from_bytes(end[:4], "little")
    if size < 12 or end[4:] != b"PAR1":
        raise Unsound("is truncated: its end is missing")
    if length > min(MOST_FOOTER, size - 12):
        raise Unsound("has a damaged footer: it claims to be longer than it may be")
    return size


def _description(found: Mapping[bytes, bytes]) -> dict[str, Any]:
    """What the part says of itself; refused where it is not Ogive's, too new, or changed."""
    if KEY not in found:
        raise Unsound("was not written by Ogive: it has no description")
    try:
        said: dict[str, Any] = json.loads(found[KEY])
        if said["format"] != FORMAT:
            raise Unsound(f"was not written as a part of a store: its format is {said['format']!r}")
        if said["version"] > VERSION:
            raise Unsound(
                f"has format {said['version']} of a newer version of Ogive; upgrade to read it", movable=False
            )
        seal = said.pop("seal")
        sound = digest(canonical(said)) == seal and digest(canonical(said["columns"])) == said["content"]
        formed = _is_formed(said)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise Unsound("has a damaged description") from error
    if not sound:
        raise Unsound("has a damaged description: its seal does not fit")
    if not formed:
        raise Unsound("has a description that breaks a rule")
    return said


def _is_formed(said: Mapping[str, Any]) -> bool:
    """Whether each entry of a description has the type that readers rely on."""
    texts = [said["study"], said["kind"], *said["columns"].values()]
    return (
        type(said["rows"]) is int
        and said["rows"] >= 0
        and all(isinstance(text, str) for text in texts)
        and isinstance(said["limits"], dict)
        and not any(isinstance(limit, (list, dict)) for limit in said["limits"].values())
        and isinstance(said["versions"], dict)
        and all(isinstance(libraries, dict) for libraries in said["versions"].values())
    )


def _check_sizes(footer: Any, size: int) -> None:
    rows = footer.num_rows
    if rows > min(MOST_ROWS, MOST_ROWS_PER_BYTE * size):
        raise Unsound(f"claims {rows} rows in {size} bytes, more than it can hold", rows=rows)
    groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
    if sum(g.num_rows for g in groups) != rows:
        raise Unsound("has a damaged footer: its row groups do not add up", rows=rows)
    if any(g.total_byte_size < 0 for g in groups) or _unfolded(footer) > MOST_EXPANSION * size:
        raise Unsound(f"claims to unfold from {size} bytes to more than {MOST_EXPANSION} times as many", rows=rows)


def _found(error: BaseException, what: str, rows: int | None) -> Unsound:
    """The operating system's refusals are no damage; what the decoder says is."""
    if isinstance(error, OSError) and error.errno is not None:
        return Unsound(f"cannot be read: {error.strerror}", rows=rows, movable=False)
    line = " ".join(str(error).split())[:120]
    return Unsound(f"{what} ({line})" if line else what, rows=rows)
