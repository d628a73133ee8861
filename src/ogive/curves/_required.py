"""From which training-set size on a quantile reaches a target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.curves._statistics import finite
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.results import strength_of
from ogive.statistics import Statistic
from ogive.words import number, percent_sure, printable

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves

WORST = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredSize:
    """The smallest size of the grid from which on a quantile reaches a target at every size.

    Attributes
    ----------
    estimate, low, high : float
        Infinite where the target is not reached (or cannot be shown to be) up to the largest size.

    Notes
    -----
    Conservative: the quantile's order-statistic intervals hold at all S sizes at once (d/S each). The
    target is certainly reached from `high` on, and certainly not from any size before `low` on. `low`
    at the smallest size of the grid means "that or fewer". Beyond the grid nothing is said.
    """

    estimate: float
    low: float
    high: float
    model: str
    metric: str
    target: float
    quantile: float
    goal: str
    confidence: float
    smallest: int
    largest: int
    n: int
    scope: str
    method: str = "order statistics"
    guarantee: str = "conservative"

    def __str__(self) -> str:
        return self.verdict

    @property
    def verdict(self) -> str:
        """A sentence to paste."""
        toward = Metric.toward(self.goal)
        share = 1.0 - toward.level(self.quantile)
        sign = "at least" if toward.good_side == "higher" else "at most"
        what = (
            f"{100 * share:g} % of {printable(self.model)}'s runs have {printable(self.metric)} {sign} {self.target:g}"
        )
        if math.isfinite(self.estimate):
            said = f"{what} from n = {self.estimate:g} on [{self._end(self.low)}, {self._end(self.high)}]"
        else:
            said = (
                f"up to n = {self.largest} it is not seen that {what} [{self._end(self.low)}, {self._end(self.high)}]"
            )
        return (
            f"{said[0].upper() + said[1:]} ({percent_sure(self.confidence)} interval, {strength_of(self.guarantee)}, on the measured sizes; "
            f"{self.n} repetitions), {self.scope}."
        )

    def _end(self, size: float) -> str:
        if size == self.smallest:
            return f"≤ {size:g}"
        return number(size) if math.isinf(size) else f"{size:g}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; null where the target is not reached up to the largest size."""
        fields = ("model", "metric", "target", "quantile", "confidence", "method", "guarantee", "n", "verdict")
        ends = {name: finite(getattr(self, name)) for name in ("estimate", "low", "high")}
        return {**ends, **{name: getattr(self, name) for name in fields}}


def required_size(
    curves: LearningCurves, model: str | None, metric: str | None, *, target: float, quantile: float | None, confidence: float
) -> RequiredSize:  # fmt: skip
    """The size from which on the quantile (the worst 5 % where None) reaches the target."""
    name = curves.metric_name(metric)
    goal, chosen = curves.definitions[name].goal, curves.models[curves.place(model)]
    if not isinstance(target, (int, float, np.integer, np.floating)) or not math.isfinite(target):
        raise InputError(f"`target` must be a number on the scale of {name!r}; got {target!r}.")
    low, high = curves.definitions[name].bounds
    if (low is not None and target < low) or (high is not None and target > high):
        raise InputError(f"`target` must be a score that {name!r} can have, within {(low, high)}; got {target!r}.")
    statistic = Statistic.quantile(curves.definitions[name].level(WORST) if quantile is None else quantile)
    assert statistic.p is not None
    curve = curves.statistic(statistic, name, confidence=confidence, simultaneous=True)[chosen]
    if np.isnan(curve.estimate).any():
        size = int(curve.sizes[np.flatnonzero(np.isnan(curve.estimate))[0]])
        raise InputError(
            f"{chosen!r} has no {name} in some repetitions at n = {size}, so its quantile is not defined; ask for sizes without "
            "failed fits, or count them: curves.with_failures('worst')."
        )
    toward = curves.definitions[name]
    pessimist, optimist = toward.worst_first(curve.low, curve.high)
    wanted = toward.turned(float(target))
    ends = [from_here_on(curve.sizes, toward.turned(side) >= wanted) for side in (curve.estimate, optimist, pessimist)]
    return RequiredSize(
        estimate=ends[0], low=ends[1], high=ends[2], model=chosen, metric=name, target=float(target), quantile=statistic.p,
        goal=goal, confidence=confidence, smallest=int(curve.sizes[0]), largest=int(curve.sizes[-1]), n=curves.n_repetitions,
        scope=curves.scope,
    )  # fmt: skip


def from_here_on(sizes: Any, reached: Any) -> float:
    """The first size from which on all are reached; infinite where the last one is not."""
    missed = np.flatnonzero(~np.asarray(reached))
    if not missed.size:
        return float(sizes[0])
    return math.inf if missed[-1] == len(sizes) - 1 else float(sizes[missed[-1] + 1])
