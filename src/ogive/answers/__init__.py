"""What people ask of a table. Trials in; results and sentences out.

  inspect(trials)      roles found, how many runs, what is paired, which answers are possible
  summarize(trials)    mean, median, worst share, quantiles, best of k, each with an interval
  compare(trials, a, b)  is a better than b: one of five conclusions, four questions, sentences to paste
  sources(trials)      where the spread comes from; which hyper-parameter, which range
  rank(trials)         tiers, rank intervals, the matrix of pairs
  check(new, baseline)  a gate for continuous integration: pass, worse, cannot tell
  plan(what, …)        how many trials are enough, or what a number of trials can show
  bands(trials)        the distribution of every method on every task, with its band
  foremost(trials, metric)  what is shown of a table that is too large for a picture or a page

Verdicts, in the order in which they are made
  _question     what is asked, with its defaults: one object for compare, rank, check, bold cells, the report
  _samples      the runs of all methods as arrays, joined where they share draws
  _guaranteed   differences that hold for every distribution; all others come from statistics
  _family       at which error each of many verdicts is decided
  _verdict      from interval and margin to conclusion; _hidden: what so few runs cannot rule out
  _comparison, _ranking, _leaders, _check   two methods, all methods, bold cells, a gate: facts
  _wording      facts in words, made last
Beside them: _inspection, _summary*, _statistic, _plan, _pilot, _sources*, _facts, _failures, _bands.
"""

from ogive.answers._bands import CellBand, bands
from ogive.answers._check import Check, check
from ogive.answers._comparison import Comparison, NamedAnswer, compare, judge_pair
from ogive.answers._facts import facts
from ogive.answers._foremost import Foremost, foremost
from ogive.answers._inspection import Inspection, inspect
from ogive.answers._leaders import leaders
from ogive.answers._plan import plan
from ogive.answers._question import Criterion, Question
from ogive.answers._ranking import Leading, Pair, Rank, Ranking, judge_all, rank
from ogive.answers._sources import CellSources, Sources, sources
from ogive.answers._sources_parameters import ParameterEffect
from ogive.answers._summary import Remark, Summary, SummaryRow, summarize
from ogive.answers._verdict import Conclusion
from ogive.answers._wording import difference_parts, unit_words
from ogive.statistics import Plan

__all__ = [
    "CellBand",
    "CellSources",
    "Check",
    "Comparison",
    "Conclusion",
    "Criterion",
    "Foremost",
    "Inspection",
    "Leading",
    "NamedAnswer",
    "Pair",
    "ParameterEffect",
    "Plan",
    "Question",
    "Rank",
    "Ranking",
    "Remark",
    "Sources",
    "Summary",
    "SummaryRow",
    "bands",
    "check",
    "compare",
    "difference_parts",
    "facts",
    "foremost",
    "inspect",
    "judge_all",
    "judge_pair",
    "leaders",
    "plan",
    "rank",
    "sources",
    "summarize",
    "unit_words",
]
