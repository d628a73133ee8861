"""Slots on this machine: a thread drives each child."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

from ogive.runner._limits import Limits
from ogive.runner._plan import Agenda
from ogive.runner._slot import Chunk, Killed, Slot
from ogive.runner._slow import Running
from ogive.runner._source import Job
from ogive.runner._wire import Batch

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
                self._drain(going)
            for thread in threads:
                thread.join()
        if trouble is not None:
            raise trouble

    def _drain(self, going: int) -> None:
        while going:
            going -= self._rows.get() is None

    def _drive(self, number: int) -> None:
        slot = Slot(self._job, self._limits, gpu=self._gpu(number), killed=self._kill.is_set)
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

    def _gpu(self, number: int) -> str | None:
        return self._gpus[number % len(self._gpus)] if self._gpus else None
