"""Steps to a target: runs that never reach it are counted, never dropped."""

import math

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.progress import steps_to_reach
from ogive.statistics import clopper_pearson


def runs(reach, *, agent="a", end=100, env="t"):
    """A run for each step at which one reaches 1; None never does."""
    return pd.DataFrame(
        [
            {"agent": agent, "env": env, "seed": s, "step": x, "return": float(r is not None and x >= r)}
            for s, r in enumerate(reach) for x in range(0, end + 1, 10)
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
    with pytest.raises(InputError, match="`target` must be a finite score"):
        steps_to_reach(ogive.read(runs([10, 20])), np.nan)
