"""The parent's side of one child: hand out chunks, take rows, watch limits, blame exactly.

The rules of blame:

* The shared page names the trial that was running when a child died or broke a limit. No other
  trial is blamed; rows that were finished but not yet sent are run again and give the same numbers.
* A child that goes on to another trial before it is ended is left alone: the row is on its way.
* A trial that crashed or ran out of memory, by the limit or by a MemoryError of its own, is tried
  once more, alone in a fresh child: trials before it may have filled the memory.
* What a limit on time cut is `timeout` at once: its clock was its own.
* A death outside any trial is nobody's. After three in a row the run stops and says so.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ogive.errors import RunStopped
from ogive.runner import _wire
from ogive.runner._child import fold
from ogive.runner._limits import WARM_UP_LIMIT, Limits
from ogive.runner._process import GRACE, Process, environment, exit_words
from ogive.runner._source import Job
from ogive.runner._trial import Row

POLL, REST = 0.02, 0.1  # seconds between looks with and without limits
FAMILY_EVERY = 0.25  # seconds between looks at what the child started
QUIET_DEATHS = 3
HARD_MEMORY = "OGIVE_HARD_MEMORY_LIMIT"


@dataclass(slots=True, eq=False)
class Chunk:
    """Some trials of one cell, and how many rows of it have come."""

    cell: int
    names: tuple[str, str]
    trials: Sequence[int]
    attempts: Sequence[int] | None = None
    done: int = 0
    number: int = -1
    alone: bool = False  # the second attempt of a trial that took its child down

    @property
    def left(self) -> Sequence[int]:
        """Trials without a row."""
        return self.trials[self.done :]

    def part(self, low: int, high: int | None, *, alone: bool = False) -> Chunk:
        """Some of its trials as a chunk of their own."""
        attempts = None if self.attempts is None else self.attempts[low:high]
        return Chunk(self.cell, self.names, self.trials[low:high], attempts, alone=alone)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a child must be ended, or that it died."""

    status: str
    message: str
    about: _wire.Running | None = None  # the trial that broke a limit; of a dead child the page says it
    sent: bool = False  # the trial's own row said so, and the child has gone on


class Killed(Exception):
    """The run was told to stop at once."""


Take = Callable[[bool], Chunk | None]
Deliver = Callable[[Chunk, _wire.Batch, float | None], None]


