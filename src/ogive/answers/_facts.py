"""What is seen in these data, as sentences: descriptions, not verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ogive.statistics import band, ecdf
from ogive.trials import FloatArray, IntArray, Trials
from ogive.words import listed, number, printable, share

MOST_SENTENCES = 4
FEWEST_RUNS = 10
FEWEST_VALUES = 6
# A collapse is a second mode, not a tail: at least this share (and number) of runs in the worst quarter
# of the range, the median in the best quarter, and the middle half nearly empty between them.
COLLAPSE_SHARE, COLLAPSE_RUNS, HOLLOW = 0.1, 5, 0.25
NOTABLE = 0.05


def facts(
    trials: Trials, metric: str, confidence: float, failures: str | float = "worst", *, named: bool = False
) -> tuple[str, ...]:
    """The loudest facts: a median above another method's best, and runs that collapse.

    Failed runs count as `failures` says, clusters count once, as in the table beside the sentences.
    `named` names the metric, for readers of several.
    """
    found = _facts(trials, metric, confidence, failures)
    return tuple(f"By {printable(metric)}, {said[:1].lower()}{said[1:]}" for said in found) if named else found


def _facts(trials: Trials, metric: str, confidence: float, failures: str | float) -> tuple[str, ...]:
    sign = trials.definitions[metric].sign
    by_task: dict[str, dict[str, _Runs]] = {}
    for cell in trials.cells:
        scores, rows = trials.resolve_failures(cell, metric, failures)
        runs = _Runs.of(sign * scores, trials.clusters(rows))
        if runs is not None:
            by_task.setdefault(cell.task, {})[cell.algorithm] = runs
    # Among many pairs some median beats some best by chance: a fact is what chance would hardly ever show.
    n_pairs = len(trials.metrics) * sum(len(samples) * (len(samples) - 1) for samples in by_task.values())
    limit = (1.0 - confidence) / max(n_pairs, 1)
    if len(trials.tasks) > 1:
        return _over_tasks(by_task, limit)
    judged = trials.judged and not trials.clustered and trials.n_folds is None
    return tuple(
        sentence
        for samples in by_task.values()
        for sentence in (
            *_medians_above_best(samples, sign, limit),
            *_collapses(samples, sign, confidence, judged=judged),
        )
    )[:MOST_SENTENCES]


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """The runs of a cell, turned so that larger is better; failures may be minus infinity."""

    ordered: FloatArray
    median: float
    best: float
    n_units: int

    @classmethod
    def of(cls, scores: FloatArray, clusters: IntArray | None) -> _Runs | None:
        """None where there are too few runs for a fact."""
        n_units = scores.size if clusters is None else np.unique(clusters).size
        if n_units < FEWEST_RUNS or not np.isfinite(scores).any():
            return None
        ordered = np.sort(scores)
        if clusters is None:
            return cls(ordered, float(ordered[(ordered.size + 1) // 2 - 1]), float(ordered[-1]), n_units)
        if not np.isfinite(scores).all():
            return None
        return cls(ordered, ecdf(scores, clusters=clusters).quantile(0.5), float(ordered[-1]), n_units)


def _above(samples: dict[str, _Runs], limit: float) -> list[tuple[str, str]]:
    """Pairs (a, b): the median run of a is better than the best run of b, and would be by chance with less than `limit`."""
    return [
        (a, b)
        for a, x in samples.items()
        for b, y in samples.items()
        if x.median > y.best and _chance(x.n_units, y.n_units) <= limit
    ]


def _chance(n: int, m: int) -> float:
    """How often the median of n runs beats the best of m others of the same distribution.

    The best n - ceil(n/2) + 1 of all n + m runs must then be among the n.
    """
    above = n - (n + 1) // 2 + 1
    return math.prod((n - i) / (n + m - i) for i in range(above))


def _medians_above_best(samples: dict[str, _Runs], sign: float, limit: float) -> list[str]:
    sentences = []
    for a, b in _above(samples, limit):
        x, y = samples[a], samples[b]
        below = float(np.mean(x.ordered < y.ordered[0]))
        but = (
            f", while {share(below)} of its runs are worse than every run of {printable(b)}" if below >= NOTABLE else ""
        )
        sentences.append(
            f"The median run of {printable(a)} ({number(sign * x.median)}) beats the best of all {y.ordered.size} runs of "
            f"{printable(b)} ({number(sign * y.best)}){but}."
        )
    return sentences


def _over_tasks(by_task: dict[str, dict[str, _Runs]], limit: float) -> tuple[str, ...]:
    where: dict[tuple[str, str], list[str]] = {}
    for task, samples in by_task.items():
        for pair in _above(samples, limit):
            where.setdefault(pair, []).append(printable(task))
    most = sorted(where.items(), key=lambda entry: -len(entry[1]))[:MOST_SENTENCES]
    return tuple(
        f"On {listed(tasks) if len(tasks) <= 2 else f'{len(tasks)} of {len(by_task)} tasks'} the median run of {printable(a)} "
        f"beats every run of {printable(b)}."
        for (a, b), tasks in most
    )


def _collapses(samples: dict[str, _Runs], sign: float, confidence: float, *, judged: bool) -> list[str]:
    """Methods with a second, bad mode, far from the good one and with next to nothing between."""
    finite = np.concatenate([r.ordered[np.isfinite(r.ordered)] for r in samples.values()])
    low, high = float(finite.min()), float(finite.max())
    if np.unique(finite).size < FEWEST_VALUES:
        return []  # right or wrong, stars out of five: two values are no two modes
    quarter, middle = (high - low) / 4.0, (low + high) / 2.0
    parts = []
    for name, runs in samples.items():
        bad = float(np.mean(runs.ordered < low + quarter))
        between = float(np.mean((runs.ordered >= low + quarter) & (runs.ordered < high - quarter)))
        few = bad < COLLAPSE_SHARE or bad * runs.ordered.size < COLLAPSE_RUNS
        if few or between > HOLLOW * bad or runs.median < high - quarter:
            continue
        below = float(np.mean(runs.ordered < middle))
        shown = share(below)
        if judged and np.isfinite(runs.ordered).all():
            # The threshold was chosen after looking, so the share is read off the simultaneous band.
            i = band(runs.ordered, confidence=confidence).cdf(float(np.nextafter(middle, -np.inf)))
            shown += f" [{share(i.low)}, {share(i.high)}]"
        parts.append(f"{shown} of the runs of {printable(name)}")
    side = "below" if sign > 0 else "above"
    return (
        [f"{listed(parts)} collapse: they score {side} {number(sign * middle)}, half-way between worst and best."]
        if parts
        else []
    )
