"""Laws of spaces: draws, spelling, holding, words."""

import json
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ogive.canonical import canonical
from ogive.errors import InputError
from ogive.seeding import stream
from ogive.spaces import Space, as_space, choice, integer, log_integer, loguniform, uniform, when

ENTRIES = {
    "C": loguniform(1e-2, 1e2),
    "kernel": ["linear", "poly", "rbf", "sigmoid"],
    "degree": when([2, 3, 4, 5], kernel="poly"),
    "layers": [(50,), (100,), (50, 100)],
    "trees": log_integer(10, 100),
    "leaf": integer(1, 5),
    "dropout": uniform(0, 0.5),
}


class Thing:
    """An object that JSON cannot hold."""


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
choices = st.lists(values, min_size=1, max_size=4, unique_by=canonical).map(choice)
names = st.text(min_size=1, max_size=5)
parameters = st.one_of(
    choices,
    st.tuples(st.floats(-100, 0), st.floats(1, 100)).map(lambda b: uniform(*b)),
    st.tuples(st.floats(1e-9, 1), st.floats(2, 1e9)).map(lambda b: loguniform(*b)),
    st.tuples(st.integers(-9, 0), st.integers(1, 9)).map(lambda b: integer(*b)),
    st.tuples(st.integers(1, 5), st.integers(6, 99)).map(lambda b: log_integer(*b)),
)
entries = st.dictionaries(names, parameters, max_size=6)
seeds = st.integers(0, 2**63)


def draw(space, seed):
    return space.sample(np.random.default_rng(seed))


