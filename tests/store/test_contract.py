"""What a store promises, one sentence at a time."""

import errno
import json
import logging
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ogive.notes import NoteKind
from ogive.schema import RESERVED, STATUSES
from ogive.store import INNER, SERIES, TRIALS, Store, StoreConflict, StoreDamaged, StoreError, is_store, versions_here

FIXTURE = Path(__file__).parent / "fixtures" / "version-1"
NAMES = [
    "../../etc/passwd",
    "line\nbreak",
    "</script><img src=x onerror=alert(1)>",
    "\u202ertl",
    "/",
    "a" * 5000,
    "日本語 🙂",
]


def test_a_store_is_a_value_that_makes_nothing(tmp_path):
    store = Store(tmp_path / "demo")
    assert store == Store(tmp_path / "demo")
    assert not store.path.exists()
    assert not is_store(store.path)


@pytest.mark.parametrize("call", [Store.finished, Store.table, Store.trials, Store.verify, Store.repair, Store.records])
def test_a_directory_without_a_record_is_no_store(call, tmp_path):
    with pytest.raises(StoreError, match="is no store"):
        call(Store(tmp_path))


def test_rows_come_back_in_the_order_of_the_record_and_of_trials(store, make):
    store.write("trials", make.rows([3, 1]))
    store.write("trials", make.rows([2, 0]))
    rows = store.table().to_pylist()
    expected = [(a, t, i) for a in ("svm", "knn") for t in ("moons", "circles") for i in range(4)]
    assert [(r["algorithm"], r["task"], r["trial"]) for r in rows] == expected
    assert store.table().schema == TRIALS
    assert rows[3]["metrics"] == [("loss", 0.75), ("accuracy", 0.25)]
    assert rows[3]["versions"] == versions_here()[0]


def test_the_highest_attempt_wins(store, make):
    store.write("trials", make.table([make.row(trial=4, attempt=1), make.row(trial=2, attempt=300)]))
    store.write("trials", make.rows(range(5), ["svm"], ["moons"], status="timeout"))
    done = store.finished()["svm", "moons"]
    assert done.trials.tolist() == [0, 1, 2, 3, 4]
    assert done.attempts.tolist() == [0, 0, 300, 0, 1]
    assert [STATUSES[s] for s in done.statuses] == ["timeout", "timeout", "ok", "timeout", "ok"]
    assert store.table()["attempt"].to_pylist() == [0, 0, 300, 0, 1]


def test_equal_copies_are_dropped_without_a_word(store, make, caplog):
    for _ in range(3):
        store.write("trials", make.rows(wall_s=0.1))
    store.write("trials", make.rows(wall_s=0.05, message="slow disk"))
    assert store.table().num_rows == 20
    assert set(store.table()["wall_s"].to_pylist()) == {0.05}
    assert store.verify().sound
    assert not caplog.records


@pytest.mark.parametrize(
    "change", [{"status": "error"}, {"params": '{"C":9}'}, {"metrics": {"loss": 0.5, "accuracy": 0.5000001}},
               {"metrics": {"loss": 0.5}}, {"metrics": None}, {"metrics": {"loss": 0.5, "accuracy": float("nan")}}],
    ids=str,
)  # fmt: skip
def test_copies_that_differ_are_said_loudly(change, store, make, caplog):
    store.write("trials", make.rows())
    store.write("trials", make.table([make.row(trial=2, **change)]))
    with caplog.at_level(logging.WARNING, logger="ogive"):
        assert store.table().num_rows == 20
    assert "trial 2 of 'svm' on 'moons'" in caplog.text
    assert "the algorithm is not deterministic" in caplog.text
    assert any(n.kind is NoteKind.RUN_TWICE and not n.values["versions_changed"] for n in store.trials().notes)
    found = store.verify()
    assert not found.sound
    assert found.differing.same_versions == 1


def test_copies_that_differ_under_other_versions_are_said_to_come_from_them(store, make):
    store.write("trials", make.rows(versions="old"))
    store.write("trials", make.table([make.row(trial=2, status="error", versions="new")]))
    assert "library versions changed" in str(store.verify())


