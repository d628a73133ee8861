"""The runs of several methods on several tasks as arrays: sorted side by side, and joined where they share draws.

Their differences come from statistics; those that hold for every distribution, by betting, Hoeffding, exact tests and
order statistics, are put together here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ogive.answers.verdicts._question import BAD_DAY, Question
from ogive.errors import InputError
from ogive.notes import argument
from ogive.stages import counting
from ogive.statistics import (
    Asked,
    Assumption,
    Differences,
    Draws,
    Interval,
    ListedDifferences,
    MixedDifferences,
    TaskRuns,
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_difference,
    differences_between,
    guaranteed_improvement,
    win_shares,
)
from ogive.trials import FloatArray, IntArray, Trials

# A pair of methods is compared pair by pair where at least this share of their rows has a partner on every task.
MOST_PAIRED = 2 / 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """What a question is asked of.

    Attributes
    ----------
    methods : tuple of str
        In alphabetical order, so that no result depends on the order of a table.
    runs : tuple of TaskRuns
        For each task, scores turned so that larger is better; folds of a sample of tasks as their mean.
    shared : array [method, method]
        The number of draws that two methods share on all tasks together; 0 where they are not joined.
    joined : array [method, method]
        0 where their runs are joined pair by pair, -1 where not.
    partly : array [method, method]
        Whether runs of two methods share some draws, too few of them to be joined, or are folds that somebody took for
        independent: then they are not.
    n_runs, n_failed : array [method, task]
        Units with a score; failed runs.
    order_only : bool
        Failures count as worse than every score, as minus infinity, which has a place in the order and no value.
    """

    methods: tuple[str, ...]
    question: Question
    asked: Asked
    runs: tuple[TaskRuns, ...]
    shared: IntArray
    joined: IntArray
    partly: NDArray[np.bool_]
    n_runs: IntArray
    n_rows: IntArray
    n_failed: IntArray
    order_only: bool
    clustered: bool
    sign: float
    decides_by_value: bool
    are_shares: bool
    bounds: tuple[float | None, float | None]

    def differences(self, first: IntArray, second: IntArray) -> Differences:
        """The differences of these pairs by the question's criterion."""
        if self.order_only and self.question.criterion.needs_values:
            raise InputError(
                f"failures that count as worse than every score leave the {self.question.criterion.label} without a value; "
                f"declare {argument('bounds')}, count failures by a number, or decide by what needs none: {argument('criterion', 'median')}"
                # A margin is in the units of the score, which improvement has not; a gate refuses it.
                + ("." if self.question.margin is not None else f" or {argument('criterion', 'improvement')}.")
            )
        if self.asked.guaranteed:
            return guaranteed_differences(self, first, second)
        return differences_between(self.runs, first, second, self.joined[first, second], self.asked)

    def failed(
        self, name: str, refused: str | None, of: Sequence[str] | None = None
    ) -> tuple[tuple[str, int, int], ...]:
        """Methods with their failed runs and their runs, where bad days are refused since failures have no value."""
        if name != BAD_DAY or refused != "no values":
            return ()
        places = [self.methods.index(m) for m in (self.methods if of is None else of)]
        return tuple((self.methods[i], int(self.n_failed[i].sum()), int(self.n_rows[i].sum())) for i in places)

    def asking(self, question: Question, trials: Trials) -> Samples:
        """The same runs, asked by another criterion."""
        return replace(self, question=question, asked=replace(question.asked(trials), binary=self.asked.binary))

    @property
    def common_scale(self) -> bool:
        """Whether scores of several tasks may be averaged.

        Bounds are declared, every score of the table is a share, or a criterion in the score's own unit decides.
        """
        return None not in self.bounds or self.are_shares or self.decides_by_value

    def unmatched(self, a: int, b: int) -> int:
        """Draws of two joined methods that only one of them has, and that means and wins of pairs leave out."""
        if self.joined[a, b] < 0 or self.asked.kind not in ("mean", "improvement"):
            return 0
        there = [~np.isnan(task.draws[0].scores[[a, b]]) for task in self.runs]
        return int(sum(np.count_nonzero(t[0] ^ t[1]) for t in there))

    def tied(self, a: int, b: int) -> bool:
        """Whether no two runs that are compared differ: all pairs of two joined methods, all runs of two others."""
        if self.joined[a, b] < 0:
            return all(
                bool(np.all(scores == task.scores[a][0]))
                for task in self.runs
                for scores in (task.scores[a], task.scores[b])
            )
        both = (task.draws[0].scores[[a, b]] for task in self.runs)
        return all(bool(np.all((one == other) | np.isnan(one) | np.isnan(other))) for one, other in both)

    @property
    def span(self) -> float:
        """How far two scores can be apart; infinite without bounds."""
        low, high = self.bounds
        return math.inf if low is None or high is None else high - low

    def possible(self, found: Interval) -> Interval:
        """An interval of a difference without what the bounds of the score exclude; as it is where it has no limits."""
        if self.asked.kind == "improvement" or not (math.isfinite(found.low) and math.isfinite(found.high)):
            return found
        return replace(found, low=max(found.low, -self.span), high=min(found.high, self.span))

    def n_pairs(self, a: int, b: int, n: int) -> int:
        """The pairs behind a difference of two joined methods; `n` where they are not joined, or units are counted."""
        joined = self.joined[a, b] >= 0 and not self.clustered and not self.question.sampled
        return int(self.shared[a, b]) if joined else n


