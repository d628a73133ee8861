"""Frames and rows between parent and child.

A frame is its length in four bytes and its content. Parent → child: JSON, and once a cloudpickled
study. Child → parent: JSON only, checked on arrival, because user code in the child must not run
code in the parent. Rows travel as columns, which costs a third of one object for each row.

Beside the pipes there is one shared page: a 64-byte cell that says which trial of which chunk is
running since when, and behind it the configuration of that trial. The child writes it before each
trial without a system call; the parent reads it when the child is late or dead.
"""

from __future__ import annotations

import json
import math
import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ogive.runner._trial import Row
from ogive.schema import OK, STATUSES

HEADER = struct.Struct("<I")
LARGEST = 1 << 30
PAGE = 8192
CELL = struct.Struct("<qqqq")  # chunk, trial (or a state below), start in monotonic ns, bytes of configuration behind
ROOM = 64
IDLE, WARMING = -1, -2


class BadFrame(Exception):
    """What came is no frame or no row of this chunk."""


def frame(content: bytes) -> bytes:
    """Content with its length before it."""
    if len(content) >= LARGEST:
        raise BadFrame(f"a frame of {len(content)} bytes is too large")
    return HEADER.pack(len(content)) + content


class Frames:
    """Frames out of bytes that arrive in any pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The frames that are whole with these bytes."""
        self._buffer += data
        while len(self._buffer) >= HEADER.size:
            (length,) = HEADER.unpack_from(self._buffer)
            if length >= LARGEST:
                raise BadFrame(f"a frame of {length} bytes is too large")
            end = HEADER.size + length
            if len(self._buffer) < end:
                return
            whole = bytes(memoryview(self._buffer)[HEADER.size : end])
            del self._buffer[:end]
            yield whole


@dataclass(slots=True)
class Running:
    """What the shared page says."""

    chunk: int
    trial: int
    start_ns: int
    params: str | None


class Page:
    """The shared page, from either side."""

    def __init__(self, fd: int) -> None:
        self._memory = mmap.mmap(fd, PAGE)

    def begin(self, chunk: int, trial: int, start_ns: int) -> None:
        """Say that a trial starts."""
        self._memory[: CELL.size] = CELL.pack(chunk, trial, start_ns, 0)

    def note(self, params: str) -> None:
        """Keep the configuration of the running trial where it fits."""
        text = params.encode("utf-8", "replace")
        if len(text) <= PAGE - ROOM:
            self._memory[ROOM : ROOM + len(text)] = text
            self._memory[24:32] = len(text).to_bytes(8, "little")

    def says(self, running: Running) -> bool:
        """Whether that trial is still what runs."""
        return CELL.unpack(self._memory[: CELL.size])[:3] == (running.chunk, running.trial, running.start_ns)

    def read(self) -> Running:
        """What the other side is doing."""
        chunk, trial, start, length = CELL.unpack(self._memory[: CELL.size])
        params = None
        if trial >= 0 and 0 < length <= PAGE - ROOM:
            params = self._memory[ROOM : ROOM + length].decode("utf-8", "replace")
        return Running(chunk, trial, start, params)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()


@dataclass(frozen=True, slots=True)
class Origin:
    """What rows were made under elsewhere: the limits in force, and the libraries by the name that rows carry."""

    limits: dict[str, float] | None
    name: str
    libraries: dict[str, str]


@dataclass(slots=True)
class Batch:
    """Rows of one chunk as columns; metrics and the rest have None where a row has nothing."""

    trials: list[int]
    statuses: list[str]
    messages: list[str | None]
    params: list[str | None]
    metrics: dict[str, list[float | None]]
    wall: list[float | None]
    cpu: list[float | None]
    inner: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    series: dict[int, dict[str, list[float | None]]] = field(default_factory=dict)
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
    )


def encode(batch: Batch) -> dict[str, Any]:
    """JSON-able columns; those that are the same in every row are left out."""
    content: dict[str, Any] = {"trials": batch.trials, "params": batch.params, "metrics": batch.metrics,
                               "wall": batch.wall, "cpu": batch.cpu}  # fmt: skip
    if any(status != OK for status in batch.statuses):
        content["statuses"], content["messages"] = batch.statuses, batch.messages
    if batch.inner:
        content["inner"] = {str(i): part for i, part in batch.inner.items()}
    if batch.series:
        content["series"] = {str(i): part for i, part in batch.series.items()}
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
            series={int(i): part for i, part in content.get("series", {}).items()},
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
    if not all(0 <= i < n for i in (*batch.inner, *batch.series)):
        raise BadFrame("parts of rows that are not there")
    for candidates in batch.inner.values():
        for one in candidates:
            texts_of_one = [one["params"], one["status"], one["message"] or ""]
            if not (all(type(text) is str for text in texts_of_one) and _numbers([one["mean"], *one["scores"]])):
                raise BadFrame("a candidate that is none")
    for named in batch.series.values():
        if not all(_numbers(values) for values in named.values()):
            raise BadFrame("a series that is none")


def _numbers(values: Sequence[Any]) -> bool:
    return all(v is None or (type(v) in (float, int) and math.isfinite(v)) for v in values)


def dumps(value: Any) -> bytes:
    """JSON in bytes."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
