"""One statistic of all runs at every step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ogive.arguments import FloatArray, as_confidence, as_threshold
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import Names, Note, NoteKind, capitalized, naming, sentences
from ogive.progress._grid import Ended, Grid, OnGrid, Scale, brought
from ogive.reading import Source
from ogive.results import json_ready, strength_of, weakest
from ogive.statistics import Assumption, OverSteps, Statistic, over_steps
from ogive.tables import Ranged, Recorded, Table
from ogive.words import listed, percent_sure, plural, printable

SHOWN = 5  # rows of a table
MOST_SHARING = 3  # methods named
OF_CURVES: Final = ("iqm", "mean", "q", "worst", "best", "lower", "upper")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Progress(Recorded):
    """A statistic of every method's runs at every step, with its intervals.

    Attributes
    ----------
    found : mapping
        Method to `ogive.statistics.OverSteps`: `estimate`, `low`, `high`, one for each step.
    runs : OnGrid
        The runs that they are of: `grid`, `tasks`, `metric`, `step`, `notes`.
    statistic : str
        As it was asked for.
    """

    found: dict[str, OverSteps]
    runs: OnGrid
    statistic: str
    confidence: float
    simultaneous: bool
    notes: tuple[Note, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """Names in order of appearance."""
        return self.runs.methods

    @property
    def grid(self) -> FloatArray:
        """The steps."""
        return self.runs.grid

    @property
    def goal(self) -> str:
        """Whether large or small values are good."""
        return self.runs.definition.goal

    def __repr__(self) -> str:
        return (
            f"Progress({self.statistic} of {plural(len(self.methods), 'method')} at {plural(self.grid.size, 'step')})"
        )

    def __str__(self) -> str:
        return self.text("python")

    def text(self, names: Names) -> str:
        """The headline, the table and what it stands on."""
        with naming(names):
            return "\n\n".join([self.headline, self.as_tables()[0].to_text()])

    def of(self, method: str) -> OverSteps:
        """One method."""
        if method not in self.found:
            raise InputError(f"there is no method {method!r} here; there are {', '.join(map(repr, self.methods))}.")
        return self.found[method]

    @property
    def order(self) -> tuple[str, ...]:
        """Methods, best first at the last step."""
        turn = Metric.toward(self.goal).turned
        return tuple(sorted(self.methods, key=lambda m: -turn(float(self.found[m].estimate[-1]))))

    @property
    def label(self) -> str:
        """The statistic in words."""
        return statistic_words(self.statistic)

    @property
    def what(self) -> str:
        """What the numbers are of."""
        scale = " (on one scale)" if self.runs.scaled else ""
        return f"{printable(self.runs.metric)}{scale}"

    @property
    def headline(self) -> str:
        """Who is where at the last step."""
        at = f"At {printable(self.runs.step)} {self.grid[-1]:,.15g}"
        shown = [f"{_ranged(self.found[m], -1)} for {printable(m)}" for m in self.order[:4]]
        more = f", with {plural(len(self.order) - 4, 'method')} below" if len(self.order) > 4 else ""
        return f"{at}, the {self.label} of {self.what} is {listed(shown)}{more}."

    def sentence(self, mark: str = "Brackets") -> str:
        """What the intervals are, which are shown as brackets or shades."""
        known = [one for one in self.found.values() if one.method != "none"]
        counts = [len(own) for own in self.runs.values.values()]
        many = plural(max(counts), "run") if min(counts) == max(counts) else f"{min(counts)} to {max(counts)} runs"
        several = f" on each of {len(self.runs.tasks)} tasks" if len(self.runs.tasks) > 1 else ""
        basis = f"{many} of each method{several}"
        if all(np.isinf([one.low, one.high]).all() for one in known):  # none among them too
            return f"{basis}. There are no intervals."
        whole = "for the whole curve of a method" if self.simultaneous else "at each step alone"
        strength = weakest(strength_of(one.guarantee) for one in known)
        ordered = all(one.method.startswith("order statistics") for one in known)
        how = "each limit is the value of a run, by order statistics" if ordered else "whole runs are resampled"
        fixed = ", for these tasks" if len(self.runs.tasks) > 1 else ""
        reasons = dict.fromkeys(a for one in known for a in one.assumptions if a != Assumption.FIXED_TASKS)
        doubts = [self._shared() if a == Assumption.SHARED_SCORE else str(a) for a in reasons]
        why = f" ({'; '.join(doubts)})" if doubts else ""
        return (
            f"{basis}. {mark}: {percent_sure(self.confidence)} intervals {whole}{fixed}, {strength}: {how}{why}. Overlapping "
            "intervals do not mean equal methods."
        )

    def _shared(self) -> str:
        """Whose runs have the same score, and at which steps."""
        found = {m: self.found[m].shared for m in self.order if self.found[m].shared.size}
        said = []
        for m, places in list(found.items())[:MOST_SHARING]:
            first, last = (f"{self.grid[places[i]]:,.15g}" for i in (0, -1))
            spread = "" if places.size == 1 else f" to {last} ({places.size} of {self.grid.size} steps)"
            said.append(f"{printable(m)} at {printable(self.runs.step)} {first}{spread}")
        said += [plural(len(found) - MOST_SHARING, "further method")] if len(found) > MOST_SHARING else []
        return f"too short where a fifth of the runs or more, three at least, have the same score: {listed(said)}"

    def at(self, step: float) -> dict[str, Ranged]:
        """Every method at the last step of the grid at or before this one."""
        step = as_threshold(step, "step")
        place = int(np.searchsorted(self.grid, step, side="right")) - 1
        if place < 0:
            raise InputError(f"`step` must not lie before the first, {self.grid[0]:g}; got {step:g}.")
        return {m: _ranged(self.found[m], place) for m in self.methods}

    def as_tables(self) -> tuple[Table, ...]:
        """A few steps down, methods across, best first."""
        places = np.unique(np.linspace(0, self.grid.size - 1, min(SHOWN, self.grid.size)).round().astype(int))
        rows = tuple((f"{self.grid[i]:,.15g}", *(_ranged(self.found[m], int(i)) for m in self.order)) for i in places)
        below = (self.sentence(), *map(capitalized, self.notes))
        return (Table(head=(self.runs.step, *self.order), rows=rows, below=below),)

    def records(self) -> list[dict[str, Any]]:
        """A row for each method and step, which is called `at` whatever its name."""
        return [
            {"algorithm": m, "metric": self.runs.metric, "statistic": self.statistic, "at": float(self.grid[i]),
             "estimate": float(one.estimate[i]), "low": float(one.low[i]), "high": float(one.high[i]), "method": one.method,
             "guarantee": one.guarantee, "n": int(one.runs_at[i])}
            for m, one in self.found.items() for i in range(self.grid.size)
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.runs.source, "unit": "run", "notes": sentences((*self.runs.reading, *self.notes)),
            "confidence": self.confidence, "simultaneous": self.simultaneous, "step": self.runs.step, "tasks": list(self.runs.tasks),
            "rows": [json_ready(row) for row in self.records()],
        }  # fmt: skip


def over_training(
    source: Source | OnGrid,
    statistic: str = "iqm",
    *,
    metric: str | None = None,
    grid: Grid = None,
    ended: Ended = "last",
    simultaneous: bool = False,
    normalize: Scale | None = None,
    failures: str | float = "refuse",
    tasks: Sequence[str] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Progress:
    """A statistic of every method's runs at each step of training, with intervals.

    Parameters
    ----------
    source
        Trials whose runs have curves, or anything that `ogive.read` takes.
    statistic : str
        Over the runs of all tasks: `iqm` (the mean of the middle half), `mean`, `median` (of one task the median of its runs, of
        several the median of the tasks' means), `q0.9`, `worst_0.1`, `best_0.1`.
    grid, ended, failures, normalize
        See `on_grid`: the steps, what a run is after its end, runs that failed, and one scale for all tasks.
    simultaneous : bool
        Intervals that hold together over the whole curve of a method, instead of at each step alone.

    Notes
    -----
    Runs are resampled as a whole, within each task; see `ogive.statistics.over_steps` for how sure that is. One run on a
    task gives a curve without an interval, and so do runs that a grid or an adaptive search chose. Intervals end at the declared
    bounds of the score (on the common scale, where there is one). The ends of `MinMax` are those of the runs at hand, which
    other runs may pass: they bound no interval.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": a, "seed": s, "step": t, "return": t * (1 + s / 9) + 5 * (a == "sac")} for a in ("sac", "td3") for s in range(4) for t in range(9)]
    >>> found = over_training(ogive.read(pd.DataFrame(rows)), "mean", grid=[0, 4, 8])
    >>> found.of("sac").estimate.round(2).tolist()
    [5.0, 9.67, 14.33]
    """
    confidence = as_confidence(confidence)
    if statistic == "optimality_gap":
        raise InputError(
            "`statistic` 'optimality_gap' is a distance, of which small is good, to a score that `ogive.statistics.over_steps` is told as gamma; "
            "over training take 'mean' or 'iqm' of scores on one scale."
        )
    runs = brought(
        source, metric=metric, grid=grid, ended=ended, failures=failures, normalize=normalize, tasks=tasks
    )  # fmt: skip
    asked = _toward(statistic, runs.definition)
    options: dict[str, Any] = {"statistic": asked, "confidence": confidence, "n_resamples": n_resamples, "seed": seed}
    low, high = (_end([runs.bounds[task][side] for task in runs.tasks], asked, side) for side in (0, 1))
    found: dict[str, OverSteps] = {}
    bare: list[str] = []
    for method in runs.methods:
        held = runs.runs(method)
        if runs.independent and min(map(len, held)) > 1:
            found[method] = _within(over_steps(held, simultaneous=simultaneous, **options), low, high)
        else:
            bare.append(method)
            found[method] = _without_interval(held, options)
    notes = list(runs.notes)
    if bare and not runs.independent:
        notes.append(Note(NoteKind.NO_BANDS))
    elif bare:
        notes.append(Note(NoteKind.ONE_RUN, values={"methods": bare}))
    return Progress(
        found=found,
        runs=runs,
        statistic=statistic,
        confidence=confidence,
        simultaneous=simultaneous,
        notes=tuple(notes),
    )


def _end(bounds: Sequence[float | None], statistic: str, side: int) -> float:
    """What the statistic cannot leave on a side: its value where every run is at the bound of its task, since none of these
    statistics falls where a score rises. Infinite where a task has no bound."""
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return (-math.inf, math.inf)[side]
    if len(set(known)) == 1:
        return known[0]
    return float(
        over_steps([np.full((2, 1), bound) for bound in known], statistic=statistic, n_resamples=100).estimate[0]
    )


def _within(one: OverSteps, low: float, high: float) -> OverSteps:
    """Limits that end where scores do; a step without any has none."""
    known = np.isfinite(one.low) | np.isfinite(one.high)
    return replace(
        one, low=np.where(known, np.maximum(one.low, low), one.low), high=np.where(known, np.minimum(one.high, high), one.high)
    )  # fmt: skip


def _toward(statistic: str, metric: Metric) -> str:
    """`worst_0.1` and `best_0.1` by the end of the scores at which they lie; refuses what is no statistic."""
    asked = Statistic.parse(statistic, argument="statistic", kinds=OF_CURVES)
    if asked.kind in ("worst", "best"):
        return f"{metric.worst_tail if asked.kind == 'worst' else metric.best_tail}_{asked.amount!r}"
    return statistic


def statistic_words(statistic: str) -> str:
    """The name of a statistic in words.

    Examples
    --------
    >>> statistic_words("worst_0.1"), statistic_words("upper_0.25"), statistic_words("q0.05"), statistic_words("iqm")
    ('mean of the worst 10 %', 'mean of the highest 25 %', '5 % quantile', 'IQM')
    """
    asked = Statistic.parse(statistic, argument="statistic", kinds=OF_CURVES)
    if asked.kind in ("worst", "best", "lower", "upper"):
        return f"mean of the {asked.label}"
    if asked.kind == "q" and statistic != "median":  # over several tasks the median is another one
        return f"{100 * asked.amount:g} % quantile"
    return asked.label


def _without_interval(held: Sequence[FloatArray], options: dict[str, Any]) -> OverSteps:
    """The statistic alone. Runs that stand twice have the statistics of runs that stand once, and are none the more certain."""
    one = over_steps([np.repeat(own, 2, axis=0) for own in held], **{**options, "n_resamples": 100})
    nowhere = np.full(one.estimate.size, np.inf)
    return replace(
        one,
        low=-nowhere,
        high=nowhere,
        guarantee="heuristic",
        method="none",
        n_runs=one.n_runs // 2,
        runs_at=one.runs_at // 2,
        assumptions=(),
    )


def _ranged(one: OverSteps, place: int) -> Ranged:
    return Ranged(float(one.estimate[place]), float(one.low[place]), float(one.high[place]))
