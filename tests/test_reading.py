"""read(): which door a source goes through, and what is said about it."""

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import AmbiguousColumns, InputError, InvalidScores, UnreadableSource
from ogive.notes import Note, NoteKind


def frame(**columns) -> pd.DataFrame:
    return pd.DataFrame(columns)


@pytest.mark.parametrize(
    ("algorithm", "task"),
    [("model", "dataset"), ("agent", "env"), ("solver", "problem"), ("method", "benchmark"), ("Classifier", "Game"),
     ("Algorithm", "data set")],
)  # fmt: skip
def test_columns_are_recognized_by_the_words_of_neighboring_fields(algorithm, task):
    columns = {
        algorithm: ["a", "a", "b"],
        task.replace("data set", "dataset"): ["x", "y", "y"],
        "score": [1.0, 2.0, 3.0],
    }
    trials = ogive.read(pd.DataFrame(columns))
    assert trials.algorithms == ("a", "b")
    assert trials.tasks == ("x", "y")
    assert (
        Note(NoteKind.ROLE, "algorithm", {"role": "algorithm", "columns": (algorithm,), "guessed": True})
        in trials.notes
    )


def test_a_declared_role_overrules_the_guess_and_is_not_called_a_guess():
    trials = ogive.read(frame(model=["x", "y"], architecture=["a", "b"], score=[1.0, 2.0]), algorithm="architecture")
    assert trials.algorithms == ("a", "b")
    said = {"role": "algorithm", "columns": ("architecture",), "guessed": False}
    assert Note(NoteKind.ROLE, "algorithm", said) in trials.notes


def test_what_was_guessed_is_logged(caplog):
    with caplog.at_level(logging.INFO, logger="ogive"):
        ogive.read(frame(model=["a", "b"], accuracy=[1.0, 2.0]))
    assert "score: column 'accuracy' (guessed)" in caplog.text


def test_several_candidates_for_the_score_are_refused_with_their_names():
    with pytest.raises(AmbiguousColumns, match=r"'acc', 'f1'.*score="):
        ogive.read(frame(model=["a", "b"], acc=[1.0, 2.0], f1=[1.0, 2.0]))


def test_several_candidates_for_the_method_are_refused_with_their_names():
    with pytest.raises(AmbiguousColumns, match=r"'model', 'solver'.*algorithm="):
        ogive.read(frame(model=["a", "b"], solver=["c", "d"], score=[1.0, 2.0]))


def test_a_column_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(InputError, match=r"`score`.*'acuracy'.*'model', 'accuracy'"):
        ogive.read(frame(model=["a", "b"], accuracy=[1.0, 2.0]), score="acuracy")
    with pytest.raises(InputError, match=r"'F1 Score'\?"):
        ogive.read(frame(**{"F1 Score": [1.0, 2.0]}), score="f1_score")


def test_a_table_without_numbers_is_refused():
    with pytest.raises(UnreadableSource, match=r"'color'.*'c'"):
        ogive.read(frame(model=["a", "b"], color=["c", "d"]))


def test_a_score_column_may_not_take_a_name_of_the_trial_table():
    with pytest.raises(InputError, match="'status'"):
        ogive.read(frame(status=[1.0, 2.0], other=["a", "b"]), score="status")


def test_one_row_is_no_distribution():
    with pytest.raises(InvalidScores, match="one row"):
        ogive.read(frame(score=[1.0]))


def test_a_row_without_a_method_is_refused():
    with pytest.raises(UnreadableSource, match=r"'model'.*1 of 2"):
        ogive.read(frame(model=["a", None], score=[1.0, 2.0]))
    with pytest.raises(UnreadableSource, match=r"'model'.*1 of 2"):
        ogive.read(frame(model=["a", " "], score=[1.0, 2.0]))


