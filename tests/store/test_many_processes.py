"""Several processes in one directory, and processes that die."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ogive.store import Store

pytestmark = pytest.mark.slow  # each starts processes or draws many configurations

HERE = Path(__file__).parent
WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from conftest import Store, make_record, make_rows
store = Store(sys.argv[2])
store.create(make_record())
start, n_parts, size = map(int, sys.argv[3:])
for i in range(n_parts):
    store.write("trials", make_rows(range(start + size * i, start + size * (i + 1)), ["svm"], ["moons"]))
    print(start + size * (i + 1), flush=True)
"""


def writer(store, start, n_parts, size=5):
    arguments = [sys.executable, "-c", WRITER, str(HERE), str(store.path), str(start), str(n_parts), str(size)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def test_two_processes_write_into_one_directory_at_once(store):
    both = [writer(store, start, 40) for start in (0, 150)]
    assert [p.wait(60) for p in both] == [0, 0]
    for process in both:
        process.stdout.close()
    assert store.finished()["svm", "moons"].trials.tolist() == list(range(350))
    assert store.table().num_rows == 350
    assert store.verify().sound
    assert len(os.listdir(store.path / "study")) == 1


def test_readers_see_every_row_while_parts_are_compacted(store, make):
    for i in range(60):
        store.write("trials", make.rows([i]))
    before = store.table()
    stop, seen = threading.Event(), []

    def read():
        while not stop.is_set():
            seen.append(store.table().equals(before) and sum(c.trials.size for c in store.finished().values()) == 240)

    reader = threading.Thread(target=read)
    reader.start()
    for i in range(8):
        for j in range(8):  # rows that are there already, in parts of their own
            store.write("trials", make.rows([8 * i + j] if 8 * i + j < 60 else [0]))
        store.compact()
    stop.set()
    reader.join()
    assert len(seen) > 3
    assert all(seen)
    assert store.part_counts()["trials"] == 1


def test_two_compactions_at_once_lose_nothing(store, make):
    for i in range(60):
        store.write("trials", make.rows([i]))
    before = store.table()
    pair = [threading.Thread(target=store.compact) for _ in range(2)]
    for thread in pair:
        thread.start()
    for thread in pair:
        thread.join()
    assert store.table().equals(before)
    assert store.verify().sound


@pytest.mark.slow
def test_a_writer_killed_twenty_times_tears_nothing_and_loses_nothing_acknowledged(store):
    acknowledged, start = 0, 0
    for i in range(20):
        process = writer(store, start, 10_000, size=50)
        first = process.stdout.readline()
        time.sleep(0.003 * i)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read()
        process.wait()
        process.stdout.close()
        lines = [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]
        assert lines, "the writer made no progress"
        acknowledged = int(lines[-1])
        found = store.finished()["svm", "moons"].trials
        assert found.size >= acknowledged
        assert found.tolist() == list(range(found.size))
        assert found.size - acknowledged in (0, 50)  # at most the part that was published and not yet said
        start = found.size
    assert store.verify().sound
    assert store.table().num_rows == start


COMPACTOR = """
import sys
from ogive.store import Store
for line in sys.stdin:
    Store(line.strip()).compact()
    print("done", flush=True)
"""


@pytest.fixture
def compactors():
    """Processes that compact a directory whenever they are told one."""
    command = [sys.executable, "-c", COMPACTOR]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    yield started
    for process in started:
        process.stdin.close()
        process.wait(60)
        process.stdout.close()


def test_shards_that_compact_at_once_leave_each_row_once(tmp_path, make, compactors):
    """Four at once left each row up to four times, eight up to eight times."""
    for number in range(6):
        store = Store(tmp_path / str(number))
        store.create(make.record())
        for i in range(25):
            store.write("trials", make.rows([i]))
        before = store.table()
        for process in compactors:
            print(store.path, file=process.stdin, flush=True)
        assert [process.stdout.readline() for process in compactors] == ["done\n"] * 4
        assert store.table().equals(before)
        assert store.verify().sound
        rows = store.verify().rows["trials"]
        assert rows <= 200, "at worst two that looked at the same moment"
        store.compact()
        assert store.part_counts()["trials"] == 1
        assert store.verify().rows["trials"] == 100
