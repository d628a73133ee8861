"""How close an estimate comes with n trials: at worst, without data, or with the spread that a pilot allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, as_bounds, as_confidence, as_count, as_mass, as_probability, as_scores, as_tail
from ogive.errors import InputError
from ogive.statistics._band import CONFIDENCES, as_band_method, band_margin, boundaries, is_exact, local_level
from ogive.statistics._components import VarianceComponents, variance_components
from ogive.statistics._interval import (
    FEW_IN_TAIL,
    Assumption,
    order_statistic_ranks,
    spread,
    tail_count,
    tail_influence,
)
from ogive.statistics.planning._plan import (
    ASSURANCE,
    How,
    Question,
    as_assurance,
    as_trials,
    counted,
    largest_spread,
    percent,
)
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

    what: ClassVar[str] = "band"
    widest: ClassVar[float] = 1.0
    confidence: float = 0.95
    method: str = "exact"
    one_sided: bool = False
    solve: bool = False

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_band_method(self.method)

    @property
    def axis(self) -> str:
        return f"distance of the {percent_sure(self.confidence)} band from the curve"

    def width(self, n: int) -> float:
        return band_distance(n, self.confidence, self.method, self.one_sided, self.solve)[0]

    def how(self, n: int) -> How:
        used = band_distance(n, self.confidence, self.method, self.one_sided, self.solve)[1]
        exact = is_exact(n, used, two_sided=not self.one_sided, solved=self.solve)
        notes = _given_way(self.method, used, n)
        return How(used, "exact" if exact else "conservative", (Assumption.INDEPENDENT,), notes)

    def claim(self, n: int, width: float) -> str:
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

    what: ClassVar[str] = "quantile"
    widest: ClassVar[float] = 1.0
    p: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        if not 0.0 < float(as_probability(self.p)) < 1.0:
            raise InputError(f"`p` must lie in (0, 1), so that runs can fall on both sides; got {self.p:g}.")

    @property
    def axis(self) -> str:
        return f"distance of the {percent_sure(self.confidence)} interval from {self._name}, as a share of runs"

    def width(self, n: int) -> float:
        """The larger distance of the two order statistics' levels from p."""
        below, above = order_statistic_ranks(n, self.p, self.confidence)
        return max(self.p - below / (n + 1), above / (n + 1) - self.p) if below >= 1 and above <= n else math.inf

    def how(self, n: int) -> How:
        return How("order statistics", "conservative", (Assumption.INDEPENDENT,))

    def claim(self, n: int, width: float) -> str:
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
        return "mean" if self.mass == 1.0 else "cvar"

    @property
    def widest(self) -> float:
        """The range: any number of trials puts the mean within it."""
        return self.bounds[1] - self.bounds[0]

    @property
    def axis(self) -> str:
        return f"half-width of the {percent_sure(self.confidence)} interval of {tail_words(self.mass)}, at worst"

    def width(self, n: int) -> float:
        """The half-width for the least favorable distribution."""
        return (self.bounds[1] - self.bounds[0]) / self.mass * self._distance(n)[0]

    def how(self, n: int) -> How:
        used = self._distance(n)[1]
        low, high = self.bounds
        assumed = (Assumption.INDEPENDENT, f"scores lie in [{low:g}, {high:g}]")
        near = used == "exact" and self.mass < 1.0 and 2 * n > TABLE_END
        notes = (f"{BEYOND_TABLE}, which is wider in the tail",) if near else _given_way(self.method, used, n)
        return How(f"{used} band", "conservative", assumed, notes)

    def claim(self, n: int, width: float) -> str:
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
    low, _ = boundaries(n, found, two_sided=not one_sided)
    distance = np.arange(1.0, n + 1.0) / n - low
    if mass == 1.0:
        return float(distance.max()), "exact"
    return _tail_distance(distance, found if one_sided else found / 2.0, mass), "exact"


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


