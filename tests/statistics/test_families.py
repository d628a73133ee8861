"""Families of differences: every formula against a slow and obvious one, many at once against one at a time, laws."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

from ogive.statistics import (
    Asked,
    Draws,
    Interval,
    ListedDifferences,
    MixedDifferences,
    TaskRuns,
    clopper_pearson,
    criterion_value,
    differences_between,
    order_statistic_ranks,
    rank_limits,
    tiers,
    win_shares,
)
from ogive.statistics._families import root

ERROR = 0.05
KINDS = [("mean", math.nan), ("improvement", math.nan), ("iqm", math.nan), ("worst", 0.2), ("q", 0.5), ("q", 0.9)]


def apart(*samples):
    """One task, independent runs."""
    return TaskRuns(tuple(np.sort(np.asarray(s, float)) for s in samples))


def joined(table, clusters=None):
    """One task whose rows share draws; NaN where a method has none."""
    table = np.asarray(table, float)
    return TaskRuns(tuple(np.sort(row[~np.isnan(row)]) for row in table), (Draws(table, clusters),))


def asked_of(tasks, kind="mean", amount=math.nan, way=-1, first=0, second=1, **more):
    """The difference of one pair."""
    asked = Asked(kind=kind, amount=amount, **more)
    return differences_between(tasks, np.array([first]), np.array([second]), np.array([way]), asked)


def limits_of(tasks, kind="mean", amount=math.nan, way=-1, error=ERROR, **more):
    low, high = asked_of(tasks, kind, amount, way, **more).limits(error)
    return float(low[0]), float(high[0])


def all_pairs(tasks, way, kind, amount=math.nan, **more):
    first, second = np.triu_indices(len(tasks[0].scores), 1)
    return differences_between(tasks, first, second, np.full(first.size, way), Asked(kind=kind, amount=amount, **more))


def random_tables(rng, n_tasks=1, methods=4):
    """Tasks with runs of unequal number and unequal spread, some of them tied."""
    return [
        apart(*(np.round(rng.normal(0, 1 + m, rng.integers(3, 30)), int(rng.integers(0, 3))) for m in range(methods)))
        for _ in range(n_tasks)
    ]


# ---------------------------------------------------------------- one formula after the other


def test_means_of_independent_runs_have_the_wider_of_scipys_two_intervals():
    rng = np.random.default_rng(0)
    for _ in range(30):
        a, b = rng.normal(0, rng.choice([0.1, 1, 5]), rng.integers(2, 20)), rng.normal(size=rng.integers(2, 20))
        both = [stats.ttest_ind(a, b, equal_var=equal).confidence_interval(0.9) for equal in (False, True)]
        assert_allclose(
            limits_of([apart(a, b)], error=0.1), (min(c.low for c in both), max(c.high for c in both)), rtol=1e-9
        )


def test_means_of_pairs_have_scipys_interval():
    a, b = np.random.default_rng(1).normal(size=(2, 12))
    expected = stats.ttest_rel(a, b).confidence_interval()
    assert_allclose(limits_of([joined([a, b])], way=0), (expected.low, expected.high))


def test_splits_of_the_same_rows_have_the_corrected_variance():
    a, b = np.random.default_rng(2).normal(size=(2, 10))
    half = stats.t.ppf(0.975, 9) * math.sqrt((1 / 10 + 1 / 9) * np.var(a - b, ddof=1))
    assert_allclose(np.diff(limits_of([joined([a, b])], way=0, test_share=1 / 9)), 2 * half)


def test_clusters_of_pairs_count_as_their_means():
    rng = np.random.default_rng(3)
    a, b, codes = *rng.normal(size=(2, 30)), rng.permutation(np.repeat(np.arange(6), 5))
    means = [np.mean((a - b)[codes == c]) for c in range(6)]
    expected = stats.ttest_1samp(means, 0.0).confidence_interval()
    assert_allclose(limits_of([joined([a, b], codes)], way=0), (expected.low, expected.high))


def wilson_by_hand(p, n, z, corrected):
    """Newcombe (1998), methods 3 and 4 of a single proportion."""
    if not corrected:
        root = z * math.sqrt(z * z / 4 / n / n + p * (1 - p) / n)
        return (p + z * z / 2 / n - root) / (1 + z * z / n), (p + z * z / 2 / n + root) / (1 + z * z / n)
    q = 1 - p
    low = (2 * n * p + z * z - 1 - z * math.sqrt(max(0, z * z - 2 - 1 / n + 4 * p * (n * q + 1)))) / (2 * (n + z * z))
    high = (2 * n * p + z * z + 1 + z * math.sqrt(max(0, z * z + 2 - 1 / n + 4 * p * (n * q - 1)))) / (2 * (n + z * z))
    return 0.0 if p == 0 else max(0.0, low), 1.0 if p == 1 else min(1.0, high)


@pytest.mark.parametrize(("m", "n", "corrected"), [(49, 60, True), (50, 60, False), (4, 1000, True), (80, 70, False)])
def test_shares_of_independent_runs_have_newcombes_hybrid(m, n, corrected):
    z = stats.norm.ppf(0.975)
    for x, y in itertools.product((0, 1, m // 2, m - 1, m), (0, n // 3, n)):
        a, b, p, q = np.arange(m) < x, np.arange(n) < y, x / m, y / n
        (l1, u1), (l2, u2) = wilson_by_hand(p, m, z, corrected), wilson_by_hand(q, n, z, corrected)
        low, high = p - q - math.hypot(p - l1, u2 - q), p - q + math.hypot(u1 - p, q - l2)
        expected = (max(low, -1.0), min(high, 1.0))
        assert_allclose(limits_of([apart(a, b)], binary=True), expected, atol=1e-12)
        # A run that is right beats one that is wrong: half of it, beyond a half.
        assert_allclose(limits_of([apart(a, b)], "improvement", binary=True), 0.5 + np.array(expected) / 2, atol=1e-12)


def corners(wins, losses, n, confidence):
    """Limits of 1/2 + D (π - 1/2) over the corners of scipy's two exact intervals; D is known where no pair is tied."""
    differ = wins + losses
    pi = stats.binomtest(wins, differ).proportion_ci(confidence, "exact") if differ else (0.0, 1.0)
    share = stats.binomtest(differ, n).proportion_ci(confidence, "exact") if differ < n else (1.0, 1.0)
    found = [0.5 + d * (p - 0.5) for d in share for p in pi]
    return min(found), max(found)


