"""Are these samples normal? One test for each row of a table, aware of lattices where asked.

Numbers such as accuracies on m test points live on a lattice. Rounding makes ties, and the usual tests
read ties as a departure from the normal: at 1000 values Shapiro and Wilk's rejects accuracies of 231 test
points 86 times in 100, whatever lies behind them. With a lattice the hypothesis is that the numbers are
normal ones, rounded. A normal is fitted to each row by the likelihood of the rounded numbers; samples
drawn from it, rounded and cut at the bounds like the data, show what the statistic does under that
hypothesis. All lengths are then in steps of the lattice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.arguments import NO_BOUNDS, Bounds, FloatArray, as_bounds
from ogive.errors import InputError, InvalidScores
from ogive.results import Guarantee
from ogive.seeding import stream
from ogive.statistics._interval import Assumption
from ogive.statistics._resampling import in_blocks

BoolArray: TypeAlias = NDArray[np.bool_]
NormalityTest: TypeAlias = Literal["dagostino", "shapiro", "skewness", "kurtosis"]
Ties: TypeAlias = Literal["bootstrap", "dither"]
ConstantRule: TypeAlias = Literal["exclude", "gaussian", "not gaussian"]

TESTED, CONSTANT, TOO_FEW = "tested", "constant", "too few"
LEAST_SCALE_TO_DITHER = 2.0
# Accuracies printed with four digits are off by up to 0.02 steps; numbers without a lattice by 0.25.
OFF_LATTICE = 0.05
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
_TEST_BLOCK = 1 << 21
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Normality:
    """A test of normality for each of many samples.

    Attributes
    ----------
    statistic, p_value : array
        One for each sample; NaN where it was not tested.
    status : array of str
        `tested`, `constant` (all values equal up to rounding: neither normal nor not) or `too few`.
    test, method : str
        Which test, and where its p-values come from.
    n : int
        Values in each sample.
    """

    statistic: FloatArray
    p_value: FloatArray
    status: NDArray[np.str_]
    test: NormalityTest
    method: str
    n: int
    guarantee: Guarantee = "approximate"
    assumptions: tuple[str, ...] = (Assumption.INDEPENDENT,)

    def __repr__(self) -> str:
        tested = int(np.count_nonzero(self.status == TESTED))
        return (
            f"Normality({self.test}, {self.method}: {int(self.rejected().sum())} of {tested} samples rejected at 0.05, "
            f"{int(np.count_nonzero(self.status == CONSTANT))} constant, n={self.n})"
        )

    def rejected(self, level: float = 0.05) -> BoolArray:
        """Which samples were tested and have a p-value below `level`."""
        if not 0.0 < level < 1.0:
            raise InputError(f"`level` must lie in (0, 1); got {level!r}.")
        return np.less(self.p_value, level)

    def gaussian_share(self, level: float = 0.05, *, constant: ConstantRule = "exclude") -> float:
        """Share of samples that the test does not reject; NaN where none was tested.

        Constant samples are left out, or counted as one or the other: published tables often
        count them as normal.
        """
        if constant not in ("exclude", "gaussian", "not gaussian"):
            raise InputError(f"`constant` must be 'exclude', 'gaussian' or 'not gaussian'; got {constant!r}.")
        n_tested = int(np.count_nonzero(self.status == TESTED))
        n_constant = int(np.count_nonzero(self.status == CONSTANT))
        kept = n_tested - int(self.rejected(level).sum()) + (n_constant if constant == "gaussian" else 0)
        counted = n_tested + (0 if constant == "exclude" else n_constant)
        return kept / counted if counted else math.nan

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; what was not tested is null, and `status` says why."""
        return {
            "test": self.test, "method": self.method, "guarantee": self.guarantee, "n": self.n,
            "statistic": [None if math.isnan(v) else v for v in self.statistic.tolist()],
            "p_value": [None if math.isnan(v) else v for v in self.p_value.tolist()],
            "status": self.status.tolist(), "assumptions": list(self.assumptions),
        }  # fmt: skip


