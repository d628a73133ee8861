"""Dictionaries become plain Arrow tables: name -> scores, name -> task -> scores, name -> runs x tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.schema import ONE_TASK


def from_dictionary(source: Mapping[Any, Any], task_names: Sequence[str] | None = None) -> pa.Table:
    """A long table from a dictionary of scores; runs may be ragged, and missing ones NaN.

    A two-dimensional array is read as rliable reads it: runs down, tasks across.
    """
    if not source:
        raise UnreadableSource("the dictionary is empty; it needs at least one name with its scores.")
    _refuse_same_text(source, "names")
    _refuse_unclear_nesting(source)
    algorithm: list[str] = []
    task: list[str] = []
    trial: list[int] = []
    score: list[float] = []
    for name, value in source.items():
        for task_name, scores in _by_task(str(name), value, task_names):
            if not scores.size:
                where = "" if task_name == ONE_TASK else f" on {task_name!r}"
                raise UnreadableSource(
                    f"{str(name)!r} has no scores{where}; leave it out, or write NaN for runs that failed."
                )
            algorithm += [str(name)] * scores.size
            task += [task_name] * scores.size
            trial += range(scores.size)
            score += scores.tolist()
    return pa.table({"algorithm": algorithm, "task": task, "trial": trial, "score": pa.array(score, type=pa.float64())})


def _by_task(name: str, value: Any, task_names: Sequence[str] | None) -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(value, Mapping):
        if task_names is not None:
            raise InputError(
                f"`task` names tasks, and {name!r} names its own: {', '.join(map(repr, value))}; leave it out."
            )
        _refuse_same_text(value, f"tasks of {name!r}")
        for task, scores in value.items():
            yield str(task), _numbers(name, scores)
        return
    if isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype != object:
        columns: list[Any] = list(value.T)
        unnamed = [f"task {i + 1}" for i in range(len(columns))]
    elif _is_nested(value):
        # a ragged list: one list of runs for each task
        columns = list(value)
        unnamed = [f"task {i + 1}" for i in range(len(columns))]
    else:
        columns, unnamed = [value], [ONE_TASK]
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


def _refuse_unclear_nesting(source: Mapping[Any, Any]) -> None:
    """Refuse lists of lists that could be runs x tasks as well as tasks x runs."""
    nested = {str(name): value for name, value in source.items() if _is_nested(value)}
    ragged = any(len({len(v) for v in value}) > 1 for value in nested.values())
    if nested and not ragged:
        name, value = next(iter(nested.items()))
        raise InputError(
            f"{name!r} holds {len(value)} lists of {len(value[0])} scores, and nothing says whether a list is a run or a task; "
            "pass a NumPy array (runs x tasks), or a dictionary task -> scores."
        )


def _is_nested(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == object and value.size > 0 and all(np.ndim(v) == 1 for v in value)
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) > 0
        and all(np.ndim(v) == 1 for v in value)
    )


def _numbers(name: str, scores: Any) -> np.ndarray:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UnreadableSource(f"the scores of {name!r} must be numbers; got {type(scores).__name__}.") from error
    if array.ndim != 1:
        raise UnreadableSource(f"the scores of {name!r} must be a list, or runs x tasks; got shape {array.shape}.")
    return array
