"""The table that stands between doing and judging.

A trial is one draw of everything, with its scores, its status and its cost. `Trials` is an
immutable columnar table of them (Arrow inside) together with what must be known to judge it:
the direction and bounds of each metric, what one independent draw is, what varied, and how the
table was read. Failed trials are rows with a status; they are never dropped in silence.

Inside
  _trials    the table, the rows of one method on one task, and the rules for failed ones
  _staircase one run over its steps: each value stands until the next
  _written   curves that trials returned beside their scores; Parquet and CSV
"""

from ogive.arguments import FloatArray, IntArray
from ogive.trials._staircase import Staircase, just_above
from ogive.trials._trials import Cell, Trials, compact, failure_rule, the_one
from ogive.trials._written import SERIES, joined_series

__all__ = [
    "SERIES", "Cell", "FloatArray", "IntArray", "Staircase", "Trials", "compact", "failure_rule", "joined_series", "just_above",
    "the_one",
]  # fmt: skip