def test_nan_equals_nan_and_the_missing_equals_itself(store, make):
    for _ in range(2):
        store.write("trials", make.rows(metrics={"loss": float("nan")}, params=None))
    assert store.verify().sound


def test_which_copy_is_kept_does_not_depend_on_who_wrote_first(tmp_path, make):
    tables = [make.rows(status=s, wall_s=None, message=m) for s, m in (("ok", "b"), ("ok", "a"), ("error", None))]
    stores = [Store(tmp_path / str(i)) for i in range(4)]
    for i, store in enumerate(stores):
        store.create(make.record())
        for table in tables[i % 3 :] + tables[: i % 3]:
            store.write("trials", table)
    assert all(store.table().equals(stores[0].table()) for store in stores)


def test_items_of_a_trial_are_rows_of_their_own(store, make):
    store.write("trials", make.table([make.row(trial=i, item=q) for i in range(3) for q in ("q2", "q1", "q10")]))
    assert store.table()["item"].to_pylist() == ["q1", "q10", "q2"] * 3
    assert store.finished()["svm", "moons"].trials.tolist() == [0, 1, 2]


def test_inner_and_series_rows_are_those_of_the_highest_attempt_of_finished_trials(store, make):
    def inner(trial, attempt, mean):
        return {"algorithm": "svm", "task": "moons", "trial": trial, "attempt": attempt, "candidate": 0, "params": "{}",
                "scores": [mean, mean], "mean": mean, "status": "ok", "message": None}  # fmt: skip

    store.write(
        "inner", pa.Table.from_pylist([inner(0, 0, 0.1), inner(0, 1, 0.2), inner(1, 0, 0.3), inner(9, 0, 0.9)], INNER)
    )
    series = [{"algorithm": "svm", "task": "moons", "trial": 0, "attempt": 1, "name": "curve", "values": [1.0, 2.0]}]
    store.write("series", pa.Table.from_pylist(series, SERIES))
    store.write("trials", make.table([make.row(trial=0), make.row(trial=0, attempt=1), make.row(trial=1)]))
    assert store.table("inner")["mean"].to_pylist() == [0.2, 0.3]
    assert store.table("series").to_pylist() == series
    store.compact()
    assert store.table("inner")["mean"].to_pylist() == [0.2, 0.3]


def test_the_table_is_the_same_before_and_after_compaction(store, make):
    for i in range(0, 40, 4):
        store.write("trials", make.rows(range(i, i + 5)), limits={"wall_limit": 9})
    store.write("trials", make.rows([7], attempt=2, status="crashed"))
    store.write("trials", make.rows([8], status="error"))
    before, notes = store.table(), store.trials().notes
    store.compact()
    assert store.part_counts()["trials"] == 2  # one for each set of limits
    assert store.table().equals(before)
    assert store.trials().notes == notes
    names = os.listdir(store.path / "trials")
    store.compact()
    assert os.listdir(store.path / "trials") == names