MOST_REPEATS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPrecision(Question):
    """The half-width that the interval of a mean, or of a tail's mean, will have if the spread is what a pilot allows.

    Notes
    -----
    Approximate: Student's interval, for a tail that of `tail_mean_interval`. A pilot of few runs knows the
    spread badly, and n goes with its square; so `sd` is the upper limit of the pilot's spread, which a
    normal spread exceeds in one pilot of five (`largest_spread`). Of a tail only the runs in it count for
    the limit, which is heuristic there: simulated with normal and exponential scores it holds in .58 to .71
    of pilots (docs/reference/planning.md).
    """

    sd: float
    n_pilot: int | None = None
    sd_pilot: float | None = None
    assurance: float | None = None
    mass: float = 1.0
    tail: str | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_mass(self.mass)
        as_count(self.sd, "sd")

    @classmethod
    def from_scores(
        cls, scores: ArrayLike, *, mass: float = 1.0, tail: str | None = None, confidence: float = 0.95,
        assurance: float | None = ASSURANCE,
    ) -> PilotPrecision:  # fmt: skip
        """The question for these scores; `tail` is needed for a mass below 1; without assurance their own spread is taken."""
        values = as_scores(scores, name="pilot", at_least=2)
        mass = as_mass(mass)
        if mass < 1.0:
            if tail is None:
                raise InputError("`tail` must be 'lower' or 'upper' for the mean of a share of outcomes; got none.")
            end = as_tail(tail)
            if values.size * mass <= 1.0:
                needed = math.floor(1.0 / mass) + 1
                raise InputError(
                    f"`pilot` must hold at least two scores in the tail, {needed} in all for mass {mass:g}; got {values.size}."
                )
            values = tail_influence(values, mass, end)
        deviation = spread(values)
        if deviation == 0.0:
            raise InputError("`pilot` shows no spread: its scores are equal. Add runs, or say `sd` or `bounds`.")
        known = max(2, tail_count(values.size, mass))
        limit = deviation if assurance is None else largest_spread(deviation, known, assurance)
        return cls(
            sd=limit, n_pilot=values.size, sd_pilot=deviation, assurance=assurance, mass=mass, tail=tail, confidence=confidence
        )  # fmt: skip

    @property
    def what(self) -> str:
        return "mean" if self.mass == 1.0 else "cvar"

    @property
    def fewest(self) -> int:
        """Two scores, in the tail where there is one."""
        return math.floor(1.0 / self.mass * (1.0 + 1e-12)) + 1

    @property
    def axis(self) -> str:
        return f"half-width of the {percent_sure(self.confidence)} interval of {tail_words(self.mass, self.tail)}"

    def width(self, n: int) -> float:
        return student_half(self.sd, n, min(n - 1, tail_count(n, self.mass) - 1), self.confidence)

    def how(self, n: int) -> How:
        few = tail_count(n, self.mass) < FEW_IN_TAIL and self.mass < 1.0
        guessed = self.assurance is not None and self.mass < 1.0
        if self.n_pilot is None:
            spread = f"the spread is {self.sd:.3g}"
        elif self.assurance is None:
            spread = f"the spread stays that of the pilot: {self.sd:.3g} from {self.n_pilot} runs"
        else:
            limit = f"the {percent(self.assurance)} upper limit of the {self.sd_pilot:.3g}"
            spread = f"the spread is {self.sd:.3g}, {limit} of the pilot's {self.n_pilot} runs"
        assumed = (Assumption.INDEPENDENT, spread, *((Assumption.SHORT_TAIL,) if few else ()))
        method = "Student's t" if self.mass == 1.0 else "tail t"
        return How(method, "heuristic" if few or guessed else "approximate", assumed)

    def claim(self, n: int, width: float) -> str:
        if self.assurance is not None:
            sure = f" with {percent(self.assurance)} assurance" if self.mass == 1.0 else ", roughly"
            spread = f"is at most {self.sd:.3g}, as the pilot says{sure}"
        else:
            spread = f"is {self.sd:.3g}" if self.n_pilot is None else "stays that of the pilot"
        return (
            f"{counted(n, 'trials')} put {tail_words(self.mass, self.tail)} within about ±{width:.3g} with "
            f"{percent_sure(self.confidence)} confidence, if the spread {spread}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLevelPrecision(Question):
    """The half-width of the mean over clusters (configurations, items) with several scores (seeds, repeats) each.

    Notes
    -----
    Approximate: the clusters' means have the variance between + within / repeats, and Student's
    interval counts clusters. `n` counts scores: clusters times repeats. From a pilot both variances are
    upper limits with the assurance stated.
    """

    what: ClassVar[str] = "mean"
    between: float
    within: float
    repeats: int
    n_clusters: int | None = None
    unit_word: str = "cluster"
    confidence: float = 0.95
    assurance: float | None = None

    @classmethod
    def from_components(
        cls, components: VarianceComponents, *, cost_ratio: float = 1.0, repeats: int | None = None,
        unit_word: str = "cluster", confidence: float = 0.95,
    ) -> TwoLevelPrecision:  # fmt: skip
        """The question with the repeats that make the mean most precise for a budget, unless they are given."""
        return cls(
            between=components.between.estimate, within=components.within.estimate, n_clusters=components.n_clusters,
            repeats=best_repeats(components, cost_ratio) if repeats is None else as_trials(repeats),
            unit_word=unit_word, confidence=as_confidence(confidence),
        )  # fmt: skip

    @classmethod
    def from_pilot(
        cls, scores: ArrayLike, clusters: ArrayLike, *, cost_ratio: float = 1.0, repeats: int | None = None,
        unit_word: str = "cluster", confidence: float = 0.95, assurance: float = ASSURANCE,
    ) -> TwoLevelPrecision:  # fmt: skip
        """The question with the upper limits of both variances, and the repeats that are best for their estimates.

        The variance between clusters is at most its one-sided limit with the assurance; where its estimate is 0,
        the limit decides about the repeats too.
        """
        # The upper end of a two-sided interval at 2 a - 1 is a one-sided limit at a.
        found = variance_components(scores, clusters, confidence=max(2.0 * as_assurance(assurance) - 1.0, 1e-6))
        between, within = found.between.high, found.within.high
        if repeats is None:
            sure = found.between.estimate > 0.0
            repeats = best_repeats(found, cost_ratio) if sure else _best(between, within, cost_ratio)
        return cls(
            between=between, within=within, n_clusters=found.n_clusters, repeats=as_trials(repeats), unit_word=unit_word,
            confidence=as_confidence(confidence), assurance=assurance,
        )  # fmt: skip

    @property
    def fewest(self) -> int:
        """Two clusters."""
        return 2 * self.repeats

    @property
    def axis(self) -> str:
        return f"half-width of the {percent_sure(self.confidence)} interval of the mean"

    def width(self, n: int) -> float:
        """Student's half-width over the clusters that n scores make up."""
        k = n // self.repeats
        return student_half(math.sqrt(self.between + self.within / self.repeats), k, k - 1, self.confidence)

    def how(self, n: int) -> How:
        """Student's t by cluster, and how far more repeats alone would lead."""
        spread = (
            "the variance between and within stays that of the pilot"
            if self.assurance is None
            else f"the variances between and within are the {percent(self.assurance)} upper limits of the pilot's"
        )
        assumed = (f"independent {self.unit_word}s", spread)
        notes: tuple[str, ...] = ()
        if self.between == 0.0:
            notes = (f"the pilot shows no variance between {self.unit_word}s: repeats are capped at {MOST_REPEATS}",)
        elif self.n_clusters is not None and self.n_clusters >= 2:
            limit = student_half(math.sqrt(self.between), self.n_clusters, self.n_clusters - 1, self.confidence)
            notes = (
                f"more repeats of the pilot's {self.n_clusters} {self.unit_word}s alone would get no closer than ±{limit:.3g}",
            )
        return How("Student's t by cluster", "approximate", assumed, notes)

    def claim(self, n: int, width: float) -> str:
        k, sure = n // self.repeats, ""
        if self.assurance is not None:
            sd = math.sqrt(self.between + self.within / self.repeats)
            sure = f", if their means spread by at most {sd:.3g}, as the pilot says with {percent(self.assurance)} assurance"
        each = "once each" if self.repeats == 1 else f"{self.repeats} times each"
        return (
            f"{k:,} {self.unit_word}s, {each} ({counted(k * self.repeats, 'trials')}), put the mean within about "
            f"±{width:.3g} with {percent_sure(self.confidence)} confidence{sure}"
        )


def best_repeats(components: VarianceComponents, cost_ratio: float = 1.0) -> int:
    """The whole number of scores for each cluster that makes the mean most precise for a budget; at most 100."""
    as_count(cost_ratio, "cost_ratio")
    return _best(components.between.estimate, components.within.estimate, cost_ratio)


def _best(between: float, within: float, cost_ratio: float) -> int:
    ideal = MOST_REPEATS if between <= 0.0 else min(math.sqrt(cost_ratio * within / between), float(MOST_REPEATS))
    choices = {max(1, math.floor(ideal)), math.ceil(ideal)}
    return min(sorted(choices), key=lambda r: (between + within / r) * (cost_ratio + r))


def student_half(sd: float, n: int, df: int, confidence: float) -> float:
    """t · sd / sqrt(n); infinite without a degree of freedom."""
    if df < 1:
        return math.inf
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + confidence / 2.0)) * sd / math.sqrt(n)
