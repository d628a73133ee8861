"""What can be said about a distribution from a sample of it. Arrays in, frozen results out.

One sample
  ecdf, band, band_margin                the distribution, and what holds it with a confidence
  quantile_interval, exceedance          order statistics, Clopper and Pearson
  mean_interval, tail_mean_interval      Student's t, and its version for a tail; mean_intervals and others for many samples at once
  Statistic.parse("worst_0.1")           what the name of a statistic means, for either direction of a metric
  bootstrap_interval                     percentile and BCa, for anything else; variance_components: within and between clusters
  normality, dip                         for many samples at once, lattice-aware; one mode or more
Two samples: what is called …_improvement or …_difference, mcnemar, dominance, almost_dominance, violation_ratio
Bounded scores, guaranteed: bounded_ functions, guaranteed_improvement
Many methods, many tasks
  differences_between                    all pairs at once, with limits at any error; Asked, TaskRuns, Draws
  aggregate, aggregate_against, improvement_over_tasks, profile_counts, largest_deviation, tiers, rank_limits
  over_steps                             any of these numbers at every step of training, for each step or the whole curve

Inside
  one sample     _distribution _band (levels.csv: its table) _statistic _bootstrap _normality _dip; _interval: the noun, what it
                 takes for granted (Assumption), and those that have a formula, of one sample or of many at once
  two samples    _comparison: single functions for arrays; _betting: for every distribution; _dominance: certain and almost
  all pairs      _families: from the runs to differences, of which kind each is, and what folds of a cross-validation cost;
                 tiers; _differences: limits at any error, also binomial ones
  many tasks     _resampling: of runs within tasks; _aggregate: one number for all tasks, _over_steps: at every step;
                 _improvement: a method against another
  spread         _components: where it comes from; _effects: what explains it, and what leaving runs out would gain
  planning       how many trials are enough; a room within, with a face of its own
Knows nothing of trials, foreign files or pictures.
"""

from ogive.statistics._aggregate import (
    AGGREGATES,
    FEWEST_RANDOM_TASKS,
    ScoreProfile,
    aggregate,
    aggregate_label,
    largest_deviation,
    profile_counts,
)
from ogive.statistics._band import Band, band, band_margin
from ogive.statistics._betting import (
    bounded_mean_difference,
    bounded_mean_interval,
    bounded_tail_mean_difference,
    bounded_tail_mean_interval,
    guaranteed_improvement,
)
from ogive.statistics._bootstrap import bootstrap_interval, interquartile_mean, standard_deviation
from ogive.statistics._comparison import (
    independent_improvement,
    mcnemar,
    mean_difference,
    paired_improvement,
    proportion_difference,
    quantile_difference,
    tail_mean_difference,
)
from ogive.statistics._components import (
    Component,
    VarianceComponents,
    VarianceShares,
    variance_components,
    variance_shares,
)
from ogive.statistics._differences import Differences, ListedDifferences, MixedDifferences
from ogive.statistics._dip import Dip, dip
from ogive.statistics._distribution import Distribution, ecdf
from ogive.statistics._dominance import AlmostDominance, Dominance, almost_dominance, dominance, violation_ratio
from ogive.statistics._effects import (
    Gain,
    Grouping,
    Permutable,
    explained_share,
    first_order_parts,
    group_rank_test,
    largest_gain_test,
    restriction_gain,
)
from ogive.statistics._families import (
    Asked,
    Draws,
    Over,
    TaskRuns,
    criterion_value,
    differences_between,
    rank_limits,
    tiers,
    win_shares,
)
from ogive.statistics._improvement import aggregate_against, improvement_over_tasks
from ogive.statistics._interval import (
    Assumption,
    Interval,
    can_sum,
    clopper_pearson,
    exceedance,
    mean_interval,
    mean_intervals,
    order_statistic_ranks,
    quantile_interval,
    quantile_intervals,
    tail_count,
    tail_mean_interval,
    tail_mean_intervals,
)
from ogive.statistics._normality import Normality, NormalityTest, normality
from ogive.statistics._over_steps import OverSteps, over_steps
from ogive.statistics._statistic import Statistic, best_of_level
from ogive.statistics.planning import Plan, PlanRow

__all__ = [
    "AGGREGATES",
    "FEWEST_RANDOM_TASKS",
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
    "NormalityTest",
    "Over",
    "OverSteps",
    "Permutable",
    "Plan",
    "PlanRow",
    "ScoreProfile",
    "Statistic",
    "TaskRuns",
    "VarianceComponents",
    "VarianceShares",
    "aggregate",
    "aggregate_against",
    "aggregate_label",
    "almost_dominance",
    "band",
    "band_margin",
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
    "group_rank_test",
    "first_order_parts",
    "guaranteed_improvement",
    "improvement_over_tasks",
    "independent_improvement",
    "interquartile_mean",
    "largest_deviation",
    "largest_gain_test",
    "mcnemar",
    "mean_difference",
    "mean_interval",
    "mean_intervals",
    "normality",
    "order_statistic_ranks",
    "over_steps",
    "paired_improvement",
    "profile_counts",
    "proportion_difference",
    "quantile_difference",
    "quantile_interval",
    "quantile_intervals",
    "rank_limits",
    "restriction_gain",
    "standard_deviation",
    "tail_count",
    "tail_mean_difference",
    "tail_mean_interval",
    "tail_mean_intervals",
    "tiers",
    "variance_components",
    "variance_shares",
    "violation_ratio",
    "win_shares",
]
