"""All tasks together: which profile a table allows, what is said beside it, and when the section is left out."""

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive.plots import profile as draw
from ogive.profiles import performance_profile
from ogive.report._figures import profile_figure
from ogive.report._findings import Judgment, OverTasks, cell_numbers, find, over_tasks
from ogive.report._tables import over_table

RNG = np.random.default_rng(11)
TITLE = "Over all tasks"
HOSTILE = "</script><img src=x onerror=alert(1)>"


def runs(tasks: int = 6, n: int = 6, methods: str = "ab", gap: float = 0.0) -> dict[str, dict[str, np.ndarray]]:
    return {m: {f"t{j}": RNG.uniform(0.2, 0.5, n) + gap * i for j in range(tasks)} for i, m in enumerate(methods)}


def asked(samples, facts=None, failures="exclude", looks=1) -> OverTasks | None:
    trials = ogive.read(samples, **{"unit": "row", "varied": "seed", **(facts or {})})
    metric = trials.metrics[0]
    n_runs = cell_numbers(trials, metric, usable=False)[1]
    return over_tasks(Judgment(part=trials), metric, 0.95, failures, looks, n_runs)


def over(*arguments, **options) -> OverTasks:
    answer = asked(*arguments, **options)
    assert answer is not None
    return answer


def kind(answer: OverTasks) -> str | None:
    return None if answer.display is None else answer.display.profile.kind


# Which profile


def test_declared_bounds_are_one_scale_and_allow_aggregates():
    answer = over(runs(), {"bounds": (0, 1)})
    assert kind(answer) == "score"
    assert answer.aggregates is not None
    assert answer.aggregates.statistics == ("iqm", "mean", "median")


@pytest.mark.parametrize("bounds", [None, (0, None)])
def test_without_a_common_scale_only_the_order_of_runs_counts(bounds):
    answer = over(runs(), {"bounds": bounds})
    assert kind(answer) == "improvement"
    assert answer.aggregates is None


def test_few_and_uneven_runs_on_one_scale_have_no_band_of_scores_and_fall_back_to_duels():
    samples = {m: {f"t{j}": RNG.uniform(size=1 + (i + j) % 3) for j in range(6)} for i, m in enumerate("ab")}
    answer = over(samples, {"bounds": (0, 1)})
    assert kind(answer) == "improvement"


def test_single_costs_are_divided_by_the_least_one():
    answer = over(runs(n=1), {"goal": "minimize"})
    assert kind(answer) == "ratio"
    assert "time limit" in " ".join(answer.notes)


def test_a_time_limit_that_the_table_was_read_with_is_known():
    said = " ".join(over(runs(n=1), {"goal": "minimize", "time_limit": 0.45}).notes)
    assert "time limit of 0.45" in said
    assert "No time limit" not in said


def test_single_scores_without_a_scale_have_ranks_alone():
    answer = over(runs(tasks=12, n=1))
    assert kind(answer) is None
    assert answer.ranks is not None
    assert "<th>average rank</th>" in over_table(answer)
    assert answer.notes
    assert asked(runs(tasks=6, n=1)) is None


def test_costs_of_nothing_have_no_ratio():
    samples = runs(tasks=12, n=1)
    samples["a"]["t0"] = np.array([0.0])
    assert kind(over(samples, {"goal": "minimize"})) is None


# When


@pytest.mark.parametrize(
    ("samples", "facts"),
    [(runs(tasks=4, n=2), {}), (runs(n=2, methods="a"), {}), (runs(n=2), {"independent": False})],
    ids=["few tasks", "one method", "chosen runs"],
)
def test_the_section_is_left_out_where_it_has_nothing_to_say(page, samples, facts):
    assert not page(samples, facts).section(TITLE)


def test_tasks_that_a_method_misses_are_left_out(page):
    samples = runs(tasks=7)
    del samples["a"]["t0"]
    text = page(samples).section(TITLE)
    assert "6 problems" in text
    assert "6 of 7" in text


# What is said


def test_the_sentences_are_those_of_the_profile(page):
    samples = runs()
    text = page(samples).section(TITLE)
    profile = performance_profile(ogive.read(samples, unit="row"), "improvement")
    assert profile.verdict(*draw(profile).order) in text


def test_a_clear_leader_is_named():
    answer = over(runs(tasks=20, n=3, methods="abc", gap=0.4))
    assert answer.display is not None
    assert answer.display.headline.startswith("c ")
    assert answer.pair is not None
    assert (answer.pair.a, answer.pair.conclusion) == ("c", "ahead")


