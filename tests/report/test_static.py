"""The pictures of a page where no script runs: the numbers of the others, and no markup in names."""

import html
import re

import numpy as np
import pytest

from ogive.report._figures import OTHERS
from ogive.report._page import SCRIPT, STYLE
from ogive.report._static import static

RNG = np.random.default_rng(5)
A, B = RNG.normal(0, 1, 40), RNG.normal(1, 1, 40)
HOSTILE = "</script><img src=x onerror=alert(1)>"


def figure(x, y, **layout) -> dict:
    line = {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": "a", "line": {"color": "#000000", "width": 2}}
    axes = {
        "xaxis": {"range": [0, 10], "title": {"text": "size"}},
        "yaxis": {"range": [0, 100], "title": {"text": "score"}},
    }
    return {"data": [line], "layout": {**axes, **layout}}


def path(drawn: str) -> str:
    return re.search(r'<path d="([^"]+)" fill="none" stroke="currentColor"', drawn).group(1)


def frame(drawn: str) -> tuple[float, float]:
    inner = re.search(r'<svg x="[\d.]+" y="[\d.]+" width="([\d.]+)" height="([\d.]+)"', drawn)
    return float(inner.group(1)), float(inner.group(2))


def test_every_picture_has_a_static_twin(page):
    found = page({"a": {"t": A, "u": B}, "b": {"t": B, "u": A}, "c": {"t": A, "u": A + 3}})
    assert found.figures
    assert found.main.count('class="static"') == found.main.count("data-figure=") == len(found.figures)
    panels = sum(key.startswith("xaxis") for one in found.figures for key in one["layout"])
    assert found.main.count('role="img"') == panels


def test_a_static_line_passes_through_the_same_points():
    drawn = static(figure([0.0, 5.0, 10.0], [0.0, 50.0, 25.0]))
    width, height = frame(drawn)
    numbers = [float(n) for n in re.findall(r"[\d.]+", path(drawn))]
    assert numbers == pytest.approx([0, height, width / 2, height / 2, width, 0.75 * height], abs=0.06)


def test_a_gap_begins_a_new_line_and_steps_are_kept():
    drawn = path(static(figure([0.0, 5.0, 5.0, None, 6.0, 7.0], [10.0, 10.0, 90.0, None, 3.0, 4.0])))
    assert re.sub(r"[\d. ]+", "", drawn) == "MHVML"


def test_a_logarithmic_axis_is_logarithmic():
    drawn = static(figure([1.0, 10.0, 100.0], [0.0, 0.0, 0.0], xaxis={"type": "log", "range": [0, 2]}))
    width, height = frame(drawn)
    assert path(drawn) == f"M0 {height:g}H{round(width / 2, 1):g}H{width:g}"
    assert all(f">{tick}</text>" in drawn for tick in (1, 10, 100))


def test_names_in_a_static_picture_stay_text(page):
    found = page({HOSTILE: A, "<b>bold</b>": B, "%{x} & y": A + 1})
    kept = " ".join(re.findall(r'<ul class="legend">(.*?)</ul>', found.main, re.DOTALL))
    assert "<img" not in kept
    assert "<b>" not in kept
    assert all(html.escape(name) in kept for name in (HOSTILE, "<b>bold</b>", "%{x} & y"))


def test_scripts_hide_the_static_picture_and_paper_shows_it():
    screen, paper = STYLE.split("@media print")
    assert ".picture.live > .static, .picture:not(.live) > .figure { display: none; }" in screen
    assert ".picture > .figure { display: none !important; } .picture > .static { display: block !important; }" in paper
    assert 'classList.add("live")' in SCRIPT


def test_black_shades_and_gray_lines_are_the_pages_affair_in_the_dark():
    """A pale black strip would not be seen on black, and light gray lines behind a curve would outshine it."""
    black = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 1, 1],
        "y": [0, 0, 1],
        "fill": "toself",
        "fillcolor": "rgba(0,0,0,0.28)",
        "line": {"width": 0},
    }
    gray = {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "line": {"width": 1, "color": OTHERS}}
    drawn = static({"data": [black, gray], "layout": {"xaxis": {}, "yaxis": {}}})
    assert 'fill="currentColor" fill-opacity="0.28"' in drawn
    assert 'stroke="var(--behind)"' in drawn
    assert STYLE.count("--behind:") == 2
    assert OTHERS in SCRIPT
