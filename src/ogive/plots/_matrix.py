"""What matrices of pairs share: methods as rows and columns, a colored cell with words for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ogive.errors import InputError
from ogive.plots._look import COLORS
from ogive.plots._page import Paper
from ogive.words import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More methods leave no room for numbers: cells then hold a sign.
MOST_WITH_NUMBERS = 10
# Beyond so many even signs are too small: cells are the pixels of an image, and only some rows are named.
MOST_WITH_SIGNS, NAMED = 60, 20
IMAGE_SIZE = 8.0
LONGEST_NAME = 18
BETTER, WORSE, UNDECIDED, EVEN = COLORS[0], COLORS[1], "#ffffff", "#bbbbbb"
TEXT_SIZE, SIGN_SIZE = 7.0, 9.0
# Inches: what names take beside the cells, and what a cell needs for an interval in one line, in two, for a sign.
NAMES, LEAST_FOR_ONE_LINE, LEAST_FOR_NUMBERS, LEAST_FOR_SIGNS = 1.3, 1.15, 0.85, 0.1
# The bar in a cell: half of its width, its top and its height; the words move up to make room.
BAR_HALF, BAR_TOP, BAR_HEIGHT, MOVED_UP = 0.4, 0.26, 0.11, 0.12


@dataclass(frozen=True, slots=True)
class Face:
    """What one cell shows; `bar` holds the shares that are won, even and lost."""

    text: str
    color: str
    bar: tuple[float, float, float] | None = None

    @property
    def strength(self) -> float:
        """Colors are pale, so that words stay readable on them."""
        return 1.0 if self.color == UNDECIDED else 0.22


def has_room_for_numbers(n: int, paper: Paper) -> bool:
    """Whether cells hold numbers: not where methods are many, nor where the paper leaves each too little."""
    return n <= MOST_WITH_NUMBERS and (paper.width is None or _cell(n, paper.width) >= LEAST_FOR_NUMBERS)


def size_of(n: int, paper: Paper) -> tuple[float, float]:
    """Width and height in inches for n methods."""
    if n > MOST_WITH_SIGNS:
        side = IMAGE_SIZE if paper.width is None else paper.width - NAMES
        return paper.wide(IMAGE_SIZE + 1.4), side
    full = has_room_for_numbers(n, paper)
    if paper.width is None:
        return (max(5.6, 1.2 * n + 1.4), 0.62 * n + 0.6) if full else (0.32 * n + 3.0, 0.32 * n + 1.6)
    each = _cell(n, paper.width)
    if full:
        return paper.width, (0.62 if each >= LEAST_FOR_ONE_LINE else 0.78) * n + 0.7
    if each < LEAST_FOR_SIGNS:
        least = LEAST_FOR_SIGNS * n + NAMES
        raise InputError(
            f"`width` must be at least {least:.1f} inches for {n} methods against each other; got {paper.width:.3g}."
        )
    return paper.width, min(0.32, each) * n + NAMES


def _cell(n: int, width: float) -> float:
    return (width - NAMES) / n


def draw_matrix(
    ax: Axes, methods: Sequence[str], faces: Mapping[tuple[str, str], Face], paper: Paper, *, full: bool
) -> None:
    """Every method of a row against every one of a column; the diagonal stays empty."""
    n = len(methods)
    each = 1.2 if paper.width is None else _cell(n, paper.width)
    place = {method: i for i, method in enumerate(methods)}
    if n > MOST_WITH_SIGNS:
        _draw_image(ax, place, faces)
    else:
        for (a, b), face in faces.items():
            # An interval stands below its estimate where a cell is too narrow for both.
            shown = (
                face
                if each >= LEAST_FOR_ONE_LINE
                else replace(face, text=face.text.replace(" [", "\n[").replace(" at some", "\nat some"))
            )
            _draw_face(ax, place[a], place[b], shown, TEXT_SIZE if full else min(SIGN_SIZE, 50 * each))
    named = range(n) if n <= MOST_WITH_SIGNS else np.linspace(0, n - 1, NAMED).round().astype(int).tolist()
    names = [clipped(methods[i], LONGEST_NAME) for i in named]
    turned = not full or (paper.width is not None and max(map(len, names)) * 0.06 > each)
    size = min(7.5 if paper.narrow else 9.0, 65 * each) if paper.width is not None and n <= MOST_WITH_SIGNS else None
    ax.set_xticks(named, names, rotation=90 if turned else 0, fontsize=size)
    ax.set_yticks(named, names, fontsize=size)
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 0.5, -0.5)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("this method …")
    ax.set_xlabel("… against this one")
    ax.xaxis.set_label_position("top")


def _draw_image(ax: Axes, place: Mapping[str, int], faces: Mapping[tuple[str, str], Face]) -> None:
    """Every cell as one pixel; the colors are stronger than behind words."""
    from matplotlib.colors import to_rgb

    n = len(place)
    image = np.ones((n, n, 3))
    shades = {color: np.array(to_rgb(color)) for color in {face.color for face in faces.values()}}
    for (a, b), face in faces.items():
        image[place[a], place[b]] = shades[face.color]
    ax.imshow(image, interpolation="nearest", aspect="auto")


def _draw_face(ax: Axes, row: int, column: int, face: Face, size: float) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(
        Rectangle(
            (column - 0.48, row - 0.46), 0.96, 0.92, facecolor=(face.color, face.strength), edgecolor="#cccccc", linewidth=0.6
        )
    )  # fmt: skip
    height = row if face.bar is None else row - MOVED_UP
    ax.text(column, height, face.text, ha="center", va="center", fontsize=size, linespacing=1.25)
    left = column - BAR_HALF
    for part, color in zip(face.bar or (), (BETTER, EVEN, WORSE), strict=False):
        ax.barh(row + BAR_TOP + BAR_HEIGHT / 2, 2 * BAR_HALF * part, BAR_HEIGHT, left=left, color=color)
        left += 2 * BAR_HALF * part
