"""performance_profile: one table, several notions of distance from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from ogive.arguments import FloatArray, as_confidence
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, capitalized, command
from ogive.profiles import _distances
from ogive.profiles._cells import (
    Cells,
    Joined,
    Missing,
    Moments,
    Table,
    as_joined,
    comparable,
    counted_failures,
    equalized,
    from_moments,
    limited,
    positive,
    said_of_failures,
    settle_missing,
    settle_missing_moments,
    suspected,
    without_unsolved,
)
from ogive.profiles._curves import as_band, corridor, distance_curve, score_curve
from ogive.profiles._normalize import Scale, normalized
from ogive.profiles._profile import Profile
from ogive.profiles._reading import profile_table, refuse_duplicates, refuse_gains
from ogive.results import Guarantee
from ogive.trials import failure_rule

Kind: TypeAlias = Literal["ratio", "difference", "improvement", "score", "welch", "rank"]

KINDS = get_args(Kind)
STRICT_KINDS = ("welch", "rank", "score")
# Distances that stand for what endless runs would show; `welch` and `rank` are evidence of the runs at hand.
ESTIMATED_KINDS = ("ratio", "difference", "improvement")
RUNS_KINDS = ("improvement", "rank", "score")
# So many tasks are wanted to speak of others like them.
MANY_TASKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What was decided before looking."""

    kind: str
    strict: bool
    runs: Joined
    relative: bool
    split: bool
    paired: bool
    unsolved: str
    equalize: str | None
    normalize: Scale | None
    random_tasks: bool
    band: str
    solve: bool
    confidence: float
    seed: int


