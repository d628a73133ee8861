"""Where the spread comes from, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ogive.answers.spread._draws import CONFIGURATION, DATA, REST, SEED, Draws
from ogive.answers.spread._parameters import ParameterEffect
from ogive.answers.spread._ranges import FEWEST_KEPT, UNSEEN, Range
from ogive.notes import argument
from ogive.statistics import Assumption, Interval
from ogive.words import interval, listed, number, percent_interval, percent_sure, plural, printable

if TYPE_CHECKING:
    from ogive.statistics import Component, VarianceShares

NESTED = "study.hold(config=ogive.study.every(10))"
CROSSED = "study.hold(config=ogive.study.every(20), data=ogive.study.cycle(10))"
WAY = (
    f"Run {NESTED} to separate the configuration from the rest, or {CROSSED} to separate configuration, data and seed."
)
SHARED = {CONFIGURATION: "a configuration", DATA: "data", SEED: "a seed"}
MOST_NAMED = 4
MOST_OF_IT = 0.75  # of the worse half; what makes up less of it has made it partly


def share_sentence(shares: VarianceShares, place: str, n_runs: int, confidence: float, scope: str) -> str:
    """What brings how much of the variance."""
    ordered = sorted(shares.components, key=lambda c: -c.share.estimate)
    parts = [f"{percent_interval(c.share)} from {_source(c)}" for c in ordered[1:]]
    first = f"{percent_interval(ordered[0].share)} of the variance of {place} comes from {_source(ordered[0])}"
    counts = [f"{plural(c.n_levels, _singular(c))}" for c in shares.components if c.n_levels < n_runs and c.sources]
    design = f"{plural(n_runs, 'run')}" + (f", {listed(counts)}" if counts else "")
    text = f"{first}{', ' + listed(parts) if parts else ''} ({percent_sure(confidence)} intervals, {ordered[0].share.strength}; {design}){scope}."
    if shares.fixed:
        text += f" {listed([_the(f) for f in shares.fixed]).capitalize()} did not vary."
    return text


def share_remarks(shares: VarianceShares) -> list[str]:
    """Estimates below zero, and what a component cannot be told from."""
    out = []
    below = [_source(c) for c in shares.components if c.raw < 0.0]
    if below:
        verb = "was" if len(below) == 1 else "were"
        out.append(
            f"The estimate for {listed(below)} {verb} below zero, which chance alone brings about, and counts as 0."
        )
    for c in shares.components:
        mixed = [s for s in c.contains if not set(s) & set(c.sources)] if c.sources else []
        if mixed:
            words = listed([f"what {listed(list(s))} do together" for s in mixed])
            out.append(f"The share of {_source(c)} contains {words}, which these runs do not separate.")
    if not shares.balanced:
        out.append("The groups differ in size, for which the intervals of the shares allow only roughly.")
    fewest = min(shares.components, key=lambda c: c.n_levels)
    assumed = fewest.share.assumptions
    if Assumption.FEW_DRAWS in assumed:
        unseen = 1.0 - UNSEEN ** (1.0 / fewest.n_levels)
        out.append(
            f"The shares hold if fewer than {_rate(unseen)} of all draws of {_source(fewest)} are of a kind not seen here, such as a "
            f"collapse, which {fewest.n_levels} draws cannot rule out."
        )
    if Assumption.EQUAL_WITHIN in assumed:
        out.append("Runs spread more in some draws than in others; the intervals of the shares are too short for that.")
    return out


def _source(c: Component) -> str:
    if c.sources:
        return _the(c.sources[0]) if len(c.sources) == 1 else listed([printable(s) for s in c.sources])
    return f"how {' and '.join(map(printable, c.interaction))} act together"


def _the(name: str) -> str:
    return f"the {name}" if name in (CONFIGURATION, "seed", "item") else printable(name)


def _singular(c: Component) -> str:
    name = listed(list(c.sources))
    return {"data": "data draw", REST: "group"}.get(name, name)


@dataclass(frozen=True, slots=True)
class Untold:
    """Why shares cannot be told, and what would tell them: the same for many cells, and said once."""

    why: str
    way: str = ""

    def __str__(self) -> str:
        return f"{self.why} {self.way}".rstrip()


def untold(draws: Draws, place: str, n_runs: int) -> Untold:
    """Why shares cannot be told."""
    start = f"Where the spread of {place} comes from cannot be told"
    if n_runs < 3:
        return Untold(f"{start}: there {'is one run' if n_runs == 1 else f'are {n_runs} runs'}.")
    if draws.by_fold and CONFIGURATION not in draws.codes:
        return Untold(
            f"{start}: each fold of each repeat is other data, and no two of the {n_runs} runs are known to share one.",
            "Several seeds on each fold, in a table that names fold and repeat, would separate data from the rest.",
        )
    fixed = [name for name, codes in draws.codes.items() if codes.max(initial=0) == 0]
    free = [name for name in draws.codes if name not in fixed and name != REST]
    if not draws.declared and CONFIGURATION not in draws.codes:
        ways = {CONFIGURATION: argument("params"), DATA: argument("group", "split"), SEED: argument("repeat", "seed")}
        ways = {source: way for source, way in ways.items() if source not in draws.codes}
        own = f"each of the {n_runs} runs has its own {listed([printable(f) for f in free])}, and " if free else ""
        return Untold(
            f"{start}: {own}no column says which runs share {listed([SHARED[source] for source in ways], 'or')}.",
            f"Name {'them' if len(ways) > 1 else 'it'} when reading, {listed(list(ways.values()), 'or')}, or run a study: {NESTED}.",
        )
    if draws.declared and len(free) == 1:
        return Untold(f"All spread of {place} comes from {_the(free[0])}: nothing else varied.", WAY)
    if CONFIGURATION in fixed:
        return Untold(
            f"{start}: all {n_runs} runs have one configuration, and nothing else is shared by some of them only.", WAY
        )
    if not draws.declared:
        return Untold(f"{start}: no two of the {n_runs} runs share a configuration, data or a seed.", WAY)
    return Untold(f"{start}: every run drew {listed(free)} anew.", WAY)


def effect_sentences(effects: Sequence[ParameterEffect]) -> list[str]:
    """Which parameters explain how much, and which values make the worse half."""
    ordered = sorted(effects, key=lambda e: -e.explained.estimate)
    seen = [e for e in ordered if e.shown]
    unseen = [printable(e.parameter) for e in ordered if not e.shown]
    out = []
    if seen:
        parts = [_explained(e, first=i == 0) for i, e in enumerate(seen[:MOST_NAMED])]
        rest = f"; no effect of {listed(unseen[:8])} can be shown" if unseen else ""
        out.append(f"{', '.join(parts)}{rest}.")
    elif unseen:
        out.append(f"No effect of {listed(unseen[:8])} on the score can be shown by these runs.")
    blamed = [w for e in ordered if (w := e.made_bad) is not None][:MOST_NAMED]
    if blamed:
        partly = "" if max(w.covered for w in blamed) >= MOST_OF_IT else "partly "
        parts = [
            f"{w.words} ({100 * w.share:.0f} % of such runs; {100 * w.covered:.0f} % of the worse half)" for w in blamed
        ]
        out.append(f"The worse half is {partly}made by {listed(parts)}.")
    return out


def _explained(e: ParameterEffect, *, first: bool) -> str:
    where = "" if e.present > 0.999 else f" where it is set ({100 * e.present:.0f} % of runs)"
    # The values of a number that lie in one range count as one: they explain less than the number itself may.
    cut = f" (in {len(e.bins)} ranges)" if e.kind == "numeric" else ""
    return f"{printable(e.parameter)}{cut} {'explains ' if first else ''}{percent_interval(e.explained)}{' of the variance' if first else ''}{where}"


def range_sentences(ranges: Sequence[Range], effects: Sequence[ParameterEffect], place: str) -> list[str]:
    """Ranges that are suggested; why there is none, where an effect is shown and there is none."""
    if not any(e.shown for e in effects):  # without an effect there is nothing to choose by, and that is said
        return []
    shown = sorted(
        (r for r in ranges if r.shown), key=lambda r: -r.gain.low / max(1e-300, abs(r.gain.high - r.gain.low))
    )
    if shown:
        out = []
        for target in dict.fromkeys(r.target for r in shown):
            out += [f"{place}: {_range(r)}." for r in shown if r.target == target][:2]
        return out
    n_units = max(e.explained.n for e in effects)
    if not ranges and n_units < 4 * FEWEST_KEPT["median"]:
        return [f"{n_units} independent draws of the parameters are too few to choose a sub-range and to check it."]
    if not ranges:
        return ["No sub-range of a parameter looks better than the whole on the runs set aside for choosing."]
    hidden = [r for r in ranges if r.doubts == ("collapse",)]
    if hidden:
        return [_hidden(max(hidden, key=lambda r: r.gain.estimate / (r.unseen_cost or math.inf)))]
    count = plural(len(ranges), "sub-range")
    return [
        f"{count} looked better on one half of the runs. The other half does not show a gain, so none is suggested."
    ]


def _range(r: Range) -> str:
    what = "the median run reaches" if r.target == "median" else "the worst 10 % of runs average"
    gain = interval(r.gain.estimate, r.gain.low, r.gain.high, (0.0,))
    return (
        f"with {r.words} instead of {r.instead_of}, {what} {number(r.after)} instead of {number(r.before)} "
        f"(gain on other runs {gain}; if fewer than {_rate(r.unseen)} of its runs collapse, "
        f"which {plural(r.n_kept, 'run')} cannot rule out)"
    )


def _hidden(r: Range) -> str:
    """A gain that a collapse nobody has seen would undo."""
    what = "its median run" if r.target == "median" else "the worst 10 % of its runs"
    assert r.unseen_cost is not None
    return (
        f"With {r.words}, {what} gained {number(r.gain.estimate)} on runs it was not chosen on. But {plural(r.n_kept, 'run')} "
        f"cannot rule out that {_rate(r.unseen)} of its runs collapse, which would cost {number(r.unseen_cost)}. "
        f"It is not suggested; {r.n_needed:,} runs within it, without a collapse, would do."
    )


def _rate(share: float) -> str:
    return f"{100 * share:.2g} %"


def worth_sentence(share: Interval) -> str:
    """When a second seed of a configuration pays."""
    if share.estimate <= 0.0 or share.estimate >= 1.0:
        return ""
    # (s + (1 - s) / 2)(c + 2) < c + 1 holds from c = 2 s / (1 - s) on.
    cost = 2.0 * share.estimate / (1.0 - share.estimate)
    return (
        f"For its mean, one run of each of many configurations is best; a second seed pays only where a new configuration costs more "
        f"than {number(cost, 2 if cost < 0.1 else 1 if cost < 10.0 else 0)} runs beside its own."
    )
