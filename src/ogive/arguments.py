"""The door of every room: what comes in is checked here once, with one sentence for each refusal."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.errors import InputError, InvalidConfidence, InvalidScores

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.intp]
Bounds: TypeAlias = tuple[float | None, float | None]
Goal: TypeAlias = Literal["maximize", "minimize"]
Tail: TypeAlias = Literal["lower", "upper"]

NO_BOUNDS: Bounds = (None, None)


def as_scores(scores: ArrayLike, *, name: str = "scores", at_least: int = 1, ordered_only: bool = False) -> FloatArray:
    """One-dimensional, finite float64, at least `at_least` of them; infinities where only the order counts."""
    array = _as_floats(scores, name)
    if array.ndim != 1:
        raise InvalidScores(
            f"`{name}` must be one-dimensional; got shape {array.shape}. Flatten it, or pass one column at a time."
        )
    n_bad = int(np.count_nonzero(np.isnan(array) if ordered_only else ~np.isfinite(array)))
    if n_bad:
        raise InvalidScores(
            f"`{name}` must be {'numbers' if ordered_only else 'finite'}; {n_bad} of {array.size} are NaN{' or masked' if ordered_only else ', infinite or masked'}. "
            "Leave them out and pass their number as `n_failed`, or replace them by the worst score."
        )
    if array.size < at_least:
        raise InvalidScores(
            f"`{name}` must hold at least {at_least} value{'s' if at_least > 1 else ''}; got {array.size}."
        )
    return array


def as_confidence(confidence: float) -> float:
    """A number strictly between 0 and 1."""
    value = _as_float(confidence, "confidence")
    if not 1e-12 < value < 1.0 - 1e-12:
        hint = f" Did you mean {value / 100:g}?" if 1.0 < value < 100.0 else ""
        raise InvalidConfidence(f"`confidence` must lie in (0, 1); got {value:g}.{hint}")
    return value


def as_mass(mass: float) -> float:
    """A share of outcomes in (0, 1]."""
    value = _as_float(mass, "mass")
    if not 0.0 < value <= 1.0:
        hint = f" Did you mean {value / 100:g}?" if 1.0 < value <= 100.0 else ""
        raise InputError(f"`mass` is a share of outcomes and must lie in (0, 1]; got {value:g}.{hint}")
    return value


def as_probability(p: ArrayLike) -> FloatArray:
    """Numbers in [0, 1], of any shape."""
    array = _as_floats(p, "p", InputError)
    if not np.all((array >= 0.0) & (array <= 1.0)):
        raise InputError(f"`p` must lie in [0, 1]; got {shown(p)}.")
    return array


def as_count(k: float, name: str = "k") -> float:
    """A positive number, not necessarily whole."""
    value = _as_float(k, name)
    if not (value > 0.0 and math.isfinite(value)):
        raise InputError(f"`{name}` must be a positive number; got {value:g}.")
    return value


def as_whole(value: float, name: str, *, at_least: int = 0) -> int:
    """A whole number of at least `at_least`."""
    number = _as_float(value, name)
    if not (number >= at_least and math.isfinite(number) and number == int(number)):
        raise InputError(f"`{name}` must be a whole number of at least {at_least}; got {number:g}.")
    return int(number)


def is_integer(value: object) -> bool:
    """Whether a value is an integer of Python or numpy; truth is none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def as_integer(value: object, name: str, *, at_least: int) -> int:
    """An integer of at least `at_least`; 3.0 is none."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < at_least:
        raise InputError(f"`{name}` must be a whole number of at least {at_least}; got {value!r}.")
    return int(value)


def as_threshold(threshold: float, name: str = "threshold") -> float:
    """A number, possibly infinite."""
    array = _as_floats(threshold, name, InputError)
    if array.ndim or np.isnan(array):
        raise InputError(f"`{name}` must be a number; got {shown(threshold)}.")
    return float(array)


def as_thresholds(thresholds: ArrayLike, name: str = "z") -> FloatArray:
    """Numbers of any shape, possibly infinite."""
    array = _as_floats(thresholds, name, InputError)
    if np.isnan(array).any():
        raise InputError(f"`{name}` must be numbers; got {shown(thresholds)}.")
    return array


def as_bounds(bounds: Bounds, points: FloatArray) -> tuple[float, float]:
    """The support as two floats; refused where a finite score lies outside."""
    try:
        low, high = (None if b is None else float(b) for b in bounds)
    except (TypeError, ValueError) as error:
        raise InputError(f"`bounds` must be a pair (low, high), None where unknown; got {bounds!r}.") from error
    a = -math.inf if low is None else low
    b = math.inf if high is None else high
    if math.isnan(a) or math.isnan(b) or not a < b:
        raise InputError(f"`bounds` must be (low, high) with low < high; got ({a:g}, {b:g}).")
    finite = points[np.isfinite(points)]
    if finite.size and (finite[0] < a or finite[-1] > b):
        # All digits where fewer would show scores on the bound that they pass.
        hidden = any(f"{x:g}" == f"{y:g}" for x, y in ((finite[0], a), (finite[-1], b)) if x != y)
        digits = ".17g" if hidden else "g"
        raise InputError(
            f"`bounds` ({a:g}, {b:g}) must contain every score; they range from {finite[0]:{digits}} to "
            f"{finite[-1]:{digits}}. Correct the bounds or the scores."
        )
    return a, b


def as_goal(goal: str) -> Goal:
    """`maximize` or `minimize`."""
    if goal == "maximize":
        return "maximize"
    if goal == "minimize":
        return "minimize"
    raise InputError(f"`goal` must be 'maximize' or 'minimize'; got {goal!r}.")


def as_tail(tail: str) -> Tail:
    """`lower` (small scores) or `upper` (large ones)."""
    if tail == "lower":
        return "lower"
    if tail == "upper":
        return "upper"
    raise InputError(f"`tail` must be 'lower' (small scores) or 'upper' (large ones); got {tail!r}.")


def as_clusters(clusters: ArrayLike | None, n: int) -> IntArray | None:
    """Cluster codes 0 … K-1, one for each score; None where every score stands alone."""
    if clusters is None:
        return None
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise InputError(f"`clusters` must name one cluster for each of the {n} scores; got shape {labels.shape}.")
    codes = label_codes(labels, "clusters")
    return None if codes.max(initial=-1) + 1 == n else codes


def label_codes(labels: ArrayLike, name: str) -> IntArray:
    """0 … K-1 for the K different labels, in their order."""
    try:
        return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.intp)
    except TypeError as error:
        raise InputError(
            f"`{name}` must be labels that can be put in order, all text or all numbers; some are missing or of another kind."
        ) from error


def as_failures(n_failed: int, codes: IntArray | None) -> int:
    """A number of draws without a score; refused together with clusters, which it cannot be counted in."""
    count = as_whole(n_failed, "n_failed")
    if count and codes is not None:
        raise InputError("`n_failed` cannot be combined with `clusters`: give each failure a score and its cluster.")
    return count


def as_name(value: object, name: str) -> str | None:
    """One name, or none."""
    if value is None or isinstance(value, str):
        return value
    raise InputError(f"`{name}` must be one name; got {shown(value)}.")


def as_printable(name: object, what: str) -> str:
    """The name of something: printable text that is not blank."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(f"the name of {what} must be printable text; got {name!r}.")
    return name


