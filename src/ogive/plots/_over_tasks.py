"""One number for many tasks: aggregates with their intervals, and average ranks as a critical-difference diagram."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import capitalized
from ogive.plots._page import COLORS, GRAY, Look, Paper, Picture, looks, name_rows, panel_axes, span_of
from ogive.profiles import Aggregates, AverageRanks
from ogive.statistics import aggregate_label
from ogive.words import clipped, listed, number, percent_sure, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LONGEST_NAME = 24
MOST_ROWS = 60


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AggregatesDisplay(Picture):
    """Aggregates of every method with their intervals, ready to be drawn.

    Attributes
    ----------
    aggregates : Aggregates
        What is drawn.
    order : tuple of str
        Methods, best first by the first statistic.
    points_ : set by `plot`
        The estimates by (statistic, method).
    """

    aggregates: Aggregates
    order: tuple[str, ...]
    points_: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"AggregatesDisplay({len(self.aggregates.statistics)} statistics, {len(self.order)} methods)"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        names = tuple(dict.fromkeys(self.aggregates.statistics))
        if ax is not None and len(names) > 1:
            raise InputError(f"`ax` can hold one statistic; there are {len(names)}. Leave it out, or ask for one.")
        if ax is not None:
            self.axes_[names[0]] = ax
        else:
            columns = min(len(names), paper.columns(1.3))
            rows = -(-len(names) // columns)
            width, height = max(5.6, 1.75 * len(names) + 1.2), rows * (0.27 * len(self.order) + 0.75)
            middle = paper.page(paper.wide(width), height, self.headline, self.caption)
            self.axes_.update(panel_axes(middle, names, rows, columns, sharey=True))
        style = looks(self.aggregates.methods)
        for name, panel in self.axes_.items():
            self._panel(panel, name, style, paper)

    def _panel(self, ax: Axes, statistic: str, style: dict[str, Look], paper: Paper) -> None:
        from matplotlib.ticker import MaxNLocator

        found = {m: self.aggregates.of(m, statistic) for m in self.order}
        ends = np.array([v for i in found.values() for v in (i.estimate, i.low, i.high) if math.isfinite(v)])
        span = span_of(ends, 0.06)
        for place, (method, i) in enumerate(found.items()):
            color = style[method].color
            low, high = max(i.low, span[0]), min(i.high, span[1])
            ax.plot([low, high], [place, place], linewidth=2.4, solid_capstyle="butt", color=color, zorder=3)
            (point,) = ax.plot(
                [i.estimate], [place], marker="o", markersize=5.5, linestyle="none", color=color, zorder=4
            )
            self.points_[statistic, method] = point
        ax.set_title(f"{aggregate_label(statistic)}\n{'→' if _sign(self.aggregates, statistic) < 0 else '←'} better")
        ax.set_xlim(*span)
        name_rows(ax, self.order, paper.longest(LONGEST_NAME))
        ax.xaxis.set_major_locator(MaxNLocator(nbins=3 if paper.narrow else 4))


def aggregates(aggregates: Aggregates) -> AggregatesDisplay:
    """Every method with its interval, a panel for each statistic, best method first.

    Examples
    --------
    >>> from ogive.profiles import aggregates as ask
    >>> scores = {"a": [[0.2, 0.3, 0.4], [0.5, 0.9, 0.7]], "b": [[0.1, 0.2, 0.2], [0.6, 0.5, 0.4]]}
    >>> aggregates(ask(scores))
    AggregatesDisplay(3 statistics, 2 methods)
    """
    first = aggregates.statistics[0]
    order = _best_first(aggregates, first)
    left_out = f"Shown: the first {MOST_ROWS} of {len(order)} methods." if len(order) > MOST_ROWS else ""
    notes = [capitalized(note) for note in aggregates.notes]
    return AggregatesDisplay(
        aggregates=aggregates, order=order[:MOST_ROWS], headline=_headline(aggregates), caption=" ".join([left_out, aggregates.sentence, *notes]).lstrip()
    )  # fmt: skip


def _sign(aggregates: Aggregates, statistic: str) -> float:
    """1 where small values of a statistic are good, else -1."""
    return 1.0 if statistic == "optimality_gap" else -Metric.toward(aggregates.goal).sign


def _best_first(aggregates: Aggregates, statistic: str) -> tuple[str, ...]:
    sign = _sign(aggregates, statistic)
    return tuple(sorted(aggregates.methods, key=lambda m: sign * aggregates.of(m, statistic).estimate))


def _headline(aggregates: Aggregates) -> str:
    """Who is first, and by which aggregates; different ones may disagree."""
    led: dict[str, list[str]] = {}
    for s in aggregates.statistics:
        led.setdefault(_best_first(aggregates, s)[0], []).append(aggregate_label(s))
    if len(led) == 1:
        by = "all of them" if len(aggregates.statistics) > 1 else aggregate_label(aggregates.statistics[0])
        return f"{clipped(next(iter(led)), LONGEST_NAME)} is first by {by}"
    parts = [
        f"{clipped(m, LONGEST_NAME)} {'is first ' if i == 0 else ''}by {listed(by)}"
        for i, (m, by) in enumerate(led.items())
    ]
    return "; ".join(parts)


WIDTH, ROW, BAR = 6.4, 0.26, 0.16
LONGEST_RANKED = 26
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
            self.axes_["ranks"] = ax
            low, high = math.floor(values[0]), math.ceil(values[-1])
            high = high if high > low else low + 1
            for k, (method, rank) in enumerate(zip(order, values, strict=True)):
                left = k < half
                y = -(bars + ROW * (k if left else len(order) - 1 - k) + 0.1)
                name = clipped(method, paper.longest(LONGEST_RANKED) - 8 if paper.narrow else LONGEST_RANKED)
                self._method(ax, name, float(rank), y, (low, high), left=left)
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
        text = f"{method}  {number(rank, 2)}" if left else f"{number(rank, 2)}  {method}"
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
    first = clipped(ranks.order[0], LONGEST_RANKED)
    # A bar joins neighbors in rank; a pair further apart may still not be separated.
    level = sum(p.p_holm >= 1.0 - ranks.confidence for p in ranks.pairs if ranks.order[0] in (p.a, p.b))
    told = f"; {plural(level, 'other')} cannot be told apart from it" if level else ", apart from all others"
    headline = f"{first} has the best average rank{told}"
    joined, none = (
        "A bar joins methods among which no pair is separated",
        "No bar: every pair of neighbors is separated",
    )
    bars = joined if ranks.groups else none
    n = len(ranks.methods)
    left_out = f"Shown: the first {MOST_NAMES} of {n} methods. " if n > MOST_NAMES else ""
    caption = (
        f"{left_out}{bars} ({ranks.test} over {plural(ranks.n_problems, 'problem')}, Holm-adjusted for {plural(len(ranks.pairs), 'pair')}, "
        f"{percent_sure(ranks.confidence)}). A bar does not mean equal. A description: average ranks change when a method is added or removed."
    )
    return CriticalDifferenceDisplay(ranks=ranks, headline=headline, caption=caption)
