"""Facts in words, made last.

First who is better and by how much, in units of the score; then other ways to look at it, bad days above all;
then of what, and how sure. One thought a sentence. A direction is stated only where the interval beside
it excludes zero. Everything here reads facts; nothing reads what is written here.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ogive.answers.verdicts._question import (
    AVERAGE,
    BAD_DAY,
    FEWEST_FOR_A_SAMPLE,
    IMPROVEMENT,
    MOST_LISTED,
    TRIES,
    TYPICAL,
    Criterion,
    Question,
    assumed_goal,
    shown,
)
from ogive.answers.verdicts._samples import all_pairs
from ogive.notes import NoteKind, argument, narrowed, unfinished_words
from ogive.schema import ONE_TASK
from ogive.statistics import Interval, ecdf
from ogive.tables import Ranged, Table
from ogive.trials import Trials
from ogive.words import (
    aligned,
    failure_words,
    interval_parts,
    listed,
    markdown,
    number,
    percent_sure,
    plural,
    printable,
    share,
)

if TYPE_CHECKING:
    from ogive.answers.verdicts._check import Check
    from ogive.answers.verdicts._comparison import Comparison, NamedAnswer
    from ogive.answers.verdicts._ranking import Leading, Ranking
    from ogive.answers.verdicts._verdict import Hidden

MOST_NAMED = 4
PHRASES = {TYPICAL: "in a typical run", AVERAGE: AVERAGE, BAD_DAY: BAD_DAY, TRIES: f"{TRIES} (keeping the best)"}
QUESTION_COLUMNS = ("question", "ahead", "result, with its range", "the range is")
UNKNOWN_COST = "what they would cost is not known without bounds"
OTHERS = "the other answers"
WORSE_OR_BETTER = ("worse", "better")
SHARING = "taken for independent as was said, although they share training rows"
SURE = {
    "guaranteed": "at least {} confidence",
    "approximate": "about {} confidence",
    "heuristic": "{} confidence by a rule of thumb",
}


# ---------------------------------------------------------------- tables


def scope_words(trials: Trials, tasks: Sequence[str]) -> str:
    """`, on these 768 rows, over random splits` where fixed rows were split anew for each run; else nothing."""
    fixed = {task: scope for task in tasks if (scope := trials.scope_of(task) or "").startswith("these")}
    if not fixed:
        return ""
    rows = next(iter(fixed.values())) if len(set(fixed.values())) == 1 else "these rows"
    where = "" if len(fixed) == len(tasks) else f" ({listed([printable(task) for task in fixed])})"
    return f", on {rows}, over random splits{where}"


def missing_words(trials: Trials, methods: Sequence[str] | None = None, tasks: Sequence[str] | None = None) -> str:
    """`330 of 480 trials; 150 are missing (svm)` where a study of these methods and tasks is not finished; else nothing."""
    found = (n for n in narrowed(trials.notes, methods, tasks) if n.kind is NoteKind.UNFINISHED)
    return "; ".join(dict.fromkeys(unfinished_words(note.values["cells"]) for note in found))


def one_run_each(trials: Trials) -> bool:
    """Whether each method has one run on each of several tasks: then it is tasks that are counted, and that join the methods."""
    return len(trials.tasks) > 1 and all(cell.rows.size <= 1 for cell in trials.cells)


def unit_words(trials: Trials, tasks: Sequence[str] | None = None, *, sampled: bool = False) -> str:
    """What is counted, in words: `independent runs`, `seeds`, `runs, assumed independent`; the scope of these tasks, and what is missing of them.

    `sampled` where a question takes the tasks for a sample.
    """
    if sampled or one_run_each(trials):
        known = trials.tasks if tasks is None else tasks
        lacking = missing_words(trials, tasks=tasks)
        return f"{plural(len(known), 'task')}, taken as a sample of tasks like these{f'; {lacking}' if lacking else ''}"
    if trials.n_folds is not None:
        return f"cross-validation folds ({trials.n_folds} to a repeat)"
    varied = f"; varied: {printable(', '.join(trials.varied))}" if trials.varied else ""
    varied += scope_words(trials, trials.tasks if tasks is None else tasks)
    lacking = missing_words(trials, tasks=tasks)
    varied += f"; {lacking}" if lacking else ""
    if trials.folds_overruled:
        return f"folds {SHARING}{varied}"
    if trials.unit is None:
        return f"runs, assumed independent{varied}"
    if trials.unit in ("row", "rows"):
        return f"independent runs{varied}"
    word = printable(trials.unit if trials.unit.endswith("s") else f"{trials.unit}s")
    return f"{word}{varied}"


# ---------------------------------------------------------------- two methods


def verdict_parts(c: Comparison) -> tuple[str, str, str]:
    """The verdict in three parts: the claim, what else must be known of it, and of what. A page sets the later ones smaller."""
    more = [_assumed(c._trials, c.metric), _hidden(c.hidden, c.a, c.b), _failed(c), _alone(c), _other_questions(c)]
    return _claim_with_effect(c), " ".join(part for part in more if part), _of_what(c)


def comparison_text(c: Comparison) -> str:
    """The verdict, and the tables below it."""
    questions, *tasks = (table.to_text() for table in _comparison_tables(c, (how_sure(c),)))
    return "\n\n".join((c.verdict, questions, *tasks))


def comparison_as_tables(c: Comparison) -> tuple[Table, ...]:
    """The four questions with the verdict below them, and the tasks."""
    return _comparison_tables(c, (c.verdict, how_sure(c)))


def _comparison_tables(c: Comparison, below: tuple[str, ...]) -> tuple[Table, ...]:
    ahead = {1: printable(c.a), -1: printable(c.b), 0: "cannot tell"}
    rows = tuple(
        (q.name, "–", q.why_not, "–")
        if q.interval is None
        else (q.title, ahead[q.direction], question_effect(c, q), q.interval.strength)
        for q in c.questions.values()
    )
    questions = Table(head=QUESTION_COLUMNS, rows=rows, below=below)
    # Of one run of each nothing can be told task by task, forty times over.
    if not any(max(t.n_runs) > 1 for t in c.tasks):
        return (questions,)
    head = ("task", _effect_label(c), "pairs" if c.paired else "runs", "conclusion")
    tasks = tuple(
        (printable(str(t.task)), t.question.shown(t.primary), f"{t.n}" if t.paired else f"{t.n_runs[0]} + {t.n_runs[1]}", t.conclusion)
        for t in c.tasks
    )  # fmt: skip
    return questions, Table(head=head, rows=tasks)


def check_table(c: Check) -> Table:
    """A row for each task."""
    head = ("task", "difference (positive: the new version is better)", "conclusion")
    rows = tuple(
        (
            f"{len(x.question.tasks)} tasks together" if x.several else str(x.task),
            x.question.shown(x.primary),
            x.conclusion,
        )
        for x in c.comparisons
    )
    return Table(head=head, rows=rows, below=(c.verdict,))


def _claim_with_effect(c: Comparison) -> str:
    # Where the questions disagree, "better" alone would hide by which of them.
    named = c.question.criterion.named
    asked = f"{PHRASES[named]} " if named is not None and c.disagreement is not None else ""
    if c.conclusion == "cannot tell" and c.hidden is not None and c.hidden.withheld:
        return _withheld(c)
    unseen = "unless rare collapses were missed, " if c.hidden is not None and c.hidden.cost is None else ""
    lead, claim = f"{_place(c)}{_among(c)}{unseen}{asked}", f"{_claim(c)}: {_effect(c)}."
    return _capital(f"{lead}{claim}") if c.conclusion == "cannot tell" else _after(lead, claim)


def _assumed(trials: Trials, metric: str) -> str:
    """What a claim rests on where nothing says which scores are good: a part of it, since the other way turns it round."""
    if assumed_goal(trials, metric) is None:
        return ""
    large = trials.goals[metric] == "maximize"
    ways = ("Large", "minimize", "small") if large else ("Small", "maximize", "large")
    return f"({ways[0]} values of '{printable(metric)}' are counted as good: say {argument('goal', ways[1])} if {ways[2]} ones are.)"


def _withheld(c: Comparison) -> str:
    """That these runs show no loss, and are too few to rule out one that they have not seen."""
    a, b = printable(c.a), printable(c.b)
    return _capital(
        f"{_place(c)}{_among(c)}it is not yet shown that {a} is not worse than {b} by more than {c.question.margin_words}: these runs look so "
        f"({_effect(c, inside=True)}), but are too few to rule out rare collapses."
    )


def _place(c: Comparison) -> str:
    if c.several:
        return f"over {len(c.question.tasks)} tasks "
    return "" if c.task == ONE_TASK or len(c._trials.tasks) < 2 else f"on {printable(str(c.task))} "


def _among(c: Comparison | Ranking) -> str:
    """Whom the verdict speaks of where failed runs are left out."""
    failed = c.n_failed if isinstance(c.n_failed, int) else sum(c.n_failed)
    return "among runs that finished, " if c.question.failures == "exclude" and failed else ""


def _claim(c: Comparison) -> str:
    a, b, m = printable(c.a), printable(c.b), "" if c.margin is None else c.question.margin_words
    if c.conclusion == "better":
        return f"{a} is better than {b}" + (f" by more than {m}" if m else "")
    if c.conclusion == "worse":
        certain = c.margin is None or c.primary.high < c.question.criterion.even - c.margin
        return f"{a} is worse than {b}" + (
            ("" if not m else f" by more than {m}") if certain else f", whether by more than {m} cannot be told"
        )
    if c.conclusion == "equivalent":
        return f"{a} and {b} are equivalent within {m}"
    if c.conclusion == "not worse":
        open_ = c.primary.high > c.question.criterion.even + (c.margin or 0.0)
        better = (
            (f"; it is better, whether by more than {m} cannot be told" if open_ else "; it is better")
            if c.direction > 0
            else ""
        )
        return f"{a} is not worse than {b} by more than {m}{better}"
    return f"it cannot be told which of {a} and {b} is better" + (f" (margin {m})" if m else "")


def _effect(c: Comparison, *, inside: bool = False) -> str:
    """By how much, with the interval; without brackets `inside` others."""
    a, b = printable(c.a), printable(c.b)
    averaged = "averaged over the tasks, " if len(c.question.tasks) > 1 else ""
    if c.criterion == IMPROVEMENT and c.tied:
        _, low, high = _percent_parts(c.primary)
        return (
            f"{_same(c)}; {averaged}any rate at which {a} beats {b} between {low} % and {high} % (a tie counts half) fits these "
            "runs"
        )
    if c.criterion == IMPROVEMENT:
        return f"{averaged}{_duel(c, a, b)} {_percent(c.primary, ties=_has_ties(c), inside=inside)}"
    if c.criterion == "mean" and c._samples.asked.binary:
        return averaged + _rate_gap(c, a, b, inside=inside)
    if c.tied and math.isinf(c.primary.low) and math.isinf(c.primary.high):
        return f"{_same(c)}, which sets no limits to the difference of their {_what(c.question.criterion, c.metric)}"
    return averaged + _gap(c.question.criterion, c.primary, a, b, c.metric, c._samples.sign, c.margin, inside=inside)


def _same(c: Comparison) -> str:
    """That nothing differs."""
    if c.paired:
        return f"on every {_draw_word(c._trials)} both score the same"
    return f"{'on each task ' if c.several else ''}all runs of both score the same"


def _rate_gap(c: Comparison, a: str, b: str, *, inside: bool) -> str:
    """`its rate of 'correct' is higher by 3.8 percentage points (between 0.4 and 7.8)`, for scores that are 0 or 1."""
    raw = c.primary if c._samples.sign > 0 else c.primary.negated()
    certain = not raw.low <= 0.0 <= raw.high
    turned = raw.negated() if certain and raw.high < 0.0 else raw
    marks = (0.0, *(() if c.margin is None else (100 * c.margin, -100 * c.margin)))
    estimate, low, high = interval_parts(100 * turned.estimate, 100 * turned.low, 100 * turned.high, marks)
    what = f"rate of '{printable(c.metric)}'"
    if certain:
        return f"its {what} is {'higher' if raw.low > 0.0 else 'lower'} by {estimate} percentage points{_limits(f'between {low} and {high}', inside)}"
    return f"the {what} of {a} is {_beside(estimate, b, ' points')}; anything between {_side(low, ' points')} and {_side(high, ' points')} fits these runs"


def _duel(c: Comparison, a: str, b: str) -> str:
    """Who beats whom, before how often."""
    if c.paired:
        return f"on the same {_draw_word(c._trials)}, {a} beats {b}"
    if c._trials.n_folds is not None:
        return f"by the mean of its folds, {a} beats {b} on a task"
    unit = _unit(c._trials)
    run = "run" if unit == "run" else f"{unit} (by its mean)"
    return f"a {run} of {a} beats a {unit} of {b}"


def _draw_word(trials: Trials) -> str:
    """What two methods share: an item, a split, a seed; a draw of the data in studies."""
    word = printable(str(trials.pair)).lower() if trials.pair else "draw"
    return "draw" if word in ("trial", "row", "true") else word


def _unit(trials: Trials) -> str:
    return printable(trials.unit) if trials.clustered and trials.unit else "run"


def _has_ties(c: Comparison) -> bool:
    a, b = c._places
    for task in c._samples.runs:
        if c.paired and bool(np.any(task.draws[0].scores[a] == task.draws[0].scores[b])):
            return True
        if not c.paired and np.intersect1d(task.scores[a], task.scores[b]).size:
            return True
    return False


def _gap(
    criterion: Criterion, i: Interval, a: str, b: str, metric: str, sign: float, margin: float | None = None, *, inside: bool = False
) -> str:  # fmt: skip
    """`its mean accuracy is higher by 0.016 (between 0.010 and 0.022)`; where that is not certain, what fits."""
    what = _what(criterion, metric)
    marks = (0.0, *(() if margin is None else (margin, -margin)))
    if math.isinf(i.low) and math.isinf(i.high):
        return f"so few or so equal runs set no limits to the difference of their {what}"
    if i.excludes(0.0):
        higher = (i.low > 0.0) == (sign > 0)
        turned = i if i.low > 0.0 else i.negated()
        owner = f"{a}'s" if inside else "its"
        estimate, low, high = interval_parts(turned.estimate, turned.low, turned.high, marks)
        limits = f"at least {low}" if math.isinf(turned.high) else f"between {low} and {high}"
        return f"{owner} {what} is {'higher' if higher else 'lower'} by {estimate}{_limits(limits, inside)}"
    raw = i if sign > 0 else i.negated()
    estimate, low, high = interval_parts(raw.estimate, raw.low, raw.high, marks)
    fits = f"anything between {_side(low)} and {_side(high)}"
    if math.isinf(raw.low) or math.isinf(raw.high):
        fits = f"anything up to {_side(high)}" if math.isinf(raw.low) else f"{_side(low)} and anything above"
    return f"the {what} of {a} is {_beside(estimate, b)}; {fits} fits these runs"


def _side(value: str, unit: str = "", words: tuple[str, str] = ("lower", "higher")) -> str:
    """`0.035 lower`, `0.009 higher` or `no difference`: a signed number as somebody would say it."""
    if _is_zero(value):
        return "no difference"
    return f"{value.lstrip('-')}{unit} {words[0] if value.startswith('-') else words[1]}"


def _beside(estimate: str, b: str, unit: str = "") -> str:
    """`0.013 lower than that of knn here`."""
    if estimate == number(math.nan):  # a failed run has no value
        return f"beside that of {b} not known"
    return f"that of {b} here" if _is_zero(estimate) else f"{_side(estimate, unit)} than that of {b} here"


def _is_zero(value: str) -> bool:
    return not value.strip("-0.")


def _what(criterion: Criterion, metric: str) -> str:
    """`mean accuracy`, `accuracy in the worst 10 % of runs`."""
    if criterion.name in ("mean", "median", "iqm"):
        return f"{criterion.label} {printable(metric)}"
    return f"{printable(metric)} {_share_words(criterion)}"


def _share_words(criterion: Criterion) -> str:
    """`in the worst 10 % of runs`, `at the 10 % quantile`, `after 8 tries (median)`."""
    s = criterion.statistic
    assert s is not None
    if s.kind == "worst":
        return f"in the worst {100 * s.amount:g} % of runs"
    if s.kind == "best_of":
        return f"of the best of {s.amount:g} tries"
    return f"at the {s.label}"


def _percent(i: Interval, *, ties: bool = False, inside: bool = False) -> str:
    """`73 % of the time (between 71 % and 75 %)`; without brackets `inside` others."""
    estimate, low, high = _percent_parts(i)
    half = "a tie counts half" if ties else ""
    if not i.excludes(0.5):
        return f"{estimate} % of the time here{f' ({half})' if half else ''}; anything between {low} % and {high} % fits these runs"
    return f"{estimate} % of the time" + _limits(
        f"between {low} % and {high} %" + (f"; {half}" if half else ""), inside
    )


def _percent_parts(i: Interval) -> tuple[str, str, str]:
    return interval_parts(100 * i.estimate, 100 * i.low, 100 * i.high, (50.0,))


def _limits(text: str, inside: bool) -> str:
    return f", {text}" if inside else f" ({text})"


def _hidden(hidden: Hidden | None, a: str, b: str | None = None) -> str:
    """What so few runs cannot rule out; of both methods where `b` is named and they are equivalent."""
    if hidden is None:
        return ""
    rate, runs = share(hidden.rate), plural(hidden.n, "run")
    if hidden.withheld:
        assert hidden.cost is not None
        more = f" beyond the {hidden.seen} seen" if hidden.seen else ""
        needed = ""
        if hidden.needed is not None:
            needed = f"; {hidden.needed - hidden.n} more runs of it without a collapse ({hidden.needed} in all), with scores like these, would show it"
        return (
            f"Collapses to the worst possible score in up to {rate} of the runs of {printable(a)} could go unseen in {runs}{more}, and "
            f"would make its mean worse than measured by {hidden.cost:.2g}{needed}."
        )
    other = hidden.other
    if other is not None and other.withheld and b is not None:
        return (
            f"They are not called equivalent: collapses in up to {share(other.rate)} of the runs of {printable(b)} could go unseen in "
            f"{plural(other.n, 'run')}."
        )
    if hidden.cost is not None:  # the bounds say that it costs no more than the margin
        return ""
    if other is not None and b is not None:
        return (
            f"Collapses in up to {rate} of the runs of {printable(a)} and {share(other.rate)} of those of {printable(b)} could have gone "
            f"unseen; {UNKNOWN_COST}."
        )
    return f"Collapses in up to {rate} of the runs of {printable(a)} could have gone unseen in {runs}; {UNKNOWN_COST}."


def _alone(c: Comparison) -> str:
    """Task by task."""
    if not c.tasks:
        return ""
    counts = Counter(t.conclusion for t in c.tasks)
    other_way = {1: "worse", -1: "better"}.get(c.direction)
    turned = [str(t.task) for t in c.tasks if t.conclusion == other_way]
    decided = [
        f"{word} on {counts[word]}{f' ({_some(turned)})' if word == other_way else ''}"
        for word in ("better", "equivalent", "not worse", "worse")
        if counts[word]
    ]
    if not decided:
        return "" if c.conclusion == "cannot tell" else "On no single task can it be told which is better."
    rest = f"; on {counts['cannot tell']} it cannot be told" if counts["cannot tell"] else ""
    return f"Task by task {printable(c.a)} is {listed(decided)}{rest}."


def _other_questions(c: Comparison) -> str:
    """What the other questions say: where they disagree, how the answers go together; else bad days.

    Failed runs that were left out are bad days of their own, and are counted instead.
    """
    if sum(c.n_failed) and c.question.failures == "exclude" and c.disagreement is None:
        return ""
    answers, names = c.questions, {1: printable(c.a), -1: printable(c.b)}
    split = c.disagreement
    if split is not None:
        decides = c.question.criterion.named
        lead = c.direction or 1
        ours, theirs = split if lead > 0 else split[::-1]
        bad = answers[BAD_DAY]
        detail = f": {_averages(c, bad)}" if bad.direction and not bad.primary else ""
        safe = f"; {names[bad.direction]} is the safer choice" if bad.direction else ""
        also = [PHRASES[name] for name in ours if name != decides]
        agreeing = f"{listed(also)} {names[lead]} is ahead{' as well' if c.direction else ''}, but " if also else "but "
        return _capital(
            f"{agreeing}{listed([PHRASES[name] for name in theirs])} {names[-lead]} is ahead{detail}{safe}."
        )
    bad = answers[BAD_DAY]
    if not bad.primary and bad.direction:
        return _capital(
            f"{BAD_DAY} {names[bad.direction]} is ahead{' as well' if c.direction == bad.direction else ''}: {_averages(c, bad)}."
        )
    others = [q for q in answers.values() if not q.primary and q.direction and q.name != BAD_DAY]
    if c.direction == 0 and others:
        return _capital(f"{listed([PHRASES[q.name] for q in others])} {names[others[0].direction]} is ahead.")
    if bad.refused is None and not bad.primary and c.conclusion != "cannot tell":
        return _capital(f"{BAD_DAY}, in the worst 10 % of runs, it cannot be told which is better{_range_of(c, bad)}.")
    return ""


def _range_of(c: Comparison, answer: NamedAnswer) -> str:
    """` (anything between 0.003 worse and 0.002 better for a)`, signed as the tables are; nothing where there are no limits."""
    i = answer.interval
    if i is None or not (math.isfinite(i.low) and math.isfinite(i.high)):
        return ""
    _, low, high = interval_parts(i.estimate, i.low, i.high, (0.0,))
    return f" (anything between {_side(low, words=WORSE_OR_BETTER)} and {_side(high, words=WORSE_OR_BETTER)} for {printable(c.a)})"


def _averages(c: Comparison, bad: NamedAnswer) -> str:
    """`the worst 10 % of runs have a mean of 0.84 with forest and 0.72 with k-NN`: the one that is ahead first."""
    a, b = (
        c._samples.sign
        * float(np.mean([ecdf(task.scores[m]).cvar(mass=0.1, tail="lower") for task in c._samples.runs]))
        for m in c._places
    )
    both = [(a, c.a), (b, c.b)] if bad.direction > 0 else [(b, c.b), (a, c.a)]
    room = abs(a - b) / 4  # as many digits as tell them apart
    values = [f"{interval_parts(x, x - room, x + room)[0]} with {printable(name)}" for x, name in both]
    return f"the worst 10 % of runs have a mean of {values[0]} and {values[1]}"


def _of_what(c: Comparison) -> str:
    """How many runs of what, what varied, and how sure; what would tell where they do not."""
    text = _runs_of_what(c)
    if c.conclusion != "cannot tell" or (c.hidden and c.hidden.withheld):
        return f"{text}."
    # A sentence of its own where that makes three in all.
    could = _what_would_do(c)
    return f"{text}; {could}." if _failed(c) or _alone(c) or _other_questions(c) else f"{text}. {_capital(could)}."


def _runs_of_what(c: Comparison) -> str:
    parts = [_counts(c), _varied(c._trials), *_tasks_words(c.question)]
    parts += [f"the folds are {SHARING}"] if c._trials.folds_overruled else []
    parts += [f"{plural(c.n_unmatched, 'row')} without a partner left out"] if c.n_unmatched else []
    parts += [_left_out(c)] if _left_out(c) else []
    parts.append(missing_words(c._trials, _compared(c), c.question.tasks))
    parts.append(_level(c))
    parts += [_looked(c._trials, c.question)] if _looked(c._trials, c.question) else []
    scope = ", for new data like these rows" if c.question.new_data else scope_words(c._trials, c.question.tasks)
    return _capital(f"{'; '.join(p for p in parts if p)}{scope}")


def _compared(c: Comparison) -> tuple[str, str] | None:
    """The methods of the study that are compared; None in a gate, whose two tables have methods of other names."""
    known = {cell[0] for note in c._trials.notes if note.kind is NoteKind.UNFINISHED for cell in note.values["cells"]}
    return (c.a, c.b) if {c.a, c.b} <= known else None


def _counts(c: Comparison) -> str:
    samples, (i, j) = c._samples, c._places
    on_each = f" on each of {len(c.question.tasks)} tasks" if len(c.question.tasks) > 1 else ""
    if c._trials.n_folds is not None:
        return f"{c.n_runs[0] if not c.question.sampled else len(c.question.tasks)} {'folds' if not c.question.sampled else 'tasks, by the mean of their folds'}"
    if c.paired:
        word = _unit(c._trials) if c._samples.clustered else _draw_word(c._trials)
        return f"{plural(c.n, word)}{' in all' if on_each else ''}, each with a score of both methods"
    a, b = samples.n_runs[i], samples.n_runs[j]
    low, high = int(min(a.min(), b.min())), int(max(a.max(), b.max()))
    # Where a method has one run on a task, it is the task that joins the methods.
    unit, how = _unit(c._trials), "compared task by task" if c.question.sampled and high == 1 else "not paired"
    if low == high:
        return f"{plural(low, unit)} of each method{on_each}, {how}"
    if not on_each:
        return f"{plural(int(a[0]), unit)} of {printable(c.a)} and {int(b[0])} of {printable(c.b)}, {how}"
    return f"{low} to {plural(high, unit)} of each method{on_each}, {how}"


def _varied(trials: Trials) -> str:
    what = [word for word in trials.varied if word != trials.pair]
    if what:
        return f"runs differ in {printable(listed(what))}, all else alike"
    if trials.n_folds is not None:
        return ""
    if trials.varied:  # nothing but what the methods share: another sample of these is what the verdict speaks of
        return f"for {_draw_word(trials)}s like these"
    return "what differed between runs was not stated"


def _tasks_words(question: Question) -> list[str]:
    if len(question.tasks) < 2:
        return []
    if question.over == "fixed":
        return ["for these tasks, not for others"]
    n = len(question.tasks)
    few = f", of which {n} are few: that they agree may be chance" if n < FEWEST_FOR_A_SAMPLE else ""
    return [f"for tasks like these, taken as a sample{few}"]


def _failed(c: Comparison) -> str:
    """`x failed in 4 of 30 runs and y in none; failed runs are left out here.`"""
    if not sum(c.n_failed):
        return ""
    excluded = c.question.failures == "exclude"
    parts: list[str] = []
    for name, failed, n in zip((c.a, c.b), c.n_failed, c.n_runs, strict=True):
        of = (
            "none"
            if not failed
            else f"{failed} of {n + failed if excluded else n} runs"
            if not c._samples.clustered
            else f"{failed} rows"
        )
        parts.append(f"{printable(name)} {'failed ' if not parts else ''}in {of}")
    counted = failure_words(c.question.failures, sum(c.n_failed), c._trials.definitions[c.metric].worst)
    they = "the failed run" if sum(c.n_failed) == 1 else "failed runs"
    return f"{listed(parts)}; {they} {counted}{' here' if excluded else ''}."


def _left_out(c: Comparison) -> str:
    if len(c.question.tasks) < 2:
        return ""
    alone = {cell.task for cell in c._trials.cells if cell.algorithm in (c.a, c.b)} - set(c.question.tasks)
    return f"{plural(len(alone), 'task')} of only one of them left out" if alone else ""


def _level(c: Comparison) -> str:
    """`95 % confidence (approximate)`, and of what else it is said."""
    together = f" for all {c.family_size} tasks together" if c.family_size > 1 else ""
    looks = f" at {c.question.looks} looks" if c.question.looks > 1 else ""
    others = [f"the {len(c.tasks)} single tasks"] if c.tasks else []
    others += [OTHERS] if _other_questions(c) else []
    return f"{_sure(c.question, c.strength, together + looks)}{_also_sure(c.question, others)}"


def _sure(question: Question, strength: str, of: str) -> str:
    """`about 95 % confidence (approximate)`."""
    return f"{SURE[strength].format(percent_sure(question.confidence))}{of} ({strength})"


def _also_sure(question: Question, others: Sequence[str]) -> str:
    """`, and as much for the other answers together`: an error of its own for what stands beside the verdict."""
    return "" if not others else f", and as much for {', and for '.join(f'{other} together' for other in others)}"


def _looked(trials: Trials, question: Question) -> str:
    """That smaller tables of this study were judged before, where `looks` does not account for that."""
    if question.looks > trials.looks:
        return ""
    times = "once" if trials.looks == 1 else f"{trials.looks} times"
    return f"judged {times} before with fewer runs, which {argument('looks', trials.looks + 1)} would account for"


def _what_would_do(c: Comparison) -> str:
    """What these runs could have shown, and how many would show a stated difference."""
    if c.tied and (c.paired or not math.isfinite(c.detectable)):
        return f"{'pairs' if c.paired else 'runs'} that differ are needed to say more"
    if not math.isfinite(c.detectable):
        return "more runs are needed to set limits"
    beyond = "" if c.margin is None else f", as better by more than {c.question.margin_words},"
    if c.criterion == IMPROVEMENT:
        if c.detectable >= 1.0:
            seen = "so few runs can show no difference, however large"
        else:
            seen = f"this many runs find the better method{beyond} four times in five if it wins {100 * c.detectable:.0f} % of the time"
    else:
        seen = f"this many runs find the better method{beyond} four times in five if the true difference is {c.detectable:.2g}"
    if c.needed is None or c.needed[0] <= c.n:
        return seen
    count, effect = c.needed
    units = f"{count} pairs" if c.paired else f"{math.ceil(count / 2)} runs of each method in all"
    often = "four times in five" if c.criterion == IMPROVEMENT and c.detectable >= 1.0 else "as often"
    if c.criterion == IMPROVEMENT:
        return f"{seen}; if it wins {100 * effect:g} % of the time, it takes {units} to find it {often}"
    return f"{seen}; to show {often} that equal methods differ by no more than {effect:g} takes {units}"


def how_sure(found: Comparison | Ranking) -> str:
    """How sure the verdict and the other answers are, and what decides where it is none of the four questions."""
    question = found.question
    by = "" if question.criterion.named else f" by {question.criterion.label}"
    others = any(q.refused is None and not q.primary for q in found.questions.values())
    more = f"; {OTHERS} together have {percent_sure(question.confidence)} of their own" if others else ""
    return f"The verdict{by} has {_sure(question, found.strength, '')}{more}."


def question_effect(c: Comparison, q: NamedAnswer) -> str:
    """How large the answer to one question is, with its interval, from `a`'s side."""
    assert q.interval is not None
    if q.criterion == IMPROVEMENT:
        estimate, low, high = _percent_parts(q.interval)
        return f"{printable(c.a)} wins {estimate} % [{low} %, {high} %]"
    label = {AVERAGE: "mean", BAD_DAY: "mean of the worst 10 %", TRIES: "best of 8"}.get(q.name, q.criterion)
    first, second = (c.a, c.b) if c._samples.sign > 0 else (c.b, c.a)
    return f"{label}, {printable(first)} minus {printable(second)}: {shown(q.interval, q.criterion)}"


