"""Who is best? Tiers and rank intervals instead of 1 … N, and the matrix of pairs behind them."""

from __future__ import annotations

import html
import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ogive.answers._comparison import compare, refuse_undecidable
from ogive.answers._joining import Duel, join, require_values, shared_draws
from ogive.answers._outcome import Comparison
from ogive.answers._overall import across_tasks
from ogive.answers._verdict import Conclusion, rule
from ogive.answers._wording import Circumstances, unit_words
from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.notes import Note, sentences
from ogive.results import json_ready
from ogive.schema import ONE_TASK
from ogive.seeding import stream
from ogive.statistics import Interval
from ogive.statistics._ranking import first_shares, rank_limits, tiers, win_matrix
from ogive.trials import FloatArray, Trials, compact
from ogive.words import aligned, listed, plural, printable, share

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("algorithm", "score", "rank_low", "rank_high", "tier", "p_first")
RESAMPLES = 400
MOST_PAIRED = 2 / 3  # of the rows must share their draw with every other method, or none is paired


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

    `statistic` says what the difference is of: "mean", "improvement" (the probability that a fresh run
    of `a` beats one of `b`, averaged over these tasks) or "tasks won" (the share of tasks like these on
    which `a` has the better mean). `even` is its value for equal methods: 0 for means, else 1/2.
    """

    a: str
    b: str
    difference: Interval
    even: float
    wins: int
    ties: int
    losses: int
    statistic: str
    margin: float | None = None

    @property
    def conclusion(self) -> Conclusion:
        """Of `a`, read off the difference."""
        return rule(self.difference.low - self.even, self.difference.high - self.even, self.margin).conclusion

    @property
    def certain(self) -> int:
        """1 where `a` is certainly better (by more than the margin, where there is one), -1 where `b` is, else 0."""
        beyond = self.margin or 0.0
        return 1 if self.difference.low > self.even + beyond else -1 if self.difference.high < self.even - beyond else 0

    def turned(self) -> Pair:
        """The same pair, `b` first."""
        d, twice = self.difference, 2.0 * self.even
        return replace(
            self, a=self.b, b=self.a, wins=self.losses, losses=self.wins,
            difference=replace(d, estimate=twice - d.estimate, low=twice - d.high, high=twice - d.low),
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
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"Ranking({len(self.rows)} methods in {self.rows[-1].tier} tiers, resolution {self.resolution:.2f})"

    def __str__(self) -> str:
        head = ["tier", "rank", "method", self.statistic, "P(first)"]
        rows = [
            [str(r.tier), _ranks(r), printable(r.algorithm), f"{r.score:.4g}", "–" if math.isnan(r.p_first) else share(r.p_first)]
            for r in self.rows
        ]  # fmt: skip
        return "\n".join([*aligned([head, *rows]), "", self.verdict])

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
             "statistic": p.statistic, "even": p.even, "difference": p.difference.to_dict()} for p in self.pairs
        ]  # fmt: skip
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": sentences(self.notes), "verdict": self.verdict,
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
    looks: int = 1,
    seed: int = 0,
) -> Ranking:
    """Methods in tiers, with rank intervals and the probability of being first.

    On one task methods are scored by their mean and compared by its difference. On several they are
    scored by how often a run beats a run of another method, averaged over methods and tasks, which
    needs no common scale; pairs are compared by that probability over these tasks.

    Notes
    -----
    Every pair is one verdict; intervals are at the error divided by the number of pairs (and of `looks`,
    where the growing table is judged several times). A tier holds
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
    refuse_undecidable(trials, "rank")
    name = trials.metric_name(metric)
    tasks = list(trials.tasks) if task is None else [task]
    if margin is not None and len(tasks) > 1:
        raise InputError(
            "`margin` has the units of the score and goes with one task (on the command line --on); over several tasks scores have no common unit."
        )
    if looks < 1:
        raise InputError(f"`looks` must be at least 1; got {looks}.")
    methods, unranked = _rankable(trials, tasks, name, failures)
    n_failed = sum(int(np.count_nonzero(trials.failed(name)[trials.cell(m, t).rows])) for m in methods for t in tasks)
    trials, pairing = _shared_draws(trials, methods, tasks, name, failures)
    samples = [[_scores(trials, m, t, name, failures) for m in methods] for t in tasks]
    found = _all_pairs(trials, methods, tasks, name, 1.0 - (1.0 - confidence) / looks, failures, margin)
    one_task = len(tasks) == 1
    scores = np.array([s.mean() for s in samples[0]]) if one_task else _average_wins(samples)
    rows = _standings(
        methods, found, scores, _first(samples, seed), -1.0 if one_task and trials.goals[name] == "minimize" else 1.0
    )
    around = Circumstances.of(trials, name, task, failures)
    return Ranking(
        rows=rows, pairs=found, resolution=sum(p.certain != 0 for p in found) / len(found),
        statistic="mean" if one_task else "share of duels won", confidence=confidence,
        verdict=_sentence(rows, found, tasks, around, (confidence, f"{unit_words(trials, tasks)}; {pairing}", n_failed, unranked), looks),
        source=trials.source, unit=unit_words(trials, tasks), notes=trials.notes,
    )  # fmt: skip


