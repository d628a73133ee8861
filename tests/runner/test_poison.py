"""What kills, hangs, eats or floods gets one row of its own; its neighbors lose nothing."""

import contextlib
import ctypes
import os
import subprocess
import sys
import time

import psutil
import pytest

from ogive.algorithms import Algorithm
from ogive.runner import RunStopped, run
from ogive.spaces import as_space
from ogive.study import Study
from ogive.tasks import none


def poison(config, rng):
    kind = config["kind"]
    if kind == "segfault":
        ctypes.string_at(0)
    if kind == "exit":
        os._exit(0)
    if kind == "loop":
        while True:
            pass
    if kind == "hang":
        time.sleep(1000)
    if kind == "hog":
        held = []
        while True:
            held.append(bytearray(40_000_000))
            time.sleep(0.01)
    if kind == "raise":
        raise RuntimeError("no\nluck")
    if kind == "flood":
        for _ in range(60):
            sys.stdout.write("x" * 100_000)
            sys.stderr.write("y" * 100_000)
    if kind == "child":
        subprocess.Popen(["sleep", "1000.25"])
    if kind == "fork" and os.fork() == 0:
        time.sleep(1000)
    if kind == "fork_and_return":
        os.fork()
    if kind == "nan":
        return float("nan")
    if kind == "text":
        return "good"
    if kind == "memory":
        raise MemoryError
    if kind == "leave":
        sys.exit(1)
    if kind == "interrupt":
        raise KeyboardInterrupt
    return rng.random()


# Each of the first three ends its child, once or twice, and a child costs what a hundred thousand lines of Python cost.
FEW = ["segfault", "loop", "hog", "raise", "flood", "child", "fork_and_return", "nan", "text", "leave", "interrupt"]
ALL = [*FEW, "exit", "hang", "fork", "memory"]
STATUS = {"segfault": "crashed", "exit": "crashed", "loop": "timeout", "hang": "timeout", "hog": "memory", "raise": "error",
          "nan": "invalid", "text": "invalid", "memory": "memory", "leave": "error", "interrupt": "error"}  # fmt: skip
MESSAGES = {
    "segfault": "in poison, test_poison.py", "exit": "the process ended with exit code 0", "loop": "CPU limit of 0.5 s",
    "hang": "wall limit of 4 s", "hog": "memory limit of 250 MB", "raise": "RuntimeError: no luck",
    "nan": "metric 'score' is nan.", "leave": "SystemExit: 1", "memory": "MemoryError",
}  # fmt: skip


