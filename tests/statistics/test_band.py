"""Bands: what they depend on, their sides, their labels, and opda's numbers."""

import numpy as np
import opda.nonparametric
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ogive.errors import InputError, InvalidConfidence
from ogive.statistics import Assumption, band, ecdf
from ogive.statistics._band import band_margin

METHODS = ("exact", "ks", "dkw")
scores = st.lists(st.integers(-6, 6).map(lambda v: v / 4), min_size=1, max_size=20)


def sides_by_count(n, **choices):
    """L[k] and H[k]: the band where k of n scores have been passed."""
    b = band(np.arange(1.0, n + 1), **choices)
    counts = np.arange(n + 1) + 0.5
    return b.low.cdf(counts), b.high.cdf(counts)


@settings(deadline=None)
@given(scores, st.sampled_from(METHODS), st.sampled_from(["both", "lower", "upper"]))
def test_a_band_depends_on_the_sample_only_through_the_number_of_scores_up_to_x(values, method, side):
    low, high = sides_by_count(len(values), method=method, side=side)
    b = band(values, method=method, side=side)
    grid = np.arange(-30, 31) / 16  # atoms, and points between them
    counts = np.array([sum(v <= x for v in values) for x in grid])
    assert_allclose(b.low.cdf(grid), low[counts], atol=0)
    assert_allclose(b.high.cdf(grid), high[counts], atol=0)


@pytest.mark.parametrize("method", METHODS)
def test_the_estimate_lies_between_the_sides(method):
    b = band(np.random.default_rng(0).normal(size=40), method=method)
    z = np.linspace(-4, 4, 500)
    assert np.all(b.low.cdf(z) <= b.estimate.cdf(z))
    assert np.all(b.estimate.cdf(z) <= b.high.cdf(z))


@pytest.mark.parametrize("method", METHODS)
def test_a_band_mirrors_when_scores_are_negated(method):
    x = np.random.default_rng(1).normal(size=17)
    b, mirrored = band(x, method=method), band(-x, method=method)
    for p in (0.05, 0.21, 0.5, 0.77):
        i, j = b.quantile(p), mirrored.quantile(1 - p)
        assert (i.low, i.high) == (-j.high, -j.low)


def test_the_low_side_has_the_large_quantiles_and_the_band_knows_it():
    b = band(np.random.default_rng(2).random(50))
    assert b.low.quantile(0.5) > b.high.quantile(0.5)
    assert b.quantile(0.5).low == b.high.quantile(0.5)
    assert b.quantile(0.5).high == b.low.quantile(0.5)


@pytest.mark.parametrize("method", ["ks", "dkw"])
@pytest.mark.parametrize("n", [1, 2, 9, 50, 300])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95, 0.99])
def test_ks_and_dkw_bands_equal_opdas(method, n, confidence):
    ys = np.random.default_rng(n).normal(size=n)
    low, _, high = opda.nonparametric.EmpiricalDistribution.confidence_bands(ys, confidence, method=method)
    b = band(ys, confidence=confidence, method=method)
    z = np.concatenate([ys, ys + 1e-9, ys - 1e-9, np.linspace(-4, 4, 101)])
    assert_allclose(b.low.cdf(z), low.cdf(z), atol=1e-9)
    assert_allclose(b.high.cdf(z), high.cdf(z), atol=1e-9)


@pytest.mark.parametrize("minimize", [False, True])
def test_best_of_k_medians_equal_opdas_tuning_curves(minimize):
    # 61 scores: with 60 the level 1/2 is a step of F, which opda misses by rounding (its F there is 0.4999…).
    ys = np.random.default_rng(3).normal(size=61)
    ks = np.array([1.0, 2.0, 3.7, 10.0, 61.0])
    curves = opda.nonparametric.EmpiricalDistribution.confidence_bands(ys, 0.8, method="ks")
    b = band(ys, confidence=0.8, method="ks")
    goal = "minimize" if minimize else "maximize"
    for k in ks:
        best = b.best_of(k, goal=goal)
        ours = [d.quantile(0.5) for d in (best.low, best.estimate, best.high)]
        theirs = [float(d.quantile_tuning_curve(k, q=0.5, minimize=minimize)) for d in curves]
        assert_allclose(ours, theirs, atol=1e-9)


