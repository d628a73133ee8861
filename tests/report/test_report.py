"""The report: what it says, that it stays text, and that it needs no network."""

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError, InvalidConfidence
from ogive.notes import NoteKind
from ogive.report import write
from ogive.report._methods import varied_words
from ogive.report._page import safe_json
from ogive.words import number, printable

RNG = np.random.default_rng(7)
HOSTILE = "</script><img src=x onerror=alert(1)>"
A, B, C = (RNG.normal(m, 1, 60) for m in (0.0, 0.3, 2.0))


def read(samples, **facts) -> ogive.Trials:
    return ogive.read(samples, **{"unit": "row", "varied": "seed", **facts})


def says(found, parts) -> bool:
    """Whether the first section says all parts of a verdict, in their order, the claim alone in its box."""
    short = " ".join(found.section("In short").split())
    boxed = re.search(r'<p class="verdict[^"]*">(.*?)</p>', found.main).group(1)
    assert html.unescape(boxed).replace("\u00a0", " ") == parts[0]
    places = [short.index(part) for part in parts if part]
    return places == sorted(places)


# What it says


def test_two_methods_get_the_verdict_of_the_comparison(page):
    found = page({"a": A, "c": C})
    assert says(found, ogive.compare(read({"a": A, "c": C}), "c", "a").parts)
    assert found.section("The difference")
    assert not found.section("Ranks")


def test_right_or_wrong_answers_get_a_table_of_differences_and_no_picture_that_says_less(page):
    rng = np.random.default_rng(0)
    scores = {"a": (rng.random(300) < 0.8).astype(float), "b": (rng.random(300) < 0.6).astype(float)}
    written = page(scores)
    assert "a is better than b" in written.section("In short")
    assert "certainly apart" not in written.text
    assert "Positive differences: a is better" in written.text


def test_more_methods_get_a_ranking_with_pairs_and_ranks(page):
    found = page({"a": A, "b": B, "c": C})
    ranking = ogive.rank(read({"a": A, "b": B, "c": C}))
    assert says(found, ranking.parts)
    assert found.section("Every method against every other")
    assert all(m in found.section("Ranks") for m in ("a", "b", "c", "tier"))
    assert "60 runs" in found.section("In short")


@pytest.mark.parametrize("samples", [{"a": A, "c": C}, {"a": A, "b": B, "c": C}], ids=["two methods", "three"])
def test_the_four_questions_stand_under_the_verdict(page, samples):
    found = page(samples)
    short = found.main[found.main.index(">In short</h2>") :]
    cards = re.search(r'<p class="verdict">[^<]*</p>\s*<ul class="cards">(.*?)</ul>', short, re.DOTALL).group(1)
    asked = re.findall(
        r'<li class="card[^"]*"><h3>(.*?)</h3><p class="who">(.*?)</p><p class="much">(.*?)</p>(.*?)</li>', cards
    )
    names = ["a typical run (the verdict)", "on average", "on a bad day", "after 8 tries"]
    assert [name for name, *_ in asked] == names
    assert [who for _, who, *_ in asked][:3] == ["c"] * 3
    told = ogive.rank(read(samples)).questions["on average"].scores if len(samples) > 2 else {}
    assert all(number(told[m]) in asked[1][2] for m in ("c", "b") if told)
    assert all("95" in sure for *_, sure in asked[:3])


def test_the_criterion_that_was_asked_for_decides_on_the_page(page):
    for samples in ({"a": A, "c": C}, {"a": A, "b": B, "c": C}):
        asked = (
            (page(samples, criterion="worst_0.1"), "on a bad day"),
            (page(samples, {"bounds": (-9, 9)}), "on average"),
        )
        for found, name in asked:
            (decides,) = re.findall(r'<li class="card[^"]* decides"><h3>(.*?) \(', found.main)
            assert decides == name


def test_facts_count_failures_as_the_page_does(page):
    """Left out, the failed runs of `a` do not hide that its median beats every run of `b`; counted as worst, they do."""
    samples = {"a": failing(C + 9.0, 40), "b": B}
    assert "median run" in page(samples).section("In short")
    assert "median run" not in page(samples, failures="worst").section("In short")


