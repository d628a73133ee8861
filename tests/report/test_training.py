"""The section about scores over training: there where a table has steps, and nowhere else."""

from pathlib import Path

import numpy as np
import pandas as pd

import ogive
from ogive.plots import progress
from ogive.progress import over_training
from ogive.report._training import progress_figure


def trials(*, lost: bool = False, tasks=("ant", "hopper")):
    rng = np.random.default_rng(1)
    rows = [
        {"agent": a, "env": e, "seed": s, "step": 10 * t, "return": t * gain + rng.normal()}
        for a, gain in (("sac <b>", 2.0), ("td3", 1.0)) for e in tasks for s in range(5) for t in range(9)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    if lost:
        table.loc[(table.seed == 0) & (table.step > 40), "return"] = np.nan
    return ogive.read(table)


def written(source, folder: Path) -> str:
    return ogive.report.write(source, folder / "r.html").read_text()


def test_the_picture_of_a_page_has_the_numbers_of_the_display():
    found = over_training(trials(), "mean")
    figure = progress_figure(progress(found))
    lines = [t for t in figure["data"] if "fill" not in t]
    assert [t["name"] for t in lines] == ["td3", "sac &lt;b&gt;"]
    for trace, method in zip(lines, ("td3", "sac <b>"), strict=True):
        np.testing.assert_allclose(trace["y"], found.of(method).estimate, rtol=1e-5)
    assert figure["layout"]["xaxis"]["range"] == [0.0, 80.0]


def test_a_table_over_steps_has_a_section_and_any_other_has_none(tmp_path):
    page = written(trials(), tmp_path)
    assert 'id="section-2">Over training' in page
    assert "0 is the worst and 1 the best value that any run has on the task" in page  # tasks share no scale
    assert "sac <b>" not in page
    assert "Over training" not in written({"a": range(9), "b": range(1, 10)}, tmp_path)


def test_runs_that_lost_their_score_count_by_the_rule_of_the_page(tmp_path):
    page = written(trials(lost=True, tasks=("ant",)), tmp_path)
    assert "2 failed runs of 10 are left out" in page


def test_a_store_with_a_series_called_as_its_score_has_the_section_and_any_other_series_a_pointer(tmp_path):
    def learn(config, rng):
        path = np.arange(4.0) + rng.normal(size=4)
        return {"return": path[-1], "returns": ogive.algorithms.Series(path), "losses": ogive.algorithms.Series(-path)}

    def weigh(config, rng):
        return {"return": rng.normal(), "losses": ogive.algorithms.Series(rng.normal(size=4))}

    for name, run in (("learn", learn), ("weigh", weigh)):
        agents = [ogive.Algorithm(agent, run) for agent in "ab"]
        study = ogive.Study(name, agents, ogive.tasks.none(), seed=0, metrics={"return": ogive.Metric("maximize")})
        trials = ogive.run(study, n_trials=4, store=tmp_path / name, workers=0)
        page = written(trials, tmp_path)
        assert '">Over training<' in page
        shown, pointed = "best IQM of returns" in page, "Trials also returned series: " in page
        assert (shown, pointed) == (name == "learn", name == "weigh")
        assert f"ogive progress {trials.source}" in page
