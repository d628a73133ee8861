"""Study: streams by name, holds, records, and what is refused."""

import json
import runpy
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ogive import tasks
from ogive.algorithms import Algorithm, tuned
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import NoteKind
from ogive.seeding import stream
from ogive.spaces import choice, loguniform, uniform
from ogive.study import Study, cycle, every

SVM = Algorithm.from_estimator(SVC(), {"C": loguniform(0.01, 100), "kernel": ["linear", "rbf"]}, name="SVM")
KNN = Algorithm.from_estimator(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9]}, name="kNN")
MOONS, CIRCLES = tasks.moons(n=60), tasks.circles(n=60)


def study(**options):
    return Study("demo", [SVM, KNN], [MOONS, CIRCLES], **options)


def data(cell, trial):
    return cell.draw(trial)[0].X.tolist()


def test_trial_i_has_the_same_data_for_every_algorithm():
    s = study()
    for i in range(3):
        assert data(s.cell("SVM", "moons"), i) == data(s.cell("kNN", "moons"), i)
    assert data(s.cell("SVM", "moons"), 0) != data(s.cell("SVM", "moons"), 1)


def test_draws_are_those_of_the_named_streams():
    cell = study(seed=4).cell("SVM", "moons")
    assert data(cell, 7) == MOONS.draw(stream(4, "data", "moons", None, 7))[0].X.tolist()
    assert cell.config(7) == SVM.space.sample(stream(4, "config", "moons", "SVM", 7))
    assert cell.rng(7).random() == stream(4, "train", "moons", "SVM", 7).random()


def test_neither_the_order_nor_the_name_of_the_study_changes_a_draw():
    one = study().cell("SVM", "circles")
    other = Study("renamed", [KNN, SVM], [CIRCLES]).cell("SVM", "circles")
    assert [one.config(i) for i in (3, 1)] == [other.config(i) for i in (3, 1)]
    assert data(one, 2) == data(other, 2)
    assert one.rng(5).random() == other.rng(5).random()


def test_another_seed_changes_every_draw():
    one, other = study(seed=0).cell("SVM", "moons"), study(seed=1).cell("SVM", "moons")
    assert one.config(0) != other.config(0)
    assert data(one, 0) != data(other, 0)
    assert one.rng(0).random() != other.rng(0).random()


@pytest.mark.parametrize(
    ("hold", "counters"),
    [(5, [5, 5, 5, 5, 5]), (every(2), [0, 0, 1, 1, 2]), (cycle(2), [0, 1, 0, 1, 0]), (every(1), [0, 1, 2, 3, 4])],
)
def test_a_hold_gives_the_draws_of_these_trials(hold, counters):
    free = study().cell("SVM", "moons")
    held = study().hold(config=hold, data=hold, seed=hold).cell("SVM", "moons")
    for trial, counter in enumerate(counters):
        assert held.config(trial) == free.config(counter)
        assert data(held, trial) == data(free, counter)
        assert held.rng(trial).random() == free.rng(counter).random()
        assert held.counters(trial) == {"configuration": counter, "data": counter, "seed": counter}


def test_holding_one_source_leaves_the_others_as_they_were():
    free, held = study().cell("SVM", "moons"), study().hold(data=0).cell("SVM", "moons")
    assert held.config(3) == free.config(3)
    assert held.rng(3).random() == free.rng(3).random()
    assert data(held, 3) == data(free, 0)


def test_values_are_held_where_an_algorithm_has_them_and_the_rest_is_drawn_as_before():
    s = study().hold(config={"C": 1.0})
    free = study().cell("SVM", "moons")
    for i in range(5):
        assert s.cell("SVM", "moons").config(i) == {**free.config(i), "C": 1.0}
        assert s.cell("kNN", "moons").config(i) == study().cell("kNN", "moons").config(i)


def test_varied_names_what_is_not_held_at_one_draw():
    s = study()
    assert s.varied == ("configuration", "data", "seed")
    assert s.hold(data=3).varied == ("configuration", "seed")
    assert s.hold(data=3, seed=0, config=1).varied == ()
    assert s.hold(config=every(5), data=cycle(1)).varied == ("configuration", "seed")
    assert s.hold(config={"C": 1.0}).varied == ("configuration", "data", "seed")
    only = Study("one", SVM, MOONS)
    assert only.hold(config={"C": 1.0, "kernel": "rbf"}).varied == ("data", "seed")


def test_what_cannot_vary_is_not_called_varied():
    tree = Algorithm.from_estimator(DecisionTreeClassifier(), {"max_depth": [1, 2]})
    assert Study("t", tuned(tree, 2), MOONS).varied == ("data", "seed")
    coin = Algorithm("coin", lambda config, rng: rng.random(), {"p": uniform(0, 1)})
    assert Study("c", coin, tasks.none()).varied == ("configuration", "seed")


