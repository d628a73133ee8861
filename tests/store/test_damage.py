"""Every kind of damage is named; the rest stays readable; repair moves and never deletes."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ogive.canonical import canonical, digest
from ogive.notes import Note, NoteKind
from ogive.store import SERIES, Store, StoreDamaged, StoreError
from ogive.store._reading import load


def description(path):
    return json.loads(pq.read_metadata(path).metadata[b"ogive"])


def rewritten(path, **changes):
    """A part whose description says something else, its seal made anew."""
    said = {**description(path), **changes}
    said.pop("seal")
    said["seal"] = digest(canonical(said))
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({b"ogive": canonical(said).encode()}), path, compression="zstd")


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


def empty(path):
    path.write_bytes(b"")


def flip_a_page(path, leaf=2):  # the trial numbers
    column = pq.read_metadata(path).row_group(0).column(leaf)
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 3] ^= 1
    path.write_bytes(bytes(content))


def flip_the_footer(path):
    content = bytearray(path.read_bytes())
    place = content.rindex(b'"rows":20')
    content[place + 7] ^= 1
    path.write_bytes(bytes(content))


def foreign(path):
    pq.write_table(pa.table({"x": [1, 2]}), path)


def not_parquet(path):
    path.write_bytes(b"algorithm,score\nsvm,0.5\n")


def newer(path):
    rewritten(path, version=2)


def other_columns(path):
    said = description(path)
    table = pq.read_table(path).drop_columns(["cpu_s"])
    pq.write_table(table.replace_schema_metadata({b"ogive": canonical(said).encode()}), path)


def other_study(path):
    rewritten(path, study="0" * 64)


def other_kind(path):
    rewritten(path, kind="inner")


def linked(path):
    target = path.parent.parent / "elsewhere.parquet"
    path.rename(target)
    path.symlink_to(target)


def folder(path):
    path.unlink()
    path.mkdir()


def giant(path):
    """A footer that claims 10^9 rows."""
    said = {**description(path), "rows": 10**9}
    said.pop("seal")
    said["seal"] = digest(canonical(said))
    text = canonical(said)
    n = 10**9
    table = pa.table({"x": pa.nulls(0, pa.int64())}).replace_schema_metadata({b"ogive": text.encode()})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    content = bytearray(sink.getvalue().to_pybytes())
    length = int.from_bytes(content[-8:-4], "little")
    begin = len(content) - 8 - length
    footer = content[begin:-8]
    zero = footer.index(b"\x16\x00")  # num_rows, a zig-zag number
    number, value = b"", 2 * n
    while True:
        number += bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
        value >>= 7
        if not value:
            break
    footer = footer[: zero + 1] + number + footer[zero + 2 :]
    path.write_bytes(bytes(content[:begin]) + bytes(footer) + len(footer).to_bytes(4, "little") + b"PAR1")


KINDS = {
    "truncated": (truncate, "is truncated", None),
    "empty": (empty, "is empty", None),
    "page": (flip_a_page, "has a damaged page .*CRC", 20),
    "footer": (flip_the_footer, "has a damaged description: its seal", None),
    "foreign": (foreign, "was not written by Ogive", None),
    "no Parquet": (not_parquet, "is no Parquet file", None),
    "newer": (newer, "has format 2 of a newer version of Ogive; upgrade", None),
    "columns": (other_columns, "has other columns or types", 20),
    "study": (other_study, "belongs to another study", 20),
    "kind": (other_kind, "holds 'inner' and stands among 'trials'", 20),
    "link": (linked, "is a symbolic link", None),
    "folder": (folder, "is no regular file", None),
    "giant": (giant, "claims 1000000000 rows in .* bytes", 10**9),
}


@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_named_and_the_rest_stays_readable(kind, store, part):
    damage, reason, rows = KINDS[kind]
    damage(part)
    for call in (store.table, store.trials, store.finished):
        with pytest.raises(StoreDamaged, match=reason) as refused:
            call()
        assert part.name in str(refused.value)
        assert "allow_missing=True" in str(refused.value)
    assert os.path.lexists(part)
    trials = store.trials(allow_missing=True)
    assert len(trials) == 8
    missing = {"n": 1, "n_parts": 2, "rows": rows or 0, "unknown": int(rows is None)}
    assert Note(NoteKind.DAMAGED, values=missing) in trials.notes
    found = store.verify()
    assert not found.sound
    assert [(d.path, d.rows) for d in found.damaged] == [(f"trials/{part.name}", rows)]
    assert found.rows["trials"] == 8


@pytest.mark.parametrize("kind", KINDS)
def test_repair_sets_aside_what_is_damaged_and_a_resume_sees_what_to_do(kind, store, part, make):
    KINDS[kind][0](part)
    done = store.repair()
    if kind == "newer":  # another version reads it: not ours to move
        assert not done.moved
        assert part.exists()
        return
    assert not os.path.lexists(part)
    assert os.path.lexists(store.path / done.moved[0][1])
    assert make.trial_numbers(store) == [5, 6]
    assert any(note.kind is NoteKind.SET_ASIDE for note in store.trials().notes)
    store.write("trials", make.rows(range(5)))
    assert store.table().num_rows == 28
    assert str(store.repair()) == f"{str(store.path)!r}: nothing to repair."


def test_one_flipped_bit_in_a_score_is_caught_by_every_read_of_scores(store, part):
    flip_a_page(part, leaf=10)
    for call in (store.table, store.trials, store.finished):
        with pytest.raises(StoreDamaged, match=r"has a damaged page .*CRC"):
            call()
    assert sum(cell.trials.size for cell in store.finished(allow_missing=True).values()) == 8


def test_a_part_whose_checksums_fit_but_whose_numbers_are_not_those_written_is_caught(store, part):
    table = pq.read_table(part)
    other = table.set_column(10, "wall_s", pa.array([0.125] * 20))
    pq.write_table(
        other.replace_schema_metadata(table.schema.metadata), part, compression="zstd", write_page_checksum=True
    )
    with pytest.raises(StoreDamaged, match="the content of 'wall_s' differs"):
        store.table()


def test_two_files_of_one_name_are_both_kept_in_quarantine(store, part):
    for _ in range(2):
        part.write_bytes(b"damaged")
        store.repair()
    assert len(list((store.path / "quarantine" / "trials").iterdir())) == 2


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_a_flipped_bit_anywhere_is_refused_or_changes_nothing(store, make, step):
    """Over pages, page headers, column metadata and the description; each byte, or one in eleven; one bit of it."""
    path = store.path / "trials" / store.write("trials", make.rows(range(2), ["svm"], ["moons"]))
    whole = path.read_bytes()
    known = store._ledger().known
    before = load(store.path, "trials", known).table
    refused = 0
    for place in range(0, len(whole), step):
        content = bytearray(whole)
        content[place] ^= 1 << (place % 8)
        path.write_bytes(bytes(content))
        found = load(store.path, "trials", known)
        refused += bool(found.damaged)
        assert found.damaged or found.table.equals(before)
    assert (
        refused > len(whole) / step / 4
    )  # names, statistics and the second copy of the description are free to change


def test_a_symbolic_link_for_a_folder_of_parts_is_refused(store, part, make):
    (store.path / "trials").rename(store.path.parent / "elsewhere")
    (store.path / "trials").symlink_to(store.path.parent / "elsewhere")
    with pytest.raises(StoreError, match="is a symbolic link"):
        store.table()
    with pytest.raises(StoreError, match="is a symbolic link"):
        store.write("trials", make.rows())


DYING = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
from conftest import Store, make_record, make_rows
step, path = sys.argv[2:]
real = os.fsync
def end(*arguments):
    print("written", flush=True)
    time.sleep(600)
os.fsync = end
Store(path).create(make_record(seed=0, algorithms={"forest": {}})) if step == "record" else Store(path).write("trials", make_rows())
"""


