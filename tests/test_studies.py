"""The studies of publications: their pages say what their programs compute, and their trials can be made again."""

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import InputError
from ogive.seeding import stream

STUDIES = Path(__file__).parents[1] / "studies"
JORDAN = STUDIES / "jordan2018"


@pytest.fixture
def jordan(monkeypatch):
    """Modules of the study's folder, gone afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(JORDAN))
    import reproduce

    yield reproduce
    own = {"reproduce", "study", "figure", "ranges", "pendulum", "swingup", "page"}
    for name in own & (set(sys.modules) - before):
        del sys.modules[name]


def test_the_page_of_the_2018_study_holds_the_table_that_its_trials_give(jordan):
    found = {mode: jordan._trials(mode, None, Path(), None) for mode in jordan.MODES}
    rows = jordan.table1(found)
    page = (JORDAN / "README.md").read_text(encoding="utf-8")
    assert jordan.markdown(rows) in page
    assert (rows.loc[rows["mode"] == "random", "n"] >= 500).all()
    searched = rows[(rows["mode"] == "tuned") & (rows["task"] != "faces")]
    assert (searched["n"] >= 20).all()


def test_the_page_of_the_2018_study_holds_what_fresh_trials_say_of_the_suggested_ranges(jordan):
    import ranges

    kept = ranges.suggested()
    together = ogive.read(JORDAN / "results" / "ranges.parquet")
    page = (JORDAN / "README.md").read_text(encoding="utf-8")
    for task, kernels in kept.items():
        row = ranges.row(together.select(tasks=[task]), kernels, len(kept))
        assert row["conclusion"] == "better"
        said = f"| {task} | {row['kernels']} | {row['whole']:.3f} | {row['suggested']:.3f} | "
        assert f"{said}{row['gain']:.3f} [{row['low']:.3f}, {row['high']:.3f}] |" in page


def test_the_spaces_of_the_2018_study_are_those_of_the_appendix(jordan):
    import study

    drawn = {a.name: [a.space.sample(stream(0, "config", trial=i)) for i in range(1000)] for a in study.ALGORITHMS}
    values = {name: {key: {c[key] for c in cs if key in c} for key in set().union(*cs)} for name, cs in drawn.items()}
    assert values["k-NN"]["n_neighbors"] == {3, 4, 5, 10, 25, 50}
    assert (min(values["RF"]["n_estimators"]), max(values["RF"]["n_estimators"])) == (10, 99)
    few = np.mean([c["n_estimators"] < 10**1.5 for c in drawn["RF"]])
    assert abs(few - 0.5) < 0.1  # half of a log-uniform draw lies below the geometric mean
    assert values["RF"]["min_samples_split"] == {2, 4, 8, 16}
    assert values["RF"]["min_samples_leaf"] == {1, 3, 5}
    assert values["SVM"]["degree"] == {2, 3, 4, 5}
    assert all(("degree" in c) == (c["kernel"] == "poly") for c in drawn["SVM"])
    assert len(values["NN"]["hidden_layer_sizes"]) == 12
    assert 1e-4 <= min(values["NN"]["learning_rate_init"]) <= max(values["NN"]["learning_rate_init"]) <= 0.1
    assert 1e-4 <= min(values["LR"]["estimator__C"]) <= max(values["LR"]["estimator__C"]) <= 1e4


def test_trials_of_the_2018_study_made_again_are_those_that_are_kept(jordan):
    import study

    chosen = [a for a in study.ALGORITHMS if a.name in ("k-NN", "SVM")]
    again = ogive.run(ogive.Study("again", chosen, study.TASKS[:2], seed=study.SEED), 4, workers=0, progress=False)
    kept = ogive.read(JORDAN / "results" / "random.parquet")
    for cell in again.cells:
        old = kept.scores(cell.algorithm, cell.task)[:4]
        np.testing.assert_array_equal(again.scores(cell.algorithm, cell.task), old)


def test_figure_1_of_the_2018_study_has_a_panel_for_each_task_in_both_rows(jordan, tmp_path):
    found = {mode: jordan._trials(mode, None, Path(), None) for mode in jordan.MODES}
    written = jordan.pictures.draw(found, tmp_path / "figure1.png")
    assert written.stat().st_size > 20_000


@pytest.mark.parametrize("page", sorted(STUDIES.glob("*/README.md")), ids=lambda p: p.parent.name)
def test_links_of_a_page_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (page.parent / link).exists(), link


# ---------------------------------------------------------------- the pendulum


@pytest.fixture
def swingup(jordan):
    return jordan.swingup


def planted(mean, n=400, *, sd=100.0, batch=16, log2_horizon=6.0):
    """Trials of one set of choices whose returns do not depend on the number of episodes."""
    scores = mean + sd * np.linspace(-1.7, 1.7, n)
    columns = dict.fromkeys(("return_100", "return_200", "return"), scores)
    return pd.DataFrame(
        {"trial": range(n), "status": "ok", "diverged": 0, "batch": batch, "log2_horizon": log2_horizon, **columns}
    )


def found(swingup, **tables):
    return swingup.Found(
        {name.replace("_", "-"): table for name, table in tables.items()},
        {},
        pd.DataFrame(columns=["choices", "trials", "cpu_hours"]),
    )


def test_table_2_says_how_far_the_published_numbers_are(swingup):
    rows = swingup.table2(found(swingup, ac=planted(388.3), ppo_drop=planted(-300.0))).set_index(
        ["choices", "episodes", "statistic"]
    )
    assert rows.loc["ac", 500, "mean"]["verdict"] == "agrees"
    assert rows.loc["ppo-drop", 100, "mean"]["verdict"] == "higher by 42"
    upper = np.sort(planted(388.3)["return"])[200:].mean()
    assert rows.loc["ac", 200, "cvar"]["ours"] == pytest.approx(upper)
    assert rows.loc["ac", 200, "cvar"]["verdict"] == f"lower by {1476.2 - upper:.0f}"
    few = swingup.table2(found(swingup, ac=planted(388.3, n=20)))
    assert set(few["verdict"]) == {"too few trials to tell"}


def test_a_trial_that_failed_has_the_worst_return(swingup):
    table = planted(100.0)
    table.loc[3, ["status", "return"]] = ["timeout", np.nan]
    scores = found(swingup, ac=table).scores("ac", 500)
    assert scores[3] == -2000
    assert "1 of the trials in the tables failed" in found(swingup, ac=table).scope


@pytest.mark.parametrize(
    ("keep", "words"),
    [(0.0, "**Reproduced so far.**"), (500.0, "**Depends on open choices so far.**"), (100.0, "(not certain)")],
)
def test_an_order_is_reproduced_only_where_it_is_certain_for_every_rule(swingup, keep, words):
    there = found(swingup, ac=planted(101.0), ppo_drop=planted(-200.0), ppo_keep=planted(keep))
    said = swingup.orders(there, swingup.table2(there), "mean")
    assert words in said
    assert "remainders dropped +301" in said


def test_all_four_numbers_must_come_from_one_setting(swingup, monkeypatch):
    there = found(swingup, ac=planted(388.3), ppo_drop=planted(-342.1))
    rows = swingup.table2(there)
    assert "no set of choices gives all four" in swingup.numbers(rows)
    assert "**Reproduced.**" in swingup.numbers(rows.assign(verdict="agrees"))


def test_the_share_below_which_ppo_is_better_is_where_the_curves_cross(swingup):
    there = found(swingup, ac=planted(100.0, sd=100.0), ppo_drop=planted(80.0, sd=50.0))
    # 100 + 100 z = 80 + 50 z at z = -0.4, which is 1.3 / 3.4 of the way
    assert "PPO is better from 1 % to 38 % of runs" in swingup.shape(there)
    assert "better nowhere" in swingup.shape(found(swingup, ac=planted(1000.0), ppo_drop=planted(0.0)))


def test_configurations_that_never_learn_are_counted(swingup):
    table = pd.concat(
        [planted(-500.0, 100, batch=64, log2_horizon=5.0), planted(-100.0, 300, batch=32, log2_horizon=5.0)]
    )
    said = swingup.trap(found(swingup, ppo_drop=table))
    assert "25 % of PPO's configurations" in said
    assert "is -500, that of the others -100" in said


@pytest.mark.parametrize(
    ("behind", "words"),
    [(1, "**Reproduced so far.**"), (0, "**Reproduced in part so far.**"), (9, "**Not reproduced so far.**")],
)
def test_the_best_slice_is_to_be_ahead_but_for_some_of_its_runs(swingup, behind, words):
    best = np.r_[np.full(behind, -100.0), np.full(10 - behind, 100.0)]
    scores = {1: -9.0, 50: 0.0, 95: 50.0}
    runs = {f"PPO at {p} %": {"pendulum": np.full(10, s)} for p, s in scores.items()} | {
        "PPO at 99 %": {"pendulum": best}
    }
    slices = [{"percentile": p, "score": 60.0, "n_trials": 5000} for p in (1, 50, 95, 99)]
    frame = pd.concat(
        [pd.DataFrame({"algorithm": a, "task": "pendulum", "return": s["pendulum"]}) for a, s in runs.items()]
    )
    trials = replace(ogive.read(frame, score="return"), holds={"config": {"percentiles": {"slices": slices}}})
    said = swingup.percentiles(swingup.Found({}, {"ppo-drop": trials}, pd.DataFrame()))
    assert said.startswith(words)
    assert "of 5,000 trials" in said


def test_speed_is_that_of_all_trials_that_were_timed(swingup):
    timed = pd.DataFrame(
        {"choices": ["ac", "ac-explicit", "ppo-cap"], "trials": [100, 100, 30], "cpu_hours": [0.01, 0.03, 0.1]}
    )
    said = swingup.speed(swingup.Found({}, {}, timed))
    assert "5,000 of Actor-Critic (paper: 253) and 300 of PPO (paper: 1.45)" in said


def test_figure_2_has_a_panel_for_each_number_of_episodes(swingup, tmp_path):
    there = found(swingup, ac=planted(100.0), ppo_drop=planted(-200.0))
    assert swingup.figure2(there, tmp_path) == [tmp_path / "figure2.png"]
    assert (tmp_path / "figure2.png").stat().st_size > 10_000
    assert swingup.figure2(found(swingup), tmp_path) == []


def test_tables_hold_the_configurations_that_the_study_draws(jordan):
    import pendulum

    for name, algorithm in (("ac-explicit", "Actor-Critic"), ("ppo-drop-explicit", "PPO")):
        trials = pendulum.as_trials(JORDAN / "results" / f"pendulum-{name}.parquet", algorithm, 50)
        cell = pendulum.study(algorithm, integrator="explicit").cell(algorithm, "pendulum")
        assert [json.loads(text) for text in trials.table["params"].to_pylist()] == [cell.config(i) for i in range(50)]


def test_slices_are_run_from_a_table_and_go_on(jordan, tmp_path, monkeypatch):
    import pendulum

    monkeypatch.setattr(pendulum, "AT_ONCE", 2)
    common = [
        "pendulum.py",
        "--algorithm",
        "Actor-Critic",
        "--episodes",
        "2",
        "--workers",
        "0",
        "--out",
        str(tmp_path),
        "--results",
        str(tmp_path),
    ]
    for more in (
        ["--trials", "120", "--block", "120", "--series", "0"],
        ["--percentiles", "--among", "110", "--trials", "2"],
    ):
        monkeypatch.setattr(sys, "argv", [*common, *more])
        pendulum.main()
    before = ogive.read(tmp_path / "pendulum-ac-2-slices.parquet")
    monkeypatch.setattr(sys, "argv", [*common, "--percentiles", "--among", "110", "--trials", "3"])
    pendulum.main()
    after = ogive.read(tmp_path / "pendulum-ac-2-slices.parquet")
    assert (len(before), len(after)) == (8, 12)
    kept = after.to_pandas().query("trial < 2").reset_index(drop=True)
    assert kept["return"].equals(before.to_pandas()["return"])
    assert after.holds["config"]["percentiles"]["slices"][0]["n_trials"] == 110
    assert all(len(values) == 1 for values in after.series("Actor-Critic at 99 %").values())  # one of five
    spent = pd.read_csv(tmp_path / "pendulum-speed.csv")
    assert spent[["choices", "trials"]].values.tolist() == [["ac-2", 120]]
    (tmp_path / "pendulum-speed.csv").unlink()
    monkeypatch.setattr(sys, "argv", [*common, "--speed"])
    pendulum.main()
    assert pd.read_csv(tmp_path / "pendulum-speed.csv").equals(spent)
    for part in ("", "-slices"):
        shutil.copy(tmp_path / f"pendulum-ac-2{part}.parquet", tmp_path / f"pendulum-ac{part}.parquet")
    assert jordan.swingup.figure3(jordan.swingup.Found.read(tmp_path), tmp_path) == [tmp_path / "figure3-ac.png"]
    monkeypatch.setattr(sys, "argv", [*common, "--percentiles", "--among", "121", "--trials", "2"])
    with pytest.raises(SystemExit, match="120 of the first 121"):
        pendulum.main()


def test_the_page_of_the_2018_study_says_what_its_results_give(jordan):
    import page

    assert (JORDAN / "README.md").read_text(encoding="utf-8") == page.text(jordan.swingup.Found.read(), None)


@pytest.mark.parametrize(
    ("table", "figure", "words"), [("3", None, "1 or 2"), (None, "4", "1, 2 or 3"), ("2", None, "`--trials` runs")]
)
def test_what_the_study_of_2018_does_not_have_is_refused(jordan, tmp_path, table, figure, words):
    trials = 5 if "trials" in words else None
    with pytest.raises(InputError, match=words):
        jordan.reproduce(table=table, figure=figure, trials=trials, out=tmp_path, workers=0)
