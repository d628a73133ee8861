"""pandas, polars and Arrow tables."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ogive
from ogive.errors import InputError, UnreadableSource
from ogive.notes import Note, NoteKind

COLUMNS = {"model": ["a", "a", "b"], "env": ["x", "y", "x"], "score": [1.0, 2.0, None]}


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        lambda c: pd.DataFrame(c).astype({"model": "category", "score": "Float64"}),
        lambda c: pl.DataFrame(c).with_columns(pl.col("model").cast(pl.Categorical)),
        lambda c: pd.DataFrame(c).set_index("model"),
        lambda c: pd.DataFrame(c).set_index(["model", "env"]),
        lambda c: pd.DataFrame(c, index=[7, 7, 9]),
    ],
    ids=["pandas", "polars", "lazy", "arrow", "categories", "polars categories", "index", "two indices", "odd index"],
)
def test_every_kind_of_frame_is_the_same_table(make):
    trials = ogive.read(make(COLUMNS))
    assert (trials.algorithms, trials.tasks) == (("a", "b"), ("x", "y"))
    assert trials.values().tolist()[:2] == [1.0, 2.0]
    assert trials.failed().tolist() == [False, False, True]


def test_a_frame_is_not_changed_by_reading():
    frame = pd.DataFrame(COLUMNS).set_index("model")
    before = frame.copy()
    ogive.read(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_a_frame_in_chunks_is_one_table():
    table = pa.concat_tables([pa.table(COLUMNS), pa.table(COLUMNS)])
    assert len(ogive.read(table, unit="row")) == 6


def test_numbers_may_be_names():
    assert ogive.read(pd.DataFrame({"model": [1, 2], "score": [0.1, 0.2]})).algorithms == ("1", "2")


def test_dictionaries_in_a_column_are_the_configuration():
    trials = ogive.read(pd.DataFrame({"params": [{"C": 1}, {"kernel": "rbf"}], "score": [0.1, 0.2]}))
    assert trials.to_pandas()["params"].tolist() == ['{"C":1}', '{"kernel":"rbf"}']


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"score": []}), "no rows"),
        (pd.Series([1.0, 2.0]), "a Series is not a table"),
        (pl.Series([1.0, 2.0]), "a Series is not a table"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["score", "score"]), "several columns named 'score'"),
        (pa.table([[1.0, 2.0], [3.0, 4.0]], names=["score", "score"]), "several columns named 'score'"),
        (pd.DataFrame({"score": [1.0, object()]}), "column 'score' of the data frame cannot be read"),
        (pd.DataFrame({"n": [2**70, 1], "score": [1.0, 2.0]}, dtype=object), "column 'n' .* cannot be read"),
        (pd.DataFrame({"score": [1j, 2j]}), "column 'score' .* cannot be read"),
        (
            pd.DataFrame({"model": ["a", "b"], "score": [1.0, 2.0]}, index=pd.Index(["b", "a"], name="model")),
            "an index and a column named 'model' that differ",
        ),
    ],
    ids=["empty", "pandas series", "polars series", "twice", "twice in Arrow", "objects", "huge", "complex", "index"],
)
def test_a_frame_that_is_no_table_is_refused(frame, message):
    with pytest.raises(UnreadableSource, match=message):
        ogive.read(frame)


NAMES = ["svm", "svm", "knn"]


def test_names_in_an_index_without_a_name_are_refused_until_they_have_a_role():
    frame = pd.DataFrame({"score": [0.1, 0.2, 0.3]}, index=NAMES)
    with pytest.raises(InputError, match=r"'index'.*'svm'.*algorithm='index'"):
        ogive.read(frame)
    with pytest.raises(InputError, match="column 'index'"):
        ogive.read(frame.assign(model=["a", "b", "a"]))
    assert ogive.read(frame, algorithm="index").algorithms == ("svm", "knn")
    assert ogive.read(frame.rename_axis("model")).algorithms == ("svm", "knn")


def test_frames_that_pandas_put_under_each_other_are_refused_until_their_names_have_a_role():
    both = pd.concat({name: pd.DataFrame({"score": [0.1, 0.2]}) for name in ("svm", "knn")})
    with pytest.raises(InputError, match="column 'level_0'"):
        ogive.read(both)
    assert ogive.read(both, algorithm="level_0").algorithms == ("svm", "knn")


def test_an_index_that_names_each_row_of_a_method_apart_is_said_to_be_unused():
    trials = ogive.read(pd.DataFrame({"model": NAMES, "score": [0.1, 0.2, 0.3]}, index=["r1", "r2", "r3"]))
    assert trials.algorithms == ("svm", "knn")
    assert Note(NoteKind.NOT_USED, values={"columns": ("index",)}) in trials.notes


def test_a_written_index_of_names_without_a_header_is_refused(tmp_path):
    pd.DataFrame({"score": [0.1, 0.2, 0.3]}, index=NAMES).to_csv(tmp_path / "s.csv")
    with pytest.raises(InputError, match=r"without a header.*'svm'"):
        ogive.read(tmp_path / "s.csv")


def test_in_a_wide_frame_an_index_of_names_is_the_task():
    frame = pd.DataFrame({"svm": [0.1, 0.2, 0.3], "knn": [0.4, 0.5, 0.6]}, index=["iris", "wine", "car"])
    for one in (frame, frame.set_index(pd.CategoricalIndex(frame.index))):
        assert ogive.read(one, wide=True).tasks == ("iris", "wine", "car")


@pytest.mark.parametrize("drop", [["model"], ["model", "env"], ["model", None]], ids=["one", "both", "one of two"])
def test_an_index_that_repeats_a_column_is_read_once(drop):
    frame = pd.DataFrame(COLUMNS)
    frame = frame.set_index([frame["env"].rename("place") if name is None else name for name in drop], drop=False)
    assert ogive.read(frame).algorithms == ("a", "b")


def test_a_sparse_column_is_read_as_its_numbers():
    frame = pd.DataFrame({"score": pd.arrays.SparseArray([0.0, 0.0, 1.5])})
    assert ogive.read(frame).scores().tolist() == [0.0, 0.0, 1.5]


def test_a_column_of_polars_that_arrow_does_not_know_is_refused_with_its_name():
    frame = pl.DataFrame({"score": [1.0, 2.0], "n": pl.Series([1, 2], dtype=pl.Int128)})
    with pytest.raises(UnreadableSource, match="'n'"):
        ogive.read(frame)


def test_periods_are_named_as_they_are_written():
    frame = pd.DataFrame({"model": pd.period_range("2020-01-01", periods=2, freq="D"), "score": [1.0, 2.0]})
    assert ogive.read(frame).algorithms == ("2020-01-01", "2020-01-02")


def test_ranges_are_named_as_they_are_written():
    frame = pd.DataFrame({"group": pd.cut([1.0, 2.0], [0, 1, 2]), "score": [1.0, 2.0]})
    assert ogive.read(frame).to_pandas()["group"].tolist() == ["(0, 1]", "(1, 2]"]


def test_columns_of_several_levels_are_named_by_those_that_say_something():
    frame = pd.DataFrame({("model", ""): ["a", "b"], ("test", "acc"): [0.1, 0.2]})
    trials = ogive.read(frame)
    assert (trials.algorithms, trials.metrics) == (("a", "b"), ("test.acc",))
