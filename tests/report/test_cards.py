"""The cards of a ranking."""

from ogive.answers import Leading
from ogive.report._sections import _by_how_much


def test_a_card_without_a_leader_names_two_methods():
    asked = Leading(
        name="a typical run", criterion="improvement", leaders=("a", "b"), ahead=(), scores={"a": 0.6, "b": 0.4}, resolution=0.0
    )  # fmt: skip
    assert (
        _by_how_much(asked, ["a", "b"], [])
        == "A run of a beats one of another method 60 % of the time, a run of b 40 %."
    )
