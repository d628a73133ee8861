"""Dominance: certified levels, decisions, crossings, and how often equal distributions are called different."""

import numpy as np
import pytest

from ogive.errors import InputError
from ogive.statistics import dominance


def test_certified_levels_are_those_where_quantile_intervals_do_not_meet():
    from ogive.statistics import band

    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 2, 300), rng.normal(0, 1, 300)
    found = dominance(a, b)
    x, y = band(a, confidence=0.975), band(b, confidence=0.975)
    for p in np.linspace(0.003, 0.997, 400):
        who = {w for low, high, w in found.ranges if low < p < high}
        i, j = x.quantile(p), y.quantile(p)
        expected = {"a"} if i.low > j.high else {"b"} if j.low > i.high else set()
        assert who == expected


def test_a_shifted_sample_dominates():
    rng = np.random.default_rng(1)
    a, b = rng.normal(1.0, 1, 400), rng.normal(0, 1, 400)
    assert dominance(a, b).decision == "a dominates"
    assert dominance(b, a).decision == "b dominates"
    assert dominance(a, b).crossings == ()


def test_a_wider_sample_crosses_and_the_crossing_is_bracketed():
    rng = np.random.default_rng(2)
    found = dominance(rng.normal(0, 2, 600), rng.normal(0, 1, 600))
    assert found.decision == "cross"
    ((low, high),) = found.crossings
    assert low < 0.0 < high


def test_few_scores_cannot_tell():
    assert dominance([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]).decision == "cannot tell"


def test_over_the_whole_line_dominance_is_never_certified():
    a = np.arange(500.0) + 1e6
    assert dominance(a, np.arange(500.0), levels=(0.0, 1.0)).decision == "cannot tell"


@pytest.mark.statistical
def test_equal_distributions_are_called_different_at_most_as_often_as_said():
    rng, wrong = np.random.default_rng(3), 0
    for _ in range(2000):
        wrong += bool(dominance(rng.normal(size=100), rng.normal(size=100), confidence=0.9).ranges)
    assert wrong / 2000 <= 0.1


def test_bad_levels_are_refused():
    with pytest.raises(InputError):
        dominance([1.0], [2.0], levels=(0.9, 0.1))


def test_bands_of_two_kinds_are_both_named():
    x = np.random.default_rng(0).random(20_001)
    assert dominance(x[:200], x).method == "exact and ks bands"
    assert dominance(x[:200], x[:300]).method == "exact band"


@pytest.mark.parametrize("levels", [0.5, (0.1, 0.5, 0.9), ("a", "b")])
def test_levels_that_are_no_range_are_refused(levels):
    with pytest.raises(InputError, match="levels"):
        dominance([1.0, 2.0], [1.0, 2.0], levels=levels)
