"""Shapiro and Wilk's W against the correlation it is defined as."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ogive.kernels._shapiro import shapiro_shortfall

pytestmark = pytest.mark.kernel


def shortfall(rows, weights):
    rows = np.sort(np.asarray(rows, dtype=np.float64), axis=1)
    out = np.empty(len(rows))
    shapiro_shortfall(rows.reshape(-1), rows.shape[1], weights, 0, len(rows), out)
    return out


def squared_correlation(row, weights):
    middle = np.zeros(len(row) % 2)
    whole = np.concatenate([-weights, middle, weights[::-1]])
    return np.corrcoef(np.sort(row), whole)[0, 1] ** 2


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(-30, 30), min_size=3, max_size=15).filter(lambda v: len(set(v)) > 1), st.integers(0, 2**32 - 1)
)
def test_w_is_the_squared_correlation_with_the_weights(row, seed):
    weights = np.sort(np.random.default_rng(seed).random(len(row) // 2) + 0.1)[::-1].copy()
    assert_allclose(1 - shortfall([row], weights)[0], squared_correlation(row, weights), atol=1e-12)


@pytest.mark.parametrize("n", [4, 5, 10, 11])
def test_a_sample_proportional_to_the_weights_falls_short_by_nothing(n):
    weights = np.arange(n // 2, 0, -1.0)
    row = np.concatenate([-weights, np.zeros(n % 2), weights[::-1]])
    assert shortfall([7 + 3 * row], weights)[0] <= 1e-15
