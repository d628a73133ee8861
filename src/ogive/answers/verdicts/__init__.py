"""Who is better, and how sure one may be: two methods, all methods, bold cells, a gate.

In the order in which a verdict is made
  _question     what is asked, with its defaults: one object for compare, rank, check, bold cells, the report; the four
                questions that are answered side by side
  _samples      the runs of all methods as arrays, joined where they share draws; differences that hold for every
                distribution (all others come from statistics)
  _verdict      at which error each of many verdicts is decided; from interval and margin to conclusion; what so few
                runs cannot rule out
  _comparison, _ranking, _check   two methods; all methods and bold cells; a gate: facts
  _wording      facts in words and in tables, made last; a picture words its own headline, in plots
"""

from ogive.answers.verdicts._check import Check, check
from ogive.answers.verdicts._comparison import Comparison, NamedAnswer, compare, judge_pair
from ogive.answers.verdicts._question import FEWEST_FOR_A_SAMPLE, Criterion, Question, difference_parts
from ogive.answers.verdicts._ranking import Leaders, Leading, Pair, Rank, Ranking, judge_all, leaders, rank
from ogive.answers.verdicts._verdict import Conclusion
from ogive.answers.verdicts._wording import missing_words, one_run_each, scope_words, unit_words

__all__ = [
    "FEWEST_FOR_A_SAMPLE", "Check", "Comparison", "Conclusion", "Criterion", "Leaders", "Leading", "NamedAnswer", "Pair", "Question", "Rank", "Ranking", "check",
    "compare", "difference_parts", "judge_all", "judge_pair", "leaders", "missing_words", "one_run_each", "rank", "scope_words", "unit_words",
]  # fmt: skip
