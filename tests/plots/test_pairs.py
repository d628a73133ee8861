"""The matrix of pairs: its data and its artists, never its pixels."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import ogive
from ogive.plots import pairs
from ogive.plots._pairs import BETTER, WORSE

RNG = np.random.default_rng(2)


def ranking(n: int = 3, tasks: int = 1) -> ogive.Ranking:
    samples = {f"m{i}": {f"t{j}": RNG.normal(2 * min(i, 2), 1, 12) for j in range(tasks)} for i in range(n)}
    return ogive.rank(ogive.read(samples, unit="row", varied="seed"))


def cells(ax) -> list:
    return [p for p in ax.patches if isinstance(p, Rectangle)]


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.texts]


def test_every_method_stands_against_every_other_best_first():
    found = ranking(4)
    display = pairs(found).plot()
    ax = display.axes_["pairs"]
    assert display.methods == tuple(r.algorithm for r in found.rows)
    assert len(cells(ax)) == len(texts(ax)) == 4 * 3
    assert [t.get_text() for t in ax.get_yticklabels()] == list(display.methods)


def test_a_cell_and_its_mirror_contradict_each_other():
    display = pairs(ranking(3))
    for (a, b), pair in display.cells.items():
        other = display.cells[b, a]
        assert pair.certain == -other.certain
        assert (pair.wins, pair.losses) == (other.losses, other.wins)
        assert pair.difference.low == pytest.approx(2 * pair.even - other.difference.high)


def test_colors_follow_what_is_certain():
    display = pairs(ranking(3)).plot()
    ax = display.axes_["pairs"]
    colors = {1: BETTER, -1: WORSE, 0: "#ffffff"}
    for cell in cells(ax):
        row, column = round(cell.get_y() + 0.46), round(cell.get_x() + 0.48)
        pair = display.cells[display.methods[row], display.methods[column]]
        assert cell.get_facecolor()[:3] == pytest.approx(to_rgb(colors[pair.certain]))


def test_a_cell_holds_conclusion_difference_and_over_tasks_wins():
    one, many = pairs(ranking(3)), pairs(ranking(3, tasks=5))
    (first, second), pair = next(iter(one.cells.items()))
    assert one.text(pair).split("\n")[0] == pair.conclusion
    assert "[" in one.text(pair)
    assert "won" not in one.text(pair)
    assert "won" in many.text(next(iter(many.cells.values())))
    assert "averaged over tasks" in many.caption
    assert "0.5: even" in one.caption
    assert first != second


def test_no_end_is_rounded_across_the_margin_beside_its_conclusion():
    z = np.random.default_rng(8).normal(size=30)
    z = (z - z.mean()) / z.std(ddof=1)
    samples = {"a": 0.8 + 0.005 * z, "b": 0.8 - 0.0074 + 0.005 * z[::-1]}
    low = ogive.compare(ogive.read(samples, unit="row"), "b", "a", criterion="mean").primary.low
    display = pairs(ogive.rank(ogive.read(samples, unit="row"), margin=0.00001 - low))
    pair = display.cells["b", "a"]
    assert pair.conclusion == "equivalent"
    shown = float(display.text(pair).split("[")[1].split(",")[0])
    assert -pair.margin < shown <= pair.difference.low


def test_the_caption_says_at_how_many_looks_the_confidence_holds():
    trials = ogive.read({m: RNG.normal(size=12) for m in "abc"}, unit="row")
    assert "3 pairs together at 4 looks" in pairs(ogive.rank(trials, looks=4)).caption
    assert "looks" not in pairs(ogive.rank(trials)).caption


def test_a_claim_that_was_withheld_is_explained():
    samples = {m: RNG.normal(size=40) for m in "ab"}
    withheld = pairs(ogive.rank(ogive.read(samples, unit="row", bounds=(-20, 20)), margin=1.0))
    given = pairs(ogive.rank(ogive.read(samples, unit="row"), margin=1.0))
    assert [display.cells["a", "b"].conclusion for display in (withheld, given)] == ["cannot tell", "equivalent"]
    assert "collapses" in withheld.caption
    assert "collapses" not in given.caption


def test_many_methods_have_signs_instead_of_numbers():
    display = pairs(ranking(12)).plot()
    assert set(texts(display.axes_["pairs"])) <= {"+", "−", "?"}
    assert "? where" in display.caption


def test_the_headline_counts_pairs():
    assert ranking(2).resolution == 1.0
    assert all(fact in pairs(ranking(3)).headline for fact in ("3 pairs", "100 %"))


def test_a_given_axis_is_drawn_into_and_names_stay_text(tmp_path: Path):
    name = "</script><img src=x onerror=alert(1)>"
    found = ogive.rank(ogive.read({name: RNG.normal(size=9), "$b$": RNG.normal(size=9)}, unit="row"))
    ax = Figure().subplots()
    assert pairs(found).plot(ax=ax).axes_ == {"pairs": ax}
    assert b"<script" not in pairs(found).save(tmp_path / "p.svg").read_bytes()


def ranked(*means, n=40, sd=1.0, **question):
    draws = np.random.default_rng(5)
    samples = {f"m{i}": draws.normal(mean, sd, n) for i, mean in enumerate(means)}
    return ogive.rank(ogive.read(samples, unit="row"), criterion="mean", **question)


@pytest.mark.parametrize(
    ("means", "margin", "facts"),
    [
        ((0, 0, 9), 1.5, "2 of 3.*1.5.*67 %.*1 is equivalent"),
        ((0, 0, 0), 2.0, "All 3.*equivalent.*2"),
        ((0, 9), 1.5, "certainly.*1.5"),
        ((0, 0), 1.5, "equivalent.*1.5"),
        ((0, 1), 1.0, "cannot be told"),
    ],
)
def test_the_headline_with_a_margin_says_how_many_differ_by_more(means, margin, facts):
    assert re.search(facts, pairs(ranked(*means, margin=margin)).headline)


def test_a_margin_of_a_probability_is_given_in_points():
    draws = np.random.default_rng(5)
    found = ogive.rank(
        ogive.read({m: draws.normal(size=30) for m in "abc"}, unit="row"), criterion="improvement", margin=0.1
    )
    display = pairs(found)
    for text in (display.headline, display.caption, found.verdict):
        assert "10 percentage points" in text


@pytest.mark.parametrize("margin", [None, 0.5])
def test_the_headline_says_that_all_runs_are_tied(margin):
    two, three = (
        ogive.rank(ogive.read({m: [1.0] * 6 for m in names}, unit="row"), criterion="mean", margin=margin)
        for names in ("ab", "abc")
    )
    for found in (two, three):
        assert "tied" in pairs(found).headline
        assert found.resolution == 0.0
    assert pairs(three).text(pairs(three).cells["a", "b"]) == "cannot tell\n0, no limits"
    assert "tied" in three.verdict
