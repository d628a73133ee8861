"""Stores and files become arrays."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ogive.curves._curves import LearningCurves
from ogive.curves._metrics import CHOSEN, FAILED
from ogive.curves._stored import MOST_IN_MEMORY, Shelves, StoredChoices, StoredScores
from ogive.errors import FailedTrials, InputError, UnreadableSource
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.store import Store, is_store
from ogive.trials import FloatArray
from ogive.writing import as_path, writing

FORMAT, VERSION = "ogive-curves", 1
_COLUMNS = [("model", pa.string()), ("metric", pa.string()), ("size", pa.int64()), ("scores", pa.list_(pa.float64()))]
_FACTS = ("name", "design", "test", "n_rows", "kind", "seed", "notes")


def read(path: str | Path) -> LearningCurves:
    """Learning curves that were written, or run into a store."""
    place = Path(path)
    if is_store(place):
        return from_store(Store(place))
    if place.is_dir():
        raise UnreadableSource(f"{place} holds no learning curves; run them into it first.")
    return from_file(place)


def holds_curves(path: str | Path) -> bool:
    """Whether a folder or a file holds learning curves; a look at what it says about itself, not at its scores."""
    place = Path(path)
    if is_store(place):
        tasks = list(Store(place).records().merged.get("tasks", {}).values())
        return len(tasks) == 1 and _is_of_curves(tasks[0])
    if place.suffix != ".parquet" or not place.is_file():
        return False
    import pyarrow.parquet as pq

    try:
        held = json.loads((pq.read_schema(place).metadata or {})[b"ogive"])
    except (KeyError, ValueError, OSError, pa.ArrowException):
        return False
    return isinstance(held, dict) and held.get("format") == FORMAT


def _is_of_curves(task: Mapping[str, Any]) -> bool:
    facts = task.get("fingerprint")
    return isinstance(facts, dict) and "design" in facts and "sizes" in facts and facts["design"] != "cv"


def arrays(
    store: Store, models: Sequence[str], metrics: Sequence[str], n_numbers: int, n_repetitions: int
) -> tuple[FloatArray, FloatArray]:
    """[model, metric, number, repetition] and [model, number, repetition]: scores, and 1 where a fit failed.

    NaN where there is no score.
    """
    found = series(store, models, (*metrics, FAILED), n_numbers, n_repetitions)
    return found[:, :-1], found[:, -1]


def series(store: Store, models: Sequence[str], names: Sequence[str], n_numbers: int, n_repetitions: int) -> FloatArray:
    """[model, name, number, repetition]; NaN where there is none."""
    table = store.table("series")
    values = np.full((len(models), len(names), n_repetitions, n_numbers), np.nan)
    model, name = (
        pc.fill_null(pc.index_in(table[key].combine_chunks(), pa.array(list(known), pa.string())), -1).to_numpy(zero_copy_only=False)
        for key, known in (("algorithm", models), ("name", names))
    )  # fmt: skip
    trial = table["trial"].to_numpy()
    flat = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table["values"].chunks]
    rows = np.asarray(np.concatenate(flat) if flat else np.empty(0), dtype=np.float64).reshape(-1, n_numbers)
    kept = (model >= 0) & (name >= 0) & (trial < n_repetitions)
    values[model[kept], name[kept], trial[kept]] = rows[kept]
    return np.ascontiguousarray(np.moveaxis(values, 2, 3))


def from_store(
    store: Store, n_repetitions: int | None = None, models: Sequence[str] | None = None, *, lasting: bool = True
) -> LearningCurves:
    """The curves that a store holds; many scores are left in it until they are asked for, if it is `lasting`."""
    record = store.records().merged
    name, task = next(iter(record["tasks"].items()))
    if not _is_of_curves(task):
        raise UnreadableSource(f"{store.path} holds a study, but no learning curves.")
    facts = task["fingerprint"]
    chosen = tuple(models or record["algorithms"])
    metrics = tuple(next(iter(record["algorithms"].values()))["metrics"])
    held = complete(store, chosen, name) if n_repetitions is None else {}
    n_repetitions = min(held.values()) if n_repetitions is None else n_repetitions
    shape = len(chosen), len(metrics), len(facts["sizes"]), n_repetitions
    left = store.series() if 8 * math.prod(shape) > MOST_IN_MEMORY else None
    scores: FloatArray | StoredScores
    if left is None:
        scores, failed = arrays(store, chosen, metrics, *shape[2:])
        failures = failure_notes(store, chosen, failed, facts["sizes"])
        hopeless = [m for m, own in zip(chosen, scores, strict=True) if np.isnan(own).all()]
    else:
        shelves = Shelves(store, left)
        scores = StoredScores(shelves, chosen, metrics, *shape[2:])
        failures = stored_failures(store, shelves, scores, facts["sizes"])
        hopeless = [
            m for m in chosen if not any(shelves.facts(m, name, n_repetitions)["known"].any() for name in metrics)
        ]
        scores = scores if lasting else np.asarray(scores)
    refuse_hopeless(hopeless, failures)
    definitions = {m: Metric(record["metrics"][m]["goal"], tuple(record["metrics"][m]["bounds"])) for m in metrics}
    more = [{"of": model, "n": n, "used": n_repetitions} for model, n in held.items() if n > n_repetitions]
    unused = [Note(NoteKind.UNUSED_REPETITIONS, values=known) for known in more]
    lost = store.unfinished() if held else []
    made = {model: record["algorithms"][model] for model in chosen}
    tuned = tuned_notes(made)
    values: FloatArray | StoredChoices | None = None
    if tuned and left is None:
        values = series(store, chosen, (CHOSEN,), *shape[2:])[:, 0]
    elif tuned:
        values = StoredChoices(shelves, chosen, *shape[2:])
        values = values if lasting else np.asarray(values)
    notes = (*failures, *unused, *lost, *tuned, path_note(made))
    return LearningCurves(
        values=scores, chosen=values, models=chosen, definitions=definitions, sizes=np.array(facts["sizes"]), design=facts["design"],
        test=facts["test"], n_rows=facts["rows"], n_test=facts["n_test"], name=name, kind=facts["kind"],
        seed=record["seed"], notes=notes,
    )  # fmt: skip


def complete(store: Store, models: Sequence[str], name: str) -> dict[str, int]:
    """How many repetitions, from the first on, the store holds of each model; at least one of every model."""
    done = store.finished()
    found = {}
    for model in models:
        cell = done.get((model, name))
        trials = np.sort(np.unique(cell.trials)) if cell is not None else np.empty(0, dtype=np.int64)
        gaps = np.flatnonzero(trials != np.arange(trials.size))
        found[model] = int(gaps[0]) if gaps.size else int(trials.size)
    if not min(found.values()):
        raise UnreadableSource(f"{store.path} holds no repetition of every model yet; run them first.")
    return found


def path_note(definitions: Mapping[str, Mapping[str, Any]]) -> Note:
    """Which models were computed as whole curves, and which were fitted at each size."""
    paths: dict[str, list[str]] = {"kernel": [], "each": []}
    for model, definition in definitions.items():
        paths["kernel" if "kernel" in definition else "each"].append(model)
    return Note(NoteKind.CURVE_PATHS, "fit", paths)


def tuned_notes(definitions: Mapping[str, Mapping[str, Any]]) -> list[Note]:
    """Which models were tuned at each size, over which values."""
    tuned = {model: d["tuned"] for model, d in definitions.items() if "holdout" in d.get("tuned", {})}
    known = {
        model: {
            "parameter": d["parameter"],
            "inverse": d["inverse"],
            "least": min(d["values"]),
            "most": max(d["values"]),
        }
        for model, d in tuned.items()
    }
    return [Note(NoteKind.TUNED_AT_SIZES, "tuned", {"models": known})] if known else []


def refuse_hopeless(models: Sequence[str], notes: Sequence[Note]) -> None:
    """Refuse models of which no fit at all gave a score; there would be nothing to answer."""
    for model in models:
        said = next((note.sentence() for note in notes if note.subject == model), "every fit failed")
        raise FailedTrials(
            f"{model!r} gave no score at any size: {said.rstrip('.')}. Change its parameters, or leave it out."
        )


def failure_notes(store: Store, models: Sequence[str], failed: FloatArray, numbers: Sequence[int]) -> list[Note]:
    """Repetitions and fits without a score, by model."""
    notes = lost_repetitions(store, models, failed.shape[-1])
    for model, table in zip(models, failed, strict=True):
        failures = (table == 1.0).sum(axis=1)
        if failures.any():
            notes.append(failed_fits(model, failures, int(np.isfinite(table).sum()), numbers))
    return notes


def stored_failures(store: Store, shelves: Shelves, scores: StoredScores, numbers: Sequence[int]) -> list[Note]:
    """The same without reading the tables of models whose fits all succeeded."""
    notes = lost_repetitions(store, scores.models, scores.n_repetitions)
    for model in scores.models:
        facts = shelves.facts(model, FAILED, scores.n_repetitions)
        if (facts["largest"] > 0.0).any():
            table = shelves.scores(model, FAILED, scores.n_sizes, scores.n_repetitions)
            notes.append(failed_fits(model, (table == 1.0).sum(axis=1), int(facts["known"].sum()), numbers))
    return notes


def lost_repetitions(store: Store, models: Sequence[str], n_repetitions: int) -> list[Note]:
    """Repetitions that ended without a score."""
    trials, columns = store.table("trials"), ["algorithm", "status", "message"]
    odd = trials.filter(pc.and_(pc.not_equal(trials["status"], "ok"), pc.less(trials["trial"], n_repetitions)))
    counted = odd.select(columns).group_by(columns, use_threads=False).aggregate([([], "count_all")]).to_pylist()
    notes = []
    for row in (row for row in counted if row["algorithm"] in models):
        known = {"of": row["algorithm"], "n": row["count_all"], "status": row["status"], "message": row["message"]}
        notes.append(Note(NoteKind.NO_SCORE, values=known))
    return notes


def failed_fits(model: str, failures: NDArray[np.int64], n_fits: int, numbers: Sequence[int]) -> Note:
    """How many fits of a model failed, and at which sizes."""
    places = np.flatnonzero(failures)
    counts = {"n": int(failures.sum()), "of_fits": n_fits}
    where = {"sizes": [int(numbers[i]) for i in places[:6]], "more": places.size > 6}
    return Note(NoteKind.FITS_FAILED, values={"of": model, **counts, **where})


def write_file(curves: LearningCurves, path: str | Path) -> None:
    """One row for each model, metric and size, its repetitions as a list; what they mean beside them."""
    import pyarrow.parquet as pq

    target = as_path(path)
    if target.suffix != ".parquet":
        raise InputError(f"`path` must end in .parquet; got {target.name!r}.")
    facts: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    facts |= {name: getattr(curves, name) for name in _FACTS} | {"n_test": curves.n_test}
    facts["notes"] = [note.to_dict() for note in curves.notes]
    facts["metrics"] = {name: {"goal": m.goal, "bounds": list(m.bounds)} for name, m in curves.definitions.items()}
    tuned = [] if curves.chosen is None else [("chosen", pa.list_(pa.float64()))]
    schema = pa.schema([*_COLUMNS, *tuned], metadata={b"ogive": json.dumps(facts).encode()})
    sizes, n = len(curves.sizes), curves.n_repetitions
    ends = pa.array(np.arange(0, sizes * n + 1, n, dtype=np.int32))
    with (
        writing(target) as file,
        pq.ParquetWriter(file, schema, write_page_checksum=True, compression="zstd") as out,
    ):
        for model, metric in itertools.product(curves.models, curves.metrics):
            columns = [
                pa.repeat(model, sizes), pa.repeat(metric, sizes), pa.array(curves.sizes, pa.int64()),
                pa.ListArray.from_arrays(ends, pa.array(np.ravel(curves.scores(model, metric)))),
            ]  # fmt: skip
            if curves.chosen is not None:  # of a model and size, beside the first metric
                values = np.ravel(curves.chosen[curves.place(model)])
                first = metric == curves.metrics[0]
                columns.append(
                    pa.ListArray.from_arrays(ends, pa.array(values)) if first else pa.nulls(sizes, tuned[0][1])
                )
            out.write_table(pa.Table.from_arrays(columns, schema=schema))


def from_file(path: Path) -> LearningCurves:
    """What `write_file` wrote."""
    import pyarrow.parquet as pq

    if not path.exists():
        raise UnreadableSource(f"there is no file or folder {path}.")
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        facts = json.loads((table.schema.metadata or {})[b"ogive"])
        if facts["format"] != FORMAT:
            raise KeyError("format")
    except (KeyError, ValueError, OSError, pa.ArrowException):
        raise UnreadableSource(f"{path.name} holds no learning curves that Ogive wrote.") from None
    if int(facts["version"]) > VERSION:
        raise UnreadableSource(
            f"{path.name} was written by a newer version of Ogive (format {facts['version']}); upgrade to read it."
        )
    models, metrics = (list(dict.fromkeys(table[name].to_pylist())) for name in ("model", "metric"))
    sizes = np.unique(table["size"].to_numpy())
    shaped = _flat(table["scores"]).reshape(len(models), len(metrics), len(sizes), -1).copy()
    chosen = None
    if "chosen" in table.column_names:
        chosen = _flat(table["chosen"].drop_null()).reshape(len(models), len(sizes), -1).copy()
    definitions = {name: Metric(m["goal"], tuple(m["bounds"])) for name, m in facts["metrics"].items()}
    known = {name: facts[name] for name in (*_FACTS, "n_test")}
    return LearningCurves(
        values=shaped, chosen=chosen, models=tuple(models), definitions=definitions, sizes=sizes, **{**known, "notes": tuple(map(Note.from_dict, known["notes"]))}
    )  # fmt: skip


def _flat(column: pa.ChunkedArray) -> FloatArray:
    """The numbers of all lists, one after the other."""
    whole = column.combine_chunks()
    return np.asarray((whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole).flatten().to_numpy(False))
