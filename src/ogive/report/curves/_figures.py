"""Pictures of learning curves as plotly's JSON, made from displays; names reach plotly escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.metric import Metric
from ogive.plots import FanDisplay, Look, SlicesDisplay, StripsDisplay
from ogive.report._figures import (
    ONE_HEIGHT,
    PANEL_HEIGHT,
    Json,
    annotation,
    axis_name,
    frame,
    line_trace,
    name,
    numbers,
    panel_domain,
    titled,
)
from ogive.trials import FloatArray
from ogive.words import number

if TYPE_CHECKING:
    from ogive.curves import Slice
    from ogive.plots import Fan

ACROSS, LONGEST_LABEL = 4, 30
OTHERS = "#c8c8c8"
LEGEND, ROW = 34, 46
SIZE = "training-set size n"


def fan_figure(display: FanDisplay) -> Json:
    """Mean and outer quantiles at every size: up to three models together, more with a panel each."""
    style, alone = display.style, display.together
    panels = [display.fans] if alone else [(fan,) for fan in display.fans]
    traces: list[Json] = []
    for i, fans in enumerate(panels):
        others = [f for f in display.fans if f not in fans]
        drawn = [_mean(f, Look(OTHERS), 1.0) | {"hoverinfo": "skip", "showlegend": False} for f in others]
        for fan in fans:
            if len(display.fans) == 1:
                drawn += [shade | {"showlegend": False} for shade in _middle(fan, style[fan.model])]
            drawn += _fan(fan, style[fan.model], display.share, legend=alone and len(display.fans) > 1)
        traces += [trace | {"xaxis": axis_name("x", i), "yaxis": axis_name("y", i)} for trace in drawn]
    sizes = display.fans[0].sizes
    label = html.escape(display.label, quote=False)
    layout = _grid(len(panels), PANEL_HEIGHT + 20) if not alone else frame(ONE_HEIGHT + LEGEND, LEGEND + 4)
    span = _span([part for fan in display.fans for part in (fan.low, fan.high, fan.mean)])
    for i in range(len(panels)):
        layout.setdefault(_key("x", i), {}).update(size_axis(sizes, few=not alone))
        layout.setdefault(_key("y", i), {}).update(_scores(span))
    if alone:
        layout["xaxis"]["title"], layout["yaxis"]["title"] = titled(SIZE), titled(label)
    else:
        _titles(layout, [fan.model for fan in display.fans])
        _common(layout, SIZE, label)
    return {"data": traces, "layout": layout}


def _fan(fan: Fan, look: Look, share: float, *, legend: bool) -> list[Json]:
    """Shade, dotted edges and mean of one model."""
    group = {"name": name(fan.model), "legendgroup": name(fan.model)}
    quiet = {**group, "showlegend": False, "hoverinfo": "skip"}
    edges = []
    for edge in (fan.low, fan.high):
        trace = line_trace(fan.sizes, edge, look)
        trace["line"] |= {"dash": "dot", "width": 1.4}
        edges.append(_seen(trace, edge, "line-ew-open") | quiet)
    within = f"{100 * (1 - 2 * share):g} % of runs: "
    said = [
        f"{within}{number(low)} to {number(high)}" if np.isfinite(low + high) else ""
        for low, high in zip(fan.low.tolist(), fan.high.tolist(), strict=True)
    ]
    hover = "<b>%{fullData.name}</b><br>n = %{x:,d}: mean %{y:.4~g}<br>%{customdata}<extra></extra>"
    mean = _mean(fan, look, 2.6) | group | {"showlegend": legend, "customdata": said, "hovertemplate": hover}
    return [*(shade | quiet for shade in _shades(fan.sizes, fan.low, fan.high, look.color)), *edges, mean]


def _middle(fan: Fan, look: Look) -> list[Json]:
    """Where the middle half of the runs lies."""
    return _shades(fan.sizes, fan.inner_low, fan.inner_high, look.color)


def _mean(fan: Fan, look: Look, width: float) -> Json:
    trace = line_trace(fan.sizes, fan.mean, look)
    trace["line"]["width"] = width
    return _seen(trace, fan.mean, "circle")


def _seen(trace: Json, values: FloatArray, symbol: str) -> Json:
    """A line; with marks where a point stands alone and no line would be drawn."""
    known = np.isfinite(np.concatenate([[np.nan], values, [np.nan]]))
    alone = known[1:-1] & ~known[:-2] & ~known[2:]
    if not alone.any():
        return trace
    sizes = np.where(alone, 8, 0).tolist()
    marker = {"color": trace["line"]["color"], "size": sizes, "symbol": symbol, "opacity": 1}
    return trace | {"mode": "lines+markers", "marker": marker}


def _shades(x: FloatArray, low: FloatArray, high: FloatArray, color: str) -> list[Json]:
    """A shade for every stretch of sizes without a gap."""
    known = np.concatenate([[False], np.isfinite(low) & np.isfinite(high), [False]])
    edges = np.flatnonzero(np.diff(known.astype(int)))
    outlines = [
        (np.concatenate([x[i:j], x[i:j][::-1]]), np.concatenate([high[i:j], low[i:j][::-1]]))
        for i, j in zip(edges[::2], edges[1::2], strict=True)
    ]
    return [_area(across, up, color, 0.16) for across, up in outlines]


def _area(x: FloatArray, y: FloatArray, color: str, opacity: float) -> Json:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return {
        "type": "scatter", "mode": "lines", "x": numbers(x), "y": numbers(y), "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},{opacity:g})", "line": {"width": 0}, "hoverinfo": "skip",
    }  # fmt: skip


def strips_figure(display: StripsDisplay, labels: Sequence[str], words: tuple[str, str] = ("", "")) -> Json:
    """Strips along the sizes; `words` are added to a name where it is drawn in full and where pale.

    Names that share their color with an earlier one are hatched.
    """
    found: dict[tuple[str, bool], tuple[str, list[float], list[float]]] = {}
    for row, cells in enumerate(display.strips.values()):
        for cell in cells:
            _, x, y = found.setdefault((cell.who, cell.full), (cell.color, [], []))
            x += [cell.low, cell.high, cell.high, cell.low, cell.low, math.nan]
            y += [
                row - display.half,
                row - display.half,
                row + display.half,
                row + display.half,
                row - display.half,
                math.nan,
            ]
    traces = []
    for (who, full), (color, x, y) in sorted(found.items(), key=lambda one: _place(display, one[0])):
        said = f"{name(who)}{words[0] if full else words[1]}" if who else "equal, or no score"
        area = _area(np.array(x[:-1]), np.array(y[:-1]), color, display.opacity(full))
        if who in display.recolored:
            area["fillpattern"] = {
                "shape": "/",
                "bgcolor": area["fillcolor"],
                "fgcolor": "#fff",
                "size": 8,
                "solidity": 0.2,
            }
        traces.append(area | {"name": said, "text": said, "hoverinfo": "text", "hoveron": "fills", "showlegend": True})
    rows = len(display.strips)
    lines = 1 + sum(len(trace["name"]) + 10 for trace in traces) // 90
    top = 30 + 24 * lines
    layout = frame(34 * rows + top + 60, top)
    layout["legend"]["y"] = 1.0 - 26 / layout["height"]  # below the buttons
    edges = [end for cells in display.strips.values() for cell in cells for end in (cell.low, cell.high)]
    layout["xaxis"] = {**size_axis(display.sizes, span=(min(edges), max(edges))), "title": titled(SIZE)}
    layout["yaxis"] = {
        "tickvals": list(range(rows)), "ticktext": [name(label, LONGEST_LABEL) for label in labels],
        "range": [rows - 0.45, -0.55], "showgrid": False, "zeroline": False, "automargin": True, "fixedrange": True,
    }  # fmt: skip
    return {"data": traces, "layout": layout}


def _place(display: StripsDisplay, one: tuple[str, bool]) -> tuple[int, bool]:
    """In the order of the key, the full color before the pale one, what has no name last."""
    names = list(display.key)
    return (names.index(one[0]) if one[0] in names else len(names), not one[1])


def slices_figure(displays: Sequence[SlicesDisplay], titles: Sequence[str]) -> Json:
    """Distributions one above the other, a panel for each display; rows have the same labels in all."""
    traces: list[Json] = []
    told: set[bool] = set()
    rows = len(displays[0].slices)
    for i, display in enumerate(displays):
        for j, (one, label) in enumerate(zip(display.slices, display.labels, strict=True)):
            parts = _slice(one, rows - 1 - j, label)
            if parts and one.grid.size and one.several_modes not in told:
                told.add(one.several_modes)
                parts[0]["showlegend"] = True
            traces += [part | {"xaxis": axis_name("x", i), "yaxis": axis_name("y", i)} for part in parts]
    layout = _grid(len(displays), ROW * rows + 56)
    layout["legend"]["itemclick"] = layout["legend"]["itemdoubleclick"] = False
    ends = [one.grid if one.grid.size else one.scores for display in displays for one in display.slices]
    span = _span(ends)
    labels = [name(label, LONGEST_LABEL) for label in reversed(displays[0].labels)]
    for i in range(len(displays)):
        first = i % min(ACROSS, len(displays)) == 0
        layout[_key("x", i)] |= _scores(span) | {"nticks": 5}
        layout[_key("y", i)] |= {
            "tickvals": list(range(rows)), "ticktext": labels, "showticklabels": first, "range": [-0.12, rows],
            "showgrid": True, "gridcolor": "#e8e8e8", "zeroline": False, "fixedrange": True, "automargin": first,
        }  # fmt: skip
    _titles(layout, titles)
    side = Metric.toward(displays[0].goal).good_side
    _common(layout, f"{name(displays[0].metric)} ({side} is better)", "")
    return {"data": traces, "layout": layout}


def _slice(one: Slice, base: int, label: str) -> list[Json]:
    """The shape of one row with its mean; a bare line where all scores are equal."""
    if not one.scores.size:
        return []
    color = SlicesDisplay.color(one)
    mode = "more than one mode" if one.several_modes else "one mode fits"
    mean = float(one.scores.mean())
    test = "all scores are equal" if one.dip is None else f"{mode} (p = {one.dip.p_value:.2g})"
    said = f"{name(label)}: mean {number(mean)}; {test}"
    if one.grid.size:
        height = SlicesDisplay.heights(one, base)
        x, y = np.concatenate([one.grid, one.grid[::-1]]), np.concatenate([height, np.full(one.grid.size, float(base))])
        shape = _area(x, y, color, 0.55)
    else:
        shape = _area(np.array([mean, mean]), np.array([base, base + SlicesDisplay.height]), color, 1.0)
        shape["line"] = {"width": 3, "color": color}
    shape |= {"name": mode, "text": said, "hoverinfo": "text", "hoveron": "fills", "showlegend": False}
    tick = {
        "type": "scatter", "mode": "lines", "x": numbers(np.array([mean, mean])), "y": [base, base + 0.3],
        "line": {"color": "#000", "width": 2}, "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip
    return [shape, tick]


def size_axis(sizes: FloatArray, *, few: bool = False, span: tuple[float, float] | None = None) -> Json:
    """A logarithmic axis of training-set sizes with plain numbers."""
    low, high = (float(sizes[0]), float(sizes[-1])) if span is None else span
    if low == high:
        low, high = 0.8 * low, 1.25 * high
    wide = few and high / low > 30
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [f * 10**k for k in powers if k >= 0 for f in ((1,) if wide else (1, 2, 5)) if low <= f * 10**k <= high]
    if len(ticks) < 2:
        places = np.unique(np.round(np.linspace(0, sizes.size - 1, min(3 if few else 6, sizes.size))).astype(int))
        ticks = [int(sizes[i]) for i in places]
    return {
        "type": "log", "range": [round(math.log10(low), 5), round(math.log10(high), 5)], "tickvals": ticks,
        "ticktext": [f"{tick:,d}" for tick in ticks], "gridcolor": "#e8e8e8", "zeroline": False, "linecolor": "#444", "showline": True,
    }  # fmt: skip


def _scores(span: tuple[float, float]) -> Json:
    return {
        "range": [float(f"{v:.6g}") for v in span], "gridcolor": "#e8e8e8", "zeroline": False, "linecolor": "#444",
        "showline": True, "tickformat": "~g",
    }  # fmt: skip


def _span(parts: Sequence[FloatArray]) -> tuple[float, float]:
    """From the least to the largest number, with some room."""
    known = np.concatenate([np.ravel(part) for part in parts])
    known = known[np.isfinite(known)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = 0.03 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def _key(letter: str, i: int) -> str:
    return f"{letter}axis{i + 1 if i else ''}"


def _grid(n: int, height: int) -> Json:
    """The layout of n panels, each so many pixels high."""
    columns = min(ACROSS, n)
    rows = -(-n // columns)
    layout = frame(height * rows + LEGEND + 80, LEGEND + 26)
    layout["annotations"] = []
    for i in range(n):
        row, column = divmod(i, columns)
        x, y = panel_domain(column, columns, 0.05), panel_domain(rows - 1 - row, rows, 46 / (height * rows))
        layout[_key("x", i)] = {"domain": x, "anchor": axis_name("y", i), "tickfont": {"size": 11}}
        layout[_key("y", i)] = {"domain": y, "anchor": axis_name("x", i), "tickfont": {"size": 11}}
    return layout


def _titles(layout: Json, titles: Sequence[str]) -> None:
    for i, title in enumerate(titles):
        x, y = layout[_key("x", i)]["domain"], layout[_key("y", i)]["domain"]
        layout["annotations"].append(
            annotation(f"<b>{name(title, LONGEST_LABEL)}</b>", sum(x) / 2, y[1], xanchor="center", yanchor="bottom")
        )


def _common(layout: Json, across: str, up: str) -> None:
    """Titles that all panels share."""
    more: dict[str, Any] = {"font": {"size": 13}}
    layout["annotations"].append(annotation(across, 0.5, 0, yanchor="top", yshift=-28, **more))
    if up:
        layout["annotations"].append(annotation(up, 0, 0.5, textangle=-90, xshift=-54, **more))
