"""What every number of trials achieves, with the plan marked."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ogive.errors import InputError
from ogive.plots._look import COLOURS, RC, inches, wrap
from ogive.plots._page import CAPTION_SIZE, HEADLINE_SIZE, as_picture, save
from ogive.statistics.planning import Plan, PlanRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT = 6.4, 3.6


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanDisplay:
    """Achieved width against the number of trials, ready to be drawn.

    Attributes
    ----------
    rows : tuple of PlanRow
        What is drawn; numbers of trials that achieve nothing are left out.
    headline, caption : str
        The plan as a sentence, and what it rests on.
    artists_ : set by `plot`
        `ax`, the line `width`, the `target` line where there is one, and the `plan`'s point.
    """

    rows: tuple[PlanRow, ...]
    n_trials: int
    achieved_width: float
    target: float | None
    labels: tuple[str, str]
    headline: str
    caption: str
    artists_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PlanDisplay({len(self.rows)} points, n_trials={self.n_trials})"

    def plot(self, ax: Axes | None = None) -> PlanDisplay:
        """Draw; into `ax` if given, else into a new figure. Returns itself."""
        import matplotlib as mpl

        self.artists_.clear()
        with mpl.rc_context(RC):
            ax = self._new_figure() if ax is None else ax
            self.artists_["ax"] = ax
            n, width = [row.n_trials for row in self.rows], [row.achieved_width for row in self.rows]
            (self.artists_["width"],) = ax.plot(n, width, color=COLOURS[0], linewidth=1.8, zorder=3)
            if self.target is not None:
                self.artists_["target"] = ax.axhline(
                    self.target, color=COLOURS[1], linestyle="--", linewidth=1.2, zorder=2
                )
                ax.annotate(
                    f"asked for: {self.target:.3g}", (1.0, self.target), xycoords=("axes fraction", "data"), ha="right",
                    va="bottom", fontsize=8, color=COLOURS[1],
                )  # fmt: skip
            (self.artists_["plan"],) = ax.plot(
                [self.n_trials], [self.achieved_width], marker="o", color=COLOURS[1], zorder=4
            )
            ax.annotate(
                f"{self.n_trials:,}",
                (self.n_trials, self.achieved_width),
                xytext=(6, 6),
                textcoords="offset points",
                fontsize=9,
            )
            self._axes(ax)
        return self

    @property
    def figure_(self) -> Figure:
        """The figure that was drawn last."""
        if not self.artists_:
            raise InputError("nothing has been drawn yet; call plot() first.")
        figure: Figure = self.artists_["ax"].get_figure(root=True)
        return figure

    def save(self, path: str | Path, *, dpi: int = 200) -> Path:
        """Draw and write a picture; the name's ending decides the format."""
        target = as_picture(path)
        import matplotlib as mpl

        with mpl.rc_context(RC), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            save(self.plot().figure_, target, dpi)
        return target

    def _axes(self, ax: Axes) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        ax.set_xscale("log")
        ax.set_yscale("log")
        for axis, text in ((ax.xaxis, "{:,.0f}"), (ax.yaxis, "{:.3g}")):
            axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(FuncFormatter(lambda value, _, text=text: text.format(value)))
            axis.set_minor_formatter(NullFormatter())
        ax.set_xlabel(self.labels[0])
        ax.set_ylabel(wrap(self.labels[1], HEIGHT, 9))

    def _new_figure(self) -> Axes:
        """An axis, with room for the headline above and the caption below."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        headline, caption = wrap(self.headline, WIDTH, HEADLINE_SIZE), wrap(self.caption, WIDTH, CAPTION_SIZE)
        heights = [inches(headline, HEADLINE_SIZE) + 0.15, HEIGHT, inches(caption, CAPTION_SIZE) + 0.1]
        figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
        FigureCanvasAgg(figure)
        top, middle, bottom = figure.subfigures(3, 1, squeeze=False, height_ratios=heights).ravel()
        top.text(0.08 / WIDTH, 1 - 0.05 / heights[0], headline, fontsize=HEADLINE_SIZE, fontweight="bold", va="top")
        bottom.text(0.08 / WIDTH, 1, caption, fontsize=CAPTION_SIZE, color="#444444", va="top")
        ax: Axes = middle.subplots()
        return ax


def planning(plan: Plan) -> PlanDisplay:
    """Achieved width against the number of trials, with the plan and its target marked.

    Examples
    --------
    >>> from ogive.answers._plan import plan
    >>> planning(plan("band", half_width=0.1, method="dkw")).plot()
    PlanDisplay(61 points, n_trials=185)
    """
    if math.isinf(plan.achieved_width):
        raise InputError(f"a plan that achieves nothing cannot be drawn: {str(plan).rstrip('.')}. Ask for more trials.")
    rows = tuple(row for row in plan.curve() if math.isfinite(row.achieved_width))
    return PlanDisplay(
        rows=rows, n_trials=plan.n_trials, achieved_width=plan.achieved_width, target=plan.target,
        labels=(f"number of {plan.question.unit}", plan.question.axis), headline=str(plan),
        caption=" ".join(("The line shows what each number of trials achieves.", *plan.footnotes())),
    )  # fmt: skip
