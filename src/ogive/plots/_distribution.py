"""How good the runs of each method are, worst to best, with bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ogive.answers import CellBand, Foremost, bands, facts, foremost, missing_words, unit_words
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.plots._page import CurvePanels, Look, Paper, score_words
from ogive.reading import Source, as_trials
from ogive.results import weakest
from ogive.statistics import Band, Distribution
from ogive.trials import Cell, Trials, failure_rule
from ogive.words import clipped, failure_words, listed, percent_sure, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST_FOR_BAND = 20
# At the ends bands of all methods lie upon each other: together they are this dark.
PALE = 0.16
LONGEST_NAME, MOST_NAMED = 60, 4


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DistributionDisplay(CurvePanels):
    """The runs of every method on every task, ready to be drawn.

    Attributes
    ----------
    bands : tuple of CellBand
        What is drawn.
    caption : str
        What the picture shows, for the reader of a paper.
    axes_, lines_ : set by `plot`
        The panels by task, and the curves by (task, method).
    """

    one_task, own_height = "draw trials.select(tasks=…)", 4.0
    bands: tuple[CellBand, ...]
    kind: Literal["quantile", "cdf"]
    metric: str
    goal: str
    headline: tuple[str, ...]

    def __repr__(self) -> str:
        return f"DistributionDisplay({self.kind}, {len(self.tasks)} tasks, {len(self.methods)} methods)"

    @property
    def entries(self) -> tuple[CellBand, ...]:
        """What is drawn."""
        return self.bands

    @staticmethod
    def has_dots(cell: CellBand) -> bool:
        """Whether each run is a dot: few runs say more one by one than by a band."""
        return cell.estimate.n < FEWEST_FOR_BAND

    @staticmethod
    def has_band(cell: CellBand) -> bool:
        """Whether the band is drawn: of few runs it would fill the picture."""
        return cell.band is not None and cell.band.n >= FEWEST_FOR_BAND

    def steps(self, cell: CellBand) -> tuple[np.ndarray, np.ndarray]:
        """Corners of the step curve: shares and scores; the worst run first in the quantile picture."""
        points, upper = cell.estimate.points, cell.estimate.cumulative
        lower = np.append(0.0, upper[:-1])
        seen = np.isfinite(points)
        shares = np.stack([lower[seen], upper[seen]], axis=1).ravel()
        scores = np.repeat(points[seen], 2)
        if self.kind == "quantile" and self.goal == "minimize":
            return 1.0 - shares[::-1], scores[::-1]
        return shares, scores

    def dots(self, cell: CellBand) -> tuple[np.ndarray, np.ndarray]:
        """Where each run stands on its step; ties stand beside each other."""
        weights, points = _finite_weights(cell.estimate), _finite(cell.estimate)
        counts = np.maximum(1, np.rint(weights * cell.estimate.n)).astype(int)
        each = np.repeat(weights / counts, counts)
        failed = 1.0 - weights.sum() if self.goal == "maximize" else 0.0
        middles = failed + np.cumsum(each) - each / 2
        return middles if self.kind == "cdf" else Metric.toward(self.goal).level(middles), np.repeat(points, counts)

    def shades(
        self, cell: CellBand, span: tuple[float, float]
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, bool]]:
        """Parts of the band of quantiles: shares, both scores, and whether the runs limit both sides there."""
        assert cell.band is not None
        level = Metric.toward(self.goal).level
        return [
            (level(levels), low, high, limited) for levels, low, high, limited in _between_quantiles(cell.band, span)
        ]

    @property
    def pale(self) -> float:
        """How dark a band is where the runs limit one side only."""
        return PALE / max(2, len(self.methods))

    def lanes(self, cells: Sequence[CellBand]) -> tuple[tuple[float, float], dict[str, float]]:
        """The scores to show; at their bad end, each method with failed runs has a lane for their crosses.

        Along the CDF there are no lanes.
        """
        finite = np.concatenate([_finite(cell.estimate) for cell in cells])
        margin = 0.05 * float(np.ptp(finite) or 1.0)
        low, high = float(finite.min()) - margin, float(finite.max()) + margin
        failing = [cell.algorithm for cell in cells if cell.n_failed and self.kind == "quantile"]
        metric = Metric.toward(self.goal)
        sign, edge = -metric.sign, metric.worst_first(low, high)[0]
        heights = {method: edge + sign * margin * (i + 0.5) for i, method in enumerate(failing)}
        far = edge + sign * margin * (len(failing) + 0.5) if failing else edge
        return (min(low, far), max(high, far)), heights

    @staticmethod
    def are_long(span: tuple[float, float]) -> bool:
        """Whether scores have so many digits that small panels write them in thousands."""
        return 10_000.0 <= max(map(abs, span)) < 1e12

    @property
    def labels(self) -> tuple[str, str]:
        """Both axes in words."""
        share = "share of runs" + ("" if len(self.tasks) == 1 else " in %")
        score = score_words(self.metric, self.goal)
        return (
            (f"{share}, worst → best", score) if self.kind == "quantile" else (score, f"{share} at or below the score")
        )

    def _handle(self, name: str, look: Look) -> Any:
        from matplotlib.lines import Line2D

        cells = [b for b in self.bands if b.algorithm == name]
        n_failed, n_rows = sum(b.n_failed for b in cells), sum(b.n_rows for b in cells)
        note = f" ({n_failed} of {n_rows} runs failed)" if n_failed else ""
        dotted = any(self.has_dots(b) for b in cells)
        return Line2D(
            [], [], color=look.color, linestyle=look.style, linewidth=2, marker="o" if dotted else "", markersize=4,
            label=f"{clipped(name, LONGEST_NAME)}{note}",
        )  # fmt: skip

    def _panel(self, ax: Axes, cells: list[CellBand], style: dict[str, Look], paper: Paper) -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        span, heights = self.lanes(cells)
        for cell in cells:
            self._cell(ax, cell, style[cell.algorithm], span, heights.get(cell.algorithm))
        shares, scores = (ax.xaxis, ax.yaxis) if self.kind == "quantile" else (ax.yaxis, ax.xaxis)
        ticks, words = share_ticks(small=len(self.tasks) > 1, narrow=paper.narrow)
        shares.set_ticks(ticks, words)
        if len(self.tasks) > 1:
            ax.set_title(clipped(cells[0].task, 22 if paper.narrow else 40))
            if self.are_long(span):
                scores.set_major_formatter(FuncFormatter(lambda value, _: in_thousands(value)))
        getattr(ax, "set_ylim" if self.kind == "quantile" else "set_xlim")(*span)
        getattr(ax, "set_xlim" if self.kind == "quantile" else "set_ylim")(0, 1)
        scores.set_major_locator(MaxNLocator(nbins=5 if paper.narrow else 6))

    def _cell(self, ax: Axes, cell: CellBand, look: Look, span: tuple[float, float], lane: float | None) -> None:
        kind: dict[str, Any] = {"color": look.color, "zorder": 3}
        shares, scores = self.steps(cell)
        scores = np.clip(scores, span[0] - np.ptp(span), span[1] + np.ptp(span))
        (line,) = ax.plot(
            *self._oriented(shares, scores),
            linestyle=look.style,
            linewidth=1.8,
            label=printable(cell.algorithm),
            **kind,
        )
        self.lines_[cell.task, cell.algorithm] = line
        if self.has_band(cell):
            self._shade(ax, cell, look, span)
        elif self.has_dots(cell):
            ax.plot(*self._oriented(*self.dots(cell)), linestyle="none", marker="o", markersize=3, **kind)
        if lane is not None:  # one cross for each failed run, before the worst run that ended
            at = (np.arange(cell.n_failed) + 0.5) / cell.n_rows
            look_of_crosses = kind | {"marker": "x", "markersize": 6, "markeredgewidth": 1.8, "linestyle": "none"}
            ax.plot(at, np.full(at.size, lane), clip_on=False, **look_of_crosses)

    def _shade(self, ax: Axes, cell: CellBand, look: Look, span: tuple[float, float]) -> None:
        assert cell.band is not None
        shade: dict[str, Any] = {"color": look.color, "alpha": self.alpha, "linewidth": 0, "zorder": 2}
        if self.kind == "cdf":
            scores, low, high = _between_cdfs(cell.band, span)
            ax.fill_between(scores, low, high, step="post", **shade)
            return
        for at, low, high, limited in self.shades(cell, span):
            ax.fill_between(at, low, high, **(shade if limited else shade | {"alpha": self.pale}))

    def _oriented(self, shares: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (shares, scores) if self.kind == "quantile" else (scores, shares)


def distribution(
    trials: Source,
    *,
    kind: Literal["quantile", "cdf"] = "quantile",
    metric: str | None = None,
    confidence: float = 0.95,
    method: str = "exact",
    shown: Foremost | None = None,
    failures: str | float | None = None,
) -> DistributionDisplay:
    """The distribution of each method on each task: sorted runs from worst to best, with bands.

    Parameters
    ----------
    kind : {"quantile", "cdf"}
        The inverse CDF (share of runs across, score up) or the CDF (score across).
    method : {"exact", "ks", "dkw"}
        The band; see `ogive.statistics.band`.
    shown : Foremost, optional
        Which methods and tasks; of a table with more than 28 methods or 60 tasks the foremost where not given.
    failures : str or float, optional
        How failed runs count: "refuse", "exclude", "worst", "like:NAME" or a number. Where not given, as crosses below
        every score.

    Examples
    --------
    >>> import ogive
    >>> d = distribution(ogive.read({"svm": [0.81, 0.84, 0.79], "knn": [0.77, 0.80, 0.78]}))
    >>> d.plot().methods
    ('svm', 'knn')
    """
    trials = as_trials(trials)
    if kind not in ("quantile", "cdf"):
        raise InputError(f"`kind` must be 'quantile' or 'cdf'; got {kind!r}.")
    name, given = trials.metric_name(metric), trials
    trials = trials if failures is None else trials.counted(name, failures)
    shown = foremost(trials, name) if shown is None else shown
    wanted = shown.cells(trials)
    counted = "" if failures is None else counted_words(given, shown.cells(given), trials, wanted, name, failures)
    cells = bands(trials, metric=name, confidence=confidence, method=method, cells=wanted)
    return DistributionDisplay(
        bands=cells,
        kind=kind,
        metric=name,
        goal=trials.goals[name],
        headline=facts(trials, name, confidence)[:2],
        caption=f"{shown.sentence} {_caption(trials, wanted, cells, name, confidence, kind)}{counted}".lstrip(),
    )


def _between_cdfs(band: Band, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, and the limits of the CDF from each of them to the next."""
    points = np.unique(np.concatenate([side.points for side in (band.low, band.high)]))
    scores = np.concatenate(([span[0]], points[(points > span[0]) & (points < span[1])], [span[1]]))
    return scores, np.asarray(band.low.cdf(scores)), np.asarray(band.high.cdf(scores))


