"""Random search with cross-validation inside the training set, as an algorithm of its own."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ogive.algorithms._algorithm import Algorithm, Candidate, Outcome
from ogive.algorithms._estimator import Fitted, as_parts, n_rows, take
from ogive.arguments import as_integer
from ogive.errors import InputError
from ogive.metric import Metric, goal_by_name
from ogive.notes import Note, NoteKind
from ogive.seeding import Streams, stream
from ogive.spaces import Space, as_space
from ogive.tasks import Data, kind_of

ROOTS = 2**63 - 1

Fold: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]  # rows to fit on, rows held out


def tuned(
    algorithm: Algorithm, n_configs: int = 50, cv: int = 3, metric: str | None = None, name: str | None = None
) -> Algorithm:
    """The algorithm preceded by a random search, so that tuning is part of what is judged.

    In every trial `n_configs` configurations are drawn from the algorithm's space and scored by
    `cv`-fold cross-validation inside the training set (stratified for classification); the best
    mean of `metric` wins, the first among equals, is trained on the whole training set and scored
    once on the test set. Every candidate is kept in the outcome. One that raises or has no score
    is a failed candidate and never chosen.

    Parameters
    ----------
    algorithm : Algorithm
        Any whose tasks draw (train, test), each of which unpacks as X, y.
    n_configs, cv : int
        Candidate j and the folds are the same for any `n_configs` above j.
    metric : str, optional
        The first one where left out, in its own direction, or the one that the study declares; in that
        which its name tells (`loss` is to be small) where nobody said.
    name : str, optional
        "SVM (tuned, 50)" where left out.
    """
    if not isinstance(algorithm, Algorithm):
        raise InputError(
            f"`algorithm` must be an ogive.Algorithm; got {type(algorithm).__name__}. For an estimator use "
            "Algorithm.from_estimator."
        )
    n_configs, cv = as_integer(n_configs, "n_configs", at_least=1), as_integer(cv, "cv", at_least=2)
    if algorithm.space == as_space(None):
        raise InputError(f"{algorithm.name!r} has no hyper-parameters to tune; give it a space.")
    if metric is not None and algorithm.metrics and metric not in algorithm.metrics:
        raise InputError(f"`metric` must be one of {', '.join(algorithm.metrics)}; got {metric!r}.")
    search = Search(algorithm, n_configs, cv, metric)
    name = f"{algorithm.name} (tuned, {n_configs})" if name is None else name
    return Algorithm(name, search, metrics=dict(algorithm.metrics))


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """The function of a tuned algorithm.

    One number drawn from the trial's generator is the root of the streams of the search: folds,
    candidate j, and the training of candidate j in fold k each have their own, so that nothing
    depends on how many candidates there are.
    """

    algorithm: Algorithm
    n_configs: int
    cv: int
    metric: str | None

    def __call__(self, config: Mapping[str, Any], *draw: Any, rng: np.random.Generator) -> Outcome:
        train, _ = as_parts(draw, f"tuned({self.algorithm.name!r})")
        candidates, best = self._search(train, rng)
        outcome = self.algorithm.evaluate(best.params, draw, rng)
        return replace(outcome, params=best.params, inner=candidates)

    @property
    def estimator(self) -> Any:
        """The estimator whose parameters are searched; None where the algorithm is of another kind."""
        function = self.algorithm.function
        return function.estimator if isinstance(function, Fitted) else None

    def fit(self, train: Data, rng: np.random.Generator) -> Any:
        """A clone of the estimator with the best configuration, fitted to the whole training set."""
        function = self.algorithm.function
        if not isinstance(function, Fitted):
            raise InputError(f"{self.algorithm.name!r} is not made of an estimator, so that nothing is left of a fit.")
        _, best = self._search(train, rng)
        return function.fit(best.params, train, rng)

    def _search(self, train: Data, rng: np.random.Generator) -> tuple[tuple[Candidate, ...], Candidate]:
        candidates, metric = self.candidates(train, int(rng.integers(ROOTS)))
        return candidates, self._best(candidates, self._goal(metric))

    def candidates(self, train: Data, root: int) -> tuple[tuple[Candidate, ...], str]:
        """Every configuration of the search with its scores, and the metric they are of; sees the training set only."""
        folds = list(self._folds(train, root))
        configs, training = Streams(root, "config"), Streams(root, "train")
        tried: list[Candidate] = []
        metric = self._sought or ""
        for j in range(self.n_configs):
            config = self.algorithm.space.sample(configs.at(j))
            candidate, scored = self._try(config, train, folds, training, j)
            tried.append(candidate)
            metric = metric or scored
        return tuple(tried), metric

    @property
    def searched(self) -> Space:
        """The space of the candidates."""
        return self.algorithm.space

    def held_to(self, declared: Mapping[str, Metric]) -> Search:
        """The search in a study that declares these metrics."""
        return replace(self, algorithm=self.algorithm.held_to(declared))

    def definition(self) -> dict[str, Any]:
        """The inner algorithm, the search, and what it looks for."""
        return {
            "tuned": self.algorithm.fingerprint(),
            "n_configs": self.n_configs,
            "cv": self.cv,
            "metric": self._sought,
            "goal": "by name" if self._sought is None else self._goal(self._sought).goal,
        }

    def notes(self) -> tuple[Note, ...]:
        """The notes of the inner algorithm, and the direction where it was assumed."""
        said = self.algorithm.notes
        if self._sought in self.algorithm.metrics:
            return said
        goal = None if self._sought is None else self._goal(self._sought).goal
        known = {"algorithm": self.algorithm.name, "metric": self._sought, "goal": goal}
        return (*said, Note(NoteKind.TUNED_BY_NAME, values=known))

    @property
    def _sought(self) -> str | None:
        """The metric by which candidates are chosen; None where only their scores can tell."""
        return self.metric if self.metric is not None else next(iter(self.algorithm.metrics), None)

    def _goal(self, metric: str) -> Metric:
        """What was declared of a metric; where nothing was, what its name tells."""
        return self.algorithm.metrics.get(metric) or Metric.toward(goal_by_name(metric))

    def warm_up(self) -> None:
        """Import what folds need, and warm up the inner algorithm."""
        import sklearn.model_selection  # noqa: F401

        self.algorithm.warm_up()

    def _try(self, config: dict[str, Any], train: Data, folds: list[Fold], training: Streams, j: int
    ) -> tuple[Candidate, str]:  # fmt: skip
        """Candidate j, and the metric that it is scored by; no name where it has no score."""
        scores: list[float] = []
        metric = ""
        status, message = "ok", None
        for k, (fit, held) in enumerate(folds):
            try:
                parts = take(train, fit), take(train, held)  # for this candidate alone, who may change them
                outcome = self.algorithm.evaluate(config, parts, training.at(j * self.cv + k))
            except Exception as error:  # whatever the user's code raises makes a failed candidate
                status, message = "error", f"{type(error).__name__}: {error}"
                break
            metric = self._metric_of(outcome)
            scores.append(outcome.scores[metric])
            if not math.isfinite(scores[-1]):
                status, message = "invalid", f"{metric} is {scores[-1]} in fold {k}"
                break
        mean = float(np.mean(scores)) if status == "ok" else math.nan
        padded = (*scores, *[math.nan] * (self.cv - len(scores)))
        return Candidate(config, padded, mean, status, message), metric

    def _metric_of(self, outcome: Outcome) -> str:
        """The metric by which candidates are chosen, among those that came out."""
        name = self._sought or next(iter(outcome.scores), "")
        if name not in outcome.scores:
            raise InputError(
                f"tuning {self.algorithm.name!r} needs the metric {name!r}; it returned {', '.join(outcome.scores) or 'no score'}."
            )
        return name

    def _best(self, candidates: tuple[Candidate, ...], goal: Metric) -> Candidate:
        fine = [c for c in candidates if c.status == "ok"]
        if not fine:
            raise InputError(
                f"each of the {len(candidates)} candidates of tuned({self.algorithm.name!r}) failed; "
                f"the first said: {candidates[0].message}"
            )
        return max(fine, key=lambda c: goal.turned(c.mean))  # the first among equals

    def _folds(self, train: Data, root: int) -> Iterator[Fold]:
        from sklearn.model_selection import KFold, StratifiedKFold

        n = n_rows(train)
        if n < 2 * self.cv:
            raise InputError(f"`cv` of {self.cv} folds needs at least {2 * self.cv} training rows; there are {n}.")
        says = getattr(self.algorithm.function, "classifies", None)
        classes = says() if callable(says) else kind_of(train.y) == "classification"
        seed = int(stream(root, "data").integers(2**31))
        splitter = (StratifiedKFold if classes else KFold)(self.cv, shuffle=True, random_state=seed)
        with warnings.catch_warnings():  # a class with fewer rows than folds is allowed
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            yield from list(splitter.split(np.zeros(n), np.asarray(train.y)))
