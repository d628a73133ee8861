"""One repetition against a loop written by hand; metrics and estimators against scikit-learn."""

import math
import tracemalloc
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, r2_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from ogive.curves import MODELS, learning_curves
from ogive.curves._designs import DESIGNS, TESTS, Design, at_size, words
from ogive.curves._estimators import (
    KernelMachine,
    LinearDiscriminant,
    LinearMachine,
    NearestMean,
    QuadraticDiscriminant,
)
from ogive.curves._metrics import Answer, auc, regression_scores
from ogive.notes import Note, NoteKind
from ogive.seeding import stream

SIZES = [4, 12, 40]
ESTIMATORS = {
    "nb": GaussianNB(),
    "pipe": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
    "forest": RandomForestClassifier(5),
}


def by_hand(estimator, name, X, y, design, test, seed, repetition, data):
    """Accuracy, AUC, Brier and cross-entropy at each size, with nothing of the room but its streams."""
    of = Design.of(design, test, len(y), 0.2, seed, data)
    rng = stream(seed, f"design:{design}", data, trial=repetition)
    key = words(stream(seed, "train", data, name, repetition))
    out = []
    for size, train, held in of.repetition(rng, SIZES).splits():
        labels = np.unique(y[train])
        probability = np.zeros((len(held), 3))
        if labels.size == 1:
            probability[:, labels[0]] = 1.0
            predicted = np.full(len(held), labels[0])
        else:
            seeds = at_size(key, size)
            model = estimator.__class__(**estimator.get_params(deep=False))
            if "random_state" in model.get_params():
                model.set_params(random_state=int(seeds.integers(2**31)))
            model.fit(X[train], y[train])
            predicted = model.predict(X[held])
            probability[:, labels] = model.predict_proba(X[held])
        hot = np.eye(3)[y[held]]
        clamped = np.clip(probability[np.arange(len(held)), y[held]], 2.220446049250313e-16, 1 - 2.220446049250313e-16)
        areas = [roc_auc_score(y[held] == k, probability[:, k]) for k in range(3)]
        brier = ((hot - probability) ** 2).sum(axis=1).mean()
        out.append([accuracy_score(y[held], predicted), np.mean(areas), brier, -np.log(clamped).mean()])
    return np.array(out).T


@pytest.mark.parametrize(("design", "test"), list(product(DESIGNS, TESTS)))
def test_a_repetition_is_what_a_loop_by_hand_gives(problem, design, test):
    X, y = problem()
    made = learning_curves(
        ESTIMATORS,
        X,
        y,
        design=design,
        test=test,
        sizes=SIZES,
        n_repetitions=2,
        workers=0,
        seed=5,
        name="hand",
        fit="each",
    )
    for i, (name, estimator) in enumerate(ESTIMATORS.items()):
        expected = by_hand(estimator, name, X, y, design, test, 5, 1, "hand")
        assert_allclose(made.values[i, :, :, 1], expected, rtol=1e-9, atol=1e-12)


def test_a_class_that_was_not_seen_has_probability_zero_and_one_class_is_predicted_throughout(problem):
    X, y = problem()
    made = learning_curves(GaussianNB(), X, y, sizes=[1], n_repetitions=30, workers=0)
    held = Design.of("additive", "fixed", len(y), 0.2, 0, "data").held_out
    shares = {float(np.mean(y[held] == k)) for k in range(3)}
    assert set(made.scores(metric="accuracy")[0].tolist()) <= shares
    assert np.all(made.scores(metric="auc") == 0.5)
    wrong = 1.0 - made.scores(metric="accuracy")[0]
    assert_allclose(made.scores(metric="brier")[0], 2.0 * wrong)
    assert_allclose(made.scores(metric="cross_entropy")[0], wrong * 36.04365338911715, rtol=1e-12)
    undefined = learning_curves(
        GaussianNB(), X, y, sizes=[1, 40], n_repetitions=3, workers=0, missing_class="undefined"
    )
    assert np.all(np.isnan(undefined.values[:, :, 0]))
    assert np.all(np.isfinite(undefined.values[:, :, 1]))


