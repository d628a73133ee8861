"""One statistic of every method with its interval; tasks as panels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers import Summary, SummaryRow, summarize
from ogive.errors import InputError
from ogive.plots._page import Look, Panels, Paper, Picture, name_rows, span_of
from ogive.reading import Source
from ogive.statistics import Statistic
from ogive.words import clipped, listed, percent_sure, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import SubFigure

LONGEST_NAME, LONGEST_TASK = 28, 40
MOST_METHODS, MOST_TASKS = 40, 40


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class IntervalsDisplay(Panels, Picture):
    """One statistic of every method on every task, ready to be drawn.

    Attributes
    ----------
    rows : tuple of SummaryRow
        What is drawn; methods without a value are left out.
    methods : tuple of str
        Lines, in order; also those without a value.
    points_ : set by `plot`
        The estimates by (task, method).
    """

    one_task = "summarize one task"
    one_scale = True
    least_width = 1.45
    rows: tuple[SummaryRow, ...]
    methods: tuple[str, ...]
    metric: str
    statistic: str
    points_: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"IntervalsDisplay({self.statistic}, {len(self.tasks)} tasks, {len(self.methods)} methods)"

    @property
    def entries(self) -> tuple[SummaryRow, ...]:
        """What is drawn."""
        return self.rows

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        super()._draw(ax, paper)
        if ax is not None:
            ax.set_xlabel(self.label)

    @property
    def label(self) -> str:
        """The horizontal axis in words."""
        return f"{Statistic.parse(self.statistic).label} of {printable(self.metric)}"

    def _frame(self, rows: int, columns: int, style: dict[str, Look], paper: Paper) -> SubFigure:
        one = len(self.tasks) == 1
        width = paper.wide(6.4 if one else 2.3 * columns + 1.2)
        height = rows * (0.28 * len(self.methods) + (0.35 if one else 0.55)) + 0.35
        middle = paper.page(width, height, self.headline, self.caption)
        paper.label(middle, self.label)
        return middle

    def _panel(self, ax: Axes, rows: list[SummaryRow], style: dict[str, Look], paper: Paper) -> None:
        from matplotlib.ticker import MaxNLocator

        if len(self.tasks) > 1:
            ax.set_title(clipped(rows[0].task, LONGEST_TASK))
        ends = np.array([v for r in rows for v in (r.estimate, r.low, r.high) if math.isfinite(v)])
        span = span_of(ends, 0.06)
        for row in rows:
            self._row(ax, row, self.methods.index(row.algorithm), style[row.algorithm], span)
        ax.set_xlim(*span)
        name_rows(ax, self.methods, paper.longest(LONGEST_NAME))
        ax.xaxis.set_major_locator(MaxNLocator(nbins=7 if len(self.tasks) == 1 and not paper.narrow else 4))

    def _row(self, ax: Axes, row: SummaryRow, place: int, look: Look, span: tuple[float, float]) -> None:
        kind: dict[str, Any] = {"color": look.color, "zorder": 3}
        if math.isfinite(row.low) or math.isfinite(row.high):
            low, high = (min(max(end, span[0]), span[1]) for end in (row.low, row.high))
            ax.plot([low, high], [place, place], linewidth=2.2, solid_capstyle="butt", **kind)
            for end, marker, edge in ((row.low, "<", span[0]), (row.high, ">", span[1])):
                if math.isinf(end):  # the data set no limit on this side
                    ax.plot([edge], [place], marker=marker, markersize=6, linestyle="none", clip_on=False, **kind)
        (point,) = ax.plot([row.estimate], [place], marker="o", markersize=5.5, linestyle="none", **kind)
        self.points_[row.task, row.algorithm] = point


def intervals(
    summary: Summary | Source, statistic: str | None = None, *, metric: str | None = None
) -> IntervalsDisplay:
    """One statistic of a summary with its intervals: methods down, tasks as panels.

    Parameters
    ----------
    summary : Summary, Trials, or what `ogive.read` takes
        What `ogive.summarize` returned; a table is summarized first.
    statistic, metric : str, optional
        Which one is drawn; the first of the summary where not given.

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"svm": [0.81, 0.84, 0.79, 0.83, 0.85, 0.80]}, unit="row")
    >>> intervals(ogive.summarize(trials, statistics=["median"]))
    IntervalsDisplay(median, 1 tasks, 1 methods)
    """
    summary = summary if isinstance(summary, Summary) else summarize(summary)
    name, what = metric or summary.rows[0].metric, statistic or summary.rows[0].statistic
    chosen = [r for r in summary.rows if r.statistic == what and r.metric == name]
    if not chosen:
        held = [", ".join(dict.fromkeys(getattr(r, key) for r in summary.rows)) for key in ("statistic", "metric")]
        raise InputError(f"there is no {what!r} of {name!r} in the summary of {' of '.join(held)}.")
    rows = tuple(r for r in chosen if math.isfinite(r.estimate))
    if not rows:
        raise InputError(f"no method has a finite {what!r} of {name!r}; there is nothing to draw.")
    methods, tasks = (tuple(dict.fromkeys(getattr(r, key) for r in chosen)) for key in ("algorithm", "task"))
    kept = (methods[:MOST_METHODS], tasks[:MOST_TASKS])
    parts = [
        f"the first {len(some)} of {len(every)} {noun}"
        for some, every, noun in zip(kept, (methods, tasks), ("methods", "tasks"), strict=True)
        if len(some) < len(every)
    ]
    said = f"Shown: {', on '.join(parts)} of the summary. " if parts else ""
    if parts:
        seen = {(m, t) for m in kept[0] for t in kept[1]}
        chosen = [r for r in chosen if (r.algorithm, r.task) in seen]
        rows, methods = tuple(r for r in chosen if math.isfinite(r.estimate)), kept[0]
    return IntervalsDisplay(
        rows=rows, methods=methods, metric=name, statistic=what, headline=_headline(summary, rows, what, name),
        caption=f"{said}{_caption(summary, chosen, rows)}",
    )  # fmt: skip


def _headline(summary: Summary, rows: tuple[SummaryRow, ...], statistic: str, metric: str) -> str:
    label, n = Statistic.parse(statistic).label, len({r.task for r in rows})
    said = f"{label[:1].upper()}{label[1:]} of {printable(metric)}" + (f" on {n} tasks" if n > 1 else "")
    limited = any(math.isfinite(r.low) or math.isfinite(r.high) for r in rows)
    return f"{said}, with {percent_sure(summary.confidence)} intervals" if limited else said


def _caption(summary: Summary, chosen: list[SummaryRow], rows: tuple[SummaryRow, ...]) -> str:
    judged = [r for r in rows if not math.isnan(r.low)]
    limited = [r for r in judged if math.isfinite(r.low) or math.isfinite(r.high)]
    text = "Points: the runs as they are"
    if not judged:
        text += "; no intervals, because these runs describe themselves and nothing more."
    elif not limited:
        text += f", {_counts(judged)} each; these are too few to set any limit."
    else:
        ways = dict.fromkeys(f"{r.method}, {r.strength}" for r in limited)
        text = (
            f"Each line is the {percent_sure(summary.confidence)} interval of one method ({'; '.join(ways)}), from {_counts(judged)} each, "
            f"over {summary.unit}. Overlapping lines do not mean equal methods: use a comparison for that."
        )
    one_sided = sum(1 for r in limited if math.isinf(r.low) or math.isinf(r.high))
    if one_sided:
        text += f" Arrows ({plural(one_sided, 'interval')}): the runs are too few to set a limit on that side."
    if limited and len(limited) < len(judged):
        text += f" Points without a line ({len(judged) - len(limited)}): the runs are too few to set any limit."
    absent = [r for r in chosen if not math.isfinite(r.estimate)]
    if absent:
        names = [f"{printable(r.algorithm)} on {printable(r.task)}" for r in absent]
        text += f" Without a value: {listed(names[:4])}" + (f", and {len(names) - 4} more." if len(names) > 4 else ".")
    return f"{text} {summary.failed.sentence(chosen)}".rstrip()


def _counts(rows: list[SummaryRow]) -> str:
    counts = sorted({r.n for r in rows})
    return plural(counts[0], "value") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} values"
