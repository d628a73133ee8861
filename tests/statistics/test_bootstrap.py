"""The bootstrap against scipy's, and its rules for small and flat samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from ogive.errors import InputError
from ogive.statistics import bootstrap_interval


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("statistic", [np.mean, np.median, np.std])
def test_intervals_equal_scipys_up_to_resampling(ours, theirs, statistic):
    x = np.random.default_rng(0).gamma(2.0, size=60)
    found = bootstrap_interval(x, statistic, rng=np.random.default_rng(1), method=ours, n_resamples=8000)
    expected = stats.bootstrap(
        (x,), statistic, method=theirs, n_resamples=8000, rng=np.random.default_rng(2)
    ).confidence_interval
    width = expected.high - expected.low
    assert_allclose((found.low, found.high), (expected.low, expected.high), atol=0.06 * width)


def test_the_same_stream_gives_the_same_interval():
    x = np.random.default_rng(0).normal(size=30)
    first, second = (bootstrap_interval(x, np.mean, rng=np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert first != bootstrap_interval(x, np.mean, rng=np.random.default_rng(4))


def test_clusters_are_drawn_as_a_whole():
    rng = np.random.default_rng(5)
    x, clusters = np.repeat(rng.normal(size=15), 8), np.repeat(np.arange(15), 8)
    whole = bootstrap_interval(x, np.mean, rng=rng, clusters=clusters)
    rows = bootstrap_interval(x, np.mean, rng=rng)
    assert whole.n == 15
    assert (whole.high - whole.low) > 2 * (rows.high - rows.low)


@pytest.mark.parametrize("scores", [[1.0], [1.0, 1.0, 1.0]])
def test_scores_without_spread_give_an_infinite_interval_not_a_point(scores):
    i = bootstrap_interval(scores, np.mean, rng=np.random.default_rng(0))
    assert (i.low, i.high) == (-np.inf, np.inf)


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError):
        bootstrap_interval([1.0, 2.0], np.mean, rng=np.random.default_rng(0), method="basic")
