"""How many trials are enough: known numbers, laws, and what the plans rest on as oracles."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from ogive.errors import InputError, InvalidConfidence
from ogive.statistics import (
    band,
    band_margin,
    mean_interval,
    quantile_interval,
    tail_mean_interval,
    variance_components,
)
from ogive.statistics._band import local_level
from ogive.statistics.planning import (
    BandPrecision,
    DifferenceTest,
    ImprovementTest,
    PilotPrecision,
    Plan,
    QuantilePrecision,
    TwoLevelPrecision,
    WorstCasePrecision,
    anytime_margin,
    best_repeats,
    largest_spread,
    plan_trials,
    spend,
    trials_for,
)
from ogive.statistics.planning._anytime import anytime_constant
from ogive.statistics.planning._precision import SLOW_FROM, TABLE_END

PILOT = np.random.default_rng(5).normal(size=40)
EVEN = (
    BandPrecision(method="exact"),
    BandPrecision(method="ks"),
    BandPrecision(method="dkw", one_sided=True),
    BandPrecision(method="exact", one_sided=True, confidence=0.9),
    WorstCasePrecision(bounds=(0, 1)),
    WorstCasePrecision(bounds=(-1, 2), mass=0.25, method="exact"),
    WorstCasePrecision(bounds=(0, 1), mass=0.1, method="exact", one_sided=True),
    WorstCasePrecision(bounds=(0, 1), mass=0.5, method="exact"),
    WorstCasePrecision(bounds=(0, 1), mass=0.1, method="ks", one_sided=True),
    PilotPrecision.from_scores(PILOT),
    PilotPrecision.from_scores(PILOT, mass=0.1, tail="lower"),
    TwoLevelPrecision(between=1.0, within=4.0, repeats=3),
    TwoLevelPrecision.from_pilot(PILOT, np.repeat(np.arange(10), 4)),
    ImprovementTest(),
    ImprovementTest(share=0.25, power=0.9),
    ImprovementTest(sd=(1.0, 5.0), share=0.4),
    DifferenceTest(sd=(1.0, 1.0)),
    DifferenceTest(sd=(1.0, 3.0), margin=0.05),
    DifferenceTest(sd=(1.0,), paired=True),
    DifferenceTest(sd=(1.0,), paired=True, claim_of="equivalent"),
)
RIPPLED = (
    QuantilePrecision(p=0.5),
    QuantilePrecision(p=0.95),
    QuantilePrecision(p=0.1, confidence=0.8),
    ImprovementTest(paired=True),
    ImprovementTest(paired=True, power=0.5, confidence=0.99),
)


# Known numbers.


@pytest.mark.parametrize(
    ("method", "half_width", "n"),
    [("ks", 0.1, 181), ("ks", 0.05, 731), ("ks", 0.02, 4595), ("dkw", 0.1, 185), ("dkw", 0.05, 738), ("dkw", 0.02, 4612)],
)  # fmt: skip
def test_bands_need_the_known_numbers_of_trials(method, half_width, n):
    assert plan_trials(BandPrecision(method=method), half_width).n_trials == n


def test_the_tail_mean_needs_the_known_number_of_trials():
    found = plan_trials(WorstCasePrecision(bounds=(0, 1), mass=0.5), 0.01)
    assert (found.n_trials, found.method, found.guarantee) == (73_778, "dkw band", "conservative")
    one_sided = plan_trials(WorstCasePrecision(bounds=(0, 1), mass=0.5, one_sided=True), 0.01)
    assert one_sided.n_trials == math.ceil(math.log(20) / (2 * 0.25 * 1e-4))


def test_the_range_of_the_score_enters_squared():
    assert plan_trials(WorstCasePrecision(bounds=(-2, 2)), 0.2).n_trials == math.ceil(16 * math.log(40) / (2 * 0.04))


def test_noethers_number_is_117():
    found = plan_trials(ImprovementTest(), 0.15)
    assert (found.n_trials, found.guarantee) == (117, "approximate")


@pytest.mark.parametrize(("p", "n"), [(0.5, 6), (0.9, 36), (0.95, 72), (0.99, 368)])
def test_a_quantile_has_both_sides_from_the_known_number_of_trials(p, n):
    assert plan_trials(QuantilePrecision(p=p), 0.99).n_trials == n
    assert QuantilePrecision(p=p).width(n - 1) == math.inf


@pytest.mark.parametrize(
    ("question", "n"),
    [
        (DifferenceTest(sd=(1.0, 1.0)), 128),
        (DifferenceTest(sd=(1.0,), paired=True), 34),
        (DifferenceTest(sd=(1.0, 1.0), power=0.9), 172),
    ],
)
def test_half_a_standard_deviation_needs_cohens_numbers(question, n):
    assert plan_trials(question, 0.5).n_trials == n


def test_the_anytime_constant_is_howard_and_ramdas():
    assert_allclose(anytime_constant(0.95), 8.1227, atol=5e-5)
    assert_allclose(anytime_margin(32, m0=32), 0.85 * math.sqrt(anytime_constant(0.95) / 32))


def test_the_anytime_margin_is_about_twice_that_of_one_look():
    assert 1.8 < anytime_margin(1000, m0=100) / band_margin(1000, 0.95, "dkw", two_sided=True) < 2.2


@pytest.mark.parametrize(("method", "ratio"), [("dkw", 1.198), ("exact", 1.148)])
def test_five_looks_cost_at_most_a_fifth_more_width(method, ratio):
    once, five = (BandPrecision(method=method, confidence=c).width(1000) for c in (0.95, spend(0.95, 5)))
    assert_allclose(five / once, ratio, atol=1e-3)


# Oracles: a plan's width is the width of the interval it plans for.


@pytest.mark.parametrize("method", ["exact", "ks", "dkw"])
@pytest.mark.parametrize("n", [1, 7, 40])
def test_the_planned_width_is_that_of_the_band(method, n):
    b, passed = band(np.arange(1.0, n + 1), method=method), np.arange(n + 1) + 0.5
    distance = max(
        np.max(b.estimate.cdf(passed) - b.low.cdf(passed)), np.max(b.high.cdf(passed) - b.estimate.cdf(passed))
    )
    assert_allclose(BandPrecision(method=method).width(n), distance, atol=1e-12)


@pytest.mark.parametrize("method", ["exact", "ks", "dkw"])
@pytest.mark.parametrize("mass", [0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("tail", ["lower", "upper"])
def test_the_worst_case_is_attained_by_two_outcomes_and_exceeded_by_no_sample(method, mass, tail):
    n, bounds = 60, (-1.0, 3.0)
    planned = WorstCasePrecision(bounds=bounds, mass=mass, method=method).width(n)

    def half_width(scores):
        i = band(scores, method=method).cvar(mass=mass, tail=tail, bounds=bounds)
        return max(i.high - i.estimate, i.estimate - i.low)

    two_outcomes = [half_width(np.repeat(bounds, (k, n - k))) for k in range(n + 1)]
    # The exact band's worst level need not be one of k/n: then two outcomes come within one run's share of it.
    slack = 1e-9 if method != "exact" or mass == 1.0 else (bounds[1] - bounds[0]) / (n * mass)
    assert planned - slack <= max(two_outcomes) <= planned + 1e-9
    rng = np.random.default_rng(1)
    assert max(half_width(rng.uniform(*bounds, size=n)) for _ in range(20)) <= planned


def test_the_planned_width_of_the_pilots_own_size_is_its_interval():
    mean = mean_interval(PILOT)
    assert_allclose(PilotPrecision.from_scores(PILOT, assurance=None).width(40), mean.high - mean.estimate)
    for tail in ("lower", "upper"):
        i = tail_mean_interval(PILOT, mass=0.25, tail=tail)
        planned = PilotPrecision.from_scores(PILOT, mass=0.25, tail=tail, assurance=None).width(40)
        assert_allclose(planned, i.high - i.estimate)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_largest_spread_is_that_of_the_chi_square_distribution(n):
    limit = largest_spread(2.0, n)
    assert_allclose(stats.chi2.cdf((n - 1) * (2.0 / limit) ** 2, n - 1), 0.2)
    assert largest_spread(2.0, n, 0.9) > limit
    assert_allclose(PilotPrecision.from_scores(PILOT).sd, largest_spread(float(np.std(PILOT, ddof=1)), 40))
    with pytest.raises(InputError, match="assurance"):
        largest_spread(2.0, n, 80)


def test_a_pilot_in_clusters_plans_with_the_upper_limits_of_both_variances():
    clusters = np.repeat(np.arange(10), 4)
    q, known = TwoLevelPrecision.from_pilot(PILOT, clusters), variance_components(PILOT, clusters, confidence=0.6)
    assert_allclose((q.between, q.within), (known.between.high, known.within.high))
    none = TwoLevelPrecision.from_pilot([0, 1, 0, 1, 0, 1], [1, 1, 2, 2, 3, 3])
    assert none.between > 0.0
    assert none.repeats < 100, "clusters that look alike may still differ"


def test_the_planned_width_of_a_quantile_is_the_level_of_its_order_statistics():
    n = 99
    i = quantile_interval(np.arange(1, n + 1) / (n + 1), 0.3)
    assert_allclose(QuantilePrecision(p=0.3).width(n), max(0.3 - i.low, i.high - 0.3))


@given(st.integers(6, 400), st.floats(0.05, 0.95), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_sign_test_sees_its_smallest_probability_with_exactly_the_power(n, power, confidence):
    width = ImprovementTest(paired=True, power=power, confidence=confidence).width(n)
    if math.isinf(width):
        assert 0.5**n > (1 - confidence) / 2
        return
    needed = next(k for k in range(n + 1) if stats.binom.sf(k - 1, n, 0.5) <= (1 - confidence) / 2)
    assert_allclose(stats.binom.sf(needed - 1, n, 0.5 + width), power, atol=1e-9)


@pytest.mark.parametrize("n", [4, 10, 100])
def test_the_t_test_sees_its_smallest_difference_with_exactly_the_power(n):
    width = DifferenceTest(sd=(2.0,), paired=True, power=0.8).width(n)
    noncentral = stats.nct(n - 1, width / 2.0 * math.sqrt(n))
    assert_allclose(noncentral.sf(stats.t.ppf(0.975, n - 1)), 0.8, atol=1e-6)


@pytest.mark.parametrize("confidence", [0.2, 0.8, 0.95, 0.999])
def test_the_expansion_of_the_one_sided_ks_margin_is_that_of_smirnov(confidence):
    n = SLOW_FROM + 1
    width = BandPrecision(method="ks", one_sided=True, confidence=confidence).width(n)
    exact = band_margin(n, confidence, "ks", two_sided=False)
    assert exact <= width <= exact * (1 + 2e-4)


# Laws.


@pytest.mark.parametrize("question", EVEN, ids=str)
def test_more_trials_never_widen(question):
    numbers = sorted({*range(question.fewest, 200), *np.geomspace(200, 30_000, 25).astype(int).tolist()})
    widths = [question.width(n) for n in numbers if question.turning is None or n <= question.turning]
    assert all(later <= earlier * (1 + 1e-7) for earlier, later in itertools.pairwise(widths))


@pytest.mark.parametrize("question", [*EVEN, *RIPPLED], ids=str)
@settings(max_examples=10, deadline=None)
@given(share=st.floats(0.08, 0.9))
def test_a_plan_is_the_number_from_which_on_the_width_is_reached(question, share):
    target = share * min(question.widest, 3.0) + getattr(question, "margin", 0.0)
    n = trials_for(question, target)
    assert n == question.fewest or question.width(n - 1) > target
    near = range(n, n + (150 if question in RIPPLED else 5))
    later = {*near, *np.geomspace(n, 4 * n, 10).astype(int).tolist()}
    end = question.turning if question.turning is not None and n <= question.turning else math.inf
    assert all(question.width(m) <= target * (1 + 1e-9) for m in later if m <= end)


@pytest.mark.parametrize("question", [*EVEN, *RIPPLED], ids=str)
def test_smaller_targets_need_no_fewer_trials(question):
    targets = getattr(question, "margin", 0.0) + 0.45 * min(question.widest, 2.0) * np.geomspace(1, 0.05, 12)
    needed = [trials_for(question, t) for t in targets]
    assert needed == sorted(needed)


@pytest.mark.parametrize("question", [*EVEN, *RIPPLED], ids=str)
def test_the_reverse_question_gives_back_the_plan(question):
    target = getattr(question, "margin", 0.0) + 0.2 * min(question.widest, 2.0)
    forth = plan_trials(question, target)
    back = plan_trials(question, n_trials=forth.n_trials)
    assert back.achieved_width == forth.achieved_width <= target
    assert (forth.target, back.target) == (target, None)
    if question in EVEN:
        assert trials_for(question, forth.achieved_width) == forth.n_trials


def test_pairs_need_fewer_trials_where_they_share_their_draw():
    assert plan_trials(ImprovementTest(paired=True), 0.15).n_trials < plan_trials(ImprovementTest(), 0.15).n_trials


def test_an_uneven_share_needs_more_trials():
    assert plan_trials(ImprovementTest(share=0.2), 0.15).n_trials > 117


def test_a_margin_and_a_claim_cost_trials():
    known = {"sd": (1.0, 1.0)}
    plain, margined = (plan_trials(DifferenceTest(**known, margin=m), 0.5).n_trials for m in (0.0, 0.2))
    not_worse, equivalent = (
        plan_trials(DifferenceTest(**known, claim_of=c), 0.5).n_trials for c in ("not worse", "equivalent")
    )
    assert margined == plan_trials(DifferenceTest(**known), 0.3).n_trials > plain == not_worse < equivalent


def test_the_exact_band_needs_fewer_trials_than_dkw_in_a_small_tail_and_more_for_the_mean():
    def needed(mass, method):
        return plan_trials(WorstCasePrecision(bounds=(0, 1), mass=mass, method=method), 0.2).n_trials

    assert needed(0.1, "exact") < needed(0.1, "dkw")
    assert needed(1.0, "exact") > needed(1.0, "dkw")


def test_beyond_the_table_the_exact_band_gives_way_and_says_so():
    found = plan_trials(BandPrecision(), 0.005)
    assert found.n_trials > 20_000
    assert found.method == "ks"
    assert "gives way" in found.notes[0]


def test_in_a_tail_the_exact_band_is_used_to_the_end_of_its_table():
    question = WorstCasePrecision(bounds=(0, 1), mass=0.05, method="exact")
    target = question.width(19_000)
    found = plan_trials(question, target)
    assert (found.n_trials, found.method) == (19_000, "exact band")
    assert "wider in the tail" in found.notes[0]
    assert plan_trials(question, 0.9 * question.width(TABLE_END)).method == "ks band"
    assert local_level(TABLE_END, 0.95, two_sided=True, solve=False) is not None
    assert local_level(TABLE_END + 1, 0.95, two_sided=True, solve=False) is None


def test_the_anytime_margin_shrinks_and_starts_later_for_later_looks():
    t = np.arange(50, 3000)
    margins = anytime_margin(t, m0=50)
    assert np.all(np.diff(margins) < 0)
    assert anytime_margin(1000, m0=500) < anytime_margin(1000, m0=50)
    assert anytime_margin(1000, m0=50, confidence=0.99) > anytime_margin(1000, m0=50)


# Two levels.


def components(between, within):
    scores = np.random.default_rng(3).normal(size=(50, 4)) * math.sqrt(within)
    scores += math.sqrt(between) * np.random.default_rng(4).normal(size=(50, 1))
    return variance_components(scores.ravel(), np.repeat(np.arange(50), 4))


@pytest.mark.parametrize("cost_ratio", [0.5, 1.0, 7.0, 100.0])
def test_the_best_repeats_are_the_cheapest_whole_number(cost_ratio):
    c = components(1.0, 2.0)

    def cost(r):
        return (c.between.estimate + c.within.estimate / r) * (cost_ratio + r)

    assert best_repeats(c, cost_ratio) == min(range(1, 100), key=cost)


def test_without_variance_between_repeats_are_capped_and_it_is_said():
    c = variance_components([0, 1, 0, 1, 0, 1], [1, 1, 2, 2, 3, 3])
    found = plan_trials(TwoLevelPrecision.from_components(c), 0.1)
    assert found.question.repeats == 100
    assert "capped" in found.notes[0]


def test_a_two_level_plan_counts_whole_clusters_and_says_where_repeats_alone_end():
    c = components(1.0, 2.0)
    found = plan_trials(TwoLevelPrecision.from_components(c, repeats=3, unit_word="config"), 0.2)
    assert found.n_trials % 3 == 0
    assert f"{found.n_trials // 3} configs, 3 times each" in str(found)
    assert "no closer than" in found.notes[0]


# The noun.


def test_a_plan_is_a_sentence_a_line_and_json():
    found = plan_trials(BandPrecision(method="ks"), 0.1)
    assert str(found) == "181 trials put the 95 % band within ±0.1 of the share of runs everywhere (ks, guaranteed)."
    assert repr(found) == "Plan(band, n_trials=181, achieved_width=0.09998, ks, exact)"
    shown = found.to_dict()
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert (shown["schema"], shown["n_trials"], shown["question"]["method"]) == (1, 181, "ks")
    assert {"n_trials": 181, "achieved_width": found.achieved_width} in shown["rows"]
    assert "181 trials" in found._repr_html_()


@pytest.mark.parametrize("question", [*EVEN, *RIPPLED], ids=str)
def test_every_plan_can_be_said_and_written(question):
    found = plan_trials(question, n_trials=200)
    assert str(found).count("\n") == 0
    assert str(found).endswith(").")
    assert "200" in str(found) or "66" in str(found)  # 200 trials are 66 clusters of three
    json.dumps(found.to_dict(), allow_nan=False)
    assert question.axis
    assert all(note.endswith(".") for note in found.footnotes())


def test_a_plan_cannot_be_changed():
    found = plan_trials(BandPrecision(method="dkw"), 0.1)
    assert isinstance(found, Plan)
    with pytest.raises(AttributeError):
        found.n_trials = 3
    assert not hasattr(found, "__dict__")


def test_too_few_trials_say_so_and_have_a_reason_in_json():
    found = plan_trials(ImprovementTest(paired=True), n_trials=5)
    assert found.achieved_width == math.inf
    assert str(found) == "5 pairs are too few for an interval or a conclusion (sign test)."
    assert found.to_dict()["reasons"]["achieved_width"] == "no bound exists at this confidence"


def test_a_table_answers_for_numbers_and_for_widths():
    found = plan_trials(BandPrecision(method="dkw"), 0.1)
    assert [row.n_trials for row in found.table(widths=[0.1, 0.05, 0.02])] == [185, 738, 4612]
    by_number = found.table(n_trials=[185, 738])
    assert [row.achieved_width for row in by_number] == [found.question.width(185), found.question.width(738)]
    numbers = [row.n_trials for row in found.table()]
    assert numbers == sorted(numbers)
    assert 185 in numbers


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: plan_trials(BandPrecision()), "`half_width` or `n_trials`; got neither"),
        (lambda: plan_trials(BandPrecision(), 0.1, n_trials=5), "got both"),
        (lambda: plan_trials(BandPrecision(), 1.5), "`half_width` must lie below 1; got 1.5"),
        (lambda: plan_trials(BandPrecision(), -0.1), "`half_width` must be a positive number"),
        (lambda: plan_trials(BandPrecision(method="dkw"), 1e-9), "would need more than"),
        (lambda: plan_trials(BandPrecision(), n_trials=2.5), "whole number"),
        (lambda: BandPrecision(method="kolmogorov"), "`method` must be 'exact', 'ks' or 'dkw'"),
        (lambda: QuantilePrecision(p=1.0), r"`p` must lie in \(0, 1\)"),
        (lambda: WorstCasePrecision(bounds=(0, None)), "`bounds` must be two numbers"),
        (lambda: WorstCasePrecision(bounds=(1, 0)), "low < high"),
        (lambda: PilotPrecision.from_scores([1, 1, 1]), "no spread"),
        (lambda: PilotPrecision.from_scores([1, 2, 3], mass=0.1, tail="lower"), "11 in all for mass 0.1; got 3"),
        (lambda: PilotPrecision.from_scores(range(50), mass=0.1), "`tail` must be"),
        (lambda: ImprovementTest(power=80), "Did you mean 0.8?"),
        (lambda: ImprovementTest(share=1.0), "`share`"),
        (lambda: plan_trials(ImprovementTest(), 0.5), "must lie below 0.5"),
        (lambda: DifferenceTest(sd=(1.0,)), "`sd` must be one number for pairs"),
        (lambda: DifferenceTest(sd=(0.0, 1.0)), "`sd` must be a positive number"),
        (lambda: DifferenceTest(sd=(1.0, 1.0), margin=-1), "`margin` must be a number of at least 0"),
        (lambda: DifferenceTest(sd=(1.0, 1.0), claim_of="same"), "`claim` must be"),
        (lambda: DifferenceTest(sd=(1.0, 1.0), claim_of="equivalent", margin=0.1), "pass it as the target"),
        (lambda: anytime_margin(10, m0=20), "`t` at least `m0`"),
        (lambda: spend(0.95, 2.5), "`looks` must be a whole number"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(make, said):
    with pytest.raises(InputError, match=said):
        make()
    with pytest.raises(InvalidConfidence):
        BandPrecision(confidence=95)


def test_a_pilot_that_varies_by_rounding_only_shows_no_spread():
    with pytest.raises(InputError, match="no spread"):
        PilotPrecision.from_scores([0.1 + 0.2, 0.3, 0.3])
    tail = np.where(np.arange(40) < 2, 0.3, 0.1 + 0.2)
    with pytest.raises(InputError, match="no spread"):
        PilotPrecision.from_scores(tail, mass=0.1, tail="lower")


def test_plans_are_made_up_to_the_largest_number_of_trials():
    assert plan_trials(WorstCasePrecision(bounds=(0, 1)), 5e-5).n_trials == 737_775_891
    with pytest.raises(InputError, match=r"more than 1e\+09"):
        plan_trials(WorstCasePrecision(bounds=(0, 1)), 4e-5)


@pytest.mark.parametrize(
    ("confidence", "target", "says"), [(0.9999, 0.2, "99.9 % confidence"), (0.95, 0.008, "20,000")]
)
def test_a_plan_says_why_the_exact_band_gives_way(confidence, target, says):
    (note,) = plan_trials(BandPrecision(confidence=confidence), target).notes
    assert says in note


def test_one_side_of_a_ks_band_is_called_exact_up_to_where_its_width_is_dkws():
    question = BandPrecision(method="ks", one_sided=True)
    assert [question.how(n).guarantee for n in (20_000, 20_001)] == ["exact", "conservative"]
