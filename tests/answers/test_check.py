"""check: the three outcomes, exit codes, its own power."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import binom, t

import ogive
from ogive.answers import check
from ogive.answers.verdicts._check import PASSING, _decide, _merged
from ogive.answers.verdicts._verdict import rule
from ogive.errors import InputError
from ogive.notes import Note, NoteKind


def version(mean, n=30, seed=0, sd=0.02, name="model"):
    return ogive.read({name: np.random.default_rng(seed).normal(mean, sd, n)}, unit="row", varied="seed")


@pytest.mark.parametrize(
    ("new", "n", "outcome", "code"),
    [(0.80, 60, "pass", 0), (0.83, 30, "pass", 0), (0.74, 30, "worse", 5), (0.795, 5, "cannot tell", 4)],
)
def test_each_outcome_has_its_exit_code(new, n, outcome, code):
    result = check(version(new, n, seed=1), version(0.80, n, seed=2), margin=0.015)
    assert (result.outcome, result.exit_code) == (outcome, code)


def test_a_gate_for_losses_notices_that_they_grow():
    old, new = (
        ogive.read({"m": np.random.default_rng(s).normal(m, 0.02, 30)}, unit="row", goal="minimize")
        for s, m in ((1, 0.3), (2, 0.4))
    )
    assert check(new, old, margin=0.01).outcome == "worse"
    assert check(old, new, margin=0.01).outcome == "pass"


@pytest.mark.parametrize("criterion", ["median", "worst_0.2", "q0.25", "iqm"])
def test_a_gate_can_watch_a_quantile_or_the_worst_share(criterion):
    result = check(version(0.6, 100, 1), version(0.8, 100, 2), margin=0.01, criterion=criterion)
    assert (result.outcome, result.criterion) == ("worse", criterion)


def test_several_tasks_must_all_pass():
    rng = np.random.default_rng(3)

    def tables(drop):
        return ogive.read({"m": {"x": rng.normal(0.8, 0.01, 30), "y": rng.normal(0.8 - drop, 0.01, 30)}}, unit="row")

    assert check(tables(0.0), tables(0.0), margin=0.02).outcome == "pass"
    assert check(tables(0.1), tables(0.0), margin=0.02).outcome == "worse"


def test_the_comment_and_the_json_carry_the_outcome():
    result = check(version(0.74, 30, 1), version(0.80, 30, 2), margin=0.01)
    assert result.to_markdown().startswith("### Ogive: WORSE\n\nThe new version is worse")
    assert json.loads(json.dumps(result.to_dict()))["outcome"] == "worse"
    assert json.loads(json.dumps(result.to_dict()))["deciding"] == ["all"]


@pytest.mark.parametrize(
    ("margin", "outcome", "beyond"), [(0.01, "worse", True), (0.06, "worse", False), (0.2, "pass", False)]
)
def test_worse_needs_no_certainty_that_the_margin_is_passed(margin, outcome, beyond):
    result = check(version(0.74, 30, 1), version(0.80, 30, 2), margin=margin)
    (only,) = result.comparisons
    assert (result.outcome, only.direction, only.primary.high < -margin) == (outcome, -1, beyond)
    assert str(result).startswith(f"{outcome.upper()}: ")
    assert f"{margin:g}" in result.verdict


def test_the_power_of_losses_is_that_of_scores_turned_round():
    scores = [np.random.default_rng(s).normal(0.5, 0.02, 30) for s in (1, 2)]
    found = [
        check(*(ogive.read({"m": sign * s}, unit="row", goal=goal) for s in scores), margin=0.01, drop=0.012)
        for goal, sign in (("maximize", 1.0), ("minimize", -1.0))
    ]
    assert 0.05 < found[0].power < 0.95
    assert found[1].power == pytest.approx(found[0].power)
    assert found[0].outcome == found[1].outcome


def test_the_power_is_stated_from_five_runs_on():
    assert math.isnan(check(version(0.8, 4, 1), version(0.8, 30, 2), margin=0.05).power)
    assert 0.0 <= check(version(0.8, 5, 1), version(0.8, 30, 2), margin=0.05).power <= 1.0


def test_a_probability_is_never_said_to_be_certain_or_impossible():
    old, new = version(0.80, 30, 1), version(0.80, 30, 2)
    assert "more than 99 %" in check(new, old, margin=0.01, drop=0.5).verdict
    assert "less than 1 %" in check(new, old, margin=0.01, drop=1e-9, confidence=0.999).verdict


def test_a_change_well_within_the_margin_is_not_called_worse_and_has_no_power():
    """The check passes although the interval lies below zero, so its power for such a change is small."""
    result = check(version(0.79, 4000, 1), version(0.80, 4000, 2), margin=0.05, drop=0.01)
    assert result.comparisons[0].primary.high < 0
    assert result.outcome == "pass"
    assert result.power < 0.01


def tables(rng, *drops, n=30, sd=0.01):
    return ogive.read({"m": {f"t{i}": rng.normal(0.8 - d, sd, n) for i, d in enumerate(drops)}}, unit="row")


def test_a_pass_on_many_tasks_is_not_adjusted_for_their_number():
    rng = np.random.default_rng(5)
    new, old = tables(rng, *[0.0] * 10), tables(rng, *[0.0] * 10)
    margin = 1e-9 - min(c.primary.low for c in check(new, old, margin=1.0).comparisons)
    result = check(new, old, margin=margin)
    assert result.outcome == "pass"
    assert {c.family_size for c in result.comparisons} == {1}
    adjusted = ogive.compare(_merged(new, old, None), "new", "baseline", margin=margin)
    assert any(c.conclusion == "cannot tell" for c in adjusted.tasks)


def test_worse_on_many_tasks_is_adjusted_and_names_the_tasks():
    rng = np.random.default_rng(6)
    result = check(tables(rng, 0.0, 0.1, 0.1), tables(rng, 0.0, 0.0, 0.0), margin=0.02)
    assert [c.family_size for c in result.comparisons] == [1, 3, 3]
    assert result.deciding == ("t1", "t2")
    assert "t1 and t2" in result.verdict


def test_tasks_that_stand_in_the_way_of_a_pass_are_named():
    rng = np.random.default_rng(7)
    result = check(tables(rng, 0.0, 0.0, n=4), tables(rng, 0.0, 0.0, n=4), margin=0.001)
    assert (result.outcome, result.deciding) == ("cannot tell", ("t0", "t1"))
    assert "t0 and t1" in result.verdict


def exactly(*differences, n=30, half=0.0044):
    """Two tables whose differences of means are these, each with 95 % intervals of this half-width."""
    z = np.random.default_rng(8).normal(size=n)
    z = (z - z.mean()) / z.std(ddof=1)
    sd = half / (t.ppf(0.975, 2 * n - 2) * np.sqrt(2 / n))
    return (
        ogive.read({"m": {f"t{i}": 0.8 + d + sd * z for i, d in enumerate(shifts)}}, unit="row")
        for shifts in (differences, [0.0] * len(differences))
    )


@pytest.mark.parametrize(("difference", "half"), [(-0.005, 0.0022), (-0.0055, 0.0044)])
def test_a_task_that_passes_is_not_called_worse_because_another_is_open(difference, half):
    """Worse by less than the margin at its own level; in the second case the wider interval reaches the margin."""
    new, old = exactly(difference, -0.009, half=half)
    alone, other = exactly(difference, half=half)
    assert check(alone, other, margin=0.01).outcome == "pass"
    result = check(new, old, margin=0.01)
    assert (result.outcome, result.deciding) == ("worse", ("t1",))


def test_what_is_worse_by_less_than_the_margin_leaves_the_gate_open_where_another_task_is():
    rng = np.random.default_rng(9)
    new, old = exactly(-0.0055)
    wide = [ogive.read({"m": {"t0": x.scores(), "t1": rng.normal(0.8, 0.1, 30)}}, unit="row") for x in (new, old)]
    result = check(*wide, margin=0.01)
    assert (result.outcome, result.deciding) == ("cannot tell", ("t1",))
    assert [c.conclusion for c in result.comparisons] == ["equivalent", "cannot tell"]


@pytest.mark.parametrize("seed", range(6))
def test_the_rows_that_do_not_pass_are_those_that_decide(seed):
    rng = np.random.default_rng(seed)
    result = check(tables(rng, 0.0, 0.005, 0.01, 0.0), tables(rng, 0.0, 0.0, 0.0, 0.0), margin=0.006)
    failing = {c.task for c in result.comparisons if c.conclusion not in PASSING}
    assert result.outcome != "pass"
    assert set(result.deciding) <= failing
    assert result.outcome == "worse" or set(result.deciding) == failing


def test_no_end_is_rounded_across_the_margin_beside_its_conclusion():
    new, old = exactly(-0.0074, half=0.00259)
    result = check(new, old, margin=0.01)
    assert -0.01 < result.comparisons[0].primary.low < -0.00995
    assert result.outcome == "pass"
    assert "-0.0100" not in result.to_markdown()
    assert r"\[-0.00999, " in result.to_markdown()


def _outcomes(differences, n, margin, confidence):
    """The rule of the gate on samples [repetition, task, run] of a difference of pairs, as `check` applies it.

    All tasks share the error here, which Holm's rule begins with: what it adds can only name more tasks.
    """
    k = differences.shape[1]
    reach = [t.ppf(1 - (1 - confidence) / (2 * m), n - 1) for m in (1, k)]
    middle, error = differences.mean(axis=2), differences.std(axis=2, ddof=1) / np.sqrt(n)
    for estimate, se in zip(middle, error, strict=True):
        each = [
            [SimpleNamespace(task=str(i), conclusion=rule(low[i], 2 * estimate[i] - low[i], margin).conclusion, hidden=None) for i in range(k)]
            for low in (estimate - q * se for q in reach)
        ]  # fmt: skip
        yield _decide([one if one.conclusion in PASSING else other for one, other in zip(*each, strict=True)])


@pytest.mark.statistical
@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_gate_seldom_passes_what_is_worse_and_seldom_condemns_what_is_equal(k):
    """At most 1 - confidence each; one task at the margin and the others far better is the hardest case for a pass."""
    n, margin, confidence, repetitions = 12, 1.0, 0.9, 20_000
    rng = np.random.default_rng(k)
    noise = rng.normal(size=(repetitions, k, n))
    hardest = np.zeros(k)
    hardest[0], hardest[1:] = -margin, 10.0
    passed = sum(o == "pass" for o, _ in _outcomes(noise + hardest[:, None], n, margin, confidence))
    condemned = sum(o == "worse" for o, _ in _outcomes(noise, n, margin, confidence))
    hardest[1:], hardest[0] = 0.0, -3.0 * margin  # one is worse, and the others must not be named beside it
    named = sum(
        o == "worse" and any(t != "0" for t in tasks)
        for o, tasks in _outcomes(noise + hardest[:, None], n, margin, confidence)
    )
    for wrong in (passed, condemned, named):
        assert binom.sf(wrong - 1, repetitions, 1 - confidence) > 1e-6
    # Each errs on one side only: about half of what is allowed, so nothing is given away without need.
    assert passed / repetitions == pytest.approx((1 - confidence) / 2, abs=0.01)


@pytest.mark.parametrize(("unread", "said"), [("new.csv", "new.csv does not exist"), (None, "must be a path, a frame")])
def test_what_is_no_table_is_refused_in_one_sentence(unread, said):
    for arguments in ((unread, version(0.8)), (version(0.8), unread)):
        with pytest.raises(InputError, match=said) as caught:
            check(*arguments, margin=0.1)
        assert "\n" not in str(caught.value)


@pytest.mark.statistical
@pytest.mark.parametrize("n", [12, 30])
@pytest.mark.parametrize("drop", [0.01, 0.02])
def test_the_power_that_is_printed_is_the_power_that_is_had(n, drop):
    """Mean printed power over tables against the share of tables with that true drop that are called worse."""
    printed, noticed, repetitions = [], 0, 1500
    rng = np.random.default_rng([n, int(1000 * drop)])
    for _ in range(repetitions):
        old = ogive.read({"m": rng.normal(0.8, 0.02, n)}, unit="row")
        new = ogive.read({"m": rng.normal(0.8 - drop, 0.02, n)}, unit="row")
        result = check(new, old, margin=0.005, drop=drop)
        printed.append(result.power)
        noticed += result.outcome == "worse"
    assert np.mean(printed) == pytest.approx(noticed / repetitions, abs=0.03)


def test_what_cannot_be_checked_is_refused():
    old = version(0.8)
    two = ogive.read({"a": [1.0, 2, 3], "b": [1.0, 2, 3]}, unit="row")
    other = ogive.read({"m": [1.0, 2.0, 3.0]}, unit="row")
    for call in (
        lambda: check(two, two, margin=0.1),
        lambda: check(old, old, margin=0),
        lambda: check(old, old, margin=0.1, criterion="improvement"),
        lambda: check(old, old, margin=0.1, drop=-1),
        lambda: check(old, ogive.read(other, unit="row"), margin=0.1, algorithm="z"),
    ):
        with pytest.raises(InputError):
            call()


def test_a_task_that_the_new_version_lacks_is_named():
    old = ogive.read({"m": {"x": [1.0, 2, 3], "y": [1.0, 2, 3]}}, unit="row")
    new = ogive.read({"m": {"x": [1.0, 2, 3]}}, unit="row")
    with pytest.raises(InputError, match="'y'"):
        check(new, old, margin=5)


def test_a_task_that_the_chosen_method_lacks_is_named_though_another_method_has_it():
    old = ogive.read({m: {"t1": [1.0, 2, 3], "t2": [1.0, 2, 3]} for m in ("m1", "m2")}, unit="row")
    new = ogive.read({"m1": {"t1": [1.0, 2, 3]}, "m2": {"t1": [1.0, 2, 3], "t2": [1.0, 2, 3]}}, unit="row")
    with pytest.raises(InputError, match="no runs on 't2'"):
        check(new, old, margin=0.05, algorithm="m1")
    assert check(new, old, margin=5, algorithm="m2").outcome == "pass"


def frame(columns, **facts):
    import pandas as pd

    return ogive.read(pd.DataFrame(columns), **facts)


def test_tables_that_count_rows_in_different_ways_are_refused_in_one_sentence():
    score, seed = np.random.default_rng(1).normal(size=12), np.arange(12)
    plain = frame({"score": score}, unit="row")
    folds = [frame({"score": score, "fold": seed % k, "item": seed}, unit="fold") for k in (3, 4)]
    shared, others = (frame({"score": score, name: seed // 3}, unit=name) for name in ("seed", "passage"))
    alone = frame({"score": score, "seed": seed}, unit="seed")
    for new, old, said in (
        (folds[0], folds[1], "new has 3 folds, the baseline 4 folds"),
        (plain, folds[0], "new has no folds, the baseline 3 folds"),
        (shared, plain, "new counts by seed, the baseline by row"),
        (others, shared, "new counts by passage, the baseline by seed"),
        (alone, shared, "rows share a seed in one of the tables only"),
    ):
        with pytest.raises(InputError, match=said):
            check(new, old, margin=1.0)
        with pytest.raises(InputError, match=r"both tables need|in one of the tables only"):
            check(old, new, margin=1.0)
    assert check(shared, shared, margin=5.0).outcome == "pass"


def test_what_only_one_table_says_is_not_claimed_of_both():
    new, old = (ogive.read({"m": np.arange(9.0)}, unit="row", varied=v) for v in ("seed", None))
    result = check(new, old, margin=9.0)
    differing = {"fact": "varied", "new": "seed", "baseline": "nothing"}
    assert Note(NoteKind.NOT_STATED_FOR_BOTH, values=differing) in result.notes
    assert check(new, new, margin=9.0).notes == new.notes


@pytest.mark.parametrize("drop", [np.inf, np.nan, 0.0, -1.0])
def test_a_drop_must_be_a_positive_number(drop):
    with pytest.raises(InputError, match="`drop`"):
        check(version(0.8), version(0.8), margin=0.1, drop=drop)


def test_tables_with_other_goals_are_refused():
    old = ogive.read({"m": [0.3, 0.4, 0.5]}, unit="row", goal="minimize")
    with pytest.raises(InputError, match="goals"):
        check(ogive.read({"m": [0.1, 0.2, 0.3]}, unit="row", goal="maximize"), old, margin=0.1)


def test_items_are_paired_by_their_name_not_their_order():
    import pandas as pd

    names = [f"q{i}" for i in range(10)]
    base = np.linspace(0, 1, 10)
    old = ogive.read(pd.DataFrame({"question": names, "score": base}))
    new = ogive.read(pd.DataFrame({"question": names[::-1], "score": base[::-1] + 0.001 * (np.arange(10) % 2)}))
    result = check(new, old, margin=0.01)
    assert result.comparisons[0].paired
    assert result.outcome == "pass"


def scored(shift, seed, n=40):
    """The same questions, easy and hard ones, answered by a version."""
    import pandas as pd

    hard = np.linspace(0.2, 0.8, n)
    noise = np.random.default_rng(seed).normal(0.0, 0.01, n)
    return ogive.read(pd.DataFrame({"question": [f"q{i}" for i in range(n)], "score": hard + shift + noise}))


def test_items_are_compared_as_separate_samples_where_that_is_asked():
    new, old = scored(0.0, 1), scored(0.0, 2)
    paired, apart = check(new, old, margin=0.02), check(new, old, margin=0.02, paired=False)
    assert (paired.comparisons[0].paired, apart.comparisons[0].paired) == (True, False)
    assert (paired.outcome, apart.outcome) == ("pass", "cannot tell")
    assert paired.comparisons[0].primary.estimate == pytest.approx(apart.comparisons[0].primary.estimate)


def test_runs_of_the_same_trials_are_pairs_where_that_is_said():
    rng = np.random.default_rng(0)
    draws = rng.normal(0.8, 0.1, 40)
    new, old = (ogive.read({"m": draws + rng.normal(0.0, 0.002, 40)}, unit="row") for _ in range(2))
    assert not check(new, old, margin=0.01).comparisons[0].paired
    result = check(new, old, margin=0.01, paired=True)
    assert result.comparisons[0].paired
    assert result.outcome == "pass"


def test_pairs_that_there_are_not_are_refused():
    new, old = scored(0.0, 1), scored(0.0, 2)
    other = replace(old, table=old.table.set_column(
        old.table.column_names.index("item"), "item", pa.array([f"other{i}" for i in range(len(old))])
    ))  # fmt: skip
    with pytest.raises(InputError, match="share no draw"):
        check(new, other, margin=0.02, paired=True)


def test_the_error_of_a_gate_is_divided_among_the_looks():
    new, old = version(0.80, 30, 1), version(0.81, 30, 2)
    one, five = (check(new, old, margin=0.02, looks=looks) for looks in (1, 5))
    assert one.comparisons[0].primary.confidence == pytest.approx(0.95)
    assert five.comparisons[0].primary.confidence == pytest.approx(0.99)
    assert five.comparisons[0].primary.low < one.comparisons[0].primary.low
    assert "at 5 looks" in five.comparisons[0].verdict
    assert five.power < one.power
    with pytest.raises(InputError, match=r"`looks`.*1"):
        check(new, old, margin=0.02, looks=0)


def test_a_gate_on_several_tasks_divides_the_error_among_looks_and_then_among_tasks():
    rng = np.random.default_rng(1)
    result = check(tables(rng, 0.1, 0.1), tables(rng, 0.0, 0.0), margin=0.02, looks=2)
    assert {round(c.primary.confidence, 6) for c in result.comparisons} <= {round(1 - 0.05 / 2 / k, 6) for k in (1, 2)}


def test_collapses_that_runs_leave_room_for_are_counted_at_the_error_of_one_look():
    """Forty runs leave room for 7.2 % of collapses at one look, and for 10.9 % at five."""
    facts = {"unit": "row", "bounds": (0, 1)}
    new, old = (ogive.read({"m": np.random.default_rng(s).normal(0.8, 0.01, 40)}, **facts) for s in (1, 2))
    rates = [check(new, old, margin=0.02, looks=looks).comparisons[0].hidden.rate for looks in (1, 5)]
    assert rates == pytest.approx([1 - 0.05 ** (1 / 40), 1 - 0.01 ** (1 / 40)])


def test_a_gate_says_once_what_is_the_same_on_every_task():
    rng = np.random.default_rng(0)
    tables = [
        ogive.read(
            pd.DataFrame([{"task": f"t{t}", "seed": s, "acc": rng.normal()} for t in range(12) for s in range(8)])
        )
        for _ in range(2)
    ]
    result = check(*tables, margin=0.01)
    for said in (str(result), result.to_markdown()):
        assert said.count("8 runs of each method") == said.count("four times in five") == 1
        assert all(said.count(f"t{t} ") >= 1 for t in range(12))


def test_a_gate_whose_failures_have_no_value_names_a_criterion_that_works():
    rows = pd.DataFrame({"seed": range(10), "acc": [np.nan, *np.linspace(0.7, 0.8, 9)]})
    new, old = ogive.read(rows), ogive.read(rows)
    with pytest.raises(InputError, match="criterion='median'") as refused:
        check(new, old, margin=0.01, failures="worst")
    assert "improvement" not in str(refused.value)
    assert check(new, old, margin=0.01, failures="worst", criterion="median").outcome


def one_run_on_each_of_many_tasks(shift: float, spread: float = 0.01) -> tuple[ogive.Trials, ogive.Trials]:
    rng = np.random.default_rng(0)
    base = rng.uniform(0.6, 0.9, 20)
    new = base + shift + rng.normal(0, spread, 20)
    return tuple(ogive.read({"m": {f"t{i}": [x] for i, x in enumerate(v.tolist())}}, unit="row") for v in (new, base))


def test_a_gate_takes_tasks_for_a_sample_where_each_has_one_run_as_compare_does():
    found = ogive.check(*one_run_on_each_of_many_tasks(0.0), margin=0.02)
    assert found.outcome == "pass"
    assert len(found.comparisons) == 1
    assert len(found.deciding) == 20
    assert "tasks like these" in str(found)
    assert 0.9 < found.power <= 1.0
    assert ogive.check(*one_run_on_each_of_many_tasks(-0.05), margin=0.02).outcome == "worse"
    assert ogive.check(*one_run_on_each_of_many_tasks(0.0, 0.1), margin=0.02).outcome == "cannot tell"
    with pytest.raises(InputError, match="over='sample'"):
        ogive.check(*one_run_on_each_of_many_tasks(0.0), margin=0.02, over="fixed")


def test_a_gate_over_a_sample_of_tasks_says_what_compare_says():
    rng = np.random.default_rng(1)
    old, new = ({t: rng.normal(0.8 - 0.1 * i, 0.05, 8) for t in "abcdef"} for i in range(2))
    gate = ogive.check(*(ogive.read({"m": v}, unit="row") for v in (new, old)), margin=0.01, over="sample")
    both = ogive.compare(ogive.read({"new": new, "old": old}, unit="row"), "new", "old", margin=0.01, over="sample")
    (one,) = gate.comparisons
    assert (one.primary.low, one.primary.high) == pytest.approx((both.primary.low, both.primary.high))
    assert gate.outcome == both.conclusion == "worse"


def test_a_gate_asks_which_method_by_name():
    several = ogive.read({"a": [1.0, 2.0], "b": [1.0, 2.0]}, unit="row")
    with pytest.raises(InputError, match="choose one with algorithm=: 'a', 'b'"):
        ogive.check(several, several, margin=0.1)
