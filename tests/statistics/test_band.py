"""Bands: what they depend on, their sides and labels, opda's numbers; local levels; functionals as theorems.

Coverage would not notice a bound that is off by one. So: every CDF drawn inside the band has its
functional inside the interval, and the extremal CDFs attain both ends. The same checks must fail
for deliberately wrong versions.
"""

from __future__ import annotations

import numpy as np
import opda.nonparametric
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ogive.errors import InputError, InvalidConfidence
from ogive.kernels._corridor import stay_probability
from ogive.statistics import Assumption, Distribution, band, band_margin, ecdf
from ogive.statistics._band import CONFIDENCES, boundaries, local_level, solve_local_level

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


@pytest.mark.parametrize(("n", "level"), [(10, 0.0073850), (50, 0.0029578), (500, 0.0012843), (2000, 0.00091293)])
def test_two_sided_levels_have_the_known_digits(n, level):
    assert float(f"{solve_local_level(n, 0.95, two_sided=True):.5g}") == pytest.approx(level, rel=1e-9)


@pytest.mark.slow
def test_two_sided_level_at_5000_has_the_known_digits():
    assert float(f"{solve_local_level(5000, 0.95, two_sided=True):.5g}") == 0.00075896


@pytest.mark.parametrize(("n", "level"), [(10, 0.0079434), (30, 0.0042009), (100, 0.0024609)])
def test_one_sided_levels_have_the_known_digits(n, level):
    assert float(f"{solve_local_level(n, 0.95, two_sided=False):.5g}") == pytest.approx(level, rel=1e-9)


def test_solver_is_exact_for_a_single_score():
    assert_allclose(solve_local_level(1, 0.9, two_sided=True), 0.1, rtol=1e-8)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("confidence", [0.5, 0.93, 0.999])
@pytest.mark.parametrize("n", [1, 7, 64, 333])
def test_solved_level_covers_with_exactly_the_confidence(n, confidence, two_sided):
    level = solve_local_level(n, confidence, two_sided=two_sided)
    assert_allclose(stay_probability(*boundaries(n, level, two_sided=two_sided)), confidence, atol=1e-8)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("n", [1, 3, 200, 206, 777, pytest.param(2345, marks=pytest.mark.slow)])
def test_tabulated_levels_are_conservative_and_lose_less_than_two_permille(n, two_sided):
    for confidence in (0.5, 0.95, 0.999):
        found = local_level(n, confidence, two_sided=two_sided, solve=False)
        solved = solve_local_level(n, confidence, two_sided=two_sided)
        assert found is not None
        assert 0.998 * solved <= found <= solved


def test_a_confidence_between_two_columns_takes_the_higher_one():
    found, higher = (local_level(30, confidence, two_sided=True, solve=False) for confidence in (0.94, 0.95))
    assert found is not None
    assert found == higher


def test_beyond_the_table_there_is_no_level():
    assert local_level(20_001, 0.95, two_sided=True, solve=False) is None
    assert local_level(50, 0.9995, two_sided=True, solve=False) is None


def test_levels_fall_with_n_and_with_confidence():
    ns = [1, 2, 5, 10, 50, 200, 201, 500, 3000, 20_000]
    levels = np.array([[local_level(n, c, two_sided=True, solve=False) for c in CONFIDENCES] for n in ns])
    assert np.all(np.diff(levels, axis=0) < 0)
    assert np.all(np.diff(levels, axis=1) < 0)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("d", [0.05, 1e-10])
def test_the_local_level_of_one_score_is_the_whole_error(two_sided, d):
    assert solve_local_level(1, 1.0 - d, two_sided=two_sided) == pytest.approx(d, rel=1e-6)


BOUNDS = (-2.0, 3.0)
CASES = [(n, seed) for n in (1, 2, 5, 12, 40) for seed in range(4)]
THRESHOLDS = (-2.5, -1.3, -0.4, -0.05, 0.0, 0.3, 1.1, 2.9, 3.5)
MASSES = (0.1, 0.25, 0.5, 1.0)


def sample_band(n, seed, method="exact"):
    rng = np.random.default_rng([n, seed])
    values = rng.uniform(*BOUNDS, size=n)
    if seed % 2:  # ties, and scores on the bounds
        values = np.round(values)
    return band(values, method=method)