def _between_quantiles(band: Band, span: tuple[float, float]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, bool]]:
    """Corners of the limits of quantiles, levels and both scores; in the middle the runs limit both sides, at the ends one."""
    levels = np.unique(np.concatenate([side.cumulative for side in (band.low, band.high)]))
    levels = np.concatenate(([0.0], levels[(levels > 0) & (levels < 1)], [1.0]))
    # Between two levels both sides are constant: evaluate in the middle, draw as steps.
    middles = (levels[1:] + levels[:-1]) / 2
    low, high = (np.asarray(side.quantile(middles)) for side in (band.high, band.low))
    limited = np.isfinite(low) & np.isfinite(high)
    # Beyond any frame that the picture may get, since panels share their scores.
    low, high = (np.clip(side, span[0] - 10 * np.ptp(span), span[1] + 10 * np.ptp(span)) for side in (low, high))
    cuts = [0, *(np.flatnonzero(np.diff(limited)) + 1), limited.size]
    return [
        (np.repeat(levels[i : j + 1], 2)[1:-1], np.repeat(low[i:j], 2), np.repeat(high[i:j], 2), bool(limited[i]))
        for i, j in pairwise(cuts)
    ]


def share_ticks(*, small: bool, narrow: bool = False) -> tuple[list[float], list[str]]:
    """Where shares are marked, and how: small panels leave the sign to the title, so that neighbors do not touch."""
    if small:
        return [0.0, 0.5, 1.0], ["0", "50", "100"]
    ticks = [0.0, 0.5, 1.0] if narrow else [0.0, 0.25, 0.5, 0.75, 1.0]
    return ticks, [f"{100 * t:.0f} %" for t in ticks]


