"""Who is best? Tiers and rank intervals instead of 1 … N, and the matrix of pairs behind them."""

from __future__ import annotations

import html
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.answers._comparison import Comparison, compare, refuse_undecidable
from ogive.answers._joining import join
from ogive.answers._overall import across_tasks
from ogive.answers._summary import unit_words
from ogive.answers._verdict import Conclusion, rule
from ogive.answers._words import listed, plural, printable, share
from ogive.errors import InputError
from ogive.seeding import stream
from ogive.statistics import Interval
from ogive.statistics._arguments import as_confidence
from ogive.statistics._interval import json_ready
from ogive.statistics._ranking import first_shares, rank_limits, tiers, win_matrix
from ogive.trials import ONE_TASK, FloatArray, Trials

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("algorithm", "score", "rank_low", "rank_high", "tier", "p_first")
RESAMPLES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """The standing of one method."""

    algorithm: str
    score: float
    rank_low: int
    rank_high: int
    tier: int
    p_first: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two methods: the difference (never changed by other methods), wins, ties and losses, the conclusion.

    `even` is the difference of equal methods: 0 for means, 1/2 for a probability of improvement.
    """

    a: str
    b: str
    difference: Interval
    even: float
    wins: int
    ties: int
    losses: int
    conclusion: Conclusion

    @property
    def certain(self) -> int:
        """1 where `a` is certainly better, -1 where `b` is, else 0."""
        return 1 if self.difference.low > self.even else -1 if self.difference.high < self.even else 0

    def turned(self) -> Pair:
        """The same pair, `b` first."""
        mirrored: dict[Conclusion, Conclusion] = {"better": "worse", "worse": "better"}
        d, twice = self.difference, 2.0 * self.even
        return replace(
            self, a=self.b, b=self.a, wins=self.losses, losses=self.wins,
            difference=replace(d, estimate=twice - d.estimate, low=twice - d.high, high=twice - d.low),
            conclusion=mirrored.get(self.conclusion, self.conclusion),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ranking:
    """Methods in tiers. `resolution` is the share of pairs that the data separate."""

    rows: tuple[Rank, ...]
    pairs: tuple[Pair, ...]
    resolution: float
    statistic: str
    confidence: float
    verdict: str
    source: str
    unit: str
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Ranking({len(self.rows)} methods in {self.rows[-1].tier} tiers, resolution {self.resolution:.2f})"

    def __str__(self) -> str:
        head = ["tier", "rank", "method", self.statistic, "P(first)"]
        table = [
            head,
            *([str(r.tier), _ranks(r), printable(r.algorithm), f"{r.score:.4g}", share(r.p_first)] for r in self.rows),
        ]
        widths = [max(len(row[i]) for row in table) for i in range(len(head))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in table]
        return "\n".join([*lines, "", self.verdict])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_pandas(self) -> pd.DataFrame:
        """One row for each method, best first."""
        import pandas as pd

        return pd.DataFrame([{c: getattr(r, c) for c in COLUMNS} for r in self.rows], columns=list(COLUMNS))

    def pair(self, a: str, b: str) -> Pair:
        """The pair, turned so that `a` comes first."""
        for p in self.pairs:
            if (p.a, p.b) == (a, b):
                return p
            if (p.a, p.b) == (b, a):
                return p.turned()
        raise InputError(f"there is no pair {a!r}, {b!r} in this ranking.")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        pairs = [
            {"a": p.a, "b": p.b, "wins": p.wins, "ties": p.ties, "losses": p.losses, "conclusion": p.conclusion,
             "difference": p.difference.to_dict()} for p in self.pairs
        ]  # fmt: skip
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": list(self.notes), "verdict": self.verdict,
            "statistic": self.statistic, "resolution": self.resolution,
            "rows": [json_ready({c: getattr(r, c) for c in COLUMNS}) for r in self.rows], "pairs": pairs,
        }  # fmt: skip


def rank(
    trials: Trials,
    *,
    metric: str | None = None,
    task: str | None = None,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    margin: float | None = None,
    seed: int = 0,
) -> Ranking:
    """Methods in tiers, with rank intervals and the probability of being first.

    On one task methods are scored by their mean and compared by its difference. On several they are
    scored by how often a run beats a run of another method, averaged over methods and tasks, which
    needs no common scale; pairs are compared by that probability over these tasks.

    Notes
    -----
    Every pair is one verdict; intervals are at the error divided by the number of pairs. A tier holds
    the methods that are not separated from its best one. P(first) resamples runs and is a
    description.

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> rank(trials).to_pandas()["tier"].tolist()
    [1, 1, 2]
    """
    confidence = as_confidence(confidence)
    name = trials.metric_name(metric)
    refuse_undecidable(trials)
    tasks = list(trials.tasks) if task is None else [task]
    if margin is not None and len(tasks) > 1:
        raise InputError(
            "`margin` has the units of the score and goes with one task (on the command line --on); over several tasks scores have no common unit."
        )
    methods = _complete_methods(trials, tasks)
    pairs = list(itertools.combinations(methods, 2))
    one_task = len(tasks) == 1
    # Rows without partner would count in a method's score but not in its pairs: then nothing is paired.
    unmatched = any(join(trials, a, b, t, name, failures).n_unmatched for a, b in pairs for t in tasks)
    paired = False if unmatched else None
    found = [_pair(trials, a, b, tasks, name, confidence, failures, margin, len(pairs), paired) for a, b in pairs]
    samples = [[_scores(trials, m, t, name, failures) for m in methods] for t in tasks]
    scores = np.array([s.mean() for s in samples[0]]) if one_task else _average_wins(samples)
    order = np.argsort(-scores, kind="stable")
    place = {m: i for i, m in enumerate(methods)}
    better = np.zeros((len(methods), len(methods)), dtype=bool)
    for p in found:
        better[place[p.a], place[p.b]] = p.certain > 0
        better[place[p.b], place[p.a]] = p.certain < 0
    low, high = rank_limits(better)
    tier = tiers(order.tolist(), better | better.T)
    first = first_shares(_resampled_scores(samples, seed, one_task))
    sign = 1.0 if trials.goals[name] == "maximize" or not one_task else -1.0
    rows = tuple(
        Rank(
            algorithm=methods[i], score=float(sign * scores[i]), rank_low=int(low[i]), rank_high=int(high[i]),
            tier=int(tier[i]), p_first=float(first[i]),
        )
        for i in order
    )  # fmt: skip
    resolution = float(better.sum()) / max(1, len(pairs))
    return Ranking(
        rows=rows, pairs=tuple(found), resolution=resolution, statistic="mean" if one_task else "share of duels won", confidence=confidence,
        verdict=_sentence(rows, resolution, len(pairs), tasks, (confidence, unit_words(trials))), source=trials.source,
        unit=unit_words(trials), notes=trials.notes,
    )  # fmt: skip


def _pair(
    trials: Trials, a: str, b: str, tasks: list[str], metric: str, confidence: float, failures: str | float,
    margin: float | None, n_pairs: int, paired: bool | None,
) -> Pair:  # fmt: skip
    if len(tasks) == 1:
        c = compare(
            trials, a, b, task=tasks[0], metric=metric, statistic="mean", margin=margin, confidence=confidence,
            failures=failures, family_size=n_pairs, paired=paired,
        )  # fmt: skip
        assert isinstance(c, Comparison)
        sign = c.primary.estimate
        return Pair(
            a=a, b=b, difference=c.primary, even=0.0, wins=int(sign > 0), ties=int(sign == 0), losses=int(sign < 0),
            conclusion=c.conclusion,
        )  # fmt: skip
    duels = [join(trials, a, b, t, metric, failures, paired) for t in tasks]
    overall = across_tasks([d.by_unit() for d in duels], tasks, 1.0 - (1.0 - confidence) / n_pairs)
    difference = overall.sign if overall.improvement is None else overall.improvement
    return Pair(
        a=a, b=b, difference=difference, even=0.5, wins=overall.wins, ties=overall.ties, losses=overall.losses,
        conclusion=rule(difference.low - 0.5, difference.high - 0.5, margin).conclusion,
    )  # fmt: skip


def _complete_methods(trials: Trials, tasks: list[str]) -> list[str]:
    """Methods with runs on every task; ranking others with them would compare different tasks."""
    cells = {(c.algorithm, c.task) for c in trials.cells}
    complete = [m for m in trials.algorithms if all((m, t) in cells for t in tasks)]
    missing = [m for m in trials.algorithms if m not in complete]
    if missing:
        raise InputError(
            f"{listed([repr(m) for m in missing])} has no run on some tasks; choose a task=, or leave the method out."
        )
    if len(complete) < 2:
        raise InputError(f"a ranking needs at least two methods; there is {len(complete)}.")
    return complete


def _scores(trials: Trials, method: str, task: str, metric: str, failures: str | float) -> FloatArray:
    """Scores of a method, turned so that larger is better; one for each unit."""
    values, rows = trials.resolve_failures(trials.cell(method, task), metric, failures)
    if not values.size:
        raise InputError(f"{method!r} has no usable score on {task!r}; leave it out, or count its failures.")
    clusters = trials.clusters(rows)
    if clusters is not None:
        _, codes = np.unique(clusters, return_inverse=True)
        values = np.bincount(codes, weights=values) / np.bincount(codes)
    return np.asarray(values if trials.goals[metric] == "maximize" else -values)


def _average_wins(samples: list[list[FloatArray]]) -> FloatArray:
    """Share of duels that each method wins against the others, averaged over methods and tasks."""
    n = len(samples[0])
    wins = np.mean([win_matrix(task) for task in samples], axis=0)
    return np.asarray((wins.sum(axis=1) - 0.5) / (n - 1))


def _resampled_scores(samples: list[list[FloatArray]], seed: int, one_task: bool) -> FloatArray:
    rng = stream(seed, "resample", None, "rank")
    out = np.empty((RESAMPLES, len(samples[0])))
    for r in range(RESAMPLES):
        drawn = [[s[rng.integers(0, s.size, s.size)] for s in task] for task in samples]
        out[r] = [s.mean() for s in drawn[0]] if one_task else _average_wins(drawn)
    return out


def _ranks(r: Rank) -> str:
    return f"{r.rank_low}" if r.rank_low == r.rank_high else f"{r.rank_low}–{r.rank_high}"


def _sentence(
    rows: tuple[Rank, ...], resolution: float, n_pairs: int, tasks: list[str], known: tuple[float, str]
) -> str:
    leaders = [printable(r.algorithm) for r in rows if r.tier == 1]
    others = f"; {listed(leaders[1:])} cannot be told apart from it" if len(leaders) > 1 else " alone"
    place = (
        f" over {len(tasks)} tasks" if len(tasks) > 1 else "" if tasks == [ONE_TASK] else f" on {printable(tasks[0])}"
    )
    confidence, unit = known
    return (
        f"{leaders[0]} leads{place}{others}; the data separate {share(resolution)} of {plural(n_pairs, 'pair')} "
        f"({100 * confidence:g} % confidence for all pairs together, over {unit})."
    )
