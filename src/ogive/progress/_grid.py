"""Runs on common steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ogive.arguments import FloatArray
from ogive.errors import FailedTrials, InputError
from ogive.importers import curve_named
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.profiles import Baselines, MinMax, Reference, on_one_scale
from ogive.reading import Source, as_trials
from ogive.schema import OK
from ogive.trials import Staircase, Trials, failure_rule
from ogive.words import listed, plural

Scale: TypeAlias = Baselines | MinMax | Reference
Grid: TypeAlias = int | Sequence[float] | FloatArray | None
Ended: TypeAlias = Literal["last", "cut"]
POINTS = 100
MOST_SHARED = 2000  # steps that all runs have
REACHED = 0.9  # the share of runs that reach the end of a grid that nobody said
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
    """

    grid: FloatArray
    values: Mapping[tuple[str, str], FloatArray]
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
        steps of the runs if all have the same, else as many as a run has, 100 at most, to the last step that nine of ten runs reach.
    ended : {"last", "cut"}
        After its end a run keeps its last value (a note counts such runs), or the grid ends where the first run does.
    failures : {"refuse", "worst", "exclude"} or float
        How runs count from the step on at which they failed or lost their score.
    normalize : Baselines or MinMax, optional
        One scale for all tasks, as in `ogive.profiles`.
    """
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
    if ended not in ("last", "cut"):
        raise InputError(f"`ended` must be 'last' or 'cut'; got {ended!r}.")
    if isinstance(normalize, Reference):
        raise InputError(
            "`normalize` by a reference method is of one score for each run, and its runs change from step to step; take Baselines or MinMax."
        )
    name, definition = curve_named(trials, metric)
    runs = _runs(trials, name)
    rule = failure_rule(failures)
    notes: list[Note] = []
    if rule == "exclude":
        runs, dropped = _without_failed(runs)
        notes += (
            [Note(NoteKind.FAILED_RUNS, "failures", {"n": dropped[0], "of_runs": dropped[1], "counted": None})]
            if dropped[0]
            else []
        )
    steps, how = _steps([run for cell in runs.values() for run in cell], grid, ended)
    step = trials.step or "step"
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
    values, counted = _settled(values, rule, definition, step, steps)
    notes += counted
    if normalize is not None:
        scale = _ends(runs, definition) if isinstance(normalize, MinMax) else normalize
        values = on_one_scale(values, definition.goal, scale)
        by = "ends of steps" if isinstance(normalize, MinMax) else "baselines"
        notes.append(Note(NoteKind.NORMALIZED, values={"by": by}))
    elif len(trials.tasks) > 1 and None in definition.bounds:
        notes.append(Note(NoteKind.COMMON_SCALE, values={"values": "scores", "over": "tasks", "averaged": True}))
    return OnGrid(
        grid=steps, values=values, methods=trials.algorithms, tasks=trials.tasks, metric=name,
        definition=Metric() if normalize is not None else definition, step=step, scaled=normalize is not None,
        independent=trials.independent, notes=tuple(notes), reading=trials.notes, source=trials.source,
    )  # fmt: skip


def _runs(trials: Trials, name: str) -> dict[tuple[str, str], list[Staircase]]:
    """The runs of every method on every task; those that failed as a whole are lost where their rows end."""
    status = trials.table["status"].chunk(0).cast("string").to_numpy(zero_copy_only=False)
    numbers = trials.table["trial"].chunk(0).to_numpy()
    out: dict[tuple[str, str], list[Staircase]] = {}
    for method in trials.algorithms:
        for task in trials.tasks:
            cell = trials.cell(method, task)
            if not cell.rows.size:
                raise InputError(
                    f"{method!r} has no run on {task!r}; keep the tasks that every method has with trials.select(tasks=[…]), or leave the "
                    "method out with without=."
                )
            held = trials.curves(method, task, name)
            found = []
            for row in cell.rows.tolist():
                run = held.get(int(numbers[row]), NO_RUN)
                failed = status[row] not in (OK, "invalid") and np.isinf(run.lost) and run.steps.size
                found.append(
                    Staircase(run.steps, run.values, run.end, float(np.nextafter(run.end, np.inf))) if failed else run
                )
            out[method, task] = found
    return out


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


def _without_failed(
    runs: Mapping[tuple[str, str], list[Staircase]],
) -> tuple[dict[tuple[str, str], list[Staircase]], tuple[int, int]]:
    """The runs that kept their score to their end, and how many of how many did not."""
    kept = {cell: [run for run in own if run.lost == np.inf] for cell, own in runs.items()}
    empty = next((cell for cell, own in kept.items() if not own), None)
    if empty is not None:
        raise FailedTrials(
            f"every run of {empty[0]!r} on {empty[1]!r} failed; leave the method out, or count failures in another way."
        )
    total, left = (sum(map(len, held.values())) for held in (runs, kept))
    return kept, (total - left, total)


def _steps(runs: Sequence[Staircase], grid: Grid, ended: Ended) -> tuple[FloatArray, str]:
    """The common steps, and where they are from: shared by all runs, evenly placed, or said."""
    known = [run for run in runs if run.steps.size]
    if not known:
        raise FailedTrials("no run has any score over its steps; there is nothing to show.")
    first = max(float(run.steps[0]) for run in known)
    whole_runs = [run for run in known if np.isinf(run.lost)] or known  # where a run crashed is no end for the others
    ends = np.sort([run.end for run in whole_runs])
    last = float(ends[0]) if ended == "cut" else float(ends[max(0, int(np.ceil(ends.size * (1.0 - REACHED))) - 1)])
    if grid is not None and not isinstance(grid, int):
        asked = np.asarray(grid, dtype=np.float64)
        if asked.ndim != 1 or not asked.size or not np.isfinite(asked).all() or (np.diff(asked) <= 0.0).any():
            raise InputError("`grid` must be a number of steps, or steps in ascending order.")
        late = sum(float(run.steps[0]) > asked[0] for run in known)
        if late:
            raise InputError(
                f"`grid` begins at {asked[0]:g}, where {late} of {plural(len(known), 'run')} {'has' if late == 1 else 'have'} no value yet; "
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
    n = min(POINTS, int(np.median([run.steps.size for run in known]))) if grid is None else grid
    if grid is not None and (isinstance(grid, bool) or grid < 1):
        raise InputError(f"`grid` must be a number of steps, at least 1, or steps in ascending order; got {grid!r}.")
    if grid is None:
        shared = known[0].steps
        same = all(np.array_equal(shared[shared <= run.end], run.steps) for run in known)
        longest = max((run.steps for run in known), key=len)
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