@pytest.fixture
def half_way(store):
    """Starts a writer that stops when it has written half of a record or part."""
    started = []

    def start(step):
        command = [sys.executable, "-c", DYING, str(Path(__file__).parent), step, str(store.path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "written\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("step", ["record", "part"])
def test_what_a_killed_writer_left_is_cleared_and_that_of_a_living_one_stays(step, store, part, half_way):
    before = store.table()
    process = half_way(step)
    (left,) = store.verify().being_written
    assert f"being written: {left!r}" in str(store.verify())
    assert store.verify().leftovers == ()
    assert store.verify().sound
    store.compact()
    assert store.repair().leftovers == ()
    assert store.verify().being_written == (left,)
    process.kill()
    process.wait()
    assert (store.verify().leftovers, store.verify().being_written) == ((left,), ())
    assert store.table().equals(before)
    store.compact()
    assert store.verify().leftovers == ()
    assert not list(store.path.rglob("*.tmp"))
    assert store.table().equals(before)


def test_what_a_writer_elsewhere_left_stays_for_a_day(store, part):
    names = {
        f".x.parquet.{'0' * 12}-1-1-{'0' * 8}.tmp": 7200,
        f".y.parquet.{'0' * 12}-1-1-{'0' * 8}.tmp": 90_000,
        ".z.parquet.77.tmp": 7200,
        ".w.tmp": 90_000,
    }
    for name, age in names.items():
        path = part.parent / name
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    assert [len(found) for found in (store.verify().leftovers, store.verify().being_written)] == [2, 2]
    assert {Path(n).name[1] for n in store.repair().leftovers} == {"y", "w"}
    assert len(list((store.path / "quarantine" / "trials").iterdir())) == 2
    assert sorted(p.name[1] for p in part.parent.glob(".*.tmp")) == ["x", "z"]


def test_half_written_files_that_are_set_aside_are_no_lost_work(store, part):
    left = part.parent / f".x.parquet.{'0' * 12}-1-1-{'0' * 8}.tmp"
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    assert len(store.repair().leftovers) == 1
    assert not [note for note in store.trials().notes if note.kind is NoteKind.SET_ASIDE]
    whole = part.read_bytes()
    for expected in (
        "1 file is set aside in quarantine/; what it held",
        "2 files are set aside in quarantine/; what they held",
    ):
        part.write_bytes(b"")
        assert len(store.repair().moved) == 1
        part.write_bytes(whole)
        (note,) = [note for note in store.trials().notes if note.kind is NoteKind.SET_ASIDE]
        assert note.sentence().startswith(expected)


def test_a_store_that_is_reached_through_a_symbolic_link_finds_what_was_left(store, part, tmp_path):
    left = store.path / f".plan.json.{'0' * 12}-1-1-{'0' * 8}.tmp"
    (tmp_path / "link").symlink_to(store.path)
    linked = Store(tmp_path / "link")
    for look in (lambda: linked.verify().leftovers, lambda: linked.repair().leftovers):
        left.write_bytes(b"half")
        os.utime(left, (1, 1))
        assert look() == (left.name,)
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    linked.clear_leftovers()
    assert not left.exists()


def test_damage_of_series_does_not_stop_the_trials(store, part):
    row = {"algorithm": "svm", "task": "moons", "trial": 0, "attempt": 0, "name": "c", "values": [1.0]}
    name = store.write("series", pa.Table.from_pylist([row], SERIES))
    truncate(store.path / "series" / name)
    assert store.trials()
    with pytest.raises(StoreDamaged, match="is truncated"):
        store.table("series")


def test_other_files_are_ignored(store, part):
    (store.path / "report.html").write_text("x")
    (store.path / "trials" / "notes.txt").write_text("x")
    (store.path / "trials" / ".DS_Store").write_text("x")
    assert store.verify().sound
    assert store.table().num_rows == 28


@pytest.fixture
def mounted(tmp_path):
    """A small file system of its own, for root on Linux."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True, check=False
        )
        if os.path.exists("/bin/mount")
        else None
    )
    if done is None or done.returncode:
        pytest.skip("only root on Linux can mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_said_and_nothing_partial_is_left(mounted, make):
    store = Store(mounted / "demo")
    store.create(make.record())
    with pytest.raises(StoreError, match="the disk is full"):
        [store.write("trials", make.rows(range(500 * i, 500 * i + 500))) for i in range(50)]
    kept = 2000 * store.part_counts()["trials"]
    assert not [p for p in mounted.rglob("*") if p.name.endswith(".tmp")]
    assert kept
    assert store.table().num_rows == kept
    assert store.verify().sound


def test_a_full_disk_does_not_harm_a_compaction(mounted, make):
    store = Store(mounted / "demo")
    store.create(make.record())
    for i in range(12):
        store.write("trials", make.rows(range(i, i + 1)))
    (mounted / "ballast").write_bytes(b"x" * (os.statvfs(mounted).f_bavail * os.statvfs(mounted).f_frsize - 4096))
    before = store.table()
    with pytest.raises(StoreError, match="the disk is full"):
        store.compact()
    assert store.table().equals(before)
    assert store.part_counts()["trials"] == 12


def test_a_read_only_directory_is_said(mounted, make):
    store = Store(mounted / "demo")
    store.create(make.record())
    store.write("trials", make.rows())
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
    with pytest.raises(StoreError, match="the file system is read-only"):
        store.write("trials", make.rows())
    with pytest.raises(StoreError, match="the file system is read-only"):
        Store(mounted / "other").create(make.record())
    assert len(store.trials()) == 20


@pytest.fixture
def closed(store, make):
    """A folder of parts that may not be changed: by its permissions, for root by a mark."""
    store.write("trials", make.rows())
    folder = store.path / "trials"
    if os.geteuid():
        folder.chmod(0o500)
        yield folder
        folder.chmod(0o700)
        return
    if (
        shutil.which("chattr") is None
        or subprocess.run(["chattr", "+i", folder], capture_output=True, check=False).returncode
    ):
        pytest.skip("root is never denied by permissions, and this file system has no immutable folders")
    yield folder
    subprocess.run(["chattr", "-i", folder], check=True)


def test_a_directory_without_permission_is_said(closed, store, make):
    with pytest.raises(StoreError, match="there is no permission"):
        store.write("trials", make.rows())
    assert [p.suffix for p in closed.iterdir()] == [".parquet"]
    assert len(store.trials()) == 20


def test_a_file_in_the_place_of_a_store_is_said(tmp_path, make):
    (tmp_path / "demo").write_text("x")
    with pytest.raises(StoreError, match="is a file, not a directory"):
        Store(tmp_path / "demo").create(make.record())


def test_asking_for_fewer_trials_takes_back_nothing(tmp_path):
    cells = [("a", "none")]
    Store(tmp_path).note_plan(cells, 30)
    Store(tmp_path).note_plan([*cells, ("b", "none")], 10)
    assert Store(tmp_path).asked() == {("a", "none"): 30, ("b", "none"): 10}
    Store(tmp_path).note_plan(cells, 31)
    assert Store(tmp_path).asked()[cells[0]] == 31


def test_a_table_reads_its_plan_once(store, part, monkeypatch):
    from ogive.store import _plan

    store.note_plan([("svm", "moons")], 900)
    read = []
    real = _plan.asked
    monkeypatch.setattr(_plan, "asked", lambda path: read.append(path) or real(path))
    assert [note for note in store.trials().notes if note.kind is NoteKind.UNFINISHED]
    assert len(read) == 1
