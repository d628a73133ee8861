"""Each kind of parameter: its law, its bounds, its spelling, and what it refuses."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ogive.errors import InputError
from ogive.spaces import choice, constant, integer, log_integer, loguniform, uniform

N = 20_000
units = st.floats(0, 1, exclude_max=True)


class Thing:
    """An object that JSON cannot hold."""


class Other:
    """Another one."""


def draws(parameter, n=N, seed=0):
    return [parameter.draw(u) for u in np.random.default_rng(seed).random(n).tolist()]


def chi_square(parameter, expected, n=N):
    """The p-value of the counts of the draws against probabilities by value."""
    values = draws(parameter, n)
    assert set(values) <= set(expected)
    counts = [values.count(value) for value in expected]
    return stats.chisquare(counts, [n * share for share in expected.values()]).pvalue


def test_uniform_has_the_law_of_scipys_uniform():
    assert stats.kstest(draws(uniform(-1, 3)), stats.uniform(-1, 4).cdf).pvalue > 1e-4


def test_loguniform_has_the_law_of_scipys_loguniform():
    assert stats.kstest(draws(loguniform(1e-2, 1e2)), stats.loguniform(1e-2, 1e2).cdf).pvalue > 1e-4


def test_the_test_of_laws_notices_a_shift_of_0_15_standard_deviations():
    law = stats.uniform(-1, 4)
    assert stats.kstest(np.array(draws(uniform(-1, 3))) + 0.15 * law.std(), law.cdf).pvalue < 1e-4


def test_integer_draws_both_ends_and_everything_between_evenly():
    assert chi_square(integer(-2, 4), dict.fromkeys(range(-2, 5), 1 / 7)) > 1e-4


def test_log_integer_is_the_floor_of_a_loguniform_number_and_never_reaches_its_upper_end():
    expected = {k: math.log((k + 1) / k) / math.log(10) for k in range(10, 100)}
    assert math.fsum(expected.values()) == pytest.approx(1)
    assert chi_square(log_integer(10, 100), expected, 50_000) > 1e-4
    assert log_integer(10, 100).draw(1 - 2**-53) == 99
    assert log_integer(10, 100).draw(0.0) == 10


def test_choice_draws_its_values_evenly():
    assert chi_square(choice(["a", "b", "c"]), dict.fromkeys("abc", 1 / 3)) > 1e-4


def test_choice_draws_by_its_weights():
    assert chi_square(choice(["a", "b", "c"], weights=[0.7, 0.2, 0.1]), {"a": 0.7, "b": 0.2, "c": 0.1}) > 1e-4


def test_a_value_with_weight_zero_is_never_drawn():
    assert set(draws(choice(["a", "b", "c"], weights=[0, 1, 0]))) == {"b"}
    assert choice(["a", "b"], weights=[0, 1]).draw(0.0) == "b"


def test_a_value_listed_twice_counts_twice_as_in_scikit_learn():
    assert chi_square(choice(["a", "a", "b"]), {"a": 2 / 3, "b": 1 / 3}) > 1e-4


@given(units, st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_uniform_stays_within_its_bounds(u, low, width):
    parameter = uniform(low, low + width)
    assert parameter.low <= parameter.draw(u) <= parameter.high


@given(units, st.floats(1e-300, 1e100), st.floats(1.001, 1e100))
def test_loguniform_stays_within_its_bounds(u, low, factor):
    parameter = loguniform(low, low * factor)
    assert parameter.low <= parameter.draw(u) <= parameter.high


@given(units, st.integers(1, 10**9), st.integers(1, 10**9))
def test_integers_stay_within_their_bounds(u, low, width):
    assert low <= integer(low, low + width).draw(u) <= low + width
    assert low <= log_integer(low, low + width).draw(u) < low + width


@given(units, st.sampled_from([uniform(-1, 1), loguniform(1e-9, 1e9), integer(-5, 5), log_integer(1, 9), choice([None, True, 1, 1.5, "x", (1, (2,)), [3, {"a": ()}]])]))  # fmt: skip
def test_values_are_plain_python(u, parameter):
    value = parameter.draw(u)
    assert type(value) in (float, int, str, tuple, list, bool, type(None))


def test_numpy_values_become_python_values():
    parameter = choice(np.array([1, 2]))
    assert [type(v) for v in parameter.values] == [int, int]
    assert [type(v) for v in choice(list(np.logspace(-2, 2, 3))).values] == [float] * 3
    assert choice([(np.int64(3),)]).values == ((3,),)
    assert type(uniform(np.float32(0), np.int8(1)).draw(0.3)) is float


def test_values_that_are_equal_but_of_other_types_are_different_choices():
    parameter = choice([1, True, 1.0])
    assert [parameter.text(v) for v in (1, True, 1.0)] == ["1", "true", "1.0"]
    assert [type(parameter.restore(v)) for v in (1, True, 1.0)] == [int, bool, float]


def test_a_number_is_found_among_numbers_of_another_type_where_that_is_clear():
    assert choice([1.0, 2.0]).accept(1) == 1.0
    assert choice([1, 2]).text(np.float64(2)) == "2"
    with pytest.raises(InputError, match="1 or 2; got True"):
        choice([1, 2]).accept(True)


def test_an_object_in_a_list_is_written_as_its_class_and_comes_back_itself():
    thing = Thing()
    parameter = choice([thing, "other"])
    assert parameter.text(thing) == '"Thing"'
    assert parameter.restore("Thing") is thing


def test_labeled_objects_are_written_as_their_labels():
    one, two = Thing(), Thing()
    parameter = choice({"first": one, "second": two})
    assert parameter.text(two) == '"second"'
    assert parameter.restore("first") is one
    assert parameter.words() == "one of first, second"


def test_functions_and_classes_are_written_as_their_names():
    assert choice([math.sin, Thing]).words() == "one of sin, Thing"


def test_labeled_values_are_written_as_their_labels():
    parameter = choice({"small": (50,), "large": [100, 100]})
    assert parameter.text((50,)) == '"small"'
    assert parameter.text([100, 100]) == '"large"'
    assert parameter.restore("large") == [100, 100]


def test_changing_a_drawn_list_does_not_change_later_draws():
    parameter = choice([[1, 2]])
    parameter.draw(0.5).append(3)
    assert parameter.draw(0.5) == [1, 2]


def test_a_pickled_choice_still_knows_its_objects():
    parameter = pickle.loads(pickle.dumps(choice({"a": Thing(), "b": Other()})))
    assert [parameter.text(parameter.draw(u)) for u in (0.1, 0.9)] == ['"a"', '"b"']


def test_an_estimator_is_defined_by_its_parameters():
    from sklearn.svm import SVC

    same = choice({"svm": SVC(C=2)}).definition() == choice({"svm": SVC(C=2)}).definition()
    assert same
    assert choice({"svm": SVC(C=2)}).definition() != choice({"svm": SVC(C=3)}).definition()


def test_a_tuple_and_a_list_have_different_definitions():
    assert choice([(1, 2)]).definition() != choice([[1, 2]]).definition()


def test_a_constant_is_a_choice_of_one():
    assert constant(3).draw(0.99) == 3
    assert constant((1, 2)).words() == "fixed at (1, 2)"


REFUSED = {
    "empty choice": (lambda: choice([]), "at least one value"),
    "empty labels": (lambda: choice({}), "at least one value"),
    "a text as choices": (lambda: choice("rbf"), r"\['rbf'\]"),
    "a set as choices": (lambda: choice({"a", "b"}), "a set has no order"),
    "a generator as choices": (lambda: choice(x for x in "ab"), "takes a list"),
    "a number as choices": (lambda: choice(3), "takes a list"),
    "two objects of one class": (lambda: choice([Thing(), Thing()]), "own label"),
    "an object and its label": (lambda: choice(["Thing", Thing()]), "own label"),
    "a tuple and a list alike": (lambda: choice([(1, 2), [1, 2]]), "own label"),
    "one value under two labels": (lambda: choice({"a": 1, "b": 1}), "same value"),
    "a label that is no text": (lambda: choice({1: "a"}), "labels .* must be text"),
    "an object inside a tuple": (lambda: choice([(Thing(), 1)]), "needs a label"),
    "NaN among choices": (lambda: choice([1.0, math.nan]), "finite"),
    "infinity inside a tuple": (lambda: choice([(math.inf,)]), "finite"),
    "too few weights": (lambda: choice([1, 2], weights=[1.0]), "one number for each of the 2"),
    "weights that do not sum to 1": (lambda: choice([1, 2], weights=[0.5, 0.4]), r"sum to 0.9.*0.556"),
    "weights that are all zero": (lambda: choice([1, 2], weights=[0, 0]), "sum to 0"),
    "a negative weight": (lambda: choice([1, 2], weights=[1.5, -0.5]), "from 0 on"),
    "a NaN weight": (lambda: choice([1, 2], weights=[math.nan, 1]), "from 0 on"),
    "a weight that is text": (lambda: choice([1, 2], weights=["a", "b"]), "from 0 on"),
    "weights that are text": (lambda: choice([1, 2], weights="ab"), "list of 2"),
    "weights that are a number": (lambda: choice([1, 2], weights=1), "list of 2"),
    "uniform upside down": (lambda: uniform(1, 0), "swap"),
    "uniform on a point": (lambda: uniform(1, 1), "constant"),
    "uniform with NaN": (lambda: uniform(math.nan, 1), "`low` of `uniform` must be a finite number; got nan"),
    "uniform with infinity": (lambda: uniform(0, math.inf), "`high` .* finite"),
    "uniform with text": (lambda: uniform("0", 1), "finite number"),
    "uniform with None": (lambda: uniform(0, None), "finite number"),
    "uniform with True": (lambda: uniform(0, True), "finite number"),
    "a range beyond the floats": (lambda: uniform(-1.7e308, 1.7e308), "a float can hold"),
    "loguniform from zero": (lambda: loguniform(0, 1), "positive"),
    "loguniform below zero": (lambda: loguniform(-1, 1), "positive"),
    "loguniform upside down": (lambda: loguniform(10, 1), "swap"),
    "integer with a fraction": (lambda: integer(1, 2.5), "whole number"),
    "integer upside down": (lambda: integer(5, 1), "below"),
    "integer with NaN": (lambda: integer(1, math.nan), "finite"),
    "integer with a giant": (lambda: integer(1, 10**400), "finite"),
    "integer too wide": (lambda: integer(0, 2**60), r"2\*\*53"),
    "log_integer from zero": (lambda: log_integer(0, 10), "positive"),
    "log_integer on a point": (lambda: log_integer(10, 10), "below"),
    "constant NaN": (lambda: constant(math.nan), "finite"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_with_a_sentence(case):
    make, sentence = REFUSED[case]
    with pytest.raises(InputError, match=sentence):
        make()
