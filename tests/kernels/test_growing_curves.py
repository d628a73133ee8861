"""Curves that grow a learner row by row, against fitting it anew at every size: means, neighbors, discriminants."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from ogive.curves._data import CurveData
from ogive.curves._designs import DESIGNS, TESTS, Design
from ogive.curves._fitting import CurveFit
from ogive.curves._models import MODELS
from ogive.kernels._discriminant import linear_discriminant_curve, quadratic_discriminant_curve
from ogive.kernels._nearest_mean import nearest_mean_curve
from ogive.kernels._neighbors import neighbor_lists, neighbors_curve
from ogive.seeding import stream

pytestmark = pytest.mark.kernel

METRICS = ("accuracy", "auc", "brier", "cross_entropy")


def nearest_mean(*arguments, scores):
    nearest_mean_curve(*arguments, scores)


def neighbors(k):
    def curve(x, y, n_classes, order, sizes, test, varying, scores):
        neighbors_curve(x, y, n_classes, order, sizes, test, varying, k, neighbor_lists(x, test), scores)

    return curve


def linear(jitter, least=-1.0):
    return lambda *arguments, scores: linear_discriminant_curve(*arguments, jitter, least, scores)


def quadratic(jitter, least=-1.0):
    return lambda *arguments, scores: quadratic_discriminant_curve(*arguments, jitter, least, scores)


LEARNERS = {
    "nmc": (nearest_mean, MODELS["nmc"]()),
    "1-nn": (neighbors(1), MODELS["knn"]()),
    "3-nn": (neighbors(3), KNeighborsClassifier(3, algorithm="kd_tree")),
    "lda": (linear(1e-8), MODELS["lda"]()),
    "qda": (quadratic(1e-8), MODELS["qda"]()),
}


def problem(what="ordinary", n=24, seed=0):
    rng = np.random.default_rng(seed)
    n_classes = 2 if what == "two classes" else 3
    y = rng.integers(n_classes, size=n)
    x = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y]
    if what == "one column":
        x = x[:, :1]
    if what == "a constant column":
        x[:, 1] = 4.0
    if what == "rows twice":
        x[n // 2 :], y[n // 2 :] = x[: n // 2], y[: n // 2]
    if what == "far from zero":
        x = 1e4 + 100.0 * x
    return CurveData(np.ascontiguousarray(x), y, "classification", "d", np.arange(n_classes))


def splits_of(data, design, test, sizes, seed=0):
    rows = Design.of(design, test, data.n_rows, 0.25, seed, "d")
    return list(rows.repetition(stream(seed, "resample", "d"), sizes).splits())


def whole(curve, data, design, test, sizes, splits):
    """The kernel, called as learning curves call it."""
    tested = splits[0][2] if test == "fixed" else np.arange(data.n_rows)
    calls = [(splits[-1][1], sizes, slice(None))] if design == "additive" else []
    if not calls:
        calls = [(train, [size], slice(i, i + 1)) for i, (size, train, _) in enumerate(splits)]
    scores = np.full((len(sizes), 4), -7.0)
    for order, numbers, where in calls:
        part = scores[where]
        curve(
            data.X, data.y, len(data.labels), np.ascontiguousarray(order), np.array(numbers), tested, test == "varying", scores=part
        )  # fmt: skip
    return scores


def refitted(estimator, data, splits):
    fit, rng = CurveFit(estimator, METRICS, "zero", "at last"), stream(0, "train", "d")
    found = []
    for _, train, test in splits:
        try:
            found.append(list(fit.scores({}, data, train, test, rng).values()))
        except (ValueError, np.linalg.LinAlgError):
            found.append([np.nan] * 4)
    return np.array(found)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_grown_curve_equals_fitting_anew_at_every_size_in_every_design(learner, design, test):
    curve, estimator = LEARNERS[learner]
    data, sizes = problem(), list(range(1, 18))
    splits = splits_of(data, design, test, sizes)
    expected = refitted(estimator, data, splits)
    assert_allclose(whole(curve, data, design, test, sizes, splits), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("what", ["two classes", "one column", "a constant column", "rows twice", "far from zero"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_grown_curve_equals_fitting_anew_on_odd_data(learner, what):
    curve, estimator = LEARNERS[learner]
    for seed in range(2):
        data, sizes = problem(what, seed=seed), list(range(1, 19))
        splits = splits_of(data, "additive", "varying", sizes, seed)
        expected = refitted(estimator, data, splits)
        assert_allclose(
            whole(curve, data, "additive", "varying", sizes, splits), expected, rtol=1e-5, atol=1e-6, err_msg=what
        )


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_size_has_the_same_scores_whatever_other_sizes_are_asked_for(learner):
    curve, _ = LEARNERS[learner]
    data, sizes = problem(), list(range(1, 19))
    splits = splits_of(data, "additive", "varying", sizes)
    every = whole(curve, data, "additive", "varying", sizes, splits)
    few = whole(curve, data, "additive", "varying", [5, 11, 18], [splits[4], splits[10], splits[17]])
    assert_array_equal(few, every[[4, 10, 17]])


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_class_only_is_predicted_without_a_fit(learner):
    curve, _ = LEARNERS[learner]
    x = np.random.default_rng(0).normal(size=(8, 2))
    y = np.array([1, 1, 1, 1, 0, 1, 0, 0])
    scores = np.empty((3, 4))
    curve(x, y, 2, np.arange(4), np.array([1, 2, 4]), np.arange(4, 8), False, scores=scores)
    assert_array_equal(scores[:, 0], 0.25)
    assert_array_equal(scores[:, 1], 0.5)
    assert_array_equal(scores[:, 2], 1.5)


def test_nothing_left_to_test_gives_no_scores():
    data = problem(n=6)
    scores = np.empty((1, 4))
    for curve, _ in LEARNERS.values():
        curve(data.X, data.y, 3, np.arange(6), np.array([6]), np.arange(6), True, scores=scores)
        assert np.isnan(scores).all()


def test_of_equally_distant_neighbors_the_first_to_come_votes():
    x = np.array([[0.0], [1.0], [-1.0], [5.0], [-1.0]])
    y = np.array([0, 0, 1, 0, 1])
    for order, share in (([1, 2, 3], 0.0), ([2, 1, 3], 1.0)):
        scores = np.empty((1, 4))
        neighbors(1)(x, y, 2, np.array(order), np.array([3]), np.array([0]), False, scores=scores)
        assert scores[0, 0] == 1.0 - share
    scores = np.empty((1, 4))  # a row drawn twice has two votes: 1, 1 and 0 against 2 and 4
    neighbors(3)(x, y, 2, np.array([3, 1, 1, 2, 4]), np.array([5]), np.array([0]), False, scores=scores)
    assert_allclose(scores[0, [0, 2]], [1.0, 2.0 / 9.0])


def test_fewer_rows_than_neighbors_have_no_scores():
    data, sizes = problem(), [4, 6]
    splits = splits_of(data, "additive", "fixed", sizes, seed=3)
    scores = whole(neighbors(5), data, "additive", "fixed", sizes, splits)
    assert np.isnan(scores[0]).all()
    assert not np.isnan(scores[1]).any()


@pytest.mark.parametrize(
    ("curve", "estimator"),
    [
        (linear(0.0, 1e-9), LinearDiscriminantAnalysis(solver="lsqr")),
        (quadratic(0.0, 1e-4), QuadraticDiscriminantAnalysis()),
    ],
    ids=["linear", "quadratic"],
)
def test_without_jitter_a_discriminant_is_scikit_learns_or_has_no_scores(curve, estimator):
    data, sizes = problem(n=30), list(range(1, 22))
    splits = splits_of(data, "additive", "fixed", sizes)
    scores = whole(curve, data, "additive", "fixed", sizes, splits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = refitted(estimator, data, splits)
    known = ~np.isnan(scores[:, 0])
    assert known.sum() > 4
    assert_allclose(scores[known], expected[known], rtol=1e-6, atol=1e-9)
