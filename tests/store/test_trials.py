"""The rows of a store as a table to judge."""

import numpy as np
import pyarrow as pa
import pytest

import ogive
from ogive.notes import Note, NoteKind
from ogive.store import Store, StoreError
from ogive.store._schemas import project


def test_columns_are_those_that_trials_have(store, make):
    store.write("trials", make.rows(range(12)))
    trials = store.trials()
    assert trials.table.column_names == [
        "algorithm", "task", "trial", "item", "group", "status", "message", "params", "loss", "accuracy", "wall_s", "cpu_s",
    ]  # fmt: skip
    assert trials.metrics == ("loss", "accuracy")
    assert trials.goals == {"loss": "minimize", "accuracy": "maximize"}
    assert trials.bounds["loss"] == (0.0, None)
    assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("moons", "circles"))
    assert (trials.unit, trials.clustered, trials.pair, trials.independent) == ("trial", False, "trial", True)
    assert trials.varied == ("configuration", "data", "seed")
    assert trials.scope == "generator"
    assert trials.source == "demo"
    np.testing.assert_array_equal(trials.scores("svm", "moons", "loss"), np.arange(12) / 4)
    assert all(trials.table[name].num_chunks == 1 for name in trials.table.column_names)


def test_answers_pair_methods_by_trial(store, make):
    rows = [
        make.row(algorithm=a, trial=i, metrics={"loss": (i * 7 % 5) + d * (1 + i % 3)})
        for i in range(40)
        for a, d in (("svm", 0), ("knn", 1))
    ]
    store.write("trials", make.table(rows))
    compared = ogive.compare(store.trials(), "svm", "knn")
    assert compared.paired
    assert compared.conclusion == "better"
    assert store.trials().varied == ("configuration", "data", "seed")
    assert "over trials" in str(ogive.summarize(store.trials()))


def test_what_was_written_is_read_back_by_read(store, make, tmp_path):
    store.write("trials", make.rows(range(12)))
    trials = store.trials()
    trials.write(tmp_path / "t.parquet")
    again = ogive.read(tmp_path / "t.parquet")
    assert again.table.equals(trials.table)
    assert again.unit == "trial"


def test_methods_share_no_draw_when_the_data_were_held(tmp_path, make):
    store = Store(tmp_path / "demo")
    store.create(make.record(holds={"data": {"at": 0}}, varied=["configuration", "seed"]))
    store.write("trials", make.rows())
    assert store.trials().pair is None
    assert not store.trials().clustered


@pytest.mark.parametrize(
    ("holds", "unit", "groups"),
    [({"config": {"every": 2}}, "configuration", ["0", "0", "1", "1", "2"]), ({"data": {"cycle": 2}}, "data draw", ["0", "1", "0", "1", "0"]),
     ({"seed": {"every": 5}}, "seed", ["0"] * 5), ({"config": {"every": 2}, "data": {"at": 3}}, "configuration", ["0", "0", "1", "1", "2"])],
    ids=str,
)  # fmt: skip
def test_trials_that_share_a_held_draw_count_once(holds, unit, groups, tmp_path, make):
    store = Store(tmp_path / "demo")
    store.create(make.record(holds=holds))
    store.write("trials", make.rows(group="whatever the runner called it"))
    trials = store.trials()
    assert (trials.unit, trials.clustered, trials.question) == (unit, True, None)
    assert trials.table["group"].to_pylist()[:5] == groups


def test_draws_shared_in_two_ways_are_not_judged(tmp_path, make):
    store = Store(tmp_path / "demo")
    store.create(make.record(holds={"config": {"every": 2}, "data": {"cycle": 3}}))
    store.write("trials", make.rows())
    trials = store.trials()
    assert not trials.judged
    shared = (("configuration", "every", 2), ("data draw", "cycle", 3))
    assert trials.question == Note(NoteKind.ASKS_HOLDS, values={"holds": shared})


@pytest.mark.parametrize("hold", [{"values": {"every": 2}}, {"every": 1}, {"cycle": 1}, {"at": 4}], ids=str)
def test_one_draw_for_all_or_a_new_one_for_each_makes_no_groups(hold, tmp_path, make):
    store = Store(tmp_path / "demo")
    store.create(make.record(holds={"config": hold}))
    store.write("trials", make.rows())
    assert not store.trials().clustered


