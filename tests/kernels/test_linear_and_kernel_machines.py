"""Logistic regression, linear and kernel machines along a curve, against fitting anew at every size."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.svm import SVC, LinearSVC

from ogive.curves._designs import Design
from ogive.curves._estimators import KernelMachine, LinearMachine
from ogive.curves._metrics import Answer
from ogive.curves._models import MODELS
from ogive.kernels._exponential import write_exponentials
from ogive.kernels._kernel_svm import gaussian_kernel, kernel_svm_curve
from ogive.kernels._linear_svm import linear_svm_curve
from ogive.kernels._logistic import logistic_curve
from ogive.seeding import stream

pytestmark = pytest.mark.kernel
METRICS = ("accuracy", "auc", "brier", "cross_entropy")
DESIGNS = [(name, test) for name in ("additive", "random", "bootstrap") for test in ("fixed", "varying")]


class PreciseLinearMachine(LinearMachine):
    """At the minimum itself: scikit-learn's default tolerance stops before it."""

    def fit(self, X, y):
        return self._fit(LinearSVC(C=1.0 / (self.penalty * len(y)), dual=False, tol=1e-12, max_iter=10**6), X, y)


class PreciseKernelMachine(KernelMachine):
    def fit(self, X, y):
        return self._fit(SVC(C=self.C, gamma=0.5 / self.bandwidth**2, tol=1e-10), X, y)


def logistic(x, y, n_classes, order, sizes, test, varying, scores):
    logistic_curve(x, y, n_classes, order, sizes, test, varying, 0.0, scores)


def linear_svm(x, y, n_classes, order, sizes, test, varying, scores):
    linear_svm_curve(x, y, n_classes, order, sizes, test, varying, 1e-2, scores)


def rbf_svm(x, y, n_classes, order, sizes, test, varying, scores):
    values = np.empty((len(x), len(x)))
    gaussian_kernel(x, 1.0, values)
    kernel_svm_curve(x, y, n_classes, order, sizes, test, varying, values, 1.0, 1e-9, scores)


# Kernel, estimator, tolerance. libsvm keeps kernel values in single precision.
LEARNERS = {
    "logistic": (logistic, MODELS["logistic"], 1e-6),
    "linear_svm": (linear_svm, lambda: PreciseLinearMachine(penalty=1e-2), 1e-6),
    "rbf_svm": (rbf_svm, PreciseKernelMachine, 1e-5),
}
every_learner = pytest.mark.parametrize("learner", LEARNERS)


