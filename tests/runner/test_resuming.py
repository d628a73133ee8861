"""What is there is not run again; what is missing is."""

from pathlib import Path

import numpy as np
import pytest

from ogive.algorithms import Algorithm
from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.runner import run
from ogive.spaces import loguniform
from ogive.store import Store, StoreConflict, StoreDamaged
from ogive.study import Study
from ogive.tasks import none


def noted(config, rng):
    """Leaves a mark for every trial that was really run."""
    with Path(config["marks"]).open("a") as file:
        file.write("x")
    if config["C"] > 5:
        raise ValueError("large")
    return rng.random()


def study_in(folder: Path, **changes) -> Study:
    space = {"C": loguniform(0.1, 10), "marks": [str(folder / "marks")]}
    return Study("resumed", Algorithm("a", noted, space), none(), **changes)


def runs(folder: Path) -> int:
    return len((folder / "marks").read_text())


def test_raising_the_number_of_trials_runs_only_the_new_ones(tmp_path, content):
    one = run(study_in(tmp_path), 10, tmp_path / "out", workers=0, progress=False)
    assert (len(one), runs(tmp_path)) == (10, 10)
    two = run(study_in(tmp_path), 25, tmp_path / "out", workers=1, progress=False)
    assert (len(two), runs(tmp_path)) == (25, 25)
    assert content(two) == content(run(study_in(tmp_path), 25, workers=0, progress=False))
    assert len(run(study_in(tmp_path), 5, tmp_path / "out", workers=0, progress=False)) == 25


def test_failed_trials_run_again_only_when_asked_and_the_last_attempt_counts(tmp_path):
    trials = run(study_in(tmp_path), 30, tmp_path / "out", workers=0, progress=False)
    failed = sum(f["count"] for f in trials.failures())
    assert failed > 0
    run(study_in(tmp_path), 30, tmp_path / "out", workers=0, progress=False)
    assert runs(tmp_path) == 30
    run(study_in(tmp_path), 30, tmp_path / "out", workers=0, retry=("error",), progress=False)
    assert runs(tmp_path) == 30 + failed
    table = Store(tmp_path / "out").table()
    assert table.num_rows == 30
    assert table["attempt"].to_numpy().sum() == failed


def test_shards_make_up_the_whole(tmp_path, content):
    for i in (1, 2, 3):
        run(study_in(tmp_path), 20, tmp_path / "out", workers=0, shard=(i, 3), progress=False)
    whole = Store(tmp_path / "out").trials()
    assert (len(whole), runs(tmp_path)) == (20, 20)
    assert content(whole) == content(run(study_in(tmp_path), 20, workers=0, progress=False))


