"""Tables that are brought to a long, flat shape: objects and lists in columns, methods as columns."""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ogive
from ogive.errors import AmbiguousColumns, InputError, InvalidScores
from ogive.notes import Note, NoteKind
from ogive.profiles import performance_profile, profile_table


def write(path: Path, **columns) -> Path:
    rows = pd.DataFrame(columns).to_dict("records")
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_the_only_number_in_an_object_is_the_score(tmp_path: Path, ending):
    trials = ogive.read(
        write(tmp_path / f"s.{ending}", model=["a", "b"], metrics=[{"test": {"acc": 0.1}}, {"test": {"acc": 0.2}}])
    )
    assert (trials.metrics, trials.values().tolist()) == (("metrics.test.acc",), [0.1, 0.2])


def test_several_numbers_in_an_object_are_refused_until_one_is_chosen(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", model=["a", "b"], metrics=[{"acc": 0.1, "f1": 1}, {"acc": 0.2}])
    with pytest.raises(AmbiguousColumns, match=r"'metrics.acc', 'metrics.f1'.*score="):
        ogive.read(path)
    assert ogive.read(path, score="metrics.f1").failed().tolist() == [False, True]


def test_an_object_beside_a_score_stays_closed_until_it_is_named(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", model=["a", "b"], acc=[0.1, 0.2], meta=[{"gpu": 1}, {"gpu": 2}])
    assert ogive.read(path).metrics == ("acc",)
    assert ogive.read(path, score="acc", group="meta.gpu").to_pandas()["group"].tolist() == ["1", "2"]


@pytest.mark.parametrize("role", ["fold", "model", "seed", "env", "config"])
def test_an_object_in_the_place_of_a_name_is_named_by_its_text(role):
    frame = pd.DataFrame({role: [{"i": 0}, {"i": 1}], "score": [0.1, 0.2]})
    assert len(ogive.read(frame)) == 2
    said = {"model": "algorithm", "seed": "repeat", "env": "task", "config": "group"}.get(role, role)
    assert len(ogive.read(frame.rename(columns={role: "it"}), **{said: "it"})) == 2


def test_objects_without_numbers_and_lists_are_refused_and_not_crashed_upon():
    with pytest.raises(InputError, match=r"'tags'.*'\["):
        ogive.read(pd.DataFrame({"model": ["a", "b"], "tags": [["x"], ["y"]]}))
    with pytest.raises(InvalidScores, match=r"'score'.*list"):
        ogive.read(pd.DataFrame({"score": [[0.1], [0.2]]}))


SCORES = {"svm": [0.8, 0.9, 0.7], "knn": [0.6, 0.5, 0.4]}


@pytest.mark.parametrize("name", ["index", "Unnamed: 0", "level_0", "__index_level_0__"])
def test_row_numbers_are_no_method_and_are_said_to_be_unused(name):
    trials = ogive.read(pd.DataFrame({name: [0, 1, 2], **SCORES}), wide=True)
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": (name,)}) in trials.notes


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_index_that_pandas_writes_is_no_method(tmp_path: Path, ending):
    path = tmp_path / f"wide.{ending}"
    kept = pd.DataFrame({"dataset": ["a", "b", "c"], **SCORES}).loc[[2, 0, 1]]
    kept.to_csv(path) if ending == "csv" else kept.to_parquet(path)
    trials = ogive.read(path, wide=True)
    assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("c", "a", "b"))


def test_names_that_pandas_writes_as_the_index_are_tasks(tmp_path: Path):
    pd.DataFrame(SCORES, index=["iris", "wine", "car"]).to_csv(tmp_path / "wide.csv")
    trials = ogive.read(tmp_path / "wide.csv", wide=True)
    assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("iris", "wine", "car"))


@pytest.mark.parametrize(("role", "name"), [("item", "question"), ("group", "passage"), ("status", "state")])
def test_what_is_said_of_a_row_keeps_its_role(role, name):
    said = {"item": [1, 2, 3], "group": [1, 2, 3], "status": ["ok", "failed", "ok"]}[role]
    trials = ogive.read(pd.DataFrame({name: said, **SCORES}), wide=True)
    assert trials.algorithms == ("svm", "knn")
    expected = {"status": ["ok", "error", "ok"]}.get(role, ["1", "2", "3"])
    assert trials.to_pandas()[role].tolist()[:3] == expected