def _effect_label(c: Comparison) -> str:
    """What the effects of a table of comparisons are."""
    a, b = printable(c.a), printable(c.b)
    if c.criterion == IMPROVEMENT:
        return f"P({a} beats {b}{f' on the same {_draw_word(c._trials)}' if c.paired else ''})"
    return f"{c.question.criterion.label} {printable(c.metric)}, {difference_words(a, b, c._samples.sign)}"


def difference_words(a: str, b: str, sign: float) -> str:
    """`a minus b (positive: a is better)`, of losses `b minus a`: what a column of differences holds.

    Sentences, tables and pictures all do so: the same number has the same sign wherever it stands.
    """
    return f"{a if sign > 0 else b} minus {b if sign > 0 else a} (positive: {a} is better)"


# ---------------------------------------------------------------- all methods


def ranking_parts(r: Ranking) -> tuple[str, str, str]:
    """The verdict in three parts: the claim, what else must be known of it, and of what. A page sets the later ones smaller."""
    more, basis = (
        [_assumed(r._trials, r.question.metric), _separated(r), _reversed(r), _cycles(r), _bad_days(r)],
        [_runs_of(r), _unranked(r)],
    )
    return _lead(r), " ".join(part for part in more if part), " ".join(part for part in basis if part)


def ranking_text(r: Ranking) -> str:
    """Tiers as a table, the verdict, and who leads by each of the four questions."""
    head = ["tier", "rank", "method", r.question.score_label]
    rows = [[str(x.tier), _ranks(x.rank_low, x.rank_high), printable(x.algorithm), f"{x.score:.4g}"] for x in r.rows]
    leading = [["question", "ahead"]]
    leading += [[q.title, _leaders_cell(q)] for q in r.questions.values()]
    blurred = any(x.tier < y.tier and x.rank_high >= y.rank_low for x, y in itertools.combinations(r.rows, 2))
    apart = ["Methods of different tiers may still be too close to call; the ranks say which."] if blurred else []
    return "\n".join([*aligned([head, *rows]), *apart, "", r.verdict, "", *aligned(leading), "", how_sure(r)])


