"""How much better one method is than another, from its worst runs to its best, with a band."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ogive.answers import CellBand, bands, unit_words
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.plots._distribution import LONGEST_NAME, _why_no_bands, counted_words
from ogive.plots._page import COLORS, GRAY, Paper, Picture, looks
from ogive.reading import Source, as_trials
from ogive.statistics import Distribution
from ogive.trials import FloatArray, Trials
from ogive.words import clipped, listed, percent_sure, printable, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Who: TypeAlias = Literal["a", "b"]

WIDTH, HEIGHT = 6.4, 3.6
# A range narrower than this share of the picture gets no words of its own.
ROOM_FOR_WORDS = 0.18


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DifferenceDisplay(Picture):
    """The advantage of one method over another at every share of runs, worst to best.

    Attributes
    ----------
    levels : array
        Shares of runs at which something changes, from 0 to 1.
    estimate, low, high : array
        The advantage of `a` between two neighboring levels, positive where `a` is better, and the
        band that holds everywhere at once; NaN where both methods failed, infinite where the data
        set no limit. `low` and `high` are empty where nothing can be guaranteed.
    certain : tuple of (level, level, "a" or "b")
        Ranges of levels on which one method is certainly better.
    colors : dict
        Of "a" and "b", as in the other pictures of the table.
    """

    a: str
    b: str
    task: str
    metric: str
    goal: str
    levels: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    certain: tuple[tuple[float, float, Who], ...]
    colors: dict[Who, str]

    def __repr__(self) -> str:
        return f"DifferenceDisplay({self.a} against {self.b} on {self.task}, {len(self.certain)} certain ranges)"

    @property
    def label(self) -> str:
        """The vertical axis in words."""
        first, second = (self.a, self.b) if self.goal == "maximize" else (self.b, self.a)
        return f"{printable(self.metric)} of {clipped(first, 30)}\nminus that of {clipped(second, 30)}"

    @property
    def span(self) -> tuple[float, float]:
        """The scores that are drawn: all of the estimate, the band where most of it lies, and zero."""
        seen = self.estimate[np.isfinite(self.estimate)]
        ends = [part[np.isfinite(part)] for part in (self.low, self.high)]
        limits = [np.quantile(part, (0.1, 0.9)) for part in ends if part.size]
        low, high = (float(f(np.concatenate([seen, [0.0], *limits]))) for f in (np.min, np.max))
        margin = 0.08 * ((high - low) or 1.0)
        return low - margin, high + margin

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        room = ROOM_FOR_WORDS
        if ax is None:
            room = math.inf  # the legend says it, and words in the picture lay upon the line at zero
            ax = paper.page(
                paper.wide(WIDTH), paper.tall(WIDTH, HEIGHT), self.headline, self.caption, self._handles()
            ).subplots()
        self.axes_[self.task] = ax
        self._curves(ax, room)
        ticks = [0, 0.25, 0.5, 0.75, 1]
        ax.xaxis.set_ticks(ticks, [f"{100 * t:.0f} %" for t in ticks])
        ax.set_xlim(0, 1)
        ax.set_ylim(*self.span)
        ax.set_xlabel("share of runs, worst → best")
        ax.set_ylabel(self.label)

    def _curves(self, ax: Axes, room: float) -> None:
        names = {"a": self.a, "b": self.b}
        for start, end, who in self.certain:
            ax.axvspan(start, end, color=self.colors[who], alpha=0.13, linewidth=0, zorder=1)
            if end - start >= room:
                ax.text(
                    (start + end) / 2, 0.98, f"{clipped(names[who], 24)}\ncertainly better", ha="center", va="top",
                    fontsize=8, color=self.colors[who], transform=ax.get_xaxis_transform(), zorder=4,
                )  # fmt: skip
        edges = np.repeat(self.levels, 2)[1:-1]
        reach = (self.span[0] - np.ptp(self.span), self.span[1] + np.ptp(self.span))
        if self.low.size:
            low, high = (np.repeat(np.clip(side, *reach), 2) for side in (self.low, self.high))
            ax.fill_between(edges, low, high, color=GRAY, alpha=0.35, linewidth=0, zorder=2)
        ax.axhline(0.0, color="black", linewidth=1.0, zorder=3)
        ax.plot(edges, np.repeat(np.clip(self.estimate, *reach), 2), color="black", linewidth=1.6, zorder=4)

    def _handles(self) -> list[Any]:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        handles: list[Any] = [Line2D([], [], color="black", linewidth=1.6, label="difference seen")]
        if self.low.size:
            handles.append(Patch(color=GRAY, alpha=0.35, label="what the data allow"))
        winners = {who for _, _, who in self.certain}
        names: tuple[tuple[Who, str], ...] = (("a", self.a), ("b", self.b))
        return handles + [
            Patch(color=self.colors[who], alpha=0.2, label=f"{clipped(name, LONGEST_NAME)} certainly better")
            for who, name in names
            if who in winners
        ]


def difference(
    trials: Source,
    a: str,
    b: str,
    task: str | None = None,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    method: str = "exact",
    failures: str | float | None = None,
) -> DifferenceDisplay:
    """The advantage of `a` over `b` from the worst runs to the best, with a band that holds everywhere at once.

    Parameters
    ----------
    failures : str or float, optional
        How failed runs count: "refuse", "exclude", "worst", "like:NAME" or a number. Where not given, as worse than
        every score.

    Notes
    -----
    Conservative: each method's band is taken at half the error, and the band of the difference runs
    from the lower end of one minus the upper end of the other. Ranges of levels on which the band leaves
    zero out are certain together.

    Examples
    --------
    >>> import numpy as np
    >>> import ogive
    >>> rng = np.random.default_rng(0)
    >>> trials = ogive.read({"a": rng.normal(1, 1, 300), "b": rng.normal(0, 1, 300)}, unit="row")
    >>> [who for _, _, who in difference(trials, "a", "b").certain]
    ['a']
    """
    trials = as_trials(trials)
    if a == b:
        raise InputError(f"`a` and `b` must differ; got {a!r} twice.")
    name = trials.metric_name(metric)
    confidence = as_confidence(confidence)
    (place,) = {trials.cell(algorithm, task).task for algorithm in (a, b)}  # refuses with the names there are
    given, counted = trials, ""
    if failures is not None:
        trials = trials.select(tasks=[place]).counted(name, failures)
        seen, left = ([t.cell(m, place) for m in (a, b)] for t in (given, trials))
        counted = counted_words(given, seen, trials, left, name, failures)
    half = 1.0 - (1.0 - confidence) / 2.0
    found = {c.algorithm: c for c in bands(trials, metric=name, confidence=half, method=method) if c.task == place}
    missing = [m for m in (a, b) if m not in found]
    if missing:
        raise InputError(f"{listed([repr(m) for m in missing])} has no usable score on {place!r}.")
    style = looks(given.algorithms)
    colors: dict[Who, str] = {"a": style[a].color, "b": style[b].color}
    if colors["a"] == colors["b"]:  # of many methods some share a color
        colors = {"a": COLORS[0], "b": COLORS[1]}
    levels, estimate, low, high = _advantage(found[a], found[b], trials.goals[name])
    certain = _certain(levels, low, high)
    if min(found[a].estimate.n, found[b].estimate.n) < 20 and not certain:
        low = high = np.empty(0)  # it would fill the picture
    return DifferenceDisplay(
        a=a, b=b, task=place, metric=name, goal=trials.goals[name], levels=levels, estimate=estimate, low=low, high=high,
        certain=certain, colors=colors, headline=_headline(a, b, certain, judged=found[a].band is not None),
        caption=f"{_caption(trials, found[a], found[b], confidence, drawn=bool(low.size))}{counted}",
    )  # fmt: skip


def _advantage(a: CellBand, b: CellBand, goal: str) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Levels worst to best, and between them the difference of quantiles and its band, positive where A is better."""
    sides: list[Distribution] = [
        d for c in (a, b) for d in (c.estimate, *((c.band.low, c.band.high) if c.band else ()))
    ]
    edges = np.unique(np.concatenate([[0.0, 1.0], *(d.cumulative for d in sides)]))
    edges = edges[np.append(True, np.diff(edges) > 1e-12)]
    middles = (edges[1:] + edges[:-1]) / 2.0  # between two steps every quantile is constant
    first, second = (a, b) if goal == "maximize" else (b, a)

    def gap(x: Distribution, y: Distribution) -> FloatArray:
        with np.errstate(invalid="ignore"):  # infinite minus infinite: both failed
            return np.asarray(np.subtract(x.quantile(middles), y.quantile(middles)))

    parts = [gap(first.estimate, second.estimate)]
    if first.band is not None and second.band is not None:
        # The distribution whose CDF lies high has the small quantiles.
        low, high = gap(first.band.high, second.band.low), gap(first.band.low, second.band.high)
        # One method failed for certain and the other perhaps: no limit.
        parts += [np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)]
    else:
        parts += [np.empty(0), np.empty(0)]
    if goal == "minimize":
        edges, parts = 1.0 - edges[::-1], [part[::-1] for part in parts]
    return edges, parts[0], parts[1], parts[2]


