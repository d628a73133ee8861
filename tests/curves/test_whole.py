"""Models with kernels: which they are, that they give what fitting gives, and that nothing else changes a number."""

import logging
from dataclasses import replace
from numbers import Real

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import Interval, StrOptions

from ogive.curves import learning_curves, read
from ogive.curves._data import CurveData
from ogive.curves._designs import DESIGNS, TESTS, Design
from ogive.curves._engine import prepare, seconds_of
from ogive.curves._fitting import CurveFit
from ogive.curves._models import MODELS, as_models
from ogive.curves._whole import LEARNERS, Shelf, WholeCurve, recognized
from ogive.errors import InputError, OgiveError, StoreConflict
from ogive.kernels._kernel_svm import TOLERANCE
from ogive.notes import NoteKind, naming
from ogive.seeding import stream
from ogive.store import Store

NAMES = list(MODELS)
CHEAP = ["nmc", "knn", "lda", "qda"]
# As scikit-learn's QuadraticDiscriminantAnalysis does from this version on; the earlier ones divide by n - 1.
DIVIDES_BY_N = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)
METRICS = ("accuracy", "auc", "brier", "cross_entropy")


def paths(curves):
    (note,) = [note for note in curves.notes if note.kind is NoteKind.CURVE_PATHS]
    return {path: list(models) for path, models in note.values.items()}


@pytest.fixture(name="ways", scope="module", params=[(d, t) for d in DESIGNS for t in TESTS], ids="-".join)
def _ways(request, problem):
    """The curves of all named models by kernels, and by fitting, in one design."""
    design, test = request.param
    X, y = problem(60)
    same = {"design": design, "test": test, "sizes": [2, 3, 12, 40], "n_repetitions": 4, "workers": 0, "seed": 1}
    return learning_curves(NAMES, X, y, **same), learning_curves(NAMES, X, y, fit="each", **same)


def off(ways, model):
    """How far scores [metric, size, repetition] of the two ways lie apart; no score in one is no score in the other."""
    whole, each = (curves.values[curves.models.index(model)] for curves in ways)
    assert_array_equal(np.isnan(whole), np.isnan(each))
    return np.nan_to_num(abs(whole - each))


def test_all_named_models_go_by_kernels_unless_told_otherwise(ways):
    whole, each = ways
    assert paths(whole) == {"kernel": list(MODELS), "each": []}
    assert paths(each) == {"kernel": [], "each": list(MODELS)}


@pytest.mark.parametrize("model", CHEAP)
def test_kernels_of_means_neighbors_and_discriminants_give_what_fitting_gives(ways, model):
    assert off(ways, model).max() < 1e-7


@pytest.mark.parametrize("model", ["logistic", "linear_svm", "rbf_svm"])
def test_kernels_of_machines_give_what_fitting_gives(ways, model):
    """Labels are the same, probabilities to 1e-5; rows with equal decision values may be ranked the other way."""
    accuracy, area, *shares = off(ways, model)
    assert accuracy.max() < 1e-12
    assert (area > 1e-9).sum() <= 1
    assert area.max() < 0.02
    assert np.max(shares) < 1e-5


@pytest.mark.parametrize(("model", "ties"), [("tree", 2), ("adaboost", 12)])
def test_kernels_of_trees_give_what_fitting_gives_but_for_ties(ways, model, ties):
    """Of 16 fits; twelve rows leave many equal cuts, between which either way decides by its own random numbers."""
    differs = (off(ways, model) > 1e-7).any(axis=0)
    assert differs.sum() <= ties


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("design", DESIGNS)
def test_kernels_that_draw_give_what_fitting_gives_on_average(problem, design, test):
    """Paired differences over repetitions have mean 0, within four standard errors."""
    X, y = problem(60)
    same = {"design": design, "test": test, "sizes": [3, 12, 40], "n_repetitions": 60, "workers": 0, "seed": 1}
    whole = learning_curves(["tree", "forest", "adaboost"], X, y, **same)
    each = learning_curves(["tree", "forest", "adaboost"], X, y, fit="each", **same)
    apart = whole.values - each.values
    assert np.isfinite(apart).all()
    error = apart.std(axis=-1, ddof=1) / np.sqrt(apart.shape[-1])
    assert (abs(apart.mean(axis=-1)) <= 4.0 * error + 1e-9).all()


