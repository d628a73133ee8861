"""Well sealed files that break a rule are damage with a name; what is young or cut is none."""

import json
import logging

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ogive.canonical import digest
from ogive.notes import Note, NoteKind
from ogive.store import Store, StoreDamaged, StoreError
from ogive.store._parts import write_part
from ogive.store._records import DEEPEST, MOST_BYTES


def sealed(store, make, limits=None, **changes):
    """A part that no honest writer makes, with a seal that fits."""
    study = store._existing().entries[-1].name
    table = make.table([make.row(**{"trial": 7, **changes})])
    return write_part(store.path / "trials", "trials", table, study=study, limits=limits or {}, versions={})


PARTS = {
    "status": ({"status": "weird"}, "'status' must hold one of ok, error"),
    "no algorithm": ({"algorithm": None}, "column 'algorithm' must not be empty"),
    "empty name": ({"task": " "}, "the name of a task must be text that is not empty"),
    "trial": ({"trial": -3}, "column 'trial' must hold numbers from 0; got -3"),
    "limits": ({"limits": 5}, "has a description that breaks a rule"),
    "nested limits": ({"limits": {"wall_limit": [1]}}, "has a description that breaks a rule"),
    "metric": ({"metrics": {"algorithm": 1.0}}, "a metric must not be called 'algorithm'"),
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_that_breaks_a_rule_is_named_and_the_rest_stays_readable(kind, store, make):
    changes, reason = PARTS[kind]
    store.write("trials", make.rows())
    name = sealed(store, make, **changes)
    for call in (store.table, store.trials):
        with pytest.raises(StoreDamaged, match=f"trials/{name} .*{reason}"):
            call()
    assert len(store.trials(allow_missing=True)) == 20
    store.finished(allow_missing=True)
    found = store.verify()
    assert [damage.path for damage in found.damaged] == [f"trials/{name}"]
    assert store.repair().moved
    assert store.verify().sound


def test_text_that_is_no_text_is_damage(store, make):
    store.write("trials", make.rows())
    name = sealed(store, make, message="plain words")
    path = store.path / "trials" / name
    table = pq.read_table(path)
    broken = pa.StringArray.from_buffers(1, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe"))
    place = table.column_names.index("message")
    study = store._existing().entries[-1].name
    path.unlink()
    odd = table.set_column(place, "message", broken).replace_schema_metadata(None)
    write_part(store.path / "trials", "trials", odd, study=study, limits={}, versions={})
    with pytest.raises(StoreDamaged, match="has a damaged page"):
        store.trials()


def published(store, content):
    folder = store.path / "study" / "000007"
    folder.mkdir()
    (folder / f"{digest(content)}.json").write_bytes(content)


def body(make, **changes):
    record = make.record(**changes)
    return {"format": "ogive-study", "version": 1, "record": record, "follows": [], "accepted": []}


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


RECORDS = {
    "brackets": lambda make: b"[" * 200_000,
    "deep": lambda make: json.dumps(body(make, algorithms={"svm": nested(DEEPEST + 5)})).encode(),
    "large": lambda make: b" " * (MOST_BYTES + 1),
    "holds": lambda make: json.dumps(body(make, holds=[1])).encode(),
    "varied": lambda make: json.dumps(body(make, varied=[["data"]])).encode(),
    "tasks": lambda make: json.dumps(body(make, tasks={"moons": ["scope"]})).encode(),
    "scope": lambda make: json.dumps(body(make, tasks={"moons": {"scope": ["a"]}})).encode(),
    "name": lambda make: json.dumps(body(make, name=5)).encode(),
    "follows": lambda make: json.dumps({**body(make), "follows": [[]]}).encode(),
    "accepted": lambda make: json.dumps({**body(make), "accepted": 5}).encode(),
    "version": lambda make: json.dumps({**body(make), "version": "one"}).encode(),
    "no object": lambda make: b"5",
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_that_breaks_a_rule_is_named_and_can_be_set_aside(kind, store, make):
    store.write("trials", make.rows())
    published(store, RECORDS[kind](make))
    found = store.verify()
    assert len(found.damaged) == 1
    assert found.damaged[0].reason.startswith(("is no study record", "is larger than a study record may be"))
    with pytest.raises(StoreDamaged):
        store.trials()
    assert len(store.trials(allow_missing=True)) == 20
    store.repair()
    assert len(store.trials()) == 20


def test_a_record_that_no_reader_would_take_is_refused_before_it_is_written(tmp_path, make):
    store = Store(tmp_path / "demo")
    for algorithms, words in (
        ({"svm": nested(DEEPEST + 5)}, "nested deeper than"),
        ({"svm": "x" * MOST_BYTES}, "must not take more than"),
    ):
        with pytest.raises(StoreError, match=words):
            store.create(make.record(algorithms=algorithms))
    assert not store.path.exists()


def test_what_a_file_says_of_itself_never_steers_a_terminal(store, make):
    store.write("trials", make.rows())
    write_part(store.path / "trials", "trials", make.rows(), study="\x1b[31mEVIL\x1b[2J", limits={}, versions={})
    found = store.verify()
    assert "\x1b" not in str(found) + found.damaged[0].reason + str(found.damaged[0])
    assert "\x1b" not in str(store.repair())


@pytest.mark.parametrize("call", ["finished", "table", "trials", "verify", "repair", "compact"])
def test_parts_of_a_record_that_was_published_a_moment_later_are_at_home(call, store, make, monkeypatch):
    store.write("trials", make.rows())
    old = store._existing()
    store.create(make.record(algorithms={"forest": {"class": "RF"}}))
    store.write("trials", make.rows(algorithms=["forest"]))
    now, ledgers = Store._existing, [old]
    monkeypatch.setattr(Store, "_existing", lambda self: ledgers.pop() if ledgers else now(self))
    found = getattr(store, call)()
    assert not ledgers
    if call == "repair":
        assert found.moved == ()
    elif call == "verify":
        assert found.sound
    elif call == "trials":
        assert found.algorithms == ("svm", "knn", "forest")
    assert store.table().num_rows == 30


def test_repair_looks_for_new_records_once_more_before_it_moves_anything(store, make, monkeypatch):
    from ogive.store import _care, _reading

    old = store._existing()
    store.create(make.record(algorithms={"forest": {"class": "RF"}}))
    store.write("trials", make.rows(algorithms=["forest"]))
    now, ledgers = Store._existing, [old]
    monkeypatch.setattr(Store, "_existing", lambda self: ledgers.pop() if ledgers else now(self))
    monkeypatch.setattr(_reading, "read_ledger", lambda path: old)  # a listing that is behind, as on a network
    real = _care.read_ledger

    def fresh(path):
        monkeypatch.undo()
        return real(path)

    monkeypatch.setattr(_care, "read_ledger", fresh)
    assert store.repair().moved == ()
    assert store.table().num_rows == 10


def test_what_varied_in_any_run_varied_in_the_table(store, make):
    store.write("trials", make.rows())
    store.create(make.record(algorithms={"forest": {}}, varied=["seed"]))
    store.write("trials", make.rows(algorithms=["forest"]))
    assert store.trials().varied == ("configuration", "data", "seed")


@pytest.mark.parametrize("status", ["timeout", "memory", "crashed"])
def test_of_two_copies_of_an_attempt_the_one_that_succeeded_counts_and_the_other_contradicts_nobody(
    status, store, make, caplog
):
    cut = {"status": status, "metrics": None, "wall_s": None, "cpu_s": None, "message": "worker lost", "params": None}
    for change in (cut, {}, cut):
        store.write("trials", make.rows(**change))
    with caplog.at_level(logging.WARNING, logger="ogive"):
        assert set(store.table()["status"].to_pylist()) == {"ok"}
    assert not caplog.records
    assert store.verify().sound
    assert store.finished()["svm", "moons"].statuses.tolist() == [0] * 5
    store.compact()
    assert set(store.table()["status"].to_pylist()) == {"ok"}


def test_a_copy_that_failed_by_itself_still_contradicts_one_that_succeeded(store, make):
    tied = {"wall_s": None, "cpu_s": None}
    store.write("trials", make.rows(status="crashed", metrics=None, **tied))
    store.write("trials", make.rows(status="error", metrics=None, **tied))
    store.write("trials", make.rows(**tied))
    assert "20 trials were run twice with different results" in str(store.verify())
    assert set(store.table()["status"].to_pylist()) == {"ok"}


def test_trials_close_to_the_cpu_limit_and_those_over_the_memory_limit_are_counted(store, make):
    said = {"timeout": "CPU limit of 10 s", "memory": "memory limit of 400 MB"}
    rows = [(1.0, "ok"), (7.9, "ok"), (8.5, "ok"), (None, "timeout"), (3.0, "memory")]
    table = [make.row(trial=i, cpu_s=t, status=s, message=said.get(s)) for i, (t, s) in enumerate(rows)]
    store.write("trials", make.table(table), limits={"cpu_limit": 10, "wall_limit": 100, "memory_limit": 4e8})
    notes = store.trials().notes
    assert Note(NoteKind.NEAR_LIMIT, values={"limit": "CPU", "share": 0.2, "near": 1, "cut": 1}) in notes
    assert Note(NoteKind.CUT_BY_MEMORY, values={"n": 1}) in notes
    assert not any(n.values["limit"] == "wall" for n in notes if n.kind is NoteKind.NEAR_LIMIT)


def test_a_quarantine_that_lies_elsewhere_is_refused(store, part, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (store.path / "quarantine").symlink_to(elsewhere)
    part.write_bytes(b"")
    with pytest.raises(StoreError, match="quarantine is a symbolic link"):
        store.repair()
    assert part.exists()
    assert list(elsewhere.iterdir()) == []


def test_rows_that_were_made_elsewhere_keep_the_versions_of_that_place(store, make):
    table = make.rows(versions="there")
    name = store.write("trials", table, versions={"there": {"numpy": "1.0"}})
    said = json.loads(pq.read_metadata(store.path / "trials" / name).metadata[b"ogive"])
    assert said["versions"] == {"there": {"numpy": "1.0"}}
