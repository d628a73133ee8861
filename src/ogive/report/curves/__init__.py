"""The page of learning curves: who leads at which training-set size.

_write      the page from the curves
_findings   which results answer which question
_sections   findings as sections of a page
_tables     leaders, changes of the lead, numbers at chosen sizes
_figures    fans, strips and slices as plotly's JSON
_methods    caveats, "error bars of what?", a methods paragraph with its references
"""

from ogive.report.curves._write import write_curves

__all__ = ["write_curves"]