def test_metrics_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=50)
    shares = rng.dirichlet([1, 1, 1], size=50)
    found = Answer(shares.argmax(axis=1), shares, shares).scores(y, ("accuracy", "auc", "brier", "cross_entropy"))
    assert found["auc"] == pytest.approx(roc_auc_score(y, shares, multi_class="ovr"))
    assert found["cross_entropy"] == pytest.approx(log_loss(y, shares))
    two = rng.integers(2, size=40)
    ranking = np.round(rng.random(40), 1)  # ties
    assert auc(np.stack([1 - ranking, ranking], axis=1), two) == pytest.approx(roc_auc_score(two, ranking))
    assert math.isnan(auc(np.ones((4, 2)), np.zeros(4, dtype=int)))


def test_regression_metrics_are_those_of_scikit_learn(problem):
    X, _ = problem()
    y = X @ [1.0, 2.0, 0.5] + 0.1 * np.arange(len(X))
    made = learning_curves(LinearRegression(), X, y, sizes=[10, 40], n_repetitions=2, workers=0)
    assert made.metrics == ("r2", "mae", "rmse")
    of = Design.of("additive", "fixed", len(y), 0.2, 0, "data")
    _, train, held = list(of.repetition(stream(0, "design:additive", "data", trial=1), [10, 40]).splits())[1]
    predicted = LinearRegression().fit(X[train], y[train]).predict(X[held])
    assert made.scores(metric="r2")[1, 1] == pytest.approx(r2_score(y[held], predicted))
    assert made.scores(metric="mae")[1, 1] == pytest.approx(np.abs(predicted - y[held]).mean())
    assert math.isnan(regression_scores(np.ones(3), np.ones(3), ("r2",))["r2"])


def test_the_discriminants_are_scikit_learns_where_it_has_them(problem):
    X, y = problem(300)
    ours, theirs = QuadraticDiscriminant(1e-8).fit(X, y), QuadraticDiscriminantAnalysis().fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    ours, theirs = LinearDiscriminant(1e-8).fit(X, y), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


def test_a_discriminant_can_be_fitted_with_a_single_row_of_a_class_and_constant_columns():
    X = np.array([[0.0, 1e6, 3.0], [5.0, 1e6, 3.0], [6.0, 1e6, 3.0]])
    for model in (QuadraticDiscriminant(), LinearDiscriminant()):
        shares = model.fit(X, [0, 1, 1]).predict_proba(X)
        assert np.all(np.isfinite(shares))
        assert model.predict(X).tolist() == [0, 1, 1]


@pytest.mark.parametrize("estimator", [NearestMean(), LinearDiscriminant(), QuadraticDiscriminant()], ids=repr)
def test_discriminants_refuse_gaps_in_what_they_learn_from_and_in_what_they_are_asked(problem, estimator):
    X, y = problem()
    gaps = np.where(np.arange(X.size).reshape(X.shape) == 7, np.nan, X)
    for call in (lambda: estimator.fit(gaps, y), lambda: estimator.fit(X, y).predict(gaps)):
        with pytest.raises(ValueError, match="Input X contains NaN"):
            call()


def test_discriminants_need_no_square_of_the_number_of_rows():
    X = np.random.default_rng(0).normal(size=(2_000, 2))
    for model in (LinearDiscriminant(), QuadraticDiscriminant()):
        tracemalloc.start()
        model.fit(X, X[:, 0] > 0)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 20 * X.nbytes  # a matrix of rows x rows has 1000 times as many


def test_nearest_mean_predicts_as_scikit_learn_but_its_probabilities_are_not_scaled_by_spread(problem):
    X, y = problem(200)
    X[:, 0] *= 3.0
    ours, theirs = NearestMean().fit(X, y), NearestCentroid().fit(X, y)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    scaled = np.asarray(theirs.within_class_std_dev_)
    # theirs: softmax(-‖(x - mean) / s‖² + 2 log prior); ours: softmax(-‖x - mean‖² / 2)
    distance = np.stack([(((X - m) / scaled) ** 2).sum(axis=1) for m in theirs.centroids_], axis=1)
    expected = np.exp(-distance + 2 * np.log(theirs.class_prior_))
    assert_allclose(theirs.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-6)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() > 0.05


