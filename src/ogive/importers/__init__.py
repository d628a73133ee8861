"""One file for each foreign source; each turns it into Trials. Files are opened by `ogive.files`.

  _frames         pandas, polars and other frames, through Arrow
  _dictionaries   name -> scores, name -> task -> scores, name -> runs x tasks as lists or arrays
  _sklearn        cv_results_ and fitted searches
  _optuna         studies: object, URL, SQLite file, journal file
  _roles          which column plays which role: declared, or guessed from its name
  _where          which rows are read: conditions on columns
  _choices        what the caller says about columns, and a table that is prepared by it
  _wide           columns of methods under each other
  _nested         objects of scores become columns, other objects text
  _curves         several steps of each run, whose rows are no runs
  _splits         columns that split the runs and that nobody declared
  _units          what one independent draw is, which rows join the methods
  _columns        a column as text or as numbers
  _limits         which column a time limit judges, and the runs that reach it
  _assemble       a plain table and its roles become Trials; what was guessed becomes a note
  _written        a table that Ogive wrote, its columns checked
  _joined         several tables of Ogive's own as one
  _restate        a table of Ogive's own, with some of its facts said anew

Foreign packages are imported only inside the file that is about them.
"""

from ogive.direction import is_larger_better

__all__ = ["is_larger_better"]
