"""A full disk at any step of any write: one sentence that names the file, and nothing half written to be seen."""

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest

from ogive.store import INNER, SERIES, StoreError

CELL = {"algorithm": "svm", "task": "moons", "trial": 0, "attempt": 0}
CANDIDATE = {**CELL, "candidate": 0, "params": "{}", "scores": [0.5], "mean": 0.5, "status": "ok", "message": None}
CURVE = {**CELL, "name": "c", "values": [1.0]}
WRITES = {
    "record": lambda store, make: store.create(make.record(algorithms={"forest": {}})),
    "trials": lambda store, make: store.write("trials", make.rows([7])),
    "inner": lambda store, make: store.write("inner", pa.Table.from_pylist([CANDIDATE], INNER)),
    "series": lambda store, make: store.write("series", pa.Table.from_pylist([CURVE], SERIES)),
    "looks": lambda store, make: store.note_look(20),
    "plan.json": lambda store, make: store.note_plan([("svm", "moons")], 9),
    "compaction": lambda store, make: store.compact(),
    "repair": lambda store, make: store.repair(),
}
NAMED = {"record": "study/000001/", "compaction": "trials", "repair": "trials"}
STEPS = ("open", "write", "fsync", "link", "rename", "mkdir", "unlink")


@pytest.fixture
def full(monkeypatch):
    """Makes one step of writing fail, from its n-th time on; says whether it was reached."""

    def at(step, number):
        seen = {"count": 0, "reached": False}

        def checked(real):
            def call(*arguments, **named):
                seen["count"] += 1
                if seen["count"] > number:
                    seen["reached"] = True
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return real(*arguments, **named)

            return call

        if step == "open":
            real = Path.open
            monkeypatch.setattr(
                Path,
                "open",
                lambda self, mode="r", *a, **k: (checked(real) if "x" in mode else real)(self, mode, *a, **k),
            )
        elif step == "write":
            real = Path.open

            def opened(self, mode="r", *arguments, **named):
                handle = real(self, mode, *arguments, **named)
                return _Full(handle, checked) if "x" in mode else handle

            monkeypatch.setattr(Path, "open", opened)
        else:
            monkeypatch.setattr(os, step, checked(getattr(os, step)))
        return seen

    return at


class _Full:
    """A file whose disk is full after half of what is written."""

    def __init__(self, handle, checked):
        self._handle, self._checked = handle, checked

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._handle.close()

    def __getattr__(self, name):
        return getattr(self._handle, name)

    def write(self, content):
        self._handle.write(content[: len(content) // 2])
        self._handle.flush()
        return self._checked(lambda rest: self._handle.write(rest))(content[len(content) // 2 :])


@pytest.mark.parametrize(
    ("step", "number"),
    [("write", 0), *(pytest.param(step, n, marks=pytest.mark.slow) for step in STEPS for n in (0, 1))],
)
@pytest.mark.parametrize("write", WRITES)
def test_a_full_disk_is_one_sentence_and_shows_nothing_half_written(
    write, step, number, store, make, full, monkeypatch
):
    for i in range(3):
        store.write("trials", make.rows([i]))
    if write == "repair":
        (store.path / "trials" / "odd.parquet").write_bytes(b"no part")
    before = store.table(allow_missing=True)
    seen = full(step, number)
    try:
        WRITES[write](store, make)
        failed = None
    except StoreError as error:
        failed = str(error)
    monkeypatch.undo()
    if failed is not None:
        assert NAMED.get(write, write) in failed
        assert "the disk is full; free some space and go on" in failed
        assert failed.count(". ") == 0
    elif seen["reached"]:
        assert step == "unlink" or (step, write) == ("link", "record"), "swallowed"
    left = list(store.path.rglob("*.tmp"))
    assert not left or step == "unlink"
    after = store.table(allow_missing=True)
    rows = {repr(row) for row in after.to_pylist()}
    assert rows >= {repr(row) for row in before.to_pylist()}
    if write == "repair":
        store.repair()
    assert store.verify().sound
    WRITES[write](store, make)  # once there is space again
    assert store.verify().sound
