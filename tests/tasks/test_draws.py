"""Laws of drawing: complete and disjoint parts, one generator, shares of classes, scope."""

import cloudpickle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_circles, make_classification, make_moons

from ogive import tasks
from ogive.errors import InputError
from ogive.seeding import stream
from ogive.tasks._rows import Split

GENERATED = [tasks.moons(n=50), tasks.circles(n=50), tasks.linear(n=50)]


def numbered(n, n_classes=2, **options):
    """A task whose only feature is the row number."""
    return tasks.arrays(np.arange(float(n))[:, None], np.arange(n) % n_classes, name="numbered", **options)


def same(a, b):
    return all(np.array_equal(p, q) for one, other in zip(a, b, strict=True) for p, q in zip(one, other, strict=True))


@given(n=st.integers(4, 200), share=st.floats(0.05, 0.95), stratify=st.booleans(), seed=st.integers(0, 2**32))
def test_training_and_test_rows_are_disjoint_and_complete(n, share, stratify, seed):
    split = Split(share, stratify)
    if not 0 < int(np.ceil(share * n)) < n:
        return
    train, test = split.rows(np.arange(n) % 3, np.random.default_rng(seed))
    assert sorted([*train, *test]) == list(range(n))
    assert len(test) == int(np.ceil(share * n))


