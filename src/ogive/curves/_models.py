"""Models by name, or any estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from ogive.algorithms import Algorithm, estimator_name
from ogive.errors import InputError


def _nmc() -> Any:
    from ogive.curves._estimators import NearestMean

    return NearestMean()


def _knn() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(n_neighbors=1)


def _lda() -> Any:
    from ogive.curves._estimators import LinearDiscriminant

    return LinearDiscriminant(jitter=1e-8)


def _qda() -> Any:
    from ogive.curves._estimators import QuadraticDiscriminant

    return QuadraticDiscriminant(jitter=1e-8)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    # Newton's method reaches the maximum of the likelihood on raw features, in a tenth of the time that lbfgs
    # needs to come near it. Where classes can be separated there is no maximum: it stops when the gradient is
    # below 1e-4, or after 100 steps.
    return OneVsRestClassifier(LogisticRegression(C=float("inf"), solver="newton-cholesky", max_iter=100))


def _linear_svm() -> Any:
    from ogive.curves._estimators import LinearMachine

    return LinearMachine(penalty=1e-4)


def _rbf_svm() -> Any:
    from ogive.curves._estimators import KernelMachine

    return KernelMachine(C=1.0, bandwidth=1.0)


def _tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(min_samples_leaf=10)


def _forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=20)


def _adaboost() -> Any:
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=100)


# The settings of Turan, Loog and Tax (2026): raw features, and what their program used.
MODELS: dict[str, Callable[[], Any]] = {
    "nmc": _nmc,
    "knn": _knn,
    "lda": _lda,
    "qda": _qda,
    "logistic": _logistic,
    "linear_svm": _linear_svm,
    "rbf_svm": _rbf_svm,
    "tree": _tree,
    "forest": _forest,
    "adaboost": _adaboost,
}
NOT_CALIBRATED = "brier and cross_entropy are of the logistic function of decision values, which is not calibrated"


def as_models(models: Any) -> dict[str, Any]:
    """Name to estimator: from a name, an estimator, a list of them, or a dictionary."""
    if models in ("all", ["all"]):
        models = list(MODELS)
    if isinstance(models, Mapping):
        found = {_checked_name(name): _estimator(model) for name, model in models.items()}
    else:
        alone = isinstance(models, (str, Algorithm)) or hasattr(models, "get_params")
        several = [models] if alone else models
        if not isinstance(several, Iterable) or isinstance(several, type):
            raise InputError(
                f"`models` must be names, estimators or a dictionary of name to either; got {type(models).__name__}."
            )
        found = {}
        for model in several:
            name = (
                model
                if isinstance(model, str)
                else model.name
                if isinstance(model, Algorithm)
                else estimator_name(model)
            )
            if name in found:
                raise InputError(f"`models` must have different names; {name!r} comes twice. Use a dictionary.")
            found[name] = _estimator(model)
    if not found:
        raise InputError("`models` must name at least one; got none.")
    return found


def one_vs_rest(estimators: Mapping[str, Any], n_classes: int) -> dict[str, Any]:
    """Those models that tell all classes apart at once, as one classifier for each class against the rest.

    With two classes that is what they do anyway; machines and logistic regression have it inside.
    """
    from sklearn.multiclass import OneVsRestClassifier

    from ogive.curves._estimators import KernelMachine, LinearMachine

    has_it = (OneVsRestClassifier, LinearMachine, KernelMachine)
    return {
        name: OneVsRestClassifier(estimator)
        for name, estimator in estimators.items()
        if n_classes > 2 and not isinstance(estimator, has_it)
    }


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(f"`models` must be named with printable text; got {name!r}.")
    return name


def _estimator(model: Any) -> Any:
    if isinstance(model, str):
        if model not in MODELS:
            close = get_close_matches(model, MODELS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(MODELS)}."
            raise InputError(f"`models` must be names of models or estimators; got {model!r}: {hint}")
        return MODELS[model]()
    if isinstance(model, Algorithm):
        from ogive.curves._searched import Searched

        return Searched.of(model)
    Algorithm.from_estimator(model, scoring=_own_score)  # refuses what is no estimator
    return model


def _own_score(model: Any, X: Any, y: Any) -> float:
    """What the estimator itself calls its score; curves have metrics of their own."""
    return float(model.score(X, y))


def described(estimator: Any) -> Any:
    """Class and parameters in JSON's own types."""
    search = getattr(estimator, "algorithm", None)
    if isinstance(search, Algorithm):
        return search.fingerprint()
    return Algorithm.from_estimator(estimator, scoring=_own_score).fingerprint()["estimator"]
