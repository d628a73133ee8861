"""Results to stdout, notes and errors to stderr. Names are stripped of control characters."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TextIO

if TYPE_CHECKING:
    from ogive.notes import Note

# Signs that JSON may hold as they are, and that could steer a terminal.
_INVISIBLE = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_ARGUMENTS = (
    "score|algorithm|task|repeat|item|group|fold|pair|status|params|unit|varied|goal|bounds|failures|margin|without"
    "|criterion|over|runs|missing|unsolved|tasks|time_limit|floor|equalise|band"
)


class PatientStream:
    """A stream whose reader may leave, as `head` does: what nobody reads is dropped, and the work goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or drop."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            return self._drop(len(text))

    def flush(self) -> None:
        """Flush, or drop."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _drop(self, length: int) -> int:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        return length


class Result(Protocol):
    """What every command shows."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        ...


def show(result: Result, *, as_json: bool, about: Mapping[str, Any] | None = None) -> None:
    """Print a result as text or JSON; `about` holds what is said of the table, where the result does not say it.

    JSON has the same layout for one task as for several: `rows` holds one entry for each.
    """
    if as_json:
        held = result.to_dict()
        held = held if about is None else {**held, **about, "rows": held["rows"] or [held]}
        text = json.dumps(held, ensure_ascii=False, indent=1, allow_nan=False)
        print(_INVISIBLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))
    else:
        in_words = getattr(result, "text", None)  # results with notes, which name options here
        show_text(str(result) if in_words is None else in_words("cli"))


def show_text(text: str) -> None:
    """Print text without control characters, with options for arguments."""
    from ogive.words import printable

    print("\n".join(as_options(printable(line)) for line in text.split("\n")))


def tell(notes: Iterable[Note]) -> None:
    """Say on stderr how a table was read, as far as that was guessed, or may be wrong."""
    from ogive.words import printable

    for note in notes:
        if note.is_doubtful:
            print(f"read: {printable(note.words('cli'))}", file=sys.stderr)


def as_options(text: str) -> str:
    """Arguments of the library as options of the command: `unit='row'` becomes `--unit row`."""
    text = re.sub(r"\b(wide|independent)=True\b", r"--\1", text)
    text = re.sub(
        rf"\b({_ARGUMENTS})=('[^']*'|\"[^\"]*\")", lambda found: f"--{found[1]} {shlex.quote(found[2][1:-1])}", text
    )
    text = re.sub(rf"\b({_ARGUMENTS})=\['([^']*)'[^\]]*\]", r"--\1 \2", text)
    text = re.sub(r"\bkind='(ratio|difference|improvement|score|welch|rank)'", r"--kind \1", text)
    text = re.sub(r"\b(floor|looks)=(?=\d)", r"--\1 ", text)
    text = re.sub(
        r"\bbounds=\(([\w.]+), ([\w.]+)\)", lambda pair: f"--bounds {pair[1].upper()},{pair[2].upper()}", text
    )
    text = text.replace("paired=False", "--unpaired")
    text = re.sub(rf"\b({_ARGUMENTS})=(?![\w'\"])", r"--\1", text)
    return text.replace("--params", "--param").replace("--time_limit", "--time-limit")


def complain(message: str | Note, code: int) -> int:
    """One line on stderr; returns the exit code."""
    text = as_options(message) if isinstance(message, str) else message.words("cli")
    say(f"ogive: {' '.join(text.split())}")
    return code


def say(line: str) -> None:
    """A line on stderr that cannot steer the terminal; without `answers`, which takes a while to load."""
    with contextlib.suppress(OSError):
        print("".join(c if c.isprintable() else "�" for c in line), file=sys.stderr)
