"""Is the new version at least as good as the baseline? A gate for continuous integration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from ogive.answers._comparison import compare
from ogive.answers._outcome import Comparison, Comparisons
from ogive.answers._statistic import Statistic
from ogive.answers._wording import shown, unit_words
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, sentences
from ogive.statistics._interval import tail_count
from ogive.trials import Trials, compact
from ogive.words import listed, markdown, plural, printable

Outcome: TypeAlias = Literal["pass", "worse", "cannot tell"]

NEW, BASELINE = "new", "baseline"
PASSING = ("better", "not worse", "equivalent")
MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Check:
    """The outcome of a gate, the comparisons behind it, and how much it could have seen.

    `worse` does not ask for more than the margin: it says that the new version is worse, with
    confidence, and that nobody can rule out that it is so by more than the margin.

    Attributes
    ----------
    deciding : tuple of str
        The tasks that the outcome rests on: all where it is a pass, those that are worse, or those
        that stand in the way of a pass.
    comparisons : tuple of Comparison
        One for each task: at the stated confidence where the task passes, else adjusted for the number
        of tasks.
    power : float
        The probability that the gate says `worse` when the true statistic is worse by `drop` on one
        task, with the spread seen here; the smallest of all tasks.
    """

    outcome: Outcome
    deciding: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    margin: float
    statistic: str
    drop: float
    power: float
    source: str
    unit: str
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"Check({self.outcome}, {len(self.comparisons)} comparisons, margin {self.margin:g})"

    def __str__(self) -> str:
        said = self.sentence()
        head = f"{self.outcome.upper()}: {said[:1].lower()}{said[1:]}"
        return "\n".join([head, *(c.verdict for c in self.comparisons)])

    @property
    def exit_code(self) -> int:
        """0 pass, 4 cannot tell, 5 worse."""
        return {"pass": 0, "cannot tell": 4, "worse": 5}[self.outcome]

    def sentence(self) -> str:
        """The outcome, and how likely this gate was to say that the new version is worse."""
        several, metric = len(self.comparisons) > 1, printable(self.comparisons[0].metric)
        label = Statistic.parse(self.statistic).label
        power = _probability(self.power) + (" (on the task where that is hardest to see)" if several else "")
        return (
            f"{self._claim()}. If the true {label} of {metric} were worse by {self.drop:g}{' on one task' if several else ''}, "
            f"this check would end in WORSE with a probability of {power}."
        )

    def _claim(self) -> str:
        if self.outcome == "pass":
            n = len(self.comparisons)
            on = f" on any of {n} tasks (each with an interval of its own: a pass takes all of them)" if n > 1 else ""
            return f"The new version is not worse by more than {self.margin:g}{on}"
        if self.outcome == "cannot tell":
            return (
                f"Whether the new version is worse by more than {self.margin:g} cannot be told{self._on(self.deciding)}"
            )
        far = tuple(c.task for c in self.comparisons if c.task in self.deciding and c.primary.high < -self.margin)
        if far:
            return (
                f"The new version is worse than the baseline by more than the acceptable {self.margin:g}{self._on(far)}"
            )
        return (
            f"The new version is worse than the baseline{self._on(self.deciding)}; whether by more than the acceptable "
            f"{self.margin:g} cannot be told"
        )

    def _on(self, tasks: Sequence[str]) -> str:
        if len(self.comparisons) == 1:
            return ""
        names, more = [printable(task) for task in tasks[:MOST_NAMED]], len(tasks) - MOST_NAMED
        return f" on {listed(names)}" if more <= 0 else f" on {', '.join(names)} and {plural(more, 'further task')}"

    def to_markdown(self) -> str:
        """A comment for a pull request."""
        lines = [
            f"### Ogive: {self.outcome.upper()}",
            "",
            markdown(self.sentence()),
            "",
            "| task | difference | conclusion |",
            "| --- | --- | --- |",
        ]
        for c in self.comparisons:
            difference = shown(c.primary, c.statistic, c.margin)
            lines.append(f"| {markdown(c.task)} | {markdown(difference)} | {c.conclusion} |")
        return "\n".join([*lines, "", *(f"* {markdown(c.verdict)}" for c in self.comparisons)]) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": sentences(self.notes), "outcome": self.outcome,
            "deciding": list(self.deciding), "margin": self.margin, "statistic": self.statistic, "drop": self.drop,
            "power": self.power, "rows": [c.to_dict() for c in self.comparisons],
        }  # fmt: skip


def check(
    new: Trials,
    baseline: Trials,
    *,
    margin: float,
    statistic: str = "mean",
    algorithm: str | None = None,
    metric: str | None = None,
    drop: float | None = None,
    confidence: float = 0.95,
    failures: str | float = "refuse",
) -> Check:
    """Whether `new` is worse than `baseline`: pass, worse, or cannot tell.

    `pass` means not worse by more than `margin`. `worse` means worse, even where nobody can say whether
    by more than the margin: a gate does not wait for that.

    Parameters
    ----------
    new, baseline : Trials
        What `read` returned, one table each.
    margin : float
        How much worse is acceptable, in the units of the score.
    statistic : str
        "mean", a quantile such as "median" or "q0.1", or a worst share such as "worst_0.1".
    algorithm : str, optional
        The method to compare, where the tables hold several.
    drop : float, optional
        How much worse the truth must be in the power that the gate states; twice the margin where not given.

    Notes
    -----
    With [l, u] the interval of the difference, positive where the new version is better, a task passes
    when l > -margin, each at the stated confidence. The gate passes when every task does. Else it says
    worse when u < 0 on one of the tasks that do not pass, now with the error divided by the number k of
    tasks; else cannot tell. A task that is worse by less than the margin passes, whatever the others do.

    A pass takes all tasks: if the truth is at or below -margin on some task, the interval of that task
    must miss it, which happens with probability at most 1 - confidence (Berger's intersection-union
    test). To say worse one task is enough: if no task is worse, the probability that one of the k wider
    intervals lies below zero is at most 1 - confidence. Each is half of that where an interval misses
    equally often on both sides.

    Rows are paired where both tables score the same items (or share the column read as `item`); runs
    and seeds are not by themselves, since equal seeds of two versions rarely mean equal draws.

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
    for name, value in (("new", new), ("baseline", baseline)):
        _refuse_unread(name, value)
    if statistic == "improvement":
        raise InputError("`statistic` of a gate must have the units of the score: mean, a quantile or a worst share.")
    if drop is not None and not (drop > 0.0 and math.isfinite(drop)):
        raise InputError(f"`drop` must be positive and finite; got {drop!r}.")
    merged = _merged(new, baseline, algorithm)

    def judged(family_size: int | None) -> tuple[Comparison, ...]:
        found = compare(
            merged, NEW, BASELINE, metric=metric, margin=margin, statistic=statistic, confidence=confidence,
            failures=failures, family_size=family_size,
        )  # fmt: skip
        return found.items if isinstance(found, Comparisons) else (found,)

    singly = judged(1)
    together = judged(None) if len(singly) > 1 else singly
    rows = _chosen(singly, together)
    outcome, deciding = _decide(rows)
    drop = 2.0 * margin if drop is None else drop
    return Check(
        outcome=outcome, deciding=deciding, comparisons=tuple(_own(c, len(rows)) for c in rows), margin=margin, statistic=statistic, drop=drop,
        source=f"{new.source} against {baseline.source}", unit=unit_words(merged), notes=merged.notes,
        power=min(_power(one, all_, drop) for one, all_ in zip(singly, together, strict=True)),
    )  # fmt: skip