def ranking_tables(r: Ranking) -> tuple[Table, ...]:
    """Tiers, and who leads by each of the four questions."""
    rows = tuple((x.algorithm, x.tier, _ranks(x.rank_low, x.rank_high), Ranged(x.score)) for x in r.rows)
    unranked = tuple((m, "–", "not ranked", "–") for m in r.unranked)
    leading = tuple((q.title, _leaders_cell(q)) for q in r.questions.values())
    return (
        Table(head=("method", "tier", "rank", r.question.score_label), rows=rows + unranked, below=(r.verdict,)),
        Table(head=("question", "ahead"), rows=leading, below=(how_sure(r),)),
    )


def _leaders_cell(q: Leading) -> str:
    if q.refused is not None:
        return f"– ({q.why_not})"
    if not q.ahead:
        return "cannot tell"
    if len(q.ahead) == 1:
        return printable(q.ahead[0])
    # With so many unbeaten methods a list of all would say nothing, and one of the first few would say too much.
    if len(q.ahead) > MOST_NAMED:
        return f"one of {len(q.ahead)} methods, {', '.join(map(printable, q.ahead[:MOST_NAMED]))} … (cannot tell which)"
    return f"{listed([printable(name) for name in q.ahead], 'or')} (cannot tell which)"


def _ranks(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}–{high}"