def gather(trials: Trials, methods: Sequence[str], question: Question) -> Samples:
    """The runs of these methods on the question's tasks."""
    question.refuse_folds()
    names = tuple(sorted(methods))
    if question.failures == "refuse":
        trials.refuse_failures(question.metric, names, question.tasks)
    sign, failed = trials.definitions[question.metric].sign, trials.failed(question.metric)
    wanted = trials.pair is not None if question.paired is None else question.paired
    by_mean = question.sampled and question.test_share is not None  # folds of a task are one observation of it
    runs, order_only = [], False
    # Task by task: the draws that 500 methods share on 200 tasks would take a gigabyte all at once.
    shared = np.zeros((len(names), len(names)), dtype=np.intp)
    partly, everywhere = shared > 0, shared == 0
    n_runs, n_rows, n_failed = (np.zeros((len(names), len(question.tasks)), dtype=np.intp) for _ in range(3))
    for place, task in enumerate(counting(question.tasks, "gathering runs, by task")):
        values, rows = [], []
        for method in names:
            found, kept = trials.resolve_failures(trials.cell(method, task), question.metric, question.failures)
            if not found.size:
                raise InputError(f"{method!r} has no usable score on {task!r}; leave it out, or count its failures.")
            values.append(sign * found)
            rows.append(kept)
        order_only |= any(bool(np.isneginf(v).any()) for v in values)
        draws = _joined(trials, task, values, rows) if wanted else None
        units = []
        for found, kept in zip(values, rows, strict=True):
            clusters = trials.clusters(kept)
            units.append(found if clusters is None else _means_by(clusters, found)[1])
        if by_mean:
            units, draws = [np.array([float(u.mean())]) for u in units], None
        runs.append(TaskRuns(tuple(np.sort(u) for u in units), () if draws is None else (draws,)))
        n_runs[:, place], n_rows[:, place] = [u.size for u in units], [v.size for v in values]
        n_failed[:, place] = [np.count_nonzero(failed[trials.cell(m, task).rows]) for m in names]
        if draws is None:
            everywhere[:] = False
            continue
        there = (~np.isnan(draws.scores)).astype(np.float64)
        both, sizes = np.rint(there @ there.T).astype(np.intp), there.sum(axis=1)
        enough = both >= (0.0 if question.paired else MOST_PAIRED) * (sizes[:, None] + sizes[None, :]) / 2.0
        shared += np.where(enough, both, 0)
        everywhere &= enough & (both > 0)
        partly |= both > 0
    refuse_single_runs(trials, names, question)
    together = np.where(everywhere, shared, 0)  # 0 where two are not joined on every task
    partly &= (together == 0) & (question.paired is None)
    partly |= trials.folds_overruled and not question.sampled
    if question.paired and not by_mean:
        for i, j in itertools.combinations(range(len(names)), 2):
            if not together[i, j]:
                raise InputError(
                    f"{names[i]!r} and {names[j]!r} share no draw; name the joining column with pair= when reading."
                )
    if question.test_share is not None and not by_mean and bool((together == 0)[~np.eye(len(names), dtype=bool)].any()):
        raise InputError(_why_apart(trials, names, question))
    usable = trials.values(question.metric)[~failed]
    # Scores within [0, 1] mean the same on every task.
    are_shares = bool(usable.size) and float(usable.min()) >= 0.0 and float(usable.max()) <= 1.0
    return Samples(
        methods=names, question=question, asked=_asked(question, trials, by_mean, runs), runs=tuple(runs), shared=together,
        joined=np.where(together > 0, 0, -1), partly=partly, n_runs=n_runs, n_rows=n_rows, n_failed=n_failed, order_only=order_only,
        clustered=trials.clustered, sign=sign,
        decides_by_value=question.criterion.statistic is not None, are_shares=are_shares, bounds=trials.bounds[question.metric],
    )  # fmt: skip


