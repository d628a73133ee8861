"""Questions that need no data: how close a band, a quantile or a bounded mean comes with n trials, at worst."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ogive.arguments import FloatArray, as_bounds, as_confidence, as_mass, as_probability
from ogive.errors import InputError
from ogive.statistics._assumptions import Assumption
from ogive.statistics._band import band_margin, is_exact
from ogive.statistics._interval import order_statistic_ranks
from ogive.statistics._levels import CONFIDENCES, boundaries, local_level
from ogive.statistics.planning._plan import How, Question, counted, percent
from ogive.words import percent_sure

# Where the shipped table of local levels ends.
TABLE_END = 20_000
SLOW_FROM = 2_000
ABOVE_TABLE = f"above {percent(CONFIDENCES[-1])} confidence the exact band gives way to ks"
BEYOND_TABLE = f"beyond {TABLE_END:,} trials the exact band gives way to ks"


@dataclass(frozen=True, slots=True, kw_only=True)
class BandPrecision(Question):
    """The largest distance of a band's sides from the empirical CDF.

    Notes
    -----
    A band's width does not depend on the data but through their number, so the plan holds for every
    distribution. `exact` is tighter than `ks` in the tails and wider in the middle, which is what
    counts here.
    """

    confidence: float = 0.95
    method: str = "exact"
    one_sided: bool = False
    solve: bool = False

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_band_method(self.method)

    @property
    def what(self) -> str:
        """The question's name."""
        return "band"

    @property
    def widest(self) -> float:
        """A CDF lies between 0 and 1."""
        return 1.0

    @property
    def axis(self) -> str:
        """What the width is."""
        return f"distance of the {percent_sure(self.confidence)} band from the curve"

    def width(self, n: int) -> float:
        """The largest distance."""
        return band_distance(n, self.confidence, self.method, self.one_sided, self.solve)[0]

    def how(self, n: int) -> How:
        """The band that n trials have."""
        used = band_distance(n, self.confidence, self.method, self.one_sided, self.solve)[1]
        exact = is_exact(n, used, two_sided=not self.one_sided) or (used == "exact" and self.solve)
        return How(
            used, "exact" if exact else "conservative", (Assumption.INDEPENDENT,), _given_way(self.method, used, n)
        )

    def claim(self, n: int, width: float) -> str:
        """The answer."""
        side = "one-sided " if self.one_sided else ""
        return f"{counted(n, 'trials')} put the {side}{percent_sure(self.confidence)} band within ±{width:.3g} of the share of runs everywhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantilePrecision(Question):
    """How far the order statistics that bound a quantile stand from it, as a share of the runs.

    Notes
    -----
    The interval [X(l), X(u)] covers the p-quantile of every distribution; on average X(l) and X(u)
    stand at the levels l/(n+1) and u/(n+1), and the larger distance of these from p is the
    half-width. How far apart the scores are depends on the distribution. A side that does not
    exist makes it infinite.
    """

    p: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        if not 0.0 < float(as_probability(self.p)) < 1.0:
            raise InputError(f"`p` must lie in (0, 1), so that runs can fall on both sides; got {self.p:g}.")

    @property
    def what(self) -> str:
        """The question's name."""
        return "quantile"

    @property
    def widest(self) -> float:
        """A level lies between 0 and 1."""
        return 1.0

    @property
    def axis(self) -> str:
        """What the width is."""
        return f"distance of the {percent_sure(self.confidence)} interval from {self._name}, as a share of runs"

    def width(self, n: int) -> float:
        """The larger distance of the two order statistics' levels from p."""
        below, above = order_statistic_ranks(n, self.p, self.confidence)
        return max(self.p - below / (n + 1), above / (n + 1) - self.p) if below >= 1 and above <= n else math.inf

    def how(self, n: int) -> How:
        """Order statistics."""
        return How("order statistics", "conservative", (Assumption.INDEPENDENT,))

    def claim(self, n: int, width: float) -> str:
        """The answer."""
        below, above = order_statistic_ranks(n, self.p, self.confidence)
        return (
            f"{counted(n, 'trials')} put the {percent_sure(self.confidence)} interval of {self._name} within ±{width:.3g} in "
            f"probability: between runs {below:,} and {above:,} of the sorted ones"
        )

    def ripple(self, n: int) -> int:
        """Ranks are whole: the width is c / sqrt(n) plus up to 1 / (n + 1), which the root makes up for in 2 sqrt(n) / c."""
        from scipy.special import ndtri

        c = max(0.05, float(ndtri(0.5 + self.confidence / 2.0)) * math.sqrt(self.p * (1.0 - self.p)))
        return math.ceil(2.0 * math.sqrt(n) / c + 1.0 / c**2 + 10.0)

    @property
    def _name(self) -> str:
        return "the median" if self.p == 0.5 else f"the {percent(self.p)} quantile"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCasePrecision(Question):
    """The largest half-width that a band can leave to the mean of a bounded score, or to the mean of a tail.

    Notes
    -----
    With scores in [a, b] the bounds that a band gives differ from the estimate by at most (b - a) / mass
    times the distance of the band, whatever the distribution; most data are kinder. For `dkw` that is
    n = (b - a)^2 ln(2/d) / (2 mass^2 h^2), with ln(1/d) for one side (for the mean, Hoeffding 1963).
    `exact` takes the distance in the tail only, and needs fewer trials than `dkw` for a small mass.
    """

    bounds: tuple[float, float]
    mass: float = 1.0
    confidence: float = 0.95
    method: str = "dkw"
    one_sided: bool = False
    solve: bool = False

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_mass(self.mass)
        as_band_method(self.method)
        if not all(map(math.isfinite, as_bounds(self.bounds, np.empty(0)))):
            raise InputError(
                f"`bounds` must be two numbers (low, high); got {self.bounds}. Without them plan from a pilot sample."
            )

    @property
    def what(self) -> str:
        """The question's name."""
        return "mean" if self.mass == 1.0 else "cvar"

    @property
    def widest(self) -> float:
        """The range: any number of trials puts the mean within it."""
        return self.bounds[1] - self.bounds[0]

    @property
    def axis(self) -> str:
        """What the width is."""
        return f"half-width of the {percent_sure(self.confidence)} interval of {tail_words(self.mass)}, at worst"

    def width(self, n: int) -> float:
        """The half-width for the least favorable distribution."""
        return (self.bounds[1] - self.bounds[0]) / self.mass * self._distance(n)[0]

    def how(self, n: int) -> How:
        """The band behind the bound."""
        used = self._distance(n)[1]
        low, high = self.bounds
        assumed = (Assumption.INDEPENDENT, f"scores lie in [{low:g}, {high:g}]")
        near = used == "exact" and self.mass < 1.0 and 2 * n > TABLE_END
        notes = (f"{BEYOND_TABLE}, which is wider in the tail",) if near else _given_way(self.method, used, n)
        return How(f"{used} band", "conservative", assumed, notes)

    def claim(self, n: int, width: float) -> str:
        """The answer."""
        side = "one-sided " if self.one_sided else ""
        return (
            f"{counted(n, 'trials')} put {tail_words(self.mass)} within ±{width:.3g} with {side}{percent_sure(self.confidence)} "
            f"confidence, for every distribution on [{self.bounds[0]:g}, {self.bounds[1]:g}]"
        )

    @property
    def turning(self) -> int | None:
        """The ks band, which is wider in a tail, takes over from the exact one."""
        return TABLE_END if self.method == "exact" and self.mass < 1.0 else None

    def _distance(self, n: int) -> tuple[float, str]:
        return band_distance(n, self.confidence, self.method, self.one_sided, self.solve, self.mass)


