"""compare: conclusions, families, pairing, sentences with all their ingredients, real tables."""

import dataclasses
import json
import math
import re

import numpy as np
import pytest

import ogive
from ogive.answers import compare
from ogive.errors import FailedTrials, InputError


def table(a, b, **facts):
    return ogive.read({"a": list(a), "b": list(b)}, **({"unit": "row", "varied": "seed"} | facts))


def paired_table(a, b, **facts):
    rows = [{"method": m, "seed": i, "score": s} for m, scores in (("a", a), ("b", b)) for i, s in enumerate(scores)]
    return ogive.read(pandas(rows), unit="row", **facts)


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
    (draws(0, 200, 1.5), draws(1, 200), {"statistic": "median"}, "better"),
    (draws(0, 300, 1.5), draws(1, 300), {"statistic": "worst_0.1"}, "better"),
]


@pytest.mark.parametrize(("a", "b", "choices", "conclusion"), CASES)
def test_every_conclusion_is_reached_by_the_samples_that_deserve_it(a, b, choices, conclusion):
    assert compare(table(a, b), "a", "b", **choices).conclusion == conclusion


@pytest.mark.parametrize(("a", "b", "choices", "conclusion"), CASES)
def test_a_verdict_has_all_its_ingredients(a, b, choices, conclusion):
    c = compare(table(a, b), "a", "b", **choices)
    assert re.search(r"-?\d[\d.]* \[-?[\d.]+, -?[\d.]+\]", c.verdict), "effect with interval"
    assert f"{len(a)} and {len(b)} runs" in c.verdict
    assert "not paired" in c.verdict
    assert "seed varied" in c.verdict
    assert "one verdict" in c.verdict
    assert "95 % interval" in c.verdict
    if conclusion == "cannot tell":
        assert "80 % power" in c.verdict
        assert re.search(r"\d+ runs in all would show", c.verdict)
    if "margin" in choices:
        assert f"{choices['margin']:g}" in c.verdict


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


def test_rows_with_the_same_seed_are_paired_and_both_questions_are_answered():
    common = 10 * draws(2, 100)
    c = compare(paired_table(common + 0.3, common), "a", "b")
    assert c.paired
    assert c.probability_of_improvement.low > 0.9
    assert c.other_improvement.high < 0.7
    assert "on the same draw" in c.verdict
    assert "100 pairs, paired" in c.verdict


def test_rows_without_partner_are_counted():
    rows = [{"method": "a", "seed": i, "score": i % 7} for i in range(20)]
    rows += [{"method": "b", "seed": i, "score": i % 5} for i in range(5, 22)]
    c = compare(ogive.read(pandas(rows), unit="row"), "a", "b")
    assert c.n == 15
    assert "7 rows without partner left out" in c.verdict


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
    assert c.paired
    assert c.mcnemar_p < 0.001
    assert c.primary.method == "Newcombe paired"
    assert c.conclusion == "better"


def test_few_pairs_cannot_decide_and_the_sentence_says_so():
    c = compare(paired_table([5, 6, 7, 8, 9], [1, 2, 3, 4, 5]), "a", "b")
    assert c.conclusion == "cannot tell"
    assert "too few to show any difference" in c.verdict


def test_six_pairs_can_decide_one_verdict_but_not_ten():
    t = paired_table([5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6])
    assert compare(t, "a", "b").conclusion == "better"
    assert compare(t, "a", "b", family_size=10).conclusion == "cannot tell"
    assert compare(t, "a", "b", looks=10).conclusion == "cannot tell"


def test_several_tasks_are_one_family_and_get_one_sentence():
    rng = np.random.default_rng(4)
    t = ogive.read(
        {"a": {f"t{i}": rng.normal(1, 1, 30) for i in range(5)}, "b": {f"t{i}": rng.normal(0, 1, 30) for i in range(5)}},
        unit="row", varied="seed",
    )  # fmt: skip
    c = compare(t, "a", "b")
    assert len(c) == 5
    assert all(item.family_size == 5 for item in c.items)
    assert c[0].primary.confidence == pytest.approx(0.99)
    assert c.verdict.startswith("Over 5 tasks a is better than b: averaged over them, a fresh run of a")
    assert "has the better mean on 5" in c.verdict


