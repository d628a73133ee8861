"""Damage of every kind to every kind of file: each is named, or harmless.

Harmless: whatever is read is what was read before. Named: the store refuses, or `verify` says what
is damaged or missing. The size of the campaign comes from OGIVE_TEST_DAMAGES; by default it is small.
"""

import os
import random
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ogive.algorithms import Algorithm, Candidate, Outcome, Series
from ogive.curves import learning_curves
from ogive.curves import read as read_curves
from ogive.errors import OgiveError
from ogive.notes import NoteKind
from ogive.runner import run
from ogive.spaces import loguniform
from ogive.store import Store
from ogive.study import Study
from ogive.tasks import none

N_DAMAGES = int(os.environ.get("OGIVE_TEST_DAMAGES", "0"))  # of flips; half as many of the rest
KINDS = ("trials", "inner", "series")


def searched(config, rng):
    tried = tuple(Candidate({"C": float(c)}, (float(c),), float(c)) for c in rng.uniform(1, 2, 3))
    return Outcome(
        {"score": float(rng.random())},
        inner=tried,
        series={"loss": Series(rng.random(4)), "gain": Series(rng.random(4))},
    )


def study(*names, seed=0):
    return Study(
        "damaged", [Algorithm(name, searched, {"C": loguniform(0.1, 10)}) for name in names], none(), seed=seed
    )


def made(folder: Path) -> Path:
    """A store in several parts of every kind, with two records."""
    for n, names in ((3, "a"), (6, "a"), (6, "ab")):
        run(study(*names), n, folder, workers=0, progress=False)
    return folder


