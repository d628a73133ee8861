"""What is shown while a command works: nothing at first, then how far it is; always on stderr.

On a terminal one line is redrawn in place a few times a second, from the fifth second on; elsewhere a line is
written every 30 seconds. A timer draws it, so that the work itself costs nothing more.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

from ogive.stages import current

PATIENCE = 5.0  # seconds before anything is shown
REDRAWN_EVERY = 0.5
LINE_EVERY = 30.0
BAR = 24
ERASE = "\r\x1b[2K"


@contextlib.contextmanager
def waiting(command: str, *, quiet: bool = False) -> Iterator[None]:
    """Show how far a command is, for as long as it works."""
    stream = sys.stderr
    if quiet or stream is None:
        yield
        return
    live = stream.isatty() and os.environ.get("TERM") != "dumb"
    shown = _Shown(command, stream, live=live)
    shown.start()
    try:
        if live:  # whatever else is written first takes the line away
            with (
                contextlib.redirect_stdout(cast(TextIO, _Cleared(sys.stdout, shown.erase))),
                contextlib.redirect_stderr(cast(TextIO, _Cleared(stream, shown.erase))),
            ):
                yield
        else:
            yield
    finally:
        shown.stop()


class _Shown(threading.Thread):
    """A timer that draws."""

    def __init__(self, command: str, stream: TextIO, *, live: bool) -> None:
        super().__init__(name="ogive-waiting", daemon=True)
        self._command, self._stream, self._live = command, stream, live
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._drawn = False
        self._start = time.monotonic()

    def run(self) -> None:
        pause = PATIENCE if self._live else LINE_EVERY
        while not self._ended.wait(pause):
            self._draw()
            pause = REDRAWN_EVERY if self._live else LINE_EVERY

    def _draw(self) -> None:
        line = said(self._command, time.monotonic() - self._start, bar=self._live)
        with self._lock:
            if not self._ended.is_set():
                self._write(f"{ERASE}{line}" if self._live else f"{line}\n")
                self._drawn = self._live

    def erase(self) -> None:
        """Take the line away; it comes back when it is due."""
        with self._lock:
            if self._drawn:
                self._write(ERASE)
                self._drawn = False

    def stop(self) -> None:
        """Draw no more."""
        with self._lock:
            self._ended.set()
        self.erase()
        self.join()

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody looks any more
            self._stream.write(text)
            self._stream.flush()


class _Cleared:
    """A stream that takes the line away before anything is written to it."""

    def __init__(self, stream: TextIO, erase: Callable[[], None]) -> None:
        self._wrapped, self._erase = stream, erase

    def write(self, text: str) -> int:
        """Erase, then write."""
        self._erase()
        return self._wrapped.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wrapped, name)


def said(command: str, seconds: float, *, bar: bool) -> str:
    """`ogive rank: comparing methods, task 57 of 200 (12 s)`."""
    minutes, rest = divmod(int(seconds), 60)
    passed = f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
    stage = current()
    if stage is None:
        return f"ogive {command}: working ({passed})"
    words = f"ogive {command}: {stage.words}"
    if not stage.total:
        return f"{words} ({passed})"
    filled = round(BAR * min(1.0, stage.done / stage.total))
    drawn = f" [{'#' * filled}{'.' * (BAR - filled)}]" if bar else ""
    return f"{words}{drawn} {stage.done:,} of {stage.total:,} ({passed})"
