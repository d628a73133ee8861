"""Resampled curves against a slow, obvious program that draws the same runs, on tiny inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from ogive.kernels._steps import draw_lanes, over_steps

pytestmark = pytest.mark.kernel

KEY = np.array([11, 2**63 + 5], dtype=np.uint64)
KINDS = [
    (0, 0.25, 0.75),
    (0, 0.0, 1.0),
    (0, 0.0, 0.1),
    (0, 0.9, 1.0),
    (1, 0.5, 0.5),
    (1, 0.9, 0.9 - 1e-11),
    (2, 0.0, 1.0),
]


@pytest.fixture(autouse=True)
def unsigned_arithmetic_wraps():
    with np.errstate(over="ignore"):
        yield


def mixed(z):
    """SplitMix64 in Python's own integers."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def drawn_runs(number, sizes):
    """The places that resample `number` draws of each task, two out of each word."""
    low, high = (int(word) for word in KEY)
    state, out, start = mixed(high ^ mixed((low + number * 0x9E3779B97F4A7C15) % 2**64)), [], 0
    for size in sizes.tolist():
        own = []
        while len(own) < size:
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            word = mixed(state)
            own += [(word % 2**32) * size // 2**32, (word // 2**32) * size // 2**32]
        out += [start + i for i in own[:size]]
        start += size
    return out


def expected(kind, low, high, scores, tasks, n_tasks, whole):
    """The statistic of drawn runs at one step, by its definition; `whole` are all runs of each task with a score."""
    own = [
        [x for x, t in zip(scores, tasks, strict=True) if t == task and not np.isnan(x)] or whole[task]
        for task in range(n_tasks)
    ]
    if kind == 2:
        return np.median([np.mean(task) for task in own])
    pairs = sorted((x, 1.0 / (n_tasks * len(task))) for task in own for x in task)
    x, upto = np.array([p[0] for p in pairs]), np.cumsum([p[1] for p in pairs])
    if kind == 0:
        inside = np.clip(upto, low, high) - np.clip(np.concatenate(([0.0], upto[:-1])), low, high)
        return inside @ x / (high - low)
    first = x[np.flatnonzero(upto >= low - 1e-9)[0]]
    if high < low:
        return first
    return (first + x[np.flatnonzero(upto >= low + 1e-9)[0]]) / 2.0


scores = st.integers(-3, 12).map(lambda k: k / 2)


@st.composite
def ragged_curves(draw):
    """Sizes of tasks, and scores runs × steps; some missing, never all of a task."""
    sizes = draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    n, steps = sum(sizes), draw(st.integers(1, 3))
    x = np.array(draw(st.lists(scores, min_size=n * steps, max_size=n * steps))).reshape(n, steps)
    if draw(st.booleans()):
        gone = np.array(draw(st.lists(st.booleans(), min_size=n * steps, max_size=n * steps))).reshape(n, steps)
        gone[np.concatenate(([0], np.cumsum(sizes)[:-1]))] = False
        x = np.where(gone, np.nan, x)
    return np.array(sizes), x


def walked(kind, low, high, sizes, x, n_resamples):
    """What the kernels write: steps × resamples."""
    n, task_of = len(x), np.repeat(np.arange(sizes.size), sizes)
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    counts = np.empty((n, n_resamples))
    draw_lanes(0, n_resamples, KEY, np.arange(n, dtype=np.uint32), starts, np.empty(n), counts)
    order = np.argsort(x.T, axis=1, kind="stable")
    ordered = np.take_along_axis(np.ascontiguousarray(x.T), order, axis=1)
    out = np.empty((x.shape[1], n_resamples))
    over_steps(
        kind, low, high, counts, task_of, sizes, order, ordered, (~np.isnan(x)).sum(axis=0), float(n), np.empty_like(counts),
        np.empty_like(counts), np.empty((sizes.size, n_resamples + 1)), np.empty((sizes.size, n_resamples)), out,
    )  # fmt: skip
    return counts, out


@pytest.mark.parametrize(("kind", "low", "high"), KINDS)
@settings(deadline=None, max_examples=25)
@given(ragged_curves())
def test_every_step_of_a_resample_is_the_statistic_of_the_same_runs(kind, low, high, problem):
    sizes, x = problem
    task_of = np.repeat(np.arange(sizes.size), sizes)
    counts, found = walked(kind, low, high, sizes, x, 3)
    for r in range(3):
        runs = drawn_runs(r, sizes)
        assert_array_equal(counts[:, r], np.bincount(runs, minlength=len(x)))
        for s in range(x.shape[1]):
            whole = [
                [v for v, t in zip(x[:, s], task_of, strict=True) if t == task and not np.isnan(v)]
                for task in range(sizes.size)
            ]
            value = expected(kind, low, high, x[runs, s], task_of[runs], sizes.size, whole)
            assert_allclose(found[s, r], value, atol=1e-12)


def test_a_large_part_below_and_above_the_middle_is_passed_quickly_and_rightly():
    """Enough runs that strides are skipped at the low end and the walk ends before the high one."""
    rng = np.random.default_rng(3)
    sizes, x = np.array([15, 15]), rng.normal(size=(30, 2)) + 1e6
    counts, found = walked(0, 0.25, 0.75, sizes, x, 4)
    for r in range(4):
        for s in range(2):
            drawn = np.sort(np.repeat(x[:, s], counts[:, r].astype(int)))
            weights = np.diff(np.clip(np.arange(31) / 30, 0.25, 0.75)) / 0.5
            assert_allclose(found[s, r], 1e6 + weights @ (drawn - 1e6), rtol=1e-15)
