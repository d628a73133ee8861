"""compare: conclusions, families, pairing, sentences with all their ingredients, real tables."""

import dataclasses
import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers import compare
from ogive.errors import FailedTrials, InputError
from ogive.words import interval_parts


def table(a, b, **facts):
    return ogive.read({"a": list(a), "b": list(b)}, **({"unit": "row", "varied": "seed"} | facts))


def paired_table(a, b, **facts):
    rows = [{"method": m, "seed": i, "score": s} for m, scores in (("a", a), ("b", b)) for i, s in enumerate(scores)]
    return ogive.read(pandas(rows), unit="row", pair="seed", **facts)


def pandas(rows):
    import pandas as pd

    return pd.DataFrame(rows)


def draws(seed, n, shift=0.0, scale=1.0):
    return np.random.default_rng(seed).normal(shift, scale, n)


CASES = [
    (draws(0, 60, 1.5), draws(1, 60), {}, "better"),
    (draws(0, 60), draws(1, 60, 1.5), {}, "worse"),
    (draws(0, 40), draws(1, 40), {}, "cannot tell"),
    (draws(0, 400), draws(1, 400), {"margin": 0.5}, "equivalent"),
    (draws(0, 60, 0.1), draws(1, 60), {"margin": 0.5}, "not worse"),
    (draws(0, 60, 2.0), draws(1, 60), {"margin": 0.5}, "better"),
    (draws(0, 60), draws(1, 60, 2.0), {"margin": 0.5}, "worse"),
    (draws(0, 200, 1.5), draws(1, 200), {"criterion": "median"}, "better"),
    (draws(0, 300, 1.5), draws(1, 300), {"criterion": "worst_0.1"}, "better"),
]


@pytest.mark.parametrize(("a", "b", "choices", "conclusion"), CASES)
def test_every_conclusion_is_reached_by_the_samples_that_deserve_it(a, b, choices, conclusion):
    assert compare(table(a, b), "a", "b", **choices).conclusion == conclusion


@pytest.mark.parametrize(("a", "b", "choices", "conclusion"), CASES)
def test_a_verdict_has_all_its_ingredients_in_at_most_three_sentences(a, b, choices, conclusion):
    """Who and by how much, with the interval; bad days; of what and how sure. A condition is a sentence more."""
    c = compare(table(a, b), "a", "b", **choices)
    factor, landmarks = (100, (50.0,)) if c.criterion == "improvement" else (1, (0.0,))
    marks = landmarks if c.margin is None else (*landmarks, c.margin, -c.margin)
    i = c.primary if c.direction >= 0 or c.criterion == "improvement" else c.primary.negated()
    estimate, low, high = interval_parts(factor * i.estimate, factor * i.low, factor * i.high, marks)
    for ingredient in (
        low.removeprefix("-"),  # "0.035 lower" where the direction is open
        high,
        f"{len(a)} runs of each",
        "not paired",
        "runs differ in seed",
        "95 % confidence",
        c.strength,
    ):
        assert ingredient in c.verdict
    if c.direction or c.criterion == "improvement":
        assert estimate in c.verdict
    if c.margin is not None:
        assert f"{c.margin:g}" in c.verdict
    sentences = re.findall(r"\.(?= [A-Z]|$)", c.verdict)
    assert len(sentences) <= 3 + (c.hidden is not None)


def test_what_cannot_be_told_says_what_could_have_been_seen_and_how_many_runs_would_do():
    c = compare(table(draws(0, 40), draws(1, 40)), "a", "b")
    count, effect = c.needed
    assert (effect, count > c.n) == (0.65, True)
    assert 0.5 < c.detectable < 1.0
    assert f"{100 * c.detectable:.0f} %" in c.verdict
    assert f"{(count + 1) // 2} runs of each" in c.verdict


@pytest.mark.parametrize(("a", "b", "choices", "conclusion"), CASES)
def test_turning_goal_and_scores_round_changes_no_conclusion(a, b, choices, conclusion):
    """minimize with negated scores is maximize."""
    assert compare(table(-a, -b, goal="minimize"), "a", "b", **choices).conclusion == conclusion


