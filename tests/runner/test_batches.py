"""Algorithms that do many trials at once: same numbers, statuses for each trial, and nobody blamed for a neighbor."""

import os
import signal
import time

import numpy as np
import pytest

from ogive.algorithms import Algorithm, Series
from ogive.errors import InputError, InvalidScores
from ogive.runner import run
from ogive.runner._plan import Agenda, Missing
from ogive.seeding import stream
from ogive.spaces import uniform
from ogive.study import Study
from ogive.tasks import Task


class Together:
    """Adds a draw, a number and a configuration; some configurations fail, each in its own way."""

    batch = 64

    def __init__(self, harm="", pause=0.0):
        self.harm, self.pause = harm, pause

    def __call__(self, config, data, rng):
        (result,) = self.evaluate_many([config], [(data,)], [rng])
        if isinstance(result, Exception):
            raise result
        return result

    def evaluate_many(self, configs, draws, rngs):
        x = np.array([config["x"] for config in configs])
        if self.harm and (bad := np.flatnonzero(x > 0.9)).size:
            if self.harm == "hang":
                time.sleep(60)
            elif self.harm == "die":
                os.kill(os.getpid(), signal.SIGSEGV)
            elif self.harm == "raise":
                raise ValueError(f"x is {x[bad[0]]:.3f}")
            elif self.harm == "forget":
                return []
        time.sleep(self.pause * len(x))
        scores = x + np.array([data[0] for (data,) in draws]) + np.array([rng.random() for rng in rngs])
        results = [{"score": score, "curve": Series([score, 0.0])} for score in scores]
        for i in np.flatnonzero(x < 0.1):
            results[i] = RuntimeError(f"x is {x[i]:.3f}") if x[i] < 0.05 else float("nan") if x[i] < 0.08 else "text"
        return results


def draw(rng):
    if rng.random() < 0.02:
        raise OSError("no data today")
    return (rng.random(2),)


def study(function=None):
    algorithm = Algorithm("many", Together() if function is None else function, {"x": uniform(0, 1)})
    return Study("batches", algorithm, Task("t", draw), seed=11)


def alone():
    """The same algorithm without the offer."""
    function = Together()
    return study(lambda config, data, rng: function(config, data, rng))


@pytest.fixture(scope="module")
def expected():
    return run(alone(), 200, workers=0, progress=False)


def test_the_expected_table_holds_every_kind_of_failure(expected):
    found = expected.table.column("status").to_pylist()
    assert {status: found.count(status) for status in set(found)} == {"ok": 175, "error": 16, "invalid": 9}


@pytest.mark.parametrize(("workers", "chunk"), [(0, None), (0, 1), (0, 7), (1, 64), (1, 7), (2, None), (2, 200)])
def test_numbers_and_statuses_do_not_depend_on_who_shared_the_batch(expected, content, no_orphans, workers, chunk):
    assert content(run(study(), 200, workers=workers, chunk=chunk, progress=False)) == content(expected)


@pytest.mark.parametrize("batch", [1, 7, 64])
def test_numbers_do_not_depend_on_the_size_of_a_batch(expected, content, batch):
    function = Together()
    function.batch = batch
    assert content(run(study(function), 200, workers=1, progress=False)) == content(expected)


def statuses(trials):
    return trials.table.select(["trial", "status", "score"]).to_pylist()


@pytest.mark.parametrize(
    ("harm", "limits", "status"),
    [("die", {}, "crashed"), ("hang", {"wall_limit": 0.2}, "timeout"), ("raise", {}, "error"), ("forget", {}, "error")],
)  # fmt: skip
def test_trials_of_a_batch_that_fails_as_a_whole_are_run_one_by_one(expected, no_orphans, harm, limits, status):
    n = 48
    function = Together(harm)
    function.batch = 16
    found = statuses(run(study(function), n, workers=2, progress=False, **limits))
    configs = [study().cell("many", "t").config(i)["x"] for i in range(n)]
    assert sum(x > 0.9 for x in configs) >= 3
    for row, before, x in zip(found, statuses(expected), configs, strict=False):
        if x > 0.9 and before["status"] == "ok":
            assert row["status"] == status
        else:
            assert repr(row) == repr(before)


def test_a_batch_that_raises_in_this_process_is_run_one_by_one(expected):
    found = statuses(run(study(Together("raise")), 40, workers=0, progress=False))
    healthy = [row for row in found if row["status"] == "ok"]
    assert len(healthy) > 30
    assert all(repr(row) == repr(statuses(expected)[row["trial"]]) for row in healthy)


def test_a_batch_has_the_time_of_all_its_trials(content, expected):
    slow = Together(pause=0.02)  # 64 of them take longer than the limit of one
    found = run(study(slow), 200, workers=1, wall_limit=0.5, progress=False)
    assert content(found) == content(expected)


def test_time_is_shared_by_the_trials_of_a_batch():
    trials = run(study(Together(pause=0.001)), 64, workers=1, chunk=64, progress=False)
    walls = np.array(trials.table.column("wall_s").to_pylist(), dtype=float)
    assert 0.0005 < np.median(walls) < 0.02


def test_an_interrupted_run_of_batches_goes_on(expected, content, tmp_path, monkeypatch):
    monkeypatch.setattr("ogive.runner._gather.SECONDS", 0.1)  # rows count as done when they are written
    heard = []

    def stop(progress):
        heard.append(progress.done)
        if 0 < progress.done < 200 and len([n for n in heard if n]) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    slow = Together(pause=0.02)
    slow.batch = 7
    with pytest.raises(KeyboardInterrupt):
        run(study(slow), 200, tmp_path / "store", workers=2, chunk=7, progress=stop)
    kept = len(run(study(slow), 1, tmp_path / "store", workers=0, progress=False))
    assert 0 < kept < 200
    again = run(study(slow), 200, tmp_path / "store", workers=2, progress=False)
    assert content(again.with_series()) == content(expected)


def test_an_algorithm_says_how_many_it_takes():
    assert study().algorithms[0].batch == 64
    assert alone().algorithms[0].batch == 1
    function = Together()
    function.batch = 0
    with pytest.raises(InputError, match="`batch` of 'many' must be a whole number of at least 1; got 0"):
        run(study(function), 5, workers=0, progress=False)


def test_results_are_read_one_by_one():
    algorithm = study().algorithms[0]
    rngs = [stream(0, "train", trial=i) for i in range(3)]
    found = algorithm.evaluate_many([{"x": 0.01}, {"x": 0.09}, {"x": 0.5}], [(np.zeros(1),)] * 3, rngs)
    assert [type(one).__name__ for one in found] == ["RuntimeError", "InvalidScores", "Outcome"]
    with pytest.raises(InvalidScores, match="a result for each of 1 trials; got 0"):
        Algorithm("many", Together("forget"), {"x": uniform(0, 1)}).evaluate_many(
            [{"x": 1.0}], [(np.zeros(1),)], rngs[:1]
        )


def test_chunks_hold_whole_batches_and_every_worker_gets_its_share():
    agenda = Agenda([Missing(("a", "t"), range(1000), batch=64)], workers=2)
    sizes = []
    while (chunk := agenda.take()) is not None:
        sizes.append(len(chunk.trials))
        agenda.learn(chunk, len(chunk.trials), 1e-6 * len(chunk.trials))
    assert sizes[0] == 64
    assert max(sizes) > 64
    assert sum(sizes) == 1000
    few = Agenda([Missing(("a", "t"), range(50), batch=64)], workers=2)
    assert [len(few.take().trials) for _ in range(2)] == [25, 25]
