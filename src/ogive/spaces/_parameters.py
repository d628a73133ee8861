"""What a parameter is: numbers, choices among values or labeled objects, and what else may stand behind a name.

A native parameter turns one uniform number u in [0, 1) into a value, so a space needs one call of
the generator for all of them. `text` is the value in canonical JSON, `restore` the way back.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from numbers import Real
from typing import Any

import numpy as np

from ogive.canonical import canonical, content, plain
from ogive.errors import InputError
from ogive.spaces._words import is_number, is_plain, label_of, listed, percent, same, tidy, words

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
class LogUniform(Uniform):
    """A float in [low, high], every order of magnitude equally likely."""

    _start: float = field(init=False, repr=False, compare=False)
    _width: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_start", math.log(self.low))
        object.__setattr__(self, "_width", math.log(self.high) - math.log(self.low))

    def draw(self, u: float) -> float:
        value = math.exp(self._start + self._width * u)
        # exp(log(x)) may miss x by a rounding
        return self.low if value < self.low else self.high if value > self.high else value

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


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Countable):
    """One of several values; an object is written as its label.

    `labels[i]` is None where the value is its own spelling. `weights` is None when all are equally
    likely. Lists and dictionaries are handed out as copies: a configuration that is changed by its
    user must not change later draws. Other objects are handed out themselves.
    """

    values: tuple[Any, ...]
    labels: tuple[str | None, ...]
    weights: tuple[float, ...] | None
    _n: int = field(init=False, repr=False)
    _cumulative: list[float] = field(init=False, repr=False)
    _texts: tuple[str, ...] = field(init=False, repr=False)
    _code_of_text: dict[str, int] = field(init=False, repr=False)
    _text_of_identity: dict[int, str] = field(init=False, repr=False)
    _copied: frozenset[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        texts = tuple(
            canonical(value if label is None else label) for value, label in zip(self.values, self.labels, strict=True)
        )
        copied = frozenset(code for code, value in enumerate(self.values) if is_plain(value) and _holds_a_list(value))
        put = object.__setattr__
        put(self, "_n", len(self.values))
        put(self, "_cumulative", [] if self.weights is None else list(accumulate(self.weights))[:-1])
        put(self, "_texts", texts)
        put(self, "_code_of_text", {text: code for code, text in enumerate(texts)})
        # what is never copied is recognized by identity, which costs a tenth of comparing
        put(self, "_text_of_identity", {id(self.values[c]): text for c, text in enumerate(texts) if c not in copied})
        put(self, "_copied", copied)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by its values alone: identities do not travel."""
        return Choice, (self.values, self.labels, self.weights)

    def code(self, u: float) -> int:
        return int(u * self._n) if self.weights is None else bisect_right(self._cumulative, u)

    def value(self, code: int) -> Any:
        return copy.deepcopy(self.values[code]) if code in self._copied else self.values[code]

    def draw(self, u: float) -> Any:
        if self.weights is None and not self._copied:
            return self.values[int(u * self._n)]
        return self.value(self.code(u))

    def code_of(self, value: Any) -> int:
        code = self._find(value)
        if code is None and isinstance(value, str) and value in self.labels:
            code = self.labels.index(value)
        if code is None:
            raise InputError(f"must be one of {self._possible()}; got {value!r}.")
        return code

    def accept(self, value: Any) -> Any:
        return self.value(self.code_of(value))

    def restore(self, value: Any) -> Any:
        code = self._code_of_text.get(canonical(value))
        if code is None:
            raise InputError(f"must be one of {self._possible()}; got {value!r}.")
        return self.value(code)

    def text(self, value: Any) -> str:
        known = self._text_of_identity.get(id(value))
        if known is not None:
            return known
        code = self._find(value)
        if code is None:
            raise InputError(f"must be one of {self._possible()}; got {value!r}.")
        return self._texts[code]

    def _find(self, value: Any) -> int | None:
        """The code of a value: the object itself, else the same in type and content, in JSON, as a number."""
        for code, own in enumerate(self.values):
            if own is value:
                return code
        value = tidy(value)
        if not is_plain(value):
            return None
        for code, own in enumerate(self.values):
            if same(own, value):
                return code
        try:
            code = self._code_of_text.get(canonical(value), -1)
        except InputError:  # NaN and infinity have no spelling, so they are no choice
            return None
        if code >= 0 and self.labels[code] is None:
            return code
        equal = [code for code, own in enumerate(self.values) if is_number(own) and is_number(value) and own == value]
        return equal[0] if len(equal) == 1 else None

    def code_words(self, code: int) -> str:
        label = self.labels[code]
        return words(self.values[code] if label is None else label)

    def _possible(self) -> str:
        return listed([self.code_words(code) for code in range(self._n)], "or")

    def words(self) -> str:
        parts = [self.code_words(code) for code in range(self._n)]
        if self._n == 1:
            return f"fixed at {parts[0]}"
        if self.weights is not None:
            parts = [f"{part} ({percent(weight)})" for part, weight in zip(parts, self.weights, strict=True)]
        return f"one of {', '.join(parts)}"

    def shares(self) -> dict[str, float]:
        """The probability of each value, by its words."""
        weights = self.weights or (1 / self._n,) * self._n
        return {self.code_words(code): weight for code, weight in enumerate(weights)}

    def definition(self) -> dict[str, Any]:
        values = [
            content(value) if label is None else {"label": label, "object": content(value)}
            for value, label in zip(self.values, self.labels, strict=True)
        ]
        weights = {} if self.weights is None else {"weights": list(self.weights)}
        return {"kind": "choice", "values": values, **weights}


