"""Trials in this process: breakpoints work, there are no limits, and the numbers are the same."""

from __future__ import annotations

import contextlib
import importlib
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ogive.runner._local import Delivery
from ogive.runner._plan import Agenda
from ogive.runner._slow import Running
from ogive.runner._state import State, say_threads
from ogive.runner._trial import CellRunner, Row
from ogive.runner._wire import batch_of


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
            threads = OneThread(stack)
            while (chunk := self._agenda.take()) is not None:
                threads.again()
                state = State(own=False, opened=opened)  # as it is now: the program around may change it between chunks
                if chunk.names not in cells:
                    cells[chunk.names] = CellRunner(self._study, *chunk.names, state)
                cell = cells[chunk.names]
                cell.state = state
                state.careful = True
                rows: list[Row] = []
                start = time.perf_counter()
                for trial in chunk.trials:
                    rows.append(cell.run(trial, interruptible=True))
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


class OneThread:
    """Limits native thread pools to one thread, as in a child, until the stack is left.

    A library that a trial loads brings its own pool, so the limit is set again when modules were
    loaded. The package that can do this comes with scikit-learn.
    """

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._loaded = -1

    def again(self) -> None:
        """Limit what has been loaded since."""
        if len(sys.modules) == self._loaded:
            return
        with contextlib.suppress(ImportError):
            pools = importlib.import_module("threadpoolctl")
            self._stack.enter_context(pools.threadpool_limits(1))
        self._loaded = len(sys.modules)
