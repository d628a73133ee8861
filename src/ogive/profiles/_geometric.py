"""The shifted geometric mean of times, as Mittelmann's benchmarks report it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, capitalized, sentences
from ogive.profiles._cells import Moments, as_joined, from_moments, settle_missing
from ogive.profiles._preparing import comparable, limited
from ogive.profiles._reading import as_table, refuse_duplicates
from ogive.results import json_ready
from ogive.statistics import Assumption, Interval, mean_interval
from ogive.tables import Ranged, Recorded, Table


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GeometricMeans(Recorded):
    """Shifted geometric means of every method, and each as a multiple of the smallest.

    Attributes
    ----------
    means : dict
        Method -> Interval, problems taken as random.
    scaled : dict
        Method -> its mean over the smallest one.
    n_unsolved : dict
        Method -> values that failed and count as the time limit.
    """

    means: dict[str, Interval]
    scaled: dict[str, float]
    n_unsolved: dict[str, int]
    shift: float
    n_problems: int
    notes: tuple[Note, ...] = ()
    source: str = ""

    def __repr__(self) -> str:
        return f"GeometricMeans({len(self.means)} methods, {self.n_problems} problems, shift {self.shift:g})"

    def __str__(self) -> str:
        return self.as_tables()[0].to_text()

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each method, the smallest mean first."""
        rows = tuple(
            (m, Ranged(i.estimate, i.low, i.high), self.scaled[m], self.n_unsolved[m])
            for m, i in sorted(self.means.items(), key=lambda entry: entry[1].estimate)
        )
        head = ("method", "shifted geometric mean", "times the best", "failed")
        return (Table(head=head, rows=rows, below=tuple(map(capitalized, self.notes))),)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1,
            "source": self.source,
            "unit": "problems",
            "notes": sentences(self.notes),
            "shift": self.shift,
            "rows": [json_ready(row) for row in self.records()],
        }

    def records(self) -> list[dict[str, Any]]:
        """A row for each method."""
        return [
            {"algorithm": m, "estimate": i.estimate, "low": i.low, "high": i.high, "scaled": self.scaled[m],
             "n_unsolved": self.n_unsolved[m]} for m, i in self.means.items()
        ]  # fmt: skip


def shifted_geometric_mean(
    table: Any,
    *,
    shift: float = 10.0,
    time_limit: float | None = None,
    runs: str | None = None,
    missing: str = "refuse",
    confidence: float = 0.95,
    metric: str | None = None,
) -> GeometricMeans:
    """exp(mean(log(t + shift))) - shift of every method's times; failures count as the time limit.

    Notes
    -----
    The shift keeps problems of milliseconds from deciding. Intervals are Student's t on the logarithms,
    problems taken as a random sample: approximate. A failure counted as the limit makes a method look
    better than it is, the more so the lower the limit; the profile has no such choice. With `runs="best"` as many
    runs of each method count on a problem as the poorest has there: the best of more runs is better.

    Examples
    --------
    >>> found = shifted_geometric_mean({"a": [10.0, 30.0], "b": [90.0, 100.0]}, time_limit=100)
    >>> round(found.means["a"].estimate, 2), round(found.scaled["b"], 2), found.n_unsolved["b"]
    (18.28, 5.19, 1)
    """
    if not 0.0 <= shift < math.inf:
        raise InputError(f"`shift` must be a number of at least 0; got {shift}.")
    found = as_table(table, costs=True, metric=metric, goal="minimize", time_limit=time_limit)
    cells = from_moments(found) if isinstance(found, Moments) else found
    refuse_duplicates(cells, runs)
    cells = limited(settle_missing(cells, missing), time_limit, None)
    cells, thinned = comparable(cells, 0) if runs == "best" else (cells, ())
    times = cells.joined(as_joined(runs))
    failed = ~np.isfinite(times)
    if failed.any() and time_limit is None:
        raise InputError("failed runs count as the time limit here; say time_limit=.")
    times = np.where(failed, time_limit if time_limit is not None else 0.0, times)
    if (times < 0.0).any() or (times + shift == 0.0).any():
        raise InputError(f"times must be positive (0 is too small without a shift); got {times.min():g}.")
    confidence = as_confidence(confidence)
    means = {m: _back(np.log(times[i] + shift), shift, confidence) for i, m in enumerate(cells.methods)}
    least = min(i.estimate for i in means.values())
    notes = [
        Note(NoteKind.GEOMETRIC, values={"shift": shift, "confidence": confidence, "n": times.shape[1]}),
    ]
    notes += thinned
    if failed.any():
        notes.append(Note(NoteKind.FAILED_AT_LIMIT, "time_limit", {"n": int(failed.sum()), "limit": time_limit}))
    return GeometricMeans(
        means=means, scaled={m: i.estimate / least if least > 0 else math.nan for m, i in means.items()},
        n_unsolved={m: int(failed[k].sum()) for k, m in enumerate(cells.methods)}, shift=shift, n_problems=times.shape[1],
        notes=tuple(notes), source=cells.source,
    )  # fmt: skip


def _back(logs: Any, shift: float, confidence: float) -> Interval:
    """The interval of a mean of logarithms, back on the scale of times."""
    found = mean_interval(logs, confidence=confidence)
    ends = [math.exp(v) - shift if v < 700 else math.inf for v in (found.estimate, found.low, found.high)]
    return Interval(
        estimate=ends[0], low=max(ends[1], 0.0), high=ends[2], confidence=confidence, method="Student's t of the logarithms",
        guarantee="approximate", n=found.n, assumptions=(Assumption.RANDOM_PROBLEMS,),
    )  # fmt: skip
