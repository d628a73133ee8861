"""What the best of k draws reaches, for k from one to the number of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers import CellBand, bands, foremost, unit_words
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.plots._distribution import FEWEST_FOR_BAND, LONGEST_NAME, why_bare
from ogive.plots._page import CurvePanels, Look, Paper, Picture, span_of
from ogive.reading import Source, as_trials
from ogive.results import weakest
from ogive.statistics import best_of_level
from ogive.trials import FloatArray, Trials
from ogive.words import clipped, number, percent_sure, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 200
# Words by which tables say that only hyper-parameters were drawn anew.
CONFIGURATION = {"configuration", "config", "hyper-parameter", "hyperparameter", "parameter"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestOfCurve:
    """The median of the best of k draws of one method; `low` and `high` are empty where nothing is guaranteed."""

    algorithm: str
    task: str
    k: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    n: int

    @property
    def limited(self) -> np.ndarray:
        """Where the band has both sides."""
        return np.isfinite(self.low) & np.isfinite(self.high)

    @property
    def has_band(self) -> bool:
        """Whether there is a band, and runs enough that it does not fill the picture."""
        return bool(self.low.size) and self.n >= FEWEST_FOR_BAND


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BestOfDisplay(CurvePanels, Picture):
    """Curves of the best of k draws, ready to be drawn.

    Attributes
    ----------
    curves : tuple of BestOfCurve
        What is drawn.
    tuning : bool
        Whether only hyper-parameters were drawn anew, so that the curves are tuning curves.
    lines_ : set by `plot`
        The curves by (task, method).
    """

    one_task, own_height = "say task=", 3.8
    headline: str
    curves: tuple[BestOfCurve, ...]
    metric: str
    goal: str
    tuning: bool

    def __repr__(self) -> str:
        return f"BestOfDisplay({len(self.tasks)} tasks, {len(self.methods)} methods)"

    @property
    def entries(self) -> tuple[BestOfCurve, ...]:
        """What is drawn."""
        return self.curves

    @property
    def labels(self) -> tuple[str, str]:
        """Both axes in words."""
        across = "k: hyper-parameter configurations tried" if self.tuning else "k: draws of which the best is kept"
        side = Metric.toward(self.goal).good_side
        return across, f"{printable(self.metric)} of the best of k ({side} is better)"

    def _handle(self, name: str, look: Look) -> Any:
        from matplotlib.lines import Line2D

        return Line2D([], [], color=look.color, linestyle=look.style, linewidth=2, label=clipped(name, LONGEST_NAME))

    def _panel(self, ax: Axes, curves: list[BestOfCurve], style: dict[str, Look], paper: Paper) -> None:
        from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

        if len(self.tasks) > 1:
            ax.set_title(clipped(curves[0].task, 22 if paper.narrow else 40))
        for curve in curves:
            look = style[curve.algorithm]
            if curve.has_band:
                seen = curve.limited
                ax.fill_between(
                    curve.k[seen], curve.low[seen], curve.high[seen], color=look.color, alpha=self.alpha, linewidth=0, zorder=2
                )  # fmt: skip
            (line,) = ax.plot(
                curve.k, np.where(np.isfinite(curve.estimate), curve.estimate, np.nan), color=look.color,
                linestyle=look.style, linewidth=1.8, zorder=3, label=printable(curve.algorithm),
            )  # fmt: skip
            self.lines_[curve.task, curve.algorithm] = line
        ax.set_xscale("log")
        most = max(2.0, max(float(c.k[-1]) for c in curves))
        ax.set_xlim(1, most)
        ax.set_ylim(*_span(curves))
        ax.xaxis.set_major_locator(
            LogLocator(base=10, subs=(1.0, 2.0, 5.0) if len(self.tasks) == 1 or most < 20 else (1.0,))
        )
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.yaxis.set_major_locator(MaxNLocator(nbins=5 if paper.narrow else 6))


def best_of(
    trials: Source,
    task: str | None = None,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    method: str = "exact",
) -> BestOfDisplay:
    """The median of the best of k draws for every method, k from one to the number of runs, with bands.

    Notes
    -----
    From the band of the distribution, so that a curve's band holds for all k at once. Failed runs count
    as worse than every score. Beyond the number of runs nothing is drawn: it would extrapolate.

    Examples
    --------
    >>> import ogive
    >>> d = best_of(ogive.read({"svm": [0.81, 0.84, 0.79], "knn": [0.77, 0.80, 0.78]}))
    >>> d.curves[0].k.tolist(), d.curves[0].estimate.tolist()
    ([1.0, 2.0, 3.0], [0.81, 0.84, 0.84])
    """
    trials = as_trials(trials)
    name = trials.metrics[0] if metric is None else metric
    if task is not None and task not in trials.tasks:
        trials.cell(trials.algorithms[0], task)  # refuses with the names there are
    goal = trials.goals[name]
    part = trials if task is None or len(trials.tasks) == 1 else trials.select(tasks=[task])
    shown = foremost(part, name)
    wanted = [cell for cell in shown.cells(trials) if task in (None, cell.task)]
    cells = list(bands(trials, metric=name, confidence=confidence, method=method, cells=wanted))
    if not cells:
        raise InputError(f"no method has a usable score on {task!r}; there is nothing to draw.")
    curves = tuple(_curve(cell, goal) for cell in cells)
    varied = {word.lower().rstrip("s").replace(" ", "-") for word in trials.varied}
    tuning = bool(varied) and varied <= CONFIGURATION
    return BestOfDisplay(
        curves=curves, metric=name, goal=goal, tuning=tuning, headline=_headline(curves, goal, tuning),
        caption=f"{shown.sentence} {_caption(trials, cells, confidence, tuning)}".lstrip(),
    )  # fmt: skip


def _curve(cell: CellBand, goal: str) -> BestOfCurve:
    n = cell.estimate.n
    k = np.unique(np.round(np.geomspace(1, n, MOST_POINTS))) if n > MOST_POINTS else np.arange(1.0, n + 1.0)
    levels = best_of_level(k, Metric.toward(goal))
    sides = (cell.band.high, cell.band.low) if cell.band is not None else ()
    low, high = [np.asarray(side.quantile(levels)) for side in sides] or [np.empty(0)] * 2
    return BestOfCurve(
        algorithm=cell.algorithm, task=cell.task, k=k, estimate=np.asarray(cell.estimate.middle(levels)), low=low,
        high=high, n=n,
    )  # fmt: skip


def _span(curves: list[BestOfCurve]) -> tuple[float, float]:
    """Scores worth seeing: all estimates, and the band from the second draw on."""
    parts = [c.estimate for c in curves]
    parts += [side[c.k >= 2] for c in curves if c.has_band for side in (c.low, c.high)]
    seen = np.concatenate(parts)
    seen = seen[np.isfinite(seen)]
    if not seen.size:
        return 0.0, 1.0
    return span_of(seen, 0.05)


def _headline(curves: tuple[BestOfCurve, ...], goal: str, tuning: bool) -> str:
    """Who leads after one draw and after as many as all methods have, on one task; else what is drawn."""
    what = "Tuning curves" if tuning else "Best of k draws"
    if len({c.task for c in curves}) > 1 or len(curves) < 2:
        return f"{what}: what the best of k runs reaches"
    sign = Metric.toward(goal).sign
    most = min(float(c.k[-1]) for c in curves)
    tied = [k for k in (1.0, most) if len({_at(c, k) for c in curves}) == 1]
    if tied:
        where = "one draw" if tied == [1.0] else f"{most:g} draws" if len(tied) == 1 else f"one draw and after {most:g}"
        return f"{what}: after {where} no method leads (median {number(_at(curves[0], tied[-1]))})"
    at = {k: max(curves, key=lambda c, k=k: sign * _at(c, k)) for k in (1.0, most)}  # type: ignore[misc]
    first, last = (clipped(at[k].algorithm, LONGEST_NAME) for k in (1.0, most))
    reached = number(_at(at[most], most))
    if first == last:
        return f"{what}: {last} leads after one draw and after {most:g} (median {reached})"
    return f"{what}: {first} leads after one draw, {last} after {most:g} (median {reached})"


def _at(curve: BestOfCurve, k: float) -> float:
    return float(curve.estimate[np.searchsorted(curve.k, k)])


def _caption(trials: Trials, cells: list[CellBand], confidence: float, tuning: bool) -> str:
    what = "hyper-parameter configurations" if tuning else "draws"
    text = f"At k: the score that the best of k {what} reaches in half of all cases. Curves end at the number of runs made."
    judged = [c.band for c in cells if c.band is not None]
    shaded = [b for b in judged if b.n >= FEWEST_FOR_BAND]
    if shaded:
        text += (
            f" Shaded: where the whole true curve lies with {percent_sure(confidence)} confidence "
            f"({weakest(b.strength for b in shaded)}), over {unit_words(trials)}; it ends where the runs set no limit "
            "on one side."
        )
    elif judged:
        text += f" With fewer than {FEWEST_FOR_BAND} runs no band is drawn: it would fill the picture."
    text += why_bare(trials, cells)
    if not tuning:
        text += " The best is chosen by the score itself, which a user who has to choose beforehand cannot do."
    if any(c.n_failed for c in cells):
        text += " Failed runs " + ("are left out." if trials.clustered else "count as worse than every score.")
    return text