@pytest.mark.parametrize("model", NAMES)
def test_labels_without_meaning_are_not_learned(model):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    for test in TESTS:
        made = learning_curves(model, X, y, test=test, sizes=[40, 80], n_repetitions=30, workers=0, test_size=0.3)
        assert (
            abs(made.scores(metric="accuracy").mean() - 0.5) < 0.2
        )  # 1-NN reads 1 where it is tested on what it knows


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", NAMES)
def test_rows_that_are_not_trained_on_have_no_part_in_a_prediction(problem, model, design):
    """Another row in the test set, far off and of another class, changes its own score and no other one."""
    X, y = problem(40)
    of = Design.of(design, "fixed", 40, 10, 0, "d")
    changed = X.copy()
    changed[of.held_out[-1]] += 50.0
    rows = replace(of, held_out=of.held_out[:-1])
    found = []
    for features in (X, changed):
        data = CurveData(features, y, "classification", "d", np.arange(3))
        (known,) = recognized({"m": MODELS[model]()}, data, rows, None).values()
        curve = WholeCurve(CurveFit(MODELS[model](), METRICS, "zero", ""), known, Shelf())
        key = np.array([1, 2], dtype=np.uint64)
        found.append(curve.curve(data, rows.repetition(stream(0, rows.purpose, "d"), (3, 9, 30)), key))
    assert_array_equal(*found)


def test_every_size_is_the_default_where_all_models_have_kernels(problem):
    X, y = problem(60)
    assert_array_equal(learning_curves(CHEAP, X, y, n_repetitions=2, workers=0).sizes, np.arange(3, 43))
    mixed = learning_curves(["nmc", GaussianNB()], X, y, n_repetitions=2, workers=0)
    assert len(mixed.sizes) == 20
    assert paths(mixed) == {"kernel": ["nmc"], "each": ["GaussianNB"]}


@pytest.mark.parametrize(
    ("estimator", "path"),
    [
        (KNeighborsClassifier(3), "kernel"),
        (KNeighborsClassifier(3, weights="distance"), "each"),
        (KNeighborsClassifier(3, p=1), "each"),
        (KNeighborsClassifier(3, metric="chebyshev"), "each"),
        (LinearDiscriminantAnalysis(solver="lsqr"), "kernel"),
        (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), "each"),
        (LinearDiscriminantAnalysis(), "each"),
        (QuadraticDiscriminantAnalysis(), "kernel" if DIVIDES_BY_N else "each"),
        (QuadraticDiscriminantAnalysis(reg_param=0.1), "each"),
        (OneVsRestClassifier(LogisticRegression(C=2.0, solver="newton-cholesky")), "kernel"),
        (OneVsRestClassifier(LogisticRegression(C=2.0)), "each"),
        (OneVsRestClassifier(LogisticRegression(solver="newton-cholesky", fit_intercept=False)), "each"),
        (LogisticRegression(solver="newton-cholesky"), "each"),
        (SVC(gamma=0.3), "kernel"),
        (SVC(gamma=0.3, C=5.0), "kernel"),
        (SVC(), "each"),
        (SVC(gamma=0.3, kernel="linear"), "each"),
        (SVC(gamma=0.3, class_weight="balanced"), "each"),
        (LinearSVC(), "each"),
        (DecisionTreeClassifier(min_samples_leaf=0.1), "each"),
        (DecisionTreeClassifier(max_depth=3), "each"),
        (DecisionTreeClassifier(criterion="entropy"), "each"),
        (DecisionTreeClassifier(random_state=1), "each"),
        (RandomForestClassifier(4, random_state=1), "each"),
        (RandomForestClassifier(4, max_features=None), "each"),
        (AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=4), "each"),
        (AdaBoostClassifier(n_estimators=4, learning_rate=0.5), "each"),
    ],
    ids=repr,
)
def test_an_estimator_has_a_kernel_only_if_no_other_parameter_is_set(problem, estimator, path):
    X, y = problem(60)
    sizes = [6, 20, 40]
    found = learning_curves({"m": estimator}, X, y, sizes=sizes, n_repetitions=3, workers=0)
    each = learning_curves({"m": estimator}, X, y, sizes=sizes, n_repetitions=3, workers=0, fit="each")
    assert paths(found)[path] == ["m"]
    assert_allclose(found.values, each.values, rtol=1e-7, atol=1e-5)


