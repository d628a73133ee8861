"""The child's program: `python -m ogive.runner._child PARENT KEY COMMANDS ROWS PAGE [ARRAY …]`.

It reads its study once, then chunks, until the pipe ends; it writes rows. It is started by exec,
never by fork, in a session of its own, and dies with its parent. What user code prints goes
nowhere; what it writes to stderr is read by the parent, who keeps the last words.

User code runs in this very process. What the loop calls was therefore bound before any of it ran,
what a trial changes is put back after it (`_state`), rows are sent only after a look at everything
that trials could have changed, and a process that cannot go on says why in its page and ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
from collections.abc import Sequence
from os import _exit, close, read, write
from time import monotonic_ns, process_time
from typing import Any

from ogive.runner import _wire
from ogive.runner._state import Broken, State
from ogive.runner._trial import CellRunner, Row, one_line

FLUSH = 0.05  # seconds between rows sent
INSIDE = "OGIVE_INSIDE_CHILD"
BROKEN = 70  # the exit code of a process that cannot go on and has said why
_set_signal, _set_timer = signal.signal, getattr(signal, "setitimer", None)  # Windows has none, and no children


def main(arguments: Sequence[str]) -> None:
    """Serve until the command pipe ends."""
    parent, key, commands, rows, page, *arrays = map(int, arguments)
    die_with(parent)
    for fd in (commands, rows, page, *arrays):
        os.set_inheritable(fd, False)
    # A forked grandchild that lives on must not hold the pipes open.
    os.register_at_fork(after_in_child=lambda: _close(commands, rows))
    faulthandler.enable()
    shared = _wire.Page(page)
    shared.hide(page)
    Child(key.to_bytes(_wire.KEY, "little"), commands, rows, shared, arrays).serve()


def die_with(parent: int) -> None:
    """Ask Linux for a kill when the parent dies, and for the orphans of what is started here.

    Elsewhere the end of the pipe and the guardian do the first, and the end of this process the second.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        prctl = ctypes.CDLL(None).prctl
        prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    if os.getppid() != parent:  # it died before we asked
        os._exit(0)


def _close(*fds: int) -> None:
    for fd in fds:
        with contextlib.suppress(OSError):
            close(fd)


