"""The scikit-learn adapter: clone, set, seed, fit once, score.

A scorer is always larger for the better: losses carry a minus and a name that starts with `neg_`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import is_integer
from ogive.canonical import content, function_definition
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note, NoteKind
from ogive.spaces import Space
from ogive.tasks import Data


def as_parts(draw: tuple[Any, ...], who: str) -> tuple[Data, Data]:
    """The training and the test part of a draw; refused in one sentence where it has another shape."""
    pairs = [_pair(part) for part in draw]
    if len(pairs) != 2 or pairs[0] is None or pairs[1] is None:
        got = f"{len(draw)} of {', '.join(type(part).__name__ for part in draw)}" if draw else "nothing"
        raise InputError(f"{who} needs a task that draws (train, test), each of which unpacks as X, y; it drew {got}.")
    return pairs[0], pairs[1]


def take(part: Data, rows: NDArray[np.intp]) -> Data:
    """Some rows of a part, in the container they came in."""
    return Data(_rows(part.X, rows), _rows(part.y, rows))


def n_rows(part: Data) -> int:
    """Rows of a part."""
    shape = getattr(part.y, "shape", None)
    return int(shape[0]) if shape else len(part.y)


def _rows(values: Any, rows: NDArray[np.intp]) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "shape"):
        return values[rows]
    return [values[i] for i in rows.tolist()]


def _pair(part: Any) -> Data | None:
    """Whatever unpacks as X, y, except arrays and names that happen to have two rows or letters."""
    if isinstance(part, (str, bytes, Mapping)) or hasattr(part, "shape"):
        return None
    try:
        X, y = part
    except (TypeError, ValueError):
        return None
    return Data(X, y)


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


SEEDS = 2**31  # scikit-learn takes seeds as integers; each is drawn from the trial's stream
LOOKS = 25  # configurations looked at before a scorer is said to be out of reach


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """The function of an algorithm made of an estimator."""

    estimator: Any
    scoring: Scoring

    @classmethod
    def checked(cls, estimator: Any, space: Space, scoring: Any) -> Fitted:
        """The function, where estimator, space and scorers go together."""
        _check_estimator(estimator)
        _check_names(estimator, space.names)
        function = cls(estimator, Scoring.of(scoring, estimator))
        function._check_scorers(space)
        return function

    def __call__(self, config: Mapping[str, Any], *draw: Any, rng: np.random.Generator) -> dict[str, Any]:
        train, test = as_parts(draw, type(self.estimator).__name__)
        return self.scoring.score(self.fit(config, train, rng), test.X, test.y)

    def fit(self, config: Mapping[str, Any], train: Data, rng: np.random.Generator) -> Any:
        """A fitted clone."""
        model = self.configured(config)
        return seeded(model, rng).fit(train.X, train.y)

    def configured(self, config: Mapping[str, Any]) -> Any:
        """A clone with the parameters of a configuration; estimators among its values are cloned too."""
        from sklearn.base import clone

        model = clone(self.estimator)
        return model.set_params(**{k: clone(v) if hasattr(v, "get_params") else v for k, v in config.items()})

    def classifies(self) -> bool:
        """Whether folds should keep the shares of classes."""
        from sklearn.base import is_classifier

        return bool(is_classifier(self.estimator))

    def definition(self) -> dict[str, Any]:
        """Class, parameters and scorers."""
        return {
            "estimator": content(self.estimator),
            "scoring": self.scoring.definition(),
        }

    def notes(self) -> tuple[Note, ...]:
        """Which seeds are the same in every trial."""
        kept = fixed_random_states(self.estimator)
        return tuple(
            Note(NoteKind.SEED_KEPT, values={"parameter": name, "value": value, "draw": "trial"})
            for name, value in kept.items()
        )

    def _check_scorers(self, space: Space) -> None:
        for metric, methods in self.scoring.needs().items():
            if any(hasattr(self.estimator, method) for method in methods) or self._reaches(methods, space):
                continue
            raise InputError(
                f"`scoring` {metric!r} needs {' or '.join(methods)}, which {type(self.estimator).__name__} does not have "
                "with these parameters; leave it out, or wrap the estimator (CalibratedClassifierCV gives probabilities)."
            )

    def _reaches(self, methods: tuple[str, ...], space: Space) -> bool:
        """Whether some configuration of the space gives the model one of the methods."""
        rng = np.random.default_rng(0)
        models = (self.configured(space.sample(rng)) for _ in range(LOOKS))
        return any(hasattr(model, method) for model in models for method in methods)


def estimator_name(estimator: Any) -> str:
    """The class of an estimator; of the last step for a pipeline."""
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if isinstance(steps, list) and steps else estimator
    return type(last).__name__


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """The estimator, with a drawn integer for every random state that was given none, by sorted name."""
    free = sorted(name for name, value in _random_states(estimator).items() if not is_integer(value))
    seeds = {name: int(rng.integers(SEEDS)) for name in free}
    return estimator.set_params(**seeds) if seeds else estimator


def fixed_random_states(estimator: Any) -> dict[str, int]:
    """The integers that a user gave as random states, by sorted name."""
    return {name: int(value) for name, value in sorted(_random_states(estimator).items()) if is_integer(value)}


def _random_states(estimator: Any) -> dict[str, Any]:
    params = estimator.get_params(deep=True)
    return {n: v for n, v in params.items() if n == "random_state" or n.endswith("__random_state")}


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, type):
        raise InputError(f"`estimator` must be an instance; got the class. Did you mean {estimator.__name__}()?")
    missing = [m for m in ("fit", "get_params", "set_params") if not hasattr(estimator, m)]
    if missing:
        raise InputError(
            f"`estimator` must have fit, get_params and set_params; {type(estimator).__name__} has no {missing[0]}. "
            "Any function can be an algorithm: Algorithm(name, f, space)."
        )


def _check_names(estimator: Any, names: tuple[str, ...]) -> None:
    known = estimator.get_params(deep=True)
    for name in names:
        parents = [name[:i] for i in range(len(name)) if name.startswith("__", i)]
        if name in known or any(parent in names for parent in parents):
            continue
        same = [k for k in known if k.lower() == name.lower() or k.endswith(f"__{name}")]
        close = same or get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "see its get_params()."
        raise InputError(f"`space` names {name!r}, which is no parameter of {type(estimator).__name__}; {hint}")