def performance_profile(
    table: Any,
    kind: Kind = "ratio",
    *,
    goal: str | None = None,
    time_limit: float | None = None,
    floor: float | None = None,
    runs: Joined | None = None,
    relative: bool = False,
    split: bool = False,
    paired: bool = False,
    strict: bool | None = None,
    missing: Missing = "refuse",
    unsolved: Literal["keep", "drop"] = "keep",
    equalize: Literal["min-n"] | None = None,
    normalize: Scale | None = None,
    over: Literal["fixed", "sample"] = "fixed",
    band: str = "exact",
    confidence: float = 0.95,
    solve: bool = False,
    seed: int = 0,
    metric: str | None = None,
    failures: str | float = "worst",
) -> Profile:
    """How often each method is within τ of the best, for all τ at once, with bands.

    Parameters
    ----------
    table : Trials, or what `ogive.read` takes
        Where the columns do not say what they are, read it first: `ogive.read(table, algorithm=…, wide=True, …)`.
        Wide: methods as columns, problems as rows. Long: a column each for method, problem and value.
        A dictionary method -> problem -> value or runs (a series is taken by its labels), -> runs × problems
        (an array, or lists of the same numbers), or -> one value for each problem.
        For `welch` also problem, method, mean, std and n, or text such as "0.85 ± 0.02"; where no column says how many
        runs stand behind a mean, `profile_table(table, "welch", n=5)`.
    kind : {"ratio", "difference", "improvement", "score", "welch", "rank"}
        The distance d of a method on a problem. `ratio`: its time or cost over the least one.
        `difference`: the best score minus its score. `improvement`: the probability that a run of the
        best method beats one of its runs, minus 1/2. `welch`, `rank`: -log10 of the one-sided p of a
        Welch or rank test that it is at least as good as the best. `score`: no distance; the share of
        runs better than τ, averaged over tasks.
    goal : {"maximize", "minimize"}, optional
        Which values are good; where neither caller nor table says, by the name of the score, as `ogive.read` does.
        `ratio` is refused unless the score is called a time, a cost or a loss, or this, `time_limit` or `floor` is said.
    time_limit : float, optional
        A value at or above it is a failure.
    floor : float, optional
        The clock's resolution: smaller times count as this.
    runs : {"mean", "median", "best"}, optional
        How several runs of a cell become one number for `ratio` and `difference`; the mean where the
        runs are numbered. Several rows that nothing numbers are refused until this is said.
    relative : bool
        For `difference`: as a share of the best score's size.
    split : bool
        For `ratio` and `difference`: half of the runs choose the best method, the other half measure the
        distance, and the other way round. The best of several noisy numbers looks better than it is.
    paired : bool
        For `rank`: Wilcoxon's test of runs with equal numbers, instead of Mann and Whitney's.
    strict : bool, optional
        Count d < τ (score > τ) or d <= τ (score >= τ). Strict for `welch`, `rank` (Recht 2018) and
        `score`; else not (Dolan and Moré 2002).
    missing : {"refuse", "fail", "drop-problem"}
        What an absent or NaN value means.
    unsolved : {"keep", "drop"}
        Whether problems that no method solves are counted.
    equalize : {"min-n"}, optional
        Count as many runs everywhere as the smallest cell has. Of methods with unequal numbers of runs on a
        problem as many are counted as the poorest has there in any case, except for `score`: whoever has
        more runs is better placed to hold the best. Which ones is drawn by a fixed stream (`seed`).
    normalize : Baselines, MinMax or Reference, optional
        For `score`: bring tasks to one scale first.
    over : {"fixed", "sample"}
        For `score`: a statement about these tasks with other runs, or about tasks like these.
    band : {"exact", "ks", "dkw", "none"}
        See `ogive.statistics.band`.
    metric : str, optional
        Which score of a table that has several.
    failures : str or float
        How failed runs count: "worst", infinitely far from the best; "refuse"; "exclude"; a number; "like:NAME", as that
        method's runs on the problem (their mean).

    Notes
    -----
    What is random is said in `Profile.random`. Distances: the problems, of which these are a sample;
    each curve is then the empirical CDF of independent distances, and its band is that of
    `ogive.statistics.band`: conservative for every n, for distances as they are measured here, runs being
    part of the draw of a problem. With one run of each cell that is all there is to know. `improvement`, and
    `ratio` and `difference` of several runs, stand for what endless runs would show: estimated from R runs, and
    from the best by the same runs, distances are too large for equal methods and spread too much, so that the
    band is called heuristic (it never held the true curve in simulations with 5 runs). `score` with fixed tasks: the runs; the band of R·T draws, approximate (it errs on the safe
    side, since every task is drawn equally often). Tasks with different numbers of runs: a bootstrap of
    the largest deviation, approximate (simulated 0.96 to 0.99), refused below 5 runs. With a sample of tasks: the band of T draws,
    approximate. The error is divided over the methods. `docs/reference/profiles.md` has the simulated
    coverage.

    `welch` and `rank` measure evidence, not size: few runs bring a method close to the best.
    Heights of `improvement` depend on the number of runs too, though less. Distances do not depend on the order
    of rows, methods or problems.

    References
    ----------
    Dolan and Moré (2002), Benchmarking optimization software with performance profiles. Gould and Scott
    (2016), A note on performance profiles for benchmarking software. Agarwal et al. (2021), Deep
    reinforcement learning at the edge of the statistical precipice. Recht (2018), Benchmarking machine
    learning with performance profiles.

    Examples
    --------
    >>> times = {"simplex": [1.0, 8.0, 30.0], "barrier": [2.0, 4.0, 10.0]}
    >>> p = performance_profile(times, time_limit=20)
    >>> p.methods, p.at(1).round(2).tolist(), p.at(2).round(2).tolist()
    (('simplex', 'barrier'), [0.33, 0.67], [0.67, 1.0])
    """
    if kind not in KINDS:
        raise InputError(f"`kind` must be one of {', '.join(map(repr, KINDS))}; got {kind!r}.")
    if over not in ("fixed", "sample"):
        raise InputError(f"`over` must be 'fixed' (these tasks) or 'sample' (tasks like these); got {over!r}.")
    design = Design(
        kind=kind, strict=kind in STRICT_KINDS if strict is None else strict, runs=as_joined(runs), relative=relative,
        split=split, paired=paired, unsolved=unsolved, equalize=equalize, normalize=normalize,
        random_tasks=over == "sample", band=as_band(band), solve=solve, confidence=as_confidence(confidence), seed=seed,
    )  # fmt: skip
    if unsolved not in ("keep", "drop"):
        raise InputError(f"`unsolved` must be 'keep' or 'drop'; got {unsolved!r}.")
    if equalize not in (None, "min-n"):
        raise InputError(f"`equalize` must be 'min-n' or None; got {equalize!r}.")
    for wrong, name, where in (
        (split and kind not in ("ratio", "difference"), "split", "kind='ratio' and 'difference'"),
        (relative and kind != "difference", "relative", "kind='difference'"),
        (paired and kind != "rank", "paired", "kind='rank'"),
        (normalize is not None and kind != "score", "normalize", "kind='score'; the other kinds need no common scale"),
        (over == "sample" and kind != "score", "over", "kind='score'; the other kinds always take problems for a sample"),
    ):  # fmt: skip
        if wrong:
            raise InputError(f"`{name}` goes with {where}; got kind={kind!r}.")
    found = profile_table(table, kind, metric=metric, goal=goal, time_limit=time_limit, floor=floor)
    return build(_prepared(found, design, runs, missing, time_limit, floor, failure_rule(failures)), design)


