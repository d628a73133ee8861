"""What a trial leaves behind in its process ends with it."""

import decimal
import faulthandler
import gc
import locale
import logging
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
import zlib

import numpy as np
import psutil
import pytest

from ogive.algorithms import Algorithm
from ogive.runner import run
from ogive.spaces import as_space
from ogive.study import Study
from ogive.tasks import none

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at the process as Linux shows it")


def handler(number, frame):
    raise TimeoutError("an alarm of somebody else")


def leave(kind):
    if kind == "alarm":
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.03)
    elif kind == "deadly alarm":
        signal.setitimer(signal.ITIMER_REAL, 0.03)
    elif kind == "repeating timer":
        signal.signal(signal.SIGVTALRM, handler)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01, 0.01)
    elif kind == "handlers":
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD, signal.SIGINT):
            signal.signal(number, handler)
    elif kind == "mask":
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGTERM])
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR2)  # waits, and would end the process
    elif kind == "directory":
        os.chdir(tempfile.gettempdir())
    elif kind == "umask":
        os.umask(0o077)
    elif kind == "environment":
        os.environ["OGIVE_TEST_LEFT"] = "1"
        os.environ.pop("HOME", None)
    elif kind == "another environment":
        setattr(os, "environ", {})  # noqa: B010 - left so
    elif kind == "path":
        sys.path.insert(0, "/nowhere")
        sys.path = ["/nowhere"]
    elif kind == "recursion":
        sys.setrecursionlimit(200)
    elif kind == "warnings":
        warnings.simplefilter("error")
    elif kind == "numpy":
        np.seterr(all="raise")
    elif kind == "decimal":
        decimal.getcontext().prec = 3
    elif kind == "locale":
        locale.setlocale(locale.LC_ALL, "C.UTF-8" if locale.setlocale(locale.LC_ALL) == "C" else "C")
    elif kind == "limits":
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    elif kind == "streams":
        sys.stdout = sys.stderr = None
    elif kind == "seeding":
        np.random.seed = lambda *given: None
    elif kind == "sleep":
        time.sleep = lambda seconds: None
    elif kind == "trace":
        sys.setprofile(lambda *given: None)
    elif kind == "gc":
        gc.disable()
    elif kind == "dump":
        faulthandler.dump_traceback_later(0.05, exit=True, file=open(os.devnull, "w"))  # noqa: SIM115 - left so


KINDS = ["alarm", "deadly alarm", "repeating timer", "handlers", "mask", "directory", "umask", "environment",
         "another environment", "path", "recursion", "warnings", "numpy", "decimal", "locale", "limits", "streams",
         "seeding", "sleep", "trace", "gc", "dump"]  # fmt: skip


def portrait():
    """The state of the process."""
    umask = os.umask(0o22)
    os.umask(umask)
    return [
        [str(signal.getsignal(n)) for n in range(1, 32)], sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        [signal.getitimer(which)[0] > 0 for which in range(3)], os.getcwd(), umask,
        sorted(item for item in os.environ.items() if item[0] != "OGIVE_CHILD"),
        sys.path, sys.getrecursionlimit(), [str(f) for f in warnings.filters], sorted(np.geterr().items()),
        decimal.getcontext().prec, locale.setlocale(locale.LC_ALL), resource.getrlimit(resource.RLIMIT_NOFILE),
        resource.getrlimit(resource.RLIMIT_FSIZE), sys.stdout is None, sys.stderr is None,
        np.random.seed.__qualname__, time.sleep.__qualname__, sys.getprofile() is None, gc.isenabled(),
    ]  # fmt: skip


def looking(config, rng):
    start = time.monotonic()
    while time.monotonic() - start < 0.004:  # long enough for an alarm to hit one of them
        pass
    return float(zlib.crc32(repr(portrait()).encode()))


def leaving(kinds):
    def config(rng):
        return {"kind": kinds[int(rng.bit_generator.state["state"]["counter"][2]) % len(kinds)]}

    def untidy(config, rng):
        leave(config["kind"])
        return 1.0

    return Algorithm("untidy", untidy, as_space(config))


def study_of(kinds):
    return Study("leaves", [leaving(kinds), Algorithm("looking", looking)], none())


