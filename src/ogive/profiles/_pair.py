"""Two curves: where which one is ahead, what of that is certain, and the sentences about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ogive.arguments import FloatArray
from ogive.profiles._curve import DRAWN, Curve, corridor
from ogive.results import Guarantee
from ogive.statistics import Interval
from ogive.words import interval, listed, number, percent_sure, plural, printable

if TYPE_CHECKING:
    from ogive.profiles._profile import Profile

Ahead: TypeAlias = tuple[float, float, str]
Conclusion: TypeAlias = Literal["ahead", "behind", "cross", "cannot tell"]

# A difference of two shares that would matter to most readers; for "how many more would do".
WORTH_SEEING = 0.1
FEWEST_TO_PLAN = 20  # below, the interval is cut at ±1 and says nothing of what more would do
MOST_RANGES = 3
# What the interval of a pair is about.
WON, LARGEST = "the shares of problems won differ by", "where they differ most the two shares differ by"
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOfCurves:
    """Method `a` against method `b`, with nobody else in the field.

    Attributes
    ----------
    conclusion : {"ahead", "behind", "cross", "cannot tell"}
        Of `a`: certainly ahead at some τ and behind at none, the mirror image, each certainly ahead
        somewhere, or nothing certain.
    certain, ahead : tuple of (from τ, to τ, who)
        Where one curve is above the other with confidence, and where it is drawn above.
    crossings : tuple of (from τ, to τ)
        Where the drawn curves change places.
    wins, ties, losses : int
        Problems on which `a` is better, equal (also: both failed) and worse.
    difference : Interval
        Share of `a` minus share of `b` at the smallest τ (for scores and split samples: where it is largest).
    """

    a: str
    b: str
    conclusion: Conclusion
    certain: tuple[Ahead, ...]
    ahead: tuple[Ahead, ...]
    crossings: tuple[tuple[float, float], ...]
    wins: int
    ties: int
    losses: int
    difference: Interval
    family_size: int
    verdict: str

    def __str__(self) -> str:
        return self.verdict

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; the open end of a range is null."""
        ranges = {
            name: [[low, high if math.isfinite(high) else None, who] for low, high, who in getattr(self, name)]
            for name in ("certain", "ahead")
        }
        plain = {
            name: getattr(self, name)
            for name in ("a", "b", "conclusion", "wins", "ties", "losses", "family_size", "verdict")
        }
        crossings = [list(pair) for pair in self.crossings]
        return {**plain, **ranges, "crossings": crossings, "difference": self.difference.to_dict()}


def who_is_ahead(first: Curve, second: Curve, names: tuple[str, str], start: float) -> tuple[Ahead, ...]:
    """Ranges of τ in which one of two curves lies above the other."""
    edges = _edges(first, second, start)
    gap = _heights(first, "estimate", edges) - _heights(second, "estimate", edges)
    return ranges(edges, np.sign(np.where(np.abs(gap) < _ROUNDING, 0.0, gap)), names)


def _edges(first: Curve, second: Curve, start: float) -> FloatArray:
    points = np.union1d(first.points, second.points)
    return np.append(start, points[points > start])


def _heights(curve: Curve, side: str, edges: FloatArray) -> FloatArray:
    """The height between each edge and the next."""
    found: FloatArray = getattr(curve, side)[np.searchsorted(curve.points, edges, side="right")]
    return found


def ranges(edges: FloatArray, signs: FloatArray, names: tuple[str, str]) -> tuple[Ahead, ...]:
    """Pieces of equal sign joined: 1 for the first name, -1 for the second, 0 for neither; the last is open."""
    out: list[Ahead] = []
    ends = np.append(edges[1:], math.inf)
    for low, high, sign in zip(edges.tolist(), ends.tolist(), signs.tolist(), strict=True):
        if sign == 0:
            continue
        who = names[0] if sign > 0 else names[1]
        if out and out[-1][2] == who and out[-1][1] == low:
            out[-1] = (out[-1][0], high, who)
        else:
            out.append((low, high, who))
    return tuple(out)


def crossing_ranges(ahead: Sequence[Ahead]) -> tuple[tuple[float, float], ...]:
    """From where one curve stops being above to where the other begins."""
    return tuple((one[1], two[0]) for one, two in pairwise(ahead) if one[2] != two[2])


@dataclass(frozen=True, slots=True, eq=False)
class _Gap:
    """The difference of two shares from each edge to the next, with limits for all of them at once."""

    edges: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    method: str