def as_names(value: object, name: str) -> tuple[str, ...]:
    """Names, each once."""
    names = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else [None]
    if not all(isinstance(one, str) for one in names):
        raise InputError(f"`{name}` must be a name or a list of names; got {shown(value)}.")
    return tuple(dict.fromkeys(str(one) for one in names))


def as_answer(value: object, name: str) -> bool:
    """True or False, and nothing that only looks like it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputError(f"`{name}` must be True or False; got {shown(value)}.")


def _as_floats(scores: ArrayLike, name: str, refusal: type[InputError] = InvalidScores) -> FloatArray:
    """float64 of any shape, NaN where masked; text and complex numbers are refused though numpy would convert them."""
    try:
        raw = np.asanyarray(scores)
        text = raw.dtype.kind == "O" and any(isinstance(v, str | bytes) for v in raw.flat)
        if raw.dtype.kind not in "biufO" or text:
            raise TypeError(raw.dtype)
        return np.asarray(np.ma.filled(raw.astype(np.float64), np.nan) if np.ma.isMA(raw) else raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise refusal(f"`{name}` must be numbers, not text or complex; got {shown(scores)}.") from error


def _as_float(value: float, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must be a number; got {value!r}.") from error


def shown(value: object) -> str:
    """A value as a refusal shows it: on one line, and short."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "…"
