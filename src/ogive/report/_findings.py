"""Which results answer which question of a table, and whether the answer depends on how failures count."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ogive.answers import Comparison, Comparisons, Ranking, Summary, compare, rank, summarize
from ogive.answers._statistic import DEFAULT, Statistic
from ogive.answers._summary import Row
from ogive.answers._verdict import Conclusion, rule
from ogive.answers._words import listed, plural, printable, share
from ogive.errors import InputError
from ogive.trials import Trials, compact, failure_rule

T = TypeVar("T")

MOST_NAMED = 6


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

    def conclusions(self) -> dict[str, Conclusion]:
        """What is concluded of each pair (and task), for comparing two rules for failures."""
        if self.ranking is not None:
            return {f"{printable(p.a)} against {printable(p.b)}": p.conclusion for p in self.ranking.pairs}
        if isinstance(self.comparison, Comparison):
            return {
                f"{printable(self.comparison.a)} against {printable(self.comparison.b)}": self.comparison.conclusion
            }
        if isinstance(self.comparison, Comparisons):
            found = {f"{printable(c.a)} on {printable(c.task)}": c.conclusion for c in self.comparison.items}
            together = self.comparison.overall.improvement or self.comparison.overall.sign
            return {**found, "all tasks together": rule(together.low - 0.5, together.high - 0.5).conclusion}
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that a report says about one metric of a table."""

    trials: Trials
    metric: str
    confidence: float
    rule: str | float
    n_failed: int
    judgement: Judgement
    sensitivity: str
    summary: Summary | None
    unshown: str

    @property
    def opening(self) -> str:
        """The first sentence: what there is, and how much of it failed."""
        t = self.trials
        runs = f"{plural(len(t), 'run')} of {plural(len(t.algorithms), 'method')} on {plural(len(t.tasks), 'task')}"
        if not self.n_failed:
            return f"{runs}; none of them failed."
        counted = {"exclude": "left out of means and verdicts", "worst": "counted as the worst possible score"}
        how = counted.get(str(self.rule), f"counted by the rule {self.rule!r}")
        share_failed = share(self.n_failed / len(t))
        verb = "is" if self.n_failed == 1 else "are"
        return f"{runs}; {self.n_failed} of {len(t)} failed ({share_failed}) and {verb} {how}."


def find(
    trials: Trials, *, metric: str | None, confidence: float, failures: str | float | None, margin: float | None,
    looks: int = 1,
) -> Findings:  # fmt: skip
    """Ask every question that the table can answer; refusals become sentences."""
    name = trials.metrics[0] if metric is None else metric
    chosen = "exclude" if failures is None else failure_rule(failures)
    if chosen == "refuse":
        raise InputError("a report never refuses; leave `failures` out, or say 'worst', 'like:NAME' or a number.")
    n_failed = int(np.count_nonzero(trials.failed(name)))
    judgement = _judge(trials, name, confidence, chosen, margin, looks)
    summary, unshown = _summary(trials, name, confidence, chosen)
    return Findings(
        trials=trials, metric=name, confidence=confidence, rule=chosen, n_failed=n_failed, judgement=judgement,
        sensitivity=_sensitivity(trials, name, confidence, chosen, margin, judgement, looks) if n_failed else "",
        summary=summary, unshown=unshown,
    )  # fmt: skip


def attempt(question: Callable[[], T]) -> tuple[T | None, str]:
    """The answer, or the sentence with which it was refused."""
    try:
        return question(), ""
    except InputError as error:
        return None, str(error)


def _judge(
    trials: Trials, metric: str, confidence: float, failures: str | float, margin: float | None, looks: int
) -> Judgement:
    if not trials.independent:
        return Judgement(
            reason="No verdict: the runs were chosen by a grid or an adaptive sampler, so this report describes them and nothing more."
        )
    if trials.question is not None:
        return Judgement(reason=f"No verdict until a question is answered: {trials.question}")
    if len(trials.algorithms) < 2:
        return Judgement(reason="No verdict: there is one method, and nothing to compare it with.")
    part, left_out = _comparable(trials, metric, failures)
    if part is None:
        return Judgement(reason=f"No verdict: {left_out}")
    if len(part.algorithms) == 2:
        a, b = _better_first(part, metric)
        compared, reason = attempt(
            lambda: compare(
                part, a, b, metric=metric, margin=margin, confidence=confidence, failures=failures, looks=looks
            )
        )
        return Judgement(comparison=compared, left_out=left_out, reason=reason and f"No verdict: {reason}", part=part)
    # A margin is in units of the score; over several tasks methods are ranked by duels, which have none.
    within = margin if len(part.tasks) == 1 else None
    ranked, reason = attempt(
        lambda: rank(part, metric=metric, margin=within, confidence=confidence, failures=failures, looks=looks)
    )
    return Judgement(ranking=ranked, left_out=left_out, reason=reason and f"No verdict: {reason}", part=part)


