"""Kills and signals: nothing acknowledged is lost, nothing is left running, and the end is the same."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from ogive.runner import run
from ogive.store import Store, is_store

pytestmark = pytest.mark.slow  # each starts processes or draws many configurations

DRIVER = """
import subprocess, sys, time
from ogive.algorithms import Algorithm
from ogive.runner import run, _gather
from ogive.spaces import loguniform
from ogive.study import Study
from ogive.tasks import none

_gather.SECONDS = 0.05
started = []

def f(config, rng):
    if not started:
        started.append(subprocess.Popen(["sleep", "1000.75"]))
    time.sleep(0.004)
    return rng.random() * config["C"]

study = Study("killed", [Algorithm(n, f, {"C": loguniform(0.1, 10)}) for n in "ab"], none())
if __name__ == "__main__":
    run(study, int(sys.argv[2]), sys.argv[1], workers=int(sys.argv[3]), progress=False)
    print("finished")
"""


@pytest.fixture
def driver(tmp_path: Path, script_environment):
    (tmp_path / "driver.py").write_text(DRIVER)

    def start(n: int, workers: int = 1) -> subprocess.Popen[str]:
        command = [sys.executable, str(tmp_path / "driver.py"), str(tmp_path / "out"), str(n), str(workers)]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=script_environment
        )

    return start


def rows(path: Path) -> int:
    if not is_store(path) or not (path / "trials").is_dir():
        return 0
    return sum(done.trials.size for done in Store(path).finished().values())


def wait_for_more(process, path: Path, than: int) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        if (now := rows(path)) > than:
            return now
        time.sleep(0.02)
    raise AssertionError("no progress in a minute")


def sleepers() -> list[int]:
    return [p.pid for p in psutil.process_iter(["cmdline"]) if "1000.75" in (p.info["cmdline"] or ())]


def none_left_soon() -> bool:
    deadline = time.monotonic() + 5
    while sleepers() and time.monotonic() < deadline:
        time.sleep(0.05)
    return not sleepers()


def expected(tmp_path: Path, n: int):
    """The uninterrupted table, without the marks that trials leave."""
    namespace = {"__name__": "driver"}
    text = DRIVER.replace("if not started:", "if False:").replace("time.sleep(0.004)", "pass")
    exec(compile(text, "driver", "exec"), namespace)
    return run(namespace["study"], n, workers=0, progress=False)


@pytest.mark.parametrize(
    ("kills", "n", "workers"),
    [pytest.param(1, 150, 1, id="once"), pytest.param(25, 12000, 2, id="often", marks=pytest.mark.slow)],
)
def test_a_driver_killed_again_and_again_ends_with_the_same_table(
    driver, tmp_path, content, no_orphans, kills, n, workers
):
    out, done = tmp_path / "out", 0
    for _ in range(kills):
        process = driver(n, workers)
        done = wait_for_more(process, out, done)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.communicate()
    assert done < 2 * n
    assert none_left_soon()
    process = driver(n, workers)
    said, errors = process.communicate(timeout=300)
    assert said.strip() == "finished", errors
    assert content(Store(out).trials()) == content(expected(tmp_path, n))
    assert none_left_soon()


@pytest.mark.slow  # the command line shows the same by default
def test_sigterm_finishes_what_is_under_way_and_keeps_it(driver, tmp_path, no_orphans):
    process = driver(4000)
    wait_for_more(process, tmp_path / "out", 0)
    process.terminate()
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0
    assert "KeyboardInterrupt: stopped after" in errors
    assert "the same call goes on" in errors
    assert 0 < rows(tmp_path / "out") < 8000
    assert Store(tmp_path / "out").verify().sound
    assert none_left_soon()


def test_a_second_signal_ends_at_once_even_a_trial_that_never_ends(tmp_path, script_environment, no_orphans):
    text = DRIVER.replace("time.sleep(0.004)", "time.sleep(1000)")
    (tmp_path / "driver.py").write_text(text)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "driver.py"), str(tmp_path / "out"), "5", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=script_environment,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not sleepers() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None  # a trial is under way, and is waited for
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    assert "KeyboardInterrupt: stopped after 0 of 10 trials" in errors
    assert none_left_soon()