def test_exchanging_the_methods_turns_the_numbers_round():
    t = table(draws(0, 50, 0.4), draws(1, 40))
    forth, back = compare(t, "a", "b"), compare(t, "b", "a")
    assert forth.probability_of_improvement.estimate == pytest.approx(1 - back.probability_of_improvement.estimate)
    assert forth.mean_difference.low == pytest.approx(-back.mean_difference.high)
    assert [(p, q) for p, q, _ in forth.dominance] == [(p, q) for p, q, _ in back.dominance]


@pytest.mark.parametrize("names", [("a", "b"), ("z", "b")])
def test_rows_of_one_draw_are_paired_and_fresh_runs_are_another_question(names):
    common = 10 * draws(2, 100)
    rows = [{"method": m, "seed": i, "score": x + d} for m, d in zip(names, (0.3, 0.0), strict=True) for i, x in enumerate(common)]  # fmt: skip
    c = compare(ogive.read(pandas(rows), unit="row", pair="seed"), *names)
    assert (c.paired, c.n) == (True, 100)
    assert c.probability_of_improvement.low > 0.9
    assert 0.5 < c.other_improvement.estimate < c.other_improvement.high < 0.7
    assert not compare(ogive.read(pandas(rows), unit="row"), *names).paired


def test_rows_without_partner_are_counted():
    rows = [{"method": "a", "seed": i, "score": i % 7} for i in range(20)]
    rows += [{"method": "b", "seed": i, "score": i % 5} for i in range(5, 22)]
    c = compare(ogive.read(pandas(rows), unit="row", pair="seed"), "a", "b")
    assert (c.n, c.n_unmatched) == (15, 7)


def test_pairing_can_be_declined():
    t = paired_table(draws(0, 20), draws(1, 20))
    assert not compare(t, "a", "b", paired=False).paired


def test_items_scored_0_or_1_get_mcnemars_test_and_an_interval_of_the_difference():
    rng = np.random.default_rng(3)
    right = rng.random(200) < 0.7
    better = right | (rng.random(200) < 0.3)
    rows = [
        {"model": m, "question": i, "score": float(s)}
        for m, v in (("a", better), ("b", right))
        for i, s in enumerate(v)
    ]
    c = compare(ogive.read(pandas(rows)), "a", "b", margin=0.01)
    assert (c.paired, c.conclusion) == (True, "better")
    assert c.mcnemar_p < 0.001
    assert c.primary.estimate == pytest.approx(better.mean() - right.mean())


@pytest.mark.parametrize(("wins", "losses"), [(40, 10), (20, 10), (21, 10), (6, 0), (5, 0), (30, 30)])
def test_pairs_of_right_and_wrong_answers_are_told_apart_where_mcnemar_does(wins, losses):
    a = np.repeat([1, 0, 1, 0], [wins, losses, 500, 450])
    b = np.repeat([0, 1, 1, 0], [wins, losses, 500, 450])
    rows = [{"model": m, "question": i, "score": float(s)} for m, v in (("a", a), ("b", b)) for i, s in enumerate(v)]
    c = compare(ogive.read(pandas(rows)), "a", "b")
    assert c.criterion == "mean"
    assert (c.conclusion == "better") == (c.mcnemar_p < 0.05) == (c.direction == 1)


def test_few_pairs_cannot_decide():
    c = compare(paired_table([5, 6, 7, 8, 9], [1, 2, 3, 4, 5]), "a", "b")
    assert (c.conclusion, c.detectable) == ("cannot tell", 1.0)


def test_six_pairs_can_decide_at_one_look_but_not_at_ten():
    t = paired_table([5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6])
    assert compare(t, "a", "b").conclusion == "better"
    assert compare(t, "a", "b", looks=10).conclusion == "cannot tell"


def test_several_tasks_get_one_verdict_and_a_family_of_verdicts_beside_it():
    rng = np.random.default_rng(4)
    shifts = {"t0": 0.3, "t1": 2, "t2": 2, "t3": 2, "t4": 0.0}
    t = ogive.read(
        {m: {k: rng.normal(s if m == "a" else 0, 1, 20) for k, s in shifts.items()} for m in "ab"}, unit="row", varied="seed"
    )  # fmt: skip
    c = compare(t, "a", "b")
    assert (c.conclusion, c.task, c.primary.confidence) == ("better", None, pytest.approx(0.95))
    assert c.primary.estimate == pytest.approx(np.mean([x.primary.estimate for x in c.tasks]))
    assert [x.conclusion for x in c.tasks] == ["cannot tell", "better", "better", "better", "cannot tell"]
    assert {x.family_size for x in c.tasks} == {5}
    # Three leave at a fifth of the error each; the two that are left share it.
    assert [round(1 - x.primary.confidence, 9) for x in c.tasks] == [0.025, 0.01, 0.01, 0.01, 0.025]


