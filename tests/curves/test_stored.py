"""Scores that stay in their store: the same answers as from an array, one table at a time."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

from ogive.curves import _gather, learning_curves, read
from ogive.curves._stored import StoredScores
from ogive.errors import FailedTrials, InputError, StoreDamaged
from ogive.store import Store

MODELS = {"nmc": "nmc", "knn": "knn", "bayes": GaussianNB()}


@pytest.fixture(name="place", scope="module")
def _place(problem, tmp_path_factory):
    place = tmp_path_factory.mktemp("stored") / "s"
    X, y = problem()
    learning_curves(MODELS, X, y, sizes=[4, 9, 20, 50], n_repetitions=24, workers=0, store=place)
    return place


@pytest.fixture(name="mixed", scope="module")
def _mixed(problem, tmp_path_factory):
    """A store of a tuned model and of one that has nothing to tune."""
    place = tmp_path_factory.mktemp("mixed") / "s"
    X, y = problem()
    learning_curves(["knn", "nmc"], X, y, tuned=3, sizes=[10, 20, 40], n_repetitions=25, workers=0, store=place)
    return place


@pytest.fixture(name="lazily")
def _lazily(monkeypatch):
    monkeypatch.setattr(_gather, "MOST_IN_MEMORY", 0)


@pytest.mark.parametrize(("models", "asked"), [("place", "knn"), ("mixed", "nmc")])
def test_scores_left_in_the_store_are_those_of_the_array(models, asked, lazily, monkeypatch, request):
    place = request.getfixturevalue(models)
    left = read(place)
    monkeypatch.undo()
    whole = read(place)
    assert isinstance(left.values, StoredScores)
    assert isinstance(whole.values, np.ndarray)
    assert left.values.shape == whole.values.shape
    assert repr(left) == repr(whole)
    assert left.notes == whole.notes
    np.testing.assert_array_equal(np.asarray(left.values), whole.values)
    for metric in whole.metrics:
        assert str(left.leaders(metric)) == str(whole.leaders(metric))
        assert left.quantile(0.05, metric).to_dict() == whole.quantile(0.05, metric).to_dict()
    assert left.required_size(asked, target=0.4).to_dict() == whole.required_size(asked, target=0.4).to_dict()
    assert str(left) == str(whole)
    assert left.to_pandas().equals(whole.to_pandas())


def test_values_that_tuned_models_chose_are_read_when_they_are_asked_for(mixed, lazily, monkeypatch, tmp_path):
    left, asked = read(mixed), []
    monkeypatch.undo()
    whole = read(mixed)
    series = type(left.values.shelves._series)
    values = series.values
    monkeypatch.setattr(series, "values", lambda self, rows: asked.extend(rows) or values(self, rows))
    with pytest.raises(InputError, match="was not tuned"):
        left.chosen_values("nmc")
    assert not asked
    chosen = left.chosen_values("knn (tuned, 3)")
    assert len(asked) == 25  # one row for each repetition
    assert not chosen.flags.writeable
    np.testing.assert_array_equal(chosen, whole.chosen_values("knn (tuned, 3)"))
    np.testing.assert_array_equal(np.asarray(left.chosen), whole.chosen)
    left.write(tmp_path / "c.parquet")
    np.testing.assert_array_equal(read(tmp_path / "c.parquet").chosen, whole.chosen)


def test_one_table_is_read_where_one_is_asked_for(place, lazily, monkeypatch):
    curves, asked = read(place), []
    series = type(curves.values.shelves._series)
    values = series.values
    monkeypatch.setattr(series, "values", lambda self, rows: asked.extend(rows) or values(self, rows))
    for _ in range(2):
        curves.required_size("knn", "auc", target=0.5)
    assert len(asked) == 24  # one row for each repetition, once
    with pytest.raises(ValueError, match="read-only"):
        curves.scores("knn", "auc")[0, 0] = 1.0


def test_a_store_that_is_compacted_meanwhile_goes_on_answering(problem, tmp_path, lazily):
    X, y = problem()
    facts = {"sizes": [5, 30], "workers": 0, "store": tmp_path / "s"}
    learning_curves(["nmc"], X, y, n_repetitions=3, **facts)
    curves = learning_curves(["nmc"], X, y, n_repetitions=6, **facts)
    expected = np.array(curves.values)
    again = read(tmp_path / "s")
    Store(tmp_path / "s").compact()
    assert len(list((tmp_path / "s" / "series").glob("*.parquet"))) == 1
    np.testing.assert_array_equal(np.asarray(again.values), expected)


def test_a_part_that_is_damaged_after_opening_is_named(problem, tmp_path, lazily):
    X, y = problem()
    curves = learning_curves(["nmc"], X, y, sizes=[5, 30], n_repetitions=6, workers=0, store=tmp_path / "s")
    (part,) = (tmp_path / "s" / "series").glob("*.parquet")
    content = bytearray(part.read_bytes())
    content[4 : len(content) // 3] = bytes(len(content) // 3 - 4)
    part.write_bytes(content)
    with pytest.raises(StoreDamaged, match="changed after it was opened"):
        curves.scores("nmc", "auc")


def test_without_a_store_there_is_an_array(problem, lazily):
    X, y = problem()
    curves = learning_curves(["nmc"], X, y, sizes=[5, 30], n_repetitions=4, workers=0)
    assert isinstance(curves.values, np.ndarray)
    assert not np.isnan(curves.values).any()


def test_failed_fits_are_noted_and_hopeless_models_refused(problem, tmp_path, lazily, monkeypatch):
    X, y = problem()
    models = {"ten": SVC(probability=True), "nmc": "nmc"}  # calibration needs five rows of a class
    facts = {"sizes": [4, 40], "n_repetitions": 5, "workers": 0, "store": tmp_path / "s"}
    left = learning_curves(models, X, y, **facts)
    monkeypatch.undo()
    assert left.notes == learning_curves(models, X, y, **facts).notes
    monkeypatch.setattr(_gather, "MOST_IN_MEMORY", 0)
    with pytest.raises(FailedTrials, match="gave no score"):
        learning_curves({"ten": SVC(kernel="none")}, X, y, **{**facts, "store": tmp_path / "t"})


def test_curves_with_one_metric_keep_their_store(place, lazily):
    one = read(place).of_metric("brier")
    assert isinstance(one.values, StoredScores)
    assert one.metrics == ("brier",)
    assert one.values.shape[1] == 1
    np.testing.assert_array_equal(one.scores("knn"), read(place).scores("knn", "brier"))


def test_a_file_of_curves_from_a_store_gives_them_back(place, lazily, tmp_path):
    curves = read(place)
    curves.write(tmp_path / "c.parquet")
    back = read(tmp_path / "c.parquet")
    np.testing.assert_array_equal(back.values, np.asarray(curves.values))
    assert back.notes == curves.notes
    assert back.sizes.tolist() == curves.sizes.tolist()
