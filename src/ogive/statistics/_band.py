"""Bands: exact, ks, dkw; and how a band becomes an interval.

The exact band gives every order statistic the same local level g: U(i) lies below
`BetaInv(g/2; i, n+1-i)` or above `BetaInv(1-g/2; i, n+1-i)` with probability g, and g is chosen
so that all n of them stay inside with probability 1 - d (Learned-Miller and DeStefano 2008;
Berk and Jones 1979). The shipped table holds g for every n up to 200 and then for nodes up to 20,000.
Between nodes log g is interpolated in log n and reduced by the largest error found half-way
between nodes, so a band from the table errs on the safe side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import (
    NO_BOUNDS,
    Bounds,
    FloatArray,
    IntArray,
    as_bounds,
    as_clusters,
    as_confidence,
    as_failures,
    as_goal,
    as_scores,
    as_threshold,
)
from ogive.errors import InputError
from ogive.results import Guarantee, Strength, strength_of
from ogive.statistics._distribution import Distribution, step_function
from ogive.statistics._interval import Assumption, Interval

Side: TypeAlias = Literal["both", "lower", "upper"]
FailedSide: TypeAlias = Literal["unknown", "lower", "upper"]

# The columns of the shipped table of local levels, for two sides and for one.
CONFIDENCES = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
TABLE = Path(__file__).with_name("levels.csv")
# scipy's one-sided quantile takes seconds beyond this; the closed bound is 1 / (6n) wider and holds as well.
LARGEST_SMIRNOV = 20_000
FAILED = {
    "unknown": Assumption.FAILED_ANYWHERE, "lower": Assumption.FAILED_BELOW, "upper": Assumption.FAILED_ABOVE,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Band:
    """Two distributions between which the true one lies, everywhere at once, at a confidence.

    `low.cdf(z) <= F(z) <= high.cdf(z)` for every z. The distribution whose CDF lies low has the
    *large* quantiles; the methods of the band know that, and return intervals in their order.
    """

    low: Distribution
    estimate: Distribution
    high: Distribution
    confidence: float
    method: str
    guarantee: Guarantee
    n: int
    side: Side = "both"
    local_level: float | None = None
    assumptions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Band({self.method}, {self.confidence:.3g}, n={self.n}, {self.guarantee}, median {self.quantile(0.5)})"

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    def _repr_html_(self) -> str:
        return f"<code>{self!r}</code>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the steps of both sides and of the estimate."""
        fields = {
            name: getattr(self, name) for name in ("confidence", "method", "guarantee", "n", "side", "local_level")
        }
        sides = {name: getattr(self, name).to_dict() for name in ("low", "estimate", "high")}
        return {**fields, **sides, "assumptions": list(self.assumptions)}

    def cdf(self, z: float) -> Interval:
        """P(Z <= z)."""
        z = as_threshold(z, "z")
        return self._interval(self.estimate.cdf(z), self.low.cdf(z), self.high.cdf(z))

    def quantile(self, p: float) -> Interval:
        """The p-quantile, estimated by the middle of two runs where it falls between them; holds for all p at once.

        For many p, ask `high.quantile` and `low.quantile`.
        """
        if np.ndim(p) != 0:
            raise InputError("`p` must be one number; for many take band.high.quantile(p) and band.low.quantile(p).")
        return self._interval(self.estimate.middle(p), self.high.quantile(p), self.low.quantile(p))

    def mean(self, bounds: Bounds = NO_BOUNDS) -> Interval:
        """The mean (Anderson 1969); each side needs the support bound of its own side only."""
        low, estimate, high, assumed = self._within(bounds)
        return self._interval(estimate.mean(), high.mean(), low.mean(), assumed)

    def cvar(self, *, mass: float, tail: str, bounds: Bounds = NO_BOUNDS) -> Interval:
        """The mean of the share `mass` at one end; a bound on that end's side is needed for that side."""
        low, estimate, high, assumed = self._within(bounds)
        middle, least, most = (d.cvar(mass=mass, tail=tail) for d in (estimate, high, low))
        return self._interval(middle, least, most, assumed)

    def threshold_area(self, t: float, bounds: Bounds = NO_BOUNDS) -> Interval:
        """E[Z 1{Z >= t}].

        Notes
        -----
        With F(t-) = c the area is t (1 - c) plus the integral of 1 - F above t. For t >= 0 both
        terms fall as F rises, so the sides of the band give the ends. For t < 0 the first term
        rises with c: the lower end starts from the low side and jumps to the high one at t;
        the upper end is stationary in c where the low side reaches 0.
        """
        t = as_threshold(t, "t")
        if t == -math.inf:
            return self.mean(bounds)
        low, estimate, high, assumed = self._within(bounds)
        if t >= 0.0:
            least, most = high.threshold_area(t), low.threshold_area(t)
        else:
            least = t * (1.0 - low.cdf(t, left=True)) + high.excess(t)
            c = min(max(low.cdf(0.0, left=True), low.cdf(t, left=True)), high.cdf(t, left=True))
            # The low side, raised to c from t on: what its first point above t adds starts from there.
            above = low.points > t
            start = max(c, low.cdf(t))
            weights = np.diff(np.maximum(low.cumulative[above], c), prepend=start)
            used = weights > 0.0
            most = t * (1.0 - c) + float(np.dot((low.points[above] - t)[used], weights[used]))
        return self._interval(estimate.threshold_area(t), least, most, assumed)

    def best_of(self, k: float, *, goal: str = "maximize") -> Band:
        """The band of the best of k draws."""
        low, estimate, high = (d.best_of(k, goal=goal) for d in (self.low, self.estimate, self.high))
        extra = (Assumption.EXTRAPOLATES,) if estimate.extrapolated else ()
        return replace(self, low=low, estimate=estimate, high=high, assumptions=(*self.assumptions, *extra))

    def worst_of(self, k: float, *, goal: str = "maximize") -> Band:
        """The band of the worst of k draws."""
        return self.best_of(k, goal="minimize" if as_goal(goal) == "maximize" else "maximize")

    def _within(self, bounds: Bounds) -> tuple[Distribution, Distribution, Distribution, tuple[str, ...]]:
        """Low, estimate and high with the support's ends in place of the infinities."""
        a, b = as_bounds(bounds, self.estimate.points)
        low, estimate, high = (replace(d, points=np.clip(d.points, a, b)) for d in (self.low, self.estimate, self.high))
        assumed = () if math.isinf(a) and math.isinf(b) else (Assumption.BOUNDED,)
        return low, estimate, high, assumed

    def _interval(self, estimate: float, low: float, high: float, assumed: tuple[str, ...] = ()) -> Interval:
        guarantee: Guarantee = "conservative" if self.guarantee == "exact" else self.guarantee
        return Interval(
            estimate=estimate, low=low, high=high, confidence=self.confidence, n=self.n,
            method=f"{self.method} band", guarantee=guarantee, assumptions=(*self.assumptions, *assumed),
        )  # fmt: skip


