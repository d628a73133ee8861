"""Differences of tails' means: degrees of freedom, labels, and how often equal methods are told apart."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from simulate import interval_coverage

from ogive.statistics import Assumption, tail_mean_difference, tail_mean_interval

RNG = np.random.default_rng(3)
DRAWS = {
    "normal": lambda rng, n: rng.normal(size=(2, n)),
    "exponential": lambda rng, n: rng.exponential(size=(2, n)),
    "exponential, long tail": lambda rng, n: -rng.exponential(size=(2, n)),
    "uniform": lambda rng, n: rng.random((2, n)),
    "Binomial(30, .7)": lambda rng, n: rng.binomial(30, 0.7, (2, n)).astype(float),
}


def difference(a, b, mass=0.1, paired=False, **more):
    return tail_mean_difference(a, b, mass=mass, tail="lower", paired=paired, **more)


def test_equal_samples_have_no_difference():
    a = RNG.normal(size=60)
    i = difference(a, a[::-1], mass=0.2)
    assert i.estimate == 0.0
    assert i.low < 0.0 < i.high


def test_degrees_of_freedom_are_the_runs_in_the_tails_less_one():
    """By hand, from the terms q - (q - z)+ / mass: the wider of Welch's and the pooled interval with the tails' counts."""
    a, b, mass = RNG.normal(size=60), RNG.exponential(size=90), 0.2
    terms = [q - np.maximum(q - z, 0) / mass for z, q in ((a, np.sort(a)[11]), (b, np.sort(b)[17]))]
    u, v = (t.var(ddof=1) / t.size for t in terms)
    df = (u + v) ** 2 / (u**2 / 11 + v**2 / 17)
    welch = stats.t.ppf(0.975, df) * math.sqrt(u + v)
    shared = (59 * terms[0].var(ddof=1) + 89 * terms[1].var(ddof=1)) / 148
    pooled = stats.t.ppf(0.975, 28) * math.sqrt(shared * (1 / 60 + 1 / 90))
    i, swapped = difference(a, b, mass), difference(b, a, mass)
    assert_allclose(i.high - i.estimate, max(welch, pooled))
    assert_allclose((i.low, i.high), (-swapped.high, -swapped.low))
    pairs = difference(a, b[:60], mass, paired=True)
    cut = np.sort(b[:60])[11]
    gaps = terms[0] - (cut - np.maximum(cut - b[:60], 0) / mass)
    assert_allclose(pairs.high - pairs.estimate, stats.t.ppf(0.975, 11) * gaps.std(ddof=1) / math.sqrt(60))


def test_against_a_constant_it_is_the_interval_of_one_sample():
    a = RNG.normal(size=50)
    i, one = difference(a, np.full(50, 2.0), paired=True), tail_mean_interval(a, mass=0.1, tail="lower")
    assert_allclose((i.low + 2.0, i.high + 2.0), (one.low, one.high))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("n", "label"), [(20, "heuristic"), (190, "heuristic"), (191, "approximate"), (400, "approximate")])  # fmt: skip
def test_fewer_than_twenty_runs_in_a_tail_are_called_heuristic(paired, n, label):
    i = difference(*RNG.normal(size=(2, n)), paired=paired)
    assert i.guarantee == label
    assert (Assumption.SHORT_TAIL in i.assumptions) == (label == "heuristic")


@pytest.mark.parametrize(("n", "label"), [(49, "heuristic"), (50, "approximate")])
def test_fewer_than_fifty_runs_are_called_heuristic_whatever_the_tail_holds(n, label):
    i = difference(*RNG.normal(size=(2, n)), mass=0.5)
    assert i.guarantee == label
    assert (Assumption.SCARCE_TAIL in i.assumptions) == (label == "heuristic")
    assert Assumption.SHORT_TAIL not in i.assumptions


def test_the_shorter_of_two_tails_decides_the_label():
    assert difference(RNG.normal(size=400), RNG.normal(size=40)).guarantee == "heuristic"


@pytest.mark.parametrize("paired", [True, False])
def test_one_run_in_a_tail_sets_no_limits(paired):
    i = difference(np.arange(10.0), np.arange(10.0) - 5.0, paired=paired)
    assert (i.estimate, i.low, i.high) == (5.0, -math.inf, math.inf)
    assert Assumption.ONE_SCORE in i.assumptions
    assert i.guarantee == "heuristic"


@pytest.mark.parametrize("paired", [True, False])
def test_tails_without_spread_set_no_limits(paired):
    a, b = np.maximum(np.arange(40.0), 12.0), np.maximum(np.arange(40.0), 9.0)
    i = difference(a, b, paired=paired)
    assert i.estimate == pytest.approx(3.0)
    assert math.isinf(i.high)
    assert Assumption.EQUAL_TAIL in i.assumptions


def test_rounding_in_a_tail_is_not_taken_for_spread():
    a = np.where(np.arange(40) < 2, 0.3, 0.1 + 0.2)
    assert math.isinf(difference(a, np.full(40, 0.3)).high)
    assert math.isinf(tail_mean_interval(a, mass=0.1, tail="lower").low)
    b = RNG.normal(size=40)
    assert math.isinf(difference(b + 0.1, b, paired=True).high)


@pytest.mark.statistical
@pytest.mark.parametrize(("draw", "paired"), [*((name, False) for name in DRAWS), ("normal", True)])
@pytest.mark.parametrize("mass", [0.1, 0.25])
@pytest.mark.parametrize("n", [20, 40, 100])
def test_equal_methods_are_seldom_told_apart_by_their_tails(n, mass, draw, paired):
    """0.05 is asked for; at most 0.075 is had. 4,000 samples have a standard error of 0.004."""
    held = interval_coverage(
        lambda rng: DRAWS[draw](rng, n), lambda pair: difference(*pair, mass, paired), 0.0, 4000, seed=n
    )
    assert 1.0 - held <= 0.075 + 4 * 0.004


@pytest.mark.statistical
def test_long_tails_hold_their_confidence():
    held = interval_coverage(lambda rng: rng.normal(size=(2, 400)), lambda pair: difference(*pair), 0.0, 4000, seed=4)
    assert 0.935 <= held <= 0.965
