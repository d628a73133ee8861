"""Curves that trials return stay with their trials, in a store or in memory."""

import pickle
import shutil

import numpy as np
import pytest

import ogive
from ogive.algorithms import Algorithm, Series
from ogive.errors import InputError
from ogive.runner import run
from ogive.store import Store
from ogive.study import Study
from ogive.tasks import Task


def train(config, x, rng):
    """A number and a curve that follow from the draw; every third trial is too short for the second curve."""
    losses = x[0] / np.arange(1.0, 4.0)
    longer = {"gradient": Series([x[0], np.nan])} if x[0] > 0.3 else {}
    return {"accuracy": x[0], "loss": Series(losses), **longer}


STUDY = Study("s", [Algorithm(name, train) for name in "ab"], [Task("t", lambda rng: (rng.random(1),))], seed=1)
N = 6


def as_lists(trials):
    found = {(a, name): trials.series(a, "t", name) for a in trials.algorithms for name in trials.series_names}
    return {key: {i: values.tolist() for i, values in of.items()} for key, of in found.items()}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = Store(tmp_path_factory.mktemp("series") / "s")
    run(STUDY, N, place, workers=0, progress=False)
    return place


@pytest.fixture
def trials(store):
    return store.trials()


def expected(trials):
    """What `train` gave each trial that is in the table, made again from its score."""
    found = {}
    for a in trials.algorithms:
        numbers = trials.table["trial"].to_numpy()[trials.cell(a).rows].tolist()
        scores = list(zip(numbers, trials.scores(a), strict=True))
        found[a, "loss"] = [(i, (x / np.arange(1.0, 4.0)).tolist()) for i, x in scores]
        found[a, "gradient"] = [(i, [x, "nan"]) for i, x in scores if x > 0.3]
    return found


def kept(trials):
    """The series that the table has, a NaN as a word, since it equals nothing."""
    assert trials.series_names == ("loss", "gradient")
    return {
        key: [(i, ["nan" if np.isnan(x) else x for x in values]) for i, values in of.items()]
        for key, of in as_lists(trials).items()
    }


@pytest.mark.parametrize("workers", [0, 2])
def test_series_stay_with_their_trials_without_a_store(workers):
    trials = run(STUDY, N, workers=workers, progress=False)
    assert kept(trials) == expected(trials) != {}
    found = pickle.loads(pickle.dumps(trials))
    assert kept(found) == expected(found) != {}


def test_series_stay_with_their_trials_in_a_store(store, trials):
    assert kept(trials) == expected(trials) != {}
    found = ogive.read(store.path)
    assert kept(found) == expected(found) != {}
    found = pickle.loads(pickle.dumps(trials))
    assert kept(found) == expected(found) != {}


def test_series_are_read_from_a_store_only_when_somebody_asks(store, tmp_path):
    place = shutil.copytree(store.path, tmp_path / "s")
    early, late = ogive.read(place).with_series(), ogive.read(place)
    shutil.rmtree(place)
    assert kept(early) == expected(early) != {}
    with pytest.raises(ogive.errors.OgiveError):
        late.series("a", name="loss")


def test_a_selection_has_the_series_of_its_rows(store, trials):
    found = trials.select(algorithms=["b"])
    assert kept(found) == expected(found) != {}
    found = ogive.read(store.path, where="trial<3")
    assert kept(found) == expected(found) != {}


def test_parquet_keeps_series_and_csv_leaves_them_out(trials, tmp_path):
    trials.write(tmp_path / "s.parquet")
    again = ogive.read(tmp_path / "s.parquet")
    assert kept(again) == expected(again) != {}
    assert again.table.column_names == trials.table.column_names
    found = ogive.read(tmp_path / "s.parquet", where="trial<3")
    assert kept(found) == expected(found) != {}
    trials.write(tmp_path / "s.csv")
    assert ogive.read(tmp_path / "s.csv").series_names == ()


def test_a_metric_may_have_the_name_of_the_column_that_keeps_series(tmp_path):
    odd = Algorithm("a", lambda config, rng: {"series": 1.0, "loss": Series([rng.random()])})
    trials = run(Study("s", odd, ogive.tasks.none()), 3, workers=0, progress=False)
    trials.write(tmp_path / "s.parquet")
    again = ogive.read(tmp_path / "s.parquet")
    assert again.metrics == trials.metrics == ("series",)
    assert {i: v.tolist() for i, v in again.series().items()} == {i: v.tolist() for i, v in trials.series().items()}


def test_tables_that_are_joined_keep_the_series_of_each(store, tmp_path):
    other = Study("s", [Algorithm(name, train) for name in "cd"], STUDY.tasks, seed=1)
    run(other, N, tmp_path / "s", workers=0, progress=False)
    both = ogive.read([store.path, tmp_path / "s"])
    assert both.algorithms == ("a", "b", "c", "d")
    assert kept(both) == expected(both) != {}


def test_selections_of_one_table_that_are_joined_hold_each_series_once(trials):
    again = ogive.read([trials.select(algorithms=["a"]), trials.select(algorithms=["b"])])
    assert again.series_table.num_rows == trials.series_table.num_rows
    assert kept(again) == expected(again) != {}


def test_a_table_without_series_says_so():
    trials = ogive.read({"a": [0.1, 0.2], "b": [0.3, 0.4]})
    assert trials.series_names == ()
    with pytest.raises(InputError, match="`name`"):
        trials.series("a")
