"""A metric answers which scores are good."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.statistics import ecdf

GOALS = ["maximize", "minimize"]


@pytest.mark.parametrize("goal", GOALS)
@given(scores=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_the_best_score_is_the_largest_turned_one(goal, scores):
    metric = Metric.toward(goal)
    best = max(scores) if goal == "maximize" else min(scores)
    assert metric.turned(np.array(scores)).max() == metric.sign * best == metric.turned(best)
    assert not any(metric.better(score, best) for score in scores)
    assert all(metric.better(best, score) for score in scores if score != best)


@pytest.mark.parametrize("goal", GOALS)
def test_a_level_leaves_its_share_of_runs_on_the_bad_side(goal):
    metric, scores = Metric.toward(goal), np.arange(100.0)
    limit = ecdf(scores).quantile(metric.level(0.2))
    assert np.mean([metric.better(limit, score) for score in scores]) == pytest.approx(0.2, abs=0.011)


@pytest.mark.parametrize("goal", GOALS)
def test_tails_and_sides_agree_with_the_direction(goal):
    metric = Metric.toward(goal)
    bad, good = metric.worst_first(1.0, 2.0)
    assert metric.better(good, bad)
    assert metric.worst_first("lower", "upper") == (metric.worst_tail, metric.best_tail)
    assert metric.good_side == {"upper": "higher", "lower": "lower"}[metric.best_tail]
    assert metric.worst == -metric.sign * np.inf


def test_a_direction_that_is_none_is_refused():
    with pytest.raises(InputError, match="goal"):
        Metric.toward("up")
