"""One question, one set of numbers: whoever asks, in whatever order, in whatever unit."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import ogive
from ogive.answers import Question, check, compare, leaders, rank
from ogive.answers.verdicts._verdict import decide
from ogive.errors import InputError
from ogive.statistics import Assumption
from ogive.statistics._differences import StudentDifferences

CRITERIA = ("improvement", "mean", "median", "q0.25", "worst_0.1", "iqm", "best_of_8")
NAMES = ["a typical run", "on average", "on a bad day", "after 8 tries"]


def normal(seed, n, mean=0.0, sd=1.0):
    return np.random.default_rng(seed).normal(mean, sd, n)


def rows(seed, *, methods=3, tasks=1, n=(6, 12), decimals=1, paired=False):
    """A small table: shifted methods, ties, unequal numbers of runs or shared items."""
    rng = np.random.default_rng(seed)
    found = []
    for t in range(tasks):
        common, size = rng.normal(size=n[1]), n[1]
        for m in range(methods):
            runs = size if paired else int(rng.integers(n[0], n[1] + 1))
            scores = rng.normal(0.4 * m, 1.0, runs) + (2.0 * common[:runs] if paired else 0.0)
            found += [
                {"method": f"m{m}", "task": f"t{t}", "question": f"q{i}", "score": round(float(s), decimals)}
                for i, s in enumerate(scores)
            ]
    return pd.DataFrame(found)


def read(frame, paired=False, **facts):
    columns = ["method", "task", "score", *(["question"] if paired else [])]
    return ogive.read(frame[columns], unit="question" if paired else "row", **facts)


SHAPES = [
    pytest.param({"paired": False}, id="fresh runs"),
    pytest.param({"paired": True}, id="pairs"),
    pytest.param({"paired": False, "n": (31, 36)}, id="many runs"),
    pytest.param({"paired": True, "n": (32, 32)}, id="many pairs"),
    pytest.param({"paired": False, "tasks": 3}, id="fresh runs on tasks"),
    pytest.param({"paired": True, "tasks": 3, "n": (9, 9)}, id="pairs on tasks"),
]


# ---------------------------------------------------------------- defaults


@pytest.mark.parametrize(
    ("scores", "facts", "choices", "criterion"),
    [
        ([0.1, 0.5, 0.7], {}, {}, "improvement"),
        ([0.1, 0.5, 0.7], {"bounds": (0, None)}, {}, "improvement"),
        ([0.1, 0.5, 0.7], {"bounds": (0, 1)}, {}, "mean"),
        ([0.1, 0.5, 0.7], {}, {"margin": 0.1}, "mean"),
        ([0.0, 1.0, 1.0], {}, {}, "mean"),
        ([0.1, 0.5, 0.7], {"bounds": (0, 1)}, {"criterion": "median"}, "median"),
    ],
)
def test_the_mean_decides_where_a_unit_is_known_to_matter(scores, facts, choices, criterion):
    trials = ogive.read({"a": scores, "b": scores[::-1]}, unit="row", **facts)
    assert Question.of(trials, **choices).criterion.name == criterion
    assert rank(trials, **choices).criterion == compare(trials, "a", "b", **choices).criterion == criterion


def test_failures_without_a_value_leave_the_question_to_improvement():
    trials = ogive.read({"a": [0.0, 1.0, np.nan], "b": [1.0, 1.0, 0.0]}, unit="row")
    assert Question.of(trials, failures="worst").criterion.name == "improvement"
    assert Question.of(trials, failures="exclude").criterion.name == "mean"


@pytest.mark.parametrize(
    "choices",
    [
        {"criterion": "std"}, {"criterion": 3}, {"margin": 0.0}, {"margin": -1.0}, {"looks": 0}, {"over": "all"},
        {"criterion": "improvement", "margin": 0.5}, {"generalize": "rows"}, {"test_share": 0.5}, {"confidence": 95},
    ],
)  # fmt: skip
def test_an_impossible_question_is_refused(choices):
    with pytest.raises(InputError):
        Question.of(ogive.read({"a": [1.0, 2], "b": [2.0, 3]}, unit="row"), **choices)


# ---------------------------------------------------------------- same question, same numbers


def same_interval(a, b):
    assert (a.n, a.confidence) == (b.n, pytest.approx(b.confidence))
    np.testing.assert_allclose((a.estimate, a.low, a.high), (b.estimate, b.low, b.high), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("choices", [{}, {"margin": 0.5}, {"looks": 3}], ids=["plain", "margin", "looks"])
@pytest.mark.parametrize("criterion", [None, *CRITERIA])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_ranking_of_two_methods_says_what_their_comparison_says(shape, criterion, choices):
    if criterion == "improvement" and "margin" in choices:
        choices = {"margin": 0.1}
    trials = read(rows(1, methods=2, **shape), shape["paired"])
    ranking = rank(trials, criterion=criterion, **choices)
    for a, b in itertools.permutations(trials.algorithms):
        c, pair = compare(trials, a, b, criterion=criterion, **choices), ranking.pair(a, b)
        assert (pair.conclusion, pair.direction) == (c.conclusion, c.direction)
        same_interval(pair.difference, c.primary)
        for name, q in c.questions.items():
            lead = ranking.questions[name]
            assert (lead.refused, lead.primary) == (q.refused, q.primary)
            if q.refused is None and not (q.primary and "margin" in choices):
                assert (a in lead.leaders, b in lead.leaders) == (q.direction >= 0, q.direction <= 0)
    if not choices:
        best = [m for m in trials.algorithms if ranking.pair(m, *(set(trials.algorithms) - {m})).direction >= 0]
        assert set(ranking.leaders) == set(best)
        if len(trials.tasks) == 1:
            assert set(leaders(trials, criterion=criterion)[trials.tasks[0]]) == set(best)


@pytest.mark.parametrize("right", [(150, 132), (150, 140), (20, 3)])
def test_of_right_and_wrong_answers_a_typical_run_asks_the_mean_again(right):
    scores = {m: (np.arange(200) < k).astype(float) for m, k in zip("ab", right, strict=True)}
    trials = ogive.read(scores, unit="row")
    c, ranking = compare(trials, "a", "b"), rank(trials)
    typical, average = (c.questions[name] for name in NAMES[:2])
    assert typical.direction == average.direction == c.direction
    np.testing.assert_allclose(typical.interval.low, 0.5 + average.interval.low / 2)
    assert ranking.questions[NAMES[0]].leaders == ranking.questions[NAMES[1]].leaders == ranking.leaders


@pytest.mark.parametrize("criterion", ["mean", "median", "worst_0.1", "iqm"])
@pytest.mark.parametrize("paired", [False, True])
def test_a_gate_on_one_task_says_what_the_comparison_says(criterion, paired):
    frame = rows(2, methods=2, n=(25, 25), paired=paired)
    whole = read(frame.replace({"m0": "baseline", "m1": "new"}), paired)
    new, old = (read(frame[frame.method == m], paired) for m in ("m1", "m0"))
    (found,) = check(new, old, margin=0.3, criterion=criterion).comparisons
    c = compare(whole, "new", "baseline", margin=0.3, criterion=criterion)
    assert (found.conclusion, found.direction, found.paired, found.hidden) == (c.conclusion, c.direction, c.paired, c.hidden)  # fmt: skip
    same_interval(found.primary, c.primary)


@pytest.mark.parametrize("shape", SHAPES)
def test_another_method_never_changes_an_estimate_and_only_widens_limits(shape):
    trials = read(rows(3, methods=4, **shape), shape["paired"])
    ranking = rank(trials, criterion="mean")
    for a, b in itertools.combinations(trials.algorithms, 2):
        c, pair = compare(trials, a, b, criterion="mean"), ranking.pair(a, b)
        assert pair.difference.estimate == pytest.approx(c.primary.estimate, rel=1e-12)
        assert pair.difference.low <= c.primary.low + 1e-12
        assert pair.difference.high >= c.primary.high - 1e-12


# ---------------------------------------------------------------- what could still be hidden


def spread(n, mean=0.8):
    """Scores of this mean with a small spread."""
    return mean + 0.01 * np.linspace(-1, 1, n)


def test_with_bounds_a_claim_of_no_loss_waits_for_runs_that_rule_a_costly_collapse_out():
    """A collapse to 0 costs 0.8: at n runs up to 1 - 0.05^(1/n) of them may do so unseen, which must cost 0.05 at most."""
    for n, withheld in ((20, True), (46, True), (48, False)):
        c = compare(ogive.read({"a": spread(n), "b": spread(n)}, unit="row", bounds=(0, 1)), "a", "b", margin=0.05)
        assert c.hidden.withheld == withheld
        assert c.hidden.rate == pytest.approx(1 - 0.05 ** (1 / n))
        assert c.hidden.cost == pytest.approx(0.8 * c.hidden.rate)
        assert c.conclusion == ("cannot tell" if withheld else "equivalent")
        assert (c.hidden.cost > 0.05) == withheld
    withheld = compare(ogive.read({"a": spread(20), "b": spread(20)}, unit="row", bounds=(0, 1)), "a", "b", margin=0.05)
    assert withheld.hidden.needed == withheld.needed[0] == 47  # 1 - 0.05^(1/47) is the first below 0.05 / 0.8
    assert rank(withheld._trials, margin=0.05).pairs[0].conclusion == "cannot tell"


def test_losses_collapse_to_their_upper_bound():
    loss = ogive.read({"a": spread(20, 0.2), "b": spread(20, 0.2)}, unit="row", bounds=(0, 1), goal="minimize")
    c = compare(loss, "a", "b", margin=0.05)
    assert (c.conclusion, c.hidden.cost) == ("cannot tell", pytest.approx(0.8 * c.hidden.rate))


def test_without_bounds_the_claim_is_given_with_its_condition():
    c = compare(ogive.read({"a": spread(20), "b": spread(20)}, unit="row"), "a", "b", margin=0.05)
    assert (c.conclusion, c.hidden.withheld, c.hidden.cost) == ("equivalent", False, None)
    assert "14 %" in c.verdict


def test_only_the_claim_that_the_few_runs_cannot_bear_is_withheld():
    """Many runs against few: the many are not worse; whether the few are cannot be told."""
    trials = ogive.read({"many": spread(500), "few": spread(10)}, unit="row", bounds=(0, 1))
    forth, back = compare(trials, "many", "few", margin=0.05), compare(trials, "few", "many", margin=0.05)
    assert (forth.conclusion, forth.hidden.n, forth.hidden.withheld) == ("not worse", 500, False)
    assert (back.conclusion, back.hidden.n, back.hidden.withheld) == ("cannot tell", 10, True)
    gate = [ogive.read({"m": spread(n)}, unit="row", bounds=(0, 1)) for n in (500, 10)]
    assert [check(*pair, margin=0.05).outcome for pair in (gate, gate[::-1])] == ["pass", "cannot tell"]


def test_right_or_wrong_answers_and_certain_directions_have_paid_for_it():
    binary = ogive.read({"a": [1.0] * 99 + [0.0], "b": [1.0] * 99 + [0.0]}, unit="row", bounds=(0, 1))
    c = compare(binary, "a", "b", margin=0.1)
    assert (c.conclusion, c.hidden) == ("equivalent", None)
    shifted = ogive.read({"a": spread(20), "b": spread(20, 0.5)}, unit="row", bounds=(0, 1))
    for a, b, conclusion in (("a", "b", "better"), ("b", "a", "worse")):
        c = compare(shifted, a, b, margin=0.05)
        assert (c.conclusion, c.hidden) == (conclusion, None)
    assert compare(shifted, "a", "b").hidden is None
    assert compare(shifted, "a", "b", criterion="median", margin=0.5).hidden is None  # a median fears no rare collapse


# ---------------------------------------------------------------- four questions


@pytest.mark.parametrize("criterion", ["improvement", "mean", "worst_0.1", "best_of_8", "median"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_four_questions_are_answered_and_a_direction_is_one_that_the_interval_shows(seed, shape, criterion):
    c = compare(read(rows(seed, methods=2, **shape), shape["paired"]), "m0", "m1", criterion=criterion)
    assert list(c.questions) == NAMES
    assert [q.criterion for q in c.questions.values() if q.primary] == ([criterion] if criterion != "median" else [])
    share = 0.05 / (4 if criterion == "median" else 3)
    unscaled = criterion == "improvement" and c.tasks  # raw scores of several tasks are not averaged unasked
    for q in c.questions.values():
        if q.interval is None:
            why = "no common scale" if unscaled else "few runs"
            if shape["paired"] and q.criterion == "best_of_8":
                why = "items"  # of which the best of eight is the easiest
            assert (q.conclusion, q.direction, q.refused) == ("cannot tell", 0, why)
            continue
        even = 0.5 if q.criterion == "improvement" else 0.0
        assert q.direction == (q.interval.low > even) - (q.interval.high < even)
        assert q.conclusion == {1: "better", -1: "worse", 0: "cannot tell"}[q.direction]
        assert q.interval.confidence == pytest.approx(0.95 if q.primary else 1 - share)
        if q.primary:
            assert q.interval == c.primary


@pytest.mark.parametrize("n", [19, 20])
def test_bad_days_are_asked_about_from_twenty_runs_on(n):
    trials = ogive.read({m: {t: normal([n, i, j], n) for j, t in enumerate("xyz")} for i, m in enumerate("ab")}, unit="row")  # fmt: skip
    for over in ("fixed", "sample"):
        for answer in (compare(trials, "a", "b", over=over), rank(trials, over=over)):
            assert answer.questions["on a bad day"].refused == "no common scale"
        for answer in (
            compare(trials, "a", "b", criterion="mean", over=over),
            rank(trials, criterion="mean", over=over),
        ):
            assert answer.questions["on a bad day"].refused == ("few runs" if n < 20 else None)


def test_questions_that_disagree_are_a_fact():
    often = np.append(np.linspace(0.8, 0.9, 170), np.linspace(0.0, 0.1, 30))
    trials = ogive.read({"a": often, "b": np.linspace(0.78, 0.80, 200)}, unit="row")
    c = compare(trials, "a", "b")
    assert (c.conclusion, c.criterion) == ("better", "improvement")
    assert c.disagreement == (("a typical run", "after 8 tries"), ("on average", "on a bad day"))
    assert compare(trials, "b", "a").disagreement == c.disagreement[::-1]
    assert compare(ogive.read({"a": spread(50), "b": spread(50, 0.5)}, unit="row"), "a", "b").disagreement is None


# ---------------------------------------------------------------- tasks: these, or a sample


def over_tasks(gaps, n=6, sd=0.1):
    z = np.linspace(-sd, sd, n)
    return ogive.read({m: {f"t{i}": z + g * (m == "a") for i, g in enumerate(gaps)} for m in "ab"}, unit="row")


def test_these_tasks_can_be_told_apart_where_tasks_like_these_cannot():
    trials = over_tasks([2.0, 0.0, 0.1])
    fixed, sample = (compare(trials, "a", "b", criterion="mean", over=over) for over in ("fixed", "sample"))
    assert fixed.primary.estimate == pytest.approx(sample.primary.estimate)
    assert (fixed.conclusion, sample.conclusion) == ("better", "cannot tell")
    assert (fixed.n, sample.n) == (36, 3)
    assert compare(trials, "a", "b", criterion="mean").question.over == "fixed"


def test_a_sample_of_tasks_is_judged_by_the_t_test_of_their_differences():
    gaps = normal(4, 9, 0.5)
    c = compare(over_tasks(gaps), "a", "b", criterion="mean", over="sample")
    known = stats.ttest_1samp(gaps, 0.0).confidence_interval(0.95)
    np.testing.assert_allclose((c.primary.low, c.primary.high), known, rtol=1e-9)
    turned = compare(over_tasks(gaps), "b", "a", criterion="mean", over="sample")
    assert turned.primary.low == pytest.approx(-c.primary.high)


def test_a_single_run_on_a_task_makes_tasks_a_sample_and_fixed_is_refused():
    trials = over_tasks([1.0, 1.2, 0.9], n=1)
    assert Question.of(trials).over == "sample"
    with pytest.raises(InputError, match="two runs"):
        compare(trials, "a", "b", over="fixed")
    with pytest.raises(InputError, match="`over` must be"):
        rank(trials, over="tasks")
    assert Question.of(trials, tasks=["t0"], over="sample").over == "fixed"  # one task is no sample


def test_a_margin_over_tasks_can_end_in_equivalence():
    c = compare(over_tasks([0.01, -0.01, 0.0], n=40), "a", "b", margin=0.1)
    assert c.conclusion == "equivalent"
    assert {t.conclusion for t in c.tasks} == {"equivalent"}


# ---------------------------------------------------------------- families


def holm(p, error):
    """Holm's procedure, as it is told: smallest first, each at the error shared by those left, until one fails."""
    rejected = np.zeros(len(p), dtype=bool)
    for done, i in enumerate(np.argsort(p, kind="stable")):
        if p[i] > error / (len(p) - done):
            break
        rejected[i] = True
    return rejected


