"""Aggregates, improvement and profiles over many tasks: laws, goldens and refusals."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from ogive.errors import InputError, InvalidConfidence, InvalidScores
from ogive.statistics import Assumption, aggregate, clopper_pearson, ecdf, improvement_over_tasks, profile_counts
from ogive.statistics._aggregate import FEWEST_FOR_MEDIAN, FEWEST_IN_ALL
from ogive.statistics._resampling import pool, resample, spread_correction

EVERYTHING = ("iqm", "mean", "median", "optimality_gap", "q0.9", "lower_0.25", "upper_0.1")


def runs_of(sizes, seed=0, shift=0.3):
    rng = np.random.default_rng(seed)
    return [rng.normal(shift * t, 0.5, size=n) for t, n in enumerate(sizes)]


def sides(intervals):
    return {name: (i.estimate, i.low, i.high) for name, i in intervals.items()}


# Point values


@pytest.mark.parametrize(("n_runs", "n_tasks"), [(4, 5), (100, 26), (2, 2)])
def test_point_values_are_rliables(n_runs, n_tasks):
    metrics = pytest.importorskip("rliable.metrics", reason="rliable is not installed")
    scores = np.random.default_rng(n_runs).gamma(2.0, 0.5, size=(n_runs, n_tasks))
    other = np.random.default_rng(n_tasks).gamma(2.0, 0.5, size=(n_runs + 1, n_tasks))
    found = aggregate(scores, n_resamples=100, gamma=0.8)
    assert_allclose(found["iqm"].estimate, metrics.aggregate_iqm(scores), rtol=1e-12)
    assert_allclose(found["mean"].estimate, metrics.aggregate_mean(scores), rtol=1e-12)
    assert_allclose(found["median"].estimate, metrics.aggregate_median(scores), rtol=1e-12)
    assert_allclose(found["optimality_gap"].estimate, metrics.aggregate_optimality_gap(scores, gamma=0.8), rtol=1e-12)
    improvement = improvement_over_tasks(scores, other, n_resamples=100)
    assert_allclose(improvement.estimate, metrics.probability_of_improvement(scores, other), rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 1000))
def test_with_equally_many_runs_pooling_gives_the_same_numbers(n_runs, n_tasks, seed):
    scores = np.round(np.random.default_rng(seed).normal(size=(n_runs, n_tasks)), 1)
    pooled, found = ecdf(scores.ravel()), aggregate(scores, statistics=EVERYTHING, n_resamples=100)
    assert_allclose(found["iqm"].estimate, pooled.iqm(), atol=1e-12)
    assert_allclose(found["mean"].estimate, pooled.mean(), atol=1e-12)
    assert found["q0.9"].estimate == pooled.quantile(0.9)
    assert_allclose(found["lower_0.25"].estimate, pooled.cvar(mass=0.25, tail="lower"), atol=1e-12)
    assert_allclose(found["upper_0.1"].estimate, pooled.cvar(mass=0.1, tail="upper"), atol=1e-12)


def test_with_unequal_runs_every_task_weighs_the_same():
    tasks = runs_of([2, 9, 4, 5])
    clusters = np.repeat(np.arange(4), [2, 9, 4, 5])
    weighted, found = ecdf(np.concatenate(tasks), clusters=clusters), aggregate(tasks, statistics=EVERYTHING)
    assert_allclose(found["iqm"].estimate, weighted.iqm(), atol=1e-12)
    assert_allclose(found["mean"].estimate, np.mean([task.mean() for task in tasks]), atol=1e-12)
    assert_allclose(found["median"].estimate, np.median([task.mean() for task in tasks]), atol=1e-12)
    gap = 1.0 - np.mean([np.minimum(task, 1.0).mean() for task in tasks])
    assert_allclose(found["optimality_gap"].estimate, gap, atol=1e-12)
    assert found["q0.9"].estimate == weighted.quantile(0.9)
    profile = profile_counts(tasks, [0.5, -0.1])
    assert_allclose(profile.share, [weighted.exceedance(0.5), weighted.exceedance(-0.1)], atol=1e-12)


def test_repeating_the_runs_of_a_task_does_not_change_what_it_says():
    tasks = runs_of([3, 4])
    doubled = [np.tile(tasks[0], 2), tasks[1]]
    for name, interval in aggregate(tasks).items():
        assert_allclose(aggregate(doubled)[name].estimate, interval.estimate, atol=1e-12)


# Intervals


def test_the_interval_of_the_mean_is_students_with_pooled_degrees_of_freedom():
    scores = np.random.default_rng(1).normal(size=(4, 6))
    found = aggregate(scores, statistics=["mean"], n_resamples=40_000)["mean"]
    error = np.sqrt(np.sum(scores.var(axis=0, ddof=1) / 4)) / 6
    half = stats.t.ppf(0.975, 6 * 3) * error
    assert_allclose([found.low, found.high], [found.estimate - half, found.estimate + half], atol=0.02 * half)
    assert (found.guarantee, found.n) == ("heuristic", 24)


def test_the_correction_is_the_known_one_for_equal_runs_and_wider_otherwise():
    assert_allclose(spread_correction(np.array([5, 5, 5])), (np.sqrt(5 / 4), 12.0))
    factor, df = spread_correction(np.array([2, 20]))
    assert np.sqrt(20 / 19) < factor < np.sqrt(2)
    assert 1.0 < df < 2.0


def test_with_unequal_runs_the_mean_of_equally_spread_tasks_has_the_right_standard_error():
    sizes = np.array([2, 3, 12])
    rng, shown = np.random.default_rng(2), []
    for r in range(2000):
        runs = pool([rng.normal(size=n) for n in sizes])
        found = resample(
            runs, levels=(), thresholds=(), task_means=False, random_tasks=False, seed=r, n_resamples=100, threads=1
        )
        shown.append(found.part_mean(0.0, 1.0)[:-1].var(ddof=1))
    factor, _ = spread_correction(sizes)
    assert_allclose(np.mean(shown) * factor**2, np.sum(1.0 / sizes) / 9, rtol=0.06)


def test_random_tasks_give_wider_intervals_that_count_tasks():
    tasks = runs_of([5] * 12)
    fixed, random = aggregate(tasks), aggregate(tasks, over="sample")
    for name in fixed:
        assert random[name].high - random[name].low > 1.5 * (fixed[name].high - fixed[name].low)
        assert random[name].n == 12
        assert fixed[name].n == 60
        assert random[name].estimate == fixed[name].estimate
    means = [task.mean() for task in tasks]
    half = stats.t.ppf(0.975, 11) * np.std(means, ddof=1) / np.sqrt(12)
    assert 0.95 * half < random["mean"].high - random["mean"].estimate < 1.3 * half


def test_random_tasks_with_one_run_each_are_an_ordinary_sample():
    scores = np.random.default_rng(3).normal(size=(1, 30))
    found = aggregate(scores, over="sample", statistics=["mean"], n_resamples=20_000)["mean"]
    expected = stats.ttest_1samp(scores[0], 0.0).confidence_interval(0.95)
    assert_allclose([found.low, found.high], [expected.low, expected.high], atol=0.02)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_percentile_and_bca_agree_with_t_where_there_are_many_runs(method):
    tasks = runs_of([60] * 6)
    by_t, other = aggregate(tasks), aggregate(tasks, method=method)
    for name in by_t:
        width = by_t[name].high - by_t[name].low
        assert_allclose([other[name].low, other[name].high], [by_t[name].low, by_t[name].high], atol=0.15 * width)
        assert method in other[name].method.lower()


def test_bca_corrects_toward_the_long_tail():
    tasks = [np.random.default_rng(t).exponential(size=15) for t in range(3)]
    plain = aggregate(tasks, statistics=["mean"], method="percentile")["mean"]
    corrected = aggregate(tasks, statistics=["mean"], method="bca")["mean"]
    assert corrected.high > plain.high
    assert corrected.low > plain.low


def test_few_runs_in_a_tail_are_called_heuristic():
    found = aggregate(runs_of([20] * 5), statistics=["lower_0.05", "upper_0.8", "q0.95", "q0.5", "iqm"])
    labels = {name: interval.guarantee for name, interval in found.items()}
    expected = {"lower_0.05": "heuristic", "q0.95": "heuristic"}
    assert labels == dict.fromkeys(("upper_0.8", "q0.5", "iqm"), "approximate") | expected


@pytest.mark.parametrize(
    ("n_runs", "n_tasks", "rough"),
    [(19, 5, ("iqm", "mean", "median", "optimality_gap")), (20, 5, ("median",)), (10, 10, ())],
)
def test_where_rare_collapses_would_be_missed_intervals_are_called_heuristic(n_runs, n_tasks, rough):
    """By numbers known beforehand: 100 runs on all tasks together, and 10 tasks for the median."""
    found = aggregate(runs_of([n_runs] * n_tasks), n_resamples=100)
    assert tuple(name for name, one in found.items() if one.guarantee == "heuristic") == rough
    assert all((Assumption.FEW_IN_ALL in one.assumptions) == (n_runs == 19) for one in found.values())
    assert (Assumption.FEW_FOR_MEDIAN in found["median"].assumptions) == (n_runs == 20)


def test_the_reasons_name_the_numbers_by_which_intervals_are_called_heuristic():
    assert f"fewer than {FEWEST_IN_ALL} runs" in Assumption.FEW_IN_ALL
    assert f"fewer than {FEWEST_FOR_MEDIAN} tasks" in Assumption.FEW_FOR_MEDIAN


def test_equal_runs_give_an_infinite_interval_not_a_point():
    scores = np.tile([0.1, 0.7, 0.3], (4, 1))
    for name, found in aggregate(scores).items():
        assert found.high == np.inf
        assert found.low == (0.0 if name == "optimality_gap" else -np.inf)
        assert found.assumptions[-1] is Assumption.NO_SPREAD
        json.dumps(found.to_dict())


@pytest.mark.parametrize("exponent", [-1040, -565, -46, 46, 565, 1021])
@pytest.mark.parametrize("method", ["t", "bca"])
def test_intervals_do_not_depend_on_the_unit_of_the_scores(exponent, method):
    """Powers of two, to the smallest and the largest numbers there are; below 2**-1022 they lose digits."""
    scores = [task / 8 for task in runs_of([10, 12, 11])]
    small = [np.ldexp(task, exponent) for task in scores]
    plain, scaled = (
        aggregate(tasks, statistics=EVERYTHING, method=method, gamma=gamma, n_resamples=300)
        for tasks, gamma in ((scores, 0.1), (small, np.ldexp(0.1, exponent)))
    )
    for name in EVERYTHING:
        expected = [np.ldexp(v, exponent) for v in sides(plain)[name]]
        assert_allclose(sides(scaled)[name], expected, rtol=1e-12 if exponent > -1000 else 1e-4)


@pytest.mark.parametrize("scale", [1e-14, 1e-170, 1e-300, 1e14])
def test_a_gamma_far_from_the_scores_touches_the_gap_only(scale):
    scores = [scale * task for task in runs_of([5, 5, 5])]
    found = aggregate(scores)
    for name in ("iqm", "mean", "median"):
        assert_allclose(sides(found)[name], sides(aggregate(scores, statistics=[name]))[name], rtol=1e-12)
        assert 0.0 < found[name].high - found[name].low < 10 * scale
    assert_allclose(found["optimality_gap"].estimate, np.mean([np.maximum(1 - t, 0) for t in scores]))


def test_thresholds_far_beyond_the_scores_are_in_order():
    profile = profile_counts([1e-300 * task for task in runs_of([5, 5])], [-1e300, -1.0, 1.0, 1e300])
    assert profile.share.tolist() == [1.0, 1.0, 0.0, 0.0]


def test_a_bound_beyond_the_largest_number_is_infinite():
    found = aggregate([[1e308, 1.7e308], [-1e308, 1.7e308]], statistics=["mean"], n_resamples=100)["mean"]
    assert found.high == np.inf
    assert_allclose(found.estimate, 0.85e308)


def test_a_gap_is_never_negative():
    found = aggregate([[0.9, 1.5, 1.2], [2.0, 2.1, 2.2]])["optimality_gap"]
    assert found.low == 0.0 < found.estimate < found.high


# The same numbers


@pytest.mark.parametrize("over", ["fixed", "sample"])
def test_numbers_do_not_depend_on_threads_or_on_what_else_is_asked(over):
    scores = runs_of([3, 4, 7] * 4)
    one = aggregate(scores, statistics=EVERYTHING, over=over, n_resamples=333)
    assert sides(aggregate(scores, statistics=EVERYTHING, over=over, n_resamples=333, threads=3)) == sides(one)
    for name in EVERYTHING:
        alone = aggregate(scores, statistics=[name], over=over, n_resamples=333)
        assert_allclose(sides(alone)[name], sides(one)[name], rtol=1e-12)
    profile = profile_counts(scores, [0.1, 0.5], statistics=["iqm"], over=over, n_resamples=333)
    assert_allclose(sides(profile.aggregates)["iqm"], sides(one)["iqm"], rtol=1e-12)


def test_another_seed_draws_other_resamples_and_the_same_seed_the_same():
    scores = runs_of([5, 5, 5])
    assert sides(aggregate(scores, seed=1)) == sides(aggregate(scores, seed=1))
    assert aggregate(scores, seed=1)["iqm"].high != aggregate(scores, seed=2)["iqm"].high
    x, y = scores, runs_of([5, 5, 5], seed=9)
    assert improvement_over_tasks(x, y, seed=1) == improvement_over_tasks(x, y, seed=1, threads=2)
    assert improvement_over_tasks(x, y, seed=1) != improvement_over_tasks(x, y, seed=2)


def test_numbers_do_not_depend_on_the_order_of_runs_within_tasks():
    scores, other = runs_of([5, 7, 4]), runs_of([5, 6, 3], seed=9)
    turned, other_turned = [task[::-1] for task in scores], [np.roll(task, 2) for task in other]
    assert sides(aggregate(scores, statistics=EVERYTHING)) == sides(aggregate(turned, statistics=EVERYTHING))
    assert improvement_over_tasks(scores, other) == improvement_over_tasks(turned, other_turned)
    profiles = [profile_counts(tasks, [0.3]) for tasks in (scores, turned)]
    assert_array_equal(profiles[0].low, profiles[1].low)


# Improvement


def test_improvement_counts_ties_as_half_and_mirrors():
    x, y = [[1.0, 2.0, 3.0], [5.0, 5.0]], [[2.0, 2.0, 0.0], [5.0, 5.0, 5.0]]
    found, mirrored = improvement_over_tasks(x, y), improvement_over_tasks(y, x)
    assert_allclose(found.estimate, np.mean([(1 + 2 + 3) / 9, 0.5]))
    assert_allclose(mirrored.estimate, 1 - found.estimate)


@pytest.mark.parametrize(("n_tasks", "n_runs"), [(1, 5), (5, 3), (26, 2)])
def test_at_separation_the_interval_is_clopper_and_pearsons_for_disjoint_pairs(n_tasks, n_runs):
    x, y = np.ones((n_runs, n_tasks)) + np.arange(n_tasks), np.zeros((n_runs, n_tasks))
    found = improvement_over_tasks(x, y)
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert_allclose(found.low, 0.025 ** (1 / (n_tasks * n_runs)))
    back = improvement_over_tasks(y, x)
    assert_allclose([back.low, back.high], [0.0, 1 - found.low], atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 5), st.integers(2, 5), st.integers(1, 4), st.integers(0, 10_000))
def test_an_improvement_interval_has_width_and_holds_its_estimate(n_x, n_y, n_tasks, seed):
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, rng.integers(1, 4), size=(n, n_tasks)).astype(float) for n in (n_x, n_y))
    found = improvement_over_tasks(x, y, n_resamples=100)
    assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
    assert found.low < found.high


@pytest.mark.parametrize("n_tasks", [5, 6, 7])
def test_tasks_that_are_won_and_lost_for_certain_leave_an_interval(n_tasks):
    won = n_tasks // 2 + 1
    found = improvement_over_tasks([[10, 11, 12]] * won + [[0, 1, 2]] * (n_tasks - won), [[5, 6, 7]] * n_tasks)
    assert_allclose(found.estimate, won / n_tasks)
    half = stats.norm.ppf(0.975) * np.sqrt(0.2 * 0.8 / 3 / n_tasks)
    assert found.estimate - found.low >= half - 1e-12
    assert found.high - found.estimate >= min(half, 1 - found.estimate) - 1e-12


def test_two_equal_constants_are_undecided_with_a_wide_interval():
    found = improvement_over_tasks(np.ones((3, 2)), np.ones((3, 2)))
    assert found.estimate == 0.5
    assert_allclose([found.low, found.high], [clopper_pearson(3, 6, 0.95)[0], clopper_pearson(3, 6, 0.95)[1]])


# Profiles


def test_a_profile_is_the_share_of_runs_above_each_threshold_in_the_order_asked():
    scores = np.random.default_rng(4).gamma(2.0, 0.5, size=(12, 5))
    thresholds = [1.0, 0.2, 0.2, 3.0]
    profile = profile_counts(scores, thresholds)
    assert_allclose(profile.share, [np.mean(scores > t) for t in thresholds], atol=1e-12)
    assert_array_equal(profile.thresholds, thresholds)
    assert np.all((profile.low <= profile.share) & (profile.share <= profile.high))
    assert profile.guarantee == "approximate"
    assert profile.aggregates == {}


def test_no_share_leaves_0_to_1_by_rounding():
    for sizes in ([2, 3, 7], [3, 7, 11, 13], [2, 9, 4, 5]):
        profile = profile_counts(runs_of(sizes), [-100.0, 100.0], n_resamples=100)
        assert profile.share[1] == 0.0
        assert np.all((profile.share >= 0.0) & (profile.share <= 1.0))


def test_a_score_at_the_threshold_is_not_above_it():
    assert profile_counts([[1.0, 2.0], [2.0, 3.0]], [2.0]).share.tolist() == [0.25]


def test_profile_intervals_are_the_quantiles_of_the_resamples_away_from_the_edge():
    scores = np.random.default_rng(5).normal(size=(20, 4))
    found = resample(
        pool(list(scores.T)), levels=(), thresholds=[0.0], task_means=False, random_tasks=False, seed=0,
        n_resamples=2000, threads=1,
    )  # fmt: skip
    low, high = np.quantile(found.above[:-1, 0], [0.025, 0.975])
    profile = profile_counts(scores, [0.0])
    assert_allclose([profile.low[0], profile.high[0]], [low, high])


def test_profile_intervals_have_width_beyond_all_scores_and_for_constant_tasks():
    profile = profile_counts(np.tile([0.0, 1.0, 2.0], (4, 1)), [-5.0, 0.5, 1.5, 7.0])
    assert np.all(profile.high - profile.low > 0.2)
    assert profile.low[-1] == 0.0
    assert profile.high[0] == 1.0
    assert profile.guarantee == "heuristic"


def test_a_profile_of_certain_tasks_has_width_also_with_unequal_runs():
    profile = profile_counts([[1] * 10] * 2 + [[0] * 20], [0.5])
    assert profile.low[0] < 0.6
    assert profile.high[0] > 0.73


# Refusals


def test_one_run_on_a_task_is_refused():
    for call in (aggregate, lambda s: profile_counts(s, [0.5]), lambda s: improvement_over_tasks(s, s)):
        with pytest.raises(InvalidScores, match="one run"):
            call([[1.0, 2.0], [3.0]])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_percentile_and_bca_are_refused_below_ten_runs(method):
    with pytest.raises(InvalidScores, match="below 10 runs"):
        aggregate(runs_of([10, 9]), method=method)
    assert aggregate(runs_of([10, 10]), method=method)


def test_random_tasks_are_refused_below_ten_tasks():
    with pytest.raises(InvalidScores, match="10 tasks; got 9"):
        aggregate(runs_of([5] * 9), over="sample")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_one_missing_score_is_refused_and_named(bad):
    with pytest.raises(InvalidScores, match=r"task 1.*1 of 2"):
        aggregate([[1.0, 2.0], [3.0, bad]])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"statistics": ["best"]}, "may name"),
        ({"statistics": ["q1"]}, "share in"),
        ({"statistics": ["lower_0"]}, "share in"),
        ({"statistics": ["upper_1e-20"]}, "1e-09"),
        ({"over": "all"}, "`over` must be 'fixed'"),
        ({"method": "basic"}, "'t', 'percentile' or 'bca'"),
        ({"n_resamples": 10}, "at least 100"),
        ({"threads": 0}, "at least 1"),
        ({"seed": 1.5}, "whole number"),
        ({"gamma": np.nan}, "finite"),
    ],
)
def test_bad_arguments_are_refused(arguments, says):
    with pytest.raises(InputError, match=says):
        aggregate(runs_of([3, 3]), **arguments)


def test_bad_scores_are_refused():
    with pytest.raises(InvalidScores, match="runs × tasks"):
        aggregate(np.arange(5.0))
    with pytest.raises(InvalidScores, match="one task"):
        aggregate([])
    with pytest.raises(InvalidScores, match="must be numbers"):
        aggregate([["a", "b"]])
    with pytest.raises(InvalidScores, match="same tasks"):
        improvement_over_tasks(runs_of([3, 3]), runs_of([3]))
    with pytest.raises(InputError, match="'t' or 'percentile'"):
        improvement_over_tasks(runs_of([3]), runs_of([3]), method="bca")
    with pytest.raises(InvalidScores, match="below 10 runs"):
        improvement_over_tasks(runs_of([3]), runs_of([30]), method="percentile")
    with pytest.raises(InputError, match="thresholds"):
        profile_counts(runs_of([3, 3]), [np.nan])
    with pytest.raises(InvalidConfidence):
        aggregate(runs_of([3, 3]), confidence=95)
