"""Pictures of learning curves: fans of scores, distributions one above the other, and strips along the training-set sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.plots._page import COLORS, Look, Paper, Picture, grid, looks, panel_axes, score_words
from ogive.trials import FloatArray
from ogive.words import clipped, listed, number, plural, printable, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ogive.curves import CrossValidation, Leaders, LearningCurves, NormalityCurves, Slice


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
            size = paper.wide(6.4), paper.tall(6.4, 3.9)
            return {"all": paper.page(*size, self.headline, self.caption, handles).subplots()}
        rows, columns = grid(len(self.fans), paper.columns(1.35))
        width, height = paper.panels(rows, columns, (2.4, 2.1))
        middle = paper.page(width, height, self.headline, self.caption)
        paper.label(middle, "training-set size n", self.label, height=height)
        return panel_axes(middle, [fan.model for fan in self.fans], rows, columns, sharex=True, sharey=True)

    @property
    def label(self) -> str:
        """The axis of scores in words."""
        return score_words(self.metric, self.goal)

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
        for values in ([f.mean[-1] for f in fans], [toward.worst_first(f.low, f.high)[0][-1] for f in fans])
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


ROW, LONGEST_ROW = 0.52, 30
ONE, SEVERAL = COLORS[0], COLORS[1]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SlicesDisplay(Picture):
    """Distributions one above the other, ready to be drawn.

    Attributes
    ----------
    slices : tuple of Slice
        What is drawn, from the top down.
    labels : tuple of str
        What each is called.
    fills_ : set by `plot`
        The shape of each, by its label.
    """

    height: ClassVar[float] = 0.86  # of a row, for the highest point of its curve
    slices: tuple[Slice, ...]
    labels: tuple[str, ...]
    metric: str
    goal: str
    fills_: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"SlicesDisplay({len(self.slices)} distributions of {self.metric})"

    @staticmethod
    def color(one: Slice) -> str:
        """The color of a distribution: whether it has one mode or more."""
        return SEVERAL if one.several_modes else ONE

    @classmethod
    def heights(cls, one: Slice, base: float) -> FloatArray:
        """The curve of a distribution in a row that stands on `base`."""
        return np.asarray(base + cls.height * one.density / float(one.density.max()))

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        if ax is None:
            ax = self._new_figure(paper)
        self.axes_["slices"] = ax
        for i, (one, label) in enumerate(zip(self.slices, self.labels, strict=True)):
            self._row(ax, len(self.slices) - 1 - i, one, label)
        ax.set_yticks(
            range(len(self.slices)), [clipped(label, paper.longest(LONGEST_ROW)) for label in reversed(self.labels)]
        )
        ax.set_ylim(-0.12, len(self.slices))
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(score_words(self.metric, self.goal))

    def _new_figure(self, paper: Paper) -> Axes:
        from matplotlib.patches import Patch

        kinds = [(ONE, "one mode fits"), (SEVERAL, "more than one mode")]
        several = {one.several_modes for one in self.slices}
        handles = [Patch(color=c, alpha=0.55, label=t) for c, t in kinds if (t == kinds[1][1]) in several]
        return paper.page(
            paper.wide(6.4), ROW * len(self.slices) + 0.75, self.headline, self.caption, handles
        ).subplots()

    def _row(self, ax: Axes, base: int, one: Slice, label: str) -> None:
        color = self.color(one)
        if one.grid.size:
            self.fills_[label] = ax.fill_between(
                one.grid, base, self.heights(one, base), color=color, alpha=0.55, linewidth=0.8, zorder=2
            )
        else:
            value = float(one.scores[0]) if one.scores.size else np.nan
            (self.fills_[label],) = ax.plot(
                [value, value], [base, base + self.height], color=color, linewidth=2.5, zorder=2
            )
        if one.scores.size:
            mean = float(one.scores.mean())
            ax.plot([mean, mean], [base, base + 0.30], color="black", linewidth=1.4, zorder=3)


def slices(
    curves: LearningCurves, sizes: Sequence[int] | None = None, *, model: str | None = None, metric: str | None = None
) -> SlicesDisplay:
    """The distributions of one model at several sizes, or of all models at one size."""
    name = curves.metric_name(metric)
    if model is None and len(curves.models) > 1:
        size = int(curves.sizes[-1]) if sizes is None else int(sizes[0])
        if sizes is not None and len(sizes) > 1:
            raise InputError("`model` must be named for several sizes; without it all models are shown at one size.")
        found = curves.densities([size], metric=name)
        return _display(found, tuple(one.model for one in found), name, curves, f"at n = {size}", "model", "models")
    chosen = _spread(curves.sizes.tolist()) if sizes is None else list(sizes)
    found = curves.densities(chosen, model, name)
    where = clipped(found[0].model, LONGEST_ROW)
    return _display(found, tuple(f"n = {one.size}" for one in found), name, curves, f"of {where}", "size", "sizes")


def cross_validation(cv: CrossValidation, metric: str | None = None) -> SlicesDisplay:
    """The distribution of fold scores for every setting of a hyper-parameter."""
    name = cv.metrics[0] if metric is None else metric
    found = cv.slices(name)
    return _display(found, cv.settings, name, cv, "of single folds", "setting", "settings")


def _spread(sizes: list[int], most: int = 7) -> list[int]:
    places = np.unique(np.round(np.linspace(0, len(sizes) - 1, min(most, len(sizes)))).astype(int))
    return [sizes[i] for i in places]


def _display(
    found: tuple[Slice, ...], labels: tuple[str, ...], metric: str, source: Any, where: str, word: str, words: str
) -> SlicesDisplay:
    several = [label for one, label in zip(found, labels, strict=True) if one.several_modes]
    tested = sum(one.dip is not None for one in found)
    if not tested:
        said = f"{printable(metric)} {where}: too few different scores to look for modes"
    elif not several:
        which = f"every {word}" if tested == len(found) else f"every {word} that can be tested"
        said = f"{printable(metric)} {where}: one mode fits {which}"
    elif len(several) <= 3:
        said = (
            f"{printable(metric)} {where}: more than one mode for {listed([clipped(s, LONGEST_ROW) for s in several])}"
        )
    else:
        said = f"{printable(metric)} {where}: more than one mode for {len(several)} of {plural(len(found), words)}"
    n = found[0].scores.size
    heuristic = any(one.dip is not None and one.dip.guarantee == "heuristic" for one in found)
    folds = " Folds of a repeat share training rows, so the test is heuristic." if heuristic else ""
    return SlicesDisplay(
        slices=found, labels=labels, metric=metric, goal=source.definitions[metric].goal, headline=said[0].upper() + said[1:],
        caption=(
            f"Each row: how often a score occurs among {n} scores, all rows equally high; black: the mean; a bare line: all scores are "
            f"equal. More than one mode: the dip test rejects a single one at 0.05, row by row.{folds} {source.scope[0].upper()}{source.scope[1:]}."
        ),
    )  # fmt: skip


WIDTH = 6.4
NORMAL, REJECTED, CONSTANT, UNKNOWN = COLORS[2], COLORS[1], "#9a9a9a", "#ececec"
EQUAL = "#8a8a8a"
TESTS = {"shapiro": "Shapiro-Wilk"}
STATES = {"rejected": REJECTED, "not rejected": NORMAL, "constant": CONSTANT, "no answer": UNKNOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One size of one strip: its color, and whether it is drawn in full."""

    low: float
    high: float
    color: str
    full: bool
    who: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class StripsDisplay(Picture):
    """Strips along training-set sizes, ready to be drawn.

    Attributes
    ----------
    strips : dict
        Label to the cells of a strip, from the top down.
    key : dict
        What colors mean.
    recolored : frozenset of str
        Names that share their color with an earlier one.
    bars_ : set by `plot`
        The cells of each strip as artists.
    """

    half: ClassVar[float] = 0.36  # the height of a strip, of the distance between two
    thin: ClassVar[float] = 0.07  # of a strip where nobody leads: a pale black leader is gray as well
    strips: dict[str, tuple[Cell, ...]]
    sizes: FloatArray
    key: dict[str, tuple[str, bool]]
    recolored: frozenset[str] = frozenset()
    bars_: dict[str, list[Any]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"StripsDisplay({len(self.strips)} strips, {self.sizes.size} sizes)"

    @staticmethod
    def opacity(full: bool) -> float:
        """How dark a cell is: in full, or pale."""
        return 1.0 if full else 0.28

    @classmethod
    def reach(cls, cell: Cell) -> float:
        """How far a cell goes above and below the middle of its strip."""
        return cls.half if cell.who else cls.thin

    def stripes(self, name: str) -> dict[str, Any]:
        """White stripes where a name shares its color with an earlier one."""
        return {"linewidth": 0, **({"hatch": "////", "edgecolor": "white"} if name in self.recolored else {})}

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        from matplotlib.patches import Patch

        if ax is None:
            handles = [
                Patch(facecolor=c, alpha=self.opacity(full), label=clipped(t, 36), **self.stripes(t))
                for t, (c, full) in self.key.items()
            ]
            height = 0.36 * len(self.strips) + 0.8
            ax = paper.page(paper.wide(WIDTH), height, self.headline, self.caption, handles).subplots()
        self.axes_["strips"] = ax
        for i, (label, cells) in enumerate(self.strips.items()):
            self.bars_[label] = [
                ax.fill_between(
                    [c.low, c.high], i - self.reach(c), i + self.reach(c), facecolor=c.color, alpha=self.opacity(c.full), zorder=2,
                    **self.stripes(c.who),
                )
                for c in cells
            ]  # fmt: skip
        ax.set_yticks(
            range(len(self.strips)),
            [paper.fit(clipped(label, 40), 0.42 * paper.wide(WIDTH), 8) for label in self.strips],
        )
        ax.set_ylim(len(self.strips) - 0.45, -0.55)
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="y", visible=False)
        size_axis(ax, self.sizes, few=paper.narrow)
        ax.set_xlim(*_edges(self.sizes)[[0, -1]])
        ax.set_xlabel("training-set size n")


