"""`ogive progress` as somebody with logs would use it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.cli import main


@pytest.fixture
def log(tmp_path: Path, monkeypatch) -> Path:
    rng = np.random.default_rng(0)
    rows = [
        {"agent": a, "env": e, "seed": s, "frame": 1000 * t, "return": t * gain + rng.normal()}
        for a, gain in (("sac", 2.0), ("td3", 1.0)) for e in ("ant", "hopper") for s in range(4) for t in range(8 + s)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(tmp_path / "runs.csv", index=False)
    (tmp_path / "human.csv").write_text("env,low,high\nant,0,10\nhopper,0,20\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *words: str) -> tuple[int, str, str]:
    code = main(["progress", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_curves_are_printed_drawn_and_put_on_a_page(log, capsys):
    code, out, err = run(
        capsys, "runs.csv", "--step", "frame", "--min-max", "--target", "5", "-o", "c.png", "--fan", "f.png", "--report", "r.html"
    )  # fmt: skip
    assert code == 0, err
    assert "the IQM of return (on one scale) is " in out
    assert "runs that reach it" in out
    assert out.splitlines()[-3:] == ["c.png", "f.png", "r.html"]
    assert (log / "c.png").stat().st_size > 10_000
    page = (log / "r.html").read_text()
    assert page.count("Over training") == 2
    assert "has the best IQM of return" in page
    assert "the score of a run" not in err


def test_the_machine_readable_answer_has_a_row_for_each_method_and_step(log, capsys):
    code, out, _ = run(
        capsys, "runs.csv", "--grid", "1000,7000", "-s", "mean", "--target", "5", "--on", "ant", "--json", "--quiet"
    )
    held = json.loads(out)
    assert (code, held["schema"], held["unit"], held["tasks"]) == (0, 1, "run", ["ant"])
    assert [(r["algorithm"], r["at"], r["n"]) for r in held["rows"]] == [
        ("sac", 1000.0, 4), ("sac", 7000.0, 4), ("td3", 1000.0, 4), ("td3", 7000.0, 4),
    ]  # fmt: skip
    assert [row["n"] for row in held["reached"]] == [4, 4]


def test_the_target_lies_on_the_scale_of_the_curves(log, capsys):
    """Half the way to the high baseline: 5 on one task, 10 on the other."""
    code, out, _ = run(capsys, "runs.csv", "--baselines", "human.csv", "--target", "0.5", "--json", "--quiet")
    assert code == 0
    trials = ogive.read("runs.csv")
    for row in json.loads(out)["reached"]:
        alone = ogive.progress.steps_to_reach(trials, {"ant": 5.0, "hopper": 10.0}[row["task"]], tasks=[row["task"]])
        reached = alone.of(row["algorithm"])
        assert row["n_reached"] == reached.n_reached
        assert row["median"] == (reached.median.estimate if np.isfinite(reached.median.estimate) else None)


def test_a_file_of_baselines_brings_tasks_to_one_scale(log, capsys):
    code, out, _ = run(
        capsys, "runs.csv", "--baselines", "human.csv", "-s", "mean", "--cut", "--format", "csv", "--quiet"
    )
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "frame,sac,sac low,sac high,td3,td3 low,td3 high"
    # The first run ends at 7000; sac returns 14 there, of 10 on one task and 20 on the other.
    assert lines[5].startswith("7000,") or lines[5].startswith('"7,000",')
    assert float(lines[5].replace('"7,000"', "7000").split(",")[1]) == pytest.approx((14 / 10 + 14 / 20) / 2, abs=0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--budget", "1000"], "`--budget` makes one score of a run's curve"),
        (["--area"], "`--area` makes one score of a run's curve"),
        (["--min-max", "--baselines", "human.csv"], "are two scales; choose one"),
        (["--grid", "a,b"], "`--grid` must be a number of steps, or steps with commas between"),
        (["--out", "c.png", "--fan", "c.png"], "what --out names"),
        (["--statistic", "meen"], "meen"),
        (["--width", "3in"], "is about a picture; name one with --out"),
        (["--metric", "loss"], "`--metric` 'loss' has no values over steps"),
        (["--failures", "like:sac"], "over steps say"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_one_line(words, said, log, capsys):
    if "like:sac" in words:
        table = pd.read_csv("runs.csv")
        table.loc[(table.seed == 0) & (table.frame > 3000), "return"] = np.nan
        table.to_csv("runs.csv", index=False)
    code, out, err = run(capsys, "runs.csv", "--quiet", *words)
    assert (code, out) == (2, ""), err
    assert said in err
    assert err.count("\n") == 1


def test_a_table_without_steps_is_refused_with_the_way_out(log, capsys):
    Path("plain.csv").write_text("agent,score\na,1\na,2\nb,3\nb,4\n")
    code, _, err = run(capsys, "plain.csv", "--quiet")
    assert (code, "name its column of steps with --step" in err) == (2, True), err