def student(statistic, degrees, margin=0.0):
    k = len(statistic)
    return StudentDifferences(
        estimate=np.sign(statistic) * margin + statistic, even=0.0, n=np.full(k, 9), method="t", guarantees=("approximate",) * k,
        deviations=np.ones((1, k)), degrees=np.full((1, k), float(degrees)), flat=Assumption.EQUAL_SCORES,
    )  # fmt: skip


@pytest.mark.parametrize("margin", [None, 0.7])
@pytest.mark.parametrize("seed", range(40))
def test_deciding_step_by_step_is_holms_procedure(seed, margin):
    """With a margin of differences, of the p-values for being within it."""
    rng = np.random.default_rng(seed)
    k, degrees = int(rng.integers(1, 12)), int(rng.integers(2, 30))
    statistic = rng.choice([0.0, 2.0, 4.0], k) * rng.choice([-1, 1], k) + rng.normal(0, 1.5, k)
    differences = student(statistic, degrees, margin or 0.0)
    found = decide(differences, 0.05, margin)
    beyond = (found.low > (margin or 0.0)) | (found.high < -(margin or 0.0))
    rejected = holm(2 * stats.t.sf(np.abs(statistic), degrees), 0.05)
    assert beyond.tolist() == rejected.tolist()
    assert not found.by_draws
    # The limits are those of the error at which each was decided: shared by all at first, by those left at last.
    half = stats.t.isf(found.error / 2, degrees)
    np.testing.assert_allclose(found.high - differences.estimate, half, rtol=1e-9)
    assert found.error.min() == pytest.approx(0.05 / k) or not rejected.any()
    if not rejected.all():
        np.testing.assert_allclose(found.error[~rejected], 0.05 / np.count_nonzero(~rejected))


