"""Pictures as JSON: thinned without changing their shape."""

import numpy as np
import pytest

import ogive
from ogive.plots import distribution
from ogive.report._figures import distribution_figure, waypoints
from ogive.report._page import safe_json

RNG = np.random.default_rng(9)


def drawn(samples) -> dict:
    return distribution_figure(distribution(ogive.read(samples, unit="row")))


@pytest.mark.parametrize("most", [24, 100, 400])
def test_thinning_keeps_the_shape_of_a_monotone_curve(most):
    y = np.sort(np.concatenate([RNG.normal(0, 1, 4000), RNG.normal(50, 0.1, 1000)]))
    x = np.linspace(0, 1, y.size)
    kept = waypoints((x, y), most)
    assert kept.size <= most + 2
    assert (kept[0], kept[-1]) == (0, y.size - 1)
    # Between kept corners the curve stays in their box; only the jump's box is high, and it is narrow.
    wide, high = np.diff(x[kept]), np.diff(y[kept]) / np.ptp(y)
    assert np.all(np.minimum(wide, high) <= 4 / most + 1e-9)
    assert wide[np.argmax(high)] == pytest.approx(x[1])


def test_thinning_keeps_both_ends_of_every_step_that_can_be_seen():
    heights = np.repeat(RNG.integers(0, 5, 40), 500).astype(float)
    x = np.linspace(0, 1, heights.size)
    jumps = np.flatnonzero(np.diff(heights))
    kept = waypoints((x, heights), 400)
    assert kept.size <= 402
    assert set(jumps.tolist()) | set((jumps + 1).tolist()) <= set(kept.tolist())


def test_the_drawn_curve_stays_within_a_fiftieth_of_the_range_of_the_quantiles():
    scores = RNG.normal(size=5000)
    line = next(t for t in drawn({"a": scores})["data"] if t["mode"] == "lines" and "fill" not in t)
    assert len(line["x"]) <= 402
    levels = np.linspace(0.01, 0.99, 99)
    seen = np.interp(levels, line["x"], line["y"])
    assert np.max(np.abs(seen - np.quantile(scores, levels))) < 0.02 * np.ptp(scores)


def test_the_legend_has_one_entry_for_each_method_as_its_curve_is_drawn():
    figure = drawn({f"m{i}": {"x": RNG.normal(size=8 if i == 1 else 30), "y": RNG.normal(size=30)} for i in range(9)})
    entries = [t for t in figure["data"] if t["showlegend"]]
    assert [t["name"] for t in entries] == [f"m{i}" for i in range(9)]
    assert [t["mode"] for t in entries] == ["lines", "lines+markers", *["lines"] * 7]
    assert (entries[0]["line"]["dash"], entries[8]["line"]["dash"]) == ("solid", "dash")
    assert len({t["line"]["width"] for t in entries}) == 1


def test_labels_of_small_panels_are_short():
    layout = drawn({"a": {"x": 60_000 + 40_000 * RNG.normal(size=30), "y": RNG.normal(size=30)}})["layout"]
    assert layout["xaxis"]["ticktext"] == ["0", "50", "100"]
    assert (layout["yaxis"]["tickformat"], layout["yaxis2"]["tickformat"]) == ("~s", "~g")
    assert drawn({"a": RNG.normal(size=30)})["layout"]["xaxis"]["ticktext"][-1] == "100 %"


def test_crosses_of_two_methods_stand_apart_within_the_picture():
    sample = RNG.normal(size=30)
    figure = drawn({"a": np.append(sample, np.nan), "b": np.append(sample, [np.nan] * 2)})
    crosses = [t for t in figure["data"] if t.get("marker", {}).get("symbol") == "x-thin-open"]
    low, (first, second) = figure["layout"]["yaxis"]["range"][0], (t["y"][0] for t in crosses)
    assert low < second < first < sample.min()
    assert all(t["marker"]["line"]["width"] >= 2 for t in crosses)


def test_bands_of_many_methods_and_tasks_stay_small():
    samples = {f"m{i}": {f"t{j}": RNG.normal(size=480) for j in range(26)} for i in range(8)}
    figure = drawn(samples)
    assert len(safe_json(figure)) < 4e6
    assert sum(t.get("fillcolor", "").endswith(",0.18)") for t in figure["data"]) == 26 * 8
