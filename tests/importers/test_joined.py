"""Several sources under each other, and several columns that make one name together."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError


def study(name: str, metric: str | None = None):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    made = optuna.create_study(study_name=name, sampler=optuna.samplers.RandomSampler(seed=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.set_metric_names([metric] if metric else ["value"])
    made.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    return made


def search(*metrics: str) -> dict:
    return {"params": [{"C": 1}, {"C": 2}], **{f"mean_test_{m}": [0.1, 0.2] for m in metrics}}


def test_studies_whose_metrics_have_different_names_are_refused_with_both_names():
    with pytest.raises(InputError, match=r"B .*'value'.*'loss'"):
        ogive.read([study("A"), study("B", "loss")])
    assert not ogive.read([study("A", "loss"), study("B", "loss")]).failed().any()


def test_searches_without_a_shared_metric_are_refused_and_a_shared_one_may_be_chosen():
    with pytest.raises(InputError, match=r"^b .*'acc'.*'score'"):
        ogive.read({"a": search("acc", "nll"), "b": search("score")})
    searches = {"a": search("acc", "nll"), "b": search("acc")}
    with pytest.raises(InputError, match=r"^b .*'nll'.*'acc'"):
        ogive.read(searches)
    assert not ogive.read(searches, score="acc").failed().any()


@pytest.mark.parametrize("said", [{"score": "score"}, {}], ids=["said", "guessed"])
def test_files_that_lack_the_score_are_refused_with_their_columns(tmp_path: Path, said):
    pd.DataFrame({"score": [0.1, 0.2]}).to_csv(tmp_path / "s1.csv", index=False)
    pd.DataFrame({"acc": [0.3, 0.4]}).to_csv(tmp_path / "s2.csv", index=False)
    with pytest.raises(InputError, match=r"s2.csv.*'score'.*'acc'"):
        ogive.read([tmp_path / "s1.csv", tmp_path / "s2.csv"], **said)


def table(**columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame({**columns, "score": np.arange(8.0)})


@pytest.mark.parametrize("role", ["algorithm", "task"])
@pytest.mark.parametrize("gap", [None, "", "  ", np.nan])
def test_a_name_with_a_missing_part_is_refused(role, gap):
    frame = table(p=["a", gap] * 4, q=["c", "d"] * 4)
    with pytest.raises(InputError, match=f"`{role}`: column 'p' is empty in 4 of 8 rows.*where='p!='"):
        ogive.read(frame, **{role: ["p", "q"]}, unit="row")
    names = ogive.read(frame, **{role: ["p", "q"]}, unit="row", where="p!=")
    assert (names.algorithms if role == "algorithm" else names.tasks) == ("a / c",)


def test_different_parts_that_make_one_name_are_refused():
    frame = table(p=["a / b", "a"] * 4, q=["c", "b / c"] * 4)
    with pytest.raises(InputError, match=r"'a / b' and 'c'.*'a' and 'b / c'.*'a / b / c'"):
        ogive.read(frame, algorithm=["p", "q"], unit="row")


@pytest.mark.parametrize("other", ["task", "repeat", "score", "unit", "item"])
def test_a_column_under_two_roles_is_refused_with_both(other):
    frame = table(model=["a", "b"] * 4, size=[1, 1, 2, 2] * 2)
    with pytest.raises(InputError, match=f"column 'size' is named under `algorithm` and under `{other}`"):
        ogive.read(frame, algorithm=["model", "size"], **{other: "size"})


def test_a_column_within_two_names_is_refused():
    frame = table(model=["a", "b"] * 4, size=[1, 1, 2, 2] * 2, data=list("xxxxyyyy"))
    with pytest.raises(InputError, match=r"'size'.*`algorithm`.*`task`"):
        ogive.read(frame, algorithm=["model", "size"], task=["data", "size"])


def test_one_column_does_not_name_both_methods_and_tasks():
    with pytest.raises(InputError, match=r"'model'.*`algorithm`.*`task`"):
        ogive.read(table(model=["a", "b"] * 4), algorithm="model", task="model")


def test_numbers_and_words_make_names():
    frame = table(model=["a", "b"] * 4, size=[1, 1, 2, 2] * 2)
    assert ogive.read(frame, algorithm=["model", "size"], unit="row").algorithms == ("a / 1", "b / 1", "a / 2", "b / 2")
