"""The HTML around it all: escaping, style, and the policy that forbids the network.

Text becomes HTML in one place, `element`, which escapes every child that is not `Html` already. Data
for the pictures stand in `<script type="application/json">` and are only ever parsed. The policy
names the two scripts of the page by their hash: no other script runs, and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

STYLE = """
:root {
  color-scheme: light dark; --back: #fafaf8; --paper: #fff; --ink: #222; --quiet: #555; --line: #ddd; --grid: #e8e8e8; --soft: #f5f5f2;
  --link: #005a9c; --mark: #0072B2; --claim: #eef5fa; --open: #f6f4ec; --opened: #8a6d00; --better: #cfe4f2; --worse: #f8dcc9; --behind: #c8c8c8;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --back: #101214; --paper: #181b1e; --ink: #e6e6e3; --quiet: #b0b3b5; --line: #3a3f44; --grid: #2d3236; --soft: #22262a;
    --link: #7cc0f5; --mark: #56B4E9; --claim: #16293a; --open: #2b2718; --opened: #d5b040; --better: #174463; --worse: #5c3115; --behind: #596066;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 24px 28px 80px; background: var(--paper); }
h1 { font-size: 1.55rem; margin: 0.2em 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4em 0 0.5em; padding-top: 0.4em; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5em 0 0.4em; overflow-wrap: anywhere; }
p, li, dd { overflow-wrap: anywhere; }
a { color: var(--link); }
.opening { font-size: 1.05rem; color: var(--quiet); margin: 0.2em 0 1em; }
.verdict { font-size: 1.2rem; background: var(--claim); border-left: 5px solid var(--mark); padding: 12px 16px; margin: 14px 0; }
.undecided { background: var(--open); border-left-color: var(--opened); }
.caption, .note, .basis { color: var(--quiet); font-size: 0.9rem; }
.cards { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 16px 0; padding: 0; list-style: none; }
.card { border: 1px solid var(--line); border-top: 4px solid var(--line); border-radius: 4px; padding: 10px 12px; font-size: 0.88rem; line-height: 1.4; }
.card.told { border-top-color: var(--mark); } .card.decides { background: var(--claim); }
.card h3 { margin: 0; font-size: 0.85rem; font-weight: 600; color: var(--quiet); } .card p { margin: 0.35em 0 0; }
.card .who { font-size: 1.12rem; font-weight: 600; } .card .sure { color: var(--quiet); }
nav { font-size: 0.9rem; margin: 1em 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
/* Without scripts the edge of a table that goes on is a bar that stays; at its end a second one, which scrolls, covers it. */
.wide { overflow-x: auto; margin: 0.8em 0; max-width: 100%;
  background: linear-gradient(var(--paper), var(--paper)) right / 5px 100% no-repeat local, linear-gradient(var(--mark), var(--mark)) right / 4px 100% no-repeat scroll; }
.wide.cut { border-right: 4px double var(--mark); padding-bottom: 4px; background: none; }
table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { border-bottom: 2px solid var(--quiet); font-weight: 600; vertical-align: bottom; }
.wide.cut th:first-child { position: sticky; left: 0; background: var(--paper); z-index: 1; min-width: min(10em, 28vw); max-width: 45vw; }
caption { text-align: left; font-weight: 600; padding: 6px 10px; }
td small { color: var(--quiet); white-space: nowrap; display: block; }
td.best { font-weight: 700; white-space: nowrap; } td.best small { font-weight: 400; } td.best::before { content: "● "; color: var(--mark); font-size: 0.7em; vertical-align: 0.15em; }
.range { display: block; position: relative; height: 7px; width: 84px; margin-top: 2px; background: linear-gradient(var(--line), var(--line)) 0 3px / 100% 1px no-repeat; }
.range i { position: absolute; top: 2px; height: 3px; min-width: 1px; background: var(--mark); } .range u { position: absolute; top: 0; height: 7px; width: 2px; margin-left: -1px; background: var(--ink); }
.dense { font-size: 0.78rem; } .dense th, .dense td { padding: 3px 5px; } .dense .range { width: 64px; }
.pairs td { text-align: center; border: 1px solid var(--line); padding: 4px 5px; } .pairs small { color: var(--ink); }
.better { background: var(--better); } .worse { background: var(--worse); } .better small, .worse small { color: var(--ink); }
.track { position: relative; height: 16px; min-width: 240px; background: var(--soft); }
.bar { position: absolute; top: 2px; bottom: 2px; background: var(--mark); border-radius: 3px; }
.tier2 td, .tier2 th { background: var(--soft); }
dt { font-weight: 600; margin-top: 0.7em; } dd { margin: 0.1em 0 0 0; }
details { margin: 0.7em 0; border: 1px solid var(--line); border-radius: 4px; padding: 6px 12px; }
summary { cursor: pointer; }
pre { white-space: pre; overflow: auto; max-height: 340px; font-size: 0.8rem; background: var(--soft); padding: 10px; }
blockquote { margin: 0.6em 0; padding: 8px 16px; background: var(--soft); overflow-wrap: anywhere; }
button { font: inherit; font-size: 0.8rem; }
.picture { margin: 0.8em 0; } .picture.live > .static, .picture:not(.live) > .figure { display: none; } .picture:not(.live) + .caption .hint { display: none; }
.static svg { display: block; width: 100%; height: auto; overflow: visible; } .static svg svg { overflow: hidden; } .static text { fill: currentColor; }
.static .one { max-width: 560px; } .static .axis { font-size: 0.85rem; margin: 0.2em 0; } .static .across { text-align: right; max-width: 560px; }
.static .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); gap: 10px 14px; }
.static .grid p { margin: 0; font-size: 0.8rem; text-align: center; } .static .grid + .across { max-width: none; text-align: center; }
.lines { stroke: var(--grid); fill: none; } .frame { stroke: currentColor; stroke-opacity: 0.7; fill: none; } .again { stroke: var(--paper); stroke-width: 2; stroke-dasharray: 3 3; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 0 0 0.4em; padding: 0; list-style: none; font-size: 0.85rem; }
.static .legend svg { display: inline-block; width: 26px; height: 12px; margin-right: 6px; vertical-align: middle; }
@media screen { .wide thead th:first-child { min-width: 7em; } .wide thead th:last-child { min-width: 6em; } }
@media (max-width: 900px) { .cards { grid-template-columns: repeat(2, 1fr); } }
@media (max-width: 640px) {
  main { padding: 16px 16px 60px; }
  .cards { grid-template-columns: 1fr; } .modebar-container { display: none; } .track { min-width: 110px; }
  .stacked thead { display: none; } .stacked tr, .stacked th, .stacked td { display: block; border: 0; padding: 1px 0; }
  .stacked tr { padding: 7px 0; border-bottom: 1px solid var(--line); }
}
@page { margin: 14mm; }
@media print {
  body, main { background: #fff; } main { max-width: none; padding: 0; } body { font-size: 11pt; }
  nav, button, .copy, .hint { display: none; } .picture, .card, tr, .verdict { break-inside: avoid; } h2, h3, dt { break-after: avoid; }
  .picture > .figure { display: none !important; } .picture > .static { display: block !important; }
  .static .one, .static .across { max-width: 480px; } .static .grid { grid-template-columns: repeat(3, 1fr); } .static .grid > div { break-inside: avoid; }
  .picture:has(.grid > :nth-child(13)) { break-inside: auto; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .wide, .wide.cut { overflow: visible; border: 0; background: none; } .wide.cut th:first-child { position: static; max-width: none; min-width: 0; } table { font-size: 0.7rem; } th, td { padding: 2px 4px; }
  .pairs, .pairs td, .dense, .dense th, .dense td { font-size: 0.6rem; padding: 2px 3px; } .pairs small, .dense small { white-space: normal; } .range, .dense .range { width: 100%; max-width: 84px; }
  .pairs th:first-child { width: 8em; }
  .cards { grid-template-columns: repeat(4, 1fr); }
  .bar, .range i, .range u, .better, .worse, .claim, .verdict, .tier2 td, .tier2 th { print-color-adjust: exact; }
}
"""

# Draws the pictures in place of the static ones, and gives every block of text to copy a button. Text is set by textContent only.
SCRIPT = """
"use strict";
(function () {
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  // Plotly's own set of buttons holds one that uploads the picture: they are named one by one.
  var buttons = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"];
  var options = { responsive: true, displaylogo: false, modeBarButtons: [buttons], plotlyServerURL: "" };
  var black = ["#000", "#000000", "#222", "#444"];

  function axes(layout, letter) {
    return Object.keys(layout).filter(function (key) { return key.indexOf(letter + "axis") === 0; });
  }

  // Panels of several columns become fewer columns where the screen is narrow.
  function fold(layout, width) {
    var across = axes(layout, "x"), n = across.length;
    var had = across.filter(function (key) { return layout[key.replace("x", "y")].domain[1] === layout.yaxis.domain[1]; }).length;
    var columns = width < 480 ? 1 : width < 700 ? 2 : had;
    if (columns >= had) { return; }
    var rows = Math.ceil(n / columns), inside = layout.height - layout.margin.t - layout.margin.b;
    var each = (layout.yaxis.domain[1] - layout.yaxis.domain[0]) * inside, gap = 54;
    var whole = rows * (each + gap) - gap, wide = (1 - 0.12 * (columns - 1)) / columns;
    across.forEach(function (key, i) {
      var row = Math.floor(i / columns), left = (i % columns) * (wide + 0.12);
      var top = 1 - row * (each + gap) / whole, up = layout[key.replace("x", "y")];
      layout[key].domain = [left, left + wide];
      up.domain = [Math.max(0, top - each / whole), top];
      if (up.showticklabels === false) { up.showticklabels = i % columns === 0; }
      layout.annotations[i].x = left + wide / 2;
      layout.annotations[i].y = top;
    });
    layout.height = whole + layout.margin.t + layout.margin.b;
  }

  // Where the page is narrower than it may be, the legend takes more lines.
  function legend(layout, data, width) {
    var named = data.filter(function (trace) { return trace.name && trace.showlegend !== false; });
    var longest = Math.max.apply(null, named.map(function (trace) { return trace.name.length; }).concat(0));
    var columns = Math.max(1, Math.floor(width / (7 * longest + 56)));
    var wanted = named.length > 1 || layout.margin.t > 60 ? 21 * Math.ceil(named.length / columns) + 34 : 0;
    var more = Math.max(0, wanted - layout.margin.t);
    layout.margin.t += more;
    layout.height += more;
  }

  // On a narrow screen the titles of axes take several lines, and fewer labels fit.
  function narrow(layout, width) {
    layout.legend.y = 1;
    function wrapped(text, most) {
      var lines = [""];
      text.split(" ").forEach(function (word) {
        var line = lines[lines.length - 1];
        if (line && line.length + word.length >= most) { lines.push(word); } else { lines[lines.length - 1] = line ? line + " " + word : word; }
      });
      return lines.join("<br>");
    }
    function longestOf(words) { return Math.max.apply(null, words.map(function (word) { return String(word).length; })); }
    axes(layout, "x").forEach(function (key) {
      var axis = layout[key], rows = layout.yaxis.automargin ? 7 * longestOf(layout.yaxis.ticktext) : 0;
      if (axis.tickvals && axis.title) {
        // Labels that do not fit beside each other would be turned, and then cover the title.
        var room = Math.max(80, width - 100 - rows), every = Math.ceil(axis.tickvals.length * (8 * longestOf(axis.ticktext) + 8) / room);
        function kept(_, i) { return i % every === 0; }
        axis.tickvals = axis.tickvals.filter(kept);
        axis.ticktext = axis.ticktext.filter(kept);
        axis.tickangle = 0;
      }
      if (axis.title && axis.title.text) {
        axis.title.text = wrapped(axis.title.text, (width - 80) / 7.5);
        var lines = axis.title.text.split("<br>").length - 1;
        layout.margin.b += 18 * lines;
        layout.height += 18 * lines;
      }
    });
    layout.margin.r = 24;
  }

  function themed(figure, width) {
    var made = JSON.parse(JSON.stringify(figure)), layout = made.layout;
    layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
    layout.modebar = { bgcolor: "rgba(0,0,0,0)" };
    if (width < 900) { legend(layout, made.data, width); }
    if (width < 640) { narrow(layout, width); }
    if (axes(layout, "x").length > 1) { fold(layout, width); }
    if (!dark.matches) { return made; }
    layout.font.color = "#e6e6e3";
    axes(layout, "x").concat(axes(layout, "y")).forEach(function (key) {
      layout[key].gridcolor = "#2d3236"; layout[key].linecolor = "#b0b3b5"; layout[key].zerolinecolor = "#e6e6e3";
    });
    made.data.forEach(function (trace) {
      [trace.line, trace.marker].forEach(function (look) {
        if (look && black.indexOf(look.color) >= 0) { look.color = "#e6e6e3"; }
        if (look && look.color === "#c8c8c8") { look.color = "#596066"; }
      });
      if (trace.fillcolor) { trace.fillcolor = trace.fillcolor.replace("rgba(0,0,0,", "rgba(230,230,227,"); }
      if (trace.fillpattern) { trace.fillpattern.bgcolor = trace.fillcolor; }
    });
    return made;
  }

  function draw(picture) {
    var holder = picture.querySelector(".figure");
    var kept = JSON.parse(document.getElementById(holder.getAttribute("data-figure")).textContent);
    picture.classList.add("live");
    holder.drawnFor = holder.clientWidth;
    var figure = themed(kept, holder.clientWidth);
    Plotly.react(holder, figure.data, figure.layout, options).then(function () {
      holder.setAttribute("data-drawn", "yes");
    }, function () { picture.classList.remove("live"); });
  }

  function hidden(picture) {
    for (var up = picture.parentElement; up; up = up.parentElement) {
      if (up.tagName === "DETAILS" && !up.open) { return true; }
    }
    return false;
  }

  function each(selector, within, what) { Array.prototype.forEach.call(within.querySelectorAll(selector), what); }

  // Where a table goes on beyond the edge, the edge is drawn.
  function edges() {
    each(".wide", document, function (part) { part.classList.toggle("cut", part.scrollWidth > part.clientWidth + 1); });
  }

  function all(within, again) {
    each(".picture", within, function (picture) {
      if (!hidden(picture) && (again || !picture.classList.contains("live"))) { draw(picture); }
    });
  }

  // A phone that is turned has another width: titles and legends are laid out anew.
  function fit(within) {
    each(".picture.live", within, function (picture) {
      var holder = picture.querySelector(".figure"), now = holder.clientWidth, was = holder.drawnFor;
      if (now && !hidden(picture) && Math.min(now, was) < 900 && Math.abs(now - was) > 24) { draw(picture); }
    });
  }

  all(document, false);
  dark.addEventListener("change", function () { all(document, true); });
  each("details", document, function (part) {
    part.addEventListener("toggle", function () { if (part.open) { all(part, false); fit(part); edges(); } });
  });
  each("details pre", document, function (block) {
    var button = document.createElement("button");
    button.textContent = "Copy";
    button.addEventListener("click", function () {
      var range = document.createRange();
      range.selectNodeContents(block);
      var selection = window.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    });
    block.parentNode.insertBefore(button, block);
  });
  edges();
  var settled;
  window.addEventListener("resize", function () {
    edges();
    clearTimeout(settled);
    settled = setTimeout(function () { fit(document); }, 150);
  });
})();
"""


PERCENT = re.compile(r"(?<=\d) %")
TO_COPY = ("pre",)  # what is copied into a program stays as it is


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


class Cell(Html):
    """A cell of a table, `td` or `th`."""

    __slots__ = ()


def text(value: object) -> Html:
    """Any text as HTML: escaped, without control characters other than line breaks."""
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else "�" for c in str(value))
    return Html(html.escape(kept))


def element(tag: str, *children: object, **attributes: str) -> Html:
    """An element; children that are not `Html` are escaped, as are attributes (`class_` is `class`, left out where it is empty)."""
    given = {key: value for key, value in attributes.items() if value or key != "class_"}
    shown = "".join(f' {key.rstrip("_").replace("_", "-")}="{_words(value, key)}"' for key, value in given.items())
    inside = "".join(child if isinstance(child, Html) else _words(child, tag) for child in children)
    made = Cell if tag in ("td", "th") else Html
    return made(f"<{tag}{shown}>{inside}</{tag}>")


def _words(child: object, tag: str) -> str:
    """Text within an element: a line never breaks between a number and its percent sign."""
    return text(child) if tag in TO_COPY else PERCENT.sub("\u00a0%", text(child))


def join(parts: Iterable[Html]) -> Html:
    """Several pieces of HTML as one."""
    return Html("\n".join(part for part in parts if part))


def table(head: Sequence[object], body: Iterable[Sequence[object]], *, title: str = "", **attributes: str) -> Html:
    """A table whose cells are text, or elements `td` of their own."""
    top = element("thead", element("tr", *(element("th", h) for h in head)))
    lines = [element("tr", *(c if isinstance(c, Cell) else element("td", c) for c in row)) for row in body]
    named = element("caption", title) if title else Html("")
    inside = element("table", named, top, element("tbody", *lines), **attributes)
    return scrolled(inside, title or "table")


def scrolled(inside: Html, name: str) -> Html:
    """What may be wider than the page, and is then scrolled: by keys too."""
    return element("div", inside, class_="wide", tabindex="0", role="group", aria_label=name)


def aside(text: str) -> Html:
    """A remark in small print; nothing for an empty one."""
    return element("p", text, class_="note") if text else Html("")


def caption(text: str, hint: str = "") -> Html:
    """What stands below a picture or a table; the hint is for the picture that scripts draw, and is seen with it alone."""
    return element("p", text, *([element("span", hint, class_="hint")] if hint else []), class_="caption")


def definition_list(entries: list[tuple[str, str]]) -> Html:
    """Terms, each with its text."""
    return element("dl", *(part for term, text in entries for part in (element("dt", term), element("dd", text))))


def details(title: str, content: str) -> Html:
    """A folded block of text to copy."""
    return element("details", element("summary", title), element("pre", content, tabindex="0"), class_="copy")


def safe_json(value: Any) -> str:
    """JSON that cannot end a script element, nor a line of JavaScript."""
    written = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return written.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def page(title: str, body: Html, figures: Mapping[str, Any], script: str) -> str:
    """The whole file; `script` is plotly's."""
    data = "\n".join(
        f'<script type="application/json" id="{text(key)}">{safe_json(figure)}</script>'
        for key, figure in figures.items()
    )
    scripts = [script, SCRIPT] if figures else [SCRIPT]
    allowed = " ".join(f"'sha256-{_digest(s)}'" for s in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    running = "\n".join(f"<script>{s}</script>" for s in scripts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n'
        f"<body>\n<main>\n{body}\n</main>\n{data}\n{running}\n</body>\n</html>\n"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
