"""Three panels of configurations at percentiles: their data and their artists."""

from dataclasses import replace

import numpy as np
import pytest

import ogive
from ogive.algorithms import Algorithm, Series
from ogive.errors import InputError
from ogive.spaces import uniform
from ogive.study import Study
from ogive.tasks import none
from ogive.words import number


def learner(config, rng):
    """A curve that ends the later, the larger x is; x above 9 fails."""
    if config["x"] > 9:
        raise ValueError("too large")
    curve = config["x"] + np.arange(8.0)[: 8 if rng.random() < 0.7 else 5] + rng.random()
    return {"loss": float(curve.mean()), "curve": Series(curve)}


def bare(config, rng):
    return {"loss": config["x"] + rng.random()}


def run(what, n):
    return ogive.run(what, n, workers=0, progress=False)


def study(*functions):
    algorithms = [Algorithm(f.__name__, f, {"x": uniform(0, 10)}, metrics={"loss": "minimize"}) for f in functions]
    return Study("curves", algorithms, none())


@pytest.fixture(scope="module")
def found():
    of = study(learner, bare)
    trials = run(of, 60)
    slices = of.at_percentiles(trials.select(algorithms=["learner"]), [99, 50], failures="worst")
    return trials, run(slices, 30)


@pytest.fixture(scope="module")
def display(found):
    return ogive.plots.percentiles(*found, step="epoch").plot()


def test_there_are_three_columns_with_curves_and_two_without(found, display):
    assert list(display.axes_) == ["whole", "mean", "quantiles", "runs"]
    without = ogive.plots.percentiles(found[0], replace(found[1], series_source=None)).plot()
    assert list(without.axes_) == ["whole", "runs"]
    assert without.axes_["whole"].get_xlim() == (0.0, 1.0)


def test_marks_stand_on_the_curve_of_all_runs_from_the_worst_to_the_best(found, display):
    assert [mark.method for mark in display.marks] == ["learner at 50 %", "learner at 99 %"]
    shares, scores = display.whole.lines_["none", "learner"].get_data()
    for mark in display.marks:
        at = np.flatnonzero(shares >= mark.share - 1e-12)[0]
        assert scores[at] == mark.score
    dashed = [
        line.get_xdata()[0] for line in display.axes_["whole"].lines if line.get_xdata()[0] == line.get_xdata()[-1]
    ]
    assert {0.5, 0.99} <= set(dashed)


def test_curves_are_the_statistics_of_runs_at_each_step_that_half_of_them_reach(found, display):
    curve = display.curves[0]
    values = list(found[1].series("learner at 50 %", "none", "curve").values())
    assert curve.steps.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {one.size for one in values} == {5, 8}
    for i in range(8):
        there = np.array([one[i] for one in values if one.size > i])
        assert curve.n[i] == there.size
        expected = [there.mean(), there.std(ddof=1), *np.quantile(there, [0.05, 0.5, 0.95])]
        np.testing.assert_allclose([curve.mean[i], curve.sd[i], curve.low[i], curve.median[i], curve.high[i]], expected)
    assert "as far as half of them do" in display.caption
    np.testing.assert_array_equal(display.lines_["quantiles", curve.method].get_ydata(), curve.median)


def test_a_thinned_curve_keeps_its_steps(found):
    display = ogive.plots.percentiles(*found, every=5).plot()
    assert display.curves[0].steps.tolist() == [1, 6, 11, 16, 21, 26, 31, 36]
    assert display.axes_["mean"].get_xlim() == (1, 36)
    with pytest.raises(InputError, match="`every`"):
        ogive.plots.percentiles(*found, every=0)


def test_steps_that_few_runs_reach_are_left_out():
    def short(config, rng):
        return {"loss": config["x"] + rng.random(), "curve": Series([1.0] * (9 if rng.random() < 0.3 else 4))}

    of = study(short)
    slices = run(of.at_percentiles(run(of, 10), [50]), 40)
    assert ogive.plots.percentiles(run(of, 10), slices).curves[0].steps.size == 4


def test_both_distributions_have_the_same_scores_up(display):
    assert display.axes_["whole"].get_ylim() == display.axes_["runs"].get_ylim()


def test_the_headline_says_what_a_chosen_score_is_worth(found, display):
    chosen = found[1].holds["config"]["percentiles"]["slices"]
    again = found[1].scores("learner at 99 %").mean()
    best = next(one["score"] for one in chosen if one["percentile"] == 99)
    expected = f"At 99 %, a run with loss {number(best)} was chosen; run again, its configuration has {number(again)} on average"
    assert display.headline.replace("\u00a0", " ").startswith(expected)
    assert "30 times again, with new draws" in display.caption
    assert "Failed: " in display.caption  # of the runs that were chosen from


