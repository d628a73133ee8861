"""Where the spread of a method comes from: shares as a bar, scores along every parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers import CellSources, ParameterEffect, Sources
from ogive.answers import sources as ask
from ogive.errors import InputError
from ogive.plots._page import COLORS, Paper, Picture, panel_axes, score_words
from ogive.reading import Source
from ogive.statistics import Interval
from ogive.words import clipped, percent_interval, percent_sure, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 6
LONGEST_NAME, LONGEST_VALUE = 30, 11
MEDIAN, WORST = COLORS[0], COLORS[1]
BAR = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SourcesDisplay(Picture):
    """Shares of variance and effects of parameters of one method on one task, ready to be drawn.

    Attributes
    ----------
    cell : CellSources
        What is drawn.
    effects : tuple of ParameterEffect
        The parameters that have a panel, those that explain most first.
    lines_ : set by `plot`
        The median and worst 10 % by (parameter, "median" or "worst").
    bars_ : set by `plot`
        The parts of the bar of shares by source.
    """

    cell: CellSources
    effects: tuple[ParameterEffect, ...]
    lines_: dict[tuple[str, str], Any] = field(default_factory=dict)
    bars_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"SourcesDisplay({self.cell.place}, {plural(len(self.effects), 'parameter')})"

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        if ax is not None:
            if not self.effects:
                raise InputError("no parameter has an effect to draw; leave `ax` out to see the shares.")
            self.axes_[self.effects[0].parameter] = ax
        else:
            self._new_figure(paper)
        span = _span(self.effects)
        for e in self.effects:
            if e.parameter in self.axes_:
                self._panel(self.axes_[e.parameter], e, span, narrow=paper.narrow)

    def _new_figure(self, paper: Paper) -> None:
        from matplotlib.lines import Line2D

        n = len(self.effects)
        columns = min(paper.columns(1.45), 2 if n == 4 else max(1, min(3, n)))
        rows = -(-n // columns)
        bar = 0.0 if self.cell.shares is None else 0.75
        width = paper.wide(max(6.0, 2.6 * columns + 0.4))
        each = 2.3 if paper.width is None else paper.panels(1, columns, (2.6, 2.3))[1]
        handles = [
            Line2D([], [], color=MEDIAN, marker="o", markersize=4, label="median run"),
            Line2D([], [], color=WORST, marker="s", markersize=4, linestyle="--", label="average of the worst 10 % of runs"),
        ] if n else []  # fmt: skip
        middle = paper.page(width, bar + each * rows, self.headline, self.caption, handles)
        parts = [p for p in (bar, each * rows) if p]
        found = middle.subfigures(len(parts), 1, squeeze=False, height_ratios=parts).ravel().tolist()
        if bar:
            self.axes_["shares"] = found[0].subplots()
            self._bar(self.axes_["shares"])
        if not n:
            return
        paper.label(found[-1], "", score_words(self.cell.metric, self.cell.goal), height=each * rows)
        self.axes_.update(panel_axes(found[-1], [e.parameter for e in self.effects], rows, columns, sharey=True))

    def _bar(self, ax: Axes) -> None:
        assert self.cell.shares is not None
        left = 0.0
        ordered = sorted(self.cell.shares.components, key=lambda c: -c.share.estimate)
        for component, color in zip(ordered, BAR, strict=False):
            share = 100 * component.share.estimate
            self.bars_[component.name] = ax.barh(
                0, share, left=left, color=color, height=0.5, label=printable(component.name)
            )
            if share >= 12:
                said = percent_interval(component.share)
                ax.text(left + share / 2, 0, said, ha="center", va="center", color="white", fontsize=8.5)
            left += share
        ax.set_xlim(0, 100)
        ax.set_ylim(-0.25, 0.25)
        ax.set_yticks([])
        ax.set_xticks([])
        ax.grid(False)
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.set_title("share of the variance that comes from", loc="left")
        ax.legend(
            loc="upper left", bbox_to_anchor=(0, 0), ncols=len(ordered), frameon=False, borderaxespad=0.1, handlelength=1
        )  # fmt: skip

    def _panel(self, ax: Axes, e: ParameterEffect, span: tuple[float, float], *, narrow: bool) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        x, log = _places(e)
        for kind, color, marker, style in (("median", MEDIAN, "o", "-"), ("worst", WORST, "s", "--")):
            found: list[Interval] = [b.median if kind == "median" else b.worst for b in e.bins]
            y = np.array([i.estimate for i in found])
            low = np.clip([i.low for i in found], *span)
            high = np.clip([i.high for i in found], *span)
            if e.kind == "numeric":
                ax.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0, zorder=2)
                (line,) = ax.plot(x, y, color=color, marker=marker, linestyle=style, markersize=3.5, zorder=3)
            else:
                shift = -0.12 if kind == "median" else 0.12
                ax.vlines(x + shift, low, high, color=color, linewidth=1.6, zorder=2)
                (line,) = ax.plot(x + shift, y, color=color, marker=marker, linestyle="none", markersize=4.5, zorder=3)
            self.lines_[e.parameter, kind] = line
        ax.set_ylim(*span)
        where = "" if e.present > 0.999 else f", set in {100 * e.present:.0f} %"
        if narrow:
            said = f"{clipped(e.parameter, 16)} explains\n{percent_interval(e.explained)}{where}"
        else:
            said = f"{clipped(e.parameter, LONGEST_NAME)}: explains {percent_interval(e.explained)}{where}"
        ax.set_title(said, loc="left", fontsize=7.5 if narrow else 8)
        if e.kind == "numeric":
            if log:
                ax.set_xscale("log")
                ax.xaxis.set_major_locator(LogLocator(base=10, numticks=3 if narrow else 5))
                ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                ax.xaxis.set_minor_formatter(NullFormatter())
            else:
                ax.locator_params(axis="x", nbins=3 if narrow else 4)
        else:
            labels = [clipped(b.label, LONGEST_VALUE) for b in e.bins]
            crowded = sum(map(len, labels)) > (12 if narrow else 26)
            ax.set_xticks(x, labels, rotation=35 if crowded else 0, ha="right" if crowded else "center")
            ax.set_xlim(-0.5, x.size - 0.5)


def sources(
    found: Sources | Source, algorithm: str | None = None, task: str | None = None, **choices: Any
) -> SourcesDisplay:
    """Shares of variance as a bar, and median and worst 10 % along every parameter, with intervals.

    Parameters
    ----------
    found : Sources, Trials, or what `ogive.read` takes
        What `ogive.sources` returned; or a table, and `choices` for it.
    algorithm, task : str, optional
        Which method and task; not needed where there is one.
    """
    result = found if isinstance(found, Sources) else ask(found, algorithm=algorithm, task=task, **choices)
    cell = result.cell(algorithm, task)
    if cell.shares is None and not cell.effects:
        raise InputError(f"there is nothing to draw. {' '.join(cell.sentences)}")
    left = len(cell.effects) - MOST_PANELS
    less = "that explains less is" if left == 1 else "that explain less are"
    more = f" {plural(left, 'parameter')} {less} not drawn." if left > 0 else ""
    drawn = cell.effects[:MOST_PANELS]
    bottom, top = _span(drawn)
    cut = " Intervals that go further than the picture are cut at its edge."
    cut = cut if any(end < bottom or end > top for end in _ends(drawn)) else ""
    return SourcesDisplay(
        cell=cell, effects=drawn, headline=_headline(cell), caption=_caption(cell, result) + cut + more
    )


def _headline(cell: CellSources) -> str:
    parts = []
    if cell.shares is not None:
        top = max(cell.shares.components, key=lambda c: c.share.estimate)
        parts.append(f"{100 * top.share.estimate:.0f} % of the variance comes from {printable(top.name)}")
    seen = [e for e in cell.effects if e.shown]
    if seen:
        part = seen[0].explained.estimate
        more = " most of it" if part > 0.5 else " more than any other parameter" if len(cell.effects) > 1 else ""
        parts.append(f"{printable(seen[0].parameter)} explains{f'{more}:' if more else ''} {100 * part:.0f} %")
    elif cell.effects:
        parts.append("no parameter shows an effect")
    return f"{clipped(cell.place, 60)}: {'; '.join(parts)}"


def _caption(cell: CellSources, result: Sources) -> str:
    text = f"{plural(cell.n, 'run')}; over {result.unit}. "
    if cell.effects:
        text += (
            f"Each parameter by its values, or in bins of equal count, over whatever the others were. Bars and shades: {percent_sure(result.confidence)} "
            "intervals of each point; medians by order statistics, averages of the worst runs approximate. "
        )
    if cell.shares is not None:
        text += f"Shares with {cell.shares.components[0].share.guarantee} intervals."
    elif cell.missing is not None:
        text += str(cell.missing)
    return text.strip()


def _places(e: ParameterEffect) -> tuple[np.ndarray, bool]:
    """Where the bins stand: in the middle of a numeric bin on its scale."""
    if e.kind != "numeric":
        return np.arange(len(e.bins), dtype=float), False
    ends = np.array([(b.low, b.high) for b in e.bins])
    return (np.sqrt(ends[:, 0] * ends[:, 1]) if e.log else ends.mean(axis=1)), e.log


def _ends(effects: tuple[ParameterEffect, ...]) -> np.ndarray:
    """Both ends of every interval that is drawn."""
    return np.array([end for e in effects for b in e.bins for v in (b.median, b.worst) for end in (v.low, v.high)])


def _span(effects: tuple[ParameterEffect, ...]) -> tuple[float, float]:
    """All estimates, and their intervals where they do not dwarf them: estimates keep a quarter of the height."""
    points = np.array([v.estimate for e in effects for b in e.bins for v in (b.median, b.worst)])
    if not points.size:
        return 0.0, 1.0
    low, high = float(points.min()), float(points.max())
    room = (high - low) or abs(high) or 1.0
    ends = _ends(effects)
    ends = ends[np.isfinite(ends) & (ends > low - 1.5 * room) & (ends < high + 1.5 * room)]
    if ends.size:
        low, high = min(low, float(ends.min())), max(high, float(ends.max()))
    margin = 0.05 * ((high - low) if math.isfinite(high - low) and high > low else 1.0)
    return low - margin, high + margin
