"""What is shown while a run goes on: a value, at most twice a second, and two ways to show it.

`Progress` is what a callback receives (`run(…, progress=callback)`). On a terminal a live bar is
drawn, elsewhere one line every 30 seconds; both on stderr.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ogive.errors import InputError, OgiveError
from ogive.metric import Metric
from ogive.runner._wire import Batch
from ogive.schema import OK
from ogive.statistics import Interval, mean_interval, quantile_interval, tail_mean_interval

EVERY = 0.5  # seconds between looks
LINE_EVERY = 30.0
log = logging.getLogger("ogive")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellProgress:
    """What can be said of one cell from the trials that are complete from the first on."""

    algorithm: str
    task: str
    metric: str | None
    n: int
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, total : int
        Trials of this run that are finished, and that were missing when it began.
    rate : float
        Trials a second.
    seconds_left : float or None
    statuses : mapping
        Status to count.
    cells : tuple of CellProgress
    finished : bool
        Whether this is the last look.
    """

    done: int
    total: int
    rate: float
    seconds_left: float | None
    statuses: Mapping[str, int] = field(default_factory=dict)
    cells: tuple[CellProgress, ...] = ()
    finished: bool = False

    def __str__(self) -> str:
        share = 100 * self.done / self.total if self.total else 100.0
        parts = [f"{self.done:,} of {self.total:,} trials ({share:.0f} %)", f"{self.rate:,.3g}/s"]
        if self.seconds_left is not None and not self.finished:
            parts.append(f"{_duration(self.seconds_left)} left")
        failed = {status: n for status, n in self.statuses.items() if status != OK and n}
        parts += [f"{n} {status}" for status, n in failed.items()]
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


class Watcher:
    """Keeps what progress needs of the rows, and tells a callback now and then."""

    def __init__(
        self,
        cells: Sequence[tuple[tuple[str, str], Sequence[int] | np.ndarray[Any, np.dtype[np.int64]]]],
        metrics: Mapping[str, Metric],
        statistic: str,
        tell: Callable[[Progress], None] | None,
    ) -> None:
        self._metrics, self._tell = metrics, tell
        self._interval = statistic_interval(statistic)
        self._cells = {names: _Prefix(trials) for names, trials in cells} if tell else {}
        self.total = sum(len(trials) for _, trials in cells)
        self.done = 0
        self._statuses: dict[str, int] = {}
        self._start = self._last = time.monotonic()

    def add(self, names: tuple[str, str], batch: Batch) -> None:
        """Hear of rows."""
        self.done += len(batch)
        if self._tell is None:
            return
        for status in batch.statuses:
            self._statuses[status] = self._statuses.get(status, 0) + 1
        name = next(iter(self._metrics), None) or next(iter(batch.metrics), None)
        self._cells[names].add(batch, name)

    def look(self, *, last: bool = False) -> None:
        """Tell, if it is time."""
        now = time.monotonic()
        if self._tell is None or (now - self._last < EVERY and not last):
            return
        self._last = now
        passed = max(now - self._start, 1e-9)
        rate = self.done / passed
        left = (self.total - self.done) / rate if rate > 0 else None
        cells = tuple(self._cell(names, prefix) for names, prefix in self._cells.items())
        self._tell(
            Progress(done=self.done, total=self.total, rate=rate, seconds_left=left, statuses=dict(self._statuses),
                     cells=cells, finished=last)
        )  # fmt: skip

    def _cell(self, names: tuple[str, str], prefix: _Prefix) -> CellProgress:
        scores = prefix.scores()
        metric = prefix.metric
        goal = self._metrics[metric].goal if metric is not None and metric in self._metrics else "maximize"
        interval = None
        if scores.size >= 2:
            try:
                interval = self._interval(scores, goal)
            except OgiveError as error:
                log.debug("no interval yet: %s", error)
        return CellProgress(algorithm=names[0], task=names[1], metric=metric, n=scores.size, interval=interval)


