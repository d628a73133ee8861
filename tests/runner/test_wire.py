"""Frames and rows: what goes in comes out; what is no row is refused."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogive.runner import _wire
from ogive.runner._trial import Row
from ogive.schema import STATUSES

floats = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
rows = st.lists(
    st.builds(
        Row, trial=st.integers(0, 2**53), status=st.sampled_from(STATUSES), message=st.none() | texts,
        params=st.none() | texts, scores=st.dictionaries(texts, floats, max_size=3), wall=floats, cpu=floats,
    ),
    max_size=6,
)  # fmt: skip


@given(contents=st.lists(st.binary(max_size=50), max_size=8), piece=st.integers(1, 9))
def test_frames_come_out_as_they_went_in_whatever_the_pieces(contents, piece):
    data = b"".join(_wire.frame(content) for content in contents)
    frames = _wire.Frames()
    assert [f for i in range(0, len(data), piece) for f in frames.feed(data[i : i + piece])] == contents


@given(rows)
def test_rows_survive_the_wire_bit_for_bit(given_rows):
    batch = _wire.batch_of(given_rows)
    back = _wire.decode(json.loads(_wire.dumps(_wire.encode(batch))), [row.trial for row in given_rows])
    assert back.trials == batch.trials
    assert back.metrics == batch.metrics
    assert back.wall == batch.wall
    ok = all(status == "ok" for status in batch.statuses)
    assert back.statuses == batch.statuses
    assert ok or back.messages == batch.messages
    assert back.params == batch.params


GOOD = _wire.encode(_wire.batch_of([Row(4, "error", "m", "{}", {"s": 1.0}, 0.1, 0.1)]))


@pytest.mark.parametrize(
    "change",
    [
        {"trials": [5]},
        {"trials": None},
        {"metrics": {"s": ["1"]}},
        {"metrics": {"s": [math.inf]}},
        {"metrics": {"s": [True]}},
        {"metrics": {"s": []}},
        {"statuses": ["fine"]},
        {"statuses": [None]},
        {"params": [3]},
        {"wall": [math.nan]},
        {"inner": {"1": []}},
        {"inner": {"0": [{"params": 1}]}},
        {"inner": 5},
        {"series": {"0": {"x": ["a"]}}},
    ],
)
def test_what_is_no_row_is_refused(change):
    with pytest.raises(_wire.BadFrame):
        _wire.decode({**GOOD, **change}, [4])


def test_the_row_that_the_refusals_are_made_of_is_accepted():
    assert _wire.decode(GOOD, [4]).messages == ["m"]


def test_a_frame_that_announces_too_much_is_refused():
    with pytest.raises(_wire.BadFrame):
        list(_wire.Frames().feed(bytes(_wire.KEY) + b"\xff" * 20))


@pytest.mark.parametrize("junk", [b"\xff", b"\x10\x00", b"x" * 64])
def test_what_is_no_frame_is_refused_as_soon_as_it_comes(junk):
    frames = _wire.Frames(b"a word !")
    whole = _wire.frame(b"rows", b"a word !")
    came = []
    with pytest.raises(_wire.BadFrame, match="no answer"):
        came.extend(frames.feed(whole + whole + junk + whole))
    assert came == [b"rows", b"rows"]  # what came before it counts


@pytest.mark.parametrize("at", [0, 13, 28, 30])
def test_a_frame_that_was_damaged_is_refused(at):
    damaged = bytearray(_wire.frame(b"rows", b"a word !") + bytes(10))
    damaged[at] ^= 1
    with pytest.raises(_wire.BadFrame):
        list(_wire.Frames(b"a word !").feed(bytes(damaged)))


def test_the_page_says_what_runs_with_which_configuration(tmp_path):
    with (tmp_path / "page").open("w+b") as file:
        reader, writer = _wire.PageReader(file.fileno()), _wire.Page(file.fileno())
        writer.begin(7, 12, 99)
        assert (reader.read().chunk, reader.read().trial, reader.read().params) == (7, 12, None)
        writer.note('{"a":"ü"}')
        assert reader.read().params == '{"a":"ü"}'
        writer.note("x" * 100_000)  # too long to be kept
        writer.rest(_wire.IDLE, 100)
        assert (reader.read().trial, reader.read().chunk, reader.read().params) == (_wire.IDLE, 7, '{"a":"ü"}')
        writer.broken("the trial closed the pipe")
        assert (reader.read().trial, reader.read().params) == (_wire.BROKEN, "the trial closed the pipe")
        file.truncate(0)  # what user code may do to it must not end this process
        assert reader.read().trial == _wire.IDLE
        writer.close()
