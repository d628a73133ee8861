"""Which rows are read: numbers compared in their column's own type, and what is said of it by every door."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.notes import NoteKind
from ogive.profiles import performance_profile, profile_table

LARGE = 2**53


def seeds(*values: int) -> str:
    return "model,number,score\n" + "".join(f"{m},{s},0.{i}\n" for i, s in enumerate(values) for m in "xyz")


@pytest.mark.parametrize("pair", [(LARGE + 1, LARGE), (2**64 - 1, 2**64 - 2), (2**90 + 1, 2**90)])
@pytest.mark.parametrize("sign", ["=", ">=", ">", "!="])
def test_whole_numbers_beyond_floats_are_told_apart(tmp_path: Path, pair, sign):
    (tmp_path / "s.csv").write_text(seeds(*pair))
    value = {"=": pair[0], ">=": pair[0], ">": pair[1], "!=": pair[1]}[sign]
    trials = ogive.read(tmp_path / "s.csv", where=f"number{sign}{value}", score="score", unit="row")
    assert len(trials) == 3
    assert trials.scores("x").tolist() == [0.0]


def test_whole_numbers_beyond_floats_are_told_apart_in_a_frame_too():
    frame = pd.DataFrame(
        {"model": ["x", "y"] * 4, "number": [LARGE, LARGE, LARGE + 1, LARGE + 1] * 2, "score": range(8)}
    )
    assert len(ogive.read(frame, score="score", where={"number": LARGE + 1}, unit="row")) == 4


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_a_decimal_is_found_in_a_column_of_any_width(kind):
    frame = pd.DataFrame(
        {
            "model": ["a", "b"] * 4,
            "lr": np.array([0.1, 0.1, 0.2, 0.2, 0.3, 0.3, np.nan, np.nan], kind),
            "score": range(8),
        }
    )
    assert len(ogive.read(frame, score="score", where="lr=0.1", unit="row")) == 2
    assert len(ogive.read(frame, score="score", where="lr<=0.2", unit="row")) == 4
    assert len(ogive.read(frame, score="score", where={"lr": [0.1, 0.3]}, unit="row")) == 4


@pytest.mark.parametrize(
    ("where", "n"),
    [
        ("k=2", 2),
        ("k=2.0", 2),
        ("k=2e0", 2),
        ("k<1.5", 4),
        ("k>=1.5", 4),
        ("k>-inf", 8),
        ("k>=0e999999999", 8),
        ("k>1e-999999999", 6),
    ],
)
def test_whole_numbers_are_compared_with_any_number(where, n):
    frame = pd.DataFrame({"model": ["a", "b"] * 4, "k": [0, 0, 1, 1, 2, 2, 3, 3], "score": range(8)})
    assert len(ogive.read(frame, score="score", where=where, unit="row")) == n


@pytest.mark.parametrize("value", ["1.5", "nan", "9e999"])
def test_a_number_that_a_column_of_whole_numbers_cannot_hold_is_refused(value):
    frame = pd.DataFrame({"model": ["a", "b"] * 4, "k": [0, 1] * 4, "score": range(8)})
    with pytest.raises(InputError, match=f"`where` k={value}: 'k' holds '0', '1'"):
        ogive.read(frame, score="score", where=f"k={value}", unit="row")


def kinds(notes) -> list[NoteKind]:
    return [note.kind for note in notes if note.kind in (NoteKind.ROWS_CHOSEN, NoteKind.METHODS_LEFT_OUT)]


def test_every_door_says_what_was_left_out(tmp_path: Path):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"problem": list("pqrstu"), "budget": [10, 20] * 3, **{m: rng.random(6) for m in "ABC"}})
    long = wide.melt(id_vars=["problem", "budget"], var_name="method", value_name="time")
    wide.to_csv(tmp_path / "wide.csv", index=False)
    long.to_csv(tmp_path / "long.csv", index=False)
    trials = ogive.read(long, score="time", unit="row")
    trials.write(tmp_path / "own.parquet")
    both = [NoteKind.ROWS_CHOSEN, NoteKind.METHODS_LEFT_OUT]
    for source, said in (
        (wide, {}),
        (long, {"score": "time"}),
        (tmp_path / "wide.csv", {}),
        (tmp_path / "long.csv", {"score": "time"}),
    ):
        found = performance_profile(profile_table(source, where="budget=10", without="C", **said), goal="minimize")
        assert (found.methods, kinds(found.reading)) == (("A", "B"), both)
    for own in (trials, tmp_path / "own.parquet"):
        read = ogive.read(own, where="task!=p", without="C")
        assert (read.algorithms, kinds(read.notes)) == (("A", "B"), both)
        for table in (read, profile_table(own, where="task!=p", without="C")):
            assert kinds(performance_profile(table, goal="minimize").reading) == both
    by_name = {m: wide[m].tolist() for m in "ABC"}
    assert kinds(performance_profile(profile_table(by_name, without="C"), goal="minimize").reading) == [
        NoteKind.METHODS_LEFT_OUT
    ]


def test_the_words_right_and_wrong_compare_as_the_numbers_that_they_stand_for():
    table = pd.DataFrame(
        {"model": list("abab"), "score": np.arange(4.0), "answer": ["right", "wrong", "wrong", "right"]}
    )
    assert ogive.read(table, score="score", unit="row", where="answer<1").values().tolist() == [1.0, 2.0]
