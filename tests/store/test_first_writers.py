"""Studies that begin in one directory at the same moment: one gets in, and nothing of the others."""

import json
import multiprocessing
import os
import threading
from collections import Counter

import pytest

from ogive.store import Store, StoreConflict

# How many stores the race is run for with each number of writers; 67 makes 201.
N_STORES = int(os.environ.get("OGIVE_TEST_STORES", "12"))


def begin(path, study, make, parts=3):
    """What a first writer does: how many rows were acknowledged."""
    store, kept = Store(path), 0
    try:
        store.create(make["record"](seed=study))
        for part in range(parts):
            start = 100 * study + 10 * part
            store.write(
                "trials", make["rows"](range(start, start + 2), ["svm"], ["moons"], params=json.dumps({"study": study}))
            )
            kept += 2
    except StoreConflict:
        assert not kept, "a writer whose study was taken was stopped later"
    return kept


def found_in(path):
    """Rows by study, the studies on record, whether all is sound, and what was left half written."""
    store = Store(path)
    rows = Counter(json.loads(params)["study"] for params in store.table()["params"].to_pylist())
    left = [p.name for p in path.rglob("*") if p.name.endswith(".tmp")]
    return dict(rows), [r["seed"] for r in store.records().records], store.verify().sound, left


def one_study(acknowledged):
    """What must be found: the rows of the one study that got in, as many as were acknowledged."""
    (study,) = (study for study, n in acknowledged.items() if n)
    return {study: acknowledged[study]}, [study], True, []


@pytest.mark.parametrize("writers", [2, 4])
def test_of_threads_that_begin_different_studies_at_once_one_gets_in(writers, tmp_path, make):
    makers = {"record": make.record, "rows": make.rows}
    for number in range(5):
        barrier, kept = threading.Barrier(writers), {}

        def one(study, path=tmp_path / str(number), barrier=barrier, kept=kept):
            barrier.wait()
            kept[study] = begin(path, study, makers)

        threads = [threading.Thread(target=one, args=(study,)) for study in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found_in(tmp_path / str(number)) == one_study(kept)


def process(study, paths, here, barrier, answers):
    """A writer of its own that begins in one directory after the other, each time with all others."""
    import sys

    sys.path.insert(0, here)
    from conftest import make_record, make_rows

    for number, path in enumerate(paths):
        barrier.wait()
        answers.put((number, study, begin(path, study, {"record": make_record, "rows": make_rows})))


@pytest.mark.slow
@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
@pytest.mark.parametrize("writers", [2, 3, 4])
def test_of_processes_that_begin_different_studies_at_once_one_gets_in(
    writers, links, tmp_path, monkeypatch, repository
):
    if not links:
        monkeypatch.setenv("OGIVE_TEST_NO_LINKS", "1")
    # A spawned writer finds this module where its parent looks, which is not here if `pytest` was typed.
    monkeypatch.syspath_prepend(str(repository))
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(writers), context.Queue()
    paths = [tmp_path / str(number) for number in range(N_STORES)]
    here = os.path.dirname(__file__)
    started = [
        context.Process(target=_process, args=(study, paths, here, barrier, answers)) for study in range(writers)
    ]
    for one in started:
        one.start()
    kept = [{} for _ in paths]
    for _ in range(writers * len(paths)):
        number, study, n = answers.get(timeout=120)
        kept[number][study] = n
    for one in started:
        one.join()
    assert [found_in(path) for path in paths] == [one_study(acknowledged) for acknowledged in kept]


def _process(*arguments):
    if os.environ.get("OGIVE_TEST_NO_LINKS"):
        import errno

        def refuse(*_, **__):
            raise OSError(errno.EPERM, "no links")

        os.link = refuse
    process(*arguments)
