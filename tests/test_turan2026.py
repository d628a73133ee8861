"""The study of 2026: its counting on planted tables, its defects, and its page against its results."""

import math
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).parents[1] / "studies" / "turan2026"
MODULES = ("database", "defects", "figures", "page", "reproduce", "slices")


@pytest.fixture(scope="module")
def study():
    """Modules of the study's folder, gone afterwards: other studies have a `reproduce` too."""
    before = {name: sys.modules.pop(name) for name in MODULES if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    import defects  # noqa: F401
    import page

    yield page
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.modules.update(before)


@pytest.fixture(scope="module")
def database(study):
    return study.database


@pytest.fixture(scope="module")
def reproduce(study):
    return study.reproduce


def cells(p, *, data="iris", model="nmc", metric="accuracy", sizes=None, status=None, lattice=None, **more):
    """One curve with these p-values."""
    n = len(p)
    table = pd.DataFrame({"data": data, "design": "additive", "test": "fixed", "tuned": False, "model": model, "metric": metric, **more}, index=range(n))  # fmt: skip
    table["n"] = np.arange(1, n + 1) if sizes is None else sizes
    table["status"] = "tested" if status is None else status
    for test in ("shapiro", "dagostino", "skewness", "kurtosis"):
        table[f"p_{test}"] = p
    return table.assign(p_lattice=p if lattice is None else lattice)


def test_a_share_is_that_of_sizes_and_constants_count_as_normal(reproduce):
    p = [0.01, 0.01, 0.01, 0.2, math.nan]
    status = ["tested"] * 4 + ["constant"]
    (curve,) = reproduce.by_curve(cells(p, status=status, lattice=[0.01, 0.5, 0.5, 0.5, math.nan])).to_dict("records")
    assert curve["shapiro"] == pytest.approx(60.0)
    assert curve["aware"] == pytest.approx(20.0)
    assert curve["constant"] == pytest.approx(20.0)


def test_a_size_stands_for_those_nearest_to_it(database, reproduce):
    assert database.weights(np.array([1, 3, 10])).tolist() == [2.0, 4.0, 4.0]
    assert database.weights(np.arange(1, 6)).tolist() == [1.0] * 5
    (curve,) = reproduce.by_curve(cells([0.01, 0.5, 0.5], sizes=[1, 3, 10])).to_dict("records")
    assert curve["shapiro"] == pytest.approx(20.0)


def test_every_data_set_has_the_same_weight(reproduce):
    many = [cells([0.01], data="iris", model=model) for model in ("nmc", "knn", "lda")]
    curves = reproduce.by_curve(pd.concat([*many, cells([0.5], data="heart")], ignore_index=True))
    mean, spread, aware = reproduce.averaged(curves)
    assert (mean, spread, aware) == pytest.approx((50.0, 50.0, 50.0))


def test_out_of_bag_accuracies_have_no_tie_aware_share(reproduce):
    bagged = cells([0.01, 0.5], lattice=[math.nan, math.nan], design="bootstrap", test="varying")
    (curve,) = reproduce.by_curve(bagged).to_dict("records")
    assert curve["shapiro"] == pytest.approx(50.0)
    assert math.isnan(curve["aware"])


def test_a_pair_that_is_constant_counts_as_normal(reproduce):
    pairs = pd.DataFrame({"data": "iris", "design": "additive", "n": [1, 2], "tested": [3, 4], "rejected": [3, 0], "constant": [1, 0]})  # fmt: skip
    assert reproduce.share_of_pairs(pairs, "rejected", "tested") == pytest.approx((75.0 + 0.0) / 2)


def test_a_planted_change_of_the_first_three_is_found(database):
    scores = np.tile(np.linspace(0.9, 0.5, 5)[:, None], 100)  # five models in order, all constant
    same = database.values(scores, 0.0, 0.5)
    assert database.first(same[0]) == database.first(same[1]) == [0, 1, 2]
    assert not database.beyond_ties(*same)
    scores[0, :30] = 0.0  # its mean falls to the fourth place, its median stays first
    by_mean, by_median = database.values(scores, 0.0, 0.5)
    assert database.first(by_mean) == [1, 2, 0]
    assert database.first(by_median) == [0, 1, 2]
    assert database.beyond_ties(by_mean, by_median)


def test_a_change_among_equals_is_none_beyond_ties(database):
    a, b = np.array([0.9, 0.9, 0.8, 0.7]), np.array([0.8, 0.9, 0.8, 0.8])
    assert database.first(a) != database.first(b)
    assert not database.beyond_ties(a, b)
    assert database.beyond_ties(a, np.array([0.8, 0.9, 0.95, 0.8]))


def test_table_7_counts_sizes_and_leaves_out_what_the_paper_left_out(reproduce):
    top = pd.DataFrame({
        "data": ["iris"] * 4 + ["kc2"], "design": "additive", "test": "fixed", "tuned": False, "ranked": "mean vs median",
        "metric": "accuracy", "n": [1, 2, 3, 4, 1], "changed": [True, True, True, False, True],
        "beyond_ties": [True, False, False, False, True], "normal_changed": False, "normal_beyond_ties": False,
    })  # fmt: skip
    assert reproduce.reordered(top, "mean vs median", "accuracy", tuned=False) == pytest.approx((0.75, 0.25, 0.0, 0.0))
    assert math.isnan(reproduce.reordered(top, "mean vs median", "accuracy", tuned=True)[0])


def test_classes_are_called_by_their_first_appearance(study):
    found = dict(study.defects.appearances(np.array([65, 35])))
    assert found == pytest.approx({(0, 1): 0.65, (1, 0): 0.35})
    assert sum(p for _, p in study.defects.appearances(np.array([3, 2, 1]))) == pytest.approx(1.0)


def test_the_rows_of_a_defect_are_tested_and_the_others_trained_on(study, database, tmp_path, monkeypatch):
    monkeypatch.setattr(study.defects, "SEEDS", 3)
    monkeypatch.setattr(database.curves, "MODELS", ("knn",))
    monkeypatch.setattr(database.Unit, "sizes", lambda self, n_rows: [10, 80])
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), np.repeat(["a", "b"], 50)
    of_pool, _ = study.defects.run("iris", X, y, "pool", (0, 1), tmp_path, 0)
    swapped, _ = study.defects.run("iris", X, y, "pool", (1, 0), tmp_path, 0)
    assert (of_pool["accuracy"][0, 1] == 1.0).all()  # each of the 80 rows is its own nearest neighbor
    assert (of_pool["brier"][0, 1] == 0.0).all()
    assert (swapped["brier"][0, 1] == 2.0).all()
    clean, _ = study.defects.run("iris", X, y, "held out", (0, 1), tmp_path, 0)
    direct = database.curves.learning_curves(["knn"], X, y, sizes=[10, 80], n_repetitions=3, name="iris", seed=database.SEED, workers=0)  # fmt: skip
    np.testing.assert_array_equal(clean["accuracy"][0], direct.scores("knn", "accuracy"))


