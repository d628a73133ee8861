"""What defines a function or an object, as content that can be compared as text.

A function is its code (comments, docstrings and annotations aside), the values of its defaults and
closure, and the globals it refers to, also through functions and classes of the user's own modules.
Library code is its name. An object is its class and its state. What trials fill looks like another
definition afterwards: keep caches in `functools.cache`, or out of the state by `__getstate__`. What a
function imports when it is called is not seen.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import math
import os
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from typing import Any

import numpy as np

from ogive.canonical import canonical, code_digest, codes_of, digest

DEEPEST = 20  # objects within objects
LONGEST = 400  # characters of a value that is shown whole
PRIVATE = "ogive_study_"  # modules of study files, which are named by their content
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")  # in a message or a name it would make two equal runs differ
_LIBRARY = (os.path.dirname(os.__file__), "site-packages", "dist-packages")


def content(value: Any) -> Any:
    """A value in JSON's own types: equal for equal content in every process, different for different content."""
    with _walk() as walk:
        return walk.content(value)


def function_definition(function: Callable[..., Any]) -> dict[str, Any]:
    """The name of a function, a digest of its code (None in libraries), and the values it uses."""
    with _walk() as walk:
        return walk.function(function)


def name_of(thing: Any) -> str:
    """Module and name; the name alone where the module is the program itself or a study file."""
    module = str(getattr(thing, "__module__", None) or "")
    name = str(getattr(thing, "__qualname__", None) or type(thing).__qualname__)
    return name if module in ("", "__main__", "__mp_main__") or module.startswith(PRIVATE) else f"{module}.{name}"


@contextlib.contextmanager
def _walk() -> Iterator[_Walk]:
    """The walk under way, which asks Ogive's own objects what defines them and may come by here again; else a new one."""
    walk = _WALK.get() or _Walk()
    token = _WALK.set(walk)
    try:
        yield walk
    finally:
        _WALK.reset(token)


