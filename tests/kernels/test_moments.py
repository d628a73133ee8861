"""The moment kernel against exact rational arithmetic, on tiny inputs."""

import math
import time
from fractions import Fraction

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ogive.kernels._moments import standardized_moments

# Uncompiled, numpy warns of infinities that the kernel means to meet.
pytestmark = [pytest.mark.kernel, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


def moments(rows, first=0, last=None):
    rows = np.ascontiguousarray(rows, dtype=np.float64)
    out = np.full((4, len(rows)), -7.0)
    standardized_moments(rows.reshape(-1), rows.shape[1], first, len(rows) if last is None else last, *out)
    return out


def exact_moments(row):
    """The definitions, in fractions."""
    values = [Fraction(float(v)) for v in row]
    n = len(values)
    mean = sum(values) / n
    m2, m3, m4 = (sum((v - mean) ** k for v in values) / n for k in (2, 3, 4))
    return float(mean), float(m2), float(m3) / float(m2) ** 1.5, float(m4 / m2**2)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=13).filter(lambda v: len(set(v)) > 1))
def test_moments_equal_exact_rational_arithmetic(values):
    assert_allclose(moments([values])[:, 0], exact_moments(values), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [31, 64, 101, 200])
@pytest.mark.parametrize("centre", [0.0, 1e6, -1e11])
def test_rows_long_enough_to_be_added_side_by_side_equal_exact_rational_arithmetic(n, centre):
    row = centre + np.random.default_rng(n).integers(-50, 50, size=n) / 8
    assert_allclose(moments([row])[:, 0], exact_moments(row), rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e300])
@pytest.mark.parametrize("n", [1, 2, 7, 64])
def test_a_constant_row_has_variance_exactly_zero(value, n):
    mean, variance, skewness, kurtosis = moments([[value] * n])[:, 0]
    assert (mean, variance) == (value, 0.0)
    assert math.isnan(skewness)
    assert math.isnan(kurtosis)


@pytest.mark.parametrize("scale", [1e-200, 1e-90, 1e-3, 1e3, 1e90, 1e200])
def test_skewness_and_kurtosis_do_not_depend_on_the_unit(scale):
    row = np.array([0.3, 1.7, 2.2, 9.1, 4.4])
    assert_allclose(moments([row * scale])[2:, 0], moments([row])[2:, 0], rtol=1e-12)


def test_a_large_mean_costs_no_digits():
    row = np.array([0.0, 1.0, 3.0, 10.0, 11.0, 30.0])
    assert_allclose(moments([row + 2.0**40])[1:, 0], exact_moments(row)[1:], rtol=1e-12)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", [0, 3, 4])
def test_what_is_not_finite_shows_in_the_variance(bad, place):
    row = np.arange(5.0)
    row[place] = bad
    assert not np.isfinite(moments([row])[1, 0])


def test_only_the_rows_of_the_range_are_written():
    rows = np.arange(20.0).reshape(4, 5) ** 2
    part, whole = moments(rows, 1, 3), moments(rows)
    assert_array_equal(part[:, 1:3], whole[:, 1:3])
    assert_array_equal(part[:, [0, 3]], -7.0)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="the speed of compiled code")
def test_four_moments_of_a_row_cost_no_more_than_two_sums_by_numpy():
    """Sums that wait for each other, or pass through memory, cost three to four; benchmarks/normality.py has the rest."""
    rows = np.random.default_rng(1).normal(size=(100, 1000))
    moments(rows)
    ours, theirs = math.inf, math.inf
    for _ in range(50):
        start = time.process_time_ns()
        for _ in range(10):
            moments(rows)
        between = time.process_time_ns()
        for _ in range(10):
            rows.sum()
        ours, theirs = min(ours, between - start), min(theirs, time.process_time_ns() - between)
    assert ours < 2 * theirs
