"""The verdict on two methods or the ranking of more, and whether it depends on how failures count."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ogive.answers import Comparison, Conclusion, Question, Ranking, judge_all, judge_pair
from ogive.errors import InputError
from ogive.trials import Trials
from ogive.words import listed, printable

T = TypeVar("T")

MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Whether the verdict depends on how failures count, in words; `known` is false where that cannot be said."""

    words: str = ""
    known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """The verdict on two methods, or the ranking of more; `part` is what it is about, `left_out` says what is not.

    Where there is none, `reason` says why on the page, and `refusal` is what the question was refused with.
    """

    comparison: Comparison | None = None
    ranking: Ranking | None = None
    question: Question | None = None
    left_out: str = ""
    reason: str = ""
    refusal: str = ""
    part: Trials | None = None

    @property
    def decided(self) -> Comparison | Ranking | None:
        """What was found."""
        return self.comparison or self.ranking

    @property
    def sentence(self) -> str:
        """The verdict; empty where there is none."""
        return "" if self.decided is None else self.decided.verdict

    @property
    def parts(self) -> tuple[str, str, str]:
        """The verdict in three parts: the claim, what else must be known of it, and of what."""
        return ("", "", "") if self.decided is None else self.decided.parts

    def ahead(self) -> dict[str, str]:
        """Who is ahead by those of the four questions that do not decide, as far as they can be asked."""
        if self.comparison is not None:
            names = {1: printable(self.comparison.a), -1: printable(self.comparison.b), 0: "nobody"}
            others = (q for q in self.comparison.questions.values() if q.refused is None and not q.primary)
            return {q.name: names[q.direction] for q in others}
        if self.ranking is None:
            return {}
        n = len(self.ranking.rows)
        leading = (q for q in self.ranking.questions.values() if q.refused is None and not q.primary)
        return {q.name: "nobody" if len(q.leaders) == n else some(sorted(q.leaders)) for q in leading}

    @property
    def tells_something(self) -> bool:
        """Whether anything is concluded of any pair or task; asks no further than the first."""
        if self.ranking is not None:
            names = [r.algorithm for r in self.ranking.rows]
            asked = (self.ranking.pair(a, b) for a, b in itertools.combinations(names, 2))
            return any(pair.conclusion != "cannot tell" for pair in asked)
        return any(c != "cannot tell" for c in self.conclusions().values())

    def conclusions(self) -> dict[str, Conclusion]:
        """What is concluded of each pair (and task)."""
        if self.ranking is not None:
            return {f"{printable(p.a)} against {printable(p.b)}": p.conclusion for p in self.ranking.pairs}
        if self.comparison is None:
            return {}
        c = self.comparison
        found = {f"{printable(t.a)} on {printable(str(t.task))}": t.conclusion for t in c.tasks}
        whole = "all tasks together" if c.tasks else f"{printable(c.a)} against {printable(c.b)}"
        return {**found, whole: c.conclusion}


def attempt(question: Callable[[], T]) -> tuple[T | None, str]:
    """The answer, or the sentence with which it was refused."""
    try:
        return question(), ""
    except InputError as error:
        return None, str(error)


def judge(trials: Trials, metric: str, failures: str | float, terms: Mapping[str, Any]) -> Judgment:
    """The verdict on what can be compared, or the reason why there is none.

    `terms` are the other arguments of the question: criterion, margin, over, guaranteed, confidence, looks.
    """
    if not trials.independent:
        return Judgment(
            reason="No verdict: the runs were chosen by a grid or an adaptive sampler, so this report describes them and nothing more."
        )
    if trials.question is not None:
        return Judgment(reason=f"No verdict until a question is answered: {trials.question}")
    if len(trials.algorithms) < 2:
        return Judgment(reason="No verdict: there is one method, and nothing to compare it with.")
    part, left_out = _comparable(trials, metric, failures)
    if part is None:
        return Judgment(reason=f"No verdict: {left_out}")
    question, reason = attempt(lambda: Question.of(part, metric=metric, failures=failures, **terms))
    if question is None and any(terms.get(name) for name in ("criterion", "margin", "over", "guaranteed")):
        raise InputError(reason)  # a mistyped question is no property of the table
    if question is None:
        return Judgment(reason=f"No verdict: {reason}", part=part, left_out=left_out)
    order = _better_first(part, metric) if len(part.algorithms) == 2 else None
    return replace(_ask(part, question, order), left_out=left_out)


