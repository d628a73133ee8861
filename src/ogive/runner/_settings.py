"""Settings of Python and its libraries that a trial may change and that are put back after it.

Each is looked at only where its module is loaded: a trial that needs no pandas pays nothing for pandas.
What a module was loaded with counts where a trial was the first to load it. Names that are replaced in
the modules that nearly all programs share (`WHOLE`), and modules that are replaced or removed, are put
back by `Names`; functions and objects of other libraries are theirs to leave alone.
"""

from __future__ import annotations

import builtins
import cmath
import json
import math
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

# Bound before user code runs, like everything that looks at what user code did.
_modules, _setattr, _delattr, _zip = sys.modules, setattr, delattr, zip
_tzset = getattr(time, "tzset", None)
_geteuid, _getegid = getattr(os, "geteuid", None), getattr(os, "getegid", None)
_seteuid, _setegid = getattr(os, "seteuid", None), getattr(os, "setegid", None)
_getpriority, _setpriority = getattr(os, "getpriority", None), getattr(os, "setpriority", None)
_affinity, _set_affinity = getattr(os, "sched_getaffinity", None), getattr(os, "sched_setaffinity", None)

# Every function and class of these is put back where a trial replaced it.
WHOLE: tuple[ModuleType, ...] = (
    builtins, math, cmath, os, time, json, random, statistics, np, np.random, np.linalg, np.fft,
)  # fmt: skip
CLASSES: tuple[type, ...] = (random.Random,)
# What the loop around a trial calls itself; looked at after each trial, however short.
LOOP = (
    "print", "open", "len", "range", "isinstance", "sorted", "sum", "float", "int", "str", "list", "dict", "__import__",
    "zip", "map", "min", "max", "bool", "tuple", "set", "type", "getattr", "BaseException", "Exception",
)  # fmt: skip


class Stuck(Exception):
    """A setting cannot be put back."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Something that a process has one of: how it is read, written, and what it is when its module is loaded."""

    name: str
    module: str
    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None]
    first: Callable[[Any], Any]


class Kept:
    """The settings as they are now."""

    def __init__(self) -> None:
        self._values = {s.name: s.read(_modules[s.module]) for s in SETTINGS if s.module in _modules}
        self._process = [(read, write, read()) for read, write in _PROCESS]

    def put_back(self) -> bool:
        """Whether anything was changed; raises `Stuck` where it cannot be put back."""
        changed = False
        for setting in SETTINGS:
            module = _modules.get(setting.module)
            if module is None:
                continue
            try:
                before = self._values.get(setting.name, self)
                if before is self:
                    before = self._values[setting.name] = setting.first(module)
                if setting.read(module) != before:
                    changed = True
                    setting.write(module, before)
            except (
                AttributeError,
                KeyError,
                TypeError,
                ValueError,
            ):  # a module that is just being loaded, or another version
                continue
        for read, write, was in self._process:
            if read() != was:
                changed = True
                try:
                    write(was)
                except OSError:
                    raise Stuck from None
                if read() != was:
                    raise Stuck
        return changed


class Names:
    """Functions and classes of shared modules, and the modules themselves, as they are now."""

    def __init__(self) -> None:
        self._of = [_look(module.__dict__, _callables(module)) for module in WHOLE]
        self._loop = self.loop, self.look, _, self.before = _look(builtins.__dict__, LOOP)
        self._modules = _look(_modules, tuple(_modules))
        self._classes = [(one, dict(one.__dict__)) for one in CLASSES]
        lists: tuple[list[Any], ...] = (sys.meta_path, sys.path_hooks)
        self._finders = [(finders, list(finders)) for finders in lists]

    def put_back(self) -> bool:
        """Whether anything was replaced."""
        changed = False
        for place, look, names, before in (self._loop, *self._of, self._modules):
            changed |= _back(place, look, names, before)
        for one, members in self._classes:
            now = one.__dict__
            if now != members:
                changed = True
                for name in [name for name in now if name not in members]:
                    _delattr(one, name)
                for name, value in members.items():
                    if now.get(name) is not value:
                        _setattr(one, name, value)
        for finders, first in self._finders:
            # A library that was loaded by a trial may have added one of its own, which it needs.
            if finders[: len(first)] != first and not all(one in finders for one in first):
                changed = True
                finders[:] = [*first, *(one for one in finders if one not in first)]
        return changed


