"""The words of a report: the one place of this room that holds sentences. Everything else tests facts of the page."""

import html
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import ogive

RNG = np.random.default_rng(7)
A, B, C = (RNG.normal(m, 1, 60) for m in (0.0, 0.3, 2.0))
BOUNDED = {"bounds": (-9, 9)}
SHORT, STAND, PAPER, NUMBERS, OVER = "In short", "What the numbers stand on", "For the paper", "The numbers", "Over all tasks"  # fmt: skip


def failing(sample: np.ndarray, n: int) -> np.ndarray:
    return np.where(np.arange(sample.size) < n, np.nan, sample)


def runs(tasks: int, n: int, low: float = 0.2) -> dict[str, dict[str, np.ndarray]]:
    rng = np.random.default_rng(11)
    return {m: {f"t{j}": rng.uniform(low, low + 0.3, n) for j in range(tasks)} for m in "ab"}


MISSING = runs(7, 6)
del MISSING["a"]["t0"]
DEAD = {m: {f"t{i}": np.arange(8.0) + j + i for i in range(3)} for j, m in enumerate("abc")} | {"dead": {f"t{i}": [np.nan] * 8 for i in range(3)}}  # fmt: skip
CLOSE = {m: {t: np.random.default_rng(i).normal(0.6, 0.02, 30) for t in "xy"} for i, m in enumerate("ab")}
SAID = [
    # No verdict
    ({"a": A}, {}, {}, SHORT, ["No verdict: there is one method"]),
    ({"a": A, "b": B}, {"independent": False}, {}, SHORT, ["No verdict: the runs were chosen by a grid or an adaptive sampler"]),
    ({"a": {"x": A}, "b": {"y": B}}, {}, {}, SHORT, ["No verdict: no two methods have usable runs on the same tasks"]),
    ({"a": {"x": A, "y": B}, "b": {"x": B, "y": C}, "c": {"x": C}}, {}, {}, SHORT, ["c takes no part in the verdict"]),
    # Failures
    ({"a": failing(A, 7), "b": B}, {}, {}, None, ["120 runs of 2 methods on 1 task; 7 of 120 failed (6 %) and are left out of means and verdicts."]),
    ({"a": [np.nan] * 60, "b": B, "c": C}, BOUNDED, {"failures": "worst"}, SHORT, ["The verdict depends on how failures count: with failed runs left out", "b against a: better becomes not judged"]),
    ({"a": failing(A, 1), "b": A - 5.0}, BOUNDED, {}, SHORT, ["The verdict does not depend on how failures count: with failed runs counted as the worst possible"]),
    ({"a": [np.nan] * 10, "b": B, "c": C}, {}, {}, SHORT, ["a takes no part in the verdict", "No run of the methods in the verdict failed"]),
    ({"a": failing(C + 9.0, 40), "b": B}, {}, {}, SHORT, ["Among the runs that finished:", "The median run of a"]),
    ({"a": failing(A, 5), "b": B}, {}, {"failures": "worst"}, None, ["are counted as worse than every score"]),
    ({"a": failing(A, 5), "b": B}, BOUNDED, {"failures": "worst"}, None, ["are counted as the worst possible score"]),
    ({"a": failing(A, 5), "b": B}, {}, {"failures": 0.5}, None, ["5 of 120 failed (4 %) and count as 0.5."]),
    ({"a": failing(A, 1), "b": B}, {}, {"failures": "like:b"}, None, ["and has the score of b."]),
    ({"a": failing(A, 7), "b": B}, {}, {}, "All runs, worst to best", ["Failed runs are left out here as in means and verdicts: 7 of 60 of a."]),
    (DEAD, {}, {}, NUMBERS, ["dead has no usable score on any of the 3 tasks."]),
    (DEAD, {}, {}, "Ranks", ["dead not ranked no usable run on any of the 3 tasks"]),
    # Looks, margins
    ({"a": A, "c": C}, {}, {"looks": 3}, STAND, ["One, at 95 % confidence at 3 looks. Its interval has 98.33 %.", "divided among 3 looks: it may be read 3 times while runs are added, and not once more"]),
    ({"a": A, "b": B, "c": C}, {}, {"looks": 3}, STAND, ["all hold with 95 % confidence at 3 looks"]),
    ({"a": A, "b": B, "c": C}, {}, {"looks": 3}, PAPER, ["for 3 pairs and 3 looks"]),
    (CLOSE, {"bounds": (0, 1)}, {"margin": 0.03}, "The difference", ["On 2 tasks a claim of no loss is withheld"]),
    # Many tasks
    (runs(6, 6), {}, {}, OVER, ["no mean over tasks", "That is no sign of equality", "The verdict at the top speaks of other runs on these tasks", "Few tasks: with 6 of them only large differences can be seen"]),
    (runs(6, 6), {"bounds": (0, 1)}, {}, OVER, ["the bounds 0 and 1 declare one scale"]),
    (runs(6, 1), {"goal": "minimize"}, {}, OVER, ["No time limit is known here"]),
    (MISSING, {}, {}, OVER, ["the share of 6 problems", "The verdict is about 6 of 7 tasks"]),
    (runs(6, 2), {}, {}, PAPER, ["Performance profiles show on which share of 6 tasks", "with probability of at most 1/2 + τ, as estimated from 2 runs each", "profiles over all tasks: exact band, heuristic"]),
    (runs(6, 2), {"bounds": (0, 1)}, {}, PAPER, ["Score profiles show the share of runs better than a score τ", "IQM, mean and median over all tasks"]),
    # Texts to paste, tables
    ({"a": A, "b": B}, {"varied": None}, {}, PAPER, ["We made 60 runs of each of 2 methods on 1 task ([STATE WHAT VARIED BETWEEN RUNS]) and report score."]),
    ({"a": A, "b": B}, {}, {}, "Error bars of what?", ["median and best of 8 (median): order statistics, guaranteed"]),
    ({"a": failing(A, 9), "b": B, "c": C}, {}, {}, PAPER, ["9 of 180 runs failed (5 %) and are left out of means and verdicts; they are left out of the curves as well"]),
    ({"a": {"x": [0.811], "y": A}, "b": {"x": B[:5], "y": B}}, {}, {}, PAPER, ["Numbers without an interval: too few runs, or none that differ."]),
    ({"a": [1.0, 1.0], "b": [2.0, 2.0]}, {}, {}, NUMBERS, ["No intervals: too few runs, or none that differ."]),
    ({"a": A[:3], "b": B[:3]}, {}, {}, "The difference", ["no interval: these runs limit it on neither side"]),
    ({"a": A, "b": B, "c": C}, {}, {}, "Every method against every other", ["pairs can be told apart"]),
    ({"a": A, "b": B, "c": C}, {}, {}, SHORT, ["60 runs of each method; runs differ in seed"]),
]  # fmt: skip


