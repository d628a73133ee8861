"""Who is best? Tiers and rank intervals instead of 1 … N, the pairs behind them, and who leads on each task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ogive.answers.verdicts import _wording
from ogive.answers.verdicts._comparison import decide_all, same_question, why_not
from ogive.answers.verdicts._question import MOST_LISTED, NAMED, Criterion, OneOfFour, Question, refuse_undecidable
from ogive.answers.verdicts._samples import Samples, all_pairs, gather
from ogive.answers.verdicts._verdict import Conclusion, Decided, Told, decide, hidden_collapse, rule
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, capitalized, sentences
from ogive.reading import Source, as_trials
from ogive.results import Strength, json_ready, strength_of, weakest
from ogive.statistics import Differences, Interval, criterion_value, rank_limits, tiers
from ogive.tables import Table
from ogive.trials import FloatArray, IntArray, Trials

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("algorithm", "score", "rank_low", "rank_high", "tier")
# Every pair is also judged on every task, up to so many verdicts: 60 methods on 11 tasks. Each takes a place in 2000 joint
# draws, 320 MB in all. A guaranteed one takes 17 ms.
MOST_SINGLE, MOST_GUARANTEED = 20_000, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """The standing of one method. A tier holds the methods that have equally many tiers certainly before them."""

    algorithm: str
    score: float
    rank_low: int
    rank_high: int
    tier: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two methods: their difference by the criterion, at the confidence at which it was decided, and the conclusion about `a`.

    The estimate never changes with other methods; limits may, since they are decided together. `even` is the
    value for equal methods; `wins`, `ties` and `losses` count tasks on which the mean of `a` is better.
    """

    a: str
    b: str
    difference: Interval
    even: float
    conclusion: Conclusion
    direction: int
    wins: int
    ties: int
    losses: int
    margin: float | None = None

    @property
    def certain(self) -> int:
        """1 where `a` is certainly better (by more than the margin, where there is one), -1 where `b` is, else 0."""
        beyond = self.margin or 0.0
        return 1 if self.difference.low > self.even + beyond else -1 if self.difference.high < self.even - beyond else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reversal:
    """A task on which `worse` is certainly better than `better`, which is certainly better over all tasks together.

    `difference` is that of `better` minus `worse` on the task, as in `Pair`.
    """

    better: str
    worse: str
    task: str
    difference: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading(OneOfFour):
    """Who leads by one of the four questions: the methods that no other is certainly better than; nobody where it is refused.

    They stand with the best estimate first. Of several it cannot be told which is best, whether or not one of them
    happens to be certainly better than somebody: with few runs that is chance, and not the mark of the better ones.
    """

    leaders: tuple[str, ...]
    scores: Mapping[str, float]
    resolution: float

    @property
    def ahead(self) -> tuple[str, ...]:
        """The leaders, where somebody is certainly behind them; nobody where all methods are unbeaten."""
        return self.leaders if len(self.leaders) < len(self.scores) else ()


