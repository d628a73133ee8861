"""What is shown while a run goes on: a value, at most twice a second, and two ways to show it.

`Progress` is what a callback receives (`run(…, progress=callback)`). On a terminal a live bar is
drawn, elsewhere one line every 30 seconds; both on stderr. Showing takes at most a twentieth of the
driver's time: intervals are computed when somebody looks at them, from a bounded number of scores,
and looks are spaced by what they cost.

Trials that run far longer than the others are named while they run (`Pace`). A limit on time would have
ended such a trial; where there is none, a run of hours can wait for one that never ends, and shows
nothing but a bar that stands still.
"""

from __future__ import annotations

import contextlib
import logging
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ogive.errors import OgiveError
from ogive.metric import Metric, goal_by_name
from ogive.notes import Note, NoteKind
from ogive.runner._slot import Running
from ogive.runner._wire import Batch
from ogive.schema import OK
from ogive.statistics import Interval, Statistic, mean_interval, quantile_interval, tail_mean_interval
from ogive.study import Study
from ogive.trials import Trials
from ogive.words import duration, printable

FEWEST = 5  # finished trials of a cell, or of all, before one can be called long
FAR, SOON = 5.0, 10.0  # times the longest of the others, and seconds
log = logging.getLogger("ogive")


class Pace:
    """How long trials take, and which of those that run are far beyond it.

    A trial is compared with the longest of its cell, and with the longest of all where its cell has few.
    """

    def __init__(self) -> None:
        self._finished: dict[tuple[str, str], tuple[int, float]] = {}
        self._told: set[tuple[tuple[str, str], int]] = set()

    def learn(self, names: tuple[str, str], seconds: Iterable[float | None]) -> None:
        """Hear how long finished trials of a cell took."""
        took = [one for one in seconds if one is not None]
        if took:
            n, longest = self._finished.get(names, (0, 0.0))
            self._finished[names] = n + len(took), max(longest, *took)

    def far(self, running: Sequence[Running]) -> tuple[Note, ...]:
        """The trials that run far beyond the others; each is said in the log once."""
        found = []
        for one in running:
            n, longest = self._others(one.names)
            if n < FEWEST or one.seconds < max(SOON, FAR * longest):
                continue
            values = {
                "algorithm": one.names[0], "task": one.names[1], "trial": one.trial, "seconds": one.seconds, "n": n,
                "longest": longest, "limit": _round(max(SOON, FAR * longest)),
            }  # fmt: skip
            note = Note(NoteKind.RUNS_LONG, "wall_limit", values)
            found.append(note)
            if (one.names, one.trial) not in self._told:
                self._told.add((one.names, one.trial))
                log.warning("%s", note.sentence())
        return tuple(found)

    def _others(self, names: tuple[str, str]) -> tuple[int, float]:
        n, longest = self._finished.get(names, (0, 0.0))
        if n >= FEWEST:
            return n, longest
        every = self._finished.values()
        return sum(n for n, _ in every), max((longest for _, longest in every), default=0.0)


def _round(seconds: float) -> int:
    """Up to one digit that counts."""
    place: int = 10 ** math.floor(math.log10(seconds))
    return math.ceil(seconds / place) * place


Numbers: TypeAlias = Sequence[int] | np.ndarray[Any, np.dtype[np.int64]]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
EVERY = 0.5  # seconds between looks
SPACING = 20  # and at least so many times what the last look cost
LINE_EVERY = 30.0
MOST_SCORES = 100_000  # of a cell; an interval shown meanwhile needs no more
log = logging.getLogger("ogive")


@dataclass(frozen=True, kw_only=True)
class CellProgress:
    """What can be said of one cell from the trials that are complete from the first on.

    Attributes
    ----------
    n : int
        Usable scores among them.
    interval : Interval or None
        Of the chosen statistic, from the first 100,000 of these trials; computed when it is asked for.
    """

    algorithm: str
    task: str
    metric: str | None
    statistic: str
    n: int
    measure: Callable[[], Interval | None] = field(repr=False, compare=False)

    @cached_property
    def interval(self) -> Interval | None:
        """Of the chosen statistic; None where there are too few scores."""
        return self.measure()

    def __str__(self) -> str:
        said = "…" if self.interval is None else f"{self.interval}"
        some = self.interval is not None and self.interval.n < self.n
        of = f"the first {self.interval.n:,} of {self.n:,}" if self.interval is not None and some else f"{self.n:,}"
        noun = "trial" if self.n == 1 else "trials"
        return f"{self.algorithm} on {self.task}: {self.statistic} of {self.metric or 'score'} {said} ({of} {noun})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    done, total : int
        Trials of this run that are finished and kept, and that were missing when it began.
    rate : float
        Trials a second.
    seconds_left : float or None
    statuses : mapping
        Status to count.
    slow : tuple of Note
        Trials that run far longer than others did, where no limit on time ends them.
    unusable : mapping
        Metric to the number of trials in which it is no finite number, though others are.
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
    unusable: Mapping[str, int] = field(default_factory=dict)
    slow: tuple[Note, ...] = ()

    def __str__(self) -> str:
        share = 100 * self.done / self.total if self.total else 100.0
        parts = [f"{self.done:,} of {self.total:,} trials ({share:.0f} %)", f"{self.rate:,.3g}/s"]
        if self.seconds_left is not None and not self.finished:
            parts.append(f"{duration(round(self.seconds_left))} left")
        failed = {status: n for status, n in self.statuses.items() if status != OK and n}
        parts += [f"{n} {status}" for status, n in failed.items()]
        parts += [f"{n} without {metric}" for metric, n in self.unusable.items()]
        return ", ".join(parts)


