"""leaders: what a results table prints bold."""

import numpy as np
import pytest

import ogive
from ogive.errors import InputError


def table(**facts):
    rng = np.random.default_rng(0)
    means = {"good": 1.0, "as good": 0.98, "bad": 0.0}
    return ogive.read({m: {t: rng.normal(v, 0.2, 30) for t in "xy"} for m, v in means.items()}, unit="row", **facts)


def test_methods_that_cannot_be_told_apart_from_the_best_lead():
    assert {task: set(names) for task, names in ogive.answers.leaders(table()).items()} == {
        t: {"good", "as good"} for t in "xy"
    }


def test_for_losses_the_smallest_mean_leads():
    assert ogive.answers.leaders(table(goal="minimize")) == {"x": ("bad",), "y": ("bad",)}


def test_the_table_prints_leaders_bold_and_says_so():
    trials = table()
    text = ogive.summarize(trials).to_latex(bold=ogive.answers.leaders(trials))
    assert text.count(r"\mathbf") == 4
    assert "Bold: " in text
    assert r"\mathbf" not in ogive.summarize(trials).to_latex()


def test_bold_marks_the_numbers_of_the_criterion_that_decided_and_no_others():
    trials = table(bounds=(-10, 10))
    summary, found = ogive.summarize(trials, statistics=["median", "mean", "q0.95"]), ogive.answers.leaders(trials)
    marked = {s: summary.to_latex(statistic=s, bold=found) for s in ("median", "mean", "q0.95")}
    assert {s: text.count(r"\mathbf") for s, text in marked.items()} == {"median": 0, "mean": 4, "q0.95": 0}
    assert [s for s, text in marked.items() if "Bold: by mean, no other" in text] == ["mean"]
    assert sum("Bold" in text for text in marked.values()) == 1


def test_bold_by_improvement_marks_one_table_and_says_that_it_is_not_by_its_numbers():
    trials = table()
    summary, found = ogive.summarize(trials, statistics=["mean", "q0.95"]), ogive.answers.leaders(trials)
    assert found.criterion.name == "improvement"
    assert "not by the numbers shown" in summary.to_latex(bold=found)
    assert "bf" not in summary.to_latex(statistic="q0.95", bold=found)


def test_nothing_is_bold_on_a_task_where_nothing_can_be_told():
    rng = np.random.default_rng(1)
    sure = {"a": rng.normal(0, 0.1, 20), "b": rng.normal(5, 0.1, 20)}
    open_ = {m: rng.normal(0, 1, 20) for m in "ab"}
    both = ogive.read({m: {"sure": sure[m], "open": open_[m]} for m in "ab"}, unit="row")
    text = ogive.summarize(both).to_latex(bold=ogive.answers.leaders(both))
    assert text.count(r"\mathbf") == 1
    assert "Where nothing is bold, it cannot be told which methods are best." in text
    alone = ogive.read({m: {"open": open_[m], "other": open_[m][::-1]} for m in "ab"}, unit="row")
    text = ogive.summarize(alone).to_latex(bold=ogive.answers.leaders(alone))
    assert r"\mathbf" not in text
    assert "Nothing is bold: judged by how often a run beats" in text
    assert "Bold: " not in text


def test_bold_of_a_mapping_marks_what_it_says_and_claims_nothing():
    text = ogive.summarize(table()).to_latex(bold={"x": ["bad"]})
    assert text.count(r"\mathbf") == 1
    assert "certainly" not in text


def test_a_method_alone_has_no_rivals():
    with pytest.raises(InputError):
        ogive.answers.leaders(ogive.read({"a": [1.0, 2.0]}, unit="row"))


@pytest.mark.statistical
def test_equal_methods_are_seldom_excluded_although_the_best_is_chosen_after_looking():
    rng = np.random.default_rng(0)
    tables = [ogive.read({f"m{i}": rng.normal(size=20) for i in range(10)}, unit="row") for _ in range(120)]
    excluded = sum(len(ogive.answers.leaders(t)["all"]) < 10 for t in tables)
    assert excluded <= 13  # at 5 % the chance of more is below 1 %


def test_methods_in_a_circle_lead_together_as_in_the_first_tier():
    dice = {"A": [2.0, 4, 9], "B": [1.0, 6, 8], "C": [3.0, 5, 7], "D": [0.0, 0.5, 1]}
    trials = ogive.read({name: faces * 400 for name, faces in dice.items()}, unit="row")
    ranking = ogive.rank(trials, criterion="improvement")
    assert ranking.cycles == (("A", "B", "C"),)
    assert [r.tier for r in ranking.rows] == [1, 1, 1, 2]
    assert ogive.answers.leaders(trials, criterion="improvement") == {"all": ("A", "B", "C")}
    assert set(ranking.leaders) == {"A", "B", "C"}


def test_a_method_that_failed_throughout_leads_nowhere():
    t = ogive.read({"a": [1.0, 2, 3], "b": [1.0, 2, 2], "c": [np.nan] * 3}, unit="row")
    assert ogive.answers.leaders(t, failures="exclude") == {"all": ("a", "b")}


def many(seed):
    rng = np.random.default_rng(seed)
    means = {f"m{i}": 0.5 + 0.05 * i for i in range(8)}
    return ogive.rank(ogive.read({m: rng.normal(v, 0.02, 20) for m, v in means.items()}, unit="row"))


@pytest.mark.parametrize("seed", range(4))
def test_no_method_is_ahead_on_a_bad_day_before_an_unbeaten_one_with_a_better_estimate(seed):
    ranking = many(seed)
    bad = ranking.questions["on a bad day"]
    named = bad.ahead or bad.leaders
    assert len(bad.leaders) > 1  # 20 runs hold two of a worst tenth
    assert list(named) == sorted(bad.leaders, key=lambda m: -bad.scores[m])
    assert named[0] == max(bad.scores, key=lambda m: bad.scores[m])
    assert not ranking.disagreement
    assert "instead" not in ranking.verdict


def test_another_method_is_ahead_instead_only_where_the_leader_is_certainly_beaten():
    rng = np.random.default_rng(0)
    collapses = np.where(np.arange(400) % 5 == 0, 0.1, 0.9) + rng.normal(0, 0.01, 400)
    steady = rng.normal(0.8, 0.01, 400)
    ranking = ogive.rank(ogive.read({"a": collapses, "b": steady, "c": rng.normal(0.3, 0.01, 400)}, unit="row"))
    bad = ranking.questions["on a bad day"]
    assert ranking.leaders == ("a",)
    assert bad.leaders == bad.ahead == ("b",)
    assert ranking.disagreement["on a bad day"] == ("b",)
    assert "b is ahead instead" in ranking.verdict
