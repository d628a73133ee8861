"""What values of a hyper-parameter get right on rows held out, against scikit-learn and against one value at a time."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from ogive.curves._models import MODELS
from ogive.kernels._boosting import boosting_choices, boosting_curve
from ogive.kernels._discriminant import linear_discriminant_curve, quadratic_discriminant_curve
from ogive.kernels._forest import forest_choices, forest_curve
from ogive.kernels._kernel_svm import gaussian_kernel, kernel_svm_curve
from ogive.kernels._linear_svm import linear_svm_curve
from ogive.kernels._logistic import logistic_curve
from ogive.kernels._neighbors import neighbor_lists, neighbors_choices, neighbors_curve
from ogive.kernels._tree import column_codes, tree_curve

pytestmark = pytest.mark.kernel
KEY = np.array([3, 4], np.uint64)
DRAWS = ["nested", "with copies", "a class that comes late", "one class", "rows at one distance"]


@pytest.fixture(autouse=True)
def _wrapping():
    with np.errstate(over="ignore"):
        yield


def problem(what, seed=0):
    """Rows, classes; training rows in order, of which every fifth different one is held out; sizes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=26)
    x = rng.normal(size=(26, 3)) + 1.2 * np.eye(3)[y]
    order = rng.permutation(26)[:20]
    if what == "with copies":
        order = rng.choice(order, size=20)
    elif what == "a class that comes late":
        order = order[np.argsort(y[order] == 2, kind="stable")]
    elif what == "one class":
        y[order] = 1
    elif what == "rows at one distance":
        x = np.round(x)
    return np.ascontiguousarray(x), y, order, np.arange(10, 21)


def parted(order, sizes):
    """What is fitted, what is held out, and how many of either at each size; told row by row."""
    seen, held = [], []
    for row in order:
        if row not in seen:
            seen.append(row)
        held.append(seen.index(row) % 5 == 4)
    held = np.array(held)
    counts = np.array([held[:n].sum() for n in sizes])
    return order[~held], order[held], sizes - counts, counts


def one_by_one(curve, x, y, fitted, rows, numbers, counts, *arguments):
    """Accuracies of a curve that is asked for one size at a time."""
    found = []
    for n, m in zip(numbers, counts, strict=True):
        scores = np.full((1, 4), -1.0)
        curve(x, y, 3, fitted, np.array([n]), rows[:m], False, *arguments, scores)
        found.append(scores[0, 0])
    return np.array(found)