def refuse_single_runs(trials: Trials, names: Sequence[str], question: Question) -> None:
    """Refuse to speak of these tasks where one run says nothing of its spread on some of them."""
    single = any(trials.cell(m, task).rows.size < 2 for m in names for task in question.tasks)
    if len(question.tasks) > 1 and question.over == "fixed" and single:
        raise InputError(
            "`over` 'fixed' needs at least two runs of every method on every task: one run says nothing about its spread; "
            "say over='sample' to take the tasks for a sample."
        )


def all_pairs(n: int) -> tuple[IntArray, IntArray]:
    """Every pair of n methods once."""
    first, second = np.triu_indices(n, 1)
    return first.astype(np.intp), second.astype(np.intp)


def _asked(question: Question, trials: Trials, by_mean: bool, runs: Sequence[TaskRuns]) -> Asked:
    """What is asked; right or wrong only where the runs still are, after failures were counted and repeats averaged."""
    asked = question.asked(trials)
    held = [s for task in runs for s in (*task.scores, *(d.scores[~np.isnan(d.scores)] for d in task.draws))]
    binary = asked.binary and all(bool(np.isin(s, (0.0, trials.definitions[question.metric].sign)).all()) for s in held)
    return replace(asked, binary=binary, test_share=None if by_mean else asked.test_share)


def _means_by(codes: IntArray, scores: FloatArray) -> tuple[IntArray, FloatArray, IntArray]:
    """Each code once, the mean of its scores, and the place of its first."""
    found, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return found, np.bincount(place, weights=scores) / np.bincount(place), first


