"""The scikit-learn adapter: clone, set, seed, fit once, score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from ogive.algorithms._parts import as_parts
from ogive.algorithms._scoring import Scoring
from ogive.canonical import content
from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.spaces import Space
from ogive.tasks import Data

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
    free = sorted(name for name, value in _random_states(estimator).items() if not _is_integer(value))
    seeds = {name: int(rng.integers(SEEDS)) for name in free}
    return estimator.set_params(**seeds) if seeds else estimator


def fixed_random_states(estimator: Any) -> dict[str, int]:
    """The integers that a user gave as random states, by sorted name."""
    return {name: int(value) for name, value in sorted(_random_states(estimator).items()) if _is_integer(value)}


def _random_states(estimator: Any) -> dict[str, Any]:
    params = estimator.get_params(deep=True)
    return {n: v for n, v in params.items() if n == "random_state" or n.endswith("__random_state")}


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


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
