"""Wealth against the obvious: products in plain numpy, and every pairing written out, on tiny inputs."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ogive.kernels._betting import log_pairing_wealth, log_wealth, pairing_products

pytestmark = pytest.mark.kernel

SIZES, SHARES = np.array([0.0, 0.3, 1.1, 1e9]), np.array([0.1, 0.4, 0.3, 0.2])
few_values = st.lists(st.integers(0, 3), min_size=1, max_size=4)


def bets(mean):
    """Nothing, a fraction, more, and all that can be lost."""
    return [min(size / math.sqrt(mean * (1 - mean)), 1 / mean) for size in SIZES]


def obvious_wealth(scores, mean, first=0):
    return sum(
        share * np.prod(1 + b * (scores - mean)) for share, b in zip(SHARES[first:], bets(mean)[first:], strict=True)
    )


def wins(x, y):
    return (x > y) + 0.5 * (x == y)


def products_of(a, b):
    points = np.unique([*a, *b])
    columns, rows = (np.array([np.count_nonzero(np.equal(v, p)) for p in points]) for v in (a, b))
    products = np.empty(len(a) + 1)
    pairing_products(columns, rows, np.cumsum(rows) - rows, products)
    return products


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.01, 0.99))
def test_wealth_is_the_bettors_products_added(scores, mean):
    scores = np.array(scores)
    expected = obvious_wealth(scores, mean)
    assert_allclose(
        math.exp(log_wealth(scores, mean, SIZES, np.log(SHARES))), expected, rtol=1e-9, atol=1e-14
    )  # 1 - (1 / m) m is not 0


def test_wealth_of_many_scores_does_not_overflow():
    """A block of 32 factors of 1e9 each is as large as it gets."""
    assert_allclose(log_wealth(np.ones(100), 1e-9, SIZES[3:], np.zeros(1)), 100 * math.log(1e9))


@settings(deadline=None, max_examples=40)
@given(few_values, st.lists(st.integers(0, 3), min_size=4, max_size=5))
def test_products_of_wins_are_those_averaged_over_every_pairing(a, b):
    expected, count = np.zeros(len(a) + 1), 0
    for partners in itertools.permutations(b, len(a)):
        h = [wins(x, y) for x, y in zip(a, partners, strict=True)]
        expected += [sum(math.prod(c) for c in itertools.combinations(h, k)) for k in range(len(a) + 1)]
        count += 1
    assert_allclose(products_of(a, b), expected / count, rtol=1e-12)


@settings(deadline=None, max_examples=40)
@given(few_values, st.lists(st.integers(0, 3), min_size=4, max_size=5), st.floats(0.05, 0.95))
def test_pairing_wealth_is_the_wealth_averaged_over_every_pairing(a, b, mean):
    pairings = list(itertools.permutations(b, len(a)))
    expected = sum(obvious_wealth(np.array([wins(x, y) for x, y in zip(a, p, strict=True)]), mean, 1) for p in pairings)
    with np.errstate(divide="ignore"):
        found = log_pairing_wealth(np.log(products_of(a, b)), mean, SIZES[1:], np.log(SHARES[1:]))
    assert_allclose(math.exp(found), expected / len(pairings), rtol=1e-9, atol=1e-14)  # 1 - (1 / m) m is not 0
