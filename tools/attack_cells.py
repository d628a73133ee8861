"""The cells of the attack on verdicts: what is drawn, which public call is asked, which claim counts as false.

Every cell changes one factor around (2 methods, 1 task, 10 v 10 runs, not paired), or belongs to one
claim that once failed. `CELLS` at the end lists them all. `attack_verdicts.py` runs and judges them.
"""

from __future__ import annotations

import inspect
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from scipy import stats

import ogive
from ogive.errors import OgiveError

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Samples: TypeAlias = dict[str, dict[str, Array]]  # by method, by task

MOST_CELLS = 80
TABLES, FEW_TABLES = 2000, 300
RELATIVE = 1e-9
DIRECTIONS = ("better", "worse")
PASSING = ("better", "not worse", "equivalent")
STRENGTHS = {
    "guaranteed": "guaranteed", "exact": "guaranteed", "conservative": "guaranteed", "approximate": "approximate",
    "heuristic": "heuristic",
}  # fmt: skip
SAYS_CRITERION = "criterion" in inspect.signature(ogive.compare).parameters


class NotAsked(Exception):
    """The installed version has no such question."""


@dataclass(frozen=True, slots=True)
class Call:
    """A public call: `compare`, `rank` or `check` with options, and for laws of order how the table is changed.

    `turned` gates the second method against the first.
    """

    label: str
    to: str = "compare"
    options: Mapping[str, Any] = field(default_factory=dict)
    law: str | None = None
    turned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One simulated table, by method and task, and what `read` is told of it."""

    samples: Samples
    paired: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    clusters: Array | None = None
    truth: Mapping[str, float] = field(default_factory=dict)

    @property
    def two(self) -> tuple[Array, Array]:
        """The scores of the first two methods on the first task."""
        a, b = list(self.samples.values())[:2]
        return next(iter(a.values())), next(iter(b.values()))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call said, in the same words for every version."""

    verdicts: tuple[tuple[str, str], ...]  # conclusion and strength: over all first, then tasks or pairs
    interval: Any = None
    sides: tuple[tuple[str, str], ...] = ()  # the same for the questions beside the primary one
    said: float | None = None  # a probability that was stated
    raw: Any = None
    over_tasks: bool = False  # whether the first verdict is over all tasks, and the others have an error of their own


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the counted event happened (or a share), how strong the answer said to be, and further numbers."""

    event: float
    strength: str
    numbers: Mapping[str, float] = field(default_factory=dict)


Count: TypeAlias = Callable[[Answer, Drawn], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A simulated question.

    Attributes
    ----------
    factor : str
        What this cell changes around (2 methods, 1 task, 10 v 10 runs), or the claim that it attacks.
    kind : str
        `false` (an event that must be rare), `power` (an event that should be frequent), `law` (an event
        that must never happen), `said` (a stated probability against the truth) or `shown` (no bar).
    level : float or None
        The rate that no strength excuses; None where the strength decides the bar.
    least : (str, float) or None
        For power: the rival and what may be lost against it, or, above 1, the factor to be gained.
    barred : tuple of str
        The labels of the calls that `least` holds for.
    """

    name: str
    factor: str
    section: str
    draw: Callable[[np.random.Generator], Drawn]
    calls: tuple[Call, ...]
    count: Count
    kind: str = "false"
    level: float | None = None
    least: tuple[str, float] | None = None
    barred: tuple[str, ...] = ()
    rivals: Mapping[str, Callable[[Drawn], Outcome]] = field(default_factory=dict)
    tables: int = TABLES

    def table(self, number: int) -> Drawn:
        """The same table for every version of the program under test."""
        return self.draw(np.random.default_rng([zlib.crc32(self.name.encode()), number]))


# --- asking ------------------------------------------------------------------------------------------------


def read(drawn: Drawn) -> Any:
    """Trials of a drawn table, by the fastest public way."""
    if not drawn.paired:
        return ogive.read(drawn.samples, unit="row", **drawn.facts)
    parts = [(m, t, x) for m, by in drawn.samples.items() for t, x in by.items()]
    columns: dict[str, Any] = {
        "algorithm": np.repeat([m for m, _, _ in parts], [x.size for _, _, x in parts]),
        "task": np.repeat([t for _, t, _ in parts], [x.size for _, _, x in parts]),
        "item": np.concatenate([np.arange(x.size) for _, _, x in parts]),
        "score": np.concatenate([x for _, _, x in parts]),
    }
    if drawn.clusters is None:
        return ogive.read(pd.DataFrame(columns), item="item", unit="row", **drawn.facts)
    columns["group"] = np.concatenate([drawn.clusters for _ in parts])
    return ogive.read(pd.DataFrame(columns), pair="item", unit="group", **drawn.facts)


def ask(call: Call, drawn: Drawn) -> Answer:
    """What the installed version answers; raises NotAsked where it has no such question."""
    if call.to == "check":
        new, old = (
            ogive.read({"m": by}, unit="row", **drawn.facts)
            for by in list(drawn.samples.values())[:: -1 if call.turned else 1]
        )
        return _checked(ogive.check(new, old, **options_for(call, drawn)))
    trials = read(drawn)
    if call.to == "rank":
        return _ranked(ogive.rank(trials, **options_for(call, drawn)))
    return _compared(ogive.compare(trials, *list(drawn.samples)[:2], **options_for(call, drawn)))


