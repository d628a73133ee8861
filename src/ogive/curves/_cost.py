"""What a run will take, from a few timed fits, before it begins."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ogive.errors import InputError
from ogive.words import number

TIMED = 4  # fits of each model, from the smallest size to the largest
PATIENCE = 10.0  # seconds of timing for each model; beyond them the rest is extrapolated
ENOUGH = 0.5  # seconds of timing for a model whose curve is computed as a whole
STEEPEST = 3.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of computing, all workers together, by model."""

    seconds: Mapping[str, float]

    @property
    def total(self) -> float:
        """Of all models."""
        return sum(self.seconds.values())

    def refuse_above(self, most: float, fewer: str) -> None:
        """Refuse what is predicted to take longer than the user wants to wait; `fewer` is what to ask for instead."""
        if self.total <= most:
            return
        worst = max(self.seconds, key=lambda name: self.seconds[name])
        share = f", {worst!r} alone {duration(self.seconds[worst])}" if len(self.seconds) > 1 else ""
        raise InputError(
            f"these curves would take about {duration(self.total)} of computing{share}, more than `max_cost` = "
            f"{duration(most)} allows; ask for {fewer}, or raise max_cost to {_above(self.total)}."
        )


def as_max_cost(seconds: Any) -> float:
    """Seconds that a run may take."""
    number = isinstance(seconds, (int, float, np.integer, np.floating)) and not isinstance(seconds, bool)
    if not number or not seconds > 0:
        raise InputError(f"`max_cost` must be a positive number of seconds; got {seconds!r}.")
    return float(seconds)


def predict(sizes: Sequence[int], repetitions: Mapping[str, int], fit: Callable[[str, int], object]) -> Cost:
    """Cost of `repetitions` curves of each model; `fit(model, position)` does one fit of the grid.

    A few sizes are timed, from the smallest up; between them the cost is interpolated on logarithmic
    scales, beyond them extrapolated with the slope of the last two, at least proportional to n.
    """
    return Cost({model: n * sum(_curve(sizes, model, fit)) for model, n in repetitions.items() if n})


def whole_curve(sizes: Sequence[int], compute: Callable[[int], object]) -> float:
    """Seconds of one curve at all sizes; `compute(count)` computes the first `count` of them.

    More and more sizes are timed until that took half a second; the rest is extrapolated with the slope of
    the last two times, at least proportional to the number of sizes.
    """
    timed: list[tuple[int, float]] = []
    count = 4
    while not timed or (timed[-1][0] < len(sizes) and sum(seconds for _, seconds in timed) < ENOUGH):
        count = min(count, len(sizes))
        begin = time.process_time()
        with contextlib.suppress(Exception):
            compute(count)
        timed.append((count, max(time.process_time() - begin, 1e-6)))
        count *= 2
    (count, seconds), slope = timed[-1], 1.0
    if len(timed) > 1:
        before, less = timed[-2]
        slope = math.log(seconds / less) / math.log(count / before)
    return float(seconds * (len(sizes) / count) ** min(max(slope, 1.0), STEEPEST))


def _curve(sizes: Sequence[int], model: str, fit: Callable[[str, int], object]) -> list[float]:
    """Seconds at each size."""
    last = len(sizes) - 1
    positions = sorted({round(i * last / (TIMED - 1)) for i in range(TIMED)})
    timed: dict[int, float] = {}
    spent = 0.0
    with contextlib.suppress(Exception):
        fit(model, positions[min(1, len(positions) - 1)])  # what is loaded once must not count for every fit
    for position in positions:
        begin = time.process_time()
        with contextlib.suppress(Exception):  # a size at which a model fails costs what the failure costs
            fit(model, position)
        timed[position] = max(time.process_time() - begin, 1e-6)
        spent += timed[position]
        if spent > PATIENCE:
            break
    return [_at(sizes, timed, position) for position in range(len(sizes))]


def _at(sizes: Sequence[int], timed: Mapping[int, float], position: int) -> float:
    known = sorted(timed)
    if position in timed:
        return timed[position]
    above = [p for p in known if p > position]
    below = [p for p in known if p < position]
    if above and below:
        low, high = below[-1], above[0]
        weight = math.log(sizes[position] / sizes[low]) / math.log(sizes[high] / sizes[low])
        return math.exp((1.0 - weight) * math.log(timed[low]) + weight * math.log(timed[high]))
    slope = 1.0
    if len(known) > 1:
        low, high = known[-2:]
        slope = math.log(timed[high] / timed[low]) / math.log(sizes[high] / sizes[low])
    growth = (sizes[position] / sizes[known[-1]]) ** min(max(slope, 1.0), STEEPEST)
    return float(timed[known[-1]] * growth)


def duration(seconds: float) -> str:
    """`40 s`, `12 min`, `3.5 h`, `12 days`."""
    if seconds < 90:
        return f"{seconds:.3g} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{number(seconds / 3600)} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def _above(seconds: float) -> str:
    step = 10.0 ** math.floor(math.log10(seconds))
    return f"{math.ceil(1.2 * seconds / step) * step:.0f}"
