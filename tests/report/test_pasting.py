"""What a report gives to copy: a methods paragraph, the checklist, LaTeX and CSV; and how its numbers read."""

import html
import re
from pathlib import Path

import numpy as np
import pandas as pd

import ogive

RNG = np.random.default_rng(7)
A, B, C = (RNG.normal(m, 1, 60) for m in (0.0, 0.3, 2.0))


def failing(sample: np.ndarray, n: int) -> np.ndarray:
    return np.where(np.arange(sample.size) < n, np.nan, sample)


def test_texts_to_paste_have_a_gap_where_nobody_said_what_varied(page):
    found = page({"a": A, "b": B}, {"varied": None})
    paper, box = found.section("For the paper"), found.section("Error bars of what?")
    assert paper.count("[STATE") == box.count("[STATE") == 1
    assert "nobody said" not in paper + box
    assert "(say " not in paper + box
    assert "[STATE" not in page({"a": A, "b": B}).text


def test_texts_to_paste_name_a_method_of_calculation_once(page):
    found = page({"a": A, "b": B})
    paper = found.section("For the paper").split("References")[0]
    for text in (paper, found.section("Error bars of what?")):
        assert text.count("order statistics, guaranteed") == 1


def test_the_methods_paragraph_counts_failed_runs_and_gives_no_advice(page):
    text = page({"a": failing(A, 9), "b": B, "c": C}).section("For the paper")
    assert "60 runs" in text
    assert "9 of 180" in text
    assert "declare bounds=" not in text


def test_no_interval_without_ends_is_pasted(page):
    samples = {"a": {"x": [0.811], "y": A}, "b": {"x": B[:5], "y": B}}
    found = page(samples)
    text = found.section("For the paper")
    assert "infty" not in text
    assert "-inf,inf" not in text
    assert "a & $0.811$ &" in text
    assert "without an interval" in text
    assert "without an interval" in found.section("The numbers")


def test_where_no_number_has_an_interval_the_page_says_why(page):
    found = page({"a": [1.0, 1.0], "b": [2.0, 2.0]})
    assert "No intervals" in found.section("The numbers")
    assert "No intervals" in found.section("For the paper")


def test_what_has_no_interval_has_no_guarantee(page):
    text = page({"a": A[:3], "b": B[:3]}).section("The difference")
    assert "no interval" in text
    assert "order statistics, guaranteed" not in text


def test_a_number_and_its_percent_sign_stay_on_one_line_but_not_in_what_is_copied(page):
    found = page({"top 10 %": A, "b": B})
    outside = re.sub(r"<pre[^>]*>.*?</pre>", "", found.main, flags=re.DOTALL)
    assert "95\u00a0% confidence" in outside
    assert not re.search(r"\d %", outside)
    assert "\ntop 10 %,all,score,mean," in html.unescape(found.main)


def test_tables_without_a_name_have_a_title_without_one(page, written, tmp_path: Path):
    assert "<title>Ogive report</title>" in page({"a": A, "b": B}).raw
    assert "<title>Ogive report</title>" in page([pd.DataFrame({"a": A}), pd.DataFrame({"a": B})], {"score": "a"}).raw
    (tmp_path / "mine.csv").write_text("model,score\n" + "".join(f"a,{i}\nb,{i + 3}\n" for i in range(12)))
    assert "<title>Ogive report: mine.csv</title>" in written(ogive.read(tmp_path / "mine.csv")).raw


def test_latex_and_csv_can_be_copied(page):
    found = page({"a_1": A, "=b": B, "c": C})
    text = found.section("For the paper")
    assert r"\begin{tabular}" in text
    assert r"a\_1 & " in text
    assert "algorithm,task,metric,statistic,estimate,low,high,method,guarantee,n,n_failed" in text
    assert "\n'=b,all,score,mean," in text
    assert found.main.count("<details") >= 4


def test_the_methods_paragraph_cites_what_was_used_and_nothing_else(page):
    text = page({"a": A, "b": B}).section("For the paper")
    assert "Learned-Miller" in text
    assert "Newcombe, R. G. (2006)" in text
    assert "Dunn" not in text
    assert "Nadeau" not in text
    assert "Romano" in page({"a": A, "b": B, "c": C}).section("For the paper")
    assert "Holm" in page({"a": A[:9], "b": B[:9], "c": C[:9]}).section("For the paper")
    assert "Dunn" in page({"a": A, "b": B}, looks=2).section("For the paper")


def test_error_bars_of_what_is_answered(page):
    text = page({"a": A, "b": B}).section("Error bars of what?")
    for words in (
        "factors of variability",
        "Student's t, approximate",
        "order statistics, guaranteed",
        "95 % confidence intervals",
        "60 runs",
    ):
        assert words in text


def test_a_method_that_failed_on_many_tasks_is_said_once_and_is_in_the_ranks(page):
    samples = {m: {f"t{i}": RNG.normal(j, 1, 8) for i in range(12)} for j, m in enumerate("abc")}
    samples["dead"] = {f"t{i}": [np.nan] * 8 for i in range(12)}
    found = page(samples)
    assert found.section("The numbers").count("has no usable score") == 1
    assert "dead not ranked" in " ".join(found.section("Ranks").split())
    assert "dead & -- & not ranked" in found.section("For the paper")
    assert "12 tasks" in found.section("In short")
