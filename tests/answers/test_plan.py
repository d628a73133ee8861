"""Plans by name and from a pilot table, as a user asks for them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import ogive
from ogive.answers import plan
from ogive.answers._plan import EXAMPLES, TAKES
from ogive.errors import FailedTrials, InputError, InvalidConfidence

RNG = np.random.default_rng(2)
DRAW = RNG.normal(size=30)
A, B = DRAW + 0.1 * RNG.normal(size=30), DRAW + 0.1 * RNG.normal(size=30) + 0.02


def frame(**methods) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame({"model": name, "seed": np.arange(len(scores)), "accuracy": scores})
        for name, scores in methods.items()
    )


@pytest.fixture
def paired() -> ogive.Trials:
    return ogive.read(frame(a=A, b=B), unit="row", pair="seed")


@pytest.fixture
def clustered() -> ogive.Trials:
    config = np.repeat(np.arange(12), 4)
    scores = np.repeat(RNG.normal(size=12), 4) + RNG.normal(size=48)
    table = pd.DataFrame({"model": "a", "config": config, "seed": np.tile(np.arange(4), 12), "accuracy": scores})
    return ogive.read(table, unit="config")


@pytest.mark.parametrize(
    ("what", "options", "n"),
    [
        ("band", {"half_width": 0.1, "method": "ks"}, 181),
        ("band", {"half_width": 0.05, "method": "dkw"}, 738),
        ("quantile", {"p": 0.95, "half_width": 0.5}, 72),
        ("cvar", {"mass": 0.5, "half_width": 0.01, "bounds": (0, 1)}, 73_778),
        ("mean", {"half_width": 0.05, "bounds": (0, 1)}, 738),
        ("improvement", {"p": 0.65}, 117),
        ("improvement", {"p": 0.35}, 117),
        ("improvement", {"difference": 0.15}, 117),
        ("improvement", {}, 117),
        ("improvement", {"paired": True}, 97),
        ("difference", {"difference": 0.5, "sd": 1.0}, 128),
        ("difference", {"difference": 0.5, "sd": (1.0, 1.0)}, 128),
        ("difference", {"difference": 0.5, "sd": 1.0, "paired": True}, 34),
        ("difference", {"margin": 0.5, "sd": 1.0, "claim": "not worse"}, 128),
    ],
)
def test_every_question_has_its_known_number(what, options, n):
    assert plan(what, **options).n_trials == n


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("band", {}),
        ("quantile", {"p": 0.5}),
        ("mean", {"bounds": (0, 1)}),
        ("mean", {"sd": 0.1}),
        ("mean", {"pilot": A}),
        ("cvar", {"bounds": (0, 1), "mass": 0.1}),
        ("cvar", {"pilot": A, "mass": 0.1, "tail": "lower"}),
        ("improvement", {}),
        ("difference", {"sd": 1.0}),
        ("difference", {"sd": 1.0, "claim": "equivalent"}),
    ],
)
def test_every_question_can_be_reversed(what, options):
    found = plan(what, n_trials=500, **options)
    assert (found.n_trials, found.target) == (500, None)
    assert 0 < found.achieved_width < 10
    again = found.to_dict()
    assert json.loads(json.dumps(again, allow_nan=False)) == again
    assert (again["schema"], again["question"]["what"]) == (1, what)


def test_the_exact_band_says_when_another_needs_fewer():
    found = plan("band", half_width=0.1)
    assert found.method == "exact"
    assert "dkw band needs 185" in found.notes[0]
    assert plan("band", half_width=0.1, method="dkw").notes == ()


def test_a_paired_pilot_plans_for_pairs_with_the_spread_of_their_differences(paired):
    found = plan(paired, difference=0.05)
    assert found.question.paired
    assert_allclose(found.question.sd_pilot, [np.std(A - B, ddof=1)])
    assert found.source == paired.source
    assert found.target == 0.05


def test_an_unpaired_pilot_plans_with_both_spreads_and_needs_more(paired):
    found = plan(paired, difference=0.05, paired=False)
    assert_allclose(found.question.sd_pilot, [np.std(A, ddof=1), np.std(B, ddof=1)])
    assert found.n_trials > 10 * plan(paired, difference=0.05).n_trials


@pytest.mark.parametrize("names", [{"a": "a", "b": "b"}, {"a": "b"}, {"b": "a"}, {"a": "b", "b": "a"}])
def test_the_order_of_two_methods_does_not_matter(paired, names):
    assert plan(paired, difference=0.05, **names).n_trials == plan(paired, difference=0.05).n_trials


def test_a_plan_from_a_pilot_allows_for_a_larger_spread_and_says_so(paired):
    found = plan(paired, difference=0.05)
    limit = np.std(A - B, ddof=1) * np.sqrt(29 / stats.chi2.ppf(0.2, 29))
    assert_allclose(found.question.sd, [limit])
    assert found.n_trials > plan("difference", difference=0.05, sd=float(np.std(A - B, ddof=1)), paired=True).n_trials
    assert f"{limit:.3g}" in str(found)
    assert "80 %" in found.assumptions[-1]
    both = plan(paired, difference=0.05, paired=False)
    assert "80 %" in str(both)
    assert json.loads(json.dumps(both.to_dict()))["question"]["sd_pilot"] == list(both.question.sd_pilot)
    mean = plan(paired, half_width=0.1, a="a")
    assert "80 %" in str(mean)
    worst = plan(paired, half_width=0.1, mass=0.25, a="a")
    assert worst.guarantee == "heuristic"
    assert "80 %" not in str(worst)


def test_each_method_has_the_limit_of_its_own_number_of_runs():
    few, many = A[:4], B
    found = plan(ogive.read({"a": few, "b": many}, unit="row"), difference=0.5, paired=False)
    factors = np.divide(found.question.sd, found.question.sd_pilot)
    assert_allclose(factors, [np.sqrt((n - 1) / stats.chi2.ppf(0.2, n - 1)) for n in (4, 30)])


def test_spreads_that_differ_take_more_trials_for_an_improvement():
    alike, differ = plan("improvement", p=0.65), plan("improvement", p=0.65, sd=(1, 5))
    assert plan("improvement", p=0.65, sd=2.0).n_trials == alike.n_trials == 117
    assert differ.n_trials == plan("improvement", p=0.65, sd=(5, 1)).n_trials == 148
    assert plan("improvement", p=0.65, sd=(1e-3, 1)).n_trials == pytest.approx(117 * 1.5, abs=1)
    assert "spread alike" in alike.assumptions[-1]
    assert "spreads of 1 and 5" in differ.assumptions[-1]
    with pytest.raises(InputError, match="two spreads"):
        plan("improvement", p=0.65, sd=(1, 5), paired=True)


def test_pairs_are_joined_by_their_key_not_by_their_place():
    table = frame(a=A, b=B)
    shuffled = table.sample(frac=1.0, random_state=1)
    found = plan(ogive.read(shuffled, unit="row", pair="seed"), difference=0.05)
    assert_allclose(found.question.sd_pilot, [np.std(A - B, ddof=1)])


def test_unmatched_trials_are_left_out_of_pairs():
    table = frame(a=A, b=B).reset_index(drop=True).drop(index=[0, 1, 35])
    found = plan(ogive.read(table, unit="row", pair="seed"), difference=0.05)
    kept = np.setdiff1d(np.arange(30), [0, 1, 5])
    assert_allclose(found.question.sd_pilot, [np.std((A - B)[kept], ddof=1)])
    assert found.question.n_pilot == 27


def test_one_method_lends_its_spread_to_both():
    found = plan(ogive.read({"a": A}, unit="row"), difference=0.5)
    assert found.question.sd_pilot[0] == found.question.sd_pilot[1] == np.std(A, ddof=1)
    assert found.question.sd[0] == found.question.sd[1] > np.std(A, ddof=1)


def test_a_half_width_or_a_mass_asks_for_the_mean_of_one_method(paired):
    mean, tail = plan(paired, half_width=0.1, a="a"), plan(paired, half_width=0.1, mass=0.25, a="a")
    assert mean.n_trials == plan("mean", half_width=0.1, pilot=A).n_trials
    assert (tail.question.what, tail.question.tail) == ("cvar", "lower")
    assert tail.n_trials == plan("cvar", half_width=0.1, mass=0.25, tail="lower", pilot=A).n_trials


def test_the_bad_tail_of_a_loss_is_the_upper_one():
    trials = ogive.read({"a": A}, unit="row", goal="minimize")
    assert plan(trials, half_width=0.1, mass=0.25).question.tail == "upper"


def test_a_pilot_in_clusters_plans_clusters_and_repeats(clustered):
    cheap, dear = plan(clustered, half_width=0.2), plan(clustered, half_width=0.2, cost_ratio=50)
    assert dear.question.repeats > cheap.question.repeats
    assert dear.n_trials // dear.question.repeats < cheap.n_trials // cheap.question.repeats
    assert "configs" in str(cheap)
    assert plan(clustered, half_width=0.2, repeats=2).n_trials % 2 == 0


def test_a_difference_in_clusters_counts_clusters_and_says_so(clustered):
    found = plan(clustered, difference=0.5)
    means = clustered.scores().reshape(12, 4).mean(axis=1)
    assert_allclose(found.question.sd_pilot, [np.std(means, ddof=1)] * 2)
    assert "config" in found.notes[0]


def test_failed_trials_of_a_pilot_must_be_answered():
    table = frame(a=np.append(A, np.nan), b=np.append(B, 0.1))
    trials = ogive.read(table, unit="row", pair="seed")
    with pytest.raises(FailedTrials):
        plan(trials, difference=0.05)
    assert plan(trials, difference=0.05, failures="exclude").question.n_pilot == 30
    with pytest.raises(InputError, match="spread"):
        plan(trials, difference=0.05, failures="worst")


def test_runs_chosen_by_a_tuner_are_no_pilot():
    with pytest.raises(InputError, match="drawn at random"):
        plan(ogive.read({"a": A}, unit="row", independent=False), half_width=0.1)


@pytest.mark.parametrize(
    ("what", "options", "said"),
    [
        ("bands", {}, "`what` must be one of band, quantile"),
        ("scores.csv", {"difference": 0.1}, "scores.csv does not exist"),
        (Path("scores.csv"), {"difference": 0.1}, "scores.csv does not exist"),
        (None, {"difference": 0.1}, "`source` must be a path, a frame"),
        ("mean", {"half_width": 0.1, "pilot": "scores.csv"}, "scores.csv does not exist"),
        ("cvar", {"half_width": 0.1, "mass": 0.1}, "a plan for cvar needs one of `bounds` or `pilot`"),
        ("band", {}, "either `half_width` or `n_trials`; got neither"),
        ("band", {"half_width": 0.1, "n_trials": 10}, "got both"),
        ("band", {"half_width": 0.1, "mass": 0.1}, "`mass` has no meaning in a plan for 'band'"),
        ("band", {"half_width": "wide"}, "`half_width` must be a number"),
        ("quantile", {"half_width": 0.1}, "`p` must be given"),
        ("cvar", {"half_width": 0.1, "bounds": (0, 1)}, "`mass` must be given"),
        ("cvar", {"half_width": 0.1, "mass": 10, "bounds": (0, 1)}, "Did you mean 0.1?"),
        ("mean", {"half_width": 0.1}, "one of `bounds`, `pilot` or `sd`; got none"),
        ("mean", {"half_width": 0.1, "bounds": (0, 1), "sd": 1}, "got bounds and sd"),
        ("mean", {"half_width": 0.1, "bounds": 3}, "`bounds` must be a pair"),
        ("mean", {"half_width": 0.1, "sd": 1, "method": "ks"}, "`method` chooses a band"),
        ("mean", {"half_width": 0.1, "pilot": A, "repeats": 2}, "rows share a unit"),
        ("mean", {"half_width": 0.1, "pilot": A, "task": "x"}, "`task` chooses from a pilot table"),
        ("improvement", {"p": 0.5}, "not be 1/2"),
        ("improvement", {"p": 0.6, "difference": 0.1}, "got both"),
        ("improvement", {"p": 0.6, "n_trials": 10}, "either `p` or `n_trials`; got both"),
        ("difference", {"difference": 0.1}, "either `sd` or `pilot`"),
        ("difference", {"difference": 0.1, "pilot": A}, "must be a table; for plain scores"),
        ("difference", {"margin": 0.1, "sd": 1}, "`margin` alone is not a plan"),
        ("difference", {"margin": 0.1, "difference": 0.05, "sd": 1}, "must be larger than the margin"),
        ("difference", {"claim": "equivalent", "sd": 1}, "needs either `margin` or `n_trials`"),
        ("difference", {"claim": "equivalent", "difference": 0.1, "sd": 1}, "leave out `difference`"),
    ],
)  # fmt: skip
def test_what_makes_no_plan_is_refused_in_one_sentence(what, options, said):
    with pytest.raises(InputError, match=said) as caught:
        plan(what, **options)
    assert "\n" not in str(caught.value)


def test_a_pilot_table_is_refused_with_the_names_it_holds(paired):
    with pytest.raises(InputError, match=r"`a`.*'a', 'b'"):
        plan(paired, half_width=0.1)
    with pytest.raises(InputError, match="'c'"):
        plan(paired, difference=0.1, a="c")
    with pytest.raises(InputError, match=r"`a` and `b`.*3"):
        plan(ogive.read(frame(a=A, b=B, c=A + B), unit="row", pair="seed"), difference=0.1)
    with pytest.raises(InputError, match="`pilot`"):
        plan(paired, difference=0.1, pilot=A)
    with pytest.raises(InputError, match="`paired`"):
        plan(ogive.read({"a": A, "b": B[:20]}, unit="row"), difference=0.1, paired=True)
    with pytest.raises(InvalidConfidence):
        plan(paired, difference=0.1, confidence=95)


def test_a_probability_that_nobody_asked_for_is_said():
    (note,) = plan("improvement").notes
    assert "0.65 is taken" in note
    assert plan("improvement", p=0.65).notes == plan("improvement", n_trials=117).notes == ()


@pytest.mark.parametrize(
    ("what", "options", "least"),
    [
        ("quantile", {"p": 0.05}, "72 trials"),
        ("improvement", {"paired": True}, "6 pairs"),
        ("improvement", {}, "11 trials in all"),
        ("difference", {"sd": 1.0}, "4 trials in all"),
    ],
)
def test_too_few_trials_are_told_how_many_it_takes(what, options, least):
    n = int(least.split()[0])
    assert plan(what, n_trials=n - 1, **options).notes == (f"it takes at least {least}",)
    assert plan(what, n_trials=1, **options).notes == (f"it takes at least {least}",)
    assert np.isfinite(plan(what, n_trials=n, **options).achieved_width)


def test_every_name_has_a_question():
    for name in TAKES:
        with pytest.raises(InputError):
            plan(name, half_width=-1.0, difference=-1.0)


def test_a_pilot_with_one_run_of_each_is_refused_at_once_and_says_what_would_do():
    single = ogive.read({m: {t: [0.1 * i + 0.01 * k] for i, t in enumerate("xyz")} for k, m in enumerate("abc")})
    for options in ({"difference": 0.1}, {"half_width": 0.1}, {"difference": 0.1, "a": "a", "b": "b", "task": "x"}):
        with pytest.raises(InputError, match="several runs of a method on a task") as caught:
            plan(single, **options)
        assert "sd=" in str(caught.value)


def test_a_plan_asks_for_methods_and_task_in_one_sentence():
    rng = np.random.default_rng(0)
    several = ogive.read({m: {t: rng.normal(size=5) for t in "xyz"} for m in "abc"}, unit="row")
    with pytest.raises(InputError, match=r"`a` and `b`.*`task` one of its 3 tasks"):
        plan(several, difference=0.1)


def test_every_example_of_a_plan_is_one():
    for name, (python, _) in EXAMPLES.items():
        assert eval(python, {"plan": plan}).n_trials > 0, name