# Estimators that have kernels, and their parameters that may be set: of any other one another value leaves the kernel.
KNOWN = [
    (KNeighborsClassifier(), "n_neighbors algorithm leaf_size n_jobs"),
    (LinearDiscriminantAnalysis(solver="lsqr"), "store_covariance tol"),
    (QuadraticDiscriminantAnalysis(), "store_covariance"),
    (
        OneVsRestClassifier(LogisticRegression(solver="newton-cholesky")),
        "n_jobs estimator__C estimator__n_jobs",
    ),
    (SVC(gamma=0.3), "C gamma cache_size"),
    (DecisionTreeClassifier(), "min_samples_leaf"),
    (RandomForestClassifier(), "n_estimators n_jobs"),
    (AdaBoostClassifier(DecisionTreeClassifier(max_depth=1)), "n_estimators"),
    *[(MODELS[name](), "jitter penalty C bandwidth") for name in ("nmc", "lda", "qda", "linear_svm", "rbf_svm")],
]


def other_values(estimator, parameter):
    """Every kind of value that scikit-learn takes for a parameter, or text and numbers of each size, but for its own."""
    *inside, last = parameter.split("__")
    owner = estimator.get_params()["__".join(inside)] if inside else estimator
    rules = getattr(owner, "_parameter_constraints", {}).get(
        last, [None, "boolean", Interval(Real, 0, None, closed="neither")]
    )
    found = [
        None,
        True,
        False,
        0,
        1,
        2,
        7,
        0.25,
        1.5,
        np.int64(2),
        np.float64(0.25),
        "other",
        "balanced",
        [0.5, 0.5],
        {0: 2.0},
        {},
    ]
    for rule in rules if isinstance(rules, list) else []:
        found += sorted(rule.options) if isinstance(rule, StrOptions) else []
    own = owner.get_params(deep=False)[last]
    return [value for value in found if type(value) is not type(own) or value != own]


@pytest.mark.parametrize(("estimator", "free"), KNOWN, ids=lambda value: type(value).__name__)
def test_no_parameter_of_an_estimator_can_be_set_unnoticed(problem, estimator, free):
    """Each parameter in turn, those of an estimator inside too, has every other kind of value."""
    X, y = problem(60)
    data, design = CurveData(X, y, "classification", "d", np.arange(3)), Design.of("additive", "fixed", 60, 10, 0, "d")

    def takes_kernel(model):
        return bool(recognized({"m": model}, data, design, None))

    known = takes_kernel(estimator)
    assert known or (isinstance(estimator, QuadraticDiscriminantAnalysis) and not DIVIDES_BY_N)
    names = estimator.get_params(deep=True)
    for name in names:
        set_anew = [clone(estimator).set_params(**{name: value}) for value in other_values(estimator, name)]
        if not any(name.endswith("__" + inner) or inner == name for inner in ("estimator", "base_estimator")):
            assert any(takes_kernel(model) for model in set_anew) == (name in free.split() and known), name
        else:
            assert not any(takes_kernel(model) for model in set_anew if model.get_params()[name] is not None), name
    assert all(name in names for name in free.split()) or "jitter" in free


def test_a_class_of_ones_own_is_not_taken_for_its_parent(problem):
    class Odd(KNeighborsClassifier):
        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    made = learning_curves({"odd": Odd(1)}, *problem(60), sizes=[20, 40], n_repetitions=2, workers=0)
    assert paths(made)["each"] == ["odd"]


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(min_samples_leaf=4),
        RandomForestClassifier(7, n_jobs=1),
        AdaBoostClassifier(n_estimators=5),
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1)),
        LogisticRegression(C=np.inf, solver="newton-cholesky"),
    ],
    ids=repr,
)
def test_an_estimator_that_draws_or_has_two_classes_is_recognized_too(problem, estimator):
    X, y = problem(60, classes=2)
    found = learning_curves({"m": estimator}, X, y, sizes=[6, 20], n_repetitions=2, workers=0, fit="kernel")
    assert np.isfinite(found.scores(metric="brier")).all()


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(3, algorithm="manhattan"),
        KNeighborsClassifier(3, leaf_size=0),
        LinearDiscriminantAnalysis(solver="lsqr", tol=-1.0),
        RandomForestClassifier(4, n_jobs="all"),
        SVC(gamma=0.3, cache_size=0),
    ],
    ids=repr,
)
def test_parameters_that_scikit_learn_refuses_are_left_for_it_to_refuse(problem, estimator):
    X, y = problem(60)
    with pytest.raises(OgiveError, match="must be"):
        learning_curves({"m": estimator}, X, y, sizes=[20, 40], n_repetitions=2, workers=0)