def test_a_verdict_within_the_margin_stays_in_the_family():
    """One pair is certain beyond the margin and leaves; one is equivalent and one not worse, and go on sharing."""
    found = decide(student(np.array([30.0, 0.0, 6.5]), 1000), 0.06, margin=5.0)
    np.testing.assert_allclose(found.error, [0.02, 0.03, 0.03])


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_pairs_that_a_ranking_separates_are_those_of_holm_on_t_tests(seed, paired):
    frame = rows(seed, methods=5, n=(15, 20), decimals=6, paired=paired)
    trials = read(frame, paired)
    scores = {m: g.score.to_numpy() for m, g in frame.groupby("method")}
    pairs = list(itertools.combinations(trials.algorithms, 2))
    if paired:
        p = [stats.ttest_rel(scores[a], scores[b]).pvalue for a, b in pairs]
    else:
        p = [max(stats.ttest_ind(scores[a], scores[b], equal_var=e).pvalue for e in (True, False)) for a, b in pairs]
    ranking = rank(trials, criterion="mean")
    assert [ranking.pair(a, b).certain != 0 for a, b in pairs] == holm(np.array(p), 0.05).tolist()


# ---------------------------------------------------------------- laws


def close(found, expected):
    np.testing.assert_allclose(np.array(found, dtype=float), np.array(expected, dtype=float), rtol=1e-9, atol=1e-9)