def test_compaction_that_was_killed_before_it_removed_the_small_parts_does_no_harm(store, make, monkeypatch):
    for i in range(4):
        store.write("trials", make.rows(range(5 * i, 5 * i + 5)))
    before = store.table()
    unlink = Path.unlink

    def killed(self, missing_ok=False):
        if self.suffix == ".parquet":
            raise KeyboardInterrupt
        unlink(self, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", killed)
    with pytest.raises(KeyboardInterrupt):
        store.compact()
    monkeypatch.undo()
    assert store.part_counts()["trials"] == 5
    assert store.table().equals(before)
    assert store.verify().sound
    store.compact()
    assert store.part_counts()["trials"] == 1
    assert store.table().equals(before)


def test_a_compaction_that_comes_late_takes_its_part_back_and_loses_nothing(store, make, monkeypatch):
    from ogive.store import _care

    for i in range(6):
        store.write("trials", make.rows([i]))
    before, write_part = store.table(), _care.write_part

    def late(*arguments, **said):
        monkeypatch.setattr(_care, "write_part", write_part)
        store.compact()  # another one, from its look to its end
        store.write("trials", make.rows([0]))
        return write_part(*arguments, **said)

    monkeypatch.setattr(_care, "write_part", late)
    store.compact()
    assert store.table().equals(before)
    assert store.verify().rows["trials"] == 24


def test_curves_that_are_all_alike_are_read_back(store, make):
    """A million zeros take little room on the disk, and were taken for a file made to fill the memory."""
    cell = {"algorithm": "svm", "task": "moons", "attempt": 0}
    rows = [{**cell, "trial": i, "name": "c", "values": np.zeros(500_000)} for i in range(2)]
    name = store.write("series", pa.Table.from_pylist(rows, SERIES))
    store.write("trials", make.rows(range(2)))
    assert store.table("series").num_rows == 2
    assert store.verify().sound
    assert (store.path / "series" / name).stat().st_size < 100_000


def test_a_trial_may_have_a_hundred_thousand_metrics(store, make):
    store.write("trials", make.table([make.row(metrics={f"m{i}": float(i) for i in range(100_000)})]))
    assert len(store.trials().metrics) == 100_000
    assert store.verify().sound


def test_a_part_says_what_it_is_and_a_compacted_one_keeps_what_its_parts_said(store, make, monkeypatch):
    monkeypatch.setattr("ogive.store._store.versions_here", lambda: ("old", {"numpy": "1"}))
    store.write("trials", make.rows([0]), limits={"wall_limit": 9})
    monkeypatch.undo()
    store.write("trials", make.rows([1]), limits={"wall_limit": 9})
    store.compact()
    (path,) = (store.path / "trials").iterdir()
    said = json.loads(pq.read_metadata(path).metadata[b"ogive"])
    assert set(said) == {
        "format",
        "version",
        "study",
        "kind",
        "rows",
        "columns",
        "content",
        "versions",
        "limits",
        "seal",
    }
    assert (said["format"], said["version"], said["kind"], said["rows"]) == ("ogive-store", 1, "trials", 8)
    assert said["limits"] == {"wall_limit": 9}
    assert said["versions"] == {"old": {"numpy": "1"}, versions_here()[0]: versions_here()[1]}
    assert (store.path / "study" / "000000" / f"{said['study']}.json").exists()
    assert set(store.table()["versions"].to_pylist()) == set(said["versions"])


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_never_become_file_names(name, tmp_path, make):
    store = Store(tmp_path / "demo")
    store.create(make.record(algorithms={name: {}}, tasks={name: {}}))
    store.write("trials", make.rows(range(3), [name], [name]))
    assert list(store.finished()) == [(name, name)]
    assert store.trials().algorithms == (name,)
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(files) == 2
    assert {p.relative_to(store.path).parts[0] for p in files} == {"study", "trials"}
    assert all(
        part.removesuffix(".json").removesuffix(".parquet").isalnum()
        for p in files
        for part in p.relative_to(store.path).parts
    )


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "\ud800"])
def test_names_that_no_reader_gives_back_are_refused(name, tmp_path, make):
    with pytest.raises(StoreError, match="the name of an algorithm must"):
        Store(tmp_path / "demo").create(make.record(algorithms={name: {}}))
    assert not (tmp_path / "demo").exists()


def test_an_added_algorithm_joins_what_is_there(store, make):
    store.write("trials", make.rows())
    store.create(make.record())
    assert len(os.listdir(store.path / "study")) == 1
    store.create(
        make.record(algorithms={"forest": {"class": "RF"}}, metrics={"auc": {"goal": "maximize", "bounds": [0, 1]}})
    )
    records, merged = store.records()
    assert len(records) == 2
    assert list(merged["algorithms"]) == ["svm", "knn", "forest"]
    assert list(merged["metrics"]) == ["loss", "accuracy", "auc"]
    store.write("trials", make.rows(algorithms=["forest"], metrics={"auc": 0.5}))
    assert store.trials().algorithms == ("svm", "knn", "forest")
    assert store.trials().metrics == ("loss", "accuracy", "auc")


