"""Which results answer which question of a table: the verdict, the answers over all tasks, the numbers."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ogive.answers import (
    Comparison,
    Conclusion,
    Foremost,
    Question,
    Ranking,
    Remark,
    Summary,
    SummaryRow,
    foremost,
    judge_all,
    judge_pair,
    summarize,
)
from ogive.errors import InputError
from ogive.notes import NoteKind
from ogive.plots import ProfileDisplay, profile
from ogive.profiles import (
    MANY_TASKS,
    Aggregates,
    AverageRanks,
    Kind,
    PairOfCurves,
    aggregates,
    average_ranks,
    performance_profile,
)
from ogive.statistics import Statistic
from ogive.trials import Trials, failure_rule
from ogive.words import failure_words, listed, plural, printable, share

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

    def conclusions(self, like: Ranking | None = None) -> dict[str, Conclusion]:
        """What is concluded of each pair (and task); pairs are turned as in another ranking, where one is given."""
        if self.ranking is not None:
            there = {r.algorithm for r in self.ranking.rows}
            pairs = [(p.a, p.b) for p in (like or self.ranking).pairs if {p.a, p.b} <= there]
            return {f"{printable(a)} against {printable(b)}": self.ranking.pair(a, b).conclusion for a, b in pairs}
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
    counted = usable if failures == "exclude" else lambda trials, m, t, _: trials.cell(m, t).rows.size
    there = np.array([[counted(trials, m, t, metric) > 0 for t in tasks] for m in methods])
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


def sensitivity(judged: Judgment, n_tasks: int) -> Sensitivity:
    """Whether another rule for failures would change a conclusion about the same methods on the same tasks."""
    part, question = judged.part, judged.question
    if judged.decided is None or part is None or question is None:
        return Sensitivity()
    if not part.failed(question.metric).any():
        if len(part.tasks) < n_tasks:
            return Sensitivity("All failed runs are on tasks that the verdict leaves out.")
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
    after = again.conclusions(judged.ranking)
    changed = [  # a pair that is gone counts as changed
        f"{pair}: {said} becomes {after.get(pair, 'not judged, since usable runs are missing')}"
        for pair, said in judged.conclusions().items()
        if after.get(pair) != said
    ]
    if changed:
        listing = "; ".join(changed[:MOST_NAMED]) + ("; …" if len(changed) > MOST_NAMED else "")
        return Sensitivity(f"The verdict depends on how failures count: with failed runs {words}, {listing}.")
    then = again.ahead()
    others = [
        f"{name} ({who}; then {then[name]})" for name, who in judged.ahead().items() if then.get(name, who) != who
    ]
    but = f" But who is ahead {listed(others)} depends on it." if others else ""
    return Sensitivity(
        f"The verdict does not depend on how failures count: with failed runs {words} it is the same.{but}"
    )


def worst_words(trials: Trials, metric: str) -> str:
    """What failed runs count as under the rule `worst`."""
    return "worse than every score" if math.isinf(trials.definitions[metric].worst) else "the worst possible score"


# Fewer tasks are better read one by one.
FEWEST_TASKS = 5
STATISTICS = ("iqm", "mean", "median")
# Enough for two digits of an interval's ends.
RESAMPLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTasks:
    """What is said about all tasks together; what the table does not allow is None.

    Attributes
    ----------
    display : ProfileDisplay or None
        The profile, of the kind that the scores allow.
    pair : PairOfCurves or None
        Its leader against the next.
    notes : tuple of str
        Why this kind, what the profile speaks of, and what a reader must know.
    """

    display: ProfileDisplay | None
    pair: PairOfCurves | None
    aggregates: Aggregates | None
    ranks: AverageRanks | None
    notes: tuple[str, ...]


def over_tasks(
    judged: Judgment, metric: str, confidence: float, failures: str | float, looks: int, n_runs: int, whole: Trials | None = None,
) -> OverTasks | None:  # fmt: skip
    """The answers over all tasks of what can be compared; None for few tasks, or where nothing can be judged.

    `n_runs` is the largest number of runs of a method on a task. The profile is of the `whole` table, in which failed runs
    that a verdict leaves out count as unsolved: without them every method would succeed everywhere.
    """
    part = judged.part
    if part is None or len(part.tasks) < FEWEST_TASKS:
        return None
    if failures == "exclude":
        counted, _ = _comparable(whole or part, metric, "worst")
    else:
        counted, _ = attempt(lambda: part.counted(metric, failures))
    level = 1.0 - (1.0 - confidence) / looks
    display = None if counted is None else _drawn(counted, metric, level, n_runs)
    known: dict[str, Any] = {"metric": metric, "goal": part.goals[metric], "confidence": confidence}

    def runs() -> Any:
        """By method and task, failures counted by the rule; where rows share a unit, the table."""
        if part.clustered:
            return part.counted(metric, failures)
        return {m: {t: part.scores(m, t, metric, failures) for t in part.tasks} for m in part.algorithms}

    found = None
    # Folds share training data: what is resampled as if they were independent would be too sure.
    if _share_a_scale(part, metric) and part.n_folds is None:
        found, _ = attempt(lambda: aggregates(runs(), statistics=STATISTICS, n_resamples=RESAMPLES, **known))
    ranks, _ = attempt(lambda: average_ranks(runs(), **known))
    if display is None and ranks is None:
        return None
    first = None if display is None else display.profile.compare(*display.order[:2])
    failed = counted is not None and bool(counted.failed(metric).any())
    said = ("; ranks and means leave it out" if failures == "exclude" else "") if failed else None
    notes = tuple(_notes(part, metric, said, judged, display))
    return OverTasks(display=display, pair=first, aggregates=found, ranks=ranks, notes=notes)


def _share_a_scale(part: Trials, metric: str) -> bool:
    """Whether both bounds of the score are declared: then it means the same on every task."""
    return None not in part.bounds[metric]


def _drawn(part: Trials, metric: str, confidence: float, n_runs: int) -> ProfileDisplay | None:
    """The first kind of profile that the table allows: by scores, by duels of runs, by ratios of costs."""
    kinds: list[Kind] = ["score"] if _share_a_scale(part, metric) else []
    if n_runs > 1:
        kinds.append("improvement")
    elif part.goals[metric] == "minimize":
        kinds.append("ratio")
    for kind in kinds:
        with contextlib.suppress(InputError):
            return profile(performance_profile(part, kind, metric=metric, confidence=confidence, missing="fail"))
    return None


def _notes(
    part: Trials, metric: str, failed: str | None, judged: Judgment, display: ProfileDisplay | None
) -> list[str]:
    if display is None:
        return ["No profile: one run of each method on a task, and no bounds that declare one scale for all tasks (say bounds=)."]  # fmt: skip
    found, n = display.profile, len(display.profile.problems)
    notes = ["" if found.kind == "score" else "Problems are the tasks of this table.", _why(part, metric, found.kind)]
    if failed is not None:
        notes.append(f"In the profile a failed run counts as worse than every other{failed}.")
    held = judged.decided is not None and judged.question is not None and not judged.question.sampled
    if found.random == "problems" and held:  # the verdict holds the tasks fixed
        notes.append(
            "The verdict at the top speaks of other runs on these tasks, the profile of other tasks like these: the two questions "
            "may have different answers, and the second is the harder one."
        )
    elif found.random == "problems" and found.kind != "score":
        notes.append(
            "The verdict at the top asks who wins more often, the curves by how much each method misses the best: that takes more tasks to tell."
        )
    if n < MANY_TASKS and found.random == "problems":
        notes.append(f"Few tasks: with {n} of them only large differences can be seen.")
    elif n < MANY_TASKS:
        notes.append(f"Few tasks: the profile speaks of these {n} alone; {MANY_TASKS} are wanted to speak of others.")
    return [note for note in notes if note]


def _why(part: Trials, metric: str, kind: str) -> str:
    low, high = part.bounds[metric]
    if kind == "score":
        return f"Scores of all tasks are taken as they are, since the bounds {low:g} and {high:g} declare one scale for them."
    if kind == "ratio":
        limits = [note.values["limit"] for note in part.notes if note.kind is NoteKind.AT_TIME_LIMIT]
        return "Every value is divided by the best one on its task, which takes 0 for no cost at all. " + (
            f"A run that reached the time limit of {min(limits):g} counts as failed."
            if limits
            else "No time limit is known here: a run that reached one counts with its time (--time-limit counts it as a failure)."
        )
    scale = "" if _share_a_scale(part, metric) else " No bounds declare one scale for the scores of all tasks (say bounds=), so that there is no mean over tasks."  # fmt: skip
    return f"Only the order of runs within a task counts here, so that tasks need no common scale.{scale}"


def profile_words(found: OverTasks) -> str:
    """A sentence for the methods section of a paper."""
    if found.display is None:
        return ""
    kind, tasks = found.display.profile.kind, plural(len(found.display.profile.problems), "task")
    if kind == "score":
        return f"Score profiles show the share of runs better than a score τ, averaged over {tasks}."
    what = {
        "ratio": "the cost of a method is at most τ times the least one",
        "improvement": "a run of the best method beats one of another method with probability of at most 1/2 + τ",
    }[kind]
    return f"Performance profiles show on which share of {tasks} {what}{found.display.profile.estimated}."


# Cells of methods and tasks whose numbers a page holds; 6,000 with six statistics each are some 4 MB of it.
MOST_CELLS = 6_000
ALL_NUMBERS = "All numbers: ogive.summarize(trials).to_pandas(), on the command line `ogive summary --json`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that a report says about one metric of a table.

    `seen` is the table with failures counted by the rule of the page, of which pictures are made; None where nothing is left.
    """

    trials: Trials
    metric: str
    confidence: float
    rule: str | float
    looks: int
    n_failed: int
    judgment: Judgment
    sensitivity: Sensitivity
    summary: Summary | None
    unshown: str
    over: OverTasks | None
    foremost: Foremost
    shortened: str
    seen: Trials | None

    @property
    def sampled(self) -> bool:
        """Whether there is a verdict, and it takes the tasks for a sample."""
        judged = self.judgment
        return judged.decided is not None and judged.question is not None and judged.question.sampled

    @property
    def opening(self) -> str:
        """The first sentence: what there is, and how much of it failed."""
        t = self.trials
        runs = f"{plural(len(t), 'run')} of {plural(len(t.algorithms), 'method')} on {plural(len(t.tasks), 'task')}"
        return f"{runs}; {self.failed_words()}." if self.n_failed else f"{runs}; none of them failed."

    def failed_words(self, noun: str = "") -> str:
        """`4 of 30 failed (13 %) and are left out of means and verdicts`; with a noun `4 of 30 runs failed`."""
        t, n = self.trials, self.n_failed
        are = "is" if n == 1 else "are"
        counted = {
            "exclude": f"{are} left out of means and verdicts", "worst": f"{are} counted as {worst_words(t, self.metric)}"
        }  # fmt: skip
        how = counted.get(str(self.rule)) or failure_words(self.rule, n)
        of = f"{n} of {len(t)} {noun}".rstrip()
        return f"{of} failed ({share(n / len(t))}) and {how}"


