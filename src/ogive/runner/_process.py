"""One child as a process: how it is started, what it says, how it ends.

The child leads a session of its own and carries a mark in its environment, so everything it starts
can be ended with it: by the group, by descent, and by the mark where a process has left both. A
guardian, one waiting line of shell, does so should this process be killed: a parent-death signal
reaches only the child itself, and Python code in the child may be unable to run.
"""

from __future__ import annotations

import array
import contextlib
import os
import re
import secrets
import select
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import IO

from ogive.canonical import ADDRESS
from ogive.errors import RunStopped
from ogive.runner import _memory, _wire
from ogive.runner._source import Job

GRACE = 0.3  # seconds between asking and killing
TAIL = 1 << 16  # Python's own crash report lists every extension module and would push its first lines out of less
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
MARK = "OGIVE_CHILD"
LEAVING = 0.5  # seconds between the end of a process's pipe and its own
# Twice, since a process that is being ended may just be starting another.
_GUARD = f"""read -r word || {{
  kill -s KILL -- "-$1"
  for round in 1 2; do
    for file in $(grep -ls "{MARK}=$2" /proc/[0-9]*/environ 2>/dev/null); do
      file="${{file%/environ}}"; kill -s KILL "${{file#/proc/}}"
    done
  done
}}"""
_FAULT = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
_LIBRARY = sysconfig.get_paths()["stdlib"]


