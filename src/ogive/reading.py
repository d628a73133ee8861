"""read(): which door a source goes through; as_trials(): the same door for whatever takes trials."""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import pyarrow as pa

from ogive.arguments import as_answer, as_name, as_names
from ogive.errors import AmbiguousColumns, InputError, UnreadableSource
from ogive.files import is_text, read_table
from ogive.importers import _dictionaries, _frames, _optuna, _sklearn
from ogive.importers._assemble import Facts, assemble
from ogive.importers._choices import JOINED, Choices
from ogive.importers._columns import as_text
from ogive.importers._joined import joined
from ogive.importers._restate import restate
from ogive.importers._roles import find_roles
from ogive.importers._where import as_conditions
from ogive.importers._written import decoded, from_written, is_written_csv
from ogive.metric import Bounds
from ogive.notes import Note
from ogive.trials import Trials
from ogive.words import quoted

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger("ogive")
# How pandas and others write that a cell is empty.
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>")
SCOPE = re.compile(r"generator|these (\d+ )?rows")
# What `read` takes; its docstring lists it.
Source: TypeAlias = Trials | str | os.PathLike[str] | Mapping[Any, Any] | Sequence[Any] | object


def read(
    source: Any,
    *,
    score: str | Sequence[str] | None = None,
    algorithm: str | Sequence[str] | None = None,
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
    where: Mapping[str, Any] | str | Sequence[str] | None = None,
    without: str | Sequence[str] | None = None,
    time_limit: float | None = None,
) -> Trials:
    """Trials from scores that exist already.

    Parameters
    ----------
    source : path, URL, frame, dictionary, search, study, Trials, or a list of them
        CSV, Parquet or JSON lines; a pandas or polars frame; a dictionary name -> scores,
        name -> task -> scores or name -> runs x tasks (arrays or lists, as rliable's); scikit-learn's `cv_results_` or a
        fitted search; an Optuna study, storage URL, SQLite or journal file; the directory that
        `ogive run` wrote. Several sources are put
        under each other; a source that names no method becomes one.
    score, algorithm, task, repeat, item, group, fold, pair, status, params : str
        Columns by role; what is not given is guessed from the columns' names (`model`, `agent`,
        `solver` are algorithms; `dataset`, `env`, `problem` are tasks; `seed`, `run` are repeats).
        `score` and `params` may be several. Several `algorithm` or `task` columns make one name together; for a
        dictionary `task` gives the tasks' names. `status` says whether a run counts: words (ok, timeout), or yes
        and no (`found`, `solved`, `converged`); "none" where no column does.
    unit : str
        What one independent draw is: "row", or a column whose rows count once together.
    varied : str or list of str
        What was drawn anew for each trial, e.g. "seed".
    goal, bounds
        Direction ("maximize", "minimize") and support of the score, or a dictionary by metric.
    independent : bool
        False if a grid or an adaptive sampler chose the trials. Guessed for Optuna studies and for
        scikit-learn's searches; a bare `cv_results_` does not say, and counts as False.
    scope : str
        "generator" for fresh data each time, "these rows" for fresh splits of one data set.
    wide : bool
        Each column of numbers is a method, each row a task or run.
    where : dict, str or list of str
        Which rows are read: {"settings": "default"}, "settings=default", or with !=, <, <=, > or >=. Several conditions
        must all hold; several values of one column are alternatives.
    without : str or list of str
        Methods that are left out.
    time_limit : float
        A run whose time reaches it has failed (status timeout). Its time is the score where that is called a time or
        cost, else the column beside it that is called so, else the score where `goal` says that it is to be small.

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
    roles: dict[str, Any] = {
        "algorithm": algorithm, "task": task, "repeat": repeat, "item": item, "group": group, "fold": fold, "pair": pair, "status": status,
    }  # fmt: skip
    first = source[0] if isinstance(source, (list, tuple)) and source else source
    named = isinstance(first, Mapping) and task is not None and not isinstance(task, str)
    tasks = as_names(task, "task") if named else None
    several: dict[str, tuple[str, ...]] = {}
    for role in ("algorithm",) if tasks is not None else ("algorithm", "task"):
        names = roles[role] if roles[role] is None or isinstance(roles[role], str) else as_names(roles[role], role)
        roles[role] = JOINED.join(names) if isinstance(names, tuple) else names
        if isinstance(names, tuple) and len(names) > 1:
            several[role] = names
    declared = {role: as_name(name, role) for role, name in roles.items() if role != "task" or tasks is None}
    unit, independent = as_name(unit, "unit"), None if independent is None else as_answer(independent, "independent")
    choices = Choices(
        declared, _tuple(score, "score"), _tuple(params, "params"), as_answer(wide, "wide"), unit, several,
        as_conditions(where), _tuple(without, "without") or (),
    )  # fmt: skip
    facts = Facts(
        unit=unit,
        varied=_tuple(varied, "varied"),
        goal=goal,
        bounds=bounds,
        scope=_scope(scope),
        time_limit=_limit(time_limit),
    )
    if choices.wide and algorithm is not None:
        raise InputError(
            f"`wide` makes a method of each column of numbers, and `algorithm` {algorithm!r} names one; leave out one of the two."
        )
    sources = source if isinstance(source, (list, tuple)) else [source]
    if not sources:
        raise UnreadableSource("`source` is an empty list; name at least one table.")
    _refuse_twice(sources)
    parts = [part for one in sources for part in _parts(one, tasks, choices)]
    trials = _own(parts, choices, facts, independent)
    if trials is None:
        facts = replace(
            facts,
            varied=parts[0].varied if facts.varied is None else facts.varied,
            goal=_goals(parts, goal),
            independent=all(part.independent for part in parts) if independent is None else independent,
        )
        trials = _join(_named_apart(parts), choices, facts)
    for note in trials.notes:
        log.info("%s: %s", trials.source, note)
    return trials


def as_trials(source: Source) -> Trials:
    """Trials as they are, and anything else as `read` reads it where nothing is said about its columns.

    What must be said is said to `read`: roles are keywords of `read` alone, and every refusal that asks for one
    names it.
    """
    if isinstance(source, Trials):
        return source
    try:
        trials = read(source)
    except AmbiguousColumns as error:
        raise AmbiguousColumns(f"{error} Read the table first: ogive.read(source, …).") from error
    asked = trials.question
    if asked is None:
        return trials
    return replace(trials, question=replace(asked, values={**asked.values, "unread": True}))


def _refuse_twice(sources: Sequence[Any]) -> None:
    """A table that is named twice would count every run twice."""
    seen: dict[str, str | Path] = {}
    for one in sources:
        if not isinstance(one, (str, Path)):
            continue
        try:
            place = os.path.realpath(one)
        except (OSError, ValueError):  # a name that no file can have: said where it is opened
            continue
        if place in seen:
            name, again = Path(seen[place]).name, Path(one).name
            also = "" if name == again else f" (also as {again})"
            raise InputError(f"{name} is named twice{also}, and would count every run twice; name it once.")
        seen[place] = one


def _own(parts: Sequence[_Part], choices: Choices, facts: Facts, independent: bool | None) -> Trials | None:
    """The tables of Ogive's own, as one; plain tables cannot stand beside them.

    What the caller says is put into each table before they are joined: it may settle in what they differ.
    """
    own = [part.trials for part in parts if part.trials is not None]
    if own and len(own) < len(parts):
        plain = next(part.source for part in parts if part.trials is None)
        raise InputError(f"{own[0].source} is a table of Ogive's own and {plain} a plain one; read them one by one.")
    if own and choices.any():
        raise InputError(
            f"{own[0].source} is a table of Ogive's own, whose columns have their roles; "
            "only unit, varied, goal, bounds, independent, scope, where, without and time_limit can be said anew."
        )
    own = [restate(one, facts, independent, choices) for one in own]
    if len(own) > 1:
        _refuse_namesakes(parts)
        return joined(own)
    return own[0] if own else None


def _refuse_namesakes(parts: Sequence[_Part]) -> None:
    """Two stores may give the same name to different tasks; their rows must not stand beside each other."""
    known: dict[str, tuple[Any, str]] = {}
    for part in parts:
        for name, drawn in part.tasks.items():
            other, source = known.setdefault(name, (drawn, part.source))
            if other != drawn:
                raise InputError(
                    f"{name!r} is one task in {source} and another in {part.source} (data, size or noise differ); "
                    "give one of them another name, or judge them one by one."
                )


def _tuple(names: object, name: str) -> tuple[str, ...] | None:
    return None if names is None else as_names(names, name)


def _limit(limit: object) -> float | None:
    if limit is None:
        return None
    number = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    if not number or not 0.0 < float(cast(float, limit)) < math.inf:
        raise InputError(f"`time_limit` must be a positive number; got {limit!r}.")
    return float(cast(float, limit))


def _scope(scope: str | None) -> str | None:
    if scope is None or (isinstance(scope, str) and SCOPE.fullmatch(scope)):
        return scope
    raise InputError(
        f"`scope` must be 'generator' (fresh data each time) or 'these rows' (fresh splits of one data set); got {scope!r}."
    )


def _goals(parts: Sequence[_Part], goal: str | Mapping[str, str] | None) -> str | Mapping[str, str] | None:
    """What the caller says, and where they say nothing, what the sources know."""
    if isinstance(goal, str):
        return goal
    said = dict(goal or {})
    known: dict[str, str] = {}
    for part in parts:
        for name, direction in part.goals.items():
            if known.setdefault(name, direction) != direction and name not in said:
                raise AmbiguousColumns(f"the sources disagree whether {name!r} is to be large or small; say goal=.")
    return {**known, **said} or None


def _named_apart(parts: Sequence[_Part]) -> list[_Part]:
    """Parts with different names, so that two sources never become one method in silence."""
    names = [part.name for part in parts]
    longer = [(part.longer or part.name) if names.count(part.name) > 1 else part.name for part in parts]
    numbered = [
        f"{name} ({longer[:i].count(name) + 1})" if longer.count(name) > 1 else name for i, name in enumerate(longer)
    ]
    return [replace(part, name=name) for part, name in zip(parts, numbered, strict=True)]


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
    longer: str = ""
    trials: Trials | None = None
    tasks: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[Note] = ()


def _parts(source: Any, task_names: Sequence[str] | None, choices: Choices) -> list[_Part]:
    """The plain tables in a source."""
    searches = isinstance(source, Mapping) and bool(source) and all(map(_sklearn.is_search_or_results, source.values()))
    if task_names is not None and (searches or _sklearn.is_cv_results(source)):
        raise InputError("`task` may name the tasks of a dictionary of arrays only; a search has one.")
    if isinstance(source, Trials):
        return [_Part(table=source.table, name=source.source, source=source.source, trials=source)]
    if _optuna.is_study(source):
        return [_study_part(source, stored=False)]
    if _sklearn.is_search(source):
        return [_search_part(source, _sklearn.search_name(source))]
    if isinstance(source, Mapping) and _sklearn.is_cv_results(source):
        return [_search_part(source, "search")]
    if searches:
        return [_search_part(search, str(name)) for name, search in source.items()]
    if isinstance(source, Mapping):
        _sklearn.refuse_cross_validation(source)
        return [_Part(table=_dictionaries.from_dictionary(source, task_names), name="dictionary", source="dictionary")]
    if _frames.is_frame(source):
        return [_table_part(_frames.from_frame(source), "data frame", "data frame", choices)]
    if isinstance(source, (str, Path)):
        return _path_parts(source, choices)
    raise UnreadableSource(
        f"`source` must be a path, a frame, a dictionary, a search or a study; got {type(source).__name__}. "
        "For a plain array write {'name': scores}."
    )


def _path_parts(source: str | Path, choices: Choices) -> list[_Part]:
    if isinstance(source, str) and _optuna.is_url(source):
        where = _optuna.masked(source).rsplit("/", 1)[-1].split("?")[0]
        return [_study_part(study, stored=True, where=where) for study in _optuna.load_studies(source)]
    if "://" in str(source):
        raise UnreadableSource(
            f"{_optuna.masked(source)} is no address that Ogive reads; save the table to a file, or name an Optuna storage."
        )
    path = Path(source)
    try:
        if path.is_dir():
            return [_store_part(path)]
        if not path.exists():
            raise UnreadableSource(f"{path} does not exist.")
        if not path.is_file():
            raise UnreadableSource(f"{path} is not a regular file; save the table to a file first.")
        stored = _optuna.is_storage_file(path)
    except OSError as error:
        raise UnreadableSource(f"{str(path)[:200]} cannot be opened: {error.strerror}.") from error
    stem = path.name.split(".")[0] or path.name
    place = f"{path.resolve().parent.name}/{stem}"
    if stored:
        return [_study_part(study, stored=True, where=place) for study in _optuna.load_studies(path)]
    table = read_table(path, choices.naming, wide=choices.wide)
    if b"ogive" in (table.schema.metadata or {}):
        return [_Part(table=table, name=stem, source=path.name, trials=from_written(table, path.name))]
    if is_written_csv(table.column_names):
        table = decoded(table)
    return [_table_part(table, stem, path.name, choices, longer=place)]


def plain_frame(
    source: str | Path, *, task: str | Sequence[str] | None = None, algorithm: str | Sequence[str] | None = None
) -> pd.DataFrame | None:
    """The table in a file as it stands there, names as text and empty cells missing; None for a store or a storage."""
    path = Path(source)
    if "://" in str(source) or _is_elsewhere(path):
        return None
    said = {"task": task, "algorithm": algorithm}
    one = {role: name if isinstance(name, str) else None for role, name in said.items()}
    several = {role: tuple(names) for role, names in said.items() if names is not None and not isinstance(names, str)}
    choices = Choices(one, None, None, False, None, several)
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


def _is_elsewhere(path: Path) -> bool:
    """Whether a path is no table: absent, a folder, a device, or a storage of Optuna's."""
    try:
        return not path.is_file() or _optuna.is_storage_file(path)
    except (OSError, ValueError):
        return True


