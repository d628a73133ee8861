"""One number for many tasks, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ogive import profiles
from ogive.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("aggregate")
    rng = np.random.default_rng(0)
    rows = [
        {"agent": a, "game": g, "seed": s, "return": rng.normal(100 * (i + 1) * (j + 1), 20)}
        for i, a in enumerate(("dqn", "iqn")) for j, g in enumerate(("pong", "breakout", "seaquest")) for s in range(5)
    ]  # fmt: skip
    pd.DataFrame(rows).to_csv(made / "returns.csv", index=False)
    (made / "baselines.csv").write_text("game,random,human\npong,0,300\nbreakout,0,500\nseaquest,0,700\n")
    (made / "times.csv").write_text(
        "problem,gurobi,scip\n" + "".join(f"p{i},{2.0**i / 10},{0.3 * 2.0**i}\n" for i in range(9))
    )
    return made


def asked(folder: Path, capsys, *words: str) -> dict:
    assert main(["aggregate", str(folder / words[0]), *words[1:], "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "scale"),
    [
        ([], None),
        (["--min-max"], profiles.MinMax()),
        (["--reference", "dqn"], profiles.Reference("dqn")),
        (["--baselines", "FILE"], profiles.Baselines(dict.fromkeys(("pong", "breakout", "seaquest"), 0), {"pong": 300, "breakout": 500, "seaquest": 700})),
    ],
)  # fmt: skip
def test_the_command_says_what_the_library_says(folder, capsys, words, scale):
    words = [str(folder / "baselines.csv") if word == "FILE" else word for word in words]
    held = asked(folder, capsys, "returns.csv", *words)
    expected = profiles.aggregates(pd.read_csv(folder / "returns.csv"), normalize=scale)
    assert held["schema"] == 1
    assert [(r["algorithm"], r["statistic"]) for r in held["rows"]] == list(expected.found)
    assert [r["low"] for r in held["rows"]] == pytest.approx([i.low for i in expected.found.values()])


def test_geometric_means_count_failures_as_the_limit(folder, capsys):
    held = asked(folder, capsys, "times.csv", "--wide", "--geometric", "10", "--time-limit", "50")
    wide = pd.read_csv(folder / "times.csv").set_index("problem")
    expected = profiles.shifted_geometric_mean({m: wide[m].to_dict() for m in wide}, shift=10, time_limit=50)
    rows = {r["algorithm"]: r for r in held["rows"]}
    assert rows["scip"]["n_unsolved"] == 1
    assert rows["scip"]["estimate"] == pytest.approx(expected.means["scip"].estimate)


@pytest.mark.parametrize(("form", "part"), [("latex", "toprule"), ("markdown", "| --- |"), ("csv", "IQM low")])
def test_the_table_can_be_pasted(folder, capsys, form, part):
    assert main(["aggregate", str(folder / "returns.csv"), "--min-max", "--format", form, "-q"]) == 0
    assert part in capsys.readouterr().out


def test_a_picture_is_drawn(folder, tmp_path: Path, capsys):
    target = tmp_path / "new" / "aggregates.pdf"
    assert (
        main(["aggregate", str(folder / "returns.csv"), "-s", "iqm", "-o", str(target), "--width", "3.25in", "-q"]) == 0
    )
    assert target.stat().st_size > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--min-max", "--reference", "dqn"], "--min-max and --reference are two scales; choose one"),
        (["--reference", "nobody"], "there is no method 'nobody'"),
        (["--reference", "dqn", "--over", "sample"], "`--reference` speaks of these tasks alone"),
        (["--geometric", "10", "--min-max"], "leave --min-max out"),
        (["--geometric", "-1"], "`shift` must be"),
        (["--failures", "best"], "got 'best'"),
        (["--geometric", "10", "--failures", "0"], "leave --failures out"),
        (["--geometric", "10", "--gamma", "2"], "leave --gamma out"),
        (["--geometric", "10", "--over", "sample"], "leave --over out"),
        (["--runs", "median"], "`--runs` joins times for --geometric"),
        (["--over", "all"], "`--over` must be fixed"),
        (["--format", "word"], "`--format` must be"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(folder, capsys, words, said):
    assert main(["aggregate", str(folder / "returns.csv"), *words, "--quiet"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_failed_runs_need_a_score(folder, tmp_path: Path, capsys):
    frame = pd.read_csv(folder / "returns.csv")
    frame.loc[3, "return"] = np.nan
    frame.to_csv(tmp_path / "failed.csv", index=False)
    assert main(["aggregate", str(tmp_path / "failed.csv"), "-q"]) == 2
    assert "1 failed run of 30 has no score to average; say --failures with the score" in capsys.readouterr().err
    assert main(["aggregate", str(tmp_path / "failed.csv"), "--failures", "worst", "-q"]) == 2
    assert "1 failed run of 30 has no score to average" in capsys.readouterr().err
    kept = frame.drop(index=3)
    for rule, expected in (
        ("0", frame.fillna(0.0)), ("exclude", kept), ("like:iqn", frame.fillna(frame[(frame.agent == "iqn") & (frame.game == "pong")]["return"].mean())),
    ):  # fmt: skip
        held = asked(tmp_path, capsys, "failed.csv", "--failures", rule, "-s", "mean")
        means = profiles.aggregates(expected, statistics="mean")
        assert [r["estimate"] for r in held["rows"]] == pytest.approx(
            [means.of(m, "mean").estimate for m in means.methods]
        )


def test_values_that_reach_a_time_limit_have_failed(folder, tmp_path: Path, capsys):
    frame = pd.read_csv(folder / "returns.csv").assign(seconds=[99.0, *[1.0] * 29])
    frame.to_csv(tmp_path / "timed.csv", index=False)
    held = asked(
        tmp_path, capsys, "timed.csv", "--score", "return", "--time-limit", "60", "--failures", "exclude", "-s", "mean"
    )
    means = profiles.aggregates(frame.drop(index=0, columns="seconds"), statistics="mean")
    assert [r["estimate"] for r in held["rows"]] == pytest.approx([means.of(m, "mean").estimate for m in means.methods])


def test_folds_and_chosen_runs_are_refused_with_the_way_out(tmp_path: Path, capsys):
    rows = [(m, r, f, 0.5 + f / 50 + r / 90) for m in "ab" for r in range(3) for f in range(5)]
    pd.DataFrame(rows, columns=["model", "repeat", "fold", "auc"]).to_csv(tmp_path / "cv.csv", index=False)
    assert main(["aggregate", str(tmp_path / "cv.csv"), "-q"]) == 2
    assert "share training data" in capsys.readouterr().err


def test_a_column_of_a_wide_table_is_no_table_of_scores(tmp_path: Path, capsys):
    (tmp_path / "wide.csv").write_text("dataset,RF,NB\np,0.9,0.5\nq,0.8,0.6\n")
    assert main(["compare", str(tmp_path / "wide.csv"), "--score", "RF"]) == 2
    assert "pass --wide and leave --score out" in capsys.readouterr().err
    assert main(["aggregate", str(tmp_path / "wide.csv"), "--wide", "-q"]) == 2
    assert "need two. Draw a profile with --kind difference" in capsys.readouterr().err  # two tasks speak of no others
