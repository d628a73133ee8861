"""How many trials are enough, and what a number of trials can show.

A `Question` says which width n trials achieve: the half-width of an interval, or the smallest
difference that a test sees. `plan_trials` turns that round: the fewest trials for a width. Widths
that are made of ranks or counts do not fall evenly with n; the answer is then the number from which
on every larger one suffices too, so that a few trials more never spoil a plan (but for the one place
where the exact band's table ends).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ogive.arguments import as_count
from ogive.errors import InputError
from ogive.results import Guarantee, Strength, json_ready, strength_of
from ogive.tables import Ranged, Recorded, Table

MOST_TRIALS = 10**9
# How sure a plan from a pilot is to allow for the true spread. At the pilot's own spread every other plan falls short.
ASSURANCE = 0.8
# A width that equals the target but for rounding has reached it.
_ROUNDING = 1e-12


class How(NamedTuple):
    """The way an answer is reached: a method, what it promises, under which assumptions; what else to know."""

    method: str
    guarantee: Guarantee
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class PlanRow(NamedTuple):
    """A number of trials and the width it achieves."""

    n_trials: int
    achieved_width: float


class Question(ABC):
    """What one wants to know, as the width that n trials achieve."""

    __slots__ = ()
    # What the width is called as an argument.
    asks: ClassVar[str] = "half_width"

    @property
    @abstractmethod
    def what(self) -> str:
        """The question's name."""

    @property
    def fewest(self) -> int:
        """The fewest trials that have a width."""
        return 1

    @property
    def widest(self) -> float:
        """What a target must lie below."""
        return math.inf

    @property
    def unit(self) -> str:
        """What n counts."""
        return "trials"

    @property
    @abstractmethod
    def axis(self) -> str:
        """What the width is, in words."""

    @abstractmethod
    def width(self, n: int) -> float:
        """What n trials achieve; infinite where they achieve nothing."""

    @abstractmethod
    def how(self, n: int) -> How:
        """The way n trials are judged."""

    @abstractmethod
    def claim(self, n: int, width: float) -> str:
        """The answer as the beginning of a sentence."""

    def ripple(self, n: int) -> int:
        """How many trials beyond the first n that suffices could still be too few; 0 where widths fall evenly."""
        return 0

    @property
    def turning(self) -> int | None:
        """A number of trials beyond which another method takes over, and widths may jump up once."""
        return None

    def settings(self) -> dict[str, Any]:
        """The question's own numbers."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Plan(Recorded):
    """A number of trials, what it achieves, and in which sense.

    Attributes
    ----------
    n_trials : int
        In the question's unit: trials, trials of both methods in all, or pairs.
    achieved_width : float
        Half-width of the interval or band, or the smallest difference detected.
    target : float or None
        The width that was asked for; None where the number of trials was given.
    question : Question
        What was asked, with its settings.
    """

    n_trials: int
    achieved_width: float
    method: str
    guarantee: Guarantee
    target: float | None
    assumptions: tuple[str, ...]
    question: Question
    notes: tuple[str, ...] = ()
    source: str = ""

    @property
    def strength(self) -> Strength:
        """How sure it is, in the word that sentences use."""
        return strength_of(self.guarantee)

    def __repr__(self) -> str:
        return (
            f"Plan({self.question.what}, n_trials={self.n_trials}, achieved_width={self.achieved_width:.4g}, "
            f"{self.method}, {self.guarantee})"
        )

    def __str__(self) -> str:
        if math.isinf(self.achieved_width):
            return f"{counted(self.n_trials, self.question.unit)} are too few for an interval or a conclusion ({self.method})."
        return f"{self.question.claim(self.n_trials, self.width)} ({self.method}, {self.strength})."

    def as_tables(self) -> tuple[Table, ...]:
        """What fewer and more trials achieve."""
        rows = tuple((f"{row.n_trials:,}", Ranged(row.achieved_width)) for row in self.table())
        return (Table(head=(self.question.unit, self.question.axis), rows=rows, below=(str(self), *self.footnotes())),)

    def records(self) -> list[dict[str, Any]]:
        """A row for each number of trials."""
        return [row._asdict() for row in self.table()]

    @property
    def width(self) -> float:
        """What was asked for, or what is achieved where the number of trials was given."""
        return self.achieved_width if self.target is None else self.target

    def footnotes(self) -> tuple[str, ...]:
        """What the plan rests on, and what else to know."""
        return (f"Assumes: {'; '.join(self.assumptions)}.", *(f"{note[0].upper()}{note[1:]}." for note in self.notes))

    def table(
        self, *, n_trials: Iterable[int] | None = None, widths: Iterable[float] | None = None
    ) -> tuple[PlanRow, ...]:
        """What other numbers of trials achieve, or what other widths need.

        Without arguments from a quarter of the plan's trials to four times as many.
        """
        if widths is not None:
            needed = [trials_for(self.question, as_target(self.question, w)) for w in widths]
        elif n_trials is not None:
            needed = [as_trials(n) for n in n_trials]
        else:
            shares = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
            needed = sorted({max(self.question.fewest, round(self.n_trials * share)) for share in shares})
        return tuple(PlanRow(n, achieved(self.question, n)) for n in needed)

    def curve(self, points: int = 60) -> tuple[PlanRow, ...]:
        """Evenly spread on a log scale, a tenth of the plan's trials to ten times as many: for a picture."""
        least = max(self.question.fewest, self.n_trials // 10)
        spread = np.geomspace(least, min(MOST_TRIALS, max(least + 1, 10 * self.n_trials)), points)
        return self.table(n_trials=sorted({round(float(n)) for n in spread} | {self.n_trials}))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        own = {name: getattr(self, name) for name in ("n_trials", "achieved_width", "target", "method", "guarantee")}
        return {
            "schema": 1,
            "source": self.source,
            "unit": self.question.unit,
            "notes": list(self.notes),
            "assumptions": list(self.assumptions),
            "sentences": [str(self)],
            "question": json_ready({"what": self.question.what, **self.question.settings()}),
            **json_ready(own),
            "rows": [json_ready(row._asdict()) for row in self.table()],
        }


def plan_trials(question: Question, target: float | None = None, *, n_trials: int | None = None) -> Plan:
    """The fewest trials for a width, or the width for a number of trials.

    Parameters
    ----------
    question : Question
        For example `BandPrecision(confidence=0.95)`.
    target : float
        A half-width, or a difference to be detected.
    n_trials : int
        Instead of `target`: the reverse question.

    Examples
    --------
    >>> from ogive.statistics.planning import BandPrecision
    >>> print(plan_trials(BandPrecision(confidence=0.95, method="ks"), 0.1))
    181 trials put the 95 % band within ±0.1 of the share of runs everywhere (ks, guaranteed).
    """
    if (target is None) == (n_trials is None):
        raise InputError(
            f"a plan needs either `{question.asks}` or `n_trials`; got {'both' if n_trials else 'neither'}."
        )
    if n_trials is not None:
        n = as_trials(n_trials)
    else:
        assert target is not None
        target = as_target(question, target)
        n = trials_for(question, target)
    how = question.how(n)._asdict()
    return Plan(n_trials=n, achieved_width=achieved(question, n), target=target, question=question, **how)


def achieved(question: Question, n: int) -> float:
    """The width of n trials; infinite below the fewest."""
    return question.width(n) if n >= question.fewest else math.inf


def trials_for(question: Question, target: float) -> int:
    """The number of trials from which on the width is at most `target`, up to the question's turning."""
    reached = target * (1.0 + _ROUNDING)
    low, high = question.fewest - 1, question.fewest
    if question.turning is not None and question.turning >= high:
        n = question.turning
        low, high = (low, n) if question.width(n) <= reached else (n, n + 1)
    while question.width(high) > reached:
        if high >= MOST_TRIALS:
            raise InputError(
                f"`{question.asks}` {target:g} would need more than {MOST_TRIALS:.0e} {question.unit}; ask for a wider one."
            )
        low, high = high, min(2 * high, MOST_TRIALS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if question.width(middle) <= reached else (middle, high)
    for n in range(high + question.ripple(high), high, -1):
        if question.width(n) > reached:
            return n + 1
    return high


def as_target(question: Question, target: float) -> float:
    """A positive width below the widest that makes sense."""
    value = as_count(target, question.asks)
    if value >= question.widest:
        raise InputError(f"`{question.asks}` must lie below {question.widest:g}; got {value:g}.")
    return value


def as_trials(n_trials: float) -> int:
    """A whole number of trials."""
    value = as_count(n_trials, "n_trials")
    if value != int(value) or value > MOST_TRIALS:
        raise InputError(f"`n_trials` must be a whole number up to {MOST_TRIALS:.0e}; got {n_trials:g}.")
    return int(value)


def as_power(power: float) -> float:
    """A probability strictly between 0 and 1."""
    value = as_count(power, "power")
    if value >= 1.0:
        hint = f" Did you mean {value / 100:g}?" if 1.0 < value < 100.0 else ""
        raise InputError(f"`power` must lie in (0, 1); got {value:g}.{hint}")
    return value


def counted(n: int, unit: str) -> str:
    """`1 trial`, `73,778 trials in all`."""
    return f"{n:,} {unit if n != 1 else unit.replace('trials', 'trial').replace('pairs', 'pair')}"


def percent(share: float) -> str:
    """A share as `95 %`."""
    return f"{100 * share:g} %"


def as_assurance(assurance: float) -> float:
    """A probability of at least 1/2 and below 1."""
    value = as_count(assurance, "assurance")
    if not 0.5 <= value < 1.0:
        raise InputError(f"`assurance` must lie in [0.5, 1); got {value:g}.")
    return value


def largest_spread(sd: float, n: int, assurance: float = ASSURANCE) -> float:
    """The upper confidence limit of a standard deviation of n scores.

    Notes
    -----
    Exact for normal scores: (n - 1) sd² / σ² is a chi-square variable with n - 1 degrees of freedom. Scores
    with longer tails exceed it more often.

    Examples
    --------
    >>> round(largest_spread(1.0, 5), 3)
    1.558
    """
    from scipy.special import chdtri

    return sd * math.sqrt((n - 1) / float(chdtri(n - 1, as_assurance(assurance))))


def spreads_in_words(sd: tuple[float, ...]) -> str:
    """`1.2`, `1.2 and 3.4`."""
    return " and ".join(f"{value:.3g}" for value in sd)
