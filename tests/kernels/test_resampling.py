"""Resampling kernels against slow, obvious programs that draw the same runs, on tiny inputs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ogive.kernels._resampling import (
    resample_improvement,
    resample_runs,
    resample_violation_ratio,
    violation_ratio,
)

pytestmark = pytest.mark.kernel

KEY = np.array([11, 2**63 + 5], dtype=np.uint64)
LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
THRESHOLDS = np.array([-1.0, 2.0, 2.5, 9.0])


@pytest.fixture(autouse=True)
def unsigned_arithmetic_wraps():
    with np.errstate(over="ignore"):
        yield


class Stream:
    """SplitMix64 in Python's own integers."""

    def __init__(self, number):
        low, high = (int(word) for word in KEY)
        self.state = self.mixed(high ^ self.mixed(low + number * 0x9E3779B97F4A7C15))

    @staticmethod
    def mixed(z):
        z %= 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def indices(self, size, n):
        """n indices below size: two out of each word, an odd last half is thrown away."""
        out = []
        while len(out) < n:
            self.state += 0x9E3779B97F4A7C15
            word = self.mixed(self.state)
            out += [(word % 2**32) * size // 2**32, (word // 2**32) * size // 2**32]
        return out[:n]


def resampled(tasks, number, random_tasks):
    """The runs of each task in one resample."""
    stream = Stream(number)
    out = []
    for t in range(len(tasks)):
        task = tasks[stream.indices(len(tasks), 1)[0]] if random_tasks else tasks[t]
        out.append([task[i] for i in stream.indices(len(task), len(task))])
    return out


def expected_summary(tasks):
    """Quantiles, parts of the quantile function, shares above and shortfalls, by the definitions."""
    pairs = sorted((x, 1.0 / (len(tasks) * len(task))) for task in tasks for x in task)
    x = np.array([value for value, _ in pairs])
    cumulative = np.cumsum([weight for _, weight in pairs])
    quantiles = [x[np.flatnonzero(cumulative >= p - 1e-9)[0]] for p in LEVELS]
    cuts = np.concatenate(([0.0], LEVELS, [1.0]))
    pieces = []
    for low, high in pairwise(cuts):
        inside = np.clip(cumulative, low, high) - np.clip(np.concatenate(([0.0], cumulative[:-1])), low, high)
        pieces.append(float(inside @ x))
    above = [np.mean([np.mean(np.array(task) > t) for task in tasks]) for t in THRESHOLDS]
    shortfall = [np.mean([np.mean(np.maximum(t - np.array(task), 0)) for task in tasks]) for t in THRESHOLDS]
    return quantiles, pieces, above, shortfall, [np.mean(task) for task in tasks]


def summaries(tasks, n_resamples, random_tasks, blocks=None, means=True):
    """What the kernel writes for the tasks."""
    sizes = np.array([len(task) for task in tasks])
    pooled = np.concatenate([np.asarray(task, dtype=float) for task in tasks])
    order = np.argsort(pooled, kind="stable")
    ranks = np.empty(pooled.size, dtype=np.uint32)
    ranks[order] = np.arange(pooled.size)
    n, weights = pooled.size, np.repeat(pooled.size / (sizes.size * sizes), sizes)[order]
    ends = np.searchsorted(pooled[order], THRESHOLDS, side="right").astype(np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    shapes = (LEVELS.size, LEVELS.size + 1, THRESHOLDS.size, THRESHOLDS.size, sizes.size)
    out = [np.full((n_resamples, width), np.nan) for width in shapes]
    if not means:
        out[-1] = np.empty((0, sizes.size))
    for first, last in blocks or [(0, n_resamples)]:
        resample_runs(
            first, last, KEY, random_tasks, pooled[order], weights, float(n), ranks, starts, LEVELS * n, ends, THRESHOLDS, *out
        )  # fmt: skip
    return out


scores = st.integers(-3, 12).map(lambda k: k / 2)
ragged_tasks = st.lists(st.lists(scores, min_size=1, max_size=7), min_size=1, max_size=4)


@settings(deadline=None, max_examples=40)
@given(ragged_tasks, st.booleans())
def test_summaries_equal_those_of_the_drawn_runs(tasks, random_tasks):
    found = summaries(tasks, 3, random_tasks)
    for r in range(3):
        for kernel_row, oracle_row in zip(found, expected_summary(resampled(tasks, r, random_tasks)), strict=True):
            assert_allclose(kernel_row[r], oracle_row, atol=1e-12)


@pytest.mark.parametrize("random_tasks", [False, True])
def test_a_resample_does_not_depend_on_its_block(random_tasks):
    tasks = [[1.0, 2.0, 5.0], [2.0, 3.0], [0.5, 0.25, 4.0, 7.0]]
    whole = summaries(tasks, 12, random_tasks)
    parts = summaries(tasks, 12, random_tasks, blocks=[(7, 12), (0, 3), (3, 7)])
    for a, b in zip(whole, parts, strict=True):
        assert_array_equal(a, b)


def test_leaving_the_task_means_out_changes_nothing_else():
    tasks = [[1.0, 2.0, 5.0], [2.0, 3.0, 4.0]]
    for a, b in zip(summaries(tasks, 5, False)[:-1], summaries(tasks, 5, False, means=False)[:-1], strict=True):
        assert_array_equal(a, b)


def test_an_outlier_below_the_middle_half_leaves_the_pieces_inside_it_alone():
    tasks = [[-1e15, -1e15, -1e15], [0.1, 0.1, 0.1], [0.1, 0.1, 0.1], [0.2, 0.2, 0.2]]
    pieces = summaries(tasks, 4, False)[1]
    assert_allclose(pieces[:, 2] + pieces[:, 3], 0.05, rtol=1e-14)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(*[st.lists(scores, min_size=1, max_size=6)] * 2), min_size=1, max_size=4))