def test_three_runs_on_each_of_twelve_tasks_decide_over_tasks_though_on_none_alone():
    rng = np.random.default_rng(5)
    scores = {m: {f"t{i}": rng.normal(0.7 + shift, 0.02, 3) for i in range(12)} for m, shift in (("a", 0.05), ("b", 0.0))}  # fmt: skip
    c = compare(ogive.read(scores, unit="row", varied="seed"), "a", "b")
    assert c.conclusion == "better"
    assert {x.conclusion for x in c.tasks} == {"cannot tell"}


def test_a_comparison_is_json():
    t = table(draws(0, 8), draws(1, 8))
    assert json.loads(json.dumps(compare(t, "a", "b").to_dict()))["conclusion"] == "cannot tell"


def test_what_cannot_be_compared_is_refused():
    t = table(draws(0, 8), draws(1, 8))
    for call in (
        lambda: compare(t, "a", "a"),
        lambda: compare(t, "a", "z"),
        lambda: compare(t, "a", "b", margin=-1),
        lambda: compare(t, "a", "b", criterion="std"),
        lambda: compare(t, "a", "b", looks=0),
        lambda: compare(t, "a", "b", confidence=95),
        lambda: compare(table(draws(0, 8), draws(1, 8), independent=False), "a", "b"),
    ):
        with pytest.raises(InputError):
            call()
    with pytest.raises(FailedTrials):
        compare(table([1.0, np.nan, 2.0], [1.0, 2.0, 3.0]), "a", "b")


def test_deberta_v3_is_better_and_the_verdict_can_be_pasted(real_data):
    t = ogive.read(
        real_data / "opda_deberta_random_search.csv", score="acc_matched", unit="row", varied="configuration"
    )
    c = compare(t, "deberta-v3-base", "deberta-base")
    assert c.conclusion == "better"
    assert c.probability_of_improvement.estimate == pytest.approx(0.738, abs=0.001)
    assert c.verdict.startswith("deberta-v3-base is better than deberta-base: a run of")
    assert all(who == "deberta-v3-base" for _, _, who in c.dominance)


def test_atari_methods_are_compared_game_by_game_and_together(real_data):
    t = ogive.read(real_data / "rliable_atari100k_tidy.csv", unit="row", varied="seed")
    c = compare(t, "SPR", "DrQ(eps)")
    assert (len(c.tasks), c.criterion) == (26, "improvement")
    assert c.primary.estimate == pytest.approx(0.617, abs=0.001)


@pytest.mark.statistical
@pytest.mark.parametrize("tasks", [1, 10])
def test_equal_methods_are_told_apart_at_most_as_often_as_said(tasks):
    """Type I error of the whole family: any verdict but 'cannot tell', 2,000 tables."""
    rng, wrong, repetitions = np.random.default_rng(6), 0, 600 if tasks > 1 else 2000
    for _ in range(repetitions):
        scores = {m: {f"t{i}": rng.normal(size=20) for i in range(tasks)} for m in ("a", "b")}
        c = compare(ogive.read(scores, unit="row"), "a", "b")
        wrong += any(item.conclusion != "cannot tell" for item in c.tasks or (c,))
    assert wrong / repetitions <= 0.05 + 4.8 * np.sqrt(0.05 * 0.95 / repetitions)


def test_generalizing_to_new_rows_widens_the_interval_and_is_called_heuristic():
    t = paired_table(draws(0, 100, 0.3, 0.5), draws(1, 100, 0.0, 0.5), scope="these rows")
    here, beyond = (
        compare(t, "a", "b", criterion="mean", **choices)
        for choices in ({}, {"generalize": "rows", "test_share": 2 / 3})
    )
    assert beyond.primary.high - beyond.primary.low > 5 * (here.primary.high - here.primary.low)
    assert beyond.primary.guarantee == "heuristic"
    with pytest.raises(InputError):
        compare(t, "a", "b", generalize="rows")