@pytest.mark.parametrize(
    ("change", "shown"),
    [({"algorithms": {"svm": {"class": "SVC", "space": {"C": [0.01, 1000.0]}}}}, r"algorithm 'svm': space.C\[1\] was 100.0, is 1000.0"),
     ({"algorithms": {"svm": {"class": "SVC"}}}, "algorithm 'svm': space was .*, is gone"),
     ({"tasks": {"moons": {"fingerprint": {"n": 2000}, "scope": "these rows", "n_rows": None}}}, 'task \'moons\': scope was "generator", is "these rows"'),
     ({"seed": 1}, "seed was 0, is 1"),
     ({"holds": {"config": {"every": 10}}}, 'holds was {}, is {"config":{"every":10}}'),
     ({"metrics": {"loss": {"goal": "maximize", "bounds": [0.0, None]}}}, 'metric \'loss\': goal was "minimize", is "maximize"'),
     ({"metrics": {"accuracy": {"goal": "maximize", "bounds": [0.0, 100.0]}}}, r"metric 'accuracy': bounds\[1\] was 1.0, is 100.0")],
    ids=["space", "gone", "task", "seed", "holds", "goal", "bounds"],
)  # fmt: skip
def test_a_study_that_does_not_fit_is_refused_with_the_difference(change, shown, store, make):
    with pytest.raises(StoreConflict, match=shown) as refused:
        store.create(make.record(**change))
    assert all(way in str(refused.value) for way in ("new name", "new directory", "--accept-change"))
    assert len(os.listdir(store.path / "study")) == 1


def test_an_accepted_change_is_recorded_and_said(store, make):
    store.write("trials", make.rows())
    changed = make.record(algorithms={"svm": {"class": "SVC", "space": {"C": [0.01, 7.0]}}})
    store.create(changed, accept_change=True)
    store.create(changed)
    assert store.records().merged["algorithms"]["svm"]["space"]["C"] == [0.01, 7.0]
    assert any(
        "was 100.0, is 7.0" in n.values["change"] for n in store.trials().notes if n.kind is NoteKind.CHANGE_ACCEPTED
    )
    assert store.verify().sound


@pytest.fixture
def late(monkeypatch):
    """Lets something happen between the look of a `create` and its writing, once."""
    from ogive.store import _store

    claim = _store.claim

    def prepare(happens):
        def claimed(*arguments):
            monkeypatch.setattr(_store, "claim", claim)
            happens()
            return claim(*arguments)

        monkeypatch.setattr(_store, "claim", claimed)

    return prepare


def test_of_two_studies_begun_at_once_the_second_is_refused(tmp_path, make, late):
    other = Store(tmp_path / "race")
    late(lambda: Store(other.path).create(make.record(seed=1)))
    with pytest.raises(StoreConflict, match="seed was 1, is 0"):
        other.create(make.record())
    assert [r["seed"] for r in other.records().records] == [1]
    assert [p.name for p in (other.path / "study").iterdir()] == ["000000"]
    with pytest.raises(StoreConflict, match="seed was 1, is 0"):  # whoever goes on all the same
        other.write("trials", make.rows())
    assert other.part_counts()["trials"] == 0


def test_of_two_equal_studies_begun_at_once_both_go_on(tmp_path, make, late):
    store = Store(tmp_path / "race")
    late(lambda: Store(store.path).create(make.record()))
    store.create(make.record())
    store.write("trials", make.rows())
    assert len(store.records().records) == 1


def test_of_two_studies_that_add_something_at_once_each_knows_of_the_other(store, make, late):
    late(lambda: Store(store.path).create(make.record(algorithms={"forest": {}})))
    store.create(make.record(algorithms={"boost": {}}))
    assert [list(r["algorithms"]) for r in store.records().records] == [["svm", "knn"], ["forest"], ["boost"]]
    late(lambda: Store(store.path).create(make.record(algorithms={"tree": {"depth": 1}})))
    with pytest.raises(StoreConflict, match="'tree': depth was 1, is 2"):
        store.create(make.record(algorithms={"tree": {"depth": 2}}))