def choice(values: Sequence[Any] | Mapping[str, Any], weights: Sequence[float] | None = None) -> Choice:
    """One of several values, all equally likely or with given probabilities.

    Values that JSON can hold stand for themselves; tuples come back as tuples. An object is written
    as its label: `choice({"svm": SVC(), "lr": LogisticRegression()})`, or in a plain list the name
    of its class. Every draw hands out the same object, so clone it before changing it. A value
    that is listed twice counts twice.

    Parameters
    ----------
    values : sequence, or dictionary from label to object
    weights : sequence of float, optional
        Probabilities in the order of the values; they sum to 1.

    Examples
    --------
    >>> choice([(50,), (100,), (50, 100)]).words()
    'one of (50,), (100,), (50, 100)'
    >>> choice({"small": 10, "large": 1000}, weights=[0.9, 0.1]).words()
    'one of small (90 %), large (10 %)'
    """
    pairs = _labeled(values) if isinstance(values, Mapping) else _listed(values)
    if not pairs:
        raise InputError("`choice` needs at least one value; got none.")
    shares = None if weights is None else _checked_weights(weights, len(pairs))
    pairs, shares = _merged(pairs, shares)
    chosen = Choice(tuple(v for v, _ in pairs), tuple(label for _, label in pairs), shares)
    _refuse_clashes(chosen)
    return chosen


def constant(value: Any) -> Choice:
    """The same value in every draw.

    Examples
    --------
    >>> constant("rbf").words()
    'fixed at rbf'
    """
    return choice([value])


def _listed(values: Any) -> list[tuple[Any, str | None]]:
    if isinstance(values, (str, bytes)):
        raise InputError(f"`choice` takes a list of values; got the text {values!r}. Did you mean [{values!r}]?")
    if isinstance(values, Set):
        raise InputError("`choice` takes a list: a set has no order, and draws would differ from run to run.")
    if hasattr(values, "tolist") and hasattr(values, "__len__") and getattr(values, "ndim", 1) == 1:
        values = values.tolist()  # numpy arrays and pandas columns
    if not isinstance(values, Sequence):
        raise InputError(f"`choice` takes a list of values or a dictionary of labels; got {type(values).__name__}.")
    return [(value, None if is_plain(value) else label_of(value)) for value in map(tidy, values)]


def _labeled(values: Mapping[str, Any]) -> list[tuple[Any, str | None]]:
    for label in values:
        if not isinstance(label, str) or not label:
            raise InputError(f"labels of `choice` must be text; got {label!r}.")
    return [(tidy(value), str(label)) for label, value in values.items()]


def _checked_weights(weights: Any, n: int) -> tuple[float, ...]:
    if isinstance(weights, (str, bytes, Mapping, Set)) or not hasattr(weights, "__len__"):
        raise InputError(f"`weights` must be a list of {n} probabilities; got {weights!r}.")
    given = [tidy(weight) for weight in weights]
    if len(given) != n:
        raise InputError(f"`weights` must have one number for each of the {n} values; got {len(given)}.")
    for weight in given:
        if not is_number(weight) or weight < 0:
            raise InputError(f"`weights` must be finite numbers from 0 on; got {weight!r}.")
    total = math.fsum(given)
    if abs(total - 1) > 1e-9:
        advice = "" if total == 0 else f" Divide each by their sum: {[float(f'{w / total:.3g}') for w in given]}."
        raise InputError(f"`weights` must sum to 1; these sum to {total:g}.{advice}")
    return tuple(float(weight) / total for weight in given)


def _merged(
    pairs: list[tuple[Any, str | None]], shares: tuple[float, ...] | None
) -> tuple[list[tuple[Any, str | None]], tuple[float, ...] | None]:
    """Values that are listed twice become one value with the sum of the probabilities."""
    kept: list[tuple[Any, str | None]] = []
    sums: list[float] = []
    for i, (value, label) in enumerate(pairs):
        share = 1 / len(pairs) if shares is None else shares[i]
        again = [j for j, (v, own) in enumerate(kept) if own == label and (v is value or _same_plain(v, value))]
        if again:
            sums[again[0]] += share
        else:
            kept.append((value, label))
            sums.append(share)
    if shares is None and len(kept) == len(pairs):
        return kept, None
    return kept, tuple(sums) if len(kept) > 1 else None


def _same_plain(one: Any, other: Any) -> bool:
    return is_plain(one) and is_plain(other) and same(one, other)


