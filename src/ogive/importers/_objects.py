"""What is in memory becomes plain Arrow tables: frames, dictionaries, scikit-learn's searches."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.files import plain_table
from ogive.importers._columns import refuse_reserved
from ogive.schema import ONE_TASK

PREFIX = "mean_test_"  # of a score in scikit-learn's cv_results_


def is_frame(source: object) -> bool:
    """Whether `source` offers itself as an Arrow stream, or is of pandas or polars (without importing either)."""
    return hasattr(source, "__arrow_c_stream__") or any(_is_of(source, package) for package in ("pandas", "polars"))


def _no_table(frame: object) -> UnreadableSource:
    return UnreadableSource(
        f"a {type(frame).__name__} is not a table; pass a DataFrame, or a dictionary name -> scores."
    )


def _is_of(source: object, package: str) -> bool:
    return any(t.__module__.split(".")[0] == package for t in type(source).__mro__)


def from_frame(frame: Any) -> pa.Table:
    """The columns of a frame; a meaningful pandas index becomes columns too."""
    if type(frame).__name__ == "LazyFrame":
        frame = frame.collect()
    if isinstance(frame, pa.Table):
        table = frame
    elif type(frame).__name__ != "Series" and _is_of(frame, "polars"):
        table = pa.table({c: _column(c, frame[c].to_arrow) for c in frame.columns})
    elif hasattr(frame, "columns") and _is_of(frame, "pandas"):
        _refuse_repeated(list(frame.columns))
        frame = _with_index(frame)
        frame = frame.set_axis([_name(c) for c in frame.columns], axis=1)
        _refuse_repeated(list(frame.columns))
        table = pa.table({c: _column(c, partial(_from_pandas, frame[c])) for c in frame.columns})
    elif type(frame).__name__ == "Series" or not hasattr(frame, "__arrow_c_stream__"):
        raise _no_table(frame)
    else:
        try:
            table = pa.table(frame)
        except (pa.ArrowException, TypeError, ValueError) as error:  # a stream of single values, or one that broke
            raise _no_table(frame) from error
    _refuse_repeated(table.column_names)
    if table.num_rows == 0:
        raise UnreadableSource("the data frame has no rows.")
    return plain_table(table.replace_schema_metadata(None))


def _name(column: object) -> str:
    """The name of a column; of one with several levels, those that say something."""
    return ".".join(str(level) for level in column if level != "") if isinstance(column, tuple) else str(column)


def _column(name: str, convert: Callable[[], pa.Array]) -> pa.Array:
    try:
        return convert()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise UnreadableSource(
            f"column {name!r} of the data frame cannot be read: {' '.join(str(error.args[0]).split())[:160].rstrip('.')}; "
            "make it numbers or text of one type."
        ) from error


def _from_pandas(column: Any) -> pa.Array:
    if str(column.dtype).startswith("Sparse"):
        column = column.sparse.to_dense()
    values = pa.array(column, from_pandas=True)
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if isinstance(kind, pa.BaseExtensionType):  # periods and ranges, which Arrow keeps as numbers or objects
        values = pa.array(column.astype(str).where(column.notna(), None), from_pandas=True)
    return values


def _refuse_repeated(columns: Sequence[str]) -> None:
    repeated = next((c for i, c in enumerate(columns) if c in columns[:i]), None)
    if repeated is not None:
        raise UnreadableSource(f"the data frame has several columns named {repeated!r}; rename them.")


def _with_index(frame: Any) -> Any:
    """A pandas frame whose index is a column, unless it only counts the rows or repeats a column."""
    index = frame.index
    if index.nlevels == 1 and index.name is None and index.dtype.kind in "iu":
        return frame
    twice = [name for name in index.names if name is not None and name in frame.columns]
    for name in twice:
        if index.get_level_values(name).tolist() != frame[name].tolist():
            raise UnreadableSource(
                f"the data frame has an index and a column named {name!r} that differ; rename one of them."
            )
    if len(twice) == index.nlevels:
        return frame.reset_index(drop=True)
    return frame.droplevel(twice).reset_index() if twice else frame.reset_index()


def from_dictionary(source: Mapping[Any, Any], task_names: Sequence[str] | None = None) -> pa.Table:
    """A long table from a dictionary of scores; missing ones are NaN.

    What stands behind a name means the same wherever a dictionary enters:

      [0.8, 0.7]                 runs on one task (a profile, which needs several tasks: one run on each)
      {"x": [0.8, 0.7]}          task -> runs, or its only run; so does a pandas series with labels
      [[0.8, 0.1], [0.7, 0.2]]   runs x tasks, as an array or as lists of the same numbers (rliable's)
    """
    if not source:
        raise UnreadableSource("the dictionary is empty; it needs at least one name with its scores.")
    _refuse_same_text(source, "names")
    columns: dict[str, list[Any]] = {"algorithm": [], "task": [], "trial": [], "score": []}
    for name, value in source.items():
        for task_name, scores in _by_task(str(name), value, task_names):
            if not scores.size:
                where = "" if task_name == ONE_TASK else f" on {task_name!r}"
                raise UnreadableSource(
                    f"{str(name)!r} has no scores{where}; leave it out, or write NaN for runs that failed."
                )
            columns["algorithm"] += [str(name)] * scores.size
            columns["task"] += [task_name] * scores.size
            columns["trial"] += range(scores.size)
            columns["score"] += scores.tolist()
    return pa.table(columns)


def _by_task(name: str, value: Any, task_names: Sequence[str] | None) -> Iterator[tuple[str, np.ndarray]]:
    if hasattr(value, "iloc") and getattr(value, "ndim", 0) == 1 and value.index.dtype.kind not in "iu":
        labels = [str(label) for label in value.index]
        twice = next((label for i, label in enumerate(labels) if label in labels[:i]), None)
        if twice is not None:
            raise InputError(f"two scores of {name!r} are labeled {twice!r}; every label may occur once.")
        value = dict(zip(labels, value.tolist(), strict=True))
    if isinstance(value, Mapping):
        if task_names is not None:
            raise InputError(
                f"`task` names tasks, and {name!r} names its own: {', '.join(map(repr, value))}; leave it out."
            )
        _refuse_same_text(value, f"tasks of {name!r}")
        if not value:
            raise UnreadableSource(f"{name!r} has no scores; leave it out, or write NaN for runs that failed.")
        for task, scores in value.items():
            yield str(task), _numbers(name, [scores] if np.ndim(scores) == 0 else scores)
        return
    columns, unnamed = [value], [ONE_TASK]
    plain = isinstance(value, (str, bytes)) or not hasattr(value, "__len__")
    if not plain and any(hasattr(part, "__len__") and not isinstance(part, (str, bytes)) for part in value):
        # Runs x tasks; every run must have a score on every task.
        lengths = {len(part) if hasattr(part, "__len__") else 0 for part in value}
        if len(lengths) > 1:
            raise InputError(
                f"{name!r} holds lists of {min(lengths)} to {max(lengths)} scores; each list is a run, with a score on every task. "
                "For tasks with different numbers of runs write a dictionary task -> scores."
            )
        columns = list(
            _numbers(
                name,
                [list(part) if hasattr(part, "__len__") else part for part in value],
                ndim=2,
                kind=type(value).__name__,
            ).T
        )
        unnamed = [f"task {i + 1}" for i in range(len(columns))]
    names = unnamed if task_names is None else list(task_names)
    if len(names) != len(columns):
        raise InputError(f"`task` names {len(names)} tasks; {name!r} has scores for {len(columns)}.")
    for task, scores in zip(names, columns, strict=True):
        yield task, _numbers(name, scores)


def _refuse_same_text(source: Mapping[Any, Any], what: str) -> None:
    """Keys that differ, such as 1 and "1", but would be one name."""
    seen: set[str] = set()
    for name in map(str, source):
        if name in seen:
            raise InputError(f"two {what} in the dictionary are written {name!r}; name them apart.")
        seen.add(name)


def _numbers(name: str, scores: Any, *, ndim: int = 1, kind: str | None = None) -> np.ndarray:
    """Scores as an array of so many dimensions; refused with what they are, of a kind if not their own."""
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        text = scores if isinstance(scores, str) else next((s for s in scores if isinstance(s, str)), None)
        got = kind or type(scores).__name__ if text is None else f"{text!r:.40}"
        raise UnreadableSource(f"the scores of {name!r} must be numbers; got {got}.") from error
    if array.ndim != ndim:
        raise UnreadableSource(f"the scores of {name!r} must be a list, or runs x tasks; got shape {array.shape}.")
    return array


def is_cv_results(source: object) -> bool:
    """Whether `source` is a `cv_results_` dictionary."""
    return isinstance(source, Mapping) and "params" in source and any(str(k).startswith(PREFIX) for k in source)


def is_search(source: object) -> bool:
    """Whether `source` is a fitted search with `cv_results_`."""
    return is_cv_results(getattr(source, "cv_results_", None))


def search_scores(columns: Sequence[str]) -> tuple[str, ...]:
    """The scores of a table of search results, by its columns; none where it is another table."""
    chosen = "params" in columns or any(c.startswith("rank_test_") for c in columns)
    return tuple(c for c in columns if c.startswith(PREFIX)) if chosen else ()


def search_params(columns: Sequence[str]) -> tuple[str, ...] | None:
    """The parameters in a table of search results: a column each.

    `params` holds all of them, but as Python writes them, `{'C': np.float64(1.96)}`, where the table was a file: nothing
    reads that, and a search over C and gamma was said to vary no hyper-parameter.
    """
    each = tuple(c for c in columns if c.startswith("param_"))
    return each or (("params",) if "params" in columns else None)


def refuse_cross_validation(source: Mapping[Any, Any]) -> None:
    """What cross_validate returns looks like names and their scores."""
    for one in (source, *source.values()):
        if isinstance(one, Mapping):
            refuse_folds([str(k) for k in one], "the dictionary")


def refuse_folds(columns: Sequence[str], source: str) -> None:
    """The folds of cross_validate do not say which they are, nor how often they were drawn."""
    if {"fit_time", "score_time"} <= {*columns} and any(c.startswith("test_") for c in columns):
        raise InputError(
            f"{source} is what cross_validate returns, whose scores are folds that share training data; pass a table with "
            "the columns model, fold and score, and repeat where the folds were drawn again."
        )


def is_random(search: Any) -> bool:
    """Whether a search drew its configurations independently: not from a grid, not by earlier results."""
    if not any(t.__name__ == "RandomizedSearchCV" for t in type(search).__mro__):
        return False
    spaces = search.param_distributions
    spaces = [spaces] if isinstance(spaces, Mapping) else list(spaces)
    # Lists are drawn from without replacement: as many draws as there are configurations are the grid.
    drawn = any(hasattr(values, "rvs") for space in spaces for values in space.values())
    grid = sum(math.prod(len(values) for values in space.values()) for space in spaces) if not drawn else math.inf
    return len(search.cv_results_["params"]) < grid


def from_cv_results(results: Mapping[str, Any]) -> tuple[pa.Table, tuple[str, ...]]:
    """One row for each configuration: its mean score over the folds, its parameters, its time.

    Returns the table and the names of its metrics.
    """
    scores = {
        str(k).removeprefix(PREFIX): np.asarray(v, dtype=np.float64)
        for k, v in results.items()
        if str(k).startswith(PREFIX)
    }
    refuse_reserved(tuple(scores))
    n = len(results["params"])
    columns: dict[str, Any] = {
        "trial": list(range(n)),
        "params": [
            json.dumps({k: _plain(v) for k, v in sorted(p.items())}, separators=(",", ":")) for p in results["params"]
        ],
        **scores,
    }
    if "mean_fit_time" in results:
        columns["wall_s"] = np.asarray(results["mean_fit_time"], dtype=np.float64)
    return pa.table(columns), tuple(scores)


def _plain(value: Any) -> Any:
    """A parameter as JSON: numbers and text as they are, objects by their text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