class Leaders(dict[str, tuple[str, ...]]):
    """For each task the methods that no other is certainly better than, and the criterion that says so."""

    def __init__(self, found: Mapping[str, tuple[str, ...]], criterion: Criterion) -> None:
        super().__init__(found)
        self.criterion = criterion

    @property
    def caption(self) -> str:
        """What bold means in a table that marks them."""
        return _wording.bold_words(self.criterion)

    def told(self, methods: Mapping[str, Set[str]]) -> Leaders:
        """The same without the tasks on which all of these methods lead, of which a mark would say nothing."""
        kept = {t: names for t, names in self.items() if t in methods and not methods[t] <= set(names)}
        return Leaders(kept, self.criterion)

    def caption_without(self, told: Leaders) -> str:
        """What bold means in a table that marks those of `told` alone, and why the rest of these tasks is not marked."""
        if len(told) == len(self):
            return self.caption
        why = _wording.unbold_words(self.criterion, anywhere=not told)
        return f"{self.caption} {why}" if told else why


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Ranking(Told):
    """Methods in tiers, best first.

    Attributes
    ----------
    rows : tuple of Rank
    resolution : float
        Share of the pairs that the data separate.
    cycles : tuple of tuple of str
        Methods that certainly beat each other in a circle; they share a tier.
    unranked : tuple of str
        Methods whose every run failed on some task.
    """

    rows: tuple[Rank, ...]
    question: Question
    resolution: float
    cycles: tuple[tuple[str, ...], ...]
    unranked: tuple[str, ...]
    n_failed: int
    _samples: Samples
    _differences: Differences
    _decided: Decided
    _trials: Trials

    def __repr__(self) -> str:
        return f"Ranking({len(self.rows)} methods in {self.rows[-1].tier} tiers, resolution {self.resolution:.2f})"

    def __str__(self) -> str:
        return _wording.ranking_text(self)

    def as_tables(self) -> tuple[Table, ...]:
        """Tiers and ranks, and who leads by each of the four questions."""
        return _wording.ranking_tables(self)

    @property
    def criterion(self) -> str:
        """What decides."""
        return self.question.criterion.name

    @property
    def confidence(self) -> float:
        """For all pairs together."""
        return self.question.confidence

    @property
    def leaders(self) -> tuple[str, ...]:
        """The methods that no other is certainly better than, best first."""
        return tuple(r.algorithm for r in self.rows if r.tier == 1)

    @property
    def equivalent(self) -> bool:
        """Whether every pair is equivalent within the margin."""
        margin, even, d = self.question.margin, self._differences.even, self._decided
        if margin is None or not bool(np.all((d.low > even - margin) & (d.high < even + margin))):
            return False
        # A claim may still be withheld for collapses that so few runs would not show.
        return all(self.pair(a, b).conclusion == "equivalent" for a, b in combinations(self._samples.methods, 2))

    @cached_property
    def tied(self) -> bool:
        """Whether no run of one method differs from the run of another that it is compared with."""
        return all(self._samples.tied(0, i) for i in range(1, len(self._samples.methods)))

    @property
    def unit(self) -> str:
        """What is counted, in words."""
        return _wording.unit_words(self._trials, self.question.tasks, sampled=self.question.sampled)

    @property
    def by_draws(self) -> bool:
        """Whether pairs were decided by joint draws; else by Holm's rule."""
        return self._decided.by_draws

    @property
    def interval_methods(self) -> tuple[str, ...]:
        """How the intervals of the pairs are made: in one way, or in several where some pairs share draws."""
        return self._differences.methods

    @property
    def strength(self) -> Strength:
        """How far the weakest pair can be trusted: guaranteed, approximate or heuristic."""
        if (self._trials.n_folds is not None and not self.question.sampled) or self._samples.partly.any():
            return "heuristic"
        return weakest(map(strength_of, set(self._differences.guarantees)))

    @property
    def n_pairs(self) -> int:
        """How many pairs were decided together."""
        return len(self._differences)

    @property
    def n_separated(self) -> int:
        """How many of them were."""
        return int(np.count_nonzero(_certain(self._differences.even, self._decided, self.question.margin)))

    @cached_property
    def parts(self) -> tuple[str, str, str]:
        return _wording.ranking_parts(self)

    @cached_property
    def questions(self) -> Mapping[str, Leading]:
        """Who leads in a typical run, on average, on a bad day, after 8 tries."""
        others = sum(criterion != self.criterion for criterion in NAMED.values())
        return {name: self._answer(name, criterion, self.question.error / others) for name, criterion in NAMED.items()}

    def _answer(self, name: str, criterion: str, error: float) -> Leading:
        """One of the four: the criterion's own question is decided already, the others share a second error."""
        asked, refused, primary = self, None, criterion == self.criterion
        if not primary:
            question, samples = self.question.asking(criterion), self._samples
            refused = why_not(samples, question, self._trials)
            if refused is None:
                own = self.question.error if same_question(samples, criterion) else error
                asked = judge_all(self._trials, question, samples.methods, own)
                if not np.isfinite([asked._decided.low, asked._decided.high]).any():
                    refused = "tied" if self.tied else "few runs"
        if refused is not None:
            return Leading(
                name=name, criterion=criterion, leaders=(), scores={}, resolution=math.nan, refused=refused,
                failed=self._samples.failed(name, refused),
            )  # fmt: skip
        return Leading(
            name=name, criterion=criterion, leaders=asked.leaders, scores={r.algorithm: r.score for r in asked.rows},
            resolution=asked.resolution, primary=primary,
        )  # fmt: skip

    @property
    def disagreement(self) -> Mapping[str, tuple[str, ...]]:
        """The questions by which every leader is certainly beaten, with the names of the unbeaten; empty where all agree."""
        others = (q for q in self.questions.values() if not q.primary and q.ahead)
        return {q.name: q.ahead for q in others if not set(q.ahead) & set(self.leaders)}

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair, the better-placed method first."""
        first, second = all_pairs(len(self._samples.methods))
        return tuple(self._pair(k, i, j) for k, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)))

    @cached_property
    def reversals(self) -> tuple[Reversal, ...] | None:
        """The tasks on which a pair that is decided over all of them is certainly the other way round.

        All pairs on all tasks are decided together, with an error of their own, as `compare` does for one pair. None
        where that is not asked: tables of many methods and tasks, and folds that say nothing task by task.
        """
        question, samples = self.question, self._samples
        first, second = all_pairs(len(samples.methods))
        if len(question.tasks) < 2:
            return ()
        if first.size * len(question.tasks) > (MOST_GUARANTEED if question.guaranteed else MOST_SINGLE):
            return None
        overall = _certain(self._differences.even, self._decided, question.margin)
        if not overall.any():
            return ()
        parts = []
        for task in question.tasks:
            one = question.on(task)
            try:
                one.refuse_impossible(self._trials)
                parts.append(gather(self._trials, samples.methods, one).differences(first, second))
            except InputError:  # what can be averaged over tasks need not say anything of one
                return None
        decided, even = decide_all(parts, question), self._differences.even
        found = []
        for place in np.flatnonzero(_certain(even, decided, question.margin) == -np.tile(overall, len(parts))).tolist():
            on, k = divmod(place, first.size)
            if overall[k]:
                interval = decided.interval(parts[on], k, place)
                better, worse = samples.methods[int(first[k])], samples.methods[int(second[k])]
                if overall[k] < 0:
                    better, worse, interval = worse, better, _turned(interval, even)
                found.append(Reversal(better=better, worse=worse, task=question.tasks[on], difference=interval))
        return tuple(sorted(found, key=lambda r: (self._places[r.better], self._places[r.worse])))

    def pair(self, a: str, b: str) -> Pair:
        """The pair, turned so that `a` comes first."""
        names, n = self._samples.methods, len(self._samples.methods)
        if a == b or a not in names or b not in names:
            raise InputError(f"there is no pair {a!r}, {b!r} in this ranking.")
        i, j = sorted((names.index(a), names.index(b)))
        return self._pair(i * n - i * (i + 1) // 2 + j - i - 1, i, j, first=a)  # the place of (i, j) among all pairs

    def to_pandas(self) -> pd.DataFrame:
        """One row for each method, best first."""
        import pandas as pd

        return pd.DataFrame([{c: getattr(r, c) for c in COLUMNS} for r in self.rows], columns=list(COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`; pairs of at most 60 methods."""
        pairs = self.pairs if len(self.rows) <= MOST_LISTED else ()
        listing = [
            {"a": p.a, "b": p.b, "wins": p.wins, "ties": p.ties, "losses": p.losses, "conclusion": p.conclusion,
             "criterion": self.criterion, "even": p.even, "difference": p.difference.to_dict()} for p in pairs
        ]  # fmt: skip
        questions = [
            {"name": q.name, "criterion": q.criterion, "leaders": list(q.leaders), "refused": q.refused, "primary": q.primary}
            for q in self.questions.values()
        ]  # fmt: skip
        return {
            "schema": 1, "source": self._trials.source, "unit": self.unit,
            "notes": sentences(self._trials.notes), "verdict": self.verdict, "criterion": self.criterion,
            "over": self.question.over if len(self.question.tasks) > 1 else None, "resolution": self.resolution,
            "rows": [json_ready({c: getattr(r, c) for c in COLUMNS}) for r in self.rows], "pairs": listing,
            "questions": questions,
            "reversals": None if self.reversals is None else [
                {"better": r.better, "worse": r.worse, "task": r.task, "difference": r.difference.to_dict()} for r in self.reversals
            ],
        }  # fmt: skip

    @cached_property
    def _places(self) -> dict[str, int]:
        return {r.algorithm: place for place, r in enumerate(self.rows)}

    @cached_property
    def _tasks_won(self) -> IntArray:
        """[i, j]: tasks on which i has the better mean; the better median where failures have no value."""
        middle = np.median if self._samples.order_only else np.mean
        values = np.array([[float(middle(s)) for s in task.scores] for task in self._samples.runs])
        won = np.zeros((values.shape[1], values.shape[1]), dtype=np.intp)
        for row in values:
            won += row[:, None] > row[None, :]
        return won

    def _pair(self, k: int, i: int, j: int, *, first: str | None = None) -> Pair:
        """The k-th difference as a pair; the better-placed method first, unless another is asked for."""
        names, d = self._samples.methods, self._decided
        found = d.interval(self._differences, k, k)
        turned = self._places[names[j]] < self._places[names[i]] if first is None else names[j] == first
        even, margin = self._differences.even, self.question.margin
        if turned:
            i, j, found = j, i, _turned(found, even)
        folds = self._trials.n_folds is not None and not self.question.sampled
        if folds or self._samples.partly[i, j]:
            found = replace(found, guarantee="heuristic")
        found = self._samples.possible(replace(found, n=self._samples.n_pairs(i, j, found.n)))
        ruling = rule(found.low - even, found.high - even, margin)
        conclusion, _ = hidden_collapse(self._samples, i, j, ruling.conclusion, found, margin)
        won, lost = int(self._tasks_won[i, j]), int(self._tasks_won[j, i])
        return Pair(
            a=names[i], b=names[j], difference=found, even=even, conclusion=conclusion, direction=ruling.direction, wins=won,
            ties=len(self._samples.runs) - won - lost, losses=lost, margin=margin,
        )  # fmt: skip


