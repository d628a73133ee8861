"""Hyper-parameters as columns, cut into values or bins; how scores change along them; which parts are worth keeping.

Sub-ranges that would raise the median or the worst 10 % are chosen on one half of the runs and tested on the other.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ogive.answers._summary import within
from ogive.metric import Bounds
from ogive.seeding import stream
from ogive.statistics import (
    Grouping,
    Interval,
    Permutable,
    clopper_pearson,
    explained_share,
    first_order_parts,
    group_rank_test,
    largest_gain_test,
    quantile_interval,
    restriction_gain,
    tail_mean_interval,
)
from ogive.trials import FloatArray, IntArray, Trials
from ogive.words import listed, number, printable

Target = Literal["median", "worst_0.1"]
Doubt = Literal["chance", "interval", "effect", "collapse"]
TARGETS: tuple[Target, ...] = ("median", "worst_0.1")
# Independent runs that must be left in a half for a statistic to mean something there.
FEWEST_KEPT = {"median": 20, "worst_0.1": 50}
CAUTION = 2.0  # standard errors
# A wider range is preferred while it keeps this share of the best one's gain: the best of many is partly luck.
GAIN_KEPT = 0.8
UNSEEN = 0.05  # the probability with which runs may miss a collapse of the rate that they cannot rule out
MOST_BINS, MOST_VALUES, PER_BIN = 8, 12, 15
FEWEST = 5  # units that a value needs to be shown on its own
WORST = 0.1
GUILTY = 0.7  # of a bin's runs must lie in the worse half for it to be named
OTHER = "other values"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Parameter:
    """A hyper-parameter of every run: its bin (-1 where it is not set) and what the bins are.

    `cuts` are the inner edges of a numeric parameter's bins, each the first value of the bin after it;
    `labels` the values of a categorical one, the last of which may stand for several rare ones, `rare`.
    `log` says that it was drawn on a logarithmic scale.
    """

    name: str
    kind: Literal["numeric", "categorical"]
    codes: IntArray
    labels: tuple[str, ...]
    cuts: tuple[float, ...]
    ends: tuple[float, float]
    log: bool
    rare: tuple[str, ...] = ()

    @property
    def n_bins(self) -> int:
        """How many bins; of a categorical parameter one for each value, and one for all rare ones."""
        return len(self.labels)

    def values(self, bins: Sequence[int]) -> tuple[str, ...]:
        """The values of a categorical parameter in these bins; none of a numeric one."""
        if self.kind == "numeric":
            return ()
        last = self.n_bins - 1 if self.rare else self.n_bins
        return tuple(value for b in bins for value in (self.rare if b == last else (self.labels[b],)))

    def kept_labels(self, bins: Sequence[int]) -> tuple[str, ...]:
        """The names of a categorical parameter's bins; none of a numeric one."""
        return () if self.kind == "numeric" else tuple(self.labels[b] for b in bins)

    def limits(self, bins: Sequence[int]) -> tuple[float | None, float | None]:
        """Where neighboring bins of a numeric parameter begin and end; None at an end of the whole range."""
        if self.kind == "categorical":
            return None, None
        first, last = min(bins), max(bins)
        return None if first == 0 else self.cuts[first - 1], None if last == self.n_bins - 1 else self.cuts[last]