class Watcher:
    """Keeps what progress needs of the rows, and tells a callback now and then.

    `earlier` are trials that the store held before: they count in the intervals, not in what is done. `running`
    tells which trials run; those that run far beyond the others are named, in the log even where nobody is told.
    """

    def __init__(
        self,
        cells: Sequence[tuple[tuple[str, str], Numbers]],
        metrics: Mapping[str, Metric],
        statistic: str,
        tell: Callable[[Progress], None] | None,
        earlier: Trials | None = None,
        running: Callable[[], Sequence[Running]] | None = None,
    ) -> None:
        self._metrics, self._statistic, self._tell = metrics, statistic, tell
        self._interval = statistic_interval(statistic)
        self._cells = {names: _Prefix(trials) for names, trials in cells} if tell else {}
        self.total = sum(len(trials) for _, trials in cells)
        self.done = 0
        self._statuses: dict[str, int] = {}
        self._unusable: dict[str, int] = {}
        self._running, self._pace = running, Pace()
        self._start = time.monotonic()
        self._next = self._start + EVERY
        if tell and earlier is not None:
            self._recall(earlier)

    def _recall(self, earlier: Trials) -> None:
        """Each cell by the metric that is shown of it: the first declared one, else the first that it has scores of."""
        numbers = earlier.table["trial"].chunk(0).to_numpy()
        wanted = tuple(self._metrics)[:1] or earlier.metrics
        took = earlier.table["wall_s"].chunk(0).to_numpy(zero_copy_only=False)
        for cell in earlier.cells:
            names, rows = (cell.algorithm, cell.task), cell.rows
            self._pace.learn(names, took[rows][np.isfinite(took[rows])].tolist())
            if names not in self._cells:
                continue
            scored = (m for m in wanted if m in earlier.metrics and not earlier.failed(m)[rows].all())
            metric, scores = next(scored, None), np.full(rows.size, np.nan)
            if metric is not None:
                scores = np.where(earlier.failed(metric)[rows], np.nan, earlier.values(metric)[rows])
            self._cells[names].recall(numbers[rows], scores, metric)

    def add(self, kept: Iterable[tuple[tuple[str, str], Batch]]) -> None:
        """Hear of rows that are kept."""
        for names, batch in kept:
            self.done += len(batch)
            self._pace.learn(names, batch.wall)
            if self._tell is None:
                continue
            for status in batch.statuses:
                self._statuses[status] = self._statuses.get(status, 0) + 1
            for metric in (m for i, names in batch.unusable.items() if batch.statuses[i] == OK for m in names):
                self._unusable[metric] = self._unusable.get(metric, 0) + 1
            name = next(iter(self._metrics), None) or next(iter(batch.metrics), None)
            self._cells[names].add(batch, name)

    def look(self, *, last: bool = False) -> None:
        """Tell, if it is time."""
        now = time.monotonic()
        if now < self._next and not last:
            return
        slow = () if last or self._running is None else self._pace.far(self._running())
        if self._tell is None:
            self._next = now + EVERY
            return
        passed = max(now - self._start, 1e-9)
        rate = self.done / passed
        left = (self.total - self.done) / rate if rate > 0 else None
        cells = tuple(self._cell(names, prefix) for names, prefix in self._cells.items())
        self._tell(
            Progress(done=self.done, total=self.total, rate=rate, seconds_left=left, statuses=dict(self._statuses),
                     cells=cells, finished=last, unusable=dict(self._unusable), slow=slow)
        )  # fmt: skip
        after = time.monotonic()
        self._next = after + max(EVERY, SPACING * (after - now))

    def _cell(self, names: tuple[str, str], prefix: _Prefix) -> CellProgress:
        n, first = prefix.complete()
        metric = prefix.metric
        toward = self._metrics.get(metric or "") or Metric.toward(goal_by_name(metric or ""))

        def measure() -> Interval | None:
            scores = first[np.isfinite(first)]
            try:
                return self._interval(scores, toward) if scores.size >= 2 else None
            except OgiveError as error:
                log.debug("no interval yet: %s", error)
                return None

        return CellProgress(
            algorithm=names[0], task=names[1], metric=metric, statistic=self._statistic, n=n, measure=measure
        )


MISSING, UNUSABLE, USABLE = 0, 1, 2


