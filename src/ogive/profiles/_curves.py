"""Step curves with bands; and two of them: where which one is ahead, what of that is certain, and the sentences about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray
from ogive.errors import InputError
from ogive.results import Guarantee
from ogive.statistics import Assumption, Interval, band_margin, largest_deviation
from ogive.statistics import band as band_of
from ogive.words import interval, listed, number, percent_sure, plural, printable

if TYPE_CHECKING:
    from ogive.profiles._profile import Profile

Side: TypeAlias = Literal["left", "right"]
Ahead: TypeAlias = tuple[float, float, str]
Conclusion: TypeAlias = Literal["ahead", "behind", "cross", "cannot tell"]

BANDS = ("exact", "ks", "dkw", "none")
FEWEST_UNEQUAL = 5
# A difference of two shares that would matter to most readers; for "how many more would do".
WORTH_SEEING = 0.1
FEWEST_TO_PLAN = 20  # below, the interval is cut at ±1 and says nothing of what more would do
MOST_RANGES = 3
# What the interval of a pair is about.
WON, LARGEST = "the shares of problems won differ by", "where they differ most the two shares differ by"
ROUNDING = 1e-12
# What a band takes for granted, by what it takes as drawn.
DRAWN = {
    "problems": Assumption.RANDOM_PROBLEMS, "runs": Assumption.INDEPENDENT_RUNS, "tasks and runs": Assumption.RANDOM_TASKS,
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A share as a step function of τ, with its band.

    `estimate[i]`, `low[i]` and `high[i]` hold once i of the points are passed, a point being passed
    at τ itself (`side` "right") or just after it ("left"). Points increase and are finite.
    """

    points: FloatArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    side: Side

    def passed(self, tau: ArrayLike) -> np.ndarray:
        """How many points are passed at τ."""
        return np.asarray(np.searchsorted(self.points, np.asarray(tau, dtype=np.float64), side=self.side))


@dataclass(frozen=True, slots=True, eq=False)
class Corridor:
    """What holds a CDF of which k of n draws have been passed: low[k] and high[k], k = 0 … n."""

    low: FloatArray
    high: FloatArray
    n: int
    method: str


@lru_cache(maxsize=64)
def corridor(n: int, confidence: float, method: str, solve: bool = False) -> Corridor:
    """The corridor of n draws; NaN everywhere for the method "none"."""
    if method == "none":
        return Corridor(np.full(n + 1, np.nan), np.full(n + 1, np.nan), n, "none")
    # A band depends on the draws only through how many have been passed.
    found = band_of(np.arange(1.0, n + 1.0), confidence=confidence, method=method, solve=solve)
    passed = np.arange(n + 1) + 0.5
    return Corridor(np.asarray(found.low.cdf(passed)), np.asarray(found.high.cdf(passed)), n, found.method)


def as_band(method: str) -> str:
    """The name of a band, checked."""
    if method not in BANDS:
        raise InputError(f"`band` must be one of {', '.join(map(repr, BANDS))}; got {method!r}.")
    return method


def distance_curve(distances: FloatArray, held: Corridor, *, strict: bool) -> Curve:
    """The share of problems within τ; an infinite distance is never reached."""
    ordered = np.sort(distances[np.isfinite(distances)])
    last = np.append(ordered[1:] != ordered[:-1], True) if ordered.size else np.zeros(0, dtype=bool)
    k = np.append(0, np.flatnonzero(last) + 1)
    return Curve(ordered[last], k / held.n, held.low[k], held.high[k], "left" if strict else "right")


def score_curve(
    tasks: list[FloatArray], *, maximize: bool, strict: bool, random_tasks: bool, confidence: float, method: str,
    solve: bool, seed: int,
) -> tuple[Curve, str, int]:  # fmt: skip
    """The share of runs better than τ, every task weighing the same, how its band was made, and of how many draws.

    -inf or inf stand for failed runs.

    Notes
    -----
    Fixed tasks with R runs each: the corridor of R·T draws. Stratified draws deviate less than
    independent ones, so that it errs on the safe side (simulated). Random tasks: the mean of the
    tasks' CDFs within the Kolmogorov-Smirnov margin of T draws. Unequal numbers of runs: the mean of
    the CDFs within a bootstrapped largest deviation.
    """
    sizes = np.array([task.size for task in tasks])
    values = np.concatenate(tasks)
    order = np.argsort(values, kind="stable")
    values, weights = values[order], np.repeat(1.0 / (sizes.size * sizes), sizes)[order]
    last = np.append(values[1:] != values[:-1], True) & np.isfinite(values)
    k = np.append(np.count_nonzero(values == -np.inf), np.flatnonzero(last) + 1)
    cdf = np.append(0.0, np.cumsum(weights))[k]
    cdf[k == values.size] = 1.0
    n = values.size
    if method == "none" or (not random_tasks and (sizes == sizes[0]).all()):
        held = corridor(n, confidence, method, solve)
        low, high, made = held.low[k], held.high[k], held.method
    else:
        if random_tasks:
            margin: Literal["dkw", "ks"] = "dkw" if method == "dkw" else "ks"
            width = band_margin(sizes.size, confidence, margin, two_sided=True)
            made, n = f"{margin} by task", sizes.size
        elif int(sizes.min()) < FEWEST_UNEQUAL:
            raise InputError(
                f"the problems have {sizes.min()} to {sizes.max()} runs, and a band for unequal numbers needs {FEWEST_UNEQUAL} of each; "
                "say equalize='min-n' to use equally many of each, or band='none'."
            )
        else:
            width, made = largest_deviation(tasks, confidence, seed), "bootstrap of the largest deviation"
        low, high = np.maximum(cdf - width, 0.0), np.minimum(cdf + width, 1.0)
    points = values[last]
    if maximize:
        return Curve(points, 1.0 - cdf, 1.0 - high, 1.0 - low, "right" if strict else "left"), made, n
    return Curve(points, cdf, low, high, "left" if strict else "right"), made, n


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
    return ranges(edges, np.sign(np.where(np.abs(gap) < ROUNDING, 0.0, gap)), names)


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


