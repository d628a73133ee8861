"""Ogive measures the whole distribution of a method's performance and says how sure one may be of it.

    trials = ogive.read("scores.csv", score="accuracy")          # what you have
    ogive.summarize(trials); ogive.compare(trials, "a", "b"); ogive.rank(trials)
    ogive.plots.distribution(trials).plot(); ogive.report.write(trials, "report.html")

    study = ogive.Study("demo", [ogive.Algorithm.from_estimator(SVC())], [ogive.tasks.moons()])     # what you run
    trials = ogive.run(study, n_trials=200, store="results/demo", workers=2)

Names are loaded when they are first used, so that `import ogive` costs little.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ogive import (
        algorithms,
        answers,
        curves,
        errors,
        plots,
        profiles,
        progress,
        report,
        rl,
        spaces,
        statistics,
        study,
        tasks,
    )
    from ogive.algorithms import Algorithm, tuned
    from ogive.answers import (
        Check,
        Comparison,
        Inspection,
        Plan,
        Ranking,
        Sources,
        Summary,
        check,
        compare,
        inspect,
        plan,
        rank,
        sources,
        summarize,
    )
    from ogive.curves import LearningCurves
    from ogive.metric import Metric
    from ogive.profiles import Profile
    from ogive.reading import read
    from ogive.runner import Dask, run
    from ogive.statistics import Band, Distribution, Interval
    from ogive.store import Store
    from ogive.study import Study
    from ogive.tasks import Task
    from ogive.trials import Trials

# name -> module that holds it; a name that is itself a module maps to None
_HOME: dict[str, str | None] = {
    "Algorithm": "ogive.algorithms",
    "Band": "ogive.statistics",
    "Check": "ogive.answers",
    "Comparison": "ogive.answers",
    "Dask": "ogive.runner",
    "Distribution": "ogive.statistics",
    "Inspection": "ogive.answers",
    "Interval": "ogive.statistics",
    "LearningCurves": "ogive.curves",
    "Metric": "ogive.metric",
    "Plan": "ogive.answers",
    "Profile": "ogive.profiles",
    "Ranking": "ogive.answers",
    "Sources": "ogive.answers",
    "Store": "ogive.store",
    "Study": "ogive.study",
    "Summary": "ogive.answers",
    "Task": "ogive.tasks",
    "Trials": "ogive.trials",
    "algorithms": None,
    "answers": None,
    "check": "ogive.answers",
    "compare": "ogive.answers",
    "curves": None,
    "errors": None,
    "inspect": "ogive.answers",
    "plan": "ogive.answers",
    "plots": None,
    "profiles": None,
    "progress": None,
    "rank": "ogive.answers",
    "read": "ogive.reading",
    "report": None,
    "rl": None,
    "run": "ogive.runner",
    "sources": "ogive.answers",
    "spaces": None,
    "statistics": None,
    "study": None,
    "summarize": "ogive.answers",
    "tasks": None,
    "tuned": "ogive.algorithms",
}

__all__ = [
    "Algorithm",
    "Band",
    "Check",
    "Comparison",
    "Dask",
    "Distribution",
    "Inspection",
    "Interval",
    "LearningCurves",
    "Metric",
    "Plan",
    "Profile",
    "Ranking",
    "Sources",
    "Store",
    "Study",
    "Summary",
    "Task",
    "Trials",
    "algorithms",
    "answers",
    "check",
    "compare",
    "curves",
    "errors",
    "inspect",
    "plan",
    "plots",
    "profiles",
    "progress",
    "rank",
    "read",
    "report",
    "rl",
    "run",
    "sources",
    "spaces",
    "statistics",
    "study",
    "summarize",
    "tasks",
    "tuned",
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
