"""Optuna studies become plain Arrow tables: object, storage URL, SQLite file, journal file.

Needs the extra `optuna`. SQLite files are opened read-only. Optuna keeps no record of the
sampler in its storage, and its default (TPE) is adaptive: a stored study is therefore taken for
adaptive unless the caller says otherwise.
"""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from ogive.errors import InputError, MissingDependency, UnreadableSource
from ogive.importers._columns import refuse_reserved
from ogive.notes import Note, NoteKind

# Samplers whose draws do not depend on earlier results, and are independent of each other.
INDEPENDENT_SAMPLERS = ("RandomSampler",)
STATES = {"COMPLETE": "ok", "PRUNED": "error", "FAIL": "error"}
DATABASES = ("sqlite", "mysql", "postgresql", "mssql", "oracle")
SQLITE_MARK = b"SQLite format 3\x00"
JOURNAL_MARK = b'{"op_code":'


def is_study(source: object) -> bool:
    """Whether `source` is an Optuna study."""
    return any(t.__module__.startswith("optuna.") and t.__name__ == "Study" for t in type(source).__mro__)


def is_url(source: str) -> bool:
    """Whether `source` is a storage URL."""
    return "://" in source and source.split(":", 1)[0].split("+", 1)[0] in DATABASES


def masked(source: str | Path) -> str:
    """A storage URL, or text that holds one, without user and password."""
    text = re.sub(r"(://)\S*@", r"\1***@", str(source))
    return re.sub(r"(?i)([?&;](?:user|password|passwd|pwd)=)[^&;\s]*", r"\1***", text)


def is_storage_file(path: Path) -> bool:
    """Whether a path is that of a SQLite database or an Optuna journal; what cannot be opened is refused by who reads it."""
    try:
        if not path.is_file():  # a pipe would wait for somebody to write
            return False
        with path.open("rb") as handle:
            head = handle.read(64)
    except (OSError, ValueError):
        return False
    return head.startswith(SQLITE_MARK) or head.replace(b" ", b"").startswith(JOURNAL_MARK)


def load_studies(source: str | Path) -> list[Any]:
    """Every study of a storage."""
    try:
        import optuna
    except ImportError as error:
        raise MissingDependency("reading Optuna studies needs the package optuna: pip install optuna.") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        storage = _open(optuna, source)
        names = [summary.study_name for summary in optuna.get_all_study_summaries(storage)]
        studies = [optuna.load_study(study_name=name, storage=storage) for name in names]
    except UnreadableSource:
        raise
    except Exception as error:  # SQLAlchemy, drivers and Optuna raise many kinds; all mean: not readable
        raise UnreadableSource(
            f"{masked(source)} cannot be read as an Optuna storage: {masked(' '.join(str(error).split()))[:200]}"
        ) from error
    if not studies:
        raise UnreadableSource(f"{masked(source)} holds no Optuna study.")
    return studies


def from_study(study: Any, *, stored: bool) -> tuple[pa.Table, dict[str, str], bool, list[Note]]:
    """One row for each finished trial of a study; its goals by metric; whether trials are independent; notes."""
    metrics = [f"value_{i}" for i in range(len(study.directions))] if len(study.directions) > 1 else ["value"]
    names = getattr(study, "metric_names", None) or metrics
    refuse_reserved(names)
    if len({*names}) < len(names):
        raise InputError(f"the Optuna study {study.study_name!r} has metrics of the same name; name them apart.")
    rows: dict[str, list[Any]] = {c: [] for c in ("trial", "status", "message", "params", "wall_s", *names)}
    everything = study.get_trials(deepcopy=False)
    finished = [trial for trial in everything if trial.state.name in STATES]
    for trial in finished:
        state = trial.state.name
        values = list(trial.values or []) or [None] * len(names)
        rows["trial"].append(trial.number)
        rows["status"].append(STATES[state])
        rows["message"].append(
            None if state == "COMPLETE" else str(trial.system_attrs.get("fail_reason", state.lower()))
        )
        rows["params"].append(json.dumps(trial.params, sort_keys=True, separators=(",", ":"), default=str))
        rows["wall_s"].append(trial.duration.total_seconds() if trial.duration is not None else None)
        for name, value in zip(names, values, strict=True):
            rows[name].append(value if state == "COMPLETE" else None)
    if not rows["trial"]:
        raise UnreadableSource(f"the Optuna study {study.study_name!r} has no finished trial.")
    types = {"trial": pa.int64(), "wall_s": pa.float64(), **dict.fromkeys(names, pa.float64())}
    table = pa.table({c: pa.array(v, type=types.get(c, pa.string())) for c, v in rows.items()})
    goals = {n: d.name.lower() for n, d in zip(names, study.directions, strict=True)}
    enqueued = sum("fixed_params" in trial.system_attrs for trial in finished)
    independent = not stored and not enqueued and type(study.sampler).__name__ in INDEPENDENT_SAMPLERS
    counts = {NoteKind.TRIALS_LEFT_OUT: len(everything) - len(finished), NoteKind.ENQUEUED: enqueued}
    notes = [Note(kind, values={"n": n, "study": study.study_name}) for kind, n in counts.items() if n]
    return table, goals, independent, notes


def _open(optuna: Any, source: str | Path) -> Any:
    if isinstance(source, str) and is_url(source):
        if not source.startswith("sqlite"):
            return optuna.storages.RDBStorage(source, skip_table_creation=True)
        # A file is opened as a file: read-only, and never made where there is none.
        source = source.split(":///", 1)[-1].split("?", 1)[0]
    path = Path(source).resolve()
    if not path.is_file():
        raise UnreadableSource(f"{path} does not exist.")
    with path.open("rb") as handle:
        if handle.read(16) != SQLITE_MARK:
            return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(path)))
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        tables = {row[0] for row in connection.execute("select name from sqlite_master")}
    if not {"studies", "trials", "trial_values"} <= tables:
        raise UnreadableSource(
            f"{source} is a SQLite file without Optuna's tables; Ogive reads only Optuna studies from SQLite."
        )
    return optuna.storages.RDBStorage(f"sqlite:///{path.as_uri()}?mode=ro&uri=true", skip_table_creation=True)
