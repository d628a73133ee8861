"""How many trials are enough, and what a number of trials can show: by name, or from a pilot, which knows about spread."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import as_count, as_mass, as_scores
from ogive.errors import InputError
from ogive.metric import Bounds
from ogive.notes import either
from ogive.reading import Source, as_trials
from ogive.statistics.planning import (
    ASSURANCE,
    BandPrecision,
    DifferenceTest,
    ImprovementTest,
    PilotPrecision,
    Plan,
    QuantilePrecision,
    Question,
    TwoLevelPrecision,
    WorstCasePrecision,
    achieved,
    counted,
    largest_spread,
    plan_trials,
    trials_for,
)
from ogive.trials import FloatArray, IntArray, Trials
from ogive.words import listed, quoted

# The smallest probability of improvement worth finding, where nobody says another.
OF_INTEREST = 0.65

TOO_FEW = "`pilot` must hold at least two {} to know a spread; got {}."
_BAND = {"half_width", "method", "one_sided", "solve"}
_TABLE = {"pilot", "a", "task", "metric", "failures"}
_MEAN = _BAND | _TABLE | {"bounds", "sd", "repeats", "cost_ratio"}
TAKES: Mapping[str, set[str]] = {
    "band": _BAND,
    "quantile": {"half_width", "p"},
    "mean": _MEAN,
    "cvar": (_MEAN - {"sd"}) | {"mass", "tail"},
    "improvement": {"p", "difference", "paired", "share", "sd"},
    "difference": _TABLE | {"b", "difference", "margin", "claim", "paired", "sd"},
}
# A plan of each name, as it is called.
EXAMPLES: Mapping[str, tuple[str, str]] = {
    "band": ("plan('band', half_width=0.05)", "ogive plan band --half-width 0.05"),
    "quantile": ("plan('quantile', p=0.5, half_width=0.05)", "ogive plan quantile --p 0.5 --half-width 0.05"),
    "mean": ("plan('mean', half_width=0.01, bounds=(0, 1))", "ogive plan mean --half-width 0.01 --bounds 0,1"),
    "cvar": ("plan('cvar', mass=0.1, half_width=0.05, bounds=(0, 1))", "ogive plan cvar --mass 0.1 --half-width 0.05 --bounds 0,1"),
    "improvement": ("plan('improvement', p=0.65)", "ogive plan improvement --p 0.65"),
    "difference": ("plan('difference', difference=0.01, sd=0.02)", "ogive plan difference --difference 0.01 --sd 0.02"),
}  # fmt: skip


def plan(
    what: Source,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    n_trials: int | None = None,
    p: float | None = None,
    mass: float | None = None,
    tail: str | None = None,
    bounds: Bounds | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
    method: str | None = None,
    one_sided: bool | None = None,
    solve: bool | None = None,
    margin: float | None = None,
    claim: str | None = None,
    paired: bool | None = None,
    share: float | None = None,
    sd: float | tuple[float, float] | None = None,
    pilot: Source | ArrayLike | None = None,
    a: str | None = None,
    b: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    failures: str | float | None = None,
    repeats: int | None = None,
    cost_ratio: float | None = None,
) -> Plan:
    """How many trials put a statistic within a half-width or detect a difference; or what `n_trials` of them do.

    Parameters
    ----------
    what : {"band", "quantile", "mean", "cvar", "improvement", "difference"}, or what `ogive.read` takes
        What is to be known. A table is a pilot: for the difference of its two methods, or, with
        `half_width` or `mass`, for the mean of one.
    half_width, difference : float
        How close an interval should come; which difference should be detected.
    n_trials : int
        Instead of these: what does this number achieve?
    p : float
        The level of a quantile; or the probability of improvement to be detected (0.65 where not given).
    mass, tail : float, {"lower", "upper"}
        The share of outcomes at one end whose mean is meant.
    bounds : pair of float
        For mean and cvar without a pilot: the range of the score. The plan then holds for every distribution.
    confidence, power : float
        Of the interval; of the test.
    method : {"exact", "ks", "dkw"}
        The band: `exact` for a band, `dkw` for the worst case of mean and cvar, unless said.
    one_sided, solve : bool
        A bound on one side only; compute the local level of the exact band instead of the table.
    margin, claim : float, {"better", "not worse", "equivalent"}
        "better" (the default) plans for a true `difference` to be seen as larger than the margin;
        "not worse" and "equivalent" plan for equal methods to be seen as such within the margin.
    paired, share : bool, float
        Whether both methods run on the same draws; the share of trials that one method gets if not.
    sd : float or pair of float
        A spread, instead of a pilot. For an improvement without pairs: the spreads of both methods where they differ.
    pilot : array-like, Trials, or what `ogive.read` takes
        Scores that tell the spread of the trials to come: its upper limit is planned with, which the true
        spread exceeds in one pilot of five.
    a, b, task, metric, failures
        Which methods, task and metric of a pilot table, and how its failed trials count.
    repeats, cost_ratio : int, float
        For a pilot whose rows share a unit: rows for each unit; or what a new unit costs, without its
        rows, over one more row (1 where not given), from which the best number of rows follows.

    Notes
    -----
    Band, quantile and mean or cvar with `bounds` hold for every distribution. What rests on a pilot
    is approximate: for normal scores four plans out of five or more deliver what they state, from
    pilots of any size; cvar from a pilot is heuristic (docs/reference/planning.md). The numbers for a test count only conclusions in the right direction. To look
    several times while trials come in, plan with `confidence=spend(confidence, looks)`.

    Examples
    --------
    >>> print(plan("cvar", mass=0.5, half_width=0.02, bounds=(0, 1)))
    18,445 trials put the mean of the smallest or largest 50 % within ±0.02 with 95 % confidence, for every distribution on [0, 1] (dkw band, guaranteed).
    >>> plan("improvement", p=0.65).n_trials
    117
    """
    given: dict[str, Any] = {
        "half_width": half_width, "difference": difference, "p": p, "mass": mass, "tail": tail, "bounds": bounds,
        "method": method, "one_sided": one_sided, "solve": solve, "margin": margin, "claim": claim, "paired": paired,
        "share": share, "sd": sd, "pilot": pilot, "a": a, "b": b, "task": task, "metric": metric, "failures": failures,
        "repeats": repeats, "cost_ratio": cost_ratio,
    }  # fmt: skip
    options = {name: value for name, value in given.items() if value is not None}
    name = _named(what, options)
    for option in options:
        if option not in TAKES[name]:
            others = [repr(other) for other in TAKES if option in TAKES[other]]
            raise InputError(
                f"`{option}` has no meaning in a plan for {name!r}; plans for {listed(others)} take it. Leave it out, as in "
                f"{either(*EXAMPLES[name])}."
            )
    options |= {"confidence": confidence, "power": power, "n_trials": n_trials}
    return _QUESTIONS[name](options)


def _named(what: Source, options: dict[str, Any]) -> str:
    """The question's name; a table becomes the pilot."""
    if isinstance(what, str) and what in TAKES:
        return what
    # A word without a dot or a folder that is no file either: a question's name, mistyped.
    if isinstance(what, str) and not Path(what).suffix and len(Path(what).parts) < 2 and not os.path.exists(what):
        raise InputError(f"`what` must be one of {', '.join(TAKES)}, or a table; got {what!r}.")
    if "pilot" in options:
        raise InputError("`pilot` is the table itself when a plan begins with one; leave it out.")
    options["pilot"] = as_trials(what)
    if options.keys() & {"mass", "tail"}:
        return "cvar"
    return "mean" if "half_width" in options else "difference"


