"""One Display for each kind of result: it computes nothing and draws as often as asked.

  distribution(trials)    how good the runs of each method are, worst to best, with bands

Inside
  _distribution   the inverse CDF (and CDF): tasks across, methods as colours
  _look           colours, line styles and sizes that survive print and colour-blindness

A Display asks `answers` once. Tests look at its data and at the artists, never at pixels.
"""

from ogive.plots._distribution import DistributionDisplay, as_picture, distribution

__all__ = ["DistributionDisplay", "as_picture", "distribution"]
