"""Tables over steps: the rows of a run are one run with a curve, and each doubt has a rule."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import ogive
from ogive.errors import FailedTrials, InputError
from ogive.importers._steps import _alike
from ogive.notes import NoteKind


def rows(steps, values=None, *, agent="a", task="t", seed=0, step="frame"):
    """The rows of one run."""
    values = np.asarray(steps, dtype=float) if values is None else values
    return pd.DataFrame({"agent": agent, "game": task, "seed": seed, step: steps, "return": values})


def runs(n_seeds=3, agents="ab", n_steps=6, **more):
    """Seeds of agents on one task, whose returns are their step and their seed."""
    steps = np.arange(n_steps) * 10
    return pd.concat(
        [rows(steps, steps + 100.0 * s, agent=a, seed=s, **more) for a in agents for s in range(n_seeds)],
        ignore_index=True,
    )


def kinds(trials):
    return {note.kind for note in trials.notes}


def only_run(trials, agent="a", task="t"):
    (run,) = trials.curves(agent, task, "return").values()
    return run


def test_a_table_of_24_tasks_with_10_seeds_over_127_frames_is_240_runs():
    rng = np.random.default_rng(0)
    table = pd.concat(
        [
            rows(np.cumsum(rng.integers(900, 1100, n)), rng.normal(size=n), task=f"game {t}", seed=s).drop(
                columns="agent"
            )
            for t in range(24)
            for s in range(10)
            for n in (int(rng.integers(120, 134)),)
        ]
    )
    assert len(table) > 30_000
    trials = ogive.read(table)
    assert (len(trials), len(trials.tasks), trials.step, trials.question) == (240, 24, "frame", None)
    assert all(row.n == 10 for row in ogive.summarize(trials, statistics=["mean"]).rows)
    note = next(note for note in trials.notes if note.kind is NoteKind.CURVES_READ)
    assert (note.values["n_runs"], note.values["n_rows"]) == (240, len(table))
    assert note.is_doubtful


@pytest.mark.parametrize("step", ["step", "frame", "timestep", "iteration", "epoch", "Global Step"])
def test_a_column_that_is_called_so_is_read_as_steps_and_said_to_be_guessed(step):
    trials = ogive.read(runs(step=step))
    assert (len(trials), trials.step) == (6, step)
    assert trials.scores("a", "t").tolist() == [50.0, 150.0, 250.0]
    assert "(guessed)" in str(next(note for note in trials.notes if note.kind is NoteKind.CURVES_READ))


@pytest.mark.parametrize("step", ["updates", "steps", "epochs"])
def test_a_count_that_could_be_a_setting_is_asked_about_and_read_where_it_is_said(step):
    with pytest.raises(InputError, match=rf"step='{step}' if they are, params='{step}' if it is a hyper-parameter"):
        ogive.read(runs(step=step))
    assert len(ogive.read(runs(step=step), step=step)) == 6


def test_runs_of_unequal_length_keep_their_own_steps_and_the_note_says_so():
    table = pd.concat([rows([0, 10, 20], seed=0), rows([0, 7, 14, 21, 28], seed=1), rows([5, 100], seed=2)])
    trials = ogive.read(table)
    found = trials.curves("a", "t", "return")
    assert {seed: run.steps.tolist() for seed, run in found.items()} == {
        0: [0.0, 10.0, 20.0], 1: [0.0, 7.0, 14.0, 21.0, 28.0], 2: [5.0, 100.0],
    }  # fmt: skip
    assert trials.scores().tolist() == [20.0, 28.0, 100.0]
    said = next(note for note in trials.notes if note.kind is NoteKind.CURVE_SCORE)
    assert (said.values["n_early"], said.values["first_end"], said.values["last_end"]) == (2, 20.0, 100.0)


def test_one_run_is_one_run():
    trials = ogive.read(rows([0, 10, 20]), step="frame")
    assert (len(trials), trials.scores().tolist()) == (1, [20.0])


def test_a_run_that_stops_early_keeps_its_last_value_to_a_budget_and_is_counted():
    table = pd.concat([rows([0, 10, 20, 30], seed=0), rows([0, 10], seed=1)])
    trials = ogive.read(table, budget=25)
    assert trials.scores().tolist() == [20.0, 10.0]
    said = next(note for note in trials.notes if note.kind is NoteKind.CURVE_SCORE)
    assert said.values["n_early"] == 1
    assert "1 of 2 runs ended before, the first at 10, and keep their last value" in str(said)


def test_a_run_that_begins_after_the_budget_has_no_score_there():
    trials = ogive.read(pd.concat([rows([0, 10], seed=0), rows([1, 10], seed=2), rows([5, 10], seed=1)]), budget=3)
    assert len(trials.failures()) == 1
    with pytest.raises(InputError, match="1 of 3 trials"):
        ogive.summarize(trials)


def test_rows_without_a_step_are_left_out_where_they_have_no_score_and_refused_where_they_have_one():
    table = runs().astype({"frame": float})
    empty = table.iloc[:1].assign(frame=np.nan)
    trials = ogive.read(pd.concat([table, empty.assign(**{"return": np.nan})]))
    assert (len(trials), NoteKind.STEPS_EMPTY in kinds(trials)) == (6, True)
    with pytest.raises(
        InputError, match=r"'frame' holds no number in 1 row with a score \(the first is row 37\).*where='frame!='"
    ):
        ogive.read(pd.concat([table, empty]))
    with pytest.raises(InputError, match="'frame' is empty in every row"):
        ogive.read(table.assign(frame=np.nan, **{"return": np.nan}), step="frame")


def test_a_step_without_a_value_was_not_evaluated_and_the_value_before_it_stands():
    run = only_run(ogive.read(rows([0, 10, 20, 30], [1.0, np.nan, 3.0, 4.0])))
    assert run.at([0, 10, 20, 30]).tolist() == [1.0, 1.0, 3.0, 4.0]


def test_a_run_whose_values_stop_before_it_does_has_failed():
    trials = ogive.read(pd.concat([runs(), rows([0, 10, 20, 30], [1.0, 2.0, np.nan, np.nan], agent="b", seed=9)]))
    assert [(f["algorithm"], f["status"]) for f in trials.failures()] == [("b", "invalid")]
    assert_array_equal(trials.curves("b", "t", "return")[9].at([10, 19, 20, 99]), [2.0, 2.0, np.nan, np.nan])
    assert ogive.read(rows([0, 10, 20, 30], [1.0, 2.0, np.inf, np.inf]), budget=10).scores().tolist() == [2.0]


def test_rows_after_the_last_evaluation_that_was_due_are_no_failure():
    """Every third row is evaluated, and the run ends two rows later."""
    values = [1.0, np.nan, np.nan, 2.0, np.nan, np.nan, 3.0, np.nan, np.nan]
    assert ogive.read(rows(np.arange(9) * 10, values)).scores().tolist() == [3.0]


def test_the_order_of_rows_in_the_file_does_not_matter():
    table = runs()
    mixed = ogive.read(table.sample(frac=1.0, random_state=3))
    for (agent, seed), part in table.groupby(["agent", "seed"]):
        run = mixed.curves(agent, "t", "return")[seed]
        assert_array_equal([run.steps, run.values], [part["frame"], part["return"]])


def test_a_run_that_went_on_from_a_checkpoint_counts_with_its_later_rows():
    again = pd.concat(
        [rows([0, 10, 20, 30, 40], seed=0), rows([30, 40, 50], [-3.0, -4.0, -5.0], seed=0), rows([0, 50], seed=1)]
    )
    trials = ogive.read(again)
    assert trials.curves("a", "t", "return")[0].values.tolist() == [0.0, 10.0, 20.0, -3.0, -4.0, -5.0]
    said = next(note for note in trials.notes if note.kind is NoteKind.STEPS_TWICE)
    assert (said.values["n"], said.is_warning) == (2, True)


def test_several_runs_in_one_are_asked_for_what_numbers_them():
    table = runs().drop(columns="seed")
    with pytest.raises(InputError, match=r"'frame' holds the same steps several times in 2 runs of 2.*repeat="):
        ogive.read(table)
    named = runs().rename(columns={"seed": "variant"})
    with pytest.raises(
        InputError,
        match="column 'variant' tells them apart: choose one of its values with where=, say repeat='variant'",
    ):
        ogive.read(named)
    assert len(ogive.read(named, repeat="variant")) == 6


def test_without_a_column_of_runs_a_method_on_a_task_has_one_run_where_all_have_the_same_steps():
    one = runs(n_seeds=1).drop(columns="seed")
    assert len(ogive.read(one)) == 2
    other = one[(one.agent == "a") | (one.frame < 30)]
    with pytest.raises(InputError, match="step='frame'"):
        ogive.read(other)
    assert len(ogive.read(other, step="frame")) == 2


def test_two_metrics_have_a_curve_each_though_they_were_logged_at_different_steps():
    table = pd.concat(
        [
            pd.DataFrame(
                {"agent": "a", "seed": s, "step": np.arange(8), "loss": [8.0, None] * 4, "return": [None, s] * 4}
            )
            for s in range(3)
        ]
    )
    trials = ogive.read(table, score=["return", "loss"])
    assert (len(trials), trials.series_names) == (3, ("return", "loss"))
    assert trials.curves(name="return")[2].steps.tolist() == [1, 3, 5, 7]
    assert trials.curves(name="loss")[2].steps.tolist() == [0, 2, 4, 6]
    assert [trials.scores(metric=m).tolist() for m in ("return", "loss")] == [[0.0, 1.0, 2.0], [8.0] * 3]


def test_the_area_is_the_mean_of_the_staircase_over_its_steps():
    table = pd.concat([rows([0, 10, 40], [1.0, 4.0, 9.0], seed=0), rows([10, 20], [2.0, 6.0], seed=1)])
    assert ogive.read(table, area=True).scores().tolist() == [(10 * 1 + 30 * 4) / 40, 2.0]
    assert ogive.read(table, area=True, budget=30).scores().tolist() == [(10 * 1 + 20 * 4) / 30, (10 * 2 + 10 * 6) / 20]


def test_a_score_at_a_budget_is_a_score_for_every_answer():
    rng = np.random.default_rng(5)
    table = runs(n_seeds=12, n_steps=11)
    table["return"] = rng.normal(size=len(table)) + np.where((table.agent == "a") == (table.frame < 55), 9.0, 0.0)
    early, late = ogive.read(table, budget=50), ogive.read(table)
    assert [ogive.compare(t, "a", "b").conclusion for t in (early, late)] == ["better", "worse"]
    assert [ogive.rank(t).to_pandas().algorithm[0] for t in (early, late)] == ["a", "b"]


def test_a_table_keeps_its_curves_in_parquet_and_takes_another_budget_there(tmp_path: Path):
    ogive.read(runs()).write(tmp_path / "runs.parquet")
    again = ogive.read(tmp_path / "runs.parquet", budget=20)
    assert (again.step, again.scores("b", "t").tolist()) == ("frame", [20.0, 120.0, 220.0])
    assert sum(note.kind is NoteKind.CURVE_SCORE for note in again.notes) == 1


def test_a_budget_for_runs_without_a_curve_is_refused():
    with pytest.raises(InputError, match=r"runs with a curve, and the table has none.*step="):
        ogive.read({"a": [1.0, 2.0]}, budget=10)
    with pytest.raises(InputError, match="`budget` 60 lies beyond the last step of every run, which is 50 at most"):
        ogive.read(runs(), budget=60)
    with pytest.raises(InputError, match=r"`budget` must be a positive number; got -1"):
        ogive.read(runs(), budget=-1)


def test_configurations_with_the_same_seeds_are_runs_of_their_own():
    table = pd.concat([runs().assign(param_lr=lr) for lr in (0.1, 0.2)])
    trials = ogive.read(table)
    assert (len(trials), len(trials.curves("a", "t", "return"))) == (12, 6)


def test_a_rate_that_falls_with_every_step_is_no_configuration():
    table = runs()
    trials = ogive.read(table.assign(param_lr=1.0 / (1 + table.frame)))
    assert (len(trials), len(trials.curves("a", "t", "return")[0].steps)) == (6, 6)


@pytest.mark.parametrize("value", ["10k", pd.Timestamp("2026-01-01")])
def test_steps_that_are_no_numbers_are_refused(value):
    with pytest.raises(InputError, match=r"`step`: column 'frame' must hold numbers.*it holds values such as"):
        ogive.read(runs().assign(frame=value), step="frame")


def test_what_changes_from_step_to_step_is_no_question_and_the_clock_is_that_of_the_last_step():
    table = runs()
    table = table.assign(phase=["x", "y"] * 18, wall_time=table.frame / 2.0)
    trials = ogive.read(table)
    assert trials.question is None
    assert trials.to_pandas()["wall_s"].tolist() == [25.0] * 6


def test_methods_as_columns_over_steps_are_runs(tmp_path: Path):
    wide = pd.DataFrame(
        {"seed": np.repeat([0, 1], 3), "step": [0, 1, 2] * 2, "ppo": np.arange(6.0), "sac": np.arange(6.0) * 2}
    )
    trials = ogive.read(wide, wide=True)
    assert (trials.algorithms, trials.scores("sac").tolist()) == (("ppo", "sac"), [4.0, 10.0])


def test_real_logs_over_steps_are_runs_that_crashed_or_did_not(real_data: Path):
    source = real_data / "logs" / "sb3" / "truth.csv"
    trials = ogive.read(source, where={"metric": "monitor/r"})
    assert (len(trials), trials.step, trials.unit) == (12, "step", None)
    assert [(f["algorithm"], f["status"]) for f in trials.failures()] == [("A2C", "crashed")]
    with pytest.raises(InputError, match="'step'"):
        ogive.read(source)


def test_environments_side_by_side_that_end_at_the_same_steps_are_asked_about(real_data: Path):
    source = real_data / "logs" / "cleanrl" / "truth.csv"
    trials = ogive.read(source, where={"metric": "charts/episodic_return"})
    assert (len(trials), trials.unit, trials.clustered) == (24, "group", True)


def test_from_its_first_infinite_value_on_a_run_has_failed_and_a_note_says_so():
    inf = np.inf
    again = rows([0, 10, 20, 30], [1.0, inf, 3.0, 4.0], seed=0)
    ended = rows([0, 10, 20, 30], [1.0, 2.0, 3.0, -inf], seed=1)
    best_so_far = rows([0, 10, 20, 30], [-inf, -inf, 3.0, 4.0], seed=2)
    trials = ogive.read(pd.concat([again, ended, best_so_far, rows([0, 30], seed=3)]))
    assert trials.to_pandas()["status"].tolist() == ["invalid", "invalid", "ok", "ok"]
    assert [trials.curves()[seed].lost for seed in range(4)] == [10.0, 30.0, inf, inf]
    (said,) = (note for note in trials.notes if note.kind is NoteKind.CURVES_INFINITE)
    assert (said.values["n"], said.values["n_again"], said.is_warning) == (2, 1, True)
    assert "2 of 4 runs, which count as failed from that step on, 1 of them though finite values follow" in str(said)


def test_one_long_gap_does_not_hide_that_values_stopped():
    values = np.ones(100)
    values[6:46] = values[60:] = np.nan
    trials = ogive.read(pd.concat([rows(np.arange(100), values), rows(np.arange(100), seed=1)]))
    assert trials.to_pandas()["status"].tolist() == ["invalid", "ok"]
    assert trials.curves()[0].lost == 60.0


def test_runs_that_keep_a_value_past_their_last_evaluation_are_counted():
    values = [1.0, np.nan, np.nan, 2.0, np.nan, np.nan, 3.0, np.nan, np.nan]
    trials = ogive.read(pd.concat([rows(np.arange(9) * 10, values), rows(np.arange(9) * 10, seed=1)]))
    (said,) = (note for note in trials.notes if note.kind is NoteKind.VALUE_KEPT)
    assert str(said) == "1 of 2 runs has rows after the last value of 'return', and keeps that value to its end"


def test_steps_are_compared_but_for_rounding():
    table = pd.concat([rows([t * 0.1 for t in range(11)], np.arange(11.0), seed=s) for s in range(3)])
    trials = ogive.read(table, budget=0.3)
    assert trials.scores().tolist() == [3.0] * 3
    assert trials.curves()[0].steps.tolist() == [t / 10 for t in range(11)]
    summed = rows(np.cumsum(np.full(5000, 0.1)), np.arange(1.0, 5001.0))
    assert ogive.read(summed, budget=400.0).scores().tolist() == [4000.0]
    assert ogive.read(summed, step="frame").curves()[0].mean(0.1) == 1.0


def test_a_note_counts_each_run_once_whatever_the_number_of_scores():
    table = runs().assign(loss=1.0)
    said = next(
        note
        for note in ogive.read(table, score=["return", "loss"], budget=40).notes
        if note.kind is NoteKind.CURVE_SCORE
    )
    assert said.values["n"] == 6


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("loss", "losses", True), ("returns", "return", True), ("loss", "los", True), ("loss", "lose", False)],
)
def test_a_series_is_called_as_the_plural_of_a_score(one, other, same):
    assert _alike(one, other) is _alike(other, one) is same


def test_a_run_of_one_step_holds_one_step():
    note = next(n for n in ogive.read(rows([5, 5], seed=[0, 1]), step="frame").notes if n.kind is NoteKind.CURVES_READ)
    assert "holds 1 step of a run" in str(note)


def test_a_run_that_failed_after_the_budget_is_good_there_and_on_the_grid_and_failed_beyond():
    table = pd.concat([rows(np.arange(8 if s == 0 else 10), agent=a, seed=s) for a in "ab" for s in range(3)])
    table["status"] = np.where((table.seed == 0) & (table.frame == 7), "crashed", "ok")
    whole, at_5, at_8 = ogive.read(table), ogive.read(table, budget=5), ogive.read(table, budget=8)
    assert at_5.scores("a").tolist() == [5.0] * 3
    assert at_5.to_pandas()["status"].tolist() == ["ok"] * 6
    assert at_8.to_pandas()["status"].tolist() == ["crashed", "ok", "ok"] * 2
    said = next(note for note in at_5.notes if note.kind is NoteKind.CURVE_SCORE)
    assert str(said).endswith("; 2 runs that failed after it count as good there")
    for trials in (whole, at_5):
        assert ogive.progress.on_grid(trials, grid=[0, 5, 7]).values["a", "t"].tolist() == [[0.0, 5.0, 7.0]] * 3
        with pytest.raises(FailedTrials):
            ogive.progress.on_grid(trials, grid=[0, 8])
    assert len(ogive.progress.scored(at_5, budget=8).failures()) == 2
    assert ogive.progress.scored(at_5, budget=7).scores("b").tolist() == [7.0] * 3


def test_the_last_row_of_a_run_says_whether_it_has_ended():
    table = runs()
    table["status"] = np.where(table.frame < 50, "running", "finished")
    trials = ogive.read(table)
    assert (len(trials), len(trials.curves("a", "t", "return")[0].steps)) == (6, 6)
    assert NoteKind.LEFT_OUT not in kinds(trials)
    table.loc[(table.agent == "a") & (table.seed == 0), "status"] = "running"
    trials = ogive.read(table)
    assert (len(trials), list(trials.curves("a", "t", "return"))) == (5, [1, 2])
    said = next(note for note in trials.notes if note.kind is NoteKind.LEFT_OUT)
    assert "1 of 6 runs is left out: 'status' says that it is still running" in str(said)
    with pytest.raises(InputError, match=r"every run that it is still running.*status='none'"):
        ogive.read(table.assign(status="running"))


def test_a_rate_that_falls_now_and_then_is_no_configuration():
    table = runs(n_steps=90).assign(param_width=8)
    table["param_lr"] = 0.1 * 10.0 ** -(table.frame // 300)
    table["param_noise"] = 1.0 - (table.frame // 300) / 3
    trials = ogive.read(table)
    assert (len(trials), len(trials.curves("a", "t", "return")[0].steps)) == (6, 90)
    two = ogive.read(pd.concat([table, table.assign(param_width=16)]), step="frame")
    assert (len(two), {len(run.steps) for run in two.curves("a", "t", "return").values()}) == (12, {90})


def test_episodes_whose_scores_follow_each_other_are_steps():
    """Those of `t` and `episodes`, which mean other things as well, are asked about; episodes without an order are tests of a run."""
    rng = np.random.default_rng(3)
    table = pd.concat([rows(np.arange(1, 41), np.arange(40) + rng.normal(0, 5, 40), agent=a, seed=s, step="episode") for a in "ab" for s in range(3)])  # fmt: skip
    trials = ogive.read(table)
    assert (trials.step, len(trials)) == ("episode", 6)
    assert any("'episode' (guessed)" in str(note) for note in trials.notes)
    for name in ("t", "episodes"):
        with pytest.raises(InputError, match=f"say step='{name}'"):
            ogive.read(table.rename(columns={"episode": name}))
    table["return"] = rng.normal(size=len(table))
    assert ogive.read(table).step is None
    assert len(ogive.read(table, step="episode")) == 6
