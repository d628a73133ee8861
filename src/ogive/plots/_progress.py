"""Pictures over training: a statistic of the runs with its intervals, and the spread of the runs themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import capitalized
from ogive.plots._page import Look, Paper, Picture, grid, looks, panel_axes
from ogive.progress import Fan, Fans, Progress
from ogive.trials import FloatArray
from ogive.words import clipped, number, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


LONGEST_NAME = 28
MOST_METHODS = 12
TOGETHER = 2  # fans that can be told apart in one panel
DOTTED = (0, (1, 1.5))
OTHERS = "#c8c8c8"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProgressDisplay(Picture):
    """A statistic of every method over the steps with its intervals, ready to be drawn.

    Attributes
    ----------
    progress : Progress
        What is drawn.
    order : tuple of str
        Methods that are drawn, best first at the last step.
    lines_, bands_ : set by `plot`
        The line and the shade of each method.
    """

    progress: Progress
    order: tuple[str, ...]
    lines_: dict[str, Any] = field(default_factory=dict)
    bands_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"ProgressDisplay({plural(len(self.order), 'method')}, {plural(self.progress.grid.size, 'step')})"

    @property
    def style(self) -> dict[str, Look]:
        """How each method is drawn."""
        return looks(self.progress.methods)

    @property
    def label(self) -> str:
        """The axis of scores in words."""
        side = Metric.toward(self.progress.goal).good_side
        return f"{self.progress.label} of {self.progress.what} ({side} is better)"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        style = self.style
        if ax is None:
            size = paper.wide(6.4), paper.tall(6.4, 3.9)
            handles = [_handle(name, style[name]) for name in self.order]
            middle = paper.page(*size, self.headline, self.caption, handles if len(handles) > 1 else ())
            ax = middle.subplots()
        self.axes_["all"] = ax
        steps = self.progress.grid
        for name in reversed(self.order):
            one, look = self.progress.of(name), style[name]
            known = np.isfinite(one.low) & np.isfinite(one.high)  # no shade where there is no limit
            low, high = (np.where(known, side, np.nan) for side in (one.low, one.high))
            if known.any():
                self.bands_[name] = ax.fill_between(
                    steps, low, high, color=look.color, alpha=0.16, linewidth=0, zorder=2
                )
                for edge in (low, high):  # where shades overlap, their edges tell them apart
                    ax.plot(steps, edge, color=look.color, linewidth=0.6, alpha=0.6, zorder=2)
            (line,) = ax.plot(
                steps, one.estimate, color=look.color, linestyle=look.style, linewidth=2.0, zorder=4, label=printable(name),
                marker="o" if steps.size == 1 else "",
            )  # fmt: skip
            self.lines_[name] = line
        ax.set_xlabel(printable(self.progress.runs.step))
        ax.set_ylabel(paper.fit(self.label, 3.2, 9))
        step_axis(ax, steps)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProgressFanDisplay(Picture):
    """How the runs of every method spread over the steps, ready to be drawn.

    Attributes
    ----------
    fans : Fans
        What is drawn.
    levels : tuple of float
        The outer and the inner share of runs, and the middle, from the lowest to the highest.
    lines_ : set by `plot`
        The median of each method.
    """

    fans: Fans
    levels: tuple[float, ...]
    lines_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"ProgressFanDisplay({plural(len(self.fans.fans), 'method')}, {plural(self.fans.runs.grid.size, 'step')})"
        )

    @property
    def style(self) -> dict[str, Look]:
        """How each method is drawn."""
        return looks([fan.method for fan in self.fans.fans])

    @property
    def label(self) -> str:
        """The axis of scores in words."""
        runs = self.fans.runs
        scale = " (on one scale)" if runs.scaled else ""
        return f"{printable(runs.metric)}{scale} ({runs.definition.good_side} is better)"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        style, fans = self.style, self.fans.fans
        if ax is not None and len(fans) > TOGETHER:
            raise InputError(f"`ax` can hold {TOGETHER} fans; there are {len(fans)}. Leave it out.")
        step = printable(self.fans.runs.step)
        if ax is not None or len(fans) <= TOGETHER:
            if ax is None:
                size = paper.wide(6.4), paper.tall(6.4, 3.9)
                handles = [_handle(name, look) for name, look in style.items()] if len(fans) > 1 else []
                ax = paper.page(*size, self.headline, self.caption, handles).subplots()
            self.axes_["all"] = ax
            for fan in fans:
                self._fan(ax, fan, style[fan.method].color, inner=len(fans) == 1)
            ax.set_xlabel(step)
            ax.set_ylabel(paper.fit(self.label, 3.2, 9))
            step_axis(ax, self.fans.runs.grid)
            return
        rows, columns = grid(len(fans), paper.columns(1.35))
        width, height = paper.panels(rows, columns, (2.4, 2.1))
        middle = paper.page(width, height, self.headline, self.caption)
        paper.label(middle, step, self.label, height=height)
        panels = panel_axes(middle, [fan.method for fan in fans], rows, columns, sharex=True, sharey=True)
        self.axes_.update(panels)
        half = self.levels[len(self.levels) // 2]
        for fan in fans:
            panel = panels[fan.method]
            for other in fans:
                if other is not fan:
                    panel.plot(self.fans.runs.grid, other.quantiles[half], color=OTHERS, linewidth=0.9, zorder=1)
            self._fan(panel, fan, style[fan.method].color, inner=True)
            panel.set_title(clipped(fan.method, LONGEST_NAME))
            step_axis(panel, self.fans.runs.grid, few=True)

    def _fan(self, ax: Axes, fan: Fan, color: str, *, inner: bool) -> None:
        steps, edges = self.fans.runs.grid, [fan.quantiles[level] for level in self.levels]
        ax.fill_between(steps, edges[0], edges[-1], color=color, alpha=0.16, linewidth=0, zorder=2)
        if inner:
            ax.fill_between(steps, edges[1], edges[-2], color=color, alpha=0.25, linewidth=0, zorder=2)
        for edge in (edges[0], edges[-1]):
            ax.plot(steps, edge, color=color, linestyle=DOTTED, linewidth=1.2, zorder=3)
        (line,) = ax.plot(
            steps, edges[len(edges) // 2], color=color, linewidth=2.0, zorder=4, marker="o" if steps.size == 1 else ""
        )
        self.lines_[fan.method] = line


def _handle(name: str, look: Look) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=look.color, linestyle=look.style, linewidth=2, label=clipped(name, LONGEST_NAME))


def step_axis(ax: Axes, steps: FloatArray, *, few: bool = False) -> None:
    """A plain axis of steps: 200k, 1M."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    first, last = float(steps[0]), float(steps[-1])
    if first < last:
        ax.set_xlim(first, last)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=3 if few else 6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: step_words(value, last)))


