"""Guaranteed intervals of bounded scores: laws, refusals, exact expectations, and coverage as a claim."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from simulate import plausible

from ogive.errors import InputError
from ogive.statistics import _betting as betting
from ogive.statistics import (
    band,
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_difference,
    bounded_tail_mean_interval,
    guaranteed_improvement,
)

RNG = np.random.default_rng(5)
A, B = np.round(RNG.beta(9, 1, 220), 3), np.round(RNG.random(230), 3)
UNIT = (0.0, 1.0)


def tail(x, bounds=UNIT, **more):
    return bounded_tail_mean_interval(x, mass=0.5, tail="lower", bounds=bounds, **more)


def tail_gap(x, y, bounds=UNIT, **more):
    return bounded_tail_mean_difference(x, y, mass=0.5, tail="lower", bounds=bounds, **more)


def paired(x, y, bounds=UNIT, **more):
    return bounded_mean_difference(x[:100], y[:100], bounds, paired=True, **more)


def unpaired(x, y, bounds=UNIT, **more):
    return bounded_mean_difference(x, y, bounds, paired=False, **more)


def ends(interval):
    return np.array([interval.low, interval.estimate, interval.high])


ONE, TWO = [bounded_mean_interval, tail], [paired, unpaired, tail_gap]


# What the guarantee rests on, without simulation


@pytest.mark.parametrize("mean", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("error", [0.025, 5e-5])
def test_wealth_against_the_true_mean_has_expectation_one(mean, error):
    """Added up over all numbers of ones among 25 tosses of a coin."""
    wealth = [
        math.exp(betting._Bets(np.repeat([0.0, 1.0], [25 - k, k]), error, idle=0.2).log_wealth(mean)) for k in range(26)
    ]
    assert_allclose(np.dot(stats.binom.pmf(range(26), 25, mean), wealth), 1.0, rtol=1e-9)


@pytest.mark.parametrize("scores", [A, B, np.full(40, 0.3), (B > 0.9) * 1.0])
def test_wealth_falls_with_the_mean(scores):
    bets = betting._Bets(scores, 0.025)
    wealth = [bets.log_wealth(m) for m in np.linspace(0.001, 0.999, 400)]
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(wealth))


@pytest.mark.parametrize("n", [20, 25])
def test_each_side_errs_no_more_than_allowed_on_coins(n):
    """Exact: all numbers of ones, over a grid of true shares."""
    found = [ends(bounded_mean_interval(np.repeat([0.0, 1.0], [n - k, k]), UNIT)) for k in range(n + 1)]
    lows, _, highs = np.array(found).T
    for p in np.linspace(0.005, 0.995, 199):
        mass = stats.binom.pmf(range(n + 1), n, p)
        assert mass[lows > p].sum() <= 0.025
        assert mass[highs < p].sum() <= 0.025


def test_that_exact_error_notices_a_limit_that_is_too_tight():
    """Markov's inequality leaves room: limits at ten times the error are too tight."""
    n = 25
    lows = [bounded_mean_interval(np.repeat([0.0, 1.0], [n - k, k]), UNIT, confidence=0.5).low for k in range(n + 1)]
    worst = max(stats.binom.pmf(range(n + 1), n, p)[np.array(lows) > p].sum() for p in np.linspace(0.005, 0.995, 199))
    assert worst > 0.025


@pytest.mark.parametrize(("m", "n"), [(2, 2), (3, 2), (2, 4)])
def test_wealth_averaged_over_pairings_has_expectation_one(m, n, monkeypatch):
    """Over all samples of three tied values, for two different distributions."""
    p, q = np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.1, 0.5])
    theta = sum(p[i] * q[j] * ((i > j) + 0.5 * (i == j)) for i in range(3) for j in range(3))
    asked = []
    monkeypatch.setattr(betting, "_lowest_mean", lambda wealth, limit: asked.append(wealth(theta)) or 0.0)
    expected = 0.0
    for x in itertools.product(range(3), repeat=m):
        for y in itertools.product(range(3), repeat=n):
            betting._least_wins(np.array(x, float), np.array(y, float), 0.025)
            expected += p[list(x)].prod() * q[list(y)].prod() * math.exp(asked.pop())
    assert_allclose(expected, 1.0, rtol=1e-9)


@pytest.mark.parametrize("n", [5, 40])
def test_the_geometric_mean_over_pairings_is_never_above_the_average(n, monkeypatch):
    x, y = np.round(RNG.normal(0.5, 1, n), 1), np.round(RNG.normal(size=n + 3), 1)
    exact = guaranteed_improvement(x, y)
    monkeypatch.setattr(betting, "MOST_PAIRED", 0)
    bound = guaranteed_improvement(x, y)
    assert bound.low <= exact.low
    assert exact.high <= bound.high


