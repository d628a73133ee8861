"""Means, neighbors and discriminants on real data: whole curves against scikit-learn's way, size by size."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from ogive.curves._data import CurveData
from ogive.curves._designs import Design
from ogive.curves._fitting import CurveFit
from ogive.curves._models import MODELS
from ogive.kernels._discriminant import linear_discriminant_curve, quadratic_discriminant_curve
from ogive.kernels._nearest_mean import nearest_mean_curve
from ogive.kernels._neighbors import neighbor_lists, neighbors_curve
from ogive.seeding import stream

METRICS = ("accuracy", "auc", "brier", "cross_entropy")
FILES = {"iris": "openml_61_iris.csv", "heart": "openml_53_heart_statlog.csv", "diabetes": "openml_37_diabetes.csv"}


@pytest.fixture(name="curves", scope="module", params=FILES)
def _curves(request, real_data):
    """Kernel and refitted scores [size, metric] of one repetition of every model."""
    table = pd.read_csv(real_data / FILES[request.param])
    y = np.unique(table["target"], return_inverse=True)[1]
    x = np.ascontiguousarray(table.drop(columns="target").to_numpy(float))
    k, last = y.max() + 1, int(0.7 * len(y))
    data = CurveData(x, y, "classification", "d", np.arange(k))
    sizes = np.unique(np.geomspace(k, last, 36).astype(int))
    splits = list(
        Design.of("additive", "fixed", len(y), 0.2, 0, "d").repetition(stream(0, "resample", "d"), sizes).splits()
    )
    order, test = splits[-1][1], splits[0][2]
    own = {
        "nmc": (nearest_mean_curve, ()),
        "knn": (neighbors_curve, (1, neighbor_lists(x, test))),
        "lda": (linear_discriminant_curve, (1e-8, -1.0)),
        "qda": (quadratic_discriminant_curve, (1e-8, -1.0)),
    }
    found = {}
    for name, (curve, parameters) in own.items():
        scores = np.empty((len(sizes), 4))
        curve(x, y, k, order, sizes, test, False, *parameters, scores)
        fit, rng = CurveFit(MODELS[name](), METRICS, "zero", ""), stream(0, "train", "d")
        refitted = [list(fit.scores({}, data, a, b, rng).values()) for _, a, b in splits]
        found[name] = (scores, np.array(refitted), len(test))
    return found


@pytest.mark.parametrize(("model", "tolerance"), [("nmc", 1e-11), ("lda", 1e-5), ("qda", 1e-5)])
def test_means_and_discriminants_equal_refitting_on_real_data(curves, model, tolerance):
    scores, expected, _ = curves[model]
    assert_allclose(scores, expected, rtol=tolerance, atol=tolerance)


def test_neighbors_differ_from_refitting_on_real_data_only_at_ties(curves):
    """Rows at one distance: scikit-learn's trees take whichever they meet first, we the first to come."""
    scores, expected, n_test = curves["knn"]
    flips = np.abs(scores[:, 0] - expected[:, 0]) * n_test
    assert (flips < 2.5).all()
    assert (flips > 0.5).mean() < 0.2