def curves_made(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    for n in (2, 4):
        learning_curves("nmc", X, y, n_repetitions=n, sizes=[5, 10], metrics="accuracy", store=folder, workers=0)
    return folder


def contents(folder: Path):
    """All that can be read, one entry for each way; an error of Ogive's is an answer, any other is a fault."""
    store = Store(folder)
    ways = {
        "trials": lambda: store.trials().table.drop_columns(["wall_s", "cpu_s"]).to_pylist(),
        "metrics": lambda: store.trials().goals,
        "records": lambda: store.records().records,
        "finished": lambda: [
            (name, trial, status)
            for name, done in sorted(store.finished().items())
            for trial, status in zip(done.trials.tolist(), done.statuses.tolist(), strict=True)
        ],
        **{kind: lambda kind=kind: store.table(kind).to_pylist() for kind in KINDS},
        "curves": lambda: np.moveaxis(read_curves(folder).values, -1, 0).tolist() if folder.name == "curves" else [],
    }
    out = {}
    for name, way in ways.items():
        try:
            found = way()
            out[name] = [repr(row) for row in found] if isinstance(found, list) else repr(found)
        except OgiveError as error:
            out[name] = error
    return out


def named(folder: Path) -> bool:
    """Whether verify says that something is damaged or missing."""
    try:
        found = Store(folder).verify()
    except OgiveError:
        return True
    missing = bool(found.unfinished) and any(n.kind is NoteKind.UNFINISHED for n in _notes(folder))
    return not found.sound or missing


def _notes(folder: Path):
    try:
        return read_curves(folder).notes if folder.name == "curves" else Store(folder).trials().notes
    except OgiveError:
        return [type("Refused", (), {"kind": NoteKind.UNFINISHED})]


def files(folder: Path) -> list[Path]:
    """Parts and records; other files hold no results."""
    return sorted(
        p for kind in ("study", *KINDS) for p in (folder / kind).rglob("*") if p.suffix in (".json", ".parquet")
    )


def flip(path, rng, folder):
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def truncate(path, rng, folder):
    content = path.read_bytes()
    path.write_bytes(content[: rng.randrange(1, len(content))])


def empty(path, rng, folder):
    path.write_bytes(b"")


def delete(path, rng, folder):
    path.unlink()


def delete_folder(path, rng, folder):
    shutil.rmtree(path.parent)


def swap(path, rng, folder):
    """Two files change places, of one kind or of two."""
    other = rng.choice([p for p in files(folder) if p != path])
    a, b = path.read_bytes(), other.read_bytes()
    path.write_bytes(b)
    other.write_bytes(a)


def duplicate(path, rng, folder):
    shutil.copy(path, path.with_name(f"{rng.randrange(10**9)}{path.suffix}"))


def rename(path, rng, folder):
    path.rename(
        path.with_name(rng.choice([f"{rng.randrange(10**9)}{path.suffix}", f"{path.name}.bak", f".{path.name}"]))
    )


def move(path, rng, folder):
    """Into the folder of another kind."""
    kind = rng.choice([k for k in ("study", *KINDS) if k not in path.parts])
    (folder / kind).mkdir(exist_ok=True)
    path.rename(folder / kind / path.name)


def foreign(path, rng, folder):
    """A file of another store or of another program is put beside it or in its place."""
    target = rng.choice([path, path.with_name(f"{rng.randrange(10**9)}{path.suffix}")])
    if path.suffix == ".json":
        target.write_text(rng.choice(["{}", "[]", '{"format": "ogive-study"}', "null"]))
    elif rng.random() < 0.5:
        pq.write_table(pa.table({"x": [1, 2]}), target)
    else:
        shutil.copy(rng.choice(files(folder.parent / "other")[-3:]), target)


def append(path, rng, folder):
    path.write_bytes(path.read_bytes() + b"\0" * rng.randrange(1, 50))


def zero(path, rng, folder):
    """A block that the disk gave back as zeros."""
    content = bytearray(path.read_bytes())
    start = rng.randrange(len(content))
    length = min(len(content) - start, 512)
    content[start : start + length] = bytes(length)
    path.write_bytes(content)


DAMAGES = (truncate, empty, delete, delete_folder, swap, duplicate, rename, move, foreign, append, zero)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    run(study("a", seed=1), 3, folder / "other", workers=0, progress=False)
    made(folder / "study")
    made(folder / "compacted")
    Store(folder / "compacted").compact()
    curves_made(folder / "curves")
    return [(folder / name, contents(folder / name)) for name in ("study", "compacted", "curves")]


def attack(stores, damage, seed):
    """One damage to one file of one store: None where it was named or harmless, else what was read instead."""
    rng = random.Random(seed)
    folder, before = stores[seed % len(stores)]
    copy = folder.parent / "damaged" / folder.name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    if not (copy.parent / "other").exists():
        shutil.copytree(folder.parent / "other", copy.parent / "other")
    path = rng.choice(files(copy))
    where = path.relative_to(copy)
    damage(path, rng, copy)
    after = contents(copy)
    changed = [name for name, read in after.items() if not isinstance(read, OgiveError) and read != before[name]]
    # Rows may be missing, where that is named; no row may be another, and what a score means may not change.
    wrong = [name for name in changed if name == "metrics" or set(after[name]) - set(before[name])]
    refused = any(
        isinstance(read, OgiveError) and not isinstance(before[name], OgiveError) for name, read in after.items()
    )
    if not wrong and (not (changed or refused) or named(copy)):
        return None
    return f"{damage.__name__} of {folder.name}/{where} (seed {seed}): {wrong or changed or 'refused'}"


@pytest.mark.parametrize("damage", [flip, *DAMAGES], ids=lambda d: d.__name__)
def test_damage_is_named_or_harmless(damage, stores):
    found = [attack(stores, damage, seed) for seed in range(3)]
    assert found == [None] * 3


@pytest.mark.slow
def test_a_thousand_flipped_bits_are_named_or_harmless(stores):
    found = [attack(stores, flip, seed) for seed in range(N_DAMAGES or 100)]
    assert [odd for odd in found if odd] == []


@pytest.mark.slow
def test_five_hundred_other_damages_are_named_or_harmless(stores):
    found = [
        attack(stores, DAMAGES[seed % len(DAMAGES)], seed // len(DAMAGES) * 7 + seed)
        for seed in range((N_DAMAGES or 100) // 2)
    ]
    assert [odd for odd in found if odd] == []
