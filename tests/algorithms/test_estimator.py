"""Estimators: one trial equals a hand-written loop; seeds, scorers and refusals."""

from typing import ClassVar

import cloudpickle
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor, VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.metrics import accuracy_score, f1_score, fbeta_score, log_loss, make_scorer, mean_absolute_error, r2_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ogive import tasks
from ogive.algorithms import Algorithm
from ogive.algorithms._estimator import bounds_of
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.seeding import stream
from ogive.spaces import choice, loguniform

MOONS = tasks.moons(n=120)
X = np.random.default_rng(0).normal(size=(60, 3))
HILL = tasks.arrays(X, X[:, 0] + 0.1 * X[:, 1] ** 2, name="hill")

BY_HAND = {
    "knn": (KNeighborsClassifier(), {"n_neighbors": [1, 5]}, []),
    "forest": (RandomForestClassifier(), {"n_estimators": [3, 7]}, ["random_state"]),
    "pipeline": (
        Pipeline([("scale", StandardScaler()), ("bag", BaggingClassifier(DecisionTreeClassifier(), n_estimators=3))]),
        {"bag__max_samples": [0.5, 0.9], "scale__with_mean": [True, False]},
        ["bag__estimator__random_state", "bag__random_state"],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_trial_equals_a_hand_written_loop(name):
    estimator, space, seeds = BY_HAND[name]
    algorithm = Algorithm.from_estimator(estimator, space, scoring=["accuracy", "f1", "neg_log_loss"])
    for trial in range(3):
        config = algorithm.space.sample(stream(0, "config", trial=trial))
        train, test = MOONS.draw(stream(0, "data", trial=trial))
        rng = stream(0, "train", trial=trial)
        model = clone(estimator).set_params(**config).set_params(**{s: int(rng.integers(2**31)) for s in seeds})
        model.fit(*train)
        predicted = model.predict(test.X)
        found = algorithm.evaluate(config, (train, test), stream(0, "train", trial=trial))
        assert found.scores == {
            "accuracy": accuracy_score(test.y, predicted),
            "f1": f1_score(test.y, predicted),
            # the scorer sums the same terms in another order
            "neg_log_loss": pytest.approx(-log_loss(test.y, model.predict_proba(test.X)), rel=1e-14),
        }


def test_a_regressor_is_scored_by_r2():
    algorithm = Algorithm.from_estimator(Ridge(), {"alpha": loguniform(0.1, 10)})
    train, test = HILL.draw(stream(0, "data"))
    found = algorithm.evaluate({"alpha": 2.0}, (train, test), stream(0, "train"))
    assert found.scores == {"r2": r2_score(test.y, Ridge(alpha=2.0).fit(*train).predict(test.X))}
    assert algorithm.metrics == {"r2": Metric("maximize", (None, 1))}


def test_one_fit_serves_all_metrics():
    class Counting(KNeighborsClassifier):
        fits = 0

        def fit(self, X, y):
            Counting.fits += 1
            return super().fit(X, y)

    algorithm = Algorithm.from_estimator(Counting(), scoring=["accuracy", "f1", "roc_auc"])
    algorithm.evaluate({}, MOONS.draw(stream(0, "data")), stream(0, "train"))
    assert Counting.fits == 1


def test_an_integer_random_state_is_kept_and_said():
    train, test = MOONS.draw(stream(0, "data"))
    fixed = Algorithm.from_estimator(RandomForestClassifier(n_estimators=2, random_state=7), name="RF")
    expected = RandomForestClassifier(n_estimators=2, random_state=7).fit(*train).score(*test)
    assert [fixed.evaluate({}, (train, test), stream(s, "train")).scores["accuracy"] for s in range(3)] == [
        expected
    ] * 3
    kept = {"parameter": "random_state", "value": 7, "draw": "trial"}
    assert fixed.notes == (Note(NoteKind.SEED_KEPT, values=kept),)
    assert fixed.fingerprint()["estimator"]["parameters"]["random_state"] == 7
    free = Algorithm.from_estimator(RandomForestClassifier(n_estimators=2))
    assert free.notes == ()
    assert len({free.evaluate({}, (train, test), stream(s, "train")).scores["accuracy"] for s in range(8)}) > 1


def test_seeds_are_given_in_sorted_order_of_their_names():
    class Recording(RandomForestClassifier):
        seeds: ClassVar[list[int]] = []

        def fit(self, X, y):
            Recording.seeds.append(self.random_state)
            return super().fit(X, y)

    pair = VotingClassifier([("z", Recording(n_estimators=1)), ("a", Recording(n_estimators=1))])
    Algorithm.from_estimator(pair).evaluate({}, MOONS.draw(stream(0, "data")), stream(0, "train"))
    rng = stream(0, "train")
    first, second = int(rng.integers(2**31)), int(rng.integers(2**31))
    assert Recording.seeds == [second, first]  # z is fitted first, but a comes first in the order of names


def test_seeds_do_not_come_from_the_global_generator():
    draw = MOONS.draw(stream(0, "data"))
    algorithm = Algorithm.from_estimator(RandomForestClassifier(n_estimators=2))
    scores = set()
    for seed in range(3):
        np.random.seed(seed)  # noqa: NPY002
        scores.add(algorithm.evaluate({}, draw, stream(0, "train")).scores["accuracy"])
    assert len(scores) == 1


def test_an_estimator_chosen_by_the_space_is_seeded_and_never_fitted_itself():
    forest = RandomForestClassifier(n_estimators=3)
    pipeline = Pipeline([("scale", StandardScaler()), ("model", KNeighborsClassifier())])
    space = {
        "model": choice({"forest": forest, "knn": KNeighborsClassifier()}),
        "scale": choice({"mm": MinMaxScaler()}),
    }
    algorithm = Algorithm.from_estimator(pipeline, space)
    draw = MOONS.draw(stream(0, "data"))
    config = {"model": forest, "scale": MinMaxScaler()}
    one, two = (algorithm.evaluate(config, draw, stream(0, "train")).scores for _ in range(2))
    assert one == two
    assert not hasattr(forest, "estimators_")
    assert forest.random_state is None


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("accuracy", (0, 1)), ("f1_macro", (0, 1)), ("roc_auc_ovr_weighted", (0, 1)), ("balanced_accuracy", (0, 1)),
        ("precision_micro", (0, 1)), ("r2", (None, 1)), ("neg_log_loss", (None, 0)), ("neg_root_mean_squared_error", (None, 0)),
        ("matthews_corrcoef", (-1, 1)), ("mutual_info_score", (0, None)), ("unheard_of", (None, None)),
    ],
)  # fmt: skip
def test_scorers_bring_their_bounds(name, bounds):
    assert bounds_of(name) == bounds