@dataclass(frozen=True, slots=True, kw_only=True)
class BinEffect:
    """The runs of one value or bin: how good they are, and which share of them is in the worse half."""

    label: str
    low: float
    high: float
    n: int
    median: Interval
    worst: Interval
    bad: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class WorseHalf:
    """Values most of whose runs lie in the worse half: names of bins, or one range or several of a number.

    `share` of their runs lie in it, and they are `covered` of it.
    """

    parameter: str
    labels: tuple[str, ...]
    spans: tuple[tuple[float | None, float | None], ...]
    share: float
    covered: float

    @property
    def words(self) -> str:
        """`kernel = sigmoid`, `C < 0.1`, `lr < 0.0001 or lr ≥ 0.01`."""
        if self.labels:
            return range_words(self.parameter, self.labels, None, None)
        return " or ".join(range_words(self.parameter, (), low, high) for low, high in self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterEffect:
    """What one hyper-parameter does: the share of the variance that it explains, and the scores along it.

    `present` is the share of runs in which it is set; everything is about those. `p_value` is how often chance alone would
    order the runs as much by its values (Kruskal and Wallis), after Holm's correction for all parameters of the table.
    """

    parameter: str
    kind: str
    log: bool
    present: float
    explained: Interval
    bins: tuple[BinEffect, ...]
    made_bad: WorseHalf | None
    p_value: float = math.nan

    @property
    def shown(self) -> bool:
        """Whether it has an effect for certain: by the share that it explains, or by the order of the runs."""
        return self.explained.low > 0.0 or self.p_value <= self.error

    @property
    def error(self) -> float:
        """How often what is said to have an effect may have none."""
        return 1.0 - self.explained.confidence + 1e-12


def range_words(parameter: str, labels: Sequence[str], low: float | None, high: float | None) -> str:
    """Part of a parameter, in words: `kernel = rbf or linear`, `C ≥ 0.1`."""
    name = printable(parameter)
    if labels:
        return f"{name} = {listed([printable(label) for label in labels], 'or')}"
    if low is None:
        return f"{name} < {high:g}" if high is not None else f"any {name}"
    return f"{name} ≥ {low:g}" if high is None else f"{low:g} ≤ {name} < {high:g}"


def find_parameters(trials: Trials, rows: IntArray, units: IntArray | None) -> tuple[list[Parameter], list[str]]:
    """Parameters that vary, and a sentence for each that cannot be judged."""
    column = trials.table["params"].chunk(0)
    encoded = column.take(rows).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    index = np.asarray(encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False), dtype=np.intp)
    written = [_parsed(text) for text in texts] + [{}]
    n_units = rows.size if units is None else int(np.unique(units).size)
    found, remarks = [], []
    for name in sorted({key for entry in written for key in entry}):
        values = [entry.get(name) for entry in written]
        parameter = _parameter(name, values, index, n_units, units)
        if isinstance(parameter, str):
            remarks.append(parameter)
        elif parameter is not None:
            found.append(parameter)
    return found, remarks


def _parsed(text: str) -> dict[str, Any]:
    try:
        entry = json.loads(text)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _parameter(
    name: str, values: list[Any], index: IntArray, n_units: int, units: IntArray | None
) -> Parameter | str | None:
    """None where it never varies."""
    given = [v for v in values if v is not None]
    numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in given)
    if numeric and len(set(given)) > MOST_BINS:
        numbers = np.array([math.nan if v is None else float(v) for v in values])[index]
        return _numeric(name, numbers, n_units)
    words = [None if v is None else v if isinstance(v, str) else json.dumps(v) for v in values]
    order = sorted(set(given)) if numeric else sorted({w for w in words if w is not None})
    labels = [json.dumps(v) for v in order] if numeric else [str(v) for v in order]
    place = {label: i for i, label in enumerate(labels)}
    codes = np.array([-1 if w is None else place[w] for w in words], dtype=np.intp)[index]
    counts = _count_units(codes, len(labels), units)
    if np.count_nonzero(counts) < 2:
        return None
    kept = np.flatnonzero(counts >= FEWEST)
    if kept.size > MOST_VALUES or kept.size == 0:
        return f"{printable(name)} has {len(labels)} values, too many for so few independent draws of each; it is left out."
    lookup = np.full(len(labels) + 1, kept.size, dtype=np.intp)
    lookup[kept], lookup[-1] = np.arange(kept.size), -1
    rare = tuple(labels[i] for i in np.flatnonzero((counts > 0) & (counts < FEWEST)))
    shown = [labels[i] for i in kept] + ([OTHER] if rare else [])
    if len(shown) < 2:
        return None
    return Parameter(
        name=name, kind="categorical", codes=lookup[codes], labels=tuple(shown), cuts=(), ends=(math.nan, math.nan),
        log=False, rare=rare,
    )  # fmt: skip


