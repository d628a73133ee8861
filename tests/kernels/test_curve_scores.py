"""The fused scores against the metrics of learning curves, which are written metric by metric."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ogive.curves._metrics import Answer
from ogive.kernels._curve_scores import keep_untrained, write_constant_scores, write_scores, write_shares

pytestmark = pytest.mark.kernel

METRICS = ("accuracy", "auc", "brier", "cross_entropy")
ODDITIES = ("none", "ties", "one class", "infinite", "nan", "certain")


def fused(codes, shares, ranking, truth):
    m = len(truth)
    row = np.full(4, -1.0)
    write_scores(codes, shares, ranking, truth, m, np.empty(m, np.int64), np.empty(m), row)
    return row


def apart(codes, shares, ranking, truth):
    return list(Answer(codes, shares, ranking).scores(truth, METRICS).values())


@given(seed=st.integers(0, 2**32), m=st.integers(1, 30), n_classes=st.integers(1, 5), oddity=st.sampled_from(ODDITIES))
def test_fused_scores_equal_those_computed_one_by_one(seed, m, n_classes, oddity):
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=m)
    shares = rng.dirichlet(np.ones(n_classes), size=m)
    ranking = shares
    if oddity == "ties":
        shares = ranking = np.round(shares * 3.0) / 3.0
    if oddity == "one class":
        truth[:] = n_classes - 1
    if oddity == "infinite":
        ranking = np.where(rng.random(shares.shape) < 0.3, -np.inf, rng.normal(size=shares.shape))
    if oddity == "nan":
        ranking = shares.copy()
        ranking[rng.integers(m), rng.integers(n_classes)] = np.nan
    if oddity == "certain":
        shares = ranking = np.eye(n_classes)[rng.integers(n_classes, size=m)]
    codes = rng.integers(n_classes, size=m)
    assert_allclose(fused(codes, shares, ranking, truth), apart(codes, shares, ranking, truth), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("order", ["random", "increasing", "decreasing", "few values", "equal"])
def test_areas_of_long_test_sets_are_exact_in_any_order(order):
    rng = np.random.default_rng(1)
    m = 200
    values = {
        "random": rng.normal(size=m),
        "increasing": np.arange(m) / m,
        "decreasing": -np.arange(m) / m,
        "few values": rng.integers(3, size=m) / 2.0,
        "equal": np.zeros(m),
    }[order]
    for share in (0.1, 0.5, 0.9):
        truth = (rng.random(m) < share).astype(np.int64)
        shares = np.stack([1.0 - values, values], axis=1)
        assert fused(truth, shares, shares, truth)[1] == apart(truth, shares, shares, truth)[1]


def test_scores_without_test_rows_are_nan():
    none = np.empty((0, 2))
    assert np.isnan(fused(np.empty(0, np.int64), none, none, np.empty(0, np.int64))).all()
    row = np.zeros(4)
    write_constant_scores(0, np.empty(0, np.int64), 0, row)
    assert np.isnan(row).all()


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), m=st.integers(1, 12), n_classes=st.integers(1, 3))
def test_constant_scores_equal_those_of_a_constant_answer(seed, m, n_classes):
    rng = np.random.default_rng(seed)
    truth, code = rng.integers(n_classes, size=m), int(rng.integers(n_classes))
    row = np.empty(4)
    write_constant_scores(code, truth, m, row)
    expected = list(Answer.constant(code, m, n_classes).scores(truth, METRICS).values())
    assert_allclose(row, expected, rtol=1e-14)


def test_a_probability_that_is_not_a_number_makes_no_score_of_probabilities():
    shares = np.array([[0.5, 0.5], [np.nan, np.nan]])
    row = fused(np.array([0, 1]), shares, shares, np.array([0, 1]))
    assert row[0] == 1.0
    assert np.isnan(row[1:]).all()


def test_trained_rows_leave_the_test_set_in_order_and_once():
    y = np.array([0, 1, 2, 0, 1])
    rows, truth, trained = np.arange(5), y.copy(), np.zeros(5, dtype=bool)
    order = np.array([3, 3, 0])
    m = keep_untrained(order, 0, 2, y, rows, truth, 5, trained)
    assert_array_equal(rows[:m], [0, 1, 2, 4])
    m = keep_untrained(order, 2, 3, y, rows, truth, m, trained)
    assert_array_equal(rows[:m], [1, 2, 4])
    assert_array_equal(truth[:m], y[rows[:m]])


def test_shares_are_the_softmax_and_classes_that_were_not_seen_have_none():
    logs = np.array([[0.0, np.log(3.0), -np.inf], [1.0, 1.0, 1.0], [-800.0, 5.0, 5.0]])
    codes, shares = np.empty(3, np.int64), np.empty((3, 3))
    write_shares(logs, 3, 3, codes, shares)
    assert_allclose(shares, [[0.25, 0.75, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.5, 0.5]])
    assert_array_equal(codes, [1, 0, 1])