def _joined(trials: Trials, task: str, values: list[FloatArray], rows: list[IntArray]) -> Draws | None:
    """Scores [method, draw] of what the rows share; None where a draw has no name.

    Rows are joined by item and trial. Where some method of the table has each item once, the trial is only a
    running number: items alone join, and repeats are averaged first. That is asked of all methods of the table,
    so that two of them are joined in the same way whoever else is asked about.
    """
    items = [trials.codes("item")[r] for r in rows]
    known = all(bool(np.all(i >= 0)) for i in items)
    if known and _some_once(trials, task):
        means = [_means_by(i, v) for i, v in zip(items, values, strict=True)]
        keys, scores = [m[0] for m in means], [m[1] for m in means]
        places = [r[m[2]] for r, m in zip(rows, means, strict=True)]
    else:
        keys, scores, places = [trials.draws[r] for r in rows], values, rows
        for key, r in zip(keys, rows, strict=True):
            if np.unique(key).size < key.size:
                method = trials.algorithms[int(trials.codes("algorithm")[r[0]])]
                if trials.n_folds is not None:
                    raise InputError(_folds_again(method, task))
                raise InputError(
                    f"{method!r} has several rows for one draw on {task!r}; name what tells them apart with item=, or compare "
                    "fresh runs of both with paired=False."
                )
    draws = np.unique(np.concatenate(keys))
    table = np.full((len(keys), draws.size), np.nan)
    clusters = np.full(draws.size, -1, dtype=np.intp)
    for m, (key, score, place) in enumerate(zip(keys, scores, places, strict=True)):
        at = np.searchsorted(draws, key)
        table[m, at] = score
        group = trials.clusters(place)
        if group is not None:
            clusters[at] = group
    return Draws(table, clusters if trials.clustered else None)


def _some_once(trials: Trials, task: str) -> bool:
    """Whether some method of the table has every item of the task once."""
    code = trials.codes("item")
    cells = (trials.cell(m, task).rows for m in trials.algorithms)
    return any(r.size > 0 and bool(np.all(code[r] >= 0)) and np.unique(code[r]).size == r.size for r in cells)


def _why_apart(trials: Trials, names: Sequence[str], question: Question) -> str:
    """Why folds, or splits of the same rows, are not joined, and what joins them: the advice must end in an answer."""
    if question.paired is False:
        return "folds and splits of the same rows are compared pair by pair only; leave out paired=False."
    if trials.n_folds is None:
        return "splits of the same rows are compared pair by pair: name the column that joins them with pair= when reading."
    for method in names:
        for task in question.tasks:
            if trials.cell(method, task).rows.size > trials.n_folds and trials.pair is None:
                return _folds_again(method, task)
    return (
        f"{names[0]!r} and {names[1]!r} share too few folds to be compared pair by pair; run both on the same splits, and call "
        "each fold the same for both."
    )


def _folds_again(method: str, task: str) -> str:
    return (
        f"folds of {method!r} on {task!r} stand several times, and no column tells one cross-validation from the next; add a "
        "column 'repeat' with one number for each, the same for the same splits of every method."
    )


def guaranteed_differences(samples: Samples, first: IntArray, second: IntArray) -> Differences:
    """The differences of these pairs: betting, or order statistics."""
    kind, joined = samples.asked.kind, samples.joined[first, second]
    several = len(samples.runs) > 1
    exact = (joined >= 0) & (kind == "improvement") & (not several) | (kind == "q")
    parts = []
    if exact.any():
        at = np.flatnonzero(exact)
        parts.append((at, differences_between(samples.runs, first[at], second[at], joined[at], samples.asked)))
    if not exact.all():
        at = np.flatnonzero(~exact)
        parts.append((at, _one_by_one(samples, first[at], second[at])))
    return MixedDifferences.of(parts)


def _one_by_one(samples: Samples, first: IntArray, second: IntArray) -> Differences:
    kind, several = samples.asked.kind, len(samples.runs) > 1

    def make(i: int, confidence: float) -> Interval:
        task_or_tasks = _over_tasks if several else _on_one_task
        return task_or_tasks(samples, int(first[i]), int(second[i]), confidence)

    found = [make(i, 0.5) for i in range(first.size)]
    return ListedDifferences(
        estimate=np.array([f.estimate for f in found]), even=0.5 if kind == "improvement" else 0.0,
        n=np.array([f.n for f in found], dtype=np.intp), method=found[0].method, guarantees=tuple(f.guarantee for f in found),
        assumptions=found[0].assumptions, make=make, index=np.arange(first.size),
    )  # fmt: skip


