"""One Display for each kind of result: it computes nothing and draws as often as asked.

  distribution(trials)      how good the runs of each method are, worst to best, with bands
  difference(trials, a, b)  how much better a is than b, from the worst runs to the best
  best_of(trials)           what the best of k draws reaches
  pairs, ranks(ranking)     every method against every other; the ranks that the data allow each method
  planning(plan)            what a number of trials achieves
  intervals(summary)        one statistic of every method with its interval
  sources(sources)          shares of variance, and each hyper-parameter's effect
  percentiles(trials, slices)  configurations at percentiles: where they lie, their curves, and how they do when run again
  profile(profile)          how often each method is within τ of the best; profile_pairs: two at a time
  learning_fan(curves)      quantiles against the training-set size; also slices, leading, normality_strips
  progress(over_training), progress_fan(fan)  scores over the steps of training
  critical_difference(ranks)  average ranks and who cannot be told apart
  aggregates(table)         IQM, mean, median, optimality gap over tasks
  of(result)                the picture that a result has of itself: what result.plot() draws

Inside
  _distribution   the inverse CDF (and CDF): tasks across, methods as colors
  _difference, _best_of, _ranks, _planning, _intervals, _sources, _profile   one picture each, with its headline
  _percentiles    three panels of configurations at percentiles
  _pairs          both matrices of pairs: of a ranking, and of a profile
  _over_tasks     aggregates and average ranks
  _progress       over training: a statistic with its intervals, and the spread of runs
  _curves         fans, slices and strips of learning curves
  _of             which picture a result has of itself
  _page           what all share: colors and looks, paper with words around a picture, panels by task, a way into a file

A Display asks `answers` once. Tests look at its data and at the artists, never at pixels.
"""

from ogive.plots._best_of import BestOfCurve, BestOfDisplay, best_of
from ogive.plots._curves import (
    Fan,
    FanDisplay,
    SlicesDisplay,
    StripsDisplay,
    cross_validation,
    leading,
    learning_fan,
    normality_strips,
    slices,
)
from ogive.plots._difference import DifferenceDisplay, difference
from ogive.plots._distribution import DistributionDisplay, distribution
from ogive.plots._intervals import IntervalsDisplay, intervals
from ogive.plots._of import of
from ogive.plots._over_tasks import AggregatesDisplay, CriticalDifferenceDisplay, aggregates, critical_difference
from ogive.plots._page import Drawable, Look, Picture, as_picture, as_width
from ogive.plots._pairs import PairsDisplay, ProfilePairsDisplay, pairs, profile_pairs
from ogive.plots._percentiles import PercentilesDisplay, SliceCurve, SliceMark, percentiles
from ogive.plots._planning import PlanDisplay, planning
from ogive.plots._profile import ProfileDisplay, profile
from ogive.plots._progress import ProgressDisplay, ProgressFanDisplay, progress, progress_fan
from ogive.plots._ranks import RanksDisplay, ranks
from ogive.plots._sources import SourcesDisplay, sources

__all__ = [
    "AggregatesDisplay",
    "BestOfCurve",
    "BestOfDisplay",
    "CriticalDifferenceDisplay",
    "DifferenceDisplay",
    "DistributionDisplay",
    "Drawable",
    "Fan",
    "FanDisplay",
    "IntervalsDisplay",
    "Look",
    "PairsDisplay",
    "PercentilesDisplay",
    "Picture",
    "PlanDisplay",
    "ProfileDisplay",
    "ProfilePairsDisplay",
    "ProgressDisplay",
    "ProgressFanDisplay",
    "RanksDisplay",
    "SliceCurve",
    "SliceMark",
    "SlicesDisplay",
    "SourcesDisplay",
    "StripsDisplay",
    "aggregates",
    "as_picture",
    "as_width",
    "best_of",
    "critical_difference",
    "cross_validation",
    "difference",
    "distribution",
    "intervals",
    "leading",
    "learning_fan",
    "normality_strips",
    "of",
    "pairs",
    "percentiles",
    "planning",
    "profile",
    "profile_pairs",
    "progress",
    "progress_fan",
    "ranks",
    "slices",
    "sources",
]
