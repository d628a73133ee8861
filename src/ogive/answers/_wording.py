"""Verdicts in words: effect, interval, n with its unit, what varied, paired or not, adjusted for how many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ogive.answers._joining import Duel
from ogive.answers._overall import Overall
from ogive.answers._statistic import Statistic
from ogive.answers._verdict import Ruling
from ogive.statistics import Interval
from ogive.trials import Trials, failure_rule
from ogive.words import failure_words, interval, listed, number, plural, printable

if TYPE_CHECKING:
    from ogive.answers._outcome import Comparison

# A difference below a tenth of the scores' standard deviation is not worth a word.
TRIFLE = 0.1


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a reader must know about the runs behind a verdict; `task` None speaks of all tasks."""

    metric: str
    task: str | None
    unit: str
    varied: str
    scope: str
    many_tasks: bool
    failures: str | float
    worst: float
    earlier_looks: int

    @classmethod
    def of(
        cls, trials: Trials, metric: str, task: str | None, failures: str | float, *, new_data: bool = False
    ) -> Circumstances:
        """The circumstances of a table, or of one task of it."""
        unit = printable(trials.unit) if trials.clustered and trials.unit else "run"
        varied = "what varied between runs was not stated"
        if trials.varied:
            varied = f"{printable(listed(list(trials.varied)))} varied"
        scope = scope_words(trials, trials.tasks if task is None else (task,))
        scope = ", for new data like these rows" if new_data else scope
        rule, worst = failure_rule(failures), trials.definitions[metric].worst
        return cls(metric, task, unit, varied, scope, len(trials.tasks) > 1, rule, worst, trials.looks)

    def unpaid(self, looks: int) -> str:
        """That smaller tables of this study were judged before, where `looks` does not pay for that."""
        if looks > self.earlier_looks:
            return ""
        times = "once" if self.earlier_looks == 1 else f"{self.earlier_looks} times"
        return f"; judged {times} before with fewer runs, which is not paid for (say looks={self.earlier_looks + 1})"

    def failed(self, count: int) -> str:
        """What became of so many failed runs."""
        return failure_words(self.failures, count, self.worst)


def scope_words(trials: Trials, tasks: Sequence[str]) -> str:
    """`, on these 768 rows, over random splits` where fixed rows were split anew for each run; else nothing."""
    fixed = {task: scope for task in tasks if (scope := trials.scope_of(task) or "").startswith("these")}
    if not fixed:
        return ""
    rows = next(iter(fixed.values())) if len(set(fixed.values())) == 1 else "these rows"
    where = "" if len(fixed) == len(tasks) else f" ({listed([printable(task) for task in fixed])})"
    return f", on {rows}, over random splits{where}"


def unit_words(trials: Trials, tasks: Sequence[str] | None = None) -> str:
    """What is counted, in words: `independent runs`, `seeds`, `runs, assumed independent`; the scope of these tasks."""
    if trials.n_folds is not None:
        return f"cross-validation folds ({trials.n_folds} to a repeat)"
    varied = f"; varied: {printable(', '.join(trials.varied))}" if trials.varied else ""
    varied += scope_words(trials, trials.tasks if tasks is None else tasks)
    if trials.unit is None:
        return f"runs, assumed independent{varied}"
    if trials.unit in ("row", "rows"):
        return f"independent runs{varied}"
    word = printable(trials.unit if trials.unit.endswith("s") else f"{trials.unit}s")
    return f"{word}{varied}"


def verdict_sentence(
    c: Comparison, ruling: Ruling, duel: Duel, around: Circumstances, needed: tuple[int, float] | None, looks: int
) -> str:
    """The verdict of one comparison, as one to three sentences."""
    a, b = printable(c.a), printable(c.b)
    place = f" on {printable(c.task)}" if around.many_tasks else ""
    text = f"{_claim(a, b, ruling, c)}{place}: {_effect(c, a, b, duel, around)} ({_design(c, duel, around, looks)}){around.scope}."
    text += _contrary(c, a, duel)
    if ruling.conclusion == "cannot tell":
        text += f" {_what_would_do(c, duel, needed)}"
    return text


