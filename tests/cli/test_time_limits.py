"""A time limit judges times, whatever the score is, in every command that takes one."""

import re
from pathlib import Path

import pytest

from ogive.cli import _app


def table(path: Path, score: str, time: str | None) -> Path:
    """Twelve runs of each method on three tasks; `good` scores more, and two of its runs take 70 seconds."""
    rows = [
        (model, task, seed, (0.9 if model == "good" else 0.6) + 0.001 * (7 * seed % 12), 70 if model == "good" and seed < 2 else 9)
        for model in ("good", "poor") for task in "pqr" for seed in range(12)
    ]  # fmt: skip
    head = ["model", "task", "seed", score, *([] if time is None else [time])]
    path.write_text("\n".join(",".join(map(str, row[: len(head)])) for row in (head, *rows)) + "\n")
    return path


@pytest.mark.parametrize(("score", "time"), [("accuracy", "time"), ("score", "time"), ("accuracy", "wall_time")])
@pytest.mark.parametrize(
    ("command", "said"),
    [("compare", "good is better than poor"), ("rank", "good is better than poor"), ("summary", "(2 failed)"), ("profile", "good    100 %"), ("aggregate", "good    0.9")],
)  # fmt: skip
def test_a_limit_on_the_times_leaves_the_verdict_on_the_score_as_it_is(tmp_path, capsys, command, said, score, time):
    source = table(tmp_path / "runs.csv", score, time)
    assert _app.main([command, str(source), "--score", score, "--time-limit", "60", "--failures", "exclude", *(["--kind", "difference"] if command == "profile" else [])]) == 0  # fmt: skip
    out, err = capsys.readouterr()
    assert said in out
    assert re.search(f"6 values of {time!r}.* 60", out + err)
    assert f"goal of {score!r}: maximize" in err


def test_a_report_names_the_column_of_times(tmp_path, capsys):
    source = table(tmp_path / "runs.csv", "accuracy", "time")
    page = tmp_path / "report.html"
    said = ["--score", "accuracy", "--time-limit", "60", "--failures", "exclude", "-o", str(page)]
    assert _app.main(["report", str(source), *said]) == 0
    err = capsys.readouterr().err
    assert "goal of 'accuracy': maximize" in err
    assert "note: 6 of 72 runs failed" in err
    assert "limit of 60" in page.read_text()


@pytest.mark.parametrize("command", ["compare", "rank", "summary", "profile", "report", "aggregate"])
def test_a_limit_is_refused_where_no_column_is_a_time(tmp_path, capsys, command):
    assert _app.main([command, str(table(tmp_path / "runs.csv", "accuracy", None)), "--time-limit", "60"]) == 2
    err = capsys.readouterr().err
    assert "time" in err
    assert "--goal minimize" in err
    assert "`time_limit`" not in err