def find(
    trials: Trials, *, metric: str | None, confidence: float, failures: str | float | None, margin: float | None,
    looks: int = 1, criterion: str | None = None, over: str | None = None, guaranteed: bool = False,
) -> Findings:  # fmt: skip
    """Ask every question that the table can answer; refusals become sentences."""
    name = trials.metrics[0] if metric is None else metric
    chosen = "exclude" if failures is None else failure_rule(failures)
    if chosen == "refuse":
        raise InputError("a report never refuses; leave `failures` out, or say 'worst', 'like:NAME' or a number.")
    n_failed = int(np.count_nonzero(trials.failed(name)))
    terms = {
        "criterion": criterion, "margin": margin, "over": over, "guaranteed": guaranteed, "confidence": confidence, "looks": looks
    }  # fmt: skip
    judgment = judge(trials, name, chosen, terms)
    summary, unshown = _summary(trials, name, confidence, chosen)
    ranking = judgment.ranking
    shown = foremost(trials, name, order=None if ranking is None else [r.algorithm for r in ranking.rows])
    shortened = ""
    if summary is not None and len(trials.cells) > MOST_CELLS:
        summary, shortened = _short(summary, shown), f"{shown.sentence} {ALL_NUMBERS}"
    n_runs = cell_numbers(judgment.part or trials, name, usable=False)[1]
    seen, _ = attempt(lambda: trials.counted(name, chosen))
    return Findings(
        trials=trials, metric=name, confidence=confidence, rule=chosen, looks=looks, n_failed=n_failed,
        judgment=judgment, sensitivity=sensitivity(judgment, len(trials.tasks)) if n_failed else Sensitivity(), summary=summary, unshown=unshown,
        over=over_tasks(judgment, name, confidence, chosen, looks, n_runs, trials), foremost=shown, shortened=shortened,
        seen=seen,
    )  # fmt: skip