def _settle(question: Question, target: float | None, options: Mapping[str, Any], source: str = "") -> Plan:
    """The plan; a target and a number of trials exclude each other."""
    n_trials = options["n_trials"]
    if (target is None) == (n_trials is None):
        wanted = "p" if question.what == "improvement" else question.asks
        raise InputError(
            f"a plan for {question.what!r} needs either `{wanted}` or `n_trials`; got {'neither' if target is None else 'both'}."
        )
    found = replace(plan_trials(question, target, n_trials=n_trials), source=source)
    if math.isfinite(found.achieved_width):
        return found
    enough = counted(_first_that_speaks(question, found.n_trials), question.unit)
    return replace(found, notes=(*found.notes, f"it takes at least {enough}"))


def _first_that_speaks(question: Question, low: int) -> int:
    """The fewest trials with a width at all, above a number that has none."""
    high = max(question.fewest, 2 * low)
    while not math.isfinite(achieved(question, high)):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if math.isfinite(achieved(question, middle)) else (middle, high)
    return high


def _band(options: Mapping[str, Any]) -> Plan:
    question = BandPrecision(**_only(options, "confidence", "method", "one_sided", "solve"))
    found = _settle(question, options.get("half_width"), options)
    if question.method != "exact" or found.target is None:
        return found
    fewer = trials_for(replace(question, method="dkw"), found.target)
    note = f"the dkw band needs {fewer:,}: it is tighter in the middle and wider in the tails"
    return replace(found, notes=(*found.notes, note)) if fewer < found.n_trials else found


