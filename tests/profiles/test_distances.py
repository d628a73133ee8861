"""Distances by hand, against brute force, and under what must not change them."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from ogive.errors import InputError
from ogive.notes import Note, NoteKind
from ogive.profiles import performance_profile
from ogive.profiles._distances import ENUMERATED, _mann_whitney, minus_log10_t, signed_ranks_p


def by_task(table):
    """Lists of the runs of each task, with names for the tasks."""
    return {m: {f"task {i + 1}": runs for i, runs in enumerate(tasks)} for m, tasks in table.items()}


TIMES = arrays(np.float64, st.tuples(st.integers(2, 4), st.integers(2, 8)), elements=st.integers(1, 40).map(float))


def as_table(matrix: np.ndarray) -> dict[str, np.ndarray]:
    return {f"m{i}": row for i, row in enumerate(matrix)}


def dolan_more(times: np.ndarray, tau: float) -> list[float]:
    """The definition, a loop for every word of it."""
    out = []
    for m in range(times.shape[0]):
        count = 0
        for p in range(times.shape[1]):
            best = min(times[k, p] for k in range(times.shape[0]))
            if math.isfinite(times[m, p]) and times[m, p] / best <= tau:
                count += 1
        out.append(count / times.shape[1])
    return out


def test_ratios_by_hand():
    p = performance_profile({"a": [1.0, 8.0, 30.0, 5.0], "b": [2.0, 4.0, 10.0, 5.0]}, time_limit=20)
    assert p.distances is not None
    assert p.distances.tolist() == [[1.0, 2.0, math.inf, 1.0], [2.0, 1.0, 1.0, 1.0]]
    assert p.at(1).tolist() == [0.5, 0.75]
    assert p.at(2).tolist() == [0.75, 1.0]
    assert p.at([1, 1.5, 2]).shape == (2, 3)
    assert p.wins.tolist() == [0.5, 0.75]
    assert p.solved.tolist() == [0.75, 1.0]
    strict = performance_profile({"a": [1.0, 8.0, 30.0, 5.0], "b": [2.0, 4.0, 10.0, 5.0]}, time_limit=20, strict=True)
    assert strict.at(2).tolist() == [0.5, 0.75]
    assert strict.wins.tolist() == p.wins.tolist()


@given(TIMES, st.floats(1.0, 50.0))
def test_ratio_profile_is_dolan_and_mores(times, tau):
    times = np.where(times > 35, np.inf, times)
    if not np.isfinite(times).any():
        return
    p = performance_profile(as_table(times), goal="minimize")
    for at in (1.0, 1.5, 2.0, tau):
        assert p.at(at).tolist() == dolan_more(times, at)


@given(TIMES, st.randoms(use_true_random=False))
def test_the_order_of_problems_and_methods_does_not_matter(times, random):
    rows, columns = list(range(times.shape[0])), list(range(times.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    one = performance_profile(as_table(times), goal="minimize")
    two = performance_profile({f"m{i}": times[i, columns] for i in rows}, goal="minimize")
    tau = [1.0, 1.5, 2.0, 3.0, 7.0]
    assert one.at(tau)[rows].tolist() == two.at(tau).tolist()
    assert one.low(tau)[rows].tolist() == two.low(tau).tolist()


@given(TIMES, st.lists(st.sampled_from([0.25, 0.5, 2.0, 1024.0]), min_size=8, max_size=8))
def test_the_unit_of_a_problems_times_does_not_matter(times, scale):
    scaled = times * np.array(scale[: times.shape[1]])
    tau = [1.0, 1.25, 2.0, 5.0]
    assert (
        performance_profile(as_table(times), goal="minimize").at(tau).tolist()
        == performance_profile(as_table(scaled), goal="minimize").at(tau).tolist()
    )


RUNS = arrays(np.float64, (3, 6, 4), elements=st.integers(-9, 9).map(float))


@pytest.mark.parametrize("kind", ["difference", "improvement", "rank", "welch"])
@settings(max_examples=25, deadline=None)
@given(runs=RUNS)
def test_negated_scores_with_the_other_direction_give_the_same_profile(kind, runs):
    up = performance_profile(as_table(runs), kind)
    down = performance_profile(as_table(-runs), kind, goal="minimize")
    tau = [0.0, 0.1, 0.3, 0.5, 1.0, 2.0]
    assert up.at(tau) == pytest.approx(down.at(tau))
    assert up.wins.tolist() == down.wins.tolist()


@given(runs=RUNS, tau=st.floats(-9, 9))
def test_score_profiles_turn_round_with_the_direction(runs, tau):
    for strict in (True, False):
        up = performance_profile(as_table(runs), "score", strict=strict)
        down = performance_profile(as_table(-runs), "score", strict=strict, goal="minimize")
        for side in ("at", "low", "high"):
            assert getattr(up, side)(tau) == pytest.approx(getattr(down, side)(-tau))


def test_differences_by_hand():
    p = performance_profile({"a": [10.0, 4.0], "b": [8.0, 5.0]}, "difference")
    assert p.distances.tolist() == [[0.0, 1.0], [2.0, 0.0]]
    relative = performance_profile({"a": [10.0, 4.0], "b": [8.0, 5.0]}, "difference", relative=True)
    assert relative.distances == pytest.approx(np.array([[0.0, 0.2], [0.2, 0.0]]))


def test_rounding_makes_no_steps():
    p = performance_profile({"a": [0.9, 0.7, 0.5], "b": [0.8, 0.8, 0.5]}, "difference")
    assert p.at(0.1).tolist() == [1.0, 1.0]
    assert p.ahead("a", "b") == ()
    large = performance_profile({"a": [1000000.3, 5.0], "b": [1000000.1, 5.0]}, "difference")
    assert large.distances[1, 0] == 0.2
    ratios = performance_profile({"a": [0.3, 1.0], "b": [0.1, 3.0]}, goal="minimize")
    assert ratios.ahead("a", "b") == ()
    assert performance_profile({"a": [0.4, 1.2], "b": [0.3, 1.6]}, goal="minimize").ahead("a", "b") == ()
    thirds = performance_profile({"a": [3.0, 1.0], "b": [5.0, 1.0]}, goal="minimize")
    assert thirds.distances[1, 0] == 5 / 3


@pytest.mark.parametrize("kind", ["ratio", "difference", "welch"])
def test_the_same_runs_in_another_order_tie(kind):
    runs = [[0.1, 0.2, 0.3, 0.7], [1.1, 2.7, 3.3, 0.1]]
    p = performance_profile(by_task({"a": runs, "b": [cell[::-1] for cell in runs]}), kind, goal="minimize")
    assert p.wins.tolist() == [1.0, 1.0]


def test_relative_distances_leave_unsolved_problems_and_refuse_a_best_score_of_0():
    p = performance_profile({"a": [-np.inf, 4.0], "b": [-np.inf, 5.0]}, "difference", relative=True)
    assert p.distances.tolist() == [[math.inf, 0.2], [math.inf, 0.0]]
    zero = {"a": [[0.0, 0.0], [1.0, 2.0]], "b": [[-1.0, -2.0], [2.0, 3.0]]}
    with pytest.raises(InputError, match="which is 0"):
        performance_profile(zero, "difference", relative=True, split=True)


def test_ratios_of_scores_that_are_to_be_large():
    p = performance_profile({"a": [10.0, 4.0], "b": [5.0, 8.0]}, goal="maximize")
    assert p.distances.tolist() == [[1.0, 2.0], [2.0, 1.0]]


def test_an_infinite_value_is_a_failure_on_either_side():
    scores = {"a": [np.inf, 1.0, 2.0], "b": [1.0, 2.0, 3.0]}
    for table in (scores, pd.DataFrame(scores)):
        p = performance_profile(table, "difference")
        assert p.distances.tolist() == [[math.inf, 1.0, 1.0], [0.0, 0.0, 0.0]]
        assert p.solved.tolist() == pytest.approx([2 / 3, 1.0])


def test_improvement_by_hand():
    # On problem 1 every run of a beats every run of b; on problem 2 b wins 3 of 4 duels and one is a tie.
    p = performance_profile(by_task({"a": [[3, 4], [1, 2]], "b": [[1, 2], [2, 3]]}), "improvement")
    assert p.distances.tolist() == [[0.0, 0.375], [0.5, 0.0]]
    assert p.at(0.375).tolist() == [1.0, 0.5]


def test_improvement_does_not_depend_on_the_number_of_runs():
    few = {"a": [[3, 4], [1, 2]], "b": [[1, 2], [2, 3]]}
    many = {m: [runs * 5 for runs in tasks] for m, tasks in few.items()}
    one, two = (performance_profile(by_task(t), "improvement").distances for t in (few, many))
    assert one.tolist() == two.tolist()


def test_three_runs_against_three_are_never_further_apart_than_a_rank_test_can_tell():
    p = performance_profile(by_task({"a": [[7, 8, 9], [1, 2, 3]], "b": [[1, 2, 3], [7, 8, 9]]}), "rank")
    assert p.distances == pytest.approx(np.array([[0.0, -math.log10(0.05)], [-math.log10(0.05), 0.0]]))
    assert p.end == pytest.approx(1.30103, abs=1e-5)


def test_ties_do_not_make_few_runs_say_more_than_they_can():
    """Three constant runs against three are one of twenty orders, as three different ones are."""
    p = performance_profile(by_task({"a": [[2, 2, 2], [7, 8, 9]], "b": [[1, 1, 1], [1, 2, 3]]}), "rank")
    assert p.distances[1] == pytest.approx([-math.log10(0.05)] * 2)


SHORT = st.lists(st.integers(0, 3).map(float), min_size=1, max_size=5)


@settings(max_examples=20)
@given(SHORT, SHORT)
def test_the_rank_test_counts_every_order_of_tied_runs(best, own):
    pooled = stats.rankdata([*best, *own])
    sums = [sum(chosen) for chosen in itertools.combinations(pooled, len(best))]
    reached = sum(pooled[: len(best)])
    assert _mann_whitney(np.array(best), np.array(own)) == pytest.approx(np.mean([s >= reached for s in sums]))


def test_rank_distances_are_mann_and_whitneys_or_wilcoxons():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.5, 1, (12, 3)), rng.normal(0, 1, (12, 3))
    for paired in (False, True):
        p = performance_profile({"a": a, "b": b}, "rank", paired=paired)
        for k in range(3):
            share = np.mean(a[:, k, None] > b[:, k])
            best, worst = (a, b) if share > 0.5 else (b, a)
            test = (
                stats.wilcoxon(best[:, k] - worst[:, k], alternative="greater")
                if paired
                else stats.mannwhitneyu(best[:, k], worst[:, k], alternative="greater")
            )
            assert p.distances[:, k].max() == pytest.approx(-math.log10(min(test.pvalue, 1)))


def test_welch_distances_are_scipys_from_moments_and_from_runs():
    rng = np.random.default_rng(5)
    runs = {"a": rng.normal(0, 1, (8, 6)), "b": rng.normal(1, 3, (8, 6)), "c": rng.normal(0.5, 1, (8, 6))}
    from_runs = performance_profile(runs, "welch")
    rows = [
        {"problem": f"{p + 1}", "method": m, "mean": x[:, p].mean(), "std": x[:, p].std(ddof=1), "n": x.shape[0]}
        for m, x in runs.items()
        for p in range(6)
    ]
    from_moments = performance_profile(pd.DataFrame(rows), "welch")
    assert from_moments.methods == ("a", "b", "c")
    assert from_runs.distances == pytest.approx(from_moments.distances)
    for p in range(6):
        best = max(runs, key=lambda m: runs[m][:, p].mean())
        for i, m in enumerate(runs):
            if m == best:
                assert from_runs.distances[i, p] == 0.0
                continue
            test = stats.ttest_ind(runs[best][:, p], runs[m][:, p], equal_var=False, alternative="greater")
            assert from_runs.distances[i, p] == pytest.approx(-math.log10(test.pvalue), rel=1e-9)
            assert from_runs.distances[i, p] > math.log10(2) - 1e-9


def test_cells_without_spread():
    rows = [("p", "a", 1.0, 0.0, 5), ("p", "b", 1.0, 0.0, 24), ("q", "a", 1.0, 0.0, 5), ("q", "b", 2.0, 0.0, 24),
            ("r", "a", 1.0, 0.0, 5), ("r", "b", 2.0, 1.0, 24)]  # fmt: skip
    p = performance_profile(pd.DataFrame(rows, columns=["problem", "method", "mean", "std", "n"]), "welch")
    t = 1.0 / math.sqrt(1.0 / 24)
    assert p.distances[:, 0].tolist() == [0.0, 0.0]
    assert p.distances[:, 1].tolist() == [math.inf, 0.0]
    assert p.distances[0, 2] == pytest.approx(-math.log10(stats.t.sf(t, 23)))
    assert any(note.kind is NoteKind.NO_SPREAD for note in p.notes)
    assert Note(NoteKind.UNEVEN_COUNTS, "equalize", {"least": 5, "most": 24}) in p.notes
    # A mean that is certainly lower was measured all the same.
    assert p.solved.tolist() == [1.0, 1.0]


def test_tiny_p_values_do_not_become_infinite():
    df, t = np.full(400, 60.0), np.logspace(5, 7, 400)
    found = minus_log10_t(t, df)
    assert found[0] < 290 < found[-1]
    # P falls as t to the power -df: the curve must go through the switch without a step.
    assert np.diff(found) == pytest.approx(60.0 * np.diff(np.log10(t)), rel=1e-6)
    assert 300 < minus_log10_t(np.array([1e9]), np.array([50.0]))[0] < math.inf


def test_equal_counts_take_the_advantage_of_few_runs_away():
    rows = [("p", "a", 1.0, 1.0, 24), ("p", "b", 2.0, 1.0, 24), ("q", "a", 1.0, 1.0, 5), ("q", "b", 2.0, 1.0, 5)]
    frame = pd.DataFrame(rows, columns=["problem", "method", "mean", "std", "n"])
    plain, equal = performance_profile(frame, "welch"), performance_profile(frame, "welch", equalize="min-n")
    assert plain.distances[0, 0] > 2 * plain.distances[0, 1]
    assert equal.distances[0, 0] == equal.distances[0, 1]


def test_split_samples_do_not_flatter_the_best():
    """Equal methods: the best of noisy means looks ahead; with other runs measuring, nobody is."""
    rng = np.random.default_rng(1)
    runs = {f"m{i}": np.exp(rng.normal(0, 0.5, (10, 300))) for i in range(6)}
    plain, split = (performance_profile(runs, split=s, goal="minimize").distances for s in (False, True))
    assert np.median(plain) > 1.15
    assert np.median(split) == pytest.approx(1.0, abs=0.06)
    assert plain.min() == 1.0 > split.min()


def test_several_runs_count_by_mean_median_or_best():
    runs = by_task({"a": [[1.0, 2.0, 9.0], [6.0, 6.0, 6.0]], "b": [[4.0, 4.0, 4.0], [3.0, 3.0, 3.0]]})
    expected = {"mean": [1.0, 2.0], "median": [1.0, 2.0], "best": [1.0, 2.0]}
    for how in expected:
        p = performance_profile(runs, runs=how, goal="minimize")
        assert p.distances[0].tolist() == expected[how]
        assert Note(NoteKind.RUNS_JOINED, "runs", {"by": how}) in p.notes
    assert performance_profile(runs, runs="median", goal="minimize").distances[1, 0] == 2.0
    assert performance_profile(runs, runs="best", goal="minimize").distances[1, 0] == 4.0


def test_one_failed_run_of_several_counts_by_the_rule():
    runs = by_task({"a": [[1.0, 2.0, np.inf], [1.0, 1.0, 1.0]], "b": [[4.0, 4.0, 4.0], [3.0, 3.0, 3.0]]})
    assert performance_profile(runs, runs="mean", goal="minimize").distances[0, 0] == math.inf
    assert performance_profile(runs, runs="median", goal="minimize").distances[0, 0] == 1.0


@pytest.mark.parametrize("kind", ["improvement", "rank"])
def test_nobody_is_best_where_everybody_failed(kind):
    lost = -np.inf
    runs = by_task({"a": [[lost, lost], [lost, lost], [1.0, 2.0]], "b": [[lost, lost], [3.0, lost], [3.0, 4.0]]})
    p = performance_profile(runs, kind)
    assert p.distances[:, 0].tolist() == [math.inf, math.inf]
    assert p.distances[0, 1] == math.inf
    assert p.wins.tolist() == pytest.approx([0.0, 2 / 3])
    assert p.solved.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert (
        Note(NoteKind.FAILED_RUNS, values={"n": 7, "of_runs": 12, "counted": "worse than every other run"}) in p.notes
    )


def failed_runs(profile):
    return [(n.values["n"], n.values["counted"]) for n in profile.notes if n.kind is NoteKind.FAILED_RUNS]


def test_the_note_says_how_failed_runs_are_counted():
    runs = by_task({"a": [[1.0, 2.0, np.inf], [1.0, 1.0, 1.0]], "b": [[4.0, 4.0, 4.0], [3.0, 3.0, 3.0]]})
    assert (1, "infinite in the median of the cell") in failed_runs(
        performance_profile(runs, runs="median", goal="minimize")
    )
    scores = performance_profile(runs, "score", goal="minimize")
    assert (1, "worse than every τ") in failed_runs(scores)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize(
    "gaps",
    [
        [1, 1], [1, -1], [0, 0, 2], [-1, -1, -2], [1, 2, 2, -3, 0], [3, 1, -2, 0],
        [0.5, 0.5, -0.5, 1.5, -2.5, 3.5, 3.5], [2, -2, 2, 2, -2, 2, 2, 2],
        [1, 2, 3, -4, 5], [1, *range(1, ENUMERATED + 1)], [*([0] * 9), 1, 1, -2, 3, 4, 4],
    ],
)  # fmt: skip
def test_wilcoxons_p_is_scipys_with_ties_zeros_and_without(gaps, alternative):
    gaps = np.array(gaps, dtype=float)
    expected = stats.wilcoxon(gaps, alternative=alternative).pvalue
    assert signed_ranks_p(gaps, alternative) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow  # scipy takes more than a second
def test_as_many_gaps_as_are_enumerated_equal_scipys():
    gaps = np.round(np.random.default_rng(0).normal(0.4, 2, ENUMERATED))
    assert signed_ranks_p(gaps) == pytest.approx(stats.wilcoxon(gaps).pvalue, rel=1e-12)
