"""Pictures as plotly's JSON: plain dictionaries made from a Display, thinned without changing their shape.

Names reach plotly escaped, because it reads a few HTML tags in labels; hover texts name methods by
reference (`%{fullData.name}`), so that a name cannot be a template either.
"""

from __future__ import annotations

import html
import itertools
import math
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ogive.answers import CellBand
from ogive.metric import Metric
from ogive.plots import (
    BestOfDisplay,
    DifferenceDisplay,
    DistributionDisplay,
    FanDisplay,
    Look,
    ProfileDisplay,
    SlicesDisplay,
    StripsDisplay,
)
from ogive.statistics import Band
from ogive.trials import FloatArray, IntArray
from ogive.words import clipped, interval_parts, number

if TYPE_CHECKING:
    from ogive.curves import Slice
    from ogive.plots import Fan


Json: TypeAlias = dict[str, Any]

# Corners of all curves together; with 26 tasks and 8 methods about 150 for each, some 3 MB of page.
MOST_CORNERS = 60_000
FEWEST_CORNERS, MOST_CORNERS_EACH, MOST_CORNERS_ALONE = 24, 400, 2400
MOST_CELLS = 500  # of a strip, which is about as many dots wide on a phone
COLUMNS = 4
LONGEST_NAME, LONGEST_TASK = 48, 30
GRAY, PANEL_HEIGHT, ONE_HEIGHT = "#8a8a8a", 190, 420
SYMBOLS = ("circle", "diamond-open", "square-open", "triangle-up-open")
DASHES = ("solid", "dash", "dot", "dashdot")
SHADE = 0.18
HOVER = "<b>%{fullData.name}</b><br>%{x:.1%} of the runs are no better than %{y:.5~g}%{customdata}<extra></extra>"


