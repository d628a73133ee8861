"""Two samples: enumerated and simulated coverage, hand-computed cases, separation, ties, tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from simulate import interval_coverage, plausible

from ogive.errors import InputError
from ogive.statistics import (
    Assumption,
    clopper_pearson,
    independent_improvement,
    mcnemar,
    mean_difference,
    mean_interval,
    paired_improvement,
    proportion_difference,
    quantile_difference,
    quantile_interval,
    tail_mean_difference,
    tail_mean_interval,
    win_shares,
)
from ogive.statistics._differences import newcombe_limits


def newcombe_interval(share, m, n, confidence):
    low, high = newcombe_limits(*(np.array([v], float) for v in (share, m, n, 0.5 + confidence / 2)))
    return float(low[0]), float(high[0])


scores = st.lists(st.integers(-3, 3), min_size=1, max_size=12)


@given(scores, scores)
def test_win_share_counts_all_pairs(x, y):
    expected = np.mean([(a > b) + 0.5 * (a == b) for a in x for b in y])
    assert_allclose(win_shares([np.array(x, float), np.array(y, float)])[0, 1], expected, atol=1e-12)


@given(scores, scores)
def test_independent_improvement_is_antisymmetric(x, y):
    forth, back = independent_improvement(x, y), independent_improvement(y, x)
    assert_allclose(
        (forth.low, forth.estimate, forth.high), (1 - back.high, 1 - back.estimate, 1 - back.low), atol=1e-7
    )


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100])
def test_separated_samples_never_give_a_point(n):
    a, b = np.arange(n) + 100.0, np.arange(n) + 0.0
    for i in (independent_improvement(a, b), paired_improvement(a, b)):
        assert (i.estimate, i.high) == (1.0, 1.0)
        assert i.low < 1.0


@pytest.mark.parametrize(("family", "needed"), [(1, 6), (10, 9), (80, 12)])
def test_paired_improvement_can_reach_a_level_from_the_known_number_of_pairs(family, needed):
    def reaches(n):
        return paired_improvement(np.ones(n), np.zeros(n), confidence=1 - 0.05 / family).low > 0.5

    assert reaches(needed)
    assert not reaches(needed - 1)


def test_what_the_exact_test_of_pairs_sees_the_interval_sees_at_any_error():
    """14 wins, none lost and 6 ties: the exact p-value is 1.2e-4."""
    a, b = np.r_[np.ones(14), np.zeros(6)], np.zeros(20)
    for error in (0.05, 1e-3, 1.5e-4):
        assert paired_improvement(a, b, confidence=1 - error).low > 0.5
        assert paired_improvement(b, a, confidence=1 - error).high < 0.5
    assert paired_improvement(a, b, confidence=1 - 1e-4).low <= 0.5


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [0.5, 0.65, 0.8, 0.92, 0.98])
@pytest.mark.parametrize("n", [5, 20, 100])
def test_newcombes_interval_covers_as_documented(n, theta):
    shift = stats.norm.ppf(theta) * math.sqrt(2)
    covered = interval_coverage(
        lambda rng: (rng.normal(shift, 1, n), rng.normal(size=n)),
        lambda pair: independent_improvement(*pair), theta, 5000, seed=n,
    )  # fmt: skip
    assert covered >= plausible(0.95, 5000)[0]


@pytest.mark.statistical
@pytest.mark.parametrize("theta", [0.5, 0.7, 0.85, 0.95])
@pytest.mark.parametrize("spread", [3, 100])
@pytest.mark.parametrize(("m", "n"), [(10, 10), (20, 20), (100, 100), (10, 100), (20, 200), (10, 50)])
def test_newcombes_interval_with_placements_covers_unequal_spreads(m, n, spread, theta):
    shift = stats.norm.ppf(theta) * math.hypot(spread, 1)
    covered = interval_coverage(
        lambda rng: (rng.normal(shift, spread, m), rng.normal(size=n)),
        lambda pair: independent_improvement(*pair), theta, 4000, seed=m + n,
    )  # fmt: skip
    assert covered >= plausible(0.94, 4000)[0]


@pytest.mark.statistical
def test_newcombes_interval_alone_would_cover_too_rarely_with_unequal_spreads():
    rng, covered = np.random.default_rng(4), 0
    for _ in range(4000):
        share = win_shares([rng.normal(0, 100, 10), rng.normal(size=100)])[0, 1]
        low, high = newcombe_interval(share, 10, 100, 0.95)
        covered += low <= 0.5 <= high
    assert covered / 4000 < 0.75


def test_the_sample_with_the_larger_spread_decides_how_sure_a_comparison_is():
    """Against scores that are almost the same, a share of pairs is a share of runs: nine of ten lie above."""
    wide, narrow = np.append(np.arange(1.0, 10.0), -1.0), 1e-3 * np.linspace(-1, 1, 100)
    few, many = independent_improvement(wide, narrow), independent_improvement(wide, narrow[::10])
    assert few.low < 0.55
    assert_allclose(few.low, many.low, atol=1e-6)
    alone = newcombe_interval(0.9, 10, 100, 0.95)
    assert few.low < alone[0]
    assert few.high >= alone[1]


def test_one_run_decides_nothing_against_any_number():
    assert independent_improvement([100.0], np.arange(99.0)).low < 0.5


@pytest.mark.parametrize("confidence", [1e-9, 1e-6, 0.01, 1 - 1e-9])
def test_an_interval_of_improvement_exists_at_any_confidence(confidence):
    x = np.arange(9.0)
    for y in (x + 0.1, x + 100.0, x - 100.0):
        i = independent_improvement(x, y, confidence=confidence)
        assert 0.0 <= i.low <= i.estimate <= i.high <= 1.0


def test_paired_and_independent_improvement_are_different_questions():
    rng = np.random.default_rng(0)
    draw = 10 * rng.normal(size=400)
    a, b = draw + 0.3 + 0.05 * rng.normal(size=400), draw + 0.05 * rng.normal(size=400)
    assert paired_improvement(a, b).low > 0.98
    assert independent_improvement(a, b).high < 0.6


def test_clusters_with_the_same_share_of_wins_count_as_one_pair_each_and_say_so():
    i = paired_improvement([1, 0] * 3, [0, 1] * 3, clusters=list("aabbcc"))
    assert (i.estimate, i.n, i.guarantee) == (0.5, 3, "heuristic")
    assert all("cluster" in said for said in i.assumptions)
    assert (i.low, i.high) == (clopper_pearson(1, 3, 0.95)[0], clopper_pearson(2, 3, 0.95)[1])


def test_equal_shares_of_clusters_add_to_whole_pairs_but_for_rounding():
    i = paired_improvement([1, 0, 0] * 6, [0.5] * 18, clusters=np.repeat(np.arange(6), 3))
    assert (i.low, i.high) == clopper_pearson(2, 6, 0.95)


def test_mean_differences_are_the_wider_of_scipys_two():
    rng, wider = np.random.default_rng(1), set()
    for scale in (2.0, 0.1):
        a, b = rng.normal(1, scale, 15), rng.normal(0, 1, 25)
        both = [stats.ttest_ind(a, b, equal_var=equal).confidence_interval() for equal in (False, True)]
        i = mean_difference(a, b, paired=False)
        assert_allclose((i.low, i.high), (min(c.low for c in both), max(c.high for c in both)))
        wider.add(both[0].high > both[1].high)
    assert wider == {True, False}  # each is the wider one once
    i, expected = mean_difference(a, b[:15], paired=True), mean_interval(a - b[:15])
    assert_allclose((i.low, i.high), (expected.low, expected.high))


def test_a_guaranteed_quantile_difference_holds_both_intervals():
    a, b = np.random.default_rng(2).normal(size=(2, 60))
    i, x, y = (
        quantile_difference(a, b, 0.5, guaranteed=True),
        *(quantile_interval(s, 0.5, confidence=0.975) for s in (a, b)),
    )
    assert (i.low, i.high) == (x.low - y.high, x.high - y.low)
    assert i.guarantee == "conservative"


def test_a_quantile_difference_puts_two_intervals_together_as_standard_errors():
    a, b = np.random.default_rng(2).normal(size=(2, 60))
    i, x, y = quantile_difference(a, b, 0.5), *(quantile_interval(s, 0.5) for s in (a, b))
    assert_allclose(i.low, i.estimate - math.hypot(x.estimate - x.low, y.high - y.estimate))
    assert_allclose(i.high, i.estimate + math.hypot(x.high - x.estimate, y.estimate - y.low))
    assert i.guarantee == "approximate"


def test_a_quantile_that_has_failed_for_certain_lies_below_one_that_has_not():
    failed, fine = [-math.inf] * 38 + [1.0] * 2, list(range(40))
    for guaranteed in (False, True):
        i = quantile_difference(failed, fine, 0.5, guaranteed=guaranteed)
        assert (i.estimate, i.low, i.high) == (-math.inf, -math.inf, -math.inf)
        back = quantile_difference(fine, failed, 0.5, guaranteed=guaranteed)
        assert (back.low, back.high) == (math.inf, math.inf)


def test_a_difference_of_two_failed_quantiles_is_undefined_and_unbounded():
    failed = [-math.inf] * 30 + [1.0] * 2
    i = quantile_difference(failed, failed, 0.5)
    assert math.isnan(i.estimate)
    assert (i.low, i.high) == (-math.inf, math.inf)
    assert Assumption.UNDEFINED in i.assumptions
    assert i.to_dict()["estimate"] is None


def test_a_side_where_both_quantiles_may_have_failed_is_unbounded():
    mostly, rarely = [-math.inf] * 14 + [1.0] * 16, [-math.inf] * 10 + list(range(20))
    i = quantile_difference(mostly, rarely, 0.5)
    assert i.estimate == -3.5
    assert (i.low, i.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("size", [1e-85, 1e-160, 1e-300, 1e85, 1e300])
def test_the_difference_of_means_does_not_depend_on_the_size_of_the_scores(size):
    a, b = np.random.default_rng(5).normal(size=(2, 15))
    expected, i = mean_difference(a, b[:9], paired=False), mean_difference(size * a, size * b[:9], paired=False)
    assert_allclose((i.low / size, i.high / size), (expected.low, expected.high))


def test_a_small_spread_beside_large_equal_scores_still_gives_an_interval():
    i = mean_difference(np.ones(9), 1e-90 * np.arange(9.0), paired=False)
    assert i.estimate == 1.0
    assert math.isfinite(i.high)


@pytest.mark.parametrize("paired", [True, False])
def test_rounding_is_not_taken_for_spread(paired):
    i = mean_difference([0.1 + 0.2] * 9 + [0.3], [0.3] * 10, paired=paired)
    assert (i.low, i.high) == (-math.inf, math.inf)
    assert (Assumption.EQUAL_PAIRS if paired else Assumption.EQUAL_SCORES) in i.assumptions


def test_pairs_that_all_differ_by_the_same_amount_show_no_spread():
    b = np.random.default_rng(6).normal(size=12)
    assert np.ptp(b + 0.01 - b) > 0.0
    assert math.isinf(mean_difference(b + 0.01, b, paired=True).high)


@pytest.mark.statistical
@pytest.mark.parametrize(("p", "q", "agree"), [(0.7, 0.7, 0.5), (0.9, 0.8, 0.9), (0.5, 0.3, 0.0)])
@pytest.mark.parametrize("n", [20, 100])
def test_proportion_difference_covers_nearly(p, q, agree, n):
    def draw(rng):
        u = rng.random(n)
        v = np.where(rng.random(n) < agree, u, rng.random(n))
        return (u < p).astype(float), (v < q).astype(float)

    covered = interval_coverage(draw, lambda pair: proportion_difference(*pair), p - q, 5000, seed=n)
    assert covered >= 0.935


def test_mcnemar_is_the_sign_test_of_discordant_items():
    a, b = np.array([1, 1, 1, 1, 1, 0, 1, 0]), np.array([0, 0, 0, 0, 1, 0, 0, 1])
    assert_allclose(mcnemar(a, b), stats.binomtest(5, 6).pvalue)
    assert mcnemar([1, 0], [1, 0]) == 1.0


def test_items_that_agree_everywhere_still_leave_an_interval():
    i = proportion_difference([1, 1, 1, 0], [1, 1, 1, 0])
    assert i.low < 0.0 < i.high


@pytest.mark.parametrize("call", [
    lambda: paired_improvement([1, 2], [1]),
    lambda: independent_improvement([], [1]),
    lambda: paired_improvement([1, 2], [1, 1], clusters=[1, 1], guaranteed=True),
    lambda: mean_difference([1, 2], [1, 2], paired=True, test_share=0.0),
    lambda: quantile_difference([1, 2], [1, 2], [0.1, 0.9]),
    lambda: proportion_difference([0.5], [1]),
    lambda: mean_difference([1, 2], [1, 2], paired=False, clusters=[1, 1]),
])  # fmt: skip
def test_bad_input_is_refused(call):
    with pytest.raises(InputError):
        call()


RNG = np.random.default_rng(3)
DRAWS = {
    "normal": lambda rng, n: rng.normal(size=(2, n)),
    "exponential": lambda rng, n: rng.exponential(size=(2, n)),
    "exponential, long tail": lambda rng, n: -rng.exponential(size=(2, n)),
    "uniform": lambda rng, n: rng.random((2, n)),
    "Binomial(30, .7)": lambda rng, n: rng.binomial(30, 0.7, (2, n)).astype(float),
}


def difference(a, b, mass=0.1, paired=False, **more):
    return tail_mean_difference(a, b, mass=mass, tail="lower", paired=paired, **more)


def test_equal_samples_have_no_difference():
    a = RNG.normal(size=60)
    i = difference(a, a[::-1], mass=0.2)
    assert i.estimate == 0.0
    assert i.low < 0.0 < i.high


def test_degrees_of_freedom_are_the_runs_in_the_tails_less_one():
    """By hand, from the terms q - (q - z)+ / mass: the wider of Welch's and the pooled interval with the tails' counts."""
    a, b, mass = RNG.normal(size=60), RNG.exponential(size=90), 0.2
    terms = [q - np.maximum(q - z, 0) / mass for z, q in ((a, np.sort(a)[11]), (b, np.sort(b)[17]))]
    u, v = (t.var(ddof=1) / t.size for t in terms)
    df = (u + v) ** 2 / (u**2 / 11 + v**2 / 17)
    welch = stats.t.ppf(0.975, df) * math.sqrt(u + v)
    shared = (59 * terms[0].var(ddof=1) + 89 * terms[1].var(ddof=1)) / 148
    pooled = stats.t.ppf(0.975, 28) * math.sqrt(shared * (1 / 60 + 1 / 90))
    i, swapped = difference(a, b, mass), difference(b, a, mass)
    assert_allclose(i.high - i.estimate, max(welch, pooled))
    assert_allclose((i.low, i.high), (-swapped.high, -swapped.low))
    pairs = difference(a, b[:60], mass, paired=True)
    cut = np.sort(b[:60])[11]
    gaps = terms[0] - (cut - np.maximum(cut - b[:60], 0) / mass)
    assert_allclose(pairs.high - pairs.estimate, stats.t.ppf(0.975, 11) * gaps.std(ddof=1) / math.sqrt(60))


def test_against_a_constant_it_is_the_interval_of_one_sample():
    a = RNG.normal(size=50)
    i, one = difference(a, np.full(50, 2.0), paired=True), tail_mean_interval(a, mass=0.1, tail="lower")
    assert_allclose((i.low + 2.0, i.high + 2.0), (one.low, one.high))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(("n", "label"), [(20, "heuristic"), (190, "heuristic"), (191, "approximate"), (400, "approximate")])  # fmt: skip
def test_fewer_than_twenty_runs_in_a_tail_are_called_heuristic(paired, n, label):
    i = difference(*RNG.normal(size=(2, n)), paired=paired)
    assert i.guarantee == label
    assert (Assumption.SHORT_TAIL in i.assumptions) == (label == "heuristic")


@pytest.mark.parametrize(("n", "label"), [(49, "heuristic"), (50, "approximate")])
def test_fewer_than_fifty_runs_are_called_heuristic_whatever_the_tail_holds(n, label):
    i = difference(*RNG.normal(size=(2, n)), mass=0.5)
    assert i.guarantee == label
    assert (Assumption.SCARCE_TAIL in i.assumptions) == (label == "heuristic")
    assert Assumption.SHORT_TAIL not in i.assumptions


def test_the_shorter_of_two_tails_decides_the_label():
    assert difference(RNG.normal(size=400), RNG.normal(size=40)).guarantee == "heuristic"


@pytest.mark.parametrize("paired", [True, False])
def test_one_run_in_a_tail_sets_no_limits(paired):
    i = difference(np.arange(10.0), np.arange(10.0) - 5.0, paired=paired)
    assert (i.estimate, i.low, i.high) == (5.0, -math.inf, math.inf)
    assert Assumption.ONE_SCORE in i.assumptions
    assert i.guarantee == "heuristic"


@pytest.mark.parametrize("paired", [True, False])
def test_tails_without_spread_set_no_limits(paired):
    a, b = np.maximum(np.arange(40.0), 12.0), np.maximum(np.arange(40.0), 9.0)
    i = difference(a, b, paired=paired)
    assert i.estimate == pytest.approx(3.0)
    assert math.isinf(i.high)
    assert Assumption.EQUAL_TAIL in i.assumptions


def test_rounding_in_a_tail_is_not_taken_for_spread():
    a = np.where(np.arange(40) < 2, 0.3, 0.1 + 0.2)
    assert math.isinf(difference(a, np.full(40, 0.3)).high)
    assert math.isinf(tail_mean_interval(a, mass=0.1, tail="lower").low)
    b = RNG.normal(size=40)
    assert math.isinf(difference(b + 0.1, b, paired=True).high)


@pytest.mark.statistical
@pytest.mark.parametrize(("draw", "paired"), [*((name, False) for name in DRAWS), ("normal", True)])
@pytest.mark.parametrize("mass", [0.1, 0.25])
@pytest.mark.parametrize("n", [20, 40, 100])
def test_equal_methods_are_seldom_told_apart_by_their_tails(n, mass, draw, paired):
    """0.05 is asked for; at most 0.075 is had. 4,000 samples have a standard error of 0.004."""
    held = interval_coverage(
        lambda rng: DRAWS[draw](rng, n), lambda pair: difference(*pair, mass, paired), 0.0, 4000, seed=n
    )
    assert 1.0 - held <= 0.075 + 4 * 0.004


@pytest.mark.statistical
def test_long_tails_hold_their_confidence():
    held = interval_coverage(lambda rng: rng.normal(size=(2, 400)), lambda pair: difference(*pair), 0.0, 4000, seed=4)
    assert 0.935 <= held <= 0.965
