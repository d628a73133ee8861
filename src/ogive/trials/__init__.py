"""The table that stands between doing and judging.

A trial is one draw of everything, with its scores, its status and its cost. `Trials` is an
immutable columnar table of them (Arrow inside) together with what must be known to judge it:
the direction and bounds of each metric, what one independent draw is, what varied, and how the
table was read. Failed trials are rows with a status; they are never dropped in silence.

Inside
  _trials    the table
  _rows      the rows of one method on one task, and which name is meant
  _failed    rules for failed trials
  _series    curves that trials returned beside their scores
  _written   Parquet and CSV
"""

from ogive.arguments import FloatArray, IntArray
from ogive.trials._failed import failure_rule
from ogive.trials._rows import Cell, compact
from ogive.trials._series import joined_series
from ogive.trials._trials import Trials

__all__ = [
    "Cell",
    "FloatArray",
    "IntArray",
    "Trials",
    "compact",
    "failure_rule",
    "joined_series",
]
