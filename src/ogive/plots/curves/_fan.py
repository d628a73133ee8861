"""Learning curves as fans: the mean, and where most runs lie, at every training-set size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.plots._look import Look, grid, looks
from ogive.plots._page import Paper, Picture
from ogive.trials import FloatArray
from ogive.words import clipped, listed, number, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ogive.curves import LearningCurves

LONGEST_NAME = 28
TOGETHER = 3  # models whose fans can be told apart in one panel
DOTTED = (0, (1, 1.5))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fan:
    """One model at every size: the mean, the outer quantiles, and the middle half."""

    model: str
    sizes: FloatArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray
    inner_low: FloatArray
    inner_high: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FanDisplay(Picture):
    """Fans of learning curves, ready to be drawn.

    Attributes
    ----------
    fans : tuple of Fan
        What is drawn.
    lines_ : set by `plot`
        The mean of each model.
    """

    fans: tuple[Fan, ...]
    metric: str
    goal: str
    share: float
    lines_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"FanDisplay({len(self.fans)} models, {self.fans[0].sizes.size} sizes)"

    @property
    def style(self) -> dict[str, Look]:
        """How each model is drawn."""
        return looks([fan.model for fan in self.fans])

    @property
    def together(self) -> bool:
        """Whether all models stand in one panel; else each has its own."""
        return len(self.fans) <= TOGETHER

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        style = self.style
        panels = {"all": ax} if ax is not None else self._new_figure(style, paper)
        self.axes_.clear()
        self.lines_.clear()
        for name, panel in panels.items():
            self.axes_[name] = panel
            self._panel(panel, None if name == "all" else name, style, paper)

    def _new_figure(self, style: dict[str, Look], paper: Paper) -> dict[str, Axes]:
        from matplotlib.lines import Line2D

        if self.together:
            handles = [
                Line2D([], [], color=look.color, linewidth=2, label=clipped(name, LONGEST_NAME))
                for name, look in style.items()
            ]
            return {
                "all": paper.page(
                    paper.wide(6.4), paper.tall(6.4, 3.9), self.headline, self.caption, handles
                ).subplots()
            }
        rows, columns = grid(len(self.fans), paper.columns(1.35))
        width, height = paper.panels(rows, columns, (2.4, 2.1))
        middle = paper.page(width, height, self.headline, self.caption)
        paper.label(middle, "training-set size n", self.label, height=height)
        axes = np.atleast_1d(middle.subplots(rows, columns, sharex=True, sharey=True)).ravel()
        for unused in axes[len(self.fans) :]:
            unused.set_visible(False)
        return {fan.model: axis for fan, axis in zip(self.fans, axes, strict=False)}

    @property
    def label(self) -> str:
        """The axis of scores in words."""
        return f"{printable(self.metric)} ({Metric.toward(self.goal).good_side} is better)"

    def _panel(self, ax: Axes, only: str | None, style: dict[str, Look], paper: Paper) -> None:
        for fan in self.fans:
            if only is None or fan.model == only:
                self._fan(ax, fan, style[fan.model].color)
            else:
                ax.plot(fan.sizes, fan.mean, color="#c8c8c8", linewidth=0.9, zorder=1)
        if only is None:
            ax.set_xlabel("training-set size n")
            ax.set_ylabel(self.label)
        else:
            ax.set_title(clipped(only, LONGEST_NAME))
        size_axis(ax, self.fans[0].sizes, few=only is not None or paper.narrow)

    def _fan(self, ax: Axes, fan: Fan, color: str) -> None:
        alpha = 0.16 if len(self.fans) > 1 else 0.2
        ax.fill_between(fan.sizes, fan.low, fan.high, color=color, alpha=alpha, linewidth=0, zorder=2)
        if len(self.fans) == 1:
            ax.fill_between(fan.sizes, fan.inner_low, fan.inner_high, color=color, alpha=0.25, linewidth=0, zorder=2)
        dot, dash = ("o", "_") if fan.sizes.size == 1 else ("", "")  # a line through one point is not seen
        for edge in (fan.low, fan.high):
            ax.plot(fan.sizes, edge, color=color, linestyle=DOTTED, linewidth=1.3, marker=dash, zorder=3)
        (line,) = ax.plot(
            fan.sizes, fan.mean, color=color, linewidth=2.0, marker=dot, zorder=4, label=printable(fan.model)
        )
        self.lines_[fan.model] = line


def size_axis(ax: Axes, sizes: FloatArray, *, few: bool = False) -> None:
    """A logarithmic axis of training-set sizes with plain numbers."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

    first, last = float(sizes[0]), float(sizes[-1])
    ax.set_xscale("log")
    ax.set_xlim(*((first, last) if first < last else (first / 2.0, first * 2.0)))
    ax.xaxis.set_major_locator(FixedLocator(size_ticks(first, last, few=few)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())


def size_ticks(first: float, last: float, *, few: bool) -> list[float]:
    """Round numbers from `first` to `last`, at least two, or these themselves where there are none between."""
    decades = 10.0 ** np.arange(np.floor(np.log10(first)), np.ceil(np.log10(last)) + 1.0)
    sparse = few or last > 3000.0 * first
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)) if sparse else ((1.0, 2.0, 5.0),):
        found = [float(d * s) for d in decades for s in steps if first <= d * s <= last]
        if len(found) > 1:
            return found
    return sorted({first, last})


