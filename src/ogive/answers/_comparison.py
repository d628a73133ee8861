"""Is A better than B? One primary statistic, one interval, one conclusion; the rest is description."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ogive.answers._joining import Duel, join, require_values
from ogive.answers._outcome import Comparison, Comparisons
from ogive.answers._overall import across_tasks
from ogive.answers._statistic import Statistic
from ogive.answers._verdict import rule
from ogive.answers._wording import Circumstances, overall_sentence, verdict_sentence
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.statistics import Interval, dominance, violation_ratio
from ogive.statistics._comparison import (
    independent_improvement,
    mcnemar,
    mean_difference,
    paired_improvement,
    proportion_difference,
    quantile_difference,
    tail_mean_difference,
)
from ogive.statistics._planning import achieved, trials_for
from ogive.statistics._power import DifferenceTest, ImprovementTest
from ogive.trials import Trials, require_trials
from ogive.words import plural

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
WORST = 0.1
POWER = 0.8
SMALLEST_IMPROVEMENT = 0.65


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
    refuse_undecidable(trials, "compare")
    if a == b:
        raise InputError(f"`a` and `b` must differ; got {a!r} twice.")
    _refuse_generalising(generalise, test_share, statistic)
    if looks < 1 or (family_size is not None and family_size < 1):
        raise InputError("`looks` and `family_size` must be at least 1.")
    name = trials.metric_name(metric)
    shared = [task] if task is not None else _shared_tasks(trials, a, b)
    design = _Design(
        statistic=_primary_name(statistic, margin, corrected=trials.n_folds is not None or generalise is not None),
        margin=margin, confidence=as_confidence(confidence), family=(family_size or len(shared)) * looks, looks=looks,
        test_share=test_share if trials.n_folds is None or test_share is not None else 1.0 / max(1, trials.n_folds - 1),
    )  # fmt: skip
    _refuse_margin(design)
    duels = [join(trials, a, b, t, name, failures, paired) for t in shared]
    new_data = generalise is not None
    found = [
        _compare_on(trials, a, b, duel, design, Circumstances.of(trials, name, t, failures, new_data=new_data))
        for t, duel in zip(shared, duels, strict=True)
    ]
    if len(found) == 1:
        return found[0]
    corrected = design.test_share is not None  # splits that share rows are no independent runs
    overall = across_tasks(
        [d.by_unit() for d in duels], shared, 1.0 - (1.0 - design.confidence) / looks, by_task=corrected,
        order_only=any(d.order_only for d in duels),
    )  # fmt: skip
    around = Circumstances.of(trials, name, None, failures, new_data=new_data)
    known = _why_tasks(corrected), _left_out(trials, a, b, shared)
    return Comparisons(
        items=tuple(found), overall=overall, verdict=overall_sentence(a, b, overall, found, around, looks, known), source=trials.source,
        unit=around.unit, notes=trials.notes,
    )  # fmt: skip


def _why_tasks(corrected: bool) -> str:
    if corrected:
        return "splits that share rows are no independent runs, so tasks are counted"
    return "some methods have a single run on a task, so runs cannot be compared"


def _left_out(trials: Trials, a: str, b: str, shared: list[str]) -> str:
    alone = {c.task for c in trials.cells if c.algorithm in (a, b)} - set(shared)
    return f"; {plural(len(alone), 'task')} of only one of them left out" if alone else ""


def _refuse_generalising(generalise: str | None, test_share: float | None, statistic: str | None) -> None:
    if (generalise is None) != (test_share is None) or generalise not in (None, "rows"):
        raise InputError("`generalise` must be 'rows', together with test_share = n_test / n_train of the splits.")
    if test_share is not None and not (test_share > 0.0 and math.isfinite(test_share)):
        raise InputError(f"`test_share` is n_test / n_train of the splits and must be positive; got {test_share!r}.")
    if generalise is not None and statistic not in (None, "mean"):
        raise InputError(f"only the mean can be generalised to new rows; got statistic={statistic!r}.")


def refuse_undecidable(trials: Trials, call: str) -> None:
    """Refuse what is no table, and a table on which no verdict may be given."""
    require_trials(trials, call)
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


def _compare_on(trials: Trials, a: str, b: str, duel: Duel, design: _Design, around: Circumstances) -> Comparison:
    _refuse_design(duel, design)
    primary = _primary(duel, design, design.family_confidence)
    if trials.n_folds is not None:
        primary = replace(primary, guarantee="heuristic", assumptions=("folds share training data",))
    centre = 0.5 if design.statistic == "improvement" else 0.0
    ruling = rule(primary.low - centre, primary.high - centre, design.margin)
    found = Comparison(
        a=a, b=b, task=around.task or "", metric=around.metric, conclusion=ruling.conclusion, verdict="",
        statistic=design.statistic, primary=primary, margin=design.margin, paired=duel.paired, n=duel.n_units,
        family_size=design.family, detectable=_detectable(duel, primary, design), n_failed=duel.n_failed,
        **_description(a, b, duel, design),
    )  # fmt: skip
    needed = _needed(duel, design) if ruling.conclusion == "cannot tell" else None
    return replace(found, verdict=verdict_sentence(found, ruling, duel, around, needed, design.looks))


def _refuse_design(duel: Duel, design: _Design) -> None:
    if design.test_share is not None and not duel.paired:
        raise InputError(
            "splits of the same rows are compared pair by pair: name the column that joins them with pair= when reading."
        )
    if design.statistic != "improvement" or duel.clusters is not None:
        require_values(duel, "mean of a unit" if duel.clusters is not None else design.statistic)


def _description(a: str, b: str, duel: Duel, design: _Design) -> dict[str, Any]:
    """All that is said of a pair beside the verdict, at the stated confidence."""
    level, names, (x, y) = design.confidence, {"a": a, "b": b}, duel.by_unit()
    levels = dominance(duel.a, duel.b, confidence=level) if duel.clusters is None else None
    crossings = [] if levels is None else [_ordered(duel.sign * u, duel.sign * v) for u, v in levels.crossings]
    binary = duel.paired and duel.clusters is None and bool(np.isin(np.append(duel.a, duel.b), (0.0, 1.0)).all())
    if duel.order_only:
        unknown = _unknown(level, duel.n_units)
        values: dict[str, Any] = {
            "mean_difference": unknown, "cvar_difference": unknown, "quantile_differences": {}, "crossings": [],
            "violation_ratio": math.nan,
        }  # fmt: skip
    else:
        values = {
            "mean_difference": _mean(duel, design, level),
            "cvar_difference": tail_mean_difference(
                x, y, mass=WORST, tail="lower", paired=duel.paired, confidence=level
            ),
            "quantile_differences": {p: quantile_difference(x, y, p, confidence=level) for p in LEVELS},
            "crossings": crossings,
            "violation_ratio": violation_ratio(x, y),
        }
    return {
        **values,
        "probability_of_improvement": _improvement(duel, level),
        "other_improvement": independent_improvement(x, y, confidence=level) if duel.paired else None,
        "dominance": [] if levels is None else [(p, q, names[who]) for p, q, who in levels.ranges],
        "mcnemar_p": mcnemar(duel.a, duel.b) if binary else None,
    }


def _unknown(confidence: float, n: int) -> Interval:
    return Interval(
        estimate=math.nan, low=-math.inf, high=math.inf, confidence=confidence, n=n, method="none",
        guarantee="conservative", assumptions=("failures count as worse than every score and have no value",),
    )  # fmt: skip


def _primary(duel: Duel, design: _Design, confidence: float) -> Interval:
    if design.statistic == "improvement":
        return _improvement(duel, confidence)
    if design.statistic == "mean":
        return _mean(duel, design, confidence)
    if duel.clusters is not None:
        raise InputError("rows that share a unit are compared by improvement or mean; leave statistic= out.")
    statistic = Statistic.parse(design.statistic)
    if statistic.kind == "q":
        # Scores of a loss are turned round: its 10 % quantile is the 90 % quantile of what is held here.
        level = statistic.amount if duel.sign > 0.0 else 1.0 - statistic.amount
        return quantile_difference(duel.a, duel.b, level, confidence=confidence)
    return tail_mean_difference(
        duel.a, duel.b, mass=statistic.amount, tail="lower", paired=duel.paired, confidence=confidence
    )


def _improvement(duel: Duel, confidence: float) -> Interval:
    if duel.paired:
        return paired_improvement(duel.a, duel.b, confidence=confidence, clusters=duel.clusters)
    return independent_improvement(duel.a, duel.b, confidence=confidence)


def _mean(duel: Duel, design: _Design, confidence: float) -> Interval:
    if not duel.paired:
        return mean_difference(duel.a, duel.b, paired=False, confidence=confidence)
    share = design.test_share
    if duel.clusters is None and share is None and bool(np.isin(np.append(duel.a, duel.b), (0.0, 1.0)).all()):
        return proportion_difference(duel.a, duel.b, confidence=confidence)
    return mean_difference(duel.a, duel.b, paired=True, confidence=confidence, clusters=duel.clusters, test_share=share)


def _detectable(duel: Duel, primary: Interval, design: _Design) -> float:
    """The smallest value of the primary statistic seen with 80 % power by this many units."""
    from scipy.special import ndtri

    if design.statistic == "improvement" and duel.clusters is None:
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
    seen = (design.margin or 0.0) + half * (1.0 + float(ndtri(POWER)) / z)
    return min(1.0, 0.5 + seen) if design.statistic == "improvement" else seen


def _needed(duel: Duel, design: _Design) -> tuple[int, float] | None:
    """Units in all for the smallest effect of interest, which is stated, never the observed one.

    None where more units do not help for certain: clusters of unknown likeness, splits of the same rows.
    """
    if duel.clusters is not None or design.test_share is not None:
        return None
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


def _primary_name(statistic: str | None, margin: float | None, *, corrected: bool) -> str:
    if statistic is None:
        # Only the mean has an interval that is corrected for splits that share training data.
        return "improvement" if margin is None and not corrected else "mean"
    if statistic in ("improvement", "mean"):
        return statistic
    if Statistic.parse(statistic).kind not in ("q", "worst"):
        raise InputError(
            f"`statistic` must be improvement, mean, a quantile (median, q0.1) or a worst share (worst_0.1); got {statistic!r}."
        )
    return statistic


def _refuse_margin(design: _Design) -> None:
    margin = design.margin
    if margin is not None and not (margin > 0.0 and math.isfinite(margin)):
        raise InputError(f"`margin` is the smallest difference that matters and must be positive; got {margin!r}.")
    if margin is not None and design.statistic == "improvement" and margin >= 0.5:
        raise InputError(
            f"`margin` of a probability of improvement is its distance from 1/2, below 0.5; got {margin:g}."
        )
