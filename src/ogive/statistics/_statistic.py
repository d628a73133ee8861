"""A statistic by its name: `mean`, `median`, `std`, `iqm`, `worst_0.1`, `best_0.5`, `q0.95`, `best_of_8`, `exceedance_0.9`.

Only what a name means; how an interval is made belongs to the rooms that hold the scores.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from ogive.arguments import FloatArray, Tail
from ogive.errors import InputError
from ogive.metric import Metric

Kind: TypeAlias = Literal[
    "mean", "std", "iqm", "q", "worst", "best", "best_of", "worst_of", "exceedance", "lower", "upper", "optimality_gap"
]
# Of the runs of one cell; over many tasks scores have no worst end of their own, only a lower and an upper one.
OF_RUNS: tuple[Kind, ...] = ("mean", "q", "std", "iqm", "worst", "best", "best_of", "worst_of", "exceedance")
OVER_TASKS: tuple[Kind, ...] = ("iqm", "mean", "optimality_gap", "q", "lower", "upper")
_PLAIN: dict[str, tuple[Kind, float]] = {
    "mean": ("mean", math.nan), "median": ("q", 0.5), "std": ("std", math.nan), "iqm": ("iqm", math.nan),
    "optimality_gap": ("optimality_gap", math.nan),
}  # fmt: skip
_PATTERN = re.compile(
    r"(worst_of|best_of|worst|best|exceedance|lower|upper|q)_?(-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)"
)
_EXAMPLES: dict[Kind, str] = {
    "mean": "mean", "q": "median, q0.05", "std": "std", "iqm": "iqm", "worst": "worst_0.1", "best": "best_0.5",
    "best_of": "best_of_8", "worst_of": "worst_of_8", "exceedance": "exceedance_0.9", "lower": "lower_0.1",
    "upper": "upper_0.1", "optimality_gap": "optimality_gap",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statistic:
    """A named functional of a distribution: `kind` and, where the kind needs one, `amount`.

    Examples
    --------
    >>> Statistic.parse("worst_0.1").label
    'worst 10 %'
    >>> Statistic.parse("best_of_1").level(Metric("maximize"))
    0.5
    """

    name: str
    kind: Kind
    amount: float = math.nan

    @classmethod
    def parse(cls, name: str, *, argument: str = "statistics", kinds: Collection[Kind] = OF_RUNS) -> Statistic:
        """The statistic of that name; refuses what is none, or of another kind than `argument` may be."""
        kind, amount = _read(name)
        if kind is None or kind not in kinds or math.isinf(amount):
            raise InputError(f"`{argument}` may name {', '.join(_EXAMPLES[k] for k in kinds)}; got {name!r}.")
        most = 1.0 if kind in ("lower", "upper") else math.nextafter(1.0, 0.0)
        if kind in ("worst", "best", "q", "lower", "upper") and not 0.0 < amount <= most:
            raise InputError(f"`{argument}`: {name!r} needs a share in (0, 1).")
        if kind in ("best_of", "worst_of") and amount < 1.0:
            raise InputError(f"`{argument}`: {name!r} needs at least 1 draw.")
        return cls(name, kind, amount)

    @classmethod
    def of(cls, what: Any, *, argument: str = "statistic", kinds: Collection[Kind] = OF_RUNS) -> Statistic:
        """A statistic as it is, by its name, or the quantile of a share in (0, 1)."""
        if isinstance(what, Statistic):
            return what
        if isinstance(what, str):
            return cls.parse(what, argument=argument, kinds=kinds)
        return cls.quantile(what)

    @classmethod
    def quantile(cls, p: Any) -> Statistic:
        """The p-quantile; refuses what is no share."""
        number = isinstance(p, (int, float, np.integer, np.floating)) and not isinstance(p, bool)
        if not number or not 0.0 < p < 1.0:
            raise InputError(f"a quantile must be a share in (0, 1), such as 0.05; got {p!r}.")
        return cls("median" if p == 0.5 else f"q{p:g}", "q", float(p))

    @property
    def p(self) -> float | None:
        """The level of a quantile, None for other statistics."""
        return self.amount if self.kind == "q" else None

    @property
    def needs_order_only(self) -> bool:
        """Whether it is defined where failed runs are worse than every score, and have no number."""
        return self.kind in ("q", "best_of", "worst_of", "exceedance")

    @property
    def label(self) -> str:
        """The name in words, for the head of a column."""
        share = f"{100 * self.amount:g} %"
        return {
            "mean": "mean", "std": "std", "iqm": "IQM", "worst": f"worst {share}", "best": f"best {share}",
            "q": "median" if self.amount == 0.5 else f"{share} quantile", "best_of": f"best of {self.amount:g} (median)",
            "worst_of": f"worst of {self.amount:g} (median)", "exceedance": f"P(reaches {self.amount:g})",
            "lower": f"lowest {share}", "upper": f"highest {share}", "optimality_gap": "optimality gap",
        }[self.kind]  # fmt: skip

    def end(self, metric: Metric) -> str:
        """The end of the runs that a quantile cuts off, `worst 5 %`; empty for the median and other statistics."""
        if self.kind != "q" or self.amount == 0.5:
            return ""
        bad = metric.level(self.amount)
        return f"worst {100 * bad:g} %" if bad < 0.5 else f"best {100 * (1.0 - bad):g} %"

    def tail(self, metric: Metric) -> Tail:
        """The end of the distribution whose mean the worst or best share is."""
        if self.kind == "lower" or self.kind == "upper":
            return self.kind
        return metric.worst_tail if self.kind == "worst" else metric.best_tail

    def level(self, metric: Metric) -> float:
        """The level of F that a quantile, or the median of the best or worst of k draws, stands at."""
        if self.kind == "q":
            return self.amount
        opposite = Metric.toward("minimize" if metric.goal == "maximize" else "maximize")
        return float(best_of_level(np.array(self.amount), metric if self.kind == "best_of" else opposite))


def best_of_level(k: FloatArray, metric: Metric) -> FloatArray:
    """The level of F where the median of the best of k draws stands."""
    # The median of the largest of k is where F^k = 1/2; of the smallest, where (1 - F)^k = 1/2.
    return np.asarray(0.5 ** (1.0 / k) if metric.best_tail == "upper" else -np.expm1(np.log(0.5) / k))


def _read(name: object) -> tuple[Kind | None, float]:
    if not isinstance(name, str):
        return None, math.nan
    if name in _PLAIN:
        return _PLAIN[name]
    found = _PATTERN.fullmatch(name)
    return (None, math.nan) if found is None else (cast(Kind, found.group(1)), float(found.group(2)))