@pytest.mark.parametrize(
    ("name", "goal"),
    [("accuracy", "maximize"), ("loss", "minimize"), ("val_loss", "minimize"), ("neg_log_loss", "maximize"),
     ("rmse", "minimize"), ("wall_time", "minimize"), ("reward", "maximize"), ("error-rate", "minimize"),
     ("val/loss", "minimize"), ("testLoss", "minimize"), ("logloss", "minimize"), ("test rmse", "minimize"),
     ("mean squared error", "minimize"), ("reg:squarederror", "minimize"), ("crossEntropy", "minimize"),
     ("valRMSE", "minimize"), ("MSELoss", "minimize"), ("mean_test_neg_log_loss", "maximize"), ("F1", "maximize"),
     ("negative_log_likelihood", "minimize"), ("neg_log_likelihood", "minimize"), ("NegLogLik", "minimize"),
     ("log_likelihood", "maximize"), ("neg_negative_likelihood_ratio", "maximize"), ("misclassification_rate", "minimize"), ("test_ppl", "minimize"),
     ("rmsle", "minimize"), ("CER", "minimize"), ("ece", "minimize"), ("kl_divergence", "minimize"),
     ("bits_per_byte", "minimize"), ("distance", "minimize"), ("time_saved", "maximize"),
     ("error_free_rate", "maximize"), ("cost_reduction", "maximize"), ("negative_mean_squared_error", "maximize"),
     ("false_negative_rate", "minimize"), ("true_negative_rate", "maximize"), ("speedup", "maximize")],
)  # fmt: skip
def test_the_goal_is_guessed_from_the_name_and_said(name, goal):
    trials = ogive.read(frame(x=["a", "b"], **{name: [1.0, 2.0]}), score=name)
    assert trials.goals == {name: goal}
    assert Note(NoteKind.GOAL_GUESSED, "goal", {"metric": name, "goal": goal, "by_name": True}) in trials.notes


@pytest.mark.parametrize("what", ["goal", "bounds"])
def test_a_goal_or_bound_of_an_unknown_metric_is_refused(what):
    said = {"goal": {"acc": "minimize"}, "bounds": {"acc": (0, 1)}}[what]
    with pytest.raises(InputError, match=f"`{what}`: there is no column 'acc'; the columns are"):
        ogive.read(frame(accuracy=[0.1, 0.2]), **{what: said})


def test_bounds_that_the_data_leave_are_refused_with_the_count_and_the_range():
    with pytest.raises(InputError, match=r"2 of 3.*'score'.*\(-1 to 91\)"):
        ogive.read(frame(score=[0.5, 91.0, -1.0]), bounds=(0, 1))


def test_scores_too_large_for_a_variance_are_refused_with_the_way_out():
    with pytest.raises(InvalidScores, match=r"'loss'.*-1e\+200"):
        ogive.read(frame(loss=[0.5, -1e200]))


def test_nan_scores_do_not_leave_the_bounds():
    assert ogive.read(frame(score=[0.5, np.nan, 0.7]), bounds=(0, 1)).failed().tolist() == [False, True, False]


@pytest.mark.parametrize("word", ["ok", "COMPLETE", "success", "TrialState.COMPLETE", " done "])
def test_a_good_status_may_be_said_in_many_words(word):
    assert not ogive.read(frame(status=[word, word], score=[1.0, 2.0])).failed().any()


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("FAILED", "error"),
        ("time_limit", "timeout"),
        ("OOM", "memory"),
        ("killed", "crashed"),
        ("PRUNED", "error"),
        ("preempted", "crashed"),
    ],
)
def test_a_bad_status_fails_a_row_whatever_its_score(word, status):
    trials = ogive.read(frame(state=["ok", word], score=[1.0, 2.0]))
    assert trials.failed().tolist() == [False, True]
    assert trials.to_pandas()["status"].tolist() == ["ok", status]


@pytest.mark.parametrize("said", [{}, {"status": "status"}], ids=["guessed", "declared"])
def test_an_unknown_status_among_known_ones_is_refused(said):
    table = frame(status=["ok", "weird", "failed"], score=[1.0, 2.0, 3.0])
    with pytest.raises(InputError, match=r"'status'.*'weird'.*ok, error"):
        ogive.read(table, **said)


def test_a_column_without_a_known_status_is_refused_where_declared_and_ignored_aloud_where_guessed():
    table = frame(state=["weird", "odd"], score=[1.0, 2.0])
    with pytest.raises(InputError, match="'odd'"):
        ogive.read(table, status="state")
    trials = ogive.read(table)
    assert not trials.failed().any()
    assert Note(NoteKind.STATUS_NOT_USED, "status", {"column": "state", "word": "odd"}) in trials.notes


def test_an_empty_status_is_that_of_the_score_and_fails_no_other_row(tmp_path: Path):
    table = frame(status=["failed", None, None, "ok"], score=[1.0, 2.0, np.nan, 4.0])
    table.to_csv(tmp_path / "s.csv", index=False)
    for source in (table, tmp_path / "s.csv"):
        assert ogive.read(source).to_pandas()["status"].tolist() == ["error", "ok", "invalid", "ok"]


