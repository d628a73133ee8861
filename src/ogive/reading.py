"""read(): which door a source goes through; as_trials(): the same door for whatever takes trials."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from ogive.arguments import as_names
from ogive.errors import AmbiguousColumns, InputError, UnreadableSource
from ogive.importers import Choices, Facts, Part, joined, parts_of
from ogive.metric import Bounds
from ogive.trials import Trials

log = logging.getLogger("ogive")
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
    step: str | None = None,
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
    budget: float | None = None,
    area: bool = False,
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
    step : str
        A column of steps (frame, iteration, epoch): the rows of a run at several steps are one run with a curve.
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
    budget : float
        The step at which the score of a run with a curve is taken, its last value at or before it; where not given, its last.
    area : bool
        The score of a run with a curve is its mean over the steps, to the budget or to its end.

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
        "step": step,
    }  # fmt: skip
    first = source[0] if isinstance(source, (list, tuple)) and source else source
    named = isinstance(first, Mapping) and task is not None and not isinstance(task, str)
    tasks = as_names(task, "task") if named else None
    if named:
        del roles["task"]
    choices = Choices.checked(roles, score=score, params=params, wide=wide, unit=unit, where=where, without=without)
    facts = Facts.checked(
        unit=unit,
        varied=varied,
        goal=goal,
        bounds=bounds,
        independent=independent,
        scope=scope,
        time_limit=time_limit,
        budget=budget,
        area=area,
    )
    sources = [_as_path(one) for one in (source if isinstance(source, (list, tuple)) else [source])]
    if not sources:
        raise UnreadableSource("`source` is an empty list; name at least one table.")
    _refuse_twice(sources)
    trials = joined([part for one in sources for part in _parts(one, tasks, choices)], choices, facts)
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


def _as_path(source: Any) -> Any:
    """What names a file in its own way, such as a temporary file of another package, as a path."""
    return Path(source) if isinstance(source, os.PathLike) else source


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


def _parts(source: Any, tasks: Sequence[str] | None, choices: Choices) -> Sequence[Part]:
    """What a source holds: a store is opened here, everything else is foreign."""
    return [_store_part(Path(source))] if _is_folder(source) else parts_of(source, tasks, choices)


def _is_folder(source: Any) -> bool:
    try:
        return isinstance(source, (str, Path)) and Path(source).is_dir()
    except (OSError, ValueError):  # said where it is opened
        return False


def _store_part(path: Path) -> Part:
    from ogive.store import Store, is_store

    if not is_store(path):
        raise UnreadableSource(f"{path} is a folder, and no store of Ogive's; name the files in it.")
    store = Store(path)
    trials = store.trials()
    drawn = {name: task.get("fingerprint") for name, task in store.records().merged.get("tasks", {}).items()}
    return Part(table=trials.table, name=trials.source, source=trials.source, trials=trials, tasks=drawn)
