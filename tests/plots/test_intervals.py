"""The chart of intervals: its data and its artists, never its pixels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import ogive
from ogive.errors import InputError
from ogive.plots import intervals

RNG = np.random.default_rng(6)
TABLE = ogive.read({m: {t: RNG.normal(i, 1, 30) for t in ("x", "y")} for i, m in enumerate("abc")}, unit="row")
SUMMARY = ogive.summarize(TABLE)


def lines(ax) -> list:
    return [line for line in ax.lines if line.get_marker() in ("None", None, "")]


def arrows(ax) -> list:
    return [line for line in ax.lines if line.get_marker() in ("<", ">")]


@pytest.mark.parametrize("statistic", ["mean", "median", "worst_0.1"])
def test_points_and_lines_are_the_rows_of_the_summary(statistic):
    display = intervals(SUMMARY, statistic).plot()
    rows = {(r.task, r.algorithm): r for r in SUMMARY.rows if r.statistic == statistic}
    assert set(display.points_) == set(rows)
    for key, point in display.points_.items():
        assert point.get_xdata()[0] == rows[key].estimate
        assert point.get_ydata()[0] == "abc".index(key[1])
    for task, ax in display.axes_.items():
        drawn = sorted(tuple(line.get_xdata()) for line in lines(ax))
        assert drawn == sorted((r.low, r.high) for key, r in rows.items() if key[0] == task)


def test_a_display_is_made_anew_with_its_methods_in_another_order():
    display = replace(intervals(SUMMARY), methods=("c", "b", "a")).plot()
    assert [text.get_text() for text in display.axes_["x"].get_yticklabels()] == ["c", "b", "a"]


def test_the_first_statistic_is_the_default():
    assert intervals(SUMMARY).statistic == "mean"
    assert intervals(SUMMARY).plot().figure_.findobj(lambda a: getattr(a, "get_text", str)() == "mean of score")


def test_a_side_without_limit_is_an_arrow():
    summary = ogive.summarize(ogive.read({"a": RNG.normal(size=40), "b": RNG.normal(size=40)}, unit="row"))
    display = intervals(summary, "q0.95").plot()
    rows = [r for r in summary.rows if r.statistic == "q0.95"]
    assert all(np.isinf(r.high) and np.isfinite(r.low) for r in rows)
    assert len(arrows(display.axes_["all"])) == 2
    assert "Arrows (2 intervals)" in display.caption


def test_without_any_limit_there_are_points_and_a_sentence():
    summary = ogive.summarize(ogive.read({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 5.0]}, unit="row"))
    display = intervals(summary, "median").plot()
    assert not lines(display.axes_["all"])
    assert not arrows(display.axes_["all"])
    assert "too few" in display.caption
    assert display.headline == "Median of score"


def test_descriptions_have_points_only():
    display = intervals(ogive.summarize(ogive.read({"a": RNG.normal(size=9)}, independent=False))).plot()
    assert not lines(display.axes_["all"])
    assert "no intervals" in display.caption


def test_methods_without_a_value_are_said():
    table = ogive.read({"a": [np.nan] * 4, "b": RNG.normal(size=9)}, unit="row")
    display = intervals(ogive.summarize(table, failures="exclude")).plot()
    assert set(display.points_) == {("all", "b")}
    assert "a on all" in display.caption


def test_several_metrics_are_drawn_one_at_a_time():
    frame = pd.DataFrame({"acc": RNG.normal(size=20), "f1": RNG.normal(size=20)})
    summary = ogive.summarize(ogive.read(frame, score=["acc", "f1"], unit="row"))
    assert intervals(summary, metric="f1").metric == "f1"
    assert intervals(summary).metric == "acc"


def test_what_is_not_there_is_refused_with_what_is():
    with pytest.raises(InputError, match="'iqm' of 'score'"):
        intervals(SUMMARY, "iqm")
    with pytest.raises(InputError, match=r"`ax`.*2"):
        intervals(SUMMARY).plot(ax=Figure().subplots())


def test_a_given_axis_is_drawn_into_and_names_stay_text(tmp_path: Path):
    summary = ogive.summarize(ogive.read({"$a$ </script>": RNG.normal(size=9)}, unit="row"))
    ax = Figure().subplots()
    assert intervals(summary).plot(ax=ax).axes_ == {"all": ax}
    assert ax.get_xlabel() == "mean of score"
    assert b"<script" not in intervals(summary).save(tmp_path / "p.svg").read_bytes()
