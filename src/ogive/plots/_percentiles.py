"""Configurations at percentiles: where they lie in the distribution, their curves, and the distribution of each when it is run again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.arguments import as_whole
from ogive.errors import InputError
from ogive.importers import curves_of
from ogive.plots._distribution import DistributionDisplay, distribution, share_ticks
from ogive.plots._page import COLORS, GRAY, Look, Paper, Picture, score_words
from ogive.reading import Source, as_trials
from ogive.trials import FloatArray, Trials, failure_rule, the_one
from ogive.words import clipped, failure_words, number, plural, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

LONGEST_NAME = 40
SHARE = 0.05  # of runs on either side of what is shaded
HALF = 0.5  # a step is shown where so many of the runs have a value
BARS = 8  # error bars along a curve
DASHED, DOTTED = (0, (5, 2)), (0, (1, 1.5))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliceCurve:
    """The runs of one configuration at each step; `n` of them have a value there.

    The standard deviation is that of runs; `low` and `high` leave a twentieth of them on either side.
    """

    method: str
    steps: FloatArray
    n: FloatArray
    mean: FloatArray
    sd: FloatArray
    median: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceMark:
    """Where a configuration lies: the share of trials that are no better, and the score that put it there."""

    method: str
    share: float
    score: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PercentilesDisplay(Picture):
    """Configurations at percentiles, ready to be drawn: three panels, or two where there are no curves.

    Attributes
    ----------
    whole : DistributionDisplay
        All trials, of which those at percentiles were chosen.
    marks : tuple of SliceMark
        Where they lie.
    curves : tuple of SliceCurve
        The curves of the new runs; empty where they have none.
    runs : DistributionDisplay
        The new runs of each configuration.
    axes_ : set by `plot`
        The panels: "whole", "mean", "quantiles", "runs".
    """

    whole: DistributionDisplay
    marks: tuple[SliceMark, ...]
    curves: tuple[SliceCurve, ...]
    runs: DistributionDisplay
    algorithm: str
    metric: str
    goal: str
    series: str | None
    step: str
    lines_: dict[tuple[str, str], Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"PercentilesDisplay({len(self.marks)} percentiles of {self.algorithm}, {'with' if self.curves else 'without'} curves)"

    @property
    def looks_of_all(self) -> dict[str, Look]:
        """How all runs are drawn: those that configurations were taken from in black, other methods in gray."""
        others = [name for name in self.whole.methods if name != self.algorithm]
        return {self.algorithm: Look("#000000")} | {name: Look(GRAY, i % 3 + 1) for i, name in enumerate(others)}

    @property
    def style(self) -> dict[str, Look]:
        """How each configuration is drawn."""
        return {mark.method: Look(COLORS[i % len(COLORS)], i // len(COLORS) % 4) for i, mark in enumerate(self.marks)}

    def _draw(self, ax: Axes | None, paper: Paper) -> None:
        if ax is not None:
            raise InputError("`ax` cannot hold this picture, which has several panels; leave it out.")
        panels = self._new_figure(paper)
        self.axes_.update(panels)
        span = self._span()
        self._distribution(panels["whole"], self.whole, self.looks_of_all, paper, span)
        self._distribution(panels["runs"], self.runs, self.style, paper, span)
        for mark in self.marks:
            color = self.style[mark.method].color
            panels["whole"].axvline(mark.share, color=color, linestyle=DASHED, linewidth=1.1, zorder=1)
            if np.isfinite(mark.score):
                panels["whole"].plot(
                    [mark.share], [mark.score], color=color, marker="o", markersize=5, zorder=5, clip_on=False
                )
        panels["whole"].set_title("all runs: where the configurations lie")
        panels["runs"].set_title("these configurations, run again")
        if self.curves:
            self._curves(panels["mean"], panels["quantiles"])

    def _span(self) -> tuple[float, float]:
        """The scores of both distributions, so that they can be compared."""
        spans = [display.lanes(list(display.bands))[0] for display in (self.whole, self.runs)]
        return min(low for low, _ in spans), max(high for _, high in spans)

    def _distribution(
        self, ax: Axes, display: DistributionDisplay, looks: Mapping[str, Look], paper: Paper, span: tuple[float, float]
    ) -> None:
        display.lines_.clear()
        display._panel(ax, list(display.bands), dict(looks), paper)
        self.lines_.update(display.lines_)
        ax.set_ylim(*span)
        ticks, words = share_ticks(small=False, narrow=True)
        ax.xaxis.set_ticks(ticks, words)
        ax.set_xlabel("share of runs, worst → best")
        ax.set_ylabel(score_words(self.metric, self.goal))

    def _curves(self, means: Axes, quantiles: Axes) -> None:
        n = max(curve.steps.size for curve in self.curves)
        for i, curve in enumerate(self.curves):
            color, style = self.style[curve.method].color, self.style[curve.method].style
            # Bars of different configurations beside each other, not upon each other.
            at = np.unique(np.linspace(0, n - 1, BARS * len(self.curves), dtype=int)[i :: len(self.curves)])
            at = at[at < curve.steps.size]
            means.plot(curve.steps, curve.mean, color=color, linestyle=style, linewidth=1.6, zorder=3)
            means.errorbar(
                curve.steps[at],
                curve.mean[at],
                curve.sd[at],
                color=color,
                linestyle="none",
                elinewidth=1.0,
                capsize=2,
                zorder=3,
            )
            (self.lines_["quantiles", curve.method],) = quantiles.plot(
                curve.steps, curve.median, color=color, linestyle=style, linewidth=1.6, zorder=3
            )
            quantiles.fill_between(curve.steps, curve.low, curve.high, color=color, alpha=0.12, linewidth=0, zorder=2)
            for edge in (curve.low, curve.high):
                quantiles.plot(curve.steps, edge, color=color, linestyle=DOTTED, linewidth=0.9, zorder=3)
        means.set_title("mean ± standard deviation of runs")
        quantiles.set_title(f"median, and {100 * (1 - 2 * SHARE):g} % of runs")
        quantiles.set_xlabel(self.step)
        for ax in (means, quantiles):
            ax.set_ylabel(printable(self.series))
            ax.set_xlim(1, max(2.0, *(curve.steps[-1] for curve in self.curves)))

    def _new_figure(self, paper: Paper) -> dict[str, Axes]:
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], color=look.color, linestyle=look.style, linewidth=2, label=clipped(name, LONGEST_NAME))
            for name, look in (self.looks_of_all | self.style).items()
        ]
        columns = 3 if self.curves else 2
        stacked = paper.narrow
        width = paper.wide(3.3 * columns + 0.6)
        height = 1.9 * (columns + len(self.curves[:1])) if stacked else paper.tall(3.3 * columns + 0.6, 3.7)
        middle = paper.page(width, height, self.headline, self.caption, handles)
        if stacked:
            names = ["whole", *(["mean", "quantiles"] if self.curves else []), "runs"]
            return dict(zip(names, np.ravel(middle.subplots(len(names), 1)), strict=True))
        grid = middle.add_gridspec(2, columns)
        panels = {"whole": middle.add_subplot(grid[:, 0])}
        if self.curves:
            panels["mean"] = middle.add_subplot(grid[0, 1])
            panels["quantiles"] = middle.add_subplot(grid[1, 1], sharex=panels["mean"], sharey=panels["mean"])
            panels["mean"].tick_params(labelbottom=False)
        panels["runs"] = middle.add_subplot(grid[:, columns - 1])
        return panels


def percentiles(
    trials: Source, slices: Source, *, algorithm: str | None = None, task: str | None = None, series: str | None = None,
    step: str | None = None, every: int = 1, confidence: float = 0.95, failures: str | float | None = None,
) -> PercentilesDisplay:  # fmt: skip
    """Where configurations at percentiles lie, how they learn, and how they do when they are run again.

    Parameters
    ----------
    trials : trials, or what `read` reads
        Those that configurations were taken from.
    slices : trials, or what `read` reads
        The runs of `study.at_percentiles(trials, …)`.
    algorithm, task : str, optional
        Whose configurations; named where there are several.
    series : str, optional
        The curve that is drawn. Where not given and runs have several, the one that is called as the metric, or as its plural
        (`returns`). Without curves there are two panels.
    step : str, optional
        What the values of a curve are counted by: "episode". Where not given, what the task says, or "step".
    every : int
        How many of these lie between two values, where a curve was thinned; the first value is that of step 1.
    confidence : float
        Of the bands of both distributions.
    failures : str or float, optional
        How failed runs count in both distributions and in the means of the headline. Where not given, they are crosses below
        every score, and the headline says of how many runs it leaves them out.
    """
    trials, slices = as_trials(trials), as_trials(slices)
    held = (slices.holds or {}).get("config")
    asked = held.get("percentiles") if isinstance(held, dict) else None
    if asked is None:
        raise InputError(
            "`slices` must be the trials of study.at_percentiles(…); their configurations are not held at percentiles."
        )
    known = [one for one in asked["slices"] if one["method"] in slices.algorithms and one["task"] in slices.tasks]
    algorithm = the_one("algorithm", algorithm, tuple(dict.fromkeys(one["algorithm"] for one in known)))
    task = the_one("task", task, tuple(dict.fromkeys(one["task"] for one in known)))
    chosen = sorted(
        (one for one in known if (one["algorithm"], one["task"]) == (algorithm, task)),
        key=lambda one: one["percentile"],
    )
    metric, rule = asked["metric"], None if failures is None else failure_rule(failures)
    if task not in trials.tasks or algorithm not in trials.algorithms:
        raise InputError(
            f"`trials` must be those that configurations were taken from; they have no {algorithm!r} on {task!r}."
        )
    methods = [one["method"] for one in chosen]
    whole = distribution(trials.select(tasks=[task]), metric=metric, confidence=confidence, failures=failures)
    again = slices.select(algorithms=methods, tasks=[task])
    runs = distribution(again, metric=metric, confidence=confidence, failures=failures)
    name = _series_drawn(again, series, metric)
    curves = (
        ()
        if name is None
        else tuple(
            c
            for method in methods
            if (c := _curve(again, method, task, name, as_whole(every, "every", at_least=1))) is not None
        )
    )
    goal = trials.goals[metric]
    marks = tuple(
        SliceMark(
            method=one["method"],
            share=one["percentile"] / 100.0,
            score=np.nan if one["score"] is None else one["score"],
        )
        for one in chosen
    )
    return PercentilesDisplay(
        whole=whole, marks=marks, curves=curves, runs=runs, algorithm=algorithm, metric=metric, goal=goal, series=name,
        step=step or ("step" if name is None else again.step_of(name)),
        headline=_headline(again, chosen, metric, rule), caption=_caption(trials, again, chosen, curves, whole, rule),
    )  # fmt: skip


def _series_drawn(again: Trials, series: str | None, metric: str) -> str | None:
    """The series that is asked for; else the one called as the metric, or as progress chooses; None where there is none."""
    if series is not None:
        return the_one("series", series, again.series_names)
    if not again.series_names:
        return None
    return metric if metric in again.series_names else next(iter(curves_of(again, "series")))


def _curve(trials: Trials, method: str, task: str, series: str, every: int) -> SliceCurve | None:
    """One configuration at each step that at least half of its runs reached."""
    values = list(trials.series(method, task, series).values())
    if not values:
        return None
    table = np.full((len(values), max(one.size for one in values)), np.nan)
    for row, one in zip(table, values, strict=True):
        row[: one.size] = one
    n = np.isfinite(table).sum(axis=0)
    shown = (
        int(np.flatnonzero(n >= max(1.0, HALF * len(values)))[-1]) + 1
        if (n >= max(1.0, HALF * len(values))).any()
        else 0
    )
    if not shown:
        return None
    table, n = table[:, :shown], n[:shown]
    empty = n == 0
    table[:, empty] = 0.0
    low, median, high = np.nanquantile(table, [SHARE, 0.5, 1.0 - SHARE], axis=0)
    mean = np.nanmean(table, axis=0)
    sd = np.sqrt(np.nansum((table - mean) ** 2, axis=0) / np.maximum(n - 1, 1))
    for values_at in (low, median, high, mean, sd):
        values_at[empty] = np.nan
    sd[n < 2] = np.nan
    return SliceCurve(
        method=method,
        steps=1.0 + every * np.arange(float(shown)),
        n=n.astype(np.float64),
        mean=mean,
        sd=sd,
        median=median,
        low=low,
        high=high,
    )


def _headline(again: Trials, chosen: Sequence[Mapping[str, Any]], metric: str, rule: str | float | None) -> str:
    """What the scores that were chosen are worth when the configurations are run again, the best first.

    Failed runs count by the rule; those to which it gives no score are said beside the mean of the others.
    """
    said = []
    for one in reversed(chosen):
        n = again.cell(one["method"], one["task"]).rows.size
        scores = again.scores(one["method"], one["task"], metric, failures="exclude" if rule is None else rule)
        scores = scores[np.isfinite(scores)]
        score = "failed" if one["score"] is None else number(one["score"])
        mean = number(float(scores.mean())) if scores.size else "failed"
        # A number and its sign stay in one line.
        said.append((f"{one['percentile']:g}\u00a0%", score, mean, n - scores.size, n))
    (level, score, mean, n_failed, n), others = said[0], said[1:]
    now = f"has {mean} on average"
    if n_failed:
        now = f"failed in {n_failed:,} of {n:,}; the others average {mean}" if n_failed < n else f"failed in all {n:,}"
    chose = (
        "a run that failed was chosen" if score == "failed" else f"a run with {printable(metric)} {score} was chosen"
    )
    first = f"At {level}, {chose}; run again, its configuration {now}"
    more = [
        f"{score} and {mean} at {level}" + (f", where {n_failed:,} of {n:,} failed" if 0 < n_failed < n else "")
        for level, score, mean, n_failed, n in others
    ]
    return f"{first} ({'; '.join(more) if any(', ' in one for one in more) else ', '.join(more)})" if more else first


def _caption(
    trials: Trials, again: Trials, chosen: Sequence[Mapping[str, Any]], curves: Sequence[SliceCurve],
    whole: DistributionDisplay, rule: str | float | None,
) -> str:  # fmt: skip
    first = chosen[0]
    counts = sorted({again.cell(one["method"], one["task"]).rows.size for one in chosen})
    many = plural(counts[0], "time") if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} times"
    text = (
        f"All runs stand from worst to best; dashed: the percentiles at which configurations were taken, each by the score of one of "
        f"{first['n_trials']:,} trials. Each of them was run {many} again, with new draws."
    )
    n_now = next(band.n_rows for band in whole.bands if band.algorithm == first["algorithm"])
    if n_now != first["n_trials"]:
        text += f" {printable(first['algorithm'])} has {plural(n_now, 'trial')} in this picture."
    if curves:
        text += f" The curves show the spread of runs, not the error of the lines; shaded is the middle {100 * (1 - 2 * SHARE):g} %."
        if any(curve.n.min() < curve.n.max() for curve in curves) or len({curve.steps.size for curve in curves}) > 1:
            text += " Runs differ in length or lack values: each step is over those that have one, as far as half of them do."
    failed = _n_failed(trials, whole.metric, first["algorithm"], first["task"])
    again_failed = sum(_n_failed(again, whole.metric, one["method"], one["task"]) for one in chosen)
    if failed or again_failed:
        counted = "crosses, one each"
        if rule is not None:
            counted = f"they {failure_words(rule, 2, trials.definitions[whole.metric].worst)}"
        text += f" Failed: {failed:,} of all runs, {again_failed:,} of those run again; {counted}."
    return text


def _n_failed(trials: Trials, metric: str, algorithm: str, task: str) -> int:
    return int(np.count_nonzero(trials.failed(metric)[trials.cell(algorithm, task).rows]))
