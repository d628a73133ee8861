"""Which rows a profile is made of, and how failed runs count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.errors import FailedTrials, InputError
from ogive.notes import NoteKind
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
    assert solved(performance_profile(LONG, goal="minimize")) == {"a": 1.0, "b": 0.67, "c": 0.67}


def test_rows_and_methods_are_chosen_in_long_and_wide_tables():
    assert performance_profile(ogive.read(LONG, without="c", where="problem!=r")).methods == ("a", "b")
    for choose in (ogive.read, profile_table):
        wide = performance_profile(choose(WIDE, wide=True, without="c", where={"hard": 0}), goal="minimize")
        assert (wide.methods, wide.problems) == (("a", "b"), ("p", "q"))
        assert wide.distances.tolist() == [[1.0, 1.0], [2.0, 1.0]]
        with pytest.raises(InputError, match=r"`without`.*'z'"):
            choose(WIDE.drop(columns="hard"), wide=True, without="z")
    with_all = {"a": [1.0, 2], "b": [2.0, 1], "c": [1.0, 1]}
    assert performance_profile(profile_table(with_all, without="c"), goal="minimize").methods == ("a", "b")
    with pytest.raises(InputError, match="'x'"):
        profile_table({"a": [1.0, 2], "b": [2.0, 1]}, where="x=1")


def test_failed_runs_count_by_the_rule():
    times = {"a": [1.0, 2.0, 4.0], "b": [2.0, 1.0, 50.0]}
    far = performance_profile(times, time_limit=50)
    assert np.isinf(far.distances[1, 2])
    assert performance_profile(times, time_limit=50, failures=100).distances[1, 2] == 25.0
    assert performance_profile(times, time_limit=50, failures="like:a").distances[1, 2] == 1.0
    with pytest.raises(FailedTrials, match="1 of 6 runs failed"):
        performance_profile(times, time_limit=50, failures="refuse")
    with pytest.raises(InputError, match=r"failures='exclude'.*'b' on 'task 3'"):
        performance_profile(times, time_limit=50, failures="exclude")


def failed_runs(rule: str, failed: list[tuple[str, str, int]]) -> list[str]:
    runs = {m: {p: [1.0, 2.0, 3.0] for p in "pqr"} for m in "ab"}
    for method, problem, i in failed:
        runs[method][problem][i] = np.inf
    found = performance_profile(runs, failures=rule, runs="mean", goal="minimize")
    return [note.sentence() for note in found.notes if note.kind is NoteKind.FAILED_RUNS]


def test_failed_runs_that_are_left_out_are_counted():
    assert failed_runs("exclude", [("a", "p", 0), ("b", "q", 1)]) == ["2 failed runs of 18 are left out"]
    assert failed_runs("exclude", [("a", "p", 0)]) == ["1 failed run of 18 is left out"]


def test_failed_runs_count_as_a_method_only_where_that_method_succeeded():
    like, nowhere = "as a's mean on that problem", "as infinite in the mean of the cell"
    everything = [("a", "p", 0), ("a", "p", 1), ("a", "p", 2)]
    assert failed_runs("like:a", [("b", "q", 0), ("b", "q", 1)]) == [f"2 failed runs of 18 count {like}"]
    assert failed_runs("like:a", [*everything, ("b", "q", 0)]) == [
        f"1 failed run of 18 counts {like}",
        f"3 failed runs of 18 count {nowhere}",
    ]
    assert failed_runs("like:a", everything) == [f"3 failed runs of 18 count {nowhere}"]


TIMES = pd.DataFrame(
    {
        "solver": list("aaaabbbb"), "problem": list("pqrs") * 2, "seconds": [1.0, 2, 60, 70, 2, 60, 9, 60],
        "found": [True, True, False, True, True, False, False, False],
    }
)  # fmt: skip


def said_of_limits(source, **options) -> list[str]:
    found = performance_profile(source, **options)
    return [note.sentence() for note in (*found.reading, *found.notes) if note.kind is NoteKind.AT_TIME_LIMIT]


def test_values_at_the_time_limit_count_in_runs_that_failed_anyway_too():
    some, all_of_them = "3 of their runs had failed already", "all of their runs had failed already"
    assert said_of_limits(TIMES, time_limit=60) == [f"4 values of 'seconds' reach the time limit of 60; {some}"]
    solved_fast = TIMES[TIMES.seconds != 70]
    assert said_of_limits(solved_fast, time_limit=60, missing="fail") == [
        f"3 values of 'seconds' reach the time limit of 60; {all_of_them}"
    ]
    dropped = said_of_limits(solved_fast, time_limit=60, missing="drop-problem")
    assert dropped == [f"3 values of 'seconds' reach the time limit of 60; {all_of_them}"]  # counted when it was read
    assert said_of_limits(TIMES.assign(found=True), time_limit=60) == [
        "4 values of 'seconds' reach the time limit of 60"
    ]
    assert said_of_limits(TIMES.assign(found=True), time_limit=80) == [
        "0 values of 'seconds' reach the time limit of 80"
    ]


def test_a_time_limit_is_told_once():
    once = ["4 values of 'seconds' reach the time limit of 60; 3 of their runs had failed already"]
    trials = ogive.read(TIMES, time_limit=60, unit="row")
    assert said_of_limits(trials) == once
    assert said_of_limits(trials, time_limit=60) == once
    assert said_of_limits(ogive.read(trials, time_limit=60)) == once
    assert said_of_limits(trials, time_limit=9) == [
        *once, "5 values of 'seconds' reach the time limit of 9; all of their runs had failed already",
    ]  # fmt: skip
