"""The verdict on two methods or the ranking of more, and whether it depends on how failures count."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ogive.answers import Comparison, Comparisons, Ranking, compare, rank
from ogive.answers._verdict import Conclusion
from ogive.errors import InputError
from ogive.trials import Trials
from ogive.words import listed, printable

T = TypeVar("T")

MOST_NAMED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What was fixed before looking: the metric, how sure, how failures count, what matters, how many looks."""

    metric: str
    confidence: float
    failures: str | float
    margin: float | None
    looks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on two methods, or the ranking of more; `part` is what it is about, `left_out` says what is not."""

    comparison: Comparison | Comparisons | None = None
    ranking: Ranking | None = None
    left_out: str = ""
    reason: str = ""
    part: Trials | None = None

    @property
    def sentence(self) -> str:
        """The verdict; empty where there is none."""
        found = self.comparison or self.ranking
        return "" if found is None else found.verdict

    @property
    def measure(self) -> str:
        """What is compared, in words; two judgements with different ones cannot be held against each other."""
        if self.ranking is not None:
            return {"mean": "means", "improvement": "how often a run beats another"}.get(
                self.ranking.pairs[0].statistic, "the share of tasks won"
            )
        if isinstance(self.comparison, Comparisons) and self.comparison.overall.improvement is None:
            return "the share of tasks won"
        return "how often a run beats another"

    def conclusions(self) -> dict[str, Conclusion]:
        """What is concluded of each pair (and task)."""
        if self.ranking is not None:
            return {f"{printable(p.a)} against {printable(p.b)}": p.conclusion for p in self.ranking.pairs}
        if isinstance(self.comparison, Comparison):
            c = self.comparison
            return {f"{printable(c.a)} against {printable(c.b)}": c.conclusion}
        if isinstance(self.comparison, Comparisons):
            found = {f"{printable(c.a)} on {printable(c.task)}": c.conclusion for c in self.comparison.items}
            return {**found, "all tasks together": self.comparison.conclusion}
        return {}


def attempt(question: Callable[[], T]) -> tuple[T | None, str]:
    """The answer, or the sentence with which it was refused."""
    try:
        return question(), ""
    except InputError as error:
        return None, str(error)


def judge(trials: Trials, terms: Terms) -> Judgement:
    """The verdict on what can be compared, or the reason why there is none."""
    if not trials.independent:
        return Judgement(
            reason="No verdict: the runs were chosen by a grid or an adaptive sampler, so this report describes them and nothing more."
        )
    if trials.question is not None:
        return Judgement(reason=f"No verdict until a question is answered: {trials.question}")
    if len(trials.algorithms) < 2:
        return Judgement(reason="No verdict: there is one method, and nothing to compare it with.")
    part, left_out = _comparable(trials, terms.metric, terms.failures)
    if part is None:
        return Judgement(reason=f"No verdict: {left_out}")
    order = _better_first(part, terms.metric) if len(part.algorithms) == 2 else None
    return replace(_ask(part, terms, order), left_out=left_out)


def _ask(part: Trials, terms: Terms, order: tuple[str, str] | None) -> Judgement:
    """The comparison of two methods in this order, or the ranking of all."""
    known = {
        "metric": terms.metric, "confidence": terms.confidence, "failures": terms.failures, "looks": terms.looks
    }  # fmt: skip
    if order is not None:
        compared, reason = attempt(lambda: compare(part, *order, margin=terms.margin, **known))  # type: ignore[arg-type]
        return Judgement(comparison=compared, reason=reason and f"No verdict: {reason}", part=part)
    # A margin is in units of the score; over several tasks methods are ranked by duels, which have none.
    within = terms.margin if len(part.tasks) == 1 else None
    ranked, reason = attempt(lambda: rank(part, margin=within, **known))  # type: ignore[arg-type]
    return Judgement(ranking=ranked, reason=reason and f"No verdict: {reason}", part=part)


def _better_first(trials: Trials, metric: str) -> tuple[str, str]:
    """Both methods, the one with the better median on more tasks first: "A is better" reads easier than "B is worse"."""
    a, b = trials.algorithms
    sign = 1.0 if trials.goals[metric] == "maximize" else -1.0
    lead = 0
    for t in trials.tasks:
        if usable(trials, a, t, metric) and usable(trials, b, t, metric):
            x, y = (float(np.median(trials.scores(m, t, metric, "exclude"))) for m in (a, b))
            lead += int(np.sign(sign * (x - y)))
    return (b, a) if lead < 0 else (a, b)


def usable(trials: Trials, method: str, task: str, metric: str) -> int:
    """How many runs of a method on a task have a score."""
    rows = trials.cell(method, task).rows
    return int(np.count_nonzero(~trials.failed(metric)[rows]))


def _comparable(trials: Trials, metric: str, failures: str | float) -> tuple[Trials | None, str]:
    """The largest part in which every method has runs on every task, and what was left out for it."""
    methods, tasks = trials.algorithms, trials.tasks
    needs_score = failures == "exclude"
    there = np.array(
        [
            [bool(usable(trials, m, t, metric) if needs_score else trials.cell(m, t).rows.size) for t in tasks]
            for m in methods
        ]
    )
    if there.all():
        return trials, ""
    whole = [m for m, row in zip(methods, there, strict=True) if row.all()]
    shared = [t for t, column in zip(tasks, there.T, strict=True) if column.all()]
    by_method, by_task = (len(whole) if len(whole) > 1 else 0) * len(tasks), len(shared) * len(methods)
    if not max(by_method, by_task):
        return None, "no two methods have usable runs on the same tasks."
    if by_method >= by_task:
        absent = [m for m in methods if m not in whole]
        what = f"{some(absent)} {'takes' if len(absent) == 1 else 'take'} no part in the verdict, for want of usable runs on every task."
        return trials.select(algorithms=whole), what
    absent = [t for t in tasks if t not in shared]
    what = (
        f"The verdict is about {len(shared)} of {len(tasks)} tasks; on {some(absent)} not every method has usable runs."
    )
    return trials.select(tasks=shared), what


def some(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    shown = [printable(n) for n in names[:MOST_NAMED]]
    return listed(shown) if len(names) <= MOST_NAMED else f"{', '.join(shown)} and {len(names) - MOST_NAMED} more"


def sensitivity(judged: Judgement, terms: Terms) -> str:
    """Whether another rule for failures would change a conclusion about the same methods on the same tasks."""
    part = judged.part
    if not judged.sentence or part is None:
        return ""
    if not part.failed(terms.metric).any():
        return "No run of the methods in the verdict failed."
    other, words = "exclude", "left out"
    if terms.failures == "exclude":
        other, words = "worst", f"counted as {worst_words(part, terms.metric)}"
    first = judged.comparison[0] if isinstance(judged.comparison, Comparisons) else judged.comparison
    again = _ask(part, replace(terms, failures=other), None if first is None else (first.a, first.b))
    unknown = "Whether the verdict depends on how failures count cannot be said: with failed runs"
    if not again.sentence and other == "worst" and math.isinf(part.definitions[terms.metric].worst):
        return (
            "Whether the verdict depends on how failures count cannot be said: it is about means, a failed run has no score to "
            "average, and no bound was declared that could stand for it (bounds= when reading, metrics= in a study)."
        )
    if not again.sentence:
        return f"{unknown} {words}, {again.reason.removeprefix('No verdict: ')}"
    if again.measure != judged.measure:
        return f"{unknown} {words}, methods would be compared by {again.measure}, not by {judged.measure}."
    changed = _changes(judged.conclusions(), again.conclusions())
    if not changed:
        return (
            f"The verdict does not depend on how failures count: with failed runs {words} every conclusion is the same."
        )
    listing = "; ".join(changed[:MOST_NAMED]) + ("; …" if len(changed) > MOST_NAMED else "")
    return f"The verdict depends on how failures count: with failed runs {words}, {listing}."


def worst_words(trials: Trials, metric: str) -> str:
    """What failed runs count as under the rule `worst`."""
    return "worse than every score" if math.isinf(trials.definitions[metric].worst) else "the worst possible score"


def _changes(before: dict[str, Conclusion], after: dict[str, Conclusion]) -> list[str]:
    """Conclusions that differ; a pair that is gone counts as changed."""
    return [
        f"{pair}: {said} becomes {after.get(pair, 'not judged, for want of usable runs')}"
        for pair, said in before.items()
        if after.get(pair) != said
    ]
