"""Columns as text and as numbers."""

import datetime
import json
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

import ogive
from ogive.errors import AmbiguousColumns, InvalidScores
from ogive.importers._columns import as_objects
from ogive.notes import NoteKind

VALUES = {
    "floats": [0.0, -0.0, 0.1, float("nan"), None, 0.1],
    "integers": [1, 2**60, 1, None, -3, 1],
    "truths": [True, False, None, True, True, False],
    "text": ['"', "ä\n", None, "", "x", "x"],
    "lists": [[1, 2], [], None, [1, 2], [3], [None]],
    "objects": [{"b": 1}, {"b": 2}, None, {"b": 1}, {"b": None}, {"b": 1}],
    "dates": [datetime.date(2020, 1, 2)] * 6,
    "decimals": [Decimal("1.50")] * 6,
    "nothing": [None] * 6,
}


@pytest.mark.parametrize("kind", VALUES)
def test_configurations_are_what_writing_row_by_row_gives(kind):
    columns = {"a": pa.chunked_array([VALUES[kind][:2], VALUES[kind][2:]], type=pa.array(VALUES[kind]).type)}
    columns["b,"] = pa.chunked_array([["x", "y", "x", "x", "y", "x"]]).dictionary_encode()
    rows = zip(*(column.to_pylist() for column in columns.values()), strict=True)
    expected = [json.dumps(dict(zip(columns, row, strict=True)), separators=(",", ":"), default=str) for row in rows]
    assert as_objects(columns).to_pylist() == expected


def test_a_configuration_that_occurs_often_is_written_once(monkeypatch):
    written = []
    encode = json.JSONEncoder.encode
    monkeypatch.setattr(json.JSONEncoder, "encode", lambda self, value: written.append(value) or encode(self, value))
    trials = ogive.read(pa.table({"param_lr": [0.1, 0.2] * 500, "score": [0.5] * 1000}), unit="row")
    assert trials.table["params"][1].as_py() == '{"param_lr":0.2}'
    assert len(written) < 10


def test_whole_numbers_that_floats_round_together_are_refused():
    big = pd.DataFrame({"model": list("aaabbb"), "score": [2**53 + i for i in range(6)]})
    with pytest.raises(InvalidScores, match=r"from 9007199254740992 to 9007199254740997.*subtract"):
        ogive.read(big)
    with pytest.raises(InvalidScores, match="subtract"):
        ogive.read(big.assign(score=[2**53, 2**53 + 1, 5, 6, 7, 8]))
    with pytest.raises(InvalidScores, match="subtract"):
        ogive.read(big.assign(score=[10**15 + i % 2 for i in range(6)]))


def test_whole_numbers_that_are_rounded_apart_are_said():
    big = pd.DataFrame({"model": list("aaabbb"), "score": [2**60 + 10**15 * i + 1 for i in range(6)]})
    note = next(n for n in ogive.read(big).notes if n.kind is NoteKind.INEXACT)
    assert note.is_warning
    assert note.values["n"] == 6
    exact = ogive.read(big.assign(score=[10**12 + i for i in range(6)]))
    assert not any(n.kind is NoteKind.INEXACT for n in exact.notes)


def test_true_among_numbers_of_json_is_no_score(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(f'{{"model": "a", "score": {score}}}\n' for score in ("0.5", "0.75", "true", "0.25")))
    with pytest.raises(InvalidScores, match=r"'score'.*row 3.*'true'"):
        ogive.read(path, score="score")


def test_a_negative_time_is_said_and_a_negative_cost_or_score_is_not():
    table = pd.DataFrame({"solver": list("aabb"), "wall time": [1.0, -1, 2, 3], "cost": [-1.0, 1, 2, 3]})
    notes = [str(n) for n in ogive.read(table, score="wall time").notes if n.kind is NoteKind.NEGATIVE_TIMES]
    assert notes == ["warning: 1 value of 'wall time' is below 0, which no time is, and counts as very good"]
    assert not any(n.kind is NoteKind.NEGATIVE_TIMES for n in ogive.read(table, score="cost").notes)


@pytest.mark.parametrize("times", [("cpu_time", "wall_time"), ("cpu_time", "fit_time")])
def test_times_that_are_the_only_numbers_are_named_and_asked_about(times):
    table = pd.DataFrame(
        {"solver": list("aabb"), "seed": [0, 1, 0, 1], **{name: [1.5, 2.5, 3.5, 4.5] for name in times}}
    )
    with pytest.raises(
        AmbiguousColumns, match=r"2 columns could be the score, a time or cost: .*choose it with score="
    ):
        ogive.read(table)
    assert ogive.read(table, score=times[0]).goals == {times[0]: "minimize"}


@pytest.mark.parametrize(
    ("yes", "no", "score"), [("right", "wrong", None), ("Correct", "incorrect", None), ("yes", "no", "answer")]
)
def test_words_for_right_and_wrong_are_read_as_one_and_nil(yes, no, score):
    rows = pd.DataFrame(
        {"model": ["a", "b"] * 4, "subject": ["math"] * 8, "answer": [yes, no, no, yes, yes, yes, None, no]}
    )
    trials = ogive.read(rows, score=score)
    assert trials.values("answer")[:6].tolist() == [1, 0, 0, 1, 1, 1]
    assert trials.failed("answer").tolist() == [False] * 6 + [True, False]
    assert any(n.kind is NoteKind.WORDS_READ for n in trials.notes)


def test_a_word_beside_right_and_wrong_is_refused_with_the_way_out():
    rows = pd.DataFrame({"model": ["a", "b"] * 2, "answer": ["right", "wrong", "unsure", "right"]})
    with pytest.raises(InvalidScores, match="write 1 for an answer that is right"):
        ogive.read(rows, score="answer")
