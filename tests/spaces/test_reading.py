"""What as_space reads: dictionaries, distributions, lists of dictionaries, functions."""

import math
import pickle
import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import ParameterSampler
from sklearn.svm import SVC

from ogive.errors import InputError
from ogive.spaces import as_space, choice, integer, uniform

MIXED = [
    {"kernel": ["linear", "rbf", "sigmoid"], "C": stats.loguniform(1e-2, 1e2)},
    {"kernel": ["poly"], "degree": [2, 3, 4, 5], "C": stats.loguniform(1e-2, 1e2)},
]
GRID = [{"kernel": ["linear", "rbf", "sigmoid"]}, {"kernel": ["poly"], "degree": [2, 3, 4, 5]}]


def configs(space, n, seed=0):
    rng = np.random.default_rng(seed)
    return [space.sample(rng) for _ in range(n)]


def quiet(dictionaries):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return as_space(dictionaries)


class TestDistributions:
    @pytest.mark.parametrize(
        ("frozen", "words"),
        [
            (stats.uniform(2, 3), "uniform on [2, 5]"),
            (stats.uniform(scale=0.5), "uniform on [0, 0.5]"),
            (stats.uniform(), "uniform on [0, 1]"),
            (stats.uniform, "uniform on [0, 1]"),
            (stats.loguniform(1e-2, 1e2), "log-uniform on [0.01, 100]"),
            (stats.reciprocal(a=1, b=np.float64(10), scale=2), "log-uniform on [2, 20]"),
            (stats.randint(1, 5), "whole number from 1 to 4"),
            (stats.randint(low=1, high=5, loc=10), "whole number from 11 to 14"),
            (stats.randint(3, 4), "fixed at 3"),
        ],
    )
    def test_distributions_with_a_native_twin_become_native(self, frozen, words):
        assert as_space({"x": frozen}).describe() == f"x: {words}"

    @pytest.mark.parametrize("frozen", [stats.uniform(2, 3), stats.loguniform(1e-3, 10), stats.reciprocal(2, 9)])
    def test_a_native_twin_has_the_law_of_the_original(self, frozen):
        drawn = [config["x"] for config in configs(as_space({"x": frozen}), 10_000)]
        assert stats.kstest(drawn, frozen.cdf).pvalue > 1e-4

    def test_randint_excludes_its_upper_end(self):
        counts = np.bincount([config["x"] for config in configs(as_space({"x": stats.randint(1, 5)}), 10_000)])
        assert counts.size == 5
        assert stats.chisquare(counts[1:]).pvalue > 1e-4

    @pytest.mark.parametrize("frozen", [stats.norm(1, 2), stats.expon(scale=3), stats.loguniform(1, 10, loc=5)])
    def test_other_distributions_are_drawn_by_rvs_from_the_generator(self, frozen):
        space = as_space({"x": frozen, "y": [1, 2]})
        rng = np.random.default_rng(3)
        rng.random(1)  # for y
        value = space.sample(np.random.default_rng(3))["x"]
        assert value == frozen.rvs(random_state=rng)
        assert type(value) is float
        assert space.decode(space.encode({"x": value})) == {"x": value}

    def test_the_arguments_of_a_distribution_are_part_of_words_and_definition(self):
        one, two = as_space({"x": stats.norm(0, scale=2)}), as_space({"x": stats.norm(0, scale=3)})
        assert one.describe() == "x: norm(0, scale=2) of scipy.stats"
        assert one != two

    def test_whole_and_vector_valued_distributions_give_python_values(self):
        config = as_space({"n": stats.poisson(3), "v": stats.dirichlet([1, 1])}).sample(np.random.default_rng(0))
        assert type(config["n"]) is int
        assert type(config["v"]) is list

    def test_anything_with_rvs_will_do(self):
        class Dice:
            def rvs(self, random_state):
                return random_state.integers(1, 7)

        space = as_space({"x": Dice()})
        values = {config["x"] for config in configs(space, 200)}
        assert values == {1, 2, 3, 4, 5, 6}
        assert {type(v) for v in values} == {int}
        assert space.describe() == "x: drawn from Dice"

    @pytest.mark.parametrize(
        ("entry", "sentence"),
        [
            (stats.loguniform, "`x`: scipy's loguniform needs its arguments"),
            (stats.loguniform(0, 1), "`x`: .*positive"),
            (stats.uniform(0, 0), "`x`: .*below"),
            (stats.norm(0, -1), "`x`: norm.* cannot be drawn"),
            (1.0, r"`x`: .* Write constant\(1.0\)"),
            ("rbf", r"`x`: .* Write constant\('rbf'\)"),
            (None, r"`x`: .* Write constant\(None\)"),
            (abs, "`x`: a parameter must be a list"),
            (SVC, "`x`: a parameter must be a list"),
            ({"a": 1}, "`x`: a dictionary is not a distribution; write choice"),
            ({1, 2}, "`x`: .*a set has no order"),
            ([], "`x`: .*at least one value"),
            (object(), "`x`: .*takes a list"),
        ],
    )
    def test_other_entries_are_refused_with_the_name(self, entry, sentence):
        with pytest.raises(InputError, match=sentence):
            as_space({"x": entry})