def step_words(value: float, last: float) -> str:
    """`500`, `20k`, `1.5M`: in the unit of the last step.

    Examples
    --------
    >>> step_words(5000, 30000), step_words(500, 800), step_words(1.5e6, 4e6)
    ('5k', '500', '1.5M')
    """
    for size, unit, sign in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if last >= size:
            return f"{value / unit:.6g}{sign}" if value else "0"
    return f"{value:,.6g}"


def progress(found: Progress) -> ProgressDisplay:
    """A statistic of every method over training with its intervals: for IQM over tasks, rliable's sample-efficiency curve.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": a, "seed": s, "step": t, "return": t * (1 + s / 9)} for a in ("sac", "td3") for s in range(4) for t in range(9)]
    >>> progress(ogive.progress.over_training(ogive.read(pd.DataFrame(rows))))
    ProgressDisplay(2 methods, 9 steps)
    """
    order = found.order[:MOST_METHODS]
    left_out = (
        f"Shown: the first {MOST_METHODS} of {len(found.order)} methods. " if len(order) < len(found.order) else ""
    )
    caption = " ".join([f"{left_out}{found.sentence('Shaded')}", *map(capitalized, found.notes)])
    return ProgressDisplay(progress=found, order=order, headline=_leader(found), caption=caption)