def band(
    scores: ArrayLike,
    *,
    confidence: float = 0.95,
    method: str = "exact",
    side: Side = "both",
    solve: bool = False,
    clusters: ArrayLike | None = None,
    n_failed: int = 0,
    failed: FailedSide = "unknown",
) -> Band:
    """A band around the empirical distribution that holds the true CDF everywhere at once.

    Parameters
    ----------
    scores : array-like
        Finite numbers, independent unless `clusters` is given.
    confidence : float
        The probability that the whole CDF lies inside.
    method : {"exact", "ks", "dkw"}
        `exact` has the same local level everywhere: tightest in the tails. `ks` has the same
        width everywhere: tightest in the middle. `dkw` is `ks` with a closed formula. Choose
        before looking at the data.
    side : {"both", "lower", "upper"}
        Bound the CDF from both sides, from below only, or from above only.
    solve : bool
        For `exact`: compute the local level for this n and confidence (compiles once) instead
        of the table, which rounds toward safety.
    clusters : array-like, optional
        Which scores belong together; the band then has the width of a `ks` band with n = number
        of clusters.
    n_failed : int
        Draws without a score.
    failed : {"unknown", "lower", "upper"}
        Where draws without a score lie: "unknown" counts them above every score on the low side and
        below every score on the high side, so that the band holds whatever they would have been;
        "lower" and "upper" put them below or above every score.

    Notes
    -----
    Guarantee: `exact` with `solve` and `ks` cover with exactly the confidence for continuous
    distributions; with ties they cover more, and are called conservative, as are `dkw`,
    `exact` from the table, and one side of `ks` above 20,000 scores, which has the width of `dkw`. With clusters the guarantee is approximate. Beyond the table (n above
    20,000, or a confidence above 0.999 without `solve`) `exact` gives way to `ks`, and
    `Band.method` says so.

    Both sides count the scores up to x: on [X(i), X(i+1)) the band is [lo_i, hi_{i+1}].

    References
    ----------
    Learned-Miller and DeStefano (2008), IEEE Trans. Inf. Theory 54(11); Massart (1990), Ann.
    Probab. 18(3); Smirnov (1944).

    Examples
    --------
    >>> b = band([0.71, 0.80, 0.83, 0.91, 0.93, 0.95, 0.96, 0.97, 0.98, 0.99])
    >>> print(b.quantile(0.5))
    0.94 [0.71, 0.99]
    """
    values = as_scores(scores)
    confidence = as_confidence(confidence)
    codes = as_clusters(clusters, values.size)
    as_band_method(method)
    if side not in ("both", "lower", "upper"):
        raise InputError(f"`side` must be 'both', 'lower' or 'upper'; got {side!r}.")
    if failed not in FAILED:
        raise InputError(f"`failed` must be 'unknown', 'lower' or 'upper'; got {failed!r}.")
    n_failed = as_failures(n_failed, codes)
    if codes is not None:
        return cluster_band(values, codes, confidence, side)
    n = values.size + n_failed
    lo, hi, method, level, exact = _sides(n, confidence, method, side, solve)
    ordered = np.sort(values)
    estimate = step_function(ordered)
    ranks = np.searchsorted(ordered, estimate.points, side="right")
    continuous = estimate.points.size == n
    below = n_failed if failed == "lower" else 0, n_failed if failed != "upper" else 0
    # k scores up to x: lo_k <= F(x) <= hi_{k+1}, where k also counts failures that lie below.
    low = _with_ends(estimate.points, lo[np.append(0, ranks) + below[0]], n)
    high = _with_ends(estimate.points, hi[np.append(0, ranks) + below[1]], n)
    if n_failed and failed != "unknown":
        estimate = _with_ends(estimate.points, (np.append(0, ranks) + below[0]) / n, n)
    return Band(
        low=low, estimate=estimate, high=high, confidence=confidence, method=method, n=n, side=side, local_level=level,
        guarantee="exact" if exact and continuous else "conservative",
        assumptions=(Assumption.INDEPENDENT, *((FAILED[failed],) if n_failed else ())),
    )  # fmt: skip


