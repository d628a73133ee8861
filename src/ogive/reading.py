"""read(): which door a source goes through."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.importers import _dictionaries, _files, _frames, _optuna, _sklearn
from ogive.importers._assemble import Facts, assemble, unpivot
from ogive.importers._roles import find_roles
from ogive.trials import Bounds, Trials

log = logging.getLogger("ogive")


def read(
    source: Any,
    *,
    score: str | Sequence[str] | None = None,
    algorithm: str | None = None,
    task: str | Sequence[str] | None = None,
    repeat: str | None = None,
    item: str | None = None,
    group: str | None = None,
    fold: str | None = None,
    pair: str | None = None,
    status: str | None = None,
    params: Sequence[str] | None = None,
    unit: str | None = None,
    varied: str | Sequence[str] | None = None,
    goal: str | Mapping[str, str] | None = None,
    bounds: Bounds | Mapping[str, Bounds] | None = None,
    independent: bool | None = None,
    scope: str | None = None,
    wide: bool = False,
) -> Trials:
    """Trials from scores that exist already.

    Parameters
    ----------
    source : path, URL, frame, dictionary, search, study, Trials, or a list of them
        CSV, Parquet or JSON lines; a pandas or polars frame; a dictionary name -> scores,
        name -> task -> scores or name -> runs x tasks (rliable's); scikit-learn's `cv_results_` or a
        fitted search; an Optuna study, storage URL, SQLite or journal file. Several sources are put
        under each other; a source that names no method becomes one.
    score, algorithm, task, repeat, item, group, fold, pair, status, params : str
        Columns by role; what is not given is guessed from the columns' names (`model`, `agent`,
        `solver` are algorithms; `dataset`, `env`, `problem` are tasks; `seed`, `run` are repeats).
        `score` and `params` may be several. For a dictionary `task` gives the tasks' names.
    unit : str
        What one independent draw is: "row", or a column whose rows count once together.
    varied : str or list of str
        What was drawn anew for each trial, e.g. "seed".
    goal, bounds
        Direction ("maximize", "minimize") and support of the score, or a dictionary by metric.
    independent : bool
        False if an adaptive sampler chose the trials. Guessed for Optuna studies.
    scope : str
        "generator" for fresh data each time, "these rows" for fresh splits of one data set.
    wide : bool
        Each column of numbers is a method, each row a task or run.

    Returns
    -------
    Trials
        With what was guessed in `.notes`.

    Examples
    --------
    >>> trials = read({"svm": [0.81, 0.84, 0.79], "knn": [0.77, 0.80, 0.78]})
    >>> trials.algorithms, len(trials)
    (('svm', 'knn'), 6)
    """
    declared = {
        "algorithm": algorithm, "repeat": repeat, "item": item, "group": group, "fold": fold, "pair": pair, "status": status,
        "task": task if isinstance(task, str) else None,
    }  # fmt: skip
    sources = source if isinstance(source, (list, tuple)) else [source]
    if not sources:
        raise UnreadableSource("`source` is an empty list; name at least one table.")
    if len(sources) == 1 and isinstance(sources[0], Trials):
        return sources[0]
    parts = [part for one in sources for part in _parts(one, None if isinstance(task, str) else task)]
    written = [part for part in parts if part.table.schema.metadata and b"ogive" in part.table.schema.metadata]
    if written and len(parts) > 1:
        raise InputError("a table written by Ogive is read alone; several at once must be plain tables.")
    if written:
        trials = Trials.from_parquet_table(written[0].table, written[0].source)
    else:
        facts = Facts(
            unit=unit,
            varied=(varied,) if isinstance(varied, str) else tuple(varied) if varied is not None else parts[0].varied,
            goal=goal or {k: v for part in parts for k, v in part.goals.items()} or None,
            bounds=bounds,
            independent=all(part.independent for part in parts) if independent is None else independent,
            scope=scope,
        )
        trials = _join(
            parts,
            _Choices(declared, (score,) if isinstance(score, str) else _tuple(score), _tuple(params), wide),
            facts,
        )
    for note in trials.notes:
        log.info("%s: %s", trials.source, note)
    return trials


def _tuple(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A plain table on its way in, with what its source knows about it."""

    table: pa.Table
    name: str
    source: str
    goals: Mapping[str, str] = field(default_factory=dict)
    independent: bool = True
    params: tuple[str, ...] | None = None
    score: tuple[str, ...] | None = None
    varied: tuple[str, ...] | None = None


