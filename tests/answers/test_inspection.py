"""inspect: what a table holds and which answers it can give."""

import json

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError


def answers(trials: ogive.Trials) -> dict[str, tuple[bool, str]]:
    return {a.answer: (a.possible, a.reason) for a in ogive.inspect(trials).answers}


def test_one_task_with_few_runs_has_no_guaranteed_tail():
    found = answers(ogive.read({"a": np.arange(10.0), "b": np.arange(10.0)}))
    assert found["summary"] == (True, "10 rows in each cell")
    assert found["guaranteed 95 % interval of the median"] == (
        True,
        "needs 6 independent runs; the smallest cell has 10",
    )
    assert found["guaranteed 95 % interval of the 5 % and 95 % quantiles"] == (
        False, "needs 72 independent runs; the smallest cell has 10",
    )  # fmt: skip
    assert found["guaranteed mean and worst share"] == (False, "needs bounds= of the score")


def test_bounds_make_the_mean_possible():
    found = answers(ogive.read({"a": [0.1, 0.2]}, bounds=(0, 1)))
    assert found["guaranteed mean and worst share"] == (True, "bounds (0.0, 1.0)")


def test_unequal_runs_and_empty_cells_are_seen():
    trials = ogive.read({"a": {"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0]}, "b": {"x": [4.0]}})
    structure = ogive.inspect(trials).structure
    assert any("'b' on 'y'" in line for line in structure)
    assert answers(trials)["summary"] == (True, "1 to 3 rows in each cell")


def test_clusters_are_counted_and_make_intervals_approximate():
    trials = ogive.read(
        pd.DataFrame({"score": np.arange(8.0), "lr": np.repeat([1, 2, 3, 4], 2)}), params=["lr"], unit="configuration",
        bounds=(0, 10),
    )  # fmt: skip
    structure = ogive.inspect(trials).structure
    assert any(line.startswith("4 configurations") for line in structure)
    for answer in ("guaranteed 95 % interval of the median", "guaranteed mean and worst share"):
        assert answers(trials)[answer] == (False, "rows share 'configuration': the interval is approximate")
    assert answers(trials)["summary"] == (True, "4 units (configuration) in each cell")


def test_an_open_question_makes_judging_impossible_and_says_why():
    trials = ogive.read(pd.DataFrame({"score": np.arange(4.0), "seed": [0, 0, 1, 1]}))
    found = answers(trials)
    assert found["summary"] == (False, trials.question)
    assert found["bands"] == found["verdicts"] == (False, trials.question)


def test_a_guarantee_that_waits_for_an_answer_gives_the_question_and_no_count_that_would_do():
    trials = ogive.read(pd.DataFrame({"score": np.arange(80.0), "seed": np.repeat(np.arange(40), 2)}))
    found = answers(trials)
    for what in ("guaranteed 95 % interval of the median", "guaranteed 95 % interval of the 5 % and 95 % quantiles"):
        assert found[what] == (False, trials.question)


def test_an_adaptive_table_is_summarized_and_not_judged():
    found = answers(ogive.read({"a": [1.0, 2.0]}, independent=False, bounds=(0, 5)))
    assert found["summary"][0]
    for answer in ("bands", "verdicts", "guaranteed mean and worst share", "guaranteed 95 % interval of the median"):
        assert not found[answer][0]
    assert "adaptive" in found["verdicts"][1]


def test_failures_and_pairs_are_seen():
    table = pd.DataFrame({"model": list("aabb"), "seed": [0, 1, 0, 1], "loss": [1.0, np.nan, 2.0, 3.0]})
    found = ogive.inspect(ogive.read(table, bounds=(0, None), pair="seed"))
    assert any("'loss'" in line and "1 failed" in line for line in found.structure)
    assert any("joined by 'seed'" in line for line in found.structure)
    assert "failures=" in found.answers[0].reason


def test_roles_are_the_notes_of_reading_and_the_text_shows_them():
    trials = ogive.read(pd.DataFrame({"model": ["a", "b"], "acc": [0.1, 0.2]}))
    found = ogive.inspect(trials)
    assert found.roles == trials.notes
    text = str(found)
    assert text.startswith("data frame: 2 rows")
    assert "  score: column 'acc' (guessed)" in text
    assert "What it can answer" in text


def test_a_table_over_steps_is_counted_in_rows_and_in_runs():
    rows = [{"agent": a, "seed": s, "step": k, "return": k + s / 3} for a in "ab" for s in range(3) for k in range(5)]
    trials = ogive.read(pd.DataFrame(rows))
    assert str(ogive.inspect(trials)).startswith("data frame: 30 rows, 6 runs\n")
    assert "30 rows, 6 runs, 2 methods" in repr(ogive.inspect(trials))
    assert str(ogive.inspect(trials.select(algorithms=["a"]))).startswith("data frame: 3 runs\n")


def test_to_dict_is_json_with_the_promised_keys():
    data = json.loads(json.dumps(ogive.inspect(ogive.read({"a": [1.0, 2.0]})).to_dict(), allow_nan=False))
    assert data["schema"] == 1
    assert {"source", "unit", "notes", "rows"} <= set(data)


def test_scores_that_never_differ_cannot_be_summarized():
    assert answers(ogive.read({"a": [1.0, 1.0]}))["summary"] == (False, "the scores do not differ")


def test_one_metric_that_differs_can_be_summarized_beside_one_that_does_not():
    trials = ogive.read(pd.DataFrame({"acc": [1.0, 1.0, 1.0], "loss": [0.1, 0.2, np.nan]}), score=["acc", "loss"])
    assert answers(trials)["summary"] == (
        True, "3 rows in each cell; 1 failed, so say failures=; without 'acc', whose scores do not differ",
    )  # fmt: skip
    assert {r.metric for r in ogive.summarize(trials, failures="exclude").rows} == {"loss"}


@pytest.mark.parametrize("column", ["fold", "seed", None])
@pytest.mark.parametrize("methods", ["a", "abc"])
@pytest.mark.parametrize("n_tasks", [1, 12])
def test_verdicts_are_promised_where_a_ranking_can_give_one(column, methods, n_tasks):
    """With scores far apart, a table that is said to allow verdicts gets one, and no other does."""
    runs, rng = range(10 if column else 1), np.random.default_rng(1)
    rows = [(m, f"t{t}", r, ord(m) + 0.01 * rng.normal()) for m in methods for t in range(n_tasks) for r in runs]
    if len(rows) < 2:
        return  # which is no table
    frame = pd.DataFrame(rows, columns=["model", "dataset", column or "run", "score"])
    trials = ogive.read(frame if column else frame.drop(columns="run"), **({} if column == "fold" else {"unit": "row"}))
    (promised,) = [a.possible for a in ogive.inspect(trials).answers if a.answer == "verdicts"]
    try:
        decided = ogive.rank(trials).resolution > 0
    except InputError:
        decided = False
    assert promised == decided


def test_a_question_that_stands_in_the_way_of_many_answers_is_asked_once():
    rows = [{"model": m, "n_train": n, "seed": s, "acc": n + s} for m in "ab" for s in range(20) for n in (20, 50, 100)]
    found = ogive.inspect(ogive.read(pd.DataFrame(rows), score="acc"))
    assert str(found).count("'n_train' splits the runs") == 1
    assert str(found).count("as for summary") > 2


def test_methods_with_one_run_on_each_task_are_compared_task_by_task():
    found = ogive.inspect(
        ogive.read({m: {t: [0.1 * i + 0.01 * len(m)] for i, t in enumerate("abcdef")} for m in ("x", "yy")})
    )
    text = str(found)
    assert "compared task by task" in text
    assert "not paired" not in text
    assert {a.answer: a.possible for a in found.answers}["paired comparison"]