def numbers(interval, criterion, scale):
    if interval is None:
        return [np.nan] * 4
    unit = 1.0 if criterion == "improvement" else scale
    return [interval.estimate * unit, interval.low * unit, interval.high * unit, interval.confidence]


def compared(trials, criterion, over=None, scale=1.0, a="m0", b="m1"):
    """Words and numbers of a comparison that must obey the laws, in the unit of scores times `scale`."""
    c = compare(trials, a, b, criterion=criterion, over=over)
    each = {None: c} | {t.task: t for t in sorted(c.tasks, key=lambda t: t.task)}
    questions = [(name, q) for name, q in c.questions.items()]
    words = [(t, x.conclusion, x.direction, x.n, x.paired, x.strength) for t, x in each.items()]
    words += [(name, q.conclusion, q.direction, q.refused) for name, q in questions]
    values = [numbers(x.primary, criterion, scale) for x in each.values()]
    values += [numbers(q.interval, q.criterion, scale) for _, q in questions]
    return words, [*itertools.chain(*values)]


def ranked(trials, criterion, over=None, scale=1.0):
    r = rank(trials, criterion=criterion, over=over)
    standing = sorted((x.algorithm, x.rank_low, x.rank_high, x.tier) for x in r.rows)
    pairs = [r.pair(a, b) for a, b in itertools.combinations(sorted(trials.algorithms), 2)]
    words = [standing, [(p.conclusion, p.direction, p.wins, p.ties) for p in pairs]]
    words += [(name, sorted(q.leaders), q.refused) for name, q in r.questions.items()]
    return words, [*itertools.chain(*(numbers(p.difference, criterion, scale) for p in pairs))]