def test_every_scorer_of_scikit_learn_has_a_known_bound():
    from sklearn.metrics import get_scorer_names

    assert [n for n in get_scorer_names() if bounds_of(n) == (None, None)] == []


def test_scoring_may_be_a_callable_or_a_dictionary():
    def errors(model, X, y):
        return -float(np.sum(model.predict(X) != y))

    draw = MOONS.draw(stream(0, "data"))
    one = Algorithm.from_estimator(KNeighborsClassifier(), scoring=errors)
    assert list(one.evaluate({}, draw, stream(0, "train")).scores) == ["errors"]
    named = Algorithm.from_estimator(
        KNeighborsClassifier(), scoring={"right": "accuracy", "wrong": errors, "mae": make_scorer(mean_absolute_error, greater_is_better=False)}
    )  # fmt: skip
    found = named.evaluate({}, draw, stream(0, "train")).scores
    assert found["wrong"] == pytest.approx(-48 * (1 - found["right"]))
    assert found["mae"] == pytest.approx(found["right"] - 1)
    assert named.metrics["right"] == Metric("maximize", (0, 1))
    assert named.metrics["wrong"] == Metric("maximize")


def test_nan_of_a_scorer_passes_through():
    algorithm = Algorithm.from_estimator(KNeighborsClassifier(), scoring=lambda model, X, y: float("nan"))
    assert np.isnan(
        next(iter(algorithm.evaluate({}, MOONS.draw(stream(0, "data")), stream(0, "train")).scores.values()))
    )


def test_names_come_from_the_class_or_the_last_step():
    assert Algorithm.from_estimator(SVC()).name == "SVC"
    assert Algorithm.from_estimator(make_pipeline(StandardScaler(), SVC())).name == "SVC"


