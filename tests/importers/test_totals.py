"""A row that sums up the others is no task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.cli import main
from ogive.errors import InputError
from ogive.notes import NoteKind


def wide(name: str, *, off: float = 0.0, n: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"dataset": [f"d{i}" for i in range(n)], "A": rng.uniform(0.8, 0.9, n), "B": rng.uniform(0.7, 0.8, n)}
    )
    table = table.round(4)
    means = table[["A", "B"]].mean().round(4) + off
    return pd.concat([table, pd.DataFrame([{"dataset": name, **means}])], ignore_index=True)


NAMES = ("Average", "Mean", "Mittelwert", "Overall", "Total", "ALL", "Avg.", "**Average**", "macro avg", "Average (5)")


@pytest.mark.parametrize("name", NAMES)
def test_the_row_of_means_is_left_out_aloud_whatever_the_shape(name):
    table = wide(name)
    long = table.melt("dataset", var_name="model", value_name="score")
    for trials in (ogive.read(table, wide=True), ogive.read(long)):
        assert trials.tasks == ("d0", "d1", "d2", "d3", "d4")
        note = next(n for n in trials.notes if n.kind is NoteKind.TOTALS_LEFT_OUT)
        assert (note.values["names"], note.values["n"], note.is_warning) == ((name,), 2, True)
        assert trials.question is None


@pytest.mark.parametrize("ways", ["geo", "sum", "median"])
def test_other_ways_to_sum_up_are_known(ways):
    table = wide("Overall")
    each = table.iloc[:-1, 1:]
    table.iloc[-1, 1:] = {"geo": np.exp(np.log(each).mean()), "sum": each.sum(), "median": each.median()}[ways].round(3)
    assert ogive.read(table, wide=True).tasks == ("d0", "d1", "d2", "d3", "d4")


def test_a_row_that_is_only_called_so_is_asked_about_with_a_way_out_that_works(tmp_path: Path, capsys):
    table = wide("Overall", off=0.02)
    trials = ogive.read(table, wide=True)
    assert trials.question.kind is NoteKind.ASKS_TOTAL
    with pytest.raises(InputError, match="where='dataset!=Overall'"):
        ogive.rank(trials)
    assert len(ogive.read(table, wide=True, where="dataset!=Overall").tasks) == 5
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    assert main(["rank", str(path), "--wide"]) == 2
    assert "--where 'dataset!=Overall'" in capsys.readouterr().err
    assert main(["rank", str(path), "--wide", "--where", "dataset!=Overall"]) == 0


def test_a_task_that_is_the_only_one_may_be_called_all():
    table = pd.DataFrame({"model": list("aabb"), "task": ["all"] * 4, "score": [1.0, 2, 3, 4]})
    assert ogive.read(table).tasks == ("all",)


@pytest.mark.parametrize("name", ["Mean Girls", "Totality", "Allrecipes", "average-precision-task"])
def test_a_task_that_is_called_otherwise_is_a_task(name):
    trials = ogive.read(wide(name), wide=True)
    assert (len(trials.tasks), trials.question) == (6, None)


@pytest.mark.parametrize("seeds", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-5])
def test_a_task_that_is_called_sum_is_asked_about_where_right_and_wrong_have_no_decimals(tmp_path: Path, seeds, scale):
    rng = np.random.default_rng(0)
    rows = [
        {"method": method, "task": task, "seed": seed, "correct": scale * int(rng.random() < p)}
        for method, p in (("a", 0.8), ("b", 0.5)) for task in ("sum", "max", "sort") for seed in range(40)
    ]  # fmt: skip
    table = pd.DataFrame(rows) if seeds else pd.DataFrame(rows).drop(columns="seed")
    trials = ogive.read(table, score="correct")
    assert set(trials.tasks) == {"sum", "max", "sort"}
    assert trials.question.kind is NoteKind.ASKS_TOTAL
    table.to_csv(tmp_path / "ops.csv", index=False)
    assert main(["compare", str(tmp_path / "ops.csv"), "a", "b", "--score", "correct"]) == 2


@pytest.mark.parametrize("name", ["media", "all", "total"])
def test_tiny_scores_have_decimals_too(name):
    table = wide(name, off=0.02)
    table[["A", "B"]] *= 1e-5
    assert ogive.read(table, wide=True).question.kind is NoteKind.ASKS_TOTAL
    table = wide(name)
    table[["A", "B"]] *= 1e-5
    assert len(ogive.read(table, wide=True).tasks) == 5


def test_a_mean_of_each_run_is_left_out_and_one_that_belongs_to_no_run_is_asked_about():
    rng = np.random.default_rng(0)
    each = pd.DataFrame(
        [
            {"model": m, "task": t, "seed": s, "score": round(rng.uniform(), 3)}
            for m in "ab"
            for t in "xyz"
            for s in range(5)
        ]
    )
    means = each.groupby(["model", "seed"], as_index=False).score.mean().round(3).assign(task="mean")
    table = pd.concat([each, means], ignore_index=True)
    assert ogive.read(table).tasks == ("x", "y", "z")
    once = each.groupby("model", as_index=False).score.mean().round(3).assign(task="mean", seed=0)
    assert ogive.read(pd.concat([each, once], ignore_index=True)).tasks == ("x", "y", "z")
    swapped = table.assign(score=np.where(table.task == "mean", table.score.to_numpy()[::-1], table.score))
    assert ogive.read(swapped).question.kind is NoteKind.ASKS_TOTAL