@given(
    counts=st.lists(st.integers(2, 40), min_size=2, max_size=6), share=st.floats(0.1, 0.7), seed=st.integers(0, 2**32)
)
def test_stratified_shares_of_every_class_are_within_one_row_of_proportional(counts, share, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    split = Split(share, stratify=True)
    _, test = split.rows(y, np.random.default_rng(seed))
    ideal = np.array(counts) * (len(test) / len(y))
    assert np.all(np.abs(np.bincount(y[test], minlength=len(counts)) - ideal) < 1 + 1e-9)


def test_plain_splits_do_not_keep_the_shares_of_classes():
    y = np.repeat([0, 1], 50)
    counts = {np.bincount(y[Split().rows(y, np.random.default_rng(i))[1]])[0] for i in range(30)}
    assert len(counts) > 3


def test_every_row_is_tested_equally_often():
    hits = np.zeros(10)
    for i in range(4000):
        hits[Split(0.4, stratify=True).rows(np.arange(10) % 2, np.random.default_rng(i))[1]] += 1
    assert np.all(np.abs(hits / 4000 - 0.4) < 6 * np.sqrt(0.24 / 4000))


@pytest.mark.parametrize("task", [*GENERATED, numbered(20)], ids=lambda t: t.name)
def test_the_same_generator_gives_the_same_draw_and_another_another(task):
    assert same(task.draw(stream(0, "data", trial=3)), task.draw(stream(0, "data", trial=3)))
    assert not same(task.draw(stream(0, "data", trial=3)), task.draw(stream(0, "data", trial=4)))


@pytest.mark.parametrize("task", GENERATED, ids=lambda t: t.name)
def test_a_draw_neither_uses_nor_changes_the_global_generator(task):
    np.random.seed(1)  # noqa: NPY002
    first = task.draw(stream(0, "data"))
    after = np.random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    assert after == np.random.random()  # noqa: NPY002
    assert same(first, task.draw(stream(0, "data")))


def by_hand(task_name, rng):
    seed = int(rng.integers(2**31))
    if task_name == "moons":
        return make_moons(2000, noise=0.3, random_state=seed)
    if task_name == "circles":
        return make_circles(2000, noise=0.2, factor=0.5, random_state=seed)
    X, y = make_classification(2000, n_features=10, n_informative=10, n_redundant=0, n_classes=4, n_clusters_per_class=2, random_state=seed)  # fmt: skip
    return X + 2 * rng.uniform(size=X.shape), y


@pytest.mark.parametrize("name", ["moons", "circles", "linear"])
def test_defaults_are_the_settings_of_the_paper(name):
    rng = stream(5, "data", name)
    X, y = by_hand(name, rng)
    order = rng.permutation(2000)
    train, test = getattr(tasks, name)().draw(stream(5, "data", name))
    assert np.array_equal(train.X, X[order[800:]])
    assert np.array_equal(test.y, y[order[:800]])


def test_generated_tasks_speak_of_the_generator_and_fixed_rows_of_these_rows():
    assert [t.scope for t in GENERATED] == ["generator"] * 3
    assert all(t.n_rows is None and t.kind == "classification" for t in GENERATED)
    fixed = numbered(20)
    assert (fixed.scope, fixed.n_rows, fixed.kind) == ("these rows", 20, "classification")


def test_fixed_rows_differ_between_trials_by_the_split_only():
    task = numbered(10)
    for i in range(5):
        train, test = task.draw(stream(0, "data", trial=i))
        assert sorted([*train.X[:, 0], *test.X[:, 0]]) == list(range(10))
        assert np.array_equal(test.y, test.X[:, 0] % 2)


def test_no_data_draws_nothing():
    assert tasks.none().draw(stream(0, "data")) == ()
    assert tasks.none().scope is None


def test_tasks_draw_the_same_after_cloudpickle():
    offset = 3
    own = tasks.Task("own", lambda rng: (rng.random() + offset,))
    again = cloudpickle.loads(cloudpickle.dumps(own))
    assert again.draw(stream(0, "data")) == own.draw(stream(0, "data"))
    assert again.fingerprint() == own.fingerprint()
    for task in [*GENERATED, numbered(12)]:
        task.warm_up()
        again = cloudpickle.loads(cloudpickle.dumps(task))
        assert same(again.draw(stream(0, "data")), task.draw(stream(0, "data")))
        assert again.fingerprint() == task.fingerprint()


def test_fingerprints_hold_parameters_and_data():
    assert tasks.moons(n=50).fingerprint() == tasks.moons(n=50).fingerprint()
    assert tasks.moons(n=50).fingerprint() != tasks.moons(n=60).fingerprint()
    assert tasks.moons(n=50).fingerprint() != tasks.moons(n=50, stratify=True).fingerprint()
    assert numbered(20).fingerprint()["sha256"] != numbered(21).fingerprint()["sha256"]
    X = np.zeros((4, 1), dtype=np.float32)
    y = [0, 1, 0, 1]
    assert tasks.arrays(X, y).fingerprint() != tasks.arrays(X.astype(float), y).fingerprint()


def test_what_the_user_declares_enters_the_fingerprint():
    def draw(rng):
        return (rng.random(),)

    one = tasks.Task("t", draw, definition={"version": 1})
    assert one.fingerprint()["definition"] == {"version": 1}
    assert one.fingerprint() != tasks.Task("t", draw, definition={"version": 2}).fingerprint()


class Simulation:
    """A user's own object, with a word of its own for what it is for."""

    purpose = "training"

    def __call__(self, rng):
        return (rng.random(),)


def test_the_data_of_a_task_do_not_depend_on_an_attribute_of_the_users_object():
    assert tasks.Task("t", Simulation()).purpose == tasks.none().purpose == "data"


def test_a_task_cannot_be_changed():
    task = tasks.none()
    with pytest.raises(AttributeError, match="be changed"):
        task.name = "x"
    with pytest.raises(AttributeError, match="be changed"):
        del task.name


def test_changing_arrays_afterwards_does_not_change_the_task():
    X = np.arange(8.0)[:, None]
    task = tasks.arrays(X, [0, 1] * 4)
    before = task.fingerprint()
    X[:] = 0
    train, _ = task.draw(stream(0, "data"))
    train.X[:] = -1
    assert task.fingerprint() == before
    assert task.draw(stream(0, "data"))[0].X.min() >= 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tasks.Task("", lambda rng: ()), "printable text"),
        (lambda: tasks.Task("a\x1b[2J", lambda rng: ()), "printable text"),
        (lambda: tasks.Task(3, lambda rng: ()), "printable text"),
        (lambda: tasks.Task("t", 3), "must be a function"),
        (lambda: tasks.Task("t", lambda rng: (), scope="world"), "`scope` must be 'generator' or 'these rows'"),
        (lambda: tasks.Task("t", lambda rng: (), kind="ranking"), "`kind` must be"),
        (lambda: tasks.moons(n=1), "`n` must be a whole number"),
        (lambda: tasks.moons(noise=-1), "`noise` must be a number of at least 0"),
        (lambda: tasks.moons(noise=float("nan")), "`noise` must be"),
        (lambda: tasks.moons(noise="lots"), "`noise` must be"),
        (lambda: tasks.circles(factor=1.0), "`factor` must lie in"),
        (lambda: tasks.linear(n_features=1), "corners of the cube"),
        (lambda: tasks.moons(test_size=0), "`test_size` must be a share"),
        (lambda: tasks.moons(test_size=1.0), "`test_size` must be a share"),
        (lambda: tasks.moons(test_size=2000), "must leave rows"),
        (lambda: tasks.moons(stratify="y"), "`stratify` must be True or False"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)
