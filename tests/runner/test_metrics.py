"""What a metric that nobody declared means, and what a metric that is no number does to the others."""

import json
import math

import numpy as np
import pytest

import ogive
from ogive.algorithms import Algorithm
from ogive.errors import FailedTrials
from ogive.notes import Note, NoteKind
from ogive.runner import run
from ogive.runner._progress import Progress
from ogive.runner._status import failure_groups, status
from ogive.store import Store
from ogive.study import Study
from ogive.tasks import none

N = 20
TOLD = "metric 'cross_entropy' is inf."


def numbers(config, rng):
    """Accuracy and cross-entropy; the latter is infinite now and then."""
    x = rng.random()
    return {"accuracy": x, "cross_entropy": math.inf if x < 0.15 else 1 - x}


def study(*names):
    return Study("s", [Algorithm(name, numbers) for name in names or ("a",)], none(), seed=2)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    place = Store(tmp_path_factory.mktemp("metrics") / "s")
    run(study("a", "b"), N, place, workers=0, progress=False)
    return place


@pytest.fixture
def trials(store):
    return store.trials()


def test_a_metric_that_nobody_declared_has_the_direction_of_a_column_of_that_name(trials, tmp_path):
    trials.write(tmp_path / "scores.csv")
    assert trials.goals == {"accuracy": "maximize", "cross_entropy": "minimize"}
    read = ogive.read(tmp_path / "scores.csv", score=["accuracy", "cross_entropy"], algorithm="algorithm")
    assert read.goals == trials.goals
    for metric, goal in trials.goals.items():
        assert Note(NoteKind.GOAL_ASSUMED, "goal", {"metric": metric, "goal": goal}) in trials.notes


def test_a_run_says_in_the_log_which_directions_it_took_from_names(caplog):
    with caplog.at_level("INFO", logger="ogive"):
        run(study(), 2, workers=0, progress=False)
    assert "goal of 'cross_entropy': minimize, without bounds (guessed from its name" in caplog.text


def test_a_bare_number_is_maximized():
    trials = run(Study("s", Algorithm("a", lambda config, rng: rng.random()), none()), 3, workers=0, progress=False)
    assert trials.goals == {"score": "maximize"}


def test_what_is_shown_meanwhile_has_the_direction_of_the_name():
    seen = []
    loss = Algorithm("a", lambda config, rng: {"loss": rng.random()})
    run(Study("s", loss, none()), 40, workers=0, progress=seen.append, statistic="worst_0.1")
    up = run(Study("s", loss, none(), metrics={"loss": "maximize"}), 40, workers=0, progress=False)
    assert seen[-1].cells[0].interval.estimate > np.mean(up.scores())


def test_an_infinite_metric_leaves_the_others_of_its_trial_alone(trials):
    for name in ("a", "b"):
        rows = trials.cell(name).rows
        bad = trials.values("accuracy")[rows] < 0.15
        assert 0 < np.count_nonzero(bad) < N
        np.testing.assert_array_equal(trials.failed("cross_entropy")[rows], bad)
        assert not trials.failed("accuracy")[rows].any()
        assert trials.scores(name, metric="accuracy").size == N
        with pytest.raises(FailedTrials, match="no usable"):
            trials.scores(name, metric="cross_entropy")
    assert trials.failures("accuracy") == []
    assert {(f["status"], f["message"]) for f in trials.failures("cross_entropy")} == {("invalid", TOLD)}


def test_answers_on_the_good_metric_use_every_trial_and_on_the_bad_one_the_failure_rule(trials):
    good = ogive.summarize(trials, metric="accuracy").to_pandas()
    assert set(good["n"]) == {N}
    assert set(good["n_failed"]) == {0}
    assert ogive.compare(trials, "a", "b", metric="accuracy").conclusion
    with pytest.raises(FailedTrials, match="have no usable 'cross_entropy'"):
        ogive.compare(trials, "a", "b", metric="cross_entropy")
    bad = ogive.summarize(trials, metric="cross_entropy", failures="exclude").to_pandas()
    failed = {name: int(np.count_nonzero(trials.failed("cross_entropy")[trials.cell(name).rows])) for name in "ab"}
    assert dict(zip(bad["algorithm"], bad["n_failed"], strict=True)) == failed


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_that_was_written_fails_by_the_same_metrics(trials, tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    trials.write(path)
    roles = {} if ending == "parquet" else {"score": ["accuracy", "cross_entropy"]}
    again = ogive.read(path, **roles)
    for metric in trials.metrics:
        np.testing.assert_array_equal(again.failed(metric), trials.failed(metric))


def test_a_trial_is_invalid_where_none_of_its_metrics_is_a_number():
    def nothing(config, rng):
        return {"accuracy": math.nan, "loss": math.inf}

    trials = run(Study("s", Algorithm("a", nothing), none()), 2, workers=0, progress=False)
    assert trials.metrics == ("accuracy", "loss")
    assert trials.table["status"].to_pylist() == ["invalid"] * 2
    assert trials.failures() == [
        {"algorithm": "a", "task": "none", "status": "invalid", "message": "metric 'accuracy' is nan; metric 'loss' is inf.", "count": 2}
    ]  # fmt: skip


def test_a_metric_that_is_never_a_number_is_a_column_of_failures():
    def half(config, rng):
        return {"loss": math.inf, "accuracy": 1.0}

    trials = run(Study("s", Algorithm("a", half), none()), 2, workers=0, progress=False)
    assert trials.metrics == ("loss", "accuracy")  # in the order of the algorithm, whichever are numbers
    assert trials.failed("loss").all()


@pytest.mark.parametrize(("workers", "chunk"), [(1, None), (2, 3)])
def test_workers_and_chunks_say_the_same_of_unusable_metrics(store, content, workers, chunk):
    assert content(run(study("a", "b"), N, workers=workers, chunk=chunk, progress=False)) == content(store.trials())


def test_status_counts_unusable_metrics_beside_the_statuses(store, trials):
    found = status(store.path)
    for row in found.rows:
        n = int(np.count_nonzero(trials.failed("cross_entropy")[trials.cell(row["algorithm"]).rows]))
        assert (row["ok"], row["invalid"], row["unusable"]) == (N, 0, {"cross_entropy": n})
        assert f"{n} without a usable cross_entropy" in str(found)
    json.dumps(found.to_dict())


def test_failure_groups_name_trials_that_failed_in_part(trials):
    [group] = failure_groups(trials)
    assert (group["status"], group["message"], group["partly"]) == ("invalid", TOLD, True)
    assert group["count"] == np.count_nonzero(trials.failed("cross_entropy"))


def test_progress_counts_unusable_metrics():
    seen: list[Progress] = []
    trials = run(study(), N, workers=0, progress=seen.append)
    n = int(np.count_nonzero(trials.failed("cross_entropy")))
    assert seen[-1].unusable == {"cross_entropy": n}
    assert f"{n} without cross_entropy" in str(seen[-1])


def test_invalid_trials_that_are_run_again_include_those_that_failed_in_part(tmp_path):
    place = Store(tmp_path / "s")
    first = run(study(), N, place, workers=0, progress=False)
    run(study(), N, place, workers=0, progress=False, retry="timeout")
    assert set(place.table()["attempt"].to_pylist()) == {0}
    run(study(), N, place, workers=0, progress=False, retry="invalid")
    np.testing.assert_array_equal(place.table()["attempt"].to_numpy() == 1, first.failed("cross_entropy"))
    place.compact()
    assert status(place.path).rows[0]["unusable"] == {"cross_entropy": np.count_nonzero(first.failed("cross_entropy"))}