def test_folds_are_compared_by_the_corrected_mean_and_called_heuristic():
    rows = [
        {"method": m, "fold": k, "score": s}
        for m, shift in (("a", 0.1), ("b", 0.0))
        for k, s in enumerate(draws(9, 10, shift, 0.05))
    ]
    t = ogive.read(pandas(rows), fold="fold")
    c = compare(t, "a", "b")
    assert (c.criterion, c.paired, c.primary.guarantee, c.other_improvement) == ("mean", True, "heuristic", None)
    for call in (compare, lambda t, a, b, **k: ogive.rank(t, **k), lambda t, a, b, **k: ogive.answers.leaders(t, **k)):
        for criterion in ("median", "improvement"):
            with pytest.raises(InputError, match="mean only"):
                call(t, "a", "b", criterion=criterion)


def test_a_hostile_name_stays_text_in_a_notebook():
    name = "</p><img src=x onerror=alert(1)>"
    scores = {name: {"x": draws(0, 9), "y": draws(1, 9)}, "b": {"x": draws(2, 9), "y": draws(3, 9)}}
    assert "<img" not in compare(ogive.read(scores, unit="row"), name, "b")._repr_html_()


def clustered_table(seed, n_groups=6, size=50, tasks=("x", "y")):
    """Equal methods; rows of a group share a large effect of the method there."""
    rng = np.random.default_rng(seed)
    rows = [
        {"method": m, "task": t, "group": g, "item": f"{g}-{i}", "score": effect + 0.1 * rng.normal()}
        for m in "abc" for t in tasks for g in range(n_groups) for effect in [rng.normal()] for i in range(size)
    ]  # fmt: skip
    return ogive.read(pandas(rows), unit="group", pair="item")


def test_clusters_count_once_over_several_tasks_and_in_rankings():
    told_apart = 0
    for seed in range(10):
        t = clustered_table(seed)
        told_apart += (compare(t, "a", "b").direction != 0) + (ogive.rank(t).resolution > 0)
    assert told_apart <= 6  # 20 of 20 where rows count


def test_winning_in_every_cluster_is_better():
    rows = [
        {"method": m, "group": g, "item": f"{g}-{i}", "score": i + (m == "a")}
        for m in "ab"
        for g in range(50)
        for i in range(3)
    ]
    assert compare(ogive.read(pandas(rows), unit="group", pair="item"), "a", "b").conclusion == "better"


def test_three_runs_against_three_cannot_decide():
    assert compare(table([10, 11, 12], [0, 1, 2]), "a", "b").conclusion == "cannot tell"
    assert compare(table([10, 11, 12, 13], [0, 1, 2, 3]), "a", "b").conclusion == "better"


def test_folds_that_are_not_joined_are_refused():
    rows = [{"method": m, "fold": f"{m}{k}", "score": k % 3} for m in "ab" for k in range(10)]
    with pytest.raises(InputError, match="share too few folds"):
        compare(ogive.read(pandas(rows), fold="fold"), "a", "b")


def test_an_unknown_metric_is_refused():
    with pytest.raises(InputError, match="metric"):
        compare(table(draws(0, 8), draws(1, 8)), "a", "b", metric="zz")


@pytest.mark.parametrize(("goal", "expected"), [("maximize", 0.0), ("minimize", 1.0)])
def test_the_violation_ratio_speaks_against_a_in_the_direction_of_the_metric(goal, expected):
    trials = ogive.read({"a": [5.0, 6, 7, 8, 9, 9], "b": [1.0, 2, 3, 3, 4, 6]}, unit="row", goal=goal)
    found = ogive.compare(trials, "a", "b")
    assert found.violation_ratio == expected
    assert found.to_dict()["violation_ratio"] == expected
    assert ogive.compare(trials, "b", "a").violation_ratio == 1.0 - expected


@pytest.mark.parametrize("failures", ["exclude", "worst", 0.0])
def test_failures_stand_in_the_verdict(failures):
    t = ogive.read({"a": [0.9, 0.92, 0.91, np.nan, 0.93, np.nan, 0.95, 0.96, 0.97, 0.9], "b": np.linspace(0.7, 0.8, 10)}, unit="row")  # fmt: skip
    c = compare(t, "a", "b", failures=failures)
    assert "2 of 10" in c.verdict
    assert c.question.failures == failures
    assert c.n_failed == (2, 0)
    assert c.to_dict()["n_failed"] == [2, 0]