def _bounds(samples: Samples) -> tuple[float, float]:
    """The bounds of the scores as they are held: turned, where smaller is better."""
    low, high = samples.bounds
    if low is None or high is None:
        way = argument("bounds", ("low", "high"))
        raise InputError(f"`guaranteed` needs both bounds of the score; declare {way} when reading.")
    return (low, high) if samples.sign > 0 else (-high, -low)


def _on_one_task(samples: Samples, a: int, b: int, confidence: float) -> Interval:
    runs, asked = samples.runs[0], samples.asked
    joined = samples.joined[a, b] >= 0
    x, y = runs.scores[a], runs.scores[b]
    if asked.kind == "improvement":
        return guaranteed_improvement(x, y, confidence=confidence)
    bounds = _bounds(samples)
    if asked.kind == "worst":
        return bounded_tail_mean_difference(x, y, mass=asked.amount, tail="lower", bounds=bounds, confidence=confidence)
    if joined:
        x, y = _pairs(samples, 0, a, b)
    return bounded_mean_difference(x, y, bounds, paired=bool(joined), confidence=confidence)


def _pairs(samples: Samples, place: int, a: int, b: int) -> tuple[FloatArray, FloatArray]:
    table = samples.runs[place].draws[0].scores
    both = ~np.isnan(table[a]) & ~np.isnan(table[b])
    return table[a, both], table[b, both]


def _over_tasks(samples: Samples, a: int, b: int, confidence: float) -> Interval:
    """The mean over tasks, of who won or of the difference.

    Tasks that are a sample give one bounded outcome each, and betting tells their mean. Of fixed tasks the runs
    are independent without being alike: Hoeffding's inequality (1963) bounds the sum of all of them, and that of
    the shares of wins, which average over ways to form as many pairs as the rarer method has runs.
    """
    improvement = samples.asked.kind == "improvement"
    span = 1.0 if improvement else _bounds(samples)[1] - _bounds(samples)[0]
    values, scales = zip(*(_on_task(samples, place, a, b, span) for place in range(len(samples.runs))), strict=True)
    n, estimate = len(values), float(np.mean(values))
    if samples.question.sampled:
        outcomes = np.array(values) if improvement else (np.array(values) / span + 1.0) / 2.0
        found = bounded_mean_interval(outcomes, (0.0, 1.0), confidence=confidence)
        low, high = found.low, found.high
        if not improvement:
            low, high = (2.0 * low - 1.0) * span, (2.0 * high - 1.0) * span
        method, count = f"{found.method} on tasks", n
    else:
        half = math.sqrt(math.log(2.0 / (1.0 - confidence)) / 2.0 * sum(scales)) / n
        limit = (0.0, 1.0) if improvement else (-span, span)
        low, high = max(estimate - half, limit[0]), min(estimate + half, limit[1])
        method, count = "Hoeffding", int(samples.n_runs[a].sum() + samples.n_runs[b].sum())
    return Interval(
        estimate=min(max(estimate, low), high), low=low, high=high, confidence=confidence, method=method,
        guarantee="conservative", n=count, assumptions=(Assumption.BOUNDED,),
    )  # fmt: skip


def _on_task(samples: Samples, place: int, a: int, b: int, span: float) -> tuple[float, float]:
    """The estimate on one task, and the sum of the squared ranges of the terms that it is made of."""
    improvement = samples.asked.kind == "improvement"
    if samples.joined[a, b] >= 0:
        x, y = _pairs(samples, place, a, b)
        if improvement:
            return float(np.mean((x > y) + 0.5 * (x == y))), 1.0 / x.size
        return float(np.mean(x - y)), (2.0 * span) ** 2 / x.size
    x, y = samples.runs[place].scores[a], samples.runs[place].scores[b]
    if improvement:
        return float(win_shares((x, y))[0, 1]), 1.0 / min(x.size, y.size)
    return float(x.mean() - y.mean()), span**2 * (1.0 / x.size + 1.0 / y.size)