def _parts(source: Any, task_names: Sequence[str] | None) -> list[_Part]:
    """The plain tables in a source."""
    if _optuna.is_study(source):
        return [_study_part(source, stored=False)]
    if _sklearn.is_search(source):
        return [_search_part(source.cv_results_, _sklearn.search_name(source))]
    if isinstance(source, Mapping) and _sklearn.is_cv_results(source):
        return [_search_part(source, "search")]
    if isinstance(source, Mapping):
        if source and all(_sklearn.is_cv_results(v) or _sklearn.is_search(v) for v in source.values()):
            searches: dict[str, Any] = {str(k): getattr(v, "cv_results_", v) for k, v in source.items()}
            return [_search_part(results, name) for name, results in searches.items()]
        return [_Part(table=_dictionaries.from_dictionary(source, task_names), name="dictionary", source="dictionary")]
    if _frames.is_frame(source):
        return [_Part(table=_frames.from_frame(source), name="data frame", source="data frame")]
    if isinstance(source, (str, Path)):
        return _path_parts(source)
    raise UnreadableSource(
        f"`source` must be a path, a frame, a dictionary, a search or a study; got {type(source).__name__}. "
        "For a plain array write {'name': scores}."
    )


def _path_parts(source: str | Path) -> list[_Part]:
    if isinstance(source, str) and _optuna.is_url(source):
        return [_study_part(study, stored=True) for study in _optuna.load_studies(source)]
    path = Path(source)
    if path.is_dir():
        raise UnreadableSource(f"{path} is a folder; name the files in it.")
    if not path.exists():
        raise UnreadableSource(f"{path} does not exist.")
    if _optuna.is_storage_file(path):
        return [_study_part(study, stored=True) for study in _optuna.load_studies(path)]
    return [_Part(table=_files.read_file(path), name=path.name.split(".")[0], source=path.name)]


def _study_part(study: Any, *, stored: bool) -> _Part:
    table, goals, independent = _optuna.from_study(study, stored=stored)
    name = study.study_name
    return _Part(
        table=table, name=name, source=name, goals=goals, independent=independent, params=("params",), score=tuple(goals)
    )  # fmt: skip


def _search_part(results: Mapping[str, Any], name: str) -> _Part:
    table, scores = _sklearn.from_cv_results(results, name)
    # scikit-learn's scorers are all "greater is better".
    goals = dict.fromkeys(scores, "maximize")
    return _Part(
        table=table, name=name, source=name, goals=goals, params=("params",), score=scores, varied=("configuration",)
    )


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the caller of `read` said about columns."""

    declared: Mapping[str, str | None]
    score: tuple[str, ...] | None
    params: tuple[str, ...] | None
    wide: bool

    def prepared(self, part: _Part, *, alone: bool) -> pa.Table:
        """The part as a long table that names its method, where it is not the only one."""
        table = unpivot(part.table, self.declared, self.score) if self.wide else part.table
        if alone or "algorithm" in table.column_names:
            return table
        # Only the methods' column matters here: any numbers may stand for the score.
        found = find_roles(table, self.declared, self.score or tuple(table.column_names[:1]), self.params)
        return (
            table
            if found.algorithm is not None
            else table.append_column("algorithm", pa.array([part.name] * table.num_rows))
        )


def _join(parts: Sequence[_Part], choices: _Choices, facts: Facts) -> Trials:
    first = parts[0]
    try:
        tables = [choices.prepared(part, alone=len(parts) == 1) for part in parts]
        table = pa.concat_tables([t.replace_schema_metadata(None) for t in tables], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UnreadableSource(
            f"the sources do not fit under each other: {' '.join(str(error).split())[:160]}"
        ) from error
    declared = {**choices.declared, "algorithm": "algorithm"} if choices.wide else choices.declared
    score = ("score",) if choices.wide else choices.score or first.score
    roles = find_roles(table, declared, score, choices.params or first.params, facts.unit)
    return assemble(table, roles, facts, source=", ".join(p.source for p in parts), default_algorithm=first.name)