def _prepared(
    table: Table,
    design: Design,
    runs: str | None,
    missing: str,
    time_limit: float | None,
    floor: float | None,
    failures: str | float,
) -> Table:
    """The table after every rule for failures, missing values and clocks; scores on their scale."""
    if not table.methods:
        raise InputError("a profile compares methods, and this table has none.")
    if len(table.methods) < 2:
        # A dictionary, of which nothing was noted, has no columns.
        way = (
            "Name the column that tells methods apart with algorithm= when the table is read." if table.reading else ""
        )
        way = next((capitalized(note) for note in table.reading if note.kind is NoteKind.ONE_METHOD), way)
        raise InputError(f"a profile compares methods, and this table has one: {table.methods[0]!r}. {way}".rstrip())
    if isinstance(table, Moments):
        if design.kind == "welch":
            if time_limit is not None or floor is not None or failures != "worst":
                raise InputError("`time_limit`, `floor` and `failures` judge single runs, and this table holds means.")
            return settle_missing_moments(table, missing)
        if design.kind in RUNS_KINDS:
            raise InputError(
                f"kind={design.kind!r} needs the runs themselves, and this table holds means; use kind='welch' or 'difference'."
            )
        table = from_moments(table)
    if design.kind in ("ratio", "difference"):
        refuse_duplicates(table, runs)
    if design.kind == "ratio":
        refuse_gains(table)
    cells = counted_failures(limited(settle_missing(table, missing), time_limit, floor), failures)
    if design.kind == "ratio":
        cells = suspected(cells, time_limit)
        positive(cells)
    if design.equalize is not None:
        cells = equalized(cells, design.seed, paired=design.paired)
    cells = normalized(cells, design.normalize)
    if design.kind == "welch":
        _distances.moments_of(cells)  # refuses failures and single runs
        return cells
    return without_unsolved(said_of_failures(cells, _failure(cells, design)), design.unsolved)


def _failure(cells: Cells, design: Design) -> str:
    """What a failed run counts as."""
    if design.kind == "score":
        return "worse than every τ"
    if design.kind in RUNS_KINDS:
        return "worse than every other run"
    several = int(cells.sizes.max()) > 1
    return f"infinite in the {design.runs} of the cell" if several else "infinitely far from the best"


