"""A plain table and its roles become Trials; what was guessed becomes a note."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import InputError, InvalidScores, UnreadableSource
from ogive.importers._dictionaries import ONE_TASK
from ogive.importers._roles import Roles, is_number
from ogive.importers._units import Units, find_units
from ogive.trials import OK, RESERVED, STATUSES, Bounds, Metric, Trials, compact

SMALLER_IS_BETTER = (
    "loss", "error", "err", "mse", "rmse", "mae", "mape", "brier", "perplexity", "time", "times", "seconds", "runtime",
    "duration", "cost", "regret", "latency", "wer", "fid", "nll", "crossentropy",
)  # fmt: skip
STATUS_WORDS = {
    "ok": OK, "complete": OK, "completed": OK, "success": OK, "succeeded": OK, "done": OK, "finished": OK, "true": OK,
    "error": "error", "fail": "error", "failed": "error", "failure": "error", "false": "error", "pruned": "error",
    "timeout": "timeout", "timelimit": "timeout", "memory": "memory", "oom": "memory", "memout": "memory",
    "crashed": "crashed", "crash": "crashed", "killed": "crashed", "invalid": "invalid", "nan": "invalid",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """What the caller says about a table beyond its columns."""

    unit: str | None = None
    varied: tuple[str, ...] | None = None
    goal: str | Mapping[str, str] | None = None
    bounds: Bounds | Mapping[str, Bounds] | None = None
    independent: bool = True
    scope: str | None = None


def assemble(table: pa.Table, roles: Roles, facts: Facts, *, source: str, default_algorithm: str) -> Trials:
    """Trials from a long table."""
    n = table.num_rows
    if n < 2:
        raise InvalidScores(f"{source} holds one row of scores; a distribution needs at least two.")
    notes = _role_notes(roles)
    for name in roles.score:
        if name in RESERVED:
            raise InputError(
                f"a score column may not be called {name!r}, which is a column of the trial table; rename it."
            )
    metrics = {name: _numbers(table[name], name) for name in roles.score}
    definitions = {name: _metric(name, facts, notes) for name in metrics}
    for name, metric in definitions.items():
        _check_bounds(name, metrics[name], metric)
    algorithm = _labels(table, roles.algorithm, default_algorithm)
    task = _labels(table, roles.task, ONE_TASK)
    params = _params(table, roles.params)
    status, message = _status(table, roles, notes, next(iter(metrics.values())))
    units = find_units(table, roles, facts.unit, algorithm, task, params)
    notes += units.notes
    if not facts.independent:
        notes.append(
            "an adaptive sampler chose the trials: they are described, not judged (say independent=True if they were drawn at random)"
        )
    columns = {
        "algorithm": algorithm,
        "task": task,
        "trial": pa.array(units.trial, type=pa.int64()),
        "item": _optional_labels(table, roles.item),
        "group": pa.nulls(n, pa.string()) if units.group is None else units.group,
        "status": status,
        "message": message,
        "params": pa.nulls(n, pa.string()) if params is None else params,
        **{name: pa.array(values) for name, values in metrics.items()},
        "wall_s": _cost(table, roles.wall_s),
        "cpu_s": _cost(table, roles.cpu_s),
    }
    return Trials(
        table=compact(pa.table(columns)),
        definitions=definitions,
        unit=units.unit,
        clustered=units.clustered,
        question=units.question,
        pair=units.pair,
        n_folds=units.n_folds,
        varied=_varied(facts, roles, units, params),
        independent=facts.independent,
        scope=facts.scope,
        notes=tuple(notes),
        source=source,
    )


def unpivot(table: pa.Table, declared: Mapping[str, str | None], columns: Sequence[str] | None) -> pa.Table:
    """A long table from a wide one: each column of numbers is a method."""
    kept = [c for c in declared.values() if c is not None]
    for name in [*kept, *(columns or ())]:
        if name not in table.column_names:
            raise InputError(
                f"there is no column {name!r}; the columns are {', '.join(map(repr, table.column_names))}."
            )
    text = [c for c in table.column_names if not is_number(table.schema.field(c).type) and c not in kept]
    methods = list(columns) if columns else [c for c in table.column_names if c not in kept and c not in text]
    if not methods:
        raise UnreadableSource("a wide table needs at least one column of numbers; each is a method.")
    # A text column that nobody declared names the task: problems down, methods across.
    kept += text[:1] if "task" not in declared or declared["task"] is None else []
    index = [c for c in kept if c not in methods]
    parts = [
        pa.table(
            {
                **{c: table[c] for c in index},
                "algorithm": pa.array([m] * table.num_rows),
                "score": pa.array(_numbers(table[m], m)),
            }
        )
        for m in methods
    ]
    long = pa.concat_tables(parts)
    if text[:1] and text[0] in index and declared.get("task") is None and "task" not in long.column_names:
        long = long.rename_columns(["task" if c == text[0] else c for c in long.column_names])
    return long


def _numbers(column: pa.ChunkedArray, name: str) -> np.ndarray:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    if is_number(column.type):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64).copy()
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise InvalidScores(f"column {name!r} must hold numbers; it holds {column.type}.")
    out = np.full(len(column), np.nan)
    for i, text in enumerate(column.to_pylist()):
        if text is None or not text.strip():
            continue
        try:
            out[i] = float(text)
        except ValueError:
            shown = text if len(text) <= 40 else text[:37] + "…"
            raise InvalidScores(
                f"column {name!r} must hold numbers; row {i + 1} holds {shown!r}. Leave the cell empty for a trial that failed."
            ) from None
    return out


def _metric(name: str, facts: Facts, notes: list[str]) -> Metric:
    goal = facts.goal.get(name) if isinstance(facts.goal, Mapping) else facts.goal
    if goal is None:
        words = name.lower().replace("-", "_").split("_")
        smaller = words[0] != "neg" and any(w in SMALLER_IS_BETTER for w in words)
        goal = "minimize" if smaller else "maximize"
        notes.append(f"goal of {name!r}: {goal} (guessed from its name; say goal= to decide)")
    bounds = facts.bounds.get(name) if isinstance(facts.bounds, Mapping) else facts.bounds
    direction: Literal["maximize", "minimize"] = "minimize" if goal == "minimize" else "maximize"
    if goal not in ("maximize", "minimize"):
        raise InputError(f"`goal` must be 'maximize' or 'minimize'; got {goal!r}.")
    return Metric(direction, (None, None) if bounds is None else bounds)


def _check_bounds(name: str, values: np.ndarray, metric: Metric) -> None:
    low, high = metric.bounds
    finite = values[np.isfinite(values)]
    outside = np.count_nonzero(finite < (-np.inf if low is None else low)) + np.count_nonzero(
        finite > (np.inf if high is None else high)
    )
    if outside:
        raise InputError(
            f"`bounds` ({low}, {high}) must contain every score; {outside} of {finite.size} in column {name!r} lie outside "
            f"({finite.min():g} to {finite.max():g}). Correct the bounds or the scores."
        )


def _labels(table: pa.Table, column: str | None, default: str) -> pa.Array:
    if column is None:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(table.num_rows, dtype=np.int32)), pa.array([default]))
    values = table[column].combine_chunks()
    if values.null_count:
        raise UnreadableSource(
            f"column {column!r} names no method or task in {values.null_count} of {len(values)} rows; fill or drop them."
        )
    return _text(values).dictionary_encode()


def _optional_labels(table: pa.Table, column: str | None) -> pa.Array:
    return pa.nulls(table.num_rows, pa.string()) if column is None else _text(table[column].combine_chunks())


def _text(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return values.cast(pa.string())


def _cost(table: pa.Table, column: str | None) -> pa.Array:
    return pa.nulls(table.num_rows, pa.float64()) if column is None else pa.array(_numbers(table[column], column))


def _params(table: pa.Table, columns: tuple[str, ...]) -> pa.Array | None:
    """Canonical JSON of each row's configuration."""
    if not columns:
        return None
    if columns == ("params",) and not is_number(table.schema.field("params").type):
        return _text(table["params"])
    values = [table[c].to_pylist() for c in columns]
    order = sorted(range(len(columns)), key=lambda i: columns[i])
    return pa.array(
        json.dumps({columns[i]: values[i][row] for i in order}, separators=(",", ":"), default=str)
        for row in range(table.num_rows)
    )


