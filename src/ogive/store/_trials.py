"""The rows of a store become Trials: typed columns, and what must be known to judge them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.metric import Metric, goal_by_name, goal_in_name
from ogive.notes import Note, NoteKind
from ogive.store._records import Record, as_metric
from ogive.store._schemas import project
from ogive.trials import Trials

# What a hold is called in sentences, and the unit of rows that share one draw of it.
SHARED = {"config": "configuration", "data": "data draw", "seed": "seed"}
CLOSE = 0.2  # a trial within this share of a limit might have been cut on a slower machine


@dataclass(frozen=True, slots=True, eq=False)
class Sharing:
    """Which rows share a draw, and whether they may be counted."""

    unit: str = "trial"
    group: pa.Array | None = None
    clustered: bool = False
    question: Note | None = None


def to_trials(
    table: pa.Table,
    record: Record,
    limits: Sequence[Mapping[str, Any]],
    part: NDArray[np.int32],
    *,
    source: str,
    notes: Iterable[Note],
    looks: int = 0,
    series: Callable[[], pa.Table] | None = None,
) -> Trials:
    """Trials from settled rows; `limits` are those of each part, `part` the part of each row, `series` reads their curves."""
    said: list[Note] = []
    found = project(table["metrics"])
    definitions = _define(record, found, said)
    nothing = np.full(table.num_rows, np.nan)
    sharing = _sharing(table, record)
    columns = {
        "algorithm": _names(table["algorithm"], record.get("algorithms", {})),
        "task": _names(table["task"], record.get("tasks", {})),
        "trial": _single(table["trial"]),
        "item": _single(table["item"]),
        "group": _single(table["group"]) if sharing.group is None else sharing.group,
        "status": _single(table["status"]).dictionary_encode(),
        "message": _single(table["message"]),
        "params": _single(table["params"]),
        **{name: pa.array(found.get(name, nothing)) for name in definitions},
        "wall_s": _single(table["wall_s"]),
        "cpu_s": _single(table["cpu_s"]),
    }
    varied = tuple(record.get("varied") or ())
    several = len(columns["algorithm"].dictionary) > 1
    paired = several and "data" in varied
    scope = _scope(columns["task"].dictionary.to_pylist(), record)
    if several:
        said.append(Note(NoteKind.PAIRED_TRIALS if paired else NoteKind.NOT_PAIRED_DATA))
    said += _slices(record)
    said += _limits(columns, limits, part)
    return Trials(
        table=pa.table(columns), definitions=definitions, varied=varied, unit=sharing.unit, clustered=sharing.clustered,
        question=sharing.question, pair="trial" if paired else None, scope=scope, notes=(*notes, Note(NoteKind.FROM_STORE, values={"n": table.num_rows, "store": source}), *said), source=source, looks=looks,
        holds=record.get("holds"), series_source=series, counted_by=_counted_by(columns["task"].dictionary.to_pylist(), record),
    )  # fmt: skip


def _define(record: Record, found: Mapping[str, Any], notes: list[Note]) -> dict[str, Metric]:
    """Direction and bounds of every metric that a trial reported, declared ones first."""
    declared = {name: as_metric(name, said) for name, said in record.get("metrics", {}).items()}
    if not found:
        return declared or {"score": Metric()}
    absent = [name for name in declared if name not in found]
    if absent:
        notes.append(Note(NoteKind.NOT_REPORTED, values={"metrics": absent}))
    out = {name: metric for name, metric in declared.items() if name in found}
    for name in found:
        if name not in declared:
            out[name] = Metric.toward(goal_by_name(name))
            kind = NoteKind.GOAL_UNKNOWN if goal_in_name(name) is None else NoteKind.GOAL_ASSUMED
            notes.append(Note(kind, "goal", {"metric": name, "goal": out[name].goal}))
    return out


def _sharing(table: pa.Table, record: Record) -> Sharing:
    """What one independent draw is: a trial, or all trials that share what was held for several."""
    held = _held(record)
    if len(held) > 1:
        ways = [(SHARED[what], how, k) for what, how, k in held]
        return Sharing(question=Note(NoteKind.ASKS_HOLDS, values={"holds": ways}))
    trial = table["trial"].to_numpy()
    if held:
        what, how, k = held[0]
        return Sharing(SHARED[what], _texts(trial // k if how == "every" else trial % k), clustered=True)
    if table["group"].null_count < table.num_rows:
        return Sharing("group", None, clustered=True)
    if table["item"].null_count < table.num_rows:
        return Sharing("trial", _texts(trial), clustered=True)
    return Sharing()


def _held(record: Record) -> list[tuple[str, str, int]]:
    """What several trials share: (what, every or cycle, k)."""
    out = []
    for what, how in (record.get("holds") or {}).items():
        if what in SHARED and isinstance(how, dict) and len(how) == 1:
            ((word, k),) = how.items()
            # One draw for all is held fixed, a new draw for each is not held.
            if word in ("every", "cycle") and isinstance(k, int) and k > 1:
                out.append((what, word, k))
    return out


def _slices(record: Record) -> list[Note]:
    """Where the configurations of a study at percentiles come from."""
    held = (record.get("holds") or {}).get("config")
    asked = held.get("percentiles") if isinstance(held, dict) else None
    if not isinstance(asked, dict):
        return []
    about = {"metric": asked["metric"]}
    return [
        Note(NoteKind.AT_PERCENTILE, values=about | {name: value for name, value in one.items() if name != "config"})
        for one in asked["slices"]
    ]


def _texts(numbers: NDArray[np.int64]) -> pa.Array:
    """Numbers as text, each different one written once."""
    different, codes = np.unique(numbers, return_inverse=True)
    words = pa.array(different).cast(pa.string())
    return words.take(pa.array(codes.astype(np.int64)))


def _names(column: pa.ChunkedArray, order: Iterable[str]) -> pa.DictionaryArray:
    """Names that occur, in the order of the record."""
    encoded = _single(column).dictionary_encode()
    found = encoded.dictionary.to_pylist()
    place = {name: i for i, name in enumerate(order)}
    names = sorted(found, key=lambda name: (place.get(name, len(place)), name))
    lookup = np.array([names.index(name) for name in found], dtype=np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(lookup[encoded.indices.to_numpy()]), pa.array(names, pa.string()))


def _single(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece; text of more than two gigabytes with wide offsets."""
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_string(column.type) and column.nbytes > 2**31 - 2**20:
        column = column.cast(pa.large_string())
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], type=column.type)


