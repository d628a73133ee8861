"""Runs on common steps: the last value at or before each, against the obvious loop; ends, failures, one scale."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import trim_mean

import ogive
from ogive.errors import InputError
from ogive.notes import NoteKind, naming
from ogive.profiles import Baselines, MinMax, Reference
from ogive.progress import fan, on_grid, over_training, scored
from ogive.statistics import over_steps
from ogive.trials import Staircase


def table(n_seeds=4, agents=("sac", "td3"), tasks=("ant", "hopper"), seed=0):
    """Runs of unequal lengths at steps of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for a in agents:
        for t in tasks:
            for s in range(n_seeds):
                steps = np.cumsum(rng.integers(5, 15, int(rng.integers(8, 12))))
                rows += [{"agent": a, "env": t, "seed": s, "step": x, "return": rng.normal() + x / 50} for x in steps]
    return pd.DataFrame(rows)


def same_steps(n_seeds=4, agents=("sac", "td3"), n_steps=6, tasks=("ant",)):
    return pd.DataFrame(
        [
            {"agent": a, "env": t, "seed": s, "step": 10 * k, "return": float(k * (s + 1) + 5 * (a == "sac"))}
            for a in agents for t in tasks for s in range(n_seeds) for k in range(n_steps)
        ]
    )  # fmt: skip


def last_at_or_before(part: pd.DataFrame, step: float) -> float:
    """The obvious way."""
    seen = part[part.step <= step].sort_values("step")["return"]
    return float(seen.iloc[-1]) if len(seen) else np.nan


def kinds(found):
    return {note.kind for note in found.notes}


def test_a_run_at_a_step_has_its_last_value_at_or_before_it():
    data = table()
    found = on_grid(ogive.read(data), grid=[20, 33, 61, data.step.max()])
    for (agent, env), runs in found.values.items():
        for seed, run in enumerate(runs):
            part = data[(data.agent == agent) & (data.env == env) & (data.seed == seed)]
            assert_array_equal(run, [last_at_or_before(part, step) for step in found.grid])


@pytest.mark.parametrize("said", [{"budget": np.nan}, {"budget": -1}, {"budget": "x"}, {"area": "yes"}, {"metric": 3}])
def test_a_score_of_a_curve_is_asked_for_with_a_budget_that_there_can_be(said):
    with pytest.raises(InputError, match=f"`{next(iter(said))}` must be"):
        scored(same_steps(), **said)


def test_runs_with_the_same_steps_are_taken_at_these_and_others_at_even_ones_that_nine_in_ten_reach():
    assert_array_equal(on_grid(ogive.read(same_steps())).grid, [0, 10, 20, 30, 40, 50])
    data = table(n_seeds=10)
    found = on_grid(ogive.read(data))
    ends = data.groupby(["agent", "env", "seed"]).step.max()
    firsts = data.groupby(["agent", "env", "seed"]).step.min()
    assert found.grid[0] == firsts.max()
    reached = (ends >= found.grid[-1]).groupby(["agent", "env"]).mean().unstack("env")
    assert (reached.min().max() >= 0.9, ends.max() > found.grid[-1]) == (
        True,
        True,
    )  # by every method, on the task where that is the furthest
    early = next(note for note in found.notes if note.kind is NoteKind.ENDED_EARLY)
    assert early.values["n"] == int((ends < found.grid[-1]).sum())


@pytest.mark.parametrize("lengths", [[40] + [61] * 11, [61] * 11 + [40]])
def test_the_steps_do_not_depend_on_the_order_of_runs(lengths):
    rows = [{"agent": "a", "seed": s, "step": t, "return": float(t)} for s, n in enumerate(lengths) for t in range(n)]
    assert_array_equal(on_grid(ogive.read(pd.DataFrame(rows), step="step")).grid, np.arange(61))