def refitted(estimator, x, y, fitted, rows, numbers, counts):
    found = []
    for n, m in zip(numbers, counts, strict=True):
        train, classes = fitted[:n], np.unique(y[fitted[:n]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            guess = classes if classes.size == 1 else clone(estimator).fit(x[train], y[train]).predict(x[rows[:m]])
        found.append(np.mean(guess == y[rows[:m]]))
    return np.array(found)


def growing(curve):
    """A curve of one value that tests more and more rows."""

    def accuracies(x, y, fitted, rows, numbers, counts, *arguments):
        found = np.full((len(numbers), 1), -1.0)
        curve(x, y, 3, fitted, numbers, rows, False, *arguments, found, counts)
        return found[:, 0]

    return accuracies


def gaussian(x):
    values = np.empty((len(x), len(x)))
    gaussian_kernel(x, 1.0, values)
    return values


# Curve, what stands before and after the value, the estimator's parameter for a value.
LEARNERS = {
    "lda": (linear_discriminant_curve, lambda x, v: (v, -1.0), lambda v: {"jitter": v}, (1e-1, 1e-8)),
    "qda": (quadratic_discriminant_curve, lambda x, v: (v, -1.0), lambda v: {"jitter": v}, (1e-1, 1e-8)),
    "logistic": (logistic_curve, lambda x, v: (v,), lambda v: {"estimator__C": 1.0 / v}, (1e-1, 1e-4)),
    "linear_svm": (linear_svm_curve, lambda x, v: (v,), lambda v: {"penalty": v}, (1e-1, 1e-5)),
    "rbf_svm": (kernel_svm_curve, lambda x, v: (gaussian(x), v, 1e-6), lambda v: {"C": v}, (0.3, 100.0)),
    "tree": (tree_curve, lambda x, v: (*column_codes(x), v, KEY), lambda v: {"min_samples_leaf": v}, (6, 1)),
}


@pytest.mark.parametrize("what", DRAWS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_accuracy_on_a_growing_set_is_that_of_every_size_by_itself(learner, what):
    x, y, order, sizes = problem(what)
    curve, arguments, _, values = LEARNERS[learner]
    parts = parted(order, sizes)
    for value in values:
        given = arguments(x, value)
        assert_array_equal(growing(curve)(x, y, *parts, *given), one_by_one(curve, x, y, *parts, *given))


@pytest.mark.parametrize("what", DRAWS[:4])
@pytest.mark.parametrize("learner", [name for name in LEARNERS if name != "tree"])
def test_accuracy_on_a_growing_set_is_scikit_learns_at_every_size(learner, what):
    x, y, order, sizes = problem(what, seed=1)
    curve, arguments, setting, values = LEARNERS[learner]
    parts = parted(order, sizes)
    for value in values:
        expected = refitted(MODELS[learner]().set_params(**setting(value)), x, y, *parts)
        assert_allclose(growing(curve)(x, y, *parts, *arguments(x, value)), expected, atol=1e-12)


@pytest.mark.parametrize("what", DRAWS)
def test_all_numbers_of_neighbors_get_right_what_each_gets_right(what):
    x, y, order, sizes = problem(what)
    parts, numbers = parted(order, sizes), np.array([1, 2, 5, 9, 12, 40])
    lists, found = neighbor_lists(x, np.arange(len(x))), np.full((len(sizes), 6), -1.0)
    fitted, rows, n_fitted, counts = parts
    neighbors_choices(y, 3, fitted, n_fitted, rows, counts, numbers, lists, found)
    for j, k in enumerate(numbers):
        few = n_fitted < k
        assert np.isnan(found[few, j]).all()
        expected = one_by_one(neighbors_curve, x, y, *parts, k, neighbor_lists(x, rows))
        # Which list a row has depends on the rows that are tested: here all of them.
        assert_array_equal(found[~few, j], expected[~few])
        if what not in ("rows at one distance", "with copies"):
            refit = refitted(MODELS["knn"]().set_params(n_neighbors=int(k)), x, y, *(p for p in _enough(parts, k)))
            assert_allclose(found[~few, j], refit, atol=1e-12)


def _enough(parts, k):
    fitted, rows, n_fitted, counts = parts
    return fitted, rows, n_fitted[n_fitted >= k], counts[n_fitted >= k]


@pytest.mark.parametrize("what", DRAWS)
@pytest.mark.parametrize(("choices", "curve"), [(forest_choices, forest_curve), (boosting_choices, boosting_curve)])
def test_prefixes_get_right_what_so_many_trees_or_stumps_get_right(choices, curve, what):
    x, y, order, sizes = problem(what)
    parts, numbers = parted(order, sizes), np.array([1, 2, 4, 7])
    codes, found = column_codes(x), np.full((len(sizes), 4), -1.0)
    fitted, rows, n_fitted, counts = parts
    choices(y, 3, fitted, n_fitted, rows, counts, *codes, numbers, KEY, found)
    for j, number in enumerate(numbers):
        assert_array_equal(found[:, j], one_by_one(curve, x, y, *parts, *codes, number, KEY))


def test_where_no_stump_is_better_than_a_guess_no_number_of_them_has_an_accuracy():
    x = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.2, 0.1]])
    y, found = np.array([0, 0, 1, 1, 0]), np.full((1, 2), -1.0)
    order, rows = np.arange(4), np.array([4])
    boosting_choices(y, 2, order, np.array([4]), rows, np.array([1]), *column_codes(x), np.array([1, 3]), KEY, found)
    assert np.isnan(found).all()


def test_nothing_held_out_has_no_accuracy():
    x, y, order, _ = problem("nested")
    none, codes = np.array([0]), column_codes(x)
    lists = neighbor_lists(x, np.arange(len(x)))
    for choices, arguments in (
        (neighbors_choices, (np.array([1, 3]), lists)),
        (forest_choices, (*codes, np.array([1, 3]), KEY)),
        (boosting_choices, (*codes, np.array([1, 3]), KEY)),
    ):
        found = np.full((1, 2), -1.0)
        choices(y, 3, order, np.array([10]), order[10:], none, *arguments, found)
        assert np.isnan(found).all()
