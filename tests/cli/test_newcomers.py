"""What a newcomer types without reading anything, on tables of eight fields: right, or refused with the way out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ogive.cli import main


@pytest.fixture(scope="module")
def tables(tmp_path_factory) -> Path:
    """A file for each field, as people there write them."""
    folder = tmp_path_factory.mktemp("newcomers")
    rng = np.random.default_rng(0)
    rl = [
        {"agent": a, "env": e, "seed": s, "return": 100 + 60 * (a == "ppo") + rng.normal(0, 10)}
        for a in ("ppo", "dqn") for e in ("CartPole", "Acrobot", "Pendulum") for s in range(8)
    ]  # fmt: skip
    solver = [
        {"solver": s, "problem": f"p{p}", "settings": how, "time": rng.uniform(1, 2) * (0.1 if s == "hasty" else 1), "found": s != "hasty" or p < 3}
        for s in ("hasty", "cbc", "scip") for p in range(12) for how in ("default", "fast", "strict", "none")
    ]  # fmt: skip
    folds = [
        {"model": m, "dataset": d, "fold": f, "seed": int(rng.integers(1e9)), "accuracy": 0.8 + 0.1 * (m == "forest") + rng.normal(0, 0.01)}
        for m in ("svm", "forest") for d in ("iris", "wine", "adult") for f in range(5)
    ][:-2]  # fmt: skip
    cv = [
        {"model": m, "repeat": r, "fold": f, "accuracy": 0.8 + 0.1 * (m == "forest") + rng.normal(0, 0.01)}
        for m in ("svm", "forest") for r in range(10) for f in range(10)
    ]  # fmt: skip
    llm = [
        {"model": m, "question_id": f"q{q}", "category": "math" if q % 2 else "law", "correct": int(rng.uniform() < 0.3 + 0.5 * (m == "big"))}
        for m in ("big", "small") for q in range(80)
    ]  # fmt: skip
    search = [
        {"trial": i, "param_lr": 10 ** rng.uniform(-4, -1), "param_opt": rng.choice(["adam", "sgd"]), "val_accuracy": rng.uniform(0.5, 0.9)}
        for i in range(40)
    ]  # fmt: skip
    curves = [
        {"algo": a, "env": "Hopper", "seed": s, "step": t, "return": t / 100 + rng.normal(0, 5) + 50 * (a == "sac")}
        for a in ("sac", "td3") for s in range(6) for t in range(0, 10_001, 1000)
    ]  # fmt: skip
    board = [
        {"team": f"team {i}", "submission_id": 1000 + i, "public_score": rng.uniform(), "private_score": rng.uniform()} for i in range(9)
    ]  # fmt: skip
    timing = [
        {"library": lib, "benchmark": b, "run": r, "seconds": f"{rng.uniform(0.8, 1) * (3 if lib == 'old' else 1):.3f}".replace(".", ",")}
        for lib in ("old", "new") for b in ("matmul", "sort", "fft") for r in range(8)
    ]  # fmt: skip
    for name, rows in {
        "rl": rl, "solvers": solver, "folds": folds, "cv": cv, "llm": llm, "search": search, "curves": curves, "leaderboard": board,
    }.items():  # fmt: skip
        pd.DataFrame(rows).to_csv(folder / f"{name}.csv", index=False)
    pd.DataFrame(timing).to_csv(folder / "timing.csv", sep=";", index=False)
    return folder


# The command, its exit code, and words that its answer must hold.
TYPED = {
    "compare rl.csv": (0, "ppo is better than dqn"),
    "rank solvers.csv": (2, "'settings' splits the runs of a method on a task into 4 sets", "--where settings=default", "--task problem --task settings"),
    "profile solvers.csv": (2, "'settings' splits the runs of a method on a task into 4 sets"),
    "profile solvers.csv --where settings=default": (0, "status: column 'found' (guessed)", "9 of 36 rows count as failed"),
    "plot solvers.csv": (2, "'settings' splits the runs of a method on a task into 4 sets"),
    "compare folds.csv": (0, "svm is worse than forest", "'seed' is another for every fold"),
    "compare cv.csv": (0, "svm is worse than forest", "100 folds"),
    "compare llm.csv": (0, "big is better than small", "paired by 'question_id'"),
    "summary search.csv": (0, "varied: configuration"),
    "compare curves.csv": (2, "this is a table of curves: column 'step' holds 11 steps of a run (0 to 10000)", "--where step=10000"),
    "compare curves.csv --where step=10000": (0, "sac is better than td3"),
    "rank leaderboard.csv": (2, "2 columns could be the score: 'public_score', 'private_score'", "--score"),
    "compare timing.csv": (0, "old is worse than new", "is written with decimal commas"),
    "report curves.csv": (2, "this is a table of curves"),
    "report solvers.csv --where settings=default --failures worst --without scip --out r.html": (0, "r.html"),
}  # fmt: skip


@pytest.mark.parametrize("typed", list(TYPED))
def test_what_a_newcomer_types_is_answered_rightly_or_refused_with_the_way_out(typed, tables, monkeypatch, capsys):
    monkeypatch.chdir(tables)
    code, *words = TYPED[typed]
    command, source, *options = typed.split()
    found = main([command, source, *options])
    seen = "".join(capsys.readouterr())
    assert found == code, seen
    for word in words:
        assert word in seen
    if code == 2:
        assert seen.count("\n") == 1


@pytest.mark.parametrize(
    "command", ["inspect", "summary", "compare", "rank", "sources", "plot", "report", "profile", "aggregate"]
)
def test_rows_and_failures_are_chosen_by_every_command_that_reads_a_table(
    command, tables, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tables)
    out = {"plot": ["--out", str(tmp_path / "p.png")], "report": ["--out", str(tmp_path / "r.html")]}.get(command, [])
    counted = [] if command in ("inspect", "plot") else ["--failures", "worst"]
    chosen = ["--where", "settings=default", "--where", "problem!=p0", "--without", "scip", "--time-limit", "1.99"]
    roles = ["--task", "problem", "--task", "settings", "--status", "found"]
    code = main([command, "solvers.csv", *chosen, *roles, *counted, *out])
    seen = "".join(capsys.readouterr())
    refused = {"plot": "one run on each task", "sources": "", "summary": "", "aggregate": "no score to average"}
    assert code == 0 or (code == 2 and refused.get(command, "\0") in seen), seen


def test_one_method_is_named_with_the_columns_that_could_name_more(tmp_path: Path, capsys):
    table = pd.DataFrame({"library": ["sklearn"] * 8, "recipe": ["x", "y"] * 4, "seed": range(8), "acc": range(8)})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert main(["compare", str(tmp_path / "t.csv")]) == 2
    assert "there is one, 'sklearn'. Column 'library' names one method only" in (said := capsys.readouterr().err)
    assert "say --algorithm recipe to take it" in said
    assert main(["compare", str(tmp_path / "t.csv"), "--algorithm", "recipe"]) == 0