def in_thousands(value: float) -> str:
    """`-1k`, `12.5k`, `3M`."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _caption(
    trials: Trials, wanted: Sequence[Cell], cells: Sequence[CellBand], metric: str, confidence: float, kind: str
) -> str:
    text = "Each curve shows the share of a method's runs at or below each score."
    if kind == "quantile":
        text = "Each curve shows all runs of a method from worst to best. Read: at 25 %, a quarter of the runs are no better than the curve."
    judged = [c.band for c in cells if c.band is not None]
    shaded = [b for b in judged if b.n >= FEWEST_FOR_BAND]
    if shaded:
        kinds = "/".join(dict.fromkeys(b.method for b in shaded))
        text += (
            f" Shaded: where the whole true curve lies with {percent_sure(confidence)} confidence "
            f"({kinds} band, {weakest(b.strength for b in shaded)}), over {unit_words(trials)}"
            f"{'; paler where the runs set no limit on one side.' if kind == 'quantile' else '.'}"
        )
    if len(shaded) < len(judged):
        text += f" Methods with fewer than {FEWEST_FOR_BAND} runs have a dot for each run and no band: it would fill the picture."
    text += why_bare(trials, cells)
    if any(c.n_failed for c in cells):
        text += f" {_failed_words(trials, metric, kind)}"
    drawn = {(c.algorithm, c.task) for c in cells}
    absent = [c for c in wanted if (c.algorithm, c.task) not in drawn]
    if absent:
        text += f" Without any usable run: {_named(absent)}."
    return text


def counted_words(
    before: Trials, seen: Sequence[Cell], after: Trials, left: Sequence[Cell], metric: str, failures: str | float
) -> str:
    """` 12 runs failed and are left out.` where a rule took failed runs of these cells out of a picture, or gave them a score."""
    n = sum(
        sign * int(np.count_nonzero(trials.failed(metric)[cell.rows]))
        for trials, cells, sign in ((before, seen, 1), (after, left, -1))
        for cell in cells
    )
    if not n:
        return ""
    rule, worst = failure_rule(failures), before.definitions[metric].worst
    return f" {plural(n, 'row' if before.clustered else 'run')} failed and {failure_words(rule, n, worst)}."


def why_bare(trials: Trials, cells: Sequence[CellBand]) -> str:
    """` No band for a: …` where a curve has no band, and why; what is missing where no words on bands say it."""
    shaded = any(c.band is not None and c.band.n >= FEWEST_FOR_BAND for c in cells)
    lacking = "" if shaded else missing_words(trials)
    text = f" {lacking}." if lacking else ""
    bare = [c for c in cells if c.band is None]
    if not bare:
        return text
    return f"{text} No band{'s' if len(bare) == len(cells) else f' for {_named(bare)}'}: {_why_no_bands(trials)}."


def _failed_words(trials: Trials, metric: str, kind: str) -> str:
    """Where failed runs are in the picture."""
    if kind == "quantile":
        counted = "left out of the curves" if trials.clustered else "counted as worse than every score"
        return f"Crosses: failed runs, one each, {counted}."
    if trials.clustered:
        return "Failed runs are left out of the curves."
    end = "starts at their share" if trials.goals[metric] == "maximize" else "ends below 100 % by their share"
    return f"Failed runs count as worse than every score: the curve of a method with failed runs {end}."


def _named(cells: Sequence[Cell | CellBand]) -> str:
    """`a on x (5 failed)`; a method on several tasks is named once."""
    by_method: dict[str, list[Cell | CellBand]] = {}
    for cell in cells:
        by_method.setdefault(cell.algorithm, []).append(cell)
    names = []
    for method, of_method in by_method.items():
        where = printable(of_method[0].task) if len(of_method) == 1 else f"{len(of_method)} tasks"
        n_failed = sum(c.rows.size if isinstance(c, Cell) else c.n_failed for c in of_method)
        names.append(f"{printable(method)} on {where} ({n_failed} failed)")
    more = len(names) - MOST_NAMED
    return listed(names) if more <= 0 else f"{', '.join(names[:MOST_NAMED])} and {plural(more, 'more method')}"


def _why_no_bands(trials: Trials) -> str:
    if not trials.independent:
        return "the runs were chosen by a grid or an adaptive sampler"
    if trials.question is not None:
        return "the runs are not independent"
    return "the runs share folds" if trials.n_folds is not None else "failed runs cannot be counted by unit"


def _finite(distribution: Distribution) -> np.ndarray:
    return distribution.points[np.isfinite(distribution.points)]


def _finite_weights(distribution: Distribution) -> np.ndarray:
    return distribution.weights[np.isfinite(distribution.points)]
