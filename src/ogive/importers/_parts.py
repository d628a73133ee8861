"""Which foreign source something is, and the plain tables in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.files import is_text, read_table
from ogive.importers import _objects, _optuna
from ogive.importers._choices import Choices
from ogive.importers._columns import as_text
from ogive.importers._own import decoded, from_written, is_written_csv
from ogive.notes import Note
from ogive.trials import Trials

if TYPE_CHECKING:
    import pandas as pd

# How pandas and others write that a cell is empty.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A plain table on its way in, with what its source knows about it."""

    table: pa.Table
    name: str
    source: str
    goals: Mapping[str, str] = field(default_factory=dict)
    independent: bool = True
    params: tuple[str, ...] | None = None
    score: tuple[str, ...] | None = None
    varied: tuple[str, ...] | None = None
    longer: str = ""
    trials: Trials | None = None
    tasks: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[Note] = ()


def parts_of(source: Any, task_names: Sequence[str] | None, choices: Choices) -> list[Part]:
    """The plain tables in a source."""
    searches = (
        isinstance(source, Mapping)
        and bool(source)
        and all(_objects.is_cv_results(one) or _objects.is_search(one) for one in source.values())
    )
    if task_names is not None and (searches or _objects.is_cv_results(source)):
        raise InputError("`task` may name the tasks of a dictionary of arrays only; a search has one.")
    if isinstance(source, Trials):
        return [Part(table=source.table, name=source.source, source=source.source, trials=source)]
    if _optuna.is_study(source):
        return [_study_part(source, stored=False)]
    if _objects.is_search(source):
        estimator = getattr(source, "estimator", None)
        return [_search_part(source, type(source if estimator is None else estimator).__name__)]
    if isinstance(source, Mapping) and _objects.is_cv_results(source):
        return [_search_part(source, "search")]
    if searches:
        return [_search_part(search, str(name)) for name, search in source.items()]
    if isinstance(source, Mapping):
        _objects.refuse_cross_validation(source)
        return [Part(table=_objects.from_dictionary(source, task_names), name="dictionary", source="dictionary")]
    if _objects.is_frame(source):
        return [_table_part(_objects.from_frame(source), "data frame", "data frame", choices)]
    if isinstance(source, (str, Path)):
        return _path_parts(source, choices)
    raise UnreadableSource(
        f"`source` must be a path, a frame, a dictionary, a search or a study; got {type(source).__name__}. "
        "For a plain array write {'name': scores}."
    )


def _path_parts(source: str | Path, choices: Choices) -> list[Part]:
    if isinstance(source, str) and _optuna.is_url(source):
        where = _optuna.masked(source).rsplit("/", 1)[-1].split("?")[0]
        return [_study_part(study, stored=True, where=where) for study in _optuna.load_studies(source)]
    if "://" in str(source):
        raise UnreadableSource(
            f"{_optuna.masked(source)} is no address that Ogive reads; save the table to a file, or name an Optuna storage."
        )
    path = Path(source)
    stem = path.name.split(".")[0] or path.name
    if _optuna.is_storage_file(path):
        place = f"{path.resolve().parent.name}/{stem}"
        return [_study_part(study, stored=True, where=place) for study in _optuna.load_studies(path)]
    table = read_table(path, choices.naming, wide=choices.wide)  # refuses what is not there
    if b"ogive" in (table.schema.metadata or {}):
        return [Part(table=table, name=stem, source=path.name, trials=from_written(table, path.name))]
    if is_written_csv(table.column_names):
        table = decoded(table)
    return [_table_part(table, stem, path.name, choices, longer=f"{path.resolve().parent.name}/{stem}")]


def _table_part(table: pa.Table, name: str, source: str, choices: Choices, longer: str = "") -> Part:
    """A frame or file, which may hold the results of a search and then does not say who chose its rows."""
    if not choices.names_runs(table.column_names):
        _objects.refuse_folds(table.column_names, source)
    part = Part(table=table, name=name, source=source, longer=longer)
    scores = _objects.search_scores(table.column_names)
    if not scores:
        return part
    params = _objects.search_params(table.column_names)
    goals = dict.fromkeys(scores, "maximize")
    return replace(part, goals=goals, params=params, score=scores, varied=("configuration",), independent=False)


def _study_part(study: Any, *, stored: bool, where: str = "") -> Part:
    table, goals, independent, notes = _optuna.from_study(study, stored=stored)
    name = study.study_name
    return Part(
        table=table, name=name, source=name, goals=goals, independent=independent, params=("params",), score=tuple(goals),
        longer=f"{name} ({where})" if where else name, notes=notes,
    )  # fmt: skip


def _search_part(search: Any, name: str) -> Part:
    results = getattr(search, "cv_results_", search)
    table, scores = _objects.from_cv_results(results)
    # A dictionary does not say who chose its configurations. scikit-learn's scorers are all "greater is better".
    goals = dict.fromkeys(scores, "maximize")
    return Part(
        table=table, name=name, longer=name, source=name, goals=goals, params=("params",), score=scores,
        varied=("configuration",), independent=results is not search and _objects.is_random(search),
    )  # fmt: skip


def plain_frame(
    source: str | Path, *, task: str | Sequence[str] | None = None, algorithm: str | Sequence[str] | None = None
) -> pd.DataFrame | None:
    """The table in a file as it stands there, names as text and empty cells missing; None for a store or a storage."""
    path = Path(source)
    if "://" in str(source) or not os.path.isfile(path) or _optuna.is_storage_file(path):
        return None
    choices = Choices.checked({"task": task, "algorithm": algorithm})
    table = read_table(path, choices.naming, wide=True)
    if b"ogive" in (table.schema.metadata or {}):
        return None
    for place, held in enumerate(table.schema):
        if pa.types.is_nested(held.type):
            table = table.set_column(place, held.name, as_text(table.column(place), held.name))
        elif pa.types.is_decimal(held.type):
            table = table.set_column(place, held.name, table.column(place).cast(pa.float64(), safe=False))
    try:
        frame: pd.DataFrame = table.replace_schema_metadata(None).to_pandas()
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise UnreadableSource(f"{path} cannot be read as a table: {' '.join(str(error).split())[:160]}") from error
    # The first column, and those called so, hold names: one of them may be called NA.
    names = {table.column_names[0], *choices.naming(table.column_names)}
    for name in [held.name for held in table.schema if is_text(held.type) and held.name not in names]:
        frame[name] = frame[name].astype(object).where(~frame[name].isin(MISSING), None)
    return frame
