"""Words where numbers should be: read as what they are, or refused with the way out of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.cli import main
from ogive.errors import AmbiguousColumns, InvalidScores
from ogive.notes import NoteKind


def kinds(trials: ogive.Trials) -> set[NoteKind]:
    return {note.kind for note in trials.notes}


def times(*words: str) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    held = [*words, *(f"{t:.2f}" for t in rng.uniform(1, 500, 24 - len(words)))]
    return pd.DataFrame({"solver": ["a", "b"] * 12, "problem": [f"p{i // 2}" for i in range(24)], "time": held})


@pytest.mark.parametrize(
    "words", [("TO",), ("timeout", "Time-Out"), (">900", "TO"), ("\u2265 900 s",), ("time_limit",)]
)
def test_words_for_a_time_limit_are_timeouts_where_one_is_given_and_asked_about_where_not(words):
    table = times(*words)
    with pytest.raises(AmbiguousColumns, match=rf"'time' marks runs.*{words[0]}.*time_limit="):
        ogive.read(table)
    trials = ogive.read(table, time_limit=900)
    assert trials.to_pandas().status.tolist() == ["timeout"] * len(words) + ["ok"] * (24 - len(words))
    note = next(n for n in trials.notes if n.kind is NoteKind.TIMEOUTS_READ)
    assert (note.values["n"], note.is_doubtful) == (len(words), True)
    wide = pd.DataFrame(
        {"problem": [f"p{i}" for i in range(12)], "a": table.time[::2].tolist(), "b": table.time[1::2].tolist()}
    )
    assert ogive.read(wide, wide=True, time_limit=900, goal="minimize").failed().sum() == len(words)


def test_a_time_beyond_less_than_the_limit_did_not_reach_it():
    with pytest.raises(InvalidScores, match=r"'>300'.*900"):
        ogive.read(times(">300"), time_limit=900)


def test_means_with_a_spread_are_no_runs_and_the_command_that_takes_them_is_named(tmp_path: Path, capsys):
    table = pd.DataFrame(
        {
            "Method": ["X", "Y", "Z"],
            "C10": ["94.9 ± 0.7", "89.0 ± 0.9", "91.2 ± 1.1"],
            "C100": ["71.7 +/- 0.1", "60.1 ± 0.4", "66 ± 0.2"],
        }
    )
    path = tmp_path / "paper.csv"
    table.to_csv(path, index=False)
    for said in ([], ["--wide"], ["--score", "C10"]):
        assert main(["compare", str(path), *said]) == 2
        assert "means with a spread" in (seen := capsys.readouterr().err)
        assert "ogive profile" in seen
        assert "--wide" not in seen
    assert main(["profile", str(path), "--n", "5", "--kind", "difference", "-q"]) == 0
    assert "X" in capsys.readouterr().out


def test_yes_and_no_of_what_is_right_is_the_score_where_nothing_else_could_be():
    rows = pd.DataFrame(
        {
            "question_id": [f"q{i}" for i in range(12)] * 2,
            "model": ["x"] * 12 + ["y"] * 12,
            "correct": ["yes", "no"] * 12,
        }
    )
    trials = ogive.read(rows)
    assert (trials.metrics, trials.pair, trials.goals) == (("correct",), "question_id", {"correct": "maximize"})
    assert NoteKind.WORDS_READ in kinds(trials)
    assert ogive.read(rows.assign(score=np.arange(24.0))).metrics == ("score",)


def test_a_word_among_judgments_is_named_with_the_words_that_are_read():
    rows = pd.DataFrame(
        {
            "model": ["x", "y"] * 6,
            "question_id": np.arange(12) // 2,
            "verdict": ["correct", "incorrect", "refused", "correct"] * 3,
        }
    )
    with pytest.raises(InvalidScores, match=r"'verdict'.*row 3 holds 'refused'.*right, correct.*wrong, incorrect"):
        ogive.read(rows)


def test_a_proof_that_there_is_no_solution_is_an_answer_and_is_said():
    table = times().assign(status=["optimal", "infeasible", "unbounded", "time_limit"] * 6)
    trials = ogive.read(table)
    assert trials.to_pandas().status.tolist() == ["ok", "ok", "ok", "timeout"] * 6
    note = next(n for n in trials.notes if n.kind is NoteKind.PROVEN)
    assert (note.values["words"], note.values["n"]) == (("infeasible", "unbounded"), 12)
    with pytest.raises(AmbiguousColumns, match=r"'weird'.*optimal.*infeasible.*time_limit"):
        ogive.read(table.assign(status=["optimal", "weird"] * 12))


def test_the_way_past_a_proof_spells_it_as_the_table_does(tmp_path: Path, capsys):
    table = times().assign(status=["optimal", "INFEASIBLE", "UNSAT", "Infeasible"] * 6)
    note = next(n for n in ogive.read(table).notes if n.kind is NoteKind.PROVEN)
    assert note.values["words"] == ("INFEASIBLE", "UNSAT", "Infeasible")
    said = ["status!=INFEASIBLE", "status!=UNSAT", "status!=Infeasible"]
    assert f"where={said!r} leaves such rows out" in str(note)
    assert len(ogive.read(table, where=said)) == 6
    table.to_csv(tmp_path / "t.csv", index=False)
    main(["rank", str(tmp_path / "t.csv")])
    written = capsys.readouterr()
    assert " ".join(f"--where '{one}'" for one in said) in written.out + written.err
    assert main(["inspect", str(tmp_path / "t.csv"), *(word for one in said for word in ("--where", one))]) == 0


@pytest.mark.parametrize("word", ["> 100s", ">100 s", ">=100S", "\u2265 100s", ">100"])
def test_a_time_beyond_less_than_the_limit_is_refused_with_its_unit_too(word):
    table = pd.DataFrame({"solver": list("aabb"), "time": ["1.5", word, "2.5", "3.5"]})
    with pytest.raises(InvalidScores, match="does not say that the run reached the time limit of 3600"):
        ogive.read(table, time_limit=3600)
    assert ogive.read(table, time_limit=100).to_pandas().status.tolist() == ["ok", "timeout", "ok", "ok"]


def test_the_limit_is_said_with_all_its_digits():
    table = pd.DataFrame({"solver": list("aabb"), "time": ["1.5", ">12345678s", "2.5", "3.5"]})
    with pytest.raises(AmbiguousColumns, match="say time_limit=12345678 to"):
        ogive.read(table)


def test_runs_without_a_solution_that_reached_the_limit_ran_out_of_time():
    table = pd.DataFrame({"solver": list("aabb"), "time": [1.0, 60, 5, 3], "found": [True, False, False, True]})
    assert ogive.read(table, time_limit=60).to_pandas().status.tolist() == ["ok", "timeout", "error", "ok"]
    said = table.assign(status=["ok", "crashed", "ok", "ok"])
    assert ogive.read(said, time_limit=60).to_pandas().status.tolist() == ["ok", "crashed", "error", "ok"]


@pytest.mark.parametrize("name", ["walltime", "duration", "cpu_time", "Laufzeit"])
def test_the_only_time_is_the_score_and_small_is_good(name):
    table = times().rename(columns={"time": name}).astype({name: float})
    trials = ogive.read(table)
    assert trials.goals == {name: "minimize"}
    assert not any(n.argument in ("wall_s", "cpu_s") for n in trials.notes)


def test_wide_is_not_offered_where_a_column_names_the_methods():
    table = pd.DataFrame({"model": list("aabb"), "x": [1.0, 2, 3, 4], "y": [1.0, 2, 3, 4]})
    with pytest.raises(AmbiguousColumns) as caught:
        ogive.read(table)
    assert "wide" not in str(caught.value)
    with pytest.raises(AmbiguousColumns, match="wide=True"):
        ogive.read(table.drop(columns="model"))
    assert ogive.read(table.rename(columns={"x": "sample"})).metrics == ("y",)


def test_inspect_shows_the_columns_of_a_table_that_it_cannot_read(tmp_path: Path, capsys):
    pd.DataFrame({"model": list("aabb"), "x": [1.0, 2, 3, 4], "y": [1.0, 2, 3, None]}).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert main(["inspect", str(tmp_path / "t.csv")]) == 2
    seen = capsys.readouterr()
    assert [line.split()[:4] for line in seen.out.splitlines() if line.startswith(("model", "y "))] == [
        ["model", "text", "2", "0"],
        ["y", "numbers", "3", "1"],
    ]
    assert "choose one with --score" in seen.err
    assert main(["inspect", str(tmp_path / "absent.csv")]) == 2
    assert capsys.readouterr().out == ""


def test_the_command_line_speaks_of_no_reading_apart(tmp_path: Path, capsys):
    times().drop(columns="problem").to_csv(tmp_path / "t.csv", index=False)
    assert main(["profile", str(tmp_path / "t.csv")]) == 2
    assert "name the column with --repeat" in (seen := capsys.readouterr().err)
    assert "when the table is read" not in seen
