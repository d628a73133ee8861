"""One trial of a cell, or many at once, in this process: what each drew, what came out, what it cost.

What the user's code does to the arrays and lists of its draw, to its configuration, to the global
generators, to numpy's error handling and to the process (`_state`) does not reach another trial: each
trial has a draw of its own (`Task.hand_out`), seeds `random`, `numpy.random` and, where it is imported,
`torch`, and puts the settings back. Objects of the user's own classes, globals and settings of
libraries are theirs to leave alone.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ogive.canonical import ADDRESS
from ogive.errors import InvalidScores
from ogive.runner._state import LONG, WIDE, Broken, State
from ogive.seeding import Streams

if TYPE_CHECKING:
    from ogive.algorithms import Candidate, Outcome
    from ogive.spaces import Space
    from ogive.study import Study

FloatArray: TypeAlias = NDArray[np.float64]

MOST_MESSAGE = 500
HANDLERS = 10  # exceptions of handlers that a trial left behind, before its process is given up
# Bound before user code runs: one that switches seeding off must not switch it off for its neighbors.
_seed, _np_seed = random.seed, np.random.seed


@dataclass(slots=True)
class Row:
    """A finished trial, in types that JSON knows."""

    trial: int
    status: str = "ok"
    message: str | None = None
    params: str | None = None
    scores: dict[str, float | None] = field(default_factory=dict)  # None where a metric is no finite number
    wall: float | None = None
    cpu: float | None = None
    inner: list[dict[str, Any]] | None = None
    series: dict[str, FloatArray] | None = None


class CellRunner:
    """Runs trials of one algorithm on one task of a study."""

    def __init__(self, study: Study, algorithm: str, task: str, state: State) -> None:
        self.state = state
        self._cell = study.cell(algorithm, task)
        self._expected = tuple(self._cell.algorithm.metrics)
        self._data = None if self._cell.task.empty else Streams(self._cell.roots["data"], "data", task)
        self.batch = self._cell.algorithm.batch

    def run(self, trial: int, note: Callable[[str], None] | None = None, *, interruptible: bool = False) -> Row:
        """The row of one trial; nothing gets out but a KeyboardInterrupt, and that only if `interruptible`.

        `note` hears the configuration before the algorithm runs, so that it is known even when the
        process does not survive.
        """
        row = Row(trial)
        wall, cpu = perf_counter(), process_time()
        try:
            try:
                with np.errstate():
                    self._fill(row, note)
            except BaseException as error:
                if interruptible and isinstance(error, KeyboardInterrupt):
                    raise
                row.status, row.message = judged(error)
        except BaseException as error:  # an alarm of the trial went off in the lines above
            if interruptible and isinstance(error, KeyboardInterrupt):
                self.state.put_back()
                raise
            row.status, row.message = judged(error)
        row.wall, row.cpu = perf_counter() - wall, process_time() - cpu
        self._tidy(row)
        return row

    def run_many(self, trials: Sequence[int], *, interruptible: bool = False) -> list[Row] | None:
        """The rows of trials that are done at once; None where they have to be run one by one.

        A trial that cannot be drawn, whose result is an exception or no score, fails alone. Where the
        function raises, or leaves behind what a worker process needs, nobody knows whose fault it was.
        Time is shared equally.
        """
        wall, cpu = perf_counter(), process_time()
        rows, whole = [Row(trial) for trial in trials], Row(-1)
        try:
            with np.errstate():
                self._fill_many(rows)
        except BaseException as error:
            if interruptible and isinstance(error, KeyboardInterrupt):
                self.state.put_back()
                raise
            whole.status = "error"
        whole.wall = perf_counter() - wall
        self._tidy(whole)
        # A deep look after each batch: what one of its trials left is never taken for the fault of a later one.
        replaced = self.state.deep(wide=True)
        if whole.status != "ok" or replaced is not None:
            return None
        share, cpu_share = (perf_counter() - wall) / len(rows), (process_time() - cpu) / len(rows)
        for row in rows:
            row.wall, row.cpu = share, cpu_share
        return rows

    def _fill_many(self, rows: list[Row]) -> None:
        cell, drawn = self._cell, []
        for row in rows:
            try:
                drawn.append((row, self._draw(row), self._config(row, None)))
            except Exception as error:
                row.status, row.message = judged(error)
        if not drawn:
            return
        seed_globals(cell.rng(drawn[0][0].trial))
        algorithm = cell.algorithm
        rngs = [cell.own_rng(row.trial) for row, _, _ in drawn]
        results = algorithm.evaluate_many([config for _, _, config in drawn], [draw for _, draw, _ in drawn], rngs)
        for (row, _, _), result in zip(drawn, results, strict=True):
            try:
                if isinstance(result, Exception):
                    raise result
                _take(row, result, self._expected, algorithm.searched)
            except Exception as error:
                row.status, row.message = judged(error)

    def _tidy(self, row: Row) -> None:
        """Put the process back; what a handler raises that the trial left behind comes too late to count."""
        state, late = self.state, 0
        while True:
            try:
                replaced = state.put_back()
                if not state.careful and row.wall > LONG:  # type: ignore[operator]
                    replaced = state.deep(wide=row.wall > WIDE) or replaced  # type: ignore[operator]
                break
            except Broken as broken:
                if state.own:
                    raise
                replaced = f"the trial {broken}"
                break
            except BaseException as error:
                late += 1
                if late > HANDLERS or (not state.own and isinstance(error, KeyboardInterrupt)):
                    raise
        if replaced is not None and row.status == "ok":
            row.status, row.message, row.scores, row.inner, row.series = "crashed", replaced, {}, None, None

    def _fill(self, row: Row, note: Callable[[str], None] | None) -> None:
        cell, trial = self._cell, row.trial
        draw = self._draw(row)
        config = self._config(row, note)
        seed_globals(cell.rng(trial))
        outcome = cell.algorithm.evaluate(config, draw, cell.rng(trial))
        _take(row, outcome, self._expected, cell.algorithm.searched)

    def _draw(self, row: Row) -> tuple[Any, ...]:
        # A draw that uses global generators is then the same for every algorithm, and held when data are held.
        if self._data is not None:
            seed_globals(self._data.at(self._cell.counters(row.trial)["data"]))
        return self._cell.draw(row.trial)

    def _config(self, row: Row, note: Callable[[str], None] | None) -> dict[str, Any]:
        config = self._cell.config(row.trial)
        row.params = self._cell.algorithm.space.encode(config)
        if note is not None:
            note(row.params)
        return config


def judged(error: BaseException) -> tuple[str, str]:
    """Status and message of a trial that raised."""
    message = one_line(error)
    if isinstance(error, MemoryError):
        return "memory", message
    if isinstance(error, InvalidScores):
        return "invalid", message.partition(": ")[2]
    if isinstance(error, ValueError) and "read-only" in message:
        message += " - it is kept for other trials: copy it first"
    return "error", message


def seed_globals(rng: np.random.Generator) -> None:
    """Seed every global generator from a stream; the stream itself must be asked for again afterwards.

    The seeds are mixed, since an estimator's `random_state` may be the same draw of the same stream,
    and a global generator in step with it would not be independent of it.
    """
    word = int(rng.bit_generator.random_raw())
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    _seed(word)
    _np_seed(word >> 32)
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "manual_seed"):
        torch.manual_seed(word & 0x7FFFFFFF)


def one_line(error: BaseException) -> str:
    """Type and text of an exception in one line without addresses."""
    try:
        text = str(error)[: 4 * MOST_MESSAGE]
    except BaseException:
        text = "(its text cannot be shown)"
    name = type(error).__name__
    return clean(f"{name}: {text}" if text else name)


def clean(text: str) -> str:
    """Text in one line, without addresses, not too long, and made of whole characters."""
    line = " ".join(ADDRESS.sub("0x…", text[: 4 * MOST_MESSAGE]).split())
    return line[:MOST_MESSAGE].encode("utf-8", "replace").decode("utf-8")


def _take(row: Row, outcome: Outcome, expected: tuple[str, ...], searched: Space) -> None:
    """Scores, chosen parameters, inner candidates and series of an outcome.

    A metric that is no finite number, or did not come, fails alone; with none left the trial is invalid.
    """
    if outcome.params is not None:
        row.params = searched.encode(outcome.params)
    if outcome.inner:
        row.inner = [_candidate(c, searched) for c in outcome.inner]
    if outcome.series:
        row.series = {str(name): _array(series.values) for name, series in outcome.series.items()}
    wrong = []
    for name, value in outcome.scores.items():
        row.scores[str(name)] = _finite(value)
        if not isfinite(value):
            wrong.append(f"{name!r} is {float(value)}")
    for name in expected:
        if name not in outcome.scores and name not in (outcome.series or ()):
            row.scores[name] = None
            wrong.append(f"{name!r} is missing")
    if wrong:
        row.message = clean(f"metric {'; metric '.join(wrong)}.")
    if not row.scores and not outcome.series:
        raise InvalidScores("no score came back.")
    if row.scores and all(value is None for value in row.scores.values()):
        raise InvalidScores(row.message)


def _candidate(candidate: Candidate, searched: Space) -> dict[str, Any]:
    return {
        "params": searched.encode(candidate.params),
        "scores": _numbers(candidate.scores),
        "mean": _finite(candidate.mean),
        "status": str(candidate.status),
        "message": None if candidate.message is None else clean(str(candidate.message)),
    }


def _numbers(values: Any) -> list[float | None]:
    return [_finite(value) for value in np.asarray(values, dtype=np.float64).ravel().tolist()]


def _array(values: Any) -> FloatArray:
    """Numbers, NaN for what is none."""
    found = np.array(values, dtype=np.float64).ravel()
    found[~np.isfinite(found)] = np.nan
    return found


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
