"""What a table holds, how it was read, and which answers it can give."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from ogive.answers._pictures import has_spread
from ogive.answers.verdicts import FEWEST_FOR_A_SAMPLE, one_run_each, unit_words
from ogive.notes import Names, Note, NoteKind, argument, either, sentences
from ogive.reading import Source, as_trials
from ogive.statistics import order_statistic_ranks
from ogive.trials import Trials
from ogive.words import listed, plural, printable

ONE_METHOD = "there is one method"
ONE_RUN = "one run in each cell; a profile compares methods over many tasks"
ONE_RUN_EACH = "one run of each method on a task: tasks are taken for a sample of tasks like these"
ONE_RUN_IN_ALL = "one run of each method says nothing about its spread"
ADAPTIVE = "a grid or an adaptive sampler chose the runs, or may have: they are described, not judged"
FOLDS = "folds share training data: intervals are heuristic"
LONG = 100  # signs of a reason that is not given twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Possibility:
    """An answer, whether it can be had from this table, and why or what is missing."""

    answer: str
    possible: bool
    reason: str | Note


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Inspection:
    """A table at a glance."""

    source: str
    unit: str
    n_rows: int
    algorithms: tuple[str, ...]
    tasks: tuple[str, ...]
    metrics: tuple[str, ...]
    structure: tuple[str, ...]
    roles: tuple[Note, ...]
    answers: tuple[Possibility, ...]

    def __repr__(self) -> str:
        return f"Inspection({self.size}, {len(self.algorithms)} methods, {len(self.tasks)} tasks)"

    def __str__(self) -> str:
        return self.text()

    def text(self, names: Names = "python") -> str:
        """All of it in lines, with arguments as Python or the command line names them."""
        lines = [f"{printable(self.source)}: {self.size}", ""]
        for title, entries in (("What is in it", self.structure), ("How it was read", sentences(self.roles, names))):
            lines += [title, *(f"  {printable(entry)}" for entry in entries), ""]
        lines.append("What it can answer")
        first: dict[str, str] = {}  # what the table asks stands in the way of many answers, and is asked once
        for a in self.answers:
            why = a.reason.words(names) if isinstance(a.reason, Note) else a.reason
            said = first.setdefault(why, a.answer)
            reason = why if said == a.answer or len(why) < LONG else f"as for {said}"
            lines.append(f"  {'yes' if a.possible else 'no '}  {a.answer}: {printable(reason)}")
        return "\n".join(lines)

    @property
    def size(self) -> str:
        """How many rows; of a table over steps how many runs, and of how many rows these are made."""
        curves = next((note.values for note in self.roles if note.kind is NoteKind.CURVES_READ), None)
        if curves is None:
            return plural(self.n_rows, "row")
        runs = plural(self.n_rows, "run")  # some were chosen where there are fewer than the table has
        return f"{plural(curves['n_rows'], 'row')}, {runs}" if curves["n_runs"] == self.n_rows else runs

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1,
            "source": self.source,
            "unit": self.unit,
            "n_rows": self.n_rows,
            "algorithms": list(self.algorithms),
            "tasks": list(self.tasks),
            "metrics": list(self.metrics),
            "structure": list(self.structure),
            "notes": sentences(self.roles),
            "rows": [{"answer": a.answer, "possible": a.possible, "reason": str(a.reason)} for a in self.answers],
        }


def inspect(trials: Source) -> Inspection:
    """Roles found, what varies within what, what is paired, which answers are possible and which not.

    Examples
    --------
    >>> import ogive
    >>> print(inspect(ogive.read({"svm": [0.81, 0.84, 0.79]}, unit="row")).answers[0].reason)
    3 rows in each cell
    """
    trials = as_trials(trials)
    return Inspection(
        source=trials.source,
        unit=unit_words(trials),
        n_rows=len(trials),
        algorithms=trials.algorithms,
        tasks=trials.tasks,
        metrics=trials.metrics,
        structure=tuple(_structure(trials)),
        roles=trials.notes,
        answers=tuple(_answers(trials)),
    )


def _structure(trials: Trials) -> list[str]:
    out = [
        f"{plural(len(trials.algorithms), 'method')}: {_some(trials.algorithms)}",
        f"{plural(len(trials.tasks), 'task')}: {_some(trials.tasks)}",
    ]
    for name in trials.metrics:
        metric, failed = trials.definitions[name], trials.failed(name)
        usable = trials.values(name)[~failed]
        span = f"{usable.min():.4g} to {usable.max():.4g}" if usable.size else "no usable value"
        low, high = metric.bounds
        bounds = "no bounds declared" if low is None and high is None else f"bounds ({low}, {high})"
        out.append(f"metric {name!r}: {metric.goal}, {span}, {bounds}, {int(failed.sum())} failed")
    out += _run_counts(trials)
    empty = len(trials.algorithms) * len(trials.tasks) - len(trials.cells)
    if empty:
        first = next((m, t) for m in trials.algorithms for t in trials.tasks if not trials.cell(m, t).rows.size)
        out.append(
            f"{plural(empty, 'cell')} of the grid methods x tasks {'is' if empty == 1 else 'are'} empty, the first of "
            f"{first[0]!r} on {first[1]!r}"
        )
    varied = ", ".join(trials.varied) or f"not stated (say {argument('varied')})"
    out.append(f"varied between runs: {varied}")
    out.append(_joined(trials))
    return out


def _joined(trials: Trials) -> str:
    """What methods share."""
    if trials.pair:
        return f"methods are joined by {trials.pair!r}"
    if one_run_each(trials):
        return "methods are compared task by task, since each has one run on a task"
    return f"methods are not paired (say {argument('pair')} if rows share a draw)"


def _run_counts(trials: Trials) -> list[str]:
    """How many units each method has on each task, methods with equal counts together."""
    by_count: dict[tuple[int, int], list[str]] = {}
    for algorithm in trials.algorithms:
        sizes = [_n_units(trials, cell.rows) for cell in trials.cells if cell.algorithm == algorithm]
        by_count.setdefault((min(sizes), max(sizes)), []).append(algorithm)
    word = trials.unit if trials.clustered and trials.unit else "run"
    place = "on each task" if len(trials.tasks) > 1 else ""
    out = []
    for (least, most), names in sorted(by_count.items(), reverse=True):
        count = plural(most, word) if least == most else f"{least} to {most} {word}s"
        out.append(f"{count} {place} of {_some(names)}".replace("  ", " "))
    if trials.clustered:
        out.append(f"rows vary within {trials.unit!r}; {trials.unit!r} varies within method and task")
    return out


def _answers(trials: Trials) -> list[Possibility]:
    usable = [_n_units(trials, cell.rows[~trials.failed()[cell.rows]]) for cell in trials.cells]
    least, most = min(usable), max(usable)
    unjudged: str | Note = FOLDS if trials.n_folds is not None else ""
    if trials.question is not None:
        unjudged = trials.question
    if not trials.independent:
        unjudged = ADAPTIVE
    # What rests on independent rows: not judged, approximate where rows share a unit, or possible.
    overruled = FOLDS if trials.folds_overruled else ""
    without = (
        unjudged
        or overruled
        or (f"rows share {trials.unit!r}: the interval is approximate" if trials.clustered else "")
    )
    assumed = overruled or ("assuming that rows are independent" if trials.unit is None else "units are independent")
    rows: list[tuple[str, bool, str | Note]] = [("summary", *_can_summarize(trials))]
    for p, name in ((0.5, "median"), (0.05, "5 % and 95 % quantiles")):
        needed = next(n for n in range(1, 1000) if _both_sides(n, p))
        why = without or f"needs {needed} independent runs; the smallest cell has {least}"
        rows.append((f"guaranteed 95 % interval of the {name}", not without and least >= needed, why))
    low, high = trials.bounds[trials.metrics[0]]
    bounded = low is not None and high is not None
    why = without or (f"bounds ({low}, {high})" if bounded else f"needs {argument('bounds')} of the score")
    rows.append(("guaranteed mean and worst share", not without and bounded, why))
    rows.append(("bands", not unjudged and most > 1, unjudged or (ONE_RUN if most < 2 else assumed)))
    rows.append(("verdicts", *_can_judge(trials, most, assumed)))
    several = len(trials.algorithms) > 1
    joined = f"joined by {trials.pair!r}" if trials.pair else f"no column joins the methods ({argument('pair')})"
    by_task = trials.pair is None and one_run_each(trials)
    joined = "task by task" if by_task else joined
    paired = (trials.pair is not None or by_task) and trials.judged and several
    rows.append(("paired comparison", paired, unjudged or (joined if several else ONE_METHOD)))
    if trials.step is not None:
        rows.append(
            (
                "scores over training",
                True,
                f"each run has a curve over {trials.step!r} ({either('ogive.progress', 'ogive progress')})",
            )
        )
    return [Possibility(answer=answer, possible=possible, reason=reason) for answer, possible, reason in rows]


def _both_sides(n: int, p: float) -> bool:
    below, above = order_statistic_ranks(n, p, 0.95)
    return below >= 1 and above <= n


def _can_judge(trials: Trials, most: int, assumed: str) -> tuple[bool, str | Note]:
    """Whether `compare` and `rank` say who is better, if only by a rule of thumb."""
    if not trials.judged:
        return False, trials.question if trials.independent and trials.question is not None else ADAPTIVE
    if len(trials.algorithms) == 1:
        return False, ONE_METHOD
    several = len(trials.tasks) > 1
    if most < 2:
        return several, ONE_RUN_EACH if several else ONE_RUN_IN_ALL
    if trials.n_folds is None:
        return True, assumed
    if not several:
        return True, FOLDS
    if len(trials.tasks) < FEWEST_FOR_A_SAMPLE:
        return True, f"{FOLDS}; answers speak of these tasks ({argument('over')})"
    return True, f"{FOLDS}; over several tasks each counts once, by the mean of its folds ({argument('over')})"


def _can_summarize(trials: Trials) -> tuple[bool, str | Note]:
    if trials.question is not None and trials.independent:
        return False, trials.question
    spread = [metric for metric in trials.metrics if has_spread(trials, metric)]
    if not spread:
        return False, "the scores do not differ"
    n_failed = int(np.count_nonzero(np.any([trials.failed(metric) for metric in spread], axis=0)))
    sizes = [_n_units(trials, cell.rows) for cell in trials.cells]
    least, most = min(sizes), max(sizes)
    count = f"{least}" if least == most else f"{least} to {most}"
    rule = f"; {n_failed} failed, so say {argument('failures')}" if n_failed else ""
    flat = [repr(metric) for metric in trials.metrics if metric not in spread]
    left = f"; without {listed(flat)}, whose scores do not differ" if flat else ""
    what = f"units ({trials.unit})" if trials.clustered else "row" if most == 1 else "rows"
    return True, f"{count} {what} in each cell{rule}{left}"


def _n_units(trials: Trials, rows: np.ndarray) -> int:
    clusters = trials.clusters(rows)
    return rows.size if clusters is None else np.unique(clusters).size


def _some(names: tuple[str, ...] | list[str], most: int = 6) -> str:
    shown = [printable(n) for n in names[:most]]
    return listed(shown) if len(names) <= most else f"{', '.join(shown)} and {len(names) - most} more"
