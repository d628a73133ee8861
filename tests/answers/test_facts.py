"""Sentences about what is seen, and the real tables they were made for."""

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.answers._facts import _chance, facts, seen


def test_a_median_above_anothers_best_is_said():
    trials = ogive.read({"good": np.linspace(0.8, 0.9, 11), "bad": np.linspace(0.1, 0.7, 11)})
    assert ogive.summarize(trials).sentences[0] == (
        "The median run of good (0.850) beats the best of all 11 runs of bad (0.700)."
    )


def test_for_losses_the_smaller_median_beats_the_smallest():
    trials = ogive.read({"good": np.linspace(0.1, 0.2, 11), "bad": np.linspace(0.3, 0.7, 11)}, goal="minimize")
    (fact,) = seen(trials, "score", 0.95)
    assert (fact.a, fact.b, fact.n) == ("good", "bad", 11)
    assert (fact.median, fact.best) == pytest.approx((0.15, 0.3))


def test_sentences_about_several_metrics_name_the_metric():
    runs = np.linspace(0.0, 1.0, 11)
    table = pd.DataFrame(
        {"method": np.repeat(["a", "b"], 11), "acc": [*(runs + 2), *runs], "loss": [*(runs + 2), *runs]}
    )
    trials = ogive.read(
        table, score=["acc", "loss"], goal={"acc": "maximize", "loss": "minimize"}, bounds={"acc": (0, 3)}
    )
    assert ogive.summarize(trials, statistics="median").sentences == (
        "By acc, the median run of a (2.50) beats the best of all 11 runs of b (1.00).",
        "By loss, the median run of b (0.500) beats the best of all 11 runs of a (2.00).",
    )
    (alone,) = ogive.summarize(trials, statistics="median", metric="loss").sentences
    assert alone.startswith("The median run of b")


def test_a_fact_must_be_rarer_by_chance_the_more_metrics_are_looked_at():
    runs = np.linspace(0.0, 1.0, 11)
    table = {"method": np.repeat(["a", "b"], 11), "m0": [*(runs + 2), *runs]}
    table |= {f"m{i}": np.tile(runs, 2) for i in range(1, 5)}
    # 11 runs against 11 win by chance once in 160; two pairs are allowed 1 in 40, five times two 1 in 200.
    several = ogive.read(pd.DataFrame(table), score=[f"m{i}" for i in range(5)])
    assert facts(several, "m0", 0.95) == ()
    assert len(facts(ogive.read(pd.DataFrame(table), score="m0"), "m0", 0.95)) == 1


def test_runs_that_collapse_are_said_with_their_share():
    trials = ogive.read({"a": [0.1] * 5 + list(np.linspace(0.8, 0.9, 15))})
    (sentence,) = ogive.summarize(trials).sentences
    assert sentence.startswith(
        "25 % [5 %, 59 %] of the runs of a collapse: they score below 0.500, half-way between worst and best."
    )
    (described,) = ogive.summarize(ogive.read({"a": trials.scores()}, independent=False)).sentences
    assert described.startswith("25 % of the runs of a collapse")


def test_few_runs_say_nothing():
    assert ogive.summarize(ogive.read({"good": [0.8, 0.9], "bad": [0.1, 0.2]})).sentences == ()


def test_over_many_tasks_the_sentence_names_or_counts_tasks():
    runs = np.linspace(0.0, 1.0, 11)
    trials = ogive.read({"good": {"x": runs + 5, "y": runs + 5}, "bad": {"x": runs, "y": runs + 5}})
    assert ogive.summarize(trials).sentences == ("On x the median run of good beats every run of bad.",)


def test_deberta_v3s_median_beats_the_best_run_of_base_and_both_collapse(real_data):
    trials = ogive.read(real_data / "opda_deberta_random_search.csv", score="acc_matched")
    assert {c.rows.size for c in trials.cells} == {1024}
    summary = ogive.summarize(trials, statistics=["median"])
    medians = {r.algorithm: r for r in summary.rows}
    v3, base = (next(n for n in trials.algorithms if word in n) for word in ("v3", "base"))
    if "v3" in base:
        base = next(n for n in trials.algorithms if n != v3)
    best = trials.scores(base).max()
    assert medians[v3].estimate == pytest.approx(0.894, abs=5e-4)
    assert best == pytest.approx(0.890, abs=5e-4)
    assert medians[v3].low > best
    text = " ".join(summary.sentences)
    assert all(part in text for part in (f"{v3} (0.894)", f"{base} (0.890)"))
    assert "23 % [" in text
    assert "26 % [" in text
    assert "collapse" in text


