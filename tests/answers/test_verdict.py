"""The verdict rule: every conclusion is reached, and none by the wrong interval."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogive.answers.verdicts._verdict import Ruling, rule

numbers = st.floats(-1, 1, allow_nan=False)


@pytest.mark.parametrize(
    ("low", "high", "margin", "conclusion", "direction"),
    [
        (0.01, 0.03, None, "better", 1),
        (-0.03, -0.01, None, "worse", -1),
        (-0.01, 0.03, None, "cannot tell", 0),
        (0.0, 0.0, None, "cannot tell", 0),
        (0.02, 0.03, 0.01, "better", 1),
        (-0.03, -0.02, 0.01, "worse", -1),
        (-0.005, 0.005, 0.01, "equivalent", 0),
        (0.001, 0.005, 0.01, "equivalent", 1),
        (-0.005, -0.001, 0.01, "equivalent", -1),
        (-0.005, 0.05, 0.01, "not worse", 0),
        (0.005, 0.05, 0.01, "not worse", 1),
        (-0.05, -0.005, 0.01, "worse", -1),
        (-0.05, 0.005, 0.01, "cannot tell", 0),
        (-0.05, 0.05, 0.01, "cannot tell", 0),
    ],
)
def test_every_conclusion_is_reached(low, high, margin, conclusion, direction):
    assert rule(low, high, margin) == Ruling(conclusion, direction)


@given(numbers, numbers, st.one_of(st.none(), st.floats(0.001, 0.5)))
def test_a_conclusion_holds_for_every_difference_in_the_interval(a, b, margin):
    """What is claimed is true at both ends, hence everywhere between."""
    low, high = sorted((a, b))
    found, m = rule(low, high, margin), margin or 0.0
    claims = {
        "better": low > m,
        "worse": high < -m or (margin is not None and high < 0),
        "equivalent": margin is not None and -m < low and high < m,
        "not worse": margin is not None and low > -m,
        "cannot tell": not (low > m or high < -m or (margin is not None and (low > -m or high < 0))),
    }
    assert claims[found.conclusion]
    assert found.direction == (low > 0) - (high < 0)


@given(numbers, numbers, st.one_of(st.none(), st.floats(0.001, 0.5)))
def test_exchanging_the_methods_mirrors_the_strong_conclusions(a, b, margin):
    low, high = sorted((a, b))
    forth, back = rule(low, high, margin).conclusion, rule(-high, -low, margin).conclusion
    if forth == "better":
        assert back == "worse"
    if forth == "equivalent":
        assert back == "equivalent"
    if forth == "cannot tell" and margin is None:
        assert back == "cannot tell"
