"""The words of profiles: the one place of this room that holds sentences. Refusals have theirs in `test_refusals`."""

import numpy as np
import pytest

from ogive.profiles import performance_profile, shifted_geometric_mean

COSTS = {"a": [1.0, 2.0], "b": [2.0, 1.0]}


@pytest.mark.parametrize(
    ("kind", "asked", "words"),
    [
        ("ratio", {"goal": "minimize"}, "needs at most τ times"),
        ("ratio", {"goal": "minimize", "strict": True}, "needs less than τ times"),
        ("ratio", {"goal": "maximize"}, "best method has at most τ times as much as this"),
        ("score", {}, "runs better than τ"),
        ("score", {"strict": False}, "as good as or better than τ"),
    ],
)
def test_what_a_curve_counts_follows_the_count_and_the_direction(kind, asked, words):
    assert words in performance_profile(COSTS, kind, **asked).meaning


def runs(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(6)
    return {m: np.exp(rng.normal(size=(n, 30))) for m in "ab"}


CROSSING = {"a": np.tile([1.0] * 8 + [100.0] * 2, 40), "b": np.tile([1.5] * 8 + [1.0] * 2, 40)}
CLOSE = {m: np.exp(np.random.default_rng(i).normal(size=40)) for i, m in enumerate("ab")}


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        (performance_profile(runs(6), split=True, goal="minimize"), "where they differ most"),
        (performance_profile(runs(5), "improvement"), "as estimated from 5 runs each"),
        (performance_profile(CLOSE, goal="minimize"), "That is no sign of equality"),
        (performance_profile(CLOSE, goal="minimize"), "problems would show one of 0.1"),
        (performance_profile(CROSSING, goal="minimize"), "Neither is ahead throughout"),
        (performance_profile({"a": [1.0] * 40, "b": [2.0] * 40}, goal="minimize"), "a is ahead of b for τ from 1 to"),
    ],
)
def test_a_pair_says(profile, words):
    assert words in profile.verdict("a", "b")


def test_shifted_means_say_what_a_run_without_an_end_counts_as():
    found = shifted_geometric_mean({"a": [1.0, 100.0], "b": [5.0, 1000.0]}, time_limit=1000)
    assert "counts as the time limit of 1000" in str(found)