def rank(
    trials: Source,
    *,
    metric: str | None = None,
    task: str | None = None,
    criterion: str | None = None,
    margin: float | None = None,
    over: str | None = None,
    guaranteed: bool = False,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    paired: bool | None = None,
    looks: int = 1,
) -> Ranking:
    """Methods in tiers, with rank intervals.

    Every pair is compared as `compare` does it, by one criterion, averaged over tasks. Methods stand in the order
    of that statistic; by improvement, in the order of the share of duels that they win against the others.

    Parameters
    ----------
    trials : Trials, or what `ogive.read` takes
        What `read` or `run` returned; a file, a frame or a dictionary whose columns say what they are.
    criterion, margin, over, guaranteed, paired, looks
        As in `compare`, with the same defaults.

    Notes
    -----
    All pairs are decided together, wrong about any of them with probability 1 - confidence at most, or
    about that: by Holm's rule, or from 30 runs on by joint draws (Romano and Wolf 2005). The first tier holds
    the methods that no other is certainly better than; the next one those that only methods of the first
    are certainly better than, and so on. Two methods of different tiers need not be separated from each other.

    Examples
    --------
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> rank(trials, criterion="mean").to_pandas()["tier"].tolist()
    [1, 1, 2]
    """
    trials = as_trials(trials)
    refuse_undecidable(trials)
    tasks = tuple(trials.tasks) if task is None else (task,)
    question = Question.of(
        trials, metric=metric, criterion=criterion, margin=margin, failures=failures, confidence=confidence, looks=looks,
        paired=paired, tasks=tasks, over=over, guaranteed=guaranteed,
    )  # fmt: skip
    return judge_all(trials, question)


