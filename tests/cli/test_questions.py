"""compare, rank, check and report ask one question, with the same options and the same defaults."""

import html
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.cli import main
from ogive.cli._output import as_options

RNG = np.random.default_rng(1)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Two methods with twenty runs on each of two tasks, the second one better, between 0 and 1."""
    rows = [
        (m, t, i, round(float(RNG.beta(5 + 9 * j, 4)), 4)) for j, m in enumerate("ab") for t in "xy" for i in range(20)
    ]
    path = tmp_path / "scores.csv"
    pd.DataFrame(rows, columns=["model", "dataset", "run", "score"]).to_csv(path, index=False)
    return path


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Two methods that answer the same forty items."""
    hard = RNG.normal(size=40)
    rows = [(m, i, hard[i] + 0.1 * j + 0.01 * RNG.normal()) for j, m in enumerate("ab") for i in range(40)]
    path = tmp_path / "items.csv"
    pd.DataFrame(rows, columns=["model", "item", "score"]).to_csv(path, index=False)
    return path


def asked(capsys, *arguments: object) -> dict:
    assert main([*map(str, arguments), "--unit", "row", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", ["compare", "rank"])
@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        ([], "improvement"),
        (["--bounds", "0,1"], "mean"),
        (["--bounds", "0,"], "improvement"),
        (["--margin", "0.02"], "mean"),
        (["--bounds", "0,1", "--criterion", "improvement"], "improvement"),
        (["--criterion", "q0.1"], "q0.1"),
    ],
)
def test_what_decides_is_the_same_for_two_methods_as_for_all(command, options, criterion, scores, capsys):
    assert asked(capsys, command, scores, *options)["criterion"] == criterion


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_an_answer_speaks_of_these_tasks_or_of_tasks_like_these(command, scores, capsys):
    assert asked(capsys, command, scores)["over"] == "fixed"
    assert asked(capsys, command, scores, "--over", "sample")["over"] == "sample"
    assert asked(capsys, command, scores, "--on", "x")["over"] is None


def test_the_four_questions_have_the_same_names_everywhere(scores, capsys):
    names = ["a typical run", "on average", "on a bad day", "after 8 tries"]
    for command in ("compare", "rank"):
        found = asked(capsys, command, scores)["questions"]
        assert [q["name"] for q in found] == names
        assert [q["primary"] for q in found] == [True, False, False, False]


def test_two_methods_are_decided_alike_by_compare_and_rank(scores, capsys):
    one = asked(capsys, "compare", scores, "--a", "b", "--b", "a")
    all_of_them = asked(capsys, "rank", scores)
    assert all_of_them["pairs"][0]["conclusion"] == one["conclusion"] == "better"
    assert all_of_them["pairs"][0]["difference"]["low"] == pytest.approx(one["primary"]["low"], rel=1e-12)


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_pairs_can_be_taken_apart(command, items, capsys):
    """A tenth of the items' spread is certain pair by pair, and lost between fresh runs."""

    def conclusion(*options: str) -> str:
        found = asked(capsys, command, items, "--criterion", "mean", *options)
        return found["conclusion"] if command == "compare" else found["pairs"][0]["conclusion"]

    assert conclusion() in ("worse", "better")
    assert conclusion("--unpaired") == "cannot tell"


def test_a_seed_joins_rows_only_when_asked_for(tmp_path: Path, capsys):
    rows = [(m, i, float(i + j)) for j, m in enumerate("ab") for i in range(20)]
    path = tmp_path / "seeds.csv"
    pd.DataFrame(rows, columns=["model", "seed", "score"]).to_csv(path, index=False)
    assert asked(capsys, "compare", path)["paired"] is False
    assert asked(capsys, "compare", path, "--pair", "seed")["paired"] is True


def test_a_report_asks_what_it_is_told_to_ask(scores, tmp_path: Path, capsys):
    page = tmp_path / "r.html"
    options = ["--unit", "row", "--criterion", "median", "--over", "sample", "--quiet"]
    assert main(["report", str(scores), "--out", str(page), *options]) == 0
    said = ogive.compare(ogive.read(scores, unit="row"), "b", "a", criterion="median", over="sample")
    told = html.unescape(page.read_text(encoding="utf-8")).replace("\u00a0", " ")
    assert all(part in told for part in said.parts)


def test_a_gate_is_decided_by_a_statistic_in_units_of_the_score(scores, capsys):
    gate = [
        "check",
        str(scores),
        "--baseline",
        str(scores),
        "--method",
        "a",
        "--margin",
        "0.9",
        "--unit",
        "row",
        "--json",
    ]
    assert main([*gate, "--criterion", "median"]) == 0
    assert json.loads(capsys.readouterr().out)["criterion"] == "median"
    assert main([*gate, "--criterion", "improvement"]) == 2
    assert "`criterion` of a gate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--over", "all"], ["fixed", "sample", "'all'"]),
        (["--criterion", "average"], ["'average'", "median"]),
        (["--guaranteed", "--criterion", "mean"], ["--bounds"]),
        (["--guaranteed", "--criterion", "iqm", "--bounds", "0,1"], ["no interval that always holds"]),
        (["--margin", "-1"], ["positive"]),
    ],
    ids=lambda value: " ".join(value),
)
@pytest.mark.parametrize("command", ["compare", "rank"])
def test_questions_that_cannot_be_asked_are_refused_in_one_line(command, options, said, scores, capsys):
    assert main([command, str(scores), "--unit", "row", *options]) == 2
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.startswith("ogive: ")
    assert all(words in told for words in said)


def test_a_single_run_on_a_task_is_no_fixed_task_and_the_way_out_is_an_option(tmp_path: Path, capsys):
    rows = [(m, t, float(j)) for j, m in enumerate("ab") for t in "xyz"]
    path = tmp_path / "single.csv"
    pd.DataFrame(rows, columns=["model", "dataset", "score"]).to_csv(path, index=False)
    assert main(["rank", str(path), "--unit", "row", "--over", "fixed"]) == 2
    assert "--over sample" in capsys.readouterr().err


def test_advice_names_the_options_of_a_question():
    assert as_options("say criterion='mean', or pair=") == "say --criterion mean, or --pair"


def test_a_gate_divides_its_error_among_looks_and_leaves_pairs_apart_where_asked(tmp_path: Path, capsys):
    names = [f"q{i}" for i in range(30)]
    for file, seed in (("new", 1), ("old", 2)):
        scores = np.linspace(0, 1, 30) + np.random.default_rng(seed).normal(0, 0.01, 30)
        pd.DataFrame({"question": names, "score": scores}).to_csv(tmp_path / f"{file}.csv", index=False)
    gate = ["check", str(tmp_path / "new.csv"), "--baseline", str(tmp_path / "old.csv"), "--margin", "0.1", "--json"]

    def asked(*options):
        code = main([*gate, *options])
        (row,) = json.loads(capsys.readouterr().out)["rows"]
        return code, row["paired"], round(row["primary"]["confidence"], 6)

    assert asked() == (0, True, 0.95)
    assert asked("--looks", "5") == (0, True, 0.99)
    assert asked("--unpaired") == (4, False, 0.95)
    assert main([*gate, "--looks", "0"]) == 2
    assert "`looks` must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "rank", "check", "report"])
def test_help_names_what_decides_and_flows(command, capsys):
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert "--criterion" in told
    assert "--guaranteed" in told
    assert "--over" in told