def tango_by_hand(wins, losses, n, z):
    """Tango (1998): where the score is z, the likeliest share of losses found by looking for it."""

    def off(difference):
        def unlikely(q):
            return -(
                wins * np.log(q + difference)
                + losses * np.log(q)
                + (n - wins - losses) * np.log(1 - 2 * q - difference)
            )

        ends = max(0.0, -difference), (1.0 - difference) / 2
        q = optimize.minimize_scalar(unlikely, bounds=ends, method="bounded", options={"xatol": 1e-14}).x
        return (wins - losses - n * difference) / math.sqrt(n * (2 * q + difference * (1 - difference)))

    found = (wins - losses) / n
    return tuple(
        optimize.brentq(lambda d, side=side: off(d) - side * z, *ends)
        for side, ends in ((1, (-1 + 1e-9, found)), (-1, (found, 1 - 1e-9)))
    )


@pytest.mark.parametrize(("wins", "losses", "n"), [(79, 53, 400), (9, 1, 12), (3, 4, 11), (30, 15, 200), (2, 12, 60)])
def test_pairs_with_ties_have_the_limits_of_tangos_score(wins, losses, n):
    low, high = tango_by_hand(wins, losses, n, stats.norm.ppf(0.975))
    if stats.binomtest(wins, wins + losses).pvalue > 0.05:
        low, high = min(low, 0.0), max(high, 0.0)
    a = np.array([1.0] * wins + [0.0] * losses + [1.0] * (n - wins - losses))
    b = np.array([0.0] * wins + [1.0] * losses + [1.0] * (n - wins - losses))
    assert_allclose(limits_of([joined([a, b])], "mean", way=0, binary=True), (low, high), atol=1e-6)


def test_pairs_have_the_direction_of_mcnemars_test_and_without_ties_the_limits_of_the_wins():
    n, counts = 11, [(w, v) for w in range(12) for v in range(12 - w)]
    for w, v in counts:
        a = np.array([1.0] * w + [0.0] * v + [1.0] * (n - w - v))
        b = np.array([0.0] * w + [1.0] * v + [1.0] * (n - w - v))
        table = [joined([a, b])]
        low, high = limits_of(table, "improvement", way=0)
        if w + v == n:
            assert_allclose((low, high), corners(w, v, n, 0.95), atol=1e-12)
        assert_allclose(limits_of(table, "mean", way=0, binary=True), (2 * low - 1, 2 * high - 1), atol=1e-12)
        for error in (0.05, 0.01):
            low, high = limits_of(table, "improvement", way=0, error=error)
            p = stats.binomtest(w, w + v).pvalue if w + v else 1.0
            assert (low > 0.5 or high < 0.5) == (p <= error)


def test_guaranteed_limits_of_pairs_take_half_the_error_for_each_interval():
    a, b = np.array([1.0] * 9 + [0.0] + [1.0] * 2), np.array([0.0] * 9 + [1.0] * 3)
    assert_allclose(
        limits_of([joined([a, b])], "improvement", way=0, guaranteed=True), corners(9, 1, 12, 0.975), atol=1e-12
    )


