"""Which rows a repetition trains on at each size, and which it is tested on.

A repetition is one stream, "design:<name>", which knows the root seed, the name of the data and the
number of the repetition, not the model: every model sees the same rows. What is drawn at a size
does not depend on which other sizes are asked for, nor on how many repetitions there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import shown
from ogive.errors import InputError
from ogive.seeding import stream

Rows = NDArray[np.intp]

DESIGNS = {
    "additive": "one permutation, of which longer and longer beginnings are taken: training sets are nested",
    "random": "a fresh draw without replacement for each size",
    "bootstrap": "a fresh draw with replacement for each size",
}
TESTS = {
    "fixed": "one random part of the rows, set aside once, the same for all sizes and repetitions",
    "varying": "every row that was not trained on",
}
LARGEST_SHARE = 0.7  # of all rows: where grids end, as in Turan, Loog and Tax (2026)
N_SIZES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """How training and test rows are drawn from n_rows rows.

    Attributes
    ----------
    name : {"additive", "random", "bootstrap"}
    test : {"fixed", "varying"}
    pool : array
        Rows that training sets are drawn from.
    held_out : array
        The fixed test set; empty where the test set varies.
    """

    name: str
    test: str
    n_rows: int
    pool: Rows
    held_out: Rows

    @classmethod
    def of(cls, name: str, test: str, n_rows: int, test_size: float, seed: int, data: str) -> Design:
        """The design of a data set; the fixed test set follows from seed and name of the data alone."""
        if name not in DESIGNS:
            raise InputError(f"`design` must be one of {', '.join(map(repr, DESIGNS))}; got {name!r}.")
        if test not in TESTS:
            raise InputError(f"`test` must be 'fixed' or 'varying'; got {test!r}.")
        if test == "varying":
            return cls(name, test, n_rows, np.arange(n_rows), np.empty(0, dtype=np.intp))
        n_test = _test_rows(test_size, n_rows)
        order = stream(seed, "design:fixed test", data).permutation(n_rows)
        return cls(name, test, n_rows, np.sort(order[n_test:]), np.sort(order[:n_test]))

    @property
    def purpose(self) -> str:
        """What the stream of a repetition is for."""
        return f"design:{self.name}"

    @property
    def most(self) -> int:
        """The largest training set that leaves something to test on."""
        return len(self.pool) if self.test == "fixed" else self.n_rows - 1

    def n_test(self, sizes: Sequence[int]) -> tuple[int | None, ...]:
        """Test rows at each size; None where the draw decides (out of bag)."""
        if self.test == "fixed":
            return (len(self.held_out),) * len(sizes)
        if self.name == "bootstrap":
            return (None,) * len(sizes)
        return tuple(self.n_rows - size for size in sizes)

    def repetition(self, rng: np.random.Generator, sizes: Sequence[int]) -> Repetition:
        """The rows of one repetition, given its stream."""
        return Repetition(self, words(rng), tuple(sizes))

    def definition(self) -> dict[str, Any]:
        """In JSON's own types."""
        return {"design": self.name, "test": self.test, "n_test": len(self.held_out)}


