"""The kernel of AdaBoost on real data, against scikit-learn: another score only where scikit-learn met a tie."""

import warnings

import numpy as np
import pandas as pd
import pytest

from ogive.curves._metrics import Answer
from ogive.curves._models import MODELS
from ogive.kernels._boosting import boosting_curve
from ogive.kernels._tree import column_codes

METRICS = ("accuracy", "auc", "brier", "cross_entropy")
FILES = {"iris": "openml_61_iris.csv", "heart": "openml_53_heart_statlog.csv", "diabetes": "openml_37_diabetes.csv"}
N_ROUNDS = 100
CLOSE = 1e-9


def load(folder, name):
    table = pd.read_csv(folder / FILES[name])
    x = np.ascontiguousarray(table.drop(columns="target").to_numpy(np.float64))
    rows = np.random.default_rng(1).permutation(len(x))
    n_test = len(x) // 5
    return x, np.unique(table["target"], return_inverse=True)[1], rows[n_test:], rows[:n_test]


def gains(x, y, weights, n_classes):
    """Σ_k l_k² / n_left + Σ_k r_k² / n_right of every cut of every column, with the weights of classes left of it."""
    found, lefts = [], []
    whole = np.bincount(y, weights, n_classes)
    for column in x.astype(np.float32).T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        left = np.cumsum(np.eye(n_classes)[y[order]] * weights[order, None], axis=0)[:-1]
        left = left[ordered[1:] > ordered[:-1] + np.float32(1e-7)]
        right = whole - left
        found.append((left**2).sum(axis=1) / left.sum(axis=1) + (right**2).sum(axis=1) / right.sum(axis=1))
        lefts.append(left)
    return np.concatenate(found), np.concatenate(lefts)


def met_a_tie(model, x, y):
    """Whether cuts, classes on a side, or the error and that of guessing were equal but for rounding in some round."""
    codes = np.searchsorted(model.classes_, y)
    k, weights = len(model.classes_), np.full(len(y), 1.0 / len(y))
    for i in range(N_ROUNDS):
        weights = np.maximum(weights, np.finfo(float).eps)
        found, lefts = gains(x, codes, weights, k)
        best = np.flatnonzero(found >= found.max() - CLOSE)
        left = lefts[best[0]]
        sides = [np.sort(side)[::-1] for side in (left, np.bincount(codes, weights, k) - left)]
        error = weights.sum() - sum(side[0] for side in sides)
        tied = best.size > 1 or any(side[0] - side[1] < CLOSE for side in sides)
        if tied or abs(error - (1.0 - 1.0 / k)) < CLOSE:
            return True
        if i >= len(model.estimators_):
            return False
        wrong = model.estimators_[i].predict(x) != y
        if not wrong.any():
            return False
        weights = weights * np.where(wrong, np.exp(model.estimator_weights_[i]), 1.0)
        weights /= weights.sum()
    return False


def compared(folder, name, step):
    """How many sizes were compared, how many met a tie, and how many of these had another score."""
    x, y, order, test = load(folder, name)
    n_classes = y.max() + 1
    sizes = np.arange(2, int(0.7 * len(x)) + 1, step)
    ours = np.full((len(sizes), 4), -1.0)
    key = np.array([1, 2], np.uint64)
    boosting_curve(x, y, n_classes, order, sizes, test, False, *column_codes(x), N_ROUNDS, key, ours)
    n_compared = n_tied = n_other = 0
    for n, found in zip(sizes, ours, strict=True):
        train = order[:n]
        if np.unique(y[train]).size == 1:
            continue
        n_compared += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = MODELS["adaboost"]().set_params(random_state=0).fit(x[train], y[train])
        wanted = Answer.of(model, x[test], np.arange(n_classes), METRICS).scores(y[test], METRICS)
        same = np.allclose(found, list(wanted.values()), rtol=0, atol=1e-8)
        tied = met_a_tie(model, x[train], y[train])
        assert same or tied, f"{name}, n = {n}: {found} here, {wanted} there, and no tie"
        n_tied += tied
        n_other += not same
    return n_compared, n_tied, n_other


@pytest.mark.parametrize(("name", "step", "other"), [("iris", 9, 6), ("heart", 20, 3), ("diabetes", 80, 1)])
def test_boosting_differs_from_scikit_learn_only_at_ties(real_data, name, step, other):
    n_compared, n_tied, n_other = compared(real_data, name, step)
    assert n_compared > 5
    assert n_other <= min(other, n_tied)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "other"), [("iris", 45), ("heart", 25), ("diabetes", 20)])
def test_boosting_differs_from_scikit_learn_only_at_ties_at_every_size(real_data, name, other):
    """With scikit-learn 1.9: 36 of 104 sizes of iris, which all meet ties; 16 of 188 of heart, of 24 that do; 18 of 536 of
    diabetes, of 39.
    """
    n_compared, n_tied, n_other = compared(real_data, name, 1)
    assert n_compared > 100
    assert n_other <= min(other, n_tied)
