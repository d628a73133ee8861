"""What is shown meanwhile: only what is kept, and at little cost."""

import itertools
import os
import time

import numpy as np
import pytest

from ogive.algorithms import Algorithm
from ogive.runner import _gather, _progress, run
from ogive.runner._progress import Lines, Watcher
from ogive.runner._trial import Row
from ogive.runner._wire import batch_of
from ogive.store import Store
from ogive.study import Study
from ogive.tasks import none

CELL = ("a", "none")


class Clock:
    """Stands still unless it is told to go on."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(_progress, "time", made)
    return made


def scored(trials, scores=None):
    values = np.random.default_rng(0).random(len(trials)) if scores is None else scores
    return [(CELL, batch_of([Row(t, scores={"score": float(s)}) for t, s in zip(trials, values, strict=True)]))]


def watcher(n, tell, statistic="mean"):
    return Watcher([(CELL, range(n))], {}, statistic, tell)


def test_intervals_are_computed_only_when_somebody_looks_at_them(monkeypatch, clock):
    asked = []
    monkeypatch.setattr(_progress, "mean_interval", lambda scores: asked.append(scores.size))
    heard = []
    watch = watcher(20, heard.append)
    watch.add(scored(range(20)))
    for _ in range(3):
        clock.now += 1
        watch.look()
    assert (len(heard), asked) == (3, [])
    [cell] = heard[0].cells
    assert (cell.interval, cell.interval, asked) == (None, None, [20])


def test_an_interval_is_that_of_the_moment_of_the_look_whenever_it_is_read(clock):
    heard = []
    watch = watcher(40, heard.append)
    first = np.linspace(0, 1, 10)
    watch.add(scored(range(10), first))
    watch.look(last=True)
    watch.add(scored(range(10, 40)))
    [cell] = heard[0].cells
    assert (cell.n, cell.interval.n) == (10, 10)
    assert cell.interval.estimate == pytest.approx(first.mean())


def test_looks_are_spaced_by_twenty_times_what_they_cost(clock):
    looks = []

    def tell(progress):
        looks.append(clock.now)
        clock.now += 3.0

    watch = watcher(10, tell)
    for _ in range(2000):
        clock.now += 0.1
        watch.look()
    assert len(looks) == 4
    assert all(later - earlier >= 63 for earlier, later in itertools.pairwise(looks))


def test_an_interval_stands_on_a_bounded_number_of_scores_and_says_so(monkeypatch, clock):
    monkeypatch.setattr(_progress, "MOST_SCORES", 50)
    heard = []
    watch = watcher(200, heard.append)
    watch.add(scored(range(100, 200)))
    watch.add(scored(range(100)))
    watch.look(last=True)
    [cell] = heard[0].cells
    assert (cell.n, cell.interval.n) == (200, 50)
    assert "(the first 50 of 200 trials)" in str(cell)


def test_only_trials_that_are_complete_from_the_first_on_count(clock):
    heard = []
    watch = watcher(30, heard.append)
    for trials in (range(3), range(5, 9), range(3, 5)):
        watch.add(scored(trials))
        watch.look(last=True)
    assert [p.cells[0].n for p in heard] == [3, 3, 9]


def test_the_plain_line_has_the_interval_of_the_chosen_statistic(clock, capsys):
    watch = watcher(40, Lines(every=30), "median")
    watch.add(scored(range(21), np.arange(21)))
    clock.now += 31
    watch.look()
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "21 of 40 trials (52 %)" in line
    assert "a on none: median of score 10 [" in line


def test_progress_counts_only_rows_that_are_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(_gather, "SECONDS", 0.15)
    monkeypatch.setattr(_progress, "EVERY", 0.02)
    looks = []

    def tell(progress):
        kept = sum(cell.trials.size for cell in Store(tmp_path).finished().values())
        looks.append((progress.done, sum(progress.statuses.values()), kept))

    def slowly(config, rng):
        time.sleep(0.01)
        return rng.random()

    run(Study("kept", Algorithm("a", slowly), none()), 40, tmp_path, workers=0, progress=tell)
    assert len({done for done, _, _ in looks}) > 2
    assert all(done == counted == kept for done, counted, kept in looks)
    assert looks[-1][0] == 40


def test_the_last_look_comes_though_the_last_part_cannot_be_written(tmp_path, monkeypatch):
    def full(*arguments, **named):
        raise OSError(28, "no space")

    monkeypatch.setattr(Store, "write", full)
    heard = []
    with pytest.raises(OSError, match="no space"):
        run(Study("full", Algorithm("a", lambda c, rng: 1.0), none()), 3, tmp_path, workers=0, progress=heard.append)
    assert [(p.done, p.finished) for p in heard] == [(0, True)]


def _odd(config, rng):
    value = float(rng.random())
    if value < 0.2:
        raise ValueError("too small")
    return value


@pytest.mark.parametrize("retry", [(), ("error",)])
def test_a_resumed_run_shows_intervals_of_all_trials_and_counts_only_its_own(tmp_path, retry):
    study = Study("again", Algorithm("a", _odd), none())
    first = run(study, 9, tmp_path, workers=0, progress=False)
    failed = int(first.failed().sum())
    assert failed
    heard = []
    everything = run(study, 30, tmp_path, workers=0, progress=heard.append, retry=retry)
    (cell,) = heard[-1].cells
    scores = everything.scores(failures="exclude")
    assert (heard[-1].done, heard[-1].total) == ((21 + failed,) * 2 if retry else (21, 21))
    assert cell.n == scores.size
    assert cell.interval.estimate == pytest.approx(scores.mean())


def _loss(config, rng):
    return {"loss": float(rng.random())}


def _accuracy_later(config, rng):
    if "NOT_YET" in os.environ:
        raise ValueError("not yet")
    return {"accuracy": float(rng.random())}


def test_a_resumed_run_shows_each_method_by_a_metric_that_it_has(tmp_path, monkeypatch):
    """One method has another metric than the first of the table, the other had no score at all before."""
    monkeypatch.setenv("NOT_YET", "1")
    study = Study("two", [Algorithm("a", _accuracy_later), Algorithm("b", _loss)], none())
    assert run(study, 3, tmp_path, workers=0, progress=False).failed("loss").tolist() == [True] * 3 + [False] * 3
    monkeypatch.delenv("NOT_YET")
    heard = []
    run(study, 8, tmp_path, workers=0, progress=heard.append)
    assert [(c.algorithm, c.metric, c.n) for c in heard[-1].cells] == [("a", "accuracy", 5), ("b", "loss", 8)]
