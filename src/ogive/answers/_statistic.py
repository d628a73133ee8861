"""How the interval of a named statistic is made from the scores of one cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ogive import statistics
from ogive.arguments import Tail
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.notes import argument
from ogive.seeding import stream
from ogive.statistics import Assumption, Interval, Statistic, interquartile_mean, standard_deviation
from ogive.trials import FloatArray, IntArray

FEW_FOR_STD = 50
# Statistics whose intervals are made of many samples at once; beyond so many scores there is nothing to gain.
TOGETHER, MOST_TOGETHER = ("mean", "worst", "best", "q", "best_of", "worst_of"), 1000
DEFAULT = ("mean", "median", "worst_0.1", "q0.05", "q0.95", "best_of_8")


@dataclass(frozen=True, slots=True)
class Sample:
    """The scores of one cell, their clusters, and what is known about them.

    `right_or_wrong` is known of the metric, not of the cell: one that is always right is still a share.
    """

    scores: FloatArray
    clusters: IntArray | None
    metric: Metric
    n_folds: int | None
    right_or_wrong: bool = False

    @property
    def counts(self) -> bool:
        """Whether the scores that are 1 are a binomial count, of which one draw says nothing."""
        return self.right_or_wrong and self.scores.size > 1 and self.clusters is None and self.n_folds is None

    @property
    def n_units(self) -> int:
        """Independent draws: rows, or clusters of rows."""
        return self.scores.size if self.clusters is None else np.unique(self.clusters).size


def interval_of(statistic: Statistic, sample: Sample, confidence: float, *, guaranteed: bool) -> Interval:
    """Estimate and interval on a sample; heuristic where the sample's folds share data.

    With `guaranteed`, refused where rows are not independent draws: no interval is certain then.
    """
    if guaranteed and (sample.n_folds is not None or sample.clusters is not None):
        shared = "folds that share training data" if sample.n_folds is not None else "rows that share a unit"
        raise InputError(
            f"{shared} have no interval that holds for every distribution; ask without the guarantee for others."
        )
    found = _within(statistic, _interval(statistic, sample, confidence, guaranteed), sample.metric)
    if sample.n_folds is None or found.guarantee == "heuristic":
        return found
    return replace(found, guarantee="heuristic", assumptions=(Assumption.FOLDS,))


def intervals_of(
    statistic: Statistic, samples: Sequence[Sample], confidence: float, *, guaranteed: bool
) -> list[Interval | InputError]:
    """`interval_of` each sample of one metric, or why it has none; samples of one size are done together."""
    found: list[Interval | InputError | None] = [None] * len(samples)
    for places in _of_one_size(statistic, samples, guaranteed):
        for place, one in zip(places, _together(statistic, [samples[i] for i in places], confidence), strict=True):
            found[place] = one
    for place, sample in enumerate(samples):
        if found[place] is None:
            try:
                found[place] = interval_of(statistic, sample, confidence, guaranteed=guaranteed)
            except InputError as error:  # one statistic of one cell has no value; the others stand
                found[place] = error
    return [one for one in found if one is not None]


def _of_one_size(statistic: Statistic, samples: Sequence[Sample], guaranteed: bool) -> list[list[int]]:
    """Places of the samples that can be done together."""
    if guaranteed or statistic.kind not in TOGETHER:
        return []
    groups: dict[int, list[int]] = {}
    for place, sample in enumerate(samples):
        plain = sample.clusters is None and sample.n_folds is None and 0 < sample.scores.size <= MOST_TOGETHER
        if plain and not (statistic.kind == "mean" and sample.counts):
            groups.setdefault(sample.scores.size, []).append(place)
    return [places for places in groups.values() if len(places) > 1]


def _together(statistic: Statistic, samples: Sequence[Sample], confidence: float) -> list[Interval | None]:
    """The intervals of samples of one size; None for what must be looked at by itself."""
    metric, runs = samples[0].metric, np.stack([sample.scores for sample in samples])
    usable = np.asarray(~np.isnan(runs).any(axis=1) if statistic.needs_order_only else statistics.can_sum(runs))
    if not usable.all():
        runs = runs[usable]
    if not len(runs):
        return [None] * len(samples)
    if statistic.kind == "mean":
        found = statistics.mean_intervals(runs, confidence)
    elif statistic.kind in ("worst", "best"):
        found = statistics.tail_mean_intervals(runs, statistic.amount, statistic.tail(metric), confidence)
    else:
        found = statistics.quantile_intervals(runs, statistic.level(metric), confidence)
        if statistic.kind != "q" and statistic.amount > runs.shape[1]:
            found = [replace(one, assumptions=(*one.assumptions, Assumption.EXTRAPOLATES)) for one in found]
    if metric.bounds != (None, None):
        found = [_within(statistic, one, metric) for one in found]
    rest = iter(found)
    return [next(rest) if is_usable else None for is_usable in usable.tolist()]


def _within(statistic: Statistic, found: Interval, metric: Metric) -> Interval:
    """The interval without what the score's bounds exclude."""
    if statistic.kind in ("std", "exceedance"):
        return within(found, (0.0, None if statistic.kind == "std" else 1.0))
    return within(found, metric.bounds)


