"""The table of statistics: every method on every task, each number with an interval; failed runs, and what became of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from ogive import statistics
from ogive.answers._facts import facts
from ogive.answers._pictures import has_spread, refuse_unjudgeable
from ogive.answers.verdicts import Leaders, unit_words
from ogive.arguments import as_confidence, as_names
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note, argument, sentences
from ogive.reading import Source, as_trials
from ogive.results import Strength, json_ready, strength_of
from ogive.seeding import stream
from ogive.stages import counting
from ogive.statistics import Assumption, Interval, Statistic, interquartile_mean, standard_deviation
from ogive.tables import Ranged, Table, Tabular
from ogive.trials import Cell, FloatArray, IntArray, Trials, failure_rule
from ogive.words import comma_separated, failure_words, listed, percent_sure, plural, printable

if TYPE_CHECKING:
    import pandas as pd

Place: TypeAlias = tuple[str, str]
FEW_FOR_STD = 50
# Statistics whose intervals are made of many samples at once; beyond so many scores there is nothing to gain.
TOGETHER, MOST_TOGETHER = ("mean", "worst", "best", "q", "best_of", "worst_of"), 1000
DEFAULT = ("mean", "median", "worst_0.1", "q0.05", "q0.95", "best_of_8")
LAYOUTS = ("methods-by-tasks", "tasks-by-methods", "methods-by-statistics")
NOTHING = {"estimate": math.nan, "low": math.nan, "high": math.nan, "method": "refused", "guarantee": "none"}
DESCRIPTIVE = {"low": math.nan, "high": math.nan, "method": "none", "guarantee": "descriptive"}


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
            Methods to print bold on each task. What `ogive.answers.leaders(trials)` returns is a verdict by one
            criterion, which the caption names: it marks the numbers of that statistic and no others, and where it is
            improvement, which is no statistic, those of the summary's first. A task on which all methods
            lead has nothing bold, which the caption says too. Another mapping marks what it says.
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
        marked = self._marked(bold)
        caption = ""
        if isinstance(bold, Leaders):
            shown = Leaders({t: bold[t] for t in dict.fromkeys(r.task for r in rows) if t in bold}, bold.criterion)
            bold = shown.told({t: {r.algorithm for r in rows if r.task == t and r.n} for t in shown})
            caption = shown.caption_without(bold)
        leading = {t: set(names) for t, names in (bold or {}).items()}
        cells = {
            at: replace(r.cell, bold=marked in (None, r.statistic) and r.algorithm in leading.get(r.task, ()))
            for at, r in found.items()
        }
        heads = [a if by_task else Statistic.parse(a).label for a in across]
        if layout == "tasks-by-methods" or (layout is None and len(across) > len(methods)):
            head, body = ("task", *methods), [(a, *(cells.get((m, a)) for m in methods)) for a in across]
        else:
            head, body = ("method", *heads), [(m, *(cells.get((m, a)) for a in across)) for m in methods]
        what = f"{Statistic.parse(rows[0].statistic).label} of {name}." if by_task else f"{name}."
        told = (caption,) if caption and any(r.statistic == marked for r in rows) else ()
        return Table(
            head=head, rows=tuple(body), below=(what, *told, self.footnote(rows) if note is None else note)
        ).to_latex()

    def _marked(self, bold: Mapping[str, Sequence[str]] | None) -> str | None:
        """The statistic whose numbers a verdict marks; None where a mapping marks all."""
        if not isinstance(bold, Leaders):
            return None
        names = [r.statistic for r in self.rows]
        return names[0] if bold.criterion.statistic is None else bold.criterion.statistic.name

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
        exceedance_0.9. `best_of_8` is the median of the best of 8 draws; where rows are items it is left out
        unless it is asked for.
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
    Folds of a cross-validation share training data; there is a correction for that of the mean alone (Nadeau and Bengio 2003),
    and other statistics of folds have no interval. A quantile is the smallest score that a share of the runs does not exceed; where it falls between two runs, as the
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
    if statistics is DEFAULT and trials.of_items:
        statistics = [name for name in DEFAULT if name != "best_of_8"]  # the easiest of eight items is no try
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
    samples = [
        Sample(scores, trials.clusters(kept), definition, trials.n_folds, shares, trials.folds_overruled)
        for scores, kept in resolved
    ]
    found = {
        s.name: intervals_of(s, samples, confidence, guaranteed=guaranteed)
        for s in counting(chosen, "computing statistics")
    }
    failed = trials.failed(metric)
    any_failed = bool(failed.any())
    heard: set[tuple[Any, ...]] = set()  # doubts are looked for once, however many intervals are of one kind
    for place, (cell, sample) in enumerate(zip(trials.cells, samples, strict=True)):
        n_failed = int(np.count_nonzero(failed[cell.rows])) if any_failed else 0
        for statistic in chosen:
            one = found[statistic.name][place]
            if isinstance(one, InputError):
                values: dict[str, Any] = {**NOTHING, "n": sample.n_units}
                if sample.scores.size:
                    remarks.append(Remark(_sentence(one), statistic=statistic.name))
                else:
                    text = f"{printable(cell.algorithm)} has no usable score on {printable(cell.task)}."
                    remarks.append(Remark(text, without_score=(cell.algorithm, cell.task)))
            else:
                names = ("estimate", "low", "high", "method", "guarantee", "n")
                values = {name: getattr(one, name) for name in names}
                unlimited = math.isinf(one.low) and math.isinf(one.high)
                kind = (statistic.name, one.method, one.assumptions, one.n, unlimited)
                if kind not in heard:
                    heard.add(kind)
                    said = _doubts(statistic, one, judged=trials.independent)
                    remarks += [Remark(text, statistic=statistic.name) for text in said]
                if not trials.independent:
                    values |= DESCRIPTIVE
            rows.append(
                SummaryRow(
                    algorithm=cell.algorithm, task=cell.task, metric=metric, statistic=statistic.name, n_failed=n_failed, **values
                )
            )  # fmt: skip


def _doubts(statistic: Statistic, found: Interval, *, judged: bool) -> list[str]:
    """What a reader of the interval must know, as sentences."""
    label, said = statistic.label, []
    if Assumption.EXTRAPOLATES in found.assumptions:
        made = f"{plural(found.n, 'run')} that {'was' if found.n == 1 else 'were'} made"
        said.append(_sentence(f"{label} extrapolates beyond the {made}"))
    if judged and Assumption.NEEDS_BOUNDS in found.assumptions:
        said.append(f"The guaranteed {label} has no limits without {argument('bounds', ('low', 'high'))}.")
    if math.isinf(found.low) and math.isinf(found.high) and found.n > 1:
        said += [f"No interval where {a}." for a in found.assumptions if isinstance(a, Assumption) and a.says_why]
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


@dataclass(frozen=True, slots=True)
class Sample:
    """The scores of one cell, their clusters, and what is known about them.

    `right_or_wrong` is known of the metric, not of the cell: one that is always right is still a share.
    """

    scores: FloatArray
    clusters: IntArray | None
    metric: Metric
    n_folds: int | None
    right_or_wrong: bool = False
    folds_overruled: bool = False

    @property
    def counts(self) -> bool:
        """Whether the scores that are 1 are a binomial count, of which one draw says nothing."""
        return self.right_or_wrong and self.scores.size > 1 and self.clusters is None and self.n_folds is None

    @property
    def n_units(self) -> int:
        """Independent draws: rows, or clusters of rows."""
        return self.scores.size if self.clusters is None else np.unique(self.clusters).size


def interval_of(statistic: Statistic, sample: Sample, confidence: float, *, guaranteed: bool) -> Interval:
    """Estimate and interval on a sample; heuristic where the sample's folds share data, and of their mean alone.

    With `guaranteed`, refused where rows are not independent draws: no interval is certain then.
    """
    folds = sample.n_folds is not None or sample.folds_overruled
    if guaranteed and (folds or sample.clusters is not None):
        shared = "folds that share training data" if folds else "rows that share a unit"
        raise InputError(
            f"{shared} have no interval that holds for every distribution; ask without the guarantee for others."
        )
    found = _within(statistic, _interval(statistic, sample, confidence, guaranteed), sample.metric)
    if not folds:
        return found
    if statistic.kind != "mean" and sample.n_folds is not None:
        # As if folds were independent, the interval of the median of 10 x 10 of them would be 3.5 times too short.
        return replace(
            found,
            low=-math.inf,
            high=math.inf,
            method="none",
            guarantee="heuristic",
            assumptions=(Assumption.MEAN_OF_FOLDS,),
        )
    return (
        found
        if found.guarantee == "heuristic"
        else replace(found, guarantee="heuristic", assumptions=(Assumption.FOLDS,))
    )


def intervals_of(
    statistic: Statistic, samples: Sequence[Sample], confidence: float, *, guaranteed: bool
) -> list[Interval | InputError]:
    """`interval_of` each sample of one metric, or why it has none; samples of one size are done together."""
    found: list[Interval | InputError | None] = [None] * len(samples)
    for places in _of_one_size(statistic, samples, guaranteed):
        for place, one in zip(places, _together(statistic, [samples[i] for i in places], confidence), strict=True):
            found[place] = one
    for place, sample in enumerate(samples):
        if found[place] is None:
            try:
                found[place] = interval_of(statistic, sample, confidence, guaranteed=guaranteed)
            except InputError as error:  # one statistic of one cell has no value; the others stand
                found[place] = error
    return [one for one in found if one is not None]


def _of_one_size(statistic: Statistic, samples: Sequence[Sample], guaranteed: bool) -> list[list[int]]:
    """Places of the samples that can be done together."""
    if guaranteed or statistic.kind not in TOGETHER:
        return []
    groups: dict[int, list[int]] = {}
    for place, sample in enumerate(samples):
        plain = (
            sample.clusters is None
            and not (sample.n_folds or sample.folds_overruled)
            and 0 < sample.scores.size <= MOST_TOGETHER
        )
        if plain and not (statistic.kind == "mean" and sample.counts):
            groups.setdefault(sample.scores.size, []).append(place)
    return [places for places in groups.values() if len(places) > 1]


def _together(statistic: Statistic, samples: Sequence[Sample], confidence: float) -> list[Interval | None]:
    """The intervals of samples of one size; None for what must be looked at by itself."""
    metric, runs = samples[0].metric, np.stack([sample.scores for sample in samples])
    usable = np.asarray(~np.isnan(runs).any(axis=1) if statistic.needs_order_only else statistics.can_sum(runs))
    if not usable.all():
        runs = runs[usable]
    if not len(runs):
        return [None] * len(samples)
    if statistic.kind == "mean":
        found = statistics.mean_intervals(runs, confidence)
    elif statistic.kind in ("worst", "best"):
        found = statistics.tail_mean_intervals(runs, statistic.amount, statistic.tail(metric), confidence)
    else:
        found = statistics.quantile_intervals(runs, statistic.level(metric), confidence)
        if statistic.kind != "q" and statistic.amount > runs.shape[1]:
            found = [replace(one, assumptions=(*one.assumptions, Assumption.EXTRAPOLATES)) for one in found]
    if metric.bounds != (None, None):
        found = [_within(statistic, one, metric) for one in found]
    rest = iter(found)
    return [next(rest) if is_usable else None for is_usable in usable.tolist()]


def _within(statistic: Statistic, found: Interval, metric: Metric) -> Interval:
    """The interval without what the score's bounds exclude."""
    if statistic.kind in ("std", "exceedance"):
        return within(found, (0.0, None if statistic.kind == "std" else 1.0))
    return within(found, metric.bounds)


