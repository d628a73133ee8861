"""What a profile is made of: the runs, or the mean, spread and number of runs, of every method on every problem; and the rules
that turn a table into one without doubt: missing values, time limits, clocks, failures, problems that nobody solves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray, Goal, IntArray
from ogive.errors import FailedTrials, InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note, NoteKind
from ogive.seeding import stream
from ogive.words import listed, plural, printable

Joined: TypeAlias = Literal["mean", "median", "best"]
Missing: TypeAlias = Literal["refuse", "fail", "drop-problem"]
# So many equal largest times, and such a share of all, are a time limit rather than chance.
FEWEST_AT_LIMIT, SHARE_AT_LIMIT = 3, 0.02


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
    _check_missing(rule)
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
    runs = []
    for m in range(len(cells.methods)):
        own = zip(cells.of_method(m), most, strict=True)
        runs.append([np.where(np.isnan(c), cells.failure, c) if c.size else np.full(n, cells.failure) for c, n in own])
    note = Note(NoteKind.MISSING_FAILED, "missing", {"n": int(lost.sum())})
    return replace(from_lists(cells.methods, cells.problems, runs, cells), notes=(*cells.notes, note))


def settle_missing_moments(moments: Moments, rule: str) -> Moments:
    """Means without holes: refused, or their problems dropped; a failure has no mean."""
    _check_missing(rule)
    absent = ~np.isfinite(moments.mean)
    if not absent.any():
        return moments
    m, p = np.argwhere(absent)[0]
    if rule != "drop-problem":
        raise InputError(
            f"the mean of {moments.methods[m]!r} on {moments.problems[p]!r} is missing; a failure has no mean, so say missing='drop-problem'."
        )
    kept = np.flatnonzero(~absent.any(axis=0))
    if kept.size == 0:
        raise InputError("every problem misses the mean of some method; leave methods out.")
    note = Note(NoteKind.PROBLEMS_DROPPED, "missing", {"n": int(absent.any(axis=0).sum()), "what": "means"})
    return replace(
        moments, problems=tuple(moments.problems[i] for i in kept), mean=moments.mean[:, kept], std=moments.std[:, kept],
        n=moments.n[:, kept], notes=(*moments.notes, note),
    )  # fmt: skip


def _check_missing(rule: str) -> None:
    if rule not in ("refuse", "fail", "drop-problem"):
        raise InputError(f"`missing` must be 'refuse', 'fail' or 'drop-problem'; got {rule!r}.")


def place_of(name: str, methods: Sequence[str]) -> int:
    """Where a method stands; refused with the names where there is none."""
    if name not in methods:
        known = listed([repr(printable(m)) for m in methods])
        raise InputError(f"there is no method {name!r} in this table; there are {known}.")
    return list(methods).index(name)


def suspected(cells: Cells, time_limit: float | None) -> Cells:
    """Times without a limit, with a note where many of them end at the same largest one: it may be a limit."""
    values = cells.values[np.isfinite(cells.values)]
    if time_limit is not None or not values.size or any(n.kind is NoteKind.AT_TIME_LIMIT for n in cells.reading):
        return cells
    largest = float(values.max())
    n = int(np.count_nonzero(values == largest))
    if n < FEWEST_AT_LIMIT or n < SHARE_AT_LIMIT * values.size or values.min() == largest:
        return cells
    known = {"n": n, "of_runs": values.size, "limit": largest}
    return replace(cells, notes=(*cells.notes, Note(NoteKind.MAYBE_TIME_LIMIT, "time_limit", known)))


def limited(cells: Cells, time_limit: float | None, floor: float | None) -> Cells:
    """Values at or above the limit are failures; values below the clock's resolution are raised to it."""
    judged = [n for n in cells.reading if n.kind is NoteKind.AT_TIME_LIMIT and n.values["limit"] == time_limit]
    limit = time_limit
    if judged:  # by the column of times, when the table was read
        time_limit = None
        others = tuple(n for n in cells.reading if n not in judged)
        cells = replace(cells, reading=others, notes=(*cells.notes, *judged))
    if time_limit is None and floor is None:
        return cells
    if cells.goal != "minimize":
        raise InputError(
            "`time_limit` and `floor` go with times or costs, of which small ones are good; say goal='minimize'."
        )
    values, notes = cells.values.copy(), list(cells.notes)
    if time_limit is not None:
        if not 0.0 < time_limit < np.inf:
            raise InputError(f"`time_limit` must be a positive number; got {time_limit}.")
        over = np.isfinite(values) & (values >= time_limit)
        values[over] = np.inf
        # Among them are values of runs that failed anyway.
        own = [times for (m, p), times in cells.recorded.items() if m in cells.methods and p in cells.problems]
        failed = sum(int(np.count_nonzero(times >= time_limit)) for times in own)
        known = {"n": int(over.sum()) + failed, "limit": time_limit, "n_failed": failed}
        notes.append(Note(NoteKind.AT_TIME_LIMIT, "time_limit", known))
    if floor is not None:
        if not 0.0 < floor < np.inf:
            raise InputError(f"`floor` must be a positive number; got {floor}.")
        if limit is not None and floor >= limit:
            raise InputError(f"`floor` must be below the time limit of {limit:g}; got {floor:g}.")
        under = (values >= 0.0) & (values < floor)
        values[under] = floor
        notes.append(Note(NoteKind.BELOW_CLOCK, "floor", {"n": int(under.sum()), "floor": floor}))
    return replace(cells, values=values, notes=tuple(notes))