def _count_units(codes: IntArray, n: int, units: IntArray | None) -> IntArray:
    if units is None:
        return np.bincount(codes[codes >= 0], minlength=n)
    pairs = np.unique(np.stack([codes, units]), axis=1)[0]
    return np.bincount(pairs[pairs >= 0], minlength=n)


def _numeric(name: str, numbers: FloatArray, n_units: int) -> Parameter | str:
    inside = np.sort(numbers[np.isfinite(numbers)])
    if inside.size < FEWEST * 2:
        return f"{printable(name)} is set in {inside.size} runs, too few to show its effect."
    n_bins = int(np.clip(n_units * inside.size / numbers.size // PER_BIN, 2, MOST_BINS))
    raw = inside[(np.arange(1, n_bins) * inside.size) // n_bins]
    cuts = np.unique([_rounded(v, inside) for v in raw])
    cuts = cuts[(cuts > inside[0]) & (cuts <= inside[-1])]
    codes = np.where(np.isfinite(numbers), np.searchsorted(cuts, numbers, side="right"), -1).astype(np.intp)
    edges = [inside[0], *cuts, inside[-1]]
    labels = tuple(f"{a:.3g} to {b:.3g}" for a, b in pairwise(edges))
    if bool(np.all(inside == np.round(inside))):
        # Whole numbers from the first to the last: two bins never claim the same one.
        ends = [(math.ceil(a), math.ceil(b) - 1) for a, b in pairwise([*edges[:-1], inside[-1] + 1])]
        labels = tuple(f"{first} to {last}" if first < last else f"{first}" for first, last in ends)
    return Parameter(
        name=name, kind="numeric", codes=codes, labels=labels, cuts=tuple(cuts.tolist()),
        ends=(float(inside[0]), float(inside[-1])), log=_is_log(inside),
    )  # fmt: skip


def _rounded(value: float, inside: FloatArray) -> float:
    """With as few digits as move hardly any run to another bin."""
    place = np.searchsorted(inside, value)
    for digits in range(1, 6):
        short = float(f"{value:.{digits}g}")
        if abs(int(np.searchsorted(inside, short)) - int(place)) <= 0.02 * inside.size:
            return short
    return float(value)


def _is_log(inside: FloatArray) -> bool:
    """Whether the logarithms lie more evenly between their ends than the values do."""
    if inside[0] <= 0.0 or inside[-1] < 10.0 * inside[0]:
        return False
    ranks = (np.arange(inside.size) + 0.5) / inside.size

    def uneven(x: FloatArray) -> float:
        return float(np.abs((x - x[0]) / (x[-1] - x[0]) - ranks).max())

    return uneven(np.log(inside)) < uneven(inside)


def effect(
    parameter: Parameter, scores: FloatArray, units: IntArray | None, sign: float, confidence: float, n_judged: int,
    bounds: Bounds,
) -> ParameterEffect | str:  # fmt: skip
    """The effect of a parameter; a sentence where it cannot be judged. `n_judged` bins share the error of `bad`."""
    here = parameter.codes >= 0
    y, codes = scores[here], parameter.codes[here]
    of = None if units is None else units[here]
    if y.min() == y.max():
        return f"{printable(parameter.name)}: all runs in which it is set score {number(float(y[0]))}."
    better = sign * y
    bad = better < np.sort(better)[(y.size - 1) // 2]
    usual = float(bad.mean())
    level = 1.0 - (1.0 - confidence) / n_judged
    edges, numeric = (parameter.ends[0], *parameter.cuts, parameter.ends[1]), parameter.kind == "numeric"
    tail: Literal["lower", "upper"] = "lower" if sign > 0 else "upper"
    bins = []
    for b in range(parameter.n_bins):
        chosen = codes == b
        own, here_of = y[chosen], None if of is None else of[chosen]
        median = quantile_interval(own, 0.5, confidence=confidence, clusters=here_of)
        worst = tail_mean_interval(own, mass=WORST, tail=tail, confidence=confidence, clusters=here_of)
        bins.append(
            BinEffect(
                label=parameter.labels[b], low=edges[b] if numeric else math.nan, high=edges[b + 1] if numeric else math.nan,
                n=own.size, median=within(median, bounds), worst=within(worst, bounds), bad=_share_of(bad[chosen], here_of, level),
            )
        )  # fmt: skip
    guilty = [b for b, found in enumerate(bins) if found.bad.low > max(usual, 0.5) and found.bad.estimate >= GUILTY]
    return ParameterEffect(
        parameter=parameter.name, kind=parameter.kind, log=parameter.log, present=float(here.mean()),
        explained=explained_share(y, codes, clusters=of, confidence=confidence), bins=tuple(bins),
        made_bad=_blame(parameter, guilty, codes, bad), p_value=group_rank_test(y, codes, clusters=of),
    )  # fmt: skip


def together(effects: Sequence[ParameterEffect]) -> list[ParameterEffect]:
    """Effects whose p-values are corrected for their number (Holm 1979)."""
    known = sorted((e for e in effects if not math.isnan(e.p_value)), key=lambda e: e.p_value)
    adjusted, largest = {}, 0.0
    for place, e in enumerate(known):
        largest = max(largest, min(1.0, (len(known) - place) * e.p_value))
        adjusted[e.parameter] = largest
    return [replace(e, p_value=adjusted.get(e.parameter, math.nan)) for e in effects]


def _share_of(yes: np.ndarray, of: IntArray | None, confidence: float) -> Interval:
    """A share of runs, by Clopper and Pearson; units count as so many yes-or-no draws as there are of them."""
    if of is None:
        n, mean = yes.size, float(yes.mean())
    else:
        codes = np.unique(of, return_inverse=True)[1]
        sizes = np.bincount(codes)
        n, mean = sizes.size, float(np.mean(np.bincount(codes, weights=yes) / sizes))
    low, _ = clopper_pearson(math.floor(n * mean + 1e-9), n, confidence)
    _, high = clopper_pearson(math.ceil(n * mean - 1e-9), n, confidence)
    return Interval(
        estimate=mean, low=low, high=high, confidence=confidence, method="Clopper-Pearson", n=n,
        guarantee="conservative" if of is None else "approximate",
    )  # fmt: skip


def _blame(parameter: Parameter, guilty: list[int], codes: IntArray, bad: np.ndarray) -> WorseHalf | None:
    """Bins most of whose runs lie in the worse half; a number that is bad at both ends is blamed for both."""
    if not guilty:
        return None
    joined: list[list[int]] = []
    for b in guilty:
        if joined and joined[-1][-1] == b - 1:
            joined[-1].append(b)
        else:
            joined.append([b])
    blamed = np.isin(codes, guilty)
    return WorseHalf(
        parameter=parameter.name, labels=parameter.kept_labels(guilty), spans=tuple(parameter.limits(bins) for bins in joined),
        share=float(bad[blamed].mean()), covered=float(blamed[bad].mean()),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """A sub-range of one parameter: what it was chosen for, and what it gained on runs it was not chosen on.

    Attributes
    ----------
    values, labels : tuple of str
        The values that a categorical parameter keeps; the names of their bins, where rare values share one.
    low, high : float or None
        A numeric parameter is kept from `low` on (None: from where it begins) and below `high`.
    n_values : int or None
        How many values the whole parameter has, where it is categorical.
    before, after, gain
        The target over all held-out runs and over those that are kept; the difference, positive where the
        sub-range is better, at the confidence left after the `family` ranges that were chosen share the error.
    p_value : float
        How often chance alone makes the largest gain of any candidate range so large (`largest_gain_test`).
    n_kept : int
        Independent held-out runs within the range.
    unseen : float
        The rate of collapse that so many runs without one cannot rule out.
    unseen_cost : float or None
        What a collapse at this rate, down to the worst possible score, would take from the target; None
        where no such bound is declared.
    effect_shown : bool
        Whether the parameter explains a share of the variance that is certainly above 0.
    """

    parameter: str
    target: Target
    values: tuple[str, ...]
    labels: tuple[str, ...]
    low: float | None
    high: float | None
    n_values: int | None
    before: float
    after: float
    gain: Interval
    kept: float
    family: int
    p_value: float
    confidence: float
    n_kept: int
    unseen: float
    unseen_cost: float | None
    effect_shown: bool

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Why the range is not suggested; none where it is."""
        found: list[Doubt] = []
        if not self.effect_shown:
            found.append("effect")
        if self.p_value > 1.0 - self.confidence:
            found.append("chance")
        if not self.gain.low > 0.0:
            found.append("interval")
        if self.unseen_cost is not None and self.unseen_cost > self.gain.estimate:
            found.append("collapse")
        return tuple(found)

    @property
    def shown(self) -> bool:
        """Whether nothing speaks against suggesting the range."""
        return not self.doubts

    @property
    def n_needed(self) -> int | None:
        """Kept runs without a collapse that would leave the gain standing; None where no bound is declared."""
        if self.unseen_cost is None or not self.gain.estimate > 0.0:
            return None
        share = self.gain.estimate * self.unseen / self.unseen_cost if self.unseen_cost > 0.0 else 1.0
        return 1 if share >= 1.0 else math.ceil(math.log(UNSEEN) / math.log1p(-share) - 1e-9)

    @property
    def words(self) -> str:
        """`kernel = rbf or linear`, `C ≥ 0.1`."""
        return range_words(self.parameter, self.labels, self.low, self.high)

    @property
    def instead_of(self) -> str:
        """`all 4 values`, `the whole range of C`."""
        whole = f"the whole range of {printable(self.parameter)}"
        return whole if self.n_values is None else f"all {self.n_values} values"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "parameter": self.parameter, "target": self.target, "range": self.words, "values": list(self.values),
            "low": self.low, "high": self.high, "instead_of": self.instead_of, "before": self.before, "after": self.after,
            "gain": self.gain.to_dict(), "kept": self.kept, "shown": self.shown, "doubts": list(self.doubts),
            "family": self.family, "p_value": self.p_value, "n_kept": self.n_kept, "unseen": self.unseen,
            "unseen_cost": self.unseen_cost,
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """The candidates of one parameter for one target, as sets of bins, and which of them was chosen."""

    parameter: Parameter
    target: Target
    candidates: tuple[tuple[int, ...], ...]
    chosen: int | None

    @property
    def bins(self) -> tuple[int, ...]:
        assert self.chosen is not None
        return self.candidates[self.chosen]


def draw_keys(trials: Trials, rows: IntArray) -> IntArray:
    """A number for the configuration of each run, as good as random and the same in every table."""
    encoded = trials.table["params"].chunk(0).take(rows).dictionary_encode()
    hashes = [hashlib.sha256((text or "").encode()).digest()[:8] for text in (*encoded.dictionary.to_pylist(), "")]
    index = np.asarray(encoded.indices.fill_null(len(hashes) - 1).to_numpy(zero_copy_only=False), dtype=np.intp)
    return np.frombuffer(b"".join(hashes), dtype="<u8")[index].astype(np.int64)


def first_half(keys: IntArray, trial: IntArray, units: IntArray | None) -> NDArray[np.bool_]:
    """Runs to choose on: every other one in the order of `keys`, or every other unit where runs share one.

    The order of rows has no part in it, and a unit is never divided.
    """
    order = np.lexsort((trial, keys))
    if units is None:
        half = np.empty(keys.size, dtype=np.bool_)
        half[order] = np.arange(keys.size) % 2 == 0
        return half
    # Units in the order in which their first rows come.
    seen = units[order]
    first = np.sort(np.unique(seen, return_index=True)[1])
    chosen = np.zeros(int(units.max()) + 1, dtype=np.bool_)
    chosen[seen[first[::2]]] = True
    return np.asarray(chosen[units], dtype=np.bool_)


def find_ranges(
    parameters: list[Parameter], scores: FloatArray, chosen_on: NDArray[np.bool_], units: IntArray | None, sign: float,
    confidence: float, *, bounds: Bounds = (None, None), with_effect: Collection[str] | None = None,
) -> tuple[Range, ...]:  # fmt: skip
    """The sub-range of each parameter that the runs of `chosen_on` suggest, tested on the others.

    `with_effect` names the parameters whose effect is shown; all where it is None.
    """
    order = np.argsort(sign * scores, kind="stable")
    order = order[chosen_on[order]]
    held = ~chosen_on
    choices = [
        _choose(parameter, target, sign * scores[order], parameter.codes[order], units, order, held)
        for parameter in parameters for target in TARGETS
    ]  # fmt: skip
    if all(choice.chosen is None for choice in choices):
        return ()
    p_values = _test(parameters, choices, sign * scores, units, held)
    # What was chosen does not depend on the held-out scores, so only the chosen ranges share the error.
    family = sum(choice.chosen is not None for choice in choices)
    worst = bounds[0] if sign > 0 else bounds[1]
    return tuple(
        _judged(
            c, scores, units, held, sign, confidence, family, float(p[c.chosen]), worst,
            with_effect is None or c.parameter.name in with_effect,
        )
        for c, p in zip(choices, p_values, strict=True) if c.chosen is not None
    )  # fmt: skip


def _candidates(parameter: Parameter, values: list[float]) -> list[tuple[int, ...]]:
    """Neighboring bins of a numeric parameter; of a categorical one the best value, the two best, …"""
    n = parameter.n_bins
    if parameter.kind == "numeric":
        return [tuple(range(i, j)) for i in range(n) for j in range(i + 1, n + 1) if j - i < n]
    ranked = sorted(range(n), key=lambda b: -values[b])
    return [tuple(sorted(ranked[:m])) for m in range(1, n)]


def _choose(
    parameter: Parameter, target: Target, y: FloatArray, codes: IntArray, units: IntArray | None, rows: IntArray,
    held: NDArray[np.bool_],
) -> _Choice:  # fmt: skip
    """The widest sub-range nearly as good as the best; none where none is better than the whole.

    `y` is ordered from bad to good. A sub-range is as good as its statistic less two standard errors:
    the best of many narrow ones is mostly luck. Candidates have enough runs in both halves.
    """
    here = codes >= 0
    y, codes, rows = y[here], codes[here], rows[here]
    if not y.size:
        return _Choice(parameter, target, (), None)
    masks = [codes == b for b in range(parameter.n_bins)]
    alone = [_value(y[mask], target) if mask.any() else -math.inf for mask in masks]
    # Bins share no configuration, so counts add up; draws shared in another way count twice, which only lets more in.
    counts = np.array([_n_units(mask, units, rows) for mask in masks])
    there = np.array(
        [_n_units(held & (parameter.codes == b), units, np.arange(held.size)) for b in range(parameter.n_bins)]
    )
    least = FEWEST_KEPT[target]
    candidates = tuple(
        bins for bins in _candidates(parameter, alone)
        if counts[list(bins)].sum() >= least and there[list(bins)].sum() >= least
    )  # fmt: skip
    found = []
    for bins in candidates:
        kept = y[np.isin(codes, bins)]
        n = int(counts[list(bins)].sum())
        found.append(_value(kept, target) - CAUTION * _standard_error(kept, target, min(n, kept.size)))
    whole = _value(y, target)
    best = max(found, default=-math.inf)
    if best <= whole:
        return _Choice(parameter, target, candidates, None)
    floor = whole + GAIN_KEPT * (best - whole)
    good = [i for i, value in enumerate(found) if value >= floor]
    widest = max(good, key=lambda i: (int(counts[list(candidates[i])].sum()), found[i]))
    return _Choice(parameter, target, candidates, widest)


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


def _test(
    parameters: list[Parameter], choices: list[_Choice], better: FloatArray, units: IntArray | None, held: NDArray[np.bool_]
) -> list[FloatArray]:  # fmt: skip
    """For each choice the p-values of its candidates, all candidates of all parameters taken together.

    Parameters that are set in the same runs are permuted together. Where every parameter is constant
    within units, whole units are permuted; where each run drew its own, runs are: scores that share a
    draw stay what they are, and parameters drawn independently may change places.
    """
    together: dict[bytes, list[int]] = {}
    for j, parameter in enumerate(parameters):
        if not any(choices[len(TARGETS) * j + t].candidates for t in range(len(TARGETS))):
            continue  # set in too few of the held-out runs
        together.setdefault((held & (parameter.codes >= 0)).tobytes(), []).append(j)
    fields, places = [], []
    for members in together.values():
        here = held & (parameters[members[0]].codes >= 0)
        of = None if units is None else np.unique(units[here], return_inverse=True)[1].astype(np.intp)
        codes = [parameters[j].codes[here] for j in members]
        first = np.arange(int(here.sum())) if of is None else np.unique(of, return_index=True)[1]
        if of is not None and not all(np.array_equal(c[first][of], c) for c in codes):
            of, first = None, np.arange(int(here.sum()))
        parts = np.array(
            [first_order_parts(better[here], of, statistic="median" if t == "median" else "tail", mass=WORST) for t in TARGETS]
        )  # fmt: skip
        groupings = tuple(
            Grouping(c[first], tuple(_flags(choices[len(TARGETS) * j + t]) for t in range(len(TARGETS))))
            for j, c in zip(members, codes, strict=True)
        )
        fields.append(Permutable(parts, groupings))
        places.append(members)
    found = largest_gain_test(fields, rng=stream(0, "resample", None, "sources: ranges"))
    out: list[FloatArray] = [np.empty(0)] * len(choices)
    for members, by_grouping in zip(places, found, strict=True):
        for j, by_target in zip(members, by_grouping, strict=True):
            for t, p in enumerate(by_target):
                out[len(TARGETS) * j + t] = p
    return out


def _flags(choice: _Choice) -> NDArray[np.bool_]:
    """A row for each candidate: which bins it keeps."""
    flags = np.zeros((len(choice.candidates), choice.parameter.n_bins), dtype=np.bool_)
    for row, bins in zip(flags, choice.candidates, strict=True):
        row[list(bins)] = True
    return flags


def _judged(
    choice: _Choice, scores: FloatArray, units: IntArray | None, held: NDArray[np.bool_], sign: float, confidence: float,
    family: int, p_value: float, worst: float | None, effect_shown: bool,
) -> Range:  # fmt: skip
    p, bins = choice.parameter, choice.bins
    here = held & (p.codes >= 0)
    kept = np.isin(p.codes[here], bins)
    found = restriction_gain(
        scores[here], kept, statistic="median" if choice.target == "median" else "tail", mass=WORST,
        tail="lower" if sign > 0 else "upper", confidence=1.0 - (1.0 - confidence) / family,
        clusters=None if units is None else units[here],
    )  # fmt: skip
    gain = found.gain
    if choice.target == "median" and found.before.low == found.before.high and found.after.low == found.after.high:
        gain = replace(gain, low=min(gain.low, 0.0))  # equal scores on both sides: the spread is not known
    n_kept = _n_units(held & np.isin(p.codes, bins), units, np.arange(held.size))
    unseen = 1.0 - UNSEEN ** (1.0 / n_kept)
    low, high = p.limits(bins)
    return Range(
        parameter=p.name, target=choice.target, values=p.values(bins), labels=p.kept_labels(bins), low=low, high=high,
        n_values=len(p.values(range(p.n_bins))) if p.kind == "categorical" else None, before=found.before.estimate,
        after=found.after.estimate, gain=gain, kept=float(kept.mean()), family=family, p_value=p_value,
        confidence=confidence, n_kept=n_kept, unseen=unseen,
        unseen_cost=None if worst is None else _cost(unseen, choice.target, abs(found.after.estimate - worst)),
        effect_shown=effect_shown,
    )  # fmt: skip


def _cost(rate: float, target: Target, distance: float) -> float:
    """What runs at the worst bound, at this rate, take from the target.

    They make up ten times their rate of the worst tenth of runs. For the median the loss of the mean stands in, which
    is roughly right, and too large where runs lie close together around it.
    """
    return distance * (rate if target == "median" else min(1.0, rate / WORST))
