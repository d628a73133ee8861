"""Normality of numbers that live on a lattice, such as accuracies on m test points.

Rounding makes ties, and the usual tests read ties as a departure from the normal: at 1000 values
Shapiro and Wilk's rejects accuracies of 231 test points 86 times in 100, whatever lies behind
them. Here the hypothesis is that the numbers are normal ones, rounded. A normal is fitted to each
row by the likelihood of the rounded numbers; samples drawn from it, rounded and cut at the bounds
like the data, show what the statistic does under that hypothesis.

All lengths are in steps of the lattice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ogive.arguments import FloatArray
from ogive.seeding import stream
from ogive.statistics.shape._tests import TWO_SIDED, NormalityTest, in_blocks, measure

# Scale and location are rounded, so that similar rows share a null distribution: to this share of
# 1 / sqrt(n), half of what the fit itself is uncertain by.
_RESOLUTION = 0.5
# From one step on, where the lattice lies between the data makes no difference: the Fourier series of
# a rounded normal's moments has terms of exp(-2 pi² scale²), 3e-9 at scale 1.
_OFFSET_MATTERS_BELOW = 1.0
# A bound that many standard deviations away is not met.
_REACH = 6.0
# Two neighboring values have no finite fit: any small scale with the right share on each is as good.
_NARROW = 0.05
# Below this scale samples have two values, and what is measured is a function of their mean.
_REGRESSION_FROM = 0.1
_N_TERMS = 6
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class RoundedNormal:
    """A normal distribution rounded to whole numbers and cut to low … high, up to a whole shift."""

    location: float
    scale: float
    low: float
    high: float

    def draw(self, rng: np.random.Generator, size: tuple[int, int]) -> FloatArray:
        """Samples of it, one in each row."""
        z = rng.standard_normal(size)
        z *= self.scale
        z += self.location
        np.rint(z, out=z)
        if math.isfinite(self.low) or math.isfinite(self.high):
            np.clip(z, self.low, self.high, out=z)
        return z


def fit(cells: FloatArray, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Location and scale of the normal behind each row of whole numbers, by maximum likelihood.

    Rows must not be constant. `low` and `high` are the whole numbers at which values were cut.
    """
    from scipy.special import ndtri

    from ogive.kernels._rounded_normal import fit_rounded_normal

    n_rows, n = cells.shape
    location, scale = np.empty(n_rows), np.full(n_rows, _NARROW)
    ordered = np.sort(cells, axis=1)
    narrow = ordered[:, -1] - ordered[:, 0] <= 1.0
    upper = np.mean(ordered[narrow] > ordered[narrow, :1], axis=1)
    location[narrow] = ordered[narrow, 0] + 0.5 + _NARROW * ndtri(upper)
    wide = np.ascontiguousarray(ordered[~narrow])
    found = np.empty((2, len(wide)))
    fit_rounded_normal(wide.reshape(-1), n, 0, len(wide), low, high, found[0], found[1])  # type: ignore[no-untyped-call]
    location[~narrow], scale[~narrow] = found
    return location, scale


def coarse(location: float, scale: float, low: float, high: float, n: int) -> tuple[RoundedNormal, float]:
    """The fit, rounded within its own uncertainty and shifted: a key for the memo, and the shift."""
    unit = _RESOLUTION / math.sqrt(n)
    rough = math.exp(unit * round(math.log(scale) / unit))
    near_low, near_high = location - low < _REACH * scale, high - location < _REACH * scale
    if near_high:  # the upper bound becomes 0
        shift, low, high = high, (low - high if near_low else -math.inf), 0.0
    elif near_low:  # the lower bound becomes 0
        shift, low, high = low, 0.0, math.inf
    else:
        shift = location if rough >= _OFFSET_MATTERS_BELOW else math.floor(location)
        low, high = -math.inf, math.inf
    grid = unit * rough
    return RoundedNormal(grid * round((location - shift) / grid), rough, low, high), shift


