"""A gate between two versions whose scores are all the same: it says why it cannot tell, and what would do."""

import math

import numpy as np
import pandas as pd
import pytest

import ogive


def table(column: str, n: int, bounds=None) -> ogive.Trials:
    scores = np.random.default_rng(0).uniform(0.8, 1.0, n)
    frame = pd.DataFrame({"model": "m", column: np.arange(n), "accuracy": scores})
    return ogive.read(frame) if bounds is None else ogive.read(frame, bounds=bounds)


@pytest.mark.parametrize(
    ("column", "bounds", "steps"),
    [
        ("fold", None, "score single test points (item=), declare bounds=(low, high) and ask with guaranteed=True"),
        ("fold", (0, 1), "score single test points (item=) and ask with guaranteed=True"),
        ("item", (0, 1), "else ask with guaranteed=True"),
    ],
)
def test_equal_pairs_set_no_limits_and_the_gate_says_the_way_out(column, bounds, steps):
    trials = table(column, 10, bounds)
    found = ogive.check(trials, trials, margin=0.01)
    assert (found.outcome, found.identical) == ("cannot tell", True)
    assert steps in found.verdict
    assert math.isnan(found.power)
    assert "of the time" not in found.verdict


def test_the_way_out_ends_in_a_pass_once_enough_pairs_are_equal():
    outcomes = [
        ogive.check(t, t, margin=0.01, guaranteed=True).outcome for t in (table("item", n, (0, 1)) for n in (100, 600))
    ]
    assert outcomes == ["cannot tell", "pass"]
