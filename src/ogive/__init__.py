"""Ogive measures the whole distribution of a method's performance and says how sure one may be of it.

    trials = ogive.read("scores.csv", score="accuracy")
    ogive.inspect(trials)
    ogive.summarize(trials)
    ogive.plots.distribution(trials).plot()

Names are loaded when they are first used, so that `import ogive` costs little.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from ogive import errors, plots, report, statistics
    from ogive.answers import (
        Check,
        Comparison,
        Comparisons,
        Inspection,
        Ranking,
        Summary,
        check,
        compare,
        inspect,
        leaders,
        plan,
        rank,
        summarize,
    )
    from ogive.metric import Metric
    from ogive.reading import read
    from ogive.statistics import Band, Distribution, Interval
    from ogive.trials import Trials

# name -> module that holds it; a name that is itself a module maps to None
_HOME: dict[str, str | None] = {
    "Band": "ogive.statistics",
    "Check": "ogive.answers",
    "Comparison": "ogive.answers",
    "Comparisons": "ogive.answers",
    "Distribution": "ogive.statistics",
    "Inspection": "ogive.answers",
    "Interval": "ogive.statistics",
    "Metric": "ogive.metric",
    "Ranking": "ogive.answers",
    "Summary": "ogive.answers",
    "Trials": "ogive.trials",
    "check": "ogive.answers",
    "compare": "ogive.answers",
    "errors": None,
    "inspect": "ogive.answers",
    "leaders": "ogive.answers",
    "plan": "ogive.answers",
    "plots": None,
    "rank": "ogive.answers",
    "read": "ogive.reading",
    "report": None,
    "statistics": None,
    "summarize": "ogive.answers",
}

__all__ = [
    "Band",
    "Check",
    "Comparison",
    "Comparisons",
    "Distribution",
    "Inspection",
    "Interval",
    "Metric",
    "Ranking",
    "Summary",
    "Trials",
    "check",
    "compare",
    "errors",
    "inspect",
    "leaders",
    "plan",
    "plots",
    "rank",
    "read",
    "report",
    "statistics",
    "summarize",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ogive' has no attribute {name!r}")
    home = _HOME[name]
    value = import_module(f"ogive.{name}") if home is None else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
