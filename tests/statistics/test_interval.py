"""Intervals: order statistics, Clopper-Pearson, Student, enumerated where that is possible; many at once; assumptions."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ogive.answers._summary import Sample, interval_of, intervals_of
from ogive.errors import InputError, InvalidConfidence, InvalidScores
from ogive.metric import Metric
from ogive.statistics import (
    Assumption,
    Interval,
    Statistic,
    can_sum,
    clopper_pearson,
    exceedance,
    mean_interval,
    order_statistic_ranks,
    quantile_interval,
    tail_mean_interval,
)

probabilities = st.floats(0.001, 0.999)


@given(st.integers(1, 400), probabilities, st.sampled_from([0.8, 0.95, 0.99]))
def test_order_statistics_are_the_tightest_that_err_by_half_on_each_side(n, p, confidence):
    below, above = order_statistic_ranks(n, p, confidence)
    error = (1 - confidence) / 2
    assert stats.binom.cdf(below - 1, n, p) <= error + 1e-12
    assert stats.binom.cdf(below, n, p) > error - 1e-12
    assert stats.binom.sf(above - 1, n, p) <= error + 1e-12
    assert above == 0 or stats.binom.sf(above - 2, n, p) > error - 1e-12


@pytest.mark.parametrize(("p", "needed"), [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368)])
def test_both_sides_exist_from_the_known_number_of_scores(p, needed):
    def exist(n):
        i = quantile_interval(np.arange(n), p)
        return np.isfinite(i.low) and np.isfinite(i.high)

    assert exist(needed)
    assert not exist(needed - 1)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), probabilities)
def test_quantile_interval_contains_its_estimate(values, p):
    i = quantile_interval(values, p)
    assert i.low <= i.estimate <= i.high


def test_quantile_interval_takes_failures_as_infinities():
    i = quantile_interval([-np.inf, -np.inf, *range(1, 30)], 0.1)
    assert i.low == -np.inf
    assert i.estimate == 2.0
    with pytest.raises(InvalidScores):
        quantile_interval([np.nan, 1.0], 0.5)


@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_clopper_pearson_covers_every_probability(n, confidence):
    limits = [clopper_pearson(k, n, confidence) for k in range(n + 1)]
    p = np.linspace(0.0005, 0.9995, 1000)
    covered = sum(stats.binom.pmf(k, n, p) * ((low <= p) & (p <= high)) for k, (low, high) in enumerate(limits))
    assert np.all(covered >= confidence - 1e-9)


def test_clopper_pearson_equals_scipys():
    for k, n in ((0, 5), (3, 10), (10, 10), (231, 1000)):
        expected = stats.binomtest(k, n).proportion_ci(0.9)
        assert_allclose(clopper_pearson(k, n, 0.9), (expected.low, expected.high), atol=1e-12)


def test_exceedance_counts_scores_from_the_threshold_on():
    i = exceedance([0.1, 0.5, 0.5, 0.9], 0.5)
    assert i.estimate == 0.75
    assert (i.guarantee, i.n) == ("conservative", 4)


def test_mean_interval_is_students():
    x = np.random.default_rng(0).normal(size=12)
    expected = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    i = mean_interval(x, confidence=0.9)
    assert_allclose((i.low, i.high), (expected.low, expected.high), atol=1e-12)


def test_mean_interval_of_clusters_is_that_of_their_means():
    x = np.random.default_rng(1).normal(size=(6, 4))
    i, expected = mean_interval(x.ravel(), clusters=np.repeat(np.arange(6), 4)), mean_interval(x.mean(axis=1))
    assert_allclose((i.estimate, i.low, i.high), (expected.estimate, expected.low, expected.high))
    assert i.n == 6


def test_folds_widen_the_mean_interval_as_nadeau_and_bengio_say():
    x = np.random.default_rng(2).normal(size=10)
    i = mean_interval(x, test_share=1 / 9)
    half = stats.t.ppf(0.975, 9) * np.sqrt((1 / 10 + 1 / 9) * x.var(ddof=1))
    assert_allclose(i.high - i.estimate, half)
    assert i.guarantee == "heuristic"


@pytest.mark.parametrize("interval", [mean_interval, lambda x: tail_mean_interval(x, mass=0.5, tail="lower")])
@pytest.mark.parametrize("scores", [[0.5], [0.5, 0.5, 0.5]])
def test_scores_without_spread_give_an_infinite_interval_not_a_point(interval, scores):
    i = interval(scores)
    assert (i.estimate, i.low, i.high) == (0.5, -np.inf, np.inf)
    assert i.assumptions[-1] in (Assumption.ONE_SCORE, Assumption.EQUAL_SCORES)


def test_tail_mean_of_one_score_in_the_tail_has_only_the_limit_of_its_quantile():
    i = tail_mean_interval(np.arange(10.0), mass=0.1, tail="lower")
    assert (i.estimate, i.low, i.high, i.guarantee) == (0.0, -np.inf, 3.0, "heuristic")


@pytest.mark.parametrize("tail", ["lower", "upper"])
def test_the_mean_of_a_share_stays_beyond_the_limit_of_its_quantile(tail):
    x = np.random.default_rng(8).normal(900.0, 150.0, 15)
    found = tail_mean_interval(x, mass=0.1, tail=tail)
    quantile = quantile_interval(x, 0.1 if tail == "lower" else 0.9)
    inner = (found.high, quantile.high) if tail == "lower" else (found.low, quantile.low)
    assert inner[0] == inner[1]


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30), probabilities, st.floats(0.001, 0.999))
def test_a_tail_interval_holds_its_estimate(values, mass, confidence):
    i = tail_mean_interval(values, mass=mass, tail="lower", confidence=confidence)
    assert i.low < i.estimate <= i.high


def test_clusters_set_no_limit_to_the_mean_of_a_share_by_order_statistics():
    x = np.random.default_rng(8).normal(900.0, 150.0, 30)
    i = tail_mean_interval(x, mass=0.1, tail="lower", clusters=np.repeat(np.arange(15), 2))
    assert i.high - i.estimate == pytest.approx(i.estimate - i.low)


@pytest.mark.parametrize("mass", [0.1, 0.25, 0.5])
def test_tail_means_mirror(mass):
    x = np.random.default_rng(3).normal(size=50)
    upper, lower = tail_mean_interval(x, mass=mass, tail="upper"), tail_mean_interval(-x, mass=mass, tail="lower")
    assert_allclose((upper.low, upper.high), (-lower.high, -lower.low))


def test_tail_mean_of_everything_is_students_mean():
    x = np.random.default_rng(4).normal(size=30)
    i, expected = tail_mean_interval(x, mass=1.0, tail="upper"), mean_interval(x)
    assert_allclose((i.low, i.high), (expected.low, expected.high))


def test_an_interval_is_json_with_reasons_for_what_is_infinite():
    found = quantile_interval([1.0, 2.0], 0.5).to_dict()
    assert found["low"] is None
    assert "no bound" in found["reasons"]["low"]
    assert json.loads(json.dumps(found)) == found


def test_an_interval_excludes_what_lies_outside():
    i = Interval(estimate=1, low=0, high=2, confidence=0.9, method="m", guarantee="approximate", n=3)
    assert i.excludes(2.1)
    assert not i.excludes(2)
    assert str(i) == "1 [0, 2]"


def test_bad_arguments_are_refused():
    with pytest.raises(InvalidConfidence):
        mean_interval([1, 2], confidence=1.0)
    with pytest.raises(InputError):
        quantile_interval([1, 2], 1.5)
    with pytest.raises(InputError):
        mean_interval([1, 2], test_share=-1)
    with pytest.raises(InputError):
        mean_interval([1, 2], confidence="high")


def test_a_threshold_or_a_share_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="threshold"):
        exceedance([1, 2, 3], np.nan)
    with pytest.raises(InputError, match="test_share"):
        mean_interval([1, 2, 3], test_share=np.nan)


@pytest.mark.parametrize("arguments", [(5, 3, 0.95), (-1, 3, 0.95), (0, 0, 0.95), (1.5, 3, 0.95), (1, 3, 95)])
def test_impossible_counts_have_no_binomial_interval(arguments):
    with pytest.raises(InputError):
        clopper_pearson(*arguments)


def test_many_levels_at_once_are_refused():
    with pytest.raises(InputError, match="one number"):
        quantile_interval([1.0, 2.0], [0.5, 0.6])


@pytest.mark.parametrize("clusters", [None, [1, 1, 2, 2]])
def test_means_of_the_largest_scores_do_not_overflow(clusters):
    scores = np.array([1.0, 1.5, 1.7, 1.2])
    one, other = (mean_interval(scores * f, clusters=clusters) for f in (1.0, 1e308))
    assert_allclose((other.estimate, other.low), (one.estimate * 1e308, one.low * 1e308))
    lowest = tail_mean_interval(np.repeat(scores, 20) * 1e308, mass=0.5, tail="lower")
    assert_allclose(lowest.estimate, 1.1e308)


@pytest.mark.parametrize(
    ("guarantee", "word"),
    [
        ("exact", "guaranteed"),
        ("conservative", "guaranteed"),
        ("approximate", "approximate"),
        ("heuristic", "heuristic"),
    ],
)
def test_the_strength_of_an_interval_is_the_word_for_its_guarantee(guarantee, word):
    assert replace(quantile_interval(range(9), 0.5), guarantee=guarantee).strength == word


STATISTICS = ("mean", "median", "worst_0.1", "best_0.5", "q0.05", "q0.95", "best_of_8", "worst_of_2", "exceedance_0.5")  # fmt: skip
DRAWS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "lattice": lambda rng, n: rng.integers(0, 4, n) / 3.0,
    "right or wrong": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "constant": lambda rng, n: np.full(n, rng.integers(0, 3) * 0.1),
    "huge": lambda rng, n: rng.choice([1e308, -1e308, 1.0], n),
    "failures as infinity": lambda rng, n: np.where(rng.random(n) < 0.2, -np.inf, rng.normal(size=n)),
}


@pytest.mark.parametrize("bounds", [(None, None), (0.0, 1.0)])
@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("draw", DRAWS)
def test_intervals_made_together_are_those_made_one_by_one(draw, goal, bounds):
    rng = np.random.default_rng(5)
    metric = Metric(goal, bounds)
    samples = [
        Sample(DRAWS[draw](rng, n), None, metric, None, draw == "right or wrong")
        for n in (1, 2, 3, 7, 8, 9, 17, 20, 40, 129, 200)
        for _ in range(6)
    ]
    for name in STATISTICS:
        statistic = Statistic.parse(name)
        for sample, found in zip(samples, intervals_of(statistic, samples, 0.9, guaranteed=False), strict=True):
            if isinstance(found, InputError):
                with pytest.raises(InputError, match=re.escape(str(found))):
                    interval_of(statistic, sample, 0.9, guaranteed=False)
            else:
                assert found == interval_of(statistic, sample, 0.9, guaranteed=False), (name, sample.scores)


def test_cells_of_one_size_are_asked_together(monkeypatch):
    """600,000 intervals one by one took 50 s; what is asked of numpy must not grow with the number of cells."""
    import ogive
    from ogive.answers import _summary

    calls = []
    monkeypatch.setattr(_summary, "interval_of", lambda *a, **k: calls.append(a) or interval_of(*a, **k))
    rng = np.random.default_rng(0)
    trials = ogive.read({f"m{i}": {f"t{j}": rng.random(3).tolist() for j in range(10)} for i in range(10)}, unit="row")
    found = ogive.summarize(trials)
    assert len(found.rows) == 600
    assert not calls


def test_what_cannot_be_summed_is_left_to_itself():
    assert can_sum(np.array([[1.0, 2.0], [np.inf, 1.0], [1e308, 1.0]])).tolist() == [True, False, False]


@pytest.mark.parametrize("assumption", list(Assumption))
def test_every_assumption_has_words_of_its_own(assumption):
    assert [a for a in Assumption if str(a) == str(assumption)] == [assumption]
    assert f"{assumption}" == assumption.value
    assert repr(assumption) == repr(assumption.value)
    assert not assumption.value.endswith(".")


def test_assumptions_of_an_interval_are_members_and_json():
    found = mean_interval([1.0, 1.0, 1.0])
    assert found.assumptions == (Assumption.INDEPENDENT, Assumption.EQUAL_SCORES)
    held = json.loads(json.dumps(found.to_dict()))["assumptions"]
    assert tuple(map(Assumption, held)) == found.assumptions


def test_equal_scores_are_silent_and_few_scores_are_not():
    assert Assumption.EQUAL_TAIL.is_silent
    assert not Assumption.SHORT_TAIL.is_silent
