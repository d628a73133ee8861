"""What every number of trials achieves, with the plan marked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ogive.errors import InputError
from ogive.plots._page import COLORS, Paper, Picture, wrap
from ogive.statistics import Plan, PlanRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 6.4, 3.6


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanDisplay(Picture):
    """Achieved width against the number of trials, ready to be drawn.

    Attributes
    ----------
    rows : tuple of PlanRow
        What is drawn; numbers of trials that achieve nothing are left out.
    artists_ : set by `plot`
        `ax`, the line `width`, the `target` line where there is one, and the `plan`'s point.
    """

    rows: tuple[PlanRow, ...]
    n_trials: int
    achieved_width: float
    target: float | None
    labels: tuple[str, str]
    artists_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PlanDisplay({len(self.rows)} points, n_trials={self.n_trials})"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        if ax is None:
            height = paper.tall(WIDTH, HEIGHT)
            ax = paper.page(paper.wide(WIDTH), height, self.headline, self.caption).subplots()
        self.axes_["plan"] = self.artists_["ax"] = ax
        n, width = [row.n_trials for row in self.rows], [row.achieved_width for row in self.rows]
        (self.artists_["width"],) = ax.plot(n, width, color=COLORS[0], linewidth=1.8, zorder=3)
        if self.target is not None:
            self.artists_["target"] = ax.axhline(self.target, color=COLORS[1], linestyle="--", linewidth=1.2, zorder=2)
            ax.annotate(
                f"asked for: {self.target:.3g}", (1.0, self.target), xycoords=("axes fraction", "data"), ha="right",
                va="bottom", fontsize=8, color=COLORS[1],
            )  # fmt: skip
        (self.artists_["plan"],) = ax.plot(
            [self.n_trials], [self.achieved_width], marker="o", color=COLORS[1], zorder=4
        )
        at = (self.n_trials, self.achieved_width)
        ax.annotate(f"{self.n_trials:,}", at, xytext=(6, 6), textcoords="offset points", fontsize=9)
        ax.set_xscale("log")
        ax.set_yscale("log")
        crowded = paper.narrow and self.rows[-1].n_trials > 50 * self.rows[0].n_trials
        for axis, text in ((ax.xaxis, "{:,.0f}"), (ax.yaxis, "{:.3g}")):
            sparse = crowded and axis is ax.xaxis
            axis.set_major_locator(LogLocator(base=10, subs=(1.0,) if sparse else (1.0, 2.0, 5.0)))
            axis.set_major_formatter(FuncFormatter(lambda value, _, text=text: text.format(value)))
            axis.set_minor_formatter(NullFormatter())
        ax.set_xlabel(self.labels[0])
        ax.set_ylabel(wrap(self.labels[1], paper.tall(WIDTH, HEIGHT), 9))


def planning(plan: Plan) -> PlanDisplay:
    """Achieved width against the number of trials, with the plan and its target marked.

    Examples
    --------
    >>> from ogive.answers import plan
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
