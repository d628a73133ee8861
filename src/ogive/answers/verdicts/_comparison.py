"""Is A better than B? One criterion, one interval, one conclusion; the same for four named questions beside it."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ogive.answers.verdicts import _wording
from ogive.answers.verdicts._question import BAD_DAY, NAMED, TRIES, OneOfFour, Question, refuse_undecidable
from ogive.answers.verdicts._samples import Samples, gather
from ogive.answers.verdicts._verdict import Conclusion, Decided, Hidden, Told, decide, hidden_collapse, rule
from ogive.errors import InputError
from ogive.reading import Source, as_trials
from ogive.results import json_ready
from ogive.statistics import (
    Assumption,
    Differences,
    Dominance,
    Interval,
    MixedDifferences,
    dominance,
    mcnemar,
    violation_ratio,
)
from ogive.statistics.planning import DifferenceTest, ImprovementTest, achieved, largest_spread, trials_for
from ogive.tables import Recorded, Table
from ogive.trials import FloatArray, Trials
from ogive.words import clipped

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
POWER = 0.8
SMALLEST_IMPROVEMENT = 0.65
FEWEST_FOR_BAD_DAYS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAnswer(OneOfFour):
    """One of the four questions: its conclusion about `a`, and the interval that it was read off; None where it is refused."""

    conclusion: Conclusion
    interval: Interval | None
    direction: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        names = ("name", "criterion", "conclusion", "direction", "refused", "primary")
        return {
            **json_ready({name: getattr(self, name) for name in names}),
            "interval": None if self.interval is None else self.interval.to_dict(),
        }


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Comparison(Told, Recorded):
    """Two methods, on one task or over several. Differences are positive where `a` is better.

    Attributes
    ----------
    task : str or None
        None where it speaks of several.
    conclusion : str
        better, not worse, equivalent, worse, or cannot tell: of `a`, read off `primary` alone.
    direction : int
        1 where `primary` lies on `a`'s side, -1 on `b`'s, 0 where it holds the value of equal methods.
    primary : Interval
        Of the criterion, at the confidence at which it was decided.
    tasks : tuple of Comparison
        One for each task where there are several, decided together.
    hidden : Hidden or None
        What a claim of no loss cannot rule out.
    family_size : int
        How many verdicts were decided together.
    questions : mapping
        The four named questions, each with its conclusion and interval. The one that is the criterion has
        the interval above; the others share a second error of 1 - confidence.
    verdict : str
        Sentences to paste.
    """

    a: str
    b: str
    task: str | None
    question: Question
    conclusion: Conclusion
    direction: int
    primary: Interval
    tasks: tuple[Comparison, ...]
    hidden: Hidden | None
    family_size: int
    paired: bool
    n: int
    n_runs: tuple[int, int]
    n_unmatched: int
    n_failed: tuple[int, int]
    _samples: Samples
    _trials: Trials

    def __repr__(self) -> str:
        where = f"{len(self.tasks)} tasks" if self.tasks else self.task
        return f"Comparison({self.a} against {self.b} on {where}: {self.conclusion})"

    def __str__(self) -> str:
        return _wording.comparison_text(self)

    def as_tables(self) -> tuple[Table, ...]:
        """The four questions, and the tasks where there are several."""
        return _wording.comparison_as_tables(self)

    def _repr_html_(self) -> str:
        first, *rest = self.as_tables()  # the verdict, which stands below in a paper, is read first in a notebook
        tables = (replace(first, below=first.below[1:]), *rest)
        return f"<p>{html.escape(self.verdict)}</p>{''.join(table.to_html() for table in tables)}"

    def records(self) -> list[dict[str, Any]]:
        """A row for each task, or one."""
        columns = ("a", "b", "task", "metric", "criterion", "conclusion")
        return [
            {**{name: getattr(c, name) for name in columns}, "estimate": c.primary.estimate, "low": c.primary.low,
             "high": c.primary.high, "method": c.primary.method, "guarantee": c.primary.guarantee, "n": c.n}
            for c in (self.tasks or (self,))
        ]  # fmt: skip

    @property
    def several(self) -> bool:
        """Whether it speaks of several tasks."""
        return len(self.question.tasks) > 1

    @property
    def right_or_wrong(self) -> bool:
        """Whether every score is 0 or 1."""
        return self._samples.asked.binary

    @cached_property
    def tied(self) -> bool:
        """Whether no pair of runs differs; where methods are not paired, whether no run does."""
        return self._samples.tied(*self._places)

    @property
    def metric(self) -> str:
        """The score compared."""
        return self.question.metric

    @property
    def criterion(self) -> str:
        """What decides: improvement, mean, median, worst_0.1 …"""
        return self.question.criterion.name

    @property
    def statistic(self) -> str:
        """Another word for `criterion`."""
        return self.criterion

    @property
    def margin(self) -> float | None:
        """The smallest difference that matters."""
        return self.question.margin

    @property
    def strength(self) -> str:
        """How far the verdict can be trusted: guaranteed, approximate or heuristic."""
        return self.primary.strength

    @cached_property
    def parts(self) -> tuple[str, str, str]:
        return _wording.verdict_parts(self)

    def effect(self, answer: NamedAnswer) -> str:
        """How large the answer to one of the four questions is, with its interval, from `a`'s side."""
        return _wording.question_effect(self, answer)

    def difference_words(self, most: int) -> str:
        """`a minus b (positive: a is better)`, of losses `b minus a`, names cut to `most` characters."""
        return _wording.difference_words(clipped(self.a, most), clipped(self.b, most), self._samples.sign)

    @cached_property
    def questions(self) -> Mapping[str, NamedAnswer]:
        """A typical run, on average, on a bad day, after 8 tries."""
        others = sum(criterion != self.criterion for criterion in NAMED.values())
        return {name: self._answer(name, criterion, self.question.error / others) for name, criterion in NAMED.items()}

    def _answer(self, name: str, criterion: str, error: float) -> NamedAnswer:
        """One of the four: the criterion's own question keeps its interval, the others share a second error."""
        samples, primary, even = self._samples, self.primary, self.question.criterion.even
        if criterion == self.criterion:
            return NamedAnswer(
                name=name, criterion=criterion, conclusion=self.conclusion, interval=primary, direction=self.direction, primary=True
            )  # fmt: skip
        if same_question(samples, criterion):
            # Of right or wrong answers: how often one beats the other is half the difference of shares, beyond a half.
            start, unit = (0.5, 0.5) if criterion == "improvement" else (-1.0, 2.0)
            ends = {end: start + unit * getattr(primary, end) for end in ("estimate", "low", "high")}
            conclusion = rule(primary.low - even, primary.high - even).conclusion
            return NamedAnswer(
                name=name, criterion=criterion, conclusion=conclusion, interval=replace(primary, **ends), direction=self.direction
            )  # fmt: skip
        question = self.question.asking(criterion)
        refused = why_not(samples, question, self._trials)
        if refused is None:
            interval = self._asked_of(samples, question, error)
            if not (math.isinf(interval.low) and math.isinf(interval.high)):
                ruling = rule(interval.low - question.criterion.even, interval.high - question.criterion.even)
                return NamedAnswer(
                    name=name, criterion=criterion, conclusion=ruling.conclusion, interval=interval, direction=ruling.direction
                )  # fmt: skip
            refused = "tied" if self.tied else "few runs"
        return NamedAnswer(
            name=name, criterion=criterion, conclusion="cannot tell", interval=None, direction=0, refused=refused,
            failed=samples.failed(name, refused, (self.a, self.b)),
        )  # fmt: skip

    @property
    def disagreement(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The questions that favor `a` and those that favor `b`, where there are both; None where they agree."""
        for_a = tuple(q.name for q in self.questions.values() if q.direction > 0)
        for_b = tuple(q.name for q in self.questions.values() if q.direction < 0)
        return (for_a, for_b) if for_a and for_b else None

    @cached_property
    def detectable(self) -> float:
        """The smallest value of the criterion that this design detects with 80 % power, beyond the margin where there is one.

        Of means it is what `plan` says of as many runs, with these as its pilot.
        """
        from scipy.special import ndtri

        planned = self._planned
        if planned is not None:
            return min(planned, self._samples.span)
        if self.criterion == "improvement" and not self._samples.clustered and not self.tasks:
            a, b = self.n_runs
            question = ImprovementTest(
                confidence=self.primary.confidence, power=POWER, paired=self.paired, share=a / (a + b)
            )
            if not self.paired:
                return min(1.0, 0.5 + achieved(question, a + b))
            # Ties say nothing: the pairs that differ are judged, and are as rare among new ones as seen here.
            x, y = self._draws
            tied = float(np.mean(x == y, where=~(np.isnan(x) | np.isnan(y))))
            differ = round(self.n * (1.0 - tied))
            return min(1.0, 0.5 + achieved(question, differ) * (differ / self.n if differ else 1.0))
        # The interval's half-width is z standard errors; power asks for z_power more, beyond the margin.
        half = (self.primary.high - self.primary.low) / 2.0
        z = float(ndtri(0.5 + self.primary.confidence / 2.0))
        seen = (self.margin or 0.0) + half * (1.0 + float(ndtri(POWER)) / z)
        return min(1.0, 0.5 + seen) if self.criterion == "improvement" else min(seen, self._samples.span)

    @property
    def _planned(self) -> float | None:
        """The difference of means that as many runs detect, with their spread as a pilot's; None where no plan is about this design."""
        fixed = self.question.test_share is not None or self.several or self.question.guaranteed
        if self.criterion != "mean" or fixed or self._samples.clustered or self._samples.order_only:
            return None
        scores = (np.subtract(*self._draws),) if self.paired else self._scores
        known = [found[~np.isnan(found)] for found in scores]
        sizes = {found.size for found in known}
        spreads = tuple(float(found.std(ddof=1)) if found.size > 1 else 0.0 for found in known)
        if len(sizes) > 1 or min(spreads) <= 0.0 or not all(map(math.isfinite, spreads)):
            return None
        limits = tuple(largest_spread(sd, found.size) for sd, found in zip(spreads, known, strict=True))
        test = DifferenceTest(
            sd=limits, paired=self.paired, confidence=self.primary.confidence, power=POWER, margin=self.margin or 0.0
        )
        return achieved(test, sum(found.size for found in known))

    @cached_property
    def needed(self) -> tuple[int, float] | None:
        """Units in all for the smallest effect of interest, and that effect; None where it cannot be said.

        That effect is stated, never the observed one. None where more units do not help for certain: clusters of
        unknown likeness, splits of the same rows, tasks.
        """
        # Pairs that are right or wrong are judged by those that differ, whose number no plan knows; where none differs nor of others.
        by_those_that_differ = self.paired and (self._samples.asked.binary or self.tied)
        fixed = self.question.test_share is not None or self.several or self.question.guaranteed
        if by_those_that_differ or self._samples.clustered or fixed:
            return None
        known: dict[str, Any] = {"paired": self.paired, "confidence": self.primary.confidence, "power": POWER}
        hidden = self.hidden
        if hidden is not None and hidden.withheld and hidden.needed is not None and self.margin is not None:
            return hidden.needed, self.margin
        if self.criterion == "improvement":
            return trials_for(ImprovementTest(**known), SMALLEST_IMPROVEMENT - 0.5), SMALLEST_IMPROVEMENT
        if self.criterion != "mean" or self.margin is None or min(self.n_runs) < 2:
            return None
        if self.paired:
            spreads: tuple[float, ...] = (float(np.nanstd(np.subtract(*self._draws), ddof=1)),)
        else:
            spreads = tuple(float(scores.std(ddof=1)) for scores in self._scores)
        if min(spreads) <= 0.0 or not all(map(math.isfinite, spreads)):
            return None
        return trials_for(DifferenceTest(sd=spreads, claim_of="not worse", **known), self.margin), self.margin

    @cached_property
    def probability_of_improvement(self) -> Interval:
        """How often `a` beats `b`, at the stated confidence, as description."""
        return self._described("improvement")

    @cached_property
    def other_improvement(self) -> Interval | None:
        """For pairs: how often a fresh run of `a` beats a fresh one of `b`, which is another question."""
        if not self.paired or self.question.test_share is not None:
            return None
        apart = replace(self._samples, joined=np.full_like(self._samples.joined, -1))
        return self._asked_of(apart, self.question.asking("improvement"), 1.0 - self.question.confidence)

    @cached_property
    def mean_difference(self) -> Interval:
        """Of the means, at the stated confidence, as description."""
        return self._described("mean")

    @cached_property
    def cvar_difference(self) -> Interval:
        """Of the means of the worst 10 %, at the stated confidence, as description."""
        return self._described("worst_0.1")

    @cached_property
    def quantile_differences(self) -> dict[float, Interval]:
        """By level, worst to best, at the stated confidence, as description."""
        goal = self._trials.goals[self.metric]
        if self._samples.order_only or self.question.test_share is not None:
            return {}
        return {p: self._described(f"q{p if goal == 'maximize' else 1.0 - p:g}") for p in LEVELS}

    @property
    def dominance(self) -> list[tuple[float, float, str]]:
        """Levels, worst to best, at which one method is certainly better: (p_low, p_high, who)."""
        names, found = {"a": self.a, "b": self.b}, self._dominance
        return [] if found is None else [(p, q, names[who]) for p, q, who in found.ranges]

    @property
    def crossings(self) -> list[tuple[float, float]]:
        """Ranges of scores within which the distributions certainly cross."""
        sign, found = self._samples.sign, self._dominance
        if found is None or self._samples.order_only:
            return []
        return [(u, v) if sign > 0 else (-v, -u) for u, v in found.crossings]

    @cached_property
    def violation_ratio(self) -> float:
        """Of almost stochastic order, by samples: 0 where `a` is nowhere below `b`, 1/2 where they are equal."""
        if self.several or self._samples.order_only:
            return math.nan
        return violation_ratio(*self._scores)

    @cached_property
    def mcnemar_p(self) -> float | None:
        """Exact p-value of McNemar's test, for 0/1 scores paired by item."""
        if self.several or not self.paired or not self._samples.asked.binary or self._samples.clustered:
            return None
        both = self._draws[:, ~np.isnan(self._draws).any(axis=0)]
        return mcnemar(*(both if self._samples.sign > 0 else both + 1.0))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        plain = (
            "a", "b", "task", "metric", "conclusion", "direction", "verdict", "criterion", "margin", "paired", "n", "family_size",
            "n_failed", "n_runs", "violation_ratio", "detectable", "mcnemar_p",
        )  # fmt: skip
        out: dict[str, Any] = {"schema": 1, **json_ready({name: getattr(self, name) for name in plain})}
        for name in ("primary", "probability_of_improvement", "mean_difference", "cvar_difference"):
            out[name] = getattr(self, name).to_dict()
        out["over"] = self.question.over if self.several else None
        out["other_improvement"] = None if self.other_improvement is None else self.other_improvement.to_dict()
        out["quantile_differences"] = {f"{p:g}": i.to_dict() for p, i in self.quantile_differences.items()}
        out["dominance"] = [list(r) for r in self.dominance]
        out["crossings"] = [list(r) for r in self.crossings]
        out["questions"] = [q.to_dict() for q in self.questions.values()]
        out["hidden"] = None if self.hidden is None else self.hidden.to_dict()
        out["rows"] = [c.to_dict() for c in self.tasks]
        return out

    @property
    def _places(self) -> tuple[int, int]:
        return self._samples.methods.index(self.a), self._samples.methods.index(self.b)

    @property
    def _scores(self) -> tuple[FloatArray, FloatArray]:
        """All runs of both on the first task, sorted."""
        a, b = self._places
        return self._samples.runs[0].scores[a], self._samples.runs[0].scores[b]

    @property
    def _draws(self) -> FloatArray:
        """The runs of both on the first task side by side, NaN where only the other has one."""
        return self._samples.runs[0].draws[0].scores[list(self._places)]

    def _described(self, criterion: str) -> Interval:
        """Another criterion on the same runs, at the stated confidence; without limits where it has no values."""
        question = replace(self.question, guaranteed=False).asking(criterion)
        unvalued = self._samples.order_only and question.criterion.needs_values
        if not unvalued and (self.question.test_share is None or criterion == "mean"):
            return self._asked_of(self._samples, question, 1.0 - self.question.confidence)
        return Interval(
            estimate=math.nan, low=-math.inf, high=math.inf, confidence=self.question.confidence, n=self.n, method="none",
            guarantee="conservative", assumptions=(Assumption.NO_LIMITS,),
        )  # fmt: skip

    def _asked_of(self, samples: Samples, question: Question, error: float) -> Interval:
        asked = samples.asking(
            replace(question, tasks=samples.question.tasks, over=samples.question.over), self._trials
        )
        asked = replace(asked, asked=replace(asked.asked, test_share=samples.asked.test_share))
        found = asked.possible(of_two(asked, self.a, self.b).interval(0, error))
        return replace(found, guarantee="heuristic") if samples.partly[self._places] else found

    @cached_property
    def _dominance(self) -> Dominance | None:
        if self.several or self._samples.clustered:
            return None
        return dominance(*_with_a_floor(self._scores), confidence=self.question.confidence)


def compare(
    trials: Source,
    a: str,
    b: str,
    *,
    task: str | None = None,
    metric: str | None = None,
    criterion: str | None = None,
    margin: float | None = None,
    over: str | None = None,
    guaranteed: bool = False,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    paired: bool | None = None,
    looks: int = 1,
    generalize: str | None = None,
    test_share: float | None = None,
) -> Comparison:
    """Whether method `a` is better than `b`, on one task or over all that they share.

    Parameters
    ----------
    trials : Trials, or what `ogive.read` takes
        What `read` or `run` returned; a file, a frame or a dictionary whose columns say what they are.
    criterion : str, optional
        What decides, fixed before looking: "improvement" (a run of `a` beats a run of `b`), "mean", "median", a
        quantile such as "q0.1", a worst share such as "worst_0.1", "iqm", or "best_of_8". By default the mean
        where both bounds are declared, every score is 0 or 1, or a margin is given; else improvement.
    margin : float, optional
        The smallest difference that matters, in the units of the criterion. With it, "not worse" and
        "equivalent" can be concluded.
    over : {"fixed", "sample"}, optional
        Whether the answer over several tasks speaks of these tasks (default), or of tasks like these (default
        where a method has a single run on a task, and for folds on five tasks or more).
    guaranteed : bool
        Only intervals that hold for every distribution: betting for means and worst shares of bounded
        scores, exact tests for pairs, order statistics.
    paired : bool, optional
        Whether rows that share a draw are compared pair by pair; by default where the table says that they do
        and two thirds of the rows have a partner.
    looks : int
        How often the growing table will be judged; the error is divided among the looks.
    generalize, test_share : "rows", float, optional
        For random splits of the same rows, paired: with generalize="rows" and test_share = n_test /
        n_train the interval of the mean speaks of new data (Nadeau and Bengio), heuristically,
        instead of these rows. More splits of the same rows make the plain interval sure of
        differences that new data would not show (docs/reference/verdicts.md).

    Notes
    -----
    Over several tasks the criterion is averaged over them, and that verdict has the stated confidence. The
    verdicts task by task share a second error of 1 - confidence among them (Holm 1979).

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8, 9, 8, 7], "b": [1, 2, 3, 2, 1, 2, 3]}, unit="row")
    >>> compare(trials, "a", "b").conclusion
    'better'
    """
    trials = as_trials(trials)
    refuse_undecidable(trials)
    if a == b:
        raise InputError(f"`a` and `b` must differ; got {a!r} twice.")
    shared = [task] if task is not None else shared_tasks(trials, a, b)
    question = Question.of(
        trials, metric=metric, criterion=criterion, margin=margin, failures=failures, confidence=confidence, looks=looks,
        paired=paired, tasks=shared, over=over, guaranteed=guaranteed, generalize=generalize, test_share=test_share,
        methods=(a, b),
    )  # fmt: skip
    return judge_pair(trials, a, b, question)


def judge_pair(trials: Trials, a: str, b: str, question: Question) -> Comparison:
    """The comparison that answers a question."""
    samples = gather(trials, (a, b), question)
    tasks = _task_by_task(trials, a, b, question) if len(question.tasks) > 1 else ()
    whole = of_two(samples, a, b)
    low, high = whole.limits(question.error)
    interval = whole.with_limits(0, float(low[0]), float(high[0]), question.error)
    return _comparison(trials, a, b, samples, interval, tasks, 1)


def of_two(samples: Samples, a: str, b: str) -> Differences:
    """The difference of two methods."""
    return samples.differences(*(np.array([samples.methods.index(name)]) for name in (a, b)))


def _task_by_task(trials: Trials, a: str, b: str, question: Question) -> tuple[Comparison, ...]:
    """One comparison for each task, at the errors of a family; none where a task alone cannot be judged."""
    parts = []
    for task in question.tasks:
        one = question.on(task)
        try:
            one.refuse_impossible(trials)
            samples = gather(trials, (a, b), one)
            parts.append((samples, of_two(samples, a, b)))
        except InputError:
            # Splits that cannot be joined say nothing task by task, but their means do over tasks.
            if question.test_share is None:
                raise
            return ()
    decided = decide_all([d for _, d in parts], question)
    return tuple(
        _comparison(trials, a, b, samples, decided.interval(d, 0, place), (), len(parts))
        for place, (samples, d) in enumerate(parts)
    )


def decide_all(parts: list[Differences], question: Question) -> Decided:
    """Limits of all differences of these parts, decided together."""
    ends = np.cumsum([len(d) for d in parts])
    whole = MixedDifferences.of(
        [(np.arange(end - len(d), end), d) for end, d in zip(ends.tolist(), parts, strict=True)]
    )
    return decide(whole, question.error, question.margin)


def _comparison(
    trials: Trials, a: str, b: str, samples: Samples, interval: Interval, tasks: tuple[Comparison, ...], family: int
) -> Comparison:
    question, (i, j) = samples.question, (samples.methods.index(a), samples.methods.index(b))
    if (trials.n_folds is not None and not question.sampled) or samples.partly[i, j]:
        interval = replace(interval, guarantee="heuristic")
    even, margin = question.criterion.even, question.margin
    interval = samples.possible(replace(interval, n=samples.n_pairs(i, j, interval.n)))
    ruling = rule(interval.low - even, interval.high - even, margin)
    conclusion, hidden = hidden_collapse(samples, i, j, ruling.conclusion, interval, margin)
    paired = bool(samples.joined[i, j] >= 0)
    return Comparison(
        a=a, b=b, task=None if len(question.tasks) > 1 else question.tasks[0], question=question, conclusion=conclusion,
        direction=ruling.direction, primary=interval, tasks=tasks, hidden=hidden, family_size=family, paired=paired,
        n=interval.n, n_runs=(int(samples.n_runs[i].sum()), int(samples.n_runs[j].sum())), n_unmatched=samples.unmatched(i, j),
        n_failed=(int(samples.n_failed[i].sum()), int(samples.n_failed[j].sum())), _samples=samples, _trials=trials,
    )  # fmt: skip


def same_question(samples: Samples, criterion: str) -> bool:
    """Whether another criterion asks the same again: of right or wrong answers, means and who beats whom do."""
    asked = {criterion, samples.question.criterion.name}
    return samples.asked.binary and asked == {"improvement", "mean"} and samples.question.test_share is None


def why_not(samples: Samples, question: Question, trials: Trials) -> str | None:
    """Why another criterion cannot be asked of the same runs, as in `NamedAnswer.refused`; None where it can."""
    criterion, fewest = question.criterion, int(samples.n_runs.min())
    if question.test_share is not None and criterion.name != "mean":
        return "folds"
    if criterion.name == NAMED[TRIES] and trials.of_items:
        return "items"
    if samples.order_only and criterion.needs_values:
        return "no values"
    if samples.asked.binary and criterion.name not in ("mean", "improvement"):
        return "right or wrong"
    if len(question.tasks) > 1 and criterion.statistic is not None and not samples.common_scale:
        return "no common scale"
    if criterion.name == NAMED[BAD_DAY] and fewest < FEWEST_FOR_BAD_DAYS:
        return "few runs"
    if question.sampled and criterion.name not in ("mean", "improvement") and fewest < 2:
        return "few runs"
    try:
        question.refuse_impossible(trials)
    except InputError:
        return "not guaranteed"
    return None


def _with_a_floor(samples: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, ...]:
    """Both samples with a number below every score in the place of minus infinity: only their order is asked for."""
    usable = np.concatenate([s[np.isfinite(s)] for s in samples])
    floor = float(np.nextafter(usable.min(), -np.inf)) if usable.size else 0.0
    return tuple(np.where(np.isneginf(s), floor, s) for s in samples)


def shared_tasks(trials: Trials, a: str, b: str) -> list[str]:
    """The tasks on which both methods ran."""
    for name in (a, b):
        trials.cell(name, trials.tasks[0])  # refuses with the names there are
    shared = [t for t in trials.tasks if trials.cell(a, t).rows.size and trials.cell(b, t).rows.size]
    if not shared:
        raise InputError(f"{a!r} and {b!r} share no task; there is nothing to compare.")
    return shared
