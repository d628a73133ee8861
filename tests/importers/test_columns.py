"""Columns as text and as numbers."""

import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pytest

import ogive
from ogive.importers._columns import as_objects

VALUES = {
    "floats": [0.0, -0.0, 0.1, float("nan"), None, 0.1],
    "integers": [1, 2**60, 1, None, -3, 1],
    "truths": [True, False, None, True, True, False],
    "text": ['"', "ä\n", None, "", "x", "x"],
    "lists": [[1, 2], [], None, [1, 2], [3], [None]],
    "objects": [{"b": 1}, {"b": 2}, None, {"b": 1}, {"b": None}, {"b": 1}],
    "dates": [datetime.date(2020, 1, 2)] * 6,
    "decimals": [Decimal("1.50")] * 6,
    "nothing": [None] * 6,
}


@pytest.mark.parametrize("kind", VALUES)
def test_configurations_are_what_writing_row_by_row_gives(kind):
    columns = {"a": pa.chunked_array([VALUES[kind][:2], VALUES[kind][2:]], type=pa.array(VALUES[kind]).type)}
    columns["b,"] = pa.chunked_array([["x", "y", "x", "x", "y", "x"]]).dictionary_encode()
    rows = zip(*(column.to_pylist() for column in columns.values()), strict=True)
    expected = [json.dumps(dict(zip(columns, row, strict=True)), separators=(",", ":"), default=str) for row in rows]
    assert as_objects(columns).to_pylist() == expected


def test_a_configuration_that_occurs_often_is_written_once(monkeypatch):
    written = []
    encode = json.JSONEncoder.encode
    monkeypatch.setattr(json.JSONEncoder, "encode", lambda self, value: written.append(value) or encode(self, value))
    trials = ogive.read(pa.table({"param_lr": [0.1, 0.2] * 500, "score": [0.5] * 1000}), unit="row")
    assert trials.table["params"][1].as_py() == '{"param_lr":0.2}'
    assert len(written) < 10
