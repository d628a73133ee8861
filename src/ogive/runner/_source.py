"""How a child gets its study: as the text of a file, or pickled by value through the pipe.

A file is run under a private module name, never `__main__`, with its folder first on `sys.path`.
Its text travels, so every child runs what the parent read, whatever happens to the file.

A study made in a script or a notebook comes cloudpickled, with its large arrays in shared files. What a
child can import under the same name from the same file goes by reference; everything else, notebook
functions, lambdas and what a script defines, by value. So a child never imports the script, and a
script needs no `if __name__ == "__main__":`. What cannot go is named.
"""

from __future__ import annotations

import functools
import io
import linecache
import os
import pickle
import sys
import sysconfig
import tempfile
import traceback
import types
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import cloudpickle
import numpy as np

from ogive.canonical import digest
from ogive.errors import InputError, StudyNotPortable
from ogive.runner._wire import LARGEST


@dataclass(frozen=True, slots=True)
class Job:
    """What every child of a run receives: a JSON-able header, one body, and the arrays behind it."""

    header: dict[str, Any]
    body: bytes
    files: tuple[IO[bytes], ...] = ()

    @property
    def fds(self) -> tuple[int, ...]:
        """Descriptors of the shared arrays."""
        return tuple(file.fileno() for file in self.files)

    def close(self) -> None:
        """Give the shared arrays back; they vanish with the last child that maps them."""
        for file in self.files:
            file.close()


@dataclass(slots=True)
class SharedArrays:
    """Large arrays, written once into files that have no name and so leave nothing behind."""

    files: list[IO[bytes]] = field(default_factory=list)
    descriptions: list[dict[str, Any]] = field(default_factory=list)

    def add(self, array: np.ndarray[Any, Any]) -> int:
        """Write an array; its number is how the study refers to it."""
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        whole = np.asarray(array, order="F" if order == "F" else "C")
        self.files.append(_read_only((whole.T if order == "F" else whole).data.cast("B")))
        self.descriptions.append({"dtype": array.dtype.str, "shape": list(array.shape), "order": order})
        return len(self.files) - 1


def _read_only(content: memoryview) -> IO[bytes]:
    """A file without a name that holds `content` and that nobody can write into.

    Children inherit its descriptor: one that writes into every descriptor it finds would otherwise
    change the data of all others.
    """
    if os.path.isdir("/proc/self/fd"):
        with tempfile.TemporaryFile(prefix="ogive-array-") as file:
            file.write(content)
            file.flush()
            return open(f"/proc/self/fd/{file.fileno()}", "rb")
    fd, path = tempfile.mkstemp(prefix="ogive-array-")
    with open(fd, "wb") as file:
        readable = open(path, "rb")  # noqa: SIM115 - lives as long as the run
        os.unlink(path)  # before anything is in it, so that a kill leaves next to nothing behind
        file.write(content)
    return readable


def split_name(study: str) -> tuple[str, str | None]:
    """FILE:NAME in two; a colon that belongs to the file's own name is left alone."""
    path, colon, name = study.rpartition(":")
    if not colon or Path(study).exists() or not name.isidentifier():
        return study, None
    return path, name


def file_job(path: str | Path, name: str | None) -> tuple[Job, Any]:
    """The job of a study file, and the study as this process sees it."""
    target = Path(path)
    if target.suffix != ".py":
        raise InputError(
            f"a study is a Python file, which ends in .py; got {target.name!r}. A table is judged by `ogive report`."
        )
    try:
        text = target.read_bytes()
    except FileNotFoundError:
        raise InputError(f"the study file {str(target)!r} does not exist.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the study file {str(target)!r} cannot be read: {error}.") from None
    whole, sha256, path_here = str(target.resolve()), digest(text), paths()
    found, study = find_study(run_text(text, whole, sha256), name, str(target))
    return Job({"kind": "file", "path": whole, "name": found, "sha256": sha256, "sys_path": path_here}, text), study


