"""Bootstrap intervals for statistics that have no interval of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray, IntArray, as_clusters, as_confidence, as_scores
from ogive.errors import InputError
from ogive.statistics._interval import Assumption, Interval
from ogive.statistics._resampling import as_resamples, by_content

# Resamples are drawn in blocks of about this many indices, so that memory stays below 100 MB.
_BLOCK = 4_000_000
FEWEST_UNITS = 10


def bootstrap_interval(
    scores: ArrayLike,
    statistic: Callable[[FloatArray], float],
    *,
    rng: np.random.Generator,
    confidence: float = 0.95,
    method: Literal["percentile", "bca"] = "bca",
    clusters: ArrayLike | None = None,
    n_resamples: int = 2000,
    leave_one_out: Callable[[FloatArray], FloatArray] | None = None,
) -> Interval:
    """Any statistic of the scores, with a percentile or BCa bootstrap interval.

    Parameters
    ----------
    statistic : callable
        Scores in, number out.
    rng : numpy.random.Generator
        The stream of the resamples.
    method : {"percentile", "bca"}
        BCa corrects bias and skewness (Efron 1987).
    clusters : array-like, optional
        Which scores belong together: whole clusters are drawn.
    leave_one_out : callable, optional
        Scores in, the statistic without each of them out; known of `interquartile_mean` and
        `standard_deviation`. Otherwise, or where there are clusters, BCa asks for the statistic once for
        each score, in time quadratic in their number.

    Notes
    -----
    Approximate: too short for small samples (simulated coverage: docs/reference/coverage.md), and
    called heuristic below ten scores or clusters (it covers about 0.5, 0.7 and 0.8 at n = 2, 3 and 5
    instead of 0.95), and where `n_resamples` is below 10 / (1 - confidence). A sample without spread gives an
    infinite interval, never one of zero width.

    Scores are sorted (clusters by what they hold) before they are resampled, and each resample is followed by
    its mirror image: with the same stream the limits do not depend on the order of rows, move with a positive
    affine map of the scores as the statistic does, and change sides where a statistic changes its sign.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 14.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> i = bootstrap_interval([0.71, 0.80, 0.83, 0.91, 0.95], np.median, rng=rng)
    >>> i.low <= 0.83 <= i.high
    True
    """
    values = as_scores(scores)
    values, codes = _in_order(values, as_clusters(clusters, values.size))
    confidence = as_confidence(confidence)
    if method not in ("percentile", "bca"):
        raise InputError(f"`method` must be 'percentile' or 'bca'; got {method!r}.")
    members = _members(codes, values.size)
    n_resamples = as_resamples(n_resamples)
    n, estimate = len(members), _as_number(statistic(values))
    if n == 1 or np.ptp(values) == 0.0:
        low, high = -math.inf, math.inf
        reasons: tuple[str, ...] = (Assumption.ONE_SCORE if n == 1 else Assumption.EQUAL_SCORES,)
    else:
        levels = np.array([(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
        draws = _resample(values, members, statistic, n_resamples, rng)
        if method == "bca":
            # By identity: a statistic of the caller's may be an object that has no hash.
            known = ((interquartile_mean, interquartile_means), (standard_deviation, standard_deviations))
            quick = leave_one_out or next((every for one, every in known if one is statistic), None)
            by_score = quick if codes is None else None
            left_out = _jackknife(values, members, statistic) if by_score is None else by_score(values)
            levels = bca_levels(levels, draws, estimate, left_out)
        low, high = (float(v) for v in np.quantile(draws, levels))
        reasons = ()
        if low == high:
            low, high, reasons = -math.inf, math.inf, (Assumption.FLAT_RESAMPLES,)
    # Why coverage cannot be near the confidence.
    few, coarse = n < FEWEST_UNITS, n_resamples * (1.0 - confidence) < 10.0 - 1e-9
    doubts = (*((Assumption.FEW_UNITS,) if few else ()), *((Assumption.FEW_RESAMPLES,) if coarse else ()))
    return Interval(
        estimate=estimate, low=low, high=high, confidence=confidence, n=n,
        method=f"{'BCa' if method == 'bca' else method} bootstrap",
        guarantee="heuristic" if doubts else "approximate", assumptions=(Assumption.INDEPENDENT, *doubts, *reasons),
    )  # fmt: skip


def _as_number(value: float) -> float:
    """What a statistic made of the sample; refused where that is no number."""
    try:
        found = float(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"`statistic` must return one number; got {value!r}.") from error
    if not math.isfinite(found):
        raise InputError(f"`statistic` must return a finite number for the scores; got {found:g}.")
    return found


def _in_order(values: FloatArray, codes: IntArray | None) -> tuple[FloatArray, IntArray | None]:
    """Scores sorted, and clusters numbered by what they hold: the order of rows draws no other resamples."""
    order = np.argsort(values, kind="stable")
    if codes is None:
        return values[order], None
    values, codes = values[order], codes[order]
    return values, np.argsort(_by_content(values, _members(codes, values.size)))[codes]


def _by_content(values: FloatArray, members: list[IntArray]) -> IntArray:
    places = np.unique(values, return_inverse=True)[1]
    return np.array(by_content([(np.sort(places[rows]),) for rows in members]))


def _members(codes: IntArray | None, n: int) -> list[IntArray]:
    """The rows of each unit that is drawn as a whole."""
    if codes is None:
        return list(np.arange(n).reshape(n, 1))
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _resample(
    values: FloatArray,
    members: list[IntArray],
    statistic: Callable[[FloatArray], float],
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """The statistic of resamples, an even number: each is followed by the one that negated scores would give."""
    n = len(members)
    single = n == values.size
    mirror = np.arange(n)[::-1] if single else _by_content(-values, members)
    half = (n_resamples + 1) // 2
    out = np.empty((half, 2))
    block = max(1, _BLOCK // n)
    for start in range(0, half, block):
        chosen = rng.integers(0, n, size=(min(block, half - start), n))
        for i, units in enumerate(chosen):
            for side, drawn in enumerate((units, mirror[units])):
                rows = drawn if single else np.concatenate([members[u] for u in drawn])
                out[start + i, side] = statistic(values[rows])
    n_bad = out.size - int(np.count_nonzero(np.isfinite(out)))
    if n_bad:
        raise InputError(
            f"`statistic` must return a finite number for every resample; {n_bad} of {out.size} gave none. "
            "Let it return one for samples in which scores repeat."
        )
    return out.ravel()


def _jackknife(values: FloatArray, members: list[IntArray], statistic: Callable[[FloatArray], float]) -> FloatArray:
    return np.array([statistic(np.delete(values, rows)) for rows in members])


def bca_levels(levels: FloatArray, draws: FloatArray, estimate: float, left_out: FloatArray) -> FloatArray:
    """Efron's corrected levels; the plain ones where the jackknife sees no skewness to correct."""
    from scipy.special import ndtr, ndtri

    # Half of the ties count as below, so that a lattice is not read as bias; sums that differ by their rounding tie.
    rounding = 64.0 * np.finfo(np.float64).eps * max(abs(estimate), float(np.abs(draws).max()))
    gaps = draws - estimate
    below = (np.count_nonzero(gaps < -rounding) + 0.5 * np.count_nonzero(np.abs(gaps) <= rounding)) / draws.size
    if not 0.0 < below < 1.0:
        return levels
    bias = ndtri(below)
    deviations = left_out.mean() - left_out
    deviations[np.abs(deviations) <= rounding] = 0.0
    spread = float(np.sum(deviations**2))
    acceleration = float(np.sum(deviations**3)) / (6.0 * spread**1.5) if spread > 0.0 else 0.0
    z = bias + ndtri(levels)
    corrected: FloatArray = ndtr(bias + z / (1.0 - acceleration * z))
    return corrected


