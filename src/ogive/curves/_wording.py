"""What learning curves say at a glance."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from ogive.curves._bands import FEWEST
from ogive.curves._designs import DESIGNS, TESTS
from ogive.words import listed, plural, printable

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves
    from ogive.curves._leaders import Lead

MOST_NAMED = 3  # models, and ranges of each, that a sentence names


def overview(curves: LearningCurves, metric: str | None = None) -> str:
    """How the curves were made, means and bad runs at some sizes, who leads, and notes."""
    name = curves.metric_name(metric)
    share = curves.definitions[name].level(0.05)
    parts = [headline(curves), str(curves.mean(name)), str(curves.quantile(share, name))]
    if len(curves.models) > 1 and curves.n_repetitions >= FEWEST:
        parts.append(str(curves.leaders(name)))
    if curves.notes:
        parts.append("\n".join(f"note: {printable(note)}" for note in curves.notes))
    return "\n\n".join(parts)


def headline(curves: LearningCurves) -> str:
    """How the curves were made."""
    tested = f"{curves.n_test} test rows set aside once" if curves.test == "fixed" else f"test set: {TESTS['varying']}"
    return (
        f"{plural(len(curves.models), 'model')} on {printable(curves.name)} ({curves.n_rows} rows), "
        f"{plural(curves.n_repetitions, 'repetition')} at {plural(curves.sizes.size, 'size')} from {int(np.min(curves.sizes))} to {int(np.max(curves.sizes))}; {curves.design}: "
        f"{DESIGNS[curves.design]}; {tested}."
    )


def at_the_end(leads: list[Lead], metric: str) -> list[str]:
    """Who leads at the last size, the statistics that agree together."""
    found: dict[tuple[str, str], list[str]] = {}
    for lead in leads:
        best = lead.leaders[-1]
        if not best:
            said = ("no model has a score in every repetition, and nobody leads", "")
        elif len(best) > 1:
            said = ("several are equal", "")
        elif lead.contenders[-1] == best:
            said = (f"{printable(best[0])} certainly has the best {metric}", "")
        else:
            said = (f"{printable(best[0])} has the best {metric}", ", but not certainly")
        found.setdefault(said, []).append(lead.words)
    return [f"{start} {listed(words)}{end}" for (start, end), words in found.items()]


def before(leads: list[Lead]) -> str:
    """Which other models are certainly ahead of all at other sizes."""
    found: dict[str, list[tuple[str, str]]] = {}
    for lead in leads:
        ranges: dict[str, list[str]] = {}
        for r in lead.ranges(certain=True):
            if r.who is not None and r.who not in lead.leaders[-1]:
                ranges.setdefault(r.who, []).append(r.words)
        for who, words in ranges.items():
            shown = words if len(words) <= MOST_NAMED else [*words[:MOST_NAMED], "more"]
            found.setdefault(who, []).append((f"at {listed(shown)}", lead.words))
    if not found:
        return "At no smaller size is another model certainly ahead of all." if leads[0].sizes.size > 1 else ""
    named = [f"{printable(who)} is certainly ahead {_together(words)}" for who, words in found.items()]
    more = [f"{len(named) - MOST_NAMED} more are so at other sizes"] if len(named) > MOST_NAMED else []
    return f"With fewer rows {'; '.join([*named[:MOST_NAMED], *more])}."


def overtaking(leads: list[Lead]) -> str:
    """Between which sizes a model certainly overtakes the one that led before it."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for lead in leads:
        names = [r.who for r in lead.ranges() if r.who is not None]
        successions = set(itertools.pairwise(names))
        for change in lead.changes():
            if (change.before, change.after) in successions:
                found.setdefault((change.after, change.before), []).append((change.words, lead.words))
    if not found:
        return ""
    named = [f"{printable(a)} overtakes {printable(b)} {_together(words)}" for (a, b), words in found.items()]
    more = [f"{len(named) - MOST_NAMED} more pairs change order"] if len(named) > MOST_NAMED else []
    return f"{'; '.join([*named[:MOST_NAMED], *more])}: certain at both ends."


def _together(words: list[tuple[str, str]]) -> str:
    """Statistics with the same range are named together: `between n = 113 and 160 by the mean and in …`."""
    found: dict[str, list[str]] = {}
    for where, how in words:
        found.setdefault(where, []).append(how)
    return ", ".join(f"{where} {listed(list(dict.fromkeys(how)))}" for where, how in found.items())
