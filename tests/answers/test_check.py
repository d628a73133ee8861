"""check: the three outcomes, exit codes, its own power."""

import json

import numpy as np
import pytest

import ogive
from ogive.answers import check
from ogive.errors import InputError


def version(mean, n=30, seed=0, sd=0.02, name="model"):
    return ogive.read({name: np.random.default_rng(seed).normal(mean, sd, n)}, unit="row", varied="seed")


@pytest.mark.parametrize(
    ("new", "n", "outcome", "code"),
    [(0.80, 60, "pass", 0), (0.83, 30, "pass", 0), (0.74, 30, "worse", 5), (0.795, 5, "cannot tell", 4)],
)
def test_each_outcome_has_its_exit_code(new, n, outcome, code):
    result = check(version(new, n, seed=1), version(0.80, n, seed=2), margin=0.015)
    assert (result.outcome, result.exit_code) == (outcome, code)


def test_a_gate_for_losses_notices_that_they_grow():
    old, new = (
        ogive.read({"m": np.random.default_rng(s).normal(m, 0.02, 30)}, unit="row", goal="minimize")
        for s, m in ((1, 0.3), (2, 0.4))
    )
    assert check(new, old, margin=0.01).outcome == "worse"
    assert check(old, new, margin=0.01).outcome == "pass"


@pytest.mark.parametrize("statistic", ["median", "worst_0.2", "q0.25"])
def test_a_gate_can_watch_a_quantile_or_the_worst_share(statistic):
    result = check(version(0.6, 100, 1), version(0.8, 100, 2), margin=0.01, statistic=statistic)
    assert result.outcome == "worse"


def test_several_tasks_must_all_pass():
    rng = np.random.default_rng(3)

    def tables(drop):
        return ogive.read({"m": {"x": rng.normal(0.8, 0.01, 30), "y": rng.normal(0.8 - drop, 0.01, 30)}}, unit="row")

    assert check(tables(0.0), tables(0.0), margin=0.02).outcome == "pass"
    assert check(tables(0.1), tables(0.0), margin=0.02).outcome == "worse"


def test_the_comment_and_the_json_carry_the_outcome():
    result = check(version(0.74, 30, 1), version(0.80, 30, 2), margin=0.01)
    assert result.to_markdown().startswith("### Ogive: worse")
    assert json.loads(json.dumps(result.to_dict()))["outcome"] == "worse"
    assert "would notice a drop of 0.02 with probability" in str(result)


@pytest.mark.statistical
@pytest.mark.parametrize("n", [12, 30])
@pytest.mark.parametrize("drop", [0.01, 0.02])
def test_the_power_that_is_printed_is_the_power_that_is_had(n, drop):
    """Mean printed power over tables against the share of tables with that true drop that are called worse."""
    printed, noticed, repetitions = [], 0, 1500
    rng = np.random.default_rng([n, int(1000 * drop)])
    for _ in range(repetitions):
        old = ogive.read({"m": rng.normal(0.8, 0.02, n)}, unit="row")
        new = ogive.read({"m": rng.normal(0.8 - drop, 0.02, n)}, unit="row")
        result = check(new, old, margin=0.005, drop=drop)
        printed.append(result.power)
        noticed += result.outcome == "worse"
    assert np.mean(printed) == pytest.approx(noticed / repetitions, abs=0.03)


def test_what_cannot_be_checked_is_refused():
    old = version(0.8)
    two = ogive.read({"a": [1.0, 2, 3], "b": [1.0, 2, 3]}, unit="row")
    other = ogive.read({"m": [1.0, 2.0, 3.0]}, unit="row")
    for call in (
        lambda: check(two, two, margin=0.1),
        lambda: check(old, old, margin=0),
        lambda: check(old, old, margin=0.1, statistic="improvement"),
        lambda: check(old, old, margin=0.1, drop=-1),
        lambda: check(old, ogive.read(other, unit="row"), margin=0.1, algorithm="z"),
    ):
        with pytest.raises(InputError):
            call()


def test_a_task_that_the_new_version_lacks_is_named():
    old = ogive.read({"m": {"x": [1.0, 2, 3], "y": [1.0, 2, 3]}}, unit="row")
    new = ogive.read({"m": {"x": [1.0, 2, 3]}}, unit="row")
    with pytest.raises(InputError, match="'y'"):
        check(new, old, margin=5)


def test_tables_with_other_goals_are_refused():
    old = ogive.read({"m": [0.3, 0.4, 0.5]}, unit="row", goal="minimize")
    with pytest.raises(InputError, match="goals"):
        check(ogive.read({"m": [0.1, 0.2, 0.3]}, unit="row", goal="maximize"), old, margin=0.1)


def test_items_are_paired_by_their_name_not_their_order():
    import pandas as pd

    names = [f"q{i}" for i in range(10)]
    base = np.linspace(0, 1, 10)
    old = ogive.read(pd.DataFrame({"question": names, "score": base}))
    new = ogive.read(pd.DataFrame({"question": names[::-1], "score": base[::-1] + 0.001 * (np.arange(10) % 2)}))
    result = check(new, old, margin=0.01)
    assert result.comparisons[0].paired
    assert result.outcome == "pass"
