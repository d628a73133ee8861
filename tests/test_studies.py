"""The studies of publications: their pages say what their programs compute, and their trials can be made again."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import ogive
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
    for name in {"reproduce", "study", "figure", "ranges"} & (set(sys.modules) - before):
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