def test_three_seeds_on_twelve_tasks_yield_sentences_not_empty_bands():
    rng = np.random.default_rng(5)
    scores = {m: {f"t{i}": rng.normal(0.7 + shift, 0.02, 3) for i in range(12)} for m, shift in (("a", 0.05), ("b", 0.0), ("c", 0.0), ("d", -0.02))}  # fmt: skip
    c = compare(ogive.read(scores, unit="row", varied="seed"), "a", "b")
    assert c.overall.improvement.low > 0.5
    assert "On none of the tasks alone" in c.verdict
    assert re.search("better mean on 1[12] of 12", c.verdict)


def test_a_margin_moves_the_primary_statistic_to_the_mean():
    t = table(draws(0, 30), draws(1, 30))
    assert compare(t, "a", "b").statistic == "improvement"
    assert compare(t, "a", "b", margin=0.1).statistic == "mean"


def test_the_scope_stands_in_the_sentence():
    t = table(draws(0, 30, 2), draws(1, 30), scope="these rows")
    assert "on these rows, over random splits" in compare(t, "a", "b").verdict


def test_a_comparison_is_json():
    t = table(draws(0, 8), draws(1, 8))
    assert json.loads(json.dumps(compare(t, "a", "b").to_dict()))["conclusion"] == "cannot tell"


