"""What a pilot knows about spread: of one method's scores, or of the difference of two methods."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import as_scores
from ogive.errors import InputError
from ogive.reading import Source, as_trials
from ogive.statistics.planning import largest_spread
from ogive.trials import FloatArray, IntArray, Trials

TOO_FEW = "`pilot` must hold at least two {} to know a spread; got {}."


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
    pilot = as_trials(pilot)
    refuse_as_pilot(pilot)
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
    pilot = as_trials(pilot)
    refuse_as_pilot(pilot)
    name = pilot.metrics[0] if metric is None else metric
    first, second = _two_methods(pilot, a, b)
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


def refuse_as_pilot(trials: Trials) -> None:
    """A table whose rows cannot be counted tells nothing about the spread of independent trials."""
    if not trials.independent:
        raise InputError(
            "`pilot` must hold trials drawn at random; a grid or an adaptive sampler chose these, so their spread is not that of trials to come."
        )
    if trials.question is not None:
        raise InputError(trials.question)
    if trials.n_folds is not None:
        raise InputError(
            "`pilot` holds folds of a cross-validation, which share training data: more folds do not narrow an interval. Use fresh splits."
        )


def _two_methods(trials: Trials, a: str | None, b: str | None) -> tuple[str, str]:
    names = trials.algorithms
    for method in (a, b):
        if method is not None:
            trials.cell(method, trials.tasks[0])  # refuses a name that is not there
    if a is not None and b is not None:
        return a, b
    if len(names) == 1:
        return names[0], names[0]
    if len(names) > 2:
        raise InputError(f"`a` and `b` must name two of the {_methods(trials)}.")
    if a is None:
        a = names[0] if b is None or b == names[1] else names[1]
    return a, b or (names[1] if a == names[0] else names[0])


def _methods(trials: Trials) -> str:
    names, most = trials.algorithms, 8
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{len(names)} methods of the pilot: {', '.join(map(repr, names[:most]))}{more}"


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
    if max(spreads) == 0.0 or min(spreads) == 0.0:
        raise InputError("`pilot` shows no spread: its scores (or differences) are equal. Add runs, or say `sd`.")
    notes = (f"one trial is one {pilot.unit}, with as many rows as in the pilot",) if pilot.clustered else ()
    sizes = tuple(sample.size for sample in samples)
    limits = tuple(largest_spread(sd, n) for sd, n in zip(spreads, sizes, strict=True))
    return Spread(sd=spreads, limits=limits, paired=paired, sizes=sizes, source=pilot.source, notes=notes)