def test_failures_without_a_bound_have_a_place_in_the_order_and_no_value():
    a = [0.9, 0.92, 0.91, np.nan, 0.93, np.nan, 0.95, 0.96, 0.97, 0.9]
    t = ogive.read({"a": a, "b": np.linspace(0.7, 0.8, 10)}, unit="row")
    c = compare(t, "a", "b", failures="worst")
    assert c.probability_of_improvement.estimate == pytest.approx(0.8)
    assert math.isnan(c.mean_difference.estimate)
    assert math.isnan(c.violation_ratio)
    assert c.to_dict()["violation_ratio"] is None
    for choices in ({"criterion": "mean"}, {"margin": 0.01}):
        with pytest.raises(InputError, match="the mean without"):
            compare(t, "a", "b", failures="worst", **choices)


def test_runs_that_are_all_equal_set_no_limits():
    c = compare(ogive.read({"a": [0.8] * 5, "b": [0.8] * 5}, unit="row"), "a", "b", margin=0.01)
    assert c.conclusion == "cannot tell"
    assert math.isinf(c.primary.high)
    assert "∞" not in c.verdict
    assert c.tied


def test_single_runs_on_many_tasks_take_the_tasks_for_a_sample():
    rng = np.random.default_rng(0)
    base = rng.normal(size=20)
    t = ogive.read({"a": {f"t{i}": [base[i] + 1.0] for i in range(20)}, "b": {f"t{i}": [base[i]] for i in range(20)}}, unit="row")  # fmt: skip
    c = compare(t, "a", "b")
    assert (c.conclusion, c.question.over, c.n) == ("better", "sample", 20)


def test_a_table_that_was_judged_before_says_so_until_the_looks_are_paid_for():
    t = dataclasses.replace(table(np.linspace(1, 2, 30), np.linspace(0, 1.5, 30)), looks=2)
    assert "looks=3" in compare(t, "a", "b").verdict
    assert "looks=3" in ogive.rank(t).verdict
    paid = compare(t, "a", "b", looks=3)
    assert "looks=" not in paid.verdict
    assert paid.primary.confidence == pytest.approx(1 - 0.05 / 3)
    assert ogive.rank(t, looks=3).pairs[0].difference.confidence == pytest.approx(1 - 0.05 / 3)


def test_repeats_of_an_item_are_averaged_where_one_method_has_none():
    import pandas as pd

    once = [{"model": "a", "item": f"i{k}", "seed": 0, "score": float(k)} for k in range(12)]
    twice = [{"model": "b", "item": f"i{k}", "seed": s, "score": float(k)} for k in range(12) for s in (0, 1)]
    t = ogive.read(pd.DataFrame(once + twice), item="item", repeat="seed", unit="item")
    c = compare(t, "a", "b")
    assert (c.conclusion, c.paired, c.n) == ("cannot tell", True, 12)
    assert c.probability_of_improvement.estimate == 0.5
    assert math.isinf(c.mean_difference.high)  # equal means of every item set no limits


@pytest.mark.parametrize("n", [200, 201])
@pytest.mark.parametrize("criterion", ["q0.1", "q0.9", "median"])
def test_a_quantile_of_a_loss_is_the_quantile_that_a_summary_shows(criterion, n):
    rng = np.random.default_rng(3)
    a, b = rng.exponential(size=n), rng.exponential(size=n)
    b[np.argsort(b)[:60]] /= 10.0
    t = ogive.read({"a": a, "b": b}, unit="row", goal="minimize")
    frame = ogive.summarize(t, statistics=[criterion]).to_pandas().set_index("algorithm")["estimate"]
    assert compare(t, "a", "b", criterion=criterion).primary.estimate == pytest.approx(frame["b"] - frame["a"])


def test_generalizing_is_for_the_mean_of_pairs_only():
    t = paired_table(draws(0, 20, 0.2), draws(1, 20), scope="these rows")
    assert compare(t, "a", "b", generalize="rows", test_share=0.5).criterion == "mean"
    for choices in ({"criterion": "median"}, {"criterion": "improvement"}, {"paired": False}):
        with pytest.raises(InputError):
            compare(t, "a", "b", generalize="rows", test_share=0.5, **choices)
    for share in (0.0, -1.0, math.inf):
        with pytest.raises(InputError, match="must be positive"):
            compare(t, "a", "b", generalize="rows", test_share=share)