def problem(n=24, features=2, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    x = rng.normal(size=(n, features))
    x[:, 0] += 0.8 * y
    return x, y


def refitted(make, x, y, n_classes, train, test):
    """The four scores of an estimator fitted to these rows alone."""
    if not test.size:
        return [np.nan] * 4
    seen = np.unique(y[train])
    if seen.size == 1:
        answer = Answer.constant(int(seen[0]), len(test), n_classes)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = Answer.of(make().fit(x[train], y[train]), x[test], np.arange(n_classes), METRICS)
    return list(answer.scores(y[test], METRICS).values())


def both(learner, x, y, n_classes, order, sizes, test, varying=False):
    """Scores of the kernel, and of fitting anew, at each size."""
    kernel, make, _ = LEARNERS[learner]
    x, y = np.ascontiguousarray(x, dtype=np.float64), np.asarray(y, dtype=np.int64)
    order, sizes = np.asarray(order, dtype=np.int64), np.asarray(sizes, dtype=np.int64)
    found, expected = np.full((len(sizes), 4), -1.0), []
    kernel(x, y, n_classes, order, sizes, np.asarray(test, dtype=np.int64), varying, found)
    for n in sizes:
        tested = np.setdiff1d(test, order[:n]) if varying else np.asarray(test)
        expected.append(refitted(make, x, y, n_classes, order[:n], tested))
    return found, np.array(expected)


def assert_same(learner, found, expected):
    """Labels and ranks exactly, probabilities to the learner's tolerance.

    Probabilities of logistic regression that are 1 but for the last digit may be tied here and not there.
    """
    assert_allclose(found[:, 0], expected[:, 0], atol=1e-12)
    other = ~np.isclose(found[:, 1], expected[:, 1], rtol=0, atol=1e-12, equal_nan=True)
    assert other.mean() <= (0.15 if learner == "logistic" else 0.0)
    assert_allclose(found[:, 2:], expected[:, 2:], atol=LEARNERS[learner][2])


@every_learner
@pytest.mark.parametrize(("design", "test"), DESIGNS)
def test_curves_equal_refitting_at_every_size_in_every_design(learner, design, test):
    x, y = problem(seed=3)
    rows = Design.of(design, test, len(y), 0.3, 0, "problem")
    sizes = tuple(range(1, 15))
    pieces = []
    for size, train, tested in rows.repetition(stream(0, rows.purpose, "problem"), sizes).splits():
        if design == "additive" and size < sizes[-1]:
            continue
        asked = np.arange(1, size + 1) if design == "additive" else np.array([size])
        held = np.arange(len(y)) if test == "varying" else tested
        pieces.append(both(learner, x, y, 3, train, asked, held, test == "varying"))
    assert_same(learner, *(np.concatenate(part) for part in zip(*pieces, strict=True)))


@every_learner
@pytest.mark.parametrize(
    ("features", "classes", "seed"), [(1, 2, 0), (2, 2, 1), (4, 2, 2), (1, 3, 3), (3, 4, 4), (2, 5, 5)]
)
def test_curves_equal_refitting_for_several_classes_and_columns(learner, features, classes, seed):
    x, y = problem(28, features, classes, seed)
    assert_same(learner, *both(learner, x, y, classes, np.arange(20), np.arange(1, 21), np.arange(20, 28)))


@every_learner
def test_a_class_that_never_comes_has_probability_zero(learner):
    x, y = problem(24, 2, 3, seed=7)
    order = np.flatnonzero(y[:16] != 1)
    sizes = np.arange(1, len(order) + 1)
    assert_same(learner, *both(learner, x, y, 3, order, sizes, np.arange(16, 24)))


@every_learner
def test_one_class_is_predicted_without_a_fit(learner):
    x, y = problem(12, 2, 2, seed=8)
    y[:8] = 1
    found, expected = both(learner, x, y, 2, np.arange(8), [1, 5, 8], np.arange(8, 12))
    assert_allclose(found, expected, atol=1e-15)


@every_learner
def test_nothing_to_test_is_nan(learner):
    x, y = problem(8, 2, 2, seed=9)
    found, _ = both(learner, x, y, 2, np.arange(8), [7, 8], np.arange(8), varying=True)
    assert np.isnan(found[1]).all()
    assert not np.isnan(found[0, 0])


@pytest.mark.parametrize("learner", ["linear_svm", "rbf_svm"])
@pytest.mark.parametrize("oddity", ["constant column", "doubled column", "doubled rows", "whole numbers"])
def test_machines_equal_refitting_on_odd_columns_and_rows(learner, oddity):
    x, y = problem(24, 2, 3, seed=10)
    if oddity == "constant column":
        x = np.column_stack([x, np.full(24, 3.0)])
    elif oddity == "doubled column":
        x = np.column_stack([x, x[:, 0]])
    elif oddity == "doubled rows":
        x[8:16], y[8:16] = x[:8], y[:8]
    else:
        x = np.round(x)
    found, expected = both(learner, x, y, 3, np.arange(18), np.arange(4, 19), np.arange(18, 24))
    assert_allclose(found[:, 2:], expected[:, 2:], atol=1e-4)
    # Equal test rows and draws between classes are ordered by last digits, here and there.
    assert (abs(found[:, :2] - expected[:, :2]) < 1e-9).mean() > 0.9


@pytest.mark.parametrize("oddity", ["constant column", "doubled column", "few rows"])
def test_logistic_regression_without_a_unique_step_goes_on_as_scikit_learn_does(oddity):
    """Newton's equations have no unique solution: both turn to L-BFGS, from the same place."""
    x, y = problem(26, 2, 2, seed=11)
    if oddity == "few rows":
        x = np.random.default_rng(1).normal(size=(26, 12)) + 0.5 * y[:, None]
    else:
        x = np.column_stack([x, np.full(26, 3.0) if oddity == "constant column" else x[:, 0]])
    sizes = np.arange(4, 12) if oddity == "few rows" else np.arange(4, 19)
    found, expected = both("logistic", x, y, 2, np.arange(18), sizes, np.arange(18, 26))
    same = (abs(found - expected) < 1e-5).all(axis=1)
    assert same.mean() > 0.8  # the last digits of a singular matrix decide whether it is called singular


@pytest.mark.parametrize("penalty", [1e-3, 1.0, 50.0])
def test_penalized_logistic_regression_equals_refitting(penalty):
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    x, y = problem(28, 3, 3, seed=12)
    sizes, order, test = np.arange(3, 21), np.arange(20), np.arange(20, 28)
    found = np.empty((len(sizes), 4))
    logistic_curve(x, y, 3, order, sizes, test, False, penalty, found)

    def make():
        return OneVsRestClassifier(LogisticRegression(C=1.0 / penalty, solver="newton-cholesky"))

    assert_allclose(found, [refitted(make, x, y, 3, order[:n], test) for n in sizes], atol=1e-8)


@every_learner
def test_a_size_does_not_depend_on_the_sizes_asked_for(learner):
    x, y = problem(28, 2, 3, seed=13)
    kernel = LEARNERS[learner][0]
    order, test = np.arange(20), np.arange(20, 28)
    every = np.empty((20, 4))
    kernel(x, y, 3, order, np.arange(1, 21), test, False, every)
    for sizes in ([20], [3, 11, 20], [7]):
        some = np.empty((len(sizes), 4))
        kernel(x, y, 3, order, np.array(sizes), test, False, some)
        assert_allclose(some, every[np.array(sizes) - 1], atol=0 if learner == "logistic" else 1e-8)


def test_exponentials_are_right_to_two_units_in_the_last_place():
    values = np.concatenate([np.linspace(-708.0, 709.0, 150), [0.0, -1e-300, np.nan, -np.inf]])
    powers, results = np.empty(len(values)), np.empty(len(values))
    write_exponentials(values, len(values), powers, results)
    assert_allclose(results[:152], np.exp(values[:152]), rtol=5e-16)
    assert np.isnan(results[152])
    assert results[153] < 1e-307