def paths() -> list[str]:
    """Where this process finds modules, absolute, for a child to look there too."""
    return [str(Path(entry).resolve()) if entry in ("", ".") else entry for entry in sys.path]


# The study file that is being read: it says what a study is, and runs nothing.
loading: ContextVar[str | None] = ContextVar("loading", default=None)


def run_text(text: bytes, path: str, sha256: str) -> types.ModuleType:
    """The module that a study file makes."""
    folder = str(Path(path).parent)
    if sys.path[:1] != [folder]:
        sys.path.insert(0, folder)
    module = types.ModuleType(f"ogive_study_{sha256[:12]}")
    module.__file__ = path
    lines = text.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[path] = (len(text), None, lines, path)
    sys.modules[module.__name__] = module
    before = loading.set(path)
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InputError(f"the study file {path!r} cannot be run: {_where(error, path)}.") from error
    finally:
        loading.reset(before)
    return module


def _where(error: BaseException, path: str) -> str:
    line = error.lineno if isinstance(error, SyntaxError) else None
    for step in traceback.extract_tb(error.__traceback__):
        line = step.lineno if step.filename == path else line
    said = " ".join(str(error).split())[:300].rstrip(".")
    return (f"line {line}: " if line else "") + f"{type(error).__name__}" + (f": {said}" if said else "")


def find_study(module: types.ModuleType, name: str | None, path: str) -> tuple[str, Any]:
    """The study of that name in a module; the only one where no name is given."""
    from ogive.study import Study

    there = {key: value for key, value in vars(module).items() if isinstance(value, Study)}
    if name is not None:
        if name not in there:
            listed = ", ".join(there) or "none"
            raise InputError(f"{path} has no study named {name!r} at its top level; there is {listed}.")
        return name, there[name]
    distinct = {id(value): key for key, value in reversed(there.items())}
    if len(distinct) != 1:
        if not there:
            raise InputError(f"{path} has no study at its top level; write `study = ogive.Study(…)` there.")
        raise InputError(f"{path} has {len(there)} studies; name one: {', '.join(f'{path}:{key}' for key in there)}.")
    return next((key, there[key]) for key in distinct.values())


def load(header: dict[str, Any], body: bytes, fds: Sequence[int]) -> Any:
    """The study, in the child."""
    sys.path[:] = _merged(header["sys_path"]) if header.get("elsewhere") else header["sys_path"]
    if header["kind"] == "file":
        if digest(body) != header["sha256"]:
            raise InputError(f"the text of {header['path']} was damaged on its way.")
        module = run_text(body, header["path"], header["sha256"])
        import cloudpickle

        cloudpickle.register_pickle_by_value(module)  # a pool inside a trial could not import the private name
        return find_study(module, header["name"], header["path"])[1]
    return _Reader(io.BytesIO(body), header["arrays"], fds).load()


def _merged(wanted: list[str]) -> list[str]:
    """The parent's own folders before this interpreter's; on another machine its libraries are elsewhere."""
    own = [e for e in wanted if Path(e).is_dir() and "site-packages" not in e and "dist-packages" not in e]
    interpreter = {*map(str, sysconfig.get_paths().values()), os.path.dirname(os.__file__)}
    first = [e for e in own if e not in sys.path and not any(e.startswith(p) for p in interpreter)]
    return [*first, *sys.path]


class _Reader(pickle.Unpickler):
    """Reads what this machine's own parent pickled a moment ago, and maps the arrays it refers to."""

    def __init__(self, stream: IO[bytes], arrays: Sequence[dict[str, Any]], fds: Sequence[int]) -> None:
        super().__init__(stream)
        self._arrays, self._fds = arrays, fds

    def persistent_load(self, pid: int) -> np.ndarray[Any, Any]:
        about = self._arrays[pid]
        with open(self._fds[pid], "rb", closefd=False) as file:
            mapped = np.memmap(file, dtype=about["dtype"], mode="r", shape=tuple(about["shape"]), order=about["order"])
        return mapped.view(np.ndarray)


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