def normality(
    samples: ArrayLike,
    *,
    test: NormalityTest = "dagostino",
    lattice: ArrayLike | None = None,
    bounds: Bounds = NO_BOUNDS,
    ties: Ties = "bootstrap",
    n_resamples: int = 1999,
    seed: int = 0,
    threads: int = 1,
) -> Normality:
    """A test of normality for every row of `samples`.

    Parameters
    ----------
    samples : array-like [sample, value]
        One sample in each row; a one-dimensional array is one sample.
    test : {"dagostino", "shapiro", "skewness", "kurtosis"}
        D'Agostino and Pearson's K², Shapiro and Wilk's W, or one of the two parts of K².
    lattice : float or array-like, optional
        Step between possible values, or one for each row: 1/m for accuracies on m test points.
        The samples are then asked whether they are *rounded* normal numbers.
    bounds : pair, optional
        With `lattice`: values beyond were cut to these, as accuracies are to (0, 1).
    ties : {"bootstrap", "dither"}
        With `lattice`: draw the null distribution from a fitted, rounded normal, or move each
        value at random within its step and test that.
    n_resamples, seed : int
        Samples drawn for each null distribution, and the root of their random stream.
    threads : int
        The numbers do not depend on it.

    Notes
    -----
    Approximate, for independent values. Without `lattice` statistics and p-values are those of
    `scipy.stats.normaltest`, `shapiro`, `skewtest` and `kurtosistest`, but a sample of skewness
    exactly 0 has the score 0 (scipy puts about 1 there). The smallest n are 8, 3, 8 and 5.
    At 0.05 they reject 5 % of normal samples from n = 20 on, K² 5.4 to 5.8 %.
    With `lattice` the p-value is (1 + #) / (n_resamples + 1), # counting samples of the fitted
    rounded normal that are as extreme, given their mean and spread; skewness and kurtosis take
    twice the smaller side. Similar fits share a null distribution. Rounded normals are rejected
    at 0.05 in 4 to 6 % of simulated cases from a standard deviation of one step on; at half a step
    in 2.5 to 5.5 % of samples of 100 or more and in 1 to 3 % of smaller ones; more rarely below.
    Dithering is refused below a standard deviation of 2 steps: at 1 step Shapiro and Wilk's test of 1000
    dithered values rejects 39 times in 100.

    References
    ----------
    D'Agostino and Pearson (1973); Anscombe and Glynn (1983); Royston (1995), AS R94.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> normality([rng.normal(size=500), rng.exponential(size=500), np.ones(500)])
    Normality(dagostino, asymptotic: 1 of 2 samples rejected at 0.05, 1 constant, n=500)
    >>> accuracy = rng.binomial(231, 0.75, size=1000) / 231
    >>> float(normality(accuracy, test="shapiro").p_value[0]) < 0.05
    True
    >>> float(normality(accuracy, test="shapiro", lattice=1 / 231, bounds=(0, 1)).p_value[0]) > 0.05
    True
    """
    rows = as_samples(samples)
    if test not in SMALLEST:
        raise InputError(f"`test` must be one of {', '.join(map(repr, SMALLEST))}; got {test!r}.")
    if ties not in ("bootstrap", "dither"):
        raise InputError(f"`ties` must be 'bootstrap' or 'dither'; got {ties!r}.")
    if n_resamples < 99:
        raise InputError(f"`n_resamples` must be at least 99, for p-values down to 0.01; got {n_resamples}.")
    if threads < 1:
        raise InputError(f"`threads` must be at least 1; got {threads}.")
    n_rows, n = rows.shape
    if lattice is None:
        if tuple(bounds) != NO_BOUNDS:
            raise InputError("`bounds` say where a lattice ends; give its step as `lattice`, or leave them out.")
        method = "asymptotic"
        measured, constant = measure(rows, test, threads)
        refuse_bad(rows, np.isnan(measured) & ~constant)
        p = p_values(measured, test, n)
    else:
        method = "rounded-normal bootstrap" if ties == "bootstrap" else "dithered"
        refuse_bad(rows, np.ones(n_rows, dtype=np.bool_))
        steps = np.asarray(lattice, dtype=np.float64)
        if steps.shape not in ((), (n_rows,)) or not np.all((steps > 0.0) & np.isfinite(steps)):
            raise InputError(
                f"`lattice` must be a positive step, or one for each of the {n_rows} rows; got {str(lattice)[:60]}. "
                "For accuracies on m test points it is 1/m."
            )
        measured, p, constant = np.empty(n_rows), np.empty(n_rows), np.empty(n_rows, dtype=np.bool_)
        for step in np.unique(steps).tolist():
            chosen = np.broadcast_to(steps, (n_rows,)) == step
            cells, ends = as_cells(rows[chosen], step), _ends(rows[chosen], bounds, step)
            found = _on_lattice(cells, ends, test, ties, n_resamples, seed, threads)
            measured[chosen], p[chosen], constant[chosen] = found
    status = np.full(n_rows, TOO_FEW if n < SMALLEST[test] else TESTED, dtype="<U8")
    if n >= SMALLEST[test]:
        status[constant] = CONSTANT
    long = test == "shapiro" and n > LARGEST_SHAPIRO and method != "rounded-normal bootstrap"
    return Normality(
        statistic=1.0 - measured if test == "shapiro" else measured, p_value=p, status=status, test=test, method=method,
        n=n, assumptions=(Assumption.INDEPENDENT, Assumption.LONG_SHAPIRO) if long else (Assumption.INDEPENDENT,),
    )  # fmt: skip