def judge_all(
    trials: Trials, question: Question, methods: Sequence[str] | None = None, error: float | None = None
) -> Ranking:
    """The ranking that answers a question, at another error than the question's where given."""
    ranked, unranked = _rankable(trials, question, trials.algorithms if methods is None else methods)
    samples = gather(trials, ranked, question)
    first, second = all_pairs(len(samples.methods))
    differences = samples.differences(first, second)
    decided = decide(differences, question.error if error is None else error, question.margin)
    certain = _certain(differences.even, decided, question.margin)
    better = _better(certain, len(samples.methods))
    scores = _scores(samples, differences)
    tier, cycles = tiers(better)
    low, high = rank_limits(better)
    order = sorted(range(len(scores)), key=lambda m: (tier[m], -scores[m], samples.methods[m]))
    shown = scores if samples.asked.kind == "improvement" else samples.sign * scores
    rows = tuple(
        Rank(
            algorithm=samples.methods[m], score=float(shown[m]), rank_low=int(low[m]), rank_high=int(high[m]), tier=int(tier[m])
        )
        for m in order
    )  # fmt: skip
    return Ranking(
        rows=rows, question=question, resolution=float(np.count_nonzero(certain)) / len(differences),
        cycles=tuple(tuple(samples.methods[m] for m in c) for c in cycles), unranked=tuple(unranked),
        n_failed=int(samples.n_failed.sum()), _samples=samples, _differences=differences, _decided=decided, _trials=trials,
    )  # fmt: skip


def _turned(found: Interval, even: float) -> Interval:
    """The difference as the other method sees it."""
    return replace(found, estimate=2 * even - found.estimate, low=2 * even - found.high, high=2 * even - found.low)


def _certain(even: float, decided: Decided, margin: float | None = None) -> IntArray:
    """For each pair 1 where the first is certainly better, by more than the margin, -1 where the second is, else 0."""
    beyond = margin or 0.0
    up, down = decided.low > even + beyond, decided.high < even - beyond
    return np.asarray(up.astype(np.intp) - down.astype(np.intp))


def _better(certain: IntArray, n: int) -> NDArray[np.bool_]:
    """[i, j]: whether i is certainly better than j."""
    first, second = all_pairs(n)
    better = np.zeros((n, n), dtype=bool)
    better[first, second], better[second, first] = certain > 0, certain < 0
    return better


