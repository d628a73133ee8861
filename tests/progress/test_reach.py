"""Steps to a target: runs that never reach it are counted, never dropped."""

import math

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.profiles import Baselines, MinMax
from ogive.progress import steps_to_reach
from ogive.statistics import clopper_pearson


def runs(reach, *, agent="a", end=100, env="t"):
    """A run for each step at which one reaches 1; None never does."""
    return pd.DataFrame(
        [
            {"agent": agent, "env": env, "seed": s, "step": x, "return": float(r is not None and x >= r)}
            for s, r in enumerate(reach) for x in range(0, end + 1, max(10, end // 10))
        ]
    )  # fmt: skip


def test_runs_that_never_reach_the_target_are_later_than_every_other():
    found = steps_to_reach(ogive.read(runs([20, None, 50, None, 30])), 1.0).of("a")
    assert found.steps.tolist() == [20.0, math.inf, 50.0, math.inf, 30.0]
    assert (found.n_reached, found.median.estimate, found.median.high) == (3, 50.0, math.inf)
    assert (found.share.low, found.share.high) == clopper_pearson(3, 5, 0.95)
    few = steps_to_reach(ogive.read(runs([20, None, None])), 1.0)
    assert few.of("a").median.estimate == math.inf
    assert "never" in str(few)
    assert few.to_dict()["rows"][0]["median"] is None
    assert "“?” where so few runs set no first step and “never” where it cannot be ruled out" in str(few)
    many = str(steps_to_reach(ogive.read(runs([40_000] * 6 + [50_000] * 6, end=50_000)), 1.0))
    assert "40,000 [40,000, 50,000]" in many
    assert "“" not in many  # only what stands there is explained


def test_of_costs_a_target_is_reached_from_above():
    table = runs([20, 40]).assign(loss=lambda d: 1.0 - d["return"]).drop(columns="return")
    assert steps_to_reach(ogive.read(table), 0.0).of("a").steps.tolist() == [20.0, 40.0]


def test_runs_that_ended_long_before_the_others_without_reaching_it_are_counted_and_said():
    table = pd.concat([runs([20, None]), runs([None], end=40).assign(seed=9)])
    found = steps_to_reach(ogive.read(table), 1.0)
    assert (found.of("a").steps.size, found.of("a").n_ended) == (3, 1)
    assert "1 of them ended long before the longest run" in str(found)


def test_the_steps_are_a_score_for_every_other_answer():
    table = pd.concat([runs([10, 20, 20, 30, 10, 20, 10, 30]), runs([60, 70, None, 90, 80, None, 60, 70], agent="b")])
    found = steps_to_reach(ogive.read(table), 1.0)
    judged = ogive.compare(found.trials, "a", "b", failures="worst")
    assert (judged.conclusion, judged.metric) == ("better", "step to reach 1")
    assert [row["count"] for row in found.trials.failures()] == [2]
    with pytest.raises(InputError, match="2 of 16 trials"):
        ogive.compare(found.trials, "a", "b")


def test_a_target_must_be_a_score():
    for target, words in ((np.nan, "must be a number"), ("x", "must be numbers"), (np.inf, "must be a finite score")):
        with pytest.raises(InputError, match=f"`target` {words}"):
            steps_to_reach(ogive.read(runs([10, 20])), target)


def test_on_one_scale_the_target_lies_on_it():
    """Runs of one task return 0 or 1, those of the other 0 or 50 times as much: half the way is 0.5 and 25."""
    data = pd.concat(
        [runs([20, None, 40]), runs([30, 60, None], env="u").assign(**{"return": lambda d: 50 * d["return"]})]
    )
    trials = ogive.read(data)
    plain = {("a", "t"): 0.5, ("a", "u"): 25.0}
    ends = Baselines({"t": 0.0, "u": 0.0}, {"t": 1.0, "u": 50.0})
    for scale in (MinMax(), ends):
        found = steps_to_reach(trials, 0.5, normalize=scale)
        for (method, task), raw in plain.items():
            by_hand = steps_to_reach(trials, raw, tasks=[task])
            assert found.of(method, task).steps.tolist() == by_hand.of(method, task).steps.tolist()
        assert "return (on one scale) of at least 0.5" in str(found)
    assert steps_to_reach(trials, 0.5).of("a", "u").steps.tolist() == [30.0, 60.0, np.inf]
    costs = data.assign(loss=-data["return"]).drop(columns="return")
    turned = steps_to_reach(ogive.read(costs), 1.0, normalize=MinMax())
    assert (turned.goal, turned.of("a", "u").steps.tolist()) == ("maximize", [30.0, 60.0, np.inf])


def test_runs_that_failed_before_they_reached_it_never_do_or_are_refused_or_left_out():
    data = runs([20, 30, None, 40])
    data.loc[data.seed.isin([2, 3]) & (data.step > 50), "return"] = np.nan  # one of them had reached it
    trials = ogive.read(data)
    assert steps_to_reach(trials, 1.0).of("a").steps.tolist() == [20.0, 30.0, np.inf, 40.0]
    assert steps_to_reach(trials, 1.0, failures=0.0).of("a").n_reached == 3
    left = steps_to_reach(trials, 1.0, failures="exclude")
    assert (left.of("a").steps.tolist(), len(left.trials)) == ([20.0, 30.0], 2)
    assert "2 failed runs of 4 are left out" in str(left)
    for rule, words in (("refuse", "1 of 4 runs failed"), ("like:b", "over steps say"), (1.0, "by failing")):
        with pytest.raises(InputError, match=words):
            steps_to_reach(trials, 1.0, failures=rule)


def test_runs_that_are_not_independent_are_refused_or_have_no_interval():
    data = runs([10, 20, None, 40, 50, 60])
    with pytest.raises(InputError, match="share a unit"):
        steps_to_reach(ogive.read(data.assign(patient=data.seed // 2), unit="patient"), 1.0)
    found = steps_to_reach(ogive.read(data, independent=False), 1.0)
    row = found.of("a")
    assert (row.n_reached, row.share.low, row.share.high, row.share.guarantee) == (5, -np.inf, np.inf, "heuristic")
    assert (row.median.estimate, row.median.low, row.median.high) == (40.0, -np.inf, np.inf)
    assert "There are no intervals" in str(found)
    assert "guaranteed" not in str(found)


def test_a_run_is_short_by_the_longest_of_its_task():
    data = pd.concat([runs([None, 20], end=100), runs([None, None], end=1000, env="u")])
    found = steps_to_reach(ogive.read(data), 1.0)
    assert [row.n_ended for row in found.rows] == [0, 0]