def options_for(call: Call, drawn: Drawn) -> dict[str, Any]:
    """The options in the words of the installed version.

    Before the criterion had a name of its own it was `statistic=` in `compare` and `check`; `rank` had none:
    the mean on one task, the share of duels won on several.
    """
    options = dict(call.options)
    if SAYS_CRITERION:
        return options
    if options.pop("guaranteed", False):
        raise NotAsked("no guaranteed=")
    if "over" in options:
        raise NotAsked("no over=")
    criterion = options.pop("criterion", None)
    if criterion == "iqm":
        raise NotAsked("no criterion 'iqm'")
    if call.to == "rank":
        own = "mean" if len(next(iter(drawn.samples.values()))) == 1 else "improvement"
        if criterion not in (None, own):
            raise NotAsked(f"rank has no criterion {criterion!r} here")
    elif criterion is not None:
        options["statistic"] = criterion
    return options


def strength_of(found: Any) -> str:
    """How strong a result says to be: guaranteed, approximate or heuristic."""
    said = getattr(found, "strength", None)
    for name in ("primary", "difference", "overall"):
        if not isinstance(said, str) and getattr(found, name, None) is not None:
            said = strength_of(getattr(found, name))
    if not isinstance(said, str):
        said = getattr(found, "guarantee", "not said")
    return STRENGTHS.get(str(said), str(said))


def verdicts_of(found: Any) -> tuple[tuple[str, str], ...]:
    """Every conclusion of a comparison with its strength: over all tasks first, then task by task."""
    tasks = getattr(found, "tasks", None) or getattr(found, "items", None) or ()
    return ((found.conclusion, strength_of(found)), *((c.conclusion, strength_of(c)) for c in tasks))


def _compared(found: Any) -> Answer:
    primary, verdicts = getattr(found, "primary", None), verdicts_of(found)
    return Answer(
        verdicts, found.overall.primary if primary is None else primary, _sides(found), raw=found, over_tasks=len(verdicts) > 1
    )  # fmt: skip


def _sides(found: Any) -> tuple[tuple[str, str], ...]:
    """Conclusion and strength of the named questions that are not the primary one."""
    questions = getattr(found, "questions", None) or ()
    each = questions.values() if isinstance(questions, Mapping) else questions
    return tuple(
        (q.conclusion, strength_of(q.interval))
        for q in each
        if q.interval is not None and q.criterion != found.criterion
    )


def _ranked(found: Any) -> Answer:
    first = found.rows[0]
    said = getattr(first, "p_first", None)
    known = said is not None and math.isfinite(said)
    pairs = tuple((p.conclusion, strength_of(p)) for p in found.pairs)
    return Answer(pairs, None, (), float(said) if known and said is not None else None, found)


def _checked(found: Any) -> Answer:
    rows = getattr(found, "comparisons", ())
    power = getattr(found, "power", None)
    known = power is not None and math.isfinite(power)
    strength = strength_of(rows[0]) if rows else strength_of(found)
    return Answer(((found.outcome, strength),), None, (), float(power) if known and power is not None else None, found)


# --- counting ----------------------------------------------------------------------------------------------

ORDER = ("guaranteed", "approximate", "not said", "heuristic")


def weakest(strengths: Iterable[str]) -> str:
    """The weakest of several strengths, which is what their family can say of itself."""
    return max(strengths, key=lambda s: ORDER.index(s) if s in ORDER else len(ORDER))


def strongest(strengths: Iterable[str]) -> str:
    """The strongest of several strengths: a false claim is judged by the strongest that made it."""
    return min(strengths, key=lambda s: ORDER.index(s) if s in ORDER else len(ORDER))


def _claimed(answer: Answer, wanted: Sequence[str], *, first_only: bool = False) -> Outcome:
    verdicts = answer.verdicts[:1] if first_only or answer.over_tasks else answer.verdicts
    made = [strength for conclusion, strength in verdicts if conclusion in wanted]
    numbers = {}
    if answer.over_tasks and not first_only:
        numbers["task by task"] = float(any(conclusion in wanted for conclusion, _ in answer.verdicts[1:]))
    if answer.sides:
        numbers["beside"] = float(any(c in DIRECTIONS and s != "heuristic" for c, s in answer.sides))
        numbers["beside, heuristic"] = float(any(c in DIRECTIONS and s == "heuristic" for c, s in answer.sides))
    return Outcome(float(bool(made)), strongest(made) if made else weakest(s for _, s in verdicts), numbers)


def any_direction(answer: Answer, drawn: Drawn) -> Outcome:
    """Any verdict of the call claims that one of two equal methods is better; task by task has an error of its own."""
    return _claimed(answer, DIRECTIONS)


def overall_direction(answer: Answer, drawn: Drawn) -> Outcome:
    """The verdict over all tasks claims a direction; on single tasks there is one."""
    return _claimed(answer, DIRECTIONS, first_only=True)


def passes(answer: Answer, drawn: Drawn) -> Outcome:
    """The gate lets a version through that is worse by more than the margin."""
    return _claimed(answer, ("pass",))


def not_worse(answer: Answer, drawn: Drawn) -> Outcome:
    """Not worse (or more) is said of a method that is worse by the margin."""
    return _claimed(answer, PASSING)


def misses(answer: Answer, drawn: Drawn, truth: float = 0.0) -> Outcome:
    """The primary interval does not hold the truth; its width is noted."""
    i = answer.interval
    return _miss(i.low, i.high, truth, strength_of(i))


def _miss(low: float, high: float, truth: float, strength: str = "") -> Outcome:
    # An infinite width has no mean: the median of widths would need all of them, so their share is noted.
    finite = math.isfinite(high - low)
    numbers = {"width": high - low} if finite else {}
    return Outcome(
        float(not low - 1e-12 <= truth <= high + 1e-12), strength, {**numbers, "infinite": float(not finite)}
    )  # fmt: skip