def _table_part(table: pa.Table, name: str, source: str, choices: Choices, longer: str = "") -> _Part:
    """A frame or file, which may hold the results of a search and then does not say who chose its rows."""
    if not choices.names_runs(table.column_names):
        _sklearn.refuse_folds(table.column_names, source)
    part = _Part(table=table, name=name, source=source, longer=longer)
    scores = _sklearn.search_scores(table.column_names)
    if not scores:
        return part
    params = ("params",) if "params" in table.column_names else None
    goals = dict.fromkeys(scores, "maximize")
    return replace(part, goals=goals, params=params, score=scores, varied=("configuration",), independent=False)


def _store_part(path: Path) -> _Part:
    from ogive.store import Store, is_store

    if not is_store(path):
        raise UnreadableSource(f"{path} is a folder, and no store of Ogive's; name the files in it.")
    store = Store(path)
    trials = store.trials()
    drawn = {name: task.get("fingerprint") for name, task in store.records().merged.get("tasks", {}).items()}
    return _Part(table=trials.table, name=trials.source, source=trials.source, trials=trials, tasks=drawn)


def _study_part(study: Any, *, stored: bool, where: str = "") -> _Part:
    table, goals, independent, notes = _optuna.from_study(study, stored=stored)
    name = study.study_name
    return _Part(
        table=table, name=name, source=name, goals=goals, independent=independent, params=("params",), score=tuple(goals),
        longer=f"{name} ({where})" if where else name, notes=notes,
    )  # fmt: skip


