"""Are these samples normal? One test for each row of a table, aware of lattices where asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.arguments import NO_BOUNDS, Bounds, FloatArray, as_bounds
from ogive.errors import InputError, InvalidScores
from ogive.results import Guarantee
from ogive.statistics._assumptions import Assumption
from ogive.statistics.shape._lattice import bootstrap_p_values, dithered, fit
from ogive.statistics.shape._tests import LARGEST_SHAPIRO, SMALLEST, BoolArray, NormalityTest, measure, p_values

Ties: TypeAlias = Literal["bootstrap", "dither"]
ConstantRule: TypeAlias = Literal["exclude", "gaussian", "not gaussian"]

TESTED, CONSTANT, TOO_FEW = "tested", "constant", "too few"
LEAST_SCALE_TO_DITHER = 2.0
# Accuracies printed with four digits are off by up to 0.02 steps; numbers without a lattice by 0.25.
OFF_LATTICE = 0.05


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
    _check_choices(test, ties, n_resamples, threads)
    if lattice is None:
        if tuple(bounds) != NO_BOUNDS:
            raise InputError("`bounds` say where a lattice ends; give its step as `lattice`, or leave them out.")
        measured, constant = measure(rows, test, threads)
        refuse_bad(rows, np.isnan(measured) & ~constant)
        p = p_values(measured, test, rows.shape[1])
        return _result(measured, p, constant, test, "asymptotic", rows.shape[1])
    refuse_bad(rows, np.ones(len(rows), dtype=np.bool_))
    steps = _as_steps(lattice, len(rows))
    measured, p, constant = np.empty(len(rows)), np.empty(len(rows)), np.empty(len(rows), dtype=np.bool_)
    for step in np.unique(steps):
        chosen = steps == step
        cells = as_cells(rows[chosen], float(step))
        ends = _ends(rows[chosen], bounds, float(step))
        measured[chosen], p[chosen], constant[chosen] = _on_lattice(cells, ends, test, ties, n_resamples, seed, threads)
    return _result(
        measured, p, constant, test, "rounded-normal bootstrap" if ties == "bootstrap" else "dithered", rows.shape[1]
    )


def _on_lattice(
    cells: FloatArray,
    ends: tuple[float, float],
    test: NormalityTest,
    ties: Ties,
    n_resamples: int,
    seed: int,
    threads: int,
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Statistic, p-value and which are constant, for rows of whole numbers of steps."""
    n = cells.shape[1]
    measured, constant = measure(cells, test, threads)
    p = np.full(len(cells), np.nan)
    todo = ~np.isnan(measured)
    if not todo.any():
        return measured, p, constant
    if ties == "bootstrap":
        p[todo] = bootstrap_p_values(
            cells[todo], measured[todo], test,
            low=ends[0], high=ends[1], n_resamples=n_resamples, seed=seed, threads=threads,
        )  # fmt: skip
        return measured, p, constant
    least = float(fit(cells[todo], *ends)[1].min())
    if least < LEAST_SCALE_TO_DITHER:
        raise InputError(
            f"`ties='dither'` needs a standard deviation of at least {LEAST_SCALE_TO_DITHER:g} lattice steps; "
            f"a sample has {least:.2g}. Use ties='bootstrap'."
        )
    measured[todo] = measure(dithered(cells, seed)[todo], test, threads)[0]
    return measured, p_values(measured, test, n), constant


def _result(
    measured: FloatArray, p: FloatArray, constant: BoolArray, test: NormalityTest, method: str, n: int
) -> Normality:
    status = np.full(measured.size, TOO_FEW if n < SMALLEST[test] else TESTED, dtype="<U8")
    if n >= SMALLEST[test]:
        status[constant] = CONSTANT
    long = test == "shapiro" and n > LARGEST_SHAPIRO and method != "rounded-normal bootstrap"
    return Normality(
        statistic=1.0 - measured if test == "shapiro" else measured, p_value=p, status=status, test=test, method=method,
        n=n, assumptions=(Assumption.INDEPENDENT, Assumption.LONG_SHAPIRO) if long else (Assumption.INDEPENDENT,),
    )  # fmt: skip


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


def _check_choices(test: str, ties: str, n_resamples: int, threads: int) -> None:
    if test not in SMALLEST:
        raise InputError(f"`test` must be one of {', '.join(map(repr, SMALLEST))}; got {test!r}.")
    if ties not in ("bootstrap", "dither"):
        raise InputError(f"`ties` must be 'bootstrap' or 'dither'; got {ties!r}.")
    if n_resamples < 99:
        raise InputError(f"`n_resamples` must be at least 99, for p-values down to 0.01; got {n_resamples}.")
    if threads < 1:
        raise InputError(f"`threads` must be at least 1; got {threads}.")


def _as_steps(lattice: ArrayLike, n_rows: int) -> FloatArray:
    steps = np.asarray(lattice, dtype=np.float64)
    if steps.shape not in ((), (n_rows,)) or not np.all((steps > 0.0) & np.isfinite(steps)):
        raise InputError(
            f"`lattice` must be a positive step, or one for each of the {n_rows} rows; got {str(lattice)[:60]}. "
            "For accuracies on m test points it is 1/m."
        )
    return np.broadcast_to(steps, (n_rows,))


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
