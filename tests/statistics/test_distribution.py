"""The step function and its functionals: laws, and direct integrals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ogive.errors import InputError, InvalidScores
from ogive.statistics import ecdf

scores = st.lists(st.integers(-8, 8).map(lambda v: v / 4), min_size=1, max_size=25)
levels = st.floats(0.001, 1.0)


def quantile_by_definition(values, p):
    """min{z : #{values <= z} / n >= p}."""
    ordered = sorted(values)
    return next(z for z in ordered if sum(v <= z for v in ordered) >= p * len(ordered) - 1e-9)


def integral_of_quantiles(values, start, end, pieces=200_000):
    """The integral of the empirical quantile function by midpoints."""
    u = start + (np.arange(pieces) + 0.5) / pieces * (end - start)
    ordered = np.sort(values)
    return float(ordered[np.ceil(u * ordered.size - 1e-12).astype(int) - 1].mean() * (end - start))


@given(scores, st.floats(-3, 3))
def test_cdf_counts_scores_up_to_z(values, z):
    d = ecdf(values)
    assert d.cdf(z) == pytest.approx(np.mean(np.array(values) <= z), abs=1e-15)
    assert d.cdf(z, left=True) == pytest.approx(np.mean(np.array(values) < z), abs=1e-15)


@given(scores, levels)
def test_quantile_is_the_smallest_score_that_reaches_the_level(values, p):
    assert ecdf(values).quantile(p) == quantile_by_definition(values, p)


@given(scores, levels)
def test_quantile_is_left_inverse_of_cdf(values, p):
    d = ecdf(values)
    z = d.quantile(p)
    assert d.cdf(z) >= p - 1e-12
    assert d.cdf(z, left=True) < p


def test_levels_written_as_sums_find_their_step():
    assert ecdf(np.arange(10)).quantile(0.1 + 0.2) == 2.0


@given(scores)
def test_mean_is_the_mean(values):
    assert_allclose(ecdf(values).mean(), np.mean(values), atol=1e-12)


@pytest.mark.parametrize("mass", [0.1, 0.25, 0.5, 0.83])
def test_cvar_is_the_integral_of_the_quantile_function(mass):
    values = np.random.default_rng(1).normal(size=23)
    d = ecdf(values)
    upper, lower = (integral_of_quantiles(values, *ends) / mass for ends in ((1 - mass, 1), (0, mass)))
    assert_allclose(d.cvar(mass=mass, tail="upper"), upper, atol=1e-4)
    assert_allclose(d.cvar(mass=mass, tail="lower"), lower, atol=1e-4)


@pytest.mark.parametrize(("mass", "k"), [(0.1, 2), (0.25, 5), (0.5, 10)])
def test_cvar_of_a_whole_number_of_scores_is_their_mean(mass, k):
    values = np.sort(np.random.default_rng(2).normal(size=20))
    d = ecdf(values)
    assert_allclose(d.cvar(mass=mass, tail="upper"), values[-k:].mean(), atol=1e-12)
    assert_allclose(d.cvar(mass=mass, tail="lower"), values[:k].mean(), atol=1e-12)


@given(scores, st.floats(0.01, 1.0))
def test_lower_cvar_is_the_negated_upper_cvar_of_negated_scores(values, mass):
    lower = ecdf(values).cvar(mass=mass, tail="lower")
    assert_allclose(lower, -ecdf([-v for v in values]).cvar(mass=mass, tail="upper"), atol=1e-9)


@given(scores)
def test_cvar_of_everything_is_the_mean(values):
    assert_allclose(ecdf(values).cvar(mass=1.0, tail="upper"), np.mean(values), atol=1e-12)


def test_conditional_cvar_is_the_mean_beyond_the_quantile():
    values = np.sort(np.random.default_rng(3).normal(size=20))
    d = ecdf(values)
    assert_allclose(d.cvar(mass=0.1, tail="upper", definition="conditional"), values[17:].mean(), atol=1e-12)
    assert_allclose(d.cvar(mass=0.1, tail="lower", definition="conditional"), values[:2].mean(), atol=1e-12)
    assert d.cvar(mass=0.1, tail="upper", definition="conditional") != d.cvar(mass=0.1, tail="upper")


@given(scores, st.floats(-3, 3))
def test_threshold_area_is_the_mean_of_scores_that_reach_the_threshold(values, t):
    x = np.array(values)
    assert_allclose(ecdf(values).threshold_area(t), np.mean(x * (x >= t)), atol=1e-12)


@pytest.mark.parametrize("t", [-0.7, -0.1, 0.0, 0.4])
def test_threshold_area_is_its_integral(t):
    d = ecdf(np.random.default_rng(4).normal(size=31))
    z = np.linspace(t, d.points[-1], 400_001)
    tail = float(np.mean(1 - d.cdf((z[1:] + z[:-1]) / 2)) * (z[-1] - z[0]))
    assert_allclose(d.threshold_area(t), t * (1 - d.cdf(t, left=True)) + tail, atol=1e-5)


@given(scores, st.integers(1, 6), levels)
def test_best_of_k_is_the_distribution_of_the_largest_of_k(values, k, p):
    d, best = ecdf(values), ecdf(values).best_of(k)
    assert_allclose(best.cumulative, d.cumulative**k)
    assert_allclose(best.quantile(p), d.quantile(min(1.0, p ** (1 / k) + 0)), atol=1e-9)


@given(scores, st.floats(0.5, 9))
def test_worst_of_k_mirrors_best_of_k(values, k):
    worst, best = ecdf(values).worst_of(k), ecdf([-v for v in values]).best_of(k)
    assert_allclose(worst.points, -best.points[::-1])
    assert_allclose(worst.weights, best.weights[::-1], atol=1e-12)
    assert_allclose(ecdf(values).best_of(k, goal="minimize").cumulative, worst.cumulative, atol=1e-15)


def test_best_of_two_by_hand():
    best = ecdf([1.0, 2.0, 3.0]).best_of(2)
    assert_allclose(best.weights, [1 / 9, 3 / 9, 5 / 9])
    assert_allclose(best.mean(), (1 + 2 * 3 + 3 * 5) / 9)


def test_best_of_more_draws_than_were_made_is_marked():
    assert ecdf([1.0, 2.0]).best_of(3).extrapolated
    assert not ecdf([1.0, 2.0]).best_of(2).extrapolated


def test_iqm_is_the_mean_of_the_middle_half():
    values = np.sort(np.random.default_rng(5).normal(size=20))
    assert_allclose(ecdf(values).iqm(), values[5:15].mean(), atol=1e-12)


def test_every_cluster_weighs_the_same():
    d = ecdf([1, 1, 1, 5], clusters=["a", "a", "a", "b"])
    assert_allclose([d.cdf(1), d.mean(), d.n], [0.5, 3.0, 2])


def test_failures_lie_beyond_every_score():
    d = ecdf([1.0, 2.0, 3.0], n_failed=1)
    assert d.cdf(0.0) == 0.25
    assert d.quantile(0.25) == -np.inf
    assert d.quantile(0.3) == 1.0
    assert ecdf([1.0, 2.0, 3.0], n_failed=1, failed="upper").quantile(1.0) == np.inf


@pytest.mark.parametrize("bad", [[], [np.nan], [1.0, np.inf], ["a"], [[1.0, 2.0]], None])
def test_bad_scores_are_refused(bad):
    with pytest.raises(InvalidScores):
        ecdf(bad)


@pytest.mark.parametrize(
    "arguments", [{"mass": 0, "tail": "lower"}, {"mass": 10, "tail": "lower"}, {"mass": 0.1, "tail": "left"}]
)
def test_bad_cvar_arguments_are_refused(arguments):
    with pytest.raises(InputError):
        ecdf([1.0, 2.0]).cvar(**arguments)


def test_one_score_and_equal_scores_have_a_distribution():
    for values in ([0.5], [0.5] * 7):
        d = ecdf(values)
        assert [d.quantile(0.3), d.mean(), d.cdf(0.5), d.cdf(0.4)] == [0.5, 0.5, 1.0, 0.0]


@pytest.mark.parametrize("mass", [1e-300, 1e-17, 1e-16, 1e-9, 1e-3])
def test_the_mean_of_a_share_below_one_score_is_that_score(mass):
    d = ecdf([5.0, 6.3])
    assert d.cvar(mass=mass, tail="upper") == 6.3
    assert d.cvar(mass=mass, tail="lower") == 5.0


@pytest.mark.parametrize("mass", [1e-9, 1e-3, 0.3, 1.0])
def test_the_upper_tail_is_the_lower_one_turned_round(mass):
    values = np.random.default_rng(6).normal(size=50)
    assert_allclose(
        ecdf(values).cvar(mass=mass, tail="upper"), -ecdf(-values).cvar(mass=mass, tail="lower"), rtol=1e-13
    )


def test_a_share_written_as_a_sum_does_not_touch_failures_beyond_it():
    d = ecdf([1.0, 2.0, 3.0], n_failed=7, failed="upper")
    assert_allclose(d.cvar(mass=0.1 + 0.2, tail="lower"), 2.0)


@pytest.mark.parametrize("k", [20, 5000])
def test_a_rare_infinite_outcome_stays_possible_in_the_best_and_worst_of_many(k):
    d = ecdf(np.arange(40.0), n_failed=1)
    assert d.best_of(k).mean() == -np.inf
    assert d.worst_of(k).quantile(0.0) == -np.inf
    mirrored = ecdf(np.arange(40.0), n_failed=1, failed="upper")
    assert mirrored.worst_of(k).mean() == np.inf
    assert mirrored.worst_of(k).quantile(1.0) == np.inf
    assert mirrored.worst_of(k).quantile(0.5) < 40.0


@pytest.mark.parametrize("bad", [np.ma.masked_array([0.2, 0.5], [True, False]), ["0.5"], "0.5", 1j, [0.5 + 1j]])
def test_thresholds_and_levels_that_numpy_would_turn_into_other_numbers_are_refused(bad):
    d = ecdf([0.1, 0.2, 0.3])
    for asked in (d.cdf, d.quantile, d.threshold_area):
        with pytest.raises(InputError) as refused:
            asked(bad)
        assert "\n" not in str(refused.value)


def test_a_threshold_that_is_no_number_is_refused():
    d = ecdf([1.0, 2.0])
    for asked in (d.cdf, d.exceedance, d.threshold_area, d.excess):
        with pytest.raises(InputError, match="nan"):
            asked(np.nan)
    with pytest.raises(InputError, match="nan"):
        d.cdf([0.0, np.nan])


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.ma.array([1.0, 2.0, 999.0], mask=[0, 0, 1]), "1 of 3 are .*masked"),
        (np.ma.array([1, 2, 999], mask=[0, 0, 1]), "1 of 3 are .*masked"),
        (np.array([1.0 + 2.0j, 3.0]), "must be numbers"),
        (["1", "2"], "must be numbers"),
        (np.array(["1", 2.0], dtype=object), "must be numbers"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "must be numbers"),
    ],
)
def test_scores_that_numpy_would_turn_into_other_numbers_are_refused(bad, says):
    with pytest.raises(InvalidScores, match=says):
        ecdf(bad)


def test_a_masked_array_without_masked_scores_is_a_sample():
    assert ecdf(np.ma.array([1.0, 3.0], mask=[0, 0])).mean() == 2.0
