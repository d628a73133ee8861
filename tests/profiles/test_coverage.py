"""Guarantees as claims: the whole true curve lies in the band as often as promised."""

import numpy as np
import pytest
from make_profile_coverage import (
    DESIGNS,
    POPULATIONS,
    PROBLEMS,
    SUITES,
    false_claims,
    pointwise_coverage,
    ratio_coverage,
    score_coverage,
    score_sides,
    unequal_coverage,
)
from simulate import plausible

from ogive.profiles import performance_profile
from ogive.profiles._curves import corridor

REPETITIONS, SLOW = 20_000, 2_000


@pytest.mark.statistical
@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: f"{d[0]}x{d[1]}")
@pytest.mark.parametrize("population", POPULATIONS, ids=lambda p: p.name)
def test_the_score_band_holds_the_whole_curve(population, design):
    runs, tasks = design
    sides = score_sides(runs, tasks, 0.95, random=population.random)
    covered = score_coverage(population, runs, tasks, sides, REPETITIONS, seed=runs + tasks)
    assert covered >= plausible(0.95, REPETITIONS)[0]


@pytest.mark.statistical
def test_the_coverage_test_notices_a_band_that_is_too_narrow():
    population = POPULATIONS[0]
    narrow = corridor(25, 0.93, "exact", solve=True)
    covered = score_coverage(population, 5, 5, (narrow.low, narrow.high), REPETITIONS, seed=3)
    assert covered < plausible(0.95, REPETITIONS)[0]


@pytest.mark.statistical
def test_random_tasks_taken_for_fixed_ones_are_noticed():
    population = POPULATIONS[3]
    covered = score_coverage(population, 20, 5, score_sides(20, 5, 0.95, random=False), REPETITIONS, seed=4)
    assert covered < 0.8


@pytest.mark.statistical
@pytest.mark.parametrize("problems", PROBLEMS)
@pytest.mark.parametrize("suite", SUITES)
def test_the_ratio_bands_of_three_methods_hold_together(suite, problems):
    assert ratio_coverage(suite, problems, 0.95, REPETITIONS, seed=problems) >= plausible(0.95, REPETITIONS)[0]


@pytest.mark.statistical
def test_a_ratio_band_at_half_of_the_confidence_is_noticed():
    assert ratio_coverage("continuous times", 65, 0.5, REPETITIONS, seed=5) < plausible(0.95, REPETITIONS)[0]


@pytest.mark.statistical
@pytest.mark.parametrize("population", POPULATIONS[:2], ids=lambda p: p.name)
def test_the_bootstrap_of_the_largest_deviation_holds_the_whole_curve(population):
    covered = unequal_coverage(population, np.array([5, 20, 12, 5, 20]), 0.95, SLOW, seed=6)
    assert covered >= plausible(0.95, SLOW)[0]


@pytest.mark.statistical
def test_a_pointwise_band_is_no_band():
    assert pointwise_coverage(POPULATIONS[0], 20, 5, 200, seed=7) < 0.6


@pytest.mark.statistical
@pytest.mark.parametrize("problems", [20, 65])
def test_equal_methods_are_rarely_called_different(problems):
    assert false_claims(problems, SLOW, seed=problems) <= 1 - plausible(0.95, SLOW)[0]


@pytest.mark.statistical
def test_the_profile_itself_covers_for_two_methods_together():
    """Through the front door: 3 runs on 5 unequal tasks, two methods, every τ of both."""
    population, rng, covered = POPULATIONS[1], np.random.default_rng(8), 0
    for _ in range(SLOW):
        runs = population.draw(rng, 2, 3, 5)
        p = performance_profile({"a": runs[0], "b": runs[1]}, "score")
        inside = True
        for i, own in enumerate(runs):
            at = np.sort(own.ravel())
            truth = 1.0 - population.cdf(at, 5)
            inside &= bool(np.all(p.low(np.nextafter(at, -99))[i] <= truth) and np.all(truth <= p.high(at)[i]))
        covered += inside
    assert covered / SLOW >= plausible(0.95, SLOW)[0]


def test_the_simulations_run():
    """A few repetitions of each, so that the page of coverages cannot rot unseen."""
    assert 0.0 <= score_coverage(POPULATIONS[3], 3, 5, score_sides(3, 5, 0.95, random=True), 50, seed=1) <= 1.0
    assert ratio_coverage("time limit, a third unsolved", 5, 0.95, 200, seed=1, population=20_000) > 0.8
    assert pointwise_coverage(POPULATIONS[1], 3, 5, 3, seed=1) <= 1.0
    assert false_claims(5, 5, seed=1) <= 1.0
