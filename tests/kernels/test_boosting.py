"""AdaBoost against stumps that are found by looking at every cut."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import AdaBoostClassifier

from ogive.curves._metrics import Answer
from ogive.kernels import _resampling
from ogive.kernels._boosting import boosting_curve
from ogive.kernels._resampling import STEP, low_index
from ogive.kernels._tree import column_codes

pytestmark = pytest.mark.kernel
METRICS = ("accuracy", "auc", "brier", "cross_entropy")
DESIGNS = [(name, test) for name in ("additive", "random", "bootstrap") for test in ("fixed", "varying")]
KEY = np.array([3, 4], np.uint64)
TIE = 1e-12


@pytest.fixture(autouse=True)
def _wrapping():
    with np.errstate(over="ignore"):
        yield


def problem(seed, n=24, d=3, classes=3, levels=None):
    """Rows with one constant column, one of them twice; `levels`: how many different values a column has."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, size=n)
    x = rng.normal(size=(n, d)) if levels is None else rng.integers(0, levels, size=(n, d)) * 0.1
    x[:, 0] += 0.6 * y
    if d > 1:
        x[:, d - 1] = 3.0
    x[n // 2] = x[0]
    return np.ascontiguousarray(x), y


def run(x, y, n_classes, order, sizes, test, varying=False, n_rounds=8, key=KEY):
    scores = np.full((len(sizes), 4), -1.0)
    order, sizes, test = (np.asarray(a, dtype=np.int64) for a in (order, sizes, test))
    boosting_curve(x, y, n_classes, order, sizes, test, varying, *column_codes(x), n_rounds, key, scores)
    return scores


def cuts(x, f):
    values = np.unique(x[:, f])
    return [float(a) / 2 + float(b) / 2 for a, b in itertools.pairwise(values) if b > a + np.float32(1e-7)]


def stump(x, codes, weights, n_seen, state):
    """Column, threshold and the classes on its two sides; and the state of the next stump."""
    left_over, best, found = list(range(x.shape[1])), -1.0, None
    everything = np.bincount(codes, weights, n_seen)
    if 1.0 - (everything**2).sum() <= 2.3e-16:
        return (0, np.inf, int(everything.argmax()), 0), state
    for visited in range(x.shape[1]):
        state = state + STEP
        drawn = visited + int(low_index(np.uint64(_resampling.mix(state)), np.uint64(x.shape[1] - visited)))
        left_over[visited], left_over[drawn] = left_over[drawn], left_over[visited]
        f = left_over[visited]
        for threshold in cuts(x, f):
            sides = [np.bincount(codes[s], weights[s], n_seen) for s in (x[:, f] <= threshold, x[:, f] > threshold)]
            gain = sum((s**2).sum() / s.sum() for s in sides)
            base = (everything**2).sum() if n_seen == 2 else 0.0
            if gain - base > best + TIE:
                best, found = gain - base, (f, threshold, *(first_largest(s) for s in sides))
    return found or (0, np.inf, first_largest(everything), 0), state


def first_largest(weights):
    return int(np.flatnonzero(weights >= weights.max() - TIE)[0])


def oracle(x, y, n_classes, train, rows, n_rounds, key):
    """Classes and shares that boosted stumps give to rows; None where the first stump is no better than a guess."""
    x = x.astype(np.float32)
    seen, codes = np.unique(y[train], return_inverse=True)
    shares = np.zeros((len(rows), n_classes))
    if seen.size == 1:
        shares[:, seen[0]] = 1.0
        return shares.argmax(axis=1), shares
    k, weights = seen.size, np.full(len(train), 1.0 / len(train))
    votes, total = np.zeros((len(rows), k)), 0.0
    state = np.uint64(_resampling.first_state(key, len(train)))
    for _ in range(n_rounds):
        weights = np.maximum(weights, np.finfo(float).eps)
        weights = weights / weights.sum()
        (f, threshold, below, above), state = stump(x[train], codes, weights, k, state)
        wrong = np.where(x[train, f] <= threshold, below, above) != codes
        error = weights[wrong].sum()
        if wrong.any() and error >= 1.0 - 1.0 / k - TIE:
            break
        alpha = np.log((1.0 - error) / error) + np.log(k - 1.0) if wrong.any() else 1.0
        chosen = np.where(x[rows, f] <= threshold, below, above)
        votes += np.where(chosen[:, None] == np.arange(k), alpha, -alpha / (k - 1.0))
        total += alpha
        if not wrong.any():
            break
        weights = weights * np.where(wrong, np.exp(alpha), 1.0)
        weights /= weights.sum()
    if total == 0.0:
        return None
    votes /= total
    powers = np.exp(votes / (k - 1.0)) if k > 2 else np.exp(np.outer((votes[:, 1] - votes[:, 0]) / 2, [-1.0, 1.0]))
    shares[:, seen] = powers / powers.sum(axis=1, keepdims=True)
    return seen[votes.argmax(axis=1)], shares


def assert_same(x, y, n_classes, order, sizes, test, varying=False, n_rounds=8, key=KEY):
    """Equal sums of votes that were added up in another order may be tied or not: an area lies between both."""
    scores = run(x, y, n_classes, order, sizes, test, varying, n_rounds, key)
    for n, found in zip(sizes, scores, strict=True):
        rows = np.setdiff1d(test, order[:n]) if varying else np.asarray(test)
        said = oracle(x, y, n_classes, order[:n], rows, n_rounds, key)
        if said is None:
            assert np.isnan(found).all()
            continue
        wanted = Answer(said[0], said[1], said[1]).scores(y[rows], METRICS)
        assert_allclose(found[[0, 2, 3]], [wanted[name] for name in METRICS if name != "auc"], rtol=0, atol=1e-9)
        if np.isnan(wanted["auc"]):
            assert np.isnan(found[1])
        else:
            low, high = (area(said[1], y[rows], n_classes, slack) for slack in (1e-9, -1e-9))
            assert low - 1e-12 <= found[1] <= high + 1e-12


def area(shares, truth, n_classes, slack):
    """The mean over classes of the pairs in which the row of the class is higher by more than the slack."""
    found = []
    for k in range(1 if n_classes == 2 else 0, n_classes):
        own, other = shares[truth == k, k], shares[truth != k, k]
        if own.size and other.size:
            found.append((own[:, None] - other > slack).mean())
    return np.mean(found)


@pytest.mark.parametrize(("design", "test"), DESIGNS)
@pytest.mark.parametrize("classes", [2, 3])
def test_boosting_along_a_curve_is_boosting_anew_at_each_size(design, test, classes):
    x, y = problem(1, classes=classes)
    rng, n = np.random.default_rng(5), len(x)
    varying = test == "varying"
    pool, rows = (np.arange(n), np.arange(n)) if varying else (np.arange(8, n), np.arange(8))
    if design == "additive":
        calls = [(rng.permutation(pool), np.arange(1, len(pool)))]
    else:
        drawn = [rng.choice(pool, size=k, replace=design == "bootstrap") for k in (2, 5, 9, 14)]
        calls = [(order, np.array([len(order)])) for order in drawn]
    for order, sizes in calls:
        assert_same(x, y, classes, order, sizes, rows, varying)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("levels", [2, 4])
def test_few_different_values_are_cut_in_the_order_of_the_key(classes, levels):
    x, y = problem(2, classes=classes, levels=levels, d=4)
    for number in range(3):
        key = np.array([number, 9], np.uint64)
        assert_same(x, y, classes, np.arange(6, 24), [4, 9, 18], np.arange(6), n_rounds=6, key=key)


@pytest.mark.parametrize("oddity", ["missing class", "constant columns", "doubled rows", "one column"])
def test_odd_rows_and_columns_are_boosted_as_the_plain_way_boosts_them(oddity):
    x, y = problem(4)
    order = np.arange(8, 24)
    if oddity == "missing class":
        order = order[y[order] != 1]
    elif oddity == "constant columns":
        x[:] = 1.0
    elif oddity == "doubled rows":
        order = np.repeat(order, 2)
    else:
        x = np.ascontiguousarray(x[:, :1])
    sizes = np.arange(2, len(order) + 1, 3)
    assert_same(x, y, 3, order, sizes, np.arange(8))


def test_one_class_is_certain_and_nothing_to_test_has_no_score():
    x, y = problem(4, n=6)
    y[:] = [1, 1, 1, 0, 2, 1]
    constant = Answer.constant(1, 2, 3).scores(y[[4, 5]], METRICS)
    assert_allclose(run(x, y, 3, np.arange(3), [3], [4, 5])[0], [constant[name] for name in METRICS], rtol=1e-14)
    assert np.isnan(run(x, y, 3, np.arange(6), [6], np.arange(6), varying=True)).all()


def test_what_no_stump_can_tell_apart_is_left_to_the_estimator():
    """Four corners, opposite ones of one class: every stump is wrong half of the time, and scikit-learn refuses."""
    x = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.2, 0.1]])
    y = np.array([0, 0, 1, 1, 0])
    assert np.isnan(run(x, y, 2, np.arange(4), [4], [4])).all()
    with pytest.raises(ValueError, match="worse than random"):
        AdaBoostClassifier().fit(x[:4], y[:4])


def test_a_size_does_not_depend_on_the_other_sizes():
    x, y = problem(3)
    whole = run(x, y, 3, np.arange(6, 24), np.arange(1, 19), np.arange(6))
    assert_array_equal(run(x, y, 3, np.arange(6, 24), [4, 11, 18], np.arange(6)), whole[[3, 10, 17]])
