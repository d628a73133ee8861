"""Scores of one fitted model, all from one prediction of the test set.

Accuracy is the share of right labels. AUC is the area under the ROC curve, one class against the
rest, averaged over the classes that the test set holds beside others; NaN where it holds one class.
Brier is the sum over classes of (1{y = k} - p_k)², averaged over the test set: from 0 to 2.
Cross-entropy is the mean of -log p of the true class, p kept within [eps, 1 - eps], eps = 2.2e-16:
up to 36.04. A class that was not in the training set has probability 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError
from ogive.metric import Metric

FloatArray = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
CLASSIFICATION = {
    "accuracy": Metric("maximize", (0.0, 1.0)),
    "auc": Metric("maximize", (0.0, 1.0)),
    "brier": Metric("minimize", (0.0, 2.0)),
    "cross_entropy": Metric("minimize", (0.0, -math.log(EPS))),
}
REGRESSION = {
    "r2": Metric("maximize", (None, 1.0)),
    "mae": Metric("minimize", (0.0, None)),
    "rmse": Metric("minimize", (0.0, None)),
}
FAILED = "fit failed"
CHOSEN = "chosen value"  # of a tuned model, at each size


def as_metrics(metrics: Any, kind: str) -> tuple[str, ...]:
    """The metrics that were asked for; all of the kind where None."""
    known = CLASSIFICATION if kind == "classification" else REGRESSION
    if metrics is None:
        return tuple(known)
    asked = [metrics] if isinstance(metrics, str) else metrics
    if not isinstance(asked, (list, tuple)) or not asked:
        raise InputError(f"`metrics` must be some of {', '.join(known)}; got {metrics!r}.")
    for name in asked:
        if name not in known:
            close = get_close_matches(str(name), known, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise InputError(f"`metrics` for {kind} must be some of {', '.join(known)}; got {name!r}.{hint}")
    return tuple(dict.fromkeys(asked))


def definition(metric: str) -> Metric:
    """Direction and bounds."""
    return CLASSIFICATION[metric] if metric in CLASSIFICATION else REGRESSION[metric]


def regression_scores(predicted: FloatArray, y: FloatArray, metrics: Sequence[str]) -> dict[str, float]:
    """r2, mae and rmse; r2 is NaN where all test values are equal."""
    error = np.asarray(predicted, dtype=np.float64).reshape(-1) - y
    total = float(((y - y.mean()) ** 2).sum())
    found = {
        "r2": 1.0 - float((error**2).sum()) / total if total > 0.0 else math.nan,
        "mae": float(np.abs(error).mean()),
        "rmse": math.sqrt(float((error**2).mean())),
    }
    return {name: found[name] for name in metrics}


class Answer:
    """What a classifier says about a test set: labels, probabilities and what to rank by, classes 0 … K-1."""

    def __init__(self, codes: NDArray[np.intp], shares: FloatArray | None, ranking: FloatArray | None) -> None:
        self.codes = codes
        self.shares = shares
        self.ranking = ranking

    @classmethod
    def constant(cls, code: int, n: int, n_classes: int) -> Answer:
        """One class for every row, with probability 1."""
        shares = np.zeros((n, n_classes))
        shares[:, code] = 1.0
        return cls(np.full(n, code, dtype=np.intp), shares, shares)

    @classmethod
    def of(cls, model: Any, X: Any, labels: NDArray[Any], metrics: Sequence[str]) -> Answer:
        """Asks only for what the metrics need."""
        place = np.searchsorted(labels, model.classes_)
        codes = np.searchsorted(labels, model.predict(X)) if "accuracy" in metrics else np.empty(0, dtype=np.intp)
        shares = ranking = None
        by_decision = ranks_by_decision(model) or not hasattr(model, "predict_proba")
        if hasattr(model, "predict_proba") and {"auc", "brier", "cross_entropy"}.intersection(metrics):
            shares = _spread(np.asarray(model.predict_proba(X), dtype=np.float64), place, len(labels), 0.0)
            ranking = shares
        if "auc" in metrics and by_decision and hasattr(model, "decision_function"):
            values = np.asarray(model.decision_function(X), dtype=np.float64)
            columns = np.stack([-values, values], axis=1) if values.ndim == 1 else values
            fits = columns.shape[1] == place.size and not (values.ndim == 2 and one_vs_one(model))
            ranking = _spread(columns, place, len(labels), -math.inf) if fits else None
        return cls(codes, shares, ranking)

    def scores(self, y: NDArray[np.intp], metrics: Sequence[str]) -> dict[str, float]:
        """Every metric; NaN where there is none."""
        return {name: self._score(name, y) for name in metrics}

    def _score(self, metric: str, y: NDArray[np.intp]) -> float:
        if metric == "accuracy":
            return float(np.count_nonzero(self.codes == y)) / len(y)
        if metric == "auc":
            return math.nan if self.ranking is None else auc(self.ranking, y)
        if self.shares is None:
            return math.nan
        if metric == "brier":
            own = self.shares[np.arange(len(y)), y]
            return float(((self.shares**2).sum(axis=1) - 2.0 * own + 1.0).mean())
        return float(-np.log(np.clip(self.shares[np.arange(len(y)), y], EPS, 1.0 - EPS)).mean())


def ranks_by_decision(model: Any) -> bool:
    """Whether a model (or the last step of a pipeline) wants its decision values ranked, not its probabilities."""
    last = model.steps[-1][-1] if hasattr(model, "steps") else model
    return getattr(last, "auc_from", None) == "decision_function"


def one_vs_one(model: Any) -> bool:
    """Whether decision values are of pairs of classes: with three classes there are three of either."""
    return any(k.endswith("decision_function_shape") and v == "ovo" for k, v in model.get_params(deep=True).items())


def auc(ranking: FloatArray, y: NDArray[np.intp]) -> float:
    """The area under the ROC curve, averaged over the classes against the rest; ties count half."""
    if np.isnan(ranking).any():
        return math.nan
    n, n_classes = ranking.shape
    found = []
    for k in (1,) if n_classes == 2 else range(n_classes):
        positive = y == k
        count = int(positive.sum())
        if 0 < count < n:
            _, inverse, ties = np.unique(ranking[:, k], return_inverse=True, return_counts=True)
            ranks = (np.cumsum(ties) - 0.5 * (ties - 1.0))[inverse]
            found.append((ranks[positive].sum() - 0.5 * count * (count + 1.0)) / (count * (n - count)))
    return float(np.mean(found)) if found else math.nan


def _spread(columns: FloatArray, place: NDArray[np.intp], n_classes: int, absent: float) -> FloatArray:
    """Columns of the classes seen, among columns for all of them."""
    if place.size == n_classes:
        return columns
    full = np.full((len(columns), n_classes), absent)
    full[:, place] = columns
    return full
