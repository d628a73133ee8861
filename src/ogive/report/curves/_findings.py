"""Which results answer which question of learning curves: who leads where, what it stands on, what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ogive.errors import InputError
from ogive.report._judgment import attempt
from ogive.words import plural, printable, share

if TYPE_CHECKING:
    from ogive.curves import Disagreements, Leaders, LearningCurves, NormalityCurves, StatisticCurves

BEYOND = 0.05  # share of runs that is called the worst, or the best
MOST_MODELS = 4  # that get a panel of distributions each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveFindings:
    """All that a page says about one metric of learning curves.

    Attributes
    ----------
    curves : LearningCurves
        With this metric alone; missing scores as the rule says.
    statistics : tuple of StatisticCurves
        By the mean, the bad side and the good side.
    leaders : Leaders or None
        None with the reason in `unled`.
    n_missing : int
        Fits without a score, before the rule.
    sensitivity : str
        Whether the first sentence would change if missing scores counted as the worst possible one.
    """

    curves: LearningCurves
    metric: str
    others: tuple[str, ...]
    confidence: float
    rule: str | float | None
    statistics: tuple[StatisticCurves, ...]
    leaders: Leaders | None
    unled: str
    disagreements: Disagreements | None
    normality: NormalityCurves
    sizes: tuple[int, ...]
    missing: dict[str, tuple[int, ...]]
    n_missing: int
    sensitivity: str

    @property
    def opening(self) -> str:
        """The first sentence: what there is, and how much of it is missing."""
        c = self.curves
        first, last = int(c.sizes[0]), int(c.sizes[-1])
        where = f"n = {first}" if first == last else f"{c.sizes.size} training-set sizes from n = {first} to {last}"
        text = f"{plural(len(c.models), 'model')} at {where}, {plural(c.n_repetitions, 'repetition')} of each, on these {c.n_rows} rows"
        total = c.values.size
        if not self.n_missing:
            return f"{text}; every fit has a score."
        counted = "count as gaps" if self.rule is None else f"count as {self.rule_words}"
        return (
            f"{text}; {self.n_missing} of {total} fits have no score ({share(self.n_missing / total)}) and {counted}."
        )

    @property
    def rule_words(self) -> str:
        """How missing scores count, where they do."""
        worst = self.curves.definitions[self.metric].worst
        return f"{worst:g}, the worst possible score" if self.rule == "worst" else f"{self.rule}"


def find(
    curves: LearningCurves, *, metric: str | None, confidence: float, failures: str | float | None, sizes: Sequence[int] | None
) -> CurveFindings:  # fmt: skip
    """Ask every question that the curves can answer; refusals become sentences."""
    name = curves.metric_name(metric)
    chosen = _chosen(curves, sizes)
    gaps = only(curves, name)
    absent = np.asarray(np.isnan(gaps.values[:, 0]).any(axis=2))
    missing = {
        m: tuple(gaps.sizes[row].tolist()) for m, row in zip(gaps.models, absent, strict=True) if row.any()
    }  # fmt: skip
    rule = _rule(failures)
    one = gaps if rule is None or not missing else gaps.with_failures(rule)
    bad, good = one.definitions[name].worst_first(BEYOND, 1.0 - BEYOND)
    leaders, unled = attempt(lambda: one.leaders(name, share=BEYOND, confidence=confidence))
    disagreements, _ = attempt(lambda: one.disagreements(name))
    return CurveFindings(
        curves=one, metric=name, others=tuple(m for m in curves.metrics if m != name), confidence=confidence, rule=rule,
        statistics=tuple(one.statistic(s, name, confidence=confidence) for s in ("mean", bad, good)),
        leaders=leaders, unled=unled, disagreements=disagreements, normality=one.normality(name), sizes=chosen,
        missing=missing, n_missing=int(np.isnan(gaps.values).sum()),
        sensitivity=_sensitivity(gaps, leaders, confidence) if missing and rule is None else "",
    )  # fmt: skip


def only(curves: LearningCurves, metric: str) -> LearningCurves:
    """The curves of one metric."""
    place = curves.metrics.index(metric)
    return replace(curves, values=curves.values[:, [place]], definitions={metric: curves.definitions[metric]})


def _chosen(curves: LearningCurves, sizes: Sequence[int] | None) -> tuple[int, ...]:
    """Sizes at which distributions are drawn."""
    if sizes is not None:
        return tuple(int(curves.sizes[curves.size_place(int(size))]) for size in sorted(set(sizes)))
    most = 5 if len(curves.models) <= MOST_MODELS else 3
    places = np.unique(np.round(np.linspace(0, curves.sizes.size - 1, min(most, curves.sizes.size))).astype(int))
    return tuple(curves.sizes[places].tolist())


def _rule(failures: str | float | None) -> str | float | None:
    if failures is None or failures == "worst":
        return failures
    try:
        return float(failures)
    except (TypeError, ValueError):
        raise InputError(
            f"`failures` must be 'worst' or a number for learning curves, or left out; got {failures!r}."
        ) from None


def _sensitivity(gaps: LearningCurves, leaders: Leaders | None, confidence: float) -> str:
    """Whether the sentence about the largest size would change if missing scores were the worst possible ones."""
    if leaders is None:
        return ""
    counted, _ = attempt(lambda: gaps.with_failures("worst").leaders(share=BEYOND, confidence=confidence))
    if counted is None:
        return f"Whether missing scores matter cannot be told: {printable(leaders.metric)} has no worst possible score (say failures= with a number)."
    if counted.sentences[0] == leaders.sentences[0]:
        return "If missing scores counted as the worst possible one, the sentence about the largest size would stay as it is."
    return f"If missing scores counted as the worst possible one, the first sentence would read: {counted.sentences[0]}"
