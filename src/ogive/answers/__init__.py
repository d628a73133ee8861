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

Inside
  verdicts/     from a question to a conclusion and its sentences: compare, rank, check, bold cells
  _inspection   roles and what they allow
  _summary      the table of statistics, how each interval is made, how failed runs are counted; _facts: what is seen at
                a glance, in sentences
  _sources      shares of variance, which runs share a draw, words; _parameters: hyper-parameters, ranges worth keeping
  _plan         numbers of trials, by name or from a pilot
  _pictures     bands; what is shown of a large table

On the face, for rooms that show answers: nouns (Criterion, Pair, SummaryRow, ParameterEffect …) that say how they are
called and written; `judge_pair` and `judge_all` for a question that was made before; `unit_words`, `one_run_each` and
`missing_words`, what is counted and what a study still lacks; `difference_parts`, rounded so that no end crosses what a conclusion reads
it against.
"""

from ogive.answers._facts import facts
from ogive.answers._inspection import Inspection, inspect
from ogive.answers._parameters import ParameterEffect
from ogive.answers._pictures import CellBand, Foremost, bands, foremost
from ogive.answers._plan import plan
from ogive.answers._sources import CellSources, Sources, sources
from ogive.answers._summary import Remark, Summary, SummaryRow, summarize
from ogive.answers.verdicts import (
    Check,
    Comparison,
    Conclusion,
    Criterion,
    Leaders,
    Leading,
    NamedAnswer,
    Pair,
    Question,
    Rank,
    Ranking,
    check,
    compare,
    difference_parts,
    judge_all,
    judge_pair,
    leaders,
    missing_words,
    one_run_each,
    rank,
    unit_words,
)
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
    "Leaders",
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
    "missing_words",
    "one_run_each",
    "plan",
    "rank",
    "sources",
    "summarize",
    "unit_words",
]
