"""The dip kernel against a search over all unimodal distribution functions, on tiny inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from ogive.kernels._dip import dips

pytestmark = pytest.mark.kernel


def dip_of(values):
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    out = np.empty(1)
    dips(ordered, ordered.size, 0, 1, out)
    return out[0]


def distance_to_unimodal(values):
    """For each mode, the nearest convex-then-concave function as a linear programme; the least of them.

    A mode between two scores is never better than one of the two. Away from the mode the function
    is continuous, so it answers for both limits of F there; at the mode it may jump.
    """
    points, counts = np.unique(values, return_counts=True)
    high = np.cumsum(counts) / counts.sum()
    low = high - counts / counts.sum()
    return min(_distance_with_mode(points, low, high, mode) for mode in range(points.size))


def _distance_with_mode(points, low, high, mode):
    m = points.size
    size = m + 2  # heights up to the mode from the left, heights from the mode on, the distance
    rows, limits = [], []

    def at_most(limit, *terms):
        row = np.zeros(size)
        for place, factor in terms:
            row[place] += factor
        rows.append(row)
        limits.append(limit)

    for place in range(m + 1):
        k = place if place <= mode else place - 1
        least = high[k] if place == mode + 1 else low[k]
        most = low[k] if place == mode else high[k]
        at_most(least, (place, 1), (m + 1, -1))
        at_most(-most, (place, -1), (m + 1, -1))
        if place < m:
            at_most(0, (place, 1), (place + 1, -1))
    for sign, first, last, shift in ((1, 0, mode, 0), (-1, mode, m - 1, 1)):
        for k in range(first + 1, last):
            before, after = sign / (points[k] - points[k - 1]), sign / (points[k + 1] - points[k])
            at_most(0, (k + shift, before + after), (k - 1 + shift, -before), (k + 1 + shift, -after))
    return linprog(np.eye(size)[-1], A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * size).fun


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=10))
def test_dip_is_the_distance_to_the_nearest_unimodal_distribution(values):
    assert_allclose(dip_of(values), distance_to_unimodal(values), atol=1e-8)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=14))
def test_dip_is_that_distance_with_many_ties(values):
    assert_allclose(dip_of(values), distance_to_unimodal(values), atol=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_dip_is_that_distance_for_two_clusters(seed):
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(0, 0.1, 6), rng.normal(1, 0.3, 5)])
    assert_allclose(dip_of(values), distance_to_unimodal(values), atol=1e-8)


@pytest.mark.parametrize("n", [2, 3, 10, 30])
def test_a_uniform_grid_has_the_smallest_dip_of_distinct_values(n):
    assert_allclose(dip_of(np.arange(n)), 1 / (2 * n), rtol=1e-12)


def test_one_value_has_no_dip_and_two_equal_atoms_have_a_quarter():
    assert dip_of([3.0] * 5) == 0.0
    assert_allclose(dip_of([0, 0, 0, 1, 1, 1]), 0.25)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 30), min_size=2, max_size=15), st.sampled_from([-3.0, 0.25, 8.0]))
def test_dip_does_not_depend_on_unit_or_direction(values, factor):
    assert_allclose(dip_of(np.multiply(values, factor) + 1), dip_of(values), atol=1e-12)


def test_rows_are_measured_one_by_one():
    rows = np.sort(np.random.default_rng(0).random((5, 12)), axis=1)
    out = np.full(5, -1.0)
    dips(rows.reshape(-1), 12, 1, 4, out)
    assert_allclose(out[1:4], [dip_of(row) for row in rows[1:4]])
    assert out[0] == out[4] == -1.0