@pytest.mark.parametrize(("samples", "facts", "options", "section", "words"), SAID, ids=[w[0] for *_, w in SAID])
def test_a_page_says(page, samples, facts, options, section, words):
    found = page(samples, facts, **options)
    text = " ".join((found.text if section is None else found.section(section)).replace("\u00a0", " ").split())
    assert [w for w in words if w not in text] == []


@pytest.mark.parametrize(("looks", "said"), [(1, "which looks=3 would account for"), (3, "which is accounted for")])
def test_earlier_looks_are_stated(written, looks, said):
    trials = replace(ogive.read({"a": A, "b": B}, unit="row", varied="seed"), looks=2)
    assert f"Smaller tables of this study were judged 2 times before, {said}" in written(trials, looks=looks).text


def test_what_a_metric_or_an_open_question_leaves_out_is_said(page, written):
    frame = pd.DataFrame({"acc": np.append(A, B), "f1": np.append(C, B), "model": ["a"] * 60 + ["b"] * 60})
    assert "About f1 only; the table also holds acc" in page(frame, {"score": ["acc", "f1"]}, metric="f1").text
    frame = pd.DataFrame({"score": np.append(A, B), "model": ["a"] * 60 + ["b"] * 60, "seed": [0, 0, *range(58)] * 2})
    assert "No intervals: it is not known which rows are independent" in written(ogive.read(frame)).section(NUMBERS)


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (None, "Student's t is symmetric and can pass a limit that nobody declared."),
        ((0, 1), "No: those of a method's own numbers are cut at the bounds 0 and 1."),
        ((0, None), "Not below 0, where those of a method's own numbers are cut; on the other side Student's t"),
        ((None, 1), "Not above 1, where"),
    ],
)
def test_whether_intervals_leave_the_range_is_said(page, bounds, said):
    scores = {"a": [1.0, 1.0, 1.0, 0.2], "b": [0.9, 1.0, 0.8, 0.1]}
    text = page(scores, {"bounds": bounds} if bounds else {}).section("Error bars of what?")
    assert re.sub(r"\s+", " ", said) in re.sub(r"\s+", " ", text)


def test_a_page_that_a_command_writes_names_options_and_no_arguments(tmp_path, capsys):
    from ogive.cli import main

    rng = np.random.default_rng(0)
    rows = ["model,accuracy,f1"]
    for m in ("a", "b", "c"):
        rows += [f"{m},{'' if m == 'c' and i < 4 else round(x, 4)},{round(x / 2, 4)}" for i, x in enumerate(rng.normal(0.8, 0.02, 30))]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(rows))
    out = tmp_path / "r.html"
    said = ["--score", "accuracy", "--score", "f1", "--failures", "worst", "--out", str(out)]
    assert main(["report", str(tmp_path / "t.csv"), *said]) == 0
    page = out.read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<[^>]+>", " ", page[page.index("<main>") : page.index("</main>")]))
    assert not re.findall(r"\b(?:bounds|varied|unit|scope|metric|failures)=\S*", text)
    for option in ("--bounds", "--varied", "--unit", "--metric"):
        assert option in text, option
