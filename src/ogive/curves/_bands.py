"""Differences of a statistic at all sizes at once, by resampling repetitions jointly.

One resample draws repetitions, with replacement, and takes the scores of every model at every size
from them: what pairs models and what ties the sizes of a repetition together stays as it is. The
band is estimate ± c · scale(n), c being the confidence quantile over resamples of the largest
|difference - estimate| / scale over all sizes (and pairs), moved as far out in Student's
distribution as it lies in the normal one, since the scale too is estimated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from ogive.curves._statistics import of_rows
from ogive.errors import InputError
from ogive.results import Guarantee
from ogive.seeding import stream
from ogive.statistics import Statistic
from ogive.trials import FloatArray

N_RESAMPLES = 999
FEWEST = 20  # repetitions
FEW_IN_TAIL = 10.0  # repetitions beyond a quantile: with fewer the band is heuristic
TOO_FEW_IN_TAIL = 2.5  # with fewer, resamples of a quantile repeat the same few runs, and nothing is certain
LEAST = 0.5  # of the standard error that a normal sample would have: the smallest scale of a quantile


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Differences [pair, size] with a band that holds for all of them at once; NaN where undefined."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    guarantee: Guarantee

    @property
    def sign(self) -> FloatArray:
        """1 where a difference is certainly positive, -1 where negative, 0 where it cannot be told."""
        return np.where(self.low > 0.0, 1.0, np.where(self.high < 0.0, -1.0, 0.0))


def difference_band(
    scores: FloatArray, pairs: list[tuple[int, int]], statistic: Statistic, sign: float, confidence: float, seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Band:  # fmt: skip
    """sign · (statistic of a - statistic of b) for pairs of models; scores are [model, size, repetition]."""
    n = scores.shape[2]
    if n < FEWEST:
        raise InputError(f"differences along a curve need at least {FEWEST} repetitions; got {n}.")
    defined = np.asarray(~np.isnan(scores).any(axis=2))
    filled = _in_order(np.where(defined[:, :, None], scores, 0.0))
    first, second = np.array(pairs).T
    known = defined[first] & defined[second]
    point = of_rows(statistic, filled)
    draws = resampled(filled, statistic, seed, n_resamples)
    estimate = sign * (point[first] - point[second])
    moved = sign * (draws[:, first] - draws[:, second]) - estimate
    scale = _scale(moved, filled, first, second, statistic)
    tail = n if statistic.p is None else n * min(statistic.p, 1.0 - statistic.p)
    usable = known & (scale > 0.0) & (tail > TOO_FEW_IN_TAIL - 1e-9)
    if not usable.any():
        nothing = np.where(known, -np.inf, np.nan)
        return Band(np.where(known, estimate, np.nan), nothing, -nothing, "heuristic")
    largest = np.max(np.abs(moved[:, usable]) / scale[usable], axis=1)
    rank = min(n_resamples, math.ceil((n_resamples + 1) * confidence)) - 1
    factor = _student(float(np.partition(largest, rank)[rank]), n) * math.sqrt(n / (n - 1.0))
    # Where no repetition ever differs nothing is known about rare ones that would.
    half = np.where(usable, factor * scale, np.where(known, np.inf, np.nan))
    shown = np.where(known, estimate, np.nan)
    return Band(shown, shown - half, shown + half, "approximate" if tail >= FEW_IN_TAIL else "heuristic")


def _in_order(scores: FloatArray) -> FloatArray:
    """Repetitions sorted by their scores, whoever has them: neither their order nor that of models draws other resamples."""
    keys = np.sort(scores, axis=0).reshape(-1, scores.shape[2])
    return scores[:, :, np.lexsort(keys[::-1])]


def resampled(scores: FloatArray, statistic: Statistic, seed: int, n_resamples: int) -> FloatArray:
    """The statistic of every resample, [resample, model, size]."""
    models, sizes, n = scores.shape
    counts = stream(seed, "resample", "curves").multinomial(n, np.full(n, 1.0 / n), size=n_resamples)
    if statistic.p is None:
        flat = scores.reshape(-1, n)
        return np.asarray(counts @ flat.T / n).reshape(n_resamples, models, sizes)
    need = max(1, math.ceil(statistic.p * n - 1e-9))
    out = np.empty((n_resamples, models, sizes))
    small = counts.astype(np.int32)
    for m in range(models):
        for s in range(sizes):
            order = np.argsort(scores[m, s], kind="stable")
            passed = np.cumsum(small[:, order], axis=1) < need
            out[:, m, s] = scores[m, s][order][passed.sum(axis=1)]
    return out


def _scale(
    moved: FloatArray, scores: FloatArray, first: np.ndarray, second: np.ndarray, statistic: Statistic
) -> FloatArray:
    """The spread of each difference over resamples; for quantiles at least what a normal sample would have.

    On a lattice all resamples may have the same quantile, which does not make it certain.
    """
    scale: FloatArray = moved.std(axis=0)
    rounding = 64.0 * np.finfo(np.float64).eps * np.abs(scores).max(initial=0.0)
    if statistic.p is not None:
        spread = scores.std(axis=2)
        both = np.sqrt(spread[first] ** 2 + spread[second] ** 2)
        scale = np.maximum(scale, LEAST * both * _normal_error(statistic.p) / math.sqrt(scores.shape[2]))
    return np.asarray(np.where(scale > rounding, scale, 0.0))


def _student(factor: float, n: int) -> float:
    """As far out for Student's distribution of n numbers as `factor` is for the normal one."""
    return -float(stdtrit(n - 1.0, float(ndtr(-factor))))


def _normal_error(p: float) -> float:
    """√n times the standard error of the p-quantile of n standard normal numbers."""
    z = float(ndtri(p))
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return math.sqrt(p * (1.0 - p)) / density
