"""One spelling for one content: canonical JSON, its digest, and what defines a function or an object.

Fingerprints and stored configurations are compared as text, so the same content must give the
same text on every machine, and what cannot be spelled so is refused or named by a digest.

A function is its code (comments, docstrings and annotations aside), the values of its defaults and
closure, and the globals it refers to, also through functions and classes of the user's own modules.
Library code is its name. An object is its class and its state. What trials fill looks like another
definition afterwards: keep caches in `functools.cache`, or out of the state by `__getstate__`. What a
function imports when it is called is not seen.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import functools
import hashlib
import inspect
import json
import math
import os
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from types import CodeType
from typing import Any

import numpy as np

from ogive.errors import InputError

DEEPEST = 20  # objects within objects
LONGEST = 400  # characters of a value that is shown whole
PRIVATE = "ogive_study_"  # modules of study files, which are named by their content
ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")  # in a message or a name it would make two equal runs differ
_LIBRARY = (os.path.dirname(os.__file__), "site-packages", "dist-packages")
_SILENT = {"annotation", "returns", "type_comment", "type_params", "kind", "ctx"}  # parts of syntax that do nothing


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
        "Give objects a label: ogive.spaces.choice({'svm': SVC()})."
    )


def digest(content: str | bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


class Frozen:
    """Base of algorithms, tasks and studies; `__init__` sets what there is with `__setstate__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{self._unchangeable}; make another one to set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{self._unchangeable}; {name!r} stays")

    @property
    def _unchangeable(self) -> str:
        kind = type(self).__name__
        return f"{'an' if kind[0] in 'AEIO' else 'a'} {kind} cannot be changed"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for cls in type(self).__mro__ for name in getattr(cls, "__slots__", ())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)


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


def code_digest(code: CodeType) -> str:
    """A digest of what a piece of code does: of its syntax tree where its text can be had, else of its byte code.

    Comments, layout, docstrings, annotations and the rest of the file do not enter. A text that is
    not the one the code was made of (the file was edited since) is not used.
    """
    try:
        tree, known = _parsed("".join(inspect.findsource(code)[0]))
        node = _node(tree, code) if code in known else None
        said = _byte_code(code) if node is None else _spelled(node)
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
        said = _byte_code(code)
    return digest(said)


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """The code and all code within it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from codes_of(part)


@functools.lru_cache(maxsize=32)
def _parsed(text: str) -> tuple[ast.Module, frozenset[CodeType]]:
    return ast.parse(text), frozenset(codes_of(compile(text, "<text>", "exec", dont_inherit=True)))


def _node(tree: ast.Module, code: CodeType) -> ast.AST | None:
    """The function or lambda that the code was made of; among lambdas of one line the innermost around its instructions."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        and getattr(node, "name", "<lambda>") == code.co_name
        and min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]) == code.co_firstlineno
    ]
    if len(found) > 1:
        spans = [
            ((a, c), (b, d)) for a, b, c, d in code.co_positions() if None not in (a, b, c, d) and (a, c) != (b, d)
        ]
        found = [node for node in found if isinstance(node, ast.Lambda) and spans and _around(node.body, spans)]
        found.sort(key=lambda node: (node.lineno, node.col_offset))
    return found[-1] if found else None


def _around(node: ast.expr, spans: list[tuple[Any, Any]]) -> bool:
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    return bool((node.lineno, node.col_offset) <= first and last <= (node.end_lineno, node.end_col_offset))


def _spelled(node: Any) -> str:
    """A syntax tree as text that is the same in every version of Python."""
    if isinstance(node, list):
        return f"[{','.join(map(_spelled, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {name: part for name, part in ast.iter_fields(node) if name not in _SILENT and part not in (None, [])}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
        fields["body"] = node.body[1:]
    return f"{type(node).__name__}({','.join(f'{name}={_spelled(part)}' for name, part in fields.items())})"


def _byte_code(code: CodeType) -> str:
    """What byte code does, without addresses, line numbers and the order of hashes."""
    constants = [
        _byte_code(part) if isinstance(part, CodeType)
        else f"frozenset({sorted(map(repr, part))})" if isinstance(part, frozenset)
        else repr(part)
        for part in code.co_consts
    ]  # fmt: skip
    return repr([code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, constants])