class TestListsOfDictionaries:
    def test_a_warning_states_the_weights(self):
        with pytest.warns(UserWarning, match=r"\{kernel, C\} 50 %.*poly in 50 %, linear in 16.7 %") as caught:  # fmt: skip
            as_space(MIXED)
        assert caught[0].filename == __file__

    def test_a_warning_states_the_weights_of_grids(self):
        with pytest.warns(UserWarning, match=r"\{kernel, degree\} 57.1 %.*poly in 57.1 %"):
            as_space(GRID)

    def test_one_dictionary_in_a_list_is_that_dictionary(self):
        assert as_space([{"a": [1, 2]}]) == as_space({"a": [1, 2]})

    def test_draws_have_the_law_of_scikit_learns_sampler(self):
        n = 6000
        ours, theirs = configs(quiet(MIXED), n), list(ParameterSampler(MIXED, n, random_state=0))
        kinds = sorted({(c["kernel"], c.get("degree", 0)) for c in theirs})
        counts = [[sum((c["kernel"], c.get("degree", 0)) == kind for c in side) for kind in kinds] for side in (ours, theirs)]  # fmt: skip
        assert np.sum(counts) == 2 * n
        assert stats.chi2_contingency(counts).pvalue > 1e-4
        assert stats.ks_2samp([c["C"] for c in ours], [c["C"] for c in theirs]).pvalue > 1e-4
        assert counts[1][kinds.index(("rbf", 0))] < 0.2 * n  # uniform over kernels would be 0.25

    def test_grids_have_the_law_of_scikit_learns_first_draw(self):
        ours = [(c["kernel"], c.get("degree")) for c in configs(quiet(GRID), 14_000)]
        firsts = [next(iter(ParameterSampler(GRID, 1, random_state=seed))) for seed in range(1500)]
        for drawn in (ours, [(c["kernel"], c.get("degree")) for c in firsts]):
            counts = [drawn.count(kind) for kind in set(drawn)]
            assert len(counts) == 7
            assert stats.chisquare(counts).pvalue > 1e-4

    def test_the_order_of_the_dictionaries_does_not_matter(self):
        one, two = quiet(MIXED), quiet(MIXED[::-1])
        assert one == two
        assert configs(one, 50) == configs(two, 50)

    def test_configurations_are_written_and_read_back(self):
        space = pickle.loads(pickle.dumps(quiet([{"layers": [(50,), (1, 2)]}, {"depth": integer(1, 3), "m": [SVC()]}])))
        for config in configs(space, 50):
            assert space.decode(space.encode(config)) == config

    def test_pipelines_may_repeat_an_estimator(self):
        space = quiet([{"clf": [SVC()], "C": [1, 2]}, {"clf": [SVC()], "C": [3]}])
        assert all(space.encode(config).endswith('"clf":"SVC"}') for config in configs(space, 20))

    def test_one_label_for_two_objects_is_refused(self):
        with pytest.raises(InputError, match=r'`clf`.*"SVC"'):
            quiet([{"clf": [SVC(C=1)], "a": [1]}, {"clf": [SVC(C=2)], "b": [1]}])

    def test_names_words_and_html_cover_all_dictionaries(self):
        space = quiet(MIXED)
        assert set(space.names) == {"kernel", "C", "degree"}
        assert space.describe().startswith("with probability 50 %: ")
        assert "; or with probability 50 %: " in space.describe()
        assert "50 %" in space._repr_html_()

    def test_holding_a_value_keeps_the_dictionaries_that_can_have_it(self):
        assert {config["kernel"] for config in configs(quiet(MIXED).fix({"kernel": "poly"}), 30)} == {"poly"}
        assert {config["C"] for config in configs(quiet(MIXED).fix({"C": 1.0}), 30)} == {1.0}
        with pytest.raises(InputError, match="`kernel`"):
            quiet(MIXED).fix({"kernel": "cubic"})

    @pytest.mark.parametrize(("bad", "sentence"), [([], "must not be empty"), ([1, 2], "must hold dictionaries"), ([{"a": [1]}, ["b"]], "must hold dictionaries")])  # fmt: skip
    def test_other_lists_are_refused(self, bad, sentence):
        with pytest.raises(InputError, match=sentence):
            as_space(bad)

    def test_foreign_names_are_refused(self):
        with pytest.raises(InputError, match="parameters D"):
            quiet(MIXED).encode({"D": 1})