def bootstrap_p_values(
    cells: FloatArray, measured: FloatArray, test: NormalityTest, *,
    low: float, high: float, n_resamples: int, seed: int, threads: int,
) -> FloatArray:  # fmt: skip
    """(1 + how many drawn samples are as extreme) / (n_resamples + 1), for each row."""
    n = cells.shape[1]
    location, scale = fit(cells, low, high)
    keys = [coarse(m, s, low, high, n) for m, s in zip(location.tolist(), scale.tolist(), strict=True)]
    different = list(dict.fromkeys(key for key, _ in keys))
    nulls: dict[RoundedNormal, Null] = {}

    def work(first: int, last: int) -> None:
        for key in different[first:last]:
            nulls[key] = null_distribution(key, n, test, n_resamples, seed)

    in_blocks(work, len(different), 1, threads)
    means, log_sds, values = cells.mean(axis=1), np.log(cells.std(axis=1)), _on_scale(measured, test)
    return np.array([
        nulls[key].p_value(values[i], means[i] - shift, log_sds[i], two_sided=test in TWO_SIDED)
        for i, (key, shift) in enumerate(keys)
    ])  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Null:
    """What a test measures in samples of a rounded normal, less what their mean and spread explain.

    On a coarse lattice W is nearly a function of the sample's standard deviation, and that of the
    data is what the normal was fitted to: without the regression rounded normals of one step
    would be rejected 3 times in 10,000 instead of 5 in 100, and little else ever.
    """

    ordered: FloatArray
    center: FloatArray
    spread: FloatArray
    slopes: FloatArray

    def p_value(self, value: float, mean: float, log_sd: float, *, two_sided: bool) -> float:
        """Share of drawn samples as extreme as one with this value, mean and log standard deviation."""
        value -= float((_terms(np.array([[mean, log_sd]]), self.center, self.spread) @ self.slopes)[0])
        total = self.ordered.size + 1
        slack = 1e-9 * (1.0 + abs(value))  # the same sample, added up in another order
        above = (total - int(np.searchsorted(self.ordered, value - slack, side="left"))) / total
        if not two_sided:
            return above
        below = (1 + int(np.searchsorted(self.ordered, value + slack, side="right"))) / total
        return min(1.0, 2.0 * min(above, below))


@lru_cache(maxsize=1024)
def null_distribution(null: RoundedNormal, n: int, test: NormalityTest, n_resamples: int, seed: int) -> Null:
    """Samples of the rounded normal, measured; a constant one is no evidence in either direction."""
    rng = stream(seed, "resample", f"normality {n} {null!r}")
    values, covariates = np.empty(n_resamples), np.empty((n_resamples, 2))
    block = max(1, _BLOCK // n)
    for start in range(0, n_resamples, block):
        rows = null.draw(rng, (min(block, n_resamples - start), n))
        part = slice(start, start + len(rows))
        values[part] = _on_scale(measure(rows, test)[0], test)
        with np.errstate(divide="ignore"):
            covariates[part] = np.column_stack((rows.mean(axis=1), np.log(rows.std(axis=1))))
    varied = np.isfinite(values)
    center: FloatArray = np.zeros(2)
    spread: FloatArray = np.ones(2)
    slopes: FloatArray = np.zeros(_N_TERMS)
    if null.scale >= _REGRESSION_FROM and np.count_nonzero(varied) > 10 * _N_TERMS:
        center, spread = covariates[varied].mean(axis=0), covariates[varied].std(axis=0) + 1e-300
        terms = _terms(covariates[varied], center, spread)
        slopes = np.asarray(np.linalg.lstsq(terms, values[varied], rcond=None)[0], dtype=np.float64)
        values[varied] -= terms @ slopes
    if not varied.all():
        values[~varied] = np.median(values[varied]) if test in TWO_SIDED and varied.any() else -np.inf
    return Null(np.sort(values), center, spread, slopes)


def _terms(covariates: FloatArray, center: FloatArray, spread: FloatArray) -> FloatArray:
    """1, the two covariates, their squares and their product: the last keep a curve from being read as evidence."""
    a, b = ((covariates - center) / spread).T
    return np.column_stack((np.ones_like(a), a, b, a * a, a * b, b * b))


def _on_scale(measured: FloatArray, test: NormalityTest) -> FloatArray:
    """log(1 - W) in place of 1 - W: it is close to linear in the logarithm of the spread."""
    if test != "shapiro":
        return measured
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(measured), dtype=np.float64)


def dithered(cells: FloatArray, seed: int) -> FloatArray:
    """The rows, each number moved at random within its step."""
    rng = stream(seed, "resample", f"dither {cells.shape[1]}")
    return cells + rng.random(cells.shape) - 0.5