def _gap_of_distances(pair: Profile) -> _Gap:
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
    held = corridor(signed.size, pair.confidence, pair.band)
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
    gap = _gap_of_distances(pair) if plain and pair.band != "none" else _gap_of_curves(pair)
    signs = np.where(gap.low > ROUNDING, 1.0, np.where(gap.high < -ROUNDING, -1.0, 0.0))
    certain = ranges(gap.edges, signs, names)
    who = {entry[2] for entry in certain}
    one: Conclusion = "ahead" if who == {a} else "behind" if who == {b} else "cannot tell"
    conclusion: Conclusion = "cross" if len(who) == 2 else one
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
    if pair.distances is not None:
        one, two = pair.distances
        wins, losses = int(np.count_nonzero(one < two)), int(np.count_nonzero(two < one))
        return {"wins": wins, "ties": n - wins - losses, "losses": losses}
    first, second = (round(float(share) * n) for share in pair.wins)  # ties count for both
    return {"wins": n - second, "ties": first + second - n, "losses": n - first}


def _sentences(found: PairOfCurves, pair: Profile, whole: Profile, what: str) -> str:
    a, b = printable(found.a), printable(found.b)
    if pair.band == "none":
        return f"{_drawn(found)} {_won(found, pair)} No verdict: without a band nothing says how sure this is."
    many = found.family_size > 1
    family = f"adjusted so that {found.family_size} pairs hold together at {percent_sure(whole.confidence)}" if many else "one pair"  # fmt: skip
    alone = ", only these two in the field" if len(whole.methods) > 2 and pair.kind != "score" else ""
    sure = f"{percent_sure(pair.confidence)} confidence for all τ at once, {pair.strength}"
    design = f"({sure}; {_population(pair)}{alone}; {family})"
    where = {who: _where([entry for entry in found.certain if entry[2] == who], pair.kind) for who in (found.a, found.b)}  # fmt: skip
    claims = {
        "ahead": f"{a} is ahead of {b} {where[found.a]}",
        "behind": f"{a} is behind {b} {where[found.b]}",
        "cross": f"Neither is ahead throughout: {a} is ahead {where[found.a]}, {b} {where[found.b]}",
        "cannot tell": f"Whether {a} or {b} is ahead cannot be told at any τ",
    }
    text = f"{claims[found.conclusion]} {design}. {_drawn(found)} {_won(found, pair)}"
    if found.conclusion == "cannot tell":
        text += f" {_what_would_do(found, pair, what)}"
    elif found.conclusion != "cross":
        start, end, _ = found.certain[0]
        everywhere = len(found.certain) == 1 and start == pair.start and end >= pair.end
        text += "" if everywhere else " Elsewhere the order cannot be told."
    return text


def _population(pair: Profile) -> str:
    n = len(pair.problems)
    if pair.random == "problems":
        return f"{plural(n, 'problem')}, taken as a random sample of problems like them{pair.estimated}"
    if pair.random != "runs":
        return f"{plural(n, 'task')}, tasks taken as a random sample"
    counts = pair.n if len(set(pair.n)) > 1 else pair.n[:1]
    return f"{' and '.join(map(str, counts))} runs on {plural(n, 'task')}, these tasks held fixed"


def short(value: float) -> str:
    """A τ in three digits, or all that stand before the point."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _where(entries: Sequence[Ahead], kind: str) -> str:
    """`for τ from 1 to 3.2 and above 40`."""
    if not entries:
        return ""
    what = f"for {'scores ' if kind == 'score' else ''}τ"
    if len(entries) > MOST_RANGES:
        first, last = short(entries[0][0]), entries[-1][1]
        end = f"between {first} and {short(last)}" if math.isfinite(last) else f"from {first} on"
        return f"in {len(entries)} ranges of τ {end}"
    words = [f"from {short(low)} {'on' if math.isinf(high) else f'to {short(high)}'}" for low, high, _ in entries]
    return f"{what} {listed(words)}"


def _drawn(found: PairOfCurves) -> str:
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