def test_methods_are_compared_as_far_as_all_go_and_tasks_as_far_as_the_longest():
    lengths = {("short", "big"): 50, ("long", "big"): 100, ("short", "small"): 5, ("long", "small"): 5}
    data = pd.DataFrame(
        [
            {"agent": a, "env": e, "seed": s, "step": t, "return": float(t + s)}
            for (a, e), n in lengths.items() for s in range(5) for t in range(n)
        ]
    )  # fmt: skip
    found = on_grid(ogive.read(data, step="step"))
    assert found.grid[-1] == 49
    said = {note.kind: note.values for note in found.notes}
    assert (said[NoteKind.GOES_ON]["n"], said[NoteKind.GOES_ON]["last_end"]) == (5, 99.0)
    assert said[NoteKind.ENDED_EARLY]["n"] == 10
    assert NoteKind.GOES_ON not in kinds(on_grid(ogive.read(data, step="step"), grid=[0, 10]))


def test_the_grid_may_end_where_the_first_run_does():
    data = table()
    found = on_grid(ogive.read(data), ended="cut")
    assert found.grid[-1] == data.groupby(["agent", "env", "seed"]).step.max().min()
    assert NoteKind.ENDED_EARLY not in kinds(found)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"grid": [0, 100]}, r"`grid` begins at 0, where 16 of 16 runs have no value yet; begin at"),
        ({"grid": [30, 20]}, "steps in ascending order"),
        ({"grid": 0}, "at least 1"),
        ({"grid": "x"}, "`grid` must be numbers"),
        ({"normalize": 3}, "must be Baselines or MinMax; got 3"),
        ({"grid": [20, 1e6]}, "beyond the last step of every run"),
        ({"grid": [20, 100], "ended": "cut"}, "and the first run at"),
        ({"ended": "so"}, "`ended` must be 'last' or 'cut'"),
        ({"normalize": Reference("sac")}, "take Baselines or MinMax"),
        ({"metric": "loss"}, "'loss' has no values over steps; there are 'return'"),
    ],
)  # fmt: skip
def test_what_makes_no_grid_is_refused_with_the_way_out(said, words):
    with pytest.raises(InputError, match=words):
        on_grid(ogive.read(table()), **said)


def test_a_table_without_curves_and_a_method_without_a_task_are_refused():
    with pytest.raises(InputError, match="about runs with a curve"):
        over_training({"a": [1.0, 2.0]})
    data = table()
    with pytest.raises(InputError, match="'td3' has no run on 'hopper'"):
        over_training(data[(data.agent == "sac") | (data.env == "ant")])


def test_a_statistic_over_training_is_that_of_the_runs_at_each_step():
    trials = ogive.read(table(n_seeds=5))
    found = over_training(trials, "mean", grid=[20, 40, 60])
    runs = on_grid(trials, grid=[20, 40, 60])
    for agent in found.methods:
        arrays = runs.runs(agent)
        assert_allclose(found.of(agent).estimate, np.mean([own.mean(axis=0) for own in arrays], axis=0))
        assert_array_equal(found.of(agent).low, over_steps(arrays, statistic="mean").low)
    assert len(found.to_pandas()) == 6
    assert (found.to_dict()["step"], found.to_dict()["rows"][0]["at"]) == ("step", 20.0)


def test_the_iqm_over_tasks_is_rliables():
    """There it is scipy's mean of what is left when a quarter is cut off either end, over all runs of all tasks."""
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(12, 26, 4)).cumsum(axis=2)
    place = np.indices(scores.shape).reshape(3, -1)
    data = pd.DataFrame({"agent": "a", "seed": place[0], "game": place[1], "frame": place[2], "return": scores.ravel()})
    found = over_training(ogive.read(data)).of("a")
    assert_allclose(found.estimate, [trim_mean(scores[:, :, k], 0.25, axis=None) for k in range(4)], rtol=1e-12)


def test_limits_for_the_whole_curve_are_wider_than_those_at_each_step():
    trials = ogive.read(table(n_seeds=5))
    alone, whole = (over_training(trials, grid=8, simultaneous=s).of("sac") for s in (False, True))
    assert_array_equal(alone.estimate, whole.estimate)
    assert (whole.high - whole.low > alone.high - alone.low).all()


