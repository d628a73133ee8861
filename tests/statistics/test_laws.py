"""Laws of what is resampled: the order of rows, of tasks and of methods, negation and units change nothing else.

Scores are small whole numbers (ties are common) or multiples of 1/8, so that maps of them are exact.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ogive.statistics import (
    aggregate,
    aggregate_against,
    bootstrap_interval,
    improvement_over_tasks,
    interquartile_mean,
    profile_counts,
    standard_deviation,
    win_shares,
)

LIMIT = 1e-9
QUICK = {"iqm": interquartile_mean, "std": standard_deviation}
# Statistics of negated scores: the one that is negated with them.
MIRRORED = {"iqm": "iqm", "mean": "mean", "median": "median", "lower_0.25": "upper_0.25", "upper_0.25": "lower_0.25"}

scores = st.lists(st.integers(-24, 24).map(lambda k: k / 8.0), min_size=2, max_size=14)
tables = st.lists(st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=6), min_size=1, max_size=5)
maps = st.tuples(st.integers(1, 64).map(lambda k: k / 4.0), st.integers(-50, 50).map(float))
orders = st.randoms(use_true_random=False)


def shuffled(rows, order):
    rows = list(rows)
    order.shuffle(rows)
    return rows


def ends(found):
    return found.estimate, found.low, found.high


def assert_same(one, other, scale=1.0):
    """Equal to 1e-9 of the scores' scale."""
    assert_allclose(one, other, rtol=LIMIT, atol=LIMIT * scale)


def resampled(rows, name, method, clusters=None):
    found = bootstrap_interval(
        rows, QUICK[name], rng=np.random.default_rng(5), method=method, clusters=clusters, n_resamples=101
    )  # fmt: skip
    return ends(found)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", list(QUICK))
@settings(max_examples=30, deadline=None)
@given(rows=scores, map_=maps, order=orders)
def test_limits_of_the_bootstrap_keep_to_the_laws(name, method, rows, map_, order):
    first = resampled(rows, name, method)
    assert_same(resampled(shuffled(rows, order), name, method), first)
    times, plus = map_
    sign = -1.0 if name == "iqm" else 1.0
    turned = resampled([-v for v in rows], name, method)
    assert_same(turned, (sign * first[0], *((-first[2], -first[1]) if name == "iqm" else first[1:])), 100.0)
    moved = resampled([times * v + plus for v in rows], name, method)
    assert_same(moved, [times * v + (plus if name == "iqm" else 0.0) for v in first], 100.0)


@settings(max_examples=30, deadline=None)
@given(table=tables, order=orders)
def test_limits_of_clusters_do_not_depend_on_the_order_of_rows_or_clusters(table, order):
    rows = [(value, number) for number, cluster in enumerate(table) for value in cluster]
    mixed, names = shuffled(rows, order), shuffled(range(len(table)), order)
    first = resampled([v for v, _ in rows], "iqm", "bca", clusters=[c for _, c in rows])
    assert_same(resampled([v for v, _ in mixed], "iqm", "bca", clusters=[names[c] for _, c in mixed]), first)
    turned = resampled([-v for v, _ in rows], "iqm", "bca", clusters=[c for _, c in rows])
    assert_same(turned, (-first[0], -first[2], -first[1]))


@settings(max_examples=60, deadline=None)
@given(table=tables, map_=maps, order=orders)
def test_aggregates_keep_to_the_laws(table, map_, order):
    ask = {"statistics": list(MIRRORED), "n_resamples": 101}
    first = aggregate(table, **ask)
    mixed = aggregate(shuffled([shuffled(task, order) for task in table], order), **ask)
    turned = aggregate([[-v for v in task] for task in table], **ask)
    times, plus = map_
    moved = aggregate([[times * v + plus for v in task] for task in table], **ask)
    for name, mirror in MIRRORED.items():
        assert_same(ends(mixed[name]), ends(first[name]))
        found = turned[mirror]
        assert_same((-found.estimate, -found.high, -found.low), ends(first[name]))
        assert_same(ends(moved[name]), [times * v + plus for v in ends(first[name])], 100.0)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_other_methods_and_random_tasks_keep_to_the_laws(method):
    table = np.random.default_rng(3).integers(-6, 6, size=(11, 12)).astype(float)
    ask = {"statistics": ["iqm", "mean", "median"], "n_resamples": 150}
    for over in ("fixed", "sample"):
        first = aggregate(table, over=over, method=method, **ask)
        mixed = aggregate(table[::-1, np.random.default_rng(1).permutation(12)], over=over, method=method, **ask)
        turned = aggregate(-table, over=over, method=method, **ask)
        for name, found in first.items():
            assert_same(ends(mixed[name]), ends(found))
            assert_same((-turned[name].estimate, -turned[name].high, -turned[name].low), ends(found))


