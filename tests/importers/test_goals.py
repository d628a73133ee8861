"""Which scores are good: said by their names, or assumed aloud, or asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.cli import main
from ogive.errors import InputError
from ogive.metric import goal_in_name
from ogive.notes import NoteKind

SMALL = (
    "makespan", "rmsd", "iterations", "evals", "evaluations", "memory_mb", "energy", "gap", "IGD", "chamfer", "toxicity", "n_violations",
    "steps_to_solve", "accuracy_drop", "1-accuracy", "Laufzeit", "Laufzeit (s)", "Kosten", "Fehler", "Testfehler", "Verlust", "time",
    "val_loss", "errors_per_second", "seconds_per_token", "durée", "1 - AUC",
)  # fmt: skip
LARGE = (
    "accuracy", "f1", "auc", "return", "reward", "score", "test_score", "throughput", "tokens_per_second", "speedup", "hypervolume",
    "Genauigkeit", "Trefferquote", "pass@1", "top-1", "neg_mean_squared_error", "time_saved", "gap_reduction", "success_rate", "mAP",
    "neg_energy", "cost_reduction",
)  # fmt: skip
UNKNOWN = ("glossary", "value", "objective", "width", "size", "steps", "x", "result")


RATES = {
    "maximize": (
        "queries_per_second", "iterations_per_second", "mb_per_second", "calls_per_second", "nodes_per_second", "MB/s", "it/s",
        "iterations per minute", "tokens_per_gpu_second", "accuracy_per_joule", "accuracy_per_unit_time", "reward_per_cost", "flops_per_watt",
        "mean_per_class_accuracy", "recall_at_fpr", "success_after_delay", "hits_at_rank_1",
    ),
    "minimize": (
        "time_per_query", "seconds_per_iteration", "loss_per_token", "memory_per_node", "energy_per_query", "collisions_per_hour",
        "errors_per_second", "mean_per_class_error", "per_sample_loss", "error_in_percent", "gap_to_best", "drop_in_accuracy",
        "queries_until_success", "rank_by_accuracy", "val/loss",
    ),
    None: ("conflicts_per_second", "tokens_per_joule", "steps_per_success"),
}  # fmt: skip
BESIDE = {
    "maximize": (
        "mean_reciprocal_rank", "rank_correlation", "rank1_accuracy", "rank_ic", "memory_accuracy", "gap_closed", "nodes_solved", "bugs_fixed",
        "energy_efficiency", "mrr", "MRR@10", "Spearman rank correlation",
    ),
    "minimize": (
        "accuracy_drop", "auc_gap", "success_gap", "reward penalty", "toxicity_score", "fitness_evaluations", "f_evals", "mean_rank",
        "energy_kwh", "memory_mb",
    ),
    None: ("bugs_found", "violations_found", "accuracy_rank", "gap_accuracy", "memory_score", "successful_queries"),
}  # fmt: skip


def table(name: str, scale: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    values = scale * np.r_[rng.uniform(0.1, 0.4, 12), rng.uniform(0.6, 0.9, 12)]
    return pd.DataFrame({"method": ["low"] * 12 + ["high"] * 12, "run": [*range(12)] * 2, name: values})


@pytest.mark.parametrize(
    ("names", "goal"), [(SMALL, "minimize"), (LARGE, "maximize"), (UNKNOWN, None)], ids=["small", "large", "unknown"]
)
def test_names_say_which_scores_are_good_or_say_nothing(names, goal):
    assert {name: goal_in_name(name) for name in names} == dict.fromkeys(names, goal)


@pytest.mark.parametrize("names", [RATES, BESIDE], ids=["rates", "beside"])
def test_the_words_of_what_is_measured_decide_and_words_that_contradict_each_other_say_nothing(names):
    said = {name: goal for goal, these in names.items() for name in these}
    assert {name: goal_in_name(name) for name in said} == said


@pytest.mark.parametrize("name", ["makespan", "iterations", "Laufzeit", "Kosten"])
def test_of_what_is_to_be_small_the_small_one_is_first(name):
    trials = ogive.read(table(name, 100.0), score=name)
    assert ogive.rank(trials).leaders == ("low",)
    assert NoteKind.GOAL_GUESSED in {note.kind for note in trials.notes}


def test_a_name_that_says_nothing_is_a_fact_of_its_own_and_part_of_the_claim():
    trials = ogive.read(table("value"))
    note = next(n for n in trials.notes if n.kind is NoteKind.GOAL_UNKNOWN)
    assert (note.argument, note.values["goal"], note.is_doubtful) == ("goal", "maximize", True)
    assert NoteKind.GOAL_GUESSED not in {n.kind for n in trials.notes}
    one = ogive.read(table("value").query("method == 'low'"))
    answers = (ogive.compare(trials, "low", "high"), ogive.rank(trials), ogive.check(one, one, margin=0.1))
    for answer in answers:
        assert "counted as good" in answer.verdict
    said = ogive.read(table("value"), goal="maximize")
    assert "counted as good" not in ogive.rank(said).verdict
    again = ogive.read(trials, goal="minimize")
    assert ogive.rank(again).leaders == ("low",)
    assert NoteKind.GOAL_UNKNOWN not in {n.kind for n in again.notes}


@pytest.mark.parametrize("ask", [lambda t: ogive.rank(t), lambda t: ogive.compare(t, "low", "high")])
def test_numbers_that_may_be_times_or_counts_get_no_verdict_before_somebody_says(ask):
    trials = ogive.read(table("value", 100.0))
    with pytest.raises(InputError, match=r"'value'.*goal='minimize'") as caught:
        ask(trials)
    assert caught.value.args[0].kind is NoteKind.ASKS_GOAL
    ask(ogive.read(table("value", 100.0), goal="minimize"))
    ask(ogive.read(table("value").assign(value=lambda t: t.value - 0.5)))  # what is below 0 is no time


def test_a_name_that_nobody_gave_is_no_evidence(tmp_path: Path, capsys):
    rng = np.random.default_rng(1)
    fast = rng.uniform(20, 60, 15)
    wide = pd.DataFrame({"instance": [f"p{i}" for i in range(15)], "fast": fast, "slow": 2 * fast})
    wide.to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(InputError, match="goal='minimize'"):
        ogive.rank(ogive.read(wide, wide=True))
    assert main(["rank", str(tmp_path / "wide.csv"), "--wide", "-q"]) == 2
    assert "--goal minimize" in capsys.readouterr().err
    assert main(["rank", str(tmp_path / "wide.csv"), "--wide", "-q", "--goal", "minimize"]) == 0
    assert "fast is better than slow" in capsys.readouterr().out
    wide[["fast", "slow"]] /= 200
    wide.to_csv(tmp_path / "wide.csv", index=False)
    assert main(["rank", str(tmp_path / "wide.csv"), "--wide", "-q"]) == 0
    assert "counted as good: say --goal minimize" in " ".join(capsys.readouterr().out.split())
    long = wide.melt("instance", var_name="solver", value_name="score")
    assert NoteKind.GOAL_GUESSED in {n.kind for n in ogive.read(long).notes}  # a column that somebody called score


def test_words_for_right_and_wrong_say_which_is_good_whatever_their_column_is_called():
    rows = pd.DataFrame({"model": ["a", "b"] * 6, "verdict": ["correct", "incorrect", "correct"] * 4})
    assert NoteKind.GOAL_UNKNOWN not in {n.kind for n in ogive.read(rows).notes}
