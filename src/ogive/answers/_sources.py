"""Where does the spread come from: configuration, data or seed; which hyper-parameter, and which of its values?

In this order: the answer and its parts, which runs share a draw, words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers._parameters import (
    FEWEST_KEPT,
    UNSEEN,
    Parameter,
    ParameterEffect,
    Range,
    draw_keys,
    effect,
    find_parameters,
    find_ranges,
    first_half,
    together,
)
from ogive.answers._pictures import refuse_unjudgeable
from ogive.answers._summary import FailedRuns
from ogive.answers.verdicts import scope_words, unit_words
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, argument, capitalized, sentences
from ogive.reading import Source, as_trials
from ogive.results import json_ready
from ogive.schema import ONE_TASK
from ogive.seeding import stream
from ogive.stages import counting
from ogive.statistics import Assumption, Interval, VarianceShares, variance_shares
from ogive.tables import Ranged, Table, Tabular
from ogive.trials import Cell, FloatArray, IntArray, Trials, failure_rule
from ogive.words import aligned, interval, listed, number, percent_interval, percent_sure, plural, printable

if TYPE_CHECKING:
    import pandas as pd

    from ogive.statistics import Component, VarianceShares

CONFIGURATION, DATA, SEED, REST = "configuration", "data", "seed", "everything else"
WORDS = {"config": CONFIGURATION, "data": DATA, "seed": SEED}
# How columns of imported tables are called, in lower case and in the singular.
CALLED = {
    CONFIGURATION: ("configuration", "config", "param", "parameter", "hyperparameter", "hyper-parameter", "setting", "arm"),
    DATA: ("data", "data draw", "split", "resample", "fold", "dataset", "sample", "bootstrap"),
    SEED: ("seed", "random_state", "init", "initialization", "rng"),
}  # fmt: skip
NESTED = "study.hold(config=ogive.study.every(10))"
CROSSED = "study.hold(config=ogive.study.every(20), data=ogive.study.cycle(10))"
WAY = (
    f"Run {NESTED} to separate the configuration from the rest, or {CROSSED} to separate configuration, data and seed."
)
SHARED = {CONFIGURATION: "a configuration", DATA: "data", SEED: "a seed"}
MOST_NAMED = 4
MOST_OF_IT = 0.75  # of the worse half; what makes up less of it has made it partly
COLUMNS = ("algorithm", "task", "metric", "kind", "name", "estimate", "low", "high", "method", "guarantee", "n")
# Questions about a column by which runs are not runs of one thing.
MIXED = (NoteKind.ASKS_SPLIT, NoteKind.ASKS_METHOD, NoteKind.ASKS_PLANNED)
RANGES = (
    "Ranges were chosen on one half of the configurations and tested on the other by permutation; the gains of one method "
    "on one task hold together."
)
NO_PARAMETERS = "The table names no hyper-parameters, so none can be blamed; name their columns with {}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Configurations and runs of each that make the mean most precise for a budget.

    `repeats_low` and `repeats_high` are the best numbers at the ends of the share's interval.
    `standard_error` is of the mean over all configurations; `single_error` with one run of each.
    """

    method: str
    budget: float
    cost_ratio: float
    repeats: int
    repeats_low: int
    repeats_high: int
    configurations: int
    standard_error: float
    single_error: float

    def __str__(self) -> str:
        span = "" if self.repeats_low == self.repeats_high else f" [{self.repeats_low}, {self.repeats_high}]"
        extra = (
            f"where a new configuration costs {self.cost_ratio:g} runs beside its own"
            if self.cost_ratio
            else "where a new configuration costs nothing beside its runs"
        )
        gain = self.single_error / self.standard_error - 1.0
        against = f", {100 * gain:.0f} % less than with one run of each" if gain > 0.005 else ""
        return (
            f"With a budget of {self.budget:g} runs, {extra}, the mean of {printable(self.method)} is known best from "
            f"{plural(self.configurations, 'configuration')} with {self.repeats}{span} "
            f"run{'s' if self.repeats > 1 else ''} of each: standard error {self.standard_error:.3g}{against}."
        )

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return json_ready({name: getattr(self, name) for name in self.__slots__ if name != "method"})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CellSources:
    """Where the spread of one method on one task comes from.

    `shares` is None where the runs cannot tell; `missing` then says why and names the runs that would.
    """

    algorithm: str
    task: str
    metric: str
    goal: str
    n: int
    n_failed: int
    shares: VarianceShares | None
    missing: Untold | None
    effects: tuple[ParameterEffect, ...]
    ranges: tuple[Range, ...]
    allocation: Allocation | None
    sentences: tuple[str, ...]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        return f"CellSources({self.algorithm!r} on {self.task!r}: {plural(len(self.effects), 'parameter')})"

    @property
    def place(self) -> str:
        """`SVM on moons`."""
        return _place(self.algorithm, self.task)

    def allocate(self, budget: float, cost_ratio: float = 0.0) -> Allocation:
        """Configurations and runs of each that make the mean most precise for a budget.

        Parameters
        ----------
        budget : float
            What may be spent, counted in runs.
        cost_ratio : float
            What a new configuration costs beside its runs, counted in runs.

        Notes
        -----
        With K configurations and r runs of each the variance of the mean is V (s + (1 - s) / r) / K, where V
        is the variance of one run and s the share of the configuration. A configuration costs c + r runs, so
        K = B / (c + r), and r = sqrt(c (1 - s) / s), rounded to the better neighbor and at least 1, minimizes
        (s + (1 - s) / r) (c + r) (Cochran 1977, section 10.6). Without a cost of its own (c = 0) a new
        configuration is always better than one more seed.
        """
        component = None if self.shares is None else self.shares.of(CONFIGURATION)
        if self.shares is None or component is None or component.sources != (CONFIGURATION,):
            raise InputError(
                f"a budget can be divided where the share of the configuration is known; for {self.place} it is not. "
                "Run study.hold(config=ogive.study.every(10))."
            )
        if not (math.isfinite(budget) and budget >= 2):
            raise InputError(f"`budget` must be a number of runs, at least 2; got {budget:g}.")
        if not (math.isfinite(cost_ratio) and cost_ratio >= 0.0):
            raise InputError(f"`cost_ratio` must be 0 or more runs; got {cost_ratio:g}.")
        share, variance, most = component.share, self.shares.variance, max(1, int(budget - cost_ratio))

        def best(s: float) -> int:
            if cost_ratio == 0.0 or s <= 0.0:
                return 1 if cost_ratio == 0.0 else most
            ideal = math.sqrt(cost_ratio * (1.0 - s) / s)
            around = {min(most, max(1, r)) for r in (math.floor(ideal), math.ceil(ideal))}
            return min(around, key=lambda r: (s + (1.0 - s) / r) * (cost_ratio + r))

        def error(r: int) -> tuple[int, float]:
            k = max(1, int(budget // (cost_ratio + r)))
            return k, math.sqrt(variance * (share.estimate + (1.0 - share.estimate) / r) / k)

        repeats = best(share.estimate)
        configurations, standard_error = error(repeats)
        return Allocation(
            method=self.place, budget=budget, cost_ratio=cost_ratio, repeats=repeats, repeats_low=best(share.high),
            repeats_high=best(share.low), configurations=configurations, standard_error=standard_error, single_error=error(1)[1],
        )  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Shares, explained shares and held-out gains, each with its interval."""
        found: list[tuple[str, str, Interval]] = []
        if self.shares is not None:
            found += [("share", c.name, c.share) for c in self.shares.components]
        found += [("explained", e.parameter, e.explained) for e in self.effects]
        found += [(f"gain of {r.target}", r.words, r.gain) for r in self.ranges]
        return [
            dict(zip(COLUMNS, (self.algorithm, self.task, self.metric, kind, name, i.estimate, i.low, i.high, i.method, i.guarantee, i.n), strict=True))
            for kind, name, i in found
        ]  # fmt: skip

    def curves(self) -> list[dict[str, Any]]:
        """Median and worst 10 % along every parameter, a row for each value or bin."""
        out = []
        for e in self.effects:
            for b in e.bins:
                row = {"algorithm": self.algorithm, "task": self.task, "metric": self.metric, "parameter": e.parameter,
                       "value": b.label, "from": b.low, "to": b.high, "n": b.n}  # fmt: skip
                for name, i in (("median", b.median), ("worst_0.1", b.worst), ("in_worse_half", b.bad)):
                    row |= {name: i.estimate, f"{name}_low": i.low, f"{name}_high": i.high}
                out.append(row)
        return out


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sources(Tabular):
    """Where the spread of every method on every task comes from. Sentences first."""

    cells: tuple[CellSources, ...]
    confidence: float
    unit: str
    failed: FailedRuns
    notes: tuple[Note, ...]
    source: str

    def __repr__(self) -> str:
        return (
            f"Sources({plural(len(self.cells), 'cell')}, {plural(sum(len(c.effects) for c in self.cells), 'effect')})"
        )

    def __str__(self) -> str:
        said: set[str] = set()
        cells = "\n\n".join(_cell_text(c, said) for c in self.cells)
        return f"{cells}\n\n{self.footnote().strip()}".rstrip()

    def as_tables(self) -> tuple[Table, ...]:
        """Shares of the variance and what hyper-parameters explain of it, of 1; gains in units of the score."""
        rows = tuple(
            (row["algorithm"], row["task"], row["kind"], row["name"], Ranged(row["estimate"], row["low"], row["high"]))
            for c in self.cells for row in c.rows()
        )  # fmt: skip
        head = ("method", "task", "kind", "source", "estimate")
        return (Table(head=head, rows=rows, below=(*self.sentences, self.footnote())),)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences, cell after cell."""
        return tuple(s for c in self.cells for s in c.sentences)

    def cell(self, algorithm: str | None = None, task: str | None = None) -> CellSources:
        """One method on one task; None where there is only one."""
        found = [c for c in self.cells if algorithm in (None, c.algorithm) and task in (None, c.task)]
        if len(found) != 1:
            names = ", ".join(f"{c.algorithm!r} on {c.task!r}" for c in self.cells[:8])
            raise InputError(f"`algorithm` and `task` must name one of {names}; {len(found)} fit.")
        return found[0]

    def footnote(self) -> str:
        """What the brackets are."""
        text = ""
        if any(c.shares is not None or c.effects for c in self.cells):
            told = [c.shares.components[0].share for c in self.cells if c.shares is not None]
            rough = any(share.guarantee == "heuristic" for share in told)
            kind = "approximate, those of shares of variance heuristic" if rough else "approximate"
            text = f"Brackets: {percent_sure(self.confidence)} intervals, {kind}, over {self.unit}."
        if any(r.shown for c in self.cells for r in c.ranges):
            text += f" {RANGES}"
        if not text:  # elsewhere the unit says it
            text = " ".join(capitalized(note) for note in self.notes if note.kind is NoteKind.UNFINISHED)
        return f"{text} {self.failed.sentence(self.cells)}".strip()

    def to_pandas(self) -> pd.DataFrame:
        """A row for each share, explained share and gain."""
        import pandas as pd

        return pd.DataFrame([row for c in self.cells for row in c.rows()], columns=list(COLUMNS))

    def curves(self) -> pd.DataFrame:
        """A row for each value or bin of each parameter: median and worst 10 % with intervals."""
        import pandas as pd

        return pd.DataFrame([row for c in self.cells for row in c.curves()])

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "confidence": self.confidence,
            "failures": self.failed.rule, "notes": [*sentences(self.notes), *(r for c in self.cells for r in c.remarks)],
            "sentences": list(self.sentences),
            "rows": [json_ready(row) for c in self.cells for row in c.rows()],
            "curves": [json_ready(row) for c in self.cells for row in c.curves()],
            "ranges": [{"algorithm": c.algorithm, "task": c.task, **r.to_dict()} for c in self.cells for r in c.ranges],
            "allocation": [
                {"algorithm": c.algorithm, "task": c.task, **c.allocation.to_dict()} for c in self.cells if c.allocation
            ],
        }  # fmt: skip


def sources(
    trials: Source,
    *,
    algorithm: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    holds: Mapping[str, Any] | None = None,
    budget: float | None = None,
    cost_ratio: float = 0.0,
) -> Sources:
    """Where the spread comes from: configuration, data or seed; which hyper-parameter; which of its values.

    Parameters
    ----------
    trials : Trials, or what `ogive.read` takes
        What `read` or `run` returned; a file, a frame or a dictionary whose columns say what they are.
    algorithm, task : str, optional
        Only this method, only this task; all where not given.
    metric : str, optional
        The first where not given.
    failures : {"refuse", "exclude", "worst", "like:NAME"} or float
        How failed trials count.
    holds : mapping, optional
        What the study held, as `study.holds` says it, or `{"config": ogive.study.every(10)}`. Not needed where
        the table knows; an imported table shares a configuration where its parameters are equal.
    budget, cost_ratio : float, optional
        Say how a budget of so many runs is best divided between configurations and seeds, when a new
        configuration costs `cost_ratio` runs beside its own.

    Notes
    -----
    Shares of variance: `statistics.variance_shares`, an analysis of variance of random effects, for
    crossed and nested designs, with approximate intervals. Effects of parameters: medians by order
    statistics (guaranteed where runs are independent) and means of the worst 10 % (approximate), for
    each value, or in up to eight bins of equal count; the share of variance between them
    (`explained_share`). Runs of one configuration count once. A parameter speaks of its own average
    effect over the others, as drawn.

    Ranges are chosen on one half of the configurations (a hash of the parameters decides which half): the
    widest that keeps 80 % of the best one's gain, less two standard errors. A range is suggested where
    the parameter's explained share is certainly above 0, and on the other half two things hold: the
    largest gain of any candidate range, under permutation of the scores, is seldom so large
    (`largest_gain_test`, exact), and the interval of the gain excludes 0 (approximate, Bonferroni). n runs without a collapse
    leave room for a collapse rate of 1 - 0.05^(1/n): the sentence states it as a condition, and with
    declared bounds no range is suggested whose gain such a collapse would undo.

    Shares of variance are approximate only from 59 draws of each source on and where the spread within
    draws is equal, else heuristic: with 20 configurations, 5 % of which collapse, an interval
    holds the true share in six tables of ten. Simulated coverage and false claims:
    docs/reference/sources.md.

    Examples
    --------
    >>> import ogive
    >>> import pandas as pd
    >>> rows = pd.DataFrame({"score": [1, 2, 5, 6, 9, 10], "lr": [0.1, 0.1, 0.2, 0.2, 0.3, 0.3], "seed": range(6)})
    >>> trials = ogive.read(rows, score="score", params=["lr"], repeat="seed", unit="configuration")
    >>> [(c.name, round(c.share.estimate, 3)) for c in sources(trials).cell().shares.components]
    [('configuration', 0.969), ('seed', 0.031)]
    """
    trials = as_trials(trials)
    confidence = as_confidence(confidence)
    rule = failure_rule(failures)
    name = trials.metric_name(metric)
    refuse_unjudgeable(trials, name)
    if not trials.independent:
        raise InputError(
            "a grid or an adaptive sampler chose these trials, so effects of parameters and shares of variance would speak of its choices; "
            "say independent=True when reading if they were drawn at random."
        )
    # What else a table may ask is which rows share a draw, and that is what is told here.
    if holds is None and trials.question is not None and trials.question.kind in MIXED:
        raise InputError(trials.question)
    for what, asked, names in (("algorithm", algorithm, trials.algorithms), ("task", task, trials.tasks)):
        if asked is not None and asked not in names:
            raise InputError(f"`{what}` {asked!r} is not in the table; there are {', '.join(map(repr, names[:8]))}.")
    asked_for = _Question(trials, name, rule, confidence, holds, budget, cost_ratio)
    cells = [c for c in trials.cells if algorithm in (None, c.algorithm) and task in (None, c.task)]
    return Sources(
        cells=tuple(_cell(asked_for, cell) for cell in counting(cells, "finding sources of spread, by method and task")), confidence=confidence,
        unit=unit_words(trials, tuple(dict.fromkeys(c.task for c in cells))),
        failed=FailedRuns.of(trials, [name], rule), notes=trials.notes, source=trials.source,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Question:
    trials: Trials
    metric: str
    rule: str | float
    confidence: float
    holds: Mapping[str, Any] | None
    budget: float | None
    cost_ratio: float

    @property
    def sign(self) -> float:
        return self.trials.definitions[self.metric].sign


def _cell(q: _Question, cell: Cell) -> CellSources:
    scores, rows = q.trials.resolve_failures(cell, q.metric, q.rule)
    if not np.all(np.isfinite(scores)):
        raise InputError(
            "variance is undefined while failures count as worse than every score; declare "
            f"{argument('bounds')}, or count them by a number."
        )
    place = _place(cell.algorithm, cell.task)
    draws = find_draws(q.trials, rows, q.holds)
    remarks: list[str] = []
    effects: tuple[ParameterEffect, ...] = ()
    ranges: tuple[Range, ...] = ()
    shares: VarianceShares | None = None
    missing: Untold | None = None
    is_flat = scores.size > 1 and bool(np.ptp(scores) == 0.0)
    if is_flat:
        same = number(float(scores[0]))
        missing = Untold(f"All {scores.size} runs of {place} score {same}; there is no spread to explain.")
    else:
        shares, missing = _shares(q, draws, scores, place)
        effects, ranges = _parameters(q, draws, scores, rows, remarks)
    found = CellSources(
        algorithm=cell.algorithm, task=cell.task, metric=q.metric, goal=q.trials.goals[q.metric], n=scores.size,
        n_failed=int(q.trials.failed(q.metric)[cell.rows].sum()), shares=shares, missing=missing, effects=effects,
        ranges=ranges, allocation=None, sentences=(), remarks=(),
    )  # fmt: skip
    return _told(q, found, remarks, is_flat)


def _shares(q: _Question, draws: Draws, scores: FloatArray, place: str) -> tuple[VarianceShares | None, Untold | None]:
    """Shares, with fewer sources told apart where the runs do not allow all."""
    codes = dict(draws.codes)
    if scores.size < 3 or not draws.shared:
        return None, untold(draws, place, scores.size)
    while True:
        try:
            rng = stream(0, "resample", None, "sources")
            return variance_shares(scores, codes, rng=rng, confidence=q.confidence), None
        except InputError:  # the source with the most shared draws is given up and becomes part of the rest
            shared = [s for s in draws.shared if s != CONFIGURATION and np.unique(codes[s]).size < scores.size]
            if not shared:
                return None, untold(draws, place, scores.size)
            codes[max(shared, key=lambda s: int(np.unique(codes[s]).size))] = np.arange(scores.size)


def _parameters(
    q: _Question, draws: Draws, scores: FloatArray, rows: IntArray, remarks: list[str]
) -> tuple[tuple[ParameterEffect, ...], tuple[Range, ...]]:
    units = draws.units()
    known, said = find_parameters(q.trials, rows, units)
    remarks += said
    n_judged = max(1, sum(p.n_bins for p in known))
    effects: list[ParameterEffect] = []
    judged: list[Parameter] = []
    for parameter in known if scores.size >= 3 else ():
        try:
            found = effect(parameter, scores, units, q.sign, q.confidence, n_judged, q.trials.bounds[q.metric])
        except InputError as error:
            found = f"{printable(parameter.name)} is left out: {error}"
        if isinstance(found, str):
            remarks.append(found)
        else:
            effects.append(found)
            judged.append(parameter)
    if not judged:
        return (), ()
    effects = together(effects)
    trial = q.trials.table["trial"].chunk(0).to_numpy()[rows]
    ranges = find_ranges(
        judged, scores, first_half(draw_keys(q.trials, rows), trial, units), units, q.sign, q.confidence,
        bounds=q.trials.bounds[q.metric], with_effect={e.parameter for e in effects if e.shown},
    )  # fmt: skip
    if crossed := draws.crossed:
        remarks.append(f"Effects of parameters are for these draws of {' and '.join(crossed)}.")
    return tuple(sorted(effects, key=lambda e: -e.explained.estimate)), ranges


def _told(q: _Question, found: CellSources, remarks: list[str], is_flat: bool) -> CellSources:
    """The same cell with its sentences."""
    sentences = [str(found.missing)] if found.missing is not None else []
    allocation = None
    if found.shares is not None:
        scope = scope_words(q.trials, (found.task,))
        sentences.append(share_sentence(found.shares, found.place, found.n, q.confidence, scope))
        remarks = [*share_remarks(found.shares), *remarks]
    if found.effects:
        sentences += effect_sentences(found.effects)
        sentences += range_sentences(found.ranges, found.effects, found.place)
    elif found.n >= 3 and not remarks and not is_flat:
        named = q.trials.codes("params").max(initial=-1) >= 0
        sentences.append(
            f"No hyper-parameter of {found.place} varies." if named else NO_PARAMETERS.format(argument("params"))
        )
    component = None if found.shares is None else found.shares.of(CONFIGURATION)
    if component is not None and component.sources == (CONFIGURATION,):
        if q.budget is not None:
            allocation = found.allocate(q.budget, q.cost_ratio)
        worth = str(allocation) if allocation is not None else worth_sentence(component.share)
        sentences += [worth] if worth else []
    return replace(found, sentences=tuple(sentences), remarks=tuple(dict.fromkeys(remarks)), allocation=allocation)


def _place(algorithm: str, task: str) -> str:
    named = "the data frame" if algorithm == "data frame" else printable(algorithm)
    return named if task == ONE_TASK else f"{named} on {printable(task)}"


def _cell_text(c: CellSources, said: set[str]) -> str:
    """Sentences, then what was found along each parameter; advice that is the same for every cell is `said` once."""
    told = c.sentences
    if c.missing is not None and c.missing.way in said:
        told = (c.missing.why, *told[1:])
    nameless = NO_PARAMETERS.format(argument("params"))
    told = tuple(s for s in told if s != nameless or s not in said)
    said |= {nameless} & {*told} | ({c.missing.way} if c.missing is not None else set())
    parts = ["\n".join(told)]
    if c.effects:
        head = ["parameter", "value", "runs", "median", "worst 10 %", "explains"]
        body = [
            [printable(e.parameter) if i == 0 else "", printable(b.label), str(b.n),
             *(interval(found.estimate, found.low, found.high) for found in (b.median, b.worst)),
             percent_interval(e.explained) if i == 0 else ""]
            for e in c.effects for i, b in enumerate(e.bins)
        ]  # fmt: skip
        parts.append("\n".join(aligned([head, *body])))
    if c.remarks:
        parts.append("\n".join(c.remarks))
    return "\n\n".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """For each source the draw that each run used; `declared` where a study said so.

    `by_fold` where data are the folds of a cross-validation, those of another repeat being other data.
    """

    codes: dict[str, IntArray]
    declared: bool
    by_fold: bool = False

    @property
    def shared(self) -> tuple[str, ...]:
        """Sources of which several runs, but not all, share a draw."""
        return tuple(name for name, codes in self.codes.items() if 1 < np.unique(codes).size < codes.size)

    @property
    def crossed(self) -> tuple[str, ...]:
        """Sources whose draws recur in several of the units that count, so that all results depend on them."""
        units = self.units()
        if units is None:
            return ()

        def recurs(codes: IntArray) -> bool:
            return bool(np.unique(np.stack([codes, units]), axis=1).shape[1] > np.unique(codes).size)

        return tuple(s for s in self.shared if self.codes[s] is not units and recurs(self.codes[s]))

    def units(self) -> IntArray | None:
        """What counts once where effects of parameters are judged; None where every run is one.

        Runs of one configuration share its parameters, so configurations count; where each run has its
        own, the draws of what else was shared do.
        """
        shared = self.shared
        if not shared:
            return None
        name = (
            CONFIGURATION if CONFIGURATION in shared else min(shared, key=lambda s: int(np.unique(self.codes[s]).size))
        )
        return self.codes[name]


def find_draws(trials: Trials, rows: IntArray, holds: Mapping[str, Any] | None) -> Draws:
    """The draws of these rows of one method on one task."""
    holds = trials.holds if holds is None else holds
    trial = trials.table["trial"].chunk(0).to_numpy()[rows].astype(np.int64)
    codes = _held(trials, trial, holds) if holds is not None else _seen(trials, rows, trial)
    item = trials.codes("item")[rows]
    # The column of items is a source already where rows share items, or where items are what varied.
    if item.max(initial=-1) > 0 and not any(_same(item, other) for name, other in codes.items() if name != REST):
        codes["item"] = _dense(item)
    return Draws(codes, declared=holds is not None, by_fold=holds is None and _by_fold(trials))


def _held(trials: Trials, trial: IntArray, holds: Mapping[str, Any]) -> dict[str, IntArray]:
    unknown = [source for source in holds if source not in WORDS]
    if unknown:
        raise InputError(f"`holds` must be about config, data or seed; got {unknown[0]!r}.")
    out = {}
    for source, word in WORDS.items():
        fixed = bool(trials.varied) and word not in trials.varied
        out[word] = np.zeros(trial.size, dtype=np.intp) if fixed else _counters(source, holds.get(source), trial)
    return out


def _counters(source: str, hold: Any, trial: IntArray) -> IntArray:
    """The trial whose draw each one used: `study.hold`'s rules."""
    rule, k = "every", 1
    if isinstance(hold, Mapping) and len(hold) == 1:
        ((rule, k),) = hold.items()
    elif hasattr(hold, "rule") and hasattr(hold, "k"):
        rule, k = hold.rule, hold.k
    elif hold is not None:
        rule, k = "at", hold
    if rule == "values":  # some parameters are fixed, the others are drawn anew
        rule, k = "every", 1
    if rule not in ("every", "cycle", "at") or isinstance(k, bool) or not isinstance(k, int) or k < (rule != "at"):
        raise InputError(f"`holds` of {source!r} must be a trial number, every(k) or cycle(k); got {hold!r}.")
    counters = trial // k if rule == "every" else trial % k if rule == "cycle" else np.zeros_like(trial)
    return _dense(counters)


def _seen(trials: Trials, rows: IntArray, trial: IntArray) -> dict[str, IntArray]:
    """From the columns: equal parameters are one configuration; a group or a seed that recurs is one draw."""
    out: dict[str, IntArray] = {}
    fresh = np.arange(rows.size, dtype=np.intp)
    params = trials.codes("params")[rows]
    if params.min(initial=0) >= 0:
        out[CONFIGURATION] = _dense(params)
    group = trials.codes("group")[rows]
    if _by_fold(trials):
        # The group holds repeats, each of which is another division of the data: their ten folds are ten draws.
        out[DATA] = _dense(trial)
    elif trials.unit is not None and group.min(initial=0) >= 0:
        word = source_word(trials.unit)
        if word not in out or np.unique(out[word]).size == rows.size:
            out[word] = _dense(group)
    varied = [source_word(word) for word in trials.varied]
    if SEED in varied and SEED not in out and not _by_fold(trials) and np.unique(trial).size < rows.size:
        out[SEED] = _dense(trial)
    for word in varied:
        out.setdefault(word, fresh)
    if all(np.unique(codes).size < rows.size for codes in out.values()):
        out[REST] = fresh
    return out


def _by_fold(trials: Trials) -> bool:
    return trials.n_folds is not None and trials.unit == "fold"


def source_word(column: str) -> str:
    """Configuration, data or seed where a column's name says so; else the name itself."""
    plain = column.lower().strip().replace("_", " ").removesuffix("s").replace("isation", "ization")
    for word, names in CALLED.items():
        if plain in names or plain.removesuffix(" id") in names or plain.replace(" ", "_") in names:
            return word
    return column


def _same(a: IntArray, b: IntArray) -> bool:
    """Whether two sources divide the runs alike."""
    n = np.unique(np.stack([a, b]), axis=1).shape[1]
    return bool(n == np.unique(a).size == np.unique(b).size)


def _dense(codes: IntArray) -> IntArray:
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)


def share_sentence(shares: VarianceShares, place: str, n_runs: int, confidence: float, scope: str) -> str:
    """What brings how much of the variance."""
    ordered = sorted(shares.components, key=lambda c: -c.share.estimate)
    parts = [f"{percent_interval(c.share)} from {_source(c)}" for c in ordered[1:]]
    first = f"{percent_interval(ordered[0].share)} of the variance of {place} comes from {_source(ordered[0])}"
    counts = [f"{plural(c.n_levels, _singular(c))}" for c in shares.components if c.n_levels < n_runs and c.sources]
    design = f"{plural(n_runs, 'run')}" + (f", {listed(counts)}" if counts else "")
    text = f"{first}{', ' + listed(parts) if parts else ''} ({percent_sure(confidence)} intervals, {ordered[0].share.strength}; {design}){scope}."
    if shares.fixed:
        text += f" {listed([_the(f) for f in shares.fixed]).capitalize()} did not vary."
    return text


def share_remarks(shares: VarianceShares) -> list[str]:
    """Estimates below zero, and what a component cannot be told from."""
    out = []
    below = [_source(c) for c in shares.components if c.raw < 0.0]
    if below:
        verb = "was" if len(below) == 1 else "were"
        out.append(
            f"The estimate for {listed(below)} {verb} below zero, which chance alone brings about, and counts as 0."
        )
    for c in shares.components:
        mixed = [s for s in c.contains if not set(s) & set(c.sources)] if c.sources else []
        if mixed:
            words = listed([f"what {listed(list(s))} do together" for s in mixed])
            out.append(f"The share of {_source(c)} contains {words}, which these runs do not separate.")
    if not shares.balanced:
        out.append("The groups differ in size, for which the intervals of the shares allow only roughly.")
    fewest = min(shares.components, key=lambda c: c.n_levels)
    assumed = fewest.share.assumptions
    if Assumption.FEW_DRAWS in assumed:
        unseen = 1.0 - UNSEEN ** (1.0 / fewest.n_levels)
        out.append(
            f"The shares hold if fewer than {_rate(unseen)} of all draws of {_source(fewest)} are of a kind not seen here, such as a "
            f"collapse, which {fewest.n_levels} draws cannot rule out."
        )
    if Assumption.EQUAL_WITHIN in assumed:
        out.append("Runs spread more in some draws than in others; the intervals of the shares are too short for that.")
    return out


def _source(c: Component) -> str:
    if c.sources:
        return _the(c.sources[0]) if len(c.sources) == 1 else listed([printable(s) for s in c.sources])
    return f"how {' and '.join(map(printable, c.interaction))} act together"


def _the(name: str) -> str:
    return f"the {name}" if name in (CONFIGURATION, "seed", "item") else printable(name)


def _singular(c: Component) -> str:
    name = listed(list(c.sources))
    return {"data": "data draw", REST: "group"}.get(name, name)


@dataclass(frozen=True, slots=True)
class Untold:
    """Why shares cannot be told, and what would tell them: the same for many cells, and said once."""

    why: str
    way: str = ""

    def __str__(self) -> str:
        return f"{self.why} {self.way}".rstrip()


def untold(draws: Draws, place: str, n_runs: int) -> Untold:
    """Why shares cannot be told."""
    start = f"Where the spread of {place} comes from cannot be told"
    if n_runs < 3:
        return Untold(f"{start}: there {'is one run' if n_runs == 1 else f'are {n_runs} runs'}.")
    if draws.by_fold and CONFIGURATION not in draws.codes:
        return Untold(
            f"{start}: each fold of each repeat is other data, and no two of the {n_runs} runs are known to share one.",
            "Several seeds on each fold, in a table that names fold and repeat, would separate data from the rest.",
        )
    fixed = [name for name, codes in draws.codes.items() if codes.max(initial=0) == 0]
    free = [name for name in draws.codes if name not in fixed and name != REST]
    if not draws.declared and CONFIGURATION not in draws.codes:
        ways = {CONFIGURATION: argument("params"), DATA: argument("group", "split"), SEED: argument("repeat", "seed")}
        ways = {source: way for source, way in ways.items() if source not in draws.codes}
        own = f"each of the {n_runs} runs has its own {listed([printable(f) for f in free])}, and " if free else ""
        return Untold(
            f"{start}: {own}no column says which runs share {listed([SHARED[source] for source in ways], 'or')}.",
            f"Name {'them' if len(ways) > 1 else 'it'} when reading, {listed(list(ways.values()), 'or')}, or run a study: {NESTED}.",
        )
    if draws.declared and len(free) == 1:
        return Untold(f"All spread of {place} comes from {_the(free[0])}: nothing else varied.", WAY)
    if CONFIGURATION in fixed:
        return Untold(
            f"{start}: all {n_runs} runs have one configuration, and nothing else is shared by some of them only.", WAY
        )
    if not draws.declared:
        return Untold(f"{start}: no two of the {n_runs} runs share a configuration, data or a seed.", WAY)
    return Untold(f"{start}: every run drew {listed(free)} anew.", WAY)


def effect_sentences(effects: Sequence[ParameterEffect]) -> list[str]:
    """Which parameters explain how much, and which values make the worse half."""
    ordered = sorted(effects, key=lambda e: (not e.explained.low > 0.0, -e.explained.estimate))
    seen = [e for e in ordered if e.shown]
    unseen = [printable(e.parameter) for e in ordered if not e.shown]
    out = []
    if seen:
        known = [e for e in seen[:MOST_NAMED] if e.explained.low > 0.0]
        parts = [", ".join(_explained(e, first=i == 0) for i, e in enumerate(known))] if known else []
        parts += [_ordered(e) for e in seen[:MOST_NAMED] if not e.explained.low > 0.0]
        corrected = f", judged together with the other{'s' if len(effects) > 2 else ''}"
        parts += [f"no effect of {listed(unseen[:8])} can be shown{corrected}"] if unseen else []
        out.append(f"{'; '.join(parts)}.")
    elif unseen:
        out.append(f"No effect of {listed(unseen[:8])} on the score can be shown by these runs.")
    blamed = [w for e in ordered if (w := e.made_bad) is not None][:MOST_NAMED]
    if blamed:
        partly = "" if max(w.covered for w in blamed) >= MOST_OF_IT else "partly "
        parts = [
            f"{w.words} ({100 * w.share:.0f} % of such runs; {100 * w.covered:.0f} % of the worse half)" for w in blamed
        ]
        out.append(f"The worse half is {partly}made by {listed(parts)}.")
    return out


def _explained(e: ParameterEffect, *, first: bool) -> str:
    where = "" if e.present > 0.999 else f" where it is set ({100 * e.present:.0f} % of runs)"
    # The values of a number that lie in one range count as one: they explain less than the number itself may.
    cut = f" (in {len(e.bins)} ranges)" if e.kind == "numeric" else ""
    return f"{printable(e.parameter)}{cut} {'explains ' if first else ''}{percent_interval(e.explained)}{' of the variance' if first else ''}{where}"


def _ordered(e: ParameterEffect) -> str:
    """Of an effect that is shown by the order of the runs, with which the share of the variance need not go."""
    share = percent_interval(e.explained)
    return f"{printable(e.parameter)} has an effect on the order of the runs, though it cannot be told how much of the variance it explains ({share})"


def range_sentences(ranges: Sequence[Range], effects: Sequence[ParameterEffect], place: str) -> list[str]:
    """Ranges that are suggested; why there is none, where an effect is shown and there is none."""
    if not any(e.shown for e in effects):  # without an effect there is nothing to choose by, and that is said
        return []
    shown = sorted(
        (r for r in ranges if r.shown), key=lambda r: -r.gain.low / max(1e-300, abs(r.gain.high - r.gain.low))
    )
    if shown:
        out = []
        for target in dict.fromkeys(r.target for r in shown):
            out += [f"{place}: {_range(r)}." for r in shown if r.target == target][:2]
        return out
    n_units = max(e.explained.n for e in effects)
    if not ranges and n_units < 4 * FEWEST_KEPT["median"]:
        return [f"{n_units} independent draws of the parameters are too few to choose a sub-range and to check it."]
    if not ranges:
        return ["No sub-range of a parameter looks better than the whole on the runs set aside for choosing."]
    hidden = [r for r in ranges if r.doubts == ("collapse",)]
    if hidden:
        return [_hidden(max(hidden, key=lambda r: r.gain.estimate / (r.unseen_cost or math.inf)))]
    count = plural(len(ranges), "sub-range")
    return [
        f"{count} looked better on one half of the runs. The other half does not show a gain, so none is suggested."
    ]


def _range(r: Range) -> str:
    what = "the median run reaches" if r.target == "median" else "the worst 10 % of runs average"
    gain = interval(r.gain.estimate, r.gain.low, r.gain.high, (0.0,))
    return (
        f"with {r.words} instead of {r.instead_of}, {what} {number(r.after)} instead of {number(r.before)} "
        f"(gain on other runs {gain}; if fewer than {_rate(r.unseen)} of its runs collapse, "
        f"which {plural(r.n_kept, 'run')} cannot rule out)"
    )


def _hidden(r: Range) -> str:
    """A gain that a collapse nobody has seen would undo."""
    what = "its median run" if r.target == "median" else "the worst 10 % of its runs"
    assert r.unseen_cost is not None
    return (
        f"With {r.words}, {what} gained {number(r.gain.estimate)} on runs it was not chosen on. But {plural(r.n_kept, 'run')} "
        f"cannot rule out that {_rate(r.unseen)} of its runs collapse, which would cost {number(r.unseen_cost)}. "
        f"It is not suggested; {r.n_needed:,} runs within it, without a collapse, would do."
    )


def _rate(share: float) -> str:
    return f"{100 * share:.2g} %"


def worth_sentence(share: Interval) -> str:
    """When a second seed of a configuration pays."""
    if share.estimate <= 0.0 or share.estimate >= 1.0:
        return ""
    # (s + (1 - s) / 2)(c + 2) < c + 1 holds from c = 2 s / (1 - s) on.
    cost = 2.0 * share.estimate / (1.0 - share.estimate)
    return (
        f"For its mean, one run of each of many configurations is best; a second seed pays only where a new configuration costs more "
        f"than {number(cost, 2 if cost < 0.1 else 1 if cost < 10.0 else 0)} runs beside its own."
    )
