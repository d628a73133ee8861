"""One spelling for one content: canonical JSON, its digest, and the digest of code.

Fingerprints and stored configurations are compared as text, so the same content must give the
same text on every machine.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import json
import math
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

import numpy as np

from ogive.errors import InputError

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
