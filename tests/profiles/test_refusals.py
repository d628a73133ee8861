"""Bad input: one sentence each, with the way out."""

import numpy as np
import pandas as pd
import pytest

from ogive.errors import InputError, OgiveError
from ogive.notes import Note, NoteKind
from ogive.profiles import (
    Baselines,
    Reference,
    aggregates,
    average_ranks,
    performance_profile,
    probability_of_improvement,
    profile_table,
    shifted_geometric_mean,
)

GOOD = {"a": [1.0, 2.0, 3.0], "b": [2.0, 1.0, 3.0]}
MEANS = pd.DataFrame({"problem": ["p", "p", "q", "q"], "method": ["a", "b"] * 2, "mean": [1.0, 2.0, 3.0, 4.0], "std": [1.0] * 4})  # fmt: skip
LONG = pd.DataFrame({"problem": ["p", "p", "q", "q"], "solver": ["a", "b"] * 2, "time": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"a": [-1.0, 2.0], "b": [1.0, 1.0]}, {}, "must be positive; got -1"),
        ({"a": [0.0, 2.0], "b": [1.0, 1.0]}, {}, "1 value is 0.*floor="),
        ({"a": [0.0, 1.0], "b": [1.0, 1.0]}, {}, "answers and no times.*kind='score'"),
        ({"a": [1.0, 2.0]}, {}, "this table has one: 'a'"),
        ({}, {}, "the dictionary is empty"),
        ({"params": [{"C": 1}, {"C": 2}], "mean_test_score": np.array([0.1, 0.2])}, {"kind": "score"}, "this table has one: 'search'"),
        ({"a": [1.0], "b": [2.0]}, {}, "at least two problems; there is 1"),
        ({"a": [np.inf, np.inf], "b": [np.inf, np.inf]}, {}, "no method has any success"),
        ({"a": [1.0, np.nan], "b": [1.0, 2.0]}, {}, "1 value is missing, the first for 'a' on 'task 2'"),
        ({"a": [1.0, "fast"], "b": [1.0, 2.0]}, {}, "'a' must be numbers; got 'fast'"),
        ({"a": "fast", "b": [1.0, 2.0]}, {}, "'a' must be numbers"),
        ({"a": [1.0, 2.0], "b": [1.0]}, {}, "the same problems; got 'a': 2, 'b': 1"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), {}, "this table has one: 'a'"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]}, index=["p", "p"]), {}, "'a' on 'p' has 2 rows and no column numbers the runs"),
        (pd.concat([LONG, LONG]), {}, "'a' on 'p' has 2 rows and no column numbers the runs.*runs='mean'"),
        (pd.concat([MEANS.assign(n=5)] * 2), {"kind": "welch"}, "'a' on 'p' has several rows"),
        (MEANS, {"kind": "welch"}, r"how many runs stand behind each mean.*profiles\.profile_table\(table, kind, n=…\)"),
        (MEANS.assign(n=[5, 5, 5, np.nan]), {"kind": "welch"}, "number of runs of 'b' on 'q' is missing"),
        (MEANS.assign(n=1), {"kind": "welch"}, "at least 2; got 1"),
        (MEANS, {"kind": "welch", "n": {"a": 5}}, "'b' is missing"),
        (MEANS.assign(n=5), {"kind": "score"}, "needs the runs themselves"),
        (MEANS.assign(n=5, std=-1.0), {"kind": "welch"}, "must not be negative"),
        (GOOD, {"kind": "welch"}, "'a' has one run on 'task 1'"),
        (GOOD, {"kind": "rank"}, "needs several runs"),
        (GOOD, {"kind": "fast"}, "`kind` must be one of 'ratio'"),
        (GOOD, {"confidence": 95}, "Did you mean 0.95"),
        (GOOD, {"time_limit": -3}, "`time_limit` must be a positive number"),
        (GOOD, {"kind": "difference", "time_limit": 3}, "say goal='minimize'"),
        (GOOD, {"floor": 0}, "`floor` must be a positive number"),
        (GOOD, {"runs": "worst"}, "`runs` must be 'mean', 'median' or 'best'"),
        (GOOD, {"missing": "ignore"}, "`missing` must be"),
        (GOOD, {"unsolved": "ignore"}, "`unsolved` must be"),
        (GOOD, {"band": "wide"}, "`band` must be"),
        (GOOD, {"goal": "up"}, "`goal` must be"),
        (GOOD, {"split": True}, "at least two runs"),
        (GOOD, {"over": "sample"}, "goes with kind='score'"),
        (GOOD, {"normalize": Reference("a")}, "goes with kind='score'"),
        (GOOD, {"kind": "score", "normalize": Reference("z")}, "no method 'z'"),
        (GOOD, {"kind": "score", "normalize": Baselines({"task 1": 0}, {"task 1": 1})}, "'task 2' is missing"),
        (GOOD, {"kind": "score", "normalize": Baselines(*[{f"task {i}": 1 for i in (1, 2, 3)}] * 2)}, "two different"),
        ({"a": [0.0, 1.0], "b": [0.0, 2.0]}, {"kind": "difference", "relative": True}, "which is 0 on some problem"),
        (7, {}, "got int"),
        ({"a": [0.0, 2.0], "b": [1.0, 1.0]}, {"goal": "maximize"}, "1 value is 0.*kind='difference'"),
        (GOOD, {"time_limit": 3, "floor": 5}, "`floor` must be below the time limit of 3; got 5"),
        (MEANS.assign(n=5), {"kind": "welch", "time_limit": 3}, "judge single runs, and this table holds means"),
        (MEANS, {"kind": "welch", "n": "five"}, "'n' must hold numbers"),
        (MEANS, {"kind": "welch", "n": {"a": 5, "b": "five"}}, "'n' must hold numbers"),
        (MEANS.assign(n=5, std="wide"), {"kind": "welch"}, "'std' must hold numbers"),
        ({"a": [], "b": []}, {}, "'a' has no scores"),
        ({"a": {}, "b": {}}, {}, "'a' has no scores"),
        ({"a": np.ones((2, 3, 4)), "b": np.ones((2, 3, 4))}, {}, r"runs x tasks; got shape \(2, 3, 4\)"),
        ({1: [1.0, 2.0], "1": [2.0, 1.0]}, {}, "two names in the dictionary are written '1'"),
        ({"a": pd.Series([1.0, 2.0], index=["p", "p"]), "b": pd.Series([1.0])}, {}, "two scores of 'a' are labeled 'p'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(table, options, words):
    said = {name: value for name, value in options.items() if name == "n"}
    asked = {name: value for name, value in options.items() if name != "n"}
    if asked.get("kind", "ratio") == "ratio":
        asked = {"goal": "minimize"} | asked
    with pytest.raises(InputError, match=words) as caught:
        performance_profile(profile_table(table, asked["kind"], **said) if said else table, **asked)
    text = str(caught.value)
    assert text.endswith((".", "?"))
    assert "\n" not in text
    assert text.count(". ") <= 1


def test_a_method_without_any_success_is_kept_and_named():
    p = performance_profile({"a": [1.0, 2.0, 3.0], "b": [np.inf] * 3}, goal="minimize")
    assert p.solved.tolist() == [1.0, 0.0]
    assert p.at(1e9).tolist() == [1.0, 0.0]
    assert Note(NoteKind.NO_SUCCESS, values={"methods": ("b",)}) in p.notes


def test_missing_cells_count_as_told():
    table = {"a": {"p": 1.0, "q": 2.0, "r": 1.0}, "b": {"p": 2.0, "q": np.nan}}
    failed = performance_profile(table, missing="fail", goal="minimize")
    assert failed.solved.tolist() == pytest.approx([1.0, 1 / 3])
    assert Note(NoteKind.MISSING_FAILED, "missing", {"n": 2}) in failed.notes
    with pytest.raises(InputError, match="two problems"):
        performance_profile(table, missing="drop-problem", goal="minimize")
    table["b"]["r"] = 5.0
    dropped = performance_profile(table, missing="drop-problem", goal="minimize")
    assert dropped.problems == ("p", "r")
    assert Note(NoteKind.PROBLEMS_DROPPED, "missing", {"n": 1, "what": "values"}) in dropped.notes


def test_an_empty_cell_of_means_as_text_is_missing():
    wide = pd.DataFrame({"a": ["1 ± 1", None, "1 ± 1"], "b": ["1 ± 1", "1 ± 2", "2 ± 3"]}, index=list("pqr"))
    with pytest.raises(InputError, match=r"'a' on 'q'.*drop-problem"):
        performance_profile(profile_table(wide, "welch", n=5), "welch")
    p = performance_profile(profile_table(wide, "welch", n=5), "welch", missing="drop-problem")
    assert p.problems == ("p", "r")
    assert Note(NoteKind.PROBLEMS_DROPPED, "missing", {"n": 1, "what": "means"}) in p.notes


def test_unsolved_problems_are_kept_or_dropped_and_that_is_said():
    table = {"a": [1.0, 99.0, 3.0], "b": [2.0, 99.0, 1.0]}
    kept, dropped = (performance_profile(table, time_limit=50, unsolved=rule) for rule in ("keep", "drop"))
    assert kept.solved.tolist() == pytest.approx([2 / 3, 2 / 3])
    assert dropped.solved.tolist() == [1.0, 1.0]
    assert Note(NoteKind.UNSOLVED, "unsolved", {"n": 1, "counted": True}) in kept.notes
    assert Note(NoteKind.UNSOLVED, "unsolved", {"n": 1, "counted": False}) in dropped.notes


def test_a_clock_has_a_floor():
    p = performance_profile({"a": [0.0, 0.001, 5.0], "b": [0.01, 0.01, 1.0]}, floor=0.01)
    assert p.distances[:, :2].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert any(n.kind is NoteKind.BELOW_CLOCK and n.values["n"] == 2 for n in p.notes)


def test_rows_that_are_runs_may_be_joined_when_told():
    p = performance_profile(pd.concat([LONG, LONG.assign(time=[3.0, 4.0, 5.0, 6.0])]), runs="mean", goal="minimize")
    assert p.distances[1].tolist() == pytest.approx([1.5, 1.25])
    numbered = pd.concat([LONG.assign(run=0), LONG.assign(run=1)])
    assert performance_profile(numbered, goal="minimize").distances[1].tolist() == pytest.approx([2.0, 4 / 3])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: aggregates({"a": [[1.0, np.inf]], "b": [[1.0, 2.0]]}, goal="minimize"), "1 failed run of 4 has no score to average; say failures="),
        (lambda: aggregates(MEANS.assign(n=5)), "need the runs themselves"),
        (lambda: aggregates({"a": [[1.0, 2.0]], "b": [[1.0, 2.0]]}, normalize=Reference("a"), over="sample"), "reference"),
        (lambda: probability_of_improvement(GOOD, "a", "z"), "no method 'z'"),
        (lambda: average_ranks(GOOD), "10 problems"),
        (lambda: average_ranks({m: range(12) for m in "ab"}, test="t"), "`test` must be"),
        (lambda: shifted_geometric_mean({"a": [np.inf, 1.0], "b": [1.0, 1.0]}), "say time_limit="),
        (lambda: shifted_geometric_mean(GOOD, shift=-1), "`shift` must be"),
        (lambda: shifted_geometric_mean(GOOD, runs="worst"), "`runs` must be 'mean', 'median' or 'best'"),
        (lambda: average_ranks({m: range(12) for m in "ab"}, runs="worst"), "`runs` must be 'mean', 'median' or 'best'"),
        (lambda: shifted_geometric_mean({"a": [-5.0, 2.0], "b": [1.0, 2.0]}), "times must be positive.*got -5"),
        (lambda: aggregates({m: [[1.0, 2.0]] for m in "ab"}, normalize=Reference("a"), gamma=2.0), r"`gamma` must lie in \(0, 1\]"),
        (lambda: aggregates({"a": [[1.0, 2.0]]}, normalize=Reference("a")), "'a' is the only method"),
        (lambda: performance_profile(GOOD, goal="minimize").verdict("a", "a"), "got 'a' twice"),
        (lambda: performance_profile(GOOD, goal="minimize").verdict("a", "z"), "no method 'z'"),
        (lambda: performance_profile(GOOD, goal="minimize").area(0.5), "`tau_max` must be"),
        (lambda: performance_profile(GOOD, goal="minimize").reach(2), "`share` must"),
        (lambda: performance_profile(GOOD, goal="minimize").at(np.nan), "`tau` must be numbers"),
    ],
)  # fmt: skip
def test_the_other_doors_refuse_as_well(call, words):
    with pytest.raises(OgiveError, match=words):
        call()


