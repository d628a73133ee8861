"""What Turan, Loog and Tax (2026) show in Figure 1, on their data."""

import pandas as pd
import pytest
from sklearn.neural_network import MLPClassifier

from ogive.curves import learning_curves, repeated_cv

pytestmark = pytest.mark.slow


def load(folder, file):
    table = pd.read_csv(folder / file)
    return table.drop(columns="target"), table["target"]


def test_the_quadratic_discriminant_overtakes_logistic_regression_later_by_its_bad_runs(real_data):
    """Figure 1a: from n > 100 by the mean, n > 200 by the 5 % quantile, n > 80 by a high one."""
    X, y = load(real_data, "openml_46597_obesity_levels.csv")
    sizes = [40, 80, 113, 160, 226, 640]
    curves = learning_curves(
        ["qda", "logistic"], X, y, sizes=sizes, n_repetitions=60, metrics="accuracy", name="obesity", seed=2026
    )
    by_mean, by_bad = curves.crossings("qda", "logistic"), curves.crossings("qda", "logistic", "q0.05")
    assert by_mean.crossings[-1] == (113, 160)
    assert by_bad.crossings[-1][1] >= 160
    ahead = {
        s: next(r.first for r in curves.leaders()[s].ranges()[::-1] if r.who == "qda")
        for s in ("mean", "q0.05", "q0.95")
    }
    assert ahead["q0.95"] <= ahead["mean"] <= ahead["q0.05"]


def test_a_small_network_has_two_modes_at_small_learning_rates_only(real_data):
    """Figure 1b: some fits stay below chance, and which mode dominates depends on the learning rate."""
    X, y = load(real_data, "openml_1063_kc2.csv")
    network = MLPClassifier(hidden_layer_sizes=(16,) * 5, max_iter=10)
    cv = repeated_cv(
        network,
        X,
        y,
        {"learning_rate_init": [1e-5, 1e-2]},
        k=20,
        n_repeats=8,
        metrics="accuracy",
        name="kc2",
        seed=2026,
    )
    slow, fast = cv.slices()
    assert slow.several_modes
    assert not fast.several_modes
    assert cv.share_below(0.5, "learning_rate_init=1e-05") > 0.3
    assert cv.share_below(0.5, "learning_rate_init=0.01") < 0.15
