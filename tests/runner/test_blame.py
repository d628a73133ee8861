"""Who is blamed for what a limit cut, and what a child is given."""

import os
import time
from collections import deque
from types import SimpleNamespace

import pytest

from ogive.algorithms import Algorithm
from ogive.notes import Note, NoteKind
from ogive.runner import _run, _wire, run
from ogive.runner._plan import Chunk, Limits
from ogive.runner._process import environment
from ogive.runner._slot import Slot, Verdict
from ogive.runner._source import Job
from ogive.runner._trial import Row
from ogive.study import Study
from ogive.tasks import none


@pytest.fixture
def page(tmp_path):
    with (tmp_path / "page").open("w+b") as file:
        reader = _wire.PageReader(file.fileno())
        made = _wire.Page(file.fileno())
        made.read = reader.read
        made.says = reader.says
        yield made
        made.close()


@pytest.fixture
def slot(page):
    """A slot with four trials under way in a child that is only a page."""
    made = Slot(Job({}, b""), Limits(wall=0.5))
    made._child = SimpleNamespace(
        page=page, end=lambda grace: -15, last_words=lambda: "", killed_for_memory=lambda: False
    )
    made._queue = deque([Chunk(0, ("a", "t"), range(4), number=1)])
    return made


def buried(slot, verdict):
    rows = []
    slot._bury(verdict, lambda chunk, batch, seconds: rows.extend(zip(batch.trials, batch.statuses, strict=True)))
    return rows


def late(page, trial):
    """What the slot saw of a trial that began a second ago."""
    page.begin(1, trial, time.monotonic_ns() - 10**9)
    return Verdict("timeout", "wall limit of 0.5 s", page.read())


def test_a_trial_over_its_limit_is_blamed(slot, page):
    assert buried(slot, late(page, 2)) == [(2, "timeout")]
    assert [list(chunk.trials) for chunk in slot._queue] == [[0, 1], [3]]


@pytest.mark.parametrize("now", [1, _wire.IDLE])
def test_a_child_that_went_on_before_it_was_ended_is_left_alone_and_nobody_is_blamed(slot, page, now):
    verdict = late(page, 0)
    page.begin(1, now, time.monotonic_ns())
    for _ in range(5):  # an idle page after a verdict is no death outside a trial either
        assert buried(slot, verdict) == []
    assert slot._child is not None
    assert [list(chunk.trials) for chunk in slot._queue] == [[0, 1, 2, 3]]


def test_a_verdict_waits_for_the_rows_of_the_chunk_before(slot, page):
    verdict = late(page, 0)
    slot._queue.appendleft(Chunk(0, ("a", "t"), range(10, 12), number=0))
    assert buried(slot, verdict) == []
    assert slot._child is not None
    slot._queue.popleft()
    assert buried(slot, verdict) == [(0, "timeout")]


def test_a_trial_that_raises_a_memory_error_is_tried_again_alone_before_it_is_blamed(slot):
    rows = [Row(0, "ok", params="{}"), Row(1, "memory", "MemoryError", "{}"), Row(2, "ok", params="{}")]
    message = {"chunk": 1, "rows": _wire.encode(_wire.batch_of(rows)), "seconds": None}
    heard = []
    verdict = slot._hear(message, lambda chunk, batch, seconds: heard.extend(batch.trials))
    assert heard == [0]
    assert buried(slot, verdict) == []
    assert [(list(chunk.trials), chunk.alone) for chunk in slot._queue] == [([1], True), ([2, 3], False)]
    slot._queue[0].number = 2
    again = {"chunk": 2, "rows": _wire.encode(_wire.batch_of(rows[1:2]))}
    assert slot._hear(again, lambda chunk, batch, seconds: heard.extend(batch.statuses)) is None
    assert heard == [0, "memory"]


def test_an_answer_that_comes_together_with_junk_still_counts(slot, page):
    rows = _wire.dumps({"chunk": 1, "rows": _wire.encode(_wire.batch_of([Row(0, "ok", params="{}")]))})
    slot._child.damage, slot._child.cut, slot._child.wait = "junk", False, lambda seconds: ([rows], True)
    heard = []
    page.begin(1, 2, time.monotonic_ns())
    verdict = slot._look(lambda chunk, batch, seconds: heard.extend(batch.trials))
    assert heard == [0]
    assert buried(slot, verdict) == []  # which of the others it was is not known
    assert [(list(chunk.trials), chunk.one_by_one) for chunk in slot._queue] == [([1, 2, 3], True)]


def leaks(config, rng):
    """Runs out of memory unless its process is fresh."""
    os._ogive_held = getattr(os, "_ogive_held", 0) + 1
    if os._ogive_held > 2:
        raise MemoryError
    return rng.random()


def test_what_earlier_trials_kept_in_memory_is_not_blamed_on_a_later_one(no_orphans):
    trials = run(Study("leaks", Algorithm("a", leaks), none()), 4, workers=1, chunk=4, progress=False)
    assert trials.failures() == []
    assert len(trials) == 4


@pytest.mark.parametrize("seed", ["random", "6640", None])
def test_the_hash_seed_of_a_child_is_the_same_whatever_the_environment_says(monkeypatch, seed):
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    if seed is not None:
        monkeypatch.setenv("PYTHONHASHSEED", seed)
    assert environment()["PYTHONHASHSEED"] == "0"


@pytest.mark.parametrize("randomized", [0, 1])
def test_a_run_in_this_process_says_when_its_sets_have_an_order_of_their_own(monkeypatch, randomized):
    monkeypatch.setattr(_run, "sys", SimpleNamespace(flags=SimpleNamespace(hash_randomization=randomized)))
    study = Study("here", Algorithm("a", lambda config, rng: rng.random()), none())
    notes = run(study, 2, workers=0, progress=False).notes
    assert (Note(NoteKind.ORDER_OF_SETS) in notes) == bool(randomized)