def _quantile(options: Mapping[str, Any]) -> Plan:
    if "p" not in options:
        raise InputError("`p` must be given in a plan for a quantile; write p=0.5 for the median.")
    return _settle(QuantilePrecision(**_only(options, "p", "confidence")), options.get("half_width"), options)


def _mean(options: Mapping[str, Any]) -> Plan:
    ways = [way for way in ("bounds", "pilot", "sd") if way in options]
    if len(ways) != 1:
        got = " and ".join(ways) if ways else "none of them"
        known = "`bounds` or `pilot`" if "mass" in options else "`bounds`, `pilot` or `sd`"
        what = "cvar" if "mass" in options else "a mean"
        raise InputError(f"a plan for {what} needs one of {known}; got {got}.")
    target = options.get("half_width")
    if ways == ["bounds"]:
        settings = _only(options, "bounds", "mass", "confidence", "method", "one_sided", "solve")
        return _settle(WorstCasePrecision(**settings), target, options)
    for option in ("method", "one_sided", "solve"):
        if option in options:
            raise InputError(f"`{option}` chooses a band, which a plan from a pilot does not use; leave it out.")
    if ways == ["sd"]:
        return _settle(PilotPrecision(**_only(options, "sd", "confidence")), target, options)
    pilot = pilot_of(options["pilot"], **_only(options, "a", "task", "metric", "failures"))
    return _settle(_mean_from_pilot(pilot, options), target, options, pilot.source)


def _mean_from_pilot(pilot: Pilot, options: Mapping[str, Any]) -> Question:
    if pilot.clusters is None:
        for option in ("repeats", "cost_ratio"):
            if option in options:
                raise InputError(
                    f"`{option}` needs a pilot whose rows share a unit; in this one every row stands alone."
                )
        known = {"tail": pilot.worst_tail} | _only(options, "mass", "tail", "confidence")
        return PilotPrecision.from_scores(pilot.scores, **known)
    if "mass" in options:
        raise InputError(
            f"the tail's mean cannot be planned from rows that share a unit ({pilot.unit}); plan it with `bounds`, or plan the mean."
        )
    return TwoLevelPrecision.from_pilot(
        pilot.scores, pilot.clusters, unit_word=pilot.unit, **_only(options, "repeats", "cost_ratio", "confidence")
    )


def _cvar(options: Mapping[str, Any]) -> Plan:
    if "mass" not in options:
        raise InputError(
            "`mass` must be given in a plan for cvar; write mass=0.1 for the mean of a tenth of the outcomes."
        )
    return _mean({**options, "mass": as_mass(options["mass"])})


def _improvement(options: Mapping[str, Any]) -> Plan:
    if "p" in options and "difference" in options:
        raise InputError("a plan for an improvement takes `p` or `difference` (its distance from 1/2); got both.")
    target = options.get("difference")
    notes: tuple[str, ...] = ()
    if "p" in options:
        p = as_count(options["p"], "p")
        if not 0.0 < p < 1.0 or p == 0.5:
            raise InputError(f"`p`, the probability of improvement, must lie in (0, 1) and not be 1/2; got {p:g}.")
        target = abs(p - 0.5)
    elif target is None and options["n_trials"] is None:
        target = OF_INTEREST - 0.5
        notes = (f"nobody said which probability is to be detected, so {OF_INTEREST:g} is taken",)
    known = _only(options, "confidence", "power", "paired", "share")
    if "sd" in options:
        sd = options["sd"]
        known["sd"] = tuple(sd) if isinstance(sd, (tuple, list)) else (sd, sd)
    found = _settle(ImprovementTest(**known), target, options)
    return replace(found, notes=(*found.notes, *notes))


def _difference(options: Mapping[str, Any]) -> Plan:
    if ("sd" in options) == ("pilot" in options):
        got = "both" if "sd" in options else "neither"
        raise InputError(f"a plan for a difference needs either `sd` or `pilot` (a table with two methods); got {got}.")
    known = _only(options, "confidence", "power")
    source = ""
    notes: tuple[str, ...] = ()
    if "sd" in options:
        paired = options.get("paired", False)
        sd = options["sd"]
        spreads = tuple(sd) if isinstance(sd, (tuple, list)) else (sd,) if paired else (sd, sd)
        known |= {"sd": spreads, "paired": paired}
    else:
        spread = spread_of_difference(
            options["pilot"], **_only(options, "a", "b", "task", "metric", "failures", "paired")
        )
        known |= {
            "sd": spread.limits, "paired": spread.paired, "n_pilot": spread.n, "sd_pilot": spread.sd, "assurance": ASSURANCE
        }  # fmt: skip
        source, notes = spread.source, spread.notes
    question, target = _test(known, options)
    found = _settle(question, target, options, source)
    return replace(found, notes=(*found.notes, *notes))


