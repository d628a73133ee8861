"""What kills, hangs, eats or floods gets one row of its own; its neighbours lose nothing."""

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
    if kind == "hog":
        held = []
        while True:
            held.append(bytearray(20_000_000))
            time.sleep(0.002)
    if kind == "raise":
        raise RuntimeError("no\nluck")
    if kind == "flood":
        for _ in range(500):
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


KINDS = ["segfault", "exit", "loop", "hog", "raise", "flood", "child", "fork", "fork_and_return", "nan", "text", "memory", "leave", "interrupt"]  # fmt: skip
STATUS = {"segfault": "crashed", "exit": "crashed", "loop": "timeout", "hog": "memory", "raise": "error", "nan": "invalid",
          "text": "invalid", "memory": "memory", "leave": "error", "interrupt": "error"}  # fmt: skip


def poisoned(kinds: list[str]) -> Study:
    """Trial 3 i is the i-th kind, all others are harmless."""

    def config(rng):
        # the configuration is a pure function of the trial: the stream's counter says which one this is
        trial = int(rng.bit_generator.state["state"]["counter"][2])
        kind = kinds[trial // 3] if trial % 3 == 0 and trial // 3 < len(kinds) else "fine"
        return {"kind": kind}

    return Study("poison", Algorithm("a", poison, as_space(config)), none())


@pytest.fixture(scope="module")
def trials():
    limits = {"wall_limit": 1.5, "memory_limit": "400MB"}
    return run(poisoned(KINDS), 3 * len(KINDS), workers=2, progress=False, **limits)


def test_each_poison_is_one_row_with_its_status_and_no_neighbour_is_lost(trials, no_orphans):
    rows = {row["trial"]: row for row in trials.table.to_pylist()}
    assert sorted(rows) == list(range(3 * len(KINDS)))
    for trial, row in rows.items():
        kind = KINDS[trial // 3] if trial % 3 == 0 else "fine"
        assert row["status"] == STATUS.get(kind, "ok"), (kind, row)
        assert f'"{kind}"' in row["params"]


def test_messages_say_what_happened_in_one_line(trials):
    said = {f["message"] for f in trials.failures()}
    assert any("SIGSEGV" in m and "in poison, test_poison.py" in m for m in said)
    assert "the process ended with exit code 0" in said
    assert "wall limit of 1.5 s" in said
    assert "memory limit of 400 MB" in said
    assert "RuntimeError: no luck" in said
    assert "metric 'score' is nan." in said
    assert "SystemExit: 1" in said
    assert all("\n" not in m and len(m) <= 500 for m in said)


def test_nothing_that_a_trial_left_behind_survives_the_run(trials):
    assert not [p for p in psutil.process_iter(["cmdline"]) if "1000.25" in (p.info["cmdline"] or ())]


def test_neighbours_of_poison_have_the_scores_of_a_harmless_run(trials):
    harmless = run(poisoned([]), 3 * len(KINDS), workers=0, progress=False)
    expected = dict(zip(harmless.table["trial"].to_pylist(), harmless.table["score"].to_pylist(), strict=True))
    for row in trials.table.to_pylist():
        if row["status"] == "ok":
            assert row["score"] == expected[row["trial"]]


def burn(config, rng):
    if rng.random() < 0.2:
        while True:
            pass
    return 1.0


def test_a_cpu_limit_is_a_timeout_of_that_trial(no_orphans):
    trials = run(Study("burn", Algorithm("a", burn), none(), seed=1), 6, workers=1, cpu_limit=0.2, progress=False)
    said = {(f["status"], f["message"]) for f in trials.failures()}
    assert said == {("timeout", "CPU limit of 0.2 s")}
    slow = [r for r in trials.table.to_pylist() if r["status"] != "ok"]
    assert all(0.15 < row["wall_s"] < 3 for row in slow)


class DiesWhenWarm:
    def __call__(self, config, rng):
        return 1.0

    def warm_up(self):
        if "OGIVE_INSIDE_CHILD" in os.environ:
            os._exit(7)


def test_deaths_outside_any_trial_stop_the_run_and_blame_nobody(no_orphans):
    with pytest.raises(RunStopped, match=r"died 3 times outside any trial \(the process ended with exit code 7\)"):
        run(Study("dies", Algorithm("a", DiesWhenWarm()), none()), 5, workers=2, progress=False)


class SlowToWarm(DiesWhenWarm):
    def warm_up(self):
        if "OGIVE_INSIDE_CHILD" in os.environ:
            time.sleep(60)


def test_a_warm_up_that_takes_too_long_stops_the_run(monkeypatch, no_orphans):
    monkeypatch.setattr("ogive.runner._slot.WARM_UP_LIMIT", 2.0)
    with pytest.raises(RunStopped, match="took more than 2 s to load the study and warm up"):
        run(Study("slow", Algorithm("a", SlowToWarm()), none()), 5, workers=1, progress=False)


def greedy(config, rng):
    return float(len(bytearray(2_000_000_000)))


def test_a_hard_memory_limit_raises_in_the_trial_itself(monkeypatch, no_orphans):
    if sys.platform != "linux":
        pytest.skip("RLIMIT_DATA counts mapped memory on Linux only")
    monkeypatch.setenv("OGIVE_HARD_MEMORY_LIMIT", "1")
    trials = run(Study("greedy", Algorithm("a", greedy), none()), 2, workers=1, memory_limit="1GB", progress=False)
    assert [(f["status"], f["message"]) for f in trials.failures()] == [("memory", "MemoryError")]


def once(config, rng):
    """Crashes its process unless it is the first trial there: as if another trial had ruined it."""
    ruined = getattr(os, "_ogive_ruined", 0)
    os._ogive_ruined = ruined + 1
    if ruined == 3:
        os.kill(os.getpid(), 11)
    return rng.random()


def test_a_trial_that_crashes_only_after_others_is_tried_alone_and_not_blamed(no_orphans):
    trials = run(Study("once", Algorithm("a", once), none()), 6, workers=1, chunk=6, progress=False)
    assert trials.failures() == []
    assert len(trials) == 6


def garbage(config, rng):
    if rng.random() < 0.3:
        for fd in range(3, 40):
            try:
                os.write(fd, b"\xff" * 64)
            except OSError:
                continue
    return 1.0


def test_a_child_that_writes_nonsense_into_every_pipe_cannot_hurt_the_run(no_orphans):
    # nonsense is nobody's trial for certain, so the run may stop; it must neither hang nor take it for rows
    with contextlib.suppress(RunStopped):
        trials = run(Study("garbage", Algorithm("a", garbage), none()), 10, workers=1, progress=False)
        assert len(trials) == 10


def test_memory_of_grandchildren_counts(no_orphans):
    def heavy(config, rng):
        subprocess.run(
            [sys.executable, "-c", "import time; x = bytearray(300_000_000); x[::4096] = x[::4096]; time.sleep(60)"]
        )
        return 1.0

    trials = run(Study("heavy", Algorithm("a", heavy), none()), 1, workers=1, memory_limit="300MB", progress=False)
    assert [f["status"] for f in trials.failures()] == ["memory"]
