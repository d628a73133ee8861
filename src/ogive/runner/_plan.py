"""What is missing, in which order it is done, how much of it at once, and what one trial may use.

Planned minus finished, cell by cell, as ranges where nothing is there yet: ten million planned
trials cost next to nothing. The next chunk belongs to the cell that is furthest behind, so all
methods have the same trials early and a stopped run can be compared as it is.
"""

from __future__ import annotations

import math
import operator
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.errors import InputError
from ogive.schema import OK, STATUSES

if TYPE_CHECKING:
    from ogive.store import Finished

# The timer of CPU time counts in steps of some milliseconds, and takes no number of more than nine digits everywhere.
LEAST_CPU, MOST_SECONDS, MOST_BYTES = 0.01, 1e9, 10**18
WARM_UP_LIMIT = 120.0  # seconds; compilation takes 2 to 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Seconds of wall and CPU time, and bytes; None where there is no limit."""

    wall: float | None = None
    cpu: float | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        for name, value, least in (("wall_limit", self.wall, 0.0), ("cpu_limit", self.cpu, LEAST_CPU)):
            if value is None:
                continue
            if not (_is_number(value) and math.isfinite(value) and value > 0):
                raise InputError(f"`{name}` must be a number of seconds above 0, or None; got {value!r}.")
            if not least <= value <= MOST_SECONDS:
                raise InputError(
                    f"`{name}` must lie between {least:g} and {MOST_SECONDS:g} seconds, or be left out; got {value:g}."
                )
        if self.memory is not None and not (_is_number(self.memory) and 1_000_000 <= self.memory <= MOST_BYTES):
            raise InputError(
                f"`memory_limit` must be a number of bytes, at least 1e6 and at most 1e18, or text such as '2GB'; got {self.memory!r}."
            )

    def record(self) -> dict[str, float] | None:
        """What is kept with each part of a store."""
        named = {"wall_limit": self.wall, "cpu_limit": self.cpu, "memory_limit": self.memory}
        return {name: value for name, value in named.items() if value is not None} or None


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within a range, checked."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise InputError(f"`{name}` must be a whole number of at least {least}; got {value!r}.")
    if number > most:
        shown = str(number) if number < 10**30 else f"a number of {number.bit_length()} bits"
        raise InputError(f"`{name}` must be at most {most:,}; got {shown}.")
    return number


_UNITS = {"": 1, "b": 1, "k": 10**3, "kb": 10**3, "m": 10**6, "mb": 10**6, "g": 10**9, "gb": 10**9, "t": 10**12, "tb": 10**12,
          "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}  # fmt: skip


def as_bytes(value: Any) -> int | None:
    """A number of bytes, from a number or from text such as '2GB' or '512 MiB'."""
    if value is None:
        return None
    if _is_number(value) and math.isfinite(value):
        return int(value)
    if isinstance(value, str) and value.isascii() and "_" not in value:
        text = value.strip().lower()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
        try:
            return int(float(digits) * _UNITS[text[len(digits) :].strip()])
        except (KeyError, ValueError, OverflowError):
            pass
    raise InputError(f"`memory_limit` must be a number of bytes or text such as '2GB'; got {value!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


MOST_SHARDS = 10**9
MOST, GROWTH = 10_000, 4  # trials of a chunk, and how much larger than the last it may be
PREFETCH_BELOW = 1.0  # seconds; a chunk that takes longer gains nothing from another waiting behind it


@dataclass(slots=True)
class Missing:
    """Trials of one cell that are to be run; `attempts` is None where each is the first, `batch` how many are done at once."""

    names: tuple[str, str]
    trials: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]]
    attempts: np.ndarray[Any, np.dtype[np.int16]] | None = None
    batch: int = 1

    def __len__(self) -> int:
        return len(self.trials)

    def part(self, low: int, high: int) -> tuple[Sequence[int], Sequence[int] | None]:
        """Some of them, as plain numbers."""
        trials = self.trials[low:high]
        numbers = trials if isinstance(trials, range) else _shortest([int(t) for t in trials])
        return numbers, None if self.attempts is None else [int(a) for a in self.attempts[low:high]]