def test_what_cannot_be_compared_is_refused():
    t = table(draws(0, 8), draws(1, 8))
    for call in (
        lambda: compare(t, "a", "a"),
        lambda: compare(t, "a", "z"),
        lambda: compare(t, "a", "b", margin=-1),
        lambda: compare(t, "a", "b", statistic="std"),
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
    assert c.verdict.startswith("deberta-v3-base is better than deberta-base more often than not: a fresh run of")
    assert all(who == "deberta-v3-base" for _, _, who in c.dominance)


def test_atari_methods_are_compared_game_by_game_and_together(real_data):
    t = ogive.read(real_data / "rliable_atari100k_tidy.csv", unit="row", varied="seed")
    c = compare(t, "SPR", "DrQ(eps)")
    assert len(c) == 26
    assert c.overall.improvement.estimate == pytest.approx(0.617, abs=0.001)


@pytest.mark.statistical
@pytest.mark.parametrize("tasks", [1, 10])
def test_equal_methods_are_told_apart_at_most_as_often_as_said(tasks):
    """Type I error of the whole family: any verdict but 'cannot tell', 2,000 tables."""
    rng, wrong, repetitions = np.random.default_rng(6), 0, 600 if tasks > 1 else 2000
    for _ in range(repetitions):
        scores = {m: {f"t{i}": rng.normal(size=20) for i in range(tasks)} for m in ("a", "b")}
        c = compare(ogive.read(scores, unit="row"), "a", "b")
        items = c.items if tasks > 1 else (c,)
        wrong += any(item.conclusion != "cannot tell" for item in items)
    assert wrong / repetitions <= 0.05 + 4.8 * np.sqrt(0.05 * 0.95 / repetitions)


def test_generalising_to_new_rows_widens_the_interval_and_says_so():
    t = paired_table(draws(0, 100, 0.3, 0.5), draws(1, 100, 0.0, 0.5), scope="these rows")
    here, beyond = (
        compare(t, "a", "b", statistic="mean", **choices)
        for choices in ({}, {"generalise": "rows", "test_share": 2 / 3})
    )
    assert beyond.primary.high - beyond.primary.low > 5 * (here.primary.high - here.primary.low)
    assert beyond.primary.guarantee == "heuristic"
    assert "for new data like these rows" in beyond.verdict
    with pytest.raises(InputError):
        compare(t, "a", "b", generalise="rows")


def test_folds_are_compared_by_the_corrected_mean_and_called_heuristic():
    rows = [
        {"method": m, "fold": k, "score": s}
        for m, shift in (("a", 0.1), ("b", 0.0))
        for k, s in enumerate(draws(9, 10, shift, 0.05))
    ]
    c = compare(ogive.read(pandas(rows), fold="fold", pair="fold"), "a", "b")
    assert (c.statistic, c.primary.guarantee) == ("mean", "heuristic")


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
        i = compare(t, "a", "b").overall.improvement
        told_apart += i.excludes(0.5) + (ogive.rank(t).resolution > 0)
    assert told_apart <= 6  # 20 of 20 where rows count


def test_clustered_rows_are_not_compared_by_quantiles():
    t = clustered_table(0, tasks=("x",))
    with pytest.raises(InputError, match="improvement or mean"):
        compare(t, "a", "b", statistic="median")


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
    rows = [{"method": m, "fold": k, "score": k % 3} for m in "ab" for k in range(10)]
    with pytest.raises(InputError, match="pair="):
        compare(ogive.read(pandas(rows), fold="fold"), "a", "b")


def test_an_unknown_metric_is_refused():
    with pytest.raises(InputError, match="metric"):
        compare(table(draws(0, 8), draws(1, 8)), "a", "b", metric="zz")


def test_the_printed_interval_lies_on_the_side_that_the_verdict_says():
    t = table(draws(0, 30, 0.55), draws(1, 30))
    c = compare(t, "a", "b", statistic="mean")
    low = float(re.search(r"\[(-?[\d.]+), ", c.verdict)[1])
    assert (low > 0) == (c.primary.low > 0)


@pytest.mark.parametrize(("goal", "expected"), [("maximize", 0.0), ("minimize", 1.0)])
def test_the_violation_ratio_speaks_against_a_in_the_direction_of_the_metric(goal, expected):
    trials = ogive.read({"a": [5.0, 6, 7, 8, 9, 9], "b": [1.0, 2, 3, 3, 4, 6]}, unit="row", goal=goal)
    found = ogive.compare(trials, "a", "b")
    assert found.violation_ratio == expected
    assert found.to_dict()["violation_ratio"] == expected
    assert ogive.compare(trials, "b", "a").violation_ratio == 1.0 - expected


def test_a_verdict_says_what_points_the_other_way():
    often = np.append(np.linspace(0.8, 0.9, 18), [0.0, 0.0])
    c = compare(ogive.read({"a": often, "b": np.linspace(0.78, 0.80, 20)}, unit="row"), "a", "b")
    assert c.conclusion == "better"
    assert c.verdict.startswith("a is better than b more often than not")
    assert "But for a, its mean score is worse by" in c.verdict
    back = compare(ogive.read({"a": often, "b": np.linspace(0.78, 0.80, 20)}, unit="row"), "b", "a")
    assert "But for b, its mean score is better by" in back.verdict


@pytest.mark.parametrize(
    ("failures", "words"),
    [
        ("exclude", "2 failed runs of a are left out"),
        ("worst", "2 failed runs of a count as worse than every score"),
        (0.0, "2 failed runs of a count as 0"),
    ],
)
def test_failures_stand_in_the_verdict(failures, words):
    t = ogive.read({"a": [0.9, 0.92, 0.91, np.nan, 0.93, np.nan, 0.95, 0.96, 0.97, 0.9], "b": np.linspace(0.7, 0.8, 10)}, unit="row")  # fmt: skip
    c = compare(t, "a", "b", failures=failures)
    assert words in c.verdict
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
    for choices in ({"statistic": "mean"}, {"margin": 0.01}):
        with pytest.raises(InputError, match="leave the mean without a value"):
            compare(t, "a", "b", failures="worst", **choices)


def test_runs_that_are_all_equal_set_no_limits_and_say_so():
    c = compare(ogive.read({"a": [0.8] * 5, "b": [0.8] * 5}, unit="row"), "a", "b", margin=0.01)
    assert c.conclusion == "cannot tell"
    assert "∞" not in c.verdict
    assert "set no limits" in c.verdict
    assert "ties counting half" in compare(ogive.read({"a": [0.8] * 5, "b": [0.8] * 5}, unit="row"), "a", "b").verdict


def test_single_runs_on_many_tasks_are_judged_by_tasks_won_and_say_why():
    rng = np.random.default_rng(0)
    base = rng.normal(size=20)
    t = ogive.read({"a": {f"t{i}": [base[i] + 1.0] for i in range(20)}, "b": {f"t{i}": [base[i]] for i in range(20)}}, unit="row")  # fmt: skip
    c = compare(t, "a", "b")
    assert c.conclusion == "better"
    assert "a single run on a task" in c.verdict
    assert "random sample" in c.verdict


@pytest.mark.parametrize(
    "call", [lambda x: compare(x, "a", "b"), ogive.rank, ogive.summarize, ogive.inspect, ogive.leaders]
)
@pytest.mark.parametrize("source", ["scores.csv", {"a": [1.0], "b": [2.0]}])
def test_what_was_not_read_is_refused_in_one_sentence(call, source):
    with pytest.raises(InputError, match="A table is read first"):
        call(source)


def test_a_table_that_was_judged_before_says_so_until_the_looks_are_paid_for():
    t = dataclasses.replace(table(np.linspace(1, 2, 30), np.linspace(0, 1.5, 30)), looks=2)
    assert "judged 2 times before with fewer runs, which is not paid for (say looks=3)" in compare(t, "a", "b").verdict
    assert "judged 2 times before" in ogive.rank(t).verdict
    paid = compare(t, "a", "b", looks=3)
    assert "judged" not in paid.verdict
    assert paid.primary.confidence == pytest.approx(1 - 0.05 / 3)
    assert ogive.rank(t, looks=3).pairs[0].difference.confidence == pytest.approx(1 - 0.05 / 3)


def test_repeats_of_an_item_are_averaged_where_one_method_has_none():
    import pandas as pd

    once = [{"model": "a", "item": f"i{k}", "seed": 0, "score": float(k)} for k in range(12)]
    twice = [{"model": "b", "item": f"i{k}", "seed": s, "score": float(k)} for k in range(12) for s in (0, 1)]
    t = ogive.read(pd.DataFrame(once + twice), item="item", repeat="seed", unit="item")
    c = compare(t, "a", "b")
    assert c.conclusion == "cannot tell"
    assert c.probability_of_improvement.estimate == 0.5
    assert c.mean_difference.estimate == 0.0


@pytest.mark.parametrize("statistic", ["q0.1", "q0.9", "median"])
def test_a_quantile_of_a_loss_is_the_quantile_that_a_summary_shows(statistic):
    rng = np.random.default_rng(3)
    a, b = rng.exponential(size=201), rng.exponential(size=201)
    b[np.argsort(b)[:60]] /= 10.0
    t = ogive.read({"a": a, "b": b}, unit="row", goal="minimize")
    frame = ogive.summarize(t, statistics=[statistic]).to_pandas().set_index("algorithm")["estimate"]
    assert compare(t, "a", "b", statistic=statistic).primary.estimate == pytest.approx(
        frame["b"] - frame["a"], abs=0.02
    )


def test_generalising_is_for_the_mean_of_pairs_only():
    t = paired_table(draws(0, 20, 0.2), draws(1, 20), scope="these rows")
    assert compare(t, "a", "b", generalise="rows", test_share=0.5).statistic == "mean"
    for choices in ({"statistic": "median"}, {"statistic": "improvement"}, {"paired": False}):
        with pytest.raises(InputError):
            compare(t, "a", "b", generalise="rows", test_share=0.5, **choices)
    for share in (0.0, -1.0, math.inf):
        with pytest.raises(InputError, match="must be positive"):
            compare(t, "a", "b", generalise="rows", test_share=share)


def test_the_conclusion_over_all_tasks_pays_for_looks():
    rng = np.random.default_rng(1)
    t = ogive.read(
        {m: {f"t{i}": rng.normal(s, 1, 15) for i in range(3)} for m, s in (("a", 0.5), ("b", 0.0))}, unit="row"
    )
    one, many = compare(t, "a", "b"), compare(t, "a", "b", looks=20)
    assert many.overall.improvement.confidence == pytest.approx(1 - 0.05 / 20)
    assert many.overall.improvement.low < one.overall.improvement.low
    assert (
        "not paid for (say looks=2)"
        in compare(dataclasses.replace(t, looks=1), "a", "b").verdict.split("Task by task")[0]
    )


def test_failures_without_a_value_are_counted_by_duels_over_tasks_too():
    rng = np.random.default_rng(2)
    a = {f"t{i}": np.append(rng.normal(5, 1, 8), np.nan) for i in range(6)}
    b = {f"t{i}": rng.normal(0, 1, 9) for i in range(6)}
    c = compare(ogive.read({"a": a, "b": b}, unit="row"), "a", "b", failures="worst")
    assert c.overall.wins == 6
    assert "a wins most duels on 6 of 6" in c.verdict
    huge = ogive.read({"a": [1e20] * 9 + [np.nan], "b": [1e20] * 10}, unit="row")
    assert compare(huge, "a", "b", failures="worst").probability_of_improvement.estimate == pytest.approx(0.45)


def test_tasks_of_one_method_only_are_counted_out_loud():
    rng = np.random.default_rng(2)
    t = ogive.read({"a": {f"t{i}": rng.normal(size=5) for i in range(4)}, "b": {f"t{i}": rng.normal(size=5) for i in range(2)}}, unit="row")  # fmt: skip
    assert "2 tasks of only one of them left out" in compare(t, "a", "b").verdict


def test_an_interval_with_one_end_says_at_least():
    rng = np.random.default_rng(0)
    c = compare(
        ogive.read({"a": rng.normal(-6, 1, 20), "b": rng.normal(0, 1, 200)}, unit="row"), "a", "b", statistic="q0.1"
    )
    assert c.conclusion == "worse"
    assert math.isinf(c.primary.low)
    assert re.search(r"is worse by [\d.]+, at least [\d.]+", c.verdict)
    assert "no limits" not in c.verdict


def test_a_declared_bound_is_what_failures_count_as():
    t = ogive.read({"a": [1.0, 1, 1, 0, 1, np.nan], "b": [0.0, 1, 0, 0, 1, 0]}, unit="row", bounds=(0, 1))
    assert "1 failed run of a counts as 0, the worst possible score" in compare(t, "a", "b", failures="worst").verdict


def test_clusters_are_compared_by_their_means_and_the_sentence_says_so():
    import pandas as pd

    rng = np.random.default_rng(0)
    rows = [{"model": m, "seed": f"{m}{i}", "score": rng.normal(s)} for m, s in (("a", 0.3), ("b", 0.0)) for i in range(10) for _ in range(50)]  # fmt: skip
    c = compare(ogive.read(pd.DataFrame(rows), group="seed", unit="seed"), "a", "b")
    assert "a fresh seed, by its mean, of a beats a fresh seed of b" in c.verdict


def test_a_margin_of_a_probability_stays_below_one_half():
    with pytest.raises(InputError, match=r"below 0\.5"):
        compare(table([1, 2, 3], [1, 2, 3]), "a", "b", statistic="improvement", margin=1.0)


def test_words_for_units_and_sources_cannot_steer_the_terminal():
    t = dataclasses.replace(
        table([1, 2, 3, 4], [2, 3, 4, 5]), varied=("\x1b]0;pwned\x07",), unit="\x1b[31mseed", clustered=False
    )
    assert "\x1b" not in compare(t, "a", "b").verdict + str(ogive.rank(t)) + str(ogive.summarize(t))