@lru_cache(maxsize=4096)
def band_distance(
    n: int, confidence: float, method: str, one_sided: bool, solve: bool, mass: float = 1.0
) -> tuple[float, str]:
    """The largest distance between the empirical CDF and a side of its band above the level 1 - mass, and the band used."""
    found = local_level(n, confidence, two_sided=not one_sided, solve=solve) if method == "exact" else None
    if found is None:
        used = "dkw" if method == "dkw" else "ks"
        return min(mass, _margin(n, confidence, used, one_sided)), used
    low, _ = boundaries(n, found.value, two_sided=not one_sided)
    distance = np.arange(1.0, n + 1.0) / n - low
    if mass == 1.0:
        return float(distance.max()), "exact"
    return _tail_distance(distance, found.value if one_sided else found.value / 2.0, mass), "exact"


def _tail_distance(distance: FloatArray, level: float, mass: float) -> float:
    """The largest part of the distances k/n - lo_k that counts for the mean of a share `mass`.

    Upper end: (k/n - c)+ - (lo_k - c)+ with c = 1 - mass rises until lo_k = c, and is the distance from
    there on. Lower end, the high side being the low one turned round: (mass - lo_k)+ - (mass - k/n)+ is the
    distance until k/n = mass, and falls from there on. Both turning points are taken at real k, which
    bounds what whole k attain and falls evenly with n.
    """
    from scipy.optimize import brentq
    from scipy.special import betainc, betaincinv

    n, cut = distance.size, 1.0 - mass
    turn = float(n)
    if betainc(n, 1.0, cut) < level:
        turn = float(brentq(lambda k: betainc(k, n + 1.0 - k, cut) - level, 1e-9, n))
    middle = mass * n
    ends = turn / n - cut, mass - float(betaincinv(middle, n + 1.0 - middle, level))
    within = distance[math.ceil(turn) - 1 :], distance[: math.floor(middle)]
    return max(*ends, *(float(part.max(initial=0.0)) for part in within))


def _margin(n: int, confidence: float, method: str, one_sided: bool) -> float:
    """`margin`, by an expansion where Smirnov's one-sided distribution takes seconds to invert."""
    if method == "ks" and one_sided and n > SLOW_FROM and confidence >= 0.2:
        # P(D+ > x) = exp(-(6 n x + 1)^2 / (18 n)) (1 + O(1/n)) (Smirnov 1944). Below 0.9 this is too small by less
        # than a share 1/(4n).
        safety = 0.25 / n if confidence < 0.9 else 0.0
        return (math.sqrt(-math.log1p(-confidence) / (2.0 * n)) - 1.0 / (6.0 * n)) * (1.0 + safety)
    return band_margin(n, confidence, "dkw" if method == "dkw" else "ks", two_sided=not one_sided)


def as_band_method(method: str) -> str:
    """`exact`, `ks` or `dkw`."""
    if method not in ("exact", "ks", "dkw"):
        raise InputError(f"`method` must be 'exact', 'ks' or 'dkw'; got {method!r}.")
    return method


def tail_words(mass: float, tail: str | None = None) -> str:
    """What a mass and a tail stand for."""
    if mass == 1.0:
        return "the mean"
    end = {"lower": "smallest", "upper": "largest", None: "smallest or largest"}[tail]
    return f"the mean of the {end} {percent(mass)}"


def _given_way(asked: str, used: str, n: int) -> tuple[str, ...]:
    if asked != "exact" or used != "ks":
        return ()
    return (BEYOND_TABLE,) if n > TABLE_END else (ABOVE_TABLE,)
