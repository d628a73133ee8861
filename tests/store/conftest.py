"""Rows and records as a runner would make them."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from ogive.store import TRIALS, Store


def make_record(**changes):
    record = {
        "schema": 1,
        "name": "demo",
        "seed": 0,
        "holds": {},
        "metrics": {
            "loss": {"goal": "minimize", "bounds": [0.0, None]},
            "accuracy": {"goal": "maximize", "bounds": [0.0, 1.0]},
        },
        "algorithms": {"svm": {"class": "SVC", "space": {"C": [0.01, 100.0]}}, "knn": {"class": "KNN"}},
        "tasks": {
            "moons": {"fingerprint": {"n": 2000}, "scope": "generator", "n_rows": None},
            "circles": {"fingerprint": {"n": 2000}, "scope": "generator", "n_rows": None},
        },
        "varied": ["configuration", "data", "seed"],
    }
    return {**record, **changes}


def make_row(**changes):
    trial = changes.get("trial", 0)
    row = {
        "algorithm": "svm", "task": "moons", "trial": trial, "attempt": 0, "item": None, "group": None, "status": "ok",
        "message": None, "params": f'{{"C":{trial / 8!r}}}', "metrics": {"loss": trial / 4, "accuracy": 1 / (abs(trial) + 1)},
        "wall_s": 0.5, "cpu_s": 0.25, "versions": None,
    }  # fmt: skip
    row.update(changes)
    row["metrics"] = None if row["metrics"] is None else list(row["metrics"].items())
    return row


def make_table(rows):
    return pa.Table.from_pylist(rows, schema=TRIALS)


def make_rows(trials=range(5), algorithms=("svm", "knn"), tasks=("moons", "circles"), **changes):
    return make_table(
        [make_row(algorithm=a, task=t, trial=int(i), **changes) for i in trials for a in algorithms for t in tasks]
    )


def trial_numbers(store, cell=("svm", "moons")):
    return store.finished()[cell].trials.tolist()


def flipped(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 0x10
    path.write_bytes(bytes(content))


@pytest.fixture(scope="session")
def make():
    """What tests make stores of: tests cannot import each other."""
    return SimpleNamespace(
        record=make_record, row=make_row, rows=make_rows, table=make_table, flipped=flipped, trial_numbers=trial_numbers
    )


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "demo")
    made.create(make_record())
    return made


@pytest.fixture
def part(store):
    """The path of one part of 20 rows, in a store that holds another part of 8."""
    store.write("trials", make_rows(range(5, 7)))
    return store.path / "trials" / store.write("trials", make_rows(np.arange(5)))
