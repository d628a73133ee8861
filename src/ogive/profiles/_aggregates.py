"""One number for many tasks: IQM, mean, median, optimality gap, probability of improvement, shifted geometric mean of times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ogive.arguments import as_confidence
from ogive.errors import FailedTrials, InputError
from ogive.metric import Bounds
from ogive.notes import Note, NoteKind, argument, capitalized, command, sentences
from ogive.profiles._cells import Cells, Moments, as_joined, comparable, counted_failures, place_of, settle_missing
from ogive.profiles._normalize import Reference, Scale, normalized
from ogive.profiles._reading import joinable, profile_table
from ogive.results import json_ready
from ogive.statistics import (
    AGGREGATES,
    FEWEST_RANDOM_TASKS,
    Assumption,
    Interval,
    aggregate,
    aggregate_against,
    aggregate_label,
    improvement_over_tasks,
    mean_interval,
)
from ogive.tables import Ranged, Recorded, Table
from ogive.trials import failure_rule
from ogive.words import listed, percent_sure, plural

DOUBTS = (Assumption.FEW_IN_ALL, Assumption.FEW_FOR_MEDIAN, Assumption.SHORT_TAIL)


def _ways_out(n_tasks: int, other: str) -> str:
    """That one may speak of other tasks, where there are enough to do so; and the other way."""
    way = (
        other
        if n_tasks < FEWEST_RANDOM_TASKS
        else f"say {argument('over', 'sample')} to speak of others like these, or {other}"
    )
    return f"{way[0].upper()}{way[1:]}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Aggregates(Recorded):
    """Aggregates of every method over the same tasks, each with an interval of its own.

    Attributes
    ----------
    found : dict
        (method, statistic) -> Interval.
    over : str
        "fixed" or "sample": whether the intervals speak of these tasks or of tasks like these.
    """

    found: dict[tuple[str, str], Interval]
    methods: tuple[str, ...]
    statistics: tuple[str, ...]
    over: str
    n_tasks: int
    goal: str
    confidence: float
    notes: tuple[Note, ...] = ()
    reading: tuple[Note, ...] = ()
    source: str = ""

    def __repr__(self) -> str:
        return f"Aggregates({', '.join(self.statistics)}; {len(self.methods)} methods, {self.n_tasks} tasks)"

    def __str__(self) -> str:
        return self.as_tables()[0].to_text()

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each method, a column for each statistic."""
        head = ("method", *(aggregate_label(s) for s in self.statistics))
        rows = tuple(
            (m, *(Ranged(i.estimate, i.low, i.high) for i in (self.found[m, s] for s in self.statistics)))
            for m in self.methods
        )
        return (Table(head=head, rows=rows, below=(self.sentence, *map(capitalized, self.notes))),)

    @property
    def sentence(self) -> str:
        """What the intervals are, and what they are not."""
        scope = "these tasks held fixed" if self.over == "fixed" else "tasks taken as a random sample"
        how, why = self._how_sure()
        return (
            f"Each interval has {percent_sure(self.confidence)} confidence on its own ({how}; {plural(self.n_tasks, 'task')}, {scope}). "
            f"Overlapping intervals do not mean equal methods.{why}"
        )

    def _how_sure(self) -> tuple[str, str]:
        """`approximate` or `heuristic`, and a sentence that says why the latter."""
        rough = {
            s: [i for m in self.methods if (i := self.found[m, s]).guarantee == "heuristic"] for s in self.statistics
        }
        doubtful = [aggregate_label(s) for s, found in rough.items() if found]
        if not doubtful:
            return "approximate", ""
        reasons = dict.fromkeys(a for found in rough.values() for i in found for a in i.assumptions if a in DOUBTS)
        why = f" Heuristic: {'; '.join(reasons)}."
        if all(len(found) == len(self.methods) for found in rough.values()):
            return "heuristic", why
        whole = all(len(found) == len(self.methods) for found in rough.values() if found)
        return f"approximate; {listed(doubtful)} heuristic{'' if whole else ' for some methods'}", why

    def of(self, method: str, statistic: str) -> Interval:
        """One aggregate of one method."""
        place_of(method, self.methods)
        if statistic not in self.statistics:
            raise InputError(f"there is no {statistic!r} here; there are {', '.join(map(repr, self.statistics))}.")
        return self.found[method, statistic]

    def records(self) -> list[dict[str, Any]]:
        """A row for each method and statistic."""
        return [
            {"algorithm": m, "statistic": s, "estimate": i.estimate, "low": i.low, "high": i.high, "method": i.method,
             "guarantee": i.guarantee, "n": i.n} for (m, s), i in self.found.items()
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": self.over, "notes": sentences((*self.reading, *self.notes)),
            "confidence": self.confidence, "rows": [json_ready(row) for row in self.records()],
        }  # fmt: skip