def test_many_tasks_are_inspected_and_summarized():
    """As published tables of games are: runs in plenty of some methods, a handful of others."""
    runs = np.linspace(0.0, 1.0, 40)
    sizes = {f"m{i}": 40 if i < 5 else 5 for i in range(8)}
    trials = ogive.read({m: {f"t{j}": runs[:n] + 2 * (m == "m0") for j in range(26)} for m, n in sizes.items()})
    found = ogive.inspect(trials)
    assert (found.n_rows, len(found.algorithms), len(found.tasks)) == (26 * sum(sizes.values()), 8, 26)
    assert any(line.startswith("40 runs on each task of m0") for line in found.structure)
    summary = ogive.summarize(trials, statistics=["median", "mean"])
    assert len(summary.rows) == 8 * 26 * 2
    assert len(summary.as_tables()) == 26
    assert summary.sentences
    assert all("26 tasks" in sentence for sentence in summary.sentences)


@pytest.mark.parametrize("draw", ["normal", "uniform", "beta", "exponential"])
def test_runs_of_one_mode_are_never_called_a_collapse(draw):
    rng = np.random.default_rng(0)
    draws = {
        "normal": lambda: rng.normal(0.9, 0.01, 100), "uniform": lambda: rng.random(100),
        "beta": lambda: rng.beta(8, 2, 100), "exponential": lambda: -rng.exponential(size=100),
    }  # fmt: skip
    for _ in range(200):
        assert ogive.summarize(ogive.read({"a": draws[draw]()}), statistics=["median"]).sentences == ()


def test_facts_count_failures_as_the_table_does():
    trials = ogive.read({"a": [*np.linspace(0.8, 0.9, 11), *[np.nan] * 30], "b": np.linspace(0.1, 0.5, 41)})
    assert ogive.summarize(trials, failures="worst").sentences == ()
    assert len(ogive.summarize(trials, failures="exclude").sentences) == 1
    assert ogive.plots.distribution(trials).headline == ()


def test_facts_count_clusters_as_the_table_does():
    import pandas as pd

    rows = [{"method": "a", "config": 0, "score": 0.9}] * 90
    rows += [{"method": "a", "config": i, "score": 0.1 + 0.01 * i} for i in range(1, 11)]
    rows += [{"method": "b", "config": i, "score": 0.2 + 0.01 * i} for i in range(20)]
    assert ogive.summarize(ogive.read(pd.DataFrame(rows)), statistics=["median"]).sentences == ()


def test_a_share_in_a_sentence_has_no_bracket_where_rows_are_not_independent():
    import pandas as pd

    scores = [0.1] * 8 + list(np.linspace(0.8, 0.9, 24))
    trials = ogive.read(pd.DataFrame({"seed": [i // 2 for i in range(32)], "score": scores}))
    assert trials.question is not None
    assert ogive.plots.distribution(trials).headline[0].startswith("25 % of the runs")


def test_right_and_wrong_answers_are_no_collapse():
    assert ogive.summarize(ogive.read({"a": [0.0] * 40 + [1.0] * 60}), statistics=["mean"]).sentences == ()


@pytest.mark.parametrize(("n", "m"), [(10, 10), (11, 6), (6, 11)])
def test_the_chance_that_a_median_beats_anothers_best_is_that_of_shuffled_ranks(n, m):
    order = np.random.default_rng(0).random((200_000, n + m))
    median = np.partition(order[:, :n], (n + 1) // 2 - 1, axis=1)[:, (n + 1) // 2 - 1]
    seen = np.mean(median > order[:, n:].max(axis=1))
    assert _chance(n, m) == pytest.approx(seen, abs=5 * np.sqrt(seen / 200_000))


def test_tables_without_a_difference_have_no_headline():
    rng = np.random.default_rng(0)
    tables = [{f"m{i}": {f"t{j}": rng.beta(8, 2, 10) for j in range(20)} for i in range(5)} for _ in range(40)]
    said = sum(bool(facts(ogive.read(table), "score", 0.95)) for table in tables)
    assert said <= 6  # at 5 % of tables, seven or more in 40 happen once in two hundred


def test_a_better_median_does_not_hide_the_runs_below_every_other():
    bad_days = [0.5, 0.52, *np.linspace(0.9, 0.95, 14)]
    (sentence, *_) = ogive.summarize(ogive.read({"a": bad_days, "b": np.linspace(0.8, 0.85, 16)})).sentences
    assert sentence.endswith("(0.850), while 12 % of its runs are worse than every run of b.")


def test_facts_of_many_methods_are_not_asked_pair_by_pair(monkeypatch):
    """500 methods with ten runs on 200 tasks are 50 million pairs."""
    from ogive.answers import _facts

    calls = []
    chance = _facts._chance
    monkeypatch.setattr(_facts, "_chance", lambda n, m: calls.append((n, m)) or chance(n, m))
    rng = np.random.default_rng(0)
    trials = ogive.read(
        {f"m{i}": {f"t{j}": (rng.random(40) + 9 * (i > 15)).tolist() for j in range(3)} for i in range(20)}, unit="row"
    )
    assert len(seen(trials, "score", 0.95)) == 4
    assert len(calls) <= 3 * (1 + 4)