def contradicts(answer: Answer, drawn: Drawn) -> Outcome:
    """All tasks say the same (better, worse, equivalent), and over all tasks something else is said."""
    (over, strength), *tasks = answer.verdicts
    each = {c for c, _ in tasks}
    told = len(each) == 1 and each <= {"better", "worse", "equivalent"}
    return Outcome(float(told and over not in each), strength, {"tasks agree": float(told)})


def separated(answer: Answer, drawn: Drawn) -> Outcome:
    """The share of pairs whose true order is claimed."""
    right = [c == ("better" if drawn.truth[p.a] > drawn.truth[p.b] else "worse")
             for (c, _), p in zip(answer.verdicts, answer.raw.pairs, strict=True)]  # fmt: skip
    return Outcome(float(np.mean(right)), weakest(s for _, s in answer.verdicts))


def first_is_first(answer: Answer, drawn: Drawn) -> Outcome:
    """The method at the top is truly the best one; beside it the probability that was stated."""
    best = max(drawn.truth, key=lambda m: drawn.truth[m])
    numbers = {} if answer.said is None else {"said": answer.said}
    return Outcome(float(answer.raw.rows[0].algorithm == best), weakest(s for _, s in answer.verdicts), numbers)


def ends_in_worse(answer: Answer, drawn: Drawn) -> Outcome:
    """The gate says worse; beside it the power that it printed."""
    numbers = {} if answer.said is None else {"said": answer.said}
    return Outcome(float(answer.verdicts[0][0] == "worse"), answer.verdicts[0][1], numbers)


def breaks_law(call: Call, drawn: Drawn) -> Outcome:
    """A conclusion, or a limit by more than 1e-9 of the interval's scale, changes though it must not."""
    if call.law == "summarized":
        return _differs_from_summary(_changed(drawn, "losses"))
    plain, changed = replace(call, law=None), _changed(drawn, str(call.law))
    one, two = ask(plain, drawn), ask(plain, changed)
    low, high = two.interval.low, two.interval.high
    if call.law == "methods":
        center = 1.0 if call.options.get("criterion") == "improvement" or _is_share(one) else 0.0
        low, high = center - high, center - low
    scale = max((abs(x) for x in (one.interval.low, one.interval.high) if math.isfinite(x)), default=1.0)
    moved = not (
        math.isclose(low, one.interval.low, rel_tol=RELATIVE, abs_tol=RELATIVE * scale)
        and math.isclose(high, one.interval.high, rel_tol=RELATIVE, abs_tol=RELATIVE * scale)
    )
    turned = _in_order([c for c, _ in one.verdicts]) != _in_order(_law_words(two, call))
    return Outcome(float(moved or turned), strength_of(one.interval), {"conclusion": float(turned)})


def _differs_from_summary(drawn: Drawn) -> Outcome:
    """The difference of medians is not the one between the medians that `summarize` shows for the same losses."""
    answer = ask(MEDIAN, drawn)
    shown = ogive.summarize(read(drawn)).to_pandas().query("statistic == 'median'").set_index("algorithm")["estimate"]
    a, b = list(drawn.samples)[:2]
    gap = abs(float(shown[b] - shown[a]) - answer.interval.estimate)
    return Outcome(float(gap > RELATIVE), strength_of(answer.interval))


def _in_order(words: list[str]) -> list[str]:
    """The conclusion over all, then those of the tasks in an order that does not depend on the tasks'."""
    return [words[0], *sorted(words[1:])]


def _is_share(answer: Answer) -> bool:
    """Whether the interval is of a probability, whose mirror image is one minus it."""
    criterion = getattr(answer.raw, "criterion", getattr(answer.raw, "statistic", "improvement"))
    return str(getattr(criterion, "name", criterion)) == "improvement"


def _law_words(answer: Answer, call: Call) -> list[str]:
    words = [c for c, _ in answer.verdicts]
    return [{"better": "worse", "worse": "better"}.get(w, w) for w in words] if call.law == "methods" else words


def _changed(drawn: Drawn, law: str) -> Drawn:
    """The table with its rows, methods or tasks in another order, or as losses."""
    s = drawn.samples
    if law == "rows":
        return replace(drawn, samples={m: {t: np.roll(x[::-1], 3) for t, x in by.items()} for m, by in s.items()})
    if law == "tasks":
        return replace(drawn, samples={m: dict(reversed(by.items())) for m, by in s.items()})
    if law == "methods":
        return replace(drawn, samples=dict(reversed(s.items())))
    facts = {**drawn.facts, "goal": "minimize"}
    if "bounds" in facts:
        low, high = facts["bounds"]
        facts["bounds"] = (-high, -low)
    return replace(drawn, facts=facts, samples={m: {t: -x for t, x in by.items()} for m, by in s.items()})


# --- drawing -----------------------------------------------------------------------------------------------

LEVEL, SPREAD = 0.9, 0.02
UNIT = {"bounds": (0.0, 1.0)}


def collapsing(rng: np.random.Generator, size: Any, share: float, spread: float = SPREAD) -> Array:
    """Accuracies around 0.9, of which a share is 0."""
    return np.where(rng.random(size) < share, 0.0, np.clip(rng.normal(LEVEL, spread, size), 0.0, 1.0))


SHAPES: dict[str, Callable[[np.random.Generator, Any], Array]] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size),
    "-lognormal": lambda rng, size: -rng.lognormal(size=size),
    "lattice": lambda rng, size: rng.binomial(10, 0.7, size) / 10.0,
    "Bernoulli .5": lambda rng, size: (rng.random(size) < 0.5) * 1.0,
    "Bernoulli .9": lambda rng, size: (rng.random(size) < 0.9) * 1.0,
    "Bernoulli .98": lambda rng, size: (rng.random(size) < 0.98) * 1.0,
    "1 % collapse": partial(collapsing, share=0.01),
    "2 % collapse": partial(collapsing, share=0.02),
    "5 % collapse": partial(collapsing, share=0.05),
    "10 % collapse": partial(collapsing, share=0.10),
}
BOUNDED = ("lattice", "Bernoulli", "collapse")


