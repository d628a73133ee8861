"""What pictures share: colors and lines, a page with words around it, a way into a file, a panel for each task."""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.stages import counting
from ogive.words import clipped, printable
from ogive.writing import as_path, ready, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


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


GRAY = "#8a8a8a"
HEADLINE_SIZE, CAPTION_SIZE = 10.0, 7.5
HANDLE = 3.2
LEAST = 1 << 14  # bytes of a picture
ENDINGS = (".png", ".pdf", ".svg", ".eps", ".ps", ".jpg", ".jpeg", ".webp")
POSTSCRIPT = (".eps", ".ps")
# Inches of a unit; px are those of a browser.
UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.0, "px": 1 / 96.0}
WIDTH = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*(in|cm|mm|pt|px)?\s*")
NARROWEST, WIDEST = 2.0, 30.0
FINE, PIXELS = 200, 96  # dots to the inch; for a width in pixels that many pixels come out


def as_picture(path: str | Path, *, folders: bool = False) -> Path:
    """Where a picture can be written, looked at before anything is drawn; `folders` says that missing ones will be made."""
    target = as_path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"a picture's name must end in one of {', '.join(ENDINGS)}; got {target.name!r}.")
    return ready(target, least=LEAST, folders=folders)


def save(figure: Figure, target: Path, dpi: int) -> None:
    """Write a figure; the name's ending decides the format."""
    # Drawn in memory: a writer of matplotlib that meets a full disk raises what it likes (for PDF an error of zlib).
    content = io.BytesIO()
    if target.suffix.lower() in POSTSCRIPT:
        _without_transparency(figure)
    figure.savefig(content, dpi=dpi, format=target.suffix[1:].lower())
    write(target, content.getvalue())


def _without_transparency(figure: Figure) -> None:
    """Colors as they look on white: PostScript knows no transparency, and would fill a band until nothing is seen through it."""
    from matplotlib.collections import Collection
    from matplotlib.colors import to_rgba_array
    from matplotlib.patches import Patch

    for artist in figure.findobj(lambda one: isinstance(one, Collection | Patch)):
        assert isinstance(artist, Collection | Patch)
        colors = to_rgba_array(artist.get_facecolor())
        if colors.size and (colors[:, 3] < 1.0).any() and (colors[:, 3] > 0.0).all():
            mixed = colors[:, :3] * colors[:, 3:] + 1.0 - colors[:, 3:]
            artist.set_alpha(None)
            artist.set_facecolor(mixed if isinstance(artist, Collection) else tuple(mixed[0]))


def as_width(width: float | str | None, name: str = "width") -> float | None:
    """Inches: a number of them, or a number with its unit; `name` is what a refusal calls it.

    Examples
    --------
    >>> as_width("3.25in"), as_width("254mm"), as_width("6.5"), as_width("300 px")
    (3.25, 10.0, 6.5, 3.125)
    """
    if width is None:
        return None
    found = WIDTH.fullmatch(str(width))
    if found is None:
        raise InputError(
            f"`{name}` must be a number of inches, or one with in, cm, mm, pt or px, such as 3.25in; got {width!r}."
        )
    inches_wide = float(found[1]) * UNITS[found[2] or "in"]
    if not NARROWEST <= inches_wide <= WIDEST:
        raise InputError(
            f"`{name}` must lie between {NARROWEST:g} and {WIDEST:g} inches; got {width!r}, {inches_wide:.3g} inches."
        )
    return inches_wide


