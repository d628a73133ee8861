"""A median is the same number wherever it is said: of an even number of runs the mean of the two in the middle."""

import re

import numpy as np
import pytest

import ogive
from ogive.answers._facts import MedianAboveBest, seen
from ogive.statistics import band, ecdf

SVM = [0.91, 0.88, 0.93, 0.52, 0.90, 0.92, 0.89, 0.91, 0.55, 0.92, 0.90, 0.93]
KNN = [0.86, 0.87, 0.85, 0.88, 0.86, 0.87, 0.86, 0.85, 0.88, 0.84, 0.86, 0.87]


@pytest.fixture(scope="module")
def trials():
    return ogive.read({"SVM": SVM, "k-NN": KNN}, bounds=(0, 1), unit="row", varied="seed")


def test_summary_fact_band_picture_and_distribution_say_one_median(trials):
    (row,) = [r for r in ogive.summarize(trials, statistics=["median"]).to_dict()["rows"] if r["algorithm"] == "SVM"]
    (fact,) = [f for f in seen(trials, "score", 0.95) if isinstance(f, MedianAboveBest)]
    (curve,) = [c for c in ogive.plots.best_of(trials).curves if c.algorithm == "SVM"]
    said = [row["estimate"], fact.median, curve.estimate[0], band(SVM).quantile(0.5).estimate, ecdf(SVM).median()]
    assert said == pytest.approx([0.905] * 5)
    assert re.search(r"median 0\.905\b", repr(ecdf(SVM)))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_the_middle_quantile_is_that_of_the_intervals(n):
    scores = np.random.default_rng(n).normal(size=n)
    for p in (0.0, 0.25, 0.4, 0.5, 0.75, 1.0):
        assert ecdf(scores).middle(p) == ogive.statistics.quantile_interval(scores, p).estimate
    assert ecdf(scores).median() == np.median(scores)
    assert ecdf(-scores).middle(0.25) == -ecdf(scores).middle(0.75)
