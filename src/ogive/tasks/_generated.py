"""Points from scikit-learn's generators, fresh in every trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError
from ogive.tasks._rows import Split
from ogive.tasks._task import Data, Task, as_amount, as_count

SEEDS = 2**31  # scikit-learn takes seeds as integers; one is drawn from the trial's generator

Points = tuple[NDArray[np.float64], NDArray[np.int64]]


def moons(
    n: int = 2000, noise: float = 0.3, *, test_size: float = 0.4, stratify: bool = False, name: str = "moons"
) -> Task:
    """Two interleaving half circles, `n` fresh points in each trial (`sklearn.datasets.make_moons`)."""
    return _task(
        name, Split(test_size, stratify), "moons", _moons, n=as_count("n", n, 4), noise=as_amount("noise", noise)
    )


def circles(
    n: int = 2000,
    noise: float = 0.2,
    factor: float = 0.5,
    *,
    test_size: float = 0.4,
    stratify: bool = False,
    name: str = "circles",
) -> Task:
    """A circle within another, `n` fresh points in each trial (`sklearn.datasets.make_circles`)."""
    if not 0 <= as_amount("factor", factor) < 1:
        raise InputError(f"`factor` must lie in [0, 1), inner radius by outer; got {factor:g}.")
    n, noise = as_count("n", n, 4), as_amount("noise", noise)
    return _task(name, Split(test_size, stratify), "circles", _circles, n=n, noise=noise, factor=float(factor))


def linear(
    n: int = 2000,
    n_features: int = 10,
    n_classes: int = 4,
    n_clusters: int = 2,
    noise: float = 2.0,
    *,
    test_size: float = 0.4,
    stratify: bool = False,
    name: str = "linear",
) -> Task:
    """Gaussian clusters at the corners of a cube, fresh in each trial, every feature informative.

    `sklearn.datasets.make_classification` with `n_clusters` clusters for each class, then uniform
    noise in [0, `noise`) on every feature, as in scikit-learn's comparison of classifiers.
    """
    n_features, n_classes = as_count("n_features", n_features), as_count("n_classes", n_classes, 2)
    n_clusters = as_count("n_clusters", n_clusters)
    if n_classes * n_clusters > 2**n_features:
        raise InputError(
            f"`n_classes` times `n_clusters` must not exceed 2 ** n_features, the corners of the cube; "
            f"got {n_classes} times {n_clusters} with {n_features} features."
        )
    n, noise = as_count("n", n, n_classes * n_clusters), as_amount("noise", noise)
    return _task(
        name, Split(test_size, stratify), "linear", _linear, n=n, n_features=n_features, n_classes=n_classes,
        n_clusters=n_clusters, noise=noise,
    )  # fmt: skip


def _moons(rng: np.random.Generator, n: int, noise: float) -> Points:
    from sklearn.datasets import make_moons

    points: Points = make_moons(n, noise=noise, random_state=int(rng.integers(SEEDS)))
    return points


def _circles(rng: np.random.Generator, n: int, noise: float, factor: float) -> Points:
    from sklearn.datasets import make_circles

    points: Points = make_circles(n, noise=noise, factor=factor, random_state=int(rng.integers(SEEDS)))
    return points


def _linear(rng: np.random.Generator, n: int, n_features: int, n_classes: int, n_clusters: int, noise: float) -> Points:
    from sklearn.datasets import make_classification

    X, y = make_classification(
        n, n_features=n_features, n_informative=n_features, n_redundant=0, n_repeated=0, n_classes=n_classes,
        n_clusters_per_class=n_clusters, random_state=int(rng.integers(SEEDS)),
    )  # fmt: skip
    X += noise * rng.uniform(size=X.shape)
    return X, y


@dataclass(frozen=True, slots=True)
class Generated:
    """The draw of a generated task: points, then a split of them, both from one generator."""

    generator: str
    sample: Callable[..., Points]
    parameters: dict[str, Any]
    split: Split

    def __call__(self, rng: np.random.Generator) -> tuple[Data, Data]:
        X, y = self.sample(rng, **self.parameters)
        train, test = self.split.rows(y, rng)
        return Data(X[train], y[train]), Data(X[test], y[test])

    def definition(self) -> dict[str, Any]:
        """Generator, parameters and split."""
        return {"generator": self.generator, "parameters": dict(self.parameters), **self.split.definition()}

    def warm_up(self) -> None:
        """Import scikit-learn, which takes a second."""
        import sklearn.datasets  # noqa: F401


def _task(name: str, split: Split, generator: str, sample: Callable[..., Points], **parameters: float) -> Task:
    split.n_test(int(parameters["n"]))
    return Task(name, Generated(generator, sample, parameters, split), scope="generator", kind="classification")