def _interval(statistic: Statistic, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
    if not statistic.needs_order_only and not np.all(np.isfinite(sample.scores)):
        raise InputError(
            f"{statistic.label} is undefined while failures count as worse than every score; declare "
            f"{argument('bounds')}, or count them by a number."
        )
    if statistic.kind in ("q", "best_of", "worst_of"):
        found = statistics.quantile_interval(
            sample.scores, statistic.level(sample.metric), confidence=confidence, clusters=sample.clusters
        )
        beyond = statistic.kind != "q" and statistic.amount > found.n
        extra = (Assumption.EXTRAPOLATES,) if beyond else ()
        return replace(found, assumptions=(*found.assumptions, *extra))
    if statistic.kind == "exceedance":  # P(score at least as good as the threshold)
        reached = (sample.metric.turned(sample.scores) >= sample.metric.turned(statistic.amount)).astype(float)
        if sample.clusters is None:
            return statistics.exceedance(reached, 0.5, confidence=confidence)
        return statistics.mean_interval(reached, confidence=confidence, clusters=sample.clusters)
    if statistic.kind in ("mean", "worst", "best"):
        return _average(statistic, sample, confidence, guaranteed)
    return _resampled(statistic, sample, confidence, guaranteed)


def _resampled(statistic: Statistic, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
    """std and IQM, by the bootstrap."""
    if guaranteed:
        raise InputError(f"{statistic.label} has no interval that holds for every distribution.")
    if sample.clusters is not None:
        raise InputError(f"{statistic.label} of rows that share a unit is not offered; take the mean or the median.")
    if statistic.kind == "std" and sample.scores.size < 2:
        raise InputError("std needs at least two scores.")
    functional = interquartile_mean if statistic.kind == "iqm" else standard_deviation
    # The stream does not depend on anything but the statistic: the same table, the same numbers.
    found = statistics.bootstrap_interval(
        sample.scores, functional, rng=stream(0, "resample", None, statistic.name), confidence=confidence
    )  # fmt: skip
    # The bootstrap of a standard deviation is far too short in small samples (docs/reference/coverage.md).
    return replace(found, guarantee="heuristic") if statistic.kind == "std" and found.n < FEW_FOR_STD else found


def _average(statistic: Statistic, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
    tail = statistic.tail(sample.metric)
    declared = sample.metric.bounds == (0.0, 1.0)
    if statistic.kind == "mean" and sample.counts and (declared or not guaranteed):
        found = statistics.exceedance(sample.scores, 1.0, confidence=confidence)
        # Within [0, 1] a mean lies between the share of ones and one minus the share of zeros, so the limits
        # hold whatever lies between. Without bounds one rare large score moves the mean beyond them.
        if declared:
            return found
        return replace(found, guarantee="approximate", assumptions=(*found.assumptions, Assumption.RIGHT_OR_WRONG))
    if guaranteed:
        band, bounds = statistics.band(sample.scores, confidence=confidence), sample.metric.bounds
        mass = statistic.amount
        found = band.mean(bounds) if statistic.kind == "mean" else band.cvar(mass=mass, tail=tail, bounds=bounds)
        if not (math.isinf(found.low) and math.isinf(found.high)):
            return found
        return replace(found, assumptions=(*found.assumptions, Assumption.NEEDS_BOUNDS))
    if statistic.kind == "mean":
        share = None if sample.n_folds is None else 1.0 / max(1, sample.n_folds - 1)
        return statistics.mean_interval(
            sample.scores, confidence=confidence, clusters=sample.clusters, test_share=share
        )
    return statistics.tail_mean_interval(
        sample.scores, mass=statistic.amount, tail=tail, confidence=confidence, clusters=sample.clusters
    )


def right_or_wrong(samples: Sequence[FloatArray]) -> bool:
    """Whether all finite scores of these samples are 0 or 1, and both occur: a mean is then a share."""
    values = np.unique(np.concatenate(samples)) if samples else np.empty(0)
    return np.array_equal(values[np.isfinite(values)], (0.0, 1.0))


def within(found: Interval, bounds: Bounds) -> Interval:
    """The interval without what bounds exclude."""
    low, high = bounds
    return replace(
        found,
        low=found.low if low is None else max(low, found.low),
        high=found.high if high is None else min(high, found.high),
    )


class Counted(Protocol):
    """What says how many runs of a method have no usable score on a task."""

    @property
    def algorithm(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def n_failed(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRuns:
    """The rule for failed runs, and their number.

    Attributes
    ----------
    rule : str or float
        refuse, exclude, worst, like:NAME or a number.
    worst : mapping
        The bound on the bad side of each metric, infinite where there is none.
    n_failed : mapping
        Runs without a usable score in any of the metrics, by method and task.
    n_rows : mapping or None
        All rows, by method and task, where several share a unit: a failed row is no failed unit then.
    """

    rule: str | float
    worst: Mapping[str, float]
    n_failed: Mapping[Place, int]
    n_rows: Mapping[Place, int] | None

    @classmethod
    def of(cls, trials: Trials, metrics: Sequence[str], rule: str | float) -> FailedRuns:
        """The failed runs of a table."""
        failed = np.any([trials.failed(metric) for metric in metrics], axis=0)
        return cls(
            rule=rule, worst={metric: trials.definitions[metric].worst for metric in metrics},
            n_failed={_place(cell): int(np.count_nonzero(failed[cell.rows])) for cell in trials.cells},
            n_rows={_place(cell): cell.rows.size for cell in trials.cells} if trials.clustered else None,
        )  # fmt: skip

    def beside(self, row: Counted) -> str:
        """How many failed, beside the number of units: `7`, or `7 of 50 rows`."""
        return f"{row.n_failed}" if self.n_rows is None else self._count(row.n_failed, {_place(row)})

    def sentence(self, shown: Sequence[Counted]) -> str:
        """How many runs behind what is shown failed and how they count, each run once; empty where none failed."""
        by_metric: dict[str, dict[Place, int]] = {}
        for row in shown:
            by_metric.setdefault(row.metric, {})[_place(row)] = row.n_failed
        counts = {metric: sum(by_place.values()) for metric, by_place in by_metric.items()}
        if not any(counts.values()):
            return ""
        places = {place for by_place in by_metric.values() for place in by_place}
        together = sum(self.n_failed[place] for place in places)
        if len(counts) > 1 and any(count != together for count in counts.values()):
            return " ".join(self._of_metric(metric, n, self._count(n, places)) for metric, n in counts.items() if n)
        count = next(iter(counts.values()))
        return self._together(count, self._count(count, places), list(counts))

    def _count(self, count: int, places: set[Place]) -> str:
        """`7 runs`, or `7 of 50 rows`."""
        if self.n_rows is None:
            return plural(count, "run")
        return f"{count} of {plural(sum(self.n_rows[place] for place in places), 'row')}"

    def _together(self, count: int, runs: str, metrics: Sequence[str]) -> str:
        ways: dict[str, list[str]] = {}
        for metric in metrics:
            ways.setdefault(failure_words(self.rule, count, self.worst[metric]), []).append(printable(metric))
        if len(ways) == 1:
            return f"{runs} failed and {next(iter(ways))}."
        it = "it" if count == 1 else "they"
        counted = (f"In {listed(names)} {it} {words}." for words, names in ways.items())
        return " ".join([f"{runs} failed.", *counted])

    def _of_metric(self, metric: str, count: int, runs: str) -> str:
        has = "has" if count == 1 else "have"
        words = failure_words(self.rule, count, self.worst[metric])
        return f"{runs} {has} no usable {printable(metric)} and {words}."


def _place(found: Counted | Cell) -> Place:
    return found.algorithm, found.task
