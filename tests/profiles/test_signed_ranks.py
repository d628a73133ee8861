"""Wilcoxon's p over every choice of signs is scipy's."""

import numpy as np
import pytest
from scipy import stats

from ogive.profiles._distances import ENUMERATED, signed_ranks_p


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(
    "gaps",
    [
        [1, 1], [1, -1], [0, 0, 2], [-1, -1, -2], [1, 2, 2, -3, 0], [3, 1, -2, 0],
        [0.5, 0.5, -0.5, 1.5, -2.5, 3.5, 3.5], [2, -2, 2, 2, -2, 2, 2, 2],
        [1, 2, 3, -4, 5], [1, *range(1, ENUMERATED + 1)], [*([0] * 9), 1, 1, -2, 3, 4, 4],
    ],
)  # fmt: skip
def test_it_is_scipys_with_ties_zeros_and_without(gaps, alternative):
    gaps = np.array(gaps, dtype=float)
    expected = stats.wilcoxon(gaps, alternative=alternative).pvalue
    assert signed_ranks_p(gaps, alternative) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow  # scipy takes more than a second
def test_as_many_gaps_as_are_enumerated_equal_scipys():
    gaps = np.round(np.random.default_rng(0).normal(0.4, 2, ENUMERATED))
    assert signed_ranks_p(gaps) == pytest.approx(stats.wilcoxon(gaps).pvalue, rel=1e-12)