def draw_by_hand(rng):
    return {"lr": rng.random(), "n": rng.integers(5), "layers": (1, 2), "name": "a"}


class TestFunctions:
    def test_a_function_draws_from_the_generator(self):
        space = as_space(draw_by_hand)
        config = space.sample(np.random.default_rng(0))
        rng = np.random.default_rng(0)
        assert config == {"lr": rng.random(), "n": rng.integers(5), "layers": (1, 2), "name": "a"}
        assert type(config["n"]) is int
        assert space.decode(space.encode(config)) == {**config, "layers": [1, 2]}
        assert pickle.loads(pickle.dumps(space)) == space

    def test_its_source_is_its_definition(self):
        space = as_space(draw_by_hand)
        assert space.definition()["function"].endswith("draw_by_hand")
        assert len(space.definition()["source"]) == 64
        assert "drawn by the function" in space.describe()
        assert "draw_by_hand" in space._repr_html_()
        assert as_space(lambda rng: {})._repr_html_().count("&lt;lambda&gt;") == 1

    def test_values_can_be_held(self):
        space = as_space(draw_by_hand).fix({"lr": 0.5})
        config = space.sample(np.random.default_rng(0))
        assert config["lr"] == 0.5
        assert config["n"] == as_space(draw_by_hand).sample(np.random.default_rng(0))["n"]
        assert "lr: fixed at 0.5" in space.describe()
        assert space != as_space(draw_by_hand)

    @pytest.mark.parametrize("result", [None, 3, [("a", 1)], "a"])
    def test_anything_but_a_dictionary_is_refused(self, result):
        with pytest.raises(InputError, match="a dictionary"):
            as_space(lambda rng: result).sample(np.random.default_rng(0))

    def test_a_name_that_is_no_text_is_refused(self):
        with pytest.raises(InputError, match="be text"):
            as_space(lambda rng: {1: 2}).sample(np.random.default_rng(0))

    @pytest.mark.parametrize("value", [SVC(), math.nan, math.inf, {1: 2}, {1}])
    def test_what_json_cannot_hold_is_refused_with_its_name(self, value):
        with pytest.raises(InputError, match="'x'"):
            as_space(draw_by_hand).encode({"x": value})


@pytest.mark.parametrize("what", [3, "C", uniform(0, 1), choice([1]), SVC, SVC(), {1, 2}, stats.uniform(0, 1)])
def test_what_is_no_space_is_refused(what):
    with pytest.raises(InputError, match="a dictionary"):
        as_space(what)


def test_a_function_behind_a_name_is_refused_with_both_ways_out():
    with pytest.raises(InputError, match="one function"):
        as_space({"p": lambda rng: rng.uniform(1, 2)})
