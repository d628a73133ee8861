"""Sub-ranges that would raise the median or the worst 10 %: chosen on one half of the runs, tested on the other."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ogive.answers.spread._parameters import WORST, Parameter, range_words
from ogive.metric import Bounds
from ogive.seeding import stream
from ogive.statistics import Grouping, Interval, Permutable, first_order_parts, largest_gain_test, restriction_gain
from ogive.trials import FloatArray, IntArray, Trials
from ogive.words import printable

Target = Literal["median", "worst_0.1"]
Doubt = Literal["chance", "interval", "effect", "collapse"]
TARGETS: tuple[Target, ...] = ("median", "worst_0.1")
# Independent runs that must be left in a half for a statistic to mean something there.
FEWEST_KEPT = {"median": 20, "worst_0.1": 50}
CAUTION = 2.0  # standard errors
# A wider range is preferred while it keeps this share of the best one's gain: the best of many is partly luck.
GAIN_KEPT = 0.8
UNSEEN = 0.05  # the probability with which runs may miss a collapse of the rate that they cannot rule out


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
