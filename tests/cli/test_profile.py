"""`ogive profile` as a user calls it."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ogive.cli import _app
from ogive.cli._output import as_options


@pytest.fixture
def times(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    rows = [
        (p, s, float(np.exp(rng.normal(i, 1)))) for p in range(30) for i, s in enumerate(("fast", "slow, but sure"))
    ]
    path = tmp_path / "times.csv"
    pd.DataFrame(rows, columns=["problem", "solver", "time_s"]).to_csv(path, index=False)
    return path


def run(*arguments: object) -> int:
    return _app.main(["profile", *map(str, arguments)])


def test_a_table_of_times(times, capsys):
    assert run(times, "--time-limit", 20, "--compare", "fast,slow, but sure") == 0
    out, err = capsys.readouterr()
    assert "best on" in out
    assert "limit of 20" in out
    assert "is ahead of" in out
    assert "guessed" in err


def test_json_has_a_schema_and_nothing_else_on_stdout(times, capsys, tmp_path):
    picture = tmp_path / "out" / "p.png"
    assert run(times, "--time-limit", 20, "--json", "--out", picture, "--compare", "fast,slow, but sure") == 0
    held = json.loads(capsys.readouterr().out)
    assert held["schema"] == 1
    assert [row["algorithm"] for row in held["rows"]] == ["fast", "slow, but sure"]
    assert held["comparison"]["conclusion"] == "ahead"
    assert picture.stat().st_size > 0


def test_a_picture_of_every_pair_beside_the_profile(times, capsys, tmp_path):
    assert run(times, "--time-limit", 20, "--pairs", tmp_path / "new" / "pairs.svg", "-q") == 0
    out, err = capsys.readouterr()
    assert (tmp_path / "new" / "pairs.svg").stat().st_size > 0
    assert "best on" in out
    assert err.splitlines() == [f"picture: {tmp_path / 'new' / 'pairs.svg'}"]


def test_scores_between_baselines(tmp_path, capsys):
    rng = np.random.default_rng(1)
    rows = [(g, a, r, float(rng.normal(50, 9))) for g in ("x", "y") for a in ("m", "n") for r in range(6)]
    pd.DataFrame(rows, columns=["game", "agent", "run", "score"]).to_csv(tmp_path / "s.csv", index=False)
    pd.DataFrame({"game": ["x", "y"], "random": [0, 10], "human": [100, 110]}).to_csv(tmp_path / "b.csv", index=False)
    assert run(tmp_path / "s.csv", "--kind", "score", "--baselines", tmp_path / "b.csv", "-q") == 0
    assert "0 at the low baseline" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--kind", "fast"], "`kind` must be one of"),
        (["--out", "picture.txt"], "must end in one of"),
        (["--pairs", "picture.txt"], "must end in one of"),
        (["--compare", "fast,quick"], "two methods with a comma"),
        (["--time-limit", "-1"], "positive number"),
        (["--runs", "worst"], "`runs` must be"),
        (["--task", "nothing"], "no column 'nothing'"),
        (["--kind", "score", "--baselines", "nowhere.csv"], "nowhere.csv does not exist"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(times, arguments, words, capsys):
    assert run(times, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    lines = [line for line in err.splitlines() if line.startswith("ogive:")]
    assert len(lines) == 1
    assert words in lines[0]


def test_a_file_that_is_not_there(capsys):
    assert run("nowhere.csv") == 2
    assert "does not exist" in capsys.readouterr().err


def test_refusals_speak_of_options(tmp_path, capsys):
    (tmp_path / "wide.csv").write_text("problem,a,b\np,,2\nq,1,2\n")
    assert run(tmp_path / "wide.csv", "--goal", "minimize") == 2
    assert re.search("--missing fail.*--missing drop-problem", capsys.readouterr().err)
    assert as_options("use kind='difference'") == "use --kind difference"
    assert as_options("say kind='classification'") == "say kind='classification'"
    assert as_options("say floor=, for example floor=0.01") == "say --floor, for example --floor 0.01"
    assert as_options("say time_limit=.") == "say --time-limit."


def test_ratios_of_scores_are_refused_and_their_differences_name_the_better_method(tmp_path, capsys):
    (tmp_path / "wide.csv").write_text("dataset,RF,NB\np,0.9,0.5\nq,0.8,0.6\n")
    assert run(tmp_path / "wide.csv") == 2
    assert re.search("times and costs.*--kind difference.*--goal minimize", capsys.readouterr().err)
    assert run(tmp_path / "wide.csv", "--kind", "difference") == 0
    assert re.search(r"RF +100 %", capsys.readouterr().out)


def test_a_table_that_may_name_its_methods_is_not_taken_for_a_wide_one(tmp_path, capsys):
    rows = "".join(f"{m},{i},ok,{0.1 + i / 100}\n" for m in ("adam", "sgd") for i in range(5))
    (tmp_path / "long.csv").write_text("optimizer,seed,status,val_loss\n" + rows)
    assert run(tmp_path / "long.csv") == 2
    assert "--algorithm optimizer" in capsys.readouterr().err
    search = "".join(f"{i},0.1,{{'C': {i}}},0.9,0.8,0.85,{i}\n" for i in range(5))
    head = "param_C,mean_fit_time,params,split0_test_score,split1_test_score,mean_test_score,rank_test_score\n"
    (tmp_path / "cv_results.csv").write_text(head + search)
    assert run(tmp_path / "cv_results.csv") == 2
    assert re.search("a profile compares methods, and this table has one.*--algorithm", capsys.readouterr().err)


def test_items_are_the_problems_where_nothing_else_is(tmp_path, capsys):
    rows = "".join(f"i{i},{s},{1 + i + k}\n" for i in range(6) for k, s in enumerate(("gurobi", "scip")))
    (tmp_path / "solver.csv").write_text("instance,solver,time_s\n" + rows)
    for command, *options in (["profile"], ["aggregate", "--geometric", "10"]):
        assert _app.main([command, str(tmp_path / "solver.csv"), *options, "-q"]) == 0
        found = capsys.readouterr().out
        assert _app.main([command, str(tmp_path / "solver.csv"), *options, "-q", "--task", "instance"]) == 0
        assert found == capsys.readouterr().out
    assert _app.main(["profile", str(tmp_path / "solver.csv")]) == 0
    assert "read: task: column 'instance' (guessed)" in capsys.readouterr().err


def test_unequal_numbers_of_runs_can_be_made_equal(tmp_path, capsys):
    rows = [("a", "p", 1), ("a", "p", 2), ("a", "q", 1), ("b", "p", 1), ("b", "p", 2), ("b", "q", 1)]
    frame = pd.DataFrame([(*row, float(i)) for i, row in enumerate(rows)], columns=["method", "task", "seed", "score"])
    frame.to_csv(tmp_path / "s.csv", index=False)
    assert run(tmp_path / "s.csv", "--kind", "score") == 2
    assert re.search("--equalize min-n.*--band none", capsys.readouterr().err)
    assert run(tmp_path / "s.csv", "--kind", "score", "--equalize", "min-n", "--band", "none") == 0
    out = capsys.readouterr().out
    assert "1 run of every cell" in out
    assert "Bands hold" not in out


def test_a_table_of_means_asks_for_its_runs_by_an_option(tmp_path, capsys):
    (tmp_path / "means.csv").write_text(
        "method,problem,mean,std\n" + "".join(f"{m},{p},0.8,0.1\n" for m in "ab" for p in "xy")
    )
    assert _app.main(["profile", str(tmp_path / "means.csv"), "--kind", "welch"]) == 2
    said = capsys.readouterr().err
    assert "say --n." in said
    assert "n=" not in said


def test_a_single_problem_points_to_the_command_that_compares(tmp_path, capsys):
    (tmp_path / "one.csv").write_text("solver,instance,time\na,p,1\nb,p,2\n")
    assert _app.main(["profile", str(tmp_path / "one.csv")]) == 2
    said = capsys.readouterr().err
    assert "ogive compare" in said
    assert "ogive.compare" not in said
