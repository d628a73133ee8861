"""Several plain sources under each other."""

import warnings
from pathlib import Path

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