def test_a_claim_that_was_withheld_on_tasks_is_explained(page):
    rng = np.random.default_rng(1)
    samples = {m: {t: rng.normal(0.6, 0.02, 30) for t in "xy"} for m in "ab"}
    found = page(samples, {"bounds": (0, 1)}, margin=0.03)
    compared = ogive.compare(read(samples, bounds=(0, 1)), "a", "b", margin=0.03)
    assert all(c.hidden is not None and c.hidden.withheld for c in compared.tasks)
    assert "withheld" in found.section("The difference")
    assert "withheld" not in page(samples, margin=0.03).section("The difference")


def test_two_methods_on_many_tasks_get_one_sentence_and_a_line_for_each(page):
    samples = {m: {f"t{i}": RNG.normal(j, 1, 12) for i in range(5)} for j, m in enumerate("ab")}
    found = page(samples)
    assert says(found, ogive.compare(read(samples), "b", "a").parts)
    assert all(f"t{i}" in found.section("The difference") for i in range(5))
    assert "5 tasks" in found.text


def test_the_verdict_comes_first_and_every_section_is_in_the_contents(page):
    found = page({"a": A, "b": B, "c": C})
    titles = [html.unescape(t) for t in re.findall(r"<h2[^>]*>(.*?)</h2>", found.main)]
    assert titles[0] == "In short"
    assert titles == [html.unescape(t) for t in re.findall(r'<a href="#section-\d+">(.*?)</a>', found.main)]
    order = [
        "In short", "All runs, worst to best", "Every method against every other", "Ranks", "Bad days", "The numbers",
        "The best of k", "What the numbers stand on", "Error bars of what?", "For the paper",
    ]  # fmt: skip
    assert titles == order


def test_many_tasks_come_together_before_each_of_them(page):
    samples = {m: {f"t{i}": RNG.normal(j, 1, 25) for i in range(9)} for j, m in enumerate("abc")}
    samples["a"]["t3"][:2] = np.nan
    found = page(samples)
    titles = [html.unescape(t) for t in re.findall(r"<h2[^>]*>(.*?)</h2>", found.main)]
    order = ["In short", "Over all tasks", "Every method against every other", "Ranks", "Bad days", "Failures", "All runs, worst to best", "The numbers"]  # fmt: skip
    assert titles[: len(order)] == order
    assert "<summary>Pictures of 9 tasks</summary>" in found.main
    some = page({m: dict(list(tasks.items())[:8]) for m, tasks in samples.items()})
    assert "<summary>Pictures of" not in some.main
    assert " ".join(found.section("Failures").split()).startswith("2 of 675 runs have no usable score.")
    assert "2 of 225 (0.9 %) t3" in " ".join(found.section("Failures").split())


def test_the_best_of_a_column_is_marked_and_its_interval_drawn(page):
    found = page({"a": A, "b": B, "c": C}, {"goal": "minimize"})
    numbers = found.main[found.main.index(">The numbers</h2>") :]
    lines = dict(re.findall(r"<tr><th>([abc])</th>(.*?)</tr>", numbers[: numbers.index("</table>")]))
    cells = {m: re.findall(r"<td(.*?)</td>", line) for m, line in lines.items()}
    assert all('class="best"' in cell for cell in cells["a"][1:])
    assert not any('class="best"' in cell for m in "bc" for cell in cells[m])
    assert all('<span class="range"><i style="left:' in cell for line in cells.values() for cell in line[1:])
    bad = " ".join(found.section("Bad days").split())
    assert bad.index(" a ") < bad.index(" b ") < bad.index(" c ")


def test_a_margin_is_used_and_named(page):
    found = page({"a": A, "b": A + RNG.normal(0, 0.05, 60)}, margin=0.5)
    assert "are equivalent within 0.5" in found.text


def test_caveats_say_what_the_numbers_stand_on(page):
    facts = {"bounds": (-9, 9), "scope": "these rows", "varied": "split"}
    text = page({"a": A, "b": B}, facts).section("What the numbers stand on")
    for words in (
        "Split drawn anew for each run", "configuration and training seed", "over random splits", "60 runs of each method",
        "every row is one independent draw", "None.", "[-9, 9]", "That is an assumption", "second look",
    ):  # fmt: skip
        assert words in text


def test_another_metric_can_be_judged(page):
    frame = pd.DataFrame({"acc": np.append(A, B), "f1": np.append(C, B), "model": ["a"] * 60 + ["b"] * 60})
    found = page(frame, {"score": ["acc", "f1"]}, metric="f1")
    assert "f1 only" in found.text
    assert found.figures[0]["layout"]["yaxis"]["title"]["text"].startswith("f1")