def test_improvement_equals_counting_all_pairs_of_the_drawn_runs(tasks):
    n_resamples, found = 3, np.full(3, np.nan)
    ordered = [np.sort(y) for _, y in tasks]
    below = np.concatenate([np.searchsorted(y, x, side="left") for (x, _), y in zip(tasks, ordered, strict=True)])
    upto = np.concatenate([np.searchsorted(y, x, side="right") for (x, _), y in zip(tasks, ordered, strict=True)])
    x_starts, y_starts = (np.cumsum([0] + [len(task[side]) for task in tasks]) for side in (0, 1))
    resample_improvement(0, n_resamples, KEY, x_starts, y_starts, below, upto, found)
    for r in range(n_resamples):
        stream, wins = Stream(r), []
        for (x, _), y in zip(tasks, ordered, strict=True):
            drawn_y = y[stream.indices(len(y), len(y))]
            drawn_x = np.array(x)[stream.indices(len(x), len(x))]
            pairs = np.sign(drawn_x[:, None] - drawn_y[None, :])
            wins.append(np.mean(0.5 + 0.5 * pairs))
        assert_allclose(found[r], np.mean(wins), atol=1e-12)


def expected_ratio(a, b):
    """Both samples repeated to a common length: the quantile functions become sorted lists."""
    x, y = np.sort(np.repeat(a, len(b))), np.sort(np.repeat(b, len(a)))
    distance = (y - x) ** 2
    return distance[y > x].sum() / distance.sum() if distance.sum() > 0 else 0.5


@settings(deadline=None, max_examples=60)
@given(st.lists(scores, min_size=1, max_size=9), st.lists(scores, min_size=1, max_size=9))
def test_violation_ratio_is_exact_for_samples_and_for_resamples(a, b):
    a, b = np.sort(a), np.sort(b)
    once = violation_ratio(a, np.ones(a.size, np.int64), b, np.ones(b.size, np.int64))
    assert_allclose(once, expected_ratio(a, b), atol=1e-12)
    found = np.full(3, np.nan)
    resample_violation_ratio(0, 3, KEY, a, b, found)
    for r in range(3):
        stream = Stream(r)
        drawn_a, drawn_b = a[stream.indices(a.size, a.size)], b[stream.indices(b.size, b.size)]
        assert_allclose(found[r], expected_ratio(drawn_a, drawn_b), atol=1e-12)


def test_violation_ratios_of_both_directions_sum_to_one():
    a, b = np.array([0.0, 1.0, 4.0, 4.0, 5.0]), np.array([0.5, 0.5, 4.5])
    ones = np.ones(5, np.int64), np.ones(3, np.int64)
    assert_allclose(violation_ratio(a, ones[0], b, ones[1]) + violation_ratio(b, ones[1], a, ones[0]), 1.0, atol=1e-14)