@pytest.mark.parametrize("workers", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("chunk", [1, pytest.param(7, marks=pytest.mark.slow)])
def test_what_a_trial_leaves_in_its_process_reaches_no_other(workers, chunk, no_orphans):
    run(study_of(["nothing"]), 1, workers=0, progress=False)  # libraries that it loads leave their marks
    before = portrait()
    kinds = [kind for kind in KINDS if workers or kind != "dump"]
    trials = run(study_of(kinds), 2 * len(kinds), workers=workers, chunk=chunk, progress=False)
    assert trials.failures() == []
    assert np.unique(trials.scores("looking")).size == 1
    assert portrait() == before


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_an_alarm_that_one_method_leaves_fails_none_of_forty_neighbors(workers, content, no_orphans):
    def short(config, rng):
        time.sleep(0.002)
        return rng.random()

    pair = [leaving(["alarm"]), Algorithm("short", short)]
    trials = run(Study("alarms", pair, none()), 40, workers=workers, progress=False)
    assert trials.failures() == []
    assert content(trials) == content(run(Study("alarms", pair, none()), 40, workers=0, progress=False))


def test_an_alarm_that_goes_off_in_its_own_trial_fails_that_trial_alone(no_orphans):
    def own(config, rng):
        if int(rng.bit_generator.state["state"]["counter"][2]) == 2:
            leave("alarm")
            time.sleep(1)
        return rng.random()

    for workers in (0, 1):
        trials = run(Study("own", Algorithm("a", own), none()), 5, workers=workers, progress=False)
        rows = {row["trial"]: row for row in trials.table.to_pylist()}
        assert [rows[i]["status"] for i in range(5)] == ["ok", "ok", "error", "ok", "ok"]
        assert rows[2]["message"] == "TimeoutError: an alarm of somebody else"


def test_an_alarm_of_the_program_around_a_run_in_this_process_goes_on():
    heard = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    signal.setitimer(signal.ITIMER_REAL, 5.0)
    try:
        run(study_of(["alarm", "directory"]), 4, workers=0, progress=False)
        assert 3.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 5.0
        assert signal.getsignal(signal.SIGALRM) is not handler
        assert heard == []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_closed_streams_are_opened_again(no_orphans):
    def closes(config, rng):
        if config["how"] == "stream":
            sys.stdout.close()
        elif config["how"] == "descriptor":
            os.close(1)
        else:
            sys.stderr.close()
        return 1.0

    def prints(config, rng):
        print("x" * 20_000, flush=True)  # noqa: T201 - goes nowhere
        sys.stderr.write("y")
        return 1.0

    space = {"how": ["stream", "descriptor", "errors"]}
    pair = [Algorithm("closes", closes, space), Algorithm("prints", prints)]
    trials = run(Study("streams", pair, none()), 12, workers=1, progress=False)
    assert trials.failures() == []


MARKS = {"plain": "1000.11", "session": "1000.12", "twice": "1000.13", "bare": "1000.14", "spawned": "1000.15"}
TWICE = "import os, subprocess, sys\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        os.execvp('sleep', ['sleep', sys.argv[1]])\n    os._exit(0)\n"


def sleepers():
    return [p.pid for p in psutil.process_iter(["cmdline"]) if {*MARKS.values()} & {*(p.info["cmdline"] or ())}]


def start(kind):
    if kind == "plain":
        subprocess.Popen(["sleep", MARKS[kind]])
    elif kind == "session":
        subprocess.Popen(["sleep", MARKS[kind]], start_new_session=True)
    elif kind == "twice":
        subprocess.run([sys.executable, "-c", TWICE, MARKS[kind]], check=True)
    elif kind == "bare":
        subprocess.Popen(["sleep", MARKS[kind]], start_new_session=True, env={})
    elif kind == "spawned":
        multiprocessing.get_context("fork").Process(target=os.execvp, args=("sleep", ["sleep", MARKS[kind]])).start()


def test_what_a_trial_started_ends_with_it_even_what_left_its_session_or_forked_twice(no_orphans):
    def starts(config, rng):
        start(config["kind"])
        return 1.0

    def counts(config, rng):
        deadline = time.monotonic() + 2  # an ended process is there for a moment
        while (n := len(psutil.Process().children(recursive=True))) and time.monotonic() < deadline:
            time.sleep(0.01)
        return float(n)

    pair = [Algorithm("starts", starts, {"kind": list(MARKS)}), Algorithm("counts", counts)]
    trials = run(Study("left", pair, none()), 14, workers=1, chunk=1, progress=False)
    assert trials.failures() == []
    assert set(trials.scores("counts")) == {0.0}
    assert not sleepers()


class Served:
    """Has a process beside it that was started when the study was loaded, for all trials."""

    def warm_up(self):
        if "OGIVE_INSIDE_CHILD" in os.environ:
            self.server = subprocess.Popen(["sleep", MARKS["session"]])

    def __call__(self, config, rng):
        start("plain")
        return float(self.server.poll() is None)


def test_what_a_study_started_when_it_was_loaded_outlives_its_trials_and_ends_with_the_run(no_orphans):
    trials = run(Study("served", Algorithm("a", Served()), none()), 6, workers=1, progress=False)
    assert set(trials.scores()) == {1.0}
    assert not sleepers()


def test_what_a_crashed_trial_started_ends_with_it(no_orphans):
    def starts(config, rng):
        for kind in ("plain", "session", "twice"):
            start(kind)
        os.kill(os.getpid(), signal.SIGSEGV)

    trials = run(Study("left", Algorithm("a", starts), none()), 1, workers=1, progress=False)
    assert [f["status"] for f in trials.failures()] == ["crashed"]
    assert not sleepers()


def test_a_copy_of_the_process_that_comes_back_does_not_go_on(tmp_path, no_orphans):
    def forks(config, rng):
        os.fork()
        return rng.random()

    study = Study("forks", Algorithm("a", forks), none())
    for workers in (0, 1):
        assert len(run(study, 4, tmp_path / str(workers), workers=workers, progress=False)) == 4
        with (tmp_path / "ends").open("a") as file:
            file.write("once\n")
    time.sleep(0.3)  # for copies, which would come here too
    assert (tmp_path / "ends").read_text() == "once\n" * 2


@pytest.mark.slow
def test_a_pool_that_a_library_keeps_for_the_next_call_is_left_alone(no_orphans):
    def pooled(config, rng):
        from joblib import Parallel, delayed

        return float(sum(Parallel(n_jobs=2)(delayed(abs)(i) for i in range(4))))

    trials = run(Study("pools", Algorithm("a", pooled), none()), 6, workers=1, progress=False)
    assert trials.failures() == []


@pytest.mark.parametrize("workers", [0, 1])
def test_threads_that_trials_leave_running_are_named_once(workers, caplog, no_orphans):
    def threads(config, rng):
        threading.Thread(target=time.sleep, args=(0.5,), name="beat", daemon=True).start()
        return 1.0

    with caplog.at_level(logging.WARNING, logger="ogive"):
        run(Study("threads", Algorithm("a", threads), none()), 4, workers=workers, progress=False)
    said = [record.getMessage() for record in caplog.records if "left threads running" in record.getMessage()]
    assert len(said) == 1
    assert "beat" in said[0]
    assert "'a'" in said[0]


def test_a_trial_that_removes_the_directory_of_its_process_is_a_failure_and_its_neighbors_are_not(tmp_path):
    def removes(config, rng):
        if int(rng.bit_generator.state["state"]["counter"][2]) == 1:
            os.rmdir(os.getcwd())
            os.chdir("/")
        return 1.0

    home = os.getcwd()
    os.chdir(tmp_path_for(tmp_path))
    try:
        trials = run(Study("removes", Algorithm("a", removes), none()), 3, workers=0, progress=False)
    finally:
        os.chdir(home)
    statuses = {row["trial"]: (row["status"], row["message"]) for row in trials.table.to_pylist()}
    assert statuses == {0: ("ok", None), 1: ("crashed", "the trial removed the working directory"), 2: ("ok", None)}


def tmp_path_for(tmp_path):
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def test_rows_that_an_untidy_trial_may_have_reached_are_made_again():
    """Short trials share one deep look; what it finds has been seen by those after the guilty one."""
    from ogive.runner._state import State

    state = State(own=False)
    for _ in range(3):
        state.put_back()
    os.chdir("/")
    state.put_back()
    assert state.redo == 0  # nobody has looked
    state.deep()
    assert state.redo == 4
    assert state.careful
