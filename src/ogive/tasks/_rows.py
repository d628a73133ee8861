"""Fixed rows, checked once, split anew in every trial."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError
from ogive.tasks._task import KINDS, Data, Task, one_of

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Split:
    """A rule that divides n rows at random; the test part has ceil(test_size n) of them."""

    test_size: float | int = 0.4
    stratify: bool = False

    def __post_init__(self) -> None:
        size = self.test_size
        number = isinstance(size, (int, float, np.integer, np.floating)) and not isinstance(size, bool)
        whole = number and isinstance(size, (int, np.integer)) and size >= 1
        if not (whole or (number and 0 < size < 1)):
            raise InputError(f"`test_size` must be a share in (0, 1) or a number of rows; got {size!r}.")
        if not isinstance(self.stratify, (bool, np.bool_)):
            raise InputError(f"`stratify` must be True or False; got {self.stratify!r}.")
        object.__setattr__(self, "test_size", int(size) if whole else float(size))
        object.__setattr__(self, "stratify", bool(self.stratify))

    def definition(self) -> dict[str, Any]:
        """The rule in JSON's own types."""
        return {"test_size": self.test_size, "stratify": self.stratify}

    def n_test(self, n: int) -> int:
        """Rows of the test part; refused where a part would be empty."""
        count = self.test_size if isinstance(self.test_size, int) else math.ceil(self.test_size * n)
        if not 0 < count < n:
            raise InputError(
                f"`test_size` must leave rows for training and for testing; {self.test_size:g} of {n} rows does not."
            )
        return int(count)

    def rows(self, y: NDArray[Any], rng: np.random.Generator) -> tuple[Rows, Rows]:
        """Row numbers of the training and of the test part, both in random order."""
        n_test = self.n_test(len(y))
        order = rng.permutation(len(y))
        if not self.stratify:
            return order[n_test:], order[:n_test]
        label = np.unique(y, return_inverse=True)[1].reshape(-1)[order]
        left = _shares(np.bincount(label), n_test, rng)
        # Among the shuffled rows, the first ones of each class are for testing.
        rank = np.empty(len(y), dtype=np.intp)
        by_class = np.argsort(label, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(label))[:-1]])
        rank[by_class] = np.arange(len(y)) - starts[label[by_class]]
        test = rank < left[label]
        return order[~test], order[test]