def _on_lattice(
    cells: FloatArray, ends: tuple[float, float], test: NormalityTest, ties: Ties, n_resamples: int, seed: int, threads: int
) -> tuple[FloatArray, FloatArray, BoolArray]:  # fmt: skip
    """Statistic, p-value and which are constant, for rows of whole numbers of steps."""
    measured, constant = measure(cells, test, threads)
    p = np.full(len(cells), np.nan)
    todo = ~np.isnan(measured)
    if todo.any() and ties == "bootstrap":
        p[todo] = bootstrap_p_values(
            cells[todo], measured[todo], test,
            low=ends[0], high=ends[1], n_resamples=n_resamples, seed=seed, threads=threads,
        )  # fmt: skip
    elif todo.any():
        least = float(fit(cells[todo], *ends)[1].min())
        if least < LEAST_SCALE_TO_DITHER:
            raise InputError(
                f"`ties='dither'` needs a standard deviation of at least {LEAST_SCALE_TO_DITHER:g} lattice steps; "
                f"a sample has {least:.2g}. Use ties='bootstrap'."
            )
        rng = stream(seed, "resample", f"dither {cells.shape[1]}")
        moved = cells + rng.random(cells.shape) - 0.5
        measured[todo] = measure(moved[todo], test, threads)[0]
        p = p_values(measured, test, cells.shape[1])
    return measured, p, constant


def as_samples(samples: ArrayLike) -> FloatArray:
    """A float64 table [sample, value] in C order, with at least one value."""
    try:
        rows = np.ascontiguousarray(samples, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidScores("`samples` must be numbers, as many in each row as in the others.") from error
    if rows.ndim == 1:
        rows = rows.reshape(1, -1)
    if rows.ndim != 2 or rows.size == 0:
        raise InvalidScores(
            f"`samples` must be a table [sample, value] with values in it; got shape {np.shape(samples)}."
        )
    return rows


def refuse_bad(rows: FloatArray, suspects: BoolArray) -> None:
    """Refuse NaN and infinities; only the suspected rows are looked at."""
    if not suspects.any():
        return
    numbers = np.flatnonzero(suspects)
    bad = ~np.isfinite(rows[numbers]).all(axis=1)
    if bad.any():
        raise InvalidScores(
            f"`samples` must be finite; {int(bad.sum())} of {len(rows)} rows hold NaN or an infinity, the first is row "
            f"{int(numbers[bad][0])}. Leave failed runs out, and say how many there were."
        )


def as_cells(rows: FloatArray, step: float) -> FloatArray:
    """The values as whole numbers of steps."""
    cells = np.rint(rows / step)
    off = float(np.max(np.abs(rows / step - cells)))
    if off > OFF_LATTICE:
        raise InputError(
            f"values must be multiples of `lattice` = {step:g}; one lies {off:.2g} steps from the nearest. "
            "For accuracies the step is 1 / (number of test points)."
        )
    return cells


def _ends(rows: FloatArray, bounds: Bounds, step: float) -> tuple[float, float]:
    """The outermost multiples of `step` within the bounds, as whole numbers."""
    low, high = as_bounds(bounds, np.array([rows.min(), rows.max()]))
    least = math.ceil(low / step - OFF_LATTICE) if math.isfinite(low) else low
    most = math.floor(high / step + OFF_LATTICE) if math.isfinite(high) else high
    return float(least), float(most)


def measure(rows: FloatArray, test: NormalityTest, threads: int = 1) -> tuple[FloatArray, BoolArray]:
    """What the test measures in each row, and which rows are constant (NaN there).

    K² for `dagostino`, 1 - W for `shapiro`, the normal score for the others. Rows that hold NaN
    or an infinity are NaN and not constant.
    """
    n_rows, n = rows.shape
    found, constant = np.full(n_rows, np.nan), np.zeros(n_rows, dtype=np.bool_)

    def work(first: int, last: int) -> None:
        found[first:last], constant[first:last] = _measure_block(rows[first:last], test)

    in_blocks(work, n_rows, threads, block=max(1, (_SORTED_BLOCK if test == "shapiro" else _TEST_BLOCK) // n))
    return found, constant


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

    in_blocks(work, len(different), threads, block=1)
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
