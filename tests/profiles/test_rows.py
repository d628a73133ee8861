"""Which rows a profile is made of, and how failed runs count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import FailedTrials, InputError
from ogive.profiles import performance_profile, profile_table

LONG = pd.DataFrame(
    {
        "solver": list("aaabbbccc"), "problem": list("pqr") * 3, "seconds": [1.0, 2, 3, 2, 2, 9, np.nan, 1, 1], "mode": ["x"] * 9,
        "found": [True, True, True, True, True, False, False, True, True],
    }
)  # fmt: skip
WIDE = pd.DataFrame({"problem": list("pqr"), "a": [1.0, 2, 3], "b": [2.0, 2, 100], "c": [4.0, 1, 1], "hard": [0, 0, 1]})


def solved(profile) -> dict[str, float]:
    return {m: round(float(s), 2) for m, s in zip(profile.methods, profile.solved, strict=True)}


def test_a_run_that_found_nothing_did_not_solve_its_problem_with_a_time_or_without():
    assert solved(performance_profile(LONG)) == {"a": 1.0, "b": 0.67, "c": 0.67}


def test_rows_and_methods_are_chosen_in_long_and_wide_tables():
    assert performance_profile(ogive.read(LONG, without="c", where="problem!=r")).methods == ("a", "b")
    for choose in (ogive.read, profile_table):
        wide = performance_profile(choose(WIDE, wide=True, without=["c", "hard"], where={"hard": 0}))
        assert (wide.methods, wide.problems) == (("a", "b"), ("p", "q"))
        assert wide.distances.tolist() == [[1.0, 1.0], [2.0, 1.0]]
        with pytest.raises(InputError, match="`without` must name a method of the table; got 'z'"):
            choose(WIDE.drop(columns="hard"), wide=True, without="z")
    with pytest.raises(InputError, match="a dictionary has none"):
        profile_table({"a": [1.0, 2], "b": [2.0, 1]}, where="x=1")


def test_failed_runs_count_by_the_rule():
    times = {"a": [1.0, 2.0, 4.0], "b": [2.0, 1.0, 50.0]}
    far = performance_profile(times, time_limit=50)
    assert np.isinf(far.distances[1, 2])
    assert performance_profile(times, time_limit=50, failures=100).distances[1, 2] == 25.0
    assert performance_profile(times, time_limit=50, failures="like:a").distances[1, 2] == 1.0
    with pytest.raises(FailedTrials, match="1 of 6 runs failed; say how to count them"):
        performance_profile(times, time_limit=50, failures="refuse")
    with pytest.raises(InputError, match="failures='exclude' leaves no run of 'b' on 'task 3'"):
        performance_profile(times, time_limit=50, failures="exclude")
