"""Classifiers that scikit-learn does not have in the form of Turan, Loog and Tax (2026).

They follow scikit-learn's interface. Its own discriminants refuse classes with fewer rows than
features, which is where a learning curve begins; its nearest centroid scales distances by the
spread of each feature before it makes probabilities of them; its linear machine weighs the penalty
against the sum of losses, not their mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite

FloatArray = NDArray[np.float64]


class _Discriminant(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier by the largest of one log-score for each class, which it makes from the classes' means."""

    classes_: NDArray[Any]
    means_: FloatArray

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest log-score, the first of equal ones."""
        return np.asarray(self.classes_[np.argmax(self._log_scores(as_features(X)), axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """The log-scores as probabilities."""
        return softmax(self._log_scores(as_features(X)))

    def _centered(self, X: Any, y: Any) -> tuple[FloatArray, NDArray[np.intp]]:
        """Keep classes and means; rows without the mean of their class, and the class of each row."""
        X = as_features(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.means_ = np.stack([X[codes == k].mean(axis=0) for k in range(len(self.classes_))])
        return X - self.means_[codes], codes

    @abstractmethod
    def _log_scores(self, X: FloatArray) -> FloatArray:
        """One column for each class; larger is likelier."""


class NearestMean(_Discriminant):
    """The class whose mean is nearest; probabilities are softmax(-‖x - mean‖² / 2)."""

    def fit(self, X: Any, y: Any) -> Self:
        """Take the mean of each class."""
        self._centered(X, y)
        return self

    def _log_scores(self, X: FloatArray) -> FloatArray:
        return -0.5 * np.stack([((X - mean) ** 2).sum(axis=1) for mean in self.means_], axis=1)


class _Normal(_Discriminant):
    """Normal classes whose priors are their shares; `jitter` is added to the diagonal of covariances."""

    def __init__(self, jitter: float = 1e-8) -> None:
        self.jitter = jitter

    def fit(self, X: Any, y: Any) -> Self:
        """Means, covariances and priors."""
        centered, codes = self._centered(X, y)
        self.log_priors_ = np.log(np.bincount(codes) / len(codes))
        self._take_covariances(centered, codes)
        return self

    @abstractmethod
    def _take_covariances(self, centered: FloatArray, codes: NDArray[np.intp]) -> None:
        """Keep what the log-scores need of rows without the mean of their class."""


class LinearDiscriminant(_Normal):
    """Normal classes with one covariance matrix, to whose diagonal `jitter` is added.

    The covariance is the mean square within classes (divided by n), the priors are the classes'
    shares: scikit-learn's `LinearDiscriminantAnalysis(solver="lsqr")` where that is defined.
    """

    def _take_covariances(self, centered: FloatArray, codes: NDArray[np.intp]) -> None:
        self.whitening_, _ = whitening(centered, self.jitter)

    def _log_scores(self, X: FloatArray) -> FloatArray:
        center = self.means_.mean(axis=0)  # what all classes share cancels, and far from 0 it would cost digits
        means = (self.means_ - center) @ self.whitening_
        own = self.log_priors_ - 0.5 * (means**2).sum(axis=1)
        return np.asarray(((X - center) @ self.whitening_) @ means.T + own)


class QuadraticDiscriminant(_Normal):
    """Normal classes, each with its own covariance matrix, to whose diagonal `jitter` is added.

    Covariances are divided by the number of rows of the class: scikit-learn 1.9's
    `QuadraticDiscriminantAnalysis` where that is defined. A class with one row has the covariance
    jitter times the identity.
    """

    def _take_covariances(self, centered: FloatArray, codes: NDArray[np.intp]) -> None:
        self.shapes_ = [whitening(centered[codes == k], self.jitter) for k in range(len(self.classes_))]

    def _log_scores(self, X: FloatArray) -> FloatArray:
        parts = []
        for mean, prior, (turn, log_det) in zip(self.means_, self.log_priors_, self.shapes_, strict=True):
            parts.append(prior - 0.5 * log_det - 0.5 * (((X - mean) @ turn) ** 2).sum(axis=1))
        return np.stack(parts, axis=1)


class _Machine(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A support vector machine, one class against the rest; probabilities are not calibrated.

    They are the logistic function of the decision values, normalized over classes. An area under
    the ROC curve ranks the decision values themselves.
    """

    auc_from = "decision_function"
    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """As the machine inside."""
        return np.asarray(self.machine_.predict(X))

    def decision_function(self, X: Any) -> FloatArray:
        """As the machine inside."""
        return np.asarray(self.machine_.decision_function(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """The logistic function of each class's decision value, normalized."""
        return logistic_shares(by_class(self.decision_function(X)))

    def _fit(self, machine: Any, X: Any, y: Any) -> Self:
        self.machine_ = machine.fit(X, y)
        self.classes_ = self.machine_.classes_
        return self


class LinearMachine(_Machine):
    """A linear machine: mean squared hinge loss plus `penalty` / 2 times the squared length of the weights."""

    def __init__(self, penalty: float = 1e-4) -> None:
        self.penalty = penalty

    def fit(self, X: Any, y: Any) -> Self:
        """scikit-learn's LinearSVC in the primal, whose C is 1 / (penalty n)."""
        from sklearn.svm import LinearSVC

        # With the default tolerance, 1e-4, it stops before the minimum: on raw features half of all sizes of heart
        # had another accuracy, by up to 0.07. The rest of the way takes milliseconds.
        machine = LinearSVC(C=1.0 / (self.penalty * len(y)), dual=False, tol=1e-10, max_iter=1_000_000)
        return self._fit(machine, X, y)


class KernelMachine(_Machine):
    """A machine with a Gaussian kernel of the given bandwidth."""

    def __init__(self, C: float = 1.0, bandwidth: float = 1.0) -> None:
        self.C = C
        self.bandwidth = bandwidth

    def fit(self, X: Any, y: Any) -> Self:
        """scikit-learn's SVC with gamma 1 / (2 bandwidth²)."""
        from sklearn.svm import SVC

        return self._fit(SVC(C=self.C, gamma=0.5 / self.bandwidth**2, tol=1e-4), X, y)


def as_features(X: Any) -> FloatArray:
    """Numbers without gaps; what scikit-learn's own estimators refuse is refused in its words."""
    features = np.asarray(X, dtype=np.float64)
    assert_all_finite(features, input_name="X")
    return features


def whitening(centered: FloatArray, jitter: float) -> tuple[FloatArray, float]:
    """A matrix W with W Wᵀ = (covariance + jitter I)⁻¹, and the log-determinant of what is inverted.

    From the singular values of the rows, not from their products: with features in the millions
    the rounding of products is larger than the jitter. Many rows are first turned into as many as
    there are features, with the same singular values: what turns them would be a matrix of n x n.
    """
    n, d = centered.shape
    rows = np.linalg.qr(centered, mode="r") if n > d else centered
    _, singular, turn = np.linalg.svd(rows, full_matrices=True)
    scale = np.full(d, jitter)
    scale[: singular.size] += singular**2 / n
    return turn.T / np.sqrt(scale), float(np.log(scale).sum())


def by_class(decision: FloatArray) -> FloatArray:
    """Decision values with a column for each class, also where there are two."""
    return np.stack([-decision, decision], axis=1) if decision.ndim == 1 else decision


def logistic_shares(decision: FloatArray) -> FloatArray:
    """The logistic function of each column, divided by the sum of the row."""
    # Through logarithms: where every decision value is far below zero all of them would be zero.
    return softmax(-np.logaddexp(0.0, -decision))


def softmax(log_scores: FloatArray) -> FloatArray:
    """Rows of log-scores as probabilities."""
    scores = np.exp(log_scores - log_scores.max(axis=1, keepdims=True))
    shares: FloatArray = scores / scores.sum(axis=1, keepdims=True)
    return shares
