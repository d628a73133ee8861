"""Frames and rows between parent and child.

A frame is a word that only this child and its parent know, its length, a digest and its content:
what user code writes into a pipe by mistake is never taken for a frame, and a frame that it damages
is never taken for whole. Parent → child: JSON, and once a cloudpickled study. Child → parent: JSON
only, checked on arrival, because user code in the child must not run code in the parent. Rows travel
as columns, which costs a third of one object for each row, and curves as the bytes of their numbers.

Beside the pipes there is one shared page: a 64-byte cell that says which trial of which chunk is
running since when, and behind it the configuration of that trial. The child writes it before each
trial without a system call; the parent reads it when the child is late or dead. It reads the file
and not its memory: a file that user code has cut short would end the parent.

Everything that is called here after user code has run was bound before.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import struct
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import isfinite
from typing import Any

import numpy as np

from ogive.runner._trial import FloatArray, Row
from ogive.schema import OK, STATUSES

KEY = 8  # bytes of the word before each frame
HEADER = struct.Struct("<8sI16s")
LARGEST = 1 << 30
PAGE = 8192
CELL = struct.Struct("<qqqq")  # chunk, trial (or a state below), start in monotonic ns, bytes of configuration behind
ROOM = 64
# Between trials, loading, out of work, at its end (then the text behind says why), and at a batch of trials (how many).
IDLE, WARMING, WAITING, BROKEN, BATCH = -1, -2, -3, -4, -5


class BadFrame(Exception):
    """What came is no frame or no row of this chunk."""


def frame(content: bytes, key: bytes = bytes(KEY)) -> bytes:
    """Content with its header before it."""
    if len(content) >= LARGEST:
        raise BadFrame(f"an answer of {len(content)} bytes is too large")
    return HEADER.pack(key, len(content), blake2b(content, digest_size=16).digest()) + content


def opened(head: bytes | bytearray, key: bytes) -> tuple[int, bytes]:
    """Length and digest of a frame from its header."""
    word, length, digest = HEADER.unpack_from(head)
    if word != key or length >= LARGEST:
        raise BadFrame("bytes that are no answer")
    return length, digest


def whole(content: bytes, digest: bytes) -> bytes:
    """The content of a frame, if it came as it was sent."""
    if blake2b(content, digest_size=16).digest() != digest:
        raise BadFrame("an answer that was damaged on its way")
    return content


class Frames:
    """Frames out of bytes that arrive in any pieces."""

    def __init__(self, key: bytes = bytes(KEY)) -> None:
        self._key = key
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The frames that are whole with these bytes."""
        self._buffer += data
        while self._buffer:
            if not self._key.startswith(self._buffer[:KEY]):  # at once: the rest of a header may never come
                raise BadFrame("bytes that are no answer")
            if len(self._buffer) < HEADER.size:
                return
            length, digest = opened(self._buffer, self._key)
            end = HEADER.size + length
            if len(self._buffer) < end:
                return
            content = bytes(memoryview(self._buffer)[HEADER.size : end])
            del self._buffer[:end]
            yield whole(content, digest)


@dataclass(slots=True)
class Running:
    """What the shared page says."""

    chunk: int
    trial: int
    start_ns: int
    params: str | None  # of the trial that runs or ran last; why the process ended where it is BROKEN

    @property
    def size(self) -> int:
        """How many trials run at once; 0 where none does, or where user code has written over it."""
        if self.trial != BATCH:
            return int(self.trial >= 0)
        return int(self.params) if self.params and self.params.isdecimal() and len(self.params) < 8 else 0


class Page:
    """The shared page, as the child writes it."""

    def __init__(self, fd: int) -> None:
        self._memory = mmap.mmap(fd, PAGE)
        self._into = CELL.pack_into

    def hide(self, fd: int) -> None:
        """Close the file behind the memory, and the copy that `mmap` keeps of it, as long as the process lives.

        User code that writes into every descriptor it finds shall not find this one.
        """
        about = os.fstat(fd)
        for one in range(3, 256):
            with contextlib.suppress(OSError):
                found = os.fstat(one)
                if (found.st_dev, found.st_ino) == (about.st_dev, about.st_ino):
                    os.close(one)

    def begin(self, chunk: int, trial: int, start_ns: int) -> None:
        """Say that a trial starts."""
        self._into(self._memory, 0, chunk, trial, start_ns, 0)

    def rest(self, state: int, start_ns: int) -> None:
        """Say that no trial runs any more; the chunk and the configuration of the last one stay."""
        _REST.pack_into(self._memory, 8, state, start_ns)

    def note(self, params: str) -> None:
        """Keep the configuration of the running trial where it fits."""
        text = params.encode("utf-8", "replace")
        if len(text) <= PAGE - ROOM:
            self._memory[ROOM : ROOM + len(text)] = text
            self._memory[24:32] = len(text).to_bytes(8, "little")

    def broken(self, why: str) -> None:
        """Say why the process ends."""
        self._memory[24:32] = bytes(8)
        self.note(why[:500])
        self.rest(BROKEN, 0)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


