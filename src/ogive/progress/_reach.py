"""The first step at which each run is good enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.arguments import FloatArray, as_confidence, as_threshold
from ogive.errors import FailedTrials, InputError
from ogive.importers import curve_named
from ogive.metric import Metric
from ogive.notes import Note, NoteKind, capitalized, sentences
from ogive.profiles import Baselines, on_one_scale
from ogive.progress._grid import SHORT, Scale, fixed_scale, judged_together, runs_of, scale_note, without_failed
from ogive.reading import Source
from ogive.results import json_ready
from ogive.schema import OK
from ogive.statistics import Interval, clopper_pearson, order_statistic_ranks
from ogive.tables import Ranged, Recorded, Table
from ogive.trials import Staircase, Trials, compact, failure_rule
from ogive.words import listed, percent_sure, plural, printable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReachedCell:
    """When the runs of one method on one task reach a target.

    Attributes
    ----------
    steps : array
        The first step of each run at which it reaches the target; infinite for a run that never does.
    share : Interval
        The probability that a run reaches it.
    median : Interval
        The step by which half of all runs have reached it; infinite where fewer do.
    n_ended : int
        Runs that did not reach it, and ended long (a tenth) before the longest run on the task did.
    """

    algorithm: str
    task: str
    steps: FloatArray
    share: Interval
    median: Interval
    n_ended: int

    @property
    def n_reached(self) -> int:
        """Runs that reached it."""
        return int(np.isfinite(self.steps).sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Reached(Recorded):
    """When runs reach a target, method by method and task by task; runs that never do are counted as later than all others.

    Attributes
    ----------
    rows : tuple of ReachedCell
    trials : Trials
        The same runs with the steps as their score; those that never reach the target have failed by a timeout.
    scaled : bool
        Whether the target lies on one scale for all tasks.
    notes : tuple of Note
        What was done to the runs.
    """

    rows: tuple[ReachedCell, ...]
    target: float
    metric: str
    goal: str
    step: str
    confidence: float
    trials: Trials
    scaled: bool
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"Reached({self.metric} {'>=' if self.goal == 'maximize' else '<='} {self.target:g}: {len(self.rows)} cells)"

    def __str__(self) -> str:
        return self.as_tables()[0].to_text()

    def of(self, algorithm: str, task: str | None = None) -> ReachedCell:
        """One method on one task; None where there is one."""
        found = [row for row in self.rows if row.algorithm == algorithm and task in (None, row.task)]
        if len(found) != 1:
            raise InputError(f"name one method and one task of the table; {algorithm!r} on {task!r} are {len(found)}.")
        return found[0]

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each method on each task."""
        head = (
            "method",
            "task",
            "runs that reach it",
            "share",
            f"{self.step} by which half of the runs reach it",
        )
        rows = tuple(
            (
                r.algorithm,
                r.task,
                f"{r.n_reached} of {r.steps.size}",
                Ranged(r.share.estimate, r.share.low, r.share.high),
                _span(r.median),
            )
            for r in self.rows
        )
        ended = sum(r.n_ended for r in self.rows)
        each = " of their task" if len({r.task for r in self.rows}) > 1 else ""
        early = (
            f" {ended} of them ended long before the longest run{each}, and might have reached it later."
            if ended
            else ""
        )
        sign = "at least" if self.goal == "maximize" else "at most"
        scale = " (on one scale)" if self.scaled else ""
        bare = all(r.share.method == "none" for r in self.rows)
        signs = [
            *(["“?” where so few runs set no first step"] if any(r.median.low == -math.inf for r in self.rows) else []),
            *(
                ["“never” where it cannot be ruled out that half of the runs never do"]
                if any(r.median.high == math.inf for r in self.rows)
                else []
            ),
        ]
        explained = f"; {listed(signs)}" if signs else ""
        below = (
            f"Target: {printable(self.metric)}{scale} of {sign} {self.target:g}, once. Runs that never reach it count as later than every other.{early}",
            "There are no intervals."
            if bare
            else f"Brackets: {percent_sure(self.confidence)} intervals, guaranteed (Clopper and Pearson; order statistics){explained}.",
            *map(capitalized, self.notes),
        )
        return (Table(head=head, rows=rows, below=below),)

    def records(self) -> list[dict[str, Any]]:
        """A row for each method on each task."""
        return [
            {"algorithm": r.algorithm, "task": r.task, "metric": self.metric, "target": self.target, "scaled": self.scaled, "n": int(r.steps.size),
             "n_reached": r.n_reached, "n_ended": r.n_ended, "share": r.share.estimate, "share_low": r.share.low,
             "share_high": r.share.high, "median": r.median.estimate, "median_low": r.median.low, "median_high": r.median.high,
             "guarantee": r.share.guarantee}
            for r in self.rows
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`; a step that is never reached is null."""
        return {
            "schema": 1, "source": self.trials.source, "unit": "run", "notes": sentences((*self.trials.notes, *self.notes)),
            "step": self.step, "confidence": self.confidence, "rows": [json_ready(row) for row in self.records()],
        }  # fmt: skip


def steps_to_reach(
    source: Source,
    target: float,
    *,
    metric: str | None = None,
    normalize: Scale | None = None,
    failures: str | float = "worst",
    confidence: float = 0.95,
    tasks: Sequence[str] | None = None,
) -> Reached:
    """After how many steps runs reach a target, and how many ever do.

    A run reaches the target at the first step at which its value is at least as good. One that never does is counted: as
    later than every other run for the median, and against the share that reaches it.

    Parameters
    ----------
    target : float
        A score, or with `normalize` a place on the common scale.
    normalize : Baselines or MinMax, optional
        One scale for all tasks, as in `on_grid`.
    failures : {"worst", "refuse", "exclude"} or float
        A run that failed, or lost its score, before it reached the target never reaches it (`worst`, or a number that does
        not reach it), is refused, or is left out with every other run that failed.

    Notes
    -----
    Both intervals are conservative for every distribution: Clopper and Pearson's for the share, order statistics for the
    median. Their upper end is infinite where too few runs reach the target. Runs that are not independent are refused, and
    those that a grid or an adaptive search chose have no intervals. `trials` holds the same for every other answer,
    with `failures="worst"`: `ogive.compare(found.trials, "a", "b", failures="worst")`.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": "a", "seed": s, "step": t, "return": t * s} for s in range(4) for t in range(5)]
    >>> found = steps_to_reach(ogive.read(pd.DataFrame(rows)), 4)
    >>> found.of("a").steps.tolist(), found.of("a").n_reached
    ([inf, 4.0, 2.0, 2.0], 3)
    """
    trials = judged_together(source, tasks, normalize)
    confidence = as_confidence(confidence)
    target = as_threshold(target, "target")
    if not math.isfinite(target):
        raise InputError(f"`target` must be a finite score; got {target}.")
    name, definition = curve_named(trials, metric)
    rule = failure_rule(failures)
    notes: list[Note] = []
    runs = runs_of(trials, name)
    if rule == "exclude":
        lost = {cell: np.array([run.lost < np.inf for run in own]) for cell, own in runs.items()}
        runs, notes = without_failed(runs)
        gone = np.concatenate([cell.rows[lost[cell.algorithm, cell.task]] for cell in trials.cells])
        trials = replace(trials, table=compact(trials.table.filter(pa.array(~np.isin(np.arange(len(trials)), gone)))))
    counted = rule if isinstance(rule, float) else None
    if normalize is not None:
        scale = fixed_scale(runs, definition, normalize)
        notes.append(scale_note(normalize))
        runs = {cell: _scaled(own, cell, definition, scale) for cell, own in runs.items()}
        if counted is not None:
            at = {task: on_one_scale({("", task): np.array([counted])}, definition.goal, scale) for _, task in runs}
            counted = max(float(held["", task][0]) for task, held in at.items())
        definition = Metric()
    small = definition.goal == "minimize"
    first, short = np.full(len(trials), np.inf), np.zeros(len(trials), dtype=bool)
    furthest = {
        task: max(run.end for (_, on), own in runs.items() if on == task for run in own) for task in trials.tasks
    }
    failed = np.zeros(len(trials), dtype=bool)
    for cell in trials.cells:
        for row, run in zip(cell.rows.tolist(), runs[cell.algorithm, cell.task], strict=True):
            first[row] = run.first(target, small=small)
            short[row] = np.isinf(first[row]) and run.end < SHORT * furthest[cell.task]
            failed[row] = np.isinf(first[row]) and run.lost < np.inf
    _refuse_failed(
        int(failed.sum()),
        len(trials),
        rule,
        counted is not None and definition.turned(counted) >= definition.turned(target),
    )
    if not trials.independent:
        notes.append(Note(NoteKind.NO_BANDS))
    rows = tuple(
        _cell(
            cell.algorithm,
            cell.task,
            first[cell.rows],
            int(short[cell.rows].sum()),
            confidence,
            bare=not trials.independent,
        )
        for cell in trials.cells
    )
    return Reached(
        rows=rows, target=target, metric=name, goal=definition.goal, step=trials.step_of(name), confidence=confidence,
        trials=_as_trials(trials, first, name, target, definition), scaled=normalize is not None, notes=tuple(notes),
    )  # fmt: skip


def _scaled(runs: Sequence[Staircase], cell: tuple[str, str], metric: Metric, scale: Baselines) -> list[Staircase]:
    """The runs of a cell on the scale of its task."""
    values = on_one_scale({cell: np.concatenate([run.values for run in runs])}, metric.goal, scale)[cell]
    parts = np.split(values, np.cumsum([run.values.size for run in runs])[:-1])
    return [replace(run, values=part) for run, part in zip(runs, parts, strict=True)]


def _refuse_failed(n: int, of_runs: int, rule: str | float, reaches: bool) -> None:
    """Refuse a rule that says nothing about runs that failed before they reached the target, or that they reach it."""
    if not n:
        return
    if rule == "refuse":
        raise FailedTrials(
            f"{n} of {plural(of_runs, 'run')} failed, or lost their score, before reaching the target; say how to count them: failures='worst' "
            "(they never reach it) or 'exclude'."
        )
    if isinstance(rule, str) and rule.startswith("like:"):
        raise InputError(
            "`failures` like another method's is of one score for each run; over steps say 'worst', a number or 'exclude'."
        )
    if reaches:
        raise InputError(
            f"`failures` {rule:g} would reach the target, so that a run reaches it by failing; say a worse number, 'worst' or 'exclude'."
        )


def _cell(algorithm: str, task: str, steps: FloatArray, n_ended: int, confidence: float, *, bare: bool) -> ReachedCell:
    n, k = steps.size, int(np.isfinite(steps).sum())
    low, high = clopper_pearson(k, n, confidence)
    share = Interval(
        estimate=k / n,
        low=low,
        high=high,
        confidence=confidence,
        method="Clopper-Pearson",
        guarantee="conservative",
        n=n,
    )
    ordered = np.sort(steps)
    below, above = order_statistic_ranks(n, 0.5, confidence)
    median = Interval(
        estimate=float(ordered[math.ceil(0.5 * n) - 1]), low=float(ordered[below - 1]) if below > 0 else -math.inf,
        high=float(ordered[above - 1]) if above <= n else math.inf, confidence=confidence, method="order statistics",
        guarantee="conservative", n=n,
    )  # fmt: skip
    if bare:
        share, median = (
            replace(one, low=-math.inf, high=math.inf, method="none", guarantee="heuristic") for one in (share, median)
        )
    return ReachedCell(algorithm=algorithm, task=task, steps=steps, share=share, median=median, n_ended=n_ended)


def _as_trials(trials: Trials, first: FloatArray, name: str, target: float, definition: Metric) -> Trials:
    """The same runs with the steps as their only score, of which small ones are good."""
    score = f"{trials.step_of(name)} to reach {target:g}"
    reached = np.isfinite(first)
    table = trials.table.drop_columns(list(trials.metrics))
    table = table.append_column(score, pa.array(np.where(reached, first, np.nan)))
    table = table.set_column(table.column_names.index("status"), "status", pa.array(np.where(reached, OK, "timeout")))
    sign = ">=" if definition.goal == "maximize" else "<="
    message = pa.array(
        [None if there else f"{name} {sign} {target:g} not reached" for there in reached.tolist()], pa.string()
    )
    table = table.set_column(table.column_names.index("message"), "message", message)
    kept = tuple(note for note in trials.notes if note.kind is not NoteKind.CURVE_SCORE)
    note = Note(
        NoteKind.REACHES,
        values={
            "metric": name,
            "target": target,
            "goal": definition.goal,
            "n": int((~reached).sum()),
            "of_runs": len(trials),
        },
    )
    return replace(trials, table=compact(table), definitions={score: Metric("minimize")}, notes=(*kept, note))


def _span(found: Interval) -> str:
    """A step with its interval; `never` where fewer than half of the runs reach the target."""
    if found.method == "none":
        return "never" if math.isinf(found.estimate) else _step(found.estimate)
    end = "never" if math.isinf(found.high) else _step(found.high)
    start = "?" if math.isinf(found.low) and found.low < 0 else "never" if math.isinf(found.low) else _step(found.low)
    return f"{'never' if math.isinf(found.estimate) else _step(found.estimate)} [{start}, {end}]"


def _step(value: float) -> str:
    """A step as it is written over training: whole ones in full."""
    return f"{value:,.15g}"
