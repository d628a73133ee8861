"""name -> scores, name -> task -> scores, rliable's name -> runs x tasks."""

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError, UnreadableSource


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series])
def test_a_name_with_scores_is_a_method_on_one_task(kind):
    trials = ogive.read({"svm": kind([0.1, 0.2]), 7: kind([0.3])})
    assert trials.algorithms == ("svm", "7")
    assert trials.tasks == ("all",)
    assert trials.scores("svm").tolist() == [0.1, 0.2]


def test_a_name_with_tasks_has_scores_on_each():
    trials = ogive.read({"svm": {"iris": [0.1, 0.2], "wine": [0.3]}, "knn": {"iris": [0.4]}})
    assert trials.tasks == ("iris", "wine")
    assert trials.scores("svm", "wine").tolist() == [0.3]


def test_a_two_dimensional_array_is_runs_by_tasks():
    scores = np.arange(6.0).reshape(3, 2)
    trials = ogive.read({"DER": scores}, task=["Alien", "Pong"])
    assert trials.tasks == ("Alien", "Pong")
    assert trials.scores("DER", "Pong").tolist() == [1.0, 3.0, 5.0]
    assert ogive.read({"DER": scores}).tasks == ("task 1", "task 2")


def test_lists_mean_what_an_array_of_the_same_numbers_means():
    scores = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    for value in (scores, np.array(scores), [np.array(run) for run in scores], tuple(map(tuple, scores))):
        trials = ogive.read({"DER": value})
        assert trials.tasks == ("task 1", "task 2", "task 3")
        assert trials.scores("DER", "task 2").tolist() == [2.0, 5.0]


def test_runs_without_a_score_on_every_task_are_refused():
    with pytest.raises(InputError, match=r"'DER'.*1 to 3"):
        ogive.read({"DER": [[1.0, 2.0, 3.0], [4.0]], "SPR": [[1.0, 2.0], [3.0, 4.0]]})


def test_a_series_with_labels_names_its_tasks():
    trials = ogive.read({"a": pd.Series({"x": 0.1, "y": 0.2}), "b": {"x": 0.3, "y": [0.4]}})
    assert trials.tasks == ("x", "y")
    assert trials.scores("b", "y").tolist() == [0.4]
    assert ogive.read({"a": pd.Series([0.1, 0.2])}).tasks == ("all",)


def test_nan_and_none_are_failed_runs():
    trials = ogive.read({"a": [0.1, float("nan"), None], "b": np.array([[1.0], [np.inf]])})
    assert trials.failed().tolist() == [False, True, True, False, True]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "the dictionary is empty"),
        ({"a": []}, "'a' has no scores; leave it out"),
        ({"a": {"x": [1.0], "y": []}}, "'a' has no scores on 'y'"),
        ({"a": 0.5}, "must be a list, or runs x tasks"),
        ({"a": "0.5"}, "the scores of 'a' must be"),
        ({"a": ["fast", "slow"]}, "the scores of 'a' must be numbers"),
        ({"a": np.zeros((2, 2, 2))}, r"got shape \(2, 2, 2\)"),
        ({"a": None}, "must be a list, or runs x tasks"),
    ],
)
def test_a_dictionary_without_scores_is_refused(source, message):
    with pytest.raises(UnreadableSource, match=message):
        ogive.read(source)


def test_task_names_must_fit_the_array():
    with pytest.raises(InputError, match=r"`task`.*1.*'a'.*2"):
        ogive.read({"a": np.zeros((3, 2))}, task=["x"])


def test_keys_that_are_written_alike_are_not_one_name():
    with pytest.raises(InputError, match="written '1'"):
        ogive.read({1: [0.1, 0.2], "1": [0.3, 0.4]})
    with pytest.raises(InputError, match=r"'a'.*written '1'"):
        ogive.read({"a": {1: [0.1, 0.2], "1": [0.3, 0.4]}})


def test_names_of_tasks_are_used_or_refused():
    assert ogive.read({"a": [0.1, 0.2]}, task=["iris"]).tasks == ("iris",)
    with pytest.raises(InputError, match=r"`task`.*2.*'a'.*1"):
        ogive.read({"a": [0.1, 0.2]}, task=["iris", "wine"])
    with pytest.raises(InputError, match=r"`task`.*'a'.*'iris'"):
        ogive.read({"a": {"iris": [0.1, 0.2]}}, task=["wine"])
    with pytest.raises(InputError, match="`task`"):
        ogive.read({"a": {"params": [{}, {}], "mean_test_score": [0.1, 0.2]}}, task=["wine"])
