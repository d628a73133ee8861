"""The same table, bit for bit, whoever runs it."""

import random
import warnings

import numpy as np
import pytest

from ogive.algorithms import Algorithm, Series, tuned
from ogive.runner import run
from ogive.spaces import choice, loguniform
from ogive.study import Study, every
from ogive.tasks import Task, moons, none

SPACE = {"C": loguniform(1e-3, 1e3), "kernel": choice(["linear", "rbf"])}


def careless(config, *draw, rng):
    """Uses every generator there is, and fails now and then."""
    if config["C"] > 300:
        raise ValueError(f"C is {config['C']:.3f} in {object()}")
    if config["C"] < 0.002:
        return float("nan")
    return {"score": rng.random() + np.random.rand() + random.random(), "C": config["C"]}  # noqa: NPY002


def global_draw(rng):
    return (np.random.rand(3),)  # noqa: NPY002


def first(config, data, rng):
    return float(data[0])


def small_study(*algorithms):
    mine = algorithms or (Algorithm("a", careless, SPACE), Algorithm("b", careless, SPACE))
    return Study(
        "same", mine, [Task("t1", lambda rng: (rng.random(2),)), Task("t2", lambda rng: (rng.random(2),))], seed=3
    )


@pytest.fixture(scope="module")
def expected():
    return run(small_study(), 60, workers=0, progress=False)


@pytest.mark.parametrize(("workers", "chunk"), [(2, None), (4, 1), (2, 7), (1, 1000), (0, 7)])
def test_the_table_is_the_same_for_any_number_of_workers_and_any_chunk(expected, content, no_orphans, workers, chunk):
    assert content(run(small_study(), 60, workers=workers, chunk=chunk, progress=False)) == content(expected)


def test_the_comparison_of_tables_notices_another_seed(expected, content):
    other = Study("same", small_study().algorithms, small_study().tasks, seed=4)
    assert content(run(other, 60, workers=0, progress=False)) != content(expected)


def test_failed_trials_are_rows_with_messages_without_addresses(expected):
    failures = expected.failures()
    assert {f["status"] for f in failures} >= {"error"}
    assert all("0x…" in f["message"] for f in failures if f["status"] == "error")


def test_adding_an_algorithm_changes_no_other_row(expected):
    three = small_study(*(Algorithm(name, careless, SPACE) for name in ("c", "b", "a")))
    table = run(three, 60, workers=2, progress=False)
    for name in ("a", "b"):
        for task in ("t1", "t2"):
            rows, same = (
                t.table.take(t.cell(name, task).rows).select(["trial", "status", "params", "score"]).to_pylist()
                for t in (table, expected)
            )
            assert repr(rows) == repr(same)


def test_trial_i_has_the_same_data_for_every_algorithm_even_from_global_generators():
    pair = [Algorithm(name, first) for name in ("a", "b")]
    for draw in (lambda rng: (rng.random(3),), global_draw):
        trials = run(Study("paired", pair, Task("t", draw)), 20, workers=0, progress=False)
        assert np.array_equal(trials.scores("a"), trials.scores("b"))
        assert np.unique(trials.scores("a")).size == 20


def test_held_data_stay_the_same_even_from_global_generators():
    study = Study("held", Algorithm("a", first), Task("t", global_draw)).hold(data=2)
    assert np.unique(run(study, 10, workers=0, progress=False).scores()).size == 1


def test_trials_that_share_a_draw_share_a_group():
    study = Study("grouped", Algorithm("a", first), Task("t", global_draw)).hold(data=every(5))
    trials = run(study, 20, workers=1, progress=False)
    assert len(set(trials.table["group"].to_pylist())) == 4


def test_this_process_gets_its_generators_back():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
    run(small_study(), 3, workers=0, progress=False)
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002


def test_an_unseeded_network_a_search_and_curves_are_the_same_everywhere(content, tmp_path):
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier

    from ogive.store import Store

    warnings.simplefilter("ignore")  # five iterations converge nowhere
    net = Algorithm.from_estimator(MLPClassifier(max_iter=5), {"hidden_layer_sizes": [(4,), (8, 4)]}, name="net")
    knn = Algorithm.from_estimator(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 7]}, name="knn")
    curve = Algorithm("curve", lambda config, *draw, rng: {"accuracy": rng.random(), "loss": Series(rng.random(4))})
    study = Study("net", [net, tuned(knn, 3), curve], moons(n=80))
    here, there = (run(study, 4, tmp_path / str(w), workers=w, progress=False) for w in (0, 1))
    assert content(here) == content(there)
    assert np.unique(here.scores("net")).size > 1
    for kind, rows in (("inner", 12), ("series", 4)):
        one, other = (Store(tmp_path / str(w)).table(kind) for w in (0, 1))
        assert one.num_rows == rows
        assert one.to_pylist() == other.to_pylist()


def test_a_task_without_data_needs_none():
    study = Study("none", Algorithm("a", lambda config, rng: rng.random()), none())
    assert len(run(study, 5, workers=1, progress=False)) == 5


def test_torch_is_seeded_where_it_is_imported(monkeypatch):
    import sys
    from types import SimpleNamespace

    from ogive.runner._trial import seed_globals
    from ogive.seeding import stream

    seeds = []
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(manual_seed=seeds.append))
    before = (random.getstate(), np.random.get_state())  # noqa: NPY002
    for trial in (1, 1, 2):
        seed_globals(stream(0, "train", "t", "a", trial))
    random.setstate(before[0])
    np.random.set_state(before[1])  # noqa: NPY002
    assert seeds[0] == seeds[1] != seeds[2]


def test_global_generators_are_not_in_step_with_a_random_state_of_the_same_stream():
    from ogive.runner._trial import seed_globals
    from ogive.seeding import stream

    before = (random.getstate(), np.random.get_state())  # noqa: NPY002
    seed_globals(stream(0, "train", "t", "a", 5))
    mine = np.random.rand(3)  # noqa: NPY002
    random.setstate(before[0])
    np.random.set_state(before[1])  # noqa: NPY002
    for high in (2**31, 2**31 - 1, 2**32, 2**32 - 1):
        state = int(stream(0, "train", "t", "a", 5).integers(high))
        assert not np.array_equal(np.random.RandomState(state).rand(3), mine)
