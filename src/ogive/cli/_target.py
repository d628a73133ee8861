"""Where a command writes: looked at before it reads or computes anything, so that no work is lost on a place."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ogive import writing
from ogive.cli._options import STDIN
from ogive.errors import InputError


def as_picture(path: Path, sources: Iterable[str | Path] = (), *, option: str = "--out") -> Path:
    """Where a picture goes; its folder may be missing, and is made by `make_folder_of`."""
    from ogive.plots import as_picture as checked

    _refuse_sources(path, sources, option)
    return checked(path, folders=True)


def as_page(path: Path, sources: Iterable[str | Path] = (), *, option: str = "--out", follow: bool = True) -> Path:
    """Where a report goes."""
    from ogive.report import as_target as checked

    _refuse_sources(path, sources, option)
    return checked(path, folders=True, follow=follow)


def as_text(path: Path, sources: Iterable[str | Path] = (), *, option: str) -> Path:
    """Where text goes, under whatever name."""
    if str(path) == "-":
        raise InputError(f"`{option}` must be the name of a file; for standard output say /dev/stdout.")
    _refuse_sources(path, sources, option)
    return writing.ready(path, folders=True)


def _refuse_sources(path: Path, sources: Iterable[str | Path], option: str) -> None:
    read = {"/dev/stdin" if str(source) == STDIN else str(source): "a file that is read" for source in sources}
    # What is printed would go on into a file that has lost its name.
    printed = {"/dev/stdout": "what standard output goes to", "/dev/stderr": "what messages go to"}
    writing.refuse_same(path, option, read | printed)
