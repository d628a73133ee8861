"""Scorers of scikit-learn, with their direction and bounds.

A scorer is always larger for the better: losses carry a minus and a name that starts with `neg_`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ogive.canonical import content, function_definition
from ogive.errors import InputError
from ogive.metric import Bounds, Metric

SHARE: Bounds = (0.0, 1.0)
SHARES = ("accuracy", "balanced_accuracy", "top_k_accuracy", "average_precision", "rand_score", "fowlkes_mallows_score",
          "homogeneity_score", "completeness_score", "v_measure_score", "normalized_mutual_info_score")  # fmt: skip
SHARE_FAMILIES = ("precision", "recall", "f1", "jaccard", "roc_auc")
OTHERS: dict[str, Bounds] = {
    "r2": (None, 1.0),
    "explained_variance": (None, 1.0),
    "d2_absolute_error_score": (None, 1.0),
    "d2_log_loss_score": (None, 1.0),
    "d2_brier_score": (None, 1.0),
    "adjusted_mutual_info_score": (None, 1.0),
    "adjusted_rand_score": (-0.5, 1.0),
    "matthews_corrcoef": (-1.0, 1.0),
    "mutual_info_score": (0.0, None),
    "positive_likelihood_ratio": (0.0, None),
    "neg_brier_score": (-2.0, 0.0),  # 1 for two classes, 2 for more
}


@dataclass(frozen=True, slots=True, eq=False)
class Scoring:
    """Metric name to scorer, in order."""

    scorers: Mapping[str, Callable[..., Any]]
    known: Mapping[str, str]  # metric name -> scikit-learn's name of its scorer

    @classmethod
    def of(cls, scoring: Any, estimator: Any) -> Scoring:
        """What `scoring=` means; the default of the estimator's kind where None."""
        asked = _by_name(_default(estimator) if scoring is None else scoring)
        scorers: dict[str, Callable[..., Any]] = {}
        known: dict[str, str] = {}
        for name, scorer in asked.items():
            if isinstance(scorer, str):
                scorers[name], known[name] = _scorer(scorer), scorer
            else:
                scorers[name] = scorer
        return cls(scorers, known)

    def metrics(self) -> dict[str, Metric]:
        """Direction and bounds by metric."""
        return {name: Metric("maximize", bounds_of(self.known.get(name, ""))) for name in self.scorers}

    def score(self, model: Any, X: Any, y: Any) -> dict[str, Any]:
        """Every metric of a fitted model; predictions are shared between scikit-learn's own scorers."""
        if len(self.scorers) == 1:
            return {name: scorer(model, X, y) for name, scorer in self.scorers.items()}
        from sklearn.metrics import check_scoring

        return dict(check_scoring(model, scoring=dict(self.scorers))(model, X, y))

    def needs(self) -> dict[str, tuple[str, ...]]:
        """For each metric the methods of which the model must have one; nothing where unknown."""
        needed: dict[str, tuple[str, ...]] = {}
        for name, scorer in self.scorers.items():
            method = getattr(scorer, "_response_method", None)
            if isinstance(method, str):
                needed[name] = (method,)
            elif isinstance(method, (tuple, list)):
                needed[name] = tuple(method)
        return {name: methods for name, methods in needed.items() if "default" not in methods}

    def definition(self) -> dict[str, Any]:
        """Scorers by name; others by what defines them."""
        return {name: self.known.get(name) or _definition(scorer) for name, scorer in self.scorers.items()}


def bounds_of(name: str) -> Bounds:
    """The range of a scorer of scikit-learn; unknown for any other name."""
    if name in OTHERS:
        return OTHERS[name]
    if name in SHARES or name.split("_")[0] in SHARE_FAMILIES or name.startswith("roc_auc"):
        return SHARE
    return (None, 0.0) if name.startswith("neg_") else (None, None)


def _default(estimator: Any) -> str:
    from sklearn.base import is_classifier, is_regressor

    if is_classifier(estimator):
        return "accuracy"
    if is_regressor(estimator):
        return "r2"
    raise InputError(
        f"`scoring` must be given for {type(estimator).__name__}, which is neither a classifier nor a regressor."
    )


def _by_name(scoring: Any) -> dict[str, Any]:
    if isinstance(scoring, Mapping):
        asked = dict(scoring)
    else:
        several = [scoring] if isinstance(scoring, str) or callable(scoring) else scoring
        if isinstance(several, (set, frozenset)):
            several = sorted(several, key=str)
        if not isinstance(several, (list, tuple)):
            raise InputError(f"`scoring` must be names or scorers; got {type(scoring).__name__}.")
        names = [s if isinstance(s, str) else _callable_name(s) for s in several]
        repeated = [name for i, name in enumerate(names) if name in names[:i]]
        if repeated:
            raise InputError(f"`scoring` must name each metric once; {repeated[0]!r} comes twice. Use a dictionary.")
        asked = dict(zip(names, several, strict=True))
    if not asked:
        raise InputError("`scoring` must name at least one metric; got none.")
    for name, scorer in asked.items():
        if not isinstance(name, str) or not (isinstance(scorer, str) or callable(scorer)):
            raise InputError(f"`scoring` must map names to scorers scorer(estimator, X, y); got {name!r}: {scorer!r}.")
    return asked


def _scorer(name: str) -> Callable[..., Any]:
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        close = get_close_matches(name, get_scorer_names(), n=1)
        hint = f"did you mean {close[0]!r}?" if close else "see sklearn.metrics.get_scorer_names()."
        raise InputError(f"`scoring` must be a scorer of scikit-learn; got {name!r}: {hint}")
    scorer: Callable[..., Any] = get_scorer(name)
    return scorer


def _plain_function(scorer: Any) -> Any:
    """The function behind `make_scorer`, else the scorer itself."""
    return getattr(scorer, "_score_func", scorer)


def _definition(scorer: Any) -> dict[str, Any]:
    """A function and its values; of `make_scorer` also what it was told to do with the function."""
    function = _plain_function(scorer)
    if function is scorer:
        return function_definition(scorer)
    told = {name: getattr(scorer, f"_{name}", None) for name in ("sign", "kwargs", "response_method")}
    return {**function_definition(function), **content(told)}


def _callable_name(scorer: Any) -> str:
    if not callable(scorer):
        raise InputError(f"`scoring` must hold names or scorers scorer(estimator, X, y); got {scorer!r}.")
    function = _plain_function(scorer)
    sign = "neg_" if getattr(scorer, "_sign", 1) < 0 else ""
    return sign + str(getattr(function, "__name__", type(function).__name__))
