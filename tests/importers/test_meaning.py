"""What enters is never mistaken: status, splits, steps, folds, methods and numbers that people write."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import AmbiguousColumns, FailedTrials, InputError, InvalidScores, NoTime
from ogive.notes import NoteKind

SETTINGS = ("default", "fast", "strict", "no presolve")


def kinds(trials: ogive.Trials) -> set[NoteKind]:
    return {note.kind for note in trials.notes}


def solvers(n_problems: int = 8) -> pd.DataFrame:
    """Three solvers under four settings; the one that is fast finds nothing on odd problems."""
    rng = np.random.default_rng(0)
    rows = [
        {"solver": s, "problem": f"p{p}", "settings": how, "time": (0.1 if s == "hasty" else 2.0) + rng.uniform(), "found": s != "hasty" or p % 2 == 0}
        for s in ("hasty", "slow", "steady") for p in range(n_problems) for how in SETTINGS
    ]  # fmt: skip
    return pd.DataFrame(rows)


def folds(repeats: int = 1, k: int = 5, tasks: tuple[str, ...] = ("iris",), **columns) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    rows = [
        {"model": m, "dataset": d, "repeat": r, "fold": f, "accuracy": 0.8 + 0.05 * (m == "b") + rng.normal(0, 0.01)}
        for m in "ab" for d in tasks for r in range(repeats) for f in range(k)
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**columns)


# Status


def test_a_run_that_did_not_find_a_solution_failed_whatever_its_time():
    table = solvers()[lambda t: t.settings == "default"]
    trials = ogive.read(table)
    assert trials.metrics == ("time",)
    note = next(note for note in trials.notes if note.kind is NoteKind.OUTCOME)
    assert (note.values["column"], note.values["n_failed"]) == ("found", 4)
    profile = ogive.profiles.performance_profile(table)
    solved = dict(zip(profile.methods, profile.solved, strict=True))
    assert solved == {"hasty": 0.5, "slow": 1.0, "steady": 1.0}
    with pytest.raises(FailedTrials, match=r"'found'.*status='none'"):
        ogive.summarize(trials)
    assert not ogive.read(table, status="none", score="time").failed().any()


@pytest.mark.parametrize("name", ["found", "solved", "success", "converged", "finished", "is_solved", "Completed"])
@pytest.mark.parametrize("words", [(True, False), ("yes", "no"), (1, 0), ("TRUE", "FALSE")])
def test_a_column_of_yes_and_no_beside_a_time_is_the_status(name, words):
    table = pd.DataFrame({"solver": list("ab") * 3, "problem": list("ppqqrr"), "seconds": [1.0, 2, 3, 4, 5, 6]})
    trials = ogive.read(table.assign(**{name: [words[0]] * 5 + [words[1]]}))
    assert trials.metrics == ("seconds",)
    assert trials.failed().tolist() == [False] * 5 + [True]


@pytest.mark.parametrize(("name", "status"), [("failed", "error"), ("timed_out", "timeout"), ("crashed", "crashed")])
def test_a_column_that_says_that_a_run_failed_is_the_status_turned_round(name, status):
    table = pd.DataFrame({"solver": ["a", "a", "b", "b"], "seconds": [1.0, 2, 3, 4], name: [False, False, False, True]})
    assert ogive.read(table).to_pandas().status.tolist() == ["ok"] * 3 + [status]


JUDGMENTS = [
    ("pass", "fail", "error"), ("success", "failure", "error"), ("ok", "oom", "memory"), ("solved", "unsolved", "error"),
    ("finished", "aborted", "error"), ("on", "off", "error"), ("✓", "✗", "error"), ("yes", "timeout", "timeout"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["found", "Solved", "is_solved", "converged"])
@pytest.mark.parametrize(("good", "bad", "status"), JUDGMENTS)
def test_words_judge_runs_in_a_column_that_is_called_so(name, good, bad, status):
    table = pd.DataFrame({"solver": list("aabb"), "seconds": [1.0, 2, 3, 4], name: [good, good, good, bad]})
    for said in ({}, {"status": name}):
        assert ogive.read(table, **said).to_pandas().status.tolist() == ["ok"] * 3 + [status]


@pytest.mark.parametrize(
    ("name", "status"), [("unsolved", "error"), ("not_found", "error"), ("invalid", "invalid"), ("infeasible", "error")]
)
@pytest.mark.parametrize(("yes", "no"), [("yes", "no"), (True, False), (1, 0), ("on", "off")])
def test_what_is_called_unsolved_fails_where_it_says_yes(name, status, yes, no):
    table = pd.DataFrame({"solver": list("aabb"), "seconds": [1.0, 2, 3, 4], name: [no, no, no, yes]})
    assert ogive.read(table).to_pandas().status.tolist() == ["ok"] * 3 + [status]


@pytest.mark.parametrize(
    ("name", "words"), [("found", ("oui", "non")), ("failed", ("✓", "")), ("solved", ("yes", "perhaps"))]
)
def test_a_word_that_nobody_knows_in_a_column_that_judges_runs_is_asked_about(name, words):
    table = pd.DataFrame({"solver": list("aabb"), "seconds": [1.0, 2, 3, 4], name: [words[0]] * 3 + [words[1]]})
    with pytest.raises(InputError, match=rf"column '{name}' says which runs count, and holds .*status='none'"):
        ogive.read(table)
    assert not ogive.read(table, status="none").failed().any()


@pytest.mark.parametrize("held", [["0.81", "0.9", "0,7", "1"], [3600, 3600, 60, 60]])
def test_numbers_judge_nothing_whatever_their_column_is_called(held):
    table = pd.DataFrame({"solver": list("aabb"), "seconds": [1.0, 2, 3, 4], "timeout": held})
    assert not ogive.read(table, score="seconds").failed().any()


@pytest.mark.parametrize("empty", ["", "NA", "null", None])
@pytest.mark.parametrize(("good", "bad"), [("yes", "no"), ("pass", "fail")])
def test_a_run_that_nobody_judged_has_not_succeeded(tmp_path: Path, empty, good, bad):
    held = [good, bad, empty, good]
    path = tmp_path / "runs.jsonl"
    rows = [{"solver": s, "seconds": t, "found": f} for s, t, f in zip("aabb", [1.5, 2, 3, 4], held, strict=True)]
    lines = [json.dumps({k: v for k, v in row.items() if v is not None}) for row in rows]  # None: the key is missing
    path.write_text("\n".join(lines) + "\n")
    for source in (pd.DataFrame(rows), path):
        trials = ogive.read(source)
        assert trials.to_pandas().status.tolist() == ["ok", "error", "error", "ok"]
        note = next(str(n) for n in trials.notes if n.kind is NoteKind.OUTCOME)
        assert "2 of 4 rows count as failed, 1 of them because it is empty" in note


def test_empty_is_no_mark_where_only_failed_runs_are_marked():
    table = pd.DataFrame({"solver": list("aabb"), "seconds": [1.0, 2, 3, 4], "failed": ["", "yes", None, ""]})
    trials = ogive.read(table)
    assert trials.failed().tolist() == [False, True, False, False]
    assert any("1 of 4 rows counts as failed; the 3 where it is empty do not" in str(n) for n in trials.notes)
    with pytest.raises(InputError, match="'found'"):
        ogive.read(table.assign(failed="no", found=None))
    assert not ogive.read(table.assign(failed=None, found=None), status="none").failed().any()


def test_a_number_among_words_of_a_status_is_asked_about():
    table = pd.DataFrame({"solver": list("aabb"), "score": [1.0, 2, 3, 4], "status": ["ok", "1", "ok", "ok"]})
    for said in ({}, {"status": "status"}):
        with pytest.raises(InputError, match=r"'status'.*'1'"):
            ogive.read(table, **said)


def test_success_alone_is_a_score_and_beside_a_return_it_is_asked_about():
    table = pd.DataFrame({"agent": ["a", "a", "b", "b"], "seed": [0, 1, 0, 1], "success": [1, 0, 1, 1]})
    assert ogive.read(table).metrics == ("success",)
    beside = table.assign(**{"return": [5.0, 1, 7, 8]})
    with pytest.raises(AmbiguousColumns, match=r"'success'.*score='return'.*score='success'"):
        ogive.read(beside)
    assert ogive.read(beside, score="return").failed().sum() == 1
    assert not ogive.read(beside, score="return", status="none").failed().any()
    assert ogive.read(beside, score="success").metrics == ("success",)


def test_a_run_counts_where_every_judgment_is_good():
    table = pd.DataFrame({"solver": list("aabb"), "time": [1.0, 2, 3, 4], "status": ["ok", "timeout", "ok", "ok"]})
    trials = ogive.read(table.assign(found=[True, True, False, True]))
    assert trials.to_pandas().status.tolist() == ["ok", "timeout", "error", "ok"]
    assert not ogive.read(table.assign(found=[True, True, False, True]), status="status").failed()[2]


def test_a_time_at_the_limit_is_a_timeout():
    table = pd.DataFrame({"solver": list("aabb"), "problem": list("pqpq"), "value": [1.0, 100, 3, 120]})
    trials = ogive.read(table, time_limit=100, goal="minimize")
    assert trials.to_pandas().status.tolist() == ["ok", "timeout", "ok", "timeout"]
    for said in ({}, {"goal": "maximize"}):
        with pytest.raises(NoTime, match=r"'value'.*goal='minimize'"):
            ogive.read(table, time_limit=100, **said)
    with pytest.raises(InputError, match=r"`time_limit`.*-1"):
        ogive.read(table, time_limit=-1)
    again = ogive.read(ogive.read(table, goal="minimize"), time_limit=100, without="a")
    assert (again.algorithms, again.to_pandas().status.tolist()) == (("b",), ["ok", "timeout"])


@pytest.mark.parametrize("score", ["accuracy", "score", "loss"])
@pytest.mark.parametrize("time", ["time", "wall_time", "train_seconds", "cost"])
def test_a_time_limit_judges_the_times_and_leaves_the_score_as_it_is(score, time):
    table = pd.DataFrame(
        {"model": list("aabb"), "seed": [0, 1, 0, 1], score: [90.0, 80, 20, 10], time: [1.0, 60, 3, None]}
    )
    trials = ogive.read(table, score=score, time_limit=60)
    assert trials.goals == ogive.read(table, score=score).goals
    assert trials.to_pandas().status.tolist() == ["ok", "timeout", "ok", "ok"]
    note = next(n for n in trials.notes if n.kind is NoteKind.AT_TIME_LIMIT)
    assert str(note) == f"1 value of {time!r} reaches the time limit of 60; 1 run without a time is not judged by it"
    assert note.is_doubtful
    assert not any(n.kind is NoteKind.NOT_USED for n in trials.notes)
    said = ogive.read(table, score=score, time_limit=60, goal="minimize")
    assert said.failed().tolist() == [False, True, False, False]


def test_values_at_the_limit_are_counted_with_those_of_runs_that_failed_anyway():
    table = pd.DataFrame({"solver": list("aabb"), "time": [1.0, 60, 70, 3], "status": ["ok", "ok", "error", "ok"]})
    trials = ogive.read(table, time_limit=60)
    assert trials.to_pandas().status.tolist() == ["ok", "timeout", "error", "ok"]
    said = "2 values of 'time' reach the time limit of 60; 1 of their runs had failed already"
    assert said in map(str, trials.notes)


def test_a_time_limit_without_a_time_or_with_two_is_asked_about():
    table = pd.DataFrame({"model": list("aabb"), "seed": [0, 1, 0, 1], "accuracy": [90.0, 80, 20, 10]})
    with pytest.raises(NoTime, match="'accuracy'"):
        ogive.read(table, time_limit=60)
    two = table.assign(train_time=[1.0, 2, 3, 4], test_time=[1.0, 2, 3, 4])
    with pytest.raises(AmbiguousColumns, match="'train_time', 'test_time'"):
        ogive.read(two, score="accuracy", time_limit=60)
    for name in ("time_step", "time_limit", "start_time", "time_saved", "timestamp"):
        with pytest.raises(NoTime):
            ogive.read(table.assign(**{name: [1.0, 2, 3, 4]}), score="accuracy", time_limit=60)
    both = table.assign(cpu_time=[99.0] * 4, wall_time=[1.0, 2, 3, 60])
    assert ogive.read(both, score="accuracy", time_limit=60).failed().tolist() == [False] * 3 + [True]


def test_a_table_of_ogives_own_is_judged_by_its_wall_times(tmp_path: Path):
    table = pd.DataFrame({"model": list("aabb"), "seed": [0, 1, 0, 1], "accuracy": [0.9, 0.8, 0.2, 0.1]})
    ogive.read(table.assign(wall_s=[1.0, 2, 60, 3], cpu_s=99.0), score="accuracy").write(tmp_path / "own.parquet")
    trials = ogive.read(tmp_path / "own.parquet", time_limit=60)
    assert trials.goals == {"accuracy": "maximize"}
    assert trials.failed().tolist() == [False, False, True, False]


@pytest.mark.parametrize("score", ["accuracy", "score"])
def test_a_profile_with_a_time_limit_judges_the_times_beside_the_score(score):
    rows = [
        (m, p, s, a, 70.0 if m == "b" and s else 5.0)
        for m, a in (("a", 0.9), ("b", 0.5))
        for p in "pqr"
        for s in (0, 1)
    ]
    table = pd.DataFrame(rows, columns=["model", "task", "seed", score, "time"])
    for source in (
        ogive.profiles.profile_table(table, score=score, time_limit=60),
        ogive.read(table, score=score, time_limit=60),
        ogive.read(table.rename(columns={"time": "wall_time"}), score=score),
    ):
        found = ogive.profiles.performance_profile(source, goal="maximize", time_limit=60, failures="exclude")
        assert found.wins.tolist() == [1.0, 0.0]
        worst = ogive.profiles.performance_profile(source, goal="maximize", time_limit=60)
        assert worst.solved.tolist() == [1.0, 0.0]
    with pytest.raises(InputError, match="times and costs"):
        ogive.profiles.performance_profile(
            table.drop(columns="time").rename(columns={score: "accuracy"}), time_limit=60
        )


def test_the_time_limit_of_the_published_solvers_is_that_of_their_profile(real_data: Path):
    path = real_data / "solvers_mittelmann_lpopt.csv"
    trials = ogive.read(path, time_limit=15000)
    assert trials.failed().sum() == (pd.read_csv(path).time_s >= 15000).sum() > 0
    ours, theirs = (
        ogive.profiles.performance_profile(t, **o) for t, o in ((trials, {}), (path, {"time_limit": 15000}))
    )
    np.testing.assert_array_equal(ours.distances, theirs.distances)


# Which rows


@pytest.mark.parametrize("written", ["{}%", "{} %", "{},5%"])
@pytest.mark.parametrize(
    ("condition", "n"), [("pct<15", 10), ("pct<15%", 10), ("pct < 15 %", 10), ("pct>=14", 16), ("pct<=14.9", 10)]
)
def test_percents_are_chosen_as_they_are_written(written, condition, n):
    held = [written.format(10 + i) for i in range(12)] * 2
    table = pd.DataFrame({"model": ["a"] * 12 + ["b"] * 12, "seed": [*range(12)] * 2, "pct": held, "score": range(24)})
    assert len(ogive.read(table, score="score", where=condition)) == n


@pytest.mark.parametrize("condition", ["seed=٣", "seed<٣", "seed<1_0", "seed<3%"])
def test_a_condition_writes_numbers_as_tables_do(condition):
    table = pd.DataFrame({"model": list("aaaabbbb"), "seed": [0, 1, 2, 3] * 2, "score": range(8)})
    with pytest.raises(InputError, match=r"`where` seed.*'seed'"):
        ogive.read(table, where=condition)


@pytest.mark.parametrize(
    ("where", "n"),
    [
        ({"settings": "fast"}, 24), ("settings=fast", 24), (["settings=fast", "settings=strict"], 48), ("settings!=fast", 72),
        (["settings=no presolve", "time<1.5"], 8), ({"settings": ["fast", "strict"]}, 48), ({"found": False}, 16), ("found == no", 16),
    ],
)  # fmt: skip
def test_rows_are_chosen_by_conditions(where, n):
    assert len(ogive.read(solvers(), where=where, unit="row")) == n


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"mode": "fast"}, "`where`: there is no column 'mode'; the columns are 'solver'"),
        ("settings=quick", "`where` settings=quick: 'settings' holds 'default', 'fast', 'strict', 'no presolve'"),
        ("settings<3", "`where` settings<3 compares numbers, and 'settings' holds"),
        ("settings", "`where` must be conditions such as 'settings=default'"),
        (3, "`where` must be conditions such as .*; got int"),
        ("time>99", "`where` time>99 leaves no row of 96"),
    ],
)
def test_a_condition_that_cannot_hold_is_refused(where, said):
    with pytest.raises(InputError, match=said):
        ogive.read(solvers(), where=where)


def test_methods_are_left_out_and_several_columns_make_one_name():
    trials = ogive.read(solvers(), without="hasty", task=["problem", "settings"])
    assert trials.algorithms == ("slow", "steady")
    assert (len(trials.tasks), trials.tasks[0], trials.question) == (32, "p0 / default", None)
    both = ogive.read(solvers(), algorithm=["solver", "settings"])
    assert (len(both.algorithms), both.algorithms[0], both.question) == (12, "hasty / default", None)
    with pytest.raises(InputError, match=r"`without`.*'x'.*'hasty', 'slow'"):
        ogive.read(solvers(), without="x")
    with pytest.raises(InputError, match="`without`"):
        ogive.read(solvers(), without=["hasty", "slow", "steady"])


def test_names_of_parts_stay_text(tmp_path: Path):
    (tmp_path / "t.csv").write_text("model,data,size,acc\na,x,01,.5\na,x,1,.6\nb,x,01,.7\nb,x,1,.8\n")
    assert ogive.read(tmp_path / "t.csv", task=["data", "size"]).tasks == ("x / 01", "x / 1")


# Columns that split the runs


def follow(table: pd.DataFrame, advice: str) -> ogive.Trials:
    """The table, read as a piece of advice says it on the command line."""
    words = shlex.split(advice)
    said: dict[str, list[str]] = {}
    for option, value in zip(words[::2], words[1::2], strict=True):
        said.setdefault(option.removeprefix("--").replace("param", "params"), []).append(value)
    return ogive.read(
        table, **{name: v if name in ("algorithm", "task", "where") else v[0] for name, v in said.items()}
    )


def advised(question) -> list[str]:
    """Every piece of advice in a question: options with their values."""
    import re

    text = question.words("cli")
    value = r"(?!or |if |to )(?:'[^']*'|[^\s,;.]+)"
    return re.findall(rf"--[a-z-]+ {value}(?: --[a-z-]+ {value})*", text)


SPLIT = {
    "solvers": solvers().drop(columns="found"),
    "seeds": pd.DataFrame([
        {"model": m, "seed": s, "mode": mode, "acc": 0.1 * s + len(mode)} for m in "ab" for s in range(5) for mode in ("x", "yy")
    ]),
    "numbers": pd.DataFrame([
        {"model": m, "seed": s, "batch": b, "acc": 0.1 * s + b} for m in "ab" for s in range(8) for b in (32, 64)
    ]),
    "items": pd.DataFrame([
        {"model": m, "question": q, "style": s, "answer": "ABCD"[(q * 7 + i) % 4], "correct": (q + i) % 2}
        for i, m in enumerate("ab") for q in range(30) for s in ("plain", "cot")
    ]),
    "folds": folds(k=5).drop(columns="repeat").merge(pd.DataFrame({"version": ["v1", "v2"]}), how="cross"),
    "metrics": pd.DataFrame([
        {"model": m, "seed": s, "metric": k, "value": s + len(k)} for m in "ab" for s in range(5) for k in ("acc", "loss")
    ]),
}  # fmt: skip


@pytest.mark.parametrize("name", SPLIT)
def test_a_column_that_splits_the_runs_is_asked_about(name):
    trials = ogive.read(SPLIT[name], score={"numbers": "acc", "solvers": "time"}.get(name))
    assert trials.question is not None
    assert trials.question.kind is NoteKind.ASKS_SPLIT
    with pytest.raises(InputError, match="splits the runs"):
        ogive.rank(trials)


@pytest.mark.parametrize("lost", [0.1, 0.3])
def test_lost_rows_hide_no_split(lost):
    table = solvers().drop(columns="found").rename(columns={"settings": "flavor"})
    rng = np.random.default_rng(10)
    for _ in range(20):
        assert ogive.read(table[rng.uniform(size=len(table)) >= lost]).question is not None


@pytest.mark.parametrize("name", SPLIT)
def test_every_advice_of_that_question_ends_in_an_answer_or_another_question(name):
    table = SPLIT[name]
    question = ogive.read(table, score="acc" if name == "numbers" else None).question
    assert question is not None
    assert len(advised(question)) == 5
    for advice in advised(question):
        trials = follow(table, advice + (" --score acc" if name == "numbers" else ""))
        assert trials.question != question, advice
        assert name != "folds" or trials.n_folds == 5


@pytest.mark.parametrize(
    "column",
    [
        ["h1", "h2"] * 20, np.repeat(["2026-01-01", "2026-01-02"], 20), [f"note {i}" for i in range(40)], ["sgd"] * 40,
        np.random.default_rng(3).choice(["adam", "sgd"], 40), np.random.default_rng(4).choice([16, 32, 64], 40),
        np.random.default_rng(5).integers(0, 2, 40).astype(bool), [""] * 39 + ["again"],
    ],
    ids=["host", "date", "note", "constant", "drawn words", "drawn numbers", "drawn truths", "gaps"],
)  # fmt: skip
@pytest.mark.parametrize("seeds", [True, False])
def test_what_does_not_stand_as_in_a_plan_is_not_asked_about(column, seeds):
    table = pd.DataFrame({"model": ["a"] * 20 + ["b"] * 20, "acc": np.arange(40) / 40, "extra": column})
    table = table.rename(columns={"extra": "host" if not seeds else "extra"})
    table = table.assign(seed=[*range(20), *range(20)]) if seeds else table
    assert ogive.read(table, score="acc").question is None


def test_words_that_are_drawn_at_random_are_hardly_ever_asked_about():
    rng = np.random.default_rng(6)
    asked = 0
    for _ in range(200):
        table = pd.DataFrame(
            {"model": np.repeat(["a", "b", "c"], 4), "task": np.tile(list("xxyy"), 3), "acc": rng.normal(size=12)}
        )
        table = table.assign(tool=rng.choice(["p", "q"], 12), other=rng.choice(["p", "q", "r"], 12))
        asked += ogive.read(table).question is not None
    assert asked == 0


@pytest.mark.parametrize(
    "labels", [range(4), range(1, 5), ["run 1", "run 2", "run 3", "run 4"], ["s0", "s1", "s2", "s3"]]
)
def test_what_numbers_the_runs_does_not_split_them(labels):
    rows = [
        {"model": m, "problem": p, "nr": k, "acc": (ord(m) * p + i) % 7}
        for m in "ab"
        for p in range(9)
        for i, k in enumerate(labels)
    ]
    assert ogive.read(pd.DataFrame(rows), score="acc").question is None
    seeds = pd.concat([pd.DataFrame(rows).assign(seed=s) for s in range(3)])
    question = ogive.read(seeds, score="acc").question
    assert question is not None
    assert question.kind is NoteKind.ASKS_REPEAT


ASKED = {
    NoteKind.ASKS_CONFIGURATION: pd.DataFrame({"param_lr": np.repeat([1, 2, 3, 4], 3), "acc": np.arange(12.0)}),
    NoteKind.ASKS_REPEAT: pd.DataFrame({"seed": np.repeat([1, 2, 3, 4], 3), "acc": np.arange(12.0)}),
    NoteKind.ASKS_METHOD: pd.DataFrame({"recipe": np.repeat(["x", "y"], 6), "acc": np.arange(12.0)}),
    NoteKind.ASKS_GROUP: folds(repeats=3).rename(columns={"repeat": "config"}),
    NoteKind.ASKS_PLANNED: pd.DataFrame({"model": np.repeat(["a", "b"], 24), "rate": np.tile(np.repeat([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 4), 2), "score": np.arange(48.0)}),
}  # fmt: skip


@pytest.mark.parametrize("kind", ASKED, ids=lambda kind: kind.name)
def test_no_advice_leads_in_a_circle(kind):
    """Each piece of advice, followed until nothing is asked, never comes to a question that was answered."""
    table = ASKED[kind]
    first = ogive.read(table).question
    assert first is not None
    assert first.kind is kind
    for advice in advised(first):
        trials = follow(table, advice)
        assert trials.question is None or trials.question.kind is not kind, advice
        assert kind is not NoteKind.ASKS_GROUP or trials.n_folds == 5 or trials.clustered


@pytest.mark.parametrize("same", [True, False])
def test_pairs_are_offered_where_the_same_values_stand_under_every_method(same):
    """Patients differ far more than methods do: of 15 that both methods saw, only pairs show who is better."""
    rng = np.random.default_rng(0)
    rows = [
        {"method": m, "patient": f"p{p}" if same else f"{m}{p}", "dice": ease + gain + rng.normal(0, 0.02)}
        for p, ease in enumerate(rng.normal(0.7, 0.1, 15))
        for m, gain in (("a", 0.0), ("b", 0.04))
        for _ in range(6)
    ]
    table = pd.DataFrame(rows)
    question = ogive.read(table, varied="patient").question
    assert question is not None
    assert question.kind is NoteKind.ASKS_PLANNED
    assert ("item='patient'" in question.words()) is same
    if same:
        found = ogive.compare(ogive.read(table, item="patient"), "b", "a")
        assert (found.paired, found.conclusion) == (True, "better")


def test_published_tables_of_runs_raise_no_question(real_data: Path):
    for name, said in (
        ("rliable_atari100k_tidy.csv", {}),
        ("solvers_mittelmann_lpopt.csv", {}),
        ("opda_deberta_random_search.csv", {"score": "acc_matched"}),
    ):
        assert ogive.read(real_data / name, **said).question is None, name


# Steps


def test_the_steps_of_one_run_are_a_curve_even_where_they_could_number_runs():
    rng = np.random.default_rng(7)
    numbered = pd.DataFrame({"model": ["a"] * 30 + ["b"] * 30, "iteration": [*range(30)] * 2})
    with pytest.raises(InputError, match=r"'iteration'.*step='iteration'.*repeat='iteration'"):
        ogive.read(numbered.assign(acc=np.tile(np.log1p(np.arange(30)), 2) + rng.normal(0, 0.1, 60)))
    trials = ogive.read(numbered.assign(acc=rng.normal(size=60)))
    assert (trials.question, trials.to_pandas().trial.tolist()) == (None, [*range(30)] * 2)
    assert ogive.read(numbered.assign(acc=np.arange(60.0)), repeat="iteration").question is None


def test_independent_runs_that_are_numbered_are_hardly_ever_called_a_curve():
    rng = np.random.default_rng(8)
    for draw in (rng.standard_cauchy, lambda n: rng.integers(0, 2, n), lambda n: np.full(n, 0.5)):
        for _ in range(60):
            table = pd.DataFrame({"model": ["a"] * 40, "iteration": range(40), "acc": draw(40)})
            trials = ogive.read(table, score="acc")
            assert (len(trials), trials.question) == (40, None)


def test_episodes_of_a_seed_are_no_score_and_count_once_with_their_seed():
    rng = np.random.default_rng(12)
    rows = [
        {"agent": a, "seed": s, "episode": k, "return": rng.normal()} for a in "xy" for s in range(5) for k in range(10)
    ]
    question = ogive.read(pd.DataFrame(rows)).question
    assert question is not None
    assert question.kind is NoteKind.ASKS_REPEAT
    assert "say step='episode'" in str(question)
    assert ogive.summarize(ogive.read(pd.DataFrame(rows), unit="seed"), statistics=["mean"]).rows[0].n == 5


def test_a_number_of_steps_that_a_run_took_is_no_curve():
    table = pd.DataFrame({"agent": list("aabb"), "seed": [0, 1, 0, 1], "steps": [3, 4, 5, 6], "score": [1.0, 2, 3, 4]})
    assert ogive.read(table).question is None
    epochs = pd.DataFrame(
        {"model": ["m"] * 12, "question": list("abcdef") * 2, "epoch": [1] * 6 + [2] * 6, "score": range(12)}
    )
    assert ogive.read(epochs).unit == "question"


# Folds


def test_folds_with_a_seed_each_and_a_short_cell_are_folds():
    table = folds(tasks=("iris", "wine", "adult")).drop(columns="repeat")
    table = table.assign(seed=np.arange(len(table)) * 7).iloc[:-2]
    for said in ({}, {"repeat": "seed"}):
        trials = ogive.read(table, **said)
        assert (trials.n_folds, trials.pair, trials.unit) == (5, "fold", "fold")
        assert NoteKind.SEED_OF_FOLD in kinds(trials)
        one = ogive.compare(trials, "a", "b", task="iris")
        assert (one.paired, one.conclusion) == (True, "worse")


def test_ten_times_ten_folds_are_compared_without_options():
    table = folds(repeats=10, k=10)
    for more in ({}, {"seed": np.arange(200)}, {"seed": 42}, {"run": np.arange(200)}):
        trials = ogive.read(table.assign(**more).sample(frac=1.0, random_state=0))
        assert (trials.n_folds, trials.pair, trials.metrics) == (10, "fold", ("accuracy",))
        c = ogive.compare(trials, "a", "b")
        assert (c.paired, c.mean_difference.estimate) == (True, pytest.approx(-0.05, abs=0.01))


def test_repeats_that_no_column_numbers_are_refused_with_a_way_out_that_ends():
    table = folds(repeats=10, k=10)
    bare = table.drop(columns="repeat")
    assert ogive.summarize(ogive.read(bare), statistics=["mean"]).rows[0].n == 100
    for said in ({}, {"pair": "fold"}):
        with pytest.raises(InputError, match="column 'repeat'"):
            ogive.compare(ogive.read(bare, **said), "a", "b")
    assert ogive.compare(ogive.read(table), "a", "b").conclusion == "worse"
    with pytest.raises(InputError, match="paired=False"):
        ogive.compare(ogive.read(table), "a", "b", paired=False)


def test_a_seed_for_every_fold_of_repeats_that_nobody_numbers_does_not_make_two_folds():
    table = folds(repeats=10, k=10).drop(columns="repeat")
    apart = ogive.read(table.assign(seed=np.arange(200)))
    assert apart.n_folds == 10
    with pytest.raises(InputError, match="column 'repeat'"):
        ogive.compare(apart, "a", "b")
    same = ogive.read(table.assign(seed=np.tile(np.arange(100), 2)))  # the seed names the split, for both methods
    assert (same.n_folds, same.pair, ogive.compare(same, "a", "b").paired) == (10, "fold", True)


def test_methods_that_share_no_fold_are_told_so():
    table = folds(k=5).drop(columns="repeat")
    table["fold"] = table.model + table.fold.astype(str)
    with pytest.raises(InputError, match=r"'a' and 'b'.*folds"):
        ogive.compare(ogive.read(table), "a", "b")


def test_a_group_that_is_said_to_name_repeats_joins_the_methods():
    table = folds(repeats=3, k=5).rename(columns={"repeat": "config"})
    question = ogive.read(table).question
    assert question is not None
    assert question.kind is NoteKind.ASKS_GROUP
    trials = ogive.read(table, unit="fold")
    assert (trials.question, trials.n_folds, trials.pair) == (None, 5, "fold")
    assert ogive.compare(trials, "a", "b").paired


def test_no_advice_about_configurations_over_folds_counts_folds_as_runs():
    table = pd.DataFrame(
        {"model": ["m"] * 20, "fold": [*range(5)] * 4, "param_c": np.repeat([1, 2, 3, 4], 5), "acc": range(20)}
    )
    question = ogive.read(table).question
    assert question is not None
    assert "unit='row'" not in str(question)
    assert ogive.read(table, unit="configuration").question is None


# Methods and tasks


@pytest.mark.parametrize(
    "name", ["framework", "library", "system", "approach", "estimator", "policy", "team", "submission", "model_name"]
)
def test_methods_have_more_names(name):
    assert ogive.read(pd.DataFrame({name: ["x", "y"] * 3, "acc": range(6)})).algorithms == ("x", "y")
    beside = pd.DataFrame({"method": ["u", "v"] * 3, name: ["x"] * 6, "acc": range(6)})
    if name not in ("system", "estimator", "model_name"):
        assert ogive.read(beside).algorithms == ("u", "v")


def test_where_there_is_one_method_the_columns_that_could_name_more_are_named():
    table = pd.DataFrame({"library": ["sklearn"] * 8, "recipe": ["x", "y"] * 4, "seed": [*range(8)], "acc": range(8)})
    trials = ogive.read(table)
    assert NoteKind.ONE_METHOD in kinds(trials)
    with pytest.raises(InputError, match=r"'sklearn'.*algorithm='recipe'"):
        ogive.rank(trials)
    assert ogive.read(table, algorithm="recipe").algorithms == ("x", "y")


def test_an_empty_cell_is_named_with_its_task_and_the_common_tasks_are_offered():
    rng = np.random.default_rng(9)
    rows = [{"model": m, "task": t, "seed": s, "acc": rng.uniform()} for m in "abc" for t in "xyz" for s in range(5)]
    trials = ogive.read(pd.DataFrame(rows)[lambda r: ~((r.model == "c") & (r.task == "y"))])
    with pytest.raises(InputError) as caught:
        ogive.rank(trials)
    assert caught.value.args[0].words("cli") == (
        "'c' has no run on 'y'; keep the tasks that every method has with --on x --on z, or leave the method out with --without c."
    )
    assert len(ogive.rank(trials.select(tasks=["x", "z"])).rows) == 3
    assert len(ogive.rank(ogive.read(trials, without="c")).rows) == 2
    assert "1 cell of the grid methods x tasks is empty, the first of 'c' on 'y'" in ogive.inspect(trials).structure


# Numbers as people write them


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["0,81", "0,9", "1"], [0.81, 0.9, 1.0]),
        (["0,812", "1,234", "1,5"], [0.812, 1.234, 1.5]),
        (["81 %", "84%", "79,5 %"], [0.81, 0.84, 0.795]),
        (["81.5%", "84%", "79 %"], [0.815, 0.84, 0.79]),
        (["1,234.5", "12,000", "3"], [1234.5, 12000, 3]),
        (["1.234,5", "0,5", "3"], [1234.5, 0.5, 3]),
        (["1 234,5", "0,5", "3"], [1234.5, 0.5, 3]),
        (["1'234.5", "1'000", "3"], [1234.5, 1000, 3]),
        (["\u22120.5", "0.5", "1e-3"], [-0.5, 0.5, 0.001]),
        (["\u22120,5", "NA", "1,25"], [-0.5, np.nan, 1.25]),
        (["1,234,567", "1,000", "2"], [1234567, 1000, 2]),
    ],
)
def test_numbers_are_read_as_the_whole_column_writes_them(texts, numbers, tmp_path: Path):
    table = pd.DataFrame({"model": list("abc"), "acc": texts})
    table.to_csv(tmp_path / "t.csv", sep=";", index=False)
    for source in (table, table.astype({"acc": "category"}), tmp_path / "t.csv"):
        trials = ogive.read(source)
        np.testing.assert_allclose(trials.values("acc"), numbers)
        assert NoteKind.NUMBERS_WRITTEN in kinds(trials)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["0,81", "0.84", "0,79"], "row 1 holds '0,81' and row 2 '0.84'"),
        (["81 %", "84 %", "0.79"], "row 1 holds '81 %' and row 3 '0.79', one with a percent sign and one without"),
        (["1,234", "1,250", "1,190"], "row 1 holds '1,234', which is 1234 with .* and 1.234 with a decimal comma"),
        (["0,81", "failed", "0,79"], "row 2 holds 'failed'. Leave the cell empty"),
        (["0.81", "1_000", "0.79"], "row 2 holds '1_000'"),
    ],
)
def test_numbers_that_differ_in_writing_are_refused_with_the_first_odd_one_and_its_row(texts, said):
    with pytest.raises(InvalidScores, match=said):
        ogive.read(pd.DataFrame({"model": list("abc"), "acc": texts}), score="acc")


def test_a_random_search_of_scikit_learn_is_read_as_before():
    from scipy.stats import loguniform
    from sklearn.datasets import load_iris
    from sklearn.model_selection import RandomizedSearchCV
    from sklearn.naive_bayes import GaussianNB

    search = RandomizedSearchCV(GaussianNB(), {"var_smoothing": loguniform(1e-9, 1.0)}, n_iter=12, random_state=0)
    search.fit(*load_iris(return_X_y=True))
    trials = ogive.read(search)
    assert (trials.independent, trials.question, trials.varied, len(trials)) == (True, None, ("configuration",), 12)
    np.testing.assert_allclose(trials.values(), search.cv_results_["mean_test_score"])
