"""Trials in a file: Parquet keeps what is known about the rows, CSV the rows alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.metric import Metric
from ogive.notes import Note
from ogive.trials._series import as_column, from_column
from ogive.words import spreadsheet_coded
from ogive.writing import as_path, writing

if TYPE_CHECKING:
    from ogive.trials._trials import Trials

FORMAT, VERSION = {"format": "ogive-trials"}, 1
_FACTS = ("unit", "clustered", "question", "varied", "pair", "independent", "n_folds", "scope", "notes", "source")


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
        facts = FORMAT | {"version": VERSION, "series": column} | _facts(trials)
        table = table.replace_schema_metadata({b"ogive": json.dumps(facts).encode()})
        with writing(target) as file:
            pq.write_table(table, file, write_page_checksum=True, compression="zstd")
    else:
        raise InputError(f"`path` must end in .parquet or .csv; got {target.name!r}.")


def _facts(trials: Trials) -> dict[str, Any]:
    return {
        "metrics": {name: {"goal": m.goal, "bounds": list(m.bounds)} for name, m in trials.definitions.items()},
        **{name: getattr(trials, name) for name in (*_FACTS, "looks", "holds")},
        "question": None if trials.question is None else trials.question.to_dict(),
        "notes": [note.to_dict() for note in trials.notes],
    }


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
        } | {"source": source, "looks": facts.get("looks", 0), "holds": facts.get("holds")}
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