def _shares(counts: NDArray[np.intp], n_test: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Test rows of each class: proportional, the remainders by size, ties at random."""
    ideal = counts * (n_test / counts.sum())
    share: NDArray[np.intp] = np.floor(ideal).astype(np.intp)
    missing = n_test - int(share.sum())
    urgency = np.lexsort((rng.random(len(counts)), -np.round(ideal - share, 9)))
    share[urgency[:missing]] += 1
    return share


MOST_CLASSES = 20  # whole numbers with more different values than this are taken for a quantity


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """A data set in memory, read-only, with what was decided about it."""

    X: NDArray[Any]
    y: NDArray[Any]
    kind: str
    facts: dict[str, Any] = field(default_factory=dict)


class Source(Protocol):
    """Where rows come from; holds parameters only until `load` is called."""

    def load(self) -> Loaded:
        """Read and check the data."""

    def definition(self) -> dict[str, Any]:
        """What was asked for, beside the data themselves."""


class Resampled:
    """The draw of a task with data: a random split of rows that are loaded once and kept."""

    def __init__(self, source: Source, split: Split) -> None:
        self.source = source
        self.split = split
        self.kept: Loaded | None = None

    def __call__(self, rng: np.random.Generator) -> tuple[Data, Data]:
        data = self.loaded()
        train, test = self.split.rows(data.y, rng)
        return Data(data.X[train], data.y[train]), Data(data.X[test], data.y[test])

    def loaded(self) -> Loaded:
        """The data, read when first asked for."""
        if self.kept is None:
            data = self.source.load()
            check_split(data, self.split)
            self.kept = data
        return self.kept

    def definition(self) -> dict[str, Any]:
        """Source, split and a digest of the arrays."""
        data = self.loaded()
        return {
            **self.source.definition(),
            **self.split.definition(),
            "kind": data.kind,
            "rows": len(data.y),
            "sha256": arrays_digest(data.X, data.y),
            **data.facts,
        }

    def warm_up(self) -> None:
        """Load the data."""
        self.loaded()

    def n_rows(self) -> int:
        """Rows of the data set."""
        return len(self.loaded().y)

    def kind(self) -> str:
        """What is predicted."""
        return self.loaded().kind


def resampled(name: str, source: Source, test_size: float, stratify: bool) -> Task:
    """A task of fresh splits of fixed rows."""
    return Task(name, Resampled(source, Split(test_size, stratify)), scope="these rows")


def arrays(
    X: Any, y: Any, *, name: str = "arrays", test_size: float = 0.4, stratify: bool = False, kind: str | None = None
) -> Task:
    """Fresh splits of rows in memory; X holds numbers, one row for each value of y.

    The arrays are copied. Labels that are text are coded 0, 1, … in sorted order. Without `kind`,
    text, truth values and whole numbers with at most 20 different values are classes, other
    numbers a quantity (regression).

    Examples
    --------
    >>> task = arrays([[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1, 0], name="five")
    >>> train, test = task.draw(np.random.default_rng(0))
    >>> train.X.shape, test.y.shape
    ((3, 1), (2,))
    """
    return resampled(name, Memory(_features(X), _targets(y), one_of("kind", kind, KINDS)), test_size, stratify)


@dataclass(frozen=True, slots=True, eq=False)
class Memory:
    """Rows that the caller had."""

    X: NDArray[Any]
    y: NDArray[Any]
    kind: str | None

    def load(self) -> Loaded:
        """The rows, checked."""
        return as_rows(self.X, self.y, self.kind, "`y`")

    def definition(self) -> dict[str, Any]:
        """Nothing but the data defines them."""
        return {"data": "arrays"}


def as_rows(
    X: NDArray[Any], y: NDArray[Any], kind: str | None, target: str, facts: dict[str, Any] | None = None
) -> Loaded:
    """Rows that can be split and learned from; refused in one sentence otherwise."""
    if len(X) != len(y):
        raise InputError(f"features and {target} must have as many rows; got {len(X)} and {len(y)}.")
    if len(y) < 2:
        raise InputError(f"{target} must have at least 2 rows; got {len(y)}.")
    kind = kind_of(y) if kind is None else kind
    facts = dict(facts or {})
    if y.dtype.kind == "U":
        if kind == "regression":
            raise InputError(f"{target} must hold numbers for regression; got text such as {str(y[0])!r}.")
        labels, y = np.unique(y, return_inverse=True)
        facts["classes"] = [str(label) for label in labels]
    _refuse_holes(y, target)
    if kind == "classification":
        y = _classes(y, target)
        if np.unique(y).size < 2:
            only = repr(facts["classes"][int(y[0])]) if "classes" in facts else y[0]
            raise InputError(f"{target} must hold at least two classes; every row has {only}.")
    else:
        y = y.astype(np.float64)
    X, y = np.ascontiguousarray(X), np.ascontiguousarray(y)
    X.flags.writeable = y.flags.writeable = False
    return Loaded(X, y, kind, facts)


def kind_of(y: Any) -> str:
    """Classification for text, truth values and whole numbers with few different values."""
    values = np.asarray(y)
    if values.dtype.kind not in "iuf":
        return "classification"
    if values.dtype.kind == "f":
        finite = values[np.isfinite(values)]
        if not np.array_equal(finite, np.round(finite)):
            return "regression"
    return "classification" if np.unique(values).size <= MOST_CLASSES else "regression"


def check_split(data: Loaded, split: Split) -> None:
    """Refuse a split that these rows do not allow."""
    split.n_test(len(data.y))
    if not split.stratify:
        return
    if data.kind != "classification":
        raise InputError(
            "`stratify` needs classes; this target is a quantity. Leave it out, or say kind='classification'."
        )
    values, counts = np.unique(data.y, return_counts=True)
    if counts.min() < 2:
        raise InputError(
            f"`stratify` needs at least 2 rows of each class; class {values[counts.argmin()]} has {counts.min()}."
        )


def arrays_digest(*arrays: NDArray[Any]) -> str:
    """SHA-256 of types, shapes and little-endian bytes."""
    content = hashlib.sha256()
    for array in arrays:
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        content.update(f"{little.dtype.str}{little.shape}".encode())
        content.update(little.data)
    return content.hexdigest()


def _classes(y: NDArray[Any], target: str) -> NDArray[np.int64]:
    with np.errstate(invalid="ignore"):  # what no integer can hold is refused below
        whole = y.astype(np.int64)
    if not np.array_equal(whole, y):
        raise InputError(f"{target} must hold whole numbers or text for classification; got {y[whole != y][0]}.")
    return whole


def _refuse_holes(y: NDArray[Any], target: str) -> None:
    if y.dtype.kind != "f":
        return
    holes = int(np.count_nonzero(~np.isfinite(y)))
    if holes:
        raise InputError(
            f"{target} must be known for every row; it is missing or infinite in {holes} of {len(y)}. Remove these rows."
        )


def _features(X: Any) -> NDArray[Any]:
    features = _array("X", X)
    if features.dtype.kind not in "biuf":
        raise InputError(
            f"`X` must be an array of numbers; got {type(X).__name__} of {features.dtype}. Code categories as numbers, "
            "use tasks.csv, or draw anything you like with your own Task(name, draw)."
        )
    if features.ndim < 2:
        raise InputError(f"`X` must have rows and columns; got shape {features.shape}. Did you mean X.reshape(-1, 1)?")
    return features


def _targets(y: Any) -> NDArray[Any]:
    targets = _array("y", y)
    if targets.ndim != 1:
        raise InputError(f"`y` must have one value for each row; got shape {targets.shape}.")
    if targets.dtype.kind == "O" and all(isinstance(value, str) for value in targets):
        targets = targets.astype(str)
    if targets.dtype.kind not in "biufU":
        raise InputError(f"`y` must hold numbers or text without gaps; got {targets.dtype} such as {targets[0]!r}.")
    return targets


def _array(what: str, values: Any) -> NDArray[Any]:
    try:
        return np.array(values)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"`{what}` must be an array; got {type(values).__name__}, of which numpy makes none."
        ) from error
