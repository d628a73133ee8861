"""Foreign sources become Trials. Files are opened by `ogive.files`.

  Choices, Facts    what the caller of `read` says
  parts_of(source)  the plain tables in a source        joined(parts)   one table of them
  scored(trials)    the same runs with another score of their curves; curve_named, curves_of, series_called: which series that is
For tables that are no trials: plain_frame, rows_where, column_called, is_cv_results, is_larger_better, search_scores

  _parts          which source it is
  _objects        frames, dictionaries, scikit-learn's searches        _optuna   studies: object, URL, file; their states
  _own            a table that Ogive wrote, checked; with some of its facts said anew
  _choices        what the caller says, and a table brought to a long, flat shape by it        _where    which rows
  _roles          which column plays which role: declared, or guessed from its name
  _columns        a column as text or as numbers        _within   what varies and repeats among the rows of a method on a task
  _steps          rows that are steps of runs become runs with a curve, and which score these have
  _units          what one independent draw is, how many folds a cross-validation has, what pairs methods; columns that split runs are asked about
  _totals         rows such as Average that sum up the others
  _assemble       a plain table and its roles become Trials; words of a status column, time limits; what was guessed becomes a note
  _joined         several parts as one table

Foreign packages are imported only inside the file that is about them.
"""

from ogive.importers._choices import Choices, Facts, rows_where
from ogive.importers._joined import joined
from ogive.importers._objects import is_cv_results, search_scores
from ogive.importers._parts import Part, parts_of, plain_frame
from ogive.importers._roles import ALIASES, METHOD_NAMES, PARAM_PREFIXES, column_called
from ogive.importers._steps import curve_named, curves_of, scored, series_called
from ogive.metric import is_larger_better

__all__ = [
    "ALIASES", "METHOD_NAMES", "PARAM_PREFIXES", "Choices", "Facts", "Part", "column_called", "curve_named", "curves_of", "is_cv_results", "is_larger_better", "joined", "parts_of",
    "plain_frame", "rows_where", "scored", "series_called", "search_scores",
]  # fmt: skip
