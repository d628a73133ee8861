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
    """

    rule: str | float
    worst: Mapping[str, float]
    n_failed: Mapping[Place, int]

    @classmethod
    def of(cls, trials: Trials, metrics: Sequence[str], rule: str | float) -> FailedRuns:
        """The failed runs of a table."""
        failed = np.any([trials.failed(metric) for metric in metrics], axis=0)
        return cls(
            rule=rule, worst={metric: trials.definitions[metric].worst for metric in metrics},
            n_failed={_place(cell): int(np.count_nonzero(failed[cell.rows])) for cell in trials.cells},
        )  # fmt: skip

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
            return " ".join(self._of_metric(metric, count) for metric, count in counts.items() if count)
        return self._together(next(iter(counts.values())), list(counts))

    def _together(self, count: int, metrics: Sequence[str]) -> str:
        ways: dict[str, list[str]] = {}
        for metric in metrics:
            ways.setdefault(failure_words(self.rule, count, self.worst[metric]), []).append(printable(metric))
        if len(ways) == 1:
            return f"{plural(count, 'run')} failed and {next(iter(ways))}."
        it = "it" if count == 1 else "they"
        counted = (f"In {listed(names)} {it} {words}." for words, names in ways.items())
        return " ".join([f"{plural(count, 'run')} failed.", *counted])

    def _of_metric(self, metric: str, count: int) -> str:
        has = "has" if count == 1 else "have"
        words = failure_words(self.rule, count, self.worst[metric])
        return f"{plural(count, 'run')} {has} no usable {printable(metric)} and {words}."


def _place(found: Counted | Cell) -> Place:
    return found.algorithm, found.task
