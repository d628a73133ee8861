"""inspect, summary and plot as a user calls them."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import ogive
from ogive.cli import main
from ogive.cli._output import PatientStream, as_options

NAMES = [
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    'comma, "quote"',
    "日本語 🙂",
    "[bold]x[/bold]",
    "[/]",
    "very long " * 60,
    "tab\there",
    "\x9b31m",
    "\u202ertl",
    "=cmd()",
    "%s %d {x}",
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    rows = [
        (name, task, i, 0.5 + i / 100 + j / 50)
        for j, name in enumerate(NAMES)
        for task in ("x", NAMES[0])
        for i in range(3)
    ]
    pd.DataFrame(rows, columns=["model", "dataset", "run", "accuracy"]).to_csv(path, index=False)
    return path


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.csv"
    rows = [(name, i, 0.5 + i / 100 + j / 50) for j, name in enumerate(("svm", "knn")) for i in range(30)]
    pd.DataFrame(rows, columns=["model", "seed", "accuracy"]).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "arguments",
    [["inspect"], ["inspect", "--json"], ["summary"], ["summary", "--json"], ["summary", "--format", "markdown"],
     ["summary", "--format", "latex"]],
    ids=" ".join,
)  # fmt: skip
def test_names_of_every_kind_work_and_never_steer_the_terminal(arguments, table, capsys):
    assert main([*arguments, str(table)]) == 0
    captured = capsys.readouterr()
    for sign in ("\x1b", "\x9b", "\u202e", "\t"):
        assert sign not in captured.out + captured.err
    if "latex" not in arguments:
        assert "日本語 🙂" in captured.out
    if arguments[-1] in ("inspect", "summary"):
        assert "[bold]x[/bold]" in captured.out


def test_names_of_every_kind_are_drawn(table, tmp_path: Path, capsys):
    assert main(["plot", str(table), "--out", str(tmp_path / "p.png")]) == 0
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    assert all(line.startswith("read: ") for line in captured.err.splitlines())
    assert (tmp_path / "p.png").stat().st_size > 0


@pytest.mark.parametrize("command", ["inspect", "summary"])
def test_json_parses_and_has_the_promised_keys(command, plain, capsys):
    assert main([command, str(plain), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    assert {"source", "unit", "notes", "rows"} <= set(data)
    assert data["source"] == "plain.csv"


def test_json_keeps_names_as_they_are(table, capsys):
    assert main(["summary", str(table), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["algorithm"] for row in rows} == set(NAMES)


def test_the_command_line_says_what_the_library_says(plain, capsys):
    assert (
        main(
            [
                "summary",
                str(plain),
                "-s",
                "median",
                "-s",
                "worst_0.1",
                "--confidence",
                "0.9",
                "--bounds",
                "0,1",
                "--guaranteed",
            ]
        )
        == 0
    )
    trials = ogive.read(plain, bounds=(0, 1))
    expected = ogive.summarize(trials, statistics=["median", "worst_0.1"], confidence=0.9, guaranteed=True)
    assert capsys.readouterr().out == f"{expected}\n"
    assert main(["inspect", str(plain), "--bounds", "0,1"]) == 0
    assert capsys.readouterr().out == as_options(f"{ogive.inspect(trials)}\n")


def test_what_was_guessed_is_said_on_stderr_and_quiet_silences_it(plain, capsys):
    assert main(["summary", str(plain)]) == 0
    assert "read: score: column 'accuracy' (guessed)" in capsys.readouterr().err
    assert main(["summary", str(plain), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_every_role_can_be_said(tmp_path: Path, capsys):
    path = tmp_path / "s.csv"
    pd.DataFrame(
        {
            "who": ["a", "a", "b", "b"],
            "what": ["x"] * 4,
            "nr": [0, 1, 0, 1],
            "how": ["ok"] * 4,
            "lr": range(4),
            "f": [1, 2, 3, 4],
        }
    ).to_csv(path, index=False)
    arguments = ["--score", "f", "--algorithm", "who", "--task", "what", "--repeat", "nr", "--status", "how", "--param", "lr", "--pair", "nr",
                 "--unit", "row", "--varied", "lr", "--goal", "minimize", "--bounds", "0,", "--independent", "--quiet"]  # fmt: skip
    assert main(["summary", str(path), *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert json.loads(captured.out)["unit"] == "independent runs; varied: lr"


@pytest.mark.parametrize(("rule", "expected"), [("exclude", 0.6), ("worst", 0.4), ("0.3", 0.5), ("like:b", 0.5)])
def test_failures_count_by_the_rule(rule, expected, tmp_path: Path, capsys):
    path = tmp_path / "s.csv"
    path.write_text("model,seed,score\na,0,0.5\na,1,\na,2,0.7\nb,0,0.2\nb,1,0.3\nb,2,0.4\n")
    assert main(["summary", str(path), "--failures", rule, "--bounds", "0,1", "-s", "mean", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["rows"][0]
    assert (row["estimate"], row["n_failed"]) == (pytest.approx(expected), 1)


def test_latex_of_one_task_shows_every_statistic(plain, capsys):
    assert main(["summary", str(plain), "--format", "latex", "-s", "mean", "-s", "median", "-q"]) == 0
    assert "Method & mean & median" in capsys.readouterr().out


def test_latex_of_one_task_says_nothing_of_bold_names_that_it_does_not_print(tmp_path: Path, capsys):
    (tmp_path / "one.csv").write_text("method,accuracy\n" + "".join(f"a,0.{i}\n" for i in range(1, 9)))
    assert main(["summary", str(tmp_path / "one.csv"), "--format", "latex", "-s", "mean"]) == 0
    assert "bold" not in capsys.readouterr().err


def test_latex_has_a_table_for_each_metric_and_statistic_of_several_tasks(tmp_path: Path, capsys):
    path = tmp_path / "two.csv"
    rows = [(m, t, i, i / 9, 9 - i) for m in "ab" for t in ("x", "y") for i in range(6)]
    pd.DataFrame(rows, columns=["model", "dataset", "run", "acc", "loss"]).to_csv(path, index=False)
    asked = [
        "summary",
        str(path),
        "--score",
        "acc",
        "--score",
        "loss",
        "-s",
        "mean",
        "-s",
        "median",
        "--format",
        "latex",
    ]
    assert main([*asked, "-q"]) == 0
    text, err = capsys.readouterr()
    assert "mathbf" not in text  # equal methods
    assert "nothing is bold: runs of acc are compared by their order alone; declare its bounds with --bounds" in err
    assert re.findall(r"footnotesize (.*?)\.", text) == [
        f"{s} of {m}" for m in ("acc", "loss") for s in ("mean", "median")
    ]
    assert text.count("Method & x & y") == text.count(r"\begin{tabular}") == 4
    assert main([*asked, "-q", "--on", "x"]) == 0
    assert capsys.readouterr().out.count("Method & mean & median") == 2


def test_markdown_is_a_table(plain, capsys):
    assert main(["summary", str(plain), "--format", "markdown", "-s", "mean", "-q"]) == 0
    assert capsys.readouterr().out.startswith("| method | n | mean |\n| --- | --- | --- |\n| svm | 30 | 0.6")


def test_wide_and_several_files(tmp_path: Path, capsys):
    (tmp_path / "w.csv").write_text("problem,svm,knn\np,1,2\nq,3,4\nr,4,4\n")
    assert main(["inspect", str(tmp_path / "w.csv"), "--wide", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["algorithms"] == ["svm", "knn"]
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("score\n1\n2\n3\n")
    assert main(["inspect", str(tmp_path / "one.csv"), str(tmp_path / "two.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["algorithms"] == ["one", "two"]


def test_adaptive_runs_have_no_intervals(plain, capsys):
    assert main(["summary", str(plain), "--adaptive", "--json"]) == 0
    assert all(row["low"] is None for row in json.loads(capsys.readouterr().out)["rows"])


def test_a_picture_goes_where_it_is_told_and_makes_the_folder(plain, tmp_path: Path, capsys):
    target = tmp_path / "new" / "deep" / "p.svg"
    assert main(["plot", str(plain), "--out", str(target), "--kind", "cdf", "--band", "ks", "-q"]) == 0
    assert capsys.readouterr().out.strip() == str(target)
    assert target.read_bytes().startswith(b"<?xml")


def test_a_picture_without_a_name_is_named_after_its_source(plain, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plot", "plain.csv"]) == 0
    assert Path("plain-distribution.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def versions(tmp_path: Path) -> tuple[str, str]:
    for name, shift in (("old", 0.0), ("new", 0.02)):
        rows = [(i, "ok", 0.8 + (i * 7 % 30) / 300 - shift - (i % 3) / 1000 * bool(shift)) for i in range(30)]
        frame = pd.DataFrame(rows, columns=["key", "how", "accuracy"])
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return str(tmp_path / "new.csv"), str(tmp_path / "old.csv")


def test_a_gate_reads_tables_as_the_other_commands_do(versions, capsys):
    new, old = versions
    roles = ["--score", "accuracy", "--status", "how", "--varied", "seed", "--unit", "row", "--quiet", "--json"]
    assert main(["check", new, "-b", old, "--margin", "0.01", *roles]) == 5
    apart = json.loads(capsys.readouterr().out)
    assert main(["check", new, "-b", old, "--margin", "0.01", "--pair", "key", *roles]) == 5
    joined = json.loads(capsys.readouterr().out)
    assert (apart["rows"][0]["paired"], joined["rows"][0]["paired"]) == (False, True)
    assert "varied: seed" in joined["unit"]
    assert len(joined["notes"]) == len(set(joined["notes"]))
    assert main(["check", new, "-b", old, "--margin", "0.01", "--pair", "key", "--item", "how"]) == 2


def test_a_gate_says_in_its_help_what_worse_means(capsys):
    assert main(["check", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "WORSE: " in shown
    for option in ("--varied", "--status", "--group", "--pair"):
        assert option in shown


def test_a_comment_begins_with_a_sentence_and_its_folder_is_made(versions, tmp_path: Path):
    target = tmp_path / "new" / "comment.md"
    new, old = versions
    main(["check", new, "-b", old, "--margin", "0.01", "--score", "accuracy", "-q", "--comment", str(target)])
    assert target.read_text(encoding="utf-8").splitlines()[2].startswith("The new version is worse")


def test_json_of_one_comparison_has_the_layout_of_several(plain, tmp_path: Path, capsys):
    rows = [(m, t, i, 0.5 + i / 100 + j / 50) for j, m in enumerate("ab") for t in "xy" for i in range(20)]
    two = tmp_path / "two.csv"
    pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"]).to_csv(two, index=False)
    held = []
    for path in (plain, two):
        assert main(["compare", str(path), "--json"]) == 0
        held.append(json.loads(capsys.readouterr().out))
    assert [set(one) >= {"schema", "source", "unit", "notes", "verdict", "rows"} for one in held] == [True, True]
    assert [len(one["rows"]) for one in held] == [1, 2]
    assert set(held[0]["rows"][0]) == set(held[1]["rows"][0])
    assert (held[0]["schema"], held[0]["source"], held[0]["unit"]) == (1, "plain.csv", held[1]["unit"])


def test_the_version_and_the_help_are_answers(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"ogive {ogive.__version__}\n"
    for command in ("inspect", "summary", "plot"):
        assert main([command, "--help"]) == 0
        assert "--score" in capsys.readouterr().out


def test_a_terminal_without_unicode_gets_an_answer(table, monkeypatch):
    written = {"stdout": io.BytesIO(), "stderr": io.BytesIO()}
    for name, stream in written.items():
        monkeypatch.setattr(sys, name, io.TextIOWrapper(stream, encoding="ascii", write_through=True))
    assert main(["summary", str(table)]) == 0
    shown = written["stdout"].getvalue()
    assert shown
    assert b"\x1b" not in shown
    shown.decode("ascii")


@pytest.mark.parametrize("command", ["inspect", "summary", "plot", "rank", "report"])
def test_some_methods_and_tasks_can_be_chosen(command, tmp_path: Path, capsys):
    rows = [(m, t, i, i / 40 + j / 9) for j, m in enumerate("abc") for t in ("x", "y") for i in range(20)]
    path = tmp_path / "three.csv"
    pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"]).to_csv(path, index=False)
    out = {"plot": ["--out", str(tmp_path / "p.svg")], "report": ["--out", str(tmp_path / "r.html")]}.get(command, [])
    chosen = ["--method", "a", "--method", "c", "--on", "y"]
    assert main([command, str(path), "--unit", "row", *chosen, *out]) == 0
    assert capsys.readouterr().out
    assert main([command, str(path), "--method", "z", *out]) == 2
    assert re.search("`--method`.*'z'.*'a', 'b', 'c'", capsys.readouterr().err)
    assert main([command, str(path), "--on", "z", *out]) == 2
    assert re.search("`--on`.*'z'.*'x', 'y'", capsys.readouterr().err)


def test_a_summary_of_chosen_rows_is_the_summary_of_those_rows_alone(tmp_path: Path, capsys):
    rows = [(m, t, i, i / 40 + j / 9) for j, m in enumerate("abc") for t in ("x", "y") for i in range(20)]
    table = pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"])
    table.to_csv(tmp_path / "all.csv", index=False)
    table[(table.model != "b") & (table.dataset == "y")].to_csv(tmp_path / "some.csv", index=False)
    main(["summary", str(tmp_path / "all.csv"), "--json", "-q", "--method", "c", "--method", "a", "--on", "y"])
    chosen = json.loads(capsys.readouterr().out)
    main(["summary", str(tmp_path / "some.csv"), "--json", "-q"])
    assert chosen["rows"] == json.loads(capsys.readouterr().out)["rows"]
    assert any("2 of 3 methods" in note and "1 of 2 tasks" in note for note in chosen["notes"])


def test_a_reader_that_leaves_costs_nothing_but_its_lines(tmp_path: Path):
    rows = [(f"method {m}", f"task {t}", i, i / 40 + m / 9) for m in range(5) for t in range(60) for i in range(3)]
    pd.DataFrame(rows, columns=["model", "dataset", "run", "time"]).to_csv(tmp_path / "long.csv", index=False)
    script = f"set -o pipefail; {sys.executable} -m ogive.cli summary long.csv --json -s median | head -n 1"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1), done.stderr


def test_what_nobody_reads_is_dropped():
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as pipe:
        stream = PatientStream(pipe)
        assert stream.write("x" * 100_000) == 100_000
        stream.flush()
        assert stream.write("and on") == 6


def test_a_picture_of_several_scores_says_which_it_shows(tmp_path: Path, capsys):
    table = pd.DataFrame({"acc": [0.1, 0.2, 0.3, 0.4], "loss": [4.0, 3.0, 2.0, 1.0]})
    table.to_csv(tmp_path / "two.csv", index=False)
    arguments = [
        "plot",
        str(tmp_path / "two.csv"),
        "--score",
        "acc",
        "--score",
        "loss",
        "--out",
        str(tmp_path / "p.svg"),
    ]
    assert main(arguments) == 0
    assert re.search("drawn: 'acc'.*--metric.*'loss'", capsys.readouterr().err)
    assert main([*arguments, "--metric", "loss"]) == 0
    assert "drawn" not in capsys.readouterr().err


def test_a_table_may_come_through_a_pipe(plain, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(plain.read_bytes())))
    assert main(["summary", "-", "-q", "-s", "mean,median"]) == 0
    piped = capsys.readouterr().out
    main(["summary", str(plain), "-q", "-s", "mean", "-s", "median"])
    assert piped == capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(plain.read_bytes())))
    assert main(["plot", "-", "-q"]) == 0
    assert capsys.readouterr().out.strip() == "stdin-distribution.png"


def test_a_summary_is_printed_as_csv_too(plain, capsys):
    assert main(["summary", str(plain), "-q", "--format", "csv"]) == 0
    frame = pd.read_csv(io.StringIO(capsys.readouterr().out))
    expected = ogive.summarize(ogive.read(plain)).to_pandas()
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


def test_one_run_of_each_method_on_each_task_is_no_picture_of_runs(tmp_path: Path, capsys):
    rows = [(m, t, i + j) for i, m in enumerate("ab") for j, t in enumerate("xyz")]
    pd.DataFrame(rows, columns=["solver", "problem", "time"]).to_csv(tmp_path / "times.csv", index=False)
    assert main(["plot", str(tmp_path / "times.csv"), "--out", str(tmp_path / "p.png")]) == 2
    assert "`ogive profile`" in capsys.readouterr().err


def test_advice_can_be_pasted_whatever_a_column_is_called():
    assert as_options("say unit='my unit' or unit='row'") == "say --unit 'my unit' or --unit row"
    assert as_options('say algorithm="it\'s"') == "say --algorithm 'it'\"'\"'s'"


def test_rows_without_a_part_of_their_name_are_left_out_as_the_refusal_says(tmp_path: Path, capsys):
    rows = [(m, "moons", "" if i == 0 else "100", 0.5 + i / 10) for m in "ab" for i in range(4)]
    pd.DataFrame(rows, columns=["model", "data", "size", "score"]).to_csv(tmp_path / "t.csv", index=False)
    command = ["summary", str(tmp_path / "t.csv"), "--task", "data", "--task", "size", "--unit", "row"]
    assert main(command) == 2
    assert "leave these rows out with --where 'size!='" in capsys.readouterr().err
    assert main([*command, "--where", "size!="]) == 0


def test_an_empty_pipe_is_called_by_its_name(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["summary", "-"]) == 2
    assert "standard input is empty" in capsys.readouterr().err


def test_bounds_and_pairs_are_advised_as_options():
    assert as_options("declare bounds=(0, 1)") == "declare --bounds 0,1"
    assert as_options("without bounds=(low, high)") == "without --bounds LOW,HIGH"
    assert as_options("fresh runs with paired=False") == "fresh runs with --unpaired"