def _test(known: dict[str, Any], options: Mapping[str, Any]) -> tuple[Question, float | None]:
    """The claim as a test, and the difference or margin planned for."""
    claim, margin, difference = options.get("claim", "better"), options.get("margin"), options.get("difference")
    if claim == "better":
        if difference is None and margin and options["n_trials"] is None:
            raise InputError(
                "`margin` alone is not a plan: add `difference`, or say claim='equivalent' or 'not worse'."
            )
        if difference is not None and not difference > (margin or 0.0):
            raise InputError(
                f"`difference` must be larger than the margin {margin or 0.0:g} to be seen as such; got {difference:g}."
            )
        return DifferenceTest(**known, margin=margin or 0.0), difference
    if difference is not None:
        raise InputError(f"claim {claim!r} plans for equal methods and takes `margin`; leave out `difference`.")
    if margin is None and options["n_trials"] is None:
        raise InputError(f"claim {claim!r} needs either `margin` or `n_trials`; got neither.")
    return DifferenceTest(**known, claim_of=claim), margin


def _only(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: options[name] for name in names if name in options}


_QUESTIONS: Mapping[str, Callable[[Mapping[str, Any]], Plan]] = {
    "band": _band,
    "quantile": _quantile,
    "mean": _mean,
    "cvar": _cvar,
    "improvement": _improvement,
    "difference": _difference,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """Scores of one method, their units where rows share one, and the tail that is bad."""

    scores: FloatArray
    clusters: IntArray | None = None
    unit: str = "cluster"
    worst_tail: str | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The standard deviation of the differences of pairs, or of both methods' scores.

    `sizes` are the numbers of scores behind each, `n` the smallest; `limits` what the true ones stay below with the
    assurance of a plan.
    """

    sd: tuple[float, ...]
    limits: tuple[float, ...]
    paired: bool
    sizes: tuple[int, ...]
    source: str
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The fewest scores."""
        return min(self.sizes)


def pilot_of(
    pilot: Source,
    *,
    a: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    failures: str | float = "refuse",
) -> Pilot:
    """The scores of one method on one task of a table, or plain scores."""
    if _is_plain(pilot):
        for name, value in (("a", a), ("task", task), ("metric", metric)):
            if value is not None:
                raise InputError(f"`{name}` chooses from a pilot table; this pilot is a list of scores. Leave it out.")
        return Pilot(scores=as_scores(cast(ArrayLike, pilot), name="pilot", at_least=2))
    pilot = _table_of(pilot)
    name = pilot.metrics[0] if metric is None else metric
    if a is None and len(pilot.algorithms) > 1:
        raise InputError(f"`a` must name one of the {_methods(pilot)}.")
    scores, rows = _finite_scores(pilot, a, task, name, failures)
    clusters = pilot.clusters(rows)
    if clusters is not None and np.unique(clusters).size == clusters.size:
        clusters = None
    return Pilot(
        scores=scores, clusters=clusters, unit=pilot.unit or "cluster", source=pilot.source,
        worst_tail=pilot.definitions[name].worst_tail,
    )  # fmt: skip


def spread_of_difference(
    pilot: Source, *, a: str | None = None, b: str | None = None, task: str | None = None, metric: str | None = None,
    failures: str | float = "refuse", paired: bool | None = None,
) -> Spread:  # fmt: skip
    """The spread of two methods' difference; a table with one method lends its spread to both."""
    if _is_plain(pilot):
        raise InputError("`pilot` of a plan for a difference must be a table; for plain scores give their `sd`.")
    pilot = _table_of(pilot)
    name = pilot.metrics[0] if metric is None else metric
    first, second = _two_methods(pilot, a, b, task)
    samples = [_Sample.of(pilot, method, task, name, failures) for method in (first, second)]
    common = sorted(samples[0].by_draw.keys() & samples[1].by_draw.keys()) if pilot.pair and first != second else []
    if paired is None:
        paired = len(common) >= 2
    if not paired:
        return _spread(pilot, [sample.by_unit for sample in samples], False)
    if len(common) < 2:
        raise InputError(
            f"`paired` needs a column that joins the methods in at least two trials; got {len(common)}. Say pair= when reading, or paired=False."
        )
    differences = np.array([samples[0].by_draw[key] - samples[1].by_draw[key] for key in common])
    return _spread(pilot, [_averages(np.array([unit for unit, _ in common]), differences)], True)


def _is_plain(pilot: Source) -> bool:
    """Whether a pilot is scores alone: a list or an array, and no table with columns."""
    return isinstance(pilot, (list, tuple, Real)) or (hasattr(pilot, "__array__") and not hasattr(pilot, "columns"))


def _table_of(pilot: Source) -> Trials:
    """The table; refused where its rows cannot be counted: it tells nothing about the spread of independent trials."""
    trials = as_trials(pilot)
    if not trials.independent:
        raise InputError(
            "`pilot` must hold trials drawn at random; a grid or an adaptive sampler chose these, so their spread is not that of trials to come."
        )
    if trials.question is not None:
        raise InputError(trials.question)
    if all(cell.rows.size < 2 for cell in trials.cells):
        raise InputError(
            "a plan needs several runs of a method on a task, and this table has one of each, which says nothing about their spread. "
            f"Make a few more runs, or give their standard deviation: {either(*EXAMPLES['difference'])}. How many tasks are enough "
            "follows in the same way, with `paired`, from the standard deviation of two methods' difference over tasks."
        )
    if trials.n_folds is not None:
        raise InputError(
            "`pilot` holds folds of a cross-validation, which share training data: more folds do not narrow an interval. Use fresh splits."
        )
    return trials


def _two_methods(trials: Trials, a: str | None, b: str | None, task: str | None) -> tuple[str, str]:
    names = trials.algorithms
    for method in (a, b):
        if method is not None:
            trials.cell(method, trials.tasks[0])  # refuses a name that is not there
    if a is not None and b is not None:
        return a, b
    if len(names) == 1:
        return names[0], names[0]
    if len(names) > 2:
        on = f", and `task` one of its {len(trials.tasks)} tasks" if task is None and len(trials.tasks) > 1 else ""
        raise InputError(f"`a` and `b` must name two of the {_methods(trials)}{on}.")
    a = a or (names[1] if b == names[0] else names[0])
    return a, b or (names[1] if a == names[0] else names[0])


def _methods(trials: Trials) -> str:
    return f"{len(trials.algorithms)} methods of the pilot: {quoted(trials.algorithms)}"


@dataclass(frozen=True, slots=True)
class _Sample:
    """A method's scores by unit, and by (unit, trial number); the latter is empty where numbers repeat."""

    by_unit: FloatArray
    by_draw: dict[tuple[int, int], float]

    @classmethod
    def of(cls, trials: Trials, algorithm: str, task: str | None, metric: str, failures: str | float) -> _Sample:
        scores, rows = _finite_scores(trials, algorithm, task, metric, failures)
        number = trials.table["trial"].chunk(0).to_numpy()[rows]
        clusters = trials.clusters(rows)
        unit = number if clusters is None else clusters
        by_draw = dict(zip(zip(unit.tolist(), number.tolist(), strict=True), scores.tolist(), strict=True))
        by_unit = scores if clusters is None else _averages(clusters, scores)
        return cls(by_unit, by_draw if len(by_draw) == scores.size else {})


def _averages(units: IntArray, scores: FloatArray) -> FloatArray:
    _, codes = np.unique(units, return_inverse=True)
    return np.bincount(codes, weights=scores) / np.bincount(codes)


def _finite_scores(
    trials: Trials, algorithm: str | None, task: str | None, metric: str, failures: str | float
) -> tuple[FloatArray, IntArray]:
    scores, rows = trials.resolve_failures(trials.cell(algorithm, task), metric, failures)
    if not np.all(np.isfinite(scores)):
        raise InputError(
            "`failures` counts failed trials as worse than every score, and a spread needs numbers; declare bounds= when reading, "
            "or say a number or 'exclude'."
        )
    return as_scores(scores, name="pilot", at_least=2), rows


def _spread(pilot: Trials, samples: list[FloatArray], paired: bool) -> Spread:
    least = min(sample.size for sample in samples)
    if least < 2:
        raise InputError(TOO_FEW.format("pairs" if paired else "units of each method", least))
    spreads = tuple(float(sample.std(ddof=1)) for sample in samples)
    if min(spreads) == 0.0:
        raise InputError("`pilot` shows no spread: its scores (or differences) are equal. Add runs, or say `sd`.")
    notes = (f"one trial is one {pilot.unit}, with as many rows as in the pilot",) if pilot.clustered else ()
    sizes = tuple(sample.size for sample in samples)
    limits = tuple(largest_spread(sd, n) for sd, n in zip(spreads, sizes, strict=True))
    return Spread(sd=spreads, limits=limits, paired=paired, sizes=sizes, source=pilot.source, notes=notes)