def _some(names: Sequence[str]) -> str:
    shown_names = [printable(n) for n in names[:MOST_NAMED]]
    more = len(names) - MOST_NAMED
    return listed(shown_names) if more <= 0 else f"{', '.join(shown_names)} and {more} more"


def _by(question: Question) -> str:
    """By what methods are compared, after a claim."""
    if question.criterion.name == IMPROVEMENT:
        return "judged by how often a run beats a run of another method"
    label, metric = question.criterion.label, printable(question.metric)
    return (
        f"judged by {label} {metric}"
        if question.criterion.name in ("mean", "median", "iqm")
        else f"judged by {metric} {_share_words(question.criterion)}"
    )


def _lead(r: Ranking) -> str:
    n, leaders = len(r.rows), r.leaders
    tasks = r.question.tasks
    place = (
        f", averaged over {len(tasks)} tasks"
        if len(tasks) > 1
        else ""
        if tasks[0] == ONE_TASK or len(r._trials.tasks) < 2
        else f" on {printable(tasks[0])}"
    )
    margin = "" if r.question.margin is None else f" by more than {r.question.margin_words}"
    among, by = _among(r), _by(r.question)
    if len(leaders) == n:
        return _nobody(r, among, place)
    if len(leaders) > 1:
        rest = [x.algorithm for x in r.rows if x.algorithm not in leaders]
        beaten = all(r.pair(m, o).certain > 0 for m in leaders for o in rest)
        which = f"which of {'the two' if len(leaders) == 2 else 'them'} is better{margin} cannot be told{_closest(r, leaders)}"
        if all(r.pair(a, b).conclusion == "equivalent" for a, b in itertools.combinations(leaders, 2)):
            which = f"they are equivalent within {r.question.margin_words}{_closest(r, leaders)}"
        if beaten:
            whom = printable(rest[0]) if len(rest) == 1 else f"the other {len(rest)} methods"
            return _after(
                among,
                f"{_some(leaders)} {'both' if len(leaders) == 2 else 'all'} beat {whom}{place}{margin}, {by}; {which}.",
            )
        return _after(
            among, f"{_some(leaders)} lead{place}, {by}: no other method is certainly better{margin}, and {which}."
        )
    first = leaders[0]
    ahead = sum(r.pair(first, x.algorithm).certain > 0 for x in r.rows[1:])
    if ahead == n - 1:
        whom = {2: printable(r.rows[1].algorithm), 3: "both other methods"}.get(n, f"all {n - 1} other methods")
        return _after(
            among,
            f"{printable(first)} is better than {whom}{place}{margin}, {by}{_closest(r, (first, r.rows[1].algorithm))}.",
        )
    return _after(
        among,
        f"{printable(first)} leads{place}, {by}: no other method is certainly better{margin}, and it is certainly better "
        f"than {ahead} of {n - 1}.",
    )


