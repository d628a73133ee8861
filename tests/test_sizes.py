"""Large tables: pictures and pages that end, that hold what a reader can take in, and that say what they leave out."""

import resource
import subprocess
import sys

import numpy as np
import pytest

import ogive
from ogive import plots
from ogive.answers import foremost
from ogive.answers._pictures import SHOWN_METHODS, SHOWN_TASKS, medians
from ogive.plots._intervals import MOST_METHODS
from ogive.profiles import _distances as distances
from ogive.profiles import average_ranks, performance_profile
from ogive.profiles._distances import signed_ranks_p, signed_ranks_ps
from ogive.report import write


def table(methods, tasks, runs, seed=0):
    """Method i is better than i - 1; tasks with a higher number tell methods further apart."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(methods, tasks, runs)) + np.linspace(0, 3, methods)[:, None, None] * np.linspace(0, 2, tasks)[:, None]  # fmt: skip
    return ogive.read(
        {f"m{i}": {f"t{j}": scores[i, j].tolist() for j in range(tasks)} for i in range(methods)}, unit="row"
    )


@pytest.fixture(scope="module")
def large():
    return table(64, 100, 2)


# ---------------------------------------------------------------- what is shown


def test_of_a_small_table_everything_is_shown():
    trials = table(28, 3, 2)
    shown = foremost(trials, "score")
    assert (shown.methods, shown.tasks, shown.sentence) == (trials.algorithms, trials.tasks, "")
    assert shown.cells(trials) == trials.cells


def test_of_a_large_table_the_best_methods_are_shown_on_the_tasks_where_they_differ(large):
    shown = foremost(large, "score")
    assert len(shown.methods) == SHOWN_METHODS
    assert len(shown.tasks) == SHOWN_TASKS
    assert {int(m[1:]) for m in shown.methods} <= set(range(40, 64))
    assert shown.sentence == (
        "Shown: the 12 of 64 methods best by their average rank on all tasks, on the 24 of 100 tasks where they differ most."
    )


def test_whoever_was_judged_is_shown_in_that_order(large):
    shown = foremost(large, "score", order=large.algorithms)
    assert shown.methods == large.algorithms[:SHOWN_METHODS]
    assert shown.sentence != foremost(large, "score").sentence


def test_medians_of_all_cells_at_once_are_those_of_each():
    rng = np.random.default_rng(2)
    scores = {f"m{i}": {f"t{j}": rng.normal(size=rng.integers(1, 7)).tolist() for j in range(4)} for i in range(5)}
    del scores["m3"]["t1"]
    trials = ogive.read(scores, unit="row", goal="minimize")
    found = medians(trials, "score")
    for i, m in enumerate(trials.algorithms):
        for j, t in enumerate(trials.tasks):
            runs = trials.scores(m, t)
            assert np.isnan(found[i, j]) if not runs.size else found[i, j] == pytest.approx(-np.median(runs))


@pytest.mark.parametrize("draw", [plots.distribution, plots.best_of])
def test_a_picture_of_many_methods_draws_the_foremost_and_says_so(large, draw):
    display = draw(large)
    assert (len(display.methods), len(display.tasks)) == (SHOWN_METHODS, SHOWN_TASKS)
    assert display.caption.startswith("Shown: the 12 of 64 methods")


def test_a_band_is_made_for_what_is_drawn_and_no_more(large, monkeypatch):
    from ogive import statistics

    calls = []
    monkeypatch.setattr(statistics, "band", lambda *a, **k: calls.append(a))
    plots.distribution(large)
    assert len(calls) == SHOWN_METHODS * SHOWN_TASKS


def test_a_profile_of_many_methods_has_curves_of_the_best(large):
    display = plots.profile(performance_profile(large, "score", goal="maximize"))
    assert (len(display.order), len(display.drawn)) == (64, 12)
    assert display.drawn == display.order[:12]
    assert len(display.plot().lines_) == 12
    assert display.caption.startswith("Shown: the 12 of 64 methods with the highest curves.")


def test_pairs_of_a_profile_are_compared_for_the_best_methods_only():
    rng = np.random.default_rng(0)
    found = performance_profile({f"m{i}": (1.0 + i / 50 + rng.random(12)).tolist() for i in range(45)}, goal="minimize")
    display = plots.profile_pairs(found)
    assert (len(display.methods), len(display.cells)) == (40, 40 * 39)
    assert display.caption.startswith("Shown: the 40 of 45 methods with the largest area.")


def test_a_matrix_of_many_methods_is_one_image(large):
    display = plots.pairs(ogive.rank(large)).plot()
    axes = display.axes_["pairs"]
    assert (len(axes.images), len(axes.patches), len(axes.texts)) == (1, 0, 0)
    assert axes.images[0].get_array().shape == (64, 64, 3)
    assert max(display.figure_.get_size_inches()) < 12
    assert "64 methods" in display.caption


def test_long_charts_show_the_first_methods(large):
    ranked = ogive.rank(large)
    display = plots.ranks(ranked)
    assert display.rows == ranked.rows[:60]
    assert display.caption.startswith("Shown: the first 60 of 64 methods.")
    assert len(display.plot().axes_["ranks"].get_xticks()) <= 30
    means = plots.critical_difference(average_ranks(large))
    assert len(means.plot().names_) == 60
    assert means.caption.startswith("Shown: the first 60 of 64 methods.")
    ends = [bar.get_xdata()[1] for bar in means.bars_]
    assert len(ends) == len(set(ends))  # bars that were cut where the picture ends lie within the first of them
    numbers = plots.intervals(ogive.summarize(large, statistics=["mean"]))
    assert (len(numbers.methods), len(numbers.tasks)) == (MOST_METHODS, 40)
    assert numbers.caption.startswith("Shown: the first 40 of 64 methods, on the first 40 of 100 tasks of the summary.")


# ---------------------------------------------------------------- the page


def test_a_page_of_many_methods_is_a_page(large, tmp_path):
    """64 methods on 100 tasks: 6,400 cells, 2,016 pairs."""
    page = write(large, tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(page) < 8_000_000
    assert page.index(">Ranks</h2>") < page.index(">All runs, worst to best</h2>")
    assert "The other 44 methods</summary>" in page
    tiers = [row.tier for row in ogive.rank(large).rows]
    assert f"64 methods in {max(tiers)} tiers; the first tiers hold {tiers.count(1)}, {tiers.count(2)} and " in page
    assert "Shown: the 12 of 64 methods that lead the ranking, on the 24 of 100 tasks where they differ most." in page
    assert "All numbers: ogive.summarize(trials).to_pandas(), on the command line `ogive summary --json`." in page
    assert "The table holds the first 30 of 64 methods. All pairs: ogive.rank(trials).pairs." in page
    assert page.count("<td") < 12_000


def test_a_page_of_few_methods_leaves_nothing_out(tmp_path):
    page = write(table(5, 4, 3), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Shown: " not in page
    assert "All numbers: " not in page
    assert page.index(">Ranks</h2>") > page.index(">Every method against every other</h2>")


def test_the_leaders_of_a_page_are_named_up_to_six(tmp_path):
    rng = np.random.default_rng(0)
    trials = ogive.read({f"m{i:02d}": rng.normal(size=30).tolist() for i in range(8)} | {f"bad{i}": rng.normal(-9, 1, 30).tolist() for i in range(8)}, unit="row")  # fmt: skip
    page = write(trials, tmp_path / "page.html").read_text(encoding="utf-8")
    assert " and 2 more</p>" in page


# ---------------------------------------------------------------- many at once, the same numbers


def test_signed_ranks_of_many_samples_are_those_of_each():
    rng = np.random.default_rng(0)
    samples = [rng.normal(size=n) for n in (1, 2, 5, 12, 13, 14, 30, 50, 51, 200) for _ in range(5)]
    samples += [rng.integers(1, 5, n) * rng.choice([-1.0, 1.0], n) for n in (1, 2, 5, 13, 14, 50, 51) for _ in range(5)]
    assert signed_ranks_ps(samples).tolist() == [signed_ranks_p(s) for s in samples]


def test_all_pairs_of_methods_are_tested_in_few_calls(monkeypatch):
    """124,750 calls of scipy, a millisecond each, kept a page of 500 methods waiting for two minutes."""
    from scipy import stats

    calls = []
    wilcoxon = stats.wilcoxon
    monkeypatch.setattr(stats, "wilcoxon", lambda *a, **k: calls.append(a) or wilcoxon(*a, **k))
    rng = np.random.default_rng(0)
    found = average_ranks({f"m{i}": rng.random(20).tolist() for i in range(20)}, goal="maximize")
    assert len(found.pairs) == 190
    assert len(calls) == 1


@pytest.mark.parametrize("values", ["continuous", "ties", "failures"])
def test_duels_of_two_methods_on_all_problems_are_those_on_each(values, monkeypatch):
    rng = np.random.default_rng(0)
    draw = {"continuous": rng.normal, "ties": lambda size: rng.integers(0, 3, size), "failures": rng.normal}[values]
    scores = {m: {f"t{j}": np.asarray(draw(size=n), dtype=float) for j in range(30)} for m, n in (("a", 4), ("b", 4))}
    if values == "failures":
        scores["a"]["t3"][:2] = scores["b"]["t4"][:] = np.nan
    trials = ogive.read({m: {t: v.tolist() for t, v in of.items()} for m, of in scores.items()}, unit="row")
    together = performance_profile(trials, "improvement", goal="maximize", missing="fail").distances
    monkeypatch.setattr(distances, "MOST_DUELS", 0)
    one_by_one = performance_profile(trials, "improvement", goal="maximize", missing="fail").distances
    assert np.array_equal(together, one_by_one)


@pytest.mark.parametrize("over", ["fixed", "sample"])
@pytest.mark.parametrize("criterion", ["mean", "improvement", "iqm"])
def test_pairs_summed_in_blocks_are_those_summed_at_once(over, criterion, monkeypatch):
    from ogive.statistics import _families

    trials = table(9, 11, 3)
    whole = ogive.rank(trials, criterion=criterion, over=over)
    monkeypatch.setattr(_families, "BLOCK", 60)
    parts = ogive.rank(trials, criterion=criterion, over=over)
    assert whole.rows == parts.rows
    assert whole.pairs == parts.pairs


# ---------------------------------------------------------------- a clock, generously

ASK = """
import resource, sys
from ogive.cli._app import main
assert main(sys.argv[1:]) == 0
used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print("seconds", sum(u.ru_utime + u.ru_stime for u in used), used[0].ru_maxrss / 1e6, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.parametrize(
    ("shape", "command"),
    [
        ((200, 100, 2), ["rank"]),
        ((200, 100, 2), ["summary"]),
        ((200, 100, 2), ["plot", "-o", "a.png"]),
        ((200, 100, 2), ["report", "-o", "a.html"]),
        ((2, 1, 500_000), ["compare"]),
        ((2, 1, 500_000), ["report", "-o", "a.html"]),
    ],
    ids=lambda value: value[0] if isinstance(value[0], str) else "x".join(map(str, value)),
)
def test_a_command_ends_within_a_minute_and_two_gigabytes(shape, command, tmp_path):
    """Measured at 2 to 12 s; 60 leave room for a slow machine, and none for what grows with the square of the cells."""
    rng = np.random.default_rng(0)
    m, t, r = (part.ravel() for part in np.indices(shape))
    import pyarrow as pa
    import pyarrow.csv

    columns = {"method": [f"m{i}" for i in m], "task": [f"t{i}" for i in t], "seed": r, "accuracy": rng.random(m.size)}
    pa.csv.write_csv(pa.table(columns), tmp_path / "scores.csv")
    asked = [command[0], "scores.csv", *command[1:], "--unit", "row"]
    done = subprocess.run(
        [sys.executable, "-c", ASK, *asked], cwd=tmp_path, capture_output=True, text=True, check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (120, 120)),
    )  # fmt: skip
    seconds, gigabytes = map(float, done.stderr.splitlines()[-1].split()[1:])
    assert seconds < 60.0
    assert gigabytes < 2.0