@pytest.mark.parametrize("model", NAMES)
def test_two_rows_and_one_column_are_enough(problem, model):
    X, y = problem(12, classes=2)
    X = X[:, :1]
    made = learning_curves(model, X, y, sizes=[1, 2, 6], n_repetitions=3, test="varying", workers=0, fit="kernel")
    assert np.isfinite(made.scores(metric="accuracy")).all()


def test_gaps_go_the_slow_way_where_a_model_takes_them_and_are_refused_elsewhere(problem):
    X, y = problem(60)
    X[5, 1] = np.nan
    made = learning_curves("tree", X, y, sizes=[20, 40], n_repetitions=2, workers=0)
    assert paths(made)["each"] == ["tree"]
    with pytest.raises(InputError, match="'tree' has no kernel for these data"):
        learning_curves("tree", X, y, sizes=[20, 40], n_repetitions=2, workers=0, fit="kernel")
    with pytest.raises(InputError, match="'rbf_svm', which takes no gaps"):
        learning_curves("rbf_svm", X, y, sizes=[20, 40], n_repetitions=2, workers=0)


def test_numbers_too_large_for_a_tree_are_left_to_it_and_refused_by_it(problem):
    X, y = problem(60)
    X[7, 0] = 1e39
    with pytest.raises(OgiveError, match="too large for dtype"):
        learning_curves(["nmc", "tree"], X, y, sizes=[30, 40], n_repetitions=2, test="varying", workers=0)
    with pytest.raises(InputError, match="'tree' has no kernel for these data"):
        learning_curves("tree", X, y, sizes=[30], n_repetitions=2, workers=0, fit="kernel")


@pytest.mark.parametrize(
    ("change", "slow"),
    [
        (lambda X: X + 100.0, []),
        (lambda X: X + 1e3, ["logistic", "linear_svm"]),
        (lambda X: np.column_stack([X, X[:, 0] + 1e8]), ["logistic", "linear_svm"]),
        (lambda X: X * 1e4, []),
        (lambda X: X * 1e6, ["linear_svm"]),
        (lambda X: X * 1e300, ["linear_svm"]),
        (lambda X: np.column_stack([X, X[:, 0] * 1e10]), []),
        (lambda X: np.column_stack([X, np.full(60, 1e4), np.zeros(60)]), []),
        (lambda X: np.column_stack([X, np.full(60, 1e6)]), ["logistic", "linear_svm"]),
    ],
    ids=["near", "far", "one far", "low", "high", "huge", "one high", "constant", "high constant"],
)
def test_data_far_from_zero_for_their_range_go_the_slow_way(problem, change, slow):
    X, y = problem(60)
    data = CurveData(change(X), y, "classification", "d", np.arange(3))
    models = {name: MODELS[name]() for name in ("logistic", "linear_svm", "lda")}
    kernels = recognized(models, data, Design.of("additive", "fixed", 60, 10, 0, "d"), None)
    assert [name for name in models if name not in kernels] == slow


def test_far_from_zero_linear_models_are_those_of_the_estimator(problem):
    X, y = problem(40)
    models = ["logistic", "linear_svm"]
    same = {"sizes": [8, 20], "n_repetitions": 2, "workers": 0}
    whole = learning_curves(models, X + 1e7, y, **same)
    assert paths(whole)["each"] == models
    assert_array_equal(whole.values, learning_curves(models, X + 1e7, y, fit="each", **same).values)


