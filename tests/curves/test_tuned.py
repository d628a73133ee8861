"""Tuned curves: the fifth that chooses, that kernels choose and score as plain scikit-learn does, stores, refusals."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import randint
from sklearn.base import clone
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import ogive
from ogive.curves import learning_curves, read
from ogive.curves._data import CurveData
from ogive.curves._designs import DESIGNS, TESTS, Design
from ogive.curves._fitting import CurveFit
from ogive.curves._metrics import Answer
from ogive.curves._models import MODELS
from ogive.curves._tuned import TunedCurve, TunedFit, as_tunings, best, held_out
from ogive.curves._whole import Shelf, WholeCurve, recognized
from ogive.errors import InputError, OgiveError
from ogive.notes import NoteKind, naming
from ogive.seeding import stream
from ogive.store import Store

METRICS = ("accuracy", "auc", "brier", "cross_entropy")
TUNED = [name for name in MODELS if name != "nmc"]
DETERMINISTIC = {
    "knn": ([15, 5, 3, 1], "n_neighbors", int),
    "lda": ([1e-1, 1e-3, 1e-8], "jitter", float),
    "qda": ([1e-1, 1e-3, 1e-8], "jitter", float),
    "logistic": ([1e-1, 1e-3, 1e-6], "estimator__C", lambda v: 1.0 / v),
    "linear_svm": ([1e-1, 1e-3, 1e-6], "penalty", float),
    "rbf_svm": ([0.02, 0.7, 30.0], "C", float),
}
WAYS = [(design, test) for design in DESIGNS for test in TESTS]


def repetition(X, design, test, sizes, number=0):
    rows = Design.of(design, test, len(X), 0.25, 0, "d")
    return rows.repetition(stream(0, rows.purpose, "d", trial=number), sizes)


def curve_of(model, values, X, y, design, fit=TunedCurve):
    """The function of a tuned model."""
    data = CurveData(X, y, "classification", "d", np.arange(y.max() + 1))
    estimator = MODELS[model]()
    tuning = as_tunings(values, {model: estimator}, y.max() + 1)[model]
    slow = TunedFit(estimator, METRICS, "zero", "at last", tuning)
    (known,) = recognized({model: estimator}, data, design, "kernel").values()
    return data, slow if fit is TunedFit else TunedCurve(slow, known, Shelf(), tuning)


def plain(model, X, y, train, test):
    """Value and scores that scikit-learn gives: every value is fitted, the first of the best is taken."""
    values, parameter, setting = DETERMINISTIC[model]
    seen = list(dict.fromkeys(train.tolist()))
    held = {row for i, row in enumerate(seen, 1) if i % 5 == 0}
    inside, outside = (np.array([r for r in train if (r in held) == out], dtype=int) for out in (False, True))
    right = []
    for value in values:
        if parameter == "n_neighbors" and value > len(inside):
            right.append(-1.0)
            continue
        guess = fitted(model, parameter, setting(value), X, y, inside, outside)[0]
        right.append(np.mean(guess == y[outside]))
    value = values[int(np.argmax(right))]
    _, answer = fitted(model, parameter, setting(value), X, y, train, test)
    return value, list(answer.scores(y[test], METRICS).values())


def fitted(model, parameter, value, X, y, train, test):
    classes, n_classes = np.unique(y[train]), y.max() + 1
    if classes.size == 1:
        return classes, Answer.constant(int(classes[0]), len(test), n_classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = clone(MODELS[model]()).set_params(**{parameter: value}).fit(X[train], y[train])
        return made.predict(X[test]), Answer.of(made, X[test], np.arange(n_classes), METRICS)


def odd(problem, what):
    X, y = problem(64, seed=5)
    if what == "a rare class":
        y = np.where((y == 2) & (np.arange(64) > 8), 0, y)
    elif what == "one class and two rows":
        y = np.where(np.arange(64) < 2, 1, 0)
    return X, y


@pytest.mark.parametrize("what", ["ordinary", "a rare class", "one class and two rows"])
@pytest.mark.parametrize(("design", "test"), WAYS)
@pytest.mark.parametrize("model", DETERMINISTIC)
def test_a_tuned_curve_is_what_scikit_learn_gives_at_every_size(problem, model, design, test, what):
    X, y = odd(problem, what)
    sizes = tuple(range(10, 42, 1 if what == "ordinary" and design == "additive" else 6))
    found = repetition(X, design, test, sizes)
    data, curve = curve_of(model, DETERMINISTIC[model][0], X, y, found.design)
    ours = curve.curve(data, found, np.array([1, 2], np.uint64))
    for row, (_, train, tested) in zip(ours, found.splits(), strict=True):
        value, scores = plain(model, X, y, train, tested)
        assert row[-1] == value
        # Rows with equal decision values may be ranked the other way, or decided.
        off = abs(row[:-1] - scores)
        assert_array_equal(np.isnan(row[:-1]), np.isnan(scores))
        assert np.nanmax(off[[0, 2, 3]]) < 1e-4 or model == "rbf_svm"
        assert not off[1] > (0.1 if model in ("logistic", "rbf_svm") else 1e-9)


@pytest.mark.parametrize(("design", "test"), WAYS)
@pytest.mark.parametrize("model", TUNED)
def test_a_tuned_curve_is_at_every_size_the_untuned_one_of_the_value_chosen(problem, model, design, test):
    """Untuned kernels, of which each has an oracle of its own, called for one value and one size."""
    X, y = problem(60, seed=2)
    found, key = repetition(X, design, test, (10, 14, 15, 30, 41)), np.array([1, 2], np.uint64)
    data, curve = curve_of(model, 5, X, y, found.design)
    whole = WholeCurve(curve.fit, curve.known, Shelf())
    ours = curve.curve(data, found, key)
    for row, (size, train, _) in zip(ours, found.splits(), strict=True):
        held = held_out(train)
        tested = np.ascontiguousarray(train[held].astype(np.int64))
        right = np.full((1, 5), np.nan)
        for j, parameters in enumerate(curve.tuning.parameters):
            if model == "knn":
                inner = CurveFit(KNeighborsClassifier(parameters["k"]), METRICS, "zero", "")
                if parameters["k"] <= (~held).sum():
                    right[0, j] = inner.scores({}, data, train[~held], tested, stream(0, "train"))["accuracy"]
                continue
            scores, number = np.full((1, 4), np.nan), np.array([(~held).sum()])
            inside = train[~held].astype(np.int64)
            whole.run(data, found.design, inside, number, parameters, key, scores, tested)
            right[0, j] = scores[0, 0]
        chosen = int(best(right)[0])
        assert row[-1] == curve.tuning.values[chosen]
        expected = np.full((1, 4), np.nan)
        whole.run(
            data, found.design, train.astype(np.int64), np.array([size]), curve.tuning.parameters[chosen], key, expected
        )
        # Machines start from another size here and there, which rows with equal decision values notice in an area.
        tolerance = {"rbf_svm": 1e-3, "linear_svm": 1e-6}.get(model, 0.0)
        assert_array_equal(np.isnan(row[:-1]), np.isnan(expected[0]))
        off = np.nan_to_num(abs(row[:-1] - expected[0]))
        assert (off <= [tolerance, 50 * tolerance, tolerance, tolerance]).all()


@pytest.mark.slow
@pytest.mark.parametrize(("design", "test"), [("additive", "fixed"), ("bootstrap", "varying")])
def test_tuned_models_that_draw_give_what_fitting_gives_on_average(problem, design, test):
    """Paired differences over repetitions have mean 0, within four standard errors."""
    X, y = problem(60)
    same = {"design": design, "test": test, "sizes": [12, 40], "n_repetitions": 60, "workers": 0, "seed": 1}
    same["tuned"] = {"tree": [10, 3, 1], "forest": [12, 3, 1], "adaboost": [1, 5, 15]}
    whole = learning_curves(["tree", "forest", "adaboost"], X, y, **same)
    each = learning_curves(["tree", "forest", "adaboost"], X, y, fit="each", **same)
    apart = whole.values - each.values
    error = apart.std(axis=-1, ddof=1) / np.sqrt(apart.shape[-1])
    assert (abs(apart.mean(axis=-1)) <= 4.0 * error + 1e-9).all()


def test_the_same_call_gives_the_same_numbers_by_kernels_and_by_fitting(problem):
    X, y = problem(60)
    same = {"sizes": [10, 25, 40], "n_repetitions": 3, "workers": 0, "tuned": 4}
    models = ["nmc", "knn", "lda", "qda", "logistic", "linear_svm"]
    whole, each = learning_curves(models, X, y, **same), learning_curves(models, X, y, fit="each", **same)
    assert_allclose(whole.values, each.values, rtol=0, atol=1e-5)
    assert_array_equal(whole.chosen, each.chosen)
    assert whole.models == each.models == ("nmc", *(f"{model} (tuned, 4)" for model in models[1:]))


@pytest.mark.parametrize("design", DESIGNS)
def test_no_row_that_chooses_is_fitted_and_no_row_that_is_tested_is_either(problem, design):
    X, _ = problem(60)
    for test in TESTS:
        for size, train, tested in repetition(X, design, test, (10, 11, 29, 40)).splits():
            held = held_out(train)
            assert not set(train[held]) & set(train[~held])
            assert not set(train) & set(tested)
            different = len(set(train))
            assert len(set(train[held])) == different // 5
            if design != "bootstrap":
                assert held.sum() == size // 5


def test_rows_held_out_are_nested_where_training_sets_are():
    order = np.random.default_rng(0).permutation(40)
    whole = held_out(order)
    for n in range(1, 41):
        assert_array_equal(held_out(order[:n]), whole[:n])
    assert_array_equal(np.flatnonzero(held_out(np.array([7, 7, 3, 7, 1, 9, 2, 2, 5]))), [6, 7])


@pytest.mark.parametrize("model", TUNED)
@pytest.mark.parametrize("design", DESIGNS)
def test_test_rows_have_no_part_in_the_choice(problem, model, design):
    X, y = problem(48)
    found = repetition(X, design, "fixed", (10, 17, 30))
    changed, other = X.copy(), y.copy()
    changed[found.design.held_out] += 50.0
    other[found.design.held_out] = 0
    key, chosen = np.array([1, 2], np.uint64), []
    for features, classes in ((X, y), (changed, other)):
        data, curve = curve_of(model, 6, features, classes, found.design)
        chosen.append(curve.curve(data, found, key)[:, -1])
    assert_array_equal(*chosen)


def test_of_equally_good_values_the_first_is_taken(problem):
    """Which is the smoothest model in the lists of our own."""
    X, y = problem(60)
    far = X + 100.0 * np.eye(3)[y]
    for values in ([1, 2, 3], [3, 2, 1]):
        made = learning_curves("knn", far, y, tuned=values, sizes=[30], n_repetitions=4, workers=0)
        assert_array_equal(made.chosen_values(), values[0])
    grids = {model: as_tunings(20, {model: MODELS[model]()}, 3)[model].values for model in TUNED}
    assert all(len(grid) == 20 for grid in grids.values())
    for model in ("lda", "qda", "logistic", "linear_svm"):
        assert_allclose(grids[model][::19], [1e-1, 1e-8])
    for model in ("knn", "tree", "forest"):
        assert grids[model][::19] == (100.0, 1.0)
    assert grids["adaboost"][::19] == (1.0, 100.0)
    assert_allclose(grids["rbf_svm"][::19], [1e-3, 1e4])


def outcome_of(curve, data, design, sizes):
    """The series of a repetition, as a study gets them."""
    made = curve({}, data, design.repetition(stream(0, "design:bootstrap"), sizes), stream(0, "train"))
    return {name: series.values for name, series in made.series.items()}


@pytest.mark.parametrize("model", ["knn", "lda", "logistic", "linear_svm"])
def test_a_bootstrap_sample_of_fewer_than_five_rows_has_nothing_to_choose_by(model):
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    design = Design("bootstrap", "fixed", 8, np.arange(4), np.arange(4, 8))
    data, curve = curve_of(model, 3, X, y, design)
    _, slow = curve_of(model, 3, X, y, design, TunedFit)
    ours, theirs = (outcome_of(c, data, design, (10, 12)) for c in (curve, slow))
    for name, values in theirs.items():
        assert_allclose(ours[name], values, atol=1e-6)
    possible = [v for v in slow.tuning.values if slow.tuning.possible(v, 10)]
    assert_array_equal(ours["chosen value"], possible[0])


def test_workers_and_interruptions_change_no_bit(problem, tmp_path):
    X, y = problem(60)
    same = {"n_repetitions": 4, "sizes": [10, 14, 40], "tuned": 5}
    alone = learning_curves(list(MODELS), X, y, workers=1, store=tmp_path / "one", **same)
    pair = learning_curves(list(MODELS), X, y, workers=2, store=tmp_path / "two", **same)
    assert_array_equal(alone.values, pair.values)
    assert_array_equal(alone.chosen, pair.chosen)
    learning_curves(list(MODELS), X, y, workers=0, store=tmp_path / "cut", **{**same, "n_repetitions": 2})
    resumed = learning_curves(list(MODELS), X, y, workers=0, store=tmp_path / "cut", **same)
    assert_array_equal(resumed.values, alone.values)
    back = read(tmp_path / "one")
    assert_array_equal(back.values, alone.values)
    assert_array_equal(back.chosen, alone.chosen)
    alone.write(tmp_path / "c.parquet")
    assert_array_equal(read(tmp_path / "c.parquet").chosen, alone.chosen)


def test_a_tuned_model_is_another_algorithm_on_the_same_rows(problem, tmp_path):
    X, y = problem(60)
    same = {"n_repetitions": 3, "sizes": [10, 30], "workers": 0}
    untuned = learning_curves("knn", X, y, store=tmp_path, **same)
    learning_curves("knn", X, y, tuned=[5, 1], store=tmp_path, **same)
    algorithms = Store(tmp_path).records().merged["algorithms"]
    assert set(algorithms) == {"knn", "knn (tuned, 2)"}
    assert algorithms["knn (tuned, 2)"]["tuned"]["values"] == [5.0, 1.0]
    with pytest.raises(OgiveError, match="tuned"):
        learning_curves("knn", X, y, tuned=[3, 1], store=tmp_path, **same)
    both = learning_curves({"one": "knn", "k": "knn"}, X, y, tuned={"k": [1, 3]}, **same)
    assert both.models == ("one", "k (tuned, 2)")
    assert_array_equal(both.scores("one"), untuned.scores())
    ones = both.chosen_values("k (tuned, 2)") == 1.0
    assert_array_equal(both.scores("k (tuned, 2)")[ones], both.scores("one")[ones])  # paired: the same rows
    with pytest.raises(InputError, match="'one' was not tuned"):
        both.chosen_values("one")


def test_notes_say_what_was_tuned_and_what_has_nothing_to_tune(problem, tmp_path):
    X, y = problem(60)
    same = {"n_repetitions": 2, "sizes": [10, 30], "workers": 0}
    made = learning_curves(["nmc", "logistic"], X, y, tuned=3, store=tmp_path, **same)
    said = [note.sentence() for note in made.notes]
    assert any("1/C from 1e-08 to 0.1" in sentence for sentence in said)
    assert any("nmc has nothing to tune" in sentence for sentence in said)
    two = learning_curves({"n1": "nmc", "n2": "nmc"}, X, y, tuned=3, **same)
    (note,) = [note for note in two.notes if note.kind is NoteKind.NOTHING_TO_TUNE]
    assert note.sentence().startswith("n1 and n2 have nothing to tune: their curves are the untuned ones")
    assert any(note.kind is NoteKind.TUNED_AT_SIZES for note in read(tmp_path).notes)
    assert_array_equal(made.scores("nmc"), learning_curves("nmc", X, y, **same).scores())


def test_every_size_from_ten_is_the_default(problem):
    X, y = problem(60)
    assert_array_equal(learning_curves("nmc", X, y, tuned=3, n_repetitions=2, workers=0).sizes, np.arange(10, 43))
    assert_array_equal(
        learning_curves(["knn", "lda"], X, y, tuned=3, n_repetitions=2, workers=0).sizes, np.arange(10, 43)
    )


@pytest.mark.parametrize(
    ("estimator", "values"),
    [
        (KNeighborsClassifier(7), [1, 5]),
        (SVC(gamma=0.3), [0.1, 10.0]),
        (LogisticRegression(solver="newton-cholesky"), [0.0, 0.1]),
    ],
    ids=repr,
)
def test_estimators_that_go_by_a_kernel_are_tuned_too(problem, estimator, values):
    X, y = problem(60, classes=2)
    same = {"tuned": values, "sizes": [12, 40], "n_repetitions": 3, "workers": 0}
    made = learning_curves({"m": estimator}, X, y, fit="kernel", **same)
    each = learning_curves({"m": estimator}, X, y, fit="each", **same)
    assert_allclose(made.values, each.values, atol=1e-5)
    assert set(np.unique(made.chosen_values())) <= set(values)


def test_missing_classes_are_undefined_where_asked_for(problem):
    X, y = problem(60)
    y[y == 2] = np.where(np.arange((y == 2).sum()) < 4, 2, 0)
    same = {"sizes": [10, 20], "n_repetitions": 6, "missing_class": "undefined", "workers": 0, "tuned": 3}
    whole, each = (learning_curves("lda", X, y, fit=fit, **same) for fit in (None, "each"))
    assert np.isnan(whole.values).any()
    assert_allclose(whole.values, each.values, atol=1e-7)
    assert_array_equal(np.isnan(whole.chosen[0]), np.isnan(whole.scores()))
    assert_array_equal(whole.chosen, each.chosen)


def test_a_search_of_ones_own_is_run_at_every_size(problem):
    X, y = problem(60)
    space = {"n_neighbors": randint(1, 4)}
    own = ogive.tuned(ogive.Algorithm.from_estimator(KNeighborsClassifier(), space, name="k"), n_configs=3)
    made = learning_curves([own, "nmc"], X, y, sizes=[12, 40], n_repetitions=3, workers=0)
    assert made.models == ("k (tuned, 3)", "nmc")
    assert np.isfinite(made.values).all()
    each = learning_curves(own, X, y, n_repetitions=1, workers=0, multi_class="one-vs-rest")
    assert each.sizes[0] == 10  # as without it
    again = learning_curves({"mine": own}, X, y, sizes=[12, 40], n_repetitions=3, workers=2)
    assert again.models == ("mine",)
    assert made.sizes[0] == 12
    ridge = ogive.tuned(ogive.Algorithm.from_estimator(Ridge(), {"alpha": [0.1, 10.0]}), n_configs=2)
    assert np.isfinite(learning_curves(ridge, X, X[:, 0], n_repetitions=1, sizes=[20], workers=0).values).all()
    assert learning_curves(ridge, X, X[:, 0], n_repetitions=1, workers=0).sizes[0] == 10


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"models": GaussianNB(), "tuned": 20}, "ogive.tuned(ogive.Algorithm.from_estimator(estimator, space)"),
        ({"models": QuadraticDiscriminantAnalysis(), "tuned": 20}, "has no path of values"),
        ({"models": KNeighborsClassifier(weights="distance"), "tuned": 20}, "has no path of values"),
        ({"models": ["knn", "lda"], "tuned": [1, 2]}, "tuned={model: values}"),
        ({"tuned": {"lda": 20}}, "`tuned` names 'lda', but the models are 'knn'."),
        ({"models": "nmc", "tuned": [1, 2]}, "'nmc' has nothing to tune"),
        ({"tuned": 1}, "2 to 1000 values to choose from"),
        ({"tuned": 10**9}, "2 to 1000 values to choose from"),
        ({"tuned": True}, "`tuned` must be a number of values"),
        ({"tuned": "20"}, "`tuned` must be a number of values"),
        ({"tuned": [1, 1]}, "a list of different ones for 'knn' (n_neighbors)"),
        ({"tuned": []}, "a list of different ones"),
        ({"tuned": [1.5, 2]}, "must be whole numbers from 1 to 2147483648; got 1.5"),
        ({"tuned": [0, 2]}, "must be whole numbers from 1 to 2147483648; got 0"),
        ({"tuned": [1, 1e300]}, "must be whole numbers from 1 to 2147483648; got 1e+300"),
        ({"models": "tree", "tuned": [1, 2**32]}, "from 1 to 2147483648; got 4.29497e+09"),
        ({"models": "lda", "tuned": [0.0, 0.1]}, "must be positive numbers; got 0"),
        ({"tuned": 20, "sizes": [5, 20]}, "`sizes` of tuned models begin at 10"),
        ({"models": ogive.Algorithm("f", lambda config, rng: 0.5)}, "'f' gives no fitted model to score"),
    ],
)  # fmt: skip
def test_what_cannot_be_tuned_is_refused_in_one_sentence(problem, change, words):
    X, y = problem(60)
    with pytest.raises(InputError) as caught:
        learning_curves(change.pop("models", "knn"), X, y, **{"n_repetitions": 2, "workers": 0, **change})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tuned_models_that_would_be_fitted_for_each_class_are_refused(problem):
    X, y = problem(60)
    same = {"sizes": [12, 40], "n_repetitions": 2, "workers": 0, "multi_class": "one-vs-rest"}
    with pytest.raises(InputError, match="`tuned` and `multi_class` do not go together for 'tree'"):
        learning_curves("tree", X, y, tuned=5, **same)
    with naming("cli"), pytest.raises(InputError, match="`--tuned` and `--one-vs-rest` do not go together for 'tree'"):
        learning_curves(["nmc", "tree"], X, y, tuned={"tree": 5}, **same)
    made = learning_curves(["nmc", "logistic"], X, y, tuned=3, **same)
    assert made.models == ("nmc", "logistic (tuned, 3)")


def test_what_has_nothing_to_tune_is_refused_on_the_command_line_without_python(problem):
    with naming("cli"), pytest.raises(InputError) as caught:
        learning_curves("nmc", *problem(60), tuned={"nmc": 5}, workers=0)
    assert str(caught.value).startswith("`--tuned` works for knn")
    assert str(caught.value).endswith("'nmc' has nothing to tune. Leave it out.")


def test_numbers_of_neighbors_that_no_training_set_has_fail(problem):
    X, y = problem(60)
    made = learning_curves("knn", X, y, tuned=[2**31, 50, 20], sizes=[10, 40], n_repetitions=2, workers=0)
    assert np.isnan(made.scores()[0]).all()
    assert_array_equal(made.chosen_values()[1], 20.0)
    assert any(note.kind is NoteKind.FITS_FAILED for note in made.notes)
