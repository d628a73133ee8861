"""tuned: equal to a search written by hand, blind to the test set, honest about failures."""

import math

import cloudpickle
import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ogive import tasks
from ogive.algorithms import Algorithm, tuned
from ogive.algorithms._tuned import Search
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.seeding import stream
from ogive.spaces import integer, uniform
from ogive.tasks import Data

MOONS = tasks.moons(n=100)
TREE = Algorithm.from_estimator(DecisionTreeClassifier(), {"max_depth": integer(1, 6), "min_samples_leaf": [1, 3, 9]}, name="tree")  # fmt: skip


def written_by_hand(estimator, space, draw, rng, n_configs, cv, folds):
    (X, y), test = draw
    root = int(rng.integers(2**63 - 1))
    splitter = folds(cv, shuffle=True, random_state=int(stream(root, "data").integers(2**31)))
    parts = list(splitter.split(X, y))
    best, best_mean, means = None, -math.inf, []
    for j in range(n_configs):
        config = space.sample(stream(root, "config", trial=j))
        scores = []
        for k, (fit, held) in enumerate(parts):
            seed = int(stream(root, "train", trial=j * cv + k).integers(2**31))
            scores.append(estimator(random_state=seed, **config).fit(X[fit], y[fit]).score(X[held], y[held]))
        means.append(np.mean(scores))
        if means[-1] > best_mean:
            best, best_mean = config, means[-1]
    return estimator(random_state=int(rng.integers(2**31)), **best).fit(X, y).score(*test), best, means


def test_tuning_a_classifier_equals_a_search_written_by_hand():
    draw = MOONS.draw(stream(0, "data"))
    found = tuned(TREE, n_configs=8).evaluate({}, draw, stream(0, "train"))
    score, best, means = written_by_hand(
        DecisionTreeClassifier, TREE.space, draw, stream(0, "train"), 8, 3, StratifiedKFold
    )
    assert found.scores == {"accuracy": score}
    assert found.params == best
    assert [c.mean for c in found.inner] == pytest.approx(means, abs=1e-15)
    assert all(len(c.scores) == 3 and c.status == "ok" and c.message is None for c in found.inner)


def test_tuning_a_regressor_equals_a_search_written_by_hand():
    X = np.random.default_rng(0).normal(size=(40, 2))
    draw = tasks.arrays(X, X[:, 0] ** 2).draw(stream(0, "data"))
    tree = Algorithm.from_estimator(DecisionTreeRegressor(), {"max_depth": integer(1, 5)})
    found = tuned(tree, n_configs=5, cv=4).evaluate({}, draw, stream(0, "train"))
    score, best, _ = written_by_hand(DecisionTreeRegressor, tree.space, draw, stream(0, "train"), 5, 4, KFold)
    assert (found.scores, found.params) == ({"r2": score}, best)


def test_candidates_do_not_depend_on_how_many_there_are():
    draw = MOONS.draw(stream(0, "data"))
    few, many = (tuned(TREE, n).evaluate({}, draw, stream(0, "train")).inner for n in (4, 9))
    assert many[:4] == few


def test_every_fold_of_every_candidate_has_a_stream_of_its_own():
    found = search_of(lambda config, train, test, rng: rng.random())
    assert len({score for c in found.inner for score in c.scores}) == 18


def test_the_test_score_is_the_algorithms_own_with_the_chosen_configuration():
    draw = MOONS.draw(stream(0, "data"))
    found = tuned(TREE, 5).evaluate({}, draw, stream(0, "train"))
    rng = stream(0, "train")
    rng.integers(2**63 - 1)
    assert found.scores == TREE.evaluate(found.params, draw, rng).scores


def leak(train, test):
    """Row numbers of test rows that a function may have seen during the search."""
    seen = []

    def f(config, fit, held, *, rng):
        seen.append({*fit.X[:, 0], *held.X[:, 0]})
        return {"score": config["x"]}

    outcome = tuned(Algorithm("f", f, {"x": uniform(0, 1)}), n_configs=4).evaluate(
        {}, (train, test), stream(0, "train")
    )
    assert len(outcome.inner) == 4
    return set().union(*seen[:-1]) & {*test.X[:, 0]}  # the last call is the refit


def test_the_search_never_sees_a_row_of_the_test_set(monkeypatch):
    train, test = tasks.arrays(np.arange(30.0)[:, None], np.arange(30) % 2).draw(stream(0, "data"))
    assert leak(train, test) == set()

    honest = Search.candidates

    def leaking(self, part, root):
        return honest(self, Data(np.vstack([part.X, test.X]), np.append(part.y, test.y)), root)

    monkeypatch.setattr(Search, "candidates", leaking)
    assert leak(train, test)  # the check notices a planted leak