def test_an_empty_table_of_means_is_refused_in_one_sentence():
    empty = pd.DataFrame({"method": [], "problem": [], "mean": [], "std": [], "n": []})
    with pytest.raises(InputError):
        performance_profile(empty, kind="welch")


def test_a_search_without_names_of_methods_is_no_wide_table():
    search = pd.DataFrame({"param_C": [0.1, 1.0, 10.0], "param_gamma": [1.0, 2.0, 3.0], "seconds": [1.0, 2.0, 3.0]})
    with pytest.raises(InputError, match="this table has one"):
        performance_profile(search, goal="minimize")


@pytest.mark.parametrize(("limit", "said"), [(None, True), (60.0, False)])
def test_many_equal_largest_times_are_asked_about(limit, said):
    rng = np.random.default_rng(0)
    times = {m: np.minimum(rng.exponential(40.0, 20), 60.0).tolist() for m in ("fast", "slow")}
    notes = performance_profile(times, goal="minimize", time_limit=limit).notes
    assert any(note.kind is NoteKind.MAYBE_TIME_LIMIT for note in notes) == said


def test_distinct_times_are_not_asked_about():
    notes = performance_profile({"a": [1.0, 2.0, 3.0, 7.0], "b": [4.0, 5.0, 6.0, 9.0]}, goal="minimize").notes
    assert not any(note.kind is NoteKind.MAYBE_TIME_LIMIT for note in notes)
