"""Verdicts in words: effect, interval, n with its unit, what varied, paired or not, adjusted for how many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ogive.answers._joining import Duel
from ogive.answers._overall import Overall
from ogive.answers._statistic import Statistic
from ogive.answers._verdict import Ruling
from ogive.answers._words import interval, listed, number, plural, printable
from ogive.statistics import Interval
from ogive.trials import Trials

if TYPE_CHECKING:
    from ogive.answers._comparison import Comparison


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a reader must know about the runs behind a verdict."""

    metric: str
    unit: str
    varied: str
    scope: str
    many_tasks: bool

    @classmethod
    def of(cls, trials: Trials, metric: str, task: str | None = None, *, new_data: bool = False) -> Circumstances:
        """The circumstances of a table, or of one task of it."""
        unit = trials.unit if trials.clustered and trials.unit else "run"
        varied = f"{listed(list(trials.varied))} varied" if trials.varied else "what varied between runs was not stated"
        rows = trials.scope_of(task) or ""
        scope = f", on {rows}, over random splits" if rows.startswith("these") else ""
        scope = ", for new data like these rows" if new_data else scope
        return cls(metric, unit, varied, scope, len(trials.tasks) > 1)


def verdict_sentence(
    c: Comparison, ruling: Ruling, duel: Duel, around: Circumstances, needed: tuple[int, float] | None, looks: int
) -> str:
    """The verdict of one comparison, as one or two sentences."""
    a, b = printable(c.a), printable(c.b)
    place = f" on {printable(c.task)}" if around.many_tasks else ""
    text = f"{_claim(a, b, ruling, c.margin)}{place}: {_effect(c, a, b)} ({_design(c, duel, around, looks)}){around.scope}."
    if ruling.conclusion == "cannot tell":
        text += f" {_what_would_do(c, duel, needed)}"
    return text


def overall_sentence(a: str, b: str, overall: Overall, found: Sequence[Comparison], around: Circumstances) -> str:
    """One sentence for several tasks: how many were decided, and what they say together."""
    counts = Counter(c.conclusion for c in found)
    decided = [
        f"{conclusion} on {counts[conclusion]}"
        for conclusion in ("better", "equivalent", "not worse", "worse")
        if counts[conclusion]
    ]
    undecided = counts["cannot tell"]
    a, b = printable(a), printable(b)
    each = (
        f"Of {overall.n_tasks} tasks, {a} is {', '.join(decided)}"
        if decided
        else f"On none of {overall.n_tasks} tasks alone can a difference between {a} and {b} be told"
    )
    if decided and undecided:
        each += f"; on {undecided} it cannot be told"
    each += f" (each at the level for {found[0].family_size} verdicts). "
    sign = _interval(overall.sign)
    together = f"{a} has the better mean on {overall.wins} of them (share on tasks like these {sign}, {100 * overall.sign.confidence:g} %)"
    if overall.improvement is not None:
        together += f"; averaged over these tasks, a run of {a} beats a run of {b} with probability {_interval(overall.improvement)}"
    return f"{each}Together: {together}; {around.varied}."


def _claim(a: str, b: str, ruling: Ruling, margin: float | None) -> str:
    by = f" (margin {margin:g})" if margin is not None else ""
    claims = {
        "better": f"{a} is better than {b}{by}",
        "worse": f"{a} is worse than {b}{by}",
        "equivalent": f"{a} and {b} are equivalent{by}",
        "not worse": f"{a} is not worse than {b}{by}",
        "cannot tell": f"Whether {a} or {b} is better cannot be told{by}",
    }
    nuance = ruling.nuance.replace("the margin", f"{margin:g}") if margin is not None else ruling.nuance
    return claims[ruling.conclusion] + (f", {nuance}" if nuance else "")


def _effect(c: Comparison, a: str, b: str) -> str:
    shown, metric = _interval(c.primary, c.margin), printable(c.metric)
    if c.statistic == "improvement":
        if c.paired:
            return f"on the same draw {a} beats {b} with probability {shown}"
        return f"a fresh run of {a} beats a fresh run of {b} with probability {shown}"
    label = "mean" if c.statistic == "mean" else Statistic.parse(c.statistic).label
    if c.primary.low > 0.0:
        return f"its {label} {metric} is better by {shown}"
    if c.primary.high < 0.0:
        return f"its {label} {metric} is worse by {_interval(c.primary.negated(), c.margin)}"
    return f"their {label} {metric} differ by {shown} (positive: {a} is better)"


def _design(c: Comparison, duel: Duel, around: Circumstances, looks: int) -> str:
    if duel.paired:
        count = plural(duel.n_units, around.unit if duel.clusters is not None else "pair")
        count += ", paired"
    else:
        count = f"{duel.a.size} and {plural(duel.b.size, around.unit)}, not paired"
    adjusted = f"adjusted for {plural(c.family_size, 'verdict')}" if c.family_size > 1 else "one verdict"
    if looks > 1:
        adjusted += f" ({looks} looks)"
    kind = {"exact": "guaranteed", "conservative": "guaranteed"}.get(c.primary.guarantee, c.primary.guarantee)
    level = 1.0 - (1.0 - c.primary.confidence) * c.family_size
    unmatched = f", {plural(duel.n_unmatched, 'row')} without partner left out" if duel.n_unmatched else ""
    return f"{100 * level:.3g} % interval, {kind}; {count}{unmatched}; {around.varied}; {adjusted}"


def _what_would_do(c: Comparison, duel: Duel, needed: tuple[int, float] | None) -> str:
    units = "pairs" if duel.paired else "runs in all"
    if c.statistic == "improvement":
        if c.detectable >= 1.0:
            seen = f"{duel.n_units} {units} are too few to see any difference, however large"
        else:
            seen = f"{duel.n_units} {units} would see a probability of {number(c.detectable)} with 80 % power"
    else:
        seen = f"this design would see a difference of {number(c.detectable)} with 80 % power"
    if needed is None or needed[0] <= duel.n_units:
        return f"{seen[:1].upper()}{seen[1:]}."
    count, effect = needed
    goal = f"a probability of {effect:g}" if c.statistic == "improvement" else f"a margin of {effect:g}"
    return f"{seen[:1].upper()}{seen[1:]}; {count} would do for {goal}."


def _interval(i: Interval, margin: float | None = None) -> str:
    return interval(i.estimate, i.low, i.high, (0.0, 0.5, *(() if margin is None else (margin, -margin))))