@settings(max_examples=40, deadline=None)
@given(table=tables, order=orders)
def test_score_profiles_do_not_depend_on_the_order_of_runs_or_tasks(table, order):
    first = profile_counts(table, [-1.5, 0.0, 2.0], n_resamples=101)
    mixed = profile_counts(
        shuffled([shuffled(task, order) for task in table], order), [-1.5, 0.0, 2.0], n_resamples=101
    )
    for name in ("share", "low", "high"):
        assert_same(getattr(mixed, name), getattr(first, name))


@settings(max_examples=60, deadline=None)
@given(table=tables, other=tables, map_=maps, order=orders)
def test_improvement_over_tasks_keeps_to_the_laws(table, other, map_, order):
    pairs = list(zip(table, other, strict=False))
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    first = ends(improvement_over_tasks(x, y, n_resamples=102))
    mirror = (1.0 - first[0], 1.0 - first[2], 1.0 - first[1])
    mixed = shuffled([(shuffled(a, order), shuffled(b, order)) for a, b in pairs], order)
    assert_same(ends(improvement_over_tasks(*zip(*mixed, strict=True), n_resamples=102)), first)
    assert_same(ends(improvement_over_tasks(y, x, n_resamples=102)), mirror)
    turned = [[[-v for v in task] for task in side] for side in (x, y)]
    assert_same(ends(improvement_over_tasks(*turned, n_resamples=102)), mirror)
    times, plus = map_
    moved = [[[times * v + plus for v in task] for task in side] for side in (x, y)]
    assert_same(ends(improvement_over_tasks(*moved, n_resamples=102)), first)


@settings(max_examples=60, deadline=None)
@given(table=tables, order=orders)
def test_win_shares_are_the_same_numbers_in_any_order_of_runs_and_halves_between_equal_samples(table, order):
    """To the last bit: a profile counts who is exactly as good as the best."""
    samples = [np.array(task) for task in (*table, shuffled(table[0], order))]
    found = win_shares(samples)
    assert found[0, -1] == found[-1, 0] == 0.5
    assert np.array_equal(win_shares([np.array(shuffled(task, order)) for task in samples]), found)
    assert np.array_equal(win_shares(samples[::-1]), found[::-1, ::-1])


@settings(max_examples=25, deadline=None)
@given(table=tables, other=tables, order=orders)
def test_aggregates_on_a_reference_do_not_depend_on_the_order_of_runs_or_tasks(table, other, order):
    pairs = [(np.array(a), np.array(b)) for a, b in zip(table, other, strict=False)]
    mixed = shuffled([(np.array(shuffled(a, order)), np.array(shuffled(b, order))) for a, b in pairs], order)
    ask = {"statistics": ("iqm", "mean", "median"), "confidence": 0.95, "gamma": 1.0, "seed": 0, "n_resamples": 100}
    first, again = (aggregate_against([a for a, _ in p], [b for _, b in p], **ask) for p in (pairs, mixed))
    for name, found in first.items():
        assert_same(ends(again[name]), ends(found))


def test_the_laws_notice_resamples_of_rows_as_they_come():
    """What the interval was before rows were sorted: another order, other limits."""
    x = np.random.default_rng(0).gamma(2.0, size=20)

    def unsorted(rows):
        chosen = np.random.default_rng(5).integers(0, rows.size, size=(200, rows.size))
        return np.quantile(np.sort(rows[chosen], axis=1)[:, 5:15].mean(axis=1), [0.025, 0.975])

    with pytest.raises(AssertionError):
        assert_same(unsorted(x[::-1]), unsorted(x))
