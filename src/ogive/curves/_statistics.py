"""A statistic at every size, with intervals: curves of means and quantiles, and from which size on one reaches a target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.results import Guarantee, Strength, strength_of
from ogive.statistics import Statistic, band, mean_interval, mean_intervals, quantile_intervals
from ogive.tables import Ranged, Table, Tabular
from ogive.trials import FloatArray
from ogive.words import number, percent_sure, printable

if TYPE_CHECKING:
    import pandas as pd

    from ogive.curves._curves import LearningCurves

MOST_SHOWN = 12
ROWS = 256  # sizes at a time
LARGE = 1e290
WORST = 0.05
MEAN = Statistic.parse("mean")
BAND = "exact band"


def statistic_of(what: Any) -> Statistic:
    """The mean or a quantile: "mean", "median", "q0.05" or a number p."""
    return Statistic.of(what, kinds=("mean", "q"))


def told(statistic: Statistic, metric: Metric) -> str:
    """As in sentences; a quantile on the bad or good side says so."""
    end = statistic.end(metric)
    return f"{statistic.label} ({end})" if end else statistic.label


def of_rows(statistic: Statistic, scores: FloatArray) -> FloatArray:
    """The mean or quantile of each row; NaN where a row has a gap."""
    if statistic.p is None:
        return np.asarray(scores.mean(axis=-1))
    n = scores.shape[-1]
    place = max(0, math.ceil(statistic.p * n - 1e-9) - 1)
    # The middle of two neighbors where every value between them is the quantile, as in `quantile_interval`.
    other = place + 1 if abs(statistic.p * n - (place + 1)) <= 1e-9 * n and place + 1 < n else place
    parted = np.partition(scores, (place, other), axis=-1)
    found = parted[..., place] / 2.0 + parted[..., other] / 2.0
    return np.where(np.isnan(scores).any(axis=-1), np.nan, found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatisticCurve:
    """A statistic of one model at every size, with intervals; NaN at sizes where a score is missing.

    `banded` marks sizes at which all scores are equal: the mean's interval is that of the exact band there.
    """

    model: str
    sizes: NDArray[np.int64]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    banded: NDArray[np.bool_]

    def at(self, size: int) -> tuple[float, float, float]:
        """Estimate, low and high at a size of the grid."""
        (place,) = np.flatnonzero(self.sizes == size) if size in self.sizes else (None,)
        if place is None:
            raise InputError(f"`size` must be on the grid {self.sizes.tolist()}; got {size!r}.")
        return float(self.estimate[place]), float(self.low[place]), float(self.high[place])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StatisticCurves(Tabular):
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
        (table,) = self.as_tables()
        return "\n".join([replace(table, below=()).to_text(), self.reading])

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each size, of many sizes some."""
        sizes = self.curves[0].sizes
        chosen = np.unique(np.round(np.linspace(0, sizes.size - 1, min(MOST_SHOWN, sizes.size))).astype(int))
        rows = tuple(
            (str(sizes[i]), *(Ranged(float(c.estimate[i]), float(c.low[i]), float(c.high[i])) for c in self.curves))
            for i in chosen
        )
        some = f", {chosen.size} of {sizes.size} sizes" if chosen.size < sizes.size else ""
        title = f"{self.label} of {self.metric}{some}"
        return (Table(head=("n", *(c.model for c in self.curves)), rows=rows, title=title, below=(self.reading,)),)

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    @property
    def reading(self) -> str:
        """How the intervals are to be read."""
        all_sizes = f"all {self.curves[0].sizes.size} sizes of a curve together"
        together = all_sizes if self.simultaneous else "each size alone"
        return f"{percent_sure(self.confidence)} intervals for {together} ({self.how}), {self.n} repetitions, {self.scope}."

    @property
    def how(self) -> str:
        """How the intervals are computed, and how sure they are."""
        banded = any(c.banded.any() for c in self.curves)
        where_equal = f", or where all scores are equal the {BAND}, {strength_of('conservative')}" if banded else ""
        return f"{self.method}, {self.strength}{where_equal}"

    def to_pandas(self) -> pd.DataFrame:
        """Columns model, size, metric, statistic, estimate, low, high, method, guarantee, n."""
        import pandas as pd

        return pd.concat(
            [
                pd.DataFrame({"model": c.model, "size": c.sizes, "metric": self.metric, "statistic": self.statistic,
                              "estimate": c.estimate, "low": c.low, "high": c.high, "method": np.where(c.banded, BAND, self.method),
                              "guarantee": np.where(c.banded, "conservative", self.guarantee), "n": self.n})
                for c in self.curves
            ],
            ignore_index=True,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; what is not finite becomes null."""
        rows = [
            {"model": c.model, "size": int(n), "metric": self.metric, "statistic": self.statistic,
             **{k: finite(v) for k, v in (("estimate", e), ("low", a), ("high", b))},
             "method": BAND if equal else self.method, "guarantee": "conservative" if equal else self.guarantee, "n": self.n}
            for c in self.curves
            for n, e, a, b, equal in zip(c.sizes, c.estimate, c.low, c.high, c.banded.tolist(), strict=True)
        ]  # fmt: skip
        known = {"confidence": self.confidence, "simultaneous": self.simultaneous, "scope": self.scope}
        return {"schema": 1, **known, "rows": rows}


def statistic_curve(
    model: str, sizes: NDArray[np.int64], scores: FloatArray, statistic: Statistic, level: float, bounds: Bounds
) -> StatisticCurve:
    """The curve of one model, each size at the confidence `level`; intervals end at the metric's bounds."""
    least, most = (-math.inf if bounds[0] is None else bounds[0], math.inf if bounds[1] is None else bounds[1])
    low, high, banded = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan), np.zeros(len(sizes), dtype=bool)
    p, known = statistic.p, np.flatnonzero(~np.isnan(scores).any(axis=1))
    for rows in (known[i : i + ROWS] for i in range(0, known.size, ROWS)):
        own = scores[rows]
        if p is not None:
            found = quantile_intervals(own, p, level)
        elif np.abs(own).max() < LARGE:
            found = mean_intervals(own, level)
        else:  # sums could overflow
            found = [mean_interval(row, confidence=level) for row in own]
        for i, one in zip(rows.tolist(), found, strict=True):
            # Equal scores have no spread to go by, but that other ones are rare can be said.
            banded[i] = p is None and math.isinf(one.high)
            value = min(max(float(scores[i, 0]), least), most)
            ends = _of_equal(value, one.n, level, bounds) if banded[i] else (one.low, one.high)
            low[i], high[i] = max(ends[0], least), min(ends[1], most)
    return StatisticCurve(
        model=model, sizes=sizes, estimate=of_rows(statistic, scores), low=low, high=high, banded=banded
    )


