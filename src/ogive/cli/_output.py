"""Results to stdout; notes, errors and how far a command is to stderr. Names are stripped of control characters.

While a command works nothing is shown at first. On a terminal one line is redrawn in place a few times a second,
from the fifth second on; elsewhere a line is written every 30 seconds. A timer draws it, so that the work itself
costs nothing more.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TextIO, cast

from ogive.stages import current

if TYPE_CHECKING:
    from ogive.notes import Note


MOST_SIGNS = 400
_ENDLESS = re.compile(rf"\S{{{MOST_SIGNS + 20},}}")
_ARGUMENTS = (
    "score|algorithm|task|repeat|item|group|fold|pair|status|step|budget|params|unit|varied|goal|bounds|failures|margin|where|without"
    "|n|criterion|over|runs|missing|unsolved|tasks|time_limit|floor|equalize|band|gamma|metric|grid"
)


class PatientStream:
    """A stream that may not be there to the end: what cannot be written is dropped, and the work goes on.

    A reader that leaves, as `head` does, has what it wanted. Any other reason is kept in `lost`: the
    stream was closed from the beginning (Python then has None for it), or the disk is full.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream: TextIO = io.StringIO() if stream is None else stream
        self._closed = stream is None
        self.lost: str | None = None

    def write(self, text: str) -> int:
        """Write, or drop."""
        if self._closed:
            self.lost = "it is closed" if text else self.lost
            return len(text)
        try:
            return self._stream.write(text)
        except (OSError, ValueError) as error:
            return self._drop(error, len(text))

    def flush(self) -> None:
        """Flush, or drop."""
        try:
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._drop(error, 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _drop(self, error: OSError | ValueError, length: int) -> int:
        """Let what follows, and what is still buffered, go nowhere; Python would write it once more at its end."""
        if not isinstance(error, BrokenPipeError):
            self.lost = getattr(error, "strerror", None) or str(error)
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
        return length


@contextlib.contextmanager
def patient_streams() -> Iterator[PatientStream]:
    """Patient standard streams; the one for results.

    A standard stream that is closed leaves its number to the next file that is opened, into which
    a child or a library would then write its messages: the numbers are taken first.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a sign shows its number instead
            stream.reconfigure(errors="backslashreplace")
    out, err = PatientStream(sys.stdout), PatientStream(sys.stderr)
    with contextlib.redirect_stdout(cast(TextIO, out)), contextlib.redirect_stderr(cast(TextIO, err)):
        try:
            yield out
        finally:
            out.flush()
            err.flush()


class Result(Protocol):
    """What every command shows."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        ...


def show(result: Result | Mapping[str, Any], *, as_json: bool, about: Mapping[str, Any] | None = None) -> None:
    """Print a result as text or JSON; `about` holds what is said of the table, where the result does not say it.

    JSON has the same layout for one task as for several: `rows` holds one entry for each. A dictionary is a result that has no
    words, and is shown as JSON.
    """
    from ogive.notes import naming
    from ogive.words import json_escaped

    if as_json:
        with naming("python"):  # programs read it
            held = dict(result) if isinstance(result, Mapping) else result.to_dict()
        held = held if about is None else {**held, **about, "rows": held["rows"] or [held]}
        text = json.dumps(held, ensure_ascii=False, indent=1, allow_nan=False)
        print("\n".join(map(json_escaped, text.split("\n"))))
    else:
        in_words = getattr(result, "text", None)  # results with notes, which name options here
        show_text(str(result) if in_words is None else in_words("cli"))


def show_text(text: str) -> None:
    """Print text without control characters; nothing else is changed, since names may look like arguments."""
    from ogive.words import printable

    print("\n".join(printable(line) for line in text.split("\n")))


def tell(notes: Iterable[Note]) -> None:
    """Say on stderr how a table was read, as far as that was guessed, or may be wrong."""
    from ogive.words import printable

    for note in notes:
        if note.is_doubtful:
            print(f"read: {printable(note.words('cli'))}", file=sys.stderr)


def as_options(text: str) -> str:
    """Arguments that an error names as options of the command: `unit='row'` becomes `--unit row`."""
    text = re.sub(r"\b(wide|independent)=True\b", r"--\1", text)
    text = re.sub(
        rf"\b({_ARGUMENTS})=('[^']*'|\"[^\"]*\")", lambda found: f"--{found[1]} {shlex.quote(found[2][1:-1])}", text
    )
    text = re.sub(r"\bkind='(ratio|difference|improvement|score|welch|rank)'", r"--kind \1", text)
    text = re.sub(r"\b(floor|time_limit)=(?=\d)", r"--\1 ", text)
    text = re.sub(
        r"\bbounds=\(([\w.]+), ([\w.]+)\)", lambda pair: f"--bounds {pair[1].upper()},{pair[2].upper()}", text
    )
    text = text.replace("paired=False", "--unpaired")
    text = re.sub(r" when (the table is read|reading)\b", "", text)  # a command reads and answers at once
    text = re.sub(rf"\b({_ARGUMENTS})=(?![\w'\"])", r"--\1", text)
    text = re.sub(r"`(metric|time_limit)`(?= )", r"`--\1`", text)
    return text.replace("--params", "--param").replace("--time_limit", "--time-limit")


def complain(message: str | Note, code: int, *, is_result: bool = False) -> int:
    """One line on stderr; returns the exit code. A sentence of a result names options already."""
    text = message.words("cli") if not isinstance(message, str) else message if is_result else as_options(message)
    # A name of a megabyte would hide what is said about it.
    say(f"ogive: {_ENDLESS.sub(lambda word: word[0][:MOST_SIGNS] + '…', ' '.join(text.split()))}")
    return code


def say(line: str) -> None:
    """A line on stderr that cannot steer the terminal."""
    from ogive.words import printable

    with contextlib.suppress(OSError):
        print(printable(line), file=sys.stderr)


@contextlib.contextmanager
def heard(logger: str) -> Iterator[None]:
    """Say on stderr what a logger tells meanwhile."""
    teller, handler = logging.getLogger(logger), logging.Handler()
    handler.emit = lambda record: say(record.getMessage())  # type: ignore[method-assign]
    level = teller.level
    teller.addHandler(handler)
    teller.setLevel(logging.INFO)
    try:
        yield
    finally:
        teller.removeHandler(handler)
        teller.setLevel(level)


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
