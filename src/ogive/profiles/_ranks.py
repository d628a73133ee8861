"""Average ranks over problems, with Friedman's test and Holm's correction: a description."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ogive.arguments import FloatArray, as_confidence
from ogive.errors import InputError
from ogive.notes import Note, capitalized, command, sentences
from ogive.profiles._cells import Joined, as_joined, comparable, place_of
from ogive.profiles._distances import signed_ranks_ps
from ogive.profiles._reading import joinable
from ogive.tables import Recorded, Table
from ogive.words import listed, number, percent_sure, plural, printable

FEWEST_PROBLEMS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPair:
    """Two methods over the problems: wins, ties and losses of `a`, the p of the test, and Holm's adjusted p."""

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class AverageRanks(Recorded):
    """The average rank of every method, 1 being best.

    Attributes
    ----------
    ranks : array
        In the order of `methods`.
    friedman : float or None
        The p of Friedman's test that no method differs; None for two methods.
    pairs : tuple of RankedPair
        Every pair, with Holm's adjusted p.
    groups : tuple of tuple of str
        Neighbors in rank that no pair among them separates: what a bar joins.
    """

    methods: tuple[str, ...]
    ranks: FloatArray
    friedman: float | None
    pairs: tuple[RankedPair, ...]
    groups: tuple[tuple[str, ...], ...]
    test: str
    n_problems: int
    confidence: float
    notes: tuple[Note, ...] = ()
    source: str = ""

    def __repr__(self) -> str:
        return f"AverageRanks({len(self.methods)} methods, {self.n_problems} problems)"

    def __str__(self) -> str:
        return self.as_tables()[0].to_text()

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each method, best average rank first."""
        rows = tuple((m, number(float(self.ranks[place_of(m, self.methods)]), 2)) for m in self.order)
        return (Table(head=("method", "average rank"), rows=rows, below=(self.verdict, *map(capitalized, self.notes))),)

    @property
    def order(self) -> tuple[str, ...]:
        """Methods, best average rank first."""
        return tuple(self.methods[i] for i in np.argsort(self.ranks, kind="stable"))

    @property
    def verdict(self) -> str:
        """What the ranks and pairs say, in sentences."""
        apart = sum(p.p_holm < 1.0 - self.confidence for p in self.pairs)
        whole, joined = "", ""
        if self.friedman is not None:
            less = "<" if self.friedman < 1e-4 else "="
            whole = f"Friedman's test that no method differs: p {less} {max(self.friedman, 1e-4):.4g}. "
        if self.groups:
            joined = f" Not told apart: {'; '.join(listed([printable(m) for m in g]) for g in self.groups)}."
        return (
            f"{whole}{apart} of {plural(len(self.pairs), 'pair')} {'is' if apart == 1 else 'are'} separated ({self.test} over {plural(self.n_problems, 'problem')}, Holm-adjusted, "
            f"{percent_sure(self.confidence)}).{joined} A description: average ranks depend on which other methods are present, and a pair that is not separated "
            "is not thereby equal."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        rows = [{"algorithm": m, "rank": float(r)} for m, r in zip(self.methods, self.ranks, strict=True)]
        pairs = [{name: getattr(p, name) for name in RankedPair.__slots__} for p in self.pairs]
        return {
            "schema": 1, "source": self.source, "unit": "problems", "notes": sentences(self.notes), "friedman": self.friedman,
            "verdict": self.verdict, "rows": rows, "pairs": pairs, "groups": [list(g) for g in self.groups],
        }  # fmt: skip

    def records(self) -> list[dict[str, Any]]:
        """A row for each method, best first."""
        return [{"algorithm": m, "rank": float(r)} for m, r in zip(self.order, np.sort(self.ranks), strict=True)]


def average_ranks(
    table: Any,
    *,
    test: Literal["wilcoxon", "sign"] = "wilcoxon",
    confidence: float = 0.95,
    goal: str | None = None,
    time_limit: float | None = None,
    runs: Joined | None = None,
    missing: str = "refuse",
    metric: str | None = None,
) -> AverageRanks:
    """The average rank of every method over the problems, ties sharing their ranks.

    Parameters
    ----------
    table, goal, time_limit, runs, missing
        As for `performance_profile`; large values are good where neither the table nor `goal` says otherwise,
        small ones with a `time_limit`.
    test : {"wilcoxon", "sign"}
        How pairs are separated: by signed ranks of the differences, which compares their sizes between
        problems, or by wins alone.

    Notes
    -----
    A description, refused below 10 problems: average ranks change when a method is added or removed. Pairs
    are tested over the problems, two-sided, adjusted by Holm's rule; a bar joins neighbors in rank among
    which no pair is separated (Benavoli, Corani and Mangili 2016), not Nemenyi's critical difference. Of methods
    with unequal numbers of runs on a problem as many are counted as the poorest has there.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets. Benavoli, Corani and
    Mangili (2016), Should we really use post-hoc tests based on mean-ranks? Holm (1979).

    Examples
    --------
    >>> average_ranks({"a": range(1, 13), "b": range(2, 14), "c": range(0, 12)}, goal="minimize").ranks.tolist()
    [2.0, 3.0, 1.0]
    """
    if test not in ("wilcoxon", "sign"):
        raise InputError(f"`test` must be 'wilcoxon' or 'sign'; got {test!r}.")
    confidence = as_confidence(confidence)
    cells = joinable(table, goal=goal, time_limit=time_limit, runs=runs, missing=missing, metric=metric)
    cells, thinned = comparable(cells, 0)
    values = cells.sign * cells.joined(as_joined(runs))
    n_methods, n_problems = values.shape
    if n_methods < 2 or n_problems < FEWEST_PROBLEMS:
        raise InputError(
            f"average ranks need two methods and {FEWEST_PROBLEMS} problems; there are {n_methods} and {n_problems}. "
            f"Compare pairs with {command('compare')}, or draw the profile."
        )
    from scipy.stats import friedmanchisquare, rankdata

    ranks = rankdata(-values, axis=0).mean(axis=1)
    differ = n_methods > 2 and bool((values != values[0]).any())
    friedman = float(friedmanchisquare(*values).pvalue) if differ else 1.0 if n_methods > 2 else None
    pairs = _pairs(cells.methods, values, test)
    return AverageRanks(
        methods=cells.methods, ranks=ranks, friedman=friedman, pairs=pairs, groups=_groups(cells.methods, ranks, pairs, 1.0 - confidence),
        test="Wilcoxon's test" if test == "wilcoxon" else "the sign test", n_problems=n_problems, confidence=confidence, notes=(*cells.notes, *thinned), source=cells.source,
    )  # fmt: skip


def _pairs(methods: tuple[str, ...], values: FloatArray, test: str) -> tuple[RankedPair, ...]:
    places = list(itertools.combinations(range(len(methods)), 2))
    gaps = [_gaps(values[i], values[j]) for i, j in places]
    p = _p_values(gaps, test)
    adjusted = holm(p)
    return tuple(
        RankedPair(
            a=methods[i], b=methods[j], wins=int(np.sum(gap > 0)), ties=int(np.sum(gap == 0)), losses=int(np.sum(gap < 0)),
            p=float(one), p_holm=float(all_)
        ) for (i, j), gap, one, all_ in zip(places, gaps, p, adjusted, strict=True)
    )  # fmt: skip


def _gaps(one: FloatArray, two: FloatArray) -> FloatArray:
    """Differences; a failure of one side is the largest of all, of both no difference."""
    with np.errstate(invalid="ignore"):
        gap = np.where(np.isinf(one) & np.isinf(two), 0.0, one - two)
    largest = float(np.abs(gap[np.isfinite(gap)]).max(initial=0.0)) + 1.0
    return np.clip(gap, -largest, largest)


def _p_values(gaps: list[FloatArray], test: str) -> FloatArray:
    from scipy.stats import binomtest

    moved = [gap[gap != 0.0] for gap in gaps]
    if test == "sign":
        counts = [(int(np.sum(gap > 0)), gap.size) for gap in moved]
        known = {(won, n): float(binomtest(won, n).pvalue) if n else 1.0 for won, n in set(counts)}
        return np.array([known[count] for count in counts])
    p, there = np.ones(len(gaps)), [i for i, gap in enumerate(moved) if gap.size]
    if there:
        p[there] = signed_ranks_ps([moved[i] for i in there])
    return p


def holm(p: FloatArray) -> FloatArray:
    """Holm's step-down adjusted p-values.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate((p.size - np.arange(p.size)) * p[order])
    out = np.empty_like(p)
    out[order] = np.minimum(stepped, 1.0)
    return out


def _groups(
    methods: tuple[str, ...], ranks: FloatArray, pairs: tuple[RankedPair, ...], error: float
) -> tuple[tuple[str, ...], ...]:
    """The longest runs of neighbors in rank among which no pair is separated."""
    order = [methods[i] for i in np.argsort(ranks, kind="stable")]
    place = {method: i for i, method in enumerate(order)}
    apart = np.zeros((len(order), len(order)), dtype=bool)
    for p in pairs:
        apart[place[p.a], place[p.b]] = apart[place[p.b], place[p.a]] = p.p_holm < error
    out: list[tuple[str, ...]] = []
    reached = 0
    for i in range(len(order)):
        j = max(i + 1, reached)  # what stands together with an earlier one as well stands together without it
        while j < len(order) and not apart[j, i:j].any():
            j += 1
        if j - i > 1 and j > reached:
            out.append(tuple(order[i:j]))
        reached = max(reached, j)
    return tuple(out)