@lru_cache(maxsize=4096)
def _of_equal(value: float, n: int, level: float, bounds: Bounds) -> tuple[float, float]:
    """The exact band's limits of the mean where n scores have the same value, as at many sizes of a curve."""
    found = band(np.full(n, value), confidence=level).mean(bounds)
    return found.low, found.high


def level_of(confidence: float, n_sizes: int, simultaneous: bool) -> float:
    """The confidence at one size: by Bonferroni where all sizes must hold together."""
    confidence = as_confidence(confidence)
    return 1.0 - (1.0 - confidence) / n_sizes if simultaneous else confidence


def finite(value: float) -> float | None:
    """A number for JSON."""
    return float(value) if math.isfinite(value) else None


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
        seen = math.isfinite(self.estimate)
        said = (
            f"{what} from n = {self.estimate:g} on" if seen else f"up to n = {self.largest} it is not seen that {what}"
        )
        said += f" [{self._end(self.low)}, {self._end(self.high)}]"
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
    toward, chosen = curves.definitions[name], curves.models[curves.place(model)]
    if not isinstance(target, (int, float, np.integer, np.floating)) or not math.isfinite(target):
        raise InputError(f"`target` must be a number on the scale of {name!r}; got {target!r}.")
    low, high = toward.bounds
    if (low is not None and target < low) or (high is not None and target > high):
        raise InputError(f"`target` must be a score that {name!r} can have, within {(low, high)}; got {target!r}.")
    statistic = Statistic.quantile(toward.level(WORST) if quantile is None else quantile)
    assert statistic.p is not None
    level = level_of(confidence, len(curves.sizes), True)
    curve = statistic_curve(chosen, curves.sizes, curves.scores(chosen, name), statistic, level, toward.bounds)
    if np.isnan(curve.estimate).any():
        size = int(curve.sizes[np.flatnonzero(np.isnan(curve.estimate))[0]])
        raise InputError(
            f"{chosen!r} has no {name} in some repetitions at n = {size}, so its quantile is not defined; ask for sizes without "
            "failed fits, or count them: curves.with_failures('worst')."
        )
    pessimist, optimist = toward.worst_first(curve.low, curve.high)
    wanted = toward.turned(float(target))
    ends = [from_here_on(curve.sizes, toward.turned(side) >= wanted) for side in (curve.estimate, optimist, pessimist)]
    return RequiredSize(
        estimate=ends[0], low=ends[1], high=ends[2], model=chosen, metric=name, target=float(target), quantile=statistic.p,
        goal=toward.goal, confidence=confidence, smallest=int(curve.sizes[0]), largest=int(curve.sizes[-1]), n=curves.n_repetitions,
        scope=curves.scope,
    )  # fmt: skip


def from_here_on(sizes: Any, reached: Any) -> float:
    """The first size from which on all are reached; infinite where the last one is not."""
    missed = np.flatnonzero(~np.asarray(reached))
    if not missed.size:
        return float(sizes[0])
    return math.inf if missed[-1] == len(sizes) - 1 else float(sizes[missed[-1] + 1])