def counted_failures(cells: Cells, rule: str | float) -> Cells:
    """Failed runs by another rule than that they are infinitely far from the best."""
    failed = ~np.isfinite(cells.values)
    if rule == "worst" or not failed.any():
        return cells
    n = int(failed.sum())
    if rule == "refuse":
        raise FailedTrials(
            f"{n} of {plural(failed.size, 'run')} failed; say how to count them: failures='worst' (infinitely far from the "
            "best), a number, 'like:NAME' or 'exclude'."
        )
    values = cells.values.copy()
    if isinstance(rule, float):
        values[failed] = rule
        counted = f"{rule:g}"
    elif rule == "exclude":
        runs = [[cell[np.isfinite(cell)] for cell in cells.of_method(m)] for m in range(len(cells.methods))]
        for m, row in enumerate(runs):
            for p, cell in enumerate(row):
                if not cell.size:
                    raise InputError(
                        f"failures='exclude' leaves no run of {cells.methods[m]!r} on {cells.problems[p]!r}; count "
                        "failed runs by another rule, or read the table without the method (without=)."
                    )
        left_out = Note(NoteKind.FAILED_RUNS, "failures", {"n": n, "of_runs": failed.size, "counted": None})
        return replace(from_lists(cells.methods, cells.problems, runs, cells), notes=(*cells.notes, left_out))
    else:
        like = place_of(rule.removeprefix("like:"), cells.methods)
        counted = f"{rule.removeprefix('like:')}'s mean on that problem"
        for m in range(len(cells.methods)):
            for p, cell in enumerate(cells.of_method(m)):
                stood = cells.cell(like, p)
                usable = stood[np.isfinite(stood)]
                if usable.size:
                    at = cells.starts[m * len(cells.problems) + p]
                    part = values[at : at + cell.size]
                    part[~np.isfinite(part)] = usable.mean()
        n = int(np.count_nonzero(failed & np.isfinite(values)))
        if not n:
            return cells
    known = {"n": n, "of_runs": failed.size, "counted": counted}
    return replace(cells, values=values, notes=(*cells.notes, Note(NoteKind.FAILED_RUNS, "failures", known)))