@pytest.mark.parametrize("model", NAMES)
def test_text_in_place_of_numbers_is_refused_whatever_the_model(model):
    with pytest.raises(InputError, match="must be a table of numbers"):
        learning_curves(model, [["a", "b"]] * 20, np.arange(20) % 2, workers=0)


def test_the_kernel_machine_is_computed_to_the_tolerance_that_its_file_names():
    given = LEARNERS["rbf_svm"].arguments(("values",), {"C": 2.0}, None)
    assert given == ("values", 2.0, TOLERANCE)


def test_a_kernel_matrix_that_does_not_fit_is_not_made(problem, monkeypatch):
    monkeypatch.setattr("ogive.curves._whole.MOST_BYTES", 1_000.0)
    X, y = problem(60)
    made = learning_curves(["nmc", "rbf_svm"], X, y, sizes=[20], n_repetitions=2, workers=0)
    assert paths(made) == {"kernel": ["nmc"], "each": ["rbf_svm"]}


def test_kernel_matrices_of_all_models_together_stay_within_the_limit(problem, monkeypatch):
    X, y = problem(90)
    models = {f"svm {gamma:g}": SVC(gamma=gamma) for gamma in (0.1, 0.5, 2.0)}
    facts = {"sizes": [10, 40], "n_repetitions": 3, "workers": 0, "fit": "kernel", "metrics": "accuracy"}
    roomy = learning_curves(models, X, y, **facts)
    kept, of = [], Shelf.of

    def watched(self, *given):
        found = of(self, *given)
        kept.append(sum(size for size, _ in self._kept.values()))
        return found

    monkeypatch.setattr(Shelf, "of", watched)
    learning_curves(models, X, y, **facts)
    assert max(kept) == 3 * 8 * 90**2
    kept.clear()
    monkeypatch.setattr("ogive.curves._whole.MOST_BYTES", 2 * 8 * 90**2)
    narrow = learning_curves(models, X, y, **facts)
    assert max(kept) == 2 * 8 * 90**2
    np.testing.assert_array_equal(narrow.values, roomy.values)


def test_a_shelf_drops_what_was_used_longest_ago(monkeypatch):
    monkeypatch.setattr("ogive.curves._whole.MOST_BYTES", 10)
    shelf, made = Shelf(), []
    for key, size in [("x", 0), ("a", 5), ("b", 5), ("a", 5), ("c", 5), ("x", 0), ("a", 5), ("b", 5)]:
        assert shelf.of(key, lambda key=key: made.append(key) or key, size) == key
    assert made == ["x", "a", "b", "c", "b"]


def test_predicting_the_cost_keeps_nothing(problem):
    X, y = problem(90)
    study, draw, _ = prepare(
        "rbf_svm", X, y, design="additive", test="fixed", sizes=[10, 40], metrics=None, test_size=0.2, missing_class="zero",
        tuned=None, fit=None, name="data", seed=0,
    )  # fmt: skip
    (algorithm,) = study.algorithms
    assert seconds_of(algorithm.function, draw) > 0.0
    assert not algorithm.function.shelf._kept


def test_sizes_that_a_kernel_leaves_out_are_fitted_by_the_estimator(problem):
    X, y = problem(60)
    models = {"knn": KNeighborsClassifier(9), "lda": LinearDiscriminantAnalysis(solver="lsqr")}
    same = {"sizes": [4, 6, 8, 12, 40], "n_repetitions": 5, "workers": 0}
    whole, each = learning_curves(models, X, y, **same), learning_curves(models, X, y, fit="each", **same)
    assert_allclose(whole.values, each.values, rtol=1e-6, atol=1e-8)
    failed = [[n for n in c.notes if n.kind is not NoteKind.CURVE_PATHS] for c in (whole, each)]
    assert failed[0] == failed[1]
    assert failed[0]


@pytest.mark.parametrize("design", DESIGNS)
def test_missing_classes_are_undefined_where_asked_for(problem, design):
    X, y = problem(60)
    same = {
        "design": design, "sizes": [3, 4, 5, 30], "n_repetitions": 6, "missing_class": "undefined", "workers": 0, "metrics": "brier"
    }  # fmt: skip
    whole = learning_curves(["nmc", "qda"], X, y, **same)
    each = learning_curves(["nmc", "qda"], X, y, fit="each", **same)
    assert np.isnan(whole.values).any()
    assert_allclose(whole.values, each.values, rtol=1e-7, atol=1e-9)