def _nobody(r: Ranking, among: str, place: str) -> str:
    """That no method is ahead: equivalent within the margin, all tied, or not to be told apart."""
    names, by = [x.algorithm for x in r.rows], _by(r.question)
    who = _some(names) if len(names) == 2 else f"all {len(names)} methods"
    margin = "" if r.question.margin is None else f" by more than {r.question.margin_words}"
    # Of more methods every pair takes seconds, and that none can be told from the others is as true.
    if len(names) <= MOST_LISTED and r.equivalent:
        within = f"are equivalent within {r.question.margin_words}{place}, {by}."
        return _after(among, f"{who} {within}") if len(names) == 2 else _capital(f"{among}{who} {within}")
    tied = "; all their runs are tied" if r.tied else ""
    if len(names) == 2:
        return _capital(f"{among}it cannot be told which of {who} is better{place}{margin}, {by}{tied}.")
    return _capital(f"{among}no method is certainly better than another{place}{margin}, {by}{tied}.")


def _closest(r: Ranking, names: Sequence[str]) -> str:
    """The difference of two methods that stand next to each other, with its interval; nothing for more of them."""
    if len(names) != 2 or len(r.rows) < 3:
        return ""
    p = r.pair(*names)
    a, b = printable(p.a), printable(p.b)
    averaged = "averaged over the tasks, " if len(r.question.tasks) > 1 else ""
    nearest = "" if p.certain == 0 else f"its smallest lead is over {b}: "
    if r.criterion == IMPROVEMENT:
        return f" ({nearest}{averaged}a run of {a} beats a run of {b} {_percent(p.difference, inside=True)})"
    gap = _gap(
        r.question.criterion, p.difference, a, b, r.question.metric, r._samples.sign, r.question.margin, inside=True
    )
    return f" ({nearest}{averaged}{gap})"