def _standings(
    methods: list[str], found: tuple[Pair, ...], scores: FloatArray, first: FloatArray, sign: float
) -> tuple[Rank, ...]:
    """Methods best first, with what the certain pairs say of their ranks and tiers."""
    order = np.argsort(-scores, kind="stable")
    place = {m: i for i, m in enumerate(methods)}
    better = np.zeros((len(methods), len(methods)), dtype=bool)
    for p in found:
        better[place[p.a], place[p.b]] = p.certain > 0
        better[place[p.b], place[p.a]] = p.certain < 0
    low, high = rank_limits(better)
    tier = tiers(order.tolist(), better | better.T)
    return tuple(
        Rank(
            algorithm=methods[i], score=float(sign * scores[i]), rank_low=int(low[i]), rank_high=int(high[i]),
            tier=int(tier[i]), p_first=float(first[i]),
        )
        for i in order
    )  # fmt: skip


def _all_pairs(
    trials: Trials, methods: list[str], tasks: list[str], metric: str, confidence: float, failures: str | float,
    margin: float | None,
) -> tuple[Pair, ...]:  # fmt: skip
    pairs = list(itertools.combinations(methods, 2))
    level = 1.0 - (1.0 - confidence) / len(pairs)
    duels = {(a, b): [join(trials, a, b, t, metric, failures) for t in tasks] for a, b in pairs}
    if len(tasks) == 1:
        return tuple(_pair_on(trials, a, b, tasks[0], ds[0], confidence, margin, len(pairs), failures, metric) for (a, b), ds in duels.items())  # fmt: skip
    # One method with a single run leaves all pairs with the share of tasks won: one ranking, one statistic.
    # Folds share training data, so their runs cannot be counted as independent either.
    single = any(min(d.a.size, d.b.size) < 2 for ds in duels.values() for d in ds)
    by_task = single or trials.n_folds is not None
    return tuple(_pair_over(a, b, ds, tasks, level, by_task=by_task) for (a, b), ds in duels.items())


def _pair_on(
    trials: Trials, a: str, b: str, task: str, duel: Duel, confidence: float, margin: float | None, n_pairs: int,
    failures: str | float, metric: str,
) -> Pair:  # fmt: skip
    c = compare(
        trials, a, b, task=task, metric=metric, statistic="mean", margin=margin, confidence=confidence,
        failures=failures, family_size=n_pairs, paired=duel.paired,
    )  # fmt: skip
    assert isinstance(c, Comparison)
    sign = c.primary.estimate
    return Pair(
        a=a, b=b, difference=c.primary, even=0.0, wins=int(sign > 0), ties=int(sign == 0), losses=int(sign < 0),
        statistic="mean", margin=margin,
    )  # fmt: skip


def _pair_over(a: str, b: str, duels: list[Duel], tasks: list[str], level: float, *, by_task: bool) -> Pair:
    for duel in duels:
        if duel.clusters is not None:
            require_values(duel, "mean of a unit")
    order_only = any(duel.order_only for duel in duels)
    overall = across_tasks([d.by_unit() for d in duels], tasks, level, by_task=by_task, order_only=order_only)
    return Pair(
        a=a, b=b, difference=overall.primary, even=0.5, wins=overall.wins, ties=overall.ties, losses=overall.losses,
        statistic="tasks won" if by_task else "improvement",
    )  # fmt: skip


def _shared_draws(
    trials: Trials, methods: list[str], tasks: list[str], metric: str, failures: str | float
) -> tuple[Trials, str]:
    """The rows whose draw every method has, and whether methods are paired, in words.

    Rows without partner would count in a method's score but not in its pairs. Where most rows have
    none, methods are not paired at all.
    """
    if trials.pair is None:
        return trials, "not paired"
    rows = shared_draws(trials, methods, tasks, metric, failures)
    total = sum(trials.resolve_failures(trials.cell(m, t), metric, failures)[1].size for m in methods for t in tasks)
    if rows is None or rows.size < MOST_PAIRED * total:
        return replace(trials, pair=None), "not paired, since few rows share their draw with every other method"
    if rows.size == total:
        return trials, "paired"
    left = plural(total - rows.size, "run")
    return replace(trials, table=compact(trials.table.take(pa.array(rows)))), f"paired, {left} without partner left out"


