"""What can be said about a distribution from a sample of it. Arrays in, frozen results out.

One sample
  ecdf, band                             the distribution, and what holds it with a confidence
  quantile_interval, exceedance          order statistics, Clopper and Pearson
  mean_interval, tail_mean_interval      Student's t, and its version for a tail; _intervals of many samples at once
  Statistic.parse("worst_0.1")           what the name of a statistic means, for either direction of a metric
  bootstrap_interval                     percentile and BCa, for anything else
  variance_components                    between and within clusters
  normality, dip                         for many samples at once, lattice-aware; one mode or more
Two samples
  paired_improvement, independent_improvement, mean_difference, tail_mean_difference,
  quantile_difference, proportion_difference, mcnemar, dominance, almost_dominance, violation_ratio
Bounded scores, guaranteed (_betting)
  bounded_mean_interval, bounded_tail_mean_interval, and their _difference; guaranteed_improvement
Many methods, many tasks
  differences_between                    all pairs at once, with limits at any error; Asked, TaskRuns, Draws
  aggregate, improvement_over_tasks, profile_counts, tiers, rank_limits

Inside: _assumptions _statistic _distribution _band _levels (levels.csv) _interval _many _bootstrap _leave_one_out _components
one sample; _comparison _dominance _almost_dominance two; _resampling _run_statistics
_differences _families _aggregate _improvement tasks; _ranking tiers; _strata _effects _selection where spread comes from; _planning with _precision _power _pilot _anytime;
_normality with _normality_tests _lattice _dip. Knows nothing of tables, files or pictures.
"""

from ogive.statistics._aggregate import ScoreProfile, aggregate, profile_counts
from ogive.statistics._almost_dominance import AlmostDominance, almost_dominance, violation_ratio
from ogive.statistics._assumptions import Assumption
from ogive.statistics._band import Band, band
from ogive.statistics._betting import (
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_difference,
    bounded_tail_mean_interval,
    guaranteed_improvement,
)
from ogive.statistics._bootstrap import bootstrap_interval
from ogive.statistics._comparison import (
    independent_improvement,
    mcnemar,
    mean_difference,
    paired_improvement,
    proportion_difference,
    quantile_difference,
    tail_mean_difference,
)
from ogive.statistics._components import VarianceComponents, variance_components
from ogive.statistics._differences import Differences, ListedDifferences, MixedDifferences
from ogive.statistics._dip import Dip, dip
from ogive.statistics._distribution import Distribution, ecdf
from ogive.statistics._dominance import Dominance, dominance
from ogive.statistics._effects import Gain, explained_share, restriction_gain
from ogive.statistics._families import Asked, Draws, Over, TaskRuns, criterion_value, differences_between, win_shares
from ogive.statistics._improvement import improvement_over_tasks
from ogive.statistics._interval import (
    Interval,
    clopper_pearson,
    exceedance,
    mean_interval,
    quantile_interval,
    tail_mean_interval,
)
from ogive.statistics._many import can_sum, mean_intervals, quantile_intervals, tail_mean_intervals
from ogive.statistics._normality import Normality, normality
from ogive.statistics._planning import Plan, PlanRow
from ogive.statistics._ranking import rank_limits, tiers
from ogive.statistics._selection import Grouping, Permutable, first_order_parts, largest_gain_test
from ogive.statistics._statistic import Statistic, best_of_level
from ogive.statistics._strata import Component, VarianceShares, variance_shares

__all__ = [
    "AlmostDominance",
    "Asked",
    "Assumption",
    "Band",
    "Component",
    "Differences",
    "Dip",
    "Distribution",
    "Dominance",
    "Draws",
    "Gain",
    "Grouping",
    "Interval",
    "ListedDifferences",
    "MixedDifferences",
    "Normality",
    "Over",
    "Permutable",
    "Plan",
    "PlanRow",
    "ScoreProfile",
    "Statistic",
    "TaskRuns",
    "VarianceComponents",
    "VarianceShares",
    "aggregate",
    "almost_dominance",
    "band",
    "best_of_level",
    "bootstrap_interval",
    "bounded_mean_difference",
    "bounded_mean_interval",
    "bounded_tail_mean_difference",
    "bounded_tail_mean_interval",
    "can_sum",
    "clopper_pearson",
    "criterion_value",
    "differences_between",
    "dip",
    "dominance",
    "ecdf",
    "exceedance",
    "explained_share",
    "guaranteed_improvement",
    "first_order_parts",
    "improvement_over_tasks",
    "independent_improvement",
    "largest_gain_test",
    "mcnemar",
    "mean_difference",
    "mean_interval",
    "mean_intervals",
    "normality",
    "paired_improvement",
    "profile_counts",
    "proportion_difference",
    "quantile_difference",
    "quantile_interval",
    "quantile_intervals",
    "rank_limits",
    "restriction_gain",
    "tail_mean_difference",
    "tail_mean_interval",
    "tail_mean_intervals",
    "tiers",
    "variance_components",
    "variance_shares",
    "violation_ratio",
    "win_shares",
]
