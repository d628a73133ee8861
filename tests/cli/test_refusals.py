"""Whatever a user can do wrong: one clear line on stderr, exit code 2, no traceback."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from ogive.cli import main

GOOD = "model,seed,score\n" + "".join(f"a,{i},{0.5 + i / 100}\nb,{i},{0.4 + i / 100}\n" for i in range(30))

# content, further arguments, what the line must say
CASES: dict[str, tuple[str | bytes, list[str], list[str]]] = {
    "missing column": (GOOD, ["--score", "accuracy"], ["no column 'accuracy'", "'model', 'seed', 'score'"]),
    "text in the score": ("model,score\na,1\nb,fast\n", [], ["column 'score'", "row 2", "'fast'"]),
    "NaN scores": ("model,score\na,1\na,NaN\nb,2\nb,3\n", [], ["1 of 4", "1 of 2 of 'a'", "--failures worst", "'exclude'", "'like:NAME'"]),
    "inf scores": ("model,score\na,1\na,inf\nb,-inf\nb,3\n", [], ["2 of 4", "--failures worst", "'exclude'", "a number"]),
    "only NaN": ("model,score\na,NaN\na,NaN\n", [], ["none of the 2 trials has a usable 'score'"]),
    "empty file": ("", [], ["is empty"]),
    "header only": ("model,score\n", [], ["has a header (model, score) and no rows"]),
    "one row": ("model,score\na,1\n", [], ["one row", "at least two"]),
    "equal scores": ("model,score\na,1\na,1\nb,1\n", [], ["all 3 scores in 'score' equal 1", "right column"]),
    "binary file": (bytes(range(256)) * 8, [], ["binary file", "CSV, Parquet"]),
    "pickle by content": (pickle.dumps([1.0, 2.0]), [], ["pickle", "never read", "CSV or Parquet"]),
    "not UTF-8": ("modèle,score\na,1\nb,2\n".encode("latin-1"), [], ["must be UTF-8"]),
    "ragged": ("model,score\na,1\nb,2,3\n", [], ["Expected 2 columns, got 3"]),
    "confidence 95": (GOOD, ["--confidence", "95"], ["`confidence` must lie in (0, 1); got 95. Did you mean 0.95?"]),
    "confidence as text": (GOOD, ["--confidence", "high"], ["--confidence"]),
    "violated bounds": (GOOD, ["--bounds", "0,0.5"], ["`bounds` (0.0, 0.5)", "lie outside"]),
    "malformed bounds": (GOOD, ["--bounds", "zero"], ["`--bounds` must be LOW,HIGH, for example 0,1; got 'zero'"]),
    "three bounds": (GOOD, ["--bounds", "0,1,2"], ["`--bounds` must be LOW,HIGH"]),
    "no bounds": (GOOD, ["--bounds", ","], ["`--bounds` must be LOW,HIGH"]),
    "reversed bounds": (GOOD, ["--bounds", "1,0"], ["low < high"]),
    "NaN bounds": (GOOD, ["--bounds", "nan,1"], ["low < high"]),
    "unknown statistic": (GOOD, ["--statistic", "average"], ["got 'average'", "median"]),
    "impossible statistic": (GOOD, ["-s", "q95"], ["'q95' needs a share in (0, 1)"]),
    "unknown option": (GOOD, ["--scores", "score"], ["--scores", "Try --help"]),
    "unknown failures rule": (GOOD.replace("0.5,", ","), ["--failures", "drop"], ["`failures` must be 'refuse', 'exclude'", "'drop'"]),
    "wrong format": (GOOD, ["--format", "html"], ["`--format` must be text, markdown, latex or csv; got 'html'"]),
    "two ways to print": (GOOD, ["--format", "latex", "--json"], ["`--format` latex and --json", "choose one"]),
    "wrong goal": (GOOD, ["--goal", "up"], ["`goal` must be 'maximize' or 'minimize'; got 'up'"]),
    "unknown metric": (GOOD, ["--metric", "loss"], ["`--metric` 'loss' is not in the table"]),
    "unknown unit": (GOOD, ["--unit", "student"], ["`unit` must be 'row' or name a column; got 'student'"]),
    "repeated seeds": (GOOD + "a,0,0.7\n", [], ["column 'seed' repeats", "--unit seed", "--unit row"]),
    "two scores": ("model,acc,f1\na,1,2\nb,2,3\n", [], ["2 columns could be the score: 'acc', 'f1'", "--score"]),
}  # fmt: skip


def complaint(err: str) -> str:
    """The only line on stderr that does not say how the table was read."""
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if not line.startswith("read: ")]
    assert len(lines) == 1, err
    assert lines[0].startswith("ogive: ")
    return lines[0]


@pytest.mark.parametrize("case", list(CASES))
def test_what_a_user_can_do_wrong_is_one_line_and_exit_code_2(case, tmp_path: Path, capsys):
    content, arguments, said = CASES[case]
    path = tmp_path / "scores.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert main(["summary", str(path), *arguments]) == 2
    captured = capsys.readouterr()
    line = complaint(captured.err)
    assert captured.out == ""
    for part in said:
        assert part in line


@pytest.mark.parametrize("command", ["inspect", "summary", "plot"])
@pytest.mark.parametrize(
    ("name", "said"),
    [("absent.csv", "absent.csv does not exist"), ("folder", "is a folder, and no store of Ogive's; name the files in it"), ("run.pkl", "pickle"),
     ("n" * 4000, "File name too long"), ("sqlite:///absent.db", "absent.db does not exist"), ("empty.csv", "is empty")],
)  # fmt: skip
def test_a_source_that_is_none_is_refused_by_every_command(command, name, said, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("run.pkl").write_text(GOOD)
    Path("empty.csv").touch()
    assert main([command, name]) == 2
    assert said in complaint(capsys.readouterr().err)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["empty.csv", "folder", "run.pkl"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["summary"], "Missing argument"),
        (["sumary", "x.csv"], "No such command 'sumary'"),
        (["--frobnicate"], "No such option: --frobnicate"),
        (["summary", "x.csv", "--score"], "--score"),
        (["plot", "good.csv", "--kind", "pdf"], "`kind` must be 'quantile' or 'cdf'; got 'pdf'"),
        (["plot", "good.csv", "--band", "bootstrap"], "'exact', 'ks' or 'dkw'; got 'bootstrap'"),
        (["plot", "good.csv", "--out", "p.txt"], "must end in one of .png"),
        (["plot", "good.csv", "--out", "new/p.exe"], "must end in one of .png"),
        (["plot", "good.csv", "--confidence", "95"], "Did you mean 0.95?"),
        (["compare", "good.csv", "--on", "foo"], "`--on` 'foo' chooses a task, and this table names none; leave it out"),
        (["rank", "good.csv", "--on", "foo"], "`--on` 'foo' chooses a task, and this table names none"),
        (["compare", "good.csv", "--task", "seed", "--on", "foo"], "`--on` must name a task of the table; got 'foo'. It has '0', '1',"),
        (["compare", "good.csv", "--task", "seed", "--on", "foo"], "'7' and 22 more."),
        (["plan", "good.csv", "--on", "foo", "--difference", "0.1"], "`--on` 'foo' chooses a task"),
        (["plan", "improvment"], "neither a kind of plan"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_line(arguments, said, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    assert main(arguments) == 2
    assert said in complaint(capsys.readouterr().err)
    assert [p.name for p in tmp_path.iterdir()] == ["good.csv"]


def test_a_picture_that_cannot_be_written_is_one_line_and_exit_code_2(tmp_path: Path, capsys):
    (tmp_path / "good.csv").write_text(GOOD)
    (tmp_path / "file").touch()
    (tmp_path / "folder.png").mkdir()
    for place in ("file/p.png", "file/deeper/p.png", "folder.png"):
        assert main(["plot", str(tmp_path / "good.csv"), "--out", str(tmp_path / place)]) == 2
        assert "file" in complaint(capsys.readouterr().err) or place == "folder.png"


def test_a_message_cannot_steer_the_terminal(tmp_path: Path, capsys):
    (tmp_path / "s.csv").write_text("model,score\n\x1b[31ma\x1b]0;title\x07,1\n\x1b[31ma\x1b]0;title\x07,NaN\n\n")
    assert main(["summary", str(tmp_path / "s.csv")]) == 2
    assert "\x1b" not in complaint(capsys.readouterr().err)


def test_an_interruption_is_exit_code_130(tmp_path: Path, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("ogive.reading.read", interrupted)
    assert main(["summary", "x.csv"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_bug_is_seen_whole(monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr("ogive.reading.read", broken)
    with pytest.raises(ZeroDivisionError):
        main(["summary", "x.csv"])


def run(*arguments: str, cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ogive.cli", *arguments], capture_output=True, text=True, cwd=cwd, timeout=60, **options
    )


@pytest.mark.parametrize(
    "case", [*(pytest.param(c, marks=pytest.mark.slow) for c in ("NaN scores", "confidence 95")), "pickle by content", "unknown option"]
)  # fmt: skip
def test_a_process_exits_with_2_and_one_line(case, tmp_path: Path):
    content, arguments, said = CASES[case]
    (tmp_path / "scores.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    done = run("summary", "scores.csv", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(part in complaint(done.stderr) for part in said)


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_reader_that_leaves_is_no_error(unbuffered, tmp_path: Path):
    (tmp_path / "s.csv").write_text(GOOD)
    program = f'"{sys.executable}" -m ogive.cli summary s.csv --quiet | true'
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", program], capture_output=True, text=True, cwd=tmp_path, timeout=60, env=environment
    )
    assert done.stderr == ""