def test_a_failed_run_that_numbers_leave_out_counts_as_unsolved_in_the_profile():
    samples = runs(gap=0.2)
    samples["b"]["t1"][:2] = np.nan
    left_out, worst = (over(samples, {"bounds": (0, 1)}, failures=rule) for rule in ("exclude", "worst"))
    assert left_out.aggregates is not None
    assert worst.aggregates is not None
    means = [a.aggregates.of("b", "mean").estimate for a in (left_out, worst)]
    assert means[0] > means[1] > 0.0
    assert left_out.display is not None
    alone = performance_profile(ogive.read(samples, bounds=(0, 1), unit="row", varied="seed"), "score", missing="fail")
    assert left_out.display.profile.area() == alone.area()
    below = over(samples, failures="worst")
    assert any(note.endswith("worse than every other.") for note in below.notes)
    assert any("ranks and means leave it out" in note for note in left_out.notes)
    assert not any("failed run" in note for note in worst.notes)


def test_a_profile_has_the_numbers_of_the_profile_command_although_the_verdict_leaves_tasks_out(page):
    samples = runs(tasks=9, n=1, methods="abc", gap=0.1)
    samples["b"]["t1"][0] = samples["c"]["t2"][0] = 9.0
    trials = ogive.read(samples, goal="minimize", time_limit=9, unit="row", varied="seed")
    answer, alone = (
        find(trials, metric=None, confidence=0.95, failures=None, margin=None).over,
        performance_profile(trials),
    )
    assert answer is not None
    assert answer.display is not None
    drawn = answer.display.profile
    assert (drawn.kind, len(drawn.problems), drawn.methods) == ("ratio", 9, alone.methods)
    assert drawn.solved.tolist() == alone.solved.tolist() == pytest.approx([1.0, 8 / 9, 8 / 9])
    assert np.array_equal(drawn.distances, alone.distances)
    shown = page(samples, {"goal": "minimize", "time_limit": 9})
    assert "Among runs that finished: " in shown.section("In short")
    assert "9 problems" in shown.section(TITLE)


def test_a_method_without_any_success_is_in_the_profile_and_has_no_rank():
    samples = runs(tasks=12, n=1, methods="abc")
    samples["c"] = {t: np.array([9.0]) for t in samples["c"]}
    trials = ogive.read(samples, goal="minimize", time_limit=9, unit="row", varied="seed")
    answer = find(trials, metric=None, confidence=0.95, failures=None, margin=None).over
    assert answer is not None
    assert answer.display is not None
    assert answer.display.profile.solved.tolist() == [1.0, 1.0, 0.0]
    assert "<td>–</td>" in over_table(answer)


def test_the_error_is_divided_among_looks():
    once, twice = (over(runs(), looks=n).display for n in (1, 2))
    assert once is not None
    assert twice is not None
    assert (once.profile.confidence, twice.profile.confidence) == (0.95, 0.975)


def test_folds_have_a_profile_and_no_aggregates():
    rows = [(m, f"t{j}", f, float(RNG.uniform())) for m in "ab" for j in range(6) for f in range(5)]
    answer = over(pd.DataFrame(rows, columns=["model", "dataset", "fold", "score"]), {"unit": None, "bounds": (0, 1)})
    assert kind(answer) == "score"
    assert answer.aggregates is None


def test_texts_to_paste_name_the_profile_and_who_described_it(page):
    paper = page(runs(n=2)).section("For the paper")
    assert "1/2 + τ" in paper
    assert "exact band, heuristic" in paper
    assert "Moré, J. J. (2002)" in paper
    assert "score τ" in page(runs(n=2), {"bounds": (0, 1)}).section("For the paper")


# The picture


def test_lines_are_the_steps_of_the_profile():
    display = over({**runs(), HOSTILE: runs(methods="a")["a"]}).display
    assert display is not None
    figure = profile_figure(display)
    lines = [t for t in figure["data"] if "fill" not in t]
    assert [t["name"] for t in lines][::-1] == [m.replace("<", "&lt;").replace(">", "&gt;") for m in display.order]
    steps = display.steps(display.order[0])
    assert lines[-1]["x"][::2] == pytest.approx(steps.tau, rel=1e-5)
    assert lines[-1]["y"][::2] == pytest.approx(steps.estimate, rel=1e-5)
    assert sum("fill" in t for t in figure["data"]) == len(display.banded) == 3


def test_ratios_have_a_log_axis_of_powers_of_two():
    display = over(runs(n=1), {"goal": "minimize"}).display
    assert display is not None
    layout = profile_figure(display)["layout"]
    assert layout["xaxis"]["type"] == "log"
    assert layout["xaxis"]["ticktext"][:2] == ["1×", "2×"]
    assert layout["xaxis"]["range"][0] == 0.0
