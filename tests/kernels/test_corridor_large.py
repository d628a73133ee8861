"""The corridor kernel for n in the hundreds, against Durbin's matrix and scipy."""

from math import factorial, floor

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import kstwo

from ogive.kernels._corridor import stay_probability


def durbin_kolmogorov_cdf(n, distance):
    """P(D_n < distance) by Durbin's matrix, as Marsaglia, Tsang and Wang (2003) compute it."""
    k = floor(n * distance) + 1
    h = k - n * distance
    m = 2 * k - 1
    matrix = np.tri(m, k=1)
    matrix[:, 0] -= h ** np.arange(1, m + 1)
    matrix[-1, :] -= h ** np.arange(m, 0, -1)
    matrix[-1, 0] += max(0.0, 2 * h - 1) ** m
    for i in range(m):
        for j in range(m):
            if i - j + 1 > 0:
                matrix[i, j] /= factorial(i - j + 1)
    power, log_scale, result, result_log, e = matrix, 0.0, np.eye(m), 0.0, n
    while e:
        if e & 1:
            result, result_log = result @ power, result_log + log_scale
        power, log_scale = power @ power, 2 * log_scale
        top = power.max()
        power, log_scale = power / top, log_scale + np.log(top)
        e >>= 1
    log_factor = result_log + np.sum(np.log(np.arange(1, n + 1) / n))
    return float(result[k - 1, k - 1] * np.exp(log_factor))


def ks_boundaries(n, distance):
    i = np.arange(1.0, n + 1.0)
    return np.clip(i / n - distance, 0, 1), np.clip((i - 1) / n + distance, 0, 1)


@pytest.mark.parametrize("n", [50, 100, 140, 200, 300, 500])
def test_corridor_equals_durbins_matrix(n):
    for distance in (0.03, 0.05, 0.08, 0.1):
        expected = durbin_kolmogorov_cdf(n, distance)
        assert_allclose(stay_probability(*ks_boundaries(n, distance)), expected, atol=1e-10)


@pytest.mark.parametrize("n", range(20, 141, 20))
def test_corridor_equals_kstwo_where_scipy_computes_exactly(n):
    """Up to n = 140 scipy uses an exact algorithm; above, Pelz and Good's approximation (3e-6 off)."""
    for distance in (0.02, 0.05, 0.1, 0.2, 0.3):
        assert_allclose(stay_probability(*ks_boundaries(n, distance)), kstwo.cdf(distance, n), atol=1e-12)


@pytest.mark.parametrize("n", [141, 300, 500])
def test_corridor_equals_kstwo_once_scipys_approximation_is_replaced_by_its_own_exact_algorithm(n, monkeypatch):
    _ksstats = pytest.importorskip("scipy.stats._ksstats")
    if not hasattr(_ksstats, "_kolmogn_PelzGood") or not hasattr(_ksstats, "_kolmogn_Pomeranz"):
        pytest.skip("this scipy names its algorithms otherwise")
    monkeypatch.setattr(_ksstats, "_kolmogn_PelzGood", _ksstats._kolmogn_Pomeranz)
    for distance in np.array([0.45, 0.57, 0.83, 1.22, 1.36, 1.63, 1.95]) / np.sqrt(n):  # probabilities .01 to .999
        assert_allclose(stay_probability(*ks_boundaries(n, distance)), kstwo.cdf(distance, n), atol=1e-10, rtol=0)


@pytest.mark.parametrize("n", [200, 300, 500])
def test_corridor_differs_from_kstwo_by_no_more_than_scipys_approximation(n):
    for distance in (0.03, 0.05, 0.08, 0.1):
        assert_allclose(stay_probability(*ks_boundaries(n, distance)), kstwo.cdf(distance, n), atol=5e-6)
