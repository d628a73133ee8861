"""`ogive curves` as a user calls it."""

import json

import numpy as np
import pytest

from ogive.cli import main
from ogive.curves import learning_curves


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{'yes' if a + 0.5 * rng.normal() > 0 else 'no'}" for a, b in rng.normal(size=(80, 2))]
    path = tmp_path / "small.csv"
    path.write_text("a,b,target\n" + "\n".join(rows) + "\n")
    return path


def call(table, out, *more):
    return main(
        ["curves", str(table), "--target", "target", "--models", "lda,nmc", "--repetitions", "25", "--sizes", "5,20,50",
         "--workers", "0", "--out", str(out), "--quiet", *more]
    )  # fmt: skip


def test_it_says_who_leads_and_draws_pictures(table, tmp_path, capsys):
    assert call(table, tmp_path / "out") == 0
    said = capsys.readouterr()
    assert all(fact in said.out for fact in ("2 models", "80 rows", "25 repetitions", "3 sizes", "accuracy"))
    assert (tmp_path / "out" / "curves-accuracy.png").stat().st_size > 0
    assert (tmp_path / "out" / "leaders-accuracy.png").stat().st_size > 0
    assert "picture:" in said.err


def test_what_has_to_be_compiled_is_said_before_the_answers(table, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("ogive.jit.is_compiled", lambda function: False)
    words = ["curves", str(table), "--target", "target", "--models", "lda,nmc", "--repetitions", "2", "--sizes", "5,20", "--workers", "0"]  # fmt: skip
    assert main([*words, "--out", str(tmp_path / "loud")]) == 0
    assert capsys.readouterr().err.splitlines()[0] == "compiling lda, nmc; this takes up to a minute, once"
    assert main([*words, "--out", str(tmp_path / "quiet"), "--quiet"]) == 0
    assert "compiling" not in capsys.readouterr().err


def test_json_has_a_schema_and_a_row_for_each_model_size_and_statistic(table, tmp_path, capsys):
    page = tmp_path / "pages" / "curves.html"
    more = ["--json", "--metric", "brier", "--design", "random", "--test", "varying", "--report", str(page)]
    assert call(table, tmp_path / "out", *more) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["report"] == str(page)
    assert "curves on small" in page.read_text(encoding="utf-8")
    assert content["schema"] == 1
    assert len(content["rows"]) == 2 * 3 * 3
    assert {row["statistic"] for row in content["rows"]} == {"mean", "q0.05", "q0.95"}
    assert {row["metric"] for row in content["rows"]} == {"brier"}
    assert len(content["leaders"]) == 3 * 3


def test_a_store_of_learning_curves_is_reported_as_such(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(60, 2))
    place, page = tmp_path / "store", tmp_path / "pages" / "curves.html"
    learning_curves(
        ["nmc", "lda"], X, X[:, 0] > 0, sizes=[5, 20], n_repetitions=20, workers=0, store=place, metrics="auc"
    )
    assert main(["report", str(place), "--out", str(page)]) == 0
    said = capsys.readouterr()
    assert said.out.strip() == str(page)
    assert "2 models at 2" in page.read_text(encoding="utf-8")
    assert main(["report", str(place), "--out", str(page), "--margin", "0.1"]) == 2
    assert "`--margin`" in capsys.readouterr().err
    assert main(["report", str(place), "--out", str(page), "--adaptive"]) == 2
    assert "`--independent/--adaptive`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--report", "page.pdf"], "a report's name must end in .html; got 'page.pdf'"),
        (["--models", "lda,qdc"], "did you mean 'qda'?"),
        (["--target", "tagret"], "the nearest is 'target'"),
        (["--sizes", "ten"], "`--sizes` must be whole numbers"),
        (["--sizes", "5,500"], "16 test rows leave 64 to train on"),
        (["--metric", "auroc"], "must be some of accuracy, auc, brier, cross_entropy; got 'auroc'"),
        (["--design", "grow"], "`design` must be one of"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(table, tmp_path, capsys, more, words):
    assert call(table, tmp_path / "out", *more) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert not list((tmp_path / "out").glob("trials/*"))


def test_a_table_of_scores_by_training_size_is_no_data_to_train_on(tmp_path, capsys):
    table = tmp_path / "scores.csv"
    table.write_text(
        "model,n_train,seed,accuracy\n" + "".join(f"a,{n},{s},0.{n}{s}\n" for n in (20, 50) for s in range(9))
    )
    assert main(["curves", str(table), "--target", "accuracy", "--models", "lda", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "raw data" in said
    assert "n_train" in said


def test_models_are_tuned_over_a_number_of_values_or_values_of_ones_own(table, tmp_path, capsys):
    """A later `--sizes` takes the place of an earlier one."""
    for name, asked in (("lda (tuned, 3)", "3"), ("lda (tuned, 2)", "lda=0.1,1e-8"), ("lda (tuned, 4)", "lda=4")):
        assert call(table, tmp_path / name, "--tuned", asked, "--sizes", "10,50", "--json") == 0
        content = json.loads(capsys.readouterr().out)
        assert content["models"] == [name, "nmc"]
        assert any("jitter from 1e-08 to 0.1" in note for note in content["notes"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["--tuned", "many"], "`--tuned` must be a number of values, such as 20"),
        (["--tuned", "lda=a,b"], "`--tuned` must be a number of values, such as 20"),
        (["--tuned", "20"], "`sizes` of tuned models begin at 10"),
        (["--tuned", "qda=3", "--sizes", "10"], "`tuned` names 'qda', but the models are 'lda', 'nmc'"),
    ],
)
def test_a_tuning_that_cannot_be_is_refused_in_one_line(table, tmp_path, capsys, asked, words):
    assert call(table, tmp_path / "out", *asked) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
