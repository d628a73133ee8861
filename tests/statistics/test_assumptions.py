"""Assumptions are facts that print as words and go through JSON."""

from __future__ import annotations

import json

import pytest

from ogive.statistics import Assumption, mean_interval


@pytest.mark.parametrize("assumption", list(Assumption))
def test_every_assumption_has_words_of_its_own(assumption):
    assert [a for a in Assumption if str(a) == str(assumption)] == [assumption]
    assert f"{assumption}" == assumption.value
    assert repr(assumption) == repr(assumption.value)
    assert not assumption.value.endswith(".")


def test_assumptions_of_an_interval_are_members_and_json():
    found = mean_interval([1.0, 1.0, 1.0])
    assert found.assumptions == (Assumption.INDEPENDENT, Assumption.EQUAL_SCORES)
    held = json.loads(json.dumps(found.to_dict()))["assumptions"]
    assert tuple(map(Assumption, held)) == found.assumptions


def test_equal_scores_are_silent_and_few_scores_are_not():
    assert Assumption.EQUAL_TAIL.is_silent
    assert not Assumption.SHORT_TAIL.is_silent
