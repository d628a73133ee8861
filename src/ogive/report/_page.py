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
:root { color-scheme: light; }
body { margin: 0; background: #fafaf8; color: #222; font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 24px 28px 80px; background: #fff; }
h1 { font-size: 1.55rem; margin: 0.2em 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4em 0 0.5em; padding-top: 0.4em; border-top: 1px solid #ddd; }
h3 { font-size: 1rem; margin: 1.5em 0 0.4em; }
p, li, dd { overflow-wrap: anywhere; }
.opening { font-size: 1.05rem; color: #444; margin: 0.2em 0 1em; }
.verdict { font-size: 1.12rem; background: #eef5fa; border-left: 5px solid #0072B2; padding: 12px 16px; margin: 14px 0; }
.verdict small { display: block; margin-top: 0.5em; color: #555; font-size: 0.85rem; }
.undecided { background: #f6f4ec; border-left-color: #a08000; }
.caption, .note { color: #555; font-size: 0.9rem; }
nav { font-size: 0.9rem; margin: 1em 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
nav a { color: #0060a0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.86rem; margin: 0.8em 0; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; text-align: left; border-bottom: 1px solid #e6e6e6; vertical-align: top; }
thead th { border-bottom: 2px solid #bbb; font-weight: 600; }
caption { text-align: left; font-weight: 600; padding: 6px 10px; }
td small { color: #666; white-space: nowrap; display: block; }
.dense { font-size: 0.78rem; } .dense th, .dense td { padding: 3px 5px; }
.pairs td { text-align: center; border: 1px solid #ddd; padding: 4px 5px; } .pairs small { color: #444; }
.better { background: #cfe4f2; } .worse { background: #f8dcc9; }
.track { position: relative; height: 16px; min-width: 240px; background: #f3f3f3; }
.bar { position: absolute; top: 2px; bottom: 2px; background: #0072B2; border-radius: 3px; }
.tier2 td, .tier2 th { background: #f7f7f5; }
dt { font-weight: 600; margin-top: 0.7em; } dd { margin: 0.1em 0 0 0; }
details { margin: 0.7em 0; border: 1px solid #ddd; border-radius: 4px; padding: 6px 12px; }
summary { cursor: pointer; }
pre { white-space: pre; overflow: auto; max-height: 340px; font-size: 0.8rem; background: #f7f7f5; padding: 10px; }
blockquote { margin: 0.6em 0; padding: 8px 16px; background: #f7f7f5; }
button { font: inherit; font-size: 0.8rem; }
.figure { min-height: 120px; }
@media (max-width: 640px) {
  main { padding: 16px 16px 60px; }
  .modebar-container { display: none; } .panels { min-width: 760px; } .track { min-width: 110px; }
  .stacked thead { display: none; } .stacked tr, .stacked th, .stacked td { display: block; border: 0; padding: 1px 0; }
  .stacked tr { padding: 7px 0; border-bottom: 1px solid #e6e6e6; } .questions td:nth-child(2)::before { content: "ahead: "; }
}
@media print {
  body, main { background: #fff; } main { max-width: none; padding: 0; }
  nav, button, .modebar { display: none; } .figure, tr, .verdict { break-inside: avoid; } pre { max-height: none; white-space: pre-wrap; }
}
"""

# Draws the pictures, and gives every block of text to copy a button. Text is set by textContent only.
SCRIPT = """
"use strict";
(function () {
  document.querySelectorAll("[data-figure]").forEach(function (holder) {
    var figure = JSON.parse(document.getElementById(holder.getAttribute("data-figure")).textContent);
    // The buttons are named one by one, because plotly's own set holds one that uploads the picture.
    var buttons = ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"];
    var options = { responsive: true, displaylogo: false, modeBarButtons: [buttons], plotlyServerURL: "" };
    Plotly.newPlot(holder, figure.data, figure.layout, options).then(function () { holder.setAttribute("data-drawn", "yes"); });
  });
  document.querySelectorAll("details pre").forEach(function (block) {
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
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (part) { part.open = true; });
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
    """An element; children that are not `Html` are escaped, as are attributes (`class_` is `class`)."""
    shown = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    inside = "".join(child if isinstance(child, Html) else _words(child, tag) for child in children)
    made = Cell if tag in ("td", "th") else Html
    return made(f"<{tag}{shown}>{inside}</{tag}>")


def _words(child: object, tag: str) -> str:
    """Text within an element: a line never breaks between a number and its percent sign."""
    return text(child) if tag in TO_COPY else PERCENT.sub("\u00a0%", text(child))


def join(parts: Iterable[Html]) -> Html:
    """Several pieces of HTML as one."""
    return Html("\n".join(part for part in parts if part))


def table(head: Sequence[object], body: Iterable[Sequence[object]], *, caption: str = "", **attributes: str) -> Html:
    """A table whose cells are text, or elements `td` of their own."""
    top = element("thead", element("tr", *(element("th", h) for h in head)))
    lines = [element("tr", *(c if isinstance(c, Cell) else element("td", c) for c in row)) for row in body]
    title = element("caption", caption) if caption else Html("")
    inside = element("table", title, top, element("tbody", *lines), **attributes)
    return element("div", inside, class_="wide")


def aside(text: str) -> Html:
    """A remark in small print; nothing for an empty one."""
    return element("p", text, class_="note") if text else Html("")


def definition_list(entries: list[tuple[str, str]]) -> Html:
    """Terms, each with its text."""
    return element("dl", *(part for term, text in entries for part in (element("dt", term), element("dd", text))))


def details(title: str, content: str) -> Html:
    """A folded block of text to copy."""
    return element("details", element("summary", title), element("pre", content))


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
