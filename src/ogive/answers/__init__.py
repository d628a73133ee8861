"""What people ask of a table. Trials in; results and sentences out.

  inspect(trials)      roles found, how many runs, what is paired, which answers are possible
  summarize(trials)    mean, median, worst share, quantiles, best of k, each with an interval
  compare(trials, a, b)  is a better than b: one of five conclusions, and a sentence to paste
  sources(trials)      where the spread comes from; which hyper-parameter, which range
  rank(trials)         tiers, rank intervals, the matrix of pairs
  check(new, baseline)  a gate for continuous integration: pass, worse, cannot tell
  plan(what, …)        how many trials are enough, or what a number of trials can show
  bands(trials)        the distribution of every method on every task, with its band

Inside
  _inspection, _summary*, _ranking, _check, _plan, _pilot, _sources*   one question each
  _comparison   one primary statistic, one interval, one conclusion; _outcome the nouns
  _joining      two methods on one task as two arrays, paired or not
  _verdict      the rule from interval and margin to conclusion; _overall: evidence across tasks
  _statistic    a statistic by its name: `worst_0.1`, `q0.95`, `best_of_8`, `exceedance_0.9`
  _facts        what is seen in these data, as sentences
  _failures     how many runs failed, and what became of them
  _leaders      what a results table prints bold; _bands: bands for pictures
  _wording      verdicts in words
Never imports what runs studies.
"""

from ogive.answers._bands import CellBand, bands
from ogive.answers._check import Check, check
from ogive.answers._comparison import compare
from ogive.answers._inspection import Inspection, inspect
from ogive.answers._leaders import leaders
from ogive.answers._outcome import Comparison, Comparisons
from ogive.answers._plan import plan
from ogive.answers._ranking import Ranking, rank
from ogive.answers._sources import CellSources, Sources, sources
from ogive.answers._summary import Summary, summarize

__all__ = [
    "CellBand",
    "CellSources",
    "Check",
    "Comparison",
    "Comparisons",
    "Inspection",
    "Ranking",
    "Sources",
    "Summary",
    "bands",
    "check",
    "compare",
    "inspect",
    "leaders",
    "plan",
    "rank",
    "sources",
    "summarize",
]