def test_a_damaged_part_is_refused_then_repaired_then_run_again(tmp_path, content):
    store = Store(tmp_path / "out")
    run(study_in(tmp_path), 10, store, workers=0, progress=False)
    expected = run(study_in(tmp_path), 20, store, workers=0, progress=False)
    part = sorted((store.path / "trials").glob("*.parquet"))[0]
    data = bytearray(part.read_bytes())
    data[len(data) // 3] ^= 0xFF
    part.write_bytes(data)
    with pytest.raises(StoreDamaged):
        run(study_in(tmp_path), 20, store, workers=0, progress=False)
    store.repair()
    before = runs(tmp_path)
    assert content(run(study_in(tmp_path), 20, store, workers=0, progress=False)) == content(expected)
    assert runs(tmp_path) == before + 10


def test_another_seed_in_the_same_store_is_refused(tmp_path):
    run(study_in(tmp_path), 2, tmp_path / "out", workers=0, progress=False)
    with pytest.raises(StoreConflict, match="seed"):
        run(study_in(tmp_path, seed=1), 2, tmp_path / "out", workers=0, progress=False)


def test_a_changed_algorithm_under_the_same_name_is_refused_with_the_difference(tmp_path):
    def study(rate):
        return Study("changed", Algorithm("a", lambda config, rng: rate * rng.random(), {"C": [1, 2]}), none())

    run(study(1.0), 2, tmp_path / "out", workers=0, progress=False)
    with pytest.raises(StoreConflict, match=r"rate was 1\.0, is 2\.0.*new name.*new directory.*accept_change"):
        run(study(2.0), 2, tmp_path / "out", workers=0, progress=False)
    accepted = run(study(2.0), 3, tmp_path / "out", workers=0, progress=False, accept_change=True)
    assert len(accepted) == 3
    assert any(note.kind is NoteKind.CHANGE_ACCEPTED for note in accepted.notes)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n_trials": 0}, "`n_trials` must be a whole number of at least 1; got 0"),
        ({"workers": -1}, "`workers` must be a whole number"),
        ({"chunk": 0}, "`chunk` must be a whole number"),
        ({"retry": "ok"}, "`retry` must name failed statuses"),
        ({"shard": "3/2"}, "`shard` must be i/n with 1 <= i <= n"),
        ({"wall_limit": -1}, "`wall_limit` must be a number of seconds above 0"),
        ({"cpu_limit": float("inf")}, "`cpu_limit` must be a number of seconds above 0"),
        ({"memory_limit": "lots"}, "`memory_limit` must be a number of bytes or text such as '2GB'"),
        ({"memory_limit": 5}, "`memory_limit` must be a number of bytes, at least 1e6"),
        ({"wall_limit": 5, "workers": 0}, "limits need worker processes"),
        ({"engine": "ray"}, "`engine` must be 'local', 'dask'"),
        ({"statistic": "variance"}, "`statistic` may name"),
    ],
)
def test_a_bad_argument_is_refused_in_one_sentence(tmp_path, arguments, words):
    given = {"workers": 1, "n_trials": 3, **arguments}
    with pytest.raises(InputError, match=words):
        run(study_in(tmp_path), store=tmp_path / "out", progress=False, **given)
    assert not (tmp_path / "out").exists()


def test_what_is_not_a_study_is_refused():
    with pytest.raises(InputError, match=r"`study` must be an ogive\.Study, or a file that holds one; got list"):
        run([], 3, workers=0)
    with pytest.raises(InputError, match=r"a study is a Python file"):
        run("study", 3, workers=0)


def test_limits_are_kept_with_the_rows(tmp_path):
    trials = run(study_in(tmp_path), 3, tmp_path / "out", workers=1, wall_limit=30, progress=False)
    assert Note(NoteKind.LIMITS, values={"limits": ("wall_limit 30",)}) in trials.notes


def test_progress_tells_counts_and_an_interval(tmp_path):
    heard = []
    run(study_in(tmp_path), 40, workers=0, progress=heard.append)
    last = heard[-1]
    assert last.finished
    assert (last.done, last.total) == (40, 40)
    assert sum(last.statuses.values()) == 40
    [cell] = last.cells
    assert cell.n == last.statuses["ok"]
    assert cell.interval.low < cell.interval.estimate < cell.interval.high
    assert np.isclose(cell.interval.estimate, 0.5, atol=0.3)
    assert "40 of 40 trials (100 %)" in str(last)


def test_trials_that_were_asked_for_and_are_not_there_are_named(tmp_path):
    for n in (6, 10):
        run(study_in(tmp_path), n, tmp_path / "out", workers=0, progress=False)
    store = Store(tmp_path / "out")
    assert not [note for note in store.trials().notes if note.kind is NoteKind.UNFINISHED]
    next((store.path / "trials").iterdir()).unlink()
    n = len(store.trials())
    (note,) = [note for note in store.trials().notes if note.kind is NoteKind.UNFINISHED]
    assert note.values == {"cells": (("a", "none", n, 10),)}
    assert f"'a' on 'none' has {n} of the 10 trials asked for" in str(store.verify())
    run(study_in(tmp_path), 10, store, workers=0, progress=False)
    assert not store.verify().unfinished


def test_what_was_asked_of_one_method_is_not_asked_of_another(tmp_path):
    def study(name):
        return Study("two", Algorithm(name, lambda config, rng: rng.random(), {}), none())

    run(study("a"), 4, tmp_path, workers=0, progress=False)
    run(study("b"), 9, tmp_path, workers=0, progress=False)
    assert Store(tmp_path).asked() == {("a", "none"): 4, ("b", "none"): 9}
    assert not Store(tmp_path).verify().unfinished
