"""Values as words, as plain Python, and as content that a fingerprint can hold."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from ogive.errors import InputError

_BARE = re.compile(r"[A-Za-z_][\w.+-]*\Z")


def words(value: Any) -> str:
    """A value as one would write it in a paper: 0.01, poly, (50, 100), None.

    Text that could be taken for something else is quoted.
    """
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    if isinstance(value, str):
        return value if _BARE.match(value) and value not in {"None", "True", "False"} else repr(value)
    return repr(value)


def listed(parts: Sequence[str], last: str) -> str:
    """'a, b or c' for last = 'or'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def percent(share: float) -> str:
    """A share as a percentage with three figures."""
    return f"{100 * share:.3g} %"


def is_number(value: Any) -> bool:
    """Whether the value is a finite real number, truth values aside."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the floats
        return False


def tidy(value: Any) -> Any:
    """The value with numpy scalars as Python numbers, also inside tuples, lists and dictionaries."""
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (tuple, list):
        return type(value)(tidy(part) for part in value)
    if type(value) is dict:
        return {name: tidy(part) for name, part in value.items()}
    return value


def is_plain(value: Any) -> bool:
    """Whether JSON can hold the value: text, numbers, None, and tuples, lists, dictionaries of them."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return True
    if isinstance(value, (tuple, list)):
        return all(is_plain(part) for part in value)
    return isinstance(value, dict) and all(isinstance(k, str) and is_plain(v) for k, v in value.items())


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are alike in type as well, all the way down: 1, 1.0 and True differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return bool(one == other)


def label_of(value: Any) -> str:
    """The name under which an object without a label is written: its own, or that of its class."""
    if isinstance(value, type) or inspect.isroutine(value):
        return str(value.__name__)
    if isinstance(value, (tuple, list, dict)):
        raise InputError(
            f"a {type(value).__name__} that holds objects needs a label; got {value!r}. Write choice({{'a label': …}})."
        )
    return type(value).__name__
