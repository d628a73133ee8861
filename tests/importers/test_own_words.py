"""The word in a status column is kept: "diverged" is an error, and is called diverged."""

import pandas as pd
import pytest

import ogive
from ogive.errors import FailedTrials


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
