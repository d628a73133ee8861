"""What can be said about a distribution from a sample of it. Arrays in, frozen results out.

Start here                              then
  ecdf(scores)                          .quantile .mean .cvar .threshold_area .best_of
  band(scores, confidence=)             .low .high, and the same statistics as intervals
  quantile_interval(scores, p)          order statistics
  exceedance(scores, threshold)         Clopper and Pearson
  mean_interval, tail_mean_interval     Student's t, and its version for a tail
  bootstrap_interval(scores, f, rng=)   percentile and BCa
  variance_components(scores, clusters) between and within

Inside
  _arguments      the door: one sentence for each refusal
  _distribution   the step function and its functionals
  _band           exact, ks, dkw; how a band becomes an interval
  _levels         the shipped table of local levels (levels.csv), and the solver behind it
  _interval       the noun, order statistics, Clopper-Pearson, Student
  _bootstrap      resampling, by cluster where asked
  _components     variance between and within clusters
Knows nothing of tables, files or pictures.
"""

from ogive.statistics._band import Band, band
from ogive.statistics._bootstrap import bootstrap_interval
from ogive.statistics._components import VarianceComponents, variance_components
from ogive.statistics._distribution import Distribution, ecdf
from ogive.statistics._interval import (
    Interval,
    clopper_pearson,
    exceedance,
    mean_interval,
    quantile_interval,
    tail_mean_interval,
)

__all__ = [
    "Band",
    "Distribution",
    "Interval",
    "VarianceComponents",
    "band",
    "bootstrap_interval",
    "clopper_pearson",
    "ecdf",
    "exceedance",
    "mean_interval",
    "quantile_interval",
    "tail_mean_interval",
    "variance_components",
]