def overall_sentence(
    a: str,
    b: str,
    overall: Overall,
    found: Sequence[Comparison],
    around: Circumstances,
    looks: int,
    known: tuple[str, str],
) -> str:
    """Sentences for several tasks: what they say together, and on how many of them alone it could be told.

    `known` holds why tasks are counted instead of runs, and which tasks are left out.
    """
    why, left_out = known
    a, b, level = printable(a), printable(b), f"{100 * overall.primary.confidence:g} % interval"
    claims = {"better": f"{a} is better than {b}", "worse": f"{a} is worse than {b}"}
    claim = claims.get(overall.conclusion, f"whether {a} or {b} is better cannot be told")
    low, high = overall.n_runs
    runs = f"{plural(low, 'run')} each" if low == high else f"{low} to {high} runs each"
    ties = f", equal on {overall.ties}" if overall.ties else ""
    wins = f"{a} has the better mean on {overall.wins} of {overall.n_tasks}{ties}"
    if any(math.isnan(c.mean_difference.estimate) for c in found):
        wins = f"{a} wins most duels on {overall.wins} of {overall.n_tasks}{ties}"
    sign = f"share on tasks like these {_probability(overall.sign)}, if these are a random sample of them"
    if overall.improvement is None:
        together = f"{wins} ({sign}; {level}, guaranteed; {why})"
    else:
        together = (
            f"averaged over them, a fresh run of {a} beats a fresh run of {b} with probability {_probability(overall.improvement)} "
            f"({level}, approximate, these tasks held fixed; {runs}); {wins} ({sign})"
        )
    failed = _failed_words(a, b, tuple(np.sum([c.n_failed for c in found], axis=0).tolist()), around)
    return f"Over {overall.n_tasks} tasks {claim}: {together}; {around.varied}{failed}{left_out}{around.unpaid(looks)}{around.scope}. {_alone(a, found)}"


def _alone(a: str, found: Sequence[Comparison]) -> str:
    counts = Counter(c.conclusion for c in found)
    decided = [f"{word} on {counts[word]}" for word in ("better", "equivalent", "not worse", "worse") if counts[word]]
    level = f"(each at the level for {found[0].family_size} verdicts)"
    if not decided:
        return f"On none of the tasks alone can it be told {level}."
    rest = f", and on {counts['cannot tell']} it cannot be told" if counts["cannot tell"] else ""
    return f"Task by task {a} is {', '.join(decided)}{rest} {level}."


def _claim(a: str, b: str, ruling: Ruling, c: Comparison) -> str:
    often = " more often than not" if c.statistic == "improvement" else ""
    claims = {
        "better": f"{a} is better than {b}{often}",
        "worse": f"{a} is worse than {b}{often}",
        "equivalent": f"{a} and {b} are equivalent",
        "not worse": f"{a} is not worse than {b}",
        "cannot tell": f"Whether {a} or {b} is better cannot be told",
    }
    if c.margin is None:
        return claims[ruling.conclusion]
    nuance = ruling.nuance.replace("; whether by more than the margin", ", whether by more than that")
    nuance = nuance.replace("the margin", "that").removeprefix("worse, " if ruling.conclusion == "worse" else "")
    subject = "" if ruling.conclusion == "worse" else f"{a} is "
    return f"{claims[ruling.conclusion]} (margin {c.margin:g}{f'; {subject}{nuance}' if nuance else ''})"


def _effect(c: Comparison, a: str, b: str, duel: Duel, around: Circumstances) -> str:
    value, metric = shown(c.primary, c.statistic, c.margin), printable(c.metric)
    if c.statistic == "improvement":
        ties = ", ties counting half" if _has_ties(duel) else ""
        if c.paired:
            return f"on the same draw {a} beats {b} with probability {value}{ties}"
        run = "run" if around.unit == "run" else f"{around.unit}, by its mean,"
        return f"a fresh {run} of {a} beats a fresh {run.split(',')[0]} of {b} with probability {value}{ties}"
    label = "mean" if c.statistic == "mean" else Statistic.parse(c.statistic).label
    if math.isinf(c.primary.low) and math.isinf(c.primary.high):
        return f"the {label} {metric} of {a} minus that of {b} is {number(duel.sign * c.primary.estimate)}, and so few or so equal runs set no limits to it"
    for side, found in (("better", c.primary), ("worse", c.primary.negated())):
        if found.low > 0.0 and math.isinf(found.high):
            return f"the {label} {metric} of {a} is {side} by {number(found.estimate)}, at least {number(found.low)}"
        if found.low > 0.0:
            return f"the {label} {metric} of {a} is {side} by {shown(found, c.statistic, c.margin)}"
    return f"the {label} {metric} of {a} is better by {value}, negative meaning worse"


def _has_ties(duel: Duel) -> bool:
    if duel.paired:
        return bool(np.any(duel.a == duel.b))
    return bool(np.intersect1d(duel.a, duel.b).size)


