"""Where the spread of scores comes from: configuration, data or seed; which hyper-parameter, which range of it.

_sources      the answer for each method on each task: shares of variance, effects, ranges, how to divide a budget
_draws        which runs share a configuration, data or a seed
_parameters   hyper-parameters as columns, cut into values or bins, and how scores change along them
_ranges       parts of a hyper-parameter's range that are worth keeping, judged on runs they were not chosen on
_words        all of it in words
"""

from ogive.answers.spread._parameters import ParameterEffect
from ogive.answers.spread._sources import CellSources, Sources, sources

__all__ = ["CellSources", "ParameterEffect", "Sources", "sources"]
