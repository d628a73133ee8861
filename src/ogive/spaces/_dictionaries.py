"""A list of scikit-learn dictionaries: one is picked, then its parameters are drawn."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ogive.canonical import canonical
from ogive.errors import InputError
from ogive.spaces._choice import Choice
from ogive.spaces._conditions import Conditional
from ogive.spaces._parameters import Parameter
from ogive.spaces._space import ParameterSpace, Space, as_config, from_dictionary, parsed
from ogive.spaces._words import content, percent

if TYPE_CHECKING:
    import numpy as np


class DictionariesSpace(Space):
    """Several spaces, of which one is picked with a probability of its own.

    The first uniform number of the generator picks the space, which then draws as it would alone.
    Spaces are ordered by their definitions, so the order of the list does not matter.
    """

    __slots__ = ("_limits", "_spaces", "_weights")

    def __init__(self, spaces: Sequence[ParameterSpace], weights: Sequence[float]) -> None:
        """Trusts its arguments: `from_list` checks them."""
        keys = [canonical(space.definition()) for space in spaces]
        order = sorted(range(len(spaces)), key=keys.__getitem__)
        self._spaces = tuple(spaces[i] for i in order)
        self._weights = tuple(weights[i] / math.fsum(weights) for i in order)
        self._limits = list(accumulate(self._weights))[:-1]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by what it was made of."""
        return DictionariesSpace, (self._spaces, self._weights)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for space in self._spaces for name in space.names))

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        return self._spaces[bisect_right(self._limits, rng.random())].sample(rng)

    def encode(self, config: Mapping[str, Any]) -> str:
        return str(self._first(config, lambda space: space.encode(config)))

    def decode(self, text: str) -> dict[str, Any]:
        found: dict[str, Any] = self._first(parsed(text), lambda space: space.decode(text))
        return found

    def _first(self, config: Mapping[str, Any], do: Callable[[ParameterSpace], Any]) -> Any:
        """The answer of the first space that knows the names and the values."""
        problem: InputError | None = None
        for space in self._spaces:
            try:
                if config.keys() <= set(space.names):
                    return do(space)
            except InputError as error:
                problem = error
        raise problem or InputError(f"none of the dictionaries has the parameters {', '.join(map(str, config))}.")

    def fix(self, config: Mapping[str, Any]) -> DictionariesSpace:
        """Parameters held at values; only the dictionaries that can have them remain, in their proportions."""
        as_config(config)
        remaining: list[tuple[ParameterSpace, float]] = []
        problem = InputError("there is no dictionary to fix.")
        for space, weight in zip(self._spaces, self._weights, strict=True):
            try:
                remaining.append((space.fix(config), weight))
            except InputError as error:
                problem = error
        if not remaining:
            raise problem
        return DictionariesSpace([space for space, _ in remaining], [weight for _, weight in remaining])

    def definition(self) -> dict[str, Any]:
        return {
            "dictionaries": [
                {"weight": weight, **space.definition()}
                for space, weight in zip(self._spaces, self._weights, strict=True)
            ]
        }

    def describe(self) -> str:
        return "; or ".join(f"with probability {share}: {law}" for share, law in self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        return [(percent(w), space.describe()) for space, w in zip(self._spaces, self._weights, strict=True)]

    def to_configspace(self) -> Any:
        raise InputError(
            "a list of dictionaries cannot be said in ConfigSpace; write one dictionary with conditions: "
            "{'kernel': ['linear', 'poly'], 'degree': when([2, 3], kernel='poly')}."
        )

    def warning(self) -> str:
        """How likely each dictionary is, and which values are therefore more likely than others."""
        sets = "; ".join(
            f"{{{', '.join(space.names)}}} {percent(weight)}"
            for space, weight in zip(self._spaces, self._weights, strict=True)
        )
        uneven = "; ".join(f"{name} is {_in_words(shares)}" for name, shares in self._shares() if _differ(shares))
        return f"{sets}." + (f" So {uneven}." if uneven else "")

    def _shares(self) -> list[tuple[str, dict[str, float]]]:
        """The probability of each value of the choices that every dictionary has."""
        found = []
        for name in self.names:
            choices = [space._parameters.get(name) for space in self._spaces]
            if any(name in space._conditions for space in self._spaces):
                continue
            shares: dict[str, float] = {}
            for parameter, weight in zip(choices, self._weights, strict=True):
                for value, share in parameter.shares().items() if isinstance(parameter, Choice) else ():
                    shares[value] = shares.get(value, 0.0) + weight * share
            if all(isinstance(parameter, Choice) for parameter in choices):
                found.append((name, shares))
        return found


def from_list(dictionaries: Sequence[Any], *, stacklevel: int) -> Space:
    """The law of scikit-learn's `ParameterSampler`, with a warning that says what it amounts to.

    If anything is a distribution, each dictionary is as likely as any other. If all are lists, each
    combination is, so a dictionary counts by the number of its combinations.
    """
    if not dictionaries:
        raise InputError("a list of dictionaries must not be empty; use None for no hyper-parameters.")
    for entries in dictionaries:
        if not isinstance(entries, Mapping):
            raise InputError(
                f"a list as a space must hold dictionaries from name to values; got {type(entries).__name__}."
            )
    spaces = [from_dictionary(entries) for entries in dictionaries]
    if len(spaces) == 1:
        return spaces[0]
    _refuse_clashes(spaces)
    grid = all(_is_list(entry) for entries in dictionaries for entry in entries.values())
    sizes = [math.prod(len(entry) for entry in entries.values()) for entries in dictionaries] if grid else None
    space = DictionariesSpace(spaces, sizes or [1] * len(spaces))
    rule = "in proportion to its number of combinations" if grid else "with the same probability as any other"
    warnings.warn(
        f"a list of dictionaries is drawn as scikit-learn does: a dictionary is picked {rule}, which may give "
        f"some values too much weight: {space.warning()} To decide the weights yourself, write one dictionary "
        "with ogive.spaces.when([2, 3], kernel='poly').",
        UserWarning,
        stacklevel=stacklevel,
    )
    return space


def _is_list(entry: Any) -> bool:
    return not isinstance(entry, (Parameter, Conditional)) and not hasattr(entry, "rvs")


def _refuse_clashes(spaces: Sequence[ParameterSpace]) -> None:
    """One spelling must mean one value in all dictionaries, or a stored configuration could not be read back."""
    seen: dict[tuple[str, str], Any] = {}
    for space in spaces:
        for name, parameter in space._parameters.items():
            if not isinstance(parameter, Choice):
                continue
            for value in parameter.values:
                spelling = (name, parameter.text(value))
                meant = seen.setdefault(spelling, value)
                if meant is not value and canonical(content(meant)) != canonical(content(value)):
                    raise InputError(
                        f"`{name}` has two values that are both written {spelling[1]}: {meant!r} and {value!r}; "
                        "give each its own label: choice({'first': …, 'second': …})."
                    )


def _differ(shares: Mapping[str, float]) -> bool:
    return max(shares.values()) - min(shares.values()) > 1e-9


def _in_words(shares: Mapping[str, float]) -> str:
    return ", ".join(f"{value} in {percent(share)}" for value, share in shares.items())
