"""Runs of several tasks at once: one number for all of them, with what resamples say of it.

  aggregate, aggregate_label   IQM, mean, median, optimality gap, tails; AGGREGATES names the usual four
  aggregate_against            the same on the scale of a reference method
  profile_counts               the share of runs above each threshold: a ScoreProfile
  largest_deviation            how far the mean of the tasks' distributions may lie from the truth
  improvement_over_tasks       how often a run of one method beats one of another

Inside: _resampling draws runs within tasks (or tasks too); _run_statistics reads statistics off the resamples;
_aggregate _reference _deviation _improvement.
"""

from ogive.statistics.over_tasks._aggregate import ScoreProfile, aggregate, profile_counts
from ogive.statistics.over_tasks._deviation import largest_deviation
from ogive.statistics.over_tasks._improvement import improvement_over_tasks
from ogive.statistics.over_tasks._reference import aggregate_against
from ogive.statistics.over_tasks._run_statistics import AGGREGATES, aggregate_label

__all__ = [
    "AGGREGATES",
    "ScoreProfile",
    "aggregate",
    "aggregate_against",
    "aggregate_label",
    "improvement_over_tasks",
    "largest_deviation",
    "profile_counts",
]