def test_folds_are_stratified_disjoint_and_complete():
    train = Data(np.arange(31.0)[:, None], np.arange(31) % 3 // 2)
    held = []

    def f(config, fit, valid, *, rng):
        held.append((fit, valid))
        return 1.0

    tuned(Algorithm("f", f, {"x": [1]}), n_configs=1).evaluate({}, (train, train), stream(0, "train"))
    folds = held[:3]  # then comes the refit
    assert all(sorted([*fit.X[:, 0], *valid.X[:, 0]]) == list(range(31)) for fit, valid in folds)
    assert sorted(x for _, valid in folds for x in valid.X[:, 0]) == list(range(31))
    assert {int(valid.y.sum()) for _, valid in folds} <= {3, 4}


def search_of(function, goal=None, n_configs=6, **options):
    metrics = None if goal is None else {"score": goal}
    algorithm = Algorithm("f", function, {"x": uniform(0, 1)}, metrics=metrics)
    return tuned(algorithm, n_configs, **options).evaluate({}, MOONS.draw(stream(0, "data")), stream(0, "train"))


def test_the_direction_of_the_metric_decides():
    def f(config, train, test, *, rng):
        return config["x"]

    xs = [c.params["x"] for c in search_of(f).inner]
    assert search_of(f, "maximize").params["x"] == max(xs)
    assert search_of(f, "minimize").params["x"] == min(xs)
    assert search_of(f).params["x"] == max(xs)


@pytest.mark.parametrize("metric", [None, "cross_entropy"])
def test_a_loss_that_nobody_declared_is_minimized(metric):
    inner = Algorithm("f", lambda config, train, test, rng: {"cross_entropy": config["x"]}, {"x": uniform(0, 1)})
    found = tuned(inner, 6, metric=metric).evaluate({}, MOONS.draw(np.random.default_rng(0)), np.random.default_rng(0))
    assert found.params["x"] == min(c.params["x"] for c in found.inner)


def test_an_assumed_direction_is_said():
    algorithm = Algorithm("f", lambda config, train, test, rng: 1.0, {"x": [1]})
    unknown = {"algorithm": "f", "metric": None, "goal": None}
    assert tuned(algorithm).notes == (Note(NoteKind.TUNED_BY_NAME, values=unknown),)
    named = {"algorithm": "f", "metric": "loss", "goal": "minimize"}
    assert tuned(algorithm, metric="loss").notes == (Note(NoteKind.TUNED_BY_NAME, values=named),)
    assert tuned(TREE).notes == ()


def test_the_named_metric_decides_and_all_are_scored():
    def f(config, train, test, *, rng):
        return {"a": config["x"], "b": config["x"]}

    metrics = {"a": Metric("maximize"), "b": Metric("minimize")}
    algorithm = Algorithm("f", f, {"x": uniform(0, 1)}, metrics=metrics)
    draw = MOONS.draw(stream(0, "data"))
    found = tuned(algorithm, 6, metric="b").evaluate({}, draw, stream(0, "train"))
    assert found.params["x"] == min(c.params["x"] for c in found.inner)
    assert set(found.scores) == {"a", "b"}
    assert tuned(algorithm, 6).metrics == metrics


def test_ties_go_to_the_first():
    found = search_of(lambda config, train, test, rng: 1.0)
    assert found.params == found.inner[0].params


def test_a_candidate_that_raises_is_kept_with_its_message_and_never_chosen():
    def f(config, train, test, *, rng):
        if config["x"] > 0.5:
            raise ValueError("too large")
        return config["x"]

    found = search_of(f, n_configs=12)
    failed = [c for c in found.inner if c.status == "error"]
    assert failed
    assert {c.message for c in failed} == {"ValueError: too large"}
    assert all(math.isnan(c.mean) and len(c.scores) == 3 for c in failed)
    assert found.params["x"] == max(c.params["x"] for c in found.inner if c.status == "ok") <= 0.5


def test_a_candidate_without_a_number_is_invalid_and_never_chosen():
    found = search_of(lambda config, train, test, rng: config["x"] if config["x"] < 0.5 else float("nan"), n_configs=12)
    assert {c.status for c in found.inner} == {"ok", "invalid"}
    assert found.params["x"] < 0.5


def test_when_all_candidates_fail_one_sentence_says_why():
    def f(config, train, test, *, rng):
        raise ValueError("never works")

    with pytest.raises(
        InputError, match=r"each of the 6 candidates .* failed; the first said: ValueError: never works"
    ):
        search_of(f)


def test_rows_in_lists_and_frames_are_folded_too():
    import pandas as pd

    kinds = []

    def f(config, train, test, *, rng):
        kinds.append(type(train[0]))
        return len(train[1])

    algorithm = Algorithm("f", f, {"x": [1]})
    frame = pd.DataFrame({"a": range(12)})
    for X, y in ((list(range(12)), [0, 1] * 6), (frame, frame["a"] % 2)):
        tuned(algorithm, 1).evaluate({}, ((X, y), (X, y)), stream(0, "train"))
    assert set(kinds) == {list, pd.DataFrame}


def test_parts_are_whatever_unpacks_and_the_refit_gets_them_as_they_were():
    class Part:
        def __iter__(self):
            return iter((np.zeros((12, 1)), np.arange(12) % 2))

    seen = []

    def f(config, train, test, *, rng):
        seen.append((train, test))
        return 1.0

    train, test = Part(), Part()
    tuned(Algorithm("f", f, {"x": [1]}), 2).evaluate({}, (train, test), stream(0, "train"))
    assert len(seen) == 7
    assert seen[-1] == (train, test)


def test_the_name_the_space_and_the_fingerprint():
    best = tuned(TREE, 20)
    assert best.name == "tree (tuned, 20)"
    assert best.space.sample(stream(0, "config")) == {}
    assert best.searched == TREE.space
    assert TREE.searched == TREE.space
    assert best.fingerprint() != tuned(TREE, 21).fingerprint() != tuned(TREE, 21, cv=5).fingerprint()
    assert best.fingerprint()["tuned"] == TREE.fingerprint()
    assert tuned(TREE, 20, name="mine").name == "mine"


def test_tuned_travels_to_children():
    draw = MOONS.draw(stream(0, "data"))
    again = cloudpickle.loads(cloudpickle.dumps(tuned(TREE, 3)))
    assert again.evaluate({}, draw, stream(0, "train")) == tuned(TREE, 3).evaluate({}, draw, stream(0, "train"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tuned(DecisionTreeClassifier()), "must be an ogive.Algorithm"),
        (lambda: tuned(Algorithm("f", lambda config, rng: 1)), "no hyper-parameters to tune"),
        (lambda: tuned(tuned(TREE)), "no hyper-parameters to tune"),
        (lambda: tuned(TREE, 0), "`n_configs` must be a whole number of at least 1"),
        (lambda: tuned(TREE, 2.5), "`n_configs`"),
        (lambda: tuned(TREE, cv=1), "`cv` must be a whole number of at least 2"),
        (lambda: tuned(TREE, metric="f1"), "`metric` must be one of accuracy; got 'f1'"),
        (lambda: tuned(TREE).evaluate({}, (1, 2), stream(0, "train")), r"draws \(train, test\)"),
        (lambda: tuned(TREE).evaluate({}, (), stream(0, "train")), r"draws \(train, test\)"),
        (lambda: tuned(TREE, cv=40).evaluate({}, MOONS.draw(stream(0, "data")), stream(0, "train")), "needs at least 80 training rows"),
    ],
)  # fmt: skip
def test_bad_searches_are_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_candidate_that_changes_its_fold_changes_no_other():
    def f(config, train, test, *, rng):
        train.X[:] *= 2
        test.y[:] += 1
        return float(train.X[0, 0] + test.y.max())

    task = tasks.arrays(np.ones((20, 1)), [0, 1] * 10)
    found = tuned(Algorithm("f", f, {"x": [1, 2]}), 4, cv=2).evaluate(
        {}, task.draw(stream(0, "data")), stream(0, "train")
    )
    assert {c.scores for c in found.inner} == {(4.0, 4.0)}


