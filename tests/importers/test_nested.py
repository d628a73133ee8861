"""Objects and lists in columns."""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ogive
from ogive.errors import AmbiguousColumns, InputError, InvalidScores


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
