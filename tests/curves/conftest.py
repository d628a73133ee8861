"""Small problems, and curves without a run."""

import numpy as np
import pytest

from ogive.curves import LearningCurves
from ogive.curves._metrics import definition


def problem(n=90, features=3, classes=3, seed=0):
    """Normal classes around the corners of a triangle."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    X = rng.normal(size=(n, features))
    X[:, 0] += 1.5 * (y == 0)
    X[:, 1] += 1.5 * (y == 1)
    return X, y


def curves_of(values, sizes, *, models=None, metric="accuracy", n_test=100, **facts):
    """LearningCurves of an array [model, size, repetition]."""
    values = np.asarray(values, dtype=float)
    names = models or tuple("abcdefghij"[: len(values)])
    return LearningCurves(
        values=values[:, None], models=tuple(names), definitions={metric: definition(metric)}, sizes=np.array(sizes),
        design="additive", test="fixed", n_rows=500, n_test=n_test, **facts,
    )  # fmt: skip


@pytest.fixture(name="problem", scope="session")
def _problem():
    return problem


@pytest.fixture(name="curves_of")
def _curves_of():
    return curves_of