@pytest.mark.parametrize(("n", "above"), [(100, 50), (1000, 100), (60, 40)])
@pytest.mark.parametrize("error", [0.475, 0.025, 0.00025, 5e-6])
def test_cells_of_the_tails_share_spend_the_error(n, above, error):
    cuts, log_allowed = betting._share_cells(n, above, error)
    held = stats.beta(above + 1, n - above).cdf(cuts)
    spent = np.dot(np.diff(held, prepend=0.0), np.exp(log_allowed)) + 1.0 - held[-1]
    assert 0.98 * error <= spent <= error * (1 + 1e-9)
    assert np.all(np.diff(cuts) > 0)


def test_the_limit_of_two_means_leaves_out_only_where_the_wealths_multiply_to_the_limit():
    """No pair of means with a smaller sum keeps the product of wealths below the limit."""
    x, y, error = A[:40], B[:40], 0.025
    smallest = betting._smallest_sum(x, y, error)
    first, second = (betting._Bets(v, error, idle=betting._IDLE) for v in (x, y))
    for u in np.linspace(0.001, 0.999, 300):
        v = smallest - u - 1e-9
        if 0.001 < v < 0.999:
            assert first.log_wealth(u) + second.log_wealth(v) >= math.log(1 / error)
    sums = [u + second.lowest(math.log(1 / error) - first.log_wealth(u)) for u in np.linspace(0.001, 0.999, 2000)]
    assert smallest >= min(sums) - 0.05 * (x.mean() + y.mean() - min(sums))


# Laws


@pytest.mark.parametrize("of", ONE)
@pytest.mark.parametrize("x", [A, B])
def test_one_sample_does_not_depend_on_order_and_follows_units_and_mirrors(of, x):
    found = ends(of(x, UNIT))
    assert np.array_equal(found, ends(of(RNG.permutation(x), UNIT)))
    assert_allclose(ends(of(20 + 300 * x, (20.0, 320.0))), 20 + 300 * found, rtol=1e-9)
    if of is bounded_mean_interval:
        assert_allclose(ends(of(1 - x, UNIT)), 1 - found[::-1], rtol=1e-9)
    else:
        mirrored = bounded_tail_mean_interval(1 - x, mass=0.5, tail="upper", bounds=UNIT)
        assert_allclose(ends(mirrored), 1 - found[::-1], rtol=1e-9)


@pytest.mark.parametrize("of", TWO)
def test_two_samples_do_not_depend_on_order_and_follow_units_and_swaps(of):
    found = ends(of(A, B))
    p = RNG.permutation(100)
    shuffled = of(A[:100][p], B[:100][p]) if of is paired else of(RNG.permutation(A), RNG.permutation(B))
    assert_allclose(ends(shuffled), found, rtol=1e-12)
    assert_allclose(ends(of(B, A)), -found[::-1], rtol=1e-9)
    assert_allclose(ends(of(5 + 3 * A, 5 + 3 * B, (5.0, 8.0))), 3 * found, rtol=1e-9, atol=1e-9)
    if of is not tail_gap:
        assert_allclose(ends(of(1 - A, 1 - B)), -found[::-1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("x", "y"), [(A, B), (np.round(A, 1), np.round(B, 1)), (A[:7], A[7:14]), ([1, 1, 0], [0, 1])])
def test_improvement_does_not_depend_on_order_and_is_mirrored(x, y):
    x, y = np.asarray(x, float), np.asarray(y, float)
    found = ends(guaranteed_improvement(x, y))
    assert np.array_equal(found, ends(guaranteed_improvement(RNG.permutation(x), RNG.permutation(y))))
    assert np.array_equal(found, ends(guaranteed_improvement(np.exp(8 * x), np.exp(8 * y))))
    assert_allclose(ends(guaranteed_improvement(y, x)), 1 - found[::-1], rtol=0, atol=1e-15)
    assert_allclose(ends(guaranteed_improvement(-x, -y)), 1 - found[::-1], rtol=1e-9)


@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.95, 0.9999, 1 - 1e-9])
def test_intervals_hold_their_estimate_and_grow_with_confidence(confidence):
    more = 1 - (1 - confidence) / 2
    for of in (*ONE, *TWO, lambda x, y, confidence: guaranteed_improvement(x, y, confidence=confidence)):
        samples = (A,) if of in ONE else (A, B)
        arguments = (*samples, UNIT) if of is bounded_mean_interval else samples
        one, wider = (of(*arguments, confidence=c) for c in (confidence, more))
        assert wider.low <= one.low <= one.estimate <= one.high <= wider.high
        assert one.guarantee == "conservative"
        assert one.confidence == confidence


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_equal_scores_leave_room_for_others(value):
    i = bounded_mean_interval(np.full(50, value), UNIT)
    assert i.low < value or value == 0.0
    assert i.high > value or value == 1.0
    assert 0.0 <= i.low <= i.estimate <= i.high <= 1.0
    t = bounded_tail_mean_interval(np.full(300, value), mass=0.5, tail="lower", bounds=UNIT)
    assert 0.0 <= t.low <= t.estimate <= t.high <= 1.0


