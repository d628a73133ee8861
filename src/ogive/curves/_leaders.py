"""Who is ahead at which size: two models, ranges and never a point; all of them; and where it depends on how one looks.

Differences of a statistic hold at all sizes at once, by resampling repetitions jointly. One resample draws repetitions,
with replacement, and takes the scores of every model at every size from them: what pairs models and what ties the sizes
of a repetition together stays as it is. The band is estimate ± c · scale(n), c being the confidence quantile over
resamples of the largest |difference - estimate| / scale over all sizes (and pairs), moved as far out in Student's
distribution as it lies in the normal one, since the scale too is estimated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from ogive.arguments import as_confidence
from ogive.curves._statistics import MEAN, finite, of_rows, statistic_of, told
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import argument
from ogive.results import Guarantee, strength_of
from ogive.seeding import stream
from ogive.statistics import Statistic
from ogive.trials import FloatArray
from ogive.words import listed, percent_sure, plural, printable, share

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves

N_RESAMPLES = 999
FEWEST = 20  # repetitions
FEW_IN_TAIL = 10.0  # repetitions beyond a quantile: with fewer the band is heuristic
TOO_FEW_IN_TAIL = 2.5  # with fewer, resamples of a quantile repeat the same few runs, and nothing is certain
LEAST = 0.5  # of the standard error that a normal sample would have: the smallest scale of a quantile
MOST_NUMBERS = 2**23  # of differences at a time: resamples times pairs times sizes
MOST_NAMED = 3  # models, and ranges of each, that a sentence names
MOST_RANGES = 5  # of sizes, that a sentence about one lead names
TOGETHER = "for all pairs and sizes, by the mean, the bad and the good runs together (a third of the error each)"


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Differences [pair, size] with a band that holds for all of them at once; NaN where undefined."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    guarantee: Guarantee

    @property
    def sign(self) -> FloatArray:
        """1 where a difference is certainly positive, -1 where negative, 0 where it cannot be told."""
        return np.where(self.low > 0.0, 1.0, np.where(self.high < 0.0, -1.0, 0.0))


def difference_band(
    scores: Sequence[FloatArray] | FloatArray, pairs: list[tuple[int, int]], statistic: Statistic, sign: float, confidence: float, seed: int,
    n_resamples: int = N_RESAMPLES,
) -> Band:  # fmt: skip
    """sign · (statistic of a - statistic of b) for pairs of models; scores are [size, repetition] of each model.

    A few sizes are resampled at a time, and of them only the scales and each resample's largest deviation are kept.
    """
    n_sizes, n = scores[0].shape
    if n < FEWEST:
        raise InputError(f"differences along a curve need at least {FEWEST} repetitions; got {n}.")
    defined = np.stack([~np.isnan(one).any(axis=1) for one in scores])
    order = _by_content(scores, defined)
    first, second = np.array(pairs).T
    known = defined[first] & defined[second]
    tail = n if statistic.p is None else n * min(statistic.p, 1.0 - statistic.p)
    enough = tail > TOO_FEW_IN_TAIL - 1e-9
    reach = max(float(np.abs(one[there]).max(initial=0.0)) for one, there in zip(scores, defined, strict=True))
    counts = stream(seed, "resample", "curves").multinomial(n, np.full(n, 1.0 / n), size=n_resamples)
    estimate, scale, largest = np.empty(known.shape), np.empty(known.shape), np.full(n_resamples, -np.inf)
    some = max(1, MOST_NUMBERS // (n_resamples * max(len(pairs), len(scores))))
    for block in (slice(i, i + some) for i in range(0, n_sizes, some)):
        own = np.stack([np.where(d[block, None], one[block], 0.0) for one, d in zip(scores, defined, strict=True)])
        own = own[:, :, order]
        point, draws = of_rows(statistic, own), resampled(own, statistic, counts)
        estimate[:, block] = sign * (point[first] - point[second])
        moved = sign * (draws[:, first] - draws[:, second]) - estimate[:, block]
        scale[:, block] = _scale(moved, own, first, second, statistic, reach)
        usable = known[:, block] & (scale[:, block] > 0.0) & enough
        if usable.any():
            np.maximum(largest, np.max(np.abs(moved[:, usable]) / scale[:, block][usable], axis=1), out=largest)
    usable = known & (scale > 0.0) & enough
    if not usable.any():
        nothing = np.where(known, -np.inf, np.nan)
        return Band(np.where(known, estimate, np.nan), nothing, -nothing, "heuristic")
    rank = min(n_resamples, math.ceil((n_resamples + 1) * confidence)) - 1
    normal = float(ndtr(-float(np.partition(largest, rank)[rank])))
    factor = -float(stdtrit(n - 1.0, normal)) * math.sqrt(n / (n - 1.0))
    # Where no repetition ever differs nothing is known about rare ones that would.
    half = np.where(usable, factor * scale, np.where(known, np.inf, np.nan))
    shown = np.where(known, estimate, np.nan)
    return Band(shown, shown - half, shown + half, "approximate" if tail >= FEW_IN_TAIL else "heuristic")


def _by_content(scores: Sequence[FloatArray] | FloatArray, defined: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Repetitions in the order of their scores, whoever has them: neither their order nor that of models draws other resamples.

    The least score of each size nearly always tells two repetitions apart; else all models' scores, from the least up.
    """

    def filled(model: int) -> FloatArray:
        return np.where(defined[model, :, None], scores[model], 0.0)

    least = filled(0)
    for model in range(1, len(scores)):
        np.minimum(least, filled(model), out=least)
    order = np.lexsort(least[::-1])
    if np.all((least[:, order[1:]] != least[:, order[:-1]]).any(axis=0)):
        return order
    every = np.sort([filled(model) for model in range(len(scores))], axis=0)
    return np.lexsort(every.reshape(-1, every.shape[2])[::-1])