def _gap_of_distances(pair: Profile, level: float) -> _Gap:
    """From the signed distance alone: a problem where a is best and b lies r beyond counts r, the mirror -r.

    Where a share is counted up to x beyond the best, the difference of the two shares is
    P(r > x) - P(r < -x), so one band on the distribution of r holds it for every x.
    """
    assert pair.distances is not None
    one, two = pair.distances
    with np.errstate(invalid="ignore"):
        signed = np.sort(np.where(np.isinf(one) & np.isinf(two), 0.0, two - one))
    x = np.unique(np.append(0.0, np.abs(signed[np.isfinite(signed)])))
    k = np.searchsorted(signed, x, side="right"), np.searchsorted(signed, -x, side="left")
    held = corridor(signed.size, level, pair.band)
    n = signed.size
    return _Gap(
        pair.start + x, 1.0 - (k[0] + k[1]) / n, 1.0 - held.high[k[0]] - held.high[k[1]], 1.0 - held.low[k[0]] - held.low[k[1]],
        f"{held.method} band of the signed distance",
    )  # fmt: skip


def _gap_of_curves(pair: Profile) -> _Gap:
    """From two bands, each at half of the error."""
    first, second = pair.curves
    edges = _edges(first, second, pair.start)
    sides = {s: (_heights(first, s, edges), _heights(second, s, edges)) for s in ("estimate", "low", "high")}
    return _Gap(
        edges, sides["estimate"][0] - sides["estimate"][1], sides["low"][0] - sides["high"][1],
        sides["high"][0] - sides["low"][1], f"{pair.band} bands of both",
    )  # fmt: skip


def compare_curves(pair: Profile, whole: Profile, names: tuple[str, str], n_pairs: int) -> PairOfCurves:
    """The judgment of two curves; `pair` is the profile of the two alone, at the level of one of `n_pairs`."""
    a, b = names
    best = 1.0 if pair.kind == "ratio" else 0.0
    # Split samples may put nobody at the best, or somebody beyond; then, and for scores, both bands are needed.
    plain = pair.distances is not None and bool(np.isin(pair.distances.min(axis=0), (best, np.inf)).all())
    gap = _gap_of_distances(pair, pair.confidence) if plain and pair.band != "none" else _gap_of_curves(pair)
    signs = np.where(gap.low > _ROUNDING, 1.0, np.where(gap.high < -_ROUNDING, -1.0, 0.0))
    certain = ranges(gap.edges, signs, names)
    who = {entry[2] for entry in certain}
    conclusion: Conclusion = (
        "cross" if len(who) == 2 else "ahead" if who == {a} else "behind" if who == {b} else "cannot tell"
    )
    first, second = pair.curves
    ahead = who_is_ahead(first, second, names, pair.start)
    place = 0 if plain else int(np.argmax(np.abs(gap.estimate)))
    sure: Guarantee = "conservative" if pair.guarantee == "exact" else pair.guarantee
    difference = Interval(
        estimate=float(gap.estimate[place]), low=max(float(gap.low[place]), -1.0), high=min(float(gap.high[place]), 1.0),
        confidence=pair.confidence, method=gap.method, guarantee=sure, n=min(pair.n), assumptions=(DRAWN[pair.random],),
    )  # fmt: skip
    found = PairOfCurves(
        a=a, b=b, conclusion=conclusion, certain=certain, ahead=ahead, crossings=crossing_ranges(ahead), difference=difference,
        family_size=n_pairs, verdict="", **_counts(pair),
    )  # fmt: skip
    return replace(found, verdict=_sentences(found, pair, whole, what=WON if plain else LARGEST))


def _counts(pair: Profile) -> dict[str, int]:
    n = len(pair.problems)
    better = [round(float(share) * n) for share in pair.wins]
    ties = better[0] + better[1] - n if pair.distances is None else 0
    if pair.distances is not None:
        one, two = pair.distances
        better = [int(np.count_nonzero(one < two)), int(np.count_nonzero(two < one))]
        ties = n - sum(better)
        return {"wins": better[0], "ties": ties, "losses": better[1]}
    return {"wins": better[0] - ties, "ties": ties, "losses": better[1] - ties}


