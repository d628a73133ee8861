"""Rare types of Arrow become common ones, in files and in frames."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ogive
from ogive.errors import UnreadableSource
from ogive.files import plain_table

NAMES = pa.array(["a", "b", "a", "b"])
SCORES = pa.array([0.25, 0.5, 0.75, 1.0])


@pytest.mark.parametrize(
    "names",
    [
        NAMES.cast(pa.string_view()), NAMES.cast(pa.large_string()), NAMES.dictionary_encode(), NAMES.cast(pa.binary_view()),
        NAMES.cast(pa.large_binary()), NAMES.cast(pa.large_string()).dictionary_encode(), NAMES.cast(pa.binary(1)),
    ],
    ids=lambda names: str(names.type),
)  # fmt: skip
def test_names_of_every_type_are_names(tmp_path: Path, names):
    table = pa.table({"model": names, "score": SCORES})
    pq.write_table(table, tmp_path / "s.parquet")
    for source in (tmp_path / "s.parquet", table):
        assert ogive.read(source).algorithms == ("a", "b")
        assert len(ogive.summarize(ogive.read(source)).to_pandas())


@pytest.mark.parametrize(
    "scores",
    [
        pa.array(np.array([0.25, 0.5, 0.75, 1.0], dtype=np.float16)), SCORES.dictionary_encode(), SCORES.cast(pa.string()).cast(pa.string_view()),
        pa.array([Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1)], pa.decimal256(60, 3)),
        pa.array([Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), Decimal(1)], pa.decimal128(9, 3)).cast(pa.decimal32(9, 3)),
    ],
    ids=lambda scores: str(scores.type),
)  # fmt: skip
def test_scores_of_every_type_are_numbers(tmp_path: Path, scores):
    pq.write_table(pa.table({"model": NAMES, "score": scores}), tmp_path / "s.parquet")
    assert ogive.read(tmp_path / "s.parquet").values().tolist() == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([["x"]] * 4, pa.list_view(pa.string())), pa.array([[1, 2]] * 4, pa.large_list(pa.int64())), pa.array([[1, 2]] * 4, pa.list_(pa.int64(), 2)),
        pa.array([[("k", 1)]] * 4, pa.map_(pa.string(), pa.int64())), pa.array([{"k": "x"}] * 4, pa.struct([("k", pa.string_view())])),
        pa.array([1] * 4, pa.duration("ns")), pa.array([2**52] * 4, pa.timestamp("ms")), pa.array([10**8] * 4, pa.date32()), pa.compute.run_end_encode(pa.array([1] * 4)),
        pa.FixedShapeTensorArray.from_numpy_ndarray(np.ones((4, 2))), pa.array([(1, 2, 3)] * 4, pa.month_day_nano_interval()),
    ],
    ids=lambda values: str(values.type)[:30],
)  # fmt: skip
@pytest.mark.parametrize("name", ["extra", "params", "group", "seed"])
def test_other_columns_of_every_type_harm_nothing(values, name):
    table = pa.table({"model": NAMES, "score": SCORES, name: values})
    assert ogive.read(table, unit="row").values().tolist() == [0.25, 0.5, 0.75, 1.0]


def test_an_object_that_names_a_field_twice_is_refused():
    twice = pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([3, 4])], ["k", "k"])
    with pytest.raises(UnreadableSource, match="'x' holds struct<k: int64, k: int64>"):
        plain_table(pa.table({"x": twice}))
