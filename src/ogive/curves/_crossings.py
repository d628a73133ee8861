"""Where one model is better than another, along the curve: ranges, never a point."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import as_confidence
from ogive.curves._bands import difference_band
from ogive.curves._statistics import finite, statistic_of, told
from ogive.errors import InputError
from ogive.results import Guarantee, strength_of
from ogive.trials import FloatArray
from ogive.words import listed, percent_sure, printable

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves


@dataclass(frozen=True, slots=True)
class Range:
    """Neighboring sizes of the grid, from `first` to `last`; `who` leads there, None where it cannot be told."""

    first: int
    last: int
    who: str | None

    @property
    def words(self) -> str:
        """`n = 5`, `n = 5 to 80`."""
        return f"n = {self.first}" if self.first == self.last else f"n = {self.first} to {self.last}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Crossings:
    """The difference of a statistic between two models at every size, and who is certainly ahead where.

    Attributes
    ----------
    estimate, low, high : array
        How much better `a` is at each size (positive: better), and a band that holds at all sizes at
        once; infinite where no repetition differs, NaN where a score is missing.
    ranges : tuple of Range
        The whole grid, cut where the answer changes.
    crossings : tuple of (int, int)
        Between the last size at which one is certainly ahead and the first at which the other is.

    Notes
    -----
    Approximate: repetitions are resampled jointly for both models and all sizes, and the band is as
    wide as the largest standardized deviation in 95 of 100 resamples (simulated coverage:
    docs/reference/curves.md). With fewer than ten repetitions beyond a quantile it is called
    heuristic, and with fewer than 2.5 (5 % of 50) nothing is certain. Between the sizes of the grid
    nothing was measured.
    """

    a: str
    b: str
    metric: str
    statistic: str
    label: str
    sizes: NDArray[np.int64]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    guarantee: Guarantee
    n: int
    scope: str

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The grid, cut where the answer changes."""
        sign = np.where(self.low > 0.0, 1, np.where(self.high < 0.0, -1, 0))
        who = {1: self.a, -1: self.b, 0: None}
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(sign)) + 1, [sign.size]])
        return tuple(
            Range(int(self.sizes[i]), int(self.sizes[j - 1]), who[int(sign[i])]) for i, j in itertools.pairwise(cuts)
        )

    @property
    def crossings(self) -> tuple[tuple[int, int], ...]:
        """Between which sizes the lead certainly changes."""
        sure = [r for r in self.ranges if r.who is not None]
        return tuple((x.last, y.first) for x, y in itertools.pairwise(sure) if x.who != y.who)

    @property
    def verdict(self) -> str:
        """A sentence to paste."""
        a, b = printable(self.a), printable(self.b)
        parts = [
            f"{printable(who)} is ahead at {listed([r.words for r in found])}"
            for who in (self.a, self.b)
            if (found := [r for r in self.ranges if r.who == who])
        ]
        said = "; ".join(parts) or f"at no size can it be told whether {a} or {b} is ahead"
        if self.crossings:
            said += f"; the lead changes {listed([f'between n = {x} and {y}' for x, y in self.crossings])}"
        undecided = [r.words for r in self.ranges if r.who is None]
        if parts and undecided:
            said += f"; undecided at {listed(undecided)}"
        return (
            f"By the {self.label} of {printable(self.metric)}, {said} ({percent_sure(self.confidence)} for all {self.sizes.size} sizes "
            f"together, {strength_of(self.guarantee)}; {self.n} paired repetitions), {self.scope}."
        )

    def __repr__(self) -> str:
        return f"Crossings({self.a!r}, {self.b!r}, {self.statistic} of {self.metric}, {len(self.crossings)} crossings)"

    def __str__(self) -> str:
        return self.verdict

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "a": self.a, "b": self.b, "metric": self.metric, "statistic": self.statistic, "confidence": self.confidence,
            "guarantee": self.guarantee, "n": self.n, "verdict": self.verdict, "crossings": [list(c) for c in self.crossings],
            "ranges": [{"first": r.first, "last": r.last, "who": r.who} for r in self.ranges],
            "rows": [
                {"size": int(s), "estimate": finite(e), "low": finite(lo), "high": finite(hi)}
                for s, e, lo, hi in zip(self.sizes, self.estimate, self.low, self.high, strict=True)
            ],
        }  # fmt: skip


def crossings(
    curves: LearningCurves, a: str, b: str, statistic: Any, metric: str | None, *, confidence: float, seed: int
) -> Crossings:
    """Where `a` is certainly better than `b`, and where worse."""
    name, chosen = curves.metric_name(metric), statistic_of(statistic)
    if a == b:
        raise InputError(f"two different models are compared; got {a!r} twice.")
    confidence = as_confidence(confidence)
    scores = np.stack([curves.scores(a, name), curves.scores(b, name)])
    band = difference_band(scores, [(0, 1)], chosen, curves.definitions[name].sign, confidence, seed)
    return Crossings(
        a=a, b=b, metric=name, statistic=chosen.name, label=told(chosen, curves.definitions[name]), sizes=curves.sizes, estimate=band.estimate[0],
        low=band.low[0], high=band.high[0], confidence=confidence, guarantee=band.guarantee, n=curves.n_repetitions,
        scope=curves.scope,
    )  # fmt: skip
