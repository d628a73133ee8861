"""A picture without scripts: the same figure that plotly draws, as SVG within the page.

A mail preview runs no script and a printer shows no hover; both get this one. It is made from the very
dictionary that plotly gets, so that the two cannot tell different numbers. Each panel is an SVG of its
own: a grid of the page's style puts them beside each other on a desk and below each other on a phone.
Ink is `currentColor`, so that dark and light are the page's affair.
"""

from __future__ import annotations

import html
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ogive.report._page import Html, element, join, text

Json: TypeAlias = dict[str, Any]
Value: TypeAlias = float | None

# Width, height and size of type of a picture that stands alone, and of one panel of several. Wider ones had letters of 8 px on a phone.
ALONE, PANEL = (440, 290, 13), (250, 188, 11)
ROW_HEIGHT = 40  # of strips and slices, whose rows need room
LETTER = 0.56  # width of a letter, of its height
NEAR = 0.6  # units of the picture below which the next corner is not seen
TAGS = re.compile(r"</?b>")
INK = {
    "#000": "currentColor",
    "#000000": "currentColor",
    "#222": "currentColor",
    "#444": "currentColor",
    "#c8c8c8": "var(--behind)",
}
DASHES = {"dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3"}


def static(figure: Json) -> Html:
    """The figure as legend, panels and titles of axes."""
    layout, traces = figure["layout"], figure["data"]
    keys = sorted((k for k in layout if k.startswith("xaxis")), key=lambda k: int(k[5:] or 1))
    notes = layout.get("annotations", [])
    several = len(keys) > 1
    titles = [_plain(n["text"]) for n in notes[: len(keys)]] if several else [""]
    across, up = _axis_titles(layout, notes[len(keys) :] if several else None)
    rows = [
        _Panel.of(figure, key[5:], PANEL if several else ALONE).drawn(title or f"{up} against {across}")
        for key, title in zip(keys, titles, strict=True)
    ]
    if several:
        rows = [element("div", element("p", title), row) for title, row in zip(titles, rows, strict=True)]
    return element(
        "div",
        _legend(traces, layout),
        element("p", f"↑ {up}", class_="axis") if up else Html(""),
        element("div", *rows, class_="grid" if several else "one"),
        element("p", f"{across} →", class_="axis across") if across else Html(""),
        class_="static",
    )


def _axis_titles(layout: Json, common: Sequence[Json] | None) -> tuple[str, str]:
    """Words for across and up; `common` are the annotations in which several panels share them."""
    if common is None:
        across, up = (_plain(layout[key].get("title", {}).get("text", "")) for key in ("xaxis", "yaxis"))
        return across, up
    turned = [n for n in common if n.get("textangle")]
    flat = [n for n in common if not n.get("textangle")]
    return (_plain(flat[0]["text"]) if flat else ""), (_plain(turned[0]["text"]) if turned else "")


def _plain(words: str) -> str:
    """Words as they were before they were escaped for plotly, on one line."""
    return html.unescape(TAGS.sub("", words.replace("<br>", " ")))


def _legend(traces: Sequence[Json], layout: Json) -> Html:
    """A sample of line, fill or mark beside each name."""
    entries = [t for t in traces if t.get("name") and t.get("showlegend", True)]
    if layout.get("legend", {}).get("traceorder") == "reversed":
        entries.reverse()
    if len({t["name"] for t in entries}) < 2 and not any("fill" in t for t in entries):
        return Html("")
    lines = [element("li", _sample(t), _plain(t["name"])) for t in entries]
    return element("ul", *lines, class_="legend")


def _sample(trace: Json) -> Html:
    if "fill" in trace:
        inside = Html(f'<rect width="26" height="12" {_fill(trace)}/>')
    else:
        inside = Html(f'<path d="M0 6H26" {_stroke(trace)}/>')
        if "markers" in trace.get("mode", ""):
            inside = Html(inside + _mark(13.0, 6.0, trace))
    return element("svg", inside, viewBox="0 0 26 12", width="26", height="12", aria_hidden="true")


@dataclass(frozen=True, slots=True)
class _Axis:
    """One axis of a panel: from values to the shares of the way along it."""

    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, str], ...]

    @classmethod
    def of(cls, given: Mapping[str, Any], values: Sequence[Value]) -> _Axis:
        log = given.get("type") == "log"
        low, high = given.get("range") or _reach(values, log)
        if "tickvals" in given:
            at = [float(v) for v in given["tickvals"]]
            ticks = list(zip(at, (_plain(str(t)) for t in given["ticktext"]), strict=True))
        else:
            ticks = [(v, _number(v, given.get("tickformat", ""))) for v in _ticks(low, high, log)]
        inside = [(math.log10(v) if log and v > 0 else v, words) for v, words in ticks]
        return cls(
            low, high, log, tuple((v, w) for v, w in inside if min(low, high) - 1e-9 <= v <= max(low, high) + 1e-9)
        )

    def share(self, value: float) -> float:
        """0 at the axis's start, 1 at its end."""
        if self.log:
            value = math.log10(value) if value > 0 else self.low - 1.0
        return self.along(value)

    def along(self, place: float) -> float:
        """As `share`, of a value that is a logarithm already where the axis is logarithmic."""
        return (place - self.low) / ((self.high - self.low) or 1.0)