def test_the_direction_that_a_study_declares_decides():
    from ogive.study import Study

    inner = Algorithm("f", lambda config, train, test, rng: {"loss": config["x"], "gain": 1.0}, {"x": uniform(0, 1)})
    for goal, best in (("minimize", min), ("maximize", max)):
        for given in (None, "loss"):
            study = Study("s", tuned(inner, 6, metric=given), MOONS, metrics={"loss": goal, "gain": "maximize"})
            cell = study.cell("f (tuned, 6)", "moons")
            found = cell.algorithm.evaluate({}, cell.draw(0), cell.rng(0))
            assert found.params["x"] == best(c.params["x"] for c in found.inner)
            assert study.notes == ()
    assert [note.kind for note in Study("s", tuned(inner, 6), MOONS).notes] == [NoteKind.TUNED_BY_NAME]
    other = Study("s", tuned(inner, 6, metric="gain"), MOONS, metrics={"loss": "minimize"})
    assert [note.kind for note in other.notes] == [NoteKind.TUNED_BY_NAME]


def test_what_is_sought_is_part_of_the_fingerprint_in_a_study():
    from ogive.study import Study

    inner = Algorithm("f", lambda config, train, test, rng: {"a": 1.0, "b": 1.0}, {"x": [1]})
    one, other = (
        Study("s", tuned(inner), MOONS, metrics=dict.fromkeys(names, "maximize")).record()["algorithms"]
        for names in ("ab", "ba")
    )
    assert one != other
