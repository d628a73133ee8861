"""The trial table: what it holds, how failures count, how it is written and read back."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ogive
from ogive.errors import FailedTrials, InputError, UnreadableSource

FACTS = ("definitions", "unit", "clustered", "question", "varied", "pair", "independent", "n_folds", "scope", "notes")


def _assert_same(again: ogive.Trials, trials: ogive.Trials) -> None:
    assert again.table.schema.equals(trials.table.schema)
    pd.testing.assert_frame_equal(again.table.to_pandas(), trials.table.to_pandas(), check_exact=True)
    assert {name: getattr(again, name) for name in FACTS} == {name: getattr(trials, name) for name in FACTS}


@pytest.fixture
def trials() -> ogive.Trials:
    frame = pd.DataFrame(
        {
            "model": ["svm", "svm", "svm", "knn", "knn", "knn"],
            "data": ["iris"] * 6,
            "seed": [0, 1, 2, 0, 1, 3],
            "status": ["ok", "timeout", "ok", "ok", "ok", "ok"],
            "accuracy": [0.9, np.nan, 0.8, 0.7, 0.6, np.inf],
            "loss": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            "wall_s": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        }
    )
    return ogive.read(
        frame, score=["accuracy", "loss"], task="data", bounds={"accuracy": (0, 1)}, varied="seed", pair="seed"
    )


def test_names_goals_and_bounds_are_those_of_the_table(trials):
    assert trials.algorithms == ("svm", "knn")
    assert trials.tasks == ("iris",)
    assert trials.metrics == ("accuracy", "loss")
    assert trials.goals == {"accuracy": "maximize", "loss": "minimize"}
    assert trials.bounds == {"accuracy": (0.0, 1.0), "loss": (None, None)}
    assert trials.varied == ("seed",)


def test_to_pandas_has_the_promised_columns_in_order(trials):
    assert list(trials.to_pandas().columns) == [
        "algorithm", "task", "trial", "item", "group", "status", "params", "accuracy", "loss", "wall_s", "cpu_s",
    ]  # fmt: skip


def test_failures_are_rows_with_a_status_and_are_counted_by_it(trials):
    assert len(trials) == 6
    found = {(f["algorithm"], f["status"]): f["count"] for f in trials.failures()}
    assert found == {("svm", "timeout"): 1, ("knn", "invalid"): 1}


def test_a_failed_trial_fails_in_every_metric_and_a_missing_score_in_its_own(trials):
    assert trials.failed("accuracy").tolist() == [False, True, False, False, False, True]
    assert trials.failed("loss").tolist() == [False, True, False, False, False, False]


def test_the_order_of_metrics_changes_no_number():
    table = pd.DataFrame({"acc": [np.nan, 0.5, 0.6, 0.7], "loss": [1.0, 2.0, 3.0, np.nan]})
    both = [ogive.read(table, score=names) for names in (["acc", "loss"], ["loss", "acc"])]
    for metric in ("acc", "loss"):
        assert both[0].failed(metric).tolist() == both[1].failed(metric).tolist()
    assert both[0].failures() == [
        {"algorithm": "data frame", "task": "all", "status": "invalid", "message": "no finite score", "count": 1}
    ]


def test_a_failed_item_gets_the_score_of_the_same_item():
    table = pd.DataFrame(
        {
            "model": ["a"] * 4 + ["b"] * 4,
            "item": ["q0", "q1", "q2", "q3", "q3", "q2", "q1", "q0"],
            "score": [np.nan, 0.2, 0.3, 0.4, 0.9, 0.8, 0.7, 0.6],
        }
    )
    assert ogive.read(table).scores("a", failures="like:b").tolist() == [0.6, 0.2, 0.3, 0.4]


def test_a_failed_item_of_a_seed_gets_the_score_of_that_item_and_seed():
    table = pd.DataFrame(
        [(m, s, i, 100.0 * s + i) for m in "ab" for s in (-1, 0, 1) for i in range(4)],
        columns=["model", "seed", "item", "score"],
    )
    table.loc[(table.model == "a") & (table.seed == 0) & (table.item == 2), "score"] = np.nan
    table.loc[(table.model == "a") & (table.seed == 1) & (table.item == 3), "score"] = np.nan
    table = table[~((table.model == "b") & (table.seed == 1) & (table.item == 3))]  # only other seeds of this item
    scores = ogive.read(table).scores("a", failures="like:b").reshape(3, 4)
    assert scores[1, 2] == 2.0
    assert scores[2, 3] == np.mean([-97.0, 3.0])


@pytest.mark.parametrize("number", [0, np.int64(0), np.float32(0)], ids=["int", "numpy int", "numpy float"])
def test_failures_may_count_as_any_kind_of_number(trials, number):
    assert trials.scores("knn", failures=number).tolist() == trials.scores("knn", failures=0.0).tolist()


def test_scores_refuse_failures_and_say_how_to_count_them(trials):
    with pytest.raises(FailedTrials, match=r"1 of 3.*'svm' on 'iris'.*'like:NAME'"):
        trials.scores("svm")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [("exclude", [0.9, 0.8]), ("worst", [0.9, 0.0, 0.8]), (0.25, [0.9, 0.25, 0.8]), ("0.25", [0.9, 0.25, 0.8]),
     ("like:knn", [0.9, 0.6, 0.8])],
)  # fmt: skip
def test_failed_trials_count_by_the_rule(trials, rule, expected):
    assert trials.scores("svm", failures=rule).tolist() == expected


def test_like_takes_the_mean_of_the_other_method_where_the_trial_is_missing(trials):
    # knn failed on seed 3, which svm never ran: svm's mean of usable scores stands in.
    assert trials.scores("knn", failures="like:svm").tolist() == [0.7, 0.6, pytest.approx(0.85)]


def test_worst_without_a_bound_is_infinite_on_the_bad_side():
    losses = ogive.read({"a": [1.0, np.nan]}, goal="minimize")
    gains = ogive.read({"a": [1.0, np.nan]}, goal="maximize")
    assert losses.scores(failures="worst").tolist() == [1.0, np.inf]
    assert gains.scores(failures="worst").tolist() == [1.0, -np.inf]


@pytest.mark.parametrize("rule", ["drop", "", None, True, float("nan"), float("inf"), "inf", [1]])
def test_a_rule_that_is_none_is_refused(trials, rule):
    with pytest.raises(InputError, match="`failures`"):
        trials.scores("knn", failures=rule)


def test_a_number_for_failures_must_respect_the_bounds(trials):
    with pytest.raises(InputError, match=r"\(0.0, 1.0\) of 'accuracy'; got -5"):
        trials.scores("svm", failures=-5)


def test_like_an_unknown_method_is_refused_with_the_known_ones(trials):
    with pytest.raises(InputError, match=r"'mlp'.*'svm', 'knn'"):
        trials.scores("svm", failures="like:mlp")


def test_like_a_method_without_any_score_there_is_refused():
    trials = ogive.read({"a": [np.nan, 1.0], "b": [np.nan, np.nan]})
    with pytest.raises(FailedTrials, match=r"'b'.*'all'"):
        trials.scores("a", failures="like:b")


def test_a_name_may_be_left_out_only_where_there_is_one(trials):
    assert trials.scores("svm", metric="loss", failures="exclude").tolist() == [0.1, 0.3]
    with pytest.raises(InputError, match=r"`algorithm`.*2: 'svm', 'knn'"):
        trials.scores()
    with pytest.raises(InputError, match=r"`metric`.*'auc'"):
        trials.scores("svm", metric="auc")
    with pytest.raises(InputError, match=r"`task`.*'wine'"):
        trials.scores("svm", "wine")


def test_the_table_cannot_be_changed_through_its_values(trials):
    with pytest.raises(ValueError, match="read-only"):
        trials.values("loss")[0] = 5.0
    scores = trials.scores("svm", failures="exclude")
    scores[:] = 0.0
    assert trials.scores("svm", failures="exclude").tolist() == [0.9, 0.8]


def test_cells_leave_out_what_is_empty():
    trials = ogive.read({"a": {"x": [1.0, 2.0], "y": [3.0]}, "b": {"y": [4.0]}})
    assert [(c.algorithm, c.task, c.rows.size) for c in trials.cells] == [("a", "x", 2), ("a", "y", 1), ("b", "y", 1)]
    assert trials.scores("b", "x").size == 0


@pytest.mark.parametrize(
    "bounds", [(0, 1, 2), (1, 0), (0, 0), (float("nan"), 1), "01", 5, ("a", "b")], ids=str
)  # fmt: skip
def test_malformed_bounds_are_refused(bounds):
    with pytest.raises(InputError, match="`bounds` must be"):
        ogive.Metric("maximize", bounds)


def test_infinite_bounds_are_no_bounds():
    assert ogive.Metric("maximize", (-np.inf, 1)).bounds == (None, 1.0)


def test_an_unknown_goal_is_refused():
    with pytest.raises(InputError, match=r"`goal`.*'max'"):
        ogive.Metric("max")


def test_parquet_gives_back_everything(trials, tmp_path: Path):
    path = tmp_path / "trials.parquet"
    trials.write(path)
    again = ogive.read(path)
    _assert_same(again, trials)
    assert again.source == "trials.parquet"


@pytest.mark.parametrize(
    ("columns", "options", "known"),
    [
        (
            {"lr": [1, 1, 2, 2]},
            {"params": ["lr"], "unit": "configuration"},
            {"clustered": True, "unit": "configuration"},
        ),
        ({"lr": [1, 1, 2, 2]}, {"params": ["lr"]}, {"judged": False, "clustered": False}),
        ({"fold": [0, 1, 2, 3]}, {}, {"n_folds": 4}),
        (
            {"x": [0, 1, 2, 3]},
            {"independent": False, "scope": "these rows"},
            {"independent": False, "scope": "these rows"},
        ),
    ],
    ids=["clustered", "with a question", "folds", "adaptive"],
)
def test_parquet_gives_back_what_was_known_about_independence(columns, options, known, tmp_path: Path):
    trials = ogive.read(pd.DataFrame({"score": [1.0, 2.0, 3.0, 4.0], **columns}), score="score", **options)
    trials = dataclasses.replace(trials, looks=2, holds={"data": 0})
    trials.write(tmp_path / "t.parquet")
    again = ogive.read(tmp_path / "t.parquet")
    _assert_same(again, trials)
    assert {name: getattr(again, name) for name in known} == known
    assert (again.looks, again.holds) == (2, {"data": 0})


def test_csv_gives_back_scores_names_and_status(trials, tmp_path: Path):
    path = tmp_path / "trials.csv"
    trials.write(path)
    again = ogive.read(path, score=["accuracy", "loss"])
    pd.testing.assert_frame_equal(again.to_pandas(), trials.to_pandas(), check_dtype=False)


def test_csv_never_holds_a_name_that_a_spreadsheet_would_run(tmp_path: Path):
    ogive.read({"=HYPERLINK(1)": [1.0, 2.0], "@x": [1.0, 2.0], "+1": [1.0, 2.0], "-1": [1.0, 2.0]}).write(
        tmp_path / "t.csv"
    )
    names = pd.read_csv(tmp_path / "t.csv")["algorithm"].unique().tolist()
    assert names == ["'=HYPERLINK(1)", "'@x", "'+1", "'-1"]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (ogive.summarize, "13 of 90 trials have no usable 'score' .*: 11 of 30 of 'vit' and 2 of 30 of 'resnet'; say"),
        (ogive.rank, "13 of 90 trials have no usable 'score' .*: 11 of 30 of 'vit' and 2 of 30 of 'resnet'; say"),
        (lambda t: ogive.compare(t, "resnet", "vit"), "13 of 60 trials .*: 11 of 30 of 'vit' and 2 of 30 of 'resnet'"),
        (lambda t: ogive.compare(t, "resnet", "mlp"), "2 of 60 trials .*: 2 of 30 of 'resnet'; say"),
    ],
)
def test_failed_trials_are_refused_with_their_number_by_method(ask, said):
    table = pd.DataFrame({"model": np.repeat(["resnet", "vit", "mlp"], 30), "score": np.linspace(0.1, 0.9, 90)})
    table.loc[[0, 1, *range(30, 41)], "score"] = np.nan
    with pytest.raises(FailedTrials, match=said):
        ask(ogive.read(table, unit="row"))


STRANGE = [
    "-x", "+y", "=1+1", " @z", "'=1", "''", "'", "it's", "a\\x1bb", "a\x1bb", "'\\u202e", "\u202e", "two\nlines", "\\", "\t-1", "C:\\new",
    "x" + chr(0xE0041), "\uff1d1", '"', ",",
]  # fmt: skip


def test_csv_gives_back_names_that_a_spreadsheet_would_run(tmp_path: Path):
    table = pd.DataFrame(
        {
            "method": STRANGE * 2,
            "task": [*STRANGE, *STRANGE[::-1]],
            "item": STRANGE * 2,
            "=score": range(len(STRANGE) * 2),
        }
    )
    trials = ogive.read(table, unit="row")
    trials.write(tmp_path / "t.csv")
    again = ogive.read(tmp_path / "t.csv", unit="row")
    assert again.metrics == ("=score",)
    pd.testing.assert_frame_equal(again.to_pandas(), trials.to_pandas(), check_dtype=False)
    cells = pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False, nrows=len(STRANGE))["algorithm"].tolist()
    assert len(set(cells)) == len(STRANGE)
    assert not [c for c in cells if c.lstrip()[:1] in ("=", "+", "-", "@", "\uff1d") or not c.isprintable()]
    again.write(tmp_path / "u.csv")
    assert (tmp_path / "u.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()


def test_a_gate_takes_its_own_csv_for_a_baseline(tmp_path: Path):
    scores = np.linspace(0.1, 0.9, 12)
    table = pd.DataFrame({"method": ["-x"] * 12, "item": [f"-{i}" for i in range(12)], "score": scores})
    trials = ogive.read(table, unit="row")
    trials.write(tmp_path / "old.csv")
    assert ogive.check(trials, baseline=ogive.read(tmp_path / "old.csv", unit="row"), margin=0.1).comparisons[0].paired


def test_apostrophes_of_other_tables_stay(tmp_path: Path):
    pd.DataFrame({"method": ["'=x", "'a'"] * 2, "score": range(4)}).to_csv(tmp_path / "t.csv", index=False)
    assert ogive.read(tmp_path / "t.csv", unit="row").algorithms == ("'=x", "'a'")
    ogive.read({"'a'": [1.0, 2.0], "b": [1.0, 2.0]}).write(tmp_path / "u.csv", raw=True)
    assert ogive.read(tmp_path / "u.csv", unit="row").algorithms == ("'a'", "b")


def test_other_endings_are_refused(trials, tmp_path: Path):
    with pytest.raises(InputError, match=r"'t.xlsx'"):
        trials.write(tmp_path / "t.xlsx")


def _with_description(trials: ogive.Trials, path: Path, change) -> Path:
    """The written table with its description changed."""
    trials.write(path)
    table = pq.read_table(path)
    described = change(json.loads(table.schema.metadata[b"ogive"]))
    pq.write_table(table.replace_schema_metadata({b"ogive": described}), path)
    return path


def test_a_newer_format_is_refused_by_name(trials, tmp_path: Path):
    path = _with_description(trials, tmp_path / "new.parquet", lambda d: json.dumps(d | {"version": 2}).encode())
    with pytest.raises(InputError, match=r"new.parquet.*format 2"):
        ogive.read(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: b"{",
        lambda d: b"[]",
        lambda d: json.dumps({"version": 1}).encode(),
        lambda d: json.dumps(d | {"version": None}).encode(),
        lambda d: json.dumps(d | {"metrics": {"auc": {"goal": "maximize", "bounds": [None, None]}}}).encode(),
        lambda d: json.dumps(d | {"metrics": {"loss": {"goal": "up", "bounds": [0, 1]}}}).encode(),
    ],
    ids=["no JSON", "no object", "missing facts", "no version", "missing column", "no goal"],
)
def test_a_damaged_description_is_refused_by_name(trials, tmp_path: Path, change):
    path = _with_description(trials, tmp_path / "odd.parquet", change)
    with pytest.raises(UnreadableSource, match=r"odd.parquet"):
        ogive.read(path)


def test_failures_like_the_method_itself_are_refused():
    trials = ogive.read({"a": [1.0, np.nan, 3.0], "b": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match="`failures` 'like:a'"):
        trials.scores("a", failures="like:a")
    assert trials.scores("b", failures="like:b").tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("bounds", [(float("nan"), None), (None, float("nan")), (1, 0), (float("nan"), 1)], ids=str)
def test_bounds_that_are_no_interval_are_refused(bounds):
    with pytest.raises(InputError, match="`bounds`"):
        ogive.read({"a": [1.0, 2.0]}, bounds=bounds)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("score", ["x", "y"], "'score' holds string, not numbers"),
        ("status", [None, "ok"], "'status' is empty in 1 of 2 rows"),
        ("algorithm", [None, "a"], "'algorithm' is empty in 1 of 2 rows"),
        ("algorithm", [None, None], "'algorithm' holds null, not text"),
        ("task", [1, 2], "'task' holds int64, not text"),
        ("trial", ["0", "1"], "'trial' does not hold whole numbers"),
        ("trial", [0, None], "'trial' is empty in 1 of 2 rows"),
        ("wall_s", ["x", "y"], "'wall_s' holds string, not numbers"),
        ("group", [1.5, 2.5], "'group' holds double, not text"),
    ],
)
def test_a_written_table_whose_columns_were_changed_is_refused(tmp_path: Path, column, values, message):
    path = tmp_path / "t.parquet"
    ogive.read({"a": [1.0, 2.0]}).write(path)
    table = pq.read_table(path)
    changed = table.set_column(table.column_names.index(column), column, pa.array(values))
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(
        UnreadableSource, match=f"t.parquet says that Ogive wrote it, but its column {message}; write it"
    ):
        ogive.read(path)


def test_select_keeps_the_rows_of_some_names_and_refuses_others(trials):
    kept = trials.select(algorithms=["knn"], tasks="iris")
    assert (kept.algorithms, kept.tasks) == (("knn",), ("iris",))
    assert len(kept) == trials.cell("knn", "iris").rows.size
    np.testing.assert_array_equal(kept.scores(failures="exclude"), trials.scores("knn", "iris", failures="exclude"))
    assert trials.select().algorithms == trials.algorithms
    with pytest.raises(InputError, match=r"`task`.*'nowhere'"):
        trials.select(tasks=["nowhere"])
    with pytest.raises(InputError, match="no row"):
        trials.select(tasks=[])


def test_a_table_given_to_pandas_is_read_again_and_paired_where_that_is_said():
    table = pd.DataFrame({"model": ["a", "a", "b", "b"], "seed": [1, 2, 1, 2], "acc": [0.1, 0.2, 0.3, 0.4]})
    trials = ogive.read(table)
    again = ogive.read(trials.to_pandas(), pair="trial")
    assert (again.metrics, again.algorithms, again.pair) == (("acc",), ("a", "b"), "trial")
    assert again.scores("b").tolist() == trials.scores("b").tolist()


def test_where_nothing_joins_the_methods_a_failed_run_gets_the_mean_of_the_other():
    table = pd.DataFrame({"model": list("aaabbb"), "score": [1.0, np.nan, 3.0, 0.5, 0.6, 1.0]})
    assert ogive.read(table).scores("a", failures="like:b")[1] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("rule", "expected"), [("exclude", [2.0]), ("worst", [0.0, 2.0]), (1.5, [1.5, 2.0]), ("like:b", [3.5, 2.0])]
)
def test_a_table_with_failures_counted_holds_the_scores_that_the_rule_gives(rule, expected):
    trials = ogive.read({"a": [np.nan, 2.0], "b": [3.0, 4.0]}, bounds=(0, 9))
    counted = trials.counted(None, rule)
    assert counted.scores("a").tolist() == trials.scores("a", failures=rule).tolist() == expected
    assert not counted.failed().any()


def test_failures_without_a_score_to_stand_for_them_stay_failed():
    trials = ogive.read({"a": [np.nan, 2.0], "b": [3.0, 4.0]})
    assert trials.counted(None, "worst").failed().tolist() == trials.failed().tolist() == [True, False, False, False]
    with pytest.raises(InputError, match="nothing to describe"):
        ogive.read({"a": [np.nan], "b": [np.nan]}).counted(None, "exclude")


@pytest.mark.parametrize("rule", ["exclude", 0.1])
def test_failures_that_are_counted_by_one_metric_stay_failures_by_the_others(rule):
    rows = {"method": list("aabb"), "accuracy": [0.9, 0.8, 0.7, 0.6], "f1": [0.5, 0.4, 0.3, 0.2]}
    trials = ogive.read(pd.DataFrame({**rows, "status": ["ok", "timeout", "ok", "ok"]}), score=["accuracy", "f1"])
    counted = trials.counted("accuracy", rule)
    assert not counted.failed("accuracy").any()
    assert counted.scores("a", metric="f1", failures="exclude").tolist() == [0.5]
