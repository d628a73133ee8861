"""What a parameter is, and the numbers: uniform, log-uniform, whole, whole on a log scale.

A native parameter turns one uniform number u in [0, 1) into a value, so a space needs one call of
the generator for all of them. `text` is the value in canonical JSON, `restore` the way back.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ogive.canonical import canonical
from ogive.errors import InputError
from ogive.spaces._words import is_number, words

_EXACT = 2**53  # integers up to here are distinct as floats; a wider range could not be drawn evenly


class Parameter(ABC):
    """A distribution over the values of one hyper-parameter."""

    __slots__ = ()

    @abstractmethod
    def accept(self, value: Any) -> Any:
        """The value as this parameter would draw it; refused where it never would."""

    @abstractmethod
    def restore(self, value: Any) -> Any:
        """The value that was written as this piece of JSON."""

    @abstractmethod
    def words(self) -> str:
        """The distribution in words."""

    @abstractmethod
    def definition(self) -> dict[str, Any]:
        """JSON-able content for fingerprints."""

    def text(self, value: Any) -> str:
        """A value in canonical JSON; refused where the parameter could not have drawn it."""
        return canonical(self.accept(value))


class Native(Parameter):
    """A parameter whose value is a function of one uniform number."""

    __slots__ = ()

    @abstractmethod
    def draw(self, u: float) -> Any:
        """The value at u in [0, 1)."""


class Countable(Native):
    """A parameter whose values can be counted, so that others may depend on them.

    A code is a whole number that stands for a value. Conditions compare codes: 1, 1.0 and True are
    equal as values, but may be different choices.
    """

    __slots__ = ()

    @abstractmethod
    def code(self, u: float) -> int:
        """The code at u in [0, 1)."""

    @abstractmethod
    def code_of(self, value: Any) -> int:
        """The code of a value; refused where there is none."""

    @abstractmethod
    def value(self, code: int) -> Any:
        """The value of a code."""

    def draw(self, u: float) -> Any:
        """The value at u in [0, 1)."""
        return self.value(self.code(u))

    def code_words(self, code: int) -> str:
        """The value of a code in words."""
        return words(self.value(code))


class Foreign(Parameter):
    """A distribution of another library, drawn with the generator itself after the native ones."""

    __slots__ = ()

    @abstractmethod
    def draw_from(self, rng: np.random.Generator) -> Any:
        """One value."""


@dataclass(frozen=True, slots=True)
class Uniform(Native):
    """A float, every value in [low, high] equally likely."""

    low: float
    high: float

    def draw(self, u: float) -> float:
        return self.low + (self.high - self.low) * u

    def accept(self, value: Any) -> float:
        return _within(value, self.low, self.high)

    restore = accept

    def text(self, value: Any) -> str:
        if value.__class__ is float and self.low <= value <= self.high:
            return repr(value + 0.0)
        return repr(self.accept(value) + 0.0)

    def words(self) -> str:
        return f"uniform on [{words(self.low)}, {words(self.high)}]"

    def definition(self) -> dict[str, Any]:
        return {"kind": "uniform", "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class LogUniform(Native):
    """A float in [low, high], every order of magnitude equally likely."""

    low: float
    high: float
    _start: float = field(init=False, repr=False, compare=False)
    _width: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_start", math.log(self.low))
        object.__setattr__(self, "_width", math.log(self.high) - math.log(self.low))

    def draw(self, u: float) -> float:
        value = math.exp(self._start + self._width * u)
        # exp(log(x)) may miss x by a rounding
        return self.low if value < self.low else self.high if value > self.high else value

    def accept(self, value: Any) -> float:
        return _within(value, self.low, self.high)

    restore = accept

    def text(self, value: Any) -> str:
        if value.__class__ is float and self.low <= value <= self.high:
            return repr(value)
        return repr(self.accept(value))

    def words(self) -> str:
        return f"log-uniform on [{words(self.low)}, {words(self.high)}]"

    def definition(self) -> dict[str, Any]:
        return {"kind": "loguniform", "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Integer(Countable):
    """A whole number from low to high, both included, all equally likely."""

    low: int
    high: int

    @property
    def last(self) -> int:
        """The largest value."""
        return self.high

    def code(self, u: float) -> int:
        return self.low + int((self.high - self.low + 1) * u)

    draw = code

    def value(self, code: int) -> int:
        return code

    def accept(self, value: Any) -> int:
        return _whole_within(value, self.low, self.last)

    restore = accept
    code_of = accept

    def text(self, value: Any) -> str:
        return repr(value if value.__class__ is int and self.low <= value <= self.last else self.accept(value))

    def words(self) -> str:
        return f"whole number from {self.low} to {self.high}"

    def definition(self) -> dict[str, Any]:
        return {"kind": "integer", "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class LogInteger(Integer):
    """The whole part of a log-uniform number on [low, high): high itself is not reached."""

    _start: float = field(init=False, repr=False, compare=False)
    _width: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_start", math.log(self.low))
        object.__setattr__(self, "_width", math.log(self.high) - math.log(self.low))

    @property
    def last(self) -> int:
        """The largest value."""
        return self.high - 1

    def code(self, u: float) -> int:
        value = int(math.exp(self._start + self._width * u))
        # exp(log(x)) may miss x by a rounding
        return self.low if value < self.low else self.high - 1 if value >= self.high else value

    draw = code

    def words(self) -> str:
        return f"whole part of a log-uniform number on [{self.low}, {self.high}), so {self.low} to {self.last}"

    def definition(self) -> dict[str, Any]:
        return {"kind": "log_integer", "low": self.low, "high": self.high}


def uniform(low: float, high: float) -> Uniform:
    """A float, every value from low to high equally likely.

    Examples
    --------
    >>> uniform(0, 0.5).words()
    'uniform on [0, 0.5]'
    """
    low, high = _bounds("uniform", low, high)
    if not math.isfinite(high - low):
        raise InputError(f"`uniform` needs a range that a float can hold; got {low:g} to {high:g}.")
    return Uniform(low, high)


def loguniform(low: float, high: float) -> LogUniform:
    """A float whose logarithm is uniform from log(low) to log(high).

    Examples
    --------
    >>> round(loguniform(1e-2, 1e2).draw(0.5), 9)
    1.0
    """
    low, high = _bounds("loguniform", low, high)
    _positive("loguniform", low)
    return LogUniform(low, high)


def integer(low: int, high: int) -> Integer:
    """A whole number from low to high, **both included**, all equally likely.

    Examples
    --------
    >>> [integer(1, 3).draw(u) for u in (0.0, 0.5, 0.99)]
    [1, 2, 3]
    """
    low, high = _whole_bounds("integer", low, high)
    return Integer(low, high)


def log_integer(low: int, high: int) -> LogInteger:
    """The whole part of a log-uniform number: floor(exp U(ln low, ln high)). **`high` is not reached.**

    `log_integer(10, 100)` gives 10 to 99, as the number of trees in Jordan et al. (2018) was drawn;
    `log_integer(10, 101)` gives 100 as well. The value k has probability
    ln((k + 1) / k) / ln(high / low). (`integer` includes its upper end.)

    Examples
    --------
    >>> [log_integer(10, 100).draw(u) for u in (0.0, 0.5, 0.999999)]
    [10, 31, 99]
    """
    low, high = _whole_bounds("log_integer", low, high)
    _positive("log_integer", low)
    return LogInteger(low, high)


def _bounds(kind: str, low: Any, high: Any) -> tuple[float, float]:
    for side, number in (("low", low), ("high", high)):
        if not is_number(number):
            raise InputError(f"`{side}` of `{kind}` must be a finite number; got {number!r}.")
    if not low < high:
        advice = "use constant() for a single value" if low == high else "swap them"
        raise InputError(f"`low` of `{kind}` must be below `high`; got {low:g} and {high:g}: {advice}.")
    return float(low), float(high)


def _whole_bounds(kind: str, low: Any, high: Any) -> tuple[int, int]:
    _bounds(kind, low, high)
    for side, number in (("low", low), ("high", high)):
        if number != int(number):
            raise InputError(f"`{side}` of `{kind}` must be a whole number; got {number!r}.")
    if int(high) - int(low) >= _EXACT:
        raise InputError(f"`{kind}` can draw from at most 2**53 values; got {low} to {high}.")
    return int(low), int(high)


def _positive(kind: str, low: float) -> None:
    if low <= 0:
        raise InputError(f"`low` of `{kind}` must be positive, for its logarithm; got {low:g}.")


def _within(value: Any, low: float, high: float) -> float:
    if not is_number(value) or not low <= value <= high:
        raise InputError(f"must be a number in [{words(low)}, {words(high)}]; got {value!r}.")
    return float(value)


def _whole_within(value: Any, low: int, high: int) -> int:
    if not is_number(value) or value != int(value) or not low <= value <= high:
        raise InputError(f"must be a whole number from {low} to {high}; got {value!r}.")
    return int(value)
