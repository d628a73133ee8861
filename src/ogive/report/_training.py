"""The section of a page about scores over training: curves with their intervals, where the table has steps or trials returned a series."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ogive.importers import curve_named, series_called
from ogive.plots import ProgressDisplay, progress
from ogive.profiles import MinMax
from ogive.progress import Progress, over_training
from ogive.report._figures import Json, frame, line_trace, name, numbers, score_axis, shades, span_of, titled
from ogive.report._findings import Findings, attempt
from ogive.report._page import Html, aside, caption, element, table
from ogive.words import interval_parts, printable, quoted

LEGEND, HEIGHT = 34, 420


def over_steps(found: Findings) -> tuple[Progress | None, str]:
    """The curves of a table that was read over steps, or of the series called as its score, or why there are none; neither
    for any other table."""
    trials = found.trials
    names, unreadable = attempt(lambda: trials.series_names)
    if trials.step is None and not names:
        return None, unreadable
    name = found.metric if trials.step is not None else series_called(trials, found.metric)
    if name is None:
        return None, (
            f"Trials also returned series: {printable(quoted(names or ()))}. Where they are values over training, ogive.progress, or "
            f"ogive progress {printable(trials.source)} --metric NAME, shows them with their intervals."
        )
    # Tasks without a common scale are brought to one: the curves of a page are one picture.
    several = len(trials.tasks) > 1 and None in curve_named(trials, name)[1].bounds
    made, refused = attempt(
        lambda: over_training(
            trials,
            metric=name,
            normalize=MinMax() if several else None,
            failures=found.rule,
            confidence=found.confidence,
        )
    )
    return made, refused


def section(found: Findings, figure: Any) -> list[Html]:
    """The picture, and a few of its numbers; `figure` places a picture on the page."""
    made, refused = over_steps(found)
    if made is None:
        return [aside(refused)] if refused else []
    display = progress(made)
    (numbers_of,) = made.as_tables()
    return [
        element("h3", display.headline), figure(progress_figure(display)), caption(display.caption),
        table(numbers_of.head, [[str(cell) for cell in row] for row in numbers_of.rows]),
        aside(f"The verdict of this page is about one score of each run. Other steps: ogive.progress, or ogive progress {printable(made.runs.source)}."),
    ]  # fmt: skip


def progress_figure(display: ProgressDisplay) -> Json:
    """Estimates and their intervals over the steps, all methods together."""
    found, traces = display.progress, []
    for method in reversed(display.order):
        one, look = found.of(method), display.style[method]
        known = np.isfinite(one.low) & np.isfinite(one.high)
        low, high = (np.where(known, side, np.nan) for side in (one.low, one.high))
        group = {"name": name(method), "legendgroup": name(method)}
        traces += [shade | group | {"showlegend": False} for shade in shades(found.grid, low, high, look.color)]
        said = [
            "" if not there else f"<br>{' to '.join(interval_parts(e, a, b)[1:])}"
            for there, e, a, b in zip(
                known.tolist(), one.estimate.tolist(), one.low.tolist(), one.high.tolist(), strict=True
            )
        ]
        hover = "<b>%{fullData.name}</b><br>%{x:,}: %{y:.4~g}%{customdata}<extra></extra>"
        traces.append(line_trace(found.grid, one.estimate, look) | group | {"customdata": said, "hovertemplate": hover})
    layout = frame(HEIGHT + LEGEND, LEGEND + 4)
    layout["legend"]["traceorder"] = "reversed"  # the best, which is drawn last, stands first
    parts = [part for m in display.order for part in (found.of(m).estimate, found.of(m).low, found.of(m).high)]
    axis = {"gridcolor": "#e8e8e8", "zeroline": False, "linecolor": "#444", "showline": True, "tickformat": "~s"}
    layout["xaxis"] = {
        **axis,
        "range": numbers(found.grid[[0, -1]]),
        "title": titled(html.escape(found.runs.step, quote=False)),
    }
    layout["yaxis"] = {**score_axis(span_of(parts)), "title": titled(html.escape(display.label, quote=False))}
    return {"data": traces, "layout": layout}