def build(table: Table, design: Design) -> Profile:
    """The profile of a table that needs no more preparing."""
    if isinstance(table, Cells) and design.kind == "score":
        return _score_profile(table, design)
    distances, notes, runs, uneven = _measured(table, design)
    m, p = distances.shape
    if p < 2:
        raise InputError(
            f"a profile needs at least two problems; there is {p}. One problem is a comparison: {command('compare')}."
        )
    # Certain inferiority, as of `welch`, is no failure.
    solved = np.ones(m)
    if isinstance(table, Cells) and design.kind != "welch":
        solved = (table.succeeded if design.kind in RUNS_KINDS else np.isfinite(distances)).mean(axis=1)
    judged = design.band if table.independent else "none"
    held = corridor(p, 1.0 - (1.0 - design.confidence) / m, judged, design.solve)
    best = 1.0 if design.kind == "ratio" else 0.0
    sure, doubt = _how_sure(design, runs, uneven)
    notes = (*notes, *doubt)
    if not table.independent:
        notes = (*notes, Note(NoteKind.NO_BANDS))
    if held.method not in (design.band, "none"):
        notes = (*notes, Note(NoteKind.OTHER_BAND, "band", {"band": held.method, "asked": design.band}))
    return Profile(
        kind=design.kind, methods=table.methods, problems=table.problems,
        curves=tuple(distance_curve(d, held, strict=design.strict) for d in distances),
        wins=(distances <= best).mean(axis=1), solved=solved, distances=distances,
        goal=table.goal, strict=design.strict, confidence=design.confidence, band=held.method, guarantee=sure,
        random="problems", n=(p,) * m, runs=runs if design.kind in ESTIMATED_KINDS else (1, 1), notes=(*table.notes, *notes), reading=table.reading, source=table.source,
        again=partial(_again, table, design),
    )  # fmt: skip


def _how_sure(design: Design, runs: tuple[int, int], uneven: bool) -> tuple[Guarantee, tuple[Note, ...]]:
    """What the band of a profile of distances can claim, with the fewest and most runs behind a cell.

    `uneven` says whether methods have different numbers of runs on one problem: by means alone, which `welch` has, who is
    best then depends on the numbers. Numbers that differ from problem to problem are part of the draw of a problem.

    One run of each cell (a solver's time): the distances are what is counted, and the band is conservative.
    Several: they stand for distances that only endless runs would show, and are off. Simulated with 5 runs of
    three methods on 65 problems (docs/reference/profiles.md) the band of `improvement` holds the curve of
    5-run distances in 0.99 of tables, that of the true ones in 0.00. Choosing the best by half of the runs and
    measuring by the others does not mend that: single distances stay as noisy as they are.
    """
    if design.kind in ESTIMATED_KINDS and (runs[1] > 1 or design.kind == "improvement"):
        known = {"least": runs[0], "most": runs[1], "split": design.split}
        return "heuristic", (Note(NoteKind.ESTIMATED, values=known),)
    if design.kind == "welch" and uneven:
        return "heuristic", (Note(NoteKind.ONLY_MEANS),)
    return "conservative", ()


def _again(table: Table, design: Design, methods: Sequence[str], confidence: float) -> Profile:
    """The profile of some of the methods, at a confidence."""
    if len(set(methods)) < 2:
        raise InputError("a profile needs at least two different methods.")
    return build(table.only(methods), replace(design, confidence=confidence))


def _measured(table: Table, design: Design) -> tuple[FloatArray, tuple[Note, ...], tuple[int, int], bool]:
    """Distances, methods × problems, what must be said about them, the fewest and most runs behind a cell, and whether methods
    are compared by means of different numbers of runs.
    """
    if isinstance(table, Moments):
        found, notes, uneven = _welch(table, design)
        return found, notes, (int(table.n.min()), int(table.n.max())), uneven
    kind = design.kind
    # Paired runs must be equally many as they are; Wilcoxon's test refuses others.
    cells, thinned = (table, ()) if design.paired else comparable(table, design.seed)
    runs = int(cells.sizes.min()), int(cells.sizes.max())
    if kind == "welch":
        found, notes, uneven = _welch(_distances.moments_of(cells), design)
        return found, (*thinned, *notes), runs, uneven
    if kind in ("improvement", "rank"):
        if kind == "rank" and runs[1] < 2:
            raise InputError("kind='rank' needs several runs of every method on every problem; there is one each. Use kind='difference'.")  # fmt: skip
        found = _distances.improvement(cells) if kind == "improvement" else _distances.rank(cells, paired=design.paired)
        return found, (*thinned, *(_uneven(cells.sizes) if kind == "rank" else ())), runs, False
    notes = (*thinned, *((Note(NoteKind.RUNS_JOINED, "runs", {"by": design.runs}),) if runs[1] > 1 else ()))
    runs = runs if runs[1] > 1 else cells.behind
    if design.split:
        found = _distances.split_sample(cells, design.runs, kind, relative=design.relative, seed=design.seed)
        return found, (*notes, Note(NoteKind.SPLIT_SAMPLE)), runs, False
    values = cells.joined(design.runs)
    if kind == "difference":
        common = Note(NoteKind.COMMON_SCALE, values={"values": "differences", "over": "problems"})
        scale = Note(NoteKind.RELATIVE) if design.relative else common
        return _distances.difference(cells.sign * values, relative=design.relative), (*notes, scale), runs, False
    if cells.goal == "maximize":
        values = np.where(np.isfinite(values), 1.0 / np.where(np.isfinite(values), values, 1.0), np.inf)
    return _distances.ratio(values), notes, runs, False


