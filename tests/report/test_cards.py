"""The cards of a ranking."""

from ogive.answers import Leading
from ogive.report._sections import _by_how_much


def test_a_card_without_a_leader_names_two_methods():
    asked = Leading(
        name="a typical run", criterion="improvement", leaders=("a", "b"), scores={"a": 0.6, "b": 0.4}, resolution=0.0
    )  # fmt: skip
    assert (
        _by_how_much(asked, ["a", "b"], [])
        == "A run of a beats one of another method 60 % of the time; a run of b does so 40 % of the time."
    )


def test_a_card_of_two_leaders_gives_the_values_of_these_two():
    asked = Leading(
        name="on average", criterion="mean", leaders=("b", "a"), scores={"b": 0.9, "a": 0.8, "c": 0.7}, resolution=0.6
    )
    assert _by_how_much(asked, ["b", "a", "c"], asked.ahead) == "Mean: b 0.900, a 0.800."
