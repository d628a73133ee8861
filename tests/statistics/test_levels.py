"""Local levels: the published digits, the solver's equation, the table's certificate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ogive.kernels._corridor import stay_probability
from ogive.statistics._band import CONFIDENCES, boundaries, local_level, solve_local_level


@pytest.mark.parametrize(("n", "level"), [(10, 0.0073850), (50, 0.0029578), (500, 0.0012843), (2000, 0.00091293)])
def test_two_sided_levels_have_the_known_digits(n, level):
    assert float(f"{solve_local_level(n, 0.95, two_sided=True):.5g}") == pytest.approx(level, rel=1e-9)


@pytest.mark.slow
def test_two_sided_level_at_5000_has_the_known_digits():
    assert float(f"{solve_local_level(5000, 0.95, two_sided=True):.5g}") == 0.00075896


@pytest.mark.parametrize(("n", "level"), [(10, 0.0079434), (30, 0.0042009), (100, 0.0024609)])
def test_one_sided_levels_have_the_known_digits(n, level):
    assert float(f"{solve_local_level(n, 0.95, two_sided=False):.5g}") == pytest.approx(level, rel=1e-9)


def test_solver_is_exact_for_a_single_score():
    assert_allclose(solve_local_level(1, 0.9, two_sided=True), 0.1, rtol=1e-8)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("confidence", [0.5, 0.93, 0.999])
@pytest.mark.parametrize("n", [1, 7, 64, 333])
def test_solved_level_covers_with_exactly_the_confidence(n, confidence, two_sided):
    level = solve_local_level(n, confidence, two_sided=two_sided)
    assert_allclose(stay_probability(*boundaries(n, level, two_sided=two_sided)), confidence, atol=1e-8)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("n", [1, 3, 200, 206, 777, pytest.param(2345, marks=pytest.mark.slow)])
def test_tabulated_levels_are_conservative_and_lose_less_than_two_permille(n, two_sided):
    for confidence in (0.5, 0.95, 0.999):
        found = local_level(n, confidence, two_sided=two_sided, solve=False)
        solved = solve_local_level(n, confidence, two_sided=two_sided)
        assert found is not None
        assert 0.998 * solved <= found <= solved


def test_a_confidence_between_two_columns_takes_the_higher_one():
    found, higher = (local_level(30, confidence, two_sided=True, solve=False) for confidence in (0.94, 0.95))
    assert found is not None
    assert found == higher


def test_beyond_the_table_there_is_no_level():
    assert local_level(20_001, 0.95, two_sided=True, solve=False) is None
    assert local_level(50, 0.9995, two_sided=True, solve=False) is None


def test_levels_fall_with_n_and_with_confidence():
    ns = [1, 2, 5, 10, 50, 200, 201, 500, 3000, 20_000]
    levels = np.array([[local_level(n, c, two_sided=True, solve=False) for c in CONFIDENCES] for n in ns])
    assert np.all(np.diff(levels, axis=0) < 0)
    assert np.all(np.diff(levels, axis=1) < 0)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("d", [0.05, 1e-10])
def test_the_local_level_of_one_score_is_the_whole_error(two_sided, d):
    assert solve_local_level(1, 1.0 - d, two_sided=two_sided) == pytest.approx(d, rel=1e-6)
