"""One spelling for one content."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogive.canonical import canonical, digest
from ogive.errors import InputError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_reading_and_spelling_again_changes_nothing(value):
    text = canonical(value)
    assert canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), max_size=6))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical(value) == canonical(dict(reversed(value.items())))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_survives_bit_for_bit(value):
    back = json.loads(canonical(np.float64(value)))
    assert back == value
    assert isinstance(back, float)


def test_numpy_scalars_and_tuples_are_spelled_as_plain_values():
    assert (
        canonical({"n": np.int32(3), "b": np.bool_(True), "t": (1, (2,)), "a": np.arange(2)})
        == '{"a":[0,1],"b":true,"n":3,"t":[1,[2]]}'
    )
    assert canonical(-0.0) == "0.0"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), {1: 2}, {"a": {1, 2}}, b"bytes"])
def test_what_json_cannot_hold_is_refused(bad):
    with pytest.raises(InputError):
        canonical(bad)


def test_the_digest_is_sha256():
    assert digest("") == digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