def _summary(trials: Trials, metric: str, confidence: float, failures: str | float) -> tuple[Summary | None, str]:
    """Statistics about which the runs can say something, and a sentence about the others."""
    # An open question forbids intervals, not a description.
    described = trials if trials.question is None else replace(trials, independent=False)
    found, reason = attempt(lambda: summarize(described, metric=metric, confidence=confidence, failures=failures))
    if found is None:
        return None, reason
    found = _without_repetition(found, trials, metric)
    if not described.independent:
        return found, ""
    found = replace(found, rows=tuple(map(_limited, found.rows)))
    limited = {"mean", *(r.statistic for r in found.rows if math.isfinite(r.low) and math.isfinite(r.high))}
    dropped = [s for s in dict.fromkeys(r.statistic for r in found.rows) if s not in limited]
    if not dropped:
        return found, ""
    labels, most = listed([Statistic.parse(s).label for s in dropped]), plural(max(r.n for r in found.rows), "run")
    rows = tuple(r for r in found.rows if r.statistic not in dropped)
    shown = replace(found, rows=rows, remarks=tuple(r for r in found.remarks if r.statistic not in dropped))
    if trials.n_folds is not None:
        return (
            shown,
            f"Not shown: {labels}, of which folds of a cross-validation have no interval that accounts for what they share.",
        )
    return shown, f"Not shown: {labels}. {most} of a method on a task do not limit them on both sides."


