"""Sub-ranges that would raise the median or the worst 10 %: chosen on one half of the runs, checked on the other."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ogive.answers._sources_parameters import WORST, Parameter
from ogive.statistics import Interval, restriction_gain
from ogive.trials import FloatArray, IntArray
from ogive.words import interval, number, printable

Target = Literal["median", "worst_0.1"]
TARGETS: tuple[Target, ...] = ("median", "worst_0.1")
# Independent runs that must be left in a half for a statistic to mean something there.
FEWEST_KEPT = {"median": 20, "worst_0.1": 50}
CAUTION = 2.0  # standard errors
# A wider range is preferred while it keeps this share of the best one's gain: the best of many is partly luck.
GAIN_KEPT = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A sub-range of one parameter: what it was chosen for, and what it gained on runs it was not chosen on.

    `values` are those that a categorical parameter keeps; a numeric one is kept from `low` on (None: from
    where it begins) and below `high`. `gain` is positive where the sub-range is better, at the confidence left
    after `family` ranges, two for each parameter, share the error. `shown` says whether it excludes 0.
    """

    parameter: str
    target: str
    words: str
    values: tuple[str, ...]
    low: float | None
    high: float | None
    instead_of: str
    before: float
    after: float
    gain: Interval
    kept: float
    family: int

    @property
    def shown(self) -> bool:
        """Whether the held-out gain is certain."""
        return self.gain.low > 0.0

    def __str__(self) -> str:
        what = "the median run reaches" if self.target == "median" else "the worst 10 % of runs average"
        gain = interval(self.gain.estimate, self.gain.low, self.gain.high, (0.0,))
        doubt = "" if self.shown else "; not shown"
        return (
            f"with {self.words} instead of {self.instead_of}, {what} {number(self.after)} instead of {number(self.before)} "
            f"(held-out gain {gain}{doubt})"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "parameter": self.parameter, "target": self.target, "range": self.words, "values": list(self.values),
            "low": self.low, "high": self.high, "instead_of": self.instead_of, "before": self.before, "after": self.after,
            "gain": self.gain.to_dict(), "kept": self.kept, "shown": self.shown, "family": self.family,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    parameter: Parameter
    target: Target
    bins: tuple[int, ...]


def first_half(trial: IntArray, units: IntArray | None) -> NDArray[np.bool_]:
    """Runs to choose on: even trial numbers, or every other unit where runs share one."""
    half = np.asarray(trial % 2 == 0) if units is None else np.asarray(units % 2 == 0)
    if units is None and not 0.4 <= half.mean() <= 0.6:  # numbers of an imported table may all be even
        half = np.argsort(np.argsort(trial, kind="stable"), kind="stable") % 2 == 0
    return np.asarray(half, dtype=np.bool_)


def find_ranges(
    parameters: list[Parameter], scores: FloatArray, trial: IntArray, units: IntArray | None, sign: float, confidence: float
) -> tuple[Range, ...]:  # fmt: skip
    """The sub-range of each parameter that the first half suggests, checked on the second."""
    chosen_on = first_half(trial, units)
    order = np.argsort(sign * scores, kind="stable")
    order = order[chosen_on[order]]
    choices = []
    for parameter in parameters:
        for target in TARGETS:
            bins = _choose(parameter, target, sign * scores[order], parameter.codes[order], units, order)
            if bins is not None and _enough(parameter, bins, target, ~chosen_on, units):
                choices.append(_Choice(parameter, target, bins))
    family = len(parameters) * len(TARGETS)
    level = 1.0 - (1.0 - confidence) / family
    return tuple(_check(c, scores, units, ~chosen_on, sign, level, family) for c in choices)


def _candidates(parameter: Parameter, values: list[float]) -> list[tuple[int, ...]]:
    """Neighbouring bins of a numeric parameter; of a categorical one the best value, the two best, …"""
    n = parameter.n_bins
    if parameter.kind == "numeric":
        return [tuple(range(i, j)) for i in range(n) for j in range(i + 1, n + 1) if j - i < n]
    ranked = sorted(range(n), key=lambda b: -values[b])
    return [tuple(sorted(ranked[:m])) for m in range(1, n)]


def _choose(
    parameter: Parameter, target: Target, y: FloatArray, codes: IntArray, units: IntArray | None, rows: IntArray
) -> tuple[int, ...] | None:  # fmt: skip
    """The widest sub-range nearly as good as the best; None where none is better than the whole, or too few runs are left.

    `y` is ordered from bad to good. A sub-range is as good as its statistic less two standard errors:
    the best of many narrow ones is mostly luck.
    """
    here = codes >= 0
    y, codes, rows = y[here], codes[here], rows[here]
    if not y.size:
        return None
    masks = [codes == b for b in range(parameter.n_bins)]
    alone = [_value(y[mask], target) if mask.any() else -math.inf for mask in masks]
    # Bins share no configuration, so counts add up; draws shared in another way count twice, which only lets more in.
    counts = np.array([_n_units(mask, units, rows) for mask in masks])
    found: dict[tuple[int, ...], float] = {}
    for bins in _candidates(parameter, alone):
        n = int(counts[list(bins)].sum())
        if n >= FEWEST_KEPT[target]:
            kept = y[np.isin(codes, bins)]
            found[bins] = _value(kept, target) - CAUTION * _standard_error(kept, target, min(n, kept.size))
    whole = _value(y, target)
    best = max(found.values(), default=-math.inf)
    if best <= whole:
        return None
    floor = whole + GAIN_KEPT * (best - whole)
    return max((c for c in found if found[c] >= floor), key=lambda c: (int(counts[list(c)].sum()), found[c]))


def _n_units(mask: NDArray[np.bool_], units: IntArray | None, rows: IntArray) -> int:
    return int(np.count_nonzero(mask)) if units is None else int(np.unique(units[rows[mask]]).size)


def _value(kept: FloatArray, target: Target) -> float:
    """The statistic of scores ordered from bad to good, large being good."""
    if target == "median":
        return float(kept[(kept.size - 1) // 2])
    return float(kept[: max(1, math.ceil(WORST * kept.size))].mean())


def _standard_error(kept: FloatArray, target: Target, n_units: int) -> float:
    """Roughly, as if the runs of a unit were one."""
    n = kept.size
    if target == "median":
        reach = 0.5 * n / math.sqrt(n_units)  # ranks of one standard error around the median
        low, high = max(0, math.floor(n / 2 - reach)), min(n - 1, math.ceil(n / 2 + reach))
        return float(kept[high] - kept[low]) / 2.0
    tail = kept[: max(1, math.ceil(WORST * n))]
    short = (tail[-1] - tail) / WORST
    return math.sqrt(max(0.0, float(np.sum(short**2)) / n - (float(np.sum(short)) / n) ** 2) / n_units)


def _enough(
    parameter: Parameter, bins: tuple[int, ...], target: Target, half: NDArray[np.bool_], units: IntArray | None
) -> bool:
    kept = half & np.isin(parameter.codes, bins)
    return _n_units(kept, units, np.arange(kept.size)) >= FEWEST_KEPT[target]


def _check(
    choice: _Choice, scores: FloatArray, units: IntArray | None, half: NDArray[np.bool_], sign: float, level: float, family: int
) -> Range:  # fmt: skip
    p = choice.parameter
    here = half & (p.codes >= 0)
    kept = np.isin(p.codes[here], choice.bins)
    found = restriction_gain(
        scores[here], kept, statistic="median" if choice.target == "median" else "tail", mass=WORST,
        tail="lower" if sign > 0 else "upper", confidence=level, clusters=None if units is None else units[here],
    )  # fmt: skip
    gain = found.gain
    if choice.target == "median" and found.before.low == found.before.high and found.after.low == found.after.high:
        gain = replace(gain, low=min(gain.low, 0.0))  # equal scores on both sides: the spread is not known
    low, high = p.limits(choice.bins)
    whole = (
        f"all {len(p.values(range(p.n_bins)))} values"
        if p.kind == "categorical"
        else f"the whole range of {printable(p.name)}"
    )
    return Range(
        parameter=p.name, target=choice.target, words=p.words(choice.bins),
        values=p.values(choice.bins), low=low, high=high,
        instead_of=whole, before=found.before.estimate, after=found.after.estimate, gain=gain,
        kept=float(kept.mean()), family=family,
    )  # fmt: skip
