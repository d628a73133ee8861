"""The best of k draws: data and artists, never pixels."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure

import ogive
from ogive.errors import InputError
from ogive.plots import best_of

RNG = np.random.default_rng(8)
A, B = RNG.normal(size=60), RNG.normal(1.0, 0.3, 40)


def fills(ax) -> list:
    return [c for c in ax.collections if isinstance(c, FillBetweenPolyCollection)]


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("k", [1, 3, 8, 59])
def test_the_curve_is_the_median_of_the_best_of_k(goal, k):
    (curve,) = best_of(ogive.read({"a": A}, goal=goal, unit="row")).curves
    expected = ogive.statistics.ecdf(A).best_of(k, goal=goal).median()
    assert curve.estimate[k - 1] == expected
    band = ogive.statistics.band(A).best_of(k, goal=goal).quantile(0.5)
    assert (curve.low[k - 1], curve.high[k - 1]) == (band.low, band.high)


def test_curves_end_at_the_number_of_runs():
    display = best_of(ogive.read({"a": A, "b": B}, unit="row")).plot()
    assert [c.k[-1] for c in display.curves] == [60, 40]
    assert [line.get_xdata()[-1] for line in display.lines_.values()] == [60, 40]
    (long,) = best_of(ogive.read({"a": RNG.normal(size=3000)}, unit="row")).curves
    assert long.k[-1] == 3000
    assert long.k.size <= 200


def test_the_shade_ends_where_a_side_has_no_limit():
    display = best_of(ogive.read({"a": A}, unit="row")).plot()
    (curve,) = display.curves
    assert not np.all(np.isfinite(curve.high))
    (fill,) = fills(display.axes_["all"])
    last = curve.k[curve.limited][-1]
    assert fill.get_paths()[0].vertices[:, 0].max() == last < 60


def test_few_runs_and_adaptive_runs_have_no_band_and_the_caption_says_why():
    few = best_of(ogive.read({"a": A[:6]}, unit="row")).plot()
    assert not fills(few.axes_["all"])
    assert "20 runs" in few.caption
    adaptive = best_of(ogive.read({"a": A}, independent=False)).plot()
    assert not fills(adaptive.axes_["all"])
    assert "No bands" in adaptive.caption


@pytest.mark.parametrize(
    ("varied", "tuning"),
    [("configuration", True), (["hyperparameters"], True), (["configuration", "seed"], False), ("seed", False), (None, False)],
)  # fmt: skip
def test_it_is_a_tuning_curve_only_where_nothing_but_the_configuration_varied(varied, tuning):
    display = best_of(ogive.read({"a": A, "b": B}, unit="row", varied=varied))
    assert display.tuning is tuning
    assert display.headline.startswith("Tuning curves" if tuning else "Best of k draws")
    assert ("configurations" in display.labels[0]) is tuning
    assert ("cannot do" in display.caption) is not tuning


def test_failed_runs_count_as_worse_than_every_score():
    failing = np.append(A[:20], [np.nan] * 40)
    (curve,) = best_of(ogive.read({"a": failing}, unit="row")).curves
    assert curve.n == 60
    assert np.isneginf(curve.estimate[0])
    assert np.isfinite(curve.estimate[-1])
    display = best_of(ogive.read({"a": failing}, unit="row")).plot()
    assert np.isnan(display.lines_["all", "a"].get_ydata()[0])
    assert "Failed runs" in display.caption


def test_a_method_whose_failures_cannot_be_counted_by_unit_has_no_band_and_the_caption_says_so():
    table = pd.DataFrame({"method": np.repeat(["a", "b"], 48), "lr": np.tile(np.repeat(np.arange(24), 2), 2)})
    table["score"] = [*[np.nan] * 3, *np.random.default_rng(1).normal(size=93)]
    found = ogive.read(table, params=["lr"], unit="configuration")
    (without,) = [c.algorithm for c in best_of(found).curves if not c.limited.any()]
    assert without == "a"
    assert "a on all (3 failed)" in best_of(found).caption


def test_the_headline_says_who_leads_early_and_late():
    display = best_of(ogive.read({"wide": RNG.normal(0, 5, 60), "narrow": RNG.normal(1, 0.1, 60)}, unit="row"))
    assert re.search("narrow .*wide .*60", display.headline)


def test_tasks_are_panels_unless_one_is_named():
    table = ogive.read({"a": {"x": A, "y": A}, "b": {"x": B, "y": B}}, unit="row")
    assert tuple(best_of(table).plot().axes_) == ("x", "y")
    one = best_of(table, "y")
    ax = Figure().subplots()
    assert one.plot(ax=ax).axes_ == {"y": ax}
    with pytest.raises(InputError, match=r"`ax`.*2"):
        best_of(table).plot(ax=Figure().subplots())
    with pytest.raises(InputError, match=r"`task`.*'z'"):
        best_of(table, "z")


def test_names_stay_text(tmp_path: Path):
    table = ogive.read({"$a$ </script>": A}, unit="row")
    assert b"<script" not in best_of(table).save(tmp_path / "p.svg").read_bytes()


def test_nobody_leads_where_all_methods_reach_the_same():
    trials = ogive.read({"a": [0, 1] * 20, "b": [1, 1, 0, 1] * 10}, unit="row")
    assert "no method leads" in ogive.plots.best_of(trials).headline
