"""Profile: how often each method is within τ of the best, with bands, and what can be read off it."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray
from ogive.errors import InputError
from ogive.notes import Names, Note, capitalized, sentences
from ogive.profiles._cells import place_of
from ogive.profiles._curves import (
    DRAWN,
    ROUNDING,
    Ahead,
    Curve,
    PairOfCurves,
    compare_curves,
    crossing_ranges,
    short,
    who_is_ahead,
)
from ogive.results import Guarantee, Strength, json_ready, strength_of
from ogive.statistics import Interval
from ogive.tables import Ranged, Table, Tabular
from ogive.words import listed, percent_sure, plural, printable, runs_each, share

if TYPE_CHECKING:
    import pandas as pd

STARTS = {"ratio": 1.0}
MOST_NAMED = 3  # changes of order in a sentence
# What stands in the column of `at`, in words, by kind; with how a distance and how a score meets τ.
MEANING = {
    "ratio": "share of problems on which a method needs {within} τ times as much as the best",
    "difference": "share of problems on which a method is {within} τ from the best score",
    "improvement": "share of problems on which the best method beats this one with probability of {within} 1/2 + τ",
    "welch": "share of problems on which a Welch test against the best has -log10 p of {within} τ",
    "rank": "share of problems on which a rank test against the best has -log10 p of {within} τ",
    "score": "share of runs {beyond} τ, every task weighing the same",
}
LARGE_RATIO = "share of problems on which the best method has {within} τ times as much as this one"


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """One curve for drawing: from `tau[i]` on, up to the next, the share is `estimate[i]`."""

    tau: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Profile(Tabular):
    """How often each method is within τ of the best, for all τ at once.

    Attributes
    ----------
    methods : tuple of str
        In the order of every array.
    problems : tuple of str
        What is counted (for `score`, the tasks).
    wins : array
        Share of problems on which a method is the best one; ties count for all of them. With split samples,
        on which it is at least as good as the method that the other half of the runs chose.
    solved : array
        Share of problems (for `score`, of runs) on which a method did not fail.
    distances : array or None
        Methods × problems; None for `score`.
    random : str
        What the band takes as drawn at random: "problems", "runs", or "tasks and runs".
    n : tuple of int
        Draws behind each method's curve.
    runs : tuple of (int, int)
        Fewest and most runs that an estimated distance of a cell stands on; (1, 1) where nothing is estimated.
    strict : bool
        Whether a distance must be below τ (a score above it), or may also equal it.
    notes : tuple of Note
        What was decided on the way, and what the reader must know.
    reading : tuple of Note
        How the columns of the table were understood.
    """

    kind: str
    methods: tuple[str, ...]
    problems: tuple[str, ...]
    curves: tuple[Curve, ...]
    wins: FloatArray
    solved: FloatArray
    distances: FloatArray | None
    goal: str
    strict: bool
    confidence: float
    band: str
    guarantee: Guarantee
    random: str
    n: tuple[int, ...]
    runs: tuple[int, int] = (1, 1)
    notes: tuple[Note, ...] = ()
    reading: tuple[Note, ...] = ()
    source: str = ""
    again: Callable[[Sequence[str], float], Profile] = field(kw_only=True)

    def __repr__(self) -> str:
        return f"Profile({self.kind}, {len(self.methods)} methods, {len(self.problems)} problems, {self.band} band)"

    def __str__(self) -> str:
        return self.text()

    def text(self, names: Names = "python") -> str:
        """A table and what must be said about it, with arguments as Python or the command line names them."""
        return self._table(names).to_text()

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each method, the largest area first."""
        return (self._table("python"),)

    def _table(self, names: Names) -> Table:
        areas = self.area()
        last = f"mean height{' over log τ' if self.kind == 'ratio' else ''} up to τ = {short(self.end)}"
        shown = areas
        if self.kind == "score":  # an area depends on the largest score of all; the middle run does not
            last, shown = "the better half of runs reaches", self.reach(0.5)
        order = sorted(range(len(self.methods)), key=lambda i: -areas[self.methods[i]].estimate)
        rows = tuple(
            (m, share(float(self.wins[i])), share(float(self.solved[i])), Ranged(shown[m].estimate, shown[m].low, shown[m].high))
            for i in order for m in (self.methods[i],)
        )  # fmt: skip
        return Table(head=("method", "best on", "solved", last), rows=rows, below=self.statements(names))

    def statements(self, names: Names = "python") -> tuple[str, ...]:
        """What is shown, what is random, and the notes, a line each."""
        lines = [f"{self.meaning[:1].upper()}{self.meaning[1:]}."]
        if self.band != "none":
            sure = self.strength
            lines.append(
                f"Bands hold for all τ and {self.together} with {percent_sure(self.confidence)} confidence "
                f"({self.band} band, {sure}); random: {self.random}."
            )
        return (*lines, *(capitalized(note, names) for note in self.notes))

    @property
    def meaning(self) -> str:
        """What is counted, in words."""
        words = LARGE_RATIO if self.kind == "ratio" and self.goal == "maximize" else MEANING[self.kind]
        within, beyond = ("less than", "better than") if self.strict else ("at most", "as good as or better than")
        return f"{words.format(within=within, beyond=beyond)}{self.estimated}"

    @property
    def estimated(self) -> str:
        """`, as estimated from 5 runs each`, where the distances stand for what more runs would show; else empty."""
        known = self.runs == (1, 1) and self.kind != "improvement"
        return "" if known else f", as estimated from {runs_each(*self.runs)}"

    @property
    def start(self) -> float:
        """The smallest τ: 1 for ratios, the least score for `score`, else 0; less where split samples go below."""
        least = [float(c.points[0]) for c in self.curves if c.points.size]
        if self.kind == "score":
            return min(least, default=0.0)
        return min([STARTS.get(self.kind, 0.0), *least])

    @property
    def end(self) -> float:
        """The largest finite distance or score."""
        return max((float(c.points[-1]) for c in self.curves if c.points.size), default=self.start)

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    @property
    def rising(self) -> bool:
        """Whether the share grows with τ."""
        return self.kind != "score" or self.goal == "minimize"

    def at(self, tau: ArrayLike) -> FloatArray:
        """The share of each method at τ: an entry for each method, and a column for each τ where there are several."""
        return self._read("estimate", tau)

    def low(self, tau: ArrayLike) -> FloatArray:
        """The lower side of the band at τ."""
        return self._read("low", tau)

    def high(self, tau: ArrayLike) -> FloatArray:
        """The upper side of the band at τ."""
        return self._read("high", tau)

    def _read(self, side: str, tau: ArrayLike) -> FloatArray:
        asked = np.asarray(tau, dtype=np.float64)
        if np.isnan(asked).any():
            raise InputError("`tau` must be numbers; got NaN.")
        return np.stack([getattr(c, side)[c.passed(asked)] for c in self.curves])

    def steps(self, method: str) -> Steps:
        """The corners of one method's curve, from the smallest τ on."""
        curve = self.curves[place_of(method, self.methods)]
        inner = curve.points[curve.points > self.start]
        tau = np.append(self.start, inner)
        passed = np.searchsorted(curve.points, tau, side="right")
        return Steps(tau, curve.estimate[passed], curve.low[passed], curve.high[passed])

    def area(self, tau_max: float | None = None) -> dict[str, Interval]:
        """The mean height of each curve from the smallest τ up to `tau_max` (for ratios on the log axis)."""
        last = self.end if tau_max is None else float(tau_max)
        if tau_max is not None and not self.start < last < math.inf:
            raise InputError(f"`tau_max` must be a finite number above {self.start:g}; got {tau_max}.")
        return {m: self._interval(m, *(self._mean_height(m, side, last) for side in ("estimate", "low", "high"))) for m in self.methods}  # fmt: skip

    def _mean_height(self, method: str, side: str, last: float) -> float:
        found = self.steps(method)
        heights = getattr(found, side)
        if last <= self.start:
            return float(heights[0])
        kept = found.tau < last
        edges = np.append(found.tau[kept], last)
        widths = np.diff(np.log2(edges) if self.kind == "ratio" else edges)
        return float(np.dot(heights[: widths.size], widths) / widths.sum())

    def reach(self, share: float) -> dict[str, Interval]:
        """The τ at which each method's share reaches `share` (for large scores: up to which it holds)."""
        if not 0.0 < share <= 1.0:
            raise InputError(f"`share` must lie in (0, 1]; got {share}.")
        out = {}
        for m, curve in zip(self.methods, self.curves, strict=True):
            found = {side: self._reached(curve, getattr(curve, side), share) for side in ("estimate", "low", "high")}
            ends = (found["high"], found["low"]) if self.rising else (found["low"], found["high"])
            out[m] = self._interval(m, found["estimate"], *ends)
        return out

    def _reached(self, curve: Curve, heights: FloatArray, share: float) -> float:
        if np.isnan(heights).any():
            return math.nan
        reached = np.flatnonzero(heights >= share - ROUNDING)
        if self.rising:
            if not reached.size:
                return math.inf
            if reached[0]:
                return float(curve.points[reached[0] - 1])
            return -math.inf if self.kind == "score" else self.start
        if not reached.size:
            return -math.inf
        return float(curve.points[reached[-1]]) if reached[-1] < curve.points.size else math.inf

    def _interval(self, method: str, estimate: float, low: float, high: float) -> Interval:
        sure: Guarantee = "conservative" if self.guarantee == "exact" else self.guarantee
        return Interval(
            estimate=estimate, low=low, high=high, confidence=self.confidence, method=f"{self.band} band", guarantee=sure,
            n=self.n[place_of(method, self.methods)], assumptions=(DRAWN[self.random],),
        )  # fmt: skip

    def ahead(self, a: str, b: str) -> tuple[Ahead, ...]:
        """Ranges (from τ, to τ, who) in which one drawn curve lies above the other; where they are level, none."""
        first, second = (self.curves[place_of(name, self.methods)] for name in (a, b))
        return who_is_ahead(first, second, (a, b), self.start)

    def crossings(self, a: str, b: str) -> tuple[tuple[float, float], ...]:
        """Ranges of τ in which the two drawn curves change places; a crossing at one τ has equal ends."""
        return crossing_ranges(self.ahead(a, b))

    def compare(self, a: str, b: str) -> PairOfCurves:
        """Two methods with nobody else in the field, at the error divided by the number of pairs."""
        if a == b:
            raise InputError(f"two different methods are needed; got {a!r} twice.")
        n_pairs = len(self.methods) * (len(self.methods) - 1) // 2
        level = 1.0 - (1.0 - self.confidence) / n_pairs
        return compare_curves(self.again((a, b), level), self, (a, b), n_pairs)

    def verdict(self, a: str, b: str) -> str:
        """Who is ahead, where, and how sure that is, in sentences; crossing curves are never taken for equality."""
        return self.compare(a, b).verdict

    def pairwise(self, a: str, b: str) -> Profile:
        """The profile of two methods alone: the only one whose order no third method can change."""
        return self.again((a, b), self.confidence)

    @property
    def together(self) -> str:
        """For whom bands hold at once: `both methods together`, `all 7 methods together`."""
        n = len(self.methods)
        return "both methods together" if n == 2 else f"all {n} methods together"

    def leave_one_out(self, tau: float | None = None) -> Sensitivity:
        """Whether the order of the others, by wins or at τ, depends on a method that is present (Gould and Scott 2016)."""
        return sensitivity(self, tau)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each method: wins, solved and area, the latter with its interval."""
        areas, first = self.area(), self.start if self.rising and self.kind != "score" else None
        return [
            json_ready({
                "algorithm": m, "wins": float(self.wins[i]), "solved": float(self.solved[i]),
                "wins_low": math.nan if first is None else float(self.curves[i].low[self._first_passed(i)]),
                "wins_high": math.nan if first is None else float(self.curves[i].high[self._first_passed(i)]),
                "area": areas[m].estimate, "area_low": areas[m].low, "area_high": areas[m].high, "n": self.n[i],
            }) for i, m in enumerate(self.methods)
        ]  # fmt: skip

    def _first_passed(self, i: int) -> int:
        return int(np.searchsorted(self.curves[i].points, STARTS.get(self.kind, 0.0), side="right"))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`: a row for each method, and the steps of every curve."""
        curves = {}
        for m in self.methods:
            s = self.steps(m)
            sides = {name: [None if math.isnan(v) else v for v in getattr(s, name).tolist()] for name in ("estimate", "low", "high")}  # fmt: skip
            curves[m] = {"tau": s.tau.tolist(), **sides}
        return {
            "schema": 1, "source": self.source, "kind": self.kind, "unit": self.random, "n_problems": len(self.problems),
            "goal": self.goal, "strict": self.strict, "confidence": self.confidence, "band": self.band, "guarantee": self.guarantee,
            "random": self.random, "tau_max": self.end, "notes": sentences((*self.reading, *self.notes)), "rows": self.rows(), "curves": curves,
        }  # fmt: skip

    def to_pandas(self) -> pd.DataFrame:
        """The steps of every curve: algorithm, tau, share, low, high."""
        import pandas as pd

        parts = []
        for m in self.methods:
            s = self.steps(m)
            parts.append(
                pd.DataFrame({"algorithm": m, "tau": s.tau, "share": s.estimate, "low": s.low, "high": s.high})
            )
        return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sensitivity:
    """The order of the methods, with everybody and with each method left out.

    Attributes
    ----------
    tau : float or None
        Where the shares are read; None for the share of problems on which a method is best.
    order : tuple of str
        Methods by that share, largest first.
    without : dict
        Method left out -> the order of the others.
    changed : tuple of (str, str, str)
        (left out, a, b): with everybody a has the larger share, without the first b has.
    """

    tau: float | None
    order: tuple[str, ...]
    without: dict[str, tuple[str, ...]]
    changed: tuple[tuple[str, str, str], ...]

    def __repr__(self) -> str:
        return f"Sensitivity({len(self.order)} methods, {len(self.changed)} changes of order)"

    def __str__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    @property
    def verdict(self) -> str:
        """A sentence."""
        where = "by how often each is best" if self.tau is None else f"at τ = {self.tau:g}"
        if not self.changed:
            return f"No method changes the order of the others {where}: {listed([printable(m) for m in self.order])}."
        named = [
            f"without {printable(out)}, {printable(b)} stands before {printable(a)}"
            for out, a, b in self.changed[:MOST_NAMED]
        ]
        more = f" ({plural(len(self.changed) - MOST_NAMED, 'change')} more)" if len(self.changed) > MOST_NAMED else ""
        return (
            f"The order {where} depends on who else is present: {'; '.join(named)}{more}. A profile ranks only the best method "
            "reliably (Gould and Scott 2016); look at the pairs."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "tau": self.tau, "order": list(self.order), "without": {m: list(o) for m, o in self.without.items()},
            "changed": [list(c) for c in self.changed], "verdict": self.verdict,
        }  # fmt: skip

    def to_pandas(self) -> pd.DataFrame:
        """One row for each method left out: the order of the others."""
        import pandas as pd

        rows = [{"without": m, "order": " > ".join(o)} for m, o in self.without.items()]
        return pd.DataFrame(rows, columns=["without", "order"])


def sensitivity(profile: Profile, tau: float | None) -> Sensitivity:
    """Profiles with each method left out, their orders, and which pairs turn round."""
    if len(profile.methods) < 3:
        raise InputError("leaving one method out needs at least three methods.")

    def shares(some: Profile) -> dict[str, float]:
        found = some.wins if tau is None else some.at(float(tau))
        pairs = zip(some.methods, found.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda pair: -pair[1]))  # ties stay in the order of the table

    whole = shares(profile)
    without, changed = {}, []
    for out in profile.methods:
        kept = [m for m in profile.methods if m != out]
        left = shares(profile.again(kept, profile.confidence))
        without[out] = tuple(left)
        changed += [(out, a, b) for a in kept for b in kept if whole[a] > whole[b] and left[a] < left[b]]
    return Sensitivity(tau=tau, order=tuple(whole), without=without, changed=tuple(changed))
