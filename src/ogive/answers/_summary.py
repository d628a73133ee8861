"""The table of statistics: every method on every task, each number with an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers._bands import has_spread, refuse_unjudgeable
from ogive.answers._facts import facts
from ogive.answers._failures import FailedRuns
from ogive.answers._statistic import DEFAULT, Sample, intervals_of, right_or_wrong
from ogive.answers.verdicts import unit_words
from ogive.arguments import as_confidence, as_names
from ogive.errors import InputError
from ogive.notes import Note, argument, sentences
from ogive.reading import Source, as_trials
from ogive.results import Strength, json_ready, strength_of
from ogive.stages import counting
from ogive.statistics import Assumption, Interval, Statistic
from ogive.tables import Ranged, Table, Tabular
from ogive.trials import Trials, failure_rule
from ogive.words import comma_separated, percent_sure, plural, printable

if TYPE_CHECKING:
    import pandas as pd

LAYOUTS = ("methods-by-tasks", "tasks-by-methods", "methods-by-statistics")
NOTHING: dict[str, Any] = {
    "estimate": math.nan,
    "low": math.nan,
    "high": math.nan,
    "method": "refused",
    "guarantee": "none",
}
DESCRIPTIVE: dict[str, Any] = {"low": math.nan, "high": math.nan, "method": "none", "guarantee": "descriptive"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One statistic of one method on one task; `n` counts units, `n_failed` the rows that failed."""

    algorithm: str
    task: str
    metric: str
    statistic: str
    estimate: float
    low: float
    high: float
    method: str
    guarantee: str
    n: int
    n_failed: int

    def __str__(self) -> str:
        return str(self.cell)

    @property
    def cell(self) -> Ranged:
        """What stands in a table."""
        return Ranged(self.estimate, self.low, self.high)

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    @property
    def unlimited(self) -> bool:
        """Whether nothing limits the statistic on either side."""
        return math.isinf(self.low) and math.isinf(self.high)


