"""One number for many tasks: every method with its interval, a panel for each statistic."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import capitalized
from ogive.plots._look import Look, looks
from ogive.plots._page import Paper, Picture
from ogive.profiles import Aggregates
from ogive.statistics import aggregate_label
from ogive.words import clipped, listed

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
        names = self.aggregates.statistics
        if ax is not None and len(names) > 1:
            raise InputError(f"`ax` can hold one statistic; there are {len(names)}. Leave it out, or ask for one.")
        style = looks(self.aggregates.methods)
        panels = [ax] if ax is not None else self._new_figure(paper)
        self.axes_.clear()
        self.points_.clear()
        for name, panel in zip(names, panels, strict=True):
            self.axes_[name] = panel
            self._panel(panel, name, style, paper)

    def _sign(self, statistic: str) -> float:
        return _sign(self.aggregates, statistic)

    def _new_figure(self, paper: Paper) -> list[Axes]:
        n = len(self.aggregates.statistics)
        columns = min(n, paper.columns(1.3))
        rows = -(-n // columns)
        height = rows * (0.27 * len(self.order) + 0.75)
        middle = paper.page(paper.wide(max(5.6, 1.75 * n + 1.2)), height, self.headline, self.caption)
        panels = np.atleast_1d(middle.subplots(rows, columns, sharey=True)).ravel()
        for unused in panels[n:]:
            unused.set_visible(False)
        return list(panels[:n])

    def _panel(self, ax: Axes, statistic: str, style: dict[str, Look], paper: Paper) -> None:
        from matplotlib.ticker import MaxNLocator

        found = {m: self.aggregates.of(m, statistic) for m in self.order}
        ends = np.array([v for i in found.values() for v in (i.estimate, i.low, i.high) if math.isfinite(v)])
        margin = 0.06 * (float(np.ptp(ends)) or 1.0)
        span = float(ends.min()) - margin, float(ends.max()) + margin
        for place, (method, i) in enumerate(found.items()):
            color = style[method].color
            low, high = max(i.low, span[0]), min(i.high, span[1])
            ax.plot([low, high], [place, place], linewidth=2.4, solid_capstyle="butt", color=color, zorder=3)
            (point,) = ax.plot(
                [i.estimate], [place], marker="o", markersize=5.5, linestyle="none", color=color, zorder=4
            )
            self.points_[statistic, method] = point
        ax.set_title(f"{aggregate_label(statistic)}\n{'→' if self._sign(statistic) < 0 else '←'} better")
        ax.set_xlim(*span)
        ax.set_ylim(len(self.order) - 0.5, -0.5)
        ax.set_yticks(range(len(self.order)), [clipped(m, paper.longest(LONGEST_NAME)) for m in self.order])
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
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