def _chosen(singly: Sequence[Comparison], together: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Each task at the stated confidence where it passes there, else adjusted for the number of tasks."""
    return tuple(a if a.conclusion in PASSING else b for a, b in zip(singly, together, strict=True))


def _own(c: Comparison, k: int) -> Comparison:
    """A comparison that was not adjusted says of itself that it is one of k."""
    before, words, after = c.verdict.rpartition("; one verdict")
    return c if k == 1 or not words else replace(c, verdict=f"{before}; one of {k}, each at its own level{after}")


def _decide(rows: Sequence[Comparison]) -> tuple[Outcome, tuple[str, ...]]:
    """The outcome and the tasks it rests on."""
    open_tasks = tuple(c.task for c in rows if c.conclusion not in PASSING)
    if not open_tasks:
        return "pass", tuple(c.task for c in rows)
    worse = tuple(c.task for c in rows if c.conclusion == "worse")
    return ("worse", worse) if worse else ("cannot tell", open_tasks)


def _power(singly: Comparison, together: Comparison, drop: float) -> float:
    """P(worse) when the truth is -drop on this task and the standard error is the one seen.

    The upper end of the adjusted interval must lie below zero, and the lower end of the other one not
    above minus the margin. Both say that the estimate is small enough, so the stricter decides. With
    fewer than ten runs a side the spread is itself badly known, and the power comes out up to 0.05 too high.
    """
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
    samples, statistic = 1 if c.paired else 2, Statistic.parse(c.statistic)
    if statistic.kind not in ("mean", "worst"):
        return math.inf
    size = c.n // samples
    return float(max(1, samples * ((tail_count(size, statistic.amount) if statistic.kind == "worst" else size) - 1)))


def _probability(value: float) -> str:
    """Two digits; never certain, nor impossible."""
    return "more than 0.99" if value > 0.99 else "less than 0.01" if value < 0.01 else f"{value:.2f}"


def _refuse_unread(name: str, value: object) -> None:
    if not isinstance(value, Trials):
        raise InputError(
            f"`{name}` must be a table of trials; got {type(value).__name__}. A file is read first: "
            "ogive.check(ogive.read('new.csv'), ogive.read('old.csv'), margin=0.01)."
        )


def _merged(new: Trials, baseline: Trials, algorithm: str | None) -> Trials:
    """Both tables as one, with the methods called `new` and `baseline`."""
    if new.definitions != baseline.definitions:
        raise InputError(
            "both tables need the same scores, goals and bounds; "
            f"new has {_described(new)}, the baseline {_described(baseline)}."
        )
    parts = [_one_method(trials, algorithm, name) for trials, name in ((new, NEW), (baseline, BASELINE))]
    _refuse_missing(*(part["task"].unique().to_pylist() for part in parts))
    for trials in (new, baseline):
        if trials.question is not None:
            raise InputError(trials.question)
    _refuse_unlike(new, baseline, parts)
    merged = compact(pa.concat_tables(parts, promote_options="permissive"))
    return replace(
        baseline, table=merged, pair="item" if merged["item"].null_count == 0 else None,
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
            notes.append(
                Note(NoteKind.NOT_STATED_FOR_BOTH, values={"fact": name, "new": _said(ours), "baseline": _said(theirs)})
            )
    return {**known, "notes": tuple(notes)}


def _said(fact: Any) -> str:
    return "nothing" if not fact else printable(listed(list(fact)) if isinstance(fact, tuple) else str(fact))


def _refuse_missing(ours: Sequence[str], theirs: Sequence[str]) -> None:
    missing = [task for task in theirs if task not in ours]
    if missing:
        names = ", ".join(repr(task) for task in missing[:MOST_NAMED])
        raise InputError(f"the new table has no runs on {names}; a gate needs every task of the baseline.")


def _refuse_unlike(new: Trials, baseline: Trials, parts: Sequence[pa.Table]) -> None:
    """Refuse tables whose rows are not counted alike."""
    if new.n_folds != baseline.n_folds:
        raise InputError(
            f"both tables need the same cross-validation: new has {_folds(new)}, the baseline {_folds(baseline)}."
        )
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


def _folds(trials: Trials) -> str:
    return "no folds" if trials.n_folds is None else plural(trials.n_folds, "fold")


def _described(trials: Trials) -> str:
    return ", ".join(f"{name!r} ({m.goal}, bounds {m.bounds})" for name, m in trials.definitions.items())


def _one_method(trials: Trials, algorithm: str | None, name: str) -> pa.Table:
    if algorithm is None and len(trials.algorithms) > 1:
        raise InputError(
            f"{printable(trials.source)} holds {len(trials.algorithms)} methods; choose one by name (algorithm, on the command line --method)."
        )
    chosen = trials.algorithms[0] if algorithm is None else algorithm
    rows = pa.array(
        [i for cell in trials.cells if cell.algorithm == chosen for i in cell.rows.tolist()], type=pa.int64()
    )
    if not len(rows):
        raise InputError(f"{printable(trials.source)} holds no method {chosen!r}.")
    table = trials.table.take(rows)
    text = pa.table(
        {
            c: table[c].cast(pa.string()) if pa.types.is_dictionary(table[c].type) else table[c]
            for c in table.column_names
        }
    )
    place = text.column_names.index("algorithm")
    return text.set_column(place, "algorithm", pa.array([name] * len(rows)))
