"""Distributions over hyper-parameter configurations: φ.

Start here                          then
  as_space(what)                    .sample(rng) .encode(config) .decode(text) .fix(config)
    what: dict, list of dicts,      .describe() .definition() .to_configspace() .names
    function, ConfigSpace, None
  choice uniform loguniform         what stands behind a name; lists and frozen distributions
  integer log_integer constant      of scipy.stats do as well
  when(parameter, kernel="poly")    a parameter that exists only when others have certain values

Inside
  _words          values as words, as plain Python, as content of a fingerprint
  _parameters     what a parameter is: numbers, values and labeled objects, what scikit-learn's dictionaries hold
  _conditions     when, and the order in which parameters are drawn
  _space          what every space can do: named parameters, lists of dictionaries, rng -> dict; as_space
  _configspace    to and from ConfigSpace
Knows nothing of tasks, algorithms or trials.
"""

from ogive.spaces._conditions import Conditional, when
from ogive.spaces._parameters import Parameter, choice, constant, integer, log_integer, loguniform, uniform
from ogive.spaces._space import Space, as_space

__all__ = [
    "Conditional",
    "Parameter",
    "Space",
    "as_space",
    "choice",
    "constant",
    "integer",
    "log_integer",
    "loguniform",
    "uniform",
    "when",
]
