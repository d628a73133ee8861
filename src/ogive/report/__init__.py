"""One page that answers: which method is better, how sure can you be, what happens on its bad days.

  write(trials, "report.html")   a single file that needs no network: verdicts, pictures, tables, caveats
  write_curves(curves, "curves.html")   the same for learning curves: who leads at which training-set size

Inside
  _write      the page from the table
  _findings   which results answer which question: the verdict or the ranking, all tasks together, the numbers
  _training   the section about scores over training, of tables that have steps and trials that have series
  _sections   findings as sections of a page (in short, bad days, failures, …); a card for each question of a verdict (their columns: _page)
  _tables     which tables a page has, as HTML, LaTeX and CSV (how each is written: `ogive.tables`)
  _methods    caveats, "error bars of what?", a methods paragraph with its references
  _figures    pictures of both pages as plotly's JSON, thinned without changing their shape
  _static     the same pictures as SVG, for mail previews and printers
  _curves     the page of learning curves: findings, tables, caveats, sections
  _page       the HTML around it all: escaping, style, the policy that forbids the network

Nothing here computes a statistic: results come from `answers`, `profiles`, `progress` and `curves`, pictures from `plots`.
"""

from ogive.report._curves import write_curves
from ogive.report._write import as_target, write

__all__ = ["as_target", "write", "write_curves"]
