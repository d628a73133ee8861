"""The child's program: `python -m ogive.runner._child PARENT COMMANDS ROWS PAGE [ARRAY …]`.

It reads its study once, then chunks, until the pipe ends; it writes rows. It is started by exec,
never by fork, in a session of its own, and dies with its parent. What user code prints goes
nowhere; what it writes to stderr is read by the parent, who keeps the last words.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

from ogive.runner import _wire
from ogive.runner._trial import CellRunner, Row, one_line

FLUSH = 0.05  # seconds between rows sent
INSIDE = "OGIVE_INSIDE_CHILD"


def main(arguments: Sequence[str]) -> None:
    """Serve until the command pipe ends."""
    parent, commands, rows, page, *arrays = map(int, arguments)
    die_with(parent)
    for fd in (commands, rows, page, *arrays):
        os.set_inheritable(fd, False)
    # A forked grandchild that lives on must not hold the pipes open.
    os.register_at_fork(after_in_child=lambda: _close(commands, rows))
    faulthandler.enable()
    Child(commands, rows, _wire.Page(page), arrays).serve()


def die_with(parent: int) -> None:
    """Ask Linux for a kill when the parent dies; elsewhere the end of the pipe and the guardian do it."""
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:  # it died before we asked
        os._exit(0)


def _close(*fds: int) -> None:
    for fd in fds:
        with contextlib.suppress(OSError):
            os.close(fd)


class Child:
    """The loop of a child."""

    def __init__(self, commands: int, rows: int, page: _wire.Page, arrays: Sequence[int]) -> None:
        self._commands, self._rows, self._page, self._arrays = commands, rows, page, arrays
        self._cells: dict[tuple[str, str], CellRunner] = {}
        self._study: Any = None
        self._pid = os.getpid()
        self._cpu_limit: float | None = None

    def serve(self) -> None:
        """Load, warm up, and run chunks."""
        self._page.begin(-1, _wire.WARMING, time.monotonic_ns())
        try:
            header = json.loads(self._receive() or b"null")
            body = self._receive()
            if header is None or body is None:
                return
            self._prepare(header, body)
        except BaseException as error:
            self._send({"fatal": one_line(error)})
            return
        self._page.begin(-1, _wire.IDLE, 0)
        self._send({"ready": True})
        while (command := self._receive()) is not None:
            self._run(json.loads(command))

    def _prepare(self, header: dict[str, Any], body: bytes) -> None:
        from ogive.runner import _source

        _restore("PYTHONPATH", header.get("pythonpath"))
        self._cpu_limit = header.get("cpu_limit")
        if header.get("data_limit"):
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (header["data_limit"], header["data_limit"]))
        self._study = _source.load(header, body, self._arrays)
        warm_up(self._study)

    def _run(self, command: dict[str, Any]) -> None:
        """Run a chunk, sending rows every now and then and at its end."""
        number, page = command["chunk"], self._page
        cell = self._cell(*command["cell"])
        rows: list[Row] = []
        start = sent = time.monotonic_ns()
        for trial in unfold(command["trials"]):
            page.begin(number, trial, time.monotonic_ns())
            if self._cpu_limit is not None:
                limit_cpu(self._cpu_limit)
            row = cell.run(trial, page.note)
            if os.getpid() != self._pid:  # user code forked and came back here
                os._exit(0)
            now = time.monotonic_ns()
            page.begin(number, _wire.IDLE, now)
            rows.append(row)
            if now - sent > FLUSH * 1e9:
                if self._cpu_limit is not None:
                    limit_cpu(None)  # sending is no part of the trial
                self._send({"chunk": number, "rows": _wire.encode(_wire.batch_of(rows))})
                rows, sent = [], now
        if self._cpu_limit is not None:
            limit_cpu(None)
        seconds = (time.monotonic_ns() - start) / 1e9
        self._send({"chunk": number, "rows": _wire.encode(_wire.batch_of(rows)), "seconds": seconds})

    def _cell(self, algorithm: str, task: str) -> CellRunner:
        key = (algorithm, task)
        if key not in self._cells:
            self._cells[key] = CellRunner(self._study, algorithm, task)
        return self._cells[key]

    def _send(self, content: dict[str, Any]) -> None:
        view = memoryview(_wire.frame(_wire.dumps(content)))
        while view:
            view = view[os.write(self._rows, view) :]

    def _receive(self) -> bytes | None:
        head = self._read(_wire.HEADER.size)
        return None if head is None else self._read(_wire.HEADER.unpack(head)[0])

    def _read(self, n: int) -> bytes | None:
        pieces, left = [], n
        while left:
            piece = os.read(self._commands, min(left, 1 << 20))
            if not piece:
                return None
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)


def unfold(trials: Any) -> Sequence[int]:
    """A range written as {"range": [start, stop, step]}, or the list itself."""
    return range(*trials["range"]) if isinstance(trials, dict) else trials


def fold(trials: Sequence[int]) -> Any:
    """The shortest writing of trial numbers."""
    return {"range": [trials.start, trials.stop, trials.step]} if isinstance(trials, range) else list(trials)


def warm_up(study: Any) -> None:
    """Compile and load before the clock of the first trial starts; what fails here fails in its trials too."""
    for member in (*study.tasks, *study.algorithms):
        with contextlib.suppress(Exception):
            member.warm_up()


def limit_cpu(seconds: float | None) -> None:
    """End this process when the trial has used so much CPU time; None takes the limit away.

    The timer is exact to a few milliseconds. The resource limit, which counts whole seconds, stands
    behind it in case user code takes the timer for itself.
    """
    import resource

    signal.setitimer(signal.ITIMER_PROF, seconds or 0.0)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = hard
    if seconds is not None:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        soft = int(time.process_time() + seconds) + 2
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


if __name__ == "__main__":
    os.environ[INSIDE] = "1"
    main(sys.argv[1:])