def _ask(part: Trials, question: Question, order: tuple[str, str] | None) -> Judgment:
    """The comparison of two methods in this order, or the ranking of all."""
    if order is not None:
        compared, reason = attempt(lambda: judge_pair(part, *order, question))
        found = Judgment(comparison=compared, question=question, part=part)
    else:
        ranked, reason = attempt(lambda: judge_all(part, question))
        found = Judgment(ranking=ranked, question=question, part=part)
    return replace(found, reason=f"No verdict: {reason}", refusal=reason) if reason else found


def _better_first(trials: Trials, metric: str) -> tuple[str, str]:
    """Both methods, the one with the better median on more tasks first: "A is better" reads easier than "B is worse"."""
    a, b = trials.algorithms
    sign = trials.definitions[metric].sign
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
        what = f"{some(absent)} {'takes' if len(absent) == 1 else 'take'} no part in the verdict, since usable runs are missing on some task."
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


def sensitivity(judged: Judgment) -> Sensitivity:
    """Whether another rule for failures would change a conclusion about the same methods on the same tasks."""
    part, question = judged.part, judged.question
    if judged.decided is None or part is None or question is None:
        return Sensitivity()
    if not part.failed(question.metric).any():
        return Sensitivity("No run of the methods in the verdict failed.")
    other, words = "exclude", "left out"
    if question.failures == "exclude":
        other, words = "worst", f"counted as {worst_words(part, question.metric)}"
    order = None if judged.comparison is None else (judged.comparison.a, judged.comparison.b)
    again = _ask(part, replace(question, failures=other), order)
    if again.decided is None and other == "worst" and math.isinf(part.definitions[question.metric].worst):
        return Sensitivity(
            "Whether the verdict depends on how failures count cannot be said: it is about means, a failed run has no score to "
            "average, and no bound was declared that could stand for it (bounds= when reading, metrics= in a study).",
            known=False,
        )
    if again.decided is None:
        return Sensitivity(
            f"Whether the verdict depends on how failures count cannot be said: with failed runs {words}, {again.refusal}",
            known=False,
        )
    changed = _changes(judged.conclusions(), again.conclusions())
    if not changed:
        return Sensitivity(
            f"The verdict does not depend on how failures count: with failed runs {words} it is the same.{_questions_that_change(judged, again)}"
        )
    listing = "; ".join(changed[:MOST_NAMED]) + ("; …" if len(changed) > MOST_NAMED else "")
    return Sensitivity(f"The verdict depends on how failures count: with failed runs {words}, {listing}.")


def _questions_that_change(before: Judgment, after: Judgment) -> str:
    """Which of the other questions another rule for failures would answer in another way."""
    now, then = before.ahead(), after.ahead()
    changed = [f"{name} ({who}; then {then[name]})" for name, who in now.items() if then.get(name, who) != who]
    return f" But who is ahead {listed(changed)} depends on it." if changed else ""


def worst_words(trials: Trials, metric: str) -> str:
    """What failed runs count as under the rule `worst`."""
    return "worse than every score" if math.isinf(trials.definitions[metric].worst) else "the worst possible score"


def _changes(before: dict[str, Conclusion], after: dict[str, Conclusion]) -> list[str]:
    """Conclusions that differ; a pair that is gone counts as changed."""
    return [
        f"{pair}: {said} becomes {after.get(pair, 'not judged, since usable runs are missing')}"
        for pair, said in before.items()
        if after.get(pair) != said
    ]