def leading(result: Leaders) -> StripsDisplay:
    """Who leads at which size by the mean, by the worst runs and by the best ones; full color where certain."""
    first = next(iter(result.by.values()))
    style = looks(first.models)
    sizes = np.asarray(first.sizes, dtype=np.float64)
    edges = _edges(sizes)
    strips = {}
    seen: set[str] = set()
    for lead in result.by.values():
        cells = []
        for i, (best, contenders) in enumerate(zip(lead.leaders, lead.contenders, strict=True)):
            one = best[0] if len(best) == 1 else None
            seen.update(best if one else ())
            color = style[one].color if one else EQUAL if best else UNKNOWN
            sure = one is not None and contenders == (one,)
            cells.append(Cell(low=edges[i], high=edges[i + 1], color=color, full=sure or one is None, who=one or ""))
        strips[lead.label] = tuple(cells)
    key = {name: (style[name].color, True) for name in first.models if name in seen}
    if any(not c.full for cells in strips.values() for c in cells):
        key["pale: ahead, but not certain"] = (style[sorted(seen, key=first.models.index)[0]].color, False)
    colors = {c.color for cells in strips.values() for c in cells}
    key |= {
        f"thin: {word}": (color, True) for word, color in (("equal", EQUAL), ("no score", UNKNOWN)) if color in colors
    }
    return StripsDisplay(
        strips=strips, sizes=sizes, key=key, headline=_lead_words(result),
        recolored=frozenset(name for name, look in style.items() if look.dash),
        caption=(
            f"Color: the model with the best {printable(result.metric)} at each measured size, by the mean of its runs, by the score that "
            f"its worst ones fall below, and by the one that its best ones exceed. Full color: certainly ahead of every other model, "
            f"{result.reading}. {result.n} paired repetitions, {result.scope}."
        ),
    )  # fmt: skip


