"""Parameters that exist only when others have certain values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ogive.errors import InputError
from ogive.spaces import as_space, choice, constant, integer, loguniform, uniform, when

SVM = {
    "C": loguniform(1e-2, 1e2),
    "kernel": ["linear", "poly", "rbf", "sigmoid"],
    "degree": when([2, 3, 4, 5], kernel="poly"),
}


def configs(space, n=20_000, seed=0):
    rng = np.random.default_rng(seed)
    return [space.sample(rng) for _ in range(n)]


def test_poly_keeps_its_quarter_when_degree_depends_on_it():
    drawn = configs(as_space(SVM))
    poly = sum(config["kernel"] == "poly" for config in drawn)
    assert stats.binomtest(poly, len(drawn), 0.25).pvalue > 1e-4
    assert all(("degree" in config) == (config["kernel"] == "poly") for config in drawn)


def test_a_conditional_parameter_has_its_own_law_where_it_exists():
    degrees = [config["degree"] for config in configs(as_space(SVM)) if "degree" in config]
    assert stats.chisquare(np.bincount(degrees)[2:]).pvalue > 1e-4


@given(st.integers(0, 2**32))
def test_conditions_on_several_values_and_on_conditional_parameters_are_respected(seed):
    space = as_space(
        {
            "a": [1, 2, 3],
            "b": when(["x", "y"], a=[1, 2]),
            "c": when(integer(1, 3), b="x"),
            "d": when(uniform(0, 1), b="y", a=2),
            "e": when([0], {"a": 3}, {"c": [1, 2]}),
            "f": when(when([True], a=[1, 2]), a=[2, 3]),
        }
    )
    config = space.sample(np.random.default_rng(seed))
    assert ("b" in config) == (config["a"] in (1, 2))
    assert ("c" in config) == (config.get("b") == "x")
    assert ("d" in config) == (config.get("b") == "y" and config["a"] == 2)
    assert ("e" in config) == (config["a"] == 3 or config.get("c") in (1, 2))
    assert ("f" in config) == (config["a"] == 2)


def test_conditions_tell_1_from_true():
    space = as_space({"a": [1, True], "b": when([0], a=True)})
    assert all(("b" in config) == (config["a"] is True) for config in configs(space, 200))


def test_a_tuple_can_be_the_value_of_a_condition_and_a_list_of_values():
    layers = [(50,), (100,), (50, 100)]
    one = as_space({"layers": layers, "x": when([1], layers=(50, 100))})
    two = as_space({"layers": layers, "x": when([1], layers=[(50,), (100,)])})
    assert all(("x" in config) == (config["layers"] == (50, 100)) for config in configs(one, 200))
    assert all(("x" in config) == (len(config["layers"]) == 1) for config in configs(two, 200))


def test_conditions_know_objects_by_their_labels():
    space = as_space({"model": choice({"a": object(), "b": object()}), "x": when([1], model="a")})
    assert all(("x" in c) == ('"model":"a"' in space.encode(c)) for c in configs(space, 200))


def test_a_condition_on_a_whole_number_and_on_a_constant_is_allowed():
    space = as_space({"n": integer(1, 3), "k": constant("on"), "x": when([1], n=[2, 3], k="on")})
    assert all(("x" in config) == (config["n"] > 1) for config in configs(space, 200))


def test_a_foreign_distribution_can_have_a_condition():
    space = as_space({"a": [1, 2], "x": when(stats.norm(0, 1), a=1)})
    assert all(("x" in config) == (config["a"] == 1) for config in configs(space, 100))


def test_conditions_read_as_english():
    space = as_space({**SVM, "shrink": [True, False], "g": when([1], kernel=["poly", "rbf"], shrink=True), "h": when([1], {"kernel": "rbf"}, {"shrink": False}), "n": integer(1, 9), "m": when([0], n=range(3, 7))})  # fmt: skip
    text = space.describe()
    assert text.startswith(
        "C: log-uniform on [0.01, 100]; kernel: one of linear, poly, rbf, sigmoid; degree: one of 2, 3, 4, 5, only when kernel is poly; "
    )
    assert "g: fixed at 1, only when kernel is poly or rbf and shrink is True;" in text
    assert "h: fixed at 1, only when kernel is rbf, or when shrink is False;" in text
    assert text.endswith("m: fixed at 0, only when n is 3 to 6")


def test_the_order_in_which_a_condition_is_said_does_not_enter_the_definition():
    base = {"a": [1, 2], "b": ["x", "y"]}
    one = as_space({**base, "c": when([0, 1], a=[1, 2], b="x")})
    two = as_space({"c": when([0, 1], b=["x"], a=[2, 1]), **base})
    assert one.definition() == two.definition()
    assert one == two
    assert hash(one) == hash(two)


REFUSED = {
    "an unknown parent": ({"a": [1], "b": when([1], c=1)}, "`b` .* 'c' .* no such parameter among a, b"),
    "a value the parent never has": ({"a": [1, 2], "b": when([1], a=3)}, "`b` .* `a` .* must be one of 1 or 2; got 3"),
    "one value of several": ({"a": [1, 2], "b": when([1], a=[1, 3])}, "got 3"),
    "no value": ({"a": [1, 2], "b": when([1], a=[])}, "must be one of"),
    "a whole number out of range": ({"a": integer(1, 3), "b": when([1], a=4)}, "from 1 to 3; got 4"),
    "a parent on a continuum": ({"a": uniform(0, 1), "b": when([1], a=0.5)}, "only choices and whole numbers"),
    "a parent of another library": ({"a": stats.norm(), "b": when([1], a=0.5)}, "only choices and whole numbers"),
    "itself": ({"a": when([1, 2], a=1)}, "circle"),
    "a circle": ({"a": when([1, 2], b=1), "b": when([1, 2], c=1), "c": when([1, 2], a=1)}, "circle; got .* → "),
}


@pytest.mark.parametrize("case", REFUSED)
def test_impossible_conditions_are_refused_with_a_sentence(case):
    entries, sentence = REFUSED[case]
    with pytest.raises(InputError, match=sentence):
        as_space(entries)


def test_when_needs_a_condition():
    with pytest.raises(InputError, match="needs a condition"):
        when([1, 2])
    with pytest.raises(InputError, match="takes dictionaries"):
        when([1, 2], "poly")
    with pytest.raises(InputError, match="takes dictionaries"):
        when([1, 2], {})