def test_a_band_of_the_best_of_k_is_the_best_of_k_of_its_sides():
    b = band(np.random.default_rng(4).random(30))
    best = b.best_of(5)
    assert_allclose(best.low.cumulative, b.low.cumulative**5)
    assert best.worst_of(1 / 5, goal="minimize").low.cumulative == pytest.approx(b.low.cumulative)


def test_more_draws_than_were_made_are_called_extrapolation():
    assert band([1.0, 2.0, 3.0]).best_of(4).assumptions[-1] is Assumption.EXTRAPOLATES


@pytest.mark.parametrize(
    ("choices", "ties", "guarantee"),
    [
        ({"method": "exact", "solve": True}, False, "exact"),
        ({"method": "exact", "solve": True}, True, "conservative"),
        ({"method": "exact"}, False, "conservative"),
        ({"method": "ks"}, False, "exact"),
        ({"method": "ks"}, True, "conservative"),
        ({"method": "dkw"}, False, "conservative"),
    ],
)
def test_the_label_tells_the_guarantee(choices, ties, guarantee):
    values = [1.0, 2.0, 2.0, 3.0] if ties else [1.0, 2.0, 2.5, 3.0]
    b = band(values, **choices)
    assert b.guarantee == guarantee
    assert b.quantile(0.5).guarantee == "conservative"


def test_beyond_the_table_exact_gives_way_to_ks_and_says_so():
    assert band(np.arange(20_001.0)).method == "ks"
    assert band(np.arange(30.0), confidence=0.9999).method == "ks"
    assert band(np.arange(30.0), confidence=0.9999, solve=True).method == "exact"


def test_an_untabulated_confidence_is_rounded_up_unless_solved():
    x = np.arange(40.0)
    assert band(x, confidence=0.94).local_level == band(x, confidence=0.95).local_level
    assert band(x, confidence=0.94, solve=True).local_level > band(x, confidence=0.95).local_level


def test_one_sided_bands_are_tighter_on_their_side_and_empty_on_the_other():
    x = np.arange(50.0)
    both, lower, upper = (band(x, side=side) for side in ("both", "lower", "upper"))
    z = x + 0.5
    assert np.all(lower.low.cdf(z) >= both.low.cdf(z))
    assert np.all(upper.high.cdf(z) <= both.high.cdf(z))
    assert np.all(lower.high.cdf(z) == 1.0)
    assert np.all(upper.low.cdf(z) == 0.0)
    assert lower.quantile(0.5).low == -np.inf
    assert np.isfinite(lower.quantile(0.5).high)


@given(scores, st.integers(1, 4))
@settings(deadline=None)
def test_a_band_with_failures_holds_whatever_the_failures_would_have_been(values, n_failed):
    b = band(values, n_failed=n_failed, method="dkw")
    for filler in ([-99.0] * n_failed, [99.0] * n_failed, list(np.linspace(-2, 2, n_failed))):
        full = band(values + filler, method="dkw")
        z = np.linspace(-3, 3, 49)
        assert np.all(b.low.cdf(z) <= full.low.cdf(z) + 1e-15)
        assert np.all(b.high.cdf(z) >= full.high.cdf(z) - 1e-15)


def test_failures_on_a_known_side_act_like_extreme_scores():
    x = np.random.default_rng(6).normal(size=20)
    b, full = band(x, n_failed=3, failed="lower"), band(np.append(x, [-90.0, -91.0, -92.0]))
    z = np.linspace(-5, 5, 201)
    assert_allclose(b.low.cdf(z), full.low.cdf(z))
    assert_allclose(b.high.cdf(z), full.high.cdf(z))
    assert_allclose(b.estimate.cdf(z), full.estimate.cdf(z))
    assert b.quantile(0.05).low == -np.inf


