"""Tables whose rows are items: the best of several is the easiest of them and says nothing of a method."""

import numpy as np
import pandas as pd
import pytest

import ogive


@pytest.mark.parametrize("methods", ["ab", "abc"])
@pytest.mark.parametrize("column", ["instance", "seed"])
def test_nothing_is_said_of_the_best_of_several_items(written, methods, column):
    rng = np.random.default_rng(0)
    rows = [(m, i, float(x)) for k, m in enumerate(methods) for i, x in enumerate(rng.normal(k, 1, 24))]
    trials = ogive.read(pd.DataFrame(rows, columns=["model", column, "score"]), goal="maximize")
    tries = column == "seed"
    assert trials.of_items is not tries
    page, summary = written(trials), ogive.summarize(trials)
    assert ("after 8 tries" in page.text) is tries
    assert bool(page.section("The best of k")) is tries
    assert ("best_of_8" in {r.statistic for r in summary.rows}) is tries
    judged = ogive.compare(trials, "a", "b") if methods == "ab" else ogive.rank(trials)
    assert judged.questions["after 8 tries"].refused == ("few runs" if tries else "items")
    assert ("Three further questions share" in page.text) is tries
    assert ogive.summarize(trials, statistics="best_of_8").rows