def aggregates(
    table: Any,
    *,
    statistics: str | Sequence[str] | None = None,
    normalize: Scale | None = None,
    over: Literal["fixed", "sample"] = "fixed",
    failures: str | float = "refuse",
    gamma: float | None = None,
    confidence: float = 0.95,
    goal: str | None = None,
    missing: str = "refuse",
    seed: int = 0,
    n_resamples: int = 2000,
    metric: str | None = None,
) -> Aggregates:
    """IQM, mean, median and optimality gap of every method over the same tasks, with intervals.

    Parameters
    ----------
    table
        As for `performance_profile`; several runs of every method on every task.
    statistics : str or sequence of str, optional
        See `ogive.statistics.aggregate`. By default the IQM (the mean of the middle half, runs at its edges counted in
        part), mean and median, and the optimality gap where a `gamma` is known.
    normalize : Baselines, MinMax or Reference, optional
        Bring tasks to one scale first. With `Reference` the reference's runs are resampled together with
        the method's, since the scale itself is uncertain; the reference is then left out.
    failures : {"refuse", "exclude", "like:NAME"} or float
        How failed runs, and runs without a score, count; a number is a score on the final scale. With `Reference` no
        number: "worst" counts them as worse than every run of the reference.
    gamma : float, optional
        The score from which on nothing is missing to the optimality gap: 1 on a scale, else the upper bound that is
        declared for a score of which large values are good. Without either it must be said.

    Notes
    -----
    Approximate, and heuristic with few runs; see `ogive.statistics.aggregate`. Every interval holds on its own, and ends
    at the bounds of the score. Refused for runs that are no independent draws: a grid, an adaptive search, and, with fixed
    tasks, the folds of a cross-validation.

    Examples
    --------
    >>> scores = {"a": {"x": [0.2, 0.3, 0.4], "y": [0.5, 0.9, 0.7]}, "b": {"x": [0.1, 0.2, 0.2], "y": [0.6, 0.5, 0.4]}}
    >>> round(aggregates(scores).of("a", "mean").estimate, 2)
    0.5
    """
    runs = runs_of(table, metric, goal)
    if not runs.independent:
        raise InputError(
            "a grid or an adaptive sampler chose these trials, or may have, so no interval is given; "
            "say independent=True when reading if they were drawn at random."
        )
    if over == "fixed" and runs.folds:
        other = f"ask {command('compare')} or {command('rank')}, which correct for it"
        raise InputError(
            "these runs are folds of a cross-validation, which share training data: intervals that take them for independent "
            f"are too short. {_ways_out(len(runs.problems), other)}."
        )
    # A run without a score has failed; what is missing is a method on a task without any run.
    if missing == "refuse":
        runs = replace(runs, values=np.where(np.isnan(runs.values), runs.failure, runs.values))
    cells = settle_missing(runs, missing)
    rule = failure_rule(failures)
    if isinstance(normalize, Reference):
        cells = _counted_against(cells, normalize.method, rule)
    elif isinstance(rule, str) and rule not in ("refuse", "worst"):
        cells = counted_failures(cells, rule)
    scaled = normalized(cells, normalize)
    if not isinstance(normalize, Reference):
        scaled = _without_failures(scaled, rule)
    bounds: Bounds = (None, None)  # what the scores cannot leave
    if normalize is None:
        known = scaled.values[np.isfinite(scaled.values)]
        right_or_wrong = known.size > 0 and bool(np.isin(known, (0.0, 1.0)).all()) and float(np.ptp(known)) == 1.0
        bounds = (0.0, 1.0) if right_or_wrong else scaled.bounds
    if gamma is None:  # from where on nothing is missing; still None where nothing says it
        gamma = 1.0 if normalize is not None else bounds[1] if scaled.goal == "maximize" else None
    if statistics is None:
        statistics = [s for s in AGGREGATES if s != "optimality_gap" or gamma is not None]
    asked = (statistics,) if isinstance(statistics, str) else tuple(statistics)
    if "optimality_gap" in asked and gamma is None:
        raise InputError(
            "an optimality gap needs the score from which on nothing is missing, and nothing says it here; say gamma=, bring "
            "tasks to one scale, or declare bounds= when the table is read."
        )
    options: dict[str, Any] = {
        "statistics": asked, "confidence": confidence, "seed": seed, "n_resamples": n_resamples,
        "gamma": scaled.sign * (1.0 if gamma is None else gamma),
    }  # fmt: skip
    found: dict[tuple[str, str], Interval] = {}
    shown = list(scaled.methods)
    if isinstance(normalize, Reference):
        if over != "fixed":
            raise InputError("`over='sample'` cannot be combined with a reference method; use Baselines or MinMax.")
        shown.remove(normalize.method)
        if not shown:
            raise InputError(f"{normalize.method!r} is the only method; a reference needs another one to measure.")
    elif over == "fixed" and int(scaled.sizes.min(initial=2)) < 2:
        other = f"draw a profile with {argument('kind', 'difference')}"
        raise InputError(
            "one run of a method on a task says nothing about spread, and aggregates over fixed tasks need two. "
            f"{_ways_out(len(runs.problems), other)}."
        )
    for m in shown:
        place = place_of(m, scaled.methods)
        if isinstance(normalize, Reference):
            both = [
                [cells.sign * c for c in cells.of_method(i)] for i in (place, place_of(normalize.method, cells.methods))
            ]
            by_name = aggregate_against(*both, **options)
        else:
            by_name = aggregate([scaled.sign * c for c in scaled.of_method(place)], over=over, **options)
        for s, interval in by_name.items():
            if s != "optimality_gap":  # a gap is a distance; the others are turned back, and end where the scores do
                interval = interval if scaled.sign > 0 else interval.negated()
                low, high = bounds
                if low is not None and interval.low < low:  # 0/1 answers had an interval of [0.95, 1.05]
                    interval = replace(interval, low=low)
                if high is not None and interval.high > high:
                    interval = replace(interval, high=high)
            found[m, s] = interval
    notes = scaled.notes
    if normalize is None and None in bounds and len(scaled.problems) > 1:
        common = {"values": "scores", "over": "tasks", "averaged": True}
        notes = (*notes, Note(NoteKind.COMMON_SCALE, values=common))
    if isinstance(normalize, Reference):
        notes = (*cells.notes, Note(NoteKind.NORMALIZED, values={"by": "resampled reference", "method": normalize.method}))  # fmt: skip
    return Aggregates(
        found=found, methods=tuple(shown), statistics=asked, over=over, n_tasks=len(cells.problems), goal=scaled.goal,
        confidence=confidence, notes=notes, reading=cells.reading, source=cells.source,
    )  # fmt: skip


