"""Average ranks on a line, bars joining methods that are not told apart: the critical-difference diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.plots._look import COLORS
from ogive.plots._page import GRAY, Paper, Picture
from ogive.profiles import AverageRanks
from ogive.words import clipped, number, percent_sure, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, ROW, BAR = 6.4, 0.26, 0.16
LONGEST_NAME = 26
MOST_NAMES = 60


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CriticalDifferenceDisplay(Picture):
    """Average ranks and the groups that are not told apart, ready to be drawn.

    Attributes
    ----------
    ranks : AverageRanks
        What is drawn.
    bars_ : set by `plot`
        One thick line for each group.
    names_ : set by `plot`
        The texts by method.
    """

    ranks: AverageRanks
    bars_: list[Any] = field(default_factory=list)
    names_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"CriticalDifferenceDisplay({len(self.ranks.methods)} methods, {len(self.ranks.groups)} groups)"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        import matplotlib as mpl

        order, values = self.ranks.order[:MOST_NAMES], np.sort(self.ranks.ranks)[:MOST_NAMES]
        groups = _within(self.ranks.groups, order)
        half = -(-len(order) // 2)
        bars = BAR * len(groups) + 0.1
        depth = bars + ROW * half + 0.1
        with mpl.rc_context({"axes.grid": False}):
            if ax is None:
                ax = paper.page(paper.wide(WIDTH), depth + 0.7, self.headline, self.caption).subplots()
            self.axes_.clear()
            self.bars_.clear()
            self.names_.clear()
            self.axes_["ranks"] = ax
            low, high = math.floor(values[0]), math.ceil(values[-1])
            high = high if high > low else low + 1
            for k, (method, rank) in enumerate(zip(order, values, strict=True)):
                left = k < half
                y = -(bars + ROW * (k if left else len(order) - 1 - k) + 0.1)
                self._method(
                    ax,
                    clipped(method, paper.longest(LONGEST_NAME) - 8 if paper.narrow else LONGEST_NAME),
                    float(rank),
                    y,
                    (low, high),
                    left=left,
                )
            for g, group in enumerate(groups):
                ends = [float(values[order.index(m)]) for m in (group[0], group[-1])]
                pad = 0.012 * (high - low)
                (bar,) = ax.plot(
                    [ends[0] - pad, ends[1] + pad], [-BAR * (g + 0.7)] * 2, color=COLORS[1], linewidth=4, solid_capstyle="butt", zorder=4
                )  # fmt: skip
                self.bars_.append(bar)
            self._axis(ax, low, high, depth)

    def _method(self, ax: Axes, method: str, rank: float, y: float, span: tuple[int, int], *, left: bool) -> None:
        edge = span[0] if left else span[1]
        ax.plot([rank, rank, edge], [0, y, y], color=GRAY, linewidth=0.9, zorder=2)
        ax.plot([rank], [0], marker="o", markersize=5, color=COLORS[0], clip_on=False, zorder=5)
        name, value = clipped(method, LONGEST_NAME), number(rank, 2)
        text = f"{name}  {value}" if left else f"{value}  {name}"
        self.names_[method] = ax.annotate(
            text, (edge, y), xytext=(-5 if left else 5, 0), textcoords="offset points", ha="right" if left else "left",
            va="center", fontsize=8.5, annotation_clip=False,
        )  # fmt: skip

    def _axis(self, ax: Axes, low: int, high: int, depth: float) -> None:
        ax.set_xlim(low, high)
        ax.set_ylim(-depth, 0)
        ax.spines[["left", "bottom", "right"]].set_visible(False)
        ax.spines["top"].set_visible(True)
        ax.set_yticks([])
        step = max(1, (high - low) // 12)
        ax.set_xticks(range(low, high + 1, step))
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.set_xlabel(f"average rank over {plural(self.ranks.n_problems, 'problem')} (1 is best)")


def _within(groups: Sequence[Sequence[str]], order: Sequence[str]) -> list[list[str]]:
    """What is left of the groups among these methods; none that another one holds."""
    place = {method: i for i, method in enumerate(order)}
    left: list[list[str]] = []
    for group in groups:
        kept = [m for m in group if m in place]
        if len(kept) > 1 and not (left and place[kept[-1]] <= place[left[-1][-1]]):
            left.append(kept)
    return left


def critical_difference(ranks: AverageRanks) -> CriticalDifferenceDisplay:
    """Average ranks on a line; a bar joins neighbors that no pair among them separates.

    Examples
    --------
    >>> from ogive.profiles import average_ranks
    >>> critical_difference(average_ranks({"a": range(1, 13), "b": range(2, 14)}, goal="minimize"))
    CriticalDifferenceDisplay(2 methods, 0 groups)
    """
    first = clipped(ranks.order[0], LONGEST_NAME)
    # A bar joins neighbors in rank; a pair further apart may still not be separated.
    level = sum(p.p_holm >= 1.0 - ranks.confidence for p in ranks.pairs if ranks.order[0] in (p.a, p.b))
    if not level:
        headline = f"{first} has the best average rank, apart from all others"
    else:
        headline = f"{first} has the best average rank; {plural(level, 'other')} cannot be told apart from it"
    bars = (
        "A bar joins methods among which no pair is separated"
        if ranks.groups
        else "No bar: every pair of neighbors is separated"
    )
    n = len(ranks.methods)
    left_out = f"Shown: the first {MOST_NAMES} of {n} methods. " if n > MOST_NAMES else ""
    caption = (
        f"{left_out}{bars} ({ranks.test} over {plural(ranks.n_problems, 'problem')}, Holm-adjusted for {plural(len(ranks.pairs), 'pair')}, "
        f"{percent_sure(ranks.confidence)}). A bar does not mean equal. A description: average ranks change when a method is added or removed."
    )
    return CriticalDifferenceDisplay(ranks=ranks, headline=headline, caption=caption)