@pytest.mark.parametrize("n", [8, 12, 30])
@pytest.mark.parametrize("guaranteed", [False, True])
def test_limits_of_pairs_cover_for_every_share_of_wins_and_ties(n, guaranteed):
    """Exactly, over the trinomial of wins, losses and ties; without a true difference they claim none too often."""
    w, v = (c.ravel() for c in np.mgrid[0 : n + 1, 0 : n + 1])
    w, v = w[w + v <= n], v[w + v <= n]
    table = np.zeros((w.size + 1, n))
    table[:-1] = (np.arange(n) < w[:, None]) * 1.0 - (np.arange(n) >= n - v[:, None]) * 1.0
    d = differences_between(
        [joined(table)], np.arange(w.size), np.full(w.size, w.size), np.zeros(w.size, int),
        Asked(kind="improvement", guaranteed=guaranteed),
    )  # fmt: skip
    low, high = d.limits(ERROR)
    for differ, share in itertools.product((0.02, 0.1, 0.3, 0.6, 0.9, 0.98, 1.0), np.linspace(0, 1, 21)):
        p = stats.multinomial.pmf(
            np.stack([w, v, n - w - v], axis=1), n, [differ * share, differ * (1 - share), 1 - differ]
        )
        theta = 0.5 + differ * (share - 0.5)
        assert p[(low <= theta + 1e-12) & (theta - 1e-12 <= high)].sum() >= (0.975 if guaranteed else 0.94)
        if share == 0.5:
            assert p[(low > 0.5) | (high < 0.5)].sum() <= ERROR


def placements_by_hand(a, b):
    """For each run of a the share of b's runs below it, ties half."""
    return np.array([np.mean([(x > y) + 0.5 * (x == y) for y in b]) for x in a])


def newcombe_by_hand(share, m, n, z):
    """Newcombe (2006), method 5, solved."""

    def off(theta):
        ratio = (1 - theta) / (2 - theta) + theta / (1 + theta)
        variance = theta * (1 - theta) / m / n * (1 + ((m + n) / 2 - 1) * ratio)
        return (theta - share) ** 2 - z * z * variance

    low = 0.0 if share == 0 else optimize.brentq(off, 0.0, share - 1e-12 if share == 1 else share)
    return low, 1.0 if share == 1 else optimize.brentq(off, share + 1e-12 if share == 0 else share, 1.0)


def score_by_hand(share, rho, quantile):
    def off(theta):
        return (theta - share) ** 2 - quantile**2 * rho * theta * (1 - theta)

    low = 0.0 if share == 0 else optimize.brentq(off, 0.0, share - 1e-12 if share == 1 else share)
    return low, 1.0 if share == 1 else optimize.brentq(off, share + 1e-12 if share == 0 else share, 1.0)


@pytest.mark.parametrize("seed", range(12))
def test_improvement_of_independent_runs_reaches_as_far_as_newcombe_and_the_placements(seed):
    rng = np.random.default_rng(seed)
    a, b = np.round(rng.normal(seed % 3, 1, rng.integers(4, 12)), 1), np.round(rng.normal(0, 3, rng.integers(4, 12)), 1)
    pa, pb = placements_by_hand(a, b), placements_by_hand(b, a)
    share, fewer = pa.mean(), min(a.size, b.size)
    assert_allclose(share, 1 - pb.mean())
    assert_allclose(win_shares([np.sort(a), np.sort(b)]), [[0.5, share], [1 - share, 0.5]], atol=1e-12)
    u, v = pa.var() / a.size, pb.var() / b.size
    df = (u + v) ** 2 / (u * u / (a.size - 1) + v * v / (b.size - 1)) if u + v else math.inf
    rho = (u + v + 0.2 / fewer**2) / (share * (1 - share) + 0.2 / fewer)
    one = score_by_hand(share, rho, stats.t.ppf(0.975, df))
    other = newcombe_by_hand(share, a.size, b.size, stats.norm.ppf(0.975))
    expected = [min(one[0], other[0]), max(one[1], other[1])]
    if 2 / math.comb(a.size + b.size, a.size) > ERROR:
        expected = [min(expected[0], 0.5), max(expected[1], 0.5)]
    assert_allclose(limits_of([apart(a, b)], "improvement"), expected, atol=1e-8)


def test_improvement_over_tasks_adds_the_placements_variances():
    rng = np.random.default_rng(5)
    tables = [(rng.normal(size=m), rng.normal(1, 2, n)) for m, n in ((4, 6), (5, 3), (9, 9))]
    shares, parts, added = [], [], []
    for a, b in tables:
        for x, y in ((a, b), (b, a)):
            parts.append((placements_by_hand(x, y).var(ddof=1) / x.size, x.size - 1))
        shares.append(placements_by_hand(a, b).mean())
        added.append(min(a.size, b.size))
    share, total = np.mean(shares), sum(v for v, _ in parts) / 9
    df = sum(v for v, _ in parts) ** 2 / sum(v * v / d for v, d in parts)
    pairs, width = 0.2 * np.mean([n**-2.0 for n in added]) / 3, 0.2 * np.mean([1 / n for n in added])
    rho = (total + pairs) / (share * (1 - share) + width)
    expected = score_by_hand(share, rho, stats.t.ppf(0.975, df))
    assert_allclose(limits_of([apart(a, b) for a, b in tables], "improvement"), expected, atol=1e-8)


@pytest.mark.parametrize(("n_tasks", "tells"), [(4, False), (5, False), (6, True)])
def test_single_runs_on_several_tasks_count_as_tosses(n_tasks, tells):
    """One run a method: winning on every task is what a fair coin does in 2^(1 - tasks) of tables."""
    tasks = [apart([1.0], [0.0])] * n_tasks
    assert_allclose(limits_of(tasks, "improvement"), clopper_pearson(n_tasks, n_tasks, 0.95))
    assert (limits_of(tasks, "improvement")[0] > 0.5) == tells
    assert math.isinf(limits_of(tasks, "mean")[1])


