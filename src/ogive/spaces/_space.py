"""What every space can do; spaces of named parameters, of several dictionaries, of a function; as_space()."""

from __future__ import annotations

import copy
import html
import json
import math
import warnings
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NoReturn

from ogive.canonical import canonical, content, function_definition, name_of, plain
from ogive.errors import InputError
from ogive.spaces._conditions import Conditional, Resolved, condition_content, drawing_order, holds, in_words, resolve
from ogive.spaces._parameters import Choice, Countable, Foreign, Native, Parameter, as_parameter
from ogive.spaces._words import is_plain, percent, tidy, words

if TYPE_CHECKING:
    import numpy as np


class Space(ABC):
    """A distribution over hyper-parameter configurations: φ. Make one with `as_space`.

    A space is a value. Two spaces are equal when their definitions are.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The parameters, as declared; empty for a function, which does not say."""

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """One configuration, of Python values; parameters whose condition does not hold are absent."""

    @abstractmethod
    def encode(self, config: Mapping[str, Any]) -> str:
        """A configuration as canonical JSON, objects as their labels."""

    @abstractmethod
    def decode(self, text: str) -> dict[str, Any]:
        """The configuration that was encoded: tuples are tuples again, labels objects."""

    @abstractmethod
    def fix(self, config: Mapping[str, Any]) -> Space:
        """The same space with some or all parameters held at values; the others are drawn as before."""

    def handed_out(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The same configuration for somebody who may change it: lists and dictionaries are copies, other objects themselves."""
        return {name: copy.deepcopy(value) if is_plain(value) else value for name, value in config.items()}

    @abstractmethod
    def definition(self) -> dict[str, Any]:
        """JSON-able content for fingerprints; the order of declaration does not enter."""

    @abstractmethod
    def describe(self) -> str:
        """The space in words, for the appendix of a paper."""

    @abstractmethod
    def to_configspace(self) -> Any:
        """A `ConfigSpace.ConfigurationSpace` with the same law; refused where it cannot be said there."""

    @abstractmethod
    def _rows(self) -> list[tuple[str, str]]:
        """Rows of the HTML table: name and law."""

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>{html.escape(law)}</td></tr>"
            for name, law in self._rows()
        )
        return f"<table><thead><tr><th>parameter</th><th>distribution</th></tr></thead><tbody>{rows}</tbody></table>"

    def __repr__(self) -> str:
        return f"Space({self.describe()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and canonical(self.definition()) == canonical(other.definition())

    def __hash__(self) -> int:
        return hash(canonical(self.definition()))


class ParameterSpace(Space):
    """Named parameters, drawn independently but for their conditions.

    One call `rng.random(k)` gives a uniform number to each of the k native parameters in the order
    of their names, also to those that turn out absent or are held: what is declared first, and what
    is held, does not change the draw of the others. Distributions of other libraries follow, in the
    order of their names.
    """

    __slots__ = ("_conditions", "_encoders", "_foreign", "_held", "_k", "_order", "_parameters", "_plain", "_plan")

    def __init__(
        self, parameters: Mapping[str, Parameter], conditions: Mapping[str, Resolved], held: Mapping[str, Any]
    ) -> None:
        """Trusts its arguments: `from_dictionary` and `fix` check them."""
        self._parameters = dict(parameters)
        self._conditions = dict(conditions)
        self._held = dict(held)
        self._order = drawing_order({name: self._conditions.get(name, ()) for name in sorted(parameters)})
        self._encoders = [(name, canonical(name) + ":", self._parameters[name].text) for name in sorted(parameters)]
        native = [name for name in sorted(parameters) if isinstance(parameters[name], Native)]
        self._k = len(native)
        self._plain = [(name, self._drawer(name)) for name in native] if not conditions else []
        self._plan = [self._step(name, native.index(name)) for name in self._order if name in native]
        self._foreign = [name for name in sorted(parameters) if isinstance(parameters[name], Foreign)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by what it was made of."""
        return ParameterSpace, (self._parameters, self._conditions, self._held)

    def _drawer(self, name: str) -> Callable[[float], Any]:
        parameter = self._parameters[name]
        assert isinstance(parameter, Native)
        if name not in self._held:
            return parameter.draw
        value = self._held[name]
        if isinstance(parameter, Countable):
            code = parameter.code_of(value)
            return lambda u: parameter.value(code)
        return lambda u: value

    def _step(
        self, name: str, slot: int
    ) -> tuple[str, int, Callable[[float], int] | None, Callable[[Any], Any], Resolved]:
        """One step of drawing with conditions: a parameter on which others depend leaves its code behind."""
        parameter = self._parameters[name]
        condition = self._conditions.get(name, ())
        depended_on = any(name == other for said in self._conditions.values() for alt in said for other, _ in alt)
        if not depended_on:
            return name, slot, None, self._drawer(name), condition
        assert isinstance(parameter, Countable)
        if name not in self._held:
            return name, slot, parameter.code, parameter.value, condition
        code = parameter.code_of(self._held[name])
        return name, slot, lambda u: code, parameter.value, condition

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._parameters)

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        numbers = rng.random(self._k).tolist() if self._k else []
        if not self._conditions:
            config = {name: draw(u) for (name, draw), u in zip(self._plain, numbers, strict=True)}
            if self._foreign:
                self._add_foreign(config, {}, rng)
            return config
        config = {}
        codes: dict[str, int] = {}
        for name, slot, code, value, condition in self._plan:
            if condition and not holds(condition, codes):
                continue
            if code is None:
                config[name] = value(numbers[slot])
            else:
                codes[name] = code(numbers[slot])
                config[name] = value(codes[name])
        if self._foreign:
            self._add_foreign(config, codes, rng)
        return config

    def _add_foreign(self, config: dict[str, Any], codes: dict[str, int], rng: np.random.Generator) -> None:
        for name in self._foreign:
            parameter = self._parameters[name]
            assert isinstance(parameter, Foreign)
            value = parameter.draw_from(rng)  # also where it is not wanted: later ones must not depend on that
            if name not in self._conditions or holds(self._conditions[name], codes):
                config[name] = self._held.get(name, value)

    def encode(self, config: Mapping[str, Any]) -> str:
        try:
            parts = [head + text(config[name]) for name, head, text in self._encoders if name in config]
        except InputError:
            self._refuse_value(config)
        if len(parts) != len(config):
            self._refuse_name(config)
        return "{" + ",".join(parts) + "}"

    def decode(self, text: str) -> dict[str, Any]:
        content = parsed(text)
        for name in content:
            if name not in self._parameters:
                self._refuse_name(content)
        return {name: self._named(name, self._parameters[name].restore, value) for name, value in content.items()}

    def fix(self, config: Mapping[str, Any]) -> ParameterSpace:
        """The same space with some or all parameters held at values; the others are drawn as before.

        Labels stand for their objects. A held parameter with a condition is still absent where the
        condition does not hold; one that could never appear beside the other values is refused.
        """
        as_config(config)
        for name in config:
            if name not in self._parameters:
                self._refuse_name(config)
        accepted = {name: self._named(name, self._parameters[name].accept, value) for name, value in config.items()}
        held = {**self._held, **accepted}
        for name in accepted:
            if name in self._conditions and not self._can_exist(self._conditions[name], held):
                reason = in_words(self._conditions[name], self._parameters)
                raise InputError(f"`{name}` exists {reason}, which the other held values rule out; leave it out.")
        return ParameterSpace(self._parameters, self._conditions, held)

    def _can_exist(self, condition: Resolved, held: Mapping[str, Any]) -> bool:
        def possible(other: str, allowed: frozenset[int]) -> bool:
            parent = self._parameters[other]
            assert isinstance(parent, Countable)
            return other not in held or parent.code_of(held[other]) in allowed

        return any(all(possible(other, allowed) for other, allowed in alternative) for alternative in condition)

    def definition(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in sorted(self._parameters):
            found[name] = self._parameters[name].definition()
            if name in self._conditions:
                found[name]["when"] = condition_content(self._conditions[name], self._parameters)
            if name in self._held:
                found[name]["held"] = self._parameters[name].text(self._held[name])
        return {"parameters": found}

    def describe(self) -> str:
        return "; ".join(f"{name}: {law}" for name, law in self._rows()) or "no hyper-parameters"

    def _rows(self) -> list[tuple[str, str]]:
        return [(name, self._law(name)) for name in self._parameters]

    def _law(self, name: str) -> str:
        parameter = self._parameters[name]
        law = parameter.words()
        if name in self._held:
            held = self._held[name]
            shown = parameter.code_words(parameter.code_of(held)) if isinstance(parameter, Countable) else words(held)
            law = f"fixed at {shown}"
        if name in self._conditions:
            law += f", {in_words(self._conditions[name], self._parameters)}"
        return law

    def to_configspace(self) -> Any:
        """A `ConfigSpace.ConfigurationSpace` with the same law; refused where it cannot be said there.

        Objects become their labels. `log_integer` becomes a log-scaled integer, which ConfigSpace
        draws a little differently: the total variation between the two laws is 0.03 for 1 to 4,
        and 0.01 or less from ten numbers on.
        """
        from ogive.spaces._configspace import to_configspace

        return to_configspace(self._parameters, self._conditions, self._held)

    def _named(self, name: str, change: Callable[[Any], Any], value: Any) -> Any:
        try:
            return change(value)
        except InputError as error:
            raise InputError(f"`{name}` {error}") from None

    def _refuse_value(self, config: Mapping[str, Any]) -> NoReturn:
        for name, _, text in self._encoders:
            if name in config:
                self._named(name, text, config[name])
        raise AssertionError("some value was refused")

    def _refuse_name(self, config: Mapping[str, Any]) -> NoReturn:
        unknown = next(name for name in config if name not in self._parameters)
        known = ", ".join(self._parameters) or "none"
        raise InputError(f"{unknown!r} is not a parameter of this space; its parameters: {known}.")


def from_dictionary(entries: Mapping[str, Any]) -> ParameterSpace:
    """A space from names and what stands behind them."""
    parameters: dict[str, Parameter] = {}
    said = {}
    for name, entry in entries.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"names of parameters must be text; got {name!r}.")
        try:
            parameters[name] = entry.parameter if isinstance(entry, Conditional) else as_parameter(entry)
        except InputError as error:
            raise InputError(f"`{name}`: {error}") from error
        if isinstance(entry, Conditional):
            said[name] = entry.alternatives
    return ParameterSpace(parameters, {name: resolve(name, said[name], parameters) for name in said}, {})


