"""What a trial may change about its process, and how it is put back before the next one starts.

A trial that leaves an alarm behind, another working directory or a replaced function must not reach
its neighbors, and numbers must not depend on who was run before whom in one process. Each trial is
followed by a look that costs one microsecond (`put_back`), each long trial and each sending of rows
by one that costs ten (`deep`), and each trial of some milliseconds and each sending also by one at the
names and settings of libraries (`Names`, `Kept`): what was changed is put back, and only that. Rows that
were made since the last look are made again when it finds something, so none is sent that another may
have touched. A process that cannot be put back is replaced before its next trial (`worn`).

Replacing what an answer of the process is made with (`os.write`, `json.dumps`, its clocks) and leaving
it so is a failure of that trial. Everything else is put back without a word: names that are replaced in
the modules that nearly all programs share (`WHOLE`), modules that are replaced or removed, and settings
of libraries. A setting is looked at only where its module is loaded (a trial that needs no pandas pays
nothing for pandas); what a module was loaded with counts where a trial was the first to load it. Functions
and objects of other libraries and of the user's own modules are theirs to leave alone.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import _thread
import builtins
import cmath
import contextlib
import faulthandler
import gc
import io
import json
import locale
import logging
import math
import os
import random
import signal
import statistics
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from ogive.runner import _memory

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


log = logging.getLogger("ogive")

# Bound here, before user code runs: what a trial does to these names in their modules does not matter.
_exit, _getpid, _getcwd, _chdir, _fstat, _kill = os._exit, os.getpid, os.getcwd, os.chdir, os.fstat, os.kill
_dup2, _dup, _waitpid, _close, _listdir = os.dup2, os.dup, os.waitpid, os.close, os.listdir
_umask: Callable[[int], int] = os.umask
_monotonic, _sleep = time.monotonic, time.sleep
_POSIX = os.name == "posix"
_LOOK = (os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) if hasattr(os, "waitid") else None
_waitid = getattr(os, "waitid", None)
_setlocale = locale.setlocale
_get_recursion, _gettrace, _getprofile = sys.getrecursionlimit, sys.gettrace, sys.getprofile
_getsignal, _setsignal = _signal.getsignal, _signal.signal
_alarm, _getitimer, _setitimer = (getattr(_signal, name, None) for name in ("alarm", "getitimer", "setitimer"))
_sigmask = getattr(_signal, "pthread_sigmask", None)
_cancel_dump = faulthandler.cancel_dump_traceback_later

ENDING = 1.0  # seconds for processes that were left behind to be gone
# A process takes longer than this to start; a shorter trial waits for the look before its row is sent.
LONG = 200e-6
WIDE = 2e-3  # seconds of a trial after which a look of forty microseconds is nothing
# Descriptors that trials may leave open: pools and caches of libraries keep some. Beyond this, or beyond a quarter
# of what the process may open, its place is taken by a fresh one.
MOST_LEFT = 256

# Names that an answer is made with, and names that are merely put back.
NEEDED: dict[ModuleType, tuple[str, ...]] = {
    os: ("write", "read", "_exit", "getpid"),
    json: ("dumps", "loads"),
    time: ("monotonic", "monotonic_ns", "perf_counter", "process_time"),
}
KEPT: dict[ModuleType, tuple[str, ...]] = {
    os: ("environ", "getcwd", "chdir", "close", "kill", "urandom"),
    time: ("time", "sleep", "time_ns", "perf_counter_ns"),
    sys: ("stdin", "stdout", "stderr", "path", "argv", "exit", "excepthook", "unraisablehook"),
    warnings: ("filters", "showwarning", "warn"),
}  # fmt: skip
# Numbered as the platform numbers them; SIGKILL and SIGSTOP have no handlers, and those of real-time signals are rare.
_SIGNALS = [n for n in range(1, 32) if n not in (9, getattr(signal, "SIGSTOP", 19))] if _POSIX else []
_LIMITED = ("NOFILE", "AS", "DATA", "STACK", "FSIZE", "NPROC", "CORE")
_LIMITS: dict[str, int] = {}
if _POSIX:
    import resource

    _getrlimit, _setrlimit = resource.getrlimit, resource.setrlimit
    _LIMITS = {
        f"RLIMIT_{name}": getattr(resource, f"RLIMIT_{name}")
        for name in _LIMITED
        if hasattr(resource, f"RLIMIT_{name}")
    }


class Broken(Exception):
    """The process has lost what it answers through."""


class State:
    """The state of this process as it is now, to be put back after each trial.

    Parameters
    ----------
    pipes : descriptors, with a name for each
        What the process answers through; `Broken` is raised when one of them is not what it was.
    own : bool
        Whether the process exists for trials only: everything that it started ends with its trial, and no
        timer runs between trials.
    cpu_limit : bool
        Whether the process uses the timer of CPU time itself.
    opened : dict, optional
        Descriptors that earlier trials left open in this process, with the file of each; kept up to date.
    """

    def __init__(
        self,
        pipes: dict[int, str] | None = None,
        *,
        own: bool = True,
        cpu_limit: bool = False,
        opened: dict[int, tuple[int, int] | None] | None = None,
    ) -> None:
        self._pid, self.own = os.getpid(), own
        self._unsure = 0  # trials since the last deep look
        self._unseen = 0  # trials since the last look at names and settings
        self.worn = False  # whether this process can no longer be put back
        self.redo = 0  # how many of the last trials may have been reached by what another of them left
        self.careful = False  # whether each trial is followed by a deep look, since one of them was found untidy
        self._counting = () if cpu_limit else (signal.ITIMER_PROF,) if _setitimer else ()
        self._main = threading.current_thread() is threading.main_thread()
        self._names = _names()
        self._handlers = list(map(_getsignal, _SIGNALS))
        self._mask = _sigmask(signal.SIG_BLOCK, ()) if _sigmask else set()
        self._since = time.monotonic()
        self._timers = [_getitimer(which) for which in range(3)] if _getitimer else []
        self._cwd = _here()
        self._umask = os.umask(0o22)
        os.umask(self._umask)
        self._place = vars(os.environ)["_data"] if _POSIX else {}
        self._environ = dict(self._place)
        lists: tuple[Any, ...] = (sys.path, sys.argv, warnings.filters)
        self._filters = warnings.filters
        self._lists = [(place, list(place)) for place in lists]
        self._locale = locale.setlocale(locale.LC_ALL)
        self._recursion = sys.getrecursionlimit()
        self._hooks = (sys.gettrace(), sys.getprofile())
        self._gc = gc.isenabled()
        self._decimal = sys.modules["decimal"].getcontext().copy() if "decimal" in sys.modules else None
        self._limits = _limits()
        self._pipes = {fd: (name, _what(fd)) for fd, name in (pipes or {}).items()}
        self._standard = {fd: _spare(fd) for fd in (0, 1, 2)} if own else {}
        self._children = set(_memory.children(self._pid)) if own else set()  # what the study started for all trials
        self._threads = set(threading.enumerate())
        self._n_threads = _thread._count()
        self._named: set[str] = set()
        self.left: list[str] = []  # names of threads that were left running and have not been told yet
        self._all_names, self._kept = Names(), Kept()
        self._descriptors = _descriptors() or {}
        self._lowest = _lowest_free()
        self._most_left = MOST_LEFT
        if "RLIMIT_NOFILE" in self._limits and self._limits["RLIMIT_NOFILE"][0] > 0:
            self._most_left = min(MOST_LEFT, self._limits["RLIMIT_NOFILE"][0] // 4)
        self.opened = {} if opened is None else opened

    def put_back(self) -> str | None:
        """Put back what is cheapest to look at; a sentence where `deep` was called and had one.

        A copy of this process that user code forked and let come back ends here.
        """
        if _getpid() != self._pid:
            _exit(0)
        # What goes off by itself is stopped before anything else: a look at many objects may take longer than
        # a timer has left, and a dump of faulthandler that is due ends the process without a word.
        changed = self.careful
        _cancel_dump()
        if self.own:
            if _alarm is not None and _alarm(0):
                changed = True
        else:
            self._set_timers()
        self._unsure += 1
        self._unseen += 1
        names = self._all_names
        try:
            if names.look(names.loop) != names.before:
                changed |= names.put_back()
        except Exception:  # one of them is gone, or is now something that cannot be compared
            changed |= names.put_back()
        if _umask(self._umask) != self._umask:
            changed = True
        if self._place != self._environ:
            changed = True
            self._set_environ()
        for place, before in self._lists:
            if place != before:
                changed = True
                place[:] = before
                if place is self._filters:
                    _forget_filters()
        try:  # the number that the next descriptor gets grows with each one that is left open
            _close(free := _dup(0))
        except OSError:
            free = -1
        if free != self._lowest:
            changed |= self._set_limits()  # fewer may be opened than before; not more are open for that
            self._look_at_descriptors()
        return self.deep(wide=True) if changed else None

    def deep(self, *, wide: bool = False) -> str | None:
        """Put back the rest; a sentence where what an answer is made with was replaced.

        Where something was changed, the trials since the last deep look are to be run again, each with
        a deep look behind it: one of them may have been reached by what another left.

        Parameters
        ----------
        wide : bool
            Whether to look at the names and settings of libraries too.
        """
        unsure, self._unsure = self._unsure, 0
        replaced, changed = self._set_names()
        changed |= self._set_rest()
        if wide:
            unsure, self._unseen = self._unseen, 0
            changed |= self._set_libraries()
        if changed:
            self.careful = True
            self.redo = max(self.redo, unsure if unsure > 1 else 0)
        return replaced

    def _set_libraries(self) -> bool:
        changed = self._all_names.put_back()
        try:
            changed |= self._kept.put_back()
        except Stuck:
            changed = self.worn = True
        return changed

    def _look_at_descriptors(self) -> None:
        """Count what trials left open; a process with too many of them is worn, and in a process of others they are closed.

        Nothing is closed in a process that can be replaced: a library may hold what it opened, and an
        object that is forgotten later would close its number again, which is another trial's by then.
        """
        left = self._left()
        if left is None or len(left) > self._most_left:
            gc.collect()  # what nobody holds any more may only wait for this
            left = self._left()
            if left is None or len(left) > self._most_left:
                if self.own:
                    self.worn = True
                else:
                    self._close_left()
                left = self._left()
        self.opened.clear()
        self.opened.update(left or {})
        self._lowest = _lowest_free()

    def _left(self) -> dict[int, tuple[int, int] | None] | None:
        """Descriptors that trials opened and left, with the file of each; None where they cannot be listed."""
        now = _descriptors()
        if now is None:
            return None
        before, opened = self._descriptors, self.opened
        return {fd: what for fd, what in now.items() if fd not in before or opened.get(fd) == what}

    def _close_left(self) -> None:
        """Close what trials opened and left, so that the program around can go on; its own are left alone."""
        highest = self._limits.get("RLIMIT_NOFILE", (4096, 0))[0]
        by_number = {fd: what for fd in range(3, min(highest, 65536)) if (what := _what(fd)) is not None}
        before, left = self._descriptors, self.opened
        opened = {fd for fd, what in by_number.items() if fd not in before or left.get(fd) == what}
        for one in gc.get_objects():  # those of Python know then that they are closed
            # By type: a placeholder of a library that loads itself late would be asked for its class, and load.
            if issubclass(type(one), io.FileIO) and not one.closed and one.fileno() in opened:
                opened.discard(one.fileno())
                with contextlib.suppress(OSError):
                    one.close()
        for fd in opened:
            with contextlib.suppress(OSError):
                _close(fd)
        self.opened.clear()

    def _set_rest(self) -> bool:
        changed = False
        if self.own and _setitimer is not None:
            for which in (signal.ITIMER_VIRTUAL, *self._counting):
                changed |= bool(_setitimer(which, 0.0)[0])
        if self._main and list(map(_getsignal, _SIGNALS)) != self._handlers:
            changed = True
            self._set_handlers()
        if _sigmask is not None and _sigmask(signal.SIG_BLOCK, ()) != self._mask:
            changed = True
            self._unblock()
        changed |= self._set_interpreter()
        if _setlocale(locale.LC_ALL) != self._locale:
            changed = True
            _setlocale(locale.LC_ALL, self._locale)
        changed |= self._set_limits()
        changed |= self._set_standard()
        for fd, (name, what) in self._pipes.items():
            if _what(fd) != what:
                raise Broken(f"closed or replaced {name}")
        if self.own:
            changed |= end_left_processes(self._children)
        if _thread._count() != self._n_threads:
            self._name_threads()
        if _here() != self._cwd:
            changed = True
            self._go_home()
        return changed

    def _set_interpreter(self) -> bool:
        changed = False
        if _get_recursion() != self._recursion:
            changed = True
            sys.setrecursionlimit(self._recursion)
        if _gettrace() is not self._hooks[0]:
            changed = True
            sys.settrace(self._hooks[0])
        if _getprofile() is not self._hooks[1]:
            changed = True
            sys.setprofile(self._hooks[1])
        if gc.isenabled() is not self._gc:
            changed = True
            (gc.enable if self._gc else gc.disable)()
        decimal = sys.modules.get("decimal")
        if decimal is not None:
            if self._decimal is None:
                self._decimal = decimal.Context()  # what every thread starts with
            context = decimal.getcontext()
            if (context.prec, context.rounding) != (self._decimal.prec, self._decimal.rounding):
                changed = True
                context.prec, context.rounding = self._decimal.prec, self._decimal.rounding
        return changed

    def _set_timers(self) -> None:
        """Timers of the program around a run in this process go on as if there had been no trial."""
        passed = _monotonic() - self._since
        for which, (before, every) in enumerate(self._timers):
            left, now_every = _getitimer(which)  # type: ignore[misc]
            if not before:
                if left:
                    _setitimer(which, 0.0)  # type: ignore[misc]
            elif which == signal.ITIMER_REAL and not every:
                expected = before - passed
                if (left and abs(left - expected) > 0.05) or now_every:
                    _setitimer(which, max(expected, 1e-6))  # type: ignore[misc]

    def _set_handlers(self) -> None:
        for number, before in zip(_SIGNALS, self._handlers, strict=True):
            if _getsignal(number) != before and before is not None:
                _setsignal(number, before)

    def _set_names(self) -> tuple[str | None, bool]:
        """Put replaced functions back; a sentence on the first that an answer is made with, and whether there were any."""
        bad, changed = None, False
        for module, look, names, before in self._names:
            try:
                if look(module.__dict__) == before:
                    continue
            except KeyError:
                pass
            for name, value in zip(names, before, strict=True):
                if module.__dict__.get(name, module) is not value:
                    changed = True
                    setattr(module, name, value)
                    if bad is None and name in NEEDED.get(module, ()):
                        bad = (
                            f"the trial left {module.__name__}.{name} replaced, which its worker process needs; put it "
                            "back in the trial, or replace it where the study is made"
                        )
        if changed:
            _forget_filters()
        return bad, changed

    def _go_home(self) -> None:
        try:
            if self._cwd is not None:
                _chdir(self._cwd)
        except OSError:
            self._cwd = _here()
            raise Broken("removed the working directory") from None

    def _set_limits(self) -> bool:
        now = _limits()
        if now == self._limits:
            return False
        for name in [name for name, limit in self._limits.items() if now[name] != limit]:
            try:
                _setrlimit(_LIMITS[name], self._limits[name])
            except (ValueError, OSError):
                self._limits[name] = now[name]
                raise Broken(f"lowered {name} for good") from None
        return True

    def _set_environ(self) -> None:
        """Through `os.environ`, which tells the C library too."""
        environ = os.environ
        for key in [key for key in self._place if key not in self._environ]:
            del environ[environ.decodekey(key)]
        for key, value in self._environ.items():
            if self._place.get(key) != value:
                environ[environ.decodekey(key)] = environ.decodevalue(value)

    def _unblock(self) -> None:
        """A signal that waits behind the mask belongs to the trial that blocked it, and is dropped."""
        assert _sigmask is not None
        for number in _signal.sigpending() if self._main else ():
            before = _getsignal(number)
            if before is not None and number in _SIGNALS:
                _setsignal(number, _signal.SIG_IGN)
                _setsignal(number, before)
        _sigmask(signal.SIG_SETMASK, self._mask)

    def _set_standard(self) -> bool:
        changed = False
        for fd, (spare, what) in self._standard.items():
            if _what(fd) == what:
                continue
            changed = True
            if _what(spare) != what:
                raise Broken("closed every descriptor of the process")
            _dup2(spare, fd)
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            stream = getattr(sys, name)
            if self.own and getattr(stream, "closed", False):
                changed = True
                fd = ("stdin", "stdout", "stderr").index(name)
                setattr(sys, name, open(fd, mode, closefd=False, errors="backslashreplace"))  # noqa: SIM115
                self._names = _names()
        return changed

    def _name_threads(self) -> None:
        self._n_threads = _thread._count()
        for thread in threading.enumerate():
            if thread not in self._threads and type(thread).__module__.partition(".")[0] not in _LIBRARIES:
                name = thread.name.partition("-")[0] + thread.name.partition(" ")[1] + thread.name.partition(" ")[2]
                if name not in self._named and not name.startswith("QueueFeederThread"):
                    self._named.add(name)
                    self.left.append(name)


# Threads that belong to pools and progress bars, which keep them for the next call.
_LIBRARIES = {"concurrent", "joblib", "loky", "tqdm", "multiprocessing"}


def _names() -> list[tuple[ModuleType, Callable[[Any], Any], tuple[str, ...], tuple[Any, ...]]]:
    found: list[tuple[ModuleType, Callable[[Any], Any], tuple[str, ...], tuple[Any, ...]]] = []
    for module in dict.fromkeys((*NEEDED, *KEPT)):
        names = tuple(n for n in (*NEEDED.get(module, ()), *KEPT.get(module, ())) if n in module.__dict__)
        look = itemgetter(*names)
        found.append((module, look, names, look(module.__dict__)))
    return found


def _here() -> str | None:
    try:
        return _getcwd()
    except OSError:
        return None


def _what(fd: int) -> tuple[int, int] | None:
    """Which file a descriptor stands for; None for a closed one."""
    try:
        about = _fstat(fd)
    except OSError:
        return None
    return about.st_dev, about.st_ino


def _spare(fd: int) -> tuple[int, tuple[int, int] | None]:
    """A copy of a descriptor, out of the way of those that user code opens and closes."""
    try:
        import fcntl

        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100), _what(fd)
    except OSError:
        return -1, None


def _lowest_free() -> int:
    """The number that the next descriptor gets; it grows with each one that is left open. -1 where there is none."""
    try:
        fd = _dup(0)
    except OSError:
        return -1
    _close(fd)
    return fd


def _descriptors() -> dict[int, tuple[int, int] | None] | None:
    """Open descriptors and the file of each; None where they cannot be listed, as when there is none left to list with."""
    if not _POSIX:
        return {}
    for place in ("/proc/self/fd", "/dev/fd"):
        try:
            found = {int(name): _what(int(name)) for name in _listdir(place) if name.isdigit()}
        except FileNotFoundError:
            continue
        except OSError:
            return None
        return {fd: what for fd, what in found.items() if what is not None}
    return {}


def _limits() -> dict[str, tuple[int, int]]:
    """Limits of this process; none on Windows."""
    return {name: _getrlimit(number) for name, number in _LIMITS.items()}


def _forget_filters() -> None:
    """Tell the interpreter that the filters of warnings were changed."""
    with warnings.catch_warnings():
        pass


def end_left_processes(earlier: set[int]) -> bool:
    """End every process that this one started but `earlier` ones and those that a pool keeps; whether there were any.

    Where this process adopts orphans (Linux), that includes those which forked twice or lead a session of their own.
    """
    if _waitid is None:
        return False
    try:
        _waitid(*_LOOK)  # type: ignore[misc]
    except OSError:
        return False
    ended, deadline = False, _monotonic() + ENDING
    while True:
        mine = _memory.children(_getpid())
        keep = _kept() | earlier
        left = [pid for pid in mine if pid not in keep]
        alive = [pid for pid in left if not _reap(pid)]
        if not alive:
            return ended
        if _monotonic() > deadline:
            raise Broken("started processes that cannot be ended")
        ended = True
        for pid in [*alive, *(one for parent in alive for one in _memory.children(parent, deep=True))]:
            try:
                _kill(pid, 9)
            except OSError:
                continue
        _sleep(0.001)


def _reap(pid: int) -> bool:
    """Whether a child of this process has ended; it is then forgotten."""
    try:
        return _waitpid(pid, os.WNOHANG)[0] == pid
    except OSError:
        return True


def _kept() -> set[int]:
    """Processes that pools of Python, joblib and loky keep for their next call; killed, they would fail in it."""
    found: set[int] = set()
    workers = getattr(sys.modules.get("multiprocessing.process"), "_children", ())
    found.update(one.pid for one in list(workers) if "PoolWorker" in one.name and one.pid)
    for home in ("concurrent.futures", "loky", "joblib.externals.loky"):
        module = sys.modules.get(f"{home}.process" if home.startswith("concurrent") else f"{home}.process_executor")
        for manager in list(getattr(module, "_threads_wakeups", ())):
            found.update(getattr(manager, "processes", None) or ())
    for module_name, holder, number in (
        ("multiprocessing.resource_tracker", "_resource_tracker", "_pid"),
        ("loky.backend.resource_tracker", "_resource_tracker", "_pid"),
        ("joblib.externals.loky.backend.resource_tracker", "_resource_tracker", "_pid"),
        ("multiprocessing.forkserver", "_forkserver", "_forkserver_pid"),
    ):
        pid = getattr(getattr(sys.modules.get(module_name), holder, None), number, None)
        if pid is not None:
            found.add(pid)
    return found


def say_threads(names: Iterable[str], cell: Sequence[str]) -> None:
    """Say in the log which threads trials left running: nobody can end a thread from outside."""
    log.warning(
        "trials of %r on %r left threads running (%s), which may disturb later trials; end them before the trial returns",
        cell[0], cell[1], ", ".join(names),
    )  # fmt: skip