def learning_fan(
    curves: LearningCurves, metric: str | None = None, *, models: list[str] | None = None, share: float = 0.05
) -> FanDisplay:
    """The mean of every model at every size, and the quantiles that a share of runs lies beyond on either side.

    Up to three models share a panel; more have one each, with the means of the others in gray. A
    single model also shows its middle half.
    """
    name = curves.metric_name(metric)
    if not 0.0 < share < 0.5:
        raise InputError(f"`share` must lie in (0, 0.5); got {share!r}.")
    if models is not None and not models:
        raise InputError("`models` must name at least one; got none.")
    chosen = curves.models if models is None else tuple(curves.models[curves.place(m)] for m in models)
    levels = {p: curves.quantile(p, name) for p in (share, 0.25, 0.75, 1.0 - share)}
    mean = curves.mean(name)
    fans = tuple(
        Fan(
            model=m, sizes=np.asarray(curves.sizes, dtype=np.float64), mean=mean[m].estimate, low=levels[share][m].estimate,
            high=levels[1.0 - share][m].estimate, inner_low=levels[0.25][m].estimate, inner_high=levels[0.75][m].estimate,
        )
        for m in chosen
    )  # fmt: skip
    goal = curves.definitions[name].goal
    return FanDisplay(
        fans=fans, metric=name, goal=goal, share=share, headline=_headline(fans, goal, name, share),
        caption=_caption(curves, fans, share),
    )  # fmt: skip


def _headline(fans: tuple[Fan, ...], goal: str, metric: str, share: float) -> str:
    """Who leads at the last size by the mean and by the bad runs; of one model, how far apart runs are."""
    last = int(fans[0].sizes[-1])
    if all(np.isnan(fan.mean[-1]) for fan in fans):
        return f"At n = {last} there is no mean {metric}: scores are missing"
    if len(fans) == 1:
        ends = [number(float(edge[-1])) for edge in (fans[0].low, fans[0].high)]
        name = clipped(fans[0].model, LONGEST_NAME)
        many = "9 in 10" if share == 0.05 else f"{100 * (1 - 2 * share):g} % of"
        return f"At n = {last}, at least {many} runs of {name} have {metric} from {ends[0]} to {ends[1]}"
    toward = Metric.toward(goal)
    by_mean, by_worst = (
        _first(fans, [toward.turned(float(value)) for value in values])
        for values in (
            [f.mean[-1] for f in fans],
            [toward.worst_first(f.low, f.high)[0][-1] for f in fans],
        )
    )
    worst = f"the worst {100 * share:g} % of runs"
    if len(by_mean) > 1:
        first = f"At n = {last}, {listed(by_mean)} have the same mean {metric}"
        return (
            f"{first}, also in {worst}" if by_mean == by_worst else f"{first}; in {worst} {by_worst[0]} is not behind"
        )
    first = f"At n = {last}, {by_mean[0]} has the best mean {metric}"
    if len(by_worst) > 1:
        return f"{first}; in {worst} {listed(by_worst)} are equal"
    return f"{first}, also in {worst}" if by_mean == by_worst else f"{first}, but {by_worst[0]} is better in {worst}"


def _first(fans: tuple[Fan, ...], values: list[float]) -> list[str]:
    best = max(v for v in values if not np.isnan(v))
    return [clipped(f.model, LONGEST_NAME) for f, v in zip(fans, values, strict=True) if v == best]


def _caption(curves: LearningCurves, fans: tuple[Fan, ...], share: float) -> str:
    middle = " Darker: the middle half of runs." if len(fans) == 1 else ""
    gray = " Gray: the means of the other models." if len(fans) > TOGETHER else ""
    gaps = any(np.isnan(fan.mean).any() for fan in fans)
    return (
        f"Line: mean. Shaded, with dotted edges: at least {100 * (1 - 2 * share):g} % of runs; at most {100 * share:g} % lie below, and at "
        f"most {100 * share:g} % above.{middle}{gray} {plural(curves.n_repetitions, 'repetition')} at "
        f"{plural(curves.sizes.size, 'size')}, {curves.design} sampling, "
        f"{curves.test} test set, {curves.scope}. The shade is the spread of runs, not the error of the lines"
        f"{'; nothing is drawn where a score is missing' if gaps else ''}."
    )
