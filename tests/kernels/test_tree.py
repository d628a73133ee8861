"""Trees and forests against a tree that sorts, counts and recurses; and against scikit-learn where that is sure of itself."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeClassifier

from ogive.curves._metrics import Answer
from ogive.kernels import _resampling, _tree
from ogive.kernels._forest import draw_bootstrap, forest_curve
from ogive.kernels._resampling import STEP, low_index
from ogive.kernels._tree import column_codes, tree_curve

pytestmark = pytest.mark.kernel
METRICS = ("accuracy", "auc", "brier", "cross_entropy")
DESIGNS = [(name, test) for name in ("additive", "random", "bootstrap") for test in ("fixed", "varying")]


def mix(state):
    return np.uint64(_resampling.mix(state))  # compiled, it returns a Python integer


def first_state(key, number):
    return np.uint64(_resampling.first_state(key, number))


def child_state(state, side):
    return np.uint64(_tree.child_state(state, side))


@pytest.fixture(autouse=True)
def _wrapping():
    with np.errstate(over="ignore"):
        yield


def problem(seed, n=26, d=3, classes=3, levels=None):
    """Rows with one constant column, some of them twice; `levels`: how many different values a column has."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) if levels is None else rng.integers(0, levels, size=(n, d)) * 0.1
    if d > 1:
        x[:, d - 1] = 3.0
    x[n // 2] = x[0]
    return np.ascontiguousarray(x), rng.integers(0, classes, size=n)


def calls(x, design, test_kind, rng):
    """(order, sizes, test, varying) of each call of a kernel."""
    n = len(x)
    rows = rng.permutation(n)
    pool, test = (np.arange(n), np.arange(n)) if test_kind == "varying" else (rows[8:], rows[:8])
    sizes = np.arange(1, len(pool) - 1)
    if design == "additive":
        return [(rng.permutation(pool), sizes, test, test_kind == "varying")]
    drawn = [rng.choice(pool, size=k, replace=design == "bootstrap") for k in sizes[::3]]
    return [(rows, np.array([len(rows)]), test, test_kind == "varying") for rows in drawn]


def expected(x, y, n_classes, order, sizes, test, varying, shares_at):
    """Scores at each size of what `shares_at(training rows, test rows)` says."""
    scores = []
    for n in sizes:
        rows = np.setdiff1d(test, order[:n]) if varying else test
        shares = shares_at(order[:n], rows)
        found = Answer(shares.argmax(axis=1), shares, shares).scores(y[rows], METRICS) if len(rows) else {}
        scores.append([found.get(name, np.nan) for name in METRICS])
    return np.array(scores)


def oracle(x, y, n_classes, rows, row, least, n_tried, state):
    """The shares that a tree grown on `rows`, as often as they come, gives to `row`."""
    x = x.astype(np.float32)
    counts = np.bincount(y[rows], minlength=n_classes)
    cut = None
    if counts.max() < len(rows) and len(rows) >= 2 * least:
        cut = oracle_cut(x, y, n_classes, rows, least, n_tried, state)
    if cut is None:
        return counts / len(rows)
    column, threshold = cut
    side = 0 if x[row, column] <= threshold else 1
    inside = rows[(x[rows, column] <= threshold) == (side == 0)]
    return oracle(x, y, n_classes, inside, row, least, n_tried, child_state(state, side))


def oracle_cut(x, y, n_classes, rows, least, n_tried, state):
    """Column and threshold of the best cut; columns in the order that the state draws."""
    columns = list(range(x.shape[1]))
    state += STEP + STEP
    best, cut, varies, visited = -np.inf, None, False, 0
    while columns and (visited < n_tried or not varies):
        state += STEP
        place = int(low_index(mix(state), np.uint64(len(columns))))
        f, columns[place] = columns[place], columns[0]  # the kernel's way to take one out
        columns = columns[1:]
        visited += 1
        values = np.sort(x[rows, f])
        varies = varies or values[-1] > values[0] + np.float32(1e-7)
        for a, b in itertools.pairwise(values):
            if b > a + np.float32(1e-7):
                threshold = float(a) / 2.0 + float(b) / 2.0
                left, right = (
                    np.bincount(y[rows[side]], minlength=n_classes).astype(float)
                    for side in halves(x, rows, f, threshold)
                )
                n, m = left.sum(), right.sum()
                gain = -m * (1.0 - (right**2).sum() / (m * m)) - n * (1.0 - (left**2).sum() / (n * n))
                if min(n, m) >= least and gain > best:
                    best, cut = gain, (f, threshold)
    return cut


def halves(x, rows, f, threshold):
    below = x[rows, f] <= threshold
    return below, ~below


def forest_shares(x, y, n_classes, order, rows, n_trees, key):
    state = first_state(key, len(order))
    n_tried = max(1, int(np.sqrt(x.shape[1])))
    total = np.zeros((len(rows), n_classes))
    for _ in range(n_trees):
        state += STEP
        weights, training = np.zeros(len(x), np.int64), np.empty(len(x), np.int32)
        draw_bootstrap(mix(state), order, len(order), weights, training)
        drawn = np.repeat(np.arange(len(x)), weights)
        total += [oracle(x, y, n_classes, drawn, r, 1, n_tried, mix(mix(state))) for r in rows]
    return total / n_trees


def run(kernel, x, y, n_classes, call, parameter, key):
    scores = np.full((len(call[1]), 4), -1.0)
    kernel(x, y, n_classes, *call, *column_codes(x), parameter, key, scores)
    return scores


def tree_shares(x, y, n_classes, train, rows, least, key):
    state = first_state(key, 0)
    return np.array([oracle(x, y, n_classes, train, r, least, x.shape[1], state) for r in rows]).reshape(-1, n_classes)


@pytest.mark.parametrize(("design", "test"), DESIGNS)
@pytest.mark.parametrize("levels", [None, 4])
def test_a_tree_along_a_curve_is_the_tree_grown_at_each_size(design, test, levels):
    x, y = problem(1, levels=levels)
    key = np.array([3, 4], np.uint64)
    for call in calls(x, design, test, np.random.default_rng(5)):
        wanted = expected(x, y, 3, *call, lambda train, rows: tree_shares(x, y, 3, train, rows, 2, key))
        assert_allclose(run(tree_curve, x, y, 3, call, 2, key), wanted, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("design", "test"), DESIGNS)
@pytest.mark.parametrize("levels", [None, 3])
def test_a_forest_is_the_mean_of_trees_on_bootstrap_samples(design, test, levels):
    x, y = problem(2, n=16, d=5, levels=levels)
    key = np.array([5, 6], np.uint64)
    for call in calls(x, design, test, np.random.default_rng(5)):
        call = (call[0], call[1][-3:], *call[2:])
        wanted = expected(x, y, 3, *call, lambda train, rows: forest_shares(x, y, 3, train, rows, 3, key))
        assert_allclose(run(forest_curve, x, y, 3, call, 3, key), wanted, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(2, 4), st.integers(1, 6))
def test_a_tree_is_scikit_learns_where_that_does_not_depend_on_the_order_of_columns(seed, d, classes, least):
    x, y = problem(seed, n=20, d=d, classes=classes)
    order, test, sizes = np.arange(4, 20), np.arange(4), np.array([5, 9, 16])
    found = run(tree_curve, x, y, classes, (order, sizes, test, False), least, np.array([1, 2], np.uint64))
    for n, row in zip(sizes, found, strict=True):
        if len(np.unique(y[order[:n]])) > 1:
            answers = set()
            for state in range(6):
                model = DecisionTreeClassifier(min_samples_leaf=least, random_state=state).fit(
                    x[order[:n]], y[order[:n]]
                )
                answers.add(
                    tuple(Answer.of(model, x[test], np.arange(classes), METRICS).scores(y[test], METRICS).values())
                )
            if len({str(a) for a in answers}) == 1:
                assert_allclose(row, answers.pop(), rtol=0, atol=1e-13)


@pytest.mark.parametrize("kernel", [tree_curve, forest_curve])
def test_a_size_does_not_depend_on_the_other_sizes(kernel):
    x, y = problem(3)
    key = np.array([7, 8], np.uint64)
    order, test = np.arange(6, 26), np.arange(6)
    whole = run(kernel, x, y, 3, (order, np.arange(1, 21), test, False), 2, key)
    some = run(kernel, x, y, 3, (order, np.array([4, 11, 20]), test, False), 2, key)
    assert_allclose(some, whole[[3, 10, 19]], rtol=0, atol=0)


@pytest.mark.parametrize("kernel", [tree_curve, forest_curve])
def test_values_closer_than_1e_minus_7_are_not_parted(kernel):
    x = np.array([[0.0], [5e-8], [0.0], [5e-8], [0.0], [5e-8]])
    y = np.array([0, 1, 0, 1, 0, 1])
    found = run(kernel, x, y, 2, (np.arange(4), np.array([4]), np.array([4, 5]), False), 1, np.array([1, 2], np.uint64))
    assert found[0, 0] == 0.5
    assert found[0, 1] == 0.5


@pytest.mark.parametrize("kernel", [tree_curve, forest_curve])
def test_one_class_is_certain_and_nothing_to_test_has_no_score(kernel):
    x, y = problem(4, n=6)
    y[:] = [1, 1, 1, 0, 2, 1]
    key = np.array([1, 2], np.uint64)
    one = run(kernel, x, y, 3, (np.arange(3), np.array([3]), np.array([4, 5]), False), 1, key)
    constant = Answer.constant(1, 2, 3).scores(y[[4, 5]], METRICS)
    assert_allclose(one[0], [constant[name] for name in METRICS], rtol=1e-14)
    none = run(kernel, x, y, 3, (np.arange(6), np.array([6]), np.arange(6), True), 1, key)
    assert np.isnan(none).all()