def _scores(samples: Samples, differences: Differences) -> FloatArray:
    """What methods are ordered by, larger is better: the criterion's statistic, or the share of duels won.

    Duels are those of the pairs: on the same draws where methods share them, so that no column contradicts the verdict.
    """
    n = len(samples.methods)
    if samples.asked.kind == "improvement":
        (first, second), won = all_pairs(n), differences.estimate
        wins = np.bincount(first, won, n) + np.bincount(second, 1.0 - won, n)
        return np.asarray(wins / (n - 1))
    return np.asarray(
        np.mean([[criterion_value(s, samples.asked) for s in task.scores] for task in samples.runs], axis=0)
    )


def _rankable(trials: Trials, question: Question, methods: Sequence[str]) -> tuple[list[str], list[str]]:
    """Methods with runs on every task, and those whose every run failed on one, which are left out by name.

    Ranking a method that misses a task would compare different tasks.
    """
    complete = [m for m in methods if all(trials.cell(m, t).rows.size for t in question.tasks)]
    missing = [m for m in methods if m not in set(complete)]
    if missing and len(question.tasks) > 1:
        empty = [(m, t) for m in methods for t in question.tasks if not trials.cell(m, t).rows.size]
        lacking = {task for _, task in empty}
        shared = [task for task in question.tasks if task not in lacking]  # what all methods have
        found = {"method": empty[0][0], "task": empty[0][1], "n": len(empty), "tasks": shared}
        raise InputError(Note(NoteKind.EMPTY_CELL, "without", found))
    unranked: list[str] = []
    if question.failures == "exclude":
        failed = trials.failed(question.metric)
        unranked = [m for m in complete if any(failed[trials.cell(m, t).rows].all() for t in question.tasks)]
    ranked = [m for m in complete if m not in set(unranked)]
    if len(ranked) < 2:
        other = next((f" {capitalized(note)}" for note in trials.notes if note.kind is NoteKind.ONE_METHOD), "")
        raise InputError(f"a ranking needs at least two methods with usable scores; there is {len(ranked)}.{other}")
    return ranked, unranked


def leaders(
    trials: Source, *, metric: str | None = None, criterion: str | None = None, over: str | None = None,
    guaranteed: bool = False, confidence: float = 0.95, failures: str | float = "refuse", paired: bool | None = None,
) -> Leaders:  # fmt: skip
    """For each task the methods that no other is certainly better than, by the question's criterion.

    Notes
    -----
    The best is known only after looking, so all pairs on all tasks are decided together, as `compare` decides
    tasks and `rank` pairs. Methods that beat each other in a circle lead together, as in the first tier of
    `rank`. With failures="exclude" a method whose every run on a task failed does not lead there. `criterion` of what
    is returned is the one that decided, and a table marks the numbers of that statistic alone. `over` is accepted for the sake of one question and changes nothing here.

    Examples
    --------
    >>> import ogive
    >>> table = ogive.read({"a": [5, 6, 7, 8], "b": [5, 7, 6, 7], "c": [1, 2, 1, 2]}, unit="row")
    >>> leaders(table, criterion="mean")
    {'all': ('a', 'b')}
    """
    trials = as_trials(trials)
    refuse_undecidable(trials)
    question = Question.of(
        trials, metric=metric, criterion=criterion, failures=failures, confidence=confidence, over=over, paired=paired,
        guaranteed=guaranteed, one_by_one=True,
    )  # fmt: skip
    on = {task: _usable(trials, question, task) for task in trials.tasks}
    several = [task for task, methods in on.items() if len(methods) > 1]
    if not several:
        raise InputError("a best method needs at least one other on the same task.")
    samples = {task: gather(trials, on[task], question.on(task)) for task in several}
    parts = [s.differences(*all_pairs(len(s.methods))) for s in samples.values()]
    certain = _certain(question.criterion.even, decide_all(parts, question))
    ends = np.cumsum([len(part) for part in parts])
    for (task, s), own in zip(samples.items(), np.split(certain, ends[:-1]), strict=True):
        leading = {s.methods[m] for m in np.flatnonzero(tiers(_better(own, len(s.methods)))[0] == 1)}
        on[task] = [m for m in on[task] if m in leading]
    return Leaders({task: tuple(methods) for task, methods in on.items()}, question.criterion)


def _usable(trials: Trials, question: Question, task: str) -> list[str]:
    """The methods that ran on a task, and did not fail throughout where failures are left out."""
    failed = trials.failed(question.metric)
    rows = {m: trials.cell(m, task).rows for m in trials.algorithms}
    return [m for m, r in rows.items() if r.size and not (question.failures == "exclude" and failed[r].all())]
