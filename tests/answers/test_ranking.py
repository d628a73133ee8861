"""rank: tiers, rank intervals, pairs that do not depend on others."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers import rank
from ogive.errors import InputError
from ogive.statistics import rank_limits, tiers, win_shares


def table(seed=0, n=40, shifts=(1.0, 0.9, 0.0, -1.0), n_tasks=1):
    rng = np.random.default_rng(seed)
    scores = {f"m{i}": {f"t{t}": rng.normal(s, 1, n) for t in range(n_tasks)} for i, s in enumerate(shifts)}
    return ogive.read(scores, unit="row", varied="seed")


def test_win_shares_hold_every_pair():
    rng = np.random.default_rng(1)
    samples = [rng.integers(0, 5, n).astype(float) for n in (7, 4, 9)]
    wins = win_shares(samples)
    for i in range(3):
        for j in range(3):
            duels = [(a > b) + 0.5 * (a == b) for a in samples[i] for b in samples[j]]
            assert wins[i, j] == pytest.approx(np.mean(duels))


def test_a_tier_is_one_below_the_lowest_of_all_that_are_certainly_better():
    """0 ~ 1 ~ 2, and 0 before 2: 1 stands in the first tier, 2 in the second; a longer chain goes deeper."""
    better = np.zeros((3, 3), dtype=bool)
    better[0, 2] = True
    assert tiers(better)[0].tolist() == [1, 1, 2]
    chain = np.zeros((4, 4), dtype=bool)
    chain[[0, 1, 0, 2], [1, 2, 2, 3]] = True
    assert tiers(chain)[0].tolist() == [1, 2, 3, 4]


def test_a_circle_shares_a_tier_and_is_named():
    better = np.zeros((5, 5), dtype=bool)
    better[[1, 2, 3, 0, 3], [2, 3, 1, 1, 4]] = True
    found, circles = tiers(better)
    assert found.tolist() == [1, 2, 2, 2, 3]
    assert circles == [[1, 2, 3]]


@pytest.mark.parametrize("seed", range(20))
def test_a_certainly_better_method_always_stands_in_a_higher_tier(seed):
    rng = np.random.default_rng(seed)
    better = np.triu(rng.random((9, 9)) < 0.3, 1)
    found, circles = tiers(better)
    i, j = np.nonzero(better)
    assert (found[i] < found[j]).all()
    assert circles == []
    for m in np.flatnonzero(found > 1):
        assert found[better[:, m]].max() == found[m] - 1


def test_rank_limits_count_who_is_certainly_better_and_worse():
    better = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    low, high = rank_limits(better)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])


@pytest.mark.parametrize("n_tasks", [1, 4])
def test_a_ranking_puts_methods_into_tiers(n_tasks):
    r = rank(table(n_tasks=n_tasks))
    frame = r.to_pandas()
    assert list(frame.columns) == ["algorithm", "score", "rank_low", "rank_high", "tier"]
    assert set(frame["algorithm"][:2]) == {"m0", "m1"}
    assert frame["algorithm"].tolist()[2:] == ["m2", "m3"]
    assert frame["tier"].tolist() == [1, 1, 2, 3]
    assert (frame["rank_low"] <= frame["rank_high"]).all()
    assert (r.resolution, r.n_separated, r.n_pairs) == (pytest.approx(5 / 6), 5, 6)
    assert set(r.leaders) == {"m0", "m1"}


def test_differences_of_a_pair_do_not_change_when_a_method_is_added():
    few, many = rank(table(shifts=(1.0, 0.9, 0.0))), rank(table(shifts=(1.0, 0.9, 0.0, -1.0)))
    a, b = few.pair("m0", "m2"), many.pair("m0", "m2")
    assert (a.difference.estimate, a.wins, a.ties, a.losses) == (b.difference.estimate, b.wins, b.ties, b.losses)
    assert b.difference.low < a.difference.low  # the family has grown


def test_a_pair_can_be_turned_round():
    r = rank(table(n_tasks=3))
    forth, back = r.pair("m0", "m3"), r.pair("m3", "m0")
    assert (forth.conclusion, back.conclusion) == ("better", "worse")
    assert back.difference.high == pytest.approx(1 - forth.difference.low)
    assert (back.wins, back.losses) == (forth.losses, forth.wins)


def test_goal_minimize_puts_the_small_scores_first():
    r = rank(ogive.read({"slow": [5.0, 6, 7, 8, 9], "fast": [1.0, 2, 1, 2, 1]}, unit="row", goal="minimize"))
    assert [row.algorithm for row in r.rows] == ["fast", "slow"]
    assert r.rows[0].score == 1.0  # of all duels
    r = rank(
        ogive.read({"slow": [5.0, 6, 7, 8, 9], "fast": [1.0, 2, 1, 2, 1]}, unit="row", goal="minimize"),
        criterion="mean",
    )
    assert [(row.algorithm, row.score) for row in r.rows] == [("fast", pytest.approx(1.4)), ("slow", 7.0)]


def test_the_same_seed_gives_the_same_ranking():
    assert rank(table()).to_pandas().equals(rank(table()).to_pandas())


def test_methods_that_miss_a_task_are_named():
    t = ogive.read({"a": {"x": [1.0, 2], "y": [1.0, 2]}, "b": {"x": [1.0, 3]}}, unit="row")
    with pytest.raises(InputError, match="'b'"):
        rank(t)
    assert len(rank(t, task="x").rows) == 2


def test_one_method_cannot_be_ranked():
    with pytest.raises(InputError):
        rank(ogive.read({"a": [1.0, 2.0]}, unit="row"))


def test_atari_methods_fall_into_tiers(real_data):
    r = rank(ogive.read(real_data / "rliable_atari100k_tidy.csv", unit="row", varied="seed"))
    assert [row.algorithm for row in r.rows][:3] == ["IRIS", "PlayVirtual", "SPR"]
    assert r.rows[-1].algorithm == "OTRainbow"


def test_tables_that_may_not_be_judged_are_not_ranked():
    adaptive = ogive.read({"a": {"x": [1.0, 2], "y": [1.0, 2]}, "b": {"x": [1.0, 3], "y": [2.0, 3]}}, independent=False)
    with pytest.raises(InputError, match="no verdict"):
        rank(adaptive)


def test_rows_without_partner_do_not_make_tiers_and_rank_intervals_disagree():
    rows = [{"method": "a", "seed": i, "score": 1.0 + 0.01 * (i % 3)} for i in range(10)]
    rows += [{"method": "a", "seed": 100 + i, "score": 9.0 + 0.01 * i} for i in range(10)]
    rows += [{"method": "b", "seed": i, "score": 1.5 + 0.01 * (i % 4)} for i in range(10)]
    import pandas as pd

    for row in rank(ogive.read(pd.DataFrame(rows), unit="row", pair="seed")).rows:
        assert not (row.tier == 1 and row.rank_low > 1)


def test_a_margin_puts_methods_that_are_close_into_one_tier():
    rng = np.random.default_rng(1)
    t = ogive.read({"a": rng.normal(0.806, 0.003, 20), "b": rng.normal(0.8, 0.003, 20)}, unit="row")
    assert [r.tier for r in ogive.rank(t).rows] == [1, 2]
    near = ogive.rank(t, margin=0.02)
    assert [r.tier for r in near.rows] == [1, 1]
    assert near.pairs[0].conclusion == "equivalent"
    assert "0.02" in near.verdict


def test_turning_a_pair_round_asks_the_rule_again():
    rng = np.random.default_rng(1)
    t = ogive.read({"a": rng.normal(0.806, 0.003, 12), "b": rng.normal(0.8, 0.003, 12)}, unit="row")
    ranking = ogive.rank(t, margin=0.006)
    forth, back = ranking.pair("a", "b"), ranking.pair("b", "a")
    assert (forth.conclusion, back.conclusion) == ("not worse", "worse")
    assert forth.conclusion == ogive.compare(t, "a", "b", margin=0.006).conclusion
    assert back.conclusion == ogive.compare(t, "b", "a", margin=0.006).conclusion


def test_one_method_with_a_single_run_makes_the_tasks_a_sample_for_every_pair():
    rng = np.random.default_rng(2)
    scores = {m: {f"t{i}": rng.normal(s, 0.1, 3) for i in range(12)} for m, s in (("a", 1.0), ("b", 0.0), ("c", 0.0))}
    assert rank(ogive.read(scores, unit="row")).question.over == "fixed"
    scores["c"]["t3"] = scores["c"]["t3"][:1]
    found = rank(ogive.read(scores, unit="row"))
    assert found.question.over == "sample"
    assert {p.difference.n for p in found.pairs} == {12}


def test_among_equals_all_lead_and_a_method_that_failed_throughout_is_named_and_left_out():
    assert rank(ogive.read({"a": [0.8] * 5, "b": [0.8] * 5}, unit="row")).leaders == ("a", "b")
    t = ogive.read({"a": [0.9, 0.8, 0.85], "b": [0.1, 0.2, np.nan], "c": [np.nan] * 3}, unit="row")
    found = rank(t, failures="exclude")
    assert [r.algorithm for r in found.rows] == ["a", "b"]
    assert (found.unranked, found.n_failed) == (("c",), 1)
    assert "c failed throughout" in found.verdict


def paired(n, methods, missing=()):
    import pandas as pd

    rng = np.random.default_rng(0)
    base, noise = rng.normal(size=n), {m: rng.normal(scale=0.1, size=n) for m in methods}
    rows = [
        {"model": m, "seed": i, "score": math.nan if (m, i) in missing else base[i] + shift + noise[m][i]}
        for m, shift in methods.items() for i in range(n)
    ]  # fmt: skip
    return ogive.read(pd.DataFrame(rows), pair="seed", unit="row")


def test_one_failed_run_leaves_its_draw_out_and_keeps_the_rest_paired():
    methods = {"a": 0.5, "b": 0.25, "c": 0.0}
    whole, holed = rank(paired(20, methods)), rank(paired(20, methods, {("a", 3)}), failures="exclude")
    assert whole.resolution == holed.resolution == 1.0
    assert {holed.pair("a", m).difference.n for m in "bc"} == {19}
    assert holed.pair("b", "c").difference.n == 20


def test_a_ranking_of_one_task_speaks_of_the_rows_of_that_task():
    rng = np.random.default_rng(0)
    t = ogive.read({m: {"t0": rng.normal(size=9), "t1": rng.normal(size=9)} for m in "ab"}, unit="row")
    t = dataclasses.replace(t, scope={"t0": "generator", "t1": "these 768 rows"})
    assert "768" not in rank(t, task="t0").verdict
    assert "768" in rank(t, task="t1").verdict


def test_folds_over_several_tasks_count_by_their_mean_on_each():
    rng = np.random.default_rng(0)
    import pandas as pd

    rows = [{"model": m, "dataset": f"t{d}", "fold": f, "score": rng.normal()} for m in "ab" for d in range(5) for f in range(10)]  # fmt: skip
    t = ogive.read(pd.DataFrame(rows), fold="fold")
    assert t.n_folds == 10
    found = rank(t)
    assert (found.question.over, found.criterion, found.pairs[0].difference.n) == ("sample", "mean", 5)
    assert ogive.compare(t, "a", "b").n == 5
    with pytest.raises(InputError, match="mean only"):
        rank(t, criterion="median")


def test_methods_within_the_margin_are_equivalent_and_without_one_untold():
    draws = np.random.default_rng(4)
    samples = {m: draws.normal(size=60) for m in "abc"}
    trials = ogive.read(samples, unit="row", varied="seed")
    assert {p.conclusion for p in ogive.rank(trials, margin=2.0).pairs} == {"equivalent"}
    two = trials.select(algorithms=["a", "b"])
    assert ogive.rank(two, margin=2.0).pair("a", "b").conclusion == "equivalent"
    assert ogive.rank(two, criterion="mean").pair("a", "b").conclusion == "cannot tell"


def test_leaders_that_differ_by_less_than_the_margin_are_not_said_to_be_untold():
    """One of them is better, by less than the margin or perhaps more: which one is better is known."""
    draws = np.random.default_rng(0)
    samples = {m: draws.normal(mean, 0.1, 40) for m, mean in (("a", 0.0), ("b", 0.1), ("c", -3.0))}
    found = ogive.rank(ogive.read(samples, unit="row", varied="seed"), criterion="mean", margin=0.1)
    assert found.leaders == ("b", "a")
    assert found.pair("b", "a").conclusion == "not worse"
    assert found.pair("b", "a").direction == 1


def test_a_verdict_on_many_methods_does_not_ask_for_every_pair(monkeypatch):
    """All pairs of 200 equivalent methods on 50 tasks took five of six seconds."""
    draws = np.random.default_rng(0)
    trials = ogive.read({f"m{i:02d}": draws.normal(size=4) for i in range(70)}, unit="row", varied="seed")
    found, asked = ogive.rank(trials, criterion="mean", margin=90.0), []
    monkeypatch.setattr(type(found), "pair", lambda self, a, b: asked.append((a, b)))
    assert found.verdict.startswith("No method is certainly better than another by more than 90, judged by mean score.")
    assert not asked


def test_the_share_of_duels_won_is_that_of_the_pairs_where_methods_share_draws():
    """On every instance b is a little slower than a; instances differ far more."""
    rng = np.random.default_rng(0)
    hard = rng.lognormal(3.0, 1.5, 20)
    rows = [(m, i, h * f) for m, f in (("a", 1.0), ("b", 1.1), ("c", 1.2)) for i, h in enumerate(hard)]
    ranking = rank(ogive.read(pd.DataFrame(rows, columns=["solver", "instance", "time"]), item="instance"))
    assert {r.algorithm: r.score for r in ranking.rows} == {"a": 1.0, "b": 0.5, "c": 0.0}


@pytest.mark.parametrize(("n_runs", "words"), [(1, "compared task by task"), (4, "the same draws for all methods")])
def test_a_sample_of_tasks_says_how_runs_of_a_task_were_joined(n_runs, words):
    rng = np.random.default_rng(0)
    rows = [(m, f"t{t}", s, rng.normal()) for m in "abc" for t in range(12) for s in range(n_runs)]
    trials = ogive.read(pd.DataFrame(rows, columns=["method", "task", "seed", "score"]), pair="seed")
    assert words in ogive.rank(trials, over="sample").verdict