def _search_part(search: Any, name: str) -> _Part:
    results = getattr(search, "cv_results_", search)
    table, scores = _sklearn.from_cv_results(results)
    # A dictionary does not say who chose its configurations. scikit-learn's scorers are all "greater is better".
    goals = dict.fromkeys(scores, "maximize")
    return _Part(
        table=table, name=name, longer=name, source=name, goals=goals, params=("params",), score=scores,
        varied=("configuration",), independent=results is not search and _sklearn.is_random(search),
    )  # fmt: skip


def _alike(tables: Sequence[pa.Table], choices: Choices) -> list[pa.Table]:
    """Tables whose names are text in all where they are text in one."""
    text = {c for t in tables for c in choices.naming(t.column_names) if is_text(t.schema.field(c).type)}
    out = []
    for table in tables:
        for name in [c for c in table.column_names if c in text]:
            table = table.set_column(table.column_names.index(name), name, as_text(table[name], name))
        out.append(table)
    return out


def _join(parts: Sequence[_Part], choices: Choices, facts: Facts) -> Trials:
    first = parts[0]
    try:
        prepared = [choices.long(part.table) for part in parts]
        tables = [table for table, _ in prepared]
        if len(parts) > 1:
            tables = _alike(choices.with_methods(tables, [part.name for part in parts]), choices)
        table = pa.concat_tables([t.replace_schema_metadata(None) for t in tables], promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UnreadableSource(
            f"the sources do not fit under each other: {' '.join(str(error).split())[:160]}"
        ) from error
    declared = {**choices.declared, "algorithm": "algorithm"} if choices.wide else choices.declared
    score = ("score",) if choices.wide else choices.score or first.score
    roles = find_roles(table, declared, score, choices.params or first.params, facts.unit)
    _refuse_lacking(parts, tables, roles.score)
    table, left_out = choices.remaining(table, roles.algorithm)
    trials = assemble(table, roles, facts, source=", ".join(p.source for p in parts), default_algorithm=first.name)
    said = dict.fromkeys(note for _, notes in prepared for note in notes)
    return trials.with_notes(*(note for part in parts for note in part.notes), *said, *left_out)


def _refuse_lacking(parts: Sequence[_Part], tables: Sequence[pa.Table], scores: Sequence[str]) -> None:
    """A source without the score would be read as one whose every run failed."""
    for part, table in zip(parts, tables, strict=True):
        for name in (s for s in scores if s not in table.column_names):
            its = (
                f"its score is {', '.join(map(repr, part.score))}"
                if part.score
                else f"its columns are {quoted(part.table.column_names)}"
            )
            raise AmbiguousColumns(
                f"{part.source} has no score {name!r}; {its}. Call the score the same in all sources, "
                "or choose one that all have with score=."
            )
