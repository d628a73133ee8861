"""The words of the answers: the one place of this room that holds sentences. Everything else tests facts."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers._sources import share_sentence
from ogive.errors import FailedTrials, InputError, InvalidConfidence
from ogive.statistics import variance_shares

SCORES = np.array([0.31, 0.52, 0.58, 0.61, 0.64, 0.66, 0.71, 0.78, 0.83, 0.95])
FAILING = [0.9, 0.92, 0.91, np.nan, 0.93, np.nan, 0.95, 0.96, 0.97, 0.9]


def draws(seed, n, shift=0.0):
    return np.random.default_rng(seed).normal(shift, 1.0, n)


def table(a, b, **facts):
    return ogive.read({"a": list(a), "b": list(b)}, **({"unit": "row", "varied": "seed"} | facts))


def pairs(a, b, **facts):
    rows = [{"method": m, "seed": i, "score": s} for m, scores in (("a", a), ("b", b)) for i, s in enumerate(scores)]
    return ogive.read(pd.DataFrame(rows), unit="row", pair="seed", **facts)


def tasks(a, b):
    return ogive.read({"a": {f"t{i}": v for i, v in enumerate(a)}, "b": {f"t{i}": v for i, v in enumerate(b)}}, unit="row")  # fmt: skip


def clusters():
    rows = [{"model": m, "seed": f"{m}{i}", "score": i + s + j} for m, s in (("a", 0.3), ("b", 0.0)) for i in range(10) for j in range(3)]  # fmt: skip
    return ogive.read(pd.DataFrame(rows), group="seed", unit="seed")


LOOKED = dataclasses.replace(table(np.linspace(1, 2, 30), np.linspace(0, 1.5, 30)), looks=2)
OFTEN = np.append(np.linspace(0.8, 0.9, 170), np.linspace(0.0, 0.1, 30))

COMPARED = [
    (pairs(10 * draws(2, 20) + 0.3, 10 * draws(2, 20)), {}, "on the same seed"),
    (pairs(np.arange(20) % 7, np.arange(17) % 5), {}, "3 rows without a partner"),
    (pairs([5, 6, 7, 8, 9], [1, 2, 3, 4, 5]), {}, "So few runs can show no difference"),
    (table(draws(0, 30, 2), draws(1, 30), scope="these rows"), {}, "on these rows, over random splits"),
    (
        pairs(draws(0, 20, 0.3), draws(1, 20), scope="these rows"),
        {"criterion": "mean", "generalize": "rows", "test_share": 0.5},
        "for new data like these rows",
    ),
    (table(FAILING, np.linspace(0.7, 0.8, 10)), {"failures": "exclude"}, "Among runs that finished, a is better"),
    (table(FAILING, np.linspace(0.7, 0.8, 10)), {"failures": "exclude"}, "a failed in 2 of 10 runs and b in none; failed runs are left out here"),
    (table(FAILING, np.linspace(0.7, 0.8, 10)), {"failures": "worst"}, "a failed in 2 of 10 runs and b in none; failed runs count as worse than every score"),
    (table(FAILING, np.linspace(0.7, 0.8, 10)), {"failures": 0.0}, "a failed in 2 of 10 runs and b in none; failed runs count as 0"),
    (table([1.0, 1, 1, 0, 1, np.nan], [0.0, 1, 0, 0, 1, 0], bounds=(0, 1)), {"failures": "worst"}, "the failed run counts as 0, the worst possible score"),
    (table([0.8] * 5, [0.8] * 5), {"margin": 0.01}, "all runs of both score the same, which sets no limits to the difference of their mean score"),
    (table([0.8] * 5, [0.8] * 5), {}, "a tie counts half"),
    (tasks([[x + 1.0] for x in draws(0, 9)], [[x] for x in draws(0, 9)]), {}, "for tasks like these"),
    (tasks([draws(i, 5) for i in range(4)], [draws(i, 5) for i in range(2)]), {}, "2 tasks of only one of them left out"),
    (tasks([[1.0] * 5, [2.0] * 5], [[1.0] * 5, [2.0] * 5]), {"criterion": "improvement"}, "on each task all runs of both score the same"),
    (LOOKED, {}, "judged 2 times before with fewer runs, which looks=3 would account for"),
    (clusters(), {}, "a seed (by its mean) of a beats a seed of b"),
    (pairs(draws(3, 12), draws(3, 12)), {"criterion": "improvement"}, "on every seed both score the same; any rate at which a beats b between"),
    (pairs(draws(3, 12), draws(3, 12)), {"criterion": "improvement"}, "Pairs that differ are needed to say more"),
    (table(OFTEN, np.linspace(0.78, 0.80, 200)), {}, "b is the safer choice"),
]  # fmt: skip


@pytest.mark.parametrize(("trials", "choices", "words"), COMPARED, ids=[words for _, _, words in COMPARED])
def test_a_comparison_says(trials, choices, words):
    assert words in ogive.compare(trials, "a", "b", **choices).verdict


THREE = ogive.read({m: np.random.default_rng(i).normal(size=60) for i, m in enumerate("abc")}, unit="row", varied="seed")  # fmt: skip
APART = ogive.read({m: 0.1 * draws(i, 40) + mean for i, (m, mean) in enumerate((("a", 0.0), ("b", 0.1), ("c", -3.0)))}, unit="row", varied="seed")  # fmt: skip
RANKED = [
    (THREE, {"margin": 2.0}, "All 3 methods are equivalent within 2, judged by mean score."),
    (THREE.select(algorithms=["a", "b"]), {"margin": 2.0}, "are equivalent within 2, judged by mean score."),
    (THREE.select(algorithms=["a", "b"]), {"criterion": "mean"}, "It cannot be told which of"),
    (APART, {"criterion": "mean", "margin": 0.1}, "which of the two is better by more than 0.1 cannot be told"),
    (tasks([[x + 1.0] for x in draws(0, 9)], [[x] for x in draws(0, 9)]), {}, "for tasks like these"),
    (LOOKED, {}, "judged 2 times before"),
    (
        ogive.read({"a": [0.9, 0.8, 0.85], "b": [0.1, 0.2, np.nan], "c": [np.nan] * 3}, unit="row"),
        {"failures": "exclude"},
        "1 failed run is left out",
    ),
]


@pytest.mark.parametrize(("trials", "choices", "words"), RANKED, ids=[words for _, _, words in RANKED])
def test_a_ranking_says(trials, choices, words):
    assert words in ogive.rank(trials, **choices).verdict


def two_metrics(**columns):
    frame = pd.DataFrame({"acc": SCORES, "loss": 10 * SCORES} | columns)
    goals = {"acc": "maximize", "loss": "minimize"}
    return ogive.read(frame, score=["acc", "loss"], goal=goals, bounds={"acc": (0, 1), "loss": (0, 10)})


def repeated(scores):
    frame = pd.DataFrame({"score": scores, "lr": np.repeat(np.arange(len(scores) // 2), 2)})
    return ogive.read(frame, params=["lr"], unit="configuration")


TIMED_OUT = {"status": ["timeout", *["ok"] * 9]}
PARTLY = {"acc": [np.nan, *SCORES[1:]], "loss": [np.nan, *SCORES[1:7], np.nan, np.nan, 1.0]}
SUMMARIZED = [
    (ogive.read({"a": [*SCORES, np.nan]}), {"failures": "worst"}, "1 run failed and counts as worse than every score."),
    (ogive.read({"a": [*SCORES, np.nan]}), {"failures": "worst"}, "Mean is undefined while failures count as worse than every score; declare bounds"),
    (repeated([*SCORES, *SCORES, np.nan, np.nan, np.nan, 0.4]), {"failures": "exclude"}, "3 of 24 rows failed and are left out."),
    (two_metrics(**TIMED_OUT), {"failures": "exclude", "statistics": "median"}, "1 run failed and is left out."),
    (two_metrics(**TIMED_OUT), {"failures": "worst", "statistics": "median"}, "1 run failed. In acc it counts as 0, the worst possible score. In loss it counts as 10, the worst possible score."),
    (two_metrics(**PARTLY), {"failures": "exclude", "statistics": "median"}, "1 run has no usable acc and is left out. 3 runs have no usable loss and are left out."),
    (ogive.read({"a": [1.0, 2.0], "b": [np.nan, np.nan]}), {"failures": "exclude"}, "b has no usable score on all."),
    (ogive.read({"a": [0] * 11 + [1]}), {"statistics": "mean"}, "takes for granted that every score is 0 or 1; declare bounds=(0, 1)"),
    (ogive.read({"a": SCORES}), {"statistics": "mean", "guaranteed": True}, "The guaranteed mean has no limits without bounds=(low, high)."),
    (ogive.read({"a": [1.0] * 12, "b": np.arange(12.0)}), {"statistics": "mean"}, "No interval where all scores are equal: without bounds nothing can be said about rare other values."),
    (ogive.read({"a": {"x": [1.0], "y": [2.0]}, "b": {"x": [1.5], "y": [3.0]}}), {}, "No intervals: there is one run of each method on each task; a profile compares methods over many tasks."),
    (ogive.read({"few": np.arange(20.0), "many": np.arange(200.0)}), {"statistics": "worst_0.1"}, "(worst 10 %: tail t, heuristic or approximate)"),
]  # fmt: skip


@pytest.mark.parametrize(("trials", "choices", "words"), SUMMARIZED, ids=[words for _, _, words in SUMMARIZED])
def test_a_summary_says(trials, choices, words):
    assert words in str(ogive.summarize(trials, **choices))


def test_an_inspection_says_what_it_sees():
    uneven = ogive.inspect(ogive.read({"a": {"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0]}, "b": {"x": [4.0]}}))
    assert {
        "2 methods: a and b",
        "2 tasks: x and y",
        "2 to 3 runs on each task of a",
        "1 run on each task of b",
        "1 cell of the grid methods x tasks is empty, the first of 'b' on 'y'",
    } <= set(uneven.structure)
    frame = pd.DataFrame({"model": list("aabb"), "seed": [0, 1, 0, 1], "loss": [1.0, np.nan, 2.0, 3.0]})
    failed = ogive.inspect(ogive.read(frame, bounds=(0, None), pair="seed"))
    assert {
        "metric 'loss': minimize, 1 to 3, bounds (0.0, None), 1 failed",
        "methods are joined by 'seed'",
        "varied between runs: seed",
    } <= set(failed.structure)
    assert "1 failed, so say failures=" in failed.answers[0].reason
    assert (
        "rows vary within 'configuration'; 'configuration' varies within method and task"
        in ogive.inspect(repeated(SCORES)).structure
    )


def test_a_plan_says_how_sure_its_pilot_is():
    pilot = pairs(draws(0, 30), draws(1, 30))
    found = ogive.plan(pilot, difference=0.5)
    assert "paired trials detect a difference of means of 0.5" in str(found)
    assert f"if the spread is at most {found.question.sd[0]:.3g}, as the pilot says with 80 % assurance" in str(found)
    assert f"80 % upper limit of the {found.question.sd_pilot[0]:.3g} of the pilot's 30 pairs" in found.assumptions[-1]
    assert "if the spreads are at most" in str(ogive.plan(pilot, difference=0.5, paired=False))
    assert "as the pilot says with 80 % assurance" in str(ogive.plan(pilot, half_width=0.5, a="a"))


def test_sources_say_what_they_lack():
    one = ogive.read(pd.DataFrame({"score": draws(0, 20), "lr": [0.1] * 20}), score="score", params=["lr"], unit="row")
    many = ogive.read(
        pd.DataFrame({"score": draws(0, 40), "lr": draws(1, 40)}),
        score="score",
        params=["lr"],
        unit="row",
        varied=["configuration", "seed"],
    )
    flat = ogive.read({"flat": [0.5] * 9, "free": np.arange(9.0), "once": [0.3]}, unit="row")
    for cell, place, words in (
        (ogive.sources(many, holds={}).cell(), 0, "every run drew"),
        (ogive.sources(one).cell(), 0, "all 20 runs have one configuration"),
        (ogive.sources(one).cell(), 1, "No hyper-parameter of"),
        (ogive.sources(flat).cell("flat"), 0, "All 9 runs of flat score 0.500; there is no spread to explain."),
        (ogive.sources(flat).cell("free"), 0, "Where the spread of free comes from cannot be told: no column says"),
        (ogive.sources(flat).cell("free"), 1, "names no hyper-parameters"),
        (ogive.sources(flat).cell("once"), 0, "Where the spread of once comes from cannot be told: there is one run."),
    ):
        assert words in cell.sentences[place]


def test_sources_say_where_the_spread_comes_from():
    lr = np.repeat(draws(1, 20), 10)
    frame = pd.DataFrame({"score": lr + 0.1 * draws(0, 200), "lr": lr, "run": np.arange(200)})
    varied = ["configuration", "data", "seed"]
    trials = ogive.read(frame, score="score", params=["lr"], repeat="run", unit="configuration", varied=varied)
    found = ogive.sources(trials, holds={"config": {"every": 10}})
    assert "comes from the configuration" in found.sentences[0]
    assert "from data and seed (95 % intervals, heuristic; 200 runs, 20 configurations)" in found.sentences[0]
    assert any(r.startswith("The shares hold if fewer than 14 % of all draws") for r in found.cell().remarks)
    assert "those of shares of variance heuristic" in found.footnote()


def test_sources_that_act_together_are_said_to():
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(6), 10), np.tile(np.repeat(np.arange(5), 2), 6)
    scores = rng.normal(size=(6, 5))[rows, columns] + rng.normal(scale=0.1, size=60)
    found = variance_shares(scores, {"a × b": rows, "split": columns}, rng=rng)
    assert "how a × b and split act together" in share_sentence(found, "svm", 60, 0.95, "")


REFUSED = [
    (FailedTrials, lambda: ogive.summarize({"a": [1.0, np.nan, np.inf, 2.0], "b": [1.0, 2.0, 3.0, np.nan]}), "3 of 8 trials"),
    (InvalidConfidence, lambda: ogive.summarize({"a": SCORES}, confidence=95), "got 95. Did you mean 0.95?"),
    (InputError, lambda: ogive.summarize({"a": SCORES}, statistics=[3]), "`statistics` must be a name or a list of names; got"),
    (InputError, lambda: ogive.summarize({"a": SCORES}, metric="auc"), "`metric` 'auc' is not in the table"),
    (InputError, lambda: ogive.summarize({"a": [0.5, 0.5], "b": [0.5, 0.5]}), "all 4 scores in 'score' equal 0.5; "),
    (InputError, lambda: ogive.summarize({"a": [np.nan, np.inf]}), "none of the 2 trials has a usable 'score'"),
    (InputError, lambda: ogive.compare(LOOKED, "a", "c"), "'c' is not in the table"),
    (InputError, lambda: ogive.plan(pairs(draws(0, 9), draws(1, 9)), half_width=0.1), "`a` must name one of the 2 methods of the pilot: 'a', 'b'"),
    (InputError, lambda: ogive.plan("band"), "either `half_width` or `n_trials`; got neither"),
    (InputError, lambda: ogive.plan("band", half_width=0.1, mass=0.1), "`mass` has no meaning in a plan for 'band'"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "ask", "words"), REFUSED, ids=[words for _, _, words in REFUSED])
def test_a_refusal_says(error, ask, words):
    with pytest.raises(error) as caught:
        ask()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