def _better_first(trials: Trials, metric: str) -> tuple[str, str]:
    """Both methods, the one with the better median on more tasks first: "A is better" reads easier than "B is worse"."""
    a, b = trials.algorithms
    sign = 1.0 if trials.goals[metric] == "maximize" else -1.0
    medians = [
        [
            sign * float(np.median(trials.scores(m, t, metric, "exclude")))
            for t in trials.tasks
            if _usable(trials, m, t, metric)
        ]
        for m in (a, b)
    ]
    lead = sum(np.sign(x - y) for x, y in zip(*medians, strict=False))
    return (b, a) if lead < 0 else (a, b)


def _usable(trials: Trials, method: str, task: str, metric: str) -> int:
    rows = trials.cell(method, task).rows
    return int(np.count_nonzero(~trials.failed(metric)[rows]))


def _comparable(trials: Trials, metric: str, failures: str | float) -> tuple[Trials | None, str]:
    """The largest part in which every method has runs on every task, and what was left out for it."""
    methods, tasks = trials.algorithms, trials.tasks
    needs_score = failures == "exclude"
    there = np.array(
        [
            [bool(_usable(trials, m, t, metric) if needs_score else trials.cell(m, t).rows.size) for t in tasks]
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
        what = f"{_some(absent)} {'takes' if len(absent) == 1 else 'take'} no part in the verdict, for want of usable runs on every task."
        return select(trials, "algorithm", whole), what
    absent = [t for t in tasks if t not in shared]
    what = f"The verdict is about {len(shared)} of {len(tasks)} tasks; on {_some(absent)} not every method has usable runs."
    return select(trials, "task", shared), what


def select(trials: Trials, column: str, names: list[str]) -> Trials:
    """The rows with these names."""
    kept = np.isin(np.array(trials.table[column].to_pylist(), dtype=object), np.array(names, dtype=object))
    return replace(trials, table=compact(trials.table.filter(pa.array(kept))))


def _some(names: list[str]) -> str:
    shown = [printable(n) for n in names[:MOST_NAMED]]
    return listed(shown) if len(names) <= MOST_NAMED else f"{', '.join(shown)} and {len(names) - MOST_NAMED} more"


def _summary(trials: Trials, metric: str, confidence: float, failures: str | float) -> tuple[Summary | None, str]:
    """Statistics about which the runs can say something, and a sentence about the others."""
    # An open question forbids intervals, not a description.
    described = trials if trials.question is None else replace(trials, independent=False)
    found, reason = attempt(
        lambda: summarize(described, statistics=DEFAULT, metric=metric, confidence=confidence, failures=failures)
    )
    if found is None:
        return None, reason
    found = _without_repetition(found, trials, metric)
    if not described.independent:
        return found, ""
    found = replace(found, rows=tuple(map(_limited, found.rows)))
    names = list(dict.fromkeys(r.statistic for r in found.rows))
    limited = {r.statistic for r in found.rows if math.isfinite(r.low) and math.isfinite(r.high)}
    dropped = [Statistic.parse(s).label for s in names if s not in limited and s != "mean"]
    rows = tuple(r for r in found.rows if r.statistic in limited or r.statistic == "mean")
    if not dropped:
        return found, ""
    most = max(r.n for r in found.rows)
    kept = tuple(r for r in found.remarks if not any(label.lower() in r.lower() for label in dropped))
    shown = replace(found, rows=rows, remarks=kept)
    return shown, f"Not shown: {listed(dropped)}. {plural(most, 'run')} of a method on a task set no limits to them."


def _limited(row: Row) -> Row:
    """A row without an interval where the runs set no limit at all."""
    if math.isfinite(row.low) or math.isfinite(row.high) or math.isnan(row.estimate):
        return row
    return replace(row, low=math.nan, high=math.nan, method="none", guarantee="none")


def _without_repetition(found: Summary, trials: Trials, metric: str) -> Summary:
    """What has no usable score is said once for each method, not for each task."""
    empty: dict[str, list[str]] = {}
    for cell in trials.cells:
        if not _usable(trials, cell.algorithm, cell.task, metric):
            empty.setdefault(cell.algorithm, []).append(cell.task)
    repeated = {f"{printable(m)} has no usable score on {printable(t)}." for m, tasks in empty.items() for t in tasks}
    said = [r for r in found.remarks if r in repeated]
    if len(said) < 2:
        return found
    several = [
        f"{printable(m)} has no usable score on {_tasks(tasks, len(trials.tasks))}." for m, tasks in empty.items()
    ]
    return replace(found, remarks=(*(r for r in found.remarks if r not in repeated), *several))


def _tasks(names: list[str], n: int) -> str:
    return f"any of the {n} tasks" if len(names) == n > 1 else _some(names)


def unranked(found: Findings) -> dict[str, str]:
    """Methods that a ranking leaves out, and why."""
    part = found.judgement.part
    if found.judgement.ranking is None or part is None:
        return {}
    t, why = found.trials, {}
    for method in t.algorithms:
        if method not in part.algorithms:
            missing = [task for task in t.tasks if not _usable(t, method, task, found.metric)]
            why[method] = (
                f"no usable run on {_tasks(missing, len(t.tasks))}" if len(t.tasks) > 1 else "every run failed"
            )
    return why


def _sensitivity(
    trials: Trials,
    metric: str,
    confidence: float,
    chosen: str | float,
    margin: float | None,
    judged: Judgement,
    looks: int,
) -> str:
    """Whether another rule for failures would change a conclusion."""
    if not judged.sentence or judged.part is None:
        return ""
    if not judged.part.failed(metric).any():
        return "No run of the methods in the verdict failed."
    other, words = ("exclude", "left out") if chosen != "exclude" else ("worst", "counted as the worst possible score")
    rule_used: str | float = other
    order_only = judged.ranking.statistic != "mean" if judged.ranking is not None else margin is None
    if other == "worst" and math.isinf(trials.definitions[metric].worst) and order_only:
        # Only the order counts, so any number beyond every score stands for "worse than every score".
        rule_used, words = _beyond(trials, metric), "counted as worse than every score"
    again = _judge(judged.part, metric, confidence, rule_used, margin, looks)
    if not again.sentence:
        reason = again.reason.removeprefix("No verdict: ")
        return f"Whether the verdict depends on how failures count cannot be said: with failed runs {words}, {reason}"
    before, after = judged.conclusions(), again.conclusions()
    changed = [
        f"{pair}: {before[pair]} becomes {after[pair]}"
        for pair in before
        if after.get(pair, before[pair]) != before[pair]
    ]
    if not changed:
        return (
            f"The verdict does not depend on how failures count: with failed runs {words} every conclusion is the same."
        )
    listing = "; ".join(changed[:MOST_NAMED]) + ("; …" if len(changed) > MOST_NAMED else "")
    return f"The verdict depends on how failures count: with failed runs {words}, {listing}."


def _beyond(trials: Trials, metric: str) -> float:
    usable = trials.values(metric)[~trials.failed(metric)]
    width = float(np.ptp(usable)) or 1.0
    return float(usable.min() - width if trials.goals[metric] == "maximize" else usable.max() + width)


def cell_numbers(trials: Trials, metric: str, *, usable: bool = True) -> tuple[int, int]:
    """The least and the most units of a method on a task; failed ones count where not only usable ones are meant."""
    sizes = []
    for cell in trials.cells:
        rows = cell.rows[~trials.failed(metric)[cell.rows]] if usable else cell.rows
        clusters = trials.clusters(rows)
        sizes.append(rows.size if clusters is None else int(np.unique(clusters).size))
    return min(sizes), max(sizes)


def count_words(trials: Trials, metric: str, *, usable: bool = True) -> str:
    """`100 runs` or `5 to 100 runs` of each method on each task."""
    least, most = cell_numbers(trials, metric, usable=usable)
    word = trials.unit if trials.clustered and trials.unit else "run"
    return plural(most, word) if least == most else f"{least} to {plural(most, word)}"
