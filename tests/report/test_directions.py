"""A difference has the same sign in a sentence, a table and a picture, whether scores are to be large or small."""

import re

import numpy as np
import pytest

import ogive
from ogive.answers import check, compare
from ogive.plots import difference, pairs

RNG = np.random.default_rng(11)
CLOSE = {"a": RNG.normal(1.0, 1.0, 30), "b": RNG.normal(1.2, 1.0, 30)}
FACTS = {"unit": "row", "varied": "seed"}
MINUS = {"maximize": ("a", "b"), "minimize": ("b", "a")}


def written(number: str) -> float:
    return float(number.replace("−", "-"))


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_the_sentence_says_higher_or_lower_and_every_table_what_is_taken_from_what(goal, page):
    found = page(CLOSE, {"goal": goal}, criterion="mean")
    short = found.section("In short")
    # The page puts the better one first.
    a, b = re.search(r"cannot be told which of (\w) and (\w) is better", short).groups()
    said = re.search(
        rf"the mean score of {a} is ([\d.]+) (lower|higher) than that of {b} here; anything between "
        r"([\d.]+) (lower|higher) and ([\d.]+) (lower|higher) fits",
        short,
    ).groups()
    raw = [float(x) * (1 if side == "higher" else -1) for x, side in zip(said[::2], said[1::2], strict=True)]
    better = raw if goal == "maximize" else [-raw[0], -raw[2], -raw[1]]  # of losses the other minus this one
    first, second = (a, b) if goal == "maximize" else (b, a)
    table = found.section("The difference")
    assert f"{first} minus {second} (positive: {a} is better)" in table
    shown = re.search(r"difference of means\s+(-?[\d.]+)\s+(-?[\d.]+) to (-?[\d.]+)", table)
    assert [written(x) for x in shown.groups()] == better
    by = re.search(rf"mean, {first} minus {second}: (-?[\d.]+) \[(-?[\d.]+), (-?[\d.]+)\]", short)
    assert [written(x) for x in by.groups()] == better


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_the_answer_carries_the_number_that_is_written(goal):
    first, second = MINUS[goal]
    trials = ogive.read(CLOSE, goal=goal, **FACTS)
    c = compare(trials, "a", "b", criterion="mean")
    amount, side = re.search(r"score of a is ([\d.]+) (lower|higher) than that of b", c.verdict).groups()
    assert float(amount) == pytest.approx(abs(c.primary.estimate), abs=0.05)
    sign = trials.definitions["score"].sign
    assert (side == "higher") == (sign * c.primary.estimate > 0) == (CLOSE["a"].mean() > CLOSE["b"].mean())
    assert difference(trials, "a", "b").label == f"score of {first}\nminus that of {second}"


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_a_table_of_tasks_says_what_positive_means(goal, page):
    first, second = MINUS[goal]
    both = {m: {t: x + RNG.normal(0, 0.1, 30) for t in "xyz"} for m, x in CLOSE.items()}
    trials = ogive.read(both, goal=goal, **FACTS)
    printed = str(compare(trials, "a", "b", criterion="mean"))
    assert f"mean score, {first} minus {second} (positive: a is better)" in printed
    found = page(both, {"goal": goal}, criterion="mean").section("The difference")
    assert re.search(r"mean, (a minus b|b minus a) \(positive: [ab] is better\)", found)


@pytest.mark.parametrize(("criterion", "says"), [("mean", "positive"), ("improvement", "above 0.5")])
def test_the_table_of_pairs_says_in_its_head_what_positive_means(criterion, says, page):
    losses = CLOSE | {"c": RNG.normal(4.0, 1.0, 30)}
    found = page(losses, {"goal": "minimize"}, criterion=criterion)
    table = found.section("Every method against every other")
    assert f"this method … against ({says}: this method is better)" in table
    head = {"mean": "a,b,a_better_by,low,high", "improvement": "a,b,a_beats_b,low,high"}[criterion]
    assert head in found.section("For the paper")
    display = pairs(ogive.rank(ogive.read(losses, goal="minimize", **FACTS), criterion=criterion))
    even = 0.5 if criterion == "improvement" else 0.0
    assert display.cells["a", "c"].difference.estimate > even
    assert display.cells["a", "c"].certain == 1


def test_the_comment_of_a_gate_says_what_positive_means():
    new, old = (ogive.read({"m": CLOSE[m]}, goal="minimize", **FACTS) for m in "ab")
    assert (
        "| task | difference (positive: the new version is better) | conclusion |"
        in check(new, old, margin=0.5).to_markdown()
    )
