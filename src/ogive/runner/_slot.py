"""The parent's side of one child: hand out chunks, take rows, watch limits, blame exactly.

The rules of blame:

* The shared page names the trial that was running when a child died or broke a limit. No other
  trial is blamed; rows that were finished but not yet sent are run again and give the same numbers.
* A child that goes on to another trial before it is ended is left alone: the row is on its way.
* A trial that crashed or ran out of memory, by the limit or by a MemoryError of its own, is tried
  once more, alone in a fresh child: trials before it may have filled the memory. What was killed by
  a signal that comes from outside is tried up to four times: it may have been hit by chance.
* What a limit on time cut is `timeout` at once: its clock was its own.
* Trials that are done at once have the limits of all of them together. Where they break one, or take their
  child down, nobody knows whose fault it was: they run one by one from then on, as below.
* A child that dies after a trial, sends what is no row, closes its pipe or neither answers nor runs a
  trial was ruined by one of the trials whose rows have not come. These run one by one from then on;
  the one whose row does not come is tried again, alone in a fresh child, and is then `crashed`.
* A child whose trials left behind what cannot be put back, such as hundreds of open files, says so with
  their rows and is replaced. One whose trials left threads serves no other method.
* A child that dies before its first trial was ruined by none. After three in a row the run stops and
  says so; after ten where it was killed from outside.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ogive.errors import RunStopped
from ogive.runner import _wire
from ogive.runner._child import fold
from ogive.runner._plan import WARM_UP_LIMIT, Chunk, Limits
from ogive.runner._process import GRACE, Process, environment, exit_words
from ogive.runner._source import Job
from ogive.runner._state import say_threads
from ogive.runner._trial import Row, clean

POLL, REST = 0.02, 0.1  # seconds between looks with and without limits
FAMILY_EVERY = 0.25  # seconds between looks at what the child started
QUIET_DEATHS, KILLED_DEATHS = 3, 10
ATTEMPTS, KILLED_ATTEMPTS = 2, 4
FROM_OUTSIDE = (-signal.SIGKILL, -signal.SIGTERM)
# Seconds that a child may neither run a trial nor answer. The longest answer, of a gigabyte, takes half of the first;
# one that waits for work which somebody has read is lost at once, but for the time to say that it has begun.
SILENT, DEAF = 120.0, 3.0
HARD_MEMORY = "OGIVE_HARD_MEMORY_LIMIT"


@dataclass(frozen=True, slots=True)
class Running:
    """A trial that runs, and for how many seconds."""

    names: tuple[str, str]
    trial: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a child must be ended, or that it died."""

    status: str
    message: str
    about: _wire.Running | None = None  # the trial that broke a limit; of a dead child the page says it
    sent: bool = False  # the trial's own row said so, and the child has gone on
    ruined: bool = False  # the child cannot go on, whatever trial its page names


class Killed(Exception):
    """The run was told to stop at once."""


Take = Callable[[bool], Chunk | None]
Deliver = Callable[[Chunk, _wire.Batch, float | None], None]