def test_runs_that_equal_methods_often_separate_decide_nothing_over_tasks_either():
    two = [apart([1.0, 2.0], [-1.0, -2.0])] * 2  # 2 / 36 of tables
    assert limits_of(two, "improvement")[0] == 0.5
    assert limits_of(two * 2, "improvement")[0] > 0.5


def order_statistics(sample, p, error):
    """Value and limits of a quantile, from the definition."""
    ordered, n = np.sort(sample), len(sample)
    below, above = order_statistic_ranks(n, p, 1 - error)
    return (
        np.quantile(sample, p, method="averaged_inverted_cdf"),
        ordered[below - 1] if below >= 1 else -math.inf,
        ordered[above - 1] if above <= n else math.inf,
    )


@pytest.mark.parametrize("level", [0.5, 0.2, 0.917])
def test_quantiles_recover_variances_from_order_statistics_over_tasks(level):
    rng = np.random.default_rng(6)
    tables = [(rng.normal(size=m), rng.exponential(size=n)) for m, n in ((60, 50), (45, 80))]
    below = above = gap = 0.0
    for a, b in tables:
        (qa, la, ua), (qb, lb, ub) = order_statistics(a, level, ERROR), order_statistics(b, level, ERROR)
        gap += (qa - qb) / 2
        below += ((qa - la) ** 2 + (ub - qb) ** 2) / 4
        above += ((ua - qa) ** 2 + (qb - lb) ** 2) / 4
    expected = gap - math.sqrt(below), gap + math.sqrt(above)
    assert_allclose(limits_of([apart(a, b) for a, b in tables], "q", level), expected)


def test_quantiles_of_pairs_that_move_against_each_other_are_wider_and_never_narrower():
    a = np.random.default_rng(7).normal(size=80)
    alone = limits_of([apart(a, -a)], "q", 0.5)
    against, along = limits_of([joined([a, -a])], "q", 0.5, way=0), limits_of([joined([a, a])], "q", 0.5, way=0)
    (q, low, _), (p, _, over) = order_statistics(a, 0.5, ERROR), order_statistics(-a, 0.5, ERROR)
    assert_allclose(against[0], q - p - (q - low) - (over - p), atol=0.02)  # correlation about -1: distances add up
    assert against[0] < alone[0]
    assert against[1] > alone[1]
    assert along == limits_of([apart(a, a)], "q", 0.5)


def test_medians_of_losses_are_the_losses_medians():
    """An even number of losses, turned round, keeps its median: the middle of two."""
    a, b = -np.array([1.0, 4.0, 50.0, 60.0]), -np.array([10.0, 40.0, 85.0, 90.0])
    assert asked_of([apart(a, b)], "q", 0.5).estimate[0] == np.median(a) - np.median(b) == 35.5
    assert criterion_value(np.sort(a), Asked(kind="q", amount=0.5)) == np.median(a)


@pytest.mark.parametrize("n", [4, 9, 10, 23, 40])
def test_interquartile_means_have_the_winsorized_variance(n):
    """Terms clipped at the quarters, as far from one end as from the other, with the degrees of the middle half."""
    rng, parts, values = np.random.default_rng(n), [], []
    samples = rng.normal(size=n), rng.exponential(size=n + 3)
    for s in samples:
        ordered, k = np.sort(s), math.ceil(s.size / 4)
        weights = np.clip(np.minimum(np.arange(1, s.size + 1) / s.size, 0.75) - np.maximum(np.arange(s.size) / s.size, 0.25), 0, 1)  # fmt: skip
        values.append(2 * weights @ ordered)
        parts.append((4 * np.clip(s, ordered[k - 1], ordered[-k]).var(ddof=1), s.size, math.ceil(s.size / 2) - 1))
    (u, m, d), (v, k, e) = parts
    welch = stats.t.ppf(0.975, (u / m + v / k) ** 2 / ((u / m) ** 2 / d + (v / k) ** 2 / e)) * math.sqrt(u / m + v / k)
    shared = ((m - 1) * u + (k - 1) * v) / (m + k - 2)
    pooled = stats.t.ppf(0.975, d + e) * math.sqrt(shared * (1 / m + 1 / k))
    gap, half = values[0] - values[1], max(welch, pooled)
    found = asked_of([apart(*samples)], "iqm")
    assert_allclose(found.limits(ERROR), [[gap - half], [gap + half]])
    assert found.guarantees == ("heuristic" if n < 10 else "approximate",)


def clustered_by_hand(shares, error=ERROR):
    """Wider of t and score t, and Clopper and Pearson's where at most five units dissent."""
    n, share = len(shares), np.mean(shares)
    deviation, quantile = np.std(shares, ddof=1) / math.sqrt(n), stats.t.ppf(1 - error / 2, n - 1)
    low, high = share - quantile * deviation, share + quantile * deviation
    if deviation > 1e-12:
        scored = score_by_hand(share, deviation**2 / share / (1 - share), quantile)
        low, high = min(low, scored[0]), max(high, scored[1])
    if deviation <= 1e-12 or min(share, 1 - share) * n <= 5:
        low = min(low, clopper_pearson(math.floor(share * n + 1e-9), n, 1 - error)[0])
        high = max(high, clopper_pearson(math.ceil(share * n - 1e-9), n, 1 - error)[1])
    return max(0.0, low), min(1.0, high)


