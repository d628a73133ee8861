"""The first step at which each run is good enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.arguments import FloatArray, as_confidence
from ogive.errors import InputError
from ogive.importers import curve_named
from ogive.metric import Metric
from ogive.notes import Note, NoteKind, sentences
from ogive.reading import Source, as_trials
from ogive.results import json_ready
from ogive.schema import OK
from ogive.statistics import Interval, clopper_pearson, order_statistic_ranks
from ogive.tables import Ranged, Recorded, Table
from ogive.trials import Trials, compact
from ogive.words import number, percent_sure, printable

SHORT = 0.9  # of the longest run: what a shorter one may lack before it is said


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
        Runs that did not reach it, and ended long (a tenth) before the longest run did.
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
    """

    rows: tuple[ReachedCell, ...]
    target: float
    metric: str
    goal: str
    step: str
    confidence: float
    trials: Trials

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
        head = ("method", "task", "runs that reach it", "share", f"{self.step} by which half have")
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
        early = f" {ended} of them ended long before the longest run, and might have reached it later." if ended else ""
        sign = "at least" if self.goal == "maximize" else "at most"
        below = (
            f"Target: {printable(self.metric)} of {sign} {self.target:g}, once. Runs that never reach it count as later than every other.{early}",
            f"Brackets: {percent_sure(self.confidence)} intervals, guaranteed (Clopper and Pearson; order statistics).",
        )
        return (Table(head=head, rows=rows, below=below),)

    def records(self) -> list[dict[str, Any]]:
        """A row for each method on each task."""
        return [
            {"algorithm": r.algorithm, "task": r.task, "metric": self.metric, "target": self.target, "n": int(r.steps.size),
             "n_reached": r.n_reached, "n_ended": r.n_ended, "share": r.share.estimate, "share_low": r.share.low,
             "share_high": r.share.high, "median": r.median.estimate, "median_low": r.median.low, "median_high": r.median.high}
            for r in self.rows
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`; a step that is never reached is null."""
        return {
            "schema": 1, "source": self.trials.source, "unit": "run", "notes": sentences(self.trials.notes),
            "confidence": self.confidence, "rows": [json_ready(row) for row in self.records()],
        }  # fmt: skip


def steps_to_reach(
    source: Source,
    target: float,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    tasks: Sequence[str] | None = None,
) -> Reached:
    """After how many steps runs reach a target, and how many ever do.

    A run reaches the target at the first step at which its value is at least as good. One that never does is counted: as
    later than every other run for the median, and against the share that reaches it.

    Notes
    -----
    Both intervals are conservative for every distribution: Clopper and Pearson's for the share, order statistics for the
    median. Their upper end is infinite where too few runs reach the target. `trials` holds the same for every other answer,
    with `failures="worst"`: `ogive.compare(found.trials, "a", "b", failures="worst")`.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": "a", "seed": s, "step": t, "return": t * s} for s in range(4) for t in range(5)]
    >>> found = steps_to_reach(ogive.read(pd.DataFrame(rows)), 4)
    >>> found.of("a").steps.tolist(), found.of("a").n_reached
    ([inf, 4.0, 2.0, 2.0], 3)
    """
    trials = as_trials(source)
    trials = trials if tasks is None else trials.select(tasks=tasks)
    if trials.question is not None:
        raise InputError(trials.question)
    confidence = as_confidence(confidence)
    target = float(target)
    if not math.isfinite(target):
        raise InputError(f"`target` must be a finite score; got {target}.")
    name, definition = curve_named(trials, metric)
    numbers = trials.table["trial"].chunk(0).to_numpy()
    first, ends = np.full(len(trials), np.inf), np.full(len(trials), -np.inf)
    for cell in trials.cells:
        held = trials.curves(cell.algorithm, cell.task, name)
        for row in cell.rows.tolist():
            run = held.get(int(numbers[row]))
            if run is not None:
                first[row], ends[row] = run.first(target, small=definition.goal == "minimize"), run.end
    rows = tuple(
        _cell(
            cell.algorithm,
            cell.task,
            first[cell.rows],
            int(np.count_nonzero(np.isinf(first[cell.rows]) & (ends[cell.rows] < SHORT * ends.max()))),
            confidence,
        )
        for cell in trials.cells
    )
    return Reached(
        rows=rows, target=target, metric=name, goal=definition.goal, step=trials.step or "step", confidence=confidence,
        trials=_as_trials(trials, first, name, target, definition),
    )  # fmt: skip


def _cell(algorithm: str, task: str, steps: FloatArray, n_ended: int, confidence: float) -> ReachedCell:
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
    return ReachedCell(algorithm=algorithm, task=task, steps=steps, share=share, median=median, n_ended=n_ended)


def _as_trials(trials: Trials, first: FloatArray, name: str, target: float, definition: Metric) -> Trials:
    """The same runs with the steps as their only score, of which small ones are good."""
    score = f"{trials.step or 'step'} to reach {target:g}"
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
    end = "never" if math.isinf(found.high) else number(found.high)
    start = "?" if math.isinf(found.low) and found.low < 0 else "never" if math.isinf(found.low) else number(found.low)
    return f"{'never' if math.isinf(found.estimate) else number(found.estimate)} [{start}, {end}]"