def cdfs_inside(b, rng, count):
    """Step CDFs inside the band, with jumps at, just before and just after the scores, and at the bounds."""
    base = b.estimate.points
    spots = np.unique(np.concatenate([base, base - 1e-7, base + 1e-7, rng.uniform(*BOUNDS, 8), [BOUNDS[0], BOUNDS[1]]]))
    spots = spots[(spots >= BOUNDS[0]) & (spots <= BOUNDS[1])]
    low, high = b.low.cdf(spots), b.high.cdf(spots)
    for _ in range(count):
        choice = rng.random(spots.size) if rng.random() < 0.5 else rng.integers(0, 2, spots.size).astype(float)
        levels = np.maximum.accumulate(low + choice * (high - low))
        levels = np.minimum(levels, high)
        levels[-1] = 1.0
        yield Distribution(spots, np.maximum.accumulate(levels), b.n)


def check_contains(functional, interval_of):
    for n, seed in CASES:
        b = sample_band(n, seed)
        interval = interval_of(b)
        for cdf in cdfs_inside(b, np.random.default_rng([seed, n, 7]), 60):
            value = functional(cdf)
            assert interval.low - 1e-6 <= value <= interval.high + 1e-6


def within(side):
    """A side of the band as a distribution on the bounds."""
    return Distribution(np.clip(side.points, *BOUNDS), side.cumulative, side.n)


def check_attained(functional, interval_of):
    for n, seed in CASES:
        b = sample_band(n, seed)
        interval = interval_of(b)
        assert_allclose(interval.low, functional(within(b.high)), atol=1e-12)
        assert_allclose(interval.high, functional(within(b.low)), atol=1e-12)


def mean_by_sum(d):
    return float(np.sum(d.points * np.diff(d.cumulative, prepend=0.0)))


def cvar_by_minimum(d, mass, tail):
    """Rockafellar and Uryasev: min over c of c + E[(Z - c)+] / mass; attained at one of the points."""
    if tail == "lower":
        flipped = Distribution(-d.points[::-1], np.cumsum(np.diff(d.cumulative, prepend=0.0)[::-1]), d.n)
        return -cvar_by_minimum(flipped, mass, "upper")
    weights = np.diff(d.cumulative, prepend=0.0)
    return float(np.min(d.points + np.maximum(d.points - d.points[:, None], 0.0) @ weights / mass))


def area_by_sum(d, t):
    return float(np.sum(d.points * np.diff(d.cumulative, prepend=0.0) * (d.points >= t)))


def test_mean_interval_contains_and_is_attained():
    check_contains(mean_by_sum, lambda b: b.mean(BOUNDS))
    check_attained(mean_by_sum, lambda b: b.mean(BOUNDS))


@pytest.mark.parametrize("tail", ["lower", "upper"])
@pytest.mark.parametrize("mass", MASSES)
def test_cvar_interval_contains_and_is_attained(mass, tail):
    def functional(d):
        return cvar_by_minimum(d, mass, tail)

    check_contains(functional, lambda b: b.cvar(mass=mass, tail=tail, bounds=BOUNDS))
    check_attained(functional, lambda b: b.cvar(mass=mass, tail=tail, bounds=BOUNDS))


@pytest.mark.parametrize("t", THRESHOLDS)
def test_threshold_area_interval_contains(t):
    check_contains(lambda d: area_by_sum(d, t), lambda b: b.threshold_area(t, BOUNDS))


@pytest.mark.parametrize("t", [t for t in THRESHOLDS if t >= 0])
def test_threshold_area_interval_is_attained_by_the_sides_for_thresholds_from_zero(t):
    check_attained(lambda d: area_by_sum(d, t), lambda b: b.threshold_area(t, BOUNDS))


@pytest.mark.parametrize("t", [t for t in THRESHOLDS if t < 0])
def test_threshold_area_interval_is_attained_for_negative_thresholds(t):
    for n, seed in CASES:
        b = sample_band(n, seed)
        interval = b.threshold_area(t, BOUNDS)
        low, high = within(b.low), within(b.high)
        # least: as little as possible below t, then everything as far down as possible
        spots = np.unique(np.concatenate([low.points, high.points, [t]]))
        below = spots < t
        least = Distribution(spots, np.where(below, low.cdf(spots), high.cdf(spots)), n)
        assert_allclose(interval.low, area_by_sum(least, t), atol=1e-12)
        # most: a share c below t, then everything as far up as possible; the best c by search
        floor, ceiling = low.cdf(t, left=True), high.cdf(t, left=True)
        candidates = np.unique(np.clip(np.concatenate([low.cumulative, [floor, ceiling]]), floor, ceiling))
        best = -np.inf
        for c in candidates:
            points = np.concatenate([[np.nextafter(t, -np.inf)], low.points[low.points >= t]])
            levels = np.concatenate([[c], np.maximum(low.cumulative[low.points >= t], c)])
            # the step from c up to the low side at t itself happens at t
            points, levels = np.insert(points, 1, t), np.insert(levels, 1, max(c, low.cdf(t)))
            best = max(best, area_by_sum(Distribution(points, levels, n), t))
        assert_allclose(interval.high, best, atol=1e-12)


