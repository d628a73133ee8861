"""Statistics over steps: the same as step by step, laws, rules for what is missing, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ogive.errors import InputError, InvalidConfidence, InvalidScores
from ogive.statistics import Assumption, aggregate, over_steps, quantile_interval

STATISTICS = ("iqm", "mean", "median", "q0.9", "lower_0.25", "upper_0.1", "optimality_gap")


def curves(n_runs, n_tasks, n_steps, seed=0):
    """Runs × tasks × steps that learn."""
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.gamma(2.0, 0.5, size=(n_runs, n_tasks, n_steps)), axis=2) + np.arange(n_tasks)[:, None]


def sides(found):
    return np.array([found.estimate, found.low, found.high])


@pytest.mark.parametrize("statistic", STATISTICS)
def test_each_step_alone_is_an_aggregate_of_its_scores(statistic):
    """Estimates are the same; limits differ by the resamples drawn."""
    values = curves(7, 5, 3)
    found = over_steps(values, statistic=statistic, gamma=4.0)
    for s in range(3):
        one = aggregate(values[:, :, s], statistics=[statistic], gamma=4.0)[statistic]
        assert found.estimate[s] == pytest.approx(one.estimate, abs=1e-12)
        assert found.high[s] - found.low[s] == pytest.approx(one.high - one.low, rel=0.12)
        assert found.guarantee == one.guarantee
        assert set(one.assumptions) <= set(found.assumptions)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_order_unit_and_threads_change_nothing(statistic, simultaneous):
    values = curves(6, 4, 5)
    values[:, 1:, 0] = values[0, 0, 0]  # ties
    asked = {"statistic": statistic, "simultaneous": simultaneous, "n_resamples": 200}
    found = sides(over_steps(values, **asked, gamma=3.0))
    rng = np.random.default_rng(5)
    shuffled = np.stack([rng.permutation(values[:, t]) for t in rng.permutation(4)], axis=1)
    assert_allclose(sides(over_steps(shuffled, **asked, gamma=3.0)), found, rtol=1e-9)
    assert_allclose(
        sides(over_steps(3.0 * values + 7.0, **asked, gamma=16.0)),
        3.0 * found + (0.0 if statistic == "optimality_gap" else 7.0),
        rtol=1e-9,
    )
    assert_array_equal(sides(over_steps(values, **asked, gamma=3.0, threads=3)), found)


@pytest.mark.parametrize(
    ("one", "other"), [("iqm", "iqm"), ("mean", "mean"), ("median", "median"), ("lower_0.25", "upper_0.25")]
)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_negated_curves_give_negated_limits(one, other, simultaneous):
    values = np.round(curves(6, 4, 5))
    values[2, 1, 3] = np.nan
    asked = {"simultaneous": simultaneous, "n_resamples": 200, "missing": "present"}
    found, turned = over_steps(values, statistic=one, **asked), over_steps(-values, statistic=other, **asked)
    assert_allclose(sides(turned.negated()), sides(found), rtol=1e-9)


def test_a_list_of_tasks_an_array_and_one_task_are_the_same_thing():
    values = curves(6, 3, 4)
    asked = {"statistic": "mean", "n_resamples": 100}
    assert_array_equal(sides(over_steps([values[:, t] for t in range(3)], **asked)), sides(over_steps(values, **asked)))
    assert_array_equal(sides(over_steps(values[:, 0], **asked)), sides(over_steps(values[:, :1], **asked)))


def test_tasks_with_more_runs_weigh_no_more():
    values = curves(6, 3, 4)
    ragged = [values[:, 0], values[:2, 1], values[:5, 2]]
    found = over_steps(ragged, statistic="mean", n_resamples=2000)
    assert_allclose(found.estimate, np.mean([task.mean(axis=0) for task in ragged], axis=0), rtol=1e-12)
    one = aggregate([task[:, 2] for task in ragged], statistics=["mean"])["mean"]
    assert found.high[2] - found.low[2] == pytest.approx(one.high - one.low, rel=0.12)
    assert found.n_runs == 13
    assert found.n_tasks == 3


def test_all_steps_together_need_wider_limits_and_equal_steps_cost_nothing():
    values = np.random.default_rng(1).normal(size=(10, 5, 30))
    alone, together = (over_steps(values, statistic="mean", simultaneous=s) for s in (False, True))
    wider = (together.high - together.low) / (alone.high - alone.low)
    assert wider.min() > 1.3
    repeated = over_steps(np.repeat(values[:, :, :1], 30, axis=2), statistic="mean", simultaneous=True)
    assert (repeated.high - repeated.low)[0] < 1.1 * (alone.high - alone.low)[0]


@pytest.mark.parametrize("simultaneous", [False, True])
def test_a_quantile_of_one_task_lies_between_two_of_its_runs(simultaneous):
    values = curves(30, 1, 2)[:, 0]
    for statistic, p in (("median", 0.5), ("q0.5", 0.5), ("q0.3", 0.3)):
        found = over_steps(values, statistic=statistic, simultaneous=simultaneous)
        assert found.guarantee == "conservative"
        for s in range(2):
            one = quantile_interval(values[:, s], p, confidence=0.975 if simultaneous else 0.95)
            assert_allclose(
                [found.estimate[s], found.low[s], found.high[s]], [one.estimate, one.low, one.high], rtol=1e-12
            )


def test_limits_that_runs_cannot_set_are_infinite_and_say_so():
    found = over_steps(curves(3, 1, 2)[:, 0], statistic="median")
    assert np.isinf(found.low).all()
    assert Assumption.NO_LIMITS in found.assumptions
    values = curves(5, 3, 4)
    values[:, :, 0] = 0.0  # before anything is learned
    for simultaneous in (False, True):
        found = over_steps(values, simultaneous=simultaneous)
        assert found.estimate[0] == 0.0
        assert np.isinf([found.low[0], found.high[0]]).all()
        assert np.isfinite([found.low[1:], found.high[1:]]).all()
        assert Assumption.NO_SPREAD in found.assumptions
        assert_allclose(sides(found)[:, 1:], sides(over_steps(values[:, :, 1:], simultaneous=simultaneous)))


@pytest.mark.parametrize("unit", [1e-300, 1e308])
@pytest.mark.parametrize("statistic", ["iqm", "mean", "median", "lower_0.1"])
def test_no_unit_is_too_large_or_small(unit, statistic):
    values = np.clip(np.random.default_rng(4).normal(size=(5, 3, 4)), -1.0, 1.0)
    found, plain = (sides(over_steps(x, statistic=statistic, n_resamples=100)) for x in (values * unit, values))
    assert_allclose(
        found / unit,
        np.where(np.abs(plain) > 1.7976, np.sign(plain) * np.inf, plain) if unit > 1.0 else plain,
        rtol=1e-9,
    )


def test_one_step_is_a_curve():
    values = curves(5, 3, 1)
    alone, together = (over_steps(values, simultaneous=s) for s in (False, True))
    assert (together.high >= alone.high).all()
    assert_allclose(together.high, alone.high, rtol=0.1)


def test_a_score_that_many_runs_share_makes_limits_heuristic():
    """The cut of an IQM may lie at the edge of a heap of equal scores, or inside of it."""
    values = np.random.default_rng(2).normal(size=(60, 5, 3))
    assert over_steps(values, n_resamples=100).guarantee == "approximate"
    values[:12, :, 1] = 0.25
    found = over_steps(values, n_resamples=100)
    assert found.guarantee == "heuristic"
    assert Assumption.SHARED_SCORE in found.assumptions
    assert found.shared.tolist() == [1]


def test_two_equal_scores_among_a_handful_of_runs_are_no_heap():
    values = np.random.default_rng(2).normal(size=(5, 2, 3))
    values[:2, 0, 1] = 0.25
    assert over_steps(values, n_resamples=100).shared.size == 0
    values[0, 1, 1] = 0.25
    assert over_steps(values, n_resamples=100).shared.tolist() == [1]
    assert over_steps(values[:2, :1], n_resamples=100).shared.size == 0


@pytest.mark.parametrize(
    ("statistic", "n_runs", "doubt"), [("iqm", 49, True), ("iqm", 50, False), ("mean", 199, True), ("mean", 200, False)]
)
def test_below_so_many_runs_in_all_limits_are_heuristic(statistic, n_runs, doubt):
    found = over_steps(np.random.default_rng(n_runs).normal(size=(n_runs, 5, 2)), statistic=statistic, n_resamples=100)
    assert (found.guarantee == "heuristic") == (Assumption.FEW_OVER_STEPS in found.assumptions) == doubt


def test_what_was_not_simulated_is_heuristic_at_any_number_of_runs():
    found = over_steps(np.random.default_rng(6).normal(size=(250, 5, 2)), statistic="lower_0.1", n_resamples=100)
    assert found.guarantee == "heuristic"
    assert Assumption.UNTRIED in found.assumptions


# rliable


@pytest.mark.parametrize("n_runs", [2, 10, 100])
def test_estimates_on_the_shape_of_atari_are_rliables(n_runs):
    """26 games by frames. With 2 and 10 runs a quarter of all is whole; where it is not, rliable drops whole runs."""
    metrics = pytest.importorskip("rliable.metrics", reason="rliable is not installed")
    values = curves(n_runs, 26, 4)
    found = over_steps(values, n_resamples=100)
    assert_allclose(found.estimate, [metrics.aggregate_iqm(values[..., s]) for s in range(4)], rtol=4e-15)
    found = over_steps(values, statistic="median", n_resamples=100)
    assert_allclose(found.estimate, [metrics.aggregate_median(values[..., s]) for s in range(4)], rtol=4e-15)


def test_the_percentile_bootstrap_is_rliables():
    """The same resampling by its definition: runs of each task, 2.5 and 97.5 % of the resampled IQMs."""
    values = curves(10, 26, 2)
    found = over_steps(values, method="percentile")
    rng = np.random.default_rng(8)
    drawn = np.empty((2000, 2))
    for row in drawn:
        runs = np.stack([values[rng.integers(0, 10, 10), t] for t in range(26)], axis=1)
        row[:] = np.sort(runs.reshape(260, 2), axis=0)[65:195].mean(axis=0)
    limits = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert_allclose([found.low, found.high], limits, atol=0.12 * float((found.high - found.low).max()))


# What is missing


def test_a_step_with_a_missing_score_is_a_gap_and_changes_no_other():
    values = curves(6, 3, 5)
    whole = over_steps(values, statistic="iqm", n_resamples=2000)
    values[1, 2, 3] = np.nan
    found = over_steps(values, statistic="iqm", n_resamples=2000, missing="gap")
    assert np.isnan(found.estimate[3])
    assert np.isinf([found.low[3], found.high[3]]).all()
    kept = [0, 1, 2, 4]
    assert_array_equal(found.estimate[kept], whole.estimate[kept])
    assert_allclose(found.high[kept] - found.low[kept], (whole.high - whole.low)[kept], rtol=0.12)
    assert found.runs_at.tolist() == [18, 18, 18, 0, 18]


def test_a_gap_in_what_is_missing_to_gamma_has_no_limits():
    values = curves(6, 2, 4)
    values[1, 0, 3] = np.nan
    found = over_steps(values, statistic="optimality_gap", gamma=values[..., 0].mean(), n_resamples=200, missing="gap")
    assert np.isnan(found.estimate[3])
    assert (found.low[3], found.high[3]) == (-np.inf, np.inf)
    assert (found.low[:3] >= 0.0).all()


def test_missing_scores_leave_the_runs_that_are_there():
    values = curves(8, 3, 3)
    values[0, 1, 2] = values[5, 1, 2] = values[3, 0, 2] = np.nan
    found = over_steps(values, statistic="mean", missing="present")
    there = [values[:, t, 2][~np.isnan(values[:, t, 2])] for t in range(3)]
    one = aggregate(there, statistics=["mean"])["mean"]
    assert found.estimate[2] == pytest.approx(one.estimate, rel=1e-12)
    assert found.high[2] - found.low[2] == pytest.approx(one.high - one.low, rel=0.15)
    assert found.runs_at.tolist() == [24, 24, 21]


def test_too_few_runs_left_give_no_limits_and_none_no_answer():
    values = curves(4, 3, 4)
    values[1:, 1, 2] = np.nan
    values[:, 1, 3] = np.nan
    found = over_steps(values, statistic="mean", missing="present")
    assert not np.isnan(found.estimate[2])
    assert np.isinf(found.high[2])
    assert np.isnan(found.estimate[3])
    assert np.isfinite(found.high[:2]).all()


# Refusals


@pytest.mark.parametrize(
    ("values", "asked", "said"),
    [
        ([], {}, "at least one task"),
        (np.zeros((0, 2, 3)), {}, "at least one run"),
        (np.zeros((3, 2, 0)), {}, "at least one run and one step"),
        (np.zeros(3), {}, "runs × tasks × steps"),
        (np.zeros((2, 2, 2, 2)), {}, "runs × tasks × steps"),
        ([np.zeros((3, 2)), np.zeros((3, 4))], {}, "same steps"),
        ([np.zeros(3)], {}, "got shape \\(3,\\) for task 0"),
        ([[[1.0, 2.0], [1.0]]], {}, "equal length"),
        (np.array([[["a"]]]), {}, "must be numbers"),
        (np.full((3, 2, 2), np.inf), {}, "must not be infinite"),
        (np.full((3, 2, 2), np.nan), {}, "missing='gap'"),
        (np.zeros((1, 2, 2)), {}, "at least 2 runs"),
        (np.zeros((3, 2, 2)), {"statistic": "best_of_3"}, "may name"),
        (np.zeros((3, 2, 2)), {"confidence": 95}, "Did you mean"),
        (np.zeros((3, 2, 2)), {"method": "bca"}, "'percentile'"),
        (np.zeros((3, 2, 2)), {"method": "percentile"}, "too short below 10"),
        (np.zeros((12, 2, 2)), {"method": "percentile", "simultaneous": True}, "each step alone"),
        (np.zeros((3, 2, 2)), {"missing": "drop"}, "'present'"),
        (np.zeros((3, 2, 2)), {"simultaneous": "yes"}, "True or False"),
        (np.zeros((3, 2, 2)), {"n_resamples": 10}, "at least 100"),
        (np.zeros((3, 2, 2)), {"threads": 0}, "threads"),
        (np.zeros((3, 2, 2)), {"gamma": np.nan}, "gamma"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused(values, asked, said):
    with pytest.raises((InputError, InvalidScores, InvalidConfidence), match=said):
        over_steps(values, **asked)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 5), st.integers(1, 4), st.integers(1, 4), st.sampled_from(STATISTICS), st.integers(0, 10**6))
def test_limits_hold_the_estimate(n_runs, n_tasks, n_steps, statistic, seed):
    values = np.random.default_rng(seed).integers(0, 3, size=(n_runs, n_tasks, n_steps)).astype(float)
    for simultaneous in (False, True):
        found = over_steps(values, statistic=statistic, simultaneous=simultaneous, n_resamples=100)
        assert ((found.low <= found.estimate) & (found.estimate <= found.high)).all()
        assert (found.high > found.low).all() or statistic == "optimality_gap" or n_tasks == 1
