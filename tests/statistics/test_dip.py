"""The dip's p-value and its rules; the statistic itself is tested with the kernel."""

import json

import numpy as np
import pytest

from ogive.errors import InputError, InvalidScores
from ogive.statistics import Assumption, dip
from ogive.statistics._dip import null_dips, spread_ties


def test_two_modes_are_seen_and_one_is_not():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0, 1, 150), rng.normal(6, 1, 150)
    assert dip(np.concatenate([one, other])).p_value < 0.001
    assert dip(one).p_value > 0.05


def test_a_lattice_is_not_read_as_many_modes():
    accuracy = np.random.default_rng(1).binomial(100, 0.8, 500) / 100
    plain, aware = dip(accuracy), dip(accuracy, lattice=0.01)
    assert plain.p_value < 0.001
    assert plain.assumptions[1] is Assumption.CONTINUOUS
    assert aware.p_value > 0.05
    assert len(aware.assumptions) == 1


def test_two_modes_on_a_lattice_are_seen():
    rng = np.random.default_rng(2)
    accuracy = np.concatenate([rng.binomial(100, 0.6, 200), rng.binomial(100, 0.85, 200)]) / 100
    assert dip(accuracy, lattice=0.01).p_value < 0.001


def test_ties_are_spread_evenly_over_their_step():
    np.testing.assert_allclose(spread_ties(np.array([2.0, 2.0, 5.0])), [1.75, 2.25, 5.0])


def test_equal_scores_are_unimodal():
    assert (dip([0.5] * 10).statistic, dip([0.5] * 10).p_value) == (0.0, 1.0)


def test_the_same_seed_gives_the_same_p_value_and_the_result_is_json():
    scores = np.random.default_rng(3).random(40)
    first = dip(scores, seed=5)
    null_dips.cache_clear()
    assert first == dip(scores, seed=5)
    assert json.loads(json.dumps(first.to_dict()))["n"] == 40
    assert str(first).startswith("dip 0.0")


@pytest.mark.parametrize(
    ("scores", "options", "error"),
    [
        ([1.0, np.nan], {}, InvalidScores),
        ([], {}, InvalidScores),
        ([1.0, 2.0], {"n_resamples": 3}, InputError),
        ([1.0, 2.0], {"lattice": -1}, InputError),
        ([1.0, 2.5], {"lattice": 1}, InputError),
    ],
)
def test_what_breaks_a_rule_is_refused(scores, options, error):
    with pytest.raises(error):
        dip(scores, **options)


@pytest.mark.parametrize("exponent", [-1000, 1020])
def test_the_unit_does_not_matter(exponent):
    x = np.random.default_rng(3).normal(size=60)
    assert dip(np.ldexp(x, exponent)) == dip(x)