def _sides(
    n: int, confidence: float, method: str, side: Side, solve: bool
) -> tuple[FloatArray, FloatArray, str, float | None, bool]:
    """lo_0 … lo_n and hi_1 … hi_{n+1}; the method used, its local level, whether it is exact for continuous F."""
    two_sided = side == "both"
    found = local_level(n, confidence, two_sided=two_sided, solve=solve) if method == "exact" else None
    if found is not None:
        low, high = boundaries(n, found, two_sided=two_sided)
        if side == "upper":
            high = 1.0 - low[::-1]
    else:
        method = "ks" if method == "exact" else method
        width = band_margin(n, confidence, "dkw" if method == "dkw" else "ks", two_sided=two_sided)
        i = np.arange(1.0, n + 1.0)
        low, high = np.maximum(i / n - width, 0.0), np.minimum((i - 1.0) / n + width, 1.0)
    lo = np.append(0.0, low) if side != "upper" else np.zeros(n + 1)
    hi = np.append(high, 1.0) if side != "lower" else np.ones(n + 1)
    return lo, hi, method, found, is_exact(n, method, two_sided=two_sided, solved=solve)


def _with_ends(points: FloatArray, cumulative: FloatArray, n: int) -> Distribution:
    """A distribution from F before the first point and at each point; what is missing to 1 lies at infinity."""
    ends = Distribution(np.concatenate(([-math.inf], points, [math.inf])), np.append(cumulative, 1.0), n)
    kept = ends.weights > 0.0
    kept[1:-1] = True
    return Distribution(ends.points[kept], ends.cumulative[kept], n)


def cluster_band(values: FloatArray, codes: IntArray, confidence: float, side: Side) -> Band:
    """`band` of clusters behind the door: values may be infinite (failures counted as worst)."""
    estimate = step_function(values, codes)
    width = band_margin(estimate.n, confidence, "ks", two_sided=side == "both")
    lower = np.maximum(estimate.cumulative - width, 0.0) if side != "upper" else np.zeros(estimate.points.size)
    upper = (
        np.minimum(np.append(0.0, estimate.cumulative) + width, 1.0)
        if side != "lower"
        else np.ones(estimate.points.size + 1)
    )
    return Band(
        low=_with_ends(estimate.points, np.append(0.0, lower), estimate.n),
        estimate=estimate,
        high=_with_ends(estimate.points, upper, estimate.n),
        confidence=confidence, method="ks by cluster", guarantee="approximate", n=estimate.n, side=side,
        assumptions=(Assumption.CLUSTERED,),
    )  # fmt: skip


