"""Is A better than B? One primary statistic, one interval, one conclusion; the rest is description."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ogive.answers._joining import Duel, join
from ogive.answers._overall import Overall, across_tasks
from ogive.answers._statistic import Statistic
from ogive.answers._verdict import Conclusion, rule
from ogive.answers._wording import Circumstances, overall_sentence, verdict_sentence
from ogive.errors import InputError
from ogive.statistics import Interval, violation_ratio
from ogive.statistics._arguments import as_confidence
from ogive.statistics._comparison import (
    independent_improvement,
    mcnemar,
    mean_difference,
    paired_improvement,
    proportion_difference,
    quantile_difference,
    tail_mean_difference,
)
from ogive.statistics._dominance import dominance
from ogive.statistics._interval import json_ready
from ogive.statistics._planning import achieved, trials_for
from ogive.statistics._power import DifferenceTest, ImprovementTest
from ogive.trials import Trials

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
WORST = 0.1
POWER = 0.8
SMALLEST_IMPROVEMENT = 0.65


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison:
    """Two methods on one task. Differences are positive where `a` is better.

    Attributes
    ----------
    conclusion : str
        better, not worse, equivalent, worse, or cannot tell: of `a`, read off `primary` alone.
    verdict : str
        A sentence to paste.
    primary : Interval
        Of `statistic`, at the family's confidence.
    probability_of_improvement, mean_difference, cvar_difference : Interval
        At the stated confidence, as description; `cvar_difference` is of the worst 10 %.
    other_improvement : Interval or None
        For pairs: how often a fresh run of `a` beats a fresh one of `b`, which is another question.
    quantile_differences : dict
        By level, worst to best.
    dominance : list of (p_low, p_high, who)
        Levels, worst to best, at which one method is certainly better.
    crossings : list of (low, high)
        Ranges of scores within which the distributions certainly cross.
    violation_ratio : float
        Of almost stochastic order, by samples: 0 where `a` is nowhere below `b`, 1/2 where they are
        equal; as description (`statistics.almost_dominance` bounds it).
    detectable : float
        The smallest value of the primary statistic that this design detects with 80 % power.
    """

    a: str
    b: str
    task: str
    metric: str
    conclusion: Conclusion
    verdict: str
    statistic: str
    primary: Interval
    margin: float | None
    paired: bool
    n: int
    family_size: int
    probability_of_improvement: Interval
    other_improvement: Interval | None
    mean_difference: Interval
    quantile_differences: dict[float, Interval]
    cvar_difference: Interval
    dominance: list[tuple[float, float, str]]
    crossings: list[tuple[float, float]]
    violation_ratio: float
    detectable: float
    mcnemar_p: float | None = None

    def __repr__(self) -> str:
        return f"Comparison({self.a} against {self.b} on {self.task}: {self.conclusion})"

    def __str__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.verdict)}</p>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        plain = (
            "a", "b", "task", "metric", "conclusion", "verdict", "statistic", "margin", "paired", "n", "family_size",
        )  # fmt: skip
        out = json_ready({name: getattr(self, name) for name in (*plain, "violation_ratio", "detectable", "mcnemar_p")})
        for name in ("primary", "probability_of_improvement", "mean_difference", "cvar_difference"):
            out[name] = getattr(self, name).to_dict()
        out["other_improvement"] = None if self.other_improvement is None else self.other_improvement.to_dict()
        out["quantile_differences"] = {f"{p:g}": i.to_dict() for p, i in self.quantile_differences.items()}
        out["dominance"] = [list(r) for r in self.dominance]
        out["crossings"] = [list(r) for r in self.crossings]
        return out


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparisons:
    """Two methods on several tasks, corrected for their number, with one overall sentence."""

    items: tuple[Comparison, ...]
    overall: Overall
    verdict: str
    source: str
    unit: str
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Comparisons({len(self.items)} tasks: {self.verdict})"

    def __str__(self) -> str:
        return "\n".join([self.verdict, "", *(c.verdict for c in self.items)])

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Comparison:
        return self.items[index]

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in (self.verdict, *(c.verdict for c in self.items)))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": list(self.notes), "verdict": self.verdict,
            "overall": self.overall.to_dict(), "rows": [c.to_dict() for c in self.items],
        }  # fmt: skip


def compare(
    trials: Trials,
    a: str,
    b: str,
    *,
    task: str | None = None,
    metric: str | None = None,
    margin: float | None = None,
    statistic: str | None = None,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    paired: bool | None = None,
    family_size: int | None = None,
    looks: int = 1,
    generalise: str | None = None,
    test_share: float | None = None,
) -> Comparison | Comparisons:
    """Whether method `a` is better than `b`, on one task or on each of several.

    Parameters
    ----------
    margin : float, optional
        The smallest difference that matters, in the units of the primary statistic. With it, "not
        worse" and "equivalent" can be concluded.
    statistic : str, optional
        The primary statistic, fixed before looking: "improvement" (default without a margin),
        "mean" (default with one), a quantile such as "median" or "q0.1", or a worst share such as
        "worst_0.1".
    paired : bool, optional
        Whether rows with the same key are joined; by default where the table says that they share draws.
    family_size : int, optional
        How many verdicts are read together; by default the number of tasks.
    looks : int
        How often the growing table will be judged; the error is divided among the looks.
    generalise, test_share : "rows", float, optional
        For random splits of the same rows, paired: with generalise="rows" and test_share = n_test /
        n_train the interval of the mean speaks of new data (Nadeau and Bengio), heuristically,
        instead of these rows. More splits of the same rows make the plain interval sure of
        differences that new data would not show (docs/reference/verdicts.md).

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8, 9, 8, 7], "b": [1, 2, 3, 2, 1, 2, 3]}, unit="row")
    >>> compare(trials, "a", "b").conclusion
    'better'
    """
    refuse_undecidable(trials)
    if a == b:
        raise InputError(f"`a` and `b` must differ; got {a!r} twice.")
    if (generalise is None) != (test_share is None) or generalise not in (None, "rows"):
        raise InputError("`generalise` must be 'rows', together with test_share = n_test / n_train of the splits.")
    if looks < 1 or (family_size is not None and family_size < 1):
        raise InputError("`looks` and `family_size` must be at least 1.")
    name = trials.metric_name(metric)
    shared = [task] if task is not None else _shared_tasks(trials, a, b)
    design = _Design(
        statistic=_primary_name(statistic, margin, folds=trials.n_folds is not None), margin=_as_margin(margin), confidence=as_confidence(confidence),
        family=(family_size or len(shared)) * looks, looks=looks, test_share=test_share,
    )  # fmt: skip
    found = [_compare_on(trials, a, b, t, name, design, failures, paired) for t in shared]
    if len(found) == 1:
        return found[0]
    duels = [join(trials, a, b, t, name, failures, paired) for t in shared]
    overall = across_tasks([d.by_unit() for d in duels], shared, design.confidence)
    around = Circumstances.of(trials, name, new_data=generalise is not None)
    return Comparisons(
        items=tuple(found), overall=overall, verdict=overall_sentence(a, b, overall, found, around), source=trials.source,
        unit=around.unit, notes=trials.notes,
    )  # fmt: skip


def refuse_undecidable(trials: Trials) -> None:
    """Refuse a table on which no verdict may be given."""
    if trials.question is not None:
        raise InputError(trials.question)
    if not trials.independent:
        raise InputError(
            "a grid or an adaptive sampler chose these trials, or may have, so no verdict is given; "
            "say independent=True if they were drawn at random."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Design:
    """What was fixed before looking."""

    statistic: str
    margin: float | None
    confidence: float
    family: int
    looks: int
    test_share: float | None

    @property
    def family_confidence(self) -> float:
        return 1.0 - (1.0 - self.confidence) / self.family


def _compare_on(
    trials: Trials, a: str, b: str, task: str, metric: str, design: _Design, failures: str | float, paired: bool | None
) -> Comparison:
    duel = join(trials, a, b, task, metric, failures, paired)
    if trials.n_folds is not None and not duel.paired:
        raise InputError(
            "folds are compared on the same splits: name the column that joins them with pair= when reading."
        )
    primary = _primary(duel, trials, design, design.family_confidence)
    if trials.n_folds is not None:
        primary = replace(primary, guarantee="heuristic", assumptions=("folds share training data",))
    centre = 0.5 if design.statistic == "improvement" else 0.0
    ruling = rule(primary.low - centre, primary.high - centre, design.margin)
    levels = dominance(duel.a, duel.b, confidence=design.confidence) if duel.clusters is None else None
    names, (x, y) = {"a": a, "b": b}, duel.by_unit()
    crossings = [] if levels is None else [_ordered(duel.sign * u, duel.sign * v) for u, v in levels.crossings]
    binary = duel.paired and duel.clusters is None and bool(np.isin(np.append(duel.a, duel.b), (0.0, 1.0)).all())
    found = Comparison(
        a=a, b=b, task=task, metric=metric, conclusion=ruling.conclusion, verdict="", statistic=design.statistic,
        primary=primary, margin=design.margin, paired=duel.paired, n=duel.n_units, family_size=design.family,
        probability_of_improvement=_improvement(duel, design.confidence),
        other_improvement=independent_improvement(x, y, confidence=design.confidence) if duel.paired else None,
        mean_difference=_mean(duel, trials, design, design.confidence),
        quantile_differences={p: quantile_difference(x, y, p, confidence=design.confidence) for p in LEVELS},
        cvar_difference=tail_mean_difference(
            x, y, mass=WORST, tail="lower", paired=duel.paired, confidence=design.confidence
        ),
        dominance=[] if levels is None else [(p, q, names[who]) for p, q, who in levels.ranges],
        crossings=crossings, violation_ratio=violation_ratio(x, y), detectable=_detectable(duel, primary, design),
        mcnemar_p=mcnemar(duel.a, duel.b) if binary else None,
    )  # fmt: skip
    around = Circumstances.of(trials, metric, task, new_data=design.test_share is not None)
    needed = _needed(duel, design) if ruling.conclusion == "cannot tell" else None
    return replace(found, verdict=verdict_sentence(found, ruling, duel, around, needed, design.looks))


def _primary(duel: Duel, trials: Trials, design: _Design, confidence: float) -> Interval:
    if design.statistic == "improvement":
        return _improvement(duel, confidence)
    if design.statistic == "mean":
        return _mean(duel, trials, design, confidence)
    if duel.clusters is not None:
        raise InputError("rows that share a unit are compared by improvement or mean; leave statistic= out.")
    statistic = Statistic.parse(design.statistic)
    if statistic.kind == "q":
        return quantile_difference(duel.a, duel.b, statistic.amount, confidence=confidence)
    return tail_mean_difference(
        duel.a, duel.b, mass=statistic.amount, tail="lower", paired=duel.paired, confidence=confidence
    )


def _improvement(duel: Duel, confidence: float) -> Interval:
    if duel.paired:
        return paired_improvement(duel.a, duel.b, confidence=confidence, clusters=duel.clusters)
    return independent_improvement(duel.a, duel.b, confidence=confidence)


def _mean(duel: Duel, trials: Trials, design: _Design, confidence: float) -> Interval:
    if not duel.paired:
        return mean_difference(duel.a, duel.b, paired=False, confidence=confidence)
    if duel.clusters is None and bool(np.isin(np.append(duel.a, duel.b), (0.0, 1.0)).all()):
        return proportion_difference(duel.a, duel.b, confidence=confidence)
    share = design.test_share or (None if trials.n_folds is None else 1.0 / max(1, trials.n_folds - 1))
    return mean_difference(duel.a, duel.b, paired=True, confidence=confidence, clusters=duel.clusters, test_share=share)


def _detectable(duel: Duel, primary: Interval, design: _Design) -> float:
    """The smallest value of the primary statistic seen with 80 % power by this many units."""
    from scipy.special import ndtri

    if design.statistic == "improvement":
        question = ImprovementTest(
            confidence=design.family_confidence,
            power=POWER,
            paired=duel.paired,
            share=duel.a.size / (duel.a.size + duel.b.size),
        )
        return min(1.0, 0.5 + achieved(question, duel.n_units))
    # The interval's half-width is z standard errors; power asks for z_power more, beyond the margin.
    half = (primary.high - primary.low) / 2.0
    z = float(ndtri(0.5 + design.family_confidence / 2.0))
    return (design.margin or 0.0) + half * (1.0 + float(ndtri(POWER)) / z)


def _needed(duel: Duel, design: _Design) -> tuple[int, float] | None:
    """Units in all for the smallest effect of interest, which is stated, never the observed one."""
    if design.statistic == "improvement":
        question = ImprovementTest(confidence=design.family_confidence, power=POWER, paired=duel.paired)
        return trials_for(question, SMALLEST_IMPROVEMENT - 0.5), SMALLEST_IMPROVEMENT
    if design.statistic != "mean" or design.margin is None or min(duel.a.size, duel.b.size) < 2:
        return None
    spread = (
        (float(np.std(duel.a - duel.b, ddof=1)),)
        if duel.paired
        else (float(duel.a.std(ddof=1)), float(duel.b.std(ddof=1)))
    )
    if min(spread) <= 0.0 or not all(math.isfinite(s) for s in spread):
        return None
    test = DifferenceTest(
        sd=spread, paired=duel.paired, confidence=design.family_confidence, power=POWER, claim_of="not worse"
    )
    return trials_for(test, design.margin), design.margin


def _ordered(x: float, y: float) -> tuple[float, float]:
    return (x, y) if x <= y else (y, x)


def _shared_tasks(trials: Trials, a: str, b: str) -> list[str]:
    for name in (a, b):
        if name not in trials.algorithms:
            trials.cell(name, trials.tasks[0])  # refuses with the names there are
    on = {name: {c.task for c in trials.cells if c.algorithm == name} for name in (a, b)}
    shared = [t for t in trials.tasks if t in on[a] and t in on[b]]
    if not shared:
        raise InputError(f"{a!r} and {b!r} share no task; there is nothing to compare.")
    return shared


def _primary_name(statistic: str | None, margin: float | None, *, folds: bool) -> str:
    if statistic is None:
        # Only the mean has an interval that is corrected for folds that share training data.
        return "improvement" if margin is None and not folds else "mean"
    if statistic in ("improvement", "mean"):
        return statistic
    if Statistic.parse(statistic).kind not in ("q", "worst"):
        raise InputError(
            f"`statistic` must be improvement, mean, a quantile (median, q0.1) or a worst share (worst_0.1); got {statistic!r}."
        )
    return statistic


def _as_margin(margin: float | None) -> float | None:
    if margin is not None and not (margin > 0.0 and math.isfinite(margin)):
        raise InputError(f"`margin` is the smallest difference that matters and must be positive; got {margin!r}.")
    return margin