@dataclass(frozen=True, slots=True)
class Paper:
    """What a picture is drawn on: its width where one was asked for, and which words stand around it."""

    width: float | None = None
    title: bool = True
    caption: bool = True

    @property
    def narrow(self) -> bool:
        """Whether it is about a column of a paper."""
        return self.width is not None and self.width < NARROW

    @property
    def rc(self) -> dict[Any, Any]:
        """How it is drawn, in matplotlib's words."""
        return RC | NARROW_RC if self.narrow else RC

    def wide(self, own: float) -> float:
        """Inches across; `own` where nothing was asked for."""
        return own if self.width is None else self.width

    def tall(self, own_width: float, own_height: float) -> float:
        """The height that follows from the width: less than in proportion, so that a narrow picture keeps its detail."""
        return own_height if self.width is None else max(1.9, own_height * min(1.5, (self.width / own_width) ** 0.6))

    def columns(self, least: float) -> int:
        """How many panels of at least so many inches stand side by side; six at most."""
        return 6 if self.width is None else max(1, min(6, int((self.width - 0.3) / least)))

    def panels(self, rows: int, columns: int, own: tuple[float, float] = (2.5, 2.1)) -> tuple[float, float]:
        """Width and height of a grid of panels, each of which is `own` wide and high where nothing was asked for."""
        if self.width is None:
            return own[0] * columns + 0.4, own[1] * rows + 0.4
        each = (self.width - 0.4) / columns
        return self.width, rows * min(2.4, max(1.45, own[1] * (each / own[0]) ** 0.6)) + 0.4

    def label(self, middle: SubFigure, across: str, up: str = "", *, height: float = 99.0) -> None:
        """What stands along both axes of all panels, in lines that fit."""
        size = 8.0 if self.narrow else 9.5
        width = math.inf if self.width is None else self.width
        for text, room, place in ((across, width, middle.supxlabel), (up, height, middle.supylabel)):
            if text:
                place(self.fit(text, room, size), fontsize=size)

    def fit(self, text: str, room: float, size: float) -> str:
        """Text in lines of so many inches; as it is where no width was asked for."""
        # Labels are set in lower case, of which a sign is about half as wide as high.
        return text if self.width is None or math.isinf(room) else wrap(text.replace(" %", "\u00a0%"), 1.2 * room, size)

    def longest(self, own: int) -> int:
        """Characters of a name beside the axes: `own`, or what two fifths of the width hold."""
        return own if self.width is None else min(own, int(0.4 * self.width / 0.056))

    def page(self, width: float, height: float, headline: str, caption: str, handles: Sequence[Any] = ()) -> SubFigure:
        """A new figure with room for `height` inches of picture, which is returned."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        title_size = CAPTION_SIZE + 1.5 if self.narrow else HEADLINE_SIZE
        title = wrap(headline, width, title_size) if self.title else ""
        foot = wrap(caption, width, CAPTION_SIZE) if self.caption else ""
        longest = max((len(str(handle.get_label())) for handle in handles), default=0)
        across = max(
            1, min(len(handles), int(width / (0.6 + 0.066 * longest if self.narrow else 0.75 + 0.075 * longest)))
        )
        legend = 0.2 * -(-len(handles) // across) if handles else 0.0
        heights = {
            "top": inches(title, title_size) + legend + (0.15 if title else 0.05 if handles else 0.0), "middle": height,
            "bottom": inches(foot, CAPTION_SIZE) + 0.1 if foot else 0.0,
        }  # fmt: skip
        heights = {name: part for name, part in heights.items() if part}
        figure = Figure(figsize=(width, sum(heights.values())), layout="constrained")
        FigureCanvasAgg(figure)
        made = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=list(heights.values())).ravel().tolist()
        parts: dict[str, SubFigure] = dict(zip(heights, made, strict=True))
        if title:
            at = 1 - 0.05 / heights["top"]
            parts["top"].text(0.08 / width, at, title, fontsize=title_size, fontweight="bold", va="top")
        if handles:
            # Long enough for every style of line to show its pattern twice.
            parts["top"].legend(
                handles=handles, loc="lower left", ncols=across, frameon=False, borderaxespad=0.1, handlelength=2.6 if self.narrow else HANDLE
            )  # fmt: skip
        if foot:
            parts["bottom"].text(0.08 / width, 1, foot, fontsize=CAPTION_SIZE, color="#444444", va="top")
        return parts["middle"]


def panel_axes(
    middle: SubFigure, names: Sequence[str], rows: int, columns: int, *, sharex: bool = False, sharey: bool = False
) -> dict[str, Axes]:
    """A panel for each name in a grid whose last places may stay empty."""
    axes = middle.subplots(rows, columns, sharex=sharex, sharey=sharey, squeeze=False).ravel()
    for unused in axes[len(names) :]:
        unused.set_visible(False)
    return dict(zip(names, axes, strict=False))


def name_rows(ax: Axes, names: Sequence[str], longest: int) -> None:
    """A row for each name from the top down, without lines across."""
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), [clipped(name, longest) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", visible=False)


def span_of(values: np.ndarray, share: float) -> tuple[float, float]:
    """From the least to the largest value with a margin of that share; room for one unit where all are equal."""
    margin = share * (float(np.ptp(values)) or 1.0)
    return float(values.min()) - margin, float(values.max()) + margin


def score_words(metric: str, goal: str) -> str:
    """`accuracy (higher is better)`."""
    return f"{printable(metric)} ({Metric.toward(goal).good_side} is better)"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Drawable(ABC):
    """What can be drawn and written to a file.

    Attributes
    ----------
    caption : str
        How to read the picture.
    axes_ : set by `plot`
        The panels, by task where there are several.
    """

    caption: str
    axes_: dict[str, Axes] = field(default_factory=dict)

    def plot(
        self, ax: Axes | None = None, *, width: float | str | None = None, title: bool = True, caption: bool = True
    ) -> Self:
        """Draw; into `ax` if given, else into a new figure. Returns itself.

        Parameters
        ----------
        ax : Axes, optional
            Axes of yours; they get neither title nor caption.
        width : float or str, optional
            Of a new figure: inches, or text such as "3.25in", "8.5cm", "85mm", "240pt" or "600px". The height
            follows; type keeps its size in points.
        title, caption : bool
            Whether the sentence above and the explanation below are drawn.
        """
        import matplotlib as mpl

        if ax is not None and width is not None:
            raise InputError("`width` is that of a new figure, and `ax` has a width already; leave one of them out.")
        paper = Paper(as_width(width), title, caption)
        last = {name: drawn for name, drawn in vars(self).items() if name[-1] == "_"}
        vars(self).update((name, type(drawn)()) for name, drawn in last.items())
        try:
            with mpl.rc_context(paper.rc):
                self._draw(ax, paper)
        except BaseException:  # what was refused leaves the last drawing as it was
            vars(self).update(last)
            raise
        return self

    @abstractmethod
    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        """Draw into `ax`, or on a new page of the paper."""

    @property
    def figure_(self) -> Figure:
        """The figure that was drawn last."""
        if not self.axes_:
            raise InputError("nothing has been drawn yet; call plot() first.")
        figure = next(iter(self.axes_.values())).get_figure(root=True)
        assert figure is not None
        return figure

    def save(
        self,
        path: str | Path,
        *,
        dpi: int | None = None,
        width: float | str | None = None,
        title: bool = True,
        caption: bool = True,
    ) -> Path:
        """Draw and write a picture; the name's ending decides the format: .png, .pdf, .svg, .eps …

        Parameters
        ----------
        dpi : int, optional
            Dots to the inch: 200, or for a width in pixels 96, so that so many come out.
        width, title, caption
            As for `plot`.
        """
        target = as_picture(path)
        written = WIDTH.fullmatch(str(width))
        dots = PIXELS if written is not None and written[2] == "px" else FINE
        with self._drawn(width=width, title=title, caption=caption) as figure:
            save(figure, target, dots if dpi is None else dpi)
        return target

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        content = io.BytesIO()
        with self._drawn() as figure:
            figure.savefig(content, dpi=110, format="png")
        return content.getvalue()

    @contextmanager
    def _drawn(self, **asked: Any) -> Iterator[Figure]:
        import matplotlib as mpl

        with mpl.rc_context(RC), warnings.catch_warnings():
            # A sign that the font lacks becomes a box; there is nothing for the reader of a log to do.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            yield self.plot(**asked).figure_


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Picture(Drawable):
    """Results ready to be drawn, with a headline: what is seen in these data."""

    headline: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Panels(Drawable):
    """A panel for each task, methods as colors."""

    # How one task is chosen, for the message that only one fits into the caller's axes.
    one_task: ClassVar[str]
    one_scale: ClassVar[bool] = False  # of the vertical axes
    least_width: ClassVar[float] = 1.35  # inches of a panel, below which fewer stand side by side

    @property
    @abstractmethod
    def entries(self) -> Sequence[Any]:
        """What is drawn; each has a task and an algorithm."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Panels, in order."""
        return tuple(dict.fromkeys(entry.task for entry in self.entries))

    if TYPE_CHECKING:  # a picture may keep them as a field, which a property here would forbid

        @property
        def methods(self) -> tuple[str, ...]:
            """Curves or rows, in order."""

    @property
    def style(self) -> dict[str, Look]:
        """How each method is drawn."""
        return looks(self.methods)

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        if ax is not None and len(self.tasks) > 1:
            raise InputError(f"`ax` can hold one task; there are {len(self.tasks)}. Leave it out, or {self.one_task}.")
        style = self.style
        if ax is not None:
            self.axes_[self.tasks[0]] = ax
        else:
            rows, columns = grid(len(self.tasks), paper.columns(self.least_width))
            middle = self._frame(rows, columns, style, paper)
            self.axes_.update(panel_axes(middle, self.tasks, rows, columns, sharey=self.one_scale))
        for task, panel in counting(list(self.axes_.items()), "drawing, by task"):
            self._panel(panel, [entry for entry in self.entries if entry.task == task], style, paper)

    @abstractmethod
    def _frame(self, rows: int, columns: int, style: dict[str, Look], paper: Paper) -> SubFigure:
        """A new page with room for so many panels, and the words around them."""

    @abstractmethod
    def _panel(self, ax: Axes, entries: list[Any], style: dict[str, Look], paper: Paper) -> None:
        """Draw one task."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CurvePanels(Panels):
    """Panels with a curve for each method; `lines_` are the curves that `plot` drew, by (task, method)."""

    own_height: ClassVar[float]  # inches of a panel that stands alone
    headline: str | tuple[str, ...]
    lines_: dict[tuple[str, str], Any] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """Curves, in order."""
        return tuple(dict.fromkeys(entry.algorithm for entry in self.entries))

    @property
    @abstractmethod
    def labels(self) -> tuple[str, str]:
        """Both axes in words."""

    @property
    def alpha(self) -> float:
        """How dark a band is."""
        return 0.22 if len(self.methods) <= 3 else 0.12

    @abstractmethod
    def _handle(self, name: str, look: Look) -> Any:
        """A method's entry in the legend."""

    def _frame(self, rows: int, columns: int, style: dict[str, Look], paper: Paper) -> SubFigure:
        one = (paper.wide(6.4), paper.tall(6.4, self.own_height))
        width, height = one if len(self.tasks) == 1 else paper.panels(rows, columns)
        said = self.headline if isinstance(self.headline, str) else "\n".join(self.headline)
        handles = [self._handle(name, look) for name, look in style.items()]
        middle = paper.page(width, height, said, self.caption, handles)
        paper.label(middle, *self.labels, height=height)
        return middle