class _Prefix:
    """Scores of one cell in the order of its trials: of the first ones their values, of all whether they are there."""

    def __init__(self, trials: Numbers) -> None:
        self._trials = trials
        self._scores = np.full(min(len(trials), MOST_SCORES), np.nan)
        self._states = np.zeros(0, dtype=np.int8)
        self._reached = self._complete = self._usable = 0
        self.metric: str | None = None

    def recall(self, trials: np.ndarray[Any, np.dtype[np.int64]], scores: Floats, metric: str | None) -> None:
        """Take what was known before, but for trials that are to be run again."""
        known = ~np.isin(trials, self._trials)
        self._trials = np.union1d(trials[known], np.asarray(self._trials, dtype=np.int64))
        self._scores = np.full(min(len(self._trials), MOST_SCORES), np.nan)
        self.metric = metric
        self._take(self._places(trials[known]), scores[known])

    def add(self, batch: Batch, metric: str | None) -> None:
        """Take rows."""
        self.metric = self.metric or metric
        column = batch.metrics.get(self.metric or "")
        values = np.array(column, dtype=np.float64) if column else np.full(len(batch), np.nan)
        values[np.array(batch.statuses) != OK] = np.nan
        self._take(self._places(np.asarray(batch.trials, dtype=np.int64)), values)

    def _take(self, places: np.ndarray[Any, np.dtype[np.int64]], values: Floats) -> None:
        if not places.size:
            return
        self._reached = max(self._reached, int(places.max()) + 1)
        if self._reached > self._states.size:
            more = max(self._reached, 2 * self._states.size) - self._states.size
            self._states = np.concatenate([self._states, np.zeros(more, dtype=np.int8)])
        self._states[places] = np.where(np.isfinite(values), USABLE, UNUSABLE)
        early = places < self._scores.size
        self._scores[places[early]] = values[early]

    def complete(self) -> tuple[int, Floats]:
        """How many usable scores the trials have that are complete from the first on, and the first of them.

        A score that is given out is never written again.
        """
        rest = self._states[self._complete : self._reached]
        gaps = np.flatnonzero(rest == MISSING)
        new = rest[: gaps[0] if gaps.size else None]
        self._complete += new.size
        self._usable += int(np.count_nonzero(new == USABLE))
        return self._usable, self._scores[: self._complete]

    def _places(self, wanted: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        if isinstance(self._trials, range):
            return (wanted - self._trials.start) // self._trials.step
        return np.searchsorted(np.asarray(self._trials), wanted).astype(np.int64)


def statistic_interval(statistic: str) -> Callable[[Any, Metric], Interval]:
    """The interval of a statistic by its name: mean, median, q0.1, worst_0.1 or best_0.1."""
    found = Statistic.parse(statistic, argument="statistic", kinds=("mean", "q", "worst", "best"))
    if found.kind == "mean":
        return lambda scores, metric: mean_interval(scores)
    if found.kind == "q":
        return lambda scores, metric: quantile_interval(scores, found.amount)
    return lambda scores, metric: tail_mean_interval(scores, mass=found.amount, tail=found.tail(metric))


def shower(progress: bool | Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
    """The callback that `progress` asks for: the caller's own, a live bar, a line now and then, or none."""
    if callable(progress):
        return progress
    if not progress:
        return None
    return LiveBar() if sys.stderr is not None and sys.stderr.isatty() else Lines()


def announce(path: str, study: Study, n_trials: int, store: str | Path | None) -> None:
    """One line on stderr about a study that comes from a file, which the caller has not seen."""
    methods, tasks = (", ".join(part.name for part in parts) for parts in (study.algorithms, study.tasks))
    kept = "" if store is None else f"; kept in {store}"
    _say(f"study {study.name} of {path}: {methods} on {tasks}; {n_trials:,} trials each, seed {study.seed}{kept}")


def _say(line: str) -> None:
    if sys.stderr is not None:
        with contextlib.suppress(OSError):  # nobody looks any more
            sys.stderr.write(printable(line) + "\n")
            sys.stderr.flush()


class Lines:
    """One line on stderr every 30 seconds, with the intervals of the first cells."""

    MOST_CELLS = 4

    def __init__(self, every: float = LINE_EVERY) -> None:
        self._every = every
        self._last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last >= self._every and not progress.finished:
            self._last = now
            said = [
                str(progress),
                *(note.sentence() for note in progress.slow),
                *map(str, progress.cells[: self.MOST_CELLS]),
            ]
            more = len(progress.cells) - self.MOST_CELLS
            said += [f"and {more} more"] if more > 0 else []
            _say("; ".join(said))


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

        lines = [Text(printable(f"  {cell}")) for cell in progress.cells[: self.MOST_CELLS]]
        more = len(progress.cells) - self.MOST_CELLS
        lines += [Text(f"and {more} more")] if more > 0 else []
        bar = ProgressBar(total=max(progress.total, 1), completed=progress.done, width=60)
        rows = Table.grid()
        rows.add_row(bar)
        slow = [Text(printable(note.sentence()), style="bold") for note in progress.slow]
        for line in (Text(str(progress)), *slow, *lines):
            rows.add_row(line)
        return rows
