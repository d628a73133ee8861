"""Guaranteed intervals of bounded scores by betting.

If a score in [0, 1] has mean m, nobody can expect to gain by bets of b on it at fair odds: the
wealth, a product of 1 + b (x - m), has expectation 1, and exceeds 1/d with probability at most d
(Markov). A mean against which the scores would have made somebody that rich is left out. This
holds for every distribution and every n.

Waudby-Smith and Ramdas (2024) choose the size of each bet from the scores before it, so that the
interval depends on the order of the scores. Putting the scores in order first, or in one fixed
permutation of their order, is no way out: what follows the small scores is then known to be
large, and the wealth no longer has expectation 1. Here the wealth is divided beforehand among a
few bettors with sizes that never change (their "grid Kelly" bets), from the size that suits 0/1
scores with as many runs, by factors of two, to the largest that can be paid. A product of equal bets does
not depend on the order, and the sum of the bettors' wealths has expectation 1 as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import Bounds, FloatArray, as_bounds, as_confidence, as_mass, as_scores, as_tail
from ogive.errors import InputError
from ogive.statistics._band import band
from ogive.statistics._comparison import as_samples
from ogive.statistics._distribution import step_function
from ogive.statistics._families import win_shares
from ogive.statistics._interval import Assumption, Interval, order_statistic_ranks

BETTING = "betting"
FEWEST = 20
FEWEST_IN_TAIL = 100
# Sums of products of wins reach 2^n, and 1e301 at 1000 pairs.
MOST_PAIRED = 1000
TWO_SAMPLES = "independent scores and independent samples"
# Roots are found to 1e-13; limits are moved outward by this much.
_OUTWARD = 1e-12
_SMALLEST = 1e-9
_LARGEST_SIZE = 2.0
_ALL = 1e9
# Without an idle share one sample's wealth could fall without end, and let in any mean of the other.
_IDLE = 0.2


def bounded_mean_interval(scores: ArrayLike, bounds: Bounds, *, confidence: float = 0.95) -> Interval:
    """The mean of bounded scores, for every distribution.

    Parameters
    ----------
    bounds : pair of floats
        Between which every score lies, seen or not. They are an assumption.

    Notes
    -----
    Conservative for every distribution on [low, high] and every n; each side errs with probability at
    most (1 - confidence) / 2. From 20 scores on by betting, below by the exact band, which is as
    short there (`Interval.method` says which); the choice looks at n only. Betting is 1.1 (0/1
    scores) to 1.8 times narrower than the band (docs/reference/guaranteed.md). The interval
    depends neither on the order of the scores nor on their unit, and the mirrored scores have the
    mirrored interval.

    Bettors with fixed sizes of bets share the wealth, which has expectation 1 at the true mean; a
    mean against which it reaches 2 / (1 - confidence) is left out (Markov's inequality). With sizes
    that follow the scores, as in the predictable plug-in, it would depend on their order.

    References
    ----------
    Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting, J. R.
    Stat. Soc. B 86(1). Cover (1991), Universal portfolios.

    Examples
    --------
    >>> print(bounded_mean_interval([0.9, 0.8, 0.85, 0.95] * 10, (0, 1)))
    0.875 [0.792, 0.902]
    """
    values = as_scores(scores)
    confidence = as_confidence(confidence)
    low, high = _both_bounds(bounds, values)
    if values.size < FEWEST:
        return band(values, confidence=confidence).mean((low, high))
    z, error = _unit(values, low, high), (1.0 - confidence) / 2.0
    log_limit = math.log(1.0 / error)
    least, most = _Bets(z, error).lowest(log_limit), 1.0 - _Bets(1.0 - z, error).lowest(log_limit)
    return Interval(
        estimate=float(np.sort(values).mean()), low=low + (high - low) * least, high=high - (high - low) * (1.0 - most),
        confidence=confidence, n=values.size, method=BETTING, guarantee="conservative",
        assumptions=(Assumption.INDEPENDENT, _assumed(low, high)),
    )  # fmt: skip


def bounded_mean_difference(
    a: ArrayLike, b: ArrayLike, bounds: Bounds, *, paired: bool, confidence: float = 0.95
) -> Interval:
    """Mean of A minus mean of B for bounded scores, for every distribution.

    Notes
    -----
    Conservative for every distribution on the bounds; each side errs with probability at most
    (1 - confidence) / 2. Pairs: `bounded_mean_interval` of the differences, which lie between
    minus and plus the range of the bounds. Independent samples of at least 20 scores each: bets
    are made on both, the product of the two wealths has expectation 1 at the true means, and a
    difference is left out when it reaches 2 / (1 - confidence) whatever the means are. That
    is 1.1 to 1.5 times narrower than two intervals at half the error for samples of equal size, and at
    most 1.07 times wider for 30 scores against 1000 (docs/reference/guaranteed.md); and it needs independent samples, where two intervals would not. With fewer scores of A or of B it
    is two intervals at half the error.

    References
    ----------
    Waudby-Smith and Ramdas (2024), J. R. Stat. Soc. B 86(1).

    Examples
    --------
    >>> a, b = [0.9, 0.8, 0.85, 0.95] * 10, [0.7, 0.75, 0.6, 0.65] * 10
    >>> print(bounded_mean_difference(a, b, (0, 1), paired=True))
    0.2 [0.0763, 0.291]
    >>> print(bounded_mean_difference(a, b, (0, 1), paired=False))
    0.2 [0.105, 0.28]
    """
    confidence = as_confidence(confidence)
    x, y = as_samples(a, b, paired=paired)
    low, high = _both_bounds(bounds, np.concatenate([x, y]))
    if paired:
        reach = high - low
        found = bounded_mean_interval(np.clip(x - y, -reach, reach), (-reach, reach), confidence=confidence)
        return replace(found, assumptions=(Assumption.PAIRS, _assumed(low, high)))
    if min(x.size, y.size) < FEWEST:
        half = 1.0 - (1.0 - confidence) / 2.0
        one, other = (bounded_mean_interval(v, (low, high), confidence=half) for v in (x, y))
        return _apart(one, other, confidence)
    u, v, error = _unit(x, low, high), _unit(y, low, high), (1.0 - confidence) / 2.0
    least, most = _smallest_sum(u, 1.0 - v, error) - 1.0, 1.0 - _smallest_sum(v, 1.0 - u, error)
    return Interval(
        estimate=float(np.sort(x).mean() - np.sort(y).mean()), low=(high - low) * least, high=(high - low) * most,
        confidence=confidence, n=x.size + y.size, method=BETTING, guarantee="conservative",
        assumptions=(TWO_SAMPLES, _assumed(low, high)),
    )  # fmt: skip


def bounded_tail_mean_interval(
    scores: ArrayLike, *, mass: float, tail: str, bounds: Bounds, confidence: float = 0.95
) -> Interval:
    """The mean of the share `mass` at one end of bounded scores, for every distribution.

    Notes
    -----
    Conservative for every distribution on the bounds; each side errs with probability at most
    d = (1 - confidence) / 2. The exact band's interval where the share holds fewer than 100 scores,
    or leaves fewer than 20; the choice looks at n and mass only. With 1000 scores it is up to 1.75
    times narrower than the band for skewed tails, about as wide for even ones, and up to 1.15 times
    wider for tails of two values (docs/reference/guaranteed.md).

    For the upper tail; the lower is its mirror image. Let c be the k-th largest score but one,
    k = round(n mass), p the probability of a score above c and c + e the mean of such a
    score. (Among scores equal to c, ties are broken by an independent uniform number; it
    need not be drawn, since equal scores add nothing to e.) Then p has a Beta(k + 1, n - k)
    distribution, whatever the scores' distribution is; and, given c, the k larger scores are independent draws with mean
    c + e, on which one may bet. No part of the sample is spent on choosing c, and nothing depends
    on the order of the scores.

    Upper limit: c + p e / mass is at least the tail's mean for every c (Rockafellar and Uryasev 2000).
    Cut the Beta distribution into cells, and allow the bets on e an error d_i in cell i. Given c,
    e exceeds its limit for the error d_i with probability at most d_i, hence both lie outside the
    limits of their cell with probability at most sum P(cell i) d_i = d. The limit is
    the largest of c + p_i e_i / mass over the cells, p_i their upper ends; the d_i are fixed
    beforehand and grow with p, up to 1 in the last one.

    Lower limit: if p >= mass, the tail's mean is at least c + e; if p < mass, it is
    (p (c + e) + (mass - p) r) / mass where r, the mean of the scores between the quantile at
    1 - mass and c, is at least that quantile, which an order statistic bounds with the error d / 10. The
    limit is the smallest value over the cells, with 9 d / 10.

    References
    ----------
    Rockafellar and Uryasev (2000), Optimization of conditional value-at-risk, J. Risk 2(3).
    Waudby-Smith and Ramdas (2024), J. R. Stat. Soc. B 86(1).

    Examples
    --------
    >>> print(bounded_tail_mean_interval([i / 500 for i in range(500)], mass=0.25, tail="lower", bounds=(0, 1)))
    0.124 [0.0806, 0.171]
    """
    values = as_scores(scores)
    confidence, mass, end = as_confidence(confidence), as_mass(mass), as_tail(tail)
    low, high = _both_bounds(bounds, values)
    if mass == 1.0:
        return bounded_mean_interval(values, (low, high), confidence=confidence)
    # Over both tails of uniform, Beta(9, 1), Binomial(10, .7) / 10, Bernoulli(.9) and 2 % collapses, the width
    # relative to the band's averages 0.97 at n mass = 25, 0.95 at 50 and 0.88 at 100 (0.6 to 1.1).
    if values.size * mass < FEWEST_IN_TAIL or values.size * (1.0 - mass) < FEWEST:
        return band(values, confidence=confidence).cvar(mass=mass, tail=end, bounds=(low, high))
    estimate = step_function(values).cvar(mass=mass, tail=end)
    z, reach = _unit(values, low, high), high - low
    if end == "upper":
        least, most = (low + reach * limit for limit in _upper_tail(z, mass, (1.0 - confidence) / 2.0))
    else:
        most, least = (high - reach * limit for limit in _upper_tail(1.0 - z, mass, (1.0 - confidence) / 2.0))
    return Interval(
        estimate=estimate, low=min(least, estimate), high=max(most, estimate),
        confidence=confidence, n=values.size, method=BETTING, guarantee="conservative",
        assumptions=(Assumption.INDEPENDENT, _assumed(low, high)),
    )  # fmt: skip


def bounded_tail_mean_difference(
    a: ArrayLike, b: ArrayLike, *, mass: float, tail: str, bounds: Bounds, confidence: float = 0.95
) -> Interval:
    """Difference of the means of the share `mass` at one end of bounded scores, for every distribution.

    Notes
    -----
    Conservative for every distribution on the bounds, paired or not: two intervals of
    `bounded_tail_mean_interval`, each at half the error, hold at once with at least the confidence.

    Examples
    --------
    >>> a, b = [i / 500 for i in range(500)], [i / 1000 for i in range(500)]
    >>> print(bounded_tail_mean_difference(a, b, mass=0.5, tail="upper", bounds=(0, 1)))
    0.374 [0.292, 0.456]
    """
    confidence = as_confidence(confidence)
    x, y = as_samples(a, b, paired=False)
    ends = _both_bounds(bounds, np.concatenate([x, y]))
    half = 1.0 - (1.0 - confidence) / 2.0
    one, other = (bounded_tail_mean_interval(v, mass=mass, tail=tail, bounds=ends, confidence=half) for v in (x, y))
    return _apart(one, other, confidence)


def guaranteed_improvement(a: ArrayLike, b: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Probability that a fresh score of A is larger than a fresh one of B, for every two distributions; ties count half.

    Notes
    -----
    Conservative for every two distributions and all numbers of scores; each side errs with
    probability at most (1 - confidence) / 2. Scores may be infinite, for failed runs. Pair every score
    of the smaller sample with another one of the larger: the wins are independent with mean P, one may
    bet on them, and the wealth has expectation 1. So has its average over *all* ways to pair, which is
    computed exactly by rook numbers, so that the interval depends neither on the order of scores nor on
    chance. It is about as wide as Clopper and Pearson's of one random pairing (docs/reference/guaranteed.md):
    up to 1.15 times wider at 95 %, narrower at the confidences of large families or with unequal sizes. With more
    than 1000 scores in the smaller sample the geometric mean takes the place of the average; it is
    never larger, so the guarantee stays, but the interval is 1.25 times wider. Swapped samples have the mirrored interval, and so have negated scores.

    References
    ----------
    Waudby-Smith and Ramdas (2024), J. R. Stat. Soc. B 86(1). Goldman, Joichi and White (1975), Rook
    theory I, Proc. Am. Math. Soc. 52.

    Examples
    --------
    >>> print(guaranteed_improvement(range(20, 60), range(40)))
    0.875 [0.755, 0.951]
    """
    x, y = as_scores(a, name="a", ordered_only=True), as_scores(b, name="b", ordered_only=True)
    confidence = as_confidence(confidence)
    error = (1.0 - confidence) / 2.0
    estimate = float(win_shares([x, y])[0, 1])
    return Interval(
        estimate=estimate, low=min(_least_wins(x, y, error), estimate), high=max(1.0 - _least_wins(y, x, error), estimate),
        confidence=confidence, n=x.size + y.size, method=BETTING, guarantee="conservative", assumptions=(TWO_SAMPLES,),
    )  # fmt: skip


def _both_bounds(bounds: Bounds, values: FloatArray) -> tuple[float, float]:
    low, high = as_bounds(bounds, np.sort(values))
    if not math.isfinite(high - low):
        raise InputError(
            f"`bounds` must be two finite numbers for a guaranteed mean; got ({low:g}, {high:g}). "
            "Without them nothing can be guaranteed: take `mean_interval`."
        )
    return low, high


def _assumed(low: float, high: float) -> str:
    return f"scores lie in [{low:g}, {high:g}]"


def _unit(values: FloatArray, low: float, high: float) -> FloatArray:
    """Scores as shares of the way from `low` to `high`."""
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def _apart(one: Interval, other: Interval, confidence: float) -> Interval:
    """The difference of two statistics whose intervals hold at once."""
    methods = dict.fromkeys([one.method, other.method])
    return replace(
        one, estimate=one.estimate - other.estimate, low=one.low - other.high, high=one.high - other.low,
        confidence=confidence, n=one.n + other.n, method=" and ".join(sorted(methods)),
    )  # fmt: skip


def _least_wins(x: FloatArray, y: FloatArray, error: float) -> float:
    """The lower limit of P(X > Y) + P(X = Y) / 2."""
    pairs = min(x.size, y.size)
    sizes, log_shares = _bettors_on_wins(pairs, error)
    if pairs > MOST_PAIRED:
        wealth = _geometric_wealth(x, y, sizes, log_shares)
    else:
        from ogive.kernels._betting import log_pairing_wealth, pairing_products

        # A larger score of X than of Y is a smaller one of Y than of X: the smaller sample is the one that wins.
        few, many = (x, y) if x.size <= y.size else (-y, -x)
        points = np.unique(np.concatenate([few, many]))
        few_ends, many_ends = (np.searchsorted(np.sort(v), points, side="right") for v in (few, many))
        rows = np.diff(many_ends, prepend=0)
        products = np.empty(pairs + 1)
        pairing_products(np.diff(few_ends, prepend=0), rows, many_ends - rows, products)  # type: ignore[no-untyped-call]
        with np.errstate(divide="ignore"):
            log_products = np.log(products)

        def wealth(mean: float) -> float:
            return float(log_pairing_wealth(log_products, mean, sizes, log_shares))  # type: ignore[no-untyped-call]

    return _lowest_mean(wealth, math.log(1.0 / error))


def _geometric_wealth(
    x: FloatArray, y: FloatArray, sizes: FloatArray, log_shares: FloatArray
) -> Callable[[float], float]:
    """The bettors' log-wealths, averaged over all ways to pair: every pair (x, y) is as frequent as every other."""
    ordered, pairs = np.sort(y), min(x.size, y.size)
    below, upto = (int(np.searchsorted(ordered, x, side=side).sum()) for side in ("left", "right"))
    total = x.size * y.size
    shares = np.array([total - upto, upto - below, below]) / total
    seen = shares > 0.0

    def wealth(mean: float) -> float:
        size = np.minimum(sizes / math.sqrt(mean * (1.0 - mean)), 1.0 / mean)
        with np.errstate(divide="ignore"):
            logs = np.log1p(np.maximum(size[:, None] * (np.array([0.0, 0.5, 1.0])[seen] - mean), -1.0))
        return float(np.logaddexp.reduce(log_shares + pairs * (logs @ shares[seen])))

    return wealth


@lru_cache(maxsize=1024)
def _bettors(n: int, error: float, idle: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Sizes of bets, in units of the spread of a coin, and logarithms of the bettors' shares.

    sqrt(2 log(1/error) / n) is the size that makes a given difference of n tosses of a coin grow
    fastest up to 1/error; scores with a quarter of a coin's variance need twice that. A factor
    of two beside the best size costs a tenth of the growth, a halved share log 2 of 3.7 (at 95 %):
    factors of 1.5 or 3 and other shares gave intervals as wide or wider, by up to a tenth. The share
    `idle` is never bet.
    """
    least = math.sqrt(2.0 * math.log(1.0 / error) / n)
    count = 1 + max(0, math.ceil(math.log2(_LARGEST_SIZE / least)))
    sizes: FloatArray = least * 2.0 ** np.arange(count, dtype=np.float64)
    shares: FloatArray = 2.0 ** (-0.5 * np.arange(count, dtype=np.float64))
    shares *= (1.0 - idle) / shares.sum()
    if idle > 0.0:
        sizes, shares = np.append(0.0, sizes), np.append(idle, shares)
    return sizes, np.log(shares)


@lru_cache(maxsize=1024)
def _bettors_on_wins(pairs: int, error: float) -> tuple[FloatArray, FloatArray]:
    """`_bettors` of wins, whose variance is known better.

    Averaged over pairings, the share of wins of equal continuous samples has 2/3 of a coin's variance
    where they are of equal size, and 1/3 where one is much larger. Most of the wealth is bet
    accordingly; the rest three times as high, for many ties, and all at once, for samples that hardly overlap.
    """
    least = math.sqrt(2.0 * math.log(1.0 / error) / pairs)
    return np.array([1.3 * least, 3.0 * least, _ALL]), np.log([0.8, 0.15, 0.05])


def _lowest_mean(wealth: Callable[[float], float], log_limit: float) -> float:
    """The mean up to which log-wealth, which falls with the mean, reaches `log_limit`; a little below it."""
    from scipy.optimize import brentq

    # -inf would stop the search; that far from the limit only the sign matters.
    def above(mean: float) -> float:
        return max(wealth(mean) - log_limit, -1e3)

    if above(_SMALLEST) <= 0.0:
        return 0.0
    if above(1.0 - _SMALLEST) >= 0.0:
        return 1.0 - _SMALLEST
    return max(float(brentq(above, _SMALLEST, 1.0 - _SMALLEST, xtol=1e-13, rtol=1e-13)) - _OUTWARD, 0.0)


class _Bets:
    """Bets on scores in [0, 1] above their mean: wealth against each mean, and the mean at which it is large."""

    __slots__ = ("_log_shares", "_scores", "_sizes")

    def __init__(self, scores: FloatArray, error: float, *, idle: float = 0.0) -> None:
        self._scores = np.sort(np.clip(scores, 0.0, 1.0))
        self._sizes, self._log_shares = _bettors(scores.size, error, idle)

    def log_wealth(self, mean: float) -> float:
        from ogive.kernels._betting import log_wealth

        return float(log_wealth(self._scores, mean, self._sizes, self._log_shares))  # type: ignore[no-untyped-call]

    def lowest(self, log_limit: float) -> float:
        """The lower limit of the mean: above all means against which the wealth reaches exp(log_limit).

        1 + b (x - m) falls with m for every x in [0, 1] if it does for x = 0 and x = 1, that is,
        if b m rises and b (1 - m) falls with m. Both hold for b = size / sqrt(m (1 - m)), for
        b = 1 / m and for the smaller of the two; so the means left out are those below one limit.
        """
        return _lowest_mean(self.log_wealth, log_limit)


def _smallest_sum(x: FloatArray, y: FloatArray, error: float) -> float:
    """The lower limit of the sum of two independent samples' means.

    The product of the two wealths has expectation 1, so pairs of means where it reaches 1/error
    are left out. The rest is covered by rectangles: where the first log-wealth lies in [t', t),
    the first mean is at least its limit at t, and the second at least its limit at
    log(1/error) - t'. The smallest of their corners is a lower limit.
    """
    first, second = _Bets(x, error, idle=_IDLE), _Bets(y, error, idle=_IDLE)
    log_limit = math.log(1.0 / error)
    # No wealth falls below the idle share. The rectangles cost 1 to 3 % of the width.
    cuts = np.linspace(log_limit - math.log(_IDLE), math.log(_IDLE), 49)
    smallest = 2.0
    for upper, lower in pairwise(cuts.tolist()):
        low = first.lowest(upper)
        if low >= smallest:
            break  # limits rise as the wealth falls
        smallest = min(smallest, low + second.lowest(log_limit - lower))
    return smallest


# A tail's share is bounded in cells of its Beta distribution, this wide in standard normal units.
_CELL = 0.2
# How fast the error allowed to the tail's mean rises with the share, in units of sqrt(2 log(1/error)):
# best where share and mean are about equally uncertain.
_TILT = 0.6


@lru_cache(maxsize=256)
def _share_cells(n: int, above: int, error: float) -> tuple[FloatArray, FloatArray]:
    """Ends of cells for the share above an order statistic, and the logarithm of the error that each allows.

    The last cell reaches to 1 and allows everything; the errors, weighed by the cells'
    probabilities, add up to `error`.
    """
    from scipy.special import betaincinv, ndtr

    tilt = _TILT * math.sqrt(2.0 * math.log(1.0 / error))
    last = (math.log(1.0 / error) + tilt * tilt / 2.0) / tilt
    cuts = np.arange(-1.0, last, _CELL)
    ends = 1.0 - betaincinv(n - above, above + 1.0, ndtr(-cuts))
    probabilities = np.diff(ndtr(cuts), prepend=0.0)
    # In cell i, below cuts[i], the error is as if the share lay at the cell's lower end.
    allowed = np.exp(tilt * (cuts - _CELL))
    rest = error - float(ndtr(-cuts[-1]))
    allowed *= rest / float(np.dot(allowed, probabilities))
    return ends, np.log(np.minimum(allowed, 1.0))


def _upper_tail(z: FloatArray, mass: float, error: float) -> tuple[float, float]:
    """Limits of the mean of the upper share `mass` of scores in [0, 1], each missed with probability `error`."""
    ordered, n = np.sort(z), z.size
    above = min(max(round(n * mass), 1), n - 1)
    c = float(ordered[n - above - 1])
    excess = ordered[n - above :] - c
    return _tail_low(ordered, c, excess, mass, error), _tail_high(c, excess, n, mass, error)


def _tail_high(c: float, excess: FloatArray, n: int, mass: float, error: float) -> float:
    """c + p e / mass at the upper ends of the cells; the proof is in `bounded_tail_mean_interval`."""
    ends, log_allowed = _share_cells(n, excess.size, error)
    room = 1.0 - c
    if room <= 0.0:
        return 1.0
    bets = _Bets(1.0 - excess / room, error)
    means = [room * (1.0 - bets.lowest(-allowed)) for allowed in log_allowed.tolist()]
    largest: float = max(p * mean for p, mean in zip(ends.tolist(), means, strict=True))
    return min(c + largest / mass, 1.0)


def _tail_low(ordered: FloatArray, c: float, excess: FloatArray, mass: float, error: float) -> float:
    """The mean of the shares above c and between the quantile's limit and c, at the lower ends of the cells."""
    n = ordered.size
    below, _ = order_statistic_ranks(n, 1.0 - mass, 1.0 - 2.0 * 0.1 * error)
    q = min(c, float(ordered[below - 1])) if below >= 1 else 0.0
    # The share above is small where the share below is large.
    ends, log_allowed = _share_cells(n, n - 1 - excess.size, 0.9 * error)
    room = 1.0 - c
    bets = _Bets(excess / room if room > 0.0 else excess, 0.9 * error)
    means = [c + room * bets.lowest(-allowed) for allowed in log_allowed.tolist()]
    least: float = min(
        q + min(1.0, (1.0 - end) / mass) * (mean - q) for end, mean in zip(ends.tolist(), means, strict=True)
    )
    return least
