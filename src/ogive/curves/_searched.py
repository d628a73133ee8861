"""An algorithm of `ogive.tuned` as an estimator: it searches its space by cross-validation whenever it is fitted."""

from __future__ import annotations

from typing import Any, Self, cast

from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from ogive.algorithms import Algorithm, Search
from ogive.errors import InputError
from ogive.seeding import stream
from ogive.tasks import Data


def _has(method: str) -> Any:
    return available_if(lambda searched: hasattr(searched.model, method))


class Searched(BaseEstimator):  # type: ignore[misc]
    """What `ogive.tuned(Algorithm.from_estimator(estimator, space))` does, for curves."""

    def __init__(self, algorithm: Algorithm, random_state: int | None = None) -> None:
        self.algorithm = algorithm
        self.random_state = random_state

    @classmethod
    def of(cls, algorithm: Algorithm) -> Searched:
        """The estimator, if the algorithm is a search over the parameters of one."""
        if not isinstance(algorithm.function, Search) or algorithm.function.estimator is None:
            raise InputError(
                f"`models` takes algorithms that ogive.tuned makes of an estimator; {algorithm.name!r} gives no fitted model "
                "to score. Use ogive.tuned(ogive.Algorithm.from_estimator(estimator, space)), or the estimator itself."
            )
        return cls(algorithm)

    @property
    def _search(self) -> Search:
        return cast(Search, self.algorithm.function)

    @property
    def model(self) -> Any:
        """The estimator fitted with the chosen parameters; before a fit, the one that is searched."""
        return self.__dict__.get("best_", self._search.estimator)

    def fit(self, X: Any, y: Any) -> Self:
        """Search inside these rows, then fit the best configuration to all of them."""
        self.best_ = self._search.fit(Data(X, y), stream(self.random_state or 0, "train"))
        return self

    def __sklearn_tags__(self) -> Any:
        """As of the estimator inside."""
        return self.model.__sklearn_tags__()

    @property
    def classes_(self) -> Any:
        """As of the fitted estimator."""
        return self.best_.classes_

    def predict(self, X: Any) -> Any:
        """As the fitted estimator."""
        return self.model.predict(X)

    @_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """As the fitted estimator."""
        return self.model.predict_proba(X)

    @_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """As the fitted estimator."""
        return self.model.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """As the fitted estimator."""
        return float(self.model.score(X, y))
