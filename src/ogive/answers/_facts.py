"""What is seen in these data: descriptions, not verdicts. Facts first; their words are made last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MedianAboveBest:
    """The median run of `a` is better than every run of `b`, on these of `n_tasks` tasks.

    On a single task `median`, `best` and `n` say by how much and of how many runs, and `below` is the share of
    `a`'s runs that are worse than every run of `b`.
    """

    a: str
    b: str
    tasks: tuple[str, ...]
    n_tasks: int
    median: float = math.nan
    best: float = math.nan
    n: int = 0
    below: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Collapses:
    """Methods with a second, bad mode: the share of runs beyond `threshold`, with its limits where runs are independent."""

    shares: tuple[tuple[str, float, tuple[float, float] | None], ...]
    threshold: float
    below: bool


Fact: TypeAlias = MedianAboveBest | Collapses


def facts(
    trials: Trials, metric: str, confidence: float, failures: str | float = "worst", *, named: bool = False
) -> tuple[str, ...]:
    """The loudest facts as sentences; `named` names the metric, for readers of several."""
    found = tuple(_words(fact) for fact in seen(trials, metric, confidence, failures))
    return tuple(f"By {printable(metric)}, {said[:1].lower()}{said[1:]}" for said in found) if named else found


def seen(trials: Trials, metric: str, confidence: float, failures: str | float = "worst") -> tuple[Fact, ...]:
    """The loudest facts: a median above another method's best, and runs that collapse.

    Failed runs count as `failures` says, clusters count once, as in the table beside the sentences.
    """
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
        return _over_tasks(by_task, trials.algorithms, limit)
    judged = trials.judged and not trials.clustered and trials.n_folds is None
    found: list[Fact] = []
    for task, samples in by_task.items():
        found += _medians_above_best(task, samples, sign, limit)
        found += _collapses(samples, sign, confidence, judged=judged)
    return tuple(found[:MOST_SENTENCES])


def _words(fact: Fact) -> str:
    if isinstance(fact, Collapses):
        parts = [
            share(value)
            + ("" if limits is None else f" [{share(limits[0])}, {share(limits[1])}]")
            + f" of the runs of {printable(name)}"
            for name, value, limits in fact.shares
        ]
        side = "below" if fact.below else "above"
        return f"{listed(parts)} collapse: they score {side} {number(fact.threshold)}, half-way between worst and best."
    a, b = printable(fact.a), printable(fact.b)
    if fact.n_tasks > 1:
        names = [printable(task) for task in fact.tasks]
        where = listed(names) if len(names) <= 2 else f"{len(names)} of {fact.n_tasks} tasks"
        return f"On {where} the median run of {a} beats every run of {b}."
    but = f", while {share(fact.below)} of its runs are worse than every run of {b}" if fact.below >= NOTABLE else ""
    return f"The median run of {a} ({number(fact.median)}) beats the best of all {fact.n} runs of {b} ({number(fact.best)}){but}."


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """The runs of a cell, turned so that larger is better; failures may be minus infinity.

    `median` is a run, the lower of the two in the middle: chances are known of runs. `middle` is the median that is
    said, as in every table.
    """

    ordered: FloatArray
    median: float
    middle: float
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
            n = ordered.size
            low, high = float(ordered[(n + 1) // 2 - 1]), float(ordered[n // 2])
            return cls(ordered, low, low if low == high else low / 2.0 + high / 2.0, float(ordered[-1]), n_units)
        if not np.isfinite(scores).all():
            return None
        found = ecdf(scores, clusters=clusters)
        return cls(ordered, found.quantile(0.5), found.median(), float(ordered[-1]), n_units)


def _is_above(runs: Sequence[_Runs], limit: float) -> NDArray[np.bool_]:
    """[i, j]: the median run of i is better than the best run of j, and would be by chance with less than `limit`."""
    median, best = np.array([r.median for r in runs]), np.array([r.best for r in runs])
    sizes, place = np.unique([r.n_units for r in runs], return_inverse=True)
    rare = np.array([[_chance(n, m) <= limit for m in sizes.tolist()] for n in sizes.tolist()])
    return np.asarray((median[:, None] > best[None, :]) & rare[place][:, place])


def _chance(n: int, m: int) -> float:
    """How often the median of n runs beats the best of m others of the same distribution.

    The best n - ceil(n/2) + 1 of all n + m runs must then be among the n.
    """
    above = n - (n + 1) // 2 + 1
    return math.prod((n - i) / (n + m - i) for i in range(above))


def _medians_above_best(task: str, samples: dict[str, _Runs], sign: float, limit: float) -> list[Fact]:
    found: list[Fact] = []
    names, runs = list(samples), list(samples.values())
    for i, j in np.argwhere(_is_above(runs, limit)).tolist():
        (a, x), (b, y) = (names[i], runs[i]), (names[j], runs[j])
        found.append(
            MedianAboveBest(
                a=a, b=b, tasks=(task,), n_tasks=1, median=sign * x.middle, best=sign * y.best, n=y.ordered.size,
                below=float(np.mean(x.ordered < y.ordered[0])),
            )
        )  # fmt: skip
    return found


def _over_tasks(by_task: dict[str, dict[str, _Runs]], methods: Sequence[str], limit: float) -> tuple[Fact, ...]:
    """The pairs that stand above each other on most tasks; of equal ones that which does so on an earlier task."""
    # All pairs at once: one by one 500 methods on 200 tasks took a minute.
    number = {method: i for i, method in enumerate(methods)}
    times = np.zeros((len(methods), len(methods)), dtype=np.intp)
    first = np.full(times.shape, len(by_task), dtype=np.intp)
    for t, samples in enumerate(by_task.values()):
        where = np.ix_(*[[number[m] for m in samples]] * 2)
        above = _is_above(list(samples.values()), limit)
        times[where] += above
        first[where] = np.where(above, np.minimum(first[where], t), first[where])
    a, b = np.nonzero(times)
    order = np.lexsort((b, a, first[a, b], -times[a, b]))[:MOST_SENTENCES]
    found = []
    for i, j in zip(a[order].tolist(), b[order].tolist(), strict=True):
        one, other = methods[i], methods[j]
        both = {t: [samples[one], samples[other]] for t, samples in by_task.items() if {one, other} <= samples.keys()}
        tasks = tuple(t for t, pair in both.items() if _is_above(pair, limit)[0, 1])
        found.append(MedianAboveBest(a=one, b=other, tasks=tasks, n_tasks=len(by_task)))
    return tuple(found)


def _collapses(samples: dict[str, _Runs], sign: float, confidence: float, *, judged: bool) -> list[Fact]:
    """Methods with a second, bad mode, far from the good one and with next to nothing between."""
    finite = np.concatenate([r.ordered[np.isfinite(r.ordered)] for r in samples.values()])
    low, high = float(finite.min()), float(finite.max())
    if np.unique(finite).size < FEWEST_VALUES:
        return []  # right or wrong, stars out of five: two values are no two modes
    quarter, middle = (high - low) / 4.0, (low + high) / 2.0
    shares: list[tuple[str, float, tuple[float, float] | None]] = []
    for name, runs in samples.items():
        bad = float(np.mean(runs.ordered < low + quarter))
        between = float(np.mean((runs.ordered >= low + quarter) & (runs.ordered < high - quarter)))
        few = bad < COLLAPSE_SHARE or bad * runs.ordered.size < COLLAPSE_RUNS
        if few or between > HOLLOW * bad or runs.median < high - quarter:
            continue
        limits = None
        if judged and np.isfinite(runs.ordered).all():
            # The threshold was chosen after looking, so the share is read off the simultaneous band.
            i = band(runs.ordered, confidence=confidence).cdf(float(np.nextafter(middle, -np.inf)))
            limits = i.low, i.high
        shares.append((name, float(np.mean(runs.ordered < middle)), limits))
    return [Collapses(shares=tuple(shares), threshold=sign * middle, below=sign > 0)] if shares else []
