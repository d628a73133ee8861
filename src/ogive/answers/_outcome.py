"""What a comparison found: one noun for one task, one for several."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from ogive.answers._overall import Overall
from ogive.answers._verdict import Conclusion
from ogive.answers._wording import effect_label, shown
from ogive.notes import Note, sentences
from ogive.results import json_ready
from ogive.statistics import Interval
from ogive.words import aligned, printable


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison:
    """Two methods on one task. Differences are positive where `a` is better.

    Attributes
    ----------
    conclusion : str
        better, not worse, equivalent, worse, or cannot tell: of `a`, read off `primary` alone.
    verdict : str
        A sentence to paste.
    primary : Interval
        Of `statistic`, at the family's confidence.
    probability_of_improvement, mean_difference, cvar_difference : Interval
        At the stated confidence, as description; `cvar_difference` is of the worst 10 %.
    other_improvement : Interval or None
        For pairs: how often a fresh run of `a` beats a fresh one of `b`, which is another question.
    quantile_differences : dict
        By level, worst to best.
    dominance : list of (p_low, p_high, who)
        Levels, worst to best, at which one method is certainly better.
    crossings : list of (low, high)
        Ranges of scores within which the distributions certainly cross.
    violation_ratio : float
        Of almost stochastic order, by samples: 0 where `a` is nowhere below `b`, 1/2 where they are
        equal; as description (`statistics.almost_dominance` bounds it).
    detectable : float
        The smallest value of the primary statistic that this design detects with 80 % power.
    n_failed : (int, int)
        Failed runs of `a` and of `b`, counted as the verdict says.
    """

    a: str
    b: str
    task: str
    metric: str
    conclusion: Conclusion
    verdict: str
    statistic: str
    primary: Interval
    margin: float | None
    paired: bool
    n: int
    family_size: int
    probability_of_improvement: Interval
    other_improvement: Interval | None
    mean_difference: Interval
    quantile_differences: dict[float, Interval]
    cvar_difference: Interval
    dominance: list[tuple[float, float, str]]
    crossings: list[tuple[float, float]]
    violation_ratio: float
    detectable: float
    mcnemar_p: float | None = None
    n_failed: tuple[int, int] = (0, 0)

    def __repr__(self) -> str:
        return f"Comparison({self.a} against {self.b} on {self.task}: {self.conclusion})"

    def __str__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.verdict)}</p>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        plain = (
            "a", "b", "task", "metric", "conclusion", "verdict", "statistic", "margin", "paired", "n", "family_size",
            "n_failed",
        )  # fmt: skip
        out = json_ready({name: getattr(self, name) for name in (*plain, "violation_ratio", "detectable", "mcnemar_p")})
        for name in ("primary", "probability_of_improvement", "mean_difference", "cvar_difference"):
            out[name] = getattr(self, name).to_dict()
        out["other_improvement"] = None if self.other_improvement is None else self.other_improvement.to_dict()
        out["quantile_differences"] = {f"{p:g}": i.to_dict() for p, i in self.quantile_differences.items()}
        out["dominance"] = [list(r) for r in self.dominance]
        out["crossings"] = [list(r) for r in self.crossings]
        return out


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparisons:
    """Two methods on several tasks, corrected for their number, with one overall sentence."""

    items: tuple[Comparison, ...]
    overall: Overall
    verdict: str
    source: str
    unit: str
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"Comparisons({len(self.items)} tasks: {self.verdict})"

    @property
    def conclusion(self) -> Conclusion:
        """What all tasks together say of `a`."""
        return self.overall.conclusion

    def __str__(self) -> str:
        return "\n".join([self.verdict, "", *aligned(self._table())])

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Comparison:
        return self.items[index]

    def _table(self) -> list[list[str]]:
        head = ["task", effect_label(self.items[0]), "n", "conclusion"]
        rows = [
            [printable(c.task), shown(c.primary, c.statistic, c.margin), str(c.n), c.conclusion] for c in self.items
        ]
        return [head, *rows]

    def _repr_html_(self) -> str:
        lines = ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in self._table()]
        return f"<p>{html.escape(self.verdict)}</p><table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, with `"schema": 1`."""
        return {
            "schema": 1, "source": self.source, "unit": self.unit, "notes": sentences(self.notes), "verdict": self.verdict,
            "conclusion": self.conclusion, "overall": self.overall.to_dict(), "rows": [c.to_dict() for c in self.items],
        }  # fmt: skip
