"""The generator inside kernels: SplitMix64 as published, and what a bootstrap asks of it."""

import numpy as np
import pytest
from scipy import stats

from ogive.jit import kernel
from ogive.kernels._resampling import STEP, first_state, high_index, low_index, mix

WORD = 2**64
KEY = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], dtype=np.uint64)


@pytest.fixture(autouse=True)
def unsigned_arithmetic_wraps():
    with np.errstate(over="ignore"):
        yield


@kernel
def indices(key, number, size, out):
    state = first_state(key, number)
    for i in range(out.size // 2):
        state += STEP
        word = mix(state)
        out[2 * i] = low_index(word, np.uint64(size))
        out[2 * i + 1] = high_index(word, np.uint64(size))


def drawn(number, size, n):
    out = np.empty(n, dtype=np.int64)
    indices(KEY, number, size, out)
    return out


@pytest.mark.kernel
def test_words_are_those_of_the_published_generator():
    # The first outputs of SplitMix64 from the seed 1234567, as other implementations give them.
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    found = [int(mix(np.uint64((1234567 + (i + 1) * int(STEP)) % WORD))) for i in range(4)]
    assert found == expected


@pytest.mark.kernel
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_an_index_is_the_half_word_as_a_fraction_of_the_size(size):
    for number in (0, 1, 12):
        word = int(mix(first_state(KEY, number) + STEP))
        expected = [(word % 2**32) * size // 2**32, (word // 2**32) * size // 2**32]
        assert drawn(number, size, 2).tolist() == expected


@pytest.mark.kernel
def test_indices_reach_both_ends_and_nothing_else():
    top, zero = np.uint64(WORD - 1), np.uint64(0)
    for index in (low_index, high_index):
        assert index(zero, np.uint64(9)) == 0
        assert index(top, np.uint64(9)) == 8


@pytest.mark.parametrize("size", [2, 3, 10, 257])
def test_indices_are_uniform_within_a_stream_and_over_the_first_of_many(size):
    within = np.bincount(drawn(3, size, 200_000), minlength=size)
    first = np.bincount(np.concatenate([drawn(r, size, 4) for r in range(20_000)]), minlength=size)
    assert within.size == first.size == size
    for counts in (within, first):
        assert stats.chisquare(counts).pvalue > 1e-4


def test_neighboring_streams_and_both_halves_are_independent():
    size, n = 16, 40_000
    a, b = drawn(7, size, n), drawn(8, size, n)
    for x, y in ((a, b), (a[::2], a[1::2]), (a[:-2:2], a[2::2])):
        table = np.bincount(x * size + y, minlength=size * size)
        assert stats.chisquare(table).pvalue > 1e-4


def test_the_test_notices_a_generator_that_favors_an_index():
    counts = np.bincount(drawn(3, 10, 200_000), minlength=10)
    counts[0] += 1500  # an index too frequent by 7 %
    assert stats.chisquare(counts).pvalue < 1e-4