def test_training_and_test_rows_are_refused_until_filtered_or_given_a_role():
    table = frame(model=["a", "a", "b", "b"], split=["train", "Test", "train", "Test"], score=[1.0, 2.0, 3.0, 4.0])
    with pytest.raises(InputError, match=r"'split'.*'Test', 'train'.*task='split'"):
        ogive.read(table)
    with pytest.raises(InputError, match="column 'split' holds"):
        ogive.read(table.astype({"split": "category"}))
    assert ogive.read(table, task="split").tasks == ("train", "Test")
    assert len(ogive.read(table[table["split"] == "Test"])) == 2


def test_names_that_differ_only_in_case_or_spaces_are_said():
    trials = ogive.read(frame(model=["SVM", "svm ", "knn"], score=[1.0, 2.0, 3.0]))
    assert trials.algorithms == ("SVM", "svm ", "knn")
    assert Note(NoteKind.ALIKE_NAMES, "algorithm", {"names": ("SVM", "svm ")}) in trials.notes


def test_what_varied_is_said_to_be_guessed():
    table = frame(seed=[0, 1], score=[1.0, 2.0])
    assert Note(NoteKind.VARIED_GUESSED, "varied", {"varied": ("seed",)}) in ogive.read(table).notes
    assert not any(note.kind is NoteKind.VARIED_GUESSED for note in ogive.read(table, varied="seed").notes)


def test_a_wide_table_needs_wide_and_then_each_column_is_a_method():
    table = frame(problem=["p", "q"], svm=[1.0, 2.0], knn=[3.0, 4.0])
    with pytest.raises(AmbiguousColumns, match="wide=True"):
        ogive.read(table)
    trials = ogive.read(table, wide=True)
    assert trials.algorithms == ("svm", "knn")
    assert trials.tasks == ("p", "q")
    assert trials.scores("knn", "q").tolist() == [4.0]


def test_in_a_wide_table_a_seed_is_no_method_and_undeclared_text_is_the_task():
    table = frame(seed=[0, 1], where=["p", "p"], svm=[1.0, 2.0], knn=[3.0, 4.0])
    trials = ogive.read(table, wide=True, pair="seed")
    assert (trials.algorithms, trials.tasks, trials.pair) == (("svm", "knn"), ("p",), "seed")
    assert ogive.read(table, wide=True).pair is None


def test_in_a_wide_table_methods_may_be_chosen_and_a_column_that_is_always_empty_failed_always():
    table = frame(svm=[1.0, 2.0], knn=[3.0, 4.0], mlp=[np.nan, np.nan])
    assert ogive.read(table, wide=True, score=["svm", "knn"]).algorithms == ("svm", "knn")
    assert ogive.read(table, wide=True).scores("mlp", failures=0.0).tolist() == [0.0, 0.0]


def test_a_method_with_text_in_a_wide_table_is_refused_and_not_dropped():
    for word, error in (("crashed", InvalidScores), ("timeout", AmbiguousColumns)):
        with pytest.raises(error, match=rf"'knn'.*row 2.*'{word}'"):
            ogive.read(frame(problem=["p", "q"], svm=[1.0, 2.0], knn=["3", word]), wide=True)


def test_several_files_without_a_method_column_are_methods_by_their_stem(tmp_path: Path):
    for name in ("svm", "knn"):
        frame(seed=[0, 1], score=[0.1, 0.2]).to_csv(tmp_path / f"{name}.csv", index=False)
    trials = ogive.read([tmp_path / "svm.csv", tmp_path / "knn.csv"])
    assert trials.algorithms == ("svm", "knn")
    assert trials.source == "svm.csv, knn.csv"


def test_files_of_the_same_name_in_two_folders_stay_two_methods(tmp_path: Path):
    for folder in ("svm", "knn"):
        (tmp_path / folder).mkdir()
        frame(score=[0.1, 0.2]).to_csv(tmp_path / folder / "scores.csv", index=False)
    trials = ogive.read([tmp_path / "svm" / "scores.csv", tmp_path / "knn" / "scores.csv"])
    assert trials.algorithms == ("svm/scores", "knn/scores")


def test_several_files_with_a_method_column_are_put_under_each_other(tmp_path: Path):
    frame(model=["a", "a"], score=[0.1, 0.2]).to_csv(tmp_path / "1.csv", index=False)
    frame(model=["b", "a"], score=[1, 2]).to_csv(tmp_path / "2.csv", index=False)
    trials = ogive.read([tmp_path / "1.csv", tmp_path / "2.csv"])
    assert trials.scores("a").tolist() == [0.1, 0.2, 2.0]


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame(score=[0.1, 0.2]).to_csv("1.csv", index=False)
    with pytest.raises(InputError, match=r"1.csv .*twice"):
        ogive.read(["1.csv", tmp_path / "1.csv"])


