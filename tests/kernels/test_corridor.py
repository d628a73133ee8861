"""The corridor kernel against exact rational arithmetic and scipy, on tiny inputs."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import kstwo

from ogive.kernels._corridor import stay_probability

pytestmark = pytest.mark.kernel


def exact_stay_probability(low, high):
    """The same event by exact rational arithmetic: points fall into the pieces between boundaries."""
    n = len(low)
    events = sorted([(t, 0, i) for i, t in enumerate(low)] + [(t, 1, i) for i, t in enumerate(high)])
    ways = [Fraction(1)] + [Fraction(0)] * n  # ways[j]: volume of j points so far, divided by n!
    time = Fraction(0)
    for t, is_high, i in [*events, (Fraction(1), 2, n)]:
        dt = t - time
        ways = [sum(ways[k] * dt ** (j - k) / factorial(j - k) for k in range(j + 1)) for j in range(n + 1)]
        time = t
        if is_high == 0:  # before low[i] at most i points
            ways = [w if j <= i else Fraction(0) for j, w in enumerate(ways)]
        elif is_high == 1:  # at high[i] at least i + 1 points
            ways = [w if j >= i + 1 else Fraction(0) for j, w in enumerate(ways)]
    return float(ways[n] * factorial(n))


def ks_boundaries(n, distance):
    i = np.arange(1.0, n + 1.0)
    return np.clip(i / n - distance, 0, 1), np.clip((i - 1) / n + distance, 0, 1)


@st.composite
def corridors(draw):
    n = draw(st.integers(1, 6))
    grid = st.lists(st.integers(0, 24), min_size=n, max_size=n)
    low, high = sorted(draw(grid)), sorted(draw(grid))
    return [Fraction(v, 24) for v in low], [Fraction(v, 24) for v in high]


@settings(deadline=None, max_examples=60)
@given(corridors())
def test_corridor_equals_exact_rational_arithmetic(corridor):
    low, high = corridor
    expected = exact_stay_probability(low, high)
    found = stay_probability(np.array([float(v) for v in low]), np.array([float(v) for v in high]))
    assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 10, 30])
def test_corridor_equals_kolmogorov_smirnov_on_its_boundaries(n):
    for distance in (0.05, 0.1, 0.2, 0.3, 0.5):
        assert_allclose(stay_probability(*ks_boundaries(n, distance)), kstwo.cdf(distance, n), atol=1e-12)


@pytest.mark.parametrize("distance", [0.3, 0.6, 1.0])
def test_one_sided_corridor_equals_smirnov(distance):
    from scipy.special import smirnov

    n = 20
    low, _ = ks_boundaries(n, distance)
    assert_allclose(stay_probability(low, np.ones(n)), 1 - smirnov(n, distance), atol=1e-12)


def test_impossible_corridor_has_probability_zero():
    assert stay_probability(np.array([0.6, 0.7]), np.array([0.2, 0.3])) == 0.0


def test_open_corridor_has_probability_one():
    assert_allclose(stay_probability(np.zeros(25), np.ones(25)), 1.0, atol=1e-13)


def test_long_steps_are_cut_without_changing_the_result():
    # No event before 0.99: one step of 99 expected points, three times the longest.
    n = 100
    low, high = np.zeros(n), np.ones(n)
    low[-1] = 0.99
    assert_allclose(stay_probability(low, high), 1 - 0.99**n, rtol=1e-12)
