"""A trial that ruins the process it runs in is one row; its neighbors have what they have without it."""

import builtins
import fcntl
import json
import os
import random
import sys
import threading
import time

import numpy as np
import pytest

from ogive.algorithms import Algorithm
from ogive.runner import run
from ogive.spaces import as_space
from ogive.study import Study
from ogive.tasks import none

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are counted as Linux does")


def nothing(*arguments, **options):
    return 0


def raises(*arguments, **options):
    raise RuntimeError("replaced")


def descriptors():
    return [int(name) for name in os.listdir("/proc/self/fd")]


def pipe(access):
    """The pipe of the process that can be read, or written; stderr is another."""
    errors = os.fstat(2).st_ino
    for fd in descriptors():
        try:
            is_pipe = os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:") and os.fstat(fd).st_ino != errors
            if is_pipe and fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == access:
                return fd
        except OSError:
            continue
    raise RuntimeError("no such pipe")


def into_all(data, first=3):
    for fd in range(first, 300):
        try:
            os.write(fd, data)
        except OSError:
            continue


REPLACED = {
    "json.dumps": (json, nothing),
    "json.loads": (json, raises),
    "os.write": (os, nothing),
    "os.read": (os, raises),
    "os._exit": (os, nothing),
    "os.getpid": (os, nothing),
    "len": (builtins, raises),
}


def ruin(kind):
    if kind == "close all":
        os.closerange(3, 4096)
    elif kind == "close even the first":
        os.closerange(0, 4096)
    elif kind == "close the answer":
        os.close(pipe(os.O_WRONLY))
    elif kind == "close the orders":
        os.close(pipe(os.O_RDONLY))
    elif kind == "put a file in its place":
        fd = pipe(os.O_WRONLY)
        os.dup2(os.open(os.devnull, os.O_WRONLY), fd)
    elif kind == "junk":
        into_all(b"\xff" * 64)
    elif kind == "a byte":
        into_all(b"\x10")
    elif kind == "like a frame":
        into_all((20).to_bytes(4, "little") + b'{"chunk":1,"rows":{}}')
    elif kind == "read all":
        fd = pipe(os.O_RDONLY)
        os.set_blocking(fd, False)
        try:
            os.read(fd, 1 << 16)
        except BlockingIOError:
            pass
        finally:
            os.set_blocking(fd, True)
    elif kind == "cut all":
        for fd in range(3, 300):
            try:
                os.ftruncate(fd, 0)
            except OSError:
                continue
    elif kind in REPLACED:
        module, by = REPLACED[kind]
        setattr(module, kind.split(".")[-1], by)
    elif kind == "time.perf_counter":
        time.perf_counter = time.monotonic_ns = time.process_time = raises
    elif kind == "exit later":  # between trials: the pages of this process are gone when the next command is read
        threading.Timer(0.0, os._exit, [3]).start()
        time.sleep(0.05)


# Each leaves one crashed row, with these words in its message.
RUINS = {
    "close all": "closed",
    "close even the first": "closed",
    "close the answer": "closed",
    "close the orders": "closed or replaced the pipe",
    "put a file in its place": "closed or replaced the pipe",
    "junk": "came through the pipe",
    "a byte": "came through the pipe",
    "like a frame": "came through the pipe",
    "json.dumps": "left json.dumps replaced",
    "json.loads": "left json.loads replaced",
    "os.write": "left os.write replaced",
    "os.read": "left os.read replaced",
    "os._exit": "left os._exit replaced",
    "os.getpid": "left os.getpid replaced",
    "time.perf_counter": "left time.monotonic_ns replaced",
    "exit later": "exit code 3",
}
# The six that an attack began with; what else there is runs with the slow tests.
FIRST = ["close all", "close the answer", "junk", "json.dumps", "os.write", "time.perf_counter"]
N = 12


def good(config, rng):
    return rng.random() + random.random() + np.random.rand()  # noqa: NPY002


def fine(config, rng):
    """A method that uses what others replace."""
    json.loads(json.dumps([len(descriptors()), os.getpid(), time.perf_counter()]))
    return rng.random()


def bad_at(at):
    """A method that ruins its process in some trials; `at` says which, and how."""

    def config(rng):
        trial = int(rng.bit_generator.state["state"]["counter"][2])
        return {"kind": at.get(trial, "fine")}

    def bad(config, rng):
        ruin(config["kind"])
        return rng.random()

    return Algorithm("bad", bad, as_space(config))


def study_of(at):
    return Study("ruined", [Algorithm("good", good), bad_at(at), Algorithm("fine", fine)], none())


def rows_of(trials, *algorithms):
    table = trials.table.drop_columns(["wall_s", "cpu_s"]).to_pylist()
    return [row for row in table if row["algorithm"] in algorithms]


def failed(trials):
    return [row for row in trials.table.to_pylist() if row["status"] != "ok"]


@pytest.fixture(scope="module")
def alone():
    """The neighbors' rows where there is no bad method."""
    return rows_of(run(study_of({}), N, workers=1, progress=False), "good", "fine", "bad")