def test_worst_and_best_shares_lie_where_the_goal_says():
    data = same_steps(agents=("sac",))
    for goal, worst in (("maximize", "lower_0.25"), ("minimize", "upper_0.25")):
        found = over_training(ogive.read(data, goal=goal), "worst_0.25").of("sac")
        assert_array_equal(found.estimate, over_steps(on_grid(ogive.read(data)).runs("sac"), statistic=worst).estimate)


def test_a_gap_is_refused_and_quantiles_of_one_task_are_not_called_resampled():
    trials = ogive.read(same_steps(n_seeds=8, agents=("a",)))
    with pytest.raises(InputError, match="'optimality_gap' is a distance"):
        over_training(trials, "optimality_gap")
    for statistic in ("worst_x", "best_of_8", "meen"):
        with pytest.raises(InputError, match=f"`statistic` may name iqm, mean, median, .*; got '{statistic}'"):
            over_training(trials, statistic)
    found = over_training(trials, "q0.5")
    assert "guaranteed: each limit is the value of a run, by order statistics" in found.sentence()
    assert "whole runs are resampled" in over_training(trials, "mean").sentence()
    assert found.headline.endswith(" for a.")
    assert over_training(trials, "lower_0.25").label == "mean of the lowest 25 %"


def test_a_step_called_n_does_not_hide_the_number_of_runs():
    data = same_steps(agents=("sac",)).rename(columns={"step": "n"})
    rows = over_training(ogive.read(data, step="n"), "mean").to_dict()["rows"]
    assert [(row["at"], row["n"]) for row in rows] == [(10.0 * k, 4) for k in range(6)]


def test_runs_on_common_steps_take_no_option_that_would_change_nothing():
    runs = on_grid(ogive.read(same_steps()), grid=np.int64(3))
    assert runs.grid.size == 3
    assert over_training(runs, "mean").grid.size == fan(runs).runs.grid.size == 3
    for said in (
        {"grid": [0, 10]},
        {"normalize": MinMax()},
        {"failures": "worst"},
        {"tasks": ["x"]},
        {"metric": "return"},
        {"ended": "cut"},
    ):
        for made in (over_training, fan):
            with pytest.raises(InputError, match=f"`{next(iter(said))}` would change nothing"):
                made(runs, **said)


def test_one_run_has_a_curve_and_no_interval():
    found = over_training(ogive.read(same_steps(n_seeds=1, agents=("sac",))))
    assert found.of("sac").estimate.tolist() == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert np.isinf(found.of("sac").low).all()
    assert found.of("sac").n_runs == 1
    assert NoteKind.ONE_RUN in kinds(found)
    assert "No interval for sac" in str(found)


def test_runs_that_failed_are_refused_counted_or_left_out():
    data = same_steps()
    gone = (data.agent == "sac") & (data.seed == 0) & (data.step > 20)
    data.loc[gone, "return"] = np.nan
    trials = ogive.read(data)
    with pytest.raises(InputError, match="1 of 8 runs failed, or lost their score, from step 30 on"):
        over_training(trials)
    with pytest.raises(InputError, match="declare bounds="):
        over_training(trials, failures="worst")
    counted = on_grid(trials, failures=-7.0)
    assert counted.values["sac", "ant"][0].tolist() == [5.0, 6.0, 7.0, -7.0, -7.0, -7.0]
    bounded = on_grid(ogive.read(data, bounds=(-10, 100)), failures="worst")
    assert bounded.values["sac", "ant"][0, -1] == -10.0
    left = on_grid(trials, failures="exclude")
    assert (left.n_runs, kinds(left) >= {NoteKind.FAILED_RUNS}) == ({"sac": 3, "td3": 4}, True)


