"""What is missing, in which order, how much at once."""

import itertools
import tracemalloc
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ogive.runner._plan import Agenda, ChunkSizer, missing
from ogive.schema import STATUSES

CELLS = [("a", "t"), ("b", "t"), ("c", "t")]


def finished(trials, statuses=None, attempts=None):
    n = len(trials)
    return SimpleNamespace(
        trials=np.array(trials, dtype=np.int64),
        statuses=np.array([0] * n if statuses is None else statuses, dtype=np.int8),
        attempts=np.array([0] * n if attempts is None else attempts, dtype=np.int16),
        again=None,
    )


def taken(agenda):
    while (chunk := agenda.take()) is not None:
        agenda.learn(chunk, len(chunk.trials), 1e-4 * len(chunk.trials))
        yield chunk


@given(
    n=st.integers(1, 60), done=st.sets(st.integers(0, 80)), parts=st.integers(1, 5), fixed=st.sampled_from([None, 1, 7])
)
def test_what_is_handed_out_is_planned_minus_finished_in_order_and_once(n, done, parts, fixed):
    handed = []
    for i in range(1, parts + 1):
        todo = missing(CELLS[:1], n, {CELLS[0]: finished(sorted(done))}, shard=(i, parts))
        for chunk in taken(Agenda(todo, fixed=fixed)):
            assert list(chunk.trials) == sorted(chunk.trials)
            handed += chunk.trials
    assert sorted(handed) == sorted(set(range(n)) - done)


@given(statuses=st.lists(st.integers(0, 5), max_size=30))
def test_retried_trials_get_the_next_attempt_and_new_ones_the_first(statuses):
    n = len(statuses)
    wanted = ("timeout", "crashed")
    [todo] = missing(CELLS[:1], n + 2, {CELLS[0]: finished(range(n), statuses, [2] * n)}, retry=wanted)
    expected = {t: 3 for t in range(n) if STATUSES[statuses[t]] in wanted} | {n: 0, n + 1: 0}
    attempts = [0] * len(todo) if todo.attempts is None else todo.attempts.tolist()
    assert dict(zip([int(t) for t in todo.trials], attempts, strict=True)) == expected


def test_all_methods_have_the_same_trials_early():
    agenda = Agenda(missing(CELLS, 1000, {}), fixed=10)
    furthest = dict.fromkeys(CELLS, 0)
    for chunk in taken(agenda):
        furthest[chunk.names] = chunk.trials[-1]
        assert max(furthest.values()) - min(furthest.values()) <= 20


def test_ten_million_planned_trials_cost_little_memory():
    done = finished(np.arange(0, 10_000_000, 3))
    tracemalloc.start()
    todo = missing([("a", "t"), ("b", "t")], 10_000_000, {("a", "t"): done})
    agenda = Agenda(todo)
    agenda.take()
    assert tracemalloc.get_traced_memory()[1] < 400e6
    tracemalloc.stop()
    assert sum(len(cell) for cell in todo) == 10_000_000 - done.trials.size + 10_000_000


def test_sizes_grow_fourfold_at_most_and_settle_at_the_aim():
    sizer = ChunkSizer(0.25)
    sizes = []
    for _ in range(12):
        sizes.append(sizer.size)
        sizer.learn(sizer.size, 0.001 * sizer.size)
    assert sizes[0] == 1
    assert all(b <= 4 * a for a, b in itertools.pairwise(sizes))
    assert 200 <= sizes[-1] <= 260


def test_a_slow_cell_keeps_chunks_of_one_and_none_waits_behind():
    agenda = Agenda(missing(CELLS[:1], 100, {}))
    for _ in range(3):
        chunk = agenda.take()
        assert len(chunk.trials) == 1
        agenda.learn(chunk, 1, 30.0)
    assert agenda.take(True) is None
    assert agenda.take() is not None


def test_no_chunk_is_larger_than_ten_thousand():
    sizer = ChunkSizer(0.25)
    for _ in range(20):
        sizer.learn(sizer.size, 1e-7 * sizer.size)
    assert sizer.size == 10_000


def test_a_stopped_agenda_hands_out_nothing():
    agenda = Agenda(missing(CELLS, 10, {}))
    agenda.stop()
    assert agenda.take() is None
