"""The picture of a difference: its data and its artists, never its pixels."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure

import ogive
from ogive.errors import InputError
from ogive.plots import difference

RNG = np.random.default_rng(5)
A, B = RNG.normal(1.0, 1.0, 200), RNG.normal(0.0, 1.0, 200)
CROSSING = RNG.normal(0.5, 4.0, 400)


def trials(goal: str = "maximize", **samples) -> ogive.Trials:
    return ogive.read(samples or {"a": A, "b": B}, unit="row", goal=goal)


def fills(ax) -> list:
    return [c for c in ax.collections if isinstance(c, FillBetweenPolyCollection)]


def at(display, share: float) -> int:
    return int(np.searchsorted(display.levels, share)) - 1


@pytest.mark.parametrize("share", [0.013, 0.251, 0.5001, 0.943])
def test_the_line_is_the_difference_of_sorted_runs(share):
    display = difference(trials(), "a", "b")
    place = int(share * 200)
    assert display.estimate[at(display, share)] == pytest.approx(np.sort(A)[place] - np.sort(B)[place])


def test_for_losses_the_worst_runs_come_first_and_above_zero_a_is_better():
    display = difference(trials(goal="minimize"), "b", "a")
    place = int(0.1 * 200)
    expected = np.sort(A)[::-1][place] - np.sort(B)[::-1][place]
    assert display.estimate[at(display, 0.1003)] == pytest.approx(expected)
    assert expected > 0
    assert display.label.startswith("score of a\nminus")


@pytest.mark.parametrize("share", [0.1, 0.4, 0.77])
def test_the_band_takes_each_method_at_half_the_error(share):
    display = difference(trials(), "a", "b", confidence=0.9)
    x, y = (ogive.statistics.band(sample, confidence=0.95).quantile(share + 1e-4) for sample in (A, B))
    i = at(display, share + 1e-4)
    assert display.low[i] == pytest.approx(x.low - y.high)
    assert display.high[i] == pytest.approx(x.high - y.low)


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("samples", [{"a": A, "b": B}, {"a": CROSSING, "b": B}])
def test_certain_ranges_are_those_of_the_comparison(goal, samples):
    table = trials(goal=goal, **samples)
    display = difference(table, "a", "b")
    expected = ogive.compare(table, "a", "b").dominance
    assert [who for *_, who in display.certain] == [who for *_, who in expected]
    for (p, q, _), (i, j, _) in zip(display.certain, expected, strict=True):
        assert (p, q) == pytest.approx((i, j))


def test_certain_ranges_are_shaded_and_named():
    display = difference(trials(a=CROSSING, b=B), "a", "b").plot()
    ax = display.axes_["all"]
    assert {who for *_, who in display.certain} == {"a", "b"}
    spans = [p for p in ax.patches if p.get_height() == 1.0]
    assert [(p.get_x(), p.get_x() + p.get_width()) for p in spans] == [
        pytest.approx((p, q)) for p, q, _ in display.certain
    ]
    assert len(fills(ax)) == 1
    assert "certainly better" in display.headline


def test_zero_is_in_the_picture_and_drawn():
    display = difference(trials(a=A + 100, b=B), "a", "b").plot()
    ax = display.axes_["all"]
    assert ax.get_ylim()[0] < 0.0
    assert any(np.allclose(line.get_ydata(), 0.0) for line in ax.lines)


def test_few_runs_have_no_band():
    display = difference(trials(a=A[:4], b=B[:4]), "a", "b").plot()
    assert not display.low.size
    assert not fills(display.axes_["all"])
    assert not display.certain
    assert "certainly better" not in display.headline


def test_adaptive_runs_have_no_band():
    table = ogive.read({"a": A, "b": B}, independent=False)
    display = difference(table, "a", "b").plot()
    assert not display.low.size
    assert not display.certain
    assert "No band" in display.caption


@pytest.mark.parametrize(("goal", "who"), [("maximize", "b"), ("minimize", "b")])
def test_failed_runs_count_as_worse_than_every_score(goal, who):
    failing = A.copy()
    failing[:150] = np.nan
    display = difference(trials(goal=goal, a=failing, b=B), "a", "b").plot()
    assert display.certain[0][2] == who
    assert display.certain[0][0] < 0.1
    assert "(a 150, b 0)" in display.caption


def test_the_picture_of_a_comparison_counts_failed_runs_as_the_comparison_does():
    rng = np.random.default_rng(0)
    runs = {"a": [*rng.uniform(0.7, 0.9, 28), *[np.nan] * 12], "b": rng.uniform(0.7, 0.9, 40), "c": [np.nan] * 40}
    compared = ogive.compare(ogive.read(runs, unit="row"), "a", "b", failures="exclude")
    display = ogive.plots.of(compared)
    assert np.isfinite(display.estimate).all()
    assert display.certain == ()
    assert "a (28) and b (40)" in display.caption
    assert "12 runs failed and are left out." in display.caption
    assert "12 runs failed and have the score of b." in ogive.plots.difference(compared._trials, "a", "b", failures="like:b").caption  # fmt: skip


def test_where_both_failed_there_is_no_line_and_no_certainty():
    failing = [np.where(np.arange(200) < 60, np.nan, sample) for sample in (A, B)]
    display = difference(trials(a=failing[0], b=failing[1]), "a", "b").plot()
    assert np.isnan(display.estimate[at(display, 0.2)])
    assert not np.isnan(display.low).any()
    assert not np.isnan(display.high).any()
    assert all(p > 0.3 for p, *_ in display.certain)


def test_clusters_are_counted_once():
    frame = pd.DataFrame({"score": np.append(A, B), "model": ["a"] * 200 + ["b"] * 200, "lr": list(range(40)) * 10})
    display = difference(ogive.read(frame, params=["lr"], unit="configuration"), "a", "b")
    assert "approximate" in display.caption


def test_failed_rows_of_clusters_are_left_out_and_said():
    table = pd.DataFrame({"method": np.repeat(["a", "b"], 48), "lr": np.tile(np.repeat(np.arange(24), 2), 2)})
    table["score"] = [*[np.nan] * 3, *np.random.default_rng(1).normal(size=93)]
    found = ogive.read(table, params=["lr"], unit="configuration")
    caption = difference(found, "a", "b").caption
    assert "No band" in caption
    assert "(a 3, b 0)" in caption


def test_a_given_axis_is_drawn_into():
    ax = Figure().subplots()
    display = difference(trials(), "a", "b").plot(ax=ax)
    assert display.axes_ == {"all": ax}
    assert ax.get_xlabel().startswith("share of runs")


def test_questions_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="must differ"):
        difference(trials(), "a", "a")
    with pytest.raises(InputError, match=r"`algorithm`.*'c'"):
        difference(trials(), "a", "c")
    with pytest.raises(InputError, match="`task`"):
        difference(ogive.read({"a": {"x": A, "y": A}, "b": {"x": B, "y": B}}, unit="row"), "a", "b")
    with pytest.raises(InputError, match=r"'b'.*'all'"):
        difference(trials(a=A, b=[np.nan] * 5), "a", "b")
    with pytest.raises(InputError, match="drawn yet"):
        _ = difference(trials(), "a", "b").figure_


@pytest.mark.parametrize("name", ["$x$", "</script><img src=x onerror=alert(1)>", "日本 🙂"])
def test_names_stay_text(tmp_path: Path, name):
    path = difference(trials(**{name: A, "b": B}), name, "b").save(tmp_path / "p.svg")
    assert b"<script" not in path.read_bytes()
    with pytest.raises(InputError, match="must end"):
        difference(trials(), "a", "b").save(tmp_path / "p.txt")


def test_a_method_has_its_color_of_the_other_pictures_of_the_table():
    """In either order of the two, and where a table holds more methods."""
    rng = np.random.default_rng(0)
    trials = ogive.read({m: rng.normal(i, 1, 100) for i, m in enumerate("abc")}, unit="row")
    others = ogive.plots.distribution(trials).style
    for a, b in (("a", "c"), ("c", "b")):
        assert difference(trials, a, b).colors == {"a": others[a].color, "b": others[b].color}
