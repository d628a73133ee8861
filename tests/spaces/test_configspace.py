"""To and from ConfigSpace."""

import sys

import numpy as np
import pytest
from scipy import stats

from ogive.errors import InputError, MissingDependency
from ogive.seeding import Streams, stream
from ogive.spaces import as_space, choice, constant, integer, log_integer, loguniform, uniform, when

pytestmark = pytest.mark.slow  # each starts processes or draws many configurations

cs = pytest.importorskip("ConfigSpace")

ENTRIES = {
    "C": loguniform(1e-2, 1e2),
    "kernel": choice(["linear", "poly", "rbf"], weights=[0.5, 0.25, 0.25]),
    "degree": when(integer(2, 5), kernel="poly"),
    "gamma": when(uniform(0, 1), kernel=["poly", "rbf"]),
    "layers": [(50,), (50, 100), None],
    "k": constant("on"),
    "both": when([1, 2], kernel="poly", degree=[2, 3]),
    "either": when([1, 2], {"kernel": "linear"}, {"degree": 5}),
}


def configs(space, n=5000, seed=0):
    rng = np.random.default_rng(seed)
    return [space.sample(rng) for _ in range(n)]


def foreign_configs(space, n=5000, seed=0):
    space.seed(seed)
    return [
        {name: value.item() if isinstance(value, np.generic) else value for name, value in config.items()}
        for config in space.sample_configuration(n)
    ]


def same_law(ours, theirs, name):
    """The p-value that a parameter, absence included, has the same law on both sides."""
    present = [[c[name] for c in side if name in c] for side in (ours, theirs)]
    if isinstance(present[0][0], float):
        counts = [[len(p), len(s) - len(p)] for p, s in zip(present, (ours, theirs), strict=True)]
        presence = stats.chi2_contingency(counts).pvalue if np.all(np.sum(counts, 0)) else 1.0
        return min(presence, stats.ks_2samp(*present).pvalue)
    kinds = sorted({repr(c.get(name)) for c in ours})
    counts = [[sum(repr(c.get(name)) == kind for c in side) for kind in kinds] for side in (ours, theirs)]
    assert np.sum(counts[1]) == len(theirs)
    return stats.chi2_contingency(counts).pvalue if len(kinds) > 1 else 1.0


def read_example():
    space = cs.ConfigurationSpace()
    space.add(
        cs.UniformFloatHyperparameter("C", 1e-2, 1e2, log=True),
        cs.UniformFloatHyperparameter("x", -1, 1),
        cs.UniformIntegerHyperparameter("n", 1, 4),
        cs.UniformIntegerHyperparameter("trees", 10, 99, log=True),
        cs.CategoricalHyperparameter("kernel", ["linear", "poly", "rbf"], weights=[2, 1, 1]),
        cs.OrdinalHyperparameter("size", ["s", "m", "l"]),
        cs.Constant("k", 3),
        cs.NormalFloatHyperparameter("z", 0, 1, -2, 2),
        *(cs.CategoricalHyperparameter(f"on_{i}", [1, 2]) for i in range(6)),
    )
    space.add(
        cs.EqualsCondition(space["on_0"], space["kernel"], "poly"),
        cs.InCondition(space["on_1"], space["kernel"], ["poly", "rbf"]),
        cs.AndConjunction(
            cs.EqualsCondition(space["on_2"], space["kernel"], "poly"),
            cs.GreaterThanCondition(space["on_2"], space["n"], 2),
        ),
        cs.OrConjunction(
            cs.EqualsCondition(space["on_3"], space["on_0"], 2), cs.LessThanCondition(space["on_3"], space["size"], "l")
        ),
        cs.NotEqualsCondition(space["on_4"], space["kernel"], "linear"),
    )
    return space


def test_a_configspace_is_read_with_its_law():
    foreign = read_example()
    space = as_space(foreign)
    assert set(space.names) == set(foreign)
    ours, theirs = configs(space), foreign_configs(foreign)
    small = {name: same_law(ours, theirs, name) for name in space.names if name != "trees"}
    assert min(small.values()) > 1e-4, small


@pytest.mark.parametrize("bounds", [(1, 4), (10, 99), (1, 1000)])
def test_log_scaled_integers_are_read_within_a_total_variation_of_0_04(bounds):
    source = cs.UniformIntegerHyperparameter("n", *bounds, log=True)
    foreign = cs.ConfigurationSpace()
    foreign.add(source)
    low, high = bounds
    theirs = np.bincount(source.sample_value(size=400_000, seed=np.random.RandomState(0)), minlength=high + 1)[low:]
    values = np.arange(low, high + 1)
    law = np.log((values + 1) / values) / np.log((high + 1) / low)
    assert as_space(foreign) == as_space({"n": log_integer(low, high + 1)})
    assert 0.5 * np.abs(theirs / theirs.sum() - law).sum() < 0.04