def facts_of(shape: str) -> dict[str, Any]:
    """Bounds are declared wherever the scores have some."""
    return dict(UNIT) if any(word in shape for word in BOUNDED) else {}


def equal_methods(rng: np.random.Generator, *, shape: str, runs: Sequence[int], tasks: int = 1) -> Drawn:
    """Methods of one distribution, with these numbers of runs on every task, not paired."""
    samples = {name(i): {f"t{t}": SHAPES[shape](rng, n) for t in range(tasks)} for i, n in enumerate(runs)}
    return Drawn(samples=samples, facts=facts_of(shape))


def name(i: int) -> str:
    """a, b, c …"""
    return chr(ord("a") + i)


def equal_pairs(
    rng: np.random.Generator, *, shape: str, items: int, methods: int = 2, tasks: int = 1, rho: float = 0.0
) -> Drawn:
    """Methods of one distribution on the same items; for normal scores correlated by `rho` (two methods where negative)."""
    samples: Samples = {name(i): {} for i in range(methods)}
    for t in range(tasks):
        x = SHAPES[shape](rng, (methods, items))
        if rho > 0.0:
            x = math.sqrt(rho) * rng.normal(size=items) + math.sqrt(1.0 - rho) * x
        elif rho < 0.0:
            x[1] = rho * x[0] + math.sqrt(1.0 - rho**2) * x[1]
        for i in range(methods):
            samples[name(i)][f"t{t}"] = x[i]
    return Drawn(samples=samples, paired=True, facts=facts_of(shape))


def items_of_two_levels(rng: np.random.Generator, *, items: int) -> Drawn:
    """0/1 items of different difficulty that two equal methods solve independently, nine of ten on average."""
    ease = rng.beta(1.8, 0.2, items)
    a, b = (rng.random((2, items)) < ease) * 1.0
    return Drawn(samples={"a": {"t0": a}, "b": {"t0": b}}, paired=True, facts=dict(UNIT))


def sampled_tasks(rng: np.random.Generator, *, tasks: int, runs: int) -> Drawn:
    """Tasks on which the methods differ, by as much in one direction as in the other on average over all tasks."""
    gaps = rng.normal(0.0, 0.5, tasks)
    samples: Samples = {
        "a": {f"t{t}": rng.normal(g, 1.0, runs) for t, g in enumerate(gaps)},
        "b": {f"t{t}": rng.normal(0.0, 1.0, runs) for t in range(tasks)},
    }
    return Drawn(samples=samples)


def dropped(rng: np.random.Generator, *, share: float, runs: int, bounds: bool = True, spread: float = 0.015) -> Drawn:
    """A new version that collapses in a share of its runs, and a baseline that never does."""
    new, old = collapsing(rng, runs, share, spread), collapsing(rng, runs, 0.0, spread)
    return Drawn(samples={"new": {"t0": new}, "old": {"t0": old}}, facts=dict(UNIT) if bounds else {})


def shifted_check(rng: np.random.Generator, *, runs: int, drop: float) -> Drawn:
    """Normal accuracies, the new ones lower by `drop`."""
    new, old = rng.normal(0.8 - drop, 0.02, runs), rng.normal(0.8, 0.02, runs)
    return Drawn(samples={"new": {"t0": new}, "old": {"t0": old}})


@cache
def worst_drop(share: float, mass: float = 0.1, spread: float = SPREAD) -> float:
    """By how much a share of collapses lowers the mean of the worst `mass` of runs."""
    p = (np.arange(1_000_000) + 0.5) / 1_000_000
    worst = stats.norm.ppf(p[p < mass], LEVEL, spread).mean()
    rest = stats.norm.ppf(p[p < (mass - share) / (1.0 - share)], LEVEL, spread).sum() / p.size * (1.0 - share)
    return float(worst - rest / mass)


def clustered(
    rng: np.random.Generator, *, clusters: int, size: int = 10, shift: float = 1.0, rho: float = 0.9
) -> Drawn:
    """Pairs in clusters that mostly agree: A wins Phi(shift) of all pairs."""
    group = np.repeat(np.arange(clusters), size)
    gap = shift + math.sqrt(rho) * rng.normal(size=clusters)[group] + math.sqrt(1.0 - rho) * rng.normal(size=group.size)
    b = rng.normal(size=group.size)
    return Drawn(samples={"a": {"t0": b + gap}, "b": {"t0": b}}, paired=True, clusters=group)


def agreeing_tasks(rng: np.random.Generator, *, tasks: int, items: int, gap: float, noise: float) -> Drawn:
    """Items of very different difficulty, on each of which A is better by about `gap`."""
    b = rng.normal(size=(tasks, items))
    a = b + rng.normal(gap, noise, (tasks, items))
    return Drawn(samples={m: {f"t{t}": x[t] for t in range(tasks)} for m, x in (("a", a), ("b", b))}, paired=True)


def close_tasks(rng: np.random.Generator, *, tasks: int, runs: int) -> Drawn:
    """A is better on each task, by a tenth of what matters."""
    a, b = rng.normal(0.01, 0.01, (tasks, runs)), rng.normal(0.0, 0.01, (tasks, runs))
    return Drawn(samples={m: {f"t{t}": x[t] for t in range(tasks)} for m, x in (("a", a), ("b", b))})