def _sentences(found: PairOfCurves, pair: Profile, whole: Profile, what: str) -> str:
    a, b = printable(found.a), printable(found.b)
    if pair.band == "none":
        return f"{_drawn(found, pair)} {_won(found, pair)} No verdict: without a band nothing says how sure this is."
    many = found.family_size > 1
    family = f"adjusted so that {found.family_size} pairs hold together at {percent_sure(whole.confidence)}" if many else "one pair"  # fmt: skip
    alone = ", only these two in the field" if len(whole.methods) > 2 and pair.kind != "score" else ""
    sure = pair.strength
    design = (
        f"({percent_sure(pair.confidence)} confidence for all τ at once, {sure}; {_population(pair)}{alone}; {family})"
    )
    where = {who: _where([entry for entry in found.certain if entry[2] == who], pair.kind) for who in (found.a, found.b)}  # fmt: skip
    claims = {
        "ahead": f"{a} is ahead of {b} {where[found.a]}",
        "behind": f"{a} is behind {b} {where[found.b]}",
        "cross": f"Neither is ahead throughout: {a} is ahead {where[found.a]}, {b} {where[found.b]}",
        "cannot tell": f"Whether {a} or {b} is ahead cannot be told at any τ",
    }
    text = f"{claims[found.conclusion]} {design}. {_drawn(found, pair)} {_won(found, pair)}"
    if found.conclusion == "cannot tell":
        text += f" {_what_would_do(found, pair, what)}"
    elif found.conclusion != "cross":
        text += " Elsewhere the order cannot be told." if not _everywhere(found, pair) else ""
    return text


def _population(pair: Profile) -> str:
    n = len(pair.problems)
    if pair.random == "problems":
        return f"{plural(n, 'problem')}, taken as a random sample of problems like them{pair.estimated}"
    tasks = "these tasks held fixed" if pair.random == "runs" else "tasks taken as a random sample"
    counts = sorted(set(pair.n))
    if pair.random != "runs":
        return f"{plural(n, 'task')}, {tasks}"
    return (
        f"{' and '.join(str(c) for c in pair.n) if len(counts) > 1 else counts[0]} runs on {plural(n, 'task')}, {tasks}"
    )


def _tau(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _where(entries: Sequence[Ahead], kind: str) -> str:
    """`for τ from 1 to 3.2 and above 40`."""
    if not entries:
        return ""
    what = f"for {'scores ' if kind == 'score' else ''}τ"
    if len(entries) > MOST_RANGES:
        last = entries[-1][1]
        end = (
            f"between {_tau(entries[0][0])} and {_tau(last)}"
            if math.isfinite(last)
            else f"from {_tau(entries[0][0])} on"
        )
        return f"in {len(entries)} ranges of τ {end}"
    words = [
        f"from {_tau(low)} on" if math.isinf(high) else f"from {_tau(low)} to {_tau(high)}" for low, high, _ in entries
    ]
    return f"{what} {listed(words)}"


def _drawn(found: PairOfCurves, pair: Profile) -> str:
    """What the eye sees, so that nobody takes it for more."""
    if not found.ahead:
        return "The drawn curves coincide."
    leaders = {entry[2] for entry in found.ahead}
    if len(leaders) == 1:
        return f"The curve of {printable(leaders.pop())} is drawn above or level everywhere."
    n = len(found.crossings)
    return f"The drawn curves cross {'once' if n == 1 else 'twice' if n == 2 else f'{n} times'}."


def _won(found: PairOfCurves, pair: Profile) -> str:
    n = len(pair.problems)
    equal = f", neither on {found.ties}" if found.ties else ""
    what = "has the better mean" if pair.kind == "score" else "is the better one"
    return f"{printable(found.a)} {what} on {found.wins} of {n}, {printable(found.b)} on {found.losses}{equal}."


def _everywhere(found: PairOfCurves, pair: Profile) -> bool:
    return len(found.certain) == 1 and found.certain[0][0] == pair.start and found.certain[0][1] >= pair.end


def _what_would_do(found: PairOfCurves, pair: Profile, what: str) -> str:
    d = found.difference
    half = (d.high - d.low) / 2.0
    unit = "problem" if pair.random == "problems" else "run" if pair.random == "runs" else "task"
    count = plural(d.n, unit)
    largest = math.ceil(100.0 * max(abs(d.low), abs(d.high)) - 1e-9) / 100.0
    text = (
        f"That is no sign of equality: {what} {interval(d.estimate, d.low, d.high, (0.0,), at_least=2)}, so that with {count} "
        f"differences of up to {number(largest, 2)} stay open"
    )
    if half > WORTH_SEEING and d.n >= FEWEST_TO_PLAN:
        needed = math.ceil(d.n * (half / WORTH_SEEING) ** 2 / 10) * 10
        return f"{text}; about {plural(needed, unit)} would show one of {WORTH_SEEING:g}."
    return f"{text}."
