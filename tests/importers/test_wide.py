"""Wide tables: each column of numbers is a method."""

from pathlib import Path

import pandas as pd
import pytest

import ogive
from ogive.notes import Note, NoteKind

SCORES = {"svm": [0.8, 0.9, 0.7], "knn": [0.6, 0.5, 0.4]}


@pytest.mark.parametrize("name", ["index", "Unnamed: 0", "level_0", "__index_level_0__"])
def test_row_numbers_are_no_method_and_are_said_to_be_unused(name):
    trials = ogive.read(pd.DataFrame({name: [0, 1, 2], **SCORES}), wide=True)
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": (name,)}) in trials.notes


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_index_that_pandas_writes_is_no_method(tmp_path: Path, ending):
    path = tmp_path / f"wide.{ending}"
    kept = pd.DataFrame({"dataset": ["a", "b", "c"], **SCORES}).loc[[2, 0, 1]]
    kept.to_csv(path) if ending == "csv" else kept.to_parquet(path)
    trials = ogive.read(path, wide=True)
    assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("c", "a", "b"))


def test_names_that_pandas_writes_as_the_index_are_tasks(tmp_path: Path):
    pd.DataFrame(SCORES, index=["iris", "wine", "car"]).to_csv(tmp_path / "wide.csv")
    trials = ogive.read(tmp_path / "wide.csv", wide=True)
    assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("iris", "wine", "car"))


@pytest.mark.parametrize(("role", "name"), [("item", "question"), ("group", "passage"), ("status", "state")])
def test_what_is_said_of_a_row_keeps_its_role(role, name):
    said = {"item": [1, 2, 3], "group": [1, 2, 3], "status": ["ok", "failed", "ok"]}[role]
    trials = ogive.read(pd.DataFrame({name: said, **SCORES}), wide=True)
    assert trials.algorithms == ("svm", "knn")
    expected = {"status": ["ok", "error", "ok"]}.get(role, ["1", "2", "3"])
    assert trials.to_pandas()[role].tolist()[:3] == expected


def test_methods_that_were_not_chosen_are_said():
    trials = ogive.read(pd.DataFrame({**SCORES, "rf": [1.0, 2.0, 3.0]}), wide=True, score=["svm", "knn"])
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": ("rf",)}) in trials.notes