def _certain(levels: FloatArray, low: FloatArray, high: FloatArray) -> tuple[tuple[float, float, Who], ...]:
    winners: tuple[tuple[Who, np.ndarray], ...] = (("a", low > 0.0), ("b", high < 0.0))
    found: list[tuple[float, float, Who]] = []
    for who, wins in winners:
        turns = np.diff(np.concatenate(([0], wins.astype(np.int8), [0])))
        starts, ends = np.flatnonzero(turns == 1), np.flatnonzero(turns == -1)
        found += [(float(levels[i]), float(levels[j]), who) for i, j in zip(starts, ends, strict=True)]
    return tuple(sorted(found))


def _headline(a: str, b: str, certain: tuple[tuple[float, float, Who], ...], *, judged: bool) -> str:
    names = {"a": clipped(a, LONGEST_NAME), "b": clipped(b, LONGEST_NAME)}
    if not judged:
        return f"{names['a']} against {names['b']}, run by run from worst to best"
    if not certain:
        return f"At no share of runs are {names['a']} and {names['b']} certainly apart"
    parts = [
        f"{names[who]} is certainly better from {share(max(p, 0.0))} to {share(q)} of the runs"
        for p, q, who in certain[:3]
    ]
    return "; ".join(parts) + ("; elsewhere it cannot be told" if len(certain) <= 3 else "; and on further ranges")


def _caption(trials: Trials, a: CellBand, b: CellBand, confidence: float, *, drawn: bool) -> str:
    names = printable(a.algorithm), printable(b.algorithm)
    text = (
        f"The runs of {names[0]} ({a.n_rows}) and {names[1]} ({b.n_rows}), each sorted from worst to best. Read: at 25 %, the difference "
        f"between the scores that a quarter of each method's runs do not beat. Above zero {names[0]} is better."
    )
    if drawn:
        certain = all(c.band is not None and c.band.guarantee in ("exact", "conservative") for c in (a, b))
        text += (
            f" Gray: where the whole true difference lies with {percent_sure(confidence)} confidence, all shares at once "
            f"({'guaranteed' if certain else 'approximate'}), over {unit_words(trials)}."
        )
    elif a.band is None or b.band is None:
        text += f" No band: {_why_no_bands(trials)}."
    else:
        text += " No band: with so few runs it would fill the picture."
    if a.n_failed or b.n_failed:
        counted = "are left out" if trials.clustered else "count as worse than every score"
        text += f" Failed runs ({names[0]} {a.n_failed}, {names[1]} {b.n_failed}) {counted}."
    return text
