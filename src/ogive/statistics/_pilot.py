"""Questions that a pilot answers: how close a mean comes with n trials if the spread stays as it was."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ogive.arguments import as_confidence, as_count, as_mass, as_scores, as_tail
from ogive.errors import InputError
from ogive.statistics._assumptions import Assumption
from ogive.statistics._components import VarianceComponents
from ogive.statistics._interval import FEW_IN_TAIL, spread, tail_influence
from ogive.statistics._planning import How, Question, as_trials, counted, percent
from ogive.statistics._precision import tail_words

MOST_REPEATS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPrecision(Question):
    """The half-width that the interval of a mean, or of a tail's mean, will have if the spread stays the pilot's.

    Notes
    -----
    Approximate: Student's interval, for a tail that of `tail_mean_interval`, with the spread of the
    pilot. A pilot of few runs knows the spread badly, and n goes with its square.
    """

    sd: float
    n_pilot: int | None = None
    mass: float = 1.0
    tail: str | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_mass(self.mass)
        as_count(self.sd, "sd")

    @classmethod
    def from_scores(
        cls, scores: ArrayLike, *, mass: float = 1.0, tail: str | None = None, confidence: float = 0.95
    ) -> PilotPrecision:
        """The question for the spread of these scores; `tail` is needed for a mass below 1."""
        values = as_scores(scores, name="pilot", at_least=2)
        mass = as_mass(mass)
        if mass < 1.0:
            if tail is None:
                raise InputError("`tail` must be 'lower' or 'upper' for the mean of a share of outcomes; got none.")
            end = as_tail(tail)
            if values.size * mass <= 1.0:
                needed = math.floor(1.0 / mass) + 1
                raise InputError(
                    f"`pilot` must hold at least two scores in the tail, {needed} in all for mass {mass:g}; got {values.size}."
                )
            values = tail_influence(values, mass, end)
        deviation = spread(values)
        if deviation == 0.0:
            raise InputError("`pilot` shows no spread: its scores are equal. Add runs, or say `sd` or `bounds`.")
        return cls(sd=deviation, n_pilot=values.size, mass=mass, tail=tail, confidence=confidence)

    @property
    def what(self) -> str:
        """The question's name."""
        return "mean" if self.mass == 1.0 else "cvar"

    @property
    def fewest(self) -> int:
        """Two scores, in the tail where there is one."""
        return math.floor(1.0 / self.mass * (1.0 + 1e-12)) + 1

    @property
    def axis(self) -> str:
        """What the width is."""
        return f"half-width of the {percent(self.confidence)} interval of {tail_words(self.mass, self.tail)}"

    def width(self, n: int) -> float:
        """Student's half-width."""
        return student_half(self.sd, n, min(n - 1, self._in_tail(n) - 1), self.confidence)

    def how(self, n: int) -> How:
        """Student's t, or its version for a tail."""
        few = self._in_tail(n) < FEW_IN_TAIL and self.mass < 1.0
        notes = (Assumption.INDEPENDENT, _spread_stays(self.sd, self.n_pilot, self.mass, self.confidence))
        return How(
            "Student's t" if self.mass == 1.0 else "tail t",
            "heuristic" if few else "approximate",
            (*notes, Assumption.SHORT_TAIL) if few else notes,
        )

    def claim(self, n: int, width: float) -> str:
        """The answer."""
        spread = f"is {self.sd:.3g}" if self.n_pilot is None else "stays that of the pilot"
        return (
            f"{counted(n, 'trials')} put {tail_words(self.mass, self.tail)} within about ±{width:.3g} with "
            f"{percent(self.confidence)} confidence, if the spread {spread}"
        )

    def _in_tail(self, n: int) -> int:
        return math.ceil(n * self.mass - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLevelPrecision(Question):
    """The half-width of the mean over clusters (configurations, items) with several scores (seeds, repeats) each.

    Notes
    -----
    Approximate: the clusters' means have the variance between + within / repeats, and Student's
    interval counts clusters. `n` counts scores: clusters times repeats.
    """

    between: float
    within: float
    repeats: int
    n_clusters: int | None = None
    unit_word: str = "cluster"
    confidence: float = 0.95

    @classmethod
    def from_components(
        cls, components: VarianceComponents, *, cost_ratio: float = 1.0, repeats: int | None = None,
        unit_word: str = "cluster", confidence: float = 0.95,
    ) -> TwoLevelPrecision:  # fmt: skip
        """The question with the repeats that make the mean most precise for a budget, unless they are given."""
        return cls(
            between=components.between.estimate, within=components.within.estimate, n_clusters=components.n_clusters,
            repeats=best_repeats(components, cost_ratio) if repeats is None else as_trials(repeats),
            unit_word=unit_word, confidence=as_confidence(confidence),
        )  # fmt: skip

    @property
    def what(self) -> str:
        """The question's name."""
        return "mean"

    @property
    def fewest(self) -> int:
        """Two clusters."""
        return 2 * self.repeats

    @property
    def axis(self) -> str:
        """What the width is."""
        return f"half-width of the {percent(self.confidence)} interval of the mean"

    def width(self, n: int) -> float:
        """Student's half-width over the clusters that n scores make up."""
        k = n // self.repeats
        return student_half(math.sqrt(self.between + self.within / self.repeats), k, k - 1, self.confidence)

    def how(self, n: int) -> How:
        """Student's t by cluster, and how far more repeats alone would lead."""
        assumed = (f"independent {self.unit_word}s", "the variance between and within stays that of the pilot")
        notes: tuple[str, ...] = ()
        if self.between == 0.0:
            notes = (f"the pilot shows no variance between {self.unit_word}s: repeats are capped at {MOST_REPEATS}",)
        elif self.n_clusters is not None and self.n_clusters >= 2:
            limit = student_half(math.sqrt(self.between), self.n_clusters, self.n_clusters - 1, self.confidence)
            notes = (
                f"more repeats of the pilot's {self.n_clusters} {self.unit_word}s alone would get no closer than ±{limit:.3g}",
            )
        return How("Student's t by cluster", "approximate", assumed, notes)

    def claim(self, n: int, width: float) -> str:
        """The answer."""
        k = n // self.repeats
        each = "once each" if self.repeats == 1 else f"{self.repeats} times each"
        return (
            f"{k:,} {self.unit_word}s, {each} ({counted(k * self.repeats, 'trials')}), put the mean within about "
            f"±{width:.3g} with {percent(self.confidence)} confidence"
        )


def best_repeats(components: VarianceComponents, cost_ratio: float = 1.0) -> int:
    """The whole number of scores for each cluster that makes the mean most precise for a budget; at most 100."""
    ideal = min(components.repeats(cost_ratio), float(MOST_REPEATS))
    between, within = components.between.estimate, components.within.estimate
    choices = {max(1, math.floor(ideal)), math.ceil(ideal)}
    return min(sorted(choices), key=lambda r: (between + within / r) * (cost_ratio + r))


def student_half(sd: float, n: int, df: int, confidence: float) -> float:
    """t · sd / sqrt(n); infinite without a degree of freedom."""
    if df < 1:
        return math.inf
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + confidence / 2.0)) * sd / math.sqrt(n)


def _spread_stays(sd: float, n_pilot: int | None, mass: float, confidence: float) -> str:
    if n_pilot is None:
        return f"the spread is {sd:.3g}"
    known = ""
    if mass == 1.0:
        from scipy.special import chdtri

        error = (1.0 - confidence) / 2.0
        ends = [sd * math.sqrt((n_pilot - 1) / float(chdtri(n_pilot - 1, tail))) for tail in (error, 1.0 - error)]
        known = f" [{ends[0]:.3g}, {ends[1]:.3g}]"
    return f"the spread stays that of the pilot: {sd:.3g}{known} from {n_pilot} runs"
