"""A column that nobody declared and that splits the runs of a method is asked about, whatever numbers the runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.notes import NoteKind


def simpson(column: str = "region") -> pd.DataFrame:
    """B is better in both regions, and has most of its runs in the hard one."""
    rng = np.random.default_rng(0)
    cells = [("A", "easy", 20, 0.95), ("A", "hard", 5, 0.60), ("B", "easy", 5, 0.97), ("B", "hard", 20, 0.65)]
    rows = [
        {"model": m, column: r, "i": i, "accuracy": rng.normal(mean, 0.01)} for m, r, n, mean in cells for i in range(n)
    ]
    return pd.DataFrame(rows)


def kind_of_question(table: pd.DataFrame, **said) -> NoteKind | None:
    question = ogive.read(table, score="accuracy", **said).question
    return None if question is None else question.kind


NUMBERS = ("run", "Lauf", "Wiederholung", "attempt", "idx", "job_id", "experiment_id")


@pytest.mark.parametrize("column", ["region", "settings"])
@pytest.mark.parametrize("name", [None, *NUMBERS, "wandb_name", "through"])
def test_regions_that_decide_the_score_are_asked_about_whatever_numbers_the_runs(name, column):
    table = simpson(column)
    again = table.drop(columns="i") if name is None else table.rename(columns={"i": name})
    through = again if name is None else again.assign(**{name: [f"run-{i}" for i in range(50)]})
    for one in (again, through):
        with pytest.raises(InputError, match=rf"'{column}' splits the runs of a method on a task into 2 sets"):
            ogive.compare(ogive.read(one, score="accuracy"), "A", "B")
        assert kind_of_question(one, where=f"{column}=easy", without=None) is None
        assert kind_of_question(one, task=column) is None
        assert kind_of_question(one, varied=column) is not NoteKind.ASKS_SPLIT


@pytest.mark.parametrize("name", ["attempt", "idx", "job_id", "nr"])
def test_a_plan_is_seen_where_any_column_numbers_the_runs(name):
    rng = np.random.default_rng(1)
    rows = [
        {"model": m, "region": r, name: i, "accuracy": rng.normal()} for m in "ab" for r in ("north", "south") for i in range(10)
    ]  # fmt: skip
    assert kind_of_question(pd.DataFrame(rows)) is NoteKind.ASKS_SPLIT


@pytest.mark.parametrize(
    "names",
    [
        ("Modell", "Datensatz", "Lauf", "Genauigkeit"), ("Verfahren", "Aufgabe", "Wiederholung", "Genauigkeit"),
        ("modèle", "tâche", "essai", "exactitude"), ("modelo", "tarea", "repetición", "exactitud"),
    ],
)  # fmt: skip
def test_words_of_other_languages_name_their_roles(names):
    model, task, run, score = names
    rows = [{model: m, task: d, run: i, score: 0.5 + i / 10} for m in "ab" for d in "xy" for i in range(3)]
    trials = ogive.read(pd.DataFrame(rows))
    assert (trials.algorithms, trials.tasks, trials.metrics) == (("a", "b"), ("x", "y"), (score,))
    assert trials.goals == {score: "maximize"}


def test_methods_in_a_column_of_any_name_are_asked_about_where_they_decide_the_score():
    table = simpson().rename(columns={"model": "Malli", "i": "Ajo"}).drop(columns="region")
    table["accuracy"] = np.random.default_rng(2).normal(size=50) + 3.0 * (table.Malli == "B")
    assert kind_of_question(table) is NoteKind.ASKS_METHOD


@pytest.mark.parametrize("named", [True, False])
def test_words_that_say_nothing_about_the_score_are_hardly_ever_asked_about(named):
    rng = np.random.default_rng(3)
    asked = 0
    for _ in range(150):
        n = int(rng.integers(6, 40))
        table = pd.DataFrame({"model": ["a"] * n + ["b"] * n, "accuracy": rng.normal(size=2 * n)})
        table["pool"] = rng.choice(["x", "y", "z"], 2 * n, p=[0.6, 0.3, 0.1])
        table["queue"] = ["p"] * n + ["q"] * n  # another for each method, as where hosts ran one each
        if named:
            table["seed"] = rng.integers(0, 10**9, 2 * n)
        asked += kind_of_question(table) is not None
    assert asked == 0


def test_words_that_a_search_drew_are_not_asked_about_though_they_matter():
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"lr": rng.uniform(size=80), "activation": rng.choice(["relu", "tanh"], 80)})
    table["accuracy"] = rng.normal(size=80) + 5.0 * (table.activation == "relu")
    assert kind_of_question(table) is None
    assert kind_of_question(table.rename(columns={"lr": "param_lr"})) is None
    assert (
        kind_of_question(table.drop(columns="lr").assign(model="m")) is NoteKind.ASKS_SPLIT
    )  # nothing says that it was drawn


@pytest.mark.parametrize("name", ["host", "date", "notes", "stop_reason", "answer"])
def test_what_is_kept_about_running_is_not_asked_about_though_scores_follow_it(name):
    assert kind_of_question(simpson(name)) is None


def test_what_a_question_is_about_splits_no_runs():
    rng = np.random.default_rng(5)
    rows = [
        {"model": m, "question_id": q, "category": "math" if q % 3 else "law", "accuracy": rng.normal(3 * (q % 3 > 0))}
        for m in "ab" for q in range(60)
    ]  # fmt: skip
    assert kind_of_question(pd.DataFrame(rows)) is None


@pytest.mark.parametrize("beside", ["energy_kwh", "temperature", "memory_gb", "wall", "load"])
def test_what_was_measured_beside_the_score_hides_no_split(beside):
    table = simpson().drop(columns="i").sample(frac=1.0, random_state=0)
    table[beside] = np.random.default_rng(6).uniform(size=50)
    assert kind_of_question(table) is NoteKind.ASKS_SPLIT


@pytest.mark.parametrize(
    "codes", [(True, False), ("yes", "no"), (0, 1), (1, 2), (3, 7)], ids=["truths", "words", "bits", "counted", "codes"]
)
def test_truths_and_codes_split_runs_as_words_do(codes):
    table = simpson("augmented")
    table["augmented"] = [codes[region == "hard"] for region in table["augmented"]]
    assert kind_of_question(table.drop(columns="i")) is NoteKind.ASKS_SPLIT
    assert (
        kind_of_question(table.drop(columns="i").rename(columns={"augmented": "converged"})) is not NoteKind.ASKS_SPLIT
    )


@pytest.mark.parametrize("cuts", [(0.5,), (0.3, 0.6, 0.8), (0.9,)])
@pytest.mark.parametrize("kind", ["words", "truths", "codes"])
def test_words_made_from_the_score_are_hardly_ever_asked_about(cuts, kind):
    asked = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = pd.DataFrame({"model": ["a"] * 60 + ["b"] * 60, "accuracy": rng.uniform(size=120)})
        band = np.searchsorted(cuts, table.accuracy)
        table["bucket"] = (
            band if kind == "codes" else band > 0 if kind == "truths" else [f"level {'DCBA'[i]}" for i in band]
        )
        asked += kind_of_question(table) is not None
        right = table.assign(accuracy=(table.accuracy > cuts[0]).astype(float))
        right["bucket"] = np.where(right.accuracy > 0, "won", "lost")
        assert kind_of_question(right) is None
    assert asked <= 1


def test_of_two_parameters_of_a_search_the_question_names_the_way_to_declare_them():
    rng = np.random.default_rng(7)
    table = pd.DataFrame(
        {"model": "m", "lr": rng.choice([1e-4, 1e-3, 1e-2], 80), "act": rng.choice(["relu", "tanh"], 80)}
    )
    table["accuracy"] = rng.normal(size=80) + 3.0 * (table.act == "relu")
    question = ogive.read(table, score="accuracy").question
    assert question.kind is NoteKind.ASKS_SPLIT
    assert "params='act' if it is a hyper-parameter" in str(question)
    assert kind_of_question(table, params=["lr", "act"]) is not NoteKind.ASKS_SPLIT


def test_random_truths_and_codes_are_hardly_ever_asked_about():
    rng = np.random.default_rng(8)
    asked = 0
    for _ in range(300):
        n = int(rng.integers(6, 40))
        table = pd.DataFrame({"model": ["a"] * n + ["b"] * n, "accuracy": rng.normal(size=2 * n)})
        table["augmented"] = rng.choice([True, False], 2 * n)
        table["shard"] = rng.integers(1, 5, 2 * n)
        table["pool"] = rng.choice(["x", "y", "z"], 2 * n, p=[0.6, 0.3, 0.1])
        table["load"] = rng.uniform(size=2 * n)
        asked += kind_of_question(table) is not None
    assert asked == 0