def alike(one, other):
    """Equal in value and in type, all the way down (0.0 and -0.0 alike)."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(alike, one, other))
    return one == other


@given(entries, seeds)
def test_decode_undoes_encode_to_the_type(entries, seed):
    space = as_space(entries)
    config = draw(space, seed)
    back = space.decode(space.encode(config))
    assert back.keys() == config.keys()
    assert all(alike(back[name], config[name]) for name in config)


@given(entries, seeds)
def test_encode_is_the_canonical_json_of_the_configuration(entries, seed):
    space = as_space(entries)
    config = draw(space, seed)
    assert space.encode(config) == canonical(config)


@given(entries, seeds, st.randoms(use_true_random=False))
def test_the_order_of_declaration_does_not_matter(entries, seed, random):
    shuffled = list(entries.items())
    random.shuffle(shuffled)
    one, two = as_space(entries), as_space(dict(shuffled))
    assert one.encode(draw(one, seed)) == two.encode(draw(two, seed))
    assert canonical(one.definition()) == canonical(two.definition())


@given(entries, seeds, st.data())
def test_holding_one_parameter_leaves_the_others_as_they_were(entries, seed, data):
    space = as_space(entries)
    config = draw(space, seed)
    if not config:
        return
    name = data.draw(st.sampled_from(sorted(config)))
    other = draw(space, seed + 1)[name]
    held = draw(space.fix({name: other}), seed)
    assert space.encode(held) == space.encode({**config, name: other})


def test_frozen_numbers_of_one_stream():
    """Published studies depend on these; a change is a changed result."""
    space = as_space(ENTRIES)
    expected = [
        {
            "C": 0.33741841984628657,
            "dropout": 0.1602228077037368,
            "kernel": "linear",
            "layers": (100,),
            "leaf": 1,
            "trees": 91,
        },
        {
            "C": 0.0113171229444212,
            "dropout": 0.1764413515684609,
            "kernel": "rbf",
            "layers": (50, 100),
            "leaf": 1,
            "trees": 30,
        },
        {
            "C": 1.1758833913756295,
            "dropout": 0.3852387380342292,
            "kernel": "rbf",
            "layers": (50, 100),
            "leaf": 2,
            "trees": 23,
        },
        {
            "C": 7.180384577204172,
            "dropout": 0.47748316294920834,
            "kernel": "sigmoid",
            "layers": (50, 100),
            "leaf": 4,
            "trees": 11,
        },
    ]
    for trial, numbers in enumerate(expected):
        config = space.sample(stream(0, "config", "moons", "svm", trial))
        assert config.pop("C") == pytest.approx(numbers.pop("C"), rel=1e-13)  # exp differs in the last bit by platform
        assert config == numbers


def test_native_parameters_take_one_uniform_number_each_in_the_order_of_names():
    u = np.random.default_rng(5).random(3)
    config = draw(as_space({"b": [0, 1], "c": integer(0, 99), "a": uniform(0, 1)}), 5)
    assert config == {"a": u[0], "b": int(2 * u[1]), "c": int(100 * u[2])}


def test_no_hyper_parameters_is_a_space():
    space = as_space(None)
    assert space.encode(draw(space, 0)) == "{}"
    assert space.decode("{}") == {}
    assert space.names == ()
    assert space.describe() == "no hyper-parameters"


def test_as_space_returns_a_space_unchanged():
    space = as_space(ENTRIES)
    assert as_space(space) is space
    assert isinstance(space, Space)


def test_a_definition_is_json_and_tells_spaces_apart():
    space = as_space(ENTRIES)
    assert json.loads(canonical(space.definition())) == space.definition()
    changed = [{**ENTRIES, "C": loguniform(1e-2, 1e3)}, {**ENTRIES, "C": uniform(1e-2, 1e2)}, {**ENTRIES, "degree": [2, 3, 4, 5]}, {**ENTRIES, "new": [1]}, {**ENTRIES, "leaf": log_integer(1, 5)}]  # fmt: skip
    assert all(as_space(other) != space for other in changed)
    assert space.fix({"leaf": 2}) != space


def test_a_pickled_space_draws_the_same():
    space = as_space({**ENTRIES, "model": choice({"a": Thing(), "b": Thing()})}).fix({"leaf": 3})
    copy = pickle.loads(pickle.dumps(space))
    assert copy == space
    assert copy.encode(draw(copy, 3)) == space.encode(draw(space, 3))


def test_names_are_in_the_order_of_declaration():
    assert as_space(ENTRIES).names == tuple(ENTRIES)


def test_html_is_escaped():
    shown = as_space({"<b>": ["<script>alert(1)</script>", "&"]})._repr_html_()
    assert "<script>" not in shown
    assert "&lt;b&gt;" in shown
    assert "&lt;script&gt;" in shown


def test_text_that_could_be_taken_for_something_else_is_quoted():
    text = as_space({"a": ["1", 1, "None", None, "a, b", "", "x-1"]}).describe()
    assert text == "a: one of '1', 1, 'None', None, 'a, b', '', x-1"


def test_words_of_numbers_lose_no_digit():
    assert as_space({"a": uniform(0.1 + 0.2, 1e6)}).describe() == "a: uniform on [0.30000000000000004, 1e+06]"
    assert "whole part of a log-uniform number on [10, 100), so 10 to 99" in as_space(ENTRIES).describe()


class TestHolding:
    space = as_space(ENTRIES)

    def test_a_whole_configuration_can_be_held(self):
        config = draw(self.space, 11)
        held = self.space.fix(config)
        assert all(draw(held, seed) == config for seed in range(20))

    def test_a_held_parameter_is_still_absent_where_its_condition_does_not_hold(self):
        held = self.space.fix({"degree": 3})
        drawn = [draw(held, seed) for seed in range(100)]
        assert {config.get("degree") for config in drawn} == {None, 3}
        assert all(("degree" in config) == (config["kernel"] == "poly") for config in drawn)

    def test_holding_a_parent_decides_its_children(self):
        assert "degree" not in draw(self.space.fix({"kernel": "rbf"}), 0)
        assert "degree" in draw(self.space.fix({"kernel": "poly"}), 0)

    def test_held_values_are_said(self):
        text = self.space.fix({"kernel": "poly", "C": 1, "degree": 2}).describe()
        assert text.startswith("C: fixed at 1; kernel: fixed at poly; degree: fixed at 2, only when kernel is poly; ")

    def test_objects_can_be_held_by_their_labels(self):
        thing = Thing()
        space = as_space({"model": choice({"a": thing, "b": Thing()})})
        assert draw(space.fix({"model": "a"}), 0)["model"] is thing
        assert draw(space.fix({"model": thing}), 0)["model"] is thing

    def test_a_held_foreign_distribution_leaves_the_next_one_as_it_was(self):
        space = as_space({"a": stats.norm(0, 1), "b": stats.norm(0, 1)})
        assert draw(space.fix({"a": 7.0}), 1) == {"a": 7.0, "b": draw(space, 1)["b"]}

    def test_holding_twice_keeps_both_and_the_last_word(self):
        config = draw(self.space.fix({"leaf": 1, "C": 2.0}).fix({"leaf": 5}), 0)
        assert (config["leaf"], config["C"]) == (5, 2.0)

    @pytest.mark.parametrize(
        ("config", "sentence"),
        [
            ({"nope": 1}, "'nope' is not a parameter of this space; its parameters: C, kernel"),
            ({"C": 1000}, r"`C` must be a number in \[0.01, 100\]; got 1000"),
            ({"C": math.nan}, "`C` must be a number"),
            ({"C": "1"}, "`C` must be a number"),
            ({"leaf": 2.5}, "`leaf` must be a whole number from 1 to 5; got 2.5"),
            ({"leaf": True}, "`leaf` must be a whole number"),
            ({"trees": 100}, "`trees` must be a whole number from 10 to 99"),
            ({"kernel": "cubic"}, "`kernel` must be one of linear, poly, rbf or sigmoid; got 'cubic'"),
            ({"kernel": "rbf", "degree": 3}, "`degree` exists only when kernel is poly, which the other held values"),
            ([("C", 1)], "must be a dictionary"),
        ],
    )
    def test_impossible_values_are_refused(self, config, sentence):
        with pytest.raises(InputError, match=sentence):
            self.space.fix(config)


class TestSpelling:
    space = as_space({"C": loguniform(1e-2, 1e2), "x": uniform(-1, 1), "layers": [(50,), (50, 100)], "o": choice({"a": Thing()})})  # fmt: skip

    def test_numpy_values_and_lists_are_written_as_what_they_mean(self):
        assert self.space.encode({"C": np.float32(0.5), "layers": [50, 100]}) == '{"C":0.5,"layers":[50,100]}'
        assert self.space.encode({"C": 1}) == '{"C":1.0}'

    def test_minus_zero_is_zero(self):
        assert self.space.encode({"x": -0.0}) == '{"x":0.0}'

    @pytest.mark.parametrize(
        ("config", "sentence"),
        [
            ({"C": math.nan}, "`C` must be a number"),
            ({"C": math.inf}, "`C` must be a number"),
            ({"C": 1e9}, "`C` must be a number in"),
            ({"layers": (math.inf,)}, "`layers` must be one of"),
            ({"o": Thing()}, "`o` must be one of a; got"),
            ({"D": 1}, "'D' is not a parameter"),
        ],
    )
    def test_what_the_space_could_not_have_drawn_is_not_written(self, config, sentence):
        with pytest.raises(InputError, match=sentence):
            self.space.encode(config)

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("nonsense", "must be a JSON object"),
            ("[1]", "must be a JSON object"),
            (None, "must be a JSON object"),
            ('{"D":1}', "'D' is not a parameter"),
            ('{"C":"1"}', "`C` must be a number"),
            ('{"C":NaN}', "`C` must be a number"),
            ('{"layers":[1]}', r"`layers` must be one of \(50,\) or \(50, 100\)"),
        ],
    )
    def test_what_was_not_encoded_here_is_not_read(self, text, sentence):
        with pytest.raises(InputError, match=sentence):
            self.space.decode(text)


@pytest.mark.parametrize("name", [1, None, ("a",), ""])
def test_names_must_be_text(name):
    with pytest.raises(InputError, match="be text"):
        as_space({name: [1, 2]})


def test_importing_spaces_loads_nothing_heavy():
    """Nor does reading lists, or drawing."""
    program = (
        "import sys, numpy; from ogive.spaces import as_space, loguniform;"
        "as_space({'a': [1, 2], 'b': loguniform(1, 2)}).sample(numpy.random.default_rng(0));"
        "print([m for m in ('scipy.stats', 'pandas', 'sklearn', 'ConfigSpace', 'numba', 'pyarrow') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "[]"
