"""To and from ConfigSpace, the optional package of AutoML's tuners."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ogive.canonical import plain
from ogive.errors import InputError, MissingDependency
from ogive.spaces._conditions import OneOf, Resolved, Said, resolve
from ogive.spaces._parameters import (
    Choice,
    Countable,
    Foreign,
    Integer,
    LogInteger,
    LogUniform,
    Parameter,
    Uniform,
    choice,
    constant,
    integer,
    log_integer,
    loguniform,
    uniform,
)
from ogive.spaces._space import ParameterSpace
from ogive.spaces._words import tidy, words

_MOST_CODES = 10_000  # a condition such as n > 3 is kept as the list of values it allows


@dataclass(frozen=True, slots=True, eq=False)
class OfConfigSpace(Foreign):
    """A normal or beta hyper-parameter, drawn by ConfigSpace itself."""

    source: Any

    def draw_from(self, rng: np.random.Generator) -> Any:
        return tidy(self.source.sample_value(seed=np.random.RandomState(rng.bit_generator)))

    def accept(self, value: Any) -> Any:
        plain(value)
        if not self.source.legal_value(value):
            raise InputError(f"must be legal for {self.words()}; got {value!r}.")
        return tidy(value)

    def restore(self, value: Any) -> Any:
        return value

    def words(self) -> str:
        settings = ", ".join(f"{name} {words(value)}" for name, value in self._settings().items())
        return f"{self._kind()} with {settings} (ConfigSpace)"

    def definition(self) -> dict[str, Any]:
        return {"kind": "ConfigSpace", "distribution": self._kind(), **self._settings()}

    def _kind(self) -> str:
        return type(self.source).__name__.removesuffix("Hyperparameter")

    def _settings(self) -> dict[str, Any]:
        found = {name: getattr(self.source, name, None) for name in ("mu", "sigma", "alpha", "beta", "lower", "upper")}
        settings = {name: tidy(value) for name, value in found.items() if value is not None}
        return {**settings, "log": bool(self.source.log)}


def from_configspace(space: Any) -> ParameterSpace:
    """A space with the law of a ConfigSpace: parameters, log scales, weights, conditions.

    A log-scaled integer from a to b is `log_integer(a, b + 1)`, which is nearly ConfigSpace's law
    (total variation 0.03 for 1 to 4, 0.01 or less from ten numbers on). Forbidden clauses are
    refused.
    """
    cs = _package()
    if not isinstance(space, cs.ConfigurationSpace):
        raise InputError(f"of ConfigSpace only a ConfigurationSpace is a space; got {type(space).__name__}.")
    if list(space.forbidden_clauses):
        raise InputError(
            f"forbidden clauses of ConfigSpace have no place here; got {space.forbidden_clauses[0]}. "
            "Write them as conditions, or give a function rng -> dict that draws until a configuration is allowed."
        )
    parameters = {str(parameter.name): _read(cs, parameter) for parameter in space.values()}
    said: dict[str, Said] = {}
    for condition in space.conditions:
        child, found = str(condition.child.name), _alternatives(cs, condition, parameters)
        said[child] = tuple((*before, *now) for before in said.get(child, ((),)) for now in found)
    return ParameterSpace(parameters, {name: resolve(name, said[name], parameters) for name in said}, {})


def _read(cs: Any, source: Any) -> Parameter:
    if isinstance(source, cs.CategoricalHyperparameter):
        weights = None if source.weights is None else [float(share) for share in source.probabilities]
        return choice(list(source.choices), weights)
    if isinstance(source, cs.OrdinalHyperparameter):
        return choice(list(source.sequence))
    if isinstance(source, cs.Constant):
        return constant(source.value)
    if isinstance(source, cs.UniformFloatHyperparameter):
        return (loguniform if source.log else uniform)(float(source.lower), float(source.upper))
    if isinstance(source, cs.UniformIntegerHyperparameter):
        low, high = int(source.lower), int(source.upper)
        return log_integer(low, high + 1) if source.log else integer(low, high)
    if hasattr(source, "sample_value") and hasattr(source, "log"):
        return OfConfigSpace(source)
    raise InputError(f"`{source.name}`: a {type(source).__name__} of ConfigSpace cannot be read; write it as a choice.")


def _alternatives(cs: Any, condition: Any, parameters: Mapping[str, Parameter]) -> Said:
    """A tree of and, or and comparisons as alternatives of clauses."""
    if isinstance(condition, cs.OrConjunction):
        return tuple(a for part in condition.components for a in _alternatives(cs, part, parameters))
    if isinstance(condition, cs.AndConjunction):
        parts = [_alternatives(cs, part, parameters) for part in condition.components]
        return tuple(tuple(clause for part in chosen for clause in part) for chosen in product(*parts))
    name = str(condition.parent.name)
    if isinstance(condition, cs.InCondition):
        return (((name, OneOf(tuple(condition.values))),),)
    if isinstance(condition, cs.EqualsCondition):
        return (((name, OneOf((condition.value,))),),)
    return (((name, OneOf(_compared(cs, condition, parameters[name]))),),)


def _compared(cs: Any, condition: Any, parent: Parameter) -> tuple[Any, ...]:
    """The values that fulfil ≠, < or >; choices are compared by position, as ConfigSpace orders them."""
    tests: dict[Any, Callable[[int, int], bool]] = {
        cs.NotEqualsCondition: operator.ne,
        cs.LessThanCondition: operator.lt,
        cs.GreaterThanCondition: operator.gt,
    }
    test = next((test for kind, test in tests.items() if isinstance(condition, kind)), None)
    if isinstance(parent, Choice):
        codes = range(len(parent.values))
    elif isinstance(parent, Integer) and parent.last - parent.low < _MOST_CODES:
        codes = range(parent.low, parent.last + 1)
    else:
        test = None
    if test is None or not isinstance(parent, Countable):
        raise InputError(
            f"`{condition.child.name}` depends on `{condition.parent.name}`, which has too many values for a condition; "
            "only choices and short ranges of whole numbers can be conditions."
        )
    bound = parent.code_of(condition.value)
    return tuple(parent.value(code) for code in codes if test(code, bound))


def to_configspace(
    parameters: Mapping[str, Parameter], conditions: Mapping[str, Resolved], held: Mapping[str, Any]
) -> Any:
    """A ConfigurationSpace with these parameters and conditions."""
    cs = _package()
    space = cs.ConfigurationSpace()
    depended_on = {other for said in conditions.values() for alternative in said for other, _ in alternative}
    try:
        space.add(*(_written(cs, n, p, held, n in depended_on) for n, p in parameters.items()))
        space.add(*(_condition(cs, space, parameters, name, conditions[name]) for name in conditions))
    except InputError:
        raise
    except Exception as error:  # ConfigSpace raises a dozen kinds of its own
        raise InputError(f"ConfigSpace cannot hold this space: {error}") from error
    return space


def _written(cs: Any, name: str, parameter: Parameter, held: Mapping[str, Any], depended_on: bool) -> Any:
    if name in held and not depended_on:
        return cs.Constant(name, _spoken(name, parameter, held[name]))
    if name in held and not isinstance(parameter, Choice):
        raise InputError(
            f"`{name}` is held and others depend on it, which ConfigSpace cannot say; export before `fix`."
        )
    if isinstance(parameter, Choice):
        return _categorical(cs, name, parameter, held)
    if isinstance(parameter, LogInteger) and parameter.low == parameter.last:
        return cs.Constant(name, parameter.low)
    if isinstance(parameter, Uniform):
        log = isinstance(parameter, LogUniform)
        return cs.UniformFloatHyperparameter(name, parameter.low, parameter.high, log=log)
    if isinstance(parameter, Integer):
        log = isinstance(parameter, LogInteger)
        return cs.UniformIntegerHyperparameter(name, parameter.low, parameter.last, log=log)
    if isinstance(parameter, OfConfigSpace):
        return parameter.source
    raise InputError(f"`{name}`: {parameter.words()} cannot be said in ConfigSpace; write it as a native parameter.")


def _categorical(cs: Any, name: str, parameter: Choice, held: Mapping[str, Any]) -> Any:
    values = [_spoken(name, parameter, value) for value in parameter.values]
    weights = None if parameter.weights is None else list(parameter.weights)
    if name in held:
        weights = [float(code == parameter.code_of(held[name])) for code in range(len(values))]
    if len(values) == 1:
        return cs.Constant(name, values[0])
    return cs.CategoricalHyperparameter(name, values, weights=weights)


def _spoken(name: str, parameter: Parameter, value: Any) -> Any:
    """The value as ConfigSpace can hold it: an object as its label."""
    if not isinstance(parameter, Choice):
        return value
    booleans = {isinstance(own, bool) for own in parameter.values if isinstance(own, (bool, int, float))}
    if len(booleans) == 2 and None in parameter.labels:
        raise InputError(
            f"`{name}` mixes truth values and numbers, which ConfigSpace takes for equal; give them labels."
        )
    label = parameter.labels[parameter.code_of(value)]
    return value if label is None else label


def _condition(cs: Any, space: Any, parameters: Mapping[str, Parameter], name: str, condition: Resolved) -> Any:
    def clause(other: str, allowed: frozenset[int]) -> Any:
        parent = parameters[other]
        assert isinstance(parent, Countable)
        values = [_spoken(other, parent, parent.value(code)) for code in sorted(allowed)]
        if len(values) == 1:
            return cs.EqualsCondition(space[name], space[other], values[0])
        return cs.InCondition(space[name], space[other], values)

    alternatives = []
    for alternative in condition:
        parts = [clause(other, allowed) for other, allowed in alternative]
        alternatives.append(parts[0] if len(parts) == 1 else cs.AndConjunction(*parts))
    return alternatives[0] if len(alternatives) == 1 else cs.OrConjunction(*alternatives)


def _package() -> Any:
    try:
        return importlib.import_module("ConfigSpace")
    except ImportError:
        raise MissingDependency("ConfigSpace is needed for this: pip install 'ogive[configspace]'.") from None
