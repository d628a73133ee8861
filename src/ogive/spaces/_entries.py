"""What may stand behind a name in a dictionary: a parameter, a list, a frozen distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ogive.canonical import plain
from ogive.errors import InputError
from ogive.spaces._choice import choice, constant
from ogive.spaces._parameters import Foreign, Parameter, integer, loguniform, uniform
from ogive.spaces._words import content, tidy, words

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