def test_a_run_that_crashed_does_not_keep_its_last_value():
    data = same_steps()
    gone = (data.agent == "sac") & (data.seed == 0)
    data = data.assign(status=np.where(gone, "crashed", "ok"))[~gone | (data.step <= 20)]
    with pytest.raises(InputError, match="from step 30 on"):
        over_training(ogive.read(data))


def test_tasks_are_brought_to_one_scale_as_profiles_do():
    data = table()
    trials = ogive.read(data)
    plain, ends = on_grid(trials), on_grid(trials, normalize=MinMax())
    few = on_grid(trials, grid=plain.grid[[2, 5]], normalize=MinMax())
    for (agent, task), own in plain.values.items():
        every = data[data.env == task]["return"]
        assert_allclose(ends.values[agent, task], (own - every.min()) / (every.max() - every.min()))
        assert_allclose(few.values[agent, task], ends.values[agent, task][:, [2, 5]])  # whatever the grid is
    between = on_grid(trials, normalize=Baselines({"ant": 0.0, "hopper": 1.0}, {"ant": 2.0, "hopper": 3.0}))
    assert_allclose(between.values["sac", "hopper"], (plain.values["sac", "hopper"] - 1.0) / 2.0)
    assert NoteKind.COMMON_SCALE in kinds(plain)
    said = next(note for note in plain.notes if note.kind is NoteKind.COMMON_SCALE)
    assert "normalize=Baselines(…) or MinMax(), or declare" in str(said)  # a reference method has no scale over steps
    with naming("cli"):
        assert "with --baselines or --min-max, or declare" in str(said)
    assert NoteKind.NORMALIZED in kinds(between)


def test_a_fan_holds_the_quantiles_of_the_runs_with_the_same_weight_for_every_task():
    data = same_steps(agents=("sac",))
    found = fan(ogive.read(data), levels=(0.25, 0.5, 1 - 1e-9)).of("sac")
    at_end = np.sort(data[data.step == 50]["return"])
    assert [found.quantiles[level][-1] for level in (0.25, 0.5, 1 - 1e-9)] == [at_end[0], at_end[1], at_end[3]]
    uneven = pd.concat([data, data[data.seed == 0].assign(env="hopper", **{"return": 99.0})])
    assert fan(ogive.read(uneven)).of("sac").quantiles[0.75][-1] == 99.0


def test_series_of_a_study_stand_at_1_2_3_and_so_on(tmp_path):
    def learn(config, rng):
        return {"return": 1.0, "returns": ogive.algorithms.Series(np.arange(4) + rng.integers(0, 3))}

    study = ogive.Study(
        "s", [ogive.Algorithm("a", learn)], ogive.tasks.none(), seed=0, metrics={"return": ogive.Metric("maximize")}
    )
    trials = ogive.run(study, n_trials=5, store=tmp_path / "s", workers=0)
    found = over_training(trials, "mean")
    assert_array_equal(found.grid, [1, 2, 3, 4])
    values = np.array(list(trials.series(name="returns").values()))
    assert_allclose(found.of("a").estimate, values.mean(axis=0))
    assert scored(trials, budget=2).scores().tolist() == values[:, 1].tolist()
    assert ogive.read(tmp_path / "s", budget=2, area=True).scores().tolist() == values[:, 0].tolist()
    # The bounds of `return` are those of `returns` as far as all of them keep to them.
    bounds = {
        said: on_grid(ogive.read(tmp_path / "s", bounds=said)).bounds[trials.tasks[0]] for said in ((0, 6), (0, 2))
    }
    assert bounds == {(0, 6): (0.0, 6.0), (0, 2): (None, None)}