def assert_held(found, expected):
    assert found[0] == expected[0]
    close(found[1], expected[1])


# One task is no sample.
LAWS = [pytest.param(*p.values, None, id=p.id) for p in SHAPES]
LAWS += [pytest.param(*p.values, "sample", id=f"{p.id} like these") for p in SHAPES if "tasks" in p.values[0]]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("shape", "over"), LAWS)
def test_the_order_of_rows_methods_and_tasks_changes_nothing(shape, criterion, over):
    frame, paired = rows(5, **shape), shape["paired"]
    whole = read(frame, paired)
    mixed = frame.sample(frac=1.0, random_state=0).sort_values("method", ascending=False, kind="stable")
    shuffled = read(mixed, paired)
    assert shuffled.algorithms == whole.algorithms[::-1]
    assert_held(compared(shuffled, criterion, over), compared(whole, criterion, over))
    assert_held(ranked(shuffled, criterion, over), ranked(whole, criterion, over))
    one, other = leaders(shuffled, criterion=criterion), leaders(whole, criterion=criterion)
    assert {t: set(names) for t, names in one.items()} == {t: set(names) for t, names in other.items()}


@pytest.mark.parametrize("criterion", ["improvement", "mean", "worst_0.1", "iqm", "best_of_8"])
@pytest.mark.parametrize(("shape", "over"), LAWS)
def test_small_negated_scores_are_as_good_as_large_ones(shape, criterion, over):
    frame, paired = rows(6, **shape), shape["paired"]
    whole, turned = read(frame, paired), read(frame.assign(score=-frame.score), paired, goal="minimize")
    assert_held(compared(turned, criterion, over), compared(whole, criterion, over))
    assert_held(ranked(turned, criterion, over), ranked(whole, criterion, over))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("shape", "over"), LAWS)
