"""What came out of one trial, and how a function's answer becomes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.errors import InputError, InvalidScores
from ogive.schema import RESERVED

SCORE = "score"  # the name of a bare number
_BROKEN = re.compile("[\x00\ud800-\udfff]")  # NUL, and half a character


class Series:
    """A curve of one trial (a loss for each epoch), kept beside the scores: `Trials.series` gives it back."""

    __slots__ = ("values",)

    values: NDArray[np.float64]

    def __init__(self, values: ArrayLike) -> None:
        try:
            array = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"a Series must hold numbers; got {type(values).__name__}.") from None
        if array.ndim != 1:
            raise InputError(f"a Series must be one row of numbers; got shape {array.shape}.")
        array.flags.writeable = False
        self.values = array

    def __repr__(self) -> str:
        return f"Series({len(self.values)} values)"

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration that a search tried: its score in each fold (NaN where none), and their mean."""

    params: dict[str, Any]
    scores: tuple[float, ...]
    mean: float
    status: str = "ok"
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one trial.

    Attributes
    ----------
    scores : dict
        Metric to number; NaN says that there is none.
    params : dict, optional
        The configuration that was chosen inside, by `tuned`.
    inner : tuple of Candidate
        Every configuration that was tried inside.
    series : dict
        Name to `Series`.
    """

    scores: dict[str, float]
    params: dict[str, Any] | None = None
    inner: tuple[Candidate, ...] = ()
    series: dict[str, Series] = field(default_factory=dict)


METRIC_NAMES = f"text that is not blank, of whole characters, other than {', '.join(RESERVED)}"


def is_metric_name(name: object) -> bool:
    """Whether a table can have a column of this name; the same rule as a store's."""
    return isinstance(name, str) and bool(name.strip()) and name not in RESERVED and not _BROKEN.search(name)


def as_outcome(result: Any, algorithm: str, single: str = SCORE) -> Outcome:
    """The outcome that a function meant by a number, a dictionary or an Outcome."""
    if isinstance(result, Outcome):
        read = as_outcome({**result.scores, **result.series}, algorithm)
        return Outcome(read.scores, result.params, tuple(result.inner), read.series)
    if not isinstance(result, Mapping):
        return Outcome({single: _number(result, algorithm, None)})
    scores: dict[str, float] = {}
    series: dict[str, Series] = {}
    for name, value in result.items():
        if not is_metric_name(name):
            raise InvalidScores(f"{algorithm!r} must name its metrics with {METRIC_NAMES}; got {name!r}.")
        if isinstance(value, Series):
            series[name] = value
        else:
            scores[name] = _number(value, algorithm, name)
    if not scores and not series:
        raise InvalidScores(f"{algorithm!r} must return at least one score; got an empty dictionary.")
    return Outcome(scores, series=series)


def _number(value: Any, algorithm: str, metric: str | None) -> float:
    if hasattr(value, "__float__") and not isinstance(value, (str, bytes)) and np.ndim(value) == 0:
        return float(value)
    what = "" if metric is None else f" for {metric!r}"
    advice = " Wrap a curve: ogive.algorithms.Series(values)." if np.ndim(value) == 1 else ""
    raise InvalidScores(
        f"{algorithm!r} must return a number{what}, or a dictionary of metric to number; got {type(value).__name__}.{advice}"
    )
