"""Many tasks at once: how often a method is within τ of the best, and one number for all of them.

Start here                              then
  performance_profile(table, kind)      .at .low .high .wins .solved .area .reach .verdict(a, b)
                                        .crossings .pairwise .leave_one_out
  aggregates(table)                     IQM, mean, median, optimality gap, each with an interval
  probability_of_improvement(table, a, b)
  shifted_geometric_mean(table)         as Mittelmann's benchmarks report it
  average_ranks(table)                  with Friedman's test and Holm's correction; a description
  profile_table(table, kind, n=)        a table that `ogive.read` does not know: means with spreads
  Baselines, MinMax, Reference          one scale for tasks with different ones

Inside
  _reading        Trials, what `ogive.read` takes and tables of means with spreads become cells or moments
  _cells          the cells, and the rules for failures, clocks and missing values; _normalize: one scale for all tasks
  _distances      ratio, difference, improvement, welch, rank, and the rank tests
  _performance    from a table to a Profile: what is within τ, and what counts as solved
  _profile        the Profile, also without one of its methods; _curves: step curves, their bands, and two of them
  _aggregates     one number of each method over all tasks
  _ranks          average ranks, Friedman's test
"""

from ogive.profiles._aggregates import (
    Aggregates,
    GeometricMeans,
    aggregates,
    probability_of_improvement,
    shifted_geometric_mean,
)
from ogive.profiles._curves import Conclusion, PairOfCurves
from ogive.profiles._normalize import Baselines, MinMax, Reference, on_one_scale
from ogive.profiles._performance import MANY_TASKS, Kind, performance_profile
from ogive.profiles._profile import Profile, Sensitivity, Steps
from ogive.profiles._ranks import AverageRanks, RankedPair, average_ranks
from ogive.profiles._reading import profile_table

__all__ = [
    "MANY_TASKS", "Aggregates", "AverageRanks", "Baselines", "Conclusion", "GeometricMeans", "Kind", "MinMax",
    "PairOfCurves", "Profile", "RankedPair", "Reference", "Sensitivity", "Steps", "aggregates", "average_ranks",
    "on_one_scale", "performance_profile", "probability_of_improvement", "profile_table", "shifted_geometric_mean",
]  # fmt: skip
