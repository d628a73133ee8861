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
