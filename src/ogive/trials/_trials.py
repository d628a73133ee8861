"""Trials: an immutable columnar table, with what must be known to judge it; its rows by method and task, and how failed ones count."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray
from ogive.errors import FailedTrials, InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note, NoteKind, narrowed
from ogive.notes import said as remark
from ogive.schema import LEADING, NO_SCORE, OK, TRAILING
from ogive.trials._staircase import Staircase
from ogive.trials._written import SeriesSource, arrays, described, series_of, write
from ogive.words import listed, plural, quoted

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMED = 6  # methods in a refusal


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The rows of one algorithm on one task."""

    algorithm: str
    task: str
    rows: IntArray


def compact(table: pa.Table) -> pa.Table:
    """One chunk for each column; names and statuses, which are few, dictionary-encoded in order of appearance."""
    columns: dict[str, pa.Array] = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks else pa.array([], type=column.type)
        if name in ("algorithm", "task", "status"):
            column = (column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column).dictionary_encode()
        columns[name] = column
    return pa.table(columns)


def the_one(what: str, name: str | None, names: tuple[str, ...]) -> str:
    """That name, where it is one of these; the only one where None."""
    if name is None:
        if len(names) == 1:
            return names[0]
        raise InputError(f"`{what}` must be named, since there are {len(names)}: {quoted(names)}.")
    if name not in names:
        raise InputError(f"`{what}` {name!r} is not in the table; there are {quoted(names)}.")
    return name


def failure_rule(failures: str | float) -> str | float:
    """The rule, checked: refuse, exclude, worst, like:NAME or a finite number."""
    if isinstance(failures, str) and (failures in ("refuse", "exclude", "worst") or failures.startswith("like:")):
        return failures
    try:
        if not isinstance(failures, (str, Real)) or isinstance(failures, bool):
            raise ValueError
        number = float(failures)
    except ValueError:
        raise InputError(
            f"`failures` must be 'refuse', 'exclude', 'worst', 'like:NAME' or a number; got {failures!r}."
        ) from None
    if not math.isfinite(number):
        raise InputError(f"`failures` as a number must be finite; got {number}.")
    return number


def replacement(trials: Trials, cell: Cell, metric: str, rule: str | float) -> FloatArray:
    """What stands for each trial of a cell if it failed, by a rule."""
    if isinstance(rule, float):
        low, high = trials.definitions[metric].bounds
        if (low is not None and rule < low) or (high is not None and rule > high):
            raise InputError(f"`failures` must lie within the bounds ({low}, {high}) of {metric!r}; got {rule:g}.")
        return np.full(cell.rows.size, rule)
    if rule == "worst":
        return np.full(cell.rows.size, trials.definitions[metric].worst)
    other = trials.cell(the_one("algorithm", rule.removeprefix("like:"), trials.algorithms), cell.task)
    if other.algorithm == cell.algorithm:
        raise InputError(
            f"`failures` {rule!r} cannot count failed trials of {cell.algorithm!r} itself, for which its own successes would stand; "
            "name another method, or say 'worst', a number or 'exclude'."
        )
    usable = other.rows[~trials.failed(metric)[other.rows]]
    if not usable.size:
        raise FailedTrials(f"failures={rule!r}: {other.algorithm!r} has no score on {cell.task!r}.")
    return _scores_alike(trials, metric, usable, cell.rows)


def _scores_alike(trials: Trials, metric: str, usable: IntArray, rows: IntArray) -> FloatArray:
    """For each of `rows` the mean of those `usable` ones that share its item and trial; else its item; else of all.

    Where nothing joins the methods, a trial is the place of a row in the file, and says nothing.
    """
    values, item = trials.values(metric), trials.codes("item")
    out = np.full(rows.size, float(values[usable].mean()))
    keys = [item] if (item[rows] >= 0).all() else []
    for key in [*keys, trials.draws] if trials.pair is not None else keys:
        known, wanted = key[usable], key[rows]
        found, place = np.unique(known, return_inverse=True)
        means = np.bincount(place, weights=values[usable]) / np.bincount(place)
        there = np.searchsorted(found, wanted).clip(max=found.size - 1)
        out = np.where(found[there] == wanted, means[there], out)
    return out