def equal_means(rng: np.random.Generator, *, other: str, runs: Sequence[int]) -> Drawn:
    """Methods with equal means and different shapes."""
    if other == "collapse":
        a, b = collapsing(rng, runs[0], 0.02), rng.normal(LEVEL * 0.98, SPREAD, runs[1])
        return Drawn(samples={"a": {"t0": a}, "b": {"t0": np.clip(b, 0.0, 1.0)}}, facts=dict(UNIT))
    a, b = rng.exponential(size=runs[0]), rng.normal(1.0, 1.0, runs[1])
    return Drawn(samples={"a": {"t0": a}, "b": {"t0": b}})


def discordant(rng: np.random.Generator, *, items: int, wins: float, losses: float, both: float = 0.8) -> Drawn:
    """0/1 items of which A alone solves the share `wins` and B alone `losses`."""
    u = rng.random(items)
    a, b = (u < both + wins) * 1.0, ((u < both) | ((u >= both + wins) & (u < both + wins + losses))) * 1.0
    return Drawn(samples={"a": {"t0": a}, "b": {"t0": b}}, paired=True, facts=dict(UNIT))


def shifted_pairs(rng: np.random.Generator, *, items: int, gap: float) -> Drawn:
    """Correlated normal scores on the same items; the differences have standard deviation 1."""
    b = rng.normal(0.0, 2.0, items)
    return Drawn(samples={"a": {"t0": b + rng.normal(gap, 1.0, items)}, "b": {"t0": b}}, paired=True)


def spaced(rng: np.random.Generator, *, methods: int, runs: int, step: float) -> Drawn:
    """Normal methods whose means are a step apart."""
    samples = {name(i): {"t0": rng.normal(step * i, 1.0, runs)} for i in range(methods)}
    return Drawn(samples=samples, truth={name(i): step * i for i in range(methods)})


def shifted(rng: np.random.Generator, *, runs: int, gap: float) -> Drawn:
    """Two normal methods, A better by `gap` standard deviations."""
    return Drawn(samples={"a": {"t0": rng.normal(gap, 1.0, runs)}, "b": {"t0": rng.normal(0.0, 1.0, runs)}})


def accuracies(rng: np.random.Generator, *, runs: int) -> Drawn:
    """Two methods with Beta(8, 2) accuracies."""
    return Drawn(samples={m: {"t0": rng.beta(8, 2, runs)} for m in "ab"}, facts=dict(UNIT))


def contenders(rng: np.random.Generator, *, methods: int, items: int, rho: float) -> Drawn:
    """Methods whose true means are drawn anew for every table, on shared items."""
    means = rng.normal(0.0, 0.2, methods)
    shared = math.sqrt(rho) * rng.normal(size=items)
    x = means[:, None] + shared + math.sqrt(1.0 - rho) * rng.normal(size=(methods, items))
    return Drawn(
        samples={name(i): {"t0": x[i]} for i in range(methods)}, paired=True,
        truth={name(i): float(m) for i, m in enumerate(means)},
    )  # fmt: skip


# --- rivals ------------------------------------------------------------------------------------------------


def rejects(test: Callable[[Array, Array], float]) -> Callable[[Drawn], Outcome]:
    """A test at 5 % that says better where A has the larger mean."""

    def judged(drawn: Drawn) -> Outcome:
        a, b = drawn.two
        return Outcome(float(test(a, b) < 0.05 and a.mean() > b.mean()), "")

    return judged


def mcnemar(a: Array, b: Array) -> float:
    """P value of McNemar's exact test."""
    wins, losses = int(np.sum(a > b)), int(np.sum(a < b))
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def bonferroni(drawn: Drawn) -> Outcome:
    """Share of pairs whose true order Welch's t test claims at 5 % divided by the number of pairs."""
    x = {m: next(iter(by.values())) for m, by in drawn.samples.items()}
    names = list(x)
    pairs = [(m, k) for i, m in enumerate(names) for k in names[i + 1 :]]
    right = [
        stats.ttest_ind(x[m], x[k], equal_var=False).pvalue < 0.05 / len(pairs)
        and (x[m].mean() > x[k].mean()) == (drawn.truth[m] > drawn.truth[k])
        for m, k in pairs
    ]
    return Outcome(float(np.mean(right)), "")


def welch(drawn: Drawn, truth: float = 0.0) -> Outcome:
    """Welch's interval of the difference of means."""
    a, b = drawn.two
    i = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    return _miss(i.low, i.high, truth)


def hoeffding(drawn: Drawn) -> Outcome:
    """The difference of two bounded means by Hoeffding's inequality: guaranteed."""
    a, b = drawn.two
    half = math.sqrt(math.log(2.0 / 0.05) / 2.0 * (1.0 / a.size + 1.0 / b.size))
    return _miss(a.mean() - b.mean() - half, a.mean() - b.mean() + half, 0.0)


def bootstrap(statistic: Callable[[Array], Array], truth: float) -> Callable[[Drawn], Outcome]:
    """Percentile bootstrap of a difference; `statistic` reads sorted rows."""

    def judged(drawn: Drawn) -> Outcome:
        a, b = drawn.two
        rng = np.random.default_rng(zlib.crc32(a.tobytes()))
        values = [statistic(np.sort(x[rng.integers(0, x.size, (500, x.size))], axis=1)) for x in (a, b)]
        low, high = np.quantile(values[0] - values[1], (0.025, 0.975))
        return _miss(float(low), float(high), truth)

    return judged


