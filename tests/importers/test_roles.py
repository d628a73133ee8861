"""Which column plays which role, where its name does not say; and what the words of a status column become."""

from pathlib import Path

import pandas as pd
import pytest

import ogive
from ogive.errors import AmbiguousColumns, FailedTrials, InvalidScores


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        (["0,81", "0,84", "0,79"], "0,81"),
        (["0.81", "failed", "0.79"], "failed"),
        (["1,234", "1,250", "1,190"], "1,234"),
        (["81 %", "84 %", "79 %"], "81 %"),
    ],
    ids=["decimal commas", "a word", "thousands", "percent"],
)
def test_a_score_that_arrives_as_text_is_not_passed_over_for_another_number(tmp_path: Path, values, odd):
    frame = pd.DataFrame({"model": ["a", "b", "c"], "acc": values, "epochs": [3, 4, 5]})
    frame.to_csv(tmp_path / "s.csv", sep=";", index=False)
    for source in (frame, frame.astype({"acc": "category"}), tmp_path / "s.csv"):
        with pytest.raises(AmbiguousColumns, match=rf"2 columns could be .* 'acc', 'epochs'.* text such as '{odd}'\."):
            ogive.read(source)
    assert ogive.read(frame, score="epochs").metrics == ("epochs",)


def test_text_that_is_no_number_is_no_score():
    frame = pd.DataFrame({"model": list("abc"), "date": ["2024-01-02", "", "nan"], "id": ["f3", "9", "e7"]})
    frame["code"] = ["001", "002", "003"]
    assert ogive.read(frame.assign(acc=[0.1, 0.2, 0.3])).metrics == ("acc",)


def test_in_a_wide_table_a_method_with_decimal_commas_does_not_name_the_tasks():
    frame = pd.DataFrame({"svm": ["0,8", "0,9"], "knn": [0.6, 0.5]})
    trials = ogive.read(frame, wide=True)
    assert (trials.tasks, trials.scores("svm").tolist()) == (("all",), [0.8, 0.9])
    with pytest.raises(InvalidScores, match=r"'svm'.*row 2.*'x'"):
        ogive.read(frame.assign(svm=["0,8", "x"], ada=["0,7", "0,6"]), wide=True, score=["svm", "knn"])


def test_an_empty_column_is_the_score_only_where_no_other_is_left():
    empty = pd.DataFrame({"model": ["a", "b"], "loss": [float("nan")] * 2})
    assert ogive.read(empty).failed().all()
    assert ogive.read(empty.assign(acc=[0.1, 0.2])).metrics == ("acc",)


@pytest.mark.parametrize(
    ("others", "score"),
    [
        (("lr",), "accuracy"),
        (("patient", "visit"), "auc"),
        (("lr",), "val_loss"),
        (("width",), "test_score"),
        (("lr",), "f1"),
    ],
)
def test_a_column_that_is_called_a_score_wins_over_numbers_that_are_not(others, score):
    numbers = {name: [0.1, 0.2, 0.3, 0.4] for name in others}
    table = pd.DataFrame({"model": list("aabb"), **numbers, score: [0.5, 0.75, 0.6, 0.7]})
    trials = ogive.read(table, unit="row")
    assert trials.metrics == (score,)
    said = f"score: column {score!r} (guessed from its name, rather than {', '.join(map(repr, others))})"
    assert said in map(str, trials.notes)


@pytest.mark.parametrize("names", [("accuracy", "auc"), ("lr", "width"), ("accuracy", "loss")])
def test_several_columns_that_are_called_scores_and_several_that_are_not_are_asked_about(names):
    table = pd.DataFrame({"model": list("aabb"), **{name: [0.5, 0.75, 0.6, 0.7] for name in names}})
    with pytest.raises(AmbiguousColumns, match=f"2 columns could be the score: '{names[0]}', '{names[1]}'"):
        ogive.read(table)


def table(**columns) -> pd.DataFrame:
    scores = [0.9, None, 0.8, 0.7, 0.75, None]
    return pd.DataFrame({"model": list("aaabbb"), "seed": [1, 2, 3] * 2, "accuracy": scores, **columns})


def test_the_word_of_a_status_column_is_the_message_of_a_failed_run():
    trials = ogive.read(table(status=["ok", "Diverged", "ok", "ok", "ok", "timeout"]))
    assert [(f["algorithm"], f["status"], f["message"]) for f in trials.failures()] == [
        ("a", "error", "Diverged"),
        ("b", "timeout", "no finite score"),
    ]


def test_a_refusal_says_the_words():
    trials = ogive.read(table(status=["ok", "diverged", "ok", "ok", "ok", "diverged"]))
    with pytest.raises(FailedTrials, match="'diverged' in 2"):
        ogive.summarize(trials)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"status": ["ok", "diverged", "ok", "ok", "ok", "ok"], "message": [None, "loss is NaN", None, None, None, None]}, "loss is NaN"),
        ({"converged": ["yes", "no", "yes", "yes", "yes", "no"]}, "no finite score"),
        ({"status": ["done"] * 6}, "no finite score"),
    ],
)  # fmt: skip
def test_a_message_says_more_than_a_status_and_yes_or_no_says_nothing(columns, message):
    assert ogive.read(table(**columns)).failures()[0]["message"] == message
