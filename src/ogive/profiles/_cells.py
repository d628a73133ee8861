"""What a profile is made of: the runs, or the mean, spread and number of runs, of every method on every problem."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray, Goal, IntArray
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note, NoteKind
from ogive.seeding import stream
from ogive.words import listed, plural, printable

Joined: TypeAlias = Literal["mean", "median", "best"]
Missing: TypeAlias = Literal["refuse", "fail", "drop-problem"]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The runs of every method on every problem.

    `values` holds them method by method and, within a method, problem by problem; the cell of
    method m and problem p begins at `starts[m * n_problems + p]`. A failed run is infinite on the
    bad side, a missing one NaN. `repeated` says that several rows of a cell are runs by declaration.
    `behind` are the fewest and most runs behind a value where values are means, `recorded` the values that failed runs
    have all the same, by method and problem, `unsaid` the score that is taken to be large without anybody having said so.
    """

    methods: tuple[str, ...]
    problems: tuple[str, ...]
    values: FloatArray
    starts: IntArray
    goal: Goal
    notes: tuple[Note, ...] = ()
    independent: bool = True
    folds: bool = False
    repeated: bool = True
    source: str = "table"
    reading: tuple[Note, ...] = ()
    behind: tuple[int, int] = (1, 1)
    recorded: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)
    unsaid: str = ""
    bounds: Bounds = (None, None)

    @property
    def sizes(self) -> IntArray:
        """Runs in each cell, methods × problems."""
        return np.diff(self.starts).reshape(len(self.methods), len(self.problems))

    @property
    def succeeded(self) -> NDArray[np.bool_]:
        """Whether any run of the cell did not fail, methods × problems; no cell may be empty."""
        found = np.logical_or.reduceat(np.isfinite(self.values), self.starts[:-1])
        return np.asarray(found).reshape(len(self.methods), len(self.problems))

    @property
    def failure(self) -> float:
        """What stands for a failed run."""
        return -math.inf * self.sign

    @property
    def sign(self) -> float:
        """1 where large values are good, else -1."""
        return Metric.toward(self.goal).sign

    def cell(self, m: int, p: int) -> FloatArray:
        """The runs of one method on one problem."""
        at = m * len(self.problems) + p
        return self.values[self.starts[at] : self.starts[at + 1]]

    def of_method(self, m: int) -> list[FloatArray]:
        """The runs of one method, problem by problem."""
        return [self.cell(m, p) for p in range(len(self.problems))]

    def with_values(self, values: FloatArray) -> Cells:
        """The same runs with other values."""
        return replace(self, values=values)

    def toward(self, goal: Goal) -> Cells:
        """The same runs with the direction said; failed runs stay on the bad side."""
        values = self.values if goal == self.goal else np.where(np.isinf(self.values), -self.values, self.values)
        return replace(self, goal=goal, values=values, unsaid="")

    def only(self, methods: Sequence[str]) -> Cells:
        """The cells of some methods, in this order."""
        places = [place_of(name, self.methods) for name in methods]
        width = len(self.problems)
        ends = self.starts[::width] if width else np.zeros(len(self.methods) + 1, dtype=np.intp)
        values = np.concatenate([self.values[ends[m] : ends[m + 1]] for m in places])
        starts = np.concatenate(([0], np.cumsum(self.sizes[places].ravel()))).astype(np.intp)
        return replace(self, methods=tuple(self.methods[m] for m in places), values=values, starts=starts)

    def on(self, kept: Iterable[int]) -> Cells:
        """The cells of some problems."""
        chosen = list(kept)
        runs = [[self.cell(m, p) for p in chosen] for m in range(len(self.methods))]
        return from_lists(self.methods, [self.problems[p] for p in chosen], runs, self)

    def joined(self, how: Joined) -> FloatArray:
        """One number for each cell, methods × problems."""
        shape = len(self.methods), len(self.problems)
        sizes = np.diff(self.starts)
        if (sizes == 1).all():
            return self.values.reshape(shape).copy()
        if how == "mean":
            # Exact sums: the same runs have the same mean in any order, and so tie.
            found = np.array([math.fsum(part) for part in np.split(self.values, self.starts[1:-1])]) / sizes
        elif how == "best":
            pick = np.maximum if self.sign > 0 else np.minimum
            found = pick.reduceat(self.values, self.starts[:-1])
        else:
            found = np.array([np.median(part) for part in np.split(self.values, self.starts[1:-1])])
        return np.asarray(found, dtype=np.float64).reshape(shape)

    def halves(self, seed: int) -> tuple[Cells, Cells]:
        """Two halves of the runs of every cell, drawn by a fixed stream; the cells must have two runs at least."""
        drawn = [[self._drawn(m, p, None, seed) for p in range(len(self.problems))] for m in range(len(self.methods))]
        first, second = (
            from_lists(self.methods, self.problems, [[c[k::2] for c in row] for row in drawn], self) for k in (0, 1)
        )
        return first, second

    def thinned(self, counts: IntArray, seed: int) -> Cells:
        """At most counts[p] runs of every cell of problem p, drawn by a fixed stream."""
        runs = [[self._drawn(m, p, int(n), seed) for p, n in enumerate(counts)] for m in range(len(self.methods))]
        return from_lists(self.methods, self.problems, runs, self)

    def first_runs(self, n: int) -> Cells:
        """The first n runs of every cell."""
        runs = [[c[:n] for c in self.of_method(m)] for m in range(len(self.methods))]
        return from_lists(self.methods, self.problems, runs, self)

    def _drawn(self, m: int, p: int, n: int | None, seed: int) -> FloatArray:
        """So many runs of a cell (None: all) in random order.

        The stream is that of the problem's and the method's names, and the runs are sorted, worst first: the
        order of rows, methods and problems, units and negation draw no others.
        """
        runs = self.cell(m, p)
        if n is not None and runs.size <= n:
            return runs
        rng = stream(seed, "resample", self.problems[p], self.methods[m])
        return self.sign * np.sort(self.sign * runs)[rng.permutation(runs.size)[:n]]


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Mean, standard deviation (n - 1 in the denominator) and number of runs, methods × problems."""

    methods: tuple[str, ...]
    problems: tuple[str, ...]
    mean: FloatArray
    std: FloatArray
    n: IntArray
    goal: Goal
    notes: tuple[Note, ...] = ()
    source: str = "table"
    reading: tuple[Note, ...] = ()
    independent: bool = True
    unsaid: str = ""

    @property
    def sign(self) -> float:
        """1 where large means are good, else -1."""
        return Metric.toward(self.goal).sign

    def toward(self, goal: Goal) -> Moments:
        """The same means with the direction said."""
        return replace(self, goal=goal, unsaid="")

    def only(self, methods: Sequence[str]) -> Moments:
        """The rows of some methods, in this order."""
        places = [place_of(name, self.methods) for name in methods]
        names = tuple(self.methods[m] for m in places)
        return replace(self, methods=names, mean=self.mean[places], std=self.std[places], n=self.n[places])


Table: TypeAlias = Cells | Moments


def from_lists(
    methods: Sequence[str], problems: Sequence[str], runs: Sequence[Sequence[FloatArray]], like: Cells
) -> Cells:
    """Cells from the runs of each method on each problem; everything else as in `like`."""
    parts = [np.asarray(cell, dtype=np.float64) for row in runs for cell in row]
    starts = np.concatenate(([0], np.cumsum([part.size for part in parts]))).astype(np.intp)
    values = np.concatenate(parts) if parts else np.empty(0)
    return replace(like, methods=tuple(methods), problems=tuple(problems), values=values, starts=starts)


def from_matrix(
    methods: Sequence[str], problems: Sequence[str], values: FloatArray, goal: Goal, source: str = "table"
) -> Cells:
    """Cells with one run each, from methods × problems."""
    flat = np.ascontiguousarray(values, dtype=np.float64).ravel()
    return Cells(tuple(methods), tuple(problems), flat, np.arange(flat.size + 1), goal, source=source)


def from_moments(moments: Moments) -> Cells:
    """The means as if each were one run, for kinds that need one number for each cell."""
    cells = from_matrix(moments.methods, moments.problems, moments.mean, moments.goal, moments.source)
    there = moments.n[moments.n > 0]
    behind = (int(there.min()), int(there.max())) if there.size else (1, 1)
    notes = [*moments.notes, Note(NoteKind.SPREAD_NOT_USED)]
    if behind[0] < behind[1]:
        notes.append(Note(NoteKind.UNEQUAL_MEANS, values={"least": behind[0], "most": behind[1]}))
    return replace(cells, notes=tuple(notes), behind=behind, unsaid=moments.unsaid)


def as_joined(runs: str | None) -> Joined:
    """How several runs become one number, checked; the mean where nobody says."""
    if runs not in (None, "mean", "median", "best"):
        raise InputError(f"`runs` must be 'mean', 'median' or 'best'; got {runs!r}.")
    return "median" if runs == "median" else "best" if runs == "best" else "mean"


def settle_missing(cells: Cells, rule: str) -> Cells:
    """Cells without holes: refused, counted as failures, or their problems dropped, as the rule says."""
    if rule not in ("refuse", "fail", "drop-problem"):
        raise InputError(f"`missing` must be 'refuse', 'fail' or 'drop-problem'; got {rule!r}.")
    absent = np.isnan(cells.values)
    holes = cells.sizes == 0
    if not absent.any() and not holes.any():
        return cells
    lost = np.add.reduceat(np.append(absent, False), np.minimum(cells.starts[:-1], absent.size)).reshape(holes.shape)
    lost = np.where(holes, 1, lost)
    if rule == "refuse":
        m, p = np.argwhere(lost > 0)[0]
        raise InputError(
            f"{plural(int(lost.sum()), 'value')} {'is' if lost.sum() == 1 else 'are'} missing, the first for {cells.methods[m]!r} on "
            f"{cells.problems[p]!r}; say missing='fail' to count them as failures, or missing='drop-problem'."
        )
    if rule == "drop-problem":
        kept = np.flatnonzero(~(lost > 0).any(axis=0))
        if kept.size == 0:
            raise InputError("every problem misses a value of some method; say missing='fail', or leave methods out.")
        note = Note(NoteKind.PROBLEMS_DROPPED, "missing", {"n": holes.shape[1] - kept.size, "what": "values"})
        return replace(cells.on(kept), notes=(*cells.notes, note))
    # A method without any run on a problem failed there as often as others were run.
    most = np.maximum(cells.sizes.max(axis=0), 1).tolist()
    runs = [
        [_filled(cell, cells.failure, n) for cell, n in zip(cells.of_method(m), most, strict=True)]
        for m in range(len(cells.methods))
    ]
    note = Note(NoteKind.MISSING_FAILED, "missing", {"n": int(lost.sum())})
    return replace(from_lists(cells.methods, cells.problems, runs, cells), notes=(*cells.notes, note))


def _filled(cell: FloatArray, failure: float, n: int) -> FloatArray:
    return np.full(n, failure) if cell.size == 0 else np.where(np.isnan(cell), failure, cell)


def place_of(name: str, methods: Sequence[str]) -> int:
    """Where a method stands; refused with the names where there is none."""
    if name not in methods:
        known = listed([repr(printable(m)) for m in methods])
        raise InputError(f"there is no method {name!r} in this table; there are {known}.")
    return list(methods).index(name)