def test_workers_and_interruptions_change_no_bit(problem, tmp_path):
    X, y = problem(60)
    alone = learning_curves(NAMES, X, y, n_repetitions=6, sizes=[3, 10, 40], workers=1, store=tmp_path / "one")
    pair = learning_curves(NAMES, X, y, n_repetitions=6, sizes=[3, 10, 40], workers=2, store=tmp_path / "two")
    assert_array_equal(alone.values, pair.values)

    class Stop(Exception):
        pass

    def stop(*_args, **_facts):
        raise Stop

    with pytest.raises(Stop):
        learning_curves(
            NAMES, X, y, n_repetitions=6, sizes=[3, 10, 40], workers=0, store=tmp_path / "cut", progress=stop
        )
    resumed = learning_curves(NAMES, X, y, n_repetitions=6, sizes=[3, 10, 40], workers=0, store=tmp_path / "cut")
    assert_array_equal(resumed.values, alone.values)
    assert_array_equal(read(tmp_path / "one").values, alone.values)


@pytest.mark.cluster
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_changes_no_bit(problem, tmp_path):
    pytest.importorskip("distributed")
    from ogive.runner import Dask

    X, y = problem(60)
    facts = {"n_repetitions": 6, "sizes": [3, 10, 40], "store": tmp_path / "cluster"}
    made = learning_curves(CHEAP, X, y, engine=Dask(n_workers=2), **facts)
    assert paths(made)["kernel"] == CHEAP
    here = learning_curves(CHEAP, X, y, workers=0, **{**facts, "store": None})
    assert_array_equal(made.values, here.values)


def test_a_store_and_a_file_say_which_path_the_models_took(problem, tmp_path):
    X, y = problem(60)
    same = {"n_repetitions": 2, "sizes": [6, 9], "workers": 0}
    for place, models, fit in (
        ("mixed", ["nmc", GaussianNB()], None),
        ("each", ["nmc"], "each"),
        ("kernel", ["nmc"], None),
    ):
        made = learning_curves(models, X, y, fit=fit, store=tmp_path / place, **same)
        assert paths(read(tmp_path / place)) == paths(made)
        made.write(tmp_path / f"{place}.parquet")
        assert paths(read(tmp_path / f"{place}.parquet")) == paths(made)
    assert paths(read(tmp_path / "mixed")) == {"kernel": ["nmc"], "each": ["GaussianNB"]}
    assert paths(read(tmp_path / "each")) == {"kernel": [], "each": ["nmc"]}


def test_the_definition_of_a_model_says_which_path_it_took(problem, tmp_path):
    X, y = problem(60)
    learning_curves("nmc", X, y, n_repetitions=2, sizes=[4, 9], workers=0, store=tmp_path)
    assert Store(tmp_path).records().merged["algorithms"]["nmc"]["kernel"]["learner"] == "nmc"
    with pytest.raises(OgiveError):
        learning_curves("nmc", X, y, n_repetitions=2, sizes=[4, 9], workers=0, store=tmp_path, fit="each")


def test_a_store_of_curves_made_otherwise_says_how_to_go_on(problem, tmp_path):
    X, y = problem()
    facts = {"sizes": [10, 20], "workers": 0}
    by_fits, by_kernels = tmp_path / "each", tmp_path / "kernel"
    learning_curves("nmc", X, y, n_repetitions=2, fit="each", store=by_fits, **facts)
    learning_curves("nmc", X, y, n_repetitions=2, store=by_kernels, **facts)
    with pytest.raises(StoreConflict, match="with fit='each', as they were fitted; or give another `store`") as caught:
        learning_curves("nmc", X, y, n_repetitions=3, store=by_fits, **facts)
    assert "accept" not in str(caught.value)
    with naming("cli"), pytest.raises(StoreConflict, match=r"with --fit each, .* or give another folder, --out"):
        learning_curves("nmc", X, y, n_repetitions=3, store=by_fits, **facts)
    with pytest.raises(StoreConflict, match="without fit='each'"):
        learning_curves("nmc", X, y, n_repetitions=3, fit="each", store=by_kernels, **facts)
    with pytest.raises(
        StoreConflict, match=r"sizes\[1\] was 20, is 30. Ask for them as they were made; or give another"
    ):
        learning_curves("nmc", X, y, n_repetitions=3, store=by_kernels, **{**facts, "sizes": [10, 30]})
    assert learning_curves("nmc", X, y, n_repetitions=3, fit="each", store=by_fits, **facts).n_repetitions == 3


