"""What may come in as X and y, and one sentence for what may not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import as_printable
from ogive.errors import InputError
from ogive.tasks import arrays_digest, as_rows
from ogive.tasks import kind_of as looks_like

FEWEST_ROWS = 4


@dataclass(frozen=True, slots=True, eq=False)
class CurveData:
    """Rows in memory, read-only, with what is predicted.

    Attributes
    ----------
    labels : array
        The classes in increasing order, as estimators see them; empty for a quantity.
    names : tuple of str
        The classes as the user wrote them.
    """

    X: NDArray[Any]
    y: NDArray[Any]
    kind: str
    name: str
    labels: NDArray[Any]
    names: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows of the data set."""
        return len(self.y)

    @property
    def n_classes(self) -> int | None:
        """How many classes; None for a quantity."""
        return len(self.labels) or None

    def digest(self) -> str:
        """SHA-256 of the arrays."""
        return arrays_digest(self.X, self.y)


def as_data(X: Any, y: Any, name: str, estimators: Mapping[str, Any]) -> CurveData:
    """The data, checked against the kind of the models that will learn from them."""
    kind = kind_of(estimators)
    features, target = _features(X), _target(y)
    first = next(iter(estimators))
    if kind == "classification":
        _refuse_quantity(target, first)
    loaded = as_rows(features, target, kind, "`y`")
    if len(loaded.y) < FEWEST_ROWS:
        raise InputError(f"`y` must have at least {FEWEST_ROWS} rows to train and to test on; got {len(loaded.y)}.")
    if kind == "regression":
        return CurveData(loaded.X, loaded.y, kind, as_printable(name, "a data set"), np.empty(0))
    labels, counts = np.unique(loaded.y, return_counts=True)
    names = tuple(loaded.facts.get("classes") or [str(label) for label in labels])
    if 2 * len(labels) > len(loaded.y):
        raise InputError(
            f"`y` must have several rows of each class; it has {len(labels)} classes in {len(loaded.y)} rows. "
            "Is it a name, or a quantity for a regressor?"
        )
    if counts.min() < 2:
        raise InputError(
            f"`y` must have at least 2 rows of each class, one to learn from and one to test on; class "
            f"{names[int(counts.argmin())]!r} has 1. Remove it, or merge it with another."
        )
    return CurveData(loaded.X, loaded.y, kind, as_printable(name, "a data set"), labels, names)


def kind_of(estimators: Mapping[str, Any]) -> str:
    """Classification or regression: all models must agree."""
    from sklearn.base import is_classifier, is_regressor

    kinds: dict[str, str] = {}
    for name, estimator in estimators.items():
        if is_classifier(estimator):
            kinds[name] = "classification"
        elif is_regressor(estimator):
            kinds[name] = "regression"
        else:
            raise InputError(
                f"`models` must be classifiers or regressors; {name!r} ({type(estimator).__name__}) is neither."
            )
    found = set(kinds.values())
    if len(found) > 1:
        one, other = (next(n for n, k in kinds.items() if k == kind) for kind in ("classification", "regression"))
        raise InputError(f"`models` must all be classifiers or all regressors; {one!r} and {other!r} are not.")
    return found.pop()


def _refuse_quantity(y: NDArray[Any], model: str) -> None:
    if y.dtype.kind != "f" or looks_like(y) == "classification":
        return
    finite = y[np.isfinite(y)]
    if np.array_equal(finite, np.round(finite)):
        return
    raise InputError(
        f"`y` is a quantity ({np.unique(finite).size} different numbers such as {finite[finite != np.round(finite)][0]:g}), "
        f"and {model!r} is a classifier; use a regressor, or put classes in place of the numbers."
    )


def _features(X: Any) -> NDArray[np.float64]:
    try:
        if np.iscomplexobj(X):  # numpy would drop the imaginary part
            raise TypeError
        features = np.array(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"`X` must be a table of numbers; got {type(X).__name__} with something else in it. Code categories as numbers."
        ) from None
    if features.ndim != 2 or not features.shape[1]:
        raise InputError(f"`X` must have rows and columns; got shape {features.shape}. Did you mean X.reshape(-1, 1)?")
    infinite = int(np.count_nonzero(np.isinf(features)))
    if infinite:
        raise InputError(f"`X` must be finite; {infinite} of {features.size} values are infinite.")
    return features


def _target(y: Any) -> NDArray[Any]:
    try:
        target = np.array(y)
    except (TypeError, ValueError):
        target = np.empty(())
    if target.ndim != 1:
        raise InputError(f"`y` must have one value for each row; got {type(y).__name__} of shape {np.shape(target)}.")
    if target.dtype.kind == "O" and all(isinstance(value, str) for value in target):
        target = target.astype(str)
    if target.dtype.kind == "O":
        try:
            target = target.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError(f"`y` must hold numbers or text without gaps; got {target[0]!r} and others.") from None
    if target.dtype.kind not in "biufU":
        raise InputError(f"`y` must hold numbers or text; got {target.dtype}.")
    return target.astype(np.int64) if target.dtype.kind == "b" else target


def refuse_missing(data: CurveData, estimators: Mapping[str, Any]) -> None:
    """Refuse missing features where a model cannot take them; found out by asking it once."""
    holes = np.isnan(data.X)
    n_holes = int(holes.sum())
    if not n_holes:
        return
    import warnings

    from sklearn.base import clone

    rows = np.argsort(~holes.any(axis=1), kind="stable")[:50]
    if data.kind == "classification":
        rows = np.union1d(rows, np.unique(data.y, return_index=True)[1])
    for name, estimator in estimators.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                clone(estimator).fit(data.X[rows], data.y[rows])
            except Exception as error:
                if "NaN" not in str(error) and "missing" not in str(error):
                    continue  # too small a sample to fit at all says nothing about gaps
                raise InputError(
                    f"`X` must be known for {name!r}, which takes no gaps; {n_holes} of {data.X.size} values are missing. "
                    "Fill them inside the model, make_pipeline(SimpleImputer(), …), or remove these rows."
                ) from None
