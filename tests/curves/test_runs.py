"""The same numbers however they are computed; what is in a store is not computed again."""

import time

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from ogive.curves import LearningCurves, learning_curves, read, repeated_cv
from ogive.curves._gather import holds_curves
from ogive.errors import StoreConflict, UnreadableSource
from ogive.notes import Note, NoteKind
from ogive.store import Store

MODELS = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
ASKED = {"sizes": [3, 9, 30], "seed": 4}


def same(a: LearningCurves, b: LearningCurves) -> bool:
    return a.values.shape == b.values.shape and a.values.tobytes() == b.values.tobytes()


class Stop(Exception):
    """Ends a run from inside its progress."""


class Slow(GaussianNB):
    """Slow enough to be interrupted."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.01)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_no_worker_one_that_was_interrupted_and_two_that_went_on_give_the_same_array_bit_for_bit(problem, tmp_path):
    X, y = problem()
    models = {"tree": DecisionTreeClassifier(), "slow": Slow()}
    asked = 120  # several chunks for every model, so that the first progress comes long before the end
    whole = learning_curves(models, X, y, n_repetitions=asked, workers=0, **ASKED)
    place = tmp_path / "store"

    def stop(progress):
        if progress.done:
            raise Stop

    with pytest.raises(Stop):
        learning_curves(models, X, y, n_repetitions=asked, workers=1, store=place, progress=stop, **ASKED)
    done = sum(len(cell.trials) for cell in Store(place).finished().values())
    assert 0 < done < 2 * asked
    assert same(learning_curves(models, X, y, n_repetitions=asked, workers=2, store=place, **ASKED), whole)


class Unlucky(GaussianNB):
    """Cannot be fitted where the first row has a large first feature."""

    def fit(self, X, y, sample_weight=None):
        if X[0, 0] > 1.0:
            raise ValueError("unlucky")
        return super().fit(X, y, sample_weight)


def test_notes_are_about_the_repetitions_that_were_asked_for(problem, tmp_path):
    X, y = problem()
    asked = {"sizes": [30], "workers": 0, "store": tmp_path / "s", "metrics": "accuracy"}
    many = learning_curves({"u": Unlucky()}, X, y, n_repetitions=12, **asked)
    bad = np.flatnonzero(np.isnan(many.values[0, 0, 0]))
    assert 1 < bad.size < 12
    few = learning_curves({"u": Unlucky()}, X, y, n_repetitions=int(bad[1]), **asked)
    for made, n in ((few, 1), (many, bad.size)):
        first = made.notes[0]
        assert (first.kind, first.subject, first.values["n"]) == (NoteKind.NO_SCORE, "u", n)


def test_more_repetitions_are_added_and_the_first_stay_as_they_are(problem, tmp_path):
    X, y = problem()
    few = learning_curves(MODELS, X, y, n_repetitions=4, workers=0, store=tmp_path / "s", **ASKED)
    parts = {p.name for p in (tmp_path / "s" / "trials").iterdir()}
    many = learning_curves(MODELS, X, y, n_repetitions=9, workers=0, store=tmp_path / "s", **ASKED)
    assert parts < {p.name for p in (tmp_path / "s" / "trials").iterdir()}
    assert np.array_equal(many.values[..., :4], few.values)
    assert same(learning_curves(MODELS, X, y, n_repetitions=9, workers=0, **ASKED), many)
    assert same(learning_curves(MODELS, X, y, n_repetitions=4, workers=0, store=tmp_path / "s", **ASKED), few)


def test_a_model_can_be_added_to_a_store_and_does_not_change_the_others(problem, tmp_path):
    X, y = problem()
    alone = learning_curves({"nb": GaussianNB()}, X, y, n_repetitions=4, workers=0, store=tmp_path / "s", **ASKED)
    both = learning_curves(MODELS, X, y, n_repetitions=4, workers=0, store=tmp_path / "s", **ASKED)
    assert np.array_equal(both.values[0], alone.values[0])


def test_a_store_with_other_sizes_or_data_is_refused(problem, tmp_path):
    X, y = problem()
    learning_curves(MODELS, X, y, n_repetitions=2, workers=0, store=tmp_path / "s", **ASKED)
    with pytest.raises(StoreConflict, match="sizes"):
        learning_curves(MODELS, X, y, n_repetitions=2, workers=0, store=tmp_path / "s", sizes=[3, 9], seed=4)
    with pytest.raises(StoreConflict, match="sha256"):
        learning_curves(MODELS, X + 1, y, n_repetitions=2, workers=0, store=tmp_path / "s", **ASKED)


def test_curves_are_read_back_from_a_store_and_from_a_file(problem, tmp_path):
    X, y = problem()
    made = learning_curves(MODELS, X, y, n_repetitions=3, workers=0, store=tmp_path / "s", name="tri", **ASKED)
    made.write(tmp_path / "curves.parquet")
    for back in (read(tmp_path / "s"), read(tmp_path / "curves.parquet")):
        assert same(back, made)
        assert (back.models, back.metrics, back.name, back.n_test) == (made.models, made.metrics, "tri", 18)
        assert back.definitions == made.definitions
        assert back.sizes.tolist() == [3, 9, 30]
    assert all(map(holds_curves, (tmp_path / "s", tmp_path / "curves.parquet")))
    made.to_trials().write(tmp_path / "trials.parquet")
    (tmp_path / "empty").mkdir()
    assert not any(map(holds_curves, (tmp_path / "trials.parquet", tmp_path / "empty", tmp_path / "nothing.parquet")))
    for place in (tmp_path / "empty", tmp_path / "nothing.parquet"):
        with pytest.raises(UnreadableSource):
            read(place)


def test_a_store_that_is_not_finished_is_read_as_far_as_every_model_is(problem, tmp_path):
    X, y = problem()
    learning_curves({"nb": GaussianNB()}, X, y, n_repetitions=6, workers=0, store=tmp_path / "s", **ASKED)
    learning_curves(MODELS, X, y, n_repetitions=2, workers=0, store=tmp_path / "s", **ASKED)
    found = read(tmp_path / "s")
    assert found.values.shape == (2, 4, 3, 2)
    assert Note(NoteKind.UNUSED_REPETITIONS, values={"of": "nb", "n": 6, "used": 2}) in found.notes


def test_string_labels_and_a_constant_column_are_allowed_and_change_nothing(problem):
    X, y = problem()
    numbers = learning_curves(GaussianNB(), X, y, n_repetitions=3, workers=0, **ASKED)
    text = learning_curves(GaussianNB(), X, np.array(["a", "b", "c"])[y], n_repetitions=3, workers=0, **ASKED)
    assert same(text, numbers)
    shifted = learning_curves(GaussianNB(), X, y * 10 - 5, n_repetitions=3, workers=0, **ASKED)
    assert same(shifted, numbers)
    wide = np.column_stack([X, np.ones(len(X))])
    found = learning_curves(["lda", "qda", "logistic"], wide, y, n_repetitions=3, workers=0, **ASKED)
    assert np.all(np.isfinite(found.values))


def test_trials_and_frames_hold_every_score(problem):
    X, y = problem()
    made = learning_curves(MODELS, X, y, n_repetitions=3, workers=0, metrics=["accuracy", "brier"], **ASKED)
    trials = made.to_trials()
    assert trials.scope == "these 90 rows"
    assert trials.pair == "trial"
    assert np.array_equal(trials.scores("tree", "data, n = 9", "brier"), made.scores("tree", "brier")[1])
    frame = made.to_pandas()
    assert len(frame) == 2 * 3 * 3
    assert frame.query("model == 'nb' and size == 30")["accuracy"].tolist() == made.scores("nb")[2].tolist()


def test_settings_that_are_nearly_equal_are_not_taken_for_one_and_any_iterable_gives_them(problem):
    X, y = problem(40)
    near = {"var_smoothing": iter([1e-9, 1.0000001e-9, 1.0000002e-9])}
    cv = repeated_cv(GaussianNB(), X, y, near, k=2, n_repeats=1, workers=0, metrics="accuracy")
    assert cv.settings == ("var_smoothing=1e-09", "var_smoothing=1.0000001e-09", "var_smoothing=1.0000002e-09")


def test_folds_without_a_score_do_not_end_in_an_error_and_do_not_count(problem):
    X, _ = problem(8)
    cv = repeated_cv(LinearRegression(), X, X[:, 0], {"fit_intercept": [True]}, k=8, n_repeats=1, workers=0)
    assert np.isnan(cv.scores("fit_intercept=True", "r2")).all()  # one row has no r2
    assert np.isnan(cv.share_below(0.5, "fit_intercept=True", "r2"))
    assert cv.share_below(0.5, "fit_intercept=True", "mae") == 1.0
    assert "1 repeat of 8 folds, on these 8 rows, over random folds" in str(cv)


def test_repeated_cross_validation_is_what_a_loop_by_hand_gives(problem):
    X, y = problem(60)
    cv = repeated_cv(
        DecisionTreeClassifier(random_state=0), X, y, {"max_depth": [1, 3]}, k=4, n_repeats=2, workers=0, seed=3
    )
    assert cv.settings == ("max_depth=1", "max_depth=3")
    from ogive.seeding import stream

    for r in (0, 1):
        folds = np.array_split(stream(3, "design:cv", "data", trial=r).permutation(60), 4)
        for i, fold in enumerate(folds):
            train = np.concatenate([f for j, f in enumerate(folds) if j != i])
            model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[train], y[train])
            assert cv.scores("max_depth=3")[r, i] == model.score(X[fold], y[fold])
    assert cv.means("max_depth=1").shape == (2,)
