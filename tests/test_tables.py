"""One table, many forms; and every result that a user holds has all of them."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ogive
from ogive import profiles
from ogive.curves import learning_curves
from ogive.errors import InputError
from ogive.plots import Drawable
from ogive.tables import Ranged, Table

NASTY = r"50% of a_b & <b>$x$</b> | {#1}"
NO_PICTURE = ("GeometricMeans", "StatisticCurves")


@cache
def results() -> dict[str, Any]:
    """One of every result, with a name that every form must escape."""
    rng = np.random.default_rng(0)
    rows = [
        {"model": m, "C": rng.uniform(), "score": rng.normal(0.7 + 0.1 * i, 0.1)} for i, m in enumerate(("plain", NASTY)) for _ in range(25)
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    trials = ogive.read(frame[["model", "score"]], unit="row")
    one = ogive.read(frame[frame.model == NASTY], params=["C"], score="score", unit="row")
    times = {m: np.exp(rng.normal(i, 1.0, 12)).tolist() for i, m in enumerate(("plain", "third", NASTY))}
    scores = {m: rng.normal(0.5, 0.2, (3, 5)).tolist() for m in ("plain", NASTY)}
    X = rng.normal(size=(40, 2)) + rng.integers(0, 2, 40)[:, None]
    curves = learning_curves(
        ["nmc", "lda"], X, (X.sum(axis=1) > 1).astype(int), n_repetitions=10, sizes=[10, 20], workers=0
    )
    found = [
        ogive.summarize(trials), ogive.compare(trials, "plain", NASTY), ogive.rank(trials), ogive.sources(one),
        ogive.plan("band", half_width=0.1, method="dkw"), ogive.check(one, one, margin=0.2), profiles.performance_profile(times, goal="minimize"),
        profiles.aggregates(scores, n_resamples=100), profiles.shifted_geometric_mean(times), profiles.average_ranks(times, goal="minimize"),
        curves, curves.mean(),
    ]  # fmt: skip
    return {type(one).__name__: one for one in found}


NAMES = (
    "Summary", "Comparison", "Ranking", "Sources", "Plan", "Check", "Profile", "Aggregates", "GeometricMeans", "AverageRanks",
    "LearningCurves", "StatisticCurves",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_result_has_every_form(name):
    result = results()[name]
    frame = result.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) > 0
    assert "| --- |" in result.to_markdown()
    shown = result._repr_html_()
    assert "<b>" not in shown
    assert shown.count("<table") == shown.count("</table>")
    assert_can_be_compiled(result.to_latex())


@pytest.mark.parametrize("name", NAMES)
def test_every_result_that_has_a_picture_draws_it(name):
    if name in NO_PICTURE:
        with pytest.raises(InputError, match=f"there is no picture of a {name}"):
            results()[name].plot()
    else:
        assert isinstance(results()[name].plot(width="3.25in", caption=False), Drawable)


@pytest.mark.parametrize("tasks", ["x", "xy"])
def test_every_form_of_a_comparison_holds_its_verdict_once(tasks):
    rng = np.random.default_rng(0)
    found = ogive.compare(ogive.read({m: {t: rng.normal(size=9) for t in tasks} for m in "ab"}, unit="row"), "a", "b")
    claim = found.parts[0].split(":")[0]
    for form in (found.to_markdown(), found.to_latex(), found._repr_html_()):
        assert form.count(claim) == 1


def test_comparisons_over_several_tasks_are_drawn_one_by_one():
    rng = np.random.default_rng(0)
    found = ogive.compare(ogive.read({m: {t: rng.normal(size=9) for t in "xy"} for m in "ab"}, unit="row"), "a", "b")
    assert len(found.to_pandas()) == 2
    with pytest.raises(InputError, match=r"say comparison\.tasks\[0\]\.plot"):
        found.plot()
    assert found.tasks[0].plot().task == "x"


def test_a_cell_is_a_number_with_its_interval_until_the_last_moment():
    table = Table(head=("method", "mean"), rows=((NASTY, Ranged(0.8, 0.7, 0.9, bold=True)), ("=b", Ranged(np.nan))))
    assert "**0.80 [0.70, 0.90]**" in table.to_markdown()
    assert r"$\mathbf{0.80\ [0.70, 0.90]}$" in table.to_latex()
    assert list(csv.reader(io.StringIO(table.to_csv())))[1:] == [[NASTY, "0.8", "0.7", "0.9"], ["'=b", "", "", ""]]
    assert_can_be_compiled(table.to_latex())


def test_more_tasks_than_methods_stand_down():
    summary = ogive.summarize(ogive.read({m: {t: [1.0, 2.0, 3.0] for t in "xyz"} for m in "ab"}), statistics=["mean"])
    assert "Task & a & b" in summary.to_latex()
    assert "Method & x & y & z" in summary.to_latex("methods-by-tasks")
    few = ogive.summarize(ogive.read({m: {t: [1.0, 2.0, 3.0] for t in "xy"} for m in "abc"}), statistics=["mean"])
    assert "Method & x & y" in few.to_latex()
    assert "Task & a & b & c" in few.to_latex("tasks-by-methods")


def assert_can_be_compiled(text: str) -> None:
    """What a compiler of LaTeX would stumble on: braces, columns, rules outside their place, signs that mean something."""
    for table in text.split(r"\begin{tabular}")[1:]:
        spec, body = re.match(r"\{(l*c*)\}\n(.*?)\\end\{tabular\}", table, re.DOTALL).groups()
        lines = [line for line in body.strip().splitlines() if not re.fullmatch(r"\\(top|mid|bottom)rule", line)]
        assert [r for r in ("top", "mid", "bottom") if rf"\{r}rule" in body] == ["top", "mid", "bottom"]
        for line in lines:
            assert line.endswith(r" \\"), line
            bare = re.sub(r"\\[\\&%$#_{}]", "", line.removesuffix(r" \\"))
            assert bare.count("{") == bare.count("}")
            assert bare.count("$") % 2 == 0
            assert not re.search(r"[#%~]", bare)
            assert not re.search(r"[_^]", re.sub(r"\$[^$]*\$", "", bare))
            spanned = re.match(r"\\multicolumn\{(\d+)\}", line)
            assert (int(spanned[1]) if spanned else bare.count("&") + 1) == len(spec), line
