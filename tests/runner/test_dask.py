"""The same table on Dask, though workers die; and no network without TLS."""

import json
import os
import signal
import threading
import time

import psutil
import pyarrow.parquet as pq
import pytest

from ogive.algorithms import Algorithm
from ogive.errors import InputError
from ogive.notes import NoteKind
from ogive.runner import Dask, RunStopped, _dask, _wire, run
from ogive.runner._gather import Gatherer
from ogive.runner._plan import Chunk, Limits, missing
from ogive.runner._run import Settings
from ogive.runner._source import Job
from ogive.runner._trial import Row
from ogive.spaces import loguniform
from ogive.store import Store, versions_here
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


def by_order(config, rng):
    """A score that depends on the order of a set of text."""
    return float("".join(str(ord(c)) for c in {"a", "b", "c", "d", "e", "f"}))


def steadily(config, rng):
    time.sleep(0.01)
    return rng.random() * config["C"]


def one_long(config, rng):
    """A trial with a good score takes its time."""
    score = rng.random()
    time.sleep(6.0 if score > 0.9 else 0.001)
    return score


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
    with pytest.raises(InputError, match="without TLS"):
        Dask(address)
    assert Dask(address, insecure_network=True).where == address


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "localhost:8786", "tcp://[::1]:8786"])
def test_this_machine_is_accepted(address):
    assert Dask(address).where == address


def test_what_is_no_address_is_refused():
    with pytest.raises(InputError, match=r"`address`.*int"):
        Dask(5)


def settings(**changes):
    rest = {
        "n_trials": 3,
        "chunk": None,
        "limits": Limits(),
        "statistic": "mean",
        "workers": None,
        "engine": None,
        "gpus": None,
    }
    return Settings.checked(**{**rest, **changes})


def test_the_number_of_workers_is_that_of_the_cluster_which_is_started():
    assert settings(engine="dask", workers=8).engine.n_workers == 8
    assert settings(engine=Dask(), workers=3).engine.n_workers == 3
    assert settings(engine=Dask(n_workers=5)).engine.n_workers == 5
    assert settings(engine="dask").engine.n_workers >= 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"engine": "dask", "workers": 0}, "`workers` 0 runs in this process"),
        ({"engine": Dask("tcp://127.0.0.1:8786"), "workers": 4}, "has its own; got 4"),
        ({"engine": Dask(n_workers=2), "workers": 4}, "say one of them"),
        ({"engine": "dask", "gpus": "0,1"}, "`gpus` are given to worker processes of this machine"),
        ({"workers": 0, "gpus": "0"}, "`gpus` are given to worker processes of this machine"),
    ],
)
def test_what_a_cluster_cannot_follow_is_refused_and_not_ignored(changes, words):
    with pytest.raises(InputError, match=words):
        settings(**changes)
    with pytest.raises(InputError, match=r"`n_workers`.*True"):
        Dask(n_workers=True)


def test_rows_carry_the_limits_and_libraries_of_the_worker_that_made_them(tmp_path):
    study = Study("d", Algorithm("a", steadily, SPACE), none())
    store = Store(tmp_path)
    store.create(study.record())
    limits = Limits(wall=9.0)
    engine = _dask.DaskEngine(Dask(n_workers=1), Job({}, b""), missing([("a", "none")], 4, {}), limits, None)
    gatherer = Gatherer(store, limits.record(), study.group)
    for trial, memory, numpy in ((0, 10**9, "1.0"), (1, 2 * 10**9, "2.0"), (2, 10**9, "1.0")):
        batch = _wire.encode(_wire.batch_of([Row(trial, params="{}", scores={"score": 1.0})]))
        answer = {"batches": [batch], "seconds": 1.0, "memory": memory, "libraries": {"numpy": numpy}}
        for names, made in engine._rows(Chunk(0, ("a", "none"), [trial]), answer):
            gatherer.add(names, made)
    lost = _wire.batch_of([Row(3, "crashed", "worker lost")])
    gatherer.add(("a", "none"), lost)
    assert sum(len(batch) for _, batch in gatherer.write()) == 4
    said = [json.loads(pq.read_metadata(path).metadata[b"ogive"]) for path in (tmp_path / "trials").iterdir()]
    found = {
        (part["limits"].get("memory_limit"), *(v.get("numpy") for v in part["versions"].values())) for part in said
    }
    assert found == {(10**9, "1.0"), (2 * 10**9, "2.0"), (None, versions_here()[1]["numpy"])}
    assert all(part["limits"]["wall_limit"] == 9.0 for part in said)
    assert all(set(part["versions"]) <= set(store.table()["versions"].to_pylist()) for part in said)