class _Prefix:
    """Scores of one cell in the order of its trials."""

    def __init__(self, trials: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]]) -> None:
        self._trials = trials
        self._scores = np.empty(0)
        self._there = np.empty(0, dtype=bool)
        self.metric: str | None = None

    def add(self, batch: Batch, metric: str | None) -> None:
        self.metric = self.metric or metric
        places = self._places(batch.trials)
        size = int(places.max()) + 1
        if size > self._scores.size:
            room = max(size, 2 * self._scores.size)
            self._scores = np.concatenate([self._scores, np.full(room - self._scores.size, np.nan)])
            self._there = np.concatenate([self._there, np.zeros(room - self._there.size, dtype=bool)])
        column = batch.metrics.get(self.metric or "")
        values = np.array(column, dtype=np.float64) if column else np.full(len(batch), np.nan)
        values[np.array(batch.statuses) != OK] = np.nan
        self._scores[places], self._there[places] = values, True

    def _places(self, trials: list[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
        wanted = np.asarray(trials, dtype=np.int64)
        if isinstance(self._trials, range):
            return (wanted - self._trials.start) // self._trials.step
        return np.searchsorted(np.asarray(self._trials), wanted).astype(np.int64)

    def scores(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Usable scores among the trials that are complete from the first on."""
        missing = np.flatnonzero(~self._there)
        whole = self._scores[: missing[0] if missing.size else None]
        usable: np.ndarray[Any, np.dtype[np.float64]] = whole[np.isfinite(whole)]
        return usable


def statistic_interval(statistic: str) -> Callable[[Any, str], Interval]:
    """The interval of a statistic by its name: mean, median, q0.1, worst_0.1 or best_0.1."""
    if statistic == "mean":
        return lambda scores, goal: mean_interval(scores)
    if statistic == "median":
        return lambda scores, goal: quantile_interval(scores, 0.5)
    try:
        kind, number = ("q", statistic[1:]) if statistic.startswith("q") else statistic.split("_")
        share = float(number)
        if not 0 < share < 1 or kind not in ("q", "worst", "best"):
            raise ValueError
    except (AttributeError, ValueError):
        raise InputError(
            f"`statistic` must be 'mean', 'median', 'q0.1', 'worst_0.1' or 'best_0.1'; got {statistic!r}."
        ) from None
    if kind == "q":
        return lambda scores, goal: quantile_interval(scores, share)
    return lambda scores, goal: tail_mean_interval(
        scores, mass=share, tail="lower" if (kind == "worst") == (goal == "maximize") else "upper"
    )


def shower(progress: bool | Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
    """The callback that `progress` asks for: the caller's own, a live bar, a line now and then, or none."""
    if callable(progress):
        return progress
    if not progress:
        return None
    return LiveBar() if sys.stderr is not None and sys.stderr.isatty() else Lines()


class Lines:
    """One line on stderr every 30 seconds."""

    def __init__(self, every: float = LINE_EVERY) -> None:
        self._every = every
        self._last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last >= self._every and not progress.finished and sys.stderr is not None:
            self._last = now
            sys.stderr.write(f"{progress}\n")
            sys.stderr.flush()


class LiveBar:
    """A bar, counts and intervals, redrawn in place on a terminal."""

    MOST_CELLS = 12

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)
        self._started = False

    def __call__(self, progress: Progress) -> None:
        if not self._started:
            self._live.start()
            self._started = True
        self._live.update(self._drawn(progress))
        if progress.finished:
            self._live.stop()

    def _drawn(self, progress: Progress) -> Any:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        lines = [Text(_shown(_cell_words(cell))) for cell in progress.cells[: self.MOST_CELLS]]
        more = len(progress.cells) - self.MOST_CELLS
        lines += [Text(f"and {more} more")] if more > 0 else []
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=60)
        rows = Table.grid()
        rows.add_row(bar)
        for line in (Text(str(progress)), *lines):
            rows.add_row(line)
        return rows


def _cell_words(cell: CellProgress) -> str:
    said = f"{cell.interval}" if cell.interval is not None else "…"
    return f"  {cell.algorithm} on {cell.task}: {cell.metric or 'score'} {said} ({cell.n} trials)"


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in text)