def test_the_conclusion_over_all_tasks_pays_for_looks():
    rng = np.random.default_rng(1)
    t = ogive.read(
        {m: {f"t{i}": rng.normal(s, 1, 15) for i in range(3)} for m, s in (("a", 0.5), ("b", 0.0))}, unit="row"
    )
    one, many = compare(t, "a", "b"), compare(t, "a", "b", looks=20)
    assert many.primary.confidence == pytest.approx(1 - 0.05 / 20)
    assert many.primary.low < one.primary.low
    assert many.primary.estimate == one.primary.estimate


def test_failures_without_a_value_are_counted_by_duels_over_tasks_too():
    rng = np.random.default_rng(2)
    a = {f"t{i}": np.append(rng.normal(5, 1, 8), np.nan) for i in range(6)}
    b = {f"t{i}": rng.normal(0, 1, 9) for i in range(6)}
    c = compare(ogive.read({"a": a, "b": b}, unit="row"), "a", "b", failures="worst")
    assert c.criterion == "improvement"
    assert c.primary.estimate == pytest.approx(8 / 9, abs=0.02)
    huge = ogive.read({"a": [1e20] * 9 + [np.nan], "b": [1e20] * 10}, unit="row")
    assert compare(huge, "a", "b", failures="worst").probability_of_improvement.estimate == pytest.approx(0.45)


def test_tasks_of_one_method_only_are_left_out():
    rng = np.random.default_rng(2)
    t = ogive.read({"a": {f"t{i}": rng.normal(size=5) for i in range(4)}, "b": {f"t{i}": rng.normal(size=5) for i in range(2)}}, unit="row")  # fmt: skip
    assert [c.task for c in compare(t, "a", "b").tasks] == ["t0", "t1"]


def test_an_interval_with_one_end_says_at_least():
    rng = np.random.default_rng(0)
    c = compare(
        ogive.read({"a": rng.normal(-6, 1, 20), "b": rng.normal(0, 1, 200)}, unit="row"), "a", "b", criterion="q0.1"
    )
    assert c.conclusion == "worse"
    assert math.isinf(c.primary.low)
    assert re.search(r"lower by [\d.]+ \(at least [\d.]+\)", c.verdict)
    assert "no limits" not in c.verdict


def test_a_declared_bound_is_what_failures_count_as():
    t = ogive.read({"a": [1.0, 1, 1, 0, 1, np.nan], "b": [0.0, 1, 0, 0, 1, 0]}, unit="row", bounds=(0, 1))
    c = compare(t, "a", "b", failures="worst", criterion="mean")
    assert c.primary.estimate == pytest.approx(4 / 6 - 2 / 6)


def test_clusters_are_compared_by_their_means():
    rng = np.random.default_rng(0)
    rows = [{"model": m, "seed": f"{m}{i}", "score": rng.normal(s)} for m, s in (("a", 0.3), ("b", 0.0)) for i in range(10) for _ in range(50)]  # fmt: skip
    frame = pandas(rows)
    c = compare(ogive.read(frame, group="seed", unit="seed"), "a", "b")
    assert (c.n, c.n_runs, c.criterion) == (20, (10, 10), "improvement")
    means = frame.groupby(["model", "seed"])["score"].mean()
    wins = np.subtract.outer(means["a"].to_numpy(), means["b"].to_numpy()) > 0
    assert c.primary.estimate == pytest.approx(wins.mean())


def test_a_margin_of_a_probability_stays_below_one_half():
    with pytest.raises(InputError, match=r"below 0\.5"):
        compare(table([1, 2, 3], [1, 2, 3]), "a", "b", criterion="improvement", margin=1.0)


def test_words_for_units_and_sources_cannot_steer_the_terminal():
    t = dataclasses.replace(
        table([1, 2, 3, 4], [2, 3, 4, 5]), varied=("\x1b]0;pwned\x07",), unit="\x1b[31mseed", clustered=False
    )
    assert "\x1b" not in compare(t, "a", "b").verdict + str(ogive.rank(t)) + str(ogive.summarize(t))


