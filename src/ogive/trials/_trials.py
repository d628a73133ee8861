"""Trials: an immutable columnar table, with what must be known to judge it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.arguments import FloatArray, IntArray
from ogive.errors import FailedTrials, InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note, NoteKind, narrowed, said
from ogive.schema import LEADING, OK, TRAILING
from ogive.trials._failed import count_failures, failure_rule, refuse_failures, replacement
from ogive.trials._rows import Cell, compact, the_one
from ogive.trials._series import SeriesSource, arrays, series_of
from ogive.trials._written import described, write

if TYPE_CHECKING:
    import pandas as pd


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
        algorithm, task = self.codes("algorithm"), self.codes("task")
        n_tasks = len(self.tasks)
        cell = algorithm * n_tasks + task
        order = np.argsort(cell, kind="stable")
        numbers, starts = np.unique(cell[order], return_index=True)
        parts = np.split(order, starts[1:]) if numbers.size else []
        names, tasks = self.algorithms, self.tasks
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
        left = replace(
            self,
            table=compact(self.table.filter(pa.array(kept))),
            notes=narrowed(self.notes, _named(algorithms), _named(tasks)),
        )
        counts = [
            (len(now), len(before), what)
            for now, before, what in (
                (left.algorithms, self.algorithms, "methods"),
                (left.tasks, self.tasks, "tasks"),
            )
            if len(now) < len(before)
        ]
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
        return self._groups[rows] if self.clustered else None

    @cached_property
    def _groups(self) -> IntArray:
        return self.codes("group")

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
        """Refuse failed trials of these algorithms on these tasks, with their number by algorithm."""
        refuse_failures(self, metric, algorithms or self.algorithms, tasks or self.tasks)

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
        return count_failures(self, self.metric_name(metric))

    @cached_property
    def series_table(self) -> pa.Table:
        """Every `ogive.algorithms.Series` of these trials: algorithm, task, trial, name, values."""
        return series_of(self, self.series_source)

    @property
    def series_names(self) -> tuple[str, ...]:
        """Names of the series that trials returned, in order of appearance."""
        return tuple(self.series_table["name"].unique().to_pylist())

    def series(
        self, algorithm: str | None = None, task: str | None = None, name: str | None = None
    ) -> dict[int, FloatArray]:
        """The series of one algorithm on one task by the number of their trial, NaN where a value was not finite.

        Trials that returned none are left out. None is allowed where there is one algorithm, task or name.
        """
        cell = self.cell(algorithm, task)
        table = self.series_table
        kept = [
            pc.equal(table[column], value)
            for column, value in (
                ("algorithm", cell.algorithm), ("task", cell.task), ("name", the_one("name", name, self.series_names)),
            )
        ]  # fmt: skip
        table = table.filter(pc.and_(pc.and_(kept[0], kept[1]), kept[2]))
        return dict(zip(table["trial"].to_pylist(), arrays(table["values"]), strict=True))

    def with_series(self) -> Trials:
        """The same table with its series in memory, whatever becomes of the store that they are read from."""
        return replace(self, series_source=self.series_table if self.series_table.num_rows else None)

    def with_notes(self, *notes: Note | str) -> Trials:
        """The same table with further notes, or with remarks of your own."""
        further = (said(note) if isinstance(note, str) else note for note in notes)
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