# Tables that cannot be judged


def test_one_method_is_described(page):
    found = page({"a": A})
    assert not found.gives_a_verdict
    assert len(found.figures) == 2
    assert "mean" in found.section("The numbers")


@pytest.mark.parametrize("samples", [{"a": A, "b": B}, {m: {"x": A, "y": B} for m in "abc"}])
def test_adaptive_runs_are_described_without_a_verdict(page, samples):
    found = page(samples, {"independent": False})
    assert not found.gives_a_verdict
    assert all("fill" not in trace for figure in found.figures for trace in figure["data"])


def test_an_open_question_is_stated_instead_of_a_verdict(written):
    frame = pd.DataFrame({"score": np.append(A, B), "model": ["a"] * 60 + ["b"] * 60, "seed": [0, 0, *range(58)] * 2})
    trials = ogive.read(frame)
    found = written(trials)
    assert str(trials.question) in found.section("In short")
    assert found.figures
    assert "No intervals" in found.section("The numbers")
    assert "adaptive" not in found.section("The numbers")
    assert not found.gives_a_verdict


def test_few_runs_give_sentences_instead_of_empty_bands(page):
    samples = {f"m{i}": {f"t{j}": RNG.normal(j + 2 * i, 1, 3) for j in range(12)} for i in range(4)}
    found = page(samples)
    assert "over 12 tasks" in found.section("In short")
    assert "Not shown: median" in found.section("The numbers")
    assert "∞" not in found.text
    assert all("fill" not in trace for trace in found.figures[-1]["data"])


def test_a_single_run_of_each_method_still_gives_a_page(page):
    assert "cannot be told" in page({"a": [1.0], "b": [2.0]}).section("In short")


def test_methods_without_runs_on_every_task_are_named(page):
    found = page({"a": {"x": A, "y": B}, "b": {"x": B, "y": C}, "c": {"x": C}})
    assert found.gives_a_verdict
    assert "c takes no part" in found.section("In short")
    assert not page({"a": {"x": A}, "b": {"y": B}}).gives_a_verdict


# Failures


def failing(sample: np.ndarray, n: int) -> np.ndarray:
    return np.where(np.arange(sample.size) < n, np.nan, sample)


def test_failures_are_in_the_first_sentence_and_have_a_section(page):
    found = page({"a": failing(A, 7), "b": B})
    opening = re.search(r'class="opening">(.*?)</p>', found.main).group(1).replace("\u00a0", " ")
    assert "7 of 120 failed (6 %)" in opening
    assert "no finite score" in found.section("Failures")
    assert not page({"a": A, "b": B}).section("Failures")


@pytest.mark.parametrize(
    ("a", "b", "facts", "expected"),
    [
        (failing(C, 3), A, {}, "does not depend"),
        (failing(A + 0.6, 25), B - 0.4, {}, "verdict depends"),
        (failing(A + 0.6, 25), B - 0.4, {"bounds": (-9, 9)}, "verdict depends"),
    ],
)  # fmt: skip
def test_the_report_says_whether_the_verdict_depends_on_the_rule(page, a, b, facts, expected):
    assert expected in page({"a": a, "b": b}, facts).section("In short")


def test_means_without_bounds_cannot_tell_whether_it_depends(page):
    found = page({"a": failing(A, 9), "b": B, "c": C}, criterion="mean")
    assert "cannot be said" in found.section("In short")
    by_order = page({"a": failing(A, 9), "b": B, "c": C})
    assert "cannot be said" not in by_order.section("In short")
    bounded = page({"a": failing(A, 9), "b": B, "c": C}, {"bounds": (-9, 9)})
    assert "cannot be said" not in bounded.section("In short")


def test_a_method_that_always_fails_and_a_table_that_always_fails(page):
    found = page({"a": [np.nan] * 10, "b": B, "c": C})
    assert "a takes no part" in found.section("In short")
    assert not re.search(r"depends? on", found.section("In short"))
    nothing = page({"a": [np.nan] * 10, "b": [np.nan] * 10})
    assert "20 of 20 failed (100 %)" in nothing.text
    assert nothing.section("Failures")
    assert not nothing.figures


def test_failed_runs_of_a_method_are_no_reason_against_a_verdict(page):
    assert page({"a": failing(A, 9), "b": B, "c": C}).gives_a_verdict