def test_a_file_that_is_named_twice_by_another_way_is_refused(tmp_path: Path):
    frame(score=[0.1, 0.2]).to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    (tmp_path / "x").mkdir()
    with pytest.raises(InputError, match=r"a.csv .*twice.*b.csv"):
        ogive.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    with pytest.raises(InputError, match=r"a.csv .*twice"):
        ogive.read([tmp_path / "a.csv", tmp_path / "x" / ".." / "a.csv"])


def test_row_numbers_that_pandas_wrote_are_not_the_score(tmp_path: Path):
    table = frame(model=["a", "b"], accuracy=[0.1, 0.2])
    table.to_csv(tmp_path / "s.csv")
    assert ogive.read(tmp_path / "s.csv").metrics == ("accuracy",)
    pd.read_csv(tmp_path / "s.csv").to_parquet(tmp_path / "s.parquet")
    assert ogive.read(tmp_path / "s.parquet").metrics == ("accuracy",)


def test_sources_that_do_not_fit_are_refused(tmp_path: Path):
    frame(score=[0.1, 0.2]).to_csv(tmp_path / "1.csv", index=False)
    frame(score=["x", "y"]).to_csv(tmp_path / "2.csv", index=False)
    with pytest.raises(UnreadableSource, match="do not fit"):
        ogive.read([tmp_path / "1.csv", tmp_path / "2.csv"])


def test_trials_are_given_back_as_they_are_and_facts_may_be_said_anew():
    trials = ogive.read(frame(lr=[1, 1, 2, 2], score=[0.1, 0.2, 0.3, 0.4]), params=["lr"])
    assert ogive.read(trials).table is trials.table
    assert trials.question is not None
    assert ogive.read(trials, unit="row").question is None
    by_configuration = ogive.read(trials, unit="configuration", bounds=(0, 1), goal="minimize", varied="lr")
    assert by_configuration.clustered
    assert (by_configuration.goals, by_configuration.bounds) == ({"score": "minimize"}, {"score": (0.0, 1.0)})
    assert by_configuration.varied == ("lr",)
    assert ogive.summarize(by_configuration, statistics=["mean"]).rows[0].n == 2


def test_facts_may_be_said_anew_for_a_written_table(tmp_path: Path):
    ogive.read(frame(lr=[1, 1, 2, 2], score=[0.1, 0.2, 0.3, 0.4]), params=["lr"]).write(tmp_path / "t.parquet")
    assert ogive.read(tmp_path / "t.parquet", unit="row").unit == "row"
    with pytest.raises(InputError, match=r"2 of 4.*'score'"):
        ogive.read(tmp_path / "t.parquet", bounds=(0, 0.25))
    with pytest.raises(InputError, match=r"`unit`.*'row'"):
        ogive.read(tmp_path / "t.parquet", unit="seed")


def test_roles_of_a_written_table_cannot_be_said_anew(tmp_path: Path):
    trials = ogive.read({"a": [1.0, 2.0]})
    trials.write(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="unit, varied"):
        ogive.read(tmp_path / "t.parquet", score="loss")
    with pytest.raises(InputError, match="dictionary a plain"):
        ogive.read([tmp_path / "t.parquet", {"b": [1.0]}])


def _own(scores, task, **facts):
    frame = pd.DataFrame([(m, task, i, s) for m, v in scores.items() for i, s in enumerate(v)])
    frame.columns = ["algorithm", "task", "seed", "score"]
    return ogive.read(frame, **{"pair": "seed", "varied": "seed", **facts})


def test_tables_of_ones_own_on_different_tasks_become_one_and_stay_paired(tmp_path: Path):
    first, second = _own({"a": [1, 2], "b": [3, 4]}, "x"), _own({"b": [5.5, 6], "a": [7, 8]}, "y", scope="generator")
    second.write(tmp_path / "second.parquet")
    together = ogive.read([first, tmp_path / "second.parquet"])
    assert (together.algorithms, together.tasks, together.pair) == (("a", "b"), ("x", "y"), "seed")
    assert [together.scores(m, t).tolist() for t in "xy" for m in "ab"] == [[1, 2], [3, 4], [7, 8], [5.5, 6]]
    assert (together.scope_of("x"), together.scope_of("y")) == (None, "generator")
    assert "second.parquet" in together.source


