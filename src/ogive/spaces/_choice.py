"""A choice among values or labeled objects."""

from __future__ import annotations

import copy
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from ogive.canonical import canonical
from ogive.errors import InputError
from ogive.spaces._parameters import Countable
from ogive.spaces._words import content, is_number, is_plain, label_of, listed, percent, same, tidy, words


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
