"""Guarantees of intervals as claims, and the documented coverage of approximate ones."""

import numpy as np
import pytest
from scipy import stats
from simulate import TRUTHS, interval_coverage, plausible

from ogive.statistics import (
    bootstrap_interval,
    mean_interval,
    quantile_interval,
    tail_mean_interval,
    variance_components,
)

pytestmark = pytest.mark.statistical
REPETITIONS = 20_000


@pytest.mark.parametrize("truth", TRUTHS, ids=lambda t: t.name)
@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("n", [5, 20, 100])
def test_order_statistics_hold_their_confidence_for_every_distribution(truth, p, n):
    covered = interval_coverage(
        lambda rng: truth.draw(rng, (n,)), lambda x: quantile_interval(x, p), truth.quantile(p), REPETITIONS, seed=n
    )
    assert covered >= plausible(0.95, REPETITIONS)[0]


def test_the_test_notices_an_interval_of_93_percent():
    covered = interval_coverage(
        lambda rng: rng.normal(size=20), lambda x: mean_interval(x, confidence=0.93), 0.0, REPETITIONS, seed=1
    )
    assert covered < plausible(0.95, REPETITIONS)[0]


@pytest.mark.parametrize("n", [2, 5, 30])
def test_students_interval_is_exact_for_normal_scores(n):
    covered = interval_coverage(lambda rng: rng.normal(size=n), mean_interval, 0.0, REPETITIONS, seed=n)
    least, most = plausible(0.95, REPETITIONS)
    assert least <= covered <= most


@pytest.mark.parametrize(("n", "mass", "least"), [(100, 0.1, 0.90), (500, 0.1, 0.93), (50, 0.5, 0.93), (20, 0.1, 0.87)])
def test_tail_means_cover_as_documented_for_normal_scores(n, mass, least):
    truth = -stats.norm.pdf(stats.norm.ppf(mass)) / mass
    covered = interval_coverage(
        lambda rng: rng.normal(size=n), lambda x: tail_mean_interval(x, mass=mass, tail="lower"), truth, REPETITIONS, n
    )
    assert least <= covered <= 0.96


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_of_the_mean_covers_as_documented(method):
    """2,000 repetitions: one costs 10 ms."""
    resampler = np.random.default_rng(9)
    covered = interval_coverage(
        lambda rng: rng.normal(size=50),
        lambda x: bootstrap_interval(x, np.mean, rng=resampler, method=method, n_resamples=500),
        0.0,
        2000,
        seed=5,
    )
    assert 0.915 <= covered <= 0.97


@pytest.mark.parametrize("sizes", [[5] * 20, [2, 8] * 10])
def test_variance_components_cover_for_normal_effects(sizes):
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    repetitions, rng = 5000, np.random.default_rng(11)
    held = np.zeros(3)
    for _ in range(repetitions):
        x = 2.0 * rng.normal(size=len(sizes))[clusters] + rng.normal(size=clusters.size)
        c = variance_components(x, clusters)
        held += [not c.between.excludes(4.0), not c.within.excludes(1.0), not c.correlation.excludes(0.8)]
    assert np.all(held / repetitions >= plausible(0.95, repetitions)[0] - 0.01)
    assert np.all(held / repetitions <= 0.99)