COLUMNS = tuple(field.name for field in fields(SummaryRow))


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence below the table, with the statistic that it doubts, or the method and task that have no score."""

    text: str
    statistic: str | None = None
    without_score: tuple[str, str] | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Summary(Tabular):
    """Statistics by method, task and metric, with intervals, and what they are intervals of."""

    rows: tuple[SummaryRow, ...]
    confidence: float
    unit: str
    sentences: tuple[str, ...]
    notes: tuple[Note, ...]
    source: str
    failed: FailedRuns
    remarks: tuple[Remark, ...] = ()

    def __repr__(self) -> str:
        cells = {(r.algorithm, r.task) for r in self.rows}
        return f"Summary({len(cells)} cells, {len(self.rows)} statistics, {self.confidence:g} intervals)"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, width: int | None = None) -> str:
        """Lines of text; a table wider than `width` continues below with further columns."""
        tables = [replace(table, below=()).to_text(width) for table in self.as_tables()]
        return "\n\n".join([*tables, *(["\n".join(self.sentences)] if self.sentences else []), self.footnote()]).strip()

    def as_tables(self) -> tuple[Table, ...]:
        """A table for each task and metric: methods down, statistics across."""
        if self._single_runs():
            return self._scores_side_by_side()
        names = list(dict.fromkeys(r.statistic for r in self.rows))
        head = ("method", "n", *(Statistic.parse(s).label for s in names))
        tasks, metrics = ({getattr(r, field) for r in self.rows} for field in ("task", "metric"))
        blocks: dict[tuple[str, str], dict[str, list[SummaryRow]]] = {}
        for row in self.rows:
            blocks.setdefault((row.task, row.metric), {}).setdefault(row.algorithm, []).append(row)
        out = []
        for (task, metric), methods in blocks.items():
            title = ", ".join(printable(t) for t, many in ((task, len(tasks) > 1), (metric, len(metrics) > 1)) if many)
            body = tuple((name, self.count(rows[0]), *(r.cell for r in rows)) for name, rows in methods.items())
            out.append(Table(head=head, rows=body, title=title))
        return (*out[:-1], replace(out[-1], below=(*self.sentences, self.footnote())))

    def _single_runs(self) -> bool:
        """Whether each method has one run on each of several tasks, of which every statistic is its score."""
        scores: dict[tuple[str, str, str], float] = {}
        for r in self.rows:
            if r.n != 1 or r.n_failed or Statistic.parse(r.statistic).kind == "exceedance":  # a share is no score
                return False
            if scores.setdefault((r.algorithm, r.task, r.metric), r.estimate) != r.estimate:
                return False
        return len({r.task for r in self.rows}) > 1

    def _scores_side_by_side(self) -> tuple[Table, ...]:
        """A line for each task and a column for each method, or the other way round where methods are more."""
        metrics = list(dict.fromkeys(r.metric for r in self.rows))
        tasks, methods = (list(dict.fromkeys(getattr(r, field) for r in self.rows)) for field in ("task", "algorithm"))
        cells = {(r.metric, r.task, r.algorithm): r.cell for r in self.rows}
        out = []
        for metric in metrics:
            lines: list[tuple[Any, ...]] = [("task", *methods)]
            lines += [(task, *(cells.get((metric, task, m), "–") for m in methods)) for task in tasks]
            if len(methods) > len(tasks):
                lines = list(zip(*lines, strict=True))
                lines[0] = ("method", *lines[0][1:])
            out.append(Table(head=lines[0], rows=tuple(lines[1:]), title=printable(metric) if len(metrics) > 1 else ""))
        return (*out[:-1], replace(out[-1], below=(*self.sentences, self.footnote())))

    def count(self, row: SummaryRow) -> str:
        """`9`, `9 (1 failed)`; `9 (7 of 50 rows failed)` where several rows share a unit."""
        return f"{row.n}" if not row.n_failed else f"{row.n} ({self.failed.beside(row)} failed)"

    def footnote(
        self,
        shown: Sequence[SummaryRow] | None = None,
        *,
        brackets: str = "Brackets",
        without: str = "no statistic has one",
    ) -> str:
        """What the brackets of these rows (all where not given) are, how failures count, what has no value.

        `brackets` names where the intervals stand, `without` says why there are none.
        """
        rows = self.rows if shown is None else shown
        kinds = _kinds([row for row in rows if not (math.isnan(row.low) or row.unlimited)])
        if kinds:
            ways = "; ".join(f"{', '.join(labels)}: {how}" for how, labels in kinds.items())
            text = f"{brackets}: {percent_sure(self.confidence)} intervals over {self.unit} ({ways})."
        elif all(r.n == 1 for r in rows):
            text = "No intervals: there is one run of each method on each task; a profile compares methods over many tasks."
        elif all(r.guarantee != "descriptive" for r in rows):
            text = f"No intervals: {without}."
        else:
            text = "No intervals: the trials were chosen by a grid or an adaptive sampler, so this table describes them and nothing more."
        failed = self.failed.sentence(rows)
        # Of one run the score itself is shown: what else to know of a statistic has nothing to stand on.
        remarks = [r for r in self.remarks if r.statistic is None] if self._single_runs() else self.remarks
        return " ".join([text, *([failed] if failed else []), *dict.fromkeys(map(str, remarks))])

    def to_pandas(self) -> pd.DataFrame:
        """One row for each statistic of each method on each task."""
        import pandas as pd

        return pd.DataFrame([{c: getattr(r, c) for c in COLUMNS} for r in self.rows], columns=list(COLUMNS))

    def to_csv(self, *, raw: bool = False) -> str:
        """The rows of `to_pandas` as comma-separated values.

        Names that a spreadsheet would run as formulas begin with an apostrophe, and control and
        direction characters are written as escapes; `raw` leaves names as they are.
        """
        return comma_separated(COLUMNS, ([getattr(r, c) for c in COLUMNS] for r in self.rows), raw=raw)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1,
            "source": self.source,
            "unit": self.unit,
            "confidence": self.confidence,
            "failures": self.failed.rule,
            "notes": [*sentences(self.notes), *dict.fromkeys(map(str, self.remarks))],
            "sentences": list(self.sentences),
            "rows": [json_ready({c: getattr(r, c) for c in COLUMNS}) for r in self.rows],
        }

    def to_latex(
        self,
        layout: str | None = None,
        *,
        statistic: str | None = None,
        metric: str | None = None,
        task: str | None = None,
        bold: Mapping[str, Sequence[str]] | None = None,
        note: str | None = None,
    ) -> str:
        r"""A booktabs table of one statistic, or of one task.

        Parameters
        ----------
        layout : {"methods-by-tasks", "tasks-by-methods", "methods-by-statistics"}, optional
            What stands down and what across. Where not given methods and tasks, whichever are more down.
        statistic, metric : str, optional
            Which one is shown; the first where not given.
        task : str, optional
            Only this one.
        bold : mapping, optional
            Methods to print bold on each task: what `ogive.answers.leaders(trials)` returns.
        note : str, optional
            What stands below the table instead of the footnote.
        """
        if layout not in (None, *LAYOUTS):
            raise InputError(
                f"`layout` must be {', '.join(map(repr, LAYOUTS[:-1]))} or {LAYOUTS[-1]!r}; got {layout!r}."
            )
        by_task, name = layout != "methods-by-statistics", metric or self.rows[0].metric
        rows = self._chosen(by_task, statistic or self.rows[0].statistic, name, task)
        methods, across = (
            list(dict.fromkeys(getattr(r, key) for r in rows))
            for key in ("algorithm", "task" if by_task else "statistic")
        )
        found = {(r.algorithm, r.task if by_task else r.statistic): r for r in rows}
        leading = {t: set(names) for t, names in (bold or {}).items()}
        cells = {at: replace(r.cell, bold=r.algorithm in leading.get(r.task, ())) for at, r in found.items()}
        heads = [a if by_task else Statistic.parse(a).label for a in across]
        if layout == "tasks-by-methods" or (layout is None and len(across) > len(methods)):
            head, body = ("task", *methods), [(a, *(cells.get((m, a)) for m in methods)) for a in across]
        else:
            head, body = ("method", *heads), [(m, *(cells.get((m, a)) for a in across)) for m in methods]
        what = f"{Statistic.parse(rows[0].statistic).label} of {name}." if by_task else f"{name}."
        told = () if bold is None else ("Bold: no other method is certainly better on that task.",)
        return Table(
            head=head, rows=tuple(body), below=(what, *told, self.footnote(rows) if note is None else note)
        ).to_latex()

    def _chosen(self, by_task: bool, statistic: str, metric: str, task: str | None) -> list[SummaryRow]:
        """The rows of a table, refused where there are none or where they would hide each other."""
        rows = [r for r in self.rows if r.metric == metric and task in (None, r.task)]
        if by_task:
            rows = [r for r in rows if r.statistic == statistic]
        if not rows:
            held = (", ".join(dict.fromkeys(getattr(r, name) for r in self.rows)) for name in ("statistic", "metric"))
            where = "" if task is None else f" on {task!r}"
            raise InputError(f"there is no {statistic!r} of {metric!r}{where} in the summary of {' of '.join(held)}.")
        tasks = {r.task for r in rows}
        if not by_task and len(tasks) > 1:
            raise InputError(
                f"layout 'methods-by-statistics' shows one task; there are {len(tasks)}. Choose one with task=."
            )
        return rows


def summarize(
    trials: Source,
    *,
    statistics: str | Sequence[str] = DEFAULT,
    metric: str | None = None,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    guaranteed: bool = False,
) -> Summary:
    """Mean, median, worst 10 %, quantiles and best of k of every method on every task, each with an interval.

    Parameters
    ----------
    trials : Trials, or what `ogive.read` takes
        What `read` or `run` returned; a file, a frame or a dictionary whose columns say what they are.
    statistics : list of str
        Names: mean, median, std, iqm, worst_0.1, best_0.5, q0.95, best_of_8, worst_of_8,
        exceedance_0.9. `best_of_8` is the median of the best of 8 draws.
    metric : str, optional
        All metrics where not given.
    failures : {"refuse", "exclude", "worst", "like:NAME"} or float
        How failed trials count. With "worst" and no bound they lie below every score: quantiles
        stay defined, means are left empty.
    guaranteed : bool
        Take mean and worst share from the exact band as well; std and IQM, which have no such interval,
        and all statistics of rows that share a unit or of folds are left empty. Every interval then holds
        for every distribution; needs bounds for both sides to be finite.

    Notes
    -----
    A quantile is the smallest score that a share of the runs does not exceed; where it falls between two runs, as the
    median of an even number does, it is their middle. Quantiles, best of k and exceedance: order statistics and
    Clopper-Pearson, conservative. Mean and worst share: Student's t and its version for a tail, approximate; std and IQM: BCa
    bootstrap, approximate (simulated coverage in docs/reference/coverage.md). Where all scores of a metric
    are 0 or 1 a mean is a share: Clopper-Pearson, conservative where bounds=(0, 1) are declared, else approximate.

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"svm": [0.81, 0.84, 0.79, 0.83, 0.85, 0.80]}, unit="row")
    >>> print(ogive.summarize(trials, statistics=["median"]))
    method  n  median
    svm     6  0.820 [0.790, 0.850]
    <BLANKLINE>
    Brackets: 95 % intervals over independent runs (median: order statistics, guaranteed).
    """
    trials = as_trials(trials)
    confidence = as_confidence(confidence)
    chosen = [Statistic.parse(name) for name in as_names(statistics, "statistics")]
    if not chosen:
        raise InputError("`statistics` is empty; name at least one, for example 'median'.")
    rule = failure_rule(failures)
    metrics = trials.metrics if metric is None else (metric,)
    if trials.question is not None and trials.independent:  # a description counts nothing
        raise InputError(trials.question)
    remarks: list[Remark] = []
    rows: list[SummaryRow] = []
    sentences: list[str] = []
    for name in metrics:
        try:
            refuse_unjudgeable(trials, name)
        except InputError as error:
            if len(metrics) == 1 or not any(has_spread(trials, other) for other in metrics):
                raise
            remarks.append(Remark(_sentence(error)))  # one score says nothing; the others are shown
            continue
        if rule == "refuse":
            trials.refuse_failures(name)
        _summarize_metric(trials, name, chosen, confidence, rule, guaranteed, rows, remarks)
        sentences += facts(trials, name, confidence, rule, named=len(metrics) > 1)
    return Summary(
        rows=tuple(rows), confidence=confidence, unit=unit_words(trials), sentences=tuple(sentences),
        notes=trials.notes, source=trials.source, failed=FailedRuns.of(trials, metrics, rule), remarks=tuple(dict.fromkeys(remarks)),
    )  # fmt: skip


def _summarize_metric(
    trials: Trials, metric: str, chosen: Sequence[Statistic], confidence: float, rule: str | float, guaranteed: bool,
    rows: list[SummaryRow], remarks: list[Remark],
) -> None:  # fmt: skip
    resolved = [trials.resolve_failures(cell, metric, rule) for cell in trials.cells]
    shares, definition = right_or_wrong([scores for scores, _ in resolved]), trials.definitions[metric]
    samples = [Sample(scores, trials.clusters(kept), definition, trials.n_folds, shares) for scores, kept in resolved]
    found = {
        s.name: intervals_of(s, samples, confidence, guaranteed=guaranteed)
        for s in counting(chosen, "computing statistics")
    }
    doubts = _Doubts(judged=trials.independent)
    failed = trials.failed(metric)
    any_failed = bool(failed.any())
    for place, (cell, sample) in enumerate(zip(trials.cells, samples, strict=True)):
        n_failed = int(np.count_nonzero(failed[cell.rows])) if any_failed else 0
        for statistic in chosen:
            one = found[statistic.name][place]
            values: dict[str, Any] = {**NOTHING, "n": sample.n_units}
            if isinstance(one, InputError):
                remarks.append(
                    Remark(_sentence(one), statistic=statistic.name)
                    if sample.scores.size
                    else Remark(
                        f"{printable(cell.algorithm)} has no usable score on {printable(cell.task)}.",
                        without_score=(cell.algorithm, cell.task),
                    )
                )
            else:
                values = {
                    "estimate": one.estimate, "low": one.low, "high": one.high, "method": one.method, "guarantee": one.guarantee, "n": one.n,
                }  # fmt: skip
                remarks += [Remark(text, statistic=statistic.name) for text in doubts.of(statistic, one)]
                if not trials.independent:
                    values |= DESCRIPTIVE
            rows.append(
                SummaryRow(
                    algorithm=cell.algorithm,
                    task=cell.task,
                    metric=metric,
                    statistic=statistic.name,
                    n_failed=n_failed,
                    **values,
                )
            )


class _Doubts:
    """What a reader of an interval must know; each doubt is said once, however many intervals share it."""

    def __init__(self, *, judged: bool) -> None:
        self._judged = judged
        self._heard: set[tuple[str, str, tuple[str, ...], int, bool]] = set()

    def of(self, statistic: Statistic, found: Interval) -> list[str]:
        """Sentences; none where an interval of the same kind was met before."""
        unlimited = math.isinf(found.low) and math.isinf(found.high)
        kind = (statistic.name, found.method, found.assumptions, found.n, unlimited)
        if kind in self._heard:
            return []
        self._heard.add(kind)
        return _doubts(statistic, found, judged=self._judged)


def _doubts(statistic: Statistic, found: Interval, *, judged: bool) -> list[str]:
    """What a reader of the interval must know, as sentences."""
    unlimited = math.isinf(found.low) and math.isinf(found.high)
    label, said = statistic.label, []
    if Assumption.EXTRAPOLATES in found.assumptions:
        made = f"{plural(found.n, 'run')} that {'was' if found.n == 1 else 'were'} made"
        said.append(_sentence(f"{label} extrapolates beyond the {made}"))
    if judged and Assumption.NEEDS_BOUNDS in found.assumptions:
        said.append(f"The guaranteed {label} has no limits without {argument('bounds', ('low', 'high'))}.")
    if unlimited and found.n > 1:
        said += [f"No interval where {a}." for a in found.assumptions if isinstance(a, Assumption) and a.is_silent]
    if judged and Assumption.RIGHT_OR_WRONG in found.assumptions:
        said.append(
            f"{found.method} takes for granted that {Assumption.RIGHT_OR_WRONG}; declare {argument('bounds', ('0', '1'))}, and the mean is guaranteed."
        )
    return said


def _kinds(rows: Sequence[SummaryRow]) -> dict[str, list[str]]:
    """Statistics by the way their intervals are made, and what that guarantees."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for statistic, method, strength in dict.fromkeys((row.statistic, row.method, row.strength) for row in rows):
        found.setdefault((Statistic.parse(statistic).label, method), {})[strength] = None
    kinds: dict[str, list[str]] = {}
    for (label, method), strengths in found.items():
        kinds.setdefault(f"{method}, {' or '.join(strengths)}", []).append(label)
    return kinds


def _sentence(text: object) -> str:
    words = str(text).rstrip(".")
    return f"{words[:1].upper()}{words[1:]}."
