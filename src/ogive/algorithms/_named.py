"""The five classifiers of Jordan et al. (2018), with the spaces of their Appendix A.

Where the paper says nothing the defaults of scikit-learn in 2018 hold, because with them the
published table is met: `gamma="auto"`, one-versus-rest logistic regression, and a patience of ten
epochs for the network.

References
----------
Jordan, Cohen and Thomas (2018), Using Cumulative Distribution Based Performance Analysis to
Benchmark Models, Appendix A.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from ogive.algorithms._algorithm import Algorithm
from ogive.algorithms._estimator import Fitted
from ogive.spaces import choice, log_integer, loguniform, when

UNITS = (50, 100, 150)
LAYERS = [(n,) for n in UNITS] + list(product(UNITS, UNITS))


def knn(*, name: str = "kNN", scoring: Any = None) -> Algorithm:
    """Nearest neighbors, 3, 4, 5, 10, 25 or 50 of them."""
    from sklearn.neighbors import KNeighborsClassifier

    space = {"n_neighbors": choice([3, 4, 5, 10, 25, 50])}
    return Algorithm.from_estimator(KNeighborsClassifier(), space, name=name, scoring=scoring)


def random_forest(*, name: str = "RF", scoring: Any = None) -> Algorithm:
    """A random forest of 10 to 99 trees, log-uniformly; criterion and sizes of nodes and leaves vary."""
    from sklearn.ensemble import RandomForestClassifier

    space = {
        "n_estimators": log_integer(10, 100),
        "criterion": choice(["gini", "entropy"]),
        "min_samples_split": choice([2, 4, 8, 16]),
        "min_samples_leaf": choice([1, 3, 5]),
    }
    return Algorithm.from_estimator(RandomForestClassifier(), space, name=name, scoring=scoring)


def svm(*, name: str = "SVM", scoring: Any = None) -> Algorithm:
    """A support vector machine: C log-uniform, four kernels, a degree only for polynomials."""
    from sklearn.svm import SVC

    space = {
        "C": loguniform(0.01, 100),
        "kernel": choice(["linear", "poly", "rbf", "sigmoid"]),
        "degree": when(choice([2, 3, 4, 5]), kernel="poly"),
    }
    return Algorithm.from_estimator(SVC(gamma="auto"), space, name=name, scoring=scoring)


def logistic_regression(*, name: str = "LR", scoring: Any = None) -> Algorithm:
    """Logistic regression, one class against the rest, C log-uniform, at most 1000 passes of saga."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    estimator = OneVsRestClassifier(LogisticRegression(solver="saga", max_iter=1000))
    space = {"estimator__C": loguniform(1e-4, 1e4)}
    return _quiet(Algorithm.from_estimator(estimator, space, name=name, scoring=scoring))


def neural_network(*, name: str = "NN", scoring: Any = None) -> Algorithm:
    """A network of one or two layers trained by Adam, stopped early or after 200 epochs."""
    from sklearn.neural_network import MLPClassifier

    estimator = MLPClassifier(solver="adam", early_stopping=True, n_iter_no_change=10, max_iter=200)
    space = {
        "activation": choice(["logistic", "tanh", "relu"]),
        "hidden_layer_sizes": choice(LAYERS),
        "learning_rate_init": loguniform(1e-4, 0.1),
    }
    return _quiet(Algorithm.from_estimator(estimator, space, name=name, scoring=scoring))


def _quiet(algorithm: Algorithm) -> Algorithm:
    """The same algorithm without a warning for fits that stop at their limit, which is meant here."""
    function = algorithm.function
    assert isinstance(function, Fitted)
    return Algorithm(algorithm.name, replace(function, quiet=True), algorithm.space, metrics=algorithm.metrics)