def runs_of(table: Any, metric: str | None, goal: str | None) -> Cells:
    """The runs of a table; refused where it holds means only."""
    found = profile_table(table, "score", metric=metric, goal=goal)
    if isinstance(found, Moments):
        raise InputError("aggregates need the runs themselves, and this table holds means.")
    return found


def _counted_against(cells: Cells, reference: str, rule: str | float) -> Cells:
    """Failed runs counted before the scale is made: they beat no run of the reference, and its own are beaten by all."""
    lost = ~np.isfinite(cells.values)
    n = int(lost.sum())
    if not n:
        return cells
    if rule == "worst":
        counted = {"n": n, "of_runs": lost.size, "counted": "worse than every other run"}
        return replace(cells, notes=(*cells.notes, Note(NoteKind.FAILED_RUNS, "failures", counted)))
    if rule != "refuse" and isinstance(rule, str):
        cells = counted_failures(cells, rule)
        if np.isfinite(cells.values).all():
            return cells
    raise FailedTrials(
        f"{plural(n, 'failed run')} of {lost.size} {'has' if n == 1 else 'have'} no score to compare with the runs of "
        f"{reference!r}; say failures='worst' (beats none of them), 'like:NAME' or 'exclude'."
    )


def _without_failures(cells: Cells, rule: str | float) -> Cells:
    lost = ~np.isfinite(cells.values)
    n = int(lost.sum())
    if not n:
        return cells
    if isinstance(rule, str):
        raise FailedTrials(
            f"{plural(n, 'failed run')} of {lost.size} {'has' if n == 1 else 'have'} no score to average; say failures= with "
            "the score that they count as, 'like:NAME' or 'exclude'."
        )
    note = Note(NoteKind.FAILED_RUNS, values={"n": n, "of_runs": lost.size, "counted": f"{rule:g}"})
    return replace(cells, values=np.where(lost, rule, cells.values), notes=(*cells.notes, note))


