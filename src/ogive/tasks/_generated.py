"""Points from scikit-learn's generators, fresh in every trial."""

from __future__ import annotations

from dataclasses import asdict, dataclass
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
    return _task(name, Moons(as_count("n", n, 4), as_amount("noise", noise)), Split(test_size, stratify))


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
    points = Circles(as_count("n", n, 4), as_amount("noise", noise), float(factor))
    return _task(name, points, Split(test_size, stratify))


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
    points = Linear(
        as_count("n", n, n_classes * n_clusters), n_features, n_classes, n_clusters, as_amount("noise", noise)
    )
    return _task(name, points, Split(test_size, stratify))


@dataclass(frozen=True, slots=True)
class Moons:
    """Two half circles."""

    n: int
    noise: float

    def sample(self, rng: np.random.Generator) -> Points:
        """Points and their classes."""
        from sklearn.datasets import make_moons

        points: Points = make_moons(self.n, noise=self.noise, random_state=int(rng.integers(SEEDS)))
        return points


@dataclass(frozen=True, slots=True)
class Circles:
    """Two circles."""

    n: int
    noise: float
    factor: float

    def sample(self, rng: np.random.Generator) -> Points:
        """Points and their classes."""
        from sklearn.datasets import make_circles

        points: Points = make_circles(
            self.n, noise=self.noise, factor=self.factor, random_state=int(rng.integers(SEEDS))
        )
        return points


@dataclass(frozen=True, slots=True)
class Linear:
    """Clusters at the corners of a cube."""

    n: int
    n_features: int
    n_classes: int
    n_clusters: int
    noise: float

    def sample(self, rng: np.random.Generator) -> Points:
        """Points and their classes."""
        from sklearn.datasets import make_classification

        X, y = make_classification(
            self.n,
            n_features=self.n_features,
            n_informative=self.n_features,
            n_redundant=0,
            n_repeated=0,
            n_classes=self.n_classes,
            n_clusters_per_class=self.n_clusters,
            random_state=int(rng.integers(SEEDS)),
        )
        X += self.noise * rng.uniform(size=X.shape)
        return X, y


@dataclass(frozen=True, slots=True)
class Generated:
    """The draw of a generated task: points, then a split of them, both from one generator."""

    points: Moons | Circles | Linear
    split: Split

    def __call__(self, rng: np.random.Generator) -> tuple[Data, Data]:
        X, y = self.points.sample(rng)
        train, test = self.split.rows(y, rng)
        return Data(X[train], y[train]), Data(X[test], y[test])

    def definition(self) -> dict[str, Any]:
        """Generator, parameters and split."""
        return {
            "generator": type(self.points).__name__.lower(),
            "parameters": asdict(self.points),
            **self.split.definition(),
        }

    def warm_up(self) -> None:
        """Import scikit-learn, which takes a second."""
        import sklearn.datasets  # noqa: F401


def _task(name: str, points: Moons | Circles | Linear, split: Split) -> Task:
    split.n_test(points.n)
    return Task(name, Generated(points, split), scope="generator", kind="classification")