def test_a_failed_configuration_has_no_mark_and_no_curve():
    of = study(learner)
    trials = run(of, 60)
    slices = run(of.at_percentiles(trials, [1, 60], failures="worst"), 10)
    display = ogive.plots.percentiles(trials, slices).plot()
    assert np.isnan(display.marks[0].score)
    assert [curve.method for curve in display.curves] == ["learner at 60 %"]
    assert "failed and failed at 1\u00a0%" in display.headline
    slices = run(of.at_percentiles(trials, [60, 100], failures=0.0), 4)
    first = "At 100\u00a0%, a run with loss 0 was chosen; run again, its configuration failed in all 4 ("
    assert ogive.plots.percentiles(trials, slices).headline.startswith(first)


def fragile(config, rng):
    """Four in five runs of a large x fail."""
    if config["x"] > 0.5 and rng.random() < 0.8:
        raise ValueError("too large")
    return {"score": config["x"]}


@pytest.mark.parametrize("failures", [None, "exclude", "worst", 0.25])
@pytest.mark.parametrize("bound", [0.0, None])
def test_the_headline_counts_failed_runs_as_asked(failures, bound):
    space, metrics = {"x": uniform(0, 1)}, {"score": ogive.Metric("maximize", (bound, None))}
    of = Study("fragile", Algorithm("fragile", fragile, space, metrics=metrics), none())
    trials = run(of, 60)
    again = run(of.at_percentiles(trials, [50, 99], failures="exclude"), 30)
    display = ogive.plots.percentiles(trials, again, failures=failures)
    values = again.to_pandas().query("algorithm == 'fragile at 99 %'")["score"]
    n_failed = int(values.isna().sum())
    assert 15 < n_failed < 30
    stands = {"worst": bound, 0.25: 0.25}.get(failures)
    if stands is None:
        assert (
            f"its configuration failed in {n_failed} of 30; the others average {number(values.mean())}"
            in display.headline
        )
    else:
        assert f"its configuration has {number(values.fillna(stands).mean())} on average" in display.headline
    counted = {None: "crosses, one each", "exclude": "they are left out", 0.25: "they count as 0.25"}
    worst = "they count as worse than every score" if bound is None else "they count as 0, the worst possible score"
    assert f"of those run again; {counted.get(failures, worst)}." in display.caption


def walker(config, rng):
    steps = 5.0 + np.arange(4)
    return {
        "return": config["x"] + rng.random(),
        "lengths": Series(steps),
        "returns": Series(config["x"] * steps),
        "loss": Series(-steps),
    }


def test_of_several_series_the_one_called_as_the_metric_is_drawn():
    of = Study("walks", Algorithm("walker", walker, {"x": uniform(0, 1)}), none())
    trials = run(of, 10)
    again = run(of.at_percentiles(trials, [50]), 4)
    display = ogive.plots.percentiles(trials, again)
    assert display.series == "returns"
    assert display.curves[0].mean[0] == pytest.approx(
        5 * again.holds["config"]["percentiles"]["slices"][0]["config"]["x"]
    )
    assert ogive.plots.percentiles(trials, again, series="lengths").curves[0].mean.tolist() == [5, 6, 7, 8]
    table = again.series_table
    rest = replace(again, series_source=table.filter([name != "returns" for name in table["name"].to_pylist()]))
    with pytest.raises(InputError, match="`series` must be named, since there are 2"):
        ogive.plots.percentiles(trials, rest)


def test_narrow_paper_has_the_panels_below_each_other(found):
    panels = ogive.plots.percentiles(*found).plot(width="3.3in").axes_
    tops = [panel.get_position().y1 for panel in panels.values()]
    assert tops == sorted(tops, reverse=True)


def test_what_cannot_be_drawn_is_refused(found, display):
    trials, slices = found
    with pytest.raises(InputError, match="not held at percentiles"):
        ogive.plots.percentiles(trials, trials)
    with pytest.raises(InputError, match="must be those that configurations were taken from"):
        ogive.plots.percentiles(trials.select(algorithms=["bare"]), slices)
    with pytest.raises(InputError, match="`series` 'loss' is not in the table"):
        ogive.plots.percentiles(trials, slices, series="loss")
    with pytest.raises(InputError, match="several panels"):
        display.plot(ax=display.axes_["runs"])
    of = study(learner, bare)
    both = run(of.at_percentiles(trials, [50], failures="worst"), 3)
    with pytest.raises(InputError, match="`algorithm` must be named"):
        ogive.plots.percentiles(trials, both)