def test_the_fingerprint_changes_with_class_parameters_space_and_scorers():
    def content(estimator, **options):
        return Algorithm.from_estimator(estimator, options.pop("space", None), **options).fingerprint()

    base = content(SVC(C=2.0))
    assert base == content(SVC(C=2.0), name="other")
    assert base != content(SVC(C=3.0))
    assert base != content(LogisticRegression(C=2.0))
    assert base != content(SVC(C=2.0), space={"C": [1.0]})
    assert base != content(SVC(C=2.0), scoring="f1")
    assert content(make_pipeline(StandardScaler(), SVC())) != content(make_pipeline(MinMaxScaler(), SVC()))
    assert "source" in str(content(Mine()))


def test_the_fingerprint_holds_what_make_scorer_was_told():
    def content(**options):
        scorer = make_scorer(fbeta_score, **options)
        return Algorithm.from_estimator(SVC(), scoring={"m": scorer}).fingerprint()["scoring"]

    base = content(beta=2)
    assert base == content(beta=2)
    assert base != content(beta=0.5)
    assert base != content(beta=2, greater_is_better=False)
    assert base != content(beta=2, response_method="decision_function")


def test_the_fingerprint_holds_sets_and_objects_that_refer_to_themselves():
    class Loop:
        def __init__(self):
            self.me = self

    def content(tags):
        return Algorithm.from_estimator(Tagged(tags)).fingerprint()

    assert content({"a", "b"}) == content({"b", "a"})
    assert content({"a"}) != content({"b"})
    assert content(Loop()) == content(Loop())


class Tagged(ClassifierMixin, BaseEstimator):
    """An estimator with a parameter of any kind."""

    def __init__(self, tags=None):
        self.tags = tags

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Mine(ClassifierMixin, BaseEstimator):
    """An estimator of the user."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_scorers_within_reach_of_the_space_are_allowed():
    space = {"loss": ["hinge", "log_loss"]}
    assert Algorithm.from_estimator(SGDClassifier(), space, scoring=["neg_log_loss"]).metrics


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Algorithm.from_estimator(SVC), r"Did you mean SVC\(\)\?"),
        (lambda: Algorithm.from_estimator("svc", scoring="accuracy"), "must have fit, get_params and set_params"),
        (lambda: Algorithm.from_estimator(SVC(), {"c": [1.0]}), "'c', which is no parameter of SVC; did you mean 'C'"),
        (
            lambda: Algorithm.from_estimator(make_pipeline(StandardScaler(), SVC()), {"C": [1.0]}),
            "did you mean 'svc__C'",
        ),
        (lambda: Algorithm.from_estimator(SVC(), scoring="acuracy"), "did you mean 'accuracy'"),
        (lambda: Algorithm.from_estimator(SVC(), scoring=[]), "at least one metric"),
        (lambda: Algorithm.from_estimator(SVC(), scoring=["f1", "f1"]), "'f1' comes twice"),
        (lambda: Algorithm.from_estimator(SVC(), scoring=3), "`scoring` must be names or scorers"),
        (lambda: Algorithm.from_estimator(SVC(), scoring={"a": 3}), "`scoring` must map names to scorers"),
        (
            lambda: Algorithm.from_estimator(SVC(), scoring="neg_log_loss"),
            "needs predict_proba, which SVC does not have",
        ),
        (lambda: Algorithm.from_estimator(KMeans()), "neither a classifier nor a regressor"),
    ],
)
def test_bad_estimators_are_refused_at_construction_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("draw", [(), (1,), (1, 2), ((1, 2, 3), (1, 2, 3))])
def test_a_draw_without_training_and_test_part_is_refused(draw):
    with pytest.raises(InputError, match=r"draws \(train, test\)"):
        Algorithm.from_estimator(SVC()).evaluate({}, draw, stream(0, "train"))


def test_estimators_travel_to_children():
    algorithm = Algorithm.from_estimator(RandomForestRegressor(n_estimators=2), {"max_depth": [1, 2]}, scoring=["r2", "neg_mean_absolute_error"])  # fmt: skip
    again = cloudpickle.loads(cloudpickle.dumps(algorithm))
    draw = HILL.draw(stream(0, "data"))
    assert again.evaluate({"max_depth": 2}, draw, stream(0, "train")) == algorithm.evaluate(
        {"max_depth": 2}, draw, stream(0, "train")
    )
    assert again.fingerprint() == algorithm.fingerprint()
