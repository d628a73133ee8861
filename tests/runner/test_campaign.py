"""Kills by the hundred while rows are being made: the end is the same, and nothing is left.

    OGIVE_KILLS=100 pytest -m slow tests/runner/test_campaign.py

kills the driver so many times and workers half as often; without it a small number does.
"""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ogive.runner import run
from ogive.store import Store, is_store

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("OGIVE_KILLS", "8"))
ROWS = 300  # for each kill; the driver must not come to its end between two
MARK = f"{1000 + os.getpid() / 1e7:.7f}"  # as the command of a process that only this campaign starts
DRIVER = """
import os, subprocess, sys, time
import numpy as np
from ogive.algorithms import Algorithm
from ogive.runner import run, _gather
from ogive.spaces import loguniform
from ogive.study import Study
from ogive.tasks import Task

_gather.SECONDS = 0.05
data = np.arange(200_000.0)  # shared by all children through a file
left = []

def f(config, x, rng):
    inside = "OGIVE_INSIDE_CHILD" in os.environ
    if rng.random() < 0.02 and inside:  # in a session of its own, and still there when its parent is killed
        left.append(subprocess.Popen(["sleep", "MARK"], start_new_session=True))
    if inside:
        time.sleep(0.004)
    return float(x[:10].sum()) * config["C"] + rng.random()

study = Study("killed", [Algorithm(n, f, {"C": loguniform(0.1, 10)}) for n in "ab"], Task("t", lambda rng: (data,)))
if __name__ == "__main__":
    run(study, int(sys.argv[2]), sys.argv[1], workers=2, progress=False)
    print("finished")
""".replace("MARK", MARK)


@pytest.fixture
def start(tmp_path: Path, script_environment):
    (tmp_path / "driver.py").write_text(DRIVER)
    (tmp_path / "temporary").mkdir()
    started = []

    def begin(n: int) -> subprocess.Popen[str]:
        command = [sys.executable, str(tmp_path / "driver.py"), str(tmp_path / "out"), str(n)]
        environment = {**script_environment, "TMPDIR": str(tmp_path / "temporary")}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def rows(path: Path) -> int:
    if not is_store(path) or not (path / "trials").is_dir():
        return 0
    return sum(done.trials.size for done in Store(path).finished().values())


def grown(process: subprocess.Popen[str], path: Path, than: int) -> int:
    """How many rows there are once there are more than before."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (now := rows(path)) > than:
            return now
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("no progress in two minutes")


def left_behind() -> list[str]:
    """Processes of trials, children and guardians without a driver."""
    found = []
    for process in psutil.process_iter(["pid", "ppid", "cmdline"]):
        line = process.info["cmdline"] or []
        child = "ogive.runner._child" in line and int(line[line.index("ogive.runner._child") + 1])
        orphan = child and not psutil.pid_exists(child)
        if MARK in line or orphan or ("ogive-guardian" in line and process.info["ppid"] == 1):
            found.append(" ".join(line))
    return found


def nothing_left(seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while (there := left_behind()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert there == []
    return True


def check_end(tmp_path: Path, process: subprocess.Popen[str], n: int, content) -> None:
    said, errors = process.communicate(timeout=600)
    assert said.strip() == "finished", errors
    namespace = {"__name__": "driver"}
    exec(compile(DRIVER, "driver", "exec"), namespace)
    trials = Store(tmp_path / "out").trials()
    assert trials.failures() == []
    assert content(trials) == content(run(namespace["study"], n, workers=0, progress=False))
    assert nothing_left()
    assert list((tmp_path / "temporary").iterdir()) == []
    assert Store(tmp_path / "out").verify().sound


def test_a_driver_killed_while_rows_grow_ends_with_the_same_table(start, tmp_path, content):
    n, done, rng = ROWS * KILLS // 2, 0, random.Random(1)
    for _ in range(KILLS):
        process = start(n)
        done = grown(process, tmp_path / "out", done)
        time.sleep(rng.random() * 0.1)
        assert process.poll() is None, "the driver came to its end before it was killed"
        process.kill()
        process.communicate()
        done = rows(tmp_path / "out")
    assert nothing_left()
    check_end(tmp_path, start(n), n, content)


def test_workers_killed_while_rows_grow_leave_the_same_table(start, tmp_path, content):
    kills, killed, done, rng = max(4, KILLS // 2), 0, 0, random.Random(2)
    n = ROWS * kills // 2
    process = start(n)
    while killed < kills:
        done = grown(process, tmp_path / "out", done)
        time.sleep(rng.random() * 0.3)
        children = [
            child for child in psutil.Process(process.pid).children() if "ogive.runner._child" in child.cmdline()
        ]
        killed += bool(children)
        if children:
            rng.choice(children).kill()
        done = rows(tmp_path / "out")
    assert process.poll() is None, "the driver came to its end before all kills"
    check_end(tmp_path, process, n, content)
