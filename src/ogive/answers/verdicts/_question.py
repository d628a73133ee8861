"""The question behind a verdict, made once and passed whole.

`compare`, `rank`, `check`, bold cells, the report and the captions of pictures take the same object with
the same defaults, for two methods as for twenty. What one of them says can then be held against what
another says: same question, same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, argument
from ogive.statistics import Asked, Interval, Over, Statistic
from ogive.trials import Trials, failure_rule
from ogive.words import interval_parts, number, printable

IMPROVEMENT = "improvement"
CRITERIA = "improvement, mean, median, a quantile such as q0.1, a worst share such as worst_0.1, iqm or best_of_8"

# The four questions that are always answered, under these names everywhere.
TYPICAL, AVERAGE, BAD_DAY, TRIES = "a typical run", "on average", "on a bad day", "after 8 tries"
NAMED = {TYPICAL: IMPROVEMENT, AVERAGE: "mean", BAD_DAY: "worst_0.1", TRIES: "best_of_8"}
# Of fewer tasks an interval over other tasks like them rests on two or three degrees of freedom: with three, equal methods are
# told apart in 0.05 of tables, and in 0.036 where nothing can be claimed of these tasks themselves. Folds can speak of these tasks.
# No number of tasks up to ten mends an effect that one task in ten has: 0.13 false of three tasks, 0.28 of ten
# (docs/reference/verdicts.md).
FEWEST_FOR_A_SAMPLE = 5
MOST_COUNTED = 6
# Pairs are listed up to so many methods; `Ranking.pair(a, b)` gives any of them.
MOST_LISTED = 60
WHY = {
    "few runs": "too few runs", "tied": "all pairs are tied", "no values": "failed runs have no value", "folds": "folds say nothing about it",
    "not guaranteed": "no interval is guaranteed for it", "right or wrong": "every score is 0 or 1",
    "items": "rows are items, not tries at one", "no common scale": "tasks share no scale, declare bounds",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfFour:
    """One of the four questions as it was answered; `refused` is a key of `WHY`, or None.

    `failed` holds method, failed runs and runs where bad days have no values: a bad day is then a failed run.
    """

    name: str
    criterion: str
    refused: str | None = None
    primary: bool = False
    failed: tuple[tuple[str, int, int], ...] = ()

    @property
    def title(self) -> str:
        """Its name, and whether it is the one that decides."""
        return f"{self.name} (the verdict)" if self.primary else self.name

    @property
    def why_not(self) -> str:
        """Why there is no answer, in words; empty where there is one."""
        if self.refused is None:
            return ""
        return WHY[self.refused] + (f"; failed: {self.counted}" if self.failed else "")

    @property
    def counted(self) -> str:
        """Failed runs of every method in words, the safest first; empty where bad days have values."""
        ordered = sorted(self.failed, key=lambda f: f[1] / max(f[2], 1))
        said = [f"{printable(method)} {n} of {of}" for method, n, of in ordered[:MOST_COUNTED]]
        more = len(ordered) - MOST_COUNTED
        return ", ".join(said) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class Criterion:
    """What decides: improvement, or a statistic of each method's runs whose difference is taken."""

    name: str
    statistic: Statistic | None

    @classmethod
    def parse(cls, name: str) -> Criterion:
        """The criterion of that name."""
        if name == IMPROVEMENT:
            return cls(name, None)
        if not isinstance(name, str):
            raise InputError(f"`criterion` must be {CRITERIA}; got {name!r}.")
        try:
            found = Statistic.parse(name, argument="criterion", kinds=("mean", "q", "worst", "iqm", "best_of"))
        except InputError:
            raise InputError(f"`criterion` must be {CRITERIA}; got {name!r}.") from None
        return cls(name, found)

    @property
    def even(self) -> float:
        """The value for equal methods."""
        return 0.5 if self.statistic is None else 0.0

    @property
    def named(self) -> str | None:
        """Which of the four questions it answers."""
        return next((name for name, criterion in NAMED.items() if criterion == self.name), None)

    @property
    def needs_values(self) -> bool:
        """Whether scores must be numbers, so that failures need one."""
        return self.statistic is not None and self.statistic.kind in ("mean", "worst", "iqm")

    @property
    def label(self) -> str:
        """What the difference is of, in words."""
        return "probability of improvement" if self.statistic is None else self.statistic.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was fixed before looking.

    Attributes
    ----------
    criterion : Criterion
        What decides.
    margin : float or None
        The smallest difference that matters, in the criterion's units.
    failures : str or float
        How failed runs count.
    confidence, looks : float, int
        How sure, and how often the growing table is judged; the error is divided among the looks.
    paired : bool or None
        Whether rows that share a draw are compared pair by pair; None: where the table says that they do.
    tasks : tuple of str
    over : {"fixed", "sample"}
        Whether the answer speaks of these tasks, or of tasks like these.
    guaranteed : bool
        Only intervals that hold for every distribution.
    test_share : float or None
        n_test / n_train where runs are splits or folds of the same rows.
    new_data : bool
        Whether the answer speaks of new rows like these.
    """

    metric: str
    criterion: Criterion
    margin: float | None
    failures: str | float
    confidence: float
    looks: int
    paired: bool | None
    tasks: tuple[str, ...]
    over: Over
    guaranteed: bool
    test_share: float | None
    new_data: bool

    @classmethod
    def of(
        cls, trials: Trials, *, metric: str | None = None, criterion: str | None = None, margin: float | None = None,
        failures: str | float = "refuse", confidence: float = 0.95, looks: int = 1, paired: bool | None = None,
        tasks: Sequence[str] | None = None, over: str | None = None, guaranteed: bool = False,
        generalize: str | None = None, test_share: float | None = None, methods: Sequence[str] | None = None,
        one_by_one: bool = False,
    ) -> Question:  # fmt: skip
        """The question with its defaults, checked.

        The mean decides where a unit is known to matter to the reader: where both bounds are declared, where every
        score is 0 or 1, or where a margin is given. Elsewhere improvement does, which needs no unit. Folds and
        splits of the same rows have an interval for the mean only. `methods` are those that are asked about, so that no
        other one changes the question; `one_by_one` asks of each task alone.
        """
        name, rule = trials.metric_name(metric), failure_rule(failures)
        refuse_unknown_goal(trials, name)
        chosen = tuple(trials.tasks if tasks is None else tasks)
        _refuse_generalizing(generalize, test_share, criterion)
        if looks < 1:
            raise InputError(f"`looks` must be at least 1; got {looks}.")
        shared_rows = trials.n_folds is not None or generalize is not None
        if criterion is None:
            criterion = "mean" if shared_rows or margin is not None or _has_a_unit(trials, name, rule) else IMPROVEMENT
        decided = Criterion.parse(criterion)
        if test_share is None and trials.n_folds is not None:
            test_share = 1.0 / max(1, trials.n_folds - 1)
        question = cls(
            metric=name, criterion=decided, margin=_margin(margin, decided), failures=rule,
            confidence=as_confidence(confidence), looks=looks, paired=paired, tasks=chosen,
            over=_over(over, trials, methods or trials.algorithms, chosen, shared_rows), guaranteed=guaranteed, test_share=test_share,
            new_data=generalize is not None,
        )  # fmt: skip
        (question.on(chosen[0]) if one_by_one and not question.sampled else question).refuse_impossible(trials)
        return question

    @property
    def error(self) -> float:
        """How often the answer may be wrong, at one look."""
        return (1.0 - self.confidence) / self.looks

    @property
    def sampled(self) -> bool:
        """Whether tasks are a sample, and there are several."""
        return self.over == "sample" and len(self.tasks) > 1

    @property
    def margin_words(self) -> str:
        """`0.02`, or `10 percentage points` of a probability."""
        assert self.margin is not None
        return f"{100 * self.margin:g} percentage points" if self.criterion.name == IMPROVEMENT else f"{self.margin:g}"

    @property
    def score_label(self) -> str:
        """What methods are ordered by."""
        averaged = ", over tasks" if len(self.tasks) > 1 else ""
        return f"{'share of duels won' if self.criterion.name == IMPROVEMENT else self.criterion.label}{averaged}"

    def shown(self, difference: Interval) -> str:
        """A difference by the criterion with its interval, as every table writes it."""
        return shown(difference, self.criterion.name, self.margin)

    def on(self, task: str) -> Question:
        """The same question about one task."""
        return replace(self, tasks=(task,), over="fixed")

    def asking(self, criterion: str) -> Question:
        """The same question by another criterion, without the margin, which has the first one's units."""
        return replace(self, criterion=Criterion.parse(criterion), margin=None)

    def asked(self, trials: Trials) -> Asked:
        """What statistics are asked for."""
        metric, statistic = trials.definitions[self.metric], self.criterion.statistic
        common: dict[str, Any] = {
            "over": self.over if len(self.tasks) > 1 else "fixed", "guaranteed": self.guaranteed,
            "binary": is_right_or_wrong(trials, self.metric),
            "test_share": self.test_share,
        }  # fmt: skip
        if statistic is None:
            return Asked(kind="improvement", **common)
        if statistic.kind in ("mean", "iqm"):
            return Asked(kind="mean" if statistic.kind == "mean" else "iqm", **common)
        if statistic.kind == "worst":
            return Asked(kind="worst", amount=statistic.amount, **common)
        if statistic.kind == "best_of":
            return Asked(kind="q", amount=0.5 ** (1.0 / statistic.amount), **common)
        # Of losses, which are turned round, the 10 % quantile is the 90 % quantile of what is held.
        return Asked(kind="q", amount=metric.level(statistic.amount), **common)

    def refuse_folds(self) -> None:
        """Refuse a criterion for which folds, or splits of the same rows, have no interval.

        Of a sample of tasks each counts by the mean of its folds, which can be averaged and can win.
        """
        possible = ("mean", IMPROVEMENT) if self.sampled else ("mean",)
        if self.test_share is not None and self.criterion.name not in possible:
            raise InputError(
                "folds and splits of the same rows have a corrected interval for the mean only; "
                f"got criterion={self.criterion.name!r}."
            )

    def refuse_impossible(self, trials: Trials) -> None:
        """What this table cannot answer, one sentence each."""
        self.refuse_folds()
        if not self.guaranteed:
            return
        if self.test_share is not None or trials.clustered or (trials.folds_overruled and not self.sampled):
            raise InputError(
                "`guaranteed` needs independent rows; folds, splits of the same rows and rows that share a unit have no "
                "interval that always holds."
            )
        if self.criterion.name == "iqm":
            raise InputError(
                "`guaranteed`: the interquartile mean has no interval that always holds; take the mean or the median."
            )
        if self.criterion.needs_values and None in trials.bounds[self.metric]:
            raise InputError(
                f"`guaranteed` needs both bounds of {self.metric!r} for its {self.criterion.label}; declare {argument('bounds', ('low', 'high'))} "
                "when reading, or take a criterion that needs none: improvement, or a quantile."
            )
        if len(self.tasks) > 1 and self.criterion.name not in ("mean", IMPROVEMENT):
            raise InputError(
                f"`guaranteed` over several tasks is made for the mean and for improvement; got criterion={self.criterion.name!r}. "
                "Ask on one task."
            )


