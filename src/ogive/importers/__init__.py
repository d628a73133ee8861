"""One file for each foreign source; each turns it into Trials. Files are opened by `ogive.files`.

  Choices, Facts    what the caller of `read` says
  parts_of(source)  the plain tables in a source        joined(parts)   one table of them
For tables that are no trials: plain_frame, rows_where, column_called, is_cv_results, is_larger_better, search_scores

  _parts          which source it is
  _frames         pandas, polars and other frames       _dictionaries   name -> scores, or -> task -> scores
  _sklearn        cv_results_ and fitted searches       _optuna         studies: object, URL, file
  _written        a table that Ogive wrote, its columns checked
  _choices        what the caller says, and a table whose columns are prepared by it: _shape, _where
  _roles          which column plays which role: declared, or guessed from its name
  _columns        a column as text or as numbers
  _units          what one independent draw is: _within, _splits, and _curves (rows that are steps of a run)
  _limits         which column a time limit judges, and the runs that reach it
  _assemble       a plain table and its roles become Trials; what was guessed becomes a note
  _joined         several parts as one table
  _restate        a table of Ogive's own, with some of its facts said anew

Foreign packages are imported only inside the file that is about them.
"""

from ogive.importers._choices import Choices, Facts
from ogive.importers._joined import joined
from ogive.importers._parts import Part, parts_of, plain_frame
from ogive.importers._roles import ALIASES, METHOD_NAMES, column_called
from ogive.importers._shape import rows_where
from ogive.importers._sklearn import is_cv_results, search_scores
from ogive.metric import is_larger_better

__all__ = [
    "ALIASES", "METHOD_NAMES", "Choices", "Facts", "Part", "column_called", "is_cv_results", "is_larger_better", "joined", "parts_of",
    "plain_frame", "rows_where", "search_scores",
]  # fmt: skip
