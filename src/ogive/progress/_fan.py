"""The quantiles of the runs themselves over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ogive.arguments import FloatArray, as_thresholds
from ogive.errors import InputError
from ogive.progress._grid import Ended, Grid, OnGrid, Scale, brought
from ogive.reading import Source

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fan:
    """The runs of one method: their quantiles at every step, by level, and how many there are."""

    method: str
    quantiles: dict[float, FloatArray]
    n_runs: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fans:
    """A fan for each method, on common steps."""

    fans: tuple[Fan, ...]
    runs: OnGrid

    def __repr__(self) -> str:
        return f"Fans({len(self.fans)} methods at {self.runs.grid.size} steps)"

    def of(self, method: str) -> Fan:
        """One method."""
        found = next((fan for fan in self.fans if fan.method == method), None)
        if found is None:
            raise InputError(
                f"there is no method {method!r} here; there are {', '.join(repr(fan.method) for fan in self.fans)}."
            )
        return found


def fan(
    source: Source | OnGrid,
    levels: Sequence[float] = LEVELS,
    *,
    metric: str | None = None,
    grid: Grid = None,
    ended: Ended = "last",
    normalize: Scale | None = None,
    failures: str | float = "refuse",
    tasks: Sequence[str] | None = None,
) -> Fans:
    """How the runs of every method spread at each step: the value below which a share of them lies.

    The runs of all tasks together, each task with the same weight; tasks with different scales need `normalize`. These are
    descriptions of the runs at hand, without intervals; `over_training(statistic="q0.05")` gives those.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": "a", "seed": s, "step": t, "return": float(s)} for s in range(5) for t in range(3)]
    >>> fan(ogive.read(pd.DataFrame(rows))).of("a").quantiles[0.5].tolist()
    [2.0, 2.0, 2.0]
    """
    for level in as_thresholds(levels, "levels").ravel().tolist():
        if not 0.0 < level < 1.0:
            raise InputError(f"`levels` must lie in (0, 1); got {level!r}.")
    runs = brought(
        source, metric=metric, grid=grid, ended=ended, failures=failures, normalize=normalize, tasks=tasks
    )  # fmt: skip
    fans = []
    for method in runs.methods:
        held = runs.runs(method)
        weights = np.concatenate([np.full(len(own), 1.0 / len(own)) for own in held])
        found = _quantiles(np.concatenate(held), weights / weights.sum(), levels)
        fans.append(Fan(method=method, quantiles=found, n_runs=weights.size))
    return Fans(fans=tuple(fans), runs=runs)


def _quantiles(values: FloatArray, weights: FloatArray, levels: Sequence[float]) -> dict[float, FloatArray]:
    """At every step the smallest value that a share of the weight does not exceed."""
    order = np.argsort(values, axis=0, kind="stable")
    ordered, mass = np.take_along_axis(values, order, axis=0), np.cumsum(weights[order], axis=0)
    out = {}
    for level in levels:
        place = np.minimum((mass < level - 1e-12).sum(axis=0), len(values) - 1)
        out[level] = ordered[place, np.arange(values.shape[1])]
    return out
