"""One run of each method on each problem: what can be said is short, and is said shortly."""

import numpy as np
import pytest

import ogive


@pytest.fixture(scope="module")
def trials():
    rng = np.random.default_rng(2)
    times = {m: {f"p{i}": [round(float(t), 2)] for i, t in enumerate(rng.exponential(10, 30))} for m in "ab"}
    return ogive.read(times, goal="minimize")


def test_a_summary_is_one_table_of_the_scores(trials):
    (table,) = ogive.summarize(trials).as_tables()
    assert (table.title, table.head) == ("", ("task", "a", "b"))
    assert [line[0] for line in table.rows] == list(trials.tasks)
    assert table.rows[0][1].estimate == pytest.approx(trials.scores("a", "p0")[0], rel=0.01)
    assert "extrapolates" not in str(ogive.summarize(trials))


def test_more_methods_than_tasks_are_lines():
    table = ogive.read({m: {"x": [float(i)], "y": [2.0 * i]} for i, m in enumerate("abcd")})
    (shown,) = ogive.summarize(table, statistics=["mean"]).as_tables()
    assert shown.head == ("method", "x", "y")
    assert [line[0] for line in shown.rows] == list("abcd")


def test_the_share_of_runs_that_reach_a_score_keeps_its_name(trials):
    tables = ogive.summarize(trials, statistics=["exceedance_5"]).as_tables()
    assert {table.head for table in tables} == {("method", "n", "P(reaches 5)")}


def test_a_second_run_anywhere_brings_the_statistics_back():
    table = ogive.read({"a": {"x": [1.0, 2.0], "y": [2.0]}, "b": {"x": [1.5], "y": [3.0]}})
    assert len(ogive.summarize(table).as_tables()) == 2


def test_a_comparison_lists_no_tasks_of_which_nothing_can_be_told(trials):
    compared = ogive.compare(trials, "a", "b")
    assert len(compared.tasks) == 30
    assert "p17" not in str(compared)
    assert "p17" not in compared.to_markdown() + compared.to_latex() + compared._repr_html_()


def test_a_report_draws_no_pictures_of_single_runs(trials, tmp_path):
    page = ogive.report.write(trials, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "All runs, worst to best" not in page
    assert "Over all tasks" in page
