"""How a budget of runs is best divided between new configurations and further seeds of the same ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ogive.errors import InputError
from ogive.results import json_ready
from ogive.statistics import Interval
from ogive.words import plural, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Configurations and runs of each that make the mean most precise for a budget.

    `repeats_low` and `repeats_high` are the best numbers at the ends of the share's interval.
    `standard_error` is of the mean over all configurations; `single_error` with one run of each.
    """

    method: str
    budget: float
    cost_ratio: float
    repeats: int
    repeats_low: int
    repeats_high: int
    configurations: int
    standard_error: float
    single_error: float

    def __str__(self) -> str:
        span = "" if self.repeats_low == self.repeats_high else f" [{self.repeats_low}, {self.repeats_high}]"
        extra = (
            f"where a new configuration costs {self.cost_ratio:g} runs beside its own"
            if self.cost_ratio
            else "where a new configuration costs nothing beside its runs"
        )
        gain = self.single_error / self.standard_error - 1.0
        against = f", {100 * gain:.0f} % less than with one run of each" if gain > 0.005 else ""
        return (
            f"With a budget of {self.budget:g} runs, {extra}, the mean of {printable(self.method)} is known best from "
            f"{plural(self.configurations, 'configuration')} with {self.repeats}{span} "
            f"run{'s' if self.repeats > 1 else ''} of each: standard error {self.standard_error:.3g}{against}."
        )

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        names = (
            "budget", "cost_ratio", "repeats", "repeats_low", "repeats_high", "configurations", "standard_error", "single_error"
        )  # fmt: skip
        return json_ready({name: getattr(self, name) for name in names})


def allocate(share: Interval, variance: float, method: str, budget: float, cost_ratio: float) -> Allocation:
    """The best division of `budget` runs when `share` of the variance comes from the configuration.

    Notes
    -----
    With K configurations and r runs of each the variance of the mean is V (s + (1 - s) / r) / K, where V
    is the variance of one run and s the share of the configuration. A configuration costs c + r runs, so
    K = B / (c + r), and r = sqrt(c (1 - s) / s) minimizes (s + (1 - s) / r) (c + r) (Cochran 1977, section
    10.6). Without a cost of its own (c = 0) a new configuration is always better than one more seed.
    """
    if not (math.isfinite(budget) and budget >= 2):
        raise InputError(f"`budget` must be a number of runs, at least 2; got {budget:g}.")
    if not (math.isfinite(cost_ratio) and cost_ratio >= 0.0):
        raise InputError(f"`cost_ratio` must be 0 or more runs; got {cost_ratio:g}.")
    most = max(1, int(budget - cost_ratio))
    best = [_repeats(s, cost_ratio, most) for s in (share.high, share.estimate, share.low)]

    def error(r: int) -> tuple[int, float]:
        k = max(1, int(budget // (cost_ratio + r)))
        return k, math.sqrt(variance * (share.estimate + (1.0 - share.estimate) / r) / k)

    configurations, standard_error = error(best[1])
    return Allocation(
        method=method, budget=budget, cost_ratio=cost_ratio, repeats=best[1], repeats_low=best[0], repeats_high=best[2],
        configurations=configurations, standard_error=standard_error, single_error=error(1)[1],
    )  # fmt: skip


def _repeats(share: float, cost_ratio: float, most: int) -> int:
    """The whole number of runs of each configuration that minimizes the variance of the mean at a fixed budget."""
    if cost_ratio == 0.0:
        return 1
    if share <= 0.0:
        return most
    ideal = math.sqrt(cost_ratio * (1.0 - share) / share)
    around = {min(most, max(1, r)) for r in (math.floor(ideal), math.ceil(ideal))}
    return min(around, key=lambda r: (share + (1.0 - share) / r) * (cost_ratio + r))
