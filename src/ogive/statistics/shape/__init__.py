"""The shape of a distribution: is it normal, has it one mode or more. Many samples at once.

  normality   Shapiro-Wilk and others, for scores on a lattice too: they are rounded, and no test knows that
  dip         Hartigan's dip against the uniform

Inside: _normality the door; _tests the statistics and their p-values; _lattice the normal that was rounded; _dip.
"""

from ogive.statistics.shape._dip import Dip, dip
from ogive.statistics.shape._normality import Normality, normality
from ogive.statistics.shape._tests import NormalityTest

__all__ = ["Dip", "Normality", "NormalityTest", "dip", "normality"]