def test_a_rule_for_failures_is_used_and_refusing_is_not_one(page):
    samples = {"a": failing(A, 5), "b": B}
    means = [page(samples, {"bounds": (-9, 9)}, **rule).section("The numbers") for rule in ({}, {"failures": "worst"})]
    assert means[0] != means[1]
    with pytest.raises(InputError, match="never refuses"):
        page({"a": A, "b": B}, failures="refuse")


@pytest.mark.parametrize("rule", [None, "worst", -5.0, "like:b"])
def test_one_rule_for_failures_holds_in_the_pictures_too(page, rule):
    """The curve of `a` has one step for each run that counts: 53 left in, and one more where all failures get one score."""
    found = page({"a": failing(A, 7), "b": B}, {} if rule != "worst" else {"bounds": (-9, 9)}, failures=rule)
    curve = next(t for t in found.figures[0]["data"] if t["name"] == "a" and t["mode"] == "lines" and "fill" not in t)
    assert len(set(curve["y"])) == (53 if rule is None else 54)
    assert curve["x"][0] == 0.0
    assert not any(t.get("marker", {}).get("symbol") == "x-thin-open" for t in found.figures[0]["data"])
    assert ("7 of 60 of a" in found.section("All runs, worst to best")) == (rule is None)


def test_failures_below_every_score_are_crosses_in_the_picture(page):
    found = page({"a": failing(A, 7), "b": B}, failures="worst")
    assert any(trace.get("marker", {}).get("symbol") == "x-thin-open" for trace in found.figures[0]["data"])


def test_runs_that_a_column_splits_are_not_pooled(written):
    rows = [(m, s, mode, 0.1 * s + len(mode)) for m in "ab" for s in range(5) for mode in ("x", "yy")]
    trials = ogive.read(pd.DataFrame(rows, columns=["model", "seed", "mode", "acc"]))
    assert trials.question is not None
    assert trials.question.kind is NoteKind.ASKS_SPLIT
    found = written(trials)
    assert str(trials.question) in found.section("In short")
    assert not found.figures
    assert "<table" not in found.main
    assert "blockquote" not in found.main


# Security


@pytest.mark.parametrize(
    "name", [HOSTILE, "<b onmouseover=alert(1)>", "a&amp;b", "\u2028line", "'\"><script>x</script>", "%{x}"]
)
def test_names_stay_text_everywhere(page, name):
    samples = {name: {name: failing(A, 3), "y": B}, "b": {name: B, "y": C}, "c": {name: C, "y": A}}
    found = page(samples)
    assert not re.search(r"<(img|b|script)\b", found.main)
    assert "onerror" not in re.sub(r'="[^"<>]*"', "", re.sub(r">[^<]*<", "><", found.main))
    assert printable(name) in html.unescape(re.sub(r"<[^>]+>", "", found.main))
    assert len(re.findall(r"<script", found.raw)) == len(found.figures) + len(found.scripts)


def test_data_for_the_pictures_are_json_that_cannot_leave_its_element(page):
    found = page({HOSTILE: A, "b": B})
    blocks = re.findall(r'<script type="application/json" id="[^"]+">(.*?)</script>', found.raw, re.DOTALL)
    assert blocks
    assert not any(sign in block for block in blocks for sign in "<>&\u2028\u2029")
    names = {trace["name"] for trace in found.figures[0]["data"]}
    assert html.escape(HOSTILE, quote=False) in names  # plotly reads a few tags in names
    assert not any(
        name in trace.get("hovertemplate", "") for trace in found.figures[0]["data"] for name in (HOSTILE, "%{b}")
    )


def test_json_is_escaped_and_holds_no_nan():
    value = {"a": "</script>&\u2028\u2029"}
    assert json.loads(safe_json(value)) == value
    assert not set(safe_json(value)) & set("<>&\u2028\u2029")
    with pytest.raises(ValueError, match="not JSON compliant"):
        safe_json([float("nan")])


def test_the_policy_forbids_the_network_and_allows_these_scripts_only(page):
    found = page({"a": A, "b": B})
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', found.raw).group(1)
    assert policy.startswith("default-src 'none'; script-src ")
    assert "connect-src 'none'" in policy
    allowed = re.search(r"script-src ([^;]+);", policy).group(1).split()
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in found.scripts]
    assert allowed == [f"'sha256-{digest}'" for digest in digests]


