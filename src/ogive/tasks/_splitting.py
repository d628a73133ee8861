"""Which rows are for training and which for testing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError

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