def test_clusters_widen_the_band_to_their_number():
    x = np.random.default_rng(7).normal(size=100)
    clusters = np.repeat(np.arange(20), 5)
    b = band(x, clusters=clusters)
    width = band(np.arange(20.0), method="ks")
    assert b.n == 20
    assert b.guarantee == "approximate"
    assert_allclose(b.high.cdf(0.0) - b.estimate.cdf(0.0), width.high.cdf(9.5) - 0.5)


def test_clusters_of_one_score_are_no_clusters():
    x = np.random.default_rng(8).normal(size=30)
    assert band(x, clusters=np.arange(30)).guarantee == band(x).guarantee


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidConfidence, match=r"Did you mean 0\.95"):
        band([1.0, 2.0], confidence=95)
    for choices in ({"method": "dkv"}, {"side": "left"}, {"n_failed": -1}, {"failed": "x"}, {"clusters": [1]}):
        with pytest.raises(InputError):
            band([1.0, 2.0], **choices)
    with pytest.raises(InputError, match="every score"):
        band([1.0, 2.0]).mean((0, 1))
    with pytest.raises(InputError, match="low < high"):
        band([1.0, 2.0]).mean((3, 0))


def test_one_score_gives_a_band():
    b = band([0.5])
    assert (b.quantile(0.5).low, b.quantile(0.5).high) == (-np.inf, np.inf)
    assert b.mean((0, 1)).low < 0.5 < b.mean((0, 1)).high


def test_equal_scores_give_an_interval_for_the_mean_that_is_not_a_point():
    i = band([0.5] * 30).mean((0, 1))
    assert i.low < 0.5 < i.high


def test_ecdf_and_band_agree_on_the_estimate():
    x = np.random.default_rng(9).normal(size=12)
    assert_allclose(band(x).estimate.cumulative, ecdf(x).cumulative)


@pytest.mark.parametrize("n_failed", [1.5, -1, np.nan])
def test_a_number_of_failures_that_is_no_count_is_refused(n_failed):
    with pytest.raises(InputError, match="n_failed"):
        band([1.0, 2.0], n_failed=n_failed)
    with pytest.raises(InputError, match="n_failed"):
        ecdf([1.0, 2.0], n_failed=n_failed)


def test_missing_cluster_labels_are_refused():
    with pytest.raises(InputError, match="clusters"):
        band([1.0, 2.0, 3.0, 4.0], clusters=["a", "a", None, None])


def test_scores_beyond_a_bound_in_the_last_digit_are_shown_with_all_digits():
    with pytest.raises(InputError, match=r"range from 0\.29999999999999999 to 1\.0000000000000002"):
        band([0.3, 1.0000000000000002]).mean((0.0, 1.0))
    with pytest.raises(InputError, match=r"range from 0\.3 to 2\. "):
        band([0.3, 2.0]).mean((0.0, 1.0))


def test_one_side_of_a_ks_band_is_conservative_where_it_has_the_width_of_dkw():
    x = np.random.default_rng(0).random(20_001)
    lower = band(x, method="ks", side="lower")
    assert lower.low.cumulative.tolist() == band(x, method="dkw", side="lower").low.cumulative.tolist()
    assert (lower.guarantee, band(x, method="ks").guarantee) == ("conservative", "exact")


@pytest.mark.parametrize("n", [1, 2, 100, 1000])
@pytest.mark.parametrize("d", [1e-4, 1e-10])
def test_ks_bands_err_as_often_as_asked_at_confidences_near_one(n, d):
    width = band_margin(n, 1.0 - d, "ks", two_sided=True)
    assert_allclose(stats.kstwo.sf(width, n), 1.0 - (1.0 - d), rtol=2e-6)