def test_items_of_a_trial_count_once(store, make):
    store.write("trials", make.table([make.row(trial=i, item=q) for i in range(3) for q in "ab"]))
    trials = store.trials()
    assert (trials.unit, trials.clustered) == ("trial", True)
    assert trials.table["group"].to_pylist() == ["0", "0", "1", "1", "2", "2"]


def test_scopes_of_tasks_are_kept_apart(tmp_path, make):
    store = Store(tmp_path / "demo")
    tasks = {"moons": {"scope": "generator", "n_rows": None}, "circles": {"scope": "these rows", "n_rows": 768}}
    store.create(make.record(tasks=tasks))
    store.write("trials", make.rows())
    assert store.trials().scope == {"moons": "generator", "circles": "these 768 rows"}


def test_metrics_that_nobody_declared_are_guessed_and_said(store, make):
    store.write("trials", make.rows(algorithms=["svm"], metrics={"auc": 0.5}))
    store.write("trials", make.rows(algorithms=["knn"], metrics={"accuracy": 0.25, "loss": 1.0}))
    trials = store.trials()
    assert trials.metrics == ("loss", "accuracy", "auc")
    assert Note(NoteKind.GOAL_ASSUMED, "goal", {"metric": "auc", "goal": "maximize"}) in trials.notes
    assert np.isnan(trials.values("auc")[-1])
    assert trials.values("auc")[0] == 0.5


def test_metrics_that_no_trial_reported_are_left_out_and_said(store, make):
    store.write("trials", make.rows(metrics={"accuracy": 0.5}))
    assert store.trials().metrics == ("accuracy",)
    assert Note(NoteKind.NOT_REPORTED, values={"metrics": ("loss",)}) in store.trials().notes


def test_a_store_of_failures_is_a_table_of_failures(store, make):
    store.write("trials", make.rows(metrics=None, status="error", message="boom"))
    trials = store.trials()
    assert trials.metrics == ("loss", "accuracy")
    assert trials.failed().all()
    assert trials.failures()[0]["message"] == "boom"


def test_a_store_without_rows_has_no_trials(store):
    assert store.table().num_rows == 0
    assert store.finished() == {}
    with pytest.raises(StoreError, match="no finished trial"):
        store.trials()


def test_trials_close_to_the_wall_limit_are_counted(store, make):
    times = [1.0, 7.9, 8.0, 9.9, 10.0]
    rows = [make.row(trial=i, wall_s=t, status="timeout" if t == 10 else "ok") for i, t in enumerate(times)]
    store.write("trials", make.table(rows), limits={"wall_limit": 10, "memory_limit": None})
    store.write("trials", make.table([make.row(trial=9, wall_s=9.0)]))
    notes = store.trials().notes
    assert Note(NoteKind.LIMITS, values={"limits": ("wall_limit 10",)}) in notes
    assert Note(NoteKind.NEAR_LIMIT, values={"limit": "wall", "share": 0.2, "near": 2, "cut": 1}) in notes


def test_projection_equals_looking_up_each_row(make):
    rng = np.random.default_rng(0)
    keys = ["a", "b", "c", "d"]
    for same in (True, False):
        maps = [
            None if not same and rng.random() < 0.2
            else [(k, float(rng.random())) for k in (keys if same else rng.permutation(keys)[: rng.integers(0, 5)])]
            for _ in range(200)
        ]  # fmt: skip
        column = pa.array(maps, pa.map_(pa.string(), pa.float64()))
        pieces = pa.chunked_array([column.slice(0, 70), column.slice(70, 1), column.slice(71)])
        found = project(pieces)
        assert set(found) == set(keys)
        for key in keys:
            np.testing.assert_array_equal(found[key], [dict(m or []).get(key, np.nan) for m in maps])


def test_a_larger_table_remembers_that_smaller_ones_were_judged(store, make):
    store.write("trials", make.rows(range(20)))
    n = len(store.trials())
    for _ in range(2):  # the same rows again are no further look
        store.note_look(n)
    assert store.trials().looks == 0
    store.write("trials", make.rows(range(20, 40)))
    later = store.trials()
    assert later.looks == 1
    assert "looks=2" in ogive.rank(later, task="moons").verdict
    store.note_look(len(later))
    assert store.verify().sound
    assert store.trials().looks == 1
