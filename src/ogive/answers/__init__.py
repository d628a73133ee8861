"""What people ask of a table. Trials in; results and sentences out.

  inspect(trials)      roles found, how many runs, what is paired, which answers are possible
  summarize(trials)    mean, median, worst share, quantiles, best of k, each with an interval
  bands(trials)        the distribution of every method on every task, with its band

Inside
  _inspection   what the table holds and what it can answer
  _summary      the table of statistics: text, HTML, pandas, Markdown, LaTeX
  _statistic    a statistic by its name: `worst_0.1`, `q0.95`, `best_of_8`, `exceedance_0.9`
  _facts        what is seen in these data, as sentences
  _bands        bands for pictures
  _words        numbers and names as a reader wants them
Never imports what runs studies.
"""

from ogive.answers._bands import CellBand, bands
from ogive.answers._inspection import Inspection, inspect
from ogive.answers._summary import Summary, summarize

__all__ = ["CellBand", "Inspection", "Summary", "bands", "inspect", "summarize"]