def test_children_that_nobody_asks_for_are_ended_after_a_while(monkeypatch):
    monkeypatch.setattr(_dask, "IDLE", 0.08)
    closed = []

    class Idle:
        def close(self, kill):
            closed.append(kill)

    for key in ("one", "one", "other"):
        _dask._give_back(key, Idle())
    deadline = time.monotonic() + 10
    while (len(closed) < 3 or _dask._sweeping) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert closed == [True] * 3
    assert _dask._slots == {}
    assert not _dask._sweeping


def test_a_slot_that_was_given_back_is_used_again(monkeypatch):
    monkeypatch.setattr(_dask, "_sweeping", True)
    first, second = object(), object()
    for slot in (first, second):
        _dask._give_back("key", slot)
    assert {_dask._borrow("key", ("", b"", "")), _dask._borrow("key", ("", b"", ""))} == {first, second}
    assert _dask._slots == {}


@quiet
@pytest.mark.cluster
def test_a_scheduler_that_does_not_answer_stops_the_run(monkeypatch):
    monkeypatch.setattr("ogive.runner._cluster.ANSWER", 3.0)
    with pytest.raises(RunStopped, match="no Dask scheduler lets us in at "):  # why depends on how far it came in 3 s
        run(Study("d", Algorithm("a", steadily, SPACE), none()), 2, engine=Dask("tcp://127.0.0.1:9"), progress=False)


@quiet
@pytest.mark.cluster
def test_the_table_is_the_same_on_dask_and_nothing_is_left(content, no_orphans):
    study = Study("d", [Algorithm("a", slowly, SPACE), Algorithm("b", steadily, SPACE)], none())
    local = run(study, 60, workers=2, progress=False)
    assert {f["status"] for f in local.failures()} == {"crashed"}
    for chunk in (None, 7):
        there = run(study, 60, engine=Dask(n_workers=2), chunk=chunk, progress=False)
        assert content(there) == content(local)
        assert any(
            "memory_limit" in limit for n in there.notes if n.kind is NoteKind.LIMITS for limit in n.values["limits"]
        )  # implied by the workers, and recorded
    assert dask_workers() == []


@quiet
@pytest.mark.cluster
def test_a_trial_that_runs_far_beyond_the_others_is_named_on_dask(monkeypatch, caplog):
    monkeypatch.setattr("ogive.runner._progress.SOON", 1.0)
    study = Study("slow", Algorithm("a", one_long), none(), seed=7)
    scores = [study.cell("a", "none").rng(i).random() for i in range(12)]
    [expected] = [i for i, score in enumerate(scores) if score > 0.9]
    seen = []
    with caplog.at_level("WARNING", logger="ogive"):
        run(study, 12, engine=Dask(n_workers=2), chunk=1, progress=seen.append)
    assert {note.values["trial"] for progress in seen for note in progress.slow} == {expected}
    assert f"trial {expected} of 'a' on 'none' has been running" in caplog.text
    assert seen[-1].slow == ()


@quiet
@pytest.mark.cluster
def test_sets_have_the_same_order_on_dask_where_the_nanny_has_another_hash_seed(content):
    study = Study("sets", Algorithm("a", by_order), none())
    local = run(study, 2, workers=1, progress=False)
    assert content(run(study, 2, engine="dask", workers=1, progress=False)) == content(local)


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