def test_a_running_study_is_stopped_by_a_change_that_somebody_else_accepted(store, make):
    store.write("trials", make.rows([0]))
    Store(store.path).create(make.record(seed=1), accept_change=True)
    with pytest.raises(StoreConflict, match="seed was 1, is 0"):
        store.write("trials", make.rows([1]))
    Store(store.path).write("trials", make.rows([2]))  # no study of its own: of that which stands
    assert make.trial_numbers(store) == [0, 2]


def test_rows_are_stamped_with_the_record_of_their_writer(store, make):
    Store(store.path).create(make.record(algorithms={"forest": {}}))
    name = store.write("trials", make.rows())
    said = json.loads(pq.read_metadata(store.path / "trials" / name).metadata[b"ogive"])
    assert (store.path / "study" / "000000" / f"{said['study']}.json").exists()


def records_of(store):
    return sorted((store.path / "study").glob("*/*.json"))


def test_a_record_that_is_gone_is_named_and_its_study_makes_it_again(store, make):
    store.write("trials", make.rows())
    more = Store(store.path)
    more.create(make.record(algorithms={"forest": {}}, metrics={"auc": {"goal": "maximize", "bounds": [0, 1]}}))
    more.write("trials", make.rows(algorithms=["forest"], metrics={"auc": 0.5}))
    before = store.table()
    first, second = records_of(store)
    for lost, study in ((first, make.record()), (second, more._mine)):
        content = lost.read_bytes()
        lost.unlink()
        assert not store.verify().sound
        with pytest.raises(StoreDamaged, match="is gone" if lost is first else "belongs to another study"):
            store.table()
        with pytest.raises(StoreError):
            store.write("trials", make.rows()) if lost is first else more.write("trials", make.rows())
        Store(store.path).create(study)
        assert lost.read_bytes() == content
        assert store.table().equals(before)
    assert store.verify().sound


def test_a_study_goes_on_without_a_record_that_is_gone_only_where_that_is_accepted(store, make):
    other = make.record(algorithms={"forest": {}})
    store.create(other)
    records_of(store)[0].unlink()
    with pytest.raises(StoreDamaged, match="is gone, and later records build on it"):
        store.create(make.record(algorithms={"boost": {}}))
    store.create(make.record(algorithms={"boost": {}}), accept_change=True)
    store.write("trials", make.rows(algorithms=["forest", "boost"]))
    assert any(n.kind is NoteKind.CHANGE_ACCEPTED and "is gone" in n.values["change"] for n in store.trials().notes)
    assert store.verify().sound


def test_a_record_copied_or_renamed_changes_nothing_and_one_put_elsewhere_is_named(store, make):
    store.create(make.record(algorithms={"forest": {}}))
    store.write("trials", make.rows())
    before = store.records()
    shutil.copytree(store.path / "study" / "000000", store.path / "study" / "000009")
    (store.path / "study" / "000001").rename(store.path / "study" / "000004")
    assert store.records() == before
    (record,) = (store.path / "study" / "000000").iterdir()
    shutil.copy(record, store.path / "study" / record.name)
    assert [d.reason for d in store.verify().damaged] == ["stands outside of the numbered folder of a record"]


@pytest.mark.parametrize(
    ("change", "message"),
    [({"algorithm": "nobody"}, "is not in the study record"), ({"trial": -1}, "must hold numbers from 0"),
     ({"status": "fine"}, "must hold one of ok, error"), ({"metrics": {"trial": 1.0}}, "must not be called 'trial'"),
     ({"task": None}, "must not be empty; 1 of 1 rows")],
    ids=lambda v: str(v)[:20],
)  # fmt: skip
def test_rows_that_break_a_rule_are_refused_and_nothing_is_written(change, message, store, make):
    with pytest.raises(StoreError, match=message):
        store.write("trials", make.table([make.row(**change)]))
    assert not list((store.path).glob("trials/*"))


