"""How many trials are enough, before the first one runs and while they do.

Start here
  plan_trials(question, target)     the fewest trials for a width, or with n_trials= what they show: a Plan
  trials_for, achieved              the same as bare numbers
  largest_spread(sd, n)             the spread that a plan from a pilot of n runs should allow for

Questions
  BandPrecision QuantilePrecision WorstCasePrecision   without data, for every distribution
  PilotPrecision TwoLevelPrecision                     with the spread of a pilot; best_repeats of each unit
  ImprovementTest DifferenceTest                       two methods: the smallest difference that is seen
While they run
  anytime_margin     a band that holds at every sample size, so that one may look and stop at will
  spend              a confidence divided over a few looks

Inside
  _plan        the search and its result, and how sure a plan from a pilot is (ASSURANCE)
  _precision   how close an estimate comes
  _power       two methods
  _anytime     what holds at every sample size
"""

from ogive.statistics.planning._anytime import anytime_margin, spend
from ogive.statistics.planning._plan import (
    ASSURANCE,
    Plan,
    PlanRow,
    Question,
    achieved,
    counted,
    largest_spread,
    plan_trials,
    trials_for,
)
from ogive.statistics.planning._power import DifferenceTest, ImprovementTest
from ogive.statistics.planning._precision import (
    BandPrecision,
    PilotPrecision,
    QuantilePrecision,
    TwoLevelPrecision,
    WorstCasePrecision,
    best_repeats,
)

__all__ = [
    "ASSURANCE",
    "BandPrecision",
    "DifferenceTest",
    "ImprovementTest",
    "PilotPrecision",
    "Plan",
    "PlanRow",
    "QuantilePrecision",
    "Question",
    "TwoLevelPrecision",
    "WorstCasePrecision",
    "achieved",
    "anytime_margin",
    "best_repeats",
    "counted",
    "largest_spread",
    "plan_trials",
    "spend",
    "trials_for",
]
