"""Four tests of normality for every row of a table at once: what they measure, and their p-values."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import FloatArray

BoolArray: TypeAlias = NDArray[np.bool_]
NormalityTest: TypeAlias = Literal["dagostino", "shapiro", "skewness", "kurtosis"]

# Below these sizes the approximations behind the p-values are not defined.
SMALLEST: dict[NormalityTest, int] = {"dagostino": 8, "shapiro": 3, "skewness": 8, "kurtosis": 5}
TWO_SIDED: frozenset[NormalityTest] = frozenset({"skewness", "kurtosis"})
LARGEST_SHAPIRO = 5000
# A spread within a few units of the last digit is the rounding of one number, not a sample.
_ROUNDING = 4.0 * np.finfo(np.float64).eps
# Beyond these a variance, or its square, is lost to the range of floating-point numbers.
_SMALLEST_VARIANCE, _LARGEST_VARIANCE = 1e-250, 1e250
_TINY, _HUGE = 1e-100, 1e100
# Blocks of about this many numbers: short ones where rows are copied and sorted, which then stay in
# the cache; longer ones where a row costs so little that the work around a block would count.
_SORTED_BLOCK = 1 << 18
_BLOCK = 1 << 21


def measure(rows: FloatArray, test: NormalityTest, threads: int = 1) -> tuple[FloatArray, BoolArray]:
    """What the test measures in each row, and which rows are constant (NaN there).

    K² for `dagostino`, 1 - W for `shapiro`, the normal score for the others. Rows that hold NaN
    or an infinity are NaN and not constant.
    """
    n_rows, n = rows.shape
    found, constant = np.full(n_rows, np.nan), np.zeros(n_rows, dtype=np.bool_)

    def work(first: int, last: int) -> None:
        found[first:last], constant[first:last] = _measure_block(rows[first:last], test)

    in_blocks(work, n_rows, max(1, (_SORTED_BLOCK if test == "shapiro" else _BLOCK) // n), threads)
    return found, constant


def in_blocks(work: Callable[[int, int], None], n_rows: int, block: int, threads: int) -> None:
    """work(first, last) over short ranges of rows, in threads where there is more than one."""
    starts = range(0, n_rows, block)
    if threads == 1 or len(starts) == 1:
        for start in starts:
            work(start, min(start + block, n_rows))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, start, min(start + block, n_rows)) for start in starts]:
            done.result()


def _measure_block(rows: FloatArray, test: NormalityTest) -> tuple[FloatArray, BoolArray]:
    from ogive.kernels._moments import standardized_moments

    n_rows, n = rows.shape
    means, variances, skewness, kurtosis = np.empty((4, n_rows))
    standardized_moments(rows.reshape(-1), n, 0, n_rows, means, variances, skewness, kurtosis)  # type: ignore[no-untyped-call]
    odd = ~((variances > _SMALLEST_VARIANCE) & (variances < _LARGEST_VARIANCE))
    scaled = scaled_rows(rows, odd)
    if scaled is not rows:
        rows = scaled
        standardized_moments(rows.reshape(-1), n, 0, n_rows, means, variances, skewness, kurtosis)  # type: ignore[no-untyped-call]
    constant = variances <= (_ROUNDING * means) ** 2
    if n < SMALLEST[test]:
        return np.full(n_rows, np.nan), constant
    if test == "shapiro":
        found = _shapiro_shortfall(rows, constant | ~np.isfinite(skewness))
    elif test == "skewness":
        found = skewness_score(skewness, n)
    elif test == "kurtosis":
        found = kurtosis_score(kurtosis, n)
    else:
        found = skewness_score(skewness, n) ** 2 + kurtosis_score(kurtosis, n) ** 2
    return np.where(constant, np.nan, found), constant


def scaled_rows(rows: FloatArray, chosen: BoolArray) -> FloatArray:
    """The rows, those of the chosen ones that are tiny or huge divided by a power of two to a size near 1.

    Rows that are not finite stay, and so do constant ones of ordinary size; without others, nothing is copied.
    """
    found = np.flatnonzero(chosen)
    largest = np.abs(rows[found]).max(axis=1)
    extreme = np.isfinite(largest) & ((largest < _TINY) | (largest > _HUGE))
    if not extreme.any():
        return rows
    out = rows.copy()
    out[found[extreme]] = np.ldexp(rows[found[extreme]], -np.frexp(largest[extreme])[1][:, None])
    return out


def skewness_score(skewness: FloatArray, n: int) -> FloatArray:
    """Normal score of a sample's skewness (D'Agostino 1970)."""
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta2 = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2.0) * (n + 5) * (n + 7) * (n + 9))
    w2 = math.sqrt(2.0 * (beta2 - 1.0)) - 1.0
    score: FloatArray = np.arcsinh(y / math.sqrt(2.0 / (w2 - 1.0))) / math.sqrt(0.5 * math.log(w2))
    return score


def kurtosis_score(kurtosis: FloatArray, n: int) -> FloatArray:
    """Normal score of a sample's kurtosis (Anscombe and Glynn 1983, equations 1 to 5)."""
    expected = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (kurtosis - expected) / math.sqrt(variance)
    root_beta1 = (
        6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    )
    a = 6.0 + 8.0 / root_beta1 * (2.0 / root_beta1 + math.sqrt(1.0 + 4.0 / root_beta1**2))
    with np.errstate(divide="ignore"):
        cube_root = np.cbrt((1.0 - 2.0 / a) / (1.0 + x * math.sqrt(2.0 / (a - 4.0))))
    score: FloatArray = (1.0 - 2.0 / (9.0 * a) - cube_root) / math.sqrt(2.0 / (9.0 * a))
    return score


