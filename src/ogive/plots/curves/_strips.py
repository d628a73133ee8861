"""Strips along training-set sizes: who leads by which statistic, and where scores are normal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ogive.plots._look import COLORS, looks
from ogive.plots._page import Paper, Picture
from ogive.plots.curves._fan import size_axis
from ogive.trials import FloatArray
from ogive.words import clipped, listed, printable, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ogive.curves import Leaders, NormalityCurves

WIDTH, LONGEST_NAME = 6.4, 28
NORMAL, REJECTED, CONSTANT, UNKNOWN = COLORS[2], COLORS[1], "#9a9a9a", "#ececec"
EQUAL = "#b8b8b8"


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

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        from matplotlib.patches import Patch

        if ax is None:
            handles = [
                Patch(color=c, alpha=self.opacity(full), label=clipped(t, 36)) for t, (c, full) in self.key.items()
            ]
            height = 0.36 * len(self.strips) + 0.8
            ax = paper.page(paper.wide(WIDTH), height, self.headline, self.caption, handles).subplots()
        self.axes_.clear()
        self.bars_.clear()
        self.axes_["strips"] = ax
        for i, (label, cells) in enumerate(self.strips.items()):
            self.bars_[label] = [
                ax.fill_between(
                    [c.low, c.high], i - self.half, i + self.half, color=c.color, alpha=self.opacity(c.full), linewidth=0, zorder=2
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
    key |= {word: (color, True) for word, color in (("equal", EQUAL), ("no score", UNKNOWN)) if color in colors}
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
        tables = (
            [("", result.published[i])] if not tied else [("", result.published[i]), (", tie-aware", result.lattice[i])]
        )
        for word, p in tables:
            strips[f"{printable(row)}{word}"] = tuple(
                Cell(low=edges[j], high=edges[j + 1], full=True, who=who, color=_color(who))
                for j in range(sizes.size)
                for who in (_state(str(result.status[i, j]), float(p[j]), level),)
            )
    found = {c.who for cells in strips.values() for c in cells}
    key = {str(w): (_color(w), True) for w in ("rejected", "not rejected", "constant", "no answer") if w in found}
    aware = result.gaussian_share(lattice=tied)
    shares = {row: v for row, v in zip(result.rows, aware, strict=True) if not np.isnan(v)}
    middle = share(float(np.mean(list(shares.values())))) if shares else "–"
    return StripsDisplay(
        strips=strips, sizes=sizes, key=key,
        headline=f"At {middle} of sizes the scores could be normal{', ties counted' if tied else ''} (mean over rows)",
        caption=(
            f"Test: {result.test}, level {level:g}, on {printable(result.metric)} of {result.n} repetitions at each size alone, "
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


def _color(state: str) -> str:
    return {"rejected": REJECTED, "not rejected": NORMAL, "constant": CONSTANT}.get(state, UNKNOWN)


def _edges(sizes: FloatArray) -> FloatArray:
    """Borders between sizes, half-way on a logarithmic scale."""
    logs = np.log(sizes)
    if logs.size == 1:
        return np.asarray(sizes[0] * np.array([0.9, 1.1]))
    middle = 0.5 * (logs[1:] + logs[:-1])
    ends = np.concatenate([[2 * logs[0] - middle[0]], middle, [2 * logs[-1] - middle[-1]]])
    return np.asarray(np.exp(ends))
