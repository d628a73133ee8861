"""What the name of a statistic means."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogive.errors import InputError
from ogive.metric import Metric
from ogive.statistics import Statistic, best_of_level, ecdf
from ogive.statistics._statistic import OVER_TASKS

UP, DOWN = Metric("maximize"), Metric("minimize")


@given(p=st.integers(1, 999).map(lambda n: n / 1000))
def test_a_quantile_is_read_back_from_its_name(p):
    assert Statistic.parse(Statistic.quantile(p).name) == Statistic.quantile(p)
    assert Statistic.of(p) == Statistic.of(Statistic.quantile(p).name)


@pytest.mark.parametrize("name", ["worst_0.1", "best_0.1", "best_of_8", "worst_of_8", "q0.1"])
def test_turning_the_scores_round_turns_levels_and_tails(name):
    statistic = Statistic.parse(name)
    if statistic.kind in ("worst", "best"):
        assert {statistic.tail(UP), statistic.tail(DOWN)} == {"lower", "upper"}
    elif statistic.kind == "q":
        assert statistic.level(UP) == statistic.level(DOWN)
    else:
        assert statistic.level(UP) == pytest.approx(1.0 - statistic.level(DOWN), abs=1e-15)


@pytest.mark.parametrize("metric", [UP, DOWN])
def test_the_best_of_k_stands_where_half_of_all_best_ones_are_worse(metric):
    rng = np.random.default_rng(1)
    best = metric.turned(metric.turned(rng.random((20_000, 8))).max(axis=1))
    level = Statistic.parse("best_of_8").level(metric)
    assert ecdf(best).quantile(0.5) == pytest.approx(level, abs=0.01)  # of uniform scores a quantile is its level
    assert best_of_level(np.array([8.0]), metric).tolist() == [level]


def test_a_quantile_names_the_end_that_it_cuts_off():
    low = Statistic.parse("q0.05")
    assert (low.end(UP), low.end(DOWN)) == ("worst 5 %", "best 5 %")
    assert Statistic.parse("median").end(UP) == Statistic.parse("mean").end(UP) == ""


@pytest.mark.parametrize(
    ("name", "said"),
    [("average", "may name mean"), ("q1", "a share"), ("worst_0", "a share"), ("best_of_0.5", "1 draw"), (None, "got")],
)
def test_what_is_no_statistic_is_refused(name, said):
    with pytest.raises(InputError, match=said):
        Statistic.parse(name)


def test_kinds_that_a_question_cannot_answer_are_refused_by_its_argument():
    assert Statistic.parse("lower_1", kinds=OVER_TASKS).amount == 1.0
    with pytest.raises(InputError, match=r"`runs`.*'worst_0\.1'"):
        Statistic.parse("worst_0.1", argument="runs", kinds=("mean", "q"))


def test_failed_runs_have_a_rank_and_no_number():
    names = ("mean", "median", "std", "iqm", "worst_0.1", "best_of_8", "exceedance_0.9")
    ordered = [name for name in names if Statistic.parse(name).needs_order_only]
    assert ordered == ["median", "best_of_8", "exceedance_0.9"]
    assert math.isnan(Statistic.parse("mean").amount)