def probability_of_improvement(
    table: Any,
    a: str,
    b: str,
    *,
    confidence: float = 0.95,
    goal: str | None = None,
    missing: str = "refuse",
    seed: int = 0,
    n_resamples: int = 2000,
    metric: str | None = None,
) -> Interval:
    """How often a run of `a` beats a run of `b` on the same task, averaged over these tasks.

    Notes
    -----
    Ties count half; only the order of runs within a task matters, so that no common scale is needed and
    a failed run is simply worse than all others. See `ogive.statistics.improvement_over_tasks`.

    Examples
    --------
    >>> scores = {"a": {"x": [3, 4, 5], "y": [7, 8, 9]}, "b": {"x": [1, 2, 3], "y": [1, 2, 3]}}
    >>> print(probability_of_improvement(scores, "a", "b"))
    0.972 [0.359, 1]
    """
    cells = settle_missing(runs_of(table, metric, goal), missing).only((a, b))
    xs, ys = [], []
    for p in range(len(cells.problems)):
        one, two = (cells.sign * cells.cell(m, p) for m in (0, 1))
        _, ranks = np.unique(np.append(one, two), return_inverse=True)
        xs.append(ranks[: one.size].astype(np.float64))
        ys.append(ranks[one.size :].astype(np.float64))
    return improvement_over_tasks(xs, ys, confidence=confidence, seed=seed, n_resamples=n_resamples)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GeometricMeans(Recorded):
    """Shifted geometric means of every method, and each as a multiple of the smallest.

    Attributes
    ----------
    means : dict
        Method -> Interval, problems taken as random.
    scaled : dict
        Method -> its mean over the smallest one.
    n_unsolved : dict
        Method -> values that failed and count as the time limit.
    """

    means: dict[str, Interval]
    scaled: dict[str, float]
    n_unsolved: dict[str, int]
    shift: float
    n_problems: int
    notes: tuple[Note, ...] = ()
    source: str = ""

    def __repr__(self) -> str:
        return f"GeometricMeans({len(self.means)} methods, {self.n_problems} problems, shift {self.shift:g})"

    def __str__(self) -> str:
        return self.as_tables()[0].to_text()

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each method, the smallest mean first."""
        rows = tuple(
            (m, Ranged(i.estimate, i.low, i.high), self.scaled[m], self.n_unsolved[m])
            for m, i in sorted(self.means.items(), key=lambda entry: entry[1].estimate)
        )
        head = ("method", "shifted geometric mean", "times the best", "failed")
        return (Table(head=head, rows=rows, below=tuple(map(capitalized, self.notes))),)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": "problems", "notes": sentences(self.notes), "shift": self.shift,
            "rows": [json_ready(row) for row in self.records()],
        }  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """A row for each method."""
        return [
            {"algorithm": m, "estimate": i.estimate, "low": i.low, "high": i.high, "scaled": self.scaled[m],
             "n_unsolved": self.n_unsolved[m]} for m, i in self.means.items()
        ]  # fmt: skip


def shifted_geometric_mean(
    table: Any,
    *,
    shift: float = 10.0,
    time_limit: float | None = None,
    runs: str | None = None,
    missing: str = "refuse",
    confidence: float = 0.95,
    metric: str | None = None,
) -> GeometricMeans:
    """exp(mean(log(t + shift))) - shift of every method's times; failures count as the time limit.

    Notes
    -----
    The shift keeps problems of milliseconds from deciding. Intervals are Student's t on the logarithms,
    problems taken as a random sample: approximate. A failure counted as the limit makes a method look
    better than it is, the more so the lower the limit; the profile has no such choice. With `runs="best"` as many
    runs of each method count on a problem as the poorest has there: the best of more runs is better.

    Examples
    --------
    >>> found = shifted_geometric_mean({"a": [10.0, 30.0], "b": [90.0, 100.0]}, time_limit=100)
    >>> round(found.means["a"].estimate, 2), round(found.scaled["b"], 2), found.n_unsolved["b"]
    (18.28, 5.19, 1)
    """
    if not 0.0 <= shift < math.inf:
        raise InputError(f"`shift` must be a number of at least 0; got {shift}.")
    cells = joinable(table, goal="minimize", time_limit=time_limit, runs=runs, missing=missing, metric=metric)
    cells, thinned = comparable(cells, 0) if runs == "best" else (cells, ())
    times = cells.joined(as_joined(runs))
    failed = ~np.isfinite(times)
    if failed.any() and time_limit is None:
        raise InputError("failed runs count as the time limit here; say time_limit=.")
    times = np.where(failed, time_limit if time_limit is not None else 0.0, times)
    if (times < 0.0).any() or (times + shift == 0.0).any():
        raise InputError(f"times must be positive (0 is too small without a shift); got {times.min():g}.")
    confidence = as_confidence(confidence)
    means = {m: _back(np.log(times[i] + shift), shift, confidence) for i, m in enumerate(cells.methods)}
    least = min(i.estimate for i in means.values())
    about = {"shift": shift, "confidence": confidence, "n": times.shape[1]}
    notes = [Note(NoteKind.GEOMETRIC, values=about), *thinned]
    if failed.any():
        notes.append(Note(NoteKind.FAILED_AT_LIMIT, "time_limit", {"n": int(failed.sum()), "limit": time_limit}))
    return GeometricMeans(
        means=means, scaled={m: i.estimate / least if least > 0 else math.nan for m, i in means.items()},
        n_unsolved={m: int(failed[k].sum()) for k, m in enumerate(cells.methods)}, shift=shift, n_problems=times.shape[1],
        notes=tuple(notes), source=cells.source,
    )  # fmt: skip


def _back(logs: Any, shift: float, confidence: float) -> Interval:
    """The interval of a mean of logarithms, back on the scale of times."""
    found = mean_interval(logs, confidence=confidence)
    ends = [math.exp(v) - shift if v < 700 else math.inf for v in (found.estimate, found.low, found.high)]
    return Interval(
        estimate=ends[0], low=max(ends[1], 0.0), high=ends[2], confidence=confidence, method="Student's t of the logarithms",
        guarantee="approximate", n=found.n, assumptions=(Assumption.RANDOM_PROBLEMS,),
    )  # fmt: skip