Look: TypeAlias = tuple[dict[str, Any], Callable[[Any], Any], tuple[str, ...], tuple[Any, ...]]


def _look(place: dict[str, Any], names: tuple[str, ...]) -> Look:
    look = itemgetter(*names)
    return place, look, names, look(place)


def _back(place: dict[str, Any], look: Callable[[Any], Any], names: tuple[str, ...], before: tuple[Any, ...]) -> bool:
    try:
        if look(place) == before:  # compares by identity first
            return False
    except Exception:  # one of them is gone, or is now something that cannot be compared
        pass
    place.update(_zip(names, before))
    return True


def _callables(module: ModuleType) -> tuple[str, ...]:
    return tuple(name for name, value in vars(module).items() if callable(value) and not name.startswith("__"))


def _flat(options: Any, prefix: str = "") -> dict[str, Any]:
    """Options of pandas by their whole names."""
    found: dict[str, Any] = {}
    for key, value in options.items():
        found |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return found


def _set_pandas(module: Any, before: dict[str, Any]) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of options that are going away
        now = _flat(module._global_config)
        for name, value in before.items():
            if now.get(name) != value:
                module.set_option(name, value)


def _set_zone(module: Any, before: Any) -> None:
    if _tzset is not None:
        _tzset()  # the environment is put back first


def _set_logging(module: Any, before: tuple[int, int]) -> None:
    module.disable(before[0])
    module.root.setLevel(before[1])


SETTINGS = (
    Setting("sklearn", "sklearn._config", lambda m: m.get_config(), lambda m, v: m.set_config(**v), lambda m: dict(m._global_config)),
    Setting(
        "pandas", "pandas._config.config", lambda m: _flat(m._global_config), _set_pandas,
        lambda m: {name: option.defval for name, option in m._registered_options.items()},
    ),
    Setting("numpy", "numpy", lambda m: m.get_printoptions(), lambda m, v: m.set_printoptions(**v), lambda m: m.get_printoptions()),
    Setting(
        "special", "scipy.special", lambda m: m.geterr(), lambda m, v: m.seterr(**v),
        lambda m: {kind: "raise" if kind == "memory" else "ignore" for kind in m.geterr()},
    ),
    Setting("socket", "_socket", lambda m: m.getdefaulttimeout(), lambda m, v: m.setdefaulttimeout(v), lambda m: None),
    Setting("csv", "_csv", lambda m: m.field_size_limit(), lambda m, v: m.field_size_limit(v) and None, lambda m: 131072),
    Setting("tempfile", "tempfile", lambda m: m.gettempdir(), lambda m, v: setattr(m, "tempdir", v), lambda m: m._candidate_tempdir_list()[0]),
    Setting("logging", "logging", lambda m: (m.root.manager.disable, m.root.level), _set_logging, lambda m: (0, 30)),
    Setting("zone", "time", lambda m: (m.tzname, m.timezone, m.altzone), _set_zone, lambda m: None),
)  # fmt: skip


def _rounding() -> tuple[bool, bool, bool]:
    """Whether sums are rounded to the nearest, and whether the smallest numbers are kept."""
    one, little = 1.0, 2.0**-60
    return one + little == one, one - little == one, _SMALLEST / 2.0 > 0.0


def _set_rounding(before: Any) -> None:
    """The floating-point environment that every process starts with."""
    import ctypes
    import ctypes.util

    try:
        ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6").fesetenv(ctypes.c_void_p(-1))
    except (OSError, AttributeError):
        raise Stuck from None


_SMALLEST = sys.float_info.min
_Read: TypeAlias = Callable[[], Any]
_Write: TypeAlias = Callable[[Any], None]
_PROCESS: list[tuple[_Read, _Write]] = [(_rounding, _set_rounding)]
if _geteuid is not None:
    _PROCESS += [(_geteuid, _seteuid), (_getegid, _setegid)]  # type: ignore[list-item]
if _getpriority is not None:
    _PROCESS += [(lambda: _getpriority(0, 0), lambda value: _setpriority(0, 0, value))]  # type: ignore[misc]
if _affinity is not None:
    _PROCESS += [(lambda: _affinity(0), lambda cores: _set_affinity(0, cores))]  # type: ignore[misc]
