"""A statistic at every size, with intervals: curves of means and quantiles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.results import Guarantee, Strength, strength_of
from ogive.statistics import mean_interval, quantile_interval
from ogive.trials import FloatArray
from ogive.words import aligned, interval, printable

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Statistic:
    """The mean, or the p-quantile."""

    p: float | None = None

    @classmethod
    def of(cls, statistic: Any) -> Statistic:
        """From "mean", "median", "q0.05" or a number p."""
        if isinstance(statistic, Statistic):
            return statistic
        if statistic == "mean":
            return cls()
        if statistic == "median":
            return cls(0.5)
        try:
            p = float(statistic[1:] if isinstance(statistic, str) and statistic.startswith("q") else statistic)
        except (TypeError, ValueError):
            p = math.nan
        if not 0.0 < p < 1.0:
            raise InputError(f"`statistic` must be 'mean', 'median', 'q0.05' or a share in (0, 1); got {statistic!r}.")
        return cls(p)

    @classmethod
    def quantile(cls, p: Any) -> Statistic:
        """The p-quantile; refuses what is no share."""
        number = isinstance(p, (int, float, np.integer, np.floating)) and not isinstance(p, bool)
        if not number or not 0.0 < p < 1.0:
            raise InputError(f"a quantile must be a share in (0, 1), such as 0.05; got {p!r}.")
        return cls(float(p))

    @property
    def name(self) -> str:
        """As in tables: mean, median, q0.05."""
        return "mean" if self.p is None else "median" if self.p == 0.5 else f"q{self.p:g}"

    def label(self, goal: str) -> str:
        """As in sentences; a quantile on the bad or good side says so."""
        if self.p is None or self.p == 0.5:
            return self.name
        bad = Metric.toward(goal).level(self.p)
        side = f"worst {100 * bad:g} %" if bad < 0.5 else f"best {100 * (1.0 - bad):g} %"
        return f"{100 * self.p:g} % quantile ({side})"

    def __call__(self, scores: FloatArray) -> FloatArray:
        """The statistic of each row; NaN where a row has a gap."""
        if self.p is None:
            return np.asarray(scores.mean(axis=-1))
        place = max(0, math.ceil(self.p * scores.shape[-1] - 1e-9) - 1)
        found = np.partition(scores, place, axis=-1)[..., place]
        return np.where(np.isnan(scores).any(axis=-1), np.nan, found)


def bad_side(goal: str, share: float) -> Statistic:
    """The quantile that a share of runs is worse than."""
    return Statistic(Metric.toward(goal).level(share))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticCurve:
    """A statistic of one model at every size, with intervals; NaN at sizes where a score is missing."""

    model: str
    sizes: NDArray[np.int64]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def at(self, size: int) -> tuple[float, float, float]:
        """Estimate, low and high at a size of the grid."""
        (place,) = np.flatnonzero(self.sizes == size) if size in self.sizes else (None,)
        if place is None:
            raise InputError(f"`size` must be on the grid {self.sizes.tolist()}; got {size!r}.")
        return float(self.estimate[place]), float(self.low[place]), float(self.high[place])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StatisticCurves:
    """The same statistic of several models.

    Attributes
    ----------
    curves : tuple of StatisticCurve
    simultaneous : bool
        Whether a curve lies within its intervals at all sizes at once with the confidence, or at
        each size alone.
    guarantee : str
        `conservative` for order statistics, `approximate` for means.
    n : int
        Repetitions.
    """

    curves: tuple[StatisticCurve, ...]
    metric: str
    statistic: str
    label: str
    confidence: float
    simultaneous: bool
    method: str
    guarantee: Guarantee
    n: int
    scope: str

    def __getitem__(self, model: str) -> StatisticCurve:
        for curve in self.curves:
            if curve.model == model:
                return curve
        raise InputError(f"there is no model {model!r}; there are {', '.join(c.model for c in self.curves)}.")

    def __iter__(self) -> Iterator[StatisticCurve]:
        return iter(self.curves)

    def __repr__(self) -> str:
        return f"StatisticCurves({self.statistic} of {self.metric}, {len(self.curves)} models, {self.curves[0].sizes.size} sizes)"

    def __str__(self) -> str:
        sizes = self.curves[0].sizes
        chosen = np.unique(np.round(np.linspace(0, sizes.size - 1, min(MOST_SHOWN, sizes.size))).astype(int))
        rows = [["n", *(printable(c.model) for c in self.curves)]]
        for i in chosen:
            cells = [interval(float(c.estimate[i]), float(c.low[i]), float(c.high[i])) for c in self.curves]
            rows.append([str(sizes[i]), *cells])
        some = f", {chosen.size} of {sizes.size} sizes" if chosen.size < sizes.size else ""
        return "\n".join([f"{self.label} of {self.metric}{some}", *aligned(rows), self.reading])

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    @property
    def reading(self) -> str:
        """How the intervals are to be read."""
        together = (
            f"all {self.curves[0].sizes.size} sizes of a curve together" if self.simultaneous else "each size alone"
        )
        return (
            f"{100 * self.confidence:g} % intervals for {together} ({self.method}, "
            f"{self.strength}), {self.n} repetitions, {self.scope}."
        )

    def to_pandas(self) -> pd.DataFrame:
        """Columns model, size, metric, statistic, estimate, low, high, method, guarantee, n."""
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame({"model": c.model, "size": c.sizes, "metric": self.metric, "statistic": self.statistic,
                              "estimate": c.estimate, "low": c.low, "high": c.high, "method": self.method,
                              "guarantee": self.guarantee, "n": self.n})
                for c in self.curves
            ],
            ignore_index=True,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; what is not finite becomes null."""
        rows = [
            {"model": c.model, "size": int(n), "metric": self.metric, "statistic": self.statistic,
             **{k: finite(v) for k, v in (("estimate", e), ("low", a), ("high", b))},
             "method": self.method, "guarantee": self.guarantee, "n": self.n}
            for c in self.curves
            for n, e, a, b in zip(c.sizes, c.estimate, c.low, c.high, strict=True)
        ]  # fmt: skip
        return {
            "schema": 1,
            "confidence": self.confidence,
            "simultaneous": self.simultaneous,
            "scope": self.scope,
            "rows": rows,
        }


def statistic_curve(
    model: str, sizes: NDArray[np.int64], scores: FloatArray, statistic: Statistic, level: float, bounds: Bounds
) -> StatisticCurve:
    """The curve of one model, each size at the confidence `level`; intervals end at the metric's bounds."""
    least, most = (-math.inf if bounds[0] is None else bounds[0], math.inf if bounds[1] is None else bounds[1])
    low, high = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
    for i, row in enumerate(scores):
        if not np.isnan(row).any():
            found = (
                mean_interval(row, confidence=level)
                if statistic.p is None
                else quantile_interval(row, statistic.p, confidence=level)
            )
            low[i], high[i] = max(found.low, least), min(found.high, most)
    return StatisticCurve(model=model, sizes=sizes, estimate=statistic(scores), low=low, high=high)


def level_of(confidence: float, n_sizes: int, simultaneous: bool) -> float:
    """The confidence at one size: by Bonferroni where all sizes must hold together."""
    confidence = as_confidence(confidence)
    return 1.0 - (1.0 - confidence) / n_sizes if simultaneous else confidence


def finite(value: float) -> float | None:
    """A number for JSON."""
    return float(value) if math.isfinite(value) else None
