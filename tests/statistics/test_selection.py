"""The best of many subsets against chance: by hand, by brute force, and as a claim."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from simulate import plausible

from ogive.statistics import Grouping, Permutable, first_order_parts, largest_gain_test


def neighbors(n_groups):
    """All runs of neighboring groups but the whole, as flags."""
    ends = [(i, j) for i in range(n_groups) for j in range(i + 1, n_groups + 1) if j - i < n_groups]
    return np.array([[i <= g < j for g in range(n_groups)] for i, j in ends])


def field(better, groupings, units=None):
    parts = np.array([first_order_parts(better, units, statistic=s) for s in ("median", "tail")])
    return Permutable(parts, tuple(Grouping(c, (neighbors(c.max() + 1),) * 2) for c in groupings))


def smallest(fields, rng, **choices):
    found = largest_gain_test(fields, rng=rng, **choices)
    return min(float(p.min()) for by_grouping in found for by_target in by_grouping for p in by_target)


def test_p_values_are_those_of_all_permutations():
    """Six units, one grouping, one target: every permutation by hand."""
    parts = np.array([[-3.0, -1.0, 0.0, 0.5, 1.0, 2.5]])
    codes = np.array([0, 0, 1, 1, 2, 2])
    sets = neighbors(3)

    def statistics(part):
        out = []
        for flags in sets:
            kept = flags[codes]
            m, n = kept.sum(), part.size
            out.append(part[kept].sum() / np.sqrt(m * (n - m) / (n * (n - 1)) * np.sum(part**2)))
        return np.array(out)

    seen = statistics(parts[0])
    largest = np.array([statistics(parts[0][list(order)]).max() for order in itertools.permutations(range(6))])
    exact = [(largest >= s - 1e-9).mean() for s in seen]
    rng = np.random.default_rng(0)
    ((found,),) = largest_gain_test([Permutable(parts, (Grouping(codes, (sets,)),))], rng=rng, n_permutations=20_000)
    assert_allclose(found[0], exact, atol=0.015)


def test_neither_the_order_of_units_nor_of_rows_matters():
    rng = np.random.default_rng(1)
    better, codes = rng.normal(size=60), [rng.integers(0, 4, 60), rng.integers(0, 3, 60)]
    mixed = rng.permutation(60)
    one = largest_gain_test([field(better, codes)], rng=np.random.default_rng(2))
    other = largest_gain_test([field(better[mixed], [c[mixed] for c in codes])], rng=np.random.default_rng(2))
    for a, b in zip(one[0], other[0], strict=True):
        assert_allclose(np.array(a), np.array(b), rtol=1e-12)


def test_a_grouping_that_matters_is_seen_and_one_that_does_not_is_not():
    rng = np.random.default_rng(3)
    good, idle = rng.integers(0, 4, 120), rng.integers(0, 4, 120)
    ((first, second),) = largest_gain_test([field(rng.normal(size=120) + 1.5 * (good > 1), [good, idle])], rng=rng)
    assert first[0].min() == pytest.approx(1 / 1000)
    assert min(p.min() for p in second) > 0.05


def test_parts_add_to_zero_and_units_gather_theirs():
    better = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    median = first_order_parts(better, None, statistic="median")
    assert_allclose(median, [0, -1, -1, 1, 1])
    tail = first_order_parts(better, np.array([0, 0, 1, 1, 1]), statistic="tail", mass=0.4)
    assert_allclose(tail, [-0.6, 0.6])


def null_scores(shape, rng, n):
    if shape == "collapse":
        return np.where(rng.random(n) < 0.03, 0.1, 0.9) + 0.02 * rng.normal(size=n)
    return (
        {"normal": rng.normal, "exponential": rng.exponential}[shape](size=n)
        if shape != "lattice"
        else rng.integers(0, 6, n) / 5.0
    )


def rejections(shape, repetitions, units=1, level=0.05, n=100):
    """How often some candidate is called better than chance although groups mean nothing."""
    rng = np.random.default_rng([len(shape), units])
    found = 0
    for _ in range(repetitions):
        better = np.repeat(null_scores(shape, rng, n // units), units) + 0.01 * rng.normal(size=n)
        codes = [rng.integers(0, 5, n // units), rng.integers(0, 4, n // units)]
        of = None if units == 1 else np.repeat(np.arange(n // units), units)
        found += smallest([field(better, codes, of)], rng, n_permutations=199) <= level
    return found / repetitions


@pytest.mark.statistical
@pytest.mark.parametrize("units", [1, 4])
@pytest.mark.parametrize("shape", ["normal", "exponential", "lattice", "collapse"])
def test_chance_is_called_a_gain_in_at_most_one_table_in_twenty(shape, units):
    """20,000 tables; the test is exact, so that one in twenty is also about what continuous scores give."""
    assert rejections(shape, 20_000, units) <= plausible(0.05, 20_000)[1]


@pytest.mark.statistical
def test_the_size_test_notices_a_level_of_seven_in_a_hundred():
    assert rejections("normal", 20_000, level=0.07) > plausible(0.05, 20_000)[1]