class Slot:
    """One place where trials run, with one child at a time."""

    def __init__(self, job: Job, limits: Limits, *, gpu: str | None = None, killed: Callable[[], bool] = lambda: False):
        self._job, self._limits, self._gpu, self._killed = job, limits, gpu, killed
        self._child: Process | None = None
        self._queue: deque[Chunk] = deque()
        self._numbers = 0
        self._quiet_deaths = 0
        self._ready = False
        self._family_seen = 0.0
        self._watched = any(v is not None for v in (limits.wall, limits.memory))

    @property
    def limits(self) -> Limits:
        """What a trial may use here."""
        return self._limits

    def work(self, take: Take, deliver: Deliver) -> None:
        """Run chunks until `take` gives none; `take(True)` asks for one to keep ready behind another."""
        try:
            while True:
                self._fill(take)
                if not self._queue:
                    return
                verdict = self._look(deliver)
                if verdict is not None:
                    self._bury(verdict, deliver)
        except BaseException:
            self.close(kill=True)
            raise

    def close(self, *, kill: bool = False) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.end(grace=0.0) if kill or not self._ready else child.finish()

    def _fill(self, take: Take) -> None:
        """Keep one chunk running and one behind it; a second attempt has its child to itself."""
        while len(self._queue) < 2 and not (self._queue and self._queue[0].alone):
            chunk = take(bool(self._queue))
            if chunk is None:
                break
            self._queue.append(chunk)
        for chunk in list(self._queue)[:2]:
            if chunk.alone and chunk is not self._queue[0]:
                break
            if chunk.number < 0:
                self._hand_over(chunk)
            if chunk.alone:
                break

    def _hand_over(self, chunk: Chunk) -> None:
        child = self._child or self._start()
        self._numbers += 1
        chunk.number = self._numbers
        child.send(_wire.dumps({"chunk": chunk.number, "cell": chunk.names, "trials": fold(chunk.left)}))

    def _start(self) -> Process:
        limits = self._limits
        hard = limits.memory if os.environ.get(HARD_MEMORY) else None
        own: dict[str, Any] = {"cpu_limit": limits.cpu, "data_limit": hard, "pythonpath": os.environ.get("PYTHONPATH")}
        self._ready = False
        self._child = Process(self._job, own, environment(self._gpu))
        return self._child

    def _look(self, deliver: Deliver) -> Verdict | None:
        """Wait a moment, take what came, and say whether the child must go or is gone."""
        if self._killed():
            raise Killed
        child = self._child
        assert child is not None
        try:
            frames, alive = child.wait(POLL if self._watched else REST)
            for content in frames:
                verdict = self._hear(json.loads(content), deliver)
                if verdict is not None:
                    return verdict
        except (_wire.BadFrame, ValueError) as error:
            return Verdict("crashed", f"the process sent what is no row: {error}")
        if not alive:
            return Verdict("crashed", "")
        return self._over_limit(child)

    def _hear(self, message: dict[str, Any], deliver: Deliver) -> Verdict | None:
        """Deliver rows up to the first that ran out of memory; that one is tried again, alone."""
        if "fatal" in message:
            raise RunStopped(f"the study cannot be loaded in a worker process: {message['fatal']}.")
        if "ready" in message:
            self._ready = True
            return None
        chunk = self._queue[0] if self._queue else None
        if chunk is None or message.get("chunk") != chunk.number:
            raise _wire.BadFrame("rows of another chunk")
        batch = _wire.decode(message.get("rows"), chunk.left)
        seconds = message.get("seconds")
        verdict = None if chunk.alone else _out_of_memory(batch, chunk)
        if verdict is not None and verdict.about is not None:
            batch, seconds = batch.first(batch.trials.index(verdict.about.trial)), None
        batch.attempts = None if chunk.attempts is None else chunk.attempts[chunk.done : chunk.done + len(batch)]
        chunk.done += len(batch)
        self._quiet_deaths = 0
        if seconds is not None:
            if chunk.left:
                raise _wire.BadFrame("a chunk that ended early")
            self._queue.popleft()
        deliver(chunk, batch, seconds)
        return verdict

    def _over_limit(self, child: Process) -> Verdict | None:
        running = child.page.read()
        passed = (time.monotonic_ns() - running.start_ns) / 1e9
        limits = self._limits
        if running.trial == _wire.WARMING and passed > WARM_UP_LIMIT:
            raise RunStopped(
                f"a worker process took more than {WARM_UP_LIMIT:g} s to load the study and warm up; "
                "load less at the top level, or use workers=0 to see where the time goes."
            )
        if running.trial < 0:
            return None
        if limits.wall is not None and passed > limits.wall:
            return Verdict("timeout", f"wall limit of {limits.wall:g} s", running)
        if limits.memory is not None:
            now = time.monotonic()
            family = now - self._family_seen > FAMILY_EVERY
            self._family_seen = now if family else self._family_seen
            if child.resident(family=family) > limits.memory:
                return Verdict("memory", f"memory limit of {limits.memory / 1e6:g} MB", running)
        return None

    def _bury(self, verdict: Verdict, deliver: Deliver) -> None:
        """End what is left of a child, blame its trial or nobody, and hand the rest to a fresh child."""
        child, chunk = self._child, self._queue[0]
        assert child is not None
        running = verdict.about or child.page.read()
        its_own = running.trial >= 0 and running.chunk == chunk.number and running.trial in chunk.left
        if verdict.about is not None and not verdict.sent and not (its_own and child.page.says(running)):
            return  # it came to its end after all, or rows before it are still to be read
        self._child = None
        passed = (time.monotonic_ns() - running.start_ns) / 1e9
        code = child.end(grace=GRACE if verdict.message else 0.0)
        if its_own:
            self._blame(running, self._named(verdict, code, child.last_words()), passed, deliver)
        else:
            self._count_quiet(verdict.message or exit_words(code), child.last_words())
        for waiting in self._queue:
            waiting.trials, waiting.attempts, waiting.done = _rest(waiting)
            waiting.number = -1

    def _named(self, verdict: Verdict, code: int, words: str) -> Verdict:
        if verdict.message:
            return verdict
        if code in (-signal.SIGPROF, -signal.SIGXCPU) and self._limits.cpu is not None:
            return Verdict("timeout", f"CPU limit of {self._limits.cpu:g} s")
        return Verdict("crashed", exit_words(code) + (f"; {words}" if words and code < 0 else ""))

    def _count_quiet(self, how: str, words: str) -> None:
        self._quiet_deaths += 1
        if self._quiet_deaths >= QUIET_DEATHS:
            said = f" Its last words: {words}." if words else ""
            raise RunStopped(
                f"worker processes died {self._quiet_deaths} times outside any trial ({how}).{said} "
                "Finished trials are kept; use workers=0 to see more."
            )

    def _blame(self, running: _wire.Running, verdict: Verdict, passed: float, deliver: Deliver) -> None:
        """Split the chunk at the guilty trial: what was lost before it, the trial, what comes after."""
        chunk = self._queue.popleft()
        at = chunk.done + list(chunk.left).index(running.trial)
        parts = [chunk.part(chunk.done, at), chunk.part(at + 1, None)]
        if verdict.status in ("crashed", "memory") and not chunk.alone:
            parts.insert(0, chunk.part(at, at + 1, alone=True))
        else:
            row = Row(running.trial, verdict.status, verdict.message, running.params, wall=passed)
            batch = _wire.batch_of([row])
            batch.attempts = None if chunk.attempts is None else chunk.attempts[at : at + 1]
            deliver(chunk, batch, None)
        self._quiet_deaths = 0
        self._queue.extendleft(part for part in reversed(parts) if part.trials)


def _out_of_memory(batch: _wire.Batch, chunk: Chunk) -> Verdict | None:
    """The verdict on the first trial of a batch that ran out of memory by its own account."""
    if "memory" not in batch.statuses:
        return None
    i = batch.statuses.index("memory")
    about = _wire.Running(chunk.number, batch.trials[i], time.monotonic_ns(), batch.params[i])
    return Verdict("memory", batch.messages[i] or "out of memory", about, sent=True)


def _rest(chunk: Chunk) -> tuple[Sequence[int], Sequence[int] | None, int]:
    return chunk.left, None if chunk.attempts is None else chunk.attempts[chunk.done :], 0