def positive(cells: Cells) -> None:
    """Refuse what cannot stand in a ratio."""
    finite = np.isfinite(cells.values)
    if (finite & (cells.values < 0.0)).any():
        value = float(cells.values[finite & (cells.values < 0.0)][0])
        raise InputError(
            f"times and costs must be positive; got {value:g}. For scores use kind='improvement' where cells have "
            "several runs, kind='score' where tasks share a scale, or kind='difference'."
        )
    if (finite & (cells.values == 0.0)).any():
        n = int(np.count_nonzero(cells.values == 0.0))
        if np.isin(cells.values[finite], (0.0, 1.0)).all():
            raise InputError(
                "all values are 0 or 1, answers and no times, which no ratio can hold; use kind='score' or 'difference'."
            )
        way = "say floor= with the clock's resolution, for example floor=0.01" if cells.goal == "minimize" else "for scores use kind='difference'"  # fmt: skip
        raise InputError(f"{plural(n, 'value')} {'is' if n == 1 else 'are'} 0, which no ratio can hold; {way}.")


def equalized(cells: Cells, seed: int, *, paired: bool = False) -> Cells:
    """As many runs of every cell as the smallest one has; of paired runs the first."""
    least = int(cells.sizes.min())
    if int(cells.sizes.max()) == least:
        return cells
    kept = cells.first_runs(least) if paired else cells.thinned(np.full(len(cells.problems), least), seed)
    note = Note(NoteKind.FIRST_RUNS if paired else NoteKind.DRAWN_RUNS, "equalize", {"n": least})
    return replace(kept, notes=(*cells.notes, note))


def comparable(cells: Cells, seed: int) -> tuple[Cells, tuple[Note, ...]]:
    """As many runs of every method on a problem as the poorest one has there, and a note where some are left out.

    The best of several numbers is sought on every problem, and the more runs stand behind a number the
    less, or with `best` the more, chance helps it: two equal methods with 3 and 30 runs were told apart in all
    tables by their best runs, in 0.78 by `improvement` of scores that are 0 or 1. An expected value over all choices
    of 3 of the 30 runs would not do: it spreads less than 3 runs do, and with skewed scores the best of 3 lies
    below it more often than above (told apart in 0.26 of tables of 65 problems, in 1.00 of 400). Only a draw of
    3 runs is distributed as the 3 runs of an equal method are.
    """
    least, most = cells.sizes.min(axis=0), cells.sizes.max(axis=0)
    uneven = int(np.count_nonzero(least < most))
    if not uneven:
        return cells, ()
    known = {"n": uneven, "least": int(least.min()), "most": int(most.max())}
    return cells.thinned(least, seed), (Note(NoteKind.UNEQUAL_RUNS, values=known),)


def said_of_failures(cells: Cells, counted: str) -> Cells:
    """A note on failed runs, with how they are counted, and a refusal where nobody succeeded."""
    failed = ~np.isfinite(cells.values)
    if not failed.any():
        return cells
    hopeless = [cells.methods[m] for m in np.flatnonzero(~cells.succeeded.any(axis=1))]
    if len(hopeless) == len(cells.methods):
        raise InputError("no method has any success on any problem; there is nothing to compare.")
    known = {"n": int(failed.sum()), "of_runs": failed.size, "counted": counted}
    never = (Note(NoteKind.NO_SUCCESS, values={"methods": hopeless}),) if hopeless else ()
    return replace(cells, notes=(*cells.notes, Note(NoteKind.FAILED_RUNS, values=known), *never))


def without_unsolved(cells: Cells, rule: str) -> Cells:
    """Problems on which every run of every method failed, kept or dropped, with a note either way."""
    lost = ~cells.succeeded.any(axis=0)
    n = int(lost.sum())
    if not n:
        return cells
    note = Note(NoteKind.UNSOLVED, "unsolved", {"n": n, "counted": rule == "keep"})
    kept = cells if rule == "keep" else cells.on(np.flatnonzero(~lost))
    return replace(kept, notes=(*cells.notes, note))
