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
  _reading                Trials, and what `ogive.read` takes, become cells; _moments: means with spreads
  _cells, _preparing      the cells, and the rules for failures, clocks and missing values
  _distances              ratio, difference, improvement, welch, rank
  _curve                  step curves and their bands
  _performance, _profile  from a table to a Profile; _pair compares two, _sensitivity: a Profile without one of its methods
  _normalize              one scale for all tasks
  _aggregates, _geometric one number of each method over all tasks
  _ranks                  average ranks, Friedman's test; _signed_ranks: Wilcoxon's, for pairs
"""

from ogive.profiles._aggregates import Aggregates, aggregates, probability_of_improvement
from ogive.profiles._geometric import GeometricMeans, shifted_geometric_mean
from ogive.profiles._normalize import Baselines, MinMax, Reference
from ogive.profiles._pair import Conclusion, PairOfCurves
from ogive.profiles._performance import MANY_TASKS, Kind, performance_profile
from ogive.profiles._profile import Profile, Steps
from ogive.profiles._ranks import AverageRanks, RankedPair, average_ranks
from ogive.profiles._reading import profile_table
from ogive.profiles._sensitivity import Sensitivity

__all__ = [
    "MANY_TASKS",
    "Aggregates",
    "AverageRanks",
    "Baselines",
    "Conclusion",
    "GeometricMeans",
    "Kind",
    "MinMax",
    "PairOfCurves",
    "Profile",
    "RankedPair",
    "Reference",
    "Sensitivity",
    "Steps",
    "aggregates",
    "average_ranks",
    "performance_profile",
    "probability_of_improvement",
    "profile_table",
    "shifted_geometric_mean",
]