def _rankable(trials: Trials, tasks: list[str], metric: str, failures: str | float) -> tuple[list[str], list[str]]:
    """Methods with runs on every task, and those whose every run failed on one, which are left out by name.

    Ranking a method that misses a task would compare different tasks.
    """
    cells = {(c.algorithm, c.task) for c in trials.cells}
    complete = [m for m in trials.algorithms if all((m, t) in cells for t in tasks)]
    missing = [m for m in trials.algorithms if m not in complete]
    if missing and len(tasks) > 1:
        raise InputError(
            f"{listed([repr(m) for m in missing])} {'has' if len(missing) == 1 else 'have'} no run on some tasks; "
            "choose one task (on the command line --on), or leave the method out."
        )
    unranked: list[str] = []
    if failures == "exclude":
        failed = trials.failed(metric)
        unranked = [m for m in complete if any(failed[trials.cell(m, t).rows].all() for t in tasks)]
    ranked = [m for m in complete if m not in unranked]
    if len(ranked) < 2:
        raise InputError(f"a ranking needs at least two methods with usable scores; there is {len(ranked)}.")
    return ranked, unranked


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


def _first(samples: list[list[FloatArray]], seed: int) -> FloatArray:
    """How often each method comes first when runs are drawn again; NaN where single runs cannot be."""
    if any(s.size < 2 for task in samples for s in task):
        return np.full(len(samples[0]), math.nan)
    rng = stream(seed, "resample", None, "rank")
    out = np.empty((RESAMPLES, len(samples[0])))
    for r in range(RESAMPLES):
        drawn = [[s[rng.integers(0, s.size, s.size)] for s in task] for task in samples]
        out[r] = [s.mean() for s in drawn[0]] if len(samples) == 1 else _average_wins(drawn)
    return first_shares(out)


def _ranks(r: Rank) -> str:
    return f"{r.rank_low}" if r.rank_low == r.rank_high else f"{r.rank_low}–{r.rank_high}"


def _sentence(
    rows: tuple[Rank, ...], pairs: tuple[Pair, ...], tasks: list[str], around: Circumstances,
    known: tuple[float, str, int, list[str]], looks: int,
) -> str:  # fmt: skip
    confidence, unit, n_failed, unranked = known
    place = (
        "" if tasks == [ONE_TASK] else f" on {printable(tasks[0])}" if len(tasks) == 1 else f" over {len(tasks)} tasks"
    )
    margin = f" by more than {pairs[0].margin:g}" if pairs[0].margin is not None else ""
    best = [printable(r.algorithm) for r in rows if r.score == rows[0].score]
    tier = [printable(r.algorithm) for r in rows if r.tier == 1]
    measure = {
        "mean": f"mean {printable(around.metric)}", "improvement": "share of duels won against the others",
    }.get(pairs[0].statistic, "share of duels won against the others")  # fmt: skip
    if len(tier) == 1:
        lead = f"{tier[0]} leads alone{place}, by its {measure}"
    elif len(best) == len(rows):
        lead = f"No method leads{place}: all have the same {measure}"
    else:
        others = [name for name in tier if name not in best[:1]]
        are = "is" if len(others) == 1 else "are"
        lead = f"{best[0]} has the best {measure}{place}, but {listed(others)} {are} not certainly behind it{margin}"
    separated = sum(p.certain != 0 for p in pairs)
    how = {
        "mean": "by the difference of means", "improvement": "by how often a fresh run beats another, averaged over these tasks",
    }.get(pairs[0].statistic, "by the share of tasks won, since runs cannot be counted (single runs, or folds); tasks taken as a random sample")  # fmt: skip
    failed = f"; {plural(n_failed, 'failed run')} {around.failed(n_failed)}" if n_failed else ""
    out = f" {listed([printable(m) for m in unranked])} failed throughout on some task and {'is' if len(unranked) == 1 else 'are'} not ranked." if unranked else ""  # fmt: skip
    together = "for all pairs together" + (f" at {looks} looks" if looks > 1 else "") + around.unpaid(looks)
    return (
        f"{lead}; the data separate {separated} of {plural(len(pairs), 'pair')}{margin} ({how}; "
        f"{100 * confidence:g} % confidence {together}; {unit}{failed}).{out}"
    )