def interquartile_mean(values: FloatArray) -> float:
    """Mean of the middle half; `ecdf(values).iqm()` without its door."""
    ordered, weights = np.sort(values), _middle_half(values.size)
    used = np.flatnonzero(weights)
    # Equal scores have their own value as a mean, whatever the weights' rounding.
    return float(np.clip(np.dot(weights, ordered), ordered[used[0]], ordered[used[-1]]))


def interquartile_means(values: FloatArray) -> FloatArray:
    """The interquartile mean without each score, in the order of the scores.

    Notes
    -----
    Let w_k be the weight of the k-th smallest of n - 1 scores. Without the i-th smallest of n, scores
    before it keep their place and scores behind it move up by one: the mean is the sum of w_k x_k for
    k < i and of w_k x_{k+1} for k >= i.
    """
    order, weights = np.argsort(values, kind="stable"), _middle_half(values.size - 1)
    ordered = values[order]
    before = np.append(0.0, np.cumsum(weights * ordered[:-1]))
    behind = np.append(np.cumsum((weights * ordered[1:])[::-1])[::-1], 0.0)
    out = np.empty(values.size)
    out[order] = before + behind
    return out


def standard_deviation(values: FloatArray) -> float:
    """Root of the sum of squares over n - 1; 0 for equal scores."""
    return float(values.std(ddof=1)) if np.ptp(values) else 0.0


def standard_deviations(values: FloatArray) -> FloatArray:
    """The standard deviation without each score.

    Notes
    -----
    Without a score that lies d from the mean of n, the sum of squares about the mean is smaller by
    d² n / (n - 1).
    """
    n, squares = values.size, (values - values.mean()) ** 2
    if n < 3:
        return np.zeros(n)
    left = squares.sum() - squares * (n / (n - 1))
    return np.asarray(np.sqrt(np.maximum(left, 0.0) / (n - 2)))


@lru_cache(maxsize=8)
def _middle_half(n: int) -> FloatArray:
    """Weights of n sorted scores in the mean of their middle half."""
    weights = np.diff(np.clip(np.arange(n + 1) / n, 0.25, 0.75)) / 0.5
    weights.setflags(write=False)
    return weights