def test_holds_are_json_replace_each_other_and_can_be_released():
    s = study().hold(config=3, data=every(4))
    assert s.holds == {"config": {"at": 3}, "data": {"every": 4}}
    assert s.hold(config={"kernel": "rbf"}).holds["config"] == {"values": {"kernel": "rbf"}}
    assert s.hold(config={"kernel": "rbf"}).hold(config=2).holds["config"] == {"at": 2}
    assert s.hold(config=every(1), data=every(1)).holds == {}
    assert study().holds == {}
    json.dumps(s.record())


def test_held_objects_are_recorded_by_their_label():
    chosen = choice({"deep": (9, 9), "flat": (1,)})
    net = Algorithm("net", lambda config, rng: len(config["layers"]), {"layers": chosen, "x": uniform(0, 1)})
    held = Study("n", net, tasks.none()).hold(config={"layers": "deep"})
    assert held.holds == {"config": {"values": {"layers": "deep"}}}
    assert held.cell("net", "none").config(0)["layers"] == (9, 9)


def test_groups_name_what_trials_share():
    s = study()
    assert s.group(3) is None
    assert s.hold(data=0).group(3) is None
    assert [s.hold(config=every(2)).group(i) for i in range(3)] == [
        "configuration 0",
        "configuration 0",
        "configuration 1",
    ]


def test_the_record_holds_what_defines_the_study():
    record = study(seed=3).hold(seed=0).record()
    assert {"schema": 1, "name": "demo", "seed": 3, "holds": {"seed": {"at": 0}}, "varied": ["configuration", "data"]}.items() <= record.items()  # fmt: skip
    assert record["metrics"] == {"accuracy": {"goal": "maximize", "bounds": [0.0, 1.0]}}
    assert list(record["algorithms"]) == ["SVM", "kNN"]
    assert record["algorithms"]["kNN"] == KNN.fingerprint()
    assert record["tasks"]["moons"] == {"fingerprint": MOONS.fingerprint(), "scope": "generator", "n_rows": None}
    rows = tasks.arrays(np.zeros((9, 1)), [0, 1, 2] * 3, name="rows")
    assert Study("r", KNN, rows).record()["tasks"]["rows"]["n_rows"] == 9
    assert json.loads(json.dumps(record)) == record


def metric_of(goal, bounds=(None, None), name="f"):
    return Algorithm(name, lambda config, rng: {"loss": 1.0}, metrics={"loss": Metric(goal, bounds)})


def test_metrics_are_the_union_and_declared_ones_come_first_and_override():
    two = Algorithm.from_estimator(KNeighborsClassifier(), scoring=["f1", "accuracy"], name="two")
    assert list(Study("m", [SVM, two], MOONS).metrics) == ["accuracy", "f1"]
    declared = Study("m", [SVM, two], MOONS, metrics={"f1": Metric("maximize", (0.2, 1)), "cost": "minimize"}).metrics
    assert list(declared) == ["f1", "cost", "accuracy"]
    assert declared["f1"] == Metric("maximize", (0.2, 1))
    assert declared["cost"] == Metric("minimize")


def test_directions_that_disagree_are_refused_unless_declared():
    pair = [metric_of("minimize", name="f"), metric_of("maximize", name="g")]
    with pytest.raises(InputError, match=r"'loss'.*'f'.*minimize.*'g'.*maximize"):
        Study("m", pair, tasks.none())
    assert Study("m", pair, tasks.none(), metrics={"loss": "minimize"}).metrics == {"loss": Metric("minimize")}


def test_an_algorithm_is_held_to_its_own_metrics_or_else_to_those_the_study_declares():
    silent = Algorithm("silent", lambda config, train, test, rng: 1.0)
    two = Algorithm.from_estimator(KNeighborsClassifier(), scoring=["f1", "accuracy"], name="two")
    for others in ([], [two]):
        declared = Study("m", [silent, SVM, *others], MOONS, metrics={"cost": Metric("minimize")})
        cell = declared.cell("silent", "moons")
        assert cell.algorithm.metrics == {"cost": Metric("minimize")}
        assert cell.algorithm.evaluate({}, (1, 2), cell.rng(0)).scores == {"cost": 1.0}
        assert list(declared.cell("SVM", "moons").algorithm.metrics) == ["accuracy"]
        assert Study("m", [silent, *others], MOONS).cell("silent", "moons").algorithm.metrics == {}
    overridden = Study("m", SVM, MOONS, metrics={"accuracy": Metric("maximize", (0.5, 1))})
    assert overridden.cell("SVM", "moons").algorithm.metrics == {"accuracy": Metric("maximize", (0.5, 1))}


def test_bounds_that_disagree_become_the_wider():
    pair = [metric_of("minimize", (0, 1), "f"), metric_of("minimize", (-1, None), "g")]
    assert Study("m", pair, tasks.none()).metrics["loss"].bounds == (-1, None)


