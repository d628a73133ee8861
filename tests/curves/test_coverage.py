"""Guarantees as claims: simulated coverage on generators whose truth is known."""

import make_curve_coverage as made
import pytest
from simulate import plausible

from ogive.statistics import Statistic

NORMAL, SKEWED, LATTICE = made.GENERATORS
REPETITIONS = 2_000  # a set of curves costs some milliseconds


@pytest.mark.statistical
@pytest.mark.parametrize("generator", made.GENERATORS, ids=lambda g: g.name)
@pytest.mark.parametrize("statistic", ["q0.05", "median", "q0.95"])
def test_quantile_curves_hold_their_confidence_at_each_size_and_together(generator, statistic):
    each, together = made.curve_coverage(generator, Statistic.of(statistic), 100, REPETITIONS, seed=1)
    low, _ = plausible(0.95, REPETITIONS)
    assert each >= low
    assert together >= low


@pytest.mark.statistical
def test_the_coverage_test_notices_curves_that_are_too_narrow():
    low, _ = plausible(0.95, REPETITIONS)
    each, _ = made.curve_coverage(NORMAL, Statistic.quantile(0.5), 400, REPETITIONS, seed=1, confidence=0.90)
    assert each < low
    _, together = made.curve_coverage(NORMAL, Statistic.quantile(0.5), 400, REPETITIONS, seed=1, confidence=0.80)
    assert together < low  # d/S for each size is on the safe side, so less must be asked for to be too little


@pytest.mark.statistical
@pytest.mark.parametrize("generator", made.GENERATORS, ids=lambda g: g.name)
def test_required_sizes_hold_their_confidence(generator):
    low, _ = plausible(0.95, REPETITIONS)
    covered, bounded, right = made.required_coverage(generator, made.at_the_edge(generator), 400, REPETITIONS, seed=2)
    assert covered >= low
    assert bounded > 0.5
    assert right < low  # the estimate without its interval would fail this test


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("statistic", ["mean", "q0.05"])
def test_ranges_that_are_called_certain_are_right(statistic):
    covered, wrong, decided = made.crossing_coverage(NORMAL, Statistic.of(statistic), 100, 300, seed=3)
    assert covered >= 0.90  # approximate; the page in the docs has the figures
    assert wrong <= 0.05
    assert decided > 0.3


@pytest.mark.slow
@pytest.mark.statistical
def test_the_coverage_test_notices_a_band_that_is_too_narrow():
    covered, _, _ = made.crossing_coverage(NORMAL, Statistic.parse("mean"), 100, 300, seed=3, confidence=0.6)
    assert covered < 0.80


@pytest.mark.slow
@pytest.mark.statistical
def test_leaders_of_equal_models_hold_for_three_statistics_together():
    """Approximate; with 200 sets of curves 0.05 shows up to 0.115 once in ten thousand times."""
    each, some = made.leaders_claims(made.EQUAL, 200, 200, seed=4)
    assert each <= some <= 0.115


@pytest.mark.slow
@pytest.mark.statistical
def test_the_test_of_leaders_notices_bands_that_are_too_narrow():
    _, some = made.leaders_claims(made.EQUAL, 200, 100, seed=4, confidence=0.4)
    assert some > 0.115


def test_the_simulation_of_leaders_runs():
    assert made.leaders_claims(made.EQUAL, 40, 2, seed=1)[1] <= 1.0