@pytest.mark.parametrize("k", [3, 8, 25, 60])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.97])
def test_wins_within_clusters_vary_as_the_clusters_shares(k, p):
    rng = np.random.default_rng(k)
    codes = rng.permutation(np.repeat(np.arange(k), 4))
    a, b = (rng.random(4 * k) < p) * 1.0, np.full(4 * k, 0.5)
    shares = [np.mean(a[codes == c] > 0.5) for c in range(k)]
    found = asked_of([joined([a, b], codes)], "improvement", way=0)
    assert_allclose(np.ravel(found.limits(ERROR)), clustered_by_hand(shares), atol=1e-8)
    assert found.guarantees == ("heuristic" if k < 20 else "approximate",)
    assert found.n[0] == k


def test_tasks_that_are_a_sample_count_as_units():
    rng = np.random.default_rng(8)
    tables = [(rng.normal(rng.normal(), 1, 5), rng.normal(size=7)) for _ in range(9)]
    tasks = [apart(a, b) for a, b in tables]
    gaps = [a.mean() - b.mean() for a, b in tables]
    expected = stats.ttest_1samp(gaps, 0).confidence_interval()
    assert_allclose(limits_of(tasks, over="sample"), (expected.low, expected.high))
    shares = [placements_by_hand(a, b).mean() for a, b in tables]
    assert_allclose(limits_of(tasks, "improvement", over="sample"), clustered_by_hand(shares), atol=1e-8)
    medians = [np.sort(a)[2] - np.sort(b)[3] for a, b in tables]
    expected = stats.ttest_1samp(medians, 0).confidence_interval()
    assert_allclose(limits_of(tasks, "q", 0.5, over="sample"), (expected.low, expected.high))


def test_single_runs_on_sampled_tasks_are_pairs():
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 4, (2, 15))
    tasks = [apart([x], [y]) for x, y in zip(a, b, strict=True)]
    assert limits_of(tasks, "improvement", over="sample") == limits_of([joined([a, b])], "improvement", way=0)


def test_means_over_tasks_add_variances_and_satterthwaites_degrees():
    rng = np.random.default_rng(10)
    tables = [(rng.normal(0, s, m), rng.normal(size=n)) for s, m, n in ((1, 5, 9), (4, 3, 30), (0.1, 12, 4))]
    halves = []
    for equal in (False, True):
        found = [stats.ttest_ind(a, b, equal_var=equal) for a, b in tables]
        errors = [((a.mean() - b.mean()) / f.statistic) ** 2 for (a, b), f in zip(tables, found, strict=True)]
        df = sum(errors) ** 2 / sum(e * e / f.df for e, f in zip(errors, found, strict=True))
        halves.append(stats.t.ppf(0.975, df) * math.sqrt(sum(errors)) / 3)
    gap = np.mean([a.mean() - b.mean() for a, b in tables])
    expected = gap - max(halves), gap + max(halves)
    assert_allclose(limits_of([apart(a, b) for a, b in tables]), expected)


def test_pairs_over_tasks_add_variances_too():
    rng = np.random.default_rng(11)
    tables = [rng.normal(size=(2, n)) * s for n, s in ((6, 1.0), (20, 3.0))]
    errors = [(np.var(a - b, ddof=1) / a.size, a.size - 1) for a, b in tables]
    df = sum(e for e, _ in errors) ** 2 / sum(e * e / d for e, d in errors)
    half = stats.t.ppf(0.975, df) * math.sqrt(sum(e for e, _ in errors)) / 2
    gap = np.mean([np.mean(a - b) for a, b in tables])
    assert_allclose(limits_of([joined(t) for t in tables], way=0), (gap - half, gap + half))


def test_shares_over_tasks_count_the_fewest_runs_of_a_task():
    """Ten tasks, one of them with few runs: nothing that the others show says how hard that one is."""
    hard, easy = [1.0, 0.0, 1.0, 0.0, 1.0], np.ones(50)
    tasks = [apart(hard, hard)] + [apart(easy, easy)] * 9
    p, z = 0.96, stats.norm.ppf(0.975)
    low, high = wilson_by_hand(p, 50, z, False)
    expected = math.hypot(p - low, high - p)
    assert_allclose(limits_of(tasks, binary=True), (-expected, expected), atol=1e-12)
    table = [joined([task.scores[0], task.scores[1][::-1]]) for task in tasks]
    found = limits_of(table, "improvement", way=0)  # of 5 pairs on the hard task four differ: D = 0.08 of 50
    assert_allclose(found, 0.5 + np.array(tango_by_hand(2, 2, 50, z)) / 2, atol=1e-6)


# ---------------------------------------------------------------- many at once, and laws


