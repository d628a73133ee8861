"""Dominance, certified and almost: levels, decisions, crossings, the exact ratio and its bound, defects of peers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ogive.errors import InputError, InvalidScores
from ogive.statistics import Assumption, almost_dominance, dominance, ecdf, violation_ratio


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


samples = st.lists(st.integers(-4, 4).map(float), min_size=5, max_size=12)


def grid_ratio(a, b, steps):
    """The two integrals by the midpoint rule."""
    levels = (np.arange(steps) + 0.5) / steps
    gap = ecdf(b).quantile(levels) - ecdf(a).quantile(levels)
    return float(np.sum(gap[gap > 0] ** 2) / np.sum(gap**2))


def normal(n, shift=0.0, seed=0):
    return np.random.default_rng(seed).normal(shift, 1.0, size=n)


@pytest.mark.parametrize(("n", "m"), [(5, 7), (20, 20), (30, 11)])
def test_the_ratio_is_the_integral_over_the_quantile_functions(n, m):
    a, b = normal(n, 0.3, seed=1), normal(m, seed=2)
    assert_allclose(almost_dominance(a, b).ratio, grid_ratio(a, b, steps=n * m * 100), rtol=1e-9)
    assert violation_ratio(a, b) == almost_dominance(a, b).ratio == violation_ratio(1e200 * a, 1e200 * b)


def test_a_coarse_grid_would_give_another_ratio():
    # deepsig integrates with steps of 0.005 and starts at 0.005: the lowest levels are lost.
    a, b = normal(500, 0.2, seed=3), normal(500, seed=4)
    a[np.argmin(a)] = -30.0
    levels = np.arange(0.005, 1.0, 0.005)
    gap = ecdf(b).quantile(levels) - ecdf(a).quantile(levels)
    coarse = float(np.sum(gap[gap > 0] ** 2) / np.sum(gap**2))
    exact = almost_dominance(a, b).ratio
    assert_allclose(exact, grid_ratio(a, b, steps=500 * 20), rtol=1e-9)
    assert abs(coarse - exact) > 0.5


@settings(deadline=None, max_examples=60)
@given(samples, samples)
def test_ratios_of_both_directions_sum_to_one_with_ties_and_constants(a, b):
    one, other = (almost_dominance(*pair, n_resamples=100) for pair in ((a, b), (b, a)))
    assert_allclose(one.ratio + other.ratio, 1.0, atol=1e-12)
    assert 0.0 <= one.ratio <= one.epsilon_min <= 1.0
    assert not (one.almost_dominates and other.almost_dominates)


def test_the_bound_is_the_ratio_plus_z_standard_deviations_of_its_resamples():
    a, b = normal(60, 0.5, seed=5), normal(40, seed=6)
    found = almost_dominance(a, b, n_resamples=20_000)
    rng, ratios = np.random.default_rng(0), []
    for _ in range(4000):
        x, y = rng.choice(a, 60), rng.choice(b, 40)
        gap = np.sort(np.repeat(y, 3)) - np.sort(np.repeat(x, 2))  # both of length 120
        ratios.append(np.sum(gap[gap > 0] ** 2) / np.sum(gap**2))
    expected = found.ratio + stats.norm.ppf(0.95) * np.std(ratios)
    assert_allclose(found.epsilon_min, expected, rtol=0.05)
    assert found.guarantee == "heuristic"


def test_more_comparisons_raise_the_bound_and_never_trivially():
    # deepsig reaches confidence 1, and the bound 1, with a single comparison of two models.
    a, b = normal(100, 0.5, seed=7), normal(100, seed=8)
    bounds = [almost_dominance(a, b, n_comparisons=m).epsilon_min for m in (1, 2, 10, 100)]
    assert bounds == sorted(bounds)
    assert len(set(bounds)) == 4
    assert bounds[-1] < 1.0
    one = almost_dominance(a, b)
    z = stats.norm.ppf(1 - 0.05 / 10) / stats.norm.ppf(0.95)
    assert_allclose(bounds[2] - one.ratio, z * (one.epsilon_min - one.ratio), rtol=1e-9)


def test_a_clear_difference_dominates_and_a_small_sample_of_equals_does_not():
    assert almost_dominance(normal(50, 1.5, seed=9), normal(50, seed=10)).almost_dominates
    assert not almost_dominance(normal(50, seed=9), normal(50, 1.5, seed=10)).almost_dominates


def test_equal_distributions_are_almost_never_said_to_dominate():
    """Either direction counts. Read against 1/2, the bound would claim about one in five."""
    claims, naive, repetitions = 0, 0, 600
    for seed in range(repetitions):
        a, b = normal(20, seed=2 * seed), normal(20, seed=2 * seed + 1)
        both = [almost_dominance(*pair, n_resamples=100, seed=seed) for pair in ((a, b), (b, a))]
        claims += any(found.almost_dominates for found in both)
        naive += any(found.epsilon_min < 0.5 for found in both)
    assert claims <= stats.binom.ppf(1 - 1e-6, repetitions, 0.05)
    assert naive > 0.1 * repetitions


def test_the_test_of_equality_is_adjusted_too():
    a, b = normal(12, 1.5, seed=11), normal(12, seed=12)
    one = almost_dominance(a, b)
    assert one.almost_dominates
    assert one.p_value == stats.ks_2samp(a, b).pvalue
    assert not almost_dominance(a, b, n_comparisons=int(0.05 / one.p_value) + 2).almost_dominates


def test_equal_samples_and_equal_constants_are_half_and_half():
    same = normal(9, seed=13)
    assert almost_dominance(same, same).ratio == 0.5
    found = almost_dominance([2.0] * 6, [2.0] * 5)
    assert (found.ratio, found.epsilon_min, found.almost_dominates) == (0.5, 0.5, False)


def test_separated_samples_say_that_the_bound_rests_on_no_violation():
    found = almost_dominance([5.0, 5.0, 5.0, 6.0, 7.0], [1.0] * 5)
    assert (found.ratio, found.epsilon_min) == (0.0, 0.0)
    assert found.assumptions[-1] is Assumption.NO_VIOLATION_SEEN


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_the_ratio_has_no_unit(scale):
    a, b = normal(10, 0.3, seed=14), normal(10, seed=15)
    assert_allclose(almost_dominance(a * scale, b * scale).ratio, almost_dominance(a, b).ratio, rtol=1e-9)


def test_numbers_do_not_depend_on_threads():
    a, b = normal(30, 0.3, seed=16), normal(25, seed=17)
    assert almost_dominance(a, b, threads=3) == almost_dominance(a, b)
    assert almost_dominance(a, b, seed=1).epsilon_min != almost_dominance(a, b).epsilon_min


@pytest.mark.parametrize("n", [1, 4])
def test_few_scores_are_refused_as_evidence(n):
    for a, b in ((normal(n), normal(50)), (normal(50), normal(n))):
        with pytest.raises(InvalidScores, match="at least 5"):
            almost_dominance(a, b)


def test_bad_arguments_are_refused():
    with pytest.raises(InputError, match="n_comparisons"):
        almost_dominance(normal(5), normal(5), n_comparisons=0)
    with pytest.raises(InvalidScores):
        almost_dominance([1.0, 2.0, 3.0, 4.0, np.nan], normal(5))


def test_the_result_is_json_and_one_line():
    found = almost_dominance(normal(5), normal(5, seed=1))
    assert json.loads(json.dumps(found.to_dict()))["guarantee"] == "heuristic"
    assert "\n" not in str(found)