class Process:
    """A running child with its pipes; every read and write returns at once."""

    def __init__(self, job: Job, header: dict[str, object], environment: dict[str, str]) -> None:
        self._key, self._mark = secrets.token_bytes(_wire.KEY), secrets.token_hex(12)
        self._outgoing = bytearray()
        self._frames = _wire.Frames(self._key)
        self._stderr = b""
        self.cut = False  # whether the pipe of rows ended before the process did
        self.damage: str | None = None  # what came through it that is no frame
        self._killed_before = _memory.killed_for_memory()
        try:
            self._start(job, {**environment, MARK: self._mark})
        except OSError as error:
            raise RunStopped(f"a worker process cannot be started: {error.strerror or error}.") from None
        self.send(_wire.dumps({**job.header, **header}))
        self.send(job.body)

    def _start(self, job: Job, environment: dict[str, str]) -> None:
        self._cell_file: IO[bytes] = tempfile.TemporaryFile(prefix="ogive-cell-")  # noqa: SIM115 - closed in `end`
        self.page = _wire.PageReader(self._cell_file.fileno())
        self.page.begin(-1, _wire.WARMING, time.monotonic_ns())
        child_in, self._commands = os.pipe()
        self._rows, child_out = os.pipe()
        self._errors, child_err = os.pipe()
        given = (child_in, child_out, self._cell_file.fileno(), *job.fds)
        words = (os.getpid(), int.from_bytes(self._key, "little"), *given)
        try:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-m", "ogive.runner._child", *map(str, words)],
                pass_fds=given, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=child_err,
                start_new_session=True, env=environment,
            )  # fmt: skip
        finally:
            for fd in (child_in, child_out, child_err):
                os.close(fd)
        for fd in (self._commands, self._rows, self._errors):
            os.set_blocking(fd, False)
        self.pid = self._popen.pid
        self._guardian = _guard(self.pid, self._mark)

    def send(self, content: bytes) -> None:
        """Queue a frame; `wait` writes it as far as the pipe takes it."""
        self._outgoing += _wire.frame(content, self._key)
        self._write()

    def _write(self) -> None:
        try:
            while self._outgoing:
                done = os.write(self._commands, memoryview(self._outgoing)[: 1 << 16])
                del self._outgoing[:done]
        except BlockingIOError:
            pass
        except OSError:  # the reader died; its end is noticed by `wait`
            self._outgoing.clear()

    def wait(self, seconds: float) -> tuple[list[bytes], bool]:
        """Frames that came within so many seconds, and whether the child is still there."""
        watch = select.poll()
        for fd in (self._rows, self._errors):
            if fd >= 0:
                watch.register(fd, select.POLLIN)
        if self._outgoing:
            watch.register(self._commands, select.POLLOUT)
        ready = {fd for fd, _ in watch.poll(seconds * 1000)}
        if self._commands in ready:
            self._write()
            ready.discard(self._commands)
        if self._errors in ready:
            self._listen()
        if self._rows in ready:
            data = self._take(self._rows)
            if data == b"":
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._popen.wait(LEAVING)
                self.cut = self._popen.poll() is None
                return [], False
            return self._whole(data or b""), True
        if ready or self._popen.poll() is None:
            return [], True
        # Dead, though something it left behind holds the pipe open: what is in the pipe still counts.
        frames: list[bytes] = []
        while data := self._take(self._rows):
            frames += self._whole(data)
        return frames, False

    def _whole(self, data: bytes) -> list[bytes]:
        """Frames out of what came; those before bytes that are none still count."""
        frames: list[bytes] = []
        try:
            frames.extend(self._frames.feed(data))
        except _wire.BadFrame as error:
            self.damage = self.damage or str(error)
        return frames

    def has_read_all(self) -> bool:
        """Whether everything that was sent has been read by somebody."""
        if self._outgoing:
            return False
        try:
            import fcntl
            import termios

            waiting = array.array("i", [0])
            fcntl.ioctl(self._commands, termios.FIONREAD, waiting)
        except (ImportError, OSError):
            return False
        return waiting[0] == 0

    def killed_for_memory(self) -> bool:
        """Whether this machine has killed a process for memory since the child was started."""
        return _memory.killed_for_memory() > self._killed_before

    def _listen(self) -> None:
        """Keep the last words; at the end of this pipe nothing more will come, so it is closed."""
        if self._errors < 0:
            return
        data = self._take(self._errors)
        if data == b"":
            os.close(self._errors)
            self._errors = -1
        elif data:
            self._stderr = (self._stderr + data)[-TAIL:]

    @staticmethod
    def _take(fd: int) -> bytes | None:
        try:
            return os.read(fd, 1 << 18)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def resident(self, *, family: bool) -> int:
        """Bytes of memory that the child holds, with everything it started if `family`."""
        pids = [self.pid, *_memory.children(self.pid, deep=True)] if family else [self.pid]
        return sum(_memory.resident(pid) for pid in pids)

    def finish(self, seconds: float = 1.0) -> None:
        """Let the child see the end of its pipe, then end it and everything it started."""
        os.close(self._commands)
        self._commands = -1
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)
        self.end(grace=0.0)

    def end(self, *, grace: float = GRACE) -> int:
        """End the child's whole group, politely first; returns its exit code."""
        family = _memory.children(self.pid, deep=True) if self._popen.poll() is None else []
        if grace and self._popen.poll() is None:
            _signal_group(self.pid, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(grace)
        _signal_group(self.pid, signal.SIGKILL)
        for pid in family:  # those that left the group
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        code = self._popen.wait()
        self._end_marked()
        self._listen()
        self._release()
        return code

    def _end_marked(self) -> None:
        """End what left both the group and the family, and what that starts meanwhile."""
        for _ in range(5):
            left = _memory.marked(f"{MARK}={self._mark}")
            if not left:
                return
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def _release(self) -> None:
        for fd in (self._commands, self._rows, self._errors):
            if fd >= 0:
                os.close(fd)
        self._cell_file.close()
        if self._guardian is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._guardian.communicate(b"done\n", timeout=5)

    def last_words(self) -> str:
        """Where Python was when it crashed, else the last line of stderr, without addresses."""
        text = self._stderr.decode("utf-8", "replace")
        frames = list(_FAULT.finditer(text, max(0, text.rfind("Current thread"))))
        if frames:
            found = next((f for f in frames if not f[1].startswith(_LIBRARY)), frames[0])
            return f"in {found[3]}, {Path(found[1]).name} line {found[2]}"
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        return ADDRESS.sub("0x…", lines[-1])[:200] if lines else ""


def _guard(group: int, mark: str) -> subprocess.Popen[bytes] | None:
    """A shell that ends the group and what carries the mark when this process is gone; None where there is none."""
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "ogive-guardian", str(group), mark],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, env={},
        )  # fmt: skip
    except OSError:
        return None


def _signal_group(group: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(group, number)


def environment(gpu: str | None = None) -> dict[str, str]:
    """The environment of a child: one thread, a fixed hash seed, and the way to this very package."""
    own = dict.fromkeys(ONE_THREAD, "1")
    home = Path(__file__).resolve().parents[2]
    # Folders of installed packages are found anyway, and must not come before the standard library.
    if home.name not in ("site-packages", "dist-packages"):
        own["PYTHONPATH"] = os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])
    if gpu is not None:
        own["CUDA_VISIBLE_DEVICES"] = gpu
    # The order of a set of text must not depend on who started this process: a Dask nanny sets a seed, users set "random".
    return {**os.environ, **own, "PYTHONHASHSEED": "0"}


def exit_words(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"the process ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    said = {"SIGSEGV": "segmentation fault", "SIGABRT": "abort", "SIGKILL": "killed from outside, by itself, or for want of memory",
            "SIGBUS": "bus error", "SIGFPE": "arithmetic error", "SIGILL": "illegal instruction"}.get(name)  # fmt: skip
    return f"the process ended with {name}" + (f" ({said})" if said else "")
