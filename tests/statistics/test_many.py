"""Intervals of many samples at once are those of each sample, bit for bit."""

import re

import numpy as np
import pytest

from ogive.answers._summary import Sample, interval_of, intervals_of
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.statistics import Statistic, can_sum

STATISTICS = ("mean", "median", "worst_0.1", "best_0.5", "q0.05", "q0.95", "best_of_8", "worst_of_2", "exceedance_0.5")  # fmt: skip
DRAWS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "lattice": lambda rng, n: rng.integers(0, 4, n) / 3.0,
    "right or wrong": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "constant": lambda rng, n: np.full(n, rng.integers(0, 3) * 0.1),
    "huge": lambda rng, n: rng.choice([1e308, -1e308, 1.0], n),
    "failures as infinity": lambda rng, n: np.where(rng.random(n) < 0.2, -np.inf, rng.normal(size=n)),
}


@pytest.mark.parametrize("bounds", [(None, None), (0.0, 1.0)])
@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("draw", DRAWS)
def test_intervals_made_together_are_those_made_one_by_one(draw, goal, bounds):
    rng = np.random.default_rng(5)
    metric = Metric(goal, bounds)
    samples = [
        Sample(DRAWS[draw](rng, n), None, metric, None, draw == "right or wrong")
        for n in (1, 2, 3, 7, 8, 9, 17, 20, 40, 129, 200)
        for _ in range(6)
    ]
    for name in STATISTICS:
        statistic = Statistic.parse(name)
        for sample, found in zip(samples, intervals_of(statistic, samples, 0.9, guaranteed=False), strict=True):
            if isinstance(found, InputError):
                with pytest.raises(InputError, match=re.escape(str(found))):
                    interval_of(statistic, sample, 0.9, guaranteed=False)
            else:
                assert found == interval_of(statistic, sample, 0.9, guaranteed=False), (name, sample.scores)


def test_cells_of_one_size_are_asked_together(monkeypatch):
    """600,000 intervals one by one took 50 s; what is asked of numpy must not grow with the number of cells."""
    import ogive
    from ogive.answers import _summary

    calls = []
    monkeypatch.setattr(_summary, "interval_of", lambda *a, **k: calls.append(a) or interval_of(*a, **k))
    rng = np.random.default_rng(0)
    trials = ogive.read({f"m{i}": {f"t{j}": rng.random(3).tolist() for j in range(10)} for i in range(10)}, unit="row")
    found = ogive.summarize(trials)
    assert len(found.rows) == 600
    assert not calls


def test_what_cannot_be_summed_is_left_to_itself():
    assert can_sum(np.array([[1.0, 2.0], [np.inf, 1.0], [1e308, 1.0]])).tolist() == [True, False, False]
