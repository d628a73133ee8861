"""One repetition of one model: a fit at every size, every metric from that fit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.algorithms import Outcome, Series, fixed_random_states, seeded
from ogive.curves._data import CurveData
from ogive.curves._designs import Rows, at_size, words
from ogive.curves._metrics import FAILED, Answer, one_vs_one, ranks_by_decision, regression_scores
from ogive.curves._models import described
from ogive.notes import Note, NoteKind

MISSING_CLASS = ("zero", "undefined")


@dataclass(frozen=True, slots=True, eq=False)
class CurveFit:
    """The function of an algorithm whose trials are repetitions of a learning curve.

    Attributes
    ----------
    missing_class : {"zero", "undefined"}
        What holds where a class is not in the training set: it has probability 0, or there is no
        score. With "zero" and a single class, that class is predicted without a fit.
    last : str
        Named behind the metric of the last split, which is kept as a number of its own.
    """

    estimator: Any
    metrics: tuple[str, ...]
    missing_class: str
    last: str

    @property
    def series(self) -> tuple[str, ...]:
        """What is kept of every fit."""
        return self.metrics

    def __call__(
        self, config: Mapping[str, Any], data: CurveData, repetition: Any, rng: np.random.Generator
    ) -> Outcome:
        key = words(rng)
        curves: dict[str, list[float]] = {name: [] for name in (*self.series, FAILED)}
        error: Exception | None = None
        for number, train, test in repetition.splits():
            found = dict.fromkeys(self.series, math.nan)
            failed = 0.0
            try:
                found = self.scores(config, data, train, test, at_size(key, number))
            except MemoryError:
                raise
            except Exception as problem:
                error, failed = problem, 1.0
            for name in self.series:
                curves[name].append(found.get(name, math.nan))
            curves[FAILED].append(failed)
        return outcome(curves, self.metrics, self.last, error)

    def scores(
        self, config: Mapping[str, Any], data: CurveData, train: Rows, test: Rows, rng: np.random.Generator
    ) -> dict[str, float]:
        """Every metric of one fit; raises what the estimator raises."""
        if not test.size:
            return dict.fromkeys(self.metrics, math.nan)
        y = data.y[train]
        if data.kind == "regression":
            model = self.fitted(config, data.X[train], y, rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return regression_scores(model.predict(data.X[test]), data.y[test], self.metrics)
        seen = np.unique(y)
        truth = np.searchsorted(data.labels, data.y[test])
        if self.missing_class == "undefined" and seen.size < len(data.labels):
            return dict.fromkeys(self.metrics, math.nan)
        if seen.size == 1:
            code = int(np.searchsorted(data.labels, seen[0]))
            return Answer.constant(code, len(test), len(data.labels)).scores(truth, self.metrics)
        model = self.fitted(config, data.X[train], y, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Answer.of(model, data.X[test], data.labels, self.metrics).scores(truth, self.metrics)

    def fitted(self, config: Mapping[str, Any], X: NDArray[Any], y: NDArray[Any], rng: np.random.Generator) -> Any:
        """A fitted clone, every free random state drawn from the generator; warnings are not shown."""
        from sklearn.base import clone

        model = seeded(clone(self.estimator).set_params(**config), rng)
        with warnings.catch_warnings():  # tiny training sets give one each, thousands of times
            warnings.simplefilter("ignore")
            return model.fit(X, y)

    def definition(self) -> dict[str, Any]:
        """Estimator, metrics and the rule for missing classes."""
        return {
            "estimator": described(self.estimator),
            "metrics": list(self.metrics),
            "missing_class": self.missing_class,
        }

    def notes(self) -> tuple[Note, ...]:
        """What a reader of the scores should know."""
        said = [
            Note(NoteKind.SEED_KEPT, values={"parameter": name, "value": value, "draw": "repetition"})
            for name, value in fixed_random_states(self.estimator).items()
        ]
        shares = {"brier", "cross_entropy"}.intersection(self.metrics)
        if shares and ranks_by_decision(self.estimator):
            said.append(Note(NoteKind.NOT_CALIBRATED))
        elif shares and "predict" in dir(self.estimator) and not hasattr(self.estimator, "predict_proba"):
            said.append(Note(NoteKind.NO_PROBABILITIES, values={"metrics": sorted(shares)}))
        if "auc" in self.metrics and one_vs_one(self.estimator) and not hasattr(self.estimator, "predict_proba"):
            said.append(Note(NoteKind.PAIRWISE_DECISIONS))
        return tuple(said)


def outcome(curves: Mapping[str, list[float]], metrics: tuple[str, ...], last: str, error: Exception | None) -> Outcome:
    """Series by metric, which fits failed, and the scores at the last size; raises where every fit failed."""
    if error is not None and all(curves[FAILED]):
        raise error
    ends = {f"{name} {last}": curves[name][-1] for name in metrics}
    series = {name: Series(values) for name, values in curves.items()}
    return Outcome({name: value for name, value in ends.items() if math.isfinite(value)}, series=series)