def _separated(r: Ranking) -> str:
    if r.n_pairs < 2 or len(r.leaders) == len(r.rows):
        return ""
    open_pairs = r.n_pairs - r.n_separated
    names = ""
    if 0 < open_pairs <= 3 and len(r.leaders) == 1:
        left = [f"{printable(p.a)} and {printable(p.b)}" for p in r.pairs if p.certain == 0]
        names = f", all but {listed([f'the pair {pair}' for pair in left])}"
    if not open_pairs:
        return f"All {r.n_pairs:,} pairs of methods can be told apart."
    return f"{r.n_separated:,} of {r.n_pairs:,} pairs of methods can be told apart{names}."


def _reversed(r: Ranking) -> str:
    """On which tasks a pair is certainly the other way round; those of the leaders first, since they are read first."""
    tasks: dict[tuple[str, str], list[str]] = {}
    for x in r.reversals or ():
        tasks.setdefault((x.worse, x.better), []).append(x.task)
    if not tasks:
        return ""
    said = [f"{printable(a)} is better than {printable(b)} on {_some(on)}" for (a, b), on in tasks.items()]
    more = len(said) - MOST_NAMED
    named = "; ".join(said[:MOST_NAMED])
    rest = f"; and so for {plural(more, 'pair')} more" if more > 0 else ""
    return f"On single tasks it is the other way round: {named}{rest}."


