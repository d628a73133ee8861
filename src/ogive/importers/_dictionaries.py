"""Dictionaries become plain Arrow tables.

What stands behind a name means the same wherever a dictionary enters:

  [0.8, 0.7]               runs on one task (a profile, which needs several tasks: one run on each)
  {"x": [0.8, 0.7]}        task -> runs, or its only run; so does a pandas series with labels
  [[0.8, 0.1], [0.7, 0.2]]   runs x tasks, as an array or as lists of the same numbers (rliable's)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.errors import InputError, UnreadableSource
from ogive.schema import ONE_TASK


def from_dictionary(source: Mapping[Any, Any], task_names: Sequence[str] | None = None) -> pa.Table:
    """A long table from a dictionary of scores; missing ones are NaN."""
    if not source:
        raise UnreadableSource("the dictionary is empty; it needs at least one name with its scores.")
    _refuse_same_text(source, "names")
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
    if _has_labels(value):
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
    if _is_nested(value):
        columns: list[Any] = list(_matrix(name, value).T)
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


def _has_labels(value: Any) -> bool:
    """Whether scores are a pandas series whose index says more than their number."""
    return hasattr(value, "iloc") and getattr(value, "ndim", 0) == 1 and value.index.dtype.kind not in "iu"


def _is_nested(value: Any) -> bool:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or len(value) == 0:
        return False
    return any(hasattr(part, "__len__") and not isinstance(part, (str, bytes)) for part in value)


def _matrix(name: str, value: Any) -> np.ndarray:
    """Runs x tasks; every run must have a score on every task."""
    lengths = {len(part) if hasattr(part, "__len__") else 0 for part in value}
    if len(lengths) > 1:
        raise InputError(
            f"{name!r} holds lists of {min(lengths)} to {max(lengths)} scores; each list is a run, with a score on every task. "
            "For tasks with different numbers of runs write a dictionary task -> scores."
        )
    try:
        array = np.array([list(part) for part in value], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UnreadableSource(f"the scores of {name!r} must be numbers; got {type(value).__name__}.") from error
    if array.ndim != 2:
        raise UnreadableSource(f"the scores of {name!r} must be a list, or runs x tasks; got shape {array.shape}.")
    return array


def _numbers(name: str, scores: Any) -> np.ndarray:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        text = scores if isinstance(scores, str) else next((s for s in scores if isinstance(s, str)), None)
        got = type(scores).__name__ if text is None else f"{text!r:.40}"
        raise UnreadableSource(f"the scores of {name!r} must be numbers; got {got}.") from error
    if array.ndim != 1:
        raise UnreadableSource(f"the scores of {name!r} must be a list, or runs x tasks; got shape {array.shape}.")
    return array
