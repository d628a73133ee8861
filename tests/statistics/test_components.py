"""Variance components: by hand, and their rules."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ogive.errors import InputError
from ogive.statistics import Assumption, explained_share, variance_components, variance_shares


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


def test_clusters_that_differ_less_than_by_chance_leave_room_above_zero():
    c = variance_components([1, 9, 2, 8, 3, 7, 4, 6], list("aabbccdd"))
    equal = variance_components([1, 9, 5, 13, 9, 17], list("aabbcc"))
    assert (c.between.estimate, c.between.low) == (0.0, 0.0)
    assert c.between.high > 0.0
    assert 0.0 < c.correlation.high < 1.0
    assert Assumption.LESS_THAN_CHANCE in c.between.assumptions
    assert Assumption.LESS_THAN_CHANCE not in (*equal.between.assumptions, *c.within.assumptions)


def test_no_interval_between_clusters_has_zero_width_at_any_confidence():
    for confidence in (0.01, 0.2, 0.5, 0.999):
        c = variance_components([1, 9, 2, 8, 3, 7, 5], list("aabbccd"), confidence=confidence)
        assert c.between.low < c.between.high
        assert c.correlation.low < c.correlation.high


@pytest.mark.parametrize("exponent", [-450, 10, 450])
def test_variances_scale_with_the_square_of_the_scores(exponent):
    scores, clusters = np.array([1, 2.5, 5, 6, 9, 10.7]), list("aabbcc")
    one, other = (variance_components(scores * factor, clusters) for factor in (1.0, 2.0**exponent))
    assert other.correlation == one.correlation
    for name in ("between", "within"):
        assert getattr(other, name).high == getattr(one, name).high * 4.0**exponent


@pytest.mark.parametrize("factor", [1e-200, 1e200, 1e307])
def test_scores_whose_variance_is_no_number_are_refused_with_the_reason(factor):
    scores = np.array([1.0, 2.5, 5, 6, 9, 10.7]) * factor
    with pytest.raises(InputError, match="constant"):
        variance_components(scores, list("aabbcc"))
    with pytest.raises(InputError, match="constant"):
        variance_shares(scores, {"c": list("aabbcc")}, rng=np.random.default_rng(0))


def test_scores_that_differ_within_clusters_by_rounding_only_are_refused():
    with pytest.raises(InputError, match="never differ"):
        variance_components([0.1 + 0.2, 0.3, 0.3, 0.7, 0.7, 0.7], list("aaabbb"))


def test_shares_of_clusters_that_differ_less_than_by_chance_have_a_width():
    draws = {"configuration": list("aabbccdd"), "seed": range(8)}
    found = variance_shares([1, 9, 2, 8, 3, 7, 4, 6], draws, rng=np.random.default_rng(0))
    assert all(c.share.low < c.share.high for c in found.components)


def test_labels_that_are_missing_or_of_two_kinds_are_refused():
    scores, labels = [1.0, 2.0, 4.0, 7.0], ["a", "a", None, None]
    with pytest.raises(InputError, match="groups"):
        explained_share(scores, labels)
    with pytest.raises(InputError, match="draws"):
        variance_shares(scores, {"configuration": labels}, rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="clusters"):
        variance_components(scores, labels)