def test_another_unit_of_the_score_changes_the_unit_of_the_answer_only(shape, criterion, over):
    frame, paired = rows(7, **shape), shape["paired"]
    whole = read(frame, paired)
    for scale, start in ((3.7, -11.0), (0.013, 2.0)):
        other = read(frame.assign(score=scale * frame.score + start), paired)
        assert_held(compared(other, criterion, over, 1 / scale), compared(whole, criterion, over))
        assert_held(ranked(other, criterion, over, 1 / scale), ranked(whole, criterion, over))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(("shape", "over"), LAWS)
def test_exchanging_the_methods_turns_every_answer_round(shape, criterion, over):
    trials = read(rows(8, **shape), shape["paired"])
    forth, back = (compare(trials, a, b, criterion=criterion, over=over) for a, b in (("m0", "m1"), ("m1", "m0")))
    answers = [(forth.primary, back.primary, forth.question.criterion.even)]
    for name, q in forth.questions.items():
        assert (q.direction, q.refused) == (-back.questions[name].direction, back.questions[name].refused)
        if q.interval is not None:
            answers.append((q.interval, back.questions[name].interval, 0.5 if q.criterion == "improvement" else 0.0))
    for one, other, even in answers:
        close([one.estimate, one.low, one.high], [2 * even - v for v in (other.estimate, other.high, other.low)])