def p_values(measured: FloatArray, test: NormalityTest, n: int) -> FloatArray:
    """The test's own p-values, for continuous numbers."""
    from scipy.special import ndtr

    if test in TWO_SIDED:
        return np.asarray(2.0 * ndtr(-np.abs(measured)), dtype=np.float64)
    if test == "dagostino":
        return np.asarray(np.exp(-0.5 * measured), dtype=np.float64)  # chi-square with two degrees of freedom
    if n == 3:
        return np.asarray(1.0 - 6.0 / math.pi * np.arcsin(np.sqrt(measured)), dtype=np.float64)
    with np.errstate(divide="ignore"):
        y = np.log(measured)
        if n <= 11:
            y = -np.log(np.maximum(_polynomial((-2.273, 0.459), n) - y, 0.0))
            mean = _polynomial((0.544, -0.39978, 0.025054, -0.0006714), n)
            sd = math.exp(_polynomial((1.3822, -0.77857, 0.062767, -0.0020322), n))
        else:
            mean = _polynomial((-1.5861, -0.31082, -0.083751, 0.0038915), math.log(n))
            sd = math.exp(_polynomial((-0.4803, -0.082676, 0.0030302), math.log(n)))
    return np.asarray(ndtr((mean - y) / sd), dtype=np.float64)


def _shapiro_shortfall(rows: FloatArray, skip: BoolArray) -> FloatArray:
    """1 - W of each row. Sorting is most of the work, and numpy's is twice as fast as a compiled one."""
    from ogive.kernels._shapiro import shapiro_shortfall

    chosen = rows if not skip.any() else rows[~skip]
    n_rows, n = chosen.shape
    shortfall = np.empty(n_rows)
    ordered = np.sort(chosen, axis=1)
    shapiro_shortfall(ordered.reshape(-1), n, shapiro_weights(n), 0, n_rows, shortfall)  # type: ignore[no-untyped-call]
    if n == 3:
        shortfall = np.minimum(shortfall, 0.25)  # W of three numbers is at least 3/4
    found = np.full(skip.size, np.nan)
    found[~skip] = shortfall
    return found


@lru_cache(maxsize=256)
def shapiro_weights(n: int) -> FloatArray:
    """Royston's (1995) weights of the n // 2 largest numbers, the largest first."""
    if n == 3:
        weights = np.array([math.sqrt(0.5)])
    else:
        m = -_normal_quantile((np.arange(1.0, n // 2 + 1.0, dtype=np.float64) - 0.375) / (n + 0.25))
        total = 2.0 * float(np.sum(m**2))
        u = 1.0 / math.sqrt(n)
        ends = [_polynomial((0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056), u) + m[0] / math.sqrt(total)]
        if n > 5:
            ends.append(
                _polynomial((0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633), u) + m[1] / math.sqrt(total)
            )
        k = len(ends)
        rest = (total - 2.0 * float(np.sum(m[:k] ** 2))) / (1.0 - 2.0 * sum(a * a for a in ends))
        weights = np.concatenate((ends, m[k:] / math.sqrt(rest)))
    weights.flags.writeable = False
    return weights


def _normal_quantile(p: FloatArray) -> FloatArray:
    """The normal quantile for p < 1/2 as Royston's program has it (Beasley and Springer 1977, AS 111).

    Its error of 1e-9 is part of the program: with exact quantiles p-values at n = 1000 would
    differ from scipy's by 1e-7.
    """
    q = p - 0.5
    r = q * q
    middle = q * _polynomial((2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637), r)
    middle /= _polynomial((1.0, -8.47351093090, 23.08336743743, -21.06224101826, 3.13082909833), r)
    s = np.sqrt(-np.log(p))
    tail = _polynomial((-2.78718931138, -2.29796479134, 4.85014127135, 2.32121276858), s)
    tail /= _polynomial((1.0, 3.54388924762, 1.63706781897), s)
    return np.where(p < 0.08, -tail, middle)


def _polynomial(coefficients: tuple[float, ...], x: float | FloatArray) -> float | FloatArray:
    """Σ c_j x^j."""
    value: float | FloatArray = coefficients[-1]
    for c in coefficients[-2::-1]:
        value = value * x + c
    return value
