"""Wide tables: each column of numbers is a method."""

from pathlib import Path

import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.profiles import performance_profile, profile_table

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


@pytest.mark.parametrize(
    ("name", "held", "where"),
    [
        ("budget", [10, 20, 10, 20], "budget=10"),
        ("budget", [10, 20, 10, 20], "budget<=10"),
        ("settings", ["default", "fast", "default", "fast"], "settings=default"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_the_column_that_chose_the_rows_is_no_method(tmp_path: Path, name, held, where, first):
    problems = {"problem": list("pqrs")}
    columns = {name: held, **problems} if first else {**problems, name: held}
    table = pd.DataFrame({**columns, "svm": [0.8, 0.9, 0.7, 0.6], "knn": [0.6, 0.5, 0.4, 0.3]})
    table.to_csv(tmp_path / "wide.csv", index=False)
    for source in (table, tmp_path / "wide.csv"):
        trials = ogive.read(source, wide=True, where=where)
        assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("p", "r"))
        for read in (trials, profile_table(source, wide=True, where=where)):
            found = performance_profile(read, goal="minimize")
            assert (found.methods, len(found.problems)) == (("svm", "knn"), 2)


def test_a_column_that_chose_rows_and_still_varies_is_said_to_be_unused():
    table = pd.DataFrame({"problem": list("pqr"), "budget": [10, 20, 30], **SCORES})
    trials = ogive.read(table, wide=True, where="budget>10")
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": ("budget",)}) in trials.notes


@pytest.mark.parametrize("name", ["problem", "cases"])
def test_the_column_that_names_the_rows_may_choose_them(name):
    table = pd.DataFrame({name: list("pqr"), **SCORES})
    assert ogive.read(table, wide=True, where=f"{name}!=q").tasks == ("p", "r")
    found = performance_profile(profile_table(table, where=f"{name}!=q"), "difference")
    assert (found.methods, found.problems) == (("svm", "knn"), ("p", "r"))


def test_methods_that_are_named_may_choose_rows():
    table = pd.DataFrame({"problem": list("pqr"), **SCORES})
    assert ogive.read(table, wide=True, score=["svm", "knn"], where="svm>0.75").algorithms == ("svm", "knn")


def test_words_among_the_numbers_of_a_wide_frame_are_refused_with_a_sentence():
    table = pd.DataFrame({"problem": list("pqr"), "svm": [0.8, "timeout", 0.7], "knn": [0.6, 0.5, 0.4]})
    with pytest.raises(InputError, match=r"'svm'.*'timeout'"):
        profile_table(table, where="problem!=p")
