"""A study on its way to a child: functions by reference where they can be imported, else by value.

What a child can import under the same name from the same file goes by reference; everything else,
notebook functions, lambdas and what a script defines, goes by value. So a child never imports the
script, and a script needs no `if __name__ == "__main__":`.
"""

from __future__ import annotations

import functools
import io
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

from ogive.errors import StudyNotPortable
from ogive.runner._source import Job, SharedArrays, paths
from ogive.runner._wire import LARGEST

LARGE = 1_000_000  # bytes; below this an array costs less in the pipe than as a file
DEEPEST = 8


def pickled_job(study: Any, *, share: bool = True) -> Job:
    """The job of a study made in this process; `share` puts large arrays into files of this machine."""
    arrays = SharedArrays() if share else None
    try:
        body = _dumps(study, arrays)
    except Exception as error:
        raise StudyNotPortable(_sentence(study, error)) from error
    if len(body) >= LARGEST:
        raise StudyNotPortable(
            f"the study is {len(body) / 1e9:.1f} GB when pickled, more than fits through the pipe; load data inside the task "
            "(ogive.tasks.csv, or a function), or use workers=0."
        )
    held = arrays or SharedArrays()
    header = {"kind": "pickle", "arrays": held.descriptions, "sys_path": paths()}
    return Job(header, body, tuple(held.files))


def _dumps(value: Any, arrays: SharedArrays | None = None) -> bytes:
    stream = io.BytesIO()
    pickler = _Pickler(stream, arrays)
    try:
        pickler.dump(value)
    finally:
        pickler.forget()
    return stream.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Cloudpickle with large arrays kept aside, and with modules a child could not find sent by value."""

    def __init__(self, stream: io.BytesIO, arrays: SharedArrays | None) -> None:
        super().__init__(stream, protocol=5)
        self._arrays = arrays
        self._numbers: dict[int, int] = {}
        self._by_value: list[types.ModuleType] = []

    def persistent_id(self, obj: Any) -> int | None:
        """The number of a large array; None for everything else."""
        if self._arrays is None or type(obj) is not np.ndarray or obj.nbytes <= LARGE:
            return None
        if obj.dtype.hasobject or np.dtype(obj.dtype.str) != obj.dtype:
            return None
        if id(obj) not in self._numbers:
            self._numbers[id(obj)] = self._arrays.add(obj)
        return self._numbers[id(obj)]

    def reducer_override(self, obj: Any) -> Any:
        """Cloudpickle's own way, after modules that exist only in this process were marked."""
        if isinstance(obj, (type, types.FunctionType)):
            module = sys.modules.get(getattr(obj, "__module__", None) or "")
            if module is not None and module.__name__ != "__main__" and not _findable(module.__name__):
                cloudpickle.register_pickle_by_value(module)
                self._by_value.append(module)
        if isinstance(obj, functools._lru_cache_wrapper) and not _importable(obj):
            return _remembering, (obj.__wrapped__, obj.cache_parameters())  # cloudpickle sends it as a name
        return super().reducer_override(obj)

    def forget(self) -> None:
        """Undo the marks."""
        for module in {module.__name__: module for module in self._by_value}.values():
            cloudpickle.unregister_pickle_by_value(module)


def _remembering(function: Any, parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


def _importable(function: Any) -> bool:
    """Whether a child finds a function by its name."""
    module = str(function.__module__)
    return module != "__main__" and module in sys.modules and "<" not in function.__qualname__ and _findable(module)


@functools.lru_cache(maxsize=4096)
def _findable(name: str) -> bool:
    """Whether a fresh interpreter with the same path would import this very module under this name."""
    module = sys.modules[name]
    if name.split(".")[0] in sys.stdlib_module_names:  # some are frozen, and then know no file of their own
        return True
    if name in sys.builtin_module_names or getattr(module, "__file__", None) is None:
        return name in sys.builtin_module_names or getattr(module, "__spec__", None) is not None
    parts, path, spec = name.split("."), None, None
    for i in range(len(parts)):
        spec = _find(".".join(parts[: i + 1]), path)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return spec is not None and (
        spec.origin is None or Path(spec.origin).resolve() == Path(str(module.__file__)).resolve()
    )


def _find(name: str, path: Any) -> Any:
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = None if find is None else find(name, path)
        if spec is not None:
            return spec
    return None


def _sentence(study: Any, error: Exception) -> str:
    """What cannot be sent, by name, as far as one can tell."""
    why = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    for kind, members in (("algorithm", study.algorithms), ("task", study.tasks)):
        for member in members:
            if (cause := _failure(member)) is not None:
                trail, last = _trail(member, cause)
                return (
                    f"{kind} {member.name!r} cannot be sent to a worker: {trail or 'it'} cannot be pickled ({last}). "
                    "Make it inside the function, or use workers=0."
                )
    return f"the study cannot be sent to a worker: {why}. Make such objects inside functions, or use workers=0."


def _failure(value: Any) -> str | None:
    try:
        _dumps(value)
    except Exception as error:
        return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    return None


def _trail(value: Any, cause: str) -> tuple[str, str]:
    """From a member down to the part that fails: `.function`, then `variable 'lock'`."""
    trail: list[str] = []
    for _ in range(DEEPEST):
        for label, part in _parts(value):
            failure = _failure(part)
            if failure is not None:
                trail.append(label)
                value, cause = part, failure
                break
        else:
            break
    return ", ".join(trail), cause


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"item {key!r}", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"item {i}", part) for i, part in enumerate(value))
    elif isinstance(value, functools.partial):
        yield from (("the function", value.func), ("its arguments", value.args), ("its arguments", value.keywords))
    elif isinstance(value, types.MethodType):
        yield from (("the object", value.__self__), ("the method", value.__func__))
    elif isinstance(value, types.FunctionType):
        yield from _parts_of_function(value)
    elif not isinstance(value, (type, types.ModuleType)):
        names = [*getattr(value, "__dict__", ()), *(s for c in type(value).__mro__ for s in _slots(c))]
        yield from ((f"attribute {name!r}", getattr(value, name)) for name in names if hasattr(value, name))


def _slots(cls: type) -> tuple[str, ...]:
    slots = cls.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _parts_of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield f"variable {name!r}", cell.cell_contents
        except ValueError:  # a name that has no value yet
            continue
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield f"global {name!r}", function.__globals__[name]
    yield "its defaults", function.__defaults__