def test_pairs_that_are_all_tied_are_not_said_to_be_won_half_the_time():
    scores = draws(3, 12)
    c = compare(paired_table(scores, scores), "a", "b", criterion="improvement")
    assert c.tied
    assert "50 %" not in c.verdict
    assert c.needed is None
    assert c.questions["on average"].refused == "tied"
    assert "∞" not in str(compare(paired_table(scores, scores), "a", "b", criterion="mean"))


def test_one_pair_that_differs_is_no_tie():
    scores = draws(3, 12)
    other = scores + np.where(np.arange(12) == 4, 0.5, 0.0)
    assert not compare(paired_table(scores, other), "a", "b").tied
    assert not compare(table(scores, scores), "a", "b").tied  # the same numbers, and not in pairs
    assert compare(table([1.0] * 4, [1.0] * 9), "a", "b").tied


def test_failed_runs_of_both_that_count_as_worst_are_tied():
    failed = [math.nan] * 5
    assert compare(table(failed, failed), "a", "b", failures="worst").tied


def test_all_runs_equal_on_each_of_several_tasks_are_tied():
    both = {m: {"x": [1.0] * 5, "y": [2.0] * 5} for m in "ab"}
    c = compare(ogive.read(both, unit="row", varied="seed"), "a", "b", criterion="improvement")
    assert c.tied


def test_pairs_of_quantiles_assume_independent_pairs():
    scores = draws(5, 30)
    pairs = paired_table(scores + draws(6, 30, 0.2, 0.1), scores)
    for guaranteed in (False, True):
        assert (
            compare(pairs, "a", "b", criterion="median", guaranteed=guaranteed).primary.assumptions[0]
            == "independent pairs"
        )
    apart = compare(pairs, "a", "b", criterion="median", paired=False)
    assert apart.primary.assumptions[0] == "independent scores"


def overruled_folds() -> ogive.Trials:
    rng = np.random.default_rng(0)
    rows = [
        {"model": m, "repeat": r, "fold": f, "score": 0.8 + shift + rng.normal(0, 0.01)}
        for m, shift in {"a": 0.02, "b": 0.0, "c": 0.0}.items() for r in range(5) for f in range(10)
    ]  # fmt: skip
    return ogive.read(pd.DataFrame(rows), unit="row", bounds=(0, 1))


def test_nothing_about_folds_is_guaranteed_because_somebody_called_them_independent():
    trials = overruled_folds()
    for criterion in ("improvement", "mean", "q0.1"):
        c = ogive.compare(trials, "a", "b", criterion=criterion)
        assert c.strength == "heuristic"
        assert {q.interval.strength for q in c.questions.values() if q.interval is not None} == {"heuristic"}
        assert "share training rows" in c.verdict
        assert "guaranteed" not in str(c)
    ranking = ogive.rank(trials)
    assert ranking.strength == "heuristic"
    assert "share training rows" in ranking.verdict
    summary = ogive.summarize(trials)
    assert {r.strength for r in summary.rows} == {"heuristic"}
    assert "share training rows" in str(summary)
    assert {cell.band.strength for cell in ogive.answers.bands(trials)} == {"heuristic"}
    assert "guaranteed 95 %" not in "".join(a.answer for a in ogive.inspect(trials).answers if a.possible)
    with pytest.raises(InputError, match="independent rows"):
        ogive.compare(trials, "a", "b", guaranteed=True)


@pytest.mark.parametrize("margin", [None, 0.02])
def test_what_a_comparison_of_means_could_detect_is_what_a_plan_with_its_runs_says(margin):
    rng = np.random.default_rng(5)
    right = (rng.random((2, 300)) < 0.7).astype(float)
    items = {m: row.tolist() for m, row in zip("ab", right, strict=True)}
    rows = [{"model": m, "item": i, "right": x} for m, row in items.items() for i, x in enumerate(row)]
    pairs = ogive.read(pd.DataFrame(rows), score="right", item="item", bounds=(0, 1))
    apart = ogive.read({m: rng.normal(size=40) for m in "ab"}, unit="row", bounds=(-9, 9))
    for trials, n in ((pairs, 300), (apart, 80)):
        c = compare(trials, "a", "b", margin=margin)
        planned = ogive.plan(trials, n_trials=n, **({} if margin is None else {"margin": margin}))
        assert c.detectable == pytest.approx(planned.achieved_width)
    if margin is not None and c.conclusion == "cannot tell":
        assert "as better by more than 0.02, four times in five" in c.verdict