def _short(summary: Summary, shown: Foremost) -> Summary:
    """The rows of these methods on these tasks, in this order."""
    methods, tasks = ({name: i for i, name in enumerate(names)} for names in (shown.methods, shown.tasks))
    kept = [r for r in summary.rows if r.algorithm in methods and r.task in tasks]
    return replace(summary, rows=tuple(sorted(kept, key=lambda r: (methods[r.algorithm], tasks[r.task]))))


def _limited(row: SummaryRow) -> SummaryRow:
    """A row without an interval where the runs set no limit at all."""
    if math.isfinite(row.low) or math.isfinite(row.high) or math.isnan(row.estimate):
        return row
    return replace(row, low=math.nan, high=math.nan, method="none", guarantee="none")


def _without_repetition(found: Summary, trials: Trials, metric: str) -> Summary:
    """What has no usable score is said once for each method, not for each task."""
    if sum(r.without_score is not None for r in found.remarks) < 2:
        return found
    empty: dict[str, list[str]] = {}
    for cell in trials.cells:
        if not usable(trials, cell.algorithm, cell.task, metric):
            empty.setdefault(cell.algorithm, []).append(cell.task)
    n = len(trials.tasks)
    several = [Remark(f"{printable(m)} has no usable score on {_tasks(tasks, n)}.") for m, tasks in empty.items()]
    return replace(found, remarks=(*(r for r in found.remarks if r.without_score is None), *several))


def _tasks(names: list[str], n: int) -> str:
    return f"any of the {n} tasks" if len(names) == n > 1 else some(names)


def unranked(found: Findings) -> dict[str, str]:
    """Methods that a ranking leaves out, and why."""
    part = found.judgment.part
    if found.judgment.ranking is None or part is None:
        return {}
    t, why = found.trials, {}
    for method in t.algorithms:
        if method not in part.algorithms:
            missing = [task for task in t.tasks if not usable(t, method, task, found.metric)]
            why[method] = (
                f"no usable run on {_tasks(missing, len(t.tasks))}" if len(t.tasks) > 1 else "every run failed"
            )
    return why


def cell_numbers(trials: Trials, metric: str, *, usable: bool = True) -> tuple[int, int]:
    """The least and the most units of a method on a task; failed ones count where not only usable ones are meant."""
    sizes = []
    for cell in trials.cells:
        rows = cell.rows[~trials.failed(metric)[cell.rows]] if usable else cell.rows
        clusters = trials.clusters(rows)
        sizes.append(rows.size if clusters is None else int(np.unique(clusters).size))
    return min(sizes), max(sizes)


def count_words(trials: Trials, metric: str, *, usable: bool = True) -> str:
    """`100 runs`, `5 to 100 runs` or `10 folds` of each method on each task."""
    least, most = cell_numbers(trials, metric, usable=usable)
    word = trials.unit if trials.clustered and trials.unit else "fold" if trials.n_folds is not None else "run"
    return plural(most, word) if least == most else f"{least} to {plural(most, word)}"
