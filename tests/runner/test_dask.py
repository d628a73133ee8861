"""The same table on Dask, though workers die; and no network without TLS."""

import os
import signal
import threading
import time

import psutil
import pytest

from ogive.algorithms import Algorithm
from ogive.errors import InputError
from ogive.runner import Dask, RunStopped, run
from ogive.spaces import loguniform
from ogive.study import Study
from ogive.tasks import none

SPACE = {"C": loguniform(0.1, 10)}
# distributed opens sockets and loops that it closes at leisure
quiet = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def slowly(config, rng):
    time.sleep(0.005)
    if config["C"] > 9:
        os._exit(1)
    return rng.random() * config["C"]


def steadily(config, rng):
    time.sleep(0.01)
    return rng.random() * config["C"]


def dask_workers() -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        line = " ".join(process.info["cmdline"] or ())
        if "dask" in line and "spec" in line:
            found.append(process)
    return found


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.5:8786", "10.0.0.5:8786", "tcp://example.org:8786", "ws://10.1.1.1:80"]
)
def test_a_network_without_tls_is_refused(address):
    with pytest.raises(InputError, match="leaves this machine without TLS"):
        Dask(address)
    assert Dask(address, insecure_network=True).where == address


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "localhost:8786", "tcp://[::1]:8786", "tls://10.0.0.5:8786"]
)
def test_this_machine_and_tls_are_accepted(address):
    assert Dask(address).where == address


def test_what_is_no_address_is_refused():
    with pytest.raises(InputError, match="`address` must be text or a Dask cluster; got int"):
        Dask(5)


@quiet
@pytest.mark.cluster
def test_a_scheduler_that_does_not_answer_stops_the_run():
    with pytest.raises(RunStopped, match="no Dask scheduler answers at"):
        run(Study("d", Algorithm("a", steadily, SPACE), none()), 2, engine=Dask("tcp://127.0.0.1:9"), progress=False)


@quiet
@pytest.mark.cluster
def test_the_table_is_the_same_on_dask_and_nothing_is_left(content, no_orphans):
    study = Study("d", [Algorithm("a", slowly, SPACE), Algorithm("b", steadily, SPACE)], none())
    local = run(study, 60, workers=2, progress=False)
    assert {f["status"] for f in local.failures()} == {"crashed"}
    for chunk in (None, 7):
        assert content(run(study, 60, engine=Dask(n_workers=2), chunk=chunk, progress=False)) == content(local)
    assert dask_workers() == []


@quiet
@pytest.mark.cluster
def test_a_worker_killed_in_mid_run_loses_nothing(content, no_orphans):
    study = Study("d", Algorithm("a", steadily, SPACE), none())
    killed = []

    def kill_one() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and len(killed) < 2:
            for nanny in dask_workers():
                for worker in nanny.children():
                    # a worker that has a child of ours is at work
                    busy = any("ogive.runner._child" in " ".join(p.cmdline()) for p in worker.children())
                    if busy and worker.pid not in killed and len(killed) < 2:
                        time.sleep(0.3)
                        os.kill(worker.pid, signal.SIGKILL)
                        killed.append(worker.pid)
            time.sleep(0.1)

    thread = threading.Thread(target=kill_one, daemon=True)
    thread.start()
    trials = run(study, 800, engine="dask", chunk=40, progress=False)
    thread.join()
    assert len(killed) == 2
    assert trials.failures() == []
    assert content(trials) == content(run(study, 800, workers=2, progress=False))
