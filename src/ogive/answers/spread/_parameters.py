"""Hyper-parameters as columns, cut into values or bins, and how scores change along them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ogive.answers._statistic import within
from ogive.metric import Bounds
from ogive.statistics import Interval, clopper_pearson, explained_share, quantile_interval, tail_mean_interval
from ogive.trials import FloatArray, IntArray, Trials
from ogive.words import number, printable

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

    `present` is the share of runs in which it is set; everything is about those.
    """

    parameter: str
    kind: str
    log: bool
    present: float
    explained: Interval
    bins: tuple[BinEffect, ...]
    made_bad: WorseHalf | None

    @property
    def shown(self) -> bool:
        """Whether the share that it explains is certainly above 0."""
        return self.explained.low > 0.0


def range_words(parameter: str, labels: Sequence[str], low: float | None, high: float | None) -> str:
    """Part of a parameter, in words: `kernel = rbf or linear`, `C ≥ 0.1`."""
    name = printable(parameter)
    if labels:
        chosen = [printable(label) for label in labels]
        return f"{name} = {chosen[0] if len(chosen) == 1 else ', '.join(chosen[:-1]) + ' or ' + chosen[-1]}"
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
        labels = tuple(_whole_label(math.ceil(a), math.ceil(b) - 1) for a, b in pairwise([*edges[:-1], inside[-1] + 1]))
    return Parameter(
        name=name, kind="numeric", codes=codes, labels=labels, cuts=tuple(cuts.tolist()),
        ends=(float(inside[0]), float(inside[-1])), log=_is_log(inside),
    )  # fmt: skip


def _whole_label(first: int, last: int) -> str:
    """Whole numbers from `first` to `last`: two bins never claim the same one."""
    return f"{first} to {last}" if first < last else f"{first}"


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
    bins = []
    for b in range(parameter.n_bins):
        chosen = codes == b
        bins.append(
            _bin(
                parameter,
                b,
                y[chosen],
                None if of is None else of[chosen],
                bad[chosen],
                sign,
                confidence,
                level,
                bounds,
            )
        )
    guilty = [b for b, found in enumerate(bins) if found.bad.low > max(usual, 0.5) and found.bad.estimate >= GUILTY]
    return ParameterEffect(
        parameter=parameter.name, kind=parameter.kind, log=parameter.log, present=float(here.mean()),
        explained=explained_share(y, codes, clusters=of, confidence=confidence), bins=tuple(bins),
        made_bad=_blame(parameter, guilty, codes, bad),
    )  # fmt: skip


def _bin(
    parameter: Parameter, b: int, y: FloatArray, of: IntArray | None, bad: np.ndarray, sign: float, confidence: float,
    level: float, bounds: Bounds,
) -> BinEffect:  # fmt: skip
    edges = (parameter.ends[0], *parameter.cuts, parameter.ends[1])
    numeric = parameter.kind == "numeric"
    tail: Literal["lower", "upper"] = "lower" if sign > 0 else "upper"
    return BinEffect(
        label=parameter.labels[b], low=edges[b] if numeric else math.nan, high=edges[b + 1] if numeric else math.nan,
        n=y.size, median=within(quantile_interval(y, 0.5, confidence=confidence, clusters=of), bounds),
        worst=within(tail_mean_interval(y, mass=WORST, tail=tail, confidence=confidence, clusters=of), bounds),
        bad=_share_of(bad, of, level),
    )  # fmt: skip


def _share_of(yes: np.ndarray, of: IntArray | None, confidence: float) -> Interval:
    """A share of runs, by Clopper and Pearson; units count as so many yes-or-no draws as there are of them."""
    if of is None:
        n, mean = yes.size, float(yes.mean())
    else:
        sizes = np.bincount(np.unique(of, return_inverse=True)[1])
        n = sizes.size
        mean = float(np.mean(np.bincount(np.unique(of, return_inverse=True)[1], weights=yes) / sizes))
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