def _cycles(r: Ranking) -> str:
    """Improvement is not transitive: a circle has no best."""
    return " ".join(f"{_some(c)} beat each other in a circle, so none of them is the best." for c in r.cycles)


def _bad_days(r: Ranking) -> str:
    """By which other questions others lead, and bad days where they are not among these."""
    instead: dict[tuple[str, ...], list[str]] = {}
    for name, ahead in r.disagreement.items():
        instead.setdefault(ahead, []).append(PHRASES[name])
    said = [
        _capital(f"{listed(names)} {'' if len(ahead) == 1 else 'one of '}{_some(ahead)} is ahead instead.")
        for ahead, names in instead.items()
    ]
    bad = r.questions[BAD_DAY]
    if bad.primary or bad.refused is not None or BAD_DAY in r.disagreement or set(bad.leaders) == set(r.leaders):
        return " ".join(said)
    if not bad.ahead:
        return " ".join([*said, "On bad days no method is certainly better than another."])
    if len(bad.ahead) > 1:
        return " ".join([*said, f"On bad days it cannot be told which of {_some(bad.ahead)} is best."])
    numbers = ""
    if len(r.question.tasks) == 1:
        numbers = f": the worst 10 % of its runs have a mean of {number(bad.scores[bad.ahead[0]])}"
    return " ".join([*said, f"On bad days {_some(bad.ahead)} is ahead{numbers}."])


def _runs_of(r: Ranking) -> str:
    counts = r._samples.n_runs
    low, high = int(counts.min()), int(counts.max())
    runs = plural(low, _unit(r._trials)) if low == high else f"{low} to {plural(high, _unit(r._trials))}"
    if r._trials.n_folds is not None:
        runs = "the mean of the folds" if r.question.sampled else plural(high, "fold")
    joined = r._samples.joined[all_pairs(len(counts))] >= 0
    same = (
        "compared task by task"
        if r.question.sampled and high == 1
        else "the same draws for all methods"
        if joined.all()
        else "paired where methods share draws"
        if joined.any()
        else "not paired"
    )
    on_each = f" on each of {len(r.question.tasks)} tasks" if len(r.question.tasks) > 1 else ""
    failed = ""
    if r.n_failed:
        counted = failure_words(r.question.failures, r.n_failed, r._trials.definitions[r.question.metric].worst)
        failed = f"; {plural(r.n_failed, 'failed run')} {counted}"
    looks = f" at {r.question.looks} looks" if r.question.looks > 1 else ""
    together = " for all pairs together" if r.n_pairs > 1 else ""
    looked = _looked(r._trials, r.question)
    varied = _varied(r._trials)
    few = [printable(m) for m, k in zip(r._samples.methods, counts.min(axis=1), strict=True) if k == low]
    fewest = f" ({low}{' each' if len(few) > 1 else ''} of {_some(few)})" if low < high else ""
    parts = [p for p in (f"{runs} of each method{on_each}{fewest}", varied, same, *_tasks_words(r.question)) if p]
    parts += [f"the folds are {SHARING}"] if r._trials.folds_overruled else []
    lacking = missing_words(r._trials, tasks=r.question.tasks)
    parts += [lacking] if lacking else []
    others = ["the pairs on single tasks"] if r.reversals else []
    others += [OTHERS] if _bad_days(r) else []
    sure = f"{_sure(r.question, r.strength, together + looks)}{_also_sure(r.question, others)}"
    return _capital(
        f"{'; '.join(parts)}{failed}; {sure}{f'; {looked}' if looked else ''}{scope_words(r._trials, r.question.tasks)}."
    )


def _unranked(r: Ranking) -> str:
    if not r.unranked:
        return ""
    return (
        f"{_some(r.unranked)} failed throughout on some task and {'is' if len(r.unranked) == 1 else 'are'} not ranked."
    )