def shown(i: Interval, criterion: str, margin: float | None = None) -> str:
    """An estimate with its interval; a probability with two decimals or more."""
    if math.isnan(i.low) and math.isnan(i.high):
        return number(i.estimate)
    if math.isinf(i.low) and math.isinf(i.high):
        return f"{number(i.estimate)}, no limits"
    estimate, low, high = difference_parts(i, criterion, margin)
    return f"{estimate} [{low}, {high}]"


def difference_parts(i: Interval, criterion: str, margin: float | None = None) -> tuple[str, str, str]:
    """Estimate and both ends as `shown` writes them."""
    if criterion == IMPROVEMENT:
        return interval_parts(i.estimate, i.low, i.high, (0.5,), at_least=2)
    return interval_parts(i.estimate, i.low, i.high, (0.0, *(() if margin is None else (margin, -margin))))


def refuse_undecidable(trials: Trials) -> None:
    """Refuse a table on which no verdict may be given."""
    if trials.question is not None:
        raise InputError(trials.question)
    if not trials.independent:
        raise InputError(
            "a grid or an adaptive sampler chose these trials, or may have, so no verdict is given; "
            "say independent=True when reading if they were drawn at random."
        )


def refuse_unknown_goal(trials: Trials, metric: str) -> None:
    """Refuse to call a method better where nobody said which scores are good, and these may be times or counts.

    What lies between 0 and 1 is likelier a score, and what is below 0 no time: there the verdict says what it assumes.
    """
    unknown = assumed_goal(trials, metric)
    values = trials.values(metric)[~trials.failed(metric)]
    values = values[np.isfinite(values)]
    if unknown is None or not values.size or values.min() < 0.0 or values.max() <= 1.0:
        return
    span = {"low": float(values.min()), "high": float(values.max())}
    raise InputError(Note(NoteKind.ASKS_GOAL, "goal", {**unknown.values, **span}))