def _welch(table: Moments, design: Design) -> tuple[FloatArray, tuple[Note, ...], bool]:
    notes = _uneven(table.n)
    if design.equalize is not None and int(table.n.min()) < int(table.n.max()):
        least = int(table.n.min())
        table = replace(table, n=np.full_like(table.n, least))  # as if every mean stood on so few runs
        notes = (Note(NoteKind.EQUAL_COUNTS, "equalize", {"n": least}),)
    flat = int(np.count_nonzero(table.std == 0.0))
    if flat:
        notes = (*notes, Note(NoteKind.NO_SPREAD, values={"n": flat, "of_cells": table.std.size}))
    return _distances.welch(table), notes, bool((table.n.min(axis=0) < table.n.max(axis=0)).any())


def _uneven(n: Any) -> tuple[Note, ...]:
    low, high = int(np.min(n)), int(np.max(n))
    if low == high:
        return (Note(NoteKind.EVIDENCE, values={"n": low}),)
    return (Note(NoteKind.UNEVEN_COUNTS, "equalize", {"least": low, "most": high}),)


def _score_profile(cells: Cells, design: Design) -> Profile:
    m, t = len(cells.methods), len(cells.problems)
    judged = design.band if cells.independent else "none"
    found = [
        score_curve(
            cells.of_method(i), maximize=cells.goal == "maximize", strict=design.strict, random_tasks=design.random_tasks,
            confidence=1.0 - (1.0 - design.confidence) / m, method=judged, solve=design.solve, seed=design.seed,
        ) for i in range(m)
    ]  # fmt: skip
    means = cells.sign * cells.joined("mean")
    sure: Guarantee = "heuristic" if cells.folds else "approximate"
    notes = list(cells.notes)
    if design.normalize is None:
        notes.append(Note(NoteKind.COMMON_SCALE, values={"values": "scores", "over": "tasks"}))
    if design.random_tasks and t < MANY_TASKS:
        notes.append(Note(NoteKind.FEW_TASKS, values={"n": t, "wanted": MANY_TASKS}))
    notes.append(Note(NoteKind.RUNS_ARE_FOLDS if cells.folds else NoteKind.RUNS_INDEPENDENT))
    return Profile(
        kind="score", methods=cells.methods, problems=cells.problems, curves=tuple(curve for curve, _, _ in found),
        wins=(means >= means.max(axis=0)).mean(axis=1),
        solved=np.array([np.mean([np.isfinite(c).mean() for c in cells.of_method(i)]) for i in range(m)]), distances=None,
        goal=cells.goal, strict=design.strict, confidence=design.confidence, band="/".join(dict.fromkeys(made for _, made, _ in found)),
        guarantee=sure, random="tasks and runs" if design.random_tasks else "runs", n=tuple(n for _, _, n in found),
        notes=tuple(notes), reading=cells.reading, source=cells.source, again=partial(_again, cells, design),
    )  # fmt: skip
