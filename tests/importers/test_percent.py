"""Percent beside fractions is asked about, and what is only larger is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.metric import is_share
from ogive.notes import NoteKind


def table(name: str, a: float = 80.0, b: float = 0.82, spread: float = 0.02) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    values = np.r_[a * (1 + spread * rng.normal(size=10)), b * (1 + spread * rng.normal(size=10))]
    return pd.DataFrame({"model": ["A"] * 10 + ["B"] * 10, "seed": [*range(10)] * 2, name: values})


@pytest.mark.parametrize("name", ["accuracy", "val_acc", "F1", "error_rate", "Genauigkeit", "top-1", "AUC"])
def test_one_method_in_percent_beside_one_in_fractions_is_asked_about(name):
    trials = ogive.read(table(name), score=name)
    assert trials.question.kind is NoteKind.ASKS_PERCENT
    with pytest.raises(InputError, match=r"'B'.*'A'.*bounds=\(0, 100\)"):
        ogive.compare(trials, "A", "B")
    assert ogive.read(table(name), score=name, bounds=(0, 100)).question is None
    assert ogive.read(table(name, b=82), score=name).question is None


@pytest.mark.parametrize("name", ["score", "return", "value"])
def test_of_other_names_it_is_a_warning(name):
    trials = ogive.read(table(name), score=name)
    assert trials.question is None
    assert any(n.kind is NoteKind.MIXED_SCALES and n.is_warning for n in trials.notes)


@pytest.mark.parametrize(
    ("name", "a", "b"), [("time", 80, 0.8), ("loss", 80, 0.8), ("error_rate", 3.0, 0.6), ("return", 50, 0.1)]
)
def test_what_may_well_be_so_much_larger_is_not_asked_about(name, a, b):
    trials = ogive.read(table(name, a, b), score=name)
    assert trials.question is None
    assert NoteKind.MIXED_SCALES not in {n.kind for n in trials.notes}


def test_a_method_without_any_score_is_on_no_side():
    rows = table("accuracy", b=82).assign(accuracy=lambda t: t.accuracy.where(t.model == "A") / 100)
    assert ogive.read(rows).question is None


@pytest.mark.parametrize("name", ["bitrate", "frame_rate", "learning rate", "heart_rate"])
def test_a_rate_that_is_no_share_blocks_nothing(name):
    assert ogive.read(table(name, 2.0, 0.5, spread=0.1), score=name).question is None


@pytest.mark.parametrize(
    "name", ["error_rate", "win rate", "winrate", "successRate", "solve_rates", "Fehlerrate", "rate of success"]
)
def test_a_rate_of_what_succeeds_or_fails_is_a_share(name):
    assert is_share(name)


@pytest.mark.parametrize("bounds", [(0, None), (0, 100), (None, 1000), (-5, 500)])
def test_whoever_says_bounds_has_answered(bounds):
    trials = ogive.read(table("accuracy"), score="accuracy", bounds=bounds)
    assert trials.question is None
    assert NoteKind.MIXED_SCALES not in {n.kind for n in trials.notes}