def test_kernels_are_refused_by_name_for_models_without_them(problem):
    X, y = problem(60)
    with pytest.raises(InputError, match="'GaussianNB' has no kernel"):
        learning_curves(["nmc", GaussianNB()], X, y, fit="kernel", workers=0)
    with pytest.raises(InputError, match=r"`fit` must be 'kernel', 'each' or None; got 'slow'\."):
        learning_curves("nmc", X, y, fit="slow", workers=0)


def test_a_million_rows_are_refused_with_their_cost():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1_000_000, 2)), rng.integers(2, size=1_000_000)
    with pytest.raises(InputError, match=r"these curves would take about .* more than `max_cost` = 60 min allows"):
        learning_curves(["nmc", "lda", "logistic"], X, y, n_repetitions=1000, workers=0)


def test_compiling_is_announced_in_one_line(problem, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("ogive.jit.is_compiled", lambda function: False)
    X, y = problem(60)
    with caplog.at_level(logging.INFO, logger="ogive"):
        learning_curves(["nmc", "lda"], X, y, n_repetitions=2, sizes=[4, 9], workers=0)
    assert [r.getMessage() for r in caplog.records if "compiling" in r.getMessage()] == [
        "compiling nmc, lda; this takes up to a minute, once"
    ]


def test_one_class_against_the_rest_is_a_fit_for_each_class(problem):
    X, y = problem()
    asked = {"sizes": [30, 60], "n_repetitions": 3, "workers": 0, "multi_class": "one-vs-rest"}
    models = ["nmc", "knn", "lda", "qda", "logistic", "linear_svm", "rbf_svm", "tree", "forest", "adaboost"]
    made = learning_curves(models, X, y, **asked)
    assert paths(made)["kernel"] == ["logistic", "linear_svm", "rbf_svm"]  # which are so by themselves
    (note,) = [note for note in made.notes if note.kind is NoteKind.ONE_VS_REST]
    assert list(note.values["models"]) == ["nmc", "knn", "lda", "qda", "tree", "forest", "adaboost"]
    assert np.isfinite(np.asarray(made.values)).all()
    each = learning_curves(
        {"lda": OneVsRestClassifier(MODELS["lda"]())}, X, y, sizes=[30, 60], n_repetitions=3, workers=0
    )
    np.testing.assert_array_equal(made.scores("lda", "brier"), each.scores("lda", "brier"))
    assert not np.array_equal(
        made.scores("lda", "brier"),
        learning_curves("lda", X, y, sizes=[30, 60], n_repetitions=3, workers=0).scores("lda", "brier"),
    )


def test_two_classes_are_one_against_the_rest_already(problem):
    X, y = problem(classes=2)
    made = learning_curves(["nmc", "tree"], X, y, sizes=[30], n_repetitions=2, workers=0, multi_class="one-vs-rest")
    assert paths(made)["each"] == []
    assert not [n for n in made.notes if n.kind is NoteKind.ONE_VS_REST]
    facts = {"sizes": [30], "n_repetitions": 2, "workers": 0, "multi_class": "one-vs-rest"}
    fitted = learning_curves("logistic", X, y, fit="each", **facts)
    assert not [n for n in fitted.notes if n.kind is NoteKind.ONE_VS_REST]


@pytest.mark.parametrize("said", ["ovr", True, ""])
def test_another_way_with_several_classes_is_refused(problem, said):
    with pytest.raises(InputError, match="`multi_class` must be 'one-vs-rest' or None"):
        learning_curves("nmc", *problem(), multi_class=said)


def test_all_stands_for_the_ten_models():
    assert list(as_models("all")) == list(as_models(["all"])) == NAMES