def test_of_several_series_that_called_as_the_score_is_taken_and_any_other_by_name(tmp_path):
    def learn(config, rng):
        path = np.arange(4.0) + rng.normal()
        return {"return": path[-1], "returns": ogive.algorithms.Series(path), "losses": ogive.algorithms.Series(-path)}

    study = ogive.Study(
        "s", [ogive.Algorithm("a", learn)], [ogive.tasks.none()], seed=0, metrics={"return": ogive.Metric("maximize")}
    )
    trials = ogive.run(study, n_trials=4, store=tmp_path / "s", workers=0)
    assert (on_grid(trials).metric, on_grid(trials).definition.goal) == ("returns", "maximize")
    assert (on_grid(trials, "losses").metric, on_grid(trials, "losses").definition.goal) == ("losses", "minimize")
    assert scored(trials, budget=1, metric="losses").metrics == ("losses",)


def test_inspect_says_that_runs_have_curves():
    assert "scores over training: each run has a curve over 'step'" in str(ogive.inspect(ogive.read(same_steps())))


def test_a_staircase_equals_the_obvious_loop():
    rng = np.random.default_rng(4)
    for _ in range(50):
        steps = np.unique(rng.integers(0, 40, rng.integers(1, 9)))
        values = rng.normal(size=steps.size)
        run = Staircase.of(steps, values)
        part = pd.DataFrame({"step": steps, "return": values})
        whole = np.arange(steps[0], 60)
        by_loop = np.array([last_at_or_before(part, step) for step in whole])
        assert_array_equal(run.at(whole), by_loop)
        until = int(rng.integers(steps[0] + 1, 60))
        assert run.mean(until) == pytest.approx(by_loop[: until - steps[0]].mean())
        target = rng.normal()
        reached = whole[by_loop >= target]
        assert run.first(target) == (reached[0] if reached.size else np.inf)


@pytest.mark.parametrize("statistic", ["iqm", "mean", "q0.2", "worst_0.25"])
@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_intervals_end_at_the_declared_bounds_of_the_score(statistic, goal):
    """Task by task on a common scale, where the statistic of scores at the bounds of their tasks is the end."""
    data = same_steps(tasks=("ant", "hopper"))
    free, held = (over_training(ogive.read(data, goal=goal, **said), statistic) for said in ({}, {"bounds": (0, 26)}))
    one, cut = free.of("sac"), held.of("sac")
    assert one.low.min() < 0.0 or one.high.max() > 26.0
    assert_allclose(cut.estimate, one.estimate)
    some = np.isfinite(one.low) | np.isfinite(one.high)
    assert_allclose(cut.low[some], np.maximum(one.low, 0.0)[some])
    assert_allclose(cut.high[some], np.minimum(one.high, 26.0)[some])


def test_bounds_are_brought_to_the_scale_of_each_task():
    trials = ogive.read(same_steps(2, tasks=("ant", "hopper")), goal="maximize", bounds=(0, 15))
    scale = Baselines({"ant": 0, "hopper": 10}, {"ant": 10, "hopper": 20})
    assert on_grid(trials, normalize=scale).bounds == {"ant": (0.0, 1.5), "hopper": (-1.0, 0.5)}
    found = over_training(trials, "mean", normalize=scale)
    ends = [side for m in found.methods for one in [found.of(m)] for side in (*one.low, *one.high) if np.isfinite(side)]
    assert (min(ends), max(ends)) == (-0.5, 1.0)  # the means of the bounds of both tasks
    turned = ogive.read(same_steps(tasks=("ant",)), goal="minimize", bounds=(0, None))
    assert on_grid(turned, normalize=Baselines({"ant": 20}, {"ant": 10})).bounds == {"ant": (None, 2.0)}
    assert on_grid(turned, failures=-5.0).bounds == {"ant": (-5.0, None)}


def test_where_runs_share_a_score_is_said_with_the_method_and_the_steps():
    data = same_steps(5)
    data["return"] += np.random.default_rng(1).normal(size=len(data))
    assert "same score" not in over_training(ogive.read(data)).sentence()
    data.loc[(data.agent == "td3") & data.step.isin([10, 30]) & (data.seed < 3), "return"] = 1.0
    said = over_training(ogive.read(data)).sentence()
    assert "three at least, have the same score: td3 at step 10 to 30 (2 of 6 steps))" in said
