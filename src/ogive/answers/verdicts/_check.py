"""Is the new version at least as good as the baseline? A gate for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from ogive.answers.verdicts import _wording
from ogive.answers.verdicts._comparison import Comparison, judge_pair, of_two
from ogive.answers.verdicts._question import Question, refuse_undecidable
from ogive.answers.verdicts._samples import refuse_single_runs
from ogive.answers.verdicts._verdict import Conclusion, decide, hidden_collapse, rule
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, either, narrowed, sentences
from ogive.reading import Source, as_trials
from ogive.results import json_ready
from ogive.statistics import MixedDifferences, tail_count
from ogive.tables import Recorded, Table
from ogive.trials import Trials, compact
from ogive.words import listed, plural, printable, quoted

Outcome: TypeAlias = Literal["pass", "worse", "cannot tell"]

NEW, BASELINE = "new", "baseline"
PASSING: tuple[Conclusion, ...] = ("better", "not worse", "equivalent")
MOST_NAMED = 5
# With fewer runs a side their spread says next to nothing of the true one, and so would a power made of it.
FEWEST_FOR_POWER = 5


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Check(Recorded):
    """The outcome of a gate, the comparisons behind it, and how much it could have seen.

    `worse` does not ask for more than the margin: it says that the new version is worse, with
    confidence, and that nobody can rule out that it is so by more than the margin.

    Attributes
    ----------
    deciding : tuple of str
        The tasks that the outcome rests on: all where it is a pass, those that are worse, or those
        that stand in the way of a pass.
    comparisons : tuple of Comparison
        One for each task, or one over all where they are a sample: at the stated confidence where the task passes, else decided together with
        the other tasks.
    power : float
        The probability that the gate says `worse` when the true value is worse by `drop` on one
        task, with the spread seen here; the smallest of all tasks. NaN below five runs of a version, and
        where the runs set no limits.
    """

    outcome: Outcome
    deciding: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    question: Question
    drop: float
    power: float
    source: str
    unit: str
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"Check({self.outcome}, {len(self.comparisons)} comparisons, margin {self.margin:g})"

    def __str__(self) -> str:
        return _wording.check_text(self)

    @property
    def margin(self) -> float:
        """How much worse is acceptable."""
        assert self.question.margin is not None
        return self.question.margin

    @property
    def criterion(self) -> str:
        """What decides."""
        return self.question.criterion.name

    @property
    def exit_code(self) -> int:
        """0 pass, 4 cannot tell, 5 worse."""
        return {"pass": 0, "cannot tell": 4, "worse": 5}[self.outcome]

    @property
    def identical(self) -> bool:
        """Whether every score that stands in the way of a pass equals the one that it is paired with."""
        standing = [c for c in self.comparisons if c.several or str(c.task) in self.deciding]
        return all((c.paired or c.several) and c.tied for c in standing)

    @cached_property
    def verdict(self) -> str:
        """The outcome, why, and how likely this gate was to say that the new version is worse."""
        return _wording.check_sentences(self)

    def as_tables(self) -> tuple[Table, ...]:
        """A row for each task."""
        return (_wording.check_table(self),)

    def records(self) -> list[dict[str, Any]]:
        """A row for each task."""
        return [row for c in self.comparisons for row in c.records()]

    def to_markdown(self) -> str:
        """A comment for a pull request."""
        return _wording.check_markdown(self)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        plain = {"margin": self.margin, "criterion": self.criterion, "drop": self.drop, "power": self.power}
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": sentences(self.notes),
            "outcome": self.outcome, "verdict": self.verdict, "deciding": list(self.deciding), **json_ready(plain),
            "rows": [c.to_dict() for c in self.comparisons],
        }  # fmt: skip


def check(
    new: Source,
    baseline: Source,
    *,
    margin: float,
    criterion: str = "mean",
    algorithm: str | None = None,
    metric: str | None = None,
    over: str | None = None,
    drop: float | None = None,
    guaranteed: bool = False,
    confidence: float = 0.95,
    failures: str | float = "refuse",
    paired: bool | None = None,
    looks: int = 1,
) -> Check:
    """Whether `new` is worse than `baseline`: pass, worse, or cannot tell.

    `pass` means not worse by more than `margin`. `worse` means worse, even where nobody can say whether
    by more than the margin: a gate does not wait for that.

    Parameters
    ----------
    new, baseline : Trials, or what `ogive.read` takes
        One table each.
    margin : float
        How much worse is acceptable, in the units of the score.
    criterion : str
        "mean", a quantile such as "median" or "q0.1", a worst share such as "worst_0.1", or "iqm".
    algorithm : str, optional
        The method to compare, where the tables hold several.
    over : {"fixed", "sample"}, optional
        Of what a gate over several tasks speaks: "fixed" of each of these tasks, and all must pass; "sample" of the average
        over tasks like these. The default is that of `compare`: these tasks, and a sample where a method has a single run
        on a task, which says nothing about its spread there.
    drop : float, optional
        How much worse the truth must be in the power that the gate states; twice the margin where not given.
    guaranteed : bool
        Only intervals that hold for every distribution within the declared bounds.
    paired : bool, optional
        Whether rows of both tables that share a draw are compared pair by pair; by default where both score the
        same items. True joins runs by their trial, as where both versions ran the same seeds.
    looks : int
        How often the gate will judge while runs are added; the error is divided among the looks.

    Notes
    -----
    With [l, u] the interval of the difference, positive where the new version is better, a task passes
    when l > -margin, each at the stated confidence. The gate passes when every task does. Else it says
    worse when u < 0 on one of the tasks that do not pass, now decided together with the others (Holm 1979);
    else cannot tell. A task that is worse by less than the margin passes, whatever the others do.

    Where tasks are a sample there is one interval, of the average over tasks, and one decision.

    A pass takes all tasks: if the truth is at or below -margin on some task, the interval of that task
    must miss it, which happens with probability at most 1 - confidence (Berger's intersection-union
    test). An approximate interval knows nothing of collapses that it has not seen: with declared bounds a
    pass is withheld where n runs leave room for collapses that would cost more than the margin, and
    without bounds it names the rate that they cannot rule out.

    Pairs that are all equal set no limits to a difference by Student's t, and the gate cannot tell. With declared bounds
    and independent pairs `guaranteed=True` does: n equal pairs leave room for differences in a share of about 5 / n of
    them, of the bounds' width at most, so that a margin of 0.01 on [0, 1] passes from some hundred equal pairs on.

    Rows are paired where both tables score the same items (or share the column read as `item`); runs and seeds are
    not by themselves, since equal seeds of two versions rarely mean equal draws. `paired` overrules that either way.

    References
    ----------
    Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24(4).

    Examples
    --------
    >>> import ogive
    >>> old = ogive.read({"m": [0.80, 0.81, 0.79, 0.80, 0.82]}, unit="row")
    >>> new = ogive.read({"m": [0.81, 0.80, 0.80, 0.81, 0.82]}, unit="row")
    >>> check(new, old, margin=0.05).outcome
    'pass'
    """
    new, baseline = as_trials(new), as_trials(baseline)
    if criterion == "improvement":
        raise InputError(
            "`criterion` of a gate must have the units of the score: mean, a quantile, a worst share or iqm."
        )
    if drop is not None and not (drop > 0.0 and math.isfinite(drop)):
        raise InputError(f"`drop` must be positive and finite; got {drop!r}.")
    merged = _merged(new, baseline, algorithm)
    refuse_undecidable(merged)
    question = Question.of(
        merged, metric=metric, criterion=criterion, margin=margin, failures=failures, confidence=confidence, guaranteed=guaranteed,
        paired=paired, looks=looks, over=over, one_by_one=True,
    )  # fmt: skip
    if not question.sampled:
        refuse_single_runs(merged, merged.algorithms, question)
    asked = [question] if question.sampled else [question.on(task) for task in merged.tasks]
    singly = [_gated(replace(judge_pair(merged, NEW, BASELINE, one), tasks=())) for one in asked]
    together = _together(singly, question)
    rows = tuple(a if _passes(a) else b for a, b in zip(singly, together, strict=True))
    outcome, deciding = _decide(rows)
    drop = 2.0 * margin if drop is None else drop
    return Check(
        outcome=outcome, deciding=tuple(merged.tasks) if question.sampled else deciding, comparisons=rows, question=question, drop=drop,
        source=f"{new.source} against {baseline.source}", unit=_wording.unit_words(merged, sampled=question.sampled), notes=merged.notes,
        power=min(_power(one, all_, drop) for one, all_ in zip(singly, together, strict=True)),
    )  # fmt: skip


def _gated(c: Comparison) -> Comparison:
    """A comparison that also says of "better" whether an unseen collapse could cost all of it and the margin too.

    It is better all the same, as `compare` says; the gate does not open for it.
    """
    _, hidden = hidden_collapse(c._samples, *c._places, c.conclusion, c.primary, c.margin, gate=True)
    return replace(c, hidden=hidden) if c.conclusion == "better" else c


def _passes(c: Comparison) -> bool:
    return c.conclusion in PASSING and not (c.hidden is not None and c.hidden.withheld)


def _together(singly: Sequence[Comparison], question: Question) -> list[Comparison]:
    """Each task at the error of a family of tasks."""
    if len(singly) == 1:
        return list(singly)

    parts = [of_two(c._samples, c.a, c.b) for c in singly]
    whole = MixedDifferences.of([(np.array([i]), d) for i, d in enumerate(parts)])
    found = decide(whole, question.error)
    out = []
    for i, c in enumerate(singly):
        interval = replace(
            c.primary, low=float(found.low[i]), high=float(found.high[i]), confidence=1.0 - float(found.error[i])
        )  # fmt: skip
        ruling = rule(interval.low, interval.high, question.margin)
        # What was withheld or not claimed at the stated confidence is not claimed at a higher one, and a task whose
        # own interval lies within the margin is not worse because there are other tasks.
        withheld = c.hidden is not None and c.hidden.withheld
        conclusion = c.conclusion if withheld or ruling.conclusion in PASSING else ruling.conclusion
        out.append(
            replace(c, primary=interval, conclusion=conclusion, direction=ruling.direction, family_size=len(singly))
        )
    return out


def _decide(rows: Sequence[Comparison]) -> tuple[Outcome, tuple[str, ...]]:
    """The outcome and the tasks it rests on."""
    open_tasks = tuple(str(c.task) for c in rows if not _passes(c))
    if not open_tasks:
        return "pass", tuple(str(c.task) for c in rows)
    worse = tuple(str(c.task) for c in rows if c.conclusion == "worse")
    return ("worse", worse) if worse else ("cannot tell", open_tasks)


def _power(singly: Comparison, together: Comparison, drop: float) -> float:
    """P(worse) when the truth is -drop on this task and the standard error is the one seen.

    The upper end of the adjusted interval must lie below zero, and the lower end of the other one not
    above minus the margin. Both say that the estimate is small enough, so the stricter decides.
    """
    if min(singly.n_runs) < FEWEST_FOR_POWER or math.isinf(together.primary.high):
        return math.nan
    above, below = together.primary.high - together.primary.estimate, singly.primary.estimate - singly.primary.low
    certain, open_ = _small_enough(together, above, -drop, -1.0), 1.0
    if math.isfinite(below):
        open_ = _small_enough(singly, below, (singly.margin or 0.0) - drop, 1.0)
    return min(certain, open_)


def _small_enough(c: Comparison, reach: float, distance: float, side: float) -> float:
    """P(estimate <= side * reach) for an estimate around `distance`, with `reach` the half-width of an interval."""
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    if reach == 0.0 or not math.isfinite(reach):
        return float(reach == 0.0 and distance <= 0.0)
    df, level = _degrees(c), 0.5 + c.primary.confidence / 2.0
    student = math.isfinite(df)
    quantile = float(stdtrit(df, level) if student else ndtri(level))
    shift, value = distance * quantile / reach, side * quantile
    found = float(nctdtr(df, shift, value)) if student else math.nan
    return found if math.isfinite(found) else float(ndtr(value - shift))


def _degrees(c: Comparison) -> float:
    """Degrees of freedom of the interval, for samples of equal size and spread; infinite for quantiles."""
    samples, statistic = 1 if c.paired or c.question.sampled else 2, c.question.criterion.statistic
    if statistic is None or statistic.kind not in ("mean", "worst") or c.question.guaranteed:
        return math.inf
    size = len(c.question.tasks) if c.question.sampled else c.n // samples
    return float(max(1, samples * ((tail_count(size, statistic.amount) if statistic.kind == "worst" else size) - 1)))


def _merged(new: Trials, baseline: Trials, algorithm: str | None) -> Trials:
    """Both tables as one, with the methods called `new` and `baseline`."""
    if new.definitions != baseline.definitions:
        ours, theirs = (
            ", ".join(f"{name!r} ({m.goal}, bounds {m.bounds})" for name, m in trials.definitions.items())
            for trials in (new, baseline)
        )
        raise InputError(f"both tables need the same scores, goals and bounds; new has {ours}, the baseline {theirs}.")
    new, baseline = (
        replace(t, notes=narrowed(t.notes, None if algorithm is None else [algorithm])) for t in (new, baseline)
    )
    parts = [_one_method(trials, algorithm, name) for trials, name in ((new, NEW), (baseline, BASELINE))]
    ours, theirs = (part["task"].unique().to_pylist() for part in parts)
    missing = [repr(task) for task in theirs if task not in ours][:MOST_NAMED]
    if missing:
        raise InputError(f"the new table has no runs on {', '.join(missing)}; a gate needs every task of the baseline.")
    for trials in (new, baseline):
        if trials.question is not None:
            raise InputError(trials.question)
    _refuse_unlike(new, baseline, parts)
    merged = compact(pa.concat_tables(parts, promote_options="permissive"))
    return replace(
        baseline, table=merged, pair="item" if merged["item"].null_count == 0 else "fold" if new.n_folds is not None else None,
        independent=new.independent and baseline.independent, clustered=new.clustered or baseline.clustered,
        looks=max(new.looks, baseline.looks), **_facts(new, baseline),
    )  # fmt: skip


def _facts(new: Trials, baseline: Trials) -> dict[str, Any]:
    """What is known of both tables; where they differ it is not claimed, and a note says so."""
    notes = list(dict.fromkeys((*new.notes, *baseline.notes)))
    known: dict[str, Any] = {"unit": None, "varied": (), "scope": None}
    for name in known:
        theirs, ours = getattr(baseline, name), getattr(new, name)
        if theirs == ours:
            known[name] = ours
        else:
            said = {"fact": name, "new": _said(ours), "baseline": _said(theirs)}
            notes.append(Note(NoteKind.NOT_STATED_FOR_BOTH, values=said))
    return {**known, "notes": tuple(notes)}


def _said(fact: Any) -> str:
    return "nothing" if not fact else printable(listed(list(fact)) if isinstance(fact, tuple) else str(fact))


def _refuse_unlike(new: Trials, baseline: Trials, parts: Sequence[pa.Table]) -> None:
    """Refuse tables whose rows are not counted alike."""
    if new.n_folds != baseline.n_folds:
        ours, theirs = ("no folds" if n is None else plural(n, "fold") for n in (new.n_folds, baseline.n_folds))
        raise InputError(f"both tables need the same cross-validation: new has {ours}, the baseline {theirs}.")
    if not (new.clustered or baseline.clustered):
        return
    if new.unit != baseline.unit:
        raise InputError(
            f"both tables need the same unit, since rows share it: new counts by {_said(new.unit)}, the baseline by {_said(baseline.unit)}."
        )
    if any(part["group"].null_count for part in parts):
        raise InputError(
            f"rows share a {_said(new.unit)} in one of the tables only; average them before reading, so that both have one row for each."
        )


def _one_method(trials: Trials, algorithm: str | None, name: str) -> pa.Table:
    if algorithm is None and len(trials.algorithms) > 1:
        raise InputError(
            f"{printable(trials.source)} holds {len(trials.algorithms)} methods; choose one with {either('algorithm=', '--method')}: "
            f"{quoted(trials.algorithms)}."
        )
    chosen = trials.algorithms[0] if algorithm is None else algorithm
    rows = [i for cell in trials.cells if cell.algorithm == chosen for i in cell.rows.tolist()]
    if not rows:
        raise InputError(f"{printable(trials.source)} holds no method {chosen!r}.")
    table = trials.table.take(rows)
    columns = {
        c: table[c].cast(pa.string()) if pa.types.is_dictionary(table[c].type) else table[c] for c in table.column_names
    }
    return pa.table({**columns, "algorithm": pa.array([name] * len(rows))})