def test_methods_of_different_tables_on_one_task_are_joined_but_not_paired():
    first = _own({"a": [1, 2], "b": [2, 1]}, "x")
    together = ogive.read([first, _own({"c": [3, 4]}, "x")])
    assert (first.pair, together.pair) == ("seed", None)
    assert Note(NoteKind.NOT_PAIRED_TABLES) in together.notes


def test_what_is_said_when_tables_are_joined_settles_in_what_they_differ():
    bounded, open_ended = _own({"a": [0, 1]}, "x", bounds=(0, 1)), _own({"b": [1, 0]}, "x")
    with pytest.raises(InputError, match="differ in metrics"):
        ogive.read([bounded, open_ended])
    assert ogive.read([bounded, open_ended], bounds=(0, 1)).bounds == {"score": (0, 1)}


def test_a_unit_said_anew_does_not_join_tables_whose_units_are_not_the_same():
    first, second = (_own({m: [1, 2, 3, 4]}, "x") for m in "ab")
    with pytest.raises(InputError, match="'x'"):
        ogive.read([first, second], unit="trial")


@pytest.mark.parametrize(
    ("second", "facts", "message"),
    [
        ({"a": [3, 4]}, {}, "'a' on 'x' is in .* rows of two tables are not one sample"),
        ({"b": [3, 4]}, {"goal": "minimize"}, "differ in metrics"),
        ({"b": [3, 4]}, {"varied": "split"}, "differ in what varied"),
        ({"b": [3, 4]}, {"scope": "generator"}, "differ in what the rows of 'x' stand for"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(second, facts, message):
    with pytest.raises(InputError, match=message):
        ogive.read([_own({"a": [1, 2]}, "x"), _own(second, "x", **facts)])


@pytest.mark.parametrize("source", [42, None, [1.0, 2.0], np.arange(4.0), b"scores.csv", {1.0, 2.0}], ids=str)
def test_what_is_no_source_is_refused_with_what_would_be_one(source):
    with pytest.raises(UnreadableSource, match="'name': scores"):
        ogive.read(source)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"varied": 3}, "`varied` must be a name or a list of names; got 3"),
        ({"score": 0}, "`score` must be a name or a list of names; got 0"),
        ({"params": [1]}, r"`params` must be a name or a list of names; got \[1\]"),
        ({"repeat": ["seed"]}, r"`repeat` must be one name; got \['seed'\]"),
        ({"unit": 1}, "`unit` must be one name; got 1"),
        ({"scope": "blah"}, "`scope` must be 'generator' .* or 'these rows' .*; got 'blah'"),
        ({"independent": "no"}, "`independent` must be True or False; got 'no'"),
        ({"wide": "no"}, "`wide` must be True or False; got 'no'"),
        ({"task": ["x", "y"]}, "`task`: there is no column 'x'; the columns are 'model', 'score'"),
        ({"task": 3}, "`task` must be a name or a list of names; got 3"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_by_name(said, message):
    with pytest.raises(InputError, match=message):
        ogive.read(frame(model=["a", "b"], score=[1.0, 2.0]), **said)


@pytest.mark.parametrize("scope", ["generator", "these rows", "these 768 rows"])
def test_a_scope_is_one_of_two_with_or_without_its_number_of_rows(scope):
    assert ogive.read({"a": [0.1, 0.2]}, scope=scope).scope == scope


def test_an_empty_list_is_refused():
    with pytest.raises(UnreadableSource, match="empty list"):
        ogive.read([])


@pytest.mark.parametrize("bounds", [[0, 1], np.array([0.0, 1.0])], ids=["list", "array"])
def test_bounds_of_a_table_may_be_any_pair(bounds):
    trials = ogive.read({"a": [0.1, 0.2]})
    assert ogive.read(trials, bounds=bounds).bounds == {"score": (0.0, 1.0)}
    with pytest.raises(InputError, match="`bounds`"):
        ogive.read(trials, bounds=5)


def test_folds_of_a_table_read_again_give_way_to_a_unit():
    trials = ogive.read(frame(param_lr=[1, 1, 2, 2], fold=[0, 1, 0, 1], score=[0.1, 0.2, 0.3, 0.4]))
    again = ogive.read(trials, unit="configuration")
    assert (again.clustered, again.n_folds, again.question) == (True, None, None)
    assert ogive.read(trials, unit="fold").n_folds == 2


def test_an_address_that_is_no_storage_is_refused_without_its_password():
    with pytest.raises(UnreadableSource, match=r"postgres://\*\*\*@host/db "):
        ogive.read("postgres://me:secret@host/db")


def test_a_score_column_with_one_word_in_it_is_refused_with_that_word():
    frame = pd.DataFrame({"solver": ["a", "b"], "time": ["1", "timeout"]})
    with pytest.raises(UnreadableSource, match=r"'time'.*'timeout'"):
        ogive.read(frame, algorithm="solver")


def test_two_stores_that_call_different_tasks_by_one_name_are_not_joined(tmp_path: Path):
    for name, n in (("one", 60), ("two", 80)):
        method = ogive.Algorithm(name, lambda config, train, test, rng: float(rng.random()))
        study = ogive.Study(name, method, ogive.tasks.moons(n=n), seed=1)
        ogive.run(study, 3, tmp_path / name, workers=0, progress=False)
    with pytest.raises(InputError, match="'moons'"):
        ogive.read([tmp_path / "one", tmp_path / "two"])


def test_a_file_that_names_no_method_becomes_one_beside_others_that_do(tmp_path):
    pd.DataFrame({"seed": range(4), "score": [1.0, 2, 3, 4]}).to_csv(tmp_path / "mine.csv", index=False)
    pd.DataFrame({"model": [7, 7], "seed": range(2), "score": [1.0, 2]}).to_csv(tmp_path / "theirs.csv", index=False)
    pd.DataFrame({"agent": ["b", "b"], "seed": range(2), "score": [1.0, 2]}).to_csv(tmp_path / "ours.csv", index=False)
    assert ogive.read([tmp_path / "mine.csv", tmp_path / "theirs.csv"]).algorithms == ("mine", "7")
    assert ogive.read([tmp_path / "theirs.csv", tmp_path / "ours.csv"]).algorithms == ("7", "b")


def test_rows_that_are_still_running_are_left_out_and_counted():
    table = pd.DataFrame({"score": [0.1, 0.2, None, 0.3, None], "status": ["ok", "ok", "RUNNING", "ok", "failed"]})
    trials = ogive.read(table)
    assert len(trials) == 4
    assert int(trials.failed().sum()) == 1
    left = {"n": 1, "of_rows": 5, "what": "row", "column": "status", "gone": ()}
    assert Note(NoteKind.LEFT_OUT, "status", left) in trials.notes


@pytest.mark.parametrize("word", ["running", "QUEUED", "TrialState.WAITING", "pending"])
def test_every_word_for_unfinished_leaves_a_row_out(word):
    table = pd.DataFrame({"model": list("aaabb"), "score": [1, 2, 3, None, None], "status": ["ok"] * 3 + [word] * 2})
    trials = ogive.read(table)
    assert (len(trials), trials.algorithms) == (3, ("a",))
    assert any(note.kind is NoteKind.LEFT_OUT and note.values["gone"] == ("b",) for note in trials.notes)


def test_a_blank_column_of_methods_beside_a_full_one_becomes_a_method():
    full = pd.DataFrame({"model": list("ab") * 3, "score": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]})
    assert ogive.read([full, full.assign(model=np.nan)]).algorithms == ("a", "b", "data frame (2)")


def test_rates_may_be_the_headers_of_a_wide_file(tmp_path):
    (tmp_path / "rates.csv").write_text("0.1,0.01\n0.5,0.6\n0.4,0.7\n")
    assert ogive.read(tmp_path / "rates.csv", wide=True).algorithms == ("0.1", "0.01")


def test_an_index_that_names_every_row_names_runs():
    frame = pd.DataFrame({"score": [0.1, 0.2, 0.3]}, index=["run0", "run1", "run2"])
    assert ogive.read(frame).algorithms == ("data frame",)


@pytest.mark.parametrize(
    "texts", [["64,64", "128,64"], ["0,1", "2,3"], ["550e8400", "1e54321"], ["256,128,64", "64,32,16"]]
)
def test_lists_and_hashes_are_no_scores(texts):
    frame = pd.DataFrame({"accuracy": np.linspace(0, 1, 20), "other": texts * 10})
    assert ogive.read(frame, unit="row").metrics == ("accuracy",)


def test_a_wide_table_has_no_column_of_methods():
    frame = pd.DataFrame({"model": ["a", "b"], "seed_0": [0.1, 0.2], "seed_1": [0.3, 0.4]})
    with pytest.raises(InputError, match=r"`wide`.*`algorithm`.*'model'"):
        ogive.read(frame, wide=True, algorithm="model")
