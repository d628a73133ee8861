"""What a report says about failures, looks, ranges and single runs."""

import re
from dataclasses import replace

import numpy as np
import pytest

import ogive

RNG = np.random.default_rng(7)
A, B, C = (RNG.normal(m, 1, 60) for m in (0.0, 0.3, 2.0))
BOUNDED = {"bounds": (-9, 9)}


def read(samples, **facts) -> ogive.Trials:
    return ogive.read(samples, **{"unit": "row", "varied": "seed", **facts})


def failing(sample: np.ndarray, n: int) -> np.ndarray:
    return np.where(np.arange(sample.size) < n, np.nan, sample)


def spread(mean: float, half: float) -> np.ndarray:
    """30 scores with this mean, of which two samples differ by ± half at 95 %."""
    z = np.random.default_rng(8).normal(size=30)
    return mean + half / 0.5168 * (z - z.mean()) / z.std(ddof=1)


# Failures


def test_a_method_that_drops_out_under_the_other_rule_is_a_change(page):
    """Without its failures `a` cannot be ranked, and what was three pairs is one."""
    text = page({"a": [np.nan] * 60, "b": B, "c": C}, BOUNDED, failures="worst").section("In short")
    assert "depends on how" in text
    assert text.count("better becomes not judged") == 2


@pytest.mark.parametrize("methods", ["ab", "abc"])
def test_where_failed_runs_have_no_value_bad_days_say_how_many_failed_of_every_method(page, methods):
    samples = {m: s for m, s in zip("abc", (A, failing(B, 9), failing(C, 4)), strict=True) if m in methods}
    written = page(samples, failures="worst")
    for title in ("In short", "Bad days"):
        assert "a 0 of 60" in written.section(title), title
        assert "b 9 of 60" in written.section(title), title
    trials = read(samples)
    two = methods == "ab"
    found = ogive.compare(trials, "a", "b", failures="worst") if two else ogive.rank(trials, failures="worst")
    asked = found.questions["on a bad day"]
    assert {m: (n, of) for m, n, of in asked.failed} == {m: (int(np.isnan(s).sum()), 60) for m, s in samples.items()}
    assert asked.counted in str(found)


def test_the_same_question_is_asked_under_the_other_rule(page):
    """One usable run on a task would by default be judged over a sample of tasks, which is another question."""
    samples = {m: {"x": RNG.normal(j, 1, 8), "y": RNG.normal(j, 1, 8)} for j, m in enumerate("abc")}
    samples["a"]["x"] = failing(samples["a"]["x"], 7)
    text = page(samples, BOUNDED, failures="worst").section("In short")
    assert text.count("better becomes cannot tell") == 2


def test_questions_that_depend_on_the_rule_are_named_where_the_verdict_does_not(page):
    """Four of forty runs at the worst score decide who is ahead on a bad day, not the median."""
    rng = np.random.default_rng(3)
    samples = {"a": rng.normal(0.0, 1.0, 40), "b": failing(rng.normal(0.1, 1.0, 40), 4)}
    text = page(samples, BOUNDED, failures="worst", criterion="median").section("In short")
    assert "does not depend" in text
    assert "on a bad day (a; " in text
    assert "depends on it" not in page({"a": A, "b": failing(C + 5.0, 1)}, failures=6.0).section("In short")


def test_a_task_without_usable_runs_does_not_turn_the_order_of_names(page):
    """On the tasks that are left `b` would come first; no pair of that order was judged before."""
    samples = {"a": {"x": A, "y": C, "z": C}, "b": {"x": B + 9.0, "y": A, "z": failing(A, 60)}}
    text = page(samples, {"bounds": (-20, 20)}, failures="worst").section("In short")
    assert "does not depend" not in text
    assert "'b'" in text
    assert "'z'" in text


def test_the_same_conclusions_about_the_same_pairs_do_not_depend_on_the_rule(page):
    text = page({"a": failing(A, 1), "b": A - 5.0, "c": C + 4.0}, BOUNDED).section("In short")
    assert "does not depend" in text


def test_a_pair_keeps_its_order_where_the_other_rule_ranks_it_the_other_way_round(page):
    """Counted as the worst score, its failed runs put `b` behind `a`: the pair is still judged."""
    samples = {"a": A, "b": failing(B + 0.2, 6), "c": C + 4.0}
    text = page(samples, BOUNDED, criterion="mean").section("In short")
    assert "not judged" not in text


def test_failed_runs_on_tasks_that_the_verdict_leaves_out_are_not_denied(page):
    samples = {m: {"x": s, "y": s + 1.0} for m, s in (("a", A), ("b", B))}
    samples["a"]["y"] = failing(A, 60)
    text = page(samples).section("In short")
    assert "All failed runs are on tasks that the verdict leaves out" in text
    assert "No run of the methods" not in text