def waypoints(coordinates: Sequence[FloatArray], most: int) -> IntArray:
    """Which of the common points of one or several curves to keep: at most about `most`.

    Points are kept at equal steps of the way along the curves, each coordinate scaled to 1, together
    with the points before them. So between two kept points no coordinate changes by more than
    2 / most of the whole way, unless the curves jump there, and a jump keeps both its ends.
    """
    size = coordinates[0].size
    if size <= most:
        return np.arange(size)
    way = np.zeros(size)
    for part in coordinates:
        filled = np.nan_to_num(part)
        way[1:] += np.abs(np.diff(filled)) / (float(np.ptp(filled)) or 1.0)
    way = np.cumsum(way)
    found = np.searchsorted(way, np.linspace(0.0, way[-1], max(2, most // 2)))
    return np.unique(np.clip(np.concatenate([found - 1, found, [0, size - 1]]), 0, size - 1))


def numbers(values: FloatArray) -> list[float | None]:
    """Six digits; None where there is no number."""
    return [float(f"{v:.6g}") if np.isfinite(v) else None for v in values.tolist()]


def name(text: str, most: int = LONGEST_NAME) -> str:
    """A name that plotly shows as it is."""
    return html.escape(clipped(text, most), quote=False)


def distribution_figure(display: DistributionDisplay) -> Json:
    """All runs of every method from worst to best; tasks as panels."""
    tasks = display.tasks
    style = display.style
    shown = display.bands
    each = int(np.clip(MOST_CORNERS // max(1, 3 * len(shown)), FEWEST_CORNERS, MOST_CORNERS_EACH))
    traces: list[Json] = []
    spans = []
    for i, task in enumerate(tasks):
        cells = [c for c in shown if c.task == task]
        span, heights = display.lanes(cells)
        spans.append(span)
        for cell in cells:
            parts = _cell(display, cell, style[cell.algorithm], span, heights.get(cell.algorithm), each)
            for trace in parts:
                trace |= {"xaxis": axis_name("x", i), "yaxis": axis_name("y", i), "legendgroup": name(cell.algorithm)}
                trace |= {"name": name(cell.algorithm), "showlegend": False}
            traces += parts
    dotted = {c.algorithm for c in shown if display.has_dots(c)}
    traces += [_legend_entry(m, style[m], m in dotted) for m in display.methods]
    across, up = (html.escape(text, quote=False) for text in display.labels)
    return {"data": traces, "layout": _layout(tasks, spans, (across, up), display.methods)}


def _legend_entry(method: str, look: Look, dotted: bool) -> Json:
    """The line of a method, with its dots where it has some, for the legend alone."""
    entry = line_trace(np.array([np.nan]), np.array([np.nan]), look)
    entry |= {"name": name(method), "legendgroup": name(method), "showlegend": True, "hoverinfo": "skip"}
    return entry | ({"mode": "lines+markers", "marker": _marker(look)} if dotted else {})


def _cell(
    display: DistributionDisplay, cell: CellBand, look: Look, span: tuple[float, float], lane: float | None, each: int
) -> list[Json]:
    shares, scores = display.steps(cell)
    kept = waypoints((shares, scores), each)
    shares, scores = shares[kept], scores[kept]
    parts: list[Json] = []
    banded = display.has_band(cell)
    for at, low, high, limited in display.shades(cell, span) if banded else ():
        # Paler at the ends, where the runs limit one side only.
        kept = waypoints((at, low, high), 2 * each)
        parts.append(_shade(at[kept], low[kept], high[kept], look.color, SHADE if limited else display.pale))
    line = line_trace(shares, scores, look)
    if display.has_dots(cell):  # a dot for each run says more than a hover over steps
        line["hoverinfo"] = "skip"
        line["line"]["width"] = 1.2
        at, runs = display.dots(cell)
        parts.append(_dots(at, runs, look))
    else:
        line |= {"customdata": _limits(cell.band if banded else None, display.goal, shares), "hovertemplate": HOVER}
    parts.append(line)
    if lane is not None:
        parts.append(_crosses(cell, look.color, lane))
    return parts


def line_trace(x: FloatArray, y: FloatArray, look: Look) -> Json:
    """A curve in a method's look."""
    dash = DASHES[look.dash % len(DASHES)]
    return {
        "type": "scatter", "mode": "lines", "x": numbers(x), "y": numbers(y),
        "line": {"color": look.color, "width": 2.2, "dash": dash},
    }  # fmt: skip


def _shade(x: FloatArray, low: FloatArray, high: FloatArray, color: str, alpha: float = SHADE) -> Json:
    """A band as a closed outline."""
    return _area(np.concatenate([x, x[::-1]]), np.concatenate([high, low[::-1]]), color, alpha)


def _area(x: FloatArray, y: FloatArray, color: str, opacity: float) -> Json:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return {
        "type": "scatter", "mode": "lines", "x": numbers(x), "y": numbers(y), "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},{opacity:.3g})", "line": {"width": 0}, "hoverinfo": "skip",
    }  # fmt: skip


def _limits(band: Band | None, goal: str, shares: FloatArray) -> list[str]:
    """What the hover says about the band at each corner."""
    if band is None:
        return [""] * shares.size
    # A corner stands at the end of a step: look just inside it.
    inside = np.clip(np.append(np.diff(shares) / 2, 0.0) + shares, 1e-9, 1 - 1e-9)
    levels = Metric.toward(goal).level(inside)
    middle, low, high = (np.asarray(d.quantile(levels)) for d in (band.estimate, band.high, band.low))
    out = []
    for m, below, above in zip(middle.tolist(), low.tolist(), high.tolist(), strict=True):
        _, *ends = interval_parts(m, below, above)
        out.append(f"<br>band there: {' to '.join(ends)}" if np.isfinite(m) else "")
    return out


def _marker(look: Look) -> Json:
    return {"color": look.color, "size": 7, "symbol": SYMBOLS[look.dash % len(SYMBOLS)]}


def _dots(x: FloatArray, y: FloatArray, look: Look) -> Json:
    return {
        "type": "scatter", "mode": "markers", "x": numbers(x), "y": numbers(y),
        "marker": _marker(look), "hovertemplate": "<b>%{fullData.name}</b><br>a run with %{y:.5~g}<extra></extra>",
    }  # fmt: skip


def _crosses(cell: CellBand, color: str, height: float) -> Json:
    at = (np.arange(cell.n_failed) + 0.5) / cell.n_rows
    at = at[:: max(1, at.size // 40)]
    return {
        "type": "scatter", "mode": "markers", "x": numbers(at), "y": numbers(np.full(at.size, height)),
        "marker": {"color": color, "symbol": "x-thin-open", "size": 9, "line": {"width": 2.2}}, "cliponaxis": False,
        "hovertemplate": f"<b>%{{fullData.name}}</b><br>{cell.n_failed} of {cell.n_rows} runs failed<extra></extra>",
    }  # fmt: skip


def axis_name(letter: str, i: int) -> str:
    """`x`, `x2`, …: how plotly calls the axes of panel i."""
    return letter if i == 0 else f"{letter}{i + 1}"


def _key(letter: str, i: int) -> str:
    """`xaxis`, `xaxis2`, …: where the layout describes them."""
    return f"{letter}axis{i + 1 if i else ''}"


def titled(text: str) -> Json:
    """An axis's title."""
    return {"text": text, "font": {"size": 13}}


def frame(height: int, top: int) -> Json:
    """What every picture's layout shares."""
    return {
        "height": height, "autosize": True, "margin": {"l": 64, "r": 30, "t": top, "b": 52}, "hovermode": "closest",
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": "#222"}, "plot_bgcolor": "#fff", "paper_bgcolor": "#fff",
        "legend": {"orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top", "xref": "paper"},
        "hoverlabel": {"align": "left"},
    }  # fmt: skip


def _legend_height(methods: Sequence[str]) -> int:
    return 26 * (1 + sum(len(clipped(m, LONGEST_NAME)) + 8 for m in methods) // 120) + 8


def _layout(
    tasks: Sequence[str], spans: Sequence[tuple[float, float]], titles: tuple[str, str], methods: Sequence[str]
) -> Json:
    columns = min(COLUMNS, len(tasks))
    rows = -(-len(tasks) // columns)
    legend = _legend_height(methods)
    if len(tasks) == 1:
        layout = frame(ONE_HEIGHT + legend, legend + 4)
        layout["xaxis"] = {**_share_axis(), "title": titled(titles[0])}
        layout["yaxis"] = {**score_axis(spans[0]), "title": titled(titles[1])}
        return layout
    layout = frame(PANEL_HEIGHT * rows + legend + 80, legend + 26)
    layout["annotations"] = []
    gap_x, gap_y, small = 0.065, 46 / (PANEL_HEIGHT * rows), {"tickfont": {"size": 11}}
    for i, task in enumerate(tasks):
        row, column = divmod(i, columns)
        x, y = panel_domain(column, columns, gap_x), panel_domain(rows - 1 - row, rows, gap_y)
        layout[_key("x", i)] = {**_share_axis(small=True), **small, "domain": x, "anchor": axis_name("y", i)}
        layout[_key("y", i)] = {
            **score_axis(spans[i]), **small, "domain": y, "anchor": axis_name("x", i), "nticks": 5,
            "tickformat": "~s" if DistributionDisplay.are_long(spans[i]) else "~g",
        }  # fmt: skip
        layout["annotations"].append(
            annotation(name(task, LONGEST_TASK), sum(x) / 2, y[1], xanchor="center", yanchor="bottom")
        )
    layout["annotations"].append(annotation(titles[0], 0.5, 0, yanchor="top", yshift=-28))
    layout["annotations"].append(annotation(titles[1], 0, 0.5, textangle=-90, xshift=-54))
    return layout


def annotation(text: str, x: float, y: float, **more: Any) -> Json:
    """Words at a place of the whole figure."""
    return {"text": text, "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False, **more}


def panel_domain(i: int, n: int, gap: float) -> list[float]:
    """Where panel i of n stands along one side of the figure."""
    width = (1.0 - gap * (n - 1)) / n
    return [round(i * (width + gap), 5), round(min(1.0, i * (width + gap) + width), 5)]


def _share_axis(*, small: bool = False) -> Json:
    # Small panels leave the sign to the title.
    ticks = [0.0, 0.5, 1.0] if small else [0.0, 0.25, 0.5, 0.75, 1.0]
    return {
        "range": [0, 1], "tickvals": ticks, "ticktext": [f"{100 * t:.0f}{'' if small else ' %'}" for t in ticks], "gridcolor": "#e8e8e8",
        "zeroline": False, "linecolor": "#444", "showline": True,
    }  # fmt: skip


def score_axis(span: tuple[float, float]) -> Json:
    """An axis of scores from one number to another."""
    return {
        "range": [float(f"{v:.6g}") for v in span], "gridcolor": "#e8e8e8", "zeroline": False, "linecolor": "#444",
        "showline": True, "tickformat": "~g",
    }  # fmt: skip


def difference_figure(display: DifferenceDisplay) -> Json:
    """The advantage of one method over another, worst runs to best."""
    span = display.span
    far = (span[0] - (span[1] - span[0]), span[1] + (span[1] - span[0]))
    edges = np.repeat(display.levels, 2)[1:-1]
    seen, low, high = (np.repeat(np.clip(part, *far), 2) for part in (display.estimate, display.low, display.high))
    kept = waypoints([part for part in (edges, seen, low, high) if part.size], MOST_CORNERS_ALONE)
    edges, seen = edges[kept], seen[kept]
    names = {"a": display.a, "b": display.b}
    traces: list[Json] = []
    if low.size:
        traces.append(_shade(edges, low[kept], high[kept], GRAY) | {"name": "what the data allow"})
    traces.append(
        {
            "type": "scatter", "mode": "lines", "x": numbers(edges), "y": numbers(seen), "name": "difference seen",
            "line": {"color": "#000", "width": 2}, "hovertemplate": "at %{x:.1%} of the runs: %{y:.4~g}<extra></extra>",
        }
    )  # fmt: skip
    layout = frame(ONE_HEIGHT, 40)
    layout["xaxis"] = {**_share_axis(), "title": titled("share of runs, worst → best")}
    label = html.escape(display.label, quote=False).replace("\n", "<br>")
    layout["yaxis"] = {**score_axis(span), "title": titled(label), "zeroline": True, "zerolinecolor": "#000"}
    layout["margin"]["l"] = 84
    layout["shapes"] = [
        {"type": "rect", "x0": p, "x1": q, "y0": 0, "y1": 1, "yref": "paper", "fillcolor": display.colors[who], "opacity": 0.14,
         "line": {"width": 0}, "layer": "below"} for p, q, who in display.certain
    ]  # fmt: skip
    layout["annotations"] = [
        {"text": f"{name(names[who], 24)}<br>certainly better", "x": (p + q) / 2, "y": 0.98, "yref": "paper", "yanchor": "top",
         "showarrow": False} for p, q, who in display.certain if q - p >= 0.18
    ]  # fmt: skip
    return {"data": traces, "layout": layout}


def best_of_figure(display: BestOfDisplay) -> Json:
    """What the best of k draws of every method reaches, on one task."""
    style = display.style
    traces: list[Json] = []
    for curve in display.curves:
        look, seen = style[curve.algorithm], curve.limited
        group = {"legendgroup": name(curve.algorithm), "name": name(curve.algorithm)}
        if curve.has_band:
            shade = _shade(curve.k[seen], curve.low[seen], curve.high[seen], look.color)
            traces.append({**shade, **group, "showlegend": False})
        hover = "<b>%{fullData.name}</b><br>best of %{x}: %{y:.5~g} or better in half of all cases<extra></extra>"
        traces.append({**line_trace(curve.k, curve.estimate, look), **group, "hovertemplate": hover})
    layout = frame(ONE_HEIGHT, 40)
    across, up = (html.escape(text, quote=False) for text in display.labels)
    most = max(float(curve.k[-1]) for curve in display.curves)
    layout["xaxis"] = {**size_axis(np.array([1.0, most]), span=(0.95, 1.05 * most)), "title": titled(across)}
    layout["yaxis"] = {"title": titled(up), "gridcolor": "#e8e8e8", "zeroline": False, "tickformat": "~g"}
    return {"data": traces, "layout": layout}


def profile_figure(display: ProfileDisplay) -> Json:
    """How often each method is within τ of the best, or has scores above τ."""
    found = display.profile
    style = display.style
    what = "runs" if found.kind == "score" else "tasks"
    hover = f"<b>%{{fullData.name}}</b><br>τ = %{{x:.4~g}}: %{{y:.1%}} of the {what}<extra></extra>"
    shades: list[Json] = []
    lines: list[Json] = []
    for method in reversed(display.drawn):  # the best one on top
        s = display.steps(method)
        tau = np.repeat(s.tau, 2)[1:]
        seen, low, high = (np.repeat(side, 2)[:-1] for side in (s.estimate, s.low, s.high))
        group = {"legendgroup": name(method), "name": name(method)}
        if method in display.banded:
            kept = waypoints((tau, low, high), MOST_CORNERS_EACH)
            shades.append(
                {**_shade(tau[kept], low[kept], high[kept], style[method].color), **group, "showlegend": False}
            )
        kept = waypoints((tau, seen), MOST_CORNERS_EACH)
        lines.append({**line_trace(tau[kept], seen[kept], style[method]), **group, "hovertemplate": hover})
    legend = _legend_height(display.drawn)
    layout = frame(ONE_HEIGHT + legend, legend + 4)
    layout["legend"]["traceorder"] = "reversed"
    across, up = (html.escape(text, quote=False) for text in display.labels)
    ends = np.array([found.start, display.tau_max])
    layout["xaxis"] = {**score_axis((float(ends[0]), float(ends[1]))), "title": titled(across)}
    if found.kind == "ratio":
        ticks = {"tickvals": numbers(display.powers), "ticktext": [f"{t:g}×" for t in display.powers]}
        layout["xaxis"] |= {"type": "log", "range": numbers(np.log10(ends)), **ticks}
    layout["yaxis"] = {**_share_axis(), "range": [0, 1.015], "title": titled(up)}
    return {"data": [*shades, *lines], "layout": layout}


ACROSS, LONGEST_LABEL = 4, 30
OTHERS = "#c8c8c8"
# Sizes of a curve that are drawn: in one picture, in a panel of its own, and gray behind the others. With
# every size of ten models the gray lines alone were a megabyte.
MOST_SIZES_ALONE, MOST_SIZES_EACH, MOST_SIZES_BEHIND = 600, 300, 80
LEGEND, ROW = 34, 46
SIZE = "training-set size n"


def fan_figure(display: FanDisplay) -> Json:
    """Mean and outer quantiles at every size: up to three models together, more with a panel each."""
    style, alone = display.style, display.together
    panels = [display.fans] if alone else [(fan,) for fan in display.fans]
    most = MOST_SIZES_ALONE if alone else MOST_SIZES_EACH
    thinned = {fan.model: _thinned(fan, most) for fan in display.fans}
    quiet = {fan.model: _thinned(fan, MOST_SIZES_BEHIND) for fan in display.fans}
    traces: list[Json] = []
    for i, fans in enumerate(panels):
        others = [quiet[f.model] for f in display.fans if f not in fans]
        drawn = [_mean(f, Look(OTHERS), 1.0) | {"hoverinfo": "skip", "showlegend": False} for f in others]
        for fan in (thinned[f.model] for f in fans):
            if len(display.fans) == 1:
                middle = shades(fan.sizes, fan.inner_low, fan.inner_high, style[fan.model].color)
                drawn += [shade | {"showlegend": False} for shade in middle]
            look = style[fan.model] if alone else Look(style[fan.model].color)  # its name stands above it
            drawn += _fan(fan, look, display.share, legend=alone and len(display.fans) > 1)
        traces += [trace | {"xaxis": axis_name("x", i), "yaxis": axis_name("y", i)} for trace in drawn]
    sizes = display.fans[0].sizes
    label = html.escape(display.label, quote=False)
    layout = _grid(len(panels), PANEL_HEIGHT + 20) if not alone else frame(ONE_HEIGHT + LEGEND, LEGEND + 4)
    span = span_of([part for fan in display.fans for part in (fan.low, fan.high, fan.mean)])
    for i in range(len(panels)):
        layout.setdefault(_key("x", i), {}).update(size_axis(sizes, few=not alone))
        layout.setdefault(_key("y", i), {}).update(score_axis(span))
    if alone:
        layout["xaxis"]["title"], layout["yaxis"]["title"] = titled(SIZE), titled(label)
    else:
        _titles(layout, [fan.model for fan in display.fans])
        _common(layout, SIZE, label)
    return {"data": traces, "layout": layout}


def _thinned(fan: Fan, most: int) -> Fan:
    """A fan at about so many sizes; all of them where there are few, and both sides of every gap."""
    parts = (fan.mean, fan.low, fan.high)
    known = np.isfinite(fan.mean)
    edges = np.flatnonzero(np.diff(known.astype(int)))
    kept = np.unique(np.concatenate([waypoints((np.log(fan.sizes), *parts), most), edges, edges + 1]).astype(int))
    every = {part.name: getattr(fan, part.name) for part in fields(fan) if part.name != "model"}
    return replace(fan, **{key: values[kept] for key, values in every.items()})


def _joined(cells: Sequence[Any]) -> list[Any]:
    """Neighbors that look the same as one cell; of more cells than a screen has dots, each look that a dot holds, once."""

    def look(cell: Any) -> tuple[Any, ...]:
        return cell.who, cell.full, cell.color

    runs = [list(run) for _, run in itertools.groupby(cells, look)]
    found = [replace(run[0], high=run[-1].high) for run in runs]
    if len(found) <= MOST_CELLS:
        return found
    first, wide = found[0].low, math.log(found[-1].high / found[0].low) / MOST_CELLS
    out: list[Any] = []
    for _, dot in itertools.groupby(found, lambda cell: int(math.log(cell.low / first) / wide)):
        short = list(dot)
        long = [short.pop()] if math.log(short[-1].high / short[-1].low) > wide else []
        looks = list({look(cell): cell for cell in short}.values())
        ends = np.geomspace(short[0].low, short[-1].high, len(looks) + 1).tolist() if short else []
        out += [replace(cell, low=a, high=b) for cell, (a, b) in zip(looks, itertools.pairwise(ends), strict=True)]
        out += long
    return out


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
    return [*(shade | quiet for shade in shades(fan.sizes, fan.low, fan.high, look.color)), *edges, mean]


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


def shades(x: FloatArray, low: FloatArray, high: FloatArray, color: str) -> list[Json]:
    """A shade for every stretch of sizes without a gap."""
    known = np.concatenate([[False], np.isfinite(low) & np.isfinite(high), [False]])
    edges = np.flatnonzero(np.diff(known.astype(int)))
    return [_shade(x[i:j], low[i:j], high[i:j], color, 0.16) for i, j in zip(edges[::2], edges[1::2], strict=True)]


def strips_figure(display: StripsDisplay, labels: Sequence[str], words: tuple[str, str] = ("", "")) -> Json:
    """Strips along the sizes, equal neighbors as one; `words` are added to a name where it is drawn in full and where pale.

    Names that share their color with an earlier one are hatched.
    """
    found: dict[tuple[str, bool], tuple[str, list[float], list[float]]] = {}
    for row, cells in enumerate(display.strips.values()):
        for cell in _joined(cells):
            _, x, y = found.setdefault((cell.who, cell.full), (cell.color, [], []))
            x += [cell.low, cell.high, cell.high, cell.low, cell.low, math.nan]
            top, bottom = row - display.reach(cell), row + display.reach(cell)
            y += [top, top, bottom, bottom, top, math.nan]
    names = list(display.key)

    def place(one: tuple[str, bool]) -> tuple[int, bool]:
        """In the order of the key, the full color before the pale one, what has no name last."""
        return (names.index(one[0]) if one[0] in names else len(names), not one[1])

    traces = []
    for (who, full), (color, x, y) in sorted(found.items(), key=lambda one: place(one[0])):
        said = f"{name(who)}{words[0] if full else words[1]}" if who else "thin: equal, or no score"
        area = _area(np.array(x[:-1]), np.array(y[:-1]), color, display.opacity(full))
        if who in display.recolored:
            pattern = {"shape": "/", "bgcolor": area["fillcolor"], "fgcolor": "#fff", "size": 8, "solidity": 0.2}
            area["fillpattern"] = pattern
        traces.append(area | {"name": said, "text": said, "hoverinfo": "text", "hoveron": "fills", "showlegend": True})
    rows = len(display.strips)
    lines = 1 + sum(len(trace["name"]) + 10 for trace in traces) // 90
    above = 30 + 24 * lines
    layout = frame(34 * rows + above + 60, above)
    layout["legend"]["y"] = 1.0 - 26 / layout["height"]  # below the buttons
    edges = [end for cells in display.strips.values() for cell in cells for end in (cell.low, cell.high)]
    layout["xaxis"] = {**size_axis(display.sizes, span=(min(edges), max(edges))), "title": titled(SIZE)}
    layout["yaxis"] = {
        "tickvals": list(range(rows)), "ticktext": [name(label, LONGEST_LABEL) for label in labels],
        "range": [rows - 0.45, -0.55], "showgrid": False, "zeroline": False, "automargin": True, "fixedrange": True,
    }  # fmt: skip
    return {"data": traces, "layout": layout}


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
    span = span_of(ends)
    labels = [name(label, LONGEST_LABEL) for label in reversed(displays[0].labels)]
    for i in range(len(displays)):
        first = i % min(ACROSS, len(displays)) == 0
        layout[_key("x", i)] |= score_axis(span) | {"nticks": 5}
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


def span_of(parts: Sequence[FloatArray]) -> tuple[float, float]:
    """From the least to the largest number, with some room."""
    known = np.concatenate([np.ravel(part) for part in parts])
    known = known[np.isfinite(known)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = 0.03 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


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
    font = {"size": 13}
    layout["annotations"].append(annotation(across, 0.5, 0, yanchor="top", yshift=-28, font=font))
    if up:
        layout["annotations"].append(annotation(up, 0, 0.5, textangle=-90, xshift=-54, font=font))
