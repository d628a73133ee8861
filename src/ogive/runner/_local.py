"""Trials on this machine: a thread drives each child; or in this process, where breakpoints work.

The numbers are the same. In this process there are no limits.
"""

from __future__ import annotations

import contextlib
import importlib
import queue
import random
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ogive.runner._plan import Agenda, Chunk, Limits
from ogive.runner._slot import Killed, Running, Slot
from ogive.runner._source import Job
from ogive.runner._state import State, say_threads
from ogive.runner._trial import CellRunner, Row
from ogive.runner._wire import Batch, batch_of

AIM = 0.25  # seconds of compute in a chunk
FULL = 64  # batches that may wait to be gathered; beyond this slots wait

Delivery = tuple[tuple[str, str], Batch]


class LocalEngine:
    """Runs an agenda with supervised children; yields rows as they come, and None when there is time to look around."""

    def __init__(self, job: Job, agenda: Agenda, limits: Limits, *, workers: int, gpus: tuple[str, ...] = ()) -> None:
        self._job, self._agenda, self._limits = job, agenda, limits
        self._gpus = gpus
        self._workers = workers
        self._rows: queue.Queue[Any] = queue.Queue(FULL)
        self._kill = threading.Event()
        self._slots: list[Slot] = []

    def stop(self) -> None:
        """Hand out nothing more and finish what is under way."""
        self._agenda.stop()

    def kill(self) -> None:
        """End every child now."""
        self._agenda.stop()
        self._kill.set()

    def running(self) -> list[Running]:
        """The trials that run now."""
        found = [slot.running for slot in list(self._slots)]
        return [one for one in found if one is not None]

    def deliveries(self) -> Iterator[Delivery | None]:
        """Rows of cells, in the order in which they come."""
        threads = [threading.Thread(target=self._drive, args=(i,), daemon=True) for i in range(self._workers)]
        for thread in threads:
            thread.start()
        going, trouble = len(threads), None
        try:
            while going:
                try:
                    what = self._rows.get(timeout=0.1)
                except queue.Empty:
                    yield None
                    continue
                if what is None:
                    going -= 1
                elif isinstance(what, BaseException):
                    trouble = trouble or what
                    self.stop()
                else:
                    yield what
        finally:
            if going:
                self.kill()
            while going:  # a slot that waits to deliver would never end
                going -= self._rows.get() is None
            for thread in threads:
                thread.join()
        if trouble is not None:
            raise trouble

    def _drive(self, number: int) -> None:
        gpu = self._gpus[number % len(self._gpus)] if self._gpus else None
        slot = Slot(self._job, self._limits, gpu=gpu, killed=self._kill.is_set)
        self._slots.append(slot)
        try:
            slot.work(self._agenda.take, self._deliver)
        except Killed:
            pass
        except BaseException as error:
            self._rows.put(error)
        finally:
            self._slots.remove(slot)
            slot.close(kill=self._kill.is_set())
            self._rows.put(None)

    def _deliver(self, chunk: Chunk, batch: Batch, seconds: float | None) -> None:
        if seconds is not None:
            self._agenda.learn(chunk, len(chunk.trials), seconds)
        if len(batch):
            self._rows.put((chunk.names, batch))


class InlineEngine:
    """Runs an agenda here, one trial after the other."""

    def __init__(self, study: Any, agenda: Agenda) -> None:
        self._study, self._agenda = study, agenda
        self._stopped = False

    def running(self) -> list[Running]:
        """None: nobody can look while one runs, and it may stand at a breakpoint."""
        return []

    def stop(self) -> None:
        """Finish the trial under way."""
        self._stopped = True
        self._agenda.stop()

    kill = stop

    def deliveries(self) -> Iterator[Delivery | None]:
        """Rows of cells, in order."""
        cells: dict[tuple[str, str], CellRunner] = {}
        opened: dict[int, tuple[int, int] | None] = {}  # descriptors that trials left open
        said: set[tuple[tuple[str, str], str]] = set()  # threads that trials of a cell left running
        with untouched(), contextlib.ExitStack() as stack:
            loaded = -1
            while (chunk := self._agenda.take()) is not None:
                if len(sys.modules) != loaded:  # a library that a trial loaded brought its own pool
                    one_thread(stack)
                    loaded = len(sys.modules)
                state = State(own=False, opened=opened)  # as it is now: the program around may change it between chunks
                if chunk.names not in cells:
                    cells[chunk.names] = CellRunner(self._study, *chunk.names, state)
                cell = cells[chunk.names]
                cell.state = state
                state.careful = True
                rows: list[Row] = []
                start = time.perf_counter()
                for first in range(0, len(chunk.trials), cell.batch):
                    some = chunk.trials[first : first + cell.batch]
                    done = cell.run_many(some, interruptible=True) if len(some) > 1 else None
                    if done is not None:
                        rows += done
                    for trial in some if done is None else ():
                        rows.append(cell.run(trial, interruptible=True))
                        if self._stopped:
                            break
                    if self._stopped:
                        break
                new = [name for name in state.left if (chunk.names, name) not in said]
                if new:
                    said.update((chunk.names, name) for name in new)
                    say_threads(new, chunk.names)
                self._agenda.learn(chunk, len(rows), time.perf_counter() - start)
                batch = batch_of(rows)
                batch.attempts = None if chunk.attempts is None else chunk.attempts[: len(rows)]
                yield chunk.names, batch


@contextlib.contextmanager
def untouched() -> Iterator[None]:
    """Put the global generators back afterwards."""
    python, old = random.getstate(), np.random.get_state()  # noqa: NPY002 - the user's code may use the old generator
    torch = sys.modules.get("torch")
    state = torch.random.get_rng_state() if torch is not None and hasattr(torch, "random") else None
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(old)  # noqa: NPY002
        if torch is not None and state is not None:
            torch.random.set_rng_state(state)


def one_thread(stack: contextlib.ExitStack) -> None:
    """Limit native thread pools to one thread, as in a child, until the stack is left."""
    with contextlib.suppress(ImportError):  # it comes with scikit-learn
        stack.enter_context(importlib.import_module("threadpoolctl").threadpool_limits(1))
