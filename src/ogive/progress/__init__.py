"""Scores over training: where methods stand at every step, how sure that is, and when they reach a target.

Start here                              then
  over_training(trials, statistic)      a statistic of the runs at every step, with intervals: .of(method) .at(step)
  fan(trials)                           the quantiles of the runs themselves over the steps
  steps_to_reach(trials, target)        how many runs reach it, and after how many steps; .trials for any other answer
  scored(trials, budget, area)          the same runs with the score at a budget, or the area under their curves, for any answer

Inside
  _grid    runs brought onto common steps: the last value at or before each; failures, early ends, one scale for all tasks
  _over    one statistic of all runs at every step
  _fan     several quantiles
  _reach   the first step at which each run is good enough; runs that never are count as later than every other
  _scored  one score of each curve

Runs come from tables over steps (`ogive.read(…, step="frame")`) and from the series that trials of a study return.
"""

from ogive.progress._fan import Fan, Fans, fan
from ogive.progress._grid import OnGrid, on_grid
from ogive.progress._over import Progress, over_training
from ogive.progress._reach import Reached, ReachedCell, steps_to_reach
from ogive.progress._scored import scored

__all__ = [
    "Fan",
    "Fans",
    "OnGrid",
    "Progress",
    "Reached",
    "ReachedCell",
    "fan",
    "on_grid",
    "over_training",
    "scored",
    "steps_to_reach",
]