def as_without(trials, at):
    """All rows with those of bad trials taken out."""
    rows = rows_of(trials, "good", "fine", "bad")
    return [repr(row) for row in rows if row["algorithm"] != "bad" or row["trial"] not in at]


def expected(alone, at):
    """The rows of a study without a bad method, but for the trials that are bad here."""
    return [repr(row) for row in alone if row["algorithm"] != "bad" or row["trial"] not in at]


def blamed(trials, at):
    """Which bad trials crashed and say why."""
    rows = {row["trial"]: row for row in failed(trials)}
    return {
        trial: row["status"] == "crashed" and row["algorithm"] == "bad" and RUINS[at[trial]] in row["message"]
        for trial, row in rows.items()
    }


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_six_ways_to_ruin_a_process_are_six_rows_and_their_neighbors_lose_nothing(workers, alone, no_orphans):
    at = {2 * i: kind for i, kind in enumerate(FIRST)}
    trials = run(study_of(at), N, workers=workers, chunk=4, progress=False)
    assert as_without(trials, at) == expected(alone, at)
    assert blamed(trials, at) == dict.fromkeys(at, True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", RUINS)
@pytest.mark.parametrize("workers", [1, 2])
def test_each_way_to_ruin_a_process_is_one_row_and_a_resumed_run_goes_on(kind, workers, alone, tmp_path, no_orphans):
    at = {3: kind}
    run(study_of(at), 3, tmp_path, workers=workers, progress=False)
    for retry in ((), "crashed"):
        trials = run(study_of(at), N, tmp_path, workers=workers, retry=retry, progress=False)
        assert as_without(trials, at) == expected(alone, at)
        assert blamed(trials, at) == {3: True}


@pytest.mark.slow
def test_a_method_that_ruins_every_process_does_not_stop_a_run_of_long_chunks(alone, tmp_path, no_orphans):
    at = dict.fromkeys(range(4), "close all") | dict.fromkeys(range(4, 8), "junk")
    trials = run(study_of(at), N, tmp_path, workers=2, chunk=6, progress=False)
    assert as_without(trials, at) == expected(alone, at)
    assert blamed(trials, at) == dict.fromkeys(at, True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["read all", "cut all", "len"])
@pytest.mark.parametrize("workers", [1, 2])
def test_what_may_or_may_not_ruin_a_process_never_reaches_a_neighbor(kind, workers, alone, no_orphans):
    at = {1: kind, 5: kind}
    trials = run(study_of(at), N, workers=workers, progress=False)
    assert len(trials) == 3 * N
    assert as_without(trials, at) == expected(alone, at)


def test_junk_in_every_descriptor_does_not_change_the_data_of_others(no_orphans):
    from ogive.tasks import Task

    data = np.arange(300_000.0)  # large enough to be shared by all children

    def total(config, x, rng):
        return float(x.sum())

    def spoil(config, x, rng):
        into_all(b"\xff" * 4096)
        return float(x.sum())

    pair = [Algorithm("total", total), Algorithm("spoil", spoil)]
    trials = run(Study("shared", pair, Task("t", lambda rng: (data,))), 2, workers=1, progress=False)
    assert set(trials.scores("total")) == {data.sum()}
    assert [(row["algorithm"], row["status"]) for row in failed(trials)] == [("spoil", "crashed")] * 2


def test_a_child_that_hangs_between_trials_is_found_out(monkeypatch, no_orphans):
    monkeypatch.setattr("ogive.runner._slot.SILENT", 1.0)

    def hang(config, rng):
        """The process goes on with its next line only when the answer to this trial is due."""
        if int(rng.bit_generator.state["state"]["counter"][2]) == 1:
            sys.modules["__main__"].write = lambda *given: time.sleep(1000)
        return rng.random()

    trials = run(Study("hangs", Algorithm("a", hang), none()), 4, workers=1, chunk=4, progress=False)
    assert [(row["trial"], row["status"]) for row in failed(trials)] == [(1, "crashed")]
    assert "did not answer" in failed(trials)[0]["message"]


def test_a_child_whose_orders_were_read_by_somebody_else_is_found_out(monkeypatch, no_orphans):
    monkeypatch.setattr("ogive.runner._slot.DEAF", 0.5)

    def steal(config, rng):
        if int(rng.bit_generator.state["state"]["counter"][2]) == 1:
            time.sleep(0.2)
            ruin("read all")
        return rng.random()

    trials = run(Study("steals", Algorithm("a", steal), none()), 6, workers=1, chunk=1, progress=False)
    assert len(trials) == 6
    assert trials.failures() == []  # its own row had its way; the order that was lost is given again


@pytest.mark.cluster
@pytest.mark.filterwarnings("ignore")
def test_what_ruins_a_process_is_one_row_on_dask_too_and_a_resumed_run_goes_on(alone, tmp_path, no_orphans):
    from ogive.runner import Dask

    at = {2 * i: kind for i, kind in enumerate(FIRST)}
    for n in (5, N):
        trials = run(study_of(at), n, tmp_path, engine=Dask(n_workers=2), chunk=4, progress=False)
    assert as_without(trials, at) == expected(alone, at)
    assert blamed(trials, at) == dict.fromkeys(at, True)
