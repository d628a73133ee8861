"""What learning curves say at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ogive.answers._words import plural, printable
from ogive.curves._bands import FEWEST
from ogive.curves._designs import DESIGNS, TESTS

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves


def overview(curves: LearningCurves, metric: str | None = None) -> str:
    """How the curves were made, means and bad runs at some sizes, who leads, and notes."""
    name = curves.metric_name(metric)
    goal = curves.definitions[name].goal
    share = 0.05 if goal == "maximize" else 0.95
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
