"""The guarantee of every band, as a claim: simulated coverage over all x, on continuous data, ties and lattices."""

import numpy as np
import pytest
from simulate import TRUTHS, UNIFORM, band_coverage, plausible, sides

from ogive.statistics import band
from ogive.statistics._band import boundaries, solve_local_level

pytestmark = pytest.mark.statistical
REPETITIONS = 100_000
METHODS = [
    {"method": "exact", "solve": True},
    {"method": "exact"},
    {"method": "ks"},
    {"method": "dkw"},
    {"method": "exact", "side": "lower"},
    {"method": "exact", "side": "upper"},
    {"method": "ks", "side": "upper"},
    {"method": "dkw", "side": "lower"},
]


def rng(*key):
    return np.random.default_rng([len(str(k)) for k in key] + [sum(map(ord, str(key)))])


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda t: t.name)
@pytest.mark.parametrize("n", [5, 20, 100])
@pytest.mark.parametrize("choices", METHODS, ids=str)
def test_a_band_holds_its_confidence_for_every_distribution(choices, n, truth):
    low, high = sides(n, confidence=0.95, **choices)
    covered = band_coverage(truth, low, high, REPETITIONS, rng(choices, n, truth.name))
    assert covered >= plausible(0.95, REPETITIONS)[0]


@pytest.mark.parametrize("truth", [t for t in TRUTHS if t.continuous], ids=lambda t: t.name)
@pytest.mark.parametrize("n", [1, 5, 20, 100])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("choices", [{"method": "exact", "solve": True}, {"method": "ks"}], ids=str)
def test_an_exact_band_does_not_cover_more_than_it_says_on_continuous_data(choices, confidence, n, truth):
    low, high = sides(n, confidence=confidence, **choices)
    covered = band_coverage(truth, low, high, REPETITIONS, rng(choices, n, truth.name))
    least, most = plausible(confidence, REPETITIONS)
    assert least <= covered <= most


# The tests are tested: each of these wrong bands must fall below what is plausible.


def too_narrow(n):
    return sides(n, confidence=0.93, method="exact", solve=True)


def level_for_half_level(n):
    low, high = boundaries(n, 2 * solve_local_level(n, 0.95, two_sided=True), two_sided=True)
    return np.append(0.0, low), np.append(high, 1.0)


def high_side_one_step_early(n):
    low, high = sides(n, confidence=0.95, method="exact", solve=True)
    return low, np.append(high[0], high[:-1])  # hi_i for hi_{i+1}


@pytest.mark.parametrize("n", [20, 100])
@pytest.mark.parametrize("wrong", [too_narrow, level_for_half_level, high_side_one_step_early])
def test_the_coverage_test_notices_a_wrong_band(wrong, n):
    covered = band_coverage(UNIFORM, *wrong(n), REPETITIONS, rng(wrong.__name__, n))
    assert covered < plausible(0.95, REPETITIONS)[0]


@pytest.mark.parametrize(
    "truth", [t for t in TRUTHS if "Bernoulli" in t.name or "Binomial" in t.name], ids=lambda t: t.name
)
def test_the_coverage_test_notices_an_upper_side_that_counts_scores_below_x_on_a_lattice(truth):
    """Reading the high side by #{X < x} instead of #{X <= x} fails where F jumps."""
    n = 20
    _, high = sides(n, confidence=0.95, method="exact", solve=True)
    x = truth.draw(rng(truth.name), (20_000, n))
    atoms = np.unique(x)
    below = (x[:, :, None] < atoms).sum(axis=1)
    covered = np.mean(np.all(truth.cdf(atoms) <= high[below] + 1e-12, axis=1))
    assert covered < plausible(0.95, 20_000)[0]


def test_a_band_of_clusters_holds_where_one_of_rows_does_not():
    """20 clusters of 5 rows with intra-class correlation .8, whose marginal is standard normal."""
    from scipy.stats import norm

    repetitions, generator = 2000, rng("clusters")
    clusters = np.repeat(np.arange(20), 5)
    held = {"clusters": 0, "rows": 0}
    for _ in range(repetitions):
        x = np.sqrt(0.8) * np.repeat(generator.normal(size=20), 5) + np.sqrt(0.2) * generator.normal(size=100)
        for name, b in (("clusters", band(x, clusters=clusters, method="ks")), ("rows", band(x, method="ks"))):
            at = np.sort(x)
            inside = (b.low.cdf(at) <= norm.cdf(at)) & (norm.cdf(at) <= b.high.cdf(np.nextafter(at, -np.inf)))
            held[name] += bool(inside.all())
    assert held["clusters"] / repetitions >= plausible(0.95, repetitions)[0]
    assert held["rows"] / repetitions < 0.9