def _reach(values: Sequence[Value], log: bool) -> tuple[float, float]:
    """From the least to the largest value, with some room."""
    known = [math.log10(v) if log else v for v in values if v is not None and (v > 0 or not log)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Four to seven round numbers."""
    if log:
        powers = range(math.floor(low), math.ceil(high) + 1)
        return [f * 10.0**k for k in powers for f in (1, 2, 5) if low <= math.log10(f * 10.0**k) <= high]
    low, high = min(low, high), max(low, high)
    rough = (high - low) / 5 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * 0.99)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _number(value: float, form: str) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if form == "~s" and abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:,.0f}" if form == ",d" else f"{value:g}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class _Panel:
    """Axes, marks and words of one panel."""

    traces: tuple[Json, ...]
    x: _Axis
    y: _Axis
    layout: Json
    frame: tuple[float, float, float, float]  # left, top, width, height of the drawing
    size: tuple[int, int, int]
    zero: bool

    @classmethod
    def of(cls, figure: Json, number: str, size: tuple[int, int, int]) -> _Panel:
        layout = figure["layout"]
        own = (f"x{number}", f"y{number}")
        traces = tuple(t for t in figure["data"] if (t.get("xaxis", "x"), t.get("yaxis", "y")) == own)
        x, y = (
            _Axis.of(layout[f"{letter}axis{number}"], [v for t in traces for v in t[letter]]) for letter in ("x", "y")
        )
        width, height, letter = size
        if len(y.ticks) and "tickvals" in layout[f"yaxis{number}"] and not _are_shares(y):
            height = max(height if size is PANEL else 0, ROW_HEIGHT * len(y.ticks) + 46)
        left = 10 + LETTER * letter * max((len(words) for _, words in y.ticks), default=0)
        left = min(left, 0.45 * width)
        right = max(14.0, 4 + 0.5 * LETTER * letter * max((len(words) for _, words in x.ticks[-1:]), default=0))
        frame = (left, 8.0, width - left - right, height - 16.0 - 1.5 * letter)
        zero = bool(layout[f"yaxis{number}"].get("zeroline"))
        return cls(traces, x, y, layout if not number else {}, frame, (width, height, letter), zero)

    def drawn(self, title: str) -> Html:
        """The SVG; what lies outside the frame is cut by an SVG within."""
        width, height, letter = self.size
        left, top, across, up = self.frame
        inside = join([*self._grid_lines(), *self._shapes(), *(self._trace(t) for t in self.traces), *self._notes()])
        clipped = element("svg", inside, x=_n(left), y=_n(top), width=_n(across), height=_n(up))
        frame = Html(f'<path class="frame" d="M{_n(left)} {_n(top)}v{_n(up)}h{_n(across)}"/>')
        return element(
            "svg", clipped, frame, *self._labels(), viewBox=f"0 0 {width} {height}", role="img", aria_label=title,
            font_size=str(letter),
        )  # fmt: skip

    def _at(self, x: float, y: float) -> tuple[float, float]:
        return self.x.share(x) * self.frame[2], (1.0 - self.y.share(y)) * self.frame[3]

    def _grid_lines(self) -> list[Html]:
        _, _, across, up = self.frame
        d = "".join(f"M{_n(self.x.along(v) * across)} 0v{_n(up)}" for v, _ in self.x.ticks)
        d += "".join(f"M0 {_n((1 - self.y.along(v)) * up)}h{_n(across)}" for v, _ in self.y.ticks)
        lines = [Html(f'<path class="lines" d="{d}"/>')]
        if self.zero:
            lines.append(Html(f'<path class="frame" d="M0 {_n((1 - self.y.along(0.0)) * up)}h{_n(across)}"/>'))
        return lines

    def _labels(self) -> list[Html]:
        left, top, across, up = self.frame
        letter = self.size[2]
        said = []
        for v, words in self.x.ticks:
            at = {"x": _n(left + self.x.along(v) * across), "y": _n(top + up + 1.3 * letter), "text_anchor": "middle"}
            said.append(element("text", words, **at))
        for v, words in self.y.ticks:
            at = {"x": _n(left - 5), "y": _n(top + (1 - self.y.along(v)) * up + 0.35 * letter), "text_anchor": "end"}
            said.append(element("text", _fitting(words, (left - 8) / (LETTER * letter)), **at))
        return said

    def _shapes(self) -> list[Html]:
        _, _, across, up = self.frame
        drawn = []
        for shape in self.layout.get("shapes", ()):
            x, end = (self.x.share(shape[k]) * across for k in ("x0", "x1"))
            look = f'fill="{text(shape["fillcolor"])}" fill-opacity="{shape["opacity"]:g}"'
            drawn.append(Html(f'<rect x="{_n(x)}" width="{_n(end - x)}" height="{_n(up)}" {look}/>'))
        return drawn

    def _notes(self) -> list[Html]:
        """Words that stand at a place of the data; those at places of the figure are titles."""
        _, _, across, up = self.frame
        said = []
        for note in self.layout.get("annotations", ()):
            if note.get("xref") == "paper":
                continue
            at = self.x.share(note["x"]) * across
            y = (1.0 - note["y"]) * up + self.size[2]
            lines = [_plain(line) for line in note["text"].split("<br>")]
            spans = [element("tspan", line, x=_n(at), dy="0" if i == 0 else "1.2em") for i, line in enumerate(lines)]
            color = note.get("font", {}).get("color", "#000")
            said.append(element("text", *spans, y=_n(y), text_anchor="middle", style=f"fill:{INK.get(color, color)}"))
        return said

    def _trace(self, trace: Json) -> Html:
        parts = []
        if "lines" in trace.get("mode", ""):
            d = self._path(trace)
            if d and "fill" in trace:
                parts.append(Html(f'<path d="{d}" {_fill(trace)}/>'))
            elif d:
                parts.append(Html(f'<path d="{d}" {_stroke(trace)}/>'))
        if "markers" in trace.get("mode", ""):
            sizes = trace["marker"]["size"]
            each = sizes if isinstance(sizes, list) else itertools.repeat(sizes)
            for x, y, size in zip(trace["x"], trace["y"], each, strict=False):
                if x is not None and y is not None and size:
                    parts.append(_mark(*self._at(x, y), trace))
        return join(parts)

    def _path(self, trace: Json) -> str:
        """The line through all points; a gap begins anew, and corners too near to be seen are left out."""
        words: list[str] = []
        before: tuple[float, float] | None = None
        points = list(zip(trace["x"], trace["y"], strict=True))
        for i, (x, y) in enumerate(points):
            if x is None or y is None:
                before = None
                continue
            across, up = (round(min(max(v, -9e3), 9e3), 1) for v in self._at(x, y))
            if before is None:
                words.append(f"M{_n(across)} {_n(up)}")
            elif abs(across - before[0]) + abs(up - before[1]) < NEAR and i + 1 < len(points):
                continue
            elif up == before[1]:
                words.append(f"H{_n(across)}")
            elif across == before[0]:
                words.append(f"V{_n(up)}")
            else:
                words.append(f"L{_n(across)} {_n(up)}")
            before = (across, up)
        return "".join(words) if len(words) > 1 else ""


def _are_shares(axis: _Axis) -> bool:
    """Whether the ticks are shares of runs and not names of rows."""
    return all("%" in words or words.replace(".", "").isdigit() for _, words in axis.ticks)


def _fitting(words: str, most: float) -> str:
    return words if len(words) <= max(most, 3) else f"{words[: max(2, int(most) - 1)]}…"


def _n(value: float) -> str:
    """A tenth of a unit is less than a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def _fill(trace: Json) -> str:
    red, green, blue, opacity = re.fullmatch(r"rgba\((\d+),(\d+),(\d+),([\d.e-]+)\)", trace["fillcolor"]).groups()  # type: ignore[union-attr]
    color = f"rgb({red},{green},{blue})" if any(map(int, (red, green, blue))) else "currentColor"
    look = f'fill="{color}" fill-opacity="{opacity}"'
    line = trace.get("line", {})
    if "fillpattern" in trace:  # a second method of the same color
        return f'{look} class="again"'
    return look if not line.get("width") else f'{look} stroke="{_ink(line["color"])}" stroke-width="{line["width"]:g}"'


def _stroke(trace: Json) -> str:
    line = trace["line"]
    dash = f' stroke-dasharray="{DASHES[line["dash"]]}"' if line.get("dash") in DASHES else ""
    return f'fill="none" stroke="{_ink(line["color"])}" stroke-width="{0.75 * line["width"]:.2g}"{dash}'


def _ink(color: str) -> str:
    return str(text(INK.get(color, color)))


def _mark(x: float, y: float, trace: Json) -> Html:
    marker = trace["marker"]
    color, symbol = _ink(marker["color"]), str(marker["symbol"])
    if symbol.startswith("x-thin"):
        return Html(f'<path d="M{_n(x - 3)} {_n(y - 3)}l6 6m0-6l-6 6" stroke="{color}" stroke-width="1.6"/>')
    shape = {"diamond": "m0-4l4 4l-4 4l-4-4z", "square": "m-3-3h6v6h-6z", "triangle": "m0-4l4 7h-8z", "line": "m-4 0h8"}
    found = next((d for kind, d in shape.items() if symbol.startswith(kind)), None)
    if found is None:
        return Html(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="2.4" fill="{color}"/>')
    return Html(f'<path d="M{_n(x)} {_n(y)}{found}" fill="none" stroke="{color}" stroke-width="1.3"/>')
