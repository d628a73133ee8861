"""Which picture a result has of itself."""

from __future__ import annotations

from typing import Any

from ogive.answers import Check, Comparison, Ranking, Sources, Summary
from ogive.errors import InputError
from ogive.plots._difference import difference
from ogive.plots._intervals import intervals
from ogive.plots._over_tasks import aggregates, critical_difference
from ogive.plots._page import Drawable
from ogive.plots._planning import planning
from ogive.plots._profile import profile
from ogive.plots._ranks import ranks
from ogive.plots._sources import sources
from ogive.profiles import Aggregates, AverageRanks, Profile
from ogive.statistics import Plan


def of(result: Any) -> Drawable:
    """The Display of a result; what `result.plot()` draws.

    Examples
    --------
    >>> import ogive
    >>> of(ogive.plan("band", half_width=0.1, method="dkw"))
    PlanDisplay(61 points, n_trials=185)
    """
    from ogive.curves import LearningCurves
    from ogive.plots._curves import learning_fan
    from ogive.plots._progress import progress, progress_fan
    from ogive.progress import Fans, Progress

    ways: dict[type, Any] = {
        Summary: intervals, Ranking: ranks, Sources: sources, Plan: planning, Profile: profile, Aggregates: aggregates,
        AverageRanks: critical_difference, LearningCurves: learning_fan, Progress: progress, Fans: progress_fan, Comparison: _difference, Check: _difference_of_check,
    }  # fmt: skip
    for kind, draw in ways.items():
        if isinstance(result, kind):
            found: Drawable = draw(result)
            return found
    names = ", ".join(kind.__name__ for kind in ways)
    raise InputError(f"there is no picture of a {type(result).__name__}; there is one of each {names}.")


def _difference(found: Comparison) -> Drawable:
    if found.tasks:
        raise InputError(
            f"a comparison over {len(found.tasks)} tasks has a picture for each of them: say comparison.tasks[0].plot()."
        )
    asked = found.question
    # Where failures are refused these two methods have none, whatever others have.
    rule = None if asked.failures == "refuse" else asked.failures
    return difference(
        found._trials, found.a, found.b, found.task, metric=found.metric, confidence=asked.confidence, failures=rule
    )


def _difference_of_check(found: Check) -> Drawable:
    if len(found.comparisons) > 1:
        raise InputError(
            f"a check over {len(found.comparisons)} tasks has a picture for each of them: say check.comparisons[0].plot()."
        )
    return _difference(found.comparisons[0])