def test_values_read_from_configspace_are_python_values():
    for config in configs(as_space(read_example()), 20):
        assert {type(value) for value in config.values()} <= {float, int, str}


def test_a_configspace_is_described_and_written():
    space = as_space(read_example())
    assert "trees: whole part of a log-uniform number on [10, 100), so 10 to 99" in space.describe()
    assert "kernel: one of linear (50 %), poly (25 %), rbf (25 %)" in space.describe()
    assert "on_3: one of 1, 2, only when on_0 is 2, or when size is s or m" in space.describe()
    assert "z: NormalFloat with mu 0, sigma 1, lower -2, upper 2, log False (ConfigSpace)" in space.describe()
    for config in configs(space, 20):
        assert space.decode(space.encode(config)) == config


def test_an_exported_space_has_the_same_law():
    space = as_space(ENTRIES)
    foreign = space.to_configspace()
    ours, theirs = configs(space), foreign_configs(foreign)
    small = {name: same_law(ours, theirs, name) for name in space.names}
    assert min(small.values()) > 1e-4, small


def test_reading_an_exported_space_gives_it_back():
    space = as_space({**ENTRIES, "trees": log_integer(10, 100)})
    assert as_space(space.to_configspace()) == space


def test_a_configspace_goes_through_and_back():
    space = as_space(read_example())
    assert as_space(space.to_configspace()) == space


def test_objects_are_exported_as_their_labels():
    foreign = as_space({"m": choice({"a": object(), "b": object()}), "x": when([1, 2], m="a")}).to_configspace()
    assert foreign["m"].choices == ("a", "b")
    assert all(("x" in config) == (config["m"] == "a") for config in foreign_configs(foreign, 50))


def test_held_parameters_are_exported_as_constants():
    foreign = as_space(ENTRIES).fix({"C": 1.0, "kernel": "poly"}).to_configspace()
    drawn = foreign_configs(foreign, 50)
    assert {config["C"] for config in drawn} == {1.0}
    assert {config["kernel"] for config in drawn} == {"poly"}
    assert all("degree" in config for config in drawn)


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ({"x": stats.norm(0, 1)}, r"`x`: norm\(0, 1\) of scipy.stats cannot be said in ConfigSpace"),
        ({"x": [True, 2]}, "`x` mixes truth values and numbers"),
        (lambda rng: {}, "is a function and cannot be said"),
    ],
)
def test_what_configspace_cannot_say_is_refused(entries, sentence):
    with pytest.raises(InputError, match=sentence):
        as_space(entries).to_configspace()


def test_a_list_of_dictionaries_cannot_be_exported():
    with pytest.warns(UserWarning, match="scikit-learn"):
        space = as_space([{"a": [1]}, {"b": [1]}])
    with pytest.raises(InputError, match="one dictionary"):
        space.to_configspace()


def test_a_held_whole_number_on_which_others_depend_cannot_be_exported():
    space = as_space({"n": integer(1, 3), "x": when([1, 2], n=2)}).fix({"n": 2})
    with pytest.raises(InputError, match="export before `fix`"):
        space.to_configspace()


def test_forbidden_clauses_are_refused():
    space = cs.ConfigurationSpace({"a": ["x", "y"], "b": ["x", "y"]})
    space.add(cs.ForbiddenAndConjunction(cs.ForbiddenEqualsClause(space["a"], "y"), cs.ForbiddenEqualsClause(space["b"], "y")))  # fmt: skip
    with pytest.raises(InputError, match="forbidden clauses"):
        as_space(space)


def test_conditions_on_a_continuum_are_refused():
    space = cs.ConfigurationSpace({"x": (0.0, 1.0), "a": [1, 2]})
    space.add(cs.GreaterThanCondition(space["a"], space["x"], 0.5))
    with pytest.raises(InputError, match=r"`a`.*`x`"):
        as_space(space)


def test_other_objects_of_configspace_are_refused():
    with pytest.raises(InputError, match="got Constant"):
        as_space(cs.Constant("a", 1))


def test_the_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ConfigSpace", None)
    with pytest.raises(MissingDependency, match=r"ogive\[configspace\]"):
        as_space(ENTRIES).to_configspace()


def test_hyper_parameters_drawn_by_configspace_depend_on_the_stream_alone():
    space = as_space(read_example())
    streams = Streams(0, "config", "task", "algorithm")
    forward = [space.sample(streams.at(trial)) for trial in range(5)]
    backward = [space.sample(stream(0, "config", "task", "algorithm", trial)) for trial in reversed(range(5))]
    assert forward == backward[::-1]
    assert len({config["z"] for config in forward}) == 5
