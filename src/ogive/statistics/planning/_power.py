"""Questions about two methods: the smallest difference that a test of n trials sees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ogive.arguments import as_confidence, as_count
from ogive.errors import InputError
from ogive.statistics._interval import Assumption, order_statistic_ranks
from ogive.statistics.planning._plan import How, Question, as_power, counted, percent, spreads_in_words
from ogive.words import percent_sure

Claim: TypeAlias = Literal["better", "not worse", "equivalent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementTest(Question):
    """The smallest distance from even odds, |P(A beats B) - 1/2|, that is seen with the power asked for.

    Notes
    -----
    Unpaired, methods that spread alike: the Wilcoxon-Mann-Whitney test, N = (z + z_power)^2 / (12 c (1 - c) (p - 1/2)^2) trials of
    both methods together, a share c of them of one (Noether). Approximate: it takes the test's
    variance for that of equal methods. Simulated with shifted normal and with exponential scores, 80 %
    asked for gives 0.79 to 0.83 for p up to 0.7, and 0.91 at p = 0.9: then it errs toward more trials.
    Where one method spreads five times as much as the other these numbers give 0.64 to 0.72. With `sd`
    the variance is that of two normal methods with these spreads and even odds, and 80 % gives 0.79 to
    0.82 there. Simulated power: docs/reference/planning.md.
    Paired: the sign test, whose power is a binomial probability; it counts only conclusions in the right
    direction. It goes up and down with n: for p = 0.65 and 80 % it first suffices at 90 pairs, but for every
    larger number only from 97 on, which is the plan.

    References
    ----------
    Noether (1987), Sample size determination for some common nonparametric tests, JASA 82(398). Sheppard
    (1899), for the covariance of the signs of two normal variables.
    """

    asks: ClassVar[str] = "difference"
    what: ClassVar[str] = "improvement"
    widest: ClassVar[float] = 0.5
    confidence: float = 0.95
    power: float = 0.8
    paired: bool = False
    share: float = 0.5
    sd: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_power(self.power)
        if self.sd is not None:
            if self.paired or len(self.sd) != 2:
                raise InputError(
                    "`sd` of a plan for an improvement must be two spreads, of methods that are not paired."
                )
            for sd in self.sd:
                as_count(sd, "sd")
        if not 0.0 < as_count(self.share, "share") < 1.0:
            raise InputError(f"`share` of the trials that one method gets must lie in (0, 1); got {self.share:g}.")

    @property
    def unit(self) -> str:
        return "pairs" if self.paired else "trials in all"

    @property
    def axis(self) -> str:
        return f"smallest |P(A beats B) − 1/2| seen with {percent(self.power)} power"

    def width(self, n: int) -> float:
        """The smallest distance seen; infinite where even certainty would not be."""
        if not self.paired:
            found = self._reach * math.sqrt(self._variance / n)
            return found if 0.0 <= found < 0.5 else math.inf
        from scipy.special import betaincinv

        _, wins = order_statistic_ranks(n, 0.5, self.confidence)
        # P(Bin(n, p) >= k) = I_p(k, n - k + 1), turned round for p.
        return float(betaincinv(wins, n - wins + 1, self.power)) - 0.5 if wins <= n else math.inf

    def how(self, n: int) -> How:
        if self.paired:
            return How("sign test", "conservative", (Assumption.PAIRS, Assumption.NO_TIES))
        if self.sd is not None:
            spread = f"normal scores with spreads of {spreads_in_words(self.sd)}"
            return How("Noether, unequal spreads", "approximate", (Assumption.INDEPENDENT, spread))
        return How("Noether", "approximate", (Assumption.INDEPENDENT, Assumption.NO_TIES, Assumption.EQUAL_SPREADS))

    def claim(self, n: int, width: float) -> str:
        what = f"detect with {percent(self.power)} power, at {percent_sure(self.confidence)} confidence, that one method beats the other"
        if self.paired:
            return f"{counted(n, 'paired trials')} {what} on the same draw with probability {0.5 + width:.3g}"
        first = round(self.share * n) if self.share != 0.5 else n - n // 2
        return (
            f"{counted(n, 'trials in all')}, {first:,} of one method and {n - first:,} of the other, {what} in fresh runs "
            f"with probability {0.5 + width:.3g}"
        )

    def ripple(self, n: int) -> int:
        """Counts are whole: the distance is c / sqrt(n) plus up to 1 / n."""
        if not self.paired:
            return 0
        c = max(0.05, self._reach / 2.0)
        return math.ceil(2.0 * math.sqrt(n) / c + 1.0 / c**2 + 10.0)

    @property
    def _variance(self) -> float:
        """n times the variance of the share of wins among n trials of methods with even odds.

        Normal scores with spreads a and b: two comparisons that share a score of A have the correlation
        r = a² / (a² + b²) before they are rounded to won or lost, and the covariance asin(r) / 2π after; 1/12 for
        equal spreads, which gives Noether's 1 / (12 c (1 - c)).
        """
        if self.sd is None:
            return 1.0 / (12.0 * self.share * (1.0 - self.share))
        largest = max(self.sd)
        a, b = ((sd / largest) ** 2 for sd in self.sd)
        first, second = (math.asin(square / (a + b)) / (2.0 * math.pi) for square in (a, b))
        return first / self.share + second / (1.0 - self.share)

    @property
    def _reach(self) -> float:
        from scipy.special import ndtri

        return float(ndtri(0.5 + self.confidence / 2.0) + ndtri(self.power))


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceTest(Question):
    """The smallest difference of means, or the smallest margin, that Student's interval settles with the power asked for.

    Parameters
    ----------
    sd : tuple of float
        Paired: the spread of the differences. Unpaired: the spread of each method. Where a pilot
        gave `sd_pilot`, these are its upper limits (`largest_spread`).
    margin : float
        For the claim "better": by more than this.
    claim_of : {"better", "not worse", "equivalent"}
        "better": the interval lies above the margin when the true difference is the one planned for.
        "not worse" and "equivalent": the interval lies above minus the margin, or within both, when
        the methods are equal; the width is then that margin.

    Notes
    -----
    Approximate: exact for normal scores with this spread (noncentral t; Welch's degrees of freedom
    for two samples of equal size, so that unequal spreads have the power asked for). A plan with the
    upper limits of a pilot's spreads reaches it with the assurance stated, 80 %, or more: with two methods each limit
    holds with 80 %. Simulated: docs/reference/planning.md. For "equivalent" both sides err by half of 1 - power each, which
    asks for slightly too many trials.
    """

    asks: ClassVar[str] = "difference"
    what: ClassVar[str] = "difference"
    sd: tuple[float, ...]
    paired: bool = False
    confidence: float = 0.95
    power: float = 0.8
    margin: float = 0.0
    claim_of: Claim = "better"
    n_pilot: int | None = None
    sd_pilot: tuple[float, ...] | None = None
    assurance: float | None = None

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_power(self.power)
        if len(self.sd) != (1 if self.paired else 2):
            raise InputError(
                f"`sd` must be one number for pairs (of their differences) and two for two samples; got {len(self.sd)}."
            )
        for sd in self.sd:
            as_count(sd, "sd")
        if not (self.margin >= 0.0 and math.isfinite(self.margin)):
            raise InputError(f"`margin` must be a number of at least 0; got {self.margin:g}.")
        if self.claim_of not in ("better", "not worse", "equivalent"):
            raise InputError(f"`claim` must be 'better', 'not worse' or 'equivalent'; got {self.claim_of!r}.")
        if self.margin and self.claim_of != "better":
            raise InputError(f"`margin` is what is planned for with claim {self.claim_of!r}; pass it as the target.")

    @property
    def fewest(self) -> int:
        return 2 if self.paired else 4

    @property
    def unit(self) -> str:
        return "pairs" if self.paired else "trials in all"

    @property
    def axis(self) -> str:
        of = "difference of means" if self.claim_of == "better" else f"margin for “{self.claim_of}”"
        return f"smallest {of} seen with {percent(self.power)} power"

    def width(self, n: int) -> float:
        from scipy.special import nctdtrinc, stdtrit

        each = n if self.paired else n // 2
        largest = max(self.sd)
        squares = [(sd / largest) ** 2 for sd in self.sd]  # squares of tiny or huge scores leave the range of floats
        # Welch's degrees of freedom for samples of equal size; n - 1 for pairs.
        df = (each - 1) * sum(squares) ** 2 / sum(s**2 for s in squares)
        power = (1.0 + self.power) / 2.0 if self.claim_of == "equivalent" else self.power
        shift = float(nctdtrinc(df, 1.0 - power, stdtrit(df, 0.5 + self.confidence / 2.0)))
        if not math.isfinite(shift):
            return math.inf
        return self.margin + max(0.0, shift) * largest * math.sqrt(sum(squares) / each)

    def how(self, n: int) -> How:
        name = "paired t" if self.paired else "two-sample t"
        of = "differences within pairs" if self.paired else "the two methods' scores"
        spread = f"the spread of {of} is {spreads_in_words(self.sd)}"
        if self.n_pilot is not None:
            runs = f"the pilot's {self.n_pilot} {'pairs' if self.paired else 'runs'}"
            if self.sd_pilot is None or self.assurance is None:
                spread += f", that of {runs}"
            else:
                of = spreads_in_words(self.sd_pilot)
                spread += f", the {percent(self.assurance)} upper limit of the {of} of {runs}"
        return How(name, "approximate", (f"independent {'pairs' if self.paired else 'trials'}", spread))

    def claim(self, n: int, width: float) -> str:
        each = "" if self.paired else f", {n // 2:,} of each method,"
        count = f"{counted(n, 'paired trials' if self.paired else 'trials in all')}{each}"
        with_power = f"with {percent(self.power)} power at {percent_sure(self.confidence)} confidence"
        sure = ""
        if self.assurance is not None:
            most = f"{'spreads are' if len(self.sd) > 1 else 'spread is'} at most {spreads_in_words(self.sd)}"
            sure = f", if the {most}, as the pilot says with {percent(self.assurance)} assurance"
        if self.claim_of == "better":
            beyond = f" as larger than the margin {self.margin:.3g}" if self.margin else ""
            return f"{count} detect a difference of means of {width:.3g}{beyond} {with_power}{sure}"
        equal = "differ by less than" if self.claim_of == "equivalent" else "are not worse than each other by more than"
        return f"{count} show of equal methods, {with_power}, that they {equal} {width:.3g}{sure}"