# Which method, and refusals


@pytest.mark.parametrize(("n", "method"), [(1, "exact band"), (19, "exact band"), (20, "betting"), (500, "betting")])
def test_the_number_of_scores_alone_chooses_between_band_and_betting(n, method):
    i = bounded_mean_interval(RNG.random(n), UNIT)
    assert (i.method, i.n) == (method, n)
    pairs = bounded_mean_difference(RNG.random(n), RNG.random(n), UNIT, paired=True)
    assert pairs.method == method


def test_below_twenty_scores_it_is_the_band():
    x, y = A[:10], B[:10]
    assert ends(bounded_mean_interval(x, UNIT)).tolist() == ends(band(x).mean(UNIT)).tolist()
    pairs = bounded_mean_difference(x, y, UNIT, paired=True)
    assert ends(pairs).tolist() == ends(band(x - y).mean((-1.0, 1.0))).tolist()
    two = bounded_mean_difference(x, B, UNIT, paired=False)
    i, j = bounded_mean_interval(x, UNIT, confidence=0.975), bounded_mean_interval(B, UNIT, confidence=0.975)
    assert (two.low, two.high, two.method) == (i.low - j.high, i.high - j.low, "betting and exact band")


@pytest.mark.parametrize(("n", "mass", "method"), [(199, 0.5, "exact band"), (200, 0.5, "betting"), (999, 0.1, "exact band"), (1000, 0.1, "betting"), (150, 0.9, "exact band"), (150, 1.0, "betting")])  # fmt: skip
def test_the_size_of_the_tail_alone_chooses_between_band_and_betting(n, mass, method):
    i = bounded_tail_mean_interval(RNG.random(n), mass=mass, tail="upper", bounds=UNIT)
    assert i.method == method


@pytest.mark.parametrize("bounds", [(None, None), (0, None), (None, 1), (-math.inf, 1)])
def test_missing_bounds_are_refused(bounds):
    with pytest.raises(InputError, match="two finite"):
        bounded_mean_interval(A, bounds)
    with pytest.raises(InputError, match="two finite"):
        bounded_mean_difference(A, B, bounds, paired=False)
    with pytest.raises(InputError, match="two finite"):
        tail(A, bounds)


def test_scores_outside_the_bounds_are_refused():
    for call in (lambda: bounded_mean_interval(A, (0, 0.9)), lambda: paired(A, 2 * B), lambda: unpaired(A - 1, B)):
        with pytest.raises(InputError, match="every score"):
            call()
    with pytest.raises(InputError, match="as many scores"):
        bounded_mean_difference(A, B, UNIT, paired=True)


def test_failed_runs_may_count_as_infinitely_bad():
    i = guaranteed_improvement([*A, -math.inf], B)
    assert i.low < guaranteed_improvement([*A, 2.0], B).low


def test_betting_is_narrower_than_the_band():
    for x, factor in ((RNG.random(1000), 1.35), (RNG.beta(9, 1, 1000), 1.7), (RNG.random(50), 1.2)):
        i, wide = bounded_mean_interval(x, UNIT), band(x).mean(UNIT)
        assert wide.high - wide.low > factor * (i.high - i.low)
    x = RNG.beta(9, 1, 1000)
    i, wide = tail(x), band(x).cvar(mass=0.5, tail="lower", bounds=UNIT)
    assert wide.high - wide.low > 1.5 * (i.high - i.low)


# Coverage as a claim


def collapse(rate):
    return lambda rng, n: np.where(rng.random(n) < rate, 0.0, rng.uniform(0.89, 0.91, n))


DRAWS = {
    "uniform": (lambda rng, n: rng.random(n), 0.5),
    "Bernoulli .5": (lambda rng, n: rng.integers(0, 2, n).astype(float), 0.5),
    "Bernoulli .9": (lambda rng, n: (rng.random(n) < 0.9).astype(float), 0.9),
    "Bernoulli .98": (lambda rng, n: (rng.random(n) < 0.98).astype(float), 0.98),
    "2 % collapse": (collapse(0.02), 0.98 * 0.9),
    "10 % collapse": (collapse(0.1), 0.9 * 0.9),
    "Binomial(10, .7)": (lambda rng, n: rng.binomial(10, 0.7, n) / 10, 0.7),
    "constant": (lambda rng, n: np.full(n, 0.7), 0.7),
}
# Mean of the lower half of each.
HALVES = {
    "uniform": 0.25,
    "Bernoulli .9": 0.8,
    "2 % collapse": (0.02 * 0.0 + 0.48 * (0.89 + 0.02 * 0.48 / 0.98 / 2)) / 0.5,
    "Binomial(10, .7)": (
        np.dot(np.arange(7), stats.binom(10, 0.7).pmf(range(7))) + 7 * (0.5 - stats.binom(10, 0.7).cdf(6))
    )
    / 5,
}


