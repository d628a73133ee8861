"""as_space(): which door a description of a space goes through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ogive.errors import InputError
from ogive.spaces._dictionaries import from_list
from ogive.spaces._function import FunctionSpace
from ogive.spaces._parameters import Parameter
from ogive.spaces._space import ParameterSpace, Space, from_dictionary


def as_space(what: Any) -> Space:
    """A space from any description of one.

    Parameters
    ----------
    what : None, dict, list of dict, function, ConfigSpace.ConfigurationSpace or Space
        None: no hyper-parameters. A dictionary: from name to a list of values, a native parameter
        (`choice`, `uniform`, `loguniform`, `integer`, `log_integer`, `constant`), one of these with
        a condition (`when`), or a frozen distribution of scipy.stats. A list of dictionaries:
        drawn as scikit-learn does, with a warning. A function: `rng -> dict`.

    Examples
    --------
    >>> import numpy as np
    >>> from ogive.spaces import loguniform, when
    >>> space = as_space({"C": loguniform(0.01, 100), "kernel": ["rbf", "poly"], "degree": when([2, 3], kernel="poly")})
    >>> print(space.describe())
    C: log-uniform on [0.01, 100]; kernel: one of rbf, poly; degree: one of 2, 3, only when kernel is poly
    >>> config = space.sample(np.random.default_rng(4))
    >>> config["kernel"], config["degree"], round(config["C"], 3)
    ('poly', 3, 59.187)
    >>> space.decode(space.encode(config)) == config
    True
    """
    if isinstance(what, Space):
        return what
    if what is None:
        return ParameterSpace({}, {}, {})
    if any(f"{base.__module__}.{base.__name__}".startswith("ConfigSpace.") for base in type(what).__mro__):
        from ogive.spaces._configspace import from_configspace

        return from_configspace(what)
    if isinstance(what, Mapping):
        return from_dictionary(what)
    if isinstance(what, (list, tuple)):
        return from_list(what, stacklevel=3)
    if callable(what) and not isinstance(what, type) and not hasattr(what, "rvs"):
        return FunctionSpace(what, {})
    named = "a parameter without a name" if isinstance(what, Parameter) else type(what).__name__
    raise InputError(
        f"a space must be a dictionary from name to values or distribution, a list of those, a function "
        f"rng -> dict, a ConfigSpace or None; got {named}."
    )
