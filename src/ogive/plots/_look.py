"""Colors, line styles and sizes that survive print and color-blindness."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# Okabe and Ito (2008), without yellow, which vanishes on paper.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
STYLES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
RC: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "legend.fontsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
    "grid.linewidth": 0.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.parse_math": False,  # a method called "a$b$c" keeps its name
    # TrueType outlines: publishers refuse the bitmaps of Type 3, matplotlib's default. Words of an SVG stay words.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
}
# In a column of a paper type is a point smaller, as its captions are; it is never scaled with the picture.
NARROW = 4.6
NARROW_RC: dict[Any, Any] = {
    "font.size": 8, "axes.titlesize": 8, "axes.labelsize": 8, "xtick.labelsize": 7.5, "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """How one method is drawn: its color, and the number of its line style, which is 0 as long as there are colors."""

    color: str
    dash: int = 0

    @property
    def style(self) -> Any:
        """The line style as matplotlib takes it."""
        return STYLES[self.dash]


def looks(names: Sequence[str]) -> dict[str, Look]:
    """A look for each method: colors first, then line styles."""
    n = len(COLORS)
    return {name: Look(COLORS[i % n], (i // n) % len(STYLES)) for i, name in enumerate(names)}


def grid(n: int, most: int = 6) -> tuple[int, int]:
    """Rows and columns for n panels: one row up to four, then about as wide as high; `most` columns at most."""
    columns = min(most, n if n <= 4 else min(6, max(3, round((1.6 * n) ** 0.5))))
    return -(-n // columns), columns


def wrap(text: str, width: float, size: float) -> str:
    """Lines that fit into a figure of `width` inches at a font size."""
    characters = max(20, int(width * 72 / (0.66 * size)))
    return "\n".join(textwrap.fill(line, width=characters) for line in text.splitlines())


def inches(text: str, size: float) -> float:
    """The height of wrapped text."""
    return (text.count("\n") + 1) * 1.25 * size / 72 if text else 0.0
