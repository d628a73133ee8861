"""A space that is a function of a generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ogive.canonical import canonical, function_definition, name_of, plain
from ogive.errors import InputError
from ogive.spaces._space import Space, as_config, parsed
from ogive.spaces._words import content, tidy, words

if TYPE_CHECKING:
    import numpy as np


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
