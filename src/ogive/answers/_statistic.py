"""A statistic by its name: `mean`, `median`, `std`, `iqm`, `worst_0.1`, `best_0.5`, `q0.95`, `best_of_8`, `exceedance_0.9`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ogive import statistics
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.seeding import stream
from ogive.statistics import Interval
from ogive.statistics._leave_one_out import (
    interquartile_mean,
    interquartile_means,
    standard_deviation,
    standard_deviations,
)
from ogive.trials import FloatArray, IntArray
from ogive.words import plural

FEW_FOR_STD = 50
DEFAULT = ("mean", "median", "worst_0.1", "q0.05", "q0.95", "best_of_8")
_PATTERN = re.compile(r"(worst_of|best_of|worst|best|exceedance|q)_?(-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)")
_PLAIN = ("mean", "median", "std", "iqm")
RIGHT_OR_WRONG = "every score is 0 or 1"
NEEDS_BOUNDS = "has no limits without bounds=(low, high)"


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


@dataclass(frozen=True, slots=True)
class Statistic:
    """A named functional of a distribution, with the way its interval is made."""

    name: str
    kind: str
    amount: float = math.nan

    @classmethod
    def parse(cls, name: str) -> Statistic:
        """The statistic of that name."""
        if name in _PLAIN:
            return cls(name, "q" if name == "median" else name, 0.5 if name == "median" else math.nan)
        found = _PATTERN.fullmatch(name)
        if found is None or not math.isfinite(float(found.group(2))):
            raise InputError(
                f"`statistics`: {name!r} is not known; write mean, median, std, iqm, worst_0.1, best_0.5, q0.95, best_of_8, "
                "worst_of_8 or exceedance_0.9."
            )
        kind, amount = found.group(1), float(found.group(2))
        if (kind in ("worst", "best", "q") and not 0.0 < amount < 1.0) or (kind.endswith("_of") and amount < 1.0):
            raise InputError(
                f"`statistics`: {name!r} needs {'a share in (0, 1)' if '_of' not in kind else 'at least 1 draw'}."
            )
        return cls(name, kind, amount)

    @property
    def label(self) -> str:
        """The name in words, for the head of a column."""
        amount = f"{100 * self.amount:g} %"
        return {
            "mean": "mean", "std": "std", "iqm": "IQM", "worst": f"worst {amount}", "best": f"best {amount}",
            "q": "median" if self.amount == 0.5 else f"{amount} quantile", "best_of": f"best of {self.amount:g} (median)",
            "worst_of": f"worst of {self.amount:g} (median)", "exceedance": f"P(reaches {self.amount:g})",
        }[self.kind]  # fmt: skip

    def interval(self, sample: Sample, confidence: float, *, guaranteed: bool) -> Interval:
        """Estimate and interval on a sample; heuristic where the sample's folds share data.

        With `guaranteed`, refused where rows are not independent draws: no interval is certain then.
        """
        if guaranteed and (sample.n_folds is not None or sample.clusters is not None):
            shared = "folds that share training data" if sample.n_folds is not None else "rows that share a unit"
            raise InputError(
                f"{shared} have no interval that holds for every distribution; ask without the guarantee for others."
            )
        found = self._within(self._interval(sample, confidence, guaranteed), sample.metric)
        if sample.n_folds is None or found.guarantee == "heuristic":
            return found
        return replace(found, guarantee="heuristic", assumptions=("folds share training data",))

    def _within(self, found: Interval, metric: Metric) -> Interval:
        """The interval without what the score's bounds exclude."""
        if self.kind in ("std", "exceedance"):
            return within(found, (0.0, None if self.kind == "std" else 1.0))
        return within(found, metric.bounds)

    def _interval(self, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
        order_only = self.kind in ("exceedance", "q") or self.kind.endswith("_of")
        if not order_only and not np.all(np.isfinite(sample.scores)):
            raise InputError(
                f"{self.label} is undefined while failures count as worse than every score; declare bounds=, or count them by a number."
            )
        if self.kind == "q" or self.kind.endswith("_of"):
            found = statistics.quantile_interval(
                sample.scores, self._level(sample.metric), confidence=confidence, clusters=sample.clusters
            )
            beyond = self.kind != "q" and self.amount > found.n
            extra = (
                (
                    f"{self.label} extrapolates beyond the {plural(found.n, 'run')} that {'was' if found.n == 1 else 'were'} made",
                )
                if beyond
                else ()
            )
            return replace(found, assumptions=(*found.assumptions, *extra))
        if self.kind == "exceedance":
            return _exceedance(sample, self.amount, confidence)
        if self.kind in ("mean", "worst", "best"):
            return self._average(sample, confidence, guaranteed)
        return self._resampled(sample, confidence, guaranteed)

    def _resampled(self, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
        """std and IQM, by the bootstrap."""
        if guaranteed:
            raise InputError(f"{self.label} has no interval that holds for every distribution.")
        if sample.clusters is not None:
            raise InputError(f"{self.label} of rows that share a unit is not offered; take the mean or the median.")
        if self.kind == "std" and sample.scores.size < 2:
            raise InputError("std needs at least two scores.")
        functional, left_out = (standard_deviation, standard_deviations)
        if self.kind == "iqm":
            functional, left_out = (interquartile_mean, interquartile_means)
        # The stream does not depend on anything but the statistic: the same table, the same numbers.
        found = statistics.bootstrap_interval(
            sample.scores, functional, rng=stream(0, "resample", None, self.name), confidence=confidence,
            leave_one_out=left_out,
        )  # fmt: skip
        # The bootstrap of a standard deviation is far too short in small samples (docs/reference/coverage.md).
        return replace(found, guarantee="heuristic") if self.kind == "std" and found.n < FEW_FOR_STD else found

    def _average(self, sample: Sample, confidence: float, guaranteed: bool) -> Interval:
        tail: Literal["lower", "upper"] = (
            "lower" if (self.kind == "worst") == (sample.metric.goal == "maximize") else "upper"
        )
        declared = sample.metric.bounds == (0.0, 1.0)
        if self.kind == "mean" and sample.counts and (declared or not guaranteed):
            found = statistics.exceedance(sample.scores, 1.0, confidence=confidence)
            # Within [0, 1] a mean lies between the share of ones and one minus the share of zeros, so the limits
            # hold whatever lies between. Without bounds one rare large score moves the mean beyond them.
            return (
                found
                if declared
                else replace(found, guarantee="approximate", assumptions=(*found.assumptions, RIGHT_OR_WRONG))
            )
        if guaranteed:
            return self._from_band(sample, confidence, tail)
        if self.kind == "mean":
            share = None if sample.n_folds is None else 1.0 / max(1, sample.n_folds - 1)
            return statistics.mean_interval(
                sample.scores, confidence=confidence, clusters=sample.clusters, test_share=share
            )
        return statistics.tail_mean_interval(
            sample.scores, mass=self.amount, tail=tail, confidence=confidence, clusters=sample.clusters
        )

    def _from_band(self, sample: Sample, confidence: float, tail: Literal["lower", "upper"]) -> Interval:
        """Mean and tails, from the exact band."""
        band, bounds = statistics.band(sample.scores, confidence=confidence), sample.metric.bounds
        found = band.mean(bounds) if self.kind == "mean" else band.cvar(mass=self.amount, tail=tail, bounds=bounds)
        if not (math.isinf(found.low) and math.isinf(found.high)):
            return found
        return replace(found, assumptions=(*found.assumptions, f"the guaranteed {self.label} {NEEDS_BOUNDS}"))

    def _level(self, metric: Metric) -> float:
        """The level of F that a quantile, or the median of the best or worst of k draws, stands at."""
        if self.kind == "q":
            return self.amount
        largest = (self.kind == "best_of") == (metric.goal == "maximize")
        # The median of the largest of k is where F^k = 1/2; of the smallest, where (1 - F)^k = 1/2.
        return 0.5 ** (1.0 / self.amount) if largest else -math.expm1(math.log(0.5) / self.amount)


def right_or_wrong(samples: Sequence[FloatArray]) -> bool:
    """Whether all finite scores of these samples are 0 or 1, and both occur: a mean is then a share."""
    values = np.unique(np.concatenate(samples)) if samples else np.empty(0)
    return np.array_equal(values[np.isfinite(values)], (0.0, 1.0))


def _exceedance(sample: Sample, threshold: float, confidence: float) -> Interval:
    """P(score at least as good as the threshold)."""
    sign = 1.0 if sample.metric.goal == "maximize" else -1.0
    reached = (sign * sample.scores >= sign * threshold).astype(float)
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