def test_bounds_that_are_mirrored_or_scaled_withhold_the_same_claims():
    for n in (20, 60):
        found = [
            compare(ogive.read({"a": f(spread(n)), "b": f(spread(n, 0.805))}, unit="row", **facts), "a", "b", margin=m)
            for f, m, facts in (
                (lambda x: x, 0.05, {"bounds": (0, 1)}),
                (lambda x: -x, 0.05, {"bounds": (-1, 0), "goal": "minimize"}),
                (lambda x: 100 * x - 5, 5.0, {"bounds": (-5, 95)}),
            )
        ]
        assert len({(c.conclusion, c.hidden.withheld, c.hidden.needed) for c in found}) == 1
        close([c.hidden.cost for c in found], [found[0].hidden.cost] * 2 + [100 * found[0].hidden.cost])


def folds_on(n_tasks: int) -> ogive.Trials:
    rng = np.random.default_rng(n_tasks)
    rows = [
        {"model": m, "dataset": f"t{t}", "repeat": r, "fold": f, "score": 0.8 + shift + rng.normal(0, 0.03)}
        for m, shift in {"a": 0.01, "b": 0.0}.items() for t in range(n_tasks) for r in range(2) for f in range(5)
    ]  # fmt: skip
    return ogive.read(pd.DataFrame(rows))


def test_folds_on_few_tasks_speak_of_these_tasks_and_on_more_of_tasks_like_these():
    few, more = folds_on(4), folds_on(5)
    assert ogive.compare(few, "a", "b").question.over == ogive.rank(few).question.over == "fixed"
    assert ogive.compare(more, "a", "b").question.over == ogive.rank(more).question.over == "sample"
    assert "these tasks, not for others" in ogive.compare(few, "a", "b").verdict
    assert "may be chance" in ogive.compare(few, "a", "b", over="sample").verdict
    assert "may be chance" not in ogive.compare(more, "a", "b").verdict
