"""The contract of an algorithm: what a function may return, what defines it, what is refused."""

import cloudpickle
import numpy as np
import pytest

from ogive.algorithms import Algorithm, Candidate, Outcome, Series
from ogive.errors import InputError, InvalidScores
from ogive.metric import Metric
from ogive.seeding import stream


def returning(value, **options):
    return Algorithm("f", lambda config, *draw, rng: value, **options)


def outcome(value, **options):
    return returning(value, **options).evaluate({}, (), stream(0, "train"))


class Tensor:
    """A zero-dimensional number of another library."""

    def __float__(self):
        return 0.25


@pytest.mark.parametrize("value", [0.25, np.float32(0.25), np.array(0.25), Tensor()])
def test_a_bare_number_is_named_score(value):
    assert outcome(value).scores == {"score": 0.25}


def test_a_bare_number_takes_the_name_of_the_only_declared_metric():
    assert outcome(1, metrics={"loss": "minimize"}).scores == {"loss": 1.0}
    assert outcome(1, metrics={"a": "minimize", "b": "maximize"}).scores == {"score": 1.0}


def test_nan_passes_through():
    assert np.isnan(outcome({"a": float("nan")}).scores["a"])


def test_a_series_is_kept_apart_from_the_scores():
    found = outcome({"accuracy": 0.5, "loss": Series([3, 2, 1])})
    assert found.scores == {"accuracy": 0.5}
    assert found.series["loss"].values.tolist() == [3.0, 2.0, 1.0]


def test_an_outcome_is_kept_with_its_candidates():
    inner = (Candidate({"C": 1}, (0.5,), 0.5),)
    found = outcome(Outcome({"a": np.float64(1)}, params={"C": 1}, inner=inner))
    assert (found.scores, found.params, found.inner) == ({"a": 1.0}, {"C": 1}, inner)


def test_the_function_gets_configuration_draw_and_generator():
    def f(config, a, b, rng):
        return {"sum": config["x"] + a + b, "u": rng.random()}

    config = {"x": 1}
    found = Algorithm("f", f, {"x": [1, 2]}).evaluate(config, (10, 100), stream(3, "train"))
    assert found.scores == {"sum": 111.0, "u": stream(3, "train").random()}


def test_the_function_cannot_change_the_callers_configuration():
    config = {"x": 1}
    Algorithm("f", lambda config, rng: config.pop("x"), {"x": [1]}).evaluate(config, (), stream(0, "train"))
    assert config == {"x": 1}


def test_what_the_function_raises_is_raised():
    def f(config, rng):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        Algorithm("f", f).evaluate({}, (), stream(0, "train"))


@pytest.mark.parametrize(
    "value", [None, "0.9", {}, {"a": None}, {1: 2.0}, {"trial": 1.0}, [1, 2], np.zeros(3), {"a": [1.0]}]
)
def test_what_is_no_score_is_refused_in_one_sentence(value):
    with pytest.raises(InvalidScores) as refused:
        outcome(value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Algorithm("", lambda config, rng: 0), "printable text"),
        (lambda: Algorithm("a\nb", lambda config, rng: 0), "printable text"),
        (lambda: Algorithm("f", 3), "must be callable"),
        (lambda: Algorithm("f", lambda config: 0), "must accept the keyword rng"),
        (lambda: Algorithm("f", dict), "must be a function; for an estimator"),
        (lambda: Algorithm("f", lambda config, rng: 0, 3), "a space must be"),
        (lambda: Algorithm("f", lambda config, rng: 0, metrics=["a"]), "`metrics` must map"),
        (lambda: Algorithm("f", lambda config, rng: 0, metrics={"a": "up"}), "must be an ogive.Metric, 'maximize'"),
        (lambda: Series([[1.0]]), "one row of numbers"),
        (lambda: Series(["a"]), "must hold numbers"),
    ],
)
def test_bad_definitions_are_refused_in_one_sentence(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_metrics_are_declared_with_direction_and_bounds():
    declared = Algorithm("f", lambda config, rng: 0, metrics={"a": Metric("minimize", (0, None)), "b": "maximize"})
    assert declared.metrics == {"a": Metric("minimize", (0, None)), "b": Metric("maximize")}


def test_the_fingerprint_changes_with_source_and_space_but_not_with_the_name():
    def f(config, rng):
        return 1.0

    def g(config, rng):
        return 2.0

    base = Algorithm("a", f, {"x": [1, 2]}).fingerprint()
    assert base == Algorithm("b", f, {"x": [1, 2]}).fingerprint()
    assert base != Algorithm("a", g, {"x": [1, 2]}).fingerprint()
    assert base != Algorithm("a", f, {"x": [1, 3]}).fingerprint()


def test_algorithms_travel_to_children():
    offset = 2
    again = cloudpickle.loads(cloudpickle.dumps(Algorithm("f", lambda config, rng: rng.random() + offset, {"x": [1]})))
    assert again.evaluate({}, (), stream(0, "train")).scores["score"] == stream(0, "train").random() + 2
    assert again.space.names == ("x",)


def test_an_algorithm_cannot_be_changed():
    with pytest.raises(AttributeError, match="cannot be changed"):
        returning(1).name = "g"


def test_warming_up_asks_the_function():
    class Slow:
        ready = False

        def __call__(self, config, rng):
            return 1.0

        def warm_up(self):
            type(self).ready = True

    Algorithm("slow", Slow()).warm_up()
    assert Slow.ready
