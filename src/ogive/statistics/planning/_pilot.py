"""Questions that a pilot answers: how close a mean comes with n trials if the spread is what the pilot allows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ogive.arguments import as_confidence, as_count, as_mass, as_scores, as_tail
from ogive.errors import InputError
from ogive.statistics._assumptions import Assumption
from ogive.statistics._components import VarianceComponents, variance_components
from ogive.statistics._interval import FEW_IN_TAIL, spread, tail_influence
from ogive.statistics.planning._plan import (
    ASSURANCE,
    How,
    Question,
    as_assurance,
    as_trials,
    counted,
    largest_spread,
    percent,
)
from ogive.statistics.planning._precision import tail_words
from ogive.words import percent_sure

MOST_REPEATS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotPrecision(Question):
    """The half-width that the interval of a mean, or of a tail's mean, will have if the spread is what a pilot allows.

    Notes
    -----
    Approximate: Student's interval, for a tail that of `tail_mean_interval`. A pilot of few runs knows the
    spread badly, and n goes with its square; so `sd` is the upper limit of the pilot's spread, which a
    normal spread exceeds in one pilot of five (`largest_spread`). Of a tail only the runs in it count for
    the limit, which is heuristic there: simulated with normal and exponential scores it holds in .58 to .71
    of pilots (docs/reference/planning.md).
    """

    sd: float
    n_pilot: int | None = None
    sd_pilot: float | None = None
    assurance: float | None = None
    mass: float = 1.0
    tail: str | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        as_confidence(self.confidence)
        as_mass(self.mass)
        as_count(self.sd, "sd")

    @classmethod
    def from_scores(
        cls, scores: ArrayLike, *, mass: float = 1.0, tail: str | None = None, confidence: float = 0.95,
        assurance: float | None = ASSURANCE,
    ) -> PilotPrecision:  # fmt: skip
        """The question for these scores; `tail` is needed for a mass below 1; without assurance their own spread is taken."""
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
        known = max(2, math.ceil(values.size * mass - 1e-9))
        limit = deviation if assurance is None else largest_spread(deviation, known, assurance)
        return cls(
            sd=limit, n_pilot=values.size, sd_pilot=deviation, assurance=assurance, mass=mass, tail=tail, confidence=confidence
        )  # fmt: skip

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
        return f"half-width of the {percent_sure(self.confidence)} interval of {tail_words(self.mass, self.tail)}"

    def width(self, n: int) -> float:
        """Student's half-width."""
        return student_half(self.sd, n, min(n - 1, self._in_tail(n) - 1), self.confidence)

    def how(self, n: int) -> How:
        """Student's t, or its version for a tail."""
        few = self._in_tail(n) < FEW_IN_TAIL and self.mass < 1.0
        guessed = self.assurance is not None and self.mass < 1.0
        notes = (Assumption.INDEPENDENT, self._spread)
        return How(
            "Student's t" if self.mass == 1.0 else "tail t",
            "heuristic" if few or guessed else "approximate",
            (*notes, Assumption.SHORT_TAIL) if few else notes,
        )

    def claim(self, n: int, width: float) -> str:
        """The answer."""
        if self.assurance is not None:
            sure = f" with {percent(self.assurance)} assurance" if self.mass == 1.0 else ", roughly"
            spread = f"is at most {self.sd:.3g}, as the pilot says{sure}"
        else:
            spread = f"is {self.sd:.3g}" if self.n_pilot is None else "stays that of the pilot"
        return (
            f"{counted(n, 'trials')} put {tail_words(self.mass, self.tail)} within about ±{width:.3g} with "
            f"{percent_sure(self.confidence)} confidence, if the spread {spread}"
        )

    @property
    def _spread(self) -> str:
        """Which spread is taken, and where it is from."""
        if self.n_pilot is None:
            return f"the spread is {self.sd:.3g}"
        if self.assurance is None:
            return f"the spread stays that of the pilot: {self.sd:.3g} from {self.n_pilot} runs"
        return (
            f"the spread is {self.sd:.3g}, the {percent(self.assurance)} upper limit of the {self.sd_pilot:.3g} of the "
            f"pilot's {self.n_pilot} runs"
        )

    def _in_tail(self, n: int) -> int:
        return math.ceil(n * self.mass - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLevelPrecision(Question):
    """The half-width of the mean over clusters (configurations, items) with several scores (seeds, repeats) each.

    Notes
    -----
    Approximate: the clusters' means have the variance between + within / repeats, and Student's
    interval counts clusters. `n` counts scores: clusters times repeats. From a pilot both variances are
    upper limits with the assurance stated.
    """

    between: float
    within: float
    repeats: int
    n_clusters: int | None = None
    unit_word: str = "cluster"
    confidence: float = 0.95
    assurance: float | None = None

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

    @classmethod
    def from_pilot(
        cls, scores: ArrayLike, clusters: ArrayLike, *, cost_ratio: float = 1.0, repeats: int | None = None,
        unit_word: str = "cluster", confidence: float = 0.95, assurance: float = ASSURANCE,
    ) -> TwoLevelPrecision:  # fmt: skip
        """The question with the upper limits of both variances, and the repeats that are best for their estimates.

        The variance between clusters is at most its one-sided limit with the assurance; where its estimate is 0,
        the limit decides about the repeats too.
        """
        # The upper end of a two-sided interval at 2 a - 1 is a one-sided limit at a.
        found = variance_components(scores, clusters, confidence=max(2.0 * as_assurance(assurance) - 1.0, 1e-6))
        between, within = found.between.high, found.within.high
        if repeats is None:
            sure = found.between.estimate > 0.0
            repeats = best_repeats(found, cost_ratio) if sure else _best(between, within, cost_ratio)
        return cls(
            between=between, within=within, n_clusters=found.n_clusters, repeats=as_trials(repeats), unit_word=unit_word,
            confidence=as_confidence(confidence), assurance=assurance,
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
        return f"half-width of the {percent_sure(self.confidence)} interval of the mean"

    def width(self, n: int) -> float:
        """Student's half-width over the clusters that n scores make up."""
        k = n // self.repeats
        return student_half(math.sqrt(self.between + self.within / self.repeats), k, k - 1, self.confidence)

    def how(self, n: int) -> How:
        """Student's t by cluster, and how far more repeats alone would lead."""
        spread = (
            "the variance between and within stays that of the pilot"
            if self.assurance is None
            else f"the variances between and within are the {percent(self.assurance)} upper limits of the pilot's"
        )
        assumed = (f"independent {self.unit_word}s", spread)
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
            f"±{width:.3g} with {percent_sure(self.confidence)} confidence{self._if}"
        )

    @property
    def _if(self) -> str:
        if self.assurance is None:
            return ""
        sd = math.sqrt(self.between + self.within / self.repeats)
        return (
            f", if their means spread by at most {sd:.3g}, as the pilot says with {percent(self.assurance)} assurance"
        )


def best_repeats(components: VarianceComponents, cost_ratio: float = 1.0) -> int:
    """The whole number of scores for each cluster that makes the mean most precise for a budget; at most 100."""
    components.repeats(cost_ratio)  # refuses a cost that makes no sense
    return _best(components.between.estimate, components.within.estimate, cost_ratio)


def _best(between: float, within: float, cost_ratio: float) -> int:
    ideal = MOST_REPEATS if between <= 0.0 else min(math.sqrt(cost_ratio * within / between), float(MOST_REPEATS))
    choices = {max(1, math.floor(ideal)), math.ceil(ideal)}
    return min(sorted(choices), key=lambda r: (between + within / r) * (cost_ratio + r))


def student_half(sd: float, n: int, df: int, confidence: float) -> float:
    """t · sd / sqrt(n); infinite without a degree of freedom."""
    if df < 1:
        return math.inf
    from scipy.special import stdtrit

    return float(stdtrit(df, 0.5 + confidence / 2.0)) * sd / math.sqrt(n)