def _lead_words(result: Leaders) -> str:
    """Who leads at the last size by each statistic, and since when."""
    parts: dict[str | None, list[str]] = {}
    unknown: list[str] = []
    for lead, word in zip(result.by.values(), ("by the mean", "in the worst runs", "in the best runs"), strict=True):
        end = lead.ranges()[-1]
        if not lead.leaders[-1]:
            unknown.append(word)
            continue
        since = f" (since n = {end.first})" if int(lead.sizes[0]) < end.first < end.last else ""
        parts.setdefault(end.who, []).append(f"{word}{since}")
    equal = parts.pop(None, [])
    said = [f"{clipped(str(name), LONGEST_NAME)} leads {listed(words)}" for name, words in parts.items()]
    said += [f"several are equal {listed(equal)}"] if equal else []
    said += [f"there is no leader {listed(unknown)}, since scores are missing"] if unknown else []
    return f"At n = {int(next(iter(result.by.values())).sizes[-1])}: {', '.join(said)}"


def normality_strips(result: NormalityCurves, level: float = 0.05) -> StripsDisplay:
    """Where a test rejects normal scores, along the curve, as published and with regard for ties."""
    sizes = np.asarray(result.sizes, dtype=np.float64)
    edges = _edges(sizes)
    tied = bool(np.isfinite(result.lattice).any())
    strips = {}
    for i, row in enumerate(result.rows):
        for word, p in [("", result.published[i]), *([(", tie-aware", result.lattice[i])] if tied else [])]:
            strips[f"{printable(row)}{word}"] = tuple(
                Cell(low=edges[j], high=edges[j + 1], full=True, who=who, color=STATES[who])
                for j in range(sizes.size)
                for who in (_state(str(result.status[i, j]), float(p[j]), level),)
            )
    found = {c.who for cells in strips.values() for c in cells}
    key = {state: (color, True) for state, color in STATES.items() if state in found}
    aware = result.gaussian_share(lattice=tied)
    shares = {row: v for row, v in zip(result.rows, aware, strict=True) if not np.isnan(v)}
    middle = share(float(np.mean(list(shares.values())))) if shares else "–"
    return StripsDisplay(
        strips=strips, sizes=sizes, key=key,
        headline=f"At {middle} of sizes the scores could be normal{', ties counted' if tied else ''} (mean over rows)",
        caption=(
            f"Test: {TESTS.get(result.test, result.test)}, level {level:g}, on {printable(result.metric)} of {result.n} repetitions at each size alone, "
            f"{result.scope}. Constant: all scores are equal, neither normal nor not."
            + (" Tie-aware: against normal numbers rounded to the steps that a finite test set allows; from many repetitions the plain "
               "test rejects those however normal they are." if tied else "")
        ),
    )  # fmt: skip


def _state(status: str, p: float, level: float) -> str:
    if status == "constant":
        return "constant"
    if status != "tested" or np.isnan(p):
        return "no answer"
    return "rejected" if p < level else "not rejected"


def _edges(sizes: FloatArray) -> FloatArray:
    """Borders between sizes, half-way on a logarithmic scale."""
    logs = np.log(sizes)
    if logs.size == 1:
        return np.asarray(sizes[0] * np.array([0.9, 1.1]))
    middle = 0.5 * (logs[1:] + logs[:-1])
    ends = np.concatenate([[2 * logs[0] - middle[0]], middle, [2 * logs[-1] - middle[-1]]])
    return np.asarray(np.exp(ends))