def _shortest(trials: list[int]) -> Sequence[int]:
    if len(trials) > 1 and trials[-1] - trials[0] == len(trials) - 1:
        return range(trials[0], trials[-1] + 1)
    return trials


def missing(
    names: Sequence[tuple[str, str]],
    n_trials: int,
    finished: Mapping[tuple[str, str], Finished],
    *,
    retry: Collection[str] = (),
    shard: tuple[int, int] | None = None,
) -> list[Missing]:
    """What is to be run of each cell."""
    first, step = (shard[0] - 1, shard[1]) if shard else (0, 1)
    return [_missing(pair, range(first, n_trials, step), finished.get(pair), retry) for pair in names]


def _missing(names: tuple[str, str], planned: range, done: Finished | None, retry: Collection[str]) -> Missing:
    if done is None:
        return Missing(names, planned)
    inside = _among(done.trials, planned)
    done_trials, done_attempts = done.trials[inside], done.attempts[inside]
    retried = np.isin(done.statuses, [STATUSES.index(status) for status in retry])
    if "invalid" in retry:
        retried = np.logical_or.reduce([retried, *done.unusable.values()])
    retried = retried[inside]
    open_ = np.ones(len(planned), dtype=bool)
    open_[(done_trials[~retried] - planned.start) // planned.step] = False
    left = np.flatnonzero(open_).astype(np.int64) * planned.step + planned.start
    attempts = np.zeros(left.size, dtype=np.int16)
    attempts[np.searchsorted(left, done_trials[retried])] = done_attempts[retried] + 1
    if done.again is not None:
        inside = _among(done.again.trials, planned)
        attempts[np.searchsorted(left, done.again.trials[inside])] = done.again.attempts[inside]
    if not np.any(attempts):
        whole = left.size and planned.step == 1 and left[-1] - left[0] == left.size - 1
        return Missing(names, range(int(left[0]), int(left[-1]) + 1) if whole else left)
    return Missing(names, left, attempts)


def _among(trials: Any, planned: range) -> Any:
    """Whether each of these trials is planned."""
    return (trials < planned.stop) & (trials % planned.step == planned.start % planned.step)


def check_retry(retry: str | Collection[str]) -> tuple[str, ...]:
    """Statuses that are run again: names, or one text with commas."""
    wanted = [part.strip() for part in retry.split(",")] if isinstance(retry, str) else list(retry)
    wanted = [status for status in wanted if status]
    allowed = [status for status in STATUSES if status != OK]
    for status in wanted:
        if status not in allowed:
            raise InputError(f"`retry` must name failed statuses ({', '.join(allowed)}); got {status!r}.")
    return tuple(wanted)


def check_shard(shard: str | Sequence[int] | None) -> tuple[int, int] | None:
    """Which part of the trials is run here: (i, n) or 'i/n' with 1 ≤ i ≤ n."""
    if shard is None:
        return None
    try:
        if isinstance(shard, str) and not (shard.isascii() and "_" not in shard):
            raise ValueError
        i, n = (int(part) for part in (shard.split("/") if isinstance(shard, str) else shard))
        if 1 <= i <= n <= MOST_SHARDS:
            return i, n
    except (TypeError, ValueError):
        pass
    raise InputError(f"`shard` must be i/n with 1 <= i <= n, for example 2/8; got {shard!r}.")


@dataclass(slots=True, eq=False)
class Chunk:
    """Some trials of one cell, and how many rows of it have come."""

    cell: int
    names: tuple[str, str]
    trials: Sequence[int]
    attempts: Sequence[int] | None = None
    done: int = 0
    number: int = -1
    tries: int = 0  # how often its only trial has taken a child down
    one_by_one: bool = False  # one of its trials ruined a child, and it is not known which

    @property
    def alone(self) -> bool:
        """Whether its only trial has taken a child down and so gets a fresh one for itself."""
        return self.tries > 0

    @property
    def left(self) -> Sequence[int]:
        """Trials without a row."""
        return self.trials[self.done :]

    def part(self, low: int, high: int | None, *, tries: int = 0) -> Chunk:
        """Some of its trials as a chunk of their own."""
        attempts = None if self.attempts is None else self.attempts[low:high]
        return Chunk(self.cell, self.names, self.trials[low:high], attempts, tries=tries, one_by_one=self.one_by_one)


class ChunkSizer:
    """The size of the next chunk of one cell, by the compute time that the worker measured.

    Round-trip times never settle (they hold the waiting of chunks in flight); compute times do.
    Starts at 1, or at what is done at once, and grows at most fourfold, so a slow cell is never handed a
    long chunk. It holds whole batches: one trial alone may cost as much as all of them.
    """

    def __init__(self, seconds: float, fixed: int | None = None, batch: int = 1) -> None:
        self._aim, self._fixed, self._batch = seconds, fixed, batch
        self._size = batch
        self.cost: float | None = None  # seconds of one trial, as far as known

    @property
    def size(self) -> int:
        """How many trials the next chunk should hold."""
        return self._fixed or self._size

    def learn(self, n: int, seconds: float) -> None:
        """Hear that n trials took so many seconds of compute."""
        if n < 1 or seconds < 0:
            return
        cost = seconds / n
        self.cost = cost if self.cost is None else 0.5 * (self.cost + cost)
        wanted = int(self._aim / max(self.cost, 1e-9))
        size = min(wanted, GROWTH * max(n, self._size) if n >= self._size else self._size, MOST)
        self._size = max(1, size // self._batch) * self._batch


class Agenda:
    """Hands out chunks to any number of slots, and learns how long they take."""

    def __init__(
        self, cells: Sequence[Missing], *, seconds: float = 0.25, fixed: int | None = None, workers: int = 1
    ) -> None:
        self._cells = list(cells)
        self._next = [0] * len(self._cells)
        self._fixed, self._workers = fixed, max(1, workers)
        # Where one batch would be all that is left, every worker gets its share of it.
        self._least = [min(cell.batch, -(-len(cell) // self._workers)) for cell in self._cells]
        self._sizers = [ChunkSizer(seconds, fixed, max(1, least)) for least in self._least]
        self._lock = threading.Lock()
        self.left = sum(len(cell) for cell in self._cells)  # trials that nobody has taken
        self.stopped = False

    def stop(self) -> None:
        """Hand out nothing more."""
        self.stopped = True

    def take(self, waiting: bool = False) -> Chunk | None:
        """The next chunk; None when there is none, or none that is worth keeping ready (`waiting`)."""
        with self._lock:
            behind = self._furthest_behind()
            if behind is None or self.stopped:
                return None
            sizer = self._sizers[behind]
            if waiting and (sizer.cost is None or sizer.cost * sizer.size > PREFETCH_BELOW):
                return None
            size = (
                sizer.size
                if self._fixed
                else min(sizer.size, max(self._least[behind], self.left // (2 * self._workers)))
            )
            cell, low = self._cells[behind], self._next[behind]
            high = min(low + size, len(cell))
            self._next[behind] = high
            self.left -= high - low
            trials, attempts = cell.part(low, high)
            return Chunk(behind, cell.names, trials, attempts)

    def _furthest_behind(self) -> int | None:
        waiting = [
            (int(cell.trials[at]), i)
            for i, (cell, at) in enumerate(zip(self._cells, self._next, strict=True))
            if at < len(cell)
        ]
        return min(waiting)[1] if waiting else None

    def learn(self, chunk: Chunk, n: int, seconds: float) -> None:
        """Hear that n trials of a chunk took so long in the worker."""
        with self._lock:
            self._sizers[chunk.cell].learn(n, seconds)
