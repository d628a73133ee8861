"""What holds over all tasks and is certainly the other way round on one is said of both: two methods and all of them."""

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers.verdicts import _ranking


def table(gap_on_last: float, n_runs: int = 12) -> ogive.Trials:
    rng = np.random.default_rng(0)
    level = {"A": 0.8, "B": 0.7, "C": 0.5}
    rows = [
        (m, t, s, level[m] + (gap_on_last if (m, t) == ("A", "t4") else 0.0) + 0.01 * rng.normal())
        for m in level for t in ("t1", "t2", "t3", "t4") for s in range(n_runs)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"])
    return ogive.read(frame, bounds=(0, 1), unit="row", varied="seed")


def test_a_ranking_names_the_task_on_which_a_pair_is_the_other_way_round():
    ranking = ogive.rank(table(-0.15))
    (found,) = ranking.reversals
    assert (found.better, found.worse, found.task) == ("A", "B", "t4")
    assert found.difference.high < 0.0
    assert found.difference.estimate == pytest.approx(-0.05, abs=0.02)
    assert "the other way round: B is better than A on t4" in ranking.verdict
    assert [r["task"] for r in ranking.to_dict()["reversals"]] == ["t4"]


def test_a_ranking_of_two_names_what_their_comparison_names():
    trials = table(-0.15)
    compared = ogive.compare(trials, "A", "B")
    ranking = ogive.rank(trials.select(algorithms=["A", "B"]))
    assert [t.task for t in compared.tasks if t.conclusion == "worse"] == ["t4"]
    assert "worse on 1 (t4)" in compared.verdict
    assert [(r.task, r.difference) for r in ranking.reversals] == [("t4", compared.tasks[3].primary)]


def test_a_task_that_only_may_be_the_other_way_round_is_not_named():
    ranking = ogive.rank(table(-0.1))
    assert ranking.reversals == ()
    assert "other way round" not in ranking.verdict


def test_single_tasks_of_a_very_large_table_are_not_judged(monkeypatch):
    monkeypatch.setattr(_ranking, "MOST_SINGLE", 5)
    assert ogive.rank(table(-0.15)).reversals is None


def test_guaranteed_verdicts_on_single_tasks_are_asked_of_smaller_tables_only(monkeypatch):
    monkeypatch.setattr(_ranking, "MOST_GUARANTEED", 5)
    assert ogive.rank(table(-0.15, n_runs=60), guaranteed=True).reversals is None
