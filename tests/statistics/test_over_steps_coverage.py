"""The guarantee of limits over steps, as a claim. 2,000 samples at 4 ms each; docs/reference/over-steps.md has all tables."""

import pytest
from make_steps_coverage import coverage
from simulate import plausible

REPETITIONS = 2000


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "runs", "tasks", "statistic"), [
    ("steps independent, normal", 5, 5, "mean"), ("learning curves", 3, 26, "mean"), ("10 % of runs collapse", 5, 5, "iqm"),
])  # fmt: skip
def test_limits_hold_at_each_step_and_at_all_together(name, runs, tasks, statistic):
    alone, together, _ = coverage(name, runs, tasks, statistic, REPETITIONS)
    assert together >= plausible(0.95, REPETITIONS)[0]
    assert alone >= 0.93


@pytest.mark.statistical
def test_limits_that_are_too_narrow_are_noticed():
    _, together, _ = coverage("steps independent, normal", 5, 5, "mean", REPETITIONS, shrink=0.85)
    assert together < plausible(0.95, REPETITIONS)[0]


@pytest.mark.statistical
def test_limits_at_each_step_do_not_hold_the_whole_curve():
    alone, together, _ = coverage("steps independent, normal", 5, 5, "mean", 400, seed=2, shrink=0.65)
    assert together < 0.6 < 0.75 < alone
