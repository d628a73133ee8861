"""Which results answer which question of a table: the verdict, the numbers, and how many runs they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ogive.answers import Foremost, Remark, Summary, SummaryRow, foremost, summarize
from ogive.errors import InputError
from ogive.report._judgment import Judgment, Sensitivity, attempt, judge, sensitivity, some, usable, worst_words
from ogive.report._over_tasks import OverTasks, over_tasks
from ogive.statistics import Statistic
from ogive.trials import Trials, failure_rule
from ogive.words import failure_words, listed, plural, printable, share

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
        judgment=judgment, sensitivity=sensitivity(judgment) if n_failed else Sensitivity(), summary=summary, unshown=unshown,
        over=over_tasks(judgment, name, confidence, chosen, looks, n_runs), foremost=shown, shortened=shortened,
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
    names = list(dict.fromkeys(r.statistic for r in found.rows))
    limited = {r.statistic for r in found.rows if math.isfinite(r.low) and math.isfinite(r.high)}
    dropped = [s for s in names if s not in limited and s != "mean"]
    rows = tuple(r for r in found.rows if r.statistic in limited or r.statistic == "mean")
    if not dropped:
        return found, ""
    most = max(r.n for r in found.rows)
    kept = tuple(r for r in found.remarks if r.statistic not in dropped)
    shown = replace(found, rows=rows, remarks=kept)
    return (
        shown,
        f"Not shown: {listed([Statistic.parse(s).label for s in dropped])}. {plural(most, 'run')} of a method on a task do not limit them on both sides.",
    )


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
    empty: dict[str, list[str]] = {}
    for cell in trials.cells:
        if not usable(trials, cell.algorithm, cell.task, metric):
            empty.setdefault(cell.algorithm, []).append(cell.task)
    if sum(r.without_score is not None for r in found.remarks) < 2:
        return found
    several = [
        Remark(f"{printable(m)} has no usable score on {_tasks(tasks, len(trials.tasks))}.")
        for m, tasks in empty.items()
    ]
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
