"""What the tests of the runner share."""

import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from ogive.trials import Trials


@pytest.fixture(scope="package", autouse=True)
def functions_of_tests_travel_by_value(repository: Path):
    """As those of a notebook do. `python -m pytest` makes tests importable, and each child would load pytest with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [entry for entry in sys.path if Path(entry).resolve() != repository])
        yield


@pytest.fixture
def content() -> Callable[[Trials], str]:
    """A digest of a table, durations aside."""

    def digest(trials: Trials) -> str:
        rows = trials.table.drop_columns(["wall_s", "cpu_s"]).to_pylist()
        return hashlib.sha256(repr(rows).encode()).hexdigest()

    return digest


def orphans() -> set[int]:
    """Children and guardians of this process, or of a process that is gone; those of other runs are not ours."""
    found = set()
    for process in psutil.process_iter(["pid", "ppid", "cmdline"]):
        line = process.info["cmdline"] or []
        if "ogive.runner._child" in line:
            parent = int(line[line.index("ogive.runner._child") + 1])
            if parent == os.getpid() or not psutil.pid_exists(parent):
                found.add(process.info["pid"])
        elif "ogive-guardian" in line and process.info["ppid"] in (1, os.getpid()):
            found.add(process.info["pid"])
    return found


@pytest.fixture
def no_orphans():
    """Fails when a child or guardian that was started meanwhile is still there a moment later."""
    before = orphans()
    yield
    deadline = time.monotonic() + 5
    while (left := orphans() - before) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left, [psutil.Process(pid).cmdline() for pid in left if psutil.pid_exists(pid)]


@pytest.fixture
def script_environment(repository: Path) -> dict[str, str]:
    """The environment of a script that a test starts."""
    return {**os.environ, "PYTHONPATH": str(repository / "src")}
