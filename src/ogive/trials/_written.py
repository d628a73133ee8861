"""What stands beside the rows of a table, and how a file keeps both: Parquet all that is known, CSV the rows alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.arguments import FloatArray, IntArray
from ogive.errors import InputError, UnreadableSource
from ogive.metric import Metric
from ogive.notes import Note
from ogive.words import spreadsheet_coded
from ogive.writing import as_path, writing

if TYPE_CHECKING:
    from ogive.trials._trials import Trials

FORMAT, VERSION = "ogive-trials", 1
_FACTS = ("unit", "clustered", "question", "varied", "pair", "independent", "n_folds", "scope", "notes", "source")
# Rows (algorithm, task, trial, name, values), or what reads them when somebody asks: those of learning curves may be large.
SeriesSource: TypeAlias = pa.Table | Callable[[], pa.Table]
SERIES = pa.schema([
    ("algorithm", pa.string()), ("task", pa.string()), ("trial", pa.int64()), ("name", pa.string()),
    ("values", pa.list_(pa.float64())),
])  # fmt: skip
_NAMED = pa.list_(pa.struct([SERIES.field("name"), SERIES.field("values")]))


def series_of(trials: Trials, source: SeriesSource | None) -> pa.Table:
    """The series of those trials that are in the table; a store may hold more by now, and another part of a table others."""
    if source is None:
        return SERIES.empty_table()
    table = (source() if callable(source) else source).select(SERIES.names)
    known = np.unique(trials.table["trial"].chunk(0).to_numpy())
    own = _keys(
        trials, trials.codes("algorithm"), trials.codes("task"), trials.table["trial"].chunk(0).to_numpy(), known
    )
    places = [
        pc.fill_null(pc.index_in(table[what], pa.array(names, pa.string())), -1).to_numpy().astype(np.intp)
        for what, names in (("algorithm", trials.algorithms), ("task", trials.tasks))
    ]
    theirs = _keys(trials, places[0], places[1], table["trial"].to_numpy(), known)
    return table.filter(pa.array((theirs >= 0) & np.isin(theirs, own))).combine_chunks()


def _keys(trials: Trials, algorithm: IntArray, task: IntArray, trial: IntArray, known: IntArray) -> IntArray:
    """One number for each method, task and trial; -1 for what the table does not hold."""
    place = np.minimum(np.searchsorted(known, trial), known.size - 1)
    keys = (algorithm * len(trials.tasks) + task) * known.size + place
    return np.where((algorithm >= 0) & (task >= 0) & (known[place] == trial), keys, -1)


def arrays(column: pa.ChunkedArray) -> list[FloatArray]:
    """The values of each series; NaN where one was no finite number."""
    out: list[FloatArray] = []
    for chunk in column.chunks:
        flat = np.array(chunk.flatten().fill_null(np.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
        ends = np.cumsum(pc.list_value_length(chunk).fill_null(0).to_numpy())
        out += np.split(flat, ends[:-1]) if len(chunk) else []
    return out


def joined_series(parts: Sequence[Trials]) -> SeriesSource | None:
    """The series of several tables, read when somebody asks."""
    having = [part for part in parts if part.series_source is not None]
    return partial(_concatenated, having) if having else None  # no closure: tables of trials are pickled


def _concatenated(parts: Sequence[Trials]) -> pa.Table:
    # Each gives those of its own rows: two selections of one table share their source.
    return pa.concat_tables([part.series_table for part in parts])


def as_column(trials: Trials) -> pa.Array | None:
    """For each row of a table its series by name, for a file of one table; None where there are none."""
    table = trials.series_table
    if not table.num_rows:
        return None
    named: dict[tuple[str, str, int], list[dict[str, object]]] = {}
    for row in table.to_pylist():
        held = {"name": row["name"], "values": row["values"]}
        named.setdefault((row["algorithm"], row["task"], row["trial"]), []).append(held)
    keys = trials.table.select(["algorithm", "task", "trial"]).to_pylist()
    # Of several rows of a trial, as for items, the first keeps them.
    return pa.array([named.pop((key["algorithm"], key["task"], key["trial"]), None) for key in keys], _NAMED)


def from_column(table: pa.Table, column: str) -> pa.Table:
    """What `as_column` made of the series, from the table that it stood in."""
    rows = [
        {"algorithm": a, "task": t, "trial": i, "name": one["name"], "values": one["values"]}
        for a, t, i, named in zip(
            *(table[c].to_pylist() for c in SERIES.names[:3]), table[column].to_pylist(), strict=True
        )
        for one in named or ()
    ]
    return pa.Table.from_pylist(rows, SERIES)


def write(trials: Trials, path: str | Path, *, raw: bool = False) -> None:
    """Write Parquet, with everything that is known, or CSV, the columns alone; `raw` leaves its names as they are."""
    target = as_path(path)
    if target.suffix == ".csv":
        frame = trials.to_pandas()
        if not raw:
            for column in frame.columns.difference(frame.select_dtypes("number").columns):
                frame[column] = [spreadsheet_coded(v) if isinstance(v, str) else v for v in frame[column]]
            frame.columns = [spreadsheet_coded(name) for name in frame.columns]
        with writing(target) as file:
            frame.to_csv(file, index=False)
    elif target.suffix == ".parquet":
        import pyarrow.parquet as pq

        table, series, column = trials.table, as_column(trials), None
        if series is not None:
            column = "series"
            while column in table.column_names:  # a metric is called so
                column = f"{column} of trials"
            table = table.append_column(column, series)
        facts = {
            "format": FORMAT, "version": VERSION, "series": column,
            "metrics": {name: {"goal": m.goal, "bounds": list(m.bounds)} for name, m in trials.definitions.items()},
            **{name: getattr(trials, name) for name in (*_FACTS, "looks", "holds", "step", "counted_by")},
            "question": None if trials.question is None else trials.question.to_dict(),
            "notes": [note.to_dict() for note in trials.notes],
        }  # fmt: skip
        table = table.replace_schema_metadata({b"ogive": json.dumps(facts).encode()})
        with writing(target) as file:
            pq.write_table(table, file, write_page_checksum=True, compression="zstd")
    else:
        raise InputError(f"`path` must end in .parquet or .csv; got {target.name!r}.")


def described(table: pa.Table, source: str) -> dict[str, Any]:
    """What `write` said about a table beside its rows, as the arguments of Trials."""
    try:
        facts = json.loads(table.schema.metadata[b"ogive"])
        version = int(facts["version"])
        if version > VERSION:
            raise UnreadableSource(
                f"{source} was written by a newer version of Ogive (format {version}); upgrade to read it."
            )
        definitions = {name: Metric(m["goal"], tuple(m["bounds"])) for name, m in facts["metrics"].items()}
        known: dict[str, Any] = {
            name: tuple(facts[name]) if isinstance(facts[name], list) else facts[name] for name in _FACTS
        } | {
            "source": source,
            "looks": facts.get("looks", 0),
            "holds": facts.get("holds"),
            "step": facts.get("step"),
            "counted_by": dict(facts.get("counted_by") or {}),
        }
        known["notes"] = tuple(map(Note.from_dict, facts["notes"]))
        column = facts.get("series")
        known |= {"series_column": column, "series_source": None if column is None else from_column(table, column)}
        known["question"] = None if facts["question"] is None else Note.from_dict(facts["question"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, UnreadableSource):
            raise
        raise UnreadableSource(
            f"{source} says that Ogive wrote it, but its description is damaged; write it again."
        ) from error
    return {"definitions": definitions, **known}