def test_methods_that_were_not_chosen_are_said():
    trials = ogive.read(pd.DataFrame({**SCORES, "rf": [1.0, 2.0, 3.0]}), wide=True, score=["svm", "knn"])
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": ("rf",)}) in trials.notes


@pytest.mark.parametrize(
    ("name", "held", "where"),
    [
        ("budget", [10, 20, 10, 20], "budget=10"),
        ("budget", [10, 20, 10, 20], "budget<=10"),
        ("settings", ["default", "fast", "default", "fast"], "settings=default"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_the_column_that_chose_the_rows_is_no_method(tmp_path: Path, name, held, where, first):
    problems = {"problem": list("pqrs")}
    columns = {name: held, **problems} if first else {**problems, name: held}
    table = pd.DataFrame({**columns, "svm": [0.8, 0.9, 0.7, 0.6], "knn": [0.6, 0.5, 0.4, 0.3]})
    table.to_csv(tmp_path / "wide.csv", index=False)
    for source in (table, tmp_path / "wide.csv"):
        trials = ogive.read(source, wide=True, where=where)
        assert (trials.algorithms, trials.tasks) == (("svm", "knn"), ("p", "r"))
        for read in (trials, profile_table(source, wide=True, where=where)):
            found = performance_profile(read, goal="minimize")
            assert (found.methods, len(found.problems)) == (("svm", "knn"), 2)


def test_a_column_that_chose_rows_and_still_varies_is_said_to_be_unused():
    table = pd.DataFrame({"problem": list("pqr"), "budget": [10, 20, 30], **SCORES})
    trials = ogive.read(table, wide=True, where="budget>10")
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": ("budget",)}) in trials.notes


@pytest.mark.parametrize("name", ["problem", "cases"])
def test_the_column_that_names_the_rows_may_choose_them(name):
    table = pd.DataFrame({name: list("pqr"), **SCORES})
    assert ogive.read(table, wide=True, where=f"{name}!=q").tasks == ("p", "r")
    found = performance_profile(profile_table(table, where=f"{name}!=q"), "difference")
    assert (found.methods, found.problems) == (("svm", "knn"), ("p", "r"))


def test_methods_that_are_named_may_choose_rows():
    table = pd.DataFrame({"problem": list("pqr"), **SCORES})
    assert ogive.read(table, wide=True, score=["svm", "knn"], where="svm>0.75").algorithms == ("svm", "knn")


def test_words_among_the_numbers_of_a_wide_frame_are_refused_with_a_sentence():
    table = pd.DataFrame({"problem": list("pqr"), "svm": [0.8, "timeout", 0.7], "knn": [0.6, 0.5, 0.4]})
    with pytest.raises(InputError, match=r"'svm'.*'timeout'"):
        profile_table(table, where="problem!=p")


def nested(tmp_path: Path) -> Path:
    rows = [
        {"config": {"lr": (i + 1) / 1e4, "model": m, "opt": {"name": "adam"}}, "metrics": {"f1": 0.7 + i / 100}, "status": "finished"}
        for i in range(12) for m in ("bert", "roberta")
    ]  # fmt: skip
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_method_in_an_object_of_the_configuration_is_the_method(tmp_path: Path):
    trials = ogive.read(nested(tmp_path))
    assert (trials.algorithms, trials.metrics) == (("bert", "roberta"), ("metrics.f1",))
    assert json.loads(trials.table["params"][0].as_py()) == {"config.lr": 1e-4, "config.opt.name": "adam"}
    said = ogive.read(nested(tmp_path), algorithm="config.model", params=["config.lr"])
    assert said.algorithms == ("bert", "roberta")


def test_a_configuration_that_is_named_as_a_whole_stays_whole(tmp_path: Path):
    trials = ogive.read(nested(tmp_path), algorithm="config")
    assert len(trials.algorithms) == 24


def test_a_method_outside_the_configuration_comes_before_one_within_it():
    frame = pd.DataFrame(
        {"method": list("aabb"), "config.model": list("xyxy"), "config.seed": [1, 2, 1, 2], "score": [1.0, 2, 3, 4]}
    )
    trials = ogive.read(frame)
    assert trials.algorithms == ("a", "b")
    assert next(n for n in trials.notes if n.argument == "repeat").values["columns"] == ("config.seed",)
