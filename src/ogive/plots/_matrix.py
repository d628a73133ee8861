"""What matrices of pairs share: methods as rows and columns, a coloured cell with words for each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ogive.plots._look import COLOURS
from ogive.words import clipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More methods leave no room for numbers: cells then hold a sign.
MOST_WITH_NUMBERS = 10
# Beyond so many even signs are too small: cells are the pixels of an image, and only some rows are named.
MOST_WITH_SIGNS, NAMED = 60, 20
IMAGE_SIZE = 8.0
LONGEST_NAME = 18
BETTER, WORSE, UNDECIDED, EVEN = COLOURS[0], COLOURS[1], "#ffffff", "#bbbbbb"
TEXT_SIZE, SIGN_SIZE = 7.0, 9.0
# The bar in a cell: half of its width, its top and its height; the words move up to make room.
BAR_HALF, BAR_TOP, BAR_HEIGHT, MOVED_UP = 0.4, 0.26, 0.11, 0.12


@dataclass(frozen=True, slots=True)
class Face:
    """What one cell shows; `bar` holds the shares that are won, even and lost."""

    text: str
    colour: str
    bar: tuple[float, float, float] | None = None

    @property
    def strength(self) -> float:
        """Colours are pale, so that words stay readable on them."""
        return 1.0 if self.colour == UNDECIDED else 0.22


def size_of(n: int) -> tuple[float, float]:
    """Width and height in inches for n methods."""
    if n > MOST_WITH_SIGNS:
        return IMAGE_SIZE + 1.4, IMAGE_SIZE
    return (max(5.6, 1.2 * n + 1.4), 0.62 * n + 0.6) if n <= MOST_WITH_NUMBERS else (0.32 * n + 3.0, 0.32 * n + 1.6)


def draw_matrix(ax: Axes, methods: Sequence[str], faces: Mapping[tuple[str, str], Face]) -> None:
    """Every method of a row against every one of a column; the diagonal stays empty."""
    n = len(methods)
    full = n <= MOST_WITH_NUMBERS
    place = {method: i for i, method in enumerate(methods)}
    if n > MOST_WITH_SIGNS:
        _draw_image(ax, place, faces)
    else:
        for (a, b), face in faces.items():
            _draw_face(ax, place[a], place[b], face, TEXT_SIZE if full else SIGN_SIZE)
    named = range(n) if n <= MOST_WITH_SIGNS else np.linspace(0, n - 1, NAMED).round().astype(int).tolist()
    names = [clipped(methods[i], LONGEST_NAME) for i in named]
    ax.set_xticks(named, names, rotation=0 if full else 90)
    ax.set_yticks(named, names)
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
    shades = {colour: np.array(to_rgb(colour)) for colour in {face.colour for face in faces.values()}}
    for (a, b), face in faces.items():
        image[place[a], place[b]] = shades[face.colour]
    ax.imshow(image, interpolation="nearest", aspect="auto")


def _draw_face(ax: Axes, row: int, column: int, face: Face, size: float) -> None:
    from matplotlib.patches import Rectangle

    ax.add_patch(
        Rectangle(
            (column - 0.48, row - 0.46), 0.96, 0.92, facecolor=(face.colour, face.strength), edgecolor="#cccccc", linewidth=0.6
        )
    )  # fmt: skip
    height = row if face.bar is None else row - MOVED_UP
    ax.text(column, height, face.text, ha="center", va="center", fontsize=size, linespacing=1.25)
    left = column - BAR_HALF
    for part, colour in zip(face.bar or (), (BETTER, EVEN, WORSE), strict=False):
        ax.barh(row + BAR_TOP + BAR_HEIGHT / 2, 2 * BAR_HALF * part, BAR_HEIGHT, left=left, color=colour)
        left += 2 * BAR_HALF * part