def test_results_are_whole_where_they_are(database):
    there = [unit for unit in database.units() if unit.path().exists()]
    assert there
    for unit in there:
        table, pairs, top = (pd.read_parquet(unit.path(part)) for part in ("", "pairs", "top"))
        sizes = np.unique(table["n"])
        assert len(table) == 10 * 4 * len(sizes), unit.name
        assert len(sizes) == int(sizes[-1]) or len(sizes) <= database.FEW
        assert len(pairs) == 4 * len(sizes)
        assert (pairs["tested"] + pairs["constant"] <= 45).all()
        assert set(top["ranked"]) == set(database.RANKED)
        known = table[table["status"] != "missing"]  # of a thousand fits one may fail, and its cell has no numbers
        assert len(known) > 0.999 * len(table), unit.name
        assert set(known["status"]) <= {"tested", "constant"}
        assert known[["mean", "sd", "q0.025", "q0.5", "q0.975"]].notna().all(axis=None)
        assert known.loc[known["status"] == "tested", "p_shapiro"].between(0, 1).all()
    size = sum(path.stat().st_size for path in database.RESULTS.iterdir())
    assert size < 25e6


@pytest.mark.slow
def test_the_page_holds_what_the_results_give(study, reproduce, tmp_path):
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert page == study.text(reproduce.Found.read(), tmp_path)
    assert len(re.findall(r"^\d+\. \*\*", page, flags=re.MULTILINE)) == 10
    for name in re.findall(r"pictures/figure-(.+?)\.png", page):
        assert (tmp_path / f"figure-{name}.png").stat().st_size > 10_000


@pytest.mark.slow
def test_the_page_names_the_data_sets_that_were_computed(database, reproduce):
    found = reproduce.Found.read()
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(found.data) == set(found.curves["data"])
    assert f"`ogive.curves` for {found.words['ours']}" in page
    assert f"All of it is about these {found.words['count']} data sets." in page
    assert f"Balanced are {found.words['balanced']}; the others are {found.words['imbalanced']}." in page
    some = reproduce.Found.__new__(reproduce.Found)
    some.cells = pd.DataFrame({"data": ["rl", "iris", "balance"]})
    assert some.words["ours"] == "three of the ten data sets (iris, balance and rl)"
    assert (some.words["balanced"], some.words["imbalanced"], some.words["several"]) == (
        "iris and rl",
        "balance",
        "two",
    )
    assert some.words["sparse"] == "rl (44037), "
    some.cells = pd.DataFrame({"data": list(database.DATA)})
    assert some.words["ours"] == "all ten data sets"


def test_every_published_number_stands_beside_ours(reproduce):
    rows = reproduce.compared(reproduce.Found.read())
    assert set(rows["table"]) == set(reproduce.TITLES)
    assert rows["value"].notna().sum() == len(pd.read_csv(FOLDER / "published.csv"))
