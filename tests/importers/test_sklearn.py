"""scikit-learn's searches."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import loguniform
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingRandomSearchCV, RandomizedSearchCV, cross_validate

import ogive
from ogive.errors import InputError
from ogive.notes import Note, NoteKind

X, Y = make_classification(n_samples=60, random_state=0)
SPACE = {"C": loguniform(1e-3, 1e2), "solver": ["lbfgs", "liblinear"]}


@pytest.fixture(scope="module")
def search() -> RandomizedSearchCV:
    return RandomizedSearchCV(LogisticRegression(), SPACE, n_iter=6, cv=3, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def several() -> RandomizedSearchCV:
    scoring = ["accuracy", "neg_log_loss"]
    return RandomizedSearchCV(
        LogisticRegression(), SPACE, n_iter=5, cv=3, random_state=0, scoring=scoring, refit=False
    ).fit(X, Y)  # fmt: skip


def test_a_fitted_search_is_a_method_with_a_row_for_each_configuration(search):
    trials = ogive.read(search)
    assert trials.algorithms == ("LogisticRegression",)
    assert trials.scores().tolist() == search.cv_results_["mean_test_score"].tolist()
    assert trials.goals == {"score": "maximize"}
    assert (trials.varied, trials.independent, trials.question) == (("configuration",), True, None)
    frame = trials.to_pandas()
    assert frame["wall_s"].tolist() == search.cv_results_["mean_fit_time"].tolist()
    assert frame["params"].nunique() == 6
    assert '"solver":"l' in frame["params"][0]


def test_cv_results_alone_are_read_alike(search):
    assert ogive.read(search.cv_results_).scores().tolist() == ogive.read(search).scores().tolist()


def test_cv_results_alone_do_not_say_who_chose_the_configurations(search):
    assert ogive.read(search).independent
    trials = ogive.read(search.cv_results_)
    assert not trials.independent
    assert Note(NoteKind.NOT_INDEPENDENT, "independent") in trials.notes
    assert ogive.read(search.cv_results_, independent=True).independent


def test_a_halving_search_is_described_and_not_judged():
    halving = HalvingRandomSearchCV(LogisticRegression(), SPACE, n_candidates=4, cv=3, random_state=0).fit(X, Y)
    assert not ogive.read(halving).independent


def test_cv_results_as_a_frame_are_read_by_their_mean(search):
    trials = ogive.read(pd.DataFrame(search.cv_results_), score="mean_test_score")
    assert trials.scores().tolist() == search.cv_results_["mean_test_score"].tolist()
    assert trials.question is None


@pytest.mark.parametrize("dropped", [[], ["params"]], ids=["with params", "without"])
def test_results_of_a_search_in_a_frame_or_file_are_described_and_not_judged(several, tmp_path, dropped):
    frame = pd.DataFrame(several.cv_results_).drop(columns=dropped)
    frame.to_csv(tmp_path / "search.csv")
    for source in (frame, tmp_path / "search.csv"):
        trials = ogive.read(source)
        assert trials.goals == {"mean_test_accuracy": "maximize", "mean_test_neg_log_loss": "maximize"}
        assert (trials.independent, trials.varied) == (False, ("configuration",))
        assert ogive.read(source, score="mean_test_accuracy", independent=True).independent


def test_a_mean_over_tests_alone_is_no_search():
    assert ogive.read(pd.DataFrame({"model": ["a", "b"], "mean_test_acc": [0.1, 0.2]})).independent


def test_folds_of_cross_validate_are_refused_with_the_way_out():
    folds = cross_validate(LogisticRegression(), X, Y, cv=3)
    frame = pd.DataFrame(folds)
    for source in (folds, {"svm": folds, "knn": folds}, frame, frame.assign(model="svm")):
        with pytest.raises(InputError, match="cross_validate"):
            ogive.read(source)
    assert ogive.read(frame, score="test_score", unit="row").unit == "row"
    assert ogive.read(frame.rename_axis("fold"), score="test_score").n_folds == 3


@pytest.mark.parametrize(("n_iter", "independent"), [(2, True), (4, False)])
def test_random_draws_of_a_whole_grid_are_the_grid(n_iter, independent):
    lists = [{"C": [0.1, 1.0]}, {"fit_intercept": [True, False]}]
    search = RandomizedSearchCV(LogisticRegression(), lists, n_iter=n_iter, cv=2, random_state=0).fit(X, Y)
    assert ogive.read(search).independent == independent


def test_several_metrics_are_all_read_and_larger_is_better(several):
    trials = ogive.read(several)
    assert trials.metrics == ("accuracy", "neg_log_loss")
    assert set(trials.goals.values()) == {"maximize"}
    assert trials.scores(metric="neg_log_loss").tolist() == several.cv_results_["mean_test_neg_log_loss"].tolist()


def test_a_metric_that_would_hide_another_column_is_refused():
    with pytest.raises(InputError, match="'trial'"):
        ogive.read({"params": [{"C": 1}, {"C": 2}], "mean_test_trial": [0.1, 0.2]})


def test_several_searches_are_several_methods(search, several):
    assert ogive.read({"A": search, "B": search.cv_results_}).algorithms == ("A", "B")
    both = ogive.read([search, search])
    assert both.algorithms == ("LogisticRegression (1)", "LogisticRegression (2)")


def test_a_grid_is_described_and_not_judged():
    grid = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0, 10.0]}, cv=3).fit(X, Y)
    trials = ogive.read(grid)
    assert not trials.independent
    assert all(np.isnan(row.low) for row in ogive.summarize(trials).rows)
    assert ogive.read(grid, independent=True).independent


def test_a_fit_that_failed_is_a_failed_row(search):
    results = dict(search.cv_results_)
    results["mean_test_score"] = np.array([np.nan, *results["mean_test_score"][1:]])
    assert ogive.read(results).failed().tolist() == [True] + [False] * 5


def test_the_parameters_of_a_search_are_read_from_its_file_too(search, tmp_path):
    pd.DataFrame(search.cv_results_).to_csv(tmp_path / "search.csv")  # `params` holds np.float64(…) there
    found = ogive.read(tmp_path / "search.csv", independent=True).to_pandas()["params"]
    assert [json.loads(text)["param_C"] for text in found] == [p["C"] for p in search.cv_results_["params"]]