def test_a_study_travels_to_children():
    s = study(seed=2).hold(config={"C": 1.0}, data=every(3))
    again = cloudpickle.loads(cloudpickle.dumps(s))
    assert again.record() == s.record()
    assert again.cell("SVM", "moons").config(4) == s.cell("SVM", "moons").config(4)


def test_a_study_is_a_value():
    s = study()
    s.hold(data=0)
    assert s.holds == {}
    with pytest.raises(AttributeError, match="cannot be changed"):
        s.seed = 3


def test_the_repr_is_one_line():
    assert repr(study()) == "Study('demo', 2 algorithms x 2 tasks, seed 0)"
    held = study().hold(config={"C": 1.0}, data=4, seed=cycle(3))
    assert repr(held).endswith("config held at values, data held at trial 4, seed held at 3 draws in turn)")


def test_notes_name_the_algorithm():
    fixed = Algorithm.from_estimator(DecisionTreeClassifier(random_state=1), name="tree")
    (note,) = Study("n", fixed, MOONS).notes
    assert (note.kind, note.subject, note.values["value"]) == (NoteKind.SEED_KEPT, "tree", 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Study("../x", SVM, MOONS), "`name` of a study must be 1 to 64 letters"),
        (lambda: Study(".x", SVM, MOONS), "not starting with"),
        (lambda: Study("x" * 65, SVM, MOONS), "1 to 64"),
        (lambda: Study("x\n", SVM, MOONS), "1 to 64"),
        (lambda: Study("", SVM, MOONS), "1 to 64"),
        (lambda: Study("x", [], MOONS), "`algorithms` of a study must name at least one"),
        (lambda: Study("x", SVM, []), "`tasks` of a study must name at least one"),
        (lambda: Study("x", [SVM, SVM], MOONS), "'SVM' comes twice"),
        (lambda: Study("x", SVM, [MOONS, tasks.moons()]), "'moons' comes twice"),
        (lambda: Study("x", SVC(), MOONS), "must hold ogive.Algorithm; got SVC. Algorithm.from_estimator"),
        (lambda: Study("x", SVM, "moons"), "must hold ogive.Task; got str"),
        (lambda: Study("x", SVM, MOONS, seed=-1), "`seed` must be a whole number of at least 0"),
        (lambda: Study("x", SVM, MOONS, seed=0.5), "`seed` must be"),
        (lambda: Study("x", SVM, MOONS, metrics=["a"]), "`metrics` must map"),
        (lambda: study().hold(config="best"), r"`config` must be held at a trial number below 2 .. 63, every\(k\), cycle\(k\) or a dictionary"),
        (lambda: study().hold(data=-1), "`data` must be held at"),
        (lambda: study().hold(data=True), "`data` must be held at"),
        (lambda: study().hold(seed=2**64), "`seed` must be held at a trial number below 2 .. 63"),
        (lambda: study().hold(config=2**63), "`config` must be held at a trial number below 2 .. 63"),
        (lambda: Study("x", SVM, MOONS, metrics={"a\0b": "maximize"}), "`metrics` must be named with text"),
        (lambda: study().hold(data={"C": 1}), "`data` must be held at .* got a dictionary"),
        (lambda: study().hold(config={"gamma": 1}), "holds 'gamma', which no algorithm of the study has; there are C, kernel, n_neighbors"),
        (lambda: study().hold(config={"C": 1e9}), "`C` must be a number in"),
        (lambda: every(0), "`k` must be a whole number of at least 1"),
        (lambda: cycle(1.5), "`k` must be"),
        (lambda: study().cell("XGB", "moons"), "`algorithm` 'XGB' is not in the study; there are 'SVM', 'kNN'"),
        (lambda: study().cell("SVM", "stars"), "`task` 'stars' is not in the study"),
        (lambda: Study("x", SVM, tasks.Task("t", lambda rng: 3)).cell("SVM", "t").draw(0), "must return a tuple"),
    ],
)  # fmt: skip
def test_bad_studies_are_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message) as refused:
        make()
    assert "\n" not in str(refused.value)


def test_importing_a_study_loads_neither_scikit_learn_nor_pandas():
    program = "import sys, ogive.study; print(sorted({'sklearn', 'pandas', 'scipy.stats', 'numba'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_example_defines_a_study_that_runs(repository):
    example = runpy.run_path(str(repository / "examples" / "classifiers.py"))["study"]
    assert (len(example.algorithms), len(example.tasks)) == (3, 2)
    for algorithm in example.algorithms:
        for task in example.tasks:
            cell = example.cell(algorithm.name, task.name)
            scores = algorithm.evaluate(cell.config(0), cell.draw(0), cell.rng(0)).scores
            assert 0 <= scores["accuracy"] <= 1