def ways(rng, n_tasks):
    """(tasks, way) with independent runs, whole pairs, ragged pairs and clusters."""
    yield random_tables(rng, n_tasks), -1
    tables = [np.round(rng.normal(size=(4, 24)), 1) for _ in range(n_tasks)]
    yield [joined(t) for t in tables], 0
    ragged = [np.where(rng.random(t.shape) < 0.15, np.nan, t) for t in tables]
    yield [joined(t) for t in ragged], 0
    yield [joined(t, np.arange(24) // 3) for t in tables], 0
    yield [joined(t, np.arange(24) // 3) for t in ragged], 0


@pytest.mark.parametrize("over", ["fixed", "sample"])
@pytest.mark.parametrize("n_tasks", [1, 3])
@pytest.mark.parametrize(("kind", "amount"), KINDS)
def test_many_pairs_at_once_have_the_limits_of_one_at_a_time(kind, amount, n_tasks, over):
    errors = np.array([0.05, 0.01, 0.2, 0.05, 0.001, 0.5])
    for tasks, way in ways(np.random.default_rng(12), n_tasks):
        many = all_pairs(tasks, way, kind, amount, over=over)
        low, high = many.limits(errors)
        for i, (a, b) in enumerate(itertools.combinations(range(4), 2)):
            one = asked_of(tasks, kind, amount, way, a, b, over=over)
            expected = one.limits(float(errors[i]))
            assert_allclose((low[i : i + 1], high[i : i + 1]), expected, atol=1e-12)
            assert_allclose(many.take(np.array([i])).limits(float(errors[i])), expected, atol=1e-12)
            assert (many.estimate[i], many.n[i], many.guarantees[i]) == (one.estimate[0], one.n[0], one.guarantees[0])
            found = many.interval(i, 0.05)
            assert (found.estimate, found.n, found.confidence) == (one.estimate[0], one.n[0], 0.95)


@pytest.mark.parametrize("over", ["fixed", "sample"])
@pytest.mark.parametrize(("kind", "amount"), KINDS)
def test_what_a_third_method_scores_decides_nothing_about_two_others(kind, amount, over):
    for tasks, way in ways(np.random.default_rng(13), 2):
        expected = limits_of(tasks, kind, amount, way, over=over)
        diverged = [
            TaskRuns(
                (*t.scores[:3], t.scores[3] * 1e30),
                tuple(Draws(d.scores * np.array([[1], [1], [1], [1e30]]), d.clusters) for d in t.draws),
            )
            for t in tasks
        ]
        assert limits_of(diverged, kind, amount, way, over=over) == expected


@pytest.mark.parametrize("n_tasks", [1, 3])
@pytest.mark.parametrize("over", ["fixed", "sample"])
@pytest.mark.parametrize(("kind", "amount"), KINDS)
def test_swapped_methods_have_the_mirrored_interval(kind, amount, over, n_tasks):
    for tasks, way in ways(np.random.default_rng(14), n_tasks):
        forth = asked_of(tasks, kind, amount, way, 0, 1, over=over)
        back = asked_of(tasks, kind, amount, way, 1, 0, over=over)
        (low, high), (below, above), whole = forth.limits(ERROR), back.limits(ERROR), 2 * forth.even
        assert_allclose((low, high), (whole - above, whole - below), atol=1e-9)
        assert_allclose(forth.estimate, whole - back.estimate, atol=1e-12)


@pytest.mark.parametrize("n_tasks", [1, 3])
@pytest.mark.parametrize(("kind", "amount"), KINDS)
def test_order_of_draws_shift_and_scale_change_nothing(kind, amount, n_tasks):
    rng = np.random.default_rng(15)
    unit = 1.0 if kind == "improvement" else 4.0
    for tasks, way in ways(rng, n_tasks):
        expected = np.array(limits_of(tasks, kind, amount, way))
        order = rng.permutation(24)
        moved = [
            TaskRuns(
                tuple(np.sort(4.0 * s + 8.0) for s in t.scores),
                tuple(
                    Draws(4.0 * d.scores[:, order] + 8.0, None if d.clusters is None else d.clusters[order])
                    for d in t.draws
                ),
            )
            for t in tasks[::-1]
        ]
        assert_allclose(limits_of(moved, kind, amount, way), unit * expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", ["mean", "improvement", "iqm", "q"])
def test_negated_scores_have_the_negated_interval(kind):
    for tasks, way in ways(np.random.default_rng(16), 2):
        turned = [
            TaskRuns(tuple(-s[::-1] for s in t.scores), tuple(Draws(-d.scores, d.clusters) for d in t.draws))
            for t in tasks
        ]
        amount = 0.7 if kind == "q" else math.nan
        low, high = limits_of(tasks, kind, amount, way)
        below, above = limits_of(turned, kind, 1 - amount, way)
        whole = 1.0 if kind == "improvement" else 0.0
        assert_allclose((low, high), (whole - above, whole - below), atol=1e-9)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-85, 1e85, 1e160, 1e300])
@pytest.mark.parametrize("over", ["fixed", "sample"])
@pytest.mark.parametrize(("kind", "amount"), KINDS)
def test_the_size_of_scores_changes_nothing(kind, amount, over, size):
    for tasks, way in ways(np.random.default_rng(17), 2):
        scaled = [
            TaskRuns(tuple(size * s for s in t.scores), tuple(Draws(size * d.scores, d.clusters) for d in t.draws))
            for t in tasks
        ]
        unit = 1.0 if kind == "improvement" else size
        expected, found = (limits_of(which, kind, amount, way, over=over) for which in (tasks, scaled))
        assert_allclose(np.array(found) / unit, expected, rtol=1e-9)


def test_sums_of_the_largest_scores_do_not_overflow():
    a, b = np.array([1.6e308, 1.7e308, 1.5e308]), np.array([1.0e308, 1.1e308, 1.2e308])
    for way, task in ((-1, apart(a, b)), (0, joined([a, b]))):
        found = asked_of([task], way=way)
        assert_allclose(found.estimate, 5e307)
        assert_allclose(found.limits(0.5), np.array(asked_of([TaskRuns(tuple(s / 2**200 for s in task.scores), tuple(Draws(d.scores / 2**200) for d in task.draws))], way=way).limits(0.5)) * 2.0**200)  # fmt: skip


def test_a_small_spread_beside_a_large_one_is_not_lost():
    found = limits_of([apart(np.ones(9), 1e-90 * np.arange(9.0))])
    assert_allclose(found, 1.0)
    assert_allclose(
        np.array(limits_of([apart(np.zeros(9), 1e-90 * np.arange(9.0))])) * 1e90,
        limits_of([apart(np.zeros(9), np.arange(9.0))]),
    )


@pytest.mark.parametrize(("kind", "binary"), [("mean", False), ("mean", True), ("improvement", False)])
@pytest.mark.parametrize("clustered", [False, True])
def test_draws_that_one_method_lacks_are_left_out(kind, binary, clustered):
    rng = np.random.default_rng(18)
    table = (rng.random((3, 40)) < 0.6) * 1.0 if binary else rng.normal(size=(3, 40))
    table[rng.random((3, 40)) < 0.2] = np.nan
    codes = np.arange(40) // 2 if clustered else None
    both = ~np.isnan(table[0]) & ~np.isnan(table[1])
    kept = joined(table[:2, both], None if codes is None else codes[both])
    assert_allclose(
        limits_of([joined(table, codes)], kind, way=0, binary=binary), limits_of([kept], kind, way=0, binary=binary)
    )


@pytest.mark.parametrize("way", [-1, 0])
@pytest.mark.parametrize(("kind", "amount"), [k for k in KINDS if k[0] in ("mean", "iqm", "worst")])
def test_without_spread_there_are_no_limits(kind, amount, way):
    b = np.random.default_rng(19).normal(size=60)
    equal = joined([np.full(60, 2.0), np.full(60, 1.0)]) if way < 0 else joined([b + 0.1, b])
    single = joined([[1.0], [2.0]])
    for task in (equal, single):
        found = asked_of([task], kind, amount, way)
        assert [float(v[0]) for v in found.limits(ERROR)] == [-math.inf, math.inf]
        reasons = found.interval(0, ERROR).assumptions
        assert any("nothing" in reason for reason in reasons)
    assert asked_of([equal], kind, amount, way).interval(0, ERROR).assumptions != reasons


def test_pairs_of_several_kinds_keep_their_order_and_their_own_words():
    rng = np.random.default_rng(20)
    table, asked = rng.normal(size=(3, 20)), Asked(kind="mean")
    first, second, how = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0, -1, 0])
    mixed = differences_between([joined(table)], first, second, how, asked)
    assert isinstance(mixed, MixedDifferences)
    errors = np.array([0.05, 0.1, 0.02])
    low, high = mixed.limits(errors)
    for i in range(3):
        one = asked_of([joined(table)], way=how[i], first=first[i], second=second[i])
        assert_allclose([low[i : i + 1], high[i : i + 1]], one.limits(errors[i]))
        assert mixed.interval(i, 0.05) == one.interval(0, 0.05)
    assert mixed.take(np.array([2, 1])).interval(1, 0.05) == mixed.interval(1, 0.05)
    assert mixed.standardized(rng, 10) is None


def test_differences_made_one_by_one_keep_their_own_limits():
    def make(i, confidence):
        return Interval(
            estimate=float(i), low=i - confidence, high=i + confidence, confidence=confidence, method="",
            guarantee="conservative", n=1,
        )  # fmt: skip

    listed = ListedDifferences(
        estimate=np.arange(3.0), even=0.0, n=np.ones(3, int), method="", guarantees=("conservative",) * 3, make=make,
        index=np.arange(3),
    )  # fmt: skip
    low, high = listed.take(np.array([2, 0])).limits(np.array([0.1, 0.2]))
    assert_allclose((low, high), ([2 - 0.9, -0.8], [2.9, 0.8]))


# ---------------------------------------------------------------- all at once


def resampled(rng, table, statistic, together, n=4000):
    """Estimates of all pairs in resampled tables, in units of their own deviations."""
    size, first, second = table.shape[1], *np.triu_indices(len(table), 1)
    found = []
    for _ in range(n):
        rows = rng.integers(0, size, size if together else table.shape)
        found.append(statistic(table[:, rows] if together else np.take_along_axis(table, rows, axis=1)))
    found = np.array(found)
    found = found[:, first] - found[:, second] if found.ndim == 2 else found[:, first, second]
    return np.corrcoef(found.T)


@pytest.mark.parametrize("way", [-1, 0])
def test_joint_draws_of_means_have_unit_variance_and_the_correlations_of_resampled_tables(way):
    rng = np.random.default_rng(21)
    table = rng.normal(size=(4, 200)) + rng.normal(size=200) * np.array([[0], [1], [2], [2]])
    drawn = all_pairs([joined(table)], way, "mean").standardized(rng, 40_000)
    assert_allclose(drawn.std(axis=0), 1.0, atol=0.02)
    assert_allclose(drawn.mean(axis=0), 0.0, atol=0.03)
    expected = resampled(rng, table, lambda t: t.mean(axis=1), together=way == 0)
    assert_allclose(np.corrcoef(drawn.T), expected, atol=0.08)


def test_joint_draws_of_improvement_have_unit_variance_and_the_correlations_of_resampled_tables():
    rng = np.random.default_rng(22)
    table = rng.normal([[0], [0], [1], [3]], [[1], [3], [1], [1]], size=(4, 150))
    drawn = all_pairs([apart(*table)], -1, "improvement").standardized(rng, 40_000)
    assert_allclose(drawn.std(axis=0), 1.0, atol=0.02)
    expected = resampled(rng, table, lambda t: win_shares([np.sort(row) for row in t]), together=False, n=2000)
    assert_allclose(np.corrcoef(drawn.T), expected, atol=0.1)


def test_joint_draws_of_others_are_the_same_beside_a_method_that_diverged():
    rng = np.random.default_rng(23)
    table = rng.normal(size=(4, 50))
    table[1] += table[0]
    diverged = table * np.array([[1], [1], [1], [1e30]])
    others = [0, 1, 3]  # pairs without the last method
    for way in (-1, 0):
        one, other = (
            all_pairs([joined(t)], way, "mean").standardized(np.random.default_rng(1), 50)[:, others]
            for t in (table, diverged)
        )
        assert_allclose(one, other, atol=1e-9)


def test_joint_draws_exist_from_thirty_runs_on_and_not_for_gaps_clusters_or_one_pair():
    rng = np.random.default_rng(24)
    table = rng.normal(size=(3, 30))
    ragged = table.copy()
    ragged[0, 0] = np.nan
    cases = [
        (joined(table), True), (joined(table[:, :29]), False), (joined(ragged), False),
        (joined(table, np.arange(30)), False), (joined(table[:2]), False),
    ]  # fmt: skip
    for task, there in cases:
        assert (all_pairs([task], 0, "mean").standardized(rng, 5) is not None) == there
    assert all_pairs([apart(*table)], -1, "improvement").standardized(rng, 5) is not None
    assert all_pairs([apart(*table[:, :29])], -1, "improvement").standardized(rng, 5) is None


def test_a_symmetric_root_turns_with_the_order_of_methods():
    rng = np.random.default_rng(25)
    spread = np.cov(rng.normal(size=(5, 40)))
    order = rng.permutation(5)
    assert_allclose(root(spread) @ root(spread), spread)
    assert_allclose(root(spread[np.ix_(order, order)]), root(spread)[np.ix_(order, order)], atol=1e-12)


# ---------------------------------------------------------------- tiers


def tiers_by_hand(better):
    """The longest way down from a method that nothing is better than, circles taken as one, by walking all ways."""
    n = len(better)
    reach = better.copy()
    for k in range(n):
        reach |= reach[:, [k]] & reach[[k], :]
    circle = [frozenset({i} | {j for j in range(n) if reach[i, j] and reach[j, i]}) for i in range(n)]

    def tier(i):
        above = {j for m in circle[i] for j in range(n) if better[j, m] and j not in circle[i]}
        return 1 + max((tier(j) for j in above), default=0)

    return [tier(i) for i in range(n)], {c for c in circle if len(c) > 1}


@pytest.mark.parametrize("density", [0.05, 0.15, 0.3, 0.8])
def test_tiers_are_the_longest_ways_down_and_circles_share_one(density):
    rng, seen = np.random.default_rng(26), 0
    for _ in range(60):
        n = int(rng.integers(1, 8))
        better = rng.random((n, n)) < density
        better &= ~better.T
        found, circles = tiers(better)
        expected, rings = tiers_by_hand(better)
        assert found.tolist() == expected
        assert {frozenset(c) for c in circles} == rings
        seen += len(rings)
        for i, j in zip(*np.nonzero(better), strict=True):
            assert found[i] < found[j] or any({i, j} <= set(c) for c in circles)
    assert seen > 0 or density < 0.1


def test_a_chain_has_as_many_tiers_as_methods_and_ranks_without_doubt():
    better = np.triu(np.ones((6, 6), bool), 1)
    assert tiers(better)[0].tolist() == [1, 2, 3, 4, 5, 6]
    low, high = rank_limits(better)
    assert low.tolist() == high.tolist() == [1, 2, 3, 4, 5, 6]
    low, high = rank_limits(np.zeros((3, 3), bool))
    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [3, 3, 3])
