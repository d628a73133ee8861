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


def test_bands_of_many_methods_and_tasks_stay_small():
    samples = {f"m{i}": {f"t{j}": RNG.normal(size=480) for j in range(26)} for i in range(8)}
    figure = drawn(samples)
    assert len(safe_json(figure)) < 4e6
    assert sum("fill" in t for t in figure["data"]) == 26 * 8
