"""Variance components: by hand, and their rules."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ogive.errors import InputError
from ogive.statistics import variance_components


def test_components_by_hand():
    c = variance_components([1, 2, 5, 6, 9, 10], ["a", "a", "b", "b", "c", "c"])
    # mean squares: within 3 * 0.5 / 3 = 0.5; between 2 * (16 + 0 + 16) / 2 = 32
    assert_allclose(c.within.estimate, 0.5)
    assert_allclose(c.between.estimate, (32 - 0.5) / 2)
    assert_allclose(c.correlation.estimate, 15.75 / 16.25)
    assert c.correlation.low < c.correlation.estimate < c.correlation.high


def test_a_negative_estimate_between_clusters_is_given_as_zero():
    c = variance_components([0, 1, 0, 1, 0, 1], [1, 1, 2, 2, 3, 3])
    assert (c.between.estimate, c.between.low) == (0.0, 0.0)
    assert c.repeats() == np.inf


def test_the_best_number_of_repeats_balances_cost_and_variance():
    c = variance_components([1, 2, 5, 6, 9, 10], ["a", "a", "b", "b", "c", "c"])
    best = c.repeats(cost_ratio=100.0)

    def variance_of_mean(r, budget=1e4):
        clusters = budget / (100.0 + r)
        return (c.between.estimate + c.within.estimate / r) / clusters

    assert variance_of_mean(best) <= min(variance_of_mean(best * 0.9), variance_of_mean(best * 1.1))


@pytest.mark.parametrize(
    ("scores", "clusters"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3], [1, 1, 1]),
        ([1, 1, 2, 2], [1, 1, 2, 2]),
        ([1, 2], [1, 1]),
        ([1, 2, 3], [1, 1]),
    ],
)
def test_what_cannot_be_divided_is_refused(scores, clusters):
    with pytest.raises(InputError):
        variance_components(scores, clusters)
