"""Optuna studies: object, SQLite, URL, journal."""

import hashlib
import shutil
import sqlite3
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import ogive
from ogive.errors import InputError, UnreadableSource
from ogive.notes import Note, NoteKind

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial) -> float:
    x = trial.suggest_float("x", 0, 1)
    kind = trial.suggest_categorical("kind", ["a", "b"])
    if trial.number == 2:
        raise optuna.TrialPruned
    if trial.number == 3:
        raise RuntimeError("out of luck")
    return x + (kind == "a")


def run(storage=None, name="demo", sampler=None, n=8, direction="minimize"):
    study = optuna.create_study(
        storage=storage, study_name=name, direction=direction, sampler=sampler or optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(objective, n_trials=n, catch=(RuntimeError,))
    return study


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(scope="module")
def sqlite_study(tmp_path_factory):
    """Stores a study in an SQLite file; the tables, which take long to make, are copied from one made once."""
    template = tmp_path_factory.mktemp("optuna") / "tables.db"
    optuna.storages.RDBStorage(f"sqlite:///{template}").engine.dispose()

    def store(path: Path, **options) -> Path:
        if not path.exists():
            shutil.copyfile(template, path)
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        run(storage, **options)
        storage.engine.dispose()
        return path

    return store


def journal_study(path: Path, **options) -> Path:
    run(optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(str(path))), **options)
    return path


def test_failed_and_pruned_trials_become_rows_with_a_status():
    study = run()
    trials = ogive.read(study)
    assert len(trials) == 8
    assert trials.failed().tolist() == [i in (2, 3) for i in range(8)]
    assert {(f["status"], f["message"]) for f in trials.failures()} >= {("error", "pruned")}
    values = [t.value for t in study.trials if t.state.name == "COMPLETE"]
    assert trials.scores(failures="exclude").tolist() == values
    assert trials.goals == {"value": "minimize"}
    assert trials.algorithms == ("demo",)
    assert '"kind":' in trials.to_pandas()["params"][0]
    assert trials.to_pandas()["wall_s"].notna().all()


def test_random_sampling_is_independent_and_tpe_is_not():
    assert ogive.read(run()).independent
    adaptive = ogive.read(run(sampler=optuna.samplers.TPESampler(seed=0)))
    assert not adaptive.independent
    assert any(note.kind is NoteKind.NOT_INDEPENDENT for note in adaptive.notes)
    assert ogive.read(run(sampler=optuna.samplers.TPESampler(seed=0)), independent=True).independent


@pytest.mark.parametrize("kind", ["SQLite", "journal"])
def test_a_stored_study_is_read_without_touching_it(tmp_path: Path, kind, sqlite_study):
    path = {"SQLite": sqlite_study, "journal": journal_study}[kind](tmp_path / "study one 100%.db")
    before, beside = digest(path), sorted(tmp_path.iterdir())
    trials = ogive.read(path)
    assert (trials.algorithms, len(trials)) == (("demo",), 8)
    assert trials.scores(failures="exclude").tolist() == ogive.read(run()).scores(failures="exclude").tolist()
    assert digest(path) == before
    assert sorted(tmp_path.iterdir()) == beside


def test_a_stored_study_is_adaptive_unless_said_otherwise(tmp_path: Path, sqlite_study):
    path = sqlite_study(tmp_path / "s.db")
    assert not ogive.read(path).independent
    assert ogive.read(path, independent=True).independent


def test_a_sqlite_url_is_read_and_never_makes_a_file(tmp_path: Path, sqlite_study):
    path = sqlite_study(tmp_path / "s.db")
    before = digest(path)
    assert len(ogive.read(f"sqlite:///{path}")) == 8
    assert digest(path) == before
    with pytest.raises(UnreadableSource, match=r"absent.db"):
        ogive.read(f"sqlite:///{tmp_path}/absent.db")
    assert not (tmp_path / "absent.db").exists()


def test_several_studies_are_several_methods(tmp_path: Path, sqlite_study):
    a, b = sqlite_study(tmp_path / "a.db", name="svm"), journal_study(tmp_path / "b.log", name="knn")
    assert ogive.read([a, b]).algorithms == ("svm", "knn")
    assert ogive.read([run(name="p"), run(name="q")]).algorithms == ("p", "q")


def test_studies_of_one_name_stay_two_methods(tmp_path: Path, sqlite_study):
    files = [sqlite_study(tmp_path / f"{name}.db") for name in ("a", "b")]
    names = ogive.read(files).algorithms
    assert len(names) == 2
    assert [name.endswith(f"/{stem})") for name, stem in zip(names, "ab", strict=True)] == [True, True]


