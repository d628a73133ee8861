"""What one independent draw is: declared, seen in the columns, or asked."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ogive
from ogive.errors import InputError
from ogive.importers._within import codes
from ogive.notes import Note, NoteKind

N = 12
RNG = np.random.default_rng(0)


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame({"score": RNG.normal(size=len(next(iter(columns.values())))), **columns})


def mean_row(trials: ogive.Trials):
    return ogive.summarize(trials, statistics=["mean"]).rows[0]


def test_repeated_configurations_are_refused_as_independent_with_both_ways_out():
    table = frame(param_lr=np.repeat([1, 2, 3, 4], 3))
    trials = ogive.read(table)
    assert trials.question is not None
    with pytest.raises(InputError, match=r"12 rows.*4 config.*unit='configuration'.*unit='row'"):
        ogive.summarize(trials)
    assert mean_row(ogive.read(table, unit="configuration")).n == 4
    assert mean_row(ogive.read(table, unit="row")).n == N


def test_distinct_configurations_raise_no_question():
    assert ogive.read(frame(param_lr=np.arange(N))).question is None


def test_configurations_may_repeat_between_methods():
    table = frame(model=["a"] * 6 + ["b"] * 6, param_lr=[*range(6), *range(6)])
    assert ogive.read(table).question is None


def test_the_interval_of_clustered_rows_is_that_of_the_clusters_means():
    table = frame(param_lr=np.repeat([1, 2, 3, 4], 3))
    clustered = mean_row(ogive.read(table, unit="configuration"))
    means = table.groupby("param_lr")["score"].mean().to_numpy()
    plain = mean_row(ogive.read({"a": means}))
    assert (clustered.estimate, clustered.low, clustered.high) == pytest.approx((plain.estimate, plain.low, plain.high))


def test_repeated_seeds_are_refused_as_independent_with_the_ways_out():
    table = frame(seed=np.repeat([0, 1, 2, 3], 3))
    with pytest.raises(InputError, match=r"'seed'.*unit='seed'.*unit='row'.*item= or group="):
        ogive.summarize(ogive.read(table))
    assert mean_row(ogive.read(table, unit="seed")).n == 4
    assert mean_row(ogive.read(table, unit="row")).n == N


def test_a_seed_that_does_not_repeat_is_no_cluster():
    trials = ogive.read(frame(seed=np.arange(N)), unit="seed")
    assert not trials.clustered
    assert mean_row(trials).n == N


def test_an_item_is_the_unit_and_counts_once_where_it_repeats():
    once = ogive.read(frame(question=np.arange(N)), item="question")
    assert (once.unit, once.clustered) == ("question", False)
    twice = ogive.read(frame(question=np.repeat(np.arange(6), 2)))
    assert (twice.unit, twice.clustered, mean_row(twice).n) == ("question", True, 6)


def test_items_pair_the_methods():
    trials = ogive.read(frame(model=["a"] * 6 + ["b"] * 6, question=[*range(6), *range(6)]))
    assert trials.pair == "question"


def test_a_group_is_the_unit():
    trials = ogive.read(frame(passage=np.repeat([0, 1, 2], 4), question=np.arange(N)), item="question")
    assert (trials.unit, trials.clustered, mean_row(trials).n) == ("passage", True, 3)


def test_rows_without_a_group_are_refused():
    table = frame(group=["a", "a", "b", None, "b", "c"] * 2)
    with pytest.raises(InputError, match=r"'group'.*2 of 12.*unit='row'"):
        ogive.read(table)
    assert ogive.read(table, unit="row").question is None


def test_folds_get_the_corrected_interval_and_are_heuristic():
    scores = np.array([0.8, 0.82, 0.85, 0.79, 0.81])
    trials = ogive.read(pd.DataFrame({"score": scores, "fold": range(5)}))
    assert trials.n_folds == 5
    row = mean_row(trials)
    from scipy.stats import t

    half = t.ppf(0.975, 4) * scores.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert (row.low, row.high) == pytest.approx((scores.mean() - half, scores.mean() + half))
    assert (row.method, row.guarantee) == ("corrected resampled t", "heuristic")


def test_a_column_with_one_value_holds_no_folds():
    table = frame(fold=["test"] * N)
    trials = ogive.read(table)
    assert trials.n_folds is None
    assert Note(NoteKind.NOT_USED, values={"columns": ("fold",)}) in trials.notes
    with pytest.raises(InputError, match=r"`fold`.*'fold'"):
        ogive.read(table, fold="fold")


def test_every_statistic_of_folds_is_heuristic():
    trials = ogive.read(frame(fold=np.arange(N)))
    kinds = ["median", "mean", "std", "iqm", "worst_0.5", "best_of_4", "exceedance_0"]
    assert {r.guarantee for r in ogive.summarize(trials, statistics=kinds).rows} == {"heuristic"}


def paired_by_seed(matched):
    return Note(NoteKind.PAIRED, "pair", {"column": "seed", "guessed": False, "matched": matched, "of_rows": 12})


def test_equal_seeds_join_methods_only_where_that_is_asked_for_and_the_partners_are_counted():
    table = frame(model=["a"] * 6 + ["b"] * 6, seed=[0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 6, 7])
    assert ogive.read(table).pair is None
    assert ogive.read(table, unit="seed").pair is None
    trials = ogive.read(table, pair="seed")
    assert trials.pair == "seed"
    assert paired_by_seed(8) in trials.notes


def test_items_join_methods_also_where_they_are_declared_the_unit():
    table = frame(model=["a"] * 6 + ["b"] * 6, question=[*range(6), *range(6)])
    for unit in ({}, {"unit": "question"}):
        assert ogive.read(table, **unit).pair == "question"


def test_seeds_pair_only_within_a_task():
    table = frame(model=["a", "a", "b", "b"], task=["x", "y", "y", "x"], seed=[0, 1, 0, 1])
    assert ogive.read(table, pair="seed").pair is None


def test_folds_join_methods_by_repeat_and_fold_whatever_the_order_of_rows():
    rows = [
        {"model": m, "repeat": r, "fold": f, "score": r + 0.1 * f + (m == "a")}
        for m in "ab" for r in range(3) for f in range(4)
    ]  # fmt: skip
    table = pd.DataFrame(rows).sample(frac=1.0, random_state=0)
    trials = ogive.read(table)
    assert (trials.pair, trials.n_folds) == ("fold", 4)
    assert ogive.compare(trials, "a", "b").mean_difference.estimate == pytest.approx(1.0)
    joined = trials.to_pandas().groupby("trial")["score"].agg(np.ptp)
    np.testing.assert_allclose(joined, 1.0)


def test_folds_that_stand_twice_in_a_cell_join_nothing():
    table = frame(model=["a"] * 6 + ["b"] * 6, fold=[0, 1, 2] * 4)
    trials = ogive.read(table)
    assert (trials.pair, trials.n_folds) == (None, 3)


def test_a_declared_pair_that_joins_nothing_is_said():
    table = frame(model=["a", "a", "b", "b"], draw=[0, 1, 2, 3])
    trials = ogive.read(table, pair="draw")
    assert trials.pair is None
    assert Note(NoteKind.NOT_PAIRED, "pair", {"column": "draw"}) in trials.notes


def test_a_declared_pair_numbers_the_trials():
    table = frame(model=["a", "a", "b", "b"], draw=["p", "q", "q", "p"])
    trials = ogive.read(table, pair="draw")
    assert trials.to_pandas()["trial"].tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(("unit", "message"), [
    ("student", r"`unit` must be 'row' or name a column; got 'student'. The columns are 'score', 'x'"),
    ("configuration", r"needs the columns of the configuration; name them with params="),
])  # fmt: skip
def test_a_unit_without_a_column_is_refused(unit, message):
    with pytest.raises(InputError, match=message):
        ogive.read(frame(x=np.arange(N)), score="score", unit=unit)


def test_a_unit_may_be_any_column():
    trials = ogive.read(frame(student=np.repeat([0, 1, 2], 4)), unit="student", score="score")
    assert (trials.unit, mean_row(trials).n) == ("student", 3)


def test_what_nobody_said_about_independence_is_said():
    trials = ogive.read({"a": [1.0, 2.0]})
    assert trials.unit is None
    assert Note(NoteKind.ASSUMES_INDEPENDENCE, "unit") in trials.notes
    assert "assumed independent" in ogive.summarize(trials).unit
    assert "assumed" not in ogive.summarize(ogive.read({"a": [1.0, 2.0]}, unit="row")).unit


def test_what_varied_is_seen_in_the_columns_or_said():
    assert ogive.read(frame(param_lr=np.arange(N), seed=np.arange(N))).varied == ("configuration", "seed")
    assert ogive.read(frame(seed=np.arange(N)), varied=["split", "seed"]).varied == ("split", "seed")
    assert ogive.read(frame(seed=np.arange(N)), varied="split").varied == ("split",)


@pytest.mark.parametrize("name", ["question", "passage"])
def test_a_guessed_item_or_group_with_one_row_each_is_no_declared_unit(name):
    trials = ogive.read(frame(**{name: np.arange(N)}))
    assert (trials.unit, trials.clustered) == (None, False)
    assert Note(NoteKind.ASSUMES_INDEPENDENCE, "unit") in trials.notes
    assert "assumed independent" in ogive.summarize(trials).unit
    role = "item" if name == "question" else "group"
    assert ogive.read(frame(**{name: np.arange(N)}), **{role: name}).unit == name
    assert ogive.read(frame(**{name: np.arange(N)}), unit=name).unit == name


def test_configurations_that_repeat_across_folds_raise_the_question():
    table = frame(param_lr=np.repeat(np.arange(20), 5), fold=np.tile(np.arange(5), 20))
    trials = ogive.read(table)
    assert trials.question == Note(
        NoteKind.ASKS_CONFIGURATION, "unit", {"n": 100, "n_configurations": 20, "fold": "fold"}
    )
    counted = ogive.read(table, unit="configuration")
    assert (counted.clustered, counted.n_folds, mean_row(counted).n) == (True, None, 20)


def test_one_configuration_for_all_folds_is_a_plain_cross_validation():
    trials = ogive.read(frame(model=["a"] * 5 + ["b"] * 5, param_lr=[1] * 5 + [2] * 5, fold=[*range(5), *range(5)]))
    assert (trials.question, trials.n_folds, trials.unit) == (None, 5, "fold")


def test_a_guessed_group_across_folds_raises_the_question():
    table = frame(config=np.repeat(np.arange(4), 3), fold=np.tile(np.arange(3), 4))
    assert ogive.read(table).question == Note(NoteKind.ASKS_GROUP, "unit", {"column": "config", "fold": "fold"})
    assert mean_row(ogive.read(table, unit="config")).n == 4
    assert ogive.read(table, unit="fold").n_folds == 3


def test_a_declared_unit_overrules_a_guessed_fold_aloud():
    table = frame(student=np.repeat([0, 1, 2], 4), fold=np.tile(np.arange(4), 3))
    trials = ogive.read(table, unit="student", score="score")
    assert (trials.unit, trials.clustered, trials.n_folds, mean_row(trials).n) == ("student", True, None, 3)
    assert Note(NoteKind.FOLDS_OVERRULED, "unit", {"column": "fold"}) in trials.notes
    assert ogive.read(table, unit="row", score="score").n_folds is None
    assert ogive.read(table, unit="fold", score="score").n_folds == 4


def test_folds_and_rows_that_are_both_declared_contradict_each_other():
    with pytest.raises(InputError, match=r"`unit` 'row'.*`fold` 'fold'"):
        ogive.read(frame(fold=np.arange(N)), fold="fold", unit="row")


def test_folds_count_within_a_repeat_even_where_they_are_numbered_on():
    table = frame(fold=np.arange(50), repeat=np.repeat(np.arange(10), 5))
    assert ogive.read(table).n_folds == 5
    assert ogive.read(table.assign(fold=table.fold % 5)).n_folds == 5


def test_the_fewest_folds_count_where_tasks_differ():
    table = frame(task=["x"] * 5 + ["y"] * 10, fold=[*range(5), *range(10)])
    assert ogive.read(table).n_folds == 5


def test_a_configuration_that_never_changes_is_held_not_shared():
    table = frame(model=["a"] * 6 + ["b"] * 6, param_lr=[0.1] * 6 + [0.2] * 6, seed=[*range(6), *range(6)])
    trials = ogive.read(table)
    assert trials.question is None
    assert trials.varied == ("seed",)
    assert ogive.read(table.drop(columns="seed")).question is None


def test_a_seed_that_never_changes_did_not_vary():
    assert ogive.read(frame(model=["a"] * 6 + ["b"] * 6, seed=[42] * 12), unit="row").varied == ()


def test_seeds_across_items_are_held_and_said_to_be():
    table = frame(model=["m"] * N, seed=np.repeat([0, 1, 2], 4), item=np.tile(np.arange(4), 3))
    trials = ogive.read(table)
    assert (trials.unit, trials.varied) == ("item", ("item",))
    assert Note(NoteKind.HELD, "unit", {"unit": "item", "repeat": "seed"}) in trials.notes
    assert ogive.read(table, unit="seed").varied == ("seed",)


def test_rows_without_a_seed_are_paired_with_nobody():
    table = frame(model=["a"] * 6 + ["b"] * 6, seed=pd.array([0, 1, 2, None, None, None] * 2, dtype="Int64"))
    trials = ogive.read(table, pair="seed")
    assert paired_by_seed(6) in trials.notes
    assert len(set(trials.to_pandas().trial)) == 9


def test_a_column_that_may_name_methods_is_asked_about_where_none_does():
    table = frame(recipe=["svm"] * 6 + ["knn"] * 6)
    with pytest.raises(InputError, match=r"'recipe'.*algorithm='recipe'"):
        ogive.summarize(ogive.read(table))
    assert ogive.read(table, algorithm="recipe").question is None
    assert ogive.read(table, unit="row").question is None
    assert ogive.read(frame(remark=[f"run {i}" for i in range(N)])).question is None


def test_values_that_stand_equally_often_are_asked_about():
    table = frame(model=["a"] * 24 + ["b"] * 24, rate=np.tile(np.repeat([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 4), 2))
    with pytest.raises(InputError, match=r"'rate'.*unit='rate'"):
        ogive.summarize(ogive.read(table, score="score"))
    assert ogive.read(table, score="score", unit="rate").clustered
    moved = table.assign(rate=table.rate.where(np.arange(48) != 7, 0.1))
    assert ogive.read(moved, score="score").question is None
    named = table.assign(trace=[f"r{i}" for i in range(48)])
    assert ogive.read(named, score="score").question is None


def test_labels_that_chance_may_balance_are_not_asked_about():
    rng = np.random.default_rng(0)
    asked = 0
    for _ in range(60):
        table = frame(model=["a"] * 10, converged=rng.integers(0, 2, 10).astype(bool), host=rng.choice(["x", "y"], 10))
        asked += ogive.read(table, score="score").question is not None
    assert asked == 0


@pytest.mark.parametrize(
    "column",
    [["h1", "h2"] * 10, np.repeat([0, 1], 10), ["2026-01-01"] * 10 + ["2026-01-02"] * 10, [""] * 19 + ["rerun"]],
    ids=["host", "device", "date", "notes"],
)
def test_bookkeeping_beside_seeds_is_not_asked_about(column):
    assert ogive.read(frame(seed=np.arange(20), extra=column), score="score").question is None


def test_a_text_hyper_parameter_of_a_random_search_is_no_method():
    rng = np.random.default_rng(1)
    table = frame(optimizer=rng.choice(["adam", "sgd"], 40), rate=rng.uniform(size=40))
    assert ogive.read(table, score="score").question is None


def test_rows_of_one_seed_are_asked_about_with_the_columns_that_tell_them_apart():
    table = frame(model=["a"] * 60, rate=np.repeat(np.arange(15) / 7, 4), seed=np.tile(np.arange(4), 15))
    question = ogive.read(table, score="score").question
    assert question == Note(NoteKind.ASKS_REPEAT, "unit", {"column": "seed", "apart": "rate"})


@pytest.mark.parametrize("gaps", [[0], [3, 4, 5], list(range(1, 20))])
def test_categories_with_gaps_are_read(gaps):
    values = ["a", "b"] * 10
    for gap in gaps:
        values[gap] = None
    table = frame(
        model=["m"] * 20, note=pd.Categorical(values), fold=np.tile(np.arange(5), 4), seed=pd.Categorical(values)
    )
    assert ogive.read(table, score="score").n_folds is not None
    assert len(ogive.read(table.drop(columns=["fold", "seed"]), score="score")) == 20


def test_notes_about_what_is_said_anew_are_replaced():
    trials = ogive.read(frame(model=["a"] * 6 + ["b"] * 6, seed=[*range(6), *range(6)]))
    again = ogive.read(trials, goal="minimize", unit="row", varied="split")
    settled = {NoteKind.GOAL_GUESSED, NoteKind.VARIED_GUESSED, NoteKind.ASSUMES_INDEPENDENCE}
    assert {NoteKind.GOAL_GUESSED, NoteKind.VARIED_GUESSED} < {note.kind for note in trials.notes}
    assert not settled & {note.kind for note in again.notes}
    assert again.goals == {"score": "minimize"}


def test_a_table_of_folds_that_is_said_to_hold_runs_keeps_a_warning():
    again = ogive.read(ogive.read(frame(fold=np.arange(N)), fold="fold"), unit="row")
    assert any(note.kind is NoteKind.FOLDS_OVERRULED and note.is_warning for note in again.notes)


def test_a_column_taken_for_the_time_is_noted():
    taken = {"role": "wall_s", "columns": ("duration",), "guessed": True}
    assert Note(NoteKind.ROLE, "wall_s", taken) in ogive.read(frame(duration=np.arange(N)), score="score").notes


def test_folds_that_join_the_methods_stay_folds():
    table = frame(model=["a"] * 10 + ["b"] * 10, fold=[*range(10), *range(10)])
    trials = ogive.read(table, score="score", pair="fold")
    assert (trials.n_folds, trials.pair, trials.unit) == (10, "fold", "fold")


def test_identifiers_of_questions_are_items_and_join_the_methods():
    table = frame(model=["a"] * 6 + ["b"] * 6, question_id=[*range(6), *range(6)])
    trials = ogive.read(table)
    assert (trials.metrics, trials.pair) == (("score",), "question_id")


def test_as_many_categories_as_a_byte_counts_may_have_gaps():
    indices = pa.array([*range(128), None, 5], type=pa.int8())
    found = codes(pa.DictionaryArray.from_arrays(indices, [f"c{i}" for i in range(128)]))
    assert found.tolist() == [*range(129), 5]


def test_a_measure_beside_the_score_splits_no_runs():
    rows = [
        {"model": "a", "seed": s, "epoch": e, "acc": e / 10 + s, "val_loss": 1 / e}
        for s in range(4)
        for e in range(1, 11)
    ]
    trials = ogive.read(pd.DataFrame(rows), score="acc", params=["epoch"])
    assert trials.question is None or trials.question.values.get("column") != "val_loss"
