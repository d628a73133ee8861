"""One number for many tasks: scales, aggregates, geometric means, ranks."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ogive
from ogive.errors import FailedTrials, InputError
from ogive.notes import NoteKind, capitalized
from ogive.profiles import (
    Baselines,
    MinMax,
    Reference,
    aggregates,
    average_ranks,
    probability_of_improvement,
    shifted_geometric_mean,
)
from ogive.profiles._ranks import holm
from ogive.statistics import AGGREGATES, aggregate, aggregate_against, improvement_over_tasks


def by_task(table):
    """Lists of the runs of each task, with names for the tasks."""
    return {m: {f"task {i + 1}": runs for i, runs in enumerate(tasks)} for m, tasks in table.items()}


RNG = np.random.default_rng(2)
SCORES = {"a": RNG.normal(0.5, 0.2, (12, 6)), "b": RNG.normal(0.7, 0.2, (12, 6))}


def test_aggregates_are_those_of_statistics():
    found = aggregates(SCORES, gamma=1.0)
    for m, runs in SCORES.items():
        for name, expected in aggregate(runs).items():
            assert found.of(m, name) == expected
    held = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(held["rows"]) == 8
    assert "on its own" in str(found)
    assert aggregates(SCORES, statistics="iqm").statistics == ("iqm",)
    assert list(found.to_pandas().columns[:3]) == ["algorithm", "statistic", "estimate"]


def test_aggregates_turn_round_with_the_direction():
    up = aggregates(SCORES, gamma=1.0)
    down = aggregates({m: -x for m, x in SCORES.items()}, goal="minimize", gamma=-1.0)
    for m in SCORES:
        assert down.of(m, "iqm").estimate == pytest.approx(-up.of(m, "iqm").estimate)
        assert down.of(m, "iqm").low == pytest.approx(-up.of(m, "iqm").high)
        assert down.of(m, "optimality_gap").estimate == pytest.approx(up.of(m, "optimality_gap").estimate)


def test_an_optimality_gap_needs_a_score_from_which_on_nothing_is_missing():
    assert "optimality_gap" not in aggregates(SCORES).statistics
    with pytest.raises(InputError, match="gamma="):
        aggregates(SCORES, statistics="optimality_gap")
    runs = {m: {"x": [10.0, 40.0, 70.0], "y": [20.0, 30.0, 90.0]} for m in "ab"}
    for goal, known in (("maximize", True), ("minimize", False)):
        read = ogive.read(runs, bounds=(0, 100), goal=goal)
        assert ("optimality_gap" in aggregates(read).statistics) == known
    assert aggregates(ogive.read(runs, bounds=(0, 100), goal="maximize")).of(
        "a", "optimality_gap"
    ).estimate == pytest.approx(100 - 260 / 6)
    assert "optimality_gap" in aggregates(SCORES, normalize=MinMax()).statistics


@pytest.mark.parametrize("n", [4, 6, 7, 8])
def test_the_iqm_is_the_middle_half_exactly_and_that_of_scipy_where_it_holds_whole_runs(n):
    runs = np.sort(np.random.default_rng(n).lognormal(size=n))
    ours = aggregates({"a": {"x": runs}}, statistics="iqm").of("a", "iqm").estimate
    weights = np.diff(np.clip(np.arange(n + 1) / n, 0.25, 0.75)) * 2
    assert ours == pytest.approx(weights @ runs)
    assert (ours == pytest.approx(stats.trim_mean(runs, 0.25))) == (n % 4 == 0)


def test_tasks_that_share_no_scale_are_said_to():
    def scales(found):
        return [note for note in found.notes if note.kind is NoteKind.COMMON_SCALE]

    (note,) = scales(aggregates(SCORES))
    assert "MinMax()" in note.words("python")
    assert "--min-max" in note.words("cli")
    runs = {m: {"x": [0.1, 0.4, 0.7], "y": [0.2, 0.3, 0.9]} for m in "ab"}
    assert not scales(aggregates(ogive.read(runs, bounds=(0, 1))))
    assert not scales(aggregates(SCORES, normalize=MinMax()))


def test_intervals_end_where_the_scores_do():
    right = {"a": {"x": [1.0] * 38 + [0.0] * 10}, "b": {"x": [1.0, 0.0] * 24}}
    found = aggregates(right)
    assert found.of("a", "iqm").high == 1.0
    assert found.of("a", "iqm").low < 1.0
    near = {m: {"x": [90.0, 99.0, 100.0, 60.0]} for m in "ab"}
    assert aggregates(near).of("a", "mean").high > 100.0
    assert aggregates(ogive.read(near, bounds=(0, 100))).of("a", "mean").high == 100.0
    one_sided = aggregates(ogive.read(near, bounds=(None, 100))).of("a", "mean")
    assert (one_sided.high, one_sided.low) == (100.0, aggregates(ogive.read(near)).of("a", "mean").low)


def test_runs_that_are_no_independent_draws_have_no_aggregates():
    rows = [(m, d, f, 0.5 + f / 50) for m in "ab" for d in range(12) for f in range(5)]
    folds = ogive.read(pd.DataFrame(rows, columns=["model", "dataset", "fold", "accuracy"]))
    with pytest.raises(InputError, match=r"share training data.*over='sample'.*ogive.compare"):
        aggregates(folds)
    assert aggregates(folds, over="sample").n_tasks == 12
    chosen = pd.DataFrame(rows, columns=["model", "dataset", "seed", "accuracy"])
    assert aggregates(ogive.read(chosen)).n_tasks == 12
    with pytest.raises(InputError, match="independent=True"):
        aggregates(ogive.read(chosen, independent=False))
    with pytest.raises(InputError, match=r"one run.*need two\. Draw a profile with kind='difference'"):
        aggregates({"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0, "y": 3.0}})


def test_baselines_and_min_max_by_hand():
    runs = {"a": [[1.0, 3.0], [10.0, 20.0]], "b": [[2.0, 5.0], [30.0, 50.0]]}
    human = aggregates(
        by_task(runs), normalize=Baselines({"task 1": 1.0, "task 2": 10.0}, {"task 1": 5.0, "task 2": 50.0})
    )
    least = aggregates(by_task(runs), normalize=MinMax())
    expected = np.mean([(0 + 0.5) / 2, (0 + 0.25) / 2])
    assert human.of("a", "mean").estimate == pytest.approx(expected)
    assert least.of("a", "mean").estimate == pytest.approx(expected)
    errors = aggregates(by_task({m: [[6 - v for v in r] for r in t] for m, t in runs.items()}), goal="minimize",
                        normalize=Baselines({"task 1": 5.0, "task 2": -4.0}, {"task 1": 1.0, "task 2": -44.0}))  # fmt: skip
    assert errors.of("a", "mean").estimate == pytest.approx(expected)


def test_the_mean_on_a_reference_scale_is_the_probability_of_improvement():
    found = aggregates(SCORES, normalize=Reference("a"))
    assert found.methods == ("b",)
    expected = improvement_over_tasks(list(SCORES["b"].T), list(SCORES["a"].T))
    mean = found.of("b", "mean")
    assert mean.estimate == pytest.approx(expected.estimate)
    assert mean.high - mean.low == pytest.approx(expected.high - expected.low, rel=0.1)
    assert found.of("b", "optimality_gap").estimate == pytest.approx(1 - mean.estimate)


def test_games_won_and_lost_for_certain_against_the_reference_leave_an_interval():
    runs = [np.array([10.0, 11.0, 12.0])] * 3 + [np.array([0.0, 1.0, 2.0])] * 2
    reference = [np.array([5.0, 6.0, 7.0])] * 5
    asked = {"statistics": AGGREGATES, "confidence": 0.95, "gamma": 1.0, "seed": 0, "n_resamples": 500}
    found = aggregate_against(runs, reference, **asked)
    direct = improvement_over_tasks(runs, reference)
    assert (found["mean"].low, found["mean"].high) == pytest.approx((direct.low, direct.high))
    assert all(i.high - i.low > 0.2 for i in found.values())


def test_the_order_of_runs_does_not_change_an_interval_on_a_reference_scale():
    rng = np.random.default_rng(0)
    runs, reference = ([rng.normal(size=7) for _ in range(3)] for _ in range(2))
    asked = {"statistics": ["mean", "iqm"], "confidence": 0.95, "gamma": 1.0, "seed": 0, "n_resamples": 200}
    turned = aggregate_against([t[::-1] for t in runs], [t[::-1] for t in reference], **asked)
    assert turned == aggregate_against(runs, reference, **asked)


def test_a_reference_scale_knows_nothing_of_units():
    plain = aggregates(SCORES, normalize=Reference("a"))
    bent = aggregates({m: np.exp(3 * x) * [1, 10, 100, 1, 1, 1] for m, x in SCORES.items()}, normalize=Reference("a"))
    for s in plain.statistics:
        assert plain.of("b", s) == bent.of("b", s)


def test_resampling_the_reference_widens_the_interval():
    """With few reference runs the scale itself is uncertain, and the interval must know it."""
    few = {"a": SCORES["a"][:4], "b": RNG.normal(0.6, 0.2, (200, 6))}
    many = {"a": RNG.normal(0.5, 0.2, (200, 6)), "b": few["b"]}
    widths = [(i := aggregates(t, normalize=Reference("a")).of("b", "iqm")).high - i.low for t in (few, many)]
    assert widths[0] > 2 * widths[1]


def test_iqm_on_a_reference_scale_with_unequal_runs():
    runs = {"a": [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], "b": [[2.5, 2.5], [0.5, 0.5, 3.5, 3.5]]}
    iqm = aggregates(by_task(runs), normalize=Reference("a")).of("b", "iqm")
    # Shares 2/3 (half of the weight), 0 and 1 (a quarter each): the middle half is 2/3.
    assert iqm.estimate == pytest.approx(2 / 3)


NO_SCORE = {"a": {"x": [0.2, 0.3, np.nan], "y": [0.5, 0.9]}, "b": {"x": [0.1, 0.25], "y": [0.6, 0.4]}}
WITHOUT = {"a": {"x": [0.2, 0.3], "y": [0.5, 0.9]}, "b": NO_SCORE["b"]}


@pytest.mark.parametrize("scale", [None, Reference("b")])
def test_a_run_without_a_score_has_failed_and_counts_as_told(scale):
    with pytest.raises(FailedTrials, match=r"1 failed run of 9 has no score"):
        aggregates(NO_SCORE, normalize=scale)
    left = aggregates(NO_SCORE, normalize=scale, failures="exclude")
    assert left.found == aggregates(WITHOUT, normalize=scale).found
    assert [n.values["n"] for n in left.notes if n.kind is NoteKind.FAILED_RUNS] == [1]


def test_a_failed_run_beats_no_run_of_the_reference_where_it_is_said():
    counted = aggregates(NO_SCORE, normalize=Reference("b"), failures="worst", statistics="mean")
    lowest = {**NO_SCORE, "a": {**NO_SCORE["a"], "x": [0.2, 0.3, -9.0]}}
    assert counted.found == aggregates(lowest, normalize=Reference("b"), statistics="mean").found
    assert [n.values["n"] for n in counted.notes if n.kind is NoteKind.FAILED_RUNS] == [1]
    with pytest.raises(FailedTrials, match="failures='worst'"):
        aggregates(NO_SCORE, normalize=Reference("b"), failures=0.9)


def test_a_method_without_a_run_on_a_task_is_missing():
    with pytest.raises(InputError, match=r"1 value is missing, the first for 'b' on 'y'"):
        aggregates({**WITHOUT, "b": {"x": [0.1, 0.25]}}, failures=0.0)


def test_probability_of_improvement_needs_only_the_order():
    found = probability_of_improvement(SCORES, "b", "a")
    assert found == improvement_over_tasks(
        [np.unique(np.append(x, y), return_inverse=True)[1][: x.size].astype(float) for x, y in zip(SCORES["b"].T, SCORES["a"].T, strict=True)],
        [np.unique(np.append(x, y), return_inverse=True)[1][x.size :].astype(float) for x, y in zip(SCORES["b"].T, SCORES["a"].T, strict=True)],
    )  # fmt: skip
    failed = {"a": [[1.0, -np.inf], [2.0, 3.0]], "b": [[0.0, 0.5], [5.0, 6.0]]}
    assert probability_of_improvement(by_task(failed), "a", "b").estimate == pytest.approx(0.25)


def test_shifted_geometric_means_by_hand():
    times = {"a": [1.0, 100.0, 999.0], "b": [5.0, 10.0, 1000.0]}
    found = shifted_geometric_mean(times, time_limit=1000)
    expected = {m: float(np.exp(np.mean(np.log(np.array(t) + 10))) - 10) for m, t in times.items()}
    for m in times:
        assert found.means[m].estimate == pytest.approx(expected[m])
        assert found.scaled[m] == pytest.approx(expected[m] / min(expected.values()))
        assert found.means[m].low < expected[m] < found.means[m].high
    assert found.n_unsolved == {"a": 0, "b": 1}
    json.dumps(found.to_dict(), allow_nan=False)
    assert "1000" in str(found)


def test_average_ranks_are_scipys():
    x = RNG.normal(size=(4, 15)) + np.array([[0.0], [0.2], [1.5], [3.0]])
    found = average_ranks({f"m{i}": row for i, row in enumerate(x)})
    assert found.ranks == pytest.approx(stats.rankdata(-x, axis=0).mean(axis=1))
    assert found.friedman == pytest.approx(stats.friedmanchisquare(*x).pvalue)
    assert found.order[0] == "m3"
    for pair in found.pairs:
        i, j = int(pair.a[1]), int(pair.b[1])
        assert pair.p == pytest.approx(stats.wilcoxon(x[i], x[j]).pvalue)
        assert pair.p <= pair.p_holm <= 1
    assert "not thereby equal" in found.verdict
    json.dumps(found.to_dict(), allow_nan=False)


def test_groups_hold_no_separated_pair():
    x = RNG.normal(size=(6, 20)) + np.linspace(0, 3, 6)[:, None]
    found = average_ranks({f"m{i}": row for i, row in enumerate(x)}, test="sign")
    apart = {frozenset((p.a, p.b)) for p in found.pairs if p.p_holm < 0.05}
    for group in found.groups:
        places = [found.order.index(m) for m in group]
        assert places == list(range(places[0], places[0] + len(group)))
        assert not any(frozenset((a, b)) in apart for a in group for b in group if a != b)


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.02, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.04, 0.04, 0.02])


def test_both_failing_is_a_tie():
    times = {"a": [1.0] * 9 + [np.inf, np.inf], "b": [2.0] * 9 + [np.inf, 3.0]}
    found = average_ranks(times, goal="minimize")
    assert (found.pairs[0].wins, found.pairs[0].ties, found.pairs[0].losses) == (9, 1, 1)


def test_average_ranks_print_their_notes():
    rng = np.random.default_rng(2)
    uneven = {m: {f"p{i}": rng.normal(size=n) for i in range(12)} for m, n in (("a", 3), ("b", 5))}
    found = average_ranks(uneven)
    assert found.notes
    printed = str(found)
    assert all(capitalized(note) in printed for note in found.notes)
    assert printed.index(found.verdict) < printed.index(capitalized(found.notes[0]))
