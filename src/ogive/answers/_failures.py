"""How many runs failed, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from ogive.trials import Cell, Trials
from ogive.words import failure_words, listed, plural, printable

Place: TypeAlias = tuple[str, str]


class Counted(Protocol):
    """What says how many runs of a method have no usable score on a task."""

    @property
    def algorithm(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def n_failed(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedRuns:
    """The rule for failed runs, and their number.

    Attributes
    ----------
    rule : str or float
        refuse, exclude, worst, like:NAME or a number.
    worst : mapping
        The bound on the bad side of each metric, infinite where there is none.
    n_failed : mapping
        Runs without a usable score in any of the metrics, by method and task.
    n_rows : mapping or None
        All rows, by method and task, where several share a unit: a failed row is no failed unit then.
    """

    rule: str | float
    worst: Mapping[str, float]
    n_failed: Mapping[Place, int]
    n_rows: Mapping[Place, int] | None

    @classmethod
    def of(cls, trials: Trials, metrics: Sequence[str], rule: str | float) -> FailedRuns:
        """The failed runs of a table."""
        failed = np.any([trials.failed(metric) for metric in metrics], axis=0)
        return cls(
            rule=rule, worst={metric: trials.definitions[metric].worst for metric in metrics},
            n_failed={_place(cell): int(np.count_nonzero(failed[cell.rows])) for cell in trials.cells},
            n_rows={_place(cell): cell.rows.size for cell in trials.cells} if trials.clustered else None,
        )  # fmt: skip

    def beside(self, row: Counted) -> str:
        """How many failed, beside the number of units: `7`, or `7 of 50 rows`."""
        return f"{row.n_failed}" if self.n_rows is None else self._count(row.n_failed, {_place(row)})

    def sentence(self, shown: Sequence[Counted]) -> str:
        """How many runs behind what is shown failed and how they count, each run once; empty where none failed."""
        by_metric: dict[str, dict[Place, int]] = {}
        for row in shown:
            by_metric.setdefault(row.metric, {})[_place(row)] = row.n_failed
        counts = {metric: sum(by_place.values()) for metric, by_place in by_metric.items()}
        if not any(counts.values()):
            return ""
        places = {place for by_place in by_metric.values() for place in by_place}
        together = sum(self.n_failed[place] for place in places)
        if len(counts) > 1 and any(count != together for count in counts.values()):
            return " ".join(self._of_metric(metric, n, self._count(n, places)) for metric, n in counts.items() if n)
        count = next(iter(counts.values()))
        return self._together(count, self._count(count, places), list(counts))

    def _count(self, count: int, places: set[Place]) -> str:
        """`7 runs`, or `7 of 50 rows`."""
        if self.n_rows is None:
            return plural(count, "run")
        return f"{count} of {plural(sum(self.n_rows[place] for place in places), 'row')}"

    def _together(self, count: int, runs: str, metrics: Sequence[str]) -> str:
        ways: dict[str, list[str]] = {}
        for metric in metrics:
            ways.setdefault(failure_words(self.rule, count, self.worst[metric]), []).append(printable(metric))
        if len(ways) == 1:
            return f"{runs} failed and {next(iter(ways))}."
        it = "it" if count == 1 else "they"
        counted = (f"In {listed(names)} {it} {words}." for words, names in ways.items())
        return " ".join([f"{runs} failed.", *counted])

    def _of_metric(self, metric: str, count: int, runs: str) -> str:
        has = "has" if count == 1 else "have"
        words = failure_words(self.rule, count, self.worst[metric])
        return f"{runs} {has} no usable {printable(metric)} and {words}."


def _place(found: Counted | Cell) -> Place:
    return found.algorithm, found.task
