"""What is judged: f. An algorithm trains with a configuration on a draw and returns scores.

Start here
  Algorithm(name, function, space)         function(config, *draw, rng=rng) -> number, dict or Outcome
  Algorithm.from_estimator(SVC(), space)   any scikit-learn estimator or pipeline
  tuned(algorithm, n_configs=50, cv=3)     an algorithm that searches first, inside its training set

  as_metrics({"loss": "minimize"})         metric name to Metric, checked
  estimator_name seeded fixed_random_states    what else is asked of an estimator; Search: of what `tuned` makes

What comes out
  Outcome    scores by metric; for tuned also the chosen configuration and every candidate
  Series     a curve instead of a number
  Referee    what a drawn object does that keeps the score itself, as an environment with a budget

Inside
  _algorithm  Algorithm; Outcome, Candidate, Series, and what a function may return
  _estimator  the scikit-learn adapter: clone, set, seed, fit once, score; scorers, with direction and bounds
  _tuned      random search with cross-validation
"""

from ogive.algorithms._algorithm import Algorithm, Candidate, Outcome, Referee, Series, as_metrics
from ogive.algorithms._estimator import estimator_name, fixed_random_states, seeded
from ogive.algorithms._tuned import Search, tuned

__all__ = [
    "Algorithm",
    "Candidate",
    "Outcome",
    "Referee",
    "Search",
    "Series",
    "as_metrics",
    "estimator_name",
    "fixed_random_states",
    "seeded",
    "tuned",
]
