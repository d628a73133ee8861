"""What is read off a profile: shares, bands, areas, crossings, verdicts, sensitivity."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ogive
from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.profiles import MinMax, Reference, performance_profile, profile_table
from ogive.profiles._curves import corridor
from ogive.statistics import band

RNG = np.random.default_rng(11)
TIMES = {"a": np.exp(RNG.normal(0, 1, 40)), "b": np.exp(RNG.normal(0.2, 1, 40)), "c": np.exp(RNG.normal(2.5, 1, 40))}
EQUAL_WORDS = re.compile(r"\b(equal|equivalent|the same|indistinguishable|as good as)\b")


def test_bands_are_those_of_the_distances_with_the_error_divided():
    p = performance_profile(TIMES, goal="minimize")
    for i, distances in enumerate(p.distances):
        b = band(distances, confidence=1 - 0.05 / 3)
        for tau in (1.0, 1.7, 3.0, 20.0, 1e6):
            assert p.low(tau)[i] == pytest.approx(b.low.cdf(tau))
            assert p.high(tau)[i] == pytest.approx(b.high.cdf(tau))
    assert (p.random, p.guarantee, p.band, p.n) == ("problems", "conservative", "exact", (40, 40, 40))


def test_a_strict_count_takes_the_band_of_the_left_limit():
    """For F(x-) both sides count the distances below x."""
    p = performance_profile({"a": [1.0, 1.0, 4.0], "b": [2.0, 2.0, 1.0]}, strict=True, goal="minimize")
    held = corridor(3, 1 - 0.05 / 2, "exact")
    assert p.at(2.0).tolist() == pytest.approx([2 / 3, 1 / 3])
    assert p.low(2.0).tolist() == [held.low[2], held.low[1]]
    assert p.high(2.0).tolist() == [held.high[2], held.high[1]]
    assert p.at(2.0000001).tolist() == pytest.approx([2 / 3, 1.0])


def test_failures_leave_room_above_the_curve():
    p = performance_profile({"a": [1.0] * 10, "b": [2.0] * 5 + [99.0] * 5}, time_limit=50)
    assert p.at(1e9).tolist() == [1.0, 0.5]
    assert p.low(1e9)[1] < 0.5 < p.high(1e9)[1] < 1.0


def test_the_score_profile_pools_equal_numbers_of_runs():
    runs = {"a": RNG.normal(size=(7, 4)), "b": RNG.normal(size=(9, 4))}
    p = performance_profile(runs, "score")
    for i, x in enumerate(runs.values()):
        b = band(x.ravel(), confidence=0.975)
        for tau in (-1.0, 0.0, 0.5):
            assert p.at(tau)[i] == pytest.approx(np.mean(x > tau))
            assert p.low(tau)[i] == pytest.approx(1 - b.high.cdf(tau))
            assert p.high(tau)[i] == pytest.approx(1 - b.low.cdf(tau))
    assert (p.random, p.guarantee, p.n) == ("runs", "approximate", (28, 36))


def test_with_random_tasks_the_band_has_as_many_draws_as_tasks():
    runs = {"a": RNG.normal(size=(50, 6)), "b": RNG.normal(size=(50, 6))}
    fixed, random = (performance_profile(runs, "score", over=t) for t in ("fixed", "sample"))
    assert random.n == (6, 6)
    assert (random.high(0.0) - random.low(0.0) > 2 * (fixed.high(0.0) - fixed.low(0.0))).all()
    assert any(note.kind is NoteKind.FEW_TASKS for note in random.notes)
    assert random.random == "tasks and runs"


def test_unequal_numbers_of_runs_are_bootstrapped_and_every_task_weighs_the_same():
    runs = {m: {str(n): RNG.normal(size=n) for n in (5, 9, 30)} for m in "ab"}
    p = performance_profile(runs, "score")
    assert p.at(0.0)[0] == pytest.approx(np.mean([np.mean(x > 0) for x in runs["a"].values()]))
    assert p.band == "bootstrap of the largest deviation"
    assert (p.low(0.0) < p.at(0.0)).all()
    assert performance_profile(runs, "score").low(0.0).tolist() == p.low(0.0).tolist()
    few = {m: {t: x[:4] if len(x) == 5 else x for t, x in tasks.items()} for m, tasks in runs.items()}
    with pytest.raises(InputError, match=r"4 to 30 runs.*equalize='min-n'"):
        performance_profile(few, "score")
    assert performance_profile(few, "score", equalize="min-n").n == (12, 12)
    assert np.isnan(performance_profile(few, "score", band="none").low(0.0)).all()


def test_no_band_has_zero_width():
    flat = {m: {str(n): np.ones(n) for n in (5, 9, 30)} for m in "ab"}
    p = performance_profile(flat, "score")
    assert (p.high(0.0) - p.low(0.0) > 0.1).all()
    equal = performance_profile({"a": [1.0] * 6, "b": [1.0] * 6}, goal="minimize")
    assert (equal.low(1.0) < 1.0).all()


def test_area_and_reach_by_hand():
    p = performance_profile({"a": [1.0, 4.0, 8.0, 99.0], "b": [2.0, 1.0, 1.0, 1.0]}, time_limit=50)
    # a: 1 at τ = 1, 4, 8; never; b: 2, 1, 1, 1. On log2: a is .25 on [0, 2), .5 on [2, 3).
    areas = p.area(8)
    assert areas["a"].estimate == pytest.approx((0.25 * 2 + 0.5 * 1) / 3)
    assert areas["b"].estimate == pytest.approx((0.75 * 1 + 1.0 * 2) / 3)
    assert areas["a"].low < areas["a"].estimate < areas["a"].high
    assert (p.reach(0.5)["a"].estimate, p.reach(0.75)["a"].estimate, p.reach(0.8)["a"].estimate) == (4.0, 8.0, math.inf)
    assert p.reach(0.2)["a"].estimate == 1.0
    scores = performance_profile({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.0, 0.0, 0.0, 9.0]}, "score")
    assert scores.reach(0.5)["a"].estimate == 3.0
    assert np.all(scores.at(2.999)[0] >= 0.5)


def test_reach_turns_round_with_the_direction():
    scores = {"a": [1.0, 2.0, 50.0], "b": [2.0, 1.0, 3.0]}
    down = performance_profile(scores, "score", goal="minimize").reach(0.5)
    up = performance_profile({m: [-v for v in row] for m, row in scores.items()}, "score").reach(0.5)
    for m in scores:
        assert (down[m].low, down[m].estimate, down[m].high) == (-up[m].high, -up[m].estimate, -up[m].low)


def test_a_relative_difference_is_noted_and_a_band_named():
    costs = {"a": [1.0, 2.0], "b": [2.0, 1.0]}
    relative = performance_profile(costs, "difference", relative=True)
    assert Note(NoteKind.RELATIVE) in relative.notes
    assert "exact band, approximate" in str(performance_profile(costs, "score"))


def test_split_samples_speak_of_the_largest_difference():
    """Nobody need be at the best then, so the smallest τ counts no wins."""
    rng = np.random.default_rng(0)
    p = performance_profile({m: np.exp(rng.normal(0, 0.5, (6, 20))) for m in "ab"}, split=True, goal="minimize")
    found = p.compare("a", "b")
    tau = np.unique(p.distances)
    shares = p.at(tau)
    assert abs(found.difference.estimate) == pytest.approx(np.abs(shares[0] - shares[1]).max())


def test_steps_draw_the_same_curve():
    p = performance_profile(TIMES, goal="minimize")
    for i, m in enumerate(p.methods):
        s = p.steps(m)
        assert s.tau[0] == 1.0
        assert p.at(s.tau)[i].tolist() == s.estimate.tolist()
        assert p.low(s.tau)[i].tolist() == s.low.tolist()
    frame = p.to_pandas()
    assert list(frame.columns) == ["algorithm", "tau", "share", "low", "high"]


def test_crossings_are_where_the_curves_change_places():
    # a: distances 1, 1, 8, 8; b: 4, 4, 1, 1: level, then b ahead from 4 to 8, level again.
    p = performance_profile({"a": [1.0, 1.0, 8.0, 8.0], "b": [4.0, 4.0, 1.0, 1.0]}, goal="minimize")
    assert p.ahead("a", "b") == ((4.0, 8.0, "b"),)
    assert p.crossings("a", "b") == ()
    # a ahead from 2 to 3, level to 4, b ahead from 4 to 5.
    q = performance_profile({"a": [1.0, 1.0, 2.0, 5.0], "b": [3.0, 4.0, 1.0, 1.0]}, goal="minimize")
    assert [who for *_, who in q.ahead("a", "b")] == ["a", "b"]
    ((low, high),) = q.crossings("a", "b")
    assert (low, high) == (3.0, 4.0)
    assert q.crossings("b", "a") == q.crossings("a", "b")


@given(st.integers(0, 10_000))
def test_a_verdict_never_takes_a_crossing_for_equality(seed):
    rng = np.random.default_rng(seed)
    times = {"x": np.exp(rng.normal(size=15)), "y": np.exp(rng.normal(size=15))}
    found = performance_profile(times, goal="minimize").compare("x", "y")
    if found.conclusion == "cannot tell":
        assert "no sign of equality" in found.verdict
        assert "cannot be told" in found.verdict
    assert not EQUAL_WORDS.search(found.verdict.replace("no sign of equality", ""))


def test_a_verdict_has_all_its_ingredients():
    p = performance_profile(TIMES, goal="minimize")
    text = p.verdict("a", "c")
    assert text.startswith("a is ahead of c")
    for part in (
        "% confidence",
        "guaranteed",
        "40 problems",
        "random sample",
        "3 pairs",
        "95 %",
        "only these two",
        "better one on",
    ):
        assert part in text
    open_ = p.verdict("a", "b")
    assert "cannot be told" in open_
    assert re.search(r"differ by -?\d.\d\d \[-\d.\d\d, \d.\d\d\]", open_)
    assert "0.1" in open_
    assert p.compare("c", "a").conclusion == "behind"


def test_curves_that_provably_cross_are_concluded_to_cross():
    n = 400
    fast = {"a": np.where(np.arange(n) % 10 < 8, 1.0, 100.0), "b": np.where(np.arange(n) % 10 < 8, 1.5, 1.0)}
    found = performance_profile(fast, goal="minimize").compare("a", "b")
    assert found.conclusion == "cross"
    assert found.wins + found.ties + found.losses == n


def test_the_difference_of_shares_is_held_for_all_tau_at_once():
    """The band of the signed distance gives limits around the drawn difference at the best."""
    found = performance_profile(TIMES, goal="minimize").compare("a", "b")
    n = found.wins + found.ties + found.losses
    assert found.difference.estimate == pytest.approx((found.wins - found.losses) / n)
    assert found.difference.low < found.difference.estimate < found.difference.high


def test_a_third_method_can_change_an_order_and_the_sensitivity_says_so():
    # Without c, a is best more often; c takes a's wins away (Gould and Scott 2016).
    times = {"a": [2.0] * 6 + [9.0] * 4, "b": [3.0] * 6 + [2.0] * 4, "c": [0.1] * 6 + [50.0] * 4}
    p = performance_profile(times, goal="minimize")
    found = p.leave_one_out()
    assert found.changed
    assert "Gould and Scott" in found.verdict
    assert set(found.without) == set(p.methods)
    pair = p.pairwise("a", "b")
    assert pair.methods == ("a", "b")
    assert (
        pair.distances.tolist() == performance_profile({m: times[m] for m in "ab"}, goal="minimize").distances.tolist()
    )
    with pytest.raises(InputError, match="at least three"):
        pair.leave_one_out()


def test_the_profile_is_json_and_shows_itself():
    for p in (
        performance_profile(TIMES, goal="minimize"),
        performance_profile(TIMES, band="none", goal="minimize"),
        performance_profile(TIMES, "score"),
    ):
        held = json.loads(json.dumps(p.to_dict(), allow_nan=False))
        assert held["schema"] == 1
        assert [row["algorithm"] for row in held["rows"]] == list(p.methods)
        assert p._repr_html_().startswith("<table>")
        assert repr(p).startswith("Profile(")
        json.dumps(p.compare("a", "b").to_dict(), allow_nan=False)


def test_without_a_band_there_is_no_verdict():
    text = performance_profile(TIMES, band="none", goal="minimize").verdict("a", "c")
    assert "No verdict" in text


def test_trials_bring_direction_failures_and_units():
    frame = pd.DataFrame(
        [("a", "p", 1.0, "ok"), ("b", "p", 2.0, "ok"), ("a", "q", np.nan, "timeout"), ("b", "q", 3.0, "ok"), ("a", "r", 5.0, "ok"),
         ("b", "r", 4.0, "ok")], columns=["solver", "problem", "time", "status"])  # fmt: skip
    p = performance_profile(ogive.read(frame))
    assert p.distances.tolist() == [[1.0, math.inf, 1.25], [2.0, 1.0, 1.0]]
    assert p.goal == "minimize"
    assert performance_profile(frame, goal="minimize").distances.tolist() == p.distances.tolist()
    adaptive = performance_profile(ogive.read(frame, independent=False))
    assert adaptive.band == "none"


def test_rows_of_one_unit_are_one_run():
    rows = [
        (m, t, seed, 10.0 * seed + e + (m == "b")) for m in "ab" for t in "pq" for seed in range(3) for e in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["model", "dataset", "seed", "score"])
    p = performance_profile(ogive.read(frame, unit="seed", varied="seed"), "score")
    assert p.n == (6, 6)
    assert p.curves[0].points.tolist() == [1.5, 11.5, 21.5]
    assert Note(NoteKind.VARIED, values={"varied": ("seed",)}) in p.notes
    with pytest.raises(InputError, match="belong together"):
        performance_profile(ogive.read(frame), "score")


def test_a_direction_that_was_only_guessed_gives_way_to_what_is_said():
    frame = pd.DataFrame({"solver": ["a", "b"] * 2, "problem": ["p", "p", "q", "q"], "value": [1.0, 2.0, 4.0, 3.0]})
    for table in (frame, ogive.read(frame), profile_table(frame)):
        assert performance_profile(table, goal="minimize").distances.tolist() == [[1.0, 4 / 3], [2.0, 1.0]]
    large = performance_profile(ogive.read(frame, goal="maximize"))
    assert large.distances.tolist() == [[2.0, 1.0], [1.0, 4 / 3]]
    for table in (frame, ogive.read(frame)):
        guessed = performance_profile(table, time_limit=9).reading
        settled = {"metric": "value", "goal": "minimize", "by_name": False}
        assert Note(NoteKind.GOAL_GUESSED, "goal", settled) in guessed


def test_words_for_the_limit_make_times_of_numbers_without_a_name():
    wide = pd.DataFrame({"instance": ["p", "q"], "quick": [1.0, 2.0], "slow": ["TIMEOUT", "6.0"]})
    found = performance_profile(profile_table(wide, time_limit=9), time_limit=9)
    assert found.distances.tolist() == [[1.0, 1.0], [np.inf, 3.0]]
    settled = {"metric": "score", "goal": "minimize", "by_name": False}
    assert Note(NoteKind.GOAL_GUESSED, "goal", settled) in found.reading
    long = wide.melt("instance", var_name="solver", value_name="accuracy").astype({"accuracy": str})
    with pytest.raises(InputError, match="goal='minimize'"):
        performance_profile(profile_table(long, time_limit=9), time_limit=9)


@pytest.mark.parametrize(
    "name", ["score", "test_score", "mean_test_score", "correct", "success", "mAP", "hits", "accuracy", "value"]
)
def test_a_profile_takes_the_direction_that_reading_takes(name):
    rows = {"model": ["good", "bad"] * 2, "dataset": ["p", "p", "q", "q"], name: [0.9, 0.5, 0.8, 0.6]}
    frame = pd.DataFrame(rows)
    read = ogive.read(frame, score=name)
    found = performance_profile(profile_table(frame, "difference", score=name), "difference")
    assert found.goal == read.goals[name] == "maximize"
    assert found.wins.tolist() == [1.0, 0.0]
    for table in (read, profile_table(frame, score=name)):
        with pytest.raises(InputError, match=rf"times and costs.*{name!r}.*kind='difference'.*goal='minimize'"):
            performance_profile(table)


def test_numbers_without_a_name_are_no_times_until_somebody_says_so():
    wide = pd.DataFrame({"dataset": ["p", "q"], "good": [0.9, 0.8], "bad": [0.5, 0.6]})
    for table in (wide, {"good": [0.9, 0.8], "bad": [0.5, 0.6]}):
        with pytest.raises(InputError, match=r"times and costs, and nothing says.*goal='minimize'"):
            performance_profile(table)
        assert performance_profile(table, "difference").wins.tolist() == [1.0, 0.0]
        for said in ({"time_limit": 9}, {"floor": 0.1}, {"goal": "minimize"}):
            assert performance_profile(table, **said).wins.tolist() == [0.0, 1.0]


def test_means_without_a_name_are_no_times_until_somebody_says_so():
    means = pd.DataFrame(
        {"problem": ["p", "p", "q", "q"], "method": ["a", "b"] * 2, "mean": [1.0, 2.0, 3.0, 4.0], "std": 1.0, "n": 5}
    )
    with pytest.raises(InputError, match=r"times and costs"):
        performance_profile(means)
    assert performance_profile(means, goal="minimize").wins.tolist() == [1.0, 0.0]
    assert performance_profile(profile_table(means), goal="minimize").wins.tolist() == [1.0, 0.0]


def test_scores_on_other_scales():
    runs = {"a": np.array([[1.0, 100.0], [3.0, 300.0]]), "b": np.array([[2.0, 200.0], [5.0, 900.0]])}
    p = performance_profile(runs, "score", normalize=MinMax())
    assert p.at(0.24).tolist() == [0.5, 0.75]
    by_b = performance_profile(runs, "score", normalize=Reference("b"))
    assert sorted(by_b.curves[0].points.tolist()) == [0.0, 0.5]
    assert by_b.at(0.3).tolist() == [0.5, 0.5]


def test_wide_frames_name_their_problems_by_index_or_column():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}, index=["p", "q"])
    by_column = pd.DataFrame({"instance name": ["p", "q"], "a": [1.0, 2.0], "b": [2.0, 1.0]})
    for table in (frame, by_column, frame.rename_axis("problem").reset_index(), frame.to_dict()):
        p = performance_profile(table, goal="minimize")
        assert p.problems == ("p", "q")
        assert p.distances.tolist() == [[1.0, 2.0], [2.0, 1.0]]


def test_rows_that_nothing_names_are_problems_one_by_one(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [2.0, 1.0, np.inf]})
    frame.to_csv(tmp_path / "times.csv", index=False)
    for table in (frame, tmp_path / "times.csv", {m: frame[m].to_list() for m in "ab"}):
        p = performance_profile(table, goal="minimize")
        assert p.distances.tolist() == [[1.0, 2.0, 1.0], [2.0, 1.0, np.inf]]
        assert p.goal == "minimize"


def test_rows_and_methods_of_a_table_of_means_are_chosen_as_those_of_runs():
    means = pd.DataFrame({"task": list("ppqqrr"), "model": list("ababab"), "mean": np.arange(6.0), "sd": 1.0, "n": 5})
    third = means.assign(model="c", mean=9.0)
    found = profile_table(pd.concat([means, third[::2]]), "welch", without="c", where="task!=r")
    assert (found.methods, found.problems) == (("a", "b"), ("p", "q"))
    with pytest.raises(InputError, match="`repeat` speaks of runs, and this table holds means"):
        profile_table(means, repeat="n")
    with pytest.raises(InputError, match="there is no method 'z' in this table"):
        profile_table(means, without="z")


def test_series_are_joined_by_their_labels():
    one, two = pd.Series([1.0, 2.0, 3.0], index=list("pqr")), pd.Series([6.0, 2.0, 4.0], index=list("rqp"))
    p = performance_profile({"a": one, "b": two}, goal="minimize")
    assert p.problems == ("p", "q", "r")
    assert (
        p.distances.tolist()
        == performance_profile(pd.DataFrame({"a": one, "b": two}), goal="minimize").distances.tolist()
    )


def test_means_with_spreads_as_text():
    wide = pd.DataFrame({"a": ["0.85 ± 0.02", "0.5 +/- 0.1"], "b": ["0.80 ± 0.02", r"0.6 \pm 0.1"]}, index=["p", "q"])
    p = performance_profile(profile_table(wide, "welch", n={"a": 5, "b": 24}), "welch")
    t = 0.05 / math.sqrt(0.02**2 / 5 + 0.02**2 / 24)
    assert p.distances[0, 0] == 0.0
    assert 2.0 < p.distances[1, 0] < 4.0
    assert t > 3
    long = pd.DataFrame({"task": ["p", "p", "q", "q"], "model": ["a", "b"] * 2, "acc": ["0.85 ± 0.02", "0.80 ± 0.02", "0.5 ± 0.1", "0.6 ± 0.1"]})  # fmt: skip
    q = performance_profile(long.assign(n=[5, 24, 5, 24]), "welch")
    assert q.distances == pytest.approx(p.distances)
    assert performance_profile(profile_table(long, "difference", n=5), "difference").distances == pytest.approx(
        np.array([[0.0, 0.1], [0.05, 0.0]])
    )