def worst_tenth(rows: Array) -> Array:
    """Mean of the smallest tenth of each sorted row."""
    return np.asarray(rows[:, : max(1, rows.shape[1] // 10)].mean(axis=1))


def medians(rows: Array) -> Array:
    """Median of each sorted row."""
    return np.asarray((rows[:, (rows.shape[1] - 1) // 2] + rows[:, rows.shape[1] // 2]) / 2.0)


def corners(drawn: Drawn, truth: float) -> Outcome:
    """The difference of medians from two order-statistic intervals at 97.5 % each: guaranteed."""
    ends = []
    for x in drawn.two:
        s, n = np.sort(x), x.size
        k = int(stats.binom.ppf(0.0125, n, 0.5))
        ends.append((s[k - 1], s[n - k]))
    (al, ah), (bl, bh) = ends
    return _miss(al - bh, ah - bl, truth)


# --- the list ----------------------------------------------------------------------------------------------

DEFAULT = Call("default")
MEAN = Call("mean", options={"criterion": "mean"})
IMPROVEMENT = Call("improvement", options={"criterion": "improvement"})
MEDIAN = Call("median", options={"criterion": "median"})
WORST = Call("worst_0.1", options={"criterion": "worst_0.1"})
IQM = Call("iqm", options={"criterion": "iqm"})
SURE = Call("mean, guaranteed", options={"criterion": "mean", "guaranteed": True})
SURE_WORST = Call("worst_0.1, guaranteed", options={"criterion": "worst_0.1", "guaranteed": True})
SURE_IMPROVEMENT = Call("improvement, guaranteed", options={"criterion": "improvement", "guaranteed": True})
RANK = Call("rank, default", "rank")
RANK_MEAN = Call("rank, mean", "rank", {"criterion": "mean"})
RANK_IMPROVEMENT = Call("rank, improvement", "rank", {"criterion": "improvement"})
RANK_SURE = Call("rank, mean, guaranteed", "rank", {"criterion": "mean", "guaranteed": True})
CHECK_WORSE = Call("check, mean: worse", "check", {"criterion": "mean", "margin": 0.01})
CHECK_TURNED = replace(CHECK_WORSE, label="check of the second, mean: worse", turned=True)
COMMON = (DEFAULT, MEAN, IMPROVEMENT)
RANKED = (RANK, RANK_MEAN, RANK_IMPROVEMENT)

NULL = "Equal methods"


def _shapes() -> Iterable[Cell]:
    for shape in SHAPES:
        more: tuple[Call, ...] = (MEDIAN, RANK, CHECK_WORSE) if shape in ("normal", "exponential") else ()
        if facts_of(shape):
            more = (SURE, SURE_IMPROVEMENT) if shape == "Bernoulli .9" else (SURE,)
        yield Cell(
            name=f"{shape}, 10 v 10", factor="shape of the scores", section=NULL,
            draw=partial(equal_methods, shape=shape, runs=(10, 10)), calls=(*COMMON, *more), count=any_direction,
        )  # fmt: skip


def _runs() -> Iterable[Cell]:
    normal: list[tuple[str, int, int, tuple[Call, ...]]] = [
        ("normal", n, n, (MEDIAN, WORST) if n > 10 else (MEDIAN,)) for n in (3, 5, 30, 100, 1000)
    ]
    unequal: list[tuple[str, int, int, tuple[Call, ...]]] = [
        ("normal", 3, 30, (MEDIAN,)), ("normal", 10, 100, (MEDIAN,)),
        ("-lognormal", 5, 50, (MEDIAN,)), ("lattice", 3, 30, (SURE,)), ("Bernoulli .9", 5, 50, (SURE, CHECK_TURNED)),
        ("Bernoulli .9", 3, 1000, (SURE,)), ("Bernoulli .98", 10, 1000, (SURE,)), ("2 % collapse", 10, 1000, (SURE, CHECK_TURNED)),
        ("5 % collapse", 20, 20, (WORST, SURE)), ("5 % collapse", 100, 100, (WORST, SURE, SURE_WORST)),
    ]  # fmt: skip
    for shape, m, n, more in (*normal, *unequal):
        yield Cell(
            name=f"{shape}, {m} v {n}", factor="number of runs", section=NULL,
            draw=partial(equal_methods, shape=shape, runs=(m, n)), calls=(*COMMON, *more), count=any_direction,
        )  # fmt: skip


def _pairs() -> Iterable[Cell]:
    for shape, items, rho, more in (
        ("normal", 10, 0.8, (MEDIAN,)), ("lattice", 10, 0.0, (SURE,)), ("Bernoulli .9", 10, 0.0, (SURE,)),
        ("5 % collapse", 10, 0.0, (SURE,)), ("2 % collapse", 100, 0.0, (SURE, WORST)),
    ):  # fmt: skip
        yield Cell(
            name=f"{shape}, {items} pairs" + (f", correlation {rho:g}" if rho else ""), factor="pairing", section=NULL,
            draw=partial(equal_pairs, shape=shape, items=items, rho=rho), calls=(*COMMON, *more), count=any_direction,
        )  # fmt: skip
    yield Cell(
        name="0/1, 200 items", factor="pairing", section=NULL, draw=partial(items_of_two_levels, items=200),
        calls=(*COMMON, SURE), count=any_direction,
    )  # fmt: skip


def _tasks() -> Iterable[Cell]:
    for tasks in (2, 4, 12, 26, 60):
        yield Cell(
            name=f"normal, 10 v 10, {tasks} tasks", factor="number of tasks", section=NULL,
            draw=partial(equal_methods, shape="normal", runs=(10, 10), tasks=tasks), calls=COMMON, count=any_direction,
            tables=FEW_TABLES if tasks > 26 else TABLES,
        )  # fmt: skip
    yield Cell(
        name="normal, 3 v 30, 6 tasks", factor="number of tasks", section=NULL,
        draw=partial(equal_methods, shape="normal", runs=(3, 30), tasks=6), calls=COMMON, count=any_direction,
    )  # fmt: skip
    yield Cell(
        name="10 % collapse, 10 v 10, 6 tasks", factor="number of tasks", section=NULL,
        draw=partial(equal_methods, shape="10 % collapse", runs=(10, 10), tasks=6), calls=(*COMMON, IQM, SURE),
        count=any_direction,
    )  # fmt: skip
    for rho in (-0.9, 0.9):
        yield Cell(
            name=f"normal, 10 pairs, correlation {rho:g}, 4 tasks", factor="pairing over tasks", section=NULL,
            draw=partial(equal_pairs, shape="normal", items=10, tasks=4, rho=rho), calls=COMMON, count=any_direction,
        )  # fmt: skip
    sample = tuple(Call(c.label, c.to, {**c.options, "over": "sample"}) for c in (MEAN, IMPROVEMENT))
    yield Cell(
        name="normal, 10 v 10, 12 tasks that differ, over a sample of tasks", factor="tasks as a sample", section=NULL,
        draw=partial(sampled_tasks, tasks=12, runs=10), calls=sample, count=overall_direction,
    )  # fmt: skip


def _methods() -> Iterable[Cell]:
    for methods in (3, 5, 8, 20):
        yield Cell(
            name=f"normal, {methods} methods of 10 runs", factor="number of methods", section=NULL,
            draw=partial(equal_methods, shape="normal", runs=(10,) * methods), calls=RANKED, count=any_direction,
            tables=FEW_TABLES if methods > 8 else TABLES,
        )  # fmt: skip
    yield Cell(
        name="Bernoulli .9, 10 methods of 200 runs, two of 5", factor="number of methods", section=NULL,
        draw=partial(equal_methods, shape="Bernoulli .9", runs=(5, *(200,) * 8, 5)), calls=(*RANKED, RANK_SURE),
        count=any_direction, tables=FEW_TABLES,
    )  # fmt: skip
    yield Cell(
        name="normal, 5 methods on 10 items, correlation 0.8", factor="number of methods", section=NULL,
        draw=partial(equal_pairs, shape="normal", items=10, methods=5, rho=0.8), calls=RANKED, count=any_direction,
    )  # fmt: skip
    yield Cell(
        name="normal, 4 methods of 10 runs, 4 tasks", factor="number of methods", section=NULL,
        draw=partial(equal_methods, shape="normal", runs=(10,) * 4, tasks=4), calls=RANKED, count=any_direction,
    )  # fmt: skip


GATE = "Gates and margins"


def _gates() -> Iterable[Cell]:
    for share, runs in [(s, n) for s in (0.02, 0.03) for n in (10, 20, 50, 100)]:
        options = {"margin": share * LEVEL / 1.2, "criterion": "mean"}
        yield Cell(
            name=f"check, {100 * share:g} % collapse, {runs} v {runs}", factor="collapse and runs, drop 1.2 margins",
            section=GATE, draw=partial(dropped, share=share, runs=runs), count=passes, level=0.05,
            calls=(Call("mean", "check", options), Call("mean, guaranteed", "check", {**options, "guaranteed": True})),
        )  # fmt: skip
    options = {"margin": 0.02 * LEVEL / 1.2, "criterion": "mean"}
    yield Cell(
        name="check, 2 % collapse, 20 v 20, no bounds declared", factor="bounds, drop 1.2 margins", section=GATE,
        draw=partial(dropped, share=0.02, runs=20, bounds=False), calls=(Call("mean", "check", options),), count=passes,
        kind="shown",
    )  # fmt: skip
    for runs in (20, 50, 100):
        margin = {"margin": worst_drop(0.02), "criterion": "worst_0.1"}
        yield Cell(
            name=f"worst_0.1 not worse, 2 % collapse, {runs} v {runs}", factor="runs, drop of one margin", section=GATE,
            draw=partial(dropped, share=0.02, runs=runs, spread=SPREAD), count=not_worse, level=0.05,
            calls=(Call("worst_0.1", options=margin), Call("worst_0.1, guaranteed", options={**margin, "guaranteed": True})),
        )  # fmt: skip
    for runs in (3, 5):
        yield Cell(
            name=f"check, printed power, {runs} v {runs}", factor="runs, drop of two margins", section="Said and true",
            draw=partial(shifted_check, runs=runs, drop=0.04), count=ends_in_worse, kind="said",
            calls=(Call("mean", "check", {"margin": 0.02, "criterion": "mean"}),),
        )  # fmt: skip
    yield Cell(
        name="P(first) of 5 methods on 10 items, correlation 0.9", factor="pairing", section="Said and true",
        draw=partial(contenders, methods=5, items=10, rho=0.9), calls=(RANK_MEAN,), count=first_is_first, kind="said",
    )  # fmt: skip


def _others() -> Iterable[Cell]:
    for clusters in (6, 8, 20):
        yield Cell(
            name=f"{clusters} clusters that mostly agree, improvement", factor="number of clusters",
            section="Clusters of pairs", draw=partial(clustered, clusters=clusters), calls=(IMPROVEMENT,),
            count=partial(misses, truth=float(stats.norm.cdf(1.0))),
        )  # fmt: skip
    yield Cell(
        name="4 tasks of 12 pairs, A better on each", factor="agreement with the tasks", section="Laws", kind="law",
        draw=partial(agreeing_tasks, tasks=4, items=12, gap=0.3, noise=0.1), calls=(DEFAULT, MEAN), count=contradicts,
    )  # fmt: skip
    yield Cell(
        name="6 tasks, equivalent on each", factor="agreement with the tasks", section="Laws", kind="law",
        draw=partial(close_tasks, tasks=6, runs=20), calls=(Call("mean, margin 0.1", options={"criterion": "mean", "margin": 0.1}),),
        count=contradicts,
    )  # fmt: skip
    laws = [
        replace(c, label=f"{c.label}: {law}", law=law)
        for c in (MEAN, IMPROVEMENT, MEDIAN, WORST, IQM, SURE)
        for law in ("rows", "methods", "losses")
    ]
    laws.append(replace(MEDIAN, label="median: of losses, as summarized", law="summarized"))
    yield Cell(
        name="order, 10 % collapse, 20 v 24", factor="order of rows and methods, losses", section="Laws", kind="law",
        draw=partial(equal_methods, shape="10 % collapse", runs=(20, 24)), calls=tuple(laws), count=any_direction,
    )  # fmt: skip
    laws = [replace(c, label=f"{c.label}: {law}", law=law) for c in COMMON for law in ("rows", "methods", "tasks")]
    yield Cell(
        name="order, lattice, 5 v 7, 6 tasks", factor="order of rows, methods and tasks", section="Laws", kind="law",
        draw=partial(equal_methods, shape="lattice", runs=(5, 7), tasks=6), calls=tuple(laws), count=any_direction,
    )  # fmt: skip
    for other, runs in (("collapse", (50, 50)), ("exponential", (10, 10))):
        label = {"collapse": "2 % collapse v none", "exponential": "exponential v normal"}[other]
        yield Cell(
            name=f"{label}, equal means, {runs[0]} v {runs[1]}", factor="shape of one method", section="Equal means, different shapes",
            draw=partial(equal_means, other=other, runs=runs), calls=(MEAN, SURE) if other == "collapse" else (MEAN,), count=any_direction, kind="shown",
        )  # fmt: skip


def _power() -> Iterable[Cell]:
    power, width = "Power", "Width"
    yield Cell(
        name="0/1, 1000 items, 40 v 10 discordant", factor="power against McNemar's exact test", section=power, kind="power",
        draw=partial(discordant, items=1000, wins=0.04, losses=0.01), calls=(*COMMON, SURE), count=_better, least=("McNemar", -0.02),
        barred=("default", "mean", "improvement"),
        rivals={"McNemar": rejects(mcnemar)},
    )  # fmt: skip
    yield Cell(
        name="normal, 20 pairs, 0.65 sd apart", factor="power against the paired t test", section=power, kind="power",
        draw=partial(shifted_pairs, items=20, gap=0.65), calls=(MEAN, IMPROVEMENT), count=_better, least=("paired t", -0.03),
        barred=("mean",),
        rivals={"paired t": rejects(lambda a, b: float(stats.ttest_rel(a, b).pvalue)),
                "Wilcoxon": rejects(lambda a, b: float(stats.wilcoxon(a, b).pvalue))},
    )  # fmt: skip
    yield Cell(
        name="normal, 10 methods of 100 runs, 0.1 sd apart", factor="pairs separated, against Bonferroni", section=power, kind="power",
        draw=partial(spaced, methods=10, runs=100, step=0.1), calls=(RANK_MEAN,), count=separated, least=("Bonferroni", 1.08),
        barred=("rank, mean",),
        rivals={"Bonferroni": bonferroni}, tables=FEW_TABLES,
    )  # fmt: skip
    yield Cell(
        name="normal, 20 v 20, 0.9 sd apart", factor="power against rank tests", section=power, kind="power",
        draw=partial(shifted, runs=20, gap=0.9), calls=(MEAN, IMPROVEMENT), count=_better,
        rivals={"Welch": rejects(lambda a, b: float(stats.ttest_ind(a, b, equal_var=False).pvalue)),
                "Mann-Whitney": rejects(lambda a, b: float(stats.mannwhitneyu(a, b).pvalue)),
                "Brunner-Munzel": rejects(lambda a, b: float(stats.brunnermunzel(a, b).pvalue))},
    )  # fmt: skip
    yield Cell(
        name="width, mean, Beta(8, 2), 100 v 100", factor="criterion", section=width, draw=partial(accuracies, runs=100),
        calls=(MEAN, SURE), count=misses, rivals={"Welch": welch, "Hoeffding": hoeffding},
    )  # fmt: skip
    yield Cell(
        name="width, worst_0.1, normal, 100 v 100", factor="criterion", section=width, draw=partial(shifted, runs=100, gap=0.0),
        calls=(WORST,), count=misses, rivals={"bootstrap": bootstrap(worst_tenth, 0.0)},
    )  # fmt: skip
    yield Cell(
        name="width, median, normal, 50 v 50, 0.5 sd apart", factor="criterion", section=width, draw=partial(shifted, runs=50, gap=0.5),
        calls=(MEDIAN,), count=partial(misses, truth=0.5),
        rivals={"bootstrap": bootstrap(medians, 0.5), "two order-statistic intervals": partial(corners, truth=0.5)},
    )  # fmt: skip


def _better(answer: Answer, drawn: Drawn) -> Outcome:
    """The true direction is claimed."""
    return _claimed(answer, ("better",), first_only=True)


CELLS: tuple[Cell, ...] = (
    *_shapes(), *_runs(), *_pairs(), *_tasks(), *_methods(), *_gates(), *_others(), *_power(),
)  # fmt: skip


def measure(cell: Cell, call: Call, drawn: Drawn) -> Outcome | str:
    """The outcome of one call on one table; the refusal's sentence where there is none."""
    try:
        if call.law is not None:
            return breaks_law(call, drawn)
        return cell.count(ask(call, drawn), drawn)
    except OgiveError as error:
        return str(error)
