"""What a trial leaves open, replaced or set reaches no other, and the table is the same for any number of workers."""

import builtins
import csv
import ctypes
import faulthandler
import logging
import math
import os
import random
import resource
import socket
import sys
import tempfile
import threading
import time

import numpy as np
import pytest

from ogive.algorithms import Algorithm
from ogive.runner import run
from ogive.spaces import choice
from ogive.study import Study
from ogive.tasks import none

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at the process as Linux shows it")

LEFT = {"opened": []}  # survives a trial, as a list of a module does


def everything(config, rng):
    """Opens files until there are none to be had, and keeps them."""
    score, kept = rng.random(), LEFT["opened"]
    try:
        while True:
            kept.append(open(os.devnull))  # noqa: SIM115
    except OSError:
        return score


def slowly(config, rng):
    LEFT["opened"] += [os.open(os.devnull, os.O_RDONLY) for _ in range(40)]
    return rng.random()


def opening(config, rng):
    with open(os.devnull) as file:
        return rng.random() + len(file.read())


@pytest.fixture
def few_files():
    """A process may open 300 files, as on macOS."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = max(map(int, os.listdir("/proc/self/fd")))
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(300, open_now + 200), hard))
    LEFT["opened"] = []
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    LEFT["opened"] = []
    LEFT.pop("heap", None)


@pytest.mark.parametrize(("leave", "n"), [(everything, 3), (slowly, 8)])
@pytest.mark.parametrize("workers", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_files_that_a_trial_keeps_open_fail_no_trial(workers, leave, n, few_files, content, no_orphans):
    study = Study("s", [Algorithm("leaves", leave, {}), Algorithm("opens", opening, {})], none())
    tidy = Study("s", [Algorithm("leaves", opening, {}), Algorithm("opens", opening, {})], none())
    found = run(study, n, workers=workers, progress=False, chunk=None if workers else 3)
    assert found.to_pandas()["status"].unique().tolist() == ["ok"]
    assert content(found) == content(run(tidy, n, workers=0, progress=False))


def timed(config, rng):
    """Leaves a timer that ends the process, and so much behind that looking through it takes longer."""
    LEFT["heap"] = [[i] for i in range(2_000_000)]
    LEFT["opened"] += [open(os.devnull) for _ in range(180)]  # noqa: SIM115
    faulthandler.dump_traceback_later(0.02, exit=True, file=LEFT["opened"][0])
    return rng.random()


@pytest.mark.slow
def test_a_timer_that_a_trial_left_is_stopped_before_anything_is_looked_at(few_files):
    found = run(Study("s", [Algorithm("timed", timed, {})], none()), 2, workers=1, progress=False)
    assert found.to_pandas()["status"].tolist() == ["ok", "ok"]


class Placeholder:
    """As of a library that loads itself when it is first looked at."""

    @property
    def __class__(self):
        raise OSError("there is no descriptor left to load it with")


def test_closing_what_was_left_open_asks_no_object_for_its_class(few_files):
    kept = [Placeholder()]
    study = Study("s", [Algorithm("leaves", everything, {}), Algorithm("opens", opening, {})], none())
    found = run(study, 3, workers=0, progress=False)
    assert kept
    assert found.to_pandas()["status"].unique().tolist() == ["ok"]


def leave_behind(kind):
    if kind == "max":
        builtins.max = min
    elif kind == "zip":
        builtins.zip = None
    elif kind == "mean":
        np.mean = np.median = lambda *given, **named: 7.0
    elif kind == "sin":
        math.sin = lambda x: 7.0
    elif kind == "random":
        random.Random.random = lambda self: 0.5
    elif kind == "module":
        sys.modules["json"] = None
    elif kind == "finders":
        sys.meta_path.clear()
        sys.path_hooks.clear()
    elif kind == "zone":
        os.environ["TZ"] = "Asia/Tokyo"
        time.tzset()
    elif kind == "sklearn":
        import sklearn

        sklearn.set_config(transform_output="pandas", assume_finite=True)
    elif kind == "pandas":
        import pandas as pd

        pd.set_option("display.precision", 2)
    elif kind == "special":
        import scipy.special

        scipy.special.seterr(all="raise")
    elif kind == "printing":
        np.set_printoptions(precision=2)
    elif kind == "settings":
        socket.setdefaulttimeout(0.001)
        tempfile.tempdir = "/nowhere"
        csv.field_size_limit(5)
        logging.disable(logging.CRITICAL)
        logging.getLogger().setLevel(3)
    elif kind == "process":
        if os.geteuid() == 0:  # others cannot lower it again, and a process that is not ours alone keeps it
            os.nice(1)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    elif kind == "rounding":
        ctypes.CDLL("libm.so.6").fesetround(0x800)  # upward, on x86


KINDS = [
    "max", "zip", "mean", "sin", "random", "module", "finders", "zone", "sklearn", "pandas", "special", "printing",
    "settings", "process", "rounding",
]  # fmt: skip


def untidy(config, rng):
    score = rng.random()
    leave_behind(config["kind"])
    return score


def seen(config, rng):
    """A number that depends on everything that may be left behind."""
    import pandas as pd
    import scipy.special
    import sklearn

    one, little = 1.0, 2.0**-60
    facts = [
        max(1, 2), list(zip("ab", "cd")), float(np.mean([1.0, 3.0])), math.sin(1.0), random.random(),  # noqa: B905
        sys.modules.get("json") is not None, len(sys.meta_path) > 1, len(sys.path_hooks) > 1, time.timezone, time.tzname,
        sorted(sklearn.get_config().items(), key=str), pd.get_option("display.precision"), scipy.special.geterr(),
        str(np.array([1 / 3])), socket.getdefaulttimeout(), tempfile.gettempdir(), csv.field_size_limit(),
        logging.root.manager.disable, logging.root.level, os.getpriority(0, 0), sorted(os.sched_getaffinity(0)), one + little == one,
    ]  # fmt: skip
    return float(sum(map(ord, repr(facts)))) + rng.random()


@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow), 2])
def test_what_a_method_replaces_or_sets_reaches_no_other(workers, no_orphans):
    space = {"kind": choice(KINDS)}
    study = Study("s", [Algorithm("untidy", untidy, space), Algorithm("sees", seen, {})], none())
    found = run(study, 60, workers=workers, progress=False, chunk=7).to_pandas()
    assert found["status"].unique().tolist() == ["ok"]
    kinds = found.loc[found["algorithm"] == "untidy", "params"].astype(str).str.cat()
    assert all(kind in kinds for kind in KINDS)
    score = found.columns[found.columns.get_loc("params") + 1]
    numbers = found.loc[found["algorithm"] == "sees", score]
    # Of one process: the same facts each time, so only the drawn share differs.
    alone = run(Study("s", Algorithm("sees", seen, {}), none()), 60, workers=workers, progress=False).to_pandas()
    assert numbers.tolist() == alone[score].tolist()


def draw_for_ever():
    while True:
        np.random.random()  # noqa: NPY002 - the generator that all share


def drawing(config, rng):
    """Leaves a thread behind that draws from the generator that all share."""
    if not LEFT.get("drawing"):
        LEFT["drawing"] = threading.Thread(target=draw_for_ever, daemon=True)
        LEFT["drawing"].start()
    return rng.random()


def drawn(config, rng):
    time.sleep(0.002)
    return np.random.random()  # noqa: NPY002


def test_a_thread_that_a_method_leaves_draws_no_numbers_of_another(content, no_orphans):
    both = Study("s", [Algorithm("leaves", drawing, {}), Algorithm("draws", drawn, {})], none())
    tidy = Study("s", [Algorithm("leaves", opening, {}), Algorithm("draws", drawn, {})], none())
    assert content(run(both, 6, workers=1, chunk=3, progress=False)) == content(run(tidy, 6, workers=1, progress=False))