def _own_words(trials: Trials, failed: NDArray[np.bool_]) -> str:
    """`; 'diverged' in 5` where few short words of a status column say why; nothing where messages are long."""
    said = Counter(trials.table["message"].filter(pa.array(failed)).cast(pa.string()).to_pylist())
    words = [(word, n) for word, n in said.most_common() if word not in (None, NO_SCORE)]
    if not words or len(words) > MOST_NAMED or any(len(word) > 30 for word, _ in words):
        return ""
    return f"; {listed([f'{word!r} in {n}' for word, n in words])}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Trials:
    """Trials of one or several algorithms on one or several tasks.

    Attributes
    ----------
    table : pyarrow.Table
        One row for each trial.
    definitions : mapping
        Metric name to `Metric`, in order; the first is the default.
    unit : str or None
        What one independent draw is; None where nobody said so and every row is taken for one.
    clustered : bool
        Whether several rows share a unit; the column `group` then names it.
    question : Note or None
        What must be answered before rows can be counted; judging refuses with its sentence.
    varied : tuple of str
        What was drawn anew between trials.
    pair : str or None
        The key that joins methods: rows with the same trial number had the same draw.
    independent : bool
        False for tables made by an adaptive sampler: they are described, not judged.
    n_folds : int or None
        Folds of the cross-validation that the rows come from.
    scope : str, mapping or None
        "generator", or "these rows" ("these 768 rows") for fresh splits of one data set; by task where
        they differ.
    looks : int
        How often smaller tables of the same study were judged before.
    holds : mapping or None
        What a study held fixed or drew for several trials at once; empty where nothing, None where unknown.
    notes : tuple of Note
        How the table was read: what was declared and what was guessed.
    source : str
        Where it came from.
    series_source : table, callable or None
        What holds or reads the series of its trials; `series` gives them.
    step : str or None
        The series that holds the steps of the others, where the table came from rows over steps; `curves` joins both.
    counted_by : mapping
        What the values of a series are counted by otherwise, by its name: "episode". Where nothing is said, by "step".
    """

    table: pa.Table
    definitions: Mapping[str, Metric]
    unit: str | None = None
    clustered: bool = False
    question: Note | None = None
    varied: tuple[str, ...] = ()
    pair: str | None = None
    independent: bool = True
    n_folds: int | None = None
    scope: str | Mapping[str, str] | None = None
    looks: int = 0
    holds: Mapping[str, Any] | None = None
    notes: tuple[Note, ...] = ()
    source: str = ""
    series_source: SeriesSource | None = None
    step: str | None = None
    counted_by: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Trials({len(self)} rows: {len(self.algorithms)} algorithms x {len(self.tasks)} tasks, "
            f"metrics {', '.join(self.metrics)}, {int(np.count_nonzero(self.failed(self.metrics[0])))} failed)"
        )

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(repr(self))}</code>"

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Names in order of appearance."""
        return tuple(self.table["algorithm"].chunk(0).dictionary.to_pylist())

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Names in order of appearance."""
        return tuple(self.table["task"].chunk(0).dictionary.to_pylist())

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names; the first is the default."""
        return tuple(self.definitions)

    @property
    def goals(self) -> dict[str, str]:
        """Direction by metric."""
        return {name: metric.goal for name, metric in self.definitions.items()}

    @property
    def bounds(self) -> dict[str, Bounds]:
        """Bounds by metric."""
        return {name: metric.bounds for name, metric in self.definitions.items()}

    @property
    def judged(self) -> bool:
        """Whether rows or units may be counted as independent."""
        return self.independent and self.question is None

    @property
    def folds_overruled(self) -> bool:
        """Whether somebody said what is independent, and the rows are folds, which share training rows all the same."""
        return any(note.kind is NoteKind.FOLDS_OVERRULED for note in self.notes)

    @property
    def is_split(self) -> bool:
        """Whether a column that nobody declared splits the runs: what is pooled over it would be about no one thing."""
        return self.question is not None and self.question.kind is NoteKind.ASKS_SPLIT

    def scope_of(self, task: str | None = None) -> str | None:
        """The scope of one task; of all of them where None, and None where they differ or nobody said so."""
        if not isinstance(self.scope, Mapping):
            return self.scope
        found = {self.scope.get(name) for name in (self.tasks if task is None else (task,))}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The rows of each algorithm on each task, tasks within algorithms; empty cells are left out."""
        names, tasks, n_tasks = self.algorithms, self.tasks, len(self.tasks)
        cell = self.codes("algorithm") * n_tasks + self.codes("task")
        order = np.argsort(cell, kind="stable")
        numbers, starts = np.unique(cell[order], return_index=True)
        parts = np.split(order, starts[1:]) if numbers.size else []
        return tuple(
            Cell(names[c // n_tasks], tasks[c % n_tasks], rows) for c, rows in zip(numbers, parts, strict=True)
        )

    def cell(self, algorithm: str | None = None, task: str | None = None) -> Cell:
        """The rows of one algorithm on one task; None where there is only one."""
        known = self._cell_of.get((algorithm, task))
        if known is not None:
            return known
        algorithm = the_one("algorithm", algorithm, self.algorithms)
        task = the_one("task", task, self.tasks)
        return self._cell_of.get((algorithm, task)) or Cell(algorithm, task, np.empty(0, dtype=np.intp))

    @cached_property
    def _cell_of(self) -> dict[tuple[str | None, str | None], Cell]:
        return {(cell.algorithm, cell.task): cell for cell in self.cells}

    def select(self, *, algorithms: Sequence[str] | None = None, tasks: Sequence[str] | None = None) -> Trials:
        """The rows of these algorithms on these tasks; of all where not given."""
        kept = np.isin(self.codes("algorithm"), _chosen("algorithm", algorithms, self.algorithms))
        kept &= np.isin(self.codes("task"), _chosen("task", tasks, self.tasks))
        if not kept.any():
            raise InputError("no row is left of these algorithms on these tasks; name some that the table joins.")
        notes = narrowed(self.notes, _named(algorithms), _named(tasks))
        left = replace(self, table=compact(self.table.filter(pa.array(kept))), notes=notes)
        both = (left.algorithms, self.algorithms, "methods"), (left.tasks, self.tasks, "tasks")
        counts = [(len(now), len(before), what) for now, before, what in both if len(now) < len(before)]
        return left.with_notes(Note(NoteKind.SELECTED, values={"counts": counts})) if counts else left

    def codes(self, column: str) -> IntArray:
        """Integer codes of a text column; equal text, equal code; -1 where missing."""
        if column not in self._codes:
            chunk = self.table[column].chunk(0)
            if not pa.types.is_dictionary(chunk.type):
                chunk = chunk.dictionary_encode()
            found = np.array(chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.intp)
            found.flags.writeable = False
            self._codes[column] = found
        return self._codes[column]

    @cached_property
    def _codes(self) -> dict[str, IntArray]:
        """Codes that were asked for: encoding a column of a million rows for each pair of methods took minutes."""
        return {}

    def metric_name(self, metric: str | None) -> str:
        """The metric of that name; the first where None."""
        return self.metrics[0] if metric is None else the_one("metric", metric, self.metrics)

    def values(self, metric: str | None = None) -> FloatArray:
        """A metric for every row, NaN where missing."""
        return self._values[self.metric_name(metric)]

    def failed(self, metric: str | None = None) -> NDArray[np.bool_]:
        """For every row, whether it has no usable score of this metric; other metrics of the row are judged for themselves."""
        return self._failed[self.metric_name(metric)]

    @cached_property
    def _values(self) -> dict[str, FloatArray]:
        columns = {name: self.table[name].chunk(0).to_numpy(zero_copy_only=False) for name in self.definitions}
        values = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
        for column in values.values():
            column.flags.writeable = False
        return values

    @cached_property
    def _failed(self) -> dict[str, NDArray[np.bool_]]:
        good = pc.equal(self.table["status"].chunk(0).cast(pa.string()), OK).to_numpy(zero_copy_only=False)
        return {name: ~(good & np.isfinite(values)) for name, values in self._values.items()}

    def clusters(self, rows: IntArray) -> IntArray | None:
        """The unit of each of these rows; None where every row is one."""
        return self.codes("group")[rows] if self.clustered else None

    @cached_property
    def draws(self) -> IntArray:
        """For every row a code of its item and trial: equal where rows of a task share both."""
        _, trial = np.unique(self.table["trial"].chunk(0).to_numpy(), return_inverse=True)
        return np.asarray((self.codes("item") + 1) * (int(trial.max(initial=0)) + 1) + trial, dtype=np.intp)

    def scores(
        self,
        algorithm: str | None = None,
        task: str | None = None,
        metric: str | None = None,
        failures: str | float = "refuse",
    ) -> FloatArray:
        """The scores of one algorithm on one task; see `resolve_failures` for `failures`."""
        return self.resolve_failures(self.cell(algorithm, task), metric, failures)[0]

    def resolve_failures(self, cell: Cell, metric: str | None, failures: str | float) -> tuple[FloatArray, IntArray]:
        """Scores of a cell and the rows they stand for, under a rule for failed trials.

        `refuse` raises; `exclude` leaves them out; `worst` puts the bound on the bad side, or
        infinity where there is none; a number is put in their place; `like:NAME` takes the score
        of that algorithm on the same task and trial, or its mean there where the trial is missing.
        """
        name = self.metric_name(metric)
        values, failed = self.values(name)[cell.rows], self.failed(name)[cell.rows]
        rule = failure_rule(failures)
        n_failed = int(np.count_nonzero(failed))
        if rule == "exclude":
            return values[~failed], cell.rows[~failed]
        if n_failed:
            if rule == "refuse":
                raise FailedTrials(
                    f"{n_failed} of {failed.size} trials of {cell.algorithm!r} on {cell.task!r} have no usable score; say how to count "
                    f"them: failures='worst', a number, 'like:NAME' or 'exclude'.{self.blame}"
                )
            values[failed] = replacement(self, cell, name, rule)[failed]
        return values, cell.rows

    def refuse_failures(
        self, metric: str, algorithms: Sequence[str] | None = None, tasks: Sequence[str] | None = None
    ) -> None:
        """Refuse failed trials of these algorithms on these tasks, with their number by algorithm, the most first."""
        failed = self.failed(metric)
        counts: dict[str, list[int]] = {}
        for cell in self.cells:
            if cell.algorithm in (algorithms or self.algorithms) and cell.task in (tasks or self.tasks):
                known = counts.setdefault(cell.algorithm, [0, 0])
                known[0] += int(np.count_nonzero(failed[cell.rows]))
                known[1] += cell.rows.size
        found = sorted(((n, of, name) for name, (n, of) in counts.items() if n), key=lambda one: -one[0])
        if not found:
            return
        said = [f"{n} of {of} of {name!r}" for n, of, name in found[:MOST_NAMED]]
        said += [f"some of {plural(len(found) - MOST_NAMED, 'other method')}"] if len(found) > MOST_NAMED else []
        raise FailedTrials(
            f"{sum(n for n, _, _ in found)} of {plural(sum(of for _, of in counts.values()), 'trial')} have no usable {metric!r} (NaN, "
            f"infinite or failed{_own_words(self, failed)}): {listed(said)}; say how to count them: failures='worst', a number, 'like:NAME' or "
            f"'exclude'.{self.blame}"
        )

    @property
    def of_items(self) -> bool:
        """Whether every row is of an item, such as a question or an instance: the best of several says nothing of a method."""
        return len(self) > 0 and self.table["item"].null_count == 0

    def counted(self, metric: str | None, failures: str | float) -> Trials:
        """The same table with the failed trials of a metric counted by a rule: left out, or with the score that it gives them.

        Trials to which the rule gives no finite score stay failed: below every score. By other metrics those that failed as a
        whole have failed as before.
        """
        name, rule = self.metric_name(metric), failure_rule(failures)
        failed = self.failed(name)
        if not failed.any():
            return self
        if rule == "exclude":
            kept = ~failed
            if not kept.any():
                raise InputError(f"none of the {len(self)} trials has a usable {name!r}; there is nothing to describe.")
            return replace(self, table=compact(self.table.filter(pa.array(kept))))
        values = np.array(self.values(name))
        for cell in self.cells:
            if failed[cell.rows].any():
                values[cell.rows] = self.resolve_failures(cell, name, rule)[0]
        given = failed & np.isfinite(values)
        status = np.where(given, OK, self.table["status"].chunk(0).cast(pa.string()).to_numpy(zero_copy_only=False))
        columns = {name: pa.array(values), "status": pa.array(status)}
        for other in (metric for metric in self.metrics if metric != name):
            columns[other] = pa.array(np.where(given & self.failed(other), np.nan, self.values(other)))
        table = self.table
        for column, content in columns.items():
            table = table.set_column(table.schema.get_field_index(column), column, content)
        return replace(self, table=compact(table))

    @property
    def blame(self) -> str:
        """A sentence on which column of yes and no said that runs failed, where one was taken for that."""
        judging = [n.values["column"] for n in self.notes if n.kind is NoteKind.OUTCOME and n.values["n_failed"]]
        return f" Column {judging[0]!r} says that they failed; status='none' if it does not." if judging else ""

    def failures(self, metric: str | None = None) -> list[dict[str, Any]]:
        """Trials that failed by a metric (the first where None), counted by algorithm, task, status and message."""
        chosen = self.table.filter(pa.array(self.failed(metric)))
        columns = ["algorithm", "task", "status", "message"]
        plain = pa.table({c: chosen[c].cast(pa.string()) for c in columns})
        # A row that has another score is no failed trial as a whole, but it has none here.
        said = [
            ("invalid", m or NO_SCORE) if s == OK else (s, m)
            for s, m in zip(*(plain[c].to_pylist() for c in columns[2:]), strict=True)
        ]
        for place, name in enumerate(columns[2:]):
            plain = plain.set_column(2 + place, name, pa.array([pair[place] for pair in said], pa.string()))
        counted = plain.group_by(columns, use_threads=False).aggregate([([], "count_all")])
        return [{**{c: row[c] for c in columns}, "count": row["count_all"]} for row in counted.to_pylist()]

    @cached_property
    def series_table(self) -> pa.Table:
        """Every `ogive.algorithms.Series` of these trials: algorithm, task, trial, name, values."""
        return series_of(self, self.series_source)

    @property
    def series_names(self) -> tuple[str, ...]:
        """Names of the series that trials returned, in order of appearance; their steps are none."""
        return tuple(name for name in self.series_table["name"].unique().to_pylist() if name != self.step)

    def step_of(self, series: str) -> str:
        """What a step of this series is called."""
        return self.step or self.counted_by.get(series, "step")

    def series(
        self, algorithm: str | None = None, task: str | None = None, name: str | None = None
    ) -> dict[int, FloatArray]:
        """The series of one algorithm on one task by the number of their trial, NaN where a value was not finite.

        Trials that returned none are left out. None is allowed where there is one algorithm, task or name.
        """
        return self._series(self.cell(algorithm, task), the_one("name", name, self.series_names))

    def _series(self, cell: Cell, name: str) -> dict[int, FloatArray]:
        table = self.series_table
        wanted = {"algorithm": cell.algorithm, "task": cell.task, "name": name}
        for column, value in wanted.items():
            table = table.filter(pc.equal(table[column], value))
        return dict(zip(table["trial"].to_pylist(), arrays(table["values"]), strict=True))

    def curves(
        self, algorithm: str | None = None, task: str | None = None, name: str | None = None
    ) -> dict[int, Staircase]:
        """The runs of one algorithm on one task over their steps, by the number of their trial.

        Where no steps were read, the values of a series stand at 1, 2, 3 and so on. None is allowed as in `series`.
        """
        values = self.series(algorithm, task, name)
        if self.step is None:
            return {
                trial: Staircase.of(np.arange(1, seen.size + 1), seen) for trial, seen in values.items() if seen.size
            }
        steps = self._series(self.cell(algorithm, task), self.step)
        return {trial: Staircase.of(steps[trial], seen) for trial, seen in values.items()}

    def with_series(self) -> Trials:
        """The same table with its series in memory, whatever becomes of the store that they are read from."""
        return replace(self, series_source=self.series_table if self.series_table.num_rows else None)

    def with_notes(self, *notes: Note | str) -> Trials:
        """The same table with further notes, or with remarks of your own."""
        further = (remark(note) if isinstance(note, str) else note for note in notes)
        return replace(self, notes=(*self.notes, *further))

    def to_pandas(self) -> pd.DataFrame:
        """The columns algorithm, task, trial, item, group, status, params, the metrics, wall_s, cpu_s; not what is known of them, as the pairing."""
        frame: pd.DataFrame = self.table.select([*LEADING, *self.metrics, *TRAILING]).to_pandas()
        return frame

    def write(self, path: str | Path, *, raw: bool = False) -> None:
        """Write Parquet (keeps everything that `read` gives back, series too) or CSV (columns only), by the name's ending.

        In CSV, names that a spreadsheet would run as formulas or that would steer a terminal begin with an apostrophe,
        and control and direction characters are written as escapes, which `read` undoes; `raw` leaves names as they are.
        """
        write(self, path, raw=raw)

    @classmethod
    def from_parquet_table(cls, table: pa.Table, source: str) -> Trials:
        """What `write` wrote, from the Arrow table that Parquet gave back."""
        known = described(table, source)
        column = known.pop("series_column")
        table = table.replace_schema_metadata(None)
        return cls(table=compact(table if column is None else table.drop_columns([column])), **known)


def _named(names: Sequence[str] | None) -> Sequence[str] | None:
    return [names] if isinstance(names, str) else names


def _chosen(what: str, names: Sequence[str] | None, known: tuple[str, ...]) -> list[int]:
    return [known.index(the_one(what, name, known)) for name in _named(names) or (known if names is None else ())]
