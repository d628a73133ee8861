"""Where a command writes, looked at before it reads or computes anything, so that no work is lost on a place; and how its picture is drawn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ogive import writing
from ogive.cli._options import STDIN, with_options
from ogive.errors import InputError
from ogive.writing import make_folder_of

if TYPE_CHECKING:
    from ogive.plots import Drawable


PICTURE = "How the picture is drawn"

# fmt: off
Width = Annotated[str | None, typer.Option("--width", metavar="3.25in", help="Of the picture, in in, cm, mm, pt or px; the height follows, type keeps its size.", rich_help_panel=PICTURE)]
NoTitle = Annotated[bool, typer.Option("--no-title", help="Without the sentence above it.", rich_help_panel=PICTURE)]
NoCaption = Annotated[bool, typer.Option("--no-caption", help="Without the explanation below it.", rich_help_panel=PICTURE)]
# fmt: on
OPTIONS: dict[str, tuple[Any, Any]] = {
    "width": (Width, None),
    "no_title": (NoTitle, False),
    "no_caption": (NoCaption, False),
}
# What names a picture; a command without any of these draws in any case.
TARGETS = ("out", "pairs", "fan")


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


def picture_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --width, --no-title and --no-caption to a command, which gets them as `drawing`: arguments of `save`."""
    parameters = inspect.signature(command).parameters.values()
    optional = [p.name for p in parameters if p.name in TARGETS and p.default is None and command.__name__ != "plot"]

    def call(asked: dict[str, Any], arguments: dict[str, Any]) -> None:
        if optional and any(asked.values()) and all(arguments.get(name) is None for name in optional):
            said = next(name for name, value in asked.items() if value)
            raise InputError(f"`--{said.replace('_', '-')}` is about a picture; name one with --out.")
        if asked["width"] is not None:  # refused before anything is read
            from ogive.plots import as_width

            as_width(asked["width"], "--width")
        drawing = {"width": asked["width"], "title": not asked["no_title"], "caption": not asked["no_caption"]}
        command(**arguments, drawing=drawing)

    return with_options(command, "drawing", OPTIONS, call)


def save_picture(picture: Drawable, target: Path, drawing: dict[str, Any]) -> Path:
    """Write a picture; its folder is made."""
    make_folder_of(target)
    return picture.save(target, **drawing)
