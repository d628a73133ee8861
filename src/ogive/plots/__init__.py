"""One Display for each kind of result: it computes nothing and draws as often as asked.

  distribution(trials)      how good the runs of each method are, worst to best, with bands
  difference(trials, a, b)  how much better a is than b, from the worst runs to the best
  best_of(trials)           what the best of k draws reaches
  pairs(ranking)            every method against every other
  ranks(ranking)            the ranks that the data allow each method
  planning(plan)            what a number of trials achieves
  intervals(summary)        one statistic of every method with its interval
  sources(sources)          shares of variance, and each hyper-parameter's effect
  profile(profile)          how often each method is within τ of the best
  profile_pairs(profile)    the same, every method against every other
  learning_fan(curves)      quantiles against the training-set size; also slices, leading, normality_strips
  critical_difference(ranks)  average ranks and who cannot be told apart
  aggregates(table)         IQM, mean, median, optimality gap over tasks
  of(result)                the picture that a result has of itself: what result.plot() draws

Inside
  _distribution   the inverse CDF (and CDF): tasks across, methods as colors
  _difference, _best_of, _pairs, _ranks, _planning, _intervals, _profile, _profile_pairs, _critical_difference, _aggregates, _sources
  curves/         fans, slices and strips of learning curves
  _matrix         what both matrices of pairs share
  _panels         a panel for each task, in a new figure or in axes of the caller
  _page           headline above, caption below, a way into a file
  _look           colors, line styles and sizes that survive print and color-blindness

A Display asks `answers` once. Tests look at its data and at the artists, never at pixels.
"""

from ogive.plots._aggregates import AggregatesDisplay, aggregates
from ogive.plots._best_of import BestOfCurve, BestOfDisplay, best_of
from ogive.plots._critical_difference import CriticalDifferenceDisplay, critical_difference
from ogive.plots._difference import DifferenceDisplay, difference
from ogive.plots._distribution import DistributionDisplay, distribution
from ogive.plots._intervals import IntervalsDisplay, intervals
from ogive.plots._look import Look
from ogive.plots._of import of
from ogive.plots._page import Drawable, Picture, as_picture, as_width
from ogive.plots._pairs import PairsDisplay, pairs
from ogive.plots._planning import PlanDisplay, planning
from ogive.plots._profile import ProfileDisplay, profile
from ogive.plots._profile_pairs import ProfilePairsDisplay, profile_pairs
from ogive.plots._ranks import RanksDisplay, ranks
from ogive.plots._sources import SourcesDisplay, sources
from ogive.plots.curves import (
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
    "Picture",
    "PlanDisplay",
    "ProfileDisplay",
    "ProfilePairsDisplay",
    "RanksDisplay",
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
    "planning",
    "profile",
    "profile_pairs",
    "ranks",
    "slices",
    "sources",
]