class Slot:
    """One place where trials run, with one child at a time."""

    def __init__(self, job: Job, limits: Limits, *, gpu: str | None = None, killed: Callable[[], bool] = lambda: False):
        self._job, self.limits, self._gpu, self._killed = job, limits, gpu, killed
        self._child: Process | None = None
        self._queue: deque[Chunk] = deque()
        self._numbers = 0
        self._quiet_deaths = 0
        self._silent, self._looked = 0.0, time.monotonic()
        self._threads: set[tuple[tuple[str, str], str]] = set()
        self._tainted: str | None = None  # the method whose trials left threads in the child
        self._ready = False
        self._family_seen = 0.0
        self.running: Running | None = None  # what its child is at; for whoever asks from another thread
        self.tell: Callable[[Running], None] | None = None  # hears of it at every look
        self._watched = any(v is not None for v in (limits.wall, limits.memory))

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
        if self._queue and self._queue[0].one_by_one and len(self._queue[0].left) > 1 and self._queue[0].number < 0:
            chunk = self._queue.popleft()
            rest, first = chunk.part(chunk.done + 1, None), chunk.part(chunk.done, chunk.done + 1)
            self._queue.extendleft((rest, first))
        for chunk in list(self._queue)[:2]:
            if (chunk.alone or chunk.one_by_one) and chunk is not self._queue[0]:
                break
            if self._tainted not in (None, chunk.names[0]):
                if chunk is not self._queue[0]:
                    break
                self._retire()
            if chunk.number < 0:
                self._hand_over(chunk)
            if chunk.alone or chunk.one_by_one:
                break

    def _hand_over(self, chunk: Chunk) -> None:
        child = self._child or self._start()
        self._numbers += 1
        chunk.number = self._numbers
        child.send(_wire.dumps({"chunk": chunk.number, "cell": chunk.names, "trials": fold(chunk.left)}))

    def _start(self) -> Process:
        limits = self.limits
        hard = limits.memory if os.environ.get(HARD_MEMORY) else None
        own: dict[str, Any] = {"cpu_limit": limits.cpu, "data_limit": hard, "pythonpath": os.environ.get("PYTHONPATH")}
        self._ready, self._tainted = False, None
        self._silent = 0.0
        self._child = Process(self._job, own, environment(self._gpu))
        return self._child

    def _retire(self) -> None:
        """End a child that must not run another trial; what it was given and has not answered is given to the next."""
        child, self._child, self._tainted = self._child, None, None
        if child is not None:
            child.end(grace=0.0)
        self._take_back()

    def _take_back(self) -> None:
        for waiting in self._queue:
            attempts = None if waiting.attempts is None else waiting.attempts[waiting.done :]
            waiting.trials, waiting.attempts, waiting.done, waiting.number = waiting.left, attempts, 0, -1

    def _look(self, deliver: Deliver) -> Verdict | None:
        """Wait a moment, take what came, and say whether the child must go or is gone."""
        if self._killed():
            raise Killed
        child = self._child
        assert child is not None
        try:
            frames, alive = child.wait(POLL if self._watched else REST)
            for content in frames:
                verdict = self._hear(_wire.loads(content), deliver)
                if verdict is not None or self._child is not child:
                    return verdict
        except (_wire.BadFrame, ValueError) as error:
            return Verdict("crashed", _through_the_pipe(error), ruined=True)
        if child.damage is not None:
            return Verdict("crashed", _through_the_pipe(child.damage), ruined=True)
        if child.cut:
            return Verdict("crashed", "the trial closed the pipe that its worker process answers through", ruined=True)
        if not alive:
            return Verdict("crashed", "")
        return self._over_limit(child) or self._gone_silent(child, heard=bool(frames))

    def _gone_silent(self, child: Process, *, heard: bool) -> Verdict | None:
        """The verdict on a child that neither runs a trial of its chunk nor answers."""
        now = time.monotonic()
        passed, self._looked = now - self._looked, now
        running = child.page.read()
        ours = {chunk.number for chunk in self._queue if chunk.number >= 0}
        if heard or not ours or running.trial == _wire.WARMING or (running.size and running.chunk in ours):
            self._silent = 0.0
            return None
        # A look that comes late says more about this process, which may have been asleep, than about the child.
        self._silent += min(passed, 1.0)
        deaf = running.trial == _wire.WAITING and running.chunk not in ours and child.has_read_all()
        if self._silent < (DEAF if deaf else SILENT):
            return None
        said = "somebody else read what its worker process was told" if deaf else "its worker process did not answer"
        return Verdict("crashed", f"{said} for {self._silent:.0f} s", ruined=True)

    def _hear(self, message: dict[str, Any], deliver: Deliver) -> Verdict | None:
        """Deliver rows up to the first that ran out of memory; that one is tried again, alone."""
        if "fatal" in message:
            raise RunStopped(f"the study cannot be loaded in a worker process: {message['fatal']}.")
        if "ready" in message:
            self._ready = True
            return None
        chunk = self._queue[0] if self._queue else None
        if chunk is None or message.get("chunk") != chunk.number:
            raise _wire.BadFrame("rows of other trials")
        self._say_threads(message.get("threads"), chunk)
        if message.get("threads"):
            self._tainted = chunk.names[0]
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
        other = bool(self._queue) and self._tainted not in (None, self._queue[0].names[0])
        if verdict is None and (message.get("worn") or other):
            if not len(batch):
                raise _wire.BadFrame("an answer without rows")
            self._retire()
        return verdict

    def _over_limit(self, child: Process) -> Verdict | None:
        running = child.page.read()
        passed = (time.monotonic_ns() - running.start_ns) / 1e9
        limits = self.limits
        if running.trial == _wire.WARMING and passed > WARM_UP_LIMIT:
            raise RunStopped(
                f"a worker process took more than {WARM_UP_LIMIT:g} s to load the study and warm up; "
                "load less at the top level, or use workers=0 to see where the time goes."
            )
        chunk = next((chunk for chunk in self._queue if chunk.number == running.chunk), None)
        size = running.size
        if not size or chunk is None:
            self.running = None
            return None
        self.running = Running(chunk.names, running.trial, passed) if running.trial >= 0 else None
        if self.tell is not None and self.running is not None:
            self.tell(self.running)
        if limits.wall is not None and passed > limits.wall * size:
            return Verdict("timeout", f"wall limit of {limits.wall:g} s", running)
        if limits.memory is not None:
            now = time.monotonic()
            family = now - self._family_seen > FAMILY_EVERY
            self._family_seen = now if family else self._family_seen
            # Not times the size: it guards the machine, and what is too much for all of them is run again one by one.
            if child.resident(family=family) > limits.memory:
                return Verdict("memory", f"memory limit of {limits.memory / 1e6:g} MB", running)
        return None

    def _bury(self, verdict: Verdict, deliver: Deliver) -> None:
        """End what is left of a child, blame its trial or nobody, and hand the rest to a fresh child."""
        child, chunk = self._child, self._queue[0]
        assert child is not None
        running = verdict.about or child.page.read()
        its_own = running.trial >= 0 and running.chunk == chunk.number and running.trial in chunk.left
        its_own = its_own and not verdict.ruined
        together = running.trial == _wire.BATCH and running.chunk == chunk.number
        if verdict.about is not None and not verdict.sent and not ((its_own or together) and child.page.says(running)):
            return  # it came to its end after all, or rows before it are still to be read
        self._child = None
        passed = (time.monotonic_ns() - running.start_ns) / 1e9
        code = child.end(grace=GRACE if verdict.message else 0.0)
        most = ATTEMPTS
        if code in FROM_OUTSIDE and not verdict.message and not child.killed_for_memory():
            most = KILLED_ATTEMPTS
        if its_own:
            self._blame(running, self._named(verdict, code, child.last_words()), passed, most, deliver)
        elif running.chunk != chunk.number and not (self._ready and verdict.ruined):
            self._count_quiet(verdict.message or exit_words(code), child.last_words(), killed=most > ATTEMPTS)
        else:
            self._suspect(running, self._after(verdict, running, code, child.last_words()), most, deliver)
        self._take_back()

    def _named(self, verdict: Verdict, code: int, words: str) -> Verdict:
        if verdict.message:
            return verdict
        if code in (-signal.SIGPROF, -signal.SIGXCPU) and self.limits.cpu is not None:
            return Verdict("timeout", f"CPU limit of {self.limits.cpu:g} s")
        return Verdict("crashed", exit_words(code) + (f"; {words}" if words and code < 0 else ""))

    def _after(self, verdict: Verdict, running: _wire.Running, code: int, words: str) -> Verdict:
        """What is said of a trial after which its child was of no use any more."""
        if running.trial == _wire.BROKEN and running.params:
            return Verdict("crashed", clean(running.params))
        if verdict.message:
            return verdict
        said = f"after the trial {exit_words(code)}" + (f"; {words}" if words else "")
        return Verdict("crashed", clean(said))

    def _count_quiet(self, how: str, words: str, *, killed: bool) -> None:
        """Count a death before any trial; the first of those that may be chance are waited out."""
        self._quiet_deaths += 1
        if self._quiet_deaths >= (KILLED_DEATHS if killed else QUIET_DEATHS):
            said = f" Its last words: {words}." if words else ""
            raise RunStopped(
                f"worker processes died {self._quiet_deaths} times in a row outside any trial ({how}).{said} "
                "Finished trials are kept; use workers=0 to see more."
            )
        if killed:
            time.sleep(min(0.05 * 2**self._quiet_deaths, 1.0))

    def _suspect(self, running: _wire.Running, verdict: Verdict, most: int, deliver: Deliver) -> None:
        """Run the trials whose rows have not come one by one, or blame the only one there is."""
        chunk = self._queue[0]
        if len(chunk.left) > 1:
            chunk.one_by_one = True
            return
        page_is_its_own = running.chunk == chunk.number and running.trial in (_wire.IDLE, chunk.left[0])
        known = _wire.Running(chunk.number, chunk.left[0], 0, running.params if page_is_its_own else None)
        self._blame(known, verdict, None, most, deliver)

    def _say_threads(self, names: Any, chunk: Chunk) -> None:
        """Say once which threads the trials of a cell left running."""
        given = names if isinstance(names, list) else []
        new = [name for name in map(clean, map(str, given[:20])) if (chunk.names, name) not in self._threads]
        if new:
            self._threads.update((chunk.names, name) for name in new)
            say_threads(new, chunk.names)

    def _blame(
        self, running: _wire.Running, verdict: Verdict, passed: float | None, most: int, deliver: Deliver
    ) -> None:
        """Split the chunk at the guilty trial: what was lost before it, the trial, what comes after."""
        chunk = self._queue.popleft()
        at = chunk.done + list(chunk.left).index(running.trial)
        parts = [chunk.part(chunk.done, at), chunk.part(at + 1, None)]
        if verdict.status in ("crashed", "memory") and chunk.tries + 1 < most:
            parts.insert(0, chunk.part(at, at + 1, tries=chunk.tries + 1))
        else:
            row = Row(running.trial, verdict.status, verdict.message, running.params, wall=passed)
            batch = _wire.batch_of([row])
            batch.attempts = None if chunk.attempts is None else chunk.attempts[at : at + 1]
            deliver(chunk, batch, None)
        self._quiet_deaths = 0
        self._queue.extendleft(part for part in reversed(parts) if part.trials)


def _through_the_pipe(what: object) -> str:
    return f"{what} came through the pipe that its worker process answers through"


def _out_of_memory(batch: _wire.Batch, chunk: Chunk) -> Verdict | None:
    """The verdict on the first trial of a batch that ran out of memory by its own account."""
    if "memory" not in batch.statuses:
        return None
    i = batch.statuses.index("memory")
    about = _wire.Running(chunk.number, batch.trials[i], time.monotonic_ns(), batch.params[i])
    return Verdict("memory", batch.messages[i] or "out of memory", about, sent=True)