def test_nothing_is_linked_from_outside(page):
    found = page({"a": A, "b": B, "c": C})
    own = found.raw.replace(found.scripts[0], "")
    assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", own)
    assert not re.search(r"<(link|iframe|img|object|embed|base|form)\b", own)
    assert not re.search(r"<script[^>]+src=", found.raw)


def test_the_buttons_are_named_because_plotly_has_one_that_uploads(page):
    own = page({"a": A, "b": B}).scripts[1]
    assert "modeBarButtons: [buttons]" in own
    assert 'plotlyServerURL: ""' in own
    assert "innerHTML" not in own


# Size


@pytest.mark.parametrize("methods", [2, 8])
def test_large_tables_stay_small(written, methods):
    n, tasks = 100_000, 1 if methods == 2 else 26
    frame = pd.DataFrame(
        {"score": RNG.normal(size=n), "model": np.arange(n) % methods, "task": (np.arange(n) // methods) % tasks}
    )
    frame["model"] = "m" + frame["model"].astype(str)
    frame["task"] = "t" + frame["task"].astype(str)
    # Adaptive: the ranking of 28 pairs, which is tested elsewhere, is not made again.
    page = written(
        ogive.read(frame, independent=methods == 2 or None, unit="row")
        if methods == 2
        else ogive.read(frame, independent=False)
    )
    assert page.path.stat().st_size < 10e6
    assert "100000 runs" in page.text
    assert len(page.figures[0]["layout"].get("annotations", ())) == (0 if methods == 2 else 26 + 2)


def test_the_random_search_is_a_page(real_data, written):
    source = real_data / "opda_deberta_random_search.csv"
    found = written(ogive.read(source, score="acc_matched", unit="row", varied="configuration"))
    assert found.section("In short").split()[0] == "deberta-v3-base"
    assert "median run of deberta-v3-base" in found.section("In short")
    assert "Tuning curves" in found.section("The best of k")


# The door


def test_questions_that_make_no_sense_are_refused(tmp_path: Path):
    trials = read({"a": A, "b": B})
    with pytest.raises(InputError, match=r"\.html; got 'r.txt'"):
        write(trials, tmp_path / "r.txt")
    with pytest.raises(InvalidConfidence):
        write(trials, tmp_path / "r.html", confidence=95)
    with pytest.raises(InputError, match=r"`metric`.*'auc'"):
        write(trials, tmp_path / "r.html", metric="auc")
    with pytest.raises(InputError, match="no folder"):
        write(trials, tmp_path / "absent" / "r.html")
    for absent in ("scores.csv", Path("scores.csv")):
        with pytest.raises(InputError, match=r"scores.csv"):
            write(absent, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_the_same_table_gives_the_same_file(tmp_path: Path):
    trials = read({"a": A, "b": B, "c": C})
    first, second = (write(trials, tmp_path / f"{i}.html").read_bytes() for i in range(2))
    assert first == second


def test_the_command_writes_the_page_and_prints_its_path(tmp_path: Path, capsys, monkeypatch):
    from ogive.cli import main

    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("model,score\n" + "".join(f"a,{i}\nb,{i + 3}\n" for i in range(12)))
    assert main(["report", "scores.csv", "--quiet"]) == 0
    assert capsys.readouterr().out.strip() == "scores-report.html"
    assert main(["report", "scores.csv", "--out", "deep/er/r.html"]) == 0
    assert Path("deep/er/r.html").exists()
    assert "guessed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("holds", "words"),
    [
        ({}, "configuration and seed drawn anew for each run"),
        ({"config": ogive.study.every(5)}, "seed drawn anew for each run; configuration kept for 5 runs at a time"),
        (
            {"config": ogive.study.every(5), "seed": ogive.study.cycle(4)},
            "configuration kept for 5 runs at a time; 4 seeds used in turn",
        ),
        (
            {"config": {"C": 1}},
            "the rest of the configuration and seed drawn anew for each run; held for every run: C = 1",
        ),
        ({"seed": 7}, "configuration drawn anew for each run"),
    ],
)
def test_what_a_study_held_is_not_called_drawn_anew(holds, words):
    method = ogive.Algorithm("a", lambda config, rng: float(rng.random()), {"C": [1, 2], "k": [1, 2, 3]})
    study = ogive.Study("s", method, ogive.tasks.none()).hold(**holds)
    assert varied_words(ogive.run(study, 8, workers=0, progress=False)) == words