def _interval(statistic: Statistic, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
    if not statistic.needs_order_only and not np.all(np.isfinite(sample.scores)):
        raise InputError(
            f"{statistic.label} is undefined while failures count as worse than every score; declare "
            f"{argument('bounds')}, or count them by a number."
        )
    if statistic.kind in ("q", "best_of", "worst_of"):
        found = statistics.quantile_interval(
            sample.scores, statistic.level(sample.metric), confidence=confidence, clusters=sample.clusters
        )
        beyond = statistic.kind != "q" and statistic.amount > found.n
        extra = (Assumption.EXTRAPOLATES,) if beyond else ()
        return replace(found, assumptions=(*found.assumptions, *extra))
    if statistic.kind == "exceedance":
        return _exceedance(sample, statistic.amount, confidence)
    if statistic.kind in ("mean", "worst", "best"):
        return _average(statistic, sample, confidence, guaranteed)
    return _resampled(statistic, sample, confidence, guaranteed)


def _resampled(statistic: Statistic, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
    """std and IQM, by the bootstrap."""
    if guaranteed:
        raise InputError(f"{statistic.label} has no interval that holds for every distribution.")
    if sample.clusters is not None:
        raise InputError(f"{statistic.label} of rows that share a unit is not offered; take the mean or the median.")
    if statistic.kind == "std" and sample.scores.size < 2:
        raise InputError("std needs at least two scores.")
    functional = interquartile_mean if statistic.kind == "iqm" else standard_deviation
    # The stream does not depend on anything but the statistic: the same table, the same numbers.
    found = statistics.bootstrap_interval(
        sample.scores, functional, rng=stream(0, "resample", None, statistic.name), confidence=confidence
    )  # fmt: skip
    # The bootstrap of a standard deviation is far too short in small samples (docs/reference/coverage.md).
    return replace(found, guarantee="heuristic") if statistic.kind == "std" and found.n < FEW_FOR_STD else found


def _average(statistic: Statistic, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
    tail = statistic.tail(sample.metric)
    declared = sample.metric.bounds == (0.0, 1.0)
    if statistic.kind == "mean" and sample.counts and (declared or not guaranteed):
        found = statistics.exceedance(sample.scores, 1.0, confidence=confidence)
        # Within [0, 1] a mean lies between the share of ones and one minus the share of zeros, so the limits
        # hold whatever lies between. Without bounds one rare large score moves the mean beyond them.
        return (
            found
            if declared
            else replace(found, guarantee="approximate", assumptions=(*found.assumptions, Assumption.RIGHT_OR_WRONG))
        )
    if guaranteed:
        return _from_band(statistic, sample, confidence, tail)
    if statistic.kind == "mean":
        share = None if sample.n_folds is None else 1.0 / max(1, sample.n_folds - 1)
        return statistics.mean_interval(
            sample.scores, confidence=confidence, clusters=sample.clusters, test_share=share
        )
    return statistics.tail_mean_interval(
        sample.scores, mass=statistic.amount, tail=tail, confidence=confidence, clusters=sample.clusters
    )


def _from_band(statistic: Statistic, sample: Sample, confidence: float, tail: Tail) -> Interval:
    """Mean and tails, from the exact band."""
    band, bounds = statistics.band(sample.scores, confidence=confidence), sample.metric.bounds
    found = (
        band.mean(bounds) if statistic.kind == "mean" else band.cvar(mass=statistic.amount, tail=tail, bounds=bounds)
    )
    if not (math.isinf(found.low) and math.isinf(found.high)):
        return found
    return replace(found, assumptions=(*found.assumptions, Assumption.NEEDS_BOUNDS))


def right_or_wrong(samples: Sequence[FloatArray]) -> bool:
    """Whether all finite scores of these samples are 0 or 1, and both occur: a mean is then a share."""
    values = np.unique(np.concatenate(samples)) if samples else np.empty(0)
    return np.array_equal(values[np.isfinite(values)], (0.0, 1.0))


def _exceedance(sample: Sample, threshold: float, confidence: float) -> Interval:
    """P(score at least as good as the threshold)."""
    reached = (sample.metric.turned(sample.scores) >= sample.metric.turned(threshold)).astype(float)
    if sample.clusters is None:
        return statistics.exceedance(reached, 0.5, confidence=confidence)
    return statistics.mean_interval(reached, confidence=confidence, clusters=sample.clusters)


def within(found: Interval, bounds: Bounds) -> Interval:
    """The interval without what bounds exclude."""
    low, high = bounds
    return replace(
        found,
        low=found.low if low is None else max(low, found.low),
        high=found.high if high is None else min(high, found.high),
    )