def _scope(tasks: Sequence[str], record: Record) -> str | dict[str, str] | None:
    """What results speak of: one phrase, or one for each task where they differ."""
    said = {task: _scope_words(record.get("tasks", {}).get(task) or {}) for task in tasks}
    different = set(said.values())
    if len(different) == 1:
        return different.pop()
    return {task: scope for task, scope in said.items() if scope is not None}


def _counted_by(tasks: Sequence[str], record: Record) -> dict[str, str]:
    """What the values of each series are counted by, where all tasks say the same."""
    said = [record.get("tasks", {}).get(task, {}).get("counted_by", {}) for task in tasks]
    return {name: word for name, word in said[0].items() if all(o.get(name) == word for o in said)} if said else {}


def _scope_words(task: Mapping[str, Any]) -> str | None:
    scope: str | None = task.get("scope")
    return f"these {task['n_rows']} rows" if scope == "these rows" and task.get("n_rows") else scope


def _limits(columns: Mapping[str, Any], limits: Sequence[Mapping[str, Any]], part: NDArray[np.int32]) -> list[Note]:
    """The limits that trials ran under, and how many trials each of them cut or nearly cut."""
    said = sorted(
        {", ".join(f"{name} {value}" for name, value in sorted(of.items()) if value is not None) for of in limits}
        - {""}
    )
    if not said:
        return []
    wall, cpu, memory = (_of_rows(limits, part, name) for name in ("wall_limit", "cpu_limit", "memory_limit"))
    status = columns["status"].cast(pa.string())
    timeout, hog = (np.asarray(pc.equal(status, s).to_numpy(zero_copy_only=False)) for s in ("timeout", "memory"))
    named = pc.starts_with(columns["message"], "CPU").fill_null(False).to_numpy(zero_copy_only=False)
    by_cpu = timeout & (named | np.isnan(wall))
    notes = [Note(NoteKind.LIMITS, values={"limits": said})]
    notes += _near("wall", wall, columns["wall_s"], timeout & ~by_cpu)
    notes += _near("CPU", cpu, columns["cpu_s"], by_cpu)
    n_hogs = int(np.count_nonzero(hog & ~np.isnan(memory)))
    if n_hogs:
        notes.append(Note(NoteKind.CUT_BY_MEMORY, values={"n": n_hogs}))
    return notes


def _near(what: str, limit: NDArray[np.float64], took: pa.Array, cut: NDArray[np.bool_]) -> list[Note]:
    """How many trials ended close to a limit on time, and how many it cut; nothing where there are none."""
    seconds = np.asarray(took.fill_null(np.nan).to_numpy(zero_copy_only=False))
    close = int(np.count_nonzero((np.abs(seconds - limit) <= CLOSE * limit) & ~cut))
    n_cut = int(np.count_nonzero(cut & ~np.isnan(limit)))
    if not close and not n_cut:
        return []
    return [Note(NoteKind.NEAR_LIMIT, values={"limit": what, "share": CLOSE, "near": close, "cut": n_cut})]


def _of_rows(limits: Sequence[Mapping[str, Any]], part: NDArray[np.int32], name: str) -> NDArray[np.float64]:
    """A limit for each row, NaN where its part has none."""
    return np.array([_number(of.get(name)) for of in limits], dtype=np.float64)[part]


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else float("nan")
