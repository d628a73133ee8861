"""One spelling for one content: canonical JSON, its digest, and what defines a function.

Fingerprints and stored configurations are compared as text, so the same content must give the
same text on every machine.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

import numpy as np

from ogive.errors import InputError


def canonical(value: Any) -> str:
    """JSON with sorted keys and no spaces; tuples as lists, numpy scalars as numbers, -0.0 as 0.0.

    Examples
    --------
    >>> canonical({"b": (1, 2), "a": np.float64(-0.0)})
    '{"a":0.0,"b":[1,2]}'
    """
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """The value in JSON's own types."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"a configuration must hold finite numbers; got {value}.")
        return value + 0.0
    if isinstance(value, Mapping):
        if any(not isinstance(name, str) for name in value):
            raise InputError(f"names must be text; got {next(n for n in value if not isinstance(n, str))!r}.")
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return [plain(part) for part in value.tolist()]
    raise InputError(
        f"a configuration must be made of text, numbers, lists and dictionaries; got {type(value).__name__}. "
        "Give objects a label: ogive.choice({'svm': SVC()})."
    )


def digest(content: str | bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def function_definition(function: Callable[..., Any]) -> dict[str, Any]:
    """The name of a function and a digest of what it does: of its source, else of its byte code."""
    if isinstance(function, functools.partial):
        inner = function_definition(function.func)
        return {**inner, "arguments": digest(repr((function.args, sorted(function.keywords.items()))))}
    if not (inspect.isfunction(function) or inspect.ismethod(function) or inspect.isbuiltin(function)):
        function = type(function)
    name = getattr(function, "__qualname__", repr(function))
    return {"function": f"{getattr(function, '__module__', '')}.{name}", "source": _source_digest(function)}


def _source_digest(function: Any) -> str | None:
    try:
        return digest(textwrap.dedent(inspect.getsource(function)).strip())
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return None if code is None else digest(repr(_code(code)))


def _code(code: CodeType) -> tuple[Any, ...]:
    """What a piece of byte code does, without addresses and line numbers."""
    constants = tuple(_code(part) if isinstance(part, CodeType) else part for part in code.co_consts)
    return code.co_code, code.co_names, constants