def test_machines_give_the_logistic_function_of_decision_values_and_rank_by_these(problem):
    X, y = problem(120)
    ours, theirs = KernelMachine().fit(X, y), SVC(C=1, gamma=0.5, tol=1e-4).fit(X, y)
    decision = theirs.decision_function(X)
    assert np.array_equal(ours.decision_function(X), decision)
    shares = 1 / (1 + np.exp(-decision))
    assert_allclose(ours.predict_proba(X), shares / shares.sum(axis=1, keepdims=True))
    linear = LinearMachine(1e-4).fit(X, y)
    theirs = LinearSVC(C=1 / (1e-4 * 120), dual=False, tol=1e-9, max_iter=100_000).fit(X, y)
    assert_allclose(linear.decision_function(X), theirs.decision_function(X), rtol=1e-6)
    answer = Answer.of(ours, X, np.arange(3), ("auc",))
    assert np.array_equal(answer.ranking, decision)


def test_an_estimator_without_probabilities_has_accuracy_and_auc_and_says_so_once(problem):
    X, y = problem()
    made = learning_curves({"svc": LinearSVC()}, X, y, sizes=[30], n_repetitions=2, workers=0)
    assert np.all(np.isfinite(made.scores(metric="accuracy")))
    assert np.all(np.isfinite(made.scores(metric="auc")))
    assert np.all(np.isnan(made.scores(metric="brier")))
    assert [n for n in made.notes if n.kind is NoteKind.NO_PROBABILITIES] == [
        Note(NoteKind.NO_PROBABILITIES, values={"of": "svc", "metrics": ("brier", "cross_entropy")})
    ]


def test_decision_values_of_pairs_of_classes_are_not_taken_for_those_of_classes(problem):
    X, y = problem()
    made = learning_curves({"pairs": SVC(decision_function_shape="ovo")}, X, y, sizes=[40], n_repetitions=2, workers=0)
    assert np.all(np.isnan(made.scores(metric="auc")))
    assert Note(NoteKind.PAIRWISE_DECISIONS).about("pairs") in made.notes


def test_a_machine_at_the_end_of_a_pipeline_is_ranked_and_noted_as_alone(problem):
    X, y = problem()
    alone, piped = KernelMachine(), make_pipeline(StandardScaler(with_mean=False, with_std=False), KernelMachine())
    made = learning_curves({"alone": alone, "piped": piped}, X, y, sizes=[40], n_repetitions=3, workers=0, fit="each")
    assert np.array_equal(made.values[0], made.values[1])
    assert [note.subject for note in made.notes if note.kind is NoteKind.NOT_CALIBRATED] == ["alone", "piped"]


def test_every_named_model_scores_from_the_first_size_on(problem):
    X, y = problem()
    made = learning_curves(list(MODELS), X, y, sizes=[1, 2, 40], n_repetitions=2, workers=0)
    assert np.all(np.isfinite(made.values))
    assert made.mean()["lda"].estimate[-1] > 0.5
    assert Note(NoteKind.NOT_CALIBRATED).about("linear_svm") in made.notes


def test_unpenalized_logistic_regression_reaches_the_maximum_of_the_likelihood(problem):
    X, y = problem(200, classes=2)
    X[:, 1] += 100.0  # raw features far from 0
    ours = MODELS["logistic"]().fit(X, y)
    oracle = LogisticRegression(C=np.inf, tol=1e-10, max_iter=100_000).fit(X - X.mean(axis=0), y)
    assert_allclose(ours.predict_proba(X), oracle.predict_proba(X - X.mean(axis=0)), atol=1e-4)


def test_a_fit_that_fails_is_a_gap_with_a_note_and_can_be_counted(problem):
    X, y = problem()
    made = learning_curves({"knn5": KNeighborsClassifier(5)}, X, y, sizes=[3, 20], n_repetitions=4, workers=0)
    gaps = np.isnan(made.scores(metric="accuracy"))
    assert gaps[0].any()
    assert not gaps[1].any()
    (failed,) = (note for note in made.notes if note.kind is NoteKind.FITS_FAILED)
    assert (failed.subject, failed.values["sizes"]) == ("knn5", (3,))
    assert np.isnan(made.mean()["knn5"].estimate[0])
    assert made.with_failures("worst").scores(metric="accuracy")[0].min() == 0.0