def progress_fan(found: Fans) -> ProgressFanDisplay:
    """How the runs of every method spread over training: the median, and the shares of runs around it.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": "sac", "seed": s, "step": t, "return": t * (1 + s / 9)} for s in range(4) for t in range(9)]
    >>> progress_fan(ogive.progress.fan(ogive.read(pd.DataFrame(rows))))
    ProgressFanDisplay(1 method, 9 steps)
    """
    levels = tuple(sorted(found.fans[0].quantiles))
    if len(levels) != 5:
        raise InputError(
            f"a fan is drawn from five levels, such as 0.05, 0.25, 0.5, 0.75 and 0.95; there are {len(levels)}."
        )
    share = 100.0 * (levels[-1] - levels[0])
    inner = (
        f" Darker: {100.0 * (levels[3] - levels[1]):g} %." if len(found.fans) == 1 or len(found.fans) > TOGETHER else ""
    )
    gray = " Gray: the medians of the other methods." if len(found.fans) > TOGETHER else ""
    counts = sorted(fan.n_runs for fan in found.fans)
    many = plural(counts[0], "run") if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]} runs"
    several = f", over {len(found.runs.tasks)} tasks" if len(found.runs.tasks) > 1 else ""
    caption = (
        f"Line: median run. Shaded, with dotted edges: at least {share:g} % of runs.{inner}{gray} {many} of each method{several}. The shade is the "
        "spread of runs, not the error of the line."
    )
    caption = " ".join([caption, *map(capitalized, found.runs.notes)])
    return ProgressFanDisplay(fans=found, levels=levels, headline=_spread(found, levels), caption=caption)


def _leader(found: Progress) -> str:
    """Who is first at the last step, and whether that was so halfway."""
    at = f"{printable(found.runs.step)} {found.grid[-1]:,.15g}"
    what = f"{found.label} of {found.what}"
    if len(found.methods) == 1:
        return f"At {at}, the {what} of {clipped(found.methods[0], LONGEST_NAME)} is {found.at(found.grid[-1])[found.methods[0]]}"
    turn = Metric.toward(found.goal).turned
    values = np.array([turn(found.of(m).estimate) for m in found.methods])
    ahead = [found.methods[place] for place in values.argmax(axis=0)]
    first = ahead[-1]
    changed = [i for i in range(len(ahead)) if ahead[i] != first]
    since = (
        f", from {printable(found.runs.step)} {found.grid[changed[-1] + 1]:,.15g} on"
        if changed
        else ", as at every step before"
    )
    return f"At {at}, {clipped(first, LONGEST_NAME)} has the best {what}{since}"


def _spread(found: Fans, levels: tuple[float, ...]) -> str:
    """Between what the runs lie at the last step: of one method in numbers, of several which is narrowest at the bad end."""
    at = f"At {printable(found.runs.step)} {found.runs.grid[-1]:,.15g}"
    toward = found.runs.definition
    bad, _ = toward.worst_first(levels[0], levels[-1])
    if len(found.fans) == 1:
        one = found.fans[0]
        low, high = (number(float(one.quantiles[level][-1])) for level in (levels[0], levels[-1]))
        share = 100.0 * (levels[-1] - levels[0])
        return f"{at}, at least {share:g} % of runs of {clipped(one.method, LONGEST_NAME)} have {printable(found.runs.metric)} from {low} to {high}"
    by_half, by_bad = (_first(found, level) for level in (levels[2], bad))
    half, worst = clipped(by_half, LONGEST_NAME), clipped(by_bad, LONGEST_NAME)
    share = 100.0 * min(levels[0], 1.0 - levels[-1])
    bad_runs = f"bad runs (at most {share:g} % are worse)"
    return f"{at}, {half} has the best median run" + (
        f", and the best {bad_runs}" if by_half == by_bad else f", but {worst} has the best {bad_runs}"
    )


def _first(found: Fans, level: float) -> str:
    """The method with the best quantile of its runs at the last step."""
    turned = [found.runs.definition.turned(float(fan.quantiles[level][-1])) for fan in found.fans]
    return found.fans[int(np.argmax(turned))].method
