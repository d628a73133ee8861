"""Parameters that exist only when others have certain values.

A condition is a list of alternatives, of which one must hold; an alternative is a list of clauses
(name, values), all of which must hold. A clause on a parameter that is itself absent does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias

from ogive.errors import InputError
from ogive.spaces._parameters import Countable, Integer, Parameter, as_parameter
from ogive.spaces._words import listed

Said: TypeAlias = tuple[tuple[tuple[str, Any], ...], ...]
Resolved: TypeAlias = tuple[tuple[tuple[str, frozenset[int]], ...], ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """A parameter with what was said about when it exists."""

    parameter: Parameter
    alternatives: Said


@dataclass(frozen=True, slots=True)
class OneOf:
    """Several values of a clause, where a bare list could be taken for one value."""

    values: tuple[Any, ...]


def when(parameter: Any, /, *alternatives: Mapping[str, Any], **others: Any) -> Conditional:
    """A parameter that exists only when others have certain values.

    Parameters
    ----------
    parameter : a parameter, a list of choices, a frozen distribution, or another `when`
    *alternatives : dictionaries from name to value or list of values
        At least one of them must hold.
    **others : value or list of values
        All must hold, besides one of the alternatives.

    Examples
    --------
    >>> from ogive.spaces import as_space
    >>> space = as_space({"kernel": ["linear", "poly", "rbf"], "degree": when([2, 3], kernel="poly"),
    ...                   "gamma": when([0.1, 1.0], kernel=["poly", "rbf"])})
    >>> print(space.describe())
    kernel: one of linear, poly, rbf; degree: one of 2, 3, only when kernel is poly; gamma: one of 0.1, 1, only when kernel is poly or rbf
    """
    inner = parameter if isinstance(parameter, Conditional) else Conditional(as_parameter(parameter), ((),))
    for alternative in alternatives:
        if not isinstance(alternative, Mapping) or not alternative:
            raise InputError(f"`when` takes dictionaries such as {{'kernel': 'poly'}}; got {alternative!r}.")
    if not alternatives and not others:
        raise InputError("`when` needs a condition: when([2, 3], kernel='poly').")
    said = [(*alternative.items(), *others.items()) for alternative in alternatives or ({},)]
    return Conditional(inner.parameter, tuple((*before, *now) for before in inner.alternatives for now in said))


def resolve(name: str, said: Said, parameters: Mapping[str, Parameter]) -> Resolved:
    """Names and values of a condition as names and codes; refused where they do not exist."""
    return tuple(
        tuple((other, _codes(name, other, value, parameters)) for other, value in alternative) for alternative in said
    )


def _codes(name: str, other: Any, value: Any, parameters: Mapping[str, Parameter]) -> frozenset[int]:
    if other not in parameters:
        known = ", ".join(parameters)
        raise InputError(
            f"`{name}` exists only when {other!r} has a value, but there is no such parameter among {known}."
        )
    parent = parameters[other]
    if not isinstance(parent, Countable):
        raise InputError(
            f"`{name}` depends on `{other}`, which is {parent.words()}: "
            "only choices and whole numbers can be conditions; make it a choice."
        )
    try:
        return frozenset(_values_to_codes(parent, value))
    except InputError as error:
        raise InputError(f"`{name}` exists only when `{other}` has a value that it never has: it {error}") from None


def _values_to_codes(parent: Countable, value: Any) -> Iterable[int]:
    if isinstance(value, OneOf):
        return [parent.code_of(one) for one in value.values]
    if isinstance(value, (list, tuple, range, Set)):
        try:
            return [parent.code_of(value)]  # a tuple can be a value itself, as (50, 100) among layers
        except InputError:
            if not value:
                raise
            return [parent.code_of(one) for one in value]
    return [parent.code_of(value)]


def drawing_order(conditions: Mapping[str, Resolved]) -> tuple[str, ...]:
    """Names such that each comes after those it depends on, and sorted otherwise; a circle is refused."""
    sorter = TopologicalSorter(
        {name: {other for alternative in said for other, _ in alternative} for name, said in conditions.items()}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        raise InputError(f"conditions must not go in a circle; got {' → '.join(error.args[1])}.") from None
    order: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        order.extend(ready)
        sorter.done(*ready)
    return tuple(order)


def holds(condition: Resolved, codes: Mapping[str, int]) -> bool:
    """Whether one of the alternatives holds."""
    for alternative in condition:
        for other, allowed in alternative:
            if codes.get(other) not in allowed:
                break
        else:
            return True
    return False


def in_words(condition: Resolved, parameters: Mapping[str, Parameter]) -> str:
    """'only when kernel is poly or rbf and shrinking is True, or when …'."""
    parts = []
    for alternative in condition:
        clauses = [f"{other} is {_values_in_words(parameters[other], allowed)}" for other, allowed in alternative]
        parts.append(" and ".join(clauses))
    return "only when " + ", or when ".join(parts)


def _values_in_words(parent: Parameter, allowed: frozenset[int]) -> str:
    assert isinstance(parent, Countable)
    codes = sorted(allowed)
    if isinstance(parent, Integer) and len(codes) > 2 and codes[-1] - codes[0] == len(codes) - 1:
        return f"{codes[0]} to {codes[-1]}"
    return listed([parent.code_words(code) for code in codes], "or")


def condition_content(condition: Resolved, parameters: Mapping[str, Parameter]) -> list[list[Any]]:
    """JSON-able content of a condition, the same for every order in which it was said."""
    alternatives = []
    for alternative in condition:
        clauses = [
            [other, [_code_text(parameters[other], c) for c in sorted(allowed)]] for other, allowed in alternative
        ]
        alternatives.append(sorted(clauses))
    return sorted(alternatives)


def _code_text(parent: Parameter, code: int) -> str:
    assert isinstance(parent, Countable)
    return parent.text(parent.value(code))