def assumed_goal(trials: Trials, metric: str) -> Note | None:
    """The note that nothing says which scores of a metric are good; None where something does."""
    found = (n for n in trials.notes if n.kind is NoteKind.GOAL_UNKNOWN and n.values["metric"] == metric)
    return next(found, None)


def is_right_or_wrong(trials: Trials, metric: str) -> bool:
    """Whether all finite scores of a metric are 0 or 1, and both occur. Known of the metric, not of one method."""
    values = trials.values(metric)[~trials.failed(metric)]
    return bool(values.size) and bool(np.isin(values, (0.0, 1.0)).all()) and float(np.ptp(values)) == 1.0


def _has_a_unit(trials: Trials, metric: str, rule: str | float) -> bool:
    """Whether differences of means say something to a reader, and exist."""
    if rule == "worst" and math.isinf(trials.definitions[metric].worst) and trials.failed(metric).any():
        return False
    return None not in trials.bounds[metric] or is_right_or_wrong(trials, metric)


def _over(over: str | None, trials: Trials, methods: Sequence[str], tasks: Sequence[str], shared_rows: bool) -> Over:
    if over not in (None, "fixed", "sample"):
        raise InputError(f"`over` must be 'fixed' (these tasks) or 'sample' (tasks like these); got {over!r}.")
    if len(tasks) < 2:
        return "fixed"
    if over is None:
        single = any(trials.cell(m, t).rows.size == 1 for m in methods for t in tasks)
        return "sample" if single or (shared_rows and len(tasks) >= FEWEST_FOR_A_SAMPLE) else "fixed"
    return "fixed" if over == "fixed" else "sample"


def _margin(margin: float | None, criterion: Criterion) -> float | None:
    if margin is None:
        return None
    if not (margin > 0.0 and math.isfinite(margin)):
        raise InputError(f"`margin` is the smallest difference that matters and must be positive; got {margin!r}.")
    if criterion.statistic is None and margin >= 0.5:
        raise InputError(
            f"`margin` of a probability of improvement is its distance from 1/2, below 0.5; got {margin:g}."
        )
    return float(margin)


def _refuse_generalizing(generalize: str | None, test_share: float | None, criterion: str | None) -> None:
    if (generalize is None) != (test_share is None) or generalize not in (None, "rows"):
        raise InputError("`generalize` must be 'rows', together with test_share = n_test / n_train of the splits.")
    if test_share is not None and not (test_share > 0.0 and math.isfinite(test_share)):
        raise InputError(f"`test_share` is n_test / n_train of the splits and must be positive; got {test_share!r}.")
    if generalize is not None and criterion not in (None, "mean"):
        raise InputError(f"only the mean can be generalized to new rows; got criterion={criterion!r}.")
