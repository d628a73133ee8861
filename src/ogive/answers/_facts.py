"""What is seen in these data, as sentences: descriptions, not verdicts."""

from __future__ import annotations

from collections import Counter

import numpy as np

from ogive.answers._words import listed, number, printable, share
from ogive.statistics import exceedance
from ogive.trials import FloatArray, Trials

MOST_SENTENCES = 4
# Fewer runs in the bad half of the range are a few bad days, not a second mode.
COLLAPSE_SHARE, COLLAPSE_RUNS = 0.1, 5
FEWEST_RUNS = 10


def facts(trials: Trials, metric: str, confidence: float) -> tuple[str, ...]:
    """The loudest facts: a median above another method's best, and runs that collapse."""
    sign = 1.0 if trials.definitions[metric].goal == "maximize" else -1.0
    by_task: dict[str, dict[str, FloatArray]] = {}
    for cell in trials.cells:
        scores, _ = trials.resolve_failures(cell, metric, "exclude")
        if scores.size >= FEWEST_RUNS:
            # Turned so that larger is better.
            by_task.setdefault(cell.task, {})[cell.algorithm] = np.sort(sign * scores)
    if len(trials.tasks) > 1:
        return _over_tasks(by_task)
    judged = trials.independent and not trials.clustered
    return tuple(
        sentence
        for samples in by_task.values()
        for sentence in (*_medians_above_best(samples, sign), *_collapses(samples, sign, confidence, judged=judged))
    )[:MOST_SENTENCES]


def _above(samples: dict[str, FloatArray]) -> list[tuple[str, str]]:
    """Pairs (a, b): the median run of a is better than the best run of b."""
    return [(a, b) for a, x in samples.items() for b, y in samples.items() if _median(x) > y[-1]]


def _medians_above_best(samples: dict[str, FloatArray], sign: float) -> list[str]:
    return [
        f"The median run of {printable(a)} ({number(sign * _median(samples[a]))}) beats the best of all {samples[b].size} runs of "
        f"{printable(b)} ({number(sign * samples[b][-1])})."
        for a, b in _above(samples)
    ]


def _over_tasks(by_task: dict[str, dict[str, FloatArray]]) -> tuple[str, ...]:
    counts = Counter(pair for samples in by_task.values() for pair in _above(samples))
    n = len(by_task)
    return tuple(
        f"On {count} of {n} tasks the median run of {printable(a)} beats every run of {printable(b)}."
        for (a, b), count in counts.most_common(MOST_SENTENCES)
    )


def _collapses(samples: dict[str, FloatArray], sign: float, confidence: float, *, judged: bool) -> list[str]:
    """Methods whose median lies in the good half of all scores while a share of runs lies in the bad half.

    The halves are those of the range seen: half-way between the worst and the best score of all methods.
    """
    middle = (min(x[0] for x in samples.values()) + max(x[-1] for x in samples.values())) / 2.0
    parts = []
    for name, scores in samples.items():
        bad = scores < middle
        if _median(scores) > middle and bad.mean() >= COLLAPSE_SHARE and bad.sum() >= COLLAPSE_RUNS:
            shown = share(float(bad.mean()))
            if judged:
                i = exceedance(bad.astype(float), 0.5, confidence=confidence)
                shown += f" [{share(i.low)}, {share(i.high)}]"
            parts.append(f"{shown} of the runs of {printable(name)}")
    side = "below" if sign > 0 else "above"
    return [f"{listed(parts)} collapse: they score {side} {number(sign * middle)}."] if parts else []


def _median(ordered: FloatArray) -> float:
    return float(ordered[(ordered.size + 1) // 2 - 1])
