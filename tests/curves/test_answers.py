"""What is read off curves whose truth is plain."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from ogive.curves._leaders import difference_band
from ogive.errors import InputError
from ogive.statistics import Statistic, band, mean_interval, normality, quantile_interval

SIZES = [5, 10, 20, 40, 80]
RNG = np.random.default_rng(7)
NOISE = RNG.normal(size=(2, 5, 200))
# a leads at small sizes, b at large ones; b's runs are wide.
CENTER = np.array([[0.50, 0.52, 0.54, 0.55, 0.56], [0.40, 0.46, 0.54, 0.585, 0.70]])
CROSSED = CENTER[:, :, None] + np.array([0.01, 0.06])[:, None, None] * NOISE


def test_curves_of_quantiles_and_means_are_the_intervals_of_each_size(curves_of):
    made = curves_of(CROSSED, SIZES)
    for i in range(5):
        expected = quantile_interval(CROSSED[1, i], 0.05)
        assert made.quantile(0.05)["b"].at(SIZES[i]) == (expected.estimate, expected.low, expected.high)
        wide = quantile_interval(CROSSED[1, i], 0.05, confidence=0.99)
        assert made.quantile(0.05, simultaneous=True)["b"].low[i] == max(0.0, wide.low)
        mean = mean_interval(CROSSED[0, i])
        assert made.mean()["a"].at(SIZES[i]) == (mean.estimate, mean.low, mean.high)
    assert made.quantile(0.05).guarantee == "conservative"
    assert "500 rows" in str(made.mean())
    with pytest.raises(InputError, match="on the grid"):
        made.mean()["a"].at(7)


def test_intervals_end_at_the_bounds_of_the_metric(curves_of):
    made = curves_of(np.tile([0.99, 1.0], (1, 2, 4)), [1, 2])
    assert made.mean()["a"].high.max() <= 1.0
    assert made.quantile(0.01)["a"].low.min() == 0.0


def test_the_mean_of_equal_scores_has_the_interval_of_the_exact_band(curves_of):
    equal, others = np.full((1, 200), 0.65), 0.6 + 0.1 * NOISE[:1, 0]
    made = curves_of(np.stack([np.concatenate([equal, others])]), [5, 9]).mean(simultaneous=True)
    expected = band(equal[0], confidence=0.975).mean((0.0, 1.0))
    assert made["a"].at(5)[1:] == (expected.low, expected.high)
    assert 0.5 < expected.low < 0.65 < expected.high < 0.75
    student = mean_interval(others[0], confidence=0.975)
    assert made["a"].at(9) == (student.estimate, student.low, student.high)
    assert "where all scores are equal the exact band, guaranteed" in made.reading
    assert made.to_pandas()["method"].tolist() == ["exact band", "Student's t"]
    assert [row["guarantee"] for row in made.to_dict()["rows"]] == ["conservative", "approximate"]
    losses = curves_of(np.stack([equal]), [5], metric="rmse").mean()["a"]
    assert (losses.low[0] > 0.5, losses.high[0]) == (True, math.inf)
    assert "exact" not in curves_of(CROSSED, SIZES).mean().reading


def test_the_interval_of_equal_scores_covers_the_mean_when_other_scores_are_rare(curves_of):
    """A run in two hundred fails and has 0: most samples of a hundred runs are all equal."""
    rng = np.random.default_rng(5)
    drawn = np.where(rng.random((1, 2000, 100)) < 0.005, 0.0, 0.8)
    found = curves_of(drawn, np.arange(1, 2001)).mean()["a"]
    assert found.banded.mean() > 0.5
    assert (found.low[found.banded] <= 0.8 * 0.995).all()


def test_who_is_ahead_is_told_by_ranges_and_a_crossing_lies_between_sizes(curves_of):
    found = curves_of(CROSSED, SIZES).crossings("a", "b")
    assert [(r.first, r.last, r.who) for r in found.ranges] == [(5, 10, "a"), (20, 20, None), (40, 80, "b")]
    assert found.crossings == ((10, 40),)
    assert all(
        word in found.verdict
        for word in ("95 %", "200 paired repetitions", "on these 500 rows, over random training sets, one test set")
    )


def test_the_answer_turns_round_with_the_models_and_with_the_direction(curves_of):
    made = curves_of(CROSSED, SIZES)
    one, other = made.crossings("a", "b", "q0.05"), made.crossings("b", "a", "q0.05")
    assert_array_equal(one.estimate, -other.estimate)
    assert [r.who for r in one.ranges] == [r.who for r in other.ranges]
    losses = curves_of(CROSSED, SIZES, metric="brier").crossings("a", "b")
    assert [r.who for r in losses.ranges] == ["b", None, "a"]


def test_pairing_is_used(curves_of):
    shared = 0.1 * RNG.normal(size=(5, 100))
    values = np.stack([0.5 + shared, 0.51 + shared + 0.001 * RNG.normal(size=(5, 100))])
    paired = curves_of(values, SIZES).crossings("a", "b")
    assert [r.who for r in paired.ranges] == ["b"]
    broken = values.copy()
    broken[1] = RNG.permuted(broken[1], axis=1)
    assert [r.who for r in curves_of(broken, SIZES).crossings("a", "b").ranges] == [None]


def test_what_never_differs_is_not_certain(curves_of):
    values = np.stack([np.full((3, 50), 0.5), np.full((3, 50), 0.6)])
    assert [r.who for r in curves_of(values, [1, 2, 3]).crossings("a", "b").ranges] == [None]
    assert [r.who for r in curves_of(values, [1, 2, 3]).crossings("a", "b", "median").ranges] == [None]


def test_among_equal_models_with_few_repetitions_somebody_leads_certainly_about_as_rarely_as_said(curves_of):
    """Four models, eight sizes, 20 repetitions: an error of 5 % for the mean, and none for quantiles of one run."""
    rng = np.random.default_rng(11)
    pairs = list(itertools.combinations(range(4), 2))
    drawn = 0.7 + 0.05 * rng.normal(size=(60, 4, 8, 20))
    bands = [difference_band(scores, pairs, Statistic.parse("mean"), 1.0, 0.95, 0, n_resamples=199) for scores in drawn]
    assert sum(bool(band.sign.any()) for band in bands) <= 9  # P(more | 0.05) < 0.001
    for p in (0.05, 0.95):
        assert not any(
            difference_band(s, pairs, Statistic.quantile(p), 1.0, 0.95, 0, 19).sign.any() for s in drawn[:20]
        )
    assert set(curves_of(CROSSED[:, :, :40], SIZES).leaders()["q0.05"].contenders) == {("a", "b")}


def test_each_of_the_three_leads_has_a_third_of_the_error(curves_of):
    curves = curves_of(CROSSED, SIZES)
    found = curves.leaders(confidence=0.85)
    for name, lead in found.by.items():
        at_95, at_85 = (curves.crossings("a", "b", name, confidence=level) for level in (0.95, 0.85))
        assert np.array_equal(lead.ahead[0, 1], np.where(at_95.low > 0, 1, np.where(at_95.high < 0, -1, 0)))
        assert np.all(at_95.low < at_85.low)


def test_what_is_certain_does_not_depend_on_the_order_of_repetitions_or_models(curves_of):
    scores = CROSSED[:, :, :60]
    mixed = scores[::-1][:, :, np.random.default_rng(1).permutation(60)]
    for name in ("mean", "q0.05"):
        band = difference_band(scores, [(0, 1)], Statistic.of(name), 1.0, 0.95, 0, n_resamples=199)
        other = difference_band(mixed, [(1, 0)], Statistic.of(name), 1.0, 0.95, 0, n_resamples=199)
        assert_allclose([other.low, other.high], [band.low, band.high], rtol=1e-9)


def test_a_lead_by_a_quantile_with_few_runs_beyond_it_is_called_heuristic(curves_of):
    few = curves_of(CROSSED[:, :, :100], SIZES).leaders()
    assert [lead.guarantee for lead in few.by.values()] == ["approximate", "heuristic", "heuristic"]
    assert "certain (heuristic): " in str(few["q0.05"])
    many = curves_of(CROSSED, SIZES).leaders()
    assert {lead.guarantee for lead in many.by.values()} == {"approximate"}
    assert "heuristic" not in str(many)


def test_leaders_differ_by_statistic_and_contradictions_are_named(curves_of):
    found = curves_of(CROSSED, SIZES).leaders(confidence=0.85)
    assert [who for (who,) in found["mean"].leaders] == ["a", "a", found["mean"].leaders[2][0], "b", "b"]
    assert [r.who for r in found["q0.95"].ranges(certain=True)][-1] == "b"
    assert found["q0.05"].leaders[3] == ("a",)
    assert ("b", "a", "5 % quantile (worst 5 %)") in [c[:3] for c in found.contradictions]
    where = next(c[3] for c in found.contradictions)
    assert (where.first, where.last) == (40, 40)
    assert "both certain" in str(found)


def test_leaders_say_who_leads_at_last_who_before_and_between_which_sizes_the_order_reverses(curves_of):
    found = curves_of(CROSSED, SIZES).leaders()
    (change,) = found["mean"].changes()
    assert (change.before, change.after) == ("a", "b")
    assert (
        found["mean"].ahead[0, 1, SIZES.index(change.last)] == 1 == found["mean"].ahead[1, 0, SIZES.index(change.first)]
    )
    assert "n = 80" in found.sentences[0]
    assert change.words in found.verdict
    few = curves_of(CROSSED[:, :, :30], SIZES).leaders()
    assert few["q0.05"].guarantee == "heuristic"


def test_equal_models_share_the_lead_and_everybody_contends(curves_of):
    values = np.stack([CROSSED[0], CROSSED[0]])
    lead = curves_of(values, SIZES).leaders()["mean"]
    assert set(lead.leaders) == {("a", "b")}
    assert set(lead.contenders) == {("a", "b")}


def test_rankings_by_mean_and_by_quantile_disagree_where_they_do(curves_of):
    found = curves_of(CROSSED, SIZES).disagreements(share=0.05)
    rows = {(r.first, r.second): r for r in found.rows}
    assert 40 in rows["mean", "worst 5 % quantile"].sizes
    assert 80 not in rows["mean", "worst 5 % quantile"].sizes
    same = curves_of(np.stack([CROSSED[0], CROSSED[0]]), SIZES).disagreements()
    assert all(r.share == 0.0 for r in same.rows)


def test_only_pairs_with_a_member_at_the_top_count(curves_of):
    values = np.array([0.9, 0.8, 0.3, 0.2])[:, None, None] + np.zeros((4, 1, 40))
    values[2, 0, :4] = 0.0  # the mean of c stays above d, its worst runs fall below
    made = curves_of(values, [10])
    assert made.disagreements(top=1, share=0.05).rows[2].share == 0.0
    assert made.disagreements(top=3, share=0.05).rows[2].share == 1.0


def test_the_required_size_holds_from_there_on_and_its_interval_comes_from_all_sizes(curves_of):
    level = np.array([0.5, 0.75, 0.6, 0.8, 0.9])
    values = level[None, :, None] + 0.001 * RNG.normal(size=(1, 5, 200))
    made = curves_of(values, SIZES)
    found = made.required_size(target=0.7)
    assert (found.estimate, found.low, found.high) == (40.0, 40.0, 40.0)  # 10 reaches it, 20 does not
    assert made.required_size(target=0.4).low == 5.0
    assert "[≤ 5, ≤ 5]" in str(made.required_size(target=0.4))
    never = made.required_size(target=0.95)
    assert (never.estimate, never.high) == (math.inf, math.inf)
    assert never.to_dict()["high"] is None
    assert "n = 40" in str(found)


def test_few_repetitions_leave_the_required_size_open_above(curves_of):
    values = np.linspace(0.5, 0.9, 5)[None, :, None] + 0.01 * RNG.normal(size=(1, 5, 30))
    found = curves_of(values, SIZES).required_size(target=0.6)
    assert math.isfinite(found.estimate)
    assert found.high == math.inf  # no order statistic bounds the 5 % quantile of 30 runs from below


def test_for_a_loss_the_bad_side_is_above(curves_of):
    values = np.linspace(0.9, 0.2, 5)[None, :, None] + 0.001 * RNG.normal(size=(1, 5, 300))
    found = curves_of(values, SIZES, metric="brier").required_size(target=0.5)
    assert found.quantile == 0.95
    assert found.estimate == found.low == found.high == 40.0


def test_normality_is_told_as_published_with_ties_and_constants_apart(curves_of):
    rng = np.random.default_rng(0)
    values = np.stack([rng.binomial(60, 0.75, size=400), np.full(400, 30), rng.binomial(60, 0.5, 400)]) / 60
    values[2, :40] = 0.0
    made = curves_of(values[None], [1, 2, 3], n_test=60)
    found = made.normality()
    assert found.status[0].tolist() == ["tested", "constant", "tested"]
    assert found.published[0, 0] == normality(values[0], test="shapiro").p_value[0]
    assert found.published[0, 0] < 0.05 < found.lattice[0, 0]
    assert found.lattice[0, 2] < 0.05
    assert found.gaussian_share(lattice=True).tolist() == [0.5]
    assert found.gaussian_share(constant="gaussian").tolist() == pytest.approx([1 / 3])
    pair = curves_of(np.stack([values, values[::-1]]), [1, 2, 3], n_test=60).normality(pair=("a", "b"))
    assert pair.rows == ("a - b",)
    assert pair.status[0, 1] == "constant"


def test_slices_know_two_modes_from_one(curves_of):
    rng = np.random.default_rng(3)
    two = np.where(rng.random(300) < 0.5, rng.binomial(100, 0.3, 300), rng.binomial(100, 0.8, 300)) / 100
    one = rng.binomial(100, 0.5, 300) / 100
    made = curves_of(np.stack([two, one, np.full(300, 0.5)])[None], [4, 8, 16])
    first, second, third = made.densities([4, 8, 16])
    assert first.several_modes
    assert not second.several_modes
    assert third.dip is None
    assert third.grid.size == 0
    area = np.trapezoid(first.density, first.grid) if hasattr(np, "trapezoid") else 1.0
    assert area == pytest.approx(1.0, abs=0.02)
    with pytest.raises(InputError, match="the nearest is 4"):
        made.densities([5])


def test_missing_scores_leave_a_gap_in_every_answer(curves_of):
    values = CROSSED.copy()
    values[1, 0, 3] = np.nan
    made = curves_of(values, SIZES)
    assert np.isnan(made.quantile(0.05)["b"].estimate[0])
    assert np.isfinite(made.quantile(0.05)["a"].estimate[0])
    found = made.crossings("a", "b")
    assert np.isnan(found.estimate[0])
    assert found.ranges[0].who is None
    assert made.leaders()["mean"].leaders[0] == ("a",)
    assert made.normality(lattice=False).status[1, 0] == "missing"
    with pytest.raises(InputError, match=r"curves\.with_failures"):
        made.required_size("b", target=0.5)
    assert made.with_failures(0.0).required_size("b", target=0.2).estimate == 5.0


def test_wrong_questions_are_refused(curves_of):
    made = curves_of(CROSSED, SIZES)
    with pytest.raises(InputError, match=r"`model` 'c'.*'a', 'b'"):
        made.crossings("a", "c")
    with pytest.raises(InputError, match="`statistic`"):
        made.crossings("a", "b", "worst")
    with pytest.raises(InputError, match=r"`metric`.*'auc'"):
        made.mean("auc")
    with pytest.raises(InputError, match="at least 20 repetitions"):
        curves_of(CROSSED[:, :, :10], SIZES).crossings("a", "b")
    with pytest.raises(InputError, match="`target`"):
        made.required_size("a", target="high")
    for wrong in (0, 1.5, "mean", "q0.05", True):
        with pytest.raises(InputError, match=r"quantile.*0\.05; got "):
            made.required_size("a", target=0.5, quantile=wrong)
    with pytest.raises(InputError, match="quantile"):
        made.quantile("mean")
    with pytest.raises(InputError, match="two different models"):
        made.crossings("a", "a")