def as_band_method(method: str) -> str:
    """`exact`, `ks` or `dkw`."""
    if method not in ("exact", "ks", "dkw"):
        raise InputError(f"`method` must be 'exact', 'ks' or 'dkw'; got {method!r}.")
    return method


def is_exact(n: int, method: str, *, two_sided: bool, solved: bool) -> bool:
    """Whether a band has the width that covers continuous distributions with exactly the confidence."""
    return solved if method == "exact" else method == "ks" and (two_sided or n <= LARGEST_SMIRNOV)


@lru_cache(maxsize=1024)
def band_margin(n: int, confidence: float, method: Literal["ks", "dkw"], *, two_sided: bool) -> float:
    """Half the height of a ks or dkw band."""
    d = 1.0 - confidence
    if method == "dkw":
        # Massart's one-sided inequality holds for d up to 1/2.
        return min(1.0, math.sqrt(math.log(2.0 / d if two_sided else 1.0 / min(d, 0.5)) / (2.0 * n)))
    if not two_sided and n > LARGEST_SMIRNOV:
        return band_margin(n, confidence, "dkw", two_sided=False)
    if two_sided:
        from scipy.stats import kstwo

        width = float(kstwo.ppf(confidence, n))
        if confidence <= CONFIDENCES[-1]:
            return width
        from scipy.optimize import brentq

        # scipy's quantile is an approximation here: with it bands of 1,000 scores err up to 0.2 % more often than asked.
        ends = 0.9 * width, min(1.0, 1.1 * width)
        return float(brentq(lambda x: float(kstwo.sf(x, n)) - d, *ends, xtol=1e-15, rtol=1e-14))
    from scipy.special import smirnovi

    return float(smirnovi(n, d))


def local_level(n: int, confidence: float, *, two_sided: bool, solve: bool) -> float | None:
    """The local level for n scores, or None where neither table nor solver reaches."""
    nodes, log_levels, error = _table()
    if n > nodes[-1]:
        return None
    if solve:
        return solve_local_level(n, confidence, two_sided=two_sided)
    index = int(np.searchsorted(np.array(CONFIDENCES), confidence - 1e-12))  # the next higher one is safe
    if index == len(CONFIDENCES):
        return None
    column = index + (0 if two_sided else len(CONFIDENCES))
    value = math.exp(float(np.interp(math.log(n), np.log(nodes), log_levels[:, column])))
    return value * (1.0 - error)


def boundaries(n: int, level: float, *, two_sided: bool) -> tuple[FloatArray, FloatArray]:
    """lo_i and hi_i for i = 1 … n; a one-sided pair bounds from below only."""
    from scipy.special import betaincinv

    i = np.arange(1.0, n + 1.0)
    low = np.asarray(betaincinv(i, n + 1.0 - i, level / 2 if two_sided else level), dtype=np.float64)
    # BetaInv(1 - g/2; i, n+1-i) = 1 - BetaInv(g/2; n+1-i, i): one side is the other, reversed.
    return low, (1.0 - low[::-1] if two_sided else np.ones(n))


@lru_cache(maxsize=256)
def solve_local_level(n: int, confidence: float, *, two_sided: bool) -> float:
    """The level at which the band covers a continuous distribution with exactly `confidence`."""
    from scipy.optimize import brentq

    from ogive.kernels._corridor import stay_probability

    def excess(log_level: float) -> float:
        low, high = boundaries(n, math.exp(log_level), two_sided=two_sided)
        return float(stay_probability(low, high)) - confidence  # type: ignore[no-untyped-call]

    d = 1.0 - confidence
    if n == 1:
        return d  # one order statistic: its local level is the whole error
    # Bonferroni from below, a single order statistic from above.
    floor, ceiling = math.log(d / (2 * n)), math.log(d) + 1e-9
    return math.exp(brentq(excess, floor, ceiling, xtol=1e-10, rtol=1e-12))


@cache
def _table() -> tuple[FloatArray, FloatArray, float]:
    """Nodes, log levels (two-sided columns, then one-sided), and the certified relative error."""
    with TABLE.open(encoding="ascii") as lines:
        error = float(next(lines).rsplit(":", 1)[1])
    rows = np.loadtxt(TABLE, delimiter=",", skiprows=2)
    return rows[:, 0], np.log(rows[:, 1:]), error
