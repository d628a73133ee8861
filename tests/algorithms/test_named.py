"""The five classifiers of the paper: spaces, settings, silence."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from ogive import algorithms, tasks
from ogive.algorithms import Algorithm
from ogive.seeding import stream

MAKERS = ["knn", "random_forest", "svm", "logistic_regression", "neural_network"]


def configs(name, n=600):
    space = getattr(algorithms, name)().space
    return [space.sample(stream(0, "config", trial=i)) for i in range(n)]


@pytest.mark.parametrize("name", MAKERS)
def test_every_one_learns_moons_better_than_chance(name):
    algorithm = getattr(algorithms, name)()

    def accuracy(trial):
        config = algorithm.space.sample(stream(1, "config", trial=trial))
        draw = tasks.moons(n=300).draw(stream(1, "data", trial=trial))
        return algorithm.evaluate(config, draw, stream(1, "train", trial=trial)).scores["accuracy"]

    assert any(accuracy(trial) > 0.7 for trial in range(3))


def test_spaces_are_those_of_appendix_a():
    assert {c["n_neighbors"] for c in configs("knn")} == {3, 4, 5, 10, 25, 50}
    forests = configs("random_forest")
    trees = np.array([c["n_estimators"] for c in forests])
    assert trees.min() >= 10
    assert trees.max() <= 99
    assert abs(np.mean(trees < 10**1.5) - 0.5) < 0.1  # half of a log-uniform draw lies below the geometric mean
    assert {c["min_samples_split"] for c in forests} == {2, 4, 8, 16}
    assert {c["min_samples_leaf"] for c in forests} == {1, 3, 5}
    assert {c["criterion"] for c in forests} == {"gini", "entropy"}
    networks = configs("neural_network")
    assert len({c["hidden_layer_sizes"] for c in networks}) == 12
    assert {c["activation"] for c in networks} == {"logistic", "tanh", "relu"}
    assert all(1e-4 <= c["learning_rate_init"] <= 0.1 for c in networks)
    assert all(1e-4 <= c["estimator__C"] <= 1e4 for c in configs("logistic_regression"))


def test_a_degree_is_drawn_only_for_a_quarter_of_the_machines_the_polynomial_ones():
    machines = configs("svm", 2000)
    assert all(("degree" in c) == (c["kernel"] == "poly") for c in machines)
    assert abs(np.mean([c["kernel"] == "poly" for c in machines]) - 0.25) < 0.05
    assert {c["degree"] for c in machines if "degree" in c} == {2, 3, 4, 5}


def test_settings_are_those_of_the_table():
    svm = algorithms.svm().function.estimator
    assert svm.gamma == "auto"
    network = algorithms.neural_network().function.estimator
    assert (network.solver, network.early_stopping, network.n_iter_no_change, network.max_iter) == (
        "adam",
        True,
        10,
        200,
    )
    logistic = algorithms.logistic_regression().function.estimator
    assert (logistic.estimator.solver, logistic.estimator.max_iter) == ("saga", 1000)


def test_stopping_at_the_limit_is_silent_for_the_named_ones_only():
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    rng = np.random.default_rng(0)
    part = (rng.normal(size=(40, 5)) * [1, 1e3, 1, 1, 1], rng.integers(0, 2, 40))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        algorithms.logistic_regression().evaluate({"estimator__C": 1e4}, (part, part), stream(0, "train"))
        assert not seen
        loud = Algorithm.from_estimator(OneVsRestClassifier(LogisticRegression(solver="saga", max_iter=1000)))
        loud.evaluate({"estimator__C": 1e4}, (part, part), stream(0, "train"))
        assert {w.category for w in seen} == {ConvergenceWarning}


def test_names_and_scorers_can_be_chosen():
    algorithm = algorithms.knn(name="neighbors", scoring=["accuracy", "neg_log_loss"])
    assert (algorithm.name, list(algorithm.metrics)) == ("neighbors", ["accuracy", "neg_log_loss"])
