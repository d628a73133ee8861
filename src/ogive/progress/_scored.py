"""The score of each run at a budget of steps, or the area under its curve."""

from __future__ import annotations

from ogive.arguments import as_answer, as_count, as_name
from ogive.importers import scored as with_score
from ogive.reading import Source, as_trials
from ogive.trials import Trials


def scored(source: Source, *, budget: float | None = None, area: bool = False, metric: str | None = None) -> Trials:
    """The same runs, each with a score of its curve, for every answer about scores.

    Parameters
    ----------
    source
        Trials whose runs have curves, or anything that `ogive.read` takes.
    budget : float, optional
        The step at which a run has its score, or to which its mean goes; where not given, its end. A run that ended before
        keeps its last value; one that was lost before it, or began later, has no score.
    area : bool
        The mean of a run over its steps, which is the area under its curve divided by their length.
    metric : str, optional
        One score or series; where not given, all scores that were read over steps.

    Examples
    --------
    >>> import ogive, pandas as pd
    >>> rows = [{"agent": "a", "seed": s, "step": t, "return": t * s} for s in range(3) for t in range(5)]
    >>> scored(ogive.read(pd.DataFrame(rows)), budget=3).scores().tolist()
    [0.0, 3.0, 6.0]
    """
    return with_score(
        as_trials(source),
        budget=None if budget is None else as_count(budget, "budget"),
        area=as_answer(area, "area"),
        metric=as_name(metric, "metric"),
    )
