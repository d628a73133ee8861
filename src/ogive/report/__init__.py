"""One page that answers: which method is better, how sure can you be, what happens on its bad days.

  write(trials, "report.html")   a single file that needs no network: verdicts, pictures, tables, caveats
  write_curves(curves, "curves.html")   the same for learning curves: who leads at which training-set size

Inside
  _write      the page from the table
  _findings   which results answer which question
  _judgment   the verdict or the ranking; whether failures change it
  _over_tasks many tasks together: profile, aggregates, average ranks
  _sections   findings as sections of a page, the four questions as cards
  _tables     tables in HTML, LaTeX and CSV
  _methods    caveats, "error bars of what?", a methods paragraph with its references
  _figures    pictures as plotly's JSON, thinned without changing their shape
  _static     the same pictures as SVG, for mail previews and printers
  curves/     the page of learning curves: findings, sections, pictures, caveats
  _page       the HTML around it all: escaping, style, the policy that forbids the network

Nothing here computes a statistic: results come from `answers`, `profiles` and `curves`, pictures from `plots`.
"""

from ogive.report._write import as_target, write
from ogive.report.curves import write_curves

__all__ = ["as_target", "write", "write_curves"]
