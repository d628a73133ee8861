"""Which rows are trained and tested on: nesting, distinctness, leakage, independence of what else is asked."""

from itertools import pairwise, product

import numpy as np
import pytest

from ogive.curves._designs import DESIGNS, TESTS, Design, as_sizes, log_spaced
from ogive.seeding import stream

SIZES = (1, 2, 5, 17, 60)
EVERY = list(product(DESIGNS, TESTS))


def design(name="additive", test="fixed", n_rows=100, seed=0, data="d"):
    return Design.of(name, test, n_rows, 0.2, seed, data)


def rows(of, repetition, sizes=SIZES, seed=0, data="d"):
    rng = stream(seed, of.purpose, data, trial=repetition)
    return [(train, test) for _, train, test in of.repetition(rng, sizes).splits()]


def leaks(splits):
    """Whether a row is both trained and tested on."""
    return any(np.intersect1d(train, test).size for train, test in splits)


def test_additive_training_sets_are_nested():
    for test in TESTS:
        trains = [train for train, _ in rows(design(test=test), 3)]
        assert all(np.array_equal(later[: earlier.size], earlier) for earlier, later in pairwise(trains))


@pytest.mark.parametrize("name", ["random", "bootstrap"])
def test_the_other_designs_draw_anew_for_each_size(name):
    trains = [train for train, _ in rows(design(name), 3)]
    assert not np.array_equal(trains[-1][: trains[-2].size], trains[-2])


@pytest.mark.parametrize(("name", "test"), EVERY)
def test_a_thousand_repetitions_are_distinct(name, test):
    of = design(name, test)
    drawn = {tuple(rows(of, r, (20,))[0][0].tolist()) for r in range(1000)}
    assert len(drawn) == 1000


@pytest.mark.parametrize(("name", "test"), EVERY)
def test_no_test_row_is_in_its_training_set(name, test):
    of = design(name, test)
    assert not any(leaks(rows(of, r)) for r in range(50))


def test_the_search_for_leaks_finds_a_planted_one():
    splits = rows(design(), 0)
    train, test = splits[2]
    splits[2] = (train, np.append(test, train[-1]))
    assert leaks(splits)
    pool_as_test = Design("additive", "fixed", 100, np.arange(100), np.arange(80, 100))  # scored on the pool itself
    assert any(leaks(rows(pool_as_test, r)) for r in range(5))


@pytest.mark.parametrize("name", DESIGNS)
def test_the_fixed_test_set_is_the_same_for_all_sizes_repetitions_and_designs(name):
    expected = design().held_out
    assert expected.size == 20
    for r in range(10):
        assert all(np.array_equal(test, expected) for _, test in rows(design(name), r))
    assert not np.array_equal(design(seed=1).held_out, expected)
    assert not np.array_equal(design(data="other").held_out, expected)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_varying_test_set_is_everything_that_was_not_trained_on(name):
    for train, test in rows(design(name, "varying"), 4):
        assert np.array_equal(np.union1d(train, test), np.arange(100))
    if name == "bootstrap":
        train, test = rows(design(name, "varying"), 4)[-1]
        assert np.unique(train).size < train.size == 60 < 100 - 0 == test.size + np.unique(train).size


@pytest.mark.parametrize(("name", "test"), EVERY)
def test_what_is_drawn_at_a_size_does_not_depend_on_the_other_sizes(name, test):
    of = design(name, test)
    alone = rows(of, 7, (17,))[0]
    among = rows(of, 7)[3]
    assert np.array_equal(alone[0], among[0])
    assert np.array_equal(alone[1], among[1])


def test_training_sets_without_replacement_have_every_row_equally_often():
    of = design("random", "varying", n_rows=20)
    counts = np.zeros(20)
    for r in range(2000):
        counts[rows(of, r, (5,))[0][0]] += 1
    assert counts.sum() == 10_000
    assert np.abs(counts - 500).max() < 6 * np.sqrt(2000 * 0.25 * 0.75)


def test_repetitions_are_not_correlated_with_their_neighbors():
    of = design("random", "varying", n_rows=40)
    members = np.zeros((400, 40))
    for r in range(400):
        members[r, rows(of, r, (20,))[0][0]] = 1.0
    flat = members - 0.5
    neighbor = (flat[1:] * flat[:-1]).sum(axis=1).mean() / 10.0
    assert abs(neighbor) < 6 / np.sqrt(399 * 39)


def test_the_grid_has_twenty_different_sizes_where_it_can():
    assert log_spaced(2, 537)[:3] == (2, 3, 4)
    assert len(log_spaced(2, 537)) == 20
    assert log_spaced(2, 537)[-1] == 537
    assert log_spaced(5, 9) == (5, 6, 7, 8, 9)
    assert all(b > a for a, b in zip(log_spaced(3, 105), log_spaced(3, 105)[1:], strict=False))
    assert as_sizes(None, design(), 3)[0] == 3
    assert as_sizes(None, design(), 3)[-1] == 70
    assert as_sizes([9, 3, 3], design(), 3) == (3, 9)
