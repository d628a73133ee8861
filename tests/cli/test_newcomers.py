"""What a newcomer types without reading anything, on tables of eight fields: right, or refused with the way out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ogive.cli import main
from ogive.cli._app import app


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
    ended = [
        {"solver": s, "instance": f"p{p}", "time": min(600.0, t * rng.uniform(1, 2)), "memory": rng.uniform(10, 90),
         "result": "infeasible" if p == 5 else "timelimit" if t == 900 else "numerical error" if p == 3 and s == "glop" else "optimal"}
        for s, t0 in (("highs", 1), ("glop", 3)) for p in range(12) for t in (900 if p == 7 else t0,)
    ]  # fmt: skip
    clinic = [
        {"model": m, "patient": f"P{p}", "dice": 0.8 + 0.05 * (m == "nnU-Net") + 0.01 * (p % 7) + rng.normal(0, 0.01)}
        for m in ("U-Net", "nnU-Net") for p in range(20) for _ in range(3)
    ]  # fmt: skip
    export = [
        {"Name": f"golden-sun-{i}", "State": "crashed" if i % 9 == 0 else "finished", "Runtime": int(rng.integers(100, 900)), "lr": 10 ** rng.uniform(-5, -1),
         "batch_size": 32, "val/accuracy": None if i % 9 == 0 else rng.uniform(), "val/loss": None if i % 9 == 0 else rng.uniform()}
        for i in range(30)
    ]  # fmt: skip
    queries = [
        {"library": lib, "query": q, "iteration": i, "latency_ms": 30 * k * rng.lognormal(0, 0.1), "peak_memory_mb": 200 * k}
        for lib, k in (("polars", 1), ("pandas", 4)) for q in ("groupby", "join", "sort") for i in range(8)
    ]  # fmt: skip
    chemistry = [
        {"model": m, "property": p, "split": how, "seed": s, "MAE": e * (1.3 if how == "scaffold" else 1) * rng.lognormal(0, 0.1), "R2": rng.uniform(0.9, 1)}
        for m, e in (("SchNet", 0.05), ("MACE", 0.03)) for p in ("homo", "gap") for how in ("scaffold", "random") for s in range(6)
    ]  # fmt: skip
    speech = ["System;Korpus;Sprecher;WER"] + [
        f"{m};{c};S{s};{w + rng.normal(0, 0.5):.1f} %".replace(".", ",")
        for m, w in (("Whisper", 9.0), ("Kaldi", 15.0)) for c in ("CommonVoice", "VoxPopuli") for s in range(8)
    ]  # fmt: skip
    (folder / "speech.csv").write_text("\n".join(speech), encoding="utf-8-sig")
    (folder / "export.json").write_text(json.dumps(export))
    pd.DataFrame(chemistry).to_parquet(folder / "chemistry.parquet")
    for name, rows in {
        "ended": ended, "clinic": clinic, "queries": queries, "rl": rl, "solvers": solver, "folds": folds, "cv": cv, "llm": llm, "search": search, "curves": curves, "leaderboard": board,
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
    "compare curves.csv": (0, "sac is better than td3", "'step' (guessed) holds 11 steps of a run: 132 rows are 12 runs"),
    "compare curves.csv --where step=10000": (0, "sac is better than td3"),
    "rank leaderboard.csv": (2, "2 columns could be the score: 'public_score', 'private_score'", "--score"),
    "compare timing.csv": (0, "old is worse than new", "is written with decimal commas"),
    "profile ended.csv": (2, "2 columns could be the score: 'time', 'memory'", "--score"),
    "profile ended.csv --score time": (0, "task: column 'instance' (guessed)", "status: column 'result' (guessed)", "3 failed runs of 24"),
    "summary ended.csv --score time": (2, "3 of 24 trials", "'timelimit' in 2 and 'numerical error' in 1", "--failures"),
    "compare clinic.csv": (2, "share a value of 'patient'", "--item patient if the methods were compared on the same ones", "--unit patient"),
    "compare clinic.csv --item patient": (0, "U-Net is worse than nnU-Net", "20 patients"),
    "summary export.json": (2, "2 columns could be the score: 'val/accuracy', 'val/loss'; choose one with --score.\n"),
    "summary export.json --score val/accuracy": (2, "4 of 30 trials", "--failures"),
    "rank queries.csv --score latency_ms": (2, "'query' splits the runs", "--task query"),
    "rank queries.csv --score latency_ms --task query": (0, "repeat: column 'iteration' (guessed)", "polars is better than pandas"),
    "compare chemistry.parquet --score MAE": (2, "'property' splits the runs", "--task property"),
    "compare chemistry.parquet --score MAE --task property": (2, "'split' splits the runs", "--task property --task split"),
    "compare speech.csv": (0, "Whisper is better than Kaldi", "task: column 'Korpus' (guessed)", "is written with percent signs and decimal commas"),
    "summary curves.csv --budget 5000": (0, "12 runs", "the score of a run is its last value at or before step 5,000"),
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


@pytest.mark.parametrize("command", ["summary", "sources", "compare", "rank", "check", "plot", "report", "plan"])
def test_every_command_that_counts_runs_says_how_failures_count(command, capsys):
    assert main([command, "--help"]) == 0
    assert "--failures" in capsys.readouterr().out


def test_the_commands_that_the_help_begins_with_answer_for_three_methods(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{m},{s},{0.1 * i + 0.01 * s}" for i, m in enumerate("abc") for s in range(8)]
    (tmp_path / "scores.csv").write_text("\n".join(["method,seed,accuracy", *rows]))
    named = re.findall(r"ogive (\w+ scores\.csv)", app.info.epilog or "")
    assert len(named) == 4
    for line in named:
        assert main(line.split()) == 0, capsys.readouterr().err
