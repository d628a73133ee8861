"""A trial that runs far longer than the others is named while it runs."""

import logging
import time

import pytest

from ogive.algorithms import Algorithm
from ogive.notes import NoteKind, naming
from ogive.runner import _gather, _progress, run
from ogive.runner._progress import FAR, FEWEST, SOON, Lines, Pace, Progress, Running
from ogive.study import Study
from ogive.tasks import Task

CELL, OTHER = ("a", "t"), ("b", "t")


def stuck(config, x, rng):
    """One trial in the middle takes its time."""
    time.sleep(1.6 if x[0] > 0.9 else 0.001)
    return x[0]


STUDY = Study("s", Algorithm("a", stuck), Task("t", lambda rng: (rng.random(1),)), seed=0)
N, LONG = 12, 7


@pytest.fixture
def soon(monkeypatch):
    """Nobody waits for ten seconds here."""
    monkeypatch.setattr(_progress, "SOON", 0.5)
    monkeypatch.setattr(_progress, "EVERY", 0.05)
    monkeypatch.setattr(_gather, "SECONDS", 0.05)


def test_the_study_of_these_tests_has_one_long_trial():
    assert [i for i in range(N) if STUDY.cell("a", "t").draw(i)[0][0] > 0.9] == [LONG]
    assert LONG >= FEWEST


def test_a_trial_that_runs_far_beyond_the_others_is_named_while_it_runs(soon, caplog):
    seen: list[Progress] = []
    with caplog.at_level(logging.WARNING, logger="ogive"):
        run(STUDY, N, workers=1, progress=seen.append, chunk=1)
    slow = [note for progress in seen for note in progress.slow]
    assert {(n.kind, n.argument, n.values["algorithm"], n.values["task"], n.values["trial"]) for n in slow} == {
        (NoteKind.RUNS_LONG, "wall_limit", "a", "t", LONG)
    }
    assert [n.values["seconds"] for n in slow] == sorted(n.values["seconds"] for n in slow)
    assert seen[-1].slow == ()
    # Once in the log, with the way out, and while the trial had not ended.
    [said] = [record for record in caplog.records if "has been running" in record.getMessage()]
    assert f"trial {LONG} of 'a' on 't'" in said.getMessage()
    assert "wall_limit=" in said.getMessage()


def test_the_log_names_it_where_nobody_watches(soon, caplog):
    with caplog.at_level(logging.WARNING, logger="ogive"):
        run(STUDY, N, workers=1, progress=False, chunk=1)
    assert f"trial {LONG} of 'a' on 't' has been running" in caplog.text


def test_nothing_is_said_where_a_limit_ends_it(soon, caplog):
    seen: list[Progress] = []
    with caplog.at_level(logging.WARNING, logger="ogive"):
        trials = run(STUDY, N, workers=1, progress=seen.append, chunk=1, wall_limit=1.0)
    assert trials.failures()[0]["status"] == "timeout"
    assert not any(progress.slow for progress in seen)
    assert "has been running" not in caplog.text


def test_a_trial_is_long_by_the_longest_of_its_cell_and_by_that_of_all_where_its_cell_has_few():
    pace = Pace()
    pace.learn(CELL, [1.0] * FEWEST)
    pace.learn(OTHER, [10.0, None])
    for names, longest in ((CELL, 1.0), (OTHER, 10.0)):
        limit = max(SOON, FAR * longest)
        assert not pace.far([Running(names, 9, limit - 0.1)])
        [note] = pace.far([Running(names, 9, limit + 0.1)])
        assert note.values["longest"] == longest
        assert note.values["limit"] >= limit


def test_nothing_is_long_before_others_have_ended():
    pace = Pace()
    assert not pace.far([Running(CELL, 0, 1e6)])
    pace.learn(CELL, [0.1] * (FEWEST - 1))
    assert not pace.far([Running(CELL, 9, 1e6)])


def test_a_line_of_progress_names_the_trial_and_the_option(capsys):
    pace = Pace()
    pace.learn(CELL, [3.0] * 40)
    slow = pace.far([Running(CELL, 7, 130.0)])
    with naming("cli"):
        Lines(every=0.0)(Progress(done=40, total=50, rate=1.0, seconds_left=10.0, slow=slow))
    said = capsys.readouterr().err
    assert "trial 7 of 'a' on 't' has been running for 2 min 10 s; the longest of 40 others took 3 s" in said
    assert "--wall-limit 20" in said
