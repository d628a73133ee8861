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


@pytest.mark.parametrize(
    ("workers", "chunk"),
    [(2, None), (3, 1), (1, 7), (0, 1000), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((4, 1), (2, 7), (1, 1000)))],
)  # fmt: skip
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
    wider = Algorithm(
        "d", lambda config, *draw, rng: {"loss": 1.0, "C": 2.0}, metrics={"loss": "minimize", "C": "minimize"}
    )
    three = small_study(*(Algorithm(name, careless, SPACE) for name in ("c", "b", "a")), wider)
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


@pytest.mark.slow
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


def test_metrics_of_one_algorithm_are_nothing_to_another(content):
    mine = Algorithm("mine", lambda config, *draw, rng: {"accuracy": rng.random()})
    bare = Algorithm("bare", lambda config, *draw, rng: rng.random())
    rich = Algorithm("rich", lambda config, *draw, rng: {"accuracy": 1.0, "cost": 2.0}, metrics={"cost": "minimize"})
    alone, beside = (
        run(Study("s", algorithms, none(), metrics={"accuracy": "maximize"}), 4, workers=0, progress=False)
        for algorithms in ([mine, bare], [rich, bare, mine])
    )
    assert set(beside.table["status"].to_pylist()) == {"ok"}
    for name in ("mine", "bare"):
        assert np.array_equal(alone.scores(name, metric="accuracy"), beside.scores(name, metric="accuracy"))


def test_a_declared_metric_that_does_not_come_back_fails_where_the_algorithm_names_none():
    mine = Algorithm("mine", lambda config, rng: {"accuracy": 1.0})
    trials = run(
        Study("s", mine, none(), metrics={"accuracy": "maximize", "cost": "minimize"}), 1, workers=0, progress=False
    )
    assert [f["message"] for f in trials.failures("cost")] == ["metric 'cost' is missing."]
    assert trials.failures("accuracy") == []


def test_what_a_trial_does_to_its_draw_reaches_no_other_trial(content):
    kept, pair, cached = np.ones(3), (np.ones(2), [np.ones(2)]), {"x": np.ones(2)}

    def draw(rng):
        return kept, pair, kept[1:], cached

    def double(config, a, b, c, d, rng):
        for x in (a, b[0], b[1][0], c, d["x"]):
            x *= 2
        b[1].append(3)
        d["y"] = 1
        return float(a.sum() + b[0].sum() + b[1][0].sum() + c.sum() + d["x"].sum() + len(b[1]) + len(d))

    study = Study("kept", [Algorithm("a", double), Algorithm("b", double)], Task("t", draw))
    tables = [run(study, 4, workers=w, chunk=1, progress=False) for w in (0, 1, 2)]
    assert {*tables[0].scores("a"), *tables[0].scores("b")} == {26.0}
    assert len({content(table) for table in tables}) == 1
    assert kept.tolist() == [1, 1, 1]


def test_a_large_array_that_a_task_keeps_is_read_only_everywhere_and_a_fresh_one_is_not(content):
    kept = np.ones((500, 400))
    tasks = [
        Task("kept", lambda rng: (kept,)),
        Task("view", lambda rng: (kept[:400],)),
        Task("fresh", lambda rng: (kept.copy(),)),
    ]

    def double(config, x, rng):
        x *= 2
        return float(x[0, 0])

    study = Study("large", Algorithm("a", double), tasks)
    here, there = (run(study, 2, workers=w, progress=False) for w in (0, 1))
    assert content(here) == content(there)
    assert here.scores(task="fresh").tolist() == [2.0, 2.0]
    assert {f["task"] for f in here.failures()} == {"kept", "view"}
    assert all(f["message"].endswith("read-only - it is kept for other trials: copy it first") for f in here.failures())


def test_frames_that_a_task_keeps_are_copied():
    import pandas as pd
    from scipy.sparse import csr_matrix

    frame, sparse = pd.DataFrame({"a": [1.0]}), csr_matrix([[1.0]])

    def double(config, frame, sparse, rng):
        frame.loc[0, "a"] *= 2
        sparse.data *= 2
        return float(frame.loc[0, "a"] + sparse[0, 0])

    study = Study("frames", Algorithm("a", double), Task("t", lambda rng: (frame, sparse)))
    assert run(study, 3, workers=0, progress=False).scores().tolist() == [4.0] * 3


def test_settings_of_numpy_and_filters_of_warnings_end_with_their_trial(content):
    def set_them(config, rng):
        warnings.warn("worth a look", UserWarning, stacklevel=1)
        if config["x"] == 1:
            np.seterr(all="raise")
            warnings.simplefilter("error")
        return float(np.exp(np.float64(-1000.0))) + 1

    study = Study("settings", Algorithm("a", set_them, {"x": [0, 1]}), none())
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        before = np.geterr(), list(warnings.filters)
        here = run(study, 12, workers=0, progress=False)
        assert (np.geterr(), list(warnings.filters)) == before
    assert content(here) == content(run(study, 12, workers=2, chunk=1, progress=False))
    statuses = {(row["params"], row["status"]) for row in here.table.to_pylist()}
    assert statuses == {('{"x":0}', "ok"), ('{"x":1}', "error")}
    assert 0 < sum("worth a look" in str(w.message) for w in shown) < 12  # not again in every trial


@pytest.mark.parametrize("name", [" ", "a\0b", "a\ud800", "", "status", 3])
def test_an_odd_name_of_a_metric_or_series_is_one_invalid_row(name, tmp_path):
    fine = Algorithm("fine", lambda config, rng: {"m": 1.0})
    odd = Algorithm("odd", lambda config, rng: {"m": 1.0, name: 1.0})
    curve = Algorithm("curve", lambda config, rng: {"m": 1.0, name: Series([1.0])})
    trials = run(Study("odd", [fine, odd, curve], none()), 2, tmp_path / "store", workers=0, progress=False)
    assert len(trials) == 6
    assert {(f["algorithm"], f["status"]) for f in trials.failures()} == {("odd", "invalid"), ("curve", "invalid")}
    assert all("must name its metrics with text" in f["message"] for f in trials.failures())
