"""The words of learning curves: the one place of this room that holds sentences. Refusals have theirs in `test_refusals`."""

import numpy as np
import pytest

from ogive.curves._leaders import Range

RNG = np.random.default_rng(0)
SIZES = [5, 10, 20, 40, 80]
# The means cross between 10 and 40.
VALUES = np.array([[0.60, 0.62, 0.64, 0.66, 0.68], [0.45, 0.52, 0.64, 0.74, 0.80]])[:, :, None] + 0.03 * RNG.normal(size=(2, 5, 200))  # fmt: skip


def test_curves_say_what_they_are_about(curves_of):
    made = curves_of(VALUES, SIZES)
    assert "on these 500 rows, over random training sets, one test set" in str(made.mean())
    assert "a is ahead at n = 5 to 10; b is ahead at n = 40 to 80; the lead changes between n = 10 and 40" in made.crossings("a", "b").verdict  # fmt: skip


def test_leaders_say_who_how_sure_and_of_what(curves_of):
    found = curves_of(VALUES, SIZES).leaders()
    first, *_, how = found.sentences
    assert first.startswith("On these 500 rows, over random training sets, one test set: at n = 80, the largest size, b certainly has the best accuracy on these 100 test rows")  # fmt: skip
    (change,) = found["mean"].changes()
    assert f"b overtakes a {change.words} by the mean" in found.verdict
    assert "a is certainly ahead at n = 5" in found.verdict
    assert "95 % for all pairs and sizes, by the mean, the bad and the good runs together (a third of the error each)" in how  # fmt: skip
    assert "approximate; 200 paired repetitions" in how
    assert "test='varying' draws them anew" in how
    anew = curves_of(VALUES, SIZES, n_test=0).leaders().sentences
    assert "has the best accuracy" in anew[0]
    assert not any("test row" in sentence for sentence in anew)


@pytest.mark.parametrize("n", [30, 100])
def test_leads_that_few_runs_decide_are_said_to_be_heuristic(curves_of, n):
    few = curves_of(VALUES[:, :, :n], SIZES).leaders()
    assert "heuristic for quantiles: fewer than 10 repetitions lie beyond them" in str(few)
    assert "heuristic in the worst 5 % of runs" in few.verdict


def test_a_required_size_is_said_or_that_it_is_not_seen(curves_of):
    made = curves_of(np.array([0.5, 0.75, 0.6, 0.8, 0.9])[None, :, None] + 0.001 * RNG.normal(size=(1, 5, 200)), SIZES)
    assert "95 % of a's runs have accuracy at least 0.7 from n = 40 on" in str(made.required_size(target=0.7))
    assert "it is not seen that" in str(made.required_size(target=0.95))


def test_a_lead_that_changes_hands_often_is_told_in_a_handful_of_ranges(curves_of):
    sizes = np.arange(1, 31)
    one, other = np.zeros(30), np.where(np.arange(30) < 20, np.where(np.arange(30) % 2, 1.0, -1.0), 1.0)
    values = np.stack([one, other])[:, :, None] + np.random.default_rng(0).normal(0, 1e-3, (2, 30, 40))
    said = str(curves_of(values, sizes).leaders()["mean"])
    assert said.count(" at n = ") <= 2 * 5
    assert "in 16 shorter ranges" in said or "by turns below" in said


@pytest.mark.parametrize(
    ("longest", "others", "words"),
    [
        ("aaaa", "aaaaaa", "a at n = 31 to 33, a at n = 34 to 36, a at n = 37 to 39 and a at n = 40 to 42, and in 6 shorter ranges"),
        ("abab", "aaaaaa", "and b at n = 40 to 42, and a in 6 shorter ranges"),
        ("abab", "ababab", "and b at n = 40 to 42, and by turns in 6 shorter ranges"),
    ],
)  # fmt: skip
def test_only_several_models_lead_by_turns(curves_of, longest, others, words):
    lead = curves_of(np.random.default_rng(0).normal(size=(2, 60, 20)), range(1, 61)).leaders()["mean"]
    kept = [Range(31 + 3 * i, 33 + 3 * i, who) for i, who in enumerate(longest)]
    after = [Range(45 + i, 45 + i, who) for i, who in enumerate(others)]
    before = [Range(1 + i, 1 + i, who) for i, who in enumerate(others)]
    assert lead._told([*kept, *after]).endswith(words)
    first = "a" if set(others) == {"a"} else "by turns"
    assert lead._told([*before, *kept]).startswith(f"{first} below n = 31 (6 short ranges), then a at n = 31 to 33")