def parsed(text: str) -> dict[str, Any]:
    """The dictionary that a JSON text holds."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f'an encoded configuration must be a JSON object such as {{"C":1.0}}; got {text!r}.')
    return found


def as_config(config: Any) -> None:
    """Refuses what is not a dictionary with names."""
    if not isinstance(config, Mapping):
        raise InputError(f"a configuration must be a dictionary from name to value; got {type(config).__name__}.")


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


class FunctionSpace(Space):
    """Configurations that a function draws; nothing is known of them but what comes out.

    Tuples are written as JSON lists and come back as lists.
    """

    __slots__ = ("_function", "_held")

    def __init__(self, function: Callable[[np.random.Generator], Mapping[str, Any]], held: Mapping[str, Any]) -> None:
        self._function = function
        self._held = dict(held)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled by what it was made of."""
        return FunctionSpace, (self._function, self._held)

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        config = self._function(rng)
        if not isinstance(config, Mapping):
            raise InputError(
                f"the space {self._name()} must return a dictionary from name to value; got {type(config).__name__}."
            )
        for name in config:
            if not isinstance(name, str):
                raise InputError(f"names of parameters must be text; the space {self._name()} returned {name!r}.")
        return {name: tidy(value) for name, value in {**config, **self._held}.items()}

    def encode(self, config: Mapping[str, Any]) -> str:
        as_config(config)
        for name, value in config.items():
            try:
                plain(value)
            except InputError as error:
                raise InputError(f"{name!r} cannot be written: {error}") from None
        return canonical(config)

    def decode(self, text: str) -> dict[str, Any]:
        return parsed(text)

    def fix(self, config: Mapping[str, Any]) -> FunctionSpace:
        """The function's configurations with these values put over its own."""
        as_config(config)
        self.encode(config)
        return FunctionSpace(self._function, {**self._held, **tidy(dict(config))})

    def definition(self) -> dict[str, Any]:
        held = {"held": content(self._held)} if self._held else {}
        return {**function_definition(self._function), **held}

    def describe(self) -> str:
        return "; ".join(f"{name}: {law}" for name, law in self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        held = [(name, f"fixed at {words(value)}") for name, value in self._held.items()]
        return [("all others" if held else "all parameters", f"drawn by the function {self._name()}"), *held]

    def to_configspace(self) -> Any:
        raise InputError(
            f"the space {self._name()} is a function and cannot be said in ConfigSpace; "
            "write it as a dictionary: {'C': loguniform(0.01, 100)}."
        )

    def _name(self) -> str:
        return name_of(self._function)


def as_space(what: Any) -> Space:
    """A space from any description of one.

    Parameters
    ----------
    what : None, dict, list of dict, function, ConfigSpace.ConfigurationSpace or Space
        None: no hyper-parameters. A dictionary: from name to a list of values, a native parameter
        (`choice`, `uniform`, `loguniform`, `integer`, `log_integer`, `constant`), one of these with
        a condition (`when`), or a frozen distribution of scipy.stats. A list of dictionaries:
        drawn as scikit-learn does, with a warning. A function: `rng -> dict`.

    Examples
    --------
    >>> import numpy as np
    >>> from ogive.spaces import loguniform, when
    >>> space = as_space({"C": loguniform(0.01, 100), "kernel": ["rbf", "poly"], "degree": when([2, 3], kernel="poly")})
    >>> print(space.describe())
    C: log-uniform on [0.01, 100]; kernel: one of rbf, poly; degree: one of 2, 3, only when kernel is poly
    >>> config = space.sample(np.random.default_rng(4))
    >>> config["kernel"], config["degree"], round(config["C"], 3)
    ('poly', 3, 59.187)
    >>> space.decode(space.encode(config)) == config
    True
    """
    if isinstance(what, Space):
        return what
    if what is None:
        return ParameterSpace({}, {}, {})
    if any(f"{base.__module__}.{base.__name__}".startswith("ConfigSpace.") for base in type(what).__mro__):
        from ogive.spaces._configspace import from_configspace

        return from_configspace(what)
    if isinstance(what, Mapping):
        return from_dictionary(what)
    if isinstance(what, (list, tuple)):
        return from_list(what, stacklevel=3)
    if callable(what) and not isinstance(what, type) and not hasattr(what, "rvs"):
        return FunctionSpace(what, {})
    named = "a parameter without a name" if isinstance(what, Parameter) else type(what).__name__
    raise InputError(
        f"a space must be a dictionary from name to values or distribution, a list of those, a function "
        f"rng -> dict, a ConfigSpace or None; got {named}."
    )