_REST = struct.Struct("<qq")


class PageReader:
    """The shared page, as the parent reads it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        os.ftruncate(fd, PAGE)

    def begin(self, chunk: int, trial: int, start_ns: int) -> None:
        """Write what the child will find."""
        os.pwrite(self._fd, CELL.pack(chunk, trial, start_ns, 0), 0)

    def says(self, running: Running) -> bool:
        """Whether that trial is still what runs."""
        now = self.read()
        return (now.chunk, now.trial, now.start_ns) == (running.chunk, running.trial, running.start_ns)

    def read(self) -> Running:
        """What the other side is doing; whatever user code has done to the page, this is an answer."""
        data = b""
        with contextlib.suppress(OSError):
            data = os.pread(self._fd, PAGE, 0)
        if len(data) < ROOM:
            return Running(-1, IDLE, 0, None)
        chunk, trial, start, length = CELL.unpack_from(data)
        text = data[ROOM : ROOM + length].decode("utf-8", "replace") if 0 < length <= PAGE - ROOM else None
        return Running(chunk, trial, start, text)


@dataclass(frozen=True, slots=True)
class Origin:
    """What rows were made under elsewhere: the limits in force, and the libraries by the name that rows carry."""

    limits: dict[str, float] | None
    name: str
    libraries: dict[str, str]


@dataclass(slots=True)
class Batch:
    """Rows of one chunk as columns; metrics and the rest have None where a row has nothing.

    `unusable` names, by row, the metrics that the trial has and that are no finite numbers.
    """

    trials: list[int]
    statuses: list[str]
    messages: list[str | None]
    params: list[str | None]
    metrics: dict[str, list[float | None]]
    wall: list[float | None]
    cpu: list[float | None]
    inner: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    series: dict[int, dict[str, FloatArray]] = field(default_factory=dict)
    unusable: dict[int, list[str]] = field(default_factory=dict)
    # Known to the parent only; None means the first of each, and made here.
    attempts: Sequence[int] | None = None
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.trials)

    def first(self, n: int) -> Batch:
        """The first n rows."""
        return Batch(
            trials=self.trials[:n], statuses=self.statuses[:n], messages=self.messages[:n], params=self.params[:n],
            metrics={name: column[:n] for name, column in self.metrics.items()}, wall=self.wall[:n], cpu=self.cpu[:n],
            inner={i: part for i, part in self.inner.items() if i < n},
            series={i: part for i, part in self.series.items() if i < n},
            unusable={i: names for i, names in self.unusable.items() if i < n},
        )  # fmt: skip


def batch_of(rows: Sequence[Row]) -> Batch:
    """Rows as columns."""
    metrics: dict[str, list[float | None]] = {}
    for row in rows:
        for name in row.scores:
            metrics.setdefault(name, [])
    for name, column in metrics.items():
        column.extend([row.scores.get(name) for row in rows])
    return Batch(
        trials=[row.trial for row in rows],
        statuses=[row.status for row in rows],
        messages=[row.message for row in rows],
        params=[row.params for row in rows],
        metrics=metrics,
        wall=[row.wall for row in rows],
        cpu=[row.cpu for row in rows],
        inner={i: row.inner for i, row in enumerate(rows) if row.inner},
        series={i: row.series for i, row in enumerate(rows) if row.series},
        unusable={i: gone for i, row in enumerate(rows) if (gone := [m for m, v in row.scores.items() if v is None])},
    )


def encode(batch: Batch) -> dict[str, Any]:
    """JSON-able columns; those that are the same in every row are left out."""
    content: dict[str, Any] = {"trials": batch.trials, "params": batch.params, "metrics": batch.metrics,
                               "wall": batch.wall, "cpu": batch.cpu}  # fmt: skip
    if any(status != OK for status in batch.statuses) or any(batch.messages):
        content["statuses"], content["messages"] = batch.statuses, batch.messages
    if batch.inner:
        content["inner"] = {str(i): part for i, part in batch.inner.items()}
    if batch.series:
        content["series"] = {str(i): {k: _packed(v) for k, v in part.items()} for i, part in batch.series.items()}
    if batch.unusable:
        content["unusable"] = {str(i): names for i, names in batch.unusable.items()}
    return content


def decode(content: Any, expected: Sequence[int]) -> Batch:
    """A batch whose trials are the next ones of `expected`; anything else is a BadFrame."""
    try:
        trials = content["trials"]
        n = len(trials)
        if trials != list(expected[:n]):
            raise BadFrame("rows of other trials than were asked for")
        batch = Batch(
            trials=trials,
            statuses=content.get("statuses") or [OK] * n,
            messages=content.get("messages") or [None] * n,
            params=content["params"],
            metrics=content["metrics"],
            wall=content["wall"],
            cpu=content["cpu"],
            inner={int(i): part for i, part in content.get("inner", {}).items()},
            series={
                int(i): {name: _unpacked(text) for name, text in part.items()}
                for i, part in content.get("series", {}).items()
            },
            unusable={int(i): names for i, names in content.get("unusable", {}).items()},
        )
        _check(batch, n)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadFrame(f"rows that cannot be read ({type(error).__name__})") from None
    return batch


def _check(batch: Batch, n: int) -> None:
    numbers: list[list[float | None]] = [*batch.metrics.values(), batch.wall, batch.cpu]
    texts: list[list[Any]] = [batch.statuses, batch.messages, batch.params]
    if any(len(numbers_or_texts) != n for numbers_or_texts in (*numbers, *texts)):
        raise BadFrame("columns of different lengths")
    for column in numbers:
        if not _numbers(column):
            raise BadFrame("a number that is none")
    for texts_of_one in texts:
        if not all(v is None or type(v) is str for v in texts_of_one):
            raise BadFrame("a text that is none")
    if not set(STATUSES).issuperset(batch.statuses):
        raise BadFrame("an unknown status")
    if not all(0 <= i < n for i in (*batch.inner, *batch.series, *batch.unusable)):
        raise BadFrame("parts of rows that are not there")
    for candidates in batch.inner.values():
        for one in candidates:
            texts_of_one = [one["params"], one["status"], one["message"] or ""]
            if not (all(type(text) is str for text in texts_of_one) and _numbers([one["mean"], *one["scores"]])):
                raise BadFrame("a candidate that is none")
    if any(np.isinf(values).any() for named in batch.series.values() for values in named.values()):
        raise BadFrame("a series that is none")
    for i, names in batch.unusable.items():
        if type(names) is not list or any(batch.metrics[name][i] is not None for name in names):
            raise BadFrame("an unusable metric that is none")


def _packed(values: FloatArray) -> str:
    """Numbers as text. As decimals, a curve of a thousand of them took longer on its way than in a kernel."""
    return b2a_base64(values.astype("<f8", copy=False).tobytes(), newline=False).decode("ascii")


def _unpacked(text: Any) -> FloatArray:
    if type(text) is not str:
        raise BadFrame("a series that is none")
    return np.frombuffer(a2b_base64(text, strict_mode=True), dtype="<f8")


def _numbers(values: Sequence[Any]) -> bool:
    return all(v is None or (type(v) in (float, int) and isfinite(v)) for v in values)


def _own_encoder() -> Callable[[Any], str]:
    """JSON text by an encoder that no later change of the `json` module reaches."""

    def refuse(value: Any) -> Any:
        raise TypeError(f"{type(value).__name__} is no part of an answer")

    try:
        from _json import encode_basestring_ascii, make_encoder

        encoder = make_encoder(None, refuse, encode_basestring_ascii, None, ":", ",", False, False, False)
    except (ImportError, TypeError):  # another Python than CPython
        return json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
    join = "".join
    return lambda value: join(encoder(value, 0))


_encode = _own_encoder()
_decode = json.JSONDecoder().decode


def dumps(value: Any) -> bytes:
    """JSON in bytes."""
    return _encode(value).encode()


def loads(data: bytes) -> Any:
    """What `dumps` was given."""
    return _decode(data.decode())
