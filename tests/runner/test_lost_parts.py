"""Curves and candidates that were damaged or deleted: the trials are named, and exactly these are run again."""

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from ogive.algorithms import Algorithm, Outcome, Series
from ogive.algorithms import Candidate as Tried
from ogive.runner import run, status
from ogive.spaces import loguniform
from ogive.store import Store, StoreDamaged
from ogive.study import Study
from ogive.tasks import none

CELL = ("a", "none")
N_TRIALS = 12


def searched(config, rng):
    """A trial with candidates and two curves, which leaves a mark; every third has none of either."""
    with Path(config["marks"]).open("a") as file:
        file.write("x")
    if config["C"] > 2 and not Path(config["marks"]).with_name("mended").exists():
        raise ValueError("large")
    scores = {"score": float(rng.random())}
    if rng.random() < 1 / 3:
        return Outcome(scores)
    tried = tuple(Tried({**config, "C": float(c)}, (float(c),), float(c), "ok", None) for c in rng.uniform(1, 2, 3))
    return Outcome(scores, inner=tried, series={"loss": Series(rng.random(4)), "gain": Series(rng.random(4))})


def study_in(folder: Path) -> Study:
    return Study("lost", Algorithm("a", searched, {"C": loguniform(0.1, 10), "marks": [str(folder / "marks")]}), none())


def digest(store: Store) -> str:
    """Of every row of every kind, durations aside."""
    kinds = {kind: store.table(kind) for kind in ("trials", "inner", "series")}
    kinds["trials"] = kinds["trials"].drop_columns(["wall_s", "cpu_s"])
    return hashlib.sha256(repr({kind: table.to_pylist() for kind, table in kinds.items()}).encode()).hexdigest()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store in three parts of each kind, and how to run what it lacks."""
    folder = tmp_path_factory.mktemp("lost")
    for n in (4, 8, N_TRIALS):
        run(study_in(folder), n, folder / "out", workers=0, progress=False)
    (folder / "mended").touch()
    run(study_in(folder), N_TRIALS, folder / "out", workers=0, retry=["error"], progress=False)
    table = Store(folder / "out").table()
    assert 0 < table["n_inner"].to_numpy().astype(bool).sum() < N_TRIALS
    assert table["attempt"].to_numpy().max() == 1, "one trial was run twice"
    return folder


@pytest.fixture
def store(whole, tmp_path):
    shutil.copytree(whole / "out", tmp_path / "out")
    return Store(tmp_path / "out")


def rerun(whole: Path, store: Store, **how) -> int:
    """How many trials a further run makes."""
    before = len((whole / "marks").read_text())
    run(study_in(whole), N_TRIALS, store, workers=0, progress=False, **how)
    return len((whole / "marks").read_text()) - before


def affected(store: Store, kind: str) -> set[int]:
    return {t for lack in store.verify().lacking if lack.kind == kind for t in lack.trials}


@pytest.mark.parametrize("compacted", [False, True], ids=["parts", "compacted"])
@pytest.mark.parametrize("damage", ["deleted", "truncated", "flipped"])
@pytest.mark.parametrize("kind", ["inner", "series"])
def test_a_further_run_makes_exactly_the_trials_again_whose_rows_are_lost(kind, damage, compacted, whole, store):
    before = digest(store)
    if compacted:
        store.compact()
    parts = sorted((store.path / kind).iterdir())
    for path in parts[: max(1, len(parts) // 2)]:
        content = bytearray(path.read_bytes())
        if damage == "deleted":
            path.unlink()
        elif damage == "truncated":
            path.write_bytes(content[:-50])
        else:
            column = pq.read_metadata(path).row_group(0).column(5)  # parameters, or the values of a curve
            content[column.data_page_offset + column.total_compressed_size - 3] ^= 1
            path.write_bytes(content)
    assert not store.verify().sound
    with pytest.raises(StoreDamaged):
        store.table(kind)
    assert len(store.trials()) == N_TRIALS  # scores are not touched
    store.repair()
    lost = affected(store, kind)
    assert lost
    assert f"lack rows of {kind}/" in str(store.verify()).replace("lacks", "lack")
    said = status(store.path)
    assert (said.rows[0]["done"], said.again, said.finished) == (N_TRIALS - len(lost), len(lost), False)
    assert "not whole" in str(said)
    with pytest.raises(StoreDamaged, match="exactly these trials"):
        store.table(kind)
    assert store.table(kind, allow_missing=True).num_rows < store.table("trials").num_rows * 3
    assert rerun(whole, store) == len(lost)
    assert digest(store) == before
    assert store.verify().sound
    assert rerun(whole, store) == 0


@pytest.mark.parametrize("kind", ["trials", "inner", "series"])
def test_a_folder_of_parts_that_is_gone_is_made_again(kind, whole, store):
    before, scores = digest(store), store.trials().values("score")
    shutil.rmtree(store.path / kind)
    assert rerun(whole, store) > 0
    assert np.array_equal(store.trials().values("score"), scores)
    assert store.verify().sound
    if kind != "trials":  # attempts that failed are not made again
        assert digest(store) == before


def test_shards_and_larger_runs_make_lost_trials_again_too(whole, store):
    before = digest(store)
    shutil.rmtree(store.path / "series")
    lost = affected(store, "series")
    first = {t for t in lost if t % 2 == 0}
    assert rerun(whole, store, shard=(1, 2)) == len(first)
    assert affected(store, "series") == lost - first
    assert rerun(whole, store, shard=(2, 2)) == len(lost - first)
    assert digest(store) == before


def test_a_further_run_clears_what_killed_runs_left(whole, store):
    from ogive.store._publish import _host

    names = [f".{name}.{_host()}-{2**22 + 1}-5-{'0' * 8}.tmp" for name in ("x.parquet", "plan.json")]
    for folder in (store.path / "trials", store.path / "series", store.path):
        for name in names:
            (folder / name).write_bytes(b"half")
    (store.path / "study" / f".000001.{_host()}-{2**22 + 1}-5-{'0' * 8}.tmp").mkdir()
    assert rerun(whole, store) == 0  # which writes nothing, and leaves things as they are
    run(study_in(whole), N_TRIALS + 1, store, workers=0, progress=False)
    assert list(store.path.rglob("*.tmp")) == [store.path / names[0]]  # not ours, by its name
