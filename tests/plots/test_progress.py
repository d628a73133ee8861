"""Pictures over training hold what was computed, and their headlines say what is seen."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import ogive
from ogive.errors import InputError
from ogive.plots import of, progress, progress_fan
from ogive.progress import fan, over_training


def trials(agents=("sac", "td3"), n_seeds=4):
    rows = [
        {"agent": a, "seed": s, "step": 100 * k, "return": k * (1 + s / 9) + (3.0 if (a == agents[0]) == (k < 5) else 0.0)}
        for a in agents for s in range(n_seeds) for k in range(9)
    ]  # fmt: skip
    return ogive.read(pd.DataFrame(rows))


def test_lines_and_shades_are_the_estimates_and_their_intervals():
    found = over_training(trials())
    shown = progress(found).plot()
    for method in found.methods:
        assert_array_equal(shown.lines_[method].get_xydata()[:, 1], found.of(method).estimate)
        edges = shown.bands_[method].get_paths()[0].vertices[:, 1]
        assert np.isinf(found.of(method).high[0])  # all runs are equal there
        assert edges.max() == pytest.approx(found.of(method).high[1:].max())
    assert shown.headline == "At step 800, td3 has the best IQM of return, from step 500 on"
    assert "Shaded: 95 % intervals" in shown.caption
    assert shown.axes_["all"].get_xlabel() == "step"


def test_one_run_is_drawn_without_a_shade():
    shown = progress(over_training(trials(agents=("sac",), n_seeds=1))).plot()
    assert (list(shown.lines_), shown.bands_) == (["sac"], {})
    assert "There are no intervals" in shown.caption


@pytest.mark.parametrize("n", [1, 2, 4])
def test_fans_stand_together_up_to_two_and_else_in_panels(n):
    agents = ("sac", "td3", "ppo", "a2c")[:n]
    found = fan(trials(agents=agents))
    shown = progress_fan(found).plot()
    assert set(shown.axes_) == ({"all"} if n <= 2 else set(agents))
    for method in agents:
        assert_array_equal(shown.lines_[method].get_ydata(), found.of(method).quantiles[0.5])
    assert f"{4} runs of each method" in shown.caption
    assert type(of(found)) is type(shown)


def test_a_fan_has_five_levels():
    with pytest.raises(InputError, match="five levels"):
        progress_fan(fan(trials(), levels=(0.1, 0.9)))


def test_of_many_methods_the_first_are_drawn_and_the_rest_counted():
    found = over_training(trials(agents=tuple(f"m{i}" for i in range(14)), n_seeds=2), "mean")
    shown = progress(found)
    assert (len(shown.order), "Shown: the first 12 of 14 methods" in shown.caption) == (12, True)
    assert np.isfinite([found.of(m).estimate[-1] for m in shown.order]).all()