def test_tables_of_another_form_are_refused(store, make):
    with pytest.raises(StoreError, match="must be one of 'trials', 'inner', 'series'"):
        store.write("curves", make.rows())
    with pytest.raises(StoreError, match="must have the columns"):
        store.write("inner", make.rows())
    with pytest.raises(StoreError, match="at least one row"):
        store.write("trials", make.rows([]))
    odd = make.rows().set_column(2, "trial", pa.array(["x"] * 20))
    with pytest.raises(StoreError, match="must have the types"):
        store.write("trials", odd)


@pytest.mark.parametrize("record", [None, {}, {"seed": 0}], ids=str)
def test_what_is_no_study_record_is_refused(record, tmp_path):
    with pytest.raises(StoreError, match="`record` must"):
        Store(tmp_path / "demo").create(record)


def test_a_file_system_without_links_is_served_by_renaming(store, make, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", refuse)
    store.write("trials", make.rows())
    store.create(make.record(algorithms={"forest": {}}))
    assert store.table().num_rows == 20
    assert not list(store.path.rglob(".*"))


def test_the_store_of_format_version_1_stays_readable():
    store = Store(FIXTURE)
    expected = json.loads((FIXTURE / "expected.json").read_text(encoding="utf-8"))
    for kind in ("trials", "inner", "series"):
        assert json.loads(json.dumps(store.table(kind).to_pylist())) == expected[kind]
    assert store.verify().sound
    assert store.records().merged["seed"] == 7
    assert sum(p.stat().st_size for p in FIXTURE.rglob("*") if p.is_file()) < 30_000


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    str.strip
)
texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
rows = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(["svm", "knn"]), "task": st.sampled_from(["moons", "circles"]),
        "trial": st.integers(0, 2**63 - 1), "attempt": st.integers(0, 2**15 - 1), "item": st.none(), "group": texts,
        "status": st.sampled_from(STATUSES), "message": texts, "params": texts,
        "metrics": st.none() | st.dictionaries(names.filter(lambda n: n not in RESERVED), st.floats(), max_size=3),
        "wall_s": st.none() | st.floats(), "cpu_s": st.none() | st.floats(), "versions": st.just("v"),
    }
)  # fmt: skip


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    given=st.lists(rows, min_size=1, max_size=12, unique_by=lambda r: (r["algorithm"], r["task"], r["trial"])),
    cut=st.integers(0, 12),
)
def test_every_row_comes_back_bit_for_bit(given, cut, tmp_path_factory, make):
    store = Store(tmp_path_factory.mktemp("store") / "demo")
    store.create(make.record())
    for piece in (given[:cut], given[cut:]):
        if piece:
            store.write("trials", make.table([make.row(**row) for row in piece]))
    found = store.table()
    place = {"svm": 0, "knn": 1, "moons": 0, "circles": 1}
    ordered = sorted(given, key=lambda r: (place[r["algorithm"]], place[r["task"]], r["trial"]))
    assert repr(found.to_pylist()) == repr(make.table([make.row(**row) for row in ordered]).to_pylist())
    done = store.finished()
    assert sum(cell.trials.size for cell in done.values()) == len(given)
    store.compact()
    assert repr(store.table().to_pylist()) == repr(found.to_pylist())
    assert store.verify().sound
    columns = store.trials()
    for name in columns.metrics:
        values = [dict(r["metrics"] or {}).get(name, np.nan) for r in ordered]
        np.testing.assert_array_equal(columns.values(name), values)


def test_a_damaged_record_is_named_and_the_rows_stay_readable(store, make):
    store.write("trials", make.rows())
    (record,) = records_of(store)
    before = store.table()
    make.flipped(record, 40)
    assert is_store(store.path)
    with pytest.raises(StoreDamaged, match=r"study/.*does not hold what its name says"):
        store.table()
    assert store.table(allow_missing=True).num_rows == 20
    store.repair()
    store.create(make.record())
    assert store.table().equals(before)