def resampled(scores: FloatArray, statistic: Statistic, counts: NDArray[np.int64]) -> FloatArray:
    """The statistic of every resample, [resample, model, size]; `counts` says how often each drew a repetition."""
    models, sizes, n = scores.shape
    flat = scores.reshape(-1, n)
    if statistic.p is None:
        return np.asarray(counts @ flat.T / n).reshape(len(counts), models, sizes)
    from ogive.kernels._curve_quantiles import resampled_quantiles

    need = max(1, math.ceil(statistic.p * n - 1e-9))
    order = np.argsort(flat, axis=1)
    ordered = np.take_along_axis(flat, order, axis=1)
    drawn = np.ascontiguousarray(counts.T, dtype=np.int32)
    out = np.empty((len(counts), len(flat)))
    resampled_quantiles(ordered, order, drawn, need, np.empty((2, len(counts)), dtype=np.int32), out)  # type: ignore[no-untyped-call]
    return out.reshape(len(counts), models, sizes)


def _scale(
    moved: FloatArray, scores: FloatArray, first: np.ndarray, second: np.ndarray, statistic: Statistic, reach: float
) -> FloatArray:
    """The spread of each difference over resamples; for quantiles at least what a normal sample would have.

    On a lattice all resamples may have the same quantile, which does not make it certain. `reach` is the largest
    score without its sign, to which rounding is relative.
    """
    scale: FloatArray = moved.std(axis=0)
    rounding = 64.0 * np.finfo(np.float64).eps * reach
    if statistic.p is not None:
        spread = scores.std(axis=2)
        both = np.sqrt(spread[first] ** 2 + spread[second] ** 2)
        p, z = statistic.p, float(ndtri(statistic.p))
        # √n times the standard error of the p-quantile of n standard normal numbers
        error = math.sqrt(p * (1.0 - p)) / (math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi))
        scale = np.maximum(scale, LEAST * both * error / math.sqrt(scores.shape[2]))
    return np.asarray(np.where(scale > rounding, scale, 0.0))


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
    scores = [curves.scores(a, name), curves.scores(b, name)]
    band = difference_band(scores, [(0, 1)], chosen, curves.definitions[name].sign, confidence, seed)
    return Crossings(
        a=a, b=b, metric=name, statistic=chosen.name, label=told(chosen, curves.definitions[name]), sizes=curves.sizes, estimate=band.estimate[0],
        low=band.low[0], high=band.high[0], confidence=confidence, guarantee=band.guarantee, n=curves.n_repetitions,
        scope=curves.scope,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Change:
    """The order of two models reverses between two sizes: `before` is certainly ahead at `last`, `after` at `first`."""

    before: str
    after: str
    last: int
    first: int

    @property
    def words(self) -> str:
        """`between n = 113 and 160`."""
        return f"between n = {self.last} and {self.first}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lead:
    """Who leads by one statistic.

    Attributes
    ----------
    estimate : array [model, size]
    ahead : array [model, model, size]
        1 where the first is certainly better than the second, -1 where worse, 0 where it cannot be told.
    guarantee : str
        `approximate`, or `heuristic` where fewer than ten repetitions lie beyond a quantile.
    """

    statistic: str
    label: str
    models: tuple[str, ...]
    sizes: NDArray[np.int64]
    estimate: FloatArray
    ahead: FloatArray
    goal: str
    guarantee: Guarantee

    @property
    def words(self) -> str:
        """`by the mean`, `in the worst 5 % of runs`."""
        end = Statistic.parse(self.statistic).end(Metric.toward(self.goal))
        return f"in the {end} of runs" if end else f"by the {self.statistic}"

    @property
    def leaders(self) -> tuple[tuple[str, ...], ...]:
        """The best model at each size by its estimate; several where they are equal, none where undefined."""
        signed = Metric.toward(self.goal).turned(self.estimate)
        best = np.max(np.where(np.isnan(signed), -np.inf, signed), axis=0)
        return self._models_where(signed == best)

    @property
    def contenders(self) -> tuple[tuple[str, ...], ...]:
        """The models at each size that no other is certainly ahead of."""
        return self._models_where(np.asarray(~(self.ahead < 0).any(axis=1)))

    def _models_where(self, flags: NDArray[np.bool_]) -> tuple[tuple[str, ...], ...]:
        """For each size, the models that are flagged there."""
        return tuple(tuple(m for m, flag in zip(self.models, own, strict=True) if flag) for own in flags.T)

    def ranges(self, *, certain: bool = False) -> tuple[Range, ...]:
        """The grid, cut where the leader changes; None where several are equal (not told apart, if `certain`) or missing."""
        found = self.contenders if certain else self.leaders
        names = [one[0] if len(one) == 1 else None for one in found]
        cuts = [0, *(i for i in range(1, len(names)) if names[i] != names[i - 1]), len(names)]
        return tuple(Range(int(self.sizes[i]), int(self.sizes[j - 1]), names[i]) for i, j in itertools.pairwise(cuts))

    def changes(self, *, leading: bool = False) -> tuple[Change, ...]:
        """Pairs whose order certainly reverses, and between which sizes; only of models that lead somewhere if `leading`.

        The band holds for all pairs at once, so that looking for the ones that change costs nothing.
        """
        ever = {who for best in self.leaders for who in best} if leading else set(self.models)
        found = []
        for i, j in itertools.combinations(range(len(self.models)), 2):
            if not {self.models[i], self.models[j]} <= ever:
                continue
            sure = np.flatnonzero(self.ahead[i, j])
            for x, y in itertools.pairwise(sure.tolist()):
                if self.ahead[i, j, x] != self.ahead[i, j, y]:
                    before, after = (i, j) if self.ahead[i, j, x] > 0 else (j, i)
                    where = int(self.sizes[x]), int(self.sizes[y])
                    found.append(Change(self.models[before], self.models[after], *where))
        return tuple(found)

    def __str__(self) -> str:
        parts, sure = self._told(self.ranges()), self._told(self.ranges(certain=True))
        if not any(self.leaders):
            return f"By the {self.label}: nobody, since scores are missing at every size."
        text = f"By the {self.label}: {parts or 'several are equal throughout'}"
        rough = " (heuristic)" if self.guarantee == "heuristic" else ""
        return f"{text}; certain{rough}: {sure or 'nowhere'}."

    def _told(self, ranges: Sequence[Range]) -> str:
        """Who leads in which range; of more than a handful the longest, and who leads in the rest, by turns if several."""
        held = [r for r in ranges if r.who is not None]
        if len(held) <= MOST_RANGES:
            return listed([f"{printable(r.who)} at {r.words}" for r in held]) if held else ""
        places = {int(size): at for at, size in enumerate(self.sizes)}
        longest = sorted(held, key=lambda r: places[r.first] - places[r.last])[: MOST_RANGES - 1]
        kept = [r for r in held if r in longest]
        said, rest = listed([f"{printable(r.who)} at {r.words}" for r in kept]), [r for r in held if r not in kept]
        one = printable(rest[0].who) if len({r.who for r in rest}) == 1 else None
        if all(r.last < kept[0].first for r in rest):
            return f"{one or 'by turns'} below n = {kept[0].first} ({len(rest)} short ranges), then {said}"
        own = f"{one} " if len({r.who for r in held}) > 1 else ""
        return f"{said}, and {own if one else 'by turns '}in {len(rest)} shorter ranges"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Leaders:
    """Who leads at which size by the mean, by the bad runs and by the good ones.

    Notes
    -----
    What is certain holds for all pairs, sizes and the three statistics together with the confidence: each of
    the three has a third of the error, and a band of its own for all pairs and sizes, which is made as for
    `Crossings` and approximate like that one. Of two equal models one was called ahead somewhere in 0.091 of
    1,000 simulations where each statistic had the whole error (docs/reference/curves.md has both figures).
    The band of one statistic is therefore somewhat wider than that of `Crossings` at the same confidence.
    """

    by: dict[str, Lead]
    metric: str
    confidence: float
    n: int
    scope: str
    n_test: int = 0  # of a test set that is the same in every repetition

    def __getitem__(self, statistic: str) -> Lead:
        if statistic not in self.by:
            raise InputError(f"there is no lead by {statistic!r}; there are {', '.join(self.by)}.")
        return self.by[statistic]

    @property
    def contradictions(self) -> tuple[tuple[str, str, str, Range], ...]:
        """(model, other, statistic, range): ahead by the mean, the other ahead by the statistic, both certain."""
        mean, *others = self.by.values()
        found = []
        for other in others:
            both = (mean.ahead > 0) & (other.ahead < 0)
            for i, j in zip(*np.nonzero(both.any(axis=2)), strict=True):
                for first, last in _runs(both[i, j]):
                    where = Range(int(mean.sizes[first]), int(mean.sizes[last]), None)
                    found.append((mean.models[i], mean.models[j], other.label, where))
        return tuple(found)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who leads at the largest size, who does before, where one overtakes, where the views contradict; how sure it is."""
        leads = list(self.by.values())
        last, largest = int(leads[0].sizes[-1]), ", the largest size" if leads[0].sizes.size > 1 else ""
        said = "; ".join(_at_the_end(leads, printable(self.metric), self.n_test))
        end = f"{self.scope[:1].upper()}{self.scope[1:]}: at n = {last}{largest}, {said}."
        weaker = [lead.words for lead in leads if lead.guarantee == "heuristic" and lead.statistic != "mean"]
        how = "approximate" + (f", heuristic {listed(weaker)} since few repetitions lie beyond" if weaker else "")
        sure = f"Certain: {percent_sure(self.confidence)} {TOGETHER}; {how}; {self.n} paired repetitions."
        sure += f" {self._of_others()}" if self.n_test else ""
        return tuple(filter(None, [end, _before(leads), _overtaking(leads), *self._contradicting()[:MOST_NAMED], sure]))

    def _of_others(self) -> str:
        return (
            f"This is certain of these {plural(self.n_test, 'test row')} alone, and others may have another leader; "
            f"{argument('test', 'varying')} draws them anew in every repetition."
        )

    def _contradicting(self) -> list[str]:
        """A sentence for each pair and statistic, the one with most sizes first."""
        words = {lead.label: lead.words for lead in self.by.values()}
        sizes = next(iter(self.by.values())).sizes
        found: dict[tuple[str, str, str], list[Range]] = {}
        for a, b, label, where in self.contradictions:
            found.setdefault((a, b, label), []).append(where)

        def measured(ranges: list[Range]) -> int:
            return sum(int(np.count_nonzero((sizes >= r.first) & (sizes <= r.last))) for r in ranges)

        said = []
        for (a, b, label), ranges in sorted(found.items(), key=lambda one: -measured(one[1])):
            named = [r.words for r in ranges[:MOST_NAMED]]
            few = len(ranges) > MOST_NAMED
            there = (
                f"{measured(ranges)} sizes from n = {ranges[0].first} to {ranges[-1].last}" if few else listed(named)
            )
            said.append(
                f"At {there} {printable(a)} is ahead of {printable(b)} by the mean, and behind it {words[label]}: both certain."
            )
        return said

    @property
    def verdict(self) -> str:
        """The sentences together, to paste."""
        return " ".join(self.sentences)

    def __repr__(self) -> str:
        lead = next(iter(self.by.values()))
        return f"Leaders({self.metric}, {len(lead.models)} models, {lead.sizes.size} sizes, by {', '.join(self.by)})"

    def __str__(self) -> str:
        lines = [f"Who leads by {printable(self.metric)}", *(f"  {lead}" for lead in self.by.values())]
        contradicting = self._contradicting()
        lines += [f"  {sentence}" for sentence in contradicting[:MOST_NAMED]]
        more = len(contradicting) - MOST_NAMED
        lines += [f"  So it is with {plural(more, 'more pair')} of models."] if more > 0 else []
        lines.append(f"  certain: {self.reading}; {self.n} paired repetitions, {self.scope}.")
        lines += [f"  {self._of_others()}"] if self.n_test else []
        return "\n".join(lines)

    @property
    def reading(self) -> str:
        """How much "certain" may be relied on."""
        rough = any(lead.guarantee == "heuristic" for lead in self.by.values())
        return f"{percent_sure(self.confidence)} {TOGETHER}, approximate" + (
            f" (heuristic for quantiles: fewer than {FEW_IN_TAIL:g} repetitions lie beyond them)" if rough else ""
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        rows = [
            {"statistic": name, "size": int(size), "leaders": list(best), "contenders": list(some), "guarantee": lead.guarantee}
            for name, lead in self.by.items()
            for size, best, some in zip(lead.sizes, lead.leaders, lead.contenders, strict=True)
        ]  # fmt: skip
        return {"schema": 1, "metric": self.metric, "confidence": self.confidence, "n": self.n, "rows": rows}


def leaders(curves: LearningCurves, metric: str | None, *, share: float, confidence: float, seed: int) -> Leaders:
    """Who leads by the mean, by the quantile `share` on the bad side, and by that on the good side."""
    name, confidence = curves.metric_name(metric), as_confidence(confidence)
    if len(curves.models) < 2:
        raise InputError("somebody leads only where there are at least two models; got one.")
    if not 0.0 < share < 0.5:
        raise InputError(f"`share` must lie in (0, 0.5); got {share!r}.")
    toward = curves.definitions[name]
    scores = [curves.scores(model, name) for model in curves.models]
    wanted = (MEAN, *(Statistic.quantile(toward.level(end)) for end in (share, 1.0 - share)))
    # Each statistic has a third of the error, so that all that is called certain holds together.
    level = 1.0 - (1.0 - confidence) / len(wanted)
    by = {s.name: _lead(curves, scores, s, toward, level, seed) for s in wanted}
    return Leaders(
        by=by, metric=name, confidence=confidence, n=curves.n_repetitions, scope=curves.scope, n_test=curves.n_test
    )


def _lead(
    curves: LearningCurves,
    scores: Sequence[FloatArray],
    statistic: Statistic,
    toward: Metric,
    confidence: float,
    seed: int,
) -> Lead:
    pairs = list(itertools.combinations(range(len(scores)), 2))
    band = difference_band(scores, pairs, statistic, toward.sign, confidence, seed)
    ahead = np.zeros((len(scores), len(scores), len(curves.sizes)))
    for (i, j), sign in zip(pairs, band.sign, strict=True):
        ahead[i, j], ahead[j, i] = sign, -sign
    return Lead(
        statistic=statistic.name, label=told(statistic, toward), models=curves.models, sizes=curves.sizes,
        estimate=np.stack([of_rows(statistic, one) for one in scores]), ahead=ahead, goal=toward.goal, guarantee=band.guarantee,
    )  # fmt: skip


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First and last position of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Sizes at which two ways of ranking reverse a pair with a member in the first few places."""

    first: str
    second: str
    side: Literal["worst", "middle", "best"]
    sizes: tuple[int, ...]
    n_sizes: int

    @property
    def share(self) -> float:
        """Share of the sizes of the grid."""
        return len(self.sizes) / self.n_sizes if self.n_sizes else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Disagreements:
    """Where rankings by mean ± 2 standard deviations and by quantiles differ, as in Turan et al. (2026), Table 7.

    Notes
    -----
    A description without an interval: part of it is noise, since close models change places by chance.
    Equal scores reverse nothing. What is certain is in `leaders(...).contradictions`.
    """

    rows: tuple[Disagreement, ...]
    metric: str
    top: int
    n: int
    scope: str

    def __repr__(self) -> str:
        return f"Disagreements({self.metric}, top {self.top}: {', '.join(f'{r.share:.2f}' for r in self.rows)})"

    def __str__(self) -> str:
        lines = [f"  {r.first} against {r.second}: at {share(r.share)} of {r.n_sizes} sizes" for r in self.rows]
        return "\n".join(
            [f"How often the top {self.top} by {self.metric} change ({self.n} repetitions, {self.scope})", *lines]
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        rows = [{"first": r.first, "second": r.second, "share": r.share, "sizes": list(r.sizes)} for r in self.rows]
        return {"schema": 1, "metric": self.metric, "top": self.top, "n": self.n, "rows": rows}


def disagreements(curves: LearningCurves, metric: str | None, *, top: int, share: float) -> Disagreements:
    """Where rankings by the mean and by quantiles differ."""
    name = curves.metric_name(metric)
    if len(curves.models) < 2:
        raise InputError("rankings differ only where there are at least two models; got one.")
    if not 0.0 < share < 0.5:
        raise InputError(f"`share` must lie in (0, 0.5); got {share!r}.")
    sign = curves.definitions[name].sign  # larger is better from here on

    def along(measure: Callable[[FloatArray], FloatArray]) -> FloatArray:
        return np.stack([measure(sign * curves.scores(model, name)) for model in curves.models])

    mean, spread = along(lambda scores: scores.mean(axis=1)), along(lambda scores: scores.std(axis=1))
    tail = f"{100 * share:g} % quantile"
    worst, middle, best = Statistic.quantile(share), Statistic.quantile(0.5), Statistic.quantile(1.0 - share)
    compared: tuple[tuple[str, FloatArray, str, Literal["worst", "middle", "best"], Statistic], ...] = (
        ("mean - 2 sd", mean - 2.0 * spread, f"worst {tail}", "worst", worst),
        ("mean", mean, "median", "middle", middle),
        ("mean", mean, f"worst {tail}", "worst", worst),
        ("mean + 2 sd", mean + 2.0 * spread, f"best {tail}", "best", best),
    )
    rows = []
    for first, by, second, side, statistic in compared:
        usable, changed = _reversed(by, along(partial(of_rows, statistic)), top)
        sizes = tuple(curves.sizes[changed].tolist())
        rows.append(Disagreement(first=first, second=second, side=side, sizes=sizes, n_sizes=int(usable.sum())))
    return Disagreements(rows=tuple(rows), metric=name, top=top, n=curves.n_repetitions, scope=curves.scope)


def _reversed(one: FloatArray, other: FloatArray, top: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Sizes at which both are defined, and those at which a pair with a member in a top is reversed."""
    usable = np.asarray(~(np.isnan(one).any(axis=0) | np.isnan(other).any(axis=0)))
    changed = np.zeros(one.shape[1], dtype=bool)
    for s in np.flatnonzero(usable):
        a, b = one[:, s], other[:, s]
        places = [(v[:, None] < v[None, :]).sum(axis=1) for v in (a, b)]  # how many are better
        inside = (places[0] < top) | (places[1] < top)
        crossed = np.sign(a[:, None] - a[None, :]) * np.sign(b[:, None] - b[None, :]) < 0
        changed[s] = bool(np.any(crossed & (inside[:, None] | inside[None, :])))
    return usable, changed


def _at_the_end(leads: list[Lead], metric: str, n_test: int) -> list[str]:
    """Who leads at the last size, the statistics that agree together."""
    found: dict[tuple[str, str], list[str]] = {}
    tested = f" on these {plural(n_test, 'test row')}" if n_test else ""
    for lead in leads:
        best = lead.leaders[-1]
        if not best:
            said = ("no model has a score in every repetition, and nobody leads", "")
        elif len(best) > 1:
            said = ("several are equal", "")
        elif lead.contenders[-1] == best:
            said = (f"{printable(best[0])} certainly has the best {metric}{tested}", "")
        else:
            said = (f"{printable(best[0])} has the best {metric}", ", but not certainly")
        found.setdefault(said, []).append(lead.words)
    return [f"{start} {listed(words)}{end}" for (start, end), words in found.items()]


def _before(leads: list[Lead]) -> str:
    """Which other models are certainly ahead of all at other sizes."""
    found: dict[str, list[tuple[str, str]]] = {}
    for lead in leads:
        ranges: dict[str, list[str]] = {}
        for r in lead.ranges(certain=True):
            if r.who is not None and r.who not in lead.leaders[-1]:
                ranges.setdefault(r.who, []).append(r.words)
        for who, words in ranges.items():
            shown = words if len(words) <= MOST_NAMED else [*words[:MOST_NAMED], "more"]
            found.setdefault(who, []).append((f"at {listed(shown)}", lead.words))
    if not found:
        return "At no smaller size is another model certainly ahead of all." if leads[0].sizes.size > 1 else ""
    named = [f"{printable(who)} is certainly ahead {_together(words)}" for who, words in found.items()]
    more = [f"{len(named) - MOST_NAMED} more are so at other sizes"] if len(named) > MOST_NAMED else []
    return f"With fewer rows {'; '.join([*named[:MOST_NAMED], *more])}."


def _overtaking(leads: list[Lead]) -> str:
    """Between which sizes a model certainly overtakes the one that led before it."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for lead in leads:
        names = [r.who for r in lead.ranges() if r.who is not None]
        successions = set(itertools.pairwise(names))
        for change in lead.changes():
            if (change.before, change.after) in successions:
                found.setdefault((change.after, change.before), []).append((change.words, lead.words))
    if not found:
        return ""
    named = [f"{printable(a)} overtakes {printable(b)} {_together(words)}" for (a, b), words in found.items()]
    more = [f"{len(named) - MOST_NAMED} more pairs change order"] if len(named) > MOST_NAMED else []
    return f"{'; '.join([*named[:MOST_NAMED], *more])}: certain at both ends."


def _together(words: list[tuple[str, str]]) -> str:
    """Statistics with the same range are named together: `between n = 113 and 160 by the mean and in …`."""
    found: dict[str, list[str]] = {}
    for where, how in words:
        found.setdefault(where, []).append(how)
    return ", ".join(f"{where} {listed(list(dict.fromkeys(how)))}" for where, how in found.items())
