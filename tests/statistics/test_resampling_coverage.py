"""Coverage of aggregates over fixed tasks, of improvement, and of random tasks, by simulation.

All these methods are approximate: what is tested is the coverage that their docstrings state.
8,000 repetitions for the IQM of the smallest designs, 2,500 elsewhere; 1,000 resamples each, whose
own noise in the standard error (2 %) is part of what is measured.
"""

import numpy as np
import pytest
from scipy.special import ndtri
from simulate import plausible

from ogive.statistics import aggregate, improvement_over_tasks, profile_counts
from ogive.statistics._resampling import pool, resample

pytestmark = pytest.mark.statistical

N_RESAMPLES = 1000
REPETITIONS = 2500
DESIGNS = [(3, 5), (5, 5), (3, 26), (20, 5)]
SPREAD = 0.5


def true_iqm(means, spreads, draws=400_000):
    """The IQM of a mixture of normals, from evenly spread quantiles of each."""
    z = ndtri((np.arange(draws) + 0.5) / draws)
    pooled = np.sort(np.concatenate([m + s * z for m, s in zip(means, spreads, strict=True)]))
    return float(pooled[pooled.size // 4 : 3 * pooled.size // 4].mean())


def repetitions_for(n_runs, n_tasks):
    return 8000 if n_runs * n_tasks < 50 else REPETITIONS


def coverage(interval, draw, truth, repetitions, seed=0):
    """How often `interval(scores, number)` holds the truth."""
    rng, covered = np.random.default_rng(seed), 0
    for r in range(repetitions):
        low, high = interval(draw(rng), r)
        covered += low <= truth <= high
    return covered / repetitions


def by_name(name, **choices):
    def interval(scores, seed):
        found = aggregate(scores, statistics=[name], n_resamples=N_RESAMPLES, seed=seed, **choices)[name]
        return found.low, found.high

    return interval


def percentile_iqm(scores, seed):
    """What the door refuses below ten runs."""
    found = resample(
        pool(list(scores.T)), levels=(0.25, 0.75), thresholds=(), task_means=False, random_tasks=False, seed=seed,
        n_resamples=N_RESAMPLES, threads=1,
    )  # fmt: skip
    return np.quantile(found.part_mean(0.25, 0.75)[:-1], [0.025, 0.975])


def normal_tasks(n_runs, n_tasks):
    means = np.linspace(0.0, 2.0, n_tasks)
    return means, lambda rng: rng.normal(means, SPREAD, size=(n_runs, n_tasks))


@pytest.mark.parametrize(("n_runs", "n_tasks"), DESIGNS)
def test_the_iqm_over_fixed_tasks_covers_as_documented(n_runs, n_tasks):
    means, draw = normal_tasks(n_runs, n_tasks)
    covered = coverage(by_name("iqm"), draw, true_iqm(means, [SPREAD] * n_tasks), repetitions_for(n_runs, n_tasks))
    assert 0.93 <= covered <= 0.96


@pytest.mark.parametrize(("n_runs", "n_tasks", "documented"), [(3, 5, 0.86), (5, 5, 0.90), (3, 26, 0.88)])
def test_the_percentile_interval_that_is_refused_would_cover_less(n_runs, n_tasks, documented):
    means, draw = normal_tasks(n_runs, n_tasks)
    covered = coverage(percentile_iqm, draw, true_iqm(means, [SPREAD] * n_tasks), REPETITIONS)
    assert abs(covered - documented) < 0.02


def test_the_test_notices_an_interval_of_90_percent():
    means, draw = normal_tasks(5, 5)
    covered = coverage(by_name("iqm", confidence=0.9), draw, true_iqm(means, [SPREAD] * 5), REPETITIONS)
    assert covered < 0.93


@pytest.mark.parametrize(("n_runs", "n_tasks"), DESIGNS)
def test_the_mean_over_fixed_tasks_covers_for_normal_scores(n_runs, n_tasks):
    _, draw = normal_tasks(n_runs, n_tasks)
    assert 0.935 <= coverage(by_name("mean"), draw, 1.0, REPETITIONS) <= 0.965


@pytest.mark.parametrize(("n_runs", "n_tasks"), DESIGNS)
def test_the_median_over_fixed_tasks_covers_at_least_its_confidence_nearly(n_runs, n_tasks):
    """One or two tasks decide, so few degrees of freedom: wide where runs are few."""
    _, draw = normal_tasks(n_runs, n_tasks)
    assert coverage(by_name("median"), draw, 1.0, REPETITIONS) >= 0.93


@pytest.mark.parametrize(("n_runs", "least"), [(3, 0.89), (5, 0.92)])
def test_spreads_that_differ_forty_fold_cover_as_documented(n_runs, least):
    means, spreads = np.linspace(0.0, 2.0, 5), np.geomspace(0.05, 2.0, 5)
    covered = coverage(
        by_name("iqm"), lambda rng: rng.normal(means, spreads, size=(n_runs, 5)), true_iqm(means, spreads), REPETITIONS
    )
    assert least <= covered <= 0.96


@pytest.mark.parametrize("sizes", [(2, 20, 3, 10, 2), (5, 10, 5, 10, 5), (2, 20)])
@pytest.mark.parametrize("name", ["iqm", "mean"])
def test_unequal_numbers_of_runs_cover(sizes, name):
    means = np.linspace(0.0, 2.0, len(sizes))
    truth = true_iqm(means, [SPREAD] * len(sizes)) if name == "iqm" else 1.0

    def draw(rng):
        return [rng.normal(mean, SPREAD, size=n) for mean, n in zip(means, sizes, strict=True)]

    assert coverage(by_name(name), draw, truth, REPETITIONS) >= 0.93


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_percentile_and_bca_cover_nearly_with_twenty_runs(method):
    means, draw = normal_tasks(20, 5)
    covered = coverage(by_name("iqm", method=method), draw, true_iqm(means, [SPREAD] * 5), REPETITIONS)
    assert 0.92 <= covered <= 0.96


@pytest.mark.parametrize("n_runs", [1, 3])
def test_random_tasks_cover_the_mean_of_all_tasks(n_runs):
    def draw(rng):
        return rng.normal(rng.normal(0.0, 1.0, size=15), SPREAD, size=(n_runs, 15))

    assert 0.94 <= coverage(by_name("mean", over="sample"), draw, 0.0, REPETITIONS) <= 0.98


@pytest.mark.parametrize("p", [0.5, 0.75, 0.92, 0.98])
@pytest.mark.parametrize(("n_tasks", "n_x", "n_y"), [(1, 5, 5), (1, 20, 20), (5, 3, 3), (5, 5, 20), (26, 3, 3)])
def test_improvement_covers_also_near_separation(n_tasks, n_x, n_y, p):
    shift = np.sqrt(2.0) * ndtri(p)

    def draw(rng):
        return rng.normal(shift, 1.0, size=(n_x, n_tasks)), rng.normal(0.0, 1.0, size=(n_y, n_tasks))

    def interval(pair, seed):
        found = improvement_over_tasks(*pair, n_resamples=400, seed=seed)
        return found.low, found.high

    assert coverage(interval, draw, p, REPETITIONS) >= 0.935


def test_improvement_covers_where_tasks_differ():
    p = np.linspace(0.05, 0.999, 8)

    def draw(rng):
        return rng.normal(np.sqrt(2.0) * ndtri(p), 1.0, size=(4, 8)), rng.normal(0.0, 1.0, size=(4, 8))

    def interval(pair, seed):
        found = improvement_over_tasks(*pair, n_resamples=400, seed=seed)
        return found.low, found.high

    assert coverage(interval, draw, p.mean(), REPETITIONS) >= 0.93


def near_0_and_1(n_tasks, p):
    return np.where(np.arange(n_tasks) % 2 == 0, p, 1.0 - p)


@pytest.mark.parametrize(("n_tasks", "n_runs"), [(5, 3), (7, 3), (10, 3), (5, 5), (26, 3)])
def test_improvement_covers_where_tasks_are_won_or_lost_for_certain(n_tasks, n_runs):
    p = near_0_and_1(n_tasks, 0.98)

    def draw(rng):
        shape = n_runs, n_tasks
        return rng.normal(np.sqrt(2.0) * ndtri(p), 1.0, size=shape), rng.normal(0.0, 1.0, size=shape)

    def interval(pair, seed):
        found = improvement_over_tasks(*pair, n_resamples=400, seed=seed)
        return found.low, found.high

    assert coverage(interval, draw, p.mean(), REPETITIONS) >= plausible(0.95, REPETITIONS)[0]


@pytest.mark.parametrize(("sizes", "p"), [
    ((10, 10, 13, 20, 11), (0.99, 0.99, 0.01, 0.01, 0.01)),
    ((10,) * 5, near_0_and_1(5, 0.98)),
    ((20,) * 5, near_0_and_1(5, 0.99)),
    ((50,) * 5, near_0_and_1(5, 0.99)),
    ((10,) * 5, near_0_and_1(5, 0.9)),
    ((20,) * 26, near_0_and_1(26, 0.98)),
])  # fmt: skip
def test_a_profile_covers_where_tasks_are_near_0_and_near_1(sizes, p):
    def draw(rng):
        return [(rng.random(n) < share).astype(float) for n, share in zip(sizes, p, strict=True)]

    def interval(scores, seed):
        found = profile_counts(scores, [0.5], n_resamples=400, seed=seed)
        return found.low[0] - 1e-12, found.high[0] + 1e-12

    assert coverage(interval, draw, np.mean(p), REPETITIONS) >= plausible(0.94, REPETITIONS)[0]
