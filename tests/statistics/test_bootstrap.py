"""The bootstrap against scipy's, and its rules for small and flat samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from ogive.errors import InputError
from ogive.statistics import Assumption, bootstrap_interval, ecdf, interquartile_mean, standard_deviation
from ogive.statistics._bootstrap import interquartile_means, standard_deviations

SAMPLES = {
    "two": [3.0, 1.0],
    "three": [3.0, 1.0, 2.0],
    "ties": [1.0, 2.0, 2.0, 2.0, 5.0, 1.0, 2.0],
    "large and close": list(1e6 + np.random.default_rng(7).random(30)),
    **{f"{n} skewed": list(np.random.default_rng(n).gamma(2.0, size=n)) for n in (4, 5, 10, 41)},
}
QUICK = [(interquartile_mean, interquartile_means), (standard_deviation, standard_deviations)]


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


@pytest.mark.parametrize("sample", list(SAMPLES))
@pytest.mark.parametrize(("statistic", "leave_one_out"), QUICK)
def test_leaving_out_all_at_once_equals_leaving_out_one_after_the_other(sample, statistic, leave_one_out):
    x = np.array(SAMPLES[sample])
    slow = [statistic(np.delete(x, i)) for i in range(x.size)]
    assert_allclose(leave_one_out(x), slow, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("sample", list(SAMPLES))
def test_the_interquartile_mean_is_that_of_the_step_function(sample):
    x = np.array(SAMPLES[sample])
    assert_allclose(interquartile_mean(x), ecdf(x).iqm(), rtol=1e-13)


@pytest.mark.parametrize("n", range(1, 60))
def test_the_interquartile_mean_of_equal_scores_is_their_value(n):
    assert interquartile_mean(np.full(n, 0.7)) == 0.7


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize("statistic", [statistic for statistic, _ in QUICK])
def test_the_quick_jackknife_gives_the_interval_of_the_slow_one(n, statistic):
    x = np.random.default_rng(n).gamma(2.0, size=n)
    slow, quick = (
        bootstrap_interval(x, asked, rng=np.random.default_rng(1), n_resamples=300)
        for asked in (lambda v: statistic(v), statistic)
    )
    assert_allclose((quick.low, quick.high), (slow.low, slow.high), rtol=1e-9)


def test_the_quick_jackknife_asks_for_the_statistic_of_resamples_only():
    asked = []
    x = np.random.default_rng(0).normal(size=50)
    bootstrap_interval(
        x, lambda v: asked.append(v.size) or float(v.mean()), rng=np.random.default_rng(1), n_resamples=100,
        leave_one_out=lambda v: (v.sum() - v) / (v.size - 1),
    )  # fmt: skip
    assert asked == [50] * 101


def test_a_statistic_may_be_an_object_without_a_hash():
    class Mean:
        __hash__ = None

        def __eq__(self, other):
            return NotImplemented

        def __call__(self, values):
            return values.mean(axis=-1)

    scores = np.random.default_rng(0).normal(size=20)
    found, same = (
        bootstrap_interval(scores, f, rng=np.random.default_rng(1)) for f in (Mean(), lambda v: v.mean(axis=-1))
    )
    assert found == same


def test_clusters_are_left_out_as_a_whole_also_where_a_quick_jackknife_is_given():
    x, clusters = np.random.default_rng(5).gamma(2.0, size=40), np.repeat(np.arange(20), 2)
    slow, given = (
        bootstrap_interval(x, interquartile_mean, rng=np.random.default_rng(1), clusters=clusters, n_resamples=200, leave_one_out=way)
        for way in (None, interquartile_means)
    )  # fmt: skip
    assert given == slow


@pytest.mark.parametrize("n", [2, 9])
def test_few_units_make_the_interval_heuristic(n):
    few = bootstrap_interval(np.arange(float(n)), np.mean, rng=np.random.default_rng(0))
    enough = bootstrap_interval(np.arange(10.0), np.mean, rng=np.random.default_rng(0))
    assert (few.guarantee, enough.guarantee) == ("heuristic", "approximate")
    assert Assumption.FEW_UNITS in few.assumptions


def test_too_few_resamples_for_a_confidence_are_said():
    x, rng = np.random.default_rng(0).normal(size=30), np.random.default_rng(1)
    extreme = bootstrap_interval(x, np.mean, rng=rng, confidence=0.9999)
    assert extreme.guarantee == "heuristic"
    assert Assumption.FEW_RESAMPLES in extreme.assumptions
    assert Assumption.FEW_RESAMPLES in bootstrap_interval(x, np.mean, rng=rng, n_resamples=199).assumptions
    assert Assumption.FEW_RESAMPLES not in bootstrap_interval(x, np.mean, rng=rng, n_resamples=200).assumptions


@pytest.mark.parametrize("n_resamples", [0, -5, 2, 150.5])
def test_impossible_numbers_of_resamples_are_refused(n_resamples):
    with pytest.raises(InputError, match="n_resamples"):
        bootstrap_interval([1.0, 2.0], np.mean, rng=np.random.default_rng(0), n_resamples=n_resamples)


@pytest.mark.parametrize(
    ("statistic", "says"),
    [
        (lambda x: np.nan, "finite number for the scores"),
        (lambda x: None, "one number"),
        (lambda x: 1.0 if np.unique(x).size == x.size else np.nan, "for every resample"),
    ],
)
def test_a_statistic_that_gives_no_number_is_refused(statistic, says):
    with pytest.raises(InputError, match=says):
        bootstrap_interval([1.0, 2.0, 4.0], statistic, rng=np.random.default_rng(0))
