"""The fit of a rounded normal against a general optimiser on the likelihood as it is written."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import norm

from ogive.kernels._rounded_normal import fit_rounded_normal

pytestmark = pytest.mark.kernel
OPEN = (-math.inf, math.inf)
CASES = [
    (3.2, 0.4, OPEN),
    (-3.7, 0.7, OPEN),
    (0.0, 6.0, OPEN),
    (1e6, 500.0, OPEN),
    (29.0, 3.0, (0.0, 30.0)),
    (31.0, 3.0, (0.0, 30.0)),
    (1.0, 4.0, (0.0, 30.0)),
    (5.0, 20.0, (0.0, 10.0)),
]


def fit(rows, low, high):
    rows = np.ascontiguousarray(np.sort(rows, axis=1))
    location, scale = np.empty(len(rows)), np.empty(len(rows))
    fit_rounded_normal(rows.reshape(-1), rows.shape[1], 0, len(rows), low, high, location, scale)
    return location, scale


def negative_log_likelihood(location, scale, row, low, high):
    below = np.where(row <= low, -np.inf, row - 0.5)
    above = np.where(row >= high, np.inf, row + 0.5)
    a, b = (below - location) / scale, (above - location) / scale
    p = np.where(a > 0, norm.sf(a) - norm.sf(b), norm.cdf(b) - norm.cdf(a))
    return -np.sum(np.log(np.maximum(p, 1e-300)))


@pytest.mark.parametrize(("location", "scale", "ends"), CASES)
def test_the_fit_is_the_maximum_of_the_likelihood(location, scale, ends):
    rng = np.random.default_rng(5)
    rows = np.clip(np.rint(rng.normal(location, scale, size=(12, 25))), *ends)
    rows = rows[np.ptp(rows, axis=1) >= 2][:3]
    for row, m, s in zip(rows, *fit(rows, *ends), strict=True):
        found = minimize(
            lambda v, row=row: negative_log_likelihood(v[0], math.exp(v[1]), row, *ends),
            [m + 0.2 * s, math.log(s) + 0.2],
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-11},
        )
        assert negative_log_likelihood(m, s, row, *ends) <= found.fun + 1e-8
        assert_allclose([m, s], [found.x[0], math.exp(found.x[1])], atol=1e-4 * s)


def test_a_fine_lattice_gives_the_moments_with_sheppards_correction():
    row = np.rint(np.random.default_rng(1).normal(10, 50, size=(1, 30)))
    location, scale = fit(row, *OPEN)
    assert_allclose([location[0], scale[0] ** 2], [row.mean(), row.var() - 1 / 12], rtol=1e-3)


def test_a_value_too_far_for_the_likelihood_leaves_the_moments():
    row = np.zeros((1, 2000))
    row[0, :3] = [-1, 1, 4000]
    location, scale = fit(row, *OPEN)
    assert_allclose(location[0], row.mean(), atol=1e-9)
    assert math.isfinite(scale[0])
