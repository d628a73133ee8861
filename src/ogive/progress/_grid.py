"""Runs on common steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ogive.arguments import FloatArray, as_integer, as_thresholds, is_integer, shown
from ogive.errors import FailedTrials, InputError
from ogive.importers import curve_named
from ogive.metric import Bounds, Metric
from ogive.notes import Note, NoteKind
from ogive.profiles import Baselines, MinMax, Reference, on_one_scale
from ogive.reading import Source, as_trials
from ogive.schema import OK
from ogive.trials import Staircase, Trials, failure_rule
from ogive.words import listed, plural, verb

Scale: TypeAlias = Baselines | MinMax | Reference
Grid: TypeAlias = int | Sequence[float] | FloatArray | None
Ended: TypeAlias = Literal["last", "cut"]
POINTS = 100
MOST_SHARED = 2000  # steps that all runs have
REACHED = 0.9  # the share of runs that reach the end of a grid that nobody said
SHORT = 0.9  # of a longer run, or grid: what a shorter one may lack before it is said
NO_RUN = Staircase(np.empty(0), np.empty(0), -np.inf, -np.inf)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnGrid:
    """The runs of every method on every task, brought onto common steps.

    Attributes
    ----------
    grid : array
        The steps; at each a run has its last value at or before it.
    values : mapping
        (method, task) to an array runs × steps.
    metric, definition
        Which score, and which values of it are good; on a scale (`scaled`) large ones are.
    step : str
        What a step is called.
    bounds : mapping
        Task to the lowest and the highest value that there can be on it, None where nothing says it.
    """

    grid: FloatArray
    values: Mapping[tuple[str, str], FloatArray]
    bounds: Mapping[str, Bounds]
    methods: tuple[str, ...]
    tasks: tuple[str, ...]
    metric: str
    definition: Metric
    step: str
    scaled: bool
    independent: bool
    notes: tuple[Note, ...]
    reading: tuple[Note, ...]
    source: str

    def runs(self, method: str) -> list[FloatArray]:
        """The runs of a method, task by task."""
        if method not in self.methods:
            raise InputError(f"there is no method {method!r} here; there are {', '.join(map(repr, self.methods))}.")
        return [self.values[method, task] for task in self.tasks]

    @property
    def n_runs(self) -> dict[str, int]:
        """Runs of each method, over all tasks."""
        return {method: sum(len(runs) for runs in self.runs(method)) for method in self.methods}


def on_grid(
    source: Source,
    metric: str | None = None,
    *,
    grid: Grid = None,
    ended: Ended = "last",
    failures: str | float = "refuse",
    normalize: Scale | None = None,
    tasks: Sequence[str] | None = None,
) -> OnGrid:
    """Every run at common steps: at each its last value at or before it.

    Parameters
    ----------
    source
        Trials whose runs have curves, or anything that `ogive.read` takes.
    metric : str, optional
        A score that was read over steps, or a series of a study's trials; the first where not given.
    grid : int or array, optional
        How many steps, evenly from the first at which every run has a value, or the steps themselves. Where not given: the
        steps of the runs if all have the same, else as many as a run has, 100 at most. They end at the last step that nine of ten
        runs of every method reach, on the task where that is the furthest; a note counts runs that go on far beyond it.
    ended : {"last", "cut"}
        After its end a run keeps its last value (a note counts such runs), or the grid ends where the first run does.
    failures : {"refuse", "worst", "exclude"} or float
        How runs count from the step on at which they failed or lost their score.
    normalize : Baselines or MinMax, optional
        One scale for all tasks, as in `ogive.profiles`.
    """
    trials = judged_together(source, tasks, normalize)
    if ended not in ("last", "cut"):
        raise InputError(f"`ended` must be 'last' or 'cut'; got {ended!r}.")
    name, definition = curve_named(trials, metric)
    runs = runs_of(trials, name)
    absent = next(((m, t) for m in trials.algorithms for t in trials.tasks if (m, t) not in runs), None)
    if absent is not None:
        raise InputError(
            f"{absent[0]!r} has no run on {absent[1]!r}; keep the tasks that every method has with trials.select(tasks=[…]), or leave the "
            "method out with without=."
        )
    rule = failure_rule(failures)
    notes: list[Note] = []
    if rule == "exclude":
        runs, notes = without_failed(runs)
    steps, how = _steps(runs, grid, ended)
    step = trials.step_of(name)
    values = {cell: np.array([run.at(steps) for run in own]) for cell, own in runs.items()}
    notes.append(
        Note(
            NoteKind.STEP_GRID,
            "grid",
            {"step": step, "n": int(steps.size), "first": float(steps[0]), "last": float(steps[-1]), "how": how},
        )
    )
    ends = np.array([run.end for cell in runs.values() for run in cell if np.isinf(run.lost) and run.steps.size])
    early = int(np.count_nonzero(ends < steps[-1]))
    if early:
        found = {
            "n": early,
            "of_runs": sum(map(len, runs.values())),
            "step": step,
            "last": float(steps[-1]),
            "first_end": float(ends.min()),
        }
        notes.append(Note(NoteKind.ENDED_EARLY, "grid", found))
    far = [run.end for cell in runs.values() for run in cell if SHORT * run.end > steps[-1]]
    if far and how != "said":
        going = {"n": len(far), "of_runs": sum(map(len, runs.values())), "step": step, "last": float(steps[-1])}
        notes.append(Note(NoteKind.GOES_ON, "grid", going | {"last_end": max(far)}))
    values, counted = _settled(values, rule, definition, step, steps)
    notes += counted
    fixed = None if normalize is None else fixed_scale(runs, definition, normalize)
    bounds = {task: _bounds_on(task, definition, rule, fixed) for task in trials.tasks}
    if normalize is not None and fixed is not None:
        values = on_one_scale(values, definition.goal, fixed)
        notes.append(scale_note(normalize))
    elif len(trials.tasks) > 1 and None in definition.bounds:
        notes.append(
            Note(NoteKind.COMMON_SCALE, values={"values": "scores", "over": "tasks", "averaged": True, "steps": True})
        )
    return OnGrid(
        grid=steps, values=values, bounds=bounds, methods=trials.algorithms, tasks=trials.tasks, metric=name,
        definition=Metric() if normalize is not None else definition, step=step, scaled=normalize is not None,
        independent=trials.independent, notes=tuple(notes), reading=trials.notes, source=trials.source,
    )  # fmt: skip


def judged_together(source: Source, tasks: Sequence[str] | None, normalize: Scale | None) -> Trials:
    """Trials whose runs are independent of each other, or are taken without an interval; refused where they are neither."""
    trials = as_trials(source)
    if tasks is not None:
        trials = trials.select(tasks=tasks)
    if trials.question is not None:
        raise InputError(trials.question)
    if trials.clustered or trials.n_folds is not None:
        raise InputError(
            "runs that share a unit, or are folds of a cross-validation, are not independent, and their curves are not judged together; take "
            "one run of each unit with where=, or compare their scores at one step with budget=."
        )
    if isinstance(normalize, Reference):
        raise InputError(
            "`normalize` by a reference method is of one score for each run, and its runs change from step to step; take Baselines or MinMax."
        )
    return trials


def brought(source: Source | OnGrid, **options: Any) -> OnGrid:
    """Runs on common steps; refuses options that would change nothing, since the runs are there already."""
    if not isinstance(source, OnGrid):
        return on_grid(source, **options)
    usual = {"ended": "last", "failures": "refuse"}
    said = [
        f"`{name}`"
        for name, value in options.items()
        if value is not None and not (isinstance(value, str) and value == usual.get(name))
    ]
    if said:
        raise InputError(
            f"the runs are on common steps already, where {listed(said)} would change nothing; say so to on_grid, which brought them there."
        )
    return source


def runs_of(trials: Trials, name: str) -> dict[tuple[str, str], list[Staircase]]:
    """The runs of every method on every task that it has; those that failed as a whole are lost where their rows end."""
    status = trials.table["status"].chunk(0).cast("string").to_numpy(zero_copy_only=False)
    numbers = trials.table["trial"].chunk(0).to_numpy()
    out: dict[tuple[str, str], list[Staircase]] = {}
    for cell in trials.cells:
        held = trials.curves(cell.algorithm, cell.task, name)
        found = []
        for row in cell.rows.tolist():
            run = held.get(int(numbers[row]), NO_RUN)
            failed = status[row] not in (OK, "invalid") and np.isinf(run.lost) and run.steps.size
            found.append(
                Staircase(run.steps, run.values, run.end, float(np.nextafter(run.end, np.inf))) if failed else run
            )
        out[cell.algorithm, cell.task] = found
    return out


def fixed_scale(runs: Mapping[tuple[str, str], list[Staircase]], metric: Metric, scale: Scale) -> Baselines:
    """The low and high end of every task; those of `MinMax` are the worst and the best value at whatever step."""
    if isinstance(scale, MinMax):
        return _ends(runs, metric)
    if isinstance(scale, Baselines):
        return scale
    raise InputError(f"`normalize` must be Baselines or MinMax; got {shown(scale)}.")


def _bounds_on(task: str, metric: Metric, rule: str | float, scale: Baselines | None) -> Bounds:
    """What scores on a task cannot leave, on its scale; a number that failed runs count as may lie beyond."""
    low, high = metric.bounds
    if not isinstance(rule, str):
        low, high = None if low is None else min(low, rule), None if high is None else max(high, rule)
    ends = np.array([-np.inf if low is None else low, np.inf if high is None else high])
    if scale is not None:
        worst, best = float(scale.low[task]), float(scale.high[task])
        ends = np.sort((ends - worst) / (best - worst))
    return None if np.isinf(ends[0]) else float(ends[0]), None if np.isinf(ends[1]) else float(ends[1])


def scale_note(scale: Scale) -> Note:
    """That scores were brought to one scale, and to which."""
    return Note(NoteKind.NORMALIZED, values={"by": "ends of steps" if isinstance(scale, MinMax) else "baselines"})


def _ends(runs: Mapping[tuple[str, str], list[Staircase]], metric: Metric) -> Baselines:
    """The worst and the best value that any run has on each task, at whatever step: the same on every grid."""
    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for task in dict.fromkeys(task for _, task in runs):
        seen = np.concatenate([run.values for (_, on), own in runs.items() if on == task for run in own])
        if not seen.size or seen.min() == seen.max():
            raise InputError(
                f"all values of all runs on {task!r} are equal or missing; there is no least and largest to scale by."
            )
        low[task], high[task] = metric.worst_first(float(seen.min()), float(seen.max()))
    return Baselines(low, high)


def without_failed(
    runs: Mapping[tuple[str, str], list[Staircase]],
) -> tuple[dict[tuple[str, str], list[Staircase]], list[Note]]:
    """The runs that kept their score to their end, and a note of how many did not."""
    kept = {cell: [run for run in own if run.lost == np.inf] for cell, own in runs.items()}
    empty = next((cell for cell, own in kept.items() if not own), None)
    if empty is not None:
        raise FailedTrials(
            f"every run of {empty[0]!r} on {empty[1]!r} failed; leave the method out, or count failures in another way."
        )
    total, left = (sum(map(len, held.values())) for held in (runs, kept))
    dropped = {"n": total - left, "of_runs": total, "counted": None}
    return kept, [Note(NoteKind.FAILED_RUNS, "failures", dropped)] if left < total else []


def _furthest(runs: Mapping[tuple[str, str], list[Staircase]]) -> float:
    """The last step that nine of ten runs of every method reach, on the task where that is the furthest.

    Methods are compared on a task as far as all of them go; a task that is trained for fewer steps than another ends with
    what it was trained to.
    """
    reach: dict[str, float] = {}
    for (_, task), own in runs.items():
        if own:
            ends = np.sort([run.end for run in own])
            last = float(ends[max(0, int(np.ceil(ends.size * (1.0 - REACHED))) - 1)])
            reach[task] = min(last, reach.get(task, np.inf))
    return max(reach.values())


def _steps(runs: Mapping[tuple[str, str], list[Staircase]], grid: Grid, ended: Ended) -> tuple[FloatArray, str]:
    """The common steps, and where they are from: shared by all runs, evenly placed, or said."""
    known = [run for own in runs.values() for run in own if run.steps.size]
    if not known:
        raise FailedTrials("no run has any score over its steps; there is nothing to show.")
    first = max(float(run.steps[0]) for run in known)
    # Where a run crashed is no end for the others.
    held = {cell: [run for run in own if run.steps.size and np.isinf(run.lost)] for cell, own in runs.items()}
    if not any(held.values()):
        held = {cell: [run for run in own if run.steps.size] for cell, own in runs.items()}
    last = min(run.end for own in held.values() for run in own) if ended == "cut" else _furthest(held)
    if grid is not None and not is_integer(grid):
        asked = as_thresholds(grid, "grid")
        if asked.ndim != 1 or not asked.size or not np.isfinite(asked).all() or (np.diff(asked) <= 0.0).any():
            raise InputError("`grid` must be a number of steps, or steps in ascending order.")
        late = sum(float(run.steps[0]) > asked[0] for run in known)
        if late:
            raise InputError(
                f"`grid` begins at {asked[0]:g}, where {late} of {plural(len(known), 'run')} {verb(late, 'have')} no value yet; "
                f"begin at {first:g}."
            )
        furthest = max(run.end for run in known)
        if asked[-1] > furthest:
            raise InputError(
                f"`grid` ends at {asked[-1]:g}, beyond the last step of every run, which is {furthest:g} at most."
            )
        if ended == "cut" and asked[-1] > last:
            raise InputError(
                f"`grid` ends at {asked[-1]:g}, and the first run at {last:g}; end there, or say ended='last'."
            )
        return asked, "said"
    if first > last:
        raise InputError(
            f"some run begins at {first:g}, after another has ended ({last:g}), so that there is no step at which all have a value; leave such "
            "runs out, or say grid=."
        )
    if grid is not None:
        n = as_integer(grid, "grid", at_least=1)
    else:
        n = min(POINTS, int(np.median([run.steps.size for run in known])))
        longest = max((run.steps for run in known), key=len)
        same = all(np.array_equal(longest[: run.steps.size], run.steps) for run in known)
        if same and longest.size <= MOST_SHARED:
            return longest[(longest >= first) & (longest <= last)], "shared"
    even = np.array([last]) if n == 1 or first == last else np.linspace(first, last, n)
    whole = all((run.steps == np.round(run.steps)).all() for run in known)
    return (np.unique(np.round(even)) if whole else even), "even"


def _settled(
    values: Mapping[tuple[str, str], FloatArray], rule: str | float, metric: Metric, step: str, steps: FloatArray
) -> tuple[dict[tuple[str, str], FloatArray], list[Note]]:
    """The values with failed runs counted by the rule from where they failed."""
    lost = {cell: np.isnan(own) for cell, own in values.items()}
    n = sum(int(own.any(axis=1).sum()) for own in lost.values())
    total = sum(len(own) for own in values.values())
    if not n:
        return dict(values), []
    first = min(float(steps[own.any(axis=0).argmax()]) for own in lost.values() if own.any())
    if isinstance(rule, str) and rule.startswith("like:"):
        raise InputError(
            "`failures` like another method's is of one score for each run; over steps say 'worst', a number or 'exclude'."
        )
    if rule == "refuse":
        where = listed(
            [
                f"{int(own.any(axis=1).sum())} of {len(own)} of {m!r} on {t!r}"
                for (m, t), own in lost.items()
                if own.any()
            ][:4]
        )
        raise FailedTrials(
            f"{n} of {plural(total, 'run')} failed, or lost their score, from {step} {first:,.15g} on ({where}); say how to count them: "
            "failures='worst', a number or 'exclude'."
        )
    stands = metric.worst if rule == "worst" else float(rule)
    if not np.isfinite(stands):
        raise InputError(
            "failures='worst' needs the worst score that there is, and nothing says it; declare bounds= when the table is read, or say a number."
        )
    filled = {cell: np.where(lost[cell], stands, own) for cell, own in values.items()}
    return filled, [
        Note(NoteKind.FAILED_RUNS, "failures", {"n": n, "of_runs": total, "counted": f"{stands:g} from there on"})
    ]
