"""summarize: the numbers, what is refused, and the table in every format."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers._summary import DEFAULT
from ogive.errors import FailedTrials, InputError, InvalidConfidence

COLUMNS = [
    "algorithm",
    "task",
    "metric",
    "statistic",
    "estimate",
    "low",
    "high",
    "method",
    "guarantee",
    "n",
    "n_failed",
]
SCORES = np.array([0.31, 0.52, 0.58, 0.61, 0.64, 0.66, 0.71, 0.78, 0.83, 0.95])
NASTY = r"a_b & 100% $x$ #1 {y} ~^\ <script>alert(1)</script>"


def row(trials: ogive.Trials, statistic: str, **options):
    (found,) = ogive.summarize(trials, statistics=[statistic], **options).rows
    return found


def level(scores: np.ndarray, p: float) -> float:
    """The smallest score that at least a share p of the scores do not exceed."""
    return next(z for z in np.sort(scores) if np.mean(scores <= z) >= p - 1e-12)


ORACLES = {
    "mean": (np.mean, np.mean),
    "median": (np.median, np.median),
    "std": (lambda x: np.std(x, ddof=1), lambda x: np.std(x, ddof=1)),
    # ten scores: the middle half is the third (half of it) to the eighth (half of it)
    "iqm": (lambda x: (x[2] / 2 + x[3:7].sum() + x[7] / 2) / 5, lambda x: (x[2] / 2 + x[3:7].sum() + x[7] / 2) / 5),
    "worst_0.2": (lambda x: x[:2].mean(), lambda x: x[-2:].mean()),
    "worst_0.25": (lambda x: (x[0] + x[1] + x[2] / 2) / 2.5, lambda x: (x[-1] + x[-2] + x[-3] / 2) / 2.5),
    "best_0.5": (lambda x: x[5:].mean(), lambda x: x[:5].mean()),
    "q0.05": (lambda x: level(x, 0.05), lambda x: level(x, 0.05)),
    "q0.95": (lambda x: level(x, 0.95), lambda x: level(x, 0.95)),
    "best_of_3": (lambda x: level(x, 0.5 ** (1 / 3)), lambda x: level(x, 1 - 0.5 ** (1 / 3))),
    "worst_of_3": (lambda x: level(x, 1 - 0.5 ** (1 / 3)), lambda x: level(x, 0.5 ** (1 / 3))),
    "exceedance_0.64": (lambda x: np.mean(x >= 0.64), lambda x: np.mean(x <= 0.64)),
}


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("statistic", list(ORACLES))
def test_estimates_are_those_of_plain_numpy(statistic, goal):
    trials = ogive.read({"a": np.random.default_rng(1).permutation(SCORES)}, goal=goal)
    expected = ORACLES[statistic][goal == "minimize"](SCORES)
    found = row(trials, statistic)
    assert found.estimate == pytest.approx(expected, rel=1e-12)
    assert found.low <= found.estimate <= found.high
    assert (found.n, found.n_failed) == (10, 0)


def test_the_median_is_bounded_by_order_statistics():
    # n = 10: P(Bin(10, 1/2) <= 1) = 0.0107, so the second and the ninth score.
    found = row(ogive.read({"a": SCORES}), "median")
    assert (found.low, found.high, found.guarantee) == (SCORES[1], SCORES[8], "conservative")


@pytest.mark.parametrize(
    "name",
    [
        "best_0",
        "worst_1",
        "q1.5",
        "best_of_0",
        "average",
        "q",
        "",
        "mean ",
        "best_of_x",
        "q0.5.5",
        "best_of_1e999",
        "q0.5\n",
    ],
)
def test_an_unknown_statistic_is_refused(name):
    with pytest.raises(InputError, match="`statistics`"):
        ogive.summarize(ogive.read({"a": SCORES}), statistics=[name])


@pytest.mark.parametrize("statistics", [None, 3, [3]])
def test_statistics_that_are_no_names_are_refused(statistics):
    with pytest.raises(InputError, match="`statistics`"):
        ogive.summarize(ogive.read({"a": [0.1, 0.2, 0.3]}), statistics=statistics)


def test_a_statistic_may_be_one_name_and_counts_once():
    trials = ogive.read({"a": SCORES})
    assert [r.statistic for r in ogive.summarize(trials, statistics="mean").rows] == ["mean"]
    twice = ogive.summarize(trials, statistics=["mean", "median", "mean"])
    assert [r.statistic for r in twice.rows] == ["mean", "median"]
    assert "median" in str(twice)


def test_a_summary_of_nothing_is_refused():
    with pytest.raises(InputError, match="`statistics` is empty"):
        ogive.summarize(ogive.read({"a": SCORES}), statistics=[])
    with pytest.raises(InputError, match=r"`metric`.*'auc'"):
        ogive.summarize(ogive.read({"a": SCORES}), metric="auc")
    with pytest.raises(InvalidConfidence, match=r"got 95.*0.95"):
        ogive.summarize(ogive.read({"a": SCORES}), confidence=95)


def test_scores_that_never_differ_are_refused():
    with pytest.raises(InputError, match=r"4 scores in 'score' equal 0.5"):
        ogive.summarize(ogive.read({"a": [0.5, 0.5], "b": [0.5, 0.5]}))
    with pytest.raises(InputError, match=r"2.*'score'"):
        ogive.summarize(ogive.read({"a": [np.nan, np.inf]}))


@pytest.mark.parametrize("statistic", ["mean", "std", "iqm", "worst_0.1", "worst_0.5", "best_0.5"])
@pytest.mark.parametrize("scores", [[0.7], [0.7, 0.7, 0.7]], ids=["one run", "equal runs"])
def test_a_cell_without_spread_never_has_an_interval_of_width_zero(statistic, scores):
    trials = ogive.read({"a": scores, "b": [0.1, 0.2, 0.3]})
    found = next(r for r in ogive.summarize(trials, statistics=[statistic]).rows if r.algorithm == "a")
    assert math.isnan(found.low) or found.high - found.low > 0
    assert math.isnan(found.estimate) or found.estimate in (pytest.approx(0.7), 0.0)


def test_guaranteed_takes_means_from_the_band():
    trials = ogive.read({"a": SCORES}, bounds=(0, 1))
    band = ogive.statistics.band(SCORES)
    mean, worst = ogive.summarize(trials, statistics=["mean", "worst_0.25"], guaranteed=True).rows
    expected, tail = band.mean((0, 1)), band.cvar(mass=0.25, tail="lower", bounds=(0, 1))
    assert (mean.low, mean.high, mean.method) == (expected.low, expected.high, expected.method)
    assert (worst.low, worst.high) == (tail.low, tail.high)
    assert {mean.guarantee, worst.guarantee} == {"conservative"}


@pytest.mark.parametrize(
    ("columns", "options", "reason"),
    [
        ({"lr": np.repeat(np.arange(20), 2)}, {"params": ["lr"], "unit": "configuration"}, "Rows that share a unit"),
        ({"fold": np.tile(np.arange(10), 4), "repeat": np.repeat(np.arange(4), 10)}, {"fold": "fold"}, "Folds that share training data"),
    ],
)  # fmt: skip
def test_guaranteed_leaves_empty_what_clusters_or_folds_make_uncertain(columns, options, reason):
    trials = ogive.read(
        pd.DataFrame({"score": np.random.default_rng(0).random(40), **columns}), bounds=(0, 1), **options
    )
    names = ["mean", "median", "worst_0.1", "q0.95", "best_of_8", "exceedance_0.5", "std", "iqm"]
    summary = ogive.summarize(trials, statistics=names, guaranteed=True)
    assert all(math.isnan(r.estimate) and math.isnan(r.low) and r.guarantee == "none" for r in summary.rows)
    (remark,) = {r.text for r in summary.remarks}
    assert remark.startswith(reason)
    assert summary.footnote().count(reason) == 1
    assert {r.guarantee for r in ogive.summarize(trials).rows} <= {"approximate", "heuristic"}


def test_failures_are_refused_with_counts_and_ways_out():
    trials = ogive.read({"a": [1.0, np.nan, np.inf, 2.0], "b": [1.0, 2.0, 3.0, np.nan]})
    with pytest.raises(
        FailedTrials,
        match=r"3 of 8.*2 of 4 of 'a' and 1 of 4 of 'b'.*'like:NAME'",
    ):
        ogive.summarize(trials)


def test_excluded_failures_are_counted_beside_the_rest():
    found = row(ogive.read({"a": [1.0, np.nan, 2.0]}), "mean", failures="exclude")
    assert (found.estimate, found.n, found.n_failed) == (1.5, 2, 1)


def test_worst_with_a_bound_counts_failures_as_the_bound():
    trials = ogive.read({"a": [0.5, np.nan, 0.7]}, bounds=(0, 1))
    assert row(trials, "mean", failures="worst").estimate == pytest.approx(0.4)


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_worst_without_a_bound_defines_quantiles_and_leaves_means_empty_with_a_note(goal):
    trials = ogive.read({"a": [*SCORES, np.nan]}, goal=goal)
    names = ["median", "best_of_2", "exceedance_0.5", "mean", "worst_0.1", "std", "iqm"]
    summary = ogive.summarize(trials, statistics=names, failures="worst")
    found = {r.statistic: r for r in summary.rows}
    full = np.append(SCORES, -np.inf if goal == "maximize" else np.inf)
    assert found["median"].estimate == level(full, 0.5)
    assert found["exceedance_0.5"].n == 11
    assert all(math.isfinite(found[n].estimate) for n in names[:3])
    assert all(math.isnan(found[n].estimate) and found[n].guarantee == "none" for n in names[3:])
    assert {n.statistic for n in summary.remarks} >= {"mean"}
    assert (summary.failed.rule, sum(summary.failed.n_failed.values())) == ("worst", 1)


def clustered(scores: list[float], **options) -> ogive.Trials:
    """Two rows for each configuration."""
    table = pd.DataFrame({"score": scores, "lr": np.repeat(np.arange(len(scores) // 2), 2)})
    return ogive.read(table, params=["lr"], unit="configuration", **options)


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_quantiles_of_clusters_stay_defined_while_failures_lie_below_every_score(goal):
    scores = np.random.default_rng(0).normal(size=60)
    failed = np.where(np.arange(60) < 7, np.nan, scores)
    # Behind all scores or at any other bad place: the order is the same.
    far = np.where(np.isnan(failed), -99.0 if goal == "maximize" else 99.0, failed)
    names = ["median", "q0.25", "best_of_2", "exceedance_0"]
    found = ogive.summarize(clustered(list(failed), goal=goal), statistics=names, failures="worst").rows
    expected = ogive.summarize(clustered(list(far), goal=goal), statistics=names).rows
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.estimate == theirs.estimate
        assert [ours.low, ours.high] == [
            math.copysign(math.inf, v) if abs(v) == 99 else v for v in (theirs.low, theirs.high)
        ]
    (mean,) = ogive.summarize(clustered(list(failed), goal=goal), statistics="mean", failures="worst").rows
    assert math.isnan(mean.estimate)


def test_clusters_are_counted_by_unit_and_their_failures_by_row():
    trials = clustered([*SCORES, *SCORES, np.nan, np.nan, np.nan, 0.4])
    summary = ogive.summarize(trials, statistics=["std", "mean", "median"], failures="exclude")
    assert [(r.n, r.n_failed) for r in summary.rows] == [(11, 3)] * 3
    ((line,),) = (table.rows for table in summary.as_tables())
    assert line[1] == "11 (3 of 24 rows failed)"
    assert "3 of 24 rows" in summary.footnote()


def two_metrics(**columns) -> pd.DataFrame:
    return pd.DataFrame({"acc": SCORES, "loss": 10 * SCORES} | columns)


def footnote(table: pd.DataFrame, failures, **options) -> str:
    trials = ogive.read(table, score=["acc", "loss"], goal={"acc": "maximize", "loss": "minimize"}, **options)
    return ogive.summarize(trials, statistics="median", failures=failures).footnote()


def test_a_run_that_failed_in_every_metric_is_counted_once():
    timed_out = two_metrics(status=["timeout", *["ok"] * 9])
    for rule in ("exclude", "worst"):
        text = footnote(timed_out, rule, bounds={"acc": (0, 1), "loss": (0, 10)})
        assert text.count("failed") == text.count("1 run") == 1


def test_runs_that_failed_in_one_metric_are_counted_by_metric():
    partly = two_metrics(acc=[np.nan, *SCORES[1:]], loss=[np.nan, *SCORES[1:7], np.nan, np.nan, 1.0])
    assert re.search(r"1 run .*acc .*3 runs .*loss ", footnote(partly, "exclude"))


@pytest.mark.parametrize("rule", ["exclude", "worst", 0.5, "refuse"])
def test_json_holds_the_rule_for_failures(rule):
    trials = ogive.read({"a": [*SCORES, *([] if rule == "refuse" else [np.nan])]})
    assert ogive.summarize(trials, failures=rule).to_dict()["failures"] == rule


def test_a_method_without_any_usable_score_is_said():
    summary = ogive.summarize(ogive.read({"a": [1.0, 2.0], "b": [np.nan, np.nan]}), failures="exclude")
    assert [r.without_score for r in summary.remarks if r.without_score] == [("b", "all")]
    assert {r.algorithm for r in summary.rows} == {"a", "b"}


def test_to_pandas_has_the_promised_columns():
    assert list(ogive.summarize(ogive.read({"a": SCORES})).to_pandas().columns) == COLUMNS


def test_to_dict_is_json_with_null_and_a_reason_for_what_is_infinite():
    summary = ogive.summarize(ogive.read({"a": [0.1, 0.2, 0.3]}), statistics=["median", "mean"])
    data = json.loads(json.dumps(summary.to_dict(), allow_nan=False))
    assert data["schema"] == 1
    assert {"source", "unit", "notes", "rows"} <= set(data)
    median, mean = data["rows"]
    assert median["low"] is None
    assert median["reasons"] == {
        "low": "no bound exists at this confidence",
        "high": "no bound exists at this confidence",
    }
    assert set(mean) == set(COLUMNS)


def test_every_metric_is_summarized_unless_one_is_named():
    trials = ogive.read(pd.DataFrame({"acc": SCORES, "loss": SCORES}), score=["acc", "loss"])
    assert {r.metric for r in ogive.summarize(trials).rows} == {"acc", "loss"}
    assert {r.metric for r in ogive.summarize(trials, metric="loss").rows} == {"loss"}
    assert "acc" in str(ogive.summarize(trials))


def test_latex_is_a_booktabs_table_with_escaped_names_and_a_footnote():
    text = ogive.summarize(ogive.read({NASTY: SCORES, "[b]": SCORES, "*": SCORES})).to_latex()
    for part in (r"\begin{tabular}{lc}", r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}", r"\footnotesize"):
        assert part in text
    for part in (
        r"a\_b",
        r"\&",
        r"100\%",
        r"\$x\$",
        r"\#1",
        r"\{y\}",
        r"\textasciitilde{}",
        r"\textbackslash{}",
        "{[}b{]}",
        "{*}",
    ):
        assert part in text
    assert re.search(r"\\footnotesize mean of score. Brackets: 95 \\% intervals over runs", text)
    # A line that began with a bracket or a star would be read as an argument of the line break before it.
    assert not re.search(r"\\\\\s*[\[*]", text)
    assert not re.search(r"(?<!\\)[#%&]", text.replace(" & ", " "))


def test_latex_holds_tasks_or_statistics_across():
    trials = ogive.read({"a": {"x": SCORES, "y": SCORES}, "b": {"x": SCORES}})
    summary = ogive.summarize(trials, statistics=["median", "exceedance_0.5"])
    assert "Method & x & y" in summary.to_latex()
    assert "--" in summary.to_latex()
    assert "Method & median & P(reaches 0.5)" in summary.to_latex("methods-by-statistics", task="x")
    with pytest.raises(InputError, match="task="):
        summary.to_latex("methods-by-statistics")
    with pytest.raises(InputError, match=r"'mean' of 'score'.*exceedance_0.5"):
        summary.to_latex(statistic="mean")
    with pytest.raises(InputError, match="`layout` must be"):
        summary.to_latex("sideways")


def test_markdown_escapes_names_and_leaves_numbers_alone():
    text = ogive.summarize(ogive.read({"a|b_c [x](y)": SCORES}), statistics=["mean"]).to_markdown()
    head, rule, body = text.splitlines()[:3]
    assert head == "| method | n | mean |"
    assert rule == "| --- | --- | --- |"
    assert body.startswith(r"| a\|b\_c \[x\](y) | 10 | 0.6")
    assert "Brackets: 95 % intervals" in text


def test_html_escapes_names():
    name = "<script>alert(1)</script>"
    text = ogive.summarize(ogive.read({name: {name: SCORES, "y": SCORES}}))._repr_html_()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "<script" not in ogive.inspect(ogive.read({name: SCORES}))._repr_html_()


def test_text_holds_no_control_character_of_a_name():
    text = str(ogive.summarize(ogive.read({"\x1b[31mred\x07\x9b2J\u202e": SCORES})))
    assert not any(c in text for c in "\x1b\x07\x9b\u202e")


def test_an_adaptive_table_has_no_intervals():
    summary = ogive.summarize(ogive.read({"a": SCORES}, independent=False))
    assert all(math.isnan(r.low) and math.isnan(r.high) and r.guarantee == "descriptive" for r in summary.rows)
    assert summary.rows[0].estimate == pytest.approx(SCORES.mean())
    assert "No intervals" in summary.footnote()
    assert "[" not in str(summary)


def test_the_same_table_gives_the_same_numbers():
    trials = ogive.read({"a": SCORES, "b": SCORES[::-1] + 0.1})
    names = ["std", "iqm"]
    assert ogive.summarize(trials, statistics=names).rows == ogive.summarize(trials, statistics=names).rows


@pytest.mark.parametrize("statistic", ["iqm", "std"])
def test_statistics_of_many_runs_are_not_asked_once_for_each_run(statistic, monkeypatch):
    def refuse(*_):
        raise AssertionError("one statistic for each run")

    monkeypatch.setattr("ogive.statistics._bootstrap._jackknife", refuse)
    assert math.isfinite(row(ogive.read({"a": SCORES}), statistic).low)


def test_a_statistic_without_limits_is_an_estimate_alone_in_latex():
    found = ogive.summarize(ogive.read({"a": [0.81], "b": [0.7]}, unit="row"), statistics=["mean"])
    assert r"\infty" not in found.to_latex()
    assert "0.81" in found.to_latex()
    assert "No intervals" in found.footnote()


def test_the_mean_of_right_or_wrong_answers_is_a_share_with_clopper_and_pearsons_interval():
    trials = ogive.read({"a": [1, 0, 1, 1, 0, 1, 1, 1, 1, 0]}, bounds=(0, 1))
    found = row(trials, "mean")
    assert (found.estimate, found.method, found.guarantee) == (0.7, "Clopper-Pearson", "conservative")
    assert (found.low, found.high) == ogive.statistics.clopper_pearson(7, 10, 0.95)
    assert row(trials, "mean", guaranteed=True) == found
    assert row(ogive.read({"a": [0, 1, 0.5, 1]}), "mean").method == "Student's t"


def test_a_share_is_guaranteed_only_where_bounds_say_that_no_score_lies_beyond_0_and_1():
    found = ogive.summarize(ogive.read({"a": [0] * 11 + [1]}), statistics="mean")
    assert (found.rows[0].method, found.rows[0].guarantee) == ("Clopper-Pearson", "approximate")
    assert "bounds=(0, 1)" in found.footnote()
    declared = ogive.summarize(ogive.read({"a": [0] * 11 + [1]}, bounds=(0, 1)), statistics="mean")
    assert declared.rows[0].guarantee == "conservative"
    assert "bounds=" not in declared.footnote()


def test_one_score_beside_0_and_1_makes_no_mean_of_the_metric_a_share():
    found = ogive.summarize(ogive.read({"a": [0] * 11 + [1], "b": [0] * 6 + [3] * 6}), statistics="mean")
    assert [r.method for r in found.rows] == ["Student's t"] * 2
    failed = ogive.read({"a": [0] * 11 + [1], "b": [0] * 6 + [math.nan] * 6})
    assert row(failed.select(algorithms=["a"]), "mean").method == "Clopper-Pearson"
    counted = ogive.summarize(failed, statistics="mean", failures=0.5)
    assert [r.method for r in counted.rows] == ["Student's t"] * 2


def test_a_method_that_is_always_right_beside_one_that_is_not_has_the_interval_of_a_share():
    found = ogive.summarize(ogive.read({"a": [1] * 20, "b": [1] * 9 + [0] * 11}), statistics="mean").rows[0]
    assert (found.low, found.high) == ogive.statistics.clopper_pearson(20, 20, 0.95)


def test_rows_that_share_a_unit_and_folds_are_no_binomial_count():
    table = pd.DataFrame({"model": "a", "score": [0, 1] * 10, "group": np.repeat(range(10), 2)})
    assert row(ogive.read(table, unit="group"), "mean").method != "Clopper-Pearson"
    folds = pd.DataFrame({"model": "a", "score": [0, 1, 1, 0, 1], "fold": range(5)})
    assert row(ogive.read(folds), "mean").guarantee == "heuristic"
    assert row(ogive.read(folds), "mean").method != "Clopper-Pearson"


@pytest.mark.parametrize("scores", [SCORES, [0, 1] * 6])
def test_a_guaranteed_mean_without_bounds_says_what_it_lacks(scores):
    found = ogive.summarize(ogive.read({"a": scores}), statistics="mean", guaranteed=True)
    assert found.rows[0].unlimited
    assert "bounds=(low, high)" in found.footnote()


def test_a_statistic_without_limits_stands_alone():
    text = str(ogive.summarize(ogive.read({"a": [1.0] * 12, "b": np.arange(12.0)}), statistics="mean"))
    assert "a       12  1.00\n" in text


def test_one_run_of_each_method_on_each_task_points_to_profiles():
    trials = ogive.read({"a": {"x": [1.0], "y": [2.0]}, "b": {"x": [1.5], "y": [3.0]}})
    text = str(ogive.summarize(trials))
    assert "∞" not in text
    assert "profile" in text
    (bands,) = [p for p in ogive.inspect(trials).answers if p.answer == "bands"]
    assert not bands.possible


def test_a_table_too_wide_continues_below_with_the_methods_repeated():
    summary = ogive.summarize(ogive.read({"a": np.arange(12.0), "b": np.arange(12.0) + 0.5}))
    narrow = summary.to_text(60)
    assert max(len(line) for line in narrow.split("\n\nBrackets")[0].splitlines()) <= 60
    assert sum(line.startswith("a ") for line in narrow.splitlines()) > 1
    cells = [str(cell) for table in summary.as_tables() for row in table.rows for cell in row]
    assert all(cell in narrow for cell in cells)
    assert summary.to_text() == str(summary) == summary.to_text(10_000)


def test_a_footnote_names_each_statistic_once():
    trials = ogive.read({"few": np.arange(20.0), "many": np.arange(200.0)})
    footnote = ogive.summarize(trials, statistics="worst_0.1").footnote()
    assert footnote.count("worst 10 %") == footnote.count("tail t") == 1


def test_of_folds_the_mean_alone_has_an_interval_and_the_reason_is_said_once():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "model": "a",
            "repeat": np.repeat(np.arange(4), 5),
            "fold": np.tile(np.arange(5), 4),
            "score": rng.normal(size=20),
        }
    )
    summary = ogive.summarize(ogive.read(table), statistics=[*DEFAULT, "std", "iqm", "exceedance_0"])
    assert {r.statistic for r in summary.rows if math.isfinite(r.high - r.low)} == {"mean"}
    assert all(math.isfinite(r.estimate) for r in summary.rows)
    assert str(summary).count("folds share training data") == 1