def misses(draw, interval, value, repetitions, seed):
    """How often the low and the high end lie beyond the value."""
    rng = np.random.default_rng(seed)
    found = np.zeros(2)
    for _ in range(repetitions):
        i = interval(draw(rng))
        found += [i.low > value + 1e-12, i.high < value - 1e-12]
    return found / repetitions


def holds(found, repetitions):
    return 1 - found.sum() >= plausible(0.95, repetitions)[0] and 1 - found.max() >= plausible(0.975, repetitions)[0]


@pytest.mark.statistical
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("n", [10, 25, 100])
def test_means_hold_their_confidence_on_both_sides(name, n):
    draw, mean = DRAWS[name]
    found = misses(lambda rng: draw(rng, n), lambda x: bounded_mean_interval(x, UNIT), mean, 20_000, n)
    assert holds(found, 20_000)


@pytest.mark.statistical
@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("n", [200, 400])
def test_tail_means_hold_their_confidence_on_both_sides(name, n):
    """2,000 repetitions at n = 400, which takes the same path as n = 200."""
    repetitions = 20_000 if n == 200 else 2000
    found = misses(lambda rng: DRAWS[name][0](rng, n), tail, HALVES[name], repetitions, n)
    assert holds(found, repetitions)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "names", [("uniform", "Bernoulli .5"), ("Bernoulli .9", "10 % collapse"), ("2 % collapse",) * 2]
)
@pytest.mark.parametrize(("m", "n"), [(25, 25), (20, 100)])
def test_differences_of_means_hold_their_confidence_on_both_sides(names, m, n):
    """2,000 repetitions: one costs more than 5 ms."""
    (x, mu), (y, nu) = (DRAWS[name] for name in names)
    draw = lambda rng: (x(rng, m), y(rng, n))  # noqa: E731
    assert holds(misses(draw, lambda pair: unpaired(*pair), mu - nu, 2000, m), 2000)


@pytest.mark.statistical
@pytest.mark.parametrize(
    "names", [("uniform", "Bernoulli .5"), ("Bernoulli .9", "10 % collapse"), ("2 % collapse",) * 2]
)
def test_differences_of_pairs_hold_their_confidence_on_both_sides(names):
    (x, mu), (y, nu) = (DRAWS[name] for name in names)
    draw = lambda rng: (x(rng, 25), y(rng, 25))  # noqa: E731
    found = misses(draw, lambda p: bounded_mean_difference(*p, UNIT, paired=True), mu - nu, 20_000, 1)
    assert holds(found, 20_000)


@pytest.mark.statistical
@pytest.mark.parametrize(("m", "n"), [(5, 5), (10, 40), (30, 30)])
@pytest.mark.parametrize("theta", [0.5, 0.9])
def test_improvement_holds_its_confidence_on_both_sides(theta, m, n):
    shift = stats.norm.ppf(theta) * math.sqrt(2)
    draw = lambda rng: (rng.normal(shift, 1, m), rng.normal(size=n))  # noqa: E731
    assert holds(misses(draw, lambda p: guaranteed_improvement(*p), theta, 20_000, m), 20_000)


@pytest.mark.statistical
def test_improvement_holds_its_confidence_with_unequal_spread_and_ties():
    draw = lambda rng: (np.where(rng.random(10) < 0.5, 2.0, 0.0), np.ones(60))  # noqa: E731
    assert holds(misses(draw, lambda p: guaranteed_improvement(*p), 0.5, 20_000, 1), 20_000)
    lattice = lambda rng: (rng.integers(0, 3, 20), rng.integers(0, 3, 20))  # noqa: E731
    assert holds(misses(lattice, lambda p: guaranteed_improvement(*p), 0.5, 20_000, 2), 20_000)


def halved(i):
    from dataclasses import replace

    return replace(i, low=(i.low + i.estimate) / 2, high=(i.high + i.estimate) / 2)


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["uniform", "Bernoulli .9", "2 % collapse"])
def test_the_coverage_test_notices_intervals_of_half_the_width(name):
    draw, mean = DRAWS[name]
    found = misses(lambda rng: draw(rng, 100), lambda x: halved(bounded_mean_interval(x, UNIT)), mean, 2000, 1)
    assert not holds(found, 2000)