def poisoned(kinds: list[str]) -> Study:
    """Trial 3 i is the i-th kind, all others are harmless."""

    def config(rng):
        # the configuration is a pure function of the trial: the stream's counter says which one this is
        trial = int(rng.bit_generator.state["state"]["counter"][2])
        kind = kinds[trial // 3] if trial % 3 == 0 and trial // 3 < len(kinds) else "fine"
        return {"kind": kind}

    return Study("poison", Algorithm("a", poison, as_space(config)), none())


@pytest.fixture(scope="module", params=[pytest.param("few"), pytest.param("all", marks=pytest.mark.slow)])
def poison_run(request):
    kinds = {"few": FEW, "all": ALL}[request.param]
    # Only what hangs needs the wall limit; elsewhere a busy machine must not reach it before the others.
    limits = {"wall_limit": 4 if "hang" in kinds else 60, "cpu_limit": 0.5, "memory_limit": "250MB"}
    workers = 1 if request.param == "few" else 2
    trials = run(poisoned(kinds), 3 * len(kinds), workers=workers, progress=False, **limits)
    return kinds, {row["trial"]: row for row in trials.table.to_pylist()}


def test_each_poison_is_one_row_with_its_status_and_no_neighbor_is_lost(poison_run, no_orphans):
    kinds, rows = poison_run
    assert sorted(rows) == list(range(3 * len(kinds)))
    for trial, row in rows.items():
        kind = kinds[trial // 3] if trial % 3 == 0 else "fine"
        assert row["status"] == STATUS.get(kind, "ok"), (kind, row)
        assert f'"{kind}"' in row["params"]


def test_messages_say_what_happened_in_one_line(poison_run):
    kinds, rows = poison_run
    for i, kind in enumerate(kinds):
        said = rows[3 * i]["message"] or ""
        assert MESSAGES.get(kind, "") in said
        assert "\n" not in said
        assert len(said) <= 500
    assert "SIGSEGV" in rows[3 * kinds.index("segfault")]["message"]
    assert 0.4 < rows[3 * kinds.index("loop")]["wall_s"] < (5 if "hang" in kinds else 60)


def test_nothing_that_a_trial_left_behind_survives_the_run(poison_run):
    assert not [p for p in psutil.process_iter(["cmdline"]) if "1000.25" in (p.info["cmdline"] or ())]


def test_neighbors_of_poison_have_the_scores_of_a_harmless_run(poison_run):
    kinds, rows = poison_run
    harmless = run(poisoned([]), 3 * len(kinds), workers=0, progress=False)
    expected = dict(zip(harmless.table["trial"].to_pylist(), harmless.table["score"].to_pylist(), strict=True))
    for row in rows.values():
        if row["status"] == "ok":
            assert row["score"] == expected[row["trial"]]


class DiesWhenWarm:
    def __call__(self, config, rng):
        return 1.0

    def warm_up(self):
        if "OGIVE_INSIDE_CHILD" in os.environ:
            os._exit(7)


def test_deaths_outside_any_trial_stop_the_run_and_blame_nobody(no_orphans):
    with pytest.raises(RunStopped, match=r"3 times.*exit code 7"):
        run(Study("dies", Algorithm("a", DiesWhenWarm()), none()), 5, workers=1, progress=False)


class SlowToWarm(DiesWhenWarm):
    def warm_up(self):
        if "OGIVE_INSIDE_CHILD" in os.environ:
            time.sleep(60)


@pytest.mark.slow
def test_a_warm_up_that_takes_too_long_stops_the_run(monkeypatch, no_orphans):
    monkeypatch.setattr("ogive.runner._slot.WARM_UP_LIMIT", 2.0)
    with pytest.raises(RunStopped, match="2 s"):
        run(Study("slow", Algorithm("a", SlowToWarm()), none()), 5, workers=1, progress=False)


def greedy(config, rng):
    return float(len(bytearray(2_000_000_000)))


@pytest.mark.slow
def test_a_hard_memory_limit_raises_in_the_trial_itself(monkeypatch, no_orphans):
    if sys.platform != "linux":
        pytest.skip("RLIMIT_DATA counts mapped memory on Linux only")
    monkeypatch.setenv("OGIVE_HARD_MEMORY_LIMIT", "1")
    trials = run(Study("greedy", Algorithm("a", greedy), none()), 1, workers=1, memory_limit="1GB", progress=False)
    assert [(f["status"], f["message"]) for f in trials.failures()] == [("memory", "MemoryError")]


def test_a_trial_that_crashes_only_after_others_is_tried_alone_and_not_blamed(tmp_path, no_orphans):
    mark = tmp_path / "crashed"

    def once(config, rng):
        """Crashes after other trials, as if they had ruined the process; the second time it is alone."""
        os._ogive_ruined = getattr(os, "_ogive_ruined", 0) + 1
        if os._ogive_ruined == 3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), 11)
        return rng.random()

    trials = run(Study("once", Algorithm("a", once), none()), 4, workers=1, chunk=4, progress=False)
    assert mark.exists()
    assert trials.failures() == []
    assert len(trials) == 4


def garbage(config, rng):
    if int(rng.bit_generator.state["state"]["counter"][2]) == 1:
        for fd in range(3, 40):
            try:
                os.write(fd, b"\xff" * 64)
            except OSError:
                continue
    return 1.0


def test_a_child_that_writes_nonsense_into_every_pipe_cannot_hurt_the_run(no_orphans):
    # nonsense is nobody's trial for certain, so the run may stop; it must neither hang nor take it for rows
    with contextlib.suppress(RunStopped):
        trials = run(Study("garbage", Algorithm("a", garbage), none()), 3, workers=1, progress=False)
        assert len(trials) == 3


def test_memory_of_grandchildren_counts(no_orphans):
    def heavy(config, rng):
        subprocess.run(
            [sys.executable, "-c", "import time; x = bytearray(300_000_000); x[::4096] = x[::4096]; time.sleep(60)"]
        )
        return 1.0

    trials = run(Study("heavy", Algorithm("a", heavy), none()), 1, workers=1, memory_limit="300MB", progress=False)
    assert [f["status"] for f in trials.failures()] == ["memory"]