def _status(table: pa.Table, roles: Roles, notes: list[str], scores: np.ndarray) -> tuple[pa.Array, pa.Array]:
    n = table.num_rows
    bad = ~np.isfinite(scores)
    given = np.full(n, OK, dtype=object)
    if roles.status is not None:
        words = [str(w).strip().lower().rsplit(".", 1)[-1].replace("_", "") for w in table[roles.status].to_pylist()]
        unknown = sorted({w for w in words if w not in STATUS_WORDS})
        if unknown and "status" not in roles.guessed:
            raise InputError(
                f"column {roles.status!r} holds {unknown[0]!r}, which is no status; known are {', '.join(STATUSES)}."
            )
        if unknown:
            notes.append(f"column {roles.status!r} is not used: {unknown[0]!r} is no status")
        else:
            given = np.array([STATUS_WORDS[w] for w in words], dtype=object)
    given[(given == OK) & bad] = "invalid"
    message = table["message"] if "message" in table.column_names else None
    texts = pa.nulls(n, pa.string()) if message is None else _text(message)
    if message is None and bad.any():
        texts = pc.if_else(pa.array(bad), pa.scalar("no finite score"), texts)
    return pa.array(given, type=pa.string()).dictionary_encode(), texts


def _varied(facts: Facts, roles: Roles, units: Units, params: pa.Array | None) -> tuple[str, ...]:
    if facts.varied is not None:
        return facts.varied
    found = []
    if params is not None and pc.count_distinct(params).as_py() > 1:
        found.append("configuration")
    if roles.fold is not None:
        found.append("fold")
    if roles.repeat is not None and roles.repeat.lower() == "seed":
        found.append("seed")
    if units.unit is not None and units.unit not in found and roles.item is not None:
        found.append(roles.item)
    return tuple(found)


def _role_notes(roles: Roles) -> list[str]:
    notes = []
    for role in ("score", "algorithm", "task", "repeat", "item", "group", "fold", "status", "params"):
        value: Any = getattr(roles, role)
        if value:
            names = ", ".join(repr(v) for v in value) if isinstance(value, tuple) else repr(value)
            notes.append(f"{role}: column {names}{' (guessed)' if role in roles.guessed else ''}")
    if roles.unused:
        notes.append(f"not used: {', '.join(repr(c) for c in roles.unused)}")
    return notes