def _contrary(c: Comparison, a: str, duel: Duel) -> str:
    """What points the other way than a verdict about how often one beats the other, unless it is trifling."""
    if c.statistic != "improvement" or c.conclusion not in ("better", "worse"):
        return ""
    side = 1.0 if c.conclusion == "better" else -1.0
    trifle = TRIFLE * float(np.std(np.append(duel.a, duel.b)))
    described = (
        (f"mean {printable(c.metric)}", c.mean_difference),
        ("average of the worst 10 % of runs", c.cvar_difference),
    )
    against = []
    for what, found in described:
        if side * found.estimate < -trifle:
            turned = found.negated() if side > 0 else found
            known = math.isfinite(found.high - found.low)
            size = shown(turned, "mean") if known else number(turned.estimate)
            against.append(f"its {what} is {'worse' if side > 0 else 'better'} by {size}")
    return f" But for {a}, {' and '.join(against)}." if against else ""


def _design(c: Comparison, duel: Duel, around: Circumstances, looks: int) -> str:
    if duel.paired:
        count = plural(duel.n_units, around.unit if duel.clusters is not None else "pair")
        count += ", paired"
    else:
        count = f"{duel.a.size} and {plural(duel.b.size, around.unit)}, not paired"
    together = 1.0 - (1.0 - c.primary.confidence) * c.family_size
    adjusted = "one verdict"
    if c.family_size > 1:
        adjusted = f"adjusted so that {c.family_size} verdicts hold together at {100 * together:.3g} %"
    if looks > 1:
        adjusted += f" ({looks} looks)"
    adjusted += around.unpaid(looks)
    kind = {"exact": "guaranteed", "conservative": "guaranteed"}.get(c.primary.guarantee, c.primary.guarantee)
    unmatched = f", {plural(duel.n_unmatched, 'row')} without partner left out" if duel.n_unmatched else ""
    failed = _failed_words(printable(c.a), printable(c.b), duel.n_failed, around)
    level = f"{100 * c.primary.confidence:.4g} % interval"
    return f"{level}, {kind}; {count}{unmatched}{failed}; {around.varied}; {adjusted}"


def _failed_words(a: str, b: str, n_failed: tuple[int, ...], around: Circumstances) -> str:
    """`; 3 failed runs of A and 1 of B are left out`, or nothing."""
    named = [(n, name) for n, name in zip(n_failed, (a, b), strict=True) if n]
    if not named:
        return ""
    first = f"{plural(named[0][0], 'failed run')} of {named[0][1]}"
    return f"; {listed([first, *(f'{n} of {name}' for n, name in named[1:])])} {around.failed(sum(n_failed))}"


def _what_would_do(c: Comparison, duel: Duel, needed: tuple[int, float] | None) -> str:
    units = "pair" if duel.paired else "run"
    design = plural(duel.n_units, units) + ("" if duel.paired else " in all")
    if c.statistic == "improvement":
        seen = f"{design} would show a true probability of {number(c.detectable)} with 80 % power"
        if c.detectable >= 1.0:
            seen = f"{design} {'is' if duel.n_units == 1 else 'are'} too few to show any difference, however large"
    elif not math.isfinite(c.detectable):
        seen = f"{design} set no limits to it"
    else:
        what = "difference" if c.margin is None else "difference beyond the margin"
        seen = f"{design} would show a {what}, if it is truly {number(c.detectable)}, with 80 % power"
    if needed is None or needed[0] <= duel.n_units:
        return f"{seen[:1].upper()}{seen[1:]}."
    count, effect = needed
    goal = (
        f"show a true probability of {effect:g}"
        if c.statistic == "improvement"
        else f"show equal methods to be not worse within {effect:g}"
    )
    return f"{seen[:1].upper()}{seen[1:]}; {plural(count, units)}{'' if duel.paired else ' in all'} would {goal} with that power."


def effect_label(c: Comparison) -> str:
    """What the effects of a table of comparisons are."""
    a, b = printable(c.a), printable(c.b)
    if c.statistic == "improvement":
        return f"P({a} beats {b}{' on the same draw' if c.paired else ''})"
    label = "mean" if c.statistic == "mean" else Statistic.parse(c.statistic).label
    return f"{label} {printable(c.metric)}: {a} better by"


def shown(i: Interval, statistic: str, margin: float | None = None) -> str:
    """An estimate with its interval; a probability with two decimals or more."""
    if statistic == "improvement":
        return _probability(i)
    return interval(i.estimate, i.low, i.high, (0.0, *(() if margin is None else (margin, -margin))))


def _probability(i: Interval) -> str:
    return interval(i.estimate, i.low, i.high, (0.5,), at_least=2)