def bold_words(criterion: Criterion) -> str:
    """What bold means below a table: by which criterion, and of improvement, which no column shows, that it is another."""
    if criterion.statistic is None:
        return (
            "Bold: on that task no other method is certainly better, judged by how often a run beats a run of another method and "
            "not by the numbers shown."
        )
    return f"Bold: by {criterion.label}, no other method is certainly better on that task."


def unbold_words(criterion: Criterion, *, anywhere: bool) -> str:
    """Why a task has no bold number below a table that marks the others, or why no task has one (`anywhere`)."""
    if not anywhere:
        return "Where nothing is bold, it cannot be told which methods are best."
    by = (
        "judged by how often a run beats a run of another method"
        if criterion.statistic is None
        else f"by {criterion.label}"
    )
    return f"Nothing is bold: {by}, it cannot be told on any task which methods are best."


# ---------------------------------------------------------------- a gate


def check_sentences(c: Check) -> str:
    """The outcome, what it rests on, and how likely this gate was to say that the new version is worse."""
    assumed = _assumed(c.comparisons[0]._trials, c.question.metric)
    parts = [f"{_gate_claim(c)}.", assumed, _gate_identical(c), _gate_hidden(c), _gate_power(c)]
    return " ".join(p for p in parts if p)


def check_text(c: Check) -> str:
    """The outcome first, then the tasks, then of what."""
    said = c.verdict
    tasks = ["", replace(check_table(c), below=()).to_text(), ""] if len(c.comparisons) > 1 else []
    return "\n".join([f"{c.outcome.upper()}: {said[:1].lower()}{said[1:]}", *tasks, *_gate_below(c)])


def _gate_below(c: Check) -> list[str]:
    """What the verdict of a gate does not say: who is better, failed runs, and how many runs of what, each said once."""
    several = len(c.comparisons) > 1
    lines = []
    for x in c.comparisons:
        better = f"{_capital(_claim(x))}." if x.conclusion == "better" and not several else ""
        more = " ".join(part for part in (better, _failed(x), _alone(x), _other_questions(x)) if part)
        lines += [f"{_capital(_place(x)).rstrip()}: {more}" if several else more] if more else []
    of_what: dict[str, list[str]] = {}
    for x in c.comparisons:
        of_what.setdefault(_runs_of_what(x), []).append(str(x.task))
    lines += [f"{text}{f' (on {_some(tasks)})' if len(of_what) > 1 else ''}." for text, tasks in of_what.items()]
    open_ = [x for x in c.comparisons if x.conclusion == "cannot tell" and not (x.hidden and x.hidden.withheld)]
    if open_:
        hardest = max(open_, key=lambda x: x.primary.high - x.primary.low)
        lines.append(_capital(f"{_place(hardest)}{_what_would_do(hardest)}."))
    return lines


def check_markdown(c: Check) -> str:
    """A comment for a pull request."""
    lines = [f"### Ogive: {c.outcome.upper()}", "", markdown(c.verdict), ""]
    lines += [replace(check_table(c), below=()).to_markdown(), "", *(f"* {markdown(line)}" for line in _gate_below(c))]
    return "\n".join(lines) + "\n"


def _gate_claim(c: Check) -> str:
    m = f"{c.margin:g}"
    if c.outcome == "pass":
        n = len(c.comparisons)
        on = f" on any of {n} tasks" if n > 1 else ""
        unseen = (
            "Unless rare collapses were missed, the"
            if any(x.hidden and x.hidden.cost is None for x in c.comparisons)
            else "The"
        )
        return f"{unseen} new version is not worse by more than {m}{on}{_gate_effect(c)}"
    if c.outcome == "cannot tell":
        return f"Whether the new version is worse by more than {m} cannot be told{_gate_on(c, c.deciding)}{_gate_effect(c)}"
    far = tuple(str(x.task) for x in c.comparisons if x.task in c.deciding and x.primary.high < -c.margin)
    if far:
        return f"The new version is worse than the baseline by more than the {m} that is acceptable{_gate_on(c, far)}{_gate_effect(c)}"
    return f"The new version is worse than the baseline{_gate_on(c, c.deciding)}; whether by more than the {m} that is acceptable cannot be told{_gate_effect(c)}"


def _gate_effect(c: Check) -> str:
    """The difference of a gate with one task."""
    return f": {_effect(c.comparisons[0])}" if len(c.comparisons) == 1 else ""


def _gate_on(c: Check, tasks: Sequence[str]) -> str:
    return "" if len(c.comparisons) == 1 else f" on {_some(tasks)}"


def _gate_hidden(c: Check) -> str:
    """The collapse that most stands in the way, said once."""
    found = [x for x in c.comparisons if x.hidden is not None and (x.hidden.withheld or c.outcome == "pass")]
    if not found or c.outcome == "worse":
        return ""
    hardest = max(found, key=lambda x: x.hidden.rate if x.hidden else 0.0)
    return _hidden(hardest.hidden, "the new version" if hardest.a == "new" else hardest.a)


def _gate_identical(c: Check) -> str:
    """Why equal scores do not open the gate, and what would: nothing is known of how rare or large a difference is that none shows."""
    if c.outcome != "cannot tell" or not c.identical or c.question.guaranteed:
        return ""
    bounds = argument("bounds", ("low", "high")) if any(x._samples.span == math.inf for x in c.comparisons) else ""
    trials = c.comparisons[0]._trials
    single = f"score single test points ({argument('item')})" if trials.n_folds is not None or trials.clustered else ""
    steps = [
        step
        for step in (single, f"declare {bounds}" if bounds else "", f"ask with {argument('guaranteed', True)}")
        if step
    ]
    return (
        "Equal scores alone say nothing of how large a difference could be where one appears: if both versions are deterministic and "
        f"saw the same data, nothing has changed there and no gate is needed; else {listed(steps)}, which passes once enough pairs are equal."
    )


def _gate_power(c: Check) -> str:
    if math.isnan(c.power) or c.outcome == "worse":
        return ""
    several = len(c.comparisons) > 1
    label, metric = c.question.criterion.label, printable(c.question.metric)
    power = "more than 99 %" if c.power > 0.99 else "less than 1 %" if c.power < 0.01 else f"{100 * c.power:.0f} %"
    hardest = " (on the task where that is hardest to see)" if several else ""
    return f"A true {label} of {metric} that is worse by {c.drop:g}{' on one task' if several else ''} would be found {power} of the time{hardest}."


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _after(lead: str, claim: str) -> str:
    """A claim, which begins with a name that is written as it is, after words that begin with a capital, or none."""
    return f"{_capital(lead)}{claim}"