class Child:
    """The loop of a child."""

    def __init__(self, key: bytes, commands: int, rows: int, page: _wire.Page, arrays: Sequence[int]) -> None:
        self._key, self._commands, self._rows, self._page, self._arrays = key, commands, rows, page, arrays
        self._cells: dict[tuple[str, str], CellRunner] = {}
        self._study: Any = None
        self._state: State
        self._cpu_limit: float | None = None

    def serve(self) -> None:
        """Load, warm up, and run chunks."""
        self._page.begin(-1, _wire.WARMING, monotonic_ns())
        try:
            header = _wire.loads(self._receive() or b"null")
            body = self._receive()
            if header is None or body is None:
                return
            self._prepare(header, body)
        except BaseException as error:
            self._send({"fatal": one_line(error)})
            return
        self._page.begin(-1, _wire.IDLE, monotonic_ns())
        try:
            self._send({"ready": True})
            while True:
                self._page.rest(_wire.WAITING, monotonic_ns())
                command = self._receive()
                if command is None:
                    return
                self._run(_wire.loads(command))
                if self._state.worn:  # it was said with the last rows
                    return
        except Broken as broken:
            self._page.broken(f"the trial {broken}")
        except BaseException as error:
            self._page.broken(f"the worker process could not answer after it: {one_line(error)}")
        _exit(BROKEN)

    def _prepare(self, header: dict[str, Any], body: bytes) -> None:
        from ogive.runner import _source

        os.environ.pop("PYTHONPATH", None)  # the parent's own, without what led here
        if header.get("pythonpath") is not None:
            os.environ["PYTHONPATH"] = header["pythonpath"]
        self._cpu_limit = header.get("cpu_limit")
        if header.get("data_limit"):
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (header["data_limit"], header["data_limit"]))
        self._study = _source.load(header, body, self._arrays)
        _close(*self._arrays)  # the arrays stay mapped
        warm_up(self._study)
        # What the study set up when it was loaded is the state of every trial.
        pipes = {
            self._rows: "the pipe that its worker process answers through",
            self._commands: "the pipe that its worker process is told through what to do",
        }
        self._state = State(pipes, cpu_limit=self._cpu_limit is not None)

    def _run(self, command: dict[str, Any]) -> None:
        """Run a chunk, sending rows every now and then and at its end."""
        number, state = command["chunk"], self._state
        cell = self._cell(*command["cell"])
        rows: list[Row] = []
        start = sent = monotonic_ns()
        trials = unfold(command["trials"])
        for first in range(0, len(trials), cell.batch):
            some = trials[first : first + cell.batch]
            done = self._batch(cell, number, some) if len(some) > 1 else None
            if done is not None:
                rows += done
            for trial in some if done is None else ():
                rows.append(self._trial(cell, number, trial))
                if state.redo:
                    self._again(cell, number, rows)
                if state.worn:
                    break
            if state.worn:
                break
            if done is None and len(some) > 1:
                sent = 0  # what these left behind is looked for now: a look after a batch speaks of the batch alone
            now = monotonic_ns()
            if now - sent > FLUSH * 1e9:
                self._answer(cell, number, rows, None)
                rows, sent = [], now
        else:
            self._answer(cell, number, rows, start)
            return
        self._answer(cell, number, rows, None)

    def _batch(self, cell: CellRunner, number: int, trials: Sequence[int]) -> list[Row] | None:
        """The rows of trials that are done at once; None where they have to be run one by one."""
        page = self._page
        page.begin(number, _wire.BATCH, monotonic_ns())
        page.note(str(len(trials)))
        if self._cpu_limit is not None:
            limit_cpu(self._cpu_limit * len(trials))
        rows = cell.run_many(trials)
        page.rest(_wire.IDLE, monotonic_ns())
        return rows

    def _trial(self, cell: CellRunner, number: int, trial: int) -> Row:
        page = self._page
        page.begin(number, trial, monotonic_ns())
        if self._cpu_limit is not None:
            limit_cpu(self._cpu_limit)
        row = cell.run(trial, page.note)
        page.rest(_wire.IDLE, monotonic_ns())
        return row

    def _again(self, cell: CellRunner, number: int, rows: list[Row]) -> None:
        """Run the last trials again, one of which left something behind that may have reached the others."""
        doubtful, self._state.redo = self._state.redo, 0
        for i in range(len(rows) - min(doubtful, len(rows)), len(rows)):
            rows[i] = self._trial(cell, number, rows[i].trial)

    def _answer(self, cell: CellRunner, number: int, rows: list[Row], start: int | None) -> None:
        """Send rows, once nothing that another trial left behind can have reached them."""
        if self._cpu_limit is not None:
            limit_cpu(None)  # sending is no part of the trial
        state = self._state
        if state.deep(wide=True) is not None:
            state.redo = max(1, state.redo)
        if state.redo:
            self._again(cell, number, rows)
        content: dict[str, Any] = {"chunk": number, "rows": _wire.encode(_wire.batch_of(rows))}
        if start is not None:
            content["seconds"] = (monotonic_ns() - start) / 1e9
        if state.left:
            content["threads"], state.left = state.left, []
        if state.worn:
            content["worn"] = True
        self._send(content)

    def _cell(self, algorithm: str, task: str) -> CellRunner:
        key = (algorithm, task)
        if key not in self._cells:
            self._cells[key] = CellRunner(self._study, algorithm, task, self._state)
        return self._cells[key]

    def _send(self, content: dict[str, Any]) -> None:
        view = memoryview(_wire.frame(_wire.dumps(content), self._key))
        while view:
            view = view[write(self._rows, view) :]

    def _receive(self) -> bytes | None:
        head = self._read(_wire.HEADER.size)
        if head is None:
            return None
        length, digest = _wire.opened(head, self._key)
        content = self._read(length)
        return None if content is None else _wire.whole(content, digest)

    def _read(self, n: int) -> bytes | None:
        pieces, left = [], n
        while left:
            piece = read(self._commands, min(left, 1 << 20))
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

    assert _set_timer is not None
    _set_timer(signal.ITIMER_PROF, seconds or 0.0)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = hard
    if seconds is not None:
        _set_signal(signal.SIGPROF, signal.SIG_DFL)
        soft = int(process_time() + seconds) + 2
        soft = soft if hard == resource.RLIM_INFINITY else min(soft, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


if __name__ == "__main__":
    os.environ[INSIDE] = "1"
    main(sys.argv[1:])