def test_one_storage_may_hold_several_studies(tmp_path: Path, sqlite_study):
    path = sqlite_study(tmp_path / "s.db", name="svm")
    sqlite_study(path, name="knn")
    assert set(ogive.read(path).algorithms) == {"svm", "knn"}


def test_studies_with_opposite_directions_are_refused_until_the_goal_is_said():
    studies = [run(name="p"), run(name="q", direction="maximize")]
    with pytest.raises(InputError, match=r"'value'.*goal="):
        ogive.read(studies)
    assert ogive.read(studies, goal="minimize").goals == {"value": "minimize"}
    assert ogive.read(studies, goal={"value": "maximize"}).goals == {"value": "maximize"}


def test_several_objectives_are_several_metrics_with_their_goals():
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), t.number), n_trials=4)
    trials = ogive.read(study)
    assert trials.goals == {"value_0": "minimize", "value_1": "maximize"}
    assert trials.scores(metric="value_1").tolist() == [0.0, 1.0, 2.0, 3.0]
    # Saying one goal leaves the other as the study knows it.
    assert ogive.read(study, goal={"value_1": "minimize"}).goals == {"value_0": "minimize", "value_1": "minimize"}
    assert ogive.read(study, score="value_1").goals == {"value_1": "maximize"}


def test_named_objectives_keep_their_names():
    study = optuna.create_study(directions=["minimize", "maximize"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.set_metric_names(["seconds", "accuracy"])
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=3)
    assert ogive.read(study).goals == {"seconds": "minimize", "accuracy": "maximize"}


@pytest.mark.parametrize(
    ("names", "message"),
    [(["wall_s", "a"], "may not be called 'wall_s'"), (["trial", "a"], "'trial'"), (["params", "a"], "'params'"),
     (["a", "a"], "has metrics of the same name")],
)  # fmt: skip
def test_metrics_that_would_hide_another_column_are_refused(names, message):
    study = optuna.create_study(directions=["minimize", "maximize"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.set_metric_names(names)
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=2)
    with pytest.raises(InputError, match=message):
        ogive.read(study)


def test_repeated_configurations_of_an_adaptive_study_are_described_all_the_same():
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(lambda t: t.suggest_int("k", 0, 1) + 0.01 * t.number, n_trials=6)
    rows = ogive.summarize(ogive.read(study)).rows
    assert all(np.isnan(r.low) and r.guarantee == "descriptive" for r in rows)
    assert not np.isnan(rows[0].estimate)


def test_trials_that_are_not_finished_are_left_out_with_a_note():
    study = run()
    study.ask()
    study.enqueue_trial({"x": 0.5})
    trials = ogive.read(study)
    assert len(trials) == 8
    assert trials.independent
    assert Note(NoteKind.TRIALS_LEFT_OUT, values={"n": 2, "study": "demo"}) in trials.notes


def test_trials_that_were_enqueued_are_not_drawn():
    study = optuna.create_study(study_name="demo", sampler=optuna.samplers.RandomSampler(seed=0))
    study.enqueue_trial({"x": 0.5, "kind": "a"})
    study.optimize(objective, n_trials=2)
    trials = ogive.read(study)
    assert not trials.independent
    assert Note(NoteKind.ENQUEUED, values={"n": 1, "study": "demo"}) in trials.notes


def test_a_study_without_finished_trials_is_refused():
    with pytest.raises(UnreadableSource, match="'empty'"):
        ogive.read(optuna.create_study(study_name="empty"))


def test_a_database_that_is_not_optunas_is_refused(tmp_path: Path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("create table t (x)")
        connection.commit()
    before = digest(path)
    with pytest.raises(UnreadableSource, match="SQLite"):
        ogive.read(path)
    assert digest(path) == before


def test_a_damaged_database_is_refused(tmp_path: Path):
    path = tmp_path / "broken.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\xff" * 500)
    with pytest.raises(UnreadableSource, match=r"broken.db"):
        ogive.read(path)


def test_a_study_from_the_wild_is_read(real_data):
    path = real_data / "optuna_example_study.db"
    before = digest(path)
    trials = ogive.read(path)
    assert (trials.algorithms, len(trials), trials.independent) == (("example-study",), 40, False)
    assert digest(path) == before


def test_a_storage_that_cannot_be_reached_is_refused_without_its_password(monkeypatch):
    def fail(url, **options):
        raise RuntimeError(f"cannot connect to {url}")

    monkeypatch.setattr(optuna.storages, "RDBStorage", fail)
    with pytest.raises(UnreadableSource, match=r"^mysql://\*\*\*@host/db\?password=\*\*\* ") as caught:
        ogive.read("mysql://me:se@cret@host/db?password=secret2")
    assert "cret" not in str(caught.value)