def test_sides_need_only_the_bound_of_their_own_side():
    b = sample_band(40, 0)
    assert np.isfinite(b.mean((BOUNDS[0], None)).low)
    assert b.mean((BOUNDS[0], None)).high == np.inf
    assert np.isfinite(b.cvar(mass=0.5, tail="upper").low)
    assert b.cvar(mass=0.5, tail="upper").high == np.inf
    assert np.isfinite(b.cvar(mass=0.5, tail="lower").high)
    assert b.cvar(mass=0.5, tail="lower").low == -np.inf


@pytest.mark.parametrize("k", [1, 20, 1000])
def test_without_bounds_the_mean_of_the_best_and_worst_of_k_is_unbounded_on_both_sides(k):
    b = sample_band(40, 0)
    for several in (b.best_of(k), b.worst_of(k)):
        assert (several.mean().low, several.mean().high) == (-np.inf, np.inf)
        assert np.isfinite([several.mean(BOUNDS).low, several.mean(BOUNDS).high]).all()
    assert b.worst_of(k).quantile(1.0).high == np.inf
    assert b.best_of(k).quantile(0.0).low == -np.inf


@pytest.mark.parametrize("mass", [1e-17, 1e-13, 1e-9, 0.01])
def test_a_tail_that_no_score_is_certain_to_reach_is_unbounded_at_its_end(mass):
    b = sample_band(40, 0)
    upper, lower = b.cvar(mass=mass, tail="upper"), b.cvar(mass=mass, tail="lower")
    assert upper.high == np.inf
    assert upper.low <= upper.estimate == b.estimate.points[-1]
    assert lower.low == -np.inf
    assert lower.high >= lower.estimate == b.estimate.points[0]


def test_the_threshold_area_of_everything_is_the_mean():
    b = sample_band(40, 0)
    assert b.threshold_area(-np.inf, BOUNDS) == b.mean(BOUNDS)


def test_a_band_refuses_a_threshold_that_is_no_number():
    b = sample_band(5, 0)
    for asked in (b.cdf, b.threshold_area):
        with pytest.raises(InputError, match="nan"):
            asked(np.nan)


# Deliberately wrong versions: each must be noticed.


class Wrong:
    """An interval with its ends."""

    def __init__(self, low, high):
        self.low, self.high = low, high


def notices(check, functional, interval_of):
    with pytest.raises(AssertionError):
        check(functional, interval_of)


def test_swapped_tails_are_noticed():
    for mass in (0.1, 0.25):
        notices(
            check_attained,
            lambda d, m=mass: cvar_by_minimum(d, m, "upper"),
            lambda b, m=mass: b.cvar(mass=m, tail="lower", bounds=BOUNDS),
        )
        notices(check_contains, lambda d, m=mass: cvar_by_minimum(d, m, "upper"), lambda b, m=mass: b.cvar(mass=m, tail="lower", bounds=BOUNDS))  # fmt: skip


def test_mass_for_one_minus_mass_is_noticed():
    for mass in (0.1, 0.25):
        notices(check_attained, lambda d, m=mass: cvar_by_minimum(d, m, "upper"), lambda b, m=mass: b.cvar(mass=1 - m, tail="upper", bounds=BOUNDS))  # fmt: skip
        notices(check_contains, lambda d, m=mass: cvar_by_minimum(d, m, "upper"), lambda b, m=mass: b.cvar(mass=1 - m, tail="upper", bounds=BOUNDS))  # fmt: skip


def test_a_mean_bound_that_is_off_by_one_is_noticed():
    def off_by_one(b):
        high = within(b.high)
        shifted = Distribution(high.points, np.append(high.cumulative[1:], 1.0), high.n)  # hi_{i+2} for hi_{i+1}
        return Wrong(mean_by_sum(shifted), mean_by_sum(within(b.low)))

    notices(check_attained, mean_by_sum, off_by_one)


def test_plugging_a_negative_threshold_into_the_formula_for_positive_ones_is_noticed():
    t = -1.3
    notices(
        check_contains,
        lambda d: area_by_sum(d, t),
        lambda b: Wrong(within(b.high).threshold_area(t), within(b.low).threshold_area(t)),
    )