class _Walk:
    """One walk through an object: nothing twice, nothing within itself."""

    def __init__(self) -> None:
        self._path: list[int] = []
        self._foreign = False  # whether within an object of a library
        self._done: dict[int, tuple[Any, Any]] = {}  # the object is kept, so that nothing else gets its id

    def content(self, value: Any) -> Any:
        if isinstance(value, np.generic) and not isinstance(value.item(), np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int)):
            return value if value is None or isinstance(value, bool) else int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else repr(float(value))
        if isinstance(value, str):
            return value.encode("utf-8", "backslashreplace").decode()
        if id(value) in self._path or len(self._path) >= DEEPEST:
            return {"again" if id(value) in self._path else "deep": type(value).__name__}
        if id(value) not in self._done:
            self._path.append(id(value))
            try:
                self._done[id(value)] = value, self._object(value)
            finally:
                self._path.pop()
        return self._done[id(value)][1]

    def function(self, function: Any) -> dict[str, Any]:
        if isinstance(function, functools.partial):
            arguments = {**{str(i): part for i, part in enumerate(function.args)}, **function.keywords}
            return {**self.function(function.func), **self._parts(arguments=arguments)}
        if isinstance(function, types.MethodType):
            return {**self.function(function.__func__), **self._parts(self=function.__self__)}
        if isinstance(function, types.FunctionType):
            return self._own_function(function)
        if callable(wrapped := getattr(function, "__wrapped__", None)) and _in_library(type(function)):
            return {**self.function(wrapped), "wrapper": name_of(type(function))}
        if isinstance(function, type) or inspect.isroutine(function):
            owner = getattr(function, "__self__", None)
            owner = None if isinstance(owner, types.ModuleType) else owner
            return {"function": name_of(function), "source": None, **self._parts(self=owner)}
        found = self._instance(function)
        return {"function": found.pop("class"), "source": found.pop("source", None), **self._parts(**found)}

    def _own_function(self, function: types.FunctionType) -> dict[str, Any]:
        code, own = function.__code__, not _in_library(function)
        uses = _references(function) if own else {}
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # a name that has no value yet
                uses[name] = cell.cell_contents
        values = function.__defaults__ or ()
        named = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
        defaults = {**dict(zip(named, values, strict=True)), **(function.__kwdefaults__ or {})} if own else {}
        said = {"function": name_of(function), "source": code_digest(code) if own else None}
        return said | self._parts(uses=uses or None, defaults=defaults or None)

    def _parts(self, /, **parts: Any) -> dict[str, Any]:
        """What there is of these, long values as digests."""
        found = {name: self.content(part) for name, part in parts.items() if part is not None}
        return {
            name: {key: _short(v) for key, v in part.items()} if isinstance(part, dict) else _short(part)
            for name, part in found.items()
        }

    def _object(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.content(part) for part in value]
        if isinstance(value, tuple):
            return {"tuple": [self.content(part) for part in value]}
        if isinstance(value, (set, frozenset)):
            return {"set": sorted((self.content(part) for part in value), key=canonical)}
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": digest(bytes(value))}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, types.ModuleType):
            return {"module": value.__name__}
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, (staticmethod, classmethod)):
            return self.content(value.__func__)
        if isinstance(value, property):
            return [self.content(part) for part in (value.fget, value.fset, value.fdel)]
        if isinstance(value, functools.partial) or inspect.isroutine(value) or hasattr(value, "__wrapped__"):
            return self.function(value)
        return self._instance(value)

    def _mapping(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        if all(isinstance(key, str) for key in value):
            return {self.content(key): self.content(value[key]) for key in sorted(value)}
        pairs = ([self.content(key), self.content(part)] for key, part in value.items())
        return {"items": sorted(pairs, key=canonical)}

    def _array(self, value: np.ndarray[Any, Any]) -> dict[str, Any]:
        if value.dtype.hasobject:
            said = canonical(self.content(value.tolist())).encode()
        else:
            said = value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
        return {"array": str(value.dtype.newbyteorder("<")), "shape": list(value.shape), "sha256": digest(said)}

    def _class(self, cls: type) -> dict[str, Any]:
        if _in_library(cls):
            return {"class": name_of(cls)}
        bases = [self.content(base) for base in cls.__bases__]
        members = {n: self.content(part) for n, part in sorted(vars(cls).items()) if _counts(n, part)}
        return {"class": name_of(cls), "source": digest(canonical([bases, members]))}

    def _instance(self, value: Any) -> dict[str, Any]:
        kind = type(value)
        said = {"class": name_of(kind), **self.content(kind)}
        if isinstance(value, Enum):
            return {**said, "name": value.name}
        if hasattr(value, "get_params") and hasattr(value, "set_params"):
            return {**said, "parameters": self.content(value.get_params(deep=False))}
        if hasattr(value, "__array__") and hasattr(value, "shape"):
            with contextlib.suppress(TypeError):  # what lies on a device
                return {**said, **self._array(np.asarray(value))}
        if kind.__module__.partition(".")[0] == "ogive":
            own = getattr(value, "definition", None) or getattr(value, "fingerprint", value.__getstate__)
            return {**said, "definition": self.content(own())}
        if not _in_library(kind):
            return {**said, "state": self.content(value.__getstate__())}
        shown = repr(value)
        if not ADDRESS.search(shown):
            return {**said, "repr": _short(shown)}
        # Of a library's object what it was made of, but not what it made of that: caches come and go.
        made_of = {name: part for name, part in getattr(value, "__dict__", {}).items() if not name.startswith("_")}
        if self._foreign or not made_of:
            return said
        self._foreign = True
        try:
            return {**said, "state": self.content(made_of)}
        finally:
            self._foreign = False


_WALK: ContextVar[_Walk | None] = ContextVar("_WALK", default=None)


def _counts(name: str, member: Any) -> bool:
    """Whether a member of a class is something the user wrote there."""
    if name.startswith("__") and name.endswith("__"):
        kinds = (types.FunctionType, staticmethod, classmethod, property)
        return isinstance(member, kinds) and name != "__annotate_func__"
    return True


def _short(said: Any) -> Any:
    text = canonical(said)
    return said if len(text) <= LONGEST else {"sha256": digest(text)}


def _references(function: types.FunctionType) -> dict[str, Any]:
    """Globals of the code by name, and what it reaches in own modules by dotted name."""
    found: dict[str, Any] = {}
    for code in codes_of(function.__code__):
        name, value = "", None
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in function.__globals__:
                name, value = step.argval, function.__globals__[step.argval]
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, types.ModuleType):
                if _in_library(value) or not hasattr(value, step.argval):
                    value = None
                    continue
                name, value = f"{name}.{step.argval}", getattr(value, step.argval)
            else:
                value = None
                continue
            found[name] = value
    return found


def _in_library(thing: Any) -> bool:
    """Whether a function, class or module is not the user's own: Ogive, the standard library, or installed."""
    if isinstance(thing, types.FunctionType):
        name, file = thing.__globals__.get("__name__"), thing.__globals__.get("__file__")
    else:
        name = thing.__name__ if isinstance(thing, types.ModuleType) else thing.__module__
        file = getattr(sys.modules.get(str(name)), "__file__", None)
    root = str(name).partition(".")[0]
    if root in ("ogive", "__main__"):
        return root == "ogive"
    return any(part in file for part in _LIBRARY) if file else root in sys.stdlib_module_names
