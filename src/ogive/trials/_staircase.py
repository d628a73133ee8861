"""A run as a staircase over its steps: each value stands until the next one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ogive.arguments import FloatArray

UNUSUAL = 10.0  # times the median pause: a longer one is a gap; of random pauses one in a thousand is
ROUNDING = 1e-12  # of a step: 3 * 0.1 is 0.3


def just_above(step: float | FloatArray) -> FloatArray:
    """A step and what rounding may have added to it."""
    at = np.asarray(step, dtype=np.float64)
    return at + ROUNDING * np.abs(at)


@dataclass(frozen=True, slots=True, eq=False)
class Staircase:
    """One run over its steps: at any step it has the last value that was seen at or before it.

    Attributes
    ----------
    steps, values : array
        Where something was seen, steps ascending, and what.
    end : float
        The last step of the run, whether something was seen there or not.
    lost : float
        From this step on the run has no score any more, as where it diverged; infinite for a run that kept it.

    Notes
    -----
    A step without a value is one at which nothing was evaluated, and the value before it stands. Where values stop before the
    run does, for at least the longest usual pause between two of them (at most ten times their median pause), one was due
    that never came: there the run is lost. It is lost, too, from the first infinite value on, whatever follows; before the
    first finite one, an infinite value stands for nothing seen yet. After its end a run keeps its last value. Steps are
    compared but for rounding.

    Examples
    --------
    >>> run = Staircase.of([0, 10, 20, 30], [1.0, 3.0, float("nan"), 4.0])
    >>> run.at([5, 20, 30, 99]).tolist(), run.mean(), run.first(3.0)
    ([1.0, 3.0, 4.0, 4.0], 2.3333333333333335, 10.0)
    >>> Staircase.of([0, 10, 20], [1.0, 3.0, float("nan")]).at([10, 20]).tolist()
    [3.0, nan]
    >>> Staircase.of([0, 10, 20, 30], [1.0, float("inf"), 3.0, 4.0]).lost
    10.0
    """

    steps: FloatArray
    values: FloatArray
    end: float
    lost: float = np.inf

    @classmethod
    def of(cls, steps: ArrayLike, values: ArrayLike) -> Staircase:
        """From the rows of a run, ordered by their steps, which differ; what is not a number was not seen."""
        at, seen = np.asarray(steps, dtype=np.float64), np.asarray(values, dtype=np.float64)
        known = np.isfinite(seen)
        if not known.any():
            return cls(at[:0], seen[:0], float(at[-1]), -np.inf)
        end = float(at[-1])
        diverged = np.isinf(seen) & (np.arange(seen.size) > np.argmax(known))
        if diverged.any():
            first = int(np.argmax(diverged))
            known[first:] = False
            return cls(at[known], seen[known], end, float(at[first]))
        own = at[known]
        pauses = np.diff(own) if own.size > 1 else own[:1] - at[0]
        pause = float(pauses[pauses <= UNUSUAL * np.median(pauses)].max())
        # Evaluations at every tenth row end up to nine rows before the run.
        due = own[-1] + pause
        lost = float(at[at > own[-1]][0]) if own[-1] < end and end >= due else np.inf
        return cls(own, seen[known], end, lost)

    def at(self, grid: ArrayLike) -> FloatArray:
        """The last value at or before each step; NaN before the first, and where the run was lost."""
        asked = np.asarray(grid, dtype=np.float64)
        place = np.searchsorted(self.steps, just_above(asked), side="right") - 1
        held = self.values[np.maximum(place, 0)] if self.values.size else np.full(asked.shape, np.nan)
        return np.where((place < 0) | (asked >= self.lost), np.nan, held)

    def last(self) -> float:
        """The value at the end of the run."""
        return float(self.at([self.end])[0])

    def mean(self, until: float | None = None) -> float:
        """The area below the run from its first value to a step, or to its end, divided by the length of that way."""
        end = self.end if until is None else float(until)
        if end >= self.lost or not self.steps.size or just_above(end) < self.steps[0]:
            return np.nan
        if end <= just_above(self.steps[0]):
            return float(self.values[0])
        edges = np.append(np.minimum(self.steps, end), end)
        return float(self.values @ np.diff(edges) / (end - edges[0]))

    def first(self, target: float, *, small: bool = False) -> float:
        """The first step at which a value reaches a target, from below or, where small ones are good, from above; infinite if none does."""
        reached = np.flatnonzero(self.values <= target if small else self.values >= target)
        return float(self.steps[reached[0]]) if reached.size else np.inf