def test_all_tasks_together_are_judged_once(page):
    samples = {m: {f"t{i}": RNG.normal(3 * j, 1, 12) for i in range(5)} for j, m in enumerate("ab")}
    samples["a"]["t0"] = failing(samples["a"]["t0"], 1)
    assert "does not depend" in page(samples, BOUNDED).section("In short")


# Looks


def test_the_table_shows_the_interval_that_the_verdict_reads(page):
    for options, label in (({"looks": 3}, "beats"), ({"looks": 3, "margin": 0.2}, "difference of means")):
        c = ogive.compare(read({"a": A, "c": C}), "c", "a", **options)
        found = page({"a": A, "c": C}, **options)
        first = re.search(r"<tbody><tr>(.*?)</tr>", found.main[found.main.index("The difference</h2>") :]).group(1)
        assert label in first
        assert "98.33" in first
        ends = c.question.shown(c.primary).rstrip("]").split(" [")[1].split(", ")
        assert list(re.findall(r"<small>(.*?) to (.*?)</small>", first)[0]) == ends


def test_the_looks_that_were_paid_for_are_stated_and_not_denied(page):
    text = page({"a": A, "c": C}, looks=3).section("What the numbers stand on")
    assert all(fact in text for fact in ("95 %", "98.33 %", "3 looks"))
    assert "second look" not in text
    many = page({"a": A, "b": B, "c": C}, looks=3)
    assert "3 looks" in many.section("What the numbers stand on")
    assert "3 looks" in many.section("For the paper")
    assert "looks" not in page({"a": A, "c": C}).section("For the paper")


def test_earlier_looks_ask_to_be_paid_for_once(written):
    trials = replace(read({"a": A, "b": B}), looks=2)
    assert "looks=3" in written(trials).text
    assert "looks=" not in written(trials, looks=3).text
    assert "looks=" not in written(read({"a": A, "b": B})).text


# Ranges, rounding, single runs


@pytest.mark.parametrize("tasks", [1, 2])
def test_no_end_is_rounded_across_the_margin_beside_its_conclusion(page, tasks):
    samples = {
        "a": {f"t{i}": spread(0.8, 0.0025) for i in range(tasks)},
        "b": {f"t{i}": spread(0.7926, 0.0025) for i in range(tasks)},
    }
    c = ogive.compare(read(samples), "a", "b", margin=1.0)
    widest = (c.tasks[0] if tasks > 1 else c).primary.high
    margin = round(widest + 2e-6, 6)
    found = page(samples, margin=margin)
    assert "equivalent" in found.text
    section = found.main[found.main.index("The difference</h2>") :]
    first = re.search(r"<tbody><tr>(.*?)</tr>", section).group(1)
    assert float(re.search(r"<small>.*? to (.*?)</small>", first).group(1)) < margin


def test_single_runs_leave_every_rank_open_and_no_number_without_a_value(page):
    found = page({m: [float(i)] for i, m in enumerate("abc")})
    assert "nan" not in found.section("Ranks") + found.section("For the paper")
    assert found.section("Ranks").count("1 to 3") == 3
    assert "a & $1$ & 1--3 & $0$" in found.section("For the paper")


def single_runs(**options):
    rng = np.random.default_rng(3)
    base = rng.normal(size=12)
    scores = {m: dict(zip("abcdefghijkl", (base + rng.normal(shift, 0.3, 12)).tolist(), strict=True)) for m, shift in {"A": 0.0, "B": 0.4}.items()}  # fmt: skip
    return {m: {t: [v] for t, v in by_task.items()} for m, by_task in scores.items()}, options


def test_every_part_of_a_page_says_that_tasks_are_the_sample_where_a_method_has_one_run_on_each(page):
    samples, options = single_runs(varied=None, unit=None)
    found = page(samples, options)
    for section in ("What the numbers stand on", "Error bars of what?", "For the paper", "In short"):
        assert "tasks like these" in found.section(section)
    assert "separate samples" not in found.text
    assert "assumed independent" not in found.text
    assert "on these tasks" not in found.text
    assert "over the 12 tasks" in found.section("For the paper")


def test_a_page_about_sampled_tasks_with_several_runs_tells_the_verdict_from_the_numbers_of_a_task(page):
    rng = np.random.default_rng(4)
    found = page({m: {t: rng.normal(size=8) for t in "abcdef"} for m in "AB"}, over="sample")
    stands = found.section("What the numbers stand on")
    assert "speaks of tasks like these" in stands
    assert "results speak" not in stands
    assert "separate samples" not in found.text
    assert "over the 6 tasks" in found.section("For the paper")