@dataclass(frozen=True, slots=True, eq=False)
class Repetition:
    """The training and test rows of one repetition, size after size."""

    design: Design
    key: NDArray[np.uint64]
    sizes: tuple[int, ...]

    def splits(self) -> Iterator[tuple[int, Rows, Rows]]:
        """For each size: the size, training rows and test rows."""
        order = at_size(self.key, 0).permutation(self.design.pool) if self.design.name == "additive" else None
        for size in self.sizes:
            train = self._drawn(size) if order is None else order[:size]
            yield size, train, self._tested(train)

    def sequences(self) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
        """Runs of sizes that share one order of training rows: from which place among the sizes, to which, the rows."""
        if self.design.name == "additive":
            order = at_size(self.key, 0).permutation(self.design.pool)[: self.sizes[-1]]
            yield 0, len(self.sizes), order.astype(np.int64, copy=False)
            return
        for place, size in enumerate(self.sizes):
            yield place, place + 1, self._drawn(size).astype(np.int64, copy=False)

    def complete(self, codes: NDArray[np.int64], n_classes: int) -> NDArray[np.bool_]:
        """For each size, whether all classes are among its training rows."""
        found = np.zeros(len(self.sizes), dtype=bool)
        for first, end, order in self.sequences():
            seen, since = np.unique(codes[order], return_index=True)
            if seen.size == n_classes:
                found[first:end] = np.array(self.sizes[first:end]) > since.max()
        return found

    def _drawn(self, size: int) -> Rows:
        rng, pool = at_size(self.key, size), self.design.pool
        if self.design.name == "bootstrap":
            return pool[rng.integers(len(pool), size=size)]
        return rng.permutation(pool)[:size]

    def _tested(self, train: Rows) -> Rows:
        if self.design.test == "fixed":
            return self.design.held_out
        left = np.ones(self.design.n_rows, dtype=bool)
        left[train] = False
        return np.flatnonzero(left)


def words(rng: np.random.Generator) -> NDArray[np.uint64]:
    """The key of a repetition, from which the generator of every size follows."""
    return rng.integers(0, 2**64, size=2, dtype=np.uint64)


def at_size(key: NDArray[np.uint64], size: int) -> np.random.Generator:
    """The generator of one size of a repetition."""
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, size, 0]))


def as_sizes(
    sizes: Any, design: Design, n_classes: int | None, *, every: bool = False, fewest: int = 2
) -> tuple[int, ...]:
    """Increasing training-set sizes: the given ones, or 20 from the number of classes (or `fewest`) to 0.7 of all rows, or every one."""
    if sizes is None:
        first, last = max(fewest, n_classes or 2), min(design.most, int(LARGEST_SHARE * design.n_rows))
        return tuple(range(min(first, last), last + 1)) if every else log_spaced(first, last)
    try:
        given = np.atleast_1d(np.asarray(sizes))
        fine = given.ndim == 1 and given.size > 0 and given.dtype.kind in "iuf" and bool(np.all(abs(given) < 2**53))
        whole = given.astype(np.int64) if fine else np.zeros(1, dtype=np.int64)
        fine = fine and bool(np.all(whole == given))
    except (TypeError, ValueError, OverflowError):
        fine = False
    if not fine or whole.min() < 1:
        raise InputError(f"`sizes` must be whole numbers of at least 1, or None for a grid; got {shown(sizes)}.")
    chosen = tuple(int(size) for size in np.unique(whole))
    if chosen[-1] > design.most:
        left = (
            f"the {len(design.held_out)} test rows leave {design.most} to train on"
            if design.test == "fixed"
            else f"at least one of the {design.n_rows} rows must be left to test on"
        )
        raise InputError(f"`sizes` go up to {chosen[-1]}, but {left}; end at {design.most}, or bring more rows.")
    return chosen


def log_spaced(first: int, last: int, count: int = N_SIZES) -> tuple[int, ...]:
    """At most `count` different whole numbers, evenly spaced on a logarithmic scale where they can be."""
    first = min(first, last)
    if last - first + 1 <= count:
        return tuple(range(first, last + 1))
    chosen = [first]
    for left in range(count - 1, 0, -1):
        step = (last / chosen[-1]) ** (1.0 / left)
        chosen.append(max(chosen[-1] + 1, round(chosen[-1] * step)))
    return tuple(chosen)


def _test_rows(test_size: Any, n_rows: int) -> int:
    number = isinstance(test_size, (int, float, np.integer, np.floating)) and not isinstance(test_size, bool)
    if number and isinstance(test_size, (int, np.integer)) and 1 <= test_size < n_rows - 1:
        return int(test_size)
    if number and 0 < test_size < 1:
        return max(1, min(n_rows - 2, math.ceil(float(test_size) * n_rows)))
    raise InputError(f"`test_size` must be a share in (0, 1) or a number of the {n_rows} rows; got {test_size!r}.")
