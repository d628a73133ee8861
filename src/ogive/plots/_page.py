"""What pictures share: a page with a headline above, a caption below, and a way into a file."""

from __future__ import annotations

import io
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ogive.errors import InputError
from ogive.plots._look import RC, inches, wrap
from ogive.writing import as_path, ready, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

GREY = "#8a8a8a"
HEADLINE_SIZE, CAPTION_SIZE = 10.0, 7.5
HANDLE = 3.2
LEAST = 1 << 14  # bytes of a picture
ENDINGS = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".webp")


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
    figure.savefig(content, dpi=dpi, format=target.suffix[1:].lower())
    write(target, content.getvalue())


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

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Self:
        """Draw; into `ax` if given, else into a new figure. Returns itself."""

    @property
    def figure_(self) -> Figure:
        """The figure that was drawn last."""
        if not self.axes_:
            raise InputError("nothing has been drawn yet; call plot() first.")
        figure = next(iter(self.axes_.values())).get_figure(root=True)
        assert figure is not None
        return figure

    def save(self, path: str | Path, *, dpi: int = 200) -> Path:
        """Draw and write a picture; the name's ending decides the format."""
        target = as_picture(path)
        with self._drawn() as figure:
            save(figure, target, dpi)
        return target

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        content = io.BytesIO()
        with self._drawn() as figure:
            figure.savefig(content, dpi=110, format="png")
        return content.getvalue()

    @contextmanager
    def _drawn(self) -> Iterator[Figure]:
        import matplotlib as mpl

        with mpl.rc_context(RC), warnings.catch_warnings():
            # A sign that the font lacks becomes a box; there is nothing for the reader of a log to do.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            yield self.plot().figure_


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Picture(Drawable):
    """Results ready to be drawn, with a headline: what is seen in these data."""

    headline: str


def new_page(width: float, height: float, headline: str, caption: str, handles: Sequence[Any] = ()) -> SubFigure:
    """A new figure with room for `height` inches of picture, which is returned."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    title, foot = wrap(headline, width, HEADLINE_SIZE), wrap(caption, width, CAPTION_SIZE)
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    across = max(1, min(len(handles), int(width / (0.75 + 0.075 * longest))))
    legend = 0.2 * -(-len(handles) // across)
    heights = [inches(title, HEADLINE_SIZE) + legend + 0.15, height, inches(foot, CAPTION_SIZE) + 0.1]
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    FigureCanvasAgg(figure)
    parts: list[SubFigure] = figure.subfigures(3, 1, squeeze=False, height_ratios=heights).ravel().tolist()
    top, middle, bottom = parts
    top.text(0.08 / width, 1 - 0.05 / heights[0], title, fontsize=HEADLINE_SIZE, fontweight="bold", va="top")
    if handles:
        # Long enough for every style of line to show its pattern twice.
        top.legend(
            handles=handles, loc="lower left", ncols=across, frameon=False, borderaxespad=0.1, handlelength=HANDLE
        )
    bottom.text(0.08 / width, 1, foot, fontsize=CAPTION_SIZE, color="#444444", va="top")
    return middle