def _refuse_clashes(chosen: Choice) -> None:
    seen: dict[str, int] = {}
    for code, text in enumerate(chosen._texts):
        if text in seen:
            one, other = chosen.values[seen[text]], chosen.values[code]
            raise InputError(
                f"`choice` has two values that are both written {text}: {one!r} and {other!r}; "
                "give each its own label: choice({'first': …, 'second': …})."
            )
        for earlier in seen.values():
            one, other = chosen.values[earlier], chosen.values[code]
            if one is other or _same_plain(one, other):
                labels = f"{chosen.labels[earlier]!r} and {chosen.labels[code]!r}"
                raise InputError(
                    f"`choice` has the labels {labels} for the same value {one!r}; keep one, with a weight."
                )
        seen[text] = code


def _holds_a_list(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(_holds_a_list(part) for part in value)
    return isinstance(value, (list, dict))


# Arguments in scipy's order; looked up by class name, so that scipy.stats (a second) is never imported here.
_ARGUMENTS = {
    "uniform_gen": ("loc", "scale"),
    "reciprocal_gen": ("a", "b", "loc", "scale"),
    "randint_gen": ("low", "high", "loc"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Sampled(Foreign):
    """A distribution with an `rvs` method, drawn as scikit-learn does: rvs(random_state=rng)."""

    source: Any

    def draw_from(self, rng: np.random.Generator) -> Any:
        value = self.source.rvs(random_state=rng)
        return value.tolist() if isinstance(value, np.ndarray) else tidy(value)

    def accept(self, value: Any) -> Any:
        plain(value)
        return tidy(value)

    def restore(self, value: Any) -> Any:
        return value

    def words(self) -> str:
        if not _is_frozen(self.source):
            return f"drawn from {type(self.source).__name__}"
        given = [_argument(v) for v in self.source.args]
        given += [f"{name}={_argument(v)}" for name, v in self.source.kwds.items()]
        return f"{self.source.dist.name}({', '.join(given)}) of scipy.stats"

    def definition(self) -> dict[str, Any]:
        if not _is_frozen(self.source):
            return {"kind": "sampled", "source": content(self.source)}
        arguments = {"arguments": content(list(self.source.args)), "keywords": content(self.source.kwds)}
        return {"kind": "sampled", "source": f"scipy.stats.{self.source.dist.name}", **arguments}


def as_parameter(value: Any) -> Parameter:
    """A parameter from what a scikit-learn style dictionary holds.

    scipy's uniform, loguniform (reciprocal) and randint become native parameters: the same law, but
    microseconds instead of a hundred of them, and a draw that is one uniform number.
    """
    if isinstance(value, Parameter):
        return value
    if isinstance(value, Mapping):
        raise InputError(
            "a dictionary is not a distribution; write choice({label: object, …}) for labeled objects, "
            "constant({…}) for a dictionary that is the value."
        )
    if hasattr(value, "rvs") and not isinstance(value, type):
        return _from_distribution(value)
    if callable(value) and not isinstance(value, type):
        raise InputError(
            "a parameter must be a list of values or a distribution; got a function. Make the whole space one function "
            "rng -> dict, or write constant(f) for a function that is the value."
        )
    if value is None or callable(value) or isinstance(value, (Real, str, bytes)):
        raise InputError(
            f"a parameter must be a list of values or a distribution; got {value!r}. Write constant({value!r})."
        )
    return choice(value)


def _from_distribution(value: Any) -> Parameter:
    if type(value).__module__.startswith("scipy.stats") and hasattr(value, "freeze"):
        try:
            value = value.freeze()
        except TypeError:
            raise InputError(f"scipy's {value.name} needs its arguments: write {value.name}(low, high).") from None
    native = _native(value) if _is_frozen(value) else None
    if native is not None:
        return native
    sampled = Sampled(value)
    try:
        plain(sampled.draw_from(np.random.default_rng(0)))
    except Exception as error:
        raise InputError(f"{sampled.words()} cannot be drawn: {error}") from error
    return sampled


def _native(frozen: Any) -> Parameter | None:
    """The native parameter with the law of a frozen distribution, where there is one."""
    kind = type(frozen.dist).__name__
    if kind not in _ARGUMENTS:
        return None
    given = dict(zip(_ARGUMENTS[kind], frozen.args, strict=False)) | dict(frozen.kwds)
    given = {name: tidy(v) for name, v in given.items()}
    if any(not isinstance(v, Real) for v in given.values()):
        return None
    loc, scale = given.get("loc", 0), given.get("scale", 1)
    if kind == "uniform_gen":
        return uniform(loc, loc + scale)
    if kind == "reciprocal_gen":
        return loguniform(given["a"] * scale, given["b"] * scale) if loc == 0 else None
    low, high = given["low"] + loc, given["high"] + loc - 1
    return constant(int(low)) if low == high else integer(low, high)


def _is_frozen(value: Any) -> bool:
    return type(value).__module__.startswith("scipy.stats") and hasattr(value, "dist") and hasattr(value, "kwds")


def _argument(value: Any) -> str:
    return words(tidy(value))
