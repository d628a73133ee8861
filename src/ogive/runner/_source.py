"""How a child gets its study: as the text of a file, or pickled by value through the pipe.

A file is run under a private module name, never `__main__`, with its folder first on `sys.path`.
Its text travels, so every child runs what the parent read, whatever happens to the file. A study
made in a script or a notebook comes cloudpickled, with its large arrays in shared files.
"""

from __future__ import annotations

import io
import linecache
import os
import pickle
import sys
import sysconfig
import tempfile
import traceback
import types
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from ogive.canonical import digest
from ogive.errors import InputError


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
